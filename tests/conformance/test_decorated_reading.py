"""Decorated designs must read: module styles x eyes x paints x formats, by readers of both schools.

zxing-cpp measures runs of dark and light, quirc follows contours. Designs whose eyes keep to the safe envelope (default
and eye-1 to eye-17) must read with both, more daring ones with zxing-cpp.
"""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import deqr
import numpy as np
import pytest

from qrkit import Gradient, Layer, Markers, Placeholder, QRImage, Sprite, Wrapper, decode, generate
from qrkit.design.limits import MARKER_PATTERNS, MODULE_TYPES, SPRITE_NAMES
from qrkit.errors import NoSymbol
from tests.conformance import readers

CONTENT = "https://example.com/spring"
STYLES = [*(style for style in MODULE_TYPES if style != "sprite"), *(f"sprite {name}" for name in SPRITE_NAMES)]
SAFE = ["default", *(f"eye-{number}" for number in range(1, 18))]
PAINTS = {
    "solid": "#002B5C",
    "linear": Gradient.linear("#5A0030", "#002B5C"),
    "radial": Gradient.radial("#5A0030", "#004020", centre=(0.3, 0.4), radius=0.7),
}
QUICK = ("png", "svg", "jpg")
MORE = ("webp", "gif", "tif", "bmp")
SIZES = (4, 6, 8)

QUIRC = deqr.QuircDecoder()


class Case(NamedTuple):
    style: str
    eye: str
    paint: str
    format: str
    size: int = 8

    @property
    def image(self) -> QRImage:
        style, _, sprite = self.style.partition(" ")
        return generate(
            CONTENT,
            size=self.size,
            modules={"type": style, "sprite": sprite or None},
            markers=Markers.all(self.eye),
            foreground=PAINTS[self.paint],
        )


