"""XML: texts as elements, whatever they hold, and the elements of files that strangers send."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from qrkit.errors import UnreadableFile

if TYPE_CHECKING:
    from lxml import etree

__all__ = ["check_doctype", "element", "events"]

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


def events(data: bytes, *kinds: str) -> Iterator[tuple[str, Any]]:
    """The elements of a file as they begin or end, read without whatever leads out of it.

    Args:
        data: The file.
        *kinds: `start`, `end`, or both.
    """
    from lxml import etree

    return etree.iterparse(  # type: ignore[no-any-return]  # its stubs do not know the options
        BytesIO(data),
        events=kinds,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def check_doctype(root: etree._Element) -> None:
    """Refuse a file with a document type: what it could do is not for tables.

    Raises:
        UnreadableFile: If it has a document type.
    """
    if root.getroottree().docinfo.doctype:  # type: ignore[attr-defined]  # its stubs do not know it
        raise UnreadableFile("the file has a document type, which is not read")
