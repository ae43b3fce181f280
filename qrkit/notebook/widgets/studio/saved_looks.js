// Saved looks: cards of templates and brands, a form that saves the look, and one that gives a template to a campaign.

const KINDS = { template: say("Template"), brand: say("Brand") };
const KEEPS = {
  template: say("A template keeps everything but the content."),
  brand: say("A brand keeps colors, shapes, logo and frame. Reports and pages can use it, too."),
};

/** Gives { element, update(state) }. */
function makeSavedLooks(studio) {
  let drawn = "";
  const { element: grid, update: rove } = makeRoving({ class: "qk-looks", "aria-label": say("Yours") });
  const heading = h("h4", { class: "qk-label" }, say("Yours"));
  const save = makeSaveForm(studio);
  const use = makeUseForm(studio);
  const error = h("p", { class: "qk-error", role: "alert" });
  const done = h("span", {});
  const undo = button(say("Undo"), () => studio.ask({ ask: "restore" }));
  const told = h("div", { class: "qk-line qk-told", role: "status" }, done, undo);
  const menu = button(say("Save look"), null, { popovertarget: save.element.id });
  const element = h("div", { class: "qk-stack qk-saved" }, heading, grid, use.element, error);

  function makeCard(look) {
    const { kind, name } = look;
    const title = `${KINDS[kind]} ${say("“{name}”", null, { name })}`;
    const face = button([studio.pictures.of(look), h("span", { class: "qk-look-name" }, name)], () => studio.take({ ask: "load", kind, name }), { class: "qk-look", title });
    const remove = tool("×", `${say("Delete")}: ${title}`, () => studio.ask({ ask: "delete", kind, name }), { class: "qk-look-delete" });
    return h("div", { class: "qk-stack qk-look-card" }, face, h("div", { class: "qk-set qk-look-kind" }, h("span", {}, KINDS[kind]), remove));
  }

  function update({ saved, errors }) {
    element.hidden = menu.hidden = told.hidden = saved === null;
    if (saved === null) return;
    const now = JSON.stringify(saved.looks);
    if (now !== drawn) {
      grid.replaceChildren(...saved.looks.map(makeCard));
      rove();
    }
    drawn = now;
    saved.looks.forEach((look, index) => grid.children[index].firstChild.setAttribute("aria-pressed", keyOf(look) === keyOf(studio.chosen)));
    grid.hidden = heading.hidden = !saved.looks.length;
    if (saved.done !== done.textContent && save.element.matches(":popover-open")) save.element.hidePopover();
    save.update(saved, errors);
    use.update(saved);
    error.textContent = errors.saved ?? "";
    done.textContent = saved.done;
    told.hidden = !saved.done;
  }
  return { element, update, save: [menu, save.element], told };
}

function makeSaveForm(studio) {
  let looks = [];
  const name = h("input", { type: "text", id: newId(), maxlength: 100, spellcheck: "false", oninput: label });
  studio.name.addEventListener("input", () => {
    name.value = studio.name.value;
    label();
  });
  const kind = h("select", { "aria-label": say("Save as"), onchange: label });
  const button = h("button", { type: "submit" });
  const hint = h("p", { class: "qk-hint" });
  const error = h("p", { class: "qk-error", id: newId() });
  name.setAttribute("aria-describedby", error.id);
  const isTaken = () => looks.some((look) => look.kind === kind.value && look.name === name.value);
  const send = () => studio.ask({ ask: "save", kind: kind.value, name: name.value, replace: isTaken() });
  function label() {
    button.textContent = isTaken() ? say("Replace") : say("Save");
    hint.textContent = isTaken() ? say("You have one of this name. “Replace” overwrites it.") : KEEPS[kind.value];
  }
  const set = h("div", { class: "qk-set" }, name, kind, button);
  const element = makeForm({ class: "qk-box qk-menu", popover: "auto", id: newId() }, send, h("label", { class: "qk-label", for: name.id }, say("Save this look as")), set, hint, error);

  function update(saved, errors) {
    looks = saved.looks;
    if (kind.length !== saved.kinds.length) fill(kind, saved.kinds.map((one) => ({ id: one, name: KINDS[one] })));
    kind.hidden = saved.kinds.length < 2;
    const wrong = Object.entries(errors).filter(([path]) => path.startsWith("saved."));
    error.textContent = wrong.map(([path, rule]) => (path === "saved.name" ? `${say("Name")}: ${rule}` : `${path.slice(6)} ${rule}`)).join("; ");
    name.ariaInvalid = errors["saved.name"] ? "true" : null;
    label();
  }
  return { element, update };
}

function makeUseForm(studio) {
  const template = h("select", { id: newId() });
  const campaign = h("select", { "aria-label": say("Campaign") });
  const apply = button(say("Apply"), () => studio.ask({ ask: "use", name: template.value, campaign: campaign.value }));
  const set = h("div", { class: "qk-set" }, template, h("span", {}, say("for the campaign")), campaign, apply);
  const summary = h("summary", {}, say("Use a template in a campaign"));
  const element = h("details", {}, summary, h("label", { class: "qk-unseen", for: template.id }, say("Template")), set);
  let shown = "";

  /** The choice stays; a new option is chosen. */
  function refill(select, options) {
    const before = [...select.options].map(({ value }) => value);
    const added = before.length ? options.find(({ id }) => !before.includes(id)) : undefined;
    fill(select, options, added?.id);
  }

  function update({ kinds, looks, campaigns }) {
    const templates = looks.filter(({ kind }) => kind === "template").map(({ name }) => name);
    element.hidden = !kinds.includes("brand") || !templates.length;
    if (JSON.stringify([templates, campaigns]) === shown) return;
    shown = JSON.stringify([templates, campaigns]);
    refill(template, [...named(templates), { id: "", name: say("No template") }]);
    refill(campaign, [...campaigns.map(({ id, name, template: own }) => ({ id, name: own ? `${name} (${own})` : name })), { id: "", name: say("All other QR Codes") }]);
  }
  return { element, update };
}
