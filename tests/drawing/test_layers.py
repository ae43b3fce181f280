"""Pictures over the modules, and the modules they leave out."""

import re
from base64 import b64decode

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qrkit import Color, Layer, Role, Sprite, generate
from qrkit.design.outline import Scattered
from qrkit.design.shapes.alignment import alignment_pattern
from qrkit.design.shapes.styles import APART, STYLES
from qrkit.drawing.parts.layers import visible
from qrkit.drawing.scene import Bitmap
from qrkit.errors import InvalidParameter
from qrkit.server.statuses import status_of
from tests.design.shapes.pixels import coverage
from tests.drawing.pictures import (
    BLUE,
    FUNCTION_PATTERNS,
    GREEN,
    LINK,
    RED,
    WHITE,
    filled,
    has,
    inside,
    modules,
    pixels,
    png_uri,
    roles,
    svg_uri,
)

SUB = 4
"""Parts of a pixel that brute force looks at, across and down; numbers of the property are multiples of one."""
MARGIN = 24
"""Pixels around the picture in which a layer may lie, and what is grown from there may come in."""
SIDE = 58
"""Pixels of the picture: 25 modules and a quiet zone of 2, 2 pixels each."""
PLAIN = {"size": 2, "padding": 2, "ec": "H", "version": 2}

CLEAR = (0, 0, 0, 0)
ISLANDS = png_uri([[RED, CLEAR, CLEAR], [CLEAR, CLEAR, (0, 0, 0, 1)], [CLEAR, BLUE, BLUE]])
TRIANGLE = svg_uri('<path d="M0 0L10 0L0 10z"/><circle cx="8" cy="8" r="1"/>')
CONTENTS = [filled(RED), ISLANDS, TRIANGLE, "icon:star-outline"]

quarters = st.integers(-4 * 20, 4 * (SIDE + 10)).map(lambda number: number / SUB)
boxes = st.fixed_dictionaries(
    {
        "x": quarters,
        "y": quarters,
        "width": st.integers(1, 4 * 40).map(lambda number: number / SUB),
        "height": st.integers(1, 4 * 40).map(lambda number: number / SUB),
        "content": st.sampled_from(CONTENTS),
        "tolerance": st.integers(-4 * 10, 4 * 10).map(lambda number: number / SUB),
    }
)
some = settings(max_examples=60)


def grown(seen: np.ndarray, by: int) -> np.ndarray:
    """All that is seen, so far larger on all sides; negative: so far smaller."""
    for axis in (0, 1):
        edges = [(0, 0), (0, 0)]
        edges[axis] = (abs(by), abs(by))
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(seen, edges), 2 * abs(by) + 1, axis=axis)
        seen = windows.any(axis=-1) if by > 0 else windows.all(axis=-1)
    return seen


def touched(seen: np.ndarray, tolerance: float) -> np.ndarray:
    """For each module, whether it shares area with what is seen of the picture and its margin."""
    area = grown(seen, round(tolerance * SUB))
    start, step = (MARGIN + 4) * SUB, 2 * SUB
    area = area[start : start + 25 * step, start : start + 25 * step]
    return area.reshape(25, step, 25, step).any(axis=(1, 3))


def left_out(layer: dict, **fields) -> np.ndarray:
    """For each module, whether it is dark and yet not drawn."""
    image = generate("x", **PLAIN | fields, layers=[Layer(**layer, opacity=0)])
    dark = modules(image)
    drawn = has(inside(image), (0, 0, 0, 255))
    assert not (drawn & ~dark).any()
    return dark & ~drawn


DARK_DATA = modules(generate("x", **PLAIN)) & (roles(generate("x", **PLAIN)) == Role.DATA)


@pytest.mark.rule("G13")
@given(boxes)
@example({"x": 10, "y": 10, "width": 20, "height": 20, "content": filled(RED), "tolerance": -10})
@example({"x": 10, "y": 10, "width": 20, "height": 20, "content": filled(RED), "tolerance": -9.75})
@some
def test_box_hit_test_leaves_out_the_data_modules_that_touch_the_box_grown_by_the_tolerance(box):
    """Open: what "hit" is. To share some area with the box; a negative tolerance makes it smaller."""
    seen = np.zeros(((SIDE + 2 * MARGIN) * SUB,) * 2, dtype=bool)
    left, top = (round((box[name] + MARGIN) * SUB) for name in ("x", "y"))
    seen[top : top + round(box["height"] * SUB), left : left + round(box["width"] * SUB)] = True
    found = left_out(box | {"display": "box-hit-test"})
    assert np.array_equal(found, touched(seen, box["tolerance"]) & DARK_DATA)


