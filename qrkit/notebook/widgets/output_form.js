// What becomes of the design: files in pixels or for print, and copies.

const RESOLUTIONS = [150, 300, 600]; // dots per inch

/** Gives { element, hear(message, buffers) }: buttons for files and copies, and what comes back of them. */
function makeOutput(studio, downloads) {
  const field = (words, input) => h("div", { class: "qk-inline" }, h("label", { class: "qk-label", for: input.id }, words), input);
  const name = h("input", { type: "text", id: newId(), maxlength: 100, placeholder: "from the content", spellcheck: "false" });
  const width = h("input", { type: "number", id: newId(), min: 2, max: 5000, step: "any", placeholder: "as designed" });
  const dpi = h("select", { id: newId() }, ...RESOLUTIONS.map((one) => h("option", { value: one, selected: one === 300 }, `${one} dpi`)));
  const print = h("div", { class: "qk-print" }, field("File name", name), field("Print width, mm", width), field("Resolution", dpi));
  const size = () => (width.value === "" ? {} : { mm: Number(width.value), dpi: Number(dpi.value) });
  const button = (text, title, onclick) => h("button", { type: "button", title, "aria-label": title, onclick }, text);
  const files = downloads.map((format) =>
    button(format.toUpperCase(), `Download as ${format.toUpperCase()}`, () => studio.ask({ ask: "download", format, name: name.value, ...size() })),
  );
  const copied = h("span", { role: "status", class: "qk-copied" });
  const code = h("textarea", { class: "qk-code", readonly: true, rows: 8, hidden: true, "aria-label": "Text to copy" });
  const copies = [
    button("Image", "Copy the image", () => studio.ask({ ask: "download", format: "png", to: "clipboard" })),
    button("Python", "Copy as Python", () => studio.copy("python", "clipboard")),
    button("JSON", "Copy as JSON", () => studio.copy("json", "clipboard")),
  ];
  const set = (...buttons) => h("div", { class: "qk-buttons" }, ...buttons);
  const actions = h("div", { class: "qk-actions" }, h("span", { class: "qk-label" }, "Download"), set(...files), h("span", { class: "qk-label" }, "Copy"), set(...copies, copied));
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
      tell("Copied to clipboard");
    } catch {
      code.hidden = false;
      code.value = text;
      code.select();
      tell("Press Ctrl+C to copy");
    }
  }

  async function writeImage(data, type) {
    try {
      await navigator.clipboard.write([new ClipboardItem({ [type]: new Blob([data], { type }) })]);
      tell("Copied to clipboard");
    } catch {
      tell("The browser does not allow copying images; download the PNG instead");
    }
  }

  function hear(message, buffers) {
    if (message.answer === "file" && message.to === "clipboard") writeImage(buffers[0], message.type);
    else if (message.answer === "file") download(message.name, message.type, buffers[0]);
    else if (message.to === "file") download("design.json", "application/json", message.text);
    else write(message.text);
  }
  return { element: h("div", { class: "qk-output" }, actions, print, code), hear };
}

function download(name, type, data) {
  const url = URL.createObjectURL(new Blob([data], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
