"""Counters, and the care of a store file: check, copy, make smaller, sweep."""

import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from random import Random

import duckdb
import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.errors import CannotWrite, Gone, InvalidParameter, NotFound, StoreBusy, UnreadableFile
from qrkit.store import Store
from qrkit.store.recording.recorder import drain, record_visit
from qrkit.store.records.short_codes import target
from qrkit.store.upkeep.maintenance import CHECKS, backup, compact, forget_visits, verify
from qrkit.tracking.records import Visit
from qrkit.visits.redirect import Redirects, Request
from tests.sweeps import night_after

PATIENCE = 30
"""Seconds to wait for another thread before a test fails."""
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.duckdb"


@pytest.fixture
def shop(path):
    """A campaign with the codes `door` and `shelf`, in a file."""
    with filled(path) as portfolio:
        yield portfolio


@pytest.fixture
def any_shop(new_place):
    """The same, in a file or on a server."""
    with filled(new_place()) as portfolio:
        yield portfolio


@contextmanager
def filled(place):
    with open_portfolio(place) as portfolio:
        campaign = portfolio.insert_campaign("Spring")
        for code in ("door", "shelf"):
            portfolio.insert_qrcode(f"https://{code}.example", short_code=code, campaign_id=campaign.id)
        yield portfolio


def record(shop, code, *, kind="scan", day=0, name=None):
    number = target(shop.store, code).qrcode
    visit = Visit(NOON + timedelta(days=day), kind, code, number, referrer=name, user_agent=f"agent {day}")
    assert record_visit(shop.store, visit, seconds=PATIENCE)
    drain(shop.store)


def many(rows, code="door", days=100):
    times = [NOON.replace(tzinfo=None) + timedelta(days=n % days, seconds=n) for n in range(rows)]
    texts = [f"{n * 7919 % 1_000_003}" for n in range(rows)]
    return pd.DataFrame({"short_code": code, "time": times, "kind": "scan", "user_agent": "frame", "city": texts})


def tables(store):
    """All rows of all tables."""
    names = [row["table_name"] for row in store.rows("SELECT table_name FROM duckdb_tables() ORDER BY ALL")]
    return {name: sorted(map(repr, store.rows(f"SELECT * FROM {name}"))) for name in names}


def names(store):
    drain(store)
    return [row["referrer"] for row in store.rows("SELECT referrer FROM visits")]


# ---- counters


@pytest.mark.slow
def test_counters_equal_the_rows_after_any_mix(any_shop):
    random = Random(3)
    expected = {"door": 0, "shelf": 0}
    for _ in range(60):
        code = random.choice(["door", "shelf"])
        act = random.choice(["scan", "bot", "frame", "forget", "undo"])
        if act in ("scan", "bot"):
            record(any_shop, code, kind=act, day=random.randrange(9))
            expected[code] += act == "scan"
        elif act == "frame":
            expected[code] += any_shop.scans.insert(many(random.randrange(5), code, days=9))
        elif act == "forget":
            forget_visits(any_shop.store, NOON + timedelta(days=random.randrange(4)))
        else:
            with pytest.raises(KeyError), any_shop.store.atomic():
                any_shop.scans.insert(many(3, code))
                record(any_shop, code)
                raise KeyError
        assert {one.short_code: one.scans for one in any_shop.list_qrcodes()} == expected
        assert verify(any_shop.store) == []
    any_shop.delete_qrcode(any_shop.list_qrcodes()[0].id)
    assert [one.scans for one in any_shop.list_qrcodes()] == [expected["shelf"]]
    assert verify(any_shop.store) == []


