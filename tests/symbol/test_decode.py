import random
import struct
import subprocess
import sys
import threading
import zlib
from functools import reduce
from io import BytesIO, StringIO
from operator import xor

import numpy as np
import pytest
import segno
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageOps

from qrkit import Decoded, check, decode, decode_all, generate
from qrkit.design.picture_files import webp_pixels
from qrkit.errors import InvalidParameter, NoSymbol, QrkitError, UnreadableFile
from qrkit.server.statuses import status_of
from qrkit.symbol.decode import MOST_FRAMES, MOST_PIXELS
from tests.sweeps import quick_first

RASTERS = ["png", "jpg", "bmp", "tif", "gif", "webp"]


def drawn(code: segno.QRCode) -> bytes:
    file = BytesIO()
    code.save(file, kind="png", scale=8)
    return file.getvalue()


def png_header(width: int, height: int) -> bytes:
    """The beginning of a PNG that claims a size."""
    ihdr = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"\0\0\0\r" + ihdr + struct.pack(">I", zlib.crc32(ihdr)) + b"\0\0\0\1IDAT\0"


@pytest.mark.rule("G21")
def test_hello_world_gives_the_known_values():
    """A fact: the historical service answered these five values for this content."""
    found = decode(generate("hello world").to_bytes())
    assert found.content == "hello world"
    assert (found.version, found.ec, found.dimension, found.capacity, found.length) == (1, "M", 21, 14, 11)


@pytest.mark.parametrize("format", RASTERS)
def test_every_raster_format_is_read_back(format):
    for design in ({}, {"foreground": "#80B00000", "background": "transparent"}, {"foreground": "navy"}):
        found = decode(generate("grün & 漢 😀", ec="Q", **design).to_bytes(format))
        assert (found.content, found.ec) == ("grün & 漢 😀", "Q")


@given(st.text(min_size=1, max_size=40), st.sampled_from(["byte", "auto"]))
@settings(max_examples=40)
def test_any_text_comes_back_character_by_character(text, em):
    found = decode(generate(text, em=em, size=3).to_bytes())
    assert (found.content, found.length) == (text, len(text))


@pytest.mark.parametrize("text", ["a\x1db", "\x00", "\x1e\x04", "\x7f", "\u0080", "<GS>", "\ufeffx", "a\r\nb", " x "])
def test_control_characters_are_told_as_they_are(text):
    assert decode(generate(text).to_bytes()).content == text


def test_path_bytes_and_picture_are_read_alike(tmp_path):
    image = generate("hi", ec="H")
    for format in ("png", "gif", "tif", "webp"):
        path = image.save(tmp_path / f"code.{format}")
        with Image.open(path) as picture:
            assert decode(path) == decode(str(path)) == decode(path.read_bytes()) == decode(picture)


def test_light_on_dark_turned_and_on_nothing_are_read():
    assert decode(generate("hi", foreground="white", background="black").to_bytes()).content == "hi"
    assert decode(generate("hi", background="transparent").to_bytes()).content == "hi"
    turned = Image.open(BytesIO(generate("hi").to_bytes())).rotate(90)
    assert decode(turned).content == "hi"


@pytest.mark.rule("G21")
@pytest.mark.parametrize(
    "picture",
    [Image.new("RGB", (200, 200), "white"), Image.new("1", (1, 1)), Image.new("RGBA", (64, 64), (0, 0, 0, 0))],
    ids=["white", "one pixel", "transparent"],
)
def test_a_picture_without_a_code_has_no_symbol(picture):
    """Open: what to answer then. An error of its own, which the interface sends as 400 `no-symbol`."""
    with pytest.raises(NoSymbol, match="no QR Code was found"):
        decode(picture)


@pytest.mark.parametrize(("size", "lines"), [(8, 5), (8, 8), (16, 6), (20, 8)])
def test_hatched_modules_are_read_at_a_smaller_size(size, lines):
    light = np.asarray(Image.open(BytesIO(generate("hatched", size=size).to_bytes())).convert("L"))
    rows, columns = np.indices(light.shape)
    hatched = np.where((light < 128) & ((rows + columns) % lines < 2), 0, 255).astype(np.uint8)
    assert decode(hatched, effort="quick").content == "hatched"


