// The form of a content: a choice of its kind, and the fields of that kind.

const CHIPS = 4; // kinds that are seen at once; the others are in a list

function makeContentForm(studio, kinds) {
  const error = h("p", { class: "qk-error" });
  const names = Object.keys(kinds);
  const words = Object.fromEntries(names.map((name) => [name, kinds[name].title]));
  const choose = (kind) => studio.edit([{ path: ["form"], value: kind }]);
  const usual = radios(studio, { label: say("Kind of content"), kind: "choice", words }, ["form"], names.slice(0, CHIPS), null, choose);
  const others = h("select", { class: "qk-kinds", "aria-label": say("More kinds of content"), onchange: () => choose(others.value) }, h("option", { value: "", hidden: true }, say("More…")), ...names.slice(CHIPS).map((name) => h("option", { value: name }, words[name])));
  usual.element.querySelector(".qk-label").classList.add("qk-unseen");
  usual.element.querySelector(".qk-segments").append(others);
  const about = h("p", { class: "qk-hint qk-about" });
  const fields = h("div", { class: "qk-stack qk-record" });
  const missing = h("p", { class: "qk-hint", role: "status" });
  const notes = h("div", { class: "qk-hint", role: "status" });
  const element = h("div", { class: "qk-stack qk-content-form" }, usual.element, missing, error, fields, notes, about);
  let shown = "";
  let controls = [];
  function show(kind) {
    shown = kind;
    about.textContent = kinds[kind].about;
    // A text has one field, which is the text in the code itself.
    const specs = kind === "text" ? [] : kinds[kind].fields;
    controls = specs.map((spec) => [spec.name, makeControl(studio, spec, ["form", spec.name])]);
    const elements = (isFirst) =>
      controls.filter(([name]) => kinds[kind].first.includes(name) === isFirst).map(([, control]) => control.element);
    const rest = elements(false);
    const more = h("details", { class: "qk-card" }, h("summary", {}, say("More fields")), h("div", { class: "qk-stack qk-fields" }, ...rest));
    fields.replaceChildren(...elements(true), ...(rest.length ? [more] : []));
  }
  function update({ form, errors }) {
    if (form.kind !== shown) show(form.kind);
    usual.update(form.kind, {});
    others.value = names.indexOf(form.kind) < CHIPS ? "" : form.kind;
    others.classList.toggle("qk-on", others.value !== "");
    missing.textContent = form.missing && say("Not drawn yet: {reason}.", null, { reason: form.missing });
    notes.replaceChildren(...form.notes.map((text) => h("p", {}, text)));
    for (const [name, control] of controls) control.update(form.fields[name], errors);
    error.textContent = errors.form ?? errors["form.kind"] ?? "";
  }
  return { element, update };
}
