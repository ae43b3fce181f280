from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit.errors import InvalidParameter
from qrkit.tracking import times

zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=st.none() | zones)
some = settings(max_examples=50)


@pytest.mark.parametrize(("write", "read"), [(times.to_iso, times.from_iso), (times.to_table, times.from_table)])
@given(moment=moments)
@some
def test_a_moment_is_read_back_to_the_second_in_utc(write, read, moment):
    found = read(write(moment))
    assert found == times.utc(moment).replace(microsecond=0)
    assert found.tzinfo is UTC


@given(moments)
@some
def test_both_forms_have_always_the_same_length(moment):
    assert len(times.to_iso(moment)) == len("yyyy-MM-ddTHH:mm:ssZ")
    assert len(times.to_table(moment)) == len("yyyy-MM-dd HH:mm:ss")


def test_the_two_forms():
    moment = datetime(2026, 3, 1, 23, 30, 59, 999_999, timezone(timedelta(hours=-2)))
    assert times.to_iso(moment) == "2026-03-02T01:30:59Z"
    assert times.to_table(moment) == "2026-03-02 01:30:59"


def test_a_moment_without_zone_is_utc_and_other_offsets_are_turned_into_it():
    wanted = datetime(2026, 3, 1, 12, tzinfo=UTC)
    for text in ("2026-03-01T12:00:00", "2026-03-01T12:00:00Z", "2026-03-01T14:00:00+02:00", "2026-03-01T12:00:00.0Z"):
        assert times.from_iso(text) == wanted
    assert times.utc(datetime(2026, 3, 1, 12)) == wanted


@given(st.dates())
@some
def test_a_day_is_read_back(day):
    assert times.from_day(day.isoformat()) == day


def test_a_day_that_the_month_does_not_have_says_how_many_it_has():
    with pytest.raises(InvalidParameter, match=r"such as 2026-06-01; 2026-09 has 30 days"):
        times.from_day("2026-09-31")


@pytest.mark.parametrize("text", ["", "1 June", "0000-01-01", "2026-13-01", "2026-06-01T12:00:00", "2026-06"])
def test_what_is_no_day_is_an_invalid_parameter(text):
    with pytest.raises(InvalidParameter, match="must be a day such as 2026-06-01") as caught:
        times.from_day(text, name="since")
    assert (caught.value.name, caught.value.value) == ("since", text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-02-30T00:00:00Z",
        "2026-03-01T25:00:00Z",
        "1772366400",
        "2026-03-01T12:00:00 Mars",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_what_is_no_iso_moment_is_an_invalid_parameter(text):
    with pytest.raises(InvalidParameter, match="must be a date and time as yyyy-MM-ddTHH:mm:ssZ") as caught:
        times.from_iso(text, name="schedule.0.date")
    assert (caught.value.name, caught.value.value) == ("schedule.0.date", text)


@pytest.mark.rule("X13")
@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01 12:00:00",
        "2026-03-01T12:00:00",
        "2026-03-01T12:00:00Z",
        "2026-03-01 12:00:00+00:00",
        "2026-03-01 14:00:00+02:00",
        "2026-03-01T07:30:00-0430",
        "2026-03-01 12:00",
        "2026-03-01T12:00Z",
        "2026-03-01 12:00:00.000000+00:00",
    ],
)
def test_a_table_may_have_a_moment_in_either_form_and_with_an_offset(text):
    """Open: how others write Created. As our own JSON does, as pandas does, and as spreadsheets do."""
    assert times.from_table(text) == datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_date_alone_is_its_first_moment():
    """As a spreadsheet writes a cell that shows no time into a csv."""
    assert times.from_table("2026-03-01") == datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-03",
        "2026-03-01T24:00:00Z",
        "2026-03-01T12:00:00+25:00",
        "2026-02-30 00:00:00",
        "01.03.2026 12:00",
        "0001-01-01 00:00:00+01:00",
    ],
)
def test_what_is_no_table_moment_is_an_invalid_parameter(text):
    with pytest.raises(InvalidParameter, match="must be a date and time as yyyy-MM-dd HH:mm:ss") as caught:
        times.from_table(text)
    assert (caught.value.name, caught.value.value) == ("Created (UTC)", text)


def test_now_is_the_present_moment_in_utc():
    before = datetime.now(UTC)
    assert before <= times.now() <= datetime.now(UTC)
    assert times.now().tzinfo is UTC


@given(today=st.dates(min_value=date(1, 7, 1)), period=st.sampled_from(["week", "month", "quarter"]))
def test_the_last_whole_period_ends_before_today(today, period):
    since, until = times.last_whole(period, today)
    assert times.period_start(today, period) == until <= today
    assert times.last_whole(period, until) == (since, until)
    assert times.period_start(until - timedelta(days=1), period) == since
    assert {"week": 7, "month": 28, "quarter": 90}[period] <= (until - since).days <= {
        "week": 7, "month": 31, "quarter": 92,
    }[period]  # fmt: skip


@pytest.mark.parametrize(
    ("period", "since", "until"),
    [
        ("week", date(2025, 12, 22), date(2025, 12, 29)),
        ("month", date(2025, 12, 1), date(2026, 1, 1)),
        ("quarter", date(2025, 10, 1), date(2026, 1, 1)),
    ],
)
def test_whole_periods_cross_the_year(period, since, until):
    assert times.last_whole(period, date(2026, 1, 1)) == (since, until)
