import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from qrkit import QRCode
from qrkit.errors import InvalidParameter
from qrkit.server.statuses import status_of
from qrkit.tracking.records import ScheduleEvent
from qrkit.tracking.schedule import Span, activations, active_content, last_activation, spans

some = settings(max_examples=150)
STEP = timedelta(minutes=15)
INSTANT = timedelta(microseconds=1)
MONDAY = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)

# Ten days and ten hours around each lie in the years 1 to 9999.
MIDDLES = {
    "any week": datetime(2026, 6, 17, 12, 7, 31, tzinfo=UTC),
    "end of a year": datetime(2026, 12, 31, 23, 45, tzinfo=UTC),
    "leap day": datetime(2028, 2, 29, 0, 0, tzinfo=UTC),
    "summer time begins in Europe": datetime(2026, 3, 29, 1, 0, tzinfo=UTC),
    "summer time ends in the Americas": datetime(2026, 11, 1, 6, 0, tzinfo=UTC),
    "first days of the year 1": datetime(1, 1, 11, 10, 0, tzinfo=UTC),
    "last days of the year 9999": datetime(9999, 12, 21, 13, 45, tzinfo=UTC),
}
offsets = st.integers(-1_000, 1_000)
zones = st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-9))])


def walked(content, schedule, moment):
    """The active content, found by walking through the time from the first event on, a quarter of an hour a step."""
    now = min((event.date for event in schedule), default=moment)
    active = content
    while now <= moment:
        for event in schedule:
            at_its_time = now >= event.date and now.time() == event.date.time()
            if now == event.date if event.recurrence == 0 else at_its_time and now.isoweekday() == event.recurrence:
                active = event.content
        if moment - now < STEP:
            break
        now += STEP
    return active


@st.composite
def schedules_and_moments(draw):
    """Events on a grid of quarters of an hour, and a moment on a point of it, just behind or just before one."""
    middle = draw(st.sampled_from(sorted(MIDDLES)))
    events = draw(st.lists(st.tuples(offsets, st.integers(0, 7)), max_size=6))
    schedule = [
        ScheduleEvent(content=f"event {number}", recurrence=recurrence, date=MIDDLES[middle] + offset * STEP)
        for number, (offset, recurrence) in enumerate(events)
    ]
    # A schedule whose times of day are the same has ties.
    aligned = draw(st.sampled_from([offset % 96 for offset, _ in events])) if events and draw(st.booleans()) else 0
    offset = draw(offsets) if not aligned else draw(st.integers(-10, 9)) * 96 + aligned
    behind = draw(st.sampled_from([timedelta(), INSTANT, STEP - INSTANT]))
    return schedule, MIDDLES[middle] + max(-1_000, min(offset, 1_000)) * STEP + behind


@pytest.mark.rule("T7")
@given(schedules_and_moments())
@some
def test_the_active_content_is_what_a_walk_through_the_time_finds(found):
    """Open: which content is served when. That of the event that became active last; ties go to the later one."""
    schedule, moment = found
    assert active_content("own", schedule, moment) == walked("own", schedule, moment)


@pytest.mark.rule("T7")
@given(
    times=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 7)), max_size=8),
    moment=st.integers(0, 21 * 96),
)
@some
def test_events_of_one_moment_go_to_the_later_in_the_list(times, moment):
    """Open: two events that become active at once. The later in the list, whatever it repeats."""
    schedule = [
        ScheduleEvent(content=f"event {number}", recurrence=recurrence, date=MONDAY + timedelta(days=days))
        for number, (days, recurrence) in enumerate(times)
    ]
    now = MONDAY + moment * STEP
    assert active_content("own", schedule, now) == walked("own", schedule, now)


@pytest.mark.rule("T7")
@pytest.mark.parametrize("recurrence", range(1, 8))
def test_a_weekly_event_begins_on_its_first_weekday_from_its_date_on(recurrence):
    """Open: what 1 to 7 mean. Every Monday to Sunday at the time of day of the date, from that date on."""
    event = ScheduleEvent(content="weekly", recurrence=recurrence, date=MONDAY)
    first = MONDAY + timedelta(days=recurrence - 1)
    assert first.isoweekday() == recurrence
    for weeks in (0, 1, 52, 4_000):
        due = first + timedelta(weeks=weeks)
        assert last_activation(event, due) == due
        before = due - INSTANT
        assert last_activation(event, before) == (due - timedelta(weeks=1) if weeks else None)
        assert last_activation(event, due + timedelta(days=7) - INSTANT) == due


@pytest.mark.rule("T7")
def test_before_any_event_the_content_is_its_own():
    """Open: what is served before the first event. The record's own content, and from its very instant the event's."""
    event = ScheduleEvent(content="event", date=MONDAY)
    assert active_content("own", [], MONDAY) == "own"
    assert active_content("own", [event], MONDAY - INSTANT) == "own"
    assert active_content("own", [event], MONDAY) == "event"
    assert active_content("own", [event], datetime.max.replace(tzinfo=UTC)) == "event"
    assert active_content("own", [event], datetime.min.replace(tzinfo=UTC)) == "own"
    assert last_activation(event, datetime.max.replace(tzinfo=UTC)) == MONDAY


