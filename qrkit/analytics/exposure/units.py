"""Sets scans against a number that you keep with each QR Code: posters printed, cost, or people who pass in a day.

Such a number is a field of the code, such as `fields={"Posters": "12"}`. A code counts with its units from the day
after its first scan, or, if it was never scanned, from the day after it was created: what hangs there and brings
nothing is part of the answer.

A field can also say when the place of a code is open, as OpenStreetMap writes it: `Mo-Fr 09:00-18:00; Sa 10:00-14:00`.
Most shops are scanned at noon and never at night, because they are closed, so the scans of each hour of the day are set
against how many hours places were open then.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from math import inf, nan
from typing import Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from qrkit.analytics.comparing import Looks, before_and_after
from qrkit.analytics.daily_spread import (
    FEWEST_DAYS,
    TWO_WEEKS,
    begin_within,
    beginnings,
    check_share,
    on_each_day,
    whole_days,
)
from qrkit.analytics.over_time import daily_by
from qrkit.analytics.rate_intervals import FOUR_WEEKS, rate_interval
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.store.questions.local_time import local_time, on_the_clock
from qrkit.store.questions.scan_attributes import FIELD, UNKNOWN, Attribute, Part, check_attribute, group_sql, key_sql
from qrkit.store.questions.time_zones import stretches_of
from qrkit.tracking.text_columns import frame_of

TOTALS = "SELECT qrcode_id, count(*) AS scans FROM lean GROUP BY ALL"
CODES = "SELECT qrcode_id, qrcode_label, {value} AS value, {part} AS part, qrcode_created FROM codes ORDER BY ALL"
UNIT_TYPES = {"part": "str", "codes": "int64", "units": "float64", "scans": "int64", "days": "int64"}
UNIT_TYPES |= dict.fromkeys(("rate", "low", "high"), "float64")
UNIT_TYPES |= dict.fromkeys(("units_per_scan", "units_per_scan_low", "units_per_scan_high"), "float64")
UNIT_TYPES |= {"reason": "str"}
LIFT, PRICES = ([f"{name}{end}" for end in ("", "_low", "_high")] for name in ("extra", "units_per_extra"))
DAY = timedelta(days=1)
MOST = 1e12
MOST_SHOWN = 10
"""The maximum number of fields that an error lists."""
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


class CodeOf(NamedTuple):
    """A QR Code with a value of a field.

    Attributes:
        name: Its name, which is unique.
        value: The value of the field.
        part: The group that it is counted in.
        created: The day on which it was created.
    """

    name: str
    value: str
    part: str
    created: date


def scans_per_unit(
    scans: Scans, field: str, *, by: Attribute | str | None = "qrcode", level: float = 0.95
) -> pd.DataFrame:
    """Return scans per unit of a field, and units per scan: scans per poster, cost per scan. One row per group.

    The field holds a number for each QR Code, such as posters printed, cost in euros, or people who pass in a day. For
    posters and people, read `rate`: scans per unit and day. For a cost, read `units_per_scan`: what a scan has cost.
    The units of a group are the sum of those of its codes. A code counts from the day after its first scan, and one
    without scans from the day after it was created.

    Columns: the name of `by` (str, if given), codes (int64, QR Codes with the field), units (float64, their sum), scans
    (int64, all in the view), days (int64, whole days that count), rate, low, high (float64, scans per unit and day on
    whole days, and its interval as in `rates`), units_per_scan, units_per_scan_low, units_per_scan_high (float64, units
    divided by scans, infinite without scans, and its interval for days like these), reason (str, why there is no
    interval, or empty). Without an interval, its ends are missing.

    Args:
        scans: The view. Intervals are about its whole days; without `until`, those until yesterday.
        field: Name of a field of QR Codes whose values are numbers above 0, such as 12 or 149.90. Codes without a value
            are left out.
        by: campaign, campaign_id, qrcode, qrcode_id, or another field; None for all codes together.
        level: Probability that an interval contains the truth, above 0 and below 1.

    Raises:
        InvalidParameter: If no code has the field, if a value is not a number above 0, if `by` or `level` is invalid,
            or if the view has fewer than 2 whole days.

    Example:
        >>> from datetime import date
        >>> from qrkit import open_portfolio
        >>> from qrkit.analytics import simulate
        >>> with open_portfolio(":memory:") as shop:
        ...     for code, posters in (("tram", "10"), ("shop", "2")):
        ...         record = shop.insert_qrcode("https://example.com", short_code=code, fields={"Posters": posters})
        ...     rates = {"tram": 20.0, "shop": 8.0}
        ...     number = shop.scans.insert(simulate(rates, since=date(2026, 3, 1), days=31))
        ...     march = shop.scans.where(since="2026-03-01", until="2026-04-01")
        ...     scans_per_unit(march, "Posters", by=None)["rate"].round(1).tolist()
        [2.4]
    """
    level, codes = check_share("level", level), _codes_with(scans, field, by)
    units = {id: _number(field, code) for id, code in codes.items()}
    ((first, last),) = whole_days([scans], to_now=True)
    view = scans.where(since=first, until=last, qrcode_id=list(codes))
    begins, counted = beginnings(view), daily_by(view, "qrcode_id")
    starts = {id: begin_within(begins.get(id, code.created + DAY), first) for id, code in codes.items()}
    totals = scans.where(qrcode_id=list(codes)).ask(TOTALS)
    every = dict(zip(totals["qrcode_id"], totals["scans"].tolist(), strict=True))
    rows = []
    for part in sorted({code.part for code in codes.values()}):
        ids = [id for id, code in codes.items() if code.part == part]
        number, total = sum(units[id] for id in ids), sum(every.get(id, 0) for id in ids)
        start = min(starts[id] for id in ids)
        each = on_each_day({}, (min(start, last - FEWEST_DAYS * DAY), last), view.zone)
        exposures = {day: sum(units[id] for id in ids if starts[id] <= day) or number for day in each}
        days = {day: sum(counted.get(id, {}).get(day, 0) for id in ids if starts[id] <= day) for day in each}
        found = rate_interval(days, level, fewest=TWO_WEEKS if start > first else FOUR_WEEKS, exposures=exposures)
        rate, price = sum(days.values()) / sum(exposures.values()), number / total if total else inf
        ends = (price * rate / end for end in (found.high, found.low))
        rows.append((part, len(ids), number, total, len(days), rate, found.low, found.high, price, *ends, found.reason))
    frame = frame_of(rows, UNIT_TYPES)
    return frame.rename(columns={"part": by}) if by else frame.drop(columns="part")


def lift_per_unit(
    scans: Scans,
    change: date | str,
    field: str,
    *,
    control: Scans | Literal["last year"] | None = None,
    level: float = 0.95,
    looks: Looks = "once",
    without: Collection[date] = (),
) -> pd.DataFrame:
    """Return the scans that came with a change, per unit of a field, and units per such scan: one row.

    The answer to "did the new posters pay": extra scans per poster and day, and what each extra scan cost. It rests on
    `before_and_after`: without a control group, anything else that happened at the same time is in it, too.

    Columns: units (float64, the sum of the field over the QR Codes of the view), days (int64, whole days after the
    change), ratio, low, high (float64, see `before_and_after`), extra, extra_low, extra_high (float64, scans per unit
    and day more than without the change; below 0 for fewer), units_per_extra, units_per_extra_low, units_per_extra_high
    (float64, units divided by the extra scans of these days; missing without extra scans, and the last is infinite
    where there may be none), reason (str, why there is no interval, or empty). Without an interval, its ends are
    missing.

    Args:
        scans: See `before_and_after`.
        change: See `before_and_after`.
        field: See `scans_per_unit`; what the change has cost, or the posters that it concerned.
        control: See `before_and_after`.
        level: See `before_and_after`.
        looks: See `before_and_after`.
        without: See `before_and_after`.

    Raises:
        InvalidParameter: See `before_and_after` and `scans_per_unit`.
    """
    units = sum(_number(field, code) for code in _codes_with(scans, field, None).values())
    row = before_and_after(scans, change, level=level, looks=looks, control=control, without=without).iloc[0]
    days, before, after = int(row["second_days"]), float(row["first_rate"]), float(row["second_rate"])
    ratios = [float(row[name]) for name in ("ratio", "low", "high")]
    # Each end allows for more than the interval of a difference would, because the rate it starts from is known better.
    extra = [(before * (one - 1) if one >= 1 else after * (1 - 1 / one)) / units if one else nan for one in ratios]
    prices = [1 / (days * one) if one > 0 else nan for one in (extra[0], extra[2], extra[1])]
    if extra[1] <= 0 < extra[2]:
        prices[2] = inf
    names = ("units", "days", "ratio", "low", "high", *LIFT, *PRICES, "reason")
    types = dict.fromkeys(names, "float64") | {"days": "int64", "reason": "str"}
    return frame_of([(units, days, *ratios, *extra, *prices, row["reason"])], types)


def _codes_with(scans: Scans, field: str, by: Attribute | str | None) -> dict[str, CodeOf]:
    """Return the QR Codes of a view that have a value of a field, by ID."""
    names = scans.field_names()
    if not isinstance(field, str) or field in get_args(Attribute) or field.removeprefix(FIELD) not in names:
        known = ", ".join(map(repr, names[:MOST_SHOWN])) if names else "the QR Codes of this portfolio have none"
        raise InvalidParameter(Problem("field", field, f"must be the name of a field of QR Codes: {known}"))
    if by is not None:
        check_attribute("by", by, scans)
        if by in get_args(Attribute) and by not in get_args(Part):
            rule = f"must be one of {', '.join(get_args(Part))}, or another field: units belong to QR Codes"
            raise InvalidParameter(Problem("by", by, rule))
    part = f"coalesce({group_sql(by, scans)}, '{UNKNOWN}')"
    rows = scans.ask(CODES.format(value=key_sql(field, scans), part=part)).dropna(subset="value")
    if not len(rows):
        raise InvalidParameter(Problem("field", field, "must have a value for at least one QR Code of the view"))
    days = [on_the_clock(moment.to_pydatetime(), scans.zone).date() for moment in rows["qrcode_created"]]
    texts = (rows[name].astype("str") for name in ("qrcode_label", "value", "part"))
    return dict(zip(rows["qrcode_id"].astype("str"), map(CodeOf, *texts, days), strict=True))


def _number(field: str, code: CodeOf) -> float:
    """Return the value of a field as a number above 0."""
    try:
        number = float(code.value)
    except ValueError:
        number = nan
    if not 0 < number <= MOST:
        rule = f"must be a number above 0, at most {MOST:,.0f}, such as 12.5; {code.name!r} has another value"
        raise InvalidParameter(Problem(field, code.value, rule))
    return number


# ---- open hours


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
    level, codes = check_share("level", level), _codes_with(scans, field, None)
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
