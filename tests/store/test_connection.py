import os
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pytest

from qrkit.errors import InvalidParameter, StoreBusy, UnreadableFile
from qrkit.store import Store
from qrkit.store.duckdb.database import MOST_STATEMENTS
from qrkit.store.migrations import MIGRATIONS
from qrkit.store.upkeep.maintenance import backup
from qrkit.store.upkeep.rescuing import rescue
from qrkit.store.upkeep.snapshot import Snapshot

PATIENCE = 30
"""Seconds to wait for another thread or process before a test fails."""

OTHER_PROCESS = """
import sys
from qrkit.store import Store

store = Store(sys.argv[1])
store.execute("CREATE TABLE notes (number INTEGER PRIMARY KEY)")
for number in range(int(sys.argv[2])):
    store.execute("INSERT INTO notes VALUES (?)", [number])
with store.atomic():
    store.execute("INSERT INTO notes VALUES (1000)")
    print("ready", flush=True)
    sys.stdin.read()  # until it is killed or let go
"""


@pytest.fixture(scope="module")
def memory(new_place):
    with Store(new_place()) as store:
        yield store


@pytest.fixture
def store(memory):
    memory.execute("DROP TABLE IF EXISTS notes")
    memory.execute("CREATE TABLE notes (number INTEGER PRIMARY KEY)")
    return memory


@pytest.fixture
def other_process():
    """Start a process that has committed some notes to a file and is inside one more transaction."""
    started = []

    def start(path, committed):
        command = [sys.executable, "-c", OTHER_PROCESS, str(path), str(committed)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout.readline() == b"ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=PATIENCE)


def note(store, number):
    store.execute("INSERT INTO notes VALUES (?)", [number])


def notes(store):
    return [row["number"] for row in store.rows("SELECT number FROM notes ORDER BY number")]


class Mishap(Exception):
    """Something that goes wrong in the middle."""


# ---- transactions


def test_an_error_leaves_nothing_of_a_transaction(store):
    note(store, 1)
    with pytest.raises(Mishap), store.atomic():
        note(store, 2)
        note(store, 3)
        assert notes(store) == [1, 2, 3], "a transaction does not see its own work"
        raise Mishap
    assert notes(store) == [1]
    note(store, 4)
    assert notes(store) == [1, 4]


def test_an_inner_atomic_joins_the_outer_one_and_never_commits_it(store):
    with pytest.raises(Mishap), store.atomic():
        with store.atomic():
            note(store, 1)
            with store.atomic():
                note(store, 2)
        raise Mishap
    assert notes(store) == []
    with store.atomic(), store.atomic():
        note(store, 3)
    assert notes(store) == [3]


def test_an_error_that_was_caught_after_an_inner_atomic_had_written_spoils_the_whole(store):
    """Half of the inner work would be kept otherwise: DuckDB cannot take a part of a transaction back."""
    with pytest.raises(RuntimeError, match="nothing was kept"), store.atomic():
        note(store, 1)
        with pytest.raises(Mishap), store.atomic():
            note(store, 2)
            raise Mishap
        note(store, 3)
    assert notes(store) == []
    note(store, 4)
    assert notes(store) == [4], "the next transaction is spoilt, too"


def test_an_error_that_was_caught_before_an_inner_atomic_had_written_harms_nothing(store):
    with store.atomic():
        note(store, 1)
        with pytest.raises(Mishap), store.atomic():
            raise Mishap
        note(store, 2)
    assert notes(store) == [1, 2]


@pytest.mark.parametrize(
    "wrong", ["INSERT INTO notes VALUES (1)", "SELECT * FROM nowhere", "SELECT CAST('x' AS INTEGER)", "NONSENSE"]
)
@pytest.mark.parametrize("read", [Store.rows, Store.execute, Store.frame])
def test_a_failed_statement_that_was_caught_spoils_the_whole_and_says_so(store, read, wrong):
    """DuckDB gives a transaction up at the first failure and takes its COMMIT for a ROLLBACK, without a word."""
    note(store, 1)
    with pytest.raises(RuntimeError, match="nothing was kept"), store.atomic():
        note(store, 2)
        with pytest.raises(store.database.errors):
            read(store, wrong)
    assert notes(store) == [1]


def test_a_failed_query_outside_a_transaction_does_not_spoil_the_next_one(store):
    with pytest.raises(store.database.errors):
        store.rows("SELECT * FROM nowhere")
    with store.atomic():
        note(store, 1)
    assert notes(store) == [1]


# ---- threads


def test_threads_that_write_at_once_lose_nothing(store):
    store.execute("INSERT INTO notes VALUES (-1)")

    def count_down(_):
        for _ in range(10):
            with store.atomic():
                lowest = store.row("SELECT min(number) AS lowest FROM notes")["lowest"]
                note(store, lowest - 1)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(count_down, range(4)))
    assert notes(store) == list(range(-41, 0))


