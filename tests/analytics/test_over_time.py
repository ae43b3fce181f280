"""Scans per period of local time, against pandas and its own time zones; clocks that are changed among them."""

from datetime import UTC, date, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import analytics, open_portfolio, report
from qrkit.errors import InvalidParameter

some = settings(max_examples=10)

ZONES = {
    "UTC": [datetime(2026, 3, 1)],
    "Europe/Ljubljana": [datetime(2026, 3, 29, 1), datetime(2026, 10, 25, 1)],
    "America/New_York": [datetime(2026, 3, 8, 7), datetime(2026, 11, 1, 6)],
    "Australia/Lord_Howe": [datetime(2026, 4, 4, 15), datetime(2026, 10, 3, 15, 30)],  # by half an hour
    "Asia/Kathmandu": [datetime(2026, 5, 5)],  # 5:45 ahead, all the year
    "Africa/Cairo": [datetime(2026, 4, 23, 22), datetime(2026, 10, 29, 21)],  # at midnight
    "America/St_Johns": [datetime(2010, 3, 14, 3, 31), datetime(2010, 11, 7, 2, 31)],  # a minute after midnight
    "Pacific/Apia": [datetime(2011, 12, 30, 10)],  # a day that never was
}
"""Time zones, and moments (UTC) at which their clocks are changed."""

FREQUENCIES = {"hour": "h", "day": "D", "week": "W-MON", "month": "MS"}


def shop_with(scans):
    """A portfolio with the scans of (short code, time, visitor)."""
    portfolio = open_portfolio(":memory:", clock=lambda: datetime(2010, 1, 1, tzinfo=UTC))
    for name in ("door", "bus"):
        campaign = portfolio.insert_campaign(f"By the {name}")
        portfolio.insert_qrcode("https://example.com", name=name, short_code=name, campaign_id=campaign.id)
    frame = pd.DataFrame(scans, columns=["short_code", "time", "visitor"])
    portfolio.scans.insert(frame.astype({"time": "datetime64[us]", "visitor": "UInt64"}))
    return portfolio


def scans_around(change, seed):
    """Scans within two days of a moment, many of them close to it."""
    random = Random(seed)
    reach = [60, 3_600, 3 * 3_600, 2 * 86_400]
    found = []
    for _ in range(80):
        seconds = random.choice(reach)
        time = change + timedelta(seconds=random.uniform(-seconds, seconds))
        visitor = random.choice([None, time.toordinal() * 100 + random.randrange(9)])  # a key is of one day
        found.append((random.choice(["door", "bus"]), time, visitor))
    return found


@pytest.fixture(scope="module")
def empty_shop():
    with shop_with([]) as portfolio:
        yield portfolio


@pytest.fixture(scope="module")
def shops():
    """A portfolio and its scans for each time zone and change of clocks."""
    made = {}
    for zone, changes in ZONES.items():
        for number, change in enumerate(changes):
            scans = scans_around(change, number)
            made[zone, number] = shop_with(scans), pd.DataFrame(scans, columns=["qrcode", "time", "visitor"])
    yield made
    for portfolio, _ in made.values():
        portfolio.close()


each_change = pytest.mark.parametrize(
    ("zone", "number"), [(zone, number) for zone, changes in ZONES.items() for number in range(len(changes))]
)


def slow_hours(times, zone):
    """When the hour on the clock of each moment began (UTC): back minute by minute until the clock shows another."""

    def start(time):
        local = time.astimezone(ZoneInfo(zone))
        begin = time - timedelta(seconds=time.second, microseconds=time.microsecond)
        while True:
            before = (begin - timedelta(minutes=1)).astimezone(ZoneInfo(zone))
            if (before.date(), before.hour, before.utcoffset()) != (local.date(), local.hour, local.utcoffset()):
                return pd.Timestamp(begin)
            begin -= timedelta(minutes=1)

    return [start(time.to_pydatetime().replace(tzinfo=UTC)) for time in times]


def slow_labels(times, zone, period):
    """The local day, Monday or first of the month of each moment, by pandas."""
    local = times.dt.tz_localize("UTC").dt.tz_convert(zone).dt.tz_localize(None)
    return local.dt.to_period({"day": "D", "week": "W-SUN", "month": "M"}[period]).dt.start_time


