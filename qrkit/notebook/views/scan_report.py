"""Displays a scan report as HTML, the heat map next to the issues, in light and dark notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from qrkit.notebook.views.html import VERDICTS
from qrkit.scanning.scan_report import ON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qrkit.scanning.panel import Panel
    from qrkit.scanning.scan_report import Issue, ScanReport

__all__ = ["html", "panel_table"]

MARKS = {"fatal": "✕", "error": "!", "warning": "△", "note": "·"}

STYLE = (
    "display:flex;flex-wrap:wrap;gap:20px;align-items:flex-start;font:14px/1.45 system-ui,sans-serif;max-width:860px"
)


def html(report: ScanReport) -> str:
    """Return a scan report as HTML."""
    map_, facts = _heat_map(report), "".join((_head(report), _issues(report.issues), _facts(report), _panel(report)))
    return f'<div style="{STYLE}">{map_}<div style="flex:1 1 320px;min-width:280px">{facts}</div></div>'


def _heat_map(report: ScanReport) -> str:
    if report.budget is None:
        return ""
    drawn = report.budget.heat_map().replace("<svg ", '<svg style="width:100%;height:auto;display:block" ', 1)
    return f'<div style="flex:0 0 240px;width:240px;border-radius:6px;overflow:hidden">{drawn}</div>'


def _head(report: ScanReport) -> str:
    badge = (
        f'<span style="background:{VERDICTS[report.verdict]};color:#fff;border-radius:4px;padding:2px 9px;'
        f'font-weight:600">{report.verdict}</span>'
    )
    told = f"score {report.score} of 100, {report.level} check{_readers(report)}"
    return f'<div style="margin-bottom:8px">{badge} &nbsp;{told}</div>'


def _readers(report: ScanReport) -> str:
    """Say who reads it: the verdicts for phones and for embedded readers."""
    return f"<br>{ON[report.audience]}; embedded readers: {report.embedded}"


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


def _facts(report: ScanReport) -> str:
    rows = "".join(
        f'<tr><td style="padding:1px 14px 1px 0;text-align:left;opacity:.75">{escape(name)}</td>'
        f'<td style="padding:1px 0;text-align:left">{escape(value)}</td></tr>'
        for name, value in _pairs(report)
    )
    return f'<table style="border-collapse:collapse;margin:0 0 8px">{rows}</table>' if rows else ""


def _pairs(report: ScanReport) -> Iterator[tuple[str, str]]:
    if budget := report.budget:
        yield "error correction used", str(budget)
        if budget.causes:
            shares = ", ".join(f"{cause.path} {cause.share:.0%}" for cause in budget.causes[:4])
            yield "by", shares
    if structure := report.structure:
        yield "contrast", f"{structure.contrast:.2f}"
        yield "quiet zone on a dark page", f"{structure.quiet:.1f} modules"
    if report.grade:
        yield "print grade", str(report.grade)


def _panel(report: ScanReport) -> str:
    if report.panel is None:
        return ""
    return f"<details><summary>Who reads it in which condition</summary>{panel_table(report.panel)}</details>"


def panel_table(panel: Panel) -> str:
    """Return a table of which reader reads the code under which condition."""
    marks = {"read": ("●", "#15803D"), "wrong": ("✕", "#B91C1C"), "nothing": ("○", "#9CA3AF"), "not asked": ("", "")}
    head = "".join(
        f'<th style="padding:0 6px;font-weight:600;text-align:center">{escape(e)}</th>' for e in panel.engines
    )
    rows = "".join(
        f'<tr><td style="padding:0 14px 0 0;text-align:left">{escape(name)}</td>'
        + "".join(
            f'<td style="text-align:center;color:{marks[outcome][1]}" title="{outcome}">{marks[outcome][0]}</td>'
            for outcome in (outcomes.get(engine, "not asked") for engine in panel.engines)
        )
        + "</tr>"
        for name, outcomes in panel.outcomes.items()
    )
    return f'<table style="border-collapse:collapse;font-size:12px"><tr><th></th>{head}</tr>{rows}</table>'
