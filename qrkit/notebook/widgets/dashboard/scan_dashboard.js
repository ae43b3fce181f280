// What happened, in words and numbers; below, charts of scans; above, which scans they are about.

const KINDS = { scan: say("Scans"), bot: say("Bots"), prefetch: say("Link previews"), head: say("HEAD requests"), conversion: say("Conversions") };
const UNKNOWN = "unknown";
const COMPARE = { previous: say("Previous period"), year: say("Same days of the year before"), range: say("Own range"), campaigns: say("Campaigns side by side"), "": say("Nothing") };
const FILTERS = { campaign: say("Campaign"), campaigns: say("Campaigns"), qrcode: say("QR Code"), device: say("Device"), system: say("System"), country: say("Country"), tag: say("Tag") };
const FIGURES = { scans: "scans", visitors: "visitors", qrcodes: "codes" }; // the names of numbers in a report
const LOOK = 2_000; // milliseconds between two looks at the last hour
const PAUSE = 400; // milliseconds without a click until the answer in words is asked for

const countries = new Intl.DisplayNames([LANGUAGE], { type: "region", fallback: "code" });

/** The name of a value for people. */
function labelOf(name, label) {
  if (label === UNKNOWN) return say("Not known");
  if (name === "device") return say(capital(label));
  return name === "country" && /^[A-Z]{2}$/.test(label) ? countries.of(label) : label;
}

