"""Archives finished days of visits: moves them from a store's file into the files of its history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from qrkit.errors import InvalidParameter, Problem, StoreBusy
from qrkit.store.connection import Store
from qrkit.store.history.history_files import (
    HistoryFile,
    archived_rows,
    history_files,
    list_files,
    place_of,
    rewriting,
    tidy,
    write_file,
)
from qrkit.store.history.other_engines import write_tables
from qrkit.store.history.server_history import files_of, take_visits
from qrkit.store.migrations import VISIT_COLUMNS
from qrkit.store.places.history_places import place_at
from qrkit.store.recording.recorder import drain
from qrkit.store.served.database import ServedStore
from qrkit.store.store_settings import set_setting
from qrkit.tracking.times import Clock, from_day, moment_in, naive, now

__all__ = ["Archived", "archive", "forget_archived"]

MONTHS = "SELECT DISTINCT date_trunc('month', time)::DATE AS month FROM visits WHERE time < ? ORDER BY month"
DAYS = "SELECT DISTINCT time::DATE AS day FROM visits WHERE {recent}"
RECENT = "time >= TIMESTAMP '{since}' AND time < TIMESTAMP '{until}'"
ENOUGH = 1_000_000
"""Visits in a file that is not written anew for later days of its month."""


@dataclass(frozen=True, slots=True)
class Archived:
    """The result of archiving.

    Attributes:
        visits: Number of visits that were moved into files.
        files: Number of files that were written.
        bytes: Size of these files.
    """

    visits: int
    files: int
    bytes: int


def archive(
    store: Store,
    before: date | str | None = None,
    *,
    to: str | Path | None = None,
    clock: Clock = now,
    is_ended: Callable[[], bool] = lambda: False,
) -> Archived:
    """Move the visits of finished days into Parquet files: one for each month, or several if it has millions of visits.

    For `shop.duckdb`, the files are in the folder `shop.history`, unless the first call names a bucket. For a store on
    a server, they are where the first call says. All questions still count these visits. Visits that come later for an
    archived day stay in the store until the next call, which writes the file of their day anew.

    Each month is a transaction of its own: after an error or a crash, the months before are archived, and no visit is
    lost or in both places.

    Args:
        store: A store in a file or on a server.
        before: The first day, in UTC, that stays in the store: a date, a datetime, or text such as 2026-06-01. By
            default today.
        to: A folder for the files, or a bucket, `s3://bucket/prefix`. The store remembers it. Needed the first time for
            a store on a server, all processes of which must be able to read it; a store in a file has its files in the
            folder beside it, or in a bucket.
        clock: A function that returns the current time.
        is_ended: A function that is called before each month; if it returns True, this month and later ones stay for
            the next call.

    Raises:
        InvalidParameter: If `before` is not a date or is after today; if the store is in memory; if `to` is missing for
            a store on a server, or is not where its files are.
        MissingProgram: If `to` is a bucket, and s3fs is not installed.
        StoreBusy: If this thread has an open transaction, the disk is full, the bucket does not answer, or another
            process archives.
        StoreReadOnly: If the store is a snapshot.
        StoreDamaged: If a file of the history, or a part of the store, cannot be read.
        CannotWrite: If the files cannot be written.
    """
    store.check_no_transaction()
    until = _first_day_that_stays(before, naive(clock()))
    if isinstance(store, ServedStore):
        if to is not None:
            raise StoreBusy(f"{store.path} is served by another process; stop it first, to choose where its files are")
        return Archived(**store.call("archive", until))
    store.check_writable()
    _choose_place(store, to)
    drain(store)
    done = Archived(0, 0, 0)
    with files_of(store) as files:
        for row in store.rows(MONTHS, [until]):
            if is_ended():
                break
            done = _archive_month(store, files, row["month"], until, done)
    tidy(store)
    if (place := place_of(store)) and history_files(store):
        write_tables(store, place)
    return done


def forget_archived(store: Store, files: Store, before: datetime) -> None:
    """Take the visits before a timestamp (UTC without a time zone) out of the history, in the open transaction."""
    old = [file for file in history_files(store) if file.first < before]
    if old:
        kept = [
            write_file(files, f"{archived_rows(files, file)} WHERE time >= TIMESTAMP '{before}'")
            for file in old
            if file.last >= before
        ]
        list_files(store, old, [file for file in kept if file])


def _choose_place(store: Store, to: str | Path | None) -> None:
    """Store the place for the files of a store; if it has one already, check that `to` is the same place."""
    place, asked = place_of(store), None if to is None else place_at(str(to))
    if place is None and not store.database.is_shared:
        rule = "is in memory; only the visits of a store in a file or on a server can be archived"
        raise InvalidParameter(Problem("store", store.path, rule))
    if place is None and asked is None:
        rule = "is required the first time: a folder or a bucket that all processes of the database can read"
        raise InvalidParameter(Problem("to", None, rule, "missing-parameter"))
    if asked is None or (place is not None and place.address == asked.address):
        return
    if place is not None and (history_files(store) or not (store.database.is_shared or "://" in asked.address)):
        rule = f"is not the place of the archive of this store, which is {place.address}"
        raise InvalidParameter(Problem("to", asked.address, rule))
    if (told := asked.manifest()) and store.database.id.encode() not in told:
        raise InvalidParameter(Problem("to", asked.address, "has the history of another store; name another place"))
    set_setting(store, "history", asked.address)
    store.find_history()


def _first_day_that_stays(before: date | str | None, moment: datetime) -> datetime:
    """Return the midnight before which visits are archived, UTC without a time zone."""
    day = from_day(before, name="before") if isinstance(before, str) else moment if before is None else before
    if not isinstance(day, date) or day != day:  # pandas.NaT is a datetime, but not equal to itself
        raise InvalidParameter(Problem("before", before, "must be a date, a datetime or None", "wrong-type"))
    if (bound := moment_in(ZoneInfo("UTC"), day)) > moment:
        rule = f"is not over yet: only days before {moment:%Y-%m-%d} (UTC) can be archived"
        raise InvalidParameter(Problem("before", before, rule, "out-of-range"))
    return bound.replace(hour=0, minute=0, second=0, microsecond=0)


def _archive_month(store: Store, files: Store, month: date, until: datetime, done: Archived) -> Archived:
    """Move the visits of a month into its file; return the sums of all months so far."""
    since = datetime(month.year, month.month, 1)
    end = min((since + timedelta(days=31)).replace(day=1), until)
    recent = RECENT.format(since=since, until=end)
    with rewriting(store):
        if store is not files:
            take_visits(store, files, recent)
        days = [row["day"] for row in files.rows(DAYS.format(recent=recent))]
        if not days:  # another process has archived them
            return done
        listed = [file for file in history_files(store) if file.file.startswith(f"{month:%Y-%m}/")]
        old = [file for file in listed if _is_rewritten(file, days)]
        selects = [f"SELECT {VISIT_COLUMNS} FROM visits WHERE {recent}", *(archived_rows(files, file) for file in old)]
        new = write_file(files, " UNION ALL ".join(selects))
        assert new is not None
        files.execute(f"DELETE FROM visits WHERE {recent}")
        moved = new.visits - sum(file.visits for file in old)
        list_files(store, old, [new])
    return Archived(done.visits + moved, done.files + 1, done.bytes + new.bytes)


def _is_rewritten(file: HistoryFile, days: Sequence[date]) -> bool:
    """Return whether visits of some days join a file of their month.

    They do if the file may have visits of these days, because all visits of a day are marked together, or if it is
    small. So a month is in one file, or in a few large ones, and the cost of a day does not grow with its month.
    """
    return file.visits < ENOUGH or any(file.first.date() <= day <= file.last.date() for day in days)
