"""Photos behind, inside and between modules: how light and dark they are, what stays plain, and what reads them."""

import re
from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit import Design, Gradient, Layer, Markers, Photo, QRImage, Role, decode, generate
from qrkit.errors import AssetError, RemoteContentDisabled
from tests.drawing.pictures import (
    GREEN,
    LINK,
    RED,
    WHITE,
    blocks,
    filled,
    has,
    inside,
    modules,
    pixels,
    png_uri,
    roles,
    svg_uri,
)
from tests.sweeps import quick_first

LUMA = (0.299, 0.587, 0.114)
GAP = 180
"""Steps of luma, of 255, that readers of phones need between dark and light."""


def landscape(sky, ground, sun):
    """A photo with areas, a gradient and fine details."""
    y, x = np.mgrid[0:240, 0:320] / 240
    found = np.empty((240, 320, 4))
    found[...] = sky
    found[..., :3] += (40 * (y - 0.5) + 12 * np.sin(90 * x))[..., None]
    found[np.hypot(x - 0.8, y - 0.35) < 0.15] = sun
    found[y > 0.65 + 0.1 * np.sin(7 * x)] = ground
    return png_uri(np.clip(found, 0, 255))


LIGHT = landscape((170, 200, 240, 255), (120, 170, 90, 255), (255, 220, 110, 255))
DARK = landscape((50, 25, 70, 255), (5, 12, 20, 255), (240, 150, 70, 255))
PHOTOS = {"light": LIGHT, "dark": DARK}
PLACES = ("behind", "inside", "halftone")
every_photo = pytest.mark.parametrize("photo", PHOTOS.values(), ids=PHOTOS)


def coarse(seed):
    """A photo of a few large pixels in any colors, some of them transparent."""
    return png_uri(np.random.default_rng(seed).integers(0, 256, (3 + seed % 3, 4, 4)))


pictures = st.integers(0, 2**32).map(coarse)
some = settings(max_examples=12, deadline=None)


TYPES = ("default", "dots", "gapped", "rounded", "bars", "columns")


def luma(found):
    return found[..., :3] @ LUMA


def is_solid(image):
    return np.isin(roles(image), [Role.FINDER, Role.ALIGNMENT])


@pytest.mark.slow
@given(pictures, st.sampled_from(["black", "navy", "#3B1C8C"]), st.sampled_from([1, 2, 7]))
@some
def test_photo_behind_is_lighter_than_the_modules_by_what_phones_need(photo, ink, version):
    image = generate("hi", version=version, foreground=ink, photo=Photo(photo), size=6, warn=False)
    dark, shown = modules(image), luma(inside(image))
    inks = shown[dark]
    assert np.ptp(inks) == 0
    assert shown[~dark].min() - inks.max() >= GAP


@given(pictures, st.sampled_from(["white", "ivory"]), st.sampled_from(TYPES))
@some
def test_photo_inside_is_darker_than_the_background_by_what_phones_need(photo, paper, type):
    image = generate("hi", version=2, background=paper, photo=Photo(photo, place="inside"), size=6,
                     modules={"type": type}, warn=False)  # fmt: skip
    dark, found = modules(image), inside(image)
    light, middles = found[~dark][:, 3, 3], found[dark][:, 3, 3]
    assert (light == light[0]).all()
    assert luma(light[0]) - luma(middles).max() >= GAP
    assert (found[dark & is_solid(image)][:, 3, 3] == (0, 0, 0, 255)).all()
    if type == "default":
        assert (found[dark] == found[dark][:, :1, :1]).all()


@pytest.mark.parametrize("style", ["rounded", "bars", "columns"])
def test_modules_with_a_photo_inside_have_the_outlines_of_their_style(style):
    fields = {"version": 3, "modules": {"type": style}, "size": 12, "warn": False}
    plain = generate("hi", **fields)
    colored = pixels(generate("hi", photo=Photo(LIGHT, place="inside"), **fields))
    is_ink, is_paper = (pixels(plain)[..., 0] == shade for shade in (0, 255))
    assert (luma(colored[is_paper]) == 255).all()
    assert luma(colored[is_ink]).max() <= 255 - GAP
    middles = colored[is_ink & (pixels(plain)[..., 1] == 0)]
    assert len(np.unique(middles, axis=0)) > 8


