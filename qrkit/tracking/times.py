"""UTC timestamps in the two formats of the interface, time zones by name, and the clock.

Records use `yyyy-MM-ddTHH:mm:ssZ`, tables (csv, xls, xml) use `yyyy-MM-dd HH:mm:ss`; imported files may use either.
Only this module reads the system time; all other modules receive a `Clock`, so that tests and replays can set the time.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from qrkit.contents.moments import suggest_zone, zone_or_none
from qrkit.errors import InvalidParameter, Problem

Clock = Callable[[], datetime]
WholePeriod = Literal["week", "month", "quarter"]

ISO_FORM = "yyyy-MM-ddTHH:mm:ssZ"
TABLE_FORM = "yyyy-MM-dd HH:mm:ss"
IN_TABLE_FORM = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2} (?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}")
_ANY_FORM = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([ T]([01][0-9]|2[0-3]):[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?"
)


def now() -> datetime:
    """Return the current time in UTC, to the microsecond."""
    return datetime.now(UTC)


def utc(moment: datetime) -> datetime:
    """Convert a timestamp to UTC; a timestamp without a time zone is UTC already."""
    if moment.tzinfo is UTC:
        return moment
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def naive(moment: datetime) -> datetime:
    """Convert a timestamp to UTC without a time zone, the format of the store."""
    return utc(moment).replace(tzinfo=None)


def zone_of(name: str | ZoneInfo) -> ZoneInfo:
    """Return the time zone with an IANA name, like "Europe/Ljubljana"; refuse an unknown name."""
    zone = zone_or_none(name.key if isinstance(name, ZoneInfo) else name)
    if zone is None:
        rule = f"must be an IANA name of a time zone, like UTC or Europe/Ljubljana{suggest_zone(str(name))}"
        raise InvalidParameter(Problem("time_zone", name, rule))
    return zone


def first_moment(zone: ZoneInfo, day: date) -> datetime:
    """Return the start of a day in naive UTC: midnight, or the clock change if daylight saving time skips midnight."""
    return naive(datetime.combine(day, time(), zone))


def moment_in(zone: ZoneInfo, bound: date) -> datetime:
    """Convert a timestamp, or the start of a day, to naive UTC; the zone counts if the bound does not have its own."""
    if not isinstance(bound, datetime):
        return first_moment(zone, bound)
    return naive(bound if bound.tzinfo else datetime.combine(bound.date(), bound.time(), zone))


def period_start(day: date, period: str) -> date:
    """Return the first day of the week (a Monday), month or quarter that contains `day`; for "day", `day` itself."""
    if period == "week":
        return day - timedelta(days=day.weekday())
    if period == "quarter":
        day = day.replace(month=day.month - (day.month - 1) % 3, day=1)
    return day if period == "day" else day.replace(day=1)


def last_whole(period: WholePeriod, today: date) -> tuple[date, date]:
    """Return the last week, month or quarter that is over: its first day, and the day after its last one."""
    after = period_start(today, period)
    return period_start(after - timedelta(days=1), period), after


def to_iso(moment: datetime) -> str:
    """Format a timestamp as `yyyy-MM-ddTHH:mm:ssZ`, in whole seconds, UTC."""
    # strftime writes the year 99 with two digits on some systems, isoformat with four on all.
    return naive(moment).isoformat(timespec="seconds") + "Z"


def from_day(text: str, *, name: str = "day") -> date:
    """Parse a date, `yyyy-MM-dd`; the caller decides the time zone."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InvalidParameter(Problem(name, text, f"must be a day such as 2026-06-01{_last_day(text)}")) from error


def _last_day(text: str) -> str:
    """Say how many days a month has if a text begins with a day that it does not have."""
    found = re.match(r"([0-9]{4})-(0[1-9]|1[0-2])-([0-9]{2})", text)
    days = monthrange(int(found[1]), int(found[2]))[1] if found and int(found[1]) else 0
    return f"; {found[1]}-{found[2]} has {days} days" if found and 1 <= days < int(found[3]) else ""


def timestamp_rule(value: Any) -> str:
    """Return the rule of timestamps in the interface, and how many days a month has if a value names one too many."""
    return f"must be a date and time as {ISO_FORM}{_last_day(str(value))}"


def from_iso(text: str, *, name: str = "date") -> datetime:
    """Parse `yyyy-MM-ddTHH:mm:ssZ`; other ISO 8601 offsets are converted to UTC."""
    try:
        return utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError) as error:
        raise InvalidParameter(Problem(name, text, timestamp_rule(text))) from error


def to_table(moment: datetime) -> str:
    """Format a timestamp as `yyyy-MM-dd HH:mm:ss`, in whole seconds, UTC."""
    return utc(moment).isoformat(sep=" ", timespec="seconds").removesuffix("+00:00")


def from_table(text: str, name: str = "Created (UTC)") -> datetime:
    """Parse `yyyy-MM-dd HH:mm:ss` or `yyyy-MM-ddTHH:mm:ssZ`; UTC if the text has no offset.

    The text may omit seconds, include fractions of a second, or be a date only, as spreadsheets and pandas write them.
    """
    try:
        if IN_TABLE_FORM.fullmatch(text):
            return datetime.fromisoformat(text).replace(tzinfo=UTC)  # ten times as fast
        if _ANY_FORM.fullmatch(text):
            return utc(datetime.fromisoformat(text))
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        rule = f"must be a date and time as {TABLE_FORM} or {ISO_FORM}"
        raise InvalidParameter(Problem(name, text, rule)) from error
