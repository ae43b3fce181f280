// The forms of the browser of a portfolio: the code that is chosen, a new one, and many together.

const RECURRENCES = [say("Once"), say("Every Monday"), say("Every Tuesday"), say("Every Wednesday"), say("Every Thursday"), say("Every Friday"), say("Every Saturday"), say("Every Sunday")];
const KEEP = "\u0000"; // no ID and no name of a template
const NEW = "\u0001"; // no ID of a campaign

const plural = (count) => say(["{count} QR Code", "{count} QR Codes"], count);

/** The dates of a schedule are UTC; the browser's own fields have no zone. */
const toInput = (date) => date.slice(0, 16);
const fromInput = (date) => (date ? `${date.slice(0, 16)}:00Z` : "");

/** A choice of a campaign, or the name of a new one. prefix: what the paths of its errors begin with. */
function makeCampaign(prefix = "") {
  const select = h("select");
  const name = h("input", { type: "text" });
  const fields = [field(say("Campaign"), `${prefix}campaign_id`, select), field(say("New campaign"), `${prefix}new_campaign`, name)];
  const isNew = () => select.value === NEW;
  function showName() {
    fields[1].element.hidden = !isNew();
    name.required = isNew();
  }
  select.addEventListener("change", () => {
    showName();
    if (isNew()) name.focus();
  });
  return {
    fields,
    value: () => (isNew() ? { new_campaign: name.value } : { campaign_id: select.value }),
    label: () => (isNew() ? name.value : select.selectedOptions[0].textContent),
    show(options, chosen) {
      fill(select, [...options, { id: NEW, name: say("New campaign…") }], chosen);
      name.value = "";
      showName();
    },
  };
}

function makeEvents() {
  const list = h("div", { class: "qk-items" });
  let events = [];
  let tells = [];
  function draw() {
    tells = [];
    list.replaceChildren(
      ...events.map((event, index) => {
        const bind = (name, input, read = (value) => value) => {
          input.addEventListener("input", () => (event[name] = read(input.value)));
          return input;
        };
        const content = bind("content", h("input", { type: "text", value: event.content }));
        const options = RECURRENCES.map((name, value) => h("option", { value, selected: value === event.recurrence }, name));
        const recurrence = bind("recurrence", h("select", {}, ...options), Number);
        const date = bind("date", h("input", { type: "datetime-local", value: toInput(event.date) }), fromInput);
        const fields = [[say("New content"), "content", content], [say("Repeats"), "recurrence", recurrence], [say("Starts (UTC)"), "date", date]];
        const rows = fields.map(([label, name, input]) => field(label, `schedule.${index}.${name}`, input));
        tells.push(...rows.map((row) => row.tell));
        const remove = button(say("Remove"), () => { events.splice(index, 1); draw(); }, { "aria-label": say("Remove scheduled change {number}", null, { number: index + 1 }) });
        return h("fieldset", { class: "qk-stack qk-event" }, h("legend", {}, say("Scheduled change {number}", null, { number: index + 1 })), ...rows.map((row) => row.element), remove);
      }),
    );
  }
  const add = button(say("Add scheduled change"), () => { events.push({ content: "", recurrence: 0, date: "" }); draw(); });
  return {
    element: h("div", {}, list, add),
    value: () => events,
    show(given) {
      events = given.map((event) => ({ ...event }));
      draw();
    },
    tell: (errors) => tells.forEach((tell) => tell(errors)),
  };
}

