"""Runs as a worker process that draws: reads requests from stdin and writes answers to stdout until stdin ends."""

from __future__ import annotations

import importlib
import os
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial

__all__ = ["ENGINES", "main"]

DONE, NO_DRAWING, NO_RENDERER = 0, 1, 2
"""Outcomes of a request; for the last two, the answer contains the reason."""
MOST_MEMORY = 3 * 2**30
"""Bytes of address space: the largest image, 40 million pixels, needs several copies of 160 MB."""


def _librsvg(svg: bytes, width: int, height: int) -> bytes:
    import pyvips

    image = pyvips.Image.svgload_buffer(svg)
    if (image.width, image.height) != (width, height):
        raise ValueError(f"the drawing is {image.width} x {image.height} pixels, not {width} x {height}")
    return bytes(image.write_to_memory())


def _resvg(svg: bytes, width: int, height: int) -> bytes:
    from io import BytesIO

    import resvg_py
    from PIL import Image

    picture = Image.open(BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=svg.decode()))))
    if picture.size != (width, height):
        raise ValueError(f"the drawing is {picture.width} x {picture.height} pixels, not {width} x {height}")
    return picture.convert("RGBA").tobytes()


ENGINES: dict[str, tuple[str, Callable[[bytes, int, int], bytes]]] = {
    "librsvg": ("pyvips", _librsvg),
    "resvg": ("resvg_py", _resvg),
}
"""Maps each name to its library and its function; the first engine that is installed is used."""


def _engine(name: str) -> Callable[[bytes, int, int], bytes]:
    if name and name not in ENGINES:
        raise ValueError(f"QRKIT_RASTERISER={name!r} must be one of {', '.join(ENGINES)}")
    for library, draw in [ENGINES[name]] if name else ENGINES.values():
        with suppress(ImportError):
            importlib.import_module(library)
            return draw
    raise ImportError(
        f"no renderer is installed; one of {', '.join(library for library, _ in ENGINES.values())} is needed"
    )


def _compress(pixels: bytes, width: int, height: int, *, level: int | None = None) -> bytes:
    bands = len(pixels) // (width * height)
    try:
        import pyvips
    except ImportError:
        from io import BytesIO

        from PIL import Image

        file = BytesIO()
        picture = Image.frombytes({3: "RGB", 4: "RGBA"}[bands], (width, height), pixels)
        picture.save(file, "PNG", compress_level=4 if level is None else level)
        return file.getvalue()
    image = pyvips.Image.new_from_memory(pixels, width, height, bands, "uchar").copy(interpretation="srgb")
    return bytes(image.pngsave_buffer(compression=6 if level is None else level, keep="none"))


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
    jobs: dict[bytes, Callable[[bytes, int, int], bytes]] = {b"c": _compress}
    jobs |= {b"%d" % level: partial(_compress, level=level) for level in range(10)}
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while head := requests.read(13):
        job, length, width, height = struct.unpack(">cIII", head)
        data = requests.read(length)
        failed, answer = DONE, b""
        try:
            if job not in jobs:
                failed = NO_RENDERER
                jobs[job] = _engine(os.environ.get("QRKIT_RASTERISER", ""))
            failed = NO_DRAWING
            answer = jobs[job](data, width, height)
            failed = DONE
        except BaseException as error:  # a renderer written in Rust panics with a BaseException
            answer = " ".join(str(error).split()).encode("utf-8", "replace")[:1000]
        answers.write(struct.pack(">BI", failed, len(answer)))
        answers.write(answer)
        answers.flush()


if __name__ == "__main__":
    main()
