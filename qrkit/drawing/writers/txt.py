"""Writes text with two characters per module, to be scanned from a terminal with dark text on light."""

from __future__ import annotations

from qrkit.design.formats import TextStyle
from qrkit.drawing.scene import Scene
from qrkit.errors import InvalidParameter, Problem, nearest

__all__ = ["STYLES", "text", "write"]

STYLES: dict[TextStyle, tuple[str, str]] = {
    "blocks": ("  ", "██"),
    "ascii": ("  ", "xx"),
    "binary": ("0", "1"),
}
"""The characters for a light and for a dark module."""


def write(scene: Scene) -> bytes:
    """Write the symbol with full block characters, in UTF-8."""
    return text(scene).encode()


def text(scene: Scene, style: TextStyle = "blocks") -> str:
    """Return the symbol with its quiet zone, one line per row of modules; each line ends in a newline.

    Raises:
        InvalidParameter: If the style is unknown; the error suggests similar names.
    """
    if style not in STYLES:
        raise InvalidParameter(Problem("style", style, f"is not a style; {nearest(style, STYLES)}"))
    light, dark = STYLES[style]
    side = light * scene.padding
    blank = light * (scene.symbol.side + 2 * scene.padding)
    rows = [side + "".join([dark if module else light for module in row]) + side for row in scene.cells]
    return "\n".join([blank] * scene.padding + rows + [blank] * scene.padding) + "\n"
