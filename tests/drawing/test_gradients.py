"""Gradients: where their colours are, and that browsers see the same ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Gradient, Markers, generate
from qrkit.errors import InvalidParameter
from qrkit.server.statuses import status_of
from tests.conformance import readers
from tests.drawing.pictures import LINK, RED, WHITE, pixels

SIDE = 330
CLEAR = {"foreground": "transparent", "width": SIDE}
"""A picture in which nothing is seen but its background."""

STOPS = [{"offset": 0, "color": "#FF0000"}, {"offset": 0.5, "color": "#00FF00"}, {"offset": 1, "color": "#0000FF"}]

FAINT = [{"offset": 0, "color": "#003060", "opacity": 0.9}, {"offset": 1, "color": "#600030", "opacity": 0.4}]


def linear(start: tuple[float, float], stop: tuple[float, float], stops=STOPS, **fields) -> Gradient:
    ends = {"start": {"x": start[0], "y": start[1]}, "stop": {"x": stop[0], "y": stop[1]}}
    return Gradient(gradient="linear", direction=ends, stops=stops, **fields)


def radial(stops=STOPS, **fields) -> Gradient:
    return Gradient(gradient="radial", stops=stops, **fields)


def shown(gradient: Gradient, **fields) -> np.ndarray:
    return pixels(generate(LINK, **CLEAR | {"background": gradient} | fields))


def colour_at(share: float, stops=STOPS) -> np.ndarray:
    """Red, green, blue and alpha of a gradient at a share of its length, by the definition in SVG 2, 14.2.4."""
    offsets = [stop["offset"] for stop in stops]
    colors = [[*bytes.fromhex(stop["color"][1:]), 255 * stop.get("opacity", 1)] for stop in stops]
    return np.array([np.interp(share, offsets, [color[channel] for color in colors]) for channel in range(4)])


def by_definition(gradient: Gradient, stops=STOPS, width: int = SIDE, height: int = SIDE) -> np.ndarray:
    """The colours of a whole picture, pixel by pixel; of a radial gradient without focal point."""
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    if gradient.units == "relative":
        x, y = x / width, y / height
    if gradient.gradient == "linear":
        start, stop = gradient.direction.start, gradient.direction.stop
        across, down = stop.x - start.x, stop.y - start.y
        share = ((x - start.x) * across + (y - start.y) * down) / (across**2 + down**2)
    else:
        share = np.hypot(x - gradient.cx, y - gradient.cy) / gradient.radius
    return np.moveaxis(colour_at(share, stops), 0, -1)


@pytest.mark.rule("G16")
@pytest.mark.parametrize("stops", [STOPS, STOPS[::2], FAINT, [{"offset": 0.2, "color": "#123456"}, STOPS[1], STOPS[2]]])
@pytest.mark.parametrize(
    "make",
    [
        lambda stops: linear((0, 0), (1, 0), stops),
        lambda stops: linear((0.9, 0.2), (0.3, 0.7), stops),
        lambda stops: linear((33, 300), (200, 50), stops, units="absolute"),
        lambda stops: radial(stops, cx=0.5, cy=0.5, radius=0.5),
        lambda stops: radial(stops, cx=0.1, cy=0.8, radius=1.2),
        lambda stops: radial(stops, cx=100, cy=20, radius=250, units="absolute"),
    ],
)
def test_every_pixel_has_the_colour_of_its_place(make, stops):
    """Open: the units. `relative` is 0..1 of the picture, `absolute` is pixels of the output."""
    gradient = make(stops)
    assert np.abs(shown(gradient) - by_definition(gradient, stops)).max() <= 3


@pytest.mark.rule("G16")
def test_the_colours_at_the_start_the_stops_and_the_end():
    """Open: the same, in round numbers. Beyond the ends, the colours of the ends go on."""
    middle = SIDE // 2
    across = shown(linear((0.1, 0), (0.9, 0)))[middle]
    for x, wanted in (
        (0, RED),
        (32, RED),
        (middle, (0, 255, 0, 255)),
        (298, (0, 0, 255, 255)),
        (329, (0, 0, 255, 255)),
    ):
        assert np.abs(across[x] - wanted).max() <= 3, x
    assert np.abs(across[99] - (127, 127, 0, 255)).max() <= 3
    disc = shown(radial(cx=0.5, cy=0.5, radius=0.4))
    for x, wanted in (
        (middle, RED),
        (middle + 66, (0, 255, 0, 255)),
        (middle + 132, (0, 0, 255, 255)),
        (0, (0, 0, 255, 255)),
    ):
        assert np.abs(disc[middle, x] - wanted).max() <= 5, x


@pytest.mark.rule("G16")
@given(st.integers(0, 4), st.integers(0, 4), st.integers(1, 4), st.sampled_from(["foreground", "background"]))
@settings(max_examples=12)
def test_relative_and_absolute_say_the_same_in_other_numbers(x, y, further, where):
    """Open: how the units belong together. A share of the picture is so many of its pixels."""
    numbers = {"cx": x / 4, "cy": y / 4, "fx": x / 8, "fy": y / 8, "radius": further / 4}
    absolute = {name: SIDE * number for name, number in numbers.items()}
    for one, other in (
        (radial(**numbers), radial(**absolute, units="absolute")),
        (
            linear((x / 4, y / 4), (y / 4 + further, 1)),
            linear((SIDE * x / 4, SIDE * y / 4), (SIDE * (y / 4 + further), SIDE), units="absolute"),
        ),
    ):
        fields = {"width": SIDE, where: one}
        assert generate(LINK, **fields).to_bytes("svg") == generate(LINK, **fields | {where: other}).to_bytes("svg")


@pytest.mark.rule("G16")
def test_in_a_picture_that_is_no_square_shares_are_of_its_width_and_height():
    """Open: what 1 is where the sides differ. Each side's own; of a radius, the side of a square as large across."""
    size = {"width": 480, "height": 360}
    found = shown(linear((0, 0), (1, 0)), **size)
    assert np.abs(found - by_definition(linear((0, 0), (480, 0), units="absolute"), **size)).max() <= 3
    down = shown(linear((0, 0), (0, 1)), **size)
    assert np.abs(down - by_definition(linear((0, 0), (0, 360), units="absolute"), **size)).max() <= 3
    disc = shown(radial(cx=0.25, cy=0.5, radius=0.5), **size)
    reach = np.hypot(480, 360) / np.sqrt(2) / 2
    same = radial(cx=120, cy=180, radius=reach, units="absolute")
    assert np.abs(disc - by_definition(same, **size)).max() <= 3


