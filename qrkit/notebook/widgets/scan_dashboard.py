"""`ScanDashboard`: a portfolio's scans as charts, for days, a campaign and kinds of visits that hands choose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qrkit import charts
from qrkit.errors import InvalidParameter, Problem
from qrkit.notebook.views.html import page_text
from qrkit.notebook.widgets.dashboard_answers import KINDS, WIDTHS, Asked, drawn, numbers
from qrkit.notebook.widgets.twin import Pictures
from qrkit.notebook.widgets.widget import Page, script, style
from qrkit.portfolio import Portfolio

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
        portfolio: Whose scans.
        name: Of the dashboard: there is one of each name.

    Attributes:
        asked: Which scans are shown.
    """

    _esm = script("scan_dashboard")
    _css = style("scan_dashboard") + _colors()
    asked: Asked

    def __init__(self, portfolio: Portfolio, /, *, name: str = "scandashboard") -> None:
        if self._is_open(name):
            with self._one_answer():
                self.portfolio = portfolio
                self._draw(self.asked if self._has(self.asked.campaign) else replace(self.asked, campaign=""))
            return
        self.portfolio, self._width = portfolio, WIDTHS[-1]
        self._draw(Asked())
        self._opened(name)

    def _draw(self, asked: Asked) -> None:
        """Ask and draw; whatever is shown changes only when all of it is there."""
        found = list(drawn(self.portfolio, asked, self._width))
        self._numbers = numbers(asked.of(self.portfolio.scans))
        self._charts, self.asked = found, asked

    def ask(self, /, **fields: Any) -> None:
        """Show other scans, as hands do; what breaks a rule is in `errors`, and changes nothing.

        Args:
            **fields: `since` and `until` (yyyy-MM-dd, both included; "" for no bound), `campaign` (an id, "" for all),
                `kinds` (a list).
        """
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
            "today": self.portfolio.now().date().isoformat(),
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
        self.ask(**{str(name): value for name, value in fields.items()} if isinstance(fields, dict) else {})

    def _sized(self, message: dict[str, Any]) -> None:
        width = message.get("width")
        if isinstance(width, int) and width in WIDTHS and width != self._width:
            self._width = width
            self._draw(self.asked)

    def __repr__(self) -> str:
        return f"<ScanDashboard {self.name!r}: {self._numbers['scans']:,} scans of {self.portfolio!r}>"


ScanDashboard.handlers = {"ask": ScanDashboard._asked, "width": ScanDashboard._sized}
