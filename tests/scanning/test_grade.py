"""The print grade: what it is for a perfect symbol, what lowers which parameter, and that damage never raises one."""

from itertools import product

import numpy as np
import pytest
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit.errors import InvalidParameter
from qrkit.scanning.grade import QUIET_ZONE, Grade, grade
from qrkit.symbol.encode import encode
from qrkit.symbol.encode.blocks import blocks, codeword_blocks
from qrkit.symbol.encode.capacity import LEVELS
from qrkit.symbol.symbol import Role, Symbol, bit_numbers, roles

NAMES = [
    "SC", "MOD", "RM", "UEC", "AN", "GN", "FPD A1", "FPD A2", "FPD A3", "FPD B1", "FPD B2", "FPD C", "format",
    "version", "quiet zone",
]  # fmt: skip

some = settings(max_examples=40)


def symbol_of(version: int, level: str = "M") -> Symbol:
    return encode("grade", version=version, error_correction=level, mask=3)


def drawn(symbol: Symbol, *, dark: float = 0.0, light: float = 1.0) -> np.ndarray:
    """Reflectance of a symbol drawn without a fault."""
    modules = np.array([list(row) for row in symbol.modules])
    return np.where(np.pad(modules, QUIET_ZONE) == 1, dark, light)


def with_wrong(symbol: Symbol, modules: list[tuple[int, int]], *, strength: float = -1.0) -> np.ndarray:
    """A symbol some of whose modules, in its rows and columns, have a certain margin: -1 is the other colour."""
    reflectance = drawn(symbol)
    for row, column in modules:
        at = row + QUIET_ZONE, column + QUIET_ZONE
        reflectance[at] = 0.5 + (reflectance[at] - 0.5) * strength
    return reflectance


def modules_of(version: int, role: Role) -> list[tuple[int, int]]:
    grid = roles(version)
    side = len(grid)
    return [(row, column) for row in range(side) for column in range(side) if grid[row][column] == role]


def one_module_of_codewords(symbol: Symbol, count: int, block: int = 0) -> list[tuple[int, int]]:
    """A module of each of so many codewords of a block."""
    owners = codeword_blocks(symbol.version, symbol.error_correction)
    numbers = np.asarray(bit_numbers(symbol.version))
    codewords = [codeword for codeword, owner in enumerate(owners) if owner == block][:count]
    return [tuple(np.argwhere(numbers == 8 * codeword + codeword % 8)[0]) for codeword in codewords]


def letters(found: Grade) -> dict[str, str]:
    """What is not A."""
    return {one.name: one.letter for one in found.parameters if one.letter != "A"}


# ---- a symbol without a fault


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("version", [1, 2, 6, 7, 14, 27, 40])
def test_a_symbol_drawn_as_it_is_has_the_best_grade_in_everything(version, level):
    found = grade(drawn(symbol_of(version, level)), symbol_of(version, level))
    assert [one.name for one in found.parameters] == NAMES
    assert letters(found) == {}
    assert (found.overall, found.letter) == (4, "A")
    assert [found[name].value for name in ("SC", "MOD", "RM", "UEC", "quiet zone")] == [1, 1, 1, 1, 4]


def test_it_says_that_it_is_no_verification_and_what_is_lowest():
    symbol = symbol_of(2)
    assert str(grade(drawn(symbol), symbol)) == "A (4.0) in the manner of ISO/IEC 15415, not a verification"
    grey = grade(drawn(symbol, dark=0.5), symbol)
    assert str(grey) == "C (2.0) in the manner of ISO/IEC 15415, not a verification; lowest: SC 0.5 (C)"
    assert grey.as_dict()["note"] == "in the manner of ISO/IEC 15415, not a verification"
    assert (grey.as_dict()["letter"], grey.as_dict()["overall"]) == ("C", 2)
    assert grey.as_dict()["parameters"]["SC"] == {"value": 0.5, "grade": 2, "letter": "C"}


# ---- what lowers which parameter


@pytest.mark.parametrize(
    ("dark", "light", "letter"),
    [
        (0.3, 1, "A"),
        (0.31, 1, "B"),
        (0.45, 1, "B"),
        (0.46, 1, "C"),
        (0.6, 1, "C"),
        (0.61, 1, "D"),
        (0.8, 1, "D"),
        (0.81, 1, "F"),
        (0, 0.55, "B"),
    ],
)
def test_grey_ink_or_paper_lowers_the_contrast_alone(dark, light, letter):
    symbol = symbol_of(3)
    found = grade(drawn(symbol, dark=dark, light=light), symbol)
    assert found["SC"].letter == letter
    assert letters(found) == ({} if letter == "A" else {"SC": letter})
    assert found["SC"].value == pytest.approx(light - dark)


