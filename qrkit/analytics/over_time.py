"""How many scans when: per hour, day, week or month, per hour of the week, and beside the period before.

Days and hours are those of the view's time zone: the day on which its clocks are put forward has 23 hours, and the hour
that comes twice when they are put back is two rows. Periods without scans are there, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, get_args
from zoneinfo import ZoneInfo

from qrkit.analytics.breakdowns import Part, check_part
from qrkit.analytics.time_zones import (
    Stretch,
    case_of,
    local_time,
    microseconds,
    moment_of,
    on_the_clock,
    stretches,
    stretches_of,
    takes_time_zone,
)
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.tracking.text_columns import text_column, with_dtypes
from qrkit.tracking.times import first_moment

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Period", "scans_and_previous", "scans_by_hour", "scans_per", "scans_per_day"]

Period = Literal["hour", "day", "week", "month"]
"""What scans can be counted per; weeks begin on Monday."""

MOST_ROWS = 1_000_000
"""Rows of periods that an answer may have: a century of hours would fill the memory."""

HOUR = timedelta(hours=1)
MICROSECOND = timedelta(microseconds=1)
CALENDAR = {"label": "datetime64[us]", "start": "datetime64[us]", "hours": "float64"}

PER_PERIOD = """
SELECT {label} AS label, {part} AS part, count(*) AS scans, count(DISTINCT visitor) AS visitors
FROM lean
GROUP BY ALL
"""

# Counted by short numbers first: names are long to compare, and there are fewer of them.
PER_DAY = """
, counted AS (SELECT ({local})::DATE AS label, number, count(*) AS scans FROM lean GROUP BY ALL)
SELECT label, {part} AS part, sum(scans)::BIGINT AS scans FROM counted JOIN codes USING (number) GROUP BY ALL
"""

BY_HOUR = """
, counted AS (
    SELECT isodow({local}) AS weekday, hour({local}) AS hour, count(*) AS scans FROM lean GROUP BY ALL
)
SELECT w.weekday, h.hour, coalesce(c.scans, 0) AS scans
FROM range(1, 8) w(weekday)
CROSS JOIN range(24) h(hour)
LEFT JOIN counted c ON c.weekday = w.weekday AND c.hour = h.hour
ORDER BY w.weekday, h.hour
"""


@takes_time_zone
def scans_per(scans: Scans, period: Period, *, by: Part | None = None) -> pd.DataFrame:
    """Scans and visitors of each hour, day, week or month, from the first scan (or `since`) to the last (or `until`).

    Columns: start (datetime64[us, time zone], when the period begins), hours (float64, its length; of a day 23, 24 or
    25), the name of `by` (str, when asked for), scans, visitors (int64, told apart within one UTC day).

    Args:
        scans: The view to count, in its time zone.
        period: One of hour, day, week (from Monday), month.
        by: Count each period by campaign, qrcode or qrcode_id; those without any scan are left out.

    Raises:
        InvalidParameter: If the period or `by` is unknown, or there are more than a million rows.
    """
    if period not in get_args(Period):
        raise InvalidParameter(Problem("period", period, f"must be one of {', '.join(get_args(Period))}"))
    check_part(by)
    zone, known = scans.zone, stretches_of(scans)
    label = _hour_start(known) if period == "hour" else f"date_trunc('{period}', {local_time(known)})"
    found = scans.ask(PER_PERIOD.format(label=label, part=by or "''"))
    calendar = _hours(scans, found) if period == "hour" else _days(scans, found, period)
    filled = _filled(calendar, found, by=by).drop(columns="label")
    filled["start"] = filled["start"].dt.tz_localize("UTC").dt.tz_convert(zone)
    return filled


@takes_time_zone
def scans_per_day(scans: Scans, *, by: Part | None = None) -> pd.DataFrame:
    """Scans of each day, those without any among them, from the first scan (or `since`) to the last (or `until`).

    Columns: day (datetime64[us], a day of the view's time zone), the name of `by` (str, when asked for), scans (int64).

    Args:
        scans: The view to count, in its time zone.
        by: Count each day by campaign, qrcode or qrcode_id; those without any scan are left out.

    Raises:
        InvalidParameter: If `by` is unknown, or there are more than a million rows.

    Example:
        >>> import pandas as pd
        >>> from qrkit import open_portfolio
        >>> with open_portfolio(":memory:") as shop:
        ...     door = shop.insert_qrcode("https://example.com", name="Door", short_code="door")
        ...     times = pd.to_datetime(["2026-03-01 09:00", "2026-03-03 18:30"], utc=True)
        ...     number = shop.scans.insert(pd.DataFrame({"short_code": "door", "time": times, "country": ["PT", None]}))
        ...     scans_per_day(shop.scans)["scans"].tolist()
        [1, 0, 1]
    """
    check_part(by)
    local = local_time(stretches_of(scans))
    found = scans.ask(PER_DAY.format(local=local, part=by or "''"))
    filled = _filled(_days(scans, found, "day"), found, by=by)
    return filled.drop(columns=["start", "hours"]).rename(columns={"label": "day"})


@takes_time_zone
def scans_by_hour(scans: Scans) -> pd.DataFrame:
    """Scans of each hour of the week, 168 rows.

    Columns: weekday (int64, 1 Monday .. 7 Sunday), hour (int64, 0..23, of the view's time zone), scans (int64).
    """
    local = local_time(stretches_of(scans))
    return scans.ask(BY_HOUR.format(local=local)).astype("int64")


@takes_time_zone
def scans_and_previous(scans: Scans, period: Period = "day") -> pd.DataFrame:
    """Each hour, day, week or month of a view beside that of the time before it, which is as long.

    Whole months have the same number of months before them, anything else the same number of hours on the clock. Where
    one of the two has more rows (May has 31 days, April 30), the other's columns are missing there.

    Columns: start, previous_start (datetime64[us, time zone]), scans, visitors, previous_scans, previous_visitors
    (Int64).

    Args:
        scans: The view to count, in its time zone; it has both `since` and `until`.
        period: One of hour, day, week (from Monday), month.

    Raises:
        InvalidParameter: If the view has no `since` or no `until`, the period is unknown, or there are more than a
            million rows.
    """
    import pandas as pd

    before = scans.where(since=_previous_since(scans), until=scans.since)
    columns = ["start", "scans", "visitors"]
    present, past = (scans_per(view, period)[columns] for view in (scans, before))
    joined = pd.concat([present, past.add_prefix("previous_")], axis=1)
    order = ["start", "previous_start", "scans", "visitors", "previous_scans", "previous_visitors"]
    return joined[order].astype(dict.fromkeys(order[2:], "Int64"))


def _previous_since(scans: Scans) -> datetime:
    """Where the time before a view begins."""
    if scans.since is None or scans.until is None:
        name = "until" if scans.until is None else "since"
        raise InvalidParameter(Problem(name, None, "must be set on the view by where(): what came before what?"))
    since, until = (on_the_clock(moment_of(bound, scans.zone), scans.zone) for bound in (scans.since, scans.until))
    if all(bound.day == 1 and bound.time() == datetime.min.time() for bound in (since, until)) and since < until:
        month = since.year * 12 + since.month - 1 - (until.year - since.year) * 12 - (until.month - since.month)
        start = datetime(month // 12, month % 12 + 1, 1)
    else:
        start = since - (until - since)
    return start.replace(tzinfo=scans.zone).astimezone(UTC)


def _hour_start(known: Sequence[Stretch]) -> str:
    """SQL: when the hour on the clock began, UTC; where clocks are changed within an hour, a new one begins."""
    hour = microseconds(HOUR)
    starts = []
    for number, (since, offset) in enumerate(known):
        ahead = microseconds(offset)
        start = f"(epoch_us(time) + {ahead}) // {hour} * {hour} - {ahead}"
        starts.append(f"greatest({start}, epoch_us(TIMESTAMP '{since}'))" if number else start)
    return f"make_timestamp({case_of(known, starts)})"


def _hours(scans: Scans, found: pd.DataFrame) -> pd.DataFrame:
    """The hours of a view; columns label, start (datetime64[us], both UTC), hours (float64)."""
    import pandas as pd

    ends = _ends(scans, found, ZoneInfo("UTC"))
    starts: list[datetime] = []
    if ends:
        first, last = ends
        _check_rows((last - first) // HOUR)
        known = stretches(scans.zone, first, last + HOUR)
        bounds = [*(stretch.since for stretch in known), last + HOUR + MICROSECOND]
        for (since, until), (_, offset) in zip(pairwise(bounds), known, strict=True):
            hour = (since + offset).replace(minute=0, second=0, microsecond=0) - offset
            hours = pd.date_range(hour, until - MICROSECOND, freq="h").to_pydatetime().tolist()
            starts += [max(hours[0], since), *hours[1:]] if starts else hours
    # One hour more than asked for tells how long the last one is.
    rows = [(start, start, (after - start) / HOUR) for start, after in pairwise(starts) if start <= last]
    return pd.DataFrame(rows, columns=list(CALENDAR)).astype(CALENDAR)


def _days(scans: Scans, found: pd.DataFrame, period: str) -> pd.DataFrame:
    """The days, weeks or months of a view; columns label (datetime64[us], local), start (UTC), hours (float64)."""
    import pandas as pd

    ends = _ends(scans, found, scans.zone)
    days: list[date] = []
    if ends:
        first, last = (_begin(end.date(), period) for end in ends)
        _check_rows((last - first).days)
        days = [first]
        while days[-1] <= last:
            days.append(_begin(days[-1] + timedelta(days={"day": 1, "week": 7, "month": 31}[period]), period))
    starts = [first_moment(scans.zone, day) for day in days]
    # A day that a zone has skipped, moving to the other side of the date line, begins when the next one does.
    rows = [(datetime.combine(day, datetime.min.time()), start, (after - start) / HOUR)
            for day, (start, after) in zip(days, pairwise(starts), strict=False) if start < after]  # fmt: skip
    return pd.DataFrame(rows, columns=list(CALENDAR)).astype(CALENDAR)


def _begin(day: date, period: str) -> date:
    """The first day of its week or month, or itself."""
    if period == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if period == "month" else day


def _ends(scans: Scans, found: pd.DataFrame, zone: ZoneInfo) -> tuple[datetime, datetime] | None:
    """The moments in the first and the last period, on the clocks of a zone; None where there is no period."""
    since, until = (
        None if bound is None else on_the_clock(moment_of(bound, scans.zone), zone)
        for bound in (scans.since, scans.until)
    )
    if until is not None:
        until -= MICROSECOND
    if len(found):
        since = since or found["label"].min().to_pydatetime()
        until = until or found["label"].max().to_pydatetime()
    return (since, until) if since and until and since <= until else None


def _filled(calendar: pd.DataFrame, found: pd.DataFrame, *, by: str | None) -> pd.DataFrame:
    """Every period with every part, zeros where there is nothing; the part is called by its name."""
    numbers = [name for name in ("scans", "visitors") if name in found]
    parts = text_column(sorted(found["part"].unique()) if by else [""], name="part")
    _check_rows(len(calendar) * len(parts))
    found = with_dtypes(found, {"label": "datetime64[us]", "part": "str"})
    filled = calendar.merge(parts, how="cross").merge(found, how="left", on=["label", "part"])
    filled[numbers] = filled[numbers].fillna(0).astype("int64")
    return filled.rename(columns={"part": by}) if by else filled.drop(columns="part")


def _check_rows(rows: int) -> None:
    if rows > MOST_ROWS:
        rule = f"has {rows:,} rows, more than {MOST_ROWS:,}; narrow the view by where(since=…, until=…)"
        raise InvalidParameter(Problem("period", None, rule, "out-of-range"))
