"""Rules that split visitors among variants: who gets which, what is kept of it, and what a change of weights does."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from qrkit.errors import InvalidParameter
from qrkit.portfolio.opening import portfolio_in
from qrkit.server import make_app
from qrkit.server.client import Client
from qrkit.server.settings import Settings
from qrkit.store import Store
from qrkit.store.recording.visit_rows import insert_waiting, waiting_visit
from qrkit.tracking.records import Visit
from qrkit.visits.redirect import Redirects, Request

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148"
HOME = "https://example.com/home"
A, B = {"name": "A", "content": "https://a.example"}, {"name": "B", "content": "https://b.example", "weight": 3}
NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)


class Clock:
    now = NOON

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def shop(clock):
    with Store(":memory:") as store:
        yield portfolio_in(store, base_url="https://go.example.com", clock=clock)


@pytest.fixture
def led(shop, clock):
    """Where a visitor is led."""
    redirects = Redirects(shop.store, clock=clock)

    def led(number, code="door", method="GET", agent=IPHONE, **headers):
        address = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        return redirects.answer(Request(method, code, {"user-agent": agent, **headers}, address)).content

    return led


def test_visitors_are_split_by_weight_and_keep_their_variant_all_day(shop, clock, led):
    shop.insert_qrcode(HOME, short_code="door", rules=[{"variants": [A, B]}])
    shop.insert_qrcode(HOME, short_code="gate", rules=[{"variants": [A, B]}])
    first = [led(number) for number in range(1_000)]
    assert Counter(first)["https://b.example"] == pytest.approx(750, abs=80)
    clock.now += timedelta(hours=3)
    assert [led(number) for number in range(100)] == first[:100]
    other = [led(number, "gate") for number in range(1_000)]
    both = sum(one == two == "https://b.example" for one, two in zip(first, other, strict=True))
    assert both == pytest.approx(1_000 * 9 / 16, abs=80)
    counted = shop.scans.where(qrcode_id=shop.find_qrcode("gate").id).to_frame()["variant"].value_counts()
    assert counted.to_dict() == {"A": other.count("https://a.example"), "B": other.count("https://b.example")}
    assert len(shop.scans.where(variant="A").to_frame()) == counted["A"] + (first + first[:100]).count(A["content"])


def test_a_split_is_independent_of_shares_of_visitors(shop, led):
    half = {"conditions": [{"type": "share", "match_value": "50"}], "variants": [A, {**B, "weight": 1}]}
    shop.insert_qrcode(HOME, short_code="door", rules=[half])
    found = Counter(led(number) for number in range(1_200))
    assert [found[one] for one in (HOME, "https://a.example", "https://b.example")] == [
        pytest.approx(600, abs=90), pytest.approx(300, abs=70), pytest.approx(300, abs=70)
    ]  # fmt: skip


def test_each_change_of_weights_begins_a_stratum_and_only_scans_count(shop, clock, led):
    door = shop.insert_qrcode(HOME, short_code="door", rules=[{"variants": [A, B]}])
    led(1)
    led(2, method="HEAD")
    led(3, agent="Googlebot/2.1")
    clock.now += timedelta(days=1)
    shop.update_qrcode(door.id, rules=[{"variants": [A, A | {"name": "B"}]}])
    shop.update_qrcode(door.id, comment="the same rules")
    led(1)
    clock.now += timedelta(days=1)
    shop.update_qrcode(door.id, rules=[{"variants": [A, B]}])
    clock.now += timedelta(minutes=1)
    led(1)
    clock.now += timedelta(hours=2)
    led(1)
    weights = shop.split_weights("door")
    assert weights["share"].tolist() == [0.25, 0.75, 0.5, 0.5, 0.25, 0.75]
    assert weights["stratum"].tolist() == [0, 0, 1, 1, 2, 2]
    assert weights["since"].dt.day.tolist() == [10, 10, 11, 11, 12, 12]
    found = shop.split_visits("door", within="24h")
    assert found["stratum"].tolist() == [0, 1, 2]
    assert found["pending"].tolist() == [False, False, True]
    assert found["start"].tolist()[0] == NOON
    assert set(found["variant"]) <= {"A", "B"}
    assert found.dtypes.astype(str).to_dict() == {
        "start": "datetime64[us, UTC]", "stratum": "Int64", "variant": "str", "converted": "boolean",
        "value": "Float64", "pending": "boolean",
    }  # fmt: skip


def test_devices_have_their_own_variants(shop, led):
    ios = {"conditions": [{"type": "device", "match_value": "ios"}], "variants": [A, B]}
    shop.insert_qrcode(HOME, short_code="door", rules=[ios, {"variants": [A, A | {"name": "C"}]}])
    for number in range(30):
        led(number, agent=IPHONE if number % 2 else "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/126.0")
    found, weights = shop.split_visits("door"), shop.split_weights("door")
    assert len(found) == 30
    for stratum, rows in found.groupby("stratum"):
        names = set(weights.loc[weights["stratum"] == stratum, "variant"])
        assert set(rows["variant"]) <= names
        assert len(rows) == 15
        assert weights.loc[weights["stratum"] == stratum, "share"].sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"variants": [A]}, "must have 2..10 entries, not 1"),
        ({"variants": [A, A]}, "must have different names"),
        ({"variants": [A, B], "content": HOME}, "must be left out, because the variants have the contents"),
        ({"variants": [A, B | {"weight": 0}]}, "must be in 1..10000 parts"),
        ({"variants": [A, {"name": "B", "content": "otpauth://totp/a?secret=GEZDGNBV"}]}, "rules.0.variants.1.content"),
        ({"content": HOME}, "must have 1..20 entries, not 0"),
        ({"conditions": [{"type": "device", "match_value": "ios"}]}, "must not be empty"),
        ({"conditions": [{"type": "visitor", "match_value": "new"}], "content": HOME, "remember_days": 3}, "variants"),
    ],
)  # fmt: skip
def test_what_is_no_split_is_refused(shop, rule, told):
    with pytest.raises(InvalidParameter, match=told):
        shop.insert_qrcode(HOME, short_code="door", rules=[rule])


def test_a_split_is_told_and_comes_back_from_files(shop, tmp_path):
    rules = [{"variants": [A, B], "remember_days": 30}]
    shop.insert_qrcode(HOME, short_code="door", rules=rules, click_id="qrkit_click")
    assert "everybody; the visitor has variant '" in shop.explain("door").sentence
    for name in ("codes.json", "codes.csv", "codes.xlsx"):
        shop.export_file(tmp_path / name)
        with Store(":memory:") as store:
            other = portfolio_in(store, base_url="https://go.example.com")
            other.import_file(tmp_path / name)
            (code,) = other.list_qrcodes()
            assert (code.rules, code.click_id) == (shop.list_qrcodes()[0].rules, "qrkit_click")
            assert other.split_weights("door")["share"].tolist() == [0.25, 0.75]


def test_a_cookie_keeps_the_variant_only_if_the_owner_asks_for_it(shop, clock):
    app = Client(make_app(shop.store, Settings(base_url=shop.base_url), clock=clock))
    shop.insert_qrcode(HOME, short_code="gate", rules=[{"variants": [A, B]}])
    door = shop.insert_qrcode(HOME, short_code="door", rules=[{"variants": [A, B], "remember_days": 30}])
    assert "set-cookie" not in ask(app, "gate").headers
    first = ask(app, "door")
    cookie = first.headers["set-cookie"]
    assert cookie.endswith("; Max-Age=2592000; Path=/door; HttpOnly; SameSite=Lax; Secure")
    assert "set-cookie" not in ask(app, "door", **{"user-agent": "Googlebot/2.1"}).headers
    for _ in range(8):
        clock.now += timedelta(days=1)
        again = ask(app, "door", cookie=cookie.partition(";")[0])
        assert again.headers["location"] == first.headers["location"]
    assert len(shop.split_visits("door")) == 1
    assert shop.scans_of(door.id).to_frame()["variant"].nunique() == 1
    shop.update_qrcode(door.id, rules=[{"variants": [A, B | {"weight": 1}], "remember_days": 30}])
    clock.now += timedelta(minutes=1)
    ask(app, "door", cookie=cookie.partition(";")[0])
    assert shop.split_visits("door")["stratum"].tolist() == [0, 1]


def ask(app, path, **headers):
    return app.get(f"/{path}", headers={"user-agent": IPHONE, **headers})


def test_json_of_the_interface_has_variants_and_old_codes_look_as_before(shop):
    plain = shop.insert_qrcode(HOME, short_code="gate")
    assert {"rules", "clickId"}.isdisjoint(json.loads(plain.to_json()))
    code = shop.insert_qrcode(HOME, short_code="door", rules=[{"variants": [A, B]}])
    assert json.loads(code.to_json())["rules"] == [{"conditions": [], "variants": [A | {"weight": 1}, B]}]


def test_visits_that_an_older_qrkit_left_in_its_inbox_come_in(shop):
    door = shop.insert_qrcode(HOME, short_code="door")
    number = shop.store.row("SELECT number FROM qrcodes")["number"]
    old = waiting_visit(Visit(NOON, "scan", "door", number, '"conversion":', IPHONE))
    text, _, _ = old.fields.rpartition(',"variant":')
    insert_waiting(shop.store, [old._replace(fields=f"{text}}}"), old])
    assert shop.get_qrcode(door.id).scans == 2
