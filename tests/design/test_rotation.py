"""Layers whose image is rotated: an interface that knows no angles draws them, and they can be turned back."""

import json
import math
from io import BytesIO
from urllib.parse import unquote

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit import Design, Layer, Photo, generate
from qrkit.design.color import Color
from qrkit.design.rotation import Rotated
from qrkit.design.source import python_source
from qrkit.errors import InvalidParameter, RemoteContentDisabled
from qrkit.notebook.widgets.upright_layers import design_of, fields_of
from tests.conformance import readers
from tests.drawing.pictures import BLUE, RED, pixels, png_uri, svg_uri

PLAIN = Design(content="x", ec="H", version=6, width=400)
PNG = png_uri([[RED, BLUE]])
SVG = svg_uri('<rect width="5" height="10" fill="red"/><rect x="5" width="5" height="10" fill="#00F"/>')
COLORED = {"x": 120, "y": 160, "width": 160, "height": 80}
"""The left half is red, the right half blue."""

lengths = st.integers(10, 40_000).map(lambda number: number / 100)
places = st.integers(-40_000, 40_000).map(lambda number: number / 100)
degrees = st.integers(-72_000, 72_000).map(lambda number: number / 100)


def drawn(*layers, **fields):
    return generate(PLAIN.replace(layers=layers, **fields), warn=False)


def colors(image, *points):
    picture = Image.open(BytesIO(image.to_bytes("png"))).convert("RGB")
    return [picture.getpixel(point) for point in points]


@settings(max_examples=60)
@given(places, places, lengths, lengths, degrees, degrees)
@example(0.0, 0.0, 0.1, 300.0, 45.0, 315.0)
def test_a_layer_that_is_turned_back_is_what_it_was(x, y, width, height, one, other):
    layer = Layer("icon:heart", x=x, y=y, width=width, height=height, color="#80FF0000", opacity=0.5, name="love")
    turned = layer.rotated(one).rotated(other)
    assert (turned.rotation - one - other + 180) % 360 == pytest.approx(180, abs=0.001)
    assert -180 < turned.rotation <= 180
    assert turned.upright == layer
    assert turned.rotated(-one).rotated(-other) == layer
    middle = (turned.x + turned.width / 2, turned.y + turned.height / 2)
    assert middle == pytest.approx((layer.x + layer.width / 2, layer.y + layer.height / 2), abs=0.001)


@pytest.mark.parametrize("content", [PNG, SVG])
@pytest.mark.parametrize(
    ("angle", "red", "blue"),
    [
        (0, (150, 200), (250, 200)),
        (90, (200, 150), (200, 250)),
        (-90, (200, 250), (200, 150)),
        (180, (250, 200), (150, 200)),
        (45, (165, 165), (235, 235)),
    ],
)
def test_images_are_turned_clockwise_about_their_center(content, angle, red, blue):
    image = drawn(Layer(content, **COLORED).rotated(angle))
    assert colors(image, red, blue) == [RED[:3], BLUE[:3]]


def test_an_icon_that_is_rotated_keeps_the_color_of_the_foreground_or_its_own():
    square = Layer("icon:square", x=120, y=120, width=160, height=160).rotated(30)
    assert colors(drawn(square, foreground="navy"), (200, 200)) == [(0, 0, 128)]
    assert colors(drawn(square.upright.replace(color="red").rotated(30)), (200, 200)) == [RED[:3]]
    assert "<image" not in drawn(square).to_bytes("svg").decode(), "it stays an outline"


def test_only_modules_under_what_is_seen_of_a_rotated_image_are_left_out():
    def dark(**fields):
        layers = [Layer(PNG, **COLORED, opacity=0, display="pixel-hit-test").rotated(45)]
        pixels = np.asarray(Image.open(BytesIO(drawn(*layers, **fields).to_bytes("png"))).convert("L")) < 128
        # The middle of the image, and a corner of its box that the image does not reach.
        return pixels[190:210, 190:210].sum(), pixels[120:150, 250:280].sum()

    plain = np.asarray(Image.open(BytesIO(drawn().to_bytes("png"))).convert("L")) < 128
    assert dark() == (0, plain[120:150, 250:280].sum())


def test_a_rotated_layer_is_an_ordinary_picture_for_other_programs():
    turned = Layer(PNG, **COLORED).rotated(30)
    svg = unquote(turned.content.removeprefix("data:image/svg+xml,"))
    assert PNG in svg
    assert "rotate(30" in svg
    known = {"content", "x", "y", "width", "height", "name", "opacity", "display", "tolerance"}
    assert json.loads(turned.to_json()).keys() <= known
    design = PLAIN.replace(layers=[turned, Layer("icon:heart", **COLORED).rotated(30)])
    assert Design.from_json(design.to_json()) == design


def test_source_of_a_rotated_layer_has_its_angle():
    design = PLAIN.replace(layers=[Layer("icon:heart", x=50.5, y=60, width=40, height=30, color="red").rotated(-30)])
    source = python_source(design)
    assert '"icon:heart"' in source
    assert ").rotated(-30)" in source
    names: dict = {}
    exec(source, names)
    assert names["design"] == design


def test_resized_layer_can_still_be_turned_back():
    small = Layer("icon:heart", x=100, y=100, width=40, height=20).rotated(30)
    design = PLAIN.replace(layers=[small]).resized(width=800)
    (layer,) = design.layers
    assert layer.rotation == 30
    assert (layer.upright.width, layer.upright.height) == pytest.approx((80, 40), abs=0.05)


