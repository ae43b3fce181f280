"""The fullest symbol of every version, level and mode, and in every version through every way of writing shapes."""

from itertools import cycle

import numpy as np
import pytest

from qrkit import QRImage, generate
from qrkit.symbol.encode.capacity import LEVELS, characters_held
from tests.conformance import readers
from tests.sweeps import night_between

pytestmark = pytest.mark.slow

LETTERS = {"numeric": "7", "alphanumeric": "Z", "byte": "z"}
READERS = {
    "png": readers.raster,
    "svg": readers.svg,
    "xaml": readers.xaml,
    "html": readers.html_table,
    "txt": lambda data: readers.of_modules(readers.txt(data.decode()), size=2),
}
SIZE = 2


def full_images(version: int) -> dict[str, QRImage]:
    return {
        f"{version}-{level} {mode}": generate(
            letter * characters_held(version, level, mode), version=version, ec=level, em=mode, size=SIZE
        )
        for level in LEVELS
        for mode, letter in LETTERS.items()
    }


def assert_recovered(image: QRImage, pixels: np.ndarray) -> None:
    grid = np.pad([list(row) for row in image.symbol.modules], image.design.padding)
    expected = np.where(grid, 0, 255)
    assert np.array_equal(readers.on_white(readers.cells(pixels, len(grid)))[..., 0], expected)
    assert readers.zxing(pixels) == image.design.content.encode()


@pytest.mark.parametrize("version", night_between((version,) for version in range(1, 41)))
def test_the_fullest_symbols_are_recovered_from_what_is_written(version):
    for image, (name, reader) in zip(full_images(version).values(), cycle(READERS.items()), strict=False):
        assert_recovered(image, reader(image.to_bytes(name)))


@pytest.mark.needs("gs")
@pytest.mark.parametrize("version", night_between((version,) for version in range(1, 41)))
def test_the_fullest_symbols_are_recovered_from_print(version, tmp_path):
    images = full_images(version)
    files = [
        image.save(tmp_path / f"{number}.{format}")
        for number, (image, format) in enumerate(zip(images.values(), cycle(("eps", "pdf")), strict=False))
    ]
    for image, pixels in zip(images.values(), readers.ghostscript(tmp_path, files), strict=True):
        assert_recovered(image, pixels)