def assert_leaves_out_what_is_seen(box: dict) -> None:
    """Compare a pixel hit test with the pixels of the picture as it is drawn alone."""
    picture = {name: box[name] for name in ("width", "height", "content")}
    picture["color"] = "red" if box["content"].startswith("icon:") else None
    sheet = generate("x", foreground="transparent", background="transparent", version=7, size=2).design
    shown = generate(sheet, layers=[Layer(**picture, x=box["x"] + MARGIN, y=box["y"] + MARGIN)])
    assert shown.width == SIDE + 2 * MARGIN
    seen = (pixels(shown)[..., 3] > 0).repeat(SUB, axis=0).repeat(SUB, axis=1)
    found = left_out(box | {"display": "pixel-hit-test"})
    assert np.array_equal(found, touched(seen, box["tolerance"]) & DARK_DATA)


@pytest.mark.rule("G13")
@pytest.mark.parametrize(
    ("content", "x", "y", "width", "height", "tolerance"),
    [
        (filled(RED), 20, 24, 8, 6, 0),
        (filled(RED), 20, 24, 8, 6, 2),
        (filled(RED), 10, 10, 20, 20, -9.75),
        (filled(RED), 10, 10, 20, 20, -10),
        (filled(RED), 20.5, 21.25, 13, 9.75, -2.5),
        (ISLANDS, 20, 26, 18, 24, 0),
        (ISLANDS, 20, 26, 18, 24, -3),
        (ISLANDS, 19, 27, 9, 6, 0.5),
        (TRIANGLE, 22, 20, 24, 30, -2.25),
        ("icon:star-outline", 20, 20, 30, 24, 0),
        (filled(RED), 59, 8, 9, 40, 9),
        (filled(RED), 8, 59, 40, 9, 9),
        (filled(RED), -10, 20, 9, 30, 9.5),
        (filled(RED), 20, -10, 30, 9, 9.5),
    ],
)
def test_pixel_hit_test_matches_pixels_drawn_alone(content, x, y, width, height, tolerance):
    box = {"content": content, "x": x, "y": y, "width": width, "height": height, "tolerance": tolerance}
    assert_leaves_out_what_is_seen(box)


def test_pixels_with_any_alpha_are_visible():
    rows = [[CLEAR, (9, 9, 9, 1), (9, 9, 9, 2)], [(0, 0, 0, 255), CLEAR, CLEAR]]
    content = Bitmap(b64decode(png_uri(rows).partition(",")[2]), 3, 2)
    found = visible(content, (5, 7, 3, 2), (4, 6, 10, 9))
    assert np.argwhere(found).tolist() == [[1, 2], [1, 3], [2, 1]]
    assert found.shape == (3, 6)


@pytest.mark.slow
@pytest.mark.rule("G13")
@given(boxes)
@example({"x": 10, "y": 10, "width": 20, "height": 20, "content": filled(RED), "tolerance": -9.75})
@example({"x": 59, "y": 8, "width": 9, "height": 40, "content": filled(RED), "tolerance": 9})
@example({"x": -19, "y": -19, "width": 100, "height": 100, "content": filled(RED), "tolerance": -10})
@some
def test_pixel_hit_test_leaves_out_those_that_touch_a_visible_pixel_grown_likewise(box):
    """Open: what "pixel" is. One of the picture as it is drawn, with any alpha above 0."""
    assert_leaves_out_what_is_seen(box)


@pytest.mark.rule("G13")
def test_a_hit_test_looks_at_the_picture_itself_whatever_its_opacity():
    """Open: whether a faint layer hits less. No: its opacity says how it is painted, not what it covers."""
    box = {"content": ISLANDS, "x": 20, "y": 20, "width": 18, "height": 18, "display": "pixel-hit-test"}
    assert left_out(box).any()
    image = generate("x", **PLAIN, layers=[Layer(**box, opacity=0.5)])
    dark = has(inside(image), (0, 0, 0, 255))
    assert not (dark & left_out(box)).any()


