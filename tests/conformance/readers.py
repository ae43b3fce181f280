"""Readers of every output format that share no code with the writers: what a stranger's program would see.

Each gives a picture as a numpy array of RGBA, or what it understood of the file as plain rectangles, which `painted`
turns into such a picture. `cells` looks at the middle of each module of a picture, `zxing` reads what it says.
"""

import html
import math
import re
import subprocess
from dataclasses import dataclass
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
import resvg_py
import zxingcpp
from lxml import etree
from PIL import Image, ImageDraw, ImageFont

Pixels = np.ndarray
"""Rows of pixels of red, green, blue, alpha, each 0..255; alpha is not multiplied in."""

SVG = "{http://www.w3.org/2000/svg}"
XAML = "{http://schemas.microsoft.com/winfx/2006/xaml/presentation}"

MEDIA_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "bmp": "image/bmp",
    "tif": "image/tiff",
    "gif": "image/gif",
    "webp": "image/webp",
    "svg": "image/svg+xml",
    "eps": "application/postscript",
    "pdf": "application/pdf",
    "xaml": "application/xaml+xml",
    "txt": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "zip": "application/zip",
    "zpl": "application/zpl",
}
"""As registered; xaml and zpl are not, and have those Microsoft and Zebra's tools use."""


class Box(NamedTuple):
    x: int
    y: int
    width: int
    height: int


@dataclass
class Layer:
    """Boxes of one colour that are one shape: where two overlap, nothing shows through twice."""

    boxes: list[Box]
    paint: tuple[int, int, int, float]


# What a picture shows -------------------------------------------------------------------------------------------------


def cells(pixels: Pixels, side: int) -> Pixels:
    """The pixel in the middle of each of `side` x `side` modules; where nothing is painted, 0 0 0 0."""
    assert pixels.shape[0] == pixels.shape[1]
    middles = [math.floor((index + 0.5) * len(pixels) / side) for index in range(side)]
    found = pixels[np.ix_(middles, middles)].astype(int)
    return found * (found[..., 3:] > 0)


def on_white(pixels: Pixels) -> Pixels:
    """The picture as seen on paper, in RGB."""
    if pixels[..., 3].min() == 255:  # most are opaque, and sums take a hundred times as long
        return pixels[..., :3]
    alpha = pixels[..., 3:] / 255
    return np.rint(pixels[..., :3] * alpha + 255 * (1 - alpha)).astype(np.uint8)


def zxing(pixels: Pixels) -> bytes:
    """The bytes of the one QR Code in a picture, on a sheet of white paper."""
    paper = np.pad(on_white(pixels), ((16, 16), (16, 16), (0, 0)), constant_values=255)
    grey = np.ascontiguousarray(paper @ [0.299, 0.587, 0.114]).astype(np.uint8)
    found = zxingcpp.read_barcodes(grey, formats=zxingcpp.BarcodeFormat.QRCodeModel2, try_rotate=False)
    assert len(found) == 1
    return found[0].bytes


def of_modules(modules: Pixels, size: int = 4) -> Pixels:
    """A picture of rows of 1 and 0 in black on nothing."""
    alpha = np.kron(np.asarray(modules), np.ones((size, size), int)) * 255
    return np.dstack([alpha * 0] * 3 + [alpha]).astype(np.uint8)


def painted(width: int, height: int, layers: list[Layer]) -> Pixels:
    """Paint layers over each other (source-over, as SVG and WPF do)."""
    color, alpha = np.zeros((height, width, 3)), np.zeros((height, width, 1))
    for layer in layers:
        *rgb, opacity = layer.paint
        mask = np.zeros((height, width, 1))
        for x, y, box_width, box_height in layer.boxes:
            assert x >= 0 <= y and x + box_width <= width and y + box_height <= height
            mask[y : y + box_height, x : x + box_width] = opacity
        color = rgb * mask + color * (1 - mask)
        alpha = mask + alpha * (1 - mask)
    straight = np.divide(color, alpha, out=np.zeros_like(color), where=alpha > 0)
    return np.rint(np.dstack([straight, alpha * 255])).astype(np.uint8)


# Formats --------------------------------------------------------------------------------------------------------------


def raster(data: bytes) -> Pixels:
    return np.asarray(Image.open(BytesIO(data)).convert("RGBA"))


def svg(data: bytes) -> Pixels:
    """An SVG through a renderer."""
    return raster(resvg_py.svg_to_bytes(svg_string=data.decode(), skip_system_fonts=True))


