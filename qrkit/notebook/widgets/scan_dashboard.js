// Charts of scans, and above them which scans they show.

const KINDS = { scan: "Scans", bot: "Bots", prefetch: "Link previews", head: "HEAD requests" };
const NUMBERS = { visitors: "visitors", qrcodes: "QR Codes scanned" };
const DAY = 86_400_000; // milliseconds

function render({ model, el }) {
  let state = model.get("state");
  const busy = h("p", { class: "qk-busy", role: "status" });
  const outbox = makeOutbox(model, (isLong) => (busy.textContent = isLong ? "Waiting for the kernel…" : ""), (isAway) => root.classList.toggle("qk-asking", isAway));
  const ask = (fields) => outbox.ask({ ask: "ask", fields });

  function day(label, name) {
    const error = h("p", { class: "qk-error", id: newId(), hidden: true });
    const input = h("input", { type: "date", id: newId(), "aria-describedby": error.id, onchange: () => ask({ [name]: input.value }) });
    const element = h("div", { class: "qk-row" }, h("label", { class: "qk-label", for: input.id }, label), input, error);
    const update = () => {
      error.textContent = state.errors[name] ?? "";
      error.hidden = !error.textContent;
      input.setAttribute("aria-invalid", !error.hidden);
      if (error.hidden) input.value = state.asked[name];
    };
    return { element, update };
  }

  const days = [day("From", "since"), day("To", "until")];
  const since = (count) => new Date(Date.parse(state.today) - (count - 1) * DAY).toISOString().slice(0, 10);
  const choose = (count) => ask(count ? { since: since(count), until: state.today } : { since: "", until: "" });
  const ranges = [...state.ranges, 0].map((count) => h("button", { type: "button", "data-days": count, onclick: () => choose(count) }, count ? `${count} days` : "All"));
  const campaign = h("select", { id: newId(), onchange: () => ask({ campaign: campaign.value }) });
  const boxes = state.kinds.map((kind) => {
    const input = h("input", { type: "checkbox", id: newId(), value: kind, onchange: () => ask({ kinds: boxes.filter((box) => box.input.checked).map((box) => box.input.value) }) });
    return { input, element: h("div", { class: "qk-check" }, input, h("label", { for: input.id }, KINDS[kind] ?? kind)) };
  });
  const wrong = h("p", { class: "qk-error", role: "alert", hidden: true });
  const numbers = h("p", { class: "qk-numbers", role: "status" });
  const sheet = h("div", { class: "qk-charts" });
  const bar = h(
    "div",
    { class: "qk-questions" },
    ...days.map((one) => one.element),
    h("div", { class: "qk-buttons", role: "group", "aria-label": "Days" }, ...ranges),
    h("div", { class: "qk-row" }, h("label", { class: "qk-label", for: campaign.id }, "Campaign"), campaign),
    h("fieldset", { class: "qk-kinds" }, h("legend", {}, "Visits that count"), ...boxes.map((box) => box.element), wrong),
  );
  const root = h("div", { class: "qrkit-widget qrkit-dashboard", role: "region", "aria-label": "Scans" }, bar, numbers, sheet, busy);
  el.append(root);

  let shown = "";
  function update() {
    const { asked, errors } = state;
    for (const one of days) one.update();
    const options = [{ id: "", name: "All" }, ...state.campaigns];
    campaign.replaceChildren(...options.map((one) => h("option", { value: one.id, selected: one.id === asked.campaign }, one.name)));
    for (const { input } of boxes) input.checked = asked.kinds.includes(input.value);
    for (const button of ranges) {
      const count = Number(button.dataset.days);
      const isOn = count ? asked.since === since(count) && asked.until === state.today : !asked.since && !asked.until;
      button.setAttribute("aria-pressed", isOn);
    }
    wrong.textContent = errors.kinds ?? errors.campaign ?? errors[""] ?? "";
    wrong.hidden = !wrong.textContent;
    const named = { ...NUMBERS, scans: asked.kinds.join() === "scan" ? "scans" : "visits" };
    numbers.replaceChildren(...Object.entries(state.numbers).map(([name, count]) => h("span", {}, h("b", {}, count.toLocaleString("en")), ` ${named[name] ?? name}`)));
    const drawn = state.charts.map((one) => one.svg).join("");
    if (drawn === shown) return;
    shown = drawn;
    sheet.replaceChildren(
      ...state.charts.map(({ title, svg }) => {
        const figure = h("figure", {}, h("figcaption", {}, title));
        figure.insertAdjacentHTML("beforeend", svg); // drawn by qrkit, which escapes the names in it
        return figure;
      }),
    );
  }

  const onState = () => {
    const isAnswer = model.get("state").answered !== state.answered;
    state = model.get("state");
    update();
    if (isAnswer) outbox.answered();
  };
  model.on("change:state", onState);
  let width = state.widths.at(-1);
  const sizes = new ResizeObserver(() => {
    const room = sheet.firstElementChild?.clientWidth;
    const fits = state.widths.filter((one) => one <= room).at(-1) ?? state.widths[0];
    if (!room || fits === width) return;
    width = fits;
    outbox.ask({ ask: "width", width });
  });
  sizes.observe(root);
  const ends = [lendShortcuts(root), hideTwin(model), () => sizes.disconnect()];
  update();
  return () => {
    model.off("change:state", onState);
    for (const end of ends) end();
  };
}

export default { render };