@pytest.mark.parametrize("size", [10, 16])
def test_flowers_in_octagons_are_read_as_eyes(size):
    modules = np.array([*segno.make_qr("https://shop.example/petals", error="q").matrix], dtype=bool)
    image = Image.new("L", [len(modules) * size] * 2, 255)
    draw, angles, end = ImageDraw.Draw(image), np.linspace(0, 2 * np.pi, 90), image.width - 3.5 * size
    for y, x in np.argwhere(modules) * size + size / 2:
        draw.regular_polygon((x, y, 0.4 * size), 6, 0, 0)
    for x, y in ((3.5 * size, 3.5 * size), (end, 3.5 * size), (3.5 * size, end)):
        draw.rectangle((x - 3.5 * size, y - 3.5 * size, x + 3.5 * size - 1, y + 3.5 * size - 1), 255)
        draw.regular_polygon((x, y, 3.8 * size), 8, 22.5, 60)
        draw.regular_polygon((x, y, 2.7 * size), 8, 22.5, 255)
        petals = size * (1.3 + 0.37 * np.cos(8 * angles))
        draw.polygon([*zip(x + petals * np.cos(angles), y + petals * np.sin(angles), strict=True)], 60)
    assert decode(ImageOps.expand(image, 4 * size, 255), effort="quick").content == "https://shop.example/petals"


def test_micro_qr_code_of_another_encoder_is_read():
    found = decode(drawn(segno.make_micro("123")))
    assert (found.content, found.version, found.ec, found.dimension, found.capacity) == ("123", -1, "L", 11, 0)
    assert decode_all(drawn(segno.make_micro("hello", error="m"))) == [Decoded("hello", -3, "M", 15, 7, 5)]


@pytest.mark.parametrize("turn", [0, 1, 2, 3])
def test_a_micro_qr_code_that_cannot_correct_errors_is_read_without_errors_only(turn):
    """M1 detects errors. A reader that corrects them reads digits in noise."""
    code = segno.make_micro("123", version="M1")
    modules = np.rot90(np.pad(np.array([*map(list, code.matrix)]), 2), turn)
    assert decode(np.kron(1 - modules, np.ones((8, 8)))).content == "123"
    code.matrix[9][9] ^= 1
    with pytest.raises(NoSymbol, match="no QR Code was found"):
        decode(drawn(code))


def test_the_versions_and_levels_of_another_encoder_are_told():
    for version, level in ((1, "H"), (7, "L"), (27, "Q"), (40, "M")):
        code = segno.make_qr("x", version=version, error=level, boost_error=False, mask=0)
        found = decode(Image.open(BytesIO(drawn(code))))
        assert (found.version, found.ec, found.dimension) == (version, level, 4 * version + 17)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "this is empty"),
        (b"nonsense", "not a picture of the formats png, jpg, bmp, tif, gif, webp"),
        (b"<html>", "not a picture of the formats png, jpg, bmp, tif, gif, webp"),
        (b"\x89PNG\r\n\x1a\n", "this is a damaged png"),
        (b"GIF89a", "this is a damaged gif"),
        (b"\xc5\xd0\xd3\xc6\x1e\0\0\0", "this is an EPS, which cannot be read; save it as svg or png"),
    ],
)
def test_bytes_of_no_picture_are_an_unreadable_file(data, words):
    with pytest.raises(UnreadableFile, match=words):
        decode(data)


def test_a_pdf_gets_advice():
    with pytest.raises(UnreadableFile, match="a PDF, which cannot be read; save it as png"):
        decode(b"%PDF-1.4")


def test_a_file_that_cannot_be_opened_is_named(tmp_path):
    for path in (tmp_path / "missing.png", tmp_path, tmp_path / "a\0b"):
        with pytest.raises(UnreadableFile) as caught:
            decode(path)
        assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("width", "height"), [(MOST_PIXELS, 2), (12_000, 10_001), (20_000, 20_000), (70_000, 10), (2**31 - 1, 2**31 - 1)]
)
def test_a_picture_with_too_many_pixels_is_refused_before_it_is_unpacked(width, height):
    with pytest.raises(UnreadableFile, match="too many pixels: at most 120,000,000, and 65,535 a side"):
        decode(png_header(width, height))


