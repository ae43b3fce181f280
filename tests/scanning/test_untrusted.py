"""Pictures may be a stranger's: whatever one does to the reader, the next one is read."""

import json
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from qrkit import check, decode, generate
from qrkit.errors import NoSymbol, UnreadableFile
from qrkit.scanning.untrusted import check_untrusted, decode_untrusted

PICTURE = generate("hello").to_bytes("png")


def finders(side=1_600):
    """A half-transparent picture full of finder patterns: 4 kB that keep readers busy, on white and on black paper."""
    tile = np.full((9, 9), 255, np.uint8)
    tile[1:8, 1:8], tile[2:7, 2:7], tile[3:6, 3:6] = 0, 255, 0
    grey = np.tile(tile, (side // 9 + 1, side // 9 + 1))[:side, :side]
    file = BytesIO()
    Image.fromarray(np.stack([grey, np.full_like(grey, 254)], axis=2)).save(file, "PNG")
    return file.getvalue()


def test_it_reads_what_decode_reads():
    assert json.loads(decode_untrusted(PICTURE)) == decode(PICTURE).as_dict()


@pytest.mark.parametrize("level", ["static", "quick"])
def test_it_checks_as_check_does(level):
    found, expected = json.loads(check_untrusted(PICTURE, level)), check(PICTURE, level)
    assert (found["content"], found["score"], found["level"]) == (expected.content, expected.score, level)


def blank():
    file = BytesIO()
    Image.new("L", (50, 50), "white").save(file, "PNG")
    return file.getvalue()


def test_an_svg_of_a_stranger_is_not_read():
    with pytest.raises(UnreadableFile, match="is an svg, which is not read here; send it as png"):
        decode_untrusted(generate("hello").to_bytes("svg"))
    with pytest.raises(UnreadableFile, match=r"is not a picture of the formats png, .*, avif, ico$"):
        decode_untrusted(b"nothing")


@pytest.mark.parametrize(
    ("data", "error"), [(PICTURE[:100], UnreadableFile), (blank(), NoSymbol)], ids=["damaged", "blank"]
)
def test_its_errors_are_those_of_decode(data, error):
    with pytest.raises(error) as expected:
        decode(data)
    with pytest.raises(error) as caught:
        decode_untrusted(data)
    assert caught.value.told("http") == expected.value.told("http")


@pytest.mark.slow
def test_a_picture_that_takes_too_long_is_given_up_and_the_next_one_is_read():
    with pytest.raises(UnreadableFile, match="takes too long to read"):
        decode_untrusted(finders())
    assert json.loads(decode_untrusted(PICTURE))["content"] == "hello"
