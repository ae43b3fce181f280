"""Protects against formula injection: an apostrophe keeps spreadsheets from running a text as a formula."""

from __future__ import annotations

import re

__all__ = ["made_safe", "taken_off"]

# Characters that start a formula in spreadsheets, including full-width forms, even after white space.
_FORMULA = re.compile(r"'*\s*[=+\-@|%\t\r\n＝＋－＠]|'+[0-9]")  # noqa: RUF001 - the full-width forms are intentional


def made_safe(cell: str) -> str:
    """Return the text of a CSV cell, with a leading apostrophe if a spreadsheet would run the text as a formula."""
    return "'" + cell if _FORMULA.match(cell) else cell


def taken_off(cell: str) -> str:
    """Undo `made_safe`: remove a leading apostrophe only if `made_safe` would have added it."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
