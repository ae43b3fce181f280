"""Puts the campaigns of a report side by side: what each brought a day, and how that changed, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from qrkit.report.comparisons import Change
from qrkit.report.facts import Facts
from qrkit.report.findings import against_text, more_or_fewer, range_text
from qrkit.report.sentences import say
from qrkit.report.words import rate

__all__ = ["SideBySide", "side_by_side"]


class Row(NamedTuple):
    """A campaign: its scans a day and their change, each with its interval, or the reason why there is none."""

    name: str
    rate: str
    likely_rate: str
    change: str
    likely_change: str


class SideBySide(NamedTuple):
    """What the changes are compared with, and the campaigns that had scans, the highest rate first."""

    change: str
    rows: Sequence[Row]


def side_by_side(facts: Facts) -> SideBySide:
    """Compare the campaigns; without rows if there are too few days, or too many are hidden."""
    title, rates = say("change", against=against_text(facts.comparisons)), facts.rates
    if rates is None or "campaign" not in rates:
        return SideBySide(title, ())
    changes = {one.name: one for one in facts.comparisons.parts}
    found = []
    for row in rates.sort_values(["rate", "campaign"], ascending=[False, True]).to_dict("records"):
        likely = row["reason"] or say("likely_rate", low=rate(row["low"]), high=rate(row["high"]))
        found.append(Row(row["campaign"], rate(row["rate"]), likely, *_change(changes.get(row["campaign"]))))
    return SideBySide(title, found)


def _change(change: Change | None) -> tuple[str, str]:
    if change is None or not change.before + change.after:
        return "\N{EN DASH}", ""
    return more_or_fewer(change.ratio), change.reason or range_text(change)
