"""Limits of scans are exact: many threads, both engines, several processes, and a process that is killed."""

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from qrkit import open_portfolio
from qrkit.errors import Gone
from qrkit.visits.redirect import Redirects, Request

HOME = "https://example.com/home"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148"


def answers(redirects, times, first=0):
    """How many of so many scans, each by another visitor, are led on."""

    def ask(number):
        try:
            request = Request("GET", "door", {"user-agent": PHONE}, f"10.0.{number >> 8}.{number & 255}")
            return redirects.answer(request).content == HOME
        except Gone:
            return False

    with ThreadPoolExecutor(64) as threads:
        return sum(threads.map(ask, range(first, first + times)))


@pytest.mark.rule("T20")
def test_64_threads_get_exactly_as_many_answers_as_scans_are_left(new_path):
    with open_portfolio(new_path()) as shop:
        shop.insert_qrcode(HOME, short_code="door", limit=100)
        redirects = Redirects(shop.store, seconds=30)
        assert answers(redirects, 20) == 20
        assert answers(redirects, 180, first=20) == 80
        assert shop.scans.count() == shop.list_qrcodes()[0].scans == 100


ASK = """
import sys
from qrkit import open_portfolio
from qrkit.visits.redirect import Redirects
from tests.visits.test_limits import answers

with open_portfolio(sys.argv[1]) as shop:
    print("ready", flush=True)
    sys.stdin.readline()
    print(answers(Redirects(shop.store, seconds=30), int(sys.argv[2]), first=int(sys.argv[3])), flush=True)
"""


def start(path, times, first):
    command = [sys.executable, "-c", ASK, str(path), str(times), str(first)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.slow
@pytest.mark.needs("postgres")
def test_several_processes_on_a_server_share_a_limit(server):
    path = server.new_database()
    with open_portfolio(path) as shop:
        shop.insert_qrcode(HOME, short_code="door", limit=100)
        processes = [start(path, 60, 60 * number) for number in range(4)]
        for one in processes:
            one.stdin.write("\n")
            one.stdin.flush()
        assert sum(int(one.communicate()[0]) for one in processes) == 100


@pytest.mark.slow
def test_a_process_that_is_killed_gives_no_scan_back_that_it_may_have_answered(tmp_path):
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path) as shop:
        shop.insert_qrcode(HOME, short_code="door", limit=100)
    asked = 0
    for number in range(6):
        process = start(path, 30, 30 * number)
        process.stdin.write("\n")
        process.stdin.flush()
        if number % 2:
            process.send_signal(signal.SIGKILL)
        told, _ = process.communicate()
        asked += int(told or 0)
    with open_portfolio(path) as shop:
        asked += answers(Redirects(shop.store, seconds=30), 200, first=1_000)
        assert asked <= 100
        assert asked + 60 >= shop.scans.count()


def test_a_scan_before_a_limit_is_set_counts_and_one_after_it_is_lifted_too(new_path):
    with open_portfolio(new_path()) as shop:
        code = shop.insert_qrcode(HOME, short_code="door")
        redirects = Redirects(shop.store, seconds=30, clock=lambda: datetime(2026, 6, 1, tzinfo=UTC))
        assert answers(redirects, 10) == 10
        shop.update_qrcode(code.id, limit=15)
        assert answers(redirects, 10, first=10) == 5
        shop.update_qrcode(code.id, limit=0)
        assert answers(redirects, 10, first=20) == 10
        shop.update_qrcode(code.id, limit=30)
        assert answers(redirects, 10, first=40) == 5
