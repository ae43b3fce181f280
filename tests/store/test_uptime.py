"""When a server ran: heartbeats become spans, and the time between two spans an outage."""

from datetime import UTC, datetime, timedelta
from threading import Event

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import analytics, open_portfolio
from qrkit.store import Store
from qrkit.store.upkeep.maintenance import backup, compact, verify
from qrkit.store.upkeep.moving import migrate
from qrkit.store.upkeep.uptime import recording_uptime

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
PATIENCE = 60


class Ticking:
    """A clock that goes on by a step whenever it is asked, and tells when it has been asked often enough."""

    def __init__(self, moment, often=1, step=timedelta()):
        self._moment, self._left, self._step, self.over = moment, often, step, Event()

    def __call__(self):
        self._moment += self._step
        self._left -= 1
        if not self._left:
            self.over.set()
        return self._moment


def run(store, *spans):
    """Let a server run from and to these moments, and restart every two minutes."""
    for begin, end in spans:
        while True:
            moments = iter([begin, begin, until := min(begin + 2 * MINUTE, end)])
            with recording_uptime(store, clock=lambda moments=moments, until=until: next(moments, until)):
                pass
            if (begin := until) == end:
                break


def ran(store, *spans):
    """Record that a server ran from and to these moments, which may be months apart."""
    for begin, end in spans:
        store.execute("INSERT INTO uptime VALUES (?, ?)", [begin.replace(tzinfo=None), end.replace(tzinfo=None)])


@pytest.fixture
def shop(request, tmp_path):
    path = tmp_path / "a.duckdb" if request.node.get_closest_marker("slow") else ":memory:"
    with open_portfolio(path, clock=lambda: NOON) as portfolio:
        portfolio.insert_qrcode("https://door.example", name="Door", short_code="door")
        yield portfolio


def spans_of(store):
    return [(row["began"], row["ended"]) for row in store.rows("SELECT began, ended FROM uptime ORDER BY began")]


def hours(*numbers):
    return [NOON + timedelta(hours=number) for number in numbers]


def test_a_server_that_runs_on_is_one_span(shop):
    clock = Ticking(NOON, often=40, step=MINUTE / 2)
    with recording_uptime(shop.store, clock=clock, seconds=0.0001):
        assert clock.over.wait(PATIENCE)
    ((began, ended),) = spans_of(shop.store)
    assert ended - began >= 18 * MINUTE
    assert shop.outages().empty


def test_a_quick_restart_is_no_outage(shop):
    run(shop.store, (NOON, NOON + MINUTE), (NOON + 3 * MINUTE, NOON + 9 * MINUTE))
    assert len(spans_of(shop.store)) == 1


def test_a_process_that_was_suspended_was_not_running(shop):
    moments = iter([NOON, NOON, NOON + timedelta(hours=5)])
    with recording_uptime(shop.store, clock=lambda: next(moments, NOON + timedelta(hours=5)), seconds=PATIENCE):
        pass
    assert shop.outages()["hours"].tolist() == [5]


def test_a_store_that_was_busy_makes_no_outage(shop):
    """One heartbeat takes from noon until one, because the store is being changed; the process runs all the time."""
    moments = iter([NOON, *hours(1), NOON + timedelta(hours=1, minutes=1)])
    with recording_uptime(shop.store, clock=lambda: next(moments, *hours(2)), seconds=PATIENCE):
        pass
    assert shop.outages().empty


def test_outages_lie_between_spans_only(shop):
    assert shop.outages().empty
    run(shop.store, (NOON, NOON + MINUTE))
    assert shop.outages().empty
    run(shop.store, hours(60, 60.1))
    found = shop.outages(time_zone="Europe/Ljubljana")
    assert list(found.columns) == ["begin", "end", "hours"]
    assert found["hours"].tolist() == [pytest.approx(60 - 1 / 60)]
    assert str(found["begin"].iloc[0]) == "2026-03-10 13:01:00+01:00"
    assert {str(kind) for kind in found.dtypes} == {"datetime64[us, Europe/Ljubljana]", "float64"}


def test_outages_are_cut_at_the_bounds(shop):
    run(shop.store, (NOON, NOON), hours(60, 60.1))
    found = shop.outages(since="2026-03-11", until="2026-03-12")
    assert found["hours"].tolist() == [24]
    assert shop.outages(since="2026-03-13").empty


