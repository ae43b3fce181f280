"""Checks designs without drawing them, which is enough for most designs and takes almost no time.

For shapes that are known to scan, in one color on another, only contrast and quiet zone matter. All other designs have
to be drawn.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from qrkit.design.color import WHITE, Color
from qrkit.design.gradient import Gradient
from qrkit.design.shapes.styles import TINTED
from qrkit.drawing.resizing import layout_of
from qrkit.scanning.fixes import LIGHTEST, eyes_of, inks_of, luma, safe_eye
from qrkit.scanning.issues import PUPIL_CONTRAST, STANDARD_QUIET, issues_of
from qrkit.scanning.measures import EyeShape, Structure
from qrkit.scanning.scan_report import Issue, ScanReport
from qrkit.scanning.verdict import report_of, verdict_of
from qrkit.symbol.symbol import CORNERS

if TYPE_CHECKING:
    from qrkit.design.design import Design


NEAR = 2
"""Modules of quiet zone within which the page affects how readers see the modules at the edge."""

SAFE_CORE = 2.8
"""Smallest width of a safe eye's pupil, in modules."""

Look = tuple[Structure, tuple[Issue, ...]]
"""The structure that a drawing would have, and its issues without fixes."""

LEAST_WIDTH = 0.9
"""Least width, in modules, at which dots and gapped squares have enough ink at all sizes."""

FRAYED = ("bubbles", "classy-rounded", "crosses", "sprite")
"""Styles of modules whose gaps and corners may leave less contrast than their ink has."""

UNSURE_EYES = (
    "arch", "circle", "drop", "extra-rounded", "leaf", "leaf-dot", "modules", "petal", "pillow", "soft-circle",
    "soft-square",
)  # fmt: skip
"""Eyes whose rings are so round that their ink decides whether phones find them, and eyes drawn as modules."""

WIDE_CENTERS = ("eye-5", "eye-6", "eye-14", "eye-16", "eye-17")
"""Eyes that have a wide center, which may come too close to the ring of another eye, or whose ring leaves no room."""

PALE = ("diamond2", "smiley")
"""Sprites with so little ink, or such a light middle, that their modules have to be measured."""


def is_robust(design: Design) -> bool:
    """Return True if the static verdict is known to be robust without drawing the design.

    This is known for more designs than their report is: phones read many shapes that a report has to measure.
    """
    if look := _look_of(design):
        return _is_robust_look(look)
    background = design.background
    if not (isinstance(background, Color) and _has_readable_shapes(design) and _keeps_quiet_zone(design, background)):
        return False
    inks, centers = inks_of(design)
    looks = [_look(ink, background, design.padding, design.flip) for ink in inks + centers]
    return all(map(_is_robust_look, looks[: len(inks)])) and all(
        look is not None and look[0].contrast >= PUPIL_CONTRAST.least for look in looks[len(inks) :]
    )


def _is_robust_look(look: Look | None) -> bool:
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
    """Return True if modules and eyes have safe shapes in the foreground color, with nothing over or around them."""
    return (
        _has_plain_modules(design)
        and design.frame is None
        and not (design.modules.palette or design.modules.sizes)
        and all(
            safe_eye(eye.pattern) == eye.pattern
            and eye.inner is None
            and eye.inner_color is eye.outer_color is None
            and eye.opacity == 1
            for _, eye in eyes_of(design)
        )
    )


def _has_plain_modules(design: Design) -> bool:
    """Return True if modules have shapes that readers see as dark, with nothing over them."""
    return (
        not design.micro
        and not design.layers
        and design.photo is None
        and design.wrapper is None
        and design.modules.type not in TINTED
        and (design.modules.type != "sprite" or design.modules.sprite not in (None, *PALE))
    )


def _has_readable_shapes(design: Design) -> bool:
    """Return True if phones read modules and eyes of these shapes in any dark ink."""
    modules = design.modules
    return (
        _has_plain_modules(design)
        and modules.type not in FRAYED
        and (modules.sizes is None or modules.sizes[0] >= LEAST_WIDTH)
        and all(
            eye.pattern not in UNSURE_EYES
            and (eye.inner is None or (eye.pattern not in WIDE_CENTERS and eye.inner not in WIDE_CENTERS))
            and not any(isinstance(ink, Gradient) for ink in (eye.inner_color, eye.outer_color))  # edges may be faint
            and eye.opacity == 1
            for _, eye in eyes_of(design)
        )
    )


def _keeps_quiet_zone(design: Design, background: Color) -> bool:
    """Return True if a frame leaves a whole quiet zone around the symbol, or there is no frame."""
    return design.frame is None or (design.padding >= STANDARD_QUIET and background.alpha == 255)
