"""Reads the blocks of a DuckDB file and their checksums without DuckDB.

DuckDB verifies the checksum of a block when a query needs the block. Damage therefore stays unnoticed until then, and
damage to an index until the next write. A file has a main header, two further headers, of which the newer one is valid,
and blocks. The table of contents (tables, positions of their columns, free blocks) is also stored in blocks.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Collection, Iterator
from functools import reduce
from itertools import islice
from operator import xor
from pathlib import Path
from typing import BinaryIO, NamedTuple

HEADERS = (4096, 8192)
HEADER_BYTES = 4096
FIRST_BLOCK = 3 * HEADER_BYTES
CHECKSUM_BYTES = 8
PARTS = 64
"""Number of parts in a block of the table of contents."""
NOWHERE = 2**64 - 1
NUMBER_BITS = 56
"""A position contains the number of a block in this many lower bits, and the number of a part in the upper bits."""
FACTOR, SEED, MASK = 0xBF58476D1CE4E5B9, 5381, 2**64 - 1
REST_FACTOR, REST_SEED, SHIFT = 0xC6A4A7935BD1E995, 0xE17A1465, 47


class _Header(NamedTuple):
    """The newer header of a file: its iteration number, and the positions of the contents and of the free list."""

    iteration: int
    contents: int
    free_list: int
    blocks: int
    block_bytes: int


def checksum(data: bytes) -> int:
    """Return DuckDB's checksum of these bytes."""
    whole = len(data) // 8 * 8
    result = reduce(xor, (word * FACTOR for word in memoryview(data)[:whole].cast("Q")), SEED) & MASK
    return result ^ _checksum_of_rest(data[whole:]) if data[whole:] else result


def _checksum_of_rest(data: bytes) -> int:
    """Return the checksum of 1 to 7 bytes."""
    mixed = (REST_SEED ^ (len(data) * REST_FACTOR)) & MASK
    mixed = (mixed ^ int.from_bytes(data, "little")) * REST_FACTOR & MASK
    mixed = (mixed ^ (mixed >> SHIFT)) * REST_FACTOR & MASK
    return mixed ^ (mixed >> SHIFT)


def damaged_blocks(file: BinaryIO, *, besides: Collection[int]) -> list[int]:
    """Return the numbers of the blocks of a file that are missing or do not match their checksums, except free blocks.

    Python takes 10 ms per block, many times as long as DuckDB, so `besides` are the blocks that DuckDB has already
    read. The log of the file is ignored.
    """
    header = _newer_header(file)
    if header is None:
        return []
    others = set(range(header.blocks)) - set(besides) - _free_blocks(file, header)
    return [number for number in sorted(others) if not _is_sound(_block(file, header, number))]


def renew_checksum(path: Path, location: int) -> bool:
    """Recompute the checksum of the damaged block at a location, so that DuckDB reads it; return whether it exists.

    The data read afterwards may be wrong. DuckDB rejects a table of contents (tables and columns) that is inconsistent.
    """
    with path.open("r+b") as file:
        header = _newer_header(file)
        number = 0 if header is None else (location - FIRST_BLOCK) // header.block_bytes
        block = b"" if header is None else _block(file, header, number)
        if not block or _is_sound(block):
            return False
        file.seek(location)
        file.write(struct.pack("<Q", checksum(block[CHECKSUM_BYTES:])))
    return True


def copy_readable(source: BinaryIO, target: BinaryIO) -> None:
    """Copy the bytes of a file; bytes that the disk cannot read become zeros."""
    for place in range(0, os.fstat(source.fileno()).st_size, HEADER_BYTES):
        target.write(_read(source, place, HEADER_BYTES) or bytes(HEADER_BYTES))


def _newer_header(file: BinaryIO) -> _Header | None:
    """Return the newer of the undamaged headers, or None if both are damaged."""
    found = (_read(file, place, HEADER_BYTES) for place in HEADERS)
    headers = [_Header(*struct.unpack_from("<5Q", data, CHECKSUM_BYTES)) for data in found if _is_sound(data)]
    return max(headers, default=None)


def _free_blocks(file: BinaryIO, header: _Header) -> set[int]:
    """Return the numbers of the free blocks; their bytes have no meaning."""
    numbers = _numbers(file, header, header.free_list)
    count = next(numbers, 0)
    return set(islice(numbers, count)) if count <= header.blocks else set()


def _numbers(file: BinaryIO, header: _Header, position: int) -> Iterator[int]:
    """Yield the whole numbers stored from a position on; each part begins with the position of the next part."""
    part_bytes = (header.block_bytes - CHECKSUM_BYTES) // PARTS // 8 * 8
    for _ in range(header.blocks * PARTS):  # limited, because a damaged list may be endless
        if position == NOWHERE:
            return
        block = _block(file, header, position % 2**NUMBER_BITS)
        start = CHECKSUM_BYTES + (position >> NUMBER_BITS) * part_bytes
        part = block[start : start + part_bytes]
        if not _is_sound(block) or len(part) < part_bytes:
            return
        position, *numbers = memoryview(part).cast("Q")
        yield from numbers


def _block(file: BinaryIO, header: _Header, number: int) -> bytes:
    data = _read(file, FIRST_BLOCK + number * header.block_bytes, header.block_bytes)
    return data if len(data) == header.block_bytes else b""


def _is_sound(block: bytes) -> bool:
    stored = block[:CHECKSUM_BYTES]
    return len(block) > CHECKSUM_BYTES and int.from_bytes(stored, "little") == checksum(block[CHECKSUM_BYTES:])


def _read(file: BinaryIO, place: int, size: int) -> bytes:
    """Read bytes; return no bytes if the disk cannot read them."""
    try:
        file.seek(place)
        return file.read(size)
    except OSError:
        return b""
