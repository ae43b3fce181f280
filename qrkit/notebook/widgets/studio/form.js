// Controls, built from what Python tells of the fields: their kind, bounds, choices, units and help.

const MOST_SEGMENTS = 4;
const LED = ["frame", "markers", "photo"]; // their records need no box to be switched on
const EMPTIED = ["choice", "text", "picture", "color"]; // kinds of fields that need no box, because they can be empty
const DRAWN = { kind: "frame", pattern: "eye" }; // fields whose choices are pictures of the design, and their kind

/**
 * A control for one field.
 * studio: { edit(edits, gesture), thumbnails, pictures, icons(words, then), help(text), refused, contrasts, colors }
 * Gives { element, update(value, errors) }; errors: path of a field, with dots, to the message.
 */
function makeControl(studio, spec, path) {
  if (spec.optional && spec.kind === "record" && LED.includes(path[0])) return ledControl(studio, spec, path);
  const isSwitched = spec.optional && !EMPTIED.includes(spec.kind);
  return MAKERS[isSwitched ? "optional" : spec.kind](studio, spec, path);
}

/** A record that its first field switches on, and off when it is empty: a frame by its picture, a caption by its text. */
function ledControl(studio, { label, ...spec }, path) {
  const [leader, ...fields] = spec.fields;
  const edit = (edits, gesture) => studio.edit(edits.map((one) => (one.value ? one : { path, value: null })), gesture);
  const lead = makeControl(Object.assign(Object.create(studio), { edit }), { ...leader, label, optional: true }, [...path, leader.name]);
  const inside = makeControl(studio, { ...spec, optional: false, fields }, path);
  function update(value, errors) {
    lead.update(value?.[leader.name], errors);
    inside.element.hidden = value == null;
    inside.update(value, errors);
  }
  return { element: h("div", { class: "qk-stack qk-record" }, lead.element, inside.element), update };
}

/** A place for one control at a time: make(key) gives another when the key changes; without a key, there is none. */
function makeSlot(make, name = "qk-optional") {
  const element = h("div", { class: name });
  let [shown, inside] = [null, null];
  function update(key, value, errors) {
    if (key !== shown) {
      [shown, inside] = [key, key ? make(key) : null];
      element.replaceChildren(...(inside ? [inside.element] : []));
    }
    inside?.update(value, errors);
  }
  return { element, update };
}

/** A label, what the field is set with, and what is wrong with it. */
function row(studio, spec, path, ...inside) {
  const reason = h("span", {});
  const offer = button("", () => offered && studio.edit(offered.edits), { class: "qk-offer", hidden: true });
  const error = h("p", { class: "qk-error", id: newId(), hidden: true }, reason, offer);
  let offered = null;
  const help = h("span", { class: "qk-unseen", id: newId() }, spec.help ?? "");
  const element = h("div", { class: `qk-row qk-${spec.kind}${spec.slider ? " qk-slides" : ""}` }, ...inside, error, help);
  const tell = () => studio.help(spec.help ?? "");
  element.addEventListener("focusin", tell);
  element.addEventListener("pointerenter", tell);
  const describe = (input, more = "") => input.setAttribute("aria-describedby", `${help.id} ${error.id} ${more}`.trim());
  function complain(errors) {
    const message = inWords(errors[path.join(".")] ?? "", spec);
    if (reason.textContent !== message) reason.textContent = message;
    error.hidden = !message;
    offered = (message && studio.refused[path.join(".")]?.offer) || null;
    offer.hidden = !offered;
    offer.textContent = offered?.words ?? "";
    return Boolean(message);
  }
  return { element, complain, describe };
}

const IN_BOUNDS = say("must be in {low}..{high}").split("{")[0];

/** A rule as a sentence; bounds as the field shows them. */
function inWords(rule, spec) {
  if (!rule) return "";
  const times = spec.percent ? 100 : 1;
  const unit = spec.unit ? ` ${spec.unit}` : "";
  const sentence = spec.kind === "number" && rule.startsWith(IN_BOUNDS) ? say("must be between {low} and {high}{unit}", null, { low: spec.low * times, high: spec.high * times, unit }) : rule;
  const end = /[.?!]$/.test(sentence) ? "" : ".";
  return `${capital(sentence)}${end}`;
}

