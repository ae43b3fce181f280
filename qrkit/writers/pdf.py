"""PDF 1.4, vector, one page (ISO 32000). One pixel is one point; no dates and no ids, so the bytes repeat."""

from __future__ import annotations

import zlib

from qrkit.color import Color
from qrkit.scene import Scene

__all__ = ["write"]


def write(scene: Scene) -> bytes:
    """Write a PDF; any alpha is kept."""
    squares, back = scene.squares, scene.background
    bars = [f"{column} {row} {count} 1 re" for column, row, count in squares.runs()]
    drawing = [
        f"1 0 0 -1 0 {scene.height} cm",
        *_paint(back.paint, "back"),
        f"{back.x} {back.y} {back.width} {back.height} re f",
        *_paint(squares.paint, "dark"),
        f"{squares.size} 0 0 {squares.size} {squares.x} {squares.y} cm",
        *bars,
        "f",
    ]
    stream = zlib.compress("\n".join(drawing).encode("ascii"), 9)
    opacities = "".join(
        f"/{name}<</ca {paint.opacity:.4g}>>" for name, paint in (("back", back.paint), ("dark", squares.paint))
    )
    return _file(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {scene.width} {scene.height}]/Contents 4 0 R"
        f"/Resources<</ExtGState<<{opacities}>>>>/Group<</S/Transparency/CS/DeviceRGB>>>>".encode(),
        f"<</Length {len(stream)}/Filter/FlateDecode>>\nstream\n".encode() + stream + b"\nendstream",
    )


def _paint(color: Color, state: str) -> list[str]:
    red, green, blue = (f"{part / 255:.4g}" for part in (color.red, color.green, color.blue))
    return [f"/{state} gs {red} {green} {blue} rg"]


def _file(*objects: bytes) -> bytes:
    """Number the objects from 1 and write the table of their offsets (7.5.4)."""
    body = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    offsets = []
    for number, one in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n".encode() + one + b"\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    return body + (
        f"xref\n0 {count}\n0000000000 65535 f \n{table}"
        f"trailer\n<</Size {count}/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF\n"
    ).encode("ascii")
