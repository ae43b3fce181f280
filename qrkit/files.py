"""Files that are there as a whole or not at all, and what is told where they cannot be written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from qrkit.errors import CannotWrite

__all__ = ["complete_file", "write_file", "writing"]


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
