"""Defines the options that decorate a QR Code: presets, logos, frames and captions."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qrkit.pictures.decorating import Decoration

__all__ = ["add_decoration", "decoration_of"]


def add_decoration(look: argparse._ArgumentGroup) -> None:
    """Add the options that decorate, except `--preset`, which is one of the ways to begin."""
    look.add_argument("--colorway", metavar="NAME", help="colors of the preset (its first colorway)")
    look.add_argument("--logo", metavar="FILE", help="a picture for the middle, or icon:NAME; uses level H")
    look.add_argument(
        "--caption",
        metavar="TEXT",
        help="words on the frame (without --frame: that of the preset, or `bar`)",
    )
    look.add_argument("--frame", metavar="KIND", help="kind of the frame, such as `bubble`, `card` or `ticket`")


def decoration_of(asked: argparse.Namespace) -> Decoration:
    """Return what the options decorate a design with; false if none of them was given."""
    from qrkit.pictures.decorating import Decoration

    return Decoration(*(getattr(asked, part) for part in Decoration._fields))
