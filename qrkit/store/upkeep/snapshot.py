"""Provides `Snapshot`, a read-only copy of a store that another process has open."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from qrkit.errors import InvalidParameter, Problem, StoreBusy, StoreDamaged, UnreadableFile
from qrkit.store.connection import Store
from qrkit.store.duckdb.damage import damaged
from qrkit.store.duckdb.database import MISREAD, history_folder, is_misread, reading_file
from qrkit.store.duckdb.log import logs_of
from qrkit.store.places.history_folder import Folder
from qrkit.store.postgresql.database import is_server, shown_url
from qrkit.store.recording.recorder import inbox_files, include_waiting
from qrkit.store.recording.user_agents import parse_new_user_agents

TRIES = 10
LOG_HEADER = 32
"""Number of header bytes in SQLite's log; the header changes when the log is restarted."""
HEADERS = 3 * 4096
"""Number of header bytes in a DuckDB file; the headers change only at a checkpoint."""


class Snapshot(Store):
    """A read-only copy of a store, made while another process uses the original.

    `path` is the file of the original store, as you gave it; `original` is its absolute path.
    """

    def __init__(self, path: str | Path) -> None:
        if is_server(path):
            rule = "is on a database server, which any number of processes can open: open the store itself"
            raise InvalidParameter(Problem("snapshot_of", shown_url(str(path)), rule))
        self.original = original = Path(path).resolve()
        if not original.is_file():
            raise UnreadableFile(f"{path} is not a file")
        self._folder = TemporaryDirectory(prefix="qrkit-")
        copy = Path(self._folder.name) / original.name
        try:
            if is_misread(copy.parent):
                rule = f"the temporary folder {str(copy.parent.parent)!r} {MISREAD}"
                raise UnreadableFile(f"{path} cannot be copied: {rule} (environment variable TMPDIR)")
            copy_files(original, copy)
            # Without a folder of its own, the copy is told of that of the original, so that messages can name it.
            missing = None if history_folder(copy).exists() else Folder(history_folder(original))
            # Open once for writing: this applies the log and missing migrations, and parses new user agents.
            with Store(copy, history=missing) as written, suppress(StoreDamaged):
                include_waiting(written)
                parse_new_user_agents(written)
            super().__init__(copy, read_only=True, history=missing)
        except BaseException as error:
            self._folder.cleanup()
            if isinstance(error, StoreDamaged):
                raise damaged(path, str(error).removeprefix(f"{copy} ")) from error
            if isinstance(error, UnreadableFile):
                raise UnreadableFile(str(error).replace(str(copy), str(path))) from error
            raise
        self.path = self.database.path = str(path)

    @property
    def lasting_path(self) -> str:
        """Return the absolute path of the original, because the copy is temporary."""
        return str(self.original)

    def close(self) -> None:
        """Close and delete the copy."""
        super().close()
        self._folder.cleanup()


def copy_files(
    original: Path, copy: Path, copy_bytes: Callable[[BinaryIO, BinaryIO], None] = shutil.copyfileobj
) -> None:
    """Copy a file and its logs between two checkpoints, so that the copies are consistent, its inboxes and history."""
    _copy_inboxes(original, copy)
    _link_history(original, copy)
    for _ in range(TRIES):
        with reading_file(original) as file:
            before = file.read(HEADERS)
            file.seek(0)
            with copy.open("wb") as target:
                copy_bytes(file, target)
            for log, log_copy in zip(logs_of(original), logs_of(copy), strict=True):
                log_copy.unlink(missing_ok=True)
                with suppress(FileNotFoundError):  # a checkpoint deletes the log
                    shutil.copyfile(log, log_copy)
            file.seek(0)
            if file.read(HEADERS) == before:
                _link_history(original, copy)  # files that were added meanwhile
                return
    raise StoreBusy(f"{original} changes too fast to be copied; try again, or let its process make a backup")


def _link_history(original: Path, copy: Path) -> None:
    """Link the files of the history, which never change; those that the original deletes later stay in the copy.

    Where files cannot be linked, the folder is: the copy then reads the files of the original, for as long as they are
    there.
    """
    folder, linked = history_folder(original), history_folder(copy)
    try:
        for file in folder.rglob("*.parquet"):
            link = linked / file.relative_to(folder)
            link.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError, FileNotFoundError):  # linked before, or deleted meanwhile
                link.hardlink_to(file)
    except OSError:
        shutil.rmtree(linked, ignore_errors=True)
        linked.symlink_to(folder, target_is_directory=True)


def _copy_inboxes(original: Path, copy: Path) -> None:
    """Copy the inboxes before the store: visits that move meanwhile are in both copies, and the store counts them once.

    A copied inbox is consistent if neither the file nor the header of its log changed while both were copied.
    """
    for inbox in inbox_files(Path(f"{original}.inbox")):
        inbox_copy = copy.with_name(inbox.name)
        for _ in range(TRIES):
            with suppress(FileNotFoundError):  # the other process has closed the store
                before = _state(inbox)
                for suffix in ("", "-wal"):
                    shutil.copy(f"{inbox}{suffix}", f"{inbox_copy}{suffix}")
                if _state(inbox) == before:
                    break
        else:
            raise StoreBusy(f"{inbox} changes too fast to be copied; try again")


def _state(inbox: Path) -> tuple[int, bytes]:
    with Path(f"{inbox}-wal").open("rb") as log:
        return inbox.stat().st_mtime_ns, log.read(LOG_HEADER)
