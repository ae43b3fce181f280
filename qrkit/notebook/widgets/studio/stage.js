// The picture, and on it the boxes of its layers, to be moved and resized by mouse, touch and keys, and its caption, to be
// edited in place. A logo and its plate are one box.

function path2d(data, side) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", data);
  svg.setAttribute("viewBox", `${-side * 0.06} ${-side * 0.06} ${side * 1.12} ${side * 1.12}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  return svg;
}

const CORNERS = { nw: [0, 0], ne: [1, 0], sw: [0, 1], se: [1, 1] };
const SIDES = [["left", "width"], ["top", "height"]]; // where a box begins and how long it is; by axis
const SNAP = 5; // pixels of the screen
const SMALLEST = 4; // pixels of the picture
const EIGHTH = 45; // degrees to which a layer that is turned by hand snaps
const NEARLY = 4; // degrees
const TURNS = { "[": -15, "]": 15, "{": -1, "}": 1 }; // degrees, by the key
const KEYS = say("Use the arrow keys to move the layer, plus and minus to resize it, brackets to rotate it, and Delete to remove it. Hold Shift to move and resize in steps of 10, and to rotate in steps of 1 degree.");
const HINT = say("Drag a layer to move it, a corner to resize it, or the round handle to rotate it.");
const HINT_OF_KEYS = " " + say("Keys: arrows, + and −, [ and ]. Hold Shift to stretch, or Alt to ignore the guides.");
const GROUNDS = { paper: say("Paper"), screen: say("Screen"), dark: say("Dark wall") };
const EDIT = { text: say("Edit the caption"), subtitle: say("Edit the subtitle") };
const DEGREE = Math.PI / 180;
const round = (number) => Math.round(number * 10) / 10;
/** An angle above -180 and up to 180 degrees. */
const normal = (angle) => 180 - ((((180 - angle) % 360) + 360) % 360);
const middle = (box) => [box.left + box.width / 2, box.top + box.height / 2];

/** A vector turned clockwise. */
function turned([across, down], angle) {
  const [cos, sin] = [Math.cos(angle * DEGREE), Math.sin(angle * DEGREE)];
  return [across * cos - down * sin, across * sin + down * cos];
}

/** Put an element where a box lies on a picture of this size, whatever the size of the picture on the screen. */
function placeOn(size, element, box) {
  SIDES.forEach((names, axis) => names.forEach((name) => (element.style[name] = `${(box[name] / size[axis]) * 100}%`)));
}

/** Follow the pointer that is down. On the window: what is held may become another element on the way. */
function drag(move, end) {
  const over = new AbortController();
  const listen = (name, listener) => window.addEventListener(name, listener, { signal: over.signal });
  const stop = () => {
    over.abort();
    end();
  };
  listen("pointermove", move);
  for (const name of ["pointerup", "pointercancel"]) listen(name, stop);
}

/** The smallest upright box around a box that is rotated. */
function boundsOf(box) {
  const [cos, sin] = [Math.abs(Math.cos(box.angle * DEGREE)), Math.abs(Math.sin(box.angle * DEGREE))];
  const [width, height] = [box.width * cos + box.height * sin, box.width * sin + box.height * cos];
  const [across, down] = middle(box);
  return { left: across - width / 2, top: down - height / 2, width, height };
}

/** studio: { edit(edits, gesture), select(index) }. Gives { element, update(state) }. */
function makeStage(studio) {
  const picture = h("img", { class: "qk-shown", alt: "", draggable: "false" });
  const guides = ["qk-guide-x", "qk-guide-y"].map((name) => h("div", { class: `qk-guide ${name}`, hidden: true }));
  const sheet = h("div", { class: "qk-sheet" }, picture, ...guides);
  const hint = h("p", { class: "qk-hint" }, HINT, h("span", { class: "qk-by-keys" }, HINT_OF_KEYS));
  const caption = h("p", { class: "qk-caption" });
  const words = makeWords(studio, sheet);
  // It takes the focus of a layer that is removed, so that the keys for undo keep working.
  const stage = h("div", { class: "qk-stage", "data-ground": "paper", tabindex: "-1" }, sheet);
  const ground = radios(studio, { label: say("Shown on"), kind: "choice", words: GROUNDS }, ["ground"], Object.keys(GROUNDS), null, (chosen) => (stage.dataset.ground = chosen));
  ground.update("paper", {});
  ground.element.classList.add("qk-set");
  const actual = checkbox(say("True size"), () => stage.classList.toggle("qk-actual", actual.input.checked));
  const views = h("div", { class: "qk-line qk-views" }, ground.element, actual.element);
  const element = h("div", { class: "qk-stage-side" }, stage, views, hint);
  const boxes = [];
  let state = null;
  let held = new Map(); // boxes of layers, by index, that hands are ahead of the picture with
  let isDragging = false;
  let mm = null; // the width of a print
  let shownPicture = null;
  let gestures = 0;

  /** How angles of layers look in the picture: one that is mirrored turns them the other way. */
  const turning = () => Math.sign(state.matrix[0] * state.matrix[1]);

  /** Where a layer lies in pixels of the whole picture: its upright box, and the degrees by which it is rotated. */
  function boxOf(layer) {
    const [scaleX, scaleY, moveX, moveY] = state.matrix;
    const width = layer.width * Math.abs(scaleX);
    const height = layer.height * Math.abs(scaleY);
    const left = layer.x * scaleX + moveX - (scaleX < 0 ? width : 0);
    const top = layer.y * scaleY + moveY - (scaleY < 0 ? height : 0);
    return { left, top, width, height, angle: layer.rotation * turning() };
  }

  function layerOf(box) {
    const [scaleX, scaleY, moveX, moveY] = state.matrix;
    return {
      x: round((box.left + (scaleX < 0 ? box.width : 0) - moveX) / scaleX),
      y: round((box.top + (scaleY < 0 ? box.height : 0) - moveY) / scaleY),
      width: round(box.width / Math.abs(scaleX)),
      height: round(box.height / Math.abs(scaleY)),
      rotation: round(box.angle * turning()),
    };
  }

  /** The layers that move with this one: a logo and its plate, or itself. */
  function together(index) {
    const logo = state.logo?.layers ?? [];
    return logo.includes(index) ? logo : [index];
  }

  /** Put a layer into a box, and what moves with it accordingly. */
  function put(index, box, gesture) {
    const from = boxOf(state.values.layers[index]);
    const factor = box.width / from.width;
    const edits = together(index).flatMap((one) => {
      const before = state.values.layers[one];
      const old = boxOf(before);
      const inside = { left: box.left + (old.left - from.left) * factor, top: box.top + (old.top - from.top) * factor, width: old.width * factor, height: old.height * factor };
      const to = one === index ? box : { ...inside, angle: normal(old.angle + box.angle - from.angle) };
      held.set(one, to);
      place(boxes[one], to);
      const layer = layerOf(to);
      const changed = Object.keys(layer).filter((name) => layer[name] !== before[name]);
      return changed.map((name) => ({ path: ["layers", one, name], value: layer[name] }));
    });
    studio.edit(edits, gesture);
  }

  function place(element, box) {
    placeOn(state.size, element, box);
    element.style.rotate = `${box.angle}deg`;
  }

  /** The lines that a box can lie on: edges and middles of the QR Code and of the other layers; by axis. */
  function linesBeside(index) {
    const whole = boxOf({ x: 0, y: 0, width: state.area[0], height: state.area[1], rotation: 0 });
    const others = state.values.layers.filter((_, other) => !together(index).includes(other)).map((layer) => boundsOf(boxOf(layer)));
    const lines = (start, length) => [whole, ...others].flatMap((one) => [one[start] + one[length] / 2, one[start], one[start] + one[length]]);
    return [lines("left", "width"), lines("top", "height")];
  }

  /** The line that one of these places is nearest to, and how far away it is; null if none is within reach. */
  function nearest(lines, places, reach) {
    const all = lines.flatMap((line) => places.map((place) => ({ line, by: line - place })));
    const near = all.filter(({ by }) => Math.abs(by) < reach);
    return near.length ? near.reduce((best, one) => (Math.abs(one.by) < Math.abs(best.by) ? one : best)) : null;
  }

  function showGuides(found) {
    found.forEach((one, axis) => {
      guides[axis].hidden = !one;
      if (one) guides[axis].style[SIDES[axis][0]] = `${(one.line / state.size[axis]) * 100}%`;
    });
  }

  /** Bring a box whose edges or middle nearly lie on lines there, and show the lines. */
  function moved(start, by, lines, reach) {
    const box = { ...start, left: start.left + by[0], top: start.top + by[1] };
    const bounds = boundsOf(box);
    const found = SIDES.map(([from, length], axis) => nearest(lines[axis], [0.5, 0, 1].map((share) => bounds[from] + bounds[length] * share), reach));
    found.forEach((one, axis) => (box[SIDES[axis][0]] += one?.by ?? 0));
    showGuides(found);
    return box;
  }

  /** The corner opposite stays; the form too, unless it is free. Edges that nearly lie on lines are brought there. */
  function resized(start, corner, by, isFree, lines, reach) {
    const [right, bottom] = CORNERS[corner];
    const outwards = [right ? 1 : -1, bottom ? 1 : -1];
    const before = [start.width, start.height];
    let size = before.map((length, axis) => Math.max(SMALLEST, length + outwards[axis] * by[axis]));
    const scale = (factor) => (size = before.map((length) => length * factor));
    if (!isFree) scale(Math.max(size[0] / before[0], size[1] / before[1]));
    const found = SIDES.map(([from], axis) => {
      const edge = start[from] + (outwards[axis] > 0 ? size[axis] : before[axis] - size[axis]);
      const one = nearest(lines[axis], [edge], reach);
      return one && size[axis] + outwards[axis] * one.by >= SMALLEST ? one : null;
    });
    // A form that stays has only one size, so the nearer of two lines counts.
    if (!isFree && found[0] && found[1]) found[Math.abs(found[0].by) <= Math.abs(found[1].by) ? 1 : 0] = null;
    found.forEach((one, axis) => {
      if (!one) return;
      const length = size[axis] + outwards[axis] * one.by;
      if (isFree) size[axis] = length;
      else scale(length / before[axis]);
    });
    showGuides(found);
    const [width, height] = size;
    const left = right ? start.left : start.left + start.width - width;
    const top = bottom ? start.top : start.top + start.height - height;
    return { ...start, left, top, width, height };
  }

  /** The same for a box that is rotated, which has no edge that could lie on a line. */
  function resizedAskew(start, corner, by, isFree) {
    const box = resized(start, corner, turned(by, -start.angle), isFree, [[], []], 0);
    // Its center moved along its own axes, about which it is rotated.
    const [from, to] = [middle(start), middle(box)];
    const [across, down] = turned([to[0] - from[0], to[1] - from[1]], start.angle);
    return { ...box, left: box.left + from[0] + across - to[0], top: box.top + from[1] + down - to[1] };
  }

  /** The angle to which a hand at `now` turns a box that it took at `before`, both from its center. */
  function rotated(start, before, now, isFree) {
    const direction = ([across, down]) => Math.atan2(down, across) / DEGREE;
    const angle = normal(start.angle + direction(now) - direction(before));
    const near = Math.round(angle / EIGHTH) * EIGHTH;
    return { ...start, angle: !isFree && Math.abs(angle - near) < NEARLY ? normal(near) : Math.round(angle) };
  }

  function grab(event, index) {
    if (event.button !== 0) return;
    const { corner, knob } = event.target.dataset;
    const start = boxOf(state.values.layers[index]);
    const pixels = state.size[0] / sheet.clientWidth; // of the picture, for one of the screen
    const gesture = `hand ${(gestures += 1)}`;
    const box = boxes[index];
    const lines = linesBeside(index);
    const isOne = together(index).length === 1;
    const { left, top } = sheet.getBoundingClientRect();
    const fromMiddle = ({ clientX, clientY }) => [clientX - left - middle(start)[0] / pixels, clientY - top - middle(start)[1] / pixels];
    studio.select(index);
    box.focus({ preventScroll: true });
    box.setPointerCapture(event.pointerId);
    event.preventDefault();
    const move = (now) => {
      const by = [(now.clientX - event.clientX) * pixels, (now.clientY - event.clientY) * pixels];
      const reach = now.altKey ? 0 : SNAP * pixels;
      const isFree = now.shiftKey && isOne;
      if (knob) put(index, rotated(start, fromMiddle(event), fromMiddle(now), now.altKey), gesture);
      else if (!corner) put(index, moved(start, by, lines, reach), gesture);
      else put(index, start.angle ? resizedAskew(start, corner, by, isFree) : resized(start, corner, by, isFree, lines, reach), gesture);
    };
    isDragging = true;
    drag(move, () => {
      isDragging = false;
      showGuides([null, null]);
    });
  }

  const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  function key(event, index) {
    const by = event.shiftKey ? 10 : 1;
    const box = held.get(index) ?? boxOf(state.values.layers[index]);
    const grow = { "+": by, "=": by, "-": -by, _: -by }[event.key];
    // Many keyboards have brackets on AltGr, which some browsers call Ctrl and Alt.
    if ((event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph")) return;
    const putBox = (changed) => put(index, { ...box, ...changed }, `keys ${index}`);
    if (event.key in STEPS) {
      const [across, down] = STEPS[event.key];
      putBox({ left: box.left + across * by, top: box.top + down * by });
    } else if (grow) {
      const width = Math.max(SMALLEST, box.width + grow);
      const height = (box.height * width) / box.width;
      putBox({ left: box.left - (width - box.width) / 2, top: box.top - (height - box.height) / 2, width, height });
    } else if (event.key in TURNS) {
      putBox({ angle: normal(box.angle + TURNS[event.key]) });
    } else if (event.key === "Delete" || event.key === "Backspace") {
      const isLogo = state.logo?.layers.includes(index);
      studio.edit([isLogo ? { path: ["logo", "content"], value: null } : { path: ["layers", index], do: "remove" }]);
      stage.focus({ preventScroll: true });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function makeBox(index) {
    const corners = Object.entries(CORNERS).map(([name, [right, bottom]]) =>
      h("span", { class: `qk-corner qk-corner-${name}`, "data-corner": name, "aria-hidden": "true", style: `left: ${right * 100}%; top: ${bottom * 100}%; cursor: ${right === bottom ? "nwse" : "nesw"}-resize` }),
    );
    const listeners = { onpointerdown: (event) => grab(event, index), onkeydown: (event) => key(event, index) };
    const knob = h("span", { class: "qk-knob", "data-knob": "rotate", "aria-hidden": "true" });
    const box = h("div", { class: "qk-layer", tabindex: "0", role: "button", "aria-roledescription": say("movable layer"), "aria-description": KEYS, ...listeners }, ...corners, knob);
    sheet.append(box);
    return box;
  }

  function show(picture_) {
    const data = picture_.svg ?? picture_.png;
    if (data === shownPicture) return;
    shownPicture = data;
    const type = picture_.svg ? "image/svg+xml" : "image/png";
    const url = URL.createObjectURL(new Blob([data], { type }));
    const old = picture.src;
    picture.addEventListener("load", () => old && URL.revokeObjectURL(old), { once: true });
    picture.src = url;
  }

  function update(next, isIdle) {
    state = next;
    if (isIdle && !isDragging) held = new Map();
    const layers = state.values.layers ?? [];
    show(state.picture);
    picture.alt = say("QR Code: {content}", null, { content: state.values.content.slice(0, 200) });
    caption.textContent = state.label;
    const [width, height] = state.size;
    sheet.style.setProperty("--qk-ratio", width / height);
    sheet.style.setProperty("--qk-width", mm ? `${mm}mm` : `${width}px`);
    sheet.style.aspectRatio = `${width} / ${height}`;
    while (boxes.length > layers.length) boxes.pop().remove();
    while (boxes.length < layers.length) boxes.push(makeBox(boxes.length));
    layers.forEach((layer, index) => {
      if (!held.has(index)) place(boxes[index], boxOf(layer));
      boxes[index].hidden = together(index).length > 1 && together(index).at(-1) !== index;
      const name = titleOf(layer, 30);
      const angle = layer.rotation ? say(", rotated by {angle} degrees", null, { angle: layer.rotation }) : "";
      const at = say("{x} pixels from the left, {y} from the top, {width} by {height} pixels", null, layer) + angle;
      boxes[index].setAttribute("aria-label", say("Layer {number}, {name}: {place}", null, { number: index + 1, name, place: at }));
    });
    words.update(state);
    hint.hidden = !layers.length;
  }

  /** Have the true size be a width in millimeters; without one, it is that of the pixels. */
  function stretch(width) {
    mm = width;
    update(state, false);
  }

  return { element, update, caption, stretch };
}

/** Fields over the caption and the subtitle, which show when they have the focus. Enter keeps what is written, Escape drops it. */
function makeWords(studio, sheet) {
  const inputs = { text: makeInput("text", EDIT.text), subtitle: makeInput("subtitle", EDIT.subtitle) };
  sheet.append(...Object.values(inputs));
  let written = {};

  function makeInput(field, name) {
    const input = h("input", { type: "text", class: "qk-words", maxlength: 60, title: name, "aria-label": name, onchange: () => send(field) });
    input.addEventListener("keydown", (event) => {
      if (!["Enter", "Escape"].includes(event.key) || event.isComposing) return;
      event.preventDefault();
      if (event.key === "Escape") input.value = written[field];
      input.blur();
    });
    return input;
  }

  function send(field) {
    const text = inputs[field].value.trim();
    if (text !== written[field] && (text || field === "subtitle")) studio.edit([{ path: ["frame", "caption", field], value: text || null }]);
  }

  function update({ words, size }) {
    for (const [field, input] of Object.entries(inputs)) {
      const one = words.find((word) => word.field === field);
      input.hidden = !one;
      if (!one) continue;
      const [left, top, right, bottom] = one.box;
      const room = (bottom - top) * 0.25;
      placeOn(size, input, { left: left - room, top: top - room, width: right - left + 2 * room, height: bottom - top + 2 * room });
      written[field] = one.text;
      if (input.getRootNode().activeElement !== input) input.value = one.text;
    }
  }
  return { update };
}
