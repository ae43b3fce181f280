"""Simulated days have the mean, the spread and the memory that their truth states."""

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from qrkit.analytics import Truth, simulate
from qrkit.errors import InvalidParameter
from tests.analytics.worlds import daily_counts

MONDAY = date(2026, 3, 2)
WEEK = (1.1, 1.0, 1.0, 1.1, 1.2, 0.9, 0.5)


def days_of(rate, truth, *, codes=400, days=100, seed=1):
    """Scans of codes with the same rate, codes x days."""
    return daily_counts([rate] * codes, MONDAY, days, random=np.random.default_rng(seed), truth=truth)


def autocorrelation(counts, rate, lag):
    """Correlation of days with the days `lag` days later, around a known mean."""
    off = counts - rate
    return (off[:, lag:] * off[:, :-lag]).mean() / (off**2).mean()


@pytest.mark.parametrize(
    "world",
    [
        {"unrest": 0.3},
        {"log_sd": 0.4, "log_correlation": 0.8},
        {"offspring": 0.5, "offspring_half_life": 3.0},
        {"offspring": 0.7, "offspring_half_life": 0.5, "unrest": 0.1, "groups": (2, 5)},
        {"groups": (2, 5)},
        {"events": 1 / 14, "event_half_life": 3.0},
    ],
    ids=str,
)
def test_the_mean_of_every_week_and_weekday_is_the_rate(world):
    rate = 10
    counts = days_of(rate, Truth(**world, weekdays=WEEK, shared=False), codes=2_000, days=28)
    assert counts.dtype == np.int64
    assert counts.reshape(2_000, 4, 7).mean(axis=(0, 2)) == pytest.approx([rate] * 4, rel=0.06)
    assert counts.reshape(2_000, 4, 7).mean(axis=(0, 1)) == pytest.approx(rate * np.array(WEEK) / 6.8 * 7, rel=0.06)


def test_a_world_with_a_memory_is_stationary_from_the_first_day_on():
    for world in ({"offspring": 0.5, "offspring_half_life": 3.0}, {"events": 0.2, "event_half_life": 3.0}):
        counts = days_of(20, Truth(**world, shared=False), codes=4_000, days=60)
        assert counts[:, :3].var() == pytest.approx(counts[:, -3:].var(), rel=0.12)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8])
def test_the_logarithm_of_the_rate_is_correlated_from_day_to_day(rho):
    rate, sd = 2_000, 0.4
    counts = days_of(rate, Truth(log_sd=sd, log_correlation=rho, shared=False))
    # Of lognormal rates; the variance of the Poisson counts around them comes on top.
    known = [np.expm1(sd**2 * rho**lag) * rate**2 / (np.expm1(sd**2) * rate**2 + rate) for lag in (1, 3)]
    assert [autocorrelation(counts, rate, lag) for lag in (1, 3)] == pytest.approx(known, abs=0.04)
    assert counts.var() == pytest.approx(np.expm1(sd**2) * rate**2 + rate, rel=0.1)
    assert np.log(counts).std() == pytest.approx(sd, rel=0.05)


@pytest.mark.parametrize("half_life", [0.5, 3.0])
def test_offspring_come_as_in_hawkes_process(half_life):
    rate, share = 5, 0.5
    counts = days_of(rate, Truth(offspring=share, offspring_half_life=half_life), codes=1_500)
    # Hawkes, 1971: the covariance density decays with the rate of the delays times the share without a parent.
    delay = np.log(2) / half_life
    decay, strength = delay * (1 - share), share * delay * (2 - share) / (2 * (1 - share))
    variance = 1 + 2 * strength * (1 / decay - (1 - np.exp(-decay)) / decay**2)
    following = strength * ((1 - np.exp(-decay)) / decay) ** 2
    assert counts.var() / counts.mean() == pytest.approx(variance, rel=0.03)
    found = [autocorrelation(counts, rate, lag) for lag in (1, 4)]
    assert found == pytest.approx([following / variance, following * np.exp(-3 * decay) / variance], abs=0.015)


def test_groups_multiply_the_variance_and_not_the_mean():
    counts = days_of(0.3, Truth(groups=(2, 5)), codes=3_000)
    sizes = np.arange(2, 6)
    assert counts.mean() == pytest.approx(0.3, rel=0.02)
    assert counts.var() / counts.mean() == pytest.approx((sizes**2).mean() / sizes.mean(), rel=0.03)
    assert 1 not in counts
    assert set(sizes) <= set(counts.ravel())


def test_groups_scan_within_a_minute():
    frame = simulate({"door": 20.0}, since=MONDAY, days=20, seed=3, truth=Truth(groups=(3, 4), returning=0))
    sizes = frame.groupby(frame["time"].dt.floor("min")).size()
    # Two groups seldom share a minute.
    assert sizes.isin([3, 4]).mean() > 0.95
    assert sizes.min() >= 3
    assert (frame["time"].dt.second > 0).mean() > 0.9
    assert frame["visitor"].is_unique
    assert frame["time"].is_monotonic_increasing


