// A file that is looked at before its QR Codes are added.

const MAPPED = { Content: say("Content"), "QR Code Name": say("Name"), "Campaign Name": say("Campaign") };

/** browser: { ask(message) }. The first rows of a file, which of its columns are read as what, and what is wrong with it. */
function makeFileImport(browser) {
  const title = h("h3", {});
  const selects = Object.keys(MAPPED).map((ours) => h("select", { "data-ours": ours, onchange: () => check({ columns: given() }) }));
  const names = h("datalist", { id: newId() });
  const campaign = h("input", { type: "text", list: names.id, onchange: () => check({}) });
  const into = field(say("Put into campaign"), "", campaign, say("For rows without a campaign. A new name makes a new campaign.")).element;
  const columns = h("div", { class: "qk-stack qk-asked" }, ...selects.map((one) => field(MAPPED[one.dataset.ours], "", one).element));
  const told = h("div", { role: "status" });
  const table = h("table", { style: "white-space:nowrap" });
  const add = button("", () => browser.ask({ ask: "import" }), { class: "qk-primary" });
  const element = h(
    "section",
    { class: "qk-stack qk-form", "aria-label": say("Import"), hidden: true },
    title, columns, into, names, told, h("div", { class: "qk-table", tabindex: 0, role: "region", "aria-label": say("First rows") }, table),
    h("div", { class: "qk-line" }, add, button(say("Cancel"), () => browser.ask({ ask: "close import" }))),
  );
  let file = null;
  function given() {
    const chosen = { ...file.columns, ...Object.fromEntries(selects.map((one) => [one.dataset.ours, one.value])) };
    return Object.fromEntries(Object.entries(chosen).filter(([, theirs]) => theirs));
  }
  function check(changed) {
    browser.ask({ ask: "check import", campaign: campaign.value, ...changed });
  }
  function update(state) {
    element.hidden = !state.file;
    if (!state.file || JSON.stringify(state.file) === JSON.stringify(file)) return;
    file = state.file;
    const { name, heading, created, issues = [], more, shown = [], rows = [] } = file;
    title.textContent = say("Import {name}", null, { name });
    columns.hidden = !heading.length;
    for (const one of selects) fill(one, [{ id: "", name: say("None") }, ...named(heading)], file.columns[one.dataset.ours] ?? "");
    campaign.value = file.campaign;
    names.replaceChildren(...state.campaigns.map((one) => h("option", { value: one.name })));
    const sum = created == null ? "" : say("{codes} will be added.", null, { codes: plural(created) });
    const rest = more ? [say(["There is something to know about {count} more row.", "There is something to know about {count} more rows."], more)] : [];
    told.replaceChildren(h("b", {}, sum), ...[...issues, ...rest].map((text) => h("p", {}, text)));
    const heads = rows.length ? [say("Row"), ...shown.map((one) => MAPPED[one] ?? one), say("What to know")] : [];
    table.replaceChildren(h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text))), ...rows.map((row) => h("tr", {}, ...row.map((text) => h("td", {}, text)))));
    add.textContent = created == null ? say("Import") : say("Import {name}", null, { name: plural(created) });
    add.disabled = !created;
  }
  return { element, update };
}
