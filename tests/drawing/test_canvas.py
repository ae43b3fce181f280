"""Pixels do not depend on how a drawing is put together: what is drawn at once is what is drawn one by one."""

from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image, ImageChops

from qrkit import Design, Frame, Layer, generate
from qrkit.design.color import Color
from qrkit.design.outline import Outline, Scattered
from qrkit.design.shapes.sprites import SPRITES
from qrkit.design.shapes.styles import STYLES
from qrkit.drawing.scene import Group, Linear, Matrix, Rectangle, Shape, Squares, Stamps
from qrkit.drawing.writers.canvas import painted, seen
from qrkit.drawing.writers.png import write_compressed
from tests.drawing.pictures import LINK

INK = Color(160, 20, 60, 200)
CELLS = ((1, 0), (2, 0), (0, 1), (1, 1), (3, 1), (1, 2), (2, 2), (3, 3))
SCENE = replace(generate(LINK).scene, width=40, height=36)


def drawn(*items) -> bytes:
    return painted(replace(SCENE, items=items)).tobytes()


@pytest.mark.parametrize("matrix", [Matrix(), Matrix(-1, 1, 40, 0.25), Matrix(1.5, 1.5, -5, -4)])
@pytest.mark.parametrize(
    ("name", "scale"),
    [("circle", 8), ("star", 8), ("smiley", 8), ("star", 12), ("x", 20)],
    ids=["apart", "points overlap", "side by side", "half a stamp overlaps", "more than two overlap"],
)
def test_stamps_are_the_same_together_and_one_by_one(name, scale, matrix):
    """Some lie partly outside of the picture, or on fractions of a pixel."""
    outline = SPRITES[name].placed(scale_x=scale)
    places = tuple((8 * column + 0.5, 8 * row - 2.0) for column, row in CELLS)
    together = Stamps(outline, scale, scale, places, INK)
    one_by_one = [together._replace(places=(place,)) for place in places]
    assert drawn(Group((together,), matrix)) == drawn(Group(tuple(one_by_one), matrix))


@pytest.mark.parametrize("stop", [(40, 0), (0, 36)], ids=["across", "down"])
def test_a_straight_gradient_is_the_one_that_an_svg_has(stop):
    """Squares take their colors from a painted strip, a rectangle from a painted picture."""
    paint = Linear((0, 0), stop, ((0.0, Color(0, 0, 0)), (0.4, Color(250, 0, 90)), (1.0, Color(10, 200, 255))))
    whole = Squares(0, 0, 4, (b"\1" * 10,) * 9, paint)
    assert drawn(whole) == drawn(Rectangle(0, 0, 40, 36, paint))


@pytest.mark.parametrize("ink", [INK, Linear((0, 0), (40, 36), ((0.0, Color(0, 0, 0)), (1.0, Color(250, 0, 90))))])
def test_shapes_are_the_same_together_and_one_by_one(ink):
    """Those that are drawn with stamps share a drawing, in which parts outside of the picture would meet the next."""
    circle = SPRITES["circle"].placed(scale_x=12)
    corner = Stamps(circle, 12, 12, ((0.0, 0.0),), ink)
    shapes = [Shape(circle.placed(x, y), ink) for x, y in ((28.5, 30.25), (-6.0, 20.5), (14.75, -5.5), (36.0, 5.0))]
    separate = Rectangle(0, 0, 0, 0, Color(0, 0, 0))
    one_by_one = [one for shape in shapes for one in (corner._replace(places=()), shape, separate)]
    assert drawn(corner, *shapes) == drawn(corner, separate, *one_by_one)


def test_translucent_shapes_shine_through_each_other():
    circle, paper = SPRITES["circle"], Rectangle(0, 0, 40, 36, Color(255, 255, 255))
    modules = Group((Shape(Scattered([(circle, 1, 1), (circle, 3, 3)]), INK),), Matrix(8, 8))
    logo = Shape(circle.placed(8, 8, 8), INK)
    picture = seen(replace(SCENE, items=(paper, modules, logo)))
    clear = 1 - INK.alpha / 255
    one, both = (round(255 * share + INK.green * (1 - share)) for share in (clear, clear**2))
    assert picture.getpixel((28, 28))[1] == pytest.approx(one, abs=1)
    assert picture.getpixel((12, 12))[1] == pytest.approx(both, abs=1)


@pytest.mark.parametrize("background", ["ivory", "#00FFFFFF", "#80FFFFFF"])
@pytest.mark.parametrize(
    "look",
    [
        {"modules": {"type": "fluid"}, "frame": Frame("bar", color="navy")},
        {"modules": {"type": "rounded"}, "layers": [Layer("icon:heart", x=100, y=100, width=60, height=60)] * 2},
        {"modules": {"type": "dots"}, "markers": {"top_left": {"pattern": "soft"}}},
        {"modules": {"type": "rounded"}, "foreground": "#80102030"},
    ],
    ids=["shapes", "layers", "stamps", "translucent"],
)
def test_a_png_has_the_pixels_of_the_drawing(look, background):
    """Shapes and stamps are painted where they are drawn; images and transparent grounds are not."""
    scene = generate(Design(content=LINK, width=333, background=background, **look), warn=False).scene
    picture, wanted = Image.open(BytesIO(write_compressed(scene, 9))), seen(scene)
    assert picture.has_transparency_data == (wanted.mode == "RGBA")
    assert picture.convert(wanted.mode).tobytes() == wanted.tobytes()
    assert Image.open(BytesIO(write_compressed(scene, 1))).tobytes() == picture.tobytes()


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("ink", ["black", "#80000080"])
def test_modules_that_are_alike_are_drawn_as_all_of_them_together(style, ink):
    """Also around alignment patterns, which share cells with modules.

    librsvg covers a row of pixels in which any edge ends by 15 lines, and other rows exactly.
    """
    scene = generate(LINK, version=7, size=8, foreground=ink, modules={"type": style}, warn=False).scene
    whole = [
        Shape(Outline(item.outline.letters, item.outline.numbers), item.paint) if isinstance(item, Shape) else item
        for item in scene.items
    ]
    copies, together = painted(scene), painted(replace(scene, items=tuple(whole)))
    most = max(high for _, high in ImageChops.difference(copies, together).getextrema())
    assert most <= 255 / 15
