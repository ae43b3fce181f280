"""Contents that are just text."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from qrkit.contents.addresses import LongText
from qrkit.contents.kinds import kind


@kind("Text", behind="page")
def text(text: Annotated[LongText, Field(description="Any text, which phones show.", examples=["Table 7"])]) -> str:
    """Show a text. One that looks like another kind is read as that kind by phones, and by `read`.

    Example:
        >>> from qrkit import contents
        >>> str(contents.text("Table 7"))
        'Table 7'
    """
    return text
