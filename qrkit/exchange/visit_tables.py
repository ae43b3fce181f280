"""Read visits that were counted elsewhere from tables: one row per visit, or counts per day.

Columns are recognized by the names in `NAMES`, which services give them in their exports: Shlink (`NormalizedVisit` of
shlink-web-component, and `GET /short-urls/{code}/visits`), YOURLS (its table `log`), Dub (its export of events), Bitly
(`GET /bitlinks/{bitlink}/clicks`), and tables of Google Analytics, Matomo, Plausible and Umami with a day, a path or a
UTM parameter, and a number.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import starmap
from typing import Annotated, Any, get_args

from qrkit.design.limits import Latitude, Longitude, Whole, Within, read_whole
from qrkit.errors import Door, InvalidParameter, UnreadableFile, one_of
from qrkit.exchange import foreign
from qrkit.exchange.access_logs import REDIRECTS
from qrkit.exchange.columns import HEADINGS, NO, YES, column_pair, read_count
from qrkit.exchange.foreign import plain_name
from qrkit.exchange.local_dates import UNCLEAR, LocalDates
from qrkit.exchange.locating import place_of
from qrkit.exchange.marked_cells import without_words
from qrkit.exchange.sheets import Sheet
from qrkit.model import Model, plain
from qrkit.store.questions.local_time import YEARS
from qrkit.tracking.countries import country_code, country_code_of, is_country
from qrkit.tracking.records import KINDS_OF_VISITS, Via
from qrkit.tracking.referrers import DIRECT, tidy_referrer
from qrkit.tracking.times import from_table

MOST_SCANS = 1_000_000
"""Visits of one file, counts included."""
TEXTS = (
    "kind", "content", "user_agent", "language", "visitor", "region", "city", "latitude", "longitude", "via", "lot",
    "serial", "link_type", "variant",
)  # fmt: skip
"""What a column holds that is kept as it is written."""


@cache
def _plain(name: str) -> str:
    """Return a plain name that keeps the dots of nested objects: `link.clicks` does not count visits of the row."""
    return ".".join(map(plain_name, name.split(".")))


CERTAIN = ("shortcode", "visitedurl", *foreign.SHORT_URLS, "slug", "keyword", "2path", "propertiescurrenturl")
"""Plain names of columns of short codes that need no column of counts beside them."""
NAMES: dict[str, tuple[str, ...]] = {what: (what,) for what in TEXTS}
NAMES |= {what: tuple(names) for what, names in HEADINGS["visits"].items()}
NAMES |= {"short_code": (*CERTAIN, *NAMES["short_code"]), "count": ("count", *foreign.COUNTS, *NAMES["count"])}
"""What a column holds, and its names in files, compared by letters and digits; the first one in a file is read."""
_PLAIN = {what: tuple(map(_plain, names)) for what, names in NAMES.items()}
KEPT = ("short_code", "time", "count", "event")
"""What must not be empty, or where a word for no value is a word of its own."""
UTM: dict[str, str] = HEADINGS["utm"]
"""The parameters of addresses that columns hold, by their plain names."""
SERVICES = {service: frozenset(names) for service, names in HEADINGS["visits_of"].items()}
"""Plain names that the exports of a service have."""
_PATTERNS: dict[str, str] = HEADINGS["patterns"]
_MAY_COUNT = re.compile(_PATTERNS["may_count"])
TIME_ZONES = frozenset(HEADINGS["words"]["time_zone"])
_ZONE_IN = re.compile(_PATTERNS["zone"])
_WITH_OFFSET = re.compile(
    r".*[:.h][0-9.,]+ ?(?:[ap]\.?m\.? ?)?(?:Z|(?:UTC|GMT)?[+-][0-9]{2}:?[0-9]{2}|UTC|GMT)(?: \(.*\))?|[0-9.]+",
    re.IGNORECASE,
)
"""A time with an offset, or seconds since 1970; the year of a date such as 31-12-2024 is no offset."""
_CLOCK = re.compile(r"[0-9]{1,2}[:.][0-9]{2}([:.][0-9]{2})?( ?[ap]\.?m\.?)?", re.IGNORECASE)
_HOUR_OF_DAY = re.compile("[01]?[0-9]|2[0-3]")
_HOUR = re.compile(r"(20[0-9]{2})(0[1-9]|1[0-2])([0-3][0-9])([0-2][0-9])")
_DAY = re.compile(r"([0-9]{4})-?([0-9]{2})-?([0-9]{2})")
_CLOCK_IN = re.compile(r"[T ][0-9]{1,2}[:.h][0-9]{2}|[0-9]{9,}|[0-9] ?[ap]\.?m", re.IGNORECASE)
_AT_MIDNIGHT = re.compile(r"[T ]00:00(:00(\.0+)?)?(?![:.0-9])")
_EVENTS, _OTHER_EVENTS = (re.compile(_PATTERNS[what], re.IGNORECASE) for what in ("visits", "other_events"))
_OF_COUNTRY = re.compile(r"^([A-Z]{2})(?:-[A-Z0-9]{1,3})?$")
"""The code of a country, or of a part of it, as AR-Q of Argentina (ISO 3166-2)."""
_VERBS = frozenset({"HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"})


@dataclass(slots=True)
class ScanTable:
    """The visits of a file: their fields under the names of `Scans.insert`, and their row numbers.

    `short_code` is as it was written, or a UTM parameter, which `utm` then names. Issues have the number of a row that
    was left out or changed, or 0 for the whole file. `service` is the one whose headings the file has, or "".
    `bots_said` counts the visits that the file calls bots; None if it does not say.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    issues: list[tuple[int, str]] = field(default_factory=list)
    service: str = ""
    bots_said: int | None = None
    utm: str = ""


