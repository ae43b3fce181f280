import re
from functools import cache
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from qrkit.design.limits import MARKER_PATTERNS
from qrkit.design.outline import Outline
from qrkit.design.shapes.eyes import EYES, eye
from qrkit.errors import InvalidParameter
from tests.design.shapes.pixels import coverage, dark

SCALE = 20
GRID = (0, 0, 7, 7)
SAFE = ["default", *(f"eye-{number}" for number in range(1, 18))]
CORNERS = ["top_left", "top_right", "bottom_left"]
MIRRORED = [name for name, found in EYES.items() if found.mirrored]

each_eye = pytest.mark.parametrize("name", EYES)
each_safe_eye = pytest.mark.parametrize("name", SAFE)
each_corner = pytest.mark.parametrize("corner", CORNERS)


@cache
def pixels(outline: Outline) -> np.ndarray:
    return dark(outline, GRID, SCALE)


def drawn(name: str, corner: str = "top_left") -> np.ndarray:
    found = eye(name, corner)
    return pixels(found.outer) | pixels(found.inner)


def shades(name: str, corner: str = "top_left") -> np.ndarray:
    found = eye(name, corner)
    return coverage(found.outer + found.inner, GRID, SCALE)


def difference(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one - other).mean())


def runs(line: np.ndarray) -> list[tuple[bool, float]]:
    """Colours along a line of pixels, each with its length in modules."""
    ends = [0, *(np.flatnonzero(np.diff(line)) + 1), len(line)]
    return [(bool(line[start]), (end - start) / SCALE) for start, end in pairwise(ends)]


def test_the_interfaces_names_come_first():
    assert list(EYES)[:18] == SAFE


def test_our_own_names_follow_by_the_alphabet():
    ours = list(EYES)[18:]
    assert len(ours) >= 10
    assert ours == sorted(ours)


def test_each_eye_has_its_name_in_the_limits():
    assert tuple(EYES) == MARKER_PATTERNS, "an eye is a row of EYES and a name of limits._MarkerPattern, in one order"


def test_a_daring_eye_names_the_safe_one_that_comes_nearest():
    unsaid = {name for name, one in EYES.items() if not one.safe} - set(SAFE)
    assert not unsaid, f"{unsaid}: say which of {SAFE} is in its place where it does not read, Eye(…, safe=…)"
    assert {one.safe for one in EYES.values()} <= {None, *SAFE}


def test_default_is_the_pattern_of_the_standard():
    modules = drawn("default")[SCALE // 2 :: SCALE, SCALE // 2 :: SCALE]
    assert ["".join("#" if module else "." for module in row) for row in modules] == [
        "#######",
        "#.....#",
        "#.###.#",
        "#.###.#",
        "#.###.#",
        "#.....#",
        "#######",
    ]


@each_eye
def test_eye_keeps_to_its_grid(name):
    wider = coverage(EYES[name].outer, (-1, -1, 9, 9), SCALE)
    wider[SCALE:-SCALE, SCALE:-SCALE] = 0
    assert wider.max() < 0.02


@each_eye
def test_pupil_does_not_touch_the_ring(name):
    beyond = np.pad(pixels(EYES[name].inner), SCALE // 4)
    near = np.zeros_like(pixels(EYES[name].outer))
    for across in range(0, SCALE // 2 + 1, SCALE // 4):
        for down in range(0, SCALE // 2 + 1, SCALE // 4):
            near |= beyond[across : across + 7 * SCALE, down : down + 7 * SCALE]
    assert not (near & pixels(EYES[name].outer)).any()


def test_eyes_differ_to_the_eye():
    alike = [pair for pair in combinations(EYES, 2) if (drawn(pair[0]) ^ drawn(pair[1])).sum() < 0.4 * SCALE**2]
    assert alike == []


@each_safe_eye
@each_corner
def test_lines_through_a_safe_eye_run_dark_light_dark_light_dark(name, corner):
    for picture, beside in product((drawn(name, corner), drawn(name, corner).T), (-0.5, -0.25, 0, 0.25, 0.5)):
        found = runs(np.trim_zeros(picture[round((3.5 + beside) * SCALE)]))
        assert [colour for colour, _ in found] == [True, False, True, False, True], beside
        ring, gap, pupil, other_gap, other_ring = (length for _, length in found)
        assert 2.6 <= pupil <= 3.8, beside
        assert min(gap, other_gap) >= 0.6, beside
        # Half a module beside the middle, beads only touch.
        assert min(ring, other_ring) >= (0.25 if abs(beside) == 0.5 else 0.7), beside


@each_safe_eye
def test_safe_rings_have_sharp_corners(name):
    """Readers that follow contours take them for the corners of the pattern."""
    ring = pixels(EYES[name].outer)
    first, last = round(0.1 * SCALE), round(0.75 * SCALE)
    assert all(turned[first:last, first:last].all() for turned in (ring, ring[:, ::-1], ring[::-1], ring[::-1, ::-1]))


@each_safe_eye
def test_safe_rings_are_one_piece(name):
    ring = pixels(EYES[name].outer)
    reached = np.zeros_like(ring)
    reached[SCALE // 2, SCALE // 2] = True
    while True:
        grown = np.pad(reached, 1)
        spread = (grown[:-2, 1:-1] | grown[2:, 1:-1] | grown[1:-1, :-2] | grown[1:-1, 2:] | reached) & ring
        if np.array_equal(spread, reached):
            break
        reached = spread
    assert np.array_equal(reached, ring)


@pytest.mark.parametrize("name", MIRRORED)
def test_mirrored_eyes_look_towards_the_middle_of_the_symbol(name):
    here = shades(name)
    assert difference(here, here[:, ::-1]) > 0.01
    assert difference(shades(name, "top_right"), here[:, ::-1]) < 0.006
    assert difference(shades(name, "bottom_left"), here[::-1]) < 0.006


@pytest.mark.parametrize("name", [name for name in EYES if name not in MIRRORED])
def test_other_eyes_are_the_same_everywhere_and_alike_left_and_right(name):
    assert {eye(name, corner) for corner in CORNERS} == {EYES[name]}
    assert difference(shades(name), shades(name)[:, ::-1]) < 0.006


@each_eye
@each_corner
def test_holes_stay_holes(name, corner):
    """Where a form is mirrored, both what fills and what is cut out run the other way round."""
    found = eye(name, corner)
    assert not pixels(found.outer)[3 * SCALE : 4 * SCALE, 3 * SCALE : 4 * SCALE].any()
    assert pixels(found.inner)[3 * SCALE : 4 * SCALE, 3 * SCALE : 4 * SCALE].all()


@pytest.mark.parametrize(
    ("pattern", "corner", "said"),
    [
        ("eye-18", "top_left", "pattern='eye-18': is not an eye; did you mean 'eye-"),
        ("eye_1", "top_left", "did you mean 'eye-1'"),
        ("eye-1", "bottom_right", "corner='bottom_right': has no eye; did you mean"),
        ("eye-1", "", "allowed: top_left, top_right, bottom_left"),
    ],
)
def test_unknown_names_are_refused(pattern, corner, said):
    with pytest.raises(InvalidParameter, match=re.escape(said)):
        eye(pattern, corner)
