"""Every writer x several designs, each file read by a program or reader that has nothing in common with qrkit."""

import dataclasses
import functools
import hashlib
import inspect
import json
import re
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from lxml import etree
from PIL import Image

from qrkit import Design, QRImage, generate
from qrkit.design.limits import FORMAT_ALIASES, RASTER_FORMATS
from qrkit.design.limits import FORMATS as NAMES
from qrkit.drawing.writers import FORMATS, Format, format_named, format_of_file, svg, zip_all
from qrkit.errors import InvalidParameter
from qrkit.pictures.generate_request import in_format
from tests.conformance import readers

HOSTILE = '"<script>alert(\'1\')</script>" & \n\t😀 é \u2028 \x1d ]]> --> {x} \\ <rect x="0" /> %% ) $(id)'

BLACK_ON_WHITE = ((0, 0, 0, 255), (255, 255, 255, 255))


OPAQUE = ("jpg", "bmp", "gif", "eps")
"""Formats that cannot say how much shows through."""


@dataclasses.dataclass(frozen=True)
class Case:
    """A design and the colours (dark, light) it must have, with alpha and without."""

    design: Design
    colors: tuple = BLACK_ON_WHITE
    opaque_colors: tuple = ()

    @property
    def image(self) -> QRImage:
        return drawn(self.design)

    @property
    def grid(self) -> np.ndarray:
        """The modules with their quiet zone."""
        return np.pad([list(row) for row in self.image.symbol.modules], self.design.padding)

    def expected(self, name: str) -> np.ndarray:
        """The colours of all modules in a format."""
        dark, light = self.colors
        if name in OPAQUE:
            dark, light = self.opaque_colors or self.colors
            # What is fully transparent stays so where the format can say it.
            light = (0, 0, 0, 0) if self.colors[1][3] == 0 and name in ("gif", "eps") else light
        return np.where(self.grid[..., None], dark, light)


@functools.cache
def drawn(design: Design) -> QRImage:
    return QRImage(design)


LINK = "https://example.com/"
CASES = {
    "plain": Case(Design(content=LINK)),
    "colours": Case(
        Design(content=LINK, ec="Q", foreground="#0B3D91", background="#FFF3C4", size=3),
        ((11, 61, 145, 255), (255, 243, 196, 255)),
    ),
    "light on dark": Case(
        Design(content=LINK, foreground="white", background="black", size=4),
        ((255, 255, 255, 255), (0, 0, 0, 255)),
    ),
    "half on nothing": Case(
        Design(content=LINK, foreground="#80FF0000", background="transparent", size=4),
        ((255, 0, 0, 128), (0, 0, 0, 0)),
        ((255, 127, 127, 255), (255, 255, 255, 255)),
    ),
    "half on quarter": Case(
        Design(content=LINK, foreground="#800000FF", background="#4000FF00", size=4),
        ((0, 51, 204, 160), (0, 255, 0, 64)),
        ((0, 127, 128, 255), (0, 255, 0, 255)),
    ),
    "black on most of yellow": Case(
        Design(content=LINK, background="#C8FFFF00", size=4),
        ((0, 0, 0, 255), (255, 255, 0, 200)),
        ((0, 0, 0, 255), (255, 255, 0, 255)),
    ),
    "no quiet zone": Case(Design(content=LINK, padding=0)),
    "size 1": Case(Design(content=LINK, size=1, padding=20)),
    "size 20": Case(Design(content="1", size=20)),
    "version 40": Case(Design(content=LINK * 20, version=40, ec="H", size=2, padding=3)),
    "hostile content": Case(Design(content=HOSTILE, size=3)),
}
OWN_PICTURES = [name for name in FORMATS if name not in ("eps", "pdf", "txt", "zip", "zpl")]
"""All but those that are printed, that show no colours, and that hold others."""
READERS = dict.fromkeys(FORMATS, readers.raster) | {
    "svg": readers.svg,
    "xaml": readers.xaml,
    "html": readers.html_table,
}
TOLERANCE = {"jpg": 48, "svg": 1, "xaml": 1, "html": 1, "eps": 1, "pdf": 1}
"""Steps of 255 by which a colour may differ: what compression or a renderer's rounding costs; others are exact."""