class _Numbers(Model):
    """The fields of a visit that are numbers."""

    visitor: Annotated[Whole, Within(0, 2**64 - 1, "(64 bits)")] | None = None
    latitude: Latitude | None = None
    longitude: Longitude | None = None


def holds_scans(heading: Iterable[str]) -> bool:
    """Return whether a table has visits instead of QR Codes, by its heading."""
    titles = [*heading]
    places = _places(titles)
    has_codes = "content" in places or foreign.tool_of(titles) is not None
    is_of_visits = any(what in places for what in ("user_agent", "referrer", "bot", "kind"))
    code = plain_name(titles[places["short_code"]]) if "short_code" in places else ""
    is_count = code in CERTAIN or ("count" in places and code not in ("", "url"))
    # A number a day, and nothing else, is the history of one link.
    is_count |= "count" in places and len(places) == len(titles)
    return "time" in places and (
        (is_of_visits and "short_code" in places) or (not has_codes and (is_of_visits or is_count))
    )


def share_of_visits(cells: Sequence[str]) -> float:
    """Return how many columns of a table of visits a row names, if they are a time and more; see `Share`."""
    places = _places(cells)
    return len(places) if len(places) > 1 and "time" in places else len(places) / 100


def scan_table(sheet: Sheet, columns: Mapping[str, str] | None = None, *, code: str = "") -> ScanTable:
    """Read the visits of a sheet; a row that cannot be read becomes an issue.

    `columns` maps names of `NAMES` to other names in the file; `code` is the short code of all visits, for a file that
    does not say it.
    """
    places = _places_in(sheet, columns or {}, code)
    title = "" if code else plain_name(sheet.heading[places["short_code"]])
    service = next((one for one, known in SERVICES.items() if known <= {*map(plain_name, sheet.heading)}), "")
    table = ScanTable(
        utm=UTM.get(title, ""), service=service, bots_said=0 if {"bot", "human"} & places.keys() else None
    )
    table.issues += [(0, issue.detail) for issue in sheet.issues]
    times = [_time_of(row, places) for row in sheet.rows if not isinstance(row, UnreadableFile)]
    table.issues += _zone_issues(sheet.heading, sheet.heading[places["time"]], times)
    dates = LocalDates(lambda: times)
    # A single count at midnight may be that of the first hour, not of the day.
    are_days = len({*times}) > 1 and all(not _CLOCK_IN.search(time) or _AT_MIDNIGHT.search(time) for time in times)
    other = Counter[str]()
    for number, cells in zip(sheet.numbers, sheet.rows, strict=True):
        try:
            if isinstance(cells, UnreadableFile):
                raise cells
            row = dict(without_words({what: cells[place].strip() for what, place in places.items()}, KEPT.__contains__))
            row["time"] = _time_of(cells, places)
            if what := _what_is_no_visit(row):
                other[what] += 1
                continue
            is_day = "count" in row and (are_days or not _CLOCK_IN.search(row["time"]))
            row |= {"short_code": code or row["short_code"]}
            visit, count = _visit(row, number, table, _moment(row["time"], dates, is_day=is_day))
        except (InvalidParameter, UnreadableFile, ValueError) as error:
            table.issues.append((number, str(error)))
            continue
        if len(table.rows) + count > MOST_SCANS:
            raise UnreadableFile(f"the file has more than {MOST_SCANS:,} visits; split it", line=number)
        if table.bots_said is not None:
            table.bots_said += count * (visit.get("kind") == "bot")
        table.rows += [visit] * count
        table.numbers += [number] * count
    table.issues += _count_issues(sheet.heading, places, table.rows) if "count" in places else []
    table.issues += [
        (0, f"rows with {what} are not visits, and were left out: {count:,}") for what, count in other.items()
    ]
    return table