@pytest.mark.rule("G16")
def test_what_is_left_out_has_defaults():
    """Open: defaults. Left to right; from the middle to the sides; the focal point is the centre."""
    assert np.array_equal(shown(Gradient(gradient="linear", stops=STOPS)), shown(linear((0, 0), (1, 0))))
    middle = radial(cx=0.5, cy=0.5, radius=0.5)
    assert np.array_equal(shown(radial()), shown(middle))
    assert np.array_equal(shown(radial(cx=0.3, cy=0.6)), shown(radial(cx=0.3, cy=0.6, fx=0.3, fy=0.6)))
    assert not np.array_equal(shown(radial(fx=0.3)), shown(middle))
    assert np.array_equal(shown(radial(fx=0.3)), shown(radial(fx=0.3, fy=0.5)))


@pytest.mark.rule("G16")
def test_stops_may_come_in_any_order():
    """Open: whether stops must be sorted. They are sorted."""
    assert np.array_equal(shown(radial(STOPS[::-1])), shown(radial(STOPS)))


@pytest.mark.rule("G16")
def test_a_focal_point_outside_the_circle_is_moved_onto_it():
    """Open: what it means there. Renderers differ, so it is moved almost onto the circle, in its direction."""
    found = shown(radial(cx=0.5, cy=0.5, radius=0.2, fx=3, fy=0.5))
    assert np.abs(found - shown(radial(cx=0.5, cy=0.5, radius=0.2, fx=0.6998, fy=0.5))).max() <= 2
    reddest = np.unravel_index(np.argmax(found[..., 0] - found[..., 2]), found.shape[:2])
    assert abs(reddest[0] - SIDE / 2) <= 2 and abs(reddest[1] - 0.7 * SIDE) <= 3