every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
every_format = pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)


def assert_same_picture(pixels: np.ndarray, case: Case, name: str) -> None:
    found = readers.cells(pixels, len(case.grid))
    expected = case.expected(name)
    if name == "jpg":
        # Small modules swing around their colour, but not on the whole.
        for colour in (0, 1):
            assert np.abs((found - expected)[case.grid == colour].mean(axis=0)).max() <= 3
    # Colour says little where there is hardly any paint, so it is weighed with its alpha.
    weight = np.dstack([expected[..., 3:] / 255] * 3 + [np.ones_like(expected[..., 3:])])
    assert np.abs((found - expected) * weight).max() <= TOLERANCE.get(name, 0)
    assert readers.zxing(pixels) == case.design.content.encode()


@pytest.fixture(scope="session")
def printed(tmp_path_factory) -> dict[tuple[str, str], np.ndarray]:
    """All EPS and PDF files as Ghostscript prints them, two pixels for a pixel."""
    folder = tmp_path_factory.mktemp("gs")
    names = [(name, suffix) for suffix in ("eps", "pdf") for name in CASES]
    files = [CASES[name].image.save(folder / f"{name.replace(' ', '-')}.{suffix}") for name, suffix in names]
    return dict(zip(names, readers.ghostscript(folder, files, dots=144), strict=True))


@pytest.mark.rule("G4")
@pytest.mark.parametrize("name", OWN_PICTURES)
@every_case
def test_every_pixel_format_shows_the_modules_and_colours_of_the_design(case, name):
    """Open: what jpg, bmp and gif do with alpha. They show it on the background's opaque form, else on white."""
    pixels = READERS[name](case.image.to_bytes(name))
    assert pixels.shape == (case.image.height, case.image.width, 4)
    assert_same_picture(pixels, case, name)


@pytest.mark.parametrize("name", ["png", "bmp", "tif", "gif", "webp"])
@every_case
def test_every_pixel_of_a_lossless_format_has_its_module_s_colour(case, name):
    pixels = readers.raster(case.image.to_bytes(name))
    size = case.design.size
    expected = case.expected(name).repeat(size, axis=0).repeat(size, axis=1)
    assert np.array_equal(pixels * (pixels[..., 3:] > 0), expected)


@every_case
def test_a_label_printer_prints_every_module_in_one_color(case):
    pixels, luma = readers.zpl(case.image.to_bytes("zpl")), readers.raster(case.image.to_bytes("bmp")) @ (3, 6, 1, 0)
    middle = (int(luma.min()) + int(luma.max())) / 2
    assert np.array_equal(pixels[..., 0] < 128, luma < middle)
    assert readers.zxing(pixels) == case.design.content.encode()


@pytest.mark.parametrize("dpi", [203, 300, 600])
def test_a_decorated_code_is_printed_in_whole_dots(dpi):
    image = generate(LINK, preset="bubble", caption="Menu", foreground="#777777", warn=False)
    printed = image.print_at(40, dpi=dpi)
    pixels = readers.zpl(printed.to_bytes("zpl"))
    assert pixels.shape[:2] == (round(printed.scene.height), round(printed.scene.width))
    assert printed.scene.module == round(printed.scene.module)
    assert readers.zxing(pixels) == LINK.encode()


