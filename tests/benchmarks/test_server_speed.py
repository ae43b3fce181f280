"""Several processes on one PostgreSQL database: scans a second, redirects, and the report of ten million scans."""

import subprocess
import sys
import threading
from contextlib import ExitStack
from datetime import UTC, datetime
from statistics import median, quantiles
from time import perf_counter

import pytest

from qrkit import open_portfolio
from qrkit.analytics.simulated.simulated import AGENTS
from qrkit.store import Store
from qrkit.store.recording.user_agents import numbers_of
from qrkit.store.upkeep.moving import migrate
from tests import servers
from tests.benchmarks.test_analytics_speed import COUNT, FILL, QUESTIONS, ROWS, best, cost_of, ratio
from tests.server.load import Load, visits
from tests.server.processes import served

pytestmark = [pytest.mark.benchmark, pytest.mark.needs("postgres")]

ROUNDS = 3
SECONDS = 4.0
CONNECTIONS = 64
"""In all: threads that ask. Where commits are not shared each has a connection to the server of its own."""

RECORDING = """
import sys, threading, time
from datetime import UTC, datetime
from qrkit.tracking.records import Visit

how, url, seconds, threads = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
moment = datetime(2026, 3, 1, 12, tzinfo=UTC)
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)"
if how == "ours":
    from qrkit.store import Store
    from qrkit.store.recording.recorder import record_visit

    store = Store(url)
    given = Visit(moment, "scan", "door", 1, "https://example.com/spring", PHONE, "a.example", "sl-SI", 2**63 + 12345)

    def recorder():
        return lambda: record_visit(store, given, seconds=60)
else:
    import psycopg

    ROW = (moment, "scan", 1, "door", "https://example.com/spring", 1, "a.example", "sl-SI", 12345)

    def recorder():
        connection = psycopg.connect(url, autocommit=True)
        return lambda: connection.execute("INSERT INTO plain VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)", ROW)

counts = [0] * threads
begin = threading.Barrier(threads + 1)

def work(number):
    record = recorder()
    record()
    begin.wait()
    while time.monotonic() < end:
        record()
        counts[number] += 1

running = [threading.Thread(target=work, args=[number]) for number in range(threads)]
for one in running:
    one.start()
print("ready", flush=True)
sys.stdin.readline()
end = time.monotonic() + seconds
begin.wait()
for one in running:
    one.join()
print(sum(counts), flush=True)
"""
MORE = """
INSERT INTO visits (time, kind, qrcode, short_code, content, user_agent, referrer, language, visitor)
SELECT time, kind, qrcode, short_code, content, user_agent, referrer, language, visitor
FROM visits WHERE qrcode = ? LIMIT 10000
"""
PLAIN = """
CREATE TABLE plain (time TIMESTAMP, kind VARCHAR, qrcode INTEGER, short_code VARCHAR, content VARCHAR,
    user_agent INTEGER, referrer VARCHAR, language VARCHAR, visitor BIGINT)
"""


@pytest.fixture(scope="module")
def url():
    """A store on a server that keeps what it acknowledges, and a plain table beside it."""
    with servers.server() as server:
        url = server.new_database()
        with open_portfolio(url) as shop:
            shop.insert_qrcode("https://example.com/spring", short_code="door")
            shop.store.execute(PLAIN)
        yield url


