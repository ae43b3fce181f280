"""Writes reports: what happened to a portfolio or a campaign and its QR Codes, as one self-contained HTML file.

`analytics` answers the questions, `charts` draws, and a template arranges the page. The page says in words what
happened before it shows it. It loads nothing, so it opens offline. Its script sorts tables and counts the days and
campaigns you choose; without scripts, everything else works. The page follows light and dark mode, fits phones, and
prints on A4. `notebook` writes the report as a notebook to continue from. Reports are in English, or in German, French,
Spanish or Dutch: `language="de"`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, Literal

from qrkit.analytics.small_groups import check_least
from qrkit.analytics.unusual_days import check_holidays
from qrkit.design.brand import Brand
from qrkit.errors import InvalidParameter, Problem
from qrkit.files import write_file
from qrkit.languages import LanguageTag, current_language, in_language, say
from qrkit.portfolio import Portfolio
from qrkit.report.comparisons import ATTRIBUTES, CompareTo, Scope
from qrkit.report.downloads import packed
from qrkit.report.executed import run
from qrkit.report.facts import Facts, gather
from qrkit.report.findings import findings, headline, lead
from qrkit.report.page import Heading, render
from qrkit.report.pdf import printed
from qrkit.report.small_groups import shareable
from qrkit.report.suffixes import NOTEBOOK, SAVED, check_file
from qrkit.report.unscanned import Unscanned
from qrkit.report.words import period
from qrkit.store import Scans
from qrkit.store.questions.scan_attributes import TAG, Attribute, check_attribute
from qrkit.store.records.report_links import MOST_LINKS, add_report
from qrkit.store.upkeep.retention import check_days
from qrkit.tracking.records import Campaign
from qrkit.tracking.times import from_day, zone_of

__all__ = ["Report", "campaign", "notebook", "portfolio"]

MOST_LINK_DAYS, MOST_LINKED_BYTES = 90, 8 * 2**20
"""How long a link shows a report, and how large its page may be."""

__dir__ = __all__.copy


@dataclass(frozen=True, slots=True)
class Report:
    """A finished report.

    Attributes:
        title: Title of the page.
        html: The page; the same scans give the same HTML.
        words: The first sentences of the page.
        unscanned: The QR Codes without a scan in the period; prints as their names by campaign.
        language: The language of the report, such as en or de.
    """

    title: str
    html: str
    words: tuple[str, ...]
    unscanned: Unscanned
    language: LanguageTag
    _facts: Facts = field(repr=False, compare=False)
    _brand: Brand | None = field(default=None, repr=False, compare=False)

    @property
    def period(self) -> str:
        """The days of the report in words, such as 1-30 June 2026; empty if there are none."""
        with in_language(self.language):
            return period(self._facts.first, self._facts.last)

    def save(self, path: str | Path) -> Path:
        """Write the report to a file in the format of its suffix, and return the path.

        The formats are .html, .pdf, and .zip with the page, the charts and the tables; see `to_zip`.

        Raises:
            InvalidParameter: If the suffix is not .html, .htm, .pdf or .zip.
            MissingProgram: If a PDF is requested and there is no Chromium on the PATH.
            CannotWrite: If the file cannot be written.
            RenderingFailed: If a PDF is requested and Chromium failed or took longer than a minute.
        """
        file = Path(path)
        check_file(file, SAVED)
        make = {".pdf": self.to_pdf, ".zip": self.to_zip}.get(file.suffix.lower(), self.html.encode)
        write_file(file, make())
        return file

    def to_pdf(self) -> bytes:
        """Return the page as an A4 PDF printed by Chromium, without using the network.

        Raises:
            MissingProgram: If there is no Chromium on the PATH.
            RenderingFailed: If Chromium failed or took longer than a minute.
        """
        return printed(self.html)

    def to_zip(self) -> bytes:
        """Return a ZIP archive to build slides and sheets from.

        It holds the page as report.html, each chart as SVG and PNG in charts/, each table as CSV in tables/, the data
        of each chart as CSV in data/, and all of these tables as sheets of tables.xlsx. The same scans give the same
        archive.
        """
        with in_language(self.language):
            return packed(self.html, self._facts, self._brand)

    def link(self, portfolio: Portfolio, *, days: int = 7) -> str:
        """Keep the page in the store, and return a URL that shows it to anybody, without a key, until it expires.

        A server of the store shows the page as it is now. The store has only a hash of the URL, so keep the URL.

        Args:
            portfolio: The portfolio whose store keeps the page.
            days: How long the link works, 1..90.

        Raises:
            InvalidParameter: If `days` is out of range, the page has more than 8 MiB, or the account has 100 links that
                have not expired.
        """
        token, now = token_urlsafe(32), portfolio.now()
        expires = now + timedelta(days=check_days(days, MOST_LINK_DAYS))
        if (size := len(self.html.encode())) > MOST_LINKED_BYTES:
            rule = f"has {size:,} bytes; a page with a link has at most {MOST_LINKED_BYTES:,} bytes"
            raise InvalidParameter(Problem("report", self.title, rule))
        if not add_report(portfolio.store, portfolio.account.id, token, self.html, now=now, expires=expires):
            rule = f"is one too many; an account has links to at most {MOST_LINKS} reports at a time"
            raise InvalidParameter(Problem("report", self.title, rule))
        return f"{portfolio.base_url}/api/v3/report?token={token}"

    def __repr__(self) -> str:
        return f"<Report {self.title!r}, {len(self.html.encode()) / 1000:,.0f} kB>"


def portfolio(
    portfolio: Portfolio,
    *,
    title: str | None = None,
    since: date | str | None = None,
    until: date | str | None = None,
    time_zone: str | None = None,
    attributes: Sequence[Attribute | str] = ATTRIBUTES,
    brand: Brand | str | None = None,
    compare_to: Literal["previous", "last year", "campaigns"] | tuple[date | str, date | str] | None = None,
    holidays: Collection[date] = (),
    cards: bool = False,
    least: int | None = None,
    most_a_day: int | None = None,
    language: LanguageTag = "en",
) -> Report:
    """Report on all campaigns and QR Codes of a portfolio.

    Args:
        portfolio: What to report on.
        title: Title of the page; by default "Scan report".
        since: First day, a date or a string such as 2026-06-01; by default the day of the first scan.
        until: The day after the last; by default the day after the last scan.
        time_zone: IANA name of the time zone for the days and hours of the report; by default, that of the store.
        attributes: Attributes of scans that get a table, such as country, utm_source, tag or the name of a field of
            yours; see `analytics.scans_by`.
        brand: Look of the page, or the name of a saved one; by default the brand in use, `portfolio.brands.current`.
        compare_to: What to compare the period with: "previous" for the days before it, "last year" for the same dates a
            year earlier, or the first day and the day after the last. By default, the days before it if both bounds are
            given and there were scans; otherwise the second half is compared with the first. "campaigns" adds a table
            of the campaigns side by side to that: scans per day, and their change, each with its 95% interval, or why
            there is none.
        holidays: Public holidays, as for `analytics.unusual_days`: they are never called unusual, and comparisons
            leave them out and say so.
        cards: Whether to add a card for each QR Code, with its picture large enough to scan.
        least: The smallest number of visitors or scans that the report shows, 2..1,000,000, such as 5 for a report
            that you share; by default, everything is shown. Smaller groups (countries, campaigns, QR Codes, hours) are
            merged or hidden, with enough others that totals and filters do not reveal them, and scans of days with
            fewer are counted on a later day, or the last one before. What that leaves uncertain is not compared.
            Reports on overlapping periods may together reveal more.
        most_a_day: Leave out all scans by a visitor who made more than this many on a UTC day, such as 50, as programs
            do; by default, they count, and the report tells of them.
        language: Language of the report: en, de (German), fr (French), es (Spanish), or nl (Dutch). Your names stay as
            they are, and so do the columns of CSV files.

    Raises:
        InvalidParameter: If a bound is not a date, if a period does not end after it begins, if the time zone, an
            attribute, `compare_to` or the language is unknown, if `holidays` are not dates, if `least` is out of range
            or hides everything, if `most_a_day` is not a whole number of 1 or more, or if campaigns are to be compared
            and there are fewer than two.
        MissingProgram: If the extra `statistics` is not installed.
        NotFound: If no brand is saved under the name.
        AssetError: If the logo of the brand is invalid.
        RemoteContentDisabled: If the logo of the brand is a URL; reports fetch nothing.
    """
    how: dict[str, Any] = {"attributes": attributes, "compare_to": compare_to, "holidays": holidays, "least": least}
    asked = _parse(since, until, time_zone, portfolio.scans, **how)
    with in_language(language):
        scans, heading = portfolio.scans.where(most_a_day=most_a_day), _heading(portfolio, (), title)
        compared = portfolio.list_campaigns() if compare_to == "campaigns" else None
        return _report(portfolio, scans, asked, heading, brand, with_cards=cards, compared=compared)


def campaign(
    portfolio: Portfolio,
    campaign_id: str | Sequence[str],
    *,
    title: str | None = None,
    since: date | str | None = None,
    until: date | str | None = None,
    time_zone: str | None = None,
    attributes: Sequence[Attribute | str] = ATTRIBUTES,
    brand: Brand | str | None = None,
    compare_to: Literal["previous", "last year", "campaigns"] | tuple[date | str, date | str] | None = None,
    holidays: Collection[date] = (),
    cards: bool = False,
    least: int | None = None,
    most_a_day: int | None = None,
    language: LanguageTag = "en",
) -> Report:
    """Report on one campaign of a portfolio, or on several.

    Args:
        portfolio: The portfolio that contains the campaign.
        campaign_id: ID of the campaign, or the IDs of several; an ID that is repeated counts once.
        title: Title of the page; by default the campaign's name, or "Scan report" for several.
        since: First day, a date or a string such as 2026-06-01; by default the day of the first scan.
        until: The day after the last; by default the day after the last scan.
        time_zone: IANA name of the time zone for the days and hours of the report; by default, that of the store.
        attributes: Attributes of scans that get a table, such as country, utm_source, tag or the name of a field of
            yours; see `analytics.scans_by`.
        brand: Look of the page, or the name of a saved one; by default the brand in use, `portfolio.brands.current`.
        compare_to: What to compare the period with: "previous" for the days before it, "last year" for the same dates a
            year earlier, or the first day and the day after the last. By default, the days before it if both bounds are
            given and there were scans; otherwise the second half is compared with the first. "campaigns" adds a table
            of several campaigns side by side.
        holidays: Public holidays, as for `analytics.unusual_days`: they are never called unusual, and comparisons
            leave them out and say so.
        cards: Whether to add a card for each QR Code, with its picture large enough to scan.
        least: The smallest number of visitors or scans that the report shows, 2..1,000,000, such as 5 for a report
            that you share; by default, everything is shown. Smaller groups (countries, campaigns, QR Codes, hours) are
            merged or hidden, with enough others that totals and filters do not reveal them, and scans of days with
            fewer are counted on a later day, or the last one before. What that leaves uncertain is not compared.
            Reports on overlapping periods may together reveal more.
        most_a_day: Leave out all scans by a visitor who made more than this many on a UTC day, such as 50, as programs
            do; by default, they count, and the report tells of them.
        language: Language of the report: en, de (German), fr (French), es (Spanish), or nl (Dutch). Your names stay as
            they are, and so do the columns of CSV files.

    Raises:
        NotFound: If the portfolio has no campaign with this ID.
        InvalidParameter: If no campaign is given, if a bound is not a date, if a period does not end after it begins,
            if the time zone, an attribute, `compare_to` or the language is unknown, if `holidays` are not dates, if
            `least` is out of range or hides everything, if `most_a_day` is not a whole number of 1 or more, or if
            campaigns are to be compared and there are fewer than two.
        MissingProgram: If the extra `statistics` is not installed.
        NotFound: If no brand is saved under the name.
        AssetError: If the logo of the brand is invalid.
        RemoteContentDisabled: If the logo of the brand is a URL; reports fetch nothing.
    """
    how: dict[str, Any] = {"attributes": attributes, "compare_to": compare_to, "holidays": holidays, "least": least}
    asked = _parse(since, until, time_zone, portfolio.scans, **how)
    ids = [campaign_id] if isinstance(campaign_id, str | Campaign) else list(dict.fromkeys(campaign_id or ()))
    if not ids:
        rule = "must be the ID of a campaign, or several; to report on all of them, use report.portfolio"
        raise InvalidParameter(Problem("campaign_id", campaign_id, rule))
    campaigns = list(map(portfolio.get_campaign, ids))
    with in_language(language):
        scans = portfolio.scans.where(campaign_id=ids, most_a_day=most_a_day)
        heading = _heading(portfolio, campaigns, title)
        compared = campaigns if compare_to == "campaigns" else None
        return _report(portfolio, scans, asked, heading, brand, with_cards=cards, compared=compared)


def notebook(
    portfolio: Portfolio,
    path: str | Path,
    *,
    campaign_id: str | None = None,
    title: str | None = None,
    since: date | str | None = None,
    until: date | str | None = None,
    time_zone: str | None = None,
    language: LanguageTag = "en",
) -> Path:
    """Write a report as an executed notebook with its parameters in the first cell, and return the path.

    The notebook reads a copy of the committed data in the store's file, so it cannot hide small groups. It needs the
    extra `notebook`. Tools that run
    notebooks with parameters, such as papermill, can run it again.

    Args:
        portfolio: What to report on; its store must be a file.
        path: Path of the notebook.
        campaign_id: ID of a campaign; None for all.
        title: See `portfolio`.
        since: See `portfolio`.
        until: See `portfolio`.
        time_zone: See `portfolio`.
        language: See `portfolio`.

    Raises:
        NotFound: If the portfolio has no campaign with this ID.
        MissingProgram: If the extra `notebook` or `statistics` is not installed.
        InvalidParameter: If a bound is not a date, `until` is not after `since`, the time zone or the language is
            unknown, the path does not end in .ipynb, or the store is in memory.
        RenderingFailed: If a cell failed, or took longer than two minutes.
        CannotWrite: If the file cannot be written.
    """
    check_file(Path(path), (NOTEBOOK,))
    asked = _parse(since, until, time_zone, portfolio.scans)
    with in_language(language):
        heading = _heading(portfolio, [portfolio.get_campaign(campaign_id)] if campaign_id else [], title)
        facts = gather(portfolio, portfolio.scans.where(campaign_id=campaign_id), asked)
        return run(Path(path), facts, heading.title, (portfolio.store.lasting_path, campaign_id, asked))


def _heading(portfolio: Portfolio, campaigns: Sequence[Campaign], title: str | None) -> Heading:
    """Return the heading of a report on these campaigns; on everything if there are none."""
    if len(campaigns) == 1:
        return Heading(title or campaigns[0].name, say("Scan report"), campaigns[0].description)
    names, host = ", ".join(one.name for one in campaigns), portfolio.base_url.partition("://")[2]
    return Heading(title or say("Scan report"), host, names)


def _report(
    portfolio: Portfolio,
    scans: Scans,
    asked: Scope,
    heading: Heading,
    brand: Brand | str | None,
    *,
    with_cards: bool,
    compared: Sequence[Campaign] | None,
) -> Report:
    if compared is not None and len(compared) < 2:
        raise InvalidParameter(Problem("compare_to", "campaigns", "needs two campaigns or more"))
    look = portfolio.brands.get(brand) if isinstance(brand, str) else brand or portfolio.brands.current
    facts = gather(portfolio, scans, asked)
    if asked.least is not None:
        facts = shareable(facts, asked, asked.least)
    words = tuple(sentence for sentence in (headline(facts), lead(facts), *findings(facts)) if sentence)
    html = render(portfolio, facts, heading, look, with_cards=with_cards, with_campaigns=compared is not None)
    return Report(heading.title, html, words, facts.unscanned, current_language(), facts, look)


def _parse(
    since: date | str | None,
    until: date | str | None,
    time_zone: str | None,
    scans: Scans,
    *,
    attributes: Sequence[Attribute | str] = ATTRIBUTES,
    compare_to: str | tuple[date | str, date | str] | None = None,
    holidays: Collection[date] = (),
    least: int | None = None,
) -> Scope:
    for name in attributes:
        check_attribute("attributes", name, scans)
    if least is not None and TAG in attributes:
        rule = "must not be given with the attribute tag: a scan counts with each tag, so small groups cannot be hidden"
        raise InvalidParameter(Problem("least", least, rule))
    first, after = _day("since", since), _day("until", until)
    if first and after and after <= first:
        raise InvalidParameter(Problem("until", str(until), f"must come after since, {since}"))
    least = None if least is None else check_least(least)
    return Scope(
        first,
        after,
        zone_of(time_zone or scans.time_zone).key,
        tuple(attributes),
        _comparison(compare_to),
        least,
        check_holidays(holidays),
    )


def _comparison(compare_to: object) -> CompareTo:
    if compare_to is None or compare_to == "campaigns":
        return None
    if compare_to == "previous" or compare_to == "last year":
        return compare_to
    if not isinstance(compare_to, (tuple, list)) or len(compare_to) != 2:
        rule = "must be 'previous', 'last year', 'campaigns', or two days: the first and the one after the last"
        raise InvalidParameter(Problem("compare_to", compare_to, rule))
    first, after = (_day("compare_to", bound) for bound in compare_to)
    if first is None or after is None or after <= first:
        raise InvalidParameter(Problem("compare_to", compare_to, "must be two days, the second after the first"))
    return first, after


def _day(name: str, bound: date | str | None) -> date | None:
    if isinstance(bound, str):
        return from_day(bound, name=name)
    if bound is not None and (isinstance(bound, datetime) or not isinstance(bound, date)):
        raise InvalidParameter(Problem(name, bound, "must be a day such as 2026-06-01", "wrong-type"))
    return bound
