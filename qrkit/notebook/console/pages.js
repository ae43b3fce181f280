// Tabs of the console: each shows a widget that Python makes when its tab is first selected.

async function render({ model, el }) {
  const titles = model.get("titles");
  const pages = titles.map(() => h("section", {}, h("p", { class: "qrkit-console-waiting", role: "status" }, say("Opening…"))));
  const problem = h("p", { class: "qrkit-console-problem", role: "alert" });
  const shown = new Set();
  const tabs = makeTabs({ class: "qrkit-console-tabs", "aria-label": say("Pages") }, titles, pages, (at) => {
    if (titles[at] === model.get("selected")) return;
    model.set("selected", titles[at]);
    model.save_changes();
  });
  const drawTabs = () => tabs.open(titles.indexOf(model.get("selected")));
  async function drawWidgets() {
    for (const [title, reference] of Object.entries(model.get("widgets"))) {
      if (shown.has(reference)) continue;
      shown.add(reference);
      const widget = await model.widget_manager.get_model(reference.replace("IPY_MODEL_", ""));
      const view = await model.widget_manager.create_view(widget);
      pages[titles.indexOf(title)].replaceChildren(view.el);
    }
  }
  function drawProblem() {
    problem.textContent = model.get("problem");
    problem.hidden = !problem.textContent;
  }
  model.on("change:selected", drawTabs);
  model.on("change:widgets", drawWidgets);
  model.on("change:problem", drawProblem);
  const account = h("form", { class: "qrkit-console-account", method: "post", action: "/sign-out", hidden: !model.get("account") }, model.get("account"), h("button", {}, say("Sign out")));
  el.append(h("div", { class: "qrkit-console-top" }, tabs.list, account), problem, ...pages);
  drawTabs();
  drawProblem();
  await drawWidgets();
}

export default { render };
