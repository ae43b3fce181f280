"""How long redirects take while the server imports, lists and exports 50,000 QR Codes.

The p99 is compared with that of an idle server, and of one whose machine runs another program at the priority of the
server's workers: what remains then is what the server's own process adds.
"""

import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from statistics import median
from time import perf_counter, sleep
from urllib.request import Request, urlopen

import pytest

from qrkit import open_portfolio
from tests.server.open_loop import RATE, p99, redirects
from tests.server.processes import served

pytestmark = pytest.mark.benchmark

CODES = 50_000
SCANS = 200_000
IDLE_SECONDS = 8.0


@contextmanager
def another_program():
    """A program that uses one processor at the priority of the server's workers."""
    with subprocess.Popen([sys.executable, "-c", "import os\nos.nice(10)\nwhile True: pass"]) as process:
        yield
        process.kill()


def ask(url, path, key, body=None, kind="text/csv"):
    asked = Request(f"{url}/api/v3/{path}", body, {"Authorization": f"Bearer {key}", "Content-Type": kind})
    with urlopen(asked, timeout=600) as answer:
        return answer.read()


def portfolio_file(prefix):
    heading = "Campaign Name,QR Code Name,Content,Comment\r\n"
    rows = [
        f"Campaign {place % 40},{prefix} {place},https://shop.example/{prefix}/{place}?utm_source=poster,Note\r\n"
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
    for name, act in work.items():
        with redirects(url) as times:
            sleep(IDLE_SECONDS)
        idle = p99(times)
        with redirects(url) as times, another_program():
            sleep(IDLE_SECONDS)
        shared = p99(times)
        with redirects(url) as times:
            start = perf_counter()
            act()
            took = perf_counter() - start
        say(
            f"{name} ({took:.1f} s): median {median(times):.1f} ms, p99 {p99(times):.1f} ms, longest {times[-1]:.0f} "
            f"ms of {len(times):,} redirects; p99 / idle {p99(times) / idle:.1f} (idle {idle:.1f} ms), "
            f"p99 / beside another program {p99(times) / shared:.1f}"
        )
        assert len(times) > took * RATE / 2
        assert p99(times) < 20 * max(idle, shared)
