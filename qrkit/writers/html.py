"""HTML: a complete page with the symbol as a table, which shows where pictures are blocked (ruling G6). No script."""

from __future__ import annotations

from html import escape

from qrkit.color import Color
from qrkit.scene import Scene

__all__ = ["write"]


def write(scene: Scene) -> bytes:
    """Write an HTML page; any alpha is kept."""
    squares, size = scene.squares, scene.squares.size
    padding, columns = squares.x // size, scene.width // size
    blank = f"<tr><td colspan={columns}>"
    rows = [_row(padding, cells) for cells in squares.cells]
    title = escape(scene.title, quote=True)
    page = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{title}</title>",
        "<style>",
        "body{margin:0;background:#fff}",
        # Without the last two, browsers leave colours of table cells out of what they print.
        f".qr{{width:{scene.width}px;height:{scene.height}px;table-layout:fixed;border-collapse:collapse;"
        f"background:{_css(scene.background.paint)};-webkit-print-color-adjust:exact;print-color-adjust:exact}}",
        f".qr tr{{height:{size}px}}.qr td{{padding:0;height:{size}px;line-height:0;font-size:0}}",
        f".qr b{{display:block;height:{size}px;background:{_css(squares.paint)}}}",
        "</style></head><body>",
        f'<table class="qr" role="img" aria-label="QR Code: {title}">',
        f"<colgroup>{'<col>' * columns}</colgroup>",
        *[blank] * padding,
        *rows,
        *[blank] * padding,
        "</table></body></html>\n",
    ]
    return "\n".join(page).encode()


def _row(padding: int, cells: bytes) -> str:
    """Runs of modules of one colour, the quiet zone among them, as cells over several columns."""
    modules = bytes(padding) + cells + bytes(padding)
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
