"""Finds the change to a design that removes an issue, as fields for `design.replace`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from qrkit.design.color import BLACK, WHITE, Color
from qrkit.errors import InvalidParameter
from qrkit.symbol.symbol import CORNERS

if TYPE_CHECKING:
    from qrkit.design.decoration import Layer, Marker
    from qrkit.design.design import Design
    from qrkit.design.gradient import Fill
    from qrkit.design.limits import MarkerPattern
    from qrkit.scanning.budget import Budget


Fix: TypeAlias = dict[str, Any]

DARKEST, LIGHTEST = 0.22, 0.93
"""Highest luma of a fixed foreground, and lowest luma of a fixed background: a contrast of 0.71."""

AIM = 0.4
"""Share of error correction that a fixed logo uses."""

LEAST_WEIGHT = 0.1
"""Smallest weight of modules that can be measured; it limits how much sprites are enlarged."""

SAME_CENTER = 0.1
"""Pixels between the centers of layers that belong together; places are rounded to hundredths."""
RIM = 2
"""Modules around a logo, on both sides together, whose codewords it damages: a codeword has 2 x 4 modules."""


def luma(color: Color, page: Color = WHITE) -> float:
    """Return the luma of a color on a page, 0..1."""
    return color.over(page).luma


def is_clear(design: Design) -> bool:
    """Return True if the page shows through the background."""
    return any(color.alpha < 128 for color in _colors(design.background))


def quiet(design: Design) -> Fix | None:
    """Return a light quiet zone of four modules; None if the design has one, so that something must cover it."""
    fix: Fix = {"background": WHITE} if is_clear(design) else {}
    return fix | ({"padding": 4} if design.padding < 4 else {}) or None


def with_what_follows(design: Design, fix: Fix | None) -> Fix | None:
    """Add the layers, sprites and gradients that move with the symbol to a fix; None if there is no room for it."""
    from qrkit.drawing.resizing import lies_in_pixels

    if not fix or not lies_in_pixels(design):
        return fix
    try:
        moved = design.replace(**fix)
    except InvalidParameter:
        return None
    named = ("layers", "modules", "foreground", "background")
    return fix | {name: value for name in named if (value := getattr(moved, name)) != getattr(design, name)}


def dark_on_light(design: Design) -> Fix:
    """Swap foreground and background."""
    return {"foreground": design.background, "background": design.foreground}


def more_contrast(design: Design) -> Fix:
    """Make the foreground darker and the background lighter as needed, keeping their hues."""
    fix: Fix = {}
    if any(luma(color) > DARKEST for color in _colors(design.foreground)):
        fix["foreground"] = _recolor(design.foreground, _darken)
    if any(luma(color) < LIGHTEST for color in _colors(design.background)):
        fix["background"] = _recolor(design.background, _lighten)
    return fix


def red_contrast(design: Design) -> float:
    """Return the contrast of the colors in red light, -1..1."""
    inks, centers = inks_of(design)
    dark, light = (
        [color.over(WHITE).red for color in colors] for colors in (inks + centers, _colors(design.background))
    )
    return (min(light) - max(dark)) / 255


def inks_of(design: Design) -> tuple[list[Color], list[Color]]:
    """Return the colors of modules and rings, and those of the centers of eyes; of a gradient, those of its stops."""
    eyes = [marker for _, marker in eyes_of(design)]
    inks = [*(design.modules.palette or (design.foreground,)), *(eye.outer_color for eye in eyes)]
    centers = [eye.inner_color for eye in eyes]
    own, inner = ([color for fill in fills if fill for color in _colors(fill)] for fills in (inks, centers))
    return own, inner


def black_on_white(design: Design) -> Fix:
    """Draw everything black on white."""
    eyes = _with_eyes(design, CORNERS, lambda eye: eye.replace(inner_color=None, outer_color=None)) or {}
    modules = {"modules": design.modules.replace(palette=())} if design.modules.palette else {}
    return {"foreground": BLACK, "background": WHITE} | eyes | modules


def eyes_of(design: Design) -> list[tuple[str, Marker]]:
    """Return the corners whose eyes are not drawn plainly, with these eyes."""
    return [(corner, marker) for corner in CORNERS if (marker := getattr(design.markers, corner))]


def heavier(design: Design, kind: str, weight: float) -> Fix | None:
    """Enlarge dark sprites to the area of a disc as wide as a module, or remove light sprites.

    `kind` is the kind of modules with too little weight, dark or light.
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


SOFTER: dict[MarkerPattern, MarkerPattern] = {"arch": "rounded", "circle": "dot", "drop": "rounded"}
"""Eyes with corners of less than 2.2 modules, which phones read, by similar ones that are rounder."""


def softer_eyes(design: Design, corners: Collection[str]) -> Fix | None:
    """Use similar eyes with less rounded corners, keeping their colors; safe eyes, if there are none."""
    eyes = dict(eyes_of(design))
    if any(corner not in eyes or eyes[corner].pattern not in SOFTER for corner in corners):
        return safe_eyes(design, corners)
    return _with_eyes(design, corners, lambda eye: eye.replace(pattern=SOFTER[eye.pattern]))


