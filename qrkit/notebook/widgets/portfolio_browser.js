// The codes of a portfolio as a list, and beside it the one that is chosen, to be changed.

const TYPING = 200; // milliseconds after the last key until the list is asked for anew
const RECURRENCES = ["Once", "Every Monday", "Every Tuesday", "Every Wednesday", "Every Thursday", "Every Friday", "Every Saturday", "Every Sunday"];

/** A control with its label and the place for what is wrong with it. */
function field(label, path, input) {
  const error = h("p", { class: "qk-error", id: newId(), hidden: true });
  input.id = newId();
  input.setAttribute("aria-describedby", error.id);
  const element = h("div", { class: "qk-row" }, h("label", { class: "qk-label", for: input.id }, label), input, error);
  const tell = (errors) => {
    error.textContent = errors[path] ?? "";
    error.hidden = !error.textContent;
    input.setAttribute("aria-invalid", Boolean(error.textContent));
  };
  return { element, tell };
}

/** The dates of a schedule are UTC; the browser's own fields have no zone. */
const toInput = (date) => date.slice(0, 16);
const fromInput = (date) => (date ? `${date.slice(0, 16)}:00Z` : "");

function makeEvents() {
  const list = h("div", { class: "qk-items" });
  let events = [];
  let tells = [];
  function draw() {
    tells = [];
    list.replaceChildren(
      ...events.map((event, index) => {
        const bind = (name, input, read = (value) => value) => {
          input.addEventListener("input", () => (event[name] = read(input.value)));
          return input;
        };
        const content = bind("content", h("input", { type: "text", value: event.content }));
        const options = RECURRENCES.map((name, value) => h("option", { value, selected: value === event.recurrence }, name));
        const recurrence = bind("recurrence", h("select", {}, ...options), Number);
        const date = bind("date", h("input", { type: "datetime-local", value: toInput(event.date) }), fromInput);
        const fields = [["Leads to", "content", content], ["When", "recurrence", recurrence], ["From (UTC)", "date", date]];
        const rows = fields.map(([label, name, input]) => field(label, `schedule.${index}.${name}`, input));
        tells.push(...rows.map((row) => row.tell));
        const remove = h("button", { type: "button", "aria-label": `Remove change ${index + 1}`, onclick: () => { events.splice(index, 1); draw(); } }, "Remove");
        return h("fieldset", { class: "qk-event" }, h("legend", {}, `Change ${index + 1}`), ...rows.map((row) => row.element), remove);
      }),
    );
  }
  const add = h("button", { type: "button", onclick: () => { events.push({ content: "", recurrence: 0, date: "" }); draw(); } }, "Add a change");
  return {
    element: h("div", {}, list, add),
    value: () => events,
    show(given) {
      events = given.map((event) => ({ ...event }));
      draw();
    },
    tell: (errors) => tells.forEach((tell) => tell(errors)),
  };
}

/** studio: { ask(message) }. The code that is chosen. */
function makeEditor(studio) {
  const name = h("input", { type: "text" });
  const content = h("textarea", { rows: 2 });
  const comment = h("textarea", { rows: 2 });
  const campaign = h("select", {});
  const enabled = h("input", { type: "checkbox", id: newId() });
  const events = makeEvents();
  const inputs = [["Name", "name", name], ["Leads to", "content", content], ["Campaign", "campaign_id", campaign], ["Comment", "comment", comment]];
  const fields = inputs.map(([label, path, input]) => field(label, path, input));
  const follow = h("div", { class: "qk-check" }, enabled, h("label", { for: enabled.id }, "Follow the schedule"));
  const url = h("p", { class: "qk-hint" });
  const saved = h("span", { role: "status" });
  const save = h("button", { type: "submit" }, "Save");
  const back = h("button", { type: "button", onclick: () => studio.ask({ ask: "choose", id: "" }) }, "Close");
  const form = h(
    "form",
    { class: "qk-editor", "aria-label": "QR Code", hidden: true },
    ...fields.map((one) => one.element), follow, events.element, url, h("div", { class: "qk-buttons" }, save, back, saved),
  );
  let shown = "";
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    saved.textContent = "";
    const fields = { name: name.value, content: content.value, comment: comment.value, campaign_id: campaign.value, is_schedule_enabled: enabled.checked, schedule: events.value() };
    studio.ask({ ask: "save", fields });
  });
  function update({ chosen, campaigns, errors, saved: count }) {
    form.hidden = !chosen;
    for (const one of [...fields, events]) one.tell(errors);
    // What is being typed stays, until it was saved or another code was chosen.
    const now = chosen ? `${chosen.id} ${count}` : "";
    if (!chosen || now === shown) return;
    saved.textContent = shown.startsWith(chosen.id) ? "Saved" : "";
    shown = now;
    const options = [{ id: "", name: "None" }, ...campaigns];
    campaign.replaceChildren(...options.map((one) => h("option", { value: one.id, selected: one.id === chosen.campaign_id }, one.name)));
    [name.value, content.value, comment.value] = [chosen.name, chosen.content, chosen.comment];
    enabled.checked = chosen.is_schedule_enabled;
    events.show(chosen.schedule);
    url.textContent = chosen.short_url;
    save.disabled = !chosen.is_available;
    form.classList.toggle("qk-locked", !chosen.is_available);
  }
  return { element: form, update };
}

