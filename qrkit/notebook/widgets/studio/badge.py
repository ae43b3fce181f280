"""Builds the badge of a designer: whether its image scans, what prevents it, and what can be fixed at once."""

from __future__ import annotations

from typing import Any

from qrkit.errors import QrkitError
from qrkit.scanning.scan_report import ON, ScanReport

__all__ = ["Badge", "badge_of", "no_badge"]

Badge = dict[str, Any]
"""`verdict` (robust, ok, fragile, unreadable or unknown), `audience` in words, `score` 0..100 or None, `issues` (each
with its `message`, its `advice`, and whether it `canFix`), number of `more` issues, and whether a repair `canRepair`
everything at once."""

MOST_ISSUES = 3
"""Maximum issues shown next to the image."""


def badge_of(report: ScanReport) -> Badge:
    """Return a badge with the verdict and the worst issues of a report."""
    issues = [_sentences(one.message) | {"canFix": bool(one.fix)} for one in report.issues[:MOST_ISSUES]]
    return {
        "verdict": report.verdict,
        "audience": ON[report.audience],
        "score": report.score,
        "issues": issues,
        "more": max(0, len(report.issues) - MOST_ISSUES),
        "canRepair": not report.is_at_least("robust"),
    }


def no_badge(error: QrkitError) -> Badge:
    """Return the badge of an image that could not be checked."""
    issues = [_sentences(str(error)) | {"canFix": False}]
    return {"verdict": "unknown", "audience": "", "score": None, "issues": issues, "more": 0, "canRepair": False}


def _sentences(message: str) -> dict[str, str]:
    """Split a message into what is wrong and what to do, each with a capital letter and a period."""
    wrong, _, advice = message.partition("; ")
    return {"message": _sentence(wrong), "advice": _sentence(advice)}


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text[-1] in '.?!' else '.'}" if text else ""
