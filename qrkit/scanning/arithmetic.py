"""Checks designs without drawing them, which is enough for most designs and takes almost no time.

For shapes that are known to scan, in one color on another, only contrast and quiet zone matter. The shapes of round
eyes are measured once. All other designs have to be drawn.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from qrkit.design.color import BLACK, WHITE, Color
from qrkit.design.decoration import Marker
from qrkit.design.gradient import Fill, Gradient
from qrkit.design.limits import MarkerPattern
from qrkit.design.shapes.styles import TINTED
from qrkit.drawing.draw import picture_size
from qrkit.drawing.layout import lay_out
from qrkit.drawing.paints import faded, paint
from qrkit.drawing.scene import Linear
from qrkit.late import np
from qrkit.scanning.fixes import LIGHTEST, eyes_of, inks_of, luma, safe_eye
from qrkit.scanning.issues import CONTRAST, PUPIL_CONTRAST, ROUNDING, STANDARD_QUIET, is_read_by_tills, issues_of
from qrkit.scanning.measures import EyeShape, Structure
from qrkit.scanning.scan_report import Issue, ScanReport
from qrkit.scanning.verdict import report_of, verdict_of
from qrkit.symbol.encode import symbol_of
from qrkit.symbol.symbol import CORNERS, FINDER, finder_places

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

GAPS = dict.fromkeys(FRAYED, 0.1) | dict.fromkeys(TINTED, 0.01) | {"diagonal": 0.001}
"""By how much the contrast of styles may be off: by gaps, slanted edges, or because renderers round a tint."""

UNSURE_EYES = ("circle", "modules")
"""Eyes whose rings are too round for phones to find them when turned, and eyes drawn as modules."""

ROUND_EYES = (
    "arch", "drop", "extra-rounded", "leaf", "leaf-dot", "petal", "pillow", "soft-circle", "soft-square"
)  # fmt: skip
"""Eyes whose rings are so round that phones find them only with their own pupil and in the ink of the modules."""

WIDE_CENTERS = ("eye-5", "eye-6", "eye-14", "eye-16", "eye-17")
"""Eyes that have a wide center, which may come too close to the ring of another eye, or whose ring leaves no room."""

PALE = ("diamond2", "smiley")
"""Sprites with so little ink, or such a light middle, that their modules have to be measured."""


def is_robust(design: Design) -> bool:
    """Return True if the static verdict is known to be robust without drawing the design.

    This is known for more designs than their report is: with several inks, the report has to measure the contrast.
    """
    if look := _look_of(design):
        return _is_robust_look(look)
    if not (_has_readable_shapes(design) and _keeps_quiet_zone(design)):
        return False
    inks, centers = inks_of(design)
    looks = [_look_in(ink, design) for ink in centers]
    return all(_is_robust_look(_look_of_modules(ink, design)) for ink in inks) and all(
        look is not None and look[0].contrast >= PUPIL_CONTRAST.least for look in looks
    )


def _is_robust_look(look: Look | None) -> bool:
    return look is not None and verdict_of(look[1], None) == "robust"


def reckoned(design: Design) -> ScanReport | None:
    """Return the static report of a design that need not be drawn; None if it has to be drawn."""
    look = _look_of(design) or _look_with_eyes(design)
    if look is None:
        return None
    structure, unfixed = look
    issues = issues_of(design, None, structure) if unfixed or is_read_by_tills(design) else ()
    width, _, module = picture_size(design, symbol_of(design))
    return report_of(design.content, "static", issues, structure=structure, design=design, modules_wide=width / module)


def _look_of(design: Design) -> Look | None:
    return _look_of_modules(design.foreground, design) if _is_known(design) else None


def _look_with_eyes(design: Design) -> Look | None:
    """Return the look of a robust design in one ink or a gradient, whose eyes may differ; None for all others."""
    if design.modules.palette or not is_robust(design):
        return None
    look = _shaded(design) if isinstance(design.foreground, Gradient) else _look_of_modules(design.foreground, design)
    if look is None:
        return None
    markers = dict(eyes_of(design))
    eyes = tuple(_eye_of(markers[eye.corner], eye, design) if eye.corner in markers else eye for eye in look[0].eyes)
    structure = replace(look[0], eyes=eyes)
    return structure, issues_of(None, None, structure)


def _eye_of(marker: Marker, plain: EyeShape, design: Design) -> EyeShape:
    """Return the eye that a marker draws instead of a plain one."""
    ring, pupil = plain.ring_contrast, plain.pupil_contrast
    if marker.outer_color and (look := _look_in(marker.outer_color, design)):
        ring = look[0].contrast
    if marker.inner_color and (look := _look_in(marker.inner_color, design)):
        pupil = look[0].contrast
    shape = _measured_eye(marker.pattern, marker.inner, plain.corner)
    return replace(shape, ring_contrast=ring, pupil_contrast=pupil, light=plain.light)


def _shaded(design: Design) -> Look | None:
    """Return the look of a design whose ink is a linear gradient: its contrast is that of the faintest part."""
    from qrkit.scanning.budget import true_modules
    from qrkit.scanning.sampling import MARGIN
    from qrkit.scanning.structure import contrast_of

    symbol = symbol_of(design)
    layout = lay_out(design, symbol, exact=True)
    ink = paint(design.foreground, layout.width, layout.height)
    look = _look_in(BLACK, design)
    if look is None or not isinstance(ink, Linear) or any(color.alpha < 255 for _, color in ink.stops):
        return None
    (left, top), (right, bottom), middles = ink.start, ink.stop, (np.arange(symbol.side) + 0.5) * layout.module
    across, down = right - left, bottom - top
    along = (middles + layout.x - left) * across + ((middles + layout.y - top) * down)[:, None]
    offsets, colors = zip(*ink.stops, strict=True)
    inked = np.interp(along / (across**2 + down**2), offsets, [color.luma for color in colors])
    light = look[0].light
    luma = np.pad(np.where(true_modules(symbol), inked, light), MARGIN, constant_values=light)
    contrast, _ = contrast_of(luma, symbol, np.zeros(inked.shape, dtype=bool))
    places = finder_places(symbol.side)
    eyes = []
    for eye in look[0].eyes:
        row, column = places[eye.corner]
        box = light - inked[row : row + FINDER, column : column + FINDER]
        ring = np.median([box[0, 2:5], box[-1, 2:5], box[2:5, 0], box[2:5, -1]])
        eyes.append(replace(eye, ring_contrast=float(ring), pupil_contrast=float(box[FINDER // 2, FINDER // 2])))
    structure = replace(look[0], contrast=contrast, eyes=tuple(eyes))
    return structure, issues_of(None, None, structure)


@lru_cache(maxsize=128)
def _measured_eye(pattern: MarkerPattern, inner: MarkerPattern | None, corner: str) -> EyeShape:
    """Measure an eye in black; cached, because designs share few shapes."""
    from qrkit.design.design import Design  # with what draws and measures, which other designs do without
    from qrkit.scanning.examine import drawn, measure
    from qrkit.scanning.structure import structure_of

    plain = drawn(Design(content="eye", markers={corner: {"pattern": pattern, "inner": inner}}))
    sampled, budget = measure(plain)
    return next(eye for eye in structure_of(sampled, plain.symbol, budget.wrong).eyes if eye.corner == corner)


def _look_in(ink: Fill, design: Design) -> Look | None:
    """Return how a design looks in one ink; None if only a drawing shows it."""
    background = design.background
    if not (isinstance(ink, Color) and isinstance(background, Color)):
        return None
    light = background
    if tint := TINTED.get(design.modules.type):
        if not isinstance(design.foreground, Color) or background.alpha < 255:
            return None
        light = faded(design.foreground, tint).over(background)
    return _look(ink, background, light, design.padding, design.flip)


def _look_of_modules(ink: Fill, design: Design) -> Look | None:
    """Return how a design looks if its modules have this ink; None if the gaps of its style may decide."""
    look, off = _look_in(ink, design), GAPS.get(design.modules.type, 0)
    limits = (CONTRAST.least, CONTRAST.least_ok)
    return None if look and any(abs(abs(look[0].contrast) + ROUNDING - limit) < off for limit in limits) else look


@lru_cache(maxsize=256)
def _look(ink: Color, background: Color, light: Color, padding: int, flip: str) -> Look | None:
    """Return what is known of a look. Cached, because a batch has thousands of codes with the same one."""
    if background.alpha not in (0, 255):
        # The page shows through, so the end of the quiet zone has to be measured.
        return None
    if padding <= NEAR and luma(background) < LIGHTEST:
        # On a white page, readers would see the whole symbol as dark.
        return None
    contrast = luma(light) - luma(ink, background.over(WHITE))
    quiet = float(min(padding, 5)) if background.alpha else 0.0
    inks = {"ring_contrast": contrast, "pupil_contrast": contrast, "light": luma(light)}
    eyes = tuple(EyeShape(corner, radius=0.0, core=SAFE_CORE, ring=1.0, gap=1.0, **inks) for corner in CORNERS)
    structure = Structure(eyes, 1.0, 1.0, quiet, contrast, luma(light), flip in ("horizontal", "vertical"))
    return structure, issues_of(None, None, structure)


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
        and (design.modules.type != "sprite" or design.modules.sprite not in (None, *PALE))
    )


def _has_readable_shapes(design: Design) -> bool:
    """Return True if phones read modules and eyes of these shapes in any dark ink."""
    modules = design.modules
    return (
        _has_plain_modules(design)
        and (modules.type not in FRAYED or (isinstance(design.foreground, Color) and not modules.palette))
        and (modules.sizes is None or modules.sizes[0] >= LEAST_WIDTH)
        and all(
            eye.pattern not in UNSURE_EYES
            and (eye.pattern not in ROUND_EYES or _suits_round_eye(eye, design))
            and (eye.inner is None or (eye.pattern not in WIDE_CENTERS and eye.inner not in WIDE_CENTERS))
            and not any(isinstance(ink, Gradient) for ink in (eye.inner_color, eye.outer_color))  # edges may be faint
            and eye.opacity == 1
            for _, eye in eyes_of(design)
        )
    )


def _suits_round_eye(eye: Marker, design: Design) -> bool:
    """Return True if an eye has its own pupil, and its ring the ink of the modules, which all have the same one."""
    is_in_ink = isinstance(design.foreground, Color) and eye.outer_color in (None, design.foreground)
    return is_in_ink and eye.inner is None and design.modules.type not in TINTED and not design.modules.palette


def _keeps_quiet_zone(design: Design) -> bool:
    """Return True if a frame leaves a whole quiet zone around the symbol, or there is no frame."""
    if design.frame is None:
        return True
    background = design.background
    return design.padding >= STANDARD_QUIET and isinstance(background, Color) and background.alpha == 255
