"""The resolver of GS1 Digital Links: each row of what the GS1-Conformant Resolver Standard 1.2 asks for."""

import json
from http.client import HTTPConnection
from urllib.parse import parse_qs, urlsplit

import pytest

from qrkit import analytics, open_portfolio
from qrkit.portfolio.access import create_key, local_account
from qrkit.server import Client, Settings, make_app
from tests.server.processes import served

BASE = "https://id.shop.example"
GTIN = "/01/09506000134352"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1"


def link(href, name="gs1:pip", **fields):
    return {"href": f"https://shop.example/{href}", "linkType": name, "title": href, **fields}


LINKS = [
    link("rice", type="text/html", hreflang="en"),
    link("reis", type="text/html", hreflang=["de"]),
    link("rice.json", type="application/json"),
    link("rice-si", context="SI"),
    link("leaflet?a=1#part", "gs1:epil"),
    link("plain", "gs1:instructions", fwqs=False),
    link("oeko", "gs1:certificationInfo"),
    link("fair", "gs1:certificationInfo"),
]


@pytest.fixture(scope="module", params=["", "/id"], ids=["root", "stem"])
def base(request):
    return BASE + request.param


@pytest.fixture(scope="module")
def shop(base):
    with open_portfolio(":memory:", base_url=base) as opened:
        opened.gs1.set(GTIN, links=LINKS, description="Rice")
        opened.gs1.set(f"{GTIN}/10/BAD", links=[link("recall", "gs1:recallStatus")])
        opened.gs1.set(f"{GTIN}/21/{{21}}", links=[link("item/{21}", "gs1:traceability")])
        opened.gs1.set("414/9506000134352", links=[link("place", "gs1:locationInfo")])
        opened.insert_qrcode("https://shop.example/door", short_code="door")
        opened.insert_qrcode("https://shop.example/401", short_code="401")
        yield opened


@pytest.fixture(scope="module")
def client(shop):
    return Client(make_app(shop.store, Settings(base_url=shop.base_url, unknown_codes_a_minute=0)))


@pytest.fixture(scope="module")
def ask(client, base):
    path = base.removeprefix(BASE)

    def ask(link, method="GET", **headers):
        where, _, query = link.partition("?")
        sent = {"Host": "id.shop.example", "User-Agent": PHONE} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return client.request(method, path + where, query=query, headers=sent)

    return ask


KEY_BITS = f"{1:08b}{9506000134352:047b}"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def compressed(bits, *dates):
    """A compressed path that begins with some bits, and has dates by their application identifiers."""
    for number, value in zip(dates[::2], dates[1::2], strict=True):
        bits += f"{int(number, 16):08b}{int(value):020b}"
    bits += "0" * (-len(bits) % 6)
    return "".join(LETTERS[int(bits[at : at + 6], 2)] for at in range(0, len(bits), 6))


def end(reply):
    assert reply.status == 302, reply.text
    return reply.headers["location"].removeprefix("https://shop.example/")


@pytest.mark.parametrize("path", [GTIN, f"{GTIN}/", "/01/9506000134352", f"{GTIN}/10/KL8G", f"{GTIN}/22/A/10/B"])
def test_a_key_leads_to_its_default_link(ask, path):
    assert end(ask(path)) == "rice"


@pytest.mark.parametrize(
    ("path", "where"),
    [
        (f"{GTIN}/10/BAD", "recall"),
        (f"{GTIN}/10/BAD/21/7", "recall"),
        (f"{GTIN}/21/a-b", "item/a-b"),
    ],
)
def test_the_nearest_level_answers(ask, path, where):
    assert end(ask(path)) == where


@pytest.mark.parametrize(
    "name",
    [
        "gs1:epil",
        "epil",
        "https://ref.gs1.org/voc/epil",
        "https://gs1.org/voc/epil",
        "https%3A%2F%2Fwww.gs1.org%2Fvoc%2Fepil",
    ],
)
def test_a_type_is_asked_for_by_any_of_its_names(ask, name):
    assert end(ask(f"{GTIN}/10/BAD?linkType={name}")) == "leaflet?a=1#part"


def test_a_type_that_no_level_has_is_not_found(ask):
    reply = ask(f"{GTIN}?linkType=gs1:review")
    assert reply.status == 404
    assert "gs1:review" in reply.text
    assert ask(f"{GTIN}?linkType=gs1:nosuchlt").status == 404


