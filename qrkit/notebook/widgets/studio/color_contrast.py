"""Says how well each color of a design stands out from its ground, by the measure of `check`: `color_contrasts`."""

from __future__ import annotations

from qrkit.design.color import WHITE, Color
from qrkit.design.design import Design
from qrkit.design.gradient import Fill, Gradient
from qrkit.scanning.issues import CONTRAST, PUPIL_CONTRAST, Limits

__all__ = ["color_contrasts"]

WORDS = {None: "enough", "warning": "low", "error": "scanners may fail"}
CORNERS = {"topLeft": "top_left", "topRight": "top_right", "bottomLeft": "bottom_left"}


def color_contrasts(design: Design) -> dict[str, dict[str, str]]:
    """Return the contrast of colors with the lightest or darkest color behind or before them.

    The contrast is the luma of the light color minus that of the dark one on white paper, as `check` measures it.

    Returns:
        By the path of a color, with dots: a sentence in `words`, and its `verdict`, "enough", "low" or "scanners may
        fail".
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
    return Color(color.red, color.green, color.blue, round(color.alpha * opacity)).over(WHITE).luma


def _judge(contrast: float, limits: Limits) -> dict[str, str]:
    if contrast < 0:
        return {"verdict": WORDS["error"], "words": "Light on dark: scanners may fail"}
    verdict = WORDS[limits.severity(contrast) if contrast < limits.least else None]
    return {"verdict": verdict, "words": f"Contrast {int(contrast * 100)}%: {verdict}"}
