// What all widgets here need: elements, the way to Python and back, keys, the picture that stands in for a widget.
// The files of a widget are one module, this one first; the last one says what it exports.

const LONG = 1500; // milliseconds without an answer until it is said that the kernel is busy
const QUIET = 150; // milliseconds after the last answer until what can wait is done
const scope = Math.random().toString(36).slice(2, 10); // widgets of one page have a module each, and count on their own
let lastId = 0;
const newId = () => `qk-${scope}-${(lastId += 1)}`;

/** A sentence of ours in the language of the page, as Python's say(): a pair is the form for one and the form for several. */
function say(sentence, count, values = {}) {
  const pair = [sentence].flat();
  const entry = WORDS[pair.at(-1)] ?? { one: pair[0], other: pair.at(-1) };
  const form = typeof entry === "string" ? entry : (entry[count == null ? "other" : new Intl.PluralRules(LANGUAGE).select(count)] ?? entry.other);
  const texts = { ...values, count };
  return form.replace(/\{(\w+)\}/g, (whole, name) => (typeof texts[name] === "number" ? inFigures(texts[name]) : (texts[name] ?? whole)));
}

const inFigures = (number) => number.toLocaleString(LANGUAGE);
const asDay = (day) => new Date(`${day}T00:00:00Z`).toLocaleDateString(LANGUAGE === "en" ? "en-GB" : LANGUAGE, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

/** An element: attributes, listeners as onName, children. Each that takes the focus keeps JupyterLab's shortcuts off. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    const isState = name.startsWith("aria-") && typeof value === "boolean"; // which is a word, "true" or "false"
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true && !isState) element.setAttribute(name, "");
    else if (isState || (value !== false && value != null)) element.setAttribute(name, value);
  }
  // On a wrapper it would do nothing: JupyterLab looks at the element that has the focus.
  const takesFocus = ["button", "input", "select", "textarea", "summary"].includes(tag) || "tabindex" in attributes;
  if (takesFocus) element.setAttribute("data-lm-suppress-shortcuts", "true");
  element.append(...children.filter(Boolean));
  return element;
}

const button = (face, onclick, attributes = {}) => h("button", { type: "button", onclick, ...attributes }, ...[face].flat());
/** A button with a sign for its face, which has its name in words. */
const tool = (sign, name, onclick, attributes = {}) => button(sign, onclick, { title: name, "aria-label": name, ...attributes });

/** A text with a capital letter; one that begins with a quote or a path stays as it is. */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A button that shows a part and hides it again. */
function makeToggle(words, part, attributes = {}) {
  part.id = newId();
  part.hidden = true;
  const show = (isShown) => toggle.setAttribute("aria-expanded", !(part.hidden = !isShown));
  const toggle = button(words, () => show(part.hidden), { "aria-controls": part.id, "aria-expanded": "false", ...attributes });
  return { toggle, show };
}

/** Puts a text on the clipboard; says below what has become of it, where pages without TLS have no clipboard. */
async function copyText(text, told, otherwise) {
  try {
    await navigator.clipboard.writeText(text);
    told.textContent = say("Copied to clipboard");
  } catch {
    otherwise();
    told.textContent = say("Press Ctrl+C to copy");
  }
}

/** A box to tick, and the label around it. */
function checkbox(words, onchange, attributes = {}) {
  const input = h("input", { type: "checkbox", onchange, ...attributes });
  return { input, element: h("label", { class: "qk-check" }, input, words) };
}

/** A form; send() is called when it is sent, by its button or by Enter. */
function makeForm(attributes, send, ...children) {
  const onsubmit = (event) => {
    event.preventDefault();
    send();
  };
  return h("form", { onsubmit, ...attributes }, ...children);
}

/** Tabs, each with its panel; onOpen(index) when one is opened. Gives { list, open(index) }. */
function makeTabs(attributes, faces, panels, onOpen) {
  const tabs = faces.map((face, index) => button(face, () => open(index), { role: "tab", id: newId(), "aria-controls": newId() }));
  tabs.forEach((tab, index) => {
    panels[index].id = tab.getAttribute("aria-controls");
    panels[index].setAttribute("role", "tabpanel");
    panels[index].setAttribute("aria-labelledby", tab.id);
  });
  function open(chosen) {
    tabs.forEach((tab, index) => {
      tab.setAttribute("aria-selected", index === chosen);
      tab.tabIndex = index === chosen ? 0 : -1;
      panels[index].hidden = index !== chosen;
    });
    onOpen(chosen);
  }
  function onkeydown(event) {
    const at = tabs.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const chosen = (to + tabs.length) % tabs.length;
    open(chosen);
    tabs[chosen].focus();
  }
  return { list: h("div", { role: "tablist", onkeydown, ...attributes }, ...tabs), open };
}

/** A group of buttons with one tab stop: arrow keys, Home and End move within it. update(stop) says where Tab enters it. */
function makeRoving(attributes, ...parts) {
  const element = h("div", { role: "group", ...attributes }, ...parts);
  const buttons = () => [...element.querySelectorAll("button")];
  function update(stop) {
    const all = buttons();
    const held = all.find((one) => one === element.getRootNode().activeElement) ?? stop ?? all.find((one) => one.tabIndex === 0) ?? all[0];
    for (const one of all) one.tabIndex = one === held ? 0 : -1;
  }
  /** The nearest button in a line above or below. */
  function beside(from, isBelow) {
    const at = from.getBoundingClientRect();
    const gap = (to) => (isBelow ? to.top - at.bottom : at.top - to.bottom);
    const away = ({ to }) => gap(to) + Math.abs(to.left + to.right - at.left - at.right) / 2;
    const found = buttons().map((one) => ({ one, to: one.getBoundingClientRect() })).filter(({ to }) => gap(to) > -1);
    return found.length ? found.reduce((best, next) => (away(next) < away(best) ? next : best)).one : from;
  }
  element.addEventListener("focusin", () => update());
  element.addEventListener("keydown", (event) => {
    const all = buttons();
    const at = all.indexOf(event.target);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = { ArrowLeft: () => all[at - 1], ArrowRight: () => all[at + 1], ArrowUp: () => beside(all[at], false), ArrowDown: () => beside(all[at], true), Home: () => all[0], End: () => all.at(-1) };
    if (!(event.key in moves)) return;
    event.preventDefault();
    moves[event.key]()?.focus();
  });
  return { element, update };
}

/** Draws a part anew, and gives the focus back to the element of the same data-key. */
function keepFocus(part, draw) {
  const held = part.contains(document.activeElement) && document.activeElement.dataset.key;
  draw();
  if (held) part.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus();
}

/** Fills a select, and keeps what is chosen in it unless another value is given. */
function fill(select, options, value = select.value) {
  select.replaceChildren(...options.map((one) => h("option", { value: one.id, selected: one.id === value }, one.name)));
}

const named = (names) => names.map((name) => ({ id: name, name }));

/** A control with its label and the place for what is wrong with it. */
function field(label, path, input, help = "") {
  const error = h("p", { class: "qk-error", id: newId() });
  input.id = newId();
  input.setAttribute("aria-describedby", error.id);
  const element = h("div", { class: "qk-row" }, label && h("label", { class: "qk-label", for: input.id }, label), input, error, help && h("p", { class: "qk-hint" }, help));
  const tell = (errors) => {
    const rule = errors[path] ?? Object.entries(errors).find(([one]) => path && one.startsWith(`${path}.`))?.[1] ?? "";
    // The rule of dates says how they are written, but the browser writes them.
    error.textContent = rule && input.type === "datetime-local" && !input.value ? say("must not be empty") : rule;
    input.setAttribute("aria-invalid", Boolean(error.textContent));
  };
  return { element, input, tell };
}

/** Boxes, of which several may be checked. send(values) is called with those that are. */
function makeBoxes(legend, send) {
  const list = h("div", { class: "qk-line" });
  let boxes = [];
  let drawn = "";
  const onchange = () => send(boxes.filter(({ input }) => input.checked).map(({ input }) => input.value));
  function update(options, chosen) {
    if (JSON.stringify(options) !== drawn) {
      boxes = options.map((one) => checkbox(one.name, onchange, { value: one.id }));
      list.replaceChildren(...boxes.map(({ element }) => element));
    }
    drawn = JSON.stringify(options);
    for (const { input } of boxes) input.checked = chosen.includes(input.value);
  }
  return { element: h("fieldset", { class: "qk-boxes" }, h("legend", {}, legend), list), update };
}

/** Reads a file as a data URI; then(uri, file). */
function readFile(file, then) {
  const reader = new FileReader();
  reader.onload = () => then(reader.result, file);
  reader.readAsDataURL(file);
}

/** One message at a time: what hands do meanwhile is put together, so that no change waits behind forty others. */
function makeOutbox(model, root, onWait) {
  const view = newId();
  const waiting = [];
  let isAway = false;
  let clock = null;
  function next() {
    clearTimeout(clock);
    onWait(false);
    const message = waiting.shift();
    isAway = message !== undefined;
    root.classList.toggle("qk-asking", isAway);
    root.dataset.asked = message?.ask ?? "";
    clock = isAway ? setTimeout(() => onWait(true), LONG) : setTimeout(tellHost, QUIET);
    if (isAway) model.send({ ...message, view });
  }
  // Notebooks that run cells again, such as marimo's, do so when the browser sets a value of a widget.
  function tellHost() {
    model.set("seen", model.get("state").answered);
    model.save_changes();
  }
  const outbox = {
    view, // what is sent to it alone bears its name
    answered: next,
    isIdle: () => !isAway,
    end: () => clearTimeout(clock),
    ask(message) {
      waiting.push(message);
      if (!isAway) next();
    },
    /** A message takes the place of one of its kind that waits; the fields that it adds join those that wait. */
    askTogether(message, added) {
      const last = waiting.at(-1)?.ask === message.ask ? waiting.at(-1) : null;
      const whole = added ? { ...message, fields: { ...last?.fields, ...added } } : message;
      if (last) Object.assign(last, whole);
      else outbox.ask(whole);
    },
    edit(edits, gesture) {
      const last = waiting.at(-1);
      if (last?.ask === "edit" && gesture !== undefined && last.gesture === gesture) {
        const paths = new Set(edits.map((edit) => edit.path.join(".")));
        last.edits = [...last.edits.filter((edit) => !paths.has(edit.path.join("."))), ...edits];
      } else if (edits.length) outbox.ask({ ask: "edit", edits, gesture });
    },
  };
  return outbox;
}

/** A widget without its parts: its element, the place where it says that Python is busy, and the way to Python and back. */
function makeWidget({ model, el }, name, label, onWait) {
  const busy = h("p", { class: "qk-busy", role: "status" });
  const root = h("div", { class: `qrkit-widget qrkit-${name}`, role: "region", "aria-label": label });
  const outbox = makeOutbox(model, root, onWait ?? ((isLong) => (busy.textContent = isLong ? say("Working…") : "")));
  el.append(root);
  /** Calls update(state, last) now and after each answer, hear(message, buffers) for what is sent to this view; gives what ends the widget. */
  function run(update, hear = () => {}, ...ends) {
    let state = model.get("state");
    const onState = () => {
      const last = state;
      state = model.get("state");
      if (state.answered !== last.answered) outbox.answered();
      update(state, last);
    };
    const onMessage = (message, buffers) => message.view === outbox.view && hear(message, buffers);
    model.on("change:state", onState);
    model.on("msg:custom", onMessage);
    const all = [...ends, outbox.end, lendShortcuts(root), hideTwin(model), () => model.off("change:state", onState), () => model.off("msg:custom", onMessage)];
    update(state, state);
    return () => all.forEach((end) => end());
  }
  return { root, busy, outbox, run };
}

/** Hands a file that Python made to the person. */
function save(name, data, type = "") {
  const url = URL.createObjectURL(new Blob([data], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** JupyterLab may have the keys that belong to the notebook: saving, running. */
function lendShortcuts(root) {
  const lend = (event) => {
    const target = event.composedPath()[0];
    const isTheirs = ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") || (event.shiftKey && event.key === "Enter" && target.tagName !== "TEXTAREA");
    if (!isTheirs || !root.contains(target)) return;
    target.removeAttribute("data-lm-suppress-shortcuts");
    setTimeout(() => target.setAttribute("data-lm-suppress-shortcuts", "true"));
  };
  // On the window: JupyterLab listens on the document.
  window.addEventListener("keydown", lend, true);
  return () => window.removeEventListener("keydown", lend, true);
}

function hideTwin(model) {
  const id = model.get("twin");
  const style = h("style", {}, `.jp-OutputArea-child:has(.qrkit-twin-${id}), .qrkit-twin-${id} { display: none; }`);
  document.head.append(style);
  return () => style.remove();
}
