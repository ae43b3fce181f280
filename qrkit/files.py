"""Files that are there as a whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

__all__ = ["complete_file"]


@contextmanager
def complete_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes its name when all of it is written; an error on the way leaves what was there before.

    Raises:
        OSError: It cannot be written.
    """
    if path.exists() and not path.is_file():
        # A device or a pipe cannot be replaced; a folder is told of by what opens it.
        with path.open("wb") as file:
            yield file
        return
    target = path.resolve()
    part = target.with_name(f".{target.name[:60]}.{token_hex(4)}.part")
    try:
        file = part.open("xb")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        with file:
            yield file
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