def test_a_time_with_visits_is_no_outage(shop):
    """Another server answered; a visit of the last minute before a crash says nothing about the hours after it."""
    run(shop.store, (NOON, NOON), hours(60, 60.1), hours(80, 80.1))
    shop.scans.insert(pd.DataFrame({"short_code": "door", "time": [NOON + MINUTE, *hours(70)]}))
    assert shop.outages()["hours"].tolist() == [60]


@pytest.mark.slow
@settings(max_examples=10)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)), min_size=1, max_size=5))
def test_no_minute_of_a_server_is_an_outage(spans):
    """Processes that overlap, in any order of their ends: outages are what none of them covers."""
    begins = sorted((NOON + begin * MINUTE, NOON + (begin + length) * MINUTE) for begin, length in spans)
    with open_portfolio(":memory:") as shop:
        run(shop.store, *begins)
        found = shop.outages()
    covered = sum(any(begin <= NOON + minute * MINUTE < end for begin, end in begins) for minute in range(70))
    whole = (max(end for _, end in begins) - begins[0][0]) / MINUTE
    pauses = whole - covered - found["hours"].sum() * 60
    assert -1e-6 <= pauses <= 3 * (len(begins) - 1) + 1e-6
    assert (found["hours"] * 60 > 3 - 1e-6).all()


@pytest.mark.slow
def test_copies_of_a_store_know_its_outages(shop, tmp_path):
    run(shop.store, (NOON, NOON), hours(60, 60.1))
    compact(shop.store)
    backup(shop.store, tmp_path / "copy.duckdb")
    with open_portfolio(tmp_path / "copy.duckdb") as copy, Store(tmp_path / "new.duckdb") as new:
        assert copy.outages()["hours"].tolist() == [60]
        migrate(copy.store, new)
        assert spans_of(new) == spans_of(shop.store)
        assert verify(new) == []


@pytest.mark.slow
@pytest.mark.needs("postgres")
def test_outages_on_a_server(request):
    url = request.getfixturevalue("server").new_database()
    with open_portfolio(url) as shop, open_portfolio(url) as other:
        run(shop.store, (NOON, NOON + MINUTE))
        run(other.store, (NOON + MINUTE, NOON + 2 * MINUTE), hours(3, 3.1))
        assert shop.outages()["hours"].tolist() == [pytest.approx(3 - 2 / 60)]
        assert verify(shop.store) == []


def with_outage(shop, days=60, down=(30, 33)):
    """Twenty scans a day, and an outage of three days."""
    first = NOON - timedelta(days=days)
    moments = [first + timedelta(days=day, minutes=3 * number) for day in range(days) for number in range(20)]
    begin, end = (first.replace(hour=0) + timedelta(days=day) for day in down)
    shop.scans.insert(pd.DataFrame({"short_code": "door", "time": [one for one in moments if not begin <= one < end]}))
    ran(shop.store, (first, begin), (end, NOON))
    return begin.date(), end.date()


@pytest.mark.slow
def test_rates_leave_out_days_of_an_outage(shop):
    begin, _ = with_outage(shop)
    rate = analytics.rates(shop.scans).iloc[0]
    assert rate["rate"] == 20
    assert rate["days"] == 60 - 3 - 1  # the first day is not whole
    usual = analytics.unusual_days(shop.scans)
    assert pd.Timestamp(begin) not in set(usual["day"])
    assert not usual["is_unusual"].any()
    found = analytics.compare(shop.scans.where(until=begin), shop.scans.where(since=begin))
    assert found["second_rate"].tolist() == [20]
    assert analytics.ranking(shop.scans)["rate"].tolist() == [20]


def test_a_short_outage_costs_no_day(shop):
    began, down = NOON - timedelta(days=9), NOON - timedelta(days=5)
    ran(shop.store, (began, down), (down + 50 * MINUTE, NOON))
    shop.scans.insert(pd.DataFrame({"short_code": "door", "time": [began, NOON]}))
    assert analytics.rates(shop.scans)["days"].tolist() == [8]
    assert len(shop.outages()) == 1


def test_a_silence_of_the_server_is_none_of_a_code(shop):
    with_outage(shop, days=20, down=(16, 19.5))
    assert shop.silent().empty