def test_events_begin_at_random_and_halve():
    rate, chance, size, half_life = 200, 0.02, 6.0, 2.0
    truth = Truth(events=chance, event_size=size, event_log_sd=0, event_half_life=half_life, shared=False)
    counts = days_of(rate, truth, codes=300, days=300)
    quiet = rate / (1 + chance * size)
    begins = np.argwhere((counts[:, :-6] > 2 * quiet) & (np.roll(counts, 1, axis=1)[:, :-6] < 1.2 * quiet))
    begins = begins[begins[:, 1] > 0]
    assert len(begins) > 100
    added = np.median([counts[code, day : day + 5] for code, day in begins], axis=0) - quiet
    assert added[2] / added[0] == pytest.approx(0.5, abs=0.05)
    assert added[4] / added[0] == pytest.approx(0.25, abs=0.05)
    assert added[0] == pytest.approx(size * quiet * (1 - 0.5**0.5), rel=0.05)


def test_the_sizes_of_events_spread_and_their_mean_stays():
    known, spread = (
        days_of(50, Truth(events=0.05, event_log_sd=sd, event_half_life=0.1, shared=False)) for sd in (0, 1)
    )
    assert spread.mean() == pytest.approx(known.mean(), rel=0.05)
    assert np.percentile(spread, 99.5) > 1.5 * np.percentile(known, 99.5)


@pytest.mark.parametrize("world", [{"unrest": 0.5}, {"log_sd": 0.5, "log_correlation": 0.5}, {"events": 0.2}], ids=str)
def test_codes_have_the_same_weather_or_each_its_own(world):
    together, apart = (
        np.corrcoef(days_of(500, Truth(**world, shared=shared), codes=2, days=600))[0, 1] for shared in (True, False)
    )
    assert together > 0.95
    assert abs(apart) < 0.25


def test_offspring_belong_to_one_code():
    counts = days_of(50, Truth(offspring=0.8, offspring_half_life=0.5), codes=2, days=600)
    assert abs(np.corrcoef(counts)[0, 1]) < 0.2


def test_a_change_counts_at_once_where_scans_set_off_others():
    truth = Truth(offspring=0.6, offspring_half_life=2.0, change=MONDAY + timedelta(days=10), effect=3.0)
    counts = days_of(20, truth, codes=2_000, days=20).mean(axis=0)
    assert counts == pytest.approx([20] * 10 + [60] * 10, rel=0.05)
    closed_on_sundays = Truth(offspring=0.6, weekdays=(1, 1, 1, 1, 1, 1, 0))
    counts = days_of(18, closed_on_sundays, codes=500, days=28).mean(axis=0)
    assert counts == pytest.approx(([21] * 6 + [0]) * 4, rel=0.06)


def test_the_same_seed_gives_the_same_days_with_times_and_without():
    truth = Truth(offspring=0.4, groups=(1, 3), events=0.1, unrest=0.2, log_sd=0.2, log_correlation=0.5, shared=False)
    rates = {"door": 12.0, "bus": 0.0, "gate": 3.0}
    first, again, other = (simulate(rates, since=MONDAY, days=40, seed=seed, truth=truth) for seed in (5, 5, 6))
    pd.testing.assert_frame_equal(first, again)
    assert not first["time"].equals(other["time"])
    day = (first["time"] - pd.Timestamp(MONDAY)) // pd.Timedelta(days=1)
    found = pd.crosstab(first["short_code"], day).reindex(index=list(rates), columns=range(40), fill_value=0)
    wanted = daily_counts(list(rates.values()), MONDAY, 40, random=np.random.default_rng(5), truth=truth)
    assert found.to_numpy().tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("log_sd", -0.1),
        ("log_sd", 3.1),
        ("log_correlation", 1),
        ("log_correlation", -0.5),
        ("offspring", 1),
        ("offspring", float("nan")),
        ("offspring_half_life", 0),
        ("offspring_half_life", 101),
        ("events", 1.1),
        ("event_size", -1),
        ("event_log_sd", 4),
        ("event_half_life", float("inf")),
        ("groups", (0, 3)),
        ("groups", (3, 2)),
        ("groups", (2, 21)),
        ("groups", (2.0, 5.0)),
        ("groups", 3),
        ("groups", (1, 2, 3)),
        ("shared", "no"),
    ],
)
def test_a_world_that_cannot_be_is_refused(name, value):
    with pytest.raises(InvalidParameter) as caught:
        Truth(**{name: value})
    assert caught.value.name == name


def test_more_scans_than_memory_holds_are_refused_even_if_only_chance_makes_them():
    """With this seed, the rate of the only day is about 9,000 times its mean."""
    with pytest.raises(InvalidParameter, match="must give 50,000,000 scans or fewer"):
        simulate({"door": 40_000_000.0}, since=MONDAY, days=1, seed=1950, truth=Truth(log_sd=3))
