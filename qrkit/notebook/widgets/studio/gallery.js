// Pictures of looks and frames, each with this content; and the gallery of presets in their colorways.

const AT_ONCE = 2; // pictures asked for in one message
const keyOf = ({ kind, name, corner = "" }) => `${kind} ${name} ${corner}`;
const drawn = new Map(); // what was drawn of each look, by key: { url, shows }; a view that comes later shows it, too

/** Pictures that come a few at a time, while nobody waits, of those that are in sight. */
function makePictures(studio) {
  const known = new Map(); // by key
  /** What is drawn anew when it changes: eyes and frames show all of the design, a look its content, layers and words. */
  const shows = ({ kind, revision }, { content, layers = [], frame, markers, ...others }) => {
    if (kind === "eye") return JSON.stringify([others, { ...markers.topLeft, pattern: null }]);
    return JSON.stringify(kind === "frame" ? [content, layers, others, markers, { ...frame, kind: null }] : [revision, content, layers, frame?.caption]);
  };
  return {
    of(look) {
      const picture = h("img", { class: `qk-${look.kind}`, alt: "", draggable: "false", src: drawn.get(keyOf(look))?.url });
      known.set(keyOf(look), { look, picture, asked: drawn.get(keyOf(look))?.shows });
      return picture;
    },
    update(values) {
      const wanted = [...known.values()].filter((one) => one.picture.offsetParent && one.asked !== shows(one.look, values)).slice(0, AT_ONCE);
      for (const one of wanted) one.asked = shows(one.look, values);
      if (wanted.length) studio.ask({ ask: "looks", looks: wanted.map(({ look }) => look) });
    },
    show(looks, buffers) {
      looks.forEach((look, index) => {
        const { picture, asked } = known.get(keyOf(look));
        const old = drawn.get(keyOf(look))?.url;
        picture.src = URL.createObjectURL(new Blob([buffers[index]], { type: "image/png" }));
        drawn.set(keyOf(look), { url: picture.src, shows: asked });
        if (old) URL.revokeObjectURL(old);
      });
    },
  };
}

/** presets: [{ name, title, colorways: [{ name, colors }] }]. Gives { element, update(state) }. */
function makeGallery(studio, presets) {
  const title = (name) => say(capital(name));
  const saved = makeSavedLooks(studio);
  const faces = new Map(); // presets and their colorways, by key and name of the colorway
  const grid = makeRoving({ class: "qk-looks", "aria-label": say("Looks") }, ...presets.map(makeCard));
  const element = h("div", { class: "qk-stack qk-look-groups" }, saved.element, h("p", { class: "qk-hint" }, say("Each look is shown with your own content.")), grid.element);

  function makeCard(preset) {
    const picture = studio.pictures.of({ kind: "preset", name: preset.name });
    const choose = (colorway) => studio.take({ ask: "preset", kind: "preset", name: preset.name, colorway });
    const face = button([picture, h("span", {}, title(preset.name))], () => choose(), { class: "qk-look", title: preset.title });
    faces.set(keyOf({ kind: "preset", name: preset.name }), face);
    const swatches = preset.colorways.map(({ name, colors: [ink, accent, ground] }) => {
      const style = `background: linear-gradient(135deg, ${ink} 0 40%, ${accent} 40% 60%, ${ground} 60%)`;
      const dot = tool("", say("{look} in {color}", null, { look: title(preset.name), color: say(name) }), () => choose(name), { class: "qk-swatch", style });
      faces.set(`${keyOf({ kind: "preset", name: preset.name })}${name}`, dot);
      return dot;
    });
    return h("div", { class: "qk-stack qk-look-card" }, face, h("div", { class: "qk-line qk-swatches" }, ...swatches));
  }

  function update(state) {
    saved.update(state);
    const { name, colorway = presets.find((one) => one.name === name)?.colorways[0].name } = studio.chosen;
    for (const [key, face] of faces) face.setAttribute("aria-pressed", [keyOf(studio.chosen), keyOf(studio.chosen) + colorway].includes(key));
    grid.update(faces.get(keyOf(studio.chosen)));
  }
  return { element, update, save: saved.save, told: saved.told };
}
