"""Fields that only change together: what else has to change when a person changes one by hand.

In code, a design with `sprite` and another type is an error that says so. At a control it would be a dead end, because
whichever of the two comes first is refused.
"""

from __future__ import annotations

from typing import Any

from qrkit.drawing.layout import lay_out
from qrkit.drawing.logo import Logo
from qrkit.errors import QrkitError
from qrkit.pictures.image import QRImage

__all__ = ["with_companions"]

Fields = dict[str, Any]
Path = tuple[str | int, ...]


def with_companions(fields: Fields, path: Path, image: QRImage) -> None:
    """Change what goes with a field that was changed.

    Args:
        fields: Of a design in the interface's names, the change made; changed in place.
        path: Of the field.
        image: The picture before the change.
    """
    match path:
        case ("modules", "type"):
            _sprite_by_type(fields["modules"])
        case ("modules", "sprite" | "sprites", *_):
            _type_by_sprite(fields["modules"], is_named=path[1] == "sprite")
        case ("layers", int(index), "content"):
            layer = fields["layers"][index]
            if not str(layer.get("content", "")).lower().startswith("icon:"):
                layer.pop("color", None)
            _keep_proportions(layer)
        case ("foreground" | "background" as name, "units" | "gradient"):
            _convert(fields[name], image, is_new_unit=path[1] == "units")
        case ("wrapper", "width" | "height" as side) if isinstance(fields["wrapper"].get(side), int | float):
            before = getattr(image.design.wrapper, side)
            hole = fields["wrapper"]["placeholder"]
            for part in ("x", "width") if side == "width" else ("y", "height"):
                hole[part] *= fields["wrapper"][side] / before


def _keep_proportions(layer: Fields) -> None:
    """Give a layer the proportions of its picture, around the same middle; the longer side stays as long as it was."""
    box = [layer.get(name) for name in ("x", "y", "width", "height")]
    if not isinstance(layer.get("content"), str) or not all(isinstance(number, int | float) for number in box):
        return
    try:
        logo = Logo.read(layer["content"])
    except QrkitError:
        return  # no picture, as drawing it will say, or one from elsewhere, which is not read for its size alone
    longer = max(layer["width"], layer["height"])
    for place, side, share in (("x", "width", logo.width), ("y", "height", logo.height)):
        layer[place] = round(layer[place] + (layer[side] - longer * share) / 2, 2)
        layer[side] = round(longer * share, 2)


def _sprite_by_type(modules: Fields) -> None:
    if modules.get("type") != "sprite":
        modules.pop("sprite", None)
    elif not modules.get("sprites"):
        modules["sprite"] = modules.get("sprite") or "circle"


def _type_by_sprite(modules: Fields, *, is_named: bool) -> None:
    """A sprite that is chosen is meant to be seen."""
    if not is_named and modules.get("sprites"):
        modules.pop("sprite", None)
    if modules.get("sprite") or modules.get("sprites"):
        modules["type"] = "sprite"
    elif modules.get("type") == "sprite":
        modules["type"] = "default"


def _convert(gradient: Fields, image: QRImage, *, is_new_unit: bool) -> None:
    """Keep a gradient where it is when its unit changes; give it the places that absolute units ask for."""
    layout = lay_out(image.design, image.symbol, exact=True)
    is_absolute = gradient.get("units") == "absolute"
    across, down = (layout.width, layout.height) if is_absolute else (1 / layout.width, 1 / layout.height)
    if is_new_unit:
        for name, factor in {"cx": across, "cy": down, "fx": across, "fy": down, "radius": across}.items():
            if gradient.get(name) is not None:
                gradient[name] *= factor
        for point in (gradient.get("direction") or {}).values():
            point["x"] *= across
            point["y"] *= down
    if is_absolute and gradient.get("gradient") == "linear":
        gradient.setdefault("direction", {"start": {"x": 0, "y": 0}, "stop": {"x": layout.width, "y": 0}})
    elif is_absolute:
        for name, value in {"cx": layout.width / 2, "cy": layout.height / 2, "radius": layout.width / 2}.items():
            gradient.setdefault(name, value)
