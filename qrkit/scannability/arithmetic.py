"""What can be told of a design without drawing it: enough for most, and it costs nothing.

Forms that are known to read, in one colour on another, lose nothing to readers but by contrast and quiet zone. Anything
else has to be looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.color import WHITE, Color
from qrkit.scannability.fixes import LIGHTEST, SAFE_EYES, is_clear, luma
from qrkit.scannability.issues import issues_of
from qrkit.scannability.measures import CORNERS, EyeShape, Structure
from qrkit.scannability.report import ScanReport
from qrkit.scannability.verdict import score_of, verdict_of

if TYPE_CHECKING:
    from qrkit.design import Design

__all__ = ["reckoned"]

NEAR = 2
"""Modules of a narrow quiet zone: beyond them readers see the page with the modules at the edge."""

SAFE_CORE = 2.8
"""Of the pupils of safe eyes, in modules, at least."""


def reckoned(design: Design) -> ScanReport | None:
    """The static report of a design that need not be drawn; None where it has to be."""
    foreground, background = design.foreground, design.background
    if not (isinstance(foreground, Color) and isinstance(background, Color) and _is_known(design)):
        return None
    if background.alpha not in (0, 255):
        # How much of the page is seen through it decides where the quiet zone ends.
        return None
    if design.padding <= NEAR and luma(background) < LIGHTEST:
        # Beside a white page, which readers see with the modules at the edge, all of it looks dark.
        return None
    contrast = luma(background) - luma(foreground, background.over(WHITE))
    quiet = 0.0 if is_clear(design) else float(min(design.padding, 5))
    eyes = tuple(EyeShape(corner, radius=0.0, core=SAFE_CORE, ring=1.0, gap=1.0) for corner in CORNERS)
    is_mirrored = design.flip in ("horizontal", "vertical")
    structure = Structure(eyes, 1.0, 1.0, quiet, contrast, is_mirrored)
    issues = issues_of(design, None, structure)
    return ScanReport(
        verdict=verdict_of(issues, None),
        score=score_of(issues, None),
        level="static",
        content=design.content,
        issues=issues,
        structure=structure,
        design=design,
    )


def _is_known(design: Design) -> bool:
    """Whether its modules and eyes are forms that read, in the colour of the foreground, with nothing over them."""
    markers = (design.markers.top_left, design.markers.top_right, design.markers.bottom_left)
    return (
        not design.layers
        and design.wrapper is None
        and (design.modules.type != "sprite" or design.modules.sprite is not None)
        and all(
            one is None
            or (one.pattern not in SAFE_EYES and one.inner_color is one.outer_color is None and one.opacity == 1)
            for one in markers
        )
    )
