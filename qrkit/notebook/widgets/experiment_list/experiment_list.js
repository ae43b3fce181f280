// What experiments have found until now, a sentence for each.

function render({ model, el }) {
  const root = h("div", { class: "qrkit-widget qrkit-experiments", role: "region", "aria-label": say("Experiments") });
  const draw = () => root.replaceChildren(...model.get("state").sentences.map((one) => h("p", {}, one)));
  model.on("change:state", draw);
  draw();
  el.append(root);
  return () => model.off("change:state", draw);
}

export default { render };
