"""Outlines as text: each number to a thousandth, and in as few characters as possible."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit.design.outline import Outline, circle
from qrkit.design.shapes.sprites import SPRITES
from qrkit.drawing.svg.svg_elements import characters, path_data
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


@pytest.mark.parametrize("form", [circle(4, 4, 4), SPRITES["star"].placed(scale_x=7.8)], ids=["circle", "star"])
def test_characters_are_counted_as_they_are_written(form):
    places = ((0.0, 0.0), (7.25, 1000.5), (99.999, 9.9996), (-40.0, 12.04))
    written = "".join(path_data(form.placed(*place)) for place in places)
    assert characters(form, places) == len(written.replace("-", "").replace("Z", ""))
    assert characters(form, ()) == 0