@pytest.mark.slow
@given(pictures)
@some
def test_halftone_has_a_square_for_each_module_and_keeps_the_quiet_zone(photo):
    image = generate("hi", version=2, photo=Photo(photo, place="halftone"), size=10, warn=False)
    dark, found = modules(image), inside(image)
    squares = found[:, :, 3:7, 3:7]
    assert np.array_equal(has(squares, (0, 0, 0, 255)), dark)
    assert np.array_equal(has(squares, WHITE), ~dark)
    around = np.ones(blocks(image).shape[:2], dtype=bool)
    around[4:-4, 4:-4] = False
    assert has(blocks(image), WHITE)[around].all()


@pytest.mark.parametrize("place", quick_first(PLACES))
@every_photo
def test_photo_is_robust_on_phones(photo, place):
    kinds = ["dots", "fluid", "default"] if place == "behind" else ["dots", "default"]
    for kind in kinds if place != "halftone" else ["default"]:
        sizes = (0.94, 0.94) if kind == "dots" else None
        design = Design(
            content=LINK + "/spring", ec="H", photo=Photo(photo, place=place), modules={"type": kind, "sizes": sizes}
        )
        report = design.check()
        assert (report.verdict, report.score >= 97) == ("robust", True), (kind, report)


@pytest.mark.parametrize("photo", [GREEN, (120, 60, 200, 255), (10, 40, 30, 255)], ids=str)
def test_a_photo_keeps_its_hue(photo):
    behind = generate(LINK, photo=Photo(filled(photo)))
    shown = inside(behind)[~modules(behind)][-1, 4, 4]
    assert np.argmax(shown[:3]) == np.argmax(photo[:3]) and np.argmin(shown[:3]) == np.argmin(photo[:3])
    assert np.ptp(shown[:3]) > 10


def test_a_photo_that_is_light_enough_stays_as_it_is():
    pale = (255, 240, 200, 255)
    image = generate(LINK, photo=Photo(filled(pale)))
    light = has(inside(image), pale)
    assert not light[modules(image)].any()
    assert light[9:, 9:][~modules(image)[9:, 9:] & ~is_solid(image)[9:, 9:]].all()


def test_photo_behind_reaches_two_modules_beyond_the_symbol_but_not_the_eyes():
    pale = (255, 240, 200, 255)
    image = generate(LINK, photo=Photo(filled(pale)), markers=Markers.all("soft"))
    found = has(blocks(image), pale)
    side = len(found)
    assert all(line[2 : side - 2].all() for line in (found[2], found[:, 2], found[side - 3], found[:, side - 3]))
    assert not found[:2].any() and not found[:, :2].any() and not found[:, side - 2 :].any()
    plates = blocks(image)[3:12, 3:12]  # with round corners
    assert has(plates, WHITE)[2:7, 0].all()
    assert not has(plates, pale)[1:8, 1:8].any()


