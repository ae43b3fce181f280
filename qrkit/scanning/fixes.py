"""The one change of a design that removes an issue, as fields for `design.replace`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from qrkit.design.color import BLACK, WHITE, Color
from qrkit.design.decoration import Layer, Marker
from qrkit.design.gradient import Fill, Gradient, Stop
from qrkit.design.limits import MarkerPattern
from qrkit.drawing.draw import picture_size
from qrkit.drawing.resizing import lies_in_pixels, relaid
from qrkit.errors import InvalidParameter

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.scanning.budget import Budget

__all__ = [
    "dark_on_light",
    "heavier",
    "is_clear",
    "less_damage",
    "luma",
    "more_contrast",
    "quiet",
    "safe_eye",
    "safe_eyes",
    "shrunk",
    "with_what_follows",
]

Fix: TypeAlias = dict[str, Any]

DARKEST, LIGHTEST = 0.25, 0.92
"""Luma that a foreground has at most, and a background at least, after their fix: 0.67 of contrast."""

AIM = 0.4
"""Of error correction: what the fix of a logo leaves it."""

LEAST_WEIGHT = 0.1
"""Of modules: lighter ones are not seen, so that nobody can tell how much larger they have to be."""

RIM = 2
"""Modules around a logo whose codewords it makes wrong, both sides together: a codeword is 2 x 4 modules."""


def luma(color: Color, page: Color = WHITE) -> float:
    """How light a color is on a page, 0..1."""
    return color.over(page).luma


def is_clear(design: Design) -> bool:
    """Whether the page behind a picture is seen through its background."""
    return any(color.alpha < 128 for color in _colors(design.background))


def quiet(design: Design) -> Fix | None:
    """Four modules of a light quiet zone; None where there are as many, and something lies on them."""
    fix: Fix = {"background": WHITE} if is_clear(design) else {}
    return fix | ({"padding": 4} if design.padding < 4 else {}) or None


def with_what_follows(design: Design, fix: Fix | None) -> Fix | None:
    """A fix that moves the symbol, with what lies in pixels moved along; None where there is no room for it."""
    if not fix or not lies_in_pixels(design):
        return fix
    try:
        moved = relaid(design, **fix)
    except InvalidParameter:
        return None
    named = ("layers", "modules", "foreground", "background")
    return fix | {name: value for name in named if (value := getattr(moved, name)) != getattr(design, name)}


def dark_on_light(design: Design) -> Fix:
    """Foreground and background changed for each other."""
    return {"foreground": design.background, "background": design.foreground}


def more_contrast(design: Design) -> Fix:
    """The foreground darker and the background lighter, each in its hue, as far as is needed."""
    fix: Fix = {}
    if any(luma(color) > DARKEST for color in _colors(design.foreground)):
        fix["foreground"] = _recolored(design.foreground, _darker)
    if any(luma(color) < LIGHTEST for color in _colors(design.background)):
        fix["background"] = _recolored(design.background, _lighter)
    return fix


def heavier(design: Design, kind: str, weight: float) -> Fix | None:
    """Dark sprites larger, so that they weigh as much as a disc of a module; light ones left out.

    Args:
        design: What was drawn.
        kind: Of the modules that weigh too little, dark or light.
        weight: Of them, as it was measured.
    """
    modules = design.modules
    if modules.sprite:
        return {"modules": modules.replace(sprite="circle")}
    if modules.type != "sprite":
        return None
    sprites = [one for one in modules.sprites if kind == "dark" or one.type == "fill"]
    if kind == "dark":
        grown = 1 / max(weight, LEAST_WEIGHT)
        sprites = [
            one.replace(width=round(one.width * grown, 2), height=round(one.height * grown, 2))
            if one.type == "fill"
            else one
            for one in sprites
        ]
    return {"modules": modules.replace(sprites=sprites) if sprites else modules.replace(type="default", sprites=())}


def safe_eye(pattern: MarkerPattern) -> MarkerPattern:
    """The safe form that comes nearest to an eye; of a safe one itself."""
    from qrkit.design.shapes.eyes import EYES  # a code without eyes of its own needs no forms

    return EYES[pattern].safe or pattern


def safe_eyes(design: Design, corners: Iterable[str]) -> Fix | None:
    """The nearest safe forms in these corners, in their colors where those are dark; None where they are so."""
    safe = {}
    for corner in corners:
        if (marker := getattr(design.markers, corner)) is None:
            continue
        kept = {
            name: color
            for name in ("inner_color", "outer_color")
            if (color := getattr(marker, name)) and color.alpha == 255 and luma(color) <= DARKEST
        }
        safe[corner] = Marker(pattern=safe_eye(marker.pattern), **kept)
    markers = design.markers.replace(**safe)
    return {"markers": markers} if markers != design.markers else None


def less_damage(design: Design, budget: Budget) -> Fix | None:
    """The layer that does most of the damage, made smaller around its middle; without one, more error correction."""
    worst = next((one.path for one in budget.causes if one.path.startswith("layers.")), None)
    if worst is None:
        return {"ec": "H", "version": None} if design.ec != "H" else None
    index, layers = int(worst.split(".")[1]), list(design.layers)
    layer = layers[index]
    module = min(picture_size(design.replace(wrapper=None), budget.symbol)) / (budget.symbol.side + 2 * design.padding)
    # What a logo costs grows as its area, with a rim: codewords of which it covers a part are wrong as a whole.
    side, rim = (layer.width * layer.height) ** 0.5, RIM * module
    covered = min(side, budget.symbol.side * module)
    scale = ((covered + rim) * (AIM / budget.used) ** 0.5 - rim) / side
    layers[index] = shrunk(layer, min(0.95, max(scale, 0.1)))
    return {"layers": layers}


def shrunk(layer: Layer, scale: float) -> Layer:
    """A layer made smaller around its middle."""
    width, height = max(layer.width * scale, 0.1), max(layer.height * scale, 0.1)
    left, top = layer.x + (layer.width - width) / 2, layer.y + (layer.height - height) / 2
    return layer.replace(x=round(left, 2), y=round(top, 2), width=round(width, 2), height=round(height, 2))


def _colors(fill: Fill) -> list[Color]:
    if isinstance(fill, Color):
        return [fill]
    return [replace(stop.color, alpha=round(stop.color.alpha * stop.opacity)) for stop in fill.stops]


def _recolored(fill: Fill, change: Any) -> Fill:
    if isinstance(fill, Gradient):
        return fill.replace(stops=[Stop(offset=stop.offset, color=change(stop.color)) for stop in fill.stops])
    return change(fill)  # type: ignore[no-any-return]  # what changes colors gives colors


def _darker(color: Color) -> Color:
    """The color mixed with black until it is dark enough."""
    light = luma(color)
    return _mixed(color, BLACK, 1 - DARKEST / light) if light > DARKEST else color.opaque


def _lighter(color: Color) -> Color:
    light = luma(color)
    return _mixed(color, WHITE, (LIGHTEST - light) / (1 - light)) if light < LIGHTEST else color.opaque


def _mixed(color: Color, other: Color, share: float) -> Color:
    seen = color.over(WHITE)
    parts = zip((seen.red, seen.green, seen.blue), (other.red, other.green, other.blue), strict=True)
    return Color(*(round(mine + (others - mine) * share) for mine, others in parts))
