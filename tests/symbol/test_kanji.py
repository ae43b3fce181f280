from collections.abc import Iterator
from contextlib import suppress

import pytest
import segno
import zxingcpp
from PIL import Image

from qrkit import Design, decode, generate
from qrkit.errors import ContentTooLong, InvalidParameter
from qrkit.symbol.encode import encode


def characters() -> Iterator[str]:
    for code in (*range(0x8140, 0x9FFD), *range(0xE040, 0xEBC0)):
        with suppress(UnicodeDecodeError):
            yield code.to_bytes(2, "big").decode("shift_jis")


KANJI = "".join(one for one in characters() if len(one) == 1)


def read(symbol):
    """What a reader sees: the modules of a symbol, ten pixels each, in a quiet zone."""
    picture = Image.new("L", (symbol.side + 8, symbol.side + 8), 255)
    for y, row in enumerate(symbol.modules):
        for x, module in enumerate(row):
            picture.putpixel((x + 4, y + 4), 0 if module else 255)
    (found,) = zxingcpp.read_barcodes(picture.resize((picture.width * 10, picture.height * 10)))
    return found


@pytest.mark.parametrize("text", ["点", "点茗", "テスト", "日本語の文字" * 20])
@pytest.mark.parametrize("level", "LMQH")
def test_kanji_are_read_and_take_13_bits_each(text, level):
    symbol = encode(text, mode="kanji", error_correction=level)
    assert (symbol.mode, symbol.error_correction) == ("kanji", level)
    assert read(symbol).text == text
    assert symbol.version <= encode(text, error_correction=level).version


def test_kanji_have_the_modules_of_segno():
    for text in ("点茗", "日本語のテスト", "\u3000熙", KANJI[:900]):
        for version in (None, 9, 10, 27):
            try:
                code = segno.make_qr(text, mode="kanji", error="m", version=version, boost_error=False)
            except segno.DataOverflowError:
                continue
            symbol = encode(text, mode="kanji", version=version, pad_codewords="segno")
            modules = tuple(map(bytes, code.matrix))
            assert (symbol.version, symbol.mask, symbol.modules) == (code.version, code.mask, modules)


@pytest.mark.slow
def test_every_kanji_of_the_mode_is_read():
    """All characters of two bytes in Shift JIS from 8140 to 9FFC and from E040 to EBBF (ISO/IEC 18004:2015, 7.4.6)."""
    assert len(KANJI) > 6_800
    for start in range(0, len(KANJI), 400):
        text = KANJI[start : start + 400]
        assert read(encode(text, mode="kanji", error_correction="L")).bytes == text.encode("shift_jis")


@pytest.mark.rule("G22")
def test_a_design_may_ask_for_kanji():
    """Open: how Python asks for it. As for the other modes; HTTP has none of it."""
    image = generate("日本語", em="Kanji", ec="Q")
    assert (image.symbol.mode, image.symbol.error_correction) == ("kanji", "Q")
    assert decode(image.to_bytes()).content == "日本語"
    logo = Design(content="日本語", em="kanji", pad_codewords="free", version=4).with_logo("icon:heart", 0.3)
    assert decode(generate(logo).to_bytes()).content == "日本語"


@pytest.mark.parametrize("text", ["abc", "点a", "é", "🙂", ""])
def test_what_is_no_kanji_is_refused_with_what_takes_it(text):
    with pytest.raises(InvalidParameter, match="mode kanji takes 1 or more characters"):
        encode(text, mode="kanji")


@pytest.mark.parametrize(("count", "version"), [(1_818, None), (11, 1), (142, 9), (843, 26)])
def test_too_many_kanji_say_how_many_bits_they_need(count, version):
    with pytest.raises(ContentTooLong) as caught:
        encode("点" * count, mode="kanji", error_correction="L", version=version)
    assert caught.value.needed_bits > caught.value.capacity_bits
    assert encode("点" * (count - 1), mode="kanji", error_correction="L", version=version).mode == "kanji"
