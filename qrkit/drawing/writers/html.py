"""Writes a complete HTML page, without scripts, with the symbol as a table, which is visible if images are blocked.

Tables cannot show shapes or gradients, so decorated codes are included as SVG.
"""

from __future__ import annotations

import re
from html import escape

from qrkit.design.bounds import PIXELS_PER_INCH
from qrkit.design.color import Color
from qrkit.drawing.plain_picture import Plain
from qrkit.drawing.scene import Scene
from qrkit.drawing.svg.svg_text import number
from qrkit.drawing.writers import svg

RUNS = re.compile(rb"\x00+|\x01+")
"""Matches modules of one color side by side."""


def write(scene: Scene) -> bytes:
    """Write an HTML page; any alpha is kept."""
    plain = scene.plain
    body = _table(plain) if plain else svg.write_union(scene).decode()
    title = escape(scene.title, quote=True)
    page = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{title}</title>",
        "<style>",
        "body{margin:0;background:#fff}svg{display:block}",
        *(_rules(plain) if plain else ()),
        "</style></head><body>",
        f"{body}</body></html>\n",
    ]
    return "\n".join(page).encode()


def _rules(plain: Plain) -> list[str]:
    scale = PIXELS_PER_INCH / plain.dots_per_inch if plain.dots_per_inch else 1
    size = number(plain.module * scale)
    return [
        # Without the last two properties, browsers do not print the colors of table cells.
        f".qr{{width:{number(plain.width * scale)}px;height:{number(plain.height * scale)}px;table-layout:fixed;"
        f"border-collapse:collapse;background:{_css(plain.background)};"
        "-webkit-print-color-adjust:exact;print-color-adjust:exact}",
        f".qr tr{{height:{size}px}}.qr td{{padding:0;height:{size}px;line-height:0;font-size:0}}",
        f".qr b{{display:block;height:{size}px;background:{_css(plain.color)}}}",
    ]


def _table(plain: Plain) -> str:
    # With a requested size, there may be a margin around the quiet zone, which is filled with cells of module size.
    left, top = round(plain.left / plain.module), round(plain.top / plain.module)
    columns, rows = round(plain.width / plain.module), round(plain.height / plain.module)
    lines = [f'<table class="qr" role="img" aria-label="QR Code: {escape(plain.title, quote=True)}">']
    blank = f"<tr><td colspan={columns}>"
    lines += [f"<colgroup>{'<col>' * columns}</colgroup>", *[blank] * top]
    lines += [_row(bytes(left) + cells + bytes(columns - left - len(cells))) for cells in plain.cells]
    lines += [blank] * (rows - top - len(plain.cells))
    return "\n".join([*lines, "</table>"])


def _row(modules: bytes) -> str:
    """Write a row, including the quiet zone, with one cell for each run of modules of one color."""
    parts = ["<tr>"]
    for run in RUNS.findall(modules):
        span = f" colspan={len(run)}" if len(run) > 1 else ""
        parts.append(f"<td{span}>{'<b></b>' if run[0] else ''}")
    return "".join(parts)


def _css(color: Color) -> str:
    if color.alpha == 255:
        return color.rgb
    return f"rgba({color.red},{color.green},{color.blue},{color.opacity:.4g})"
