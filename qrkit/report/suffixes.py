"""Checks the suffixes of files with reports and charts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qrkit.errors import InvalidParameter, Problem, either

SAVED = (".html", ".htm", ".pdf", ".zip")
"""Suffixes of the files that a report is saved in."""
NOTEBOOK = ".ipynb"


def check_file(path: Path, suffixes: Sequence[str] = (*SAVED, NOTEBOOK)) -> None:
    """Raise unless a file has one of these suffixes, by default those of reports."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        hint = "; report.notebook writes notebooks" if suffix == NOTEBOOK else ""
        raise InvalidParameter(Problem("path", str(path), f"must end in {either(suffixes)}{hint}"))
