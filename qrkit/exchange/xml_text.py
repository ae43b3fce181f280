"""Write any text as an XML element, and parse untrusted XML files safely."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape
from io import BytesIO
from typing import Any

from qrkit.drawing.svg.svg_text import quoted
from qrkit.errors import UnreadableFile
from qrkit.late import etree

# Characters that XML 1.0 cannot represent, not even as character references. The usual pattern, which excludes the
# characters that it can represent, takes ten times as long to compile.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

SAFE: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
"""The options of parsers: nothing outside the file is read, and nothing in it is expanded."""


def element(tag: str, text: str, *, name: str = "") -> str:
    """Return an element with a text, in base64 if XML cannot represent it; lone surrogates become "?"."""
    named = f" name={quoted(name)}" if name else ""
    data = text.encode("utf-8", "replace")
    text = data.decode()
    if _NO_XML.search(text):
        return f'<{tag}{named} encoding="base64">{b64encode(data).decode()}</{tag}>'
    # XML parsers convert a bare carriage return to a line feed.
    escaped = escape(text, quote=False).replace("\r", "&#13;")
    return f"<{tag}{named}>{escaped}</{tag}>"


def events(data: bytes, *kinds: str) -> Iterator[tuple[str, Any]]:
    """Iterate over the `start` or `end` events of elements, or both, without resolving external references."""
    return etree.iterparse(BytesIO(data), events=kinds, **SAFE)  # type: ignore[no-any-return]


def events_in_parts(data: bytes, size: int, tags: Sequence[str]) -> Iterator[Iterator[tuple[str, Any]]]:
    """Parse a file part by part, as `events` does; few tags take two thirds of its time."""
    parser = etree.XMLPullParser(events=("start", "end"), tag=tags, **SAFE)
    for start in range(0, len(data), size):
        parser.feed(data[start : start + size])
        yield parser.read_events()
    parser.close()


def free(element: etree._Element) -> None:
    """Free the memory of an element that was read, and of those in front of it."""
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]  # type: ignore[union-attr]  # it has one, beside the other


def check_doctype(root: etree._Element) -> None:
    """Check that a file has no document type, which could define malicious entities."""
    if root.getroottree().docinfo.doctype:  # type: ignore[attr-defined]  # missing in the stubs
        raise UnreadableFile("the file has a document type declaration (DOCTYPE), which is not allowed")
