"""Where a code leads: rules, times, limits and the switch, asked through real requests to the redirects of a store."""

from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest

from qrkit import open_portfolio
from qrkit.errors import Gone, InvalidParameter
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import create_account
from qrkit.store import Store
from qrkit.tracking.records import PLANS, Place
from qrkit.tracking.redirect_rules import Condition
from qrkit.visits.redirect import Redirects, Request
from tests.sweeps import night_after

CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 "
    "Mobile/15E148 Safari/604.1"
)
PIXEL = f"Mozilla/5.0 (Linux; Android 14; Pixel 8) {CHROME} Mobile Safari/537.36"
WINDOWS = f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {CHROME} Safari/537.36 Edg/125.0.0.0"
HOME = "https://example.com/home"
NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)


@pytest.fixture
def shop():
    with open_portfolio(":memory:", base_url="https://go.example.com") as portfolio:
        yield portfolio


@pytest.fixture(scope="module")
def same_shop():
    """One for all conditions, each of which has a code of its own."""
    with open_portfolio(":memory:", base_url="https://go.example.com") as portfolio:
        yield portfolio


def ask(shop, code, *, at=NOON, place=None, method="GET", query="", address="192.0.2.7", **headers):
    """Where a request leads."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named.setdefault("user-agent", IPHONE)
    redirects = Redirects(shop.store, clock=lambda: at, locate=lambda _: place or Place())
    return redirects.answer(Request(method, code, named, address, query)).content


def rule(kind, value=None, content="https://example.com/there", *, key="", negated=False):
    return {
        "conditions": [{"type": kind, "match_value": value, "match_key": key, "is_negated": negated}],
        "content": content,
    }


@pytest.mark.parametrize("values", [{"ios", "android"}, iter(["ios", "android"])])
def test_values_of_a_condition_may_be_any_collection_of_texts(values):
    assert sorted(Condition(type="device", match_value=values).match_value) == ["android", "ios"]


def test_values_of_a_set_are_sorted_so_that_equal_rules_are_stored_alike():
    codes = ["AT", "CH", "DE", "FR", "IT", "SI"]
    assert Condition(type="geolocation-country-code", match_value={*codes}).match_value == tuple(codes)


@pytest.mark.parametrize("value", [b"AT", bytearray(b"AT")])
def test_bytes_are_one_value(value):
    assert Condition(type="geolocation-country-code", match_value=value).match_value == ("AT",)


@pytest.mark.rule("T20")
@pytest.mark.parametrize(
    ("one", "asked", "is_led"),
    [
        (rule("device", "ios"), {}, True),
        (rule("device", "android"), {"user_agent": PIXEL}, True),
        (rule("device", "mobile"), {"user_agent": PIXEL}, True),
        (rule("device", "desktop"), {"user_agent": PIXEL}, False),
        (rule("device", ["tablet", "computer"]), {"user_agent": WINDOWS}, True),
        (rule("browser", "edge"), {"user_agent": WINDOWS}, True),
        (rule("browser", "safari"), {"user_agent": WINDOWS}, False),
        (rule("language", "de"), {"accept_language": "de-AT,en;q=0.5"}, True),
        (rule("language", "de-DE"), {"accept_language": "de-AT"}, False),
        (rule("language", "de"), {"accept_language": "en, de;q=0.8"}, False),
        (rule("language", "de"), {"accept_language": "en, de;q=0.9"}, True),
        (rule("language", "de"), {"accept_language": "en, de;Q=.95"}, True),
        (rule("language", "de"), {"accept_language": "en, de; q=0.90000"}, True),
        (rule("language", "de"), {"accept_language": "en, de;q=.5"}, False),
        (rule("language", "de"), {"accept_language": "*"}, False),
        (rule("language", "no"), {"accept_language": "nb-NO,nb;q=0.9"}, True),
        (rule("language", "iw-IL"), {"accept_language": "he-IL,he;q=0.9"}, True),
        (rule("language", "zh-TW"), {"accept_language": "zh-Hant-TW,zh-Hant;q=0.9"}, True),
        (rule("language", "zh-Hant"), {"accept_language": "zh-Hant-TW"}, True),
        (rule("referrer-host", "*.example.com"), {"referer": "https://www.example.com/a"}, True),
        (rule("language", "no-NO"), {"accept_language": "nn-NO"}, True),
        (rule("language", "nn"), {"accept_language": "nb-NO"}, False),
        (rule("language", "he"), {"accept_language": "iw-IL"}, True),
        (rule("language", "de", negated=True), {"accept_language": "fr"}, True),
        (rule("query-param", "1", key="wall"), {"query": "wall=1"}, True),
        (rule("query-param", "1", key="wall"), {"query": "wall=2"}, False),
        (rule("any-value-query-param", key="wall"), {"query": "wall="}, True),
        (rule("valueless-query-param", key="wall"), {"query": "wall"}, True),
        (rule("valueless-query-param", key="wall"), {"query": "wall=2"}, False),
        (rule("ip-address", "192.0.2.0/24"), {}, True),
        (rule("ip-address", "192.0.*.*"), {}, True),
        (rule("ip-address", "192.0.2.8"), {}, False),
        (rule("ip-address", "10.0.0.0/8", negated=True), {"address": ""}, False),
        (rule("geolocation-country-code", "si"), {"place": Place("SI", None, "Koper")}, True),
        (rule("geolocation-city-name", "koper"), {"place": Place("SI", None, "Koper")}, True),
        (rule("geolocation-country-code", "SI", negated=True), {}, False),
        (rule("geolocation-country-code", "UK"), {"place": Place("GB", None, None)}, True),
        (rule("geolocation-country-code", ["EL", "SI"]), {"place": Place("GR", None, None)}, True),
        (rule("referrer-host", "example.org"), {"referer": "https://www.example.org/a"}, True),
        (rule("before-date", "2026-06-10T12:00:01Z"), {}, True),
        (rule("after-date", "2026-06-10T12:00:00Z"), {}, False),
        (rule("weekday", "Wednesday"), {}, True),
        (rule("hours", "13:30-14:30", key="Europe/Ljubljana"), {}, True),
        (rule("hours", "22:00-13:00"), {}, True),
        (rule("hours", "12:30-13:00"), {}, False),
        (rule("hours", "9:00 \u2013 17:00"), {}, True),
        (rule("hours", "0:00-9:30"), {}, False),
        (rule("share", "100"), {}, True),
        (rule("visitor", "new"), {}, True),
        (rule("scan-number", "1"), {}, True),
        (rule("scan-number", 1), {}, True),
        (rule("share", [100]), {}, True),
        (rule("query-param", 5, key="wall"), {"query": "wall=5"}, True),
        (rule("before-date", NOON), {}, False),
        (rule("after-date", NOON.date()), {}, True),
        (rule("scan-number", "every 2", key="day"), {}, False),
    ],
)
def test_a_rule_answers_those_to_whom_its_conditions_apply(same_shop, one, asked, is_led):
    code = same_shop.insert_qrcode(HOME, rules=[one]).short_code
    assert ask(same_shop, code, **asked) == (one["content"] if is_led else HOME)


def test_rules_may_differ_in_the_case_of_a_parameter_or_a_lot(same_shop):
    """Such values are compared letter by letter, so the second rule answers visitors whom the first one does not."""
    rules = [rule("query-param", "A", "https://example.com/1", key="wall"), rule("query-param", "a", key="wall")]
    code = same_shop.insert_qrcode(HOME, rules=rules).short_code
    assert [ask(same_shop, code, query=f"wall={value}") for value in "Aab"] == [
        "https://example.com/1", "https://example.com/there", HOME,
    ]  # fmt: skip
    both = {"content": "https://example.com/x", "conditions": [
        {"type": "query-param", "matchKey": "wall", "matchValue": "A"},
        {"type": "query-param", "matchKey": "wall", "matchValue": "a", "isNegated": True},
    ]}  # fmt: skip
    assert ask(same_shop, same_shop.insert_qrcode(HOME, rules=[both]).short_code, query="wall=A") == both["content"]


def test_the_first_rule_that_applies_answers_and_the_schedule_applies_only_where_none_does(shop):
    rules = [rule("device", "ios", "https://example.com/1"), rule("language", "de", "https://example.com/2")]
    event = {"content": "https://example.com/now", "date": "2026-01-01T00:00:00Z"}
    shop.insert_qrcode(HOME, short_code="door", rules=rules, schedule=[event], is_schedule_enabled=True)
    assert ask(shop, "door", accept_language="de") == "https://example.com/1"
    assert ask(shop, "door", accept_language="de", user_agent=PIXEL) == "https://example.com/2"
    assert ask(shop, "door", user_agent=PIXEL) == "https://example.com/now"


ZONES = ["Europe/Ljubljana", "America/New_York", "America/Santiago", "Australia/Lord_Howe", "Africa/Casablanca"]
"""Zones whose clocks change: in the north, in the south, by half an hour, and around Ramadan."""


@pytest.mark.parametrize("zone", ZONES)
def test_hours_are_those_on_the_clocks_of_their_zone_whatever_the_season(shop, zone):
    from zoneinfo import ZoneInfo

    shop.insert_qrcode(
        HOME, short_code="door", rules=[rule("hours", "09:00-17:00", "https://example.com/open", key=zone)]
    )
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    for _ in range(400):
        moment += timedelta(hours=22, minutes=7)
        is_open = 9 <= moment.astimezone(ZoneInfo(zone)).hour < 17
        assert (ask(shop, "door", at=moment) == "https://example.com/open") is is_open, moment


@pytest.mark.parametrize(
    ("moment", "is_led"),
    [
        ("2026-06-12T01:00", False), ("2026-06-12T21:59", False), ("2026-06-12T22:00", True),
        ("2026-06-13T01:59", True), ("2026-06-13T02:00", False), ("2026-06-13T22:30", False),
    ],
)  # fmt: skip
def test_a_night_belongs_to_the_weekday_on_which_it_begins(shop, moment, is_led):
    zone = "Europe/Ljubljana"
    conditions = [
        {"type": "weekday", "match_value": "friday", "match_key": zone},
        {"type": "hours", "match_value": "22:00-02:00", "match_key": zone},
    ]
    shop.insert_qrcode(HOME, short_code="club", rules=[{"conditions": conditions, "content": "https://example.com/in"}])
    at = datetime.fromisoformat(moment).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    assert (ask(shop, "club", at=at) != HOME) is is_led


@pytest.mark.parametrize(
    ("hours", "is_negated", "led"),
    [
        ([["22:00-07:00", "06:00-12:00"]], False, ["12T06:30", "12T11:00", "13T01:00", "13T06:30"]),
        ([["22:00-07:00", "06:00-12:00"]], True, ["12T01:00", "12T06:30", "13T06:30", "13T11:00"]),
        ([["22:00-02:00"], ["00:00-12:00"]], False, ["12T01:00", "13T01:00"]),
    ],
)
def test_each_span_of_hours_has_its_own_weekday(shop, hours, is_negated, led):
    conditions = [{"type": "weekday", "match_value": "friday", "is_negated": is_negated}]
    conditions += [{"type": "hours", "match_value": spans} for spans in hours]
    shop.insert_qrcode(HOME, short_code="club", rules=[{"conditions": conditions, "content": "https://example.com/in"}])
    moments = [f"{day}T{hour}" for day in (12, 13) for hour in ("01:00", "06:30", "11:00")]
    asked = [ask(shop, "club", at=datetime.fromisoformat(f"2026-06-{moment}Z")) != HOME for moment in moments]
    assert [moment for moment, is_led in zip(moments, asked, strict=True) if is_led] == led


def test_hours_of_another_zone_do_not_move_a_weekday(shop):
    conditions = [
        {"type": "weekday", "match_value": "saturday"},
        {"type": "hours", "match_value": "22:00-02:00", "match_key": "Asia/Tokyo"},
    ]
    shop.insert_qrcode(HOME, short_code="club", rules=[{"conditions": conditions, "content": "https://example.com/in"}])
    assert ask(shop, "club", at=datetime(2026, 6, 13, 16, tzinfo=UTC)) != HOME


def test_a_rule_for_no_country_is_refused(shop):
    with pytest.raises(InvalidParameter, match="never takes effect: no country has the code EU"):
        shop.insert_qrcode(HOME, rules=[rule("geolocation-country-code", "EU")])
    shop.insert_qrcode(HOME, rules=[rule("geolocation-country-code", ["UK", "XK"])])


@pytest.mark.parametrize("format", ["csv", "json"])
def test_a_printed_code_with_a_rule_for_no_country_is_imported_and_its_target_can_change(shop, format):
    shop.insert_qrcode(HOME, short_code="door", rules=[rule("geolocation-country-code", "CH")])
    file = shop.export_bytes(format).replace(b"CH", b"EU")
    with open_portfolio(":memory:", base_url=shop.base_url) as other:
        result = other.import_file(file, format=format)
        (issue,) = result.issues
        assert (result.created, issue.reason) == (1, "rule-without-effect")
        assert "no country has the code EU" in issue.detail
        assert ask(other, "door") == HOME
        other.update_qrcode(other.find_qrcode("door").id, content="https://example.com/new")
        assert ask(other, "door") == "https://example.com/new"
        with pytest.raises(InvalidParameter, match="never takes effect: no country has the code AN"):
            other.update_qrcode(other.find_qrcode("door").id, rules=[rule("geolocation-country-code", "AN")])
        with pytest.raises(InvalidParameter, match="never takes effect"):
            other.update_qrcode(other.find_qrcode("door").id, rules=[rule("visitor", "new")] * 2)


def test_a_share_of_visitors_is_the_same_all_day_and_as_large_as_it_says(shop):
    shop.insert_qrcode(
        HOME,
        short_code="door",
        rules=[rule("share", "0-30", "https://a.example"), rule("share", "30-60", "https://b.example")],
    )
    redirects = Redirects(shop.store, clock=lambda: NOON)

    def led(number):
        return redirects.answer(
            Request("GET", "door", {"user-agent": IPHONE}, f"10.0.{number >> 8}.{number & 255}")
        ).content

    first = [led(number) for number in range(2_000)]
    assert [led(number) for number in range(2_000)] == first
    assert abs(first.count("https://a.example") - 600) < 100
    assert abs(first.count("https://b.example") - 600) < 100


def test_a_visitor_is_new_once_a_day(shop):
    shop.insert_qrcode(HOME, short_code="door", rules=[rule("visitor", "returning", "https://example.com/again")])
    redirects = Redirects(shop.store, clock=lambda: NOON)
    asked = Request("GET", "door", {"user-agent": IPHONE}, "192.0.2.7")
    assert [redirects.answer(asked).content for _ in range(2)] == [HOME, "https://example.com/again"]


@pytest.mark.rule("T20")
def test_a_code_leads_nowhere_outside_of_its_times_or_to_what_its_owner_wishes(shop):
    code = shop.insert_qrcode(
        HOME, short_code="door", valid_since="2026-06-10T12:00:00Z", valid_until="2026-06-11T00:00:00Z"
    )
    assert ask(shop, "door") == HOME
    for early_or_late in (NOON - timedelta(seconds=1), NOON + timedelta(hours=12)):
        with pytest.raises(Gone, match="leads nowhere"):
            ask(shop, "door", at=early_or_late)
    shop.update_qrcode(code.id, otherwise="Come back on 10 June.")
    assert ask(shop, "door", at=NOON - timedelta(days=1)) == "Come back on 10 June."
    shop.update_qrcode(code.id, active=False)
    with pytest.raises(Gone, match="switched off"):
        ask(shop, "door")
    shop.update_qrcode(code.id, active=True, valid_since="", valid_until="")
    assert ask(shop, "door", at=NOON + timedelta(days=100)) == HOME
    assert shop.scans.count() == 3  # what its owner shows instead is a scan, too


@pytest.mark.rule("T20")
def test_a_code_whose_time_ends_before_it_begins_is_refused(shop):
    june, july = "2026-06-10T12:00:00Z", "2026-07-10T12:00:00Z"
    never = pytest.raises(InvalidParameter, match=r"valid_until=.*: must be later than 2026-0.-10T12:00:00Z")
    for since, until in ((july, june), (june, june)):
        with never:
            shop.insert_qrcode(HOME, valid_since=since, valid_until=until)
    code = shop.insert_qrcode(HOME, valid_until=june)
    with never:
        shop.update_qrcode(code.id, valid_since=july)
    with pytest.raises(InvalidParameter, match="must be later than"):
        shop.edit_qrcodes([code.id], valid_since=july)
    assert shop.get_qrcode(code.id) == code


def test_a_limit_lets_exactly_as_many_scans_through_and_no_bot_takes_one(shop):
    code = shop.insert_qrcode(HOME, short_code="door", limit=5, otherwise="https://example.com/over")
    for method, agent in (("HEAD", IPHONE), ("GET", "Googlebot/2.1"), ("GET", "WhatsApp/2.23")):
        assert ask(shop, "door", method=method, user_agent=agent) == HOME
    assert [ask(shop, "door") for _ in range(7)].count(HOME) == 5
    shop.update_qrcode(code.id, limit=6)
    assert [ask(shop, "door") for _ in range(3)].count(HOME) == 1


def test_a_limit_of_a_day_begins_anew_at_midnight_and_scans_before_a_limit_count(shop):
    code = shop.insert_qrcode(HOME, short_code="door")
    for number in range(3):
        ask(shop, "door", address=f"10.0.0.{number}")
    shop.update_qrcode(code.id, limit=6, limit_a_day=2, otherwise="over")
    led = [ask(shop, "door", at=NOON + timedelta(days=day)) for day in range(2) for _ in range(2)]  # 3 of 6 are left
    assert led.count(HOME) == 3


def random_condition(chance):
    kind, values, key = chance.choice([
        ("device", ["ios", "android", "desktop", "tablet"], ""), ("browser", ["chrome", "safari", "edge"], ""),
        ("language", ["de", "en-GB", "sl"], ""), ("query-param", ["1", "2"], "wall"),
        ("geolocation-country-code", ["SI", "AT", "DE"], ""), ("weekday", ["monday", "sunday", "friday"], "Asia/Tokyo"),
        ("hours", ["09:00-17:00", "22:00-02:00"], "America/New_York"),
        ("scan-number", ["1-20", "every 3"], "day"), ("referrer-host", ["example.org"], ""),
    ])  # fmt: skip
    values = chance.sample(values, chance.randint(1, len(values)))
    return {"type": kind, "match_key": key, "match_value": values, "is_negated": chance.random() < 0.3}


@pytest.mark.rule("T20")
@pytest.mark.parametrize("seed", [0, *night_after(range(1, 6))])
def test_what_is_explained_is_what_is_answered(shop, seed):
    chance = Random(seed)
    rules = [
        {
            "conditions": [random_condition(chance) for _ in range(chance.randint(1, 2))],
            "content": f"https://{n}.example",
        }
        for n in range(12)
    ]
    while True:  # rules that never answer are refused
        try:
            shop.insert_qrcode(
                HOME, short_code="door", rules=rules, limit=60, otherwise="over", valid_until="2026-06-20"
            )
            break
        except InvalidParameter as error:
            wrong = {int(one.name.split(".")[1]) for one in error.problems}
            rules = [one for number, one in enumerate(rules) if number not in wrong]
    for _ in range(80):
        moment = datetime(2026, 6, 10, tzinfo=UTC) + timedelta(minutes=chance.randrange(15_000))
        headers = {
            "user-agent": chance.choice([IPHONE, PIXEL, WINDOWS]),
            "accept-language": chance.choice(["de-AT", "en-GB,en;q=0.9", "sl", "", "*"]),
            "referer": chance.choice(["", "https://www.example.org/a"]),
        }
        country = chance.choice(["SI", "AT", "DE", ""])
        request = Request("GET", "door", headers, f"10.0.0.{chance.randrange(255)}", f"wall={chance.randint(1, 3)}")
        told = shop.explain("door", request, country=country, at=moment)
        redirects = Redirects(shop.store, clock=lambda at=moment: at, locate=lambda _, c=country: Place(c or None))
        assert redirects.answer(request).content == told.content


def test_rules_of_shlink_keep_what_is_ours():
    variants = [{"name": name, "content": f"https://{name}.example"} for name in "ab"]
    condition = {"type": "device", "matchKey": None, "matchValue": "ios"}
    shlinks = {"longUrl": "https://example.com/ios", "priority": 2, "conditions": [condition]}
    with open_portfolio(":memory:") as shop:
        found = shop.insert_qrcode(HOME, rules=[shlinks, {"variants": variants, "remember_days": 3}]).rules
        assert {one.content: one.remember_days for one in found} == {"https://example.com/ios": 0, "": 3}
        assert [[one.name for one in rule.variants] for rule in found] == [[], ["a", "b"]]
        for wrong, told in (
            ([{**shlinks, "variants": variants}], "content"),
            ([shlinks, "x"], "rules.1"),
            ([{**shlinks, "gadget": 1}], "gadget"),
        ):
            with pytest.raises(InvalidParameter, match=told):
                shop.insert_qrcode(HOME, rules=wrong)


def test_explanations_know_texts_times_without_a_zone_and_hidden_codes():
    with Store(":memory:") as store:
        shop = Portfolio(store, create_account(store, "free"), base_url="https://go.example.com")
        door = shop.insert_qrcode(HOME, valid_since="2026-06-10T12:00:00Z")
        for at in (datetime(2026, 6, 10, 11, 59), "2026-06-10T11:59:00", "2026-06-10T13:59:00+02:00"):
            assert shop.explain(door, at=at).reason == shop.explain(door.id, at=NOON - timedelta(minutes=1)).reason
            assert shop.explain(door, at=at).content is None
        assert shop.explain(door, at=NOON.replace(tzinfo=None)).content == HOME
        with pytest.raises(InvalidParameter, match="at='noon': must be a date and time"):
            shop.explain(door, at="noon")
        with pytest.raises(InvalidParameter, match="request='GET': must be a Request"):
            shop.explain(door, "GET")
        for _ in range(PLANS["free"].most_qrcodes):
            last = shop.insert_qrcode(HOME, active=False, otherwise="closed")
        assert not last.is_available
        told = shop.explain(last)
        assert told == shop.explain(last.id)
        assert "switched off" in told.sentence
