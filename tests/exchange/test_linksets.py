"""Linksets of GS1 entities: ours, and those of other resolvers."""

import json

import pytest

from qrkit.contents.gs1_paths import read_gs1_path
from qrkit.errors import InvalidParameter
from qrkit.exchange.linksets import linkset, read_linkset
from qrkit.tracking.gs1_choosing import levels_of
from qrkit.tracking.gs1_entities import Gs1Entity, Gs1Link, with_defaults

BASE, GTIN = "https://id.shop.example", "01/09506000134352"
LINKS = [
    Gs1Link(
        href="https://shop.example/rice", link_type="gs1:pip", title="Rice", type="text/html", hreflang=["en", "de"]
    ),
    Gs1Link(href="https://shop.example/si?x={21}", link_type="pip", title="Riž", context=["SI"], fwqs=False),
    Gs1Link(href="https://shop.example/review", link_type="https://schema.org/review", title="Reviews"),
]
ENTITIES = [
    Gs1Entity(description="Rice", links=with_defaults(LINKS)),
    Gs1Entity(below="10/A%2FB", links=with_defaults(LINKS[:1])),
]


def test_a_linkset_has_an_object_for_each_level():
    path = read_gs1_path(f"{GTIN}/10/A%2FB/21/7")
    found = linkset(BASE, levels_of(ENTITIES, path))
    assert [one["anchor"] for one in found["linkset"]] == [f"{BASE}/{GTIN}/10/A%2FB", f"{BASE}/{GTIN}"]
    rice = found["linkset"][1]
    assert rice["description"] == "Rice"
    assert rice["https://ref.gs1.org/voc/defaultLink"] == [{"href": "https://shop.example/rice", "title": "Rice"}]
    assert rice["https://ref.gs1.org/voc/pip"] == [
        {"href": "https://shop.example/rice", "title": "Rice", "type": "text/html", "hreflang": ["en", "de"]},
        {"href": "https://shop.example/si?x=", "title": "Riž", "context": ["SI"], "fwqs": False},
    ]
    assert "https://schema.org/review" in rice


def test_what_is_written_is_read_again():
    path = read_gs1_path(f"{GTIN}/10/A%2FB")
    written = json.dumps(
        linkset(BASE, levels_of([ENTITIES[0].replace(links=LINKS[:1] + LINKS[2:]), ENTITIES[1]], path))
    )
    read = read_linkset(written)[GTIN]
    assert {one.below: len(one.links) for one in read} == {"10/A%2FB": 2, "": 3}
    assert next(one for one in read if one.below).links == ENTITIES[1].links


COMMUNITY = {
    "anchor": "/01/09506000134376",
    "itemDescription": "Capsules",
    "defaultLinktype": "gs1:epil",
    "qualifiers": [{"10": "LOT1"}, {"21": "{serialnumber}"}],
    "links": [
        {
            "linktype": "gs1:pip",
            "href": "https://a.example/pip",
            "title": "Page",
            "type": "text/html",
            "hreflang": ["en"],
        },
        {"linktype": "gs1:epil", "href": "https://a.example/?s={serialnumber}", "title": "Leaflet", "context": ["US"]},
    ],
}
"""A record in the form of GS1's Community Edition."""


@pytest.mark.parametrize("given", [COMMUNITY, [COMMUNITY], [{"data": [{"linkset": [COMMUNITY]}]}]])
def test_entries_of_the_community_edition_are_read(given):
    (entity,) = read_linkset(json.dumps(given))["01/09506000134376"]
    assert (entity.below, entity.description) == ("10/LOT1/21/{21}", "Capsules")
    assert [(one.link_type, one.href) for one in entity.links] == [
        ("gs1:defaultLink", "https://a.example/?s={21}"),
        ("gs1:pip", "https://a.example/pip"),
        ("gs1:epil", "https://a.example/?s={21}"),
    ]


def test_qualifiers_around_a_linkset_belong_to_all_in_it():
    inner = {
        "anchor": "https://x.example/01/09506000134376",
        "https://gs1.org/voc/pip": {"href": "https://a.example", "title": "A"},
    }
    given = {"_id": "/01/09506000134376", "qualifiers": [{"10": "LOT"}], "linkset": [inner]}
    assert [one.below for one in read_linkset(json.dumps(given))["01/09506000134376"]] == ["10/LOT"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "must be an object with a list"),
        ({"anchor": "https://x.example/door"}, "linkset.0.anchor.*must be a GTIN, or begin with a GS1 key"),
        ({"anchor": "/01/09506000134353"}, "check digit"),
        ({"anchor": "https://["}, "linkset.0.anchor.*must be a path or a URL"),
        (COMMUNITY | {"qualifiers": 5}, "linkset.0.qualifiers.*must be a list of objects"),
        (COMMUNITY | {"qualifiers": ["10"]}, "linkset.0.qualifiers"),
        (
            COMMUNITY | {"links": [{"linktype": "gs1:pipp", "href": "https://a.example", "title": "A"}]},
            "linkset.0.links.0.linkType.*did you mean",
        ),
        (COMMUNITY | {"links": [{"linktype": "gs1:pip", "href": "https://a.example"}]}, "title"),
        (COMMUNITY | {"links": [COMMUNITY["links"][0] | {"public": False}]}, "all links are public"),
        (COMMUNITY | {"links": [COMMUNITY["links"][0] | {"colour": "red"}]}, "colour"),
        (COMMUNITY | {"other": "text"}, "linkset.0.other.*must be a list of links"),
    ],
)
def test_what_cannot_be_read_is_named(given, told):
    with pytest.raises(InvalidParameter, match=told):
        read_linkset(given if isinstance(given, str) else json.dumps(given))
