"""A store that this process serves, as other processes of the user work with it."""

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from stat import S_IMODE, S_ISSOCK

import duckdb
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, NotFound, StoreBusy, StoreClosed
from qrkit.portfolio.access import authenticate, create_key, key_id, list_keys, revoke_key
from qrkit.portfolio.opening import portfolio_in
from qrkit.store.door import Door
from qrkit.store.questions.column_copy import reading_one_state
from qrkit.store.recording.recorder import record_visit
from qrkit.store.recording.visit_rows import insert_visits
from qrkit.store.records.drawing_templates import looks_of
from qrkit.store.records.short_codes import DELETED, target
from qrkit.store.served.database import served_store
from qrkit.store.served.wire import MOST_BYTES, receive, send
from qrkit.store.upkeep.maintenance import backup, compact
from qrkit.store.upkeep.snapshot import Snapshot
from qrkit.tracking.records import Visit
from qrkit.tracking.times import now

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Python has no Unix sockets on Windows")

PATIENCE = 60
"""Seconds to wait for another process before a test fails."""
AS_NOBODY = """
import os, socket, sys
os.setgroups([]), os.setgid(65534), os.setuid(65534)
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    print(connection.recv(1000))
"""


@pytest.fixture
def shop(tmp_path):
    with open_portfolio(tmp_path / "shop.duckdb") as portfolio:
        portfolio.insert_qrcode("https://example.com/1", name="one")
        yield portfolio


@pytest.fixture
def door(shop):
    with Door(shop.store):
        yield shop.store.path + ".sock"


@pytest.fixture
def other(shop, door):
    """The portfolio of the same store, as another process has it."""
    with portfolio_in(served_store(shop.store.path)) as portfolio:
        yield portfolio


@contextmanager
def asking(shop, **limits):
    """A store that is served with such limits, as another process has it."""
    with Door(shop.store, **limits), served_store(shop.store.path) as store:
        yield store


def scanned(code, count=3):
    return [
        Visit(datetime(2026, 6, day + 1, 12, tzinfo=UTC), "scan", code.short_code, 1, code.content, f"Phone {day}")
        for day in range(count)
    ]


def test_what_another_process_changes_is_so_at_once_in_the_process_that_serves(shop, other):
    assert target(shop.store, "zzzzzz") is None  # the targets are in memory from now on
    code = other.insert_qrcode("https://example.com/2", name="two")
    assert target(shop.store, code.short_code).content == "https://example.com/2"
    other.update_qrcode(code.id, content="https://example.com/3")
    assert target(shop.store, code.short_code).content == "https://example.com/3"
    other.delete_qrcode(code.id)
    assert target(shop.store, code.short_code) == DELETED
    assert [one.name for one in other.list_qrcodes()] == [one.name for one in shop.list_qrcodes()] == ["one"]


def test_looks_that_another_process_changes_are_read_again(shop, other):
    assert looks_of(shop.store, shop.account.id).default == ""
    other.templates.save("brand", {"foreground": "#204060"})
    other.set_default_template("brand")
    assert looks_of(shop.store, shop.account.id).default == "brand"


def test_a_key_is_made_and_revoked_while_the_store_is_served(shop, other):
    key = create_key(other.store, other.account, label="till")
    assert authenticate(shop.store, key, now()) == shop.account
    revoke_key(other.store, other.account, key_id(key))
    assert [one.revoked is not None for one in list_keys(shop.store, shop.account)] == [True]
    with pytest.raises(NotFound):
        revoke_key(other.store, other.account, key_id(key))


@pytest.mark.slow
def test_an_import_adds_what_it_adds_without_a_server(shop, other, tmp_path):
    file = tmp_path / "codes.csv"
    file.write_text("QR Code Name,Content\n" + "".join(f"n{one},https://example.com/{one}\n" for one in range(6_000)))
    assert str(other.import_file(file)) == "6,000 created"
    assert target(shop.store, shop.list_qrcodes()[-1].short_code).content == "https://example.com/5999"
    assert len(other.list_qrcodes()) == len(shop.list_qrcodes()) == 6_001  # several answers to one statement


def test_tables_have_the_same_rows_and_dtypes(shop, other):
    code = shop.list_qrcodes()[0]
    for visit in scanned(code):
        record_visit(shop.store, visit)  # into the inbox, which the other process has moved before it asks
    with reading_one_state(other.store):
        found = other.scans.to_frame()
    assert len(found) == 3
    pd.testing.assert_frame_equal(found, shop.scans.to_frame())
    pd.testing.assert_frame_equal(other.to_frame(), shop.to_frame())


