"""Care of a store file: check it, copy it while it is in use, make it smaller, sweep old visits out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import duckdb

from qrkit.errors import CannotWrite, InvalidParameter, Problem, StoreBusy
from qrkit.files import writing
from qrkit.store.connection import Store
from qrkit.store.duckdb.database import MEMORY, Database
from qrkit.store.duckdb.snapshot import Snapshot
from qrkit.store.store_settings import set_setting
from qrkit.store.user_agents import forget_numbers
from qrkit.tracking.times import naive, now, to_iso

__all__ = ["backup", "check_writing", "compact", "forget_visits", "verify"]

CHECKS = {
    "QR Codes without their short code": """
        SELECT count(*) FROM qrcodes q LEFT JOIN short_codes s ON s.code = q.short_code AND s.qrcode = q.number
        WHERE s.code IS NULL""",
    "short codes of one QR Code twice": """
        SELECT count(*) FROM (SELECT qrcode FROM short_codes GROUP BY qrcode HAVING count(*) > 1) twice""",
    "QR Codes in a campaign that does not exist, or of another account": """
        SELECT count(*) FROM qrcodes q LEFT JOIN campaigns c ON c.id = q.campaign_id AND c.account_id = q.account_id
        WHERE q.campaign_id IS NOT NULL AND c.id IS NULL""",
    "QR Codes of no account": """
        SELECT count(*) FROM qrcodes q LEFT JOIN accounts a ON a.id = q.account_id WHERE a.id IS NULL""",
    "short codes that do not have one counter": """
        SELECT count(*) FROM (
            SELECT s.qrcode FROM short_codes s LEFT JOIN scan_counts c ON c.qrcode = s.qrcode
            GROUP BY s.qrcode HAVING count(c.qrcode) <> 1
        ) wrong""",
    "counters that differ from the scans they count": """
        SELECT count(*) FROM scan_counts c
        LEFT JOIN (SELECT qrcode, count(*) AS scans FROM visits WHERE kind = 'scan' GROUP BY qrcode) v
        ON v.qrcode = c.qrcode
        WHERE c.scans - c.forgotten <> coalesce(v.scans, 0)""",
    "visits of an unknown user agent": """
        SELECT count(*) FROM visits v LEFT JOIN user_agents u ON u.number = v.user_agent WHERE u.number IS NULL""",
    "visits of an unknown QR Code": """
        SELECT count(*) FROM visits v LEFT JOIN short_codes s ON s.qrcode = v.qrcode
        WHERE v.qrcode IS NOT NULL AND s.code IS NULL""",
    "QR Codes with more scans on days that were swept out than in all": """
        SELECT count(*) FROM (
            SELECT c.qrcode FROM scan_counts c JOIN day_counts d ON d.qrcode = c.qrcode AND d.kind = 'scan'
            GROUP BY c.qrcode, c.forgotten HAVING sum(d.visits) > c.forgotten
        ) wrong""",
}
"""What must not be, and a query that counts it."""

COUNT_DAYS = """
INSERT INTO day_counts
SELECT time::DATE AS day, qrcode, kind, count(*) FROM visits WHERE time < ? GROUP BY day, qrcode, kind
"""
COUNT_OLD = "SELECT count(*) AS number FROM visits WHERE time < ?"
DELETE_OLD = "DELETE FROM visits WHERE time < ?"
DELETE_USER_AGENTS = "DELETE FROM user_agents WHERE number NOT IN (SELECT user_agent FROM visits)"


def check_writing(store: Store) -> None:
    """Read and write a little, as a visit does.

    Raises:
        StoreBusy: The store cannot be written.
    """
    with store.adding():
        set_setting(store, "checked", to_iso(now()))


def verify(store: Store) -> list[str]:
    """What is wrong with a store, in words; nothing for a sound one."""
    found = ((what, store.row(f"SELECT ({query}) AS number")) for what, query in CHECKS.items())
    return [f"{row['number']} {what}" for what, row in found if row and row["number"]]


def backup(store: Store, path: str | Path) -> Path:
    """Copy a store while it is in use, as it is between two transactions; gives the path of the copy back.

    Writers wait for as long as the file takes to be copied; readers do not.

    Of a store that another process holds, a `Snapshot` can be copied.

    Args:
        store: One that is a file.
        path: Of the copy; an older one there is replaced.

    Raises:
        InvalidParameter: The store is in memory, or the path is its own, a folder, or a store that is open here.
        StoreBusy: This thread has a transaction open.
        CannotWrite: The copy could not be written; an older one in its place stays as it was.
    """
    original, copy = _file_of(store), Path(path)
    own = (original, store.original) if isinstance(store, Snapshot) else (original,)
    if Database.is_open_here(copy) or (copy.exists() and any(copy.samefile(one) for one in own)):
        raise InvalidParameter(Problem("path", str(copy), "is the store itself, or another one that is open"))
    if copy.is_dir():
        raise InvalidParameter(Problem("path", str(copy), "is a folder; name the file in it that the copy shall be"))
    unfinished = copy.with_name(f"{copy.name}.unfinished")
    try:
        with writing(copy):
            with _standing(store):
                shutil.copyfile(original, unfinished)
            _moved(unfinished, copy)
    except CannotWrite:
        unfinished.unlink(missing_ok=True)
        raise
    return copy


def compact(store: Store) -> int:
    """Write a store anew without the room that deleted rows have left; gives back how many bytes it has got smaller.

    All else waits meanwhile. When anything fails, the old file stays as it was.

    Raises:
        InvalidParameter: The store is in memory.
        StoreBusy: This thread has a transaction open.
        StoreReadOnly: The store is a snapshot.
        CannotWrite: The new file could not be written.
    """
    store.check_writable()
    original = _file_of(store)
    unfinished = original.with_name(f"{original.name}.compact")
    with _standing(store):
        before = original.stat().st_size
        store.file.reopen(lambda: _rewritten(original, unfinished))
        return before - original.stat().st_size


def forget_visits(store: Store, before: datetime) -> int:
    """Delete the visits before a moment, with the user agents that nothing else was seen with, and give their number.

    What is left of them are counts: those of scans, and of each day, QR Code and kind.

    Args:
        store: Where they are kept.
        before: The moment; without a time zone it is UTC.

    Raises:
        InvalidParameter: The moment is none.
    """
    if not isinstance(before, datetime):
        raise InvalidParameter(Problem("before", before, "must be a datetime", "wrong-type"))
    with store.atomic(), store.adding():
        moment = naive(before)
        row = store.row(COUNT_OLD, [moment])
        store.execute(store.database.dialect.forget, [moment])
        store.execute(COUNT_DAYS, [moment])
        store.execute(DELETE_OLD, [moment])
        store.execute(DELETE_USER_AGENTS)
        forget_numbers(store)  # at once: what this transaction stores after it needs new ones
    return int(row["number"]) if row else 0


@contextmanager
def _standing(store: Store) -> Iterator[None]:
    """The time in which nobody writes, and all that is committed is in the file itself."""
    if store.is_in_transaction:
        raise StoreBusy(f"{store.path} is in a transaction of this thread; end it first")
    with store.database.writing, store.database.visiting:
        store.checkpoint()
        yield


def _moved(unfinished: Path, path: Path) -> None:
    """Put a file in the place of another one, for good: a loss of power leaves one of the two.

    A log that a crash has left beside the other one would keep the new one from being opened. It is put aside before,
    and back where that fails; after a loss of power in between, the other one opens as it was before its log.
    """
    log = path.with_name(f"{path.name}.wal")
    aside = path.with_name(f"{log.name}.old")
    _flush(unfinished)
    has_log = log.exists()
    if has_log:
        log.replace(aside)
        _flush(path.parent)
    try:
        unfinished.replace(path)
    except OSError:
        if has_log:
            aside.replace(log)
        raise
    if has_log:
        aside.unlink()
    _flush(path.parent)


def _flush(path: Path) -> None:
    """Have a file or a folder on the disk itself."""
    if os.name == "nt":  # Windows opens no folders, and flushes nothing that is open to read
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _rewritten(original: Path, unfinished: Path) -> None:
    """Put a fresh copy in the place of a file that nobody has open."""
    unfinished.unlink(missing_ok=True)
    try:
        with duckdb.connect(":memory:") as connection:
            connection.execute(f"ATTACH {_quoted(original)} AS old (READ_ONLY)")
            connection.execute(f"ATTACH {_quoted(unfinished)} AS new")
            connection.execute("COPY FROM DATABASE old TO new")
        _moved(unfinished, original)
    except (duckdb.Error, OSError) as error:
        unfinished.unlink(missing_ok=True)
        raise CannotWrite(f"{original} could not be written anew, and stays as it was: {error}") from error


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _file_of(store: Store) -> Path:
    if store.file.path == MEMORY:
        raise InvalidParameter(Problem("store", store.path, "is in memory; there is no file"))
    return store.file.file
