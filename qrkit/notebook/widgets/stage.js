// The picture, and on it the boxes of its layers, to be moved and resized by mouse and by keys.

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
const SNAP = 5; // pixels of the screen
const SMALLEST = 4; // pixels of the picture
const KEYS = "Use the arrow keys to move the layer, plus and minus to resize it, and Delete to remove it. Hold Shift for steps of 10.";
const GROUNDS = { checks: "Checkered", paper: "White", dark: "Dark" };
const round = (number) => Math.round(number * 10) / 10;

/** studio: { edit(edits, gesture), select(index) }. Gives { element, update(state) }. */
function makeStage(studio) {
  const picture = h("img", { class: "qk-shown", alt: "", draggable: "false" });
  const guides = [h("div", { class: "qk-guide qk-guide-x" }), h("div", { class: "qk-guide qk-guide-y" })];
  const sheet = h("div", { class: "qk-sheet" }, picture, ...guides);
  const hint = h("p", { class: "qk-hint" });
  const caption = h("p", { class: "qk-caption" });
  const stage = h("div", { class: "qk-stage", "data-ground": "checks" }, sheet);
  const ground = h("select", { "aria-label": "Behind the picture" }, ...Object.entries(GROUNDS).map(([value, words]) => h("option", { value }, words)));
  ground.addEventListener("change", () => (stage.dataset.ground = ground.value));
  const actual = h("input", { type: "checkbox", id: newId() });
  actual.addEventListener("change", () => stage.classList.toggle("qk-actual", actual.checked));
  const views = h("div", { class: "qk-views" }, caption, h("div", { class: "qk-check" }, actual, h("label", { for: actual.id }, "Actual size")), ground);
  const element = h("div", { class: "qk-stage-side" }, stage, views, hint);
  const boxes = [];
  let state = null;
  let held = null; // the layer that hands are ahead of the picture with: { index, box }
  let isDragging = false;
  let shownPicture = null;
  let gestures = 0;

  /** Where a layer lies in pixels of the whole picture. */
  function boxOf(layer) {
    const [scaleX, scaleY, moveX, moveY] = state.matrix;
    const width = layer.width * Math.abs(scaleX);
    const height = layer.height * Math.abs(scaleY);
    const left = layer.x * scaleX + moveX - (scaleX < 0 ? width : 0);
    const top = layer.y * scaleY + moveY - (scaleY < 0 ? height : 0);
    return { left, top, width, height };
  }

  function layerOf(box) {
    const [scaleX, scaleY, moveX, moveY] = state.matrix;
    return {
      x: round((box.left + (scaleX < 0 ? box.width : 0) - moveX) / scaleX),
      y: round((box.top + (scaleY < 0 ? box.height : 0) - moveY) / scaleY),
      width: round(box.width / Math.abs(scaleX)),
      height: round(box.height / Math.abs(scaleY)),
    };
  }

  function put(index, box, gesture) {
    held = { index, box };
    place(boxes[index], box);
    const layer = layerOf(box);
    const before = state.values.layers[index];
    const changed = Object.keys(layer).filter((name) => layer[name] !== before[name]);
    studio.edit(changed.map((name) => ({ path: ["layers", index, name], value: layer[name] })), gesture);
  }

  function place(element, box) {
    const [width, height] = state.size;
    element.style.left = `${(box.left / width) * 100}%`;
    element.style.top = `${(box.top / height) * 100}%`;
    element.style.width = `${(box.width / width) * 100}%`;
    element.style.height = `${(box.height / height) * 100}%`;
  }

  function centre() {
    const [scaleX, scaleY, moveX, moveY] = state.matrix;
    return [(state.area[0] / 2) * scaleX + moveX, (state.area[1] / 2) * scaleY + moveY];
  }

  /** Bring a box that is nearly in the middle there, and show the line it lies on. */
  function snapped(box, pixels, isFree) {
    const [middleX, middleY] = centre();
    const near = (place, middle) => !isFree && Math.abs(place - middle) < SNAP * pixels;
    const isNear = [near(box.left + box.width / 2, middleX), near(box.top + box.height / 2, middleY)];
    if (isNear[0]) box.left = middleX - box.width / 2;
    if (isNear[1]) box.top = middleY - box.height / 2;
    guides.forEach((guide, axis) => guide.classList.toggle("qk-on", isNear[axis]));
    guides[0].style.left = `${(middleX / state.size[0]) * 100}%`;
    guides[1].style.top = `${(middleY / state.size[1]) * 100}%`;
    return box;
  }

  /** The corner opposite stays; the form too, unless Shift is held. */
  function resized(start, corner, moveX, moveY, isFree) {
    const [right, bottom] = CORNERS[corner];
    let width = Math.max(SMALLEST, start.width + (right ? moveX : -moveX));
    let height = Math.max(SMALLEST, start.height + (bottom ? moveY : -moveY));
    if (!isFree) {
      const factor = Math.max(width / start.width, height / start.height);
      [width, height] = [start.width * factor, start.height * factor];
    }
    const left = right ? start.left : start.left + start.width - width;
    const top = bottom ? start.top : start.top + start.height - height;
    return { left, top, width, height };
  }

  function grab(event, index) {
    if (event.button !== 0) return;
    const corner = event.target.dataset.corner;
    const start = boxOf(state.values.layers[index]);
    const pixels = state.size[0] / sheet.clientWidth; // of the picture, for one of the screen
    const gesture = `hand ${(gestures += 1)}`;
    const box = boxes[index];
    studio.select(index);
    box.focus({ preventScroll: true });
    box.setPointerCapture(event.pointerId);
    event.preventDefault();
    const move = (moved) => {
      const moveX = (moved.clientX - event.clientX) * pixels;
      const moveY = (moved.clientY - event.clientY) * pixels;
      const to = corner
        ? resized(start, corner, moveX, moveY, moved.shiftKey)
        : snapped({ ...start, left: start.left + moveX, top: start.top + moveY }, pixels, moved.altKey);
      put(index, to, gesture);
    };
    isDragging = true;
    const end = () => {
      isDragging = false;
      guides.forEach((guide) => guide.classList.remove("qk-on"));
      box.removeEventListener("pointermove", move);
      box.removeEventListener("lostpointercapture", end);
    };
    box.addEventListener("pointermove", move);
    box.addEventListener("lostpointercapture", end);
  }

  const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  function key(event, index) {
    const by = event.shiftKey ? 10 : 1;
    const box = held?.index === index ? held.box : boxOf(state.values.layers[index]);
    const grow = { "+": by, "=": by, "-": -by, _: -by }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in STEPS) {
      const [across, down] = STEPS[event.key];
      put(index, { ...box, left: box.left + across * by, top: box.top + down * by }, `keys ${index}`);
    } else if (grow) {
      const width = Math.max(SMALLEST, box.width + grow);
      const height = (box.height * width) / box.width;
      const left = box.left - (width - box.width) / 2;
      put(index, { left, top: box.top - (height - box.height) / 2, width, height }, `keys ${index}`);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      studio.edit([{ path: ["layers", index], do: "remove" }]);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function makeBox(index) {
    const corners = Object.keys(CORNERS).map((name) =>
      h("span", { class: `qk-corner qk-corner-${name}`, "data-corner": name, "aria-hidden": "true" }),
    );
    const box = h(
      "div",
      {
        class: "qk-layer",
        tabindex: "0",
        role: "button",
        "aria-roledescription": "movable layer",
        onpointerdown: (event) => grab(event, index),
        onkeydown: (event) => key(event, index),
      },
      ...corners,
    );
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
    if (isIdle && !isDragging) held = null;
    const layers = state.values.layers ?? [];
    show(state.picture);
    picture.alt = `QR Code: ${state.values.content.slice(0, 200)}`;
    caption.textContent = state.label;
    const [width, height] = state.size;
    sheet.style.setProperty("--qk-ratio", width / height);
    sheet.style.setProperty("--qk-width", `${width}px`);
    sheet.style.aspectRatio = `${width} / ${height}`;
    while (boxes.length > layers.length) boxes.pop().remove();
    while (boxes.length < layers.length) boxes.push(makeBox(boxes.length));
    layers.forEach((layer, index) => {
      if (held?.index !== index) place(boxes[index], boxOf(layer));
      const name = titleOf(layer, 30);
      const at = `${layer.x} pixels from the left, ${layer.y} from the top, ${layer.width} by ${layer.height} pixels`;
      boxes[index].setAttribute("aria-label", `Layer ${index + 1}, ${name}: ${at}`);
      boxes[index].setAttribute("aria-description", KEYS);
    });
    hint.textContent = layers.length
      ? "Drag a layer or use the arrow keys to move it. Drag a corner or press + or − to resize it."
      : "";
  }

  return { element, update };
}
