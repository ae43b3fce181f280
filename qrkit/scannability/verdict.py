"""Issues and a panel -> one word and one number."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import TYPE_CHECKING

from qrkit.scannability.report import Issue, Severity, Verdict

if TYPE_CHECKING:
    from qrkit.scannability.panel import Panel

__all__ = ["panel_issues", "score_of", "verdict_of"]

WORST: dict[Severity, Verdict] = {"fatal": "unreadable", "error": "fragile", "warning": "ok", "note": "robust"}
"""The best verdict that an issue leaves."""

KEPT: dict[Severity, float] = {"fatal": 0.0, "error": 0.5, "warning": 0.85, "note": 0.98}
"""Share of the score that an issue leaves."""


def verdict_of(issues: Iterable[Issue], panel: Panel | None) -> Verdict:
    severities = {issue.severity for issue in issues}
    return next((WORST[one] for one in ("fatal", "error", "warning") if one in severities), "robust")


def score_of(issues: Iterable[Issue], panel: Panel | None) -> int:
    structural = prod(KEPT[issue.severity] for issue in issues)
    return round(100 * structural)


def panel_issues(panel: Panel) -> list[Issue]:
    return []