def test_visits_can_be_added_in_a_transaction(shop, other):
    code = shop.list_qrcodes()[0]
    with other.store.atomic():
        insert_visits(other.store, scanned(code))
    assert shop.get_qrcode(code.id).scans == 3
    with pytest.raises(StoreBusy, match="which alone records visits"):
        record_visit(other.store, scanned(code)[0])


@pytest.mark.parametrize("number", [9, pytest.param(5_003, marks=pytest.mark.slow)])
def test_tables_of_visits_are_added_as_without_a_server(shop, other, tmp_path, number):
    code = shop.list_qrcodes()[0].short_code
    visits = pd.DataFrame(
        {
            "short_code": code,
            "time": pd.date_range("2026-06-01T09:00:00.000001Z", periods=number, freq="7min"),
            "user_agent": [f"Phone {place % 7}" for place in range(number)],
            "kind": "scan",
            "visitor": pd.array([2**64 - 1, None, *range(number - 2)], dtype="UInt64"),
            "latitude": [46.05, None, *[1] * (number - 2)],
            "longitude": [14.5, None, *[2.5] * (number - 2)],
            "country": ["SI", None, *["DE"] * (number - 2)],
        }
    )
    with open_portfolio(tmp_path / "alone.duckdb") as alone:
        alone.insert_qrcode("https://example.com/1", name="one", short_code=code)
        assert alone.scans.insert(visits) == other.scans.insert(visits) == number
        wanted = alone.scans.to_frame().assign(qrcode_id="")
        assert len(wanted) == number
        pd.testing.assert_frame_equal(other.scans.to_frame().assign(qrcode_id=""), wanted)
    assert other.scans.insert(visits) == 0
    assert shop.list_qrcodes()[0].scans == number
    (tmp_path / "day.csv").write_text(f"short_code,time,count\n{code},2026-05-01,3\n")
    assert other.import_scans(tmp_path / "day.csv").created == 3


def test_a_transaction_is_kept_as_a_whole_or_not_at_all(shop, other):
    with pytest.raises(KeyError), other.store.atomic():
        other.insert_qrcode("https://example.com/2")
        raise KeyError
    with pytest.raises(InvalidParameter), other.store.atomic():
        other.insert_qrcode("https://example.com/2")
        other.insert_qrcode("")
    with pytest.raises(duckdb.ConstraintException), other.store.atomic():
        other.insert_qrcode("https://example.com/2")
        other.store.execute("INSERT INTO short_codes SELECT * FROM short_codes")
    assert len(shop.list_qrcodes()) == 1
    assert other.insert_qrcode("https://example.com/2")


def test_a_process_that_vanishes_in_a_transaction_leaves_nothing(shop, door):
    vanishing = served_store(shop.store.path)
    with pytest.raises(StoreBusy, match="does not answer any more"), vanishing.atomic():
        portfolio_in(vanishing).insert_qrcode("https://example.com/2")
        vanishing.close()
        vanishing.database.thread.cursor.close()
        vanishing = vanishing.on(vanishing.database)
        vanishing.rows("SELECT 1")
    assert len(shop.list_qrcodes()) == 1
    shop.insert_qrcode("https://example.com/2")  # nobody holds the lock of those that write


def test_a_transaction_in_which_nothing_happens_ends(shop):
    with (
        asking(shop, transaction_seconds=0.1) as store,
        pytest.raises(StoreBusy, match="or waited too long for this one"),
        store.atomic(),
    ):
        store.execute("DELETE FROM short_codes")
        shop.insert_qrcode("https://example.com/2")  # waits until the other transaction has ended
        store.execute("DELETE FROM short_codes")
    assert len(shop.list_qrcodes()) == 2


STOPPED_WHILE_WRITING = """
import os, signal, sys
from qrkit.errors import StoreBusy
from qrkit.store.served.database import served_store

with served_store(sys.argv[1]) as store:
    try:
        with store.atomic():
            store.execute("DELETE FROM short_codes")
            os.kill(os.getpid(), signal.SIGSTOP)
    except StoreBusy as error:
        print(error)
"""


@pytest.mark.slow
def test_a_stopped_process_holds_nobody_up(shop):
    path = shop.store.path
    with (
        Door(shop.store, transaction_seconds=0.5),
        subprocess.Popen(
            [sys.executable, "-c", STOPPED_WHILE_WRITING, path], stdout=subprocess.PIPE, text=True
        ) as process,
    ):
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        shop.insert_qrcode("https://example.com/2")
        process.send_signal(signal.SIGCONT)
        told, _ = process.communicate(timeout=PATIENCE)
    assert len(shop.list_qrcodes()) == 2
    assert told.startswith(f"{path} does not answer any more: the process that serves it has ended, or waited too long")
    assert told.count("\n") == 1


