"""Contents that add an event to the calendar of a phone (RFC 5545).

Times become UTC, which needs no definition of a time zone. A repeated event keeps its zone, so that it stays at the
same time of day when the clocks change; the standard then demands a `VTIMEZONE`, which the library icalendar makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256
from typing import Annotated, Any, Literal, get_args
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, Field

from qrkit.contents.addresses import EmailAddress, WebAddress
from qrkit.contents.content import note
from qrkit.contents.kinds import kind
from qrkit.contents.messages import PlainText
from qrkit.contents.moments import Day, DayOrTime, TimeZone, end_after, zone_or_none
from qrkit.contents.single_lines import OneLine
from qrkit.contents.syntax import Line, block_of, end_of, escape, first_lines, moment_of, unescape
from qrkit.design.limits import Length, Most, Whole, Within
from qrkit.errors import Problem, raise_any

Weekday = Literal["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
WEEKDAYS = get_args(Weekday)
Frequency = Literal["daily", "weekly", "monthly", "yearly"]


Title = Annotated[OneLine, Length(1, 200), Field(description="What it is called.", examples=["Opening"])]
Start = Annotated[
    DayOrTime,
    Field(
        description="A day, as 2026-06-14, or a time, as 2026-06-14 18:00. One with an offset, as "
        "2026-06-14T18:00+02:00, is the same moment everywhere.",
        examples=["2026-06-14T18:00"],
    ),
]
End = Annotated[
    DayOrTime | None, Field(description="When it ends, of the same type as the start; the last day is part of it.")
]
Place = Annotated[Annotated[OneLine, Length(1, 300)] | None, Field(description="Where it is.")]
Description = Annotated[PlainText | None, Field(description="What it is about; long texts make large symbols.")]
Url = Annotated[WebAddress | None, Field(title="Web", description="A web page about it.")]
Organizer = Annotated[EmailAddress | None, Field(description="E-mail address of the contact person.")]
Repeat = Annotated[Frequency | None, Field(description="How often the event repeats.")]
Every = Annotated[
    Annotated[Whole, Within(1, 99, "days, weeks, months or years")],
    Field(description="2 with `weekly` is every other week."),
]


def _weekdays(value: Any) -> Any:
    """Accept a text for a list, as a recurrence rule has it: `MO,WE`."""
    if not isinstance(value, str):
        return value
    days = re.findall(r"[^\s,;]+", value)
    return tuple(day.upper() if day.upper() in WEEKDAYS else day for day in days) or value


Weekdays = Annotated[
    tuple[Weekday, ...],
    Most(0, 7),
    BeforeValidator(_weekdays),
    Field(description="The days of the week of a weekly event: MO, TU, WE, TH, FR, SA, SU."),
]
Count = Annotated[
    Annotated[Whole, Within(1, 999, "times")] | None,
    Field(description="How many times the event takes place in total."),
]
Until = Annotated[Day | None, Field(description="The last day on which it may take place.")]
Compact = Annotated[
    bool,
    Field(
        description="Whether to leave out what calendar files require but phones do not need, which saves 110 bytes."
    ),
]

UNTIL_TIME = time(23, 59, 59)
YEARS = range(2, 9999)
"""Python knows the years 1 to 9999; in another time zone, an event in the first or the last could lie outside them."""
SHORTEST_MONTH = 28
YEARS_OF_ZONE = 10
"""Years for which the zone of an event is defined, if nothing says when it ends."""
MOST_LINES = 200


@kind("Event", behind="page")
def event(
    title: Title,
    start: Start,
    end: End = None,
    *,
    time_zone: TimeZone = None,
    location: Place = None,
    description: Description = None,
    url: Url = None,
    organizer: Organizer = None,
    repeat: Repeat = None,
    every: Every = 1,
    weekdays: Weekdays = (),
    count: Count = None,
    until: Until = None,
    compact: Compact = False,
) -> str:
    r"""Add an event to the calendar of a phone.

    A start without an offset and without `time_zone` is a time of day wherever the visitor is.

    Raises:
        InvalidParameter: If a field breaks its rule, the end is before the start, or fields do not go together.

    Example:
        >>> from qrkit import contents
        >>> print(contents.event("Opening", "2026-06-14 18:00", time_zone="Europe/Rome", compact=True))
        BEGIN:VEVENT
        SUMMARY:Opening
        DTSTART:20260614T160000Z
        END:VEVENT
    """
    fields = dict(locals())
    raise_any([*_problems(fields), *_problems_of_years(fields)])
    if time_zone and not repeat and isinstance(start, datetime):
        moments = {name: _in_utc(name, fields[name], time_zone) for name in ("start", "end")}
        return event(**fields | moments | {"time_zone": None})
    _note_missing_days(fields)
    lines = [*_lines(fields)]
    if compact:
        return "\r\n".join(["BEGIN:VEVENT", *lines, "END:VEVENT"])
    digest = sha256("\r\n".join(lines).encode()).hexdigest()[:16]
    # The same event has the same text, so nothing here asks the clock.
    head = [f"UID:{digest}@qrkit", "DTSTAMP:19700101T000000Z"]
    zone = _zone_lines(fields) if time_zone and isinstance(start, datetime) else []
    calendar = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//qrkit//EN", *zone, "BEGIN:VEVENT", *head, *lines]
    return "\r\n".join([*calendar, "END:VEVENT", "END:VCALENDAR"])


def _note_missing_days(fields: dict[str, Any]) -> None:
    """Note if the day of the start is one that the rule leaves out, or that not every month or year has."""
    start, repeat, weekday = fields["start"], fields["repeat"], WEEKDAYS[fields["start"].weekday()]
    if fields["weekdays"] and weekday not in fields["weekdays"]:
        note("start", f"is on a day ({weekday}) that is not among its weekdays; calendars disagree on such events")
    lasts = {"monthly": start.day > SHORTEST_MONTH, "yearly": (start.month, start.day) == (2, 29)}
    if lasts.get(repeat):
        span = repeat.removesuffix("ly")
        note("start", f"is on day {start.day} of a month; calendars skip each {span} without such a day")


def _problems(fields: dict[str, Any]) -> Iterator[Problem]:
    start, end = fields["start"], fields["end"]
    if end is not None and _type_of(end) != _type_of(start):
        yield Problem("end", end, f"must be {_type_of(start)}, as the start is")
    elif end is not None and end < start:
        yield Problem("end", end, f"must not be before the start, {start}")
    if fields["time_zone"] and _type_of(start) != "a time without an offset":
        yield Problem("time_zone", fields["time_zone"], f"must be left out: the start is {_type_of(start)}")
    if not fields["repeat"]:
        rule = "needs repeat, which says how often the event takes place"
        for name, default in (("every", 1), ("weekdays", ()), ("count", None), ("until", None)):
            if fields[name] != default:
                yield Problem(name, fields[name], rule)
    elif fields["count"] and fields["until"]:
        yield Problem("until", fields["until"], "must be left out, because there is a count")
    elif fields["until"] and fields["until"] < (start.date() if isinstance(start, datetime) else start):
        yield Problem(
            "until", fields["until"], f"must not be before the start, {start}: the event would never take place"
        )
    if fields["weekdays"] and fields["repeat"] not in (None, "weekly"):
        yield Problem("weekdays", fields["weekdays"], "is only for weekly events; leave it out")


def _problems_of_years(fields: dict[str, Any]) -> Iterator[Problem]:
    for name in ("start", "end", "until"):
        if fields[name] and fields[name].year not in YEARS:
            yield Problem(name, fields[name], f"must lie in the years {YEARS[0]} to {YEARS[-1]}", "out-of-range")


def _type_of(moment: date) -> str:
    if not isinstance(moment, datetime):
        return "a day"
    return "a time with an offset" if moment.tzinfo else "a time without an offset"


def _in_utc(name: str, moment: datetime | None, zone: str) -> datetime | None:
    if moment is None:
        return None
    utc = moment.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    local = utc.astimezone(ZoneInfo(zone))
    if local.replace(tzinfo=None) != moment:
        note(name, f"{moment:%H:%M} does not exist on this day in {zone}, as clocks go forward; {local:%H:%M} is used")
    return utc


def _lines(fields: dict[str, Any]) -> Iterator[str]:
    yield f"SUMMARY:{escape(fields['title'])}"
    yield _moment_line("DTSTART", fields["start"], fields["time_zone"])
    if fields["end"] is not None:
        is_time = isinstance(fields["end"], datetime)
        # The end of an all-day event is the day after it (3.6.1).
        yield _moment_line("DTEND", fields["end"] + timedelta(days=not is_time), fields["time_zone"])
    if fields["repeat"]:
        yield f"RRULE:{_rule(fields)}"
    for name, key in (("location", "LOCATION"), ("description", "DESCRIPTION")):
        if fields[name]:
            yield f"{key}:{escape(fields[name])}"
    if fields["url"]:
        yield f"URL:{fields['url']}"
    if fields["organizer"]:
        yield f"ORGANIZER:mailto:{fields['organizer']}"


def _moment_line(name: str, moment: date, zone: str | None) -> str:
    if not isinstance(moment, datetime):
        return f"{name};VALUE=DATE:{moment:%Y%m%d}"
    return f"{name}{f';TZID={zone}' if zone else ''}:{_written(moment)}"


def _written(moment: datetime) -> str:
    # Not strftime, which writes the year 99 with two digits.
    return f"{moment.isoformat(timespec='seconds').partition('+')[0]}".replace("-", "").replace(":", "") + (
        "Z" if moment.tzinfo else ""
    )


def _rule(fields: dict[str, Any]) -> str:
    """Return a recurrence rule (3.3.10)."""
    parts = [f"FREQ={fields['repeat'].upper()}"]
    parts += [f"INTERVAL={fields['every']}"] if fields["every"] > 1 else []
    parts += [f"BYDAY={','.join(fields['weekdays'])}"] if fields["weekdays"] else []
    parts += [f"COUNT={fields['count']}"] if fields["count"] else []
    if fields["until"]:
        parts.append(f"UNTIL={_until(fields['until'], fields['start'], fields['time_zone'])}")
    return ";".join(parts)


def _until(day: date, start: date, zone: str | None) -> str:
    """Return the end of a day in the form that the start has: a day, a time in UTC, or a time of day."""
    if not isinstance(start, datetime):
        return f"{day:%Y%m%d}"
    end = datetime.combine(day, UNTIL_TIME)
    if zone:
        return _written(end.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC))
    return _written(end.replace(tzinfo=start.tzinfo))


def _zone_lines(fields: dict[str, Any]) -> list[str]:
    """Return the definition of the zone for the years of a repeated event."""
    from icalendar import Timezone

    first = fields["start"].date()
    last = fields["until"] or date(min(first.year + YEARS_OF_ZONE, 9998), 12, 31)
    made = Timezone.from_tzid(fields["time_zone"], first_date=first, last_date=last + timedelta(days=1))
    made.pop("COMMENT", None)
    return [line for line in made.to_ical().decode().split("\r\n") if line]


# ---- reading


def read_event(text: str) -> dict[str, Any] | None:
    """Return the fields of the first event of a calendar; None if it has no title or no readable start."""
    found = first_lines(block_of(text, "VEVENT", MOST_LINES))
    texts = {name: unescape(line.value) for name, line in found.items()}
    start = moment_of(found["DTSTART"].value) if "DTSTART" in found else None
    if not texts.get("SUMMARY") or start is None:
        return None
    zone = zone_of(found["DTSTART"])
    end = end_of(found["DTEND"].value, start) if "DTEND" in found else None
    if end is None and "DURATION" in found:
        end = end_after(start, found["DURATION"].value, zone)
    elif isinstance(start, datetime) and isinstance(end, datetime):
        end = _beside(start, zone, end, zone_of(found["DTEND"]))
    fields = {"title": texts["SUMMARY"], "start": start, "end": end, "time_zone": zone}
    fields |= {"location": texts.get("LOCATION"), "description": texts.get("DESCRIPTION"), "url": texts.get("URL")}
    mail = re.fullmatch("mailto:(.+)", texts.get("ORGANIZER", ""), re.IGNORECASE)
    fields |= {"organizer": mail[1] if mail else None, "compact": text[:12].upper() == "BEGIN:VEVENT"}
    return fields | (_read_rule(found["RRULE"].value, start, zone) if "RRULE" in found else {})


def zone_named(text: str) -> ZoneInfo | None:
    """Return the time zone that a calendar names: IANA's or Outlook's name, or a path that ends with IANA's."""
    zone = zone_or_none("/".join(text.split("/")[-2:]) if text.startswith("/") else text)
    if zone is None and text.endswith("Time"):
        from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON  # takes long to load

        zone = zone_or_none(WINDOWS_TO_OLSON.get(text, ""))
    return zone


