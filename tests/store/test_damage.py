"""Damaged files and logs: verify tells of them, nobody copies them, and what can be read is rescued."""

import shutil
import subprocess
import sys
from contextlib import suppress
from datetime import datetime, timedelta
from random import Random

import duckdb
import pandas as pd
import pytest

from qrkit import Brand, open_portfolio
from qrkit.__main__ import main
from qrkit.errors import InvalidParameter, StoreBusy, StoreDamaged, StoreReadOnly, UnreadableFile
from qrkit.store import Store
from qrkit.store.duckdb.log import VERSION
from qrkit.store.upkeep.maintenance import backup, compact, rescue, verify
from tests.sweeps import quick_first

PATIENCE = 60
"""Seconds to wait for another process before a test fails."""
HEADERS, BLOCK = 3 * 4096, 262_144
NOISE = Random(1).randbytes(4096)
"""Not the same bytes again and again, of which DuckDB's checksums notice nothing."""
CODES = ["door", "shelf", "till"]
SCANS = 6_000


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A store with three codes, an account with a key, and visits; and what each block of it holds."""
    path = tmp_path_factory.mktemp("sound") / "a.duckdb"
    with open_portfolio(path) as shop:
        campaign = shop.insert_campaign("Spring")
        for code in CODES:
            shop.insert_qrcode(f"https://{code}.example", short_code=code, campaign_id=campaign.id)
        shop.templates.save("brand", {"size": 4})
        shop.brands.save("acme", Brand("Acme"))
        shop.brands.use("acme")
        times = [datetime(2026, 3, 1) + timedelta(minutes=number) for number in range(SCANS)]
        columns = {name: [f"{name} {number * 7919 % 10_007}" for number in range(SCANS)] for name in ("city", "region")}
        referrers = [f"https://{Random(number).randbytes(50).hex()}.example/" for number in range(SCANS)]
        agents = [f"agent {number % 50}" for number in range(SCANS)]
        codes = [CODES[number % 3] for number in range(SCANS)]
        more = {"referrer": referrers, "user_agent": agents, **columns}
        shop.scans.insert(pd.DataFrame({"short_code": codes, "time": times, "kind": "scan", **more}))
    return path


@pytest.fixture
def damaged(sound, tmp_path):
    """Makes a copy of the store with 4 kB of one block overwritten."""

    def damage(block, *, place=100_000, data=NOISE):
        path = tmp_path / "damaged.duckdb"
        shutil.copyfile(sound, path)
        with path.open("r+b") as file:
            file.seek(HEADERS + block * BLOCK + place)
            file.write(data)
        return path

    return damage


def blocks_of(path, table, column=None):
    sql = f"SELECT DISTINCT block_id FROM pragma_storage_info('{table}') WHERE block_id >= 0"
    with duckdb.connect(str(path), read_only=True) as connection:
        found = connection.execute(f"{sql} AND column_name = '{column}'" if column else sql).fetchall()
    return [block for (block,) in found]


def is_read_in_full(path):
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            for (table,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
                connection.execute(f"SELECT sum(hash(t)) FROM {table} t").fetchall()
    except duckdb.Error:
        return False
    return True


def faults(path):
    try:
        with Store(path) as store:
            return verify(store)
    except StoreDamaged as error:
        return [str(error)]


def counts(path):
    with open_portfolio(path) as shop:
        return {one.short_code: one.scans for one in shop.list_qrcodes()}


# ---- verify, backup and compact


@pytest.mark.slow
def test_damage_of_any_block_is_found(sound, damaged):
    blocks = (sound.stat().st_size - HEADERS) // BLOCK
    found = {block: faults(damaged(block)) for block in range(blocks)}
    assert [block for block, told in found.items() if not told] == []
    in_indexes = [block for block, told in found.items() if told == ["damaged blocks that hold an index: 1"]]
    assert len(in_indexes) > 5
    assert [block for block in range(blocks) if is_read_in_full(damaged(block))] == in_indexes
    assert faults(sound) == []


@pytest.mark.slow
def test_of_a_store_with_a_damaged_index_everything_is_rescued(sound, damaged, tmp_path):
    tables = [block for table in ("qrcodes", "visits", "short_codes") for block in blocks_of(sound, table)]
    path = damaged(max(set(range(max(tables))) - set(tables)))
    assert is_read_in_full(path)
    assert faults(path)
    assert rescue(path, tmp_path / "new.duckdb").is_complete
    assert faults(tmp_path / "new.duckdb") == []
    assert counts(tmp_path / "new.duckdb") == dict.fromkeys(CODES, SCANS // 3)


@pytest.mark.slow
def test_free_blocks_may_hold_anything(sound, tmp_path):
    path = tmp_path / "a.duckdb"
    shutil.copyfile(sound, path)
    with Store(path) as store:
        for table in ("large", "last"):
            store.execute(f"CREATE TABLE {table} AS SELECT md5(i::VARCHAR) AS text FROM range(20000) t(i)")
            store.checkpoint()
        used = blocks_of(backup(store, tmp_path / "b.duckdb"), "large")
        store.execute("DROP TABLE large")
    assert path.stat().st_size > HEADERS + used[0] * BLOCK, "the file still has the block"
    with path.open("r+b") as file:
        file.seek(HEADERS + used[0] * BLOCK)
        file.write(Random(2).randbytes(BLOCK))
    assert faults(path) == []


def test_a_damaged_store_is_neither_copied_nor_made_compact(sound, damaged, tmp_path):
    path = damaged(blocks_of(sound, "visits", "referrer")[0])
    copy = tmp_path / "copy.duckdb"
    shutil.copyfile(sound, copy)
    before = path.read_bytes()
    with Store(path) as store:
        with pytest.raises(StoreDamaged, match=r"the table visits cannot be read in full \(.*referrer") as caught:
            backup(store, copy)
        assert "qrkit rescue" in caught.value.told("command")
        with pytest.raises(StoreDamaged, match="stays as it was, because it cannot be read"):
            compact(store)
    assert path.read_bytes() == before
    assert copy.read_bytes() == sound.read_bytes()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["copy.duckdb", "damaged.duckdb"]


@pytest.mark.slow
def test_the_command_line_names_the_tables_and_the_remedy(sound, damaged, tmp_path, capsys):
    path = damaged(blocks_of(sound, "visits", "referrer")[0])
    assert main(["verify", str(path)]) == 1
    out, err = capsys.readouterr()
    assert out.startswith(f"{path}: not sound\n  the table visits cannot be read in full (")
    assert f"qrkit rescue {path} NEW" in err
    assert main(["backup", str(path), str(tmp_path / "copy.duckdb")]) == 2
    assert main(["rescue", str(path), str(tmp_path / "new.duckdb"), "--json"]) == 1
    assert '"qrcodes": {"rows": 3, "lost": 0, "without": {}}' in capsys.readouterr().out
    assert main(["rescue", str(path), str(tmp_path / "other.duckdb")]) == 1
    assert "\n  qrcodes: 3 rows\n" in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "new.duckdb")]) == 0


@pytest.mark.parametrize("part", [0.3, 0.9])
def test_a_truncated_file_is_damaged_and_not_in_use(sound, tmp_path, part, capsys):
    path = tmp_path / "short.duckdb"
    path.write_bytes(sound.read_bytes()[: int(sound.stat().st_size * part)])
    assert main(["verify", str(path)]) == 1
    assert main(["backup", str(path), str(tmp_path / "copy.duckdb")]) == 2
    out, err = capsys.readouterr()
    assert "not sound" in out
    assert "in use" not in err
    assert "qrkit rescue" in err


HOLDER_TRIES = "import sys, qrkit; qrkit.open_portfolio(sys.argv[1])"


@pytest.mark.slow
def test_a_backup_leaves_the_file_locked_for_other_processes(tmp_path):
    path = tmp_path / "a.duckdb"
    with open_portfolio(path) as shop:
        backup(shop.store, tmp_path / "b.duckdb")
        verify(shop.store)
        open_portfolio(snapshot_of=path).close()
        command = [sys.executable, "-c", HOLDER_TRIES, str(path)]
        other = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert "StoreBusy" in other.stderr


# ---- rescue


def test_rows_keep_the_columns_that_can_be_read(sound, damaged, tmp_path):
    (block,) = set(blocks_of(sound, "visits", "referrer")) - set(blocks_of(sound, "visits", "time"))
    rescued = rescue(damaged(block), tmp_path / "new.duckdb")
    visits = rescued.tables["visits"]
    assert (visits.rows, visits.lost) == (SCANS, 0)
    assert visits.without["referrer"] == SCANS
    assert not rescued.is_complete
    with Store(tmp_path / "new.duckdb") as store:
        assert store.row("SELECT count(*) AS n, count(referrer) AS r FROM visits") == {"n": SCANS, "r": 0}


def test_qr_codes_that_are_lost_are_made_again_from_their_visits(sound, damaged, tmp_path):
    rescued = rescue(damaged(blocks_of(sound, "qrcodes")[0]), tmp_path / "new.duckdb")
    assert (rescued.tables["qrcodes"].rows, rescued.tables["qrcodes"].lost) == (0, 3)
    with open_portfolio(tmp_path / "new.duckdb") as shop:
        codes = {one.short_code: one for one in shop.list_qrcodes()}
        assert {name: one.content for name, one in codes.items()} == {one: f"https://{one}.example" for one in CODES}
        assert codes["door"].name == "rescued door"
        assert codes["door"].scans == SCANS // 3
        shop.insert_qrcode("https://new.example", short_code="new")
        assert verify(shop.store) == []


@pytest.mark.slow
@pytest.mark.parametrize("table", ["accounts", "campaigns", "short_codes", "user_agents"])
def test_records_that_others_refer_to_are_made_again(sound, damaged, tmp_path, table):
    rescue(damaged(blocks_of(sound, table)[0]), tmp_path / "new.duckdb")
    with open_portfolio(tmp_path / "new.duckdb") as shop:
        assert [one.short_code for one in shop.list_qrcodes()] == CODES
        assert len({one.campaign_id for one in shop.list_qrcodes()} - {None}) == 1
        assert shop.scans.count() == SCANS
        assert verify(shop.store) == []


def test_what_belongs_to_a_lost_account_is_kept(tmp_path):
    path = tmp_path / "damaged.duckdb"
    with open_portfolio(path) as shop:
        hook = shop.webhooks.add("https://example.com/hook")
        shop.store.execute("DELETE FROM accounts")
    rescue(path, tmp_path / "new.duckdb")
    with open_portfolio(tmp_path / "new.duckdb") as shop:
        assert [one.id for one in shop.webhooks.list()] == [hook.id]


def test_visits_that_are_lost_stay_counted(sound, damaged, tmp_path):
    rescued = rescue(damaged(blocks_of(sound, "visits", "time")[0]), tmp_path / "new.duckdb")
    assert rescued.tables["visits"].lost == SCANS
    assert counts(tmp_path / "new.duckdb") == dict.fromkeys(CODES, SCANS // 3)


def test_a_damaged_list_of_tables_is_read_where_it_still_makes_sense(damaged, tmp_path):
    """The contents of a small file use a few kB of their block; damage elsewhere in it costs nothing."""
    path = damaged(0, place=200_000)
    assert faults(path)
    rescued = rescue(path, tmp_path / "new.duckdb")
    assert rescued.is_uncertain
    assert all(table.is_complete for table in rescued.tables.values())
    with pytest.raises(UnreadableFile, match=r"nothing in .*damaged\.duckdb can be read"):
        rescue(damaged(0, place=8, data=Random(3).randbytes(60_000)), tmp_path / "other.duckdb")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["damaged.duckdb", "new.duckdb"]


ENDED_AT_ONCE = """
import os, sys
from datetime import UTC, datetime
from qrkit import open_portfolio
from qrkit.store.recording.recorder import record_visit
from qrkit.tracking.records import Visit

