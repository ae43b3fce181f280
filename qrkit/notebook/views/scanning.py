"""Displays the results of checks and repairs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from html import escape
from math import ceil
from typing import Any

from qrkit.errors import QrkitError
from qrkit.notebook.views.html import badge, card, details, media, page_text, picture, png_picture, shown, soft, table
from qrkit.pictures.image import QRImage
from qrkit.scanning.budget import Budget
from qrkit.scanning.grade import Grade
from qrkit.scanning.largest_logo import LargestLogo
from qrkit.scanning.panel import Panel
from qrkit.scanning.photographs.photo_grade import PhotoGrade
from qrkit.scanning.repair import Repair
from qrkit.scanning.scan_report import ON, Issue, ScanReport

MARKS = {"fatal": "✕", "error": "!", "warning": "△", "note": "·"}


SIDE = 200
"""Width in pixels of images side by side."""


@media.register
def _(report: ScanReport) -> dict[str, Any]:
    which = f'<p style="margin:0 0 8px">{escape(report.subject)}</p>' if report.subject else ""
    return {"text/html": which + (media(report.photo)["text/html"] if report.photo else _report_html(report))}


@media.register
def _(photo: PhotoGrade) -> dict[str, Any]:
    """Show the answer beside the map of damage on the photo."""
    first, *others = map(escape, photo.sentences)
    told = "".join(f'<p style="margin:0 0 6px">{sentence}</p>' for sentence in others)
    count = int(photo.budget.wrong.sum())
    map_ = png_picture(photo.damage_map(), photo.picture.shape, f"photo with {count} damaged modules framed", SIDE)
    return {"text/html": card(first, told, beside=[map_])}


@media.register
def _(budget: Budget) -> dict[str, Any]:
    pairs = [
        ("used", str(budget)),
        ("wrong codewords", f"{sum(budget.errors)} of {sum(budget.correctable)} that can be corrected"),
        *((page_text(cause.path), f"{cause.share:.0%}") for cause in budget.causes[:5]),
    ]
    return {"text/html": card("Error correction", details(pairs), beside=[_map(budget, SIDE)])}


def _map(budget: Budget, side: int) -> str:
    sized = f'<svg style="display:block;width:{side}px;height:auto;border-radius:4px" '
    return budget.heat_map().replace("<svg ", sized, 1)


@media.register
def _(grade: Grade) -> dict[str, Any]:
    rows = [(page_text(one.name), f"{one.value:.3g}", f"{one.letter} ({one.grade})") for one in grade.parameters]
    note = soft("in the manner of ISO/IEC 15415, not a verification")
    return {
        "text/html": card(
            f"Print grade {grade.letter} ({grade.overall}.0)", note, table(("", "measured", "grade"), rows)
        )
    }


@media.register
def _(panel: Panel) -> dict[str, Any]:
    read = ", ".join(f"{page_text(name)} {rate:.0%}" for name, rate in panel.rates.items())
    return {
        "text/html": card(
            badge(panel.verdict, f"score {panel.score} of 100, {panel.level} panel"), read, panel_table(panel)
        )
    }


@media.register
def _(result: LargestLogo) -> dict[str, Any]:
    pairs = [("share", f"{result.share:.0%} of the symbol's width"), *shown(result.layer)]
    return {
        "text/html": card(
            f"Largest logo {_verdict(result.report)}", details(pairs), beside=[_picture_or_map(result.report)]
        )
    }


@media.register
def _(repair: Repair) -> dict[str, Any]:
    """Show the design before and after, and the changes."""
    sides = (
        [_side("before", repair.before), _side("after", repair.after)] if repair.changes else [_side("", repair.after)]
    )
    changes = "".join(f"<li>{page_text(one.message)}</li>" for one in repair.changes)
    told = f'<ul style="margin:0;padding-left:18px">{changes}</ul>' if changes else "nothing had to be changed"
    return {"text/html": card("Changes", told, beside=sides)}


def _side(name: str, report: ScanReport) -> str:
    label = f'<div style="margin-bottom:5px">{name} {_verdict(report)}</div>'
    used = "" if report.budget is None else f"{report.budget.used:.0%} of the error correction used"
    return f"{label}{_picture_or_map(report)}{soft(used)}"


def _verdict(report: ScanReport) -> str:
    return badge(report.verdict, report.score)


def _picture_or_map(report: ScanReport) -> str:
    """Show the image, or the heat map if it cannot be drawn."""
    if report.design is not None:
        with suppress(QrkitError):
            image = QRImage(report.design)
            return picture(image, f"QR Code: {image.title}", SIDE)
    return _map(report.budget, SIDE) if report.budget else ""


# ---- a scan report


def _report_html(report: ScanReport) -> str:
    """Return a scan report as HTML."""
    head = badge(report.verdict, f"score {report.score} of 100, {report.level} check")
    readers = f'<p style="margin:0 0 8px">{ON[report.audience]}; embedded readers: {report.embedded}</p>'
    facts = details((name, page_text(value)) for name, value in _pairs(report))
    map_ = _map(report.budget, SIDE) if report.budget else ""
    return card(head, readers, _issues(report.issues), facts, _panel(report), beside=[map_])


def _issues(issues: tuple[Issue, ...]) -> str:
    if not issues:
        return '<p style="margin:0 0 8px">Nothing is in the way of readers.</p>'
    rows = "".join(
        f'<li style="margin:0 0 4px;list-style:none"><span aria-hidden="true" style="display:inline-block;width:18px;'
        f'margin-left:-18px;font-weight:700">{MARKS[issue.severity]}</span>'
        f"<b>{escape(issue.severity)}</b>: {escape(issue.message)}</li>"
        for issue in issues
    )
    return f'<ul style="margin:0 0 8px;padding-left:18px">{rows}</ul>'


def _pairs(report: ScanReport) -> Iterator[tuple[str, str]]:
    if budget := report.budget:
        yield "error correction used", str(budget)
        if budget.causes:
            shares = ", ".join(f"{cause.path} {cause.share:.0%}" for cause in budget.causes[:4])
            yield "by", shares
    if structure := report.structure:
        yield "contrast", f"{structure.symbol_contrast:.2f}"
        yield "quiet zone on a dark page", f"{structure.quiet:.1f} modules"
    if (close := report.least_width_mm()) and (far := report.least_width_mm(1)):
        yield "width of a print", f"at least {ceil(close)} mm, or {ceil(far)} mm to be read from 1 m"
    if report.grade:
        yield "print grade", str(report.grade)


def _panel(report: ScanReport) -> str:
    if report.panel is None:
        return ""
    return f"<details><summary>Who reads it in which condition</summary>{panel_table(report.panel)}</details>"


def panel_table(panel: Panel) -> str:
    """Return a table of which reader reads the code under which condition."""
    marks = {"read": ("●", "#15803D"), "wrong": ("✕", "#B91C1C"), "nothing": ("○", "#9CA3AF"), "not asked": ("", "")}

    def mark(outcome: str) -> str:
        return f'<span style="color:{marks[outcome][1]}" title="{outcome}">{marks[outcome][0]}</span>'

    rows = (
        (page_text(name), *(mark(outcomes.get(engine, "not asked")) for engine in panel.engines))
        for name, outcomes in panel.outcomes.items()
    )
    return table(("", *panel.engines), rows)
