"""Decorated designs in every vector format, as programs that are not ours show them, against our own pixels."""

import dataclasses
import functools
import re
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from lxml import etree
from PIL import Image, ImageDraw

import qrkit
from qrkit import (
    Color,
    Design,
    Frame,
    Gradient,
    Layer,
    Marker,
    Markers,
    Modules,
    Photo,
    Placeholder,
    QRImage,
    Sprite,
    Stop,
    Wrapper,
    data_uri,
    decode,
)
from qrkit.design.limits import MODULE_TYPES
from qrkit.drawing.scene import Linear
from qrkit.drawing.writers import FORMATS
from qrkit.drawing.writers.background import mixed
from qrkit.drawing.writers.canvas import painted
from tests.conformance import readers, vector_readers

LINK = "https://example.com/"


def _png(draw: Callable[[ImageDraw.ImageDraw], None], side: int = 60) -> str:
    picture = Image.new("RGBA", (side, side))
    draw(ImageDraw.Draw(picture))
    file = BytesIO()
    picture.save(file, "PNG")
    return data_uri(file.getvalue())


def _see_through(draw: ImageDraw.ImageDraw) -> None:
    draw.ellipse((2, 2, 57, 57), fill=(230, 60, 30, 255))
    for step in range(20):
        draw.line((0, 3 * step, 60, 3 * step), fill=(255, 255, 255, 12 * step), width=2)


