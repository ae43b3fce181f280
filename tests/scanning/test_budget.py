"""The error budget against three truths: the standard's arithmetic, what readers correct, and what they say is left."""

import re
from io import BytesIO
from xml.etree import ElementTree

import deqr
import numpy as np
import pytest
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit import Layer, QRImage, check
from qrkit.scanning.budget import FIXED, WRONG, Budget, damage, true_modules, wrong_modules
from qrkit.scanning.module_roles import module_codewords
from qrkit.scanning.sampling import MARGIN
from qrkit.symbol.encode import encode
from qrkit.symbol.encode.blocks import blocks, codeword_blocks
from qrkit.symbol.symbol import Role, Symbol, bit_numbers, roles
from tests.conformance import readers
from tests.drawing.pictures import filled
from tests.scanning.designs import CARD, PAYLOADS, plain, side_of, with_logo
from tests.sweeps import night_between

BLACK = filled((0, 0, 0, 255))

LEVELS = "LMQH"
FAST = [(1, "L"), (2, "M"), (3, "Q"), (5, "H"), (7, "M"), (14, "Q"), (40, "H")]
ALL = [(version, level) for version in range(1, 41) for level in LEVELS]

# ---- the map: each codeword of the standard's arithmetic is where the map says


def unmasked(symbol: Symbol) -> np.ndarray:
    """The modules before masking (ISO/IEC 18004:2015, table 10)."""
    row, column = np.indices((symbol.side, symbol.side))
    pattern = [
        (row + column) % 2,
        row % 2,
        column % 3,
        (row + column) % 3,
        (row // 2 + column // 3) % 2,
        row * column % 2 + row * column % 3,
        (row * column % 2 + row * column % 3) % 2,
        ((row + column) % 2 + row * column % 3) % 2,
    ][symbol.mask]
    return true_modules(symbol) ^ (pattern == 0)


def read_blocks(symbol: Symbol) -> list[bytes]:
    """The codewords of each block, as they are found by walking the map."""
    bits = np.asarray(bit_numbers(symbol.version))
    owners = codeword_blocks(symbol.version, symbol.error_correction)
    message = np.zeros(8 * len(owners) + 8, dtype=np.uint8)
    is_bit = bits >= 0
    message[bits[is_bit]] = unmasked(symbol)[is_bit]
    codewords = np.packbits(message)[: len(owners)]
    return [bytes(codewords[np.frombuffer(owners, np.uint8) == number]) for number in range(max(owners) + 1)]


def field() -> tuple[list[int], list[int]]:
    """Powers of 2 in GF(256) over x⁸ + x⁴ + x³ + x² + 1, and their logarithms (7.5.2)."""
    powers, value = [], 1
    for _ in range(255):
        powers.append(value)
        value = value << 1 ^ (0x11D if value & 0x80 else 0)
    logarithms = [0] * 256
    for exponent, power in enumerate(powers):
        logarithms[power] = exponent
    return powers, logarithms


POWERS, LOGARITHMS = field()


def syndromes(block: bytes, correction: int) -> list[int]:
    """The block as a polynomial at 2⁰, 2¹, …: all 0 where nothing is wrong."""
    found = []
    for root in range(correction):
        value = 0
        for codeword in block:
            value = (POWERS[(LOGARITHMS[value] + root) % 255] if value else 0) ^ codeword
        found.append(value)
    return found


def assert_whole(version: int, level: str) -> None:
    symbol = encode("syndromes of zero 0123456789"[: 5 + version], version=version, error_correction=level)
    shares = blocks(version, level)
    found = read_blocks(symbol)
    assert [len(one) for one in found] == [share.data + share.correction for share in shares]
    for block, share in zip(found, shares, strict=True):
        assert syndromes(block, share.correction) == [0] * share.correction
    broken = bytes([found[0][0] ^ 1]) + found[0][1:]
    assert all(syndromes(broken, shares[0].correction))


@pytest.mark.parametrize(("version", "level"), FAST)
def test_syndromes_are_zero_where_the_map_says_the_codewords_are(version, level):
    assert_whole(version, level)


@pytest.mark.slow
@pytest.mark.parametrize(("version", "level"), night_between(ALL))
def test_syndromes_are_zero_in_every_version_and_level(version, level):
    assert_whole(version, level)


# ---- what is promised is what readers correct


def drawn(symbol: Symbol, wrong: np.ndarray) -> np.ndarray:
    seen = np.where(true_modules(symbol) ^ wrong, 0, 255).astype(np.uint8)
    return np.pad(seen, 4, constant_values=255).repeat(6, 0).repeat(6, 1)


def with_wrong_codewords(symbol: Symbol, count: int, block: int, seed: int = 0) -> np.ndarray:
    """One wrong module in each of so many codewords of a block."""
    random = np.random.default_rng(seed)
    owners = np.frombuffer(codeword_blocks(symbol.version, symbol.error_correction), np.uint8)
    wrong = np.zeros((symbol.side, symbol.side), dtype=bool)
    for codeword in random.choice(np.flatnonzero(owners == block), count, replace=False):
        places = np.argwhere(module_codewords(symbol.version) == codeword)
        wrong[tuple(places[random.integers(8)])] = True
    return wrong


def read_by_zxing(greys: np.ndarray) -> list[bytes]:
    return [one.bytes for one in zxingcpp.read_barcodes(greys)]


def read_by_quirc(greys: np.ndarray) -> list[bytes]:
    found = deqr.QuircDecoder().decode(greys.copy(), convert_data=False, binarize=False)
    return [b"".join(part.data for part in one.data_entries) for one in found]


READERS = {"zxing-cpp": read_by_zxing, "quirc": read_by_quirc}
CASES = [(version, level) for version in (1, 2, 3, 5, 8) for level in LEVELS]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("version", "level"), CASES)
def test_as_many_wrong_codewords_as_are_promised_are_read(version, level, reader):
    symbol = encode("budget", version=version, error_correction=level)
    for number, share in enumerate(blocks(version, level)[:2]):
        wrong = with_wrong_codewords(symbol, share.correctable, number)
        budget = damage(wrong, symbol)
        assert (budget.used, budget.errors[number], budget.correctable[number]) == (1.0, *[share.correctable] * 2)
        assert READERS[reader](drawn(symbol, wrong)) == [b"budget"]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("version", "level"), CASES)
