"""Puts the campaigns of a report side by side: what each brought a day, and how that changed, with intervals."""

from __future__ import annotations

from html import escape

from qrkit import languages
from qrkit.report.comparisons import Change
from qrkit.report.facts import Facts
from qrkit.report.findings import against_text, leader, more_or_fewer, range_text
from qrkit.report.sentences import say
from qrkit.report.words import quoted, rate

NOT_COMPARED = (
    "The campaigns cannot be compared: fewer than two have scans, there are too few days, or too many numbers are "
    "hidden."
)


def side_by_side(facts: Facts) -> str:
    """Return a sentence on the campaign that leads, and a table of all that had scans, as HTML.

    Scans a day and their change each have an interval, or the reason why there is none.
    """
    rates = facts.rates
    if rates is None or "campaign" not in rates:
        return f'<p class="notes">{languages.say(NOT_COMPARED)}</p>'
    changes = {one.name: one for one in facts.comparisons.parts}
    change = say("change", against=against_text(facts.comparisons))
    heads = languages.say("Campaign"), languages.say("Scans a day"), change
    rows = []
    for row in rates.sort_values(["rate", "campaign"], ascending=[False, True]).to_dict("records"):
        likely = row["reason"] or say("likely_rate", low=rate(row["low"]), high=rate(row["high"]))
        cells = (rate(row["rate"]), likely), _change(changes.get(row["campaign"]))
        texts = "".join(f"<td>{escape(value)}<small>{escape(detail)}</small></td>" for value, detail in cells)
        rows.append(f'<tr><th scope="row"><bdi>{escape(row["campaign"])}</bdi></th>{texts}</tr>')
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    told = escape(" ".join([leader(facts), *_lead(facts)]))
    return f'<p class="notes">{told}</p><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _lead(facts: Facts) -> list[str]:
    """Say by how much the campaign with the most scans leads the second one, if there is an interval."""
    leading = facts.comparisons.leading
    if leading is None or leading.reason:
        return []
    names = {"name": quoted(leading.name), "other": quoted(facts.leaders[1][0])}
    return [say("lead", change=more_or_fewer(leading.ratio), range=range_text(leading), **names)]


def _change(change: Change | None) -> tuple[str, str]:
    if change is None or not change.before + change.after:
        return "\N{EN DASH}", ""
    return more_or_fewer(change.ratio), change.reason or range_text(change)
