"""Days that are called unusual: those that were made so, and hardly ever others."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from qrkit import analytics, open_portfolio
from qrkit.analytics import Truth
from qrkit.errors import InvalidParameter

FIRST = date(2026, 3, 2)
WEEK = (0.7, 0.9, 1.0, 1.0, 1.1, 1.2, 0.1)


@pytest.fixture(scope="module")
def shop():
    with open_portfolio(":memory:", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as portfolio:
        yield portfolio


def view_of(shop, frame, days):
    """The scans of a frame as those of a new code of the shop."""
    code = shop.insert_qrcode("https://example.com", name="poster")
    shop.scans.insert(frame.assign(short_code=code.short_code))
    return shop.scans.where(qrcode_id=code.id, since=FIRST, until=FIRST + timedelta(days=days))


def quiet(seed, rate=20.0, days=70, **truth):
    frame = analytics.simulate({"door": rate}, since=FIRST, days=days, seed=seed, truth=Truth(weekdays=WEEK, **truth))
    return frame[["time"]]


def without(frame, day, share):
    """A frame with a share of the scans of a day left."""
    on_it = frame["time"].dt.date == FIRST + timedelta(days=day)
    return pd.concat([frame[~on_it], frame[on_it][: int(on_it.sum() * share)]])


def with_more(frame, day, number):
    time = datetime.combine(FIRST + timedelta(days=day), datetime.min.time()) + timedelta(hours=10)
    return pd.concat([frame, pd.DataFrame({"time": [time] * number})])


def unusual(frame):
    return [(day.date() - FIRST).days for day in frame.loc[frame["is_unusual"], "day"]]


def test_planted_days_are_found_whatever_their_weekday(shop):
    frame = with_more(with_more(without(quiet(1, rate=60), 30, 0.1), 41, 60), 10, 150)
    found = analytics.unusual_days(view_of(shop, frame, 70))
    assert unusual(found) == [10, 30, 41]  # 41 is a Sunday, on which there are next to none
    assert found["scans"].sum() == len(frame)
    rows = found.set_index(found["day"].dt.date)
    assert rows.loc[FIRST + timedelta(days=41), "scans"] < rows.loc[FIRST + timedelta(days=42), "high"] + 60


def test_holidays_are_never_unusual_and_other_days_are_judged_without_them(shop):
    """The name of a holiday does not matter; a mapping may compute it when it is asked."""
    view = view_of(shop, without(with_more(quiet(1, rate=60), 10, 150), 30, 0.02), 70)
    closed = FIRST + timedelta(days=30)
    assert unusual(analytics.unusual_days(view)) == [10, 30]
    for holidays in ([closed], {closed: "Day of the closed door"}, {datetime(2026, 4, 1, 12)}):
        found = analytics.unusual_days(view, holidays=holidays)
        assert unusual(found) == [10]
        assert found.index[found["is_holiday"]].tolist() == [30]
    many = [FIRST + timedelta(days=day) for day in range(0, 70, 7)]
    found = analytics.unusual_days(view, holidays=many)
    assert found["is_holiday"].sum() == 10
    assert unusual(found) == [10, 30]
    with pytest.raises(InvalidParameter, match=r"holidays=.*must be dates, or a mapping"):
        analytics.unusual_days(view, holidays=["2026-04-01"])


def test_one_great_day_does_not_hide_another(shop):
    frame = with_more(with_more(quiet(2, rate=50), 20, 2_000), 35, 120)
    assert unusual(analytics.unusual_days(view_of(shop, frame, 70))) == [20, 35]


def test_interest_that_falls_is_not_unusual(shop):
    frame = quiet(3, rate=100, half_life=20)
    assert unusual(analytics.unusual_days(view_of(shop, frame, 70))) == []


@pytest.mark.slow
@pytest.mark.parametrize("unrest", [0.0, 0.1])
def test_false_alarms_are_as_rare_as_stated(shop, unrest):
    """One in five views may have one, if that is asked for: of 40, more than 15 would be a sign of more."""
    views = [view_of(shop, quiet(seed, days=42, unrest=unrest), 42) for seed in range(100, 140)]
    alarms = sum(bool(unusual(analytics.unusual_days(view, alarm=0.2))) for view in views)
    assert alarms <= 15
    assert alarms >= (1 if unrest else 0)


def test_usual_days_lie_between_low_and_high(shop):
    frame = with_more(quiet(4, unrest=0.1), 12, 80)
    found = analytics.unusual_days(view_of(shop, frame, 70), alarm=0.5)
    assert (found["is_unusual"] == ~found["scans"].between(found["low"], found["high"])).all()
    assert found["chance"].between(0, 1).all()
    assert (found["low"] <= found["expected"]).all()
    assert (found["expected"] <= found["high"]).all()
    expected = {"day": "datetime64[us]", "scans": "int64"} | dict.fromkeys(
        ("expected", "low", "high", "chance"), "float64"
    )
    assert found.dtypes.astype(str).to_dict() == expected | dict.fromkeys(("is_unusual", "is_holiday"), "bool")


@pytest.mark.parametrize("days_with_scans", [0, 1, 7])
def test_too_few_days_with_scans_do_not_tell_what_is_usual(shop, days_with_scans):
    frame = quiet(5)[:0]
    for day in range(days_with_scans):
        frame = with_more(frame, 2 * day, 400 if day == 3 else 1)
    view = view_of(shop, frame, 20)
    found = analytics.unusual_days(view)
    assert (len(found), unusual(found)) == (20, [])
    assert np.isfinite(found["expected"]).all()
    assert found[["low", "high", "chance"]].isna().all(axis=None)
    assert len(analytics.bursts(view)) == 0


def test_two_weeks_rule_out_hardly_anything(shop):
    found = analytics.unusual_days(view_of(shop, with_more(quiet(8, days=14), 5, 30), 14))
    assert unusual(found) == []
    assert (found["high"] == np.inf).any()
    assert found["chance"].between(0, 1).all()


def test_a_burst_has_its_days_and_what_it_brought(shop):
    frame = quiet(9, rate=40)
    for day in (24, 25, 26):
        frame = with_more(frame, day, 200)
    view = view_of(shop, frame, 70)
    (burst,) = analytics.bursts(view).to_dict("records")
    assert ((burst["start"].date() - FIRST).days, (burst["end"].date() - FIRST).days, burst["days"]) == (24, 26, 3)
    per_day = analytics.scans_per_day(view)["scans"]
    assert burst["scans"] == per_day[24:27].sum()
    assert burst["expected"] + burst["extra"] == pytest.approx(burst["scans"])
    assert burst["extra"] == pytest.approx(600, rel=0.1)


def test_bursts_that_touch_are_one_and_others_are_not(shop):
    frame = quiet(10, rate=40, days=98)
    for day in (*range(20, 29), 60, 61):
        frame = with_more(frame, day, 300)
    found = analytics.bursts(view_of(shop, frame, 98))
    assert found["days"].tolist() == [9, 2]
    assert found["start"].is_monotonic_increasing


def test_quiet_views_have_no_burst_and_the_columns_of_one(shop):
    found = analytics.bursts(view_of(shop, quiet(11), 70))
    assert len(found) == 0
    assert found.dtypes.astype(str).to_dict() == {
        "start": "datetime64[us]", "end": "datetime64[us]", "days": "int64", "scans": "int64",
        "expected": "float64", "extra": "float64", "chance": "float64",
    }  # fmt: skip


def test_days_are_those_of_the_time_zone(shop):
    view = view_of(shop, quiet(6), 70)
    for name in ("UTC", "America/New_York"):
        local = view.where(time_zone=name)
        found = analytics.unusual_days(local)
        assert len(found) == 70
        assert found["scans"].tolist() == analytics.scans_per_day(local)["scans"].tolist()
    moments = view.where(since=datetime(2026, 3, 2, 12, tzinfo=UTC), time_zone="America/New_York")
    assert len(analytics.unusual_days(moments)) == 69


def test_too_few_days_and_impossible_alarms_are_refused(shop):
    view = view_of(shop, quiet(7), 13)
    for question in (analytics.unusual_days, analytics.bursts):
        with pytest.raises(InvalidParameter, match="has 13 whole days; at least 14 are needed"):
            question(view)
        for alarm in (0, 1, "much"):
            with pytest.raises(InvalidParameter, match=r"alarm.*must be above 0 and below 1"):
                question(view, alarm=alarm)
