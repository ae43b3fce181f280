"""How large a picture is, and where the symbol lies in it."""

from math import floor

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qrkit import generate
from qrkit.errors import InvalidParameter
from qrkit.server.statuses import status_of
from tests.conformance import readers
from tests.drawing.pictures import LINK, filled, modules, pixels

SIDE = 25
"""Modules per side of the symbol of LINK."""

sizes = st.fixed_dictionaries(
    {"width": st.integers(25, 400), "height": st.integers(25, 400), "padding": st.integers(0, 6)}
).filter(lambda size: min(size["width"], size["height"]) >= SIDE + 2 * size["padding"])
some = settings(max_examples=40)


def expected(width: int, height: int, padding: int) -> np.ndarray:
    """True for each dark pixel, from the ruling alone."""
    dark = np.pad(modules(generate(LINK)), padding)
    size = min(width, height) // len(dark)
    large = dark.repeat(size, axis=0).repeat(size, axis=1)
    sheet = np.zeros((height, width), dtype=bool)
    top, left = (height - len(large)) // 2, (width - len(large)) // 2
    sheet[top : top + len(large), left : left + len(large)] = large
    return sheet


def first_edge(line: np.ndarray) -> float:
    """Where darkness begins in a line of pixels, to the fraction of one that is covered."""
    first = int(np.argmax(line > 0.01))
    return first + 1 - float(line[first])


@pytest.mark.rule("G8")
@given(sizes)
@example({"width": 33, "height": 400, "padding": 4})
@some
def test_modules_get_the_most_whole_pixels_that_fit_and_the_symbol_is_centred(size):
    """Open: what width and height mean. The whole picture; whole pixels a module, the rest is background."""
    image = generate(LINK, foreground="#123456", background="#FFF3C4", **size)
    found = pixels(image)
    assert (image.width, image.height) == (size["width"], size["height"])
    colors = np.where(expected(**size)[..., None], (0x12, 0x34, 0x56, 255), (0xFF, 0xF3, 0xC4, 255))
    assert np.array_equal(found, colors)


@pytest.mark.rule("G8")
@given(sizes)
@settings(some, max_examples=15)
def test_decorated_modules_lie_on_the_same_pixels(size):
    """Open: the same, for what is not plain squares."""
    cell = min(size["width"], size["height"]) // (SIDE + 2 * size["padding"])
    stamp = {"content": filled((0, 0, 0, 255)), "width": cell, "height": cell}
    image = generate(LINK, modules={"type": "sprite", "sprites": [stamp]}, **size)
    assert np.array_equal(pixels(image)[..., 0] == 0, expected(**size))


@pytest.mark.rule("G8")
@given(sizes)
@settings(some, max_examples=15)
def test_vector_formats_fill_the_size_exactly(size):
    """Open: whether vector formats round too. They need not: a module takes its exact share of the shorter side."""
    found = 1 - pixels(generate(LINK, modules={"type": "dots"}, **size), "svg")[..., 0] / 255
    module = min(size["width"], size["height"]) / (SIDE + 2 * size["padding"])
    # Lines through the rings of the finder patterns, whose outer edges are those of the symbol.
    middle_x = (size["width"] - module * (SIDE - 7)) / 2
    middle_y = (size["height"] - module * (SIDE - 7)) / 2
    for line, length in ((found[floor(middle_y)], size["width"]), (found[:, floor(middle_x)], size["height"])):
        edge = (length - module * SIDE) / 2
        assert first_edge(line) == pytest.approx(edge, abs=0.15)
        assert length - first_edge(line[::-1]) == pytest.approx(length - edge, abs=0.15)


@pytest.mark.rule("G8")
def test_an_svg_of_any_size_shows_its_modules_where_they_belong():
    """Open: the same, seen through a renderer."""
    image = generate(LINK, width=305, height=400, padding=2)
    assert image.to_bytes("svg").startswith(b"<svg") and b'width="305" height="400"' in image.to_bytes("svg")
    found = pixels(image, "svg")[47:352, :, 0]
    size = 305 / (SIDE + 4)
    middles = [floor((index + 2.5) * size) for index in range(SIDE)]
    assert np.array_equal(found[np.ix_(middles, middles)] < 128, modules(image))


@pytest.mark.rule("G8")
@pytest.mark.parametrize("format", ["png", "svg"])
@pytest.mark.parametrize("given", [{"width": 300}, {"height": 300}, {"width": 300, "height": 300}])
def test_one_side_makes_a_square(given, format):
    """Open: what one of width and height gives. A square."""
    assert pixels(generate(LINK, **given), format).shape == (300, 300, 4)


@pytest.mark.rule("G8")
def test_width_wins_over_size_and_neither_gives_the_module_size():
    """Open: the size where nothing is said. 8 pixels a module."""
    assert generate(LINK).scene.module == 8
    assert generate(LINK, size=3).scene.module == 3
    assert generate(LINK, size=3, width=330).scene.module == 10


@pytest.mark.rule("G8")
@pytest.mark.parametrize(
    ("fields", "name", "value"),
    [
        ({"width": 32}, "width", 32),
        ({"height": 32}, "height", 32),
        ({"width": 32, "height": 400}, "width", 32),
        ({"width": 400, "height": 32}, "height", 32),
        ({"width": 64, "padding": 20}, "width", 64),
        ({"width": 1, "height": 1, "padding": 0}, "width", 1),
    ],
)
@pytest.mark.parametrize("format", ["png", "svg"])
def test_less_than_a_pixel_a_module_is_refused_and_the_quiet_zone_is_never_shrunk(fields, name, value, format):
    """Open: what happens when it is too small. 400, and the message says how large is enough."""
    with pytest.raises(InvalidParameter) as caught:
        generate(LINK, **fields).to_bytes(format)
    least = SIDE + 2 * fields.get("padding", 4)
    assert (caught.value.name, caught.value.value, status_of(caught.value)) == (name, value, 400)
    assert f"at least {least} is needed" in caught.value.rule
    enough = {**fields, "width": max(fields.get("width", least), least)}
    enough["height"] = max(fields.get("height", least), least)
    assert readers.zxing(readers.raster(generate(LINK, **enough).to_bytes())) == LINK.encode()


@pytest.mark.rule("G8")
def test_a_picture_of_the_largest_size_is_drawn():
    """Open: the limits. 40 million pixels in all."""
    image = generate(LINK, width=10_000, height=4_000, padding=0)
    assert (image.width, image.height, image.scene.module) == (10_000, 4_000, 160)
    assert len(image.to_bytes("png")) < 200_000
