"""Scan reports as a DataFrame, a row each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from qrkit.scanning.scan_report import VERDICTS
from qrkit.tracking.text_columns import text_column

if TYPE_CHECKING:
    from qrkit.scanning.scan_report import ScanReport

__all__ = ["scan_frame"]


def scan_frame(reports: Sequence[ScanReport | None], index: pd.Index) -> pd.DataFrame:
    """Reports as rows; one that is None leaves its cells empty.

    Columns: verdict (ordered category, from unreadable to robust), score (Int64, 0..100), used (float64, share of the
    error correction of the worst block; 0 where nothing was drawn), issue (str, the worst one's message), report
    (object, `ScanReport`).
    """
    columns = {
        "verdict": pd.Categorical([one and one.verdict for one in reports], categories=VERDICTS, ordered=True),
        "score": pd.array([one.score if one else None for one in reports], dtype="Int64"),
        "used": [_used(one) for one in reports],
        "issue": text_column(one.issues[0].message if one and one.issues else None for one in reports).array,
        "report": pd.Series(list(reports), dtype="object").array,
    }
    return pd.DataFrame(columns, index=index)


def _used(report: ScanReport | None) -> float:
    if report is None:
        return float("nan")
    return report.budget.used if report.budget else 0.0
