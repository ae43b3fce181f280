"""A picture around the QR Code."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qrkit
from qrkit import Layer, Placeholder, Wrapper, generate
from qrkit.errors import InvalidParameter
from qrkit.server.statuses import status_of
from tests.drawing.pictures import BLUE, GREEN, LINK, RED, WHITE, filled, modules, pixels, png_uri, svg_uri

SIDE = 25 + 2 * 4
"""Modules of the picture of LINK, quiet zone included."""

holes = st.fixed_dictionaries(
    {
        "x": st.integers(0, 40),
        "y": st.integers(0, 40),
        "width": st.integers(SIDE, 140),
        "height": st.integers(SIDE, 140),
    }
)
some = settings(max_examples=30)


def wrapped(hole: dict, source: str = filled(RED), **fields) -> qrkit.QRImage:
    wrapper = Wrapper(source=source, width=200, height=180, placeholder=Placeholder(**hole))
    return generate(LINK, wrapper=wrapper, **fields)


@pytest.mark.rule("G15")
@given(holes)
@some
def test_the_symbol_is_fitted_and_centred_in_the_placeholder_in_whole_pixels(hole):
    """Open: how large the output is, and how the symbol gets in. As large as the wrapper; with its quiet zone."""
    image = wrapped(hole)
    found = pixels(image)
    assert (image.width, image.height, found.shape) == (200, 180, (180, 200, 4))
    size = min(hole["width"], hole["height"]) // SIDE
    side = size * SIDE
    code = np.where(np.pad(modules(image), 4)[..., None], (0, 0, 0, 255), WHITE)
    code = code.repeat(size, axis=0).repeat(size, axis=1)
    # Half a pixel cannot be helped where an odd number is left over.
    across, down = hole["x"] + (hole["width"] - side) / 2, hole["y"] + (hole["height"] - side) / 2
    places = [
        (top, left)
        for top in {int(down), int(down + 0.5)}
        for left in {int(across), int(across + 0.5)}
        if np.array_equal(found[top : top + side, left : left + side], code)
    ]
    assert len(places) == 1
    top, left = places[0]
    around = np.ones(found.shape[:2], dtype=bool)
    around[top : top + side, left : left + side] = False
    assert (found[around] == RED).all()


@pytest.mark.rule("G15")
@given(holes)
@settings(some, max_examples=10)
def test_in_a_vector_format_the_symbol_fills_the_placeholder(hole):
    """Open: the same, where modules may have fractions of pixels."""
    image = wrapped(hole, background="lime")
    side = min(hole["width"], hole["height"])
    left, top = hole["x"] + (hole["width"] - side) / 2, hole["y"] + (hole["height"] - side) / 2
    # How much of the lines through its middle the background covers, to fractions of pixels.
    green = pixels(image, "svg")[..., 1] / 255
    down, across = np.flatnonzero(green[:, int(left) + 1]), np.flatnonzero(green[int(top) + 1])
    assert green[:, int(left) + 1].sum() == pytest.approx(side, abs=0.3)
    assert green[int(top) + 1].sum() == pytest.approx(side, abs=0.3)
    assert abs(across[0] - left) < 1 and abs(down[0] - top) < 1
    assert pixels(image, "svg").shape == (180, 200, 4)


@pytest.mark.rule("G15")
def test_a_large_picture_fills_a_small_placeholder_to_the_pixel():
    """Open: the same, where the picture is much larger than its place."""
    found = pixels(wrapped({"x": 20, "y": 20, "width": 111, "height": 111}, width=6_000, background="lime"), "svg")
    assert (found[21, 20:131] == GREEN).all()
    assert (found[21, 131:] == RED).all()


@pytest.mark.rule("G15")
@pytest.mark.parametrize("given", [{"width": 300, "height": 200}, {"size": 20}, {"width": 66}])
def test_a_picture_that_is_no_square_keeps_its_form_and_the_wrapper_its_size(given):
    """Open: what width and height do with a wrapper. They give the picture its form; the wrapper's size holds."""
    found = pixels(wrapped({"x": 10, "y": 10, "width": 150, "height": 150}, background="lime", **given))
    assert found.shape == (180, 200, 4)
    inside = (found != RED).any(axis=-1)
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    width, height = np.ptp(columns) + 1, np.ptp(rows) + 1
    wanted = given.get("width", 1) / given.get("height", given.get("width", 1))
    assert width / height == pytest.approx(wanted, rel=0.02)
    assert abs(columns[0] + columns[-1] + 1 - 170) <= 2 and abs(rows[0] + rows[-1] + 1 - 170) <= 2


