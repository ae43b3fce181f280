"""Reports: what happened to a portfolio or a campaign, and its QR Codes, as one HTML file that needs nothing else.

Analytics answers the questions, charts draw, a template arranges. The page has no script and loads nothing; it opens
without a network, follows light and dark mode, fits phones, and prints on A4.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.errors import InvalidParameter, Problem
from qrkit.report.facts import gather
from qrkit.report.page import Heading, render

if TYPE_CHECKING:
    from qrkit.portfolio import Portfolio

__all__ = ["Report", "campaign", "portfolio"]


@dataclass(frozen=True, slots=True)
class Report:
    """A finished page.

    Attributes:
        title: What stands at its top.
        html: The page; the same scans give the same text.
    """

    title: str
    html: str

    def save(self, path: str | Path) -> Path:
        """Write the page to a file; gives the path back."""
        file = Path(path)
        file.write_text(self.html, encoding="utf-8", newline="\n")
        return file

    def __repr__(self) -> str:
        return f"<Report {self.title!r}, {len(self.html.encode()) / 1000:,.0f} kB>"


def portfolio(
    portfolio: Portfolio, *, title: str | None = None, since: date | None = None, until: date | None = None
) -> Report:
    """A report on all campaigns and QR Codes of a portfolio.

    Args:
        portfolio: What to report on.
        title: What stands at the top; by default "Scan report".
        since: First day, UTC; by default that of the first scan.
        until: The day after the last, UTC; by default the one after the last scan.

    Raises:
        InvalidParameter: A bound is no day, or `until` does not come after `since`.
    """
    _check_period(since, until)
    facts = gather(portfolio, portfolio.scans.where(since=since, until=until))
    heading = Heading(title or "Scan report", portfolio.base_url.partition("://")[2])
    return Report(heading.title, render(portfolio, facts, heading))


def campaign(
    portfolio: Portfolio,
    campaign_id: str,
    *,
    title: str | None = None,
    since: date | None = None,
    until: date | None = None,
) -> Report:
    """A report on one campaign of a portfolio.

    Args:
        portfolio: Whose campaign it is.
        campaign_id: Its id.
        title: What stands at the top; by default the campaign's name.
        since: First day, UTC; by default that of the first scan.
        until: The day after the last, UTC; by default the one after the last scan.

    Raises:
        NotFound: The portfolio has no campaign of this id.
        InvalidParameter: A bound is no day, or `until` does not come after `since`.
    """
    _check_period(since, until)
    found = portfolio.get_campaign(campaign_id)
    facts = gather(portfolio, portfolio.scans.where(campaign_id=campaign_id, since=since, until=until))
    heading = Heading(title or found.name, "Scan report", found.description)
    return Report(heading.title, render(portfolio, facts, heading))


def _check_period(since: date | None, until: date | None) -> None:
    for name, bound in (("since", since), ("until", until)):
        if bound is not None and (isinstance(bound, datetime) or not isinstance(bound, date)):
            raise InvalidParameter(Problem(name, bound, "must be a day, like datetime.date(2026, 6, 1)", "wrong-type"))
    if since and until and until <= since:
        raise InvalidParameter(Problem("until", until, f"must come after since, {since}"))