@pytest.mark.needs("gs")
@pytest.mark.rule("G4")
@pytest.mark.parametrize("name", ["eps", "pdf"])
@pytest.mark.parametrize("case_name", CASES)
def test_ghostscript_prints_the_modules_and_colours_of_the_design(case_name, name, printed):
    """Open: alpha in formats for print. PDF keeps it; PostScript has none, so it is composed as for jpg."""
    case, pixels = CASES[case_name], printed[case_name, name]
    assert pixels.shape == (2 * case.image.height, 2 * case.image.width, 4)
    assert_same_picture(pixels, case, name)


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.rule("G6")
def test_html_reads_from_a_screenshot_of_a_browser(tmp_path):
    """Open: what "html" is. A page whose table is the symbol, so that it also shows where pictures are blocked."""
    cases = [case for case in CASES.values() if case.image.width <= 512]
    assert len(cases) >= 6
    shots = readers.chromium(tmp_path, [(case.image.to_bytes("html"), case.image.width) for case in cases])
    for case, shot in zip(cases, shots, strict=True):
        found = readers.cells(shot, len(case.grid))[..., :3]
        expected = readers.on_white(case.expected("html")).astype(int)
        assert np.abs(found - expected).max() <= 1
        assert readers.zxing(shot) == case.design.content.encode()


@pytest.mark.rule("G6")
def test_html_is_a_page_with_the_content_as_title_and_no_script():
    """Open: what "html" is. A complete page; the content is a stranger's text and must stay text."""
    page = CASES["hostile content"].image.to_bytes("html")
    assert page.startswith(b"<!doctype html>")
    assert readers.page_title(page) == HOSTILE
    assert readers.page_tags(page) == {
        *("html", "head", "meta", "title", "style"),
        *("body", "table", "colgroup", "col", "tr", "td", "b"),
    }


@pytest.mark.rule("G6")
@pytest.mark.parametrize(
    ("style", "light", "dark"), [("blocks", "  ", "██"), ("ascii", "  ", "xx"), ("binary", "0", "1")]
)
@every_case
def test_text_has_a_row_of_characters_for_each_row_of_modules(case, style, light, dark):
    """Open: what "txt" is. Two characters a module, since characters are twice as tall as wide, with quiet zone."""
    assert np.array_equal(readers.txt(case.image.to_text(style), light, dark), case.grid)
    if style == "blocks":
        assert case.image.to_bytes("txt").decode() == case.image.to_text()


@pytest.mark.rule("G6")
@pytest.mark.parametrize("name", ["plain", "hostile content"])
def test_text_scans_off_a_terminal_with_dark_letters_on_light(name):
    """Open: what "txt" is for. To be scanned where no picture can be shown."""
    case = CASES[name]
    assert readers.zxing(readers.terminal(case.image.to_text())) == case.design.content.encode()


@pytest.mark.rule("G5")
@every_case
def test_plain_svg_is_read_line_by_line_as_programs_in_the_field_do(case):
    """A fact: clients of the historical service parse the lines with a regular expression."""
    data = drawn(in_format(case.design, "svg")).to_bytes("svg")
    assert_same_picture(readers.svg_lines(data), case, "svg")
    size, symbol = case.design.size, case.image.symbol
    squares = re.findall(rf'^<rect x="\d+" y="\d+" width="{size}" height="{size}" ', data.decode(), re.MULTILINE)
    assert len(squares) == sum(map(sum, symbol.modules))


@pytest.mark.rule("G5")
def test_plain_svg_is_well_formed_and_as_large_as_the_picture_says():
    """A fact: clients read `width` and `height` as numbers of pixels, without a unit."""
    for case in CASES.values():
        root = etree.fromstring(drawn(in_format(case.design, "svg")).to_bytes("svg"))
        assert root.tag == readers.SVG + "svg"
        assert (root.get("width"), root.get("height")) == (str(case.image.width), str(case.image.height))
        assert root.get("shape-rendering") == "crispEdges"
        assert {child.tag for child in root} == {readers.SVG + "rect"}


@pytest.mark.rule("G5")
@every_case
def test_svg_with_union_is_one_path_that_looks_the_same(case):
    """A fact: `union` asks for one `<path>`, which editors treat as one shape."""
    data = svg.write_union(case.image.scene)
    assert [child.tag for child in etree.fromstring(data)] == [readers.SVG + "rect", readers.SVG + "path"]
    assert np.array_equal(readers.svg(data), readers.svg(case.image.to_bytes("svg")))


