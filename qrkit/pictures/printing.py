"""Provides `QRPrint`, an image with a print size: exact in vector formats, whole printer dots per module in others."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import floor
from pathlib import Path
from typing import Annotated

from pydantic import Field

from qrkit.design.bounds import MILLIMETRES_PER_INCH
from qrkit.design.limits import MOST_PIXELS, Number, Within
from qrkit.design.print_width import REACH_IN_MODULES
from qrkit.drawing.scene import Scene
from qrkit.drawing.writers import Format, format_named, format_of_file
from qrkit.errors import InvalidParameter, Problem
from qrkit.files import write_file
from qrkit.late import Shown
from qrkit.pictures.inks import Inks, press_of

ROUNDING = 1e-9
"""Rounding error allowed in a whole number of dots, so that none is lost."""


PRINTED = {"profile": ("pdf", "tif"), "spots": ("pdf",), "bleed_mm": ("pdf",)}
"""The formats that a field of `PrintSize` is for, if it is not for all."""


class PrintSize(Inks):
    """The requested print size of an image."""

    size_mm: Annotated[Number, Within(2, 5_000, "millimeters")] = Field(
        description="Width on paper. Vector formats have exactly this width. In others, each module is a whole number "
        "of printer dots wide, so the width differs a little."
    )
    dpi: Annotated[Number, Within(30, 5_000, "dots per inch")] = Field(
        default=300.0, description="Resolution of the printer."
    )
    bleed_mm: Annotated[Number, Within(0, 10, "millimeters")] = Field(
        default=0.0, description="How far the background of a PDF reaches beyond its width, to be cut off."
    )
    at_most: bool = Field(
        default=False,
        description="Never print wider than requested, for example on a label. Otherwise, the width is the nearest "
        "possible, which may be larger by up to half a dot per module.",
    )

    def check_format(self, name: str) -> None:
        """Check that a format can store what was requested.

        Raises:
            InvalidParameter: If a profile, spot colors or a bleed are not for this format.
        """
        for field, names in PRINTED.items():
            if getattr(self, field) and name not in names:
                raise InvalidParameter(Problem(field, None, f"is only for {' and '.join(names)}"))


class QRPrint(Shown):
    """An image for print.

    In formats with pixels, every module is a whole number of dots, because otherwise printers make some modules wider.
    Vector formats (svg, pdf and eps) have no dots, so they are exactly as wide as requested.

    Args:
        scene: A drawing with whole pixels per module; `QRImage.print_at` passes its own.
        size: The requested print size.

    Attributes:
        size: The requested print size.
        dots_per_module: The width of a module in dots.
    """

    def __init__(self, scene: Scene, size: PrintSize) -> None:
        self.size = size
        wanted = size.size_mm / MILLIMETRES_PER_INCH * size.dpi / scene.width * scene.module
        self.dots_per_module = floor(wanted + ROUNDING) if size.at_most else round(wanted)
        if self.dots_per_module < 1:
            least = scene.width / scene.module / size.dpi * MILLIMETRES_PER_INCH
            rule = f"leaves less than a dot for a module; at {size.dpi:g} dpi at least {least:.1f} mm are needed"
            raise InvalidParameter(Problem("size_mm", size.size_mm, rule, "out-of-range"))
        self._factor, self._drawn = self.dots_per_module / scene.module, scene

    @property
    def has_too_many_dots(self) -> bool:
        """Whether the image can only be written in vector formats."""
        return self._drawn.width * self._drawn.height * self._factor**2 > MOST_PIXELS

    @cached_property
    def scene(self) -> Scene:
        """The drawing, in dots."""
        enlarged = self._drawn.scaled(self._factor, snapped=True)
        return replace(enlarged, dots_per_inch=self.size.dpi, key_black=self.size.key_black, press=press_of(self.size))

    @property
    def exact_scene(self) -> Scene:
        """The drawing for vector formats, which is exactly as wide as requested, and has its bleed at each side."""
        dots_per_mm = self.scene.width / self.size.size_mm
        scene = replace(self.scene, dots_per_inch=dots_per_mm * MILLIMETRES_PER_INCH)
        return scene.with_bleed(self.size.bleed_mm * dots_per_mm) if self.size.bleed_mm else scene

    @property
    def width_mm(self) -> float:
        """Width in millimeters of formats with pixels."""
        return self.scene.width / self.size.dpi * MILLIMETRES_PER_INCH

    @property
    def height_mm(self) -> float:
        """Height in millimeters of formats with pixels."""
        return self.scene.height / self.size.dpi * MILLIMETRES_PER_INCH

    @property
    def module_mm(self) -> float:
        """Width in millimeters of a module in formats with pixels."""
        return self.dots_per_module / self.size.dpi * MILLIMETRES_PER_INCH

    @property
    def reach_mm(self) -> float:
        """The largest distance in millimeters from which phones read the code in good light, roughly."""
        return self.module_mm * REACH_IN_MODULES

    def size_in(self, format: str) -> tuple[float, float]:
        """Return width and height in millimeters of a file in this format.

        Args:
            format: One of `qrkit.drawing.writers.FORMATS`.

        Raises:
            InvalidParameter: If the format is unknown.
        """
        factor = self.size.size_mm / self.width_mm if format_named(format).exact else 1
        return self.width_mm * factor, self.height_mm * factor

    def to_bytes(self, format: str, *, compression: int | None = None) -> bytes:
        """Return the image as the bytes of a file, with its print size if the format supports it.

        Args:
            format: One of `qrkit.drawing.writers.FORMATS`.
            compression: PNG compression level, from 0 (fast, large) to 9 (slow, small).

        Raises:
            InvalidParameter: If the format is unknown, the compression level is out of range (see `QRImage.to_bytes`),
                a format with pixels would have too many dots, or a profile, spot colors or a bleed are not for the
                format or the picture.
        """
        return self._write(format_named(format).compressed(compression))

    def save(self, path: str | Path, format: str | None = None, *, compression: int | None = None) -> Path:
        """Write the image to a file and return its path.

        Args:
            path: The path of the file.
            format: One of `qrkit.drawing.writers.FORMATS`; by default the format for the suffix of the path.
            compression: PNG compression level, from 0 (fast, large) to 9 (slow, small).

        Raises:
            InvalidParameter: As in `to_bytes`.
            CannotWrite: If the file cannot be written.
        """
        file = Path(path)
        chosen = format_named(format) if format else format_of_file(file)
        write_file(file, self._write(chosen.compressed(compression)))
        return file

    def _write(self, format: Format) -> bytes:
        self.size.check_format(format.name)
        if self.has_too_many_dots and not format.exact:
            rule = f"is more than {MOST_PIXELS:,} dots at {self.size.dpi:g} dpi; use fewer dots per inch, or svg or pdf"
            raise InvalidParameter(Problem("size_mm", self.size.size_mm, rule, "out-of-range"))
        return format.write(self.exact_scene if format.exact else self.scene)

    def __repr__(self) -> str:
        return (
            f"<QRPrint {self.width_mm:.2f} x {self.height_mm:.2f} mm, {self.dots_per_module} dots per "
            f"{self.module_mm:.2f} mm module at {self.size.dpi:g} dpi>"
        )
