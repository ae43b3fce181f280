"""A code that is no longer scanned is found, and a quiet one is not taken for one."""

from datetime import UTC, date, datetime, timedelta

import pandas as pd
import pytest

from qrkit import analytics, open_portfolio
from qrkit.analytics import Truth
from qrkit.errors import InvalidParameter
from tests.analytics.study_intervals import silence_cell
from tests.dtypes import TEXT
from tests.sweeps import quick_rows

MONDAY = date(2026, 3, 2)
NOW = datetime(2026, 5, 1, 9, tzinfo=UTC)
DAYS = 60


def shop_with(*frames, clock=NOW):
    """A portfolio with the scans of these frames; the clock is that of the question."""
    shop = open_portfolio(":memory:", clock=lambda: clock)
    scans = pd.concat(frames)[["short_code", "time"]]
    with shop.store.atomic():
        for code in sorted(scans["short_code"].unique()):
            shop.insert_qrcode("https://example.com", name=code, short_code=code)
    shop.scans.insert(scans)
    return shop


def alive(number=9, *, rate=3, days=DAYS, **truth):
    rates = {f"code{place}": rate for place in range(number)}
    return analytics.simulate(rates, since=MONDAY, days=days, seed=1, truth=Truth(**truth))


def dead(days, *, rate=3, code="dead"):
    """A code that died so many days before the end."""
    return analytics.simulate({code: rate}, since=MONDAY, days=DAYS - days, seed=2)


WORLDS = [
    ("Poisson", 0.9),
    ("negative binomial, 3", 0.75),
    ("weekdays, negative binomial, 3", 0.75),
    ("AR(1), 0.8", 0.4),
    ("groups of 2 to 5", 0.2),
]


@pytest.mark.parametrize(("world", "least"), quick_rows(WORLDS))
def test_silence_is_found_and_hardly_ever_where_there_is_none(world, least):
    found, false = silence_cell(world, portfolios=20 if world == "Poisson" else 100)
    assert found >= least
    assert false <= 0.05


def test_a_dead_code_is_the_only_one_that_is_listed():
    with shop_with(alive(), dead(14)) as shop:
        found = shop.silent()
        assert found["qrcode"].tolist() == ["dead"]
        row = found.iloc[0]
        last = shop.scans.where(qrcode_id=row["qrcode_id"]).to_frame()["time"].max()
        assert row["last"] == last.tz_localize(None).normalize()
        assert row["days"] == (pd.Timestamp(NOW.date()) - row["last"]).days - 1
        assert row["rate"] == pytest.approx(3, abs=0.7)
        assert 0 < row["chance"] < 0.005
        types = {"qrcode_id": TEXT, "qrcode": TEXT, "campaign": TEXT, "last": "datetime64[us]", "days": "int64"}
        types |= {"scans": "int64", "rate": "float64", "chance": "float64"}
        assert found.dtypes.astype(str).to_dict() == types
        pd.testing.assert_frame_equal(found, analytics.silent(shop.scans))


def test_until_is_the_end_of_a_silence():
    with shop_with(alive(), dead(14)) as shop:
        assert not len(analytics.silent(shop.scans.where(until="2026-04-18")))
        later = shop.scans.where(until="2027-01-01")  # the future is no silence
        pd.testing.assert_frame_equal(analytics.silent(later), shop.silent())


def test_closed_on_weekends_is_not_silent_on_monday_morning():
    monday = datetime(2026, 4, 27, 7, tzinfo=UTC)
    with shop_with(alive(rate=30, days=56, weekdays=(1, 1, 1, 1, 1, 0, 0)), clock=monday) as shop:
        assert not len(shop.silent())
    with shop_with(alive(rate=30, days=56, weekdays=(1, 1, 1, 1, 1, 0, 0)), clock=monday + timedelta(days=2)) as shop:
        assert len(shop.silent()) == 9


def test_few_scans_new_codes_and_old_silences_are_no_alarm():
    new = analytics.simulate({"new": 5}, since=date(2026, 4, 28), days=2, seed=3)
    once = pd.DataFrame({"short_code": "once", "time": [datetime(2026, 3, 4, 12)] * 40})
    old = analytics.simulate({"old": 5}, since=date(2024, 1, 1), days=60, seed=4)
    with shop_with(alive(), new, once, old) as shop:
        assert not len(shop.silent())


def test_a_stricter_alarm_lists_fewer_codes():
    with shop_with(alive(), dead(6, code="six"), dead(30, code="thirty")) as shop:
        assert shop.silent(alarm=1e-6)["qrcode"].tolist() == ["thirty"]
        for alarm in (0, 1, "0.05", True):
            with pytest.raises(InvalidParameter, match="alarm"):
                shop.silent(alarm=alarm)
        with pytest.raises(InvalidParameter, match="time_zone"):
            shop.silent(time_zone="Mars")


def test_a_portfolio_without_scans_has_no_silent_code():
    with open_portfolio(":memory:", clock=lambda: NOW) as shop:
        assert shop.silent().empty
        shop.insert_qrcode("https://example.com")
        assert shop.silent().empty


def test_a_scan_of_today_ends_a_silence():
    again = pd.DataFrame({"short_code": "dead", "time": [datetime(2026, 5, 1, 8)]})
    with shop_with(alive(), dead(14), again) as shop:
        assert shop.silent().empty