DAMAGES = {
    "QR Codes without their short code": "DELETE FROM short_codes WHERE code = 'shelf'",
    "short codes of one QR Code twice": "INSERT INTO short_codes SELECT 'again', qrcode FROM short_codes LIMIT 1",
    "QR Codes in a campaign that does not exist, or of another account": "UPDATE campaigns SET account_id = 'x'",
    "accounts with an unknown plan": "UPDATE accounts SET plan = 'gold'",
    "QR Codes of no account": "DELETE FROM accounts",
    "short codes that do not have one counter": "INSERT INTO scan_counts SELECT * FROM scan_counts WHERE qrcode = 2",
    "counters that differ from the scans they count": "UPDATE scan_counts SET scans = scans + 1 WHERE qrcode = 1",
    "visits of an unknown user agent": "DELETE FROM user_agents",
    "visits of an unknown QR Code": "UPDATE visits SET qrcode = 99",
    "QR Codes with more scans on days that are kept only as counts than in all": (
        "INSERT INTO day_counts VALUES ('2026-03-01', 1, 'scan', 7)"
    ),
    "spans of a running server that end before they begin": ("INSERT INTO uptime VALUES ('2026-03-02', '2026-03-01')"),
}


def test_there_is_a_damage_for_each_check():
    assert DAMAGES.keys() == CHECKS.keys()


@pytest.mark.parametrize(("what", "sql"), DAMAGES.items(), ids=DAMAGES)
def test_verify_finds_each_kind_of_damage(what, sql):
    with open_portfolio(":memory:") as portfolio:
        campaign = portfolio.insert_campaign("Spring")
        for code in ("door", "shelf"):
            portfolio.insert_qrcode("https://example.com", short_code=code, campaign_id=campaign.id)
        record(portfolio, "door", kind="bot" if "unknown QR Code" in what else "scan")
        assert verify(portfolio.store) == []
        portfolio.store.execute(sql)
        found = verify(portfolio.store)
        assert what in [text.partition(" ")[2] for text in found], found
        assert all(int(text.partition(" ")[0]) for text in found)


@pytest.mark.parametrize(
    "sql",
    ["DELETE FROM scan_counts WHERE qrcode = 1", "UPDATE qrcodes SET campaign_id = 'x'",
     "UPDATE short_codes SET qrcode = 2 WHERE code = 'door'", "DELETE FROM visits",
     "UPDATE scan_counts SET forgotten = 1", "INSERT INTO visits SELECT * FROM visits"],
)  # fmt: skip
def test_verify_finds_other_damage(shop, sql):
    record(shop, "door")
    shop.store.execute(sql)
    assert verify(shop.store)


# ---- backup

CRASHING = """
import os, sys
from qrkit import open_portfolio

open_portfolio(sys.argv[1]).insert_campaign("Autumn")
os._exit(0)
"""


def crashed(path):
    """A store with one campaign, and its log, as a process leaves them that ended in the middle of its work."""
    subprocess.run([sys.executable, "-c", CRASHING, str(path)], check=True, timeout=PATIENCE)
    return path, path.with_name(f"{path.name}.wal")


@pytest.mark.slow
def test_a_backup_taken_while_threads_write_holds_all_that_was_acknowledged_before(shop, tmp_path):
    redirects, stop, acknowledged = Redirects(shop.store, seconds=PATIENCE, strict=True), threading.Event(), []

    def write(thread):
        for number in range(5_000):
            if stop.is_set():
                return
            name = f"{thread}-{number}"
            redirects.answer(Request("GET", "door", {"user-agent": PHONE, "referer": f"https://{name}/"}, name))
            acknowledged.append(name)
            started.release()

    started = threading.Semaphore(0)
    with ThreadPoolExecutor(4) as threads:
        writing = [threads.submit(write, thread) for thread in range(4)]
        try:
            for copy in range(3):
                for _ in range(20):
                    assert started.acquire(timeout=PATIENCE)
                before = set(acknowledged)
                made = backup(shop.store, tmp_path / "copy.duckdb")
                with Store(made) as store:
                    found = names(store)
                    assert before <= set(found), f"copy {copy} lacks what was acknowledged before it began"
                    assert len(set(found)) == len(found)
                    for thread in range(4):
                        numbers = sorted(int(one.split("-")[1]) for one in found if one.startswith(f"{thread}-"))
                        assert numbers == list(range(len(numbers))), "no prefix of what this thread wrote"
                    assert verify(store) == []
        finally:
            stop.set()
        for one in writing:
            one.result()
    assert sorted(names(shop.store)) == sorted(acknowledged)
    assert [file.name for file in tmp_path.iterdir() if "unfinished" in file.name] == []