/** What an entry of a list is called: its name, or that of its icon; a picture in a data URI has none. */
function titleOf(entry, longest) {
  if (entry.name) return entry.name;
  return entry.content?.startsWith("data:") ? say("picture") : (entry.content ?? "").replace(/^icon:/, "").slice(0, longest);
}

/** A refused value stays until it is corrected, in a page that is shown anew as well. */
function refusedOr(studio, path, value) {
  const refused = studio.refused[path.join(".")]?.value;
  return ["string", "number", "boolean"].includes(typeof refused) ? refused : value;
}

/** How an optional field is read: it is left out if it is empty. */
const emptied = ({ optional }) => (optional ? { read: (text) => text || null } : {});

/** A field whose text must not change under the hands of who writes in it. */
function typed(studio, spec, path, input, { read = (text) => text, write = (value) => value ?? "" } = {}) {
  let count = 0;
  const gesture = () => `${path.join(".")} ${count}`;
  let isAhead = false;
  function send(value) {
    isAhead = true;
    studio.edit([{ path, value }], gesture());
  }
  input.addEventListener("input", () => send(read(input.value)));
  input.addEventListener("change", () => (count += 1));
  input.addEventListener("blur", () => studio.refresh());
  function update(value, isWrong) {
    if (studio.isIdle()) isAhead = false;
    input.ariaInvalid = isWrong ? "true" : null;
    const text = String(write(refusedOr(studio, path, value)));
    const isWriting = input.getRootNode().activeElement === input && isWrong;
    if (!isWriting && !isAhead && input.value !== text && !sameMeaning(input, text)) input.value = text;
  }
  return { update, send, done: () => (count += 1) };
}

/** Whether what is being written says the same already: "1." and "1", "NAVY" and "#000080", nothing and the default. */
function sameMeaning(input, text) {
  if (input.getRootNode().activeElement !== input) return false;
  if (!input.value) return true;
  return input.type === "number" ? Number(input.value) === Number(text) : input.dataset.free === "true";
}

function label(spec, id) {
  return h("label", { class: "qk-label", for: id }, spec.label);
}

