"""The heat map: a picture of the symbol, with each wrong module where it is."""

import re
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest

from qrkit import Layer, check
from qrkit.scanning.budget import Budget
from qrkit.scanning.heat_map import FIXED, WRONG
from tests.conformance import readers
from tests.drawing.pictures import filled
from tests.scanning.designs import CARD, plain, with_logo

BLACK = filled((0, 0, 0, 255))


def budget_of(**fields) -> Budget:
    return check(plain(**fields), "static").budget


def colors(budget: Budget) -> np.ndarray:
    """Of the middle of each module, rows x columns x red, green, blue."""
    picture = readers.svg(budget.heat_map().encode())
    assert picture.shape[0] == picture.shape[1] == 10 * (budget.symbol.side + 4)
    return picture[25:-20:10, 25:-20:10, :3].astype(int)


def rgb(color: str) -> list[int]:
    return list(bytes.fromhex(color[1:]))


def test_of_a_plain_symbol_it_is_the_symbol_in_pale_greys():
    budget = budget_of()
    seen = colors(budget)
    dark = np.array([list(row) for row in budget.symbol.modules]) == 1
    assert len(np.unique(seen[dark], axis=0)) == len(np.unique(seen[~dark], axis=0)) == 1
    assert 120 < seen[dark].mean() < seen[~dark].mean() < 250


@pytest.mark.parametrize("design", [with_logo(0.3, ec="H"), with_logo(0.5, CARD, ec="L")], ids=["small", "large"])
def test_wrong_modules_are_where_they_are(design):
    budget = check(design, "static").budget
    seen = colors(budget)
    assert np.array_equal((seen == rgb(WRONG)).all(axis=-1) | (seen == rgb(FIXED)).all(axis=-1), budget.wrong)


def test_wrong_modules_of_function_patterns_have_a_colour_of_their_own():
    budget = budget_of(layers=[Layer(BLACK, x=32, y=32, width=64, height=64)])
    seen = colors(budget)
    violet = (seen == rgb(FIXED)).all(axis=-1)
    assert violet.any()
    assert sum(budget.fixed.values()) == violet.sum()


def test_the_more_of_a_block_is_used_the_redder_its_wrong_codewords():
    greens = []
    for share in (0.12, 0.25, 0.45):
        budget = check(with_logo(share, version=4, ec="H"), "static").budget
        seen = colors(budget)
        light = np.array([list(row) for row in budget.symbol.modules]) == 0
        tinted = light & ~budget.wrong & (np.ptp(seen, axis=-1) > 40)
        assert tinted.any()
        greens.append(seen[tinted][:, 1].max())
    assert greens == sorted(greens, reverse=True)
    assert greens[0] > greens[-1]


def test_it_says_in_words_what_it_shows():
    root = ElementTree.parse(BytesIO(budget_of().heat_map().encode())).getroot()
    assert root.get("role") == "img"
    assert re.search(r"version 2-M .* 0 modules read wrong, the worst block uses 0%", root.get("aria-label"))


def test_it_is_the_same_twice_and_small():
    budget = check(with_logo(0.4, "x" * 1200), "static").budget
    assert budget.heat_map() == budget.heat_map()
    assert len(budget.heat_map()) < 400_000
