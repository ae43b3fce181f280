"""A store on a server: what several processes on it see of each other, and what happens when it is away.

Two engines of this process are as two processes to the server: they share no connection and no memory.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta

import pytest

from qrkit import Brand, open_portfolio
from qrkit.__main__ import main
from qrkit.errors import (
    InvalidParameter,
    NotAuthenticated,
    StoreBusy,
    StoreClosed,
    TooManyRequests,
    UnreadableFile,
)
from qrkit.portfolio.access import RequestCounter, authenticate, create_account, create_key, list_keys, revoke_key
from qrkit.server import Settings
from qrkit.server.service import Gates
from qrkit.store import Store
from qrkit.store.postgresql.database import LONGEST_WAIT, MOST_CONNECTIONS, shown_url
from qrkit.store.questions.column_copy import columns
from qrkit.store.recording.recorder import drain, record_visit
from qrkit.store.recording.salts_and_quotas import salt_of_day
from qrkit.store.recording.visit_rows import insert_visits
from qrkit.store.records.short_codes import DELETED, target
from qrkit.store.upkeep.maintenance import backup, compact, forget_visits, verify
from qrkit.tracking.records import PLANS, Visit
from qrkit.visits.redirect import Redirects, Request
from tests import servers
from tests.server.load import Load, visits
from tests.server.processes import served

pytestmark = pytest.mark.needs("postgres")

PATIENCE = 30
"""Seconds to wait for another thread before a test fails."""
SOON = 1.0
"""Seconds within which one process knows what another has committed: of work, as others may use the machine, too."""
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"


@pytest.fixture
def url(server, empty_store):
    return server.new_database(empty_store)


@pytest.fixture
def here(url):
    with open_portfolio(url, clock=lambda: NOON) as shop:
        yield shop


@pytest.fixture
def there(url, here):
    """The same store in what the server takes for another process."""
    with open_portfolio(f"{url}&application_name=another", clock=lambda: NOON) as shop:
        assert not shop.store.database.is_same(here.store.database)
        yield shop


def soon(found, expected):
    """Whether something becomes what it should be within a second."""
    end = time.thread_time() + SOON
    while time.thread_time() < end:
        if found() == expected:
            return True
    return found() == expected


def leads_to(shop, code):
    where = target(shop.store, code)
    return where if where in (None, DELETED) else where.content_at(NOON)


def visit(name, code="door", number=1):
    return Visit(NOON, "scan", code, number, user_agent=PHONE, referrer=name)


def names(shop):
    drain(shop.store)
    return sorted(row["referrer"] for row in shop.store.rows("SELECT referrer FROM visits"))


# ---- what others do


@pytest.mark.slow
def test_another_process_follows_every_change_of_a_code_within_a_second(here, there):
    assert leads_to(there, "door") is None
    code = here.insert_qrcode("https://a.example", short_code="door")
    assert leads_to(here, "door") == "https://a.example"
    assert soon(lambda: leads_to(there, "door"), "https://a.example")
    there.update_qrcode(code.id, content="https://b.example")
    assert soon(lambda: leads_to(here, "door"), "https://b.example")
    event = {"content": "https://c.example", "date": NOON}
    here.update_qrcode(code.id, schedule=[event], is_schedule_enabled=True)
    assert soon(lambda: leads_to(there, "door"), "https://c.example")
    there.delete_qrcode(code.id)
    assert soon(lambda: leads_to(here, "door"), DELETED)
    result = here.import_file(b"Content,Trackable URL\r\nhttps://d.example,http://localhost:8080/new\r\n")
    assert result.created == 1
    assert soon(lambda: leads_to(there, "new"), "https://d.example")


def test_a_transaction_knows_at_once_where_its_own_tables_say_that_a_code_leads(here, there):
    code = here.insert_qrcode("https://0.example", short_code="door")
    for number in range(1, 4):
        leads_to(there, "door")  # from here on it is in memory, and may be old
        here.update_qrcode(code.id, content=f"https://{number}.example")
        with there.store.atomic():
            assert leads_to(there, "door") == there.get_qrcode(code.id).content == f"https://{number}.example"


def test_what_is_rolled_back_is_seen_by_nobody(here, there):
    assert leads_to(there, "door") is None
    with pytest.raises(KeyError), here.store.atomic():
        here.insert_qrcode("https://a.example", short_code="door")
        raise KeyError
    here.insert_qrcode("https://b.example", short_code="shelf")
    assert soon(lambda: leads_to(there, "shelf"), "https://b.example")
    assert leads_to(there, "door") is None


def test_processes_that_wish_for_the_same_code_get_it_once(here, there):
    shops = [here, there] * 4

    def wish(shop):
        try:
            return shop.insert_qrcode("https://a.example", short_code="wish").id
        except InvalidParameter:
            return None

    with ThreadPoolExecutor(8) as threads:
        given = [one for one in threads.map(wish, shops) if one]
    assert [one.id for one in here.list_qrcodes()] == given
    assert len(given) == 1


def test_records_are_changed_by_one_process_after_the_other(here, there):
    """Each counts up what it has read; none is lost."""
    code = here.insert_qrcode("https://a.example", name="0")

    def count(shop):
        for _ in range(10):
            with shop.store.atomic():
                shop.update_qrcode(code.id, name=str(int(shop.get_qrcode(code.id).name) + 1))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(count, [here, there, here, there]))
    assert here.get_qrcode(code.id).name == there.get_qrcode(code.id).name == "40"


def test_keys_templates_and_settings_are_the_same_for_all(here, there):
    key = create_key(here.store, here.account)
    assert authenticate(there.store, key, NOON) == here.account
    revoke_key(there.store, there.account, list_keys(there.store, there.account)[0].id)
    with pytest.raises(NotAuthenticated):
        authenticate(here.store, key, NOON)
    here.templates.save("brand", {"ec": "H"})
    assert there.templates.get("brand") == {"ec": "H"}
    here.brands.save("acme", Brand("Acme"))
    here.brands.use("acme")
    assert there.brands.current == Brand("Acme")


@pytest.mark.slow
def test_scans_of_all_processes_count(here, there):
    code = here.insert_qrcode("https://a.example", short_code="door")
    number = target(here.store, "door").qrcode
    with ThreadPoolExecutor(16) as threads:
        done = threads.map(
            lambda n: record_visit((here, there)[n % 2].store, visit(f"{n}", number=number), seconds=PATIENCE),
            range(200),
        )
        assert all(done)
    drain(here.store)
    drain(there.store)
    for shop in (here, there):
        assert shop.get_qrcode(code.id).scans == shop.scans.count() == 200
        assert names(shop) == sorted(str(n) for n in range(200))
        assert verify(shop.store) == []


def test_a_visitor_has_one_key_whichever_process_answers(here, there):
    here.insert_qrcode("https://a.example", short_code="door")
    answering = [Redirects(shop.store, clock=lambda: NOON) for shop in (here, there)]
    assert soon(lambda: leads_to(there, "door"), "https://a.example")
    for redirects in answering:
        redirects.answer(Request("GET", "door", {"user-agent": PHONE}, "203.0.113.7"))
    drain(here.store)
    drain(there.store)
    keys = [row["visitor"] for row in here.store.rows("SELECT visitor FROM visits")]
    assert len(keys) == 2
    assert len(set(keys)) == 1


def test_the_salt_of_a_day_is_gone_on_the_next(here, there):
    first = salt_of_day(here.store, 7, b"a" * 32)
    assert first == salt_of_day(there.store, 7, b"b" * 32) == b"a" * 32
    assert salt_of_day(there.store, 8, b"c" * 32) == b"c" * 32
    assert here.store.rows("SELECT day FROM salts") == [{"day": 8}]
    (row,) = here.store.rows("SELECT relpersistence::VARCHAR AS kept FROM pg_class WHERE relname = 'salts'")
    assert row["kept"] == "u", "it is in the log of the server, and in its archives"


def test_a_salt_that_is_gone_before_it_was_read_leaves_the_redirect_alone(here, caplog):
    """As where the clock of another process is ahead at midnight: it deletes what this one has just put there."""
    here.insert_qrcode("https://a.example", short_code="door")
    here.store.execute("CREATE RULE ahead AS ON INSERT TO salts DO INSTEAD NOTHING")
    with pytest.raises(StoreBusy, match="no longer has the salt of this day"):
        salt_of_day(here.store, 7, b"a" * 32)
    answer = Redirects(here.store, clock=lambda: NOON).answer(Request("GET", "door", {"user-agent": PHONE}, "x"))
    assert answer.content == "https://a.example"
    assert "a visitor of several processes counts as several visitors" in caplog.text
    assert here.scans.count() == 1


def test_salts_that_cannot_be_read_at_all_leave_the_redirect_alone(here, caplog):
    here.insert_qrcode("https://a.example", short_code="door")
    here.store.execute("DROP TABLE salts")
    redirects = Redirects(here.store, clock=lambda: NOON)
    for number in range(2):
        redirects.answer(Request("GET", "door", {"user-agent": PHONE}, f"192.0.2.{number}"))
    assert caplog.text.count("a visitor of several processes counts as several visitors") == 1
    assert here.scans.count() == 2


@pytest.mark.slow
def test_the_requests_of_a_plan_are_counted_together(here, there, monkeypatch):
    """At most what the others answer before they tell it passes beyond the plan's number."""
    monkeypatch.setattr("qrkit.portfolio.access.TOLD_SECONDS", 0.0)
    account = create_account(here.store, "somebody", plan="free")
    limit = PLANS["free"].requests_a_day
    one, other = RequestCounter(here.store), RequestCounter(there.store)
    half = limit // 2
    passed = [counted(counter, account, most) for counter, most in ((one, half), (other, limit), (one, limit))]
    assert passed == [half, limit - half, 1], "a process has not heard of the other one's when it tells of its first"


