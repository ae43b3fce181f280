"""The thread that writes visits: shared commits, and what happens when they are slow or fail."""

import logging
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from qrkit import open_portfolio
from qrkit.errors import NotStored, StoreBusy, StoreClosed
from qrkit.store import Store
from qrkit.store import recording
from qrkit.store.maintenance import verify
from qrkit.store.short_codes import target
from qrkit.store.recording import record_visit
from qrkit.tracking.records import Place, Visit
from qrkit.visits.redirect import Redirects, Request

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
    return sorted(row["referrer"] for row in store.rows("SELECT referrer FROM visits"))


def commits(store):
    """Transactions of visits without a scan, which are numbered."""
    sql = "count(DISTINCT xid) AS number FROM visits" if store.database.is_shared else "number FROM batches"
    return store.row(f"SELECT {sql}")["number"]


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


# ---- shared commits


def test_visits_that_wait_share_a_commit(shop):
    with ThreadPoolExecutor(64) as threads:
        with held(lambda: shop.store.database.visiting):
            before = commits(shop.store)
            waiting = [
                threads.submit(record_visit, shop.store, visit(f"{n}", "head"), seconds=PATIENCE) for n in range(64)
            ]
        assert all(one.result() for one in waiting)
        after = commits(shop.store)
        more = threads.map(lambda n: record_visit(shop.store, visit(f"{n}", "head"), seconds=PATIENCE), range(64, 640))
        assert all(more)
    assert 1 <= after - before <= 64 // 2, "all but the first few came while the store was held"
    assert 1 <= commits(shop.store) - after < 576 // 4
    assert names(shop.store) == sorted(str(n) for n in range(640))
    assert verify(shop.store) == []


@pytest.mark.rule("T11")
def test_an_answer_comes_after_the_commit_and_not_before(shop):
    """Open: when a redirect is answered. When its visit is durable: not while that is held up."""
    redirects = Redirects(shop.store, seconds=PATIENCE)
    with ThreadPoolExecutor(1) as threads:
        with held(shop.store.adding):
            answer = threads.submit(redirects.answer, request("a"))
            with pytest.raises(TimeoutError):
                answer.result(0.1)
        assert answer.result(PATIENCE).content == "https://example.com"
    assert names(shop.store) == ["a"]


# ---- slow and failing


@pytest.mark.rule("T11")
@pytest.mark.parametrize("lock", ["visiting", "adding"])
def test_a_store_that_is_held_up_holds_no_redirect_up_and_the_visit_is_stored_later(shop, lock, caplog):
    """Open: what a slow store means. The redirect happens, is counted as late, and its visit is there in the end."""
    redirects = Redirects(shop.store, seconds=0.05)
    hold = shop.store.adding if lock == "adding" else lambda: shop.store.database.visiting
    with held(hold):
        assert redirects.answer(request("a")).content == "https://example.com"
        assert (redirects.late, redirects.lost) == (1, 0)
        assert names(shop.store) == []
    assert "not yet durable" in caplog.text
    assert record_visit(shop.store, visit("b"), seconds=PATIENCE)
    assert names(shop.store) == ["a", "b"]
    assert shop.list_qrcodes()[0].scans == 2


@pytest.mark.rule("T11")
def test_a_strict_operator_turns_a_visitor_away_whose_visit_is_late(shop, caplog):
    """Open: whether an operator may prefer 503 to a visit that may be lost. Yes, with `strict`."""
    redirects = Redirects(shop.store, seconds=0.05, strict=True)
    with held(shop.store.adding), pytest.raises(NotStored, match="please try again"):
        redirects.answer(request("a"))
    patient = Redirects(shop.store, seconds=PATIENCE, strict=True)
    assert patient.answer(request("b")).content == "https://example.com"


@pytest.mark.rule("T11")
def test_a_full_queue_refuses_at_once_and_the_redirect_still_happens(shop, path, caplog, monkeypatch):
    """Open: how many visits may wait. A bounded number, so that the memory stays small."""
    monkeypatch.setattr(writing, "MOST_WAITING", 20)
    caplog.set_level(logging.CRITICAL)
    redirects = Redirects(shop.store, seconds=0)
    with held(shop.store.adding):
        for number in range(100):
            redirects.answer(request(f"{number}"))
        with pytest.raises(StoreBusy, match="20 visits wait to be written; the store cannot keep up"):
            for _ in range(50):  # once it is full, the writer may take a batch out
                record_visit(shop.store, visit("more"), seconds=0)
    assert redirects.lost in range(100 - 2 * 20, 100 - 20 + 1)
    assert redirects.lost + redirects.late == 100
    shop.close()
    with Store(path) as store:
        assert len([name for name in names(store) if name != "more"]) == redirects.late


@pytest.mark.parametrize("broken", [{"content": "\ud800"}, {"city": "\udfff"}, {"qrcode": 2**40}])
def test_a_visit_that_cannot_be_written_costs_itself_alone(shop, broken):
    wrong = Visit(NOON, "scan", "door", broken.get("qrcode", 1), broken.get("content"), referrer="wrong",
                  place=Place(city=broken.get("city")))  # fmt: skip
    with ThreadPoolExecutor(33) as threads:
        with held(shop.store.adding):
            good = [threads.submit(record_visit, shop.store, visit(f"{n}"), seconds=PATIENCE) for n in range(32)]
            bad = threads.submit(record_visit, shop.store, wrong, seconds=PATIENCE)
        assert all(one.result() for one in good)
        with pytest.raises(StoreBusy, match="a visit could not be written: "):
            bad.result()
    assert names(shop.store) == sorted(str(n) for n in range(32))
    assert verify(shop.store) == []


# ---- beside other work


@pytest.mark.rule("T11")
def test_an_import_does_not_hold_redirects_up(shop):
    """Open: whether long changes of records delay visitors. They do not: visits have a lock of their own."""
    redirects = Redirects(shop.store, seconds=PATIENCE)
    with held(shop.store.atomic):
        redirects.answer(request("a"))
        assert names(shop.store) == ["a"]
    assert (redirects.late, redirects.lost) == (0, 0)


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
            assert not record_visit(shop.store, visit(f"{number:02}"), seconds=0)
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


def test_threads_that_have_ended_keep_nothing_open(shop):
    def connections():
        database = shop.store.database  # nothing public tells; each holds memory and the file
        return len(database._idle if database.is_shared else database._cursors)

    for _ in range(30):
        with ThreadPoolExecutor(1) as threads:
            threads.submit(shop.list_qrcodes).result()
    assert connections() < 10


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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_that_ends_in_order_leaves_the_file_to_its_parent(file):
    command = [sys.executable, "-c", FORKING, str(file)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert said.stdout == "done\n", said.stderr
