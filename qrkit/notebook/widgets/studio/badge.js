// Whether the picture scans: a word and a number in the tool bar; below the picture what is in the way, and how to mend it.

const VERDICTS = {
  robust: ["✓", "Robust"],
  ok: ["✓", "OK"],
  fragile: ["!", "Fragile"],
  unreadable: ["✕", "Unreadable"],
  unknown: ["?", "Not checked"],
};

/** studio: { ask(message) }. Gives { element, issues, update(badge, note) }. */
function makeBadge(studio) {
  const sign = h("span", { class: "qk-sign", "aria-hidden": "true" });
  const word = h("strong", {});
  const element = h("div", { class: "qk-badge" }, h("div", { role: "status", class: "qk-verdict" }, sign, word));
  const list = h("ul", { class: "qk-issues" });
  const repair = h("button", { type: "button", hidden: true, title: "Changes as little as needed so that the code scans", onclick: () => studio.ask({ ask: "repair" }) }, "Make scannable");
  const done = h("p", { class: "qk-done", role: "status" });
  const issues = h("section", { class: "qk-scan", "aria-label": "Scanning problems" }, list, repair, done);
  function item({ message, advice, canFix }, issue) {
    const fix = canFix && h("button", { type: "button", "aria-label": `Fix: ${message} ${advice}`, onclick: () => studio.ask({ ask: "fix", issue }) }, "Fix");
    return h("li", {}, h("span", {}, message, advice && h("span", { class: "qk-advice" }, advice)), fix || null);
  }
  function update(badge, note) {
    // While it is not known anew, what was said before stays, paler: it must not flicker with each step of a slider.
    for (const part of [element, issues]) part.classList.toggle("qk-old", !badge);
    done.textContent = note ? `Changed: ${note}` : "";
    if (!badge) return;
    const [mark, name] = VERDICTS[badge.verdict];
    sign.textContent = mark;
    word.textContent = badge.score == null ? name : `${name} ${badge.audience}, ${badge.score} of 100`;
    element.dataset.verdict = badge.verdict;
    const rows = badge.issues.map(item);
    if (badge.more) rows.push(h("li", {}, badge.more === 1 ? "1 more problem" : `${badge.more} more problems`));
    list.replaceChildren(...rows);
    repair.hidden = !badge.canRepair;
  }
  return { element, issues, update };
}
