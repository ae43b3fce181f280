// Settings: sections, each with a table, a form, or both.

/** The sections: what their buttons ask for, and their words. Fields: name, label, value; type, choices or offers; help. */
function describe({ account, secret_of: owner, keys, brand, brands, look, accounts, plans, base_url: url, days, time_zone: zone }) {
  const day = (moment) => asDay(moment.slice(0, 10));
  function stateOf({ revoked, expires, is_over: isOver }) {
    if (revoked) return say("revoked on {day}", null, { day: day(revoked) });
    if (!expires) return say("valid");
    return isOver ? say("expired on {day}", null, { day: day(expires) }) : say("expires on {day}", null, { day: day(expires) });
  }
  const color = (name, label, help) => ({ name, label, help, type: "color", value: look[name], ask: "judge color" });
  const sections = [
    {
      id: "make key", title: say("API keys of {account}", null, { account }), text: say("A key signs in to this console and to the HTTP interface. Create one for each person and program."), button: say("Create key"),
      heading: [say("Name"), say("Created"), say("State"), ""], rows: keys.map((key) => [key.label, day(key.created), stateOf(key), key.revoked ? "" : { ask: "revoke key", key: key.id, label: say("Revoke") }]),
      fields: [{ name: "label", label: say("Name of the new key") }, { name: "expires", label: say("Expires on"), type: "date", help: say("Leave empty for a key that never expires.") }],
      secret: say("Copy this key of {account} now. It is not shown again.", null, { account: owner }),
    },
    {
      id: "save brand", title: say("Brand"), text: say("Reports and landing pages use the name, the colors and the logo of your brand. To give QR Codes its look, use the studio."), button: brand ? say("Save brand") : say("Create brand"),
      fields: [
        { name: "brand", label: say("Brand in use"), value: brand, choices: [{ id: "", name: say("None") }, ...named(brands)], ask: "use brand" },
        { name: "name", label: say("Name of the organization"), value: look.name },
        color("ink", say("Modules"), say("Keep it dark.")), color("accent", say("Accent"), say("Buttons, charts and the centers of eyes.")), color("ground", say("Background")),
        { name: "logo", label: say("Logo"), type: "file", value: look.logo },
      ],
    },
  ];
  if (!accounts) return sections;
  const kept = { name: "days", label: say("Days to keep visits"), value: days ?? "", help: say("Leave empty to keep them forever.") };
  const clock = { name: "time_zone", label: say("Time zone"), value: zone, offers: Intl.supportedValuesOf("timeZone"), help: say("For the days and hours of the dashboard and of reports. Landing pages speak the language of each visitor.") };
  const planOf = (name, plan) => ({ ask: "change plan", account: name, label: say("Plan of {account}", null, { account: name }), choices: named(plans), plan });
  return [
    ...sections,
    {
      id: "make account", title: say("Accounts"), text: say("Each account has its own QR Codes, scans and keys. Only the account “local” can change accounts and the settings below them."), button: say("Create account"),
      heading: [say("Name"), say("Plan"), say("Keys"), ""], rows: accounts.map(([name, plan, count]) => [name, planOf(name, plan), String(count), { ask: "show account", account: name, label: say("Show keys") }]),
      fields: [{ name: "account", label: say("Name of the new account") }, { name: "plan", label: say("Plan"), value: plans[0], choices: named(plans) }],
    },
    {
      id: "save settings", title: say("Short URLs, time zone and privacy"), text: say("Printed codes work as long as the host in their short URL leads to your server. When visits are deleted, their daily counts stay."), button: say("Save settings"),
      fields: [...(url === null ? [] : [{ name: "base_url", label: say("Short URLs begin with"), value: url }]), clock, kept],
    },
    { id: "back up", title: say("Backup"), text: say("A copy of the whole store: all accounts, QR Codes and scans. Keep it where only you can read it."), button: say("Create and download") },
  ];
}

const SAID = {
  "revoke key": say("The key is revoked and no longer works."),
  "save brand": say("The brand is saved and in use."),
  "make account": say("The account was created. Now create a key for it, above."),
  "change plan": say("The plan is changed."),
  "save settings": say("The settings are saved."),
};

/** The field of a file: the picture can be seen, replaced and removed. The form sends it as a data URI, or "". */
function makePicture({ name, label, value }) {
  const sent = h("input", { type: "hidden", name });
  const [shown, icon] = [h("img", { height: 40, alt: label }), h("span")];
  const show = (url) => {
    const isPicture = url.startsWith("data:"); // not the name of an icon
    [sent.value, remove.hidden, shown.hidden, icon.textContent] = [url, !url, !isPicture, isPicture ? "" : url];
    if (isPicture) shown.src = url;
  };
  const file = h("input", { type: "file", accept: "image/*", onchange: () => file.files[0] && readFile(file.files[0], show) });
  const remove = button(say("Remove"), () => show(""));
  const { element } = field(label, "", file);
  element.append(sent, h("div", { class: "qk-line" }, shown, icon, remove));
  show(value);
  return element;
}

