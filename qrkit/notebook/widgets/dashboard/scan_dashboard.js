// Charts of scans, and above them which scans they show.

const KINDS = { scan: "Scans", bot: "Bots", prefetch: "Link previews", head: "HEAD requests" };
const UNKNOWN = "unknown";
const COMPARE = { previous: "Previous period", year: "Same days of the year before", range: "Own range", "": "Nothing" };
const FILTERS = { campaign: "Campaign", qrcode: "QR Code", device: "Device", system: "System", country: "Country", tag: "Tag" };
const DAY = 86_400_000; // milliseconds

const countries = new Intl.DisplayNames(["en"], { type: "region", fallback: "code" });

/** The name of a value for people. */
function labelOf(name, label) {
  if (label === UNKNOWN) return "Not known";
  if (name === "device") return label.charAt(0).toUpperCase() + label.slice(1);
  return name === "country" && /^[A-Z]{2}$/.test(label) ? countries.of(label) : label;
}

function render({ model, el }) {
  let state = model.get("state");
  const busy = h("p", { class: "qk-busy", role: "status" });
  const outbox = makeOutbox(model, (isLong) => (busy.textContent = isLong ? "Waiting for the kernel…" : ""), (isAway) => root.classList.toggle("qk-asking", isAway));
  const ask = (fields) => outbox.askTogether({ ask: "ask", fields });

  function day(label, name) {
    const error = h("p", { class: "qk-error", id: newId(), hidden: true });
    const input = h("input", { type: "date", id: newId(), "aria-describedby": error.id, onchange: () => ask({ [name]: input.value }) });
    const element = h("div", { class: "qk-row" }, h("label", { class: "qk-label", for: input.id }, label), input, error);
    const update = () => {
      error.textContent = state.errors[name] ?? "";
      error.hidden = !error.textContent;
      input.setAttribute("aria-invalid", !error.hidden);
      if (error.hidden && outbox.isIdle()) input.value = state.asked[name];
    };
    return { element, update };
  }

  const days = [day("From", "since"), day("To", "until")];
  const range = [day("Compare from", "compare_since"), day("Compare to", "compare_until")];
  const since = (count) => new Date(Date.parse(state.today) - (count - 1) * DAY).toISOString().slice(0, 10);
  const choose = (count) => ask(count ? { since: since(count), until: state.today } : { since: "", until: "" });
  const ranges = [...state.ranges, 0].map((count) => h("button", { type: "button", "data-days": count, onclick: () => choose(count) }, count ? `Last ${count} days` : "All time"));
  const campaign = h("select", { id: newId(), onchange: () => ask({ campaign: campaign.value }) });
  const compare = h("select", { id: newId(), onchange: () => ask({ compare: compare.value }) });
  compare.append(...Object.entries(COMPARE).map(([value, text]) => h("option", { value }, text)));
  const boxes = state.kinds.map((kind) => {
    const input = h("input", { type: "checkbox", id: newId(), value: kind, onchange: () => ask({ kinds: boxes.filter((box) => box.input.checked).map((box) => box.input.value) }) });
    return { input, element: h("div", { class: "qk-check" }, input, h("label", { for: input.id }, KINDS[kind] ?? kind)) };
  });
  const wrong = h("p", { class: "qk-error", role: "alert", hidden: true });
  const hint = h("p", { class: "qk-hint" });
  const numbers = h("p", { class: "qk-numbers", role: "status" });
  const chips = h("div", { class: "qk-chips", role: "group", "aria-label": "Filters" });
  const told = h("div", { class: "qk-told" });
  const sheet = h("div", { class: "qk-charts" });
  const rankings = h("div", { class: "qk-rankings" });
  const row = (label, input) => h("div", { class: "qk-row" }, h("label", { class: "qk-label", for: input.id }, label), input);
  const bar = h(
    "div",
    { class: "qk-questions" },
    ...days.map((one) => one.element),
    h("div", { class: "qk-buttons", role: "group", "aria-label": "Date range" }, ...ranges),
    row("Compare with", compare), ...range.map((one) => one.element), row("Campaign", campaign),
    h("fieldset", { class: "qk-kinds" }, h("legend", {}, "Visits to include"), ...boxes.map((box) => box.element), wrong),
  );
  const root = h("div", { class: "qrkit-widget qrkit-dashboard", role: "region", "aria-label": "Scans" }, bar, hint, numbers, told, chips, sheet, rankings, busy);
  el.append(root);

  const isScans = () => state.asked.kinds.join() === "scan";
  const named = (name, count) => {
    const many = count === 1 ? "" : "s";
    return { scans: `${isScans() ? "scan" : "visit"}${many}`, visitors: `visitor${many}`, qrcodes: `QR Code${many} scanned` }[name] ?? name;
  };

  /** A number, and how it differs from that of the period it is compared with. */
  function number([name, count]) {
    const before = state.before?.[name];
    const change = before ? Math.round((100 * (count - before)) / before) : null;
    const sign = change > 0 ? "+" : "−";
    const told = before == null ? "" : ` (${change ? `${sign}${Math.abs(change).toLocaleString("en")}%, ` : ""}${before.toLocaleString("en")} before)`;
    return h("span", {}, h("b", {}, count.toLocaleString("en")), ` ${named(name, count)}`, h("span", { class: "qk-change" }, told));
  }

  const chip = ({ name, label }) =>
    h("button", { type: "button", class: "qk-chip", "aria-label": `Remove filter ${FILTERS[name]}: ${labelOf(name, label)}`, onclick: () => ask({ [name]: "" }) }, `${FILTERS[name]}: ${labelOf(name, label)} ×`);

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
      const parts = [h("span", { class: "qk-bar-label" }, label), h("span", { class: "qk-track" }, fill), h("span", { class: "qk-count" }, one.scans.toLocaleString("en"))];
      const attributes = { type: "button", class: "qk-bar", "data-key": `${name} ${one.value}`, "aria-pressed": String(isOn), title: isOn ? "Show all" : `Show only ${label}` };
      return h("li", {}, h("button", { ...attributes, onclick: () => ask({ [name]: isOn ? "" : one.value }) }, ...parts));
    });
    return h("section", { class: chosen ? "qk-chosen" : "", "aria-label": title }, h("h3", {}, title), h("ul", {}, ...items));
  }

  const figure = ({ title, svg, is_wide: isWide }) => {
    const made = h("figure", { class: isWide ? "qk-wide" : "" }, h("figcaption", {}, title));
    made.insertAdjacentHTML("beforeend", svg); // drawn by qrkit, which escapes the names in it
    return made;
  };

  function updateChoices(asked) {
    const options = [{ id: "", name: "All campaigns" }, ...state.campaigns];
    campaign.replaceChildren(...options.map((one) => h("option", { value: one.id, selected: one.id === asked.campaign }, one.name)));
    compare.value = asked.compare;
    for (const { input } of boxes) input.checked = asked.kinds.includes(input.value);
  }

  let shown = "";
  function update() {
    const { asked, errors } = state;
    for (const one of [...days, ...range]) one.update();
    // What hands have chosen since this answer was asked for stays.
    if (outbox.isIdle()) updateChoices(asked);
    for (const one of range) one.element.hidden = asked.compare !== "range";
    for (const button of ranges) {
      const count = Number(button.dataset.days);
      const isOn = count ? asked.since === since(count) && asked.until === state.today : !asked.since && !asked.until;
      button.setAttribute("aria-pressed", isOn);
    }
    wrong.textContent = errors.kinds ?? errors.campaign ?? errors.qrcode ?? errors[""] ?? "";
    wrong.hidden = !wrong.textContent;
    const isOpen = asked.compare && !state.before;
    hint.hidden = !isOpen;
    hint.textContent = asked.compare === "range" ? "Choose the first and the last day to compare with." : "Choose a date range to compare it with another one.";
    numbers.replaceChildren(...Object.entries(state.numbers).map(number));
    told.replaceChildren(...state.told.map((sentence) => h("p", {}, sentence)));
    chips.hidden = !state.filters.length;
    chips.replaceChildren(...state.filters.map(chip));
    const now = JSON.stringify([state.charts, state.bars, asked]);
    if (now === shown) return;
    shown = now;
    sheet.replaceChildren(...state.charts.map(figure));
    const held = rankings.contains(document.activeElement) && document.activeElement.dataset.key;
    rankings.replaceChildren(...state.bars.filter((one) => one.rows.length).map(ranking));
    if (held) rankings.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus();
  }

  const onState = () => {
    const isAnswer = model.get("state").answered !== state.answered;
    state = model.get("state");
    if (isAnswer) outbox.answered();
    update();
  };
  model.on("change:state", onState);
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
  const ends = [lendShortcuts(root), hideTwin(model), () => sizes.disconnect()];
  update();
  return () => {
    model.off("change:state", onState);
    for (const end of ends) end();
  };
}

export default { render };