def webp(chunk, head):
    """The beginning of a WebP, as far as its size."""
    data = chunk + len(head).to_bytes(4, "little") + head
    return b"RIFF" + (4 + len(data)).to_bytes(4, "little") + b"WEBP" + data


WEBPS = {
    "lossy": webp(b"VP8 ", b"\x30\1\0\x9d\1\x2a" + (16_383).to_bytes(2, "little") + (3_000).to_bytes(2, "little")),
    "lossless": webp(b"VP8L", b"\x2f" + (16_382 | 2_999 << 14).to_bytes(4, "little")),
    "extended": webp(b"VP8X", bytes(4) + (16_382).to_bytes(3, "little") + (2_999).to_bytes(3, "little")),
}


@pytest.mark.parametrize("data", WEBPS.values(), ids=WEBPS)
def test_a_webp_with_too_many_pixels_is_refused_by_its_header(data):
    """Pillow would make two pictures of this size before it tells how large they are."""
    with pytest.raises(UnreadableFile, match="too many pixels: at most 12,500,000 in a webp"):
        decode(data, most_side=1_600)


@pytest.mark.parametrize("options", [{}, {"lossless": True}, {"lossless": True, "icc_profile": b"x"}], ids=str)
def test_the_pixels_of_a_webp_are_counted_as_its_writer_counts_them(options):
    file = BytesIO()
    Image.new("RGB", (321, 123)).save(file, "WEBP", **options)
    assert webp_pixels(file.getvalue()) == 321 * 123


@pytest.mark.parametrize("data", [b"", b"RIFF", b"RIFF0000WEBP", b"RIFF0000WAVEVP8 ", generate("hi").to_bytes("png")])
def test_bytes_of_no_webp_have_no_such_header(data):
    assert not webp_pixels(data)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "I", "F"])
def test_a_picture_of_any_pixel_type_is_read(mode):
    plain = Image.open(BytesIO(generate("hi").to_bytes())).convert("L")
    assert decode(plain.convert("I").convert(mode) if mode == "I;16" else plain.convert(mode)).content == "hi"


@pytest.mark.parametrize(
    ("dtype", "dark", "light"), [("uint16", 9_000, 60_000), ("int32", -5, 70_000), ("f4", 0.1, 0.9)]
)
@pytest.mark.parametrize("most_side", [None, 100])
def test_greys_of_any_range_are_read(dtype, dark, light, most_side):
    """As scanners and cameras write them: 16 bits, or a share of white."""
    is_light = np.asarray(Image.open(BytesIO(generate("hi").to_bytes())).convert("L")) > 127
    picture = Image.fromarray(np.where(is_light, light, dark).astype(dtype))
    assert decode(picture, most_side=most_side).content == "hi"
    if dtype == "uint16":
        file = BytesIO()
        picture.save(file, "PNG")
        assert decode(file.getvalue(), most_side=most_side).content == "hi"


@pytest.mark.parametrize("picture", [StringIO("x"), None, 3, ["a.png"]])
def test_what_is_no_picture_at_all_is_told_by_its_type(picture):
    with pytest.raises(InvalidParameter, match=r"picture: must be the path of a file, bytes, .*, not \w+"):
        decode(picture)


@pytest.mark.parametrize("shape", [(9,), (9, 9, 5), (9, 9, 3, 1), (0, 9), (3, 90, 90)])
def test_an_array_of_another_shape_is_refused_by_its_shape(shape):
    with pytest.raises(InvalidParameter, match=r"picture='an array of float64 and shape .*: must have the shape"):
        decode(np.zeros(shape))


def test_an_array_of_texts_is_refused():
    with pytest.raises(InvalidParameter, match=r"an array of <U1 and shape \(9, 9\)"):
        decode(np.full((9, 9), "a"))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "RGB", "RGBA"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int64", "float32", "float64", "bool"])
