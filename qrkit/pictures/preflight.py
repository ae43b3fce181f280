"""Checks a picture before it is printed: its modules, quiet zone and letters on paper, and its colors in ink."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from math import ceil, floor, inf
from typing import TYPE_CHECKING, NamedTuple

from qrkit.design.bounds import MILLIMETRES_PER_INCH
from qrkit.design.color import WHITE, Color
from qrkit.design.print_width import REGISTRATION_MM, SMALLEST_CAPITAL_MM
from qrkit.drawing.frames.framing import LEAST_PADDING, framed
from qrkit.drawing.layout import lay_out
from qrkit.errors import Problem, RenderingFailed, collecting, one_of
from qrkit.pictures.printing import PrintSize, QRPrint
from qrkit.scanning.fixes import is_clear
from qrkit.scanning.issues import CONTRAST, GROWTH, QUIET, STANDARD_QUIET, is_read_by_tills
from qrkit.scanning.scan_report import Severity

if TYPE_CHECKING:
    from qrkit.pictures.image import QRImage


POINTS = 5
"""Size of the smallest letters, whose capitals are `SMALLEST_CAPITAL_MM` high."""
BLACK_INK, NEUTRAL = 0.3, 0.1
"""Of a color that a press mixes as black: its brightest channel, and the difference of its channels, at most."""
SHAPED = ("round", "seal", "stamp", "tab", "ticket")
"""Kinds of frames that a straight cut turns into rectangles."""
MICRO_QUIET = 2
"""The quiet zone of a Micro QR Code, in modules (ISO/IEC 18004)."""
DARK = 0.5
"""Luma below which a stock is dark."""
TILL_MM = (0.396, 0.990)
"""Width of the modules that tills read (GS1 General Specifications 5.12.3.1, as GS1 UK cites it)."""
ROUNDING = 1e-6


class PrintFinding(NamedTuple):
    """Something to change before printing.

    Attributes:
        code: module-size, till-module-size, printer-dots, quiet-zone, small-text, cut-shape, contrast, reversed,
            total-ink, rich-black or white-ink.
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


class PrintCheck(NamedTuple):
    """One thing to know before printing, as a sentence; not good if it should be changed."""

    text: str
    is_good: bool


class Material(NamedTuple):
    """What is printed on; `most_ink` is the largest sum of the four inks in percent."""

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


def preflight(
    image: QRImage, size: PrintSize, dpi: float | None, distance_m: float | None = None, material: str | None = None,
    *, ground: Color = WHITE, free_mm: float = 0.0,
) -> list[PrintFinding]:  # fmt: skip
    """Return what to change before printing an image on `ground`, with `free_mm` around it; see `QRImage.preflight`."""
    if material is not None:
        one_of("material", material, MATERIALS, "is not a material")
    return [*_on_paper(image, size, dpi, distance_m, free_mm), *_in_ink(image, size, material, ground)]


