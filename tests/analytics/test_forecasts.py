"""Forecasts: against simulated futures, and what they say where there is little to go by."""

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from qrkit import analytics, charts, open_portfolio
from qrkit.analytics import Truth
from qrkit.errors import InvalidParameter
from tests.analytics.study_intervals import HORIZON, forecast_days_cell, forecast_totals_cell, forecasts_right
from tests.analytics.worlds import MOVING, WEEK
from tests.dtypes import TEXT
from tests.sweeps import quick_first

FIRST = date(2026, 3, 2)


@pytest.fixture(scope="module")
def view():
    """Ten weeks with 40 scans a day."""
    with open_portfolio(":memory:") as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
        truth = Truth(weekdays=WEEK)
        shop.scans.insert(analytics.simulate({"door": 40.0}, since=FIRST, days=70, seed=8, truth=truth))
        yield shop.scans.where(since=FIRST, until=FIRST + timedelta(days=70))


@pytest.mark.parametrize(
    "world", quick_first(["weekdays, negative binomial, 3", "Poisson", "AR(1), 0.5", "self-exciting, 1 day"])
)
def test_intervals_contain_the_future(world):
    """Nominal is 0.05 for both; `make coverage` measures all worlds."""
    days, totals = (cell(world, 40.0, 90, 60) for cell in (forecast_days_cell, forecast_totals_cell))
    assert 0.005 <= days.wrong <= 0.06
    assert totals.wrong <= 0.09
    assert days.refused == totals.refused == 0


@pytest.mark.parametrize("world", quick_first(MOVING))
@pytest.mark.parametrize("rate", quick_first([40.0, 3.0]))
def test_a_level_that_moved_is_not_that_of_the_weeks_before(world, rate):
    """By the mean of sixteen weeks, hardly any total of a dead or fading code was in its interval."""
    days, totals, error = forecasts_right(world, rate, 30)
    assert min(days, totals) >= 0.85 - 0.1  # half of the standard error of 30 worlds
    assert error < {"dead": 0.1, "growth": 1.5}.get(world, 0.6) * HORIZON * rate


def test_days_before_the_first_scan_are_left_out():
    with open_portfolio(":memory:") as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
        late = FIRST + timedelta(days=60)
        shop.scans.insert(analytics.simulate({"door": 20.0}, since=late, days=40, seed=2))
        found = analytics.forecast(shop.scans.where(since=FIRST, until=FIRST + timedelta(days=100)))
        assert found["scans"].mean() == pytest.approx(20, rel=0.15)
        assert found["total_low"].iloc[-1] < 28 * 20 < found["total_high"].iloc[-1]
        early = shop.scans.where(since=FIRST, until=late + timedelta(days=20))
        assert analytics.forecast(early)["reason"].iloc[0].startswith("19 whole days are too few")


def test_days_have_their_weekdays_and_add_up(view):
    found = analytics.forecast(view, days=28)
    assert found["day"].tolist() == list(pd.date_range(FIRST + timedelta(days=70), periods=28))
    assert found["total"].tolist() == pytest.approx(found["scans"].cumsum().tolist())
    week = found["scans"].to_numpy()[:7]
    assert week / week.mean() == pytest.approx(np.array(WEEK) / np.mean(WEEK), abs=0.12)
    assert found["total"].iloc[-1] == pytest.approx(28 * 40 * np.mean(WEEK), rel=0.1)
    for name, (low, high) in {"scans": ("low", "high"), "total": ("total_low", "total_high")}.items():
        assert ((found[low] < found[name]) & (found[name] < found[high])).all()
    assert not found["reason"].any()


def test_columns_and_dtypes_are_those_of_the_docstring(view):
    wanted = {"day": "datetime64[us]", "scans": "float64", "low": "Int64", "high": "Int64"}
    wanted |= {"total": "float64", "total_low": "Int64", "total_high": "Int64", "reason": TEXT}
    for days in (70, 14):
        found = analytics.forecast(view.where(until=FIRST + timedelta(days=days)))
        assert found.dtypes.astype(str).to_dict() == wanted


def test_totals_are_known_better_than_days(view):
    """The ups and downs of independent days cancel out; a longer sum is relatively better known."""
    found = analytics.forecast(view, days=28)
    widths = (found["total_high"] - found["total_low"]) / found["total"]
    assert widths.iloc[-1] < widths.iloc[6] < widths.iloc[0]
    narrow = analytics.forecast(view, level=0.5)
    assert ((narrow["low"] >= found["low"]) & (narrow["high"] <= found["high"])).all()


