// The rules, limits and password of a code, and the test request that shows which rule answers.

const PAUSE = 150; // milliseconds after the last change until a test request is asked anew
const PICKABLE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(:00)?Z)?$/; // what a field for dates shows whole

/** A part of the form that is open while it has something in it. */
function makePart(title, ...children) {
  const count = h("span", { class: "qk-count" });
  const element = h("details", { class: "qk-part" }, h("summary", {}, title, count), h("div", { class: "qk-stack qk-form" }, ...children));
  return { element, count };
}

/** forms: { types, devices, most_variants }, as rule_form.py says them. changed() is called after each change. */
function makeRules(forms, changed) {
  const types = Object.fromEntries(forms.types.map((one) => [one.id, one]));
  const list = h("div", { class: "qk-items" });
  let rules = [];
  let tells = [];

  /** Draws all rules; the element with this key gets the focus. */
  function draw(key) {
    tells = [];
    list.replaceChildren(...rules.map(drawRule));
    if (key) list.querySelector(`[data-key="${key}"]`)?.focus();
    settle();
  }

  /** What follows from the types of conditions. */
  function settle() {
    for (const [name, field] of Object.entries(request)) field.element.hidden = !(ALWAYS.includes(name) || rules.some((rule) => rule.conditions.some((one) => types[one.type].asked === name)));
    part.count.textContent = rules.length || "";
    changed();
  }

  function put(label, path, input, help) {
    const row = field(label, path, input, help);
    tells.push(row.tell);
    return row.element;
  }
  /** An input that shows a field of a rule, a condition or a variant, and sets it. */
  function bind(held, name, input, read = (text) => text) {
    if (held[name]) input.value = held[name];
    input.addEventListener("input", () => { held[name] = read(input.value); changed(); });
    return input;
  }

  function drawRule(rule, index) {
    const name = say("Rule {number}", null, { number: index + 1 });
    const swap = (by) => {
      [rules[index], rules[index + by]] = [rules[index + by], rules[index]];
      draw(`${by < 0 ? "up" : "down"} ${index + by}`);
    };
    const up = tool("↑", say("Move {name} up", null, { name }), () => swap(-1), { "data-key": `up ${index}`, disabled: !index });
    const down = tool("↓", say("Move {name} down", null, { name }), () => swap(1), { "data-key": `down ${index}`, disabled: index === rules.length - 1 });
    const remove = tool(say("Remove"), say("Remove {name}", null, { name }), () => {
      rules.splice(index, 1);
      draw();
      add.focus();
    });
    const leads = (label, path, held) => put(label, `${path}.content`, bind(held, "content", h("textarea", { rows: 1 })));
    const { variants } = rule;
    const drawVariant = (one, place) => {
      const path = `rules.${index}.variants.${place}`;
      const title = say("Variant {number}", null, { number: place + 1 });
      const cut = tool("×", say("Remove {name}", null, { name: title }), () => {
        variants.splice(place, 1);
        draw(`split ${index}`);
      }, { disabled: variants.length === 2 });
      const own = [put(say("Name"), `${path}.name`, bind(one, "name", h("input", { type: "text" }))), put(say("Weight in the split"), `${path}.weight`, bind(one, "weight", h("input", { type: "number", min: 1, value: 1 }), Number))];
      const content = leads(say("{name} leads to", null, { name: one.name }), path, one);
      content.classList.add("qk-whole");
      return h("div", { class: "qk-stack qk-condition qk-asked", role: "group", "aria-label": title }, h("div", { class: "qk-set qk-whole" }, h("span", { class: "qk-word" }, title), cut), ...own, content);
    };
    const splitMore = variants && button(say("Add variant"), () => {
      variants.push({ name: [..."ABCDEFGHIJ"].find((name) => variants.every((one) => one.name !== name)) ?? "", content: "" });
      draw();
      list.children[index].querySelector(`[aria-label="${say("Variant {number}", null, { number: variants.length })}"] textarea`).focus();
    }, { "data-key": `split ${index}`, disabled: variants.length === forms.most_variants });
    const more = button(say("Add condition"), () => {
      rule.conditions.push({ type: "language" });
      draw(`type ${index} ${rule.conditions.length - 1}`);
    });
    const wrong = h("p", { class: "qk-error" });
    tells.push((errors) => (wrong.textContent = errors[`rules.${index}`] ?? ""));
    return h(
      "fieldset", { class: "qk-stack qk-rule", "aria-label": name },
      h("div", { class: "qk-line" }, h("b", {}, name), up, down, remove), wrong,
      ...rule.conditions.map((one, place) => drawCondition(rule, one, index, place)), more,
      ...(variants ? [h("p", { class: "qk-hint" }, say("Splits its visitors among the variants. A change of a variant begins a new experiment."), " ", say("Twice the weight gets twice the visitors.")), ...variants.map(drawVariant), splitMore] : [leads(say("Leads to"), `rules.${index}`, rule)]),
    );
  }

  function drawCondition(rule, condition, index, place) {
    const type = h("select", { "aria-label": say("What is compared"), "data-key": `type ${index} ${place}`, onchange: () => {
      condition = rule.conditions[place] = { type: type.value, isNegated: condition.isNegated };
      // The select itself stays, because somebody may be typing the name of a type.
      while (head.nextSibling) head.nextSibling.remove();
      element.append(...parts());
      settle();
    } });
    fill(type, forms.types, condition.type);
    const is = h("select", { "aria-label": say("Whether it is so"), onchange: () => { condition.isNegated = Boolean(is.value); changed(); } });
    fill(is, [{ id: "", name: say("is") }, { id: "not", name: say("is not") }], condition.isNegated ? "not" : "");
    const remove = tool("×", say("Remove condition {number}", null, { number: place + 1 }), () => {
      rule.conditions.splice(place, 1);
      draw(`type ${index} ${Math.max(place - 1, 0)}`);
    }, { disabled: rule.conditions.length === 1 && !rule.variants });
    const parts = () => {
      const [path, kind] = [`rules.${index}.conditions.${place}`, types[condition.type]];
      const own = [kind.value && drawValues(condition, kind, path), kind.key && drawKey(condition, kind, path)].filter(Boolean);
      if (own.length === 1) own[0].classList.add("qk-whole");
      if (kind.id.endsWith("query-param")) own.reverse();
      return kind.hint ? [...own, h("p", { class: "qk-hint qk-whole" }, kind.hint)] : own;
    };
    const head = h("div", { class: "qk-set qk-whole" }, h("span", { class: "qk-word" }, place ? say("and") : say("if")), type, is, remove);
    const element = h("div", { class: "qk-stack qk-condition qk-asked" }, head, ...parts());
    return element;
  }

  const drawValues = (condition, kind, path) => {
    const values = [condition.matchValue ?? []].flat();
    const set = (given) => {
      condition.matchValue = given;
      changed();
    };
    if (kind.choices.length) {
      const known = values.map((one) => one.toLowerCase());
      const ticks = kind.choices.map(({ id, name }) => {
        const tick = h("input", { type: "checkbox", class: "qk-unseen", value: id, checked: known.includes(id), onchange: () => set(ticks.filter((one) => one.firstChild.checked).map((one) => one.firstChild.value)) });
        return h("label", { class: "qk-option" }, tick, name);
      });
      return put("", `${path}.matchValue`, h("div", { class: "qk-line qk-segments", role: "group", "aria-label": kind.name }, ...ticks));
    }
    if (kind.id.endsWith("-date") && values.length < 2 && PICKABLE.test(values[0] ?? "")) {
      const date = h("input", { type: "datetime-local", value: toInput(values[0] ?? ""), oninput: () => set([fromInput(date.value)]) });
      return put(say("Date and time (UTC)"), `${path}.matchValue`, date);
    }
    const text = h("textarea", { rows: Math.max(values.length, 1), oninput: () => set(text.value.split("\n").filter((one) => one.trim())) });
    text.value = values.join("\n");
    return put(say("Value"), `${path}.matchValue`, text, `${capital(kind.value)}. ${say("Several: one a line.")}`);
  };

  function drawKey(condition, kind, path) {
    const isZone = kind.key === "a time zone";
    const input = kind.keys.length ? h("select") : h("input", { type: "text" });
    if (kind.keys.length) fill(input, kind.keys, condition.matchKey || "all");
    else condition.matchKey ??= isZone ? Intl.DateTimeFormat().resolvedOptions().timeZone : "";
    bind(condition, "matchKey", input);
    const label = kind.keys.length ? say("Counted") : isZone ? say("Time zone") : say("Name of the parameter");
    return put(label, `${path}.matchKey`, input);
  }

  const add = button(say("Add rule"), () => {
    rules.push({ conditions: [{ type: "device" }], content: "" });
    draw(`type ${rules.length - 1} 0`);
  });
  const split = button(say("Add experiment"), () => {
    rules.push({ conditions: [], variants: ["A", "B"].map((name) => ({ name, content: "" })) });
    draw();
    list.lastChild.querySelector("textarea").focus();
  });

  // ---- The test request
  const ALWAYS = ["device", "at"];
  const device = h("select");
  fill(device, [{ id: "", name: say("Unknown") }, ...forms.devices], "");
  const text = (placeholder) => h("input", { type: "text", placeholder });
  const request = {
    device: field(say("Device"), "", device), language: field(say("Language"), "", text("de-AT")), country: field(say("Country"), "", text("SI")),
    region: field(say("Region"), "", text("")), city: field(say("City"), "", text("")), query: field(say("Query"), "", text("wall=3")),
    address: field(say("IP address"), "", text("192.0.2.7")), referrer: field(say("Referring site"), "", text("example.com")),
    at: field(say("Time (UTC)"), "", h("input", { type: "datetime-local" })),
  };
  for (const one of Object.values(request)) one.input.addEventListener("input", changed);
  const [led, why] = [h("b", {}), h("span", {})];
  const test = h(
    "fieldset", { class: "qk-test" }, h("legend", {}, say("Test request")),
    h("div", { class: "qk-stack qk-asked" }, ...Object.values(request).map((one) => one.element)),
    h("p", { role: "status", class: "qk-led" }, led, why),
  );
  const part = makePart(say("Rules"), h("p", { class: "qk-hint" }, say("The first rule that applies decides where a visitor goes; otherwise the schedule or the content does.")), list, h("div", { class: "qk-line" }, add, split), test);

  function tell(tried, errors) {
    const found = tried?.problems ?? {};
    // While a rule is being written, only what its own fields cannot show is told: that it never answers.
    const isRefused = Object.keys(errors).length > 0;
    const told = Object.fromEntries(Object.entries(found).filter(([path]) => isRefused || /^rules\.\d+$/.test(path)));
    for (const one of tells) one(told);
    if (isRefused && Object.keys(errors).some((path) => path.startsWith("rules"))) part.element.open = true;
    const first = Object.keys(found)[0];
    const where = first?.match(/^rules\.(\d+)/);
    led.textContent = first ? "" : tried?.content ?? (tried ? say("Nowhere") : "");
    why.textContent = first ? say("{rule} is not complete: {reason}", null, { rule: where ? say("Rule {number}", null, { number: Number(where[1]) + 1 }) : first, reason: found[first] }) : tried?.sentence ?? "";
    [...list.children].forEach((one, index) => one.classList.toggle("qk-answers", tried?.rule === index));
  }

  return {
    element: part.element,
    value: () => rules,
    request: () => Object.fromEntries(Object.entries(request).filter(([, one]) => !one.element.hidden).map(([name, one]) => [name, name === "at" ? fromInput(one.input.value) : one.input.value])),
    show(given) {
      rules = structuredClone(given);
      part.element.open = rules.length > 0;
      draw();
    },
    tell,
  };
}

