"""A view of scans has the days and hours of its time zone."""

from contextlib import contextmanager
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pandas as pd
import pytest

from qrkit import analytics, open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.store.questions.counted_elsewhere import MOST_CATEGORIES

ZONE = "Europe/Ljubljana"
TIMES = [datetime(2026, 5, 31, 21), datetime(2026, 5, 31, 22), datetime(2026, 6, 30, 21), datetime(2026, 6, 30, 22)]
"""UTC: the last hour of May in Ljubljana, the first and the last of June, the first of July."""


@contextmanager
def opened():
    with open_portfolio(":memory:", clock=lambda: datetime(2026, 5, 30, tzinfo=UTC)) as portfolio:
        portfolio.insert_qrcode("https://example.com", short_code="door")
        portfolio.scans.insert(pd.DataFrame({"short_code": "door", "time": TIMES, "visitor": range(4)}))
        yield portfolio


@pytest.fixture(scope="module")
def shop():
    """Of which questions are asked."""
    with opened() as portfolio:
        yield portfolio


@pytest.mark.parametrize(
    ("since", "until"),
    [
        ("2026-06-01", "2026-07-01"),
        (date(2026, 6, 1), date(2026, 7, 1)),
        (datetime(2026, 6, 1), datetime(2026, 7, 1)),
        (datetime(2026, 5, 31, 22, tzinfo=UTC), datetime(2026, 6, 30, 22, tzinfo=UTC)),
        (pd.Timestamp("2026-06-01"), pd.Timestamp("2026-07-01", tz=ZONE)),
    ],
)
def test_days_and_moments_are_those_of_the_time_zone(shop, since, until):
    june = shop.scans.where(since=since, until=until, time_zone=ZONE)
    assert june.period == (TIMES[1], TIMES[3])
    assert june.count() == 2
    assert june.to_frame()["time"].dt.strftime("%m-%d %H:%M").tolist() == ["06-01 00:00", "06-30 23:00"]
    assert analytics.scans_per_day(june)["day"].dt.day.tolist() == [*range(1, 31)]
    assert analytics.scans_by_hour(june).query("scans > 0")["hour"].tolist() == [0, 23]


def test_the_order_of_bounds_and_time_zone_does_not_matter(shop):
    june = shop.scans.where(since="2026-06-01", until="2026-07-01")
    assert june.count() == 2
    assert june.where(time_zone=ZONE) == shop.scans.where(time_zone=ZoneInfo(ZONE), since="2026-06-01").where(
        until=date(2026, 7, 1)
    )


def test_filters_take_ids_and_values_in_any_container():
    with opened() as shop:
        gate = shop.insert_qrcode("https://example.com", short_code="gate")
        shop.scans.insert([{"short_code": "gate", "time": TIMES[0], "country": "PT", "kind": "bot"}])
        ids = shop.qrcodes().index.tolist()
        for several in (list, tuple, set, iter, pd.Index, pd.Series, lambda ids: pd.Series(ids).to_numpy()):
            assert shop.scans.where(qrcode_id=several(ids)).count() == 4
            assert shop.scans.where(qrcode_id=several(ids), kinds=several(["scan", "bot"])).count() == 5
            of_gate = shop.scans.where(qrcode_id=several([gate.id]), kinds=several(["bot"]), country=several(["PT"]))
            assert of_gate.count() == 1


def test_filters_refuse_a_table_and_a_mapping(shop):
    codes = shop.qrcodes()
    for wrong in (codes, {codes.index[0]: 4}, codes["scans"]):
        with pytest.raises(
            InvalidParameter, match=r"(?s)qrcode_id=.*must be an ID, such as qrcode.id, or a list of IDs"
        ):
            shop.scans.where(qrcode_id=wrong)
        with pytest.raises(InvalidParameter, match=r"(?s)country=.*must be text, or a list of texts"):
            shop.scans.where(country=wrong)


def test_moments_of_an_answer_are_in_the_time_zone(shop):
    view = shop.scans.where(time_zone=ZONE)
    first = pd.Timestamp("2026-05-31 23:00", tz=ZONE)
    assert str(view.to_frame()["time"].dtype) == f"datetime64[us, {ZONE}]"
    assert str(shop.scans.to_frame()["time"].dtype) == "datetime64[us, UTC]"
    for answer in (analytics.summary, analytics.half_lives, analytics.scans_by_content):
        assert answer(view)["first"].tolist() == [first]
        assert answer(shop.scans)["first"].tolist() == [pd.Timestamp(TIMES[0], tz="UTC")]
    assert analytics.half_lives(view)["created"].tolist() == [pd.Timestamp("2026-05-30 02:00", tz=ZONE)]
    assert shop.scans.where(since=view.to_frame()["time"].max()).count() == 1


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", None, 2])
def test_unknown_time_zones_are_refused(shop, zone):
    with pytest.raises(InvalidParameter, match=r"time_zone.*must be an IANA name"):
        shop.scans.where(time_zone=zone)


