// The gallery of presets: each with this content, and its colorways. Thumbnails come a few at a time, while nobody waits.

const AT_ONCE = 2; // thumbnails asked for in one message

/** presets: [{ name, title, colorways: [{ name, colors }] }]. Gives { element, update(state, isIdle), show(names, buffers) }. */
function makeGallery(studio, presets) {
  let wanted = []; // names without a thumbnail of this content
  let drawn = ""; // what the thumbnails show
  const title = (name) => name[0].toUpperCase() + name.slice(1);
  const cards = new Map(presets.map((preset) => [preset.name, makeCard(preset)]));
  const element = h("div", { class: "qk-looks", role: "group", "aria-label": "Presets" }, ...[...cards.values()].map((card) => card.element));

  function makeCard(preset) {
    const picture = h("img", { alt: "", draggable: "false" });
    const choose = (colorway) => studio.ask({ ask: "preset", name: preset.name, colorway });
    const face = h("button", { type: "button", class: "qk-look", title: preset.title, onclick: () => choose() }, picture, h("span", {}, title(preset.name)));
    const swatches = preset.colorways.map(({ name, colors: [ink, accent, ground] }) => {
      const words = `${title(preset.name)} in ${name}`;
      const dot = h("button", { type: "button", class: "qk-swatch", title: words, "aria-label": words, onclick: () => choose(name) });
      dot.style.background = `linear-gradient(135deg, ${ink} 0 40%, ${accent} 40% 60%, ${ground} 60%)`;
      return dot;
    });
    return { element: h("div", { class: "qk-look-card" }, face, h("div", { class: "qk-swatches" }, ...swatches)), picture };
  }

  function update({ values }, isIdle) {
    const shows = JSON.stringify([values.content, values.layers ?? []]);
    if (shows !== drawn) {
      drawn = shows;
      wanted = presets.map((preset) => preset.name);
    }
    if (isIdle && wanted.length && element.offsetParent) studio.ask({ ask: "looks", names: wanted.splice(0, AT_ONCE) });
  }

  function show(names, buffers) {
    names.forEach((name, index) => {
      const { picture } = cards.get(name);
      const old = picture.src;
      picture.src = URL.createObjectURL(new Blob([buffers[index]], { type: "image/png" }));
      if (old) URL.revokeObjectURL(old);
    });
  }
  return { element, update, show };
}
