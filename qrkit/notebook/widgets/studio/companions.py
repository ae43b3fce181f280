"""Changes fields that depend on each other together, when a user changes one of them.

In code, a design with `sprite` and another module type is an error that explains itself. In a form that would be a dead
end, because whichever of the two fields is changed first would be rejected.
"""

from __future__ import annotations

from typing import Any

from qrkit.design.color import Color
from qrkit.design.decoration import PHOTO_TYPES, photo_rule
from qrkit.design.frames import USUAL, USUAL_KIND, WORDLESS
from qrkit.design.limits import ALIKE
from qrkit.drawing.layout import lay_out
from qrkit.drawing.logo import Logo
from qrkit.errors import QrkitError
from qrkit.languages import say
from qrkit.pictures.image import QRImage

Fields = dict[str, Any]
Path = tuple[str | int, ...]


def with_companions(fields: Fields, path: Path, image: QRImage) -> None:
    """Change the fields that depend on a changed field, in place.

    The fields are those of a design by their interface names, including the change.
    """
    if path[0] in ("frame", "wrapper"):
        _surround(fields, is_frame=path[0] == "frame")
        _caption(fields.get("frame"), is_new_kind=path == ("frame", "kind"))
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
        case ("foreground",):
            _rings_follow(fields, image)
        case ("foreground" | "background" as name, "units" | "gradient"):
            _convert(fields[name], image, is_new_unit=path[1] == "units")
        case ("wrapper", "width" | "height" as side):
            _scale_hole(fields["wrapper"], side, getattr(image.design.wrapper, side))
    if path[0] in ("modules", "photo"):
        _suit_photo(fields, is_photo=path[0] == "photo")


def _surround(fields: Fields, *, is_frame: bool) -> None:
    """Leave either a frame or a wrapper, and give words the frame that they need."""
    if fields.get("frame") and fields.get("wrapper"):
        del fields["wrapper" if is_frame else "frame"]
    if isinstance(frame := fields.get("frame"), dict) and "caption" in frame:
        frame.setdefault("kind", USUAL_KIND)
    elif frame == {}:
        del fields["frame"]


def _caption(frame: Any, *, is_new_kind: bool) -> None:
    """Write the caption that a frame has by default in the language of the context, so that every program draws it."""
    usual = {"text": say(USUAL.text)}
    if not isinstance(frame, dict) or usual["text"] == USUAL.text:
        return
    if frame.get("kind") not in WORDLESS:
        frame.setdefault("caption", usual)
    elif is_new_kind and frame.get("caption") == usual:
        del frame["caption"]


def _scale_hole(wrapper: Fields, side: str, before: float) -> None:
    """Keep the share of a wrapper that the QR Code has, where a side has changed."""
    if isinstance(wrapper.get(side), int | float):
        for part in ("x", "width") if side == "width" else ("y", "height"):
            wrapper["placeholder"][part] *= wrapper[side] / before


def _rings_follow(fields: Fields, image: QRImage) -> None:
    """Give rings of eyes that had the color of the foreground its new color; presets set both."""
    before, now = image.design.foreground, fields.get("foreground")
    if not isinstance(before, Color) or not isinstance(now, str):
        return
    for marker in fields.get("markers", {}).values():
        if marker.get("outerColor") == before.argb:
            marker["outerColor"] = now


def _suit_photo(fields: Fields, *, is_photo: bool) -> None:
    """Change the modules if they do not suit a changed photo, or the place of the photo if modules changed."""
    photo, modules = fields.get("photo"), fields.get("modules", {})
    if not photo or photo.get("place", "behind") not in PHOTO_TYPES:
        return
    rule = photo_rule(
        photo.get("place", "behind"),
        modules.get("type", "default"),
        sprite=modules.get("sprite"),
        has_palette=bool(modules.get("palette")),
    )
    if rule and is_photo:
        del fields["modules"]
    elif rule:
        photo["place"] = "behind"


def _keep_proportions(layer: Fields) -> None:
    """Give a layer the proportions of its image, with the same center and the same longer side."""
    box = [layer.get(name) for name in ("x", "y", "width", "height")]
    if not isinstance(layer.get("content"), str) or not all(isinstance(number, int | float) for number in box):
        return
    try:
        logo = Logo.read(layer["content"])
    except QrkitError:
        return  # not an image, which drawing will report, or a URL, which is not downloaded just for its size
    longer = max(layer["width"], layer["height"])
    for place, side, share in (("x", "width", logo.width), ("y", "height", logo.height)):
        layer[place] = round(layer[place] + (layer[side] - longer * share) / 2, 2)
        layer[side] = round(longer * share, 2)


def _sprite_by_type(modules: Fields) -> None:
    if modules.get("type") != "sprite":
        modules.pop("sprite", None)
        if modules.get("type") not in ALIKE:
            _leave_one_look(modules)
    elif not modules.get("sprites"):
        modules["sprite"] = modules.get("sprite") or "circle"


def _type_by_sprite(modules: Fields, *, is_named: bool) -> None:
    """Set the module type to match the sprite: a chosen sprite should be visible."""
    if not is_named and modules.get("sprites"):
        modules.pop("sprite", None)
        _leave_one_look(modules)
    if modules.get("sprite") or modules.get("sprites"):
        modules["type"] = "sprite"
    elif modules.get("type") == "sprite":
        modules["type"] = "default"
        _leave_one_look(modules)


def _leave_one_look(modules: Fields) -> None:
    """Remove the sizes and colors that only modules of one shape can have."""
    for name in ("sizes", "palette"):
        modules.pop(name, None)


def _convert(gradient: Fields, image: QRImage, *, is_new_unit: bool) -> None:
    """Convert a gradient to new units, keeping it in place, and add the coordinates that absolute units require."""
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
