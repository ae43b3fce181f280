// Whether the picture scans: what to do in the tool bar; below the picture what is in the way, and how to mend it.

const SIGNS = { robust: "✓", ok: "✓", fragile: "!", unreadable: "✕", unknown: "?" };

/** studio: { ask(message) }. Gives { element, issues, update(badge, note) }. */
function makeBadge(studio) {
  const sign = h("span", { class: "qk-sign", "aria-hidden": "true" });
  const word = h("strong", {});
  const element = h("div", { class: "qk-badge" }, h("div", { role: "status", class: "qk-set" }, sign, word));
  const list = h("ul", { class: "qk-stack qk-issues" });
  const repair = button(say("Make scannable"), () => studio.ask({ ask: "repair" }), { hidden: true, title: say("Changes as little as needed so that the code scans") });
  const done = h("p", { class: "qk-done", role: "status" });
  const issues = h("section", { class: "qk-stack qk-scan", "aria-label": say("Scanning problems") }, list, repair, done);
  function item({ message, advice, canFix, number: issue }) {
    const fix = canFix && button(say("Fix"), () => studio.ask({ ask: "fix", issue }), { "aria-label": `${say("Fix")}: ${message} ${advice}` });
    return h("li", {}, h("div", {}, message, advice && h("div", { class: "qk-advice" }, advice)), fix || null);
  }
  function update(badge, note) {
    // While it is not known anew, what was said before stays, paler: it must not flicker with each step of a slider.
    for (const part of [element, issues]) part.classList.toggle("qk-old", !badge);
    done.textContent = note ? say("Changed: {note}", null, { note }) : "";
    if (!badge) return;
    sign.textContent = SIGNS[badge.verdict];
    word.textContent = badge.words;
    element.title = badge.report ?? "";
    element.dataset.verdict = badge.verdict;
    const rows = badge.issues.map(item);
    if (badge.more) rows.push(h("li", {}, say(["1 more problem", "{count} more problems"], badge.more)));
    list.replaceChildren(...rows);
    repair.hidden = !badge.canRepair;
  }
  return { element, issues, update };
}
