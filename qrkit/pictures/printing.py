"""`QRPrint`: a picture with a size on paper, its modules snapped to whole dots of the printer."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import floor
from pathlib import Path
from typing import Annotated

from qrkit.design.limits import MILLIMETRES_PER_INCH, MOST_PIXELS, Number, Within
from qrkit.drawing.scene import Scene
from qrkit.drawing.writers import format_named, format_of_file
from qrkit.errors import InvalidParameter, Problem
from qrkit.files import write_file
from qrkit.late import Shown
from qrkit.model import Model

__all__ = ["PrintSize", "QRPrint"]

ROUNDING = 1e-9
"""Of a size that is a whole number of dots, so that none of them is lost."""


class PrintSize(Model):
    """How large a picture is to be on paper.

    Attributes:
        size_mm: Width in millimeters, 2..5,000.
        dpi: Dots per inch of the printer, 30..5,000.
        key_black: Whether eps and pdf write black with the black ink alone, as printing houses ask for.
        at_most: Whether it must not be wider than that, as on a label; else it comes as near as whole dots allow, and
            may be up to half a dot a module wider.

    Raises:
        InvalidParameter: If a field breaks its rule; the error lists every invalid field.
    """

    size_mm: Annotated[Number, Within(2, 5_000, "millimetres")]
    dpi: Annotated[Number, Within(30, 5_000, "dots per inch")] = 300.0
    key_black: bool = False
    at_most: bool = False


class QRPrint(Shown):
    """A picture of which every module is a whole number of dots: else a printer would make some modules wider.

    Args:
        scene: A drawing, in whole pixels per module; `QRImage.print_at` gives its own.
        size: How large it is to be.

    Attributes:
        size: What was asked for.
        dots_per_module: What a module has got.
    """

    def __init__(self, scene: Scene, size: PrintSize) -> None:
        self.size = size
        wanted = size.size_mm / MILLIMETRES_PER_INCH * size.dpi / scene.width * scene.module
        self.dots_per_module = floor(wanted + ROUNDING) if size.at_most else round(wanted)
        if self.dots_per_module < 1:
            least = scene.width / scene.module / size.dpi * MILLIMETRES_PER_INCH
            rule = f"leaves less than a dot for a module; at {size.dpi:g} dpi at least {least:.1f} mm are needed"
            raise InvalidParameter(Problem("size_mm", size.size_mm, rule, "out-of-range"))
        factor = self.dots_per_module / scene.module
        if scene.width * scene.height * factor**2 > MOST_PIXELS:
            rule = f"is more than {MOST_PIXELS:,} dots at {size.dpi:g} dpi; fewer dots per inch are enough at this size"
            raise InvalidParameter(Problem("size_mm", size.size_mm, rule, "out-of-range"))
        self._factor, self._drawn = factor, scene

    @cached_property
    def scene(self) -> Scene:
        """The drawing, in dots."""
        enlarged = self._drawn.scaled(self._factor, snapped=True)
        return replace(enlarged, dots_per_inch=self.size.dpi, key_black=self.size.key_black)

    @property
    def width_mm(self) -> float:
        """True width in millimeters."""
        return self.scene.width / self.size.dpi * MILLIMETRES_PER_INCH

    @property
    def height_mm(self) -> float:
        """True height in millimeters."""
        return self.scene.height / self.size.dpi * MILLIMETRES_PER_INCH

    @property
    def module_mm(self) -> float:
        """True width of a module in millimeters."""
        return self.dots_per_module / self.size.dpi * MILLIMETRES_PER_INCH

    def to_bytes(self, format: str, *, compression: int | None = None) -> bytes:
        """The picture as a file of one of `qrkit.drawing.writers.FORMATS`, with its size where the format can hold it.

        Args:
            format: Its name.
            compression: Of png: from 0, fast and large, to 9, slow and small.

        Raises:
            InvalidParameter: There is no such format or level of compression; see `QRImage.to_bytes`.
        """
        return format_named(format).compressed(compression).write(self.scene)

    def save(self, path: str | Path, format: str | None = None, *, compression: int | None = None) -> Path:
        """Write the picture to a file; gives the path back.

        Args:
            path: Where to.
            format: One of `qrkit.drawing.writers.FORMATS`; that of the suffix where nothing is said.
            compression: Of png: from 0, fast and large, to 9, slow and small.

        Raises:
            InvalidParameter: Neither names a format, or there is no such level of compression.
            CannotWrite: The file cannot be written there.
        """
        file = Path(path)
        chosen = format_named(format) if format else format_of_file(file)
        write_file(file, chosen.compressed(compression).write(self.scene))
        return file

    def __repr__(self) -> str:
        return (
            f"<QRPrint {self.width_mm:.2f} x {self.height_mm:.2f} mm, {self.dots_per_module} dots a module of "
            f"{self.module_mm:.2f} mm at {self.size.dpi:g} dpi>"
        )