@pytest.mark.parametrize(
    ("headers", "query", "where"),
    [
        ({"Accept_Language": "de-AT,de;q=.9,en;q=.5"}, "", "reis"),
        ({"Accept_Language": "ja"}, "", "rice.json"),
        ({"Accept": "application/json"}, "", "rice.json"),
        ({"Accept": "text/html", "Accept_Language": "en"}, "", "rice"),
        ({}, "&context=SI", "rice-si"),
        ({}, "", "rice.json"),
        ({}, "&context=HR", "rice.json"),
        ({"Accept": "undefined"}, "", "rice.json"),
    ],
)
def test_languages_media_types_and_contexts_choose(ask, headers, query, where):
    assert end(ask(f"{GTIN}?linkType=gs1:pip{query}", **headers)) == where


def test_links_that_fit_alike_are_listed(ask):
    reply = ask(f"{GTIN}?linkType=gs1:certificationInfo")
    assert (reply.status, reply.headers["content-type"]) == (300, "application/linkset+json")
    assert {"href": "https://shop.example/fair", "title": "fair"} in reply.json()["linkset"][0][
        "https://ref.gs1.org/voc/certificationInfo"
    ]
    page = ask(f"{GTIN}?linkType=gs1:certificationInfo", Accept="text/html")
    assert page.status == 300
    assert "https://shop.example/oeko" in page.text
    assert "https://shop.example/reis" not in page.text


def assert_is_linkset(reply, *anchors):
    assert (reply.status, reply.headers["content-type"]) == (200, "application/linkset+json")
    assert "Accept" in reply.headers["vary"]
    found = reply.json()["linkset"]
    assert [one["anchor"] for one in found] == list(anchors)
    for one in found:
        assert isinstance(one.pop("description"), str)
        one.pop("anchor")
        for name, links in one.items():
            assert name.startswith("https://ref.gs1.org/voc/")
            assert all(
                {"href", "title"} <= each.keys() <= {"href", "title", "type", "hreflang", "context", "fwqs"}
                for each in links
            )


@pytest.mark.parametrize("query", ["?linkType=linkset", "?linkType=all"])
def test_all_links_are_asked_for_by_a_parameter(ask, base, query):
    assert_is_linkset(ask(f"{GTIN}{query}"), f"{base}{GTIN}")


def test_all_links_are_asked_for_by_a_media_type(ask, base):
    reply = ask(f"{GTIN}/10/BAD/21/7", Accept="application/linkset+json")
    assert_is_linkset(reply, f"{base}{GTIN}/10/BAD", f"{base}{GTIN}")
    assert 'rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"' in reply.headers["link"]


def test_people_get_all_links_as_a_page_in_their_language(ask):
    page = ask(f"{GTIN}?linkType=linkset", Accept="text/html", Accept_Language="de")
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert '<html lang="de">' in page.text
    assert "Rice" in page.text
    assert page.text.count('href="https://shop.example/rice"') == 1


def test_a_browser_is_led_on_without_a_type(ask):
    assert end(ask(GTIN, Accept="text/html,application/xhtml+xml,*/*;q=0.8")) == "rice"


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_every_method_has_the_same_headers(ask, base, method):
    reply = ask(f"{GTIN}/10/BAD", method, Origin="https://gs1.org", Access_Control_Request_Method="GET")
    assert reply.status == (204 if method == "OPTIONS" else 302)
    assert reply.headers["access-control-allow-origin"] == "*"
    assert reply.headers["access-control-allow-methods"] == "GET, HEAD, OPTIONS"
    linked = f'<{base}{GTIN}/10/BAD?linkType=linkset>; rel="linkset"; type="application/linkset+json"'
    assert reply.headers["link"].startswith(linked)
    assert "shop.example/recall" not in reply.headers["link"]


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ("?foo=bar", "rice?foo=bar"),
        ("?b=2&a=%C3%A9&17=271231", "rice?b=2&a=%C3%A9&17=271231"),
        ("?linkType=gs1:epil&x=y&context=SI", "leaflet?a=1&x=y#part"),
        ("?linkType=gs1:instructions&x=y", "plain"),
    ],
)
def test_the_query_is_passed_on(ask, query, where):
    assert end(ask(f"{GTIN}{query}")) == where