class PrintTally:
    """Counts the findings of many pictures, so that each kind is reported once."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._firsts: dict[str, PrintFinding] = {}

    def see(self, findings: Iterable[PrintFinding]) -> None:
        """Add the findings of one picture."""
        for finding in findings:
            self._counts[finding.code] += 1
            self._firsts.setdefault(finding.code, finding)

    def warn(self, *, stacklevel: int) -> None:
        """Warn once of each kind of finding, with the number of pictures and the first finding."""
        for code, count in self._counts.items():
            text = f"before you print, change {count:,} of these pictures. On the first, {self._firsts[code]}"
            warnings.warn(text, stacklevel=stacklevel + 1)


def known_findings(image: QRImage, size: PrintSize, distance_m: float | None = None) -> list[PrintFinding]:
    """Return what to change in a picture of this size, in which modules are whole dots or have none.

    Nothing is found of a design that the renderer fails on, because other formats of it are still right.
    """
    with suppress(RenderingFailed):
        return preflight(image, size, None, distance_m)
    return []


def print_checks(image: QRImage, printed: QRPrint | None = None) -> list[PrintCheck]:
    """Return what to know before printing: what to change, and, with a print size, the width and the distance."""
    close, far = (ceil(image.least_width_mm(distance)) for distance in (None, 1))
    found = known_findings(image, printed.size if printed else PrintSize(size_mm=close))
    checks = [PrintCheck(str(finding), is_good=False) for finding in found]
    if is_clear(image.design) and not image.design.frame:
        text = "The background is transparent: print on white or light paper, because phones need dark modules on light"
        checks.append(PrintCheck(text, is_good=False))
    if not printed:
        text = f"Print it at least {close} mm wide, or {_length(far)} to be read from 1 m"
        return [*checks, PrintCheck(text, is_good=True)]
    problems: list[Problem] = []
    with collecting(problems):
        printed.exact_scene  # noqa: B018  # looks for what continues in the bleed
    checks += [PrintCheck(f"The bleed {problem.rule}", is_good=False) for problem in problems]
    width, exact = _length(printed.width_mm), _length(printed.size.size_mm)
    rule = f"the nearest width at which each module ({printed.module_mm:.2f} mm) is a whole number of printer dots"
    text = f"{width} wide, {rule}" + (f"; {exact} in PDF, SVG and EPS" if exact != width else "")
    reach = f"Phones read it from up to {_length(printed.reach_mm)} away"
    return [*checks, PrintCheck(text, is_good=True), PrintCheck(reach, is_good=True)]


def _length(mm: float) -> str:
    """Return a length as people say it."""
    if mm < 100:
        return f"{mm:.1f} mm"
    return f"{mm / 10:.0f} cm" if mm < 1000 else f"{mm / 1000:.1f} m"


def _on_paper(
    image: QRImage, size: PrintSize, dpi: float | None, distance_m: float | None, free_mm: float
) -> Iterator[PrintFinding]:
    """Yield what is wrong with the sizes on paper."""
    width = size.size_mm
    least, wide = image.least_width_mm(distance_m), image.scene.width / image.scene.module
    module = width / wide
    if width < least - ROUNDING:
        phones = f"phones at {distance_m:g} m" if distance_m else "phones"
        text = f"modules are {module:.2f} mm wide, and {phones} need {least / wide:.2g} mm"
        yield PrintFinding("module-size", "error", text, f"print it at least {ceil(least)} mm wide")
    low, high = TILL_MM
    if is_read_by_tills(image.design) and not low - ROUNDING <= module <= high + ROUNDING:
        text = f"modules are {module:.2f} mm wide, and tills ask for {low} to {high} mm"
        fix = f"print it {ceil(low * wide)} to {floor(high * wide)} mm wide"
        yield PrintFinding("till-module-size", "warning", text, fix)
    dot = MILLIMETRES_PER_INCH / dpi if dpi else 0.0
    # Half a dot too much over the whole width makes a module a dot wider.
    if dot and abs(module / dot - round(module / dot)) * wide > 0.5 and GROWTH.severity(dot / module):
        whole = max(round(module / dot), ceil(least / wide / dot - ROUNDING))
        text = f"modules are {module / dot:.1f} dots wide at {dpi:g} dpi, so some are printed a dot wider than others"
        fix = f"print it {whole * dot * wide:.2f} mm wide, {whole} dots a module"
        yield PrintFinding("printer-dots", "warning", text, fix)
    frame, padding = image.design.frame, image.design.padding
    have = max(padding, LEAST_PADDING) if frame else padding
    needed = STANDARD_QUIET if image.symbol.version > 0 else MICRO_QUIET
    quiet = have if frame else have + free_mm / module
    if quiet < needed:
        text = f"the quiet zone is {quiet:.1f} modules, and the standard asks for {needed}"
        more = f"{(needed - quiet) * module:.1f} mm more"
        fix = f"set the quiet zone (padding) to {needed}, or leave {more} free around the code"
        yield PrintFinding("quiet-zone", "error" if quiet < QUIET else "warning", text, fix)
    letters = framed(image.design, frame, lay_out(image.design, image.symbol, exact=True)).capital if frame else inf
    if letters * module < SMALLEST_CAPITAL_MM - ROUNDING:
        text = f"the smallest letters have {POINTS * letters * module / SMALLEST_CAPITAL_MM:.1f} points"
        fix = f"print it at least {ceil(wide * SMALLEST_CAPITAL_MM / letters)} mm wide, for {POINTS} points"
        yield PrintFinding("small-text", "warning", text, fix)
    if size.bleed_mm and frame and frame.kind in SHAPED:
        text = f"the bleed fills the corners around the frame {frame.kind!r}, so a straight cut makes it a rectangle"
        fix = "have the print shop cut along the edge of the frame, or leave out the bleed"
        yield PrintFinding("cut-shape", "warning", text, fix)


def _in_ink(image: QRImage, size: PrintSize, material: str | None, ground: Color) -> Iterator[PrintFinding]:
    """Yield what is wrong with the colors in ink; see `qrkit.pictures.ink_measures` for how they are converted."""
    from qrkit.pictures.ink_measures import inked  # loads NumPy

    wide = f"{round(size.size_mm, 1):g} mm wide"
    stock, field = MATERIALS[material or "coated"], f"print a white field {wide} below it"
    # Inks do not show on dark stock, so whatever is opaque there stands on white ink.
    is_dark = stock.color.luma < DARK
    found = inked(image.exact_scene, *((stock.color, WHITE) if is_dark else (ground, stock.color)))
    if found.contrast < -CONTRAST.least_ok:
        text = "the code is light on dark, which some readers cannot read"
        yield PrintFinding("reversed", "warning", text, f"print it dark on a light field {wide}")
    elif severity := CONTRAST.severity(found.contrast):
        text = f"converted to CMYK, dark and light differ by {found.contrast:.0%}, and phones need {CONTRAST.least:.0%}"
        black = f"print the modules in black, for {found.best:.0%}"
        yield PrintFinding("contrast", severity, text, field if found.best < CONTRAST.least else black)
    elif is_dark:
        yield PrintFinding("white-ink", "note", "inks do not show on dark stock", field)
    if material is None:
        return
    if found.total > stock.most_ink + ROUNDING:
        text = f"the inks of one color add up to {found.total:.0f}%, and {material} stock takes {stock.most_ink}%"
        yield PrintFinding("total-ink", "warning", text, "use #000000 for dark parts, which is 100% of black ink")
    darkest, brightest = min(found.channels), max(found.channels)
    if brightest < BLACK_INK and brightest - darkest < NEUTRAL and not (size.key_black and not brightest):
        share = REGISTRATION_MM * image.scene.width / image.scene.module / size.size_mm
        text = f"RGB black is mixed from four inks, and a shift of {REGISTRATION_MM} mm is {share:.0%} of a module"
        fix = "print #000000 with black ink only (key_black)"
        yield PrintFinding("rich-black", "warning" if GROWTH.severity(share) else "note", text, fix)
