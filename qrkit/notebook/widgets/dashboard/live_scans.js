// Scans per minute in the last hour, counted again every two seconds while the page shows them.

const PAUSE = 2_000; // milliseconds

function render(host) {
  const title = h("h2", {});
  const sheet = h("div", {});
  const { root, busy, outbox, run } = makeWidget(host, "dashboard", say("Live scans"));
  root.append(title, sheet, busy);
  const clock = setInterval(() => document.hidden || !outbox.isIdle() || outbox.ask({ ask: "look" }), PAUSE);
  const update = (state) => {
    title.textContent = state.title;
    sheet.innerHTML = state.svg; // numbers alone
  };
  return run(update, undefined, () => clearInterval(clock));
}

export default { render };
