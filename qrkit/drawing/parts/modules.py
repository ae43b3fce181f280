"""Draws modules as items of a scene: squares, a style, or sprites; and finder patterns."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import chain, compress, product, repeat
from operator import gt

from qrkit.design.color import Color
from qrkit.design.decoration import Marker, Sprite
from qrkit.design.design import Design
from qrkit.design.limits import ICON_BOX
from qrkit.design.outline import Outline, Placed, Scattered, rectangle
from qrkit.design.shapes.alignment import alignment_pattern
from qrkit.design.shapes.eyes import SIDE, eye
from qrkit.design.shapes.sprites import SPRITES
from qrkit.design.shapes.styles import APART, STAMPS, STYLES, TINTED, one_module
from qrkit.drawing.bitmaps import at_most
from qrkit.drawing.paints import fainter, moved, paint
from qrkit.drawing.parts.sheet import MOST_PAINTED, Cells, Sheet
from qrkit.drawing.scene import Item, Matrix, Paint, Shape, Squares, Stamps
from qrkit.errors import InvalidParameter, Problem
from qrkit.symbol.symbol import Role, alignment_patterns, finder_places

Place = tuple[int, int]
"""Column and row of a cell; the quiet zone also has negative columns and rows."""

SIZE_STEPS = 5
"""Number of different sizes that modules get."""

HALFTONE_SIDE = 0.75
"""Side of the squares on a photo, in modules; readers need 0.7, and whole pixels are crisp."""

IS_ALIGNMENT = bytes(role == Role.ALIGNMENT for role in range(256))
"""For `bytes.translate`: whether a role is that of alignment patterns."""

KINDS = {"fill": ("dark",), "blank": ("light",), "padding": ("quiet",), "both": ("light", "quiet")}
"""The kinds of modules on which each type of sprite is drawn."""


def draw_modules(sheet: Sheet, dark: Cells, light: Cells) -> list[Item]:
    """Return the modules as items. Alignment patterns are solid, unless the modules are plain squares.

    `light` are the light modules that may carry sprites. For a style, the layout of the sheet is in modules.
    """
    layout, modules, photo = sheet.layout, sheet.design.modules, sheet.design.photo
    if photo and photo.place == "halftone":
        return _halftone(sheet, dark, light)
    if modules.type == "default":
        plain = Squares(layout.x, layout.y, layout.module, dark, sheet.foreground, modules.joins_squares)
        return [plain, *_colored_squares(sheet, dark)]
    if style := STYLES.get(modules.type):
        # Most styles see alignment patterns as modules, so that their neighbors join them without a gap.
        parts = chain(style(_apart(sheet, dark) if modules.type in APART else dark), _alignment_patterns(sheet))
        return [*_tinted_parts(sheet, light), Shape(Scattered(parts), sheet.foreground), *_colored_parts(sheet, dark)]
    if stamp := STAMPS.get(modules.type) or SPRITES.get(modules.sprite or ""):
        return [*_stamps(sheet, stamp, _places(_apart(sheet, dark))), *_patterns_apart(sheet)]
    return _sprites(sheet, dark, light)


def _halftone(sheet: Sheet, dark: Cells, light: Cells) -> list[Item]:
    """Draw a small square for each module on a photo; finder and alignment patterns have whole ones."""
    layout, solid = sheet.layout, (Role.FINDER, Role.ALIGNMENT)
    whole = tuple(
        bytes(cell and role in solid for cell, role in zip(row, roles, strict=True))
        for row, roles in zip(dark, sheet.symbol.roles, strict=True)
    )
    small = tuple(bytes(map(gt, *rows)) for rows in zip(dark, whole, strict=True))
    edge, side = layout.module * (1 - HALFTONE_SIDE) / 2, layout.module * HALFTONE_SIDE
    square = rectangle(edge, edge, side, side)
    joined = sheet.design.modules.joins_squares
    items: list[Item] = [Squares(layout.x, layout.y, layout.module, whole, sheet.foreground, joined)]
    for cells, color in ((small, sheet.foreground), (light, sheet.paper)):
        corners = tuple(layout.place(*place) for place in _places(cells))
        if corners:
            items.append(Stamps(square, layout.module, layout.module, corners, color))
    return items


def _photo_colors(sheet: Sheet) -> dict[Place, Color]:
    """Return the color that a photo inside the modules gives each of them; none for other designs."""
    if sheet.design.photo is None or sheet.design.photo.place != "inside":
        return {}
    from qrkit.drawing.parts.photos import module_colors  # loads NumPy and Pillow

    return module_colors(sheet)


def _colored_squares(sheet: Sheet, dark: Cells) -> Iterable[Squares]:
    """Draw the modules that a photo colors over the plain ones, which keep the page out of the joins between colors."""
    layout, colors = sheet.layout, _photo_colors(sheet)
    for color in dict.fromkeys(colors.values()):
        cells = tuple(
            bytes(cell and colors.get((column, row)) == color for column, cell in enumerate(line))
            for row, line in enumerate(dark)
        )
        if any(map(any, cells)):
            yield Squares(layout.x, layout.y, layout.module, cells, color, sheet.design.modules.joins_squares)


def _colored_parts(sheet: Sheet, dark: Cells) -> Iterable[Shape]:
    """Draw the modules that a photo colors over those of one color, which keep the page out of the joins."""
    colors = _photo_colors(sheet)
    for color in dict.fromkeys(colors.values()):
        parts = [
            one_module(sheet.design.modules.type, dark, *place) for place in _places(dark) if colors.get(place) == color
        ]
        if parts:
            yield Shape(Outline.joined(parts), color)


def _tinted_parts(sheet: Sheet, light: Cells) -> Iterable[Shape]:
    """Draw light modules in a pale foreground, if the style does."""
    kind = sheet.design.modules.type
    if kind in TINTED:
        yield Shape(Scattered(STYLES[kind](light)), fainter(sheet.foreground, TINTED[kind]))


def _stamps(sheet: Sheet, stamp: Outline, places: list[Place]) -> Iterable[Stamps]:
    """Draw a built-in shape in place of modules, in the sizes and colors of the design, or those of its photo."""
    layout, modules, colors = sheet.layout, sheet.design.modules, _photo_colors(sheet)
    looks = list(product(modules.palette or [sheet.foreground], _scales(stamp, modules.sizes)))
    chosen: dict[tuple[Paint, float], list[tuple[float, float]]] = {look: [] for look in looks}
    groups = [(chosen[look], look[1]) for look in looks]
    for place, number in zip(places, _chance(sheet, "looks", len(places), len(looks)), strict=True):
        group, scale = groups[number]
        if place in colors:
            group = chosen.setdefault((colors[place], scale), [])
        group.append(layout.place(*place))
    for (color, scale), group in chosen.items():
        if group:
            side, edge = layout.module * scale, layout.module * (1 - scale) / 2
            outline = stamp.placed(edge, edge, side)
            yield Stamps(outline, layout.module, layout.module, tuple(group), color, modules.joins_copies)


def _scales(stamp: Outline, sizes: tuple[float, ...] | None) -> list[float]:
    """Return the factors by which a shape is scaled to get the sizes."""
    if sizes is None:
        return [1]
    left, top, right, bottom = stamp.box()
    smallest, largest = (size / max(right - left, bottom - top) for size in sizes)
    if smallest == largest:
        return [smallest]
    return [smallest + (largest - smallest) * step / (SIZE_STEPS - 1) for step in range(SIZE_STEPS)]


def _chance(sheet: Sheet, group: str, count: int, choices: int) -> Iterator[int]:
    """Yield a random number below `choices` for each of `count` places; the same design always gives the same ones."""
    if choices == 1:
        return repeat(0, count)
    text = f"{sheet.design.modules.seed} {group} {sheet.design.content}"
    digest = hashlib.shake_256(text.encode()).digest(2 * count)
    return (int.from_bytes(digest[2 * index : 2 * index + 2], "big") % choices for index in range(count))


def _alignment_patterns(sheet: Sheet) -> list[Placed]:
    """Return all alignment patterns and their places, in modules; layers never leave out any part of them."""
    modules = sheet.design.modules
    # Sprites of your own may have any form, so the pattern beside them is plain.
    is_own = modules.type == "sprite" and not modules.sprite
    pattern = alignment_pattern("default" if is_own else modules.type)
    return [(pattern, column - 2, row - 2) for row, column in alignment_patterns(sheet.symbol.version)]


def _patterns_apart(sheet: Sheet) -> list[Item]:
    """Return the alignment patterns as an item of their own; nothing for version 1, which has none."""
    layout, patterns = sheet.layout, _alignment_patterns(sheet)
    if not patterns:
        return []
    return [Shape(Scattered(patterns).placed(layout.x, layout.y, layout.module), sheet.ink)]


def _apart(sheet: Sheet, cells: Cells) -> Cells:
    """Leave out the modules of alignment patterns."""
    patterns = (roles.translate(IS_ALIGNMENT) for roles in sheet.symbol.roles)
    return tuple(bytes(map(gt, row, pattern)) for row, pattern in zip(cells, patterns, strict=True))


def _sprites(sheet: Sheet, dark: Cells, light: Cells) -> list[Item]:
    """Draw the design's own sprites; dark modules are squares if there is no sprite for them."""
    layout = sheet.layout
    groups = {
        "dark": _places(_apart(sheet, dark)),
        "light": _places(light),
        "quiet": _quiet_places(layout.side, layout.padding),
    }
    items: list[Item] = []
    for group, places in groups.items():
        sprites = [
            (f"modules.sprites.{index}.content", sprite)
            for index, sprite in enumerate(sheet.design.modules.sprites)
            if group in KINDS[sprite.type]
        ]
        if sprites:
            items += _random_sprites(sheet, group, places, sprites)
            if group == "dark":
                items += _patterns_apart(sheet)
        elif group == "dark":
            joined = sheet.design.modules.joins_squares
            items.append(Squares(layout.x, layout.y, layout.module, dark, sheet.foreground, joined))
    return items


