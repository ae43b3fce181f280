"""Separates the season and covariates, such as weather or sales, from a change."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from qrkit import analytics, open_portfolio
from qrkit.errors import InvalidParameter
from tests.analytics.study_intervals import covariates_cell, season_cell

MONDAY = date(2026, 3, 2)
SWAP = MONDAY + timedelta(days=42)
END = MONDAY + timedelta(days=84)


def view_of(shop, means, *, first=MONDAY, seed=1):
    """A view with so many scans in the mean on each day, at noon."""
    shop.insert_qrcode("https://example.com", short_code="door")
    counts = np.random.default_rng(seed).poisson(means)
    days = pd.date_range(first, periods=len(counts), tz="UTC") + timedelta(hours=12)
    shop.scans.insert(pd.DataFrame({"short_code": "door", "time": days.repeat(counts)}))
    return shop.scans.where(since=MONDAY, until=END)


@pytest.fixture
def shop():
    with open_portfolio(":memory:", clock=lambda: datetime(2024, 1, 1, tzinfo=UTC)) as made:
        yield made


def rain_of(seed=3):
    """More rain after the swap than before it."""
    random = np.random.default_rng(seed)
    rain = np.concatenate([random.gamma(1, 1, 42), random.gamma(3, 1, 42)])
    return pd.DataFrame({"rain": rain}, index=pd.date_range(MONDAY, periods=84))


def test_weather_is_taken_out(shop):
    rain = rain_of()
    view = view_of(shop, 60 * np.exp(-0.2 * rain["rain"].to_numpy()))
    plain = analytics.before_and_after(view, SWAP).iloc[0]
    row = analytics.before_and_after(view, SWAP, covariates=rain).iloc[0]
    assert plain["differs"]
    assert not row["differs"]
    assert row["low"] < 1 < row["high"]
    assert row["ratio"] == pytest.approx(1, abs=0.15)
    dated = rain.set_axis([day.date() for day in rain.index])
    again = analytics.before_and_after(view, SWAP, covariates=dated * 10 + 7).iloc[0]
    assert again["ratio"] == pytest.approx(row["ratio"])
    assert again["high"] == pytest.approx(row["high"])


@pytest.mark.parametrize(
    "change",
    [
        lambda days: days.strftime("%Y-%m-%d"),  # a csv that was read without parse_dates
        lambda days: days.strftime("%Y-%m-%d 00:00:00"),
        lambda days: days.to_period("D"),
        lambda days: days.tz_localize("America/New_York"),
        lambda days: days.strftime("%Y-%m-%d").astype("category"),
    ],
    ids=["text", "text with time", "periods", "zone", "categories"],
)
def test_days_of_covariates_may_be_text_or_periods(shop, change):
    rain = rain_of()
    view = view_of(shop, np.full(84, 10.0))
    same = rain.set_axis(change(rain.index)).iloc[::-1]
    found, again = (analytics.before_and_after(view, SWAP, covariates=one).iloc[0] for one in (rain, same))
    assert (again["ratio"], again["low"], again["high"]) == (found["ratio"], found["low"], found["high"])


def test_change_is_seen_beside_weather(shop):
    rain = rain_of()
    effect = np.repeat([1.0, 1.8], 42)
    view = view_of(shop, 60 * effect * np.exp(-0.2 * rain["rain"].to_numpy()))
    row = analytics.before_and_after(view, SWAP, covariates=rain).iloc[0]
    assert row["low"] < 1.8 < row["high"]
    assert row["differs"]
    assert row["smallest"] > 1


def test_days_without_scans_have_a_covariate(shop):
    """A place that is closed on holidays has no scan then."""
    closed = np.zeros(84)
    closed[[3, 20, 50, 60, 70]] = 1
    view = view_of(shop, 40 * (1 - closed))
    table = analytics.before_and_after(
        view, SWAP, covariates=pd.DataFrame({"closed": closed == 1}, index=pd.date_range(MONDAY, periods=84))
    )
    assert table["low"].iloc[0] < 1 < table["high"].iloc[0]
    assert table.columns.tolist() == analytics.before_and_after(view, SWAP).columns.tolist()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda frame: frame["rain"], r"covariates='Series': must be a DataFrame with 1 to 10 columns"),
        (lambda frame: frame[[]], r"must be a DataFrame with 1 to 10 columns"),
        (lambda frame: frame.iloc[1:], "must have one row for each day; 2026-03-02 has none"),
        (lambda frame: pd.concat([frame, frame.iloc[:1]]), "must have one row for each day; a day has two"),
        (lambda frame: frame.assign(rain="wet"), "covariates.rain.*: must be numbers, with none missing"),
        (lambda frame: frame.where(frame > frame["rain"].min()), "covariates.rain.*: must be numbers"),
        (lambda frame: frame.assign(rain=1.0), "must differ between days"),
        (lambda frame: frame.assign(twice=2 * frame["rain"]), "must not follow from other columns"),
        (lambda frame: frame.assign(rain=np.repeat([0, 1], 42)), "or from the change itself"),
    ],
)
def test_covariates_that_tell_nothing_are_refused(shop, change, error):
    view = view_of(shop, np.full(84, 10.0))
    with pytest.raises(InvalidParameter, match=error):
        analytics.before_and_after(view, SWAP, covariates=change(rain_of()))


@pytest.mark.parametrize("options", [{"independent": True}, {"control": "last year"}])
def test_covariates_go_with_neither(shop, options):
    view = view_of(shop, np.full(84, 10.0))
    with pytest.raises(InvalidParameter, match=r"covariates"):
        analytics.before_and_after(view, SWAP, covariates=rain_of(), **options)


@pytest.mark.slow
def test_intervals_with_covariates_hold():
    assert covariates_cell("AR(1), 0.5", 40.0, 28, 300).wrong <= 0.08


# ---- seasons


def season(days):
    """Half as much again at one time of the year, half as much at the other."""
    return 40 * (1 + 0.5 * np.sin(2 * np.pi * np.arange(days) / 364))


def test_season_is_taken_out(shop):
    view = view_of(shop, season(364 + 84 + 140), first=MONDAY - timedelta(days=364 + 140), seed=4)
    plain, row = (analytics.before_and_after(view, SWAP, control=control).iloc[0] for control in (None, "last year"))
    assert plain["differs"]
    assert not row["differs"]
    assert row["control_ratio"] == pytest.approx(row["view_ratio"], rel=0.15)
    assert row[["view_codes", "control_codes", "unit"]].tolist() == [1, 1, "days"]


def test_codes_that_are_new_are_not_compared_with_last_year(shop):
    """A code that came in the middle would look like a change of the season."""
    view = view_of(shop, season(364 + 84 + 140), first=MONDAY - timedelta(days=364 + 140), seed=4)
    alone = analytics.before_and_after(view, SWAP, control="last year")
    shop.insert_qrcode("https://example.com", short_code="new")
    times = pd.date_range(SWAP, periods=42 * 24 * 4, freq="15min", tz="UTC")
    shop.scans.insert(pd.DataFrame({"short_code": "new", "time": times}))
    assert analytics.before_and_after(view, SWAP, control="last year").equals(alone)


def test_a_view_without_last_year_is_refused(shop):
    view = view_of(shop, np.full(84, 10.0))
    with pytest.raises(InvalidParameter, match="control='last year': must be a group, because no QR Code"):
        analytics.before_and_after(view, SWAP, control="last year")
    with pytest.raises(InvalidParameter, match="control='last month': must be one of last year"):
        analytics.before_and_after(view, SWAP, control="last month")


@pytest.mark.slow
def test_intervals_against_last_year_hold():
    assert season_cell(40.0, 28, 300).wrong <= 0.07
