"""What the badge of a designer says: whether its picture scans, what is in the way, and what can be mended at once."""

from __future__ import annotations

from typing import Any

from qrkit.errors import QrkitError
from qrkit.scanning.scan_report import ScanReport

__all__ = ["Badge", "badge_of", "no_badge"]

Badge = dict[str, Any]
"""`verdict` (robust, ok, fragile, unreadable or unknown), `score` 0..100 or None, `issues`: of each its `message` and
whether `canFix`; how many `more` there are; and whether a repair `canRepair` it all at once."""

MOST_ISSUES = 3
"""That are told beside the picture."""


def badge_of(report: ScanReport) -> Badge:
    """The verdict and the worst issues of a report."""
    issues = [{"message": one.message, "canFix": bool(one.fix)} for one in report.issues[:MOST_ISSUES]]
    return {
        "verdict": report.verdict,
        "score": report.score,
        "issues": issues,
        "more": max(0, len(report.issues) - MOST_ISSUES),
        "canRepair": not report.is_at_least("robust"),
    }


def no_badge(error: QrkitError) -> Badge:
    """What is said of a picture that could not be looked at."""
    issues = [{"message": str(error), "canFix": False}]
    return {"verdict": "unknown", "score": None, "issues": issues, "more": 0, "canRepair": False}
