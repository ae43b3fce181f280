"""Finds pad codewords that give chosen modules a wanted color.

The bits after the terminator (ISO/IEC 18004:2015, 7.4.10) carry no data, and readers ignore them, so they can be
chosen freely. Each bit of a correction codeword is a sum, modulo 2, of data bits of its block, so flipping pad bits
flips modules throughout the block in a known way. Finding the bits to flip means solving linear equations: one per
module with a wanted color, with the pad bits as unknowns.

One wrong module makes a codeword wrong, and seven more do no further harm. Therefore the equations of a codeword are
used all together or not at all, to leave as many codewords as possible without a wrong module. The blocks are
independent of each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from qrkit.design.characters import Charset
from qrkit.design.message_part import MessagePart
from qrkit.errors import InvalidParameter, Problem
from qrkit.symbol.encode import Encoding, encode
from qrkit.symbol.encode.bit_stream import PAD_CODEWORDS, pad_codewords_held
from qrkit.symbol.encode.blocks import Block, blocks, codeword_blocks
from qrkit.symbol.encode.headers import header_of
from qrkit.symbol.encode.reed_solomon import correction_codewords
from qrkit.symbol.encode.segments import segments_of
from qrkit.symbol.symbol import ErrorCorrectionLevel, Symbol

Equation = int
"""The pad bits of a block in a sum, the first bit highest; the lowest bit is the wanted value of the sum."""

CONTRADICTION: Equation = 1
"""An empty sum cannot be 1."""


class Solution(NamedTuple):
    """The pad bits to flip in a block, as one integer, and how many codewords then have all their wanted colors."""

    met: int
    flips: int


def solve(
    content: str,
    *,
    version: int,
    error_correction: ErrorCorrectionLevel = "M",
    mode: str = "byte",
    charset: Charset | None = None,
    fnc1: bool = False,
    part: MessagePart | None = None,
    mask: int,
    wanted: Iterable[Iterable[int]],
) -> bytes:
    """Find pad codewords with which many codewords have all their modules in the wanted color.

    Codewords of the content cannot change. The other codewords are handled in order of their number of wanted modules,
    fewest first, because each wanted module uses up one of the 8 · n free bits in a block with n pad codewords. Any n
    codewords can be met; beyond n, even a search through all pad codewords would seldom meet another. Bits that are not
    needed keep their standard value, and the result is never worse than the standard pad codewords. The same arguments
    give the same bytes. There are none if the content fills the symbol.

    The other arguments are those of `encode`, to which the result is passed with the same ones.

    Args:
        mask: To find the best mask, try all of them.
        wanted: Rows of the symbol's modules, without quiet zone: 1 for dark, 0 for light, -1 for either. Values for
            function patterns have no effect.
    """
    encoding: Encoding = {"mode": mode, "charset": charset, "fnc1": fnc1, "part": part}
    symbol = encode(content, version=version, error_correction=error_correction, mask=mask, **encoding)
    header = header_of(charset, part, fnc1=fnc1)
    segments = segments_of(content, mode, version, header)
    standard = PAD_CODEWORDS[: pad_codewords_held(segments, version, error_correction, header)]
    wishes = _wanted_bits(symbol, _check_wanted(wanted, symbol.side))
    flips = b""
    # Pad codewords are the last data codewords, so the first blocks may have none.
    fixed = sum(block.data for block in blocks(version, error_correction)) - len(standard)
    for block, codewords in zip(blocks(version, error_correction), wishes, strict=True):
        free = min(max(block.data - fixed, 0), block.data)
        fixed -= block.data - free
        flips += _solve_block(codewords, block, free).flips.to_bytes(free, "big")
    return bytes(pad ^ flip for pad, flip in zip(standard, flips, strict=True))


def _check_wanted(wanted: Iterable[Iterable[int]], side: int) -> list[list[int]]:
    rows = [list(row) for row in wanted]
    if len(rows) != side or {len(row) for row in rows} != {side} or not {-1, 0, 1}.issuperset(chain(*rows)):
        rule = f"must be {side} rows of {side} modules, each 1 for dark, 0 for light or -1 for no wish"
        raise InvalidParameter(Problem("wanted", None, rule, "bad-value"))
    return [[int(module) for module in row] for row in rows]


def _wanted_bits(symbol: Symbol, wanted: list[list[int]]) -> list[list[dict[int, bool]]]:
    """For each codeword of each block, map the wanted bits (0 is the highest) to whether they must flip."""
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


def _solve_block(codewords: Sequence[dict[int, bool]], block: Block, free: int) -> Solution:
    """Find the pad bits to flip in a block whose last `free` data codewords are pads."""
    first = block.data - free
    sums = (0,) * (8 * first) + _sums(free, block.correction)
    wished = [
        [sums[8 * number + bit] << 1 | flip for bit, flip in codeword.items()]
        for number, codeword in enumerate(codewords)
        if codeword
    ]
    cheapest_first = sorted(wished, key=len)
    # The standard pad codewords satisfy all equations that come first here, so the result is never worse than they are.
    standard_first = sorted(cheapest_first, key=lambda equations: any(one & 1 for one in equations))
    return max(_solve_equations(cheapest_first), _solve_equations(standard_first), key=lambda solution: solution.met)


def _solve_equations(codewords: list[list[Equation]]) -> Solution:
    """Add the equations of one codeword after another, skipping codewords that contradict earlier ones."""
    taken: dict[int, Equation] = {}  # by highest bit, which is different in each
    met = 0
    for equations in codewords:
        more = _add_equations(equations, taken)
        if more is not None:
            taken, met = more, met + 1
    flips = 0
    for highest in sorted(taken):
        # All bits of an equation below its highest one are known by now. Unknowns without an equation stay 0.
        known, value = taken[highest] >> 1 & flips, taken[highest] & 1
        flips |= (known.bit_count() & 1 ^ value) << highest - 2
    return Solution(met, flips)


def _add_equations(equations: list[Equation], taken: dict[int, Equation]) -> dict[int, Equation] | None:
    """Add equations to those already taken; None if they contradict these or each other."""
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
    """For each bit of a block's pad and correction codewords, return the pad bits that add up to it."""
    unknowns = 8 * free
    columns = [
        int.from_bytes(correction_codewords(bytes([1 << bit, *bytes(after)]), correction), "big")
        for after in range(free - 1, -1, -1)
        for bit in range(7, -1, -1)
    ]
    digits = [f"{column:0{8 * correction}b}" for column in columns]
    of_correction = [int("".join(row), 2) for row in zip(*digits, strict=True)] or [0] * (8 * correction)
    return (*(1 << unknowns - 1 - number for number in range(unknowns)), *of_correction)
