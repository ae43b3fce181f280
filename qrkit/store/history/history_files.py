"""History: finished days of visits as Parquet files, one or a few a month, in a folder or an object store.

The table `history` lists the files, and the view `all_visits` reads them together with the visits in the store. A
transaction that lists a new file also removes its visits from the store, or its predecessor from the list. So every
query sees each visit once, and after a crash either all of this has happened or none of it.

A file never changes. Until a new file is listed, an empty note beside it says that it may be deleted; a file that is no
longer listed stays in the table `superseded` until no query reads it. `tidy` deletes both, and nothing else.

DuckDB reads and writes the files. For a store in a file, that is the DuckDB of the store; a store on a server lists its
files in the server, and has a DuckDB beside it (`qrkit.store.history.server_history`), which is called `files` here.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from qrkit.errors import StoreBusy, StoreDamaged
from qrkit.files import complete_file, flush
from qrkit.store.all_visits import VERSION, archived_visits, marked
from qrkit.store.connection import Store
from qrkit.store.duckdb.damage import damaged, without_folder
from qrkit.store.migrations import VISIT_COLUMNS
from qrkit.store.places.history_folder import MANIFEST, NAME, Folder, is_name, misnamed
from qrkit.store.places.history_places import Place, place_at
from qrkit.store.quoting import quoted
from qrkit.store.store_settings import get_setting

PATIENCE = 1.0
"""Seconds to wait until no query reads a superseded file; if some still do, it is deleted later."""

FILES = "SELECT file, first, last, visits, bytes, sha256, version FROM history ORDER BY first, file"
LIST = "INSERT INTO history (file, first, last, visits, bytes, sha256, version) VALUES (?, ?, ?, ?, ?, ?, ?)"
SUM = f"""
SELECT count(*) AS visits, coalesce(sum(hash({VISIT_COLUMNS})), 0)::VARCHAR AS sum, min(time) AS first,
    max(time) AS last
FROM ({{rows}}) v
"""
FOOTERS = """
SELECT file_name AS address, sum(row_group_num_rows)::BIGINT AS visits,
    min(stats_min_value::TIMESTAMP) AS first, max(stats_max_value::TIMESTAMP) AS last
FROM parquet_metadata({files}) WHERE path_in_schema = 'time' GROUP BY file_name
"""
# By code first: a code is found in few row groups, and a period is found by the month of the file.
WRITE = "COPY (FROM ({rows}) ORDER BY alone DESC, qrcode, time) TO {file} (FORMAT parquet, COMPRESSION zstd)"

_log = logging.getLogger("qrkit")


class ArchivedElsewhere(StoreBusy):
    """Another process is moving visits into or out of the history."""


@dataclass(frozen=True, slots=True)
class HistoryFile:
    """A file of archived visits, whose path is one in the place of the history; times are UTC without a time zone."""

    file: str
    first: datetime
    last: datetime
    visits: int
    bytes: int
    sha256: str
    version: int = VERSION


class _Content(NamedTuple):
    """The number of visits in a query or a file, a sum over all of their values, and the bounds of their times."""

    visits: int
    sum: str
    first: datetime | None
    last: datetime | None


def place_of(store: Store) -> Place | None:
    """Return where the files of a store are; None where none was chosen, or another process has them."""
    if not store.database.is_shared:
        return store.database.history
    address = get_setting(store, "history")
    return place_at(address) if address else None


def missing_folder(store: Store) -> Folder | None:
    """Return the folder of a store's archived visits if it is not there, but has to be; else None."""
    place = place_of(store)
    return place if isinstance(place, Folder) and not place.is_used() and store.rows(FILES) else None


def history_files(store: Store) -> list[HistoryFile]:
    """Return the files that a store lists, oldest first."""
    rows = store.rows(FILES)
    if wrong := misnamed("archived", [row["file"] for row in rows]):
        raise damaged(store.path, f"is damaged: {'; '.join(wrong)}")
    return [HistoryFile(**row) for row in rows]


def unseen_files(store: Store) -> list[HistoryFile]:
    """Return the files whose visits the view `all_visits` lacks: those of a server, which only a DuckDB reads."""
    return history_files(store) if store.database.is_shared else []