def test_what_an_address_may_do_is_shared_out_among_the_processes():
    gates = Gates(Settings(generates_a_minute=10, unknown_codes_a_minute=0, processes=4))
    for _ in range(3):
        gates.generates.take("203.0.113.7")
    with pytest.raises(TooManyRequests, match="10 requests a minute"):
        gates.generates.take("203.0.113.7")
    for _ in range(100):
        gates.unknown_codes.take("203.0.113.7")
    assert len(gates.unknown_codes) == 0, "0 is without limit, whatever the number of processes"


def counted(counter, account, most):
    """Return how many of the requests pass."""
    passed = 0
    for _ in range(most):
        with suppress(TooManyRequests):
            counter.count(account, NOON)
            passed += 1
    return passed


@pytest.mark.slow
def test_a_process_goes_on_following_whatever_went_wrong(here, there, caplog):
    here.insert_qrcode("https://a.example", short_code="door")
    assert leads_to(there, "door") == "https://a.example"
    here.store.execute("ALTER TABLE short_codes RENAME TO moved")
    assert soon(lambda: "changes of other processes are not seen" in caplog.text, True)
    here.store.execute("ALTER TABLE moved RENAME TO short_codes")
    here.insert_qrcode("https://b.example", short_code="shelf")
    assert soon(lambda: leads_to(there, "shelf"), "https://b.example")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_opens_the_store_for_itself(here, url):
    here.insert_qrcode("https://a.example", short_code="door")
    assert leads_to(here, "door") == "https://a.example"
    child = os.fork()
    if not child:
        worked = False
        with suppress(BaseException):
            signal.alarm(PATIENCE)
            with pytest.raises(StoreClosed, match="was opened before a fork; open it in each process"):
                here.list_qrcodes()
            with open_portfolio(url) as shop:
                worked = leads_to(shop, "door") == "https://a.example" and len(shop.list_qrcodes()) == 1
                worked &= record_visit(shop.store, visit("child"), seconds=PATIENCE)
        os._exit(0 if worked else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert record_visit(here.store, visit("parent"), seconds=PATIENCE)
    assert names(here) == ["child", "parent"]


def test_who_finds_no_connection_is_told_so_soon(here, monkeypatch):
    """A thread that waits is one less for redirects."""
    assert LONGEST_WAIT <= 5
    inside, enough = threading.Semaphore(0), threading.Event()

    def hold():
        with here.store.reading("BEGIN"):
            inside.release()
            assert enough.wait(PATIENCE)

    with ThreadPoolExecutor(MOST_CONNECTIONS) as threads:
        holding = [threads.submit(hold) for _ in range(MOST_CONNECTIONS)]
        for _ in holding:
            assert inside.acquire(timeout=PATIENCE)
        monkeypatch.setattr("qrkit.store.postgresql.database.LONGEST_WAIT", 0.1)
        with pytest.raises(StoreBusy, match=f"all {MOST_CONNECTIONS} connections of this process are in use"):
            here.list_qrcodes()
        enough.set()
        assert [one.result() for one in holding] == [None] * MOST_CONNECTIONS
    assert here.list_qrcodes() == []


# ---- the beginning


def test_processes_that_start_at_once_make_the_tables_once(server):
    url = server.new_database()
    urls = [f"{url}&application_name=process{number}" for number in range(6)]
    with ThreadPoolExecutor(6) as threads:
        stores = list(threads.map(Store, urls))
    applied = stores[0].rows("SELECT name FROM migrations")
    assert {row["name"] for row in applied} == set(stores[0].database.dialect.migrations)
    assert len(applied) == len(stores[0].database.dialect.migrations)
    for store in stores:
        store.close()


def test_a_database_of_somebody_else_is_refused_and_left_as_it_was(server):
    import psycopg

    url = server.new_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE invoices (number INTEGER)")
        with pytest.raises(UnreadableFile, match="holds tables of another program"):
            Store(url)
        tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
        assert connection.execute(tables).fetchall() == [("invoices",)]


def test_a_store_in_another_schema_of_the_search_path_is_another_store(here, url):
    import psycopg

    here.insert_qrcode("https://example.com", short_code="door")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA mine")
    with open_portfolio(f"{url}&options=-csearch_path%3Dmine,public") as other:
        assert other.list_qrcodes() == []
    assert [code.short_code for code in here.list_qrcodes()] == ["door"]


def test_a_store_of_a_newer_version_is_refused(here, url):
    here.store.execute("INSERT INTO migrations VALUES ('teleport', now())")
    with pytest.raises(UnreadableFile, match=r"was written by a newer qrkit \(it has teleport\); update qrkit"):
        Store(f"{url}&application_name=old")


def test_a_database_that_cannot_keep_all_texts_is_refused(server):
    import psycopg

    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE latin ENCODING latin1 TEMPLATE template0")
    with pytest.raises(UnreadableFile, match="its encoding is LATIN1, and must be UTF8"):
        Store(server.url("latin"))


def test_a_user_without_rights_is_told(here, url):
    here.store.execute("CREATE ROLE guest LOGIN")
    with pytest.raises(UnreadableFile, match="cannot be opened as a store: permission denied"):
        Store(url.replace("qrkit@", "guest@"))
    with pytest.raises(InvalidParameter, match="is only for files"):
        Store(url, read_only=True)


# ---- secrets


SECRET = "geheim%40word"
URLS = [
    f"postgresql://joe:{SECRET}@127.0.0.1:9/shop",
    f"postgresql://127.0.0.1:9/shop?user=joe&password={SECRET}",
    f"postgres://joe:{SECRET}@127.0.0.1:9,127.0.0.1:10/shop?sslpassword={SECRET}",
    f"postgresql://joe:{SECRET}@127.0.0.1:9/shop?colour={SECRET}",
    f"postgresql://joe:{SECRET}@[::1:9/shop",
    *(f"postgresql://joe:12{mark}geheim@127.0.0.1:9/shop" for mark in "@/?#"),
    "postgresql://127.0.0.1:9/shop?password=ge@heim",
    "POSTGRESQL://joe:geheim@127.0.0.1:9/shop",
    "mysql://joe:geheim@127.0.0.1:9/shop",
]


@pytest.mark.parametrize("url", URLS)
def test_a_password_is_in_no_message(url, capsys, caplog):
    assert main(["report", "--store", url, "-o", "never.html"]) == 2
    said = capsys.readouterr()
    with pytest.raises((StoreBusy, InvalidParameter)) as caught:
        Store(url)
    told = f"{said.out}{said.err}{caplog.text}{caught.value}{caught.value!r}{Settings(store=url)!r}"
    assert "geheim" not in told
    assert "postgresql://…" in told or "/shop" in told
    assert ":12" not in told


def test_a_server_that_does_not_let_us_in_is_told_with_what_to_look_at():
    """Whoever has another file open has nothing to do with it."""
    with pytest.raises(StoreBusy, match="; check that the server runs, and what it allows this user") as caught:
        Store("postgresql://joe@127.0.0.1:9/shop")
    assert "file" not in "".join(caught.value._render_traceback_())


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"postgres://joe:{SECRET}@db.example:5433/shop?sslmode=require", "postgresql://joe@db.example:5433/shop"),
        (f"postgresql://joe:{SECRET}@[2001:db8::7]:5433/my%20shop", "postgresql://joe@[2001:db8::7]:5433/my%20shop"),
        ("postgresql://a.example,b.example:1/shop", "postgresql://a.example,b.example:1/shop"),
        ("postgresql:///shop?user=joe&host=/tmp", "postgresql:///shop"),
        ("postgresql://j%40e@%2Ftmp/shop", "postgresql://j%40e@%2Ftmp/shop"),
    ],
)
def test_a_url_is_shown_with_all_but_its_secrets(url, shown):
    assert shown_url(url) == shown