@each_change
def test_hours_are_those_of_the_clock(shops, zone, number):
    portfolio, scans = shops[zone, number]
    found = analytics.scans_per(portfolio.scans.where(time_zone=zone), "hour")
    assert str(found["start"].dtype) == f"datetime64[us, {zone}]"
    wanted = scans.groupby(slow_hours(scans["time"], zone)).agg(
        scans=("qrcode", "size"), visitors=("visitor", "nunique")
    )
    filled = found.set_index(found["start"].dt.tz_convert("UTC"))[["scans", "visitors"]]
    assert filled[filled["scans"] > 0].to_dict("index") == wanted.to_dict("index")
    # One after the other, without a hole, and none longer than an hour.
    starts = found["start"].dt.tz_convert("UTC")
    ends = (starts + pd.to_timedelta(found["hours"], unit="h")).dt.round("s")
    assert ends[:-1].tolist() == starts[1:].tolist()
    assert found["hours"].between(0, 1, inclusive="right").all()
    assert set(found.loc[found["hours"] < 1, "hours"]) <= {0.5, 31 / 60, 29 / 60, 1 / 60, 59 / 60}


@pytest.mark.parametrize("period", ["day", "week", "month"])
@each_change
def test_days_weeks_and_months_are_those_of_the_calendar(shops, zone, number, period):
    portfolio, scans = shops[zone, number]
    found = analytics.scans_per(portfolio.scans.where(time_zone=zone), period, by="qrcode")
    labels = slow_labels(scans["time"], zone, period)
    wanted = scans.groupby([labels, "qrcode"]).agg(scans=("time", "size"), visitors=("visitor", "nunique"))
    days = found["start"].dt.tz_localize(None).dt.normalize()
    filled = found.assign(day=days).set_index(["day", "qrcode"])[["scans", "visitors"]]
    assert filled[filled["scans"] > 0].to_dict("index") == wanted.to_dict("index")
    shown = days.drop_duplicates().tolist()
    calendar = pd.date_range(labels.min(), labels.max(), freq=FREQUENCIES[period])
    assert shown == [day for day in calendar if (zone, day.date()) != ("Pacific/Apia", date(2011, 12, 30))]
    assert len(found) == 2 * len(shown)


@each_change
def test_days_without_their_zone_and_hours_of_the_week_are_local_too(shops, zone, number):
    portfolio, scans = shops[zone, number]
    local = scans["time"].dt.tz_localize("UTC").dt.tz_convert(zone)
    per_day = analytics.scans_per_day(portfolio.scans.where(time_zone=zone))
    days = local.dt.tz_localize(None).dt.normalize().value_counts()
    assert per_day[per_day["scans"] > 0].set_index("day")["scans"].to_dict() == days.to_dict()
    week = analytics.scans_by_hour(portfolio.scans.where(time_zone=zone))
    wanted = local.groupby([local.dt.day_of_week + 1, local.dt.hour]).size().to_dict()
    assert {(row.weekday, row.hour): row.scans for row in week.itertuples() if row.scans} == wanted


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Ljubljana", date(2026, 3, 29), 23),
        ("Europe/Ljubljana", date(2026, 10, 25), 25),
        ("Europe/Ljubljana", date(2026, 10, 26), 24),
        ("Australia/Lord_Howe", date(2026, 4, 5), 24.5),
        ("Africa/Cairo", date(2026, 4, 24), 23),
    ],
)
def test_a_day_is_as_long_as_the_clocks_make_it(zone, day, hours):
    noon = datetime.combine(day, datetime.min.time(), ZoneInfo(zone)) + timedelta(hours=12)
    with shop_with([("door", noon.astimezone(UTC).replace(tzinfo=None), 1)]) as portfolio:
        (row,) = analytics.scans_per(portfolio.scans.where(time_zone=zone), "day").to_dict("records")
        assert (row["start"].date(), row["hours"], row["scans"]) == (day, hours, 1)
        whole = portfolio.scans.where(since=row["start"].to_pydatetime(), until=row["start"] + timedelta(hours=hours))
        found = analytics.scans_per(whole.where(time_zone=zone), "hour")
        assert found["hours"].sum() == hours
        assert found["start"].dt.date.eq(day).all()


