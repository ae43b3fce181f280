// The codes of a portfolio as a list, and beside it the one that is chosen, a new one, or what many of them get.

const TYPING = 30; // milliseconds after the last key until the list is asked for anew

const MOST_BYTES = 5_000_000; // of a spreadsheet; a notebook's messages are no longer than ten million

const COLUMNS = "qrkit columns";
const HEADS = { name: say("Name"), campaign: say("Campaign"), tags: say("Tags"), scans: say("Scans"), "last scan": say("Last scan") };
const ONLY = { "": say("All"), silent: say("Silent"), unscanned: say("Unscanned") };

/** What the numbers of a row count: the words of a row, and those that explain them. */
function countWords(code) {
  if (code.scans == null) return [say("not in your plan")];
  if (!code.is_counted) return [say("not counted"), say("This code leads to its content without a short URL, so scans cannot be counted.")];
  return [inFigures(code.scans), say(["{count} scan since {day}", "{count} scans since {day}"], code.scans, { day: asDay(code.since) })];
}

/** A day as people say it: today, yesterday, 3 days ago; long ago, its date. */
function agoWords(day, today) {
  const ago = Math.round((Date.parse(today) - Date.parse(day)) / 86_400_000);
  return ago > 60 ? asDay(day) : new Intl.RelativeTimeFormat(LANGUAGE, { numeric: "auto" }).format(-ago, "day");
}

/** The columns that the page remembers; null if there are none, or nothing may be kept. */
function keptColumns() {
  try {
    return JSON.parse(localStorage.getItem(COLUMNS));
  } catch {
    return null;
  }
}

