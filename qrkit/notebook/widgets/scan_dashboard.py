"""`ScanDashboard`: a portfolio's scans as charts, for days, a campaign and kinds of visits that hands choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import EllipsisType
from typing import Any
from zoneinfo import ZoneInfo

from qrkit import charts
from qrkit.errors import InvalidParameter, Problem
from qrkit.notebook.views.html import page_text
from qrkit.notebook.widgets.dashboard_answers import KINDS, WIDTHS, Asked, drawn, numbers
from qrkit.notebook.widgets.twin import Pictures
from qrkit.notebook.widgets.widget import Page, script, style
from qrkit.portfolio import Portfolio
from qrkit.tracking.records import Kind
from qrkit.tracking.times import zone_of

__all__ = ["ScanDashboard"]

DAYS = (7, 30, 90)
"""Ranges that a click chooses, up to today."""


def _colors() -> str:
    """The colours of charts on the paper of the notebook, be it light or dark."""
    light, dark = ("".join(f"--{name}:{both[mode]};" for name, both in charts.COLORS.items()) for mode in (0, 1))
    named = '[data-jp-theme-light="false"] .qrkit-dashboard, .vscode-dark .qrkit-dashboard'
    return (
        f".qrkit-dashboard{{{light}}}\n{named}{{{dark}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not(:has([data-jp-theme-light])) .qrkit-dashboard{{{dark}}}}}\n"
    )


class ScanDashboard(Page):
    """Charts of a portfolio's scans. In a notebook the last line of a cell shows it.

    Days, campaign and kinds of visits are chosen above the charts. A cell that is run again shows the same dashboard
    with the scans there are by then.

    Args:
        portfolio: The portfolio whose scans are shown.
        name: Name of the dashboard: a notebook has one of each name.
        time_zone: IANA name, as Europe/Ljubljana, of the time zone whose days and hours are shown.

    Attributes:
        asked: Which scans are shown.

    Raises:
        InvalidParameter: If the time zone is unknown.
    """

    _esm = script("scan_dashboard")
    _css = style("scan_dashboard") + _colors()
    asked: Asked

    def __init__(
        self, portfolio: Portfolio, /, *, name: str = "scandashboard", time_zone: str | ZoneInfo = "UTC"
    ) -> None:
        zone = zone_of(time_zone).key
        if self._is_open(name):
            with self._one_answer():
                self.portfolio = portfolio
                campaign = self.asked.campaign if self._has(self.asked.campaign) else ""
                self._draw(replace(self.asked, campaign=campaign, time_zone=zone))
            return
        self.portfolio, self._width = portfolio, WIDTHS[-1]
        self._draw(Asked(time_zone=zone))
        self._opened(name)

    def _draw(self, asked: Asked) -> None:
        """Ask and draw; whatever is shown changes only when all of it is there."""
        found = list(drawn(self.portfolio, asked, self._width))
        self._numbers = numbers(asked.of(self.portfolio.scans))
        self._charts, self.asked = found, asked

    def ask(
        self,
        *,
        since: str | EllipsisType = ...,
        until: str | EllipsisType = ...,
        campaign: str | EllipsisType = ...,
        kinds: Sequence[Kind] | EllipsisType = ...,
    ) -> None:
        """Show other scans, as the controls above the charts do. What you leave out stays as it is.

        What breaks a rule is in `errors`, and changes nothing.

        Args:
            since: First day, as yyyy-MM-dd; "" for that of the first scan.
            until: Last day; "" for that of the last scan.
            campaign: Id of a campaign, "" for all.
            kinds: Kinds of visits that count.
        """
        given = {"since": since, "until": until, "campaign": campaign, "kinds": kinds}
        self._show({name: value for name, value in given.items() if value is not ...})

    def _show(self, fields: dict[str, Any]) -> None:
        with self._one_answer():
            try:
                self._draw(self._changed(fields))
                self._errors = {}
            except InvalidParameter as error:
                self._errors = {one.name: one.rule for one in error.problems}
                return
            self._twin.update(self._pictures())

    def _changed(self, fields: dict[str, Any]) -> Asked:
        asked = self.asked.changed(fields)
        if self._has(asked.campaign):
            return asked
        raise InvalidParameter(Problem("campaign", asked.campaign, "is no campaign of the portfolio"))

    def _has(self, campaign: str) -> bool:
        return not campaign or campaign in [one.id for one in self.portfolio.list_campaigns()]

    def _told(self) -> dict[str, Any]:
        return {
            "asked": self.asked.as_dict(),
            "today": self.portfolio.now().astimezone(zone_of(self.asked.time_zone)).date().isoformat(),
            "ranges": DAYS,
            "kinds": KINDS,
            "widths": WIDTHS,
            "campaigns": [{"id": one.id, "name": one.name} for one in self.portfolio.list_campaigns()],
            "numbers": self._numbers,
            "charts": [{"title": title, "svg": charts.to_svg(chart)} for title, chart in self._charts],
        }

    def _pictures(self) -> Pictures:
        """The numbers and the charts, on paper of their own: nobody knows on which page they end."""
        figures = "".join(
            f'<figure style="margin:0 0 12px"><figcaption>{page_text(title)}</figcaption>'
            f"{charts.to_svg(chart)}</figure>"
            for title, chart in self._charts
        )
        words = ", ".join(f"{number:,} {name}" for name, number in self._numbers.items())
        paper, ink = (charts.COLORS[name][0] for name in ("paper", "ink"))
        style = f"background:{paper};color:{ink};padding:12px;max-width:900px"
        return {"text/plain": repr(self), "text/html": f'<div style="{style}"><p>{page_text(words)}</p>{figures}</div>'}

    def _asked(self, message: dict[str, Any]) -> None:
        fields = message.get("fields")
        self._show({str(name): value for name, value in fields.items()} if isinstance(fields, dict) else {})

    def _sized(self, message: dict[str, Any]) -> None:
        width = message.get("width")
        if isinstance(width, int) and width in WIDTHS and width != self._width:
            self._width = width
            self._draw(self.asked)

    def __repr__(self) -> str:
        return f"<ScanDashboard {self.name!r}: {self._numbers['scans']:,} scans of {self.portfolio!r}>"


ScanDashboard.handlers = {"ask": ScanDashboard._asked, "width": ScanDashboard._sized}