def test_no_hairline_of_a_photo_shows_around_the_eyes_where_modules_are_no_whole_pixels():
    image = generate(LINK, photo=Photo(filled(RED)), padding=1, width=333)
    around_the_eye = pixels(image, "svg")[: 8 * 333 // 27, : 8 * 333 // 27, :3]
    assert image.symbol.side == 25
    assert np.ptp(around_the_eye, axis=2).max() == 0  # black, white and gray


def pixels_of_photo(data):
    """Width of the only picture in an SVG."""
    (uri,) = re.findall(rb"data:image/png;base64,([^\"]+)", data)
    return Image.open(BytesIO(b64decode(uri))).width


@pytest.mark.slow
def test_a_photo_has_as_many_pixels_as_the_picture_or_the_printer_needs():
    """At a size of 8 a module has 16, in a larger picture its own; no file has more than 1,200."""
    design = Design(content=LINK, ec="H", photo=Photo(LIGHT))
    across = QRImage(design).symbol.side + 4
    assert pixels_of_photo(QRImage(design).to_bytes("svg")) == 16 * across
    large = QRImage(design.replace(size=20))
    assert pixels_of_photo(large.to_bytes("svg")) == 20 * across
    printed = QRImage(design).print_at(90)
    assert printed.dots_per_module > 20
    assert pixels_of_photo(printed.to_bytes("svg")) == printed.dots_per_module * across
    assert pixels_of_photo(QRImage(design).print_at(200).to_bytes("svg")) == 1200
    assert pixels_of_photo(QRImage(design).print_at(20).to_bytes("svg")) == 16 * across


@pytest.mark.parametrize("padding", [0, 1])
def test_photo_stays_within_a_narrow_quiet_zone(padding):
    image = generate(LINK, photo=Photo(LIGHT), padding=padding, ec="H", warn=False)
    assert image.width == 8 * (image.symbol.side + 2 * padding)
    assert luma(pixels(image)).min() == 0


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("wide", [True, False])
def test_photo_is_cropped_to_the_square_in_its_middle(place, wide):
    row = np.array([[RED] * 20 + [GREEN] * 20 + [RED] * 20] * 20)
    png = png_uri(row if wide else row.swapaxes(0, 1))
    box = "0 0 60 20" if wide else "0 0 20 60"
    green = f'<rect {"x" if wide else "y"}="20" width="20" height="20" fill="#0f0"/>'
    svg = svg_uri(f'<rect width="60" height="60" fill="#f00"/>{green}', box)
    shown = [pixels(generate(LINK, photo=Photo(content, place=place))) for content in (png, svg)]
    for found in shown:
        assert (found[..., 1] > found[..., 0] + 20).any()
        assert not (found[..., 0] > found[..., 1] + 20).any()
    assert abs(shown[0] - shown[1]).max() <= 3


@pytest.mark.parametrize("place", PLACES)
def test_transparent_photo_lies_on_white(place):
    clear, white = (pixels(generate(LINK, photo=Photo(filled(one), place=place))) for one in ((0, 0, 0, 0), WHITE))
    assert np.array_equal(clear, white)


@pytest.mark.parametrize("place", PLACES)
def test_logo_leaves_out_modules_of_a_photo(place):
    layer = Layer(filled(RED), x=120, y=120, width=40, height=40, display="box-hit-test", opacity=0)
    image = generate(LINK, ec="H", size=8, photo=Photo(filled(GREEN), place=place), layers=[layer], warn=False)
    middle = pixels(image)[120:160, 120:160]
    assert (middle == middle[0, 0]).all()


@pytest.mark.parametrize("place", PLACES)
def test_flip_mirrors_a_photo(place):
    fields = {"photo": Photo(LIGHT, place=place), "ec": "H", "size": 8}
    plain, flipped = (pixels(generate(LINK, flip=flip, warn=False, **fields)) for flip in ("none", "horizontal"))
    assert abs(plain[:, ::-1] - flipped).mean() < 1


def test_eyes_of_a_photo_may_have_a_gradient_and_sprites_its_colors():
    ink = Gradient.linear("navy", "black")
    for modules_ in ({"type": "sprite", "sprite": "diamond"}, {"type": "dots", "sizes": (0.8, 1)}):
        photo = Photo(LIGHT, place="inside")
        image = generate(LINK, ec="H", photo=photo, modules=modules_, foreground=ink, size=10)
        assert decode(image.to_bytes("png")).content == LINK
        found = inside(image)[modules(image) & ~is_solid(image)]
        assert len(np.unique(found[:, 5, 5], axis=0)) > 8


@pytest.mark.parametrize("place", PLACES)
def test_picture_with_a_photo_is_the_same_every_time(place):
    design = Design(content=LINK, photo=Photo(DARK, place=place))
    assert QRImage(design).to_bytes("svg") == QRImage(design).to_bytes("svg")


@pytest.mark.parametrize("place", PLACES)
def test_vector_formats_look_like_png(place):
    image = generate(LINK, photo=Photo(LIGHT, place=place), ec="H")
    difference = abs(pixels(image) - pixels(image, "svg"))
    assert difference.mean() < 3
    assert (difference.max(axis=2) > 64).mean() < 0.01


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("data:image/png;base64,AAAA", "bad-image"),
        ("data:text/gif;base64,AAAA", "bad-data-uri"),
        ("a.png", "bad-value"),
    ],
)
def test_what_is_no_photo_is_refused_by_name(content, code):
    with pytest.raises(AssetError) as caught:
        generate(LINK, photo=Photo(content))
    assert [(one.name, one.code) for one in caught.value.problems] == [("photo.content", code)]


def test_photo_from_the_web_is_fetched_only_where_it_may_be():
    photo = Photo("https://example.com/harbour.png")
    with pytest.raises(RemoteContentDisabled, match=r"photo\.content"):
        generate(LINK, photo=photo)
    image = generate(LINK, photo=photo, fetch=lambda _: b64decode(LIGHT.partition(",")[2]))
    assert np.array_equal(pixels(image), pixels(generate(LINK, photo=Photo(LIGHT))))
