from collections import Counter

import numpy as np
import pytest
import segno
from segno import consts

from qrkit.symbol.encode import encode
from qrkit.symbol.symbol import FINDER, Role, alignment_centres, bit_numbers, finder_places, roles, side_of

VERSIONS = range(1, 41)

# fmt: off
TOTAL_CODEWORDS = (
    26, 44, 70, 100, 134, 172, 196, 242, 292, 346, 404, 466, 532, 581, 655, 733, 815, 901, 991, 1085, 1156, 1258, 1364,
    1474, 1588, 1706, 1828, 1921, 2051, 2185, 2323, 2465, 2611, 2761, 2876, 3034, 3196, 3362, 3532, 3706,
)
REMAINDER_BITS = (0, *[7] * 5, *[0] * 7, *[3] * 7, *[4] * 7, *[3] * 7, *[0] * 6)
"""Both from ISO/IEC 18004:2015, table 1, for versions 1 to 40."""
# fmt: on

SEGNO_ROLES = {
    consts.TYPE_DATA_DARK: Role.DATA,
    consts.TYPE_DATA_LIGHT: Role.DATA,
    consts.TYPE_FINDER_PATTERN_DARK: Role.FINDER,
    consts.TYPE_FINDER_PATTERN_LIGHT: Role.FINDER,
    consts.TYPE_SEPARATOR: Role.SEPARATOR,
    consts.TYPE_TIMING_DARK: Role.TIMING,
    consts.TYPE_TIMING_LIGHT: Role.TIMING,
    consts.TYPE_ALIGNMENT_PATTERN_DARK: Role.ALIGNMENT,
    consts.TYPE_ALIGNMENT_PATTERN_LIGHT: Role.ALIGNMENT,
    consts.TYPE_FORMAT_DARK: Role.FORMAT,
    consts.TYPE_FORMAT_LIGHT: Role.FORMAT,
    consts.TYPE_VERSION_DARK: Role.VERSION,
    consts.TYPE_VERSION_LIGHT: Role.VERSION,
    consts.TYPE_DARKMODULE: Role.DARK_MODULE,
}


@pytest.mark.parametrize("version", [1, 2, 6, 7, 13, 14, 21, 32, 40])
def test_roles_are_those_of_segno(version):
    code = segno.make_qr("1", version=version, mask=0)
    theirs = [[SEGNO_ROLES[kind] for kind in row] for row in code.matrix_iter(border=0, verbose=True)]
    # segno calls one module too many format information; ISO/IEC 18004:2015, figure 25, has eight in this row.
    assert theirs[8][-9] == Role.FORMAT
    theirs[8][-9] = Role.DATA
    assert [list(row) for row in roles(version)] == theirs


@pytest.mark.parametrize("version", VERSIONS)
def test_the_encoding_region_holds_all_codewords_and_the_remainder_bits(version):
    count = Counter(role for row in roles(version) for role in row)
    assert count[Role.DATA] == 8 * TOTAL_CODEWORDS[version - 1] + REMAINDER_BITS[version - 1]


@pytest.mark.parametrize("version", VERSIONS)
def test_function_patterns_have_their_number_of_modules(version):
    count = Counter(role for row in roles(version) for role in row)
    assert sum(count.values()) == side_of(version) ** 2 == (17 + 4 * version) ** 2
    assert (count[Role.FINDER], count[Role.SEPARATOR], count[Role.DARK_MODULE]) == (3 * 49, 3 * 15, 1)
    assert (count[Role.FORMAT], count[Role.VERSION]) == (30, 36 if version >= 7 else 0)
    lines = len(alignment_centres(version))
    patterns = lines * lines - 3 if lines else 0
    assert count[Role.ALIGNMENT] == 25 * patterns
    # Two timing patterns between the finder patterns, less what alignment patterns cover.
    assert count[Role.TIMING] == 2 * (side_of(version) - 16) - 2 * 5 * max(lines - 2, 0)


