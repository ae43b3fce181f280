"""Counts scans over time: per hour, day, week or month, per hour of the week, and next to the previous period.

Days and hours are in the view's time zone: the day on which clocks go forward has 23 hours, and the hour that repeats
when they go back is two rows. Periods without scans are included.

The `attrs` of each DataFrame say what was counted, for charts: `time_zone`, and `since` and `until` as text (ISO 8601),
where they are known. `until` is never in the future, so a week that is not over yet can be told from a bad one. Counts
by campaign also have `campaigns`, the numbers of the colors of all campaigns of the account by name, oldest first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Literal, get_args
from zoneinfo import ZoneInfo

import pandas as pd

from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.store.all_visits import counted
from qrkit.store.questions.local_time import Stretch, case_of, local_time, microseconds, on_the_clock, stretches
from qrkit.store.questions.scan_attributes import UNKNOWN, Attribute, Part, group_sql, table_of
from qrkit.store.questions.time_zones import moment_of, stretches_of
from qrkit.store.records.campaign_colors import colors_by_name
from qrkit.tracking.text_columns import text_column, with_dtypes
from qrkit.tracking.times import first_moment, naive, now, period_start

Period = Literal["hour", "day", "week", "month"]
"""Periods to count scans by; weeks begin on Monday."""

MOST_ROWS = 1_000_000
"""Maximum number of rows in an answer: a century of hours would exhaust the memory."""

HOUR = timedelta(hours=1)
MICROSECOND = timedelta(microseconds=1)
CALENDAR = {"label": "datetime64[us]", "start": "datetime64[us]", "hours": "float64"}

PER_PERIOD = f"""
, counted AS ({counted({"label": "{label}", "key": "{key}"}, "{table}")})
SELECT label, coalesce(key, '{UNKNOWN}') AS part, scans, visitors FROM counted
"""

# Group by the short code number first, because comparing names is slower and there are fewer names than scans.
PER_DAY = """
, counted AS (SELECT ({local})::DATE AS label, number, count(*) AS scans FROM lean GROUP BY ALL)
SELECT label, {key} AS part, sum(scans)::BIGINT AS scans FROM counted JOIN codes USING (number) GROUP BY ALL
"""

PER_DAY_AND_VALUE = f"""
, counted AS (SELECT ({{local}})::DATE AS label, {{key}} AS key, count(*) AS scans FROM {{table}} GROUP BY ALL)
SELECT label, coalesce(key, '{UNKNOWN}') AS part, scans FROM counted
"""

BY_HOUR = """
, counted AS (
    SELECT
        isodow({local}) AS weekday, hour({local}) AS hour, count(*) AS scans, min(time) AS first, max(time) AS last
    FROM lean
    GROUP BY ALL
)
SELECT
    w.weekday, h.hour, coalesce(c.scans, 0) AS scans, min(c.first) OVER () AS first, max(c.last) OVER () AS last
