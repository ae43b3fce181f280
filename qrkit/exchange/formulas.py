"""Texts that a spreadsheet would run as formulas: an apostrophe in front makes them texts again (ruling X7)."""

from __future__ import annotations

import re

__all__ = ["made_safe", "taken_off"]

# What spreadsheets take for the beginning of a formula, full-width forms included; blanks before it don't stop them.
_FORMULA = re.compile(r"'*\s*[=+\-@|%\t\r\n＝＋－＠]")  # noqa: RUF001 - the full-width forms are meant


def made_safe(cell: str) -> str:
    """The text of a CSV cell, with an apostrophe in front where a spreadsheet would run it."""
    return "'" + cell if _FORMULA.match(cell) else cell


def taken_off(cell: str) -> str:
    """Undo `made_safe`: only an apostrophe that it would have written is taken off."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
