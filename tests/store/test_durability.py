"""What is acknowledged is kept: through kill -9, torn logs, broken files and a full disk."""

import subprocess
import sys
import time
from collections import Counter
from random import Random

import pytest

from qrkit.errors import UnreadableFile
from qrkit.store import Store
from qrkit.store.recording.recorder import drain
from qrkit.store.upkeep.maintenance import verify
from tests.sweeps import night_after

PATIENCE = 60
"""Seconds to wait for another process before a test fails."""

WRITING = """
import os, sys, threading
from qrkit import open_portfolio
from qrkit.visits.redirect import Redirects, Request

PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
portfolio = open_portfolio(sys.argv[1])
if not portfolio.list_qrcodes():
    portfolio.insert_qrcode("https://example.com", short_code="door")
redirects = Redirects(portfolio.store, seconds=60, strict=True)

def write(thread):
    for number in range(100_000):
        name = f"{sys.argv[2]}-{thread}-{number}.example"
        redirects.answer(Request("GET", "door", {"user-agent": PHONE, "referer": f"https://{name}/"}, name))
        os.write(1, f"{name}\\n".encode())  # in one piece, whatever the others do

for thread in range(16):
    threading.Thread(target=write, args=[thread]).start()
"""


def killed_while_writing(path, name, lines):
    """Names of the visits that a process had acknowledged when it was killed, after about so many."""
    command = [sys.executable, "-c", WRITING, str(path), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            read = [process.stdout.readline() for _ in range(lines)]
        finally:
            process.kill()
        rest = process.stdout.read()
        process.wait(PATIENCE)
    return [line for line in ("".join(read) + rest).splitlines() if line.endswith(".example")]


def stored(store):
    drain(store)
    return [row["referrer"] for row in store.rows("SELECT referrer FROM visits")]


def check_kills(path, kills):
    """Kill so many processes one after the other on one file; gives the longest time (of work) of a reopening."""
    acknowledged, slowest, random = [], 0.0, Random(kills)
    for kill in range(kills):
        lines = random.choice([1, 20, 300, 900])
        said = killed_while_writing(path, f"k{kill}", lines)
        assert len(said) >= lines
        acknowledged += said
        start = time.process_time()
        with Store(path) as store:
            slowest = max(slowest, time.process_time() - start)
            found = Counter(stored(store))
            assert not set(acknowledged) - found.keys(), "an acknowledged visit is lost"
            assert set(found.values()) == {1}, "a visit is there twice"
            assert verify(store) == []
    return slowest


@pytest.mark.slow
@pytest.mark.rule("T11")
@pytest.mark.parametrize("kills", night_after([4, 20]))
def test_kills_lose_nothing_that_was_acknowledged_and_the_store_is_open_again_in_two_seconds(tmp_path, kills):
    """Open: what an answer promises. That the visit is on the disk, and there once."""
    assert check_kills(tmp_path / "a.duckdb", kills) < 2


AMID_OTHER_WORK = """
import itertools, os, sys, threading
from pathlib import Path
import pandas as pd
from qrkit import analytics, open_portfolio
from qrkit.errors import QrkitError
from qrkit.store import Store
from qrkit.store.upkeep.maintenance import backup, verify
from qrkit.store.upkeep.moving import migrate
from qrkit.visits.redirect import Redirects, Request

PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
place, name, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
portfolio = open_portfolio(place)
is_file = not portfolio.store.database.is_shared
if not portfolio.list_qrcodes():
    portfolio.insert_qrcode("https://example.com", short_code="door")
redirects = Redirects(portfolio.store, seconds=60, strict=True)
numbers = itertools.count()

def scan(thread):
    for number in itertools.count():
        visitor = f"{name}-{thread}-{number}.example"
        redirects.answer(Request("GET", "door", {"user-agent": PHONE, "referer": f"https://{visitor}/"}, visitor))
        os.write(1, f"{visitor}\\n".encode())

def again_and_again(act):
    while True:
        try:
            act(next(numbers))
        except QrkitError:
            pass  # as when two of them want the store for themselves at once

def import_codes(number):
    rows = "".join(f"x,{name} {number} {row},https://example.com/{row}\\n" for row in range(500))
    portfolio.import_file(f"Campaign,Name,Content\\n{rows}".encode(), format="csv")

def insert_scans(number):
    portfolio.scans.insert(pd.DataFrame({"short_code": ["door"] * 200, "time": ["2026-01-01"] * 200}))

def move(number):
    with Store(folder / f"{name}-{number}.duckdb") as target:
        migrate(portfolio.store, target)

def ask(number):
    analytics.summary(portfolio.scans)
    verify(portfolio.store)

work = [import_codes, insert_scans, move, ask]
if is_file:
    work += [lambda _: portfolio.store.checkpoint(), lambda n: backup(portfolio.store, folder / f"{name}-{n}.backup")]
for thread in range(64):
    threading.Thread(target=scan, args=[thread]).start()
for act in work:
    threading.Thread(target=again_and_again, args=[act]).start()
"""


def check_kills_amid_other_work(place, folder, kills):
    """Kill so many processes whose threads scan, import, ask, check, back up and move; returns the acknowledged."""
    acknowledged, random = set(), Random(kills)
    for kill in range(kills):
        command = [sys.executable, "-W", "ignore", "-c", AMID_OTHER_WORK, str(place), f"k{kill}", str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            read = [process.stdout.readline() for _ in range(random.choice([50, 500, 2_000]))]
            process.kill()
            read += process.stdout.readlines()
        said = {line.strip() for line in read if line.endswith(".example\n")}
        assert len(said) >= 50
        acknowledged |= said
        for left in folder.iterdir():
            left.unlink()
    with Store(place) as store:
        found = Counter(name for name in stored(store) if name)
        assert not acknowledged - found.keys(), "an acknowledged visit is lost"
        assert set(found.values()) == {1}, "a visit is there twice"
        assert verify(store) == []
    return len(acknowledged)


@pytest.mark.slow
@pytest.mark.rule("T11")
def test_kills_amid_imports_reports_backups_and_moves_lose_and_double_nothing(tmp_path, new_path):
    (tmp_path / "others").mkdir()
    assert check_kills_amid_other_work(new_path(), tmp_path / "others", 6)


# ---- broken files

ONE_BY_ONE = """
import os, signal, sys
from datetime import UTC, datetime
from qrkit import open_portfolio
from qrkit.tracking.records import Visit
from qrkit.store.recording.recorder import record_visit

portfolio = open_portfolio(sys.argv[1])
portfolio.insert_qrcode("https://example.com", short_code="door")
for number in range(40):
    visit = Visit(datetime(2026, 3, 1, tzinfo=UTC), "scan", "door", 1, referrer=f"{number}", user_agent="agent")
    with portfolio.store.adding():  # a commit of its own in the log
        assert record_visit(portfolio.store, visit, seconds=60)
os.kill(os.getpid(), signal.SIGKILL)
"""
NAMES = [str(number) for number in range(40)]


@pytest.fixture(scope="module")
def left(tmp_path_factory):
    """The bytes of a store and of its log, left by a process that was killed after 40 commits."""
    path = tmp_path_factory.mktemp("left") / "a.duckdb"
    subprocess.run([sys.executable, "-c", ONE_BY_ONE, str(path)], check=False, timeout=PATIENCE)
    log = path.with_name("a.duckdb.wal").read_bytes()
    assert len(log) > 10_000, "all that was written is in the log"
    return path.read_bytes(), log


def check_torn(folder, main, log):
    """What is opened is a prefix of what was written; else it is refused, and the files stay as they are."""
    path = folder / "a.duckdb"
    path.write_bytes(main)
    path.with_name("a.duckdb.wal").write_bytes(log)
    try:
        store = Store(path)
    except UnreadableFile as error:
        assert "a.duckdb cannot be opened as a store" in str(error)
        assert (path.read_bytes(), path.with_name("a.duckdb.wal").read_bytes()) == (main, log)
        return None
    with store:
        kept = stored(store)
        assert kept == NAMES[: len(kept)], "a row that nobody wrote, or one left out"
        assert verify(store) == []
    return len(kept)


@pytest.mark.slow
def test_a_log_that_is_torn_off_gives_a_prefix(tmp_path, left):
    main, log = left
    kept = [check_torn(tmp_path, main, log[: len(log) - cut]) for cut in (0, 1, 7, 100, 700, 1500, 4000, 8000)]
    assert kept[0] == 40
    assert None not in kept, "a log that ends early is what every crash leaves"
    assert kept == sorted(kept, reverse=True)
    assert kept[1] == 39


def flipped(log, random, last):
    changed = bytearray(log)
    for _ in range(random.choice([1, 1, 8])):
        changed[len(log) - random.randrange(1, last)] ^= random.randrange(1, 256)
    return bytes(changed)


def test_bytes_of_the_log_that_have_changed_never_make_a_wrong_row(tmp_path, left):
    main, log = left
    random = Random(1)
    for _ in range(12):
        kept = check_torn(tmp_path, main, flipped(log, random, 3000))
        assert kept is None or kept < 40


@pytest.mark.slow
@pytest.mark.parametrize("places", night_after([20, 120]))
def test_a_log_torn_or_changed_anywhere_never_makes_a_wrong_row(tmp_path, left, places):
    main, log = left
    random = Random(places)
    for cut in range(0, len(log), len(log) // places):
        check_torn(tmp_path, main, log[:cut])
    for _ in range(places):
        check_torn(tmp_path, main, flipped(log, random, len(log)))


@pytest.mark.slow
@pytest.mark.parametrize("place", ["header", "both headers", "end"])
def test_a_corrupt_file_is_refused_and_left_as_it_was(tmp_path, place):
    path = tmp_path / "a.duckdb"
    Store(path).close()
    content = bytearray(path.read_bytes())
    for start in {"header": [0], "both headers": [4096, 8192], "end": [12288]}[place]:
        content[start : start + 4096] = bytes(4096)
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"a\.duckdb cannot be opened as a store: "):
        Store(path)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["a.duckdb"]


# ---- a full disk

FULL = """
import logging, resource, sys
from pathlib import Path
import pandas as pd
from qrkit import open_portfolio
from qrkit.errors import StoreBusy
from qrkit.visits.redirect import Redirects, Request
from qrkit.store.upkeep.maintenance import verify
from qrkit.store.recording.recorder import drain

logging.disable()
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
path = Path(sys.argv[1])
portfolio = open_portfolio(path)
portfolio.insert_qrcode("https://example.com", short_code="door")
redirects = Redirects(portfolio.store, seconds=60)
acknowledged = []
most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]


def ask(name):
    request = Request("GET", "door", {"user-agent": PHONE, "referer": f"https://{name}/"}, name)
    lost = redirects.lost
    assert redirects.answer(request).content == "https://example.com"
    if redirects.lost == lost:
        acknowledged.append(name)


def refused(act, *words):
    try:
        act()
    except StoreBusy as error:
        assert all(word in str(error) for word in (str(path), *words)), error
    else:
        raise AssertionError("that must not work")


def many(rows):
    numbers = range(rows)
    return pd.DataFrame({"short_code": "door", "time": "2026-01-01", "city": [str(n * 7919) for n in numbers]})


ask("before")
portfolio.scans.insert(many(500))
size = path.with_name(path.name + ".wal").stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50, most))
for number in range(5):
    ask(f"full{number}")
assert redirects.late == 0
refused(lambda: portfolio.insert_qrcode("x", short_code="other"), "nothing was changed", "File too large")
refused(lambda: portfolio.scans.insert(many(150_000)), "File too large")
assert portfolio.list_qrcodes()[0].scans >= 501
if sys.argv[2] == "checkpoint":  # after this failure DuckDB wants the file to be opened anew
    refused(portfolio.store.checkpoint, "File too large")
    assert portfolio.list_qrcodes()[0].scans >= 501
    refused(portfolio.store.checkpoint, "File too large")
    refused(lambda: portfolio.insert_qrcode("x", short_code="other"), "File too large")
    refused(portfolio.store.checkpoint, "File too large")
    ask("full5")
    refused(portfolio.store.checkpoint, "File too large")
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
portfolio.insert_qrcode("x", short_code="after")
ask("after")
portfolio.scans.insert(many(510))  # ten more
portfolio.store.checkpoint()
ask("later")
for again in (False, True):
    if again:
        portfolio.close()
        portfolio = open_portfolio(path)
    assert verify(portfolio.store) == []
    scans = {code.short_code: code.scans for code in portfolio.list_qrcodes()}
    assert scans == {"door": len(acknowledged) + 510, "after": 0}
    drain(portfolio.store)
    found = portfolio.store.rows("SELECT referrer FROM visits WHERE referrer IS NOT NULL ORDER BY ALL")
    assert [row["referrer"] for row in found] == sorted(acknowledged)
print("done")
"""


@pytest.mark.slow
@pytest.mark.rule("T11")
@pytest.mark.parametrize("worst", ["commit", "checkpoint"])
def test_on_a_full_disk_redirects_happen_and_with_room_all_goes_on(tmp_path, worst):
    """Open: what a full disk stops. Writing, with a clear error; not redirects, nor what is kept, nor what comes."""
    pytest.importorskip("resource")
    command = [sys.executable, "-W", "error", "-c", FULL, str(tmp_path / "a.duckdb"), worst]
    said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (said.stdout, said.stderr) == ("done\n", "")