@pytest.mark.rule("G16")
def test_a_linear_gradient_of_no_length_is_its_last_colour():
    """Open: what it means where start is stop. As SVG has it."""
    assert (shown(linear((0.3, 0.3), (0.3, 0.3))) == (0, 0, 255, 255)).all()


@pytest.mark.rule("G16")
@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"units": "percent"}, "units"),
        ({"stops": STOPS[:1]}, "stops"),
        ({"stops": [STOPS[0], {"offset": 1.01, "color": "red"}]}, "stops.1.offset"),
        ({"gradient": "conic"}, "gradient"),
        ({"units": "absolute"}, "direction"),
    ],
)
def test_other_units_fewer_stops_and_offsets_beyond_the_ends_are_refused(fields, name):
    """Open: the bounds. At least two stops, offsets 0..1."""
    with pytest.raises(InvalidParameter) as caught:
        Gradient(**{"gradient": "linear", "stops": STOPS} | fields)
    assert (caught.value.name, status_of(caught.value)) == (name, 400)


@pytest.mark.rule("G16")
@pytest.mark.parametrize("modules", ["default", "rounded", "dots", "sprite"])
def test_a_gradient_of_the_foreground_runs_over_the_whole_symbol(modules):
    """Open: what the gradient of modules is relative to. The picture, not each module or marker."""
    fields = {"type": modules, "sprite": "circle" if modules == "sprite" else None}
    gradient = linear((0, 0), (1, 1))
    image = generate(LINK, width=SIDE, foreground=gradient, modules=fields, markers=Markers.all("eye-4"))
    found, dark = pixels(image), (pixels(image.design and generate(image.design, foreground="black")) == (0, 0, 0, 255))
    dark = dark.all(axis=-1)
    assert dark.sum() > 15_000
    assert np.abs(found - by_definition(gradient))[dark].max() <= 4


FOCAL = radial(FAINT, cx=0.4, cy=0.5, fx=0.2, fy=0.6, radius=0.7)
BROWSED = {
    "a focal point, and opacity": {"foreground": FOCAL},
    "behind the modules": {"background": FOCAL, "foreground": "black"},
    "both, on styled modules": {
        "foreground": linear((0, 0), (0.7, 1), FAINT),
        "background": radial(FAINT, cx=0.9, cy=0.9, radius=1, fx=3, fy=3),
        "modules": {"type": "liquid"},
    },
    "on sprites and markers": {
        "foreground": radial(fx=0.4, fy=0.2, radius=0.6),
        "modules": {"type": "sprite", "sprite": "star"},
        "markers": Markers.all("eye-9", opacity=0.7),
    },
    "flipped": {"foreground": FOCAL, "flip": "both", "modules": {"type": "bars"}},
}


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.rule("G16")
def test_a_browser_shows_the_svg_as_our_png_is(tmp_path):
    """Open: what gradients mean to the last detail. What they mean in SVG, as browsers draw it."""
    images = [generate(LINK, width=SIDE, **fields) for fields in BROWSED.values()]
    pages = [(b"<style>body{margin:0}svg{display:block}</style>" + one.to_bytes("svg"), SIDE) for one in images]
    shots = readers.chromium(tmp_path, pages)
    for name, image, shot in zip(BROWSED, images, shots, strict=True):
        difference = np.abs(shot[..., :3].astype(int) - readers.on_white(readers.raster(image.to_bytes())))
        assert difference.mean(axis=(0, 1)).max() < 1.5, name
        # Only pixels on edges of modules differ, where renderers smooth differently.
        assert (difference.max(axis=-1) > 8).mean() < 0.04, name
        assert difference.max() <= 160, name
    assert (readers.on_white(shots[0])[0, 0] == WHITE[:3]).all()


@pytest.mark.rule("G16")
@pytest.mark.parametrize("radius", [1e-9, 1e-6])
def test_a_radius_too_small_to_be_seen_paints_the_last_colour(radius):
    """Open: a circle of no size. All of the picture lies outside of it, where the last colour is."""
    stops = [{"offset": 0, "color": "red"}, {"offset": 1, "color": "blue"}]
    tiny = {"gradient": "radial", "radius": radius, "stops": stops}
    assert generate("x", foreground=tiny).to_bytes("png") == generate("x", foreground="blue").to_bytes("png")
