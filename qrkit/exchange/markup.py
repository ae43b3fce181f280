"""Texts as elements of XML, whatever they hold."""

from __future__ import annotations

import re
from base64 import b64encode
from xml.sax.saxutils import escape

__all__ = ["element"]

# What XML 1.0 cannot hold, not even as a character reference.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def element(name: str, text: str) -> str:
    """An element with a text; what XML cannot hold is written as base64 of its UTF-8, a lone surrogate as "?"."""
    data = text.encode("utf-8", "replace")
    text = data.decode()
    if _NO_XML.search(text):
        return f'<{name} encoding="base64">{b64encode(data).decode()}</{name}>'
    # A reader of XML takes a bare CR for a line feed.
    return f"<{name}>{escape(text, {chr(13): '&#13;'})}</{name}>"
