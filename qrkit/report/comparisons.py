"""Makes the comparisons of a report: with the previous period, between halves or groups, and with usual days."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import nan
from typing import Literal, NamedTuple

import pandas as pd

from qrkit import analytics
from qrkit.analytics.bursts import find_bursts
from qrkit.analytics.comparing import YEAR, compare_days, controlled_interval, with_last_year
from qrkit.analytics.daily_spread import beginnings, counts, on_each_day
from qrkit.analytics.day_models import weekly_trend
from qrkit.analytics.moved_codes import MOST_CODES, WEEK, Moved, find_moved, settled
from qrkit.analytics.over_time import daily_by
from qrkit.analytics.rate_intervals import RatioInterval
from qrkit.analytics.unusual_days import days_with, judge_days, which_are_holidays
from qrkit.contents.cards import summary
from qrkit.store import Scans

CompareTo = Literal["previous", "last year"] | tuple[date, date] | None
"""What a period is compared with: the one before it, the same dates a year earlier, or days up to the day before the
second one. By default, the one before it if both bounds are given and it has scans, or else the halves are compared."""

ATTRIBUTES: Sequence[str] = ("device", "system", "country")
"""Attributes of scans that a report breaks down unless you ask for others."""
LEVEL = 0.95
MOST_PARTS = 20
"""Maximum number of groups compared; more would make the intervals wider."""
FEWEST_DAYS = 2
"""Minimum days on each side of a comparison."""
ALARM = 0.05
"""Probability that a period in which nothing happened has an unusual day, and that it has a burst."""
FEWEST_USUAL = 14
"""Minimum number of whole days to determine the usual range."""
AMONG = timedelta(days=28)
"""Fewer days rule out hardly anything as unusual, so they are judged together with the days before them, or after them
where there are too few before."""
MOST_CONTENTS = 3
FEWEST_OF_NEW = 20
"""Minimum scans of a new QR Code for its rate to mean anything."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a report is about.

    Attributes:
        since: The first day; None for the day of the first scan.
        until: The day after the last; None for the day after the last scan.
        attributes: Attributes of scans that get a table.
        least: The smallest number of visitors or scans that is shown; None shows all.
        holidays: Days that are not compared, and are never unusual.
    """

    since: date | None = None
    until: date | None = None
    time_zone: str = "UTC"
    attributes: Sequence[str] = ATTRIBUTES
    compare_to: CompareTo = None
    least: int | None = None
    holidays: Collection[date] = ()

    def of(self, scans: Scans) -> Scans:
        """Return the view narrowed to this period, in this time zone."""
        return scans.where(since=self.since, until=self.until, time_zone=self.time_zone)


@dataclass(frozen=True, slots=True)
class Change:
    """Scans per day of two periods, or of two groups; `low` and `high` are the ends of the interval of their ratio.

    Attributes:
        name: Name of the group; "" for all scans.
        ratio: The second divided by the first.
        differs: Whether the interval excludes 1; None if there is no interval.
        smallest: The ratio that would have been detected in 4 of 5 cases.
        reason: Why there is no interval; "" if there is one.
    """

    name: str
    before: float
    after: float
    ratio: float
    low: float
    high: float
    differs: bool | None
    smallest: float
    reason: str


@dataclass(frozen=True, slots=True)
class Span:
    """Whole days, from the first to the day after the last."""

    since: date
    until: date

    @property
    def days(self) -> int:
        """Number of days."""
        return (self.until - self.since).days

    @property
    def last(self) -> date:
        """The last day."""
        return self.until - timedelta(days=1)

    @property
    def dates(self) -> list[date]:
        """All of the days."""
        return [self.since + timedelta(days=passed) for passed in range(self.days)]

    def of(self, scans: Scans) -> Scans:
        """Return the view narrowed to these days in its time zone."""
        return scans.where(since=self.since, until=self.until)

    def counts(self, scans: Scans) -> dict[date, int]:
        """Return the scans of each of these days."""
        return counts(scans, (self.since, self.until))

    def only(self, daily: Mapping[date, int]) -> dict[date, int]:
        """Return the scans per day on these days only."""
        return {day: scans for day, scans in daily.items() if self.since <= day < self.until}

    def split(self) -> tuple[Span, Span]:
        """Split the days into two halves; if their number is odd, the second half is longer."""
        middle = self.since + timedelta(days=self.days // 2)
        return Span(self.since, middle), Span(middle, self.until)


class New(NamedTuple):
    """A QR Code that began in a period: the day of its first scan, and scans per day since the day after it."""

    first: date
    rate: float


@dataclass(frozen=True, slots=True)
class Comparisons:
    """What a period was compared with, and the results.

    Attributes:
        first: The days compared with: those before the period, or its first half.
        second: The period, or its second half.
        is_half: Whether the two halves of the period are compared.
        total: Change of all scans; None if there are too few days.
        calm: Change of all scans without the unusual days; None if there are none among the compared days.
        left_out: The unusual days and holidays that `calm` leaves out, and `parts` and `leading` with it.
        holidays: Which of them are holidays.
        on_left_out: The scans of both `leading` groups on these days of the period, the largest group first.
        trend: By how much all scans change each week, before and after; NaN without a clear trend.
        part: What `parts` are grouped by: campaign or qrcode; "" for none.
        parts: Change of each campaign or QR Code; the intervals are jointly correct 95% of the time.
        before: Totals of the days compared with, as `analytics.summary` returns them; None for halves.
        moved: The QR Codes that rose or fell for themselves, by ID, the clearest first.
        leading: The largest group, compared with the second largest; None if there is only one group.
        is_by_places: Whether the places of its QR Codes may explain why the largest campaign leads: codes of these two
            campaigns differ as much among themselves.
        new: The QR Codes whose first scan was more than a week after the first of the compared days, by ID.
        season: The change of all scans a year earlier, and the change relative to it; None if no code is that old.
        previous: Each day next to its counterpart, with the columns of `analytics.scans_and_previous`; None for halves,
            and if there are no scans to compare with.
        unusual: Result of `analytics.unusual_days`; None if there are too few days.
        bursts: Result of `analytics.bursts`; None if there are too few days.
        contents: QR Codes whose content changed: the day, the new content, and the change in scans.
    """

    first: Span | None = None
    second: Span | None = None
    is_half: bool = False
    total: Change | None = None
    calm: Change | None = None
    left_out: Sequence[date] = ()
    holidays: Collection[date] = ()
    on_left_out: Sequence[int] = ()
    trend: float = nan
    part: str = ""
    parts: Sequence[Change] = ()
    before: pd.DataFrame | None = None
    moved: Mapping[str, Moved] = field(default_factory=dict)
    leading: Change | None = None
    is_by_places: bool = False
    new: Mapping[str, New] = field(default_factory=dict)
    season: tuple[Change, RatioInterval] | None = None
    previous: pd.DataFrame | None = None
    unusual: pd.DataFrame | None = None
    bursts: pd.DataFrame | None = None
    contents: Sequence[tuple[date, str, Change]] = ()


def compared(
    scans: Scans, whole: Span | None, daily: Mapping[date, int], asked: Scope, *, names: Mapping[str, str], part: str
) -> Comparisons:
    """Make all comparisons of a view. `whole` are the days to compare; None if they are too few.

    The groups are campaigns or QR Codes, as `part` says; their names by ID have the most scanned first.
    """
    if whole is None:
        return Comparisons()
    holidays = asked.holidays
    present = whole.only(daily)
    begins = beginnings(scans.where(until=whole.until))
    known = Span(min(begins.values(), default=whole.since), whole.until)
    unusual, bursts = _events(scans, known, whole, present, holidays)
    before = _span_before(scans, whole, asked)
    first, second = (before, whole) if before else whole.split()
    past = before.counts(scans) if before else present
    chosen = dict(list(names.items())[:MOST_PARTS]) if len(names) > 1 else {}
    of_parts = _days_of_parts(scans, whole, part, list(chosen))
    sides = [first.only(past), second.only(present)]
    earlier = _events(scans, known, before, past, holidays) if before else (None, None)
    events = _days_of_events(unusual, bursts) | _days_of_events(*earlier)
    left_out = _left_out(sides, events | {*_holidays_in([*first.dates, *second.dates], holidays)})
    kept = [_only(side, side.keys() - set(left_out)) for side in sides]
    total, calm, trend = _changes_of_all(sides, kept)
    both = _days_of_parts(scans, before, part, list(chosen)) if before else of_parts, of_parts
    parts = _changes_of_parts(chosen, both, kept) if total else []
    best = list(chosen)[:2]
    leading = _leading(chosen[best[0]], best, of_parts, present.keys() - set(left_out)) if len(best) == 2 else None
    return Comparisons(
        first, second, before is None, total, calm, left_out, _holidays_in(left_out, holidays),
        [sum(_only(of_parts[id], left_out).values()) for id in best], trend, part if chosen else "", parts,
        analytics.summary(before.of(scans)) if before else None, _moved(scans, first, second, begins), leading,
        part == "campaign" and _is_by_places(whole.of(scans), leading, best, left_out),
        _new(scans, whole, first, begins), _season(scans, calm or total, first, second, left_out),
        _side_by_side(whole.of(scans), before.of(scans)) if before else None, unusual, bursts, _contents(scans, whole),
    )  # fmt: skip


def year_before(day: date) -> date:
    """Return the same date a year earlier; 28 February for 29 February."""
    return day.replace(year=day.year - 1, day=28 if (day.month, day.day) == (2, 29) else day.day)


def _changes_of_all(
    sides: Sequence[dict[date, int]], kept: Sequence[dict[date, int]]
) -> tuple[Change | None, Change | None, float]:
    """Compare all days, and the kept ones if they are fewer, and return the trend of a week, too."""
    if min(map(len, sides)) < FEWEST_DAYS:
        return None, None, nan
    calm = compare_sides("", kept, LEVEL) if kept != sides else None
    return compare_sides("", sides, LEVEL), calm, weekly_trend(sides)


def _changes_of_parts(
    names: Mapping[str, str], both: Sequence[Mapping[str, Mapping[date, int]]], counted: Sequence[Collection[date]]
) -> list[Change]:
    """Compare the counted days of each part on both sides."""
    # Of many intervals, some would be wrong by chance, so each gets a higher level (Bonferroni).
    level = 1 - (1 - LEVEL) / max(len(names), 1)
    return [
        compare_sides(name, [_only(side[id], days) for side, days in zip(both, counted, strict=True)], level)
        for id, name in names.items()
    ]


def _leading(
    name: str, best: Sequence[str], daily: Mapping[str, Mapping[date, int]], counted: Collection[date]
) -> Change | None:
    """Compare the largest part with the second largest one, by ID; None if there are too few days."""
    sides = [_only(daily[id], counted) for id in reversed(best)]
    return compare_sides(name, sides, LEVEL) if len(counted) >= FEWEST_DAYS else None


def _only(daily: Mapping[date, int], days: Collection[date]) -> dict[date, int]:
    return {day: number for day, number in daily.items() if day in days}


def _events(
    scans: Scans, known: Span, span: Span, daily: dict[date, int], holidays: Collection[date]
) -> tuple[pd.DataFrame | None, pd.DataFrame | None]:
    """Return the unusual days and the bursts of a span; None if there are too few days to tell.

    The view may have scans before and after the span.
    """
    start = min(span.since, max(span.until - AMONG, known.since))
    around = Span(start, max(span.until, min(start + AMONG, known.until)))
    among = daily if around == span else dict(sorted((around.counts(scans) | daily).items()))
    if len(among) < FEWEST_USUAL or not any(daily.values()):
        return None, None
    usual = days_with(among)
    judged, found = judge_days(usual, ALARM, which_are_holidays(usual.days, holidays)), find_bursts(usual, ALARM)
    is_inside, begins_inside = (starts.dt.date.isin(list(daily)) for starts in (judged["day"], found["start"]))
    return judged[is_inside].reset_index(drop=True), found[begins_inside].reset_index(drop=True)


def _moved(scans: Scans, first: Span, second: Span, begins: Mapping[str, date]) -> dict[str, Moved]:
    """Return the QR Codes that changed for themselves, of the most scanned ones that were there from the beginning."""
    ends = scans.where(since=min(first.since, second.since), until=max(first.until, second.until))
    ids, start = settled(begins, first.since)
    if start >= first.until:
        return {}  # none of them was there before
    most = [str(id) for id in analytics.top_qrcodes(ends.where(qrcode_id=ids), most=MOST_CODES)["qrcode_id"]]
    spans = Span(max(first.since, start), first.until), second
    sides = [_days_of_parts(scans, span, "qrcode", most) for span in spans]
    return find_moved(sides[0], sides[1], 1 - LEVEL)


def _new(scans: Scans, whole: Span, first: Span, begins: Mapping[str, date]) -> dict[str, New]:
    """Return the QR Codes that began within the period and later than a week into the compared days."""
    late = max(whole.since, min(whole.since, first.since) + WEEK)
    ids = [id for id, begin in begins.items() if late < begin < whole.until]
    found = {}
    for id, daily in _days_of_parts(scans, whole, "qrcode", ids).items():
        days = {day: number for day, number in daily.items() if day >= begins[id]}
        if sum(days.values()) >= FEWEST_OF_NEW:
            found[id] = New(begins[id] - timedelta(days=1), sum(days.values()) / len(days))
    return found


def _season(
    scans: Scans, shown: Change | None, first: Span, second: Span, left_out: Collection[date]
) -> tuple[Change, RatioInterval] | None:
    """Return the change of all scans a year before one that is clear, and what the change is relative to it."""
    if shown is None or not shown.differs or (second.since - first.since).days > YEAR.days // 2:
        return None
    found = with_last_year(scans, [set(span.dates) - set(left_out) for span in (first, second)])
    if found is None:
        return None
    _, now, then = found
    return compare_sides("", [dict(side) for side in then], LEVEL), controlled_interval(now, then, LEVEL)


def _is_by_places(scans: Scans, leading: Change | None, campaigns: Sequence[str], left_out: Sequence[date]) -> bool:
    """Whether QR Codes of two campaigns differ among themselves as much as between the campaigns, where one leads."""
    if leading is None or not leading.differs:
        return False
    row = analytics.compare(*(scans.where(campaign_id=id) for id in campaigns), without=left_out).iloc[0]
    return bool(row["unit"] == "codes" and not row["reason"] and not row["differs"])


def _span_before(scans: Scans, whole: Span, asked: Scope) -> Span | None:
    """Return the days to compare with; None for the first half of the period."""
    compare_to = asked.compare_to
    if isinstance(compare_to, tuple):
        return Span(*compare_to)
    if compare_to == "last year":
        return Span(year_before(whole.since), year_before(whole.until))
    if compare_to is None and (asked.since is None or asked.until is None):
        return None
    frame = analytics.scans_and_previous(whole.of(scans))
    before = Span(frame["previous_start"].iloc[0].to_pydatetime().date(), whole.since)
    return before if compare_to == "previous" or frame["previous_scans"].sum() else None


def _side_by_side(view: Scans, before: Scans) -> pd.DataFrame | None:
    present, past = (analytics.scans_per(side, "day")[["start", "scans"]] for side in (view, before))
    joined = pd.concat([present, past.add_prefix("previous_")], axis=1)
    numbers = {"scans": "Int64", "previous_scans": "Int64"}
    return joined.astype(numbers) if past["scans"].sum() else None


def _days_of_parts(scans: Scans, span: Span, part: str, ids: Sequence[str]) -> dict[str, dict[date, int]]:
    """Return the scans of campaigns or QR Codes on each day, by ID."""
    if not ids:
        return {}
    view = span.of(scans)
    known = daily_by(view.where(campaign_id=ids) if part == "campaign" else view.where(qrcode_id=ids), f"{part}_id")
    return {id: on_each_day(known.get(id, {}), (span.since, span.until), scans.zone) for id in ids}


def _days_of_events(unusual: pd.DataFrame | None, bursts: pd.DataFrame | None) -> set[date]:
    """Return the unusual days, and the days of bursts."""
    if unusual is None or bursts is None:
        return set()
    days = {moment.date() for moment in unusual.loc[unusual["is_unusual"], "day"]}
    for start, number in zip(bursts["start"], bursts["days"].tolist(), strict=True):
        days |= {start.date() + timedelta(days=passed) for passed in range(number)}
    return days


def _left_out(sides: Sequence[Mapping[date, int]], days: Collection[date]) -> list[date]:
    """Return which of these days are compared, in order; [] if too few others would be left."""
    found = sorted(day for day in days if any(day in side for side in sides))
    return found if min(map(len, sides)) - len(found) >= FEWEST_DAYS else []


def _holidays_in(days: Sequence[date], holidays: Collection[date]) -> list[date]:
    """Return which of these days are holidays."""
    return [day for day, is_holiday in zip(days, which_are_holidays(days, holidays), strict=True) if is_holiday]


def compare_sides(name: str, sides: Sequence[dict[date, int]], level: float) -> Change:
    """Compare the scans per day of two sides."""
    first, second = sides
    row = compare_days(first, second, level=level).iloc[0]
    return Change(
        name=name,
        before=float(row["first_rate"]),
        after=float(row["second_rate"]),
        ratio=float(row["ratio"]),
        low=float(row["low"]),
        high=float(row["high"]),
        differs=None if row["reason"] else bool(row["differs"]),
        smallest=float(row["smallest"]),
        reason=str(row["reason"]),
    )


def _contents(scans: Scans, whole: Span) -> list[tuple[date, str, Change]]:
    """Compare the days before and after, for the most scanned QR Codes whose content changed exactly once."""
    frame = analytics.scans_by_content(whole.of(scans))
    frame = frame[frame["content"] != ""]
    found = []
    for id, rows in frame[frame.duplicated("qrcode_id", keep=False)].groupby("qrcode_id", sort=False):
        first, last = rows["first"].tolist(), rows["last"].tolist()
        if len(rows) == 2 and last[0] < first[1]:
            day = first[1].date()
            left = Span(whole.since, day), Span(day + timedelta(days=1), whole.until)
            if min(side.days for side in left) >= FEWEST_DAYS:
                found.append((int(rows["scans"].sum()), str(id), day, left, rows.iloc[1]))
    found.sort(key=lambda entry: -entry[0])
    changes = []
    for _, id, day, left, row in found[:MOST_CONTENTS]:
        sides = [span.counts(scans.where(qrcode_id=id)) for span in left]
        changes.append((day, summary(str(row["content"])), compare_sides(summary(str(row["qrcode"])), sides, LEVEL)))
    return changes
