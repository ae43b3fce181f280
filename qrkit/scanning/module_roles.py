"""What each module of a version is for, and which codeword it belongs to, as arrays."""

from __future__ import annotations

from functools import cache

import numpy as np

from qrkit.symbol.encode.blocks import codeword_blocks
from qrkit.symbol.symbol import bit_numbers, roles

__all__ = ["module_codewords", "role_grid"]


@cache
def role_grid(version: int) -> np.ndarray:
    """uint8, side x side: the `Role` of each module."""
    rows = roles(version)
    return np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), len(rows))


@cache
def module_codewords(version: int) -> np.ndarray:
    """int32, side x side: the codeword of each module, in the order of placement; -1 where there is none."""
    numbers = np.asarray(bit_numbers(version)).astype(np.int32)
    codewords = numbers // 8
    codewords[codewords >= len(codeword_blocks(version, "L"))] = -1  # remainder bits
    codewords[numbers < 0] = -1
    return codewords
