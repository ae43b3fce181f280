"""Readers of decorated vector files that share no code with the writers, and the pictures to compare them with."""

import re
import subprocess
from pathlib import Path

import numpy as np
from lxml import etree
from PIL import Image

from tests.conformance.readers import XAML, Pixels, raster, svg

FINER = 4
"""How many times finer than the scene a file is printed, to be averaged: Ghostscript has no smooth edges of its own."""

FINE = 2
"""The same for programs that have them."""


def averaged(pixels: Pixels, times: int) -> np.ndarray:
    """A picture on white paper, in RGB, from one that is so many times finer."""
    height, width = (length // times * times for length in pixels.shape[:2])
    paper = Image.new("RGBA", (width, height), "white")
    paper.alpha_composite(Image.fromarray(pixels[:height, :width]))
    return np.asarray(paper.convert("RGB").reduce(times)).astype(int)


def middles(colors: np.ndarray, box: tuple[float, float, float, float], modules: int) -> np.ndarray:
    """How light the 3 x 3 pixels in the middle of each of modules x modules in a box are: 0..255."""
    left, top, width, height = box
    grey = colors @ [0.299, 0.587, 0.114]
    rows = [int(top + (index + 0.5) * height / modules) for index in range(modules)]
    columns = [int(left + (index + 0.5) * width / modules) for index in range(modules)]
    shifted = [grey[np.ix_([row + down for row in rows], [column + across for column in columns])]
               for down in (-1, 0, 1) for across in (-1, 0, 1)]  # fmt: skip
    return np.mean(shifted, axis=0)


def poppler(folder: Path, file: Path, dots: int = 72 * FINE) -> Pixels:
    """The one page of a PDF as poppler shows it."""
    target = folder / f"{file.stem}-poppler"
    run = subprocess.run(
        ["pdftoppm", "-r", str(dots), "-png", "-singlefile", str(file), str(target)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    return raster(target.with_suffix(".png").read_bytes())


def xaml(data: bytes) -> Pixels:
    """A XAML document, read by what WPF's reference says of its elements, and shown by a renderer of SVG."""
    box = etree.fromstring(data)
    assert box.tag == XAML + "Viewbox"
    (canvas,) = box
    width, height = canvas.get("Width"), canvas.get("Height")
    defs: list[str] = []
    body = _canvas(canvas, defs)
    space = "http://www.w3.org/2000/svg"
    size = f'width="{float(width) * FINE}" height="{float(height) * FINE}" viewBox="0 0 {width} {height}"'
    return svg(f'<svg xmlns="{space}" {size}><defs>{"".join(defs)}</defs>{body}</svg>'.encode())


def _canvas(canvas, defs: list[str]) -> str:
    """The children of a canvas as a group; a style of its resources holds for all paths inside."""
    transform = style = ""
    setters: dict[str, str] = {}
    body = []
    for child in canvas:
        name = child.tag.removeprefix(XAML)
        if name == "Canvas.RenderTransform":
            (matrix,) = child
            assert matrix.tag == XAML + "MatrixTransform"
            transform = f' transform="matrix({matrix.get("Matrix")})"'
        elif name == "Canvas.Resources":
            (style,) = child
            assert style.get("TargetType") == "Path"
            setters = {setter.get("Property"): setter.get("Value") for setter in style}
        elif name == "Canvas":
            body.append(_canvas(child, defs))
        else:
            assert name == "Path", name
            body.append(_path(child, setters, defs))
    return f"<g{transform}>{''.join(body)}</g>"


def _path(path, setters: dict[str, str], defs: list[str]) -> str:
    data = path.get("Data") or setters["Data"]
    rule = "nonzero" if data.startswith("F1") else "evenodd"
    if fill := path.get("Fill") or setters.get("Fill"):
        color, opacity = _color(fill)
        paint = f'fill="{color}" fill-opacity="{opacity}"'
    else:
        ((brush,),) = path
        defs.append(_brush(brush, f"b{len(defs)}"))
        paint = f'fill="url(#b{len(defs) - 1})"'
    crisp = ' shape-rendering="crispEdges"' if path.get("RenderOptions.EdgeMode") == "Aliased" else ""
    place = f"translate({path.get('Canvas.Left', '0')} {path.get('Canvas.Top', '0')})"
    return f'<path {paint} fill-rule="{rule}"{crisp} transform="{place}" d="{data.removeprefix("F1")}"/>'


def _brush(brush, id: str) -> str:
    assert brush.get("MappingMode") == "Absolute"
    stops = []
    for stop in brush:
        color, opacity = _color(stop.get("Color"))
        stops.append(f'<stop offset="{stop.get("Offset")}" stop-color="{color}" stop-opacity="{opacity}"/>')
    if brush.tag == XAML + "LinearGradientBrush":
        (x1, y1), (x2, y2) = brush.get("StartPoint").split(","), brush.get("EndPoint").split(",")
        name, where = "linearGradient", f'x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"'
    else:
        assert brush.tag == XAML + "RadialGradientBrush"
        assert brush.get("RadiusX") == brush.get("RadiusY")
        (cx, cy), (fx, fy) = brush.get("Center").split(","), brush.get("GradientOrigin").split(",")
        name, where = "radialGradient", f'cx="{cx}" cy="{cy}" r="{brush.get("RadiusX")}" fx="{fx}" fy="{fy}"'
    return f'<{name} id="{id}" gradientUnits="userSpaceOnUse" {where}>{"".join(stops)}</{name}>'


def _color(argb: str) -> tuple[str, float]:
    assert re.fullmatch("#[0-9A-F]{8}", argb), argb
    return "#" + argb[3:], int(argb[1:3], 16) / 255
