"""History: finished days of visits as Parquet files, one a month, in a folder beside the store's file.

The table `history` lists the files, and the view `all_visits` reads them together with the visits in the store. A
transaction that lists a new file also removes its visits from the store, or its predecessor from the list. So every
query sees each visit once, and after a crash either all of this has happened or none of it.

A file never changes. Until a new file is listed, an empty note beside it says that it may be deleted; a file that is no
longer listed stays in the table `superseded` until no query reads it. `tidy` deletes both, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from qrkit.errors import CannotWrite, StoreDamaged
from qrkit.files import complete_file, flush, writing
from qrkit.store.all_visits import VERSION, archived_visits, marked
from qrkit.store.connection import Store
from qrkit.store.duckdb.damage import damaged
from qrkit.store.migrations import VISIT_COLUMNS

__all__ = [
    "HistoryFile", "archived_rows", "checksum_of", "copy_history", "history_faults", "history_files", "keep_only",
    "list_files", "tidy", "write_file",
]  # fmt: skip

MANIFEST = "manifest.json"
PATIENCE = 1.0
"""Seconds to wait until no query reads a superseded file; if some still do, it is deleted later."""

FILES = "SELECT file, first, last, visits, bytes, sha256, version FROM history ORDER BY first, file"
SUPERSEDED = "SELECT file FROM superseded"
LIST = "INSERT INTO history (file, first, last, visits, bytes, sha256, version) VALUES (?, ?, ?, ?, ?, ?, ?)"
UNLIST = "DELETE FROM history WHERE file = ?"
SUPERSEDE = "INSERT INTO superseded VALUES (?)"
FORGET_FILE = "DELETE FROM superseded WHERE file = ?"
SUM = f"""
SELECT count(*) AS visits, coalesce(sum(hash({VISIT_COLUMNS})), 0)::VARCHAR AS sum, min(time) AS first,
    max(time) AS last
