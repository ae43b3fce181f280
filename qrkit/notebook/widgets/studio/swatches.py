"""Colors and gradients that the studio offers, and how well each color of a design stands out from its background."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qrkit.design.color import WHITE, Color
from qrkit.design.design import Design
from qrkit.design.gradient import Fill, Gradient
from qrkit.languages import percent_text, say
from qrkit.scanning.issues import CONTRAST, PUPIL_CONTRAST, Limits

if TYPE_CHECKING:
    from qrkit.design.brand import Brand


ENOUGH = "enough"
VERDICTS = {None: ENOUGH, "warning": "low", "error": "scanners may fail"}
WORDS = {
    ENOUGH: "Contrast {percent}: enough",
    "low": "Contrast {percent}: low",
    "scanners may fail": "Contrast {percent}: scanners may fail",
}
CORNERS = {"topLeft": "top_left", "topRight": "top_right", "bottomLeft": "bottom_left"}

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


def in_two_colors(design: Design) -> Design:
    """Return the design with all parts but pictures in the foreground and background colors, even if these change."""
    markers = {corner: getattr(design.markers, corner) for corner in CORNERS.values()}
    plain = {corner: one.replace(inner_color=None, outer_color=None) for corner, one in markers.items() if one}
    layers = [layer.replace(color=None) if layer.color else layer for layer in design.layers]
    frame = design.frame and design.frame.replace(color=None, background=None)
    if frame and frame.caption:
        frame = frame.replace(caption=frame.caption.replace(color=None))
    modules = design.modules.replace(palette=())
    return design.replace(markers=design.markers.replace(**plain), layers=layers, frame=frame, modules=modules)


def color_contrasts(design: Design) -> dict[str, dict[str, str]]:
    """Return the contrast of colors with the lightest or darkest color behind or before them, by path with dots.

    The contrast is the luma of the light color minus that of the dark one on white paper, as `check` measures it. Each
    has a sentence in `words`, and a `verdict`: "enough", "low" or "scanners may fail".
    """
    dark, light = _lumas(design.foreground), _lumas(design.background)
    told = {f"foreground{path}": _judge(min(light.values()) - luma, CONTRAST) for path, luma in dark.items()}
    told |= {f"background{path}": _judge(luma - max(dark.values()), CONTRAST) for path, luma in light.items()}
    for name, corner in CORNERS.items():
        marker = getattr(design.markers, corner)
        for part, limits in (("inner", PUPIL_CONTRAST), ("outer", CONTRAST)):
            if marker and (fill := getattr(marker, f"{part}_color")):
                value = min(light.values()) - max(_lumas(fill).values())
                told[f"markers.{name}.{part}Color"] = _judge(value, limits)
    return told


def _lumas(fill: Fill) -> dict[str, float]:
    """Return the luma of each color of a fill on white, by its path within the fill."""
    if isinstance(fill, Gradient):
        return {f".stops.{number}.color": _seen(one.color, one.opacity) for number, one in enumerate(fill.stops)}
    return {"": fill.over(WHITE).luma}


def _seen(color: Color, opacity: float) -> float:
    return Color(*color.channels, round(color.alpha * opacity)).over(WHITE).luma


def _judge(contrast: float, limits: Limits) -> dict[str, str]:
    if contrast < 0:
        return {"verdict": VERDICTS["error"], "words": say("Light on dark: scanners may fail")}
    verdict = VERDICTS[limits.severity(contrast) if contrast < limits.least else None]
    return {"verdict": verdict, "words": say(WORDS[verdict], percent=percent_text(int(contrast * 100)))}
