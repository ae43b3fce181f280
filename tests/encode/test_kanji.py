import pytest
import segno
import zxingcpp
from PIL import Image

from qrkit.encode import encode
from qrkit.errors import ContentTooLong, InvalidParameter


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
    code = segno.make_qr("点茗", mode="kanji", error="q", version=5, mask=3, boost_error=False)
    symbol = encode("点茗", mode="kanji", error_correction="Q", version=5, mask=3)
    assert (symbol.version, symbol.mask, symbol.modules) == (5, 3, tuple(map(bytes, code.matrix)))


@pytest.mark.parametrize("text", ["abc", "点a", "é", "🙂", ""])
def test_what_is_no_kanji_is_refused_with_what_takes_it(text):
    with pytest.raises(InvalidParameter, match="mode=kanji takes characters"):
        encode(text, mode="kanji")


@pytest.mark.parametrize(("count", "version"), [(1_818, None), (11, 1), (142, 9), (843, 26)])
def test_too_many_kanji_say_how_many_bits_they_need(count, version):
    with pytest.raises(ContentTooLong) as caught:
        encode("点" * count, mode="kanji", error_correction="L", version=version)
    assert caught.value.needed_bits > caught.value.capacity_bits
    assert encode("点" * (count - 1), mode="kanji", error_correction="L", version=version).mode == "kanji"