/** The place of a new key: it can be copied, and stays until it is dismissed. */
function makeSecret(words, dismiss) {
  const [code, copied] = [h("code", {}), h("span", { role: "status" })];
  const copy = () => copyText(code.textContent, copied, () => getSelection().selectAllChildren(code));
  return h("div", { class: "qk-stack qk-secret" }, h("p", {}, words), code, h("div", { class: "qk-line" }, button(say("Copy"), copy), button(say("Dismiss"), dismiss), copied));
}

function render(host) {
  let state = host.model.get("state");
  let asked = {}; // the last message, and the section that it came from
  let isLong = false;
  let parts = []; // of the backup
  const drawn = {};
  const { root, outbox, run } = makeWidget(host, "administration", say("Settings"), (isNow) => {
    isLong = isNow;
    draw();
  });

  function ask(id, message) {
    asked = { id, ask: message.ask };
    outbox.ask(message);
    draw();
  }

  function makeField(id, one) {
    if (one.type === "file") return makePicture(one);
    const { name, label, value = "", type = "text", choices, offers, ask: word, help } = one;
    const list = offers && h("datalist", { id: newId() }, ...offers.map((text) => h("option", { value: text })));
    const input = h(choices ? "select" : "input", { name, type: choices ? null : type, list: list?.id, spellcheck: "false" });
    if (choices) fill(input, choices, value);
    if (word) input.addEventListener("change", () => ask(id, { ask: word, [name]: input.value }));
    input.value = value;
    const { element } = field(label, "", input, help);
    element.append(list ?? "", type === "color" ? h("p", { class: "qk-warning", "data-color": name, role: "status" }) : "");
    return element;
  }

  function makeCell(id, cell) {
    if (typeof cell === "string") return h("td", {}, cell);
    if (!cell.choices) return h("td", {}, button(cell.label, () => ask(id, cell)));
    const select = h("select", { "aria-label": cell.label, onchange: () => ask(id, { ...cell, plan: select.value }) });
    fill(select, cell.choices, cell.plan);
    return h("td", {}, select);
  }

  function makeSection({ id, title, text, heading = [], rows = [], fields = [], secret, button: word }) {
    const [said, wrong] = [h("span", { role: "status" }), h("p", { class: "qk-error", role: "alert" })];
    const [bar, key] = [h("progress", { "aria-label": title }), secret && makeSecret(secret, () => ask(id, { ask: "dismiss key" }))];
    const lines = [h("tr", {}, ...heading.map((one) => h(one ? "th" : "td", {}, one))), ...rows.map((row) => h("tr", {}, ...row.map((cell) => makeCell(id, cell))))];
    const table = rows.length ? h("div", { class: "qk-table", tabindex: 0, role: "group", "aria-label": title }, h("table", {}, ...lines)) : null;
    const send = () => ask(id, { ask: id, ...Object.fromEntries(new FormData(form)) });
    const form = makeForm({ "aria-label": title }, send, ...fields.map((one) => makeField(id, one)), h("div", { class: "qk-line" }, h("button", { type: "submit" }, word), bar, said));
    return { element: h("section", { class: "qk-stack qk-box" }, h("h3", {}, title), h("p", { class: "qk-hint" }, text), table, key, form, wrong), said, wrong, key, bar };
  }

  function draw() {
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
      said.textContent = isAnswered && !wrong.textContent ? (SAID[asked.ask] ?? "") : "";
      if (key) [key.hidden, key.querySelector("code").textContent] = [!state.secret, state.secret];
      bar.hidden = id !== asked.id || !(isLong || parts.length);
      for (const one of drawn[id].element.querySelectorAll("[data-color]")) one.textContent = state.warnings[one.dataset.color] ?? "";
      if (parts.length) [bar.max, bar.value] = [state.file.bytes, new Blob(parts).size];
    }
  }

  function update(next, last) {
    state = next;
    if (state.file && state.file.number !== last.file?.number) outbox.ask({ ask: "part" });
    draw();
  }
  function hear(_, buffers) {
    parts.push(buffers[0]);
    const file = new Blob(parts);
    if (file.size < state.file.bytes && buffers[0].byteLength) return outbox.ask({ ask: "part" });
    save(state.file.name, file);
    parts = [];
    draw();
  }
  return run(update, hear);
}

export default { render };
