import math
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit.design.outline import (
    Outline,
    Scattered,
    bowed,
    chamfered,
    circle,
    polygon,
    rectangle,
    rounded,
    squircle,
    star,
)
from tests.design.shapes.pixels import coverage

BOX = (0, 0, 10, 10)
SCALE = 10

TRIANGLE = polygon((5, 1), (9, 9), (1, 9))
FORMS = {
    "rectangle": rectangle(1, 2, 6, 5),
    "circle": circle(5, 5, 4),
    "rounded": rounded(1, 1, 8, 6, 2),
    "rounded by corner": rounded(1, 1, 8, 6, (3, 0, 1, 2)),
    "star": star(5, 5, 4, 2, 5),
    "bowed": bowed(0.1, (2, 2), (8, 2), (8, 8), (2, 8)),
    "chamfered": chamfered(1, 1, 8, (2, 0, 1, 3)),
    "squircle": squircle(1, 1, 8),
    "triangle": TRIANGLE,
}
each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)

places = st.floats(-100, 100)
scales = st.floats(0.1, 10) | st.floats(-10, -0.1)
radii = st.floats(0, 2)


def area(outline: Outline) -> float:
    return float(coverage(outline, BOX, SCALE).sum()) / SCALE**2


def points(outline: Outline) -> np.ndarray:
    return np.array([number for _, numbers in outline.segments for number in numbers])


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (rectangle(1, 2, 6, 5), 30),
        (TRIANGLE, 32),
        (circle(5, 5, 4), math.pi * 16),
        (rounded(1, 1, 8, 6, 2), 48 - (4 - math.pi) * 4),
        (rounded(1, 1, 8, 6, (2, 0, 0, 0)), 48 - (4 - math.pi)),
        (chamfered(1, 1, 8, 1), 62),
        (chamfered(1, 1, 8, (0, 2, 0, 0)), 62),
        # The area between a quadratic curve and its chord is two thirds of length times height.
        (bowed(0.1, (2, 2), (8, 2), (8, 8), (2, 8)), 36 + 4 * 2 / 3 * 6 * 0.6),
        (bowed(-0.1, (2, 2), (8, 2), (8, 8), (2, 8)), 36 - 4 * 2 / 3 * 6 * 0.6),
        # The superellipse of the fourth degree fills 0.927 of its square.
        (squircle(1, 1, 8), 64 * 0.927),
        (star(5, 5, 4, 2, 5), 5 * 4 * 2 * math.sin(math.pi / 5)),
    ],
)
def test_forms_are_as_large_as_geometry_says(form, expected):
    assert area(form) == pytest.approx(expected, rel=0.01)


@each_form
def test_scattered_forms_are_each_in_its_place(form):
    parts = [(form, 0, 0), (FORMS["star"], 7.5, -3), (form, -2, 4)]
    scattered, joined = Scattered(parts), Outline.joined(one.placed(x, y) for one, x, y in parts)
    assert scattered.box() == joined.box()
    assert Outline(scattered.letters, scattered.numbers) == joined


@each_form
def test_forms_are_closed(form):
    letters = [letter for letter, _ in form.segments]
    assert (letters[0], letters[-1], letters.count("M"), letters.count("Z")) == ("M", "Z", 1, 1)


@each_form
def test_overlapping_forms_do_not_cut_one_another(form):
    """All run the same way round, so the non-zero rule adds them up."""
    ground = rectangle(0, 0, 10, 10)
    assert area(ground + form) == pytest.approx(100)


@each_form
def test_hole_is_cut_out_of_what_it_is_added_to(form):
    assert area(rectangle(0, 0, 10, 10) + form.hole()) == pytest.approx(100 - area(form), abs=0.1)


@each_form
def test_hole_alone_is_the_same_form_and_its_hole_turns_it_back(form):
    assert np.abs(coverage(form.hole(), BOX, SCALE) - coverage(form, BOX, SCALE)).max() < 0.03
    assert area(rectangle(0, 0, 10, 10) + form.hole().hole()) == pytest.approx(100)


@each_form
def test_mirrored_ring_keeps_its_hole(form):
    ring = rectangle(0, 0, 10, 10) + form.hole()
    assert area(ring.placed(10, 0, -1, 1)) == pytest.approx(area(ring), abs=0.1)
    assert area(ring.placed(10, 10, -1)) == pytest.approx(area(ring), abs=0.1)


