// The form of a content: a choice of its kind, and the fields of that kind.

function makeContentForm(studio, kinds) {
  const error = h("p", { class: "qk-error", hidden: true });
  const names = Object.keys(kinds);
  const choice = h("select", { id: newId() }, ...names.map((name) => h("option", { value: name }, kinds[name].title)));
  choice.addEventListener("change", () => studio.edit([{ path: ["form"], value: choice.value }]));
  const heading = h("label", { class: "qk-label", for: choice.id }, "Kind of content");
  const about = h("p", { class: "qk-hint" });
  const fields = h("div", { class: "qk-record" });
  const missing = h("p", { class: "qk-hint", role: "status" });
  const notes = h("ul", { class: "qk-hint", role: "status" });
  const element = h("div", { class: "qk-content-form" }, h("div", { class: "qk-row" }, heading, choice), about, missing, error, fields, notes);
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
    const others = elements(false);
    const more = h("details", { class: "qk-card" }, h("summary", {}, "More fields"), h("div", { class: "qk-fields" }, ...others));
    fields.replaceChildren(...elements(true), ...(others.length ? [more] : []));
  }
  function update({ form, errors }) {
    if (form.kind !== shown) show(form.kind);
    choice.value = form.kind;
    missing.textContent = form.missing && `Not drawn yet: ${form.missing}.`;
    notes.replaceChildren(...form.notes.map((text) => h("li", {}, text)));
    notes.hidden = !form.notes.length;
    for (const [name, control] of controls) control.update(form.fields[name], errors);
    error.textContent = errors.form ?? errors["form.kind"] ?? "";
    error.hidden = !error.textContent;
  }
  return { element, update };
}
