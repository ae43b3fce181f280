"""Pictures of codes: wherever they are from, what can be told of them is told."""

import subprocess
import sys
from io import BytesIO

import numpy as np
import pytest
import segno
import zxingcpp
from PIL import Image, ImageDraw, ImageFilter, ImageOps

from qrkit import QRImage, Role, check, data_uri
from qrkit.errors import NoSymbol, UnreadableFile
from qrkit.scanning.scan_report import ScanReport
from tests.scanning.designs import CARD, URL, all_eyes, plain, with_logo


def picture(design=None, **fields) -> Image.Image:
    return Image.open(BytesIO(QRImage(design or plain(**fields)).to_bytes("png"))).convert("RGB")


def file_of(image: Image.Image, kind: str = "PNG", **options) -> bytes:
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def codes(report: ScanReport) -> list[str]:
    return [issue.code for issue in report.issues]


def test_a_file_its_bytes_and_a_picture_are_the_same(tmp_path):
    path = tmp_path / "code.png"
    path.write_bytes(file_of(picture()))
    reports = [check(one, "static") for one in (path, str(path), path.read_bytes(), picture())]
    assert [report.as_dict() for report in reports] == [reports[0].as_dict()] * 4
    assert (reports[0].verdict, reports[0].content, reports[0].design) == ("robust", URL, None)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"])
def test_every_format_of_pixels_is_taken(kind):
    report = check(file_of(picture(), kind), "static")
    assert (report.content, report.verdict, report.budget.used) == (URL, "robust", 0)


@pytest.mark.parametrize("content", ["12345", "HELLO WORLD", URL, CARD, "Grüße 漢字"])
def test_what_is_drawn_is_found_again(content):
    """The budget and the structure of a picture are those of its design."""
    design = with_logo(0.25, content, ec="H")
    ours, found = check(design, "static"), check(picture(design), "static")
    assert found.content == content
    assert found.budget.symbol.modules == ours.budget.symbol.modules
    assert np.mean(found.budget.wrong != ours.budget.wrong) < 0.01
    assert found.structure.contrast == pytest.approx(ours.structure.contrast, abs=0.05)
    assert found.structure.quiet == pytest.approx(ours.structure.quiet, abs=0.3)


@pytest.mark.parametrize("level", ["static", "standard"])
@pytest.mark.parametrize(("thickness", "verdict", "code"), [(3, "fragile", "module-weight"), (7, "ok", "alignment")])
def test_thin_lines_made_elsewhere_are_judged_by_their_ink(level, thickness, verdict, code):
    """Lines along the middle of each row, and whole finder patterns: readers miss lines of 0.15, and few of 0.35."""
    design, module = plain(size=20), 20
    drawing, symbol = picture(design), QRImage(design).symbol
    draw = ImageDraw.Draw(drawing)
    gap = (module - thickness) // 2
    for row, line in enumerate(symbol.roles):
        for column, role in enumerate(line):
            if role != Role.FINDER:
                left, top = (column + 4) * module, (row + 4) * module
                draw.rectangle((left, top, left + module - 1, top + gap - 1), fill="white")
                draw.rectangle((left, top + gap + thickness, left + module - 1, top + module - 1), fill="white")
    report = check(file_of(drawing), level)
    assert (report.verdict, code in codes(report)) == (verdict, True)


@pytest.mark.parametrize("angle", [0, 7, 45, 90, 133, 180, 270])
def test_turned_pictures_are_straightened(angle):
    turned = picture().rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor="white")
    report = check(turned, "static")
    assert report.content == URL
    assert report.budget.used == 0
    assert not report.structure.is_mirrored
    assert report.structure.quiet >= 3.5


def test_pictures_taken_from_the_side_are_straightened():
    flat = picture()
    side = flat.width
    seen = flat.transform(
        (side, side), Image.Transform.PERSPECTIVE, (1.25, 0.1, -30, 0.05, 1.3, -30, 0.0004, 0.0006),
        Image.Resampling.BICUBIC, fillcolor="white",
    )  # fmt: skip
    assert check(seen, "static").budget.used == 0


@pytest.mark.parametrize("module", [2, 3])
def test_small_pictures_are_looked_at(module):
    report = check(picture(size=module), "static")
    assert report.budget.used == 0
    assert report.structure.quiet >= 3.5


