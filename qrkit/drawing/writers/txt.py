"""Writes text with two characters per module, to be scanned from a terminal with dark text on light."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qrkit.design.formats import TextStyle
from qrkit.errors import one_of

if TYPE_CHECKING:
    from qrkit.drawing.scene import Scene


STYLES: dict[TextStyle, tuple[str, str]] = {
    "blocks": ("  ", "██"),
    "ascii": ("  ", "xx"),
    "binary": ("0", "1"),
}
"""The characters for a light and for a dark module."""


def write(scene: Scene) -> bytes:
    """Write the symbol with full block characters, in UTF-8."""
    return text(scene.cells, scene.padding).encode()


def text(cells: Sequence[bytes], padding: int, style: TextStyle = "blocks") -> str:
    """Return the symbol with its quiet zone, one line per row of modules; each line ends in a newline.

    Cells are rows of modules as drawn, 1 for a dark one; the padding is in modules.
    """
    light, dark = STYLES[one_of("style", style, STYLES, "is not a style")]
    side = light * padding
    blank = light * (len(cells) + 2 * padding)
    rows = [side + "".join([dark if module else light for module in row]) + side for row in cells]
    return "\n".join([blank] * padding + rows + [blank] * padding) + "\n"
