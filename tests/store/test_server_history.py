"""Archived visits of a store on a server: in files that all processes read, never lost and never there twice.

Two engines of this process are as two processes to the server: they share no connection and no memory.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from threading import Event

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, StoreBusy, StoreDamaged
from qrkit.store import Store
from qrkit.store.history.archiving import Archived, archive
from qrkit.store.history.history_files import history_files, rewriting
from qrkit.store.questions.column_copy import columns, reading_one_state
from qrkit.store.recording.visit_rows import insert_visits
from qrkit.store.upkeep.daily_upkeep import upkeep, upkeep_counts
from qrkit.store.upkeep.maintenance import forget_visits, verify
from qrkit.store.upkeep.moving import migrate
from qrkit.tracking.records import Visit
from tests import servers

pytestmark = [pytest.mark.slow, pytest.mark.needs("postgres")]

NOW = datetime(2026, 4, 15, 12, tzinfo=UTC)
FIRST = datetime(2026, 2, 1)
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
TIMES = [FIRST + timedelta(hours=6 * number) for number in range(73 * 4)]
"""Times of the visits of a shop: four on each day of February, March and the first half of April."""
PATIENCE = 60
OLD = 59 * 4
"""Number of the visits before April."""


def scans_at(times, visitor=0, **more):
    return pd.DataFrame({"short_code": "door", "time": times, "visitor": visitor, "user_agent": PHONE} | more)


@pytest.fixture(scope="module")
def prepared(server, empty_store):
    """Name of a database with four visits a day, none of which is archived."""
    url = server.new_database(empty_store, is_kept=True)
    with open_portfolio(url, clock=lambda: NOW) as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
        shop.scans.insert(scans_at(TIMES, [number % 7 for number in range(len(TIMES))]))
    return servers.name_of(url)


@pytest.fixture
def url(server, prepared):
    return server.new_database(prepared)


@pytest.fixture
def shop(url):
    with open_portfolio(url, clock=lambda: NOW) as shop:
        yield shop


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "it's history"


@pytest.fixture
def archived(shop, folder):
    shop.archive(to=folder)
    return shop


@pytest.fixture
def there(url, archived):
    """The same store in what the server takes for another process."""
    with open_portfolio(f"{url}&application_name=another", clock=lambda: NOW) as there:
        yield there


def keep_up(store):
    """Sweep and archive a store once."""
    times, is_over = iter(range(2)), Event()

    def clock():
        if next(times, None) is None:
            is_over.set()
        return NOW

    with upkeep(store, archive_after_days=0, clock=clock, seconds=0.001):
        assert is_over.wait(PATIENCE)


def recent(shop):
    return shop.store.rows("SELECT count(*) AS number FROM visits")[0]["number"]


def found_in(shop):
    return Counter(row["time"] for row in columns(shop.store).rows("SELECT time FROM all_visits"))


def names_in(folder):
    return sorted(str(file.relative_to(folder)) for file in folder.glob("*/*.parquet"))


def listed(shop):
    return sorted(file.file for file in history_files(shop.store))


def test_finished_days_move_into_files_that_every_process_reads(shop, url, folder):
    before = shop.scans.to_frame()
    with open_portfolio(f"{url}&application_name=another") as there:
        assert there.scans.count() == len(TIMES)
        assert shop.archive(before="2026-04-01", to=folder).visits == OLD
        assert recent(shop) == len(TIMES) - OLD
        assert [file.partition("/")[0] for file in listed(shop)] == ["2026-02", "2026-03"]
        assert names_in(folder) == listed(shop)
        assert json.loads((folder / "manifest.json").read_text())["store"] == shop.store.database.id
        for process in (shop, there):
            pd.testing.assert_frame_equal(process.scans.to_frame(), before)
            assert process.list_qrcodes()[0].scans == len(TIMES)
            assert process.scans.where(since="2026-02-10", until="2026-02-11").count() == 4
            assert process.sql("SELECT scans FROM qrcodes")["scans"].tolist() == [len(TIMES)]
            assert verify(process.store) == []
    assert shop.archive(before="2026-04-01") == Archived(0, 0, 0)


def test_a_fresh_process_copies_only_the_visits_that_are_not_archived(there):
    insert_visits(there.store, [Visit(NOW, "scan", "door", 1, user_agent=PHONE)])
    assert there.scans.count() == len(TIMES) + 1
    assert columns(there.store).rows("SELECT count(*) AS number FROM visits") == [{"number": 1}]


def test_a_late_visit_of_another_process_counts_at_once_and_joins_its_file_the_next_time(archived, there, folder):
    old = listed(archived)
    assert there.scans.insert(scans_at([FIRST + timedelta(minutes=1)], 99)) == 1
    assert (recent(archived), archived.scans.count(), there.scans.count()) == (1, len(TIMES) + 1, len(TIMES) + 1)
    assert there.archive().visits == 1
    assert (recent(archived), archived.scans.count(), there.scans.count()) == (0, len(TIMES) + 1, len(TIMES) + 1)
    assert listed(archived)[1:] == old[1:]
    assert verify(archived.store) == []
    assert set(names_in(folder)) == {*old, *listed(archived)}, "others may still read the file that was replaced"


def test_rows_that_are_archived_are_not_inserted_again(archived):
    visitors = [number % 7 for number in range(50)]
    assert archived.scans.insert(scans_at(TIMES[:50], visitors)) == 0
    assert archived.scans.insert(scans_at(TIMES[:50], visitors, content="https://example.com")) == 0
    assert archived.scans.insert(scans_at(TIMES[:50], visitors, content="https://other.example")) == 50
    assert verify(archived.store) == []


def test_questions_in_a_transaction_count_archived_visits(archived):
    with archived.store.atomic():
        insert_visits(archived.store, [Visit(NOW, "scan", "door", 1, user_agent=PHONE)])
        assert archived.scans.count() == len(TIMES) + 1


def test_a_report_keeps_its_state_while_another_process_archives(shop, url, folder):
    with open_portfolio(f"{url}&application_name=another", clock=lambda: NOW) as there:
        with reading_one_state(there.store):
            assert there.scans.count() == len(TIMES)
            shop.archive(to=folder)
            forget_visits(shop.store, datetime(2026, 3, 5))
            assert there.scans.count() == len(TIMES)
        assert there.scans.count() == sum(time >= datetime(2026, 3, 5) for time in TIMES)


def test_a_sweep_takes_visits_out_of_their_files(archived, there):
    rare = "Rare/1.0 (of one person)"
    archived.scans.insert(scans_at([FIRST], 99, user_agent=rare, kind="scan"))
    archived.archive()
    archived.keep_visits(days=20)
    gone = sum(time < datetime(2026, 3, 26) for time in TIMES) + 1
    assert there.sweep() == gone
    for process in (archived, there):
        assert process.scans.count() == len(TIMES) + 1 - gone
        assert process.list_qrcodes()[0].scans == len(TIMES) + 1
        assert process.privacy_report().kept.swept == gone
        assert verify(process.store) == []
    assert [row["text"] for row in archived.store.rows("SELECT text FROM user_agents")] == [PHONE]
    assert recent(archived) == 0
    assert archived.sweep() == 0


def test_an_error_in_a_transaction_brings_back_the_files_that_it_changed(archived):
    old = listed(archived)
    with pytest.raises(ZeroDivisionError), archived.store.atomic():
        forget_visits(archived.store, datetime(2026, 3, 5))
        raise ZeroDivisionError
    assert archived.scans.count() == len(TIMES)
    assert verify(archived.store) == []
    archived.archive()
    assert listed(archived) == old


def test_files_of_a_failed_transaction_are_deleted_and_those_that_others_may_read_are_not(archived, folder):
    old = listed(archived)
    with pytest.raises(ZeroDivisionError), archived.store.atomic():
        forget_visits(archived.store, datetime(2026, 3, 5))
        raise ZeroDivisionError
    assert len(names_in(folder)) == len(old) + 1
    archived.archive()
    assert names_in(folder) == old


def test_one_process_at_a_time_changes_the_history(archived, there):
    archived.scans.insert(scans_at([FIRST + timedelta(minutes=1)], 99))
    with rewriting(archived.store):
        for change in (there.archive, lambda: forget_visits(there.store, datetime(2026, 3, 5))):
            with pytest.raises(StoreBusy, match="another process archives"):
                change()
        there.insert_qrcode("https://new.example", short_code="new")
        insert_visits(there.store, [Visit(NOW, "scan", "new", 2, user_agent=PHONE)])
    assert there.archive().visits == 1


def test_of_several_servers_one_archives_and_the_others_neither_wait_nor_complain(archived, there, caplog):
    archived.scans.insert(scans_at([FIRST + timedelta(minutes=1)], 99))
    with rewriting(archived.store):
        keep_up(there.store)
    assert upkeep_counts(there.store).failed == 0
    keep_up(there.store)
    assert upkeep_counts(there.store).archived == 1
    assert not [record for record in caplog.records if record.levelname == "WARNING"]


def test_where_the_files_are_is_said_once(shop, folder, tmp_path):
    with pytest.raises(InvalidParameter, match="to: is required the first time"):
        shop.archive()
    shop.archive(to=folder)
    with pytest.raises(
        InvalidParameter, match=r"is not the place of the archive of this store, which is .*it's history"
    ):
        shop.archive(to=tmp_path / "elsewhere")
    assert shop.archive(to=folder) == Archived(0, 0, 0)


def test_a_missing_file_is_named_by_verify_and_by_questions(archived, there, folder):
    (folder / listed(archived)[0]).unlink()
    (fault,) = [fault for fault in verify(there.store) if "archived" in fault]
    assert fault.endswith("is missing, with 112 archived visits")
    with pytest.raises(
        StoreDamaged, match=r"^postgresql://\S+ cannot be read, because a file in .*it's history is missing"
    ):
        there.scans.count()


def test_a_database_with_a_history_moves_into_a_file_and_back(archived, server, empty_store, tmp_path):
    archived.scans.insert(scans_at([NOW.replace(tzinfo=None)], 99))
    with Store(tmp_path / "new.duckdb") as file:
        assert migrate(archived.store, file).rows["visits"] == len(TIMES) + 1
        assert Counter(row["time"] for row in file.rows("SELECT time FROM all_visits")) == found_in(archived)
        assert archive(file, clock=lambda: NOW).visits == len(TIMES)
        with Store(server.new_database(empty_store)) as back:
            assert migrate(file, back).rows["visits"] == len(TIMES) + 1
            assert verify(back) == []