/** browser: { ask(message) }. The code that is chosen. */
function makeEditor(browser, forms) {
  const picture = h("img", { class: "qk-large", alt: "" });
  const url = h("a", { class: "qk-url", target: "_blank", rel: "noopener", "data-lm-suppress-shortcuts": "true" });
  const download = h("a", { class: "qk-download", "data-lm-suppress-shortcuts": "true" }, say("Download SVG"));
  const actions = [
    button(say("Open in studio"), () => browser.ask({ ask: "studio" })),
    button(say("Duplicate"), () => browser.ask({ ask: "duplicate" })),
    button(say("Delete"), () => browser.ask({ ask: "delete" }), { class: "qk-delete" }),
  ];
  const name = h("input", { type: "text" });
  const content = h("textarea", { rows: 2 });
  const comment = h("textarea", { rows: 2 });
  const [campaign, template] = [makeCampaign(), h("select")];
  const { input: enabled, element: follow } = checkbox(say("Use the schedule"), changed);
  const events = makeEvents();
  const rules = makeRules(forms, changed);
  const limits = makeLimits(changed);
  const fields = [
    field(say("Name"), "name", name),
    field(say("Content"), "content", content, say("Where visitors go when they scan. Changing it does not change the printed code.")),
    ...campaign.fields,
    field(say("Template"), "template", template),
    field(say("Comment"), "comment", comment),
  ];
  const saved = h("span", { role: "status" });
  const save = h("button", { type: "submit", class: "qk-primary" }, say("Save"));
  const back = button(say("Close"), () => browser.ask({ ask: "choose", id: "" }));
  const form = makeForm(
    { class: "qk-stack qk-form qk-editor", "aria-label": say("Edit QR Code"), hidden: true },
    send,
    h("div", { class: "qk-line qk-show" }, picture, h("div", { class: "qk-stack qk-beside" }, url, h("div", { class: "qk-line" }, ...actions, download))),
    ...fields.map((one) => one.element),
    rules.element,
    limits.element,
    h("fieldset", { class: "qk-stack qk-schedule" }, h("legend", {}, say("Schedule")), h("p", { class: "qk-hint" }, say("Changes the content at a set time, once or every week.")), follow, events.element),
    h("div", { class: "qk-line" }, save, back, saved),
  );
  let shown = "";
  let pause = null;
  const deciding = () => ({ content: content.value, is_schedule_enabled: enabled.checked, schedule: events.value(), rules: rules.value(), ...limits.value() });
  function changed() {
    clearTimeout(pause);
    pause = setTimeout(() => browser.askTogether({ ask: "try", fields: deciding(), request: rules.request() }), PAUSE);
  }
  for (const one of [content, events.element]) one.addEventListener("input", changed);
  function send() {
    saved.textContent = "";
    const given = { name: name.value, comment: comment.value, ...campaign.value(), template: template.value };
    browser.ask({ ask: "save", fields: { ...given, ...deciding() } });
  }
  function update({ chosen, campaigns, templates, errors, tried, saved: count }) {
    for (const one of [...fields, events, limits]) one.tell(errors);
    rules.tell(tried, errors);
    if (!chosen) return clearTimeout(pause);
    picture.src = chosen.picture;
    picture.hidden = download.hidden = !chosen.picture;
    picture.alt = say("QR Code {name}", null, { name: chosen.name });
    download.href = chosen.picture;
    download.download = `${chosen.name.replace(/[^\p{L}\p{N} _-]+/gu, " ").trim().slice(0, 60) || "qrcode"}.svg`;
    // What is being typed stays, until it was saved or another code was chosen.
    const now = `${chosen.id} ${count}`;
    if (now === shown) return;
    saved.textContent = shown.startsWith(chosen.id) ? say("Saved") : "";
    const isOther = !shown.startsWith(chosen.id);
    shown = now;
    campaign.show([{ id: "", name: say("No campaign") }, ...campaigns], chosen.campaign_id);
    fill(template, [{ id: "", name: say("Same as the campaign") }, ...named(templates)], chosen.template);
    [name.value, content.value, comment.value] = [chosen.name, chosen.content, chosen.comment];
    enabled.checked = chosen.is_schedule_enabled;
    events.show(chosen.schedule);
    limits.show(chosen);
    rules.show(chosen.rules);
    url.textContent = url.href = chosen.short_url;
    for (const one of [save, ...actions.slice(0, 2)]) one.disabled = !chosen.is_available;
    if (isOther) requestAnimationFrame(() => form.scrollIntoView({ block: "nearest" }));
  }
  return { element: form, update, clear: () => clearTimeout(pause) };
}

/** A new code: the fewest fields that it needs. */
function makeNewForm(browser, close) {
  const content = h("textarea", { rows: 2, placeholder: "https://example.com/menu" });
  const [name, campaign] = [h("input", { type: "text" }), makeCampaign("new.")];
  const fields = [
    field(say("Content"), "new.content", content, say("A web address, or any text to show.")),
    field(say("Name"), "new.name", name, say("Leave empty to use the content.")),
    ...campaign.fields,
  ];
  const form = makeForm(
    { class: "qk-stack qk-form", "aria-label": say("New QR Code"), hidden: true },
    () => browser.ask({ ask: "add", fields: { content: content.value, name: name.value, ...campaign.value() } }),
    h("h3", {}, say("New QR Code")),
    ...fields.map((one) => one.element),
    h("div", { class: "qk-line" }, h("button", { type: "submit", class: "qk-primary" }, say("Add")), button(say("Cancel"), close)),
  );
  return {
    element: form,
    update: ({ errors }) => fields.forEach((one) => one.tell(errors)),
    open(state) {
      [content.value, name.value] = ["", ""];
      campaign.show([{ id: "", name: say("No campaign") }, ...state.campaigns], state.campaign);
      content.focus();
    },
  };
}

