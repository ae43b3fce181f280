"""Moments: always UTC, in the two forms of the interface, and the clock.

Records carry `yyyy-MM-ddTHH:mm:ssZ`, tables (csv, xls, xml) `yyyy-MM-dd HH:mm:ss`; files that come in may have either.
This is the only file that asks what time it is; everything else is handed a `Clock`, so that tests and replays decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime

from qrkit.errors import InvalidParameter, Problem

__all__ = ["Clock", "from_day", "from_iso", "from_table", "naive", "now", "to_iso", "to_table", "utc"]

Clock = Callable[[], datetime]

ISO_FORM = "yyyy-MM-ddTHH:mm:ssZ"
TABLE_FORM = "yyyy-MM-dd HH:mm:ss"
_TABLE_FORM = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")
_ANY_FORM = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([ T]([01][0-9]|2[0-3]):[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


def now() -> datetime:
    """The present moment in UTC, to the microsecond."""
    return datetime.now(UTC)


def utc(moment: datetime) -> datetime:
    """The same moment in UTC; a moment without a time zone is taken as UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def naive(moment: datetime) -> datetime:
    """The moment in UTC without its zone, as the store keeps it."""
    return utc(moment).replace(tzinfo=None)


def to_iso(moment: datetime) -> str:
    """Write a moment as `yyyy-MM-ddTHH:mm:ssZ`, whole seconds, UTC."""
    # strftime writes the year 99 with two digits on some systems, isoformat with four on all.
    return naive(moment).isoformat(timespec="seconds") + "Z"


def from_day(text: str, *, name: str = "day") -> date:
    """Read `yyyy-MM-dd`; whose day it is, the caller knows.

    Raises:
        InvalidParameter: The text is no such day; `name` is the field to blame.
    """
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InvalidParameter(Problem(name, text, "must be a day as 2026-06-01")) from error


def from_iso(text: str, *, name: str = "date") -> datetime:
    """Read `yyyy-MM-ddTHH:mm:ssZ`; other ISO 8601 offsets are turned into UTC.

    Raises:
        InvalidParameter: The text is not such a moment; `name` is the field to blame.
    """
    try:
        return utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError) as error:
        raise InvalidParameter(Problem(name, text, f"must be a date and time as {ISO_FORM}")) from error


def to_table(moment: datetime) -> str:
    """Write a moment as `yyyy-MM-dd HH:mm:ss`, whole seconds, UTC."""
    return naive(moment).isoformat(sep=" ", timespec="seconds")


def from_table(text: str, *, name: str = "Created (UTC)") -> datetime:
    """Read `yyyy-MM-dd HH:mm:ss` or `yyyy-MM-ddTHH:mm:ssZ`, UTC where no offset is written (ruling X13).

    Seconds may be absent or have a fraction, and a date may stand alone, as spreadsheets and pandas write them.

    Raises:
        InvalidParameter: The text is not such a moment; `name` is the field to blame.
    """
    try:
        if _TABLE_FORM.fullmatch(text):
            return datetime.fromisoformat(text).replace(tzinfo=UTC)  # ten times as fast
        if _ANY_FORM.fullmatch(text):
            return utc(datetime.fromisoformat(text))
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        rule = f"must be a date and time as {TABLE_FORM} or {ISO_FORM}"
        raise InvalidParameter(Problem(name, text, rule)) from error
