"""Provides `ScanDashboard`, a portfolio's scans as charts, and `LiveScans`, those of the last hour per minute.

The dashboard is filtered by days, campaign and kinds of visits. Live scans are drawn again every two seconds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack
from zoneinfo import ZoneInfo

from qrkit import charts
from qrkit.errors import InvalidParameter, Problem
from qrkit.languages import LanguageTag, in_language, say
from qrkit.notebook.views.html import page_text
from qrkit.notebook.widgets.dashboard import dashboard_answers as answers
from qrkit.notebook.widgets.widget import Page, Pictures, script, style
from qrkit.portfolio import Portfolio
from qrkit.store import Scans
from qrkit.store.records.searching import Search
from qrkit.tracking.times import zone_of

NUMBER_WORDS = {
    "scans": ("{count} scan", "{count} scans"),
    "visitors": ("{count} visitor", "{count} visitors"),
    "qrcodes": ("{count} QR Code", "{count} QR Codes"),
}
"""The key numbers, as a saved notebook shows them."""

MOST_ROWS = 1_000
"""Rows of the table of a chart."""
WIDTH, NARROW = 860, 510
"""Widths of charts in pixels, until the browser tells how much room there is."""


def _colors() -> str:
    """Return CSS with the colors of charts in light and dark notebooks."""
    light, dark = ("".join(f"--{name}:{both[mode]};" for name, both in charts.COLORS.items()) for mode in (0, 1))
    named = '[data-jp-theme-light="false"] .qrkit-dashboard, .vscode-dark .qrkit-dashboard'
    return (
        f".qrkit-dashboard{{{light}}}\n{named}{{{dark}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not(:has([data-jp-theme-light])) .qrkit-dashboard{{{dark}}}}}\n"
    )


class ScanDashboard(Page):
    """Charts of a portfolio's scans. In a notebook, the last line of a cell displays it.

    The finding comes first, then what may need action, the key figures, and the charts. Choose a period above them, and
    days of your own, what to compare them with and what counts behind the button "Filter". Click a bar to show only its
    scans in all charts. Running a cell again shows the same dashboard, with the same choices and the current scans.

    Args:
        portfolio: The portfolio whose scans are shown.
        name: Name of the dashboard: a notebook has one dashboard per name.
        time_zone: IANA name, such as Europe/Ljubljana, of the time zone for days and hours; by default, that of the
            store.
        language: Language of its words: en, de, fr, es or nl.

    Attributes:
        asked: Which scans are shown.

    Raises:
        InvalidParameter: If the time zone is unknown.
    """

    _esm = script("dashboard", "scan_dashboard")
    _css = style("dashboard", "scan_dashboard", "qrkit-dashboard") + _colors()
    asked: answers.Selection
    _answer: dict[str, Any] | None
    _table: dict[str, Any] | None
    _live: dict[str, str] | None

    def __init__(
        self,
        portfolio: Portfolio,
        /,
        *,
        name: str = "scandashboard",
        time_zone: str | ZoneInfo | None = None,
        language: LanguageTag = "en",
    ) -> None:
        zone = zone_of(time_zone or portfolio.time_zone).key
        if self._is_open(name):
            with self._one_answer():
                self.portfolio = portfolio
                campaign = self.asked.campaign if self._has_campaign(self.asked.campaign) else ""
                campaigns = tuple(filter(self._has_campaign, self.asked.campaigns))
                qrcode = self.asked.qrcode if self._has_qrcode(self.asked.qrcode) else ""
                known = replace(self.asked, campaign=campaign, campaigns=campaigns, qrcode=qrcode)
                self._draw(replace(known, time_zone=zone))
            return
        self.portfolio, self._width, self._narrow, self._live = portfolio, WIDTH, NARROW, None
        self._moved = list[str]()
        with in_language(language):
            self._draw(answers.Selection(time_zone=zone))
        self._register(name)

    def _draw(self, asked: answers.Selection) -> None:
        """Query and draw; update what is shown only once everything is complete. The answer in words comes later."""
        figures = self._charts(asked)
        rankings = list(answers.bars(self.portfolio, asked))
        before = asked.before(self.portfolio.scans)
        self._before = None if before is None else answers.numbers(before)
        self._numbers = answers.numbers(asked.of(self.portfolio.scans))
        self._figures, self._bars, self.asked, self._table = figures, rankings, asked, None
        self._answer = None

    def _charts(self, asked: answers.Selection) -> list[dict[str, Any]]:
        """Return the charts as JSON, and keep the numbers that they show."""
        found = list(answers.drawn(self.portfolio, asked, self._width, self._narrow))
        self._rows = {one.title: one.rows for one in found}
        return [{"title": one.title, "svg": charts.to_svg(one.chart), "is_wide": one.is_wide} for one in found]

    def ask(self, **fields: Unpack[answers.SelectionFields]) -> None:
        """Show other scans, as the controls above the charts do. Arguments that you leave out stay as they are.

        Invalid arguments are reported in `errors` and change nothing.

        Args:
            **fields: `since` and `until`, the first and the last day, as yyyy-MM-dd, are "" for the days of the first
                and the last scan; a first day after the last day takes that one along. `campaign` and `qrcode` are IDs,
                `device`, `system`, `country` (its code) and `tag` values as `analytics.scans_by` names them; "" is for
                all. `kinds` are the kinds of visits to count. `compare` says what the days are compared with:
                "previous" for the period before, "year" for the same days of the year before, "range" for the days from
                `compare_since` to `compare_until`, "" for nothing. With "campaigns", the `campaigns` with these IDs,
                or all, stand side by side, here and in a report that is downloaded.
        """
        with self._one_answer():
            self._show(dict(fields))
            self._on_tell({})

    def _show(self, fields: dict[str, Any]) -> None:
        before, self._moved = self.asked, list[str]()
        try:
            self._draw(self._with_fields(fields))
            self._errors = {}
            ends = ("until", "compare_until")
            self._moved = [
                one for one in ends if one not in fields and getattr(before, one) != getattr(self.asked, one)
            ]
        except InvalidParameter as error:
            self._errors = {one.name: one.rule for one in error.problems}

    def _with_fields(self, fields: dict[str, Any]) -> answers.Selection:
        asked = self.asked.changed(fields)
        for one in (asked.campaign, *asked.campaigns):
            if not self._has_campaign(one):
                raise InvalidParameter(Problem("campaign", one, "does not match a campaign of this portfolio"))
        if not self._has_qrcode(asked.qrcode):
            raise InvalidParameter(Problem("qrcode", asked.qrcode, "does not match a QR Code of this portfolio"))
        return asked

    def _has_qrcode(self, qrcode: str) -> bool:
        return not qrcode or bool(self.portfolio.search_page(Search(ids=(qrcode,)), limit=1)[0])

    def _has_campaign(self, campaign: str) -> bool:
        return not campaign or campaign in [one.id for one in self.portfolio.list_campaigns()]

    def _browser_state(self) -> dict[str, Any]:
        return {
            "asked": self.asked.as_dict(),
            "periods": answers.periods(self.portfolio.now().astimezone(zone_of(self.asked.time_zone)).date()),
            "kinds": answers.KINDS,
            "widths": answers.WIDTHS,
            "campaigns": [{"id": one.id, "name": one.name} for one in self.portfolio.list_campaigns()],
            "numbers": self._numbers,
            "before": self._before,
            "moved": self._moved,
            "answer": self._answer,
            "filters": self._filters(),
            "charts": self._figures,
            "table": self._table,
            "bars": self._bars,
            "live": self._live,
        }

    def _filters(self) -> list[dict[str, str]]:
        """Return what narrows the scans, except for days and kinds: the field, and its value for people."""
        asked = self.asked
        labels = {name: getattr(asked, name) for name in answers.ATTRIBUTES}
        if asked.campaign:
            labels["campaign"] = self.portfolio.get_campaign(asked.campaign).name
        if asked.campaigns and asked.compare == "campaigns":
            labels["campaigns"] = ", ".join(self.portfolio.get_campaign(id).name for id in asked.campaigns)
        if asked.qrcode:
            labels["qrcode"] = self.portfolio.get_qrcode(asked.qrcode).name
        return [{"name": name, "label": label} for name, label in labels.items() if label]

    def _pictures(self) -> Pictures:
        """Return the answer and the charts on a light background, because the background of the page is unknown."""
        told = self._answer = self._answer or answers.answer(self.portfolio, self.asked)
        figures = "".join(
            f'<figure style="margin:0 0 12px"><figcaption>{page_text(one["title"])}</figcaption>{one["svg"]}</figure>'
            for one in self._figures
        ) + "".join(map(_table, self._bars))
        known = {name: number for name, number in self._numbers.items() if number is not None}
        words = ", ".join(say(NUMBER_WORDS[name], number) for name, number in known.items())
        sentences = (told["headline"], told["lead"], *told["alerts"], words, *told["findings"])
        paragraphs = "".join(f"<p>{page_text(sentence)}</p>" for sentence in sentences if sentence)
        paper, ink = (charts.COLORS[name][0] for name in ("paper", "ink"))
        style = f"background:{paper};color:{ink};padding:12px;max-width:900px"
        page = f'<div style="{style}">{paragraphs}{told["compared"]}{figures}</div>'
        return {"text/plain": repr(self), "text/html": page}

    def _on_ask(self, message: dict[str, Any]) -> None:
        fields = message.get("fields")
        self._show({str(name): value for name, value in fields.items()} if isinstance(fields, dict) else {})

    def _on_tell(self, _message: dict[str, Any]) -> None:
        """Add the answer in words, which takes longer than the charts: the browser asks for it once it shows them."""
        self._twin.update(self._pictures())

    def _on_table(self, message: dict[str, Any]) -> None:
        """Show the numbers of a chart below it, or none."""
        title = message.get("title")
        rows = self._rows.get(title) if isinstance(title, str) else None
        self._table = (
            None if rows is None else {"title": title, "html": rows.head(MOST_ROWS).to_html(index=False, border=0)}
        )

    def _on_live(self, _message: dict[str, Any]) -> None:
        """Count the scans of the last hour: those of the campaign and the other filters, whatever the days."""
        self._live = answers.last_hour(self.asked.of(self.portfolio.scans).where(since=None, until=None))

    def _on_report(self, message: dict[str, Any]) -> None:
        """Send the report on the days and the campaign that are shown, as a page."""
        made = answers.report_on(self.portfolio, self.asked)
        self.send({"answer": "file", "view": message.get("view"), "name": "report.html"}, buffers=[made.html.encode()])
        self._errors = {}

    def _on_width(self, message: dict[str, Any]) -> None:
        width = message.get("width")
        narrow = message.get("narrow", width)
        if width in answers.WIDTHS and narrow in answers.WIDTHS and (width, narrow) != (self._width, self._narrow):
            self._width, self._narrow = width, narrow
            self._figures = self._charts(self.asked)

    def __repr__(self) -> str:
        return f"<ScanDashboard {self.name!r}: {self._numbers['scans']:,} scans of {self.portfolio!r}>"


class LiveScans(Page):
    """What a notebook shows of `scans.follow()`; the browser asks for new numbers while it shows them."""

    _esm = script("dashboard", "live_scans")
    _css = ScanDashboard._css

    def __init__(self, view: Scans, /, *, name: str) -> None:
        self._view = view
        if not self._is_open(name):
            self._register(name)

    def _on_look(self, _message: dict[str, Any]) -> None:
        """Send the state again, which is counted anew."""

    def _browser_state(self) -> dict[str, Any]:
        return answers.last_hour(self._view)

    def _pictures(self) -> Pictures:
        return {"text/plain": repr(self), "text/html": f"<p>{self.state['title']}</p>{self.state['svg']}"}

    def __repr__(self) -> str:
        return f"<LiveScans: {self.state['title']}>"


def _table(ranking: dict[str, Any]) -> str:
    """Return a ranking as a table for pages without the widget."""
    rows = "".join(
        f'<tr><td style="text-align:left">{page_text(row["label"])}</td><td>{row["scans"]:,}</td></tr>'
        for row in ranking["rows"]
    )
    return (
        f'<table style="margin:0 0 12px"><caption>{page_text(ranking["title"])}</caption>{rows}</table>' if rows else ""
    )