/** Many codes together: what changes is shown before it does. */
function makeTogetherForm(browser, close) {
  const [template, campaign, rules] = [h("select"), makeCampaign("all."), h("select")];
  const [find, replace] = [h("input", { type: "text" }), h("input", { type: "text" })];
  const fields = [
    field(say("Template"), "all.template", template),
    ...campaign.fields,
    field(say("Rules"), "all.rules", rules),
    field(say("Find in content"), "all.find", find, say("Exactly as written, for example a domain.")),
    field(say("Replace with"), "all.replace", replace),
  ];
  const title = h("h3", {});
  const told = h("div", { class: "qk-preview", role: "status" });
  const apply = button(say("Apply"), () => browser.ask({ ask: "edit selection", fields: given() }), { class: "qk-primary", hidden: true });
  const look = h("button", { type: "submit" }, say("Preview"));
  const form = makeForm(
    { class: "qk-stack qk-form", "aria-label": say("Edit together"), hidden: true, oninput: () => update(state) },
    () => browser.ask({ ask: "preview", fields: given() }),
    title, ...fields.map((one) => one.element), told, h("div", { class: "qk-line" }, look, apply, button(say("Cancel"), close)),
  );
  const given = () => {
    const chosen = { template: template.value, ...campaign.value() };
    const kept = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== KEEP));
    if (rules.value) kept.rules_of_campaigns = true;
    return find.value ? { ...kept, find: find.value, replace: replace.value } : kept;
  };
  let state = null;
  function update(next) {
    state = next;
    const { preview, selected, errors } = state;
    for (const one of fields) one.tell(errors);
    title.textContent = say("Edit {codes}", null, { codes: plural(selected) });
    // A preview counts only for what the form says now.
    const isCurrent = preview && JSON.stringify(preview.fields) === JSON.stringify(given());
    apply.hidden = !isCurrent;
    told.replaceChildren();
    if (!isCurrent) return;
    const changes = [];
    if ("template" in preview.fields) changes.push(say("Sets the template of {codes}: {name}.", null, { codes: plural(selected), name: template.selectedOptions[0].textContent }));
    if (["campaign_id", "new_campaign"].some((name) => name in preview.fields)) changes.push(say("Sets the campaign of {codes}: {name}.", null, { codes: plural(selected), name: campaign.label() }));
    if ("rules_of_campaigns" in preview.fields) changes.push(say("Sets the rules of {codes}: those of their campaigns.", null, { codes: plural(selected) }));
    if ("find" in preview.fields) changes.push(say("Changes the content of {number} of {codes}.", null, { number: preview.contents, codes: plural(selected) }));
    const only = Object.keys(preview.fields).length && !["template", "campaign_id", "new_campaign", "rules_of_campaigns"].some((name) => name in preview.fields);
    const count = only ? preview.contents : selected;
    apply.textContent = say("Change {codes}", null, { codes: plural(count) });
    apply.hidden = !changes.length || !count;
    const samples = preview.samples.map((one) => h("li", {}, h("b", {}, one.name), h("del", {}, one.before), h("ins", {}, one.after), one.warning ? h("p", { class: "qk-error qk-general" }, one.warning) : null));
    const more = preview.contents - samples.length;
    told.append(
      ...(changes.length ? changes : [say("Nothing changes yet: choose a template or campaign, or fill in “Find in content”.")]).map((text) => h("p", {}, text)),
      h("ul", { class: "qk-stack" }, ...samples),
      more > 0 ? h("p", { class: "qk-hint" }, say("and {count} more", more)) : "",
    );
  }
  return {
    element: form,
    update,
    open(state) {
      fill(template, [{ id: KEEP, name: say("Keep") }, { id: "", name: say("Same as the campaign") }, ...named(state.templates)], KEEP);
      campaign.show([{ id: KEEP, name: say("Keep") }, { id: "", name: say("No campaign") }, ...state.campaigns], KEEP);
      fill(rules, [{ id: "", name: say("Keep") }, { id: "campaign", name: say("Those of the campaign") }], "");
      [find.value, replace.value] = ["", ""];
      template.focus();
    },
  };
}