def quirc(picture: np.ndarray) -> list[str]:
    """What quirc finds in a picture, of which it gets a copy to write into, of no less than 8 pixels a module."""
    grey = readers.on_white(picture) @ [0.299, 0.587, 0.114]
    larger = -(-8 * 33 // len(grey))
    found = QUIRC.decode(np.ascontiguousarray(grey.astype(np.uint8).repeat(larger, axis=0).repeat(larger, axis=1)))
    return [entry.data for code in found for entry in code.data_entries]


def misread(data: bytes | np.ndarray, case: Case) -> list[str]:
    """The readers that do not get the content out of a picture."""
    pixels = data if isinstance(data, np.ndarray) else (readers.svg if case.format == "svg" else readers.raster)(data)
    failed = []
    try:
        is_read = readers.zxing(pixels) == CONTENT.encode()
        if isinstance(data, bytes) and case.format != "svg":
            is_read &= decode(data).content == CONTENT
    except (AssertionError, NoSymbol):
        is_read = False
    if not is_read:
        failed.append("zxing")
    if case.eye in SAFE and quirc(pixels) != [CONTENT]:
        failed.append("quirc")
    return failed


def unread(cases: Iterable[Case]) -> list[tuple[str, Case]]:
    """What no reader of a school got out."""
    return [(reader, case) for case in cases for reader in misread(case.image.to_bytes(case.format), case)]


def covering() -> list[Case]:
    """Every style with every eye; paints, formats and sizes so that each value of one meets each of any other."""
    pairs = product(enumerate(STYLES), enumerate(MARKER_PATTERNS))
    return [
        Case(
            style,
            eye,
            list(PAINTS)[(across + down // 3 + down) % 3],
            QUICK[(across // 3 + down) % 3],
            SIZES[(across + down // 9 + 2 * down) % 3],
        )
        for (across, style), (down, eye) in pairs
    ]


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("style", [style for style in MODULE_TYPES if style != "sprite"])
def test_every_style_reads_at_four_pixels_a_module_whatever_its_content(style, step):
    contents = [CONTENT + "/" + "a7-"[count % 3] * 4 * count for count in range(0, 20, step)]
    pictures = [generate(content, size=4, modules={"type": style}).to_bytes() for content in contents]
    assert [readers.zxing(readers.raster(picture)).decode() for picture in pictures] == contents


TELLING = ("default", "rounded", "sprite diamond2")
"""The ones that are easiest and hardest to read; the others take their time in `make slow`."""


def test_the_covering_design_has_every_pair():
    values = (STYLES, MARKER_PATTERNS, PAINTS, QUICK, SIZES)
    for one, other in combinations(range(5), 2):
        assert {(case[one], case[other]) for case in covering()} == set(product(values[one], values[other]))


@pytest.mark.rule("G12")
@pytest.mark.parametrize(
    "style", [style if style in TELLING else pytest.param(style, marks=pytest.mark.slow) for style in STYLES]
)
def test_every_style_reads_with_every_eye(style):
    """Open: the forms of eye-1 to eye-17. Ones that readers of both schools read, whatever the modules are."""
    assert unread(case for case in covering() if case.style == style) == []


@pytest.mark.slow
@pytest.mark.rule("G12")
@pytest.mark.parametrize("style", STYLES)
def test_every_style_reads_with_every_eye_in_every_format_of_pixels(style):
    """Open: the same, with every eye in every format, and in each format with every paint."""
    both, own = ("solid", "linear"), STYLES.index(style)
    quick = ((style, eye, both[at % 2], QUICK[(at + own) % 3]) for at, eye in enumerate(MARKER_PATTERNS))
    more = ((style, eye, list(PAINTS)[index % 3], MORE[index % 4]) for index, eye in enumerate(SAFE * 2))
    daring = ((style, eye, "radial", MORE[index % 4]) for index, eye in enumerate(MARKER_PATTERNS[len(SAFE) :]))
    assert unread(Case(*values) for values in (*quick, *more, *daring)) == []


@pytest.mark.slow
@pytest.mark.needs("gs")
@pytest.mark.rule("G12")
@pytest.mark.parametrize("format", ["eps", "pdf"])
@pytest.mark.parametrize("paint", ["solid", "radial"])
def test_every_style_and_every_eye_reads_from_paper(format, paint, tmp_path):
    """Open: the same, in formats for print."""
    apart = [Case(style, eye, paint, format, 4) for style, eye in zip(STYLES * 2, MARKER_PATTERNS, strict=False)]
    turned = [Case(style, eye, paint, format, 4) for style, eye in zip(STYLES * 2, MARKER_PATTERNS[::-1], strict=False)]
    cases = apart + turned
    files = [case.image.save(tmp_path / f"{index}.{format}") for index, case in enumerate(cases)]
    pictures = readers.ghostscript(tmp_path, files, dots=144)
    assert [
        (reader, case) for case, picture in zip(cases, pictures, strict=True) for reader in misread(picture, case)
    ] == []


SVG = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 4'%3E"
    "%3Ccircle cx='2' cy='2' r='2'/%3E%3C/svg%3E"
)
DESIGNS = {
    "styled": Case("liquid", "leaf", "radial", "png").image.design,
    "sprite": Case("sprite star", "eye-7", "linear", "png").image.design,
    "sprites by chance": generate(
        CONTENT,
        modules={
            "type": "sprite",
            "sprites": [
                Sprite(content=content, type=type, width=6, height=6)
                for content in (SVG, "icon:heart", "icon:star")
                for type in ("fill", "both")
            ],
        },
    ).design,
    "layers in a wrapper": generate(
        CONTENT,
        flip="vertical",
        foreground=PAINTS["radial"],
        layers=[
            Layer("icon:heart", x=100, y=90, width=60, height=70, color="red", display="pixel-hit-test", tolerance=3),
            Layer(SVG, x=10.5, y=3, width=30, height=20, opacity=0.5),
        ],
        wrapper=Wrapper(
            source=SVG, width=400, height=300, placeholder=Placeholder(x=100, y=50, width=200.5, height=190)
        ),
    ).design,
}

OTHER_PROCESS = """
import hashlib, json, sys, qrkit
for name, text in sorted(json.load(sys.stdin).items()):
    image = qrkit.generate(qrkit.Design.from_json(text))
    print(name, [hashlib.sha256(image.to_bytes(format)).hexdigest() for format in ("png", "svg", "webp")])
"""


@pytest.mark.slow
@pytest.mark.rule("G9")
def test_a_decorated_design_gives_the_same_bytes_in_every_process():
    """Open: whether files carry ids or chance. Ids are made from what they stand for, chance from the content."""
    texts = json.dumps({name: design.to_json() for name, design in DESIGNS.items()})
    here = "".join(
        f"{name} {[hashlib.sha256(generate(design).to_bytes(one)).hexdigest() for one in ('png', 'svg', 'webp')]}\n"
        for name, design in sorted(DESIGNS.items())
    )
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", OTHER_PROCESS],
            input=texts,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == here


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_nothing_in_a_decorated_svg_is_named_by_chance(design):
    """Two pictures on one page that use the same id mean the same by it."""
    text = generate(design).to_bytes("svg").decode()
    ids = set(re.findall(r'id="([^"]+)"', text))
    used = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', text))
    assert {one or other for one, other in used} <= ids
    assert text == generate(design.replace(padding=design.padding)).to_bytes("svg").decode()
