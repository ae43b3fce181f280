"""kill -9 in any step of archiving, forgetting and migrating: no visit is lost, and none is there twice."""

from __future__ import annotations

import shutil
from collections import Counter
from contextlib import suppress
from datetime import datetime, timedelta
from random import Random

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.store import Store
from qrkit.store.history.history_files import history_files
from qrkit.store.questions.column_copy import columns
from qrkit.store.upkeep.maintenance import verify
from qrkit.store.upkeep.moving import migrate
from tests.store.kills import FORGOTTEN, NAME, NOW, steps_until_killed
from tests.sweeps import night_after

FIRST = datetime(2026, 2, 1)
TIMES = [FIRST + timedelta(hours=6 * number) for number in range(73 * 4)]
"""Times of the visits of a shop: four on each day of February, March and the first half of April."""
LATE = FIRST + timedelta(minutes=1)
PATIENCE_MS = 60_000
MANY = [(kill + Random(kill).random()) / 6 for kill in range(6)]
"""Parts of the work at which a process is killed."""

KINDS = ["folder", "bucket", pytest.param("server", marks=pytest.mark.needs("postgres"))]


class InFile:
    """Stores in files, with a history in the folder beside them."""

    def __init__(self, folder):
        self.folder = folder
        self.history = str(folder / "shop.history")

    def new(self, name="shop"):
        """Return the place of a new store."""
        for left in self.folder.glob(f"{name}.*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        return str(self.folder / f"{name}.duckdb")

    def settle(self):
        """Wait until nothing of a process that was killed goes on."""

    def names(self):
        """Return the names of all files of the history."""
        folder = self.folder / "shop.history"
        return {str(file.relative_to(folder)) for file in folder.glob("*/*")}


class InBucket(InFile):
    """Stores in files, with a history in a bucket."""

    def __init__(self, folder, objects):
        super().__init__(folder)
        self.objects = objects
        self.history = "s3://shops/shop"

    def new(self, name="shop"):
        if name == "shop" and self.objects.exists(self.history):
            self.objects.rm(self.history, recursive=True)
        return super().new(name)

    def names(self):
        return {name.removeprefix("shops/shop/") for name in self.objects.find("shops") if name.count("/") == 3}


class OnServer(InFile):
    """Stores on a database server, with a history in a folder."""

    def __init__(self, folder, server, empty):
        super().__init__(folder)
        self.server, self.empty = server, empty

    def new(self, name="shop"):
        super().new(name)
        return f"{self.server.new_database(self.empty)}&application_name={NAME}"

    def settle(self):
        import psycopg

        with psycopg.connect(self.server.url("postgres"), autocommit=True) as connection:
            ended = connection.execute(
                "SELECT pg_terminate_backend(pid, %s) FROM pg_stat_activity WHERE application_name = %s",
                [PATIENCE_MS, NAME],
            ).fetchall()
        assert all(is_ended for (is_ended,) in ended)


@pytest.fixture
def places(request, tmp_path):
    if request.param == "bucket":
        return InBucket(tmp_path, request.getfixturevalue("objects"))
    if request.param == "server":
        return OnServer(tmp_path, request.getfixturevalue("server"), request.getfixturevalue("empty_store"))
    return InFile(tmp_path)


def found_in(store):
    return Counter(row["time"] for row in columns(store).rows("SELECT time FROM all_visits"))


def scans_at(times):
    return pd.DataFrame({"short_code": "door", "time": times, "visitor": [time.day % 7 for time in times]})


def filled(places, *, is_archived):
    """Make a store with visits; if they are archived until April, a late one waits for its file to be written anew."""
    place = places.new()
    with open_portfolio(place, clock=lambda: NOW) as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
        shop.scans.insert(scans_at(TIMES))
        if is_archived:
            shop.archive(before="2026-04-01", to=places.history)
            shop.scans.insert(scans_at([LATE]))
    return place, Counter(TIMES + [LATE] * is_archived)


def check_store(places, place, allowed):
    """Check that a store is sound, as it was left and when it is archived again; return what it holds."""
    with open_portfolio(place, clock=lambda: NOW) as shop:
        found = found_in(shop.store)
        assert found in allowed, "a visit is lost, or there twice"
        assert verify(shop.store) == []
        shop.archive(to=places.history)
        assert found_in(shop.store) == found
        assert verify(shop.store) == []
        superseded = {row["file"] for row in shop.store.rows("SELECT file FROM superseded")}
        assert places.names() == superseded | {file.file for file in history_files(shop.store)}
        assert bool(superseded) <= shop.store.database.is_shared
    return found


def check_migrated(place, target, wanted):
    """Check that a migration that was killed can be finished, and has finished if it cannot be begun again."""
    with Store(place) as store, Store(target) as new:
        with suppress(InvalidParameter):  # is in use already
            migrate(store, new)
        assert found_in(new) == wanted
        assert verify(new) == []


def check_kills(places, what, parts):
    """Kill processes at parts in 0..1 of what they do, after one that gets to its end; return the outcomes."""
    outcomes, steps = set(), 0
    for kill, part in enumerate([0.0, *parts]):
        place, wanted = filled(places, is_archived=what != "archive" or kill % 2 == 1)
        kept = Counter({time: number for time, number in wanted.items() if time >= FORGOTTEN})
        target = places.new("target") if what == "migrate" else places.history
        reached = steps_until_killed(what, place, target, at=int(steps * part))
        places.settle()
        steps = steps or reached
        if what == "migrate":
            check_migrated(place, target, wanted)
        found = check_store(places, place, [wanted, kept] if what == "forget" else [wanted])
        outcomes.add((reached > 0, found == kept))
    return outcomes


@pytest.mark.slow
@pytest.mark.parametrize("what", ["archive", "forget", "migrate"])
@pytest.mark.parametrize("places", KINDS, indirect=True)
@pytest.mark.parametrize("parts", night_after([[0.2, 0.5], MANY]))
def test_kills_in_any_step_lose_and_double_nothing(places, what, parts):
    outcomes = check_kills(places, what, parts)
    assert (False, False) in outcomes, "some are killed before the end"
