"""GS1 links in files: linksets (RFC 9264) of ours and of other resolvers, and tables with a row per link."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Any

from qrkit.contents.gs1_paths import Gs1Path, gs1_path, gs1_path_in
from qrkit.errors import InvalidParameter, Problem, UnreadableFile, renaming
from qrkit.model import plain
from qrkit.tracking.gs1_choosing import filled
from qrkit.tracking.gs1_entities import Gs1Entity, full_type, with_defaults

Described = dict[str, list[Gs1Entity]]
"""Entities by the path of their key, such as `01/09506000134352`."""

BESIDE_LINKS = {"anchor", "description", "itemDescription", "qualifiers", "defaultLinktype"}
OF_A_LINK = ("href", "title", "type", "hreflang", "context", "fwqs")
MOST_ANCHORS = 1_000_000
LINK_COLUMNS = ("anchor", "description", "linkType", "href", "title", "type", "hreflang", "context", "fwqs")
REQUIRED = ("anchor", "linkType", "href", "title")
SEVERAL = ("hreflang", "context")
_TEMPLATE = re.compile(r"\{[^{}]*\}")
"""What stands for all values of a qualifier."""


def linkset(base: str, levels: Iterable[tuple[Gs1Path, Gs1Entity]], *, templates: bool = False) -> dict[str, Any]:
    """Return the linkset of a path: an object for each level of it that has links, the nearest first.

    The base is what addresses begin with, without a slash at the end. With `templates`, addresses keep what stands for
    a value, such as `{21}`.
    """
    return {"linkset": [_anchored(base, path, entity, templates=templates) for path, entity in levels]}


def _anchored(base: str, path: Gs1Path, entity: Gs1Entity, *, templates: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"anchor": f"{base}/{path}", "description": entity.description}
    for link in entity.links:
        written = {name: value for name, value in plain(link).items() if name in OF_A_LINK}
        found.setdefault(full_type(link.link_type), []).append(
            written | {"href": link.href if templates else filled(link.href, path)}
        )
    return found


def read_linkset(text: str | bytes) -> Described:
    """Read the linksets of entities of one or many keys, as we write them, or as the Community Edition of GS1 does."""
    try:
        anchored = list(islice(_objects(json.loads(text)), MOST_ANCHORS + 1))
    except (ValueError, RecursionError) as error:
        raise InvalidParameter(Problem("linkset", None, f"is not JSON: {error}")) from error
    if not 0 < len(anchored) <= MOST_ANCHORS:
        rule = f'must be an object with a list "linkset" of 1..{MOST_ANCHORS:,} objects, each with an "anchor"'
        raise InvalidParameter(Problem("linkset", None, rule))
    found: Described = {}
    for number, one in enumerate(anchored):
        with renaming(f"linkset.{number}.{{}}".format):
            path, names = _path_of(one)
            links = [_renamed(link, names) for link in _links(one)]
            description = one.get("description", one.get("itemDescription", ""))
            entity = Gs1Entity.from_fields({"below": path.below, "description": description, "links": links})
            default = str(one.get("defaultLinktype") or "")
            entity = entity.model_copy(update={"links": with_defaults(entity.links, default)})
        found.setdefault(path.key, []).append(entity)
    return found


def _objects(given: Any, around: Mapping[str, Any] = MappingProxyType({})) -> Iterator[Mapping[str, Any]]:
    """Yield the objects with an anchor, with what the objects around them say of all in them."""
    for one in given if isinstance(given, list) else [given]:
        if not isinstance(one, Mapping):
            continue
        known = {**around, **{name: one[name] for name in ("qualifiers", "defaultLinktype") if one.get(name)}}
        if "anchor" in one:
            yield {**known, **one}
        for name in ("linkset", "data"):
            if isinstance(one.get(name), list) and "anchor" not in one:
                yield from _objects(one[name], known)


def _path_of(one: Mapping[str, Any]) -> tuple[Gs1Path, dict[str, str]]:
    """Return the path of an anchor, and the application identifiers of the names that stand for all values.

    The Community Edition writes qualifiers beside the anchor, and as the value of one that stands for all, any name:
    `{"21": "{serialnumber}"}`.
    """
    try:
        elements = list(gs1_path_in(str(one["anchor"])).elements)
    except InvalidParameter as error:
        raise InvalidParameter(Problem("anchor", one["anchor"], error.problems[0].rule)) from error
    beside_anchor = one.get("qualifiers") or []
    if not isinstance(beside_anchor, list) or not all(isinstance(one, Mapping) for one in beside_anchor):
        raise InvalidParameter(Problem("qualifiers", beside_anchor, "must be a list of objects"))
    elements += [(str(number), str(value)) for beside in beside_anchor for number, value in beside.items()]
    names = {value[1:-1]: number for number, value in elements if _TEMPLATE.fullmatch(value)}
    elements = [(number, f"{{{number}}}" if _TEMPLATE.fullmatch(value) else value) for number, value in elements]
    return gs1_path(tuple(elements), stands_for_all=True), names


def _links(one: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the links of an anchor, from members called by their types or from the list of the Community Edition."""
    for name, links in one.items():
        if name in BESIDE_LINKS:
            continue
        links = [links] if isinstance(links, Mapping) else links
        if not isinstance(links, list) or not all(isinstance(link, Mapping) for link in links):
            raise InvalidParameter(Problem(name, links, "must be a list of links"))
        for link in links:
            if link.get("public") is False:
                raise InvalidParameter(
                    Problem(f"{name}.public", link["public"], "is not possible: all links are public")
                )
            kept = {key: value for key, value in link.items() if key not in ("public", "linktype")}
            yield {"linkType": link.get("linktype") if name == "links" else name, **kept}


def _renamed(link: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Write `{21}` for a name of the Community Edition that stands for all serial numbers, and so on."""
    href = str(link.get("href", ""))
    for name, number in names.items():
        href = href.replace(f"{{{name}}}", f"{{{number}}}")
    return link | {"href": href}


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
    """Read a table of links, in which the first link of an anchor is its default, unless a row says otherwise."""
    from qrkit.exchange.sheets import sheet_of

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