/** What becomes of many codes on paper, or as a table. */
function makePrintForm(browser, { formats, stocks }, close) {
  const select = (options) => h("select", {}, ...Object.entries(options).map(([value, name]) => h("option", { value }, name)));
  const kind = select({ zip: say("Pictures, in a zip"), pdf: say("PDF, a page for each"), sheet: say("Sheet of labels or cards"), xlsx: say("Spreadsheet") });
  const format = select(Object.fromEntries(formats.map((one) => [one, one.toUpperCase()])));
  const width = h("input", { type: "number", min: 2, max: 5000, step: "any", placeholder: say("as designed") });
  const dpi = select({ 150: "150 dpi", 300: "300 dpi", 600: "600 dpi" });
  const names = h("input", { type: "text", placeholder: "{campaign}/{name}", spellcheck: "false" });
  const list = h("datalist", { id: newId() }, ...stocks.map((one) => h("option", { value: one.id }, one.name)));
  const stock = h("input", { type: "text", list: list.id, placeholder: "L7160, Avery 5160, business-card", spellcheck: "false" });
  dpi.value = 300;
  const rows = [
    [field(say("What"), "print.kind", kind), "zip pdf sheet xlsx"],
    [field(say("Format"), "print.image_format", format), "zip"],
    [field(say("Width, mm"), "print.size_mm", width, say("Empty: the size of the design, in pixels.")), "zip pdf"],
    [field(say("Resolution"), "print.dpi", dpi), "zip"],
    [field(say("File names"), "print.names", names, say("With {name}, {campaign}, {number}, {short_code} and your own fields.")), "zip"],
    [field(say("Labels or cards"), "print.stock", stock, say("The number on the package, such as L7160; or table-tent, business-card, a6, sticker, ticket, hang-tag or poster.")), "sheet"],
  ];
  const title = h("h3", {});
  const sheet = h("img", { style: "width:100%", alt: say("The first sheet"), hidden: true });
  const ask = (what) => {
    const fields = { kind: what, image_format: format.value, size_mm: Number(width.value), dpi: Number(dpi.value), names: names.value, stock: stock.value };
    browser.ask({ ask: "download", fields });
  };
  const look = button(say("Show the first sheet"), () => ask("page"));
  const form = makeForm(
    { class: "qk-stack qk-form", "aria-label": say("Download for print"), hidden: true, oninput: () => (sheet.hidden = true) }, // which it is no longer
    () => ask(kind.value),
    title, ...rows.map(([row]) => row.element), list, h("div", { class: "qk-line" }, h("button", { type: "submit", class: "qk-primary" }, say("Download")), look, button(say("Cancel"), close)), sheet,
  );
  function choose() {
    for (const [row, kinds] of rows) row.element.hidden = !kinds.split(" ").includes(kind.value);
    look.hidden = kind.value !== "sheet";
    sheet.hidden = true;
  }
  kind.addEventListener("change", choose);
  function show(data) {
    URL.revokeObjectURL(sheet.src);
    sheet.src = URL.createObjectURL(new Blob([data], { type: "image/svg+xml" }));
    sheet.hidden = false;
  }
  choose();
  function update({ selected, errors }) {
    for (const [row] of rows) row.tell(errors);
    title.textContent = say("Download {codes} for print", null, { codes: plural(selected) });
  }
  return { element: form, update, show, open: () => kind.focus() };
}

/** The studio of the chosen code, inside the browser, and what becomes of its design. */
function makeStudioPlace(model, browser) {
  const name = h("input", { type: "text" });
  const row = field(say("Save as template"), "studio.name", name, say("Every QR Code with this template gets this design."));
  const place = h("div", { class: "qk-place" });
  const bar = makeForm(
    { class: "qk-line qk-use", "aria-label": say("Use this design") },
    () => browser.ask({ ask: "use", template: name.value }),
    row.element, h("button", { type: "submit", class: "qk-primary" }, say("Use for this QR Code")), button(say("Back without saving"), () => browser.ask({ ask: "leave" })),
  );
  const element = h("section", { class: "qk-studio", "aria-label": say("Studio"), hidden: true }, bar, place);
  let [shown, view] = [null, null];
  function clear() {
    view?.remove();
    view = null;
    place.replaceChildren();
  }
  async function open(id) {
    const manager = model.widget_manager;
    if (!manager?.create_view) {
      place.append(h("p", {}, say("This notebook cannot show the studio here. Run a cell with PortfolioBrowser(portfolio).studio instead.")));
      return;
    }
    const made = await manager.create_view(await manager.get_model(id));
    if (shown !== id) return made.remove();
    view = made;
    place.append(made.el);
  }
  function update({ studio, chosen, errors }) {
    row.tell(errors);
    element.hidden = !studio;
    if (studio === shown) return;
    clear();
    shown = studio;
    if (!studio) return;
    name.value = chosen?.drawn_by || chosen?.name || "";
    open(studio);
  }
  return { element, update, clear };
}