FROM range(1, 8) w(weekday)
CROSS JOIN range(24) h(hour)
LEFT JOIN counted c ON c.weekday = w.weekday AND c.hour = h.hour
ORDER BY w.weekday, h.hour
"""


def scans_per(scans: Scans, period: Period, *, by: Attribute | str | None = None) -> pd.DataFrame:
    """Return scans and visitors per hour, day, week or month, from the first scan (or `since`) to the last (`until`).

    Columns: start (datetime64[us, time zone], when the period begins), hours (float64, its length; 23, 24 or 25 for a
    day), the name of `by` (str, if given), scans, visitors (int64, distinct within one UTC day).

    Args:
        scans: The view to count, in its time zone.
        period: One of hour, day, week (from Monday), month.
        by: Count each period by campaign, campaign_id, qrcode, qrcode_id, or an attribute that `scans.where` filters
            by; groups without any scan are left out.

    Raises:
        InvalidParameter: If `period` or `by` is unknown, or if there are more than a million rows.
    """
    if period not in get_args(Period):
        raise InvalidParameter(Problem("period", period, f"must be one of {', '.join(get_args(Period))}"))
    zone, known = scans.zone, stretches_of(scans)
    label = _hour_start(known) if period == "hour" else f"date_trunc('{period}', {local_time(known)})"
    counts = scans.ask(PER_PERIOD.format(label=label, key=group_sql(by, scans), table=table_of(by)))
    calendar = _hours(scans, counts) if period == "hour" else _days(scans, counts, period)
    complete = _fill_gaps(calendar, counts, by=by).drop(columns="label")
    complete["start"] = complete["start"].dt.tz_localize("UTC").dt.tz_convert(zone)
    return _with_bounds(complete, scans, by=by)


def scans_per_day(scans: Scans, *, by: Attribute | str | None = None, zeros: bool = True) -> pd.DataFrame:
    """Return scans per day, including days without scans, from the first scan (or `since`) to the last (or `until`).

    Columns: day (datetime64[us], a day in the view's time zone), the name of `by` (str, if given), scans (int64).

    Args:
        scans: The view to count, in its time zone.
        by: Count each day by campaign, campaign_id, qrcode, qrcode_id, or an attribute that `scans.where` filters by;
            groups without any scan are left out.
        zeros: Whether to include days without scans. Without them, there may be more than a million rows.

    Raises:
        InvalidParameter: If `by` is unknown, or if there are more than a million rows.

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
    local = local_time(stretches_of(scans))
    per_day = PER_DAY if by is None or by in get_args(Part) else PER_DAY_AND_VALUE
    counts = scans.ask(per_day.format(local=local, key=group_sql(by, scans), table=table_of(by)))
    if not zeros:
        ordered = with_dtypes(counts, {"label": "datetime64[us]", "part": "str"}).sort_values(["label", "part"])
        named = ordered.rename(columns={"label": "day", "part": by or "part"}).reset_index(drop=True)
        return _with_bounds(named if by else named.drop(columns="part"), scans, by=by)
    complete = _fill_gaps(_days(scans, counts, "day"), counts, by=by)
    return _with_bounds(complete.drop(columns=["start", "hours"]).rename(columns={"label": "day"}), scans, by=by)


def by_day(frame: pd.DataFrame) -> dict[date, int]:
    """Return the scans of a table of days, by day."""
    return dict(zip(frame["day"].dt.date, frame["scans"].tolist(), strict=True))


def daily_by(scans: Scans, by: Attribute | str) -> dict[str, dict[date, int]]:
    """Return the scans of each group of a view on the days when it was scanned."""
    frame, known = scans_per_day(scans, by=by, zeros=False), defaultdict[str, dict[date, int]](dict)
    for part, day, number in zip(frame[by], frame["day"].dt.date, frame["scans"].tolist(), strict=True):
        known[part][day] = number
    return dict(known)


def scans_by_hour(scans: Scans) -> pd.DataFrame:
    """Return scans per hour of the week: 168 rows.

    Columns: weekday (int64, 1 Monday to 7 Sunday), hour (int64, 0..23, in the view's time zone), scans (int64), hours
    (int64, how often this hour came in the view, so that scans / hours is a mean; from the first scan to the last where
    the view has no bounds).

    Raises:
        InvalidParameter: If the view has more than a million hours.
    """
    counts = scans.ask(BY_HOUR.format(local=local_time(stretches_of(scans))))
    first, last = (None if pd.isna(end) else end.to_pydatetime() for end in counts[["first", "last"]].iloc[0])
    hours = _hours_of_week(scans, first, last)
    frame = counts.drop(columns=["first", "last"]).astype("int64")
    frame["hours"] = [hours.get((day, hour), 0) for day, hour in zip(frame["weekday"], frame["hour"], strict=True)]
    return _with_bounds(frame, scans)


def scans_and_previous(scans: Scans, period: Period = "day", *, previous: Scans | None = None) -> pd.DataFrame:
    """Return each hour, day, week or month of a view next to its counterpart in the previous period of the same length.

    A view of whole months is compared with the same number of months before it. Any other view is compared with the
    same number of hours before it. If one side has more rows (May has 31 days, April 30), the other side's columns are
    missing in the extra rows.

    Columns: start, previous_start (datetime64[us, time zone]), scans, visitors, previous_scans, previous_visitors
    (Int64).

    Args:
        scans: The view to count, in its time zone. It needs both `since` and `until`.
        period: One of hour, day, week (from Monday), month.
        previous: Another view to compare with, such as the same days of the year before.

    Raises:
        InvalidParameter: If the view has no `since` or no `until` and `previous` is None, if the period is unknown, or
            if there are more than a million rows.
    """
    before = previous_view(scans) if previous is None else previous
    columns = ["start", "scans", "visitors"]
    present, past = (scans_per(view, period)[columns] for view in (scans, before))
    joined = pd.concat([present, past.add_prefix("previous_")], axis=1)
    order = ["start", "previous_start", "scans", "visitors", "previous_scans", "previous_visitors"]
    return _with_bounds(joined[order].astype(dict.fromkeys(order[2:], "Int64")), scans)


def _with_bounds(frame: pd.DataFrame, scans: Scans, *, by: str | None = None) -> pd.DataFrame:
    """Note in the `attrs` of a frame what was counted: since when, until when, and in which time zone."""
    bounds = scans.bounds()
    ends = {"since": scans.period[0], "until": _end(scans, bounds[1] if bounds else None)}
    local = {name: end.replace(tzinfo=UTC).astimezone(scans.zone).isoformat() for name, end in ends.items() if end}
    frame.attrs |= {"time_zone": scans.time_zone, **local}
    if by == "campaign":
        frame.attrs["campaigns"] = colors_by_name(scans.store, scans.account_id)
    return frame


def _end(scans: Scans, last: datetime | None) -> datetime | None:
    """Return the end of what is counted (UTC): `until`, or the end of the last day with a scan; never in the future."""
    until = scans.period[1]
    if until is None:
        if last is None:
            return None
        until = first_moment(scans.zone, on_the_clock(last, scans.zone).date() + timedelta(days=1))
    return min(until, naive(now()))


def _hours_of_week(scans: Scans, first: datetime | None, last: datetime | None) -> dict[tuple[int, int], int]:
    """Return how often each weekday (1 to 7) and hour came between the ends of a view."""
    since, until = scans.period[0] or first, _end(scans, last)
    if since is None or until is None or since >= until:
        return {}
    if scans.period[0] is None:
        since = first_moment(scans.zone, on_the_clock(since, scans.zone).date())
    _check_rows((until - since) // HOUR)
    hours = pd.Series(pd.date_range(since, until, freq="h", inclusive="left", tz="UTC")).dt.tz_convert(scans.zone)
    return dict(Counter(zip((hours.dt.day_of_week + 1).tolist(), hours.dt.hour.tolist(), strict=True)))


def previous_view(scans: Scans) -> Scans:
    """Return the view of the period before a view, as `scans_and_previous` compares them."""
    return scans.where(since=_previous_since(scans), until=scans.since)


def _previous_since(scans: Scans) -> datetime:
    """Return the start of the period before the view."""
    if scans.since is None or scans.until is None:
        name = "until" if scans.until is None else "since"
        raise InvalidParameter(Problem(name, None, "is required for a comparison; set it in the view with where()"))
    since, until = (on_the_clock(moment_of(bound, scans.zone), scans.zone) for bound in (scans.since, scans.until))
    if all(bound.day == 1 and bound.time() == datetime.min.time() for bound in (since, until)) and since < until:
        month = since.year * 12 + since.month - 1 - (until.year - since.year) * 12 - (until.month - since.month)
        start = datetime(month // 12, month % 12 + 1, 1)
    else:
        start = since - (until - since)
    return start.replace(tzinfo=scans.zone).astimezone(UTC)


def _hour_start(known: Sequence[Stretch]) -> str:
    """Return SQL for the start (UTC) of the local hour of a scan. A clock change within an hour starts a new one."""
    hour = microseconds(HOUR)
    starts = []
    for number, (since, offset) in enumerate(known):
        ahead = microseconds(offset)
        start = f"(epoch_us(time) + {ahead}) // {hour} * {hour} - {ahead}"
        starts.append(f"greatest({start}, epoch_us(TIMESTAMP '{since}'))" if number else start)
    return f"make_timestamp({case_of(known, starts)})"


def _hours(scans: Scans, counts: pd.DataFrame) -> pd.DataFrame:
    """Return the hours of a view; columns label, start (datetime64[us], both UTC), hours (float64)."""
    ends = _ends(scans, counts, ZoneInfo("UTC"))
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
    # The hour after the last one is only used to compute the length of the last one.
    rows = [(start, start, (after - start) / HOUR) for start, after in pairwise(starts) if start <= last]
    return pd.DataFrame(rows, columns=list(CALENDAR)).astype(CALENDAR)


def _days(scans: Scans, counts: pd.DataFrame, period: str) -> pd.DataFrame:
    """Return the days, weeks or months of a view; columns label (datetime64[us], local), start (UTC), hours."""
    ends = _ends(scans, counts, scans.zone)
    days: list[date] = []
    if ends:
        first, last = (period_start(end.date(), period) for end in ends)
        _check_rows((last - first).days)
        days = [first]
        while days[-1] <= last:
            days.append(period_start(days[-1] + timedelta(days={"day": 1, "week": 7, "month": 31}[period]), period))
    starts = [first_moment(scans.zone, day) for day in days]
    # A day skipped by a move across the date line starts when the next day does; leave it out.
    rows = [(datetime.combine(day, datetime.min.time()), start, (after - start) / HOUR)
            for day, (start, after) in zip(days, pairwise(starts), strict=False) if start < after]  # fmt: skip
    return pd.DataFrame(rows, columns=list(CALENDAR)).astype(CALENDAR)


def _ends(scans: Scans, counts: pd.DataFrame, zone: ZoneInfo) -> tuple[datetime, datetime] | None:
    """Return a moment in the first and one in the last period, as local times of `zone`; None if there is no period."""
    since, until = (
        None if bound is None else on_the_clock(moment_of(bound, scans.zone), zone)
        for bound in (scans.since, scans.until)
    )
    if until is not None:
        until -= MICROSECOND
    if len(counts):
        since = since or counts["label"].min().to_pydatetime()
        # The last week or month may begin before the view does.
        until = until or max(since, counts["label"].max().to_pydatetime())
    return (since, until) if since and until and since <= until else None


def _fill_gaps(calendar: pd.DataFrame, counts: pd.DataFrame, *, by: str | None) -> pd.DataFrame:
    """Combine every period with every group, with zeros where there are no scans, and name the group column `by`."""
    numbers = [name for name in ("scans", "visitors") if name in counts]
    parts = text_column(sorted(counts["part"].unique()) if by else [""], name="part")
    _check_rows(len(calendar) * len(parts))
    counts = with_dtypes(counts, {"label": "datetime64[us]", "part": "str"})
    complete = calendar.merge(parts, how="cross").merge(counts, how="left", on=["label", "part"])
    complete[numbers] = complete[numbers].fillna(0).astype("int64")
    return complete.rename(columns={"part": by}) if by else complete.drop(columns="part")


def _check_rows(rows: int) -> None:
    if rows > MOST_ROWS:
        rule = f"has {rows:,} rows, more than {MOST_ROWS:,}; narrow the view with where(since=…, until=…)"
        raise InvalidParameter(Problem("period", None, rule, "out-of-range"))
