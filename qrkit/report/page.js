"use strict";
// Sorts the tables of a report, and counts the days and campaigns that the reader chooses, from sums by day and hour.

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
const plain = new Intl.NumberFormat(language, { useGrouping: true });
const shares = new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
const point = plain.formatToParts(.5).find(part => part.type === "decimal").value;
const number = value => plain.format(value);
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** An element: attributes, listeners as onName, children. */
function make(tag, attributes = {}, ...children) {
  const isSvg = ["svg", "path", "line", "rect", "text", "title"].includes(tag);
  const node = isSvg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

const button = (text, onclick, attributes = {}) => make("button", { type: "button", onclick, ...attributes }, text);

// ---- tables

const codeRows = $$(".codes-table tbody tr"); // in the order of the sums, before anything is sorted

function valueOf(cell, isText) {
  if (cell.tagName === "TH") return ($("bdi", cell) ?? cell).textContent;
  const digits = (cell.firstChild?.nodeType === Node.TEXT_NODE ? cell.firstChild.textContent : "").trim();
  if (/^<?[\d.,\s]+%?$/.test(digits)) return parseFloat([...digits].filter(one => one === point || /\d/.test(one)).join("").replace(point, "."));
  return isText ? cell.textContent : -1;
}

function compare(one, other) {
  return typeof one === "number" && typeof other === "number"
    ? one - other
    : String(one).localeCompare(String(other), language, { numeric: true });
}

function sortBy(table, heading, isRising) {
  const place = heading.cellIndex, isText = heading.classList.contains("t");
  const rows = $$("tbody tr", table).map(row => [valueOf(row.cells[place], isText), row]);
  rows.sort(([one], [other]) => (isRising ? compare(one, other) : compare(other, one)));
  table.tBodies[0].append(...rows.map(([, row]) => row));
  for (const other of $$("thead th", table)) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", isRising ? "ascending" : "descending");
}

for (const table of $$("table.sortable")) {
  for (const heading of $$("thead th:not([data-unsorted])", table)) {
    heading.replaceChildren(button(heading.textContent, () => {
      const isText = heading.cellIndex === 0 || heading.classList.contains("t");
      const now = heading.getAttribute("aria-sort");
      sortBy(table, heading, now ? now === "descending" : isText);
    }));
  }
}

// ---- sums

async function unpack(text, rows) {
  const size = Number(text[0]);
  const bytes = Uint8Array.from(atob(text.slice(1)), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = planes.length / size;
  const flat = new Uint32Array(length);
  for (let plane = 0; plane < size; plane++) {
    for (let at = 0; at < length; at++) flat[at] += planes[plane * length + at] * 256 ** plane;
  }
  const width = length / rows;
  return Array.from({ length: rows }, (_, row) => flat.subarray(row * width, (row + 1) * width));
}

const DAY = 86400000;

/** Sums of all counts before each place, and of all: the count of any days is then one difference. */
function running(counts) {
  const sums = new Float64Array(counts.length + 1);
  for (let at = 0; at < counts.length; at++) sums[at + 1] = sums[at] + counts[at];
  return sums;
}

class Explorer {
  constructor(data, perDay, perHour) {
    Object.assign(this, { data, perDay, perHour, words: data.words });
    this.start = Date.parse(data.first);
    this.from = 0;
    this.to = data.days - 1;
    this.cursor = null;
    this.chosen = data.campaigns.map(() => true);
    this.byCampaign = data.campaigns.map(() => new Uint32Array(data.days));
    // A report without small groups has sums of campaigns only.
    this.firstRow = data.codes.length - perDay.length;
    perDay.forEach((counts, row) => {
      const sums = this.byCampaign[data.codes[this.firstRow + row]];
      for (let day = 0; day < data.days; day++) sums[day] += counts[day];
    });
    this.sumsByCampaign = this.byCampaign.map(running);
    this.all = this.sum(this.sumsByCampaign.map(sums => sums[data.days]));
    this.findNumbers();
    this.build();
    this.update();
  }

  sum(values) {
    return values.reduce((total, value) => total + value, 0);
  }

  /** The scans of the chosen days. */
  within(sums) {
    return sums[this.to + 1] - sums[this.from];
  }

  day(at, options = { day: "numeric", month: "short", year: "numeric" }) {
    return new Date(this.start + at * DAY).toLocaleDateString(language, { timeZone: "UTC", ...options });
  }

  iso(at) {
    return new Date(this.start + at * DAY).toISOString().slice(0, 10);
  }

  /** Adds up the scans per day of all chosen campaigns. */
  addUp() {
    this.totals = new Float64Array(this.data.days);
    this.byCampaign.forEach((counts, place) => {
      if (this.chosen[place]) counts.forEach((count, day) => { this.totals[day] += count; });
    });
  }

  get isFiltered() {
    return this.from > 0 || this.to < this.data.days - 1 || this.chosen.includes(false);
  }

  findNumbers() {
    const share = $(".codes-table th.share")?.cellIndex;
    this.cells = codeRows.map((row, place) => ({
      isCode: true,
      sums: this.firstRow ? null : running(this.perDay[place]),
      campaign: this.data.codes[place],
      count: $("td.count", row)?.firstChild,
      share: $("td.count", row) && row.cells[share].firstChild,
      row,
    }));
    this.cells.push(...$$("tr[data-campaign]").map(row => ({
      sums: this.sumsByCampaign[row.dataset.campaign],
      campaign: Number(row.dataset.campaign),
      count: $("td.count", row).firstChild,
      share: $("td.share", row).firstChild,
      bar: $(".bar i", row),
      row,
    })));
    this.figures = Object.fromEntries($$("[data-figure]").map(figure =>
      [figure.dataset.figure, { number: $("dd", figure).firstChild, notes: $$("small,svg", figure), figure }]));
    this.originals = new Map();
  }

  /** Shows a text while something is filtered, and what the page said at first otherwise. */
  put(node, text) {
    if (!node) return;
    if (!this.originals.has(node)) this.originals.set(node, node.data);
    node.data = this.isFiltered ? text : this.originals.get(node);
  }

  // ---- controls

  build() {
    const words = this.words, box = make("section", { class: "explore", "aria-labelledby": "explore-title" });
    const title = $("#time figcaption h2") ?? make("h2", {}, "");
    box.append(make("h2", { id: "explore-title" }, title.textContent.split(",")[0]));
    const bounds = { type: "date", min: this.iso(0), max: this.iso(this.data.days - 1), onchange: () => this.read() };
    [this.first, this.last] = [make("input", bounds), make("input", bounds)];
    this.reset = button(words.reset, () => {
      this.showEverything();
      this.first.focus();
    }, { class: "reset" });
    box.append(make("div", { class: "bar-of-controls" },
      make("label", {}, words.from + " ", this.first), make("label", {}, words.to + " ", this.last), this.reset));
    // On paper, nothing would say what is left out.
    addEventListener("beforeprint", () => {
      const shown = [this.chosen, this.from, this.to];
      this.showEverything();
      addEventListener("afterprint", () => {
        this.chosen = shown[0];
        this.select(shown[1], shown[2]);
      }, { once: true });
    });
    if (this.data.campaigns.length > 1) box.append(this.buildChips());
    this.plot = this.buildPlot();
    this.output = make("output", {});
    box.append(this.plot);
    const { low, before } = this.data;
    this.total = make("span", { class: "key dotted" }, words.total);
    const expected = low || before ? make("span", { class: "key" + (low ? " band" : "") }, low ? words.usual : words.before) : "";
    box.append(make("p", { class: "keys" }, this.total, expected), this.output);
    const figure = $("#time figure");
    if (figure) figure.hidden = true;
    $("#time").prepend(box);
    if (this.perHour) this.buildWeek();
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  buildChips() {
    const words = this.words, chips = make("div", { class: "chips", role: "group", "aria-label": words.campaigns });
    const choose = (first, last, value) => {
      this.chosen.fill(value, first, last);
      this.update();
    };
    this.chips = this.data.campaigns.map(({ name, color }, place) =>
      button(name, () => choose(place, place + 1, !this.chosen[place]), { class: `color-${color}`, "aria-pressed": "true", title: name }));
    const all = [[words.all, true], [words.none, false]].map(([text, value]) => button(text, () => choose(0, this.chosen.length, value)));
    chips.append(...(this.chips.length > 6 ? all : []), ...this.chips);
    return chips;
  }

  read() {
    const place = input => Math.round((Date.parse(input.value) - this.start) / DAY);
    const [from, to] = [place(this.first), place(this.last)];
    if (Number.isNaN(from) || Number.isNaN(to)) return;
    this.select(this.inside(Math.min(from, to)), this.inside(Math.max(from, to)));
  }

  /** The day of the report that is nearest to this one. */
  inside(day) {
    return Math.max(0, Math.min(this.data.days - 1, day));
  }

  showEverything() {
    this.chosen = this.data.campaigns.map(() => true);
    this.select(0, this.data.days - 1);
  }

  select(from, to) {
    [this.from, this.to] = [from, to];
    this.update();
  }

  buildPlot() {
    let anchor = null;
    const { days } = this.data;
    const dayAt = event => {
      const box = this.plot.getBoundingClientRect();
      const share = (event.clientX - box.left - this.left) / Math.max(1, box.width - this.left - this.right);
      return this.inside(Math.round(share * (days - 1)));
    };
    const end = () => { anchor = null; };
    return make("div", {
      class: "plot", role: "slider", tabindex: "0", "aria-label": this.words.chart, "aria-valuemin": "0", "aria-valuemax": days - 1, "aria-valuenow": "0",
      onpointerdown: event => {
        anchor = dayAt(event);
        this.plot.setPointerCapture(event.pointerId);
      },
      onpointermove: event => {
        const day = dayAt(event);
        if (anchor !== null && day !== anchor) this.select(Math.min(anchor, day), Math.max(anchor, day));
        this.point(day);
      },
      onpointerup: end,
      onpointercancel: end,
      onpointerleave: () => document.activeElement === this.plot || this.point(null),
      onblur: () => this.point(null),
      onfocus: () => this.point(this.cursor ?? this.from),
      onkeydown: event => {
        const now = this.cursor ?? 0;
        const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -7, PageUp: 7, Home: -days, End: days };
        if (!(event.key in steps)) return;
        event.preventDefault();
        this.point(this.inside(now + steps[event.key]));
      },
    });
  }

  // ---- drawing

  draw() {
    const width = this.plot.clientWidth, height = width < 560 ? 190 : 250, { days } = this.data;
    if (!width) return;
    const named = this.data.campaigns.map((_, place) => place).filter(place => this.chosen[place]);
    const lines = named.length > 1 && named.length <= 6 ? named : [];
    this.total.hidden = lines.length === 0;
    const { totals } = this, most = Math.max(1, ...totals, ...(this.data.before ?? [])), step = this.step(most), top = Math.ceil(most / step) * step;
    this.left = 12 + 7.5 * number(top).length;
    this.right = 14;
    this.x = day => this.left + (width - this.left - this.right) * day / Math.max(1, days - 1);
    this.y = count => 14 + (height - 40) * (1 - count / top);
    const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    for (let value = 0; value <= top; value += step) {
      svg.append(make("line", { x1: this.left, x2: width - this.right, y1: this.y(value), y2: this.y(value), stroke: "var(--line)" }));
      svg.append(make("text", { x: this.left - 7, y: this.y(value) + 4, "text-anchor": "end" }, number(value)));
    }
    svg.append(make("rect", { x: this.x(this.from), y: 14, width: Math.max(2, this.x(this.to) - this.x(this.from)), height: height - 40,
      fill: "var(--color-1)", opacity: this.isFiltered ? .1 : 0 }));
    const path = counts => "M" + Array.from(counts, (count, day) => `${this.x(day).toFixed(1)} ${this.y(count).toFixed(1)}`).join("L");
    if (!this.chosen.includes(false)) this.drawExpected(svg, path, top);
    const color = named.length === 1 ? this.data.campaigns[named[0]].color : lines.length ? "ink" : 1;
    for (const place of lines) svg.append(this.line(path(this.byCampaign[place]), `var(--color-${this.data.campaigns[place].color})`, 1.6));
    svg.append(this.line(path(totals), color === "ink" ? "var(--ink)" : `var(--color-${color})`, lines.length ? 1.2 : 2, lines.length > 0));
    this.labelDays(svg, width, height);
    this.mark = make("line", { y1: 14, y2: height - 26, stroke: "var(--ink)", visibility: "hidden" });
    svg.append(this.mark);
    this.tip = make("div", { class: "tip", hidden: "" });
    this.plot.replaceChildren(svg, this.tip);
    this.point(document.activeElement === this.plot ? this.cursor : null);
  }

  /** The usual range, or the days compared with. */
  drawExpected(svg, path, top) {
    const { low, high, before } = this.data;
    if (low) {
      const upper = path(high.map(count => Math.min(count, top)));
      const lower = low.map((count, day) => `L${this.x(day).toFixed(1)} ${this.y(Math.min(count, top)).toFixed(1)}`).reverse().join("");
      svg.append(make("path", { d: upper + lower + "Z", fill: "var(--heat-1)", opacity: .6 }));
    }
    if (before) svg.append(this.line(path(before), "var(--color-0)", 1.4));
  }

  line(d, stroke, width, isDashed = false) {
    return make("path", { d, fill: "none", stroke, "stroke-width": width, "stroke-linejoin": "round",
      ...(isDashed ? { "stroke-dasharray": "2 3" } : {}) });
  }

  step(most) {
    const rough = most / 4, power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
    return Math.max(1, [1, 2, 5, 10].map(factor => factor * power).find(step => step >= rough));
  }

  labelDays(svg, width, height) {
    const count = Math.max(2, Math.min(this.data.days, Math.floor((width - this.left) / 84)));
    const isLong = this.data.days > 300;
    const shown = new Set(Array.from({ length: count }, (_, at) => Math.round(at * (this.data.days - 1) / (count - 1))));
    for (const day of shown) {
      const options = isLong ? { month: "short", year: "numeric" } : { day: "numeric", month: "short" };
      const anchor = day === 0 ? "start" : day === this.data.days - 1 ? "end" : "middle";
      svg.append(make("text", { x: this.x(day), y: height - 8, "text-anchor": anchor }, this.day(day, options)));
    }
  }

  point(day) {
    this.tip.hidden = day === null;
    this.mark.setAttribute("visibility", day === null ? "hidden" : "visible");
    if (day === null) return;
    this.cursor = day;
    const x = this.x(day), scans = number(this.totals[day]);
    const when = this.day(day, { weekday: "short", day: "numeric", month: "short", year: "numeric" });
    const said = fill(this.words.value, { day: when, scans });
    const parts = this.data.campaigns.map(({ name }, place) => [this.chosen[place] ? this.byCampaign[place][day] : 0, name]);
    const most = parts.filter(([count]) => count).sort(([one], [other]) => other - one).slice(0, 6);
    const details = this.data.campaigns.length > 1 ? most.map(([count, name]) => make("div", {}, `${number(count)}  ${name}`)) : [];
    this.mark.setAttribute("x1", x);
    this.mark.setAttribute("x2", x);
    this.tip.replaceChildren(make("b", {}, said), ...details);
    const half = this.plot.clientWidth / 2;
    this.tip.style.left = x < half ? `${x + 10}px` : "auto";
    this.tip.style.right = x < half ? "auto" : `${this.plot.clientWidth - x + 10}px`;
    this.plot.setAttribute("aria-valuenow", day);
    this.plot.setAttribute("aria-valuetext", [said, ...most.map(([count, name]) => `${name} ${number(count)}`)].join(", "));
  }

  // ---- hours of the week

  buildWeek() {
    this.heat = make("figure", { class: "heat", hidden: "" }, make("figcaption", {}, make("h2", {}, $("#week figure h2").textContent)), make("svg"));
    this.weekdays = Array.from({ length: 7 }, (_, at) =>
      new Date(Date.UTC(2024, 0, 1 + at)).toLocaleDateString(language, { weekday: "short", timeZone: "UTC" }));
    $("#week").append(this.heat);
  }

  countWeek() {
    const perDay = 24 / this.data.hoursTogether, sums = new Uint32Array(7 * perDay), monday = (new Date(this.start).getUTCDay() + 6) % 7;
    this.perHour.forEach((counts, place) => {
      if (!this.chosen[place]) return;
      for (let day = this.from; day <= this.to; day++) {
        const weekday = (monday + day) % 7;
        for (let hour = 0; hour < perDay; hour++) sums[perDay * weekday + hour] += counts[perDay * day + hour];
      }
    });
    return sums;
  }

  drawWeek() {
    const sums = this.countWeek(), most = Math.max(1, ...sums), together = this.data.hoursTogether, perDay = 24 / together;
    const svg = make("svg", { viewBox: "0 0 620 232", class: "chart", role: "img", "aria-label": this.words.week });
    const label = (x, y, anchor, text) => svg.append(make("text", { x, y, "text-anchor": anchor, fill: "var(--quiet)", "font-size": 12 }, text));
    this.weekdays.forEach((weekday, row) => label(30, 20 + 28 * row, "end", weekday));
    for (let hour = 0; hour < 24; hour += 3) label(49 + 24.2 * hour, 216, "middle", String(hour).padStart(2, "0"));
    sums.forEach((count, at) => {
      const row = Math.floor(at / perDay), start = together * (at % perDay), hour = together > 1 ? `${start}:00\u2013${start + together}` : start;
      const title = fill(this.words.hour, { weekday: this.weekdays[row], hour, scans: number(count) });
      const place = { x: 38 + 24.2 * start, y: 2 + 28 * row, width: 24.2 * together - 1.6, height: 26, rx: 2 };
      svg.append(make("rect", { ...place, fill: `var(--heat-${Math.ceil(5 * count / most)})` }, make("title", {}, title)));
    });
    this.heat.lastChild.replaceWith(svg);
  }

  // ---- counts

  update() {
    const isFiltered = this.isFiltered;
    document.body.classList.toggle("filtered", isFiltered);
    this.reset.disabled = !isFiltered;
    this.first.value = this.iso(this.from);
    this.last.value = this.iso(this.to);
    this.chips?.forEach((chip, place) => chip.setAttribute("aria-pressed", String(this.chosen[place])));
    this.addUp();
    this.draw();
    const scans = this.sum(this.sumsByCampaign.map((sums, place) => (this.chosen[place] ? this.within(sums) : 0)));
    this.showRows(scans);
    this.showFigures(scans, isFiltered);
    this.tell(scans, isFiltered);
    if (this.heat) {
      $("#week figure:not(.heat)").hidden = isFiltered;
      this.heat.hidden = !isFiltered;
      if (isFiltered) this.drawWeek();
    }
  }

  showRows(scans) {
    for (const cell of this.cells) {
      const isShown = this.chosen[cell.campaign];
      if (cell.row.hidden === isShown) cell.row.hidden = !isShown;
      if (!cell.count || !isShown || !cell.sums) continue;
      const count = this.within(cell.sums), share = scans ? count / scans : 0;
      this.put(cell.count, number(count));
      this.put(cell.share, this.percent(share));
      if (cell.bar) cell.bar.style.width = `${(100 * share).toFixed(1)}%`;
    }
  }

  percent(share) {
    return share > 0 && share < .001 ? `<${shares.format(.001)}` : shares.format(share);
  }

  showFigures(scans, isFiltered) {
    const show = (name, text) => {
      const figure = this.figures[name];
      if (!figure) return;
      this.put(figure.number, text);
      for (const note of figure.notes) note.toggleAttribute("hidden", isFiltered);
    };
    const codes = this.cells.filter(cell => cell.isCode && cell.sums && this.chosen[cell.campaign] && this.within(cell.sums) > 0).length;
    let busiest = this.from;
    for (let day = this.from; day <= this.to; day++) if (this.totals[day] > this.totals[busiest]) busiest = day;
    show("scans", number(scans));
    if (!this.firstRow) show("codes", number(codes));
    show("busiest", scans ? this.day(busiest, { day: "numeric", month: "short" }) : "\u2013");
    for (const name of this.firstRow ? ["visitors", "codes"] : ["visitors"]) {
      this.figures[name]?.figure.classList.toggle("whole", isFiltered);
    }
  }

  tell(scans, isFiltered) {
    const days = this.from === this.to ? this.day(this.from) : `${this.day(this.from)} \u2013 ${this.day(this.to)}`;
    const all = this.chosen.length, campaigns = number(this.chosen.filter(Boolean).length);
    const values = { scans: number(scans), all: number(this.all), days, campaigns, campaignsInAll: number(all) };
    const text = !isFiltered ? this.words.everything : all > 1 ? this.words.shown : this.words.shownDays;
    this.output.textContent = fill(text, values);
  }
}

async function explore() {
  const block = $("#sums");
  if (!block || typeof DecompressionStream === "undefined" || !$("#time")) return;
  const data = JSON.parse(block.textContent);
  const perDay = await unpack(data.perDay, data.perHour ? data.codes.length : data.campaigns.length);
  const perHour = data.perHour && await unpack(data.perHour, data.campaigns.length);
  new Explorer(data, perDay, perHour);
}

explore();
