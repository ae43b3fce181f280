"""How long redirects take while the server imports, lists and exports 50,000 QR Codes: p99 against an idle server."""

import json
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from statistics import median
from time import perf_counter
from urllib.request import Request, urlopen

import pytest

from qrkit import open_portfolio
from tests.server.processes import served

pytestmark = pytest.mark.benchmark

CODES = 50_000
SCANS = 200_000
RATE, THREADS = 400, 8
IDLE_SECONDS = 8.0

REDIRECTS = """
import http.client, json, sys, threading, time

host, rate, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
took, lock, number = [], threading.Lock(), 0
ending = threading.Event()

def work():
    global number
    connection = http.client.HTTPConnection(host, timeout=60)
    while not ending.is_set():
        with lock:
            own, number = number, number + 1
        due = begin + own / rate
        time.sleep(max(0.0, due - time.monotonic()))
        address = f"10.{own >> 16 & 255}.{own >> 8 & 255}.{own & 255}"
        connection.request("GET", "/door", headers={"X-Forwarded-For": address, "User-Agent": "Mozilla/5.0 (iPhone)"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 302, answer.status
        took.append(time.monotonic() - due)

begin = time.monotonic() + 0.05
running = [threading.Thread(target=work) for _ in range(threads)]
for one in running:
    one.start()
sys.stdin.readline()
ending.set()
for one in running:
    one.join()
print(json.dumps(took))
"""
"""An open loop: each request has a time at which it is due, and waiting for an earlier one counts as its own time."""


@pytest.fixture
def say(capsys):
    def say(text):
        with capsys.disabled():
            print(f"\n{text}", end="", flush=True)  # noqa: T201

    return say


@contextmanager
def redirects(url):
    """Ask for redirects while the block runs; the list holds the milliseconds of each afterwards, in order."""
    command = [sys.executable, "-c", REDIRECTS, url.removeprefix("http://"), str(RATE), str(THREADS)]
    found = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield found
        found += sorted(1_000 * one for one in json.loads(process.communicate("end\n")[0]))


def p99(times):
    return times[int(len(times) * 0.99)]


def ask(url, path, key, body=None, kind="text/csv"):
    asked = Request(f"{url}/api/v3/{path}", body, {"Authorization": f"Bearer {key}", "Content-Type": kind})  # noqa: S310
    with urlopen(asked, timeout=600) as answer:  # noqa: S310
        return answer.read()


def portfolio_file(prefix):
    heading = "Campaign Name,QR Code Name,Content,Comment\r\n"
    rows = [
        f"Campaign {place % 40},{prefix} {place},https://shop.example/{prefix}/{place}?utm_source=poster,Note {place}\r\n"
        for place in range(CODES)
    ]
    return (heading + "".join(rows)).encode()


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A server of a store that has 50,000 codes and 200,000 scans; gives its URL, a key and the id of the door."""
    from qrkit.portfolio.access import create_key

    file = tmp_path_factory.mktemp("busy") / "shop.duckdb"
    with open_portfolio(file) as portfolio:
        door = portfolio.insert_qrcode("https://example.com/spring", short_code="door")
        begin = datetime(2026, 1, 1, tzinfo=UTC)
        rows = [{"short_code": "door", "time": begin + timedelta(seconds=30 * n), "user_agent": "Mozilla/5.0 (iPhone)"}
                for n in range(SCANS)]  # fmt: skip
        portfolio.scans.insert(rows)
        key = create_key(portfolio.store, portfolio.account)
    with served(file) as (_, url):
        yield url, key, door.id


def test_redirects_while_the_server_works(shop, say):
    url, key, door = shop
    import_ = "track/import?format=csv"
    work = {
        "import of 50,000 codes": lambda: ask(url, import_, key, portfolio_file("first")),
        "export as csv": lambda: ask(url, "track/export.csv", key),
        "export as xlsx": lambda: ask(url, "track/export.xlsx", key),
        "list": lambda: ask(url, "track/list", key),
        "statistics of 200,000 scans": lambda: ask(url, f"track/statistics/{door}.csv", key),
        "a second import": lambda: ask(url, import_, key, portfolio_file("second")),
    }
    from time import sleep

    idle = []
    for name, act in work.items():
        with redirects(url) as times:
            sleep(IDLE_SECONDS)
        idle.append(p99(times))
        with redirects(url) as times:
            sleep(0.5)
            start = perf_counter()
            act()
            took = perf_counter() - start
            sleep(0.5)
        ratio = p99(times) / idle[-1]
        say(
            f"{name} ({took:.1f} s): median {median(times):.1f} ms, p99 {p99(times):.1f} ms, "
            f"longest {times[-1]:.0f} ms of {len(times):,} redirects; idle p99 {idle[-1]:.1f} ms, ratio {ratio:.1f}"
        )
