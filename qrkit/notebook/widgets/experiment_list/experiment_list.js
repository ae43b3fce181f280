// What experiments have found until now, a sentence for each.

function render(host) {
  const { root, run } = makeWidget(host, "experiments", say("Experiments"));
  return run(({ sentences }) => root.replaceChildren(...sentences.map((one) => h("p", {}, one))));
}

export default { render };
