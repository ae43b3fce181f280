"""Trial moves from four services, each with 200 made-up printed codes in files as the service itself writes them."""

import csv
import json
from io import StringIO
from urllib.parse import quote

import pytest

from qrkit.server import Client, Settings, make_app
from qrkit.visits.redirect import Request
from qrkit.visits.sample_visitors import SAMPLES

GO = "https://go.example.com"
ODD = [
    *("v1.2", "menu.pdf", "logo.png", "a.b/c.d", ".hidden", "x..y", "~me", "a_b", "a-b", "-", "(x)", "it's", "c+c"),
    *("köln", "Größe/XL", "日本", "東京/駅", "кафе", "ελληνικά", "हिन्दी", "ไทย", "Ångström", "ñ", "Ω"),
    *("Door", "door", "DOOR", "Gate/North", "gate/north", "McX", "a/b/c/d/e", "1/2", "docs", "robots", "favicon"),
    *("x" * 64, "y" * 150, "2024", "0", "00", "null", "none", "api2", "summer", "summer/2024/week-1"),
]
NOT_KEPT = ["☕", "100%", "01/04012345678901", "api", "API/v3", ".well-known/x", "robots.txt", "z" * 201]
"""What cannot be a short code, and is named."""
NO_CODES = ["-", "null", "none"]
"""What stands for no short code in a column of short codes, and is named."""
CODES = [
    *ODD,
    *NOT_KEPT,
    *"abcdefghijXYZ123456789",
    *(f"summer/{year}" for year in range(1990, 2020)),
    *(f"Poster{number}" for number in range(40)),
]
CODES += [f"k{number:03}.{number % 7}" for number in range(200 - len(CODES))]


def target(code):
    return "https://example.com/" + code.encode().hex()


