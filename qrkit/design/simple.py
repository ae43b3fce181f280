"""Provides `SimpleDesign`, a code in black on white, for which `Design` need not be loaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from qrkit.design.bounds import LONGEST_TEXT, MODULE_SIZES, PADDINGS, STANDARD_PADDING

if TYPE_CHECKING:
    from qrkit.design.limits import ErrorCorrection

__all__ = ["SimpleDesign", "simple_design"]

SIMPLE_FIELDS = {"ec": ("L", "M", "Q", "H"), "size": MODULE_SIZES, "padding": PADDINGS[STANDARD_PADDING:]}
"""The values with which a code in black on white is valid and scans."""


class SimpleDesign(NamedTuple):
    """The fields of `Design` that a plain code may set, with the same defaults.

    Attributes:
        content: Text to encode.
        ec: Error correction level.
        size: Pixels per module.
        padding: Quiet zone in modules.
        union: False for modules that are elements of their own in an SVG; None is True.
    """

    content: str
    ec: ErrorCorrection = "M"
    size: int = 8
    padding: int = STANDARD_PADDING
    union: bool | None = None

    def fields(self) -> dict[str, Any]:
        """Return the design as fields of `Design`."""
        modules = {} if self.union is None else {"modules": {"union": self.union}}
        return {"content": self.content, "ec": self.ec, "size": self.size, "padding": self.padding, **modules}


def simple_design(content: object, fields: Mapping[str, Any]) -> SimpleDesign | None:
    """Return the simple design of these fields; None if there is more to it, or `Design` has to say what is invalid."""
    others = {name: value for name, value in fields.items() if name != "modules"}
    # A text of `qrkit.contents` may prescribe fields, and True is equal to 1.
    if type(content) is not str or not 0 < len(content) <= LONGEST_TEXT or not others.keys() <= SIMPLE_FIELDS.keys():
        return None
    if not content.isascii() and any("\ud800" <= character <= "\udfff" for character in content):
        return None
    if not all(type(value) in (str, int) and value in SIMPLE_FIELDS[name] for name, value in others.items()):
        return None
    modules = fields.get("modules", {})
    if type(modules) is not dict or not modules.keys() <= {"union"} or type(modules.get("union", True)) is not bool:
        return None
    return SimpleDesign(content, **others, **modules)
