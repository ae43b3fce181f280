"""Places for the files of a history: a folder, or a bucket of an object store.

A place writes a file whole or not at all. Before it writes a file, it leaves an empty note that the file may be deleted
unless the store lists it; so whatever a crash leaves behind is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from qrkit.store.places.history_bucket import Bucket
from qrkit.store.places.history_folder import Folder

if TYPE_CHECKING:
    import duckdb


class Place(Protocol):
    """Where the files of a history are; `file` is a path in it, such as 2026-03/0123456789abcdef.parquet.

    Attributes:
        address: The absolute path or the URL.
    """

    @property
    def address(self) -> str:
        """Return the absolute path or the URL."""

    def admit(self, connection: duckdb.DuckDBPyConnection) -> str:
        """Give a connection of DuckDB its way to this place; return the directory that it must be allowed to use."""

    def address_of(self, file: str) -> str:
        """Return the path or URL by which DuckDB reads a file."""

    def writing(self, file: str) -> AbstractContextManager[str]:
        """Context manager: yields where to write a file, which is whole and durable at its address afterwards.

        Raises:
            CannotWrite: If the place cannot be written.
        """

    def size(self, file: str) -> int:
        """Return the size of a file in bytes.

        Raises:
            OSError: If the file cannot be read.
        """

    def parts(self, file: str) -> Iterator[bytes]:
        """Yield the bytes of a file in parts."""

    def has(self, file: str) -> bool:
        """Return whether there is a file."""

    def delete(self, file: str) -> bool:
        """Delete a file of visits; return False if it cannot be deleted yet, or another file has this name."""

    def unlisted(self) -> list[str]:
        """Return the files with a note that they may be deleted, even if the files do not exist."""

    def forget_note(self, file: str) -> None:
        """Delete the note that a file may be deleted."""

    def manifest(self) -> bytes:
        """Return the list of files for other programs; empty if there is none."""

    def replace(self, file: str, data: bytes) -> None:
        """Write a file that the store does not list, such as the manifest, in the place of an older one.

        Raises:
            CannotWrite: If the place cannot be written.
        """

    def is_used(self) -> bool:
        """Return whether a file was ever written here."""


def place_at(address: str) -> Place:
    """Return the place with an address: the path of a folder, or the URL of a prefix in a bucket."""
    return Bucket(address) if "://" in address else Folder(Path(address).absolute())
