"""Checks many images, and converts their scan reports to a DataFrame, one row each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from qrkit.errors import QrkitError
from qrkit.late import pd
from qrkit.pictures.image import QRImage
from qrkit.scanning.scan_report import VERDICTS, ScanReport
from qrkit.tracking.text_columns import text_column


def checked(
    images: Iterable[QRImage | None], level: str, audience: str, errors: dict[int, str]
) -> list[ScanReport | None]:
    """Check each image and return the reports; errors are added to `errors` by row."""
    reports: list[ScanReport | None] = []
    for row, image in enumerate(images):
        report = None
        if image is not None:
            try:
                is_known = (level, audience) == ("static", "phones")
                report = image.scan if is_known else image.check(level, audience=audience)
            except QrkitError as error:
                errors[row] = str(error)
        reports.append(report)
    return reports


def scan_frame(reports: Sequence[ScanReport | None], index: pd.Index) -> pd.DataFrame:
    """Return reports as rows; a report that is None gives an empty row.

    Columns: verdict (ordered category, from unreadable to robust), score (Int64, 0..100), used (float64, share of the
    error correction used in the worst block; 0 if nothing was drawn), least_width_mm (float64, the least width at which
    most phones read a print up close), issue (str, message of the worst issue), report (object, `ScanReport`).
    """
    columns = {
        "verdict": pd.Categorical([report and report.verdict for report in reports], categories=VERDICTS, ordered=True),
        "score": pd.array([report.score if report else None for report in reports], dtype="Int64"),
        "used": [_used_share(report) for report in reports],
        "least_width_mm": [math.nan if report is None else report.least_width_mm() or math.nan for report in reports],
        "issue": text_column(
            report.issues[0].message if report and report.issues else None for report in reports
        ).array,
        "report": pd.Series(list(reports), dtype="object").array,
    }
    return pd.DataFrame(columns, index=index)


def _used_share(report: ScanReport | None) -> float:
    if report is None:
        return math.nan
    return report.budget.used if report.budget else 0.0
