"""`Shown`: what notebooks ask an object for when it is the last line of a cell; and text that may stand in a page."""

from __future__ import annotations

import re
from html import escape
from typing import Any

__all__ = ["Shown", "page_text"]

LONGEST_TEXT = 200
"""Characters that are shown of any text."""

_UNPRINTABLE = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Characters that a page cannot hold."""


class Shown:
    """Something that notebooks show as text, as HTML, and as a picture where it is one; `qrkit.views` has how."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        from qrkit.views import view

        return view(self)


def page_text(value: Any) -> str:
    """A value as text of a page: cut, without characters that a page cannot hold, and with no markup in it."""
    text = str(value)
    return escape(_UNPRINTABLE.sub("\ufffd", text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"))
