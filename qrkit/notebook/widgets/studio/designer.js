// The studio as a whole: tool bar, stage, groups of controls; what goes to Python, and what comes back.

/** Save the design as a file, and open one. */
function makeFiles(studio) {
  const error = h("p", { class: "qk-error" });
  const open = fileButton(say("Open…"), say("Open a design file"), ".json,application/json", async (file) => studio.ask({ ask: "open", text: await file.text() }));
  const buttons = h("div", { class: "qk-set" }, button(say("Save…"), () => studio.copy("json", "file")), ...open);
  function update({ errors }) {
    error.textContent = errors.file ?? "";
  }
  return { element: h("div", { class: "qk-stack qk-files" }, h("span", { class: "qk-label" }, say("Design file")), buttons, error), update };
}

/** What is wrong with the field at a path, after its label and those of what it is in: "Layer 1, Left". */
function complaint(groups, path, rule) {
  let specs = groups.flatMap(([, fields]) => fields);
  const names = [];
  let last = {};
  for (const step of path.split(".")) {
    const isItem = /^\d+$/.test(step);
    const found = isItem ? specs[0] : specs.find((spec) => spec.name === step);
    if (!found) break;
    last = found;
    if (isItem) names.splice(-1, 1, `${found.label} ${Number(step) + 1}`);
    else if (found.label) names.push(found.label);
    specs = found.kind === "either" ? (found.fields[1]?.fields ?? []) : (found.fields ?? []);
  }
  return names.length ? say("{field}: {rule}", null, { field: names.join(", "), rule: inWords(rule, last) }) : inWords(rule, last);
}