@pytest.mark.parametrize(("wrong", "letter"), [(0, "A"), (4, "A"), (5, "B"), (6, "B"), (7, "C"), (9, "D"), (10, "F")])
def test_wrong_codewords_lower_unused_error_correction_and_reflectance_margin(wrong, letter):
    """Of 12 that a block of 5-M corrects; modulation does not know what is wrong."""
    symbol = symbol_of(5)
    found = grade(with_wrong(symbol, one_module_of_codewords(symbol, wrong)), symbol)
    assert found["UEC"].letter == found["RM"].letter == letter
    assert found["UEC"].value == pytest.approx(1 - wrong / 12)
    assert found["RM"].value == (0 if wrong else 1)
    assert letters(found).keys() <= {"UEC", "RM"}


@pytest.mark.parametrize(("wrong", "letter"), [(3, "A"), (4, "B"), (5, "C"), (6, "D"), (7, "F")])
def test_bounds_of_unused_error_correction_belong_to_the_better_grade(wrong, letter):
    """Of 8 that 2-M corrects: .625, .5, .375, .25 and .125 are left."""
    symbol = symbol_of(2)
    assert grade(with_wrong(symbol, one_module_of_codewords(symbol, wrong)), symbol)["UEC"].letter == letter


def test_a_module_in_the_middle_between_dark_and_light_is_light():
    symbol = symbol_of(2)
    numbers = np.asarray(bit_numbers(2))
    first = [tuple(place) for place in np.argwhere((numbers >= 0) & (numbers < 8))]
    for place in first:
        found = grade(with_wrong(symbol, [place], strength=0), symbol)
        assert found["UEC"].value == (0.875 if symbol.modules[place[0]][place[1]] else 1)


def test_the_worst_block_counts_not_all_codewords_together():
    symbol = symbol_of(5)
    both = [*one_module_of_codewords(symbol, 4), *one_module_of_codewords(symbol, 4, block=1)]
    assert grade(with_wrong(symbol, both), symbol)["UEC"].letter == "A"
    assert grade(with_wrong(symbol, one_module_of_codewords(symbol, 8)), symbol)["UEC"].letter == "D"


def test_seven_more_wrong_modules_of_a_codeword_cost_nothing():
    symbol = symbol_of(5)
    numbers = np.asarray(bit_numbers(5))
    whole = [tuple(place) for place in np.argwhere((numbers >= 0) & (numbers < 8))]
    assert len(whole) == 8
    assert grade(with_wrong(symbol, whole), symbol) == grade(with_wrong(symbol, whole[:1]), symbol)


@pytest.mark.parametrize(
    ("strength", "letter"),
    [(0.5, "A"), (0.49, "B"), (0.4, "B"), (0.39, "C"), (0.3, "C"), (0.29, "D"), (0.2, "D"), (0.19, "F")],
)
def test_faint_modules_lower_modulation_and_reflectance_margin(strength, letter):
    symbol = symbol_of(4)
    found = grade(with_wrong(symbol, modules_of(4, Role.DATA), strength=strength), symbol)
    assert found["MOD"].letter == found["RM"].letter == letter
    assert found["MOD"].value == found["RM"].value == pytest.approx(strength)
    assert letters(found).keys() <= {"MOD", "RM"}


@pytest.mark.parametrize(("faint", "letter"), [(4, "A"), (5, "B"), (7, "C"), (9, "C"), (12, "C")])
def test_error_correction_makes_up_for_some_faint_codewords(faint, letter):
    """Of 12; with a modulation of .35 that is C, however many they are."""
    symbol = symbol_of(5)
    found = grade(with_wrong(symbol, one_module_of_codewords(symbol, faint), strength=0.35), symbol)
    assert (found["MOD"].letter, found["RM"].letter, found["UEC"].letter) == (letter, letter, "A")


def test_remainder_bits_lower_nothing():
    symbol = symbol_of(2)
    numbers, count = np.asarray(bit_numbers(2)), len(codeword_blocks(2, "M"))
    remainder = [tuple(place) for place in np.argwhere(numbers >= 8 * count)]
    assert len(remainder) == 7
    found = grade(with_wrong(symbol, remainder), symbol)
    assert (letters(found), found["RM"].value) == ({}, 1)