def safe_eye(pattern: MarkerPattern) -> MarkerPattern:
    """Return the safe eye that is most similar to an eye, which may be the eye itself."""
    from qrkit.design.shapes.eyes import EYES  # codes without custom eyes do without it

    return EYES[pattern].safe or pattern


def safe_eyes(design: Design, corners: Collection[str]) -> Fix | None:
    """Use the most similar safe eyes in these corners, keeping dark colors; None if they are already safe."""

    def safe(eye: Marker) -> Marker:
        kept = {
            name: fill
            for name, fill in _own_colors(eye).items()
            if all(color.alpha == 255 and luma(color) <= DARKEST for color in _colors(fill))
        }
        return type(eye)(pattern=safe_eye(eye.pattern), **kept)

    return _with_eyes(design, corners, safe)


def darker_eyes(design: Design, corners: Collection[str]) -> Fix | None:
    """Darken the colors of the eyes in these corners, keeping their hues; None if they have no color of their own."""

    def dark(eye: Marker) -> Marker:
        return eye.replace(opacity=1, **{name: _recolor(fill, _darken) for name, fill in _own_colors(eye).items()})

    return _with_eyes(design, corners, dark)


def _own_colors(eye: Marker) -> dict[str, Any]:
    return {name: fill for name in ("inner_color", "outer_color") if (fill := getattr(eye, name))}


def _with_eyes(design: Design, corners: Collection[str], change: Callable[[Marker], Marker]) -> Fix | None:
    """Change the eyes in some corners that are not drawn plainly; None if that changes nothing."""
    changed = {corner: change(eye) for corner, eye in eyes_of(design) if corner in corners}
    markers = design.markers.replace(**changed)
    return {"markers": markers} if markers != design.markers else None


def less_damage(design: Design, budget: Budget) -> Fix | None:
    """Shrink the layer that does most damage around its center; without such a layer, raise error correction."""
    worst = next((one.path for one in budget.causes if one.path.startswith("layers.")), None)
    if worst is None:
        return {"ec": "H", "version": None} if design.ec != "H" else None
    from qrkit.drawing.draw import picture_size

    index, layers = int(worst.split(".")[1]), list(design.layers)
    layer = layers[index]
    module = min(picture_size(design.replace(wrapper=None, frame=None), budget.symbol)[:2]) / (
        budget.symbol.side + 2 * design.padding
    )
    # The damage by a logo grows with its area plus a rim, because partly covered codewords are wrong as well.
    side, rim = (layer.width * layer.height) ** 0.5, RIM * module
    covered = min(side, budget.symbol.side * module)
    scale = ((covered + rim) * (AIM / budget.used) ** 0.5 - rim) / side
    for one in stack(layers, index):
        layers[one] = shrunk(layers[one], min(0.95, max(scale, 0.1)))
    return {"layers": layers}


def stack(layers: Sequence[Layer], index: int) -> set[int]:
    """Return a layer and the smaller ones above its center, such as a plate and its logo, which change together."""
    ground, found = layers[index], {index}
    for number, layer in enumerate(layers[index + 1 :], index + 1):
        across = (layer.x + layer.width / 2) - (ground.x + ground.width / 2)
        down = (layer.y + layer.height / 2) - (ground.y + ground.height / 2)
        is_smaller = layer.width <= ground.width and layer.height <= ground.height
        if is_smaller and max(abs(across), abs(down)) < SAME_CENTER:
            found.add(number)
    return found


def shrunk(layer: Layer, scale: float) -> Layer:
    """Shrink a layer around its center."""
    width, height = max(layer.width * scale, 0.1), max(layer.height * scale, 0.1)
    left, top = layer.x + (layer.width - width) / 2, layer.y + (layer.height - height) / 2
    return layer.replace(x=round(left, 2), y=round(top, 2), width=round(width, 2), height=round(height, 2))


def _colors(fill: Fill) -> list[Color]:
    if isinstance(fill, Color):
        return [fill]
    return [replace(stop.color, alpha=round(stop.color.alpha * stop.opacity)) for stop in fill.stops]


def _recolor(fill: Fill, change: Any) -> Fill:
    if not isinstance(fill, Color):
        return fill.replace(stops=[type(stop)(offset=stop.offset, color=change(stop.color)) for stop in fill.stops])
    return change(fill)  # type: ignore[no-any-return]  # `change` returns a color


def _darken(color: Color) -> Color:
    """Mix a color with black until it is dark enough."""
    light = luma(color)
    return _mix(color, BLACK, 1 - DARKEST / light) if light > DARKEST else color.opaque


def _lighten(color: Color) -> Color:
    light = luma(color)
    return _mix(color, WHITE, (LIGHTEST - light) / (1 - light)) if light < LIGHTEST else color.opaque


def _mix(color: Color, other: Color, share: float) -> Color:
    parts = zip(color.over(WHITE).channels, other.channels, strict=True)
    return Color(*(round(mine + (others - mine) * share) for mine, others in parts))
