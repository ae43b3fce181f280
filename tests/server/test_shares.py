"""Who gets a place, who waits, and who is told to come again."""

import os
import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from queue import Queue
from threading import Barrier, Event, Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit.errors import TooManyRequests
from qrkit.server.clients.shares import ANYBODY, MOST_CLIENTS, Buckets, Client, Gate, Spent, has_its_share, makes_room
from qrkit.server.service import Gates, waiting_room
from qrkit.server.settings import Settings

MINUTE = 60
HOME = "192.0.2.1"

LONGEST_WAIT = 30
ANNA, BEN = Client("anna", has_key=True), Client("ben", has_key=True)
STRANGER, OTHER = Client("192.0.2.1"), Client("192.0.2.2")


class Seconds:
    """A clock that goes when it is told to."""

    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


def gate(places=1, waiting=0, seconds=LONGEST_WAIT, **options):
    return Gate(places, waiting=waiting, seconds=seconds, message="please try again", **options)


class Visitor(Thread):
    """Passes a gate in a thread of its own, and stays inside until it is told to leave."""

    def __init__(self, gate, news, client=ANYBODY):
        super().__init__(daemon=True)
        self.gate, self.news, self.client, self.may_leave = gate, news, client, Event()
        self.start()

    def run(self):
        try:
            with self.gate.passing(self.client):
                self.news.put(("inside", self))
                self.may_leave.wait(LONGEST_WAIT)
        except TooManyRequests:
            self.news.put(("refused", self))
        else:
            self.news.put(("left", self))


def test_so_many_are_inside_so_many_wait_and_the_others_are_refused_at_once():
    found, news = gate(places=2, waiting=3), Queue()
    visitors = [Visitor(found, news) for _ in range(9)]
    first = [news.get(timeout=LONGEST_WAIT) for _ in range(6)]
    assert sorted(word for word, _ in first) == ["inside"] * 2 + ["refused"] * 4
    inside = [visitor for word, visitor in first if word == "inside"]
    # Each that leaves lets one in that waits.
    for _ in range(3):
        leaving = inside.pop()
        leaving.may_leave.set()
        told = dict(news.get(timeout=LONGEST_WAIT) for _ in range(2))
        assert told.keys() == {"left", "inside"}
        assert told["left"] is leaving
        inside.append(told["inside"])
    for visitor in inside:
        visitor.may_leave.set()
    assert [news.get(timeout=LONGEST_WAIT)[0] for _ in range(2)] == ["left"] * 2
    for visitor in visitors:
        visitor.join(LONGEST_WAIT)
    assert news.empty()


def test_a_refusal_says_when_to_come_again():
    found = gate(seconds=20)
    with found.passing(), pytest.raises(TooManyRequests) as caught, found.passing():
        pass
    assert (str(caught.value), caught.value.retry_after) == ("please try again", 21)


def test_who_waited_for_too_long_is_refused():
    found = gate(waiting=1, seconds=0.01)
    with found.passing():
        for _ in range(5):
            with pytest.raises(TooManyRequests), found.passing():
                pass


def test_a_place_is_free_again_after_an_error_and_after_refusals():
    found = gate(places=2, waiting=1, seconds=0.01)
    for _ in range(9):
        with pytest.raises(ZeroDivisionError), found.passing():
            raise ZeroDivisionError
    with found.passing(), found.passing():
        for _ in range(9):
            with pytest.raises(TooManyRequests), found.passing():
                pass
    with found.passing(), found.passing():
        pass


def test_never_more_are_inside_than_there_are_places():
    found, together = gate(places=3, waiting=100), Barrier(8)
    inside, most = [], []

    def pass_often(seed):
        pick = random.Random(seed)
        together.wait(timeout=LONGEST_WAIT)
        for _ in range(200):
            with found.passing():
                inside.append(seed)
                most.append(len(inside))
                sum(range(pick.randrange(200)))
                inside.remove(seed)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(pass_often, range(8)))
    assert max(most) <= 3
    assert len(most) == 8 * 200


class Queued:
    """Requests that come to a gate one after the other, each in a thread of its own."""

    def __init__(self, gate):
        self.gate, self.news, self.visitors = gate, Queue(), []

    def come(self, client):
        """A request; gives what it learns at once, or None if it waits."""
        known = len(self.gate)
        visitor = Visitor(self.gate, self.news, client)
        self.visitors.append(visitor)
        while visitor.is_alive() and self.news.empty() and len(self.gate) == known:
            visitor.join(0.001)
        return self.heard() if not self.news.empty() else None

    def heard(self):
        word, visitor = self.news.get(timeout=LONGEST_WAIT)
        return word, visitor.client

    def leave(self, client):
        """A request of a client that is inside is done; gives the client who is let in."""
        visitor = next(one for one in self.visitors if one.client == client and one.is_alive())
        self.visitors.remove(visitor)
        visitor.may_leave.set()
        told = dict(self.heard() for _ in range(2))
        assert told["left"] == client
        return told["inside"]

    def end(self):
        for visitor in self.visitors:
            visitor.may_leave.set()
        for visitor in self.visitors:
            visitor.join(LONGEST_WAIT)