@pytest.mark.parametrize(
    "path",
    [
        f"{GTIN}/foo", "/01/09506000134353", "/01/123", f"{GTIN}/21/7/10/A", f"{GTIN}/10", f"{GTIN}?17=27133",
        f"{GTIN}?9999=1", "/414/9506000134352/10/A", f"{GTIN}/10/" + "A" * 21,
    ],
)  # fmt: skip
def test_a_malformed_link_is_refused(ask, path):
    reply = ask(path)
    assert reply.status == 400
    assert reply.json()["detail"]


@pytest.mark.parametrize(
    "query",
    ["37=12", "4321=7", "7252=3", "4307=at", "8001=00000025003011", "4301=J%25c3%25bcrg", "8011=012", "17=271331"],
)
def test_a_printed_link_with_values_that_gs1_does_not_know_leads_on(ask, query):
    assert ask(f"{GTIN}?{query}").status == ask(GTIN).status == 302


def test_a_malformed_query_is_told_by_its_parameter(ask):
    assert ask(f"{GTIN}?17=27133").json()["detail"].startswith("17='27133': ")


def test_an_unknown_key_is_not_found(ask):
    assert ask("/01/09506000134369").status == 404


def test_the_resolver_describes_itself(ask, base):
    reply = ask("/.well-known/gs1resolver", Origin="https://gs1.org")
    assert reply.headers["access-control-allow-origin"] == "*"
    found = reply.json()
    assert found["resolverRoot"] == base
    assert "01" in found["supportedPrimaryKeys"]
    assert "416" not in found["supportedPrimaryKeys"]


@pytest.mark.parametrize("path", ["/ARFKk4XBoA", "/ARFKk4XBoCCHV4LoRv5CCCaQ", "/GhFKk4XBoIdXiEb-CCaQ"])
def test_compressed_links_are_read(ask, base, path):
    reply = ask(path)
    assert end(reply).partition("?")[0] in ("rice", "item/1234")
    assert f"<{base}{GTIN}" in reply.headers["link"]
    assert 'rel="owl:sameAs"' in reply.headers["link"]


def test_what_else_is_compressed_is_passed_on(ask, base):
    reply = ask("/" + compressed(KEY_BITS, "17", "271231"))
    assert end(reply) == "rice?17=271231"
    assert f'<{base}{GTIN}?17=271231>; rel="owl:sameAs"' in reply.headers["link"]


def test_a_compressed_lot_without_a_key_is_no_link(ask):
    assert ask("/" + compressed("", "17", "271231", "11", "261231")).status == 404


def test_foreign_queries_and_paths_are_bounded(ask):
    assert ask(f"{GTIN}?" + "&".join(f"a{n}=1" for n in range(2_000))).status == 302
    assert ask("/01" + "/%2F" * 2_000).status == 400


def test_short_codes_beside_keys_stay_what_they_are(ask):
    assert end(ask("/door")) == "door"
    assert end(ask("/401")) == "401"
    assert end(ask("/401/a-tail")) == "401"
    assert end(ask("/414/9506000134352")) == "place"


def test_the_picture_of_a_key_is_there(ask):
    assert ask(f"{GTIN}.png").headers["content-type"] == "image/png"


def test_a_rule_comes_before_the_links_unless_a_type_is_asked_for():
    rule = {"conditions": [{"type": "language", "matchValue": "fr"}], "content": "https://shop.example/fr"}
    with open_portfolio(":memory:", base_url=BASE) as one:
        code = one.gs1.set(GTIN, links=LINKS)
        one.update_qrcode(code.id, rules=[rule])
        asking = Client(make_app(one.store, Settings(base_url=BASE)))
        french = {"Host": "id.shop.example", "User-Agent": PHONE, "Accept-Language": "fr"}
        assert asking.request("GET", GTIN, headers=french).headers["location"] == "https://shop.example/fr"
        found = asking.request("GET", GTIN, query="linkType=gs1:epil", headers=french)
        assert found.headers["location"] == "https://shop.example/leaflet?a=1#part"
        one.update_qrcode(code.id, active=False)
        assert asking.request("GET", GTIN, headers=french).status == 410


