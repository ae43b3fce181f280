"""Archived visits: in files beside the store, counted like all others, and never lost or there twice."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.analytics import summary
from qrkit.errors import InvalidParameter, StoreBusy, StoreDamaged, StoreReadOnly
from qrkit.store import Store
from qrkit.store.door import Door
from qrkit.store.history.archiving import Archived, archive
from qrkit.store.history.history_files import history_files
from qrkit.store.questions.column_copy import reading_one_state
from qrkit.store.recording.recorder import record_visit
from qrkit.store.served.database import served_store
from qrkit.store.upkeep.maintenance import backup, compact, forget_visits, rescue, verify
from qrkit.store.upkeep.moving import migrate
from qrkit.store.upkeep.snapshot import Snapshot
from qrkit.tracking.records import Visit
from tests.sweeps import quick_first

NOW = datetime(2026, 4, 15, 12, tzinfo=UTC)
FIRST = datetime(2026, 2, 1)
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
EVERY_HOUR = [FIRST + timedelta(hours=hour) for hour in range(73 * 24)]
"""Times of the visits of a shop: on 73 days of February, March and April."""
FINISHED = len(EVERY_HOUR)
PATIENCE = 60


def scans_at(times, visitor=0, short_code="door"):
    return pd.DataFrame({"short_code": short_code, "time": times, "visitor": visitor, "user_agent": PHONE})


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A store with a visit an hour, in the file of which nothing is archived."""
    path = tmp_path_factory.mktemp("prepared") / "shop.duckdb"
    with open_portfolio(path, clock=lambda: NOW) as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
        shop.scans.insert(scans_at(EVERY_HOUR, [hour % 7 for hour in range(len(EVERY_HOUR))]))
    return path


@pytest.fixture
def path(prepared, tmp_path):
    return Path(shutil.copy(prepared, tmp_path / "shop.duckdb"))


@pytest.fixture
def shop(path):
    with open_portfolio(path, clock=lambda: NOW) as shop:
        yield shop


@pytest.fixture
def archived(shop):
    shop.archive()
    return shop


def recent(store):
    return store.rows("SELECT count(*) AS number FROM visits")[0]["number"]


