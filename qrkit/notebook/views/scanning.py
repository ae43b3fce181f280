"""Displays the results of checks and repairs."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from qrkit.errors import QrkitError
from qrkit.notebook.views.fields import media, shown
from qrkit.notebook.views.html import badge, card, details, page_text, picture, soft, table
from qrkit.notebook.views.scan_report import html, panel_table
from qrkit.pictures.image import QRImage
from qrkit.scanning.budget import Budget
from qrkit.scanning.grade import Grade
from qrkit.scanning.largest_logo import LargestLogo
from qrkit.scanning.panel import Panel
from qrkit.scanning.repair import Repair
from qrkit.scanning.scan_report import ScanReport

SIDE = 200
"""Width in pixels of images side by side."""


@media.register
def _(report: ScanReport) -> dict[str, Any]:
    return {"text/html": html(report)}


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
