"""What to know before printing: the quiet zone, the paper, the size of modules, and from where phones read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from qrkit.drawing.frames.framing import LEAST_PADDING
from qrkit.scanning.fixes import is_clear
from qrkit.scanning.issues import STANDARD_QUIET

if TYPE_CHECKING:
    from qrkit.pictures.image import QRImage
    from qrkit.pictures.printing import QRPrint

__all__ = ["PrintCheck", "print_checks"]

SMALLEST_MODULE_MM = 0.4
"""Module width that most phones focus on; GS1 asks for 0.396 mm on goods."""
MICRO_QUIET = 2
"""The quiet zone of a Micro QR Code, in modules (ISO/IEC 18004)."""


class PrintCheck(NamedTuple):
    """One thing to know before printing.

    Attributes:
        text: A sentence.
        is_good: False if it should be changed before printing.
    """

    text: str
    is_good: bool


def print_checks(image: QRImage, printed: QRPrint | None = None) -> list[PrintCheck]:
    """Return what to know before printing: the quiet zone, the paper, and, with a print size, modules and distance."""
    checks = [_check_quiet_zone(image, printed)]
    if is_clear(image.design) and not image.design.frame:
        text = "The background is transparent: print on white or light paper, because phones need dark modules on light"
        checks.append(PrintCheck(text, is_good=False))
    if printed:
        reach = f"Phones read it from up to {_length(printed.reach_mm)} away"
        checks += [_check_modules(printed), PrintCheck(reach, is_good=True)]
    return checks


def _check_quiet_zone(image: QRImage, printed: QRPrint | None) -> PrintCheck:
    needed = STANDARD_QUIET if image.symbol.version > 0 else MICRO_QUIET
    modules = max(image.design.padding, LEAST_PADDING) if image.design.frame else image.design.padding
    size = f" ({_length(modules * printed.module_mm)})" if printed and modules else ""
    have = f"{modules} module{'' if modules == 1 else 's'}{size}" if modules else "none"
    if modules >= needed:
        return PrintCheck(f"Quiet zone: {have}, as the standard asks", is_good=True)
    rule = f"Quiet zone: {have}; the standard asks for {needed} modules, so leave space around the code"
    return PrintCheck(rule, is_good=False)


def _check_modules(printed: QRPrint) -> PrintCheck:
    width, module = _length(printed.width_mm), f"{printed.module_mm:.2f} mm"
    if printed.module_mm >= SMALLEST_MODULE_MM:
        text = f"{width} wide, the nearest width at which each module ({module}) is a whole number of printer dots"
        vector = _length(printed.size.size_mm)
        return PrintCheck(text if vector == width else f"{text}; {vector} in PDF, SVG and EPS", is_good=True)
    least = printed.width_mm * SMALLEST_MODULE_MM / printed.module_mm
    text = f"Modules of {module} are too small for many phones; print it at least {least:.0f} mm wide"
    return PrintCheck(text, is_good=False)


def _length(mm: float) -> str:
    """Return a length as people say it."""
    if mm < 100:
        return f"{mm:.1f} mm"
    return f"{mm / 10:.0f} cm" if mm < 1000 else f"{mm / 1000:.1f} m"
