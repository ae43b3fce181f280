"""How light modules are drawn: whatever size, flip, page and frame a design has, as a picture of it shows them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Color, Gradient, Modules, QRImage, Wrapper
from qrkit.scanning.sampling import (
    MARGIN,
    MOST_READ_SIDE,
    MOST_SAMPLED_SIDE,
    PIXELS,
    greys_of,
    middles,
    reflectance,
    sample,
)
from tests.conformance import readers
from tests.drawing.pictures import filled
from tests.scanning.designs import CARD, dark_frame, plain

WEIGHTS = [0.299, 0.587, 0.114]
INNER = slice(MARGIN, -MARGIN)


def modules_of(image: QRImage) -> np.ndarray:
    return np.array([list(row) for row in image.symbol.modules])


@given(
    size=st.integers(1, 20),
    padding=st.integers(0, 20),
    flip=st.sampled_from(["none", "horizontal", "vertical", "both"]),
    style=st.sampled_from(["default", "rounded", "liquid", "dots"]),
)
@settings(max_examples=25)
def test_modules_are_sampled_as_they_were_encoded(size, padding, flip, style):
    image = QRImage(plain(size=size, padding=padding, flip=flip, modules=Modules(type=style)))
    sampled = sample(image.scene)
    assert sampled.side == image.symbol.side
    luma = sampled.modules[INNER, INNER]
    assert np.array_equal(luma < 0.5, modules_of(image) == 1)
    assert np.abs(luma - (1 - modules_of(image))).max() < 0.2
    assert sampled.is_mirrored == (flip in ("horizontal", "vertical"))


@pytest.mark.parametrize("flip", ["none", "horizontal", "vertical", "both"])
def test_a_logo_goes_with_the_symbol_that_is_flipped(flip):
    """It covers the same modules, as it is flipped with them."""
    layer = {"content": filled((255, 0, 0, 255)), "x": 32 + 8 * 9, "y": 32 + 8 * 12, "width": 24, "height": 16}
    luma = sample(QRImage(plain(flip=flip, layers=[layer])).scene).modules[INNER, INNER]
    assert np.argwhere(np.abs(luma - 0.299) < 0.02).tolist() == [[12 + r, 9 + c] for r in (0, 1) for c in (0, 1, 2)]


@pytest.mark.parametrize("flip", ["none", "horizontal", "vertical", "both"])
@pytest.mark.parametrize("background", ["white", "#8000FFFF"])
def test_some_modules_are_sampled_as_in_the_whole(flip, background):
    layer = {"content": filled((255, 0, 0, 128)), "x": 32 + 8 * 9.3, "y": 32 + 8 * 12, "width": 27, "height": 16}
    scene = QRImage(plain(flip=flip, background=background, layers=[layer])).scene
    whole = sample(scene).modules
    for rows, columns in [(slice(16, 20), slice(12, 19)), (slice(0, 6), slice(3, 4)), (slice(5, 99), slice(30, 99))]:
        some = sample(scene, PIXELS, rows, columns).modules
        assert np.abs(some - whole[rows, columns]).max() < 0.005


def test_around_a_symbol_without_quiet_zone_the_page_is_seen():
    image = QRImage(plain(padding=0))
    sampled = sample(image.scene)
    for page in (0.0, 0.25, 1.0):
        around = np.ones((sampled.side + 2 * MARGIN,) * 2, dtype=bool)
        around[INNER, INNER] = False
        assert np.allclose(middles(sampled.on(page), sampled.pixels)[around], page)
    assert not sampled.is_inside[: MARGIN * sampled.pixels].any()
    assert sampled.is_inside[MARGIN * sampled.pixels : -MARGIN * sampled.pixels, MARGIN * sampled.pixels].any()


def test_beyond_the_near_edge_of_a_wrapper_the_page_is_seen_though_the_other_edge_is_far():
    place = {"x": 200, "y": 200, "width": 400, "height": 400}
    wrapper = Wrapper(source=filled((0, 0, 0, 255)), width=600, height=600, placeholder=place)
    sampled = sample(QRImage(plain(padding=0, wrapper=wrapper)).scene)
    assert sampled.is_inside[0, 0]
    assert np.array_equal(sampled.is_inside, sampled.alpha == 1)


def test_through_what_is_transparent_the_page_is_seen():
    sampled = sample(QRImage(plain(background="#00FFFFFF")).scene)
    light = modules_of(QRImage(plain())) == 0
    assert np.allclose(middles(sampled.on(0.25), sampled.pixels)[INNER, INNER][light], 0.25)
    assert np.allclose(sampled.modules[INNER, INNER][light], 1.0)


def test_colours_are_weighed_as_readers_weigh_them():
    image = QRImage(plain(foreground="#C81E3C", background="#DCF0FF"))
    luma = sample(image.scene).modules[INNER, INNER]
    dark, light = (np.dot(WEIGHTS, rgb) / 255 for rgb in ((0xC8, 0x1E, 0x3C), (0xDC, 0xF0, 0xFF)))
    assert np.allclose(luma, np.where(modules_of(image) == 1, dark, light), atol=0.005)


@pytest.mark.parametrize("module", [3, 8, 20])
def test_a_frame_around_the_symbol_is_part_of_what_is_sampled(module):
    image = QRImage(plain(size=module, padding=1, wrapper=dark_frame(30)))
    sampled = sample(image.scene)
    assert np.array_equal(sampled.modules[INNER, INNER] < 0.5, modules_of(image) == 1)
    outer = sampled.modules[MARGIN - 2, MARGIN:-MARGIN]
    assert (outer < 0.1).all()


@given(size=st.integers(2, 20), padding=st.integers(0, 9), pixels=st.integers(2, 16))
@settings(max_examples=25)
def test_the_picture_for_readers_has_whole_modules(size, padding, pixels):
    """Each module fills its own pixels, whatever fraction of a pixel the modules of the design have."""
    image = QRImage(plain(size=size, padding=padding))
    greys, module = greys_of(image.exact_scene, pixels)
    assert module == pixels
    assert greys.shape == ((image.symbol.side + 2 * padding) * pixels,) * 2
    expected = np.pad(1 - modules_of(image), padding, constant_values=1).repeat(pixels, 0).repeat(pixels, 1)
    assert np.abs(greys - expected).max() < 0.01


def test_the_picture_for_readers_is_that_which_is_written():
    image = QRImage(plain(size=12, foreground=Gradient.linear("#102030", "#603020"), background="ivory"))
    greys, _ = greys_of(image.scene, 12)
    written = readers.raster(image.to_bytes("png"))[:, :, :3] @ WEIGHTS / 255
    assert np.abs(greys - written).max() < 0.01


def test_the_page_behind_the_picture_for_readers_may_be_of_any_colour():
    greys, _ = greys_of(QRImage(plain(background="#00FFFFFF")).scene, 4, Color.parse("#404040"))
    assert np.isclose(greys[0, 0], 0x40 / 255, atol=0.01)


@pytest.mark.slow
def test_large_symbols_are_looked_at_with_fewer_pixels():
    small, large = (QRImage(plain("x" * count)) for count in (5, 2300))
    assert sample(small.scene).pixels == 8
    sampled = sample(large.scene)
    assert 3 <= sampled.pixels < 8
    assert len(sampled.luma) <= MOST_SAMPLED_SIDE
    assert np.array_equal(sampled.modules[INNER, INNER] < 0.5, modules_of(large) == 1)
    greys, module = greys_of(large.scene, 12)
    assert max(greys.shape) == MOST_READ_SIDE
    assert 8 < module < 9


def test_middles_are_the_means_of_inner_halves():
    square = np.zeros((8, 8), dtype=np.float32)
    square[2:6, 2:6] = 1
    assert middles(square, 8).tolist() == [[1.0]]
    assert middles(1 - square, 8).tolist() == [[0.0]]
    assert middles(np.arange(64.0).reshape(8, 8), 4).tolist() == [[13.5, 17.5], [45.5, 49.5]]


def test_reflectance_is_linear_light():
    greys = np.array([[0.0, 0.04, 0.5, 1.0]], dtype=np.float32)
    assert reflectance(greys)[0] == pytest.approx([0, 0.0031, 0.214, 1], abs=1e-3)
    rising = reflectance(np.linspace(0, 1, 256, dtype=np.float32)[None])[0]
    assert (np.diff(rising) > 0).all()


def test_the_same_drawing_is_sampled_the_same():
    first, second = (sample(QRImage(plain(CARD, modules=Modules(type="liquid"))).scene) for _ in range(2))
    assert np.array_equal(first.luma, second.luma)