function render(host) {
  const form = host.model.get("form");
  const { root, busy, outbox, run } = makeWidget(host, "designer", say("QR Code designer"));
  let state = null;
  let refreshing = null;
  let whenIcons = () => {};
  const help = h("p", { class: "qk-help", "aria-hidden": "true" });
  const studio = {
    thumbnails: form.thumbnails,
    stretch: (mm) => stage.stretch(mm),
    colors: makeColors(form.swatches),
    chosen: {}, // the look that was taken last; after a step back, it is not known
    take(look) {
      studio.chosen = look;
      studio.ask(look);
    },
    refused: {},
    contrasts: {},
    ask: outbox.ask,
    edit: outbox.edit,
    isIdle: outbox.isIdle,
    help: (text) => (help.textContent = text),
    name: h("input", { type: "text", class: "qk-title", maxlength: 100, spellcheck: "false", "aria-label": say("Name of this design") }),
    copy: (shape, to) => studio.ask({ ask: "copy", form: shape, to }),
    icons(words, then) {
      whenIcons = then;
      studio.ask({ ask: "icons", words });
    },
    refresh: () => (refreshing ??= setTimeout(() => { refreshing = null; draw(); })),
    select(index) {
      const tab = state.logo?.layers.includes(index) ? "Logo" : "More";
      tabs.open(groups.findIndex(({ name }) => name === tab));
      const cards = panels.More.querySelectorAll(".qk-entry > .qk-card");
      if (cards[index]) cards[index].open = true;
    },
  };

  const stage = makeStage(studio);
  const badge = makeBadge(studio);
  stage.element.append(badge.issues);
  const files = makeFiles(studio);
  studio.pictures = makePictures(studio);
  const frame = form.groups.flatMap(([, specs]) => specs).find(({ name }) => name === "frame");
  const words = frame.fields.find(({ name }) => name === "caption");
  const shape = { ...frame, fields: frame.fields.filter((field) => field !== words) };
  const groups = form.groups.map(([name, specs]) => {
    const controls = specs.map((spec) => [spec.name, makeControl(studio, spec === frame ? shape : spec, [spec.name])]);
    const panel = h("div", { class: "qk-stack qk-panel", "data-group": name }, ...controls.map(([, control]) => control.element));
    return { name, panel, controls };
  });
  const panels = Object.fromEntries(groups.map(({ name, panel }) => [name, panel]));
  const controls = groups.flatMap((group) => group.controls);
  const experts = groups.pop();
  experts.panel.className = "qk-stack qk-record";
  const caption = makeControl(studio, words, ["frame", "caption"]);
  panels.Text.append(caption.element);
  const everywhere = button(say("Use these two colors everywhere"), () => studio.ask({ ask: "two colors" }), { title: say("Eyes, frame, caption and icons take these two colors, too") });
  panels.Colors.append(h("div", { class: "qk-line" }, everywhere));
  const contentForm = makeContentForm(studio, form.kinds);
  const logoForm = makeLogoForm(studio, form.logo);
  panels.Logo.append(logoForm.element);
  const gallery = makeGallery(studio, form.presets);
  panels.Looks.append(gallery.element);
  const check = () => studio.ask({ ask: "check", scanners: scanners.input.checked });
  const scanners = checkbox(say("Checkout scanners must read it, too"), check);
  panels.More.append(scanners.element, h("details", { class: "qk-card" }, h("summary", {}, say(experts.name)), experts.panel), files.element, stage.caption);
  const faces = groups.map(({ name }, index) => [path2d(form.icons[index], 24), say(name)]);
  const tabs = makeTabs({ class: "qk-line qk-tabs", "aria-label": say("Design sections") }, faces, groups.map(({ panel }) => panel), (chosen) => {
    const { name, panel } = groups[chosen];
    // What is written is seen in every look.
    if (["Looks", "Content"].includes(name)) panel.prepend(contentForm.element);
    studio.help("");
    studio.refresh();
  });

  const undo = tool("↶", say("Undo"), () => studio.take({ ask: "undo" }), { class: "qk-icon" });
  const redo = tool("↷", say("Redo"), () => studio.take({ ask: "redo" }), { class: "qk-icon" });
  const output = makeOutput(studio, form);
  const bar = h("div", { class: "qk-line qk-bar" }, studio.name, badge.element, h("div", { class: "qk-set" }, undo, redo, ...gallery.save, output.button), busy);
  const wrong = h("p", { class: "qk-error qk-general", role: "alert" });
  const side = h("div", { class: "qk-stack qk-side" }, tabs.list, ...groups.map((group) => group.panel), help);
  root.append(bar, gallery.told, output.element, wrong, h("div", { class: "qk-main" }, stage.element, side));

  let quiet = null;
  let complaints = "";
  /** What is newly wrong may be below the part of a panel that is in sight. */
  function reveal() {
    const seen = [...side.querySelectorAll(".qk-error")].filter((one) => one.offsetParent && one.textContent);
    const now = seen.map((one) => one.textContent).join("\n");
    if (now !== complaints && seen.length) (seen.find((one) => one.parentElement.contains(side.getRootNode().activeElement)) ?? seen[0]).scrollIntoView({ block: "nearest" });
    complaints = now;
  }
  function draw() {
    const { values, errors } = state;
    const isIdle = outbox.isIdle();
    Object.assign(studio, { refused: state.refused, contrasts: state.contrasts });
    studio.name.placeholder = state.title;
    stage.update(state, isIdle);
    badge.update(state.badge, state.note);
    files.update(state);
    output.update(state);
    contentForm.update(state);
    logoForm.update(state);
    gallery.update(state);
    for (const [name, control] of controls) control.update(values[name], errors);
    caption.update(values.frame?.caption, errors);
    undo.disabled = !state.undo;
    redo.disabled = !state.redo;
    // What is wrong is told where the hand is; here, if that is nowhere to be seen.
    const isSeen = [...root.querySelectorAll(".qk-error:not(.qk-general, [hidden])")].some((one) => one.offsetParent);
    const first = "" in errors ? ["", errors[""]] : isSeen ? null : Object.entries(errors)[0];
    wrong.textContent = first ? complaint(form.groups, ...first) : "";
    reveal();
    clearTimeout(quiet);
    if (isIdle && state.badge === null) quiet = setTimeout(check, QUIET);
    else if (isIdle && !state.kept) studio.ask({ ask: "keep" });
    else if (isIdle) studio.pictures.update(values);
  }

  function update(next) {
    state = next;
    draw();
  }
  function hear(message, buffers) {
    if (message.answer === "icons") whenIcons(message.icons);
    else if (message.answer === "looks") studio.pictures.show(message.looks, buffers);
    else output.hear(message, buffers);
  }
  root.addEventListener("keydown", (event) => {
    const isText = event.target.matches("input:not([type=range], [type=checkbox], [type=radio], [type=color]), textarea");
    const name = event.key.toLowerCase();
    if (isText || !(event.ctrlKey || event.metaKey) || !["z", "y"].includes(name)) return;
    event.preventDefault();
    studio.take({ ask: name === "y" || event.shiftKey ? "redo" : "undo" });
  });
  // A picture that is dropped anywhere on the studio is the logo.
  const hasFiles = (event) => [...event.dataTransfer.types].includes("Files");
  root.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    root.classList.add("qk-dropping");
  });
  root.addEventListener("dragleave", (event) => root.contains(event.relatedTarget) || root.classList.remove("qk-dropping"));
  root.addEventListener("drop", (event) => {
    root.classList.remove("qk-dropping");
    if (!hasFiles(event)) return;
    event.preventDefault();
    tabs.open(groups.findIndex(({ name }) => name === "Logo"));
    logoForm.take(event.dataTransfer.files[0]);
  });
  tabs.open(0);
  return run(update, hear, () => clearTimeout(quiet));
}

export default { render };