shop = open_portfolio(sys.argv[1])
shop.store.rows("SELECT 1 FROM qrcodes")
for number in range(3):
    assert record_visit(shop.store, Visit(datetime(2026, 5, 1, tzinfo=UTC), "scan", "door", 1), seconds=60)
os._exit(0)
"""


@pytest.mark.slow
def test_visits_in_an_inbox_are_rescued_too(sound, damaged, tmp_path):
    path = damaged(blocks_of(sound, "visits", "city")[0])
    subprocess.run([sys.executable, "-c", ENDED_AT_ONCE, str(path)], check=True, timeout=PATIENCE)
    new = tmp_path / "new.duckdb"
    assert not rescue(path, new).is_complete
    for _ in range(2):
        with open_portfolio(new) as shop:
            assert shop.scans.where(since="2026-05-01").count() == 3
            assert verify(shop.store) == []


def test_rescue_overwrites_nothing_and_reads_stores_only(sound, tmp_path):
    with pytest.raises(InvalidParameter, match=r"new=.*: exists"):
        rescue(sound, sound)
    with pytest.raises(UnreadableFile, match="is not a file"):
        rescue(tmp_path, tmp_path / "new.duckdb")
    duckdb.connect(str(tmp_path / "other.duckdb")).close()
    with pytest.raises(UnreadableFile, match="does not contain a qrkit store"):
        rescue(tmp_path / "other.duckdb", tmp_path / "new.duckdb")


# ---- read-only file systems


@pytest.mark.slow
def test_a_store_that_cannot_be_written_is_verified_and_reported_from_a_copy(sound, tmp_path, monkeypatch, capsys):
    """Root may write what permissions forbid, so that the answer of the operating system stands in for them."""
    monkeypatch.setattr("os.access", lambda path, mode: sound.parent not in (path, path.parent))
    monkeypatch.chdir(tmp_path)
    before = sound.read_bytes()
    assert main(["verify", str(sound)]) == 0
    assert main(["backup", str(sound), "copy.duckdb"]) == 0
    assert main(["export", "codes.csv", "--store", str(sound)]) == 0
    told = capsys.readouterr().err
    assert told.count("cannot be written; this is taken from a copy of it as it is now") == 3
    with pytest.raises(StoreReadOnly, match="allows reading only"):
        open_portfolio(sound)
    assert sound.read_bytes() == before


# ---- logs

WRITING = """
import os, sys
from qrkit import open_portfolio

