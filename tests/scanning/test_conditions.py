"""Captures: each does to a picture what it says, the same in every process, and only with pictures that are some."""

import hashlib
import subprocess
import sys
from math import cos, radians, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit.errors import InvalidParameter
from qrkit.scanning.conditions import CORE, HARDER, MOST_SIDE, QUICK, RAMPS, Sheet, captured, retaken

ALL = {condition.name: condition for condition in CORE + HARDER}
SIDE, PX, MARGIN = 21, 12, 6
USUAL = (SIDE + 2 * MARGIN) * 6
"""Pixels of the sheet's side, with the usual 6 a module."""

some = settings(max_examples=30)


def checkered(side: int = SIDE, px: int = PX) -> np.ndarray:
    """Modules in a pattern without symmetry, black and white."""
    modules = np.random.default_rng(5).integers(0, 2, (side, side), dtype=np.uint8) * 255
    return modules.repeat(px, axis=0).repeat(px, axis=1)


def with_square(row: int, column: int, modules: int, side: int = SIDE) -> np.ndarray:
    """A white picture with a black square, its place and size in modules."""
    greys = np.full((side * PX, side * PX), 255, dtype=np.uint8)
    greys[row * PX : (row + modules) * PX, column * PX : (column + modules) * PX] = 0
    return greys


def seen(name: str, greys: np.ndarray, px: float = PX, *, seed: int = 0) -> np.ndarray:
    return next(captured(Sheet(greys, px), [ALL[name]], seed))[1].astype(float)


def darkness(greys: np.ndarray) -> np.ndarray:
    return 255 - greys


def centre_of(greys: np.ndarray) -> tuple[float, float]:
    """Where what is dark lies, right of and below the middle of the picture, in pixels."""
    dark = darkness(greys)
    rows, columns = np.mgrid[: greys.shape[0], : greys.shape[1]] + 0.5
    middle = np.array(greys.shape) / 2
    return (dark * columns).sum() / dark.sum() - middle[1], (dark * rows).sum() / dark.sum() - middle[0]


def test_there_are_nineteen_and_seven_of_them_are_quick():
    assert (len(CORE), len(QUICK)) == (19, 7)
    assert set(QUICK) < set(CORE)
    assert len(ALL) == len(CORE) + len(HARDER)
    assert all(condition.stands_for.endswith(".") for condition in ALL.values())


