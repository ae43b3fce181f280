"""Describes what a QR Code looks like, as plain data: `Design`, its decoration, colors, shapes and presets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.late import by_name, late_names

if TYPE_CHECKING:
    from qrkit.design.design import Design, DesignFields
    from qrkit.design.message_part import MessagePart

__all__ = ["Design", "DesignFields", "MessagePart"]

__getattr__ = late_names(
    __name__, by_name({"design.design": "Design DesignFields", "design.message_part": "MessagePart"})
)