def test_alignment_patterns_stand_where_annex_e_says():
    assert alignment_centres(1) == ()
    assert [alignment_centres(version) for version in range(2, 41)] == list(consts.ALIGNMENT_POS)
    assert alignment_centres(32) == (6, 34, 60, 86, 112, 138)


@pytest.mark.parametrize("version", [1, 5, 7, 20, 40])
def test_function_patterns_are_the_same_whatever_is_encoded(version):
    first = encode("1", version=version, error_correction="H", mask=0)
    other = encode("9" * 30, version=version, error_correction="L", mode="numeric", mask=5)
    for ours, theirs, kinds in zip(first.modules, other.modules, first.roles, strict=True):
        for module, another, kind in zip(ours, theirs, kinds, strict=True):
            assert kind in (Role.DATA, Role.FORMAT) or module == another
    assert first.modules != other.modules


def test_the_dark_module_is_dark_separators_are_light_and_timing_alternates():
    symbol = encode("x", version=7, mask=0)
    by_role = {role: set() for role in Role}
    for row, (modules, kinds) in enumerate(zip(symbol.modules, symbol.roles, strict=True)):
        for column, (module, kind) in enumerate(zip(modules, kinds, strict=True)):
            by_role[kind].add((module, (row + column) % 2))
    assert {module for module, _ in by_role[Role.DARK_MODULE]} == {1}
    assert {module for module, _ in by_role[Role.SEPARATOR]} == {0}
    assert by_role[Role.TIMING] == {(1, 0), (0, 1)}


def test_a_symbol_says_what_it_is():
    symbol = encode("x", version=2, error_correction="Q", mask=3)
    assert symbol.side == 25
    assert repr(symbol) == "<Symbol 2-Q, byte, mask 3, 25 x 25 modules>"
    assert symbol == encode("x", version=2, error_correction="Q", mask=3)


def walk(version):
    """Row and column of every module of the encoding region in the order of 7.7.3, one step after another."""
    side, kinds = side_of(version), roles(version)
    row, right, up = side - 1, side - 1, True
    while right > 0:
        for column in (right, right - 1):
            if kinds[row][column] == Role.DATA:
                yield row, column
        row += -1 if up else 1
        if not 0 <= row < side:
            row, right, up = (0 if up else side - 1), right - (3 if right == 8 else 2), not up


@pytest.mark.parametrize("version", VERSIONS)
def test_every_module_of_the_encoding_region_holds_one_bit_in_the_order_of_placement(version):
    numbers = bit_numbers(version)
    places = list(walk(version))
    assert [numbers[place] for place in places] == list(range(len(places)))
    assert len(places) == 8 * TOTAL_CODEWORDS[version - 1] + REMAINDER_BITS[version - 1]
    assert Counter(number for row in numbers.tolist() for number in row)[-1] == side_of(version) ** 2 - len(places)


def test_bit_numbers_are_an_array_that_nobody_can_change():
    symbol = encode("x", version=7)
    numbers = np.asarray(symbol.bit_numbers)
    assert (numbers.shape, numbers.dtype) == ((45, 45), np.int16)
    assert np.array_equal(numbers == -1, np.array([list(row) for row in symbol.roles]) != Role.DATA)
    assert symbol.bit_numbers is encode("y", version=7).bit_numbers
    with pytest.raises(TypeError):
        symbol.bit_numbers[44, 44] = 1
    with pytest.raises(ValueError, match="read-only"):
        numbers[44, 44] = 1


@pytest.mark.parametrize("version", VERSIONS)
def test_packed_rows_are_the_modules_as_bits(version):
    symbol = encode("packed", version=version, mask=version % 8)
    expected = np.packbits([list(row) for row in symbol.modules], axis=1)
    assert symbol.packed_rows == tuple(map(bytes, expected))


@pytest.mark.parametrize("version", [1, 2, 7, 40])
def test_finder_patterns_are_where_their_modules_are(version):
    grid = np.array([list(row) for row in roles(version)])
    seen = np.zeros(grid.shape, dtype=bool)
    for row, column in finder_places(side_of(version)).values():
        seen[row : row + FINDER, column : column + FINDER] = True
    assert (seen == (grid == Role.FINDER)).all()