def rate(how, url, processes):
    """Rows a second that so many processes store together."""
    command = [sys.executable, "-c", RECORDING, how, url, str(SECONDS), str(CONNECTIONS // processes)]
    with ExitStack() as stack:
        running = [
            stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            for _ in range(processes)
        ]
        for one in running:
            assert one.stdout.readline() == "ready\n"
        for one in running:
            one.stdin.write("go\n")
            one.stdin.flush()
        return sum(int(one.stdout.readline()) for one in running) / SECONDS


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_scans_a_second(url, say, processes):
    ours, plain = [], []
    for _ in range(ROUNDS):
        ours.append(rate("ours", url, processes))
        plain.append(rate("plain", url, processes))
    found = median(one / other for one, other in zip(ours, plain, strict=True))
    say(
        f"{processes} processes of {CONNECTIONS // processes} threads: {median(ours):,.0f} durable scans a second, "
        f"plain inserts of psycopg {median(plain):,.0f}, ratio {found:.2f}"
    )
    assert found >= 0.6


def test_redirects_of_four_processes(url, tmp_path, say):
    file = tmp_path / "shop.duckdb"
    with open_portfolio(file) as shop:
        shop.insert_qrcode("https://example.com/spring", short_code="door")
    rates = []
    for name, store, processes in (("one process on a file", file, 1), ("four on a server", url, 4)):
        with ExitStack() as stack:
            addresses = [stack.enter_context(served(store))[1] for _ in range(processes)]
            loads = [
                Load(address, visits("/door", 4_000 // processes, number * 100_000), CONNECTIONS // processes)
                for number, address in enumerate(addresses)
            ]
            start = perf_counter()
            running = [threading.Thread(target=load.run) for load in loads]
            for one in running:
                one.start()
            for one in running:
                one.join()
            took = perf_counter() - start
        answers = [answer for load in loads for answer in load.answers]
        assert {answer.status for answer in answers} == {302}
        times = [answer.seconds * 1_000 for answer in answers]
        say(
            f"{name}, {CONNECTIONS} connections: {len(answers) / took:,.0f} redirects a second, "
            f"p50 {median(times):.1f} ms, p99 {quantiles(times, n=100)[98]:.1f} ms"
        )
        rates.append(len(answers) / took)
    assert rates[1] > rates[0] / 4


def test_a_report_of_ten_million_scans_on_a_server(tmp_path, say):
    """The embedded store is moved to a server, then both are asked the same."""
    with ExitStack() as stack:
        server = stack.enter_context(servers.server(*servers.NOT_DURABLE))
        file = tmp_path / "a.duckdb"
        with open_portfolio(file, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as shop:
            campaigns = [shop.insert_campaign(f"Campaign {place}") for place in range(4)]
            with shop.store.atomic():
                for number in range(100):
                    shop.insert_qrcode("https://example.com", name=f"{number}", campaign_id=campaigns[number // 25].id)
            numbers_of(shop.store, AGENTS)
            shop.store.execute(FILL, {"rows": ROWS, "agents": len(AGENTS)})
            shop.store.execute(COUNT)
            url = server.new_database()
            with Store(url) as moved:
                took, _ = cost_of(lambda: migrate(shop.store, moved))
            say(f"moved and compared {ROWS:,} visits in {took.wall:.0f} s (CPU here {took.cpu:.0f} s)")
            embedded = {name: best(lambda ask=ask: ask(shop.scans)) for name, (ask, _, _) in QUESTIONS.items()}
        with open_portfolio(url) as shop:
            first, _ = cost_of(shop.scans.count)
            say(f"first question: {first.wall:.1f} s (CPU here {first.cpu:.1f} s), {ROWS:,} visits are copied")
            code = shop.list_qrcodes()[0]
            shop.store.execute(MORE, [1])
            again, _ = cost_of(shop.scans_of(code.id).count)
            say(f"a question after 10,000 new visits: {again.wall:.2f} s")
            assert again.wall < first.wall
            asked = {name: best(lambda ask=ask: ask(shop.scans)) for name, (ask, _, _) in QUESTIONS.items()}
    for unit in ("wall", "cpu"):
        ours, theirs = ({name: getattr(cost, unit) for name, cost in costs.items()} for costs in (asked, embedded))
        for name in QUESTIONS:
            say(f"{unit:4} {name:34} on a server {ours[name]:6.2f} s, in a file {theirs[name]:6.2f} s")
        say(f"{unit}: on a server / in a file {ratio(ours, theirs):.2f} (geometric mean)")
        assert ratio(ours, theirs) < 3
