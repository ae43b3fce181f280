"""Blocks that were read with errors are corrected, or given up, but never read falsely."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit.symbol.correcting import corrected
from qrkit.symbol.encode.blocks import blocks
from qrkit.symbol.encode.reed_solomon import correction_codewords
from tests.sweeps import quick_first


def spoiled(block: bytes, places, random: Random) -> bytes:
    """The block with other codewords at these places."""
    changed = bytearray(block)
    for place in places:
        changed[place] ^= random.randrange(1, 256)
    return bytes(changed)


@given(st.integers(1, 40), st.sampled_from("LMQH"), st.randoms(use_true_random=False), st.data())
@settings(max_examples=25, deadline=None)
def test_errors_within_the_standards_limit_are_corrected(version, level, random, data):
    share = blocks(version, level)[0]
    message = random.randbytes(share.data)
    block = message + correction_codewords(message, share.correction)
    wrong = data.draw(st.integers(0, share.correctable))
    places = random.sample(range(len(block)), wrong)
    assert corrected(spoiled(block, places, random), share.correction) == block


@given(st.integers(1, 40), st.sampled_from("LMQH"), st.randoms(use_true_random=False), st.data())
@settings(max_examples=25, deadline=None)
def test_erased_codewords_cost_half_as_much(version, level, random, data):
    share = blocks(version, level)[0]
    message = random.randbytes(share.data)
    block = message + correction_codewords(message, share.correction)
    erased = data.draw(st.integers(0, share.correction - 4))
    wrong = data.draw(st.integers(0, max(0, share.correction - 7 - erased) // 2))
    places = random.sample(range(len(block)), erased + wrong)
    assert corrected(spoiled(block, places, random), share.correction, places[:erased]) == block


@pytest.mark.parametrize("erased", quick_first(range(4), 1))
def test_noise_is_never_read(erased):
    random = Random(45 + erased)
    for level in "LMQH":
        for version in (1, 2, 3, 5, 7):
            share = blocks(version, level)[0]
            size = share.data + share.correction
            for _ in range(20):
                places = random.sample(range(size), (share.correction - 4) * erased // 3)
                assert corrected(random.randbytes(size), share.correction, places) is None
