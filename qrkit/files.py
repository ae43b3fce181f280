"""Writes files completely or not at all, under names that every file system accepts."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from stat import S_IMODE
from typing import BinaryIO

from qrkit.errors import CannotWrite, UnreadableFile

PRIVATE = 0o600
LONGEST_NAME = 100
MOST_NAME_BYTES = 200
"""File systems accept 255 bytes, including the suffix."""
_LONG_TEXT = re.compile(r"(?s)(.{252}).{4,}")
"""A text that is too long for the name of a file, and what an error shows of it."""
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
"""Names that Windows reserves for devices, with any suffix."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an `OSError` in the block into an error that names the file and says what to do.

    Raises:
        CannotWrite: If the block raises an `OSError`.
    """
    try:
        yield
    except CannotWrite:
        raise
    except OSError as error:
        parent = path.parent
        remedy = "choose another place" if parent.is_dir() else f"make the folder {str(parent)!r} first"
        raise CannotWrite(f"{path} cannot be written: {error.strerror or error}; {remedy}") from error


def read_file(path: Path, most: int = -1) -> bytes:
    """Return the bytes of a file.

    Args:
        most: The number of bytes at most; -1 for all of them.

    Raises:
        UnreadableFile: If the operating system reports an error.
    """
    try:
        with path.open("rb") as file:
            return file.read(most)
    except (OSError, ValueError) as error:  # ValueError: a path with a null byte
        shown = _LONG_TEXT.sub(r"\1...", str(path))  # perhaps no path, but the outline of an SVG
        raise UnreadableFile(f"{shown}: {getattr(error, 'strerror', None) or error}") from error


def write_file(path: Path, data: bytes) -> None:
    """Write bytes to a file.

    Raises:
        CannotWrite: If the operating system reports an error.
    """
    with writing(path):
        path.write_bytes(data)


def flush(path: Path) -> None:
    """Flush a file or a folder to disk; a new name is durable once its folder is flushed.

    Raises:
        OSError: If the disk reports an error.
    """
    if os.name == "nt":  # Windows cannot open folders, or flush files opened for reading
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def mode_like(path: Path) -> int:
    """Return who may read and write a file or a folder, as a mode; only the owner if there is none."""
    return S_IMODE(path.stat().st_mode) & 0o666 if path.exists() else PRIVATE


def new_file(path: Path, mode: int) -> BinaryIO:
    """Create a file with a mode; until it has this mode, only the owner can open it.

    Raises:
        OSError: If the file exists, or cannot be written.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(path, flags, PRIVATE), "wb")
    path.chmod(mode)
    return file


@contextmanager
def complete_file(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` when the block ends; an error in the block leaves the old file unchanged.

    Args:
        path: The file.
        mode: Its mode; by default, the usual one of new files.

    Raises:
        CannotWrite: If the file cannot be written.
    """
    if path.exists() and not path.is_file():
        # A device or a pipe cannot be replaced. For a folder, `open` reports the error.
        with writing(path):
            file: BinaryIO = path.open("wb")
        with file:
            yield file
        return
    target = path.resolve()
    part = target.with_name(f".{target.name[:60]}.{os.urandom(4).hex()}.part")
    with writing(path):
        file = part.open("xb") if mode is None else new_file(part, mode)
    try:
        with file:
            yield file
        with writing(path):
            part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def safe_name(filename: str, suffix: str) -> str:
    """Return the last part of a file name with the right suffix, safe for file systems and HTTP headers."""
    last = _remove_invisible(PurePosixPath(filename.replace("\\", "/")).name).strip()
    if last.lower().endswith(f".{suffix}"):
        last = last[: -len(suffix) - 1]
    return f"{safe_stem(last)}.{suffix}"


def safe_stem(name: str) -> str:
    """Return a name that every file system accepts: at most 100 characters, `qrcode` if nothing else remains."""
    cut = (
        re.sub(r'[<>:"/\\|?*]', "_", _remove_invisible(name))[:LONGEST_NAME]
        .encode()[:MOST_NAME_BYTES]
        .decode(errors="ignore")
    )
    stem = cut.strip(" .") or "qrcode"
    return f"_{stem}" if _DEVICE.match(stem) else stem


class FileNames:
    """Hands out file names that are unique on every file system, numbering repeated ones.

    Args:
        suffix: The suffix of all names, without a dot.
        taken: Names already in use, with their suffix.
    """

    def __init__(self, suffix: str, *, taken: Collection[str] = ()) -> None:
        self._suffix = suffix
        self._used = {_normalize(name) for name in taken}
        self._last: dict[str, int] = {}

    def name_for(self, stem: str) -> str:
        """Return an unused name that begins with `stem`, a safe name without a suffix."""
        number = self._last.get(_normalize(stem), 1)
        name = f"{stem}.{self._suffix}" if number == 1 else f"{stem} ({number}).{self._suffix}"
        while _normalize(name) in self._used:
            number += 1
            name = f"{stem} ({number}).{self._suffix}"
        if number > 1:
            self._last[_normalize(stem)] = number
        self._used.add(_normalize(name))
        return name


def _normalize(name: str) -> str:
    """Normalize a name: some file systems ignore case, or whether an accent is a character of its own."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _remove_invisible(text: str) -> str:
    """Remove control, format and unassigned characters, surrogates and line separators."""
    if text.isprintable():  # true of nearly every text, and much faster to check
        return text
    hidden = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    return "".join(character for character in text if unicodedata.category(character) not in hidden)
