"""Writes reports: what happened to a portfolio or a campaign and its QR Codes, as one self-contained HTML file.

`analytics` answers the questions, `charts` draws, and a template arranges the page. The page says in words what
happened before it shows it. It has no script and loads nothing, so it opens offline. It follows light and dark mode,
fits phones, and prints on A4. `notebook` writes the report as a notebook to continue from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.errors import InvalidParameter, Problem
from qrkit.files import write_file
from qrkit.report.executed import run
from qrkit.report.facts import ATTRIBUTES, Asked, Facts, gather
from qrkit.report.findings import findings, lead
from qrkit.report.page import Heading, render
from qrkit.report.pdf import printed
from qrkit.report.suffixes import NOTEBOOK, PAGES, check_file
from qrkit.report.unscanned import Unscanned
from qrkit.store.scan_attributes import Attribute, check_attribute
from qrkit.tracking.times import from_day, zone_of

if TYPE_CHECKING:
    from qrkit.design.brand import Brand
    from qrkit.portfolio import Portfolio

__all__ = ["Report", "campaign", "notebook", "portfolio"]


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True, slots=True)
class Report:
    """A finished report.

    Attributes:
        title: Title of the page.
        html: The page; the same scans give the same HTML.
        words: The first sentences of the page.
        unscanned: The QR Codes without a scan in the period; prints as their names by campaign.
    """

    title: str
    html: str
    words: tuple[str, ...]
    unscanned: Unscanned

    def save(self, path: str | Path) -> Path:
        """Write the page to an HTML or PDF file, chosen by the suffix, and return the path.

        Raises:
            InvalidParameter: If the suffix is not .html, .htm or .pdf.
            MissingProgram: If a PDF is requested and there is no Chromium on the PATH.
            CannotWrite: If the file cannot be written.
            RenderingFailed: If a PDF is requested and Chromium failed or took longer than a minute.
        """
        file = Path(path)
        check_file(file, PAGES)
        if file.suffix.lower() == ".pdf":
            write_file(file, self.to_pdf())
        else:
            write_file(file, self.html.encode())
        return file

    def to_pdf(self) -> bytes:
        """Return the page as an A4 PDF printed by Chromium, without using the network.

        Raises:
            MissingProgram: If there is no Chromium on the PATH.
            RenderingFailed: If Chromium failed or took longer than a minute.
        """
        return printed(self.html)

    def __repr__(self) -> str:
        return f"<Report {self.title!r}, {len(self.html.encode()) / 1000:,.0f} kB>"


def portfolio(
    portfolio: Portfolio,
    *,
    title: str | None = None,
    since: date | str | None = None,
    until: date | str | None = None,
    time_zone: str = "UTC",
    attributes: Sequence[Attribute] = ATTRIBUTES,
    brand: Brand | None = None,
) -> Report:
    """Report on all campaigns and QR Codes of a portfolio.

    Args:
        portfolio: What to report on.
        title: Title of the page; by default "Scan report".
        since: First day, a date or a string such as 2026-06-01; by default the day of the first scan.
        until: The day after the last; by default the day after the last scan. If both are given, the report compares
            the period with the one before it, otherwise its second half with its first half.
        time_zone: IANA name of the time zone for the days and hours of the report.
        attributes: Attributes of scans that get a table, such as country or utm_source; see `analytics.scans_by`.
        brand: Look of the page; by default the brand in use, `portfolio.brands.current`.

    Raises:
        InvalidParameter: If a bound is not a date, if `until` is not after `since`, or if the time zone or
            an attribute is unknown.
        MissingProgram: If the extra `statistics` is not installed.
        AssetError: If the logo of the brand is invalid.
        RemoteContentDisabled: If the logo of the brand is a URL; reports fetch nothing.
    """
    asked = _parse(since, until, time_zone, attributes)
    return _report(portfolio, gather(portfolio, portfolio.scans, asked), _heading(portfolio, None, title), brand)


def campaign(
    portfolio: Portfolio,
    campaign_id: str,
    *,
    title: str | None = None,
    since: date | str | None = None,
    until: date | str | None = None,
    time_zone: str = "UTC",
    attributes: Sequence[Attribute] = ATTRIBUTES,
    brand: Brand | None = None,
) -> Report:
    """Report on one campaign of a portfolio.

    Args:
        portfolio: The portfolio that contains the campaign.
        campaign_id: ID of the campaign.
        title: Title of the page; by default the campaign's name.
        since: First day, a date or a string such as 2026-06-01; by default the day of the first scan.
        until: The day after the last; by default the day after the last scan. If both are given, the report compares
            the period with the one before it, otherwise its second half with its first half.
        time_zone: IANA name of the time zone for the days and hours of the report.
        attributes: Attributes of scans that get a table, such as country or utm_source; see `analytics.scans_by`.
        brand: Look of the page; by default the brand in use, `portfolio.brands.current`.

    Raises:
        NotFound: If the portfolio has no campaign with this ID.
        InvalidParameter: If a bound is not a date, if `until` is not after `since`, or if the time zone or
            an attribute is unknown.
        MissingProgram: If the extra `statistics` is not installed.
        AssetError: If the logo of the brand is invalid.
        RemoteContentDisabled: If the logo of the brand is a URL; reports fetch nothing.
    """
    asked = _parse(since, until, time_zone, attributes)
    heading = _heading(portfolio, campaign_id, title)
    return _report(portfolio, gather(portfolio, portfolio.scans.where(campaign_id=campaign_id), asked), heading, brand)


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
    """Write a report as an executed notebook with its parameters in the first cell, and return the path.

    The notebook reads a copy of the committed data in the store's file. It needs the extra `notebook`. Tools that run
    notebooks with parameters, such as papermill, can run it again.

    Args:
        portfolio: What to report on; its store must be a file.
        path: Path of the notebook.
        campaign_id: ID of a campaign; None for all.
        title: See `portfolio`.
        since: See `portfolio`.
        until: See `portfolio`.
        time_zone: See `portfolio`.

    Raises:
        NotFound: If the portfolio has no campaign with this ID.
        MissingProgram: If the extra `notebook` or `statistics` is not installed.
        InvalidParameter: If a bound is not a date, `until` is not after `since`, the time zone is unknown, the path
            does not end in .ipynb, or the store is in memory.
        RenderingFailed: If a cell failed, or took longer than two minutes.
        CannotWrite: If the file cannot be written.
    """
    check_file(Path(path), (NOTEBOOK,))
    asked = _parse(since, until, time_zone)
    heading = _heading(portfolio, campaign_id, title)
    facts = gather(portfolio, portfolio.scans.where(campaign_id=campaign_id), asked)
    return run(Path(path), facts, heading.title, (portfolio.store.lasting_path, campaign_id, asked))


def _heading(portfolio: Portfolio, campaign_id: str | None, title: str | None) -> Heading:
    if campaign_id is None:
        return Heading(title or "Scan report", portfolio.base_url.partition("://")[2])
    record = portfolio.get_campaign(campaign_id)
    return Heading(title or record.name, "Scan report", record.description)


def _report(portfolio: Portfolio, facts: Facts, heading: Heading, brand: Brand | None) -> Report:
    words = tuple(sentence for sentence in (lead(facts), *findings(facts)) if sentence)
    return Report(
        heading.title, render(portfolio, facts, heading, brand or portfolio.brands.current), words, facts.unscanned
    )


def _parse(
    since: date | str | None, until: date | str | None, time_zone: str, attributes: Sequence[Attribute] = ATTRIBUTES
) -> Asked:
    for name in attributes:
        check_attribute("attributes", name)
    first, after = _day("since", since), _day("until", until)
    if first and after and after <= first:
        raise InvalidParameter(Problem("until", until, f"must come after since, {since}"))
    return Asked(first, after, zone_of(time_zone).key, tuple(attributes))


def _day(name: str, bound: date | str | None) -> date | None:
    if isinstance(bound, str):
        return from_day(bound, name=name)
    if bound is not None and (isinstance(bound, datetime) or not isinstance(bound, date)):
        raise InvalidParameter(Problem(name, bound, "must be a day, like 2026-06-01", "wrong-type"))
    return bound
