// Tabs of the console: each shows a widget that Python makes when its tab is first selected.

let lastId = 0;

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

async function render({ model, el }) {
  const titles = model.get("titles");
  const id = `qrkit-pages-${(lastId += 1)}`;
  const tabs = titles.map((title, at) =>
    element("button", { type: "button", role: "tab", id: `${id}-${at}`, "aria-controls": `${id}-${at}-page` }, title));
  const pages = titles.map((title, at) => {
    const attributes = { role: "tabpanel", id: `${id}-${at}-page`, "aria-labelledby": `${id}-${at}` };
    return element("section", attributes, element("p", { class: "qrkit-console-waiting", role: "status" }, "Opening…"));
  });
  const problem = element("p", { class: "qrkit-console-problem", role: "alert" });
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
  tabs.forEach((tab, at) => {
    tab.addEventListener("click", () => select(titles[at]));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const next = (at + step + titles.length) % titles.length;
      tabs[next].focus();
      select(titles[next]);
    });
  });

  model.on("change:selected", drawTabs);
  model.on("change:widgets", drawWidgets);
  model.on("change:problem", drawProblem);
  const bar = element("div", { class: "qrkit-console-tabs", role: "tablist", "aria-label": "Pages" }, ...tabs);
  const account = element("form", { class: "qrkit-console-account", method: "post", action: "/sign-out" }, model.get("account"), element("button", {}, "Sign out"));
  account.hidden = !model.get("account");
  el.append(element("div", { class: "qrkit-console-top" }, bar, account), problem, ...pages);
  drawTabs();
  drawProblem();
  await drawWidgets();
}

export default { render };
