"""A verdict holds for every file that is written: readers get the files, not the drawing that was checked."""

from collections.abc import Iterator
from math import ceil

import numpy as np
import pytest
from PIL import Image

from qrkit import Design, Layer, QRImage, check
from qrkit.errors import InvalidParameter
from qrkit.scanning.conditions import retaken
from qrkit.scanning.readers import OF_PHONES, standard
from tests.conformance import readers
from tests.scanning.random_designs import random_design
from tests.sweeps import night_after

RASTER = ("png", "jpg", "gif", "webp", "bmp", "tif")
FEWEST = {"robust": 3, "ok": 2, "fragile": 0, "unreadable": 0}
"""Readers of a file, by the verdict on its design for embedded readers."""
FEWEST_OF_PHONES = {"robust": 2, "ok": 1, "fragile": 0, "unreadable": 0}
"""Readers of a file that stand for phones, by the verdict on its design for phones."""
PIXELS = (6, 9)
"""Of a module as it is seen, at least: who sees nothing comes nearer."""


def looks_at(data: bytes, format: str, module: float) -> Iterator[np.ndarray]:
    """A file as readers get it: on white, enlarged until modules have some pixels, and once more a little turned."""
    pixels = readers.svg(data) if format == "svg" else readers.raster(data)
    picture = Image.fromarray(pixels.astype(np.uint8), "RGBA")
    seen = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("L")
    for least in PIXELS:
        times = ceil(least / module)
        greys = np.asarray(seen).repeat(times, axis=0).repeat(times, axis=1)
        yield greys
        yield retaken(greys)


def readers_of(image: QRImage, format: str) -> set[str]:
    data = image.to_bytes(format)
    looks = list(looks_at(data, format, image.scene.module))
    content = image.design.content.encode()
    return {engine.name for engine in standard() if any(content in engine.read(look) for look in looks)}


def broken_promises(seeds: range, formats: tuple[str, ...]) -> list[str]:
    """Files that fewer readers read than the verdict on their design says."""
    found = []
    for seed in seeds:
        try:
            image = QRImage(random_design(seed))
        except InvalidParameter:  # less than a pixel for a module
            continue
        report = image.check(audience="all")
        for format in formats:
            names = readers_of(image, format)
            of_phones = names & {*OF_PHONES}
            if len(names) < FEWEST[report.embedded] or len(of_phones) < FEWEST_OF_PHONES[report.phones]:
                found.append(f"{seed}.{format}: {report.phones} and {report.embedded}, read by {sorted(names)}")
    return found


def test_a_verdict_holds_for_every_file_that_is_written():
    assert broken_promises(range(1), ("png", "jpg", "gif", "svg")) == []


@pytest.mark.slow
@pytest.mark.parametrize("seeds", night_after([range(1, 16), range(16, 55)]))
def test_a_verdict_holds_for_files_of_all_formats(seeds):
    assert broken_promises(seeds, (*RASTER, "svg")) == []


@pytest.mark.slow
def test_a_logo_leaves_out_the_same_modules_in_every_format():
    """A width that is no multiple of the modules: raster formats shrink the symbol, and what lies on it."""
    layer = Layer("icon:camera", x=147, y=147, width=102, height=102, display="box-hit-test")
    fields = {"version": 4, "width": 396, "ec": "L", "pad_codewords": "free"}
    image = QRImage(Design(content="https://exmpl.co/6ynk", layers=[layer], **fields))
    assert image.check().verdict == "robust"
    for format in (*RASTER, "svg"):
        assert readers_of(image, format) == {engine.name for engine in standard()}, format
    for size in (20, 40, 80):
        assert check(image.print_at(size).to_bytes("png")).verdict != "unreadable"


@pytest.mark.parametrize("width", [328, 340, 360, 369, 396])
def test_the_budget_of_a_picture_is_that_of_its_design(width):
    plain = Design(content="https://example.com/spring", ec="M", version=4, width=width)
    design = plain.with_logo("icon:heart", 0.25, plate=None)
    assert check(QRImage(design).to_bytes("png"), "static").budget.used == design.check("static").budget.used


@pytest.mark.parametrize("union", [False, True])
def test_modules_of_a_fraction_of_a_pixel_leave_no_gaps_in_an_svg(union):
    """In a wrapper, 7.2903 pixels a module become 11: rounded sides once left a white line between any two modules."""
    design = random_design(652)
    assert readers_of(QRImage(design.replace(modules={"union": union})), "svg") == {one.name for one in standard()}