def test_the_path_of_a_server_that_lasts_is_the_one_that_is_shown(here, there):
    assert here.store.lasting_path == here.store.path == there.store.path == there.store.lasting_path


def test_a_password_in_the_environment_is_not_shown_by_the_help(monkeypatch, capsys):
    monkeypatch.setenv("QRKIT_STORE", URLS[0])
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    said = capsys.readouterr().out
    assert "geheim" not in said
    assert "$QRKIT_STORE" in said


WITHOUT = """
import sys
sys.modules["psycopg"] = None
from qrkit.store import Store
try:
    Store("postgresql://joe:geheim@db.example/shop")
except Exception as error:
    print(type(error).__name__, error)
"""


def test_without_the_package_it_says_what_to_install():
    said = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert said.stdout.startswith("MissingProgram the package psycopg is not installed")
    assert "pip install 'qrkit-studio[postgresql]'" in said.stdout
    assert "geheim" not in said.stdout + said.stderr


# ---- questions


@pytest.mark.slow
def test_visits_that_are_committed_late_are_in_the_next_answer(here, there):
    """Their transaction is older than one whose visits were counted already."""
    here.insert_qrcode("https://a.example", short_code="door")
    assert record_visit(here.store, visit("first"), seconds=PATIENCE)
    drain(here.store)
    begun, enough = threading.Event(), threading.Event()

    def slow():
        with there.store.adding():
            insert_visits(there.store, [visit("early")])
            begun.set()
            assert enough.wait(PATIENCE)

    with ThreadPoolExecutor(1) as threads:
        slowly = threads.submit(slow)
        assert begun.wait(PATIENCE)
        for number in range(3):
            assert record_visit(here.store, visit(f"{number}"), seconds=PATIENCE)
            assert here.scans.count() == number + 2
        enough.set()
        slowly.result()
    assert [shop.scans.count() for shop in (here, there)] == [5, 5]
    assert sorted(here.scans.to_frame()["referrer"]) == ["0", "1", "2", "early", "first"]