def test_the_hour_that_comes_twice_is_two_rows():
    times = [datetime(2026, 10, 25, 0, 30), datetime(2026, 10, 25, 1, 30)]
    with shop_with([("door", time, 1) for time in times]) as portfolio:
        found = analytics.scans_per(portfolio.scans.where(time_zone="Europe/Ljubljana"), "hour")
        assert [(row.start.hour, row.scans) for row in found.itertuples()] == [(2, 1), (2, 1)]
        week = analytics.scans_by_hour(portfolio.scans.where(time_zone="Europe/Ljubljana"))
        assert week.query("scans > 0").to_dict("records") == [{"weekday": 7, "hour": 2, "scans": 2, "hours": 2}]
        assert week.query("hours > 0")["weekday"].eq(7).all()
        assert week["hours"].sum() == 25


@given(
    zone=st.sampled_from(sorted(ZONES)),
    period=st.sampled_from(["hour", "day", "week", "month"]),
    since=st.datetimes(datetime(2009, 12, 1), datetime(2012, 2, 1)),
    length=st.timedeltas(timedelta(microseconds=1), timedelta(days=40)),
)
@some
def test_periods_without_scans_are_there(empty_shop, zone, period, since, length):
    first = since.replace(tzinfo=UTC)
    found = analytics.scans_per(empty_shop.scans.where(since=first, until=first + length, time_zone=zone), period)
    assert found["scans"].sum() == 0
    starts = found["start"].dt.tz_convert("UTC")
    ends = (starts + pd.to_timedelta(found["hours"], unit="h")).dt.round("s").tolist()
    starts = starts.tolist()
    assert starts[0] <= pd.Timestamp(since, tz="UTC") < ends[0]
    assert starts[-1] < pd.Timestamp(since + length, tz="UTC") <= ends[-1]
    assert ends[:-1] == starts[1:]


@pytest.mark.parametrize(
    ("since", "until", "before"),
    [
        (date(2026, 5, 1), date(2026, 6, 1), date(2026, 4, 1)),  # a month, and the month before
        (date(2026, 1, 1), date(2026, 4, 1), date(2025, 10, 1)),
        (date(2026, 5, 4), date(2026, 5, 11), date(2026, 4, 27)),
        (datetime(2026, 5, 4, 6), datetime(2026, 5, 4, 18), datetime(2026, 5, 3, 18)),
    ],
)
def test_a_period_stands_beside_the_one_before(since, until, before):
    random = Random(3)
    first = datetime(2025, 9, 1)
    scans = [("door", first + timedelta(seconds=random.randrange(300 * 86_400)), number) for number in range(900)]
    with shop_with(scans) as portfolio:
        found = analytics.scans_and_previous(portfolio.scans.where(since=since, until=until))
        for prefix, view in (
            ("", portfolio.scans.where(since=since, until=until)),
            ("previous_", portfolio.scans.where(since=before, until=since)),
        ):
            wanted = analytics.scans_per(view, "day")
            part = found[[f"{prefix}start", f"{prefix}scans", f"{prefix}visitors"]].dropna()
            assert part.to_numpy().tolist() == wanted[["start", "scans", "visitors"]].to_numpy().tolist()
            assert part[f"{prefix}scans"].sum() == view.count()


def test_the_previous_week_begins_at_the_same_time_of_the_clock():
    with shop_with([]) as portfolio:
        zone = ZoneInfo("Europe/Ljubljana")
        view = portfolio.scans.where(since=datetime(2026, 3, 30, tzinfo=zone), until=datetime(2026, 4, 6, tzinfo=zone))
        found = analytics.scans_and_previous(view.where(time_zone="Europe/Ljubljana"))
    assert len(found) == 7
    assert found["previous_start"][0] == pd.Timestamp("2026-03-23", tz=zone)
    assert found["start"].dt.hour.eq(0).all()
    assert found["previous_start"].dt.hour.eq(0).all()