def test_a_reader_sees_the_state_before_another_threads_transaction(store):
    note(store, 1)
    written, seen = threading.Event(), threading.Event()

    def write():
        with store.atomic():
            note(store, 2)
            written.set()
            assert seen.wait(PATIENCE)

    with ThreadPoolExecutor(1) as threads:
        writing = threads.submit(write)
        try:
            assert written.wait(PATIENCE)
            assert notes(store) == [1]
        finally:
            seen.set()
        writing.result()
    assert notes(store) == [1, 2]


def test_an_error_in_one_thread_does_not_touch_the_transaction_of_another(store):
    def fail():
        with pytest.raises(Mishap), store.atomic():
            note(store, 5)
            raise Mishap
        with pytest.raises(store.database.errors):
            store.rows("NONSENSE")

    with ThreadPoolExecutor(1) as threads:
        threads.submit(fail).result()
        with store.atomic():
            note(store, 1)
            with pytest.raises(store.database.errors):
                threads.submit(store.rows, "NONSENSE").result()
    assert notes(store) == [1]


# ---- files


def test_what_was_committed_is_there_after_closing(tmp_path):
    path = tmp_path / "a.duckdb"
    with Store(path) as store:
        store.execute("CREATE TABLE notes (number INTEGER PRIMARY KEY)")
        note(store, 1)
    with Store(str(path)) as store:
        assert notes(store) == [1]
    assert [file.name for file in tmp_path.iterdir()] == ["a.duckdb"]


def test_a_killed_process_leaves_exactly_what_it_had_committed(new_path, other_process):
    path = new_path()
    process = other_process(path, committed=25)
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    with Store(path) as store:
        assert notes(store) == list(range(25))


def test_a_second_process_is_told_that_the_file_is_in_use(tmp_path, other_process):
    path = tmp_path / "a.duckdb"
    other_process(path, committed=1)
    with pytest.raises(StoreBusy, match="is open in another process; close that one, or use its"):
        Store(path)


def test_one_process_may_open_a_file_twice(tmp_path):
    """A cell of a notebook that opens a portfolio is run again and again."""
    path = tmp_path / "a.duckdb"
    with Store(path) as first, Store(tmp_path / "x" / ".." / "a.duckdb") as second:
        first.execute("CREATE TABLE notes (number INTEGER PRIMARY KEY)")

        note(first, 0)

        def count(store):
            for _ in range(15):
                with store.atomic():
                    store.execute("UPDATE notes SET number = number + 1")

        with ThreadPoolExecutor(2) as threads:
            list(threads.map(count, [first, second]))
        assert notes(first) == notes(second) == [30]
        first.close()
        note(second, 200)
    with Store(path) as store:
        assert notes(store)[-1] == 200


def test_stores_in_memory_are_strangers():
    with Store() as first, Store() as second:
        first.execute("CREATE TABLE notes (number INTEGER)")
        assert first.rows("SELECT table_name FROM duckdb_tables() WHERE table_name = 'notes'")
        assert not second.rows("SELECT table_name FROM duckdb_tables() WHERE table_name = 'notes'")


def test_a_folder_that_is_missing_is_named_whatever_its_name(tmp_path):
    for folder in ("missing", "clock", "blocked by a lock"):
        with pytest.raises(UnreadableFile, match=rf"{folder}.a.duckdb cannot be opened as a store: .*No such file"):
            Store(tmp_path / folder / "a.duckdb")