def _photograph(draw: ImageDraw.ImageDraw) -> None:
    for y in range(120):
        for x in range(120):
            draw.point((x, y), fill=(200 + x // 3, 160 + y // 2, 255 - (x * y) % 60, 255))


PHOTO = data_uri(
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 40"><defs><linearGradient id="s" x2="0" y2="1">'
    b'<stop offset="0" stop-color="#2a1a5e"/><stop offset="1" stop-color="#f59e6b"/></linearGradient></defs>'
    b'<path d="M0 0H60V40H0z" fill="url(#s)"/><circle cx="36" cy="20" r="7" fill="#ffe08a"/>'
    b'<path d="M0 30Q20 18 36 30T60 26V40H0z" fill="#0c2f2a"/></svg>'
)
LOGO = data_uri(
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><defs><linearGradient id="g">'
    b'<stop offset="0" stop-color="#06c"/><stop offset="1" stop-color="#0c6" stop-opacity=".4"/>'
    b'</linearGradient></defs><circle cx="20" cy="20" r="19" fill="url(#g)"/>'
    b'<path d="M10 20L18 28L31 12" fill="none" stroke="#fff" '
    b'stroke-width="4"/></svg>'
)
DOT = data_uri(
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><circle cx="5" cy="5" r="4.6" fill="#7a1f5c"/>'
    b'<path d="M5 2L8 8H2z" fill="#2b0b20"/></svg>'
)
FADE = Gradient(
    gradient="linear",
    direction={"start": {"x": 0, "y": 0}, "stop": {"x": 1, "y": 1}},
    stops=(
        Stop(offset=0, color="#081a4b"),
        Stop(offset=0.6, color="#102a6b", opacity=0.9),
        Stop(offset=0.6, color="#4b0830", opacity=0.95),
        Stop(offset=1, color="#102010", opacity=0.75),
    ),
)
FOCAL = Gradient(
    gradient="radial",
    cx=0.5,
    cy=0.5,
    fx=0.25,
    fy=0.3,
    radius=0.7,
    stops=(Stop(offset=0, color="#a01010"), Stop(offset=0.5, color="#103080"), Stop(offset=1, color="black")),
)
SUNSET = Gradient.linear("#fff6d8", "#ffd9c9", start=(0, 0), stop=(0, 1))


def _layer(content: str, x: float = 84, side: float = 64, **fields: object) -> Layer:
    return Layer(content=content, x=x, y=x, width=side, height=side, **fields)


DESIGNS = {
    "linear": Design(content=LINK, foreground=Gradient.linear("#1133aa", "#aa1155"), background=SUNSET),
    "focal": Design(content=LINK, foreground=FOCAL, background="#fdf7e3", modules=Modules(type="dots")),
    "fade": Design(content=LINK, foreground=FADE, background="#ffffe8", modules=Modules(type="rounded")),
    "faint on a gradient": Design(content=LINK, foreground="#C0000000", background=SUNSET),
    "fade on a gradient": Design(content=LINK, foreground=FADE, background=SUNSET, modules=Modules(type="liquid")),
    "bricks on a gradient": Design(
        content=LINK, foreground="#102060", background=Gradient.radial("#fff6d8", "#ffd9c9"), modules={"type": "bricks"}
    ),
    "see-through": Design(
        content=LINK,
        foreground="#102010",
        background=Gradient.radial("#40ffcc00", "#c0ffee88"),
        modules=Modules(type="bars"),
    ),
    "sprite": Design(content=LINK, modules=Modules(type="sprite", sprite="star"), foreground="#223344"),
    "sprite with a gradient": Design(
        content=LINK, modules=Modules(type="sprite", sprite="six", union=True), foreground=FOCAL, flip="vertical"
    ),
    "confetti": Design(
        content=LINK, modules=Modules(type="dots", sizes=(0.8, 1), palette=["#3B1C8C", "#9B1750", "#0B5E76"])
    ),
    "sprites of pictures": Design(
        content=LINK,
        modules=Modules(
            type="sprite",
            sprites=(
                Sprite(content=DOT, width=8, height=8),
                Sprite(content="icon:heart", width=9, height=9),
                Sprite(content=_png(_see_through), width=3, height=3, type="blank"),
            ),
        ),
        foreground="#30205a",
    ),
    "eyes": Design(
        content=LINK,
        modules=Modules(type="columns"),
        markers=Markers(
            top_left=Marker(pattern="eye-3", inner_color="#b00020", outer_color="#00308f", opacity=0.8),
            top_right=Marker(pattern="eye-7", outer_color="#b00020"),
            bottom_left=Marker(pattern="eye-12", opacity=0.7),
        ),
        background="#f2f7ff",
    ),
    "layers": Design(
        content=LINK,
        ec="H",
        layers=(
            _layer("icon:star", x=20, side=90, color="#e0b000", opacity=0.35),
            _layer(_png(_see_through), x=104.5, side=50, opacity=0.9).rotated(20),
            _layer(LOGO, x=150.3, side=40, display="pixel-hit-test", opacity=0.8).rotated(-30),
        ),
    ),
    "logo left out": Design(
        content=LINK, ec="H", layers=(_layer(LOGO, x=110, side=76, display="box-hit-test"),), flip="horizontal"
    ),
    "wrapper": Design(
        content=LINK,
        foreground=Gradient.linear("#003322", "#331100"),
        background="#D0FFFFFF",
        markers=Markers.all("eye-5", opacity=0.85),
        wrapper=Wrapper(
            source=_png(_photograph, 120),
            width=400,
            height=300,
            placeholder=Placeholder(x=60, y=10, width=280, height=280),
        ),
    ),
    "frame": Design(content=LINK, width=480, frame=Frame("seal", caption="Scan me"), foreground="#14532D"),
    "photo behind": Design(content=LINK, ec="H", photo=Photo(PHOTO), modules=Modules(type="dots", sizes=(0.94, 0.94))),
    "photo inside": Design(
        content=LINK, ec="H", photo=Photo(PHOTO, place="inside"), modules=Modules(type="dots", sizes=(0.94, 0.94))
    ),
    "photo inside squares": Design(content=LINK, ec="H", photo=Photo(PHOTO, place="inside"), flip="horizontal"),
    "halftone": Design(content=LINK, ec="H", width=500, photo=Photo(PHOTO, place="halftone")),
    "width 500": Design(
        content=LINK, width=500, foreground=FADE, modules=Modules(type="dots"), layers=(_layer(LOGO, x=210, side=80),)
    ),
    "plain, width 500": Design(content=LINK, width=500),
    "for print": Design(
        content=LINK,
        modules=Modules(type="dots"),
        layers=(_layer("icon:heart", x=110, side=70, color="#c00030").rotated(15),),
    ),
}
STYLES = {f"style {name}": Design(content=LINK, size=4, modules=Modules(type=name)) for name in MODULE_TYPES
          if name != "sprite"}  # fmt: skip
# Of other modules, as many edges are elsewhere: the limits below were measured on these.
ALL = {name: design.replace(pad_codewords="segno") for name, design in (DESIGNS | STYLES).items()}

MOST_DIFFERENCE = {"ghostscript": 2.5, "poppler": 3.5, "xaml": 3, "svg": 3}
"""Mean steps of 255 per pixel and colour that a program may be off from ours, all of them at edges and in pictures."""

QUICK = ("fade on a gradient", "layers", "frame")
"""Ways of drawing that differ most; the others take their time in `make slow`."""

every_design = pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in ALL]
)


