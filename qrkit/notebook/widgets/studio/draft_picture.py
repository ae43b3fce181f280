"""Draws the image of a draft for the browser."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from qrkit.design.outline import Outline
from qrkit.drawing.draw import is_plain
from qrkit.drawing.scene import Group, Shape, Stamps
from qrkit.drawing.svg.svg_elements import characters

if TYPE_CHECKING:
    from qrkit.drawing.scene import Item
    from qrkit.pictures.image import QRImage

__all__ = ["Picture", "picture_of"]

Picture: TypeAlias = dict[str, str | bytes]
"""The image as text, `svg`, or as bytes, `png`."""

LONGEST_SVG = 100_000
"""Maximum characters of an SVG that is sent with every step of a slider; a larger image is sent as PNG."""


def picture_of(image: QRImage) -> Picture:
    """Draw an image for the browser.

    Raises:
        QrkitError: If it cannot be drawn.
    """
    if is_plain(image.design) or _fewest_characters(image.exact_scene.items) <= LONGEST_SVG:
        svg = image.small_svg()
        if len(svg) <= LONGEST_SVG:
            return {"svg": svg}
    return {"png": image.to_bytes("png", compression=1)}


def _fewest_characters(items: Iterable[Item]) -> int:
    """Return a number of characters that the SVG surely exceeds, without writing it."""
    count = 0
    for item in items:
        match item:
            case Group(inside):
                count += _fewest_characters(inside)
            case Shape(outline):
                count += _characters(outline, ((0.0, 0.0),))
            case Stamps(Outline() as outline, places=places):
                count += _characters(outline, places)
    return count


def _characters(outline: Outline, places: Sequence[tuple[float, float]]) -> int:
    """Return the characters of an outline at some places, or fewer if these are too many already."""
    # Each number takes at least a digit and the letter or space before it.
    fewest = 2 * sum(len(numbers) for _, numbers in outline.segments) * len(places)
    return fewest if fewest > LONGEST_SVG else characters(outline, places)
