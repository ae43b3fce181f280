"""Rankings keep what they promise on simulated scans, whose truth is known."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from qrkit import analytics, open_portfolio
from qrkit.analytics import Truth
from qrkit.analytics.ranking import pooled_rates
from qrkit.errors import InvalidParameter
from tests.dtypes import TEXT

MONDAY = date(2026, 3, 2)
PERIODS = 12
"""Periods with true rates of their own."""


def shop_with(rates, scans, *, campaigns=1):
    """A portfolio with codes named like their short codes, divided among campaigns in order; and the campaigns."""
    portfolio = open_portfolio(":memory:", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    with portfolio.store.atomic():
        ids = [portfolio.insert_campaign(f"Campaign {number}").id for number in range(campaigns)]
        for place, code in enumerate(rates):
            campaign_id = ids[place * campaigns // len(rates)]
            portfolio.insert_qrcode("https://example.com", name=code, short_code=code, campaign_id=campaign_id)
    portfolio.scans.insert(scans)
    return portfolio, ids


def days_from_monday(scans, days, *, period=0):
    """A view of the first so many days, or of a later period of the same length."""
    first = MONDAY + timedelta(days=period * days)
    return scans.where(since=first, until=first + timedelta(days=days))


def scans_on(numbers_of):
    """A frame with so many scans, at noon, on each day from Monday, by short code."""
    noon = datetime.combine(MONDAY, datetime.min.time()) + timedelta(hours=12)
    rows = [
        (code, noon + timedelta(days=day))
        for code, numbers in numbers_of.items()
        for day, number in enumerate(numbers)
        for _ in range(number)
    ]
    return pd.DataFrame(rows, columns=["short_code", "time"])


@pytest.fixture(
    scope="module",
    params=[pytest.param("groups", marks=pytest.mark.slow), "days that depend on each other", "two weeks"],
)
def rankings(request):
    """Rankings of 20 codes in several periods, in each of which their true rates are others; with the true rates."""
    days, world = {
        "groups": (28, {"groups": (2, 5)}),
        "days that depend on each other": (28, {"log_sd": 0.4, "log_correlation": 0.5}),
        "two weeks": (14, {"unrest": 1.0}),
    }[request.param]
    truth, random = Truth(**world, shared=False), np.random.default_rng(2)
    names = [f"code{place:02}" for place in range(20)]
    rates = [dict(zip(names, random.gamma(9, 2 / 9, 20), strict=True)) for _ in range(PERIODS)]
    scans = [
        analytics.simulate(one, since=MONDAY + timedelta(days=period * days), days=days, seed=period, truth=truth)
        for period, one in enumerate(rates)
    ]
    portfolio, _ = shop_with(names, pd.concat(scans)[["short_code", "time"]])
    with portfolio:
        views = [days_from_monday(portfolio.scans, days, period=period) for period in range(PERIODS)]
        found = [analytics.ranking(view).assign(period=period) for period, view in enumerate(views)]
    frame = pd.concat(found, ignore_index=True)
    true = pd.Series([rates[row.period][row.qrcode] for row in frame.itertuples()])
    return frame.assign(true=true, place=true.groupby(frame["period"]).rank(ascending=False))


# ---- promises


def test_intervals_hold_the_truth_in_95_of_100_cases_or_more(rankings):
    assert len(rankings) == PERIODS * 20
    assert ((rankings["low"] <= rankings["true"]) & (rankings["true"] <= rankings["high"])).mean() >= 0.94
    # Wide enough, but not for nothing: true rates have a standard deviation of 0.67.
    assert (rankings["high"] - rankings["low"]).median() < 2 * 1.96 * 0.67


def test_pooled_rates_are_closer_to_the_truth_than_raw_ones(rankings):
    errors = rankings[["rate", "pooled_rate"]].sub(rankings["true"], axis=0)
    assert (errors["pooled_rate"] ** 2).mean() < 0.9 * (errors["rate"] ** 2).mean()
    # The winner's curse: the highest of the raw rates was lucky.
    best = errors.loc[rankings.groupby("period")["rate"].idxmax()]
    assert best["rate"].mean() > 0.3
    assert abs(best["pooled_rate"].mean()) < 0.7 * best["rate"].mean()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "places"), [("first", 1), ("top_three", 3)])
def test_probabilities_are_as_often_right_as_they_say(rankings, name, places):
    is_there = rankings["place"] <= places
    for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 1.0)):
        chosen = rankings[rankings[name].between(low, high)]
        error = np.sqrt((chosen[name] * (1 - chosen[name])).sum()) / len(chosen)
        assert is_there[chosen.index].mean() == pytest.approx(chosen[name].mean(), abs=3 * error + 0.03)
    assert rankings.groupby("period")[name].sum().tolist() == pytest.approx([places] * PERIODS)


def test_codes_that_are_equal_are_moved_together():
    rates = {f"code{place:02}": 2.0 for place in range(30)}
    portfolio, _ = shop_with(rates, analytics.simulate(rates, since=MONDAY, days=28, seed=3))
    with portfolio:
        found = analytics.ranking(days_from_monday(portfolio.scans, 28))
    assert found["pooled_rate"].std() < 0.4 * found["rate"].std()
    assert found["first"].max() < 0.35
    assert ((found["low"] < 2) & (found["high"] > 2)).mean() > 0.95


def test_the_posterior_is_that_of_the_gamma_distribution_that_rates_come_from():
    random = np.random.default_rng(4)
    shape, mean, days = 2.0, 0.5, random.integers(10, 60, 400)
    counts = random.poisson(random.gamma(shape, mean / shape, 400) * days)
    found = pooled_rates(counts.astype("float64"), days.astype("float64"))
    known = (shape + counts) / (shape / mean + days)
    assert found.mean == pytest.approx(known, rel=0.1)
    assert found.shape == pytest.approx(shape + counts, rel=0.35)


# ---- what counts


def test_a_burst_is_no_proof_of_a_high_rate():
    steady = {f"code{place}": [1, 2] * 14 for place in range(8)}
    burst = [1] + [0] * 9 + [20, 35, 14] + [0] * 15
    days = steady | {"even": [2, 3] * 14, "burst": burst}
    assert sum(days["even"]) == sum(burst)
    portfolio, _ = shop_with(days, scans_on(days))
    with portfolio:
        found = analytics.ranking(days_from_monday(portfolio.scans, 28)).set_index("qrcode")
    assert found["scans"]["even"] == found["scans"]["burst"] == 70
    assert found["pooled_rate"]["burst"] < found["pooled_rate"]["even"]
    assert found["low"]["burst"] < found["low"]["even"]
    assert found["first"]["even"] > 0.6


def test_fewer_than_three_are_not_pooled_and_their_intervals_are_those_of_rates():
    days = {"aa": [10] * 14, "bb": [20] * 14}
    portfolio, _ = shop_with(days, scans_on(days))
    with portfolio:
        view = days_from_monday(portfolio.scans, 14)
        found = analytics.ranking(view, level=0.9)
        (alone,) = analytics.ranking(view.where(qrcode_id=view.to_frame()["qrcode_id"][0])).to_dict("records")
    assert found["qrcode"].tolist() == ["bb", "aa"]
    assert found["pooled_rate"].tolist() == found["rate"].tolist() == [20, 10]
    # Jeffreys' interval of 280 and of 140 scans in 14 days (gamma quantiles).
    assert found["low"].tolist() == pytest.approx([18.109, 8.685], abs=2e-3)
    assert found["high"].tolist() == pytest.approx([22.043, 11.468], abs=2e-3)
    assert found["first"].tolist() == [1, 0]
    assert found["top_three"].tolist() == [1, 1]
    assert (alone["first"], alone["top_three"]) == (1, 1)


def test_codes_without_scans_are_part_of_the_table_and_of_the_comparison():
    rates = {"door": 3.0, "bus": 3.0, "gate": 3.0}
    scans = analytics.simulate(rates, since=MONDAY, days=28, seed=5)
    silent = {f"silent{place}": 0.0 for place in range(6)}
    portfolio, _ = shop_with(rates | silent, scans, campaigns=3)
    with portfolio:
        view = days_from_monday(portfolio.scans, 28)
        found = analytics.ranking(view)
        pd.testing.assert_frame_equal(found, analytics.ranking(view))
        campaigns = analytics.ranking(view, by="campaign")
        ids = analytics.ranking(view, by="qrcode_id")
    assert found["qrcode"].tolist()[3:] == sorted(silent)
    silence = found.iloc[3:]
    assert (silence["rate"] == 0).all()
    assert (silence["pooled_rate"].between(0, 0.1, inclusive="neither")).all()
    assert (silence["high"] < 0.6).all()
    assert found["days"].between(25, 28).all()
    assert found["first"].sum() == pytest.approx(1)
    assert campaigns["campaign"].tolist() == ["Campaign 0", "Campaign 1", "Campaign 2"]
    assert campaigns["scans"].tolist() == [len(scans), 0, 0]
    assert ids["scans"].tolist() == found["scans"].tolist()


def test_views_without_scans_or_without_codes_have_the_same_columns():
    wanted = {"qrcode": TEXT, "days": "int64", "scans": "int64"}
    wanted |= dict.fromkeys(("rate", "pooled_rate", "low", "high", "first", "top_three"), "float64")
    for codes in (0, 1, 4):
        portfolio, _ = shop_with({f"code{place}": 0 for place in range(codes)}, scans_on({}))
        with portfolio:
            found = analytics.ranking(days_from_monday(portfolio.scans, 30))
        assert found.dtypes.astype(str).to_dict() == wanted
        assert found["rate"].tolist() == [0] * codes
        assert (found["high"] > found["low"]).all()


def test_what_cannot_be_ranked_is_refused():
    portfolio, _ = shop_with({"door": 1}, scans_on({"door": [1, 2, 3]}))
    with portfolio:
        view = days_from_monday(portfolio.scans, 3)
        for wrong in ("country", None):
            with pytest.raises(
                InvalidParameter, match=r"by.*: must be one of campaign, campaign_id, qrcode, qrcode_id"
            ):
                analytics.ranking(view, by=wrong)
        with pytest.raises(InvalidParameter, match=r"level.*: must be above 0 and below 1"):
            analytics.ranking(view, level=1)
        with pytest.raises(InvalidParameter, match="scans: needs 2 whole days or more to see how days vary, not 1"):
            analytics.ranking(view.where(until=date(2026, 3, 3)))
