"""Maintains a store file: verifies, backs up, compacts or rescues the store, and deletes old visits."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from stat import S_IROTH, S_IXOTH

import duckdb

from qrkit.errors import CannotWrite, InvalidParameter, Problem, StoreBusy, StoreDamaged
from qrkit.files import flush, mode_like, new_file, writing
from qrkit.store.connection import Store
from qrkit.store.duckdb.damage import damaged, first_line, is_damage
from qrkit.store.duckdb.database import MEMORY, MISREAD, Database, history_folder, is_locked, is_misread, reading_file
from qrkit.store.duckdb.log import logs_of
from qrkit.store.history.archiving import forget_archived
from qrkit.store.history.history_files import (
    copy_history,
    history_faults,
    history_files,
    hold_history,
    keep_only,
    tidy,
    unseen_files,
)
from qrkit.store.history.other_engines import copy_tables
from qrkit.store.history.server_history import archived_agents, bring_back, files_of
from qrkit.store.places.history_folder import Folder
from qrkit.store.questions.column_copy import complete_copy
from qrkit.store.recording.recorder import inbox_files, include_waiting
from qrkit.store.recording.user_agents import forget_numbers
from qrkit.store.recording.visit_rows import add_to_counters
from qrkit.store.served.database import ServedStore
from qrkit.store.store_settings import set_setting
from qrkit.store.upkeep.full_read import check_readable, unreadable
from qrkit.store.upkeep.rescuing import rescue
from qrkit.store.upkeep.snapshot import Snapshot
from qrkit.tracking.records import PLANS
from qrkit.tracking.times import naive, now, to_iso

__all__ = ["backup", "check_writing", "compact", "exposed", "forget_visits", "rescue", "standing", "verify"]

CHECKS = {
    "QR Codes without their short code": """
        SELECT count(*) FROM qrcodes q LEFT JOIN short_codes s ON s.code = q.short_code AND s.qrcode = q.number
        WHERE s.code IS NULL""",
    "short codes of one QR Code twice": """
        SELECT count(*) FROM (SELECT qrcode FROM short_codes GROUP BY qrcode HAVING count(*) > 1) twice""",
    "QR Codes in a campaign that does not exist, or of another account": """
        SELECT count(*) FROM qrcodes q LEFT JOIN campaigns c ON c.id = q.campaign_id AND c.account_id = q.account_id
        WHERE q.campaign_id IS NOT NULL AND c.id IS NULL""",
    "accounts with an unknown plan": f"""
        SELECT count(*) FROM accounts WHERE plan NOT IN ('{"', '".join(PLANS)}')""",
    "QR Codes of no account": """
        SELECT count(*) FROM qrcodes q LEFT JOIN accounts a ON a.id = q.account_id WHERE a.id IS NULL""",
    "short codes that do not have one counter": """
        SELECT count(*) FROM (
            SELECT s.qrcode FROM short_codes s LEFT JOIN scan_counts c ON c.qrcode = s.qrcode
            GROUP BY s.qrcode HAVING count(c.qrcode) <> 1
        ) wrong""",
    "counters that differ from the scans they count": """
        SELECT count(*) FROM scan_counts c
        LEFT JOIN (SELECT qrcode, count(*) AS scans FROM all_visits WHERE kind = 'scan' GROUP BY qrcode) v
        ON v.qrcode = c.qrcode
        WHERE c.scans - c.forgotten <> coalesce(v.scans, 0)""",
    "visits of an unknown user agent": """
        SELECT count(*) FROM all_visits v LEFT JOIN user_agents u ON u.number = v.user_agent WHERE u.number IS NULL""",
    "visits of an unknown QR Code": """
        SELECT count(*) FROM all_visits v LEFT JOIN short_codes s ON s.qrcode = v.qrcode
        WHERE v.qrcode IS NOT NULL AND s.code IS NULL""",
    "QR Codes with more scans on days that are kept only as counts than in all": """
        SELECT count(*) FROM (
            SELECT c.qrcode FROM scan_counts c JOIN day_counts d ON d.qrcode = c.qrcode AND d.kind = 'scan'
            GROUP BY c.qrcode, c.forgotten HAVING sum(d.visits) > c.forgotten
        ) wrong""",
    "spans of a running server that end before they begin": "SELECT count(*) FROM uptime WHERE ended < began",
}
"""Each kind of inconsistency, with a query that counts its occurrences."""

COUNT_DAYS = """
INSERT INTO day_counts
SELECT time::DATE AS day, qrcode, kind, count(*) FROM all_visits WHERE time < ? GROUP BY day, qrcode, kind
"""
COUNT_OLD_SCANS = "SELECT qrcode, count(*) FROM all_visits WHERE kind = 'scan' AND time < ? GROUP BY qrcode"
DELETE_USER_AGENTS = """
DELETE FROM user_agents
WHERE number NOT IN (SELECT user_agent FROM all_visits) AND number NOT IN (SELECT unnest(?::INTEGER[]))
"""


def check_writing(store: Store) -> None:
    """Check that the store can be read and written, with a small transaction.

    Raises:
        StoreBusy: If the store cannot be written.
    """
    with store.adding():
        set_setting(store, "checked", to_iso(now()))


def verify(store: Store) -> list[str]:
    """Return a description of each fault in a store; the list is empty if there are none.

    Reads every block of a file, while other threads wait. If some blocks cannot be read, `rescue` writes the rest into
    a new store.

    Raises:
        StoreBusy: If this thread has an open transaction, or another thread reads for a minute.
        CannotWrite: If the bucket of archived visits does not answer.
    """
    include_waiting(store)
    with files_of(store) as files:
        faults = unreadable(store) + history_faults(store, files)
    # A server does not see its archived visits, but a copy of it does.
    with suppress(StoreDamaged), complete_copy(store) if unseen_files(store) else nullcontext(store) as checked:
        for what, query in CHECKS.items():
            with suppress(StoreDamaged):  # already in the list
                if number := checked.value(f"SELECT ({query})"):
                    faults.append(f"{number} {what}")
    return faults


def exposed(store: Store) -> list[Path]:
    """Return the files of a store that other users of this machine can read; none on Windows."""
    if not store.database.is_file or os.name == "nt":
        return []
    path = Path(store.lasting_path)
    beside = [path, *logs_of(path), *inbox_files(Path(f"{path}.inbox")), history_folder(path)]
    is_private = any(not folder.stat().st_mode & S_IXOTH for folder in path.parents)
    return [file for file in beside if not is_private and file.exists() and file.stat().st_mode & S_IROTH]


def backup(store: Store, path: str | Path) -> Path:
    """Copy a store while it is in use, and return the path of the copy.

    The copy contains whole transactions only, and is read in full before it replaces an existing file. Writers wait
    until the file is copied; readers do not. Archived visits are copied to a folder beside the copy, where files that
    an earlier backup has copied stay. The two files that other engines join with them are copied, too, as they were at
    the last archive.

    To back up a store that another process has open, copy a `Snapshot` of the store.

    Args:
        store: A store in a file.
        path: The path of the copy. An existing file is replaced if it is a store or empty.

    Raises:
        InvalidParameter: If the store is in memory, or the path is the store itself, a folder, another open store, or
            a file that is not a store.
        StoreBusy: If this thread has an open transaction, or another process has the file to replace open.
        StoreDamaged: If a part of the store cannot be read; an existing file then stays unchanged.
        CannotWrite: If the copy could not be written; an existing file then stays unchanged.
    """
    original, copy = _file_of(store), Path(path)
    include_waiting(store)
    own = (original, store.original) if isinstance(store, Snapshot) else (original,)
    if Database.is_open_here(copy) or (copy.exists() and any(copy.samefile(one) for one in own)):
        raise InvalidParameter(Problem("path", str(copy), "is the store itself, or another one that is open"))
    if copy.is_dir():
        raise InvalidParameter(Problem("path", str(copy), "is a folder; give the name of a file in it"))
    if is_misread(copy):
        raise InvalidParameter(Problem("path", str(copy), MISREAD))
    if not _may_be_replaced(copy):
        raise InvalidParameter(Problem("path", str(copy), "is a file that is not a store; name another file"))
    unfinished = copy.with_name(f"{copy.name}.unfinished")
    try:
        with writing(copy):
            copy.parent.stat()  # fails if there is no such folder; archived visits would make it
            like = copy if copy.exists() else own[-1]  # a snapshot is in a folder that others cannot open
            mode, folder = mode_like(like), history_folder(copy.absolute())
            target, checked = Folder(folder, like), set[str]()
            copy_history(store, target, checked)  # most files of a history, before anybody has to wait
            unfinished.unlink(missing_ok=True)
            with standing(store), reading_file(original) as file, new_file(unfinished, mode) as made:
                copy_history(store, target, checked)
                listed = history_files(store)
                shutil.copyfileobj(file, made)
            check_readable(unfinished, store.path)
            _forget_place(unfinished)
            _moved(unfinished, copy)
            keep_only(folder, store.database.id, listed)
            copy_tables(store, folder)
    except BaseException:
        for left in (unfinished, *logs_of(unfinished)):
            left.unlink(missing_ok=True)
        raise
    return copy


def _may_be_replaced(copy: Path) -> bool:
    """Return True if there is no file, an empty one, or a store, even a damaged one."""
    if not copy.exists() or not copy.stat().st_size:
        return True
    with writing(copy), copy.open("rb") as file:
        if not file.read(12).endswith(b"DUCK"):  # after a checksum of 8 bytes, each DuckDB file says what it is
            return False
    try:
        with duckdb.connect(copy, read_only=True) as connection:
            return bool(connection.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'migrations'").fetchall())
    except duckdb.Error as error:
        if is_locked(error):
            raise StoreBusy(f"{copy} is open in another process; close that one, or name another file") from error
        return is_damage(error)


def _forget_place(copy: Path) -> None:
    """Make a copy use the files in the folder beside it, even if the original has its files in a bucket."""
    try:
        with duckdb.connect(copy) as connection:
            connection.execute("DELETE FROM settings WHERE name = 'history' AND contains(value, '://')")
            connection.execute("CHECKPOINT")
    except duckdb.Error as error:
        raise CannotWrite(f"{copy} cannot be written: {first_line(error)}") from error


def compact(store: Store) -> int:
    """Rewrite a store file without the space left by deleted rows; return the number of bytes saved.

    Other threads wait until the file is rewritten. If an error occurs, the old file stays unchanged.

    Raises:
        InvalidParameter: If the store is in memory.
        StoreBusy: If this thread has an open transaction.
        StoreReadOnly: If the store is a snapshot.
        StoreDamaged: If a part of the store cannot be read.
        CannotWrite: If the new file could not be written.
    """
    if isinstance(store, ServedStore):
        return int(store.call("compact")["bytes"])
    store.check_writable()
    original = _file_of(store)
    unfinished = original.with_name(f"{original.name}.compact")
    include_waiting(store)
    with standing(store):
        before = original.stat().st_size
        store.file.reopen(lambda: _rewritten(original, unfinished))
        return before - original.stat().st_size


def forget_visits(store: Store, before: datetime) -> int:
    """Delete the visits before a timestamp, and the user agents no longer used; return the number of visits deleted.

    Only counts remain: the scans of each QR Code, and the visits by day, QR Code and kind.

    Args:
        store: The store with the visits.
        before: The timestamp; UTC if it has no time zone.

    Raises:
        InvalidParameter: If `before` is not a datetime.
        StoreBusy: If another process archives visits at this moment, or the store cannot be written.
    """
    if not isinstance(before, datetime):
        raise InvalidParameter(Problem("before", before, "must be a datetime", "wrong-type"))
    if isinstance(store, ServedStore):
        return int(store.call("forget visits", before)["visits"])
    include_waiting(store)
    with store.atomic(), store.adding(), files_of(store) as files:
        moment = naive(before)
        hold_history(store)
        if store is not files:
            bring_back(store, files, moment)
        number = int(store.value("SELECT count(*) AS number FROM all_visits WHERE time < ?", [moment]) or 0)
        add_to_counters(store, dict(store.each_row(COUNT_OLD_SCANS, [moment])), "forgotten")
        store.execute(COUNT_DAYS, [moment])
        store.execute("DELETE FROM visits WHERE time < ?", [moment])
        forget_archived(store, files, moment)
        store.execute(DELETE_USER_AGENTS, [archived_agents(store, files)])
        forget_numbers(store)  # at once: later visits of this transaction need new numbers
    tidy(store)
    return number


@contextmanager
def standing(store: Store) -> Iterator[None]:
    """Context manager: blocks all writes, after moving all committed data from the log into the file.

    Raises:
        StoreBusy: If this thread has an open transaction.
    """
    store.check_no_transaction()
    with store.database.writing, store.database.visiting:
        store.checkpoint()
        yield


def _moved(unfinished: Path, path: Path) -> None:
    """Replace a file durably, so that after a power failure either the old or the new file exists.

    A log that a crash left beside the old file would keep the new file from being opened. The log is therefore renamed
    before the replacement, and restored if the replacement fails. After a power failure in between, the old file opens
    without the changes in the log.
    """
    log = path.with_name(f"{path.name}.wal")
    aside = path.with_name(f"{log.name}.old")
    flush(unfinished)
    has_log = log.exists()
    if has_log:
        log.replace(aside)
        flush(path.parent)
    try:
        unfinished.replace(path)
    except OSError:
        if has_log:
            aside.replace(log)
        raise
    if has_log:
        aside.unlink()
    flush(path.parent)


def _rewritten(original: Path, unfinished: Path) -> None:
    """Replace a closed file with a compacted copy."""
    unfinished.unlink(missing_ok=True)
    try:
        with duckdb.connect(":memory:") as connection:
            connection.execute("ATTACH ? AS old (READ_ONLY)", [str(original)])
            connection.execute("ATTACH ? AS new", [str(unfinished)])
            unfinished.chmod(mode_like(original))
            connection.execute("COPY FROM DATABASE old TO new")
            # On closing a file, DuckDB tries the same, but tells of no error and leaves all rows in the log.
            connection.execute("CHECKPOINT new")
        _moved(unfinished, original)
    except (duckdb.Error, OSError) as error:
        for file in (unfinished, *logs_of(unfinished)):
            file.unlink(missing_ok=True)
        if isinstance(error, duckdb.Error) and is_damage(error):
            raise damaged(original, f"stays as it was, because it cannot be read: {first_line(error)}") from error
        raise CannotWrite(f"{original} could not be rewritten, and stays as it was: {error}") from error


def _file_of(store: Store) -> Path:
    if store.file.path == MEMORY:
        raise InvalidParameter(Problem("store", store.path, "is in memory, so it has no file"))
    return store.file.file
