"""Estimates scan rates with intervals and compares two groups: which is scanned more, and how certain that is.

All functions count whole days (`qrkit.analytics.daily_spread`) and measure how far their mean can be off, although
scans come in clusters and one day depends on the days before it (`qrkit.analytics.long_run_spread`). A test that treats
each scan, or each day, as an independent draw raises far too many false alarms. Intervals are Bayesian with Jeffreys
priors: a gamma prior for a rate, a beta prior for one side's share of the scans of both.

Two groups of codes, such as two designs on ten posters each, are compared by codes (`qrkit.analytics.between_codes`),
because places differ more than designs do.

What no interval knows: a level that drifts over months, and an event so rare that the days counted have not seen it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from math import exp, log, nan, sqrt
from statistics import NormalDist
from typing import Literal, NamedTuple

import pandas as pd

from qrkit.analytics.between_codes import CodeCounts, between_codes, changes_of, code_counts, rates_of
from qrkit.analytics.daily_spread import (
    FEWEST_DAYS,
    TWO_WEEKS,
    beginnings,
    beginnings_by,
    check_choice,
    check_share,
    counts,
    from_beginning,
    on_each_day,
    span_of,
    spread_of,
    whole_days,
    without_outages,
)
from qrkit.analytics.day_models import read_covariates, weekly_trend, with_covariates
from qrkit.analytics.long_run_spread import Side, long_run_spread, side_of
from qrkit.analytics.over_time import by_day, scans_per_day
from qrkit.analytics.rate_intervals import (
    FEWEST_SCANS,
    FOUR_WEEKS,
    RatioInterval,
    rate_interval,
    ratio_interval,
    too_few_days,
    too_few_scans,
)
from qrkit.errors import InvalidParameter, Problem
from qrkit.languages import say
from qrkit.store import Scans
from qrkit.store.questions.local_time import on_the_clock
from qrkit.store.questions.scan_attributes import Attribute, check_attribute
from qrkit.tracking.text_columns import frame_of, with_dtypes
from qrkit.tracking.times import first_moment, from_day, moment_in

YEAR = timedelta(weeks=52)
"""After it, a season is the same, and so are weekdays."""
STEPS = 60
"""Bisections until the level is exact to the last bits."""
FARTHEST = 20.0
"""Standard deviations beyond which a normal variable never lies."""

Looks = Literal["once", "every day"]
"""How often a comparison is looked at."""

Unit = Literal["codes", "days"]
"""What a comparison takes as one observation."""

RATE_TYPES = {"part": "str", "days": "int64", "scans": "int64"}
RATE_TYPES |= dict.fromkeys(("rate", "low", "high", "spread", "days_as_one"), "float64") | {"reason": "str"}
SIDE_TYPES = {"days": "int64", "scans": "int64", "rate": "float64"}
RATIO_TYPES = {f"{side}_{name}": dtype for side in ("first", "second") for name, dtype in SIDE_TYPES.items()}
RATIO_TYPES |= dict.fromkeys(("ratio", "low", "high", "probability"), "float64") | {"differs": "boolean"}
RATIO_TYPES |= dict.fromkeys(("smallest", "spread", "days_as_one"), "float64") | {"is_paired": "bool", "reason": "str"}


def rates(
    scans: Scans,
    *,
    by: Attribute | str | None = None,
    level: float = 0.95,
    independent: bool = False,
    without: Collection[date] = (),
) -> pd.DataFrame:
    """Return scans per day with an interval for the true rate: one row, or one row per group that has scans.

    The interval is for days like the counted ones, which may depend on the days before them. It does not allow for
    another season, for a level that drifts slowly, or for an event that has not happened yet. A QR Code, or a campaign,
    counts from the day after its first scan, so that those which began in the view have the rate of their own days.
    Days on which the server did not run for an hour or more are left out (`outages`), here and in all comparisons.

    Columns: the name of `by` (str, if given), days, scans (int64), rate, low, high (float64, scans per day; low and
    high are missing where no interval is possible), spread (float64, 1 or more: ratio of the variance to the mean of a
    day's scans, per weekday if there are two weeks or more), days_as_one (float64, 1 or more: how many days carry the
    information of one independent day), reason (str, why there is no interval, or empty).

    There is no interval for fewer than 28 whole days, or if the scans came in too few bursts. A group that began
    within the view needs 14 days: its interval is wide, because so few days hardly show how they depend on each other.

    Args:
        scans: The view. Only its whole days count; without `since`, those from its first scan on, and without `until`,
            those until yesterday.
        by: Return one rate for each value of an attribute: campaign, campaign_id, qrcode, qrcode_id, or an attribute
            that `scans.where` filters by.
        level: Probability that the interval contains the true rate, above 0 and below 1.
        independent: Treat the days as independent of each other. The interval is narrower, there is always one, and it
            is wrong far too often if one good day makes the next one likely.
        without: See `compare`.

    Raises:
        InvalidParameter: If fewer than 2 whole days are counted, or if an argument is out of range.
    """
    if by is not None:
        check_attribute("by", by, scans)
    level = check_share("level", level)
    ((first, last),) = whole_days([scans], to_now=True)
    view = scans.where(since=first, until=last)
    per_day, begins = scans_per_day(view, by=by), beginnings_by(view, by)
    counted = without_outages(view, dict.fromkeys(per_day["day"].dt.date, 0))
    counted = _without(counted, without) if without else counted
    per_day = per_day[per_day["day"].dt.date.isin(list(counted))]
    groups = per_day.groupby(by, sort=True) if by else [("", per_day)]
    rows = []
    for part, frame in groups:
        days = from_beginning(by_day(frame), begins.get(str(part)))
        fewest = FOUR_WEEKS if len(days) == len(frame) else TWO_WEEKS
        scanned, found = sum(days.values()), rate_interval(days, level, independent=independent, fewest=fewest)
        spread = spread_of(days).ratio
        rate = scanned / len(days)
        rows.append((part, len(days), scanned, rate, found.low, found.high, spread, found.days_as_one, found.reason))
    frame = frame_of(rows, RATE_TYPES)
    return frame.rename(columns={"part": by}) if by else frame.drop(columns="part")


def compare(
    first: Scans,
    second: Scans,
    *,
    level: float = 0.95,
    unit: Unit = "codes",
    independent: bool = False,
    without: Collection[date] = (),
) -> pd.DataFrame:
    """Compare the scans per day of two views: which has more, by how much, and how certain that is. Returns one row.

    Two groups of different QR Codes, such as two designs on ten posters each, are compared by codes: the interval rests
    on how much the codes of one group differ from each other, and is about other codes of these kinds, too. Places
    differ a lot, so such an interval is wide; `before_and_after` with a control group, and `compare_designs` with a
    change, compare each place with its own past. The ratio is then that of typical codes (geometric means of scans per
    day), each counted from the day after its first scan. With `unit="days"`, the two sums of scans are compared
    instead: would these very codes, where they are now, go on to differ? A single code with another one, and codes with
    themselves in another period, are always compared by days.

    By days: if both views cover the same days, each day is compared with itself, so weather and weekdays cancel out.
    Otherwise, if both views cover two weeks or more, days are compared with days of the same weekday (Mantel-Haenszel
    ratio of rates; variance after Greenland and Robins, 1985). Shorter views are compared as a whole.

    Columns: first_days, first_scans (int64), first_rate (float64, scans per day), second_days, second_scans,
    second_rate, ratio, low, high (float64, second rate divided by first, and its interval), probability (float64, 0..1,
    that the second rate is higher), differs (boolean, whether the interval excludes 1), smallest (float64, above 1: the
    smallest ratio, or 1 / ratio, that this many scans would have revealed in 4 of 5 cases), spread (float64, 1 or more:
    variance of the days, or of the codes, relative to chance alone), days_as_one (float64, 1 or more: how many days
    carry the information of one independent day; missing by codes), is_paired (bool, whether each day is compared with
    itself), reason (str, why there is no interval, or empty), unit (str, codes or days), first_codes, second_codes
    (int64, QR Codes with scans on the counted days). Without an interval, low, high, probability, differs and smallest
    are missing.

    There is no interval by codes if one group has fewer than two codes with scans. There is none by days for fewer than
    28 whole days of both views, for fewer than 14 days of one of them if they are different days, or if the scans came
    in too few bursts.

    Args:
        first: A view. Only its whole days count. A missing `since` or `until` is taken from the other view, or else
            from the first and last scan of both views.
        second: Another view in the same time zone, of other codes or of another period.
        level: Probability that the interval contains the true ratio, above 0 and below 1. Two views with equal rates
            are reported as different in 1 - level of all cases, if you compare once, at a time fixed beforehand.
        unit: What counts as one observation where two groups of codes are compared: codes or days.
        independent: See `rates`. Compares by days.
        without: Days to leave out, for instance of an event that is not part of the question.

    Raises:
        InvalidParameter: If a view has fewer than 2 whole days, if the time zones differ, or if `level` is out of
            range, or `unit` is unknown.
    """
    level = check_share("level", level)
    check_choice("unit", unit, Unit)
    days, other_days = _days_of(first, second, without)
    one, two = code_counts(first, days), code_counts(second, other_days)
    codes = {"first_codes": _number_scanned(one), "second_codes": _number_scanned(two)}
    if independent or not _is_by_codes(one, two, unit):
        return _with_unit(compare_days(days, other_days, level=level, independent=independent), "days", codes)
    table = _table(days, other_days, between_codes(rates_of(one), rates_of(two), level))
    return _with_unit(table.assign(is_paired=False), "codes", codes)


def compare_days(
    first: dict[date, int], second: dict[date, int], *, level: float, independent: bool = False
) -> pd.DataFrame:
    """Compare scans that are already counted, by day, as `compare` does; days that are left out are missing."""
    return _table(first, second, ratio_interval(first, second, level, independent=independent))


def before_and_after(
    scans: Scans,
    change: date | str,
    *,
    level: float = 0.95,
    looks: Looks = "once",
    control: Scans | Literal["last year"] | None = None,
    covariates: pd.DataFrame | None = None,
    unit: Unit = "codes",
    independent: bool = False,
    without: Collection[date] = (),
) -> pd.DataFrame:
    """Compare the days after a change with the days before it.

    The day of the change is left out, unless the change happened at its very start. Without a control group, the
    comparison does not isolate the change: anything else that happened at the same time, such as a holiday or a new
    season, affects the ratio, too. With one, the ratio is the change of the view divided by the change of the control
    group on the same days (difference in differences).

    If the view and its control group are different QR Codes, two or more of them, they are compared by codes: each code
    has a change of its own, and the interval rests on how much these changes differ within a group. Codes that began
    after the change, or were not scanned, are not in it. With `unit="days"`, the sums of scans are compared: the
    interval is then about these very codes, and takes a move of one of them for an effect of the change.

    A year has seasons. If the codes had scans a year earlier, `control="last year"` uses the same codes 52 weeks
    earlier as the control group: what changes every year at this time cancels out.

    What differs from day to day and may explain scans, such as rain, sales or a holiday, can be taken out with
    `covariates`: the ratio is then that of days with the same covariates and the same weekday (Poisson regression).
    Covariates that changed when the view did leave little to tell them apart, and the interval is wide.

    Where scans have been growing or falling all the time, both sides differ although nothing changed: the column trend
    says so.

    Columns: the columns of `compare` without unit, first_codes and second_codes; first is before, second is after.
    Without a control group, trend (float64) follows: by how much scans change each week on both sides, such as 0.07 for
    7% more; missing if that is not clear, which is within three standard errors of none. With a control group, ratio
    and its interval are relative to that group, spread is the measured variance relative to that of independent scans,
    and more columns follow: view_ratio, control_ratio (float64, the ratios of each alone; of typical codes, if compared
    by codes), unit (str, codes or days), view_codes, control_codes (int64, QR Codes with scans; by codes, those whose
    changes are compared).

    Args:
        scans: A view with whole days on both sides of the change.
        change: A day or a moment: a date, a datetime, or text such as 2026-06-15. Without a time zone, it is in the
            view's time zone.
        level: See `compare`.
        looks: Whether the comparison is looked at once, at a day fixed beforehand, or every day. For every day, the
            interval is wider, and all looks from two weeks after the change on have the level together, for as long as
            they go on.
        control: A view in the same time zone that the change did not concern, or "last year".
        covariates: Numbers that explain scans, in 1 to 10 columns, with a row for each counted day. The index has
            dates, or days as text, periods or timestamps. Not possible with a control group.
        unit: What counts as one observation where there is a control group: codes or days.
        independent: See `rates`. Not possible with a control group.
        without: See `compare`.

    Raises:
        InvalidParameter: If the change is not a date, if the view has fewer than 2 whole days before or after it, if
            `looks`, `unit` or `control` is unknown, if the view has no scans a year earlier, if covariates are no
            numbers for each day, or if `independent` is combined with covariates or a control group.
    """
    level = check_share("level", level)
    check_choice("looks", looks, Looks)
    check_choice("unit", unit, Unit)
    for name, given in (("control", control), ("covariates", covariates)):
        if given is not None and independent:
            rule = f"must be False with {'a control group' if name == 'control' else name}"
            raise InvalidParameter(Problem("independent", independent, rule))
    if control is not None and covariates is not None:
        rule = "must not be given with a control group, which has the same weather and holidays"
        raise InvalidParameter(Problem("covariates", None, rule))
    before, after = sides_of(scans, change)
    one, two = _days_of(before, after, without)
    if looks == "every day":
        level = level_of_each_look(len(one), level)
    if covariates is not None:
        columns = read_covariates(covariates, [one, two])
        return _table(one, two, with_covariates([one, two], columns, level)).assign(trend=nan)
    if control is None:
        return compare_days(one, two, level=level, independent=independent).assign(trend=weekly_trend([one, two]))
    if isinstance(control, str):
        check_choice("control", control, Literal["last year"])
        return _with_last_year(scans, one, two, level)
    check_zone(scans, control)
    return _with_control([scans, control], [one, two], level, unit, without)


def _with_last_year(scans: Scans, before: dict[date, int], after: dict[date, int], level: float) -> pd.DataFrame:
    """Compare the change of a view, on these days, with that of its codes a year earlier."""
    groups = with_last_year(scans, [before, after])
    if groups is None:
        rule = f"must be a group, because no QR Code of the view had a scan before {min(before) - YEAR}, a year earlier"
        raise InvalidParameter(Problem("control", "last year", rule))
    codes, now, then = groups
    table = _table(now.before, now.after, controlled_interval(now, then, level))
    table = table.assign(view_ratio=now.ratio, control_ratio=then.ratio)
    return _with_unit(table, "days", {"view_codes": codes, "control_codes": codes})


def with_last_year(scans: Scans, sides: Sequence[Collection[date]]) -> tuple[int, Group, Group] | None:
    """Return the scans of the QR Codes of a view that were there a year earlier: how many there are, now, and then.

    None if there is no such code. The sides are the days before and after a change.
    """
    codes = [id for id, begin in beginnings(scans).items() if begin <= min(sides[0]) - YEAR]
    if not codes:
        return None
    view, groups = scans.where(qrcode_id=codes), []
    for passed in (timedelta(), YEAR):
        known = [counts(view, (min(days) - passed, max(days) - passed + timedelta(days=1))) for days in sides]
        each = [
            {day: number for day, number in one.items() if day + passed in days}
            for one, days in zip(known, sides, strict=True)
        ]
        groups.append(Group(each[0], each[1]))
    return len(codes), groups[0], groups[1]


def _with_control(
    views: Sequence[Scans], sides: Sequence[dict[date, int]], level: float, unit: Unit, without: Collection[date]
) -> pd.DataFrame:
    """Compare the change of a view, whose days are counted, with that of its control group."""
    counted = [[code_counts(view, days) for days in sides] for view in views]
    scanned = [{id: one for side in of_view for id, one in side.items() if one.scans} for of_view in counted]
    if _is_by_codes(scanned[0], scanned[1], unit):
        logs = [changes_of(*of_view) for of_view in counted]
        ratios = [exp(one.values.mean()) if len(one.values) else nan for one in logs]
        codes = [len(one.values) for one in logs]
        found, unit = between_codes(logs[1], logs[0], level), "codes"
    else:
        ends = [(min(days), max(days) + timedelta(days=1)) for days in sides]
        group, control = Group(sides[0], sides[1]), Group(*(_without(counts(views[1], both), without) for both in ends))
        ratios, codes = [group.ratio, control.ratio], [len(one) for one in scanned]
        found, unit = controlled_interval(group, control, level), "days"
    table = _table(sides[0], sides[1], found).assign(view_ratio=ratios[0], control_ratio=ratios[1])
    return _with_unit(table, unit, {"view_codes": codes[0], "control_codes": codes[1]})


def sides_of(scans: Scans, change: date | str) -> tuple[Scans, Scans]:
    """Return the views before and after a change, without the day of the change unless it was at its very start."""
    if isinstance(change, str):
        change = from_day(change, name="change")
    if not isinstance(change, date):
        rule = "must be a date, a datetime, or text such as 2026-06-01"
        raise InvalidParameter(Problem("change", change, rule, "wrong-type"))
    moment = moment_in(scans.zone, change)
    day = on_the_clock(moment, scans.zone).date()
    after = day if moment == first_moment(scans.zone, day) else day + timedelta(days=1)
    ((first, last),) = whole_days([scans])
    if min((day - first).days, (last - after).days) < FEWEST_DAYS:
        days = f"the whole days of the view are {first} to {last - timedelta(days=1)}"
        rule = f"must lie within the view, with {FEWEST_DAYS} whole days on each side; {days}"
        raise InvalidParameter(Problem("change", str(change), rule))
    return scans.where(until=day), scans.where(since=after)


def _days_of(first: Scans, second: Scans, without: Collection[date]) -> list[dict[date, int]]:
    """Count the whole days of two views, each from its beginning; the same days of both where they had the same."""
    check_zone(first, second)
    views = (first, second)
    ends = whole_days(views)
    every = [counts(view, own) for view, own in zip(views, ends, strict=True)]
    began = [from_beginning(days, _beginning(view)) for view, days in zip(views, every, strict=True)]
    if ends[0] == ends[1]:
        began = [from_beginning(days, max(map(min, began))) for days in began]
    return [_without(days, without) for days in began]


def _beginning(view: Scans) -> date | None:
    """Return the day from which on a view counts: from the beginning of its first code."""
    return min(beginnings(view).values(), default=None)


def _is_by_codes(first: Mapping[str, CodeCounts], second: Mapping[str, CodeCounts], unit: Unit) -> bool:
    """Whether two groups of QR Codes are compared by codes: different ones, and not one with another."""
    one, two = ({id for id, counted in group.items() if counted.scans} for group in (first, second))
    return unit == "codes" and not one & two and max(len(one), len(two)) > 1


def _number_scanned(codes: Mapping[str, CodeCounts]) -> int:
    return sum(counted.scans > 0 for counted in codes.values())


def _with_unit(table: pd.DataFrame, unit: Unit, codes: Mapping[str, int]) -> pd.DataFrame:
    return with_dtypes(table.assign(unit=unit, **codes), {"unit": "str"} | dict.fromkeys(codes, "int64"))


def whole_days_of(scans: Scans, without: Collection[date]) -> Collection[date]:
    """Return the whole days of a view without those that are left out."""
    ((first, last),) = whole_days([scans])
    days = on_each_day({}, (first, last), scans.zone)
    return _without(without_outages(scans.where(since=first, until=last), days), without)


def check_zone(first: Scans, second: Scans) -> None:
    """Require that days of two views are the same days."""
    if first.time_zone != second.time_zone:
        rule = f"must be that of the other view, {first.time_zone}: days in different time zones are not the same days"
        raise InvalidParameter(Problem("time_zone", second.time_zone, f"{rule}; set it with where(time_zone=…)"))


def _without(days: dict[date, int], left_out: Collection[date]) -> dict[date, int]:
    gone = {day.date() if isinstance(day, datetime) else day for day in left_out}
    kept = {day: number for day, number in days.items() if day not in gone}
    if len(kept) < FEWEST_DAYS:
        rule = f"must leave {FEWEST_DAYS} days on each side; {len(kept)} are left"
        raise InvalidParameter(Problem("without", sorted(map(str, gone)), rule))
    return kept


def _table(first: Mapping[date, int], second: Mapping[date, int], found: RatioInterval) -> pd.DataFrame:
    row: dict[str, object] = {}
    for name, days in (("first", first), ("second", second)):
        scans = sum(days.values())
        row |= {f"{name}_days": len(days), f"{name}_scans": scans, f"{name}_rate": scans / len(days)}
    row |= found._asdict() | {"is_paired": first.keys() == second.keys()}
    return frame_of([row], RATIO_TYPES)


# ---- looks of every day
#
# A 95% interval is for one look at a day fixed beforehand. If you look every day, and stop as soon as a difference
# shows, you see one that is not there far more often than in 5 of 100 cases. The intervals here are wider, so that
# all looks together keep the rate of false alarms, however long they go on. They can be that narrow because the days
# before the change are a fixed number: the information about the change, 1 / (1 / days after + 1 / days before), is
# bounded. The boundary is that of Brownian motion over logarithmic time (Siegmund, Sequential Analysis, 1985, chapter
# 4).


def level_of_each_look(days_before: int, level: float) -> float:
    """Return the level of one look, so that the looks of all days together have the given level.

    The first look is two weeks after the change; at least 1 day comes before the change. With probability `level`, no
    look at any time finds a difference if there is none.
    """
    normal = NormalDist()
    # Information at the first look and at the end of all days, on a logarithmic scale.
    time = log((TWO_WEEKS + days_before) / TWO_WEEKS) / 2
    low, high = 0.0, FARTHEST
    for _ in range(STEPS):
        bound = (low + high) / 2
        alarm = 2 * (1 - normal.cdf(bound)) + 2 * bound * normal.pdf(bound) * time
        low, high = (bound, high) if alarm > 1 - level or bound < 1 else (low, bound)
    return 2 * normal.cdf(high) - 1


# ---- a control group
#
# Both groups are counted on the same days. What changes both alike, such as the weather or a season, cancels out:
# what remains is the change of the first, divided by the change of the second. The method assumes that, without the
# change, both groups would have developed alike.


class Group(NamedTuple):
    """The scans of one group by day, before and after the change."""

    before: Mapping[date, int]
    after: Mapping[date, int]

    @property
    def ratio(self) -> float:
        """Scans per day after the change, divided by those before it."""
        sides = self.after, self.before
        after, before = (sum(days.values()) / len(days) for days in sides)
        return after / before if before else nan


def controlled_interval(group: Group, control: Group, level: float) -> RatioInterval:
    """Return the interval for the change of a group divided by the change of a control group.

    Both have the same days, 1 or more on each side.
    """
    fewest_days = min(span_of(group.before), span_of(group.after))
    scans = [[sum(days.values()) for days in one] for one in (group, control)]
    fewest = min(min(sides) for sides in scans)
    ratio = group.ratio / control.ratio if fewest else nan
    if fewest_days < TWO_WEEKS or not fewest:
        few = too_few_days(fewest_days, TWO_WEEKS, is_one_side=True)
        reason = few if fewest_days < TWO_WEEKS else say("one of the groups has no scan before or after the change")
        return RatioInterval.none(ratio, reason)
    sides, chance = controlled_sides(group, control)
    run = long_run_spread(sides, level)
    width = max(1.0, run.variance)
    if fewest / width < FEWEST_SCANS:
        return RatioInterval.none(ratio, too_few_scans(fewest, fewest / width), days_as_one=run.days_as_one)
    return RatioInterval.of_normal(ratio, log(ratio), sqrt(width * chance), level, run)


def controlled_sides(group: Group, control: Group) -> tuple[list[Side], float]:
    """Return the days of a change relative to a control group, and the variance of its logarithm by chance alone.

    Each day is the difference of both groups in units of its standard deviation if scans were independent. All four
    sums of scans are above 0.
    """
    sides, total = [], 0.0
    for one_days, other_days in zip(group, control, strict=True):
        one, other = side_of(one_days), side_of(other_days)
        chance = 1 / one.values.sum() + 1 / other.values.sum()
        difference = one.values / one.values.sum() - other.values / other.values.sum()
        sides.append(Side(difference / sqrt(chance / len(difference)), one.weekdays))
        total += chance
    return sides, total
