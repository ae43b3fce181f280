"""Finder patterns: forms, colours and opacity, each corner on its own."""

import numpy as np
import pytest

from qrkit import Design, Gradient, Marker, Markers, Modules, generate
from qrkit.design.limits import MARKER_PATTERNS, MODULE_TYPES, SPRITE_NAMES
from qrkit.design.shapes.eyes import EYES
from qrkit.errors import InvalidParameter
from tests.design.shapes.pixels import coverage
from tests.drawing.pictures import BLUE, GREEN, LINK, RED, WHITE, pixels

SIZE = 10
EYE = 7 * SIZE
CORNERS = ("top_left", "top_right", "bottom_left")

each_pattern = pytest.mark.parametrize("pattern", MARKER_PATTERNS)
each_corner = pytest.mark.parametrize("corner", CORNERS)


def drawn(**fields) -> np.ndarray:
    return pixels(generate(LINK, size=SIZE, padding=0, **fields))


def eyes(picture: np.ndarray) -> dict[str, np.ndarray]:
    """The pixels of each finder pattern."""
    cut = {"top_left": np.s_[:EYE, :EYE], "top_right": np.s_[:EYE, -EYE:], "bottom_left": np.s_[-EYE:, :EYE]}
    return {corner: picture[where] for corner, where in cut.items()}


PLAIN = drawn()


def beyond(picture: np.ndarray) -> np.ndarray:
    """The picture without its finder patterns."""
    rest = picture.copy()
    for where in eyes(rest).values():
        where[:] = 0
    return rest


@pytest.mark.rule("G12")
@each_corner
def test_a_marker_changes_its_own_corner_alone(corner):
    """Open: what a missing corner is. The default pattern in the foreground."""
    found = drawn(markers={corner: {"pattern": "circle", "outerColor": "red"}})
    assert np.array_equal(beyond(found), beyond(PLAIN))
    for name, eye in eyes(found).items():
        assert np.array_equal(eye, eyes(PLAIN)[name]) == (name != corner)


@pytest.mark.rule("G12")
@each_corner
@each_pattern
def test_a_pattern_is_mirrored_by_its_corner_if_it_has_a_direction(pattern, corner):
    """Open: how forms turn. Leaves and drops look to the middle of the symbol; hearts and arches stay upright."""
    form = EYES[pattern].outer + EYES[pattern].inner
    wanted = coverage(form, (0, 0, 7, 7), SIZE)
    if EYES[pattern].mirrored:
        wanted = {"top_left": wanted, "top_right": wanted[:, ::-1], "bottom_left": wanted[::-1]}[corner]
    shown = drawn(markers={corner: Marker(pattern)}, modules=Modules(type="dots"))
    found = 1 - eyes(shown)[corner][..., 0] / 255
    assert np.abs(found - wanted).mean() <= 0.01
    assert np.abs(found - wanted).max() <= 0.35


