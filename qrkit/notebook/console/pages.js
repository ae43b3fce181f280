// Tabs of the console: each shows a widget that Python makes when its tab is first selected.

async function render({ model, el }) {
  const titles = model.get("titles");
  const id = newId();
  const tabs = titles.map((title, at) =>
    h("button", { type: "button", role: "tab", id: `${id}-${at}`, "aria-controls": `${id}-${at}-page`, onclick: () => select(title) }, title));
  const pages = titles.map((_, at) =>
    h("section", { role: "tabpanel", id: `${id}-${at}-page`, "aria-labelledby": `${id}-${at}` }, h("p", { class: "qrkit-console-waiting", role: "status" }, say("Opening…"))));
  const problem = h("p", { class: "qrkit-console-problem", role: "alert" });
  const shown = new Set();

  function select(title) {
    model.set("selected", title);
    model.save_changes();
    drawTabs();
  }
  function drawTabs() {
    titles.forEach((title, at) => {
      const isSelected = title === model.get("selected");
      tabs[at].setAttribute("aria-selected", String(isSelected));
      tabs[at].tabIndex = isSelected ? 0 : -1;
      pages[at].hidden = !isSelected;
      if (isSelected) tabs[at].scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  }
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
  function onKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = (tabs.indexOf(event.target) + step + titles.length) % titles.length;
    tabs[next].focus();
    select(titles[next]);
  }

  model.on("change:selected", drawTabs);
  model.on("change:widgets", drawWidgets);
  model.on("change:problem", drawProblem);
  const bar = h("div", { class: "qrkit-console-tabs", role: "tablist", "aria-label": say("Pages"), onkeydown: onKey }, ...tabs);
  const account = h("form", { class: "qrkit-console-account", method: "post", action: "/sign-out", hidden: !model.get("account") }, model.get("account"), h("button", {}, say("Sign out")));
  el.append(h("div", { class: "qrkit-console-top" }, bar, account), problem, ...pages);
  drawTabs();
  drawProblem();
  await drawWidgets();
}

export default { render };
