"""Answers the questions of a dashboard: selects scans, and returns numbers and charts. Independent of any browser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Self, get_args

from qrkit import analytics, charts
from qrkit.errors import InvalidParameter, Problem, collecting, nearest
from qrkit.portfolio import Portfolio
from qrkit.store import Scans
from qrkit.tracking.records import Kind

__all__ = ["KINDS", "WIDTHS", "Asked", "drawn", "numbers"]

KINDS: tuple[Kind, ...] = tuple(kind for kind in get_args(Kind) if kind != "orphan")
"""Kinds of visits that can be selected; visits to unknown codes belong to no campaign."""

YEARS = (1990, 2100)
"""Range of years that scans can be in."""

WIDTHS = (340, 450, 560, 680, 860)
"""Widths of charts in pixels; the widest that fits is used."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The scans that a dashboard shows.

    Attributes:
        since: First day; None for the day of the first scan.
        until: Last day; None for the day of the last scan.
        campaign: ID of the campaign; "" for all.
        kinds: Kinds of visits to count.
        time_zone: IANA name of the time zone for days and hours.
    """

    since: date | None = None
    until: date | None = None
    campaign: str = ""
    kinds: tuple[Kind, ...] = ("scan",)
    time_zone: str = "UTC"

    def changed(self, fields: Mapping[str, Any]) -> Self:
        """Return a copy with the fields that a browser sent.

        Raises:
            InvalidParameter: If any fields are invalid; the error lists all of them.
        """
        readers = {"since": _day, "until": _day, "campaign": _text, "kinds": _kinds}
        problems = [
            Problem(name, fields[name], f"is no field; {nearest(name, readers)}", "unknown-parameter")
            for name in fields
            if name not in readers
        ]
        values: dict[str, Any] = {}
        for name, read in readers.items():
            if name in fields:
                with collecting(problems):
                    values[name] = read(name, fields[name])
        copy = replace(self, **values)
        if copy.since and copy.until and copy.since > copy.until:
            problems.append(Problem("until", f"{copy.until}", f"must not be before {copy.since}", "out-of-range"))
        if problems:
            raise InvalidParameter(*problems)
        return copy

    def of(self, scans: Scans) -> Scans:
        """Return the selected scans."""
        until = self.until and self.until + timedelta(days=1)
        return scans.where(
            campaign_id=self.campaign or None,
            since=self.since,
            until=until,
            kinds=self.kinds,
            time_zone=self.time_zone,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the selection as JSON."""
        ends = {name: day.isoformat() if day else "" for name, day in (("since", self.since), ("until", self.until))}
        return ends | {"campaign": self.campaign, "kinds": list(self.kinds)}


def _day(name: str, value: Any) -> date | None:
    if value in ("", None):
        return None
    rule = f"must be a day as yyyy-MM-dd, in the years {YEARS[0]} to {YEARS[1]}"
    try:
        day = date.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise InvalidParameter(Problem(name, value, rule)) from error
    if not YEARS[0] <= day.year <= YEARS[1]:
        raise InvalidParameter(Problem(name, value, rule, "out-of-range"))
    return day


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidParameter(Problem(name, value, "must be the id of a campaign", "wrong-type"))
    return value


def _kinds(name: str, value: Any) -> tuple[Kind, ...]:
    given = value if isinstance(value, list | tuple) else []
    for one in given:
        if one not in KINDS:
            raise InvalidParameter(Problem(name, one, nearest(str(one), KINDS)))
    chosen = tuple(kind for kind in KINDS if kind in given)
    if not chosen:
        raise InvalidParameter(Problem(name, value, f"must hold at least one of {', '.join(KINDS)}"))
    return chosen


def numbers(view: Scans) -> dict[str, int]:
    """Return the key figures by name."""
    row = analytics.summary(view).iloc[0]
    return {name: int(row[name]) for name in ("scans", "visitors", "qrcodes")}


def drawn(portfolio: Portfolio, asked: Asked, width: int) -> Iterator[tuple[str, charts.Chart]]:
    """Yield each chart with its title: over time, against the previous period, by code, by hour of the week, by system.

    Args:
        portfolio: The portfolio that contains the scans.
        asked: The scans to show.
        width: Available width in pixels.
    """
    view = asked.of(portfolio.scans)
    colors = charts.assign_colors(one.name for one in portfolio.list_campaigns())
    wide = max((one for one in WIDTHS if one <= width), default=WIDTHS[0])
    by_day = analytics.scans_per_day(view, by=None if asked.campaign else "campaign")
    yield "Scans per day", charts.lines(by_day, colors=None if asked.campaign else colors, width=wide)
    if asked.since and asked.until:
        yield "And the period before", charts.previous_period(analytics.scans_and_previous(view), width=wide)
    narrow = min(wide, WIDTHS[-2])
    yield "QR Codes", charts.bars(analytics.top_qrcodes(view), width=narrow)
    yield f"Hours of the week ({view.time_zone})", charts.hour_of_week(analytics.scans_by_hour(view), width=narrow)
    yield "Systems", charts.bars(analytics.scans_by(view, "system"), width=narrow)