def _zone_issues(heading: Sequence[str], title: str, times: Sequence[str]) -> list[tuple[int, str]]:
    """Return an issue if the file names a time zone, in a column or in the title of the times, and times need one."""
    found = _ZONE_IN.search(title)
    zone = next((one for one in heading if plain_name(one) in TIME_ZONES), title if found and not found["utc"] else "")
    rule = f"the time zone in {zone!r} was not read: times without an offset, such as +02:00, are read in UTC"
    return [(0, rule)] if zone and not all(map(_WITH_OFFSET.fullmatch, times)) else []


def _count_issues(
    heading: Sequence[str], places: Mapping[str, int], visits: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[int, str]]:
    """Yield issues for columns that change what the counts mean, and for counts of weeks or months."""
    counted = heading[places["count"]]
    unread = [(title, plain_name(title)) for place, title in enumerate(heading) if place not in places.values()]
    for pattern, rule in (
        (_PATTERNS["bots"], f"if {counted!r} includes bots, these count as scans"),
        (_PATTERNS["sampled"], f"if {counted!r} was counted in a sample, there were more visits"),
        ("|".join(map(re.escape, _PLAIN["count"])), f"the visits were counted from {counted!r}"),
    ):
        if found := [title for title, plain in unread if re.fullmatch(pattern, plain)]:
            yield 0, f"{found[0]!r} was not read: {rule}"
    days = {datetime.fromisoformat(visit["time"]).date() for visit in visits}
    if len(days) > 1 and {day.day for day in days} == {1}:
        yield 0, "all counts are on the first day of a month; if they are for months, other days have no visits"
    elif len(days) > 2 and len({day.weekday() for day in days}) == 1:
        yield 0, "all counts are on the same weekday; if they are for weeks, other days have no visits"


def _what_is_no_visit(row: Mapping[str, str]) -> str:
    """Return the field of a row that says that the row is not a visit, and its value; "" if none does."""
    event, method, status = (row.get(what, "") for what in ("event", "method", "status"))
    if not _EVENTS.fullmatch(event):
        return f"event={event!r:.60}"
    if method.upper() in _VERBS:
        return f"method={method!r}"
    return f"status={status!r}" if foreign.HTTP_STATUS.fullmatch(status) and status not in REDIRECTS else ""


def _places_in(sheet: Sheet, columns: Mapping[str, str], code: str) -> dict[str, int]:
    """Return the place of each column that is read; a column of events is read only if it has a known word."""
    places = _places(sheet.heading)
    for what, name in columns.items():
        places[one_of("columns", what, NAMES)] = place_of(sheet.heading, str(name), f"columns.{what}")
    missing = [what for what in ("short_code", "time") if what not in places and not (code and what == "short_code")]
    if missing:
        raise _missing(missing[0], sheet)
    if not columns and "count" not in places:
        _check_no_counts(sheet, places)

    def texts_of(what: str) -> set[str]:
        return {row[places[what]].strip() for row in sheet.rows if not isinstance(row, UnreadableFile)} - {""}

    if "event" in places:
        known = {event for event in texts_of("event") if _EVENTS.fullmatch(event) or _OTHER_EVENTS.fullmatch(event)}
        if not known or (known <= {"1", "2"} and plain_name(sheet.heading[places["event"]]) != "eventtype"):
            del places["event"]
    title = sheet.heading[places["country"]] if "country" in places.keys() - columns.keys() else ""
    codes = texts_of("country") if plain_name(title) == "location" else set()  # which may as well be towns
    if not all(is_country(_OF_COUNTRY.sub(r"\1", text)) or text.lower() in DIRECT for text in codes):
        del places["country"]
    return places


def _places(heading: Iterable[str]) -> dict[str, int]:
    """Return the place of each column that is read."""
    titles = [_plain(_ZONE_IN.sub("", title)) for title in heading]
    found = {what: [name for name in names if name in titles] for what, names in _PLAIN.items()}
    places = {what: titles.index(names[0]) for what, names in found.items() if names}
    if places.get("date") == places.get("time"):
        places.pop("date", None)
    return places


def _time_of(cells: Sequence[str], places: Mapping[str, int]) -> str:
    """Return the time of a row, with the date that stands in a column of its own."""
    text = cells[places["time"]].strip()
    if _HOUR_OF_DAY.fullmatch(text):
        text = f"{int(text):02}:00"
    if "date" in places and (not text or _CLOCK.fullmatch(text)):
        return f"{cells[places['date']]} {text}".strip()
    return text


