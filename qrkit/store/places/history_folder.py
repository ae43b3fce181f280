"""A folder as the place of a history, and what all places have in common: names of files; nothing else is deleted."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.files import complete_file, flush, mode_like, writing

if TYPE_CHECKING:
    import duckdb


MANIFEST = "manifest.json"
PART = 2**20
"""Bytes read at once."""

NAME = re.compile(r"\d{4}-\d{2}/[0-9a-f]{16}\.parquet", re.ASCII)
"""Matches the name of a file of visits. Others may have written the names that we read, so no other file is touched."""

_log = logging.getLogger("qrkit")


def is_name(file: object) -> bool:
    """Return whether a value is the name of a file of visits."""
    return isinstance(file, str) and bool(NAME.fullmatch(file))


def misnamed(kind: str, files: Iterable[object]) -> list[str]:
    """Describe the rows of a list of files that do not name a file of visits."""
    rule = "is not the name of an archived file (such as 2026-03/0123456789abcdef.parquet)"
    return [f"the list of {kind} files is damaged: row {file!r:.100} {rule}" for file in files if not is_name(file)]


def note_of(file: str) -> str:
    """Return the name of the note that a file may be deleted unless the store lists it."""
    month, _, name = file.partition("/")
    return f"{month}/.{name}.unlisted"


class Folder:
    """A folder on this machine, or on a disk that several machines share; it is made with the first file.

    A new folder has the permissions of the file of the store.
    """

    def __init__(self, path: Path, store: Path | None = None) -> None:
        self.path, self._store = path, store

    @property
    def address(self) -> str:
        """Return the absolute path."""
        return str(self.path)

    def admit(self, connection: duckdb.DuckDBPyConnection) -> str:
        """Return the directory that a connection of DuckDB must be allowed to use."""
        return self.address

    def address_of(self, file: str) -> str:
        """Return the absolute path of a file."""
        return str(self.path / file)

    @property
    def mode(self) -> int:
        """Return the mode of new files: anyone who may read the folder may read them."""
        return mode_like(self.path)

    def room_for(self, file: str) -> Path:
        """Return the path of a file that will be written, after the folders for it are made."""
        made = self.path / file
        for folder in (self.path, made.parent):
            if not folder.is_dir():
                mode = mode_like(self.path if folder != self.path else self._store or self.path)
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                folder.chmod(mode | (mode & 0o444) >> 2)  # anyone who may read a folder may enter it
        return made

    @contextmanager
    def writing(self, file: str) -> Iterator[str]:
        """Context manager: yields where to write a file, which is whole and durable at its address afterwards."""
        made = self.path / file
        part = _part_of(made)
        with writing(made):
            self.room_for(file)
            (self.path / note_of(file)).touch(self.mode)
            for folder in (made.parent, self.path, self.path.parent):
                flush(folder)
            yield str(part)
            part.chmod(self.mode)
            flush(part)
            part.replace(made)
            flush(made.parent)

    def size(self, file: str) -> int:
        """Return the size of a file in bytes."""
        return (self.path / file).stat().st_size

    def parts(self, file: str) -> Iterator[bytes]:
        """Yield the bytes of a file in parts."""
        with (self.path / file).open("rb") as data:
            while part := data.read(PART):
                yield part

    def has(self, file: str) -> bool:
        """Return whether there is a file."""
        return (self.path / file).is_file()

    def delete(self, file: str) -> bool:
        """Delete a file of visits; return False, and log why, if it cannot be deleted yet."""
        made = self.path / file
        is_ours = is_name(file) and not made.parent.is_symlink()
        return is_ours and _is_deleted(_part_of(made)) and _is_deleted(made)

    def unlisted(self) -> list[str]:
        """Return the files with a note that they may be deleted (`note_of`), even if the files do not exist."""
        notes = [note for note in self.path.glob("*/.*.unlisted") if not note.parent.is_symlink()]
        files = (f"{note.parent.name}/{note.name.removeprefix('.').removesuffix('.unlisted')}" for note in notes)
        return [file for file in files if is_name(file)]

    def forget_note(self, file: str) -> None:
        """Delete the note that a file may be deleted, and any remains of an interrupted write."""
        if _is_deleted(_part_of(self.path / file)):
            _is_deleted(self.path / note_of(file))

    def manifest(self) -> bytes:
        """Return the list of files for other programs; empty if there is none."""
        path = self.path / MANIFEST
        with writing(path):
            return path.read_bytes() if path.is_file() else b""

    def replace(self, file: str, data: bytes) -> None:
        """Write a file that the store does not list, such as the manifest, in the place of an older one."""
        path = self.path / file
        for left in (*self.path.glob(f".{file}.*.part"), *([path] if path.is_symlink() else [])):
            _is_deleted(left)
        with complete_file(path, self.mode) as new:
            new.write(data)

    def is_used(self) -> bool:
        """Return whether the folder was made."""
        return self.path.is_dir()


def _part_of(made: Path) -> Path:
    """Return the path to which a file is written before it gets its name."""
    return made.with_name(f".{made.stem}.part")


def _is_deleted(path: Path) -> bool:
    """Delete a file; return False if it cannot be deleted yet, because it is open on Windows, for example."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("%s cannot be deleted yet: %s", path, error)
        return False
    return True