@pytest.mark.rule("G13")
@pytest.mark.parametrize("display", ["box-hit-test", "pixel-hit-test"])
@pytest.mark.parametrize("version", [2, 7])
def test_function_patterns_are_never_left_out(display, version):
    """Open: what a layer over everything leaves. Finder, timing, alignment, format and version patterns."""
    everything = {"content": filled(RED), "x": -50, "y": -50, "width": 600, "height": 600, "display": display}
    found = left_out(everything, version=version)
    image = generate("x", **PLAIN | {"version": version})
    role = roles(image)
    assert np.array_equal(found, modules(image) & (role == Role.DATA))
    # The role of every pattern is one that is kept, and there is something to keep of each.
    for one in FUNCTION_PATTERNS:
        assert not found[role == one].any()
        assert (role == one).any() or (one == Role.VERSION and version < 7)
    assert image.symbol.modules[image.symbol.side - 8][8] == 1 and not found[-8, 8], "the dark module"


@pytest.mark.rule("G13")
def test_sprites_on_light_modules_are_left_out_as_well():
    """Open: what of modules that are light. A sprite there would stand in the layer's way, too."""
    sprites = [
        Sprite(content=filled(color), width=4, height=4, type=type) for color, type in ((RED, "fill"), (GREEN, "blank"))
    ]
    layer = Layer("icon:square", x=30, y=30, width=30, height=30, opacity=0, display="box-hit-test")
    image = generate("x", size=4, padding=0, version=2, modules={"type": "sprite", "sprites": sprites}, layers=[layer])
    hit = np.zeros((25, 25), dtype=bool)
    hit[7:15, 7:15] = True
    white = has(inside(image), WHITE)
    assert np.array_equal(white[9:15, 9:15], np.ones((6, 6)))
    assert not (white & (roles(image) != Role.ALIGNMENT))[15:, 15:].any()


@pytest.mark.rule("G13")
@pytest.mark.parametrize("style", STYLES)
def test_modules_that_are_left_out_are_no_neighbours_either(style):
    """Open: how styles see them. As light modules: the modules around a layer get round ends."""
    layer = Layer(filled(CLEAR), x=73, y=73, width=55, height=55, display="box-hit-test")
    image = generate("x", size=8, padding=0, version=2, modules={"type": style}, layers=[layer])
    dark = modules(image)
    assert dark[8:17, 8:17].sum() > dark[9:16, 9:16].sum() > 0
    dark[9:16, 9:16] = False
    if style in APART:
        dark[16:21, 16:21] = False
    outline = Scattered(STYLES[style](tuple(map(bytes, dark)))) + alignment_pattern(style).placed(16, 16)
    wanted = coverage(outline, (0, 0, 25, 25), 8)
    found = 1 - pixels(image)[..., 0] / 255
    assert np.abs(found - wanted)[64:-64, 64:-64].max() <= 0.25


@pytest.mark.rule("G13")
def test_a_layer_is_painted_over_the_modules_where_it_says_by_default():
    """Open: the default display. Overlay: nothing is left out. Open: what x and y are from. The picture's corner."""
    colours = np.array([[RED, GREEN, BLUE], [CLEAR, RED, (0, 0, 255, 128)]])
    plain = generate(LINK, padding=0)
    found = pixels(generate(plain.design, layers=[Layer(png_uri(colours), x=5, y=9, width=3, height=2)]))
    wanted = pixels(plain)
    before = wanted[10, 7].copy()
    wanted[9, 5:8], wanted[10, 6] = colours[0], RED
    wanted[10, 7] = np.rint(before * (127 / 255) + np.array(BLUE) * (128 / 255))
    assert np.abs(found - wanted).max() <= 1
    assert np.array_equal(found[10, 5], wanted[10, 5])
    assert Layer("icon:star", x=0, y=0, width=1, height=1).display == "overlay"