@pytest.mark.parametrize("recurrence", range(1, 8))
def test_a_weekly_event_begins_and_ends_with_the_calendar(recurrence):
    """Python knows no day before the first Monday of the year 1, and none after the last Friday of 9999."""
    first, last = datetime(1, 1, 1, 12, tzinfo=UTC), datetime(9999, 12, 31, 12, tzinfo=UTC)
    event = ScheduleEvent(content="x", recurrence=recurrence, date=first)
    due = first + timedelta(days=recurrence - 1)
    for days in range(7):
        now = first + timedelta(days=days)
        assert last_activation(event, now) == (due if now >= due else None)
    assert last_activation(event, first - INSTANT) is None
    assert last_activation(event, last) == last - timedelta(days=(5 - recurrence) % 7)
    assert last_activation(event, last - INSTANT) == last - timedelta(days=(5 - recurrence) % 7 or 7)


@pytest.mark.rule("T7")
@given(schedules_and_moments(), zones)
@some
def test_a_moment_of_any_zone_is_the_same_moment(found, zone):
    """Open: whose time it is. UTC: where the server or the caller stands changes nothing."""
    schedule, moment = found
    try:
        elsewhere = moment.astimezone(zone)
    except OverflowError:
        reject()
    assert active_content("own", schedule, elsewhere) == active_content("own", schedule, moment)
    assert active_content("own", schedule, moment.replace(tzinfo=None)) == active_content("own", schedule, moment)


@pytest.mark.rule("T7")
@pytest.mark.parametrize(
    ("local", "utc"),
    [
        ("2026-03-29T01:59:59+01:00", "2026-03-29T00:59:59Z"),
        ("2026-03-29T03:00:00+02:00", "2026-03-29T01:00:00Z"),
        ("2026-10-25T02:30:00+02:00", "2026-10-25T00:30:00Z"),
        ("2026-10-25T02:30:00+01:00", "2026-10-25T01:30:00Z"),
        ("2026-11-01T01:30:00-04:00", "2026-11-01T05:30:00Z"),
        ("2026-12-31T23:59:59-10:00", "2027-01-01T09:59:59Z"),
        ("2026-01-01T00:00:00", "2026-01-01T00:00:00Z"),
        ("0001-01-01T14:00:00+14:00", "0001-01-01T00:00:00Z"),
        ("9999-12-31T11:59:59-12:00", "9999-12-31T23:59:59Z"),
    ],
)
def test_a_date_with_an_offset_is_utc_inside(local, utc):
    """Open: dates with an offset. They are brought to UTC; the time of day that repeats is that of UTC."""
    for given_date in (local, datetime.fromisoformat(local)):
        event = ScheduleEvent(content="x", date=given_date)
        assert json.loads(event.to_json())["date"] == utc
        assert event.date == datetime.fromisoformat(utc)
        assert event.date.utcoffset() == timedelta()


@pytest.mark.rule("T7")
def test_no_clock_change_moves_a_weekly_event():
    """Open: summer time. 09:00 in Rome in winter is 08:00 UTC, and stays that: 10:00 in Rome in summer."""
    event = ScheduleEvent(content="x", recurrence=1, date="2026-03-23T09:00:00+01:00")
    summer = datetime.fromisoformat("2026-03-30T10:00:00+02:00")
    assert last_activation(event, summer) == summer
    assert last_activation(event, summer - INSTANT) == summer - timedelta(weeks=1)


@pytest.mark.rule("T7")
@given(
    st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59)),
    st.integers(0, 7),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
)
@some
def test_an_event_has_one_form_in_json_and_is_the_same_when_it_is_read_again(date, recurrence, content):
    """Open: fractions of seconds. The form of the interface has none, so an event begins at a whole second."""
    event = ScheduleEvent(content=content, recurrence=recurrence, date=date)
    written = json.loads(event.to_json())
    form = f"{date.year:04}-{date:%m-%dT%H:%M:%S}Z"
    assert written == {"content": content, "recurrence": recurrence, "date": form}
    assert ScheduleEvent.from_json(event.to_json()) == event
    assert event.date == date.replace(microsecond=0, tzinfo=UTC)


@pytest.mark.rule("T7")
@pytest.mark.parametrize("recurrence", [-1, 8, 100, 1.5, "1", "", True, None, float("nan")])
def test_another_recurrence_is_refused(recurrence):
    """Open: other numbers. 400: an event that nobody can date would never happen."""
    with pytest.raises(InvalidParameter) as caught:
        ScheduleEvent(content="x", recurrence=recurrence, date=MONDAY)
    assert (caught.value.name, status_of(caught.value)) == ("recurrence", 400)


