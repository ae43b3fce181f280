// Settings: sections, each with a table, a form, or both.

/** The sections: what their buttons ask for, and their words. Fields: name, label, value, choices. */
function describe({ account, keys, accounts, plans, base_url: url, days }) {
  const day = (moment) => moment.slice(0, 10);
  const ends = (key) => (key.revoked ? say("revoked on {day}", null, { day: day(key.revoked) }) : key.expires ? say("expires on {day}", null, { day: day(key.expires) }) : say("valid"));
  const sections = [
    {
      id: "make key", title: say("API keys of {account}", null, { account }), text: say("A key signs in to this console and to the HTTP interface. Make one for each person and program."), button: say("Make key"),
      heading: [say("Name"), say("Made"), say("State"), ""], rows: keys.map((key) => [key.label, day(key.created), ends(key), key.revoked ? "" : { ask: "revoke key", key: key.id, label: say("Revoke") }]),
      fields: [["label", say("Name of the new key"), "", []]], secret: say("Copy this key now. It is not shown again."),
    },
  ];
  if (!accounts) return sections;
  const kept = ["days", say("Days to keep visits; empty to keep them forever"), days ?? "", []];
  const planOf = (name, plan) => ({ ask: "change plan", account: name, label: say("Plan of {account}", null, { account: name }), choices: plans, plan });
  return [
    ...sections,
    {
      id: "make account", title: say("Accounts"), text: say("Each account has its own QR Codes, scans and keys. Only the account local may change accounts and what is below."), button: say("Make account"),
      heading: [say("Name"), say("Plan"), say("Keys"), ""], rows: accounts.map(([name, plan, count]) => [name, planOf(name, plan), String(count), { ask: "show account", account: name, label: say("Show keys") }]),
      fields: [["account", say("Name of the new account"), "", []], ["plan", say("Plan"), plans[0], plans]],
    },
    {
      id: "save settings", title: say("Short URLs and privacy"), text: say("Printed codes keep working for as long as the host of their own short URL leads to your server. Of visits that are no longer kept, daily counts stay."), button: say("Save settings"),
      fields: url === null ? [kept] : [["base_url", say("Short URLs begin with"), url, []], kept],
    },
    { id: "back up", title: say("Backup"), text: say("A copy of the whole store: all accounts, QR Codes and scans. Keep it where only you can read it."), button: say("Make and download") },
  ];
}

const SAID = {
  "revoke key": say("The key is revoked and no longer works."),
  "make account": say("The account is made. Now make a key for it, above."),
  "change plan": say("The plan is changed."),
  "save settings": say("The settings are saved."),
};

function render({ model, el }) {
  let state = model.get("state");
  let asked = {}; // the last message, and the section that it came from
  let isLong = false;
  let [parts, loaded] = [[], state.file?.number]; // of the backup, and which one it is
  const drawn = {};
  const outbox = makeOutbox(model, (isNow) => { isLong = isNow; update(); }, () => {});
  const root = h("div", { class: "qrkit-widget qrkit-administration", role: "region", "aria-label": say("Settings") });
  el.append(root);

  function ask(id, message) {
    asked = { id, ask: message.ask };
    outbox.ask(message);
    update();
  }

  function makeInput([, , value, choices], attributes) {
    const input = h(choices.length ? "select" : "input", { type: choices.length ? null : "text", ...attributes });
    fill(input, named(choices), value);
    input.value = value;
    return input;
  }

  function makeCell(id, cell) {
    if (typeof cell === "string") return h("td", {}, cell);
    if (!cell.choices) return h("td", {}, button(cell.label, () => ask(id, cell)));
    const select = makeInput(["", "", cell.plan, cell.choices], { "aria-label": cell.label, onchange: () => ask(id, { ...cell, plan: select.value }) });
    return h("td", {}, select);
  }

  function makeSection({ id, title, text, heading = [], rows = [], fields = [], secret, button: word }) {
    const inputs = fields.map((one) => [one[1], makeInput(one, { name: one[0], id: newId(), spellcheck: "false" })]);
    const [said, wrong] = [h("span", { role: "status" }), h("p", { class: "qk-error", role: "alert" })];
    const [bar, key] = [h("progress", { "aria-label": title }), secret && h("p", { class: "qk-secret" }, secret, h("code", {}))];
    const lines = [h("tr", {}, ...heading.map((one) => h(one ? "th" : "td", {}, one))), ...rows.map((row) => h("tr", {}, ...row.map((cell) => makeCell(id, cell))))];
    const table = rows.length && h("div", { class: "qk-table", tabindex: 0, role: "group", "aria-label": title }, h("table", {}, ...lines));
    const labelled = inputs.map(([label, input]) => h("div", { class: "qk-row" }, h("label", { class: "qk-label", for: input.id }, label), input));
    const form = h("form", { "aria-label": title }, ...labelled, h("div", { class: "qk-buttons" }, h("button", { type: "submit" }, word), bar, said));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      ask(id, { ask: id, ...Object.fromEntries(new FormData(form)) });
    });
    return { element: h("section", {}, h("h3", {}, title), h("p", { class: "qk-hint" }, text), table || null, key, form, wrong), said, wrong, key, bar };
  }

  function update() {
    for (const section of describe(state)) {
      const { id } = section;
      const now = JSON.stringify(section);
      if (drawn[id]?.now !== now) {
        const [before, made] = [drawn[id], { now, ...makeSection(section) }];
        const hadFocus = before?.element.contains(document.activeElement);
        if (before) before.element.replaceWith(made.element);
        else root.append(made.element);
        drawn[id] = made;
        if (hadFocus) made.element.querySelector("[type=submit]").focus();
      }
      const { said, wrong, key, bar } = drawn[id];
      const isAnswered = id === asked.id && outbox.isIdle();
      wrong.textContent = isAnswered ? (state.errors[""] ?? "") : "";
      wrong.hidden = !wrong.textContent;
      said.textContent = isAnswered && !wrong.textContent ? (SAID[asked.ask] ?? "") : "";
      if (key) [key.hidden, key.lastChild.textContent] = [!state.secret, state.secret];
      bar.hidden = id !== asked.id || !(isLong || parts.length);
      if (parts.length) [bar.max, bar.value] = [state.file.bytes, new Blob(parts).size];
    }
  }

  const onState = () => {
    const last = state;
    state = model.get("state");
    if (state.answered !== last.answered) outbox.answered();
    if (state.file && state.file.number !== loaded) outbox.ask({ ask: "part", view: scope });
    loaded = state.file?.number;
    update();
  };
  const onPart = (message, buffers) => {
    if (message.answer !== "part" || message.view !== scope) return;
    parts.push(buffers[0]);
    const file = new Blob(parts);
    if (file.size < state.file.bytes && buffers[0].byteLength) return outbox.ask({ ask: "part", view: scope });
    save(state.file.name, file);
    parts = [];
    update();
  };
  model.on("change:state", onState);
  model.on("msg:custom", onPart);
  const ends = [lendShortcuts(root), () => model.off("change:state", onState), () => model.off("msg:custom", onPart)];
  update();
  return () => ends.forEach((end) => end());
}

export default { render };
