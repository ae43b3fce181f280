from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit.errors import TooManyRequests
from qrkit.server.clients.rates import Buckets
from qrkit.server.clients.shares import MOST_CLIENTS

MINUTE = 60
LONGEST_WAIT = 30
HOME = "192.0.2.1"


class Seconds:
    """A clock that goes when it is told to."""

    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Seconds()


def buckets(clock, a_minute=6):
    return Buckets(a_minute, "too often", clock=clock)


def taken(found, times, address=HOME):
    """How many of so many uses are let through."""
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