function render(host) {
  const { model } = host;
  let state = model.get("state");
  let form = ""; // which form is open beside the list: "new", "together", "print", or none
  const { root, busy, outbox: browser, run } = makeWidget(host, "browser", say("Portfolio"));

  // ---- Above the list
  const words = h("input", { type: "search", id: newId(), placeholder: say("Name, content, or location") });
  const campaign = h("select", { id: newId() });
  const total = h("span", { role: "status", class: "qk-total" });
  const reload = tool("↻", say("Reload portfolio"), () => browser.ask({ ask: "reload" }));
  const add = button(say("New QR Code"), () => open("new"), { class: "qk-primary" });
  const file = h("input", { type: "file", class: "qk-unseen", tabindex: -1, "aria-label": say("Spreadsheet"), onchange: sendFile });
  const load = () => button(say("Import a spreadsheet"), () => file.click());
  const only = Object.entries(ONLY).map(([value, name]) => button(name, () => browser.askTogether({ ask: "filter", only: value }), { "data-only": value }));
  const bar = h(
    "div",
    { class: "qk-line qk-filters" },
    h("div", { class: "qk-set" }, h("label", { for: words.id }, say("Search")), words),
    h("div", { class: "qk-set" }, h("label", { for: campaign.id }, say("Campaign")), campaign, reload),
    file, load(), add,
  );
  const chips = h("div", { class: "qk-line qk-filters" }, h("div", { class: "qk-line qk-chips", role: "group", "aria-label": say("Show") }, ...only), total);
  const columns = makeBoxes(say("Columns"), (names) => {
    browser.ask({ ask: "columns", names });
    try {
      localStorage.setItem(COLUMNS, JSON.stringify(names));
    } catch {} // a page in a sandbox keeps nothing
  });
  const choice = h("details", { class: "qk-part qk-columns" }, h("summary", {}, say("Columns")), columns.element);
  const said = h("span", { role: "status" });
  const undo = button("", () => browser.ask({ ask: "undo" }));
  const notice = h("div", { class: "qk-line qk-notice" }, said, undo);
  const wrong = h("p", { class: "qk-error qk-general", role: "alert" });

  // ---- The list
  const { input: page, element: pageBox } = checkbox(say("Select page"), () => browser.ask({ ask: "select", ids: state.rows.map((one) => one.id), is_on: page.checked }));
  const selected = h("span", { role: "status" });
  const all = button("", () => browser.ask({ ask: "select", is_on: true }));
  const edit = button(say("Edit together"), () => open("together"));
  const print = button(say("Download for print"), () => open("print"));
  const remove = button(say("Delete"), () => browser.ask({ ask: "delete", are_selected: true }), { class: "qk-delete", "aria-label": say("Delete selected") });
  const why = h("span", { class: "qk-hint" }, say("Select QR Codes one by one or by page to delete them"));
  const none = button(say("Clear selection"), () => browser.ask({ ask: "select", is_on: false }));
  const selection = h("div", { class: "qk-line qk-selection" }, pageBox, selected, all, edit, print, remove, why, none);
  const heads = h("div", { class: "qk-cells qk-heads", role: "group", "aria-label": say("Sort by") });
  const list = h("ul", { class: "qk-codes", "aria-label": say("QR Codes") });
  const turn = (by) => browser.ask({ ask: "page", page: state.page + by });
  const [before, after] = [tool("‹", say("Previous page"), () => turn(-1), { class: "qk-icon" }), tool("›", say("Next page"), () => turn(1), { class: "qk-icon" })];
  const place = h("span", {});
  const pager = h("div", { class: "qk-line qk-pager" }, before, place, after);
  const nothing = h("p", {});
  const begin = h("div", { class: "qk-line" }, button(say("Make the first code"), () => open("new"), { class: "qk-primary" }), load());
  const empty = h("div", { class: "qk-stack qk-empty" }, nothing, begin);

  // ---- Beside it
  const close = () => open("");
  const editor = makeEditor(browser, model.get("rule_form"));
  const parts = { editor, new: makeNewForm(browser, close), together: makeTogetherForm(browser, close), print: makePrintForm(browser, model.get("print_form"), close) };
  const studio = makeStudioPlace(model, browser);
  const importing = makeFileImport(browser);
  const side = h("div", { class: "qk-side" }, ...Object.values(parts).map((one) => one.element));
  const split = h("div", { class: "qk-stack qk-split" }, h("div", {}, selection, heads, list, empty, pager, busy), side);
  root.append(bar, chips, choice, notice, wrong, studio.element, importing.element, split);

  function open(name) {
    form = name;
    draw();
    if (!name) return;
    parts[name].open(state);
    side.scrollIntoView({ block: "nearest" });
  }

  function sendFile() {
    const [chosen] = file.files;
    const isLarge = chosen?.size > MOST_BYTES;
    wrong.textContent = isLarge ? say("A page imports up to {megabytes} MB. Use “qrkit import” for larger files.", null, { megabytes: MOST_BYTES / 1e6 }) : "";
    if (chosen && !isLarge) readFile(chosen, (url) => browser.ask({ ask: "check import", name: chosen.name, url }));
    file.value = "";
  }

  let typing = null;
  words.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => browser.askTogether({ ask: "filter", words: words.value }), TYPING);
  });
  campaign.addEventListener("change", () => browser.askTogether({ ask: "filter", campaign: campaign.value }));

  // Arrows go through the list, letters go to the search.
  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const picks = [...list.querySelectorAll(".qk-pick")];
    const here = picks.findIndex((one) => one.parentElement.contains(document.activeElement));
    const places = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: picks.length - 1 };
    if (event.key in places) {
      event.preventDefault();
      const to = places[event.key];
      (to < 0 ? words : picks[Math.min(to, picks.length - 1)])?.focus();
    } else if (event.key.length === 1 && event.key !== " ") words.focus();
  }
  list.addEventListener("keydown", onKey);
  words.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    list.querySelector(".qk-pick")?.focus();
  });

  function row(code) {
    const picture = h("img", { class: "qk-thumb", src: code.picture || null, alt: "", hidden: !code.picture });
    const spark = h("span", { class: "qk-cell qk-spark", title: say(["{count} scan in the last 30 days", "{count} scans in the last 30 days"], code.recent) });
    if (code.recent) spark.innerHTML = code.sparkline; // drawn by qrkit out of numbers alone
    const text = h("span", { class: "qk-code-text" }, h("b", {}, code.name), h("span", { class: "qk-hint" }, code.content), h("span", { class: "qk-hint qk-small" }, code.campaign));
    const others = code.cells.map((one) => h("span", { class: "qk-cell" }, one));
    const [count, title] = countWords(code);
    const imported = code.imported ? h("span", { class: "qk-hint" }, say("and {count} imported", code.imported)) : null;
    const scans = h("span", { class: "qk-scans", title }, h("b", {}, count), imported);
    const last = h("span", { class: "qk-hint", title: code.last && asDay(code.last) }, code.last && agoWords(code.last, state.today));
    const isChosen = code.id === state.chosen?.id;
    const tick = h("input", { type: "checkbox", "aria-label": say("Select {name}", null, { name: code.name }), "data-key": `tick ${code.id}`, checked: code.is_selected, onchange: () => browser.ask({ ask: "select", ids: [code.id], is_on: tick.checked }) });
    const choose = () => {
      form = "";
      browser.ask({ ask: "choose", id: code.id });
    };
    return h("li", {}, tick, button([picture, text, ...others, spark, scans, last], choose, { class: "qk-cells qk-pick", "data-key": code.id, "aria-current": isChosen }));
  }

  /** A head of a column: the first click sorts, numbers and days from the last; the next turns it around, the third ends it. */
  const nameOf = (order) => HEADS[order] ?? order.slice("field:".length);
  function head(order, attributes = {}) {
    const ways = ["scans", "last scan"].includes(order) ? [`-${order}`, order] : [order, `-${order}`];
    const way = ways.indexOf(state.order);
    const arrow = way < 0 ? "↕" : state.order.startsWith("-") ? "↓" : "↑";
    const sort = () => browser.askTogether({ ask: "filter", order: ways[way + 1] ?? "added" });
    return button(`${nameOf(order)} ${arrow}`, sort, { "data-key": order, "aria-pressed": way >= 0, ...attributes });
  }

  /** Columns that people name stand between name and scans; those of the picture and of the sparkline have no head. */
  function updateHeads() {
    const own = state.columns.map((id) => head(id, { class: "qk-cell" }));
    heads.replaceChildren(h("span"), head("name"), ...own, h("span", { class: "qk-cell" }), head("scans"), head("last scan"));
    heads.hidden = !state.rows.length;
    columns.update(state.all_columns.map((id) => ({ id, name: nameOf(id) })), state.columns);
    root.style.setProperty("--qk-count", own.length);
  }

  let drawn = "";
  function updateList() {
    const now = JSON.stringify([state.rows, state.chosen?.id, state.order, state.columns, state.all_columns]);
    if (now === drawn) return;
    drawn = now;
    keepFocus(split, () => {
      updateHeads();
      list.replaceChildren(...state.rows.map(row));
    });
  }

  const isNarrowed = () => Boolean(state.words || state.campaign || state.only);

  function updateSelection() {
    page.checked = state.rows.length > 0 && state.rows.every((one) => one.is_selected);
    page.disabled = !state.rows.length;
    for (const one of [edit, print, remove, none, selected]) one.hidden = !state.selected;
    selected.textContent = say("{count} selected", state.selected);
    remove.disabled = state.has_all;
    why.hidden = !state.has_all;
    all.hidden = state.has_all || state.total <= state.rows.length;
    all.textContent = isNarrowed() ? say("Select all {count} that match", state.total) : say("Select all {count}", state.total);
  }

  function draw() {
    updateList();
    updateSelection();
    fill(campaign, [{ id: "", name: say("All campaigns") }, ...state.campaigns], state.campaign);
    if (document.activeElement !== words) words.value = state.words;
    total.textContent = plural(state.total);
    for (const one of only) one.setAttribute("aria-pressed", one.dataset.only === state.only);
    selection.hidden = !state.total;
    empty.hidden = !selection.hidden;
    begin.hidden = isNarrowed();
    chips.hidden = !state.total && !isNarrowed();
    nothing.textContent = isNarrowed() ? say("No QR Code matches. Try fewer words, or all campaigns.") : say("This portfolio has no QR Codes yet.");
    pager.hidden = state.pages < 2;
    place.textContent = say("Page {page} of {pages}", null, { page: state.page + 1, pages: state.pages });
    before.disabled = state.page === 0;
    after.disabled = state.page + 1 >= state.pages;
    if (["together", "print"].includes(form) && !state.selected) form = "";
    const shown = form || (state.chosen ? "editor" : "");
    for (const [name, one] of Object.entries(parts)) one.element.hidden = name !== shown;
    split.hidden = bar.hidden = Boolean(state.studio || state.file);
    chips.hidden ||= split.hidden;
    choice.hidden = split.hidden || !state.rows.length || state.all_columns.length < 2;
    root.classList.toggle("qk-editing", Boolean(shown));
    for (const one of [...Object.values(parts), studio, importing]) one.update(state);
    said.textContent = state.said || (state.undoable?.said ?? "");
    undo.textContent = state.undoable?.button ?? "";
    undo.hidden = !state.undoable;
    notice.hidden = !said.textContent;
    wrong.textContent = capital(state.errors[""] ?? "");
  }

  function update(next, last) {
    state = next;
    if (state.saved !== last.saved) form = "";
    draw();
    // Pictures come after the rows, a few at a time, so that the list answers at once.
    if (browser.isIdle() && state.rows.some((one) => one.picture === null)) browser.ask({ ask: "draw" });
  }
  const hear = (message, buffers) => (message.name === "labels.svg" ? parts.print.show(buffers[0]) : save(message.name, buffers[0]));
  const end = run(update, hear, studio.clear, editor.clear, () => clearTimeout(typing));
  const kept = keptColumns();
  if (kept) browser.ask({ ask: "columns", names: kept });
  return end;
}

export default { render };
