// Colors and gradients: a typed value, the browser's picker, swatches, contrast; a bar of stops and a dial for the angle.

const MOST_RECENT = 8;

/** A color as people write it: without the alpha of opaque ones. */
const shortColor = (value) => (value?.startsWith("#FF") && value.length === 9 ? `#${value.slice(3)}` : (value ?? ""));
/** #AARRGGBB as CSS writes it, with the alpha last. */
const cssColor = ({ color, opacity = 1 }) => {
  const alpha = Math.round(parseInt(color.slice(1, 3), 16) * opacity).toString(16).padStart(2, "0");
  return `#${color.slice(3)}${alpha}`;
};
const cssRamp = (stops) => `linear-gradient(to right, ${stops.map((stop) => `${cssColor(stop)} ${stop.offset * 100}%`).join(", ")})`;

/** The contrast of the foreground leads; another color has one of its own only where that is low. */
function toldContrast(contrasts, path) {
  const found = contrasts[path.join(".")];
  const isOwn = path[0] === "foreground" || (found?.verdict !== "enough" && found?.words !== contrasts.foreground?.words);
  return isOwn ? found : null;
}

function colorControl(studio, spec, path) {
  const input = h("input", { type: "text", id: newId(), spellcheck: "false", autocomplete: "off", "data-free": "true", placeholder: spec.optional && say("automatic") });
  const picker = h("input", { type: "color", "aria-label": say("Pick {field}", null, { field: spec.label }) });
  const contrast = h("p", { class: "qk-contrast", id: newId(), hidden: true });
  const swatches = makeSwatches(studio, spec, path, (color) => {
    input.value = color;
    field.send(color);
    field.done();
    studio.colors.use(color);
  });
  const made = row(studio, spec, path, label(spec, input.id), h("div", { class: "qk-set" }, picker, input, swatches.toggle), contrast);
  made.element.append(swatches.element);
  const field = typed(studio, spec, path, input, { ...emptied(spec), write: shortColor });
  let alpha = "FF";
  made.describe(input, contrast.id);
  picker.addEventListener("input", () => {
    input.value = shortColor(`#${alpha}${picker.value.slice(1).toUpperCase()}`);
    field.send(input.value);
  });
  picker.addEventListener("change", () => {
    field.done();
    studio.colors.use(input.value);
  });
  input.addEventListener("change", () => input.getAttribute("aria-invalid") || studio.colors.use(input.value));
  function update(fill, errors) {
    const value = fill?.stops ? fill.stops[0].color : fill;
    const isWrong = made.complain(errors);
    field.update(value, isWrong);
    const found = isWrong ? null : toldContrast(studio.contrasts, path);
    contrast.hidden = !found;
    contrast.textContent = found?.words ?? "";
    contrast.dataset.verdict = found?.verdict ?? "";
    if (!value) return;
    alpha = value.slice(1, 3);
    picker.value = `#${value.slice(3).toLowerCase()}`;
  }
  return { element: made.element, update };
}

/** Colors to take with one click: of the brand, used before, and some that scan well. */
function makeSwatches(studio, spec, path, choose) {
  const element = h("div", { class: "qk-line qk-swatch-groups" });
  const { toggle } = makeToggle(say("Swatches"), element, { "aria-label": say("Swatches for {field}", null, { field: spec.label }) });
  toggle.addEventListener("click", draw);
  const swatch = (color) => tool("", color, () => choose(color), { class: "qk-swatch", style: `background: ${color}` });
  const group = ([title, colors]) => h("div", { role: "group", "aria-label": title }, h("span", { class: "qk-unit" }, title), h("div", { class: "qk-line qk-swatches" }, ...colors.map(swatch)));
  function draw() {
    const { brand, recent, grounds, inks } = studio.colors;
    const isGround = path[0] === "background" || path.at(-1) === "background";
    const groups = [[brand?.name, brand?.colors ?? []], [say("Recent"), recent], [say("These scan well"), isGround ? grounds : inks]];
    element.replaceChildren(...groups.filter(([, colors]) => colors.length).map(group));
  }
  return { element, toggle };
}