def test_one_wrong_codeword_more_than_there_is_correction_for_is_not_read(version, level, reader):
    """Some readers correct with the codewords, too, that the standard keeps to notice wrong corrections (p)."""
    symbol = encode("budget", version=version, error_correction=level)
    for number, share in enumerate(blocks(version, level)[:2]):
        wrong = with_wrong_codewords(symbol, share.correction // 2 + 1, number)
        budget = damage(wrong, symbol)
        assert budget.used > 1
        assert (budget.unused < 0, budget.worst_block) == (True, number)
        assert READERS[reader](drawn(symbol, wrong)) == []


@given(st.integers(0, 2**32 - 1), st.sampled_from([(1, "M"), (4, "Q"), (7, "H")]), st.integers(0, 200))
@settings(max_examples=60)
def test_more_wrong_modules_never_cost_less(seed, kind, count):
    version, level = kind
    symbol = encode("budget", version=version, error_correction=level)
    order = np.random.default_rng(seed).permutation(symbol.side**2)
    fewer, more = (np.isin(np.arange(symbol.side**2), order[:n]).reshape(symbol.side, -1) for n in (count, count + 9))
    before, after = damage(fewer, symbol), damage(more, symbol)
    assert all(one <= other for one, other in zip(before.errors, after.errors, strict=True))
    assert before.used <= after.used
    assert before.unused >= after.unused
    assert before.fixed.items() <= {name: min(n, before.fixed.get(name, n)) for name, n in after.fixed.items()}.items()


def test_eight_wrong_modules_of_a_codeword_are_one_error():
    symbol = encode("budget", version=2)
    budget = damage(module_codewords(2) == 7, symbol)
    assert (sum(budget.errors), int(budget.wrong.sum())) == (1, 8)


def test_function_patterns_and_remainder_bits_use_no_correction():
    symbol = encode("budget", version=7)
    grid = np.array([list(row) for row in roles(7)])
    budget = damage(module_codewords(7) < 0, symbol)
    assert (budget.used, budget.unused) == (0, 1)
    assert budget.fixed == {
        "finder_top_left": 49,
        "finder_top_right": 49,
        "finder_bottom_left": 49,
        **{role.name.lower(): int((grid == role).sum()) for role in Role if role not in (Role.DATA, Role.FINDER)},
    }
    assert damage(np.zeros_like(grid, dtype=bool), symbol).fixed == {}


def test_misdecode_protection_is_not_promised():
    """Version 1-L: 7 correction codewords, of which 3 only notice; 2 errors leave nothing unused (clause 7.5.1)."""
    symbol = encode("hi", version=1, error_correction="L")
    budget = damage(with_wrong_codewords(symbol, 2, 0), symbol)
    assert (budget.correctable, budget.used, budget.unused) == ((2,), 1.0, 0.0)


# ---- what is drawn


def test_a_plain_symbol_uses_nothing():
    for content in PAYLOADS.values():
        budget = check(plain(content), "static").budget
        assert (budget.used, budget.unused, budget.fixed, budget.causes) == (0, 1, {}, ())
        assert not budget.wrong.any()


@pytest.mark.parametrize("color", ["#000000", "#FFFFFF", "#808080", "#FF6A00"])
def test_under_a_layer_modules_of_other_colours_are_wrong_and_of_mid_tones_all(color):
    """Between 35 % and 65 % of the contrast readers take a module for either."""
    left = top = 32 + 8 * 9
    layer = Layer(filled(tuple(bytes.fromhex(color[1:] + "FF"))), x=left, y=top, width=56, height=56)
    report = check(plain(version=5, layers=[layer]), "static")
    box = (slice(9, 16), slice(9, 16))
    dark = true_modules(report.budget.symbol)[box]
    expected = {"#000000": ~dark, "#FFFFFF": dark}.get(color, np.ones_like(dark))
    assert np.array_equal(report.budget.wrong[box], expected)
    assert report.budget.wrong.sum() == expected.sum()


@given(
    dark=st.floats(0, 0.4), light=st.floats(0.6, 1), inverted=st.booleans(), version=st.sampled_from([1, 6]),
    tilt=st.floats(-0.3, 0.3),
)  # fmt: skip
@settings(max_examples=60)
def test_thresholds_follow_colours_polarity_and_light(dark, light, inverted, version, tilt):
    """Nothing is wrong in a symbol whose dark and light differ everywhere, however uneven its light is."""
    symbol = encode("light", version=version)
    modules = np.pad(true_modules(symbol), MARGIN)
    luma = np.where(modules != inverted, dark, light).astype(np.float32)
    shade = 1 + np.linspace(-tilt, tilt, len(luma), dtype=np.float32)
    assert not wrong_modules(luma * shade, symbol).any()


@given(st.integers(0, 2**32 - 1), st.floats(0.36, 0.64))
@settings(max_examples=30)
def test_modules_between_dark_and_light_are_wrong_whatever_they_are(seed, value):
    symbol = encode("between", version=5)
    luma = 1 - np.pad(true_modules(symbol), MARGIN).astype(np.float32)
    data = np.argwhere(np.array([list(row) for row in roles(5)]) == Role.DATA)
    chosen = data[np.random.default_rng(seed).choice(len(data), 12, replace=False)]
    luma[tuple(chosen.T + MARGIN)] = value
    assert wrong_modules(luma, symbol)[tuple(chosen.T)].all()


def test_where_nothing_is_seen_all_is_wrong_and_no_number_is_missing():
    for luma in (0.0, 0.5, 1.0):
        symbol = encode("nothing")
        budget = damage(wrong_modules(np.full((symbol.side + 2 * MARGIN,) * 2, luma, np.float32), symbol), symbol)
        assert budget.used > 1
        assert np.isfinite([budget.used, budget.unused]).all()


@pytest.mark.parametrize("flip", ["none", "horizontal", "vertical", "both"])
def test_a_flip_changes_nothing_of_the_budget(flip):
    layer = Layer(filled((255, 255, 255, 255)), x=90, y=110, width=70, height=30)
    found = check(plain(version=4, flip=flip, layers=[layer]), "static").budget
    assert np.array_equal(found.wrong, check(plain(version=4, layers=[layer]), "static").budget.wrong)
    assert found.wrong.any()


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.4])
def test_a_budget_as_plain_data(share):
    budget = check(with_logo(share, ec="H"), "static").budget
    found = budget.as_dict()
    assert found["used"] == pytest.approx(budget.used, abs=1e-4)
    assert [one["errors"] for one in found["blocks"]] == list(budget.errors)
    assert found["wrongModules"] == budget.wrong.sum()
    assert {one["path"] for one in found["causes"]} <= {"layers.0"}