@pytest.mark.parametrize("filter_", [Image.Resampling.NEAREST, Image.Resampling.BOX])
@pytest.mark.parametrize("module", [2.4, 3.5, 4.3, 5.5, 9.3])
def test_edges_between_pixels_are_no_fault_of_the_eyes(module, filter_):
    """Web pages and office programs scale codes by any factor; their readers read them."""
    side = round(33 * module)
    scaled = picture(size=20).resize((side, side), filter_)
    assert check(scaled, "static").verdict == "robust"


def test_hairlines_between_modules_are_no_fault_of_the_eyes():
    """Browsers leave them where a drawing has a rectangle for each module: each covers a part of the pixels between."""
    dark = np.pad(np.array([[*row] for row in QRImage(plain()).symbol.modules]), 4)
    edges = np.linspace(0, 800, len(dark) + 1)
    first, last = np.arange(800)[:, None], np.arange(800)[:, None] + 1
    covered = np.clip(np.minimum(last, edges[1:]) - np.maximum(first, edges[:-1]), 0, 1)
    light = np.ones((800, 800))
    for row, column in np.ndindex(2, 2):
        apart = np.zeros_like(dark)
        apart[row::2, column::2] = dark[row::2, column::2]
        light *= 1 - covered @ apart @ covered.T
    assert check(Image.fromarray((light * 255).round().astype(np.uint8)), "static").verdict == "robust"


@pytest.mark.slow
def test_large_pictures_are_made_smaller_first():
    large = picture(size=20, padding=20).resize((6000, 6000), Image.Resampling.NEAREST)
    assert check(large, "static").budget.used == 0
    symbol = check(picture(content="x" * 2300, size=12), "static").budget.symbol
    assert symbol.version == 40


@pytest.mark.parametrize(("side", "module"), [(3000, 4), (6000, 5), (9000, 10)])
def test_a_small_code_in_a_large_picture_is_judged_by_all_its_pixels(side, module):
    page, code = Image.new("L", (side, 1500), "white"), picture(size=module).convert("L")
    for left in (0, side // 2 + 1):
        page.paste(code, (left, 501))
    report = check(page)
    assert (report.verdict, report.photo, report.others) == ("robust", None, (URL,))


def test_mirrored_pictures_are_told_of():
    report = check(ImageOps.mirror(picture()), "static")
    assert "mirrored" in codes(report)
    assert report.structure.is_mirrored
    assert report.budget.used == 0


def side_by_side(*contents: str) -> Image.Image:
    pictures = [picture(content=one) for one in contents]
    page = Image.new("RGB", (sum(one.width for one in pictures), pictures[0].height), "white")
    for number, one in enumerate(pictures):
        page.paste(one, (number * one.width, 0))
    return page


def test_of_several_codes_the_first_is_judged_and_named():
    wifi = "WIFI:T:WPA;S:Nero;P:espresso;;"
    report = check(side_by_side(wifi, "https://b.example", "https://c.example"), "static")
    assert (report.content, report.others) == (wifi, ("https://b.example", "https://c.example"))
    first, verdict = str(report).splitlines()[:2]
    assert first.startswith("3 QR Codes were found; this report is on the first (") and "Nero" in first
    assert "espresso" not in first and verdict.startswith("robust")
    assert report.as_dict()["others"] == report.others
    assert first in report._repr_mimebundle_()["text/html"].replace("&#x27;", "'")


@pytest.mark.parametrize(
    ("file", "place"),
    [("GIF", "frame 2 of 3"), ("PNG", "frame 2 of 3"), ("TIFF", "page 2 of 3"), ("WEBP", "frame 2 of 3")],
)
def test_the_frame_or_page_that_is_judged_is_named(file, place):
    code, other = picture(), picture(content="https://other.example")
    pages = [Image.new("RGB", code.size, "white"), code, other.resize(code.size)]
    written = BytesIO()
    pages[0].save(written, file, save_all=True, append_images=pages[1:], lossless=True)
    report = check(written.getvalue(), "static")
    assert (report.place, report.as_dict()["place"]) == (place, place)
    assert str(report).startswith(f"This report is on {place}, the first with a QR Code.")


def test_of_several_codes_in_a_frame_both_are_named():
    written, pair = BytesIO(), side_by_side("https://a.example", "https://b.example")
    pair.save(written, "TIFF", save_all=True, append_images=[pair])
    report = check(written.getvalue(), "static")
    assert str(report).startswith("2 QR Codes were found on page 1 of 2; this report is on the first")


def test_of_one_code_no_other_is_named():
    report = check(picture(), "static")
    assert (report.others, report.subject) == ((), None)


def test_light_on_dark_is_told_of():
    report = check(ImageOps.invert(picture()), "static")
    assert "polarity" in codes(report)
    assert report.structure.contrast == pytest.approx(-1, abs=0.02)


def test_a_picture_without_quiet_zone_is_told_of():
    report = check(picture(padding=1), "static")
    assert codes(report)[0] == "quiet-zone"
    assert report.structure.quiet == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize("page", [150, 190])
def test_a_gray_page_beside_the_eyes_is_no_part_of_them(page):
    """Web pages show codes with a white background, and without a quiet zone, on gray."""
    code, ground = picture(padding=0), Image.new("RGB", (600, 600), (page, page, page))
    ground.paste(code, (150, 150))
    assert check(ground, "static").verdict == "robust"


def test_soft_edges_do_not_thin_the_eyes():
    """A browser enlarges a picture of a pixel per module smoothly."""
    small = picture(size=1)
    soft = small.resize((24 * small.width, 24 * small.height), Image.Resampling.BILINEAR)
    assert check(soft, "static").verdict == "robust"


def test_round_eyes_are_told_of():
    assert "eye-corner" in codes(check(picture(markers=all_eyes("circle"), size=12), "static"))


def test_issues_of_a_picture_have_no_fix():
    report = check(picture(padding=0), "static")
    assert {issue.fix for issue in report.issues} == {None}
    with pytest.raises(ValueError, match="an image cannot be fixed"):
        report.fixed(report.issues[0])


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (URL, {}),
        ("0123456789", {}),
        ("ABC123", {"error": "h", "boost_error": False}),
        ("点茗", {"mode": "kanji"}),
        (URL, {"mask": 3, "version": 7}),
    ],
)
def test_symbols_of_other_encoders_are_matched(content, options):
    file = BytesIO()
    segno.make_qr(content, **options).save(file, kind="png", scale=8, border=4)
    report = check(file.getvalue(), "static")
    assert report.content == content
    assert (report.budget.used, report.verdict) == (0, "robust")


