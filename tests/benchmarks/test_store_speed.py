"""How fast durable scans are, against an fsync a scan in SQLite and the same group commit into a plain file."""

import os
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import count
from statistics import median, quantiles
from time import perf_counter, process_time

import duckdb
import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.store import Store
from qrkit.store.recording.recorder import record_visit
from qrkit.store.records.short_codes import target
from qrkit.tracking.records import Visit
from qrkit.visits.redirect import Redirects, Request

pytestmark = pytest.mark.benchmark

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
VISIT = Visit(
    NOON,
    "scan",
    "door",
    1,
    "https://example.com/spring",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)",
    "www.example.com",
    "sl-SI",
    2**63 + 12345,
)
ROUNDS = 3


@pytest.fixture
def shop(tmp_path):
    with open_portfolio(tmp_path / "a.duckdb") as portfolio:
        portfolio.insert_qrcode("https://example.com", short_code="door")
        yield portfolio


class Sqlite:
    """One fsync a scan, one connection and one lock for all threads."""

    def __init__(self, path):
        self.connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.execute(
            "CREATE TABLE visits (time, kind, code, qrcode, content, agent, host, language, visitor)"
        )
        self.lock = threading.Lock()
        self.row = (str(NOON), "scan", "door", 1, VISIT.content, VISIT.user_agent, VISIT.referrer, "sl-SI", 12345)

    def record(self):
        with self.lock:
            self.connection.execute("INSERT INTO visits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", self.row)

    def close(self):
        self.connection.close()


class Turn:
    def __init__(self):
        self.is_done = False
        self.lock = threading.Lock()
        self.lock.acquire()


class PlainFile:
    """The first thread that finds nobody writing appends the lines of all that wait, then calls fdatasync once."""

    def __init__(self, path):
        self.file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        self.lock = threading.Lock()
        self.waiting = []
        self.is_writing = False
        self.line = (repr(VISIT) + "\n").encode()

    def record(self):
        turn = None
        with self.lock:
            if self.is_writing:
                turn = Turn()
                self.waiting.append(turn)
            self.is_writing = True
        if turn:
            turn.lock.acquire()
            if turn.is_done:
                return
        with self.lock:
            batch, self.waiting = self.waiting, []
        os.write(self.file, self.line * (len(batch) + 1))
        os.fdatasync(self.file)
        for one in batch:
            one.is_done = True
            one.lock.release()
        with self.lock:
            if self.waiting:
                self.waiting.pop(0).lock.release()
            else:
                self.is_writing = False

    def close(self):
        os.close(self.file)


def latencies(record, threads, seconds):
    """The seconds of each call of so many threads, and how long all took."""
    end = perf_counter() + seconds

    def work(_):
        times, start = [], perf_counter()
        while start < end:
            record()
            now = perf_counter()
            times.append(now - start)
            start = now
        return times

    start = perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        found = [one for times in pool.map(work, range(threads)) for one in times]
    return found, perf_counter() - start


def rate(record, threads, seconds=1.0):
    found, took = latencies(record, threads, seconds)
    return len(found) / took


@pytest.mark.parametrize("threads", [1, 8, 64])
def test_durable_redirects_a_second(shop, tmp_path, say, threads):
    """Redirects that are recorded, against the same redirects with a line that means nothing in place of a visit."""
    redirects, numbers = Redirects(shop.store, seconds=60, strict=True), count()
    unrecorded = Redirects(shop.store, records=False)
    sqlite, plain = Sqlite(tmp_path / "b.sqlite"), PlainFile(tmp_path / "c.txt")

    def request():
        return Request("GET", "door", {"user-agent": VISIT.user_agent}, f"192.0.2.{next(numbers)}")

    def appended():
        unrecorded.answer(request())
        plain.record()

    rounds, processor = [], []
    for _ in range(ROUNDS):
        start, before = process_time(), next(numbers)
        ours = rate(lambda: redirects.answer(request()), threads)
        processor.append((process_time() - start) / (next(numbers) - before))
        rounds.append((ours, rate(appended, threads), rate(sqlite.record, threads)))
    sqlite.close()
    plain.close()
    assert shop.list_qrcodes()[0].scans == shop.scans.count()
    ours, file, theirs = (median(column) for column in zip(*rounds, strict=True))
    to_file, to_sqlite = (median(one[0] / one[place] for one in rounds) for place in (1, 2))
    say(
        f"{threads:3} threads, redirects/s: qrkit {ours:6.0f}, plain file {file:6.0f}, SQLite {theirs:6.0f}; "
        f"qrkit/file {to_file:.2f}, qrkit/SQLite {to_sqlite:.1f}; {median(processor) * 1000:.2f} ms of processor time"
    )
    assert to_file > 0.3