@pytest.mark.rule("G13")
def test_layers_are_painted_in_the_order_of_the_list():
    """Open: which one is on top. The last."""
    box = {"x": 0, "y": 0, "width": 8, "height": 8}
    layers = [Layer(filled(color), **box | {"x": 4 * index}) for index, color in enumerate((RED, GREEN, BLUE))]
    found = pixels(generate(LINK, layers=layers))[4]
    assert [tuple(found[at]) for at in (0, 4, 8, 15, 16)] == [RED, GREEN, BLUE, BLUE, WHITE]
    turned = pixels(generate(LINK, layers=layers[::-1]))[4]
    assert [tuple(turned[at]) for at in (0, 7, 8, 11, 12)] == [RED, RED, GREEN, GREEN, BLUE]


@pytest.mark.parametrize("content", [filled(RED), svg_uri('<rect width="10" height="10" fill="red"/>'), "icon:square"])
@pytest.mark.parametrize("format", ["png", "svg"])
def test_opacity_is_that_of_the_whole_layer(content, format):
    color = "red" if content.startswith("icon:") else None
    layer = Layer(content, x=-4, y=-4, width=40, height=40, opacity=0.5, color=color)
    found = pixels(generate(LINK, background="blue", layers=[layer]), format)
    assert np.abs(found[16, 16] - (128, 0, 128, 255)).max() <= 1


@pytest.mark.parametrize("content", [filled(RED), svg_uri('<rect width="10" height="10" fill="red"/>')])
def test_a_picture_is_stretched_to_fill_its_box(content):
    found = pixels(generate(LINK, layers=[Layer(content, x=2, y=3, width=20, height=6)]))
    red = (found == RED).all(axis=-1)
    assert (red[3:9, 2:22].all(), red.sum()) == (True, 120)


@pytest.mark.rule("G13")
@pytest.mark.parametrize("format", ["png", "svg"])
def test_an_icon_has_its_colour_or_else_the_foreground_s(format):
    """Open: the colour of an icon that says none. The foreground's, which may be a gradient."""
    box = {"x": 0, "y": 0, "width": 24, "height": 24}
    for fields, wanted in (({"color": "#80FF0000"}, (255, 127, 127, 255)), ({}, GREEN)):
        layer = Layer("icon:square", **box, **fields)
        found = pixels(generate(LINK, foreground="lime", layers=[layer]), format)
        assert np.abs(found[12, 12] - wanted).max() <= 1
    gradient = {"gradient": "linear", "stops": [{"offset": 0, "color": "red"}, {"offset": 1, "color": "blue"}]}
    far = Layer("icon:square", **box | {"x": 240, "y": 240})
    found = pixels(generate(LINK, foreground=gradient, layers=[Layer("icon:square", **box), far]), format)
    assert found[12, 12][0] > 240 and found[252, 252][2] > 240


@pytest.mark.rule("G13")
def test_a_colour_without_an_icon_is_refused():
    """Open: what `color` does elsewhere. Nothing it could do would be right: 400."""
    with pytest.raises(InvalidParameter, match="color='red': recolors only icons") as caught:
        Layer(filled(RED), x=0, y=0, width=1, height=1, color="red")
    assert (caught.value.name, status_of(caught.value)) == ("color", 400)
    assert Layer("icon:star", x=0, y=0, width=1, height=1, color="red").color == Color(255, 0, 0)


@pytest.mark.rule("G14")
def test_an_unknown_icon_gets_near_names_and_says_where_it_stands():
    """Open: which icons there are. Those of the Material Design Icons, by their names."""
    box = {"x": 0, "y": 0, "width": 24, "height": 24}
    with pytest.raises(
        InvalidParameter, match=re.escape("layers.1.content='icon:hart': is not an icon; did")
    ) as caught:
        generate(LINK, layers=[Layer("icon:heart", **box), Layer("icon:hart", **box)])
    assert "'heart'" in caught.value.rule
    assert status_of(caught.value) == 400


def test_layers_together_cover_a_bounded_area():
    layers = [Layer("icon:square", x=0, y=0, width=5_000, height=5_000)] * 16
    assert generate("x", layers=layers).to_bytes("svg")
    one_more = Layer("icon:square", x=0, y=0, width=1, height=1)
    rule = "layers: cover 400 million pixels together; at most 400 are drawn"
    with pytest.raises(InvalidParameter, match=rule) as caught:
        generate("x", layers=[*layers, one_more]).to_bytes("svg")
    assert caught.value.problems[0].code == "out-of-range"
