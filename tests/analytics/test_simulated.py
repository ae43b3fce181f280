"""Made-up scans are what their truth says, and the same every time."""

from datetime import UTC, date, datetime
from math import inf, nan

import numpy as np
import pandas as pd
import pytest

from qrkit import analytics, open_portfolio
from qrkit.analytics import Truth, simulate
from qrkit.errors import InvalidParameter
from tests.dtypes import TEXT

MONDAY = date(2026, 3, 2)


def per_day(frame, days, zone="UTC"):
    """Scans of each day."""
    local = frame.loc[frame["kind"] == "scan", "time"].dt.tz_localize("UTC").dt.tz_convert(zone).dt.tz_localize(None)
    return ((local - pd.Timestamp(MONDAY)) // pd.Timedelta(days=1)).value_counts().reindex(range(days), fill_value=0)


def test_the_same_arguments_give_the_same_scans_and_another_seed_gives_others():
    make = {"rates": {"door": 20.0, "bus": 5.0}, "since": MONDAY, "days": 9, "truth": Truth(robots=0.1, previews=0.2)}
    first, again, other = (simulate(**make, seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again)
    assert not first["visitor"].isin(other["visitor"]).any()
    assert first["time"].is_monotonic_increasing


def test_rates_weekdays_and_a_change_are_those_of_the_truth():
    week = (1, 1, 1, 1, 1, 4, 0)
    truth = Truth(weekdays=week, change=date(2026, 3, 30), effect=2.5)
    frame = simulate({"door": 400.0, "bus": 100.0}, since=MONDAY, days=56, seed=3, truth=truth)
    days = per_day(frame, 56).sort_index().to_numpy().reshape(8, 7)
    assert days[:4].mean() == pytest.approx(500, rel=0.02)
    assert days[4:].mean() == pytest.approx(1_250, rel=0.02)
    assert days[:, 6].sum() == 0
    assert days[:, 5].sum() / days[:, 0].sum() == pytest.approx(4, rel=0.05)
    assert (frame["short_code"] == "bus").mean() == pytest.approx(0.2, abs=0.01)


def test_unrest_is_the_variance_of_days_beyond_chance_and_all_codes_have_it_together():
    frame = simulate({"door": 100.0, "bus": 100.0}, since=MONDAY, days=600, seed=4, truth=Truth(unrest=0.2))
    door, bus = (per_day(frame[frame["short_code"] == code], 600).sort_index() for code in ("door", "bus"))
    assert door.var() == pytest.approx(100 + 0.2 * 100**2, rel=0.25)
    assert door.corr(bus) > 0.9
    plain = per_day(simulate({"door": 100.0}, since=MONDAY, days=600, seed=4), 600)
    assert plain.var() == pytest.approx(100, rel=0.25)


def test_interest_halves():
    frame = simulate({"door": 1_000.0}, since=MONDAY, days=21, seed=5, truth=Truth(half_life=10))
    days = per_day(frame, 21)
    assert days[[9, 10, 11]].sum() / days[[0, 1]].sum() * 2 / 3 == pytest.approx(0.52, abs=0.05)


def test_hours_are_those_of_the_time_zone_even_when_clocks_change():
    noon = tuple(float(hour == 12) for hour in range(24))
    truth = Truth(hours=noon, time_zone="Europe/Ljubljana")
    frame = simulate({"door": 50.0}, since=date(2026, 3, 20), days=20, seed=6, truth=truth)
    local = frame["time"].dt.tz_localize("UTC").dt.tz_convert("Europe/Ljubljana")
    assert set(local.dt.hour) == {12}
    assert set(frame["time"].dt.hour) == {10, 11}
    at_two = Truth(hours=tuple(float(hour == 2) for hour in range(24)), time_zone="Europe/Ljubljana")
    skipped = simulate({"door": 50.0}, since=date(2026, 3, 29), days=1, truth=at_two)
    assert set(skipped["time"].dt.hour) == {1}  # 3 o'clock there


def test_visitors_return_robots_come_and_previews_are_followed_by_their_scan():
    truth = Truth(returning=0.3, robots=0.25, previews=0.4)
    frame = simulate({"door": 300.0}, since=MONDAY, days=10, seed=7, truth=truth)
    kinds = frame["kind"].value_counts()
    assert kinds["bot"] / kinds["scan"] == pytest.approx(0.25, abs=0.03)
    assert kinds["prefetch"] / kinds["scan"] == pytest.approx(0.4, abs=0.03)
    with open_portfolio(":memory:", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as portfolio:
        code = portfolio.insert_qrcode("https://example.com", short_code="door")
        assert portfolio.scans.insert(frame) == len(frame)
        assert portfolio.scans.count() == portfolio.get_qrcode(code.id).scans == kinds["scan"]
        (repeats,) = analytics.repeat_share(portfolio.scans).to_dict("records")
        assert repeats["share"] == pytest.approx(0.3, abs=0.03)
        evidence = analytics.visits_by_evidence(portfolio.scans).set_index("evidence")["visits"]
        assert evidence["bot"] == kinds["bot"]
        assert evidence["link preview before a scan"] == kinds["prefetch"]
    people = frame[frame["kind"] == "scan"].groupby("visitor")
    assert (people[["user_agent", "city"]].nunique() == 1).all(axis=None)
    assert people["time"].agg(lambda times: times.dt.date.nunique()).max() == 1


def test_no_rate_gives_no_scans_in_the_same_columns():
    some, none = (
        simulate({"door": rate}, since=MONDAY, days=3, truth=Truth(robots=1, previews=1)) for rate in (9.0, 0.0)
    )
    assert len(none) == 0
    assert len(some) > 0
    wanted = {"short_code": TEXT, "time": "datetime64[us]", "kind": TEXT, "user_agent": TEXT, "country": TEXT}
    wanted |= {"city": TEXT, "language": TEXT, "visitor": "UInt64"}
    for frame in (some, none):
        assert frame.dtypes.astype(str).to_dict() == wanted


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weekdays", (1,) * 6),
        ("weekdays", (0,) * 7),
        ("hours", (-1,) + (1,) * 23),
        ("unrest", -0.1),
        ("effect", nan),
        ("effect", inf),
        ("returning", 1),
        ("robots", -1),
        ("previews", 1.1),
        ("half_life", 0),
        ("time_zone", "Mars/Olympus"),
    ],
)
def test_what_cannot_be_true_is_refused(name, value):
    with pytest.raises(InvalidParameter) as caught:
        Truth(**{name: value})
    assert caught.value.name == name


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rates", {}),
        ("rates", {"door": -1.0}),
        ("rates", {"door": nan}),
        ("rates", {"door": 1e9}),
        ("days", 0),
        ("days", 36_526),
        ("days", 1.5),
        ("days", np.int64(0)),
        ("seed", -1),
        ("seed", "one"),
        ("rates", ["door"]),
        ("rates", pd.Series({"door": 1.0})),
        ("since", "2 March"),
        ("since", pd.NaT),
    ],
)
def test_arguments_out_of_bounds_are_refused(name, value):
    make = {"rates": {"door": 1.0}, "since": MONDAY, "days": 3, "seed": 1} | {name: value}
    with pytest.raises(InvalidParameter) as caught:
        simulate(**make)
    assert caught.value.name == name


def test_days_may_be_moments_and_numbers_those_of_numpy():
    def make(since, change, days):
        return simulate({"door": 30.0}, since=since, days=days, truth=Truth(change=change, effect=3.0))

    wanted = make(MONDAY, date(2026, 3, 9), 14)
    noon = datetime(2026, 3, 9, 12, tzinfo=UTC)
    for found in (
        make(datetime(2026, 3, 2, 9), date(2026, 3, 9), np.int64(14)),
        make(MONDAY, noon, np.uint8(14)),
        make(pd.Timestamp(MONDAY), pd.Timestamp(noon), 14),
        make("2026-03-02", "2026-03-09", 14),
    ):
        pd.testing.assert_frame_equal(found, wanted)
    with pytest.raises(InvalidParameter, match="change="):
        make(MONDAY, "2026-03-32", 14)


def test_hours_by_default_are_a_day_and_a_night():
    frame = simulate({"door": 2_000.0}, since=MONDAY, days=5, seed=8)
    hours = frame["time"].dt.hour.value_counts().sort_index()
    assert hours.idxmax() in range(12, 17)
    assert hours.min() < 0.05 * hours.max()
    assert np.corrcoef(hours, np.array(Truth().hours))[0, 1] > 0.95