def test_eps_follows_the_structuring_conventions():
    for case in CASES.values():
        lines = case.image.to_bytes("eps").decode("ascii").split("\n")
        assert lines[0] == "%!PS-Adobe-3.0 EPSF-3.0"
        assert f"%%BoundingBox: 0 0 {case.image.width} {case.image.height}" in lines
        assert max(map(len, lines)) <= 255


def test_pdf_says_where_each_of_its_objects_lies():
    data = CASES["colours"].image.to_bytes("pdf")
    (start,) = re.findall(rb"startxref\n(\d+)\n%%EOF\n$", data)
    table = data[int(start) :]
    assert table.startswith(b"xref\n0 5\n0000000000 65535 f \n")
    offsets = [int(offset) for offset in re.findall(rb"(\d{10}) 00000 n \n", table)]
    assert [data[offset : offset + 7] for offset in offsets] == [b"%d 0 obj" % number for number in range(1, 5)]


@pytest.mark.rule("G6")
def test_zip_holds_the_symbol_as_png_svg_and_eps():
    """Open: what "zip" holds by GET. The three formats that an export may ask for, named by `filename`."""
    image = CASES["colours"].image
    with zipfile.ZipFile(BytesIO(image.to_bytes("zip"))) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["qrcode.png", "qrcode.svg", "qrcode.eps"]
        for name in archive.namelist():
            assert archive.read(name) == image.to_bytes(name[-3:])
    with zipfile.ZipFile(BytesIO(zip_all.write(image.scene, "Tür"))) as archive:
        assert archive.namelist() == ["Tür.png", "Tür.svg", "Tür.eps"]


@pytest.mark.rule("G4")
def test_media_types_are_those_of_the_registry():
    """Open: the media types. Those registered, and for xaml, which is not, the one Microsoft uses."""
    found = {name: one.media_type for name, one in FORMATS.items()}
    assert found == readers.MEDIA_TYPES, "a format that joins has its row in tests/conformance/readers.py as well"


@pytest.mark.rule("G4")
def test_jpeg_and_tiff_are_other_names_of_jpg_and_tif():
    """Open: whether `jpeg` is a format. People write it, so it is."""
    assert format_named("JPEG") is FORMATS["jpg"]
    assert format_of_file(Path("a.b/c.TIFF")) is FORMATS["tif"]
    assert set(FORMAT_ALIASES.values()) <= set(FORMATS)


@pytest.mark.parametrize("name", ["pgn", "xyz", "", "p n g"])
def test_an_unknown_format_names_each_allowed_one_at_most_once(name):
    with pytest.raises(InvalidParameter) as caught:
        format_named(name)
    assert caught.value.name == "format"
    assert caught.value.value == name
    assert re.findall(r"\bpng\b", caught.value.rule) == ["png"]


def test_a_file_without_suffix_has_no_format():
    with pytest.raises(InvalidParameter, match=r"path='poster': must end in one of \.png, \.jpg"):
        format_of_file(Path("poster"))


def test_every_format_of_the_interface_has_its_writer():
    assert tuple(FORMATS) == NAMES
    assert all(name == one.name for name, one in FORMATS.items())


@every_format
def test_every_writer_has_the_one_signature(format: Format):
    parameters = inspect.signature(format.write).parameters
    assert list(parameters) == ["scene"]
    assert isinstance(format.write(CASES["plain"].image.scene), bytes)


@pytest.mark.parametrize("name", RASTER_FORMATS)
def test_a_raster_file_is_of_the_format_it_is_called(name):
    kinds = {"jpg": "JPEG", "tif": "TIFF"}
    picture = Image.open(BytesIO(CASES["plain"].image.to_bytes(name)))
    assert picture.format == kinds.get(name, name.upper())


