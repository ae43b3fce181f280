"""HTML: a complete page with the symbol as a table, which shows where pictures are blocked (ruling G6). No script.

A table has no shapes and no gradients: what is more than plain squares stands in the page as SVG.
"""

from __future__ import annotations

from html import escape

from qrkit.color import Color
from qrkit.markup import number
from qrkit.scene import Plain, Scene
from qrkit.writers import svg

__all__ = ["write"]


def write(scene: Scene) -> bytes:
    """Write an HTML page; any alpha is kept."""
    plain = scene.plain
    body = _table(scene, plain) if plain else svg.write_union(scene).decode()
    title = escape(scene.title, quote=True)
    page = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{title}</title>",
        "<style>",
        "body{margin:0;background:#fff}svg{display:block}",
        *(_rules(scene, plain) if plain else ()),
        "</style></head><body>",
        f"{body}</body></html>\n",
    ]
    return "\n".join(page).encode()


def _rules(scene: Scene, plain: Plain) -> list[str]:
    size = number(plain.squares.size)
    return [
        # Without the last two, browsers leave colours of table cells out of what they print.
        f".qr{{width:{number(scene.width)}px;height:{number(scene.height)}px;table-layout:fixed;"
        f"border-collapse:collapse;background:{_css(plain.background)};"
        "-webkit-print-color-adjust:exact;print-color-adjust:exact}",
        f".qr tr{{height:{size}px}}.qr td{{padding:0;height:{size}px;line-height:0;font-size:0}}",
        f".qr b{{display:block;height:{size}px;background:{_css(plain.color)}}}",
    ]


def _table(scene: Scene, plain: Plain) -> str:
    # A picture whose size was asked for may have more around the quiet zone: its cells are as wide as modules, too.
    squares = plain.squares
    left, top = round(squares.x / squares.size), round(squares.y / squares.size)
    columns, rows = round(scene.width / squares.size), round(scene.height / squares.size)
    lines = [f'<table class="qr" role="img" aria-label="QR Code: {escape(scene.title, quote=True)}">']
    blank = f"<tr><td colspan={columns}>"
    lines += [f"<colgroup>{'<col>' * columns}</colgroup>", *[blank] * top]
    lines += [_row(bytes(left) + cells + bytes(columns - left - len(cells))) for cells in squares.cells]
    lines += [blank] * (rows - top - len(squares.cells))
    return "\n".join([*lines, "</table>"])


def _row(modules: bytes) -> str:
    """Runs of modules of one colour, the quiet zone among them, as cells over several columns."""
    parts = ["<tr>"]
    start = 0
    while start < len(modules):
        dark = modules[start]
        end = modules.find(1 - dark, start)
        end = len(modules) if end < 0 else end
        span = f" colspan={end - start}" if end - start > 1 else ""
        parts.append(f"<td{span}>{'<b></b>' if dark else ''}")
        start = end
    return "".join(parts)


def _css(color: Color) -> str:
    if color.alpha == 255:
        return color.rgb
    return f"rgba({color.red},{color.green},{color.blue},{color.opacity:.4g})"
