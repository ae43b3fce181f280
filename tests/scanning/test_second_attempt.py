"""Codes that readers find but cannot correct are read in a second attempt, and noise never is."""

from time import process_time

import numpy as np
import pytest
from PIL import Image

from qrkit import Design, decode, decode_all
from qrkit.errors import InvalidParameter, NoSymbol
from qrkit.scanning.budget import true_modules
from qrkit.scanning.module_roles import role_grid
from qrkit.scanning.photographs.second_attempt import second_attempt
from qrkit.symbol.rebuilding import blank
from tests.scanning.captures import Capture, flat, photo
from tests.sweeps import night_after, quick_first

CONTENT = "https://example.com/a-second-attempt"
LONGEST = 60.0
"""Seconds of an attempt that no time limit ends."""
HARD = Capture("hard", module=5, blur=0.35, bend=0.02, noise=0.02, shade=0.7)


def noise(seed: int) -> Image.Image:
    """A picture that has all patterns of a QR Code, and modules by chance."""
    random = np.random.default_rng(seed)
    version, level, mask = int(random.integers(1, 8)), "LMQH"[random.integers(4)], int(random.integers(8))
    patterns = true_modules(blank(version, level, mask))
    dark = np.where(role_grid(version) > 0, patterns, random.random(patterns.shape) < 0.5)
    light = np.pad(np.where(dark, 0, 255), 4, constant_values=255).astype(np.uint8)
    return Image.fromarray(np.kron(light, np.ones((6, 6), np.uint8)))


@pytest.mark.parametrize("seed", quick_first(range(12), 1))
def test_photos_that_no_reader_reads_are_read(seed):
    taken = photo(flat(Design(content=CONTENT, ec="Q")), HARD, seed)
    with pytest.raises(NoSymbol):
        decode(taken, effort="quick")
    assert decode(taken).content == CONTENT
    assert [one.content for one in decode_all(taken)] == [CONTENT]


@pytest.mark.parametrize("seeds", [range(2), *night_after([range(2, 80), range(80, 500)])])
def test_noise_has_no_text(seeds):
    """zxing-cpp alone takes one of these for a Micro QR Code of five digits, which has no error correction."""
    assert [seed for seed in seeds if second_attempt(noise(seed), LONGEST) is not None] == []


def test_the_time_is_limited():
    taken = photo(flat(Design(content=CONTENT, ec="Q")), HARD, 0)
    assert second_attempt(taken, LONGEST) is not None
    assert second_attempt(taken, 0) is None


def test_easy_pictures_pay_nothing():
    easy = flat(Design(content=CONTENT))
    decode(easy)
    start = process_time()
    for _ in range(5):
        decode(easy, effort="thorough")
    assert (process_time() - start) / 5 < 0.05


def test_an_unknown_effort_is_named():
    with pytest.raises(InvalidParameter, match="effort='much': allowed: quick, standard, thorough"):
        decode(noise(1), effort="much")
