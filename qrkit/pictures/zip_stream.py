"""Zip archives of any number of files, written one after the other; what is written is not remembered.

`zipfile.ZipFile` keeps a record of each entry until the end, which for small pictures takes as much memory as they do.
Here the directory of the archive waits in a temporary file. The format is APPNOTE.TXT 6.3, with its Zip64 records where
an archive has 65,535 entries or more, or reaches 4 GB.
"""

from __future__ import annotations

import zlib
from struct import Struct
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self

__all__ = ["Packed", "ZipStream", "packed"]

STORED, DEFLATED = 0, 8
UTF_8 = 0x800
LONG_AGO = 0x21
"""1980-01-01 as MS-DOS writes it, the date of all entries: the same files give the same bytes."""
BY_UNIX = 3 << 8
VERSION, VERSION_OF_ZIP64 = 20, 45
READABLE = 0o644 << 16
MOST_16, MOST_32 = 0xFFFF, 0xFFFFFFFF
IN_MEMORY = 2**20
"""Bytes of the directory, about 10,000 entries; more of it waits on the disk."""
TOGETHER = 2**16

ENTRY = Struct("<4s5H3L2H")
IN_DIRECTORY = Struct("<4s6H3L5H2L")
FAR_OFFSET = Struct("<2HQ")
END_OF_ZIP64 = Struct("<4sQ2H2L4Q")
WHERE_THAT_IS = Struct("<4sLQL")
END = Struct("<4s4H2LH")


class Packed(NamedTuple):
    """The bytes of a file as they stand in an archive.

    Attributes:
        data: Them, deflated or not.
        method: 0 as they are, 8 deflated.
        check: CRC-32 of the file.
        size: Bytes of the file.
    """

    data: bytes
    method: int
    check: int
    size: int


def packed(data: bytes, *, deflated: bool) -> Packed:
    """A file of less than 4 GB, ready to be written; another process may do this part."""
    if not deflated:
        return Packed(data, STORED, zlib.crc32(data), len(data))
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return Packed(packer.compress(data) + packer.flush(), DEFLATED, zlib.crc32(data), len(data))


class ZipStream:
    """An archive that is written entry by entry: a context manager, whose end writes the directory.

    An error inside leaves the file without its directory, which makes it no archive.

    Args:
        file: Where to, opened for bytes.
        start: How many bytes are in front of the archive.
    """

    def __init__(self, file: BinaryIO, *, start: int = 0) -> None:
        self._file = file
        self._at = start
        self._count = 0
        self._directory = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed by __exit__

    def add(self, name: str, entry: Packed) -> None:
        """Write a file; its name is new to the archive and has at most 65,535 bytes."""
        called = name.encode()
        flags = 0 if name.isascii() else UTF_8
        what = (flags, entry.method, 0, LONG_AGO, entry.check, len(entry.data), entry.size, len(called))
        self._file.write(b"".join((ENTRY.pack(b"PK\3\4", VERSION, *what, 0), called, entry.data)))
        is_far = self._at >= MOST_32
        far = FAR_OFFSET.pack(1, 8, self._at) if is_far else b""
        needed = VERSION_OF_ZIP64 if is_far else VERSION
        where = (len(far), 0, 0, 0, READABLE, min(self._at, MOST_32))
        self._directory.write(IN_DIRECTORY.pack(b"PK\1\2", BY_UNIX | needed, needed, *what, *where) + called + far)
        self._at += ENTRY.size + len(called) + len(entry.data)
        self._count += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._directory:
            if kind is None:
                self._finish()

    def _finish(self) -> None:
        """Write the directory and what tells where it is."""
        size = self._directory.tell()
        self._directory.seek(0)
        while part := self._directory.read(TOGETHER):
            self._file.write(part)
        if self._count >= MOST_16 or size >= MOST_32 or self._at >= MOST_32:
            made = (BY_UNIX | VERSION_OF_ZIP64, VERSION_OF_ZIP64)
            rest = END_OF_ZIP64.size - 12
            self._file.write(
                END_OF_ZIP64.pack(b"PK\6\6", rest, *made, 0, 0, self._count, self._count, size, self._at)
                + WHERE_THAT_IS.pack(b"PK\6\7", 0, self._at + size, 1)
            )
        count = min(self._count, MOST_16)
        self._file.write(END.pack(b"PK\5\6", 0, 0, count, count, min(size, MOST_32), min(self._at, MOST_32), 0))