def _random_sprites(sheet: Sheet, group: str, places: list[Place], sprites: list[tuple[str, Sprite]]) -> Iterable[Item]:
    """Choose a sprite for each place at random."""
    chosen: dict[str, list[tuple[float, float]]] = {path: [] for path, _ in sprites}
    layout = sheet.layout
    for place, number in zip(places, _chance(sheet, group, len(places), len(sprites)), strict=True):
        path, sprite = sprites[number]
        x, y = layout.place(*place)
        chosen[path].append((x + (layout.module - sprite.width) / 2, y + (layout.module - sprite.height) / 2))
    for path, sprite in sprites:
        picture = sheet.pictures[path]
        if isinstance(picture, Outline):
            picture = picture.placed(0, 0, sprite.width / ICON_BOX, sprite.height / ICON_BOX)
        else:
            picture = at_most(picture, sprite.width, sprite.height)
        covered = sprite.width * sprite.height * len(chosen[path])
        if covered > MOST_PAINTED:
            rule = f"is too large: {len(chosen[path])} copies would cover {covered / 1e6:,.0f} million pixels"
            name = path.removesuffix("content") + "width"
            raise InvalidParameter(
                Problem(name, sprite.width, f"{rule}; at most {MOST_PAINTED / 1e6:,.0f} are allowed", "out-of-range")
            )
        if chosen[path]:
            yield Stamps(picture, sprite.width, sprite.height, tuple(chosen[path]), sheet.foreground)