def files_in(folder):
    """The files of a history, without those of `tests/store/test_other_engines.py`."""
    names = (str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
    return sorted(name for name in names if name not in ("codes.parquet", "user_agents.parquet"))


def listed(store):
    return sorted(file.file for file in history_files(store))


def found_in(store):
    return Counter(row["time"] for row in store.rows("SELECT time FROM all_visits"))


def test_finished_days_move_into_a_file_a_month_beside_the_store(shop, path):
    before = shop.scans.to_frame()
    archived = shop.archive(before="2026-04-01")
    folder = path.with_name("shop.history")
    assert archived == Archived(59 * 24, 2, sum(file.stat().st_size for file in folder.glob("*/*.parquet")))
    assert recent(shop.store) == FINISHED - archived.visits
    assert [file.partition("/")[0] for file in listed(shop.store)] == ["2026-02", "2026-03"]
    assert files_in(folder) == [*listed(shop.store), "manifest.json"]
    pd.testing.assert_frame_equal(shop.scans.to_frame(), before)
    assert shop.scans.where(since="2026-02-10", until="2026-02-11").count() == 24
    assert shop.list_qrcodes()[0].scans == FINISHED
    assert verify(shop.store) == []
    assert shop.archive(before="2026-04-01") == Archived(0, 0, 0)


def test_today_stays_in_the_store(shop):
    shop.scans.insert(scans_at([NOW.replace(tzinfo=None)], 99))
    assert shop.archive().visits == FINISHED
    assert recent(shop.store) == 1
    assert shop.archive(before=NOW).visits == 0
    assert shop.scans.count() == FINISHED + 1


def test_other_programs_find_the_files_in_the_manifest(archived, path):
    folder = path.with_name("shop.history")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["store"] == archived.store.database.id
    paths = [str(folder / file["file"]) for file in manifest["files"]]
    with duckdb.connect() as other:
        (found,) = other.execute("SELECT count(*), min(time), max(time) FROM read_parquet(?)", [paths]).fetchall()
    assert found == (sum(file["visits"] for file in manifest["files"]), EVERY_HOUR[0], EVERY_HOUR[-1])


def test_a_late_visit_of_an_archived_day_counts_at_once_and_joins_its_file_the_next_time(archived, path):
    old = listed(archived.store)
    assert archived.scans.insert(scans_at([FIRST + timedelta(minutes=1)], 99)) == 1
    assert (recent(archived.store), archived.scans.count()) == (1, FINISHED + 1)
    assert archived.archive().visits == 1
    assert (recent(archived.store), archived.scans.count()) == (0, FINISHED + 1)
    assert listed(archived.store)[1:] == old[1:]
    assert files_in(path.with_name("shop.history")) == [*listed(archived.store), "manifest.json"]
    assert verify(archived.store) == []


@pytest.mark.slow
def test_large_files_stay_when_later_days_are_archived_and_a_late_visit_replaces_the_file_of_its_day(shop, monkeypatch):
    monkeypatch.setattr("qrkit.store.history.archiving.ENOUGH", 48)
    for day in (3, 5, 6, 8):
        shop.archive(before=datetime(2026, 2, day))
    assert [(file.first.day, file.last.day) for file in history_files(shop.store)] == [(1, 2), (3, 4), (5, 7)]
    first, second, third = (file.file for file in history_files(shop.store))
    visitors = summary(shop.scans)["visitors"][0]
    shop.scans.insert(scans_at([datetime(2026, 2, 3, 0, 0, 1)], [EVERY_HOUR.index(datetime(2026, 2, 3)) % 7]))
    assert summary(shop.scans)["visitors"][0] == visitors
    assert shop.archive(before="2026-02-08").visits == 1
    assert summary(shop.scans)["visitors"][0] == visitors
    assert {first, third} < set(listed(shop.store))
    assert second not in listed(shop.store)
    assert (shop.scans.count(), verify(shop.store)) == (FINISHED + 1, [])


def test_rows_that_are_archived_are_not_inserted_again(archived):
    assert archived.scans.insert(scans_at(EVERY_HOUR[:50], [hour % 7 for hour in range(50)])) == 0


@pytest.mark.parametrize(
    ("before", "rule"),
    [
        ("2026-04-16", "is not over yet: only days before 2026-04-15"),
        (NOW + timedelta(days=2), "is not over yet"),
        ("yesterday", "must be a day"),
        (5, "must be a date, a datetime or None"),
        (pd.NaT, "must be a date, a datetime or None"),
    ],
)
def test_only_finished_days_can_be_archived(shop, before, rule):
    with pytest.raises(InvalidParameter, match=f"before=.*{rule}"):
        shop.archive(before=before)


def test_a_store_without_a_file_of_its_own_is_refused_by_name(shop, tmp_path):
    with open_portfolio(":memory:") as memory, pytest.raises(InvalidParameter, match="is in memory; only the visits"):
        memory.archive()
    with Snapshot(shop.store.path) as snapshot, pytest.raises(StoreReadOnly):
        archive(snapshot)
    with shop.store.atomic(), pytest.raises(StoreBusy, match="end it first"):
        shop.archive()


def test_the_store_and_its_history_can_be_moved_together(prepared, tmp_path):
    old, new = tmp_path / "old", tmp_path / "it's new"
    old.mkdir()
    with open_portfolio(shutil.copy(prepared, old / "shop.duckdb"), clock=lambda: NOW) as shop:
        shop.archive()
    old.rename(new)
    with open_portfolio(new / "shop.duckdb") as shop:
        assert shop.scans.count() == FINISHED
        assert verify(shop.store) == []


def test_without_its_folder_a_store_records_visits_and_questions_name_what_is_missing(path, caplog):
    folder = path.with_name("shop.history")
    with open_portfolio(path, clock=lambda: NOW) as shop:
        shop.archive(before="2026-03-01")
    folder.rename(folder.with_name("gone"))
    moved = path.rename(path.with_name("other.duckdb"))
    with open_portfolio(moved, clock=lambda: NOW) as shop:
        assert "other.history is missing" in caplog.text
        code = shop.list_qrcodes()[0]
        assert record_visit(shop.store, Visit(NOW, "scan", "door", 1, code.content, PHONE), seconds=PATIENCE)
        (fault,) = verify(shop.store)
        assert "other.history is missing, with 672 archived visits; copy the folder" in fault
        with pytest.raises(StoreDamaged, match=r"in the folder .*other\.history, which is missing") as caught:
            shop.scans.count()
        assert "and name it other.history" in caught.value.told("command")
        with pytest.raises(StoreDamaged, match=r"in the folder .*other\.history, which is missing"):
            backup(shop.store, path)
        with pytest.raises(StoreDamaged):
            forget_visits(shop.store, FIRST + timedelta(days=3))
    folder.with_name("gone").rename(folder.with_name("other.history"))
    with open_portfolio(moved) as shop:
        assert shop.scans.count() == FINISHED + 1
        assert verify(shop.store) == []


def test_a_copy_of_a_store_without_its_folder_names_the_folder_of_the_original(archived, path, tmp_path, caplog):
    archived.store.close()
    path.rename(tmp_path / "other.duckdb")
    with open_portfolio(snapshot_of=tmp_path / "other.duckdb") as shop, pytest.raises(StoreDamaged) as caught:
        shop.scans.count()
    missing = f"the folder {tmp_path / 'other.history'}"
    assert str(caught.value) == f"{tmp_path / 'other.duckdb'} has archived visits in {missing}, which is missing"
    assert {record.message for record in caplog.records} == {f"{missing} is missing, which has archived visits"}


def test_a_file_that_is_missing_in_the_folder_is_told_of_without_where_the_store_was(archived, path, tmp_path):
    archived.store.close()
    (tmp_path / "other.history").mkdir()
    with open_portfolio(path.rename(tmp_path / "other.duckdb")) as shop, pytest.raises(StoreDamaged) as caught:
        shop.scans.count()
    assert str(caught.value).endswith(f"a file in {tmp_path / 'other.history'} is missing or damaged")


@pytest.mark.parametrize(
    "damage", quick_first([lambda data: data[:-9], lambda data: data[:500] + b"\0" * 64 + data[564:]])
)
def test_a_damaged_file_is_named_and_rescue_keeps_all_others(archived, path, tmp_path, damage):
    folder = path.with_name("shop.history")
    archived.scans.insert(scans_at([FIRST + timedelta(minutes=1)], 99))
    bad, good, _ = (folder / file for file in listed(archived.store))
    bad.write_bytes(damage(bad.read_bytes()))
    (fault,) = [fault for fault in verify(archived.store) if "archived" in fault]
    assert fault == f"{bad} is damaged, with 672 archived visits"
    with pytest.raises(StoreDamaged):
        backup(archived.store, tmp_path / "copy.duckdb")
    assert not (tmp_path / "copy.duckdb").exists()
    rescued = rescue(path, tmp_path / "new.duckdb")
    assert (rescued.tables["history"].rows, rescued.tables["history"].lost) == (2, 1)
    assert not rescued.is_complete
    with open_portfolio(tmp_path / "new.duckdb") as new:
        assert new.scans.count() == FINISHED + 1 - 672
        assert new.list_qrcodes()[0].scans == FINISHED + 1
        assert verify(new.store) == []
        assert good.exists()


def test_a_backup_has_the_history_and_copies_only_what_is_new(archived, path, tmp_path):
    copy = tmp_path / "backups" / "copy.duckdb"
    copy.parent.mkdir()
    backup(archived.store, copy)
    folder = copy.with_name("copy.history")
    unchanged = {file: (folder / file).stat().st_mtime_ns for file in listed(archived.store)[1:]}
    archived.scans.insert(scans_at([FIRST + timedelta(minutes=1)], 99))
    archived.archive()
    backup(archived.store, copy)
    assert {file: (folder / file).stat().st_mtime_ns for file in unchanged} == unchanged
    assert files_in(folder) == [*listed(archived.store), "manifest.json"]
    archived.close()
    shutil.rmtree(path.with_name("shop.history"))
    with open_portfolio(copy) as shop:
        assert shop.scans.count() == FINISHED + 1
        assert verify(shop.store) == []


@pytest.mark.slow
def test_a_snapshot_keeps_the_files_that_the_store_has_replaced(archived):
    with Snapshot(archived.store.path) as snapshot:
        archived.scans.insert(scans_at([FIRST + timedelta(minutes=1)], 99))
        archived.archive()
        forget_visits(archived.store, datetime(2026, 3, 5))
        assert sum(found_in(snapshot).values()) == FINISHED
        assert verify(snapshot) == []


@pytest.mark.slow
def test_a_reader_keeps_its_state_and_then_the_files_it_read_are_deleted(archived, path):
    old = listed(archived.store)
    with reading_one_state(archived.store):
        with Door(archived.store), served_store(path) as other:
            assert forget_visits(other, datetime(2026, 3, 1)) == 28 * 24
        assert archived.scans.count() == FINISHED
    assert archived.scans.count() == FINISHED - 28 * 24
    assert files_in(path.with_name("shop.history")) == [*old, "manifest.json"]
    archived.archive()
    assert files_in(path.with_name("shop.history")) == [*old[1:], "manifest.json"]


def test_another_process_archives_through_the_one_that_serves(shop, path):
    with Door(shop.store), served_store(path) as other:
        assert archive(other, clock=lambda: NOW).visits == FINISHED
    assert verify(shop.store) == []
    assert recent(shop.store) == 0


def test_a_sweep_takes_visits_out_of_their_files(archived, path):
    archived.keep_visits(days=20)
    gone = sum(time < datetime(2026, 3, 26) for time in EVERY_HOUR)
    assert archived.sweep() == gone
    assert archived.scans.count() == FINISHED - gone
    assert archived.list_qrcodes()[0].scans == FINISHED
    assert archived.privacy_report().kept.swept == gone
    assert files_in(path.with_name("shop.history")) == [*listed(archived.store), "manifest.json"]
    assert verify(archived.store) == []


def test_an_error_in_a_transaction_brings_back_the_files_that_it_changed(archived, path):
    old = listed(archived.store)
    with pytest.raises(ZeroDivisionError), archived.store.atomic():
        forget_visits(archived.store, datetime(2026, 3, 5))
        raise ZeroDivisionError
    assert archived.scans.count() == FINISHED
    archived.archive()
    assert files_in(path.with_name("shop.history")) == [*old, "manifest.json"]


@pytest.mark.slow
def test_a_store_with_a_history_is_compacted_and_migrated_whole(archived, tmp_path):
    compact(archived.store)
    assert archived.scans.count() == FINISHED
    with Store(tmp_path / "new.duckdb") as new:
        assert migrate(archived.store, new).rows["visits"] == FINISHED
        assert found_in(new) == found_in(archived.store)
        assert archive(new, date(2026, 4, 1)).visits == 59 * 24
        assert verify(new) == []


def test_files_that_were_swapped_answer_no_question(archived, path):
    one, other, _ = (path.with_name("shop.history") / file for file in listed(archived.store))
    archived.close()
    kept = one.read_bytes(), other.read_bytes()
    one.write_bytes(kept[1])
    other.write_bytes(kept[0])
    with open_portfolio(path, clock=lambda: NOW) as shop:
        for _ in range(2):
            with pytest.raises(StoreDamaged, match="is not the file that was archived under this name"):
                shop.scans.count()
    one.write_bytes(kept[0])
    other.write_bytes(kept[1])
    with open_portfolio(path) as shop:
        assert shop.scans.count() == FINISHED


def test_a_file_of_another_size_answers_no_question(archived, path):
    file = path.with_name("shop.history") / listed(archived.store)[0]
    archived.close()
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS FROM '{file}'")
        connection.execute("UPDATE t SET city = 'Paris'")
        connection.execute(f"COPY t TO '{file}' (FORMAT parquet)")
    with open_portfolio(path) as shop, pytest.raises(StoreDamaged, match="is not the file that was archived"):
        shop.scans.count()


# ---- names of files that others wrote

OUTSIDE = ["../victim", "../../victim", "/etc/passwd", "", "2026-02/../../victim", "2026-02/name.parquet"]


@pytest.fixture
def victims(tmp_path):
    """Files outside the folder of the history, and beside its files, that nobody may delete."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    found = [folder / "victim" for folder in (tmp_path, tmp_path / "a", tmp_path / "a" / "b")]
    for file in found:
        file.write_bytes(b"keep")
    return found


def test_superseded_names_of_another_form_delete_nothing(prepared, victims, tmp_path, caplog):
    path = Path(shutil.copy(prepared, tmp_path / "a" / "b" / "shop.duckdb"))
    with open_portfolio(path, clock=lambda: NOW) as shop:
        shop.archive()
        for name in OUTSIDE:
            shop.store.execute("INSERT INTO superseded VALUES (?)", [name])
    with open_portfolio(path, clock=lambda: NOW) as shop:
        faults = verify(shop.store)
        assert shop.scans.count() == FINISHED
    rule = "is not the name of an archived file (such as 2026-03/0123456789abcdef.parquet)"
    assert faults == [f"the list of superseded files is damaged: row {name!r} {rule}" for name in OUTSIDE]
    assert all(file.read_bytes() == b"keep" for file in victims)
    assert (path.with_name("shop.history") / "manifest.json").is_file()


def test_notes_and_linked_folders_delete_nothing_outside(archived, path, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    folder, name = path.with_name("shop.history"), f"{1:016x}.parquet"
    (outside / name).write_bytes(b"keep")
    (folder / "2025-01").symlink_to(outside)
    (outside / f".{name}.unlisted").touch()
    (folder / "2026-02" / ".other.unlisted").touch()
    (folder / "2026-02" / "other").write_bytes(b"keep")
    archived.store.execute("INSERT INTO superseded VALUES (?)", [f"2025-01/{name}"])
    archived.close()
    open_portfolio(path).close()
    assert sorted(file.name for file in outside.iterdir()) == [f".{name}.unlisted", name]
    assert (folder / "2026-02" / "other").read_bytes() == b"keep"


@pytest.mark.parametrize("told", ["{names}", "[]", "not JSON", '{"files": 7}', '{"files": [1]}', "\udcff"])
def test_a_foreign_manifest_deletes_nothing(archived, victims, tmp_path, told):
    copy = tmp_path / "a" / "b" / "copy.duckdb"
    folder = copy.with_name("copy.history")
    folder.mkdir()
    names = json.dumps({"store": "other", "files": [{"file": name} for name in OUTSIDE]})
    (folder / "manifest.json").write_bytes(told.replace("{names}", names).encode(errors="surrogateescape"))
    backup(archived.store, copy)
    assert all(file.read_bytes() == b"keep" for file in victims)
    assert json.loads((folder / "manifest.json").read_text())["store"] == archived.store.database.id


def test_a_manifest_that_is_a_link_is_replaced_itself(archived, victims, tmp_path):
    folder = tmp_path / "copy.history"
    folder.mkdir()
    (folder / "manifest.json").symlink_to(victims[0])
    backup(archived.store, tmp_path / "copy.duckdb")
    assert victims[0].read_bytes() == b"keep"
    assert not (folder / "manifest.json").is_symlink()


@pytest.mark.parametrize("name", quick_first(OUTSIDE))
def test_a_damaged_list_of_files_names_the_row(archived, path, tmp_path, name):
    archived.store.execute("UPDATE history SET file = ? WHERE file LIKE '2026-03%'", [name])
    archived.close()
    moved = path.rename(tmp_path / "other.duckdb")
    path.with_name("shop.history").rename(tmp_path / "other.history")
    with open_portfolio(moved, clock=lambda: NOW) as shop:
        assert [one.short_code for one in shop.list_qrcodes()] == ["door"]
        told = f"the list of archived files is damaged: row {name!r} is not the name of an archived file"
        assert [fault for fault in verify(shop.store) if fault.startswith(told)]
        for act in (lambda: shop.archive(), lambda: backup(shop.store, tmp_path / "copy.duckdb")):
            with pytest.raises(StoreDamaged, match="the list of archived files is damaged: row"):
                act()
    rescued = rescue(moved, tmp_path / "new.duckdb")
    assert (rescued.tables["history"].rows, rescued.tables["history"].lost) == (2, 1)
