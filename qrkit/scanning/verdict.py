"""Issues and a panel -> one word and one number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import TYPE_CHECKING, Any

from qrkit.scanning.issues import sorted_issues
from qrkit.scanning.scan_report import VERDICTS, Issue, Level, ScanReport, Severity, Verdict

if TYPE_CHECKING:
    from qrkit.scanning.panel import Panel

__all__ = ["panel_issues", "report_of", "score_of", "verdict_of"]

SEVERITIES: dict[Verdict, Severity] = {"unreadable": "fatal", "fragile": "error", "ok": "warning", "robust": "note"}
"""Of an issue that leaves this verdict at best."""

KEPT: dict[Severity, float] = {"fatal": 0.0, "error": 0.5, "warning": 0.85, "note": 1.0}
"""Share of the score that an issue leaves."""

MOST_NAMED = 4
"""Conditions that an issue lists."""


def report_of(
    content: str, level: Level, issues: Iterable[Issue], *, panel: Panel | None = None, **measured: Any
) -> ScanReport:
    """What the issues of a drawing and a panel come to.

    Args:
        content: What the symbol says.
        level: How thorough the check was.
        issues: Of the drawing.
        panel: What readers saw, if they looked.
        **measured: Further fields of `ScanReport`.
    """
    found = sorted_issues((*panel_issues(panel), *issues)) if panel else tuple(issues)
    return ScanReport(
        verdict=verdict_of(found, panel),
        score=score_of(found, panel),
        level=level,
        content=content,
        issues=found,
        panel=panel,
        **measured,
    )


def verdict_of(issues: Iterable[Issue], panel: Panel | None) -> Verdict:
    """The worst that an issue leaves, or that the panel found."""
    severities = {issue.severity for issue in issues}
    structural = next((verdict for verdict in VERDICTS if SEVERITIES[verdict] in severities), VERDICTS[-1])
    return min(structural, panel.verdict, key=VERDICTS.index) if panel else structural


def score_of(issues: Iterable[Issue], panel: Panel | None) -> int:
    """How often the panel reads, at most what the issues leave; without a panel, what they leave."""
    # The panel has its own say; what it saw is not counted twice.
    left = round(100 * prod(KEPT[issue.severity] for issue in issues if issue.where != "panel"))
    return min(left, panel.score) if panel else left


def panel_issues(panel: Panel) -> Iterator[Issue]:
    """What the readers of a panel saw that they should not, or did not see."""
    if panel.wrong:
        condition, engine = panel.wrong[0]
        yield Issue("wrong-text", "fatal", "panel", len(panel.wrong), 0, f"{engine} reads another text in {condition}")
    missed = [name for name, row in panel.outcomes.items() if "nothing" in row.values()]
    if missed and panel.verdict != "robust":
        more = f" and {len(missed) - MOST_NAMED} more" if len(missed) > MOST_NAMED else ""
        where = f"{len(missed)} of {len(panel.outcomes)} conditions: {', '.join(missed[:MOST_NAMED])}{more}"
        message = f"not all readers see it in {where}" if panel.rate else "no reader sees it in any condition"
        yield Issue("not-read", SEVERITIES[panel.verdict], "panel", panel.score / 100, 1, message)