const MAKERS = {
  text: (studio, spec, path) => textControl(studio, spec, path, "input"),
  paragraph: (studio, spec, path) => textControl(studio, spec, path, "textarea"),

  number(studio, spec, path) {
    // Shares are shown in percent, and no number with more than two decimals.
    const times = spec.percent ? 100 : 1;
    const shown = (value) => (typeof value === "number" ? Math.round(value * times * 100) / 100 : (value ?? 0));
    const meant = (number) => (spec.percent ? Math.round(number * 100) / 10000 : number);
    const step = spec.whole || spec.percent ? 1 : spec.high - spec.low <= 1 ? 0.01 : "any";
    const bounds = { min: spec.low * times, max: spec.high * times, step };
    const input = h("input", { type: "number", id: newId(), inputmode: "decimal", ...bounds });
    const unit = spec.unit && h("span", { class: "qk-unit" }, spec.unit);
    const slider = spec.slider && h("input", { type: "range", "aria-label": spec.label, ...bounds });
    const set = h("div", { class: "qk-set" }, slider, input, unit);
    const made = row(studio, spec, path, label(spec, input.id), set);
    // What is no number is sent as it is, so that the rule is told.
    const read = (text) => (text === "" || Number.isNaN(Number(text)) ? text : meant(Number(text)));
    const field = typed(studio, spec, path, input, { read, write: shown });
    made.describe(input);
    if (slider) {
      made.describe(slider);
      slider.addEventListener("input", () => {
        input.value = slider.value;
        field.send(meant(Number(slider.value)));
      });
      slider.addEventListener("change", field.done);
    }
    function update(value, errors) {
      const isWrong = made.complain(errors);
      field.update(value, isWrong);
      const isMoving = slider && slider.getRootNode().activeElement === slider && !studio.isIdle();
      if (slider && !isWrong && !isMoving) slider.value = shown(value);
    }
    return { element: made.element, update };
  },

  switch(studio, spec, path) {
    const { input, element } = checkbox(spec.label, () => studio.edit([{ path, value: input.checked }]));
    return inputControl(studio, spec, path, input, [element], (value) => (input.checked = Boolean(value)));
  },

  color: (studio, spec, path) => colorControl(studio, spec, path),

  choice(studio, spec, path) {
    const names = path.filter((step) => typeof step === "string");
    const drawn = studio.thumbnails[names.join(".")] ?? studio.thumbnails[spec.name];
    const draw = (choice) => drawn.paths[choice] && path2d(drawn.paths[choice], drawn.side);
    const kind = LED.includes(path[0]) && DRAWN[spec.name];
    const pictures = kind ? (choice) => studio.pictures.of({ kind, name: choice, corner: path[1] }) : drawn && draw;
    const choices = spec.optional ? ["", ...spec.choices] : spec.choices;
    if (!pictures && choices.length > MOST_SEGMENTS) return selectControl(studio, spec, path, choices);
    const made = radios(studio, spec, path, choices, pictures, (choice) => studio.edit([{ path, value: choice || null }]));
    return { element: made.element, update: (value, errors) => made.update(refusedOr(studio, path, value), errors) };
  },

  picture(studio, spec, path) {
    const input = h("input", { type: "text", id: newId(), spellcheck: "false", placeholder: "icon:NAME, data:image/…, or https://…" });
    // A layer is called by its file: people do not know it by a data URI.
    const nameOf = (file) => (path[0] === "layers" ? [{ path: [...path.slice(0, -1), "name"], value: file.name }] : []);
    const file = fileButton(say("Choose file…"), `${say("Choose a file")}: ${spec.label}`, PICTURES, (chosen) => readFile(chosen, (value) => studio.edit([{ path, value }, ...nameOf(chosen)])));
    const take = (name) => studio.edit([{ path, value: `icon:${name}` }]);
    return typedControl(studio, spec, path, input, h("div", { class: "qk-set" }, input, ...file), ...iconSearch(studio, take));
  },

  record(studio, spec, path) {
    const title = spec.label && path.length > 1;
    const element = h(title ? "fieldset" : "div", { class: "qk-stack qk-record" }, title && h("legend", {}, spec.label));
    const error = h("p", { class: "qk-error" });
    const grid = h("div", { class: "qk-stack qk-fields" });
    element.append(error, grid);
    const linked = spec.name === "markers" ? linkCorners(studio, grid) : null;
    const isGradient = spec.name === "gradient" && path.length === 1;
    const make = (field) => (isGradient && field.name === "stops" ? makeStops : makeControl)(linked ?? studio, field, [...path, field.name]);
    const inside = spec.fields.map((field) => [field, make(field)]);
    const angle = isGradient ? makeAngle(studio, path) : null;
    const part = (isRare) => inside.filter(([field]) => Boolean(field.rare) === isRare).map(([, control]) => control.element);
    grid.append(...part(false));
    const rare = part(true);
    if (rare.length) element.append(h("details", { class: "qk-card" }, h("summary", {}, path[0] === "form" ? say("More fields") : say("More options")), h("div", { class: "qk-stack qk-fields" }, ...rare)));
    if (angle) inside.find(([field]) => field.name === "stops")[1].element.after(angle.element);
    function update(value, errors) {
      error.textContent = errors[path.join(".")] ?? "";
      for (const [field, control] of inside) {
        control.update(value?.[field.name], errors);
        if (field.when) control.element.hidden = !field.when[1].includes(value?.[field.when[0]]);
      }
      if (angle) angle.update(value, errors);
      if (linked) linked.show(value ?? {}, inside);
    }
    return { element, update };
  },

  optional(studio, spec, path) {
    const { optional, ...plain } = spec;
    const change = () => studio.edit([input.checked ? { path, do: "start" } : { path, value: null }]);
    const { input, element: head } = checkbox(spec.label, change);
    const slot = makeSlot(() => makeControl(studio, plain, path));
    const made = row(studio, spec, path, head, slot.element);
    made.describe(input);
    function update(value, errors) {
      input.checked = value != null;
      slot.update(input.checked, value, errors);
      made.complain(input.checked ? {} : errors);
    }
    return { element: made.element, update };
  },

  either(studio, spec, path) {
    const [first] = spec.choices; // a color; the second is a record
    const fields = Object.fromEntries(spec.fields.map((field) => [field.name, field]));
    const kinds = { ...spec, kind: "choice", words: Object.fromEntries(spec.fields.map((field) => [field.name, field.label])) };
    const switcher = radios(studio, kinds, path, spec.choices, null, (branch) => studio.edit([{ path, do: "start", value: branch }]));
    const slot = makeSlot((branch) => makeControl(studio, { ...fields[branch], label: branch === first ? say("{field} color", null, { field: spec.label }) : "" }, path));
    function update(value, errors) {
      const branch = typeof value === "string" ? first : spec.choices[1];
      slot.update(branch, value, errors);
      switcher.update(branch, branch === first ? {} : errors);
    }
    return { element: h("div", {}, switcher.element, slot.element), update };
  },

  list(studio, spec, path) {
    const [entry] = spec.fields;
    const noun = LANGUAGE === "de" ? entry.label : entry.label.toLowerCase(); // German nouns are capitalized
    const items = h("div", { class: "qk-items" });
    const add = button(`${say("Add")}: ${noun}`, () => studio.edit([{ path, do: "start" }]));
    const made = row(studio, spec, path, h("span", { class: "qk-label" }, spec.label), items, add);
    let cards = [];
    function makeCard(index) {
      const at = [...path, index];
      const control = makeControl(studio, { ...entry, label: "" }, at);
      const name = h("span", {});
      const change = (sign, title, edit) => tool(sign, say("{tool} {name} {number}", null, { tool: title, name: noun, number: index + 1 }), () => studio.edit([{ path: at, ...edit }]), { class: "qk-icon" });
      const up = change("↑", say("Move up"), { do: "move", value: index - 1 });
      const down = change("↓", say("Move down"), { do: "move", value: index + 1 });
      const away = change("✕", say("Remove"), { do: "remove" });
      const details = h("details", { class: "qk-card", open: true }, h("summary", {}, name), control.element);
      function update(value, errors, count) {
        const title = titleOf(value, 40);
        name.textContent = `${entry.label} ${index + 1}${title ? `: ${title}` : ""}`;
        up.disabled = index === 0;
        down.disabled = index === count - 1;
        away.disabled = count <= (spec.low ?? 0);
        control.update(value, errors);
      }
      return { element: h("div", { class: "qk-entry" }, details, h("div", { class: "qk-set qk-tools" }, up, down, away)), update };
    }
    function update(value, errors) {
      const values = value ?? [];
      while (cards.length > values.length) cards.pop().element.remove();
      while (cards.length < values.length) {
        cards.push(makeCard(cards.length));
        items.append(cards.at(-1).element);
      }
      cards.forEach((card, index) => card.update(values[index], errors, values.length));
      add.disabled = values.length >= spec.high;
      made.complain(errors);
    }
    return { element: made.element, update };
  },
};

