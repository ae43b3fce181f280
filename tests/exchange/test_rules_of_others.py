"""Imported rules answer as the tools do from which they come: 80 requests, and what their code says of each.

Shlink is shlinkio/shlink at 59c62a2: `ShortUrlRedirectionResolver::resolveLongUrl` takes the first rule of which
`RedirectCondition::matchesRequest` says yes for all conditions, and the file is what `GET /rest/v3/short-urls` writes,
with the `redirectRules` of each link. Dub is dubinc/dub at 1de955f: `LinkMiddleware` of `lib/middleware/link.ts`, and
the file is what `GET /links` writes.
"""

import json
from datetime import datetime

import pytest

from qrkit import open_portfolio
from qrkit.errors import LeadsNowhere
from qrkit.tracking.records import Place
from qrkit.visits.redirect import Redirects, Request

IOS_17 = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)"
WEBKIT, BLINK = "AppleWebKit/605.1.15 (KHTML, like Gecko)", "AppleWebKit/537.36 (KHTML, like Gecko)"
AGENTS = {
    "iphone": f"{IOS_17} {WEBKIT} Version/17.5 Mobile/15E148 Safari/604.1",
    "ipad": f"Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) {WEBKIT} Version/12.1 Mobile/15E148 Safari/604.1",
    "iphone chrome": f"{IOS_17} {WEBKIT} CriOS/125.0 Mobile/15E148 Safari/604.1",
    "pixel": f"Mozilla/5.0 (Linux; Android 14; Pixel 8) {BLINK} Chrome/125.0.0.0 Mobile Safari/537.36",
    "android firefox": "Mozilla/5.0 (Android 14; Mobile; rv:126.0) Gecko/126.0 Firefox/126.0",
    "old android": "Mozilla/5.0 (Linux; U; Android 4.0.3; de-de; GT-I9100 Build/IML74K) AppleWebKit/534.30 (KHTML, "
    "like Gecko) Version/4.0 Mobile Safari/534.30",
    "edge": f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {BLINK} Chrome/125.0.0.0 Safari/537.36 Edg/125.0.0.0",
    "opera": f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {BLINK} Chrome/125.0.0.0 Safari/537.36 OPR/110.0.0.0",
    "mac": f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {WEBKIT} Version/17.5 Safari/605.1.15",
    "linux": "Mozilla/5.0 (X11; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0",
    "chromebook": f"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {BLINK} Chrome/125.0.0.0 Safari/537.36",
    "unknown": "unknown",
}  # fmt: skip
HOME, THERE = "https://example.com/home", "https://example.com/there"