def zone_of(line: Line) -> str | None:
    """Return the time zone of a line: IANA's name if it is known, or else the name as it is written."""
    match = re.search('TZID="?([^;"]+)', line.about, re.IGNORECASE)
    zone = zone_named(match[1]) if match else None
    return zone.key if zone else match and match[1]


def _beside(start: datetime, zone: str | None, end: datetime, own: str | None) -> datetime:
    """Convert the end of an event to the time zone of its start; a flight may end in another one."""
    ours, theirs = (moment.tzinfo or zone_or_none(name or "") for moment, name in ((start, zone), (end, own)))
    if not ours or not theirs or ours == theirs:
        return end
    with suppress(OverflowError):
        end = end.replace(tzinfo=theirs).astimezone(ours)
    return end if start.tzinfo else end.replace(tzinfo=None)


def _read_rule(rule: str, start: date, zone: str | None) -> dict[str, Any]:
    """Return the fields of a recurrence rule; {} if they cannot express it, such as "every first Friday"."""
    parts = dict(part.partition("=")[::2] for part in rule.upper().split(";") if part)
    repeat = parts.pop("FREQ", "").lower()
    numbers = {name: parts.pop(key) for name, key in (("every", "INTERVAL"), ("count", "COUNT")) if key in parts}
    fields: dict[str, Any] = {"repeat": repeat}
    fields |= {name: int(text) for name, text in numbers.items() if re.fullmatch("[0-9]{1,6}", text)}
    if "UNTIL" in parts:
        fields["until"] = last_day_of(parts.pop("UNTIL"), zone)
    if repeat == "weekly" and "BYDAY" in parts:
        fields["weekdays"] = tuple(parts.pop("BYDAY").split(","))
    # The day on which weeks begin matters only if some are left out, and an event is on several days of the others.
    if "every" not in numbers or len(fields.get("weekdays", ())) < 2 or parts.get("WKST") == "MO":
        parts.pop("WKST", None)
    # An event is on the day of its start, whether or not the rule says so.
    own = {"BYMONTHDAY": f"{start.day}"} | ({"BYMONTH": f"{start.month}"} if repeat == "yearly" else {})
    if repeat == "monthly" or "BYMONTH" in parts:
        parts = {name: value for name, value in parts.items() if value != own.get(name)}
    is_whole = not parts and len(fields) == 1 + len(numbers) + ("until" in fields) + ("weekdays" in fields)
    is_read = fields.get("until", start) and set(fields.get("weekdays", ())) <= set(WEEKDAYS)
    return fields if is_whole and is_read and repeat in get_args(Frequency) else {}


def last_day_of(until: str, zone: str | None) -> date | None:
    """Return the day on which a rule ends, in the time zone of its event; the rule has it in UTC."""
    moment, known = moment_of(until), zone_or_none(zone or "")
    if not isinstance(moment, datetime):
        return moment
    with suppress(OverflowError):
        moment = moment.astimezone(known) if known and moment.tzinfo else moment
    return moment.date()