def test_a_store_that_was_restored_elsewhere_does_not_copy_all_again_for_each_question(here):
    """The transactions of its visits are numbered beyond those of the server that it is on now."""
    here.insert_qrcode("https://a.example", short_code="door")
    for number in range(3):
        assert record_visit(here.store, visit(f"{number}"), seconds=PATIENCE)
    here.store.execute("UPDATE visits SET xid = xid + 1000000")
    assert here.scans.count() == 3
    places = "SELECT rowid FROM visits WHERE referrer = '0'"
    before = columns(here.store).rows(places)
    assert record_visit(here.store, visit("3"), seconds=PATIENCE)
    assert here.scans.count() == 4
    assert columns(here.store).rows(places) == before


@pytest.mark.slow
def test_answers_follow_every_change_of_any_process(here, there):
    code = here.insert_qrcode("https://a.example", name="Door", short_code="door")
    for day in range(4):
        moment = NOON - timedelta(days=day)
        assert record_visit(there.store, Visit(moment, "scan", "door", 1, user_agent=PHONE), seconds=PATIENCE)
    drain(there.store)
    assert here.scans.to_frame()["qrcode"].tolist() == ["Door"] * 4
    there.update_qrcode(code.id, name="Gate")
    assert here.scans.to_frame()["qrcode"].tolist() == ["Gate"] * 4
    assert forget_visits(there.store, NOON - timedelta(days=1)) == 2
    assert here.scans.count() == 2
    found = here.sql("SELECT name, scans FROM qrcodes")
    assert found.to_dict("records") == [{"name": "Gate", "scans": 4}]
    here.delete_qrcode(code.id)
    assert there.scans.count() == 0