const PICTURES = "image/png,image/jpeg,image/svg+xml,image/webp,image/gif,image/avif,image/bmp,image/tiff,image/x-icon";

/** A button to choose a file, and the input behind it; take(file) when one is chosen. */
function fileButton(words, title, accept, take) {
  const input = h("input", { type: "file", accept, class: "qk-unseen", tabindex: "-1", "aria-label": title });
  input.addEventListener("change", () => {
    if (input.files[0]) take(input.files[0]);
    input.value = ""; // so that the same file can be chosen again
  });
  return [button(words, () => input.click()), input];
}

/** A field to look for icons, and the icons that were found; take(name) when one is chosen. */
function iconSearch(studio, take) {
  const words = h("input", { type: "search", "aria-label": say("Search icons"), placeholder: say("Search icons: heart, coffee, phone…") });
  const found = h("div", { class: "qk-icons", role: "group", "aria-label": say("Matching icons") });
  const face = ([name, data]) => tool(path2d(data, 24), name, () => take(name));
  words.addEventListener("input", () => {
    if (!words.value.trim()) return found.replaceChildren();
    studio.icons(words.value, (icons) => found.replaceChildren(...Object.entries(icons).map(face)));
  });
  return [words, found];
}

/** A control of one input: what it looks like, and how its value is shown. */
function inputControl(studio, spec, path, input, inside, show) {
  const made = row(studio, spec, path, ...inside);
  made.describe(input);
  return { element: made.element, update: (value, errors) => show(refusedOr(studio, path, value), made.complain(errors)) };
}