# ---- against zxing-cpp's own figure


def unused_by_zxing(greys: np.ndarray) -> set[float] | None:
    """What zxing-cpp may mean by its unused error correction; None where it reads nothing.

    It writes hundredths without the leading zero of single ones: "0.9" is 0.90, or 0.09.
    """
    found = zxingcpp.read_barcodes(greys)
    if not found:
        return None
    text = str(found[0].extra["UEC"])
    value = float(text)
    return {value, value / 10} if len(text) == 3 and value < 1 else {value}


CLEAR_COLORS = ((0, 0, 0, 255), (255, 255, 255, 255), (0, 0, 255, 255), (255, 255, 0, 255))
"""All readers take them for dark, or for light; what lies between counts as wrong whatever one of them makes of it."""


def random_overlays(count: int, *, grid: float):
    """Designs with layers in multiples of `grid` pixels; a module has 8."""
    random = np.random.default_rng(8)
    for number in range(count):
        content, level = list(PAYLOADS.values())[number % 3], LEVELS[number // 3 % 4]
        whole = side_of(content, ec=level)
        layers = []
        for _ in range(random.integers(1, 4)):
            width, height = random.uniform(10, 56, 2)
            # Not on the eyes, which codewords cannot help.
            x, y = random.uniform(96, max(104, whole - 152), 2)
            box = [grid * round(value / grid) for value in (x, y, width, height)]
            picture = ("icon:circle", *map(filled, CLEAR_COLORS))[random.integers(len(CLEAR_COLORS) + 1)]
            layers.append(Layer(picture, **dict(zip(("x", "y", "width", "height"), box, strict=True))))
        yield plain(content, ec=level, layers=layers)


def differences(count: int, *, grid: float) -> list[float]:
    """How much more we say is unused than zxing-cpp says, of each design that it reads."""
    found = []
    for design in random_overlays(count, grid=grid):
        image = QRImage(design)
        budget = image.check("static").budget
        said = unused_by_zxing(np.asarray(Image.open(BytesIO(image.to_bytes("png"))).convert("L")))
        if said is None:
            continue
        # zxing-cpp counts all correction codewords, p too, and cuts what is left to hundredths.
        correction = [one.correction for one in blocks(image.symbol.version, design.ec)]
        ours = min(1 - 2 * errors / most for errors, most in zip(budget.errors, correction, strict=True))
        found.append(min((ours - value for value in said), key=abs))
    assert len(found) >= 0.8 * count
    return found


def assert_agrees(count: int) -> None:
    found = np.array(differences(count, grid=8))
    assert np.mean(np.abs(found) <= 0.02) >= 0.95, found.round(2)


@pytest.mark.slow
def test_what_is_left_is_what_zxing_says_is_left():
    assert_agrees(60)


@pytest.mark.slow
def test_what_is_left_is_what_zxing_says_is_left_of_many():
    assert_agrees(200)


@pytest.mark.slow
def test_no_more_is_promised_than_zxing_says_is_left():
    """Of modules that layers cover in part some read right and some do not; they are counted as wrong."""
    found = np.array(differences(60, grid=0.01))
    assert np.mean(found > 0.02) <= 0.05, found.round(2)


def checked_budget(**fields) -> Budget:
    return check(plain(**fields), "static").budget


def colors(budget: Budget) -> np.ndarray:
    """Of the middle of each module, rows x columns x red, green, blue."""
    picture = readers.svg(budget.heat_map().encode())
    assert picture.shape[0] == picture.shape[1] == 10 * (budget.symbol.side + 4)
    return picture[25:-20:10, 25:-20:10, :3].astype(int)


def rgb(color: str) -> list[int]:
    return list(bytes.fromhex(color[1:]))


def test_of_a_plain_symbol_it_is_the_symbol_in_pale_greys():
    budget = checked_budget()
    seen = colors(budget)
    dark = np.array([list(row) for row in budget.symbol.modules]) == 1
    assert len(np.unique(seen[dark], axis=0)) == len(np.unique(seen[~dark], axis=0)) == 1
    assert 120 < seen[dark].mean() < seen[~dark].mean() < 250


@pytest.mark.parametrize("design", [with_logo(0.3, ec="H"), with_logo(0.5, CARD, ec="L")], ids=["small", "large"])
def test_wrong_modules_are_where_they_are(design):
    budget = check(design, "static").budget
    seen = colors(budget)
    assert np.array_equal((seen == rgb(WRONG)).all(axis=-1) | (seen == rgb(FIXED)).all(axis=-1), budget.wrong)


def test_wrong_modules_of_function_patterns_have_a_colour_of_their_own():
    budget = checked_budget(layers=[Layer(BLACK, x=32, y=32, width=64, height=64)])
    seen = colors(budget)
    violet = (seen == rgb(FIXED)).all(axis=-1)
    assert violet.any()
    assert sum(budget.fixed.values()) == violet.sum()


def test_the_more_of_a_block_is_used_the_redder_its_wrong_codewords():
    greens = []
    for share in (0.12, 0.25, 0.45):
        budget = check(with_logo(share, version=4, ec="H"), "static").budget
        seen = colors(budget)
        light = np.array([list(row) for row in budget.symbol.modules]) == 0
        tinted = light & ~budget.wrong & (np.ptp(seen, axis=-1) > 40)
        assert tinted.any()
        greens.append(seen[tinted][:, 1].max())
    assert greens == sorted(greens, reverse=True)
    assert greens[0] > greens[-1]


def test_it_says_in_words_what_it_shows():
    root = ElementTree.parse(BytesIO(checked_budget().heat_map().encode())).getroot()
    assert root.get("role") == "img"
    assert re.search(r"version 2-M .* 0 modules read wrong, the worst block uses 0%", root.get("aria-label"))


def test_it_is_the_same_twice_and_small():
    budget = check(with_logo(0.4, "x" * 1200), "static").budget
    assert budget.heat_map() == budget.heat_map()
    assert len(budget.heat_map()) < 400_000