def test_how_a_database_writes_dates_changes_nothing(url):
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        name = connection.info.dbname
        for setting in ("datestyle = 'German'", "timezone = 'America/New_York'"):
            connection.execute(f"ALTER DATABASE {name} SET {setting}")
    with open_portfolio(url, clock=lambda: NOON) as shop:
        assert shop.insert_qrcode("https://a.example", short_code="door").created == NOON
        assert record_visit(shop.store, visit("a"), seconds=PATIENCE)
        assert shop.list_qrcodes()[0].created == NOON
        assert shop.scans.to_frame()["time"].tolist() == [NOON]


def test_texts_that_postgresql_cannot_hold_come_back_as_they_were(here):
    nasty = 'a\0b \U0010ffff \U0010ffff0 \r\n"x"\\N'
    code = here.insert_qrcode(nasty, name="x\0", short_code="door")
    assert here.get_qrcode(code.id).content == nasty
    assert record_visit(here.store, Visit(NOON, "scan", "door", 1, nasty, f"a\0{PHONE}"), seconds=PATIENCE)
    (row,) = here.scans.to_frame().to_dict("records")
    assert (row["content"], row["qrcode"]) == (nasty, "x\0")
    assert here.sql("SELECT content FROM qrcodes")["content"].tolist() == [nasty]