def test_a_process_that_is_silent_for_too_long_is_not_heard_any_more(shop):
    with asking(shop, idle_seconds=0.05) as store:
        connection = store.database.thread.cursor
        with pytest.raises(EOFError):
            connection.received()  # nothing was asked, so the end of the connection comes first
        with pytest.raises(StoreBusy, match="waited too long"):
            store.rows("SELECT 1")


def test_there_is_a_limit_to_how_many_work_at_once(shop):
    with asking(shop, most_callers=2) as first:
        with served_store(shop.store.path), pytest.raises(StoreBusy, match="too many commands are using"):
            served_store(shop.store.path)
        assert first.rows("SELECT 1 AS one") == [{"one": 1}]


def test_rows_come_in_parts_and_end_with_the_next_statement(other):
    sql = "SELECT range AS n FROM range(5000) ORDER BY n"
    assert [n for (n,) in other.store.each_row(sql)] == list(range(5_000))
    with other.store.statement() as cursor:
        cursor.execute(sql)
        assert cursor.fetchmany(2) == [(0,), (1,)]
        assert cursor.fetchmany(3_000)[-1] == (3_001,)
        assert len(cursor.fetchall()) == 1_998
        cursor.execute(sql)
        cursor.execute("SELECT 1")
        assert cursor.fetchall() == [(1,)]


def test_a_process_that_does_not_read_all_rows_is_waited_for_only_so_long(shop):
    with asking(shop, transaction_seconds=0.05) as store, store.statement() as cursor:
        cursor.execute("SELECT * FROM range(5000)")
        compact(shop.store)  # which waits until no statement runs
    assert len(shop.list_qrcodes()) == 1


def test_each_thread_has_a_transaction_of_its_own(other):
    found = []
    with other.store.atomic():
        other.insert_qrcode("https://example.com/2")
        reading = threading.Thread(target=lambda: found.append(len(other.list_qrcodes())))
        reading.start()
        reading.join()
        found.append(len(other.list_qrcodes()))
    assert found == [1, 2]


@pytest.mark.slow
def test_what_is_too_long_is_refused_and_the_next_request_answered(other):
    long = "x" * (MOST_BYTES + 1)
    with pytest.raises(StoreBusy, match="too much is to be written at once"):
        other.store.rows("SELECT ?", [long])
    with pytest.raises(StoreBusy, match="the answer cannot be sent"):
        other.store.rows(f"SELECT repeat('x', {len(long)})")
    assert other.store.rows("SELECT 1 AS one") == [{"one": 1}]


@pytest.mark.parametrize(
    "request_",
    [
        struct.pack(">II", MOST_BYTES + 1, 0),
        struct.pack(">II", 5, 0) + b"{nope",
        struct.pack(">II", 2, 0) + b"[]",
        struct.pack(">II", 4, 0) + b'"a"\n',
        struct.pack(">II", 13, 0) + b'{"\\u0000": 5}',
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_request_ends_its_connection_and_nothing_else(door, other, request_):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(door)
        assert receive(connection)[0].keys() == {"id", "migrations"}
        connection.sendall(request_)
        connection.shutdown(socket.SHUT_WR)
        with pytest.raises((EOFError, OSError)):
            receive(connection)
    assert other.store.rows("SELECT 1 AS one") == [{"one": 1}]


def test_an_unknown_request_is_refused(door):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(door)
        receive(connection)
        for request in (["fly"], ["run"], ["frame", "SELECT 1"]):
            send(connection, request)
            assert receive(connection)[0]["failed"] == "RuntimeError"


def test_a_statement_that_fails_raises_the_error_of_the_database(other):
    with pytest.raises(duckdb.ParserException, match="syntax error"):
        other.store.rows("SELECT FROM FROM")
    with pytest.raises(duckdb.CatalogException):
        other.store.frame("SELECT * FROM nothing")


def test_the_socket_is_for_this_user_alone_and_goes_with_the_server(shop, tmp_path):
    file = tmp_path / "shop.duckdb.sock"
    before = sorted(tmp_path.iterdir())
    with Door(shop.store):
        assert S_ISSOCK(file.stat().st_mode)
        assert S_IMODE(file.stat().st_mode) == 0o600
        assert sorted(tmp_path.iterdir()) == sorted([*before, file])
    assert sorted(tmp_path.iterdir()) == before
    assert served_store(shop.store.path) is None


def test_a_path_that_is_too_long_for_a_socket_leads_to_a_private_folder(tmp_path):
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    with open_portfolio(folder / "shop.duckdb") as shop:
        with asking(shop) as store:
            note = folder / "shop.duckdb.sock"
            assert S_IMODE(note.stat().st_mode) == 0o600
            assert store.rows("SELECT 1 AS one") == [{"one": 1}]
            private = Path(note.read_text())
            assert S_IMODE(private.parent.stat().st_mode) == 0o700
        assert not note.exists()
        assert not private.exists()


def test_a_socket_that_a_killed_server_left_is_replaced(shop, tmp_path):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "shop.duckdb.sock"))
    assert served_store(shop.store.path) is None
    with asking(shop) as store:
        assert store.rows("SELECT 1 AS one") == [{"one": 1}]
    (tmp_path / "shop.duckdb.sock").write_text("/nowhere")
    assert served_store(shop.store.path) is None


