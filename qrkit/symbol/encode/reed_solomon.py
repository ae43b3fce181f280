"""Computes error correction codewords (ISO/IEC 18004:2015, 7.5 and annex A).

The codewords of a block are coefficients of a polynomial over the field of 256 elements whose modulus is
x^8 + x^4 + x^3 + x^2 + 1. The correction codewords are its remainder on division by a generator polynomial.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate

MODULUS = 0b1_0001_1101
ORDER = 255
"""Number of elements of the field without 0, after which the powers of 2 repeat."""
POWERS = list(accumulate(range(2 * ORDER), lambda power, _: power << 1 ^ (MODULUS if power & 128 else 0), initial=1))
"""Powers of 2 in the field."""
LOGARITHMS = [0, *sorted(range(ORDER), key=POWERS.__getitem__)]
"""Their exponents, by element; that of 0 has no meaning."""


def correction_codewords(block: bytes, count: int) -> bytes:
    """Return the `count` error correction codewords of a block of data codewords."""
    remainders = _remainders(count)
    # The shift register of annex A (figure A.1), as an integer whose lowest byte leaves next.
    register = 0
    for codeword in block:
        register = register >> 8 ^ remainders[register & 255 ^ codeword]
    return register.to_bytes(count, "little")


@cache
def _remainders(count: int) -> tuple[int, ...]:
    """Return the product of each of the 256 codewords and the generator polynomial.

    A codeword that leaves the register adds this product to it. The lowest byte belongs to the highest power of x.
    """
    generator = _generator(count)
    table = [0]
    for power in range(8):
        product = int.from_bytes(bytes(times(1 << power, factor) for factor in generator), "little")
        table += [one ^ product for one in table]
    return tuple(table)


def _generator(count: int) -> list[int]:
    """Return the coefficients of (x - 1)(x - 2)(x - 4)... with `count` factors, highest power first, without the 1."""
    coefficients = [1]
    for root in POWERS[:count]:
        shifted = [times(coefficient, root) for coefficient in coefficients]
        coefficients = [one ^ other for one, other in zip([*coefficients, 0], [0, *shifted], strict=True)]
    return coefficients[1:]


def times(one: int, other: int) -> int:
    """Multiply two elements of the field."""
    return POWERS[LOGARITHMS[one] + LOGARITHMS[other]] if one and other else 0
