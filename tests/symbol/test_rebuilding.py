"""The exact symbol is rebuilt from modules with errors."""

from random import Random

import numpy as np
import pytest

from qrkit.scanning.budget import true_modules
from qrkit.symbol.encode import encode
from qrkit.symbol.encode.blocks import blocks
from qrkit.symbol.rebuilding import blank, rebuilt
from tests.sweeps import quick_rows

KINDS = [(1, "L"), (2, "M"), (5, "Q"), (7, "H"), (14, "M"), (40, "L")]


@pytest.mark.parametrize(("version", "level"), quick_rows(KINDS, 4))
def test_damaged_modules_are_set_right(version, level):
    symbol = encode("Rebuild me", version=version, error_correction=level)
    dark, random = true_modules(symbol), Random(version)
    damaged = dark.copy()
    for _ in range(blocks(version, level)[0].correctable // 2):
        row, column = random.randrange(9, symbol.side - 9), random.randrange(9, symbol.side - 9)
        damaged[row, column] ^= True
    found = rebuilt(damaged, version, level, symbol.mask)
    assert found is not None
    assert (found.modules, found.name) == (symbol.modules, symbol.name)


def test_unsure_modules_are_erased_where_that_helps():
    symbol = encode("https://example.com", version=3, error_correction="M")
    dark = true_modules(symbol)
    damaged, sure = dark.copy(), np.ones(dark.shape)
    middle = slice(9, 20)
    damaged[middle, middle], sure[middle, middle] = True, 0.1
    assert rebuilt(damaged, 3, "M", symbol.mask) is None
    found = rebuilt(damaged, 3, "M", symbol.mask, sure)
    assert found is not None
    assert found.modules == symbol.modules


def test_noise_is_no_symbol():
    random = np.random.default_rng(45)
    for version, level in KINDS[:4]:
        noise = random.random((4 * version + 17,) * 2) < 0.5
        assert rebuilt(noise, version, level, 3, random.random(noise.shape)) is None


def test_a_blank_symbol_has_the_patterns_of_all():
    one, other = blank(7, "Q", 5), encode("anything", version=7, error_correction="Q", mask=5)
    roles = np.frombuffer(b"".join(one.roles), dtype=np.uint8).reshape(one.side, one.side)
    assert (true_modules(one) == true_modules(other))[roles > 0].all()
