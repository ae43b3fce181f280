"""What a server does for its store by itself: it sweeps, and it archives finished days."""

import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Event

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, StoreBusy
from qrkit.server import Client, Settings, make_app
from qrkit.store.history.archiving import archive
from qrkit.store.upkeep.daily_upkeep import upkeep, upkeep_counts
from qrkit.store.upkeep.maintenance import verify

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
PATIENCE = 60
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
TOKEN = "0123456789abcdef-token"


@pytest.fixture
def shop(tmp_path):
    with open_portfolio(tmp_path / "a.duckdb", base_url="https://go.example", clock=lambda: NOON) as portfolio:
        portfolio.insert_qrcode("https://door.example", name="Door", short_code="door")
        yield portfolio


def frame(*days):
    return pd.DataFrame({"short_code": "door", "time": [NOON - timedelta(days=n) for n in days]})


def recent(shop):
    """How many visits are not in files."""
    return shop.store.rows("SELECT count(*) AS number FROM visits")[0]["number"]


class Clock:
    """A clock of upkeep that tells when its `rounds` are over: it goes on by `days` whenever it is asked."""

    def __init__(self, rounds, days=1):
        self._rounds, self._days, self._asked, self.over = rounds, days, 0, Event()

    def __call__(self):
        self._asked += 1
        if self._asked > self._rounds:
            self.over.set()
        return NOON + self._days * timedelta(days=self._asked - 1)


def keep_up(store, **settings):
    """Sweep and archive a store once, at noon."""
    clock = Clock(rounds=2, days=0)
    with upkeep(store, clock=clock, seconds=0.001, **settings):
        assert clock.over.wait(PATIENCE)


def test_a_store_is_swept_at_once_and_again_as_time_goes_on(shop):
    shop.scans.insert(frame(0, 3, 40))
    days, passed, counted, asked = iter(range(100)), [], Event(), Event()

    def clock():
        assert not passed or counted.wait(60)
        passed.append(next(days))
        if len(passed) > 5:
            asked.set()
        return NOON + timedelta(days=passed[-1])

    shop.keep_visits(days=4)
    with upkeep(shop.store, clock=clock, seconds=0.001):
        assert shop.scans.count() == 2
        counted.set()
        assert asked.wait(60)
    assert shop.scans.count() == 0  # five days later
    assert shop.get_qrcode(shop.list_qrcodes()[0].id).scans == 3


def test_a_sweep_that_fails_is_tried_again(shop, caplog):
    shop.scans.insert(frame(40))
    shop.keep_visits(days=30)
    answers, done = iter([StoreBusy("a disk that is full"), StoreBusy("still")]), Event()

    def clock():
        for error in answers:
            raise error
        done.set()
        return NOON

    with upkeep(shop.store, clock=clock, seconds=0.001):
        assert done.wait(60)
    assert shop.scans.count() == 0
    assert "a disk that is full" in caplog.text


def test_finished_days_are_archived_once_they_are_old_enough(shop, caplog):
    shop.scans.insert(frame(0, 1, 2, 3, 40))
    caplog.set_level(logging.INFO, "qrkit")
    keep_up(shop.store, archive_after_days=2)
    assert recent(shop) == 3
    assert (shop.scans.count(), verify(shop.store)) == (5, [])
    assert upkeep_counts(shop.store).archived == 2
    assert "2 visits were archived; files written: 2" in caplog.text


def test_each_new_day_is_archived_by_itself(shop):
    shop.scans.insert(frame(0, 1, 2, 3))
    clock = Clock(rounds=12)
    with upkeep(shop.store, archive_after_days=0, clock=clock, seconds=0.001):
        assert clock.over.wait(PATIENCE)
    assert (recent(shop), shop.scans.count(), verify(shop.store)) == (0, 4, [])


def test_late_visits_of_a_day_wait_for_the_next_day_so_that_a_month_is_not_written_every_hour(shop):
    shop.scans.insert(frame(1))
    asked, inserted, again = [], Event(), Event()

    def clock():
        asked.append(None)
        if len(asked) == 4:  # a sweep and an archive, which came first, and the next sweep
            shop.scans.insert(frame(1.25))
            inserted.set()
        if len(asked) > 8:
            again.set()
        return NOON

    with upkeep(shop.store, archive_after_days=0, clock=clock, seconds=0.001):
        assert inserted.wait(PATIENCE)
        assert again.wait(PATIENCE)
    assert (recent(shop), shop.scans.count()) == (1, 2)


def test_nothing_is_archived_without_the_setting(shop):
    shop.scans.insert(frame(40))
    clock = Clock(rounds=4)
    with upkeep(shop.store, clock=clock, seconds=0.001):
        assert clock.over.wait(PATIENCE)
    assert recent(shop) == 1


def test_a_server_that_stops_while_it_archives_leaves_later_months_for_the_next_time(shop):
    shop.scans.insert(frame(1, 40, 70))
    stopping = iter([False, True])
    assert archive(shop.store, clock=lambda: NOON, is_ended=lambda: next(stopping)).visits == 1
    assert (recent(shop), shop.scans.count(), verify(shop.store)) == (2, 3, [])
    assert archive(shop.store, clock=lambda: NOON).visits == 2


def test_an_archive_that_fails_is_tried_again(shop, tmp_path, caplog):
    shop.scans.insert(frame(40))
    folder = tmp_path / "a.history"
    folder.write_text("a file where the folder should be")
    counts, done = upkeep_counts(shop.store), Event()

    def clock():
        if counts.failed and folder.is_file():
            folder.unlink()
        if counts.archived:
            done.set()
        return NOON

    with upkeep(shop.store, archive_after_days=0, clock=clock, seconds=0.001):
        assert done.wait(PATIENCE)
    assert (recent(shop), shop.scans.count()) == (0, 1)
    assert "visits could not be archived yet" in caplog.text


def test_redirects_are_answered_and_records_change_while_visits_are_archived(shop):
    """As in an archive of many visits: its transaction holds the right to add visits to the store."""
    client = Client(make_app(shop.store, Settings(base_url="https://go.example")))
    with shop.store.adding(), ThreadPoolExecutor(1) as visitor:
        assert visitor.submit(lambda: client.get("/door", headers={"User-Agent": PHONE}).status).result(PATIENCE) == 302
        assert visitor.submit(lambda: shop.insert_qrcode("https://new.example").content).result(PATIENCE)
    assert shop.scans.count() == 1


def test_metrics_tell_what_was_archived(shop, tmp_path):
    (tmp_path / "token").write_text(TOKEN)
    shop.scans.insert(frame(1, 40))
    shop.keep_visits(days=30)
    client = Client(make_app(shop.store, Settings(metrics_token_file=str(tmp_path / "token"))))
    keep_up(shop.store, archive_after_days=0)
    told = client.get("/api/v3/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    assert "qrkit_visits_archived_total 1\n" in told
    assert "qrkit_visits_swept_total 1\n" in told
    assert "qrkit_upkeep_failures_total 0\n" in told


def test_a_server_archives_by_its_setting():
    assert Settings.read({"QRKIT_ARCHIVE_AFTER_DAYS": "30"}).archive_after_days == 30
    for text in ("-1", "36501", "long"):
        with pytest.raises(InvalidParameter, match="archive_after_days"):
            Settings.read({"QRKIT_ARCHIVE_AFTER_DAYS": text})