def test_records_are_read_and_written_as_linksets():
    with open_portfolio(":memory:", base_url=BASE) as one:
        key = create_key(one.store, local_account(one.store))
        asking = Client(make_app(one.store, Settings(base_url=BASE)))

        def call(method, path, body=b""):
            return asking.request(method, f"/api/v3/gs1{path}", query=f"auth={key}", body=body)

        given = {
            "linkset": [
                {
                    "anchor": f"{BASE}{GTIN}",
                    "description": "Rice",
                    "https://ref.gs1.org/voc/pip": [{"href": "https://shop.example/rice", "title": "Rice"}],
                }
            ]
        }
        set_ = call("PUT", GTIN, json.dumps(given).encode())
        assert (set_.status, set_.json()["shortUrl"]) == (200, f"{BASE}{GTIN}")
        found = call("GET", GTIN).json()
        assert found["linkset"][0]["https://ref.gs1.org/voc/defaultLink"][0]["href"] == "https://shop.example/rice"
        assert call("PUT", GTIN, json.dumps(found).encode()).status == 200
        assert call("GET", GTIN).json() == found
        assert call("PUT", "/01/09506000134369", json.dumps(found).encode()).status == 400
        assert call("PUT", GTIN, b"[]").status == 400
        assert call("DELETE", GTIN).status == 200
        assert call("GET", GTIN).status == 404
        assert asking.request("GET", f"/api/v3/gs1{GTIN}").status == 401


@pytest.mark.slow
def test_values_with_slashes_arrive_over_a_socket(tmp_path):
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path, base_url="http://localhost/id") as one:
        one.gs1.set(GTIN, links=LINKS)
        one.gs1.set(f"{GTIN}/10/A%2FB", links=[link("lot/{10}")])
    with served(path) as (_, url):
        connection = HTTPConnection(urlsplit(url).netloc, timeout=60)
        connection.request("GET", f"/id{GTIN}/10/A%2FB?x=1", headers={"User-Agent": PHONE})
        reply = connection.getresponse()
        assert (reply.status, reply.headers["Location"]) == (302, "https://shop.example/lot/A%2FB?x=1")
        connection.close()


def test_scans_know_lot_serial_number_and_type_of_link(tmp_path):
    with open_portfolio(":memory:", base_url=BASE) as one:
        one.gs1.set(GTIN, links=LINKS)
        asking = Client(make_app(one.store, Settings(base_url=BASE)))

        def scan(path, query="", **headers):
            sent = {"Host": "id.shop.example", "User-Agent": PHONE} | headers
            assert asking.request("GET", path, query=query, headers=sent).status in (200, 302)

        scan(f"{GTIN}/10/A/21/1")
        scan(f"{GTIN}/10/A/21/2")
        scan(f"{GTIN}/10/A/21/2")  # again within two seconds
        scan(f"{GTIN}/10/B", "linkType=gs1:epil")
        scan(GTIN, Accept="application/linkset+json")
        assert rows(one, "lot") == {"A": 2, "B": 1, "unknown": 1}
        assert rows(one, "serial") == {"1": 1, "2": 1, "unknown": 2}
        assert rows(one, "link_type") == {"gs1:epil": 1, "linkset": 1, "unknown": 2}
        assert one.scans.where(lot="A").count() == 2
        assert one.list_qrcodes()[0].scans == 4


def rows(shop, attribute):
    return dict(analytics.scans_by(shop.scans, attribute)[[attribute, "scans"]].to_numpy())


@pytest.fixture
def own():
    """A store whose product asks for IDs of scans, with the function that asks it."""
    with open_portfolio(":memory:", base_url=BASE) as opened:
        here = {"href": f"{BASE}{GTIN}?linkType=gs1:epil", "linkType": "gs1:epil", "title": "Here"}
        item = link("item/{21}/x", "gs1:traceability")
        code = opened.gs1.set(GTIN, links=[link("rice"), here])
        opened.gs1.set(f"{GTIN}/21/{{21}}", links=[item])
        opened.update_qrcode(code.id, click_id="click")
        client = Client(make_app(opened.store, Settings(base_url=BASE)))

        def ask(path, query=""):
            return client.request("GET", path, query=query, headers={"Host": "id.shop.example", "User-Agent": PHONE})

        yield ask


def test_links_of_a_key_have_the_id_of_the_scan_and_none_of_a_visitor(own):
    (value,) = parse_qs(urlsplit(own(GTIN, "click=FORGED").headers["location"]).query)["click"]
    assert value != "FORGED"


def test_a_link_to_itself_is_a_page_and_no_circle(own):
    assert own(GTIN, "linkType=gs1:epil").status == 200


@pytest.mark.parametrize("value", [".", ".."])
def test_an_item_of_dots_stays_in_the_folder_of_its_link(own, value):
    reply = own(f"{GTIN}/21/{value}")
    assert "location" not in reply.headers or urlsplit(reply.headers["location"]).path == "/item//x"