# Condition (type, matchValue, matchKey), what a request sends, and whether Shlink leads it to the rule's URL.
SHLINK = [
    # `matchesDevice`, `DeviceType::matchFromUserAgent`
    (("device", "ios"), {"agent": "iphone"}, True),
    (("device", "ios"), {"agent": "ipad"}, True),
    (("device", "ios"), {"agent": "pixel"}, False),
    (("device", "android"), {"agent": "pixel"}, True),
    (("device", "android"), {"agent": "iphone"}, False),
    (("device", "android"), {"agent": "unknown"}, False),
    (("device", "mobile"), {"agent": "ipad"}, True),
    (("device", "mobile"), {"agent": "old android"}, True),
    (("device", "mobile"), {"agent": "edge"}, False),
    (("device", "windows"), {"agent": "edge"}, True),
    (("device", "windows"), {"agent": "linux"}, False),
    (("device", "linux"), {"agent": "linux"}, True),
    (("device", "linux"), {"agent": "pixel"}, False),
    (("device", "macos"), {"agent": "mac"}, True),
    (("device", "chromeos"), {"agent": "chromebook"}, True),
    (("device", "desktop"), {"agent": "chromebook"}, True),
    (("device", "desktop"), {"agent": "iphone"}, False),
    # `matchesBrowser`, `Browser::matchFromUserAgent`
    (("browser", "chrome"), {"agent": "pixel"}, True),
    (("browser", "chrome"), {"agent": "iphone chrome"}, True),
    (("browser", "chrome"), {"agent": "edge"}, False),
    (("browser", "firefox"), {"agent": "android firefox"}, True),
    (("browser", "edge"), {"agent": "edge"}, True),
    (("browser", "safari"), {"agent": "iphone"}, True),
    (("browser", "safari"), {"agent": "mac"}, True),
    (("browser", "safari"), {"agent": "iphone chrome"}, False),
    (("browser", "opera"), {"agent": "opera"}, True),
    (("browser", "android_browser"), {"agent": "old android"}, True),
    (("browser", "chrome"), {"agent": "unknown"}, False),
    # `matchesLanguage`, `acceptLanguageToLocales`, `splitLocale`
    (("language", "en"), {"language": "en"}, True),
    (("language", "en"), {"language": "es, en,fr"}, True),
    (("language", "EN"), {"language": "es, en-US,fr"}, True),
    (("language", "es-ES"), {"language": "es_ES"}, True),
    (("language", "es-ES"), {"language": "en-US,es-ES;q=0.6"}, False),
    (("language", "es-ES"), {"language": "en-US,es-ES;q=0.9"}, True),
    (("language", "en"), {"language": "es-AR"}, False),
    (("language", "fr-FR"), {"language": "fr"}, False),
    (("language", "en"), {"language": "*"}, False),
    (("language", "en"), {"language": ""}, False),
    # `matchesQueryParam`, `matchesAnyValueQueryParam`, `matchesValuelessQueryParam`
    (("query-param", "bar", "foo"), {"query": "foo=bar"}, True),
    (("query-param", "bar", "foo"), {"query": "foo=Bar"}, False),
    (("query-param", "bar", "foo"), {"query": "foo=not-bar&foo=bar"}, True),
    (("query-param", "bar", "foo"), {"query": "nop=bar"}, False),
    (("any-value-query-param", None, "foo"), {"query": "foo"}, True),
    (("any-value-query-param", None, "foo"), {"query": "foo=something%20else"}, True),
    (("any-value-query-param", None, "foo"), {}, False),
    (("valueless-query-param", None, "foo"), {"query": "foo"}, True),
    (("valueless-query-param", None, "foo"), {"query": "foo=&bar=1"}, True),
    (("valueless-query-param", None, "foo"), {"query": "foo=something"}, False),
    # `matchesRemoteIpAddress`, `IpAddressUtils::ipAddressMatchesGroups`
    (("ip-address", "1.2.3.4"), {"address": "1.2.3.4"}, True),
    (("ip-address", "1.2.3.4"), {"address": "4.3.2.1"}, False),
    (("ip-address", "192.168.1.0/24"), {"address": "192.168.1.35"}, True),
    (("ip-address", "192.168.1.*"), {"address": "192.168.1.35"}, True),
    (("ip-address", "192.168.1.*"), {"address": "192.168.2.35"}, False),
    # `matchesGeolocationCountryCode`, `matchesGeolocationCityName`
    (("geolocation-country-code", "US"), {"country": "us"}, True),
    (("geolocation-country-code", "US"), {}, False),
    (("geolocation-city-name", "los angeles"), {"city": "Los Angeles"}, True),
    (("geolocation-city-name", "Madrid"), {"city": "Los Angeles"}, False),
    # `matchesBeforeDate`, `matchesAfterDate`
    (("before-date", "2026-06-10T14:00:00+02:00"), {"at": "2026-06-10T11:59:59Z"}, True),
    (("before-date", "2026-06-10T14:00:00+02:00"), {"at": "2026-06-10T12:00:00Z"}, False),
    (("after-date", "2026-06-10T14:00:00+02:00"), {"at": "2026-06-10T12:00:01Z"}, True),
    (("after-date", "2026-06-10T14:00:00+02:00"), {"at": "2026-06-10T12:00:00Z"}, False),
]