def _places(cells: Cells) -> list[Place]:
    columns = range(len(cells[0]))
    return [(column, row) for row, line in enumerate(cells) for column in compress(columns, line)]


def _quiet_places(side: int, padding: int) -> list[Place]:
    inside = range(side)
    around = range(-padding, side + padding)
    return [(column, row) for row in around for column in around if row not in inside or column not in inside]


# ---- finder patterns


def draw_markers(sheet: Sheet) -> list[Item]:
    """Return the finder patterns as items, without those that are drawn as ordinary modules."""
    items: list[Item] = []
    for corner, (row, column) in finder_places(sheet.symbol.side).items():
        if is_square(sheet.design, corner):
            continue
        marker = getattr(sheet.design.markers, corner) or Marker(pattern="default")
        x, y = sheet.layout.place(column, row)
        side = sheet.layout.module * SIDE
        form = eye(marker.pattern, corner, marker.inner, sheet.design.modules)
        for outline, color in ((form.outer, marker.outer_color), (form.inner, marker.inner_color)):
            own = moved(paint(color, side, side), Matrix(move_x=x, move_y=y)) if color else sheet.ink
            items.append(Shape(outline.placed(x, y, sheet.layout.module), fainter(own, marker.opacity)))
    return items


def is_square(design: Design, corner: str) -> bool:
    """Return True if the finder pattern in this corner is drawn as ordinary square modules."""
    marker = getattr(design.markers, corner)
    if design.modules.type != "default" or marker is None:
        return design.modules.type == "default"
    is_plain = {marker.pattern, marker.inner or marker.pattern} == {"default"}
    return is_plain and marker.inner_color is marker.outer_color is None and marker.opacity == 1
