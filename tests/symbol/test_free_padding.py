"""Pad codewords that give modules a wanted colour: what is met, that nothing else changes, that it is still read."""

from functools import cache
from itertools import accumulate
from random import Random

import deqr
import numpy as np
import pytest
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st
from segno import consts

from qrkit.errors import ContentTooLong, InvalidParameter
from qrkit.symbol.encode import encode
from qrkit.symbol.encode.blocks import blocks, codeword_blocks
from qrkit.symbol.encode.capacity import LEVELS, bits_held, characters_held
from qrkit.symbol.encode.free_padding import solve
from qrkit.symbol.encode.masking import CONDITIONS
from qrkit.symbol.symbol import Symbol, bit_numbers, side_of
from tests.sweeps import night_after

URL = "https://example.com/a"
QUIRC = deqr.QuircDecoder()

some = settings(max_examples=40)
seeds = st.integers(0, 2**32 - 1)


def modules(symbol: Symbol) -> np.ndarray:
    return np.array([list(row) for row in symbol.modules], dtype=np.int8)


@cache
def numbers(version: int) -> np.ndarray:
    return np.asarray(bit_numbers(version)).astype(int)


def standard(content: str, version: int, level: str, mask: int, mode: str = "byte") -> Symbol:
    return encode(content, version=version, error_correction=level, mask=mask, mode=mode, pad_codewords="iso")


def free(content: str, wanted: np.ndarray, version: int, level: str, mask: int, mode: str = "byte") -> Symbol:
    """The symbol whose pad codewords are chosen for these wishes."""
    asked = {"version": version, "error_correction": level, "mask": mask, "mode": mode}
    return encode(content, **asked, pad_codewords=solve(content, **asked, wanted=wanted))