@pytest.mark.parametrize(
    ("angle", "changes", "size"),
    [
        (90, {"width": 40}, (40, 40)),
        (-90, {"height": 10}, (10, 20)),
        (180, {"width": 80}, (80, 20)),
        (90, {"width": 2_000}, (40, 2_000)),
    ],
)
def test_a_layer_turned_by_right_angles_can_be_stretched_along_each_side(angle, changes, size):
    stretched = Layer("icon:heart", x=100, y=100, width=40, height=20).rotated(angle).replace(**changes)
    assert stretched.rotation == angle
    assert (stretched.upright.width, stretched.upright.height) == size
    box = stretched.rotated(10).rotated(-10)
    assert (box.width, box.height) == (stretched.width, stretched.height)


@pytest.mark.parametrize(
    ("size", "angle", "changes"),
    [
        ((40, 20), 30, {"width": 80}),
        ((8_000, 0.1), 45, {"width": 10_000, "height": 10_000}),
        ((0.2, 0.2), 45, {"width": 0.1, "height": 0.1}),
    ],
    ids=["other proportions", "too large upright", "too small upright"],
)
def test_a_layer_whose_image_cannot_be_turned_back_is_taken_as_it_is(size, angle, changes):
    turned = Layer("icon:heart", x=100, y=100, width=size[0], height=size[1]).rotated(angle)
    layer = turned.replace(**changes)
    assert (layer.rotation, layer.upright) == (0, layer)
    design = PLAIN.replace(layers=[layer])
    assert design_of(fields_of(design)) == design
    names: dict = {}
    exec(python_source(design), names)
    assert names["design"] == design


def test_a_stretched_icon_keeps_its_color():
    square = Layer("icon:square", x=120, y=120, width=100, height=100, color="red").rotated(30).replace(width=250)
    assert colors(drawn(square), (245, 190)) == [RED[:3]]


def test_a_picture_that_was_rotated_and_stretched_can_be_rotated_again():
    stretched = Layer(PNG, **COLORED).rotated(45).replace(x=100, y=150, width=200, height=100)
    assert colors(drawn(stretched), (170, 170), (230, 230)) == [RED[:3], BLUE[:3]]
    assert colors(drawn(stretched.rotated(180)), (170, 170), (230, 230)) == [BLUE[:3], RED[:3]]


def test_other_programs_draw_a_rotated_icon_in_its_own_translucent_color():
    icon = Layer("icon:square", **COLORED, color="#80FF0000").rotated(90)
    assert icon.upright.color == Color.parse("#80FF0000")
    svg = unquote(icon.content.removeprefix("data:image/svg+xml,"))
    picture = readers.svg(svg.replace("<svg ", "<svg width='80' height='160' ", 1).encode())
    assert picture[80, 40].tolist() == pytest.approx([255, 0, 0, 128], abs=1)


@pytest.mark.parametrize("place", ["behind", "inside", "halftone"])
def test_a_rotated_icon_is_an_ordinary_svg_for_a_photo(place):
    icon = Layer("icon:square", x=120, y=120, width=160, height=160, color="red").rotated(30)
    picture = pixels(drawn(photo=Photo(icon.content, place=place)))
    assert (picture[..., 0] > picture[..., 2] + 50).sum() > 5_000


@pytest.mark.parametrize("angle", [math.nan, math.inf, pytest.param(10**400, id="huge"), "30", True, None])
def test_what_is_no_angle_is_refused_by_name(angle):
    with pytest.raises(InvalidParameter, match="degrees"):
        Layer("icon:heart", **COLORED).rotated(angle)


def test_an_icon_that_does_not_exist_is_told_when_it_is_rotated():
    with pytest.raises(InvalidParameter, match="icon"):
        Layer("icon:hart", **COLORED).rotated(10)


def test_rules_for_images_hold_for_what_a_rotated_image_contains():
    remote = Layer("https://example.com/logo.png", **COLORED).rotated(10)
    with pytest.raises(RemoteContentDisabled):
        drawn(remote)
    twice = Rotated(remote.content, 160, 80, 20).as_content()
    with pytest.raises(RemoteContentDisabled):
        drawn(Layer(twice, **COLORED))


def test_an_image_is_rotated_a_limited_number_of_times():
    content = PNG
    for _ in range(9):
        content = Rotated(content, 160, 80, 20).as_content()
    with pytest.warns(UserWarning, match="the SVG becomes a picture"):
        drawn(Layer(content, **COLORED))


@pytest.mark.parametrize(
    "mark", ["10 0 5", "10 1e9 5", "500 10 5", "nan 10 5", "1.2.3 10 5", "10 99999999 5", "10 5", "90 0.00001 0.00001"]
)
def test_a_mark_of_strangers_with_other_numbers_makes_no_rotated_image(mark):
    turned = Layer(PNG, **COLORED).rotated(10)
    start = turned.content.index("data-rotated='") + len("data-rotated='")
    forged = turned.content[:start] + mark + turned.content[turned.content.index("'", start) :]
    layer = Layer(forged, **COLORED)
    assert (layer.rotation, layer.upright) == (0, layer)
    with pytest.warns(UserWarning, match="the SVG becomes a picture"):
        drawn(layer)


def test_a_mark_that_colors_a_picture_makes_no_rotated_image():
    turned = Layer(PNG, **COLORED).rotated(10)
    forged = turned.content.replace("%20viewBox=", "%20data-color='%23FFFF0000'%20color='red'%20viewBox=", 1)
    layer = Layer(forged, **COLORED)
    assert (layer.rotation, layer.upright) == (0, layer)
