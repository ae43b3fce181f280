"""A bucket of S3, or of any object store that speaks its protocol, as the place of a history.

An object appears whole or not at all, so a file is written under its own name. The keys come from where all programs
of AWS look for them: environment variables, the files in ~/.aws, or the role of the machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from qrkit.errors import CannotWrite, InvalidParameter, Problem, extra
from qrkit.store.places.history_folder import MANIFEST, PART, is_name, note_of

if TYPE_CHECKING:
    import duckdb


S3 = "s3://"
ADDRESS = re.compile(r"s3://[\w.-]+/[\w.=/-]*[\w.=-]/?", re.ASCII)
PATIENCE = {"connect_timeout": 5, "read_timeout": 60, "retries": {"mode": "standard", "max_attempts": 2}}
"""Seconds, and tries; s3fs adds tries of its own."""


class Bucket:
    """A prefix in a bucket; its address is a URL, `s3://bucket/prefix`."""

    def __init__(self, address: str) -> None:
        if not ADDRESS.fullmatch(address) or ".." in address:
            rule = "must be a bucket and a prefix, such as s3://bucket/shop; credentials come from the environment"
            raise InvalidParameter(Problem("to", address.rpartition("@")[2], rule))
        with extra("s3"):
            from s3fs import S3FileSystem
        self.address = address.rstrip("/")
        # Other processes write here, too: what is there is asked each time.
        self._objects: Any = S3FileSystem(use_listings_cache=False, config_kwargs=PATIENCE)

    def admit(self, connection: duckdb.DuckDBPyConnection) -> str:
        """Give a connection of DuckDB its way to this prefix; return the directory that it must be allowed to use."""
        connection.register_filesystem(self._objects)
        return f"{self.address}/"

    def address_of(self, file: str) -> str:
        """Return the URL of a file."""
        return f"{self.address}/{file}"

    @contextmanager
    def writing(self, file: str) -> Iterator[str]:
        """Context manager: yields where to write a file; if the block fails, nothing is left of it."""
        try:
            with self._telling(file):
                self._objects.pipe_file(self.address_of(note_of(file)), b"")
        except FileNotFoundError as error:
            raise CannotWrite(f"{self.address} is in a bucket that does not exist: {error}") from error
        try:
            yield self.address_of(file)
        except BaseException:
            with suppress(Exception):  # the first error is more informative, and the note stays for the next time
                self._objects.rm_file(self.address_of(file))
                self.forget_note(file)
            raise

    def size(self, file: str) -> int:
        """Return the size of a file in bytes."""
        with self._telling(file):
            return int(self._objects.info(self.address_of(file))["size"])

    def parts(self, file: str) -> Iterator[bytes]:
        """Yield the bytes of a file in parts."""
        with self._telling(file), self._objects.open(self.address_of(file), "rb") as data:
            while part := data.read(PART):
                yield part

    def has(self, file: str) -> bool:
        """Return whether there is a file."""
        with self._telling(file):
            return bool(self._objects.isfile(self.address_of(file)))

    def delete(self, file: str) -> bool:
        """Delete a file of visits."""
        if is_name(file):
            self._remove(file)
        return is_name(file)

    def unlisted(self) -> list[str]:
        """Return the files that may be deleted unless the store lists them, whether or not they are there."""
        with self._telling(""):
            notes = [f"{S3}{note}" for note in self._objects.glob(self.address_of("*/.*.unlisted"))]
        files = [note.removeprefix(f"{self.address}/").replace("/.", "/").removesuffix(".unlisted") for note in notes]
        return [file for file in files if is_name(file)]

    def forget_note(self, file: str) -> None:
        """Delete the note that a file may be deleted."""
        self._remove(note_of(file))

    def manifest(self) -> bytes:
        """Return the list of files for other programs; empty if there is none."""
        with self._telling(MANIFEST), suppress(FileNotFoundError):
            return bytes(self._objects.cat_file(self.address_of(MANIFEST)))
        return b""

    def replace(self, file: str, data: bytes) -> None:
        """Write a file that the store does not list, such as the manifest, in the place of an older one."""
        with self._telling(file):
            self._objects.pipe_file(self.address_of(file), data)

    def is_used(self) -> bool:
        """Return whether a file was ever written here."""
        return True

    def _remove(self, key: str) -> None:
        with self._telling(key), suppress(FileNotFoundError):
            self._objects.rm_file(self.address_of(key))

    @contextmanager
    def _telling(self, file: str) -> Iterator[None]:
        """Turn what s3fs and its libraries raise, of many kinds, into an error that names the file."""
        try:
            yield
        except FileNotFoundError:
            raise
        except Exception as error:
            reason = str(error) or type(error).__name__
            raise CannotWrite(f"{self.address_of(file)} cannot be read or written: {reason}") from error
