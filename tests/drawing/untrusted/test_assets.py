import logging
import re
import struct
import zlib
from base64 import b64encode
from functools import cache
from io import BytesIO
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageCms, PngImagePlugin

from qrkit import Design, Layer, Photo, generate
from qrkit.design.outline import Outline
from qrkit.drawing.scene import Bitmap, Drawing
from qrkit.drawing.untrusted import assets
from qrkit.drawing.untrusted.assets import data_uri, media_type, read_asset, read_assets
from qrkit.drawing.untrusted.fetching import Fetcher
from qrkit.errors import AssetError, Problem, RemoteContentDisabled, UnreadableFile
from tests.sweeps import quick_first

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 4"><path d="M0 0h8v4z"/></svg>'
ADDRESS = "https://images.example.com/a.png"
PART = "sprites.0.content"


def encoded(picture: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    file = BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def drawn(width: int = 4, height: int = 3, mode: str = "RGB", color: object = "red") -> Image.Image:
    return Image.new(mode, (width, height), color)


PNG = encoded(drawn())
JPEG = encoded(drawn(), "JPEG")


def uri(data: bytes | str, kind: str = "image/png") -> str:
    data = data.encode() if isinstance(data, str) else data
    return f"data:{kind};base64,{b64encode(data).decode()}"


def read(content: str) -> Bitmap | Drawing | Outline:
    return read_asset(content, part=PART)


def pixels(asset: object) -> Image.Image:
    assert isinstance(asset, Bitmap)
    picture = Image.open(BytesIO(asset.png), formats=("PNG",))
    assert picture.size == (asset.width, asset.height)
    return picture


def problem(content: str, fetch: assets.Fetch | None = None) -> Problem:
    with pytest.raises(AssetError) as caught:
        read_asset(content, fetch=fetch, part=PART)
    [found] = caught.value.problems
    assert found.name == PART
    return found


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png_of_size(width: int, height: int, rows: bytes = b"", *more: bytes) -> bytes:
    """A PNG that says it is this large."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"".join([b"\x89PNG\r\n\x1a\n", header, *more, chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")])


# ---- what is taken


@pytest.mark.rule("G20")
@pytest.mark.parametrize(
    "content",
    [
        uri(PNG),
        uri(PNG, "image/jpeg"),
        uri(PNG, "IMAGE/PNG").replace("data", "DATA").replace("base64", "Base64"),
        uri(PNG).rstrip("="),
        uri(PNG) + "==",
        uri(PNG).replace(",", ", \r\n\t").replace("A", "A \n"),
        uri(PNG).replace("+", "%2B").replace("/", "%2F").replace("=", "%3D").replace("image%2F", "image/"),
        uri(PNG, "image/png;name=logo.png"),
        "data:image/png," + quote(PNG),
    ],
)
def test_png_is_read_from_a_data_uri(content):
    asset = read(content)
    assert (asset.width, asset.height) == (4, 3)
    assert pixels(asset).getpixel((0, 0)) == (255, 0, 0)


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "AVIF", "BMP", "TIFF", "ICO"])
@pytest.mark.parametrize("name", ["image/webp", "image/vnd.microsoft.icon", "image/png"])
def test_other_formats_become_png(kind, name):
    sent = encoded(drawn(16, 16, color=(255, 0, 0)), kind)
    found = pixels(read(uri(sent, name)))
    assert (found.format, found.size) == ("PNG", (16, 16))
    assert np.allclose(found.getpixel((0, 0))[:3], (255, 0, 0), atol=4)


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "AVIF", "TIFF", "PNG"])
def test_the_first_frame_is_drawn(kind):
    sent = encoded(drawn(16, 16), kind, save_all=True, append_images=[drawn(16, 16, color="blue")])
    red, _, blue = pixels(read(uri(sent))).convert("RGB").getpixel((8, 8))
    assert red > 250
    assert blue < 5


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "AVIF", "TIFF", "ICO"])
def test_transparency_of_other_formats_is_kept(kind):
    picture = drawn(32, 32, "RGBA", (0, 0, 0, 0))
    picture.paste("red", (0, 0, 16, 32))
    found = pixels(read(uri(encoded(picture, kind)))).convert("RGBA")
    assert [found.getpixel((x, 16))[3] for x in (4, 28)] == [255, 0]


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "is a HEIC photo, which cannot be read; save it as JPEG"),
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1heicmiaf", "save it as JPEG"),
        (b"%PDF-1.4", "save it as png"),
        (b"\xff\x0a\xfa", "save it as png or jpg"),
        (b"8BPS\0\1", "save it as png"),
        (b"hello", "is not a picture of the formats png, jpg, bmp, tif, gif, webp, avif, ico, svg"),
    ],
)
def test_other_kinds_of_files_get_advice(data, advice):
    assert advice in problem(uri(data)).rule
    with pytest.raises(UnreadableFile, match=re.escape(advice)):
        data_uri(data)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF"])
def test_large_pictures_are_reduced(kind):
    picture = drawn(10_000, 9_900, "L", 200)
    picture.paste(20, (0, 0, 5_000, 4_950))
    exif = Image.Exif()
    exif[0x0112] = 6
    asset = read(uri(encoded(picture, kind, exif=exif)))
    assert asset.width * asset.height == pytest.approx(4096**2, rel=0.001)
    assert asset.width / asset.height == pytest.approx(10_000 / 9_900 if kind == "GIF" else 9_900 / 10_000, rel=0.001)
    found = pixels(asset).convert("L")
    corners = [found.getpixel((x, y)) for x in (9, found.width - 9) for y in (9, found.height - 9)]
    assert np.allclose(corners, [20, 200, 200, 200] if kind == "GIF" else [200, 200, 20, 200], atol=3)


@pytest.mark.parametrize(("width", "height"), [(20_000, 4), (3, 9_000)])
def test_long_pictures_are_reduced(width, height):
    asset = read(uri(encoded(drawn(width, height))))
    assert max(asset.width, asset.height) == 8192


@pytest.mark.parametrize("kind", ["image/jpeg", "image/jpg", "image/png"])
def test_jpeg_becomes_png(kind):
    assert pixels(read(uri(JPEG, kind))).getpixel((0, 0)) == (254, 0, 0)


@pytest.mark.parametrize(
    "content",
    [
        uri(SVG, "image/svg+xml"),
        uri(SVG, "image/svg"),
        uri(SVG, "image/png"),
        uri("\ufeff<?xml version='1.0'?><!-- by hand -->" + SVG, "image/svg+xml"),
        uri(SVG.encode("utf-16"), "image/svg+xml"),
        "data:image/svg+xml," + quote(SVG),
        "data:image/svg+xml;utf8," + SVG,
        "data:image/svg+xml;charset=utf-8," + SVG.replace("<", "%3C").replace(">", "%3e"),
        'data:image/svg+xml;charset="utf-8",' + quote(SVG, safe=""),
    ],
)
def test_svg_is_read_from_a_data_uri(content):
    drawing = read(content)
    assert (drawing.markup, drawing.box) == ('<path d="M0 0h8v4z"/>', (0, 0, 8, 4))


@pytest.mark.rule("G14")
def test_an_icon_is_read_by_its_name():
    """Open: which icons there are. Those of one collection, by their names there; a wrong name is told near ones."""
    assert isinstance(read("icon:heart"), Outline)
    found = problem("icon:hearts")
    assert "'heart'" in found.rule
    assert problem("icon:" + "x" * 100_000).code == found.code
    assert problem("icon:../../etc/passwd").code == found.code


# ---- how pixels come out


def test_everything_but_the_pixels_is_stripped():
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Comment", "<script>secret</script>")
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    exif = Image.Exif()
    exif[0x010E] = "secret"
    options = {"pnginfo": notes, "icc_profile": profile, "exif": exif, "dpi": (72, 72)}
    sent = encoded(drawn(), **options) + b"<script>secret</script>"
    png = read(uri(sent)).png
    assert png == read(uri(PNG)).png
    names = [png[start + 4 : start + 8] for start in chunk_starts(png)]
    assert names == [b"IHDR", b"IDAT", b"IEND"]


@pytest.mark.parametrize(("kind", "mode"), [("PNG", "RGB"), ("PNG", "RGBA"), ("JPEG", "RGB"), ("WEBP", "RGB")])
def test_colors_are_those_of_the_profile(kind, mode):
    """With a profile whose red is the green of sRGB, red is drawn green."""
    profile = (
        ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes().replace(b"\0s\0R\0G\0B", b"\0s\0G\0R\0B")
    )
    swapped = profile.replace(b"rXYZ", b"....").replace(b"gXYZ", b"rXYZ").replace(b"....", b"gXYZ")
    found = pixels(read(uri(encoded(drawn(32, 32).convert(mode), kind, icc_profile=swapped))))
    assert found.mode == mode
    assert np.allclose(found.convert("RGB").getpixel((9, 9)), (0, 255, 0), atol=4)


@pytest.mark.parametrize(("mode", "color"), [("L", 100), ("LA", (100, 9)), ("P", 1)])
def test_a_profile_for_other_pixels_changes_no_colors(mode, color):
    picture = drawn(mode=mode, color=color)
    profile = (
        ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes().replace(b"\0s\0R\0G\0B", b"\0s\0G\0R\0B")
    )
    found = pixels(read(uri(encoded(picture, icc_profile=profile))))
    assert found.getpixel((1, 1)) == picture.convert(found.mode).getpixel((1, 1))


@pytest.mark.parametrize("profile", [b"damaged", ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()])
def test_a_profile_that_cannot_be_used_changes_no_colors(profile):
    assert pixels(read(uri(encoded(drawn(), icc_profile=profile)))).getpixel((0, 0)) == (255, 0, 0)


def chunk_starts(png: bytes) -> list[int]:
    starts = [8]
    while (end := starts[-1] + 12 + int.from_bytes(png[starts[-1] : starts[-1] + 4], "big")) < len(png):
        starts.append(end)
    assert end == len(png)
    return starts


def test_a_comment_in_jpeg_is_stripped():
    exif = Image.Exif()
    exif[0x010E] = "secret"
    sent = encoded(drawn(), "JPEG", comment=b"secret", exif=exif) + b"PK\x03\x04secret"
    assert b"secret" in sent
    assert b"secret" not in read(uri(sent)).png


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_are_turned_as_the_camera_says(orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = drawn(4, 2, color="white")
    asset = read(uri(encoded(picture, "JPEG", exif=exif)))
    assert (asset.width, asset.height) == ((4, 2) if orientation < 5 else (2, 4))


@pytest.mark.parametrize(
    ("picture", "mode", "color"),
    [
        (drawn(mode="1", color=1), "RGB", (255, 255, 255)),
        (drawn(mode="L", color=7), "RGB", (7, 7, 7)),
        (drawn(mode="LA", color=(7, 9)), "RGBA", (7, 7, 7, 9)),
        (drawn(mode="RGBA", color=(1, 2, 3, 4)), "RGBA", (1, 2, 3, 4)),
        (drawn(mode="RGB", color=(1, 2, 3)).convert("P", palette=Image.Palette.ADAPTIVE), "RGB", (1, 2, 3)),
        (drawn(mode="I;16", color=0x8000), "RGB", (128, 128, 128)),
        (drawn(mode="I;16", color=0xFFFF), "RGB", (255, 255, 255)),
    ],
    ids=lambda value: getattr(value, "mode", ""),
)
def test_every_kind_of_png_keeps_its_colours(picture, mode, color):
    found = pixels(read(uri(encoded(picture))))
    assert (found.mode, found.getpixel((1, 1))) == (mode, color)


def test_a_transparent_colour_stays_transparent():
    sent = encoded(drawn(color=(1, 2, 3)), transparency=(1, 2, 3))
    assert pixels(read(uri(sent))).getpixel((0, 0))[3] == 0
    palette = drawn(mode="P", color=1)
    palette.putpalette([1, 2, 3, 4, 5, 6])
    assert pixels(read(uri(encoded(palette, transparency=b"\xff\x40")))).getpixel((0, 0))[3] == 0x40


def test_jpeg_for_print_is_converted():
    found = pixels(read(uri(encoded(drawn(mode="CMYK", color=(0, 0, 0, 0)), "JPEG"))))
    assert (found.mode, found.getpixel((0, 0))) == ("RGB", (255, 255, 255))


def test_the_same_picture_gives_the_same_bytes_and_is_decoded_once(monkeypatch):
    content = uri(encoded(drawn(5, 5)))
    first = read(content)
    monkeypatch.setattr(Image, "open", None)
    assert read(content) is first
    assert read(content.replace(",", ",\n")) is first


# ---- what is refused


@pytest.mark.parametrize(
    "content",
    [
        "",
        "heart",
        "logo.png",
        "/etc/passwd",
        "file:///etc/passwd",
        "ftp://example.com/a.png",
        "javascript:alert(1)",
        "//example.com/a.png",
        "icon",
        " data:image/png;base64,AAAA",
        SVG,
        b64encode(PNG).decode(),
        "\x00",
        "\ud800",
    ],
    ids=lambda content: ascii(content)[:30],
)
@pytest.mark.rule("G20")
def test_what_is_neither_data_icon_nor_address_is_told_what_is_allowed(content):
    found = problem(content)
    assert found.code == "bad-value"
    assert all(word in found.rule for word in ("data:image/png;base64,", "icon:", "https://"))


@pytest.mark.parametrize(
    "content",
    [
        "data:",
        "data:,",
        "data:text/html;base64,AAAA",
        "data:image/;base64,AAAA",
        "data:image/svg+xml",
        "data:imagex/png;base64,AAAA",
        "data:application/octet-stream;base64,AAAA",
        "data:image/png;base64,",
        "data:image/png;base64,====",
        "data:image/png;base64,A",
        "data:image/png;base64,AA=A",
        "data:image/png;base64,A*AA",
        "data:image/png;base64,\u00e4\u00f6\u00fc",
        "data:image/png;base64,%ff%00",
        "data:image/png,\ud800",
        "data:image/svg+xml,",
    ],
    ids=lambda content: ascii(content)[:60],
)
def test_a_data_uri_that_cannot_be_read_is_refused(content):
    assert problem(content).code == "bad-data-uri"


BAD_PICTURES = {
    "HEIC": b"\0\0\0\x18ftypheic\0\0\0\0mif1heic",
    "PPM": encoded(drawn(), "PPM"),
    "TGA": encoded(drawn(), "TGA"),
    "PCX": encoded(drawn(), "PCX"),
    "JPEG 2000": encoded(drawn(), "JPEG2000"),
    "TIFF of 32 bits": encoded(drawn(mode="F", color=0.5), "TIFF"),
    "EPS": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
    "PDF": b"%PDF-1.4",
    "html": b"<!doctype html><html><script>alert(1)</script></html>",
    "html with svg": f"<!doctype html><html>{SVG}</html>".encode(),
    "zip": b"PK\x03\x04",
    "text": b"hello",
    "zero bytes": bytes(99),
    "PNG signature alone": PNG[:8],
    "PNG without pixels": PNG[:40],
    "PNG cut off": encoded(drawn(300, 300).effect_spread(9))[:-200],
    "PNG with a wrong checksum": PNG.replace(b"IDAT", b"IDAX"),
    "PNG of no width": png_of_size(0, 9),
    "JPEG signature alone": JPEG[:3],
    "JPEG cut off": encoded(Image.effect_noise((300, 300), 90), "JPEG")[:-3000],
    "svg that is refused": b"<svg xmlns='http://www.w3.org/2000/svg'><image/></svg>",
    "svg that names a file": b"<!DOCTYPE svg [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>"
    + SVG.replace("</svg>", "&a;</svg>").encode(),
}


@pytest.mark.parametrize("data", BAD_PICTURES.values(), ids=BAD_PICTURES)
@pytest.mark.parametrize("kind", ["image/png", "image/jpeg", "image/svg+xml"])
def test_other_files_are_refused_whatever_they_call_themselves(data, kind):
    assert problem(uri(data, kind)).code == "bad-image"


@cache
def endless() -> bytes:
    return b"k\0\0" + zlib.compress(bytes(200 * 2**20))


@pytest.mark.parametrize(("name", "end"), [(b"zTXt", None), (b"iCCP", -30)], ids=["text", "profile"])
@pytest.mark.parametrize("kind", ["image/png", "image/jpeg", "image/svg+xml"])
def test_compressed_text_or_a_profile_that_is_endless_is_refused(name, end, kind):
    assert problem(uri(png_of_size(1, 1, bytes(2), chunk(name, endless()))[:end], kind)).code == "bad-image"


@pytest.mark.parametrize(("width", "height"), [(30_000, 30_000), (10_001, 10_000), (65_536, 1), (2**31 - 1, 1)])
def test_a_picture_of_too_many_pixels_is_refused(width, height):
    found = problem(uri(png_of_size(width, height)))
    assert (found.code, found.rule) == (
        "image-too-large",
        "is too large: a picture may have 100,000,000 pixels, and 65,535 a side",
    )


def test_a_picture_of_too_many_bytes_is_refused():
    assert problem(uri(PNG + bytes(40 * 2**20))).code == "image-too-large"
    assert problem("data:image/svg+xml," + quote(SVG) + " " * 2**22).code == "image-too-large"


def test_the_largest_picture_is_taken():
    asset = read(uri(encoded(drawn(8192, 2048, "1", 1))))
    assert (asset.width, asset.height) == (8192, 2048)


@given(st.data())
def test_slips_in_a_picture_give_a_picture_or_a_refusal(data):
    good = bytearray(data.draw(st.sampled_from([PNG, JPEG, encoded(drawn(mode="P", color=1), transparency=b"ab")])))
    for _ in range(data.draw(st.integers(1, 4))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    try:
        asset = read(uri(bytes(good[: data.draw(st.integers(1, len(good)))])))
    except AssetError as error:
        assert error.code in ("bad-image", "image-too-large")
    else:
        assert pixels(asset).mode in ("RGB", "RGBA")


@given(st.text() | st.text().map("data:image/png;base64,".__add__) | st.text().map("data:image/svg+xml,".__add__))
def test_whatever_text_comes_in_only_our_errors_come_out(content):
    try:
        read(content)
    except (AssetError, RemoteContentDisabled) as error:
        assert PART in str(error)


# ---- addresses


@pytest.mark.parametrize("address", [ADDRESS, "http://images.example.com/a.png", "HTTPS://x", "https://"])
@pytest.mark.rule("G20")
def test_nothing_is_fetched_by_default(address):
    """Open: pictures by address. None is fetched unless someone says with what."""
    with pytest.raises(RemoteContentDisabled, match=PART):
        read(address)
    with pytest.raises(RemoteContentDisabled, match=r"layers\.0"):
        read_assets({"sprites.0": uri(b"bad"), "layers.0": address, "layers.1": address})


@pytest.mark.rule("G20")
def test_an_address_is_read_with_what_the_caller_passes():
    asked = []

    def fetch(url: str) -> bytes:
        asked.append(url)
        return PNG

    assert read_asset(ADDRESS, fetch=fetch, part=PART) is read(uri(PNG))
    assert asked == [ADDRESS]


@pytest.mark.parametrize("data", BAD_PICTURES.values(), ids=BAD_PICTURES)
@pytest.mark.rule("G20")
def test_whatever_is_wrong_with_an_address_looks_the_same(data, caplog):
    caplog.set_level(logging.INFO, "qrkit")
    secret = f"{ADDRESS}?key=secret"

    def fail(url: str) -> bytes:
        raise TimeoutError("timed out")

    found = problem(secret, lambda url: data)
    assert found == problem(secret, fail) == problem(secret, Fetcher())
    assert found == problem(secret, lambda url: png_of_size(9_999, 9_999))
    assert found.code == "remote-content-unavailable"
    assert "timed out" in caplog.text
    assert "secret" not in caplog.text + str(found)


# ---- all pictures of a design


def test_all_pictures_are_read_and_equal_ones_once():
    asked = []

    def fetch(url: str) -> bytes:
        asked.append(url)
        return JPEG

    contents = {"a": uri(PNG), "b": ADDRESS, "c": uri(PNG), "d": ADDRESS, "e": "icon:heart"}
    found = read_assets(contents, fetch)
    assert list(found) == list(contents)
    assert found["a"] is found["c"]
    assert asked == [ADDRESS]


def test_all_that_is_wrong_is_told_at_once():
    asked = []

    def fetch(url: str) -> bytes:
        asked.append(url)
        raise OSError

    contents = {
        "sprites.0.content": "x",
        "sprites.1.content": uri(PNG),
        "layers.0.source": uri(b"bad"),
        "layers.1.source": "x",
        "layers.2.source": ADDRESS,
        "layers.3.source": ADDRESS,
        "wrapper.source": "icon:hearts",
    }
    with pytest.raises(AssetError) as caught:
        read_assets(contents, fetch)
    assert [(one.name, one.code) for one in caught.value.problems[:-1]] == [
        ("sprites.0.content", "bad-value"),
        ("layers.0.source", "bad-image"),
        ("layers.1.source", "bad-value"),
        ("layers.2.source", "remote-content-unavailable"),
        ("layers.3.source", "remote-content-unavailable"),
    ]
    assert caught.value.problems[-1].name == "wrapper.source"
    assert asked == [ADDRESS]


@pytest.mark.rule("G20")
def test_a_fifth_address_is_refused_before_anything_is_fetched():
    contents = {f"layers.{number}": f"{ADDRESS}?{number % 6}" for number in range(12)}
    with pytest.raises(AssetError) as caught:
        read_assets(contents, lambda url: pytest.fail("fetched"))
    assert [one.name for one in caught.value.problems] == ["layers.4", "layers.5"]
    few = {name: content for name, content in contents.items() if content[-1] in "0123"}
    assert len(read_assets(few, lambda url: PNG)) == 8


@pytest.mark.slow
def test_all_pictures_together_have_a_limit_of_bytes():
    def padded(number: int) -> str:
        return uri(encoded(drawn(number + 1, 1)) + bytes(20 * 2**20 - 500))

    contents = {f"layers.{number}": padded(number) for number in range(5)}
    with pytest.raises(AssetError) as caught:
        read_assets(contents)
    assert [(one.name, one.code) for one in caught.value.problems] == [("layers.4", "image-too-large")]
    assert len(read_assets(dict.fromkeys(contents, contents["layers.0"]))) == 5


@pytest.mark.parametrize("known", quick_first([False, True]), ids=["new", "decoded before"])
def test_all_pictures_together_have_a_limit_of_pixels(known):
    contents = {f"layers.{number}": uri(encoded(drawn(4096, 4096 - number, "1"))) for number in range(3)}
    if known:
        for content in contents.values():
            read(content)
    with pytest.raises(AssetError) as caught:
        read_assets(contents)
    assert [(one.name, one.code) for one in caught.value.problems] == [("layers.2", "image-too-large")]


# ---- for Python


@pytest.mark.parametrize(("data", "kind"), [(PNG, "png"), (JPEG, "jpeg"), (SVG.encode(), "svg+xml")])
def test_files_and_bytes_become_data_uris(tmp_path: Path, data, kind):
    path = tmp_path / "picture"
    path.write_bytes(data)
    found = data_uri(data)
    assert found.startswith(f"data:image/{kind};base64,")
    assert found == data_uri(path) == data_uri(str(path))
    assert read(found)


def test_files_that_are_no_pictures_are_refused(tmp_path: Path):
    (tmp_path / "a.ppm").write_bytes(BAD_PICTURES["PPM"])
    (tmp_path / "damaged.png").write_bytes(PNG[:40] + bytes(5 * 2**20))
    (tmp_path / "large.png").write_bytes(PNG + bytes(40 * 2**20))
    (tmp_path / "large.svg").write_bytes(SVG.encode() + b" " * (5 * 2**20))
    for name, reason in [
        ("a.ppm", "formats"),
        ("damaged.png", "damaged.png is a damaged picture"),
        ("large.png", "large.png is too large: a picture may have 40 MiB"),
        ("large.svg", "large.svg is too large: this file may have 4 MiB"),
        ("none.png", "No such"),
        ("\0", "null"),
        ("", "directory"),
    ]:
        with pytest.raises(UnreadableFile, match=reason):
            data_uri(tmp_path / name)
    with pytest.raises(UnreadableFile, match="this is not a picture"):
        data_uri(b"hello")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "mode", "becomes"), [("PNG", "RGB", "jpeg"), ("PNG", "RGBA", "png"), ("BMP", "RGB", "jpeg")]
)
def test_a_large_file_is_reduced_to_4_mib(kind, mode, becomes):
    noise = np.random.default_rng(1).integers(0, 255, (1_500, 1_600, len(mode)), dtype=np.uint8)
    sent = encoded(Image.fromarray(noise), kind)
    assert len(sent) > 4 * 2**20
    found = data_uri(sent)
    assert found.startswith(f"data:image/{becomes};base64,")
    assert 2 * 2**20 < len(found) * 3 / 4 < 4 * 2**20 + 100
    asset = read(found)
    assert asset.width / asset.height == pytest.approx(16 / 15, abs=0.01)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", None),
        (b"<", None),
        (b"<svgx>", None),
        (b"<html>", None),
        (b"svg", None),
        (b"<svg", None),
        (b"<svg>", "image/svg+xml"),
        (b"<s:svg\n", "image/svg+xml"),
        (b" \n<!-- a --><svg/>", "image/svg+xml"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\x89PNG\n\x1a\n", None),
    ],
)
def test_the_first_bytes_say_what_a_picture_is(data, kind):
    assert media_type(data) == kind


@pytest.mark.parametrize(
    "draw",
    [
        lambda: generate("hi", layers=[Layer("logo.svg", x=0, y=0, width=9, height=9)]),
        lambda: generate("hi", photo=Photo("logo.svg")),
    ],
)
def test_the_name_of_a_file_in_place_of_a_picture_gets_advice(draw):
    with pytest.raises(AssetError, match=r"='logo\.svg': is not a picture; allowed") as caught:
        draw()
    assert caught.value.__notes__ == ["For a file, use qrkit.data_uri('logo.svg')."]
    with pytest.raises(AssetError, match=r"^logo='logo\.svg': is neither a file nor icon:NAME$"):
        Design(content="hi").with_logo("logo.svg")
