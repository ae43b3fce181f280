"""Encapsulated PostScript, language level 2 (Adobe technical note 5002). One pixel is one point.

PostScript has no transparency: partial alpha is composed on the backdrop, and what is fully transparent is not painted.
The file holds no text of the user and no date, so nothing needs quoting and the same scene gives the same bytes.
"""

from __future__ import annotations

from qrkit.color import Color
from qrkit.scene import Scene
from qrkit.writers.pixels import opaque_palette

__all__ = ["write"]

BARS_A_LINE = 12
"""Keeps lines under the 255 characters of the document structuring conventions."""


def write(scene: Scene) -> bytes:
    """Write an EPS; alpha is composed on the backdrop."""
    background, dark = opaque_palette(scene)
    squares = scene.squares
    bars = [f"{column} {row} {count} b" for column, row, count in squares.runs()]
    lines = [
        "%!PS-Adobe-3.0 EPSF-3.0",
        "%%Creator: qrkit",
        "%%LanguageLevel: 2",
        f"%%BoundingBox: 0 0 {scene.width} {scene.height}",
        "%%DocumentData: Clean7Bit",
        "%%EndComments",
        # x y width b: a bar one module high, added to the path
        "/b {3 1 roll moveto dup 0 rlineto 0 1 rlineto neg 0 rlineto closepath} bind def",
        "gsave",
        f"0 {scene.height} translate 1 -1 scale",
    ]
    if scene.background.paint.alpha:
        lines.append(f"{_rgb(background)} setrgbcolor 0 0 {scene.width} {scene.height} rectfill")
    if squares.paint.alpha:
        lines.append(f"{squares.x} {squares.y} translate {squares.size} dup scale {_rgb(dark)} setrgbcolor newpath")
        lines += [" ".join(bars[start : start + BARS_A_LINE]) for start in range(0, len(bars), BARS_A_LINE)]
        lines.append("fill")
    lines += ["grestore", "showpage", "%%EOF", ""]
    return "\n".join(lines).encode("ascii")


def _rgb(color: Color) -> str:
    return " ".join(f"{part / 255:.4g}" for part in (color.red, color.green, color.blue))
