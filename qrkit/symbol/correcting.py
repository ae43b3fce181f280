"""Corrects the codewords of a Reed-Solomon block that was read from a picture (ISO/IEC 18004:2015, annex B).

A block is a polynomial over the field of 256 elements, its first codeword the highest coefficient. Without errors, it
is 0 at the first powers of 2. What it is there instead, the syndromes, gives the places of the errors
(Berlekamp-Massey) and their values (Forney).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, log2

import numpy as np

from qrkit.symbol.encode.reed_solomon import LOGARITHMS, ORDER, POWERS, times

SURE_BITS = 30
"""Noise is taken for a block with a chance of at most 1 in 2 to the power of this.

It is the protection of version 1-L, for which the standard reserves codewords against false readings.
"""

_POWERS, _LOGARITHMS = np.array(POWERS, dtype=np.uint8), np.array(LOGARITHMS)


def corrected(block: bytes, count: int, erased: Sequence[int] = ()) -> bytes | None:
    """Correct the erased codewords of a block, and wrong ones at unknown places; None if too much is wrong.

    `count` are the codewords for error correction: each corrects an erased codeword, and two a wrong one. The block is
    also refused if so much is wrong that a false message would be likely.
    """
    syndromes = _values(block[::-1], np.arange(count))
    if not syndromes.any():
        return block
    locator = _locator(syndromes.tolist(), len(block), erased)
    wrong = len(locator) - 1 - len(erased)
    if wrong < 0 or not _is_sure(len(block) - len(erased), count - len(erased), wrong):
        return None
    inverses = np.arange(1 - len(block), 1) % ORDER
    places = np.flatnonzero(_values(bytes(locator), inverses) == 0)
    if len(places) < len(locator) - 1:
        return None
    slopes = _values(bytes(one if power % 2 else 0 for power, one in enumerate(locator)), inverses[places])
    if not slopes.all():
        return None
    overs = _values(bytes(_product(locator, syndromes.tolist())), inverses[places])
    right = np.frombuffer(block, dtype=np.uint8).copy()
    quotients = _POWERS[_LOGARITHMS[overs] - _LOGARITHMS[slopes] + ORDER]
    right[places] ^= np.where(overs, quotients, 0).astype(np.uint8)
    return None if _values(right[::-1].tobytes(), np.arange(count)).any() else right.tobytes()


def _is_sure(codewords: int, count: int, wrong: int) -> bool:
    """Return True if noise would rarely be so near to a block: with this many wrong codewords at unknown places."""
    return 2 * wrong <= count and 8 * (count - wrong) - log2(comb(codewords, wrong)) >= SURE_BITS


def _values(polynomial: bytes, exponents: np.ndarray) -> np.ndarray:
    """Return the values of a polynomial, its lowest coefficient first, at powers of 2, as uint8."""
    coefficients = np.frombuffer(polynomial, dtype=np.uint8)
    powers = np.flatnonzero(coefficients)
    terms = _POWERS[(_LOGARITHMS[coefficients[powers], None] + powers[:, None] * exponents) % ORDER]
    values: np.ndarray = np.bitwise_xor.reduce(terms, axis=0)
    return values


def _locator(syndromes: list[int], length: int, erased: Sequence[int]) -> list[int]:
    """Return the polynomial that is 0 at the inverse of the place of each wrong codeword (Berlekamp-Massey)."""
    locator = [1]
    for place in erased:
        locator = _sum([*locator, 0], [0, *_scaled(locator, POWERS[length - 1 - place])])
    known = degree = len(erased)
    before, shift, last = locator, 1, 1
    for number in range(known, len(syndromes)):
        miss = 0
        for one, other in zip(locator[: number + 1], syndromes[number::-1], strict=False):
            miss ^= times(one, other)
        if not miss:
            shift += 1
            continue
        factor = POWERS[LOGARITHMS[miss] - LOGARITHMS[last] + ORDER]
        changed = _sum(locator, [0] * shift + _scaled(before, factor))
        if 2 * degree <= number + known:
            degree, before, last, shift = number + 1 + known - degree, locator, miss, 1
        else:
            shift += 1
        locator = changed
    while len(locator) > 1 and not locator[-1]:
        locator.pop()
    # With too many errors, the degree is not that of the polynomial, and there are fewer places.
    return locator if len(locator) - 1 == degree else [1]


def _product(one: list[int], other: list[int]) -> list[int]:
    """Multiply two polynomials, as far as the second one goes."""
    product = [0] * len(other)
    for power, factor in enumerate(one[: len(other)]):
        product = _sum(product, [0] * power + _scaled(other[: len(other) - power], factor))
    return product


def _sum(one: list[int], other: list[int]) -> list[int]:
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return [first ^ second for first, second in zip(longer, shorter, strict=False)] + longer[len(shorter) :]


def _scaled(polynomial: list[int], factor: int) -> list[int]:
    return [times(one, factor) for one in polynomial]
