"""Combines issues and the results of a panel into a verdict and a score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import floor, prod
from typing import TYPE_CHECKING, Any

from qrkit.errors import InvalidParameter, Problem, first_of
from qrkit.scanning.issues import sorted_issues
from qrkit.scanning.scan_report import VERDICTS, Audience, Issue, Level, ScanReport, Severity, Verdict, worse

if TYPE_CHECKING:
    from qrkit.scanning.panel import Panel


SEVERITIES: dict[Verdict, Severity] = {"unreadable": "fatal", "fragile": "error", "ok": "warning", "robust": "note"}
"""The severity of an issue that limits the verdict to this one."""

KEPT: dict[Severity, float] = {"fatal": 0.0, "error": 0.5, "warning": 0.85, "note": 1.0}
"""Share of the score that remains with an issue of each severity."""

MOST_NAMED = 4
"""Conditions named in an issue."""


def report_of(
    content: str,
    level: Level,
    issues: Iterable[Issue],
    *,
    audience: Audience = "phones",
    panel: Panel | None = None,
    **measured: Any,
) -> ScanReport:
    """Create the report from the issues of a drawing and the results of a panel.

    The issues have their severities for the audience. `measured` are further fields of `ScanReport`.
    """
    issues = tuple(issues)
    found = sorted_issues((*panel_issues(panel), *issues)) if panel else issues
    phones = verdict_by(issue.severity for issue in issues if issue.embedded is None)
    embedded = verdict_by(issue.embedded or issue.severity for issue in issues)
    return ScanReport(
        verdict=verdict_of(found, panel),
        score=score_of(issues, panel),
        level=level,
        content=content,
        issues=found,
        audience=audience,
        phones=worse(phones, panel.phones if panel else None),
        embedded=worse(embedded, panel.embedded if panel else None),
        panel=panel,
        **measured,
    )


def verdict_by(severities: Iterable[Severity]) -> Verdict:
    """Return the best verdict that issues of these severities allow."""
    found = {*severities}
    return next((verdict for verdict in VERDICTS if SEVERITIES[verdict] in found), VERDICTS[-1])


def verdict_of(issues: Iterable[Issue], panel: Panel | None) -> Verdict:
    """Return the worst verdict of all issues and the panel."""
    return worse(verdict_by(issue.severity for issue in issues), panel.verdict if panel else None)


def score_of(issues: Iterable[Issue], panel: Panel | None) -> int:
    """Return the score that the issues of a drawing allow, limited by the panel's score if there is a panel."""
    left = round(100 * prod(KEPT[issue.severity] for issue in issues))
    return min(left, panel.score) if panel else left


def panel_issues(panel: Panel) -> Iterator[Issue]:
    """Yield issues for wrong texts and for conditions in which readers failed."""
    if panel.wrong:
        condition, engine = panel.wrong[0]
        message = f"{engine} reads a different text in the “{condition}” test"
        yield Issue("wrong-text", "fatal", "panel", len(panel.wrong), 0, message)
    if not panel.rate:
        yield Issue("not-read", "fatal", "panel", 0, 1, "no scanner can read it in any test")
        return
    if panel.phones != "robust" and (message := _missed("phones", panel.missed, len(panel.frames)) or _share(panel)):
        yield Issue("not-read", SEVERITIES[panel.phones], "panel", panel.score / 100, 1, message)
    if panel.embedded not in (None, "robust") and panel.missed_by_embedded:
        message = _missed("embedded readers", panel.missed_by_embedded, panel.core_count)
        yield Issue("not-read", SEVERITIES[panel.embedded], "panel", panel.score / 100, 1, message)


def _missed(readers: str, missed: list[str], count: int) -> str:
    """Name the conditions that readers miss; an empty text if there are none."""
    if not missed:
        return ""
    return f"not all {readers} can read it in {len(missed)} of {count} tests: {first_of(missed, MOST_NAMED)}"


def _share(panel: Panel) -> str:
    """Name the reader of phones that misses most frames."""
    from qrkit.scanning.panel import ENOUGH_FRAMES  # reports without readers do without numpy

    engine, share = min(panel.shares.items(), key=lambda pair: pair[1])
    return (
        f"{engine} reads {floor(100 * share)}% of the captures in which it reads a plain symbol; "
        f"{ENOUGH_FRAMES:.0%} are needed"
    )


def no_verdict() -> InvalidParameter:
    """Return the error for a check of a Micro QR Code, which most phones cannot read, however well it is drawn."""
    rule = (
        "has no verdict: most phones cannot read Micro QR Codes; test the print with your own readers, or use an "
        "ordinary QR Code"
    )
    return InvalidParameter(Problem("micro", None, rule, "bad-value"))
