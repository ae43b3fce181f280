// What becomes of the design: a file for a purpose, in pixels or for print, one or a whole set, and copies.

const RESOLUTIONS = [150, 203, 300, 600]; // dots per inch
const CODES = { one: say("One code"), numbered: say("A numbered set"), table: say("From a table"), campaign: say("A campaign") };
const CAPTION = say("Table {n}"); // of numbered cards, until it is changed
const MARKS = { none: say("none"), cut: say("outlines to cut along"), crop: say("crop marks outside") };
const PAPERS = { "": say("automatic"), A4: "A4", A3: "A3", A2: "A2", Letter: "Letter", Tabloid: "Tabloid", card: say("one card per page") };
const STOCKS = say("The number on the package, such as L7160; or table-tent, business-card, a6, sticker, ticket, hang-tag or poster.");
const PATTERN = say("A pattern: {n} is the number of a code; columns of a table and, in a campaign, {name}, {campaign} and {short_code} go in braces, too.");

/**
 * purposes: the format and print size of each, by name; printWidth: its bounds in millimeters. Gives { button, element, update(state), hear(message, buffers) }: what
 * opens it, buttons for files and copies, and what comes back of them.
 */
function makeOutput(studio, { downloads, purposes, printWidth: [narrowest, widest] }) {
  const field = (words, ...inputs) => h("div", { class: "qk-stack qk-inline" }, h("label", { class: "qk-label", for: inputs[0].id }, words), ...inputs);
  const text = (attributes) => h("input", { type: "text", id: newId(), maxlength: 500, spellcheck: "false", ...attributes });
  const width = h("input", { type: "number", id: newId(), min: narrowest, max: widest, step: "any", placeholder: say("as designed") });
  const widthError = h("p", { class: "qk-error", id: newId(), role: "alert" });
  width.setAttribute("aria-describedby", widthError.id);
  const dpi = h("select", { id: newId() });
  fill(dpi, RESOLUTIONS.map((one) => ({ id: one, name: `${one} dpi` })), 300);
  const campaign = h("select", { id: newId() });
  const count = h("input", { type: "number", id: newId(), min: 1, max: 2000, value: 12 });
  const caption = text({ value: CAPTION, placeholder: say("as designed"), title: PATTERN });
  const content = text({ placeholder: say("as designed"), title: PATTERN });
  const names = text({ placeholder: say("automatic"), title: PATTERN });
  const stock = text({ value: "table-tent" });
  const select = (words) => h("select", { id: newId(), onchange: () => studio.refresh() }, ...Object.entries(words).map(([value, shown]) => h("option", { value }, shown)));
  const [marks, paper] = [select(MARKS), select(PAPERS)];
  const lines = h("textarea", { id: newId(), rows: 2, spellcheck: "false", title: PATTERN, placeholder: say("Text beside the code, such as Table {n}") });
  const [ground, ink] = [text({ placeholder: say("that of the paper") }), text({ placeholder: say("black") })];
  const bleed = h("input", { type: "number", id: newId(), min: 0, max: 10, step: "any", value: 0, onchange: () => changed() });
  let profile = null; // of the print shop: { name, url }
  const takeProfile = (chosen) => readFile(chosen, (url) => showProfile({ name: chosen.name, url: url.replace(/^data:[^,]*,/, "data:application/vnd.iccprofile;base64,") }));
  const profileButton = fileButton(say("Choose a file…"), say("Choose the color profile of the print shop"), ".icc,.icm", takeProfile);
  const noProfile = button(say("Remove"), () => showProfile(null), { hidden: true });
  const profileName = h("span", { class: "qk-hint", role: "status" });
  function showProfile(chosen) {
    profile = chosen;
    profileName.textContent = chosen?.name ?? "";
    noProfile.hidden = !chosen;
  }
  const takeTable = (data) => readFile(data, (url) => studio.ask({ ask: "table", url }));
  const file = fileButton(say("Choose a file…"), say("Choose a file for the table"), ".csv,.xlsx,.xls,.ods", takeTable);
  const rows = h("textarea", { id: newId(), rows: 4, onchange: () => takeTable(new Blob([rows.value])), spellcheck: "false", placeholder: say("Paste rows of a spreadsheet, with the names of the columns first") });
  const columns = h("span", { class: "qk-hint", role: "status" });
  const table = field(say("Table"), rows, h("div", { class: "qk-line" }, ...file, columns));
  const page = h("img", { class: "qk-page", alt: say("First page of the sheet"), hidden: true });
  const checks = h("ul", { class: "qk-stack qk-checks", "aria-label": say("Before you print") });
  let former = null; // the background before it became transparent
  const { input: clear, element: clearRow } = checkbox(say("Transparent background"), () => studio.edit([{ path: ["background"], value: clear.checked ? "transparent" : former }]));
  const isWrong = () => !isSheet() && !width.validity.valid;
  const isPress = () => purposes[purpose].format === "pdf";
  const size = () => (width.value === "" || isSheet() || isWrong() ? {} : { mm: Number(width.value), dpi: Number(dpi.value), ...(isPress() && { bleed: Number(bleed.value) }) });
  const sheet = () => (isSheet() ? { stock: stock.value, lines: lines.value.split("\n").filter(Boolean), marks: marks.value, paper: paper.value || null, bleed: Number(bleed.value), label_color: ground.value || null, ...(ink.value && { text_color: ink.value }) } : {});
  let purpose = Object.keys(purposes)[0];
  let of = "one";
  let least = 0;
  let asked = ""; // the codes that were looked at last
  let setChecks = [];
  const isSheet = () => Boolean(purposes[purpose].isSheet);
  const isSet = () => ["numbered", "table"].includes(of);
  const order = () => ({ ...size(), of, campaign: campaign.value, count: Number(count.value), content: content.value, caption: caption.value, ...sheet() });
  const parts = [
    [table, () => of === "table"],
    [field(say("How many"), count), () => of === "numbered"],
    [field(say("Caption of each"), caption), isSet],
    [field(say("Content of each"), content), isSet],
    [field(say("Campaign"), campaign), () => of === "campaign"],
    [field(say("Labels or cards"), stock, h("span", { class: "qk-hint" }, STOCKS)), isSheet],
    [field(say("Lines of text"), lines), isSheet],
    [field(say("Label color"), ground), isSheet],
    [field(say("Text color"), ink), isSheet],
    [field(say("Paper"), paper), isSheet],
    [field(say("Marks"), marks), isSheet],
    [field(say("File names"), names), () => of !== "one" && !isSheet()],
    [field(say("Print width, mm"), width, widthError), () => !isSheet()],
    [field(say("Resolution"), dpi), () => !isSheet()],
    [field(say("Bleed, mm"), bleed), isPress],
    [field(say("Color profile"), profileButton[0], profileButton[1], h("div", { class: "qk-line" }, profileName, noProfile)), isPress],
  ];
  const print = h("div", { class: "qk-line qk-print" }, ...parts.map(([part]) => part));
  const choices = (title, words, chosen) => radios(studio, { label: title, kind: "choice", words }, [title], Object.keys(words), null, chosen);
  const purposeChips = choices(say("What is it for?"), Object.fromEntries(Object.keys(purposes).map((one) => [one, say(one)])), (chosen) => {
    purpose = chosen;
    const { mm, dpi: dots = 300 } = purposes[purpose];
    width.value = mm ? Math.max(mm, least) : "";
    dpi.value = dots;
    if (isSheet() && of === "campaign") of = "one";
    changed();
  });
  const codeChips = choices(say("Which codes?"), CODES, (chosen) => {
    of = chosen;
    changed();
  });
  const campaignChip = codeChips.element.querySelector("[value=campaign]").parentNode;
  function label() {
    purposeChips.update(purpose, {});
    codeChips.update(of, {});
    for (const [part, isShown] of parts) part.hidden = !isShown();
    for (const one of [clearRow, others]) one.hidden = isSheet();
    for (const one of [go, ...files]) one.disabled = isWrong();
    width.ariaInvalid = isWrong() ? "true" : null;
    widthError.textContent = isWrong() ? inWords(IN_BOUNDS, { kind: "number", low: narrowest, high: widest, unit: "mm" }) : "";
    const format = purposes[purpose].format.toUpperCase();
    go.textContent = size().mm ? say("Download {format}, {width} mm at {dpi} dpi", null, { format, width: width.value, dpi: dpi.value }) : say("Download {format}", null, { format });
  }
  function changed() {
    label();
    setChecks = [];
    asked = "";
    studio.stretch(size().mm);
    studio.ask({ ask: "print", ...size() });
  }
  width.addEventListener("input", () => {
    label();
    studio.refresh();
  });
  for (const input of [width, dpi]) input.addEventListener("change", changed);
  for (const input of [count, caption, content, stock, lines, ground, ink]) input.addEventListener("input", studio.refresh);
  const fetchFile = (format) => studio.ask({ ask: "download", format, name: of === "one" ? studio.name.value : names.value, ...order(), ...(format === "pdf" ? { profile: profile?.url } : { bleed: 0 }) });
  const files = downloads.map((format) => tool(format.toUpperCase(), say("Download as {format}", null, { format: format.toUpperCase() }), () => fetchFile(format)));
  const go = button("", () => fetchFile(purposes[purpose].format), { class: "qk-primary" });
  const copied = h("span", { role: "status", class: "qk-copied" });
  const code = h("textarea", { class: "qk-code", readonly: true, rows: 8, hidden: true, "aria-label": say("Text to copy") });
  const copies = [
    tool(say("Image"), say("Copy the image"), () => studio.ask({ ask: "download", format: "png", to: "clipboard" })),
    tool(say("Python"), say("Copy as Python"), () => studio.copy("python", "clipboard")),
    tool(say("JSON"), say("Copy as JSON"), () => studio.copy("json", "clipboard")),
  ];
  const heading = (words) => h("span", { class: "qk-label" }, words);
  const others = h("div", { class: "qk-line" }, heading(say("Other formats")), ...files, heading(say("Copy")), ...copies, copied);
  const element = h("section", { class: "qk-stack qk-box qk-output", "aria-label": say("Download") }, h("div", { class: "qk-line qk-purpose" }, purposeChips.element, go), codeChips.element, print, h("div", { role: "status" }, checks), clearRow, others, code, page);
  label();
  const { toggle: opener } = makeToggle(say("Download"), element, { class: "qk-primary" });

  function showText(text) {
    code.hidden = false;
    code.value = text;
    code.select();
  }

  async function copyImage(data, type) {
    try {
      await navigator.clipboard.write([new ClipboardItem({ [type]: new Blob([data], { type }) })]);
      copied.textContent = say("Copied to clipboard");
    } catch {
      copied.textContent = say("The browser does not allow copying images; download the PNG instead");
    }
  }

  function hear(message, buffers) {
    copied.textContent = "";
    code.hidden = true;
    if (message.answer === "file" && message.to === "clipboard") copyImage(buffers[0], message.type);
    else if (message.answer === "file") save(message.name, buffers[0], message.type);
    else if (message.answer === "columns") {
      columns.textContent = say("Columns: {names}", null, { names: message.columns.map((one) => `{${one}}`).join(", ") });
      content.value = message.content;
      const words = message.columns.map((one) => `{${one}}`).filter((one) => one !== content.value);
      if (caption.value === CAPTION) caption.value = words[0] ?? content.value;
      asked = "";
      studio.refresh();
    } else if (message.answer === "sheet") showPage(message.told, buffers[0]);
    else if (message.to === "file") save("design.json", message.text, "application/json");
    else copyText(message.text, copied, () => showText(message.text));
  }

  function showPage(told, picture) {
    setChecks = told.length || !isSheet() ? told.map((words) => ({ text: words })) : [{ text: say("Nothing to change before you print"), is_good: true }];
    studio.refresh();
    page.hidden = !picture;
    if (!picture) return;
    URL.revokeObjectURL(page.src);
    page.src = URL.createObjectURL(new Blob([picture], { type: "image/png" }));
  }

  let campaigns = "";
  function update({ values, saved, ...state }) {
    const isClear = typeof values.background === "string" && /^#00/.test(values.background);
    clear.checked = isClear;
    if (!isClear) former = values.background ?? null;
    least = state.badge?.least ?? least;
    const found = isWrong() ? [] : isSheet() ? setChecks : [...setChecks, ...state.print];
    checks.replaceChildren(...found.map(({ text: words, is_good: isGood }) => h("li", { class: isGood ? "qk-fine" : "qk-amiss" }, capital(words))));
    page.hidden ||= !isSheet();
    const wanted = JSON.stringify([values, order()]);
    const isMade = isSheet() || of === "numbered" || (of === "table" && columns.textContent);
    if (isMade && !element.hidden && state.badge && wanted !== asked && studio.isIdle()) {
      asked = wanted;
      studio.ask({ ask: "sheet", ...order() });
    }
    campaignChip.hidden = isSheet() || !saved?.kinds.includes("brand");
    if (JSON.stringify(saved?.campaigns) === campaigns) return;
    campaigns = JSON.stringify(saved?.campaigns);
    fill(campaign, [...(saved?.campaigns ?? []), { id: "", name: say("All QR Codes") }]);
  }
  return { button: opener, element, update, hear };
}