@pytest.mark.rule("G12")
@pytest.mark.parametrize(
    ("fields", "outer", "inner"),
    [
        ({}, GREEN, GREEN),
        ({"inner_color": "red"}, GREEN, RED),
        ({"outer_color": "red"}, RED, GREEN),
        ({"inner_color": "red", "outer_color": "blue"}, BLUE, RED),
        ({"inner_color": "transparent"}, GREEN, WHITE),
    ],
)
@pytest.mark.parametrize("pattern", ["default", "eye-9", "circle"])
@pytest.mark.parametrize("style", ["default", "dots"])
def test_colours_fall_back_to_the_foreground(pattern, fields, outer, inner, style):
    """Open: the colours of a marker that says none. The foreground's."""
    marker = Marker(pattern, **fields)
    found = eyes(drawn(markers={"top_right": marker}, foreground="#00FF00", modules=Modules(type=style)))["top_right"]
    assert tuple(found[EYE // 2, SIZE // 2]) == tuple(found[SIZE // 2, EYE // 2]) == outer
    assert tuple(found[EYE // 2, EYE // 2]) == inner
    assert tuple(found[EYE // 2, SIZE * 3 // 2]) == WHITE


@pytest.mark.rule("G12")
def test_colours_fall_back_to_the_gradient_of_the_foreground_where_it_is_there():
    """Open: the same, where the foreground is a gradient. It runs on through the markers."""
    gradient = {"gradient": "linear", "stops": [{"offset": 0, "color": "#000000"}, {"offset": 1, "color": "#0000FA"}]}
    plain = drawn(foreground=gradient)
    marked = drawn(foreground=gradient, markers=Markers.all("default", inner_color="#010203"))
    for name, eye in eyes(marked).items():
        assert np.abs(eye[:SIZE, :] - eyes(plain)[name][:SIZE, :]).max() <= 1
        assert tuple(eye[EYE // 2, EYE // 2]) == (1, 2, 3, 255)


@pytest.mark.rule("G12")
@pytest.mark.parametrize("pattern", ["default", "eye-3"])
def test_opacity_lets_the_background_through(pattern):
    """A fact: opacity 0..1. It is that of both parts, and multiplies the alpha of a colour."""
    marker = Marker(pattern, outer_color="red", inner_color="#80FF0000", opacity=0.5)
    found = eyes(drawn(markers={"top_left": marker}, background="blue"))["top_left"]
    assert np.abs(found[EYE // 2, SIZE // 2] - (128, 0, 127, 255)).max() <= 1
    assert np.abs(found[EYE // 2, EYE // 2] - (64, 0, 191, 255)).max() <= 1
    gone = drawn(markers={"top_left": Marker(pattern, opacity=0)})
    assert (eyes(gone)["top_left"] == WHITE).all()
    assert np.array_equal(beyond(gone), beyond(PLAIN))


@pytest.mark.rule("G12")
def test_a_faint_marker_keeps_its_alpha_on_nothing():
    """The same without a background."""
    found = drawn(markers=Markers.all("eye-1", opacity=0.25), background="transparent")
    assert {tuple(eye[EYE // 2, EYE // 2]) for eye in eyes(found).values()} == {(0, 0, 0, 64)}


@pytest.mark.rule("G10")
@pytest.mark.parametrize("style", MODULE_TYPES)
def test_a_module_style_leaves_finder_patterns_as_they_are(style):
    """Open: whether styles reach the finder patterns. Never: readers find a symbol by them."""
    found = drawn(modules={"type": style, "sprite": "star" if style == "sprite" else None})
    for name, eye in eyes(found).items():
        assert np.array_equal(eye, eyes(PLAIN)[name])
    if style != "default":
        assert not np.array_equal(found, PLAIN)


def test_default_markers_change_nothing():
    assert np.array_equal(drawn(markers=Markers.all("default")), PLAIN)
    assert np.array_equal(drawn(markers=Markers.all("default", outer_color="black")), PLAIN)


@each_pattern
def test_nothing_of_the_default_pattern_is_left_under_another(pattern):
    """The modules under a marker are left out, whatever form it has."""
    found = eyes(drawn(markers=Markers.all(pattern, outer_color="lime", inner_color="blue"), foreground="red"))
    # Lime, blue and all between them and white have a full channel that red and its mixtures lack.
    assert all((eye[..., 1:3].max(axis=-1) >= 250).all() for eye in found.values())


@each_corner
def test_a_marker_can_have_the_center_of_another_pattern(corner):
    found, ring, center = (
        eyes(drawn(markers={corner: marker}))[corner]
        for marker in (Marker("circle", inner="leaf"), Marker("circle"), Marker("leaf"))
    )
    inside, gap = np.s_[2 * SIZE : 5 * SIZE, 2 * SIZE : 5 * SIZE], np.s_[SIZE + 8 : -SIZE - 8, SIZE + 8 : -SIZE - 8]
    assert np.array_equal(found[inside], center[inside])
    found[gap] = ring[gap]
    assert np.array_equal(found, ring)


@pytest.mark.parametrize("pattern", MARKER_PATTERNS)
def test_the_own_center_of_a_pattern_changes_nothing(pattern):
    assert np.array_equal(drawn(markers=Markers.all(pattern, inner=pattern)), drawn(markers=Markers.all(pattern)))


def test_gradients_of_an_eye_run_across_this_eye_alone():
    marker = Marker("default", outer_color=Gradient.linear("red", "blue", stop=(1, 0)), inner_color="lime")
    for shown in eyes(drawn(markers=Markers(top_left=marker, top_right=marker, bottom_left=marker))).values():
        middle = shown[EYE // 2]
        assert np.abs(middle[SIZE // 2, :3] - np.array([236, 0, 18])).max() < 6
        assert np.abs(middle[-SIZE // 2, :3] - np.array([18, 0, 236])).max() < 6
        assert tuple(middle[EYE // 2]) == GREEN


def test_a_flip_turns_the_gradient_of_an_eye_with_it():
    markers = Markers(top_left=Marker("default", outer_color=Gradient.linear("red", "blue", stop=(1, 0))))
    flipped = drawn(markers=markers, flip="horizontal")
    assert np.abs(flipped[:, ::-1].astype(int) - drawn(markers=markers)).max() <= 2


@pytest.mark.parametrize("field", ["inner_color", "outer_color"])
def test_gradients_of_an_eye_are_in_shares_of_it(field):
    ends = {"start": {"x": 0, "y": 0}, "stop": {"x": 70, "y": 0}}
    stops = [{"offset": 0, "color": "red"}, {"offset": 1, "color": "blue"}]
    with pytest.raises(InvalidParameter, match=f"{field}.*must have relative units"):
        Marker("default", **{field: {"gradient": "linear", "units": "absolute", "direction": ends, "stops": stops}})


LIKE_MODULES = [*({"type": name} for name in MODULE_TYPES if name != "sprite"),
                *({"type": "sprite", "sprite": name} for name in SPRITE_NAMES)]  # fmt: skip
QUICK = ("dots", "gapped", "bars", "star")


def _name(modules: dict[str, str]) -> str:
    return modules.get("sprite", modules["type"])


@pytest.mark.parametrize(
    "modules",
    [one if _name(one) in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in LIKE_MODULES],
    ids=_name,
)
def test_eyes_drawn_like_modules_are_as_safe_as_solid_ones(modules):
    """Of eyes of separate dots, phones read 8% to 18%."""
    solid, alike = (
        Design(content=LINK, modules=modules, markers=Markers.all("eye-2", inner=inner)).check("static")
        for inner in ("default", "modules")
    )
    like = Design(content=LINK, modules=modules, markers=Markers.all("modules")).check("static")
    assert {alike.verdict, like.verdict} == {solid.verdict}


def test_an_eye_like_dots_is_dotted():
    shown = eyes(drawn(modules={"type": "dots"}, markers=Markers.all("modules")))["top_left"][..., 0] < 128
    assert shown[0, SIZE // 2] and not shown[0, SIZE]
