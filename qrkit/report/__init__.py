"""Reports: what happened to a portfolio or a campaign, and its QR Codes, as one HTML file that needs nothing else.

Analytics answers the questions, charts draw, a template arranges. The page says in words what happened before it shows
it, has no script and loads nothing; it opens without a network, follows light and dark mode, fits phones, and prints on
A4. `notebook` makes the same to go on from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.analytics.time_zones import zone_of
from qrkit.errors import InvalidParameter, Problem
from qrkit.files import write_file
from qrkit.report.executed import run
from qrkit.report.facts import Asked, Facts, gather
from qrkit.report.findings import findings, lead
from qrkit.report.page import Heading, render
from qrkit.report.pdf import printed
from qrkit.report.unscanned import Unscanned
from qrkit.tracking.times import from_day

if TYPE_CHECKING:
    from qrkit.portfolio import Portfolio

__all__ = ["NOTEBOOK", "PAGES", "Report", "campaign", "check_file", "notebook", "portfolio"]

PAGES = (".html", ".htm", ".pdf")
"""Suffixes of files that a page is written to."""
NOTEBOOK = ".ipynb"


@dataclass(frozen=True, slots=True)
class Report:
    """A finished page.

    Attributes:
        title: What stands at its top.
        html: The page; the same scans give the same text.
        words: What it says first, a sentence each.
        unscanned: The QR Codes without a scan in the period; printed, their names by campaign.
    """

    title: str
    html: str
    words: tuple[str, ...]
    unscanned: Unscanned

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, as PDF where its name ends so; gives the path back.

        Raises:
            InvalidParameter: The path has another suffix than .html, .htm and .pdf.
            MissingProgram: It shall be a PDF, and there is no Chromium on the PATH.
            CannotWrite: The file cannot be written there.
            RenderingFailed: It shall be a PDF, and Chromium failed or took longer than a minute.
        """
        file = Path(path)
        check_file(file, PAGES)
        if file.suffix.lower() == ".pdf":
            write_file(file, self.to_pdf())
        else:
            write_file(file, self.html.encode())
        return file

    def to_pdf(self) -> bytes:
        """The page as Chromium prints it, on A4; the network is not asked.

        Raises:
            MissingProgram: There is no Chromium on the PATH.
            RenderingFailed: It failed, or took longer than a minute.
        """
        return printed(self.html)

    def __repr__(self) -> str:
        return f"<Report {self.title!r}, {len(self.html.encode()) / 1000:,.0f} kB>"


def check_file(path: Path, suffixes: Sequence[str] = (*PAGES, NOTEBOOK)) -> None:
    """Refuse a file that no report is written to.

    Raises:
        InvalidParameter: The path ends in none of these suffixes.
    """
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        hint = "; report.notebook writes notebooks" if suffix == NOTEBOOK else ""
        raise InvalidParameter(Problem("path", str(path), f"must end in {' or '.join(suffixes)}{hint}"))


def portfolio(
    portfolio: Portfolio,
    *,
    title: str | None = None,
    since: date | str | None = None,
    until: date | str | None = None,
    time_zone: str = "UTC",
) -> Report:
    """A report on all campaigns and QR Codes of a portfolio.

    Args:
        portfolio: What to report on.
        title: What stands at the top; by default "Scan report".
        since: First day, a date or text as 2026-06-01; by default that of the first scan.
        until: The day after the last; by default the one after the last scan. Of a period with both, the report says
            what has changed since the one before it; otherwise from its first half to its second.
        time_zone: An IANA name: whose days and hours.

    Raises:
        InvalidParameter: A bound is no day, `until` does not come after `since`, or the time zone is unknown.
    """
    asked = _asked(since, until, time_zone)
    return _report(portfolio, gather(portfolio, portfolio.scans, asked), _heading(portfolio, None, title))


def campaign(
    portfolio: Portfolio,
    campaign_id: str,
    *,
    title: str | None = None,
    since: date | str | None = None,
    until: date | str | None = None,
    time_zone: str = "UTC",
) -> Report:
    """A report on one campaign of a portfolio.

    Args:
        portfolio: Whose campaign it is.
        campaign_id: Its id.
        title: What stands at the top; by default the campaign's name.
        since: First day, a date or text as 2026-06-01; by default that of the first scan.
        until: The day after the last; by default the one after the last scan. Of a period with both, the report says
            what has changed since the one before it; otherwise from its first half to its second.
        time_zone: An IANA name: whose days and hours.

    Raises:
        NotFound: The portfolio has no campaign of this id.
        InvalidParameter: A bound is no day, `until` does not come after `since`, or the time zone is unknown.
    """
    asked = _asked(since, until, time_zone)
    heading = _heading(portfolio, campaign_id, title)
    return _report(portfolio, gather(portfolio, portfolio.scans.where(campaign_id=campaign_id), asked), heading)


def notebook(
    portfolio: Portfolio,
    path: str | Path,
    *,
    campaign_id: str | None = None,
    title: str | None = None,
    since: date | str | None = None,
    until: date | str | None = None,
    time_zone: str = "UTC",
) -> Path:
    """A report as a notebook that has been run, with its parameters in the first cell; gives the path back.

    It reads a copy of the store's file, of what is committed. Needs the packages nbclient and nbformat, which come with
    JupyterLab. Whatever runs notebooks with parameters, like papermill, runs it again.

    Args:
        portfolio: What to report on; its store is a file.
        path: Of the notebook.
        campaign_id: Of one campaign; None for all.
        title: As a report has it.
        since: As a report has it.
        until: As a report has it.
        time_zone: As a report has it.

    Raises:
        NotFound: The portfolio has no campaign of this id.
        MissingProgram: A package is not installed.
        InvalidParameter: A bound is no day, `until` does not come after `since`, the time zone is unknown, the path
            does not end in .ipynb, or the store is in memory.
        RenderingFailed: A cell failed, or took longer than two minutes.
        CannotWrite: The file cannot be written.
    """
    check_file(Path(path), (NOTEBOOK,))
    asked = _asked(since, until, time_zone)
    heading = _heading(portfolio, campaign_id, title)
    facts = gather(portfolio, portfolio.scans.where(campaign_id=campaign_id), asked)
    return run(Path(path), facts, heading.title, (portfolio.store.lasting_path, campaign_id, asked))


def _heading(portfolio: Portfolio, campaign_id: str | None, title: str | None) -> Heading:
    if campaign_id is None:
        return Heading(title or "Scan report", portfolio.base_url.partition("://")[2])
    found = portfolio.get_campaign(campaign_id)
    return Heading(title or found.name, "Scan report", found.description)


def _report(portfolio: Portfolio, facts: Facts, heading: Heading) -> Report:
    words = tuple(one for one in (lead(facts), *findings(facts)) if one)
    return Report(heading.title, render(portfolio, facts, heading), words, facts.unscanned)


def _asked(since: date | str | None, until: date | str | None, time_zone: str) -> Asked:
    first, after = _day("since", since), _day("until", until)
    if first and after and after <= first:
        raise InvalidParameter(Problem("until", until, f"must come after since, {since}"))
    zone_of(time_zone)
    return Asked(first, after, time_zone)


def _day(name: str, bound: date | str | None) -> date | None:
    if isinstance(bound, str):
        return from_day(bound, name=name)
    if bound is not None and (isinstance(bound, datetime) or not isinstance(bound, date)):
        raise InvalidParameter(Problem(name, bound, "must be a day, like 2026-06-01", "wrong-type"))
    return bound
