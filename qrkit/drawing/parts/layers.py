"""Draws layers as items of a scene, and finds the modules that they leave out."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import ceil, floor

from qrkit.design.decoration import Layer
from qrkit.design.limits import ICON_BOX
from qrkit.design.outline import Outline
from qrkit.design.rotation import read_rotations
from qrkit.drawing.bitmaps import at_most, placed
from qrkit.drawing.layout import Layout
from qrkit.drawing.paints import fainter
from qrkit.drawing.parts.sheet import MOST_PAINTED, Sheet
from qrkit.drawing.scene import Bitmap, Drawing, Item, Picture, Shape
from qrkit.drawing.svg.svg_elements import Definitions, document, path_data
from qrkit.drawing.svg.svg_elements import picture as drawn
from qrkit.drawing.untrusted.rasteriser import rasterise
from qrkit.errors import InvalidParameter, Problem
from qrkit.late import np
from qrkit.symbol.symbol import Role

Box = tuple[float, float, float, float]
"""Left, top, width and height, in pixels."""


def draw_layers(sheet: Sheet) -> list[Item]:
    """Return the layers as items, from bottom to top."""
    items: list[Item] = []
    for index, layer in enumerate(sheet.design.layers):
        content = sheet.pictures[f"layers.{index}.content"]
        if isinstance(content, Outline):
            rotations = read_rotations(layer.content)
            color = rotations[-1].color if rotations else layer.color
            paint = fainter(color or sheet.foreground, layer.opacity)
            items.append(Shape(_icon(content, _box(layer)), paint))
        else:
            shown = at_most(content, layer.width, layer.height)
            items.append(Picture(shown, layer.x, layer.y, layer.width, layer.height, layer.opacity))
    return items


def left_out(sheet: Sheet) -> set[tuple[int, int]]:
    """Return column and row of the data modules that hit tests leave out; function patterns always stay."""
    covered = sum(layer.width * layer.height for layer in sheet.design.layers)
    if covered > MOST_PAINTED:
        rule = f"cover {covered / 1e6:,.0f} million pixels together; at most {MOST_PAINTED / 1e6:,.0f} are drawn"
        raise InvalidParameter(Problem("layers", None, rule, "out-of-range"))
    hit: set[tuple[int, int]] = set()
    for index, layer in enumerate(sheet.design.layers):
        if layer.display == "box-hit-test":
            hit |= _in_box(sheet, layer)
        elif layer.display == "pixel-hit-test":
            hit |= _on_pixels(sheet.layout, layer, sheet.pictures[f"layers.{index}.content"])
    roles = sheet.symbol.roles
    return {(column, row) for column, row in hit if roles[row][column] == Role.DATA}


def _in_box(sheet: Sheet, layer: Layer) -> set[tuple[int, int]]:
    """Return the modules that overlap the layer's box, enlarged by the tolerance."""
    grown, module = layer.tolerance, sheet.layout.module
    left, right = layer.x - grown, layer.x + layer.width + grown
    top, bottom = layer.y - grown, layer.y + layer.height + grown
    if left >= right or top >= bottom:
        return set()
    places = [(number, *sheet.layout.place(number, number)) for number in range(sheet.layout.side)]
    columns = [number for number, x, _ in places if x < right and left < x + module]
    rows = [number for number, _, y in places if y < bottom and top < y + module]
    return set(product(columns, rows))