def test_an_array_is_read_as_a_picture(mode, dtype):
    pixels = np.asarray(Image.open(BytesIO(generate("hi").to_bytes())).convert(mode)).astype("uint8")
    greatest = {"uint8": 255, "bool": 1, "float32": 1, "float64": 255}.get(dtype, 65_535)
    array = (pixels / pixels.max() * greatest).astype(dtype)
    for picture in (array, array[:, ::-1][:, ::-1], array[:, :, None] if array.ndim == 2 else array):
        assert [code.content for code in decode_all(picture)] == ["hi"]


def test_a_light_code_on_nothing_is_read_from_an_array():
    image = Image.open(BytesIO(generate("pale", foreground="white", background="transparent").to_bytes()))
    assert decode(np.asarray(image.convert("RGBA")) / 255).content == "pale"


def test_an_open_file_is_read_from_its_start(tmp_path):
    path = generate("hi").save(tmp_path / "code.png")
    written = BytesIO()
    with Image.open(path) as picture, path.open("rb") as file:
        picture.save(written, "PNG")
        for source in (written, file, bytearray(path.read_bytes()), memoryview(path.read_bytes())):
            assert decode(source).content == "hi"
            assert check(source, "static").content == "hi"
    blank = tmp_path / "blank.png"
    Image.new("1", (80, 80), 1).save(blank)
    with blank.open("rb") as file, pytest.raises(NoSymbol, match=r"in .*blank\.png"):
        decode(file)


def test_a_pipe_is_read_as_a_file():
    with subprocess.Popen([sys.executable, "-c", WRITER], stdout=subprocess.PIPE) as writer:
        assert decode(writer.stdout).content == "piped"


WRITER = "import sys, qrkit; sys.stdout.buffer.write(qrkit.generate('piped').to_bytes('png'))"


@pytest.mark.parametrize("format", ["AVIF", "ICO"])
def test_formats_that_are_only_read(format):
    file = BytesIO()
    Image.open(BytesIO(generate("hi", size=6).to_bytes())).convert("RGB").save(file, format, sizes=[(174, 174)])
    assert decode(file.getvalue()).content == "hi"


def test_an_svg_is_read_as_other_files_are(tmp_path):
    path = generate("hi").save(tmp_path / "code.svg")
    assert decode(path) == decode(str(path)) == decode(generate("hi").to_bytes())
    assert decode_all(path) == [decode(path)]
    with path.open("rb") as file:
        assert decode(path.read_bytes()) == decode(BytesIO(path.read_bytes())) == decode(file) == decode(path)


