"""Colors and gradients that the studio offers: those of a brand, and some that scan well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qrkit.design.brand import Brand

__all__ = ["GRADIENTS", "GROUNDS", "INKS", "swatch_groups"]

INKS = ("#000000", "#1B2A49", "#0B3D91", "#4A148C", "#7A1F1F", "#14501A", "#4E342E", "#263238")
"""Colors for modules that are robust on white."""
GROUNDS = ("#FFFFFF", "#FFF8E7", "#FFF4D6", "#EAF4FF", "#EAF7EC", "#FCE9EF", "#F2EEFB", "#F3F3F3")
"""Colors for backgrounds that are robust with every one of `INKS`."""
GRADIENTS = {
    "foreground": {
        "Ocean": ("#0B3D91", "#0A5F78"),
        "Plum": ("#4A148C", "#880E4F"),
        "Forest": ("#1B5E20", "#2A5A18"),
        "Ember": ("#7A1F1F", "#733F06"),
        "Night": ("#000000", "#1B2A49", "#4A148C"),
    },
    "background": {
        "Cream": ("#FFFFFF", "#FFF4D6"),
        "Sky": ("#FFFFFF", "#DDEEFF"),
        "Mint": ("#F4FFF6", "#DDF5E4"),
        "Rose": ("#FFFFFF", "#FCE4EC"),
        "Dawn": ("#FFF4D6", "#FCE4EC", "#EDE7F6"),
    },
}
"""Gradients by what they are for and by name: robust on white, and with black modules."""


def swatch_groups(brand: Brand | None) -> dict[str, Any]:
    """Return what the browser offers: `brand` with a name and colors, or None, `inks`, `grounds` and `gradients`."""
    colors = [color.rgb for color in (brand.ink, brand.accent, brand.ground) if color] if brand else []
    return {
        "brand": brand and {"name": brand.name, "colors": list(dict.fromkeys(colors))},
        "inks": INKS,
        "grounds": GROUNDS,
        "gradients": GRADIENTS,
    }
