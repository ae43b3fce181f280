"""Draws rotated images: an icon stays an outline, and any other image becomes a drawing."""

from __future__ import annotations

from qrkit.design.outline import Outline
from qrkit.design.rotation import Rotated
from qrkit.drawing.bitmaps import at_most
from qrkit.drawing.scene import Bitmap, Drawing
from qrkit.drawing.svg.svg_elements import Definitions, picture

ENLARGED = 2
"""By how much a layer may be enlarged after it was rotated, and its photograph is still drawn with all its pixels."""


def rotate(content: Bitmap | Drawing | Outline, image: Rotated) -> Drawing | Outline:
    """Return an image rotated to the size and angle of `image`, in the smallest upright box around it."""
    if isinstance(content, Outline):
        return image.outline(content)
    shown, definitions = at_most(content, ENLARGED * image.width, ENLARGED * image.height), Definitions()
    body = picture(shown, (0, 0, image.width, image.height), definitions)
    markup = f'{definitions}<g transform="{image.transform}">{body}</g>'
    return Drawing(markup, "rotated", (0, 0, *image.box), content.warnings)
