"""A code that changed for itself is found among others, and what all codes share is not taken for it."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from qrkit import analytics, open_portfolio
from qrkit.analytics import Truth
from qrkit.analytics.moved_codes import find_moved
from qrkit.errors import InvalidParameter
from tests.analytics.worlds import GROUPS, MONDAY, daily_counts
from tests.dtypes import TEXT
from tests.sweeps import quick_rows

DAYS = 60
ALL = {name: truth for group in GROUPS.values() for name, truth in group.items()}


def shop_with(*frames):
    shop = open_portfolio(":memory:", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    scans = pd.concat(frames)[["short_code", "time"]]
    for code in sorted(scans["short_code"].unique()):
        shop.insert_qrcode("https://example.com", name=code, short_code=code)
    shop.scans.insert(scans)
    return shop, shop.scans.where(since=MONDAY + timedelta(days=2), until=MONDAY + timedelta(days=DAYS))


def split(counts):
    """The scans of codes by day, before and after the middle."""
    days = [MONDAY + timedelta(days=day) for day in range(counts.shape[1])]
    sides = slice(None, len(days) // 2), slice(len(days) // 2, None)
    return [
        {str(code): dict(zip(days[side], row[side], strict=True)) for code, row in enumerate(counts.tolist())}
        for side in sides
    ]


@pytest.mark.parametrize(
    ("world", "portfolios"), quick_rows([("Poisson", 10), ("negative binomial, 1", 60), ("AR(1), 0.8", 60)])
)
def test_where_nothing_happened_hardly_any_code_moved(world, portfolios):
    """The share of portfolios with a false alarm is at most the share of wrong codes, if no code moved."""
    random = np.random.default_rng(1)
    alarms = 0
    for _ in range(portfolios):
        counts = daily_counts(random.lognormal(1, 1, 40), MONDAY, DAYS, random=random, truth=ALL[world])
        alarms += bool(find_moved(*split(counts), 0.05))
    assert alarms / portfolios <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / portfolios)


def test_a_poster_that_moved_is_listed_alone():
    others = analytics.simulate({f"code{place}": 6 for place in range(9)}, since=MONDAY, days=DAYS, seed=1)
    change = MONDAY + timedelta(days=31)
    truth = Truth(change=change, effect=0.3)
    shop, view = shop_with(others, analytics.simulate({"gone": 8}, since=MONDAY, days=DAYS, seed=2, truth=truth))
    with shop:
        found = analytics.moved(view)
        pd.testing.assert_frame_equal(found, analytics.moved(view, change))
        with pytest.raises(InvalidParameter, match="wrong=0: must be above 0 and below 1"):
            analytics.moved(view, wrong=0)
    assert found["qrcode"].tolist() == ["gone"]
    assert found["ratio"].item() == pytest.approx(0.3, abs=0.12)
    assert found["chance"].item() < 0.005
    types = {"qrcode_id": TEXT, "qrcode": TEXT, "campaign": TEXT}
    assert found.dtypes.astype(str).to_dict() == types | dict.fromkeys(
        ("before", "after", "ratio", "chance"), "float64"
    )


def test_what_all_codes_share_is_no_move():
    """All codes halve; and where the busiest code alone falls, the others did not rise."""
    truth = Truth(change=MONDAY + timedelta(days=31), effect=0.5)
    rates = {f"code{place}": 6 for place in range(9)}
    halved = analytics.simulate(rates, since=MONDAY, days=DAYS, seed=1, truth=truth)
    shop, view = shop_with(halved)
    with shop:
        assert analytics.moved(view).empty
    busy = analytics.simulate({"busy": 200}, since=MONDAY, days=DAYS, seed=2, truth=truth)
    shop, view = shop_with(analytics.simulate(rates, since=MONDAY, days=DAYS, seed=1), busy)
    with shop:
        assert analytics.moved(view)["qrcode"].tolist() == ["busy"]


def test_new_codes_few_codes_and_few_days_have_not_moved():
    rates = {f"code{place}": 6 for place in range(5)}
    new = analytics.simulate({"new": 8}, since=date(2026, 3, 25), days=37, seed=2)
    shop, view = shop_with(analytics.simulate(rates, since=MONDAY, days=DAYS, seed=1), new)
    with shop:
        assert analytics.moved(view).empty
        assert analytics.moved(view.where(until="2026-03-14")).empty
        assert analytics.moved(view.where(qrcode_id=shop.find_qrcode("new").id)).empty