@pytest.mark.parametrize("content", [b"", b"Campaign Name,Content\r\n" * 200, bytes(range(256)) * 100])
def test_a_file_of_another_kind_is_refused_and_left_as_it_was(tmp_path, content):
    path = tmp_path / "a.duckdb"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"a\.duckdb cannot be opened as a store: "):
        Store(path)
    assert path.read_bytes() == content


@pytest.mark.skipif(os.name == "nt", reason="no name on Windows has a question mark")
def test_a_path_with_a_question_mark_is_refused(tmp_path):
    """DuckDB would put the log of `a?b.duckdb` into `a.wal?b.duckdb`."""
    with pytest.raises(UnreadableFile, match=r"a\?b\.duckdb cannot be opened as a store: .*; use a path without one"):
        Store(tmp_path / "a?b.duckdb")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="no name on Windows has a question mark")
def test_a_folder_with_a_question_mark_is_named(tmp_path, monkeypatch):
    folder, path = tmp_path / "q?", tmp_path / "a.duckdb"
    folder.mkdir()
    with Store(path) as store, pytest.raises(InvalidParameter, match=r"path=.* has a question mark"):
        backup(store, folder / "b.duckdb")
    with pytest.raises(InvalidParameter, match=r"new=.* has a question mark"):
        rescue(path, folder / "b.duckdb")
    with monkeypatch.context() as elsewhere:
        elsewhere.chdir(folder)
        with pytest.raises(UnreadableFile, match=r"'.*q\?.b\.duckdb' has a question mark"):
            Store("b.duckdb")
        elsewhere.setattr(tempfile, "tempdir", str(folder))
        with pytest.raises(UnreadableFile, match=r"a\.duckdb cannot be copied: the temporary folder '.*q\?' has a"):
            Snapshot(path)
    assert list(folder.iterdir()) == []


def test_a_folder_is_no_store(tmp_path):
    with pytest.raises(UnreadableFile, match="cannot be opened as a store"):
        Store(tmp_path)


@pytest.mark.parametrize("table", ["accounts (id INTEGER)", "migrations (id INTEGER)", "sales (id INTEGER)"])
def test_a_database_of_somebody_else_is_refused_and_left_as_it_was(tmp_path, table):
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE {table}")
    before = path.read_bytes()
    with pytest.raises(UnreadableFile, match="holds tables of another program, not a store of qrkit"):
        Store(path)
    assert path.read_bytes() == before
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("SELECT count(*) FROM duckdb_tables()").fetchone() == (1,)


# ---- migrations


def test_migrations_are_recorded_and_applied_once(tmp_path):
    path = tmp_path / "a.duckdb"
    with Store(path) as store:
        first = store.rows("SELECT name, applied FROM migrations ORDER BY applied, rowid")
    with Store(path) as store:
        assert store.rows("SELECT name, applied FROM migrations ORDER BY applied, rowid") == first
    assert [row["name"] for row in first] == list(MIGRATIONS)


def test_a_store_of_an_older_version_gets_what_it_lacks(tmp_path):
    path = tmp_path / "a.duckdb"
    with Store(path) as store:
        for what in (
            "TABLE scan_counts",
            "TABLE inboxes",
            "TABLE day_counts",
            "VIEW all_visits",
            "TABLE history",
            "TABLE superseded",
            "TABLE visits",
            "TABLE user_agents",
            "TABLE brands",
            "TABLE trials",
            "TABLE scans_taken",
            "TABLE uptime",
            "TABLE splits",
            "TABLE receivers",
            "TABLE events",
            "TABLE deliveries",
            "TABLE told_events",
            "TABLE report_links",
            "SEQUENCE event_numbers",
        ):
            store.execute(f"DROP {what}")
        store.execute("DROP SEQUENCE user_agent_numbers")
        store.execute("ALTER TABLE qrcodes DROP COLUMN stored")
        for table, column in (
            ("qrcodes", "tags"), ("qrcodes", "fields"), ("qrcodes", "rules"), ("qrcodes", "active"),
            ("qrcodes", "valid_since"), ("qrcodes", "valid_until"), ("qrcodes", "scan_limit"),
            ("qrcodes", "limit_a_day"), ("qrcodes", "otherwise"), ("qrcodes", "password"), ("qrcodes", "click_id"),
            ("qrcodes", "gs1"),
            ("qrcodes", "pass_query"), ("qrcodes", "scan_marker"), ("campaigns", "utm"),
            ("qrcodes", "template"), ("campaigns", "template"), ("campaigns", "color"), ("campaigns", "rules"),
            ("templates", "is_current"),
        ):  # fmt: skip
            store.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        store.execute(MIGRATIONS["visits"])
        store.execute("INSERT INTO user_agents (number, text, device) VALUES (1, 'Firefox', 'computer')")
        store.execute("INSERT INTO accounts VALUES ('1', 'local', 'premium', now()::TIMESTAMP)")
        names = list(MIGRATIONS)
        newer = names[names.index("counters") :]
        store.execute("DELETE FROM migrations WHERE list_contains(?, name)", [newer])
        store.execute("DELETE FROM settings")
    with Store(path) as store:
        assert store.rows("SELECT * FROM inboxes") == []
        assert store.rows("SELECT name FROM accounts") == [{"name": "local"}]
        assert store.rows("SELECT parser, is_bot FROM user_agents") == [{"parser": "unknown", "is_bot": None}]
        assert [row["name"] for row in store.rows("SELECT name FROM migrations")] == list(MIGRATIONS)


