"""XML (ruling X9): a root `tracking`, an element `item` a QR Code, its elements in the order of the interface.

Elements that the interface lacks follow; readers ignore what they do not know. What XML 1.0 cannot hold is written as
base64, and says so. Nothing of a document type is read: a file that has one is refused.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, BinaryIO

from qrkit.errors import UnreadableFile
from qrkit.exchange.columns import ELEMENTS
from qrkit.exchange.tables import ERROR, check_size, table_of_records
from qrkit.exchange.xml_text import check_doctype, element, events
from qrkit.late import UNSEEN, Watch

if TYPE_CHECKING:
    import pandas as pd
    from lxml import etree

__all__ = ["FILE", "read", "read_files", "write"]

FILE = "file"
"""The element of a zip's manifest, and the column of its table, that names the picture of an item."""
MOST_ELEMENTS = 10_000
"""Of an item, and of what stands in front of it that is none: these are in memory together."""


def write(tables: Iterable[pd.DataFrame], file: BinaryIO) -> None:
    """Write a table of text, in parts, as XML; empty cells have no element.

    Args:
        tables: DataFrames of str with the columns of `exchange.columns`, and `file` for the manifest of a zip.
        file: Where to.
    """
    file.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<tracking>\n')
    for table in tables:
        written = ELEMENTS | ({FILE: FILE} if FILE in table.columns else {})
        columns = [[element(tag, cell) if cell else "" for cell in table[name]] for tag, name in written.items()]
        file.write("".join(f"<item>{''.join(cells)}</item>\n" for cells in zip(*columns, strict=True)).encode())
    file.write(b"</tracking>\n")


def read(data: bytes, watch: Watch = UNSEEN) -> pd.DataFrame:
    """Read an XML file; each item has the number of its place, counted from 1, as its row.

    Returns:
        The table, as `exchange.tables.table_of_records` makes it.

    Raises:
        UnreadableFile: The file is too large, is no XML, has a document type, or another root than `tracking`.
    """
    table, _ = read_files(data, watch)
    return table


def read_files(data: bytes, watch: Watch = UNSEEN) -> tuple[pd.DataFrame, list[str]]:
    """Read the manifest of a zip: its table, and the name of the picture of each row.

    Raises:
        UnreadableFile: As of `read`.
    """
    check_size(data)
    files: list[str] = []
    return table_of_records(watch(_records(data, files), "Reading", None)), files


def _records(data: bytes, files: list[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    from lxml import etree

    number = elements = 0
    try:
        _check_root(next(events(data, "start"))[1])
        for _, one in events(data, "end"):
            elements += 1
            if elements > MOST_ELEMENTS:
                where = f"in item {number + 1} or in front of it"
                raise UnreadableFile(f"the file has more than {MOST_ELEMENTS:,} elements {where}")
            root = one.getparent()
            if root is None or root.getparent() is not None:
                continue
            if one.tag == "item":
                number += 1
                elements = 0
                yield number, _cells(one, files)
            one.clear()
            while one.getprevious() is not None:
                del root[0]
    except etree.XMLSyntaxError as error:
        raise UnreadableFile(f"the file is not XML: {error.msg}", line=error.lineno) from error


def _check_root(one: etree._Element) -> None:
    check_doctype(one)
    if one.tag != "tracking":
        raise UnreadableFile(f"the root of the file is {str(one.tag)[:60]!r}, not 'tracking'")


def _cells(item: etree._Element, files: list[str]) -> dict[str, str]:
    """The cells of an item; an element that stands twice makes it unusable."""
    cells: dict[str, str] = {}
    file = ""
    for one in item:
        tag = str(one.tag)
        if tag == FILE:
            file = _text(one, cells)
        elif tag in ELEMENTS:
            if ELEMENTS[tag] in cells:
                cells[ERROR] = f"{tag}: stands twice"
            cells[ELEMENTS[tag]] = _text(one, cells)
    files.append(file)
    return cells


def _text(one: etree._Element, cells: dict[str, str]) -> str:
    if len(one):
        cells[ERROR] = f"{one.tag}: must hold text, not elements"
        return ""
    text = one.text or ""
    if one.get("encoding") != "base64":
        return text
    try:
        return b64decode(text, validate=True).decode()
    except ValueError:
        cells[ERROR] = f"{one.tag}: is not base64 of UTF-8"
        return ""
