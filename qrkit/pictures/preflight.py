"""Checks a picture before it is printed: its modules, quiet zone and letters on paper, and its colors in ink."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from qrkit.design.bounds import MILLIMETRES_PER_INCH
from qrkit.design.color import WHITE, Color
from qrkit.design.print_width import REGISTRATION_MM, SMALLEST_CAPITAL_MM
from qrkit.drawing.frames.framing import framed
from qrkit.drawing.layout import lay_out
from qrkit.drawing.untrusted.rasteriser import LONGEST_SECONDS, within
from qrkit.errors import InvalidParameter, Problem, nearest
from qrkit.pictures.printing import PrintSize, quiet_zone
from qrkit.scanning.issues import CONTRAST, GROWTH, QUIET
from qrkit.scanning.sampling import WEIGHTS, colors_of, luma_of, median, reflectance

if TYPE_CHECKING:
    from qrkit.drawing.scene import Scene
    from qrkit.pictures.image import QRImage
    from qrkit.scanning.scan_report import Severity

    Floats = np.ndarray[Any, np.dtype[np.float32]]

__all__ = ["MATERIALS", "Material", "PrintFinding", "preflight"]

PIXELS = 4
"""Pixels per module of the drawing whose colors are measured."""
POINTS = 5
"""Size of the smallest letters, whose capitals are `SMALLEST_CAPITAL_MM` high."""
GAIN = 0.14
"""How much darker a tint of 50% is printed than asked for (ISO 12647-2:2013, offset on coated paper)."""
BLACK_INK, NEUTRAL = 0.3, 0.1
"""Of a color that a press mixes as black: its brightest channel, and the difference of its channels, at most."""
DARK = 0.5
"""Luma below which a stock is dark."""
ROUNDING = 1e-6


class PrintFinding(NamedTuple):
    """Something to change before printing.

    Attributes:
        code: module-size, printer-dots, quiet-zone, small-text, contrast, reversed, total-ink, rich-black or white-ink.
        severity: error (phones may fail), warning or note.
        text: What is wrong, as a sentence without a period.
        fix: What to do about it, with the figure that would be enough.
    """

    code: str
    severity: Severity
    text: str
    fix: str

    def __str__(self) -> str:
        return f"{self.text}; {self.fix}"


class Material(NamedTuple):
    """What is printed on.

    Attributes:
        color: Its color.
        most_ink: The largest sum of the four inks in percent.
    """

    color: Color
    most_ink: int


MATERIALS = {
    "coated": Material(WHITE, 300),
    "uncoated": Material(WHITE, 300),
    "newsprint": Material(Color.parse("#DCD7CD"), 240),
    "kraft": Material(Color.parse("#C4A484"), 300),
    "dark": Material(Color.parse("#2B2B2B"), 300),
}
"""Materials by name. The sums of inks are those of PSO Coated v3, PSO Uncoated v3 and ISO 12647-3 (newsprint); the
colors of newsprint, kraft and dark stock are typical ones."""


def _light(*colors: Color) -> Floats:
    """Return the linear light of colors, a row for each."""
    return reflectance(np.array([(one.red, one.green, one.blue) for one in colors], dtype=np.float32) / 255)


SOLIDS = _light(*map(Color.parse, ("#009FE3", "#E6007E", "#FFED00", "#1D1D1B")))
"""Linear light of solid cyan, magenta, yellow and black on coated paper (FOGRA39)."""


def preflight(
    image: QRImage, size: PrintSize, dpi: float | None, distance_m: float | None = None, material: str | None = None,
    *, ground: Color = WHITE, free_mm: float = 0.0,
) -> list[PrintFinding]:  # fmt: skip
    """Return what to change before an image is printed; see `QRImage.preflight`.

    Args:
        ground: The color that is printed below the image.
        free_mm: Millimeters that stay free around the image.
    """
    if material is not None and material not in MATERIALS:
        raise InvalidParameter(Problem("material", material, f"is not a material; {nearest(material, MATERIALS)}"))
    return [*_on_paper(image, size.size_mm, dpi, distance_m, free_mm), *_in_ink(image, size, material, ground)]


def _on_paper(
    image: QRImage, width: float, dpi: float | None, distance_m: float | None, free_mm: float
) -> Iterator[PrintFinding]:
    """Yield what is wrong with the sizes on paper."""
    least, wide = image.least_width_mm(distance_m), image.scene.width / image.scene.module
    module = width / wide
    if width < least - ROUNDING:
        phones = f"phones at {distance_m:g} m" if distance_m else "phones"
        text = f"modules are {module:.2f} mm wide, and {phones} need {least / wide:.2g} mm"
        yield PrintFinding("module-size", "error", text, f"print it at least {ceil(least)} mm wide")
    dot = MILLIMETRES_PER_INCH / dpi if dpi else 0.0
    # Half a dot too much over the whole width makes a module a dot wider.
    if dot and abs(module / dot - round(module / dot)) * wide > 0.5 and GROWTH.severity(dot / module):
        whole = max(round(module / dot), ceil(least / wide / dot - ROUNDING))
        text = f"modules are {module / dot:.1f} dots wide at {dpi:g} dpi, so some are printed a dot wider than others"
        fix = f"print it {whole * dot * wide:.2f} mm wide, {whole} dots a module"
        yield PrintFinding("printer-dots", "warning", text, fix)
    have, needed = quiet_zone(image)
    frame = image.design.frame
    quiet = have if frame else have + free_mm / module
    if quiet < needed:
        text = f"the quiet zone is {quiet:.2g} modules, and the standard asks for {needed}"
        fix = f"set the padding to {needed}, or leave {(needed - quiet) * module:.1f} mm more free around the code"
        yield PrintFinding("quiet-zone", "error" if quiet < QUIET else "warning", text, fix)
    letters = framed(image.design, frame, lay_out(image.design, image.symbol, exact=True)).capital if frame else inf
    if letters * module < SMALLEST_CAPITAL_MM - ROUNDING:
        text = f"the smallest letters have {POINTS * letters * module / SMALLEST_CAPITAL_MM:.1f} points"
        fix = f"print it at least {ceil(wide * SMALLEST_CAPITAL_MM / letters)} mm wide, for {POINTS} points"
        yield PrintFinding("small-text", "warning", text, fix)


def _in_ink(image: QRImage, size: PrintSize, material: str | None, ground: Color) -> Iterator[PrintFinding]:
    """Yield what is wrong with the colors, once they are converted to CMYK.

    They are converted as PDF does without a profile (ISO 32000-1:2008, 10.3.5), with all gray as black, and seen as the
    solid inks of FOGRA39 are, which let the paper through.
    """
    stock, field = MATERIALS[material or "coated"], f"print a white field {size.size_mm:g} mm wide below it"
    # Inks do not show on dark stock, so whatever is opaque there stands on white ink.
    is_dark = stock.color.luma < DARK
    page, paper = (stock.color, WHITE) if is_dark else (ground, stock.color)
    picture, modules, dark = _seen(image.exact_scene, page)
    luma = _printed(_inks(modules), paper)
    light, contrast = median(luma[~dark]), median(luma[~dark]) - median(luma[dark])
    best = light - float(_printed(np.array([0, 0, 0, 1], dtype=np.float32), paper))
    if contrast < -CONTRAST.least_ok:
        text = "the code is light on dark, which some readers cannot read"
        yield PrintFinding("reversed", "warning", text, f"print it dark on a light field {size.size_mm:g} mm wide")
    elif severity := CONTRAST.severity(contrast):
        text = f"converted to CMYK, dark and light differ by {contrast:.0%}, and phones need {CONTRAST.least:.0%}"
        black = f"print the modules in black, for {best:.0%}"
        yield PrintFinding("contrast", severity, text, field if best < CONTRAST.least else black)
    elif is_dark:
        yield PrintFinding("white-ink", "note", "inks do not show on dark stock", field)
    if material is None:
        return
    if (total := float(_inks(picture).sum(axis=-1).max()) * 100) > stock.most_ink + 0.5:
        text = f"the inks of the darkest color add up to {total:.0f}%, and {material} stock takes {stock.most_ink}%"
        yield PrintFinding("total-ink", "warning", text, "use #000000 for dark parts, which is 100% of black ink")
    ink, share = (
        np.median(modules[dark], axis=0),
        REGISTRATION_MM * image.scene.width / image.scene.module / size.size_mm,
    )
    if ink.max() < BLACK_INK and np.ptp(ink) < NEUTRAL and not (size.key_black and not ink.any()):
        text = f"black as RGB is mixed of four inks, and {REGISTRATION_MM} mm of misregister is {share:.0%} of a module"
        fix = "print #000000 with black ink only (key_black)"
        yield PrintFinding("rich-black", "warning" if GROWTH.severity(share) else "note", text, fix)


def _seen(scene: Scene, page: Color) -> tuple[Floats, Floats, np.ndarray]:
    """Return the colors of a drawing, those in the middle of each module, and which modules are dark."""
    with within(LONGEST_SECONDS):
        picture, per_module = colors_of(scene, PIXELS, page)
    middles = np.arange(scene.symbol.side) + 0.5
    columns, rows = (((start / scene.module + middles) * per_module).astype(int) for start in scene.origin)
    return picture, picture[np.ix_(rows, columns)], np.array([*map(list, scene.cells)]) > 0


def _inks(colors: Floats) -> Floats:
    """Return cyan, magenta, yellow and black of colors, 0..1 each."""
    black = 1 - colors.max(axis=-1, keepdims=True)
    return np.concatenate([(1 - colors - black) / np.maximum(1 - black, ROUNDING), black], axis=-1)


def _printed(inks: Floats, paper: Color) -> Floats:
    """Return the luma of inks on a paper."""
    spread = inks + 4 * GAIN * inks * (1 - inks)
    light = _light(paper)[0] * np.prod(1 - spread[..., None] * (1 - SOLIDS), axis=-2)
    return (luma_of(light) @ WEIGHTS).astype(np.float32)