@pytest.mark.parametrize("care", [lambda store, path: backup(store, path), lambda store, _: compact(store)])
def test_what_only_files_need_is_refused_by_name(here, care, tmp_path):
    with pytest.raises(InvalidParameter, match="is on a server; use the tools of the server instead"):
        care(here.store, tmp_path / "copy.duckdb")
    with pytest.raises(InvalidParameter, match="is on a database server, which any number of processes can open"):
        open_portfolio(snapshot_of="postgresql://joe@db.example/shop")


# ---- a server that is away


@pytest.mark.parametrize("when", ["before", "after"])
def test_scans_whose_commit_was_cut_off_are_stored_once(server, here, url, when):
    """Whether the server had heard of the commit or not, nobody here can tell before asking it."""
    here.insert_qrcode("https://a.example", short_code="door")
    with servers.wire(server) as wire, open_portfolio(url.replace(server.folder, wire.folder)) as shop:
        for number in range(3):
            wire.cut = when
            assert record_visit(shop.store, visit(f"{number}"), seconds=PATIENCE)
            with suppress(StoreBusy):
                drain(shop.store)
            assert wire.cuts == number + 1
    assert names(here) == ["0", "1", "2"]
    assert here.list_qrcodes()[0].scans == here.scans.count() == 3
    assert verify(here.store) == []


