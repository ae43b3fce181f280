"""Reads an SVG from a stranger; the script of a worker process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qrkit.drawing.scene import Drawing
    from qrkit.drawing.untrusted.svg_styles import Plain


DONE, REFUSED = 0, 1
"""Outcomes of a request. The answer is a line of JSON; a PNG follows if the SVG becomes pixels."""
MOST_MEMORY = 300 * 10**6
"""Bytes of address space."""
MOST_SECONDS = 2
"""Processor time for one file."""
SIDE = 1_600
"""Pixels of the longer side of an SVG that is checked or becomes pixels: 600 dpi at 68 mm. An SVG with filters, which
take long to draw and are mostly soft, is drawn at half of it."""
COMPARED_SIDE = 256
"""Pixels of the longer side at which an SVG and its shapes are compared."""
BLOCK = 8
"""Side of a block that is compared, in pixels."""
MOST_DIFFERENCE = 8
"""Mean difference of a block, of 255, that nobody sees."""
MOST_MARKUP = 512 * 1024
"""Characters of shapes that are embedded in pictures."""
PIXELS = "the SVG becomes a picture of {} x {} pixels, because it has {}; turn that into paths to keep it sharp"


def answer(job: bytes, data: bytes) -> tuple[int, bytes]:
    """Read an SVG as shapes, or as pixels if shapes would look different (job `shapes`); or only as pixels."""
    from qrkit.errors import AssetError
    from qrkit.processes.worker import limit_time

    limit_time(MOST_SECONDS)
    try:
        return DONE, _read(data, may_be_shapes=job == b"shapes")
    except AssetError as error:
        return REFUSED, json.dumps([error.problems[0].rule, error.problems[0].code]).encode()
    except BaseException:  # a renderer written in Rust panics with a BaseException, in words about its own code
        return REFUSED, json.dumps(["is too complex", "image-too-large"]).encode()


def _read(data: bytes, *, may_be_shapes: bool) -> bytes:
    from qrkit.drawing.untrusted.rasteriser.worker import resvg_png
    from qrkit.drawing.untrusted.svg_styles import plain

    file = plain(data)
    lacks = ""
    if may_be_shapes:
        drawing, lacks = _shapes(file)
        if drawing:
            return json.dumps([drawing.markup, drawing.name, drawing.box, drawing.warnings]).encode()
    is_filtered = any(one.get("filter", "none") != "none" for one in file.root.iter())
    svg, width, height = file.sized(SIDE // 2 if is_filtered else SIDE)
    warnings = (*file.doubts, PIXELS.format(f"{width:,}", f"{height:,}", lacks), *file.notes)
    return json.dumps([width, height, warnings, file.doubts]).encode() + b"\n" + resvg_png(svg)


def _shapes(file: Plain) -> tuple[Drawing | None, str]:
    """Return the shapes of a file if they look the same as the file; otherwise, what the shapes lack."""
    from qrkit.drawing.untrusted.svg_shapes import sanitised
    from qrkit.errors import AssetError

    try:
        drawing, lost = sanitised(file)
    except AssetError as error:
        return None, f"parts that take too long to draw ({error.problems[0].rule})"
    if len(drawing.markup) <= MOST_MARKUP and (not lost or _looks_like(drawing, file)):
        return drawing, ""
    return None, ", ".join(lost[:3]) or "more shapes"


def _looks_like(drawing: Drawing, file: Plain) -> bool:
    """Return True if the shapes look the same as the file, on white and on gray."""
    from PIL import Image, ImageChops

    from qrkit.drawing.svg.svg_elements import Definitions, document, picture
    from qrkit.drawing.untrusted.rasteriser.worker import resvg_picture

    svg, width, height = file.sized(COMPARED_SIDE)
    definitions = Definitions()
    body = picture(drawing, (0, 0, width, height), definitions)
    pictures = [resvg_picture(one) for one in (svg, document(width, height, body, definitions))]
    for paper in ("white", "gray"):
        ground = Image.new("RGBA", (width, height), paper)
        one, other = (Image.alpha_composite(ground, picture).convert("RGB") for picture in pictures)
        if max(ImageChops.difference(one, other).reduce(BLOCK).tobytes()) > MOST_DIFFERENCE:
            return False
    return True