@pytest.mark.rule("G15")
def test_a_placeholder_too_small_for_a_pixel_a_module_is_refused():
    """Open: the least size. A pixel a module, as everywhere (G8)."""
    for format in ("png", "svg"):
        with pytest.raises(
            InvalidParameter, match=rf"placeholder: leaves less than a pixel for each of {SIDE} modules"
        ) as caught:
            wrapped({"x": 0, "y": 0, "width": 170, "height": SIDE - 1}).to_bytes(format)
        assert status_of(caught.value) == 400
    least = wrapped({"x": 0, "y": 0, "width": 170, "height": SIDE})
    assert qrkit.decode(least.to_bytes()).content == LINK


@pytest.mark.rule("G15")
@pytest.mark.parametrize("hole", [{"x": 60}, {"y": 40}, {"x": -1}, {"y": -0.5}, {"width": 201}, {"height": 180.5}])
def test_a_placeholder_outside_the_wrapper_is_refused(hole):
    """Open: what happens then. 400, and the message says where the wrapper ends."""
    with pytest.raises(InvalidParameter, match=r"must lie inside the wrapper, 0\.\.200 by 0\.\.180 pixels") as caught:
        wrapped({"x": 0, "y": 0, "width": 150, "height": 150} | hole)
    assert (caught.value.name, status_of(caught.value)) == ("placeholder", 400)
    assert wrapped({"x": 50, "y": 30, "width": 150, "height": 150}).width == 200


@pytest.mark.parametrize(
    "source",
    [
        png_uri([[RED, GREEN], [BLUE, WHITE]]),
        svg_uri(
            '<rect width="5" height="5" fill="red"/><rect x="5" width="5" height="5" fill="lime"/>'
            '<rect y="5" width="5" height="5" fill="blue"/><rect x="5" y="5" width="5" height="5" fill="white"/>'
        ),
    ],
    ids=["png", "svg"],
)
@pytest.mark.parametrize("format", ["png", "svg"])
def test_the_wrapper_is_stretched_to_its_size(source, format):
    found = pixels(wrapped({"x": 80, "y": 70, "width": 40, "height": 40}, source), format)
    corners = [tuple(found[y, x]) for y, x in ((2, 2), (2, 197), (177, 2), (177, 197))]
    assert corners == [RED, GREEN, BLUE, WHITE]


@pytest.mark.rule("G15")
def test_the_symbol_stands_over_the_wrapper_and_a_transparent_background_lets_it_through():
    """Open: which is on top. The symbol; a wrapper has no hole of its own."""
    image = wrapped({"x": 0, "y": 0, "width": 99, "height": 99}, background="transparent")
    found = pixels(image)[:99, :99].reshape(33, 3, 33, 3, 4)
    dark = np.pad(modules(image), 4)
    assert np.array_equal((found == (0, 0, 0, 255)).all(axis=(1, 3, 4)), dark)
    assert np.array_equal((found == RED).all(axis=(1, 3, 4)), ~dark)


@pytest.mark.rule("G13")
def test_layers_are_placed_in_the_picture_before_it_goes_into_the_wrapper():
    """Open: what layers are measured from, with a wrapper. From the picture without it."""
    layer = Layer(filled(BLUE), x=0, y=0, width=8, height=4)
    image = wrapped({"x": 50, "y": 20, "width": 132, "height": 132}, layers=[layer], size=8)
    blue = (pixels(image) == BLUE).all(axis=-1)
    wanted = np.zeros_like(blue)
    wanted[20:22, 50:54] = True  # 8 pixels a module have become 4
    assert np.array_equal(blue, wanted)


def test_a_code_in_a_wrapper_reads_in_every_format_of_pixels():
    image = wrapped({"x": 20, "y": 20, "width": 140, "height": 140}, filled(GREEN))
    for format in ("png", "jpg", "bmp", "tif", "gif", "webp"):
        assert qrkit.decode(image.to_bytes(format)).content == LINK