@pytest.mark.slow
def test_scans_wait_for_a_server_that_must_not_be_written_to_at_the_moment(here, url, caplog):
    """As one is that stands in for another until it takes over."""
    import psycopg

    here.insert_qrcode("https://a.example", short_code="door")
    with psycopg.connect(url, autocommit=True) as connection:
        only_reading = f"ALTER DATABASE {connection.info.dbname} SET default_transaction_read_only"
        connection.execute(f"{only_reading} = on")
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        assert record_visit(here.store, visit("a"), seconds=PATIENCE)
        with pytest.raises(StoreBusy, match="read-only"):
            drain(here.store)
        with pytest.raises(StoreBusy, match="read-only"):
            here.insert_campaign("Spring")
        connection.execute(f"{only_reading} = off")
        assert record_visit(here.store, visit("b"), seconds=PATIENCE)
        # Connections that were open before go on refusing to write until each of them has been replaced.
        assert soon(lambda: here.store.row("SELECT count(*) AS number FROM visits")["number"], 2)
    assert names(here) == ["a", "b"]


@pytest.fixture(scope="module")
def own_server():
    """A server that may be stopped if it is started again, and keeps what it has acknowledged, and not much else."""
    with servers.server("wal_level=minimal", "max_wal_senders=0", "wal_writer_delay=10s", "autovacuum=off") as made:
        yield made


@pytest.mark.slow
@pytest.mark.rule("T11")
@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_while_the_server_is_away_codes_lead_on_and_their_scans_are_stored_later(own_server, how, caplog):
    """Open: what an outage of the database means. Nothing for visitors; the visits wait in the inbox."""
    with open_portfolio(own_server.new_database(), clock=lambda: NOON) as shop:
        shop.insert_qrcode("https://a.example", short_code="door")
        redirects = Redirects(shop.store, strict=True, clock=lambda: NOON)
        own_server.stop(how)
        for number in range(20):
            asked = Request("GET", "door", {"user-agent": PHONE, "referer": f"https://a{number}.example"}, f"{number}")
            assert redirects.answer(asked).content == "https://a.example"
        with pytest.raises(StoreBusy):
            shop.list_qrcodes()
        assert (redirects.late, redirects.lost) == (0, 0)
        own_server.start()
        assert names(shop) == sorted(f"a{number}.example" for number in range(20))
        assert shop.list_qrcodes()[0].scans == shop.scans.count() == 20
        assert verify(shop.store) == []
        shop.update_qrcode(shop.list_qrcodes()[0].id, content="https://b.example")
        assert redirects.look("door").content == "https://b.example"


@pytest.mark.slow
def test_visits_of_a_store_that_closes_while_its_server_is_away_are_there_when_it_is_opened_again(own_server, caplog):
    url = own_server.new_database()
    shop = open_portfolio(url)
    shop.insert_qrcode("https://a.example", short_code="door")
    own_server.stop()
    for name in ("a", "b"):
        assert record_visit(shop.store, visit(name), seconds=PATIENCE)
    shop.close()
    (said,) = [record.getMessage() for record in caplog.records if "until the store is opened again" in record.message]
    assert said.startswith("2 visits wait in ")
    own_server.start()
    with open_portfolio(url) as shop:
        assert shop.scans.count() == 2
        assert names(shop) == ["a", "b"]


@pytest.mark.slow
def test_a_server_that_stands_still_does_not_keep_a_store_from_closing(own_server, monkeypatch, caplog):
    monkeypatch.setattr("qrkit.store.recording.recorder.LAST_SECONDS", 0.2)
    monkeypatch.setattr("qrkit.store.records.short_codes.LAST_SECONDS", 0.2)
    url = own_server.new_database()
    shop = open_portfolio(url)
    shop.insert_qrcode("https://a.example", short_code="door")
    assert target(shop.store, "door")
    assert record_visit(shop.store, visit("a"), seconds=PATIENCE)
    with own_server.standing_still(), ThreadPoolExecutor(1) as threads:
        asking = threads.submit(shop.store.rows, "SELECT 1")
        time.sleep(1.5)  # in which the other threads begin to wait
        shop.close()
        with pytest.raises((StoreBusy, StoreClosed)):
            asking.result(PATIENCE)
    with open_portfolio(url) as shop:
        assert shop.scans.count() == 1


