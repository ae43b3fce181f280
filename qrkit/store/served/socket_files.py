"""Finds and makes the socket beside a store, which only the same user can connect to.

Where the path is too long for a socket, or the file system has none, the socket lies in a private temporary folder, and
the file beside the store says where.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from stat import S_ISSOCK

LONGEST_PATH = 100
"""Bytes; systems allow 103 to 107."""
WAITING = 8
"""Connections that wait to be accepted."""
_PEER = struct.Struct("3i")


def has_sockets() -> bool:
    """Return whether Python has Unix sockets here; on Windows it has none."""
    return hasattr(socket, "AF_UNIX")


def place(store: Path) -> Path:
    """Return the path of the socket of a store."""
    return store.with_name(f"{store.name}.sock")


def is_taken(store: Path) -> bool:
    """Return whether a file of another user is where the socket of a store should be."""
    with suppress(OSError):
        return place(store).lstat().st_uid not in _owners(store)
    return False


def _owners(store: Path) -> set[int]:
    """Return the users whose socket is trusted: root, this user, and the owner of the store."""
    return {0, os.geteuid(), store.stat().st_uid}


@contextmanager
def listening(store: Path) -> Iterator[socket.socket]:
    """Context manager: yields a listening socket for a store, and removes it at the end.

    The process that calls this has the store open, and no other process can, so a socket that is there already was left
    behind by a process that was killed; it is replaced. If no socket can be made, OSError is raised.
    """
    target = place(store)
    with ExitStack() as elsewhere, socket.socket(socket.AF_UNIX) as listener:
        with _private_folder(target.parent) as near:
            try:
                made = _bound(listener, near, target)
            except OSError:
                made = near / "note"
                _write_note(made, _bound(listener, elsewhere.enter_context(_private_folder())))
            own = made.lstat().st_ino
            made.replace(target)
        try:
            yield listener
        finally:
            with suppress(OSError):
                if target.lstat().st_ino == own:
                    target.unlink()


def _bound(listener: socket.socket, folder: Path, target: Path | None = None) -> Path:
    """Bind a socket in a folder that only this user can enter, so that nobody reaches it before its mode is set."""
    if target and len(os.fsencode(target)) > LONGEST_PATH:
        raise OSError("the path is too long for a socket")
    made = folder / "s"
    listener.bind(str(made))
    made.chmod(0o600)
    listener.listen(WAITING)
    return made


def _write_note(note: Path, made: Path) -> None:
    note.touch(mode=0o600)
    note.write_text(str(made), encoding="utf-8")


@contextmanager
def _private_folder(parent: Path | None = None) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=".qrkit-" if parent else "qrkit-", dir=parent))  # its mode is 0700
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def connected(store: Path) -> socket.socket | None:
    """Return a connection to the process that serves a store; None if none does, or not for this user."""
    if not has_sockets():
        return None
    target = place(store)
    with suppress(OSError):
        owners, found = _owners(store), target.lstat()
        if found.st_uid not in owners:
            return None
        if not S_ISSOCK(found.st_mode):
            target = Path(target.read_text(encoding="utf-8")[:LONGEST_PATH])
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(target))
            if is_trusted(connection, owners):
                return connection
        except BaseException:
            connection.close()
            raise
        connection.close()
    return None


def is_trusted(connection: socket.socket, users: set[int]) -> bool:
    """Return whether the process at the other end runs as one of these users; True where the system does not tell.

    Where it does not, the modes of the socket and its folder are what keeps others out.
    """
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    return _PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))[1] in users