/** When a code leads nowhere, and what happens then. */
function makeLimits(changed) {
  const when = () => h("input", { type: "datetime-local" });
  const number = () => h("input", { type: "number", min: 0, placeholder: say("No limit") });
  const { input: active, element: switched } = checkbox(say("Switched on"), changed);
  const { input: remove, element: forget } = checkbox(say("Remove the password"), changed);
  const fields = {
    valid_since: field(say("Not before (UTC)"), "valid_since", when()),
    valid_until: field(say("Not after (UTC)"), "valid_until", when()),
    limit: field(say("Scans in all, at most"), "limit", number()),
    limit_a_day: field(say("Scans a day, at most"), "limit_a_day", number()),
    otherwise: field(say("Otherwise"), "otherwise", h("textarea", { rows: 1 }), say("Outside these times and limits: a URL, or words to show. Leave empty for a page in the visitor's language.")),
    password: field(say("Password"), "password", h("input", { type: "text", autocomplete: "off" }), say("Visitors type it before they are led on. Only its hash is stored.")),
  };
  let terms = {};
  const isDate = (name) => name.startsWith("valid");
  for (const [name, { input }] of Object.entries(fields)) {
    input.addEventListener("input", () => {
      terms[name] = isDate(name) ? fromInput(input.value) : input.type === "number" ? Number(input.value) : input.value;
      changed();
    });
  }
  const part = makePart(
    say("Limits and password"),
    switched,
    h("div", { class: "qk-stack qk-asked" }, ...Object.values(fields).slice(0, 4).map((one) => one.element)), fields.otherwise.element, fields.password.element, forget,
  );
  return {
    element: part.element,
    /** Only what was changed: a time has seconds that its field does not show. */
    value: () => ({ ...terms, active: active.checked, ...(remove.checked ? { password: "" } : {}) }),
    show(chosen) {
      terms = {};
      for (const [name, { input }] of Object.entries(fields)) input.value = isDate(name) ? toInput(chosen[name]) : name === "password" ? "" : chosen[name];
      [active.checked, remove.checked, forget.hidden] = [chosen.active, false, !chosen.password];
      fields.password.input.placeholder = chosen.password ? say("Set; leave empty to keep it") : say("None");
      part.element.open = !chosen.active || Object.keys(fields).some((name) => chosen[name]);
    },
    tell(errors) {
      for (const one of Object.values(fields)) one.tell(errors);
      if (Object.keys(fields).some((name) => errors[name])) part.element.open = true;
    },
  };
}