def test_symbols_that_are_split_in_another_way_have_a_budget():
    """No way to encode the text again gives these modules: they are rebuilt from those that were read."""
    symbol = segno.make_sequence("ABCDEFGHIJ" * 4, version=1, error="l")[0]
    file = BytesIO()
    symbol.save(file, kind="png", scale=8, border=4)
    report = check(file.getvalue(), "standard")
    assert (report.budget.used, report.verdict, report.grade.letter) == (0, "robust", "A")
    assert report.budget.symbol.modules == tuple(bytes(row) for row in symbol.matrix)


@pytest.mark.parametrize("level", ["static", "standard"])
def test_where_there_is_no_code_that_is_said(level, tmp_path):
    path = tmp_path / "nothing.png"
    path.write_bytes(file_of(Image.new("RGB", (300, 200), "white")))
    for one in (path, path.read_bytes()):
        with pytest.raises(NoSymbol, match="no QR Code was found"):
            check(one, level)
    with pytest.raises(NoSymbol, match=r"nothing\.png"):
        check(path, level)


@pytest.mark.parametrize(
    ("kind", "name"), [("DataMatrix", "Data Matrix"), ("Aztec", "Aztec"), ("RMQRCode", "rMQR Code")]
)
def test_a_code_of_another_kind_is_named(kind, name):
    code = zxingcpp.create_barcode("qrkit", getattr(zxingcpp.BarcodeFormat, kind))
    with pytest.raises(NoSymbol, match=f"no QR Code was found, but a code of another kind: {name}"):
        check(np.asarray(code.to_image(scale=4)), "static")


