"""An SVG from strangers becomes shapes where these look as it does, else pixels; hostile ones end in time."""

import base64
import os
import re
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from qrkit import Layer, generate
from qrkit.drawing.parts.layers import pixels_of
from qrkit.drawing.scene import Bitmap, Drawing
from qrkit.drawing.untrusted.svg_reader import drawn_svg, read_svg
from qrkit.drawing.untrusted.svg_reader.worker import MOST_MEMORY, SIDE
from qrkit.errors import AssetError
from tests.drawing.pictures import svg_uri
from tests.sweeps import quick_first

NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
RED = '<rect width="10" height="10" fill="red"/>'


def svg(body, root='viewBox="0 0 10 10"'):
    return f"<svg {NAMES} {root}>{body}</svg>".encode()


def middle(data):
    """The color of the middle of a picture."""
    pixels = pixels_of(read_svg(data), (0, 0, 9, 9), (0, 0, 9, 9))
    return tuple(pixels[4, 4].tolist())


# ---- shapes or pixels


@pytest.mark.parametrize(
    "body",
    [
        RED,
        f"<style>.a{{opacity:.5}}</style><g class='a'>{RED}</g>",
        f'<clipPath id="c"><circle r="5"/></clipPath><g clip-path="url(#c)">{RED}</g>',
        f'{RED}<rect filter="url(#none)" width="3" height="3"/>',
        f'<filter id="f"><feFlood/></filter>{RED}',
        f'{RED}<path d="M0 0" marker-end="url(#m)"/><marker id="m"/>',
        f"<text> </text>{RED}",
    ],
)
def test_a_file_whose_shapes_look_like_it_stays_shapes(body):
    drawing = read_svg(svg(body))
    assert isinstance(drawing, Drawing)
    assert drawing.warnings == ()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            f'<g style="mix-blend-mode:multiply">{RED}</g><circle r="5" style="mix-blend-mode:multiply" fill="lime"/>',
            "mix-blend-mode",
        ),
        (f'<g style="filter:blur(.1px)">{RED}</g>', "filter"),
        ('<path d="M0 0h9" marker-start="url(#m)"/><marker id="m"><circle r="5"/></marker>', "marker"),
        ("<path/>" * 5_001 + RED, "parts that take too long to draw"),
        ('<path d="M0 0L9 0L9 9L oops" fill="red"/>', "because it has d;"),
        ('<rect width="1e7" height="10" fill="red"/>', "numbers of at most 1,000,000"),
    ],
    ids=["blend", "filter", "marker", "5,001 shapes", "path error", "large number"],
)
def test_a_file_whose_shapes_look_different_becomes_pixels_and_tells_it(body, words):
    bitmap = read_svg(svg(body, 'viewBox="0 0 10 5"'))
    assert isinstance(bitmap, Bitmap)
    side = SIDE // 2 if words == "filter" else SIDE
    assert (bitmap.width, bitmap.height) == (side, side // 2)
    (warning,) = bitmap.warnings
    assert f"the SVG becomes a picture of {side:,} x {side // 2:,} pixels" in warning
    assert words in warning


def test_pictures_tell_that_a_logo_became_pixels():
    logo = svg_uri(f'<g style="filter:blur(.1px)">{RED}</g>')
    layer = Layer(logo, x=60, y=60, width=60, height=60)
    with pytest.warns(UserWarning, match=r"layers\.0\.content: the SVG becomes a picture of 800 x 800 pixels"):
        image = generate("https://example.com", ec="H", layers=[layer])
    for format in ("svg", "pdf", "eps"):
        assert image.to_bytes(format)


def test_doubts_are_told_beside_a_picture():
    (doubt,) = read_svg(svg(f"<foreignObject/>{RED}")).warnings
    assert doubt == "the SVG embeds HTML, which is left out"
    png, doubts = drawn_svg(svg(f"<foreignObject/>{RED}"))
    assert png.startswith(b"\x89PNG")
    assert doubts == [doubt]


def test_text_becomes_pixels_in_our_letters_whatever_is_installed():
    bitmap = read_svg(svg('<text y="9" font-size="9" font-family="DejaVu Sans" font-weight="bold">A</text>'))
    assert isinstance(bitmap, Bitmap)
    assert [words in one for words, one in zip(("has text", "in DejaVu Sans is"), bitmap.warnings, strict=True)]
    seen = pixels_of(bitmap, (0, 0, 90, 90), (0, 0, 90, 90))[:, :, 3] > 127
    rows = np.flatnonzero(seen.any(axis=1))
    assert rows[-1] - rows[0] == pytest.approx(0.72 * 81, abs=2), "the height of capitals in Manrope"


# ---- hostile files

uses = "".join(f'<g id="a{level}">' + f'<use href="#a{level - 1}"/>' * 10 + "</g>" for level in range(1, 9))
nested = "<filter id='f'>" + "<feGaussianBlur stdDeviation='50'/><feMorphology radius='40'/>" * 300 + "</filter>"


def huge_png(side):
    def chunk(name, data):
        return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")

    size = side.to_bytes(4, "big") * 2
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size + b"\x08\0\0\0\0") + chunk(b"IDAT", zlib.compress(bytes(1000)))
    return "data:image/png;base64," + base64.b64encode(png).decode()


