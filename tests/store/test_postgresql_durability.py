"""Four processes on one server: what was acknowledged is there once, whatever is killed."""

from __future__ import annotations

import threading
import time
from collections import Counter
from contextlib import ExitStack, suppress
from itertools import count, takewhile

import pytest

from qrkit import open_portfolio
from qrkit.store import Store
from qrkit.store.recording.recorder import drain
from qrkit.store.upkeep.maintenance import verify
from tests import servers
from tests.server.load import Load, visits
from tests.server.processes import served
from tests.sweeps import night_after

pytestmark = pytest.mark.needs("postgres")

PROCESSES = 4
CONNECTIONS = 16
"""To each process."""
REACHED = 302
EACH = 200
"""Answers of a process before it is killed: one that has not answered can lose nothing."""


class Process:
    """A process that serves the store, and sixteen connections that ask it; it is started again when it was killed."""

    def __init__(self, url: str, number: int, enough: threading.Event) -> None:
        self.acknowledged: list[str] = []
        self.refused = 0
        self._url, self._enough = url, enough
        self._first = count(number * 10_000_000, 20_000)
        self._has_answered = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def kill(self) -> None:
        assert self._has_answered.wait(60)
        self._process.kill()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        while not self._enough.is_set():
            with suppress(TypeError), served(self._url, "--strict", "--threads", "32") as (self._process, url):
                # One that does not begin, for the server is away, says nothing, and is started again.
                asked = visits("/door", 20_000, next(self._first))
                load = Load(url, takewhile(lambda _: not self._enough.is_set(), asked), CONNECTIONS)
                load.run(after=self._note)
                self._has_answered.clear()
                self.acknowledged += [answer.tag for answer in load.answers if answer.status == REACHED]
                self.refused += sum(answer.status != REACHED for answer in load.answers)
            self._enough.wait(0.2)

    def _note(self, answers: int) -> None:
        if answers == EACH:
            self._has_answered.set()


def acknowledged_in_spite_of(kills: int, restarts: int, seconds: float) -> int:
    """Kill one of the processes so often, and restart the server so often, under load: how many scans were answered.

    Each of them must be stored, and once.
    """
    with ExitStack() as stack:
        server = stack.enter_context(servers.server())
        url = server.new_database()
        with open_portfolio(url) as shop:
            shop.insert_qrcode("https://example.com", short_code="door")
        enough = threading.Event()
        processes = [Process(url, number, enough) for number in range(PROCESSES)]
        try:
            for event in range(kills + restarts):
                time.sleep(seconds)
                if event * restarts // (kills + restarts) == (event + 1) * restarts // (kills + restarts):
                    processes[0].kill()
                else:
                    server.stop(("immediate", "fast")[event % 2])
                    time.sleep(seconds / 2)
                    server.start()
            time.sleep(seconds)
        finally:
            enough.set()
            for process in processes:
                process.join()
        acknowledged = [tag for process in processes for tag in process.acknowledged]
        with Store(url) as store:
            drain(store)  # what the last ones that ended have left
            found = Counter(row["referrer"] for row in store.rows("SELECT referrer FROM visits"))
            assert verify(store) == []
        refused = sum(one.refused for one in processes)
        print(f"{len(acknowledged):,} acknowledged, {refused:,} refused, {len(found):,} stored")  # noqa: T201 - how much a run has shown
        assert not set(acknowledged) - found.keys(), "an acknowledged scan is lost"
        assert set(found.values()) == {1}, "a scan is there twice"
        return len(acknowledged)


@pytest.mark.slow
@pytest.mark.parametrize("kills", night_after([3, 10]))
def test_kills_and_restarts_under_load_lose_nothing_that_was_acknowledged(kills):
    assert acknowledged_in_spite_of(kills, restarts=3, seconds=2) > 100 * PROCESSES
