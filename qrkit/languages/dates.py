"""Writes dates, periods, months and weekdays as the language of the context does.

Babel would write English dates with the month first; reports for readers everywhere have the day first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache

from qrkit.errors import extra
from qrkit.languages.choosing import LanguageTag, current_language
from qrkit.languages.sentences import say

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def full_date(day: date) -> str:
    """Format a date in full, such as Saturday, 13 June 2026."""
    return _write(day, "full")


def long_date(day: date, *, year: bool = False) -> str:
    """Format a date like 13 June, or 13 June 2026."""
    return _write(day, "long" if year else "MMMMd")


def short_date(day: date, *, year: bool = False) -> str:
    """Format a date like 13 Jun, or 13 Jun 2026."""
    return _write(day, "yMMMd" if year else "MMMd")


def plain_date(day: date) -> str:
    """Format a date in digits, like 2026-06-13 or 13.06.2026."""
    return _write(day, "medium")


def month_and_year(day: date) -> str:
    """Format a month like Jun 2026."""
    return _write(day, "yMMM")


def month_name(day: date) -> str:
    """Return the name of a month, such as June."""
    return _write(day, "LLLL")


def short_month(day: date) -> str:
    """Return the short name of a month, such as Jun."""
    return _write(day, "LLL")


def short_months() -> list[str]:
    """Return the short names of all months."""
    return [short_month(date(2026, month, 1)) for month in range(1, 13)]


def weekday_name(number: int) -> str:
    """Return the name of a weekday, 1 (Monday) to 7 (Sunday)."""
    return _write(date(2024, 1, number), "cccc")  # 1 January 2024 was a Monday


def short_weekday(number: int) -> str:
    """Return the short name of a weekday, 1 (Mon) to 7 (Sun)."""
    return _write(date(2024, 1, number), "ccc")


def period_text(first: date, last: date) -> str:
    """Format the days of a period as briefly as is clear, with an en dash: 1-30 June 2026, 28 May - 3 June 2026."""
    if (first.year, first.month) == (last.year, last.month):
        start = _write(first, "d")
        return say("{start}\N{EN DASH}{end}", start=start, end=long_date(last, year=True))
    start = long_date(first, year=first.year != last.year)
    return say("{start} \N{EN DASH} {end}", start=start, end=long_date(last, year=True))


ENGLISH: Mapping[str, Callable[[date], str]] = {
    "full": lambda day: f"{WEEKDAYS[day.weekday()]}, {ENGLISH['long'](day)}",
    "long": lambda day: f"{ENGLISH['MMMMd'](day)} {day.year}",
    "MMMMd": lambda day: f"{day.day} {MONTHS[day.month - 1]}",
    "MMMd": lambda day: f"{day.day} {MONTHS[day.month - 1][:3]}",
    "yMMMd": lambda day: f"{ENGLISH['MMMd'](day)} {day.year}",
    "yMMM": lambda day: f"{MONTHS[day.month - 1][:3]} {day.year}",
    "LLLL": lambda day: MONTHS[day.month - 1],
    "LLL": lambda day: MONTHS[day.month - 1][:3],
    "cccc": lambda day: WEEKDAYS[day.weekday()],
    "ccc": lambda day: WEEKDAYS[day.weekday()][:3],
    "d": lambda day: str(day.day),
    "medium": lambda day: f"{day:%Y-%m-%d}",
}
"""How English writes each shape of a date, by its name in CLDR."""

SKELETONS = ("MMMMd", "MMMd", "yMMMd", "yMMM")
"""Shapes whose parts each language puts in its own order."""


def _write(day: date, shape: str) -> str:
    language = current_language()
    # Charts have thousands of labels with times of a few years.
    return ENGLISH[shape](day) if language == "en" else _translated(language, date(day.year, day.month, day.day), shape)


@cache
def _translated(language: LanguageTag, day: date, shape: str) -> str:
    with extra("statistics"):
        from babel.dates import format_date, format_skeleton
    if shape in SKELETONS:
        text = format_skeleton(shape, day, locale=language)
    else:
        text = format_date(day, shape, locale=language)
    # CLDR has no ordinal for the first of a month, which French needs: 1er juin.
    return re.sub(r"\b1(?= \D|$)", "1er", text) if language == "fr" and day.day == 1 else text