HOSTILE = {
    "a hundred million uses": f'<rect id="a0" width="1" height="1"/>{uses}<use href="#a8"/>',
    "nth of": "<style>" + ":nth-last-child(2n+1 of rect){fill:red}" * 300 + "</style>" + "<rect/>" * 1_500,
    "selectors that look far": f"<style>{'g g g g g g rect{fill:red}' * 160}</style>"
    + ("<g>" * 30 + "<rect/>" * 60 + "</g>" * 30) * 20,
    "filters": f"{nested}<g filter='url(#f)'>{RED}</g>",
    "turbulence": "<filter id='f'><feTurbulence numOctaves='999999' baseFrequency='9'/></filter>"
    + f"<g filter='url(#f)'>{RED}</g>",
    "nested opacities": "<g opacity='.9'>" * 30 + RED + "</g>" * 30 + RED * 2,
    "masks of masks": "".join(
        f'<mask id="m{n}"><rect width="9" height="9" mask="url(#m{n + 1})"/></mask>' for n in range(500)
    )
    + '<rect width="9" height="9" mask="url(#m0)"/>',
    "uses 500 deep": "".join(f'<g id="d{n}" opacity=".9"><use href="#d{n + 1}"/></g>' for n in range(500))
    + f'<g id="d500">{RED}</g><use href="#d0"/>',
    "markers": '<marker id="m"><rect width="9" height="9"/></marker><path marker-mid="url(#m)" d="M0 0'
    + "l1 1" * 50_000
    + '"/>',
    "gradient stops": "<linearGradient id='g'>"
    + "<stop offset='.5'/>" * 45_000
    + "</linearGradient>"
    + "<rect width='9' height='9' fill='url(#g)'/>",
    "a PNG of 30,000 x 30,000": f'<image width="9" height="9" href="{huge_png(30_000)}"/>',
    "brackets": f"<style>a{{b:{'(' * 200_000}}}</style>{RED}",
    "variables": "<style>*{--a:red;"
    + "".join(f"--{n}:var(--{n + 1},var(--{n + 2}));" for n in range(500))
    + f"fill:var(--0)}}</style>{RED}",
    "dashes": '<path d="M0 0H10" stroke="red" stroke-dasharray="1e-7"/>',
    "long text": f"<text>{'a' * 900}</text>" * 3,
    "a tile": '<pattern id="p" patternUnits="userSpaceOnUse" width="1e-5" height="1e-5"><path d="M0 0h1"/></pattern>'
    '<rect width="9" height="9" fill="url(#p)"/>',
}


def peak():
    """The most memory in bytes that one of the workers of this process had."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"svg_reader" in (folder / "cmdline").read_bytes():
                found.append(int(re.search(r"VmHWM:\s+(\d+)", (folder / "status").read_text())[1]) * 1024)
        except (OSError, TypeError):  # it ended meanwhile
            continue
    return max(found, default=0)


@pytest.mark.parametrize("name", quick_first(HOSTILE, 2))
def test_a_hostile_file_ends_in_time_and_the_next_one_is_read(name):
    assert middle(svg(RED)) == (255, 0, 0, 255)  # the time in which a worker starts is not the file's
    began = time.process_time(), time.monotonic()
    try:
        read_svg(svg(HOSTILE[name]))
    except AssetError as error:
        assert error.code in ("image-too-large", "bad-image")
    assert time.process_time() - began[0] < 0.5, "the parent works on it"
    assert time.monotonic() - began[1] < 30
    assert middle(svg(RED)) == (255, 0, 0, 255)
    if sys.platform == "linux":
        assert peak() < MOST_MEMORY


def test_no_file_is_opened_that_a_picture_names(tmp_path):
    path = tmp_path / "secret.png"
    path.write_bytes(generate("secret").to_bytes("png"))
    for href in (str(path), path.as_uri(), f"\\\\localhost{path}"):
        white = '<rect width="10" height="10" fill="#fff"/>'
        image = f'<image width="10" height="10" href="{href}"/><image width="10" height="10" xlink:href="{href}"/>'
        _, doubts = drawn_svg(svg(white + image))
        assert doubts == ["the SVG refers to another file, which is never loaded"]
        pixels = pixels_of(read_svg(svg(white + image)), (0, 0, 99, 99), (0, 0, 99, 99))
        assert np.all(pixels == 255)
