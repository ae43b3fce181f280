"""What a GS1 resolver knows of a product, place or thing: links of several types, for it and for its lots and items.

The words are those of the GS1-Conformant Resolver Standard 1.2 and of RFC 9264 (linksets).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from qrkit.contents.addresses import location_of
from qrkit.contents.single_lines import matching
from qrkit.design.limits import Length, Most
from qrkit.errors import InvalidParameter, Problem, nearest
from qrkit.model import UNLESS_EMPTY, Model, broken

__all__ = [
    "DEFAULT", "DEFAULTS", "MULTI", "VOCABULARY", "GivenEntities", "Gs1Entities", "Gs1Entity", "Gs1Link", "entities_of",
    "full_type", "known_type", "labels", "short_type", "with_defaults",
]  # fmt: skip

VOCABULARY = "https://ref.gs1.org/voc/"
PREFIXES = ("gs1:", VOCABULARY, "https://gs1.org/voc/", "http://gs1.org/voc/", "https://www.gs1.org/voc/")
"""How GS1's own types of links begin; all are the same."""
DEFAULT, MULTI = "gs1:defaultLink", "gs1:defaultLinkMulti"
DEFAULTS = (DEFAULT, MULTI)
"""Types that say where a request leads that asks for no type."""
MOST_LINKS = 100
MOST_ENTITIES = 1_000
"""A key with its lots and items; what differs only in a number takes one entity, with `{21}` in its links."""
FEWEST_MULTI = 2


@cache
def labels() -> dict[str, str]:
    """Return the label of each type of link in the GS1 Web Vocabulary by its short name, such as `gs1:pip`."""
    text = files("qrkit.tracking").joinpath("gs1_link_types.csv").read_text(encoding="utf-8")
    return {f"gs1:{row['name']}": row["label"] for row in csv.DictReader(text.splitlines())}


def known_type(text: str) -> str:
    """Return a type of link as we write it: `gs1:pip`, or the full address of a type of another vocabulary.

    Raises:
        PydanticCustomError: If GS1's vocabulary has no such type, or the text is no address.
    """
    name = short_type(text)
    if name.startswith("gs1:") and name not in labels():
        raise broken(f"is not a type of link; {nearest(name, labels())}")
    if not name.startswith("gs1:") and not _is_web_address(name):
        raise broken("must be a type of the GS1 Web Vocabulary, such as gs1:pip, or a web address")
    return name


def short_type(text: str) -> str:
    """Return the short name of a type of GS1, such as `gs1:pip`, however it is written; anything else unchanged."""
    beginning = next(filter(text.startswith, PREFIXES), "")
    return f"gs1:{text.removeprefix(beginning)}" if beginning or "/" not in text else text


def full_type(name: str) -> str:
    """Return the full address of a type of link, as it is written in linksets."""
    return VOCABULARY + name.removeprefix("gs1:") if name.startswith("gs1:") else name


def _href(text: str) -> str:
    """Keep an address as it is written, because it is compared letter by letter."""
    if not _is_web_address(text.replace("{", "").replace("}", "")):
        raise broken("must be a web address in ASCII, such as https://example.com/manual")
    if set("{}") & set(urlsplit(text).netloc):
        raise broken("must name its host, which a visitor must not choose")
    return text


def _is_web_address(text: str) -> bool:
    return text.isascii() and text.lower().startswith(("https://", "http://")) and location_of(text) is not None


def _listed(value: Any) -> Any:
    return (value,) if isinstance(value, str) and value else () if value in (None, "") else value


