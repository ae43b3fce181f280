"""XML: a root `tracking` with one `item` per QR Code, whose elements are in the order of the interface.

Our additional elements follow at the end; other elements are fields of the QR Code. Text that XML 1.0 cannot represent
is written as base64 with an `encoding` attribute. Files with a document type are rejected.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from qrkit.errors import UnreadableFile
from qrkit.exchange.columns import ELEMENTS, KINDS, OVERLOOKED, Kind, Row
from qrkit.exchange.own_columns import OwnColumns
from qrkit.exchange.table_files import Reading, Table, Writing, check_size, table_of_records
from qrkit.exchange.xml_text import check_doctype, element, events, events_in_parts, free
from qrkit.late import etree
from qrkit.tracking.own_fields import split_tags

FILE = "file"
"""The element in the manifest of a zip, and the cell in its rows, that contains the file name of the picture."""
MOST_ELEMENTS = 10_000
"""The maximum number of elements in an item and before it, which are in memory at the same time."""
PART = 32 * 2**10
"""The bytes that are parsed at once."""
MOST_IN_PART = PART // len("<a/>")
"""The maximum number of elements in a part."""
_COLUMNS = ELEMENTS | {FILE: FILE}


def write(rows: Iterable[Row], file: BinaryIO, how: Writing) -> None:
    """Write rows as XML; empty cells are left out. Rows for the manifest of a zip also have a cell `file`."""
    file.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<tracking>\n')
    written = [(tag, name, _PARTS.get(KINDS.get(name, ""), element)) for tag, name in (*ELEMENTS.items(), (FILE, FILE))]
    for row in rows:
        elements = [as_xml(tag, cell) for tag, name, as_xml in written if (cell := row.cells.get(name))]
        file.write(f"<item>{''.join(elements)}</item>\n".encode())
    file.write(b"</tracking>\n")


def _tag_elements(tag: str, cell: str) -> str:
    return f"<{tag}>{''.join(element('tag', one) for one in split_tags(cell))}</{tag}>"


def _field_elements(tag: str, cell: str) -> str:
    fields = "".join(element("field", text, name=name) for name, text in json.loads(cell).items())
    return f"<{tag}>{fields}</{tag}>"


_PARTS: dict[str, Callable[[str, str], str]] = {"tags": _tag_elements, "fields": _field_elements}
"""Functions that write a column as elements within its own, by the kind of the column."""


def read(data: bytes, how: Reading) -> Table:
    """Read an XML file; rows are numbered by the position of the item, starting at 1."""
    check_size(data)
    own = OwnColumns(ELEMENTS)
    return table_of_records(how.watch(_rows(data, own), "Reading", None), own)


def _rows(data: bytes, own: OwnColumns) -> Iterator[Row]:
    try:
        space = _space_of(next(events(data, "start"))[1])
        for number, item in enumerate(_items(data, space), start=1):
            yield _row(number, item, own, space)
    except etree.XMLSyntaxError as error:
        raise UnreadableFile(f"the file is not XML: {error.msg}", line=error.lineno) from error


def _items(data: bytes, space: str) -> Iterator[etree._Element]:
    """Yield the items of a file, each of which leaves the memory when the next one is asked for."""
    root: etree._Element | None = None
    number = waiting = 0  # elements in memory behind the last item that was read
    for found in events_in_parts(data, PART, (f"{space}tracking", f"{space}item")):
        for event, one in found:
            if root is None:
                root = one
            elif event == "end" and one.tag == f"{space}item" and one.getparent() is root:
                # Counting takes time; it is left out if the waiting elements and a full part are within the limit.
                if waiting + MOST_IN_PART > MOST_ELEMENTS:
                    _check_elements(_count([*one.itersiblings(preceding=True), one]) - bool(number), number)
                number += 1
                waiting = 0
                yield one
                free(one)
        waiting = _count(root) - bool(number) if root is not None else 0
        _check_elements(waiting, number)
    _check_elements(waiting + 1, number)  # with the root
    if root is not None and len(root) and not number:
        raise UnreadableFile(f"the first element of the file is {str(root[0].tag)[:60]!r}, not 'item'")


def _count(elements: Iterable[etree._Element]) -> int:
    """Count elements, including all elements inside them."""
    return sum(1 for one in elements for _ in one.iter())


def _check_elements(count: int, number: int) -> None:
    """Check the number of elements behind an item, in and in front of the next one."""
    if count > MOST_ELEMENTS:
        where = f"in item {number + 1} or in front of it"
        raise UnreadableFile(f"the file has more than {MOST_ELEMENTS:,} elements {where}")


def _space_of(root: etree._Element) -> str:
    """Return the XML namespace of a file, as it stands before the names of its elements; "" if it has none."""
    check_doctype(root)
    space, brace, name = str(root.tag).rpartition("}")
    if name == "Workbook":
        raise UnreadableFile("the file is an XML Spreadsheet of Excel 2003, which is not read; save it as xlsx")
    if name != "tracking":
        rule = f"the root of the file is {name[:60]!r}, not 'tracking'; only XML of qrkit is read"
        raise UnreadableFile(f"{rule}; save the table as csv, xlsx or json")
    return space + brace


def _row(number: int, item: etree._Element, own: OwnColumns, space: str) -> Row:
    """Convert an item to a row; the row is invalid if the item contains an element of ours twice."""
    cells: dict[str, str] = {}
    others: list[tuple[str, str]] = []
    error = ""
    for one in item:
        tag = one.tag.removeprefix(space) if space else one.tag
        name = _COLUMNS.get(tag)
        if name is None:
            own_name = tag.rpartition("}")[2]
            if own_name.lower() not in OVERLOOKED:
                others.append((own_name, _text(one)[0] or " ".join(map(str, one.itertext()))))
            continue
        wrong = f"{tag}: appears twice" if name in cells and name != FILE else ""
        if KINDS.get(name) in _PARTS and len(one):
            cells[name], unfit = _parts(one, KINDS[name])
            wrong = unfit or wrong
        elif len(one) or one.keys():
            cells[name], unfit = _text(one)
            wrong = unfit or wrong
        else:
            cells[name] = one.text or ""
        error = wrong or error
    return own.row(Row(number, cells, error), others)


def _parts(one: etree._Element, kind: Kind) -> tuple[str, str]:
    """Return tags or fields as the text of a cell, and an error message, or "" if the elements are valid."""
    texts = [_text(part) for part in one]
    names = [part.get("name", "") for part in one]
    wrong = next((unfit for _, unfit in texts if unfit), "")
    if kind == "tags":
        return ", ".join(text for text, _ in texts), wrong
    twice = f"{one.tag}: a name is missing or appears twice" if "" in names or len({*names}) < len(names) else ""
    found = dict(zip(names, (text for text, _ in texts), strict=True))
    return json.dumps(found, ensure_ascii=False), wrong or twice


def _text(one: etree._Element) -> tuple[str, str]:
    """Return the text of an element, and an error message, or "" if the element is valid."""
    if len(one):
        return "", f"{one.tag}: must hold text, not elements"
    text = one.text or ""
    if one.get("encoding") != "base64":
        return text, ""
    try:
        return b64decode(text, validate=True).decode(), ""
    except ValueError:
        return "", f"{one.tag}: is not base64 of UTF-8"
