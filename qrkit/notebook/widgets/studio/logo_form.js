// The form of the logo: a picture from a file, by drag and drop, or an icon; its size, with the largest safe one; its plate.

const SNAPS = 1; // percent of the symbol's width

/** specs: of the fields size and plate. Gives { element, update(state), take(file) }. */
function makeLogoForm(studio, specs) {
  const name = h("strong", { class: "qk-file-name" });
  const remove = button(say("Remove"), () => studio.edit([{ path: ["logo", "content"], value: null }]));
  const where = h("p", { class: "qk-hint" }, say("or drop a PNG, JPEG, SVG or WebP on the picture"));
  const error = h("p", { class: "qk-error" });
  const take = (chosen) =>
    readFile(chosen, (value) => studio.edit([{ path: ["logo", "content"], value }, { path: ["logo", "name"], value: chosen.name }]));
  const [choose, file] = fileButton("", say("Choose a file for the logo"), PICTURES, take);
  const takeIcon = (icon) => studio.edit([{ path: ["logo", "content"], value: `icon:${icon}` }, { path: ["logo", "name"], value: icon }]);
  const size = makeSize(studio, specs.size);
  const plate = makeControl(studio, specs.plate, ["logo", "plate"]);
  const details = h("div", { class: "qk-stack qk-record" }, size.element, plate.element);
  const head = h("div", { class: "qk-row" }, h("div", { class: "qk-line" }, choose, name, remove, file), where, error);
  const element = h("div", { class: "qk-stack qk-logo-form" }, head, ...iconSearch(studio, takeIcon), details);
  function update({ logo, values, errors }) {
    choose.textContent = logo ? say("Replace…") : say("Choose a file…");
    choose.classList.toggle("qk-primary", !logo);
    name.textContent = logo?.name ?? "";
    for (const part of [remove, details]) part.hidden = !logo;
    where.hidden = Boolean(logo);
    error.textContent = errors["logo.content"] ?? errors.logo ?? "";
    if (!logo) return;
    size.update(logo, values.ec, errors);
    plate.update(logo.plate, errors);
  }
  return { element, update, take };
}

/** A slider that stops at the largest safe size when it comes near. */
function makeSize(studio, spec) {
  const id = newId();
  const slider = h("input", { type: "range", id, min: spec.low, max: spec.high, step: 0.5 });
  const shown = h("output", { class: "qk-unit", for: id });
  const safe = h("p", { class: "qk-safe", role: "status" });
  const mark = h("span", { class: "qk-mark", "aria-hidden": "true" });
  const track = h("div", { class: "qk-track" }, slider, mark);
  const made = row(studio, spec, ["logo", "size"], label(spec, id), h("div", { class: "qk-set" }, track, shown), safe);
  let largest = null;
  let room = "";
  let count = 0;
  made.describe(slider);
  slider.addEventListener("input", () => {
    if (largest !== null && Math.abs(slider.value - largest) < SNAPS) slider.value = largest;
    tell(Number(slider.value));
    studio.edit([{ path: ["logo", "size"], value: Number(slider.value) }], `logo ${count}`);
  });
  slider.addEventListener("change", () => (count += 1));
  function tell(value) {
    shown.textContent = say("{share}% of the width", null, { share: Math.round(value) });
    if (largest === null) safe.textContent = "";
    else safe.textContent = value > largest ? `${say("More than {share}% may fail to scan.", null, { share: largest })} ${room}` : say("Up to {share}% is safe.", null, { share: largest });
    safe.classList.toggle("qk-beyond", largest !== null && value > largest);
  }
  function update(logo, level, errors) {
    made.complain(errors);
    room = level === "H" ? say("A larger version leaves more room.") : say("Error correction level H leaves more room.");
    largest = logo.largest;
    mark.hidden = largest === null;
    mark.style.left = `${((largest - spec.low) / (spec.high - spec.low)) * 100}%`;
    const isMoving = slider.getRootNode().activeElement === slider && !studio.isIdle();
    if (!isMoving) slider.value = logo.size;
    tell(Number(slider.value));
  }
  return { element: made.element, update };
}
