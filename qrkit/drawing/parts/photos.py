"""Draws a photo behind or inside the modules, lightened or darkened as much as readers of phones need."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from math import ceil

import numpy as np
from PIL import Image, ImageFilter

from qrkit.design.color import LUMA, WHITE, Color
from qrkit.design.gradient import Fill, Gradient
from qrkit.design.outline import Outline, rounded
from qrkit.drawing.parts.layers import pixels_of
from qrkit.drawing.parts.sheet import Sheet
from qrkit.drawing.scene import Bitmap, Drawing, Item, Picture, Shape
from qrkit.symbol.symbol import FINDER, Role, alignment_patterns, finder_places

GAP = 181 / 255
"""Luma between a photo and the modules on it, or the background around it; readers of phones need 180 of 255."""

FINE, MOST_SIDE = 16, 1_200
"""Pixels of a photo per module, unless the image has more; and the most per side, 300 dpi at a width of 10 cm."""

DETAIL = 0.2
"""Share of the range of luma at each of its ends that is for details, and not for whole areas."""

COLORFULNESS = 1.1
"""Largest factor by which colors get stronger, because light and dark ones look paler."""

HALFTONE = (0.15, 1.0)
"""Range of luma in which both the dark and the light squares of a halftone stand out."""

SHADOW = 0.35
"""Luma of the darkest modules with a photo inside, as a share of that of the lightest; darker ones have no color."""

AREA = 0.06
"""Radius of the areas that are lightened or darkened as one, in sides of the photo."""

COLORS = 48
"""Number of different colors that a photo gives to modules."""

PLATE_RADIUS, ALIGNMENT_RADIUS = 1.0, 0.5
"""Radii of the grounds under finder and alignment patterns, in modules."""

AROUND = 2
"""Modules by which a photo behind the modules reaches beyond them, if the quiet zone is so wide."""


def draw_photo(sheet: Sheet, *, is_behind: bool) -> list[Item]:
    """Return the photo behind the modules, or as the ground of a halftone, and the light grounds on it."""
    design, layout = sheet.design, sheet.layout
    edge = AROUND if is_behind and layout.padding >= AROUND else 0
    inks = design.modules.palette or [design.foreground]
    least, most = (min(1, max(_lumas(*inks)) + GAP), 1) if is_behind else HALFTONE
    across = layout.side + 2 * edge
    finest = min(MOST_SIDE, across * max(FINE, ceil(layout.module)))
    shown = _picture(_content(sheet), finest, least, most)
    x, y = layout.place(-edge, -edge)
    grounds = _grounds(sheet).placed(layout.x, layout.y, layout.module)
    side = across * layout.module
    return [Picture(shown, x, y, side, side), Shape(grounds, sheet.paper)]


def module_colors(sheet: Sheet) -> dict[tuple[int, int], Color]:
    """Return the color that a photo gives each module, except finder and alignment patterns, by column and row."""
    most = max(0, min(_lumas(sheet.design.background)) - GAP)
    colors = _colors(_content(sheet), sheet.layout.side, most)
    return {
        (column, row): color
        for row, (line, roles) in enumerate(zip(colors, sheet.symbol.roles, strict=True))
        for column, (color, role) in enumerate(zip(line, roles, strict=True))
        if role not in (Role.FINDER, Role.ALIGNMENT)
    }


def _content(sheet: Sheet) -> Bitmap | Drawing:
    content = sheet.pictures["photo.content"]
    assert not isinstance(content, Outline), "a photo is not an icon"
    return content


def _lumas(*fills: Fill) -> list[float]:
    """Return the luma of all colors of fills on a white page, 0..1."""
    colors = [[stop.color for stop in fill.stops] if isinstance(fill, Gradient) else [fill] for fill in fills]
    return [color.over(WHITE).luma for some in colors for color in some]


def _grounds(sheet: Sheet) -> Outline:
    """Draw the grounds under finder patterns and their separators, and in alignment patterns, in modules."""
    side = FINDER + 2
    plates = [
        rounded(column - 1, row - 1, side, side, PLATE_RADIUS)
        for row, column in finder_places(sheet.symbol.side).values()
    ]
    # The ground of an alignment pattern ends below its dark ring.
    inner = [
        rounded(column - 1.5, row - 1.5, 4, 4, ALIGNMENT_RADIUS)
        for row, column in alignment_patterns(sheet.symbol.version)
    ]
    return Outline.joined([*plates, *inner])


@lru_cache(maxsize=8)
def _picture(content: Bitmap | Drawing, side: int, least: float, most: float) -> Bitmap:
    """Return a photo as a picture whose luma is within a range."""
    photo = _toned(_square(content, side), least, most)
    file = BytesIO()
    Image.fromarray(np.rint(photo * 255).astype(np.uint8)).save(file, "PNG", compress_level=3)
    return Bitmap(file.getvalue(), side, side)


@lru_cache(maxsize=8)
def _colors(content: Bitmap | Drawing, side: int, most: float) -> tuple[tuple[Color, ...], ...]:
    """Return a photo of one pixel per module, whose areas have at most this luma, in few colors."""
    photo = _toned(_square(content, side), most * SHADOW, most)
    few = Image.fromarray(np.rint(photo * 255).astype(np.uint8)).quantize(COLORS, dither=Image.Dither.NONE)
    return tuple(tuple(Color(*map(int, pixel)) for pixel in row) for row in np.asarray(few.convert("RGB")))


def _toned(photo: np.ndarray, least: float, most: float) -> np.ndarray:
    """Move the luma of a photo's areas into a range, and keep details and colors as far as there is room for them."""
    luma: np.ndarray = photo @ LUMA
    if luma.min() >= least and luma.max() <= most:
        return photo
    area = _blurred(luma)
    margin = (most - least) * DETAIL
    span = min(np.ptp(area), most - least - 2 * margin)
    start = np.clip(area.min(), least + margin, most - margin - span)
    share = (area - area.min()) / max(np.ptp(area), 1e-6)
    wanted = np.clip(start + share * span + luma - area, least, most)[..., None]
    colorful = photo - luma[..., None]
    room = np.where(colorful > 0, 1 - wanted, wanted) / np.maximum(abs(colorful), 1e-6)
    toned = wanted + colorful * np.minimum(room.min(axis=2, keepdims=True), COLORFULNESS)
    clipped: np.ndarray = np.clip(toned, 0, 1)
    return clipped


