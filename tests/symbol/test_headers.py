"""Charsets (ECI), FNC1 in first position and structured append, read back by zxing-cpp."""

from functools import reduce
from io import BytesIO
from operator import xor

import pytest
import segno
import zxingcpp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit import Design, QRImage, decode, generate, generate_sequence
from qrkit.design.characters import ECI, charset_rule
from qrkit.design.message_part import MessagePart
from qrkit.errors import ContentTooLong, InvalidParameter
from qrkit.symbol.encode import encode
from qrkit.symbol.encode.bit_stream import data_codewords
from qrkit.symbol.encode.capacity import Segment
from qrkit.symbol.encode.headers import header_of

SAMPLES = {
    "cp437": "éâä½", "iso-8859-1": "grün", "iso-8859-2": "zażółć", "iso-8859-3": "ĥĝ", "iso-8859-4": "ąēģ",
    "iso-8859-5": "Привет", "iso-8859-6": "سلام", "iso-8859-7": "αβγ", "iso-8859-8": "שלום", "iso-8859-9": "ışğ",
    "iso-8859-10": "ðŋ", "iso-8859-11": "กข", "iso-8859-13": "ėųž", "iso-8859-14": "ŵŷ", "iso-8859-15": "€œ",
    "iso-8859-16": "șț", "shift_jis": "日本", "windows-1250": "łódź", "windows-1251": "Жук", "windows-1252": "œ…",
    "windows-1256": "سلام", "utf-16be": "aЖ漢", "utf-8": "漢😀", "us-ascii": "plain", "big5": "中文", "gb2312": "中文",
    "euc-kr": "한국어", "gbk": "中文", "gb18030": "中文😀", "utf-16le": "x😀", "utf-32be": "x😀", "utf-32le": "x😀",
}  # fmt: skip

GS = "\x1d"
gs1_texts = st.text(f"0123456789ABCab%{GS}-漢", min_size=1, max_size=30)


def read(image: QRImage) -> zxingcpp.Barcode:
    picture = Image.open(BytesIO(image.to_bytes()))
    found = zxingcpp.read_barcode(picture, text_mode=zxingcpp.TextMode.Plain)
    assert found is not None
    return found


def drawn(content: str, **fields: object) -> QRImage:
    return generate(content, size=3, warn=False, **fields)


# ---- charsets


@pytest.mark.parametrize("em", ["byte", "auto"])
@pytest.mark.parametrize("charset", ECI)
def test_text_in_a_charset_is_read_back(charset, em):
    text = f"{SAMPLES[charset]} 01234567890123456789 ABCDEFGHIJKLMNOP {SAMPLES[charset]}"
    image = drawn(text, charset=charset, em=em)
    found = read(image)
    assert (found.text, found.symbology_identifier) == (text, "]Q1")
    assert decode(image.to_bytes()).content == text


@pytest.mark.parametrize(
    ("charset", "text", "character"),
    [("shift_jis", "a\uff3cb", "\uff3c"), ("big5", "a\u2574b", "\u2574"), ("euc-kr", "plain \uac02", "\uac02")],
)
def test_characters_that_readers_take_for_others_are_refused(charset, text, character):
    with pytest.raises(InvalidParameter, match=character):
        Design(content=text, charset=charset)


@given(st.sampled_from([charset for charset in ECI if charset.startswith(("iso", "windows"))]), st.data())
@settings(max_examples=60, deadline=None)
def test_any_text_that_a_charset_has_is_read_back(charset, data):
    alphabet = bytes([*range(32, 127), *range(0xA0, 0x100)]).decode(charset, "ignore")
    text = data.draw(st.text(alphabet, min_size=1, max_size=30))
    assume(charset_rule(text, charset) is None)
    assert read(drawn(text, charset=charset, em=data.draw(st.sampled_from(["byte", "auto"])))).text == text


def test_eci_header_is_that_of_the_example_in_the_standard():
    """ISO/IEC 18004:2015, 7.4.2.2: ECI 000009, ISO/IEC 8859-7, followed by five Greek letters in byte mode."""
    header = header_of("iso-8859-7")
    bits = int.from_bytes(data_codewords([Segment("byte", "ΑΒΓΔΕ")], 1, "H", "iso", header), "big")
    expected = "0111000010010100000001011100000111000010110000111100010011000101"
    assert f"{bits:072b}".startswith(expected)


def test_character_that_a_charset_lacks_is_named():
    for make in (lambda: Design(content="aż", charset="iso-8859-1"), lambda: encode("aż", charset="iso-8859-1")):
        with pytest.raises(InvalidParameter, match="iso-8859-1 lacks character 2, 'ż'; charset=utf-8 has every"):
            make()
    with pytest.raises(InvalidParameter, match="charset=shift_jis lacks character 1, '¥'"):
        Design(content="¥", charset="shift_jis")


def test_charset_has_the_names_that_python_knows_and_needs_bytes():
    assert Design(content="a", charset="latin2") == Design(content="a", charset="ISO-8859-2")
    assert Design(content="a", charset="") == Design(content="a")
    with pytest.raises(InvalidParameter, match="charset='utf-8': is for em=byte and em=auto; em=numeric has its own"):
        Design(content="1", charset="utf-8", em="numeric")
    with pytest.raises(InvalidParameter, match="charset='klingon': must be one of 'cp437', 'iso-8859-1'"):
        Design(content="1", charset="klingon")


