// A file that is looked at before its QR Codes or visits are added.

const MAPPED = { Content: say("Content"), "QR Code Name": say("Name"), "Campaign Name": say("Campaign"), "Trackable URL": say("Short URL") };
const NOTE = "white-space:normal;width:clamp(11em,30vw,26em)";
const IDENTIFYING = { name: say("Name"), short_url: say("Short URL") };

/** browser: { ask(message) }. The first rows of a file, which of its columns are read as what, and what is wrong with it. */
function makeFileImport(browser) {
  const title = h("h3", {});
  const selects = Object.keys(MAPPED).map((ours) => h("select", { "data-ours": ours, onchange: () => check({ columns: given() }) }));
  const names = h("datalist", { id: newId() });
  const choose = { onchange: () => check({}) };
  const choices = { campaign: h("input", { type: "text", list: names.id, ...choose }), update_by: h("select", choose), old_base_url: h("input", { type: "url", ...choose }), code: h("input", { type: "text", ...choose }) };
  const rows = {
    campaign: field(say("Put into campaign"), "import.campaign", choices.campaign, say("For rows without a campaign. A new name makes a new campaign.")),
    update_by: field(say("Match existing codes by"), "import.update_by", choices.update_by, say("A row with the same value as an existing code updates that code. All other rows add codes.")),
    old_base_url: field(say("Old base URL"), "import.old_base_url", choices.old_base_url, say("What the printed short URLs begin with, if that is more than a host, such as https://old.example.com/qr.")),
    code: field(say("QR Code for all visits"), "import.code", choices.code, say("Its short URL, if the file does not contain it.")),
  };
  const columns = h("div", { class: "qk-stack qk-asked" }, ...selects.map((one) => field(MAPPED[one.dataset.ours], "", one).element));
  const settings = h("div", { class: "qk-stack qk-settings" }, ...Object.values(rows).map((one) => one.element));
  const told = h("div", { role: "status" });
  const table = h("table", { style: "white-space:nowrap" });
  const add = button("", () => browser.ask({ ask: "import" }), { class: "qk-primary" });
  const element = h(
    "section",
    { class: "qk-stack qk-form", "aria-label": say("Import"), hidden: true },
    title, columns, settings, names, told, h("div", { class: "qk-table", tabindex: 0, role: "region", "aria-label": say("First rows") }, table),
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
    for (const row of Object.values(rows)) row.tell(state.errors);
    if (!state.file || JSON.stringify(state.file) === JSON.stringify(file)) return;
    file = state.file;
    const { name, heading, has_scans: hasScans, identifying, sentence = "", issues = [], more, shown = [], rows: first = [] } = file;
    title.textContent = say("Import {name}", null, { name });
    columns.hidden = !heading.length;
    for (const one of selects) fill(one, [{ id: "", name: say("None") }, ...named(heading)], file.columns[one.dataset.ours] ?? "");
    fill(choices.update_by, [{ id: "", name: say("Do not match; add all rows") }, ...identifying.map((id) => ({ id, name: IDENTIFYING[id] ?? id }))]);
    for (const [choice, one] of Object.entries(choices)) one.value = file[choice];
    const hidden = { campaign: hasScans, update_by: !identifying.length, old_base_url: !identifying.includes("short_url"), code: !hasScans };
    for (const [choice, row] of Object.entries(rows)) row.element.hidden = hidden[choice];
    names.replaceChildren(...state.campaigns.map((one) => h("option", { value: one.name })));
    const rest = more ? [say(["Notes on {count} more row are not shown.", "Notes on {count} more rows are not shown."], more)] : [];
    told.replaceChildren(h("b", {}, sentence), ...[...issues, ...rest].map((text) => h("p", {}, text)));
    // Notes come first, so that nobody has to scroll past the columns to see them, and leave room for the columns.
    const heads = first.length ? [say("Row"), say("Notes"), ...shown.map((one) => MAPPED[one] ?? one)] : [];
    const hasNotes = first.some(([, note]) => note);
    const line = (kind, cells) => h("tr", {}, ...cells.map((text, place) => h(kind, kind === "th" ? { scope: "col" } : {}, place === 1 ? h("div", { style: NOTE }, text) : text)).filter((_, place) => hasNotes || place !== 1));
    table.replaceChildren(line("th", heads), ...first.map((cells) => line("td", cells)));
    add.textContent = file.button ?? say("Import");
    add.disabled = !file.count;
  }
  return { element, update };
}
