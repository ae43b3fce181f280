"""Sets the scans of each hour of the day against how many hours places were open then.

Most shops are scanned at noon and never at night, because they are closed. A field of each QR Code says when its place
is open, as OpenStreetMap writes it: `Mo-Fr 09:00-18:00; Sa 10:00-14:00`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from math import nan
from typing import NamedTuple

import numpy as np
import pandas as pd

from qrkit.analytics.daily_spread import begin_within, beginnings, check_share, on_each_day, whole_days
from qrkit.analytics.exposure.units import CodeOf, codes_with
from qrkit.analytics.rate_intervals import rate_interval
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.store.questions.local_time import local_time
from qrkit.store.questions.time_zones import stretches_of
from qrkit.tracking.text_columns import frame_of

WEEKDAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
DAYS = rf"(?:{'|'.join(WEEKDAYS)})(?:-(?:{'|'.join(WEEKDAYS)}))?"
TIME = r"(?:[01]?\d|2[0-4])(?::[0-5]\d)?"
RULE = re.compile(rf"(?:({DAYS}(?:\s*,\s*{DAYS})*)\s+)?({TIME}\s*-\s*{TIME}(?:\s*,\s*{TIME}\s*-\s*{TIME})*|off)")
MIDNIGHT = 24 * 60
"""In minutes."""
TYPES = {"hour": "int64", "hours": "float64", "scans": "int64", "closed_scans": "int64"}
TYPES |= dict.fromkeys(("rate", "low", "high"), "float64") | {"reason": "str"}

BY_HOUR = """
, spans AS (
    SELECT unnest($ids::VARCHAR[]) AS id, unnest($days::INTEGER[]) AS weekday, unnest($starts::INTEGER[]) AS start,
        unnest($ends::INTEGER[]) AS ending
), timed AS (SELECT qrcode_id, {local} AS local FROM lean)
SELECT
    qrcode_id, local::DATE AS day, hour(local) AS hour, count(*) AS scans,
    count(*) FILTER (EXISTS (
        SELECT 1 FROM spans s WHERE s.id = qrcode_id AND s.weekday = isodow(local) - 1
        AND hour(local) * 60 + minute(local) >= s.start AND hour(local) * 60 + minute(local) < s.ending
    )) AS open
