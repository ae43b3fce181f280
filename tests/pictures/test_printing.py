"""Pictures with a size on paper."""

import math
import re
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit import Design, Layer, Markers, decode, generate
from qrkit.errors import InvalidParameter
from qrkit.pictures.image import QRImage
from qrkit.pictures.preflight import print_checks
from qrkit.server.statuses import status_of
from tests.conformance import readers

TEXT = "https://example.com/spring/2026?poster=12"

LINK = "https://example.com"
ACROSS = 25 + 2 * 4
"""Modules of the picture of LINK."""
INCH = 25.4

sizes = st.floats(2, 300)
resolutions = st.sampled_from([30, 72, 96, 150, 203, 300, 600, 1200]) | st.floats(30, 1200)
some = settings(max_examples=40)


def opened(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data))


@given(sizes, resolutions, st.integers(1, 20))
@some
def test_a_module_gets_the_whole_number_of_dots_that_is_nearest_to_the_size_asked_for(size_mm, dpi, size):
    wanted = size_mm / INCH * dpi / ACROSS
    if round(wanted) < 1:
        with pytest.raises(InvalidParameter, match="leaves less than a dot for a module"):
            generate(LINK, size=size).print_at(size_mm, dpi=dpi)
        return
    print_ = generate(LINK, size=size).print_at(size_mm, dpi=dpi)
    assert abs(print_.dots_per_module - wanted) <= 0.5
    assert print_.module_mm == pytest.approx(print_.dots_per_module * INCH / dpi)
    assert print_.width_mm == print_.height_mm == pytest.approx(ACROSS * print_.module_mm)
    assert print_.scene.width == pytest.approx(ACROSS * print_.dots_per_module)


@given(st.integers(1, 40), st.integers(30, 1200), st.floats(0, 0.99))
@some
def test_what_must_fit_a_label_has_the_most_dots_that_do(dots, dpi, more):
    """Open: labels. Nothing is wider than asked for, and not a whole dot a module is given away."""
    size_mm = max(2, (dots + more) * ACROSS * INCH / dpi)
    print_ = generate(LINK).print_at(size_mm, dpi=dpi, at_most=True)
    assert print_.width_mm <= size_mm + 1e-6
    assert print_.width_mm + ACROSS * INCH / dpi > size_mm
    with pytest.raises(InvalidParameter, match="leaves less than a dot for a module"):
        generate("x" * 2_000).print_at(2, dpi=dpi, at_most=True)


@pytest.mark.parametrize("dpi", [72, 300, 600])
@pytest.mark.parametrize("format", ["png", "jpg", "tif", "bmp"])
@pytest.mark.parametrize("fields", [{}, {"modules": {"type": "liquid"}}], ids=["plain", "decorated"])
def test_a_file_of_pixels_has_a_pixel_a_dot_and_says_how_many_are_an_inch(fields, format, dpi):
    print_ = generate(LINK, **fields).print_at(40, dpi=dpi)
    picture = opened(print_.to_bytes(format))
    assert picture.width == picture.height == ACROSS * print_.dots_per_module
    # png and bmp count dots a metre.
    assert picture.info["dpi"] == pytest.approx((dpi, dpi), abs=0.03)
    assert decode(picture).content == LINK


@pytest.mark.parametrize("name", ["png", "jpg", "tif"])
def test_without_print_at_a_file_says_nothing_of_its_size_on_paper(name):
    found = opened(generate(LINK).to_bytes(name)).info
    assert "dpi" not in found or (name == "tif" and found["dpi"] == (1, 1))


@given(sizes.filter(lambda size: size > 15), st.sampled_from([72, 203, 300]))
@settings(some, max_examples=10)
def test_svg_has_exactly_its_size_in_millimetres_and_whole_numbers_for_its_modules(size_mm, dpi):
    print_ = generate(LINK, modules={"union": False}).print_at(size_mm, dpi=dpi)
    text = print_.to_bytes("svg").decode()
    width, height, box = re.match(
        r'<svg [^>]* width="([\d.]+)mm" height="([\d.]+)mm" viewBox="([\d ]+)"', text
    ).groups()
    assert float(width) == float(height) == pytest.approx(size_mm, abs=0.001)
    assert box == f"0 0 {ACROSS * print_.dots_per_module} {ACROSS * print_.dots_per_module}"
    lefts = {int(x) for x in re.findall(r'<rect x="(\d+)"', text)}
    assert all(left % print_.dots_per_module == 0 for left in lefts) and len(lefts) > 20
    one_path = generate(LINK).print_at(size_mm, dpi=dpi).to_bytes("svg").decode()
    assert f'width="{width}mm" height="{height}mm" viewBox="0 0 {ACROSS} {ACROSS}"' in one_path


