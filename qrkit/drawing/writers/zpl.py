"""Writes ZPL II, which Zebra's label printers and many others print: a pixel of the drawing is a dot of the printer.

A drawing is sent as a graphic field (`^GFA`), never as `^BQ`, with which the printer would encode the content anew: its
version cannot be asked for, and it is moved down by the height of bars that was last set (`^BY`).
"""

from __future__ import annotations

from qrkit.drawing.scene import Scene
from qrkit.drawing.writers.raster import opaque_picture

DARK = 0.75
"""Grays up to this share of the way from the darkest to the lightest are printed black: modules may be pale."""


def write(scene: Scene, copies: int = 1) -> bytes:
    """Write a drawing as a label of its size that is printed as often as asked.

    Rows are hexadecimal; a row that repeats the one above is a colon, and a comma stands for the light rest of a row.
    """
    grays = opaque_picture(scene).convert("L")
    used = [gray for gray, pixels in enumerate(grays.histogram()) if pixels]
    limit = used[0] + DARK * (used[-1] - used[0])
    dots = grays.point([255 * (gray < limit) for gray in range(256)], "1")
    data, length = dots.tobytes(), (dots.width + 7) // 8
    rows, above = [], ""
    for start in range(0, len(data), length):
        row = data[start : start + length].hex().upper()
        rows.append(":" if row == above else row.rstrip("0") + ("," if row.endswith("0") else ""))
        above = row
    size = f"^PW{dots.width}^LL{dots.height}^PQ{copies}"
    return f"^XA{size}^FO0,0^GFA,{len(data)},{len(data)},{length},{''.join(rows)}^FS^XZ\n".encode("ascii")