def test_holidays_are_taken_for_sundays(view):
    """Past ones, here with few scans, do not lower what is expected of their weekday."""
    after = FIRST + timedelta(days=70)
    tuesday, sunday = after + timedelta(days=1), after + timedelta(days=6)
    plain, closed = (analytics.forecast(view, holidays=days) for days in ((), {tuesday: "Day of the Tuesday"}))
    rows = [frame.set_index(frame["day"].dt.date)["scans"] for frame in (plain, closed)]
    assert rows[1][tuesday] == rows[1][sunday] < rows[0][tuesday]
    quiet = [FIRST + timedelta(days=7 * week) for week in (2, 5)]
    without = analytics.forecast(view, holidays=quiet)
    assert without["scans"].tolist() != plain["scans"].tolist()
    assert without["scans"].tolist() == analytics.forecast(view, holidays=pd.DatetimeIndex(quiet))["scans"].tolist()


def test_groups_are_forecast_for_themselves():
    """The forecast of a group is that of a view of the group."""
    with open_portfolio(":memory:") as shop:
        for code, kind in (("door", "in"), ("hall", "in"), ("tram", "out")):
            shop.insert_qrcode("https://example.com", short_code=code, name=code, fields={"Kind": kind})
        rates = {"door": 20.0, "hall": 5.0, "tram": 9.0}
        shop.scans.insert(analytics.simulate(rates, since=FIRST, days=140, seed=8))
        view = shop.scans.where(since=FIRST, until=FIRST + timedelta(days=140))
        found = analytics.forecast(view, by="Kind", days=7)
        assert found.columns[:2].tolist() == ["Kind", "day"]
        for kind in ("in", "out"):
            alone = analytics.forecast(view.where(fields={"Kind": kind}), days=7)
            ours = found[found["Kind"] == kind].drop(columns="Kind").reset_index(drop=True)
            pd.testing.assert_frame_equal(ours, alone)
        assert (
            analytics.forecast(view, by="qrcode", days=2)["qrcode"].tolist()
            == ["door"] * 2 + ["hall"] * 2 + ["tram"] * 2
        )
        with pytest.raises(InvalidParameter, match="by='Kind': must have 1 to 1,000 groups with scans; it has 0"):
            analytics.forecast(view.where(country="XX"), by="Kind")


@pytest.mark.parametrize(("days", "reason"), [(27, "27 whole days are too few"), (2, "2 whole days are too few")])
def test_too_few_days_have_no_interval(view, days, reason):
    found = analytics.forecast(view.where(until=FIRST + timedelta(days=days)))
    assert found["scans"].notna().all()
    assert found[["low", "high", "total_low", "total_high"]].isna().all().all()
    assert found["reason"].iloc[0].startswith(reason)
    assert charts.forecast(found).words.startswith(f"about {found['total'].iloc[-1]:,.0f} from ")


def test_no_scan_has_no_interval(view):
    found = analytics.forecast(view.where(country="XX"))
    assert found["reason"].iloc[0] == "0 scans are too few; 2 or more are needed"
    assert found["scans"].max() < 0.1


@pytest.mark.parametrize(
    "asked",
    [{"days": 0}, {"days": 367}, {"days": 2.5}, {"days": True}, {"level": 1}, {"holidays": "2026-05-01"},
     {"by": "Town"}, {"holidays": ["2026-05-01"]}, {"holidays": [pd.NaT]}, {"holidays": 7}],
)  # fmt: skip
def test_error_names_the_invalid_parameter(view, asked):
    with pytest.raises(InvalidParameter) as caught:
        analytics.forecast(view, **asked)
    assert caught.value.name == next(iter(asked))


def test_chart_shows_the_past_before_the_forecast(view):
    found, past = analytics.forecast(view, days=14), analytics.scans_per_day(view)
    chart = charts.forecast(found, past=past)
    lines = {line.get_label(): list(line.get_ydata()) for line in chart.axes[0].get_lines()}
    assert lines["scans"] == past["scans"].tolist()
    assert lines["expected"] == found["scans"].tolist()
    low, high = found[["total_low", "total_high"]].iloc[-1]
    assert f"likely {low:,} to {high:,}" in chart.words
