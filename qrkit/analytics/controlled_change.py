"""Computes an interval for a change relative to a control group (difference in differences, on logarithms).

Both groups are counted on the same days. What changes both alike, such as the weather or a season, cancels out: what
remains is the change of the one, divided by the change of the other. The method takes for granted that, without the
change, both would have changed alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from math import exp, log, nan, sqrt
from statistics import NormalDist
from typing import NamedTuple

from qrkit.analytics.daily_spread import TWO_WEEKS, span_of
from qrkit.analytics.long_run_spread import Side, long_run_spread, side_of
from qrkit.analytics.rate_intervals import FEWEST_SCANS, too_few_days, too_few_scans
from qrkit.analytics.ratio_intervals import POWER, RatioInterval
from qrkit.languages import say

__all__ = ["Group", "controlled_interval"]


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

    Args:
        group: The group that was changed; 1 day or more on each side.
        control: The group that was not, on the same days.
        level: Probability that the interval contains the true ratio, above 0 and below 1.
    """
    fewest_days = min(span_of(group.before), span_of(group.after))
    scans = [[sum(days.values()) for days in one] for one in (group, control)]
    fewest = min(min(sides) for sides in scans)
    ratio = group.ratio / control.ratio if fewest else nan
    if fewest_days < TWO_WEEKS or not fewest:
        few = too_few_days(fewest_days, TWO_WEEKS, is_one_side=True)
        reason = few if fewest_days < TWO_WEEKS else say("one of the groups has no scan before or after the change")
        return RatioInterval.none(ratio, reason)
    chance = [1 / one + 1 / other for one, other in zip(*scans, strict=True)]
    sides = []
    for side in (0, 1):
        one, other = side_of(group[side]), side_of(control[side])
        difference = one.values / scans[0][side] - other.values / scans[1][side]
        sides.append(Side(difference / sqrt(chance[side] / len(difference)), one.weekdays))
    run = long_run_spread(sides, level)
    width = max(1.0, run.variance)
    if fewest / width < FEWEST_SCANS:
        return RatioInterval.none(ratio, too_few_scans(fewest, fewest / width), days_as_one=run.days_as_one)
    normal, error = NormalDist(), sqrt(width * sum(chance))
    far = normal.inv_cdf((1 + level) / 2)
    low, high = (ratio * exp(sign * far * error) for sign in (-1, 1))
    above = normal.cdf(log(ratio) / error)
    smallest = exp((far + normal.inv_cdf(POWER)) * error)
    return RatioInterval(ratio, low, high, above, not low <= 1 <= high, smallest, width, run.days_as_one, "")