def test_the_dark_module_lowers_nothing_as_no_reader_looks_at_it():
    symbol = symbol_of(2)
    assert letters(grade(with_wrong(symbol, modules_of(2, Role.DARK_MODULE)), symbol)) == {}


@pytest.mark.parametrize(("wrong", "letter"), list(enumerate("ABCDF")))
@pytest.mark.parametrize("role", [Role.FINDER, Role.SEPARATOR])
@pytest.mark.parametrize(
    ("segment", "below", "right"), [("FPD A1", False, False), ("FPD A2", False, True), ("FPD A3", True, False)]
)
def test_wrong_modules_of_a_corner_lower_its_segment_alone(segment, below, right, role, wrong, letter):
    symbol = symbol_of(3)
    corner = [(row, column) for row, column in modules_of(3, role) if (row > 14, column > 14) == (below, right)]
    found = grade(with_wrong(symbol, corner[:wrong]), symbol)
    assert letters(found) == ({} if letter == "A" else {segment: letter})
    assert (found[segment].value, found["RM"].value) == (wrong, 1)


@pytest.mark.parametrize(("wrong", "letter"), list(enumerate("ABCDF")))
@pytest.mark.parametrize(("segment", "across"), [("FPD B1", True), ("FPD B2", False)])
def test_wrong_modules_of_a_timing_pattern_lower_its_segment_alone(segment, across, wrong, letter):
    """Of 25 in version 6."""
    symbol = symbol_of(6)
    pattern = [place for place in modules_of(6, Role.TIMING) if (place[0] == 6) == across]
    found = grade(with_wrong(symbol, pattern[:wrong]), symbol)
    assert letters(found) == ({} if letter == "A" else {segment: letter})
    assert found[segment].value == pytest.approx(wrong / 25)


@pytest.mark.parametrize(
    ("wrong", "letter"), [(0, "A"), (1, "B"), (15, "B"), (16, "C"), (30, "C"), (31, "D"), (45, "D"), (46, "F")]
)
def test_wrong_modules_of_alignment_patterns_lower_their_segment_alone(wrong, letter):
    """Of 150 in version 7."""
    symbol = symbol_of(7)
    found = grade(with_wrong(symbol, modules_of(7, Role.ALIGNMENT)[:wrong]), symbol)
    assert letters(found) == ({} if letter == "A" else {"FPD C": letter})


@pytest.mark.parametrize(("wrong", "letter"), list(enumerate("ABCDF")))
@pytest.mark.parametrize(("name", "role"), [("format", Role.FORMAT), ("version", Role.VERSION)])
def test_the_worse_copy_of_format_and_version_information_counts(name, role, wrong, letter):
    symbol = symbol_of(7)
    places = modules_of(7, role)
    if role == Role.FORMAT:
        copies = [one for one in places if max(one) <= 8], [one for one in places if max(one) > 8]
    else:
        copies = [one for one in places if one[0] < one[1]], [one for one in places if one[0] > one[1]]
    assert len(copies[0]) == len(copies[1])
    for (one, other), order in product((copies, copies[::-1]), (1, -1)):
        found = grade(with_wrong(symbol, one[::order][:wrong] + other[::order][: min(wrong, 1)]), symbol)
        assert letters(found) == ({} if letter == "A" else {name: letter})
        assert found[name].value == wrong


@pytest.mark.parametrize(("ring", "letter"), [(1, "F"), (2, "D"), (3, "C"), (4, "B")])
@pytest.mark.parametrize("turn", range(4))
def test_a_dark_module_in_the_quiet_zone_lowers_it_alone(ring, letter, turn):
    symbol = symbol_of(3)
    mark = np.zeros((37, 37), dtype=bool)
    mark[QUIET_ZONE - ring, 18] = True
    reflectance = np.where(np.rot90(mark, turn), 0.0, drawn(symbol))
    found = grade(reflectance, symbol)
    assert letters(found) == {"quiet zone": letter}
    assert found["quiet zone"].value == ring - 1


def test_the_quiet_zone_beside_a_finder_pattern_belongs_to_its_segment_too():
    symbol = symbol_of(3)
    reflectance = drawn(symbol)
    reflectance[-1, :2] = 0
    assert letters(grade(reflectance, symbol)) == {"FPD A3": "C", "quiet zone": "B"}


