// A file that is looked at before its QR Codes or visits are added.

const MAPPED = { Content: say("Content"), "QR Code Name": say("Name"), "Campaign Name": say("Campaign") };
const IDENTIFYING = { name: say("Name"), short_url: say("Short URL") };

/** browser: { ask(message) }. The first rows of a file, which of its columns are read as what, and what is wrong with it. */
function makeFileImport(browser) {
  const title = h("h3", {});
  const selects = Object.keys(MAPPED).map((ours) => h("select", { "data-ours": ours, onchange: () => check({ columns: given() }) }));
  const names = h("datalist", { id: newId() });
  const choose = { onchange: () => check({}) };
  const choices = { campaign: h("input", { type: "text", list: names.id, ...choose }), update_by: h("select", choose), code: h("input", { type: "text", ...choose }) };
  const rows = {
    campaign: field(say("Put into campaign"), "", choices.campaign, say("For rows without a campaign. A new name makes a new campaign.")).element,
    update_by: field(say("Match existing codes by"), "", choices.update_by, say("A row with the same value as an existing code updates that code. All other rows add codes.")).element,
    code: field(say("QR Code for all visits"), "", choices.code, say("Its short URL, if the file does not contain it.")).element,
  };
  const columns = h("div", { class: "qk-stack qk-asked" }, ...selects.map((one) => field(MAPPED[one.dataset.ours], "", one).element));
  const told = h("div", { role: "status" });
  const table = h("table", { style: "white-space:nowrap" });
  const add = button("", () => browser.ask({ ask: "import" }), { class: "qk-primary" });
  const element = h(
    "section",
    { class: "qk-stack qk-form", "aria-label": say("Import"), hidden: true },
    title, columns, ...Object.values(rows), names, told, h("div", { class: "qk-table", tabindex: 0, role: "region", "aria-label": say("First rows") }, table),
    h("div", { class: "qk-line" }, add, button(say("Cancel"), () => browser.ask({ ask: "close import" }))),
  );
  let file = null;
  function given() {
    const chosen = { ...file.columns, ...Object.fromEntries(selects.map((one) => [one.dataset.ours, one.value])) };
    return Object.fromEntries(Object.entries(chosen).filter(([, theirs]) => theirs));
  }
  function check(changed) {
    const chosen = Object.fromEntries(Object.entries(choices).map(([name, one]) => [name, one.value]));
    browser.ask({ ask: "check import", ...chosen, ...changed });
  }
  function update(state) {
    element.hidden = !state.file;
    if (!state.file || JSON.stringify(state.file) === JSON.stringify(file)) return;
    file = state.file;
    const { name, heading, has_scans: hasScans, identifying, sentence = "", issues = [], more, shown = [], rows: first = [] } = file;
    title.textContent = say("Import {name}", null, { name });
    columns.hidden = !heading.length;
    for (const one of selects) fill(one, [{ id: "", name: say("None") }, ...named(heading)], file.columns[one.dataset.ours] ?? "");
    fill(choices.update_by, [{ id: "", name: say("Do not match; add all rows") }, ...identifying.map((id) => ({ id, name: IDENTIFYING[id] ?? id }))]);
    for (const [choice, one] of Object.entries(choices)) one.value = file[choice];
    [rows.campaign.hidden, rows.update_by.hidden, rows.code.hidden] = [hasScans, !identifying.length, !hasScans];
    names.replaceChildren(...state.campaigns.map((one) => h("option", { value: one.name })));
    const rest = more ? [say(["There is something to know about {count} more row.", "There is something to know about {count} more rows."], more)] : [];
    told.replaceChildren(h("b", {}, sentence), ...[...issues, ...rest].map((text) => h("p", {}, text)));
    const heads = first.length ? [say("Row"), ...shown.map((one) => MAPPED[one] ?? one), say("What to know")] : [];
    table.replaceChildren(h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text))), ...first.map((row) => h("tr", {}, ...row.map((text) => h("td", {}, text)))));
    add.textContent = file.button ?? say("Import");
    add.disabled = !file.count;
  }
  return { element, update };
}
