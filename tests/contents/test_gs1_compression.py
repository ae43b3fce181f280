"""Compressed GS1 Digital Links: known ones, and what a writer of our own makes of any values."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit.contents.gs1_compression import ALPHABET, SEQUENCES, read_compressed
from qrkit.contents.gs1_identifiers import identifier

KNOWN = {
    "ARFKk4XBoA": {"01": "09506000134352"},
    "ARFKk4XBoCCHV4LoRv5CCCaQ": {"01": "09506000134352", "10": "ABC", "21": "1234", "17": "271231"},
    "GhFKk4XBoIdXiEb-CCaQ": {"01": "09506000134352", "10": "ABC", "21": "1234", "17": "271231"},
    "CxFKk4XBoAgAY": {"01": "09506000134352", "10": "0012"},
    "ARFKk4XBoCAIAGA": {"01": "09506000134352", "10": "0012"},
    "nWJfWKVJwuDQ": {"254": "X1", "414": "9506000134352"},
    "gAQvlQYAATQ1Kr": {"8004": "9506000134352ab"},
    "LRFKk4XBoAAYZEhFXgZGCv1": {"01": "09506000134352", "3103": "000195", "22": "2A", "k": "v1"},
}
"""As GS1's own toolkit compresses them."""


@pytest.mark.parametrize("text", KNOWN)
def test_what_other_programs_compress_is_read(text):
    assert read_compressed(text) == KNOWN[text]


@pytest.mark.parametrize(
    "text", ["", "door", "hello-", "AAAAAAAA", "ARFKk4XBoB", "ARFKk4XB", "A" * 10_000, "ÄRFKk4XBoA"]
)
def test_anything_else_is_no_compressed_link(text):
    assert read_compressed(text) is None


def test_a_single_changed_letter_never_raises():
    text = "GhFKk4XBoIdXiEb-CCaQ"
    for place in range(len(text)):
        for letter in ALPHABET:
            found = read_compressed(text[:place] + letter + text[place + 1 :])
            assert found is None or found


def bits_of(number: str, value: str) -> str:
    """Write a value by the format of its application identifier, letters as digits, hexadecimal, base64 or ASCII."""
    written = ""
    for letters, is_variable, length in re.findall(r"([NXYZ])(\.\.)?([0-9]+)", identifier(number).format):
        part = value if is_variable else value[: int(length)]
        value = value[len(part) :]
        if letters != "N":
            encoding = encoding_of(part)
            written += f"{encoding:03b}"
        if is_variable:
            written += f"{len(part):0{int(length).bit_length()}b}"
        written += digits(part) if letters == "N" else letters_in_bits(part, encoding)
    return written


def digits(text: str) -> str:
    return f"{int(text or '0'):0{(10 ** len(text) - 1).bit_length()}b}" if text else ""


def encoding_of(text: str) -> int:
    kinds = ["[0-9]*", "[0-9a-f]*", "[0-9A-F]*", "[A-Za-z0-9_-]*"]
    return next((place for place, kind in enumerate(kinds) if re.fullmatch(kind, text)), 4)


def letters_in_bits(text: str, encoding: int) -> str:
    if encoding == 0:
        return digits(text)
    if encoding in (1, 2):
        return "".join(f"{int(letter, 16):04b}" for letter in text)
    if encoding == 3:
        return "".join(f"{ALPHABET.index(letter):06b}" for letter in text)
    return "".join(f"{ord(letter):07b}" for letter in text)


def in_base64(bits: str) -> str:
    bits += "0" * (-len(bits) % 6)
    return "".join(ALPHABET[int(bits[place : place + 6], 2)] for place in range(0, len(bits), 6))


VALUES = {
    "01": st.just("09506000134352"),
    "10": st.from_regex(r"[!-\"%-?A-Z_a-z]{1,20}", fullmatch=True),
    "21": st.from_regex(r"[0-9]{1,20}|[0-9a-f]{1,20}|[A-Za-z0-9_-]{1,20}", fullmatch=True),
    "17": st.just("271200"),
    "3103": st.from_regex("[0-9]{6}", fullmatch=True),
    "30": st.from_regex("[0-9]{1,8}", fullmatch=True),
}


@given(st.data())
def test_any_values_come_back(data):
    names = data.draw(st.permutations(list(VALUES)))[: data.draw(st.integers(1, len(VALUES)))]
    values = {number: data.draw(VALUES[number]) for number in {**dict.fromkeys(names), "01": None}}
    bits = "".join(
        "".join(f"{int(digit):04b}" for digit in number) + bits_of(number, values[number]) for number in values
    )
    assert read_compressed(in_base64(bits)) == values


@pytest.mark.parametrize("beginning", ["1A", "0A", "0B", "0C", "0D", "2D", "9D"])
@pytest.mark.parametrize("in_order", [tuple, sorted], ids=["as listed", "by number"])
def test_sequences_of_identifiers_come_back_in_both_orders(beginning, in_order):
    values = {"01": "09506000134352", "10": "AB", "21": "x/1", "17": "271231", "22": "2A", "3103": "000195"}
    values |= {"414": "9506000134352", "254": "X1"}
    bits = f"{int(beginning, 16):08b}" + "".join(bits_of(one, values[one]) for one in in_order(SEQUENCES[beginning]))
    assert read_compressed(in_base64(bits)) == {one: values[one] for one in SEQUENCES[beginning]}
