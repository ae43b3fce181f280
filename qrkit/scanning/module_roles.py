"""Returns the role and the codeword of each module of a version, as arrays."""

from __future__ import annotations

from functools import cache

import numpy as np

from qrkit.symbol.encode.blocks import codeword_blocks
from qrkit.symbol.symbol import bit_numbers, roles


@cache
def role_grid(version: int) -> np.ndarray:
    """Return the `Role` of each module as uint8, side x side."""
    rows = roles(version)
    return np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), len(rows))


@cache
def module_codewords(version: int) -> np.ndarray:
    """Return the codeword of each module in the order of placement, or -1, as int32, side x side."""
    numbers = np.asarray(bit_numbers(version)).astype(np.int32)
    codewords = numbers // 8
    codewords[codewords >= len(codeword_blocks(version, "L"))] = -1  # remainder bits
    codewords[numbers < 0] = -1
    return codewords