def test_a_picture_that_is_read_only_from_afar_is_not_robust():
    """Dithered by a pattern of 4 x 4 pixels, which no reader sees through at its full size."""
    grays = np.asarray(picture(size=20).convert("L")) / 255 * 160 + 50
    pattern = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) * 16
    tiles = [side // 4 for side in grays.shape]
    report = check(grays > np.tile(pattern, tiles), "standard")
    assert (report.verdict, report.issues[0].code) == ("ok", "not-read")


def test_a_picture_that_readers_can_read_is_not_lost_although_its_logo_covers_too_much():
    covered = picture(content="https://example.com/covered", ec="Q", size=12).convert("L")
    middle, radius = covered.width / 2, 0.42 * (covered.width / 2 - 48)
    ImageDraw.Draw(covered).ellipse((middle - radius, middle - radius, middle + radius, middle + radius), 90)
    report = check(covered, "quick")
    assert report.budget.used > 1 and report.panel.rate > 0
    assert report.verdict == "fragile"
    assert "no scanner" not in str(report)


def blended(share):
    """A code whose modules are merged with soft light and dark patches, as in an AI-made picture."""
    code = np.asarray(picture(size=12).filter(ImageFilter.GaussianBlur(2)).convert("L"), dtype=np.float32)
    patches = Image.fromarray(np.random.default_rng(2).integers(20, 235, (6, 6), dtype=np.uint8))
    seen = np.asarray(patches.resize(code.shape, Image.Resampling.BICUBIC), dtype=np.float32)
    return Image.fromarray((seen * (1 - share) + code * share).astype(np.uint8))


def graded(*stops):
    """A code with a gradient from corner to corner, saved as JPEG files are."""
    code = np.asarray(picture(size=12).convert("L"), dtype=np.float32) / 255
    along = np.add.outer(*(np.linspace(0, 0.5, side) for side in code.shape))
    ink = np.interp(along, np.linspace(0, 1, len(stops)), stops)
    return Image.open(BytesIO(file_of(Image.fromarray((ink + (255 - ink) * code).astype(np.uint8)), "JPEG")))


@pytest.mark.parametrize(
    ("drawing", "verdicts"),
    [
        (blended(0.35), ("fragile",)),
        (blended(0.8), ("ok", "robust")),
        (graded(0, 220, 0), ("fragile",)),
        (graded(0, 90), ("ok", "robust")),
    ],
    ids=["hidden", "shown", "pale", "dark"],
)
def test_upright_pictures_without_areas_of_one_color_are_not_photos(drawing, verdicts):
    report = check(drawing)
    assert report.photo is None
    assert report.verdict in verdicts


@pytest.mark.parametrize(("size", "blur", "spread"), [(10, 4, 0), (10, 5, 0), (4, 1.5, 0), (4, 2, 0), (10, 2, 2)])
def test_an_upright_photo_that_is_blurred_or_whose_ink_spread_is_no_drawing(size, blur, spread):
    code = picture(size=size).convert("L").filter(ImageFilter.MinFilter(2 * spread + 1))
    print_ = code.point([45 + round(gray * 0.7) for gray in range(256)])
    seen = np.asarray(print_.filter(ImageFilter.GaussianBlur(blur)))
    noisy = seen + np.random.default_rng(3).normal(0, 1.5, seen.shape)
    report = check(file_of(Image.fromarray(noisy.astype(np.uint8)), "JPEG"))
    assert report.photo
    assert {issue.code for issue in report.issues} <= {"photo-unread", "ink-spread"}


@pytest.mark.parametrize(("paper", "file"), [(175, "JPEG"), (243, "JPEG"), (175, "PNG")])
def test_a_straight_scan_of_a_good_print_on_paper_is_no_drawing(paper, file):
    code = picture(size=12).convert("L")
    print_ = code.point([66 + round(gray * (paper - 66) / 255) for gray in range(256)])
    seen = np.asarray(print_.filter(ImageFilter.GaussianBlur(0.3)))
    noisy = seen + np.random.default_rng(1).normal(0, 2, seen.shape)
    report = check(file_of(Image.fromarray(noisy.clip(0, 255).astype(np.uint8)), file, quality=90))
    assert report.photo
    assert report.verdict == "robust"
    assert not report.issues


def with_hexagons(border):
    """Modules of half their width around a logo, and hexagons for eyes: few readers read it."""
    modules = np.array([*segno.make_qr(URL, error="q", boost_error=False).matrix], dtype=bool)
    image = Image.new("L", [len(modules) * 8] * 2, 255)
    draw = ImageDraw.Draw(image)
    for y, x in np.argwhere(modules) * 8:
        draw.rectangle((x + 2, y + 2, x + 5, y + 5), 40)
    middle, end = image.width / 2, image.width - 28
    draw.ellipse((middle - 28, middle - 28, middle + 28, middle + 28), 190)
    for x, y in ((28, 28), (end, 28), (28, end)):
        draw.rectangle((x - 28, y - 28, x + 27, y + 27), 255)
        for radius, ink in ((31, 40), (22, 255), (13, 40)):
            draw.regular_polygon((x, y, radius), 6, 0, ink)
    return ImageOps.expand(image, border, 255)


@pytest.mark.parametrize(("border", "file"), [(32, "PNG"), (32, "JPEG"), (0, "JPEG")])
def test_a_drawing_with_a_logo_or_the_grain_of_a_jpeg_is_not_taken_for_a_photo(border, file):
    report = check(file_of(with_hexagons(border), file, quality=40))
    assert report.photo is None
    assert report.verdict == "fragile"


def test_outlined_discs_with_misplaced_eyes_are_not_taken_for_a_photo():
    modules = np.array([*segno.make_qr(URL, error="m", boost_error=False).matrix], dtype=bool)
    image = Image.new("L", [len(modules) * 24] * 2, 255)
    for y, x in np.argwhere(modules) * 24 + 12:
        ImageDraw.Draw(image).ellipse((x - 12.6, y - 12.6, x + 12.6, y + 12.6), outline=17, width=2)
    report = check(ImageOps.expand(image, 96, 255), "quick")
    assert report.photo is None
    assert report.verdict in ("fragile", "unreadable")


@pytest.mark.parametrize(("version", "module", "pupil"), [(3, 6, 166), (3, 5, 166), (7, 6, 120), (5, 5, 166)])
def test_specks_with_thin_eyes_are_not_taken_for_a_photo_of_a_good_print(version, module, pupil):
    modules = np.array([*segno.make_qr(URL, error="m", version=version, boost_error=False).matrix], dtype=bool)
    far = len(modules) - 7
    image = Image.new("L", [len(modules) * 24] * 2, 255)
    draw = ImageDraw.Draw(image)
    for y, x in np.argwhere(modules) * 24 + 8:
        draw.rectangle((x, y, x + 8, y + 8), 0)
    for y, x in np.array([(0, 0), (0, far), (far, 0)]) * 24:
        draw.rectangle((x, y, x + 167, y + 167), 255, 0, 10)
        draw.rectangle((x + 48, y + 48, x + 119, y + 119), pupil)
    seen = image.resize([len(modules) * module] * 2, Image.Resampling.LANCZOS)
    for file in ("PNG", "JPEG"):
        report = check(file_of(ImageOps.expand(seen, 36, 255), file), "quick")
        assert report.photo is None
        assert report.verdict in ("fragile", "unreadable")


@pytest.mark.parametrize("reach", [4, 6])
def test_a_wavy_print_is_straightened_before_it_is_judged(reach):
    flat = np.asarray(picture(size=12).convert("L"))
    rows, columns = np.mgrid[: flat.shape[0], : flat.shape[1]]
    shifted = np.clip(columns + reach * np.sin(rows / 60), 0, flat.shape[1] - 1)
    assert check(flat[rows, shifted.astype(int)]).verdict == "robust"


def test_a_sharp_photo_with_a_hard_shadow_is_no_faint_drawing():
    code = picture(size=12).filter(ImageFilter.GaussianBlur(1.5)).convert("L")
    light = np.asarray(code) * 0.8 + 12
    light[:, 220:] *= 0.55
    light += np.random.default_rng(3).normal(0, 3, light.shape)
    report = check(file_of(Image.fromarray(light.clip(0, 255).astype(np.uint8)), "JPEG", quality=88))
    assert report.photo and report.verdict in ("ok", "robust")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "this is empty"),
        (file_of(picture())[:-200], "this is a damaged png, perhaps cut off; download or save it again"),
        (file_of(picture(), "JPEG")[:-900], "this is a damaged jpeg, perhaps cut off"),
        (b"<!DOCTYPE html><html>404</html>", "this is not a picture of the formats png,"),
    ],
    ids=["empty", "png", "jpeg", "page"],
)
def test_what_is_wrong_with_a_file_is_told(data, words):
    with pytest.raises(UnreadableFile, match=words):
        check(data, "static")


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "TIFF"])
def test_a_code_on_a_later_page_is_checked(kind):
    code = picture()
    pages = file_of(Image.new("RGB", code.size, "white"), kind, save_all=True, append_images=[code])
    assert check(pages, "static").verdict == "robust"


