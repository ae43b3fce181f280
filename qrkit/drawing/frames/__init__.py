"""Draws frames: one function per kind turns the room around a symbol into shapes and places for words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from qrkit.design.frames import FrameKind
from qrkit.drawing.frames import borders, things
from qrkit.drawing.frames.frame_parts import Cut, Room

__all__ = ["FRAMES"]

FRAMES: Mapping[FrameKind, Callable[[Room], Cut]] = {
    "bag": things.bag,
    "bar": borders.bar,
    "border": borders.plain,
    "bubble": borders.bubble,
    "card": things.card,
    "legend": borders.legend,
    "phone": things.phone,
    "pill": borders.pill,
    "plate": borders.plate,
    "polaroid": things.polaroid,
    "ribbon": borders.ribbon,
    "round": borders.disc,
    "seal": things.seal,
    "stamp": things.stamp,
    "tab": borders.tab,
    "tag": things.tag,
    "ticket": things.ticket,
    "viewfinder": borders.viewfinder,
}
"""Maps each kind of frame to the function that draws it."""
