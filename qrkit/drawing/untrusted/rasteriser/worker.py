"""Runs as a worker process that draws: reads requests from stdin and writes answers to stdout until stdin ends."""

from __future__ import annotations

import importlib
import os
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["ENGINES", "main"]

REQUEST = struct.Struct(">cI")
"""The header of a request: its job, and the length of its data."""
SIZE = struct.Struct(">II")
"""Width and height, before the pixels to compress."""
DRAWING = struct.Struct(">III")
"""Length, width and height of an SVG, before each of the SVGs to draw."""
PAINTING = struct.Struct(">IIB")
"""Width, height and compression level of a painting, before its steps."""
STEP = struct.Struct(">cIIIII")
"""A step: its kind, left, top, width and height in pixels, and the length of the data that follows."""
FILL, DRAW_OVER = b"f", b"o"
"""Kinds of steps: fill a box with an opaque color (3 bytes), and draw an SVG over what is there."""
DONE, NO_DRAWING, NO_RENDERER = 0, 1, 2
"""Outcomes of a request; for the last two, the answer contains the reason."""
MOST_MEMORY = 3 * 2**30
"""Bytes of address space: the largest image, 40 million pixels, needs several copies of 160 MB."""


def _librsvg(svg: bytes, width: int, height: int) -> memoryview:
    import pyvips

    image = pyvips.Image.svgload_buffer(svg)
    if (image.width, image.height) != (width, height):
        raise ValueError(f"the drawing is {image.width} x {image.height} pixels, not {width} x {height}")
    return memoryview(image.write_to_memory())


def _resvg(svg: bytes, width: int, height: int) -> bytes:
    from io import BytesIO

    import resvg_py
    from PIL import Image

    picture = Image.open(BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=svg.decode()))))
    if picture.size != (width, height):
        raise ValueError(f"the drawing is {picture.width} x {picture.height} pixels, not {width} x {height}")
    return picture.convert("RGBA").tobytes()


Drawer = Callable[[bytes, int, int], bytes | memoryview]

ENGINES: dict[str, tuple[str, Drawer]] = {
    "librsvg": ("pyvips", _librsvg),
    "resvg": ("resvg_py", _resvg),
}
"""Maps each name to its library and its function; the first engine that is installed is used."""


def _engine(name: str) -> Drawer:
    if name and name not in ENGINES:
        raise ValueError(f"QRKIT_RASTERISER={name!r} must be one of {', '.join(ENGINES)}")
    for library, draw in [ENGINES[name]] if name else ENGINES.values():
        with suppress(ImportError):
            importlib.import_module(library)
            return draw
    raise ImportError(
        f"no renderer is installed; one of {', '.join(library for library, _ in ENGINES.values())} is needed"
    )


def _draw(draw: Drawer, data: bytes) -> bytes:
    pictures, start = [], 0
    while start < len(data):
        length, width, height = DRAWING.unpack_from(data, start)
        start += DRAWING.size + length
        pictures.append(draw(data[start - length : start], width, height))
    return b"".join(pictures)


def _paint(draw: Drawer, data: bytes) -> bytes:
    """Paint steps one over the other, and return the picture as PNG."""
    from PIL import Image

    width, height, level = PAINTING.unpack_from(data)
    picture, start = None, PAINTING.size
    while start < len(data):
        kind, left, top, across, down, length = STEP.unpack_from(data, start)
        is_only_step = start == PAINTING.size and start + STEP.size + length == len(data)
        start += STEP.size + length
        content, size = data[start - length : start], (across, down)
        if kind == FILL:
            layer = Image.new("RGB", size, tuple(content))
        else:
            drawn = draw(content, across, down)
            layer = Image.frombuffer("RGBA", size, drawn, "raw", "RGBA", 0, 1)  # type: ignore[arg-type]  # any buffer
            if is_only_step and size == (width, height) and not _is_opaque(layer):
                return _png(drawn, width, height, level)  # saves two copies of all pixels
        if picture is None and size == (width, height):
            picture = layer
            continue
        picture = picture or Image.new("RGBA", (width, height))
        if picture.mode == layer.mode == "RGBA":
            picture.alpha_composite(layer, (left, top))
        else:  # on an opaque picture, `paste` gives the same pixels
            picture.paste(layer, (left, top), layer if layer.mode == "RGBA" else None)
    assert picture, "a painting has steps"
    if picture.mode == "RGBA" and _is_opaque(picture):
        picture = picture.convert("RGB")
    return _png(picture.tobytes(), width, height, level)


def _is_opaque(picture: Image) -> bool:
    """Return True if no pixel is transparent; a transparent corner, as most frames have, is noticed at once."""
    alpha = picture.getchannel("A")
    return alpha.getpixel((0, 0)) == 255 and alpha.getextrema() == (255, 255)


def _compress(level: int, data: bytes) -> bytes:
    width, height = SIZE.unpack_from(data)
    return _png(memoryview(data)[SIZE.size :], width, height, level)


def _png(pixels: bytes | memoryview, width: int, height: int, level: int) -> bytes:
    bands = len(pixels) // (width * height)
    try:
        import pyvips
    except ImportError:
        from io import BytesIO

        from PIL import Image

        file = BytesIO()
        picture = Image.frombytes({3: "RGB", 4: "RGBA"}[bands], (width, height), pixels)
        picture.save(file, "PNG", compress_level=level)
        return file.getvalue()
    image = pyvips.Image.new_from_memory(pixels, width, height, bands, "uchar").copy(interpretation="srgb")
    return bytes(image.pngsave_buffer(compression=level, keep="none"))


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows does not support this limit
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = MOST_MEMORY if most == resource.RLIM_INFINITY else min(MOST_MEMORY, most)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, wanted))


def main() -> None:
    """Answer requests until stdin ends."""
    _limit_memory()
    # One drawing is not worth the threads that libvips would start for each.
    os.environ.setdefault("VIPS_CONCURRENCY", "1")
    jobs: dict[bytes, Callable[[bytes], bytes]] = {b"%d" % level: partial(_compress, level) for level in range(10)}
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while head := requests.read(REQUEST.size):
        job, length = REQUEST.unpack(head)
        data = requests.read(length)
        failed, answer = DONE, b""
        try:
            if job not in jobs:
                failed = NO_RENDERER
                engine = _engine(os.environ.get("QRKIT_RASTERISER", ""))
                jobs |= {b"d": partial(_draw, engine), b"p": partial(_paint, engine)}
            failed = NO_DRAWING
            answer = jobs[job](data)
            failed = DONE
        except BaseException as error:  # a renderer written in Rust panics with a BaseException
            answer = " ".join(str(error).split()).encode("utf-8", "replace")[:1000]
        answers.write(struct.pack(">BI", failed, len(answer)))
        answers.write(answer)
        answers.flush()


if __name__ == "__main__":
    main()
