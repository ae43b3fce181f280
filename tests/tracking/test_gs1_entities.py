"""What the links of a GS1 entity must be, and which of them a request gets."""

import pytest

from qrkit.contents.gs1_paths import gs1_path_in, read_gs1_path
from qrkit.errors import InvalidParameter
from qrkit.tracking.gs1_choosing import Wishes, choose, filled, levels_of
from qrkit.tracking.gs1_entities import Gs1Entity, Gs1Link, known_type, with_defaults
from qrkit.tracking.records import QRCode

GTIN = "01/09506000134352"


def link(href, name="gs1:pip", **fields):
    return Gs1Link(href=f"https://shop.example/{href}", link_type=name, title=href, **fields)


def entity(*links, below=""):
    return Gs1Entity(below=below, links=with_defaults(links))


def code(*entities):
    return QRCode(id="0" * 32, name="Rice", content="https://shop.example", created="2026-01-01", gs1=entities)


def led(entities, path=GTIN, **wishes):
    """Return where a request leads: the ends of addresses."""
    found = choose(levels_of(entities, read_gs1_path(path)), Wishes(**wishes))
    return [one.href.rpartition("/")[2] for one in found]


@pytest.mark.parametrize(
    "text",
    ["gs1:pip", "pip", "https://ref.gs1.org/voc/pip", "https://gs1.org/voc/pip", "https://www.gs1.org/voc/pip"],
)
def test_a_type_has_one_name(text):
    assert known_type(text) == "gs1:pip"


def test_types_of_other_vocabularies_stay():
    assert known_type("https://schema.org/review") == "https://schema.org/review"


def test_an_unknown_type_is_named_with_the_nearest():
    with pytest.raises(InvalidParameter, match="did you mean 'gs1:recallStatus'"):
        link("x", "gs1:recalStatus")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"href": "ftp://x.example"}, "href.*must be a web address"),
        ({"href": "javascript:alert(1)"}, "href.*must be a web address"),
        ({"href": "https://shop.example{21}/item"}, "href.*must name its host"),
        ({"title": ""}, "title.*must not be empty"),
        ({"type": "html"}, "type.*must be a media type"),
        ({"hreflang": "german"}, "hreflang.*must be a language"),
    ],
)
def test_a_wrong_field_is_named(fields, told):
    with pytest.raises(InvalidParameter, match=told):
        Gs1Link.from_fields({"href": "https://a.example", "linkType": "gs1:pip", "title": "A"} | fields)


def test_an_address_is_kept_letter_by_letter():
    href = "HTTPS://Shop.example:443/A%2fb/?Q=%7e&serial={21}#x"
    assert Gs1Link(href=href, link_type="gs1:pip", title="A").href == href


def test_one_link_of_the_others_is_the_default():
    links = with_defaults([link("a"), link("b", "gs1:epil")], "gs1:epil")
    assert [(one.link_type, one.href[-1]) for one in links] == [
        ("gs1:defaultLink", "b"), ("gs1:pip", "a"), ("gs1:epil", "b"),
    ]  # fmt: skip


DE, FR = {"hreflang": "de"}, {"hreflang": "fr"}
MULTI = [link("de", "gs1:defaultLinkMulti", **DE), link("fr", "gs1:defaultLinkMulti", **FR)]


@pytest.mark.parametrize(
    ("entities", "told"),
    [
        ([entity(link("a")), entity(link("b"))], "two entities of the same qualifiers"),
        ([entity(link("a"), below="10/A")], "needs a gs1:defaultLink for the key itself"),
        (
            [entity(link("a"), link("a", "gs1:defaultLink"), link("b", "gs1:defaultLink"))],
            "must have one gs1:defaultLink",
        ),
        ([entity(link("a"), link("a", "gs1:defaultLink", **DE))], "must have a title and nothing else"),
        ([entity(link("a"), link("b", "gs1:defaultLink"))], "must also be a link of another type"),
        ([entity(link("a"), MULTI[0])], "must be two links or more"),
        ([entity(link("a"), MULTI[0], link("x", "gs1:defaultLinkMulti"))], "each with a language or a context"),
        ([entity(link("a"), *MULTI), entity(link("b"), below="10/A")], "10/A needs a gs1:defaultLinkMulti of its own"),
    ],
)
def test_what_a_resolver_cannot_serve_is_refused(entities, told):
    with pytest.raises(InvalidParameter, match=told):
        code(*entities)


