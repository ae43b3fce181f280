"""Archives finished days of visits: moves them from a store's file into the files of its history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from qrkit.errors import InvalidParameter, Problem, StoreBusy
from qrkit.store.connection import Store
from qrkit.store.history import archived_rows, history_files, list_files, tidy, write_file
from qrkit.store.migrations import VISIT_COLUMNS
from qrkit.store.recording import drain
from qrkit.store.served.database import ServedStore
from qrkit.tracking.times import Clock, from_day, moment_in, naive, now

__all__ = ["Archived", "archive", "forget_archived"]

MONTHS = "SELECT DISTINCT date_trunc('month', time)::DATE AS month FROM visits WHERE time < ? ORDER BY month"
RECENT = "time >= TIMESTAMP '{since}' AND time < TIMESTAMP '{until}'"


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


def archive(store: Store, before: date | str | None = None, *, clock: Clock = now) -> Archived:
    """Move the visits of finished days into Parquet files beside the store's file, one for each month.

    For `shop.duckdb`, the files are in the folder `shop.history`. All questions still count these visits. Visits that
    come later for an archived day stay in the store until the next call, which writes the file of their month anew.

    Each month is a transaction of its own: after an error or a crash, the months before are archived, and no visit is
    lost or in both places.

    Args:
        store: A store in a file.
        before: The first day, in UTC, that stays in the store: a date, a datetime, or text such as 2026-06-01. By
            default today.
        clock: A function that returns the current time.

    Raises:
        InvalidParameter: If `before` is not a date or is after today, or the store is not in a file.
        StoreBusy: If this thread has an open transaction, or the disk is full.
        StoreReadOnly: If the store is a snapshot.
        StoreDamaged: If a file of the history, or a part of the store, cannot be read.
        CannotWrite: If the files cannot be written.
    """
    if store.is_in_transaction:
        raise StoreBusy(f"{store.path} is in a transaction of this thread; end it first")
    until = _first_day_that_stays(before, naive(clock()))
    if isinstance(store, ServedStore):
        return Archived(**store.archive(until))
    if store.database.history is None:
        where = "on a PostgreSQL server" if store.database.is_shared else "in memory"
        rule = f"is {where}; only the visits of a store in a file can be archived"
        raise InvalidParameter(Problem("store", store.path, rule))
    store.check_writable()
    drain(store)
    done = Archived(0, 0, 0)
    for row in store.rows(MONTHS, [until]):
        done = _archive_month(store, row["month"], until, done)
    tidy(store)
    return done


def forget_archived(store: Store, before: datetime) -> None:
    """Take the visits before a timestamp (UTC without a time zone) out of the history, in the open transaction.

    Raises:
        StoreDamaged: If a file of the history cannot be read.
        CannotWrite: If the files cannot be written.
    """
    old = [file for file in history_files(store) if file.first < before]
    if old:
        kept = [
            write_file(store, f"{archived_rows(store, file)} WHERE time >= TIMESTAMP '{before}'")
            for file in old
            if file.last >= before
        ]
        list_files(store, old, [file for file in kept if file])


def _first_day_that_stays(before: date | str | None, moment: datetime) -> datetime:
    """Return the midnight before which visits are archived, UTC without a time zone."""
    day = from_day(before, name="before") if isinstance(before, str) else moment if before is None else before
    if not isinstance(day, date) or day != day:  # pandas.NaT is a datetime, but not equal to itself
        raise InvalidParameter(Problem("before", before, "must be a day or a moment, or None", "wrong-type"))
    if (bound := moment_in(ZoneInfo("UTC"), day)) > moment:
        rule = f"is not over yet: only days before {moment:%Y-%m-%d} (UTC) can be archived"
        raise InvalidParameter(Problem("before", before, rule, "out-of-range"))
    return bound.replace(hour=0, minute=0, second=0, microsecond=0)


def _archive_month(store: Store, month: date, until: datetime, done: Archived) -> Archived:
    """Move the visits of a month into its file; return the sums of all months so far."""
    since = datetime(month.year, month.month, 1)
    end = min((since + timedelta(days=31)).replace(day=1), until)
    recent = RECENT.format(since=since, until=end)
    with store.adding():  # changes of records do not wait for this
        old = [file for file in history_files(store) if file.file.startswith(f"{month:%Y-%m}/")]
        selects = [f"SELECT {VISIT_COLUMNS} FROM visits WHERE {recent}", *(archived_rows(store, file) for file in old)]
        new = write_file(store, " UNION ALL ".join(selects))
        if new is None:
            return done
        store.execute(f"DELETE FROM visits WHERE {recent}")
        list_files(store, old, [new])
    moved = new.visits - sum(file.visits for file in old)
    return Archived(done.visits + moved, done.files + 1, done.bytes + new.bytes)
