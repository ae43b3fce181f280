"""The time machine against a walk through every minute, with the rule of redirects asked at each."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import analytics, open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.store.questions.counted_elsewhere import insert_frame
from qrkit.tracking.records import ScheduleEvent
from qrkit.tracking.schedule import active_content, active_event, last_activation
from tests.dtypes import TEXT

some = settings(max_examples=12)
START = datetime(2026, 3, 27, 22, 0, tzinfo=UTC)  # summer time begins in Europe two days later
MINUTES = 16 * 24 * 60
STEP = 40
"""Minutes between two moments at which an event may begin; the walk itself goes minute by minute."""
MINUTE = timedelta(minutes=1)

event = st.builds(
    lambda place, recurrence, content: ScheduleEvent(
        content=content, recurrence=recurrence, date=START + (place * STEP) * MINUTE
    ),
    st.integers(-400, MINUTES // STEP + 50),
    st.integers(0, 7),
    st.sampled_from(["lunch", "dinner", "closed"]),
)
schedules = st.lists(event, max_size=7)
periods = st.tuples(st.integers(0, MINUTES), st.integers(0, 4 * 24 * 60)).map(
    lambda one: (START + one[0] * MINUTE, START + (one[0] + one[1]) * MINUTE)
)


def minutes(since, until):
    return [since + n * MINUTE for n in range((until - since) // MINUTE)]


@given(schedules, periods)
@some
def test_the_calendar_is_what_a_walk_through_every_minute_finds(schedule, period):
    since, until = period
    found = analytics.calendar(schedule, since=since, until=until, content="own")
    walked = []
    for moment in minutes(since, until):
        place = active_event(schedule, moment)
        content = active_content("own", schedule, moment)
        if walked and walked[-1][3] == place:
            walked[-1][1] = moment + MINUTE
        else:
            walked.append([moment, moment + MINUTE, content, place])
    rows = [
        [start.tz_localize("UTC"), end.tz_localize("UTC"), content, None if pd.isna(place) else place]
        for start, end, content, place in found.itertuples(index=False)
    ]
    assert rows == walked


@given(schedules, periods)
@some
def test_gaps_and_overlaps_are_what_a_walk_through_every_minute_finds(schedule, period):
    since, until = period
    found = analytics.gaps_and_overlaps(schedule, since=since, until=until)
    walk = minutes(since, until)
    gaps = sum(((row.end - row.start) // MINUTE for row in found.itertuples() if row.kind == "gap"), 0)
    assert gaps == sum(active_event(schedule, moment) is None for moment in walk)
    overlaps = {
        (moment.replace(tzinfo=None), place, active_event(schedule, moment))
        for moment in walk
        for place, one in enumerate(schedule)
        if last_activation(one, moment) == moment and active_event(schedule, moment) != place
    }
    assert {(row.start, row.event, row.instead) for row in found[found["kind"] == "overlap"].itertuples()} == overlaps
    unseen = set(range(len(schedule))) - {active_event(schedule, moment) for moment in walk}
    assert set(found.loc[found["kind"] == "unseen", "event"]) == unseen
    assert found["start"].is_monotonic_increasing


@pytest.fixture(scope="module")
def portfolio():
    with open_portfolio(":memory:", clock=lambda: START) as shop:
        for code in ("door", "shelf"):
            shop.insert_qrcode(f"https://{code}.example", name=code.title(), short_code=code)
        times = [START + timedelta(minutes=7 * n, microseconds=n) for n in range(2_000)]
        times += [START + n * STEP * MINUTE for n in range(300)]  # on the very moments at which events begin
        frame = pd.DataFrame({
            "short_code": ["door" if n % 3 else "shelf" for n in range(len(times))],
            "time": times,
            "visitor": pd.array([time.toordinal() * 100 + n % 11 for n, time in enumerate(times)], dtype="UInt64"),
            "content": ["lunch" if n % 2 else "dinner" for n in range(len(times))],
        })  # fmt: skip
        insert_frame(shop.store, shop.account.id, frame)
        yield shop


@pytest.mark.slow
@given(schedules, st.sampled_from([None, "own"]))
@some
def test_each_scan_gets_what_a_redirect_would_have_given_it(portfolio, schedule, content):
    found = analytics.served_under(portfolio.scans, schedule, content=content)
    expected, visitors = Counter(), {}
    for row in portfolio.scans.to_frame().itertuples():
        own = content or f"https://{row.qrcode.lower()}.example"
        key = row.qrcode, row.content, active_content(own, schedule, row.time.to_pydatetime())
        expected[key] += 1
        visitors.setdefault(key, set()).add(row.visitor)
    keys = list(zip(found["qrcode"], found["content"], found["content_under"], strict=True))
    assert dict(zip(keys, found["scans"], strict=True)) == expected
    assert dict(zip(keys, found["visitors"], strict=True)) == {key: len(one) for key, one in visitors.items()}


def test_only_the_scans_of_the_view_are_looked_at(portfolio):
    view = portfolio.scans.where(qrcode_id=portfolio.list_qrcodes()[0].id, since=START + timedelta(days=2))
    lunch = ScheduleEvent(content="new", date=START + timedelta(days=3))
    found = analytics.served_under(view, [lunch])
    assert set(found["qrcode"]) == {"Door"}
    late = view.where(since=START + timedelta(days=3)).count()
    assert found.groupby("content_under")["scans"].sum().to_dict() == {
        "https://door.example": view.count() - late,
        "new": late,
    }


def test_without_scans_there_is_no_row_and_the_same_columns(portfolio):
    never = portfolio.scans.where(since=date(2030, 1, 1), until=date(2030, 1, 2))
    some_found, none = analytics.served_under(portfolio.scans, []), analytics.served_under(never, [])
    assert len(none) == 0
    assert none.dtypes.to_dict() == some_found.dtypes.to_dict()
    with open_portfolio(":memory:") as empty:
        assert analytics.served_under(empty.scans, []).dtypes.to_dict() == none.dtypes.to_dict()


def test_an_empty_period_has_no_row_and_the_same_columns():
    empty = analytics.calendar([], since=START, until=START)
    whole = analytics.calendar([], since=date(2026, 1, 1), until=date(2026, 1, 2), content="own")
    assert len(empty) == 0
    assert empty.dtypes.astype(str).to_dict() == whole.dtypes.astype(str).to_dict() == {
        "start": "datetime64[us]", "end": "datetime64[us]", "content": TEXT, "event": "Int64",
    }  # fmt: skip
    assert whole.to_numpy().tolist() == [[pd.Timestamp("2026-01-01"), pd.Timestamp("2026-01-02"), "own", pd.NA]]
    assert len(analytics.calendar([], since=date(2026, 1, 2), until=date(2026, 1, 1))) == 0
    gaps = analytics.gaps_and_overlaps([], since=START, until=START)
    assert gaps.dtypes.astype(str).to_dict() == {
        "kind": TEXT, "start": "datetime64[us]", "end": "datetime64[us]", "event": "Int64", "instead": "Int64",
    }  # fmt: skip


def test_a_calendar_reaches_over_all_years():
    once = ScheduleEvent(content="x", date="2026-03-02T09:00:00Z")
    found = analytics.calendar([once], since=datetime.min, until=datetime.max)
    assert found["event"].isna().tolist() == [True, False]


def test_events_that_begin_too_often_are_refused():
    weekly = [
        ScheduleEvent(content=f"{n}", recurrence=n % 7 + 1, date=datetime(2000, 1, 1, n % 24)) for n in range(100)
    ]
    assert len(analytics.calendar(weekly, since=date(2000, 1, 1), until=date(2002, 1, 1))) > 7_000
    for ask in (analytics.calendar, analytics.gaps_and_overlaps):
        with pytest.raises(InvalidParameter, match=r"begins more than 200,000 times in this period") as caught:
            ask(weekly, since=date(2000, 1, 1), until=date(2100, 1, 1))
        assert caught.value.name == "schedule"


@pytest.mark.parametrize("schedule", [None, "x", [None], [{"content": "x"}], 7, (event,)])
def test_what_is_no_schedule_is_refused(portfolio, schedule):
    for ask in (
        lambda: analytics.calendar(schedule, since=START, until=START),
        lambda: analytics.gaps_and_overlaps(schedule, since=START, until=START),
        lambda: analytics.served_under(portfolio.scans, schedule),
    ):
        with pytest.raises(InvalidParameter) as caught:
            ask()
        assert caught.value.name == "schedule"


def test_a_schedule_has_at_most_a_hundred_events():
    one = ScheduleEvent(content="x", date=START)
    assert len(analytics.calendar([one] * 100, since=START, until=START + MINUTE)) == 1
    with pytest.raises(InvalidParameter, match=r"must have 0\.\.100 events, not 101"):
        analytics.calendar([one] * 101, since=START, until=START + MINUTE)


@pytest.mark.parametrize("name", ["since", "until"])
def test_a_bound_is_a_date(name):
    with pytest.raises(InvalidParameter) as caught:
        analytics.calendar([], **({"since": START, "until": START} | {name: "2026-03-01"}))
    assert caught.value.name == name
