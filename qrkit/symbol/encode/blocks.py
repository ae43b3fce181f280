"""Distributes codewords among Reed-Solomon blocks (ISO/IEC 18004:2015, table 9 and 7.6)."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from qrkit.symbol.encode.capacity import DATA_CODEWORDS
from qrkit.symbol.encode.reed_solomon import correction_codewords

__all__ = ["Block", "blocks", "codeword_blocks", "final_message"]

# fmt: off
CORRECTION_CODEWORDS: dict[str, tuple[int, ...]] = {
    "L": (
        7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
        28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ),
    "M": (
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
        26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ),
    "Q": (
        13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30,
        28, 30, 30, 30, 30, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ),
    "H": (
        17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28,
        30, 24, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ),
}
"""Error correction codewords per block in versions 1..40 (table 9)."""

BLOCK_COUNTS: dict[str, tuple[int, ...]] = {
    "L": (
        1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8,
        8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
    ),
    "M": (
        1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
        17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
    ),
    "Q": (
        1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20,
        23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68,
    ),
    "H": (
        1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25,
        25, 34, 30, 32, 35, 37, 40, 42, 45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81,
    ),
}
"""Number of blocks in versions 1..40 (table 9)."""
# fmt: on

MISDECODE_PROTECTION = {(1, "L"): 3, (1, "M"): 2, (1, "Q"): 1, (1, "H"): 1, (2, "L"): 2, (3, "L"): 1}
"""Correction codewords reserved for detecting miscorrections (p in 7.5.1); 0 in other symbols."""


class Block(NamedTuple):
    """A Reed-Solomon block; all fields count codewords.

    Attributes:
        data: Data codewords.
        correction: Error correction codewords.
        correctable: Wrong codewords at unknown positions that a reader may correct (r in table 9).
    """

    data: int
    correction: int
    correctable: int


@cache
def blocks(version: int, level: str) -> tuple[Block, ...]:
    """Return the blocks of a symbol in order; shorter blocks come first."""
    correction, count = CORRECTION_CODEWORDS[level][version - 1], BLOCK_COUNTS[level][version - 1]
    correctable = (correction - MISDECODE_PROTECTION.get((version, level), 0)) // 2
    data, longer = divmod(DATA_CODEWORDS[level][version - 1], count)
    shorter = count - longer
    return (Block(data, correction, correctable),) * shorter + (Block(data + 1, correction, correctable),) * longer


@cache
def codeword_blocks(version: int, level: str) -> bytes:
    """Return the number of the block, 0..80, to which each codeword of the final message belongs (7.6).

    The result has one byte per codeword in the order of placement. If `Symbol.bit_numbers[row, column]` is k, the
    module holds a bit of codeword k // 8. Bits beyond the last codeword are remainder bits, which belong to no block.
    """
    shares = blocks(version, level)
    data = [number for at in range(shares[-1].data) for number, block in enumerate(shares) if at < block.data]
    return bytes(data) + bytes(range(len(shares))) * shares[0].correction


def final_message(data: bytes, version: int, level: str) -> bytes:
    """Add error correction codewords and interleave the blocks, in the order of placement (7.5 and 7.6).

    Args:
        data: All data codewords of the symbol.
        version: 1..40.
        level: L, M, Q or H.
    """
    shares = blocks(version, level)
    count, (short, correction, _) = len(shares), shares[0]
    if count == 1:
        return data + correction_codewords(data, correction)
    shorter = count * (short + 1) - len(data)  # blocks that have one data codeword less
    common = short * count
    message = bytearray(len(data) + count * correction)
    start = 0
    for number, block in enumerate(shares):
        part = data[start : start + block.data]
        start += block.data
        message[number:common:count] = part[:short]
        if block.data > short:
            message[common + number - shorter] = part[short]
        message[len(data) + number :: count] = correction_codewords(part, correction)
    return bytes(message)
