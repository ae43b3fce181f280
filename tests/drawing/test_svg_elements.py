"""Outlines as text: each number to a thousandth, and in as few characters as possible."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit.design.outline import Outline, Scattered, circle, polygon, rectangle
from qrkit.design.shapes.styles import STYLES
from qrkit.drawing.svg.svg_elements import path_data
from qrkit.drawing.svg.svg_text import number
from tests.design.shapes.pixels import coverage

NUMBERS = st.one_of(
    st.floats(-5000, 5000), st.integers(-5000, 5000), st.sampled_from((-0.0, -0.0004, 0.0005, 10.0, 20.5, 100.05, 1e6))
)
POINTS = st.one_of(
    st.tuples(st.sampled_from("ML"), st.tuples(NUMBERS, NUMBERS)),
    st.tuples(st.just("C"), st.tuples(*[NUMBERS] * 6)),
    st.just(("Z", ())),
)


@given(st.lists(POINTS, max_size=8))
def test_a_path_has_the_numbers_of_its_outline_as_they_are_written_alone(segments):
    text = "".join(letter + " ".join(map(number, numbers)) for letter, numbers in segments)
    assert path_data(Outline.of(segments)) == re.sub(r"(?<!\d)0\.", ".", text)


def test_lines_along_an_axis_have_one_number_and_minus_signs_separate_numbers():
    square, slanted = rectangle(0, 0, 1, 0.5), polygon((0, 0), (0.5, -1), (1.25, -0.5))
    assert path_data(Scattered([(square, 2, 3), (slanted, 0.5, 9)])) == "M2 3h1v.5h-1zM.5 9l.5-1l.75 .5z"


@pytest.mark.parametrize("style", STYLES)
def test_parts_in_many_places_are_written_as_the_shape_that_they_make_up(style):
    cells = (b"\1\1\0\1\1", b"\1\0\1\1\1", b"\0\1\1\1\1", b"\1\1\0\0\1")
    ring = circle(3, 3, 2) + circle(3, 3, 1).hole()
    modules = Scattered([*STYLES[style](cells), (ring, 6.5, -1), (ring, 5, 0.25)])
    box = (0, 0, 12, 8)
    difference = np.abs(coverage(Outline.parse(path_data(modules)), box, 20) - coverage(modules, box, 20))
    assert difference.max() < 0.1