FROM timed GROUP BY ALL
"""


class Span(NamedTuple):
    """Minutes of a weekday (0 for Monday) in which a place is open."""

    weekday: int
    start: int
    end: int


def scans_by_open_hour(scans: Scans, field: str, *, level: float = 0.95) -> pd.DataFrame:
    """Return the scans of each hour of the day per hour that a place was open: 24 rows.

    A place that is closed at night has no scans then, which says nothing about the night. Here each hour of the day is
    relative to how long the places of the QR Codes were open in it, so that a quiet morning can be told from a late
    opening. A code counts as in `scans_per_unit`.

    Columns: hour (int64, 0..23, in the view's time zone), hours (float64, how long places were open in this hour of the
    day, in sum over codes and days), scans (int64, while open), closed_scans (int64, in this hour while closed), rate,
    low, high (float64, scans per open hour of one place, and an interval for the true rate), reason (str, why there is
    no interval, or empty). Without an interval, its ends are missing; rate is missing where no place was open.

    Args:
        scans: The view. Only its whole days count; without `until`, those until yesterday.
        field: Name of a field of QR Codes with opening hours: `09:00-18:00`, or by weekday and with a break
            `Mo-Fr 09:00-12:30, 14-18; Sa 10:00-14:00; Su off`. A later rule replaces an earlier one for its weekdays.
            Codes without a value are left out.
        level: Probability that an interval contains the true rate, above 0 and below 1.

    Raises:
        InvalidParameter: If no code has the field, if a value cannot be read, if `level` is out of range, or if the
            view has fewer than 2 whole days.
    """
    level, codes = check_share("level", level), codes_with(scans, field, None)
    spans = {id: _spans(field, code) for id, code in codes.items()}
    ((first, last),) = whole_days([scans], to_now=True)
    view = scans.where(since=first, until=last, qrcode_id=list(codes))
    days, begins = list(on_each_day({}, (first, last), view.zone)), beginnings(view)
    starts = [begin_within(begins.get(id, code.created + timedelta(days=1)), first) for id, code in codes.items()]
    is_there = np.array([[start <= day for start in starts] for day in days], dtype="float64")
    open_at = np.stack([_hours(own) for own in spans.values()])  # codes x weekdays x hours
    hours = np.stack([here @ open_at[:, day.weekday()] for here, day in zip(is_there, days, strict=True)])
    places, by_id = {day: place for place, day in enumerate(days)}, dict(zip(codes, starts, strict=True))
    counted = np.zeros((2, len(days), 24), dtype="int64")  # all scans, and those while open
    for id, moment, hour, *numbers in _asked(view, spans).itertuples(index=False):
        if moment.date() >= by_id[id]:
            counted[:, places[moment.date()], hour] += numbers
    rows = []
    for hour in range(24):
        exposures = {day: float(hours[place, hour]) for day, place in places.items() if hours[place, hour]}
        each = {day: int(counted[1, places[day], hour]) for day in exposures}
        found, total, number = rate_interval(each, level, exposures=exposures), hours[:, hour].sum(), sum(each.values())
        closed = int(counted[0, :, hour].sum()) - number
        rows.append(
            (hour, total, number, closed, number / total if total else nan, found.low, found.high, found.reason)
        )
    return frame_of(rows, TYPES)


def _asked(view: Scans, spans: Mapping[str, Sequence[Span]]) -> pd.DataFrame:
    """Return the scans of each QR Code by day and hour, all of them and those while its place was open."""
    flat = [(id, *span) for id, own in spans.items() for span in own]
    ids, days, starts, ends = (list(column) for column in zip(*flat, strict=True)) if flat else ([], [], [], [])
    local = local_time(stretches_of(view))
    return view.ask(BY_HOUR.format(local=local), ids=ids, days=days, starts=starts, ends=ends)


def _spans(field: str, code: CodeOf) -> list[Span]:
    """Read opening hours."""
    by_day: dict[int, list[Span]] = {}
    for rule in filter(None, (part.strip() for part in code.value.split(";"))):
        found = RULE.fullmatch(rule)
        if not found:
            allowed = f"must be opening hours such as 'Mo-Fr 09:00-18:00; Sa 10:00-14:00' (QR Code {code.name!r})"
            raise InvalidParameter(Problem(field, code.value, allowed))
        weekdays = _weekdays(found[1]) if found[1] else list(range(7))
        by_day |= {day: [] for day in weekdays}
        for times in found[2].split(",") if found[2] != "off" else ():
            start, end = map(_minutes, times.split("-"))
            for day in weekdays:
                by_day[day] += [Span(day, start, end if end > start else MIDNIGHT)]
                if end <= start:  # over midnight
                    by_day.setdefault(7 + (day + 1) % 7, []).append(Span((day + 1) % 7, 0, end))
    return [span for own in by_day.values() for span in own]


def _weekdays(text: str) -> list[int]:
    found = []
    for part in text.split(","):
        first, last = (WEEKDAYS.index(name.strip()) for name in (part.split("-")[0], part.split("-")[-1]))
        found += [day % 7 for day in range(first, last + 1 if last >= first else last + 8)]
    return found


def _minutes(text: str) -> int:
    hour, _, minute = text.strip().partition(":")
    return 60 * int(hour) + int(minute or 0)


def _hours(spans: Sequence[Span]) -> np.ndarray:
    """Return the share of each weekday and hour in which a place is open: 7 x 24, 0..1."""
    minutes = np.zeros((7, MIDNIGHT))
    for span in spans:
        minutes[span.weekday, span.start : span.end] = 1
    shares: np.ndarray = minutes.reshape(7, 24, 60).mean(axis=2)
    return shares
