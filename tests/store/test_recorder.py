"""How visits are recorded: in an inbox at once, in the store a little later, and what happens when either fails."""

import json
import logging
import math
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from qrkit import analytics, open_portfolio
from qrkit.errors import NotStored, StoreBusy, StoreClosed
from qrkit.store import Store
from qrkit.store.recording import inbox
from qrkit.store.recording.recorder import MOVE_AT, drain, inbox_files, record_visit
from qrkit.store.records.short_codes import target
from qrkit.store.upkeep.maintenance import forget_visits, verify
from qrkit.store.upkeep.visitor_data import visits_kept
from qrkit.tracking.records import Place, Visit
from qrkit.visits.redirect import Redirects, Request
from tests.inboxes import standing_still

PATIENCE = 30
"""Seconds to wait for another thread or process before a test fails."""
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"


@pytest.fixture
def path(new_path):
    return new_path()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "a.duckdb"


@pytest.fixture
def shop(path):
    """A portfolio in a file, whose code `door` was asked for already."""
    with open_portfolio(path) as portfolio:
        portfolio.insert_qrcode("https://example.com", short_code="door")
        assert target(portfolio.store, "door")
        yield portfolio


def visit(name, kind="scan", **other):
    return Visit(NOON, kind, "door", 1, referrer=name, **other)


def request(name):
    return Request("GET", "door", {"user-agent": PHONE, "referer": f"https://{name}/"}, name)


def names(store):
    drain(store)
    return sorted(row["referrer"] for row in store.rows("SELECT referrer FROM visits WHERE short_code = 'door'"))


@contextmanager
def held(hold):
    """Another thread is inside `hold()` meanwhile."""
    inside, enough = threading.Event(), threading.Event()

    def stay():
        with hold():
            inside.set()
            assert enough.wait(PATIENCE)

    with ThreadPoolExecutor(1) as threads:
        staying = threads.submit(stay)
        try:
            assert inside.wait(PATIENCE)
            yield
        finally:
            enough.set()
        staying.result()


# ---- from the inbox into the store


def test_a_visit_is_in_the_inbox_first_and_in_the_store_when_somebody_asks(shop):
    assert record_visit(shop.store, visit("a"), seconds=PATIENCE)
    assert shop.store.rows("SELECT * FROM visits") == []
    assert shop.list_qrcodes()[0].scans == 1
    assert len(shop.store.rows("SELECT * FROM visits")) == 1


