"""Symbols against segno, against the figures of ISO/IEC 18004, and bit by bit."""

import re

import numpy as np
import pytest
import segno
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Design, generate
from qrkit.errors import ContentTooLong, InvalidParameter
from qrkit.symbol.encode import encode
from qrkit.symbol.symbol import Role, Symbol

ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
MASKS = (
    lambda row, column: (row + column) % 2,
    lambda row, column: row % 2,
    lambda row, column: column % 3,
    lambda row, column: (row + column) % 3,
    lambda row, column: (row // 2 + column // 3) % 2,
    lambda row, column: row * column % 2 + row * column % 3,
    lambda row, column: (row * column % 2 + row * column % 3) % 2,
    lambda row, column: ((row + column) % 2 + row * column % 3) % 2,
)
"""Conditions of ISO/IEC 18004:2015, table 10: a module is turned over where they give 0."""

texts = {
    "byte": st.text(min_size=1, max_size=60),
    "numeric": st.text("0123456789", min_size=1, max_size=120),
    "alphanumeric": st.text(ALPHANUMERIC, min_size=1, max_size=90),
}
some = settings(max_examples=12)


def codewords(symbol: Symbol) -> bytes:
    """All codewords in the order of placement (7.7.3); in versions with one block that is their own order."""
    side, bits = symbol.side, []
    for step, right in enumerate([*range(side - 1, 6, -2), 5, 3, 1]):
        rows = range(side) if step % 2 else range(side - 1, -1, -1)
        for row in rows:
            for column in (right, right - 1):
                if symbol.roles[row][column] == Role.DATA:
                    bits.append(symbol.modules[row][column] ^ (MASKS[symbol.mask](row, column) == 0))
    whole = "".join(map(str, bits))
    return bytes(int(whole[at : at + 8], 2) for at in range(0, len(whole) - 7, 8))


def read(symbol: Symbol) -> zxingcpp.Barcode:
    grid = np.pad(np.array([list(row) for row in symbol.modules]), 4)
    picture = np.kron(255 - 255 * grid, np.ones((3, 3))).astype(np.uint8)
    return zxingcpp.read_barcode(picture, formats=zxingcpp.BarcodeFormat.QRCode, text_mode=zxingcpp.TextMode.Plain)


@pytest.mark.parametrize("mode", texts)
@given(data=st.data())
@some
def test_modules_are_those_of_segno(mode, data):
    content = data.draw(texts[mode])
    level = data.draw(st.sampled_from("LMQH"))
    ours = encode(content, error_correction=level, mode=mode, pad_codewords="segno")
    theirs = segno.make_qr(content, mode=mode, error=level, boost_error=False, encoding="utf-8", eci=False)
    assert ours.modules == tuple(map(bytes, theirs.matrix))
    assert (ours.version, ours.error_correction, ours.mask, ours.mode) == (theirs.version, level, theirs.mask, mode)


@pytest.mark.parametrize("mask", range(8))
def test_a_mask_asked_for_is_used(mask):
    symbol = encode("x", mask=mask)
    assert symbol.mask == mask
    assert codewords(symbol)[:2] == codewords(encode("x"))[:2]


def test_the_symbol_of_annex_i_has_the_codewords_printed_there():
    """ISO/IEC 18004:2015, annex I.2: 01234567 in version 1-M."""
    data = "10 20 0C 56 61 80 EC 11 EC 11 EC 11 EC 11 EC 11"
    correction = "A5 24 D4 C1 ED 36 C7 87 2C 55"
    symbol = encode("01234567", mode="numeric", error_correction="M")
    assert symbol.version == 1
    assert codewords(symbol) == bytes.fromhex(data + correction)


def test_the_format_information_of_level_m_and_mask_5_is_that_of_the_standard():
    """ISO/IEC 18004:2015, 7.9.1: 100000011001110, the highest bit first, from the left along row 8 and up column 8."""
    modules = encode("x", error_correction="M", mask=5).modules
    along = [modules[8][column] for column in (0, 1, 2, 3, 4, 5, 7, 8)] + [
        modules[row][8] for row in (7, 5, 4, 3, 2, 1, 0)
    ]
    below = [modules[row][8] for row in range(20, 13, -1)] + list(modules[8][13:])
    assert "".join(map(str, along)) == "".join(map(str, below)) == "100000011001110"


def test_the_version_information_of_version_7_is_that_of_the_standard():
    """ISO/IEC 18004:2015, 7.10: 000111110010010100, the highest bit in the corner next to the finder pattern."""
    modules = encode("x", version=7, mask=0).modules
    beside = [modules[row][column] for row in range(5, -1, -1) for column in (36, 35, 34)]
    below = [modules[row][column] for column in range(5, -1, -1) for row in (36, 35, 34)]
    assert "".join(map(str, beside)) == "".join(map(str, below)) == "000111110010010100"


@pytest.mark.rule("G22")
def test_pad_codewords_begin_right_after_the_terminator():
    """ISO/IEC 18004:2015, 7.4.10: 0100, 00000001, 'A', 0000, and then 11101100 00010001 in turn."""
    for symbol in (encode("A", version=1, mask=0), generate("A", version=1, mask=0).symbol):
        assert codewords(symbol)[:16].hex(" ") == "40 14 10" + " ec 11" * 6 + " ec"


@pytest.mark.rule("G22")
def test_on_request_there_is_one_pad_codeword_too_many_as_in_segno():
    """heuer/segno #148: a codeword 00000000 where the terminator ends on a codeword boundary."""
    symbol = generate("A", version=1, mask=0, pad_codewords="segno").symbol
    assert symbol == encode("A", version=1, mask=0, pad_codewords="segno")
    assert codewords(symbol)[:16].hex(" ") == "40 14 10 00" + " ec 11" * 6


@pytest.mark.rule("G22")
def test_templates_of_1_0_0_may_ask_for_standard_padding():
    assert (
        Design(content="A", pad_codewords="standard") == Design(content="A", pad_codewords="iso") == Design(content="A")
    )


@pytest.mark.rule("G1")
def test_the_automatic_version_is_the_smallest_that_fits():
    """A fact: absent is automatic. Open: what that means. The smallest symbol, since it has the largest modules."""
    assert encode("x" * 14).version == encode("x").version == 1
    assert encode("x" * 15).version == 2
    assert encode("x" * 14, version=5).version == 5
    with pytest.raises(ContentTooLong):
        encode("x" * 15, version=1)


@pytest.mark.rule("G2")
@pytest.mark.parametrize("content", ["Grüße", "ÿ", "漢字", "12345", "A", "😀", "a\x1db"])
def test_byte_mode_writes_utf8_without_eci(content):
    """Open: Latin-1 or UTF-8, and whether to say so. UTF-8, unannounced, which all readers guess."""
    data = content.encode()
    words = codewords(encode(content, version=1, error_correction="L", mask=0))
    bits = "".join(f"{word:08b}" for word in words)
    assert bits[:4] == "0100"
    assert int(bits[4:12], 2) == len(data)
    assert int(bits[12 : 12 + 8 * len(data)], 2).to_bytes(len(data), "big") == data
    found = read(encode(content, mask=0))
    assert (found.bytes, found.text, found.symbology_identifier) == (data, content, "]Q1")


@pytest.mark.rule("G2")
def test_byte_mode_is_kept_though_digits_would_be_shorter():
    """Open: may byte mode become numeric where that is shorter. No: the symbol is what clients expect."""
    assert encode("1" * 17).version == 2
    assert encode("1" * 17, mode="numeric").version == 1
    assert encode("1" * 17).mode == "byte"


@pytest.mark.rule("G2")
@pytest.mark.parametrize(
    ("em", "content", "position", "character"),
    [
        ("numeric", "12a4b", 3, "'a'"),
        ("numeric", "\u0661\u0662", 1, "'\u0661'"),
        ("numeric", "1.5", 2, "'.'"),
        ("alphanumeric", "HELLO world", 7, "'w'"),
        ("alphanumeric", "A_B", 2, "'_'"),
        ("alphanumeric", "A\n", 2, r"'\n'"),
    ],
)
def test_a_character_outside_the_mode_is_named_with_its_position(em, content, position, character):
    """Open: what to do then. It fails: raised silently to upper case, the reader would tell another text."""
    with pytest.raises(InvalidParameter, match=re.escape(f"character {position} is {character}")) as caught:
        Design(content=content, em=em)
    assert (caught.value.name, caught.value.code) == ("content", "bad-content")


@pytest.mark.rule("G2")
def test_alphanumeric_mode_takes_all_45_characters():
    """Open: the interface lists only a part of the punctuation. The whole set of the standard is allowed."""
    symbol = generate(ALPHANUMERIC, em="alphanumeric").symbol
    assert symbol.mode == "alphanumeric"
    assert read(symbol).text == ALPHANUMERIC


@pytest.mark.rule("G3")
@pytest.mark.parametrize("level", "LMQH")
def test_the_level_asked_for_is_kept_though_a_higher_one_would_fit(level):
    """Open: segno and others raise the level where it costs nothing. Here the symbol is what was asked for."""
    symbol = encode("x", error_correction=level, version=10, mask=0)
    assert symbol.error_correction == read(symbol).ec_level == level
