"""What checks found, and what repairs did."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from qrkit.contents.cards import summary
from qrkit.errors import QrkitError
from qrkit.notebook.views.fields import shown
from qrkit.notebook.views.html import badge, card, details, page_text, picture, soft, table
from qrkit.pictures.image import QRImage
from qrkit.scanning.report_html import panel_table

if TYPE_CHECKING:
    from qrkit.scanning.budget import Budget
    from qrkit.scanning.grade import Grade
    from qrkit.scanning.largest_logo import LargestLogo
    from qrkit.scanning.panel import Panel
    from qrkit.scanning.repair import Repair
    from qrkit.scanning.scan_report import ScanReport

__all__ = ["view"]

SIDE = 200
"""Pixels of pictures side by side."""


def view(subject: Any) -> dict[str, Any]:
    """By the class of what it is."""
    show: dict[str, Callable[[Any], str]]
    show = {"Budget": _budget, "Grade": _grade, "LargestLogo": _logo, "Panel": _panel, "Repair": _repair}
    return {"text/html": show[type(subject).__name__](subject)}


def _budget(budget: Budget) -> str:
    pairs = [
        ("used", str(budget)),
        ("wrong codewords", f"{sum(budget.errors)} of {sum(budget.correctable)} that can be corrected"),
        *((page_text(cause.path), f"{cause.share:.0%}") for cause in budget.causes[:5]),
    ]
    return card("Error correction", details(pairs), beside=[_map(budget, SIDE)])


def _map(budget: Budget, side: int) -> str:
    sized = f'<svg style="display:block;width:{side}px;height:auto;border-radius:4px" '
    return budget.heat_map().replace("<svg ", sized, 1)


def _grade(grade: Grade) -> str:
    rows = [(page_text(one.name), f"{one.value:.3g}", f"{one.letter} ({one.grade})") for one in grade.parameters]
    note = soft("in the manner of ISO/IEC 15415, not a verification")
    return card(f"Print grade {grade.letter} ({grade.overall}.0)", note, table(("", "measured", "grade"), rows))


def _panel(panel: Panel) -> str:
    read = ", ".join(f"{page_text(name)} {rate:.0%}" for name, rate in panel.rates.items())
    return card(badge(panel.verdict, f"score {panel.score} of 100, {panel.level} panel"), read, panel_table(panel))


def _logo(found: LargestLogo) -> str:
    pairs = [("share", f"{found.share:.0%} of the symbol's width"), *shown(found.layer)]
    return card(f"Largest logo {_verdict(found.report)}", details(pairs), beside=[_drawn(found.report)])


def _repair(repair: Repair) -> str:
    """The design before and after, and what was changed."""
    sides = (
        [_side("before", repair.before), _side("after", repair.after)] if repair.changes else [_side("", repair.after)]
    )
    changes = "".join(f"<li>{page_text(one.message)}</li>" for one in repair.changes)
    told = f'<ul style="margin:0;padding-left:18px">{changes}</ul>' if changes else "nothing had to be changed"
    return card("Changes", told, beside=sides)


def _side(name: str, report: ScanReport) -> str:
    label = f'<div style="margin-bottom:5px">{name} {_verdict(report)}</div>'
    used = "" if report.budget is None else f"{report.budget.used:.0%} of the error correction used"
    return f"{label}{_drawn(report)}{soft(used)}"


def _verdict(report: ScanReport) -> str:
    return badge(report.verdict, report.score)


def _drawn(report: ScanReport) -> str:
    """The picture; the heat map where that is not to be had."""
    if report.design is not None:
        with suppress(QrkitError):
            return picture(QRImage(report.design), f"QR Code: {summary(report.content)}", SIDE)
    return _map(report.budget, SIDE) if report.budget else ""