@pytest.mark.parametrize(("strength", "letter"), [(0.45, "B"), (0.35, "C"), (0.25, "D"), (0.1, "F")])
def test_faint_fixed_patterns_have_no_better_grade_than_their_margin(strength, letter):
    symbol = symbol_of(7)
    faint = [place for role in Role if role not in (Role.DATA, Role.DARK_MODULE) for place in modules_of(7, role)]
    reflectance = with_wrong(symbol, faint, strength=strength)
    reflectance[:QUIET_ZONE], reflectance[:, :QUIET_ZONE] = 0.5 + strength / 2, 0.5 + strength / 2
    found = grade(reflectance, symbol)
    assert letters(found) == dict.fromkeys(NAMES[6:], letter)
    # As good as wrong are those with a margin below .20 alone.
    assert (found["FPD A1"].value == 0) == (found["FPD B1"].value == 0) == (letter != "F")


def test_light_on_dark_fails_and_is_graded_by_its_negative():
    symbol = symbol_of(3)
    light_on_dark = drawn(symbol, dark=0.9, light=0.1)
    assert grade(light_on_dark, symbol).letter == "F"
    assert grade(1 - light_on_dark, symbol).letter == "A"


def test_a_picture_of_one_grey_fails_in_all_that_is_measured():
    symbol = symbol_of(7)
    found = grade(np.full((53, 53), 0.4), symbol)
    assert letters(found) == dict.fromkeys([name for name in NAMES if name not in ("AN", "GN")], "F")


# ---- damage and others' measurements


@given(
    seed=st.integers(0, 2**32 - 1),
    version=st.sampled_from([1, 2, 5, 7]),
    level=st.sampled_from(LEVELS),
    share=st.floats(0, 0.3),
    more=st.floats(0, 0.5),
)
@some
def test_more_damage_is_never_a_better_grade(seed, version, level, share, more):
    random = np.random.default_rng(seed)
    symbol = symbol_of(version, level)
    clean = drawn(symbol, dark=0.05, light=0.95)
    # Where a module is on its way from its own colour to the other one.
    way = np.where(random.random(clean.shape) < share, random.random(clean.shape), 0)
    further = np.maximum(way, np.where(random.random(clean.shape) < more, random.random(clean.shape), 0))
    first, second = (clean + (1 - 2 * clean) * one for one in (way, further))
    for one in (first, second):  # the same contrast for both
        one[0, 0], one[QUIET_ZONE, QUIET_ZONE] = 1, 0
    before, after = grade(first, symbol), grade(second, symbol)
    assert all(after[name].grade <= before[name].grade for name in NAMES)
    assert after.overall <= before.overall


@pytest.mark.parametrize("seed", range(12))
def test_unused_error_correction_is_what_zxing_tells(seed):
    """It cuts off after two decimals. In the smallest symbols it does not keep p codewords, as ISO has it."""
    random = np.random.default_rng(seed)
    version, level = ((2, "M"), (3, "H"), (5, "H"), (7, "Q"))[seed % 4]
    symbol = symbol_of(version, level)
    most = blocks(version, level)[0].correctable
    places = modules_of(version, Role.DATA)
    wrong = [places[index] for index in random.choice(len(places), random.integers(1, most), replace=False)]
    reflectance = with_wrong(symbol, wrong)
    found = zxingcpp.read_barcode(np.kron(255 * reflectance, np.ones((4, 4))).astype(np.uint8))
    assert grade(reflectance, symbol)["UEC"].value == pytest.approx(float(found.extra["UEC"]), abs=0.0101)


def test_rounding_errors_of_floats_are_none():
    symbol = symbol_of(3)
    assert grade(drawn(symbol, light=1 + 1e-7).astype(np.float32), symbol) == grade(drawn(symbol), symbol)


@pytest.mark.parametrize(
    "reflectance",
    [np.ones((21, 21)), np.ones((29, 30)), np.ones(29), np.full((29, 29), 1.01), np.full((29, 29), np.nan)],
)
def test_what_is_no_reflectance_of_the_symbol_is_refused(reflectance):
    with pytest.raises(InvalidParameter, match=r"reflectance: must be 29 rows of 29 numbers in 0\.\.1") as caught:
        grade(reflectance, symbol_of(1))
    assert caught.value.name == "reflectance"
