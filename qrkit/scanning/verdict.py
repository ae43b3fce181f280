"""Combines issues and the results of a panel into a verdict and a score."""

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
"""The severity of an issue that limits the verdict to this one."""

KEPT: dict[Severity, float] = {"fatal": 0.0, "error": 0.5, "warning": 0.85, "note": 1.0}
"""Share of the score that remains with an issue of each severity."""

MOST_NAMED = 4
"""Conditions named in an issue."""


def report_of(
    content: str, level: Level, issues: Iterable[Issue], *, panel: Panel | None = None, **measured: Any
) -> ScanReport:
    """Create the report from the issues of a drawing and the results of a panel.

    Args:
        content: The content of the symbol.
        level: The level of the check.
        issues: The issues of the drawing.
        panel: The results of the readers, if they were used.
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
    """Return the worst verdict of all issues and the panel."""
    severities = {issue.severity for issue in issues}
    structural = next((verdict for verdict in VERDICTS if SEVERITIES[verdict] in severities), VERDICTS[-1])
    return min(structural, panel.verdict, key=VERDICTS.index) if panel else structural


def score_of(issues: Iterable[Issue], panel: Panel | None) -> int:
    """Return the score that issues allow, limited by the panel's score if there is a panel."""
    # Issues of the panel are already part of its score.
    left = round(100 * prod(KEPT[issue.severity] for issue in issues if issue.where != "panel"))
    return min(left, panel.score) if panel else left


def panel_issues(panel: Panel) -> Iterator[Issue]:
    """Yield issues for wrong texts and for conditions in which readers failed."""
    if panel.wrong:
        condition, engine = panel.wrong[0]
        yield Issue("wrong-text", "fatal", "panel", len(panel.wrong), 0, f"{engine} reads another text in {condition}")
    missed = [name for name, row in panel.outcomes.items() if "nothing" in row.values()]
    if missed and panel.verdict != "robust":
        more = f" and {len(missed) - MOST_NAMED} more" if len(missed) > MOST_NAMED else ""
        where = f"{len(missed)} of {len(panel.outcomes)} conditions: {', '.join(missed[:MOST_NAMED])}{more}"
        message = f"not all readers see it in {where}" if panel.rate else "no reader sees it in any condition"
        yield Issue("not-read", SEVERITIES[panel.verdict], "panel", panel.score / 100, 1, message)