def test_a_photo_in_heic_gets_advice(tmp_path):
    (tmp_path / "IMG_1.HEIC").write_bytes(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic")
    with pytest.raises(UnreadableFile, match=r"IMG_1\.HEIC is a HEIC photo, which cannot be read; save it as JPEG"):
        decode(tmp_path / "IMG_1.HEIC")


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("most_side", quick_first([700, None]))
def test_labels_of_a_turned_photo_come_in_reading_order(format, orientation, most_side):
    sheet = Image.new("L", (800, 1200), "white")
    contents = ["one", "two", "three", "four", "five", "six"]
    for number, content in enumerate(contents):
        image = Image.open(BytesIO(generate(content).to_bytes()))
        sheet.paste(image, (number % 2 * 400, number // 2 * 400))
    exif, file = Image.Exif(), BytesIO()
    exif[0x0112] = {6: 8, 8: 6}.get(orientation, orientation)  # turned back by the camera
    turned = ImageOps.exif_transpose(with_exif(sheet, exif))
    exif[0x0112] = orientation
    turned.convert("RGB").save(file, format, exif=exif)
    found = decode_all(file.getvalue(), most_side=most_side)
    assert [code.content for code in found] == contents
    assert [code.content for code in decode_all(Image.open(file), most_side=most_side)] == contents


def with_exif(picture: Image.Image, exif: Image.Exif) -> Image.Image:
    picture = picture.copy()
    picture.info["exif"] = exif.tobytes()
    return picture


def test_a_mirrored_photo_is_checked_as_a_person_sees_it():
    image = ImageOps.mirror(Image.open(BytesIO(generate("https://example.com").to_bytes())).convert("RGB"))
    exif, file = Image.Exif(), BytesIO()
    exif[0x0112] = 2
    image.save(file, "JPEG", exif=exif, quality=95)
    assert check(file.getvalue(), "static").verdict == "robust"


@pytest.mark.slow
@pytest.mark.parametrize("size", [(8160, 6144), (12_000, 10_000)])
def test_a_photo_of_many_megapixels_is_read(size):
    photo = Image.new("L", size, 210)
    code = Image.open(BytesIO(generate("https://example.com").to_bytes())).convert("L").resize((900, 900))
    photo.paste(code, (4_000, 3_000))
    file = BytesIO()
    photo.save(file, "JPEG")
    assert decode(file.getvalue()).content == "https://example.com"
    assert check(file.getvalue(), "static").content == "https://example.com"


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pillow warns of what is broken but can be skipped
@pytest.mark.parametrize("format", RASTERS)
def test_a_damaged_picture_is_read_or_refused_but_never_breaks_the_reader(format):
    source = generate("hello", size=2, foreground="#80B00000", background="transparent").to_bytes(format)
    chance = random.Random(format)
    for _ in range(150):
        data = bytearray(source)
        for _ in range(chance.choice((1, 2, 6))):
            data[chance.randrange(min(len(data), chance.choice((40, 200, 10_000))))] = chance.randrange(256)
        try:
            content = decode(bytes(data[: chance.choice((None, None, chance.randrange(len(data))))])).content
        except QrkitError as error:
            assert status_of(error) == 400
        else:
            assert content == "hello"


def test_a_file_is_named_when_it_is_no_picture_or_has_no_code(tmp_path):
    text, blank = tmp_path / "letter.txt", tmp_path / "blank.png"
    text.write_text("hello")
    Image.new("1", (80, 80), 1).save(blank)
    with pytest.raises(UnreadableFile, match=r"letter\.txt is not a picture"):
        decode(text)
    with pytest.raises(NoSymbol, match=r"in .*blank\.png"):
        decode(str(blank))


def finders(side):
    """A picture full of finder patterns, on which a reader looks for symbols between any three of them."""
    tile = Image.new("L", (9, 9), "white")
    for y in range(7):
        for x in range(7):
            tile.putpixel((x + 1, y + 1), 255 if max(abs(x - 3), abs(y - 3)) == 2 else 0)
    picture = Image.new("L", (side, side))
    for y in range(0, side, 9):
        for x in range(0, side, 9):
            picture.paste(tile, (x, y))
    return picture


def test_a_picture_is_made_smaller_before_it_is_read_where_that_is_asked_for():
    with pytest.raises(NoSymbol):
        decode(finders(4_500), most_side=300)  # as it is, it would take hours


@pytest.mark.parametrize("background", quick_first(["white", "transparent"]))
def test_a_large_picture_is_read_as_well_when_it_is_made_smaller(background):
    image = generate("hello", size=20, padding=20, background=background)
    large = Image.open(BytesIO(image.to_bytes("png"))).resize((6_000, 6_000))
    assert decode(large, most_side=1_600).content == "hello"


def test_all_codes_of_a_picture_are_read_from_top_to_bottom_then_from_left_to_right():
    sheet = Image.new("L", (1200, 800), "white")
    contents = ["one", "two", "three", "four", "five", "six"]
    for number, content in enumerate(contents):
        image = Image.open(BytesIO(generate(content).to_bytes()))
        sheet.paste(image, (number % 3 * 400, number // 3 * 400))
    found = decode_all(sheet)
    assert [one.content for one in found] == contents
    assert found[0] == decode(generate("one").to_bytes())
    assert decode(sheet) in found


def test_a_picture_without_any_is_refused_in_the_same_words(tmp_path):
    Image.new("L", (90, 90), "white").save(tmp_path / "empty.png")
    told = []
    for read in (decode, decode_all):
        with pytest.raises(NoSymbol) as caught:
            read(tmp_path / "empty.png")
        told.append(str(caught.value))
    assert told[0] == told[1]
    with pytest.raises(UnreadableFile):
        decode_all(b"no picture")


# ---- pictures that one look at one reader's answer would miss


def labels(count: int, pixels: int) -> tuple[Image.Image, list[str]]:
    """A sheet of labels, and what they say."""
    contents = [f"https://example.com/label/{number:03d}" for number in range(count)]
    codes = [Image.open(BytesIO(generate(content, size=pixels).to_bytes())).convert("L") for content in contents]
    across, side = round(count**0.5), codes[0].width
    sheet = Image.new("L", (across * side, across * side), "white")
    for number, code in enumerate(codes):
        sheet.paste(code, (number % across * side, number // across * side))
    return sheet, contents


@pytest.mark.parametrize(("count", "pixels"), [(100, 4), (100, 6), (144, 4)])
def test_every_label_of_a_sheet_is_read_and_each_once(count, pixels):
    sheet, contents = labels(count, pixels)
    assert [code.content for code in decode_all(sheet)] == contents


def test_labels_with_the_same_content_are_told_one_by_one():
    code = Image.open(BytesIO(generate("same").to_bytes())).convert("L")
    sheet = Image.new("L", (3 * code.width, code.height), "white")
    for number in range(3):
        sheet.paste(code, (number * code.width, 0))
    assert [found.content for found in decode_all(sheet)] == ["same"] * 3


def test_what_only_the_second_reader_sees_is_told_in_full():
    """As the first reader would tell it, whatever charset the symbol names."""
    drawn_codes = [Image.open(BytesIO(drawn(segno.make_qr("grün", encoding="iso-8859-1")))).convert("L")] * 81
    side = drawn_codes[0].width
    sheet = Image.new("L", (9 * side, 9 * side), "white")
    for number, code in enumerate(drawn_codes):
        sheet.paste(code, (number % 9 * side, number // 9 * side))
    found = decode_all(sheet)
    assert (len(found), {code.content for code in found}) == (81, {"grün"})
    assert set(found) == {decode(drawn_codes[0])}


@pytest.mark.parametrize("place", [(0, 0), (60, 35)])
def test_a_symbol_without_a_quiet_zone_on_a_dark_page_is_read(place):
    code = Image.open(BytesIO(generate("https://example.com/dark", padding=0).to_bytes())).convert("L")
    page = Image.new("L", (code.width + 2 * place[0], code.height + 2 * place[1]), 30)
    page.paste(code, place)
    assert decode(page).content == "https://example.com/dark"
    assert [found.content for found in decode_all(page)] == ["https://example.com/dark"]


def test_a_code_on_a_dark_page_is_read_beside_others():
    page = Image.new("L", (700, 400), 30)
    for text, padding, place in (("plain", 4, (10, 10)), ("dark", 0, (400, 100))):
        page.paste(Image.open(BytesIO(generate(text, padding=padding).to_bytes())).convert("L"), place)
    assert [code.content for code in decode_all(page)] == ["plain", "dark"]


def bent_print(bend: float, side: int) -> Image.Image:
    """A small photo of a bent print on a dark table."""
    image = generate("Google Print Ads - T.G.I.A.F.", ec="L", size=6)
    page = Image.new("L", (image.width + 120, image.height + 120), 20)
    page.paste(Image.open(BytesIO(image.to_bytes())).convert("L"), (60, 60))
    y, x = np.mgrid[0 : page.height, 0 : page.width]
    across, down = x + bend * np.sin(np.pi * y / page.height), y + bend * np.sin(np.pi * x / page.width)
    inside = (part.round().astype(int).clip(0, page.width - 1) for part in (down, across))
    return Image.fromarray(np.asarray(page)[tuple(inside)]).resize((side, side))


@pytest.mark.parametrize(("bend", "side"), [(12.5, 180), (13, 240), (14, 280), (14.5, 200), (14.75, 320)])
def test_a_bent_print_takes_a_last_look(bend, side):
    photo = bent_print(bend, side)
    assert decode(photo).content == "Google Print Ads - T.G.I.A.F."
    assert [code.content for code in decode_all(photo)] == ["Google Print Ads - T.G.I.A.F."]


@pytest.mark.parametrize("waves", [4, 5])
def test_a_code_in_wavy_light_is_read(waves):
    """Ripples, folds and reflections make paper here as dark as ink there."""
    code = np.asarray(Image.open(BytesIO(generate("wavy", size=6).to_bytes())).convert("L"))
    along = np.sin(np.linspace(0, waves * np.pi, len(code)))
    light = 120 + 80 * np.outer(along, along)
    assert decode(Image.fromarray((light + code * 0.2).astype(np.uint8))).content == "wavy"


def test_hot_pixels_of_a_sensor_do_not_hide_a_code():
    code = np.asarray(Image.open(BytesIO(generate("hot").to_bytes())).convert("L"))
    greys = np.where(code > 127, 9_000, 3_000).astype(np.uint16)
    greys[3, 5] = greys[200, 7] = 65_535
    greys[11, 120] = 0
    assert decode(Image.fromarray(greys)).content == "hot"


@pytest.mark.parametrize("foreground", ["white", "#F4F1E4"])
def test_a_light_code_on_nothing_is_read(foreground):
    image = generate("pale", foreground=foreground, background="transparent")
    for format in ("png", "gif", "webp"):
        assert decode(image.to_bytes(format)).content == "pale"
        assert [code.content for code in decode_all(image.to_bytes(format))] == ["pale"]


@pytest.mark.parametrize("format", ["GIF", "TIFF", "WEBP"])
def test_codes_of_all_frames_are_read(format):
    blank = Image.new("L", (232, 232), "white")
    frames = [blank, *(Image.open(BytesIO(generate(text).to_bytes())).convert("L") for text in ("one", "one", "two"))]
    file = BytesIO()
    frames[0].save(file, format, save_all=True, append_images=frames[1:])
    assert decode(file.getvalue()).content == "one"
    assert [code.content for code in decode_all(file.getvalue())] == ["one", "two"]


def test_no_more_than_so_many_frames_are_looked_at():
    blank = [Image.new("L", (232, 232), 255 - number) for number in range(MOST_FRAMES)]
    code = Image.open(BytesIO(generate("late").to_bytes())).convert("L")
    for frames, is_read in (([*blank[1:], code], True), ([*blank, code], False)):
        file = BytesIO()
        frames[0].save(file, "TIFF", save_all=True, append_images=frames[1:])
        if is_read:
            assert decode(file.getvalue()).content == "late"
        else:
            with pytest.raises(NoSymbol):
                decode(file.getvalue())


@pytest.mark.parametrize(("count", "version"), [(2, None), (3, None), (16, None), (2, 7), (3, 14)])
def test_a_part_of_a_message_says_which_one_it_is(count, version):
    how = {"version": version} if version else {"symbol_count": count}
    text = "a message in several symbols " * (count * 4 if version is None else {7: 8, 14: 30}[version])
    codes = segno.make_sequence(text, **how, error="m", boost_error=False)
    found = [decode(drawn(code)) for code in codes]
    assert [(one.part.number, one.part.of) for one in found] == [(at, len(codes)) for at in range(1, len(codes) + 1)]
    assert "".join(one.content for one in found) == text
    assert found[0].as_dict()["part"] == {"number": 1, "of": len(codes), "parity": reduce(xor, text.encode())}


@given(st.text(min_size=1, max_size=200), st.sampled_from("LMQH"), st.sampled_from(["byte", "auto"]))
@settings(max_examples=60)
def test_a_whole_message_is_no_part(text, ec, em):
    found = decode(generate(text, ec=ec, em=em, size=3).to_bytes())
    assert found.part is None
    assert "part" not in found.as_dict()


def test_a_picture_is_read_without_pydantic(tmp_path):
    """Programs that only read start in less time."""
    path = generate("https://example.com").save(tmp_path / "code.png")
    program = f"import sys, qrkit; print(qrkit.decode({str(path)!r}).content, 'pydantic' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert ran.stdout == "https://example.com False\n"


class Pipe(BytesIO):
    """A file of which a read can take as long as another thread takes for something else."""

    meanwhile = None

    def read(self, size=-1):
        if self.meanwhile:
            thread, self.meanwhile = self.meanwhile, None
            thread.start()
            thread.join(10)
            assert not thread.is_alive()
        return super().read(size)


def test_a_tiff_that_is_read_slowly_keeps_no_other_picture_waiting():
    picture, found = generate("x"), []
    file = Pipe(picture.to_bytes("tif"))
    slow = Image.open(file)
    assert slow.n_frames == 1
    file.meanwhile = threading.Thread(target=lambda: found.append(decode(picture.to_bytes("png")).content), daemon=True)
    assert decode(slow).content == "x"
    assert found == ["x"]


def grays_of(content: str) -> np.ndarray:
    return np.asarray(Image.open(BytesIO(generate(content).to_bytes())).convert("L"))


def test_a_photo_with_damaged_exif_is_read_as_it_is():
    file = BytesIO()
    Image.fromarray(grays_of("hi")).save(file, "WEBP", exif=b"Exif\0\0no TIFF")
    assert decode(file.getvalue()).content == "hi"


def test_the_lightness_of_lab_is_read():
    lightness = Image.fromarray(grays_of("hi"))
    picture, file = Image.merge("LAB", (lightness, *[Image.new("L", lightness.size)] * 2)), BytesIO()
    picture.save(file, "TIFF")
    for source in (picture, file.getvalue()):
        assert decode(source).content == "hi"
        assert check(source, "static").verdict == "robust"


def test_white_is_zero_in_a_tiff_of_16_bits_that_says_so():
    file = BytesIO()
    negative = Image.fromarray(((255 - grays_of("hi")) * np.uint16(257)).astype(np.uint16))
    negative.save(file, "TIFF", tiffinfo={262: 0})
    assert check(file.getvalue(), "static").verdict == "robust"


@pytest.mark.parametrize(
    "array",
    [
        (grays_of("hi") > 0).astype(np.uint8),
        np.dstack([(grays_of("hi") > 0).astype(np.uint8)] * 3),
        np.where(grays_of("hi") > 0, np.inf, 0.0),
        np.where(grays_of("hi") > 0, 7.5, np.nan),
        np.where(grays_of("hi") > 0, 1.0, -np.inf),
        np.where(grays_of("hi") > 0, np.inf, -np.inf),
        np.dstack([np.where(grays_of("hi") > 0, 200.0, -np.inf)] * 3),
    ],
    ids=[
        "0 and 1",
        "0 and 1 of colors",
        "infinite",
        "not a number",
        "minus infinity",
        "both infinite",
        "minus infinity in colors",
    ],
)
def test_an_array_of_two_values_is_read(array):
    assert decode(array).content == "hi"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf", "is a damaged avif, perhaps cut off"),
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf", "is a damaged avif, perhaps cut off"),
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1heicavif", "is a HEIC photo"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1miaf", "is a HEIC photo"),
    ],
)
def test_a_damaged_avif_is_not_called_heic(data, words):
    with pytest.raises(UnreadableFile, match=words):
        decode(data)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\x1b[7m██▀▄\n" * 40, "is a text, not a path"),
        (' <svg xmlns="http://www.w3.org/2000/svg"/>', "or the bytes of an SVG"),
        ("data:image/png;base64,iVBORw0KGgo=", "give the bytes that it holds"),
        ("DATA:image/png;base64,iVBORw0KGgo=", "give the bytes that it holds"),
        ("HTTPS://EXAMPLE.COM/A.PNG", "is a URL, and nothing is downloaded"),
        ("", "is empty; give the path of a picture"),
    ],
    ids=["letters", "svg", "data", "capital-data", "capital-url", "empty"],
)
@pytest.mark.parametrize("read", [decode, decode_all, check])
def test_a_text_that_is_no_path_is_cut_short_with_advice(read, text, words):
    with pytest.raises(InvalidParameter, match=words) as caught:
        read(text)
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()


def test_an_image_that_was_cut_off_is_not_called_empty():
    data = generate("hi").to_bytes()
    with pytest.raises(UnreadableFile, match="this is damaged, perhaps cut off; load it again"):
        decode(Image.open(BytesIO(data[: len(data) // 2])))