@contextmanager
def rewriting(store: Store) -> Iterator[None]:
    """Context manager: runs a transaction that changes the history, alone of all processes.

    Changes of records, and on a server also visits, do not wait for it.
    """
    with store.apart() if store.database.is_shared else store.adding():
        hold_history(store)
        yield


def hold_history(store: Store) -> None:
    """Give the open transaction the exclusive right to change the history."""
    lock = store.database.dialect.history_alone
    if lock and not store.rows(lock)[0]["is_free"]:
        raise ArchivedElsewhere(f"another process archives visits of {store.path}; try again when it is done")


def archived_rows(files: Store, file: HistoryFile) -> str:
    """Return a SELECT of the visits in a file."""
    place = files.database.history
    assert place is not None
    return archived_visits(place.address_of(file.file), file.version)


def write_file(files: Store, rows: str) -> HistoryFile | None:
    """Write the visits of a SELECT, all of some days of a month, to a new file, in the open transaction; None if none.

    The file is durable and holds exactly these visits when this returns. It is unlisted.
    """
    place = files.database.history
    assert place is not None
    wanted = _content(files, rows)
    if wanted.first is None or wanted.last is None:
        return None
    file = f"{wanted.first:%Y-%m}/{token_hex(8)}.parquet"
    with place.writing(file) as address:
        files.execute(WRITE.format(rows=marked(rows), file=quoted(address)))
        if _content(files, archived_visits(address, VERSION)) != wanted:
            raise damaged(files.path, f"cannot be archived: {address} does not hold what was written to it")
    return HistoryFile(file, wanted.first, wanted.last, wanted.visits, place.size(file), checksum_of(place, file))


def list_files(store: Store, old: Sequence[HistoryFile], new: Sequence[HistoryFile]) -> None:
    """List new files in the place of old ones, in the open transaction."""
    for file in old:
        store.execute("DELETE FROM history WHERE file = ?", [file.file])
        store.execute("INSERT INTO superseded (file) VALUES (?)", [file.file])
    for file in new:
        store.execute(LIST, list(asdict(file).values()))
    if not store.database.is_shared:
        store.show_history()


def tidy(store: Store) -> None:
    """Delete files that are not listed any more or never were, and write the manifest beside the files.

    Waits until changes of records have ended, and at most a second for queries that may read a file. Does nothing in a
    transaction; what is left is deleted the next time.
    """
    if store.database.read_only or store.is_in_transaction:
        return
    place = place_of(store)
    if place is None or not place.is_used():
        return
    try:
        if store.database.is_shared:
            with suppress(ArchivedElsewhere), rewriting(store):
                _tidy(store, place, nullcontext(enter_result=True))
        else:
            with store.database.writing:
                _tidy(store, place, store.file.standing_still(PATIENCE))
    except (OSError, StoreDamaged) as error:  # CannotWrite among them
        _log.warning("%s", error)


def tidy_opened(store: Store) -> None:
    """Delete what an earlier process may have left of a history, if only this process has the store."""
    if not store.database.is_shared:
        tidy(store)


def _tidy(store: Store, place: Place, standing_still: AbstractContextManager[bool]) -> None:
    listed = history_files(store)
    _delete_unlisted(place, {file.file for file in listed})
    superseded = [row["file"] for row in store.rows(store.database.dialect.superseded)]
    if superseded := [file for file in superseded if is_name(file)]:
        with standing_still as is_still:
            gone = [file for file in superseded if is_still and place.delete(file)]
        with store.atomic():
            for file in gone:
                store.execute("DELETE FROM superseded WHERE file = ?", [file])
    _write_manifest(place, store.database.id, listed)


