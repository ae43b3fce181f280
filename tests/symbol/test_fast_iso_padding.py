"""With the padding of the standard, the modules are those of zint, the encoder that zxing-cpp brings along."""

from random import Random

import numpy as np
import pytest
import zxingcpp

from qrkit.symbol.encode import encode
from qrkit.symbol.encode.bit_stream import data_codewords
from qrkit.symbol.encode.capacity import LEVELS, Segment, bits_held, characters_held
from qrkit.symbol.symbol import Symbol
from tests.sweeps import night_after

ALPHABETS = {
    "numeric": "0123456789",
    "alphanumeric": "GHIJKLMNOPQRSTUVWXYZ $%*+-./:",
    "byte": "abcdefghijklmnopqrstuvwxyz_~",
}
"""Characters of one mode alone: zint always takes the shortest mix of modes."""


def by_zint(content: str, symbol: Symbol) -> np.ndarray:
    """Modules of the same content, version, level and mask, 1 for dark."""
    code = zxingcpp.create_barcode(
        content,
        zxingcpp.BarcodeFormat.QRCode,
        ec_level=symbol.error_correction,
        version=symbol.version,
        data_mask=symbol.mask,
    )
    return np.array(code.to_image(scale=1, add_quiet_zones=False)) == 0


def assert_same(content: str, symbol: Symbol) -> None:
    assert np.array_equal(np.array([list(row) for row in symbol.modules]), by_zint(content, symbol)), (content, symbol)


@pytest.mark.parametrize("mode", ALPHABETS)
@pytest.mark.parametrize(
    "version",
    [*range(1, 41, 3), *night_after([*range(2, 41, 3), *range(3, 41, 3)], 13)],
)
def test_modules_are_those_of_zint(version, mode):
    random = Random(f"{version} {mode}")
    for level in LEVELS:
        most = characters_held(version, level, mode)
        for length in {most, max(most - 1, 1), random.randint(1, most), random.randint(1, most)}:
            content = "".join(random.choices(ALPHABETS[mode], k=length))
            mask = random.randrange(8)
            assert_same(
                content,
                encode(content, version=version, error_correction=level, mode=mode, mask=mask, pad_codewords="iso"),
            )


@pytest.mark.parametrize("pad", ["segno", "iso"])
def test_the_two_paddings_differ_only_where_the_terminator_ends_a_codeword(pad):
    byte = data_codewords([Segment("byte", "A")], 1, "M", pad)
    digit = data_codewords([Segment("numeric", "1")], 1, "M", pad)
    between = "00 " if pad == "segno" else ""
    assert byte.hex(" ") == (f"40 14 10 {between}" + "ec 11 " * 7)[: 3 * 16 - 1]
    assert digit.hex(" ") == ("10 04 40 " + "ec 11 " * 7)[: 3 * 16 - 1]


def test_a_full_symbol_has_no_padding_that_could_differ():
    content = "z" * characters_held(3, "Q", "byte")
    asked = {"version": 3, "error_correction": "Q"}
    assert encode(content, **asked, pad_codewords="iso") == encode(content, **asked, pad_codewords="segno")
    assert bits_held(3, "Q") == 12 + 8 * len(content) + 4


@pytest.mark.parametrize("pad", ["segno", "iso"])
@pytest.mark.parametrize("mode", [*ALPHABETS, "auto"])
def test_symbols_are_read_back(pad, mode):
    random = Random(f"{pad} {mode}")
    for version in (1, 2, 6, 7, 9, 10, 20, 27, 40):
        alphabet = ALPHABETS.get(mode, "".join(ALPHABETS.values()))
        content = "".join(random.choices(alphabet, k=random.randint(1, characters_held(version, "Q", "byte") * 2 // 3)))
        symbol = encode(content, version=version, error_correction="Q", mode=mode, pad_codewords=pad)
        grid = np.pad(np.array([list(row) for row in symbol.modules]), 4)
        picture = np.kron(255 - 255 * grid, np.ones((2, 2))).astype(np.uint8)
        found = zxingcpp.read_barcode(picture, formats=zxingcpp.BarcodeFormat.QRCode, is_pure=True)
        assert (found.text, found.ec_level, found.extra["Version"]) == (content, "Q", str(version))
        assert found.extra["DataMask"] == symbol.mask
