"""Pad codewords that give modules a wanted colour.

What follows the terminator (ISO/IEC 18004:2015, 7.4.10) carries nothing, and readers do not look at it: its bits are
free. Each bit of a correction codeword is a sum, modulo 2, of data bits of its block, so that flipping pad bits flips
modules everywhere in a block, in a way that is known. Which pad bits to flip is then a system of linear equations: one
for each module with a wish, its unknowns the pad bits.

One wrong module makes a codeword wrong, and seven more cost nothing. So the equations of a codeword are taken all or
none, and as many codewords as can be are left without a wrong module. The blocks are independent of each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from qrkit.errors import InvalidParameter, Problem
from qrkit.symbol.encode import encode
from qrkit.symbol.encode.bit_stream import PAD_CODEWORDS, pad_codewords_held
from qrkit.symbol.encode.blocks import Block, blocks, codeword_blocks
from qrkit.symbol.encode.reed_solomon import correction_codewords
from qrkit.symbol.encode.segments import segments_of
from qrkit.symbol.symbol import ErrorCorrectionLevel, Symbol

__all__ = ["solve"]

Equation = int
"""The pad bits of a block that are summed, the first the highest bit; as the lowest bit, what the sum shall be."""

CONTRADICTION: Equation = 1
"""A sum of nothing cannot be 1."""


class Solution(NamedTuple):
    """Pad bits of a block.

    Attributes:
        met: How many codewords have all their wishes.
        flips: The pad codewords as one number: 1 for a bit to flip.
    """

    met: int
    flips: int


def solve(
    content: str,
    *,
    version: int,
    error_correction: ErrorCorrectionLevel = "M",
    mode: str = "byte",
    mask: int,
    wanted: Iterable[Iterable[int]],
) -> bytes:
    """Find pad codewords with which many codewords have all their modules as wanted.

    Codewords of the content cannot change. Of the others, those with the fewest wishes come first: each wish takes
    one of the 8 · n bits that a block with n pad codewords is free to choose. Whatever n codewords are wished for
    alone, they get. Of more, a search through all pad codewords would seldom find room for another one. Bits that are
    left over stay those of the standard, whose own pad codewords never meet more wishes. The same arguments give the
    same bytes.

    Args:
        content: The text.
        version: 1..40.
        error_correction: L, M, Q or H.
        mode: numeric, alphanumeric, byte, kanji, or auto.
        mask: 0..7; the best one for the wishes is found by trying all.
        wanted: Rows of the symbol's modules, without quiet zone: 1 shall be dark, 0 light, -1 is no wish. Wishes for
            function patterns are without effect.

    Returns:
        Pad codewords for `encode`, which is to be called with the same version, level, mode and mask; none where the
        content fills the symbol.

    Raises:
        ContentTooLong: The content does not fit.
        InvalidParameter: There is no such version, mode or mask, the mode does not know a character, or `wanted` has
            other values or not the shape of the symbol.
    """
    symbol = encode(
        content, version=version, error_correction=error_correction, mode=mode, mask=mask, pad_codewords="iso"
    )
    segments = segments_of(content, mode, version)
    standard = PAD_CODEWORDS[: pad_codewords_held(segments, version, error_correction)]
    wishes = _wishes(symbol, _checked(wanted, symbol.side))
    flips = b""
    # Pads are the last of all data codewords; the blocks before may have none.
    fixed = sum(block.data for block in blocks(version, error_correction)) - len(standard)
    for block, codewords in zip(blocks(version, error_correction), wishes, strict=True):
        free = min(max(block.data - fixed, 0), block.data)
        fixed -= block.data - free
        flips += _solution(codewords, block, free).flips.to_bytes(free, "big")
    return bytes(pad ^ flip for pad, flip in zip(standard, flips, strict=True))


def _checked(wanted: Iterable[Iterable[int]], side: int) -> list[list[int]]:
    rows = [list(row) for row in wanted]
    if len(rows) != side or {len(row) for row in rows} != {side} or not {-1, 0, 1}.issuperset(chain(*rows)):
        rule = f"must be {side} rows of {side} modules, each 1 for dark, 0 for light or -1 for no wish"
        raise InvalidParameter(Problem("wanted", None, rule, "bad-value"))
    return [[int(module) for module in row] for row in rows]


def _wishes(symbol: Symbol, wanted: list[list[int]]) -> list[list[dict[int, bool]]]:
    """For each block and each of its codewords: the bits with a wish, 0 the highest, and whether each must flip."""
    owners = codeword_blocks(symbol.version, symbol.error_correction)
    codewords: list[dict[int, bool]] = [{} for _ in owners]
    numbers = symbol.bit_numbers.cast("B").cast("h")  # the rows one after another
    for number, module, wish in zip(numbers, chain(*symbol.modules), chain(*wanted), strict=True):
        if wish >= 0 and 0 <= number < 8 * len(owners):
            codewords[number // 8][number % 8] = module != wish
    return [
        [codeword for codeword, owner in zip(codewords, owners, strict=True) if owner == block]
        for block in range(max(owners) + 1)
    ]


def _solution(codewords: Sequence[dict[int, bool]], block: Block, free: int) -> Solution:
    """The pad bits to flip in a block whose last `free` data codewords are pads."""
    first = block.data - free
    sums = (0,) * (8 * first) + _sums(free, block.correction)
    wished = [
        [sums[8 * number + bit] << 1 | flip for bit, flip in codeword.items()]
        for number, codeword in enumerate(codewords)
        if codeword
    ]
    cheapest_first = sorted(wished, key=len)
    # The standard's own pads meet the first of these all: whatever luck they have is not lost.
    standard_first = sorted(cheapest_first, key=lambda equations: any(one & 1 for one in equations))
    return max(_solved(cheapest_first), _solved(standard_first), key=lambda solution: solution.met)


def _solved(codewords: list[list[Equation]]) -> Solution:
    """Take the equations of one codeword after another, but for codewords that contradict those taken before."""
    taken: dict[int, Equation] = {}  # by their highest bit, which no two share
    met = 0
    for equations in codewords:
        more = _with(equations, taken)
        if more is not None:
            taken, met = more, met + 1
    flips = 0
    for highest in sorted(taken):
        # What an equation has below its highest bit is known by now; unknowns that no equation is about stay 0.
        known, value = taken[highest] >> 1 & flips, taken[highest] & 1
        flips |= (known.bit_count() & 1 ^ value) << highest - 2
    return Solution(met, flips)


def _with(equations: list[Equation], taken: dict[int, Equation]) -> dict[int, Equation] | None:
    """What is taken and these equations, too; None when they contradict it or each other."""
    more = dict(taken)
    for equation in equations:
        rest = equation
        while (highest := rest.bit_length()) in more:
            rest ^= more[highest]
        if rest == CONTRADICTION:
            return None
        if rest:
            more[highest] = rest
    return more


@lru_cache(maxsize=32)
def _sums(free: int, correction: int) -> tuple[int, ...]:
    """For each bit of the pad and the correction codewords of a block, the pad bits that it is the sum of."""
    unknowns = 8 * free
    columns = [
        int.from_bytes(correction_codewords(bytes([1 << bit, *bytes(after)]), correction), "big")
        for after in range(free - 1, -1, -1)
        for bit in range(7, -1, -1)
    ]
    digits = [f"{column:0{8 * correction}b}" for column in columns]
    of_correction = [int("".join(row), 2) for row in zip(*digits, strict=True)] or [0] * (8 * correction)
    return (*(1 << unknowns - 1 - number for number in range(unknowns)), *of_correction)
