"""What is built per version: when, how much, and out of what."""

import json
import subprocess
import sys

import pytest
from segno import consts

from qrkit.errors import InvalidParameter
from qrkit.symbol import symbol as symbols
from qrkit.symbol.encode import encode, masking, placement, reed_solomon
from qrkit.symbol.encode.blocks import blocks, codeword_blocks, final_message
from qrkit.symbol.encode.capacity import DATA_CODEWORDS, LEVELS

SEGNO_LEVELS = {
    "L": consts.ERROR_LEVEL_L,
    "M": consts.ERROR_LEVEL_M,
    "Q": consts.ERROR_LEVEL_Q,
    "H": consts.ERROR_LEVEL_H,
}
PAIRS = [(version, level) for version in range(1, 41) for level in LEVELS]


def test_nothing_is_built_before_it_is_used_and_only_what_is_used():
    program = """if True:
        import json, sys
        from qrkit.symbol import symbol
        from qrkit.symbol.encode import encode, bit_stream, masking, placement, planes, reed_solomon
        tables = [symbol.roles, symbol.bit_numbers, planes.geometry, placement._places, masking._patterns,
                  reed_solomon._remainders, bit_stream._groups]
        before = [table.cache_info().currsize for table in tables]
        encode("a", version=3)
        after = [table.cache_info().currsize for table in tables]
        print(json.dumps([before, after, sorted({"numpy", "pydantic", "segno"} & set(sys.modules))]))
    """
    answer = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout
    assert json.loads(answer) == [[0] * 7, [1, 1, 1, 1, 1, 1, 0], []]


def calls_of(work) -> int:
    """How many functions of Python are called, generators that go on included."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("version", [1, 7, 20, 40])
def test_the_first_symbol_of_a_version_calls_less_than_one_function_per_module_and_the_next_few(version):
    for table in (
        symbols.roles,
        symbols.bit_numbers,
        placement._places,
        placement.encoding_region,
        masking._patterns,
        masking._rules,
        reed_solomon._remainders,
    ):
        table.cache_clear()
    first = calls_of(lambda: encode("first", version=version, mode="byte"))
    second = calls_of(lambda: encode("second", version=version, mode="byte"))
    assert first < symbols.side_of(version) ** 2 + 10_000
    assert second < 500


@pytest.mark.parametrize("level", LEVELS)
def test_blocks_are_those_of_table_9(level):
    for version in range(1, 41):
        theirs = [
            (info.num_data, info.num_total - info.num_data)
            for info in consts.ECC[version][SEGNO_LEVELS[level]]
            for _ in range(info.num_blocks)
        ]
        assert [(block.data, block.correction) for block in blocks(version, level)] == theirs


@pytest.mark.parametrize(
    ("version", "level", "correctable"),
    [(1, "L", 2), (1, "M", 4), (1, "Q", 6), (1, "H", 8), (2, "L", 4), (3, "L", 7), (2, "M", 8), (40, "H", 15)],
)
def test_what_a_block_corrects_is_r_of_table_9(version, level, correctable):
    assert {block.correctable for block in blocks(version, level)} == {correctable}


def syndromes(block: bytes, count: int) -> list[int]:
    """Values of the polynomial of a whole block at 1, 2, 4 ...: all 0 where the block is without error."""
    exponents, logarithms = consts.GALIOS_EXP, consts.GALIOS_LOG
    found = []
    for power in range(count):
        value = 0
        for codeword in block:
            value = (exponents[(logarithms[value] + power) % 255] if value else 0) ^ codeword
        found.append(value)
    return found


@pytest.mark.parametrize(("version", "level"), [pair for pair in PAIRS if pair[0] in (1, 2, 5, 7, 13, 22, 40)])
def test_codewords_gathered_by_their_block_are_without_error(version, level):
    held = DATA_CODEWORDS[level][version - 1]
    data = bytes((index * 37 + version) % 251 for index in range(held))
    message = final_message(data, version, level)
    owners = codeword_blocks(version, level)
    assert len(owners) == len(message)
    gathered = [bytes(word for word, owner in zip(message, owners, strict=True) if owner == one) for one in set(owners)]
    shares = blocks(version, level)
    assert b"".join(part[: block.data] for part, block in zip(gathered, shares, strict=True)) == data
    for part, block in list(zip(gathered, shares, strict=True))[:: max(len(shares) // 3, 1)]:
        assert len(part) == block.data + block.correction
        assert set(syndromes(part, block.correction)) == {0}


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"mask": 8}, "mask"),
        ({"mask": -1}, "mask"),
        ({"version": 41}, "version"),
        ({"mode": "numeric"}, "content"),
        ({"mode": "alphanumeric"}, "content"),
        ({"mode": "numeric", "content": ""}, "content"),
        ({"mode": "numeric", "content": "\u0661\u0662\u0663"}, "content"),
        ({"mode": "numeric", "content": "1_2"}, "content"),
    ],
)
def test_what_no_symbol_can_have_is_refused(asked, name):
    with pytest.raises(InvalidParameter, match=r"must be in|takes") as caught:
        encode(**({"content": "x"} | asked))
    assert caught.value.name == name
    assert isinstance(caught.value, ValueError)