def copy_history(store: Store, target: Folder, checked: set[str]) -> None:
    """Copy the files that a store in a file lists to a folder, which is made if needed, except those that are there.

    `checked` holds the files that an earlier call has found there or copied; this call adds its own.
    """
    if missing := missing_folder(store):
        raise without_folder(store.path, missing)
    source, folder = place_of(store), target.path
    for listed in history_files(store):
        if source is None or listed.file in checked:
            continue
        name = listed.file
        if not target.has(name) or checksum_of(target, name) != listed.sha256:
            made = target.room_for(name)
            try:
                with complete_file(made, target.mode) as file:
                    if checksum_of(source, name, file.write) != listed.sha256:
                        raise damaged(store.path, f"is damaged: {source.address_of(name)} is not as it was written")
            except FileNotFoundError as error:
                raise damaged(store.path, f"is damaged: {source.address_of(name)} is missing") from error
            for written in (made, made.parent, folder, folder.parent):
                flush(written)
        checked.add(name)


def keep_only(folder: Path, store_id: str, files: Sequence[HistoryFile]) -> None:
    """Delete the files of an older copy that a new copy in the same folder does not list, and write the manifest."""
    copy = Folder(folder)
    older = NAME.findall(copy.manifest().decode(errors="replace"))
    for name in set(older) - {file.file for file in files}:
        copy.delete(name)
    if copy.is_used():
        _write_manifest(copy, store_id, files)


def _write_manifest(place: Place, store_id: str, files: Sequence[HistoryFile]) -> None:
    """Write the list of files for other programs, unless it is there already."""
    told = {"version": VERSION, "store": store_id, "files": [asdict(file) for file in files]}
    text = json.dumps(told, default=datetime.isoformat, indent=1).encode()
    if place.manifest() != text:
        place.replace(MANIFEST, text)


def check_history(store: Store) -> None:
    """Compare the sizes and the footers of the files in a folder with the list, once in each process."""
    place = store.database.history
    if "history is checked" in store.database.memory or not isinstance(place, Folder) or not place.is_used():
        return
    listed = {place.address_of(file.file): file for file in history_files(store) if place.has(file.file)}
    rows = store.rows(FOOTERS.format(files=f"[{', '.join(map(quoted, listed))}]")) if listed else []
    found = {row["address"]: (row["visits"], row["first"], row["last"]) for row in rows}
    for address, file in listed.items():
        if place.size(file.file) != file.bytes or found.get(address) != (file.visits, file.first, file.last):
            raise damaged(store.path, f"cannot be read: {address} is not the file that was archived under this name")
    store.database.memory["history is checked"] = True


def history_faults(store: Store, files: Store) -> list[str]:
    """Read all files of a store's history, and return a description of each that is missing or damaged."""
    place, listed = files.database.history, store.rows(FILES)
    if missing := missing_folder(store):
        visits = sum(row["visits"] for row in listed)
        rule = "copy the folder of the archived visits there"
        return [f"the folder {missing.address} is missing, with {visits:,} archived visits; {rule}"]
    superseded = [row["file"] for row in store.rows(store.database.dialect.superseded)]
    found = misnamed("archived", [row["file"] for row in listed]) + misnamed("superseded", superseded)
    for file in (HistoryFile(**row) for row in listed if is_name(row["file"])):
        assert place is not None
        address = place.address_of(file.file)
        if not place.has(file.file):
            found.append(f"{address} is missing, with {file.visits:,} archived visits")
        elif checksum_of(place, file.file) != file.sha256 or not _is_as_listed(files, file):
            found.append(f"{address} is damaged, with {file.visits:,} archived visits")
    return found


def checksum_of(place: Place, file: str, then: Callable[[bytes], object] = len) -> str:
    """Return the SHA-256 of a file in hexadecimal; `then` is called with each part of the file."""
    found = hashlib.sha256()
    for part in place.parts(file):
        found.update(part)
        then(part)
    return found.hexdigest()


def _content(files: Store, rows: str) -> _Content:
    return _Content(**files.rows(SUM.format(rows=rows))[0])


def _is_as_listed(files: Store, file: HistoryFile) -> bool:
    with suppress(StoreDamaged):
        found = _content(files, archived_rows(files, file))
        return (found.visits, found.first, found.last) == (file.visits, file.first, file.last)
    return False


def _delete_unlisted(place: Place, listed: set[str]) -> None:
    """Delete the files that an interrupted transaction left behind, and the notes of files that are now listed."""
    for file in place.unlisted():
        if file in listed or place.delete(file):
            place.forget_note(file)
