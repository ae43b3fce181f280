"""`Snapshot`: a copy of a store that another process holds, to be looked at."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from qrkit.errors import InvalidParameter, Problem, StoreBusy, UnreadableFile
from qrkit.store.connection import Store
from qrkit.store.postgresql.database import is_server, shown_url
from qrkit.store.user_agents import tell_new_apart

__all__ = ["Snapshot"]

TRIES = 10
HEADERS = 3 * 4096
"""Bytes at the beginning of a DuckDB file that change with each checkpoint, and only then."""


class Snapshot(Store):
    """A store in which nothing can be changed: a copy of another one, made while that is at work.

    Args:
        path: The file of the other store.

    Attributes:
        path: That file, as it was given.
        original: Its absolute path.

    Raises:
        UnreadableFile: There is no such file, or it is no store.
        InvalidParameter: It is on a server.
        StoreBusy: The other process rewrites its file faster than it can be copied.
    """

    def __init__(self, path: str | Path) -> None:
        if is_server(path):
            rule = "is on a server, which as many processes may open as like to: open it itself"
            raise InvalidParameter(Problem("snapshot_of", shown_url(str(path)), rule))
        self.original = original = Path(path).resolve()
        if not original.is_file():
            raise UnreadableFile(f"{path} is not a file")
        self._folder = TemporaryDirectory(prefix="qrkit-")
        copy = Path(self._folder.name) / original.name
        try:
            _copied(original, copy)
            # Opened once to write: it takes in what the log holds, what migrations there are, and new user agents.
            with Store(copy) as written:
                tell_new_apart(written)
            super().__init__(copy, read_only=True)
        except BaseException as error:
            self._folder.cleanup()
            if isinstance(error, UnreadableFile):
                raise UnreadableFile(str(error).replace(str(copy), str(path))) from error
            raise
        self.path = self.database.path = str(path)

    @property
    def lasting_path(self) -> str:
        """What another process opens: the absolute path of the original, as the copy goes away."""
        return str(self.original)

    def close(self) -> None:
        """Let the copy go."""
        super().close()
        self._folder.cleanup()


def _copied(original: Path, copy: Path) -> None:
    """Copy a file and its log at a moment between two checkpoints: what is in them then belongs together."""
    log, log_copy = (Path(f"{one}.wal") for one in (original, copy))
    for _ in range(TRIES):
        before = _headers(original)
        shutil.copyfile(original, copy)
        log_copy.unlink(missing_ok=True)
        with suppress(FileNotFoundError):  # a checkpoint takes it away
            shutil.copyfile(log, log_copy)
        if _headers(original) == before:
            return
    raise StoreBusy(f"{original} changes too fast to be copied; try again, or let its process make a backup")


def _headers(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEADERS)
