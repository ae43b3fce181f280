"""Eyes, weight of modules, quiet zone and contrast: measured as they are drawn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Color, Design, Gradient, Layer, Modules, check, data_uri
from qrkit.design.decoration import Sprite
from qrkit.design.limits import MARKER_PATTERNS, SPRITE_NAMES
from qrkit.scanning.measures import Structure
from tests.drawing.pictures import filled
from tests.scanning.designs import CORNERS, PAYLOADS, all_eyes, dark_frame, plain, ring_and_disc, side_of, with_eyes

DARING = ("arch", "circle", "drop", "extra-rounded", "leaf", "octagon", "squircle")
SAFE = ("default", *(f"eye-{number}" for number in range(1, 18)))


def structure_of(**fields) -> Structure:
    found = check(plain(**fields), "static").structure
    assert found is not None
    return found


def luma(color: str) -> float:
    parsed = Color.parse(color)
    return (0.299 * parsed.red + 0.587 * parsed.green + 0.114 * parsed.blue) / 255


# ---- eyes


def test_plain_eyes_have_the_sizes_of_the_standard():
    for content in PAYLOADS.values():
        for eye in check(plain(content), "static").structure.eyes:
            assert (eye.radius, eye.core, eye.ring, eye.gap) == pytest.approx((0, 3, 1, 1), abs=0.01)


@pytest.mark.parametrize("pattern", SAFE)
def test_the_eyes_of_the_interface_are_inside_the_limits(pattern):
    structure = structure_of(markers=all_eyes(pattern))
    assert [eye.corner for eye in structure.eyes] == list(CORNERS)
    for eye in structure.eyes:
        assert eye.radius <= 0.9
        assert eye.core >= 2.6
        assert min(eye.ring, eye.gap) >= 0.9


@pytest.mark.parametrize("pattern", DARING)
def test_round_and_pointed_eyes_are_outside(pattern):
    assert max(eye.radius for eye in structure_of(markers=all_eyes(pattern)).eyes) > 0.9


@pytest.mark.slow
def test_all_eyes_are_drawn_and_measured_alike_whatever_their_number_of_pixels():
    for pattern in MARKER_PATTERNS:
        small, large = (structure_of(markers=all_eyes(pattern), size=size).eyes for size in (4, 20))
        for one, other in zip(small, large, strict=True):
            assert (one.radius, one.core) == pytest.approx((other.radius, other.core), abs=0.01)


@pytest.mark.parametrize("corner", CORNERS)
def test_the_eye_that_is_covered_is_the_one_that_is_told(corner):
    far = side_of() - 32 - 48
    x, y = {"top_left": (40, 40), "top_right": (far, 40), "bottom_left": (40, far)}[corner]
    eyes = structure_of(layers=[Layer(filled((0, 0, 0, 255)), x=x, y=y, width=40, height=40)]).eyes
    assert [eye.corner for eye in eyes if eye.core > 3.1 or eye.gap < 0.9] == [corner]


@pytest.mark.parametrize("flip", ["horizontal", "vertical", "both"])
def test_flips_leave_each_eye_its_corner(flip):
    markers = {"top_left": {"pattern": "circle"}}
    eyes = structure_of(markers=markers, flip=flip).eyes
    assert [eye.corner for eye in eyes if eye.radius > 0.9] == ["top_left"]
    assert structure_of(flip=flip).is_mirrored == (flip != "both")


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_holes_in_the_ring_are_measured(share):
    """A light bar over the middle of the ring's upper side; a ring has four sides."""
    width = 48 * share
    layer = Layer(filled((255, 255, 255, 255)), x=32 + 28 - width / 2, y=30, width=width, height=12)
    eye = structure_of(layers=[layer]).eyes[0]
    assert eye.ring == pytest.approx(1 - min(width, 24) / 24 / 4, abs=0.08)
    assert (eye.core, eye.gap) == pytest.approx((3, 1), abs=0.01)


def test_a_pupil_of_another_size():
    eye = structure_of(layers=[Layer(filled((0, 0, 0, 255)), x=32 + 8, y=32 + 8, width=40, height=40)]).eyes[0]
    assert eye.gap < 0.1
    faint = structure_of(markers=all_eyes("default", inner_color="#E0E0E0"))
    assert [(eye.core, eye.ring) for eye in faint.eyes] == [(pytest.approx(3, abs=0.01), 1)] * 3
    assert [eye.pupil_contrast for eye in faint.eyes] == [pytest.approx(31 / 255, abs=0.01)] * 3
    assert [eye.ring_contrast for eye in faint.eyes] == [pytest.approx(1, abs=0.01)] * 3


