// What becomes of the design: a file for a purpose, in pixels or for print, one or a whole set, and copies.

const ONE = "one";
const RESOLUTIONS = [150, 203, 300, 600]; // dots per inch

/**
 * purposes: the format and print size of each, by name. Gives { button, element, update(state), hear(message, buffers) }: what
 * opens it, buttons for files and copies, and what comes back of them.
 */
function makeOutput(studio, { downloads, purposes }) {
  const field = (words, input) => h("div", { class: "qk-inline" }, h("label", { class: "qk-label", for: input.id }, words), input);
  const name = h("input", { type: "text", id: newId(), maxlength: 100, placeholder: say("from the content"), spellcheck: "false" });
  const width = h("input", { type: "number", id: newId(), min: 2, max: 5000, step: "any", placeholder: say("as designed") });
  const dpi = h("select", { id: newId() }, ...RESOLUTIONS.map((one) => h("option", { value: one, selected: one === 300 }, `${one} dpi`)));
  const set = h("select", { id: newId() });
  const what = field(say("Which codes"), set);
  const checks = h("ul", { class: "qk-checks", "aria-label": say("Before you print") });
  const clear = h("input", { type: "checkbox", id: newId() });
  const clearRow = h("div", { class: "qk-check" }, clear, h("label", { for: clear.id }, say("Transparent background")));
  const print = h("div", { class: "qk-print" }, what, field(say("File name"), name), field(say("Print width, mm"), width), field(say("Resolution"), dpi));
  const size = () => (width.value === "" ? {} : { mm: Number(width.value), dpi: Number(dpi.value) });
  const which = () => (set.value === ONE ? {} : { of: "set", campaign: set.value });
  const names = Object.keys(purposes);
  let purpose = names[0];
  let least = 0;
  const kinds = { label: say("What is it for?"), kind: "choice", words: Object.fromEntries(names.map((one) => [one, one])) };
  const chips = radios(studio, kinds, ["purpose"], names, null, (chosen) => {
    purpose = chosen;
    const { mm, dpi: dots = 300 } = purposes[purpose];
    width.value = mm ? Math.max(mm, least) : "";
    dpi.value = dots;
    changed();
  });
  function label() {
    chips.update(purpose, {});
    const format = purposes[purpose].format.toUpperCase();
    go.textContent = width.value ? say("Download {format}, {width} mm at {dpi} dpi", null, { format, width: width.value, dpi: dpi.value }) : say("Download {format}", null, { format });
  }
  function changed() {
    label();
    studio.stretch(size().mm);
    studio.ask({ ask: "print", ...size() });
  }
  for (const input of [width, dpi]) input.addEventListener("change", changed);
  set.addEventListener("change", () => {
    name.placeholder = set.value === ONE ? say("from the content") : "{name}";
    name.title = set.value === ONE ? "" : say("A pattern with {name}, {campaign}, {number} or {short_code}");
  });
  let ground = null; // the background before it became transparent
  clear.addEventListener("change", () => studio.edit([{ path: ["background"], value: clear.checked ? "transparent" : ground }]));
  const button = (text, title, onclick) => h("button", { type: "button", title, "aria-label": title, onclick }, text);
  const save = (format) => studio.ask({ ask: "download", format, name: name.value, ...size(), ...which() });
  const files = downloads.map((format) => button(format.toUpperCase(), say("Download as {format}", null, { format: format.toUpperCase() }), () => save(format)));
  const go = h("button", { type: "button", class: "qk-primary", onclick: () => save(purposes[purpose].format) });
  label();
  const copied = h("span", { role: "status", class: "qk-copied" });
  const code = h("textarea", { class: "qk-code", readonly: true, rows: 8, hidden: true, "aria-label": say("Text to copy") });
  const copies = [
    button(say("Image"), say("Copy the image"), () => studio.ask({ ask: "download", format: "png", to: "clipboard" })),
    button(say("Python"), say("Copy as Python"), () => studio.copy("python", "clipboard")),
    button(say("JSON"), say("Copy as JSON"), () => studio.copy("json", "clipboard")),
  ];
  const heading = (words) => h("span", { class: "qk-label" }, words);
  const actions = h("div", { class: "qk-buttons" }, heading(say("Other formats")), ...files, heading(say("Copy")), ...copies, copied);
  const element = h("section", { class: "qk-output", id: newId(), "aria-label": say("Download"), hidden: true }, h("div", { class: "qk-purpose" }, chips.element, go), h("div", { role: "status" }, checks), print, clearRow, actions, code);
  const opener = h("button", { type: "button", class: "qk-primary", "aria-expanded": "false", "aria-controls": element.id }, say("Download"));
  opener.addEventListener("click", () => opener.setAttribute("aria-expanded", !(element.hidden = !element.hidden)));
  let clock = null;

  function tell(text) {
    copied.textContent = text;
    clearTimeout(clock);
    clock = setTimeout(() => (copied.textContent = ""), 4000);
  }

  async function write(text) {
    try {
      await navigator.clipboard.writeText(text);
      code.hidden = true;
      tell(say("Copied to clipboard"));
    } catch {
      code.hidden = false;
      code.value = text;
      code.select();
      tell(say("Press Ctrl+C to copy"));
    }
  }

  async function writeImage(data, type) {
    try {
      await navigator.clipboard.write([new ClipboardItem({ [type]: new Blob([data], { type }) })]);
      tell(say("Copied to clipboard"));
    } catch {
      tell(say("The browser does not allow copying images; download the PNG instead"));
    }
  }

  function hear(message, buffers) {
    if (message.answer === "file" && message.to === "clipboard") writeImage(buffers[0], message.type);
    else if (message.answer === "file") download(message.name, message.type, buffers[0]);
    else if (message.to === "file") download("design.json", "application/json", message.text);
    else write(message.text);
  }

  let campaigns = "";
  function update({ values, saved, ...state }) {
    const isClear = typeof values.background === "string" && /^#00/.test(values.background);
    clear.checked = isClear;
    if (!isClear) ground = values.background ?? null;
    least = state.badge?.least ?? least;
    checks.replaceChildren(...state.print.map(({ text, is_good: isGood }) => h("li", { class: isGood ? "qk-fine" : "qk-amiss" }, text)));
    what.hidden = !saved?.kinds.includes("brand");
    if (JSON.stringify(saved?.campaigns) === campaigns) return;
    campaigns = JSON.stringify(saved?.campaigns);
    const options = [[ONE, say("This one")], ...(saved?.campaigns ?? []).map((one) => [one.id, say("All of {campaign}", null, { campaign: one.name })]), ["", say("All QR Codes")]];
    const before = set.value;
    set.replaceChildren(...options.map(([value, words]) => h("option", { value }, words)));
    set.value = options.some(([value]) => value === before) && before ? before : ONE;
  }
  return { button: opener, element, update, hear };
}

function download(name, type, data) {
  const url = URL.createObjectURL(new Blob([data], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