def svg_lines(data: bytes) -> Pixels:
    """A plain SVG as programs in the field read it: line by line, one `<rect>` each (ruling G5)."""
    first, *lines, last, end = data.decode().split("\n")
    root = re.fullmatch(r'<svg xmlns="http://www\.w3\.org/2000/svg" width="(\d+)" height="(\d+)"[^\n>]*>', first)
    assert root and last == "</svg>" and end == ""
    layers = []
    for line in lines:
        rect = re.fullmatch(
            r'<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)" '
            r'style="fill:rgb\((\d+),(\d+),(\d+)\);(?:fill-opacity:(0(?:\.\d+)?);)?"/>',
            line,
        )
        assert rect, line
        x, y, width, height, red, green, blue = map(int, rect.groups()[:7])
        opacity = 1 if rect[8] is None else float(rect[8])
        box, paint = Box(x, y, width, height), (red, green, blue, opacity)
        # Neighbours of one colour do not overlap, so one layer of them paints the same, and quicker.
        if layers and layers[-1].paint == paint and len(layers) > 1:
            layers[-1].boxes.append(box)
        else:
            layers.append(Layer([box], paint))
    assert layers[0].boxes == [Box(0, 0, int(root[1]), int(root[2]))]
    return painted(int(root[1]), int(root[2]), layers)


def xaml(data: bytes) -> Pixels:
    """A XAML document: its canvas and the outlines of its paths."""
    box = etree.fromstring(data)
    assert box.tag == XAML + "Viewbox"
    (canvas,) = box
    assert canvas.tag == XAML + "Canvas"
    layers = []
    for path in canvas:
        assert path.tag == XAML + "Path"
        alpha, red, green, blue = bytes.fromhex(re.fullmatch("#([0-9A-F]{8})", path.get("Fill"))[1])
        layers.append(Layer(_outlines(path.get("Data")), (red, green, blue, alpha / 255)))
    return painted(int(canvas.get("Width")), int(canvas.get("Height")), layers)


def _outlines(data: str) -> list[Box]:
    """The closed rectangles of WPF's path language, as far as M h v z go."""
    boxes = []
    for figure in data.removeprefix("F1").removesuffix("z").split("z"):
        steps = re.findall(r"([Mhv])(-?\d+)(?:,(-?\d+))?", figure)
        assert "".join(letter + x + ("," + y if y else "") for letter, x, y in steps) == figure
        points = []
        for letter, x, y in steps:
            if letter == "M":
                points.append((int(x), int(y)))
            else:
                last_x, last_y = points[-1]
                points.append((last_x + int(x), last_y) if letter == "h" else (last_x, last_y + int(x)))
        (left, top), _, (right, bottom), _ = points
        assert points == [(left, top), (right, top), (right, bottom), (left, bottom)]
        boxes.append(Box(left, top, right - left, bottom - top))
    return boxes


