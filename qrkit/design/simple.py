"""Provides `SimpleDesign`, for codes in two colors that need no check: it is drawn without loading `Design`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from qrkit.design.bounds import LONGEST_TEXT, MODULE_SIZES, PADDINGS, STANDARD_PADDING
from qrkit.design.color import BLACK, WHITE, Color

if TYPE_CHECKING:
    from qrkit.design.limits import ErrorCorrection


SIMPLE_FIELDS = {"ec": ("L", "M", "Q", "H"), "size": MODULE_SIZES, "padding": PADDINGS[STANDARD_PADDING:]}
"""The values with which a plain code is valid and scans."""
ENOUGH_CONTRAST = 0.75
"""Luma of the background minus that of the modules with which a plain code scans robustly; a check asks for less."""


class SimpleDesign(NamedTuple):
    """The fields of `Design` that a plain code may set, with the same defaults; `size` is pixels per module.

    `padding` is in modules. With `union` False, modules are elements of their own in an SVG; None is True.
    """

    content: str
    ec: ErrorCorrection = "M"
    size: int = 8
    padding: int = STANDARD_PADDING
    foreground: Color = BLACK
    background: Color = WHITE
    union: bool | None = None

    def fields(self) -> dict[str, Any]:
        """Return the design as fields of `Design`; a white background is left out, so that colored labels have one."""
        left_out = {"union"} if self.background != WHITE else {"union", "background"}
        modules = {} if self.union is None else {"modules": {"union": self.union}}
        return {name: value for name, value in self._asdict().items() if name not in left_out} | modules


def simple_design(content: object, fields: Mapping[str, Any]) -> SimpleDesign | None:
    """Return the simple design of these fields; None if there is more to it, or `Design` has to say what is invalid."""
    colors: dict[str, Any] = {name: _opaque(fields[name]) for name in ("foreground", "background") if name in fields}
    others = {name: value for name, value in fields.items() if name not in ("modules", *colors)}
    # A text of `qrkit.contents` may prescribe fields, and True is equal to 1.
    if type(content) is not str or not 0 < len(content) <= LONGEST_TEXT or not others.keys() <= SIMPLE_FIELDS.keys():
        return None
    if not content.isascii() and any("\ud800" <= character <= "\udfff" for character in content):
        return None
    if not all(type(value) in (str, int) and value in SIMPLE_FIELDS[name] for name, value in others.items()):
        return None
    if None in colors.values():
        return None
    modules = fields.get("modules", {})
    if type(modules) is not dict or not modules.keys() <= {"union"} or type(modules.get("union", True)) is not bool:
        return None
    design = SimpleDesign(content, **others, **colors, **modules)
    is_clear = not colors or design.background.luma - design.foreground.luma >= ENOUGH_CONTRAST
    return design if is_clear else None


def _opaque(value: object) -> Color | None:
    """Return an opaque color; None for anything else."""
    try:
        color = Color.parse(value) if isinstance(value, str) else value
    except ValueError:
        return None
    return color if isinstance(color, Color) and color.alpha == 255 else None
