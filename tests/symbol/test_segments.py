"""Automatic mode: the shortest mix of segments."""

from itertools import groupby, pairwise, product

import numpy as np
import pytest
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit.symbol.encode import encode
from qrkit.symbol.encode.capacity import Segment, bits_needed
from qrkit.symbol.encode.segments import densest_mode, segments_of

MODES = {"numeric": set("0123456789"), "alphanumeric": set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")}

runs = st.sampled_from(["7", "42", "1234567", "A", "QR", "HTTP://", "a", "é", "漢字", "z/", "20260301"])
contents = st.lists(runs, min_size=1, max_size=12).map("".join)
versions = st.sampled_from([1, 9, 10, 26, 27, 40])


def allows(mode: str, text: str) -> bool:
    return mode == "byte" or MODES[mode].issuperset(text)


@pytest.mark.rule("G2")
@given(contents, versions)
@settings(max_examples=100)
def test_the_mix_is_never_longer_than_one_mode_and_loses_nothing(content, version):
    """Open: the interface has no automatic mode. Python offers one, never worse than a choice by hand."""
    mix = segments_of(content, "auto", version)
    assert "".join(text for _, text in mix) == content
    assert all(text and allows(mode, text) for mode, text in mix)
    assert all(one.mode != other.mode for one, other in pairwise(mix))
    singles = [[Segment(mode, content)] for mode in ("numeric", "alphanumeric", "byte") if allows(mode, content)]
    assert bits_needed(mix, version) <= min(bits_needed(single, version) for single in singles)


@given(st.text("1A-aé", min_size=1, max_size=7), versions)
@settings(max_examples=40)
def test_the_mix_is_the_shortest_of_all_there_are(content, version):
    lengths = []
    for modes in product(("numeric", "alphanumeric", "byte"), repeat=len(content)):
        if all(map(allows, modes, content)):
            pairs = groupby(zip(modes, content, strict=True), key=lambda pair: pair[0])
            split = [Segment(mode, "".join(letter for _, letter in run)) for mode, run in pairs]
            lengths.append(bits_needed(split, version))
    assert bits_needed(segments_of(content, "auto", version), version) == min(lengths)


@given(st.lists(st.text("1A-aé", min_size=1, max_size=3), min_size=3, max_size=7).map("a9".join), versions)
@settings(max_examples=40)
def test_the_mix_never_gains_from_a_run_that_is_split(content, version):
    """Some characters of a run in one mode and the rest in the next would not be shorter."""
    mix = segments_of(content, "auto", version)
    for at, (one, other) in enumerate(pairwise(mix)):
        for cut in range(1, len(other.text)):
            if allows(one.mode, other.text[:cut]):
                moved = [Segment(one.mode, one.text + other.text[:cut]), Segment(other.mode, other.text[cut:])]
                assert bits_needed([*mix[:at], *moved, *mix[at + 2 :]], version) >= bits_needed(mix, version)


def test_a_part_of_a_bit_is_counted_where_a_segment_ends():
    """Ten digits take 33 1/3 bits, but their segment 34: forgetting it costs a bit here."""
    by_hand = [Segment("alphanumeric", "AAA1111111111AAA"), Segment("byte", "a")]
    content = "".join(text for _, text in by_hand)
    assert bits_needed(segments_of(content, "auto", 1), 1) <= bits_needed(by_hand, 1) == 121


@pytest.mark.rule("G2")
@given(contents | st.text(min_size=1, max_size=60))
@settings(max_examples=40)
def test_a_mixed_symbol_is_read_back_exactly(content):
    """Open: the interface has no automatic mode. What Python offers must read like the plain modes."""
    symbol = encode(content, mode="auto", mask=1)
    grid = np.pad(np.array([list(row) for row in symbol.modules]), 4)
    picture = np.kron(255 - 255 * grid, np.ones((3, 3))).astype(np.uint8)
    found = zxingcpp.read_barcode(picture, formats=zxingcpp.BarcodeFormat.QRCode, text_mode=zxingcpp.TextMode.Plain)
    assert (found.bytes, found.text) == (content.encode(), content)
    assert found.extra["Version"] == str(symbol.version)


@pytest.mark.parametrize("length", [1, 40, 300, 1500])
def test_automatic_mode_never_takes_a_larger_version(length):
    content = ("order=12345678901234567890&SHOP=BERLIN " * 40)[:length]
    assert encode(content, mode="auto", mask=0).version <= encode(content, mode="byte", mask=0).version


def test_a_symbol_says_when_it_is_mixed():
    assert encode("1" * 30 + "abc", mode="auto", mask=0).mode == "mixed"
    assert encode("1" * 30, mode="auto", mask=0).mode == "numeric"
    assert encode("HELLO", mode="auto", mask=0).mode == "alphanumeric"
    assert encode("hello", mode="auto", mask=0).mode == "byte"


def test_the_densest_mode_is_the_one_that_takes_every_character():
    assert (densest_mode("123"), densest_mode("A 1"), densest_mode("a1")) == ("numeric", "alphanumeric", None)


def test_an_empty_text_is_one_empty_segment_of_bytes():
    assert segments_of("", "auto", 1) == [Segment("byte", "")]
    assert encode("", mode="auto", mask=0).modules == encode("", mask=0).modules
