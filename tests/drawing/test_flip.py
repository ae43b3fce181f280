"""Mirrored pictures."""

import numpy as np
import pytest

from qrkit import Gradient, Layer, Markers, Placeholder, Sprite, Wrapper, decode, generate
from tests.conformance import readers
from tests.drawing.pictures import BLUE, GREEN, LINK, RED, WHITE, modules, pixels, png_uri, svg_uri

CORNERED = png_uri([[RED, RED, GREEN], [RED, BLUE, WHITE]])
"""Looks different from every side."""
DRAWN = svg_uri('<path d="M0 0H10L0 4z" fill="teal"/><circle cx="8" cy="8" r="2" fill="red"/>')
RADIAL = {
    "gradient": "radial",
    **{"cx": 0.3, "cy": 0.4, "fx": 0.2, "fy": 0.5, "radius": 0.8},
    "stops": [{"offset": 0, "color": "navy"}, {"offset": 1, "color": "#800000", "opacity": 0.8}],
}

DESIGNS = {
    "plain": {},
    "of no square": {"width": 301, "height": 270},
    "colours with alpha": {"foreground": "#80FF0000", "background": "#4000FF00"},
    "linear gradients": {
        "foreground": Gradient.linear("black", "navy", stop=(1, 0.3)),
        "background": Gradient.linear("white", "lime", start=(0, 0.5)),
    },
    "radial gradient": {"foreground": RADIAL},
    "rounded": {"modules": {"type": "rounded"}},
    "liquid": {"modules": {"type": "liquid"}, "width": 251, "height": 301},
    "sprite": {"modules": {"type": "sprite", "sprite": "triangle"}},
    "sprites": {"modules": {"type": "sprite", "sprites": [Sprite(content=CORNERED, width=6, height=6)]}},
    "drawn sprites": {"modules": {"type": "sprite", "sprites": [Sprite(content=DRAWN, width=7, height=8)]}},
    "markers": {"markers": {"top_left": {"pattern": "leaf"}, "top_right": {"pattern": "heart", "innerColor": "red"}}},
    "layer of pixels": {"layers": [Layer(CORNERED, x=30, y=50, width=60, height=20)]},
    "layer between pixels": {"layers": [Layer(CORNERED, x=30.5, y=50.25, width=60, height=20)]},
    "drawn layer": {"layers": [Layer(DRAWN, x=30, y=50, width=60, height=20, opacity=0.5)]},
    "icon": {"layers": [Layer("icon:hand-pointing-right", x=33, y=21, width=80, height=60, color="red")]},
    "hole": {"layers": [Layer("icon:star", x=50, y=90, width=90, height=60, display="pixel-hit-test", tolerance=2)]},
}
SQUARE_EDGED = [DESIGNS[name] for name in ("plain", "of no square", "colours with alpha", "sprites", "layer of pixels")]
FLIPS = {"horizontal": np.s_[:, ::-1], "vertical": np.s_[::-1], "both": np.s_[::-1, ::-1]}

each_flip = pytest.mark.parametrize("flip", FLIPS)
each_design = pytest.mark.parametrize("fields", DESIGNS.values(), ids=DESIGNS)


@pytest.mark.rule("G17")
@each_flip
@each_design
def test_a_flipped_picture_is_the_mirrored_picture(fields, flip):
    """Open: what is mirrored. The symbol with all its decoration, gradients and layers included."""
    straight, mirrored = (pixels(generate(LINK, flip=one, **fields)) for one in ("none", flip))
    difference = np.abs(straight[FLIPS[flip]] - mirrored)
    assert not np.array_equal(straight, mirrored)
    if fields in SQUARE_EDGED:
        assert difference.max() == 0
    # A renderer looks for the edge of a curve at fifteen places in a pixel, which are not symmetrical.
    assert difference.max() <= 34
    assert difference.mean() <= 0.25


@pytest.mark.rule("G17")
@each_flip
@pytest.mark.parametrize("name", ["plain", "linear gradients", "radial gradient", "drawn sprites", "markers", "icon"])
def test_a_flipped_svg_shows_what_the_png_shows(name, flip):
    """Open: the same, in a format of another way of drawing."""
    image = generate(LINK, flip=flip, **DESIGNS[name])
    difference = np.abs(pixels(image, "svg") - pixels(image))
    assert difference.mean() <= 1
    assert (difference.max(axis=-1) > 64).mean() <= 0.001


@pytest.mark.rule("G17")
@each_flip
def test_text_is_mirrored_too(flip):
    """Open: what a flip is where there is no picture. The rows of modules as they would be seen."""
    image = generate(LINK, flip=flip)
    found = readers.txt(image.to_text("binary"), "0", "1")
    assert np.array_equal(found, np.pad(modules(image), 4)[FLIPS[flip]])


@pytest.mark.rule("G17")
@each_flip
def test_a_wrapper_is_not_mirrored(flip):
    """Open: whether a flip reaches the wrapper. It does not; the symbol in it is mirrored in its place."""
    hole = Placeholder(x=20, y=30, width=132, height=132)
    wrapper = Wrapper(source=CORNERED, width=300, height=200, placeholder=hole)
    layer = Layer(CORNERED, x=0, y=0, width=40, height=24)
    straight, mirrored = (pixels(generate(LINK, flip=one, wrapper=wrapper, layers=[layer])) for one in ("none", flip))
    place = np.s_[30:162, 20:152]
    assert np.array_equal(straight[place][FLIPS[flip]], mirrored[place])
    straight[place] = mirrored[place] = 0
    assert np.array_equal(straight, mirrored)
    assert [tuple(straight[y, x]) for y, x in ((1, 1), (1, 298), (198, 298))] == [RED, GREEN, WHITE]


@pytest.mark.parametrize("flip", ["none", *FLIPS])
def test_readers_that_know_mirrored_symbols_read_every_flip(flip):
    assert decode(generate(LINK, flip=flip, markers=Markers.all("eye-5")).to_bytes()).content == LINK