@functools.cache
def drawn(name: str) -> QRImage:
    return QRImage(ALL[name])


@functools.cache
def expected(name: str, times: int, *, on_paper: bool = False) -> np.ndarray:
    """Our own pixels of the same scene, averaged from ones that are so many times finer."""
    scene = drawn(name).exact_scene
    finer = (scene.on_paper() if on_paper else scene).scaled(times)
    return vector_readers.averaged(np.asarray(painted(finer)), times)


def assert_shows(pixels: np.ndarray, name: str, program: str, times: int, *, on_paper: bool = False) -> None:
    """The picture is ours but for the smoothness of edges, no module of it has changed sides, and it reads."""
    own = expected(name, times, on_paper=on_paper)
    found = vector_readers.averaged(pixels, times)
    assert found.shape == own.shape
    difference = np.abs(found - own).mean()
    assert difference < MOST_DIFFERENCE[program], f"{difference:.2f}"
    design, symbol = ALL[name], drawn(name).symbol
    hole = design.wrapper.placeholder if design.wrapper else None
    box = (hole.x, hole.y, hole.width, hole.height) if hole else (0, 0, own.shape[1], own.shape[0])
    if design.frame:
        scene = drawn(name).exact_scene
        side = (symbol.side + 2 * design.padding) * scene.module
        box = (*(start - design.padding * scene.module for start in scene.origin), side, side)
    lights = [vector_readers.middles(one, box, symbol.side + 2 * design.padding) for one in (found, own)]
    # Where our own module is neither dark nor light, nothing is said of the other.
    flipped = ((lights[0] > 128) != (lights[1] > 128)) & (np.abs(lights[1] - 128) > 10)
    assert flipped.sum() == 0
    paper = np.pad(found.astype(np.uint8), ((16, 16), (16, 16), (0, 0)), constant_values=255)
    assert decode(Image.fromarray(paper)).content == LINK


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("vectors")


@pytest.fixture(scope="module")
def wanted(request) -> list[str]:
    """The designs that this run looks at."""
    here = [
        item
        for item in request.session.items
        if getattr(item, "module", None) is request.module and hasattr(item, "callspec")
    ]
    chosen = {item.callspec.params.get("name") for item in here}
    return [name for name in ALL if name in chosen]


def saved(folder: Path, names: list[str], suffix: str) -> list[Path]:
    return [drawn(name).save(folder / f"{name.replace(' ', '-')}.{suffix}") for name in names]


@pytest.fixture(scope="module")
def printed(folder, wanted) -> dict[tuple[str, str], np.ndarray]:
    """All EPS and PDF files as Ghostscript prints them."""
    files = {
        (name, suffix): file
        for suffix in ("eps", "pdf")
        for name, file in zip(wanted, saved(folder, wanted, suffix), strict=True)
    }
    pictures = readers.ghostscript(folder, list(files.values()), dots=72 * vector_readers.FINER)
    return dict(zip(files, pictures, strict=True))


@pytest.fixture(scope="module")
def browsed(folder, wanted) -> dict[str, np.ndarray]:
    """All SVG files as a browser shows them."""
    style = b"<!doctype html><style>body{margin:0}svg{display:block}</style>"
    pages = [(style + drawn(name).to_bytes("svg"), max(drawn(name).width, drawn(name).height)) for name in wanted]
    shots = readers.chromium(folder, pages)
    return {name: shot[: drawn(name).height, : drawn(name).width] for name, shot in zip(wanted, shots, strict=True)}


@pytest.mark.needs("gs")
@pytest.mark.parametrize("format", ["eps", "pdf"])
@every_design
def test_ghostscript_prints_what_we_draw(name, format, printed):
    assert_shows(printed[name, format], name, "ghostscript", vector_readers.FINER, on_paper=format == "eps")


