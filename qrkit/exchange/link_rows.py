"""Tables of GS1 links: a row per link, in csv files and workbooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from qrkit.contents.gs1_paths import gs1_path_in
from qrkit.errors import InvalidParameter, Problem, UnreadableFile
from qrkit.exchange.linksets import Described
from qrkit.exchange.sheets import sheet_of
from qrkit.model import plain
from qrkit.tracking.gs1_entities import Gs1Entity, with_defaults

LINK_COLUMNS = ("anchor", "description", "linkType", "href", "title", "type", "hreflang", "context", "fwqs")
REQUIRED = ("anchor", "linkType", "href", "title")
SEVERAL = ("hreflang", "context")


def link_rows(key: str, entities: Sequence[Gs1Entity]) -> Iterator[dict[str, str]]:
    """Yield a row for each link of the entities of a key."""
    for entity in entities:
        anchor = f"{key}/{entity.below}".rstrip("/")
        for link in entity.links:
            written = plain(link)
            written |= {name: ", ".join(written.get(name, ())) for name in SEVERAL}
            written["fwqs"] = "true" if link.fwqs else "false"
            yield {"anchor": anchor, "description": entity.description, **written}


def described_by_rows(data: bytes, format: str) -> Described:
    """Read a table of links, in which the first link of an anchor is its default, unless a row says otherwise.

    Raises:
        UnreadableFile: If the file cannot be read, or lacks a column.
        InvalidParameter: If a link breaks a rule; the error names the row.
    """
    sheet = sheet_of(data, format, REQUIRED)
    names = {name.lower(): name for name in LINK_COLUMNS}
    heading = [names.get(title.strip().lower().replace(" ", "").replace("_", ""), "") for title in sheet.heading]
    if missing := [name for name in REQUIRED if name not in heading]:
        raise UnreadableFile(f"the file has no column {missing[0]}; a table of links has {', '.join(LINK_COLUMNS)}")
    found: dict[str, dict[str, tuple[str, list[dict[str, Any]]]]] = {}
    for number, cells in zip(sheet.numbers, sheet.rows, strict=True):
        if isinstance(cells, UnreadableFile):
            raise cells
        row = {name: cell.strip() for name, cell in zip(heading, cells, strict=True) if name and cell.strip()}
        link: dict[str, Any] = {name: value for name, value in row.items() if name not in ("anchor", "description")}
        link |= {name: [one.strip() for one in row[name].split(",")] for name in SEVERAL if name in row}
        try:
            path = gs1_path_in(row.get("anchor", ""))
            Gs1Entity.from_fields({"links": [link]})
        except InvalidParameter as error:
            told = [Problem(f"row {number}.{one.name}", one.value, one.rule) for one in error.problems]
            raise InvalidParameter(*told) from error
        _, links = found.setdefault(path.key, {}).setdefault(path.below, (row.get("description", ""), []))
        links.append(link)
    return {
        key: [
            Gs1Entity(below=below, description=description, links=with_defaults(Gs1Entity(links=links).links))
            for below, (description, links) in places.items()
        ]
        for key, places in found.items()
    }