@pytest.mark.parametrize("kind", ["I;16", "F"])
def test_a_faint_code_of_more_than_8_bits_is_not_judged_by_its_stretched_contrast(kind):
    light = np.asarray(picture().convert("L")) / 255 * 0.2 + 0.8
    image = Image.fromarray((light * 65_535).astype(np.uint16) if kind == "I;16" else light.astype(np.float32))
    assert image.mode == kind
    report = check(file_of(image, "TIFF"), "static")
    assert (report.verdict, report.structure.contrast) == ("fragile", pytest.approx(0.2, abs=0.02))


@pytest.mark.parametrize("bits", [10, 12, 14])
def test_grays_of_a_sensor_in_a_file_of_16_bits_reach_from_black_to_white(bits):
    grays = np.asarray(picture().convert("L")).astype(np.uint16) << (bits - 8)
    assert check(file_of(Image.fromarray(grays)), "static").verdict == "robust"


def test_a_large_tiff_is_read_without_a_warning_of_a_library():
    large = picture().convert("1").resize((9_500, 9_500), Image.Resampling.NEAREST)
    assert check(file_of(large, "TIFF", compression="group4"), "static").verdict == "robust"


def test_a_code_that_shows_on_dark_paper_only_is_told_from_none():
    dark = ImageOps.invert(picture().convert("L"))
    white = Image.new("RGBA", dark.size, "white")
    white.putalpha(dark)
    with pytest.raises(NoSymbol, match="a QR Code was found, but it can hardly be seen on white paper: draw it dark"):
        check(file_of(white), "static")


