"""With its padding, the modules are those of segno, bit by bit, whatever is encoded and however."""

from random import Random

import pytest
import segno

from qrkit.symbol.encode import encode
from qrkit.symbol.encode.capacity import LEVELS, Segment, bits_held, bits_needed, characters_held
from qrkit.symbol.encode.segments import segments_of
from tests.sweeps import night_between

ALPHABETS = {
    "numeric": "0123456789",
    "alphanumeric": "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:",
    "byte": "azé漢😀~\n0",
}
MODE_INDICATORS = {"numeric": 1, "alphanumeric": 2, "byte": 4}
PAIRS = [(version, level) for version in range(1, 41) for level in LEVELS]
LETTERS = {"numeric": "7", "alphanumeric": "Z", "byte": "z"}


def theirs(content: str, version: int, level: str, mode: str, mask: int | None) -> tuple[tuple[bytes, ...], int]:
    """Modules and mask by segno, of the same segments."""
    segments = [(text, MODE_INDICATORS[one], "utf-8") for one, text in segments_of(content, mode, version)]
    code = segno.make_qr(segments, version=version, error=level, mask=mask, boost_error=False)
    return tuple(map(bytes, code.matrix)), code.mask


def assert_same(content: str, version: int, level: str, mode: str, mask: int | None) -> None:
    ours = encode(content, version=version, error_correction=level, mode=mode, mask=mask, pad_codewords="segno")
    assert (ours.modules, ours.mask) == theirs(content, version, level, mode, mask), (content, ours)


def a_text(random: Random, mode: str, version: int, level: str, most: int = 10_000) -> str:
    """A text of any length that fits; in mode auto it is a mix of modes."""
    if mode == "auto":
        parts = ("".join(random.choices(ALPHABETS[random.choice(list(ALPHABETS))], k=length)) for length in (9, 5, 14))
        return "".join(parts)[: min(most, bits_held(version, level) // 8 // 4 - 2) or 1]
    text = "".join(random.choices(ALPHABETS[mode], k=min(most, characters_held(version, level, mode))))
    while bits_needed([Segment(mode, text)], version) > bits_held(version, level):
        text = text[: len(text) * 2 // 3]
    return text[: random.randint(1, len(text))]


@pytest.mark.parametrize("seed", range(3))
def test_small_symbols_with_the_automatic_mask(seed):
    """In each case any mode, level, version 1 to 4 and content."""
    random = Random(seed)
    for _ in range(60):
        mode, version, level = (
            random.choice([*ALPHABETS, "auto"]),
            random.choice((1, 1, 1, 2, 3, 4)),
            random.choice("LMQH"),
        )
        assert_same(a_text(random, mode, version, level), version, level, mode, None)


@pytest.mark.parametrize("seed", range(3))
def test_small_symbols_with_every_mask(seed):
    random = Random(1000 + seed)
    for case in range(96):
        mode, version, level = random.choice([*ALPHABETS, "auto"]), random.randint(1, 5), random.choice("LMQH")
        assert_same(a_text(random, mode, version, level), version, level, mode, case % 8)


@pytest.mark.parametrize("version", [1, 2, 6, 7, 9, 10, 14, 20, 26, 27, 40])
def test_versions_at_whose_ends_rules_change(version):
    """Those of the long test in which lengths, alignment patterns or version information change, and some others.

    All levels with a mask given, one with the automatic mask: choosing it takes segno up to a tenth of a second.
    """
    random = Random(version)
    for number, level in enumerate(LEVELS):
        mode = [*ALPHABETS, "auto"][(version + number) % 4]
        assert_same(a_text(random, mode, version, level), version, level, mode, (version + 3 * number) % 8)
    assert_same(a_text(random, "byte", version, LEVELS[version % 4]), version, LEVELS[version % 4], "byte", None)


@pytest.mark.parametrize("mode", LETTERS)
def test_symbols_that_are_full_and_almost_full(mode):
    """What is left of the capacity takes a terminator of 0 to 4 bits, then padding bits, then pad codewords."""
    left = set()
    for version, level in PAIRS[:40]:
        most = characters_held(version, level, mode)
        for length in range(max(most - 4, 1), most + 1):
            content = LETTERS[mode] * length
            left.add(bits_held(version, level) - bits_needed([Segment(mode, content)], version))
            assert_same(content, version, level, mode, length % 8)
    # In byte mode everything is whole codewords but for the four bits of the mode indicator.
    assert left >= ({4, 12, 20} if mode == "byte" else {0, 1, 2, 3, 4, 5, 6, 7, 8})


def test_mixes_of_modes_that_are_full_to_the_last_bits():
    """Segments of three modes, with each number of bits left from 0 to 12."""
    random, found = Random(7), {}
    for _ in range(3000):
        parts = ["a" * random.randint(1, 14), "7" * random.randint(4, 30), "QRZ" * random.randint(2, 9)]
        content = "".join(random.sample(parts, 3))
        segments = segments_of(content, "auto", 2)
        if len(segments) == 3:
            found[bits_held(2, "L") - bits_needed(segments, 2)] = content
    found = {left: content for left, content in found.items() if 0 <= left <= 12}
    assert sorted(found) == list(range(13))
    for left, content in found.items():
        for mask in (None, left % 8):
            assert_same(content, 2, "L", "auto", mask)


@pytest.mark.parametrize("content", ["\0", "\0" * 17, "\xff" * 8, "漢", " ", "0", "-", "\n" * 15, ""])
def test_odd_contents(content):
    assert_same(content, 1, "L", "byte", None)


@pytest.mark.slow
def test_the_automatic_version_is_that_of_segno():
    random = Random(3)
    for _ in range(150):
        content = "".join(random.choices(ALPHABETS["byte"], k=random.randint(1, 500)))
        level = random.choice("LMQH")
        ours = encode(content, error_correction=level, mask=0, pad_codewords="segno")
        code = segno.make_qr(content, error=level, mode="byte", encoding="utf-8", mask=0, boost_error=False)
        assert (ours.version, ours.modules) == (code.version, tuple(map(bytes, code.matrix)))


@pytest.mark.slow
@pytest.mark.parametrize(("version", "level"), night_between(PAIRS))
def test_every_version_level_mode_and_mask(version, level):
    """Each mode in turn, and every second mask: the next level has the masks that this one leaves out.

    A mask is laid over modules, whatever mode they come from; with the level, it stands in the format information.
    """
    random, modes = Random(f"{version}{level}"), [*ALPHABETS, "auto"]
    for place, mask in enumerate((None, *range((version + LEVELS.index(level)) % 2, 8, 2)), version):
        mode = modes[place % len(modes)]
        assert_same(a_text(random, mode, version, level), version, level, mode, mask)
    for place, (mode, letter) in enumerate(LETTERS.items(), version):
        assert_same(letter * characters_held(version, level, mode), version, level, mode, place % 8)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_thousands_of_small_symbols_with_the_automatic_mask(seed):
    random = Random(5000 + seed)
    for _ in range(250):
        mode, version, level = random.choice([*ALPHABETS, "auto"]), random.randint(1, 7), random.choice("LMQH")
        assert_same(a_text(random, mode, version, level), version, level, mode, None)