def _check_no_counts(sheet: Sheet, places: Mapping[str, int]) -> None:
    """Check that none of the columns that are not read may say how often each row counts."""
    titles = (title for place, title in enumerate(sheet.heading) if place not in places.values())
    if name := next((title for title in titles if _MAY_COUNT.fullmatch(_plain(title.partition(" (")[0]))), ""):
        rule = f"{name!r} may say how often each row counts, and no other column does"
        columns = {what: sheet.heading[places[what]] for what in ("short_code", "time") if what in places}
        columns["count"] = name
        advice: dict[Door, str] = {
            "command": f"name the columns: --columns {shlex.quote(','.join(starmap(column_pair, columns.items())))}",
            "python": f"Name the columns: columns={columns}.",
        }
        raise UnreadableFile(f"{rule}; without counts, each row is one visit", line=1).advising(advice)


def _missing(what: str, sheet: Sheet) -> UnreadableFile:
    """Return the error of a table of visits without short codes or times."""
    titles = "\n".join(sheet.heading)
    rules = HEADINGS["no_visits"] | (HEADINGS["no_times"] if what == "time" else {})
    if known := next((known for rule, known in rules.items() if re.search(rule, titles)), ""):
        return UnreadableFile(f"the file is {known}", line=1)
    words = {"short_code": "a short code or short URL for each visit", "time": "the time of each visit"}[what]
    example = "short_code=Link,time=When"
    advice: dict[Door, str] = {
        "command": f"name the columns: --columns {example}" + (", or pass --code CODE" if what == "short_code" else ""),
        "python": f"Name the columns: columns={{{what!r}: …}}" + (", or pass code=…." if what == "short_code" else "."),
    }
    there = ", ".join(repr(title[:60]) for title in sheet.heading[:8])
    return UnreadableFile(f"the table has visits, but not {words}; it has {there}", line=1).advising(advice)


def _visit(row: Mapping[str, str], number: int, table: ScanTable, moment: str) -> tuple[dict[str, Any], int]:
    """Return the visit of a row, and how often it counts; raise ValueError if a cell cannot be read."""
    if not row["short_code"]:
        raise ValueError("has no short code")
    visit: dict[str, Any] = {"short_code": row["short_code"], "time": moment}
    visit |= {what: row[what] for what in TEXTS if row.get(what)}
    for what, of_bots in (("bot", YES | {"bot"}), ("human", NO | {"bot"})):
        word = row.get(what, "").lower()
        if what == "bot" and table.service == "GoatCounter":  # 1 is for visitors whom nothing makes bots
            word = "no" if word in ("", "0", "1") else "yes"
        if word in of_bots:
            visit["kind"] = "bot"
        elif word not in ("", "human", *YES, *NO):
            table.issues.append((number, f"{what}={row[what]!r:.60} is neither yes nor no, and was not read"))
    if referrer := tidy_referrer(row.get("referrer", "")):
        visit["referrer"] = referrer
    if (country := _OF_COUNTRY.sub(r"\1", row.get("country", ""))).lower() not in DIRECT:
        visit["country"] = country_code_of(country) or country_code(country)
        if not visit["country"]:
            table.issues.append((number, f"country={country!r:.60}: is not known, and was left out"))
    return _checked(visit), read_count(row["count"], "count") if "count" in row else 1


def _checked(visit: dict[str, Any]) -> dict[str, Any]:
    """Return a visit with its numbers, after checking all fields that are not just texts."""
    for what, words in (("kind", KINDS_OF_VISITS), ("via", get_args(Via))):
        if what in visit:
            one_of(what, visit[what], words)
    numbers = {what: visit[what] for what in _Numbers.model_fields if what in visit}
    if (visitor := read_whole(visit.get("visitor", ""))) is not None:
        numbers["visitor"] = visitor
    return visit | plain(_Numbers.from_fields(numbers), only_set=True) if numbers else visit


def _moment(text: str, dates: LocalDates, *, is_day: bool) -> str:
    """Return a time in ISO 8601, noon in UTC for the count of a day; raise ValueError unless it is a likely time."""
    try:
        moment = _read_moment(text, dates, is_day=is_day)
    except InvalidParameter:
        raise  # it names the field
    except (ValueError, OverflowError, OSError) as error:
        raise ValueError(f"time={text!r:.60}: {error}") from error
    if not YEARS[0] <= moment.year <= YEARS[1]:
        raise ValueError(f"time={text!r:.60}: is not in the years {YEARS[0]} to {YEARS[1]}")
    return moment.isoformat()


def _read_moment(text: str, dates: LocalDates, *, is_day: bool) -> datetime:
    if day := _DAY.fullmatch(text):
        return datetime(int(day[1]), int(day[2]), int(day[3]), 12 * is_day, tzinfo=UTC)
    if hour := _HOUR.fullmatch(text):
        return datetime(int(hour[1]), int(hour[2]), int(hour[3]), int(hour[4]), tzinfo=UTC)
    if (written := dates.read(text)) is None and dates.is_unclear(text):
        raise ValueError(UNCLEAR)
    return (written or from_table(text, "time")) + timedelta(hours=12 * is_day)
