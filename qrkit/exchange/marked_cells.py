"""Cells of workbooks that are more than their text: links, and formulas without a value."""

from __future__ import annotations

import re
from typing import Self

__all__ = ["Linked", "Unsaved", "linked"]

_FOLLOWED = re.compile(r"https?://|mailto:|tel:|sms:|geo:", re.IGNORECASE)
"""How the addresses begin that a hyperlink over a text may give; others lead into the workbook or to files."""


class Linked(str):
    """The text of a cell with a hyperlink.

    Attributes:
        target: The address that the cell leads to.
    """

    __slots__ = ("target",)
    target: str

    def __new__(cls, text: str, target: str) -> Self:
        """Return the text with the address."""
        made = super().__new__(cls, text)
        made.target = target
        return made


class Unsaved(str):
    """The formula of a cell whose value is not in the file."""

    __slots__ = ()


def linked(text: str, target: str) -> str:
    """Return the text of a cell that leads to this address, if the address is one that visitors can follow."""
    return Linked(text, target) if _FOLLOWED.match(target) else text
