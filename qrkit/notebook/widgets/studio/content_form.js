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
  // A text has one field, which is the text in the code itself.
  const fieldsOf = (kind) => (kind === "text" ? [] : kinds[kind].fields).map((field) => ({ ...field, rare: !kinds[kind].first.includes(field.name) }));
  const fields = makeSlot((kind) => makeControl(studio, { kind: "record", fields: fieldsOf(kind) }, ["form"]), "qk-content");
  const missing = h("p", { class: "qk-hint", role: "status" });
  const notes = h("div", { class: "qk-hint", role: "status" });
  const element = h("div", { class: "qk-stack qk-content-form" }, usual.element, missing, error, fields.element, notes, about);
  function update({ form, errors }) {
    about.textContent = kinds[form.kind].about;
    fields.update(form.kind, form.fields, errors);
    usual.update(form.kind, {});
    others.value = names.indexOf(form.kind) < CHIPS ? "" : form.kind;
    others.classList.toggle("qk-on", others.value !== "");
    missing.textContent = form.missing && say("Not drawn yet: {reason}.", null, { reason: form.missing });
    notes.replaceChildren(...form.notes.map((text) => h("p", {}, text)));
    error.textContent = errors["form.kind"] ?? "";
  }
  return { element, update };
}