def test_capacity_counts_the_bytes_of_the_charset_and_the_header():
    assert drawn("ż" * 50).symbol.version > drawn("ż" * 50, charset="iso-8859-2").symbol.version
    assert drawn("a" * 14).symbol.version == 1
    assert drawn("a" * 14, charset="utf-8").symbol.version == 2


# ---- FNC1


@given(gs1_texts, st.sampled_from(["byte", "auto"]))
@settings(max_examples=60, deadline=None)
def test_any_text_with_fnc1_is_read_back(text, em):
    found = read(drawn(text, fnc1=True, em=em))
    assert (found.text, found.symbology_identifier) == (text, "]Q3")


@given(st.text(f"0123456789ABC%{GS}-", min_size=1, max_size=30))
@settings(max_examples=40, deadline=None)
def test_separator_and_percent_are_told_apart_in_alphanumeric_mode(text):
    if f"{GS}%" in text or f"{GS}{GS}" in text:
        with pytest.raises(InvalidParameter, match="cannot write % or a second separator"):
            drawn(text, fnc1=True, em="alphanumeric")
    else:
        found = read(drawn(text, fnc1=True, em="alphanumeric"))
        assert (found.text, found.symbology_identifier) == (text, "]Q3")


def test_gs1_element_string_is_a_dense_code_that_decode_reads():
    """ISO/IEC 18004:2015, 7.4.8.2: (01)04912345123459 (15)970331 (30)128 (10)ABC123."""
    text = f"01049123451234591597033130128{GS}10ABC123"
    image = drawn(text, fnc1=True, em="alphanumeric")
    assert (read(image).content_type, decode(image.to_bytes()).content) == (zxingcpp.ContentType.GS1, text)
    assert drawn(text, fnc1=True, em="auto").symbol.version <= image.symbol.version
    with pytest.raises(InvalidParameter, match="em=alphanumeric allows"):
        drawn(text, em="alphanumeric")


def test_checks_expect_what_readers_return():
    for fields in ({"charset": "windows-1251"}, {"fnc1": True}, {"fnc1": True, "em": "auto"}):
        design = Design(content=f"0112345{'Ж' if 'charset' in fields else GS}10A%B", **fields)
        assert design.check("quick").verdict == "robust"


# ---- structured append


def test_every_symbol_says_its_place_in_the_message():
    text = "漢字 and kana, über alles. " * 12
    images = generate_sequence(text, symbols=5, size=3)
    assert len({image.symbol.version for image in images}) == 1
    parts = [decode(image.to_bytes()) for image in images]
    assert "".join(part.content for part in parts) == text
    assert [(one.part.number, one.part.of) for one in parts if one.part] == [(number, 5) for number in range(1, 6)]
    assert {one.part.parity for one in parts if one.part} == {reduce(xor, text.encode())}


@pytest.mark.parametrize("fields", [{"em": "auto"}, {"charset": "utf-16be"}, {"ec": "H", "version": 5}])
def test_parts_join_to_the_message(fields):
    text = "A1234567890 über 漢字😀" * 15
    images = (
        generate_sequence(text, size=3, **fields)
        if "version" in fields
        else generate_sequence(text, symbols=4, size=3, **fields)
    )
    assert "".join(read(image).text for image in images) == text


def test_symbols_are_as_few_as_possible():
    text = "a" * 1_000
    assert len(generate_sequence(text)) == 1
    assert generate_sequence(text)[0].design == Design(content=text)
    for version in (8, 10, 12):
        images = generate_sequence(text, version=version)
        assert len(images) > 2
        with pytest.raises(ContentTooLong, match=f"what would fit: symbols={len(images)} or a larger version"):
            generate_sequence(text, version=version, symbols=len(images) - 1)


@given(st.text(min_size=2, max_size=60), st.integers(2, 16))
@settings(max_examples=15, deadline=None)
def test_number_of_symbols_is_the_one_asked_for(text, symbols):
    if symbols > len(text):
        with pytest.raises(InvalidParameter, match=f"symbols={symbols}: must be at most {len(text)}"):
            generate_sequence(text, symbols=symbols)
    else:
        images = generate_sequence(text, symbols=symbols)
        assert len(images) == symbols
        assert "".join(image.design.content for image in images) == text


def test_symbols_are_those_of_segno():
    text = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ%$"
    ours = generate_sequence(text, symbols=4, em="alphanumeric", ec="L", pad_codewords="segno")
    assert [image.design.content for image in ours] == [text[:16], text[16:32], text[32:48], text[48:]]
    theirs = segno.make_sequence(text, symbol_count=4, error="L", mode="alphanumeric", boost_error=False)
    assert [image.symbol.modules for image in ours] == [tuple(map(bytes, one.matrix)) for one in theirs]


def test_what_does_not_fit_in_16_symbols_is_told_with_what_would():
    with pytest.raises(ContentTooLong, match=r"16 symbols of version 1 with ec=M hold the first 192 of 500 characters"):
        generate_sequence("a" * 500, version=1)
    for symbols in (1, 17, 2.5, True):
        with pytest.raises(InvalidParameter, match=r"symbols=.*: must be a whole number in 2\.\.16"):
            generate_sequence("abc", symbols=symbols)
    part = MessagePart(number=1, of=2, parity=0)
    with pytest.raises(InvalidParameter, match="part: must be left out"):
        generate_sequence("abc", part=part)
    with pytest.raises(InvalidParameter, match=r"part.number=3: must be at most 2"):
        Design(content="a", part={"number": 3, "of": 2, "parity": 0})