shop = open_portfolio(sys.argv[1])
shop.store.checkpoint()
for number in range(10):
    shop.insert_campaign(str(number))
os._exit(0)
"""


@pytest.fixture(scope="module")
def left(tmp_path_factory):
    """The bytes of a store and of its log, left by a process that ended after ten transactions."""
    path = tmp_path_factory.mktemp("left") / "a.duckdb"
    subprocess.run([sys.executable, "-c", WRITING, str(path)], check=True, timeout=PATIENCE)
    return path.read_bytes(), path.with_name("a.duckdb.wal").read_bytes()


@pytest.fixture
def opened(left, tmp_path):
    """The names of the campaigns in the store with another log; None if it was refused and left as it was."""
    path = tmp_path / "a.duckdb"

    def open_with(log):
        path.write_bytes(left[0])
        path.with_name("a.duckdb.wal").write_bytes(log)
        try:
            with open_portfolio(path) as shop:
                return [one.name for one in shop.list_campaigns()]
        except StoreDamaged as error:
            assert f"qrkit rescue {path} NEW" in error.told("command")
            assert (path.read_bytes(), path.with_name("a.duckdb.wal").read_bytes()) == (left[0], log)
        return None

    return open_with


NAMES = [str(number) for number in range(10)]


@pytest.mark.parametrize("size", [1, 16, 100, 300])
def test_a_log_with_a_zeroed_end_opens_without_its_last_transactions(left, opened, size):
    log = left[1]
    found = opened(log[:-size] + bytes(size))
    assert found == NAMES[: len(found)]
    assert 7 <= len(found) < 10
    assert opened(log + bytes(4096)) == NAMES


@pytest.mark.parametrize("place", [0, 3, 60, 700])
def test_a_log_with_a_flipped_byte_before_whole_transactions_is_refused(left, opened, place):
    """DuckDB takes some of these for the end of the log: it would lose all that follows, and say nothing."""
    changed = bytearray(left[1])
    changed[place] ^= 1
    assert opened(bytes(changed)) is None


HEADER_BITS = [(place, bit) for bit in (0, 1, 7, 2, 3, 4, 5, 6) for place in range(40)]


@pytest.mark.parametrize("bits", quick_first([HEADER_BITS[::45], HEADER_BITS]))
def test_a_flipped_bit_in_the_header_loses_nothing(left, opened, bits):
    """DuckDB has several errors for it, and ignores a few bits that mean nothing."""
    for place, bit in bits:
        changed = bytearray(left[1])
        changed[place] ^= 1 << bit
        assert opened(bytes(changed)) in (None, NAMES)


def test_a_log_of_another_checkpoint_is_refused(left, opened):
    """DuckDB says then that the log was created for this file, but that its checkpoint does not match."""
    changed = bytearray(left[1])
    changed[VERSION.match(left[1]).end() - 3] ^= 1
    assert opened(bytes(changed)) is None


def test_rescue_takes_the_transactions_before_the_damage(left, opened, tmp_path):
    changed = bytearray(left[1])
    changed[len(changed) * 3 // 4] ^= 1
    assert opened(bytes(changed)) is None
    rescued = rescue(tmp_path / "a.duckdb", tmp_path / "new.duckdb")
    assert rescued.log_bytes > 0
    with open_portfolio(tmp_path / "new.duckdb") as shop:
        found = [one.name for one in shop.list_campaigns()]
    assert found == NAMES[: len(found)]
    assert 5 <= len(found) < 10


@pytest.mark.slow
def test_a_log_is_not_cut_while_another_process_writes_it(left, opened, tmp_path):
    path = tmp_path / "a.duckdb"
    holder = "import sys, qrkit; shop = qrkit.open_portfolio(sys.argv[1]); print('open', flush=True); input()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    opened(left[1])
    with subprocess.Popen([sys.executable, "-c", holder, str(path)], **pipes) as process:
        assert process.stdout.readline() == "open\n"
        log = path.with_name("a.duckdb.wal")
        log.write_bytes(b"half a transaction")
        with pytest.raises(StoreBusy):
            open_portfolio(path)
        assert log.read_bytes() == b"half a transaction"
        with suppress(FileNotFoundError):
            log.unlink()
        process.communicate("\n")
