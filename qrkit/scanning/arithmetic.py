"""Checks designs without drawing them, which is enough for most designs and takes almost no time.

For shapes that are known to scan, in one color on another, only contrast and quiet zone matter. All other designs have
to be drawn.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from qrkit.design.color import WHITE, Color
from qrkit.design.shapes.styles import TINTED
from qrkit.drawing.resizing import layout_of
from qrkit.scanning.fixes import LIGHTEST, luma, safe_eye
from qrkit.scanning.issues import issues_of
from qrkit.scanning.measures import EyeShape, Structure
from qrkit.scanning.scan_report import Issue, ScanReport
from qrkit.scanning.verdict import report_of, verdict_of
from qrkit.symbol.symbol import CORNERS

if TYPE_CHECKING:
    from qrkit.design.design import Design

__all__ = ["is_robust", "reckoned"]

NEAR = 2
"""Modules of quiet zone within which the page affects how readers see the modules at the edge."""

SAFE_CORE = 2.8
"""Smallest width of a safe eye's pupil, in modules."""

Look = tuple[Structure, tuple[Issue, ...]]
"""The structure that a drawing would have, and its issues without fixes."""

PALE = ("diamond2", "smiley")
"""Sprites with so little ink, or such a light middle, that their modules have to be measured."""


def is_robust(design: Design) -> bool:
    """Return True if the static verdict is known to be robust without drawing the design."""
    look = _look_of(design)
    return look is not None and verdict_of(look[1], None) == "robust"


def reckoned(design: Design) -> ScanReport | None:
    """Return the static report of a design that need not be drawn; None if it has to be drawn.

    Raises:
        ContentTooLong: If the content does not fit.
    """
    look = _look_of(design)
    if look is None:
        return None
    structure, unfixed = look
    issues = issues_of(design, None, structure) if unfixed else ()
    layout = layout_of(design)
    wide = layout.width / layout.module
    return report_of(design.content, "static", issues, structure=structure, design=design, modules_wide=wide)


def _look_of(design: Design) -> Look | None:
    foreground, background = design.foreground, design.background
    if not (isinstance(foreground, Color) and isinstance(background, Color) and _is_known(design)):
        return None
    return _look(foreground, background, design.padding, design.flip)


@lru_cache(maxsize=256)
def _look(foreground: Color, background: Color, padding: int, flip: str) -> Look | None:
    """Return what is known of a look. Cached, because a batch has thousands of codes with the same one."""
    structure = _structure(foreground, background, padding, flip)
    return None if structure is None else (structure, issues_of(None, None, structure))


def _structure(foreground: Color, background: Color, padding: int, flip: str) -> Structure | None:
    """Return the structure that a drawing would have; None if it has to be measured."""
    if background.alpha not in (0, 255):
        # The page shows through, so the end of the quiet zone has to be measured.
        return None
    if padding <= NEAR and luma(background) < LIGHTEST:
        # On a white page, readers would see the whole symbol as dark.
        return None
    light = luma(background)
    contrast = light - luma(foreground, background.over(WHITE))
    quiet = float(min(padding, 5)) if background.alpha else 0.0
    ink = {"ring_contrast": contrast, "pupil_contrast": contrast, "light": light}
    eyes = tuple(EyeShape(corner, radius=0.0, core=SAFE_CORE, ring=1.0, gap=1.0, **ink) for corner in CORNERS)
    return Structure(eyes, 1.0, 1.0, quiet, contrast, light, flip in ("horizontal", "vertical"))


def _is_known(design: Design) -> bool:
    """Return True if modules and eyes have safe shapes in the foreground color, with nothing over them."""
    markers = (design.markers.top_left, design.markers.top_right, design.markers.bottom_left)
    return (
        not design.micro
        and not design.layers
        and design.photo is None
        and design.wrapper is None
        and design.frame is None
        and design.modules.type not in TINTED
        and (design.modules.type != "sprite" or design.modules.sprite not in (None, *PALE))
        and not (design.modules.palette or design.modules.sizes)
        and all(
            one is None
            or (
                safe_eye(one.pattern) == one.pattern
                and one.inner is None
                and one.inner_color is one.outer_color is None
                and one.opacity == 1
            )
            for one in markers
        )
    )