def _blurred(luma: np.ndarray) -> np.ndarray:
    """Return the luma of the area around each pixel."""
    pixels = Image.fromarray((luma * 255).astype(np.uint8))
    area = pixels.filter(ImageFilter.GaussianBlur(len(luma) * AREA))
    blurred: np.ndarray = np.asarray(area, dtype=float) / 255
    return blurred


def _square(content: Bitmap | Drawing, side: int) -> np.ndarray:
    """Return the largest square in the middle of a picture, on white: red, green and blue of each pixel, 0..1."""
    if isinstance(content, Drawing):
        _, _, across, down = content.box
        scale = side / min(across, down)
        box = ((side - across * scale) / 2, (side - down * scale) / 2, across * scale, down * scale)
        picture = pixels_of(content, box, (0, 0, side, side))
    else:
        whole = Image.open(BytesIO(content.png))
        # Cropped before it is resized, because `resize` with a box also takes in pixels beside the box.
        left, top = (whole.width - min(whole.size)) // 2, (whole.height - min(whole.size)) // 2
        cropped = whole.crop((left, top, left + min(whole.size), top + min(whole.size)))
        picture = np.asarray(cropped.resize((side, side), Image.Resampling.BILINEAR).convert("RGBA"))
    pixels = picture / 255
    photo: np.ndarray = 1 - (1 - pixels[..., :3]) * pixels[..., 3:]
    return photo
