"""Distributes codewords among Reed-Solomon blocks (ISO/IEC 18004:2015, table 9 and 7.6)."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from qrkit.symbol.encode.capacity import BLOCK_COUNTS, CORRECTION_CODEWORDS, DATA_CODEWORDS
from qrkit.symbol.encode.reed_solomon import correction_codewords

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