/** The colors that are offered, and those that were used. swatches: { brand, inks, grounds, gradients }. */
function makeColors(swatches) {
  return {
    ...swatches,
    recent: [],
    use(color) {
      const used = color.toUpperCase();
      if (/^#[0-9A-F]{6}$/.test(used)) this.recent = [used, ...this.recent.filter((one) => one !== used)].slice(0, MOST_RECENT);
    },
  };
}

/** The stops of a gradient as a bar with handles; below it the stop that is chosen. */
function makeStops(studio, spec, path) {
  const bar = h("div", { class: "qk-ramp", onclick: (event) => event.target === bar && insert(Math.round(placeOf(event) * 100) / 100) });
  const ramps = h("div", { class: "qk-line qk-ramps", role: "group", "aria-label": say("Gradient presets") });
  const add = button(say("Add color stop"), () => insert(widestGap()));
  const remove = button(say("Remove stop"), drop);
  const body = makeSlot(() => makeControl(studio, { ...spec.fields[0], label: say("Color stop {number}", null, { number: chosen + 1 }) }, [...path, chosen]), "qk-stop");
  const made = row(studio, spec, path, h("span", { class: "qk-label" }, spec.label), ramps, bar, h("p", { class: "qk-hint" }, say("Click the bar to add a color. Drag a handle, or use the arrow keys; Delete removes it.")), h("div", { class: "qk-line" }, add, remove), body.element);
  let stops = [];
  let chosen = 0;
  let handles = [];
  let isHeld = false;
  let gestures = 0;
  for (const [name, colors] of Object.entries(studio.colors.gradients[path[0]])) {
    const value = colors.map((color, index) => ({ offset: index / (colors.length - 1), color: `#FF${color.slice(1)}` }));
    const take = () => {
      chosen = 0;
      send(value);
    };
    ramps.append(tool("", say(name), take, { class: "qk-preset-ramp", style: `background: ${cssRamp(value)}` }));
  }

  const send = (value, gesture) => studio.edit([{ path, value }], gesture);
  /** Put a stop elsewhere; its handle stays the chosen one though stops are sorted. */
  function move(offset, gesture) {
    const moved = { ...stops[chosen], offset: Math.round(Math.min(1, Math.max(0, offset)) * 1000) / 1000 };
    const others = stops.filter((_, index) => index !== chosen);
    const before = others.filter((stop) => stop.offset < moved.offset || (stop.offset === moved.offset && stops.indexOf(stop) < chosen));
    stops = [...before, moved, ...others.filter((stop) => !before.includes(stop))];
    chosen = before.length;
    draw();
    send(stops, gesture);
  }
  /** Show these stops and send them, with the handle of the chosen one in hand. */
  function change() {
    draw();
    send(stops);
    handles[chosen].focus({ preventScroll: true });
  }
  function insert(offset) {
    if (stops.length >= spec.high) return;
    const after = stops.findIndex((stop) => stop.offset > offset);
    const place = after < 0 ? stops.length : after;
    const neighbor = stops[Math.max(0, place - 1)];
    stops = [...stops.slice(0, place), { ...neighbor, offset }, ...stops.slice(place)];
    chosen = place;
    change();
  }
  function drop() {
    if (stops.length <= spec.low) return;
    stops = stops.filter((_, index) => index !== chosen);
    chosen = Math.min(chosen, stops.length - 1);
    change();
  }
  function widestGap() {
    const gaps = stops.slice(1).map((stop, index) => [stop.offset - stops[index].offset, (stop.offset + stops[index].offset) / 2]);
    return Math.round(gaps.reduce((best, gap) => (gap[0] > best[0] ? gap : best))[1] * 1000) / 1000;
  }
  const placeOf = ({ clientX }) => {
    const { left, width } = bar.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width));
  };

  function key(event) {
    const step = event.shiftKey ? 0.1 : 0.01;
    const at = stops[chosen].offset;
    const to = { ArrowLeft: at - step, ArrowDown: at - step, ArrowRight: at + step, ArrowUp: at + step, Home: 0, End: 1 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (to !== undefined) {
      move(to, `stop ${path.join(".")} keys`);
      handles[chosen].focus({ preventScroll: true });
    } else if (event.key === "Delete" || event.key === "Backspace") drop();
    else if (event.key === "Enter" || event.key === " ") body.element.querySelector("input[type=text]")?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  function grab(event, index) {
    if (event.button !== 0) return;
    event.preventDefault();
    choose(index);
    handles[index].focus({ preventScroll: true });
    isHeld = true;
    const gesture = `stop ${path.join(".")} ${(gestures += 1)}`;
    const end = () => {
      isHeld = false;
      handles[chosen]?.focus({ preventScroll: true });
      studio.refresh();
    };
    drag((moved) => move(placeOf(moved), gesture), end);
  }
  function makeHandle(index) {
    const listeners = { onpointerdown: (event) => grab(event, index), onfocus: () => choose(index), onkeydown: key };
    return h("div", { class: "qk-handle", role: "slider", tabindex: "0", "aria-valuemin": "0", "aria-valuemax": "100", ...listeners });
  }
  function choose(index) {
    if (chosen === index) return;
    chosen = index;
    draw();
    studio.refresh();
  }
  function draw() {
    bar.style.setProperty("--qk-ramp", cssRamp(stops));
    while (handles.length > stops.length) handles.pop().remove();
    while (handles.length < stops.length) {
      handles.push(makeHandle(handles.length));
      bar.append(handles.at(-1));
    }
    handles.forEach((handle, index) => {
      const { offset, color } = stops[index];
      handle.style.left = `${offset * 100}%`;
      handle.style.setProperty("--qk-color", cssColor(stops[index]));
      handle.setAttribute("aria-label", say("Color stop {number} of {stops}, {color}", null, { number: index + 1, stops: stops.length, color: shortColor(color) }));
      handle.setAttribute("aria-valuenow", Math.round(offset * 100));
      handle.setAttribute("aria-valuetext", `${Math.round(offset * 100)}%`);
      handle.classList.toggle("qk-on", index === chosen);
    });
    remove.disabled = stops.length <= spec.low;
    add.disabled = stops.length >= spec.high;
  }
  function update(value, errors) {
    made.complain(errors);
    const isAhead = isHeld || !studio.isIdle();
    if (!isAhead) stops = (value ?? []).map((stop) => ({ ...stop }));
    if (!stops.length) return;
    chosen = Math.min(chosen, stops.length - 1);
    draw();
    body.update(`stop ${chosen}`, value?.[chosen], errors);
  }
  return { element: made.element, update };
}

/** The angle of a linear gradient: 0° runs from left to right, 90° from top to bottom. */
function makeAngle(studio, path) {
  const at = [...path, "direction"];
  const spec = { label: say("Angle"), help: say("Direction of the gradient: 0° runs from left to right, 90° from top to bottom."), kind: "number", unit: "°", low: 0, high: 359, whole: true, slider: true };
  function turn([{ value }], gesture) {
    const [across, down] = [Math.cos((value * Math.PI) / 180), Math.sin((value * Math.PI) / 180)];
    // As long as it must be for the colors of the ends to reach the corners.
    const half = (Math.abs(across) + Math.abs(down)) / 2;
    const end = (sign) => ({ x: Math.round((0.5 + sign * across * half) * 1e4) / 1e4, y: Math.round((0.5 + sign * down * half) * 1e4) / 1e4 });
    if (typeof value === "number") studio.edit([{ path: at, value: { start: end(-1), stop: end(1) } }], gesture);
  }
  const control = makeControl(Object.assign(Object.create(studio), { edit: turn }), spec, at);
  function update(gradient, errors) {
    control.element.hidden = gradient?.gradient !== "linear" || gradient.units === "absolute";
    const { start, stop } = gradient?.direction ?? { start: { x: 0, y: 0 }, stop: { x: 1, y: 0 } };
    control.update(Math.round((Math.atan2(stop.y - start.y, stop.x - start.x) * 180) / Math.PI + 360) % 360, errors);
  }
  return { element: control.element, update };
}
