"""Sets scans against a number that you keep with each QR Code: posters printed, cost, or people who pass in a day.

Such a number is a field of the code, such as `fields={"Posters": "12"}`. A code counts with its units from the day
after its first scan, or, if it was never scanned, from the day after it was created: what hangs there and brings
nothing is part of the answer.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta
from math import inf, nan
from typing import Literal, NamedTuple, get_args

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
from qrkit.store.questions.local_time import on_the_clock
from qrkit.store.questions.scan_attributes import FIELD, UNKNOWN, Attribute, Part, check_attribute, group_sql, key_sql
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


class CodeOf(NamedTuple):
    """A QR Code with the value of a field; its name is unique, and `part` is the group that it is counted in."""

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
    level, codes = check_share("level", level), codes_with(scans, field, by)
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
    units = sum(_number(field, code) for code in codes_with(scans, field, None).values())
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


def codes_with(scans: Scans, field: str, by: Attribute | str | None) -> dict[str, CodeOf]:
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
