"""Read the tables of an HTML page: what many programs export under the name of a workbook."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qrkit.errors import UnreadableFile
from qrkit.exchange.encodings import decoded, is_encoding
from qrkit.exchange.locating import Part, Place, Share
from qrkit.exchange.marked_cells import linked
from qrkit.exchange.workbooks import MOST_COLUMNS, MOST_LISTED, filled, repeats, trimmed, without_those_of_csv
from qrkit.late import etree

MOST_ELEMENTS = 4_000_000
"""The maximum number of elements in a page, which are all in memory at the same time."""
_PAGE = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}>\s*|<!--(?:(?!-->).){0,2000}-->\s*)*"
    rb"<(?:!doctype\s+html|(?:html|head|body|table|meta|style|div)\b)",
    re.IGNORECASE | re.DOTALL,
)
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w-]{1,40})", re.IGNORECASE)


def is_page(data: bytes) -> bool:
    """Return whether a file begins as HTML pages do."""
    return _PAGE.match(data[:4_000].removeprefix(b"\xef\xbb\xbf")) is not None


def parts(data: bytes, place: Place, _share: Share | None) -> list[Part]:
    """Return the tables of a page (see `SheetParts`), named `table 1`, `table 2`, …."""
    if data.count(b"<") > MOST_ELEMENTS:
        raise UnreadableFile(f"the page has more than {MOST_ELEMENTS:,} elements")
    said = _CHARSET.search(data[:4_000])
    named = said[1].decode() if said else ""
    text, note = decoded(data, place.encoding or (named if is_encoding(named) else ""))
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, huge_tree=False)
    root = etree.fromstring(text.encode("utf-8", "replace"), parser) if text.strip() else None
    # What is beyond these limits of the parser, it leaves out.
    limit = next((one for one in parser.error_log if one.type_name == "ERR_RESOURCE_LIMIT"), None)
    if limit is not None:
        rule = "a text of 10,000,000 characters or more, or more than 256 elements inside each other"
        raise UnreadableFile(f"the page has {rule}", line=limit.line)
    tables = [] if root is None else list(root.iter("table"))[:MOST_LISTED]
    if not tables:
        raise UnreadableFile("the file is an HTML page without a table")
    return [
        Part(f"table {number}", without_those_of_csv(_rows(table)), note=note)
        for number, table in enumerate(tables, start=1)
    ]


def _rows(table: etree._Element) -> Iterator[list[str]]:
    merged: dict[tuple[int, int], int] = {}
    ends: dict[int, int] = {}
    own = (row for row in table.iter("tr") if next(row.iterancestors("table"), None) is table)
    return filled([trimmed(_cells(row, number, merged, ends)) for number, row in enumerate(own)], merged)


def _cells(row: etree._Element, number: int, merged: dict[tuple[int, int], int], ends: dict[int, int]) -> list[str]:
    """Return the texts of a row; cells that a merged cell of a row above covers are empty.

    `merged` has the last row of each merged cell by its row and column; those of this row are added. `ends` has that of
    the lowest one of each column, so that a row need not look at all of them.
    """
    cells: list[str] = []
    covered = {place for place, below in ends.items() if number <= below}
    for cell in row.iterchildren("td", "th"):
        while len(cells) in covered:
            cells.append("")
        if len(cells) >= MOST_COLUMNS:
            break
        below = repeats((cell.get("rowspan") or "").strip())
        if below > 1:
            merged[number, len(cells)] = ends[len(cells)] = number + below - 1
        link = next((one for one in cell.iter("a") if one.get("href")), None)
        for line in cell.iter("br", "p", "div", "li"):
            line.tail = f" {line.tail or ''}"
        text = " ".join("".join(map(str, cell.itertext())).split())
        cells.append(text if link is None else linked(text, (link.get("href") or "").strip()))
        cells += [""] * (min(repeats((cell.get("colspan") or "").strip()), MOST_COLUMNS - len(cells)) - 1)
    return cells