@given(
    st.floats(0, 3.5), st.floats(0.7, 1.3), st.floats(2.4, 3.4), st.floats(-0.3, 0.3), st.sampled_from([4, 8, 13])
)  # fmt: skip
@settings(max_examples=15)
def test_eyes_are_measured_as_they_are_drawn(radius, width, pupil, growth, size):
    eyes = check(with_eyes(radius, width, pupil, 0, growth, size=size), "static").structure.eyes
    for eye in eyes:
        if radius < 2.5 and eye.ring == 1:  # the sides are straight, and the ring is where it is looked for
            assert eye.width == pytest.approx(width, abs=0.06)
            assert eye.growth == pytest.approx(growth, abs=0.06)
        if 3.5 + growth - width > 2.1:  # the ring is outside of where the pupil is measured
            assert eye.core == pytest.approx(pupil, abs=0.06)


def test_a_square_pupil_is_near_a_round_ring_on_the_diagonals():
    squares, rounds = (
        check(with_eyes(3.5, 1, side, corner), "static").structure for side, corner in ((3, 0), (3.3, 1.65))
    )
    for square, disc in zip(squares.eyes, rounds.eyes, strict=True):
        assert square.diagonal < 0.55 < 0.75 < disc.diagonal


@pytest.mark.parametrize(("modules", "least", "most"), [(Modules(), 1, 1), (Modules(type="rounded"), 0.8, 1)])
def test_alignment_patterns_are_measured(modules, least, most):
    assert least <= structure_of(modules=modules).alignment <= most
    assert check(plain("hi"), "static").structure.alignment == 1


# ---- what looks like an eye


@pytest.mark.parametrize("shape", ["circle", "square"])
@pytest.mark.parametrize("share", [0.15, 0.25, 0.3])
@pytest.mark.parametrize(("ring", "count"), [(1.0, 1), (0.7, 1), (0.3, 0)])
def test_a_ring_around_a_disc_looks_like_an_eye(shape, share, ring, count):
    report = check(plain(PAYLOADS["long"], ec="H").with_logo(ring_and_disc(ring, shape=shape), share), "static")
    assert report.structure.other_eyes == count
    assert [one.severity for one in report.issues if one.code == "fourth-eye"] == ["warning"] * count