FROM ({{rows}}) v
"""
# By code first: a code is found in few row groups, and a period is found by the month of the file.
WRITE = "COPY (FROM ({rows}) ORDER BY qrcode, time) TO '{file}' (FORMAT parquet, COMPRESSION zstd)"

_log = logging.getLogger("qrkit")


@dataclass(frozen=True, slots=True)
class HistoryFile:
    """A file of archived visits.

    Attributes:
        file: Its path in the folder of the history.
        first: Time of its first visit, UTC without a time zone.
        last: Time of its last visit.
        visits: Number of visits.
        bytes: Its size.
        sha256: Its checksum.
        version: The version of its columns.
    """

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


def history_files(store: Store) -> list[HistoryFile]:
    """Return the files that a store lists, oldest first; none for a store on a server."""
    return [] if store.database.is_shared else [HistoryFile(**row) for row in store.rows(FILES)]


def archived_rows(store: Store, file: HistoryFile) -> str:
    """Return a SELECT of the visits in a file."""
    return archived_visits(str(_folder(store) / file.file), file.version)


def write_file(store: Store, rows: str) -> HistoryFile | None:
    """Write the visits of a SELECT, all of one month, to a new file, in the open transaction; None if there are none.

    The file is on the disk and holds exactly these visits when this returns. It is unlisted.

    Raises:
        CannotWrite: If the folder cannot be written.
        StoreBusy: If the disk is full.
        StoreDamaged: If the file does not hold what was written to it.
    """
    wanted = _content(store, rows)
    if wanted.first is None or wanted.last is None:
        return None
    place = _folder(store) / f"{wanted.first:%Y-%m}"
    token = token_hex(8)
    made, part = place / f"{token}.parquet", place / f".{token}.part"
    with writing(made):
        place.mkdir(parents=True, exist_ok=True)
        _note_of(made).touch()
        for folder in (place, place.parent, place.parent.parent):
            flush(folder)
        store.execute(WRITE.format(rows=marked(rows), file=str(part).replace("'", "''")))
        flush(part)
        if _content(store, archived_visits(str(part), VERSION)) != wanted:
            raise damaged(store.path, f"cannot be archived: {part} does not hold what was written to it")
        part.replace(made)
        flush(place)
        size, digest = made.stat().st_size, checksum_of(made)
    return HistoryFile(f"{place.name}/{made.name}", wanted.first, wanted.last, wanted.visits, size, digest)


def list_files(store: Store, old: Sequence[HistoryFile], new: Sequence[HistoryFile]) -> None:
    """List new files in the place of old ones, in the open transaction."""
    for file in old:
        store.execute(UNLIST, [file.file])
        store.execute(SUPERSEDE, [file.file])
    for file in new:
        store.execute(LIST, list(asdict(file).values()))
    store.show_history()


def tidy(store: Store) -> None:
    """Delete files that are not listed any more or never were, and write the manifest beside the files.

    Waits until changes of records have ended, and at most a second for queries that may read a file. Does nothing in a
    transaction; what is left is deleted the next time.
    """
    folder = store.database.history
    if folder is None or not folder.is_dir() or store.database.read_only or store.is_in_transaction:
        return
    with store.database.writing:
        listed = history_files(store)
        _delete_unlisted(folder, {file.file for file in listed})
        superseded = [row["file"] for row in store.rows(SUPERSEDED)]
        if superseded:
            with store.file.standing_still(PATIENCE) as is_still:
                gone = [file for file in superseded if is_still and _is_deleted(folder / file)]
            with store.atomic():
                for file in gone:
                    store.execute(FORGET_FILE, [file])
        for part in folder.glob(f".{MANIFEST}.*.part"):
            _is_deleted(part)
        try:
            _write_manifest(folder, store.database.id, listed)
        except CannotWrite as error:
            _log.warning("%s", error)


def copy_history(store: Store, folder: Path, checked: set[str]) -> None:
    """Copy the files that a store lists to a folder, except those that are there already.

    Args:
        store: A store in a file.
        folder: The folder, which is made if there is a file to copy.
        checked: The files that an earlier call has found there or copied; this call adds its own.

    Raises:
        StoreDamaged: If a file is missing or damaged.
        OSError: If a file cannot be written.
    """
    for listed in history_files(store):
        if listed.file in checked:
            continue
        source, target = _folder(store) / listed.file, folder / listed.file
        if not target.is_file() or checksum_of(target) != listed.sha256:
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                with complete_file(target) as file:
                    if checksum_of(source, file.write) != listed.sha256:
                        raise damaged(store.path, f"is damaged: {source} is not as it was written")
            except FileNotFoundError as error:
                raise damaged(store.path, f"is damaged: {source} is missing") from error
            for written in (target, target.parent, folder, folder.parent):
                flush(written)
        checked.add(listed.file)


def keep_only(folder: Path, store_id: str, files: Sequence[HistoryFile]) -> None:
    """Delete the files of an older copy that a new copy in the same folder does not list, and write the manifest.

    Raises:
        CannotWrite: If the manifest cannot be written.
    """
    manifest = folder / MANIFEST
    older = json.loads(manifest.read_bytes())["files"] if manifest.is_file() else []
    for name in {file["file"] for file in older} - {file.file for file in files}:
        _is_deleted(folder / name)
    if folder.is_dir():
        _write_manifest(folder, store_id, files)


def _write_manifest(folder: Path, store_id: str, files: Sequence[HistoryFile]) -> None:
    """Write the list of files for other programs, unless it is there already."""
    told = {"version": VERSION, "store": store_id, "files": [asdict(file) for file in files]}
    text = json.dumps(told, default=datetime.isoformat, indent=1).encode()
    path = folder / MANIFEST
    with writing(path):
        is_there = path.is_file() and path.read_bytes() == text
    if not is_there:
        with complete_file(path) as file:
            file.write(text)


def history_faults(store: Store) -> list[str]:
    """Read all files of a store's history, and return a description of each that is missing or damaged."""
    found = []
    for file in history_files(store):
        path = _folder(store) / file.file
        if not path.is_file():
            found.append(f"{path} is missing, with {file.visits:,} archived visits")
        elif checksum_of(path) != file.sha256 or not _is_as_listed(store, file):
            found.append(f"{path} is damaged, with {file.visits:,} archived visits")
    return found


def checksum_of(path: Path, then: Callable[[bytes], object] = len) -> str:
    """Return the SHA-256 of a file in hexadecimal; `then` is called with each part of the file.

    Raises:
        OSError: If the file cannot be read.
    """
    found = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(2**20):
            found.update(part)
            then(part)
    return found.hexdigest()


def _content(store: Store, rows: str) -> _Content:
    return _Content(**store.rows(SUM.format(rows=rows))[0])


def _is_as_listed(store: Store, file: HistoryFile) -> bool:
    with suppress(StoreDamaged):
        found = _content(store, archived_rows(store, file))
        return (found.visits, found.first, found.last) == (file.visits, file.first, file.last)
    return False


def _folder(store: Store) -> Path:
    folder = store.database.history
    assert folder is not None
    return folder


def _note_of(made: Path) -> Path:
    """Return the path of the note that a file may be deleted unless the store lists it."""
    return made.with_name(f".{made.stem}.unlisted")


def _delete_unlisted(folder: Path, listed: set[str]) -> None:
    """Delete what an interrupted transaction has left, and the notes of files that are listed by now."""
    for note in folder.glob("*/.*.unlisted"):
        made = note.with_name(f"{note.name.removeprefix('.').removesuffix('.unlisted')}.parquet")
        is_listed = f"{made.parent.name}/{made.name}" in listed
        if _is_deleted(made.with_name(f".{made.stem}.part")) and (is_listed or _is_deleted(made)):
            _is_deleted(note)


def _is_deleted(path: Path) -> bool:
    """Delete a file; return False if it cannot be deleted yet, because it is open on Windows, for example."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("%s cannot be deleted yet: %s", path, error)
        return False
    return True
