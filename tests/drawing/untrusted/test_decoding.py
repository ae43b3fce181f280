"""Pictures may be a stranger's: whatever one does to the process that decodes it, the next one is decoded."""

import json
import subprocess
import sys
from io import BytesIO

import pytest
from PIL import Image, ImageOps

from qrkit.drawing.untrusted import decoding
from qrkit.drawing.untrusted.decoding import read_bitmap
from qrkit.errors import AssetError


def encoded(picture: Image.Image, kind: str, **options: object) -> bytes:
    file = BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


SMALL = encoded(Image.new("RGB", (4, 3), "red"), "PNG")


def test_a_webp_is_refused_by_its_header():
    """Pillow would make pictures of 1.5 GB before it tells how large they are."""
    bomb = b"RIFF\x1c\0\0\0WEBPVP8L\x0f\0\0\0\x2f" + (9_999 | 9_999 << 14).to_bytes(4, "little") + bytes(11)
    with pytest.raises(AssetError, match="is too large: a picture may have 52,000,000 pixels"):
        read_bitmap(bomb)
    assert read_bitmap(SMALL).width == 4


@pytest.mark.slow
def test_a_picture_that_takes_too_long_is_given_up_and_the_next_one_is_read(monkeypatch):
    large = encoded(Image.new("1", (10_000, 10_000)), "PNG")
    monkeypatch.setattr(decoding, "LONGEST_SECONDS", 0.05)
    with pytest.raises(AssetError, match="takes too long to read; make it smaller, or save it as a JPEG"):
        read_bitmap(large)
    monkeypatch.undo()
    assert read_bitmap(SMALL).width == 4


SHORT_OF_MEMORY = """
import resource, sys
from qrkit.drawing.untrusted.decoding.worker import answer, start
from PIL import AvifImagePlugin, ImageCms, ImageOps
start()
resource.setrlimit(resource.RLIMIT_AS, (2**29, 2**29))
outcome, told = answer(b"read", sys.stdin.buffer.read())
sys.stdout.buffer.write(told)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit memory")
def test_a_picture_that_needs_too_much_memory_is_refused():
    large = encoded(Image.new("RGBA", (10_000, 10_000)), "PNG")
    run = subprocess.run([sys.executable, "-c", SHORT_OF_MEMORY], input=large, capture_output=True, check=True)
    rule, code = json.loads(run.stdout)
    assert (code, "needs too much memory" in rule) == ("image-too-large", True)


def test_a_photo_with_damaged_exif_is_a_picture():
    photo = encoded(Image.new("RGB", (4, 3), "red"), "WEBP", exif=b"Exif\0\0no TIFF")
    assert read_bitmap(photo).width == 4


@pytest.mark.parametrize("format", ["JPEG", "PNG", "TIFF", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_once_as_its_camera_says(format, orientation):
    camera, exif = Image.linear_gradient("L").resize((32, 16)).convert("RGB"), Image.Exif()
    camera.paste("red", (0, 0, 16, 8))
    exif[0x0112] = orientation
    found = Image.open(BytesIO(read_bitmap(encoded(camera, format, exif=exif)).png)).convert("RGB")
    camera.info["exif"] = exif.tobytes()
    seen = ImageOps.exif_transpose(camera)
    assert found.size == seen.size
    corners = [(x, y) for x in (2, seen.width - 3) for y in (2, seen.height - 3)]
    assert [found.getpixel(at) for at in corners] == [pytest.approx(seen.getpixel(at), abs=40) for at in corners]


def test_a_picture_in_lab_has_its_colors():
    red = read_bitmap(encoded(Image.new("LAB", (4, 3), (136, 208, 195)), "TIFF"))
    assert Image.open(BytesIO(red.png)).getpixel((0, 0)) == pytest.approx((255, 0, 0), abs=12)