@pytest.mark.parametrize(
    "date",
    [
        *("", "tomorrow", "09:30", "2026-02-30T00:00:00Z", "2026-03-02T25:00:00Z", "1772443800", None, True),
        *(0, 1_772_443_800, 1_772_443_800_000, 1.5),
        *("0001-01-01T00:00:00+02:00", "9999-12-31T23:59:59-02:00"),
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_what_is_no_moment_of_utc_is_refused(date):
    """Numbers too: they do not say whether they are seconds or milliseconds."""
    with pytest.raises(InvalidParameter) as caught:
        ScheduleEvent(content="x", date=date)
    assert (caught.value.name, status_of(caught.value)) == ("date", 400)


def test_an_event_needs_content_and_a_date():
    for fields, name in (({"content": "", "date": MONDAY}, "content"), ({"content": "x"}, "date")):
        with pytest.raises(InvalidParameter) as caught:
            ScheduleEvent(**fields)
        assert caught.value.name == name
    assert ScheduleEvent(content="x", date=MONDAY).recurrence == 0


@pytest.mark.rule("T7")
def test_a_schedule_has_at_most_a_hundred_events():
    """Open: how long a schedule may be. A hundred: each redirect looks at all of them."""
    event = {"content": "x", "date": "2026-03-02T09:30:00Z"}
    fields = {"id": "0" * 32, "name": "x", "content": "x", "created": MONDAY}
    assert len(QRCode(**fields, schedule=[event] * 100).schedule) == 100
    with pytest.raises(InvalidParameter, match=r"must have 0\.\.100 entries, not 101") as caught:
        QRCode(**fields, schedule=[event] * 101)
    assert caught.value.name == "schedule"


def test_every_event_that_breaks_a_rule_is_named():
    good, bad = {"content": "x", "date": MONDAY}, {"content": "", "recurrence": 8, "date": 0}
    with pytest.raises(InvalidParameter) as caught:
        QRCode(id="0" * 32, name="x", content="x", created=MONDAY, schedule=[good, bad])
    names = {problem.name for problem in caught.value.problems}
    assert names == {"schedule.1.content", "schedule.1.recurrence", "schedule.1.date"}


# What happens in a time -----------------------------------------------------------------------------------------------

WEEK = timedelta(days=7)
ONCE = ScheduleEvent(date=MONDAY + timedelta(days=1), content="once")
MONDAYS = ScheduleEvent(date=MONDAY, content="mondays", recurrence=1)


def begun(schedule, since, until):
    return list(activations(schedule, since, until))


def test_a_weekly_event_begins_each_week_from_its_date_on():
    every = [(MONDAY + weeks * WEEK, 0) for weeks in range(4)]
    assert begun([MONDAYS], MONDAY - 5 * WEEK, MONDAY + 3 * WEEK + INSTANT) == every
    assert begun([MONDAYS], MONDAY + INSTANT, MONDAY + 3 * WEEK) == every[1:3]


def test_an_event_without_recurrence_begins_once():
    assert begun([ONCE], MONDAY, MONDAY + 9 * WEEK) == [(ONCE.date, 0)]
    assert begun([ONCE], ONCE.date + INSTANT, MONDAY + 9 * WEEK) == []


def test_a_time_has_its_first_moment_and_not_its_last():
    assert begun([MONDAYS, ONCE], MONDAY, MONDAY) == []
    assert begun([MONDAYS, ONCE], MONDAY, MONDAY + INSTANT) == [(MONDAY, 0)]
    assert begun([MONDAYS, ONCE], MONDAY - INSTANT, MONDAY) == []
    assert begun([MONDAYS, ONCE], MONDAY + WEEK, MONDAY) == []


def test_events_are_in_the_order_of_time_and_at_one_moment_in_that_of_the_list():
    schedule = [ONCE, MONDAYS, ScheduleEvent(date=MONDAY, content="too", recurrence=1)]
    assert begun(schedule, MONDAY, MONDAY + WEEK + INSTANT) == [
        (MONDAY, 1), (MONDAY, 2), (ONCE.date, 0), (MONDAY + WEEK, 1), (MONDAY + WEEK, 2),
    ]  # fmt: skip


def test_spans_follow_each_other_without_a_break():
    before, after = MONDAY - timedelta(hours=1), MONDAY + WEEK + timedelta(hours=1)
    assert list(spans([ONCE, MONDAYS], before, after)) == [
        Span(before, MONDAY, None),
        Span(MONDAY, ONCE.date, 1),
        Span(ONCE.date, MONDAY + WEEK, 0),
        Span(MONDAY + WEEK, after, 1),
    ]


def test_an_event_that_begins_anew_goes_on():
    until = MONDAY + 3 * WEEK
    assert list(spans([MONDAYS], MONDAY, until)) == [Span(MONDAY, until, 0)]
    assert list(spans([MONDAYS], MONDAY + INSTANT, until)) == [Span(MONDAY + INSTANT, until, 0)]


def test_of_several_that_begin_at_one_moment_the_last_of_the_list_is_active():
    schedule = [MONDAYS, ScheduleEvent(date=MONDAY, content="too")]
    assert list(spans(schedule, MONDAY, MONDAY + INSTANT)) == [Span(MONDAY, MONDAY + INSTANT, 1)]


def test_no_time_has_no_spans_and_no_schedule_has_one():
    assert list(spans([MONDAYS], MONDAY, MONDAY)) == []
    assert list(spans([], MONDAY, MONDAY + WEEK)) == [Span(MONDAY, MONDAY + WEEK, None)]