DIGEST = f"""
import hashlib, numpy as np
from qrkit.scanning.conditions import CORE, HARDER, RAMPS, Sheet, captured
modules = np.random.default_rng(5).integers(0, 2, ({SIDE}, {SIDE}), dtype=np.uint8) * 255
sheet, digest = Sheet(modules.repeat({PX}, axis=0).repeat({PX}, axis=1), {PX}), hashlib.sha256()
for conditions in (CORE, HARDER, *(ramp.conditions for ramp in RAMPS)):
    for condition, picture in captured(sheet, conditions, 3):
        digest.update(condition.name.encode() + str(picture.shape).encode() + picture.tobytes())
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_captures_are_the_same_bit_by_bit_in_every_process():
    def digest(*options: str) -> str:
        return subprocess.run([sys.executable, *options, "-c", DIGEST], check=True, capture_output=True).stdout.decode()

    first = digest()
    assert len(first) == 2 * hashlib.sha256().digest_size + 1
    assert first == digest("-O")  # with hashes of texts seeded anew


def test_only_what_is_random_depends_on_the_seed():
    changed = {name for name in ALL if (seen(name, checkered()) != seen(name, checkered(), seed=1)).any()}
    assert changed == {"noise-30", "noise-60", "phone-1", "phone-2", "phone-3"}


def test_what_is_random_does_not_depend_on_the_conditions_before():
    alone = seen("phone-2", checkered())
    together = {condition.name: picture for condition, picture in captured(Sheet(checkered(), PX), CORE)}
    assert (together["phone-2"] == alone).all()


def test_clean_is_the_picture_on_white():
    clean = seen("clean", checkered())
    inside = slice(MARGIN * 6, (MARGIN + SIDE) * 6)
    assert clean.shape == (USUAL, USUAL)
    assert (clean[inside, inside] == checkered(px=6)).all()
    clean[inside, inside] = 255
    assert (clean == 255).all()


@pytest.mark.parametrize(("name", "pixels"), [("size-4", 4), ("size-3", 3), ("size-2", 2)])
def test_size_is_pixels_a_module_by_the_mean_of_areas(name, pixels):
    small = seen(name, checkered())
    assert small.shape == ((SIDE + 2 * MARGIN) * pixels,) * 2
    assert small.mean() == pytest.approx(seen("clean", checkered()).mean(), abs=0.6)


def test_blur_levels_edges_the_more_the_stronger():
    names = ["clean", "blur-25", "blur-33", "blur-50", "blur-75"]
    steepest = [np.abs(np.diff(seen(name, checkered()))).mean() for name in names]
    assert steepest == sorted(steepest, reverse=True)
    assert len(set(steepest)) == len(steepest)


@pytest.mark.parametrize(("name", "angle"), [("turn-15", 15), ("turn-47", 47)])
def test_turning_moves_a_square_where_geometry_says(name, angle):
    greys = with_square(2, 14, 4)
    x, y = centre_of(seen("clean", greys))
    turned = centre_of(seen(name, greys))
    cosine, sine = cos(radians(angle)), sin(radians(angle))
    assert turned == pytest.approx((cosine * x - sine * y, sine * x + cosine * y), abs=0.6)


@pytest.mark.parametrize(("name", "tilt", "pan"), [("tilt-30", 30, 0), ("tilt-50", 50, 10)])
def test_tilt_makes_a_square_smaller_and_a_trapezium(name, tilt, pan):
    dark = darkness(seen(name, with_square(5, 5, 11))) / 255
    assert dark.sum() == pytest.approx(66**2 * cos(radians(tilt)) * cos(radians(pan)), rel=0.03)
    rows = np.flatnonzero(dark.any(axis=1))
    assert abs(dark[rows[8]].sum() - dark[rows[-8]].sum()) >= 2


def test_a_picture_taken_once_more_is_turned_a_little_on_the_same_page():
    greys = with_square(2, 14, 4)
    again = retaken(next(captured(Sheet(greys, PX), [ALL["clean"]]))[1]).astype(float)
    x, y = centre_of(seen("clean", greys))
    cosine, sine = cos(radians(7)), sin(radians(7))
    assert centre_of(again) == pytest.approx((cosine * x + sine * y, cosine * y - sine * x), abs=0.6)
    assert again[0, 0] == 255
    assert retaken(np.full((30, 30), 64, dtype=np.uint8))[0, 0] == 64


def test_contrast_brings_greys_together():
    assert set(np.unique(seen("contrast-40", checkered()))) == {77, 179}
    assert set(np.unique(seen("contrast-15", checkered()))) == {109, 147}


def test_noise_spreads_greys_by_its_strength():
    grey = np.full((SIDE * PX, SIDE * PX), 128, dtype=np.uint8)
    inside = slice(4 * MARGIN, -4 * MARGIN)
    assert seen("noise-30", grey)[inside, inside].std() == pytest.approx(30, abs=1)
    assert seen("noise-60", grey)[inside, inside].std() == pytest.approx(60, abs=4)  # less what is cut off


def test_shade_leaves_a_quarter_of_the_light_in_the_corner():
    white = seen("shade", np.full((SIDE * PX, SIDE * PX), 255, dtype=np.uint8))
    assert white[0, 0] == 255
    assert white[-1, -1] == pytest.approx(255 / 4, abs=2)
    assert (np.diff(white, axis=0) <= 0).all()
    assert (np.diff(white, axis=1) <= 0).all()


def test_glare_lightens_a_spot_and_nothing_else():
    black = np.zeros((SIDE * PX, SIDE * PX), dtype=np.uint8)
    lighter = seen("glare", black) - seen("clean", black)
    assert lighter.min() == 0
    assert lighter.max() == pytest.approx(150, abs=2)
    assert (lighter[-20:] == 0).all()


@pytest.mark.parametrize(("name", "twelfths"), [("gain-8", 1), ("gain-17", 2), ("loss-8", -1), ("loss-17", -2)])
def test_ink_moves_each_edge_by_twelfths_of_a_module(name, twelfths):
    printed = darkness(seen(name, with_square(5, 5, 7)))
    across = printed[USUAL // 2 - 20].sum() / 255 / 6  # modules of the row that are dark
    assert across == pytest.approx(7 + twelfths / 6, abs=0.02)


def test_dark_page_surrounds_the_picture_and_leaves_it():
    dark, clean = seen("dark-page", checkered()), seen("clean", checkered())
    inside = slice(MARGIN * 6, (MARGIN + SIDE) * 6)
    assert (dark[inside, inside] == clean[inside, inside]).all()
    dark[inside, inside] = 64
    assert (dark == 64).all()


def test_invert_swaps_dark_and_light():
    assert (seen("invert", checkered()) == 255 - seen("clean", checkered())).all()


def test_jpeg_changes_little_but_something():
    difference = np.abs(seen("jpeg-20", checkered()) - seen("size-4", checkered()))
    assert 0 < difference.mean() < 25


def test_floats_and_whole_numbers_are_the_same_picture():
    greys = checkered()
    for name in ALL:
        assert (seen(name, greys) == seen(name, greys.astype(np.float32) / 255)).all()


@some
@given(st.integers(1, 60), st.integers(1, 60), st.floats(1, 40), st.floats(0, 10))
def test_any_picture_is_captured_in_any_condition(height, width, px, margin):
    sheet = Sheet(np.full((height, width), 100, dtype=np.uint8), px, margin)
    pictures = [picture for _, picture in captured(sheet, CORE + HARDER)]
    assert all(picture.dtype == np.uint8 and picture.ndim == 2 and picture.size for picture in pictures)


@some
@given(st.integers(1, MOST_SIDE), st.floats(1, 40))
def test_a_sheet_is_never_larger_than_what_is_examined(side, px):
    assert max(Sheet(np.zeros((side, 1), dtype=np.uint8), px).picture.size) <= MOST_SIDE + 1


def test_a_small_symbol_in_a_large_picture_gets_fewer_pixels():
    """400 modules across, and 12 of margin: 1,600 pixels hold 3.9 a module."""
    sheet = Sheet(np.zeros((1600, 1600), dtype=np.uint8), 4)
    assert sheet.shrink == pytest.approx(1600 / 6 / 412)


@pytest.mark.parametrize(
    ("greys", "px", "margin", "name"),
    [
        (np.zeros((0, 0), np.uint8), 4, 6, "greys"),
        (np.zeros((10, 0), np.uint8), 4, 6, "greys"),
        (np.zeros((10, 10, 3), np.uint8), 4, 6, "greys"),
        (np.zeros((MOST_SIDE + 1, 10), np.uint8), 4, 6, "greys"),
        (np.zeros((10, 10), np.uint8), 0, 6, "px"),
        (np.zeros((10, 10), np.uint8), 401, 6, "px"),
        (np.zeros((10, 10), np.uint8), float("nan"), 6, "px"),
        (np.zeros((10, 10), np.uint8), 4, -1, "margin"),
        (np.zeros((10, 10), np.uint8), 4, 1e9, "margin"),
    ],
)
def test_what_is_no_picture_is_refused(greys, px, margin, name):
    with pytest.raises(InvalidParameter) as caught:
        Sheet(greys, px, margin)
    assert caught.value.name == name


def test_floats_that_are_none_are_black():
    greys = np.array([[np.nan, np.inf], [-np.inf, 2.0]])
    assert set(np.unique(seen("clean", greys.repeat(12, 0).repeat(12, 1))[36:48, 36:48])) == {0, 255}


@pytest.mark.parametrize("ramp", RAMPS, ids=lambda ramp: ramp.name)
def test_ramps_take_a_picture_ever_further_from_what_it_was(ramp):
    pictures = [picture.astype(float) for _, picture in captured(Sheet(checkered(), PX), ramp.conditions)]
    if ramp.name in ("size", "tilt"):
        measure = [picture.shape[0] for picture in pictures]
    elif ramp.name in ("gain", "loss"):
        measure = [picture.mean() * (1 if ramp.name == "gain" else -1) for picture in pictures]
    elif ramp.name == "noise":
        measure = [-np.abs(picture - pictures[0].round(-2)).mean() for picture in pictures]
    else:
        measure = [np.abs(np.diff(picture)).mean() for picture in pictures]
    assert measure == sorted(measure, reverse=True)
    assert len(set(measure)) == len(ramp.strengths)