def csv_of(rows):
    """Return rows as csv, with a heading of their names."""
    file = StringIO(newline="")
    writer = csv.DictWriter(file, list(rows[0]), quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


def shlink_json(code, **more):
    """shlinkio/shlink 59c62a2c: `ShortUrl.toArray` and `ShortUrlDataTransformer.transform`.

    `ShortUrlStringifier.stringify` does not encode the short code.
    """
    return {
        "shortUrl": f"https://s.test/{code}", "shortCode": code, "longUrl": target(code),
        "dateCreated": "2024-05-01T08:30:00+00:00", "tags": [],
        "meta": {"validSince": None, "validUntil": None, "maxVisits": None} | more.get("meta", {}),
        "domain": None, "title": None, "crawlable": False, "forwardQuery": True,
        "visitsSummary": {"total": 3, "nonBots": 2, "bots": 1}, "hasRedirectRules": more.get("rules", False),
    }  # fmt: skip


def shlink_csv(code):
    """shlinkio/shlink-web-component f7902064: `ExportShortUrlsBtn` and `ReportExporter.exportShortUrls`.

    The short code is the path as the browser encodes it, with the path of the installation.
    """
    short_code = quote(code, safe="/!$'()*+,;=:@%")
    return {
        "createdAt": "2024-05-01T08:30:00+00:00", "domain": "s.test", "shortCode": short_code,
        "shortUrl": f"https://s.test/{code}", "longUrl": target(code), "title": "", "tags": "", "visits": 2,
    }  # fmt: skip


def yourls_json(code):
    """YOURLS/YOURLS b8c7882e: `yourls_get_stats`, whose links are numbered, and `yourls_link`."""
    return {"shorturl": f"https://s.test/{code}", "url": target(code), "title": "", "timestamp": "2024-05-01 08:30:00",
            "ip": "192.0.2.1", "clicks": "2"}  # fmt: skip


def yourls_table(code):
    """YOURLS/YOURLS b8c7882e: the table of `yourls_create_sql_tables`, as a database program writes it."""
    return {"keyword": code, "url": target(code), "title": "", "timestamp": "2024-05-01 08:30:00", "ip": "192.0.2.1",
            "clicks": 2}  # fmt: skip


def kutt_json(code, **more):
    """thedevs-network/kutt fc832d7e: `get` of `links.handler.js`, and `sanitize.link` of `utils.js`."""
    return {
        "id": "7a5f", "address": code, "banned": False, "created_at": "2024-05-01T08:30:00.000Z",
        "updated_at": "2024-05-01T08:30:00.000Z", "password": False, "description": None, "expire_in": None,
        "target": target(code), "visit_count": 2, "domain": None, "link": f"https://s.test/{code}",
    } | more  # fmt: skip


def dub_csv(code):
    """dubinc/dub 1de955f7: `formatLinksForExport` with all of `exportLinksColumns`."""
    return {
        "Short link": f"https://s.test/{code}", "Destination URL": target(code), "Clicks": 2, "Leads": 0,
        "Conversions": 0, "Revenue": 0, "Created at": "2024-05-01T08:30:00.000Z", "Link ID": "link_1",
        "Updated at": "2024-05-01T08:30:00.000Z", "Tags": "", "Archived": "No",
    }  # fmt: skip


def dub_json(code, **more):
    """dubinc/dub 1de955f7: `LinkSchema` of `lib/zod/schemas/links.ts`, which `GET /links` answers with."""
    return {
        "id": "link_1", "domain": "s.test", "key": code, "url": target(code), "archived": False, "expiresAt": None,
        "expiredUrl": None, "disabledAt": None, "password": None, "proxy": False, "title": None, "ios": None,
        "android": None, "geo": None, "tags": [], "comments": None, "shortLink": f"https://s.test/{code}", "clicks": 2,
        "testVariants": None, "createdAt": "2024-05-01T08:30:00.000Z",
    } | more  # fmt: skip


FILES = {
    "Shlink, json": lambda: ({"shortUrls": {"data": [shlink_json(code) for code in CODES]}}, "json"),
    "Shlink, csv": lambda: (csv_of([shlink_csv(code) for code in CODES]), "csv"),
    "YOURLS, json": lambda: (
        {"links": {f"link_{number}": yourls_json(code) for number, code in enumerate(CODES, 1)}}, "json"
    ),
    "YOURLS, table": lambda: (csv_of([yourls_table(code) for code in CODES]), "csv"),
    "Kutt": lambda: ({"total": 200, "limit": 200, "skip": 0, "data": [kutt_json(code) for code in CODES]}, "json"),
    "Dub, csv": lambda: (csv_of([dub_csv(code) for code in CODES]), "csv"),
    "Dub, json": lambda: ([dub_json(code) for code in CODES], "json"),
}  # fmt: skip


def moved(shop, links, format):
    data = links if isinstance(links, bytes) else json.dumps(links).encode()
    return shop.import_file(data, format=format, anyway=False)


@pytest.mark.rule("T19", "X16")
@pytest.mark.parametrize("file", FILES.values(), ids=FILES.keys())
def test_every_printed_code_leads_to_its_own_target_or_is_named(shop, file):
    assert len(CODES) == len(set(CODES)) == 200
    result = moved(shop, *file())
    named = {issue.content for issue in result.issues if issue.reason == "code-unreadable"}
    left = NOT_KEPT + NO_CODES if "keyword" in str(file()[0])[:20] else NOT_KEPT
    assert named == set(map(target, left))
    client = Client(make_app(shop.store, Settings(base_url=GO, unknown_codes_a_minute=0)))
    for code in CODES:
        location = client.get(f"/{code}").headers.get("location")
        assert location == (None if code in left else target(code)), code
    assert (result.created, not result.is_complete) == (200, True)
    assert all(code.scans == 2 for code in shop.list_qrcodes())


TERMS = {"rules", "active", "validSince", "validUntil", "limit", "otherwise", "password"}
IPHONE = SAMPLES["ios"]
PIXEL = SAMPLES["android"]


def condition(kind, value):
    """A condition as `RedirectCondition::jsonSerialize` of Shlink writes it."""
    return {"type": kind, "matchKey": None, "matchValue": value}


CLOSED = {
    "Shlink": [
        shlink_json("a", meta={"validUntil": "2020-01-01T00:00:00+00:00"}),
        shlink_json("b", meta={"validSince": "2030-01-01T00:00:00+00:00"}),
        shlink_json("c", meta={"maxVisits": 5}),
        shlink_json("d", rules=True),
    ],
    "Kutt": [
        kutt_json("a", password=True), kutt_json("b", expire_in="2020-01-01T00:00:00.000Z"),
        kutt_json("c", banned=True),
    ],
    "Dub": [
        dub_json("a", password="x"), dub_json("b", expiresAt="2020-01-01T00:00:00.000Z"),
        dub_json("c", ios="https://apps.example.com"), dub_json("d", geo={"DE": "https://example.de"}),
        dub_json("e", disabledAt="2020-01-01T00:00:00.000Z"),
        dub_json("f", testVariants=[{"url": "https://example.com/b", "percentage": 50}]),
        dub_json(
            "g", testVariants=[{"url": f"https://example.com/{one}", "percentage": 50} for one in "ab"],
            testCompletedAt="2030-01-01T00:00:00.000Z",
        ),
    ],
}  # fmt: skip


KEPT = {
    "Shlink": {"a": {"validUntil"}, "b": {"validSince"}, "c": {"limit"}},
    "Kutt": {"b": {"validUntil"}, "c": {"active"}},
    "Dub": {"b": {"validUntil"}, "c": {"rules"}, "d": {"rules"}, "e": {"active"}, "g": {"rules"}},
}
"""The fields of those that can be kept; the others are left out and named."""


@pytest.mark.rule("X16")
@pytest.mark.parametrize("service", CLOSED)
def test_a_closed_link_of_a_service_stays_closed_or_is_named_and_left_out(shop, service):
    result = moved(shop, CLOSED[service], "json")
    kept = {code.short_code: TERMS & code.model_dump(mode="json", by_alias=True).keys() for code in shop.list_qrcodes()}
    assert kept == KEPT[service]
    assert result.count("invalid") == len(CLOSED[service]) - len(kept)


@pytest.mark.parametrize(
    ("agent", "country", "target"),
    [(IPHONE, "DE", "https://i.example"), (PIXEL, "DE", "https://de.example"), (PIXEL, None, "https://other.example")],
)
def test_links_of_dub_lead_by_device_and_country_in_its_order(shop, agent, country, target):
    link = dub_json("a", url="https://other.example", ios="https://i.example", geo={"DE": "https://de.example"})
    assert moved(shop, [link], "json").is_complete
    request = Request("GET", "a", {"user-agent": agent})
    assert shop.explain("a", request, country=country or "").content == target


@pytest.mark.parametrize("nothing", ["never", "-", "0", "0000-00-00 00:00:00", "none", None, False])
def test_what_stands_for_no_end_and_no_limit_leaves_a_link_open(shop, nothing):
    result = moved(
        shop, [dub_json("a", expiresAt=nothing, disabledAt=nothing), dub_json("b", maxVisits=nothing)], "json"
    )
    assert (result.created, result.count("invalid")) == (2, 0)
    assert all(code.active and not code.valid_until and not code.limit for code in shop.list_qrcodes())


@pytest.mark.rule("X16")
@pytest.mark.parametrize(
    "more", [{"expiresAt": {"at": "2020-01-01"}}, {"maxVisits": {"most": 5}}, {"redirectRules": ["x"]}]
)
def test_terms_that_cannot_be_read_leave_a_link_out_by_name(shop, more):
    result = moved(shop, [dub_json("a", **more)], "json")
    assert (result.created, result.count("invalid")) == (0, 1)


def test_rules_and_a_password_in_a_file_are_kept(shop):
    rules = [
        {"longUrl": "https://two.example", "priority": 2, "conditions": [condition("device", "mobile")]},
        {"longUrl": "https://one.example", "priority": 1, "conditions": [condition("language", "de")]},
    ]
    link = shlink_json("a", rules=True) | {"redirectRules": rules, "password": "open sesame"}
    assert moved(shop, [link], "json").is_complete
    (code,) = shop.list_qrcodes()
    assert [rule.content for rule in code.rules] == ["https://one.example", "https://two.example"]
    assert code.password.startswith("$argon2id$")


@pytest.mark.parametrize(("file", "is_told"), [("Shlink, csv", True), ("Dub, csv", True), ("Shlink, json", False)])
def test_a_file_that_does_not_say_which_links_are_closed_is_told(shop, file, is_told):
    (issue,) = [one for one in moved(shop, *FILES[file]()).issues if one.reason == "limits-unknown"] or [None]
    assert (issue is not None) == is_told
    assert issue is None or "json" in issue.detail


@pytest.mark.rule("T21")
@pytest.mark.parametrize(
    ("link", "is_told"),
    [
        (shlink_json("a") | {"longUrl": "https://a.example/?utm_source=poster"}, True),
        (shlink_json("a") | {"longUrl": "https://a.example/?utm_source=poster", "forwardQuery": False}, False),
        (dub_json("a", url="https://a.example/?utm_source=poster"), True),
        (dub_json("a"), False),
        (kutt_json("a") | {"target": "https://a.example/?utm_source=poster"}, False),
    ],
)
def test_links_whose_parameters_visitors_replaced_are_told(shop, link, is_told):
    result = moved(shop, [link], "json")
    (issue,) = [one for one in result.issues if one.reason == "own-parameters"] or [None]
    assert (issue is not None, result.is_complete) == (is_told, True)
    assert issue is None or "'https://a.example/?utm_source=poster'" in issue.detail
    client = Client(make_app(shop.store, Settings(base_url=GO)))
    found = client.request("GET", "/a", query="utm_source=visitor").headers["location"]
    assert ("visitor" not in found) or not is_told