# A check draws a design several times, and a batch has the same logo on each code. The cache keeps no pixels.
@lru_cache(maxsize=8)
def _on_pixels(layout: Layout, layer: Layer, content: Bitmap | Drawing | Outline) -> frozenset[tuple[int, int]]:
    """Return the modules that overlap a visible pixel of the layer, with pixels enlarged by the tolerance."""
    grown, module = layer.tolerance, layout.module
    # Only pixels within the tolerance of the image can decide about a module.
    reach = ceil(abs(grown)) + 1
    left, top = max(floor(layer.x), -reach), max(floor(layer.y), -reach)
    right = min(ceil(layer.x + layer.width), ceil(layout.width) + reach)
    bottom = min(ceil(layer.y + layer.height), ceil(layout.height) + reach)
    if right <= left or bottom <= top:
        return frozenset()
    # For a negative tolerance, only the middle of each full square of visible pixels remains.
    square = 1 + floor(2 * max(0.0, -grown))
    sums = _sums(_full_squares(visible(content, _box(layer), (left, top, right, bottom)), square))
    height, width = sums.shape[0] - 1, sums.shape[1] - 1
    # The first pixels of the squares that a column or row of modules overlaps. The modules are enlarged or shrunk
    # instead of the pixels.
    numbers = np.arange(layout.side)
    x, y = layout.x + numbers * module, layout.y + numbers * module
    first_x, last_x = _overlapped(x - left - grown - (square - 1), x - left + module + grown, width)
    first_y, last_y = _overlapped(y - top - grown - (square - 1), y - top + module + grown, height)
    below, above = sums[last_y], sums[first_y]
    counts = below[:, last_x] - above[:, last_x] - below[:, first_x] + above[:, first_x]
    rows, columns = (places.tolist() for places in np.nonzero(counts))
    return frozenset(zip(columns, rows, strict=True))


def visible(content: Bitmap | Drawing | Outline, place: Box, window: tuple[int, int, int, int]) -> np.ndarray:
    """Mark the pixels of a window with alpha above 0 in an image that is drawn at a place; see `pixels_of`."""
    seen: np.ndarray = pixels_of(content, place, window)[:, :, 3] > 0
    return seen


def pixels_of(content: Bitmap | Drawing | Outline, place: Box, window: tuple[int, int, int, int]) -> np.ndarray:
    """Draw an image at a place; an icon is an outline, drawn in black.

    The place is left, top, width and height of the image. The window is left, top, right and bottom of the pixels to
    return: red, green, blue and alpha as uint8, of shape (height, width, 4).
    """
    left, top, right, bottom = window
    width, height = right - left, bottom - top
    if not isinstance(content, Outline):
        content = at_most(content, *place[2:])
    if isinstance(content, Bitmap):
        return np.asarray(placed(content, (place[0] - left, place[1] - top, *place[2:]), (width, height)))
    definitions = Definitions()
    if isinstance(content, Outline):
        body = f'<path d="{path_data(_icon(content, place))}"/>'
    else:
        body = drawn(content, place, definitions)
    body = f'<g transform="translate({-left} {-top})">{body}</g>'
    pixels = rasterise(document(width, height, body, definitions), width, height)
    return np.frombuffer(pixels, dtype=np.uint8).reshape(height, width, 4)


def _full_squares(seen: np.ndarray, square: int) -> np.ndarray:
    """For each pixel, tell whether all pixels are visible in the square that begins at it."""
    if square == 1:
        return seen
    if square > min(seen.shape):
        return np.zeros((1, 1), dtype=bool)
    sums = _sums(seen)
    inside = sums[square:, square:] - sums[:-square, square:] - sums[square:, :-square] + sums[:-square, :-square]
    full: np.ndarray = inside == square * square
    return full


def _sums(seen: np.ndarray) -> np.ndarray:
    """For each corner between pixels, count the visible pixels above and left of it."""
    sums = np.zeros((seen.shape[0] + 1, seen.shape[1] + 1), dtype=np.int32)
    seen.cumsum(axis=0, dtype=np.int32, out=sums[1:, 1:])
    sums.cumsum(axis=1, out=sums)
    return sums


def _overlapped(starts: np.ndarray, ends: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first pixels that overlap from start to end, and the pixels after the last."""
    # Sums of coordinates are inexact, so less than a millionth of a pixel does not count as overlap.
    first, last = np.floor(starts + 1e-6), np.ceil(ends - 1e-6)
    return np.clip(first, 0, size).astype(int), np.clip(last, 0, size).astype(int)


def _box(layer: Layer) -> Box:
    return layer.x, layer.y, layer.width, layer.height


def _icon(outline: Outline, place: Box) -> Outline:
    x, y, width, height = place
    return outline.placed(x, y, width / ICON_BOX, height / ICON_BOX)
