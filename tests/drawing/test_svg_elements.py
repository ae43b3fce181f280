"""Outlines as text: each number to a thousandth, and in as few characters as possible."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit.design.outline import Outline, Scattered, circle
from qrkit.design.shapes.styles import STYLES
from qrkit.drawing.svg.svg_elements import path_data
from qrkit.drawing.svg.svg_text import number

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
    assert path_data(Outline.of(segments)) == text


@pytest.mark.parametrize("style", STYLES)
def test_parts_are_written_relative_to_their_places_as_the_outline_that_they_make_up(style):
    cells = (b"\1\1\0\1\1", b"\1\0\1\1\1", b"\0\1\1\1\1", b"\1\1\0\0\1")
    modules = Scattered([*STYLES[style](cells), (circle(3, 3, 2) + circle(3, 3, 1).hole(), 0.5, -7)])
    read, joined = (Outline.parse(path_data(one)) for one in (modules, Outline(modules.letters, modules.numbers)))
    assert read.letters == joined.letters
    assert read.numbers == pytest.approx(joined.numbers, abs=0.0006)
