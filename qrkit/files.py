"""Files: written whole or not at all, under names that every file system takes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from secrets import token_hex
from typing import BinaryIO

from qrkit.errors import CannotWrite

__all__ = ["FileNames", "complete_file", "safe_name", "safe_stem", "write_file", "writing"]

LONGEST_NAME = 100
MOST_NAME_BYTES = 200
"""File systems take 255 bytes, suffix included."""
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
"""Names that Windows keeps for devices, with any suffix."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Name the file that is written inside, and say what to do, where the system refuses.

    Raises:
        CannotWrite: It does.
    """
    try:
        yield
    except CannotWrite:
        raise
    except OSError as error:
        parent = path.parent
        remedy = "choose another place" if parent.is_dir() else f"make the folder {str(parent)!r} first"
        raise CannotWrite(f"{path} cannot be written: {error.strerror or error}; {remedy}") from error


def write_file(path: Path, data: bytes) -> None:
    """Write a file at once.

    Raises:
        CannotWrite: The system refuses.
    """
    with writing(path):
        path.write_bytes(data)


@contextmanager
def complete_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes its name when all of it is written; an error on the way leaves what was there before.

    Raises:
        CannotWrite: It cannot be written.
    """
    if path.exists() and not path.is_file():
        # A device or a pipe cannot be replaced; a folder is told of by what opens it.
        with writing(path):
            file = path.open("wb")
        with file:
            yield file
        return
    target = path.resolve()
    part = target.with_name(f".{target.name[:60]}.{token_hex(4)}.part")
    with writing(path):
        file = part.open("xb")
    try:
        with file:
            yield file
        with writing(path):
            part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def safe_name(filename: str, suffix: str) -> str:
    """The last part of a file name, without what file systems or headers mind, with the right suffix (G7)."""
    last = _visible(PurePosixPath(filename.replace("\\", "/")).name).strip()
    if last.lower().endswith(f".{suffix}"):
        last = last[: -len(suffix) - 1]
    return f"{safe_stem(last)}.{suffix}"


def safe_stem(name: str) -> str:
    """A name that can be a file or folder everywhere: at most 100 characters, `qrcode` where nothing is left."""
    cut = re.sub(r'[<>:"/\\|?*]', "_", _visible(name))[:LONGEST_NAME].encode()[:MOST_NAME_BYTES].decode(errors="ignore")
    stem = cut.strip(" .") or "qrcode"
    return f"_{stem}" if _DEVICE.match(stem) else stem


class FileNames:
    """Names of files, numbered where another has it: no two are the same on any file system.

    Args:
        suffix: Of all of them, without its dot.
        taken: Names that are not free, with their suffix.
    """

    def __init__(self, suffix: str, *, taken: Collection[str] = ()) -> None:
        self._suffix = suffix
        self._used = {_on_disk(name) for name in taken}
        self._last: dict[str, int] = {}

    def name_for(self, stem: str) -> str:
        """A name that is free and begins with a stem, which is safe and has no suffix."""
        number = self._last.get(_on_disk(stem), 1)
        found = f"{stem}.{self._suffix}" if number == 1 else f"{stem} ({number}).{self._suffix}"
        while _on_disk(found) in self._used:
            number += 1
            found = f"{stem} ({number}).{self._suffix}"
        if number > 1:
            self._last[_on_disk(stem)] = number
        self._used.add(_on_disk(found))
        return found


def _on_disk(name: str) -> str:
    """What is the same for names that some file system takes as one: capitals, and accents in one part or two."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _visible(text: str) -> str:
    """The text without characters that control lines or direction, and those that are none."""
    return "".join(one for one in text if unicodedata.category(one) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
