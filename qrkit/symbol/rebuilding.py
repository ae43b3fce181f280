"""Rebuilds the exact symbol from modules that a reader sampled with errors, whatever encoder made it."""

from __future__ import annotations

from functools import cache

import numpy as np

from qrkit.symbol.correcting import corrected
from qrkit.symbol.encode import symbol_with
from qrkit.symbol.encode.blocks import blocks, codeword_blocks, final_message
from qrkit.symbol.encode.masking import CONDITIONS
from qrkit.symbol.encode.placement import place
from qrkit.symbol.symbol import ErrorCorrectionLevel, Symbol, bit_numbers, side_of

UNSPENT = 4
"""Error correction codewords of a block that are never spent on erased codewords; they confirm what was found."""

STEPS = 4
"""Number of steps in which the least sure codewords of a block are erased, until it can be corrected."""


def rebuilt(
    dark: np.ndarray, version: int, level: ErrorCorrectionLevel, mask: int, sure: np.ndarray | None = None
) -> Symbol | None:
    """Return the symbol of these modules after correcting its codewords; None if too much is wrong.

    `dark` and `sure` are arrays of side x side: which modules were read as dark, and how sure each one is. The least
    sure codewords are erased where this helps.
    """
    count = len(codeword_blocks(version, level))
    numbers = np.asarray(bit_numbers(version)).astype(int)
    of_message = (numbers >= 0) & (numbers < 8 * count)
    bits, trust = np.zeros(8 * count, dtype=bool), np.zeros(8 * count)
    bits[numbers[of_message]] = (dark ^ _mask(version, mask))[of_message]
    if sure is not None:
        trust[numbers[of_message]] = sure[of_message]
    codewords, least = np.packbits(bits), trust.reshape(-1, 8).min(axis=1)
    data = b""
    for number, share in enumerate(blocks(version, level)):
        mine = np.frombuffer(codeword_blocks(version, level), dtype=np.uint8) == number
        ranked = np.argsort(least[mine], kind="stable").tolist()
        most = 0 if sure is None else max(0, share.correction - UNSPENT)
        tries = {most * step // STEPS: None for step in range(STEPS + 1)}
        block = codewords[mine].tobytes()
        right = next(filter(None, (corrected(block, share.correction, ranked[:erased]) for erased in tries)), None)
        if right is None:
            return None
        data += right[: share.data]
    return _symbol_of(data, version, level, mask)


def blank(version: int, level: ErrorCorrectionLevel, mask: int) -> Symbol:
    """Return a symbol whose data codewords are 0, for the patterns that all symbols of this kind share."""
    return _symbol_of(bytes(sum(share.data for share in blocks(version, level))), version, level, mask)


def _symbol_of(data: bytes, version: int, level: ErrorCorrectionLevel, mask: int) -> Symbol:
    return symbol_with(place(final_message(data, version, level), version), version, level, mask, "unknown")


@cache
def _mask(version: int, mask: int) -> np.ndarray:
    """Return True for the modules that a data mask pattern inverts."""
    side, condition = range(side_of(version)), CONDITIONS[mask]
    return np.array([[condition(row, column) == 0 for column in side] for row in side])
