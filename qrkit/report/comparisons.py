"""Makes the comparisons of a report: with the previous period, between halves or groups, and with usual days."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

from qrkit import analytics
from qrkit.analytics.bursts import find_bursts
from qrkit.analytics.unusual_days import daily_scans, judge_days
from qrkit.contents.cards import summary
from qrkit.store import Scans

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FEWEST_DAYS", "Change", "CompareTo", "Comparisons", "Span", "compared"]

CompareTo = Literal["previous", "last year"] | tuple[date, date] | None
"""What a period is compared with: the one before it, the same dates a year earlier, or days up to the day before the
second one. By default, the one before it if both bounds are given and it has scans, or else the halves are compared."""

LEVEL = 0.95
MOST_PARTS = 20
"""Maximum number of groups compared; more would make the intervals wider."""
FEWEST_DAYS = 2
"""Minimum days on each side of a comparison."""
ALARM = 0.05
"""Probability that a period in which nothing happened has an unusual day, and that it has a burst."""
FEWEST_USUAL = 14
"""Minimum number of whole days to tell what is usual."""
MOST_CONTENTS = 3


@dataclass(frozen=True, slots=True)
class Change:
    """Scans per day of two periods, or of two groups.

    Attributes:
        name: Name of the group; "" for all scans.
        before: Scans per day of the first.
        after: Scans per day of the second.
        ratio: The second divided by the first.
        low: Lower end of the interval of the ratio.
        high: Upper end of the interval of the ratio.
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

    def of(self, scans: Scans) -> Scans:
        """Return the view narrowed to these days in its time zone."""
        return scans.where(since=self.since, until=self.until)

    def split(self) -> tuple[Span, Span]:
        """Split the days into two halves; if their number is odd, the second half is longer."""
        middle = self.since + timedelta(days=self.days // 2)
        return Span(self.since, middle), Span(middle, self.until)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """What a period was compared with, and the results.

    Attributes:
        first: The days compared with: those before the period, or its first half.
        second: The period, or its second half.
        is_half: Whether the two halves of the period are compared.
        total: Change of all scans; None if there are too few days.
        calm: Change of all scans without the unusual days; None if there are none among the compared days.
        left_out: The unusual days that `calm` leaves out.
        part: What `parts` are grouped by: campaign or qrcode; "" for none.
        parts: Change of each campaign or QR Code; the intervals are jointly correct 95% of the time.
        before: Totals of the days compared with, as `analytics.summary` returns them; None for halves.
        leading: The largest group, compared with the second largest; None if there is only one group.
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
    part: str = ""
    parts: Sequence[Change] = ()
    before: pd.DataFrame | None = None
    leading: Change | None = None
    previous: pd.DataFrame | None = None
    unusual: pd.DataFrame | None = None
    bursts: pd.DataFrame | None = None
    contents: Sequence[tuple[date, str, Change]] = ()


def compared(
    scans: Scans, whole: Span, *, has_bounds: bool, names: Mapping[str, str], part: str, compare_to: CompareTo = None
) -> Comparisons:
    """Make all comparisons of a view.

    Args:
        scans: The view, not narrowed to a period.
        whole: The whole days of the period.
        has_bounds: Whether both bounds were given; if so, the period is compared with the one before it.
        names: Names of the groups by ID, most scanned first.
        part: What the groups are: campaign or qrcode.
        compare_to: What to compare the period with; by default the period before it, or its first half.
    """
    if whole.days < FEWEST_DAYS:
        return Comparisons()
    view = whole.of(scans)
    # The days are counted once for both questions.
    daily = daily_scans(view) if whole.days >= FEWEST_USUAL and view.count() else None
    unusual, bursts = (judge_days(daily, ALARM), find_bursts(daily, ALARM)) if daily else (None, None)
    before = _span_before(scans, whole, has_bounds=has_bounds, compare_to=compare_to)
    first, second = (before, whole) if before else whole.split()
    previous = _side_by_side(whole.of(scans), before.of(scans)) if before else None
    chosen = dict(list(names.items())[:MOST_PARTS]) if len(names) > 1 else {}
    total, calm, parts = None, None, []
    left_out = _events_within(unusual, bursts, (first, second))
    if min(first.days, second.days) >= FEWEST_DAYS:
        sides = first.of(scans), second.of(scans)
        total = _change("", sides, LEVEL)
        if left_out and min(span.days for span in (first, second)) - len(left_out) >= FEWEST_DAYS:
            calm = _change("", sides, LEVEL, without=left_out)
        # Of many intervals, some would be wrong by chance, so each gets a higher level (Bonferroni).
        level = 1 - (1 - LEVEL) / max(len(chosen), 1)
        for id, name in chosen.items():
            alone = _only(scans, part, id)
            parts.append(_change(name, (first.of(alone), second.of(alone)), level))
    best = [(name, whole.of(_only(scans, part, id))) for id, name in list(chosen.items())[:2]]
    leading = _change(best[0][0], (best[1][1], best[0][1]), LEVEL) if len(best) == 2 else None
    return Comparisons(
        first, second, before is None, total, calm, left_out, part if chosen else "", parts,
        analytics.summary(before.of(scans)) if before else None, leading, previous, unusual, bursts,
        _contents(scans, whole),
    )  # fmt: skip


def _span_before(scans: Scans, whole: Span, *, has_bounds: bool, compare_to: CompareTo) -> Span | None:
    """Return the days to compare with; None for the first half of the period."""
    if isinstance(compare_to, tuple):
        return Span(*compare_to)
    if compare_to == "last year":
        return Span(_year_before(whole.since), _year_before(whole.until))
    if compare_to is None and not has_bounds:
        return None
    frame = analytics.scans_and_previous(whole.of(scans))
    before = Span(frame["previous_start"].iloc[0].to_pydatetime().date(), whole.since)
    return before if compare_to == "previous" or frame["previous_scans"].sum() else None


def _year_before(day: date) -> date:
    """Return the same date a year earlier; 28 February for 29 February."""
    is_leap_day = (day.month, day.day) == (2, 29)
    return day.replace(year=day.year - 1, day=28 if is_leap_day else day.day)


def _side_by_side(view: Scans, before: Scans) -> pd.DataFrame | None:
    import pandas as pd

    present, past = (analytics.scans_per(side, "day")[["start", "scans"]] for side in (view, before))
    joined = pd.concat([present, past.add_prefix("previous_")], axis=1)
    numbers = {"scans": "Int64", "previous_scans": "Int64"}
    return joined.astype(numbers) if past["scans"].sum() else None


def _only(scans: Scans, part: str, id: str) -> Scans:
    return scans.where(campaign_id=id) if part == "campaign" else scans.where(qrcode_id=id)


def _events_within(unusual: pd.DataFrame | None, bursts: pd.DataFrame | None, spans: Sequence[Span]) -> list[date]:
    """Return the unusual days, and the days of bursts, that are compared."""
    if unusual is None or bursts is None:
        return []
    days = {moment.date() for moment in unusual.loc[unusual["is_unusual"], "day"]}
    for start, number in zip(bursts["start"], bursts["days"].tolist(), strict=True):
        days |= {start.date() + timedelta(days=passed) for passed in range(number)}
    return sorted(day for day in days if any(span.since <= day < span.until for span in spans))


def _change(name: str, sides: tuple[Scans, Scans], level: float, *, without: Collection[date] = ()) -> Change:
    row = analytics.compare(*sides, level=level, without=without).iloc[0]
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
    """Find the most scanned QR Codes whose content changed exactly once, with enough whole days before and after."""
    frame = analytics.scans_by_content(whole.of(scans))
    frame = frame[frame["content"] != ""]
    changes = []
    for id, rows in frame.groupby("qrcode_id", sort=False):
        before, after = (rows.iloc[0], rows.iloc[-1])
        if len(rows) == 2 and before["last"] < after["first"]:
            day = after["first"].date()
            left = Span(whole.since, day), Span(day + timedelta(days=1), whole.until)
            if min(side.days for side in left) >= FEWEST_DAYS:
                alone = scans.where(qrcode_id=str(id))
                change = _change(summary(str(after["qrcode"])), (left[0].of(alone), left[1].of(alone)), LEVEL)
                changes.append((int(rows["scans"].sum()), day, summary(str(after["content"])), change))
    changes.sort(key=lambda entry: -entry[0])
    return [(day, content, change) for _, day, content, change in changes[:MOST_CONTENTS]]
