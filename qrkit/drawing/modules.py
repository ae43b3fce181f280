"""Draws modules as items of a scene: squares, a style, or sprites."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from qrkit.design.decoration import Sprite
from qrkit.design.outline import Outline
from qrkit.design.shapes.alignment import alignment_pattern
from qrkit.design.shapes.sprites import SPRITES
from qrkit.design.shapes.styles import STAMPS, STYLES
from qrkit.drawing.bitmaps import at_most
from qrkit.drawing.scene import Item, Shape, Squares, Stamps
from qrkit.drawing.sheet import ICON_BOX, MOST_PAINTED, Cells, Sheet
from qrkit.errors import InvalidParameter, Problem
from qrkit.symbol.symbol import Role, alignment_patterns

__all__ = ["draw_modules"]

Place = tuple[int, int]
"""Column and row of a cell; the quiet zone also has negative columns and rows."""

KINDS = {"fill": ("dark",), "blank": ("light",), "padding": ("quiet",), "both": ("light", "quiet")}
"""The kinds of modules on which each type of sprite is drawn."""


def draw_modules(sheet: Sheet, dark: Cells, light: Cells) -> list[Item]:
    """Return the modules as items. Alignment patterns are solid, unless the modules are plain squares.

    Args:
        sheet: The design, symbol and layout.
        dark: Dark modules.
        light: Light modules that may carry sprites.
    """
    layout, modules = sheet.layout, sheet.design.modules
    if modules.type == "default":
        return [Squares(layout.x, layout.y, layout.module, dark, sheet.foreground, modules.union)]
    if style := STYLES.get(modules.type):
        # The style sees alignment patterns as modules, so that its neighbors join them without a gap.
        joined = style(dark) + _alignment_patterns(sheet)
        return [Shape(joined.placed(layout.x, layout.y, layout.module), sheet.foreground)]
    if stamp := STAMPS.get(modules.type) or SPRITES.get(modules.sprite or ""):
        return [_stamps(sheet, stamp, _places(_apart(sheet, dark))), *_patterns_apart(sheet)]
    return _sprites(sheet, dark, light)


def _stamps(sheet: Sheet, stamp: Outline, places: list[Place]) -> Stamps:
    """Draw a built-in shape in place of modules."""
    layout = sheet.layout
    outline = stamp.placed(scale_x=layout.module)
    edges = [layout.place(number, number) for number in range(layout.side)]
    corners = tuple((edges[column][0], edges[row][1]) for column, row in places)
    return Stamps(outline, layout.module, layout.module, corners, sheet.foreground, sheet.design.modules.union)


def _alignment_patterns(sheet: Sheet) -> Outline:
    """Draw all alignment patterns, in modules; layers never leave out any part of them."""
    pattern = alignment_pattern(sheet.design.modules.type)
    centers = alignment_patterns(sheet.symbol.version)
    return Outline.joined(pattern.placed(column - 2, row - 2) for row, column in centers)


def _patterns_apart(sheet: Sheet) -> list[Item]:
    """Return the alignment patterns as an item of their own; nothing for version 1, which has none."""
    layout, patterns = sheet.layout, _alignment_patterns(sheet)
    if not patterns.segments:
        return []
    return [Shape(patterns.placed(layout.x, layout.y, layout.module), sheet.foreground)]


def _apart(sheet: Sheet, cells: Cells) -> Cells:
    """Leave out the modules of alignment patterns."""
    return tuple(
        bytes(cell and role != Role.ALIGNMENT for cell, role in zip(row, roles, strict=True))
        for row, roles in zip(cells, sheet.symbol.roles, strict=True)
    )


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
            items.append(Squares(layout.x, layout.y, layout.module, dark, sheet.foreground))
    return items


def _random_sprites(sheet: Sheet, group: str, places: list[Place], sprites: list[tuple[str, Sprite]]) -> Iterable[Item]:
    """Choose a sprite for each place at random; the same design always gives the same choice."""
    text = f"{sheet.design.modules.seed} {group} {sheet.design.content}"
    chance = hashlib.shake_256(text.encode()).digest(2 * len(places))
    chosen: dict[str, list[tuple[float, float]]] = {path: [] for path, _ in sprites}
    layout = sheet.layout
    for index, place in enumerate(places):
        path, sprite = sprites[int.from_bytes(chance[2 * index : 2 * index + 2], "big") % len(sprites)]
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
                Problem(name, sprite.width, f"{rule}, at most {MOST_PAINTED / 1e6:,.0f}", "out-of-range")
            )
        if chosen[path]:
            yield Stamps(picture, sprite.width, sprite.height, tuple(chosen[path]), sheet.foreground)


def _places(cells: Cells) -> list[Place]:
    return [(column, row) for row, line in enumerate(cells) for column, cell in enumerate(line) if cell]


def _quiet_places(side: int, padding: int) -> list[Place]:
    inside = range(side)
    around = range(-padding, side + padding)
    return [(column, row) for row in around for column in around if row not in inside or column not in inside]