/** The same for an input in which people write. */
function typedControl(studio, spec, path, input, ...inside) {
  const field = typed(studio, spec, path, input, emptied(spec));
  return inputControl(studio, spec, path, input, [label(spec, input.id), ...inside], field.update);
}

function textControl(studio, spec, path, tag) {
  const input = h(tag, { id: newId(), ...(tag === "input" ? { type: "text" } : { rows: 3 }), spellcheck: "false", placeholder: spec.placeholder, required: spec.required });
  return typedControl(studio, spec, path, input, input);
}

function selectControl(studio, spec, path, choices) {
  const input = h("select", { id: newId(), onchange: () => studio.edit([{ path, value: input.value || null }]) });
  fill(input, choices.map((choice) => ({ id: choice, name: spec.words[choice] })));
  return inputControl(studio, spec, path, input, [label(spec, input.id), input], (value) => (input.value = value ?? ""));
}

/** A choice of which all can be seen: words side by side, or pictures in a grid; pictures(choice) gives an element. */
function radios(studio, spec, path, choices, pictures, choose) {
  const group = newId();
  const options = choices.map((choice) => {
    const word = spec.words[choice];
    const input = h("input", { type: "radio", name: group, value: choice, class: "qk-unseen", onchange: () => choose(choice) });
    const face = pictures?.(choice) || word;
    const label_ = h("label", { class: "qk-option", title: word }, input, face);
    if (pictures) input.setAttribute("aria-label", word);
    return label_;
  });
  const heading = h("span", { class: "qk-label", id: newId() }, spec.label);
  const style = pictures ? "qk-gallery" : "qk-line qk-segments";
  const set = h("div", { class: style, role: "radiogroup", "aria-labelledby": heading.id }, ...options);
  const made = row(studio, spec, path, heading, set);
  made.describe(set);
  function update(value, errors) {
    made.complain(errors);
    // What a hand has chosen stays until it is answered.
    if (studio.isIdle()) for (const option of options) option.firstChild.checked = option.firstChild.value === (value ?? "");
  }
  return { element: made.element, update };
}

const CORNER_NAMES = ["topLeft", "topRight", "bottomLeft"];

/** Eyes are alike in most designs: then one set of controls changes all three corners. */
function linkCorners(studio, grid) {
  let values = {};
  let isLinked = null;
  const { input, element } = checkbox(say("Use the same eye in all three corners"), () => {
    isLinked = input.checked;
    const edits = CORNER_NAMES.slice(1).map((corner) => ({ path: ["markers", corner], value: values.topLeft ?? null }));
    if (isLinked) studio.edit(edits);
    studio.refresh();
  });
  grid.append(element);
  const everywhere = (edit) =>
    CORNER_NAMES.map((corner) => ({ ...edit, path: [edit.path[0], corner, ...edit.path.slice(2)] }));
  return Object.assign(Object.create(studio), {
    edit: (edits, gesture) => studio.edit(isLinked ? edits.flatMap(everywhere) : edits, gesture),
    show(next, inside) {
      values = next;
      const texts = CORNER_NAMES.map((corner) => JSON.stringify(values[corner] ?? null));
      const areAlike = texts.every((text) => text === texts[0]);
      if (isLinked === null || (!areAlike && studio.isIdle())) isLinked = areAlike;
      input.checked = isLinked;
      for (const [field, control] of inside) {
        const isFirst = field.name === CORNER_NAMES[0];
        control.element.hidden = isLinked && !isFirst;
        const name = control.element.querySelector(".qk-label");
        if (isFirst) name.textContent = isLinked ? say("Eyes") : field.label;
      }
    },
  });
}