SUNSET_INK = Gradient.linear("#F59E0B", "#DB2777", "#4C1D95")
FILLED_WITH_GRADIENTS = {
    "columns": Design(content=LINK, foreground=SUNSET_INK, modules=Modules(type="columns")),
    "dots": Design(content=LINK, foreground=FOCAL, modules=Modules(type="dots")),
    "stars": Design(content=LINK, foreground=SUNSET_INK, modules=Modules(type="sprite", sprite="star")),
    "many dots": Design(content=LINK, version=20, foreground=SUNSET_INK, modules=Modules(type="dots")),
    "translucent": Design(
        content=LINK, foreground=Gradient.linear("#C0DB2777", "#4C1D95"), modules=Modules(type="rounded")
    ),
}


@pytest.mark.slow
@pytest.mark.needs("gs")
@pytest.mark.parametrize("name", FILLED_WITH_GRADIENTS)
def test_edges_of_gradients_are_as_smooth_in_eps_as_in_png(name, tmp_path):
    """Ghostscript smooths only edges of plain colors: with a clip path, 0.8 to 5% of the pixels differed."""
    image = QRImage(FILLED_WITH_GRADIENTS[name].replace(size=12))
    file = image.save(tmp_path / "code.eps")
    (printed,) = readers.ghostscript(tmp_path, [file], smooth=True)
    wanted = readers.on_white(readers.raster(image.to_bytes("png")))
    difference = abs(readers.on_white(printed).astype(int) - wanted.astype(int)).max(axis=2)
    assert (difference > 64).mean() < 0.01


@pytest.mark.needs("pdftoppm")
@every_design
def test_poppler_shows_what_we_draw(name, folder):
    file = drawn(name).save(folder / f"{name.replace(' ', '-')}.pdf")
    assert_shows(vector_readers.poppler(folder, file), name, "poppler", vector_readers.FINE)


@every_design
def test_xaml_read_by_its_reference_shows_what_we_draw(name):
    assert_shows(vector_readers.xaml(drawn(name).to_bytes("xaml")), name, "xaml", vector_readers.FINE)


@every_design
def test_svg_by_another_renderer_shows_what_we_draw(name):
    assert_shows(readers.svg(drawn(name).to_bytes("svg")), name, "svg", times=1)


@pytest.mark.slow
@pytest.mark.needs("chromium")
@every_design
def test_a_browser_shows_what_we_draw(name, browsed):
    assert_shows(browsed[name], name, "svg", times=1)


@pytest.mark.rule("G9")
@pytest.mark.parametrize("format", ["eps", "pdf", "xaml"])
@every_design
def test_the_same_design_gives_the_same_bytes(name, format):
    """Open: whether files carry dates or ids of chance. They do not."""
    assert QRImage(ALL[name]).to_bytes(format) == drawn(name).to_bytes(format)


@every_design
def test_eps_is_short_lines_of_ascii_with_comments_only_where_they_belong(name):
    lines = drawn(name).to_bytes("eps").decode("ascii").split("\n")
    assert max(map(len, lines)) < 255
    comments = [line for line in lines if line.startswith("%")]
    known = ("%!PS-Adobe-3.0 EPSF-3.0", "%%Creator", "%%LanguageLevel", "%%BoundingBox", "%%HiResBoundingBox")
    assert all(line.startswith((*known, "%%DocumentData", "%%EndComments", "%%EOF")) for line in comments)
    level = 3 if "shfill" in lines or any("/ImageType" in line for line in lines) else 2
    assert f"%%LanguageLevel: {level}" in comments


@pytest.mark.rule("G4")
@pytest.mark.parametrize(
    "name",
    ["linear", "focal", "fade", "faint on a gradient", "bricks on a gradient", "see-through", "eyes", "sprite"],
)
def test_eps_mixes_alpha_with_the_one_paint_below_instead_of_making_pixels(name):
    """Open: alpha in formats without it. What lies on one colour or gradient stays a form with edges."""
    assert b"/ImageType" not in drawn(name).to_bytes("eps")


def test_a_fade_on_a_colour_is_off_by_less_than_a_step():
    below, length = Color(255, 255, 232), 4000
    stops = ((0.0, Color(255, 0, 10, 0)), (0.3, Color(0, 255, 10, 255)), (1.0, Color(9, 9, 9, 30)))
    found = mixed(Linear((0, 0), (1, 0), stops), below)
    at = np.linspace(0, 1, length)

    def parts(stops: tuple[tuple[float, Color], ...]) -> np.ndarray:
        rows = [(color.red, color.green, color.blue, color.alpha) for _, color in stops]
        return np.array([np.interp(at, [offset for offset, _ in stops], part) for part in zip(*rows, strict=True)])

    *colors, alpha = parts(stops)
    exact = np.array(colors) * alpha / 255 + np.array([[255], [255], [232]]) * (1 - alpha / 255)
    assert np.abs(parts(found.stops)[:3] - exact).max() < 1