@pytest.fixture
def queued():
    made = []

    def queue(*arguments, **options):
        made.append(Queued(gate(*arguments, **options)))
        return made[-1]

    yield queue
    for one in made:
        one.end()


def test_nobody_gets_a_second_place_before_others_have_one(queued):
    queue = queued(waiting=5)
    assert queue.come(ANNA) == ("inside", ANNA)
    for client in (ANNA, ANNA, BEN):
        assert queue.come(client) is None
    assert queue.leave(ANNA) == BEN


def test_a_client_never_has_all_places(queued):
    queue = queued(2, waiting=5, most_each=1)
    assert queue.come(ANNA) == ("inside", ANNA)
    assert queue.come(ANNA) is None
    assert queue.come(BEN) == ("inside", BEN)


def test_requests_with_a_key_come_before_those_without(queued):
    queue = queued(waiting=5)
    assert queue.come(OTHER) == ("inside", OTHER)
    assert queue.come(STRANGER) is None
    assert queue.come(ANNA) is None
    assert queue.leave(OTHER) == ANNA
    assert queue.leave(ANNA) == STRANGER


def test_who_spent_more_comes_later(queued):
    clock = Seconds()
    spent = Spent(clock)
    spent.add(ANNA, 3)
    queue = queued(waiting=5, spent=spent, clock=clock)
    assert queue.come(OTHER) == ("inside", OTHER)
    assert queue.come(ANNA) is None
    assert queue.come(BEN) is None
    assert queue.leave(OTHER) == BEN


def test_in_a_full_queue_the_last_in_turn_makes_room(queued):
    queue = queued(waiting=2)
    assert queue.come(STRANGER) == ("inside", STRANGER)
    assert queue.come(STRANGER) is None
    assert queue.come(STRANGER) is None
    assert queue.come(ANNA) == ("refused", STRANGER)
    assert queue.come(STRANGER) == ("refused", STRANGER)
    assert queue.leave(STRANGER) == ANNA


def test_the_time_inside_counts_and_is_forgiven(queued):
    clock = Seconds()
    spent = Spent(clock)
    found = gate(spent=spent, clock=clock)
    with found.passing(ANNA):
        clock.now += 8
    assert (spent.of(ANNA), spent.of(BEN)) == (8, 0)
    clock.now += 120
    assert spent.of(ANNA) == 2
    spent.add(ANNA, 1)
    assert spent.of(ANNA) == 3


def test_the_clients_that_are_remembered_take_bounded_room():
    spent = Spent(Seconds())
    spent.add(ANNA, 1)
    for number in range(MOST_CLIENTS - 1):
        spent.add(Client(str(number)), 1)
    spent.add(ANNA, 1)
    spent.add(BEN, 1)
    assert (len(spent), spent.of(ANNA), spent.of(Client("0"))) == (MOST_CLIENTS, 2, 0)


@pytest.mark.parametrize("threads", [-90, 0, 8, 9, 40, 135, 500])
def test_gates_leave_threads_for_visitors(threads):
    waiting = waiting_room(threads)
    assert sum(waiting.values()) <= max(0, threads - 8)
    assert min(waiting.values()) >= 0
    assert max(waiting.values()) > 0 or threads < 12


