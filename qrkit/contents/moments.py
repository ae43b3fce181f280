"""The types of days and times in contents."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import AfterValidator, BeforeValidator, Field, Strict, StrictStr

from qrkit.contents.single_lines import clean
from qrkit.errors import similar
from qrkit.model import broken

_DURATION = re.compile(
    r"\+?P(?:(?P<weeks>[0-9]{1,5})W|(?:(?P<days>[0-9]{1,5})D)?"
    r"(?:T(?:(?P<hours>[0-9]{1,5})H)?(?:(?P<minutes>[0-9]{1,7})M)?(?:(?P<seconds>[0-9]{1,9})S)?)?)"
)
DAY_FORM, TIME_FORM = "2026-06-14", "2026-06-14 18:00"


def _day(value: Any) -> Any:
    """Return a day; text must be an ISO 8601 date."""
    with suppress(ValueError):
        value = date.fromisoformat(clean(value.strip())) if isinstance(value, str) else value
    if isinstance(value, datetime) or not isinstance(value, date):
        raise broken(f"must be a day, as {DAY_FORM}")
    return value


def _day_or_time(value: Any) -> Any:
    """Return a day, or a time in whole seconds; a time with an offset or a zone of its own becomes UTC."""
    if isinstance(value, str):
        text = clean(value.strip())
        with suppress(ValueError):
            return date.fromisoformat(text)
        with suppress(ValueError):
            value = datetime.fromisoformat(text)
    if not isinstance(value, date):
        raise broken(f"must be a day, as {DAY_FORM}, or a time, as {TIME_FORM}")
    if not isinstance(value, datetime):
        return value
    # A pandas Timestamp is a datetime, but not the one that Python's own arithmetic expects.
    plain = datetime(*value.timetuple()[:6], tzinfo=value.tzinfo)
    try:
        return plain.astimezone(UTC) if plain.tzinfo else plain
    except OverflowError as error:
        raise broken("must lie in the years 1 to 9999 of UTC") from error


_OFFSET = re.compile(r"(?:UTC|GMT)? ?([+-])([0-9]{1,2})(?::?00)?", re.IGNORECASE)
"""Matches an offset from UTC in whole hours."""


def zone_or_none(name: str) -> ZoneInfo | None:
    """Return the time zone with an IANA name; None if no time zone has this name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        return None


def suggest_zone(name: str) -> str:
    """Return a suggestion for an unknown name, because many people type only the city, such as "Berlin"."""
    names = sorted(available_timezones())
    if offset := _OFFSET.fullmatch(name.strip()):  # UTC+1 is Etc/GMT-1
        zone = f"Etc/GMT{'-' if offset[1] == '+' else '+'}{int(offset[2])}"
        return f"; names of offsets have the opposite sign; did you mean {zone!r}?" if zone in names else ""
    end = re.sub("[ /]", "_", f"/{name.lower()}")
    match = next((one for one in names if f"/{one.lower()}".replace("/", "_").endswith(end)), "")
    alike = (one for one in names if one.count("/") == name.count("/"))  # not Europe/San_Marino for W. Europe Time
    hint = f"did you mean {match!r}?" if match else similar(name, alike)
    return f"; {hint}" if hint else ""


def _zone(name: str) -> str:
    if not zone_or_none(name):
        raise broken(f"must be the name of a time zone, such as Europe/Rome{suggest_zone(name)}")
    return name


def day_of(text: str) -> date | None:
    """Return the day of `19900517` or `1990-05-17`, which a time may follow; None for any other text."""
    digits = text.strip().upper().partition("T")[0].replace("-", "")
    try:
        return date.fromisoformat(digits) if len(digits) == len("yyyymmdd") and digits.isdecimal() else None
    except ValueError:
        return None


def end_after(start: date, duration: str, zone: str | None = None) -> date | None:
    """Return when an event of this duration (RFC 5545, 3.3.6) ends; if it starts on a day, its last day.

    Days and weeks end at the same time of day, even if clocks change; hours are hours. `zone` is the time zone of a
    start that has it beside it. Returns None if the text is not a duration, or if the event would end as it starts.
    """
    match = _DURATION.fullmatch(duration.strip().upper())
    parts = {name: int(digits) for name, digits in match.groupdict("0").items()} if match else {}
    try:
        day = start + timedelta(parts.pop("days", 0), weeks=parts.pop("weeks", 0))
        end = day + timedelta(**parts)
    except OverflowError:
        return None
    if isinstance(day, datetime) and not day.tzinfo and (known := zone_or_none(zone or "")):
        with suppress(OverflowError):
            moment = day.replace(tzinfo=known).astimezone(UTC) + timedelta(**parts)
            local = moment.astimezone(known).replace(tzinfo=None)
            # In the hour that clocks repeat, an event may end at an earlier time of day than it starts.
            end = local if local > start else end
    if not isinstance(start, datetime):
        # The first day counts as well.
        return end - timedelta(days=1) if end - start > timedelta(days=1) else None
    return end if end > start else None


Day = Annotated[date, BeforeValidator(_day)]
DayOrTime = Annotated[Annotated[date, Strict()] | Annotated[datetime, Strict()], BeforeValidator(_day_or_time)]
TimeZone = Annotated[
    Annotated[StrictStr, AfterValidator(_zone)] | None,
    Field(description="Time zone of the times, such as Europe/Rome; without it, they are local times of the visitor."),
]