def test_a_store_of_a_newer_version_is_refused_and_left_as_it_was(tmp_path):
    path = tmp_path / "a.duckdb"
    with Store(path) as store:
        store.execute("INSERT INTO migrations VALUES ('teleport', now()::TIMESTAMP)")
    before = path.read_bytes()
    for _ in range(2):  # the first refusal lets the file go
        with pytest.raises(UnreadableFile, match=r"was written by a newer qrkit \(it has teleport\); update qrkit"):
            Store(path)
    assert path.read_bytes() == before


# ---- what SQL may touch


@pytest.fixture(scope="module")
def confined(tmp_path_factory):
    """A store beside a file that it must not read."""
    folder = tmp_path_factory.mktemp("confined")
    (folder / "secret.csv").write_text("word\nsesame\n", encoding="utf-8")
    Store(folder / "a.duckdb").close()
    return folder / "a.duckdb"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('{folder}/secret.csv')",
        "SELECT * FROM read_text('{folder}/secret.csv')",
        "SELECT * FROM '{folder}/secret.csv'",
        "SELECT * FROM glob('{folder}/*')",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "COPY accounts FROM '{folder}/secret.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "ATTACH '{folder}/other.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "PRAGMA memory_limit = '1GB'",
        "SELECT * FROM read_csv('https://example.com/x.csv')",
    ],
)
def test_sql_can_touch_this_file_and_nothing_else(confined, sql):
    folder = confined.parent
    before = sorted(file.name for file in folder.iterdir())
    refusal = "disabled by configuration|disabled through configuration|been locked|name .* does not exist"
    with Store(confined) as store, pytest.raises(duckdb.Error, match=refusal) as caught:
        store.rows(sql.format(folder=folder))
    assert "sesame" not in str(caught.value)
    assert sorted(file.name for file in folder.iterdir()) == before


def test_the_statements_that_were_run_last_are_kept_parsed():
    """Once 100 statements were kept, any further two were parsed again each time they took turns."""
    with Store(":memory:") as store:
        for number in [*range(2 * MOST_STATEMENTS), 0, 1, 0, 1]:
            assert list(store.each_row(f"SELECT {number} + ?", [1])) == [(number + 1,)]
        kept = store.database.parsed.cache_info()
        assert (kept.currsize, kept.hits) == (MOST_STATEMENTS, 2)


def test_several_statements_with_parameters_are_refused_as_such():
    """Each was run with all parameters, so the second one was said to have too many parameters."""
    with Store(":memory:") as store, pytest.raises(duckdb.Error, match="only supported for the last statement"):
        store.frame("SELECT ?; SELECT 2", [1])


def test_a_statement_is_split_among_four_threads_but_processors_run_it():
    with Store(":memory:") as store:
        threads = store.value("SELECT current_setting('threads')")
        external = store.value("SELECT current_setting('external_threads')")
    processors = duckdb.connect().execute("SELECT current_setting('threads')").fetchone()[0]
    assert threads >= 4
    assert threads - external + 1 == processors