@pytest.mark.parametrize("fields", [{}, {"modules": {"type": "dots"}}], ids=["plain", "decorated"])
@pytest.mark.parametrize("dpi", [72, 300])
def test_pdf_and_eps_have_exactly_their_size_in_points(fields, dpi):
    print_ = generate(LINK, **fields).print_at(60, dpi=dpi)
    points = 60 / INCH * 72
    (box,) = re.findall(rb"/MediaBox *\[ *0 0 ([\d.]+) ([\d.]+) *\]", print_.to_bytes("pdf"))
    assert [float(number) for number in box] == pytest.approx([points, points], abs=0.001)
    eps = print_.to_bytes("eps").decode()
    (exact,) = re.findall(r"^%%HiResBoundingBox: 0 0 ([\d.]+) ([\d.]+)$", eps, re.MULTILINE) or [(points, points)]
    assert [float(number) for number in exact] == pytest.approx([points, points], abs=0.01)
    (whole,) = re.findall(r"^%%BoundingBox: 0 0 (\d+) (\d+)$", eps, re.MULTILINE)
    assert [int(number) for number in whole] == [math.ceil(points - 1e-6)] * 2


@pytest.mark.needs("gs")
def test_a_printed_pdf_and_eps_are_as_large_as_they_say(tmp_path):
    print_ = generate(LINK, modules={"type": "liquid"}, markers=Markers.all("eye-2")).print_at(60, dpi=300)
    files = [print_.save(tmp_path / f"poster.{format}") for format in ("pdf", "eps")]
    for picture in readers.ghostscript(tmp_path, files, dots=300):
        assert abs(picture.shape[0] - 60 / INCH * 300) <= 5, "a point is more than 4 dots"
        assert readers.zxing(picture) == LINK.encode()


def test_a_decorated_print_is_the_same_picture_only_larger():
    layer = Layer("icon:star", x=100, y=100, width=64, height=64, display="pixel-hit-test", tolerance=2)
    design = generate(LINK, ec="H", modules={"type": "rounded"}, layers=[layer], markers=Markers.all("eye-3"))
    twice = design.print_at(2 * design.width / 300 * INCH, dpi=300)
    assert twice.dots_per_module == 16
    large = np.asarray(opened(twice.to_bytes("png")).convert("L").reduce(2)).astype(int)
    small = np.asarray(opened(design.to_bytes()).convert("L")).astype(int)
    assert np.abs(large - small).mean() < 0.5
    assert np.abs(large - small).max() < 64


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"padding": 0, "size": 3},
        {"width": 333, "height": 420},
        {"width": 301},
        {"width": 301, "flip": "both", "wrapper": None},
    ],
)
def test_a_print_of_plain_modules_has_no_dot_between_dark_and_light(fields):
    found = np.unique(np.asarray(opened(generate(LINK, **fields).print_at(30).to_bytes("png")).convert("L")))
    assert found.tolist() == [0, 255]


def test_a_print_of_more_dots_than_a_picture_may_have_is_refused():
    """33 modules of 191 dots are 39.7 million in all, of 192 dots 40.1 million; at 254 dpi a dot is 0.1 mm."""
    assert not generate(LINK).print_at(33 * 19.1, dpi=254).has_too_many_dots
    with pytest.raises(InvalidParameter, match="is more than 40,000,000 dots at 254 dpi"):
        generate(LINK).print_at(33 * 19.2, dpi=254).to_bytes("png")


@pytest.mark.parametrize("format", ["svg", "pdf", "eps"])
@pytest.mark.parametrize("fields", [{}, {"modules": {"type": "dots"}}], ids=["plain", "dots"])
def test_vectors_have_any_size(format, fields):
    poster = generate(LINK, **fields).print_at(5_000)
    assert poster.size_in(format) == pytest.approx((5_000, 5_000))
    assert len(poster.to_bytes(format)) < 2 * len(generate(LINK, **fields).print_at(50).to_bytes(format))


@pytest.mark.parametrize(("format", "width"), [("pdf", 40), ("SVG", 40), ("eps", 40), ("png", 39.116)])
def test_vector_formats_have_exactly_the_width_asked_for(format, width):
    assert generate(LINK).print_at(40).size_in(format) == pytest.approx((width, width), abs=0.001)
    with pytest.raises(InvalidParameter, match="did you mean 'pdf'"):
        generate(LINK).print_at(40).size_in("pdff")


@pytest.mark.parametrize("fields", [{}, {"modules": {"type": "dots"}}], ids=["table", "svg"])
def test_a_web_page_is_printed_in_exactly_the_width_asked_for(fields):
    print_ = generate(LINK, **fields).print_at(40, dpi=600)
    width, unit = re.search(r'width[:=]"?([\d.]+)(px|mm)', print_.to_bytes("html").decode()).groups()
    per_inch = {"px": 96, "mm": INCH}[unit]
    assert float(width) / per_inch * INCH == pytest.approx(print_.size_in("html")[0], abs=0.001)
    assert print_.size_in("html") == (pytest.approx(40), pytest.approx(40))