function render({ model, el }) {
  let state = model.get("state");
  const busy = h("p", { class: "qk-busy", role: "status" });
  const outbox = makeOutbox(model, (isLong) => (busy.textContent = isLong ? "Waiting for the kernel…" : ""), (isAway) => root.classList.toggle("qk-asking", isAway));
  const studio = { ask: (message) => outbox.ask(message) };
  const words = h("input", { type: "search", id: newId(), placeholder: "Name, content, place …" });
  const campaign = h("select", { id: newId() });
  const total = h("span", { role: "status", class: "qk-total" });
  const list = h("ul", { class: "qk-codes", "aria-label": "QR Codes" });
  const turn = (by, text, name) => h("button", { type: "button", "aria-label": name, title: name, onclick: () => studio.ask({ ask: "page", page: state.page + by }) }, text);
  const [before, after] = [turn(-1, "‹", "Page before"), turn(1, "›", "Next page")];
  const place = h("span", {});
  const pager = h("div", { class: "qk-buttons qk-pager" }, before, place, after);
  const editor = makeEditor(studio);
  const wrong = h("p", { class: "qk-error qk-general", role: "alert", hidden: true });
  const reload = h("button", { type: "button", "aria-label": "Read the portfolio anew", title: "Read the portfolio anew", onclick: () => studio.ask({ ask: "reload" }) }, "↻");
  const bar = h("div", { class: "qk-filters" }, h("label", { for: words.id }, "Find"), words, h("label", { for: campaign.id }, "Campaign"), campaign, reload, total);
  const root = h("div", { class: "qrkit-widget qrkit-browser", role: "region", "aria-label": "Portfolio" }, bar, wrong, h("div", { class: "qk-split" }, h("div", {}, list, pager, busy), editor.element));
  el.append(root);
  let typing = null;
  words.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => studio.ask({ ask: "filter", words: words.value }), TYPING);
  });
  campaign.addEventListener("change", () => studio.ask({ ask: "filter", campaign: campaign.value }));

  function row(code) {
    const picture = h("img", { class: "qk-thumb", src: code.picture || null, alt: "", hidden: !code.picture });
    const spark = h("span", { class: "qk-spark", title: `${code.recent} scans in 30 days` });
    spark.innerHTML = code.sparkline; // drawn by qrkit out of numbers alone
    const text = h("span", { class: "qk-code-text" }, h("b", {}, code.name), h("span", { class: "qk-quiet" }, code.content), h("span", { class: "qk-quiet" }, code.campaign));
    const scans = h("span", { class: "qk-scans" }, spark, h("span", {}, code.scans == null ? "not shown" : `${code.scans.toLocaleString("en")} scans${code.imported ? ` + ${code.imported.toLocaleString("en")} imported` : ""}`));
    const isChosen = code.id === state.chosen?.id;
    return h("li", {}, h("button", { type: "button", class: "qk-pick", "data-id": code.id, "aria-current": isChosen ? "true" : null, onclick: () => studio.ask({ ask: "choose", id: code.id }) }, picture, text, scans));
  }

  function update() {
    const held = list.contains(document.activeElement) && document.activeElement.dataset.id;
    list.replaceChildren(...state.rows.map(row));
    if (held) list.querySelector(`[data-id="${CSS.escape(held)}"]`)?.focus();
    const options = [{ id: "", name: "All" }, ...state.campaigns];
    campaign.replaceChildren(...options.map((one) => h("option", { value: one.id, selected: one.id === state.campaign }, one.name)));
    if (document.activeElement !== words) words.value = state.words;
    total.textContent = `${state.total.toLocaleString("en")} QR Code${state.total === 1 ? "" : "s"}`;
    pager.hidden = state.pages < 2;
    place.textContent = `${state.page + 1} of ${state.pages}`;
    before.disabled = state.page === 0;
    after.disabled = state.page + 1 >= state.pages;
    root.classList.toggle("qk-editing", Boolean(state.chosen));
    editor.update(state);
    wrong.textContent = state.errors[""] ?? "";
    wrong.hidden = !wrong.textContent;
  }

  const onState = () => {
    const isAnswer = model.get("state").answered !== state.answered;
    state = model.get("state");
    update();
    if (isAnswer) outbox.answered();
  };
  model.on("change:state", onState);
  const ends = [lendShortcuts(root), hideTwin(model)];
  update();
  return () => {
    clearTimeout(typing);
    model.off("change:state", onState);
    for (const end of ends) end();
  };
}

export default { render };
