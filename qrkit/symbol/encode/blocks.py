"""Distributes codewords among Reed-Solomon blocks (ISO/IEC 18004:2015, table 9 and 7.6)."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from qrkit.symbol.encode.capacity import BLOCK_COUNTS, CORRECTION_CODEWORDS, DATA_CODEWORDS
from qrkit.symbol.encode.reed_solomon import correction_codewords

MISDECODE_PROTECTION = {(1, "L"): 3, (1, "M"): 2, (1, "Q"): 1, (1, "H"): 1, (2, "L"): 2, (3, "L"): 1}
"""Correction codewords reserved for detecting miscorrections (p in 7.5.1); 0 in other symbols."""


class Block(NamedTuple):
    """A Reed-Solomon block: its data and error correction codewords, and the wrong codewords that it may correct.

    `correctable` counts wrong codewords at unknown positions (r in table 9).
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
    """Return the number of the block, 0..80, of each codeword of the final message, in the order of placement (7.6).

    A module with bit number k (`bit_numbers`) belongs to codeword k // 8; remainder bits belong to no block.
    """
    shares = blocks(version, level)
    data = [number for at in range(shares[-1].data) for number, block in enumerate(shares) if at < block.data]
    return bytes(data) + bytes(range(len(shares))) * shares[0].correction


def final_message(data: bytes, version: int, level: str) -> bytes:
    """Add error correction codewords and interleave the blocks, in the order of placement (7.5 and 7.6)."""
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