@pytest.mark.slow
def test_a_restored_copy_of_a_database_does_not_take_the_inbox_of_the_original(own_server, caplog):
    """As where the same URL leads to another database: its codes have other numbers."""
    import psycopg

    url = own_server.new_database()
    with open_portfolio(url) as shop:
        shop.insert_qrcode("https://a.example", short_code="door")
        own_server.stop()
        assert record_visit(shop.store, visit("a"), seconds=PATIENCE)
    own_server.start()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE settings SET value = 'another' WHERE name = 'id'")
    with open_portfolio(url) as shop:
        assert shop.scans.count() == 0
    assert "holds visits of another store" in caplog.text


def test_the_care_of_a_server_is_left_to_its_own_tools_but_whether_it_is_sound(server, empty_store, tmp_path, capsys):
    url = server.new_database(empty_store)
    assert main(["verify", url]) == 0
    assert capsys.readouterr().out == f"{shown_url(url)}: sound\n"
    for words in (["backup", url, str(tmp_path / "copy.duckdb")], ["compact", url]):
        assert main(words) == 2
        assert "is on a server; use the tools of the server instead (pg_dump, VACUUM)" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


ROUNDS = 5
"""Crashes until one of them makes a number free again: the server may have written its log just before, on its own."""


def crash(server):
    """What the server has not written yet is lost, and the numbers of its transactions are given again."""
    server.stop("immediate")
    server.start()


def newest(store):
    """The number of the transaction that added the last visit."""
    return store.rows("SELECT max(xid) AS number FROM visits")


@pytest.mark.slow
def test_visits_with_a_number_that_a_crash_has_made_free_again_are_asked_about(own_server):
    """A copy for questions has seen the end of a transaction of which the server then knows nothing."""
    with open_portfolio(own_server.new_database(), clock=lambda: NOON) as shop:
        shop.insert_qrcode("https://a.example", short_code="door")
        insert_visits(shop.store, [visit("first")])
        for number in range(1, ROUNDS + 1):
            with suppress(InterruptedError), shop.store.atomic():
                insert_visits(shop.store, [visit("lost")])
                lost = newest(shop.store)
                raise InterruptedError
            assert shop.scans.count() == number
            crash(own_server)
            shop.store.database.restore()
            insert_visits(shop.store, [visit("next")])
            assert shop.scans.count() == number + 1
            if newest(shop.store) == lost:
                return
    pytest.fail("no number was given again")


@pytest.mark.slow
@pytest.mark.needs("loopback")
@pytest.mark.parametrize("how", ["stopped", pytest.param("standing still", marks=pytest.mark.slow)])
def test_a_server_that_ends_while_its_database_is_away_says_which_visits_wait_and_loses_none(own_server, how, caplog):
    """Open: SIGTERM during an outage. The log says how many visits wait, and where; the next start stores them."""
    url, number = own_server.new_database(), 20
    with open_portfolio(url, base_url="https://go.example.com") as shop:
        shop.insert_qrcode("https://a.example", short_code="door")
    with served(url, stderr=subprocess.PIPE) as (process, address), ExitStack() as outage:
        if how == "stopped":
            own_server.stop()
            outage.callback(own_server.start)
        else:
            outage.enter_context(own_server.standing_still())
        load = Load(address, visits("/door", number))
        load.run()
        assert [answer.status for answer in load.answers] == [302] * number
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
        told = [json.loads(line)["message"] for line in process.stderr.read().splitlines()]
    (said,) = [message for message in told if "until the store is opened again" in message]
    assert said.startswith(f"{number} visits wait in ")
    assert not [message for message in told if "visits were lost" in message]
    with open_portfolio(url) as shop:
        assert shop.scans.count() == number
        assert verify(shop.store) == []
