"""Bytes are encoded as they are."""

from io import BytesIO

import pytest
import zxingcpp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit import Design, check, decode, generate
from qrkit.errors import InvalidParameter
from qrkit.symbol.encode import encode


def bytes_read(image):
    """The bytes in the symbol, as zxing reads them."""
    (found,) = zxingcpp.read_barcodes(Image.open(BytesIO(image.to_bytes("png"))))
    return found.bytes


@settings(max_examples=40)
@given(st.binary(min_size=1, max_size=200))
@example(b"\x00\xff\x80")
@example(bytes(range(256)))
def test_a_symbol_holds_the_bytes(data):
    assert bytes_read(generate(data)) == data


def test_bytes_take_no_more_room_than_they_are():
    assert generate(b"\xff" * 14).symbol.version == generate("x" * 14).symbol.version == 1


def test_bytes_of_a_text_make_the_symbol_of_the_text():
    assert generate("Käse".encode()).design == Design(content="Käse")
    assert encode("ÿ", charset="binary").modules != encode("ÿ").modules


def test_a_reader_shows_what_is_there():
    assert decode(generate(b"\x00\xff\x80").to_bytes("png")).content == "\x00\xff\x80"


def test_bytes_that_readers_take_for_the_wrong_charset_are_shown_and_have_a_verdict():
    data = "Ελληνικά".encode("iso8859-7")  # a reader guesses Shift JIS, which lacks one of these bytes
    picture = generate(data).to_bytes("png")
    assert decode(picture).content.encode("latin1") == data
    assert check(picture, "quick").verdict == "robust"


def test_a_design_of_bytes_is_read_back_from_json():
    design = Design(content=b"\x00\xff\x80")
    assert Design.from_json(design.to_json()) == design
    assert bytes_read(generate(design.replace(content=b"\x80\x81"))) == b"\x80\x81"
    assert bytes_read(generate(design.replace(content=b"abc"))) == b"abc"


def test_bytes_declare_no_charset():
    with pytest.raises(InvalidParameter, match="charset='latin1': must be left out with bytes"):
        Design(content=b"\xff", charset="latin1")
    with pytest.raises(InvalidParameter, match="charset=binary lacks character 2, 'Ж'"):
        Design(content="aЖ", charset="binary")


def test_bytes_scan():
    assert generate(b"\x00\xff\x80").check("quick").verdict == "robust"
