"""Read dates as spreadsheets write them in most countries, with months in figures or words of some languages.

Such dates are 31.12.2025 14:30, 12/31/2025 2:30 PM, Dec 31, 2025, and 31 décembre 2025. Years of two digits are read up
to 68, because later ones may be of the last century.

Between slashes or hyphens, 03/04 is in March or in April, and 25/12/31 may begin with the year. The other dates of the
file tell: 12/31 cannot begin with a day, 5/13/25 not with the year. If none tells, such a date is not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property

from qrkit.exchange.columns import HEADINGS

_TIME = (
    r"(?:,?[ T]+(?:(?:at|um|à|om|alle|kl\.?|a las) )?(?P<hour>[0-9]{1,2})[:.h](?P<minute>[0-9]{2})"
    r"(?:[:.](?P<second>[0-9]{2})(?:[.,](?P<part>[0-9]+))?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?(?: ?(?:UTC|GMT)?(?P<offset>[+-][0-9]{2}:?[0-9]{2})(?: \([^()]*\))?)?)?"
    r"(?: ?(?:UTC|GMT|Z|Uhr))?"
)
_NUMBERS = {
    name[:length]: number
    for length in (3, 4, None)
    for names in HEADINGS["words"]["months"]
    for number, name in enumerate(names.split(), start=1)
    if name[:length] != "jui"  # of June or July, in French
} | {"mrz": 3, "mrt": 3, "jänner": 1, "jän": 1}
"""The numbers of months by their names and what these begin with; no beginning is of two months."""
_MONTH = rf"(?P<name>{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\.?"
_NTH = r"(?:\.|st|nd|rd|th|er|º)?"
_YEAR = "(?P<year>[0-9]{4}|[0-5][0-9]|6[0-8])"
_SINCE_1970 = re.compile(r"([1-9][0-9]{8,9})(?:\.[0-9]+|(?:[0-9]{3}){1,3})?")
"""Seconds since 1970, from 1973 on, or thousandths, millionths or billionths of them."""
UNCLEAR = "may be read in several ways, and the other dates of the file do not tell which; write it as 2026-12-31"


class LocalDates:
    """Reads the dates of a file; `texts` returns all of them, and is called if one is not clear by itself."""

    def __init__(self, texts: Callable[[], Iterable[str]] = tuple) -> None:
        self._texts = texts

    def read(self, text: str) -> datetime | None:
        """Return a date in UTC; None if the text is none, or if it is not clear which number is the month."""
        if seconds := _SINCE_1970.fullmatch(text):
            return datetime.fromtimestamp(int(seconds[1]), UTC)
        parts = _parts(text)
        if "one" in parts:
            if self._is_unclear(parts):
                return None
            first, second = ("day", "month") if parts["between"] == "." or self._day_first else ("month", "day")
            parts |= {first: parts["one"], second: parts["two"]}
        try:
            return _moment(parts) if parts else None
        except (ValueError, OverflowError):  # in UTC, it may be before the year 1 or after 9999
            return None

    def is_unclear(self, text: str) -> bool:
        """Return whether a text is a date whose day, month and year the file does not tell apart."""
        return "one" in (parts := _parts(text)) and self._is_unclear(parts)

    def _is_unclear(self, parts: Mapping[str, str]) -> bool:
        may_begin_with_year = len(parts["year"]) == 2 and parts["between"] not in self._before_years
        is_told = parts["between"] == "." or parts["one"] == parts["two"] or self._day_first is not None
        return may_begin_with_year or not is_told

    def read_end(self, text: str) -> datetime | None:
        """Return the last second of a day, and any other date as `read` does."""
        moment, parts = self.read(text), _parts(text)
        return moment + timedelta(days=1, seconds=-1) if moment and parts and "hour" not in parts else moment

    @cached_property
    def _day_first(self) -> bool | None:
        """Whether dates such as 03/04/2025 begin with the day; None if the file does not tell, or tells both."""
        long = [parts for parts in self._in_doubt if len(parts["year"]) == 4 or parts["between"] in self._before_years]
        numbers = [(int(parts["one"]), int(parts["two"])) for parts in long if parts["between"] != "."]
        told = {first > 12 for first, second in numbers if max(first, second) > 12}
        return told.pop() if len(told) == 1 else None

    @cached_property
    def _before_years(self) -> frozenset[str]:
        """What is between the numbers of dates that clearly end with a year of two digits."""
        short = [parts for parts in self._in_doubt if len(parts["year"]) == 2]
        clear = {parts["between"] for parts in short if len(parts["one"]) == 1 or int(parts["two"]) > 12}
        # With dots, hardly anybody begins with the year; if they do, it is the number that changes least.
        first, last = ({parts[name] for parts in short if parts["between"] == "."} for name in ("one", "year"))
        return frozenset(clear | {"."}) if len(first) > len(last) else frozenset(clear)

    @cached_property
    def _in_doubt(self) -> list[dict[str, str]]:
        """The parts of the different dates of the file that do not say which number is the day."""
        return [parts for parts in map(_parts, {*self._texts()}) if "one" in parts]


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    forms = (
        r"(?P<one>[0-9]{1,2})(?P<between>[./-]) ?(?P<two>[0-9]{1,2})(?P=between) ?" + _YEAR,
        r"(?P<year>[0-9]{4})(?P<between>[./-]) ?(?P<month>[0-9]{1,2})(?P=between) ?(?P<day>[0-9]{1,2})\.?",
        "(?P<year>20[0-9]{2})(?P<month>[0-9]{2})(?P<day>[0-9]{2})",
        rf"(?:[a-z]{{3,9}},? )?(?P<day>[0-9]{{1,2}}){_NTH}(?:[ -]| de ){_MONTH}(?:,? |-| de ){_YEAR}",
        rf"(?:[a-z]{{3,9}},? )?{_MONTH} (?P<day>[0-9]{{1,2}}){_NTH},? (?P<year>[0-9]{{4}})",
        r"(?P<year>[0-9]{4})[年년] ?(?P<month>[0-9]{1,2})[月월] ?(?P<day>[0-9]{1,2})[日일]",
    )
    return tuple(re.compile(form + _TIME, re.IGNORECASE) for form in forms)


def _parts(text: str) -> dict[str, str]:
    """Return the parts of a date by their names; none for any other text."""
    tidy = " ".join(text.split())
    found = next(filter(None, (form.fullmatch(tidy) for form in _forms())), None)
    parts = {name: part for name, part in found.groupdict().items() if part} if found else {}
    return parts | {"month": str(_NUMBERS[parts["name"].lower()])} if "name" in parts else parts


def _moment(parts: Mapping[str, str]) -> datetime:
    """Return the date with these parts; raise ValueError if there is none, OverflowError if there is none in UTC."""
    year, month, day, hour, minute, second = (
        int(parts.get(name, "0")) for name in ("year", "month", "day", "hour", "minute", "second")
    )
    year += 2000 if len(parts["year"]) == 2 else 0
    if half := parts.get("half"):
        if not 1 <= hour <= 12:
            raise ValueError
        hour = hour % 12 + 12 * (half.lower() == "p")
    moment = datetime(year, month, day, hour, minute, second, int(f"{parts.get('part', ''):0<6}"[:6]), tzinfo=UTC)
    offset = parts.get("offset", "+0000").replace(":", "")
    away = timedelta(hours=int(offset[1:3]), minutes=int(offset[3:]))
    return moment + away if offset[0] == "-" else moment - away
