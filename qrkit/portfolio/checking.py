"""Whether the pictures of tracked QR Codes scan: the warning of an export, and a table of verdicts."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from qrkit.errors import QrkitError, ScanWarning
from qrkit.late import Watch
from qrkit.pictures.image import QRImage
from qrkit.pictures.scan_frame import checked, scan_frame
from qrkit.portfolio.code_designs import CodeDesigns
from qrkit.tracking.records import Properties, QRCode
from qrkit.tracking.text_columns import text_column

if TYPE_CHECKING:
    import pandas as pd

    from qrkit.scanning.scan_report import Audience, Level

__all__ = ["ExportCheck", "check_codes"]

MOST_NAMED = 3
"""Maximum number of QR Codes that a warning names."""


def check_codes(
    codes: Sequence[QRCode], designs: CodeDesigns, level: Level, audience: Audience, seen: Watch
) -> pd.DataFrame:
    """Check the picture of each QR Code; see `Portfolio.check`."""
    import pandas as pd

    errors: dict[int, str] = {}
    images: list[QRImage | None] = []
    for row, code in enumerate(codes):
        try:
            images.append(QRImage(designs.design(code)))
        except QrkitError as error:
            images.append(None)
            errors[row] = str(error)
    reports = checked(seen(images, "Checking", len(images)), level, audience, errors)
    found = scan_frame(reports, pd.Index([code.id for code in codes], dtype="str", name="id"))
    found.insert(0, "name", text_column(code.name for code in codes).array)
    found.insert(1, "template", text_column(designs.template_of(code) or None for code in codes).array)
    issues = enumerate(found["issue"])
    return found.assign(issue=text_column(errors.get(row, issue) for row, issue in issues).array)


class ExportCheck:
    """Collects the pictures of an export that phones may fail to scan.

    Pictures with the same template, or the same properties, that encode texts of the same length look alike, so only
    the first of them is checked.
    """

    def __init__(self, designs: CodeDesigns) -> None:
        self._designs = designs
        self._faults: dict[tuple[str, Properties | None, int], str | None] = {}
        self._weak: list[tuple[str, str]] = []

    def see(self, code: QRCode, image: QRImage) -> None:
        """Check a picture that was drawn, if it is the first of its look."""
        template = self._designs.template_of(code)
        look = (template, None if template else code.properties, len(code.encoded))
        if look not in self._faults:
            self._faults[look] = image.fault
        fault = self._faults[look]
        if fault:
            self._weak.append((code.name, fault))

    def warn(self, *, stacklevel: int) -> None:
        """Warn of the pictures that are less than robust, if there are any, naming the first three."""
        if not self._weak:
            return
        count, (_, fault) = len(self._weak), self._weak[0]
        names = ", ".join(repr(name) for name, _ in self._weak[:MOST_NAMED])
        others = f" and {count - MOST_NAMED} more" if count > MOST_NAMED else ""
        text = f"phones may fail to scan {count} of these pictures ({names}{others}). The first is {fault}"
        warnings.warn(text, ScanWarning, stacklevel=stacklevel)
