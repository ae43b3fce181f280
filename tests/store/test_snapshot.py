"""A store that another process holds: it is refused, and a snapshot of it can be looked at."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, StoreBusy, StoreReadOnly, UnreadableFile
from qrkit.store import Store
from qrkit.store.store_settings import set_setting
from qrkit.store.upkeep.maintenance import backup, compact, forget_visits, verify
from qrkit.store.upkeep.moving import PROGRESS
from qrkit.store.upkeep.snapshot import Snapshot
from qrkit.tracking.times import now
from tests.sweeps import quick_first

PATIENCE = 30
"""Seconds to wait for another process before a test fails."""

WRITING = """
import itertools, os, sys
from qrkit import open_portfolio
from qrkit.visits.redirect import Redirects, Request

PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
portfolio = open_portfolio(sys.argv[1], base_url="https://go.example.com")
portfolio.insert_qrcode("https://example.com", short_code="door")
redirects = Redirects(portfolio.store, seconds=60, strict=True)
for number in itertools.count():
    name = f"n{number}"
    redirects.answer(Request("GET", "door", {"user-agent": PHONE, "referer": f"https://{name}/"}, name))
    if number % 50 == 49:
        portfolio.store.checkpoint()
    os.write(1, f"{name}\\n".encode())
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where temporary folders are made."""
    made = tmp_path / "temporary"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    return made


@pytest.fixture
def busy(tmp_path):
    """A store that another process writes to all the time, and that process."""
    path = tmp_path / "a.duckdb"
    command = [sys.executable, "-c", WRITING, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield path, process
        finally:
            process.kill()
            process.communicate(timeout=PATIENCE)


@pytest.mark.slow
def test_a_snapshot_of_a_store_at_work_holds_what_was_acknowledged_and_leaves_it_alone(busy, folder):
    path, process = busy
    acknowledged = []
    for _ in range(4):
        acknowledged += [process.stdout.readline().strip() for _ in range(25)]
        with open_portfolio(snapshot_of=path) as portfolio:
            found = [row["referrer"] for row in portfolio.store.rows("SELECT referrer FROM visits ORDER BY time")]
            assert found == [f"n{number}" for number in range(len(found))], "no prefix"
            assert len(found) >= len(acknowledged)
            assert portfolio.list_qrcodes()[0].scans == len(found)
            assert portfolio.base_url == "https://go.example.com"
            assert verify(portfolio.store) == []
            assert len(list(folder.iterdir())) == 1
        assert list(folder.iterdir()) == []
    process.kill()
    process.wait(PATIENCE)
    with Store(path) as store:
        assert verify(store) == []
        assert len(store.rows("SELECT 1 FROM visits")) >= len(acknowledged)


def test_a_second_process_is_told_what_to_do(busy):
    path, process = busy
    process.stdout.readline()
    with pytest.raises(StoreBusy, match=r"open in another process; close .*HTTP interface") as caught:
        open_portfolio(path)
    assert "open_portfolio(snapshot_of=" in caught.value.__notes__[0]
    assert "open_portfolio" not in caught.value.told("command")


@pytest.fixture
def snapshot(tmp_path, folder):
    with open_portfolio(tmp_path / "a.duckdb") as portfolio:
        portfolio.insert_qrcode("https://example.com", short_code="door")
        with open_portfolio(snapshot_of=tmp_path / "a.duckdb") as snapshot:
            yield snapshot


WRITES = {
    "a code": lambda snapshot: snapshot.insert_qrcode("x"),
    "a change": lambda snapshot: snapshot.update_qrcode(snapshot.list_qrcodes()[0].id, content="x"),
    "a deletion": lambda snapshot: snapshot.delete_qrcode(snapshot.list_qrcodes()[0].id),
    "a campaign": lambda snapshot: snapshot.insert_campaign("Spring"),
    "a template": lambda snapshot: snapshot.templates.save("plain", {"size": 4}),
    "a brand": lambda snapshot: snapshot.brands.use(None),
    "a sweep": lambda snapshot: forget_visits(snapshot.store, now()),
    "a compact file": lambda snapshot: compact(snapshot.store),
    "SQL": lambda snapshot: snapshot.store.execute("DELETE FROM qrcodes"),
}


@pytest.mark.parametrize("write", quick_first(WRITES.values(), 4), ids=WRITES)
def test_nothing_can_be_changed_in_a_snapshot(snapshot, write):
    with pytest.raises(StoreReadOnly, match=r"is a snapshot, .* changed; make the change where the store is served"):
        write(snapshot)
    assert len(snapshot.list_qrcodes()) == 1


def test_a_snapshot_can_be_kept_as_a_file(snapshot, tmp_path):
    with open_portfolio(backup(snapshot.store, tmp_path / "kept.duckdb")) as portfolio:
        assert [one.short_code for one in portfolio.list_qrcodes()] == ["door"]


@pytest.mark.slow
def test_a_snapshot_is_not_copied_over_what_it_is_of(busy):
    path, process = busy
    assert process.stdout.readline()
    with Snapshot(path) as snapshot, pytest.raises(InvalidParameter, match="is the store itself"):
        backup(snapshot, path)


@pytest.mark.parametrize("content", [None, b"no database" * 1000])
def test_what_is_no_store_has_no_snapshot_and_leaves_no_folder(tmp_path, folder, content):
    path = tmp_path / "a.duckdb"
    if content:
        path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"a\.duckdb"):
        Snapshot(path)
    assert list(folder.iterdir()) == []
    assert (path.read_bytes() if path.exists() else None) == content


def test_a_store_of_which_a_part_was_moved_is_refused_in_a_snapshot_too(tmp_path, folder):
    path = tmp_path / "a.duckdb"
    with Store(path) as store:
        set_setting(store, PROGRESS, "{}")
    with pytest.raises(UnreadableFile) as caught:
        open_portfolio(snapshot_of=path)
    assert str(caught.value) == f"{path} holds only a part of what was moved; run qrkit migrate again"
    assert list(folder.iterdir()) == []


def test_a_store_without_an_account_has_no_portfolio_in_a_snapshot(tmp_path, folder):
    Store(tmp_path / "a.duckdb").close()
    with pytest.raises(StoreReadOnly, match=r"a\.duckdb is a snapshot, in which nothing can be changed"):
        open_portfolio(snapshot_of=tmp_path / "a.duckdb")
    assert list(folder.iterdir()) == []


def test_a_snapshot_is_called_by_the_name_of_its_original(tmp_path, folder, monkeypatch):
    monkeypatch.chdir(tmp_path)
    open_portfolio("a.duckdb").close()
    Path("broken.duckdb").write_bytes(b"no database" * 1000)
    with open_portfolio("a.duckdb") as portfolio, open_portfolio(snapshot_of="a.duckdb") as snapshot:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        monkeypatch.chdir(elsewhere)
        for store in (portfolio.store, snapshot.store):
            assert store.path == "a.duckdb"
            assert store.lasting_path == str((tmp_path / "a.duckdb").resolve())
        with pytest.raises(InvalidParameter, match="is the store itself"):
            backup(snapshot.store, tmp_path / "a.duckdb")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnreadableFile) as caught:
        Snapshot("broken.duckdb")
    assert str(caught.value).startswith("broken.duckdb cannot be opened as a store")
    assert str(folder) not in str(caught.value)


def test_a_store_in_memory_has_no_path_that_lasts():
    with Store() as store:
        assert store.lasting_path == store.path == ":memory:"


def test_a_snapshot_of_a_store_of_this_process_sees_all_that_is_committed(snapshot, tmp_path):
    with open_portfolio(tmp_path / "a.duckdb") as portfolio:
        portfolio.insert_qrcode("https://example.org", short_code="shelf")
        with open_portfolio(snapshot_of=Path(tmp_path / "a.duckdb")) as later:
            assert len(later.list_qrcodes()) == 2
        assert len(snapshot.list_qrcodes()) == 1
