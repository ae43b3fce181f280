"""A comparison that is looked at every day: how often any of the looks sees a change where nothing changed."""

from itertools import islice

import pytest

from qrkit.analytics.daily_looks import level_of_each_look
from qrkit.analytics.daily_spread import TWO_WEEKS
from qrkit.analytics.ratio_intervals import ratio_interval
from tests.analytics.study_intervals import truth_of
from tests.analytics.worlds import histories

BEFORE, LOOKS = 56, 90
WORLDS = ["Poisson", "negative binomial, 1", "AR(1), 0.5", "AR(1), 0.8", "self-exciting, 3 days", "rare events, 1 day"]


def any_time_alarms(world: str, rate: float, number: int, *, looks: int = LOOKS, seed: int = 9) -> float:
    """Share of worlds in which any daily look, from two weeks after the change on, sees a difference."""
    level = level_of_each_look(BEFORE, 0.95)
    alarms = 0
    for history in histories(truth_of(world), rate, BEFORE + TWO_WEEKS + looks - 1, number, seed):
        entries = list(history.items())
        before = dict(entries[:BEFORE])
        ends = range(BEFORE + TWO_WEEKS, len(entries) + 1)
        found = (ratio_interval(before, dict(islice(entries, BEFORE, end)), level, independent=False) for end in ends)
        alarms += any(interval.differs for interval in found)
    return alarms / number


def test_hardly_any_alarm_in_two_weeks_of_looks():
    """With the interval for one look, every look would be a new chance of an alarm."""
    assert any_time_alarms("AR(1), 0.8", 40.0, 12, looks=14) <= 0.1


@pytest.mark.benchmark  # a minute each or more: to be run when the rule changes
@pytest.mark.parametrize("world", WORLDS)
def test_all_looks_of_three_months_keep_the_level(world, capsys):
    """Nominal is 0.05; the standard error of 500 worlds is 0.01."""
    share = any_time_alarms(world, 40.0, 500)
    with capsys.disabled():
        print(f"\n{world}: an alarm at any of {LOOKS} looks in {share:.3f} of 500 worlds")  # noqa: T201
    assert share <= 0.065
