"""Linksets (RFC 9264): how links of GS1 entities are written for programs, and read from other resolvers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any

from qrkit.contents.gs1_paths import Gs1Path, gs1_path, gs1_path_in
from qrkit.errors import InvalidParameter, Problem, renaming
from qrkit.model import plain
from qrkit.tracking.gs1_choosing import filled
from qrkit.tracking.gs1_entities import Gs1Entity, full_type, with_defaults

Described = dict[str, list[Gs1Entity]]
"""Entities by the path of their key, such as `01/09506000134352`."""

BESIDE_LINKS = {"anchor", "description", "itemDescription", "qualifiers", "defaultLinktype"}
OF_A_LINK = ("href", "title", "type", "hreflang", "context", "fwqs")
MOST_ANCHORS = 1_000_000
_TEMPLATE = re.compile(r"\{[^{}]*\}")
"""What stands for all values of a qualifier."""


def linkset(base: str, levels: Iterable[tuple[Gs1Path, Gs1Entity]], *, templates: bool = False) -> dict[str, Any]:
    """Return the linkset of a path: an object for each level of it that has links, the nearest first.

    Args:
        base: What the addresses of the resolver begin with, without a slash at the end.
        levels: The levels and their entities, as `levels_of` returns them.
        templates: Whether addresses keep what stands for a value, such as `{21}`.
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
    """Read the linksets of entities of one or many keys, as we write them, or as the Community Edition of GS1 does.

    Raises:
        InvalidParameter: If the text is no linkset, or an anchor or a link breaks a rule.
    """
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
    if not isinstance(beside_anchor, list):
        raise InvalidParameter(Problem("qualifiers", beside_anchor, "must be a list of objects"))
    for beside in beside_anchor:
        elements += [(str(number), str(value)) for number, value in _object(beside).items()]
    names = {value[1:-1]: number for number, value in elements if _TEMPLATE.fullmatch(value)}
    elements = [(number, f"{{{number}}}" if _TEMPLATE.fullmatch(value) else value) for number, value in elements]
    return gs1_path(tuple(elements), stands_for_all=True), names


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidParameter(Problem("qualifiers", value, "must be a list of objects"))
    return value


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
