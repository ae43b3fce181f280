// The gallery: saved looks, and presets in their colorways, each with this content. Thumbnails come a few at a time, while
// nobody waits.

const AT_ONCE = 2; // thumbnails asked for in one message
const keyOf = ({ kind, name }) => `${kind} ${name}`;

/** presets: [{ name, title, colorways: [{ name, colors }] }]. Gives { element, update(state, isIdle), show(looks, buffers) }. */
function makeGallery(studio, presets) {
  const title = (name) => name[0].toUpperCase() + name.slice(1);
  const pictures = new Map(); // by key
  let wanted = []; // looks without a thumbnail of this content
  let drawn = ""; // what the thumbnails show
  const saved = makeSavedLooks(studio, (look) => {
    const picture = h("img", { alt: "", draggable: "false" });
    pictures.set(keyOf(look), picture);
    wanted.unshift(look);
    return picture;
  });
  const grid = h("div", { class: "qk-looks", role: "group", "aria-label": "Presets" }, ...presets.map(makeCard));
  const element = h("div", { class: "qk-look-groups" }, saved.element, grid);

  function makeCard(preset) {
    const picture = h("img", { alt: "", draggable: "false" });
    pictures.set(keyOf({ kind: "preset", name: preset.name }), picture);
    const choose = (colorway) => studio.ask({ ask: "preset", name: preset.name, colorway });
    const face = h("button", { type: "button", class: "qk-look", title: preset.title, onclick: () => choose() }, picture, h("span", {}, title(preset.name)));
    const swatches = preset.colorways.map(({ name, colors: [ink, accent, ground] }) => {
      const words = `${title(preset.name)} in ${name}`;
      const dot = h("button", { type: "button", class: "qk-swatch", title: words, "aria-label": words, onclick: () => choose(name) });
      dot.style.background = `linear-gradient(135deg, ${ink} 0 40%, ${accent} 40% 60%, ${ground} 60%)`;
      return dot;
    });
    return h("div", { class: "qk-look-card" }, face, h("div", { class: "qk-swatches" }, ...swatches));
  }

  function update(state, isIdle) {
    saved.update(state);
    const shows = JSON.stringify([state.values.content, state.values.layers ?? []]);
    if (shows !== drawn) {
      drawn = shows;
      wanted = [...(state.saved?.looks ?? []), ...presets.map(({ name }) => ({ kind: "preset", name }))];
    }
    if (isIdle && wanted.length && element.offsetParent) studio.ask({ ask: "looks", looks: wanted.splice(0, AT_ONCE) });
  }

  function show(looks, buffers) {
    looks.forEach((look, index) => {
      const picture = pictures.get(keyOf(look));
      const old = picture.src;
      picture.src = URL.createObjectURL(new Blob([buffers[index]], { type: "image/png" }));
      if (old) URL.revokeObjectURL(old);
    });
  }
  return { element, update, show };
}
