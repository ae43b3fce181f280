"""Draws SVG and writes PNG; the script of a worker process."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from PIL.Image import Image


SIZE = struct.Struct(">II")
"""The width and height that precede each SVG to draw."""
PNG = struct.Struct(">IIB")
"""The width, height and compression level that precede the pixels of a PNG, or the steps that paint it."""
STEP = struct.Struct(">cIIII")
"""A step: its kind, left, top, width and height in pixels, before its color (3 bytes, or 4 of a box) and its shape."""
STEP_PARTS = 3
FILL, DRAW_OVER, STENCIL = b"f", b"o", b"s"
"""Kinds of steps: fill a box with a color, draw an SVG over what is there, or paint a color through a mask of one byte
per pixel."""
DONE, NO_DRAWING = 0, 1
"""Outcomes of a request; for the second, the answer contains the reason."""
MOST_MEMORY = 3 * 2**30
"""Bytes of address space: the largest image, 40 million pixels, needs several copies of 160 MB."""


def resvg_png(svg: bytes) -> bytes:
    """Draw an SVG as PNG with resvg; all texts in the font that comes with qrkit."""
    import resvg_py

    fonts: Any = {}
    if b"<text" in svg:
        families = ("font_family", "serif_family", "sans_serif_family", "cursive_family", "fantasy_family")
        fonts = dict.fromkeys((*families, "monospace_family"), "Manrope")
        from font_manrope import font_directory

        fonts["font_files"] = [f"{font_directory}/Manrope-{weight}.ttf" for weight in _WEIGHTS]
    return bytes(resvg_py.svg_to_bytes(svg_string=svg.decode(), dpi=96, skip_system_fonts=True, **fonts))


def resvg_picture(svg: bytes) -> Image:
    """Draw an SVG with resvg as RGBA."""
    from io import BytesIO

    from PIL import Image

    return Image.open(BytesIO(resvg_png(svg))).convert("RGBA")


_WEIGHTS = ("Regular", "Medium", "SemiBold", "Bold", "ExtraBold")
_CLIPPED = re.compile(rb"<(?:clipPath|mask|pattern)\b")


class Layer(NamedTuple):
    """Pixels to paint over others: in RGB or RGBA; or, in L, how far the color covers each pixel."""

    left: int
    top: int
    shape: Image
    color: tuple[int, ...] = ()


def _drawn(svg: bytes, width: int, height: int, *, cover: bool = False) -> memoryview:
    """Draw an SVG with librsvg, or with resvg if it has clips, masks or patterns, some of which librsvg draws wrongly.

    With `cover`, return its alpha alone.
    """
    if _CLIPPED.search(svg):
        picture = resvg_picture(svg).getchannel("A") if cover else resvg_picture(svg)
        size, pixels = picture.size, picture.tobytes
    else:
        import pyvips

        pyvips.cache_set_max(0)  # it would keep the last drawings and their pixels, which nobody asks for again
        image = pyvips.Image.svgload_buffer(svg)
        image = image.extract_band(3) if cover else image
        size, pixels = (image.width, image.height), image.write_to_memory
    if size != (width, height):
        raise ValueError(f"the drawing is {size[0]} x {size[1]} pixels, not {width} x {height}")
    return memoryview(pixels())


def _draw(*parts: bytes, cover: bool = False) -> bytes:
    drawings = zip(parts[::2], parts[1::2], strict=True)
    return b"".join(_drawn(svg, *SIZE.unpack(size), cover=cover) for size, svg in drawings)


def _paint(head: bytes, *steps: bytes) -> bytes:
    """Paint steps one over the other, and return the picture as PNG."""
    width, height, level = PNG.unpack(head)
    picture = None
    for box, color, shape in zip(*(steps[part::STEP_PARTS] for part in range(STEP_PARTS)), strict=True):
        kind, left, top, across, down = STEP.unpack(box)
        if kind == DRAW_OVER:
            drawn = _drawn(shape, across, down)
            layer = Layer(left, top, _rgba(drawn, (across, down)))
            if len(steps) == STEP_PARTS and (across, down) == (width, height) and not _is_opaque(layer.shape):
                return _png(drawn, width, height, level)  # saves two copies of all pixels
        else:
            layer = layer_of(kind, (left, top, across, down), tuple(color), shape)
        picture = paint_over(picture, (width, height), layer)
    assert picture, "a painting has steps"
    return _png(without_alpha(picture).tobytes(), width, height, level)


def layer_of(kind: bytes, box: tuple[int, int, int, int], color: tuple[int, ...], shape: bytes) -> Layer:
    """Return what a step paints that draws no SVG, in a box of left, top, width and height."""
    from PIL import Image

    left, top, width, height = box
    if kind == STENCIL:
        return Layer(left, top, Image.frombytes("L", (width, height), shape), color)
    return Layer(left, top, Image.new({3: "RGB", 4: "RGBA"}[len(color)], (width, height), color))


def paint_over(picture: Image | None, size: tuple[int, int], layer: Layer) -> Image:
    """Return a picture of this size with a layer over it, in RGB as long as everything is opaque.

    The picture is changed; it is None if nothing has been painted yet.
    """
    from PIL import Image

    place, shape = (layer.left, layer.top), layer.shape
    if shape.mode == "L":
        box = (*place, layer.left + shape.width, layer.top + shape.height)
        if picture and (picture.mode == "RGB" or _is_opaque(picture.crop(box))):
            # With an opaque color, the same result as below, but faster.
            picture.paste((*layer.color, 255)[: len(picture.mode)], place, shape)
            return picture
        shape = Image.new("RGBA", shape.size, layer.color)
        shape.putalpha(layer.shape)
    elif picture is None and shape.size == size:
        return shape
    picture = picture or Image.new("RGBA", size)
    if picture.mode == shape.mode == "RGBA":
        picture.alpha_composite(shape, place)
    else:  # on an opaque picture, `paste` gives the same pixels
        picture.paste(shape, place, shape if shape.mode == "RGBA" else None)
    return picture


def _rgba(drawn: memoryview, size: tuple[int, int]) -> Image:
    from PIL import Image

    return Image.frombuffer("RGBA", size, drawn, "raw", "RGBA", 0, 1)  # type: ignore[arg-type]  # any buffer


def without_alpha(picture: Image) -> Image:
    """Return an image as RGB if nothing is transparent."""
    return picture.convert("RGB") if picture.mode == "RGBA" and _is_opaque(picture) else picture


def _is_opaque(picture: Image) -> bool:
    """Return True if no pixel is transparent; a transparent corner, as most frames have, is noticed at once."""
    corner = picture.crop((0, 0, 1, 1))
    return all(part.getchannel("A").getextrema() == (255, 255) for part in (corner, picture))


def _compress(head: bytes, pixels: bytes) -> bytes:
    return _png(pixels, *PNG.unpack(head))


def _png(pixels: bytes | memoryview, width: int, height: int, level: int) -> bytes:
    import pyvips

    bands = len(pixels) // (width * height)
    image = pyvips.Image.new_from_memory(pixels, width, height, bands, "uchar").copy(interpretation="srgb")
    return bytes(image.pngsave_buffer(compression=level, keep="none"))


JOBS: dict[bytes, Callable[..., bytes]] = {
    b"draw": _draw, b"cover": partial(_draw, cover=True), b"paint": _paint, b"compress": _compress
}  # fmt: skip


def start() -> None:
    """Limit libvips to one thread: for a single drawing, starting more threads is not worth the time."""
    os.environ.setdefault("VIPS_CONCURRENCY", "1")


def answer(job: bytes, *parts: bytes) -> tuple[int, bytes]:
    """Do one of `JOBS`, and return the pixels or the PNG, or the reason why there are none."""
    try:
        return DONE, JOBS[job](*parts)
    except BaseException as error:  # a renderer written in Rust panics with a BaseException
        return NO_DRAWING, " ".join(str(error).split()).encode("utf-8", "replace")[:1000]
