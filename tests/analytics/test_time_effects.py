"""Effects of weekdays and hours: shares against pandas, and intervals against simulated truths."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from qrkit import analytics, open_portfolio
from qrkit.analytics import Truth
from qrkit.analytics.time_effects import share_intervals
from qrkit.errors import InvalidParameter
from tests.analytics.worlds import GROUPS, WEEK, histories
from tests.dtypes import TEXT

ZONE = "America/New_York"


@pytest.fixture(scope="module")
def shop():
    with open_portfolio(":memory:") as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
        truth = Truth(weekdays=WEEK)
        # Clocks change on 8 March.
        shop.scans.insert(analytics.simulate({"door": 30.0}, since=date(2026, 2, 1), days=70, seed=3, truth=truth))
        yield shop


@pytest.mark.parametrize(("of", "number"), [("weekday", 7), ("hour", 24)])
def test_effects_are_the_shares_of_the_last_whole_weeks(shop, of, number):
    view = shop.scans.where(since="2026-02-01", until="2026-04-10", time_zone=ZONE)  # 68 days
    found = analytics.time_effects(view, of)
    times = view.where(since="2026-02-06").to_frame()["time"]
    wanted = (times.dt.day_of_week + 1 if of == "weekday" else times.dt.hour).value_counts()
    assert found["scans"].tolist() == wanted.reindex(found[of], fill_value=0).tolist()
    assert found["effect"].mean() == pytest.approx(1)
    assert len(found) == number
    assert ((found["low"] < found["effect"]) & (found["effect"] < found["high"])).all()
    assert not found["reason"].any()
    types = {of: "int64", "scans": "int64"} | dict.fromkeys(("effect", "low", "high"), "float64") | {"reason": TEXT}
    assert found.dtypes.astype(str).to_dict() == types
    wider = analytics.time_effects(view, of, level=0.99)
    assert ((wider["low"] < found["low"]) & (found["high"] < wider["high"])).all()


@pytest.mark.parametrize("world", ["Poisson", "negative binomial, 3", "AR(1), 0.8", "self-exciting, 1 day"])
def test_intervals_of_weekdays_contain_the_truth(world):
    """Nominal is 0.95; 60 views of seven weekdays."""
    truth = next(worlds[world] for worlds in GROUPS.values() if world in worlds)
    effects = np.array(WEEK) / np.mean(WEEK)
    hits = []
    for history in histories(replace(truth, weekdays=WEEK), 20.0, 56, 60, seed=5):
        low, high, reason = share_intervals(np.array(list(history.values()), dtype="float64").reshape(-1, 7), 0.95)
        assert not reason
        hits.append((low <= effects) & (effects <= high))
    assert 0.92 <= np.mean(hits) <= 0.99


def test_a_change_of_the_level_does_not_widen_intervals():
    """Weeks are compared with themselves, so a slow rise is no unrest."""
    week = np.array(WEEK) * 1_000
    calm, rising = np.tile(week, (8, 1)), week * np.linspace(0.5, 1.5, 8)[:, None]
    widths = [np.subtract(*share_intervals(table, 0.95)[:2]) for table in (calm, rising)]
    assert widths[0] == pytest.approx(widths[1])


@pytest.mark.parametrize(
    ("until", "reason"),
    [("2026-02-28", "27 whole days are too few; from 28 on"), ("2026-02-15", "14 whole days are too few")],
)
def test_too_few_days_have_no_interval(shop, until, reason):
    found = analytics.time_effects(shop.scans.where(since="2026-02-01", until=until))
    assert found["effect"].notna().all()
    assert found[["low", "high"]].isna().all().all()
    assert all(reason in told for told in found["reason"])


def test_too_few_scans_have_no_interval(shop):
    with open_portfolio(":memory:") as quiet:
        quiet.insert_qrcode("https://example.com", short_code="door")
        view = quiet.scans.where(since="2026-02-01", until="2026-04-01")
        none = analytics.time_effects(view, "hour")
        assert none["effect"].isna().all()
        quiet.scans.insert(pd.DataFrame({"short_code": "door", "time": ["2026-02-10T12:00Z"] * 5}))
        few = analytics.time_effects(view)
    assert few["reason"].iloc[0] == "5 scans are too few; 14 or more are needed"
    assert few["effect"].tolist() == [0, 7, 0, 0, 0, 0, 0]


def test_arguments_are_checked(shop):
    day = date(2026, 3, 1)
    with pytest.raises(InvalidParameter, match="of='month': must be one of weekday, hour"):
        analytics.time_effects(shop.scans, "month")
    with pytest.raises(InvalidParameter, match="has 6 whole days; 7 or more are needed"):
        analytics.time_effects(shop.scans.where(since=day, until=day + timedelta(days=6)))
