"""Scans that were hardly made by people: planted ones are found and named, and people are left in peace."""

from datetime import UTC, date, datetime, timedelta

import pandas as pd
import pytest

from qrkit import analytics, open_portfolio
from qrkit.analytics import Truth, simulate
from qrkit.errors import InvalidParameter

MAY = date(2026, 5, 1)
NIGHT = datetime(2026, 5, 20, 2, tzinfo=UTC)
ANDROID = "Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0 Mobile"


def people(seed=1, days=60, **truth):
    rates = {"door": 25, "shelf": 10}
    return simulate(rates, since=MAY, days=days, seed=seed, truth=Truth(returning=0.3, **truth))


def requests(number, apart, *, since=NIGHT, code="door", visitor=7, jitter=0.0):
    """Requests of one program, each some seconds after the one before."""
    times = [since + timedelta(seconds=apart * n + (n * 37 % 10 - 5) * jitter) for n in range(number)]
    key = visitor if isinstance(visitor, list) else [visitor] * number
    return pd.DataFrame({"short_code": code, "time": times, "visitor": key, "user_agent": ANDROID})


def found_in(*parts, **asked):
    with open_portfolio(":memory:") as shop:
        for code in ("door", "shelf"):
            shop.insert_qrcode("https://example.com", name=code.title(), short_code=code)
        for part in parts:
            shop.scans.insert(part)
        return analytics.unlike_people(shop.scans.where(**asked))


def test_one_visitor_with_thousands_of_scans_is_found():
    (row,) = found_in(people(), requests(3000, 0.8)).to_dict("records")
    assert (row["sign"], row["scans"], row["qrcode"]) == ("many", 3000, "Door")
    assert row["end"] - row["begin"] == timedelta(seconds=0.8 * 2999)


@pytest.mark.parametrize(
    "minutes", [pytest.param(1, marks=pytest.mark.slow), 5, pytest.param(30, marks=pytest.mark.slow)]
)
def test_a_monitor_is_one_finding_on_all_its_days(minutes):
    a_day = 24 * 60 // minutes
    days = [
        requests(
            a_day, 60 * minutes, since=NIGHT.replace(hour=0, second=9) + timedelta(days=day), visitor=day, jitter=0.3
        )
        for day in range(4)
    ]
    (row,) = found_in(people(), *days).to_dict("records")
    assert (row["sign"], row["minutes"], row["scans"]) == ("rhythm", minutes, 4 * a_day)


def test_a_burst_of_one_program_at_night_is_found():
    burst = requests(80, 40, visitor=list(range(1000, 1080)))
    (row,) = found_in(people(), burst).to_dict("records")
    assert (row["sign"], row["scans"], row["user_agent"]) == ("night", 80, ANDROID)
    assert found_in(people(), burst, time_zone="Asia/Tokyo").empty  # it is noon there


def test_a_crowd_at_night_is_people():
    """Three hundred different people within an hour after midnight."""
    crowd = simulate({"door": 300}, since=NIGHT.date(), days=1, truth=Truth(hours=(1, *[0] * 23)))
    assert found_in(people(), crowd).empty


@pytest.mark.slow
def test_people_are_never_taken_for_programs():
    worlds = ({}, {"log_sd": 0.8, "log_correlation": 0.5}, {"groups": (1, 20)})
    assert [found_in(people(seed, **world)).empty for seed, world in enumerate(worlds)] == [True] * 3


def test_visitors_with_many_scans_can_be_left_out():
    with open_portfolio(":memory:") as shop:
        for code in ("door", "shelf"):
            shop.insert_qrcode("https://example.com", short_code=code)
        shop.scans.insert(people())
        quiet, human = shop.scans.count(), analytics.human_scans(shop.scans).iloc[0]
        shop.scans.insert(requests(40, 50))
        shop.scans.insert(requests(40, 50, code="shelf"))  # 80 in all
        shop.scans.insert(requests(50, 50, visitor=8))
        assert shop.scans.where(most_a_day=50).count() == quiet + 50
        assert shop.scans.where(most_a_day=49).count() == quiet
        assert shop.scans.where(most_a_day=50).where(most_a_day=None).count() == quiet + 130
        assert shop.scans.where(most_a_day=50, until=NIGHT).count() < quiet
        busy = analytics.human_scans(shop.scans).iloc[0]
        assert (busy["likely"], busy["possible"]) == (human["likely"] + 50, human["possible"] + 130)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "50"])
def test_a_limit_that_is_no_number_is_refused(wrong):
    with open_portfolio(":memory:") as shop, pytest.raises(InvalidParameter, match=r"most_a_day=.*1 or more"):
        shop.scans.where(most_a_day=wrong)


@pytest.mark.slow
def test_archived_visitors_are_found_as_well(tmp_path):
    with open_portfolio(tmp_path / "a.duckdb", clock=lambda: datetime(2026, 8, 1, tzinfo=UTC)) as shop:
        for code in ("door", "shelf"):
            shop.insert_qrcode("https://example.com", short_code=code)
        shop.scans.insert(people())
        shop.scans.insert(requests(60, 0.8))
        before = analytics.unlike_people(shop.scans), shop.scans.where(most_a_day=50).count()
        shop.archive(before="2026-06-01")
        assert analytics.unlike_people(shop.scans).equals(before[0])
        assert shop.scans.where(most_a_day=50).count() == before[1]