def test_pictures_take_at_most_half_of_the_threads(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    plain = Gates(Settings(threads=8)).plain
    with ExitStack() as drawing:
        for _ in range(4):
            drawing.enter_context(plain.passing())
        with pytest.raises(TooManyRequests):
            drawing.enter_context(plain.passing())


@pytest.fixture
def clock():
    return Seconds()


def buckets(clock, a_minute=6):
    return Buckets(a_minute, "too often", clock=clock)


def taken(found, times, address=HOME):
    """Return how many of the uses are let through."""
    count = 0
    for _ in range(times):
        try:
            found.take(address)
            count += 1
        except TooManyRequests:
            pass
    return count


def refusal(found, address=HOME):
    with pytest.raises(TooManyRequests) as caught:
        found.take(address)
    return caught.value


# Buckets --------------------------------------------------------------------------------------------------------------


def test_so_many_may_come_at_once_and_no_more(clock):
    found = buckets(clock)
    assert taken(found, 20) == 6
    error = refusal(found)
    assert (str(error), error.retry_after) == ("too often", 11)


def test_a_bucket_fills_steadily_and_not_beyond_its_size(clock):
    found = buckets(clock)
    assert taken(found, 20) == 6
    clock.now += 9.9
    assert taken(found, 1) == 0
    clock.now += 0.2
    assert taken(found, 20) == 1
    clock.now += 30
    assert taken(found, 20) == 3
    clock.now += 100 * MINUTE
    assert taken(found, 20) == 6


def test_who_comes_when_it_was_said_is_let_through(clock):
    found = buckets(clock, a_minute=7)
    for _ in range(5):
        taken(found, 20)
        clock.now += refusal(found).retry_after
        assert taken(found, 1) == 1


def test_a_refusal_costs_nothing(clock):
    found = buckets(clock)
    taken(found, 6)
    for _ in range(1_000):
        clock.now += 0.001
        refusal(found)
    clock.now += 9.1
    assert taken(found, 2) == 1


def test_each_address_has_a_bucket_of_its_own(clock):
    found = buckets(clock)
    assert [taken(found, 9, address) for address in ("192.0.2.1", "192.0.2.2", "", "unknown")] == [6] * 4


@pytest.mark.parametrize(
    ("one", "another", "are_one"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:2::1", "2001:DB8:0001:0002::0001", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::1", "::2", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("nonsense:", "nonsense::", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
    ],
)
def test_addresses_of_one_customer_share_a_bucket(clock, one, another, are_one):
    found = buckets(clock)
    taken(found, 6, one)
    assert taken(found, 6, another) == (0 if are_one else 6)


def test_zero_is_without_limit_and_keeps_nothing(clock):
    found = buckets(clock, a_minute=0)
    assert taken(found, 1_000) == 1_000
    assert len(found) == 0


def test_100_000_addresses_take_bounded_room_and_those_that_are_idle_make_room(clock):
    found = buckets(clock, a_minute=1)
    assert taken(found, 2) == 1
    for number in range(MOST_CLIENTS - 1):
        found.take(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(found) == MOST_CLIENTS
    assert taken(found, 1) == 0
    for number in range(100_000 - MOST_CLIENTS):
        found.take(f"11.{number >> 16}.{number >> 8 & 255}.{number & 255}")
        assert len(found) == MOST_CLIENTS
    # Its bucket was the oldest, and is full again.
    assert taken(found, 1) == 1
    assert len(found) == MOST_CLIENTS


def test_an_address_that_was_busy_lately_is_kept_when_another_makes_room(clock):
    found = buckets(clock, a_minute=2)
    found.take("192.0.2.1")
    found.take("192.0.2.2")
    found.take("192.0.2.1")
    for number in range(MOST_CLIENTS - 1):
        found.take(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(found) == MOST_CLIENTS
    # The second address was idle for longest, so its bucket is new, and full; that of the first is still empty.
    refusal(found, "192.0.2.1")
    assert taken(found, 3, "192.0.2.2") == 2


def test_eight_threads_take_exactly_what_there_is(clock):
    found, together = buckets(clock, a_minute=1_000), Barrier(8)

    def take(_):
        together.wait(timeout=LONGEST_WAIT)
        return taken(found, 400)

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(take, range(8))) == 1_000


@settings(max_examples=100)
@given(st.integers(1, 100), st.lists(st.floats(0, 90), max_size=60))
def test_in_no_minute_more_than_two_buckets_are_taken(a_minute, pauses):
    """A full bucket at its beginning, and what flows in during it."""
    clock = Seconds()
    found = Buckets(a_minute, "", clock=clock)
    times = []
    for pause in pauses:
        clock.now += pause
        times += [clock.now] * taken(found, 30)
    for start in times:
        assert len([one for one in times if start <= one < start + MINUTE]) <= 2 * a_minute


@dataclass(frozen=True)
class Waiting:
    network: str
    seconds: float | None

    def idle_seconds(self):
        return self.seconds


def test_a_network_gets_its_share_of_connections_and_no_more():
    others = [Waiting("b", 0)] * 400
    assert not has_its_share("a", [Waiting("a", 0)] * 99 + others)
    assert has_its_share("a", [Waiting("a", None)] * 100)


def test_the_network_that_holds_most_makes_room_by_its_oldest_connection():
    """Six networks of an attacker do not push out somebody who waits for longer."""
    crowd = [Waiting(f"203.0.113.{n}", seconds) for n in range(6) for seconds in (9, 3 + n, 1)]
    honest = Waiting("192.0.2.1", 19)
    assert makes_room([honest, *crowd]).seconds == 9
    assert makes_room([honest, Waiting("192.0.2.2", 20)]) == Waiting("192.0.2.2", 20)


def test_what_is_being_answered_makes_no_room():
    assert makes_room([Waiting("a", None)] * 3) is None
    assert makes_room([*[Waiting("a", None)] * 3, Waiting("b", 0.5)]) == Waiting("b", 0.5)