@pytest.mark.parametrize(
    ("background", "shown"),
    [("transparent", (0, 0, 0, 0)), ("#FF102030", (16, 32, 48, 255)), ("#40102030", (16, 32, 48, 64))],
)
def test_a_transparent_foreground_leaves_the_background_as_it_is(background, shown):
    image = generate("x", foreground="transparent", background=background, size=2)
    for name in ("png", "webp", "tif", "svg", "xaml", "html"):
        found = readers.cells(READERS[name](image.to_bytes(name)), 29)
        assert np.abs(found - shown).max() <= (2 if shown[3] == 64 and name == "svg" else 0)


@pytest.mark.rule("G4")
@pytest.mark.parametrize(
    ("foreground", "background", "dark", "light"),
    [
        ("white", "transparent", (255, 255, 255, 255), (0, 0, 0, 0)),
        ("black", "transparent", (0, 0, 0, 255), (0, 0, 0, 0)),
        ("navy", "transparent", (0, 0, 128, 255), (0, 0, 0, 0)),
        ("transparent", "white", (255, 255, 255, 255), (255, 255, 255, 255)),
        ("transparent", "black", (0, 0, 0, 255), (0, 0, 0, 255)),
        ("transparent", "#FF102030", (16, 32, 48, 255), (16, 32, 48, 255)),
        ("#80000000", "#80FFFFFF", (127, 127, 127, 255), (255, 255, 255, 255)),
    ],
)
def test_gif_keeps_what_is_fully_transparent_apart_from_its_colour(foreground, background, dark, light):
    """Open: alpha in gif, which has one bit of it. Full transparency is kept, the rest composed."""
    image = generate("x", foreground=foreground, background=background, size=2)
    grid = np.pad([list(row) for row in image.symbol.modules], 4)
    found = readers.cells(readers.raster(image.to_bytes("gif")), len(grid))
    assert np.array_equal(found, np.where(grid[..., None], dark, light))


def digests(images: dict[str, QRImage]) -> dict[str, str]:
    return {
        f"{name} {format}": hashlib.sha256(image.to_bytes(format)).hexdigest()
        for name, image in images.items()
        for format in FORMATS
    }


OTHER_PROCESS = """
import hashlib, json, sys, time
then = time.struct_time((2031, 2, 3, 4, 5, 6, 0, 34, 0))
time.time = lambda: 1927859106.0
time.localtime = time.gmtime = lambda *_: then
import qrkit
from qrkit.drawing.writers import FORMATS
images = {name: qrkit.generate(qrkit.Design.from_json(text)) for name, text in json.load(sys.stdin).items()}
print(json.dumps({
    f"{name} {format}": hashlib.sha256(image.to_bytes(format)).hexdigest()
    for name, image in images.items()
    for format in FORMATS
}))
"""


@pytest.mark.slow
@pytest.mark.rule("G9")
def test_the_same_design_gives_the_same_bytes_in_another_process_at_another_time():
    """Open: whether files carry dates or ids. They do not, so that files can be compared and cached."""
    here = digests({name: QRImage(case.design) for name, case in CASES.items()})
    assert here == digests({name: case.image for name, case in CASES.items()})
    run = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESS],
        input=json.dumps({name: case.design.to_json() for name, case in CASES.items()}),
        env={"PYTHONHASHSEED": "1", "PYTHONPATH": str(Path(__file__).parents[2]), "TZ": "Asia/Tokyo"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(run.stdout) == here


@pytest.mark.rule("G9")
@every_format
def test_no_file_carries_a_date(format: Format):
    """Open: whether files carry dates. They do not; a zip must say one, and says the first day it knows."""
    data = CASES["plain"].image.to_bytes(format.name)
    assert not re.search(rb"(?i)(creation|mod|modify)[ -]?date|datetime|\b(19|20)\d\d-[01]\d-[0-3]\d|tIME|/ID", data)
    if format.name == "tif":
        assert 306 not in Image.open(BytesIO(data)).tag_v2
    if format.name == "zip":
        with zipfile.ZipFile(BytesIO(data)) as archive:
            assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
