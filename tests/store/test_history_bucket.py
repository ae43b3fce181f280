"""Archived visits in a bucket: as in a folder, whole or not at all, and with keys that nobody reads in a log."""

from __future__ import annotations

import re
import shutil
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.errors import CannotWrite, InvalidParameter, StoreBusy, StoreDamaged
from qrkit.store import Store
from qrkit.store.history.archiving import archive
from qrkit.store.history.history_files import history_files, tidy
from qrkit.store.recording.recorder import record_visit
from qrkit.store.recording.visit_rows import insert_visits
from qrkit.store.upkeep.maintenance import backup, forget_visits, rescue, verify
from qrkit.store.upkeep.moving import migrate
from qrkit.store.upkeep.snapshot import Snapshot
from qrkit.tracking.records import Visit
from tests.store.conftest import SECRET

s3fs = pytest.importorskip("s3fs")
pytestmark = pytest.mark.slow  # a folder has the same rules: test_history.py

NOW = datetime(2026, 4, 15, 12, tzinfo=UTC)
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
TIMES = [datetime(2026, 2, 1) + timedelta(hours=6 * number) for number in range(73 * 4)]
PATIENCE = 60


@pytest.fixture
def bucket(objects):
    return "s3://shops/door"


def scans_at(times, visitor=0):
    return pd.DataFrame({"short_code": "door", "time": times, "visitor": visitor, "user_agent": PHONE})


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A store with four visits a day, in the file of which nothing is archived."""
    path = tmp_path_factory.mktemp("prepared") / "shop.duckdb"
    with open_portfolio(path, clock=lambda: NOW) as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
        shop.scans.insert(scans_at(TIMES, [number % 7 for number in range(len(TIMES))]))
    return path


@pytest.fixture
def shop(prepared, tmp_path):
    with open_portfolio(shutil.copy(prepared, tmp_path / "shop.duckdb"), clock=lambda: NOW) as shop:
        yield shop


@pytest.fixture
def archived(shop, bucket):
    shop.archive(to=bucket)
    return shop


def listed(store):
    return sorted(file.file for file in history_files(store))


def names_in(objects):
    """Return the names of the files of visits and of the manifest."""
    names = sorted(name.removeprefix("shops/door/") for name in objects.find("shops"))
    return [name for name in names if name not in ("codes.parquet", "user_agents.parquet")]


def test_visits_move_into_a_bucket_and_a_new_process_finds_them_there(shop, bucket, objects, tmp_path):
    before = shop.scans.to_frame()
    assert shop.archive(to=bucket).visits == len(TIMES)
    assert names_in(objects) == [*listed(shop.store), "manifest.json"]
    pd.testing.assert_frame_equal(shop.scans.to_frame(), before)
    assert verify(shop.store) == []
    shop.close()
    with open_portfolio(tmp_path / "shop.duckdb", clock=lambda: NOW) as again:
        assert again.scans.where(since="2026-02-10", until="2026-02-11").count() == 4
        again.scans.insert(scans_at([TIMES[0] + timedelta(minutes=1)], 99))
        assert again.archive().visits == 1
        assert names_in(objects) == [*listed(again.store), "manifest.json"]
    with Snapshot(tmp_path / "shop.duckdb") as snapshot:
        assert verify(snapshot) == []


@pytest.mark.slow
def test_a_sweep_rewrites_the_files_in_the_bucket(archived, objects):
    gone = sum(time < datetime(2026, 3, 5) for time in TIMES)
    assert forget_visits(archived.store, datetime(2026, 3, 5)) == gone
    assert archived.scans.count() == len(TIMES) - gone
    assert names_in(objects) == [*listed(archived.store), "manifest.json"]
    assert verify(archived.store) == []


def test_a_store_reads_and_writes_nothing_but_its_prefix(archived, objects):
    objects.pipe_file("shops/other/secret.parquet", b"PAR1")
    for sql in (
        "SELECT * FROM read_parquet('s3://shops/other/secret.parquet')",
        "SELECT * FROM read_text('s3://shops/doors')",
        "COPY (SELECT 1) TO 's3://shops/other/new.parquet'",
        "SELECT * FROM read_text('/etc/hostname')",
        "SET allowed_directories = ['s3://shops/other/']",
    ):
        with pytest.raises(Exception) as refused:
            archived.store.rows(sql)
        reasons = f"{refused.value}; {refused.value.__cause__}"
        assert re.search(r"disabled by configuration|locked|cannot be changed", reasons)
    assert objects.find("shops/other") == ["shops/other/secret.parquet"]


@pytest.mark.slow
def test_a_write_that_fails_leaves_nothing(archived, objects):
    """As where a row cannot be written, in the middle of a file."""
    from qrkit.store.history.history_files import write_file

    before = names_in(objects)
    failing = "SELECT * REPLACE (CASE WHEN language IS NULL THEN error('a row that fails') END AS language) FROM visits"
    archived.scans.insert(scans_at([TIMES[0]], 99))
    with pytest.raises(Exception, match="a row that fails"), archived.store.adding():
        write_file(archived.store, failing)
    with pytest.raises(ZeroDivisionError), archived.store.atomic():
        forget_visits(archived.store, datetime(2026, 3, 5))
        raise ZeroDivisionError
    assert archived.archive().visits == 1
    assert [name.partition("/")[0] for name in names_in(objects)] == [name.partition("/")[0] for name in before]
    assert verify(archived.store) == []


def test_a_backup_has_the_files_in_the_folder_beside_it_and_needs_no_bucket(archived, objects, tmp_path):
    copy = backup(archived.store, tmp_path / "copy.duckdb")
    archived.close()
    objects.rm("shops", recursive=True)
    with open_portfolio(copy) as restored:
        assert restored.scans.count() == len(TIMES)
        assert verify(restored.store) == []


@pytest.mark.slow
def test_a_rescued_store_has_the_sound_files_in_the_folder_beside_it(archived, objects, tmp_path):
    objects.rm_file(f"shops/door/{listed(archived.store)[0]}")
    rescued = rescue(archived.store.path, tmp_path / "new.duckdb")
    assert (rescued.tables["history"].rows, rescued.tables["history"].lost) == (2, 1)
    with open_portfolio(tmp_path / "new.duckdb") as new:
        assert new.store.database.history.address == str(tmp_path / "new.history")
        assert new.scans.count() == len(TIMES) - 112
        assert verify(new.store) == []


def test_a_bucket_that_does_not_exist_is_named_and_another_can_be_chosen(shop, bucket):
    with pytest.raises(CannotWrite, match="s3://nowhere/shop is in a bucket that does not exist"):
        shop.archive(to="s3://nowhere/shop")
    assert shop.archive(to=bucket).visits == len(TIMES)


@pytest.mark.slow
def test_damaged_and_missing_files_are_named(archived, objects):
    bad, missing, _ = listed(archived.store)
    objects.pipe_file(f"shops/door/{bad}", objects.cat_file(f"shops/door/{bad}")[:-9])
    objects.rm_file(f"shops/door/{missing}")
    faults = [fault for fault in verify(archived.store) if "archived" in fault]
    assert faults == [
        f"s3://shops/door/{bad} is damaged, with 112 archived visits",
        f"s3://shops/door/{missing} is missing, with 124 archived visits",
    ]
    with pytest.raises(StoreDamaged, match="because a file in s3://shops/door is missing or damaged"):
        archived.scans.count()


@pytest.mark.slow  # s3fs tries again for seconds
def test_a_store_of_a_bucket_that_does_not_answer_records_visits_and_says_so(archived, monkeypatch, tmp_path, caplog):
    archived.close()
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    s3fs.S3FileSystem.clear_instance_cache()
    with open_portfolio(tmp_path / "shop.duckdb", clock=lambda: NOW) as shop:
        code = shop.list_qrcodes()[0]
        assert record_visit(shop.store, Visit(NOW, "scan", "door", 1, code.content, PHONE), seconds=PATIENCE)
        with pytest.raises(StoreBusy, match=r"history at s3://shops/door, which does not answer: ") as caught:
            shop.scans.count()
        yesterday = NOW - timedelta(days=1)
        insert_visits(shop.store, [Visit(yesterday, "scan", "door", 1, code.content, PHONE)])
        with pytest.raises((CannotWrite, StoreBusy)) as refused:
            shop.archive()
    assert not [text for text in (caplog.text, str(caught.value), str(refused.value)) if SECRET in text]


@pytest.mark.parametrize(
    "address", ["s3://", "s3://shops", "s3://shops/", "s3://key:secret@shops/door", "s3://shops/door?x=1", "gs://a/b"]
)
def test_an_address_is_a_bucket_and_a_prefix(shop, address):
    with pytest.raises(InvalidParameter, match="must be a bucket and a prefix, such as s3://bucket/shop") as caught:
        shop.archive(to=address)
    assert "secret" not in str(caught.value)


def test_two_stores_do_not_share_a_prefix(archived, bucket, tmp_path):
    with open_portfolio(tmp_path / "other.duckdb", clock=lambda: NOW) as other:
        other.insert_qrcode("https://example.com", short_code="door")
        other.scans.insert(scans_at(TIMES))
        with pytest.raises(InvalidParameter, match="has the history of another store"):
            other.archive(to=bucket)


def test_keys_of_another_form_are_not_deleted(archived, objects):
    objects.pipe_file("shops/door/other", b"keep")
    objects.pipe_file("shops/door/2026-02/.other.unlisted", b"")
    archived.store.execute("INSERT INTO superseded VALUES ('other')")
    archived.store.execute("INSERT INTO superseded VALUES ('../../shops/door/other')")
    tidy(archived.store)
    assert {"other", "2026-02/.other.unlisted"} <= set(names_in(objects))
    assert [fault.split(" is ")[0] for fault in verify(archived.store)] == ["the list of superseded files"] * 2


def test_a_prefix_with_a_damaged_manifest_is_refused(shop, bucket, objects):
    objects.pipe_file("shops/door/manifest.json", b"{")
    with pytest.raises(InvalidParameter, match="has the history of another store"):
        shop.archive(to=bucket)


def test_a_store_with_files_in_its_folder_keeps_them_there(shop, bucket):
    shop.archive()
    with pytest.raises(
        InvalidParameter, match=r"is not the place of the archive of this store, which is .*shop\.history"
    ):
        shop.archive(to=bucket)


@pytest.mark.slow
@pytest.mark.needs("postgres")
def test_processes_on_a_server_read_the_same_bucket(server, empty_store, shop, bucket, tmp_path):
    url = server.new_database(empty_store)
    with Store(url) as new:
        migrate(shop.store, new)
    with open_portfolio(url, clock=lambda: NOW) as here, open_portfolio(f"{url}&application_name=b") as there:
        assert here.archive(to=bucket).visits == len(TIMES)
        assert here.scans.count() == there.scans.count() == len(TIMES)
        assert forget_visits(there.store, datetime(2026, 3, 5)) == sum(time < datetime(2026, 3, 5) for time in TIMES)
        assert verify(here.store) == []
        with Store(tmp_path / "back.duckdb") as file:
            assert migrate(there.store, file).rows["visits"] == here.scans.count()
            assert archive(file, clock=lambda: NOW).visits == here.scans.count()