@given(x=places, y=places, scale_x=scales, scale_y=scales)
def test_placing_scales_and_then_moves(x, y, scale_x, scale_y):
    placed = polygon((1, 2), (3, 5), (0, 4)).placed(x, y, scale_x, scale_y)
    expected = [x + scale_x, y + 2 * scale_y, x + 3 * scale_x, y + 5 * scale_y, x, y + 4 * scale_y]
    assert points(placed) == pytest.approx(expected)


@given(x=places, y=places, scale=scales)
def test_one_scale_is_for_both_directions(x, y, scale):
    assert TRIANGLE.placed(x, y, scale) == TRIANGLE.placed(x, y, scale, scale)


@given(width=st.floats(4, 50), height=st.floats(4, 50), corners=st.tuples(radii, radii, radii, radii))
def test_rounded_fills_its_rectangle_to_the_edge(width, height, corners):
    assert rounded(3, 4, width, height, corners).box() == pytest.approx((3, 4, 3 + width, 4 + height))


@given(bow=st.floats(-0.3, 0.3))
def test_sides_stand_out_by_the_bow(bow):
    (_, start), (_, curve), *_ = bowed(bow, (0, 0), (4, 0), (4, 4), (0, 4)).segments
    middle = (start[1] + 3 * curve[1] + 3 * curve[3] + curve[5]) / 8
    assert middle == pytest.approx(-4 * bow)


def test_without_cut_or_radius_corners_stay_sharp():
    square = rectangle(1, 1, 3, 3)
    assert rounded(1, 1, 3, 3, 0) == square
    assert chamfered(1, 1, 3, 0) == square


def test_squircle_lies_between_disc_and_square():
    disc, form, square = (
        coverage(each, BOX, SCALE) for each in (circle(5, 5, 4), squircle(1, 1, 8), rectangle(1, 1, 8, 8))
    )
    assert (disc <= form + 0.02).all()
    assert (form <= square).all()


def test_joining_keeps_order():
    one, two = circle(2, 2, 1), rectangle(0, 0, 1, 1)
    assert Outline.joined([one, two]) == one + two
    assert (one + two).segments == one.segments + two.segments


@pytest.mark.parametrize(
    ("path", "same"),
    [
        ("M1 1H9V9H1Z", "M1,1 9,1 9,9 1,9z"),
        ("m1 1h8v8h-8z", "M1 1L9 1L9 9L1 9Z"),
        ("M1 5A4 4 0 0 1 9 5Z", "M1 5C1 2.791 2.791 1 5 1S9 2.791 9 5Z"),
        ("M1 9Q5 1 9 9Z", "M1 9C3.6667 3.6667 6.3333 3.6667 9 9Z"),
        ("M1 5q2-4 4 0t4 0z", "M1 5Q3 1 5 5Q7 9 9 5z"),
    ],
)
def test_all_ways_to_write_a_path_mean_the_same(path, same):
    assert np.abs(coverage(Outline.parse(path), BOX, SCALE) - coverage(Outline.parse(same), BOX, SCALE)).max() < 0.02


@pytest.mark.parametrize("path", ["M1 1H9V9H1Z", "M1 5A4 4 0 0 1 9 5Z", "M1 9Q5 1 9 9Z", "M1 1h2v2zm4 4h2v2z"])
def test_parsed_paths_hold_only_lines_and_cubic_curves(path):
    sizes = {"M": 2, "L": 2, "C": 6, "Z": 0}
    assert all(len(numbers) == sizes[letter] for letter, numbers in Outline.parse(path).segments)


def test_path_without_an_end_is_closed():
    assert Outline.parse("M1 1L9 1L9 9").segments[-1] == ("Z", ())


@pytest.mark.parametrize("path", ["M", "M 0", "M0 0 L", "L1 1", "M0 0A1 1 0 0 1", "M0 0Q 1", "1 1 2 2"])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(ValueError, match=r"command|moveto"):
        Outline.parse(path)


def test_an_outline_of_another_process_is_found_by_its_equal():
    made = "import pickle, sys; from qrkit.design.outline import *; one = circle(5, 5, 4); hash(one); "
    made += "sys.stdout.buffer.write(pickle.dumps(one))"
    pickled = subprocess.check_output([sys.executable, "-c", made], env=os.environ | {"PYTHONHASHSEED": "1"})
    assert pickle.loads(pickled) in {circle(5, 5, 4)}