@pytest.mark.parametrize("bound", [date.min, datetime.min])
def test_a_bound_that_is_no_moment_in_utc_is_refused(shop, bound):
    assert shop.scans.where(since=bound).count() == 4
    with pytest.raises(InvalidParameter, match=r"since=.*is too far from today"):
        shop.scans.where(since=bound, time_zone=ZONE)


def test_texts_that_hardly_repeat_are_stored_like_others():
    """Beyond `MOST_CATEGORIES`, a column goes into the store as texts, not as categories."""
    cities = [*(f"City {number}" for number in range(MOST_CATEGORIES + 1)), None]
    times = pd.date_range("2026-06-10", periods=len(cities), freq="s")
    with opened() as shop:
        assert shop.scans.insert(pd.DataFrame({"short_code": "door", "time": times, "city": cities})) == len(cities)
        stored = shop.scans.where(since="2026-06-09", until="2026-06-11").to_frame()["city"]
    assert stored[:-1].tolist() == cities[:-1]
    assert stored.isna().tolist()[-1]


def counts(view, **filters):
    return view.where(**filters).count()


def test_hours_and_weekdays_are_those_of_the_time_zone(shop):
    """The four scans are on Sunday, Monday, Tuesday and Wednesday in Ljubljana, at 23 and 0 o'clock."""
    view = shop.scans.where(time_zone=ZONE)
    assert counts(view, hour=23) == counts(view, hour=0) == 2
    assert counts(view, hour=[0, 23]) == counts(view, hour=range(24)) == 4
    assert counts(view, weekday="Mon") == counts(view, weekday="monday") == counts(view, weekday=1) == 1
    assert counts(view, weekday={1, "Sun"}) == counts(view, weekday=[1, 2], hour=[0, 23]) == 2
    assert counts(view, weekday="Mon", hour=23) == counts(view, hour=[]) == 0
    assert view.where(hour=23).where(hour=None) == view
    assert counts(shop.scans, hour=23) == 0
    assert counts(shop.scans, hour=(21, 22)) == 4


@pytest.mark.parametrize(
    ("filters", "rule"),
    [
        ({"country": "Slovenia"}, r"takes two letters .*'SI' is Slovenia"),
        ({"country": "si"}, r"takes two letters .*'SI' is Slovenia"),
        ({"country": ["SI", "the Netherlands"]}, r"country='the Netherlands': .*'NL' is Netherlands"),
        ({"country": "nowhere"}, r"takes two letters"),
        ({"device": "mobile"}, r"must be one of phone, tablet, computer \('mobile' is 'phone' here\)"),
        ({"device": "Desktop"}, r"'Desktop' is 'computer' here"),
        ({"device": "toaster"}, r"must be one of phone, tablet, computer; 'unknown' finds scans without it"),
        ({"hour": 24}, r"hour=24: must be a whole number in 0\.\.23"),
        ({"hour": "9"}, r"hour='9'"),
        ({"hour": True}, r"hour=True"),
        ({"weekday": 0}, r"weekday=0: must be a weekday, 1 \(Monday\) to 7"),
        ({"weekday": ["Mon", "Someday"]}, r"weekday='Someday'"),
    ],
)
def test_a_value_that_no_scan_can_have_is_refused(shop, filters, rule):
    with pytest.raises(InvalidParameter, match=rule):
        shop.scans.where(**filters)


def test_scans_have_the_short_code_and_the_parameters_of_the_link():
    with open_portfolio(":memory:") as portfolio:
        portfolio.insert_qrcode("https://example.com/?utm_source=poster%20a&utm_id=7#x", short_code="door")
        portfolio.insert_qrcode("https://example.com/", short_code="shelf")
        portfolio.scans.insert([{"short_code": code, "time": TIMES[0]} for code in ("door", "shelf")])
        found = portfolio.scans.to_frame().sort_values("short_code")
        assert found["short_code"].tolist() == ["door", "shelf"]
        assert found["utm_source"].fillna("").tolist() == ["poster a", ""]
        assert found["utm_id"].fillna("").tolist() == ["7", ""]
        assert found["utm_medium"].isna().all()
        assert portfolio.scans.to_arrow().columns == tuple(portfolio.scans.to_frame().columns)
