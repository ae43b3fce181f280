"""Chooses among the links of a GS1 entity what a request gets (GS1-Conformant Resolver Standard 1.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from urllib.parse import quote

from qrkit.contents.gs1_paths import Gs1Path
from qrkit.tracking.gs1_entities import DEFAULTS, Gs1Entity, Gs1Link


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a request asks for: languages and media types, most wanted first; "" is the default type, or any context."""

    link_type: str = ""
    languages: Sequence[str] = ()
    types: Sequence[str] = ()
    context: str = ""


def levels_of(entities: Sequence[Gs1Entity], path: Gs1Path) -> list[tuple[Gs1Path, Gs1Entity]]:
    """Return the entities of a path, the nearest first: of the item, its lot, its variant and its key."""
    by_place = {entity.below: entity for entity in entities}
    found = []
    for level in path.levels():
        # A lot of its own comes before all lots, and an item of its own before all items.
        ways = product(*([element, (element[0], f"{{{element[0]}}}")] for element in level.elements[1:]))
        found += [(level, by_place[place]) for way in ways if (place := str(Gs1Path(way))) in by_place][:1]
    return found


def choose(levels: Sequence[tuple[Gs1Path, Gs1Entity]], wishes: Wishes) -> list[Gs1Link]:
    """Return the link that a request gets; several if they fit alike, none if there is none of the type.

    Without a type, the default link of the nearest level that has one competes with the defaults for languages and
    contexts, of which it has none.
    """
    names = (wishes.link_type,) if wishes.link_type else DEFAULTS
    found = [link for name in names for link in _nearest(levels, name)]
    if len(found) == 1:
        return found
    fits = [_fit(link, wishes) for link in found]
    return [link for link, fit in zip(found, fits, strict=True) if fit == max(fits)]


def _nearest(levels: Sequence[tuple[Gs1Path, Gs1Entity]], name: str) -> list[Gs1Link]:
    return next((found for _, entity in levels if (found := entity.of(name))), [])


def _fit(link: Gs1Link, wishes: Wishes) -> tuple[float, ...]:
    """Tell how well a link fits, for comparison: first what was asked for, then what was not and should be open."""
    asked = [
        ([wishes.context] if wishes.context else [], link.context),
        (wishes.languages, link.hreflang),
        (wishes.types, [link.type] if link.type else []),
    ]
    return (
        *(_rank(wanted, offered) for wanted, offered in asked if wanted),
        *(float(not offered) for wanted, offered in asked if not wanted),
    )


def _rank(wanted: Sequence[str], offered: Sequence[str]) -> float:
    """Rank what a link offers: over 1 for what is wanted, the more so the earlier; 1 for a link open to all; else 0."""
    if not offered:
        return 1
    names = [one.lower() for one in offered]
    for place, want in enumerate(one.lower() for one in wanted):
        if want in names:
            return 2 - place / len(wanted)
        if any(_includes(want, name) or _includes(name, want) for name in names):
            return 2 - (place + 0.5) / len(wanted)
    return 0


def _includes(wider: str, narrower: str) -> bool:
    """Whether a language includes one with a region, or `text/*` a media type."""
    return narrower.startswith(f"{wider}-") or (wider.endswith("/*") and narrower.startswith(wider[:-1]))


def filled(href: str, path: Gs1Path) -> str:
    """Return the address of a link with the values of a path in place of `{21}` and the like; others are left out.

    So is a value of dots alone, with which a visitor could leave the folder of the link.
    """
    values = {number: value for number, value in path.elements if value.strip(".")}
    return re.sub(r"\{([0-9]{2,4})\}", lambda match: quote(values.get(match[1], ""), safe=""), href)