def test_a_server_that_ends_takes_back_what_is_not_complete(shop):
    with pytest.raises(StoreBusy, match="the process that serves it has ended"), Door(shop.store) as door:
        store = served_store(shop.store.path)
        with store.atomic():
            portfolio_in(store).insert_qrcode("https://example.com/2")
            door.__exit__()
            store.rows("SELECT 1")
    assert len(shop.list_qrcodes()) == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_is_refused(door):
    command = [sys.executable, "-c", AS_NOBODY, Path(door).name]
    folder = Path(door).parent
    folder.chmod(0o711)
    first = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert "PermissionError" in first.stderr
    Path(door).chmod(0o666)
    second = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert "is served by another user" in second.stdout


@contextmanager
def fake_server(shop, message):
    """What answers every caller with one message."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{shop.store.path}.sock")
        listener.listen()

        def answer():
            connection, _ = listener.accept()
            with connection:
                if message is not None:
                    send(connection, message)

        thread = threading.Thread(target=answer)
        thread.start()
        yield
        thread.join()


def test_a_peer_may_close_after_a_whole_message():
    here, there = socket.socketpair()
    heard = []

    class Left:
        """A connection whose peer closes as soon as it has received a message."""

        def sendall(self, data):
            here.sendall(data)
            heard.append(receive(there))
            there.close()

    with here:
        send(Left(), {"id": "x"})
    assert heard == [({"id": "x"}, b"")]


def test_a_server_of_another_version_is_told_apart(shop):
    with (
        fake_server(shop, {"id": "x", "migrations": ["of tomorrow"]}),
        pytest.raises(StoreBusy, match="another version of qrkit; restart its server"),
    ):
        served_store(shop.store.path)


def test_a_server_that_says_nothing_is_no_server(shop):
    with fake_server(shop, None), pytest.raises(StoreBusy, match="a process that does not answer"):
        served_store(shop.store.path)


def test_the_file_can_be_copied_while_nothing_is_written(shop, other, tmp_path):
    with other.store.standing(), Snapshot(shop.store.path) as snapshot:
        copy = backup(snapshot, tmp_path / "copy.duckdb")
    with open_portfolio(copy) as portfolio:
        assert [one.name for one in portfolio.list_qrcodes()] == ["one"]


def test_a_served_store_is_compacted_in_place(shop, other):
    other.insert_qrcode("https://example.com/2")
    assert compact(other.store) == 0
    assert len(other.list_qrcodes()) == len(shop.list_qrcodes()) == 2
    with pytest.raises(StoreBusy, match="needs the file itself"):
        backup(other.store, "copy.duckdb")


def test_the_base_url_of_a_served_store_stays(shop, door):
    with pytest.raises(InvalidParameter, match="set it when you start the server"):
        portfolio_in(served_store(shop.store.path), base_url="https://go.example.com")
    with portfolio_in(served_store(shop.store.path), base_url=shop.base_url) as portfolio:
        assert portfolio.base_url == shop.base_url


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_does_not_speak_on_its_parents_connection(other):
    store = other.store
    store.database._process += 1
    with pytest.raises(StoreClosed):
        store.rows("SELECT 1")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.datetimes(timezones=st.none() | st.just(UTC))
    | st.dates()
    | st.times()
    | st.decimals(allow_nan=False)
    | st.integers(-(10**9), 10**9).map(lambda seconds: timedelta(seconds=seconds)),
    lambda inner: st.lists(inner) | st.dictionaries(st.from_regex("[a-z_]+"), inner),
    max_leaves=10,
)


@given(VALUES, st.binary())
def test_values_arrive_as_they_were_sent(value, data):
    here, there = socket.socketpair()
    with here, there:
        send(here, value, data)
        assert receive(there) == (value, data)