QUESTIONS = {
    "list": lambda shop: shop.list_qrcodes()[0].scans,
    "get": lambda shop: shop.get_qrcode(shop.list_qrcodes()[0].id).scans,
    "count": lambda shop: shop.scans.count(),
    "frame": lambda shop: len(shop.scans.to_frame()),
    "sql": lambda shop: shop.sql("SELECT count(*) AS number FROM visits")["number"][0],
    "statistics": lambda shop: analytics.summary(shop.scans)["scans"].sum(),
    "export": lambda shop: json.loads(shop.export_bytes("json"))[0]["scans"],
    "privacy": lambda shop: visits_kept(shop.store, shop.account.id, None).visits,
    "forget": lambda shop: forget_visits(shop.store, NOON + timedelta(days=1)),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_includes_the_inbox(shop, question):
    for name in "abc":
        assert record_visit(shop.store, visit(name), seconds=PATIENCE)
    assert QUESTIONS[question](shop) == 3


@pytest.mark.slow
def test_a_thousand_visits_move_without_a_question(shop):
    with ThreadPoolExecutor(16) as threads:
        done = threads.map(lambda n: record_visit(shop.store, visit(f"{n}"), seconds=PATIENCE), range(MOVE_AT))
        assert all(done)
    ended = time.monotonic() + PATIENCE
    while not shop.store.rows("SELECT 1 FROM visits LIMIT 1"):
        assert time.monotonic() < ended
        time.sleep(0.01)
    assert names(shop.store) == sorted(str(n) for n in range(MOVE_AT))
    assert verify(shop.store) == []


@pytest.mark.rule("T11")
@pytest.mark.parametrize("lock", ["visiting", "adding", "atomic"])
def test_a_store_that_is_held_up_holds_no_redirect_up(shop, lock):
    """Open: what a redirect waits for. For the inbox on the disk, and for nothing in the database."""
    redirects = Redirects(shop.store, strict=True)
    redirects.answer(request("a"))
    hold = (lambda: shop.store.database.visiting) if lock == "visiting" else getattr(shop.store, lock)
    with held(hold):
        for name in "bcd":
            assert redirects.answer(request(name)).content == "https://example.com"
    assert (redirects.late, redirects.lost) == (0, 0)
    assert names(shop.store) == ["a", "b", "c", "d"]
    assert shop.list_qrcodes()[0].scans == 4


def test_a_move_whose_commit_was_not_confirmed_is_not_repeated(shop, monkeypatch):
    """As when a connection breaks after the commit and before the answer: only the store knows that it happened."""
    record_visit(shop.store, visit("a"), seconds=PATIENCE)
    drain(shop.store)
    record_visit(shop.store, visit("b"), seconds=PATIENCE)
    adding = Store.adding

    @contextmanager
    def unconfirmed(store):
        with adding(store):
            yield
        raise InterruptedError

    with monkeypatch.context() as patch, pytest.raises(InterruptedError):
        patch.setattr(Store, "adding", unconfirmed)
        drain(shop.store)
    record_visit(shop.store, visit("c"), seconds=PATIENCE)
    assert names(shop.store) == ["a", "b", "c"]
    assert shop.list_qrcodes()[0].scans == 3


def test_an_empty_inbox_leaves_no_file(shop, path):
    record_visit(shop.store, visit("a"), seconds=PATIENCE)
    base = shop.store.database.inbox
    assert len(inbox_files(base)) == 1
    shop.close()
    assert not list(base.parent.glob(f"{base.name}*"))


# ---- a disk that stands still or fails


@pytest.mark.rule("T11")
def test_an_answer_comes_after_the_commit_and_not_before(shop):
    """Open: when a redirect is answered. When its visit is durable: not while that is held up."""
    redirects = Redirects(shop.store, seconds=PATIENCE)
    with ThreadPoolExecutor(1) as threads:
        with standing_still(shop.store):
            answer = threads.submit(redirects.answer, request("a"))
            with pytest.raises(TimeoutError):
                answer.result(0.1)
        assert answer.result(PATIENCE).content == "https://example.com"
    assert names(shop.store) == ["a"]


@pytest.mark.rule("T11")
def test_a_disk_that_stands_still_delays_a_redirect_and_the_visit_is_stored_later(shop, caplog):
    """Open: what a slow disk means. The redirect happens, is counted as late, and its visit is there in the end."""
    redirects = Redirects(shop.store, seconds=0.05)
    with standing_still(shop.store):
        assert redirects.answer(request("a")).content == "https://example.com"
        assert (redirects.late, redirects.lost) == (1, 0)
    assert "not yet durable" in caplog.text
    assert record_visit(shop.store, visit("b"), seconds=PATIENCE)
    assert names(shop.store) == ["a", "b"]


@pytest.mark.rule("T11")
@pytest.mark.rule("T17")
def test_a_strict_operator_turns_a_visitor_away_whose_visit_is_late_and_does_not_store_it(shop, caplog):
    """Open: whether a visit that was answered with 503 counts. It does not; the visitor's next attempt does."""
    redirects = Redirects(shop.store, seconds=0.05, strict=True)
    with standing_still(shop.store), pytest.raises(NotStored, match="please try again"):
        redirects.answer(request("a"))
    assert names(shop.store) == []
    assert redirects.answer(request("a")).content == "https://example.com"
    assert names(shop.store) == ["a"]


@pytest.mark.rule("T11")
def test_a_full_queue_refuses_at_once_and_the_redirect_still_happens(shop, path, caplog, monkeypatch):
    """Open: how many visits may wait for the disk. A bounded number, so that the memory stays small."""
    monkeypatch.setattr(inbox, "MOST_WAITING", 20)
    caplog.set_level(logging.CRITICAL)
    redirects = Redirects(shop.store, seconds=0)
    with standing_still(shop.store):
        for number in range(100):
            redirects.answer(request(f"{number}"))
        with pytest.raises(StoreBusy, match="20 visits wait to be written; the disk cannot keep up"):
            record_visit(shop.store, visit("more"), seconds=0)
    assert (redirects.late, redirects.lost) == (20, 80)
    shop.close()
    with Store(path) as store:
        assert len(names(store)) == 20


@pytest.mark.parametrize(
    "broken", [{"content": "\ud800"}, {"city": "\udfff"}, {"qrcode": 2**40}, {"latitude": math.nan}]
)
def test_a_visit_that_cannot_be_written_costs_itself_alone(shop, broken):
    place = Place(city=broken.get("city"), latitude=broken.get("latitude"))
    wrong = Visit(NOON, "scan", "door", broken.get("qrcode", 1), broken.get("content"), referrer="wrong", place=place)
    with ThreadPoolExecutor(33) as threads:
        with standing_still(shop.store):
            good = [threads.submit(record_visit, shop.store, visit(f"{n}"), seconds=PATIENCE) for n in range(32)]
            with pytest.raises(StoreBusy, match="a visit could not be written: "):
                record_visit(shop.store, wrong)
        assert all(one.result() for one in good)
    assert names(shop.store) == sorted(str(n) for n in range(32))
    assert verify(shop.store) == []


FAILING = """
import logging, resource, sys
from datetime import UTC, datetime, timedelta
from qrkit import open_portfolio
from qrkit.errors import StoreBusy
from qrkit.store.recording.recorder import inbox_files, record_visit
from qrkit.tracking.records import Visit

portfolio = open_portfolio(sys.argv[1])
portfolio.insert_qrcode("https://example.com", short_code="door")
base = portfolio.store.database.inbox
most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, most))  # writing beyond it is an error of the disk
kept = refused = 0
for number in range(100):
    visit = Visit(datetime(2026, 3, 1, tzinfo=UTC), "scan", "door", 1, referrer=f"{number}", user_agent="agent")
    try:
        kept += record_visit(portfolio.store, visit, seconds=60)
    except StoreBusy:
        refused += 1
assert refused and kept > 50 and len(inbox_files(base)) > 1, (kept, refused, inbox_files(base))
before = inbox_files(base)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, most))  # now not even a new inbox can be made
for number in range(50):
    try:
        kept += record_visit(portfolio.store, visit, seconds=60)
    except StoreBusy:
        refused += 1
assert inbox_files(base) == before, "what could not be made is left"
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
found = portfolio.list_qrcodes()[0].scans
assert kept <= found <= 150, (kept, found)
portfolio.close()
assert not inbox_files(base)
print("done")
"""


@pytest.mark.slow
def test_after_an_error_of_the_disk_another_file_is_begun_and_what_was_acknowledged_is_kept(file):
    pytest.importorskip("resource")
    command = [sys.executable, "-c", FAILING, str(file)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert said.stdout == "done\n", said.stderr


# ---- beside other work


def test_a_visit_inside_a_transaction_belongs_to_it(shop):
    with pytest.raises(KeyError), shop.store.atomic():
        record_visit(shop.store, visit("a"))
        assert names(shop.store) == ["a"]
        raise KeyError
    assert names(shop.store) == []
    with shop.store.atomic():
        assert record_visit(shop.store, visit("b"))
    assert record_visit(shop.store, visit("c"), seconds=PATIENCE), "the visits were not let go"
    assert names(shop.store) == ["b", "c"]
    assert shop.list_qrcodes()[0].scans == 2


# ---- the end


def test_closing_writes_all_that_waits(shop, path):
    with held(shop.store.adding):
        for number in range(50):
            assert record_visit(shop.store, visit(f"{number:02}"), seconds=PATIENCE)
    shop.close()
    with Store(path) as store:
        assert names(store) == [f"{number:02}" for number in range(50)]
        assert verify(store) == []


def test_a_store_that_was_closed_takes_no_visit_even_where_another_is_open(shop, path):
    with Store(path) as other:
        other.close()
        with pytest.raises(StoreClosed, match="was closed; open it again"):
            record_visit(other, visit("a"))
        with pytest.raises(StoreClosed, match="was closed; open it again"):
            other.rows("SELECT 1")
        assert record_visit(shop.store, visit("b"), seconds=PATIENCE)
    shop.close()
    with pytest.raises(StoreClosed, match="was closed; open it again"):
        record_visit(shop.store, visit("c"))
    with Store(path) as store:
        assert names(store) == ["b"]


def test_two_stores_on_one_file_see_each_others_work_at_once(shop, path):
    with open_portfolio(path) as notebook:
        notebook.insert_qrcode("https://example.org", short_code="shelf")
        assert target(shop.store, "shelf").content == "https://example.org"
        shop.update_qrcode(shop.list_qrcodes()[1].id, content="https://example.net")
        assert target(notebook.store, "shelf").content == "https://example.net"
        Redirects(shop.store, seconds=PATIENCE).answer(request("a"))
        assert [code.scans for code in notebook.list_qrcodes()] == [1, 0]
    Redirects(shop.store, seconds=PATIENCE).answer(request("b"))
    assert names(shop.store) == ["a", "b"], "closing one has closed the other"


def test_a_program_that_changes_its_folder_closes_its_store_all_the_same(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    with Store("a.duckdb") as store:
        monkeypatch.chdir(tmp_path / "sub")
        store.execute("CREATE TABLE notes (number INTEGER)")
    with Store(tmp_path / "a.duckdb") as store:
        assert store.rows("SELECT * FROM notes") == []
    assert not list((tmp_path / "sub").iterdir())


HELD_TO_THE_END = """
import builtins, sys
from qrkit import open_portfolio

builtins.shop = open_portfolio(sys.argv[1])
builtins.shop.insert_qrcode("https://example.com/door")
builtins.shop.close()
"""


def test_a_program_that_holds_a_closed_portfolio_to_its_end_prints_nothing(tmp_path):
    command = [sys.executable, "-c", HELD_TO_THE_END, tmp_path / "a.duckdb"]
    process = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (process.returncode, process.stdout, process.stderr) == (0, "", "")


def test_threads_that_have_ended_keep_nothing_open(shop):
    def connections():
        database = shop.store.database  # nothing public tells; each holds memory and the file
        return len(database._idle if database.is_shared else database._cursors)

    for _ in range(30):
        with ThreadPoolExecutor(1) as threads:
            threads.submit(shop.list_qrcodes).result()
    assert connections() < 10


class Thief(threading.Thread):
    """Locks the first new inbox beside a store, as another process does that starts and looks for what was left."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.folder, self.has_ended, self.connection = folder, threading.Event(), None

    def run(self):
        while not self.has_ended.is_set() and self.connection is None:
            for path in inbox_files(self.folder / "a.duckdb.inbox"):
                found = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
                try:
                    found.executescript("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT; BEGIN EXCLUSIVE")
                except sqlite3.OperationalError:
                    found.close()  # half a lock would keep the owner out, too
                else:
                    self.connection = found
                    return

    def end(self):
        self.has_ended.set()
        self.join()
        if self.connection is not None:
            self.connection.close()


@pytest.mark.slow
def test_a_visit_is_recorded_though_another_process_locks_the_new_inbox(tmp_path):
    for number in range(10):
        folder = tmp_path / str(number)
        folder.mkdir()
        with open_portfolio(folder / "a.duckdb") as shop:
            shop.insert_qrcode("https://example.com", short_code="door")
            thief = Thief(folder)
            thief.start()
            try:
                assert record_visit(shop.store, visit("first"), seconds=PATIENCE)
            finally:
                thief.end()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("end", ["at once", "in order"])
def test_a_fork_is_refused_and_the_parent_goes_on(file, end):
    shop = open_portfolio(file)
    shop.insert_qrcode("https://example.com", short_code="door")
    assert record_visit(shop.store, visit("before"), seconds=PATIENCE)
    log = file.with_name("a.duckdb.wal")
    size = log.stat().st_size
    child = os.fork()
    if not child:
        code = 1
        try:
            signal.alarm(PATIENCE)
            refused = 0
            for act in (lambda: record_visit(shop.store, visit("child")), shop.list_qrcodes, lambda: Store(file)):
                try:
                    act()
                except StoreClosed as error:
                    refused += "before a fork" in str(error)
            if end == "in order":
                shop.close()
            code = 0 if refused == 3 else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert log.stat().st_size == size, "the child has written"
    assert record_visit(shop.store, visit("after"), seconds=PATIENCE)
    shop.close()
    with Store(file) as store:
        assert names(store) == ["after", "before"]
        assert verify(store) == []


FORKING = """
import os, sys
from pathlib import Path
from qrkit import open_portfolio

portfolio = open_portfolio(sys.argv[1])
portfolio.insert_qrcode("https://example.com", short_code="door")
log = Path(sys.argv[1] + ".wal")
size = log.stat().st_size
child = os.fork()
if not child:
    sys.exit(0)  # its connections are let go on the way out
assert os.waitpid(child, 0)[1] == 0, "the child died"
assert log.stat().st_size == size, "the child has written"
portfolio.insert_qrcode("https://example.org", short_code="shelf")
portfolio.close()
with open_portfolio(sys.argv[1]) as portfolio:
    assert len(portfolio.list_qrcodes()) == 2
print("done")
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_that_ends_in_order_leaves_the_file_to_its_parent(file):
    command = [sys.executable, "-c", FORKING, str(file)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert said.stdout == "done\n", said.stderr