function render(host) {
  let state = host.model.get("state");
  let isLong = false;
  // The headline of the scans before stays until the one of those that are shown has come.
  const tellBusy = () => (busy.textContent = isLong || !state.answer ? say("Working…") : "");
  const { root, busy, outbox, run } = makeWidget(host, "dashboard", say("Scans"), (isNow) => {
    isLong = isNow;
    tellBusy();
  });
  let clock = null;
  const ask = (fields) => outbox.askTogether({ ask: "ask" }, fields);

  function day(label, name) {
    const input = h("input", { type: "date", onchange: () => ask({ [name]: input.value }) });
    const moved = h("p", { class: "qk-hint", role: "status" });
    const { element, tell } = field(label, name, input);
    element.append(moved);
    const update = () => {
      moved.textContent = state.moved.includes(name) ? say("Moved to the first day, which was later.") : "";
      tell(state.errors);
      if (!(name in state.errors) && outbox.isIdle()) input.value = state.asked[name];
    };
    return { element, update };
  }

  const days = [day(say("From"), "since"), day(say("To"), "until")];
  const range = [day(say("Compare from"), "compare_since"), day(say("Compare to"), "compare_until")];
  const ranges = state.periods.map(({ label }, at) => button(label, () => ask({ since: state.periods[at].since, until: state.periods[at].until })));
  const year = button(say("vs last year"), () => ask({ compare: state.asked.compare === "year" ? "previous" : "year" }));
  const campaign = h("select", { onchange: () => ask({ campaign: campaign.value }) });
  const compare = h("select", { onchange: () => ask({ compare: compare.value }) });
  fill(compare, Object.entries(COMPARE).map(([id, name]) => ({ id, name })));
  const kinds = makeBoxes(say("What counts"), (chosen) => ask({ kinds: chosen }));
  const compared = makeBoxes(say("Campaigns to compare (choose none for all)"), (chosen) => ask({ campaigns: chosen }));
  const wrong = h("p", { class: "qk-error", role: "alert" });
  const headline = h("h2", {});
  const lead = h("p", { class: "qk-hint" });
  const alerts = h("div", { class: "qk-alerts", role: "group", "aria-label": say("Alerts") });
  const tiles = h("div", { class: "qk-tiles" });
  const more = h("div", {});
  const versus = h("div", { class: "qk-table", tabindex: 0, role: "region", "aria-label": say("Campaigns side by side"), hidden: true });
  const findings = h("details", { class: "qk-findings", hidden: true }, h("summary", {}), more);
  const chips = h("div", { class: "qk-line qk-chips", role: "group", "aria-label": say("Filters") });
  const sheet = h("div", { class: "qk-charts" });
  const rankings = h("div", { class: "qk-rankings" });
  const filters = h(
    "div",
    { class: "qk-line qk-questions" },
    ...days.map((one) => one.element),
    field(say("Compare with"), "", compare).element, ...range.map((one) => one.element), compared.element, field(say("Campaign"), "", campaign).element, kinds.element, wrong,
  );
  const { toggle: filter, show: openFilters } = makeToggle(say("Filter"), filters);
  const live = button(say("Live"), () => follow(pulse.hidden), { "aria-pressed": "false" });
  const pulse = h("figure", { class: "qk-live", hidden: true });
  function follow(isOn) {
    clearInterval(clock);
    pulse.hidden = !isOn;
    live.setAttribute("aria-pressed", isOn);
    if (!isOn) return;
    const look = () => document.hidden || !outbox.isIdle() || outbox.ask({ ask: "live" });
    clock = setInterval(look, LOOK);
    look();
  }
  const reporting = button(say("Download report"), () => outbox.ask({ ask: "report" }), { title: say("These days and this campaign as a page; other filters do not count") });
  const bar = h("div", { class: "qk-line qk-chips qk-periods" }, h("div", { class: "qk-line", role: "group", "aria-label": say("Period") }, ...ranges), year, live, filter, reporting);
  root.append(bar, filters, chips, pulse, h("div", { class: "qk-answer" }, busy, h("div", { role: "status" }, headline), lead, alerts), tiles, versus, findings, h("div", { class: "qk-body" }, sheet, rankings));

  const isScans = () => state.asked.kinds.join() === "scan";
  const wordsOf = (name) => ({ scans: isScans() ? say("Scans") : say("Visits"), visitors: say("Visitors"), qrcodes: say("QR Codes scanned") })[name];

  /** How a number differs from that of the period it is compared with, until the report's own words are there. */
  function changeOf(count, before) {
    if (!before || count == null) return "";
    const change = Math.round((100 * (count - before)) / before);
    const share = (change / 100).toLocaleString(LANGUAGE, { style: "percent", signDisplay: "always" }).replace("-", "−");
    return change ? say("{share}, {before} before", null, { share, before }) : say("{before} before", null, { before });
  }

  function tile(name, number, what, change, { detail = "", sparkline = "" }) {
    const spark = h("div", { class: "qk-spark" });
    spark.innerHTML = sparkline; // drawn by qrkit out of numbers alone
    return h("div", { class: "qk-box qk-tile", "data-name": name }, h("p", {}, what), h("b", {}, number), h("p", {}, change), h("p", { class: "qk-hint" }, detail), spark);
  }

  function updateTiles() {
    const figures = Object.fromEntries((state.answer?.figures ?? []).map((one) => [one.name, one]));
    const shown = Object.entries(state.numbers).map(([name, count]) => {
      const figure = figures[FIGURES[name]] ?? {};
      const number = count == null ? "\u2013" : inFigures(count);
      return tile(name, number, wordsOf(name), figure.change || changeOf(count, state.before?.[name]), figure);
    });
    const { busiest } = figures;
    tiles.replaceChildren(...shown, ...(busiest ? [tile("busiest", busiest.number, busiest.what, "", busiest)] : []));
  }

  /** The words of the answer before stay, greyed, until those about the scans that are shown have come. */
  function updateAnswer() {
    root.classList.toggle("qk-untold", !state.answer);
    tellBusy();
    if (!state.answer) return;
    const isNarrowed = state.filters.length || state.asked.since || state.asked.until;
    const [finding, rest] = [state.answer.headline, state.answer.lead].filter(Boolean);
    const none = isNarrowed ? [say("No scans match these filters")] : [say("No scans yet"), say("Scans appear here as soon as somebody scans a tracked QR Code.")];
    const [first = "", second = ""] = finding || state.numbers.scans !== 0 ? [finding, rest] : none;
    headline.textContent = first;
    lead.textContent = second;
    alerts.replaceChildren(...state.answer.alerts.map((sentence) => h("p", {}, sentence)));
    more.replaceChildren(...state.answer.findings.map((sentence) => h("p", {}, sentence)));
    findings.hidden = !state.answer.findings.length;
    versus.innerHTML = state.answer.compared; // written by qrkit, which escapes the names in it
    versus.hidden = !state.answer.compared;
    findings.firstChild.textContent = say("More findings ({number})", null, { number: state.answer.findings.length });
  }

  const chip = (label, what, fields) =>
    button(`${say("{field}: {rule}", null, { field: label, rule: what })} ×`, () => ask(fields), { "aria-label": say("Remove filter {label}: {what}", null, { label, what }) });

  /** What narrows the scans, apart from the period that a button shows. */
  function chipsOf({ since, until, kinds }, isPeriod) {
    const own = isPeriod ? [] : [chip(say("Days"), [since, until].map((day) => (day ? asDay(day) : "…")).join(" – "), { since: "", until: "" })];
    if (!isScans()) own.push(chip(say("What counts"), kinds.map((kind) => KINDS[kind]).join(", "), { kinds: ["scan"] }));
    return [...own, ...state.filters.map(({ name, label }) => chip(FILTERS[name], labelOf(name, label), { [name]: "" }))];
  }

  /** Bars are buttons: one filters everything by its value, and once more takes the filter away. */
  function ranking({ name, title, rows }) {
    // What is not known comes last, and has no bar: it would make those of all known values short.
    const known = rows.filter((one) => one.value !== UNKNOWN);
    const most = Math.max(1, ...known.map((one) => one.scans));
    const ordered = [...known, ...rows.filter((one) => one.value === UNKNOWN)];
    const chosen = state.asked[name];
    const items = ordered.map((one) => {
      const label = labelOf(name, one.label);
      const isOn = one.value === chosen;
      const fill = h("span", { class: "qk-fill", hidden: one.value === UNKNOWN, style: `width:${(100 * one.scans) / most}%;background:var(--color-${one.color})` });
      const parts = [h("span", { class: "qk-pick-label" }, label), h("span", { class: "qk-track" }, fill), h("span", { class: "qk-count" }, inFigures(one.scans))];
      const attributes = { class: "qk-pick", "data-key": `${name} ${one.value}`, "aria-pressed": isOn, title: isOn ? say("Show all") : say("Show only {label}", null, { label }) };
      return h("li", {}, button(parts, () => ask({ [name]: isOn ? "" : one.value }), attributes));
    });
    return h("section", { class: chosen ? "qk-box qk-chosen" : "qk-box", "aria-label": title }, h("h3", {}, title), h("ul", {}, ...items));
  }

  function figure({ title, svg, is_wide: isWide }) {
    const isOpen = state.table?.title === title;
    const table = button(say("Table"), () => outbox.ask({ ask: "table", title: isOpen ? "" : title }), { "aria-expanded": isOpen, "aria-label": say("Table of {title}", null, { title }) });
    const save = h("a", { href: `data:image/svg+xml,${encodeURIComponent(svg)}`, download: `${title}.svg`, "aria-label": say("Save {title}", null, { title }), "data-lm-suppress-shortcuts": "true" }, say("Save"));
    const made = h("figure", { class: isWide ? "qk-box qk-wide" : "qk-box" }, h("figcaption", { class: "qk-line" }, h("span", {}, title), table, save));
    made.insertAdjacentHTML("beforeend", svg); // drawn by qrkit, which escapes the names in it
    if (!isOpen) return made;
    const rows = h("div", { class: "qk-table", tabindex: 0, role: "region", "aria-label": title });
    rows.innerHTML = state.table.html; // written by pandas, which escapes likewise
    made.append(rows);
    return made;
  }

  function updateChoices(asked) {
    fill(campaign, [{ id: "", name: say("All campaigns") }, ...state.campaigns], asked.campaign);
    compare.value = asked.compare;
    kinds.update(state.kinds.map((id) => ({ id, name: KINDS[id] })), asked.kinds);
    compared.update(state.campaigns, asked.campaigns);
  }

  let shown = "";
  function update(next) {
    state = next;
    const { asked, errors } = state;
    for (const one of [...days, ...range]) one.update();
    // What hands have chosen since this answer was asked for stays.
    if (outbox.isIdle()) updateChoices(asked);
    for (const one of range) one.element.hidden = asked.compare !== "range";
    compared.element.hidden = asked.compare !== "campaigns";
    const at = state.periods.findIndex((one) => one.since === asked.since && one.until === asked.until);
    ranges.forEach((button, place) => button.setAttribute("aria-pressed", place === at));
    year.setAttribute("aria-pressed", asked.compare === "year");
    if (Object.keys(errors).length) openFilters(true);
    wrong.textContent = errors.kinds ?? errors.campaign ?? errors.qrcode ?? errors[""] ?? "";
    updateAnswer();
    updateTiles();
    if (state.live) pulse.innerHTML = `<figcaption>${state.live.title}</figcaption>${state.live.svg}`; // numbers alone
    chips.replaceChildren(...chipsOf(asked, at >= 0));
    const now = JSON.stringify([state.charts, state.bars, asked, state.table]);
    if (now === shown) return;
    shown = now;
    sheet.replaceChildren(...state.charts.map(figure));
    keepFocus(rankings, () => rankings.replaceChildren(...state.bars.filter((one) => one.rows.length).map(ranking)));
  }

  // Who clicks on does not wait for sentences about scans that are not asked for any more.
  let pause = null;
  function tellSoon() {
    clearTimeout(pause);
    if (!state.answer) pause = setTimeout(() => outbox.isIdle() && outbox.ask({ ask: "tell" }), PAUSE);
  }
  let asked = "";
  const sizes = new ResizeObserver(() => {
    const rooms = [sheet.clientWidth, Number.parseFloat(getComputedStyle(sheet).gridTemplateColumns)]; // all columns, the first
    if (!rooms.every((room) => room > 0)) return;
    const [width, narrow] = rooms.map((room) => state.widths.filter((one) => one <= room).at(-1) ?? state.widths[0]);
    if (`${width} ${narrow}` === asked) return;
    asked = `${width} ${narrow}`;
    outbox.ask({ ask: "width", width, narrow });
  });
  sizes.observe(root);
  const draw = (next) => {
    update(next);
    tellSoon();
  };
  const hear = (message, buffers) => save(message.name, buffers[0]);
  return run(draw, hear, () => sizes.disconnect(), () => clearTimeout(pause), () => clearInterval(clock));
}

export default { render };
