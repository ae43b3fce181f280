"""Writes zip archives with any number of files, one after the other, in constant memory.

`zipfile.ZipFile` keeps a record of each entry until the end, which for small images takes as much memory as the images.
Here, the central directory is kept in a temporary file. The format is APPNOTE.TXT 6.3, with Zip64 records if an archive
has 65,535 entries or more, or reaches 4 GB.
"""

from __future__ import annotations

import zlib
from struct import Struct
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self

STORED, DEFLATED = 0, 8
UTF_8 = 0x800
LONG_AGO = 0x21
"""1980-01-01 in MS-DOS format, the date of all entries, so that the same files give the same bytes."""
BY_UNIX = 3 << 8
VERSION, VERSION_OF_ZIP64 = 20, 45
READABLE = 0o644 << 16
MOST_16, MOST_32 = 0xFFFF, 0xFFFFFFFF
IN_MEMORY = 2**20
"""Bytes of the directory kept in memory, about 10,000 entries; a larger one goes to disk."""
TOGETHER = 2**16

ENTRY = Struct("<4s5H3L2H")
IN_DIRECTORY = Struct("<4s6H3L5H2L")
FAR_OFFSET = Struct("<2HQ")
END_OF_ZIP64 = Struct("<4sQ2H2L4Q")
WHERE_THAT_IS = Struct("<4sLQL")
END = Struct("<4s4H2LH")


class Packed(NamedTuple):
    """A file for an archive: its data, stored (method 0) or deflated (method 8), its CRC-32, and its size."""

    data: bytes
    method: int
    check: int
    size: int


def packed(data: bytes, *, deflated: bool) -> Packed:
    """Prepare a file of less than 4 GB for an archive; this can run in another process."""
    if not deflated:
        return Packed(data, STORED, zlib.crc32(data), len(data))
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return Packed(packer.compress(data) + packer.flush(), DEFLATED, zlib.crc32(data), len(data))


class ZipStream:
    """An archive that is written entry by entry. Use it as a context manager: its end writes the directory.

    An error in the block leaves the file without a directory, so that it is not a valid archive. `start` bytes stand
    before the archive.
    """

    def __init__(self, file: BinaryIO, *, start: int = 0) -> None:
        self._file = file
        self._at = start
        self._count = 0
        self._directory = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed by __exit__

    def add(self, name: str, entry: Packed) -> str:
        """Write a file, and return its name, which must be new to the archive and have at most 65,535 bytes."""
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
        return name

    @property
    def is_empty(self) -> bool:
        """Whether nothing was added."""
        return not self._count

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._directory:
            if kind is None:
                self._finish()

    def _finish(self) -> None:
        """Write the directory and the records that locate it."""
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