def test_a_backup_does_not_go_over_a_store_that_is_open(shop, path, tmp_path):
    with Store(tmp_path / "b.duckdb"):
        for wrong in (path, tmp_path / "b.duckdb"):
            with pytest.raises(InvalidParameter, match="is the store itself, or another one that is open"):
                backup(shop.store, wrong)
    assert backup(shop.store, tmp_path / "b.duckdb").exists()


def test_a_backup_that_fails_leaves_the_earlier_one(shop, tmp_path):
    with pytest.raises(CannotWrite, match="cannot be written: No such file or directory; make the folder"):
        backup(shop.store, tmp_path / "missing" / "b.duckdb")
    assert not (tmp_path / "missing").exists()
    earlier = crashed(tmp_path / "b.duckdb")
    before = [file.read_bytes() for file in earlier]
    blocked = tmp_path / "b.duckdb.wal.old"
    blocked.mkdir()
    with pytest.raises(CannotWrite, match=r"b\.duckdb cannot be written"):
        backup(shop.store, earlier[0])
    assert [file.read_bytes() for file in earlier] == before
    assert not list(tmp_path.glob("*unfinished*"))
    record(shop, "door")


@pytest.mark.slow
def test_a_backup_goes_over_one_that_a_crash_has_left_with_its_log(shop, tmp_path):
    copy, log = crashed(tmp_path / "b.duckdb")
    assert log.exists()
    assert backup(shop.store, copy) == copy
    assert sorted(file.name for file in tmp_path.glob("b.*")) == ["b.duckdb"]
    with open_portfolio(copy) as portfolio:
        assert [one.name for one in portfolio.list_campaigns()] == ["Spring"]