def printed_at(name: str, **fields: object) -> dict[str, bytes]:
    scene = dataclasses.replace(drawn(name).exact_scene, **fields)
    return {format: FORMATS[format].write(scene) for format in ("eps", "pdf", "xaml")}


@pytest.mark.slow
@pytest.mark.needs("gs")
@pytest.mark.parametrize("name", ["focal", "layers"])
def test_dots_per_inch_say_how_large_the_page_is(name, tmp_path):
    files = printed_at(name, dots_per_inch=144)
    width = drawn(name).width
    assert b"%%%%BoundingBox: 0 0 %d %d\n" % (width / 2, width / 2) in files["eps"]
    assert b"/MediaBox[0 0 %d %d]" % (width / 2, width / 2) in files["pdf"]
    assert f'Stretch="Uniform" Width="{width * 96 // 144}'.encode() in files["xaml"]
    for format in ("eps", "pdf"):
        file = tmp_path / f"{name}.{format}"
        file.write_bytes(files[format])
        (pixels,) = readers.ghostscript(tmp_path, [file], dots=144 * vector_readers.FINER)
        assert_shows(pixels, name, "ghostscript", vector_readers.FINER, on_paper=format == "eps")


def _unpacked(pdf: bytes) -> bytes:
    streams = re.findall(rb"stream\n(.*?)\nendstream", pdf, re.DOTALL)
    return b"\n".join(zlib.decompress(stream) for stream in streams)


def test_black_can_be_the_black_ink_alone():
    usual, files = printed_at("for print"), printed_at("for print", key_black=True)
    assert b"\n0 0 0 setrgbcolor" in usual["eps"] and b" setgray" not in usual["eps"]
    assert b"\n0 setgray" in files["eps"] and b"\n1 setgray" in files["eps"]
    assert b"\n0 0 0 setrgbcolor" not in files["eps"]
    drawing = _unpacked(files["pdf"])
    assert b"\n0 g\n" in drawing and b"\n1 g\n" in drawing and b"0 0 0 rg" not in drawing
    # A group in RGB would make three inks of it again.
    assert b"/Group" in usual["pdf"] and b"/Group" not in files["pdf"]
    assert b"0.7529 0 0.1882 rg" in drawing and b"0.7529 0 0.1882 setrgbcolor" in files["eps"]


def test_a_picture_that_is_drawn_often_stands_in_a_file_once():
    data = drawn("sprites of pictures").to_bytes("pdf")
    assert data.count(b"/Subtype/Image") == 4  # two sprites, and where they are seen
    assert drawn("sprite").to_bytes("pdf").count(b"/Subtype/Form") == 1
    assert drawn("sprite").to_bytes("eps").count(b"/o {") == 1
    assert drawn("sprite").to_bytes("xaml").count(b'Property="Data"') == 1


def test_xaml_shows_pictures_in_few_colours_and_not_too_many_pixels():
    picture = qrkit.generate("x", layers=[_layer(_png(_photograph, 120), x=0, side=1200)], width=1200)
    root = etree.fromstring(picture.to_bytes("xaml"))
    paths = root[0][-1].findall(f"{readers.XAML}Path")
    assert 40 < len(paths) <= 64
    runs = [int(count) for path in paths for count in re.findall(r"h(\d+)v", path.get("Data"))]
    assert 100_000 < sum(runs) <= 250_000


def test_what_is_fully_transparent_is_not_painted():
    clear = Gradient.linear("#00ff0000", "#000000ff")
    layers = [_layer(LOGO, opacity=0), _layer("icon:star", opacity=0)]
    image = qrkit.generate(LINK, foreground="transparent", background=clear, modules={"type": "dots"}, layers=layers)
    assert b"fill" not in image.to_bytes("eps")
    assert b"image" not in image.to_bytes("eps")
    assert _unpacked(image.to_bytes("pdf")) == b"1 0 0 -1 0 264 cm"
    assert b"<Path" not in image.to_bytes("xaml")