@pytest.mark.parametrize("data", [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + bytes(40), b"GIF89a"])
def test_what_is_no_picture_is_refused(data):
    with pytest.raises(UnreadableFile):
        check(data, "static")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UnreadableFile, match="No such file"):
        check(tmp_path / "missing.png")


@pytest.mark.parametrize("read", [check, data_uri])
def test_a_long_text_that_is_no_path_is_cut_in_the_error(read):
    with pytest.raises(UnreadableFile, match=r"^M0 0L10 10L10.{1,300}\.\.\.: File name too long$"):
        read("M0 0" + "L10 10" * 5_000)


def test_too_many_pixels_are_refused():
    with pytest.raises(UnreadableFile, match="too many pixels"):
        check(Image.new("L", (12_001, 10_000)), "static")


def test_a_standard_check_of_a_picture_has_a_panel_and_a_grade():
    report = check(picture(), "standard")
    assert (report.verdict, report.score, report.grade.letter) == ("robust", 100, "A")
    assert len(report.panel.outcomes) == 12
    everyone = check(picture(), "standard", audience="all")
    assert (everyone.verdict, everyone.embedded, len(everyone.panel.outcomes)) == ("robust", "robust", 12 + 19)


def test_what_is_far_from_the_symbol_is_not_shown_to_readers():
    """A page full of what looks like finder patterns takes readers seconds, and tells nothing of the symbol."""
    code = picture(ec="H")
    page = Image.new("RGB", (3 * code.width, 3 * code.height), "white")
    page.paste(code, (code.width, code.height))
    before = check(page, "quick")
    finder = code.crop((32, 32, 88, 88))
    for x in range(0, page.width, 60):
        page.paste(finder, (x, 0))
        page.paste(finder, (x, page.height - 56))
    after = check(page, "quick")
    assert after.panel.outcomes == before.panel.outcomes
    assert (before.verdict, after.verdict) == ("robust", "robust")


def test_a_symbol_at_the_edge_of_a_picture_is_shown_with_what_there_is():
    assert check(picture(padding=2), "quick").panel.rate == 1


@pytest.mark.slow
def test_a_picture_is_checked_without_what_it_does_not_need(tmp_path):
    picture().save(tmp_path / "code.png")
    needless = {"pydantic", "qrkit.drawing", "qrkit.scanning.photographs.photo_measures", "encodings.gbk"}
    program = f"import sys, qrkit; print(qrkit.check('code.png'), sorted({needless} & {{*sys.modules}}))"
    ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("robust") and ran.stdout.endswith("[]\n")