def test_a_backup_into_a_folder_is_refused_before_anything_is_copied(shop, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    with pytest.raises(InvalidParameter, match=r"^path=.*: is a folder; give the name of a file in it"):
        backup(shop.store, folder)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.duckdb", "a.duckdb.wal", "backups"]


@pytest.mark.slow
def test_a_backup_replaces_no_file_but_a_store(shop, tmp_path):
    key, foreign = tmp_path / "key.txt", tmp_path / "foreign.duckdb"
    key.write_text("qk_secret of another program\n")
    with duckdb.connect(foreign) as connection:
        connection.execute("CREATE TABLE theirs (name VARCHAR)")
    for file in (key, foreign):
        before = file.read_bytes()
        with pytest.raises(InvalidParameter, match=r"^path=.*: is a file that is not a store; name another file"):
            backup(shop.store, file)
        assert file.read_bytes() == before
    empty = tmp_path / "empty.duckdb"
    empty.touch()
    for _ in range(2):  # an empty file, then the store that has replaced it
        assert backup(shop.store, empty).stat().st_size > 0
    damaged = bytearray(empty.read_bytes())
    damaged[4_096:8_192] = bytes(4_096)
    empty.write_bytes(damaged)
    with Store(backup(shop.store, empty)) as copy:
        assert verify(copy) == []


@pytest.mark.parametrize("care", [compact, lambda store: backup(store, "b.duckdb")])
def test_a_store_in_memory_has_no_file_to_care_for(care):
    with Store() as store, pytest.raises(InvalidParameter, match="is in memory; there is no file"):
        care(store)


# ---- compact


@pytest.mark.slow
def test_a_compact_file_is_smaller_and_holds_the_same_rows(shop, path):
    shop.scans.insert(many(150_000))
    shop.delete_qrcode(shop.insert_qrcode("x").id)
    shop.store.checkpoint()
    forget_visits(shop.store, NOON + timedelta(days=99))
    before, rows = path.stat().st_size, tables(shop.store)
    saved = compact(shop.store)
    assert saved > before / 5
    assert path.stat().st_size < before
    assert tables(shop.store) == rows
    assert verify(shop.store) == []
    assert shop.insert_qrcode("x").id, "numbers of deleted codes are given again"
    assert verify(shop.store) == []
    record(shop, "door")
    shop.close()
    with Store(path) as store:
        drain(store)
        assert len(store.rows("SELECT 1 FROM visits")) == len(rows["visits"]) + 1
        assert verify(store) == []
    assert [file.name for file in path.parent.iterdir()] == ["a.duckdb"]


@pytest.mark.slow
def test_other_threads_read_and_write_on_while_a_store_is_made_compact(shop):
    stop, rounds = threading.Event(), threading.Semaphore(0)

    def work(thread):
        for number in range(5_000):
            if stop.is_set():
                return number
            if thread % 2:
                record(shop, "door", name=f"{thread}-{number}")
            else:
                assert len(shop.list_qrcodes()) == 2
                assert shop.campaigns()["scans"].sum() >= 0
            rounds.release()
        return 5_000

    with ThreadPoolExecutor(4) as threads:
        working = [threads.submit(work, thread) for thread in range(4)]
        try:
            for _ in range(15):
                for _ in range(10):
                    assert rounds.acquire(timeout=PATIENCE)
                compact(shop.store)
        finally:
            stop.set()
        written = sum(one.result() for one in working[1::2])
    assert shop.list_qrcodes()[0].scans == written == len(names(shop.store))
    assert verify(shop.store) == []


@pytest.mark.parametrize("care", [compact, lambda store: backup(store, "b.duckdb")])
def test_care_of_the_file_inside_a_transaction_is_refused_and_spoils_nothing(shop, care):
    with shop.store.atomic():
        shop.insert_campaign("Summer")
        with pytest.raises(StoreBusy, match="this thread has an open transaction in "):
            care(shop.store)
    assert [one.name for one in shop.list_campaigns()] == ["Spring", "Summer"]


def test_a_file_that_cannot_be_made_compact_stays_as_it_was(shop, path):
    record(shop, "door")
    rows = tables(shop.store)
    blocked = path.with_name("a.duckdb.compact")
    blocked.mkdir()
    with pytest.raises((UnreadableFile, OSError)):
        compact(shop.store)
    assert tables(shop.store) == rows
    record(shop, "door")
    shutil.rmtree(blocked)
    compact(shop.store)
    assert shop.list_qrcodes()[0].scans == 2


# ---- retention


def test_visits_that_are_forgotten_stay_counted(any_shop):
    for day in range(6):
        record(any_shop, "door", day=day)
        record(any_shop, "shelf", day=day, kind="bot")
    assert forget_visits(any_shop.store, NOON + timedelta(days=4)) == 8
    assert [one.scans for one in any_shop.list_qrcodes()] == [6, 0]
    assert any_shop.scans.count() == 2
    assert forget_visits(any_shop.store, NOON + timedelta(days=4)) == 0
    assert forget_visits(any_shop.store, (NOON + timedelta(days=5)).astimezone()) == 2, "the bound itself is kept"
    assert [one.scans for one in any_shop.list_qrcodes()] == [6, 0]
    assert verify(any_shop.store) == []


def test_a_user_agent_that_was_forgotten_is_stored_anew_in_the_same_transaction(any_shop):
    frame = many(3, days=1)
    any_shop.scans.insert(frame)
    with any_shop.store.atomic():
        assert forget_visits(any_shop.store, NOON + timedelta(days=9)) == 3
        any_shop.scans.insert(frame)
        assert forget_visits(any_shop.store, NOON + timedelta(days=9)) == 3
        any_shop.scans.insert(frame.assign(time=NOON + timedelta(days=10)))
    assert verify(any_shop.store) == []
    assert len(any_shop.scans.to_frame()) == 3


def test_a_sweep_that_is_rolled_back_has_forgotten_nothing(any_shop):
    frame = many(3, days=1)
    any_shop.scans.insert(frame)
    with pytest.raises(KeyError), any_shop.store.atomic():
        forget_visits(any_shop.store, NOON + timedelta(days=9))
        any_shop.scans.insert(frame.assign(time=NOON + timedelta(days=10)))
        raise KeyError
    any_shop.scans.insert(frame.assign(time=NOON + timedelta(days=11)))
    assert verify(any_shop.store) == []
    assert len(any_shop.scans.to_frame()) == 6


# ---- all at once


class Mix:
    """What threads do all at once, and what became of it."""

    def __init__(self, shop):
        self.shop = shop
        self.redirects = Redirects(shop.store, seconds=PATIENCE)
        self.given, self.deleted, self.recorded = [], [], []  # append is atomic
        self.acts = [self.insert, self.update, self.delete, self.group, self.drop, self.frame, *[self.ask] * 4]

    def work(self, thread, rounds):
        random = Random(thread)
        for _ in range(rounds):
            codes, campaigns = self.shop.list_qrcodes(), self.shop.list_campaigns()
            try:
                random.choice(self.acts)(random, random.choice(codes or [None]), random.choice(campaigns or [None]))
            except (NotFound, InvalidParameter, Gone, AttributeError) as error:
                # Another thread was faster, or there is nothing yet.
                assert not isinstance(error, AttributeError) or "'NoneType'" in str(error)

    def insert(self, random, _code, campaign):
        wish = random.choice(["", f"wish-{random.randrange(200)}"])
        made = self.shop.insert_qrcode("https://x.example", short_code=wish, campaign_id=campaign and campaign.id)
        self.given.append(made.short_code)

    def update(self, random, code, campaign):
        self.shop.update_qrcode(code.id, content=f"https://{random.random()}.example", campaign_id=campaign.id)

    def delete(self, _random, code, _campaign):
        self.shop.delete_qrcode(code.id)
        self.deleted.append(code.short_code)

    def group(self, random, _code, _campaign):
        self.shop.insert_campaign(f"{random.random()}")

    def drop(self, random, _code, campaign):
        self.shop.delete_campaign(campaign.id, keep=random.random() < 0.5)

    def ask(self, random, code, _campaign):
        self.redirects.answer(Request("GET", code.short_code, {"user-agent": PHONE}, f"{random.random()}"))
        self.recorded.append(code.short_code)

    def frame(self, _random, code, _campaign):
        self.recorded += [code.short_code] * self.shop.scans.insert(many(3, code.short_code))


def check_mix(shop, threads, rounds):
    mix = Mix(shop)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda thread: mix.work(thread, rounds), range(threads)))
    kept = {one.short_code: one.scans for one in shop.list_qrcodes()}
    assert len(mix.given) >= threads * rounds / 40, "hardly anything went through"
    assert len(set(mix.given)) == len(mix.given), "a short code was given twice"
    assert verify(shop.store) == []
    assert not set(mix.deleted) & kept.keys()
    assert {code: mix.recorded.count(code) for code in kept} == kept
    assert {one.campaign_id for one in shop.list_qrcodes()} <= {one.id for one in shop.list_campaigns()} | {None}
    for code in mix.given:
        assert (target(shop.store, code).qrcode != 0) == (code in kept), "redirects know something else than the tables"


@pytest.mark.slow
@pytest.mark.parametrize("rounds", night_after([10, 60]))
def test_32_threads_that_do_everything_at_once_keep_the_store_sound(any_shop, rounds):
    check_mix(any_shop, 32, rounds)


@pytest.mark.parametrize("moment", [NOON.date(), "2026-03-01", None, 5])
def test_what_is_no_moment_forgets_nothing_and_is_named(shop, moment):
    record_visit(shop.store, Visit(NOON, "scan", "door", target(shop.store, "door").qrcode))
    with pytest.raises(InvalidParameter, match=r"before.*must be a datetime"):
        forget_visits(shop.store, moment)
    assert shop.scans.count() == 1