IOS, ANDROID, SI, EXPIRED = (f"https://example.com/{name}" for name in ("ios", "android", "si", "expired"))
TARGETS = {"ios": IOS, "android": ANDROID, "geo": {"SI": SI}}
# Fields of a link, what a request sends, and where Dub leads it; None if it shows a page instead.
DUB = [
    ({"ios": IOS}, {"agent": "iphone"}, IOS),
    ({"ios": IOS}, {"agent": "ipad"}, IOS),
    ({"ios": IOS}, {"agent": "mac"}, HOME),
    ({"android": ANDROID}, {"agent": "pixel"}, ANDROID),
    ({"android": ANDROID}, {"agent": "linux"}, HOME),
    ({"geo": {"SI": SI}}, {"country": "SI"}, SI),
    ({"geo": {"SI": SI}}, {"country": "AT"}, HOME),
    ({"geo": {"SI": SI}}, {}, HOME),
    # The order of its branches: expired, iOS, Android, country.
    (TARGETS, {"agent": "iphone", "country": "SI"}, IOS),
    (TARGETS, {"agent": "pixel", "country": "SI"}, ANDROID),
    (TARGETS, {"agent": "edge", "country": "SI"}, SI),
    (TARGETS, {"agent": "edge", "country": "DE"}, HOME),
    ({"expiresAt": "2026-06-10T12:00:00.000Z"}, {"at": "2026-06-10T11:59:59Z"}, HOME),
    ({"expiresAt": "2026-06-10T12:00:00.000Z"}, {"at": "2026-06-10T12:00:01Z"}, None),
    ({"expiresAt": "2026-06-10T12:00:00.000Z", "expiredUrl": EXPIRED}, {"at": "2026-06-11T00:00:00Z"}, EXPIRED),
    ({"expiresAt": "2026-06-10T12:00:00.000Z", **TARGETS}, {"at": "2026-06-11T00:00:00Z", "agent": "iphone"}, None),
    ({"disabledAt": "2026-01-01T00:00:00.000Z", "ios": IOS}, {"agent": "iphone"}, None),
    ({"password": "sesame", "ios": IOS}, {"agent": "iphone"}, None),
    ({"password": "sesame", "ios": IOS}, {"agent": "iphone", "is_let_in": True}, IOS),
]  # fmt: skip

CASES = [("shlink", *one) for one in SHLINK] + [("dub", *one) for one in DUB]
CREATED = "2026-01-02T03:04:05+00:00"


def short_code(number):
    return f"{CASES[number][0]}{number}"


def shlink_link(number, asked):
    kind, value, key = (*asked, None)[:3]
    rule = {"longUrl": THERE, "priority": 1, "conditions": [{"type": kind, "matchKey": key, "matchValue": value}]}
    code = short_code(number)
    return {
        "shortUrl": f"https://s.test/{code}", "shortCode": code, "longUrl": HOME, "dateCreated": CREATED, "tags": [],
        "meta": {"validSince": None, "validUntil": None, "maxVisits": None}, "domain": None, "title": code,
        "crawlable": False, "forwardQuery": False, "hasRedirectRules": True, "redirectRules": [rule],
        "visitsSummary": {"total": 0, "nonBots": 0, "bots": 0},
    }  # fmt: skip


def dub_link(number, fields):
    code = short_code(number)
    nothing = dict.fromkeys(("ios", "android", "geo", "expiresAt", "expiredUrl", "password", "disabledAt"))
    return {
        "id": f"link_{number}", "domain": "d.test", "key": code, "shortLink": f"https://d.test/{code}", "url": HOME,
        "createdAt": CREATED, "clicks": 0, "tags": [], "archived": False, "title": code, **nothing, **fields,
    }  # fmt: skip


@pytest.fixture(scope="module")
def moved():
    """Both files, imported into one store."""
    shlink = [shlink_link(n, asked) for n, (tool, asked, *_) in enumerate(CASES) if tool == "shlink"]
    dub = [dub_link(n, fields) for n, (tool, fields, *_) in enumerate(CASES) if tool == "dub"]
    with open_portfolio(":memory:", base_url="https://go.example.com") as shop:
        for links in ({"shortUrls": {"data": shlink}}, dub):
            result = shop.import_file(json.dumps(links).encode(), format="json")
            assert result.created, result.issues
            assert not result.issues, "what became rules is no field, too"
        yield shop


@pytest.mark.rule("T20")
def test_tables_have_eighty_requests():
    assert len(CASES) == 80
    assert len({asked[0] for asked, *_ in SHLINK}) == 11


@pytest.mark.rule("T20")
@pytest.mark.parametrize("number", range(80), ids=short_code)
def test_an_imported_rule_answers_as_the_tool_does(moved, number):
    tool, _, sent, expected = CASES[number]
    if tool == "shlink":
        expected = THERE if expected else HOME
    place = Place(sent.get("country"), None, sent.get("city"))
    moment = datetime.fromisoformat(sent.get("at", "2026-06-10T00:00:00Z"))
    headers = {
        "user-agent": AGENTS[sent.get("agent", "edge")],
        "accept-language": sent.get("language", ""),
    }
    redirects = Redirects(moved.store, clock=lambda: moment, locate=lambda _: place, records=False)
    request = Request(
        "GET", short_code(number), headers, sent.get("address", ""), sent.get("query", ""), "is_let_in" in sent
    )
    try:
        answer = redirects.answer(request).content or None
    except LeadsNowhere:
        answer = None
    assert answer == expected