@pytest.mark.parametrize("level", "LH")
@pytest.mark.parametrize("letters", [1, 60, 300, pytest.param(1200, marks=pytest.mark.slow)])
def test_plain_symbols_have_no_other_eyes(letters, level):
    assert check(plain("f" + "Az9/" * (letters // 4), ec=level), "static").structure.other_eyes == 0


# ---- weight


def square(share: float, *, size: int) -> Modules:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1H0z"/></svg>'
    return Modules(
        type="sprite", sprites=[Sprite(width=size * share, height=size * share, content=data_uri(svg.encode()))]
    )


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75, 1.0])
def test_the_weight_of_modules_is_that_of_a_disc_of_their_area(share):
    structure = structure_of(modules=square(share, size=16), size=16)
    assert structure.dark_weight == pytest.approx(min(1, share * 2 / np.sqrt(np.pi)), abs=0.03)
    assert structure.light_weight == 1


@pytest.mark.parametrize("name", SPRITE_NAMES)
def test_the_sprites_of_the_interface_are_heavy_enough(name):
    assert structure_of(modules=Modules(type="sprite", sprite=name)).dark_weight >= 0.7


def test_what_is_drawn_on_light_modules_takes_of_their_weight():
    size = 16
    content = square(0.5, size=size).sprites[0].content
    modules = Modules(type="sprite", sprites=[Sprite(type="blank", width=14, height=14, content=content)])
    assert structure_of(modules=modules, size=size).light_weight < 0.7


# ---- quiet zone


@given(st.integers(0, 20), st.sampled_from([1, 3, 8, 20]))
@settings(max_examples=25)
def test_the_quiet_zone_of_light_padding_is_the_padding(padding, size):
    assert structure_of(padding=padding, size=size).quiet == min(padding, 5)


def test_a_clear_background_has_none_on_a_dark_page():
    assert structure_of(background="#00FFFFFF").quiet == 0


def test_a_dark_frame_ends_the_quiet_zone():
    image_side = 27 * 14
    structure = structure_of(padding=1, wrapper=dark_frame(20, inside=image_side))
    assert structure.quiet == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("side", ["left", "top", "right", "bottom"])
@pytest.mark.parametrize("clear", [0, 1, 3])
def test_the_fewest_modules_of_the_four_sides_count(side, clear):
    """A black bar across the quiet zone of one side."""
    whole, module = side_of(), 8
    near, far = (4 - clear) * module - module, whole - (4 - clear) * module
    place = {
        "left": {"x": near, "y": 0, "width": module, "height": whole},
        "right": {"x": far, "y": 0, "width": module, "height": whole},
        "top": {"x": 0, "y": near, "width": whole, "height": module},
        "bottom": {"x": 0, "y": far, "width": whole, "height": module},
    }[side]
    assert structure_of(layers=[Layer(filled((0, 0, 0, 255)), **place)]).quiet == pytest.approx(clear, abs=0.3)


# ---- contrast


@pytest.mark.parametrize(
    ("foreground", "background"),
    [("#000000", "#FFFFFF"), ("#0B3D91", "#FFF8E0"), ("#FF0000", "#FFFFFF"), ("#808080", "#FFFFFF"),
     ("#000000", "#787878"), ("#FFFF00", "#FFFFFF"), ("#FFFFFF", "#000000"), ("#FFD700", "#102030")],
)  # fmt: skip
def test_contrast_is_the_signed_difference_of_luma(foreground, background):
    found = structure_of(foreground=foreground, background=background).contrast
    assert found == pytest.approx(luma(background) - luma(foreground), abs=0.01)


@given(st.lists(st.integers(0, 110), min_size=2, max_size=4), st.sampled_from(["linear", "radial"]))
@settings(max_examples=25)
def test_of_a_gradient_the_faintest_part_counts(greys, kind):
    colors = [f"#{grey:02X}{grey:02X}{grey:02X}" for grey in greys]
    found = structure_of(foreground=getattr(Gradient, kind)(*colors)).contrast
    assert 1 - max(greys) / 255 - 0.01 <= found <= 1 - min(greys) / 255 + 0.01
    assert found <= 1 - sum(greys) / len(greys) / 255 + 0.1


def test_a_gradient_to_white_leaves_hardly_anything():
    assert structure_of(foreground=Gradient.linear("#000000", "#FFFFFF")).contrast < 0.25


def test_what_a_logo_covers_and_what_colours_eyes_have_is_no_matter_of_contrast():
    layer = Layer(filled((128, 128, 128, 255)), x=100, y=100, width=40, height=40)
    fields = {"markers": all_eyes("default", inner_color="#777777"), "layers": [layer]}
    assert structure_of(**fields).contrast == pytest.approx(1, abs=0.01)


def test_pale_modules_in_one_corner_are_seen():
    layer = Layer(filled((255, 255, 255, 255)), x=144, y=144, width=100, height=100, opacity=0.6)
    assert structure_of(layers=[layer]).contrast == pytest.approx(0.4, abs=0.05)


# ---- whatever it is


@given(
    foreground=st.tuples(*[st.integers(0, 255)] * 4), background=st.tuples(*[st.integers(0, 255)] * 4),
    size=st.integers(1, 20), padding=st.integers(0, 20), pattern=st.sampled_from(MARKER_PATTERNS),
    style=st.sampled_from(["default", "rounded", "liquid", "bars", "columns", "dots"]),
)  # fmt: skip
@settings(max_examples=40)
def test_all_numbers_are_in_their_ranges(foreground, background, size, padding, pattern, style):
    colors = {name: "#" + bytes(argb).hex() for name, argb in (("foreground", foreground), ("background", background))}
    design = Design(content="x", size=size, padding=padding, markers=all_eyes(pattern), **colors)
    structure = check(design.replace(modules=Modules(type=style)), "static").structure
    for eye in structure.eyes:
        assert 0 <= eye.radius <= 3.5
        assert 0 <= eye.core <= 4.1
        assert 0 <= eye.ring <= 1
        assert 0 <= eye.gap <= 1
    assert 0 <= structure.dark_weight <= 1
    assert 0 <= structure.light_weight <= 1
    assert 0 <= structure.quiet <= 5
    assert -1 <= structure.contrast <= 1
