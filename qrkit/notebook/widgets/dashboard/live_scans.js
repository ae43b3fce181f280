// Scans per minute in the last hour, counted again every two seconds while the page shows them.

const PAUSE = 2_000; // milliseconds

function render({ model, el }) {
  const title = h("h2", {});
  const sheet = h("div", {});
  const busy = h("p", { class: "qk-busy", role: "status" });
  el.append(h("div", { class: "qrkit-widget qrkit-dashboard", role: "region", "aria-label": say("Live scans") }, title, sheet, busy));
  const outbox = makeOutbox(model, (isLong) => (busy.textContent = isLong ? say("Working…") : ""), () => {});
  let state = {};
  const update = () => {
    if (model.get("state").answered !== (state.answered ?? 0)) outbox.answered();
    state = model.get("state");
    title.textContent = state.title;
    sheet.innerHTML = state.svg; // numbers alone
  };
  const clock = setInterval(() => document.hidden || !outbox.isIdle() || outbox.ask({ ask: "look" }), PAUSE);
  model.on("change:state", update);
  const showTwin = hideTwin(model);
  state = model.get("state");
  update();
  return () => {
    clearInterval(clock);
    model.off("change:state", update);
    showTwin();
  };
}

export default { render };
