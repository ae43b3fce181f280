"""Store files of earlier versions, and one file shared by the stores of a process.

`data/templates.duckdb.gz` was made with duckdb 2.0 by running the migrations up to "templates" of `MIGRATIONS` alone
and inserting the rows below by SQL; it was packed with `gzip.compress(…, 9, mtime=0)`. It is never made anew: it
stands for the files that people have.
"""

import gzip
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from qrkit import open_portfolio
from qrkit.errors import StoreClosed
from qrkit.store import Store
from qrkit.store.migrations import MIGRATIONS
from qrkit.store.upkeep.maintenance import verify
from qrkit.visits.redirect import Redirects, Request

OLD = Path(__file__).parent / "data" / "templates.duckdb.gz"
PATIENCE = 30
"""Seconds to wait for another thread before a test fails."""
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"

ROWS = {
    "settings": 1,
    "accounts": 1,
    "api_keys": 1,
    "campaigns": 1,
    "qrcodes": 3,
    "short_codes": 3,
    "user_agents": 1,
    "visits": 5,
    "templates": 1,
}


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.duckdb"
    path.write_bytes(gzip.decompress(OLD.read_bytes()))
    return path


def test_a_file_of_an_earlier_version_keeps_every_row_and_gets_right_counters(old):
    with open_portfolio(old) as portfolio:
        store = portfolio.store
        assert {name: len(store.rows(f"SELECT * FROM {name}")) for name in ROWS} == ROWS | {
            "settings": ROWS["settings"] + 1
        }
        assert [row["name"] for row in store.rows("SELECT name FROM migrations")] == list(MIGRATIONS)
        assert verify(store) == []
        assert {one.short_code: one.scans for one in portfolio.list_qrcodes()} == {"door": 7, "shelf": 1, "table": 0}
        assert store.rows("SELECT * FROM scan_counts ORDER BY qrcode") == [
            {"qrcode": 1, "scans": 2, "forgotten": 0},
            {"qrcode": 2, "scans": 1, "forgotten": 0},
            {"qrcode": 3, "scans": 0, "forgotten": 0},
        ]
        assert portfolio.base_url == "https://go.example.com"
        assert [one.name for one in portfolio.list_campaigns()] == ["Spring"]
        assert [(one.is_schedule_enabled, one.schedule) for one in portfolio.list_qrcodes()] == [(False, ())] * 3
        visitors = store.rows("SELECT visitor FROM visits ORDER BY time")
        assert [row["visitor"] for row in visitors] == [2**64 - 1 - number for number in range(5)]


def test_a_file_of_an_earlier_version_is_worked_on_as_a_new_one(old):
    with open_portfolio(old) as portfolio:
        request = Request("GET", "door", {"user-agent": PHONE}, "203.0.113.7")
        assert Redirects(portfolio.store, seconds=PATIENCE).answer(request).content == "https://door.example"
        portfolio.insert_qrcode("https://new.example", short_code="new")
        portfolio.delete_qrcode("q-table")
    with open_portfolio(old) as portfolio:
        assert {one.short_code: one.scans for one in portfolio.list_qrcodes()} == {"door": 8, "shelf": 1, "new": 0}
        numbers = [row["qrcode"] for row in portfolio.store.rows("SELECT qrcode FROM short_codes ORDER BY qrcode")]
        assert numbers == [1, 2, 3, 4]
        assert verify(portfolio.store) == []


def test_a_file_is_opened_and_closed_by_many_threads_at_once(tmp_path):
    """The last that closes a file and the next that opens it must not get the same connection."""
    path, both = tmp_path / "a.duckdb", threading.Barrier(4)

    def work(thread):
        both.wait(PATIENCE)
        for number in range(15):
            with Store(path) as store:
                store.execute("INSERT INTO settings VALUES (?, '')", [f"{thread}-{number}"])

    Store(path).close()
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    with Store(path) as store:
        assert len(store.rows("SELECT name FROM settings WHERE name <> 'id'")) == 60


def test_a_store_that_is_closed_while_others_read_ends_their_work_with_one_clear_error(tmp_path):
    store, reading = Store(tmp_path / "a.duckdb"), threading.Semaphore(0)

    def read():
        while True:
            try:
                assert store.frame("SELECT count(*) AS number FROM range(20000)")["number"][0] == 20_000
            except StoreClosed as error:
                return str(error)
            reading.release()

    with ThreadPoolExecutor(3) as threads:
        readers = [threads.submit(read) for _ in range(3)]
        try:
            for _ in range(30):
                assert reading.acquire(timeout=PATIENCE)
        finally:
            store.close()
        assert all("closed; open it again" in one.result(PATIENCE) for one in readers)
    with Store(tmp_path / "a.duckdb") as again:
        assert verify(again) == []