def stored_frame(rows, part=0):
    times = pd.date_range(f"2024-01-01T00:00:00.{part:06}", periods=rows, freq="6s")
    return pd.DataFrame({"short_code": "door", "time": times, "user_agent": "Agent", "kind": "scan", "country": "SI",
                         "visitor": pd.array(range(rows), dtype="UInt64")})  # fmt: skip


@pytest.mark.parametrize("millions", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_a_full_store_is_as_fast_as_an_empty_one(shop, tmp_path, say, millions):
    empty = open_portfolio(tmp_path / "empty.duckdb")
    empty.insert_qrcode("https://example.com", short_code="door")
    empty.store.checkpoint()
    before = (tmp_path / "empty.duckdb").stat().st_size
    start = perf_counter()
    for part in range(millions):
        shop.scans.insert(stored_frame(1_000_000, part))
    shop.store.checkpoint()
    loading, size = perf_counter() - start, (tmp_path / "a.duckdb").stat().st_size
    rounds = []
    for _ in range(ROUNDS):
        pair = []
        for portfolio in (shop, empty):
            found, _ = latencies(lambda store=portfolio.store: record_visit(store, VISIT, seconds=60), 32, 1.0)
            pair.append(quantiles(found, n=100)[98])
        rounds.append(pair)
    assert shop.scans.count() > millions * 1_000_000
    empty.close()
    full, nothing = (median(column) * 1000 for column in zip(*rounds, strict=True))
    say(
        f"{millions} million rows ({loading:.1f} s to load, {(size - before) / millions / 1e6:.1f} bytes a row): "
        f"p99 {full:.1f} ms, empty {nothing:.1f} ms, full/empty {median(a / b for a, b in rounds):.2f}"
    )
    assert median(a / b for a, b in rounds) < 3


BARE = """
FROM visits v JOIN qrcodes q ON q.number = v.qrcode JOIN user_agents u ON u.number = v.user_agent
LEFT JOIN campaigns c ON c.id = q.campaign_id
"""


def test_scans_leave_the_store_as_bare_duckdb_reads_them(shop, tmp_path, say):
    """A million scans as a frame, as Parquet, and in SQL, against DuckDB on the same file: a frame without dtypes."""
    rng = range(1_000_000)
    frame = stored_frame(len(rng)).assign(
        user_agent=[f"Agent {number * 7919 % 400}" for number in rng],
        city=[f"City {number * 7919 % 401}" for number in rng],
        language=[("sl-SI", "de-DE", "", None)[number % 4] for number in rng],
    )
    assert shop.scans.insert(frame) == shop.scans.count()  # which parses the user agents
    bare = {
        "frame": lambda: shop.store.frame(f"SELECT v.*, q.*, u.*, c.name {BARE} ORDER BY time"),
        "Parquet": lambda: write_bare(shop.store.frame(f"SELECT v.*, u.* EXCLUDE (number) {BARE} ORDER BY time")),
        "SQL": lambda: shop.store.frame(f"SELECT city, count(*) AS scans {BARE} GROUP BY city"),
    }
    ours = {
        "frame": shop.scans.to_frame,
        "Parquet": lambda: shop.scans.to_parquet(tmp_path / "a.parquet"),
        "SQL": lambda: shop.sql("SELECT city, count(*) AS scans FROM scans GROUP BY city"),
    }

    def write_bare(rows):
        with duckdb.connect() as connection:
            connection.register("rows", rows)
            connection.execute(f"COPY (FROM rows) TO '{tmp_path / 'b.parquet'}' (FORMAT parquet, COMPRESSION zstd)")

    def seconds(work):
        start = process_time()
        work()
        return process_time() - start

    for name, work in ours.items():
        rounds = [(seconds(work), seconds(bare[name])) for _ in range(ROUNDS)]
        mine, theirs = (median(column) for column in zip(*rounds, strict=True))
        ratio = median(a / b for a, b in rounds)
        say(f"a million scans, {name}: {mine:.2f} s, bare {theirs:.2f} s, ratio {ratio:.2f}")
        assert ratio < 4


def test_a_table_is_held_against_those_that_are_there(shop, say):
    """A million rows, then a million others of the same years, then the first ones again."""
    taken = []
    for part, number in ((0, 1_000_000), (1, 1_000_000), (0, 0)):
        frame = stored_frame(1_000_000, part)
        start = process_time()
        assert shop.scans.insert(frame) == number
        taken.append(process_time() - start)
    say(
        f"a million rows: {taken[0]:.1f} s of the processor into an empty store, beside a million others "
        f"{taken[1] / taken[0]:.2f} of that, again (none is added) {taken[2] / taken[0]:.2f}"
    )
    assert max(taken) < 4 * taken[0]


def test_a_short_code_is_found_as_in_a_dict(shop, say):
    known = {"door": 1}

    def seconds(find):
        start = perf_counter()
        for _ in range(100_000):
            find()
        return (perf_counter() - start) * 10

    assert target(shop.store, "door")
    rounds = [(seconds(lambda: target(shop.store, "door")), seconds(lambda: known.get("door"))) for _ in range(ROUNDS)]
    ours, theirs = (median(column) for column in zip(*rounds, strict=True))
    say(f"a short code: {ours:.2f} us, a dict {theirs:.2f} us")
    assert ours < 50 * theirs


def test_a_hundred_thousand_codes_are_listed_with_their_counters(shop, say):
    with shop.store.atomic():
        shop.store.execute(
            "INSERT INTO qrcodes BY NAME SELECT * EXCLUDE (number, id, short_code, range), "
            "number + 1 + range AS number, id || range AS id, 's' || range AS short_code FROM qrcodes, range(99999)"
        )
        shop.store.execute("INSERT INTO short_codes SELECT short_code, number FROM qrcodes WHERE number > 1")
        shop.store.execute("INSERT INTO scan_counts SELECT number, 7, 0 FROM qrcodes WHERE number > 1")
    assert len(shop.search_qrcodes("s9999")) == 10  # a first time, so that all is loaded
    start = process_time()
    assert len(shop.search_qrcodes("s9999")) == 10
    say(f"10 of 100,000 codes found: {(process_time() - start) * 1e3:.0f} ms of processor time")
    counters = (
        "SELECT q.id, q.imported_scans + c.scans AS scans FROM qrcodes q JOIN scan_counts c ON c.qrcode = q.number"
    )
    rounds = []
    for _ in range(ROUNDS):
        start = process_time()
        assert len(shop.list_qrcodes()) == 100_000
        listed = process_time()
        assert len(shop.store.frame(counters)) == 100_000
        rounds.append((listed - start, process_time() - listed))
    took, bare = (median(column) for column in zip(*rounds, strict=True))
    say(f"100,000 codes: records {took * 10:.1f} µs each, ids and counters as a frame {bare:.3f} s")
    assert took < 100 * bare


def test_a_new_store_is_made_as_a_database_is_opened(say):
    def seconds(opened):
        start = process_time()
        opened().close()
        return process_time() - start

    rounds = [(seconds(Store), seconds(lambda: duckdb.connect(":memory:"))) for _ in range(20)]
    ours, bare = (median(column) * 1000 for column in zip(*rounds, strict=True))
    say(f"a new store in memory: {ours:.0f} ms of processor time, an empty database {bare:.0f} ms")
    assert ours < 3 * bare
