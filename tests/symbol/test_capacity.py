"""What fits, at the edge: versions 1..40 x L M Q H x three modes."""

import re

import numpy as np
import pytest
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st
from segno import consts

from qrkit.design.design import Design
from qrkit.errors import ContentTooLong
from qrkit.symbol.encode import check_fits, encode
from qrkit.symbol.encode.capacity import LEVELS, Segment, bits_held, bits_needed, characters_held, smallest_version

LETTERS = {"numeric": "7", "alphanumeric": "Z", "byte": "z"}
EDGES = [(version, level, mode) for version in range(1, 41) for level in LEVELS for mode in LETTERS]
SAMPLE = [EDGES[(index * 12 + index * 7 % 12) % len(EDGES)] for index in range(40)]
"""One of the twelve edges of each version, another one from version to version; all are in `test_capacity_edges.py`."""


def fits(content: str, version: int, level: str, mode: str) -> bool:
    return bits_needed([Segment(mode, content)], version) <= bits_held(version, level)


def longest(version: int, level: str, mode: str) -> str:
    return LETTERS[mode] * characters_held(version, level, mode)


def read(content: str, version: int, level: str, mode: str) -> tuple[bytes, str, str]:
    """The bytes, the version and the level of a symbol."""
    symbol = encode(content, version=version, error_correction=level, mode=mode, mask=(version + len(mode)) % 8)
    grid = np.pad(np.array([list(row) for row in symbol.modules]), 4)
    picture = np.kron(255 - 255 * grid, np.ones((2, 2))).astype(np.uint8)
    found = zxingcpp.read_barcode(picture, formats=zxingcpp.BarcodeFormat.QRCode, is_pure=True)
    return found.bytes, found.extra["Version"], found.ec_level


def test_the_sample_has_every_version_level_and_mode():
    assert [version for version, _, _ in SAMPLE] == list(range(1, 41))
    assert len({(level, mode) for _, level, mode in SAMPLE}) == 12


def test_capacities_are_those_of_segno():
    levels = {
        "L": consts.ERROR_LEVEL_L,
        "M": consts.ERROR_LEVEL_M,
        "Q": consts.ERROR_LEVEL_Q,
        "H": consts.ERROR_LEVEL_H,
    }
    for version in range(1, 41):
        for level, number in levels.items():
            assert bits_held(version, level) == consts.SYMBOL_CAPACITY[version][number]


@pytest.mark.parametrize(
    ("version", "level", "characters"),
    [
        (1, "L", (41, 25, 17)),
        (1, "H", (17, 10, 7)),
        (9, "M", (432, 262, 180)),
        (10, "M", (513, 311, 213)),
        (26, "Q", (1804, 1094, 751)),
        (27, "Q", (1933, 1172, 805)),
        (40, "L", (7089, 4296, 2953)),
        (40, "H", (3057, 1852, 1273)),
    ],
)
def test_characters_held_are_those_of_table_7(version, level, characters):
    assert tuple(characters_held(version, level, mode) for mode in ("numeric", "alphanumeric", "byte")) == characters


@pytest.mark.rule("G1")
@pytest.mark.parametrize("version", range(1, 41))
def test_the_longest_content_fits_and_one_character_more_does_not(version):
    """Open: what automatic means. The smallest version that fits, to the last character."""
    for level in LEVELS:
        for mode in LETTERS:
            content = longest(version, level, mode)
            assert fits(content, version, level, mode)
            assert not fits(content + LETTERS[mode], version, level, mode)
            assert smallest_version([Segment(mode, content)], level) == version
            larger = smallest_version([Segment(mode, content + LETTERS[mode])], level)
            assert larger == (version + 1 if version < 40 else None)


def assert_remedies_work(error: ContentTooLong, content: str, version: int | None, level: str, mode: str) -> None:
    """Each way out that the message names is one, and it takes no more correction away than it must."""
    assert error.needed_bits > error.capacity_bits
    assert f"{error.needed_bits} bits" in str(error)
    assert f"holds {error.capacity_bits};" in str(error)
    _, remedies = str(error).split("what would fit: ")
    weaker = [one for one in LEVELS[: LEVELS.index(level)] if fits(content, version or 40, one, mode)]
    if weaker:
        assert f"version {version or 40} with ec={weaker[-1]}" in remedies
    for remedy in remedies.split(" or "):
        if found := re.fullmatch("version ([0-9]+) with ec=([LMQH])", remedy):
            assert fits(content, int(found[1]), found[2], mode)
            assert int(found[1]) >= (version or 40)
        elif found := re.fullmatch("em=([a-z]+)", remedy):
            assert fits(content, version or 40, level, found[1])
        else:
            most = re.fullmatch(r"at most ([0-9]+) (bytes|[a-z]+ characters) \(version 40 with ec=L\)", remedy)
            count, unit = int(most[1]), most[2].split()[0]
            assert fits(LETTERS.get(unit, "z") * count, 40, "L", unit.replace("bytes", "byte"))


@pytest.mark.parametrize("version", range(1, 41))
def test_one_character_more_is_refused_with_what_would_fit(version):
    for level in LEVELS:
        for mode in LETTERS:
            content = longest(version, level, mode) + LETTERS[mode]
            with pytest.raises(ContentTooLong, match="what would fit: ") as caught:
                encode(content, version=version, error_correction=level, mode=mode)
            assert_remedies_work(caught.value, content, version, level, mode)
            if version < 40:
                assert f"version {version + 1} with ec={level}" in str(caught.value)
            with pytest.raises(ContentTooLong):
                check_fits(Design(content=content, version=version, ec=level, em=mode))


@given(
    st.text("0A aé漢", min_size=1, max_size=20),
    st.integers(1, 400),
    st.none() | st.integers(1, 40),
    st.sampled_from(LEVELS),
)
@settings(max_examples=60)
def test_whatever_is_refused_gets_remedies_that_work_and_whatever_fits_is_taken(text, times, version, level):
    content = text * times
    try:
        check_fits(Design(content=content, version=version, ec=level))
    except ContentTooLong as error:
        assert not fits(content, version or 40, level, "byte")
        assert_remedies_work(error, content, version, level, "byte")
    else:
        assert fits(content, version or 40, level, "byte")


@pytest.mark.parametrize(("version", "level", "mode"), SAMPLE)
def test_a_full_symbol_is_read_back(version, level, mode):
    content = longest(version, level, mode)
    assert read(content, version, level, mode) == (content.encode(), str(version), level)