def test_any_other_view_takes_the_place_of_the_previous_period():
    with shop_with([]) as portfolio:
        other = portfolio.scans.where(since=date(2025, 3, 1), until=date(2025, 3, 3))
        found = analytics.scans_and_previous(
            portfolio.scans.where(since=date(2026, 3, 1), until=date(2026, 3, 4)), previous=other
        )
    assert found["previous_start"].dropna().dt.date.tolist() == [date(2025, 3, 1), date(2025, 3, 2)]
    assert len(found) == 3


def test_what_is_no_period_and_no_time_zone_is_refused():
    with shop_with([]) as portfolio:
        with pytest.raises(InvalidParameter, match="period='year': must be one of hour, day, week, month"):
            analytics.scans_per(portfolio.scans, "year")
        for ask in (analytics.scans_per_day, analytics.scans_by_hour):
            for zone in ("Mars/Olympus", "", "../etc/passwd", None):
                with pytest.raises(InvalidParameter, match="must be an IANA name"):
                    ask(portfolio.scans.where(time_zone=zone))
        for name, meant in (("new york", "America/New_York"), ("Europe/Berln", "Europe/Berlin")):
            with pytest.raises(InvalidParameter, match=f"did you mean '{meant}'"):
                analytics.scans_per_day(portfolio.scans.where(time_zone=name))
        with pytest.raises(InvalidParameter, match="until: is required for a comparison"):
            analytics.scans_and_previous(portfolio.scans.where(since=date(2026, 1, 1)))


@pytest.mark.slow
def test_a_century_of_hours_is_refused_and_a_year_beyond_scans_too():
    with shop_with([]) as portfolio:
        century = portfolio.scans.where(since=date(1990, 1, 1), until=date(2100, 1, 1))
        assert len(analytics.scans_per(century, "day")) == 40_177
        assert len(analytics.scans_per(century.where(time_zone="Europe/Ljubljana"), "hour")) == 40_177 * 24
        twice = portfolio.scans.where(since=date(1990, 1, 1), until=date(2100, 12, 31))
        with pytest.raises(InvalidParameter, match="must be in the years 1990 to 2100"):
            analytics.scans_per(portfolio.scans.where(since=date(1, 1, 1), until=date(2026, 1, 1)), "day")
        assert len(analytics.scans_per(twice, "month")) == 12 * 111


@pytest.mark.slow
@given(st.sampled_from(["campaign", "qrcode", "qrcode_id"]), st.sampled_from(["Asia/Tokyo", "America/New_York"]))
@settings(some, max_examples=6)
def test_parts_add_up_to_the_whole(by, zone):
    with shop_with(scans_around(datetime(2026, 3, 8), 1)) as portfolio:
        parts = analytics.scans_per_day(portfolio.scans.where(time_zone=zone), by=by)
        whole = analytics.scans_per_day(portfolio.scans.where(time_zone=zone))
        assert parts.groupby("day")["scans"].sum().tolist() == whole["scans"].tolist()
        assert parts[by].nunique() == 2


def test_views_reports_and_alarms_use_the_time_zone_of_the_store_by_default():
    with shop_with([("door", datetime(2026, 6, 1, 22, 30), None)]) as shop:
        assert analytics.scans_per_day(shop.scans)["day"].dt.date.tolist() == [date(2026, 6, 1)]
        shop.time_zone = "Europe/Ljubljana"
        assert analytics.scans_per_day(shop.scans)["day"].dt.date.tolist() == [date(2026, 6, 2)]
        assert analytics.scans_per_day(shop.scans.where(time_zone="UTC"))["day"].dt.date.tolist() == [date(2026, 6, 1)]
        assert str(shop.scans.to_frame()["time"].dt.tz) == "Europe/Ljubljana"
        assert shop.outages()["begin"].dtype == "datetime64[us, Europe/Ljubljana]"
        assert report.portfolio(shop).period == "Tuesday, 2 June 2026"
        assert report.portfolio(shop, time_zone="UTC").period == "Monday, 1 June 2026"
        assert shop.sql("SELECT time FROM scans")["time"].tolist() == [datetime(2026, 6, 1, 22, 30)]
