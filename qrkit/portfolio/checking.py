"""Checks whether the pictures of tracked QR Codes scan: warns on export, and makes a table of verdicts."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

from qrkit.design.frames import Caption
from qrkit.errors import QrkitError, ScanWarning, first_of
from qrkit.late import Watch, pd
from qrkit.pictures.image import QRImage
from qrkit.pictures.preflight import PrintFinding, PrintTally, known_findings
from qrkit.pictures.printing import PrintSize
from qrkit.pictures.scan_frame import checked, scan_frame
from qrkit.portfolio.code_designs import CodeDesigns
from qrkit.scanning.scan_report import Audience, Level
from qrkit.tracking.records import Properties, QRCode
from qrkit.tracking.text_columns import text_column

MOST_NAMED = 3
"""Maximum number of QR Codes that a warning names."""
ON_PAPER = ("contrast", "polarity", "quiet-zone")
"""Issues that `preflight` judges, too, as they are on the stock of a sheet."""
_Named = list[tuple[str, str]]
"""Names of QR Codes, each with its fault."""
CAPTION = "frame.caption: "
"""Beginning of the warnings of a picture about its caption."""


def check_codes(
    codes: Sequence[QRCode], designs: CodeDesigns, level: Level, audience: Audience, seen: Watch
) -> pd.DataFrame:
    """Check the picture of each QR Code; see `Portfolio.check`."""
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
    """Collects the pictures of an export that may not scan, need a change for print, or have incomplete captions.

    Pictures with the same template, or the same properties, that encode texts of the same length look alike, so only
    the first of them is checked. Issues with the codes in `told` are told elsewhere.
    """

    def __init__(self, designs: CodeDesigns, told: Sequence[str] = (), print_size: PrintSize | None = None) -> None:
        self._designs, self._told, self._print_size = designs, told, print_size
        self._faults: dict[tuple[str, Properties | None, int], tuple[str | None, list[PrintFinding]]] = {}
        self._tally = PrintTally()
        self._letters: dict[str, set[str]] = {}
        """Characters that the font of a template is known to have."""
        self._weak: _Named = []
        self._boxed: _Named = []
        self._cut: _Named = []

    def see(self, code: QRCode, image: QRImage) -> None:
        """Check a picture that was drawn, if it is the first of its look, and its caption."""
        template = self._designs.template_of(code)
        look = (template, None if template else code.properties, len(code.encoded))
        if look not in self._faults:
            size = self._print_size
            self._faults[look] = self._fault(image), known_findings(image, size) if size else []
        fault, findings = self._faults[look]
        if fault:
            self._weak.append((code.name, fault))
        self._tally.see(findings)
        if image.design.frame and image.design.frame.caption:
            self._see_caption(code, image, image.design.frame.caption, template)

    def _fault(self, image: QRImage) -> str | None:
        scan = image.known_scan if self._told and image.fault else None
        if scan is None:
            return image.fault
        issues = tuple(one for one in scan.issues if one.code not in self._told and one.severity != "note")
        return replace(scan, issues=issues).fault if issues else None

    def _see_caption(self, code: QRCode, image: QRImage, caption: Caption, template: str) -> None:
        if self._designs.is_cut(code, image.design):
            self._cut.append((code.name, ""))
        letters = {*(caption.text or ""), *(caption.subtitle or "")}
        known = self._letters.setdefault(template, set())
        if not letters <= known:
            found = [text for text in image.warnings if text.startswith(CAPTION)]
            if found:
                self._boxed.append((code.name, found[0]))
            else:
                known |= letters

    def warn(self, *, stacklevel: int) -> None:
        """Warn about pictures that are less than robust or to change for print, and captions cut or lacking letters."""
        if self._weak:
            text = f"phones may fail to scan {_first(self._weak)}. The first is {self._weak[0][1]}"
            warnings.warn(text, ScanWarning, stacklevel=stacklevel)
        if self._boxed:
            text = f"letters are missing on {_first(self._boxed)}. On the first, {self._boxed[0][1]}"
            warnings.warn(text, stacklevel=stacklevel)
        if self._cut:
            text = (
                f"captions are cut to fit the frame on {_first(self._cut)}; shorten the names, or choose a wider frame"
            )
            warnings.warn(text, stacklevel=stacklevel)
        self._tally.warn(stacklevel=stacklevel)


def _first(found: _Named) -> str:
    """Return the number of QR Codes, and the names of the first ones."""
    return f"{len(found)} of these pictures ({first_of([repr(name) for name, _ in found], MOST_NAMED)})"