class _Table(HTMLParser):
    """The one table of a page: for each cell its place and whether there is a block in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.inside = ""
        self.columns = 0
        self.rows: list[list[tuple[int, bool]]] = []
        self.texts = {"title": "", "style": ""}
        self.label = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.inside = tag
        if tag == "table":
            self.label = dict(attrs)["aria-label"]
        elif tag == "col":
            self.columns += 1
        elif tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append((int(dict(attrs).get("colspan", 1)), False))
        elif tag == "b":
            self.rows[-1][-1] = (self.rows[-1][-1][0], True)

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside in self.texts:
            self.texts[self.inside] += data


def html_table(data: bytes) -> Pixels:
    """A page without a browser: the cells of its table and the colours of its style sheet."""
    page = _Table(data.decode())
    style = page.texts["style"]
    width, height, below = re.search(r"\.qr\{width:(\d+)px;height:(\d+)px;[^}]*background:([^;]+);", style).groups()
    size, above = re.search(r"\.qr b\{display:block;height:(\d+)px;background:([^}]+)\}", style).groups()
    size, blocks = int(size), []
    for row, spans in enumerate(page.rows):
        column = 0
        for span, dark in spans:
            if dark:
                blocks.append(Box(column * size, row * size, span * size, size))
            column += span
        assert column == page.columns
    assert page.columns * size == int(width) and len(page.rows) * size == int(height)
    everything = [Box(0, 0, int(width), int(height))]
    return painted(int(width), int(height), [Layer(everything, _css(below)), Layer(blocks, _css(above))])


def _css(color: str) -> tuple[int, int, int, float]:
    if color.startswith("#"):
        return (*bytes.fromhex(color[1:]), 1)
    *rgb, opacity = re.fullmatch(r"rgba\((\d+),(\d+),(\d+),([\d.]+)\)", color).groups()
    return (*map(int, rgb), float(opacity))


def page_title(data: bytes) -> str:
    return _Table(data.decode()).texts["title"]


def page_tags(data: bytes) -> set[str]:
    return set(_Table(data.decode()).tags)


def txt(text: str, light: str = "  ", dark: str = "██") -> Pixels:
    """The rows of 1 and 0 of a text, quiet zone included."""
    assert text.endswith("\n")
    step = len(dark)
    rows = [[row[at : at + step] for at in range(0, len(row), step)] for row in text.removesuffix("\n").split("\n")]
    assert {cell for row in rows for cell in row} <= {light, dark}
    return np.array([[cell == dark for cell in row] for row in rows]).astype(int)


def zpl(data: bytes) -> Pixels:
    """The graphic field of a label, as the ZPL II Programming Guide describes its hexadecimal digits."""
    label = re.fullmatch(
        r"\^XA\^PW(\d+)\^LL(\d+)\^PQ\d+\^FO0,0\^GFA,(\d+),\3,(\d+),([0-9A-F,:]+)\^FS\^XZ\n", data.decode("ascii")
    )
    width, height, size, length = map(int, label.groups()[:4])
    rows, row = [], ""
    for sign in label[5]:
        if sign == ":":
            rows.append(rows[-1])
            continue
        row = row.ljust(2 * length, "0") if sign == "," else row + sign
        if len(row) == 2 * length:
            rows.append(row)
            row = ""
    assert (row, len(rows), len(rows) * length) == ("", height, size)
    bits = np.unpackbits(np.frombuffer(bytes.fromhex("".join(rows)), np.uint8)).reshape(height, -1)[:, :width]
    return np.dstack([np.where(bits, 0, 255).astype(np.uint8)] * 3 + [np.full(bits.shape, 255, np.uint8)])


def terminal(text: str) -> Pixels:
    """A text as a terminal shows it: black on white, in a fixed-width font, lines without gaps."""
    font = ImageFont.truetype(_mono_font(), 12)
    ascent, descent = font.getmetrics()
    lines = text.splitlines()
    advance = font.getlength("█")
    sheet = Image.new("L", (round(advance * len(lines[0])), (ascent + descent) * len(lines)), 255)
    draw = ImageDraw.Draw(sheet)
    for index, line in enumerate(lines):
        draw.text((0, index * (ascent + descent)), line, font=font, fill=0)
    return np.asarray(sheet.convert("RGBA"))


def _mono_font() -> Path:
    """DejaVu Sans Mono, which comes with matplotlib."""
    import matplotlib

    return Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSansMono.ttf")


# Programs -------------------------------------------------------------------------------------------------------------


def ghostscript(folder: Path, files: list[Path], dots: int = 72, *, smooth: bool = False) -> list[Pixels]:
    """EPS and PDF files of one page each through one run of Ghostscript, `dots` pixels for 72 points."""
    switches = "-q -dBATCH -dNOPAUSE -dSAFER -dEPSCrop -dPDFSTOPONWARNING -sDEVICE=pngalpha"
    if smooth:
        switches += " -dTextAlphaBits=4 -dGraphicsAlphaBits=4"
    run = subprocess.run(
        ["gs", *switches.split(), f"-r{dots}", f"-sOutputFile={folder}/%d.png", *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    return [raster((folder / f"{number}.png").read_bytes()) for number in range(1, len(files) + 1)]


def chromium(folder: Path, pages: list[tuple[bytes, int]]) -> list[Pixels]:
    """HTML pages in frames of so many pixels a side, below each other, in one screenshot of one browser."""
    side = max(side for _, side in pages)
    frames = "".join(
        f'<iframe srcdoc="{html.escape(page.decode())}" width={width} height={width} scrolling=no></iframe>'
        for page, width in pages
    )
    sheet, shot = folder / "sheet.html", folder / "shot.png"
    style = "<style>body{margin:0}iframe{border:0;display:block}</style>"
    sheet.write_text(f'<!doctype html><meta charset="utf-8">{style}{frames}', encoding="utf-8")
    height = sum(width for _, width in pages)
    switches = (
        "headless no-sandbox disable-gpu no-first-run disable-background-networking disable-component-update "
        f"disable-sync hide-scrollbars user-data-dir={folder} screenshot={shot} window-size={side},{height}"
    )
    run = subprocess.run(
        ["chromium", *("--" + switch for switch in switches.split()), sheet.as_uri()],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    picture = raster(shot.read_bytes())
    found, top = [], 0
    for _, width in pages:
        found.append(picture[top : top + width, :width])
        top += width
    return found
