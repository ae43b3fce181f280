"""Builds the badge of a designer: whether its image scans, what prevents it, and what can be fixed at once."""

from __future__ import annotations

from typing import Any

from qrkit.errors import QrkitError
from qrkit.languages import say, translated
from qrkit.scanning.scan_report import ON, ScanReport

Badge = dict[str, Any]
"""`verdict` (robust, ok, fragile, unreadable or unknown), what it means in `words`, the `report` behind it in a line,
the `least` width of a print in millimeters, `issues` (each with its `number`, its `message`, its `advice`, and whether
it `canFix`), number of `more` issues, and whether a repair `canRepair` everything at once."""

WORDS = {
    "phones": {
        "robust": "Phones read it",
        "ok": "Most phones read it",
        "fragile": "Some phones may not read it",
        "unreadable": "Phones cannot read it",
    },
    "all": {
        "robust": "Phones and scanners read it",
        "ok": "Most phones and scanners read it",
        "fragile": "Some phones and scanners may not read it",
        "unreadable": "Phones and scanners cannot read it",
    },
}
"""What each verdict means for each audience."""

MOST_ISSUES = 3
"""Maximum issues shown next to the image."""


def badge_of(report: ScanReport, least: int) -> Badge:
    """Return a badge with the verdict and the worst issues of a report.

    What only embedded readers need is told to those who ask for them, with the audience `all`.
    """
    told = [
        _sentences(one.message) | {"number": number, "canFix": bool(one.fix)}
        for number, one in enumerate(report.issues)
        if one.embedded is None or report.audience == "all"
    ]
    words = say(WORDS[report.audience][report.verdict])
    advised = say("{words}; print at least {least} mm wide", words=words, least=least)
    return {
        "verdict": report.verdict,
        "words": advised if report.is_at_least("ok") else words,
        "report": f"{report.verdict} {ON[report.audience]}, {report.score} of 100",
        "least": least,
        "issues": told[:MOST_ISSUES],
        "more": max(0, len(told) - MOST_ISSUES),
        "canRepair": not report.is_at_least("robust"),
    }


def no_badge(error: QrkitError) -> Badge:
    """Return the badge of an image that could not be checked."""
    issues = [_sentences(str(error)) | {"canFix": False}]
    return {"verdict": "unknown", "words": say("Not checked"), "issues": issues, "more": 0, "canRepair": False}


def _sentences(message: str) -> dict[str, str]:
    """Split a message into what is wrong and what to do, each with a capital letter and a period."""
    wrong, _, advice = message.partition("; ")
    return {"message": _sentence(translated(wrong)), "advice": _sentence(translated(advice))}


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text[-1] in '.?!' else '.'}" if text else ""