def test_a_height_of_its_own_is_kept_in_proportion():
    print_ = generate(LINK, width=330, height=660).print_at(33, dpi=254)
    assert (print_.width_mm, print_.height_mm) == (pytest.approx(33), pytest.approx(66))
    assert generate(LINK, width=330, height=660).print_at(34).size_in("pdf") == pytest.approx((34, 68))
    assert opened(print_.to_bytes("png")).size == (330, 660)


@pytest.mark.parametrize(
    ("size_mm", "dpi", "name", "rule"),
    [
        (1.9, 300, "size_mm", "must be in 2..5000 millimeters"),
        (5001, 300, "size_mm", "must be in 2..5000 millimeters"),
        (40, 29, "dpi", "must be in 30..5000 dots per inch"),
        (40, 5001, "dpi", "must be in 30..5000 dots per inch"),
        (float("nan"), 300, "size_mm", "must be a number"),
        ("40", 300, "size_mm", "must be a number"),
        (10, 30, "size_mm", "at 30 dpi at least 27.9 mm are needed"),
        (1000, 600, "size_mm", "is more than 40,000,000 dots at 600 dpi; use fewer dots per inch, or svg or pdf"),
    ],
)
def test_sizes_that_cannot_be_printed_are_refused_with_what_could(size_mm, dpi, name, rule):
    with pytest.raises(InvalidParameter) as caught:
        generate(LINK).print_at(size_mm, dpi=dpi).to_bytes("png")
    assert (caught.value.name, status_of(caught.value)) == (name, 400)
    assert rule in caught.value.rule


def test_the_size_an_error_proposes_is_enough():
    with pytest.raises(InvalidParameter) as caught:
        generate(LINK).print_at(2, dpi=150)
    least = float(re.search(r"at least ([\d.]+) mm", caught.value.rule)[1])
    assert generate(LINK).print_at(least, dpi=150).dots_per_module == 1


def test_save_takes_the_format_from_the_name_or_the_argument(tmp_path):
    print_ = generate(LINK).print_at(40)
    assert print_.save(tmp_path / "a.png").read_bytes() == print_.to_bytes("png")
    assert print_.save(str(tmp_path / "a.bin"), "tiff").read_bytes() == print_.to_bytes("tif")
    with pytest.raises(InvalidParameter, match="did you mean 'png'"):
        print_.save(tmp_path / "a.pgn")


@pytest.mark.parametrize("format", ["pdf", "eps"])
def test_black_may_be_printed_with_black_ink_alone(format):
    image = generate(LINK)
    plain, key = (image.print_at(40, key_black=black).to_bytes(format) for black in (False, True))
    assert plain != key
    assert image.print_at(40, key_black=True).to_bytes("png") == image.print_at(40).to_bytes("png")


def test_it_says_what_it_is():
    found = repr(generate(LINK).print_at(40))
    assert found == "<QRPrint 39.12 x 39.12 mm, 14 dots per 1.19 mm module at 300 dpi>"


@given(st.integers(0, 8), st.sampled_from([None, 10, 40]), st.sampled_from(["black", "#999999"]))
def test_the_studio_tells_what_preflight_finds(padding, mm, color):
    image = QRImage(Design(content=TEXT, padding=padding, foreground=color))
    checks = print_checks(image, image.print_at(mm) if mm else None)
    width = mm or math.ceil(image.least_width_mm())
    assert [check.text for check in checks if not check.is_good] == [*map(str, image.preflight(width))]
    assert any(("away" if mm else "Print it at least") in check.text for check in checks if check.is_good)


def test_a_bleed_that_nothing_continues_into_is_told():
    image = QRImage(Design(content=TEXT, frame="bubble"))
    checks = [print_checks(image, image.print_at(60, bleed_mm=mm)) for mm in (0, 3)]
    told = [[one.text[:35] for one in some if not one.is_good] for some in checks]
    assert told == [[], ["The bleed needs a background, or a "]]


def test_a_transparent_background_needs_light_paper():
    checks = print_checks(QRImage(Design(content=TEXT, background="transparent")))
    assert ["light paper" in check.text for check in checks if not check.is_good] == [True]
    micro = print_checks(QRImage(Design(content="12345", micro=True, padding=2)))
    assert all(check.is_good for check in micro)


@given(st.floats(20, 200))
def test_a_symbol_of_25_modules_reads_from_ten_times_its_width(mm):
    image = QRImage(Design(content="https://example.com", version=2, padding=0))
    printed = image.print_at(mm)
    assert printed.reach_mm == pytest.approx(10 * printed.width_mm)