def test_a_request_without_wishes_gets_the_default_of_the_nearest_level():
    known = [entity(link("rice")), entity(link("recall", "gs1:recallStatus"), below="10/BAD")]
    assert led(known) == ["rice"]
    assert led(known, f"{GTIN}/10/GOOD/21/7") == ["rice"]
    assert led(known, f"{GTIN}/10/BAD") == led(known, f"{GTIN}/10/BAD/21/7") == ["recall"]


def test_a_type_is_looked_for_on_all_levels():
    known = [entity(link("rice"), link("leaflet", "gs1:epil")), entity(link("lot"), below="10/A")]
    assert led(known, f"{GTIN}/10/A", link_type="gs1:pip") == ["lot"]
    assert led(known, f"{GTIN}/10/A", link_type="gs1:epil") == ["leaflet"]
    assert led(known, f"{GTIN}/10/A", link_type="gs1:review") == []


def test_defaults_for_languages_answer_who_speaks_them():
    known = [entity(link("all"), *MULTI)]
    assert led(known) == ["all"]
    assert led(known, languages=["de-at", "fr"]) == ["de"]
    assert led(known, languages=["fr", "de"]) == ["fr"]
    assert led(known, languages=["ja"]) == ["all"]


MANY = [
    entity(
        link("open"), link("html-de", type="text/html", **DE), link("html-fr", type="text/html", **FR),
        link("pdf-de", type="application/pdf", **DE), link("json", type="application/json"),
        link("si", context="SI"), link("html-de-at", type="text/html", hreflang=["de-AT", "de-CH"]),
    )
]  # fmt: skip


@pytest.mark.parametrize(
    ("wishes", "found"),
    [
        ({}, ["open"]),
        ({"types": ["application/json"]}, ["json"]),
        ({"types": ["application/pdf"], "languages": ["de"]}, ["pdf-de"]),
        ({"types": ["text/html"], "languages": ["de"]}, ["html-de"]),
        ({"types": ["text/*"], "languages": ["fr"]}, ["html-fr"]),
        ({"types": ["text/html"], "languages": ["de-at", "de"]}, ["html-de-at"]),
        ({"context": "si"}, ["si"]),
        ({"context": "DE"}, ["open"]),
        ({"languages": ["ja"]}, ["open"]),
    ],
)
def test_of_several_links_the_one_that_fits_best_answers(wishes, found):
    assert led(MANY, link_type="gs1:pip", **wishes) == found


def test_links_that_fit_alike_are_all_offered():
    known = [entity(link("a", "gs1:certificationInfo"), link("b", "gs1:certificationInfo"))]
    assert led(known, link_type="gs1:certificationInfo") == ["a", "b"]


def test_each_link_is_found_by_what_it_says_of_itself():
    for one in MANY[0].links[1:]:
        wishes = {
            "types": [one.type] if one.type else [],
            "languages": one.hreflang[:1],
            "context": "".join(one.context),
        }
        assert led(MANY, link_type="gs1:pip", **wishes) == [one.href.rpartition("/")[2]]


def test_one_entity_stands_for_all_serial_numbers():
    known = [entity(link("rice")), Gs1Entity(below="21/{21}", links=with_defaults([link("item?serial={21}&lot={10}")]))]
    path = read_gs1_path(f"{GTIN}/21/a%2Fb")
    levels = levels_of(known, path)
    assert [str(level) for level, _ in levels] == [f"{GTIN}/21/a%2Fb", GTIN]
    assert filled(choose(levels, Wishes())[0].href, path) == "https://shop.example/item?serial=a%2Fb&lot="


@pytest.mark.parametrize(
    ("path", "found"), [("10/A/21/7", "own"), ("10/A/21/8", "lot A"), ("10/B/21/7", "all 7"), ("10/B/21/8", "all")]
)
def test_values_of_its_own_come_before_all_values(path, found):
    places = {"10/A/21/7": "own", "10/A/21/{21}": "lot A", "10/{10}/21/7": "all 7", "10/{10}/21/{21}": "all"}
    entities = [Gs1Entity(below=below, description=name, links=[link("a")]) for below, name in places.items()]
    levels = levels_of(entities, read_gs1_path(f"{GTIN}/{path}"))
    assert [entity.description for _, entity in levels] == [found]


def test_a_key_stands_for_itself_alone():
    with pytest.raises(InvalidParameter, match="must have"):
        gs1_path_in("01/{01}")