def wrong_codewords(symbol: Symbol, wanted: np.ndarray) -> set[int]:
    """Codewords with a module that is not as wanted."""
    wrong = (wanted >= 0) & (modules(symbol) != wanted) & (numbers(symbol.version) >= 0)
    count = len(codeword_blocks(symbol.version, symbol.error_correction))
    return {int(number) for number in numbers(symbol.version)[wrong] // 8 if number < count}


def used(symbol: Symbol, wanted: np.ndarray) -> float:
    """Wrong codewords of the worst block, as a share of what it corrects."""
    owners, shares = codeword_blocks(symbol.version, symbol.error_correction), blocks(*level_of(symbol))
    wrong = [owners[codeword] for codeword in wrong_codewords(symbol, wanted)]
    return max(wrong.count(number) / block.correctable for number, block in enumerate(shares))


def level_of(symbol: Symbol) -> tuple[int, str]:
    return symbol.version, symbol.error_correction


def codewords(symbol: Symbol) -> list[bytes]:
    """The codewords of each block, read from the modules."""
    turned = np.array(
        [
            [module ^ (CONDITIONS[symbol.mask](row, column) == 0) for column, module in enumerate(line)]
            for row, line in enumerate(symbol.modules)
        ]
    )
    count = len(codeword_blocks(*level_of(symbol)))
    in_order = np.argsort(numbers(symbol.version), axis=None)[-np.count_nonzero(numbers(symbol.version) >= 0) :]
    message = np.packbits(turned.ravel()[in_order][: 8 * count].astype(np.uint8))
    owners = np.frombuffer(codeword_blocks(*level_of(symbol)), dtype=np.uint8)
    return [bytes(message[owners == number]) for number in range(owners.max() + 1)]


def has_errors(block: bytes, correction: int) -> bool:
    """Whether a root of the generator polynomial is none of the whole block (annex A)."""
    exponents, logarithms = consts.GALIOS_EXP, consts.GALIOS_LOG
    for power in range(correction):
        value = 0
        for codeword in block:
            value = (exponents[(logarithms[value] + power) % 255] if value else 0) ^ codeword
        if value:
            return True
    return False


def texts_read(drawn: np.ndarray) -> tuple[str, str]:
    """What zxing-cpp and quirc read, of modules that are 1 where dark; deqr makes digits a number."""
    picture = np.kron(np.where(np.pad(drawn, 4), 0, 255), np.ones((4, 4))).astype(np.uint8)
    by_zxing = zxingcpp.read_barcode(picture, formats=zxingcpp.BarcodeFormat.QRCode)
    by_quirc = QUIRC.decode(np.ascontiguousarray(picture))
    return by_zxing.text if by_zxing else "", "".join(str(entry.data) for one in by_quirc for entry in one.data_entries)


def wishes(random: np.random.Generator, version: int, share: float) -> np.ndarray:
    """Any colour for this share of all modules, wherever they are."""
    shape = side_of(version), side_of(version)
    return np.where(random.random(shape) < share, random.integers(0, 2, shape), -1).astype(np.int8)


def disc(version: int, width: float, colour: int) -> np.ndarray:
    """One colour for a disc in the middle, as wide as this share of the symbol."""
    side = side_of(version)
    down, across = np.mgrid[:side, :side] - (side - 1) / 2
    return np.where(np.hypot(down, across) <= width * side / 2, colour, -1).astype(np.int8)


# ---- what is met


@given(seed=seeds, version=st.integers(1, 8), level=st.sampled_from(LEVELS), mask=st.integers(0, 7))
@some
def test_pad_codewords_are_found_again_from_the_modules_they_make(seed, version, level, mask):
    random = Random(seed)
    content = "c" * random.randint(1, characters_held(version, level, "byte") - 1)
    pads = random.randbytes(characters_held(version, level, "byte") - len(content))
    asked = {"version": version, "error_correction": level, "mask": mask}
    drawn = encode(content, **asked, pad_codewords=pads)
    assert solve(content, **asked, wanted=modules(drawn)) == pads


@given(seed=seeds, version=st.integers(1, 6), level=st.sampled_from(LEVELS), share=st.sampled_from([0.05, 0.2, 0.5, 1]))
@some
def test_the_pad_codewords_of_the_standard_are_never_better_in_any_block(seed, version, level, share):
    random = np.random.default_rng(seed)
    mask, wanted = int(random.integers(8)), wishes(random, version, share)
    content = "d" * int(random.integers(1, characters_held(version, level, "byte") + 1))
    owners = codeword_blocks(version, level)
    ours, theirs = (
        [owners[codeword] for codeword in wrong_codewords(symbol, wanted)]
        for symbol in (free(content, wanted, version, level, mask), standard(content, version, level, mask))
    )
    assert all(ours.count(block) <= theirs.count(block) for block in set(owners))


def test_cheap_wishes_come_first():
    """One pad codeword: its own eight bits, or one bit of each of seven correction codewords."""
    content = "f" * (characters_held(1, "L", "byte") - 1)
    symbol = standard(content, 1, "L", 0)
    wished = [*range(8 * 18, 8 * 19), *range(8 * 19, 8 * 26, 8)]
    wanted = np.where(np.isin(numbers(1), wished), 1 - modules(symbol), -1)
    assert wrong_codewords(symbol, wanted) == set(range(18, 26))
    assert wrong_codewords(free(content, wanted, 1, "L", 0), wanted) == {18}


def test_luck_of_the_standard_is_kept_though_cheaper_wishes_contradict_it():
    """Two wishes of one bit each, which its pad codewords miss, and all other codewords as it has them."""
    content = "c" * (characters_held(1, "M", "byte") - 2)
    symbol = standard(content, 1, "M", 0)
    wanted = np.where(numbers(1) >= 0, modules(symbol), -1)
    wanted[np.isin(numbers(1) // 8, [24, 25])] = -1
    for number in (8 * 24, 8 * 25):
        wanted[numbers(1) == number] = 1 - modules(symbol)[numbers(1) == number]
    assert wrong_codewords(symbol, wanted) == {24, 25}
    assert len(wrong_codewords(free(content, wanted, 1, "M", 0), wanted)) <= 2


@given(seed=seeds, version=st.integers(1, 6), level=st.sampled_from(LEVELS))
@some
def test_as_many_codewords_as_there_are_pads_are_met_whichever_they_are(seed, version, level):
    """Reed-Solomon codes have the greatest distance: any so many codewords of a block determine the others."""
    random = Random(seed)
    content = "e" * random.randint(1, characters_held(version, level, "byte"))
    data = sum(block.data for block in blocks(version, level))
    fixed = (12 + 8 * len(content) + 4) // 8
    owners = np.frombuffer(codeword_blocks(version, level), dtype=np.uint8)
    chosen = []
    ends = list(accumulate(block.data for block in blocks(version, level)))
    for number, (block, end) in enumerate(zip(blocks(version, level), ends, strict=True)):
        pads = min(max(end - fixed, 0), block.data)
        changeable = np.flatnonzero(owners == number)[block.data - pads :].tolist()
        chosen += random.sample(changeable, pads)
    wanted = np.random.default_rng(seed).integers(0, 2, numbers(version).shape)
    wanted[~np.isin(numbers(version) // 8, chosen)] = -1
    assert wrong_codewords(free(content, wanted, version, level, 3), wanted) == set()
    assert len(chosen) == data - fixed


@pytest.mark.parametrize(("share", "missed"), [(0.05, 0), (0.1, 0), (0.3, 1), (0.8, 1)])
@pytest.mark.parametrize("seed", range(4))
def test_none_of_all_256_pad_codewords_meets_more_than_one_codeword_more(seed, share, missed):
    content = "f" * (characters_held(1, "L", "byte") - 1)
    wanted = wishes(np.random.default_rng(seed), 1, share)
    best = min(
        len(wrong_codewords(encode(content, version=1, error_correction="L", mask=seed, pad_codewords=pads), wanted))
        for pads in (bytes([value]) for value in range(256))
    )
    assert len(wrong_codewords(free(content, wanted, 1, "L", seed), wanted)) <= best + missed


@pytest.mark.parametrize("colour", [0, 1])
def test_a_disc_of_half_the_width_takes_little_of_the_error_correction(colour):
    wanted = disc(5, 0.5, colour)
    for mask in range(8):
        assert used(standard(URL, 5, "M", mask), wanted) > 1.5
        assert used(free(URL, wanted, 5, "M", mask), wanted) < 0.3


def test_without_wishes_the_pad_codewords_are_those_of_the_standard():
    wanted = np.full((29, 29), -1)
    assert free(URL, wanted, 3, "M", 2) == standard(URL, 3, "M", 2)


def test_wishes_for_function_patterns_are_without_effect():
    wanted = np.where(numbers(7) < 0, 1 - modules(standard(URL, 7, "M", 2)), -1)
    assert free(URL, wanted, 7, "M", 2) == standard(URL, 7, "M", 2)


def test_the_same_wishes_give_the_same_bytes_whatever_holds_them():
    wanted = disc(4, 0.4, 1)
    asked = {"version": 4, "error_correction": "Q", "mask": 5}
    found = solve(URL, **asked, wanted=wanted)
    assert found == solve(URL, **asked, wanted=tuple(map(tuple, wanted.tolist())))
    assert found == solve(URL, **asked, wanted=iter(wanted.astype(float)))


# ---- what does not change


@given(seed=seeds, version=st.integers(1, 10), level=st.sampled_from(LEVELS), mode=st.sampled_from(["auto", "numeric"]))
@some
def test_the_content_stays_and_the_blocks_are_without_error(seed, version, level, mode):
    random = Random(seed)
    content = "".join(random.choices("0123456789", k=random.randint(1, characters_held(version, level, "numeric"))))
    mask, wanted = random.randrange(8), wishes(np.random.default_rng(seed), version, 0.3)
    ours = codewords(free(content, wanted, version, level, mask, mode))
    theirs = codewords(standard(content, version, level, mask, mode))
    shares = blocks(version, level)
    assert not any(has_errors(part, block.correction) for part, block in zip(ours, shares, strict=True))
    # Header, digits and terminator; the padding bits after it are 0 in both.
    length = 4 + (10 if version < 10 else 12) + len(content) // 3 * 10 + (0, 4, 7)[len(content) % 3] + 4
    fixed = -(-min(length, bits_held(version, level)) // 8)
    data_of = [b"".join(part[: block.data] for part, block in zip(one, shares, strict=True)) for one in (ours, theirs)]
    assert data_of[0][:fixed] == data_of[1][:fixed]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("version", [3, 5, 7])
def test_readers_read_the_same_content(version, level):
    for mask, colour in ((0, 1), (6, 0)):
        wanted = disc(version, 0.4, colour)
        assert texts_read(modules(free(URL, wanted, version, level, mask))) == (URL, URL)


@pytest.mark.parametrize("colour", [0, 1])
def test_readers_read_through_a_disc_of_half_the_width(colour):
    wanted = disc(5, 0.5, colour)
    before, after = standard(URL, 5, "M", 0), free(URL, wanted, 5, "M", 0)
    assert texts_read(np.where(wanted < 0, modules(before), wanted)) == ("", "")
    assert texts_read(np.where(wanted < 0, modules(after), wanted)) == (URL, URL)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("version", range(1, 11))
@pytest.mark.parametrize("contents", night_after([4, 12]))
def test_random_contents_and_wishes_are_read(version, level, contents):
    random = Random(f"{version} {level}")
    for _ in range(contents):
        content = "".join(
            random.choices("abcdefgh.:/-_~ 123456789ABC", k=random.randint(1, characters_held(version, level, "byte")))
        )
        wanted = wishes(np.random.default_rng(random.randrange(2**32)), version, random.choice([0.1, 0.3, 1]))
        symbol = free(content, wanted, version, level, random.randrange(8), random.choice(["byte", "auto"]))
        shares = blocks(version, level)
        assert not any(has_errors(part, one.correction) for part, one in zip(codewords(symbol), shares, strict=True))
        assert texts_read(modules(symbol)) == (content, content)


# ---- pad codewords that are given, and what is refused


def test_given_pad_codewords_follow_the_terminator():
    asked = {"version": 1, "error_correction": "M", "mask": 0}
    assert codewords(encode("A", **asked, pad_codewords=bytes(range(13))))[0][:16] == b"\x40\x14\x10" + bytes(range(13))
    digit = encode("1", **asked, mode="numeric", pad_codewords=b"\xff" * 13)
    assert codewords(digit)[0][:16] == b"\x10\x04\x40" + b"\xff" * 13


def test_a_content_that_fills_the_symbol_leaves_no_pad_codewords():
    content = "g" * characters_held(2, "L", "byte")
    wanted = np.ones((25, 25))
    assert solve(content, version=2, error_correction="L", mask=0, wanted=wanted) == b""
    assert free(content, wanted, 2, "L", 0) == standard(content, 2, "L", 0)


@pytest.mark.parametrize("count", [0, 12, 14])
def test_pad_codewords_are_as_many_as_the_content_leaves(count):
    with pytest.raises(InvalidParameter, match="must have 13 codewords, which fill version 1-M") as caught:
        encode("A", version=1, pad_codewords=bytes(count))
    assert caught.value.name == "pad_codewords"


def test_kanji_have_free_padding_too():
    asked = {"version": 1, "mode": "kanji", "mask": 0}
    pads = solve("漢字", **asked, wanted=np.ones((21, 21)))
    ours, by_the_standard = (encode("漢字", **asked, pad_codewords=pad) for pad in (pads, "iso"))
    assert sum(map(sum, ours.modules)) > sum(map(sum, by_the_standard.modules))


@pytest.mark.parametrize(
    "wanted",
    [np.zeros((25, 25)), np.zeros((21, 20)), [], [[2] * 21] * 21, [[0.5] * 21] * 21, [[0] * 21] * 20 + [[0] * 22]],
)
def test_wishes_have_the_shape_of_the_symbol_and_three_values(wanted):
    with pytest.raises(InvalidParameter, match="wanted: must be 21 rows of 21 modules, each 1 for dark") as caught:
        solve("A", version=1, mask=0, wanted=wanted)
    assert caught.value.name == "wanted"


def test_what_no_symbol_can_have_is_refused():
    with pytest.raises(ContentTooLong):
        solve("h" * 100, version=1, mask=0, wanted=np.zeros((21, 21)))
    with pytest.raises(InvalidParameter, match="version=41: must be in"):
        solve("A", version=41, mask=0, wanted=np.zeros((21, 21)))
    with pytest.raises(InvalidParameter, match="mask=8: must be in"):
        solve("A", version=1, mask=8, wanted=np.zeros((21, 21)))