_Language = Annotated[str, matching(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}", "must be a language such as en or en-GB")]
_Context = Annotated[str, Length(1, 100)]
_MediaType = Annotated[
    str, matching(r"|[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+", "must be a media type, such as text/html")
]


class Gs1Link(Model):
    """A link of a GS1 entity.

    In its address, `{21}` stands for the serial number that was asked for, and so on with other application
    identifiers.
    """

    href: Annotated[str, Length(8, 2_048), AfterValidator(_href)] = Field(description="The target: a web address.")
    link_type: Annotated[str, AfterValidator(known_type)] = Field(
        description="The kind of target: a type of the GS1 Web Vocabulary, such as `gs1:pip` for product information."
    )
    title: Annotated[str, Length(1, 500)] = Field(description="The text of the link.")
    type: Annotated[_MediaType, UNLESS_EMPTY] = Field(
        default="", description="The media type of the target, such as `text/html`."
    )
    hreflang: Annotated[tuple[_Language, ...], BeforeValidator(_listed), Most(0, MOST_LINKS), UNLESS_EMPTY] = Field(
        default=(), description="The languages of the target."
    )
    context: Annotated[tuple[_Context, ...], BeforeValidator(_listed), Most(0, MOST_LINKS), UNLESS_EMPTY] = Field(
        default=(), description="Whom it is for, often a country, as `?context=` says."
    )
    fwqs: bool = Field(
        default=True, description="Whether the query of a request is passed on.", exclude_if=lambda one: one
    )


class Gs1Entity(Model):
    """A product, place or thing, or one of its lots or items, with its links."""

    below: Annotated[str, Length(0, 500)] = Field(
        default="", description="Its qualifiers below the key, such as `10/ABC`, or `21/{21}` for all serial numbers."
    )
    description: Annotated[str, Length(0, 1_000)] = Field(default="", description="What it is, for people.")
    links: Annotated[tuple[Gs1Link, ...], Most(1, MOST_LINKS)] = Field(description="Its links.")

    def of(self, name: str) -> list[Gs1Link]:
        """Return the links of a type."""
        return [link for link in self.links if link.link_type == name]


def _whole(entities: tuple[Gs1Entity, ...]) -> tuple[Gs1Entity, ...]:
    """Judge what several entities of a key, or several links of an entity, must be together."""
    if not entities:
        return ()
    by_place = {entity.below: entity for entity in entities}
    if len(by_place) < len(entities):
        raise broken("has two entities of the same qualifiers")
    if "" not in by_place or not by_place[""].of(DEFAULT):
        raise broken(f"needs a {DEFAULT} for the key itself")
    for entity in entities:
        _judge_defaults(entity)
    if by_place[""].of(MULTI):
        for entity in entities:
            if entity.of(DEFAULT) and not entity.of(MULTI):
                # Otherwise the defaults of the key would answer in its place.
                raise broken(f"{entity.below} needs a {MULTI} of its own, because the key has one")
    return tuple(sorted(entities, key=lambda entity: entity.below))


def _judge_defaults(entity: Gs1Entity) -> None:
    place = f"{entity.below}: " if entity.below else ""
    defaults, several = entity.of(DEFAULT), entity.of(MULTI)
    if len(defaults) > 1:
        raise broken(f"{place}must have one {DEFAULT}, not {len(defaults)}; several for languages are {MULTI}")
    others = {link.href for link in entity.links if link.link_type not in DEFAULTS}
    for link in defaults:
        if link.type or link.hreflang or link.context or not link.fwqs:
            raise broken(f"{place}{DEFAULT} must have a title and nothing else")
        if link.href not in others:
            raise broken(f"{place}{DEFAULT} must also be a link of another type, which says what it leads to")
    if several and (len(several) < FEWEST_MULTI or not all(link.hreflang or link.context for link in several)):
        raise broken(f"{place}{MULTI} must be two links or more, each with a language or a context")


@lru_cache(maxsize=4_096)  # the same few products are scanned repeatedly
def entities_of(text: str) -> tuple[Gs1Entity, ...]:
    """Return the entities of stored JSON, which were judged when they were stored."""
    return tuple(
        Gs1Entity.as_stored(entity | {"links": tuple(Gs1Link.as_stored(_fields(link)) for link in entity["links"])})
        for entity in json.loads(text)
    )


def _fields(link: dict[str, Any]) -> dict[str, Any]:
    fields = UNSAID | link
    fields["link_type"] = fields.pop("linkType")
    return fields | {"hreflang": tuple(fields["hreflang"]), "context": tuple(fields["context"])}


UNSAID: dict[str, Any] = {"type": "", "hreflang": (), "context": (), "fwqs": True}
"""Fields of a link that are stored only if they have another value."""


def with_defaults(links: Iterable[Gs1Link], default: str = "") -> tuple[Gs1Link, ...]:
    """Return links with a default link, unless they have one: the first of a type, or the first of all.

    Raises:
        InvalidParameter: If no link has the type.
    """
    links = tuple(links)
    if not links or any(link.link_type == DEFAULT for link in links):
        return links
    types = dict.fromkeys(link.link_type for link in links)
    chosen = next(
        (link for link in links if link.link_type == (short_type(default) if default else links[0].link_type)), None
    )
    if chosen is None:
        raise InvalidParameter(Problem("default", default, f"must be the type of one of the links: {', '.join(types)}"))
    return (Gs1Link(href=chosen.href, link_type=DEFAULT, title=chosen.title), *links)


Gs1Entities = Annotated[tuple[Gs1Entity, ...], Most(0, MOST_ENTITIES), AfterValidator(_whole)]
"""The entities of a key: the key's own first, then those of its qualifiers."""
GivenEntities = Sequence[Gs1Entity | Mapping[str, Any]]
"""Entities as they are given."""
