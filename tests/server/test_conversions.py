"""What shops say came of a scan: over HTTP, as a picture, as a table, late, twice, and as garbage."""

import json
import urllib.error
import urllib.request
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from random import Random
from urllib.parse import parse_qs, quote, urlsplit

import numpy as np
import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, NotFound
from qrkit.portfolio.access import create_key
from qrkit.portfolio.base_urls import kept_base_url
from qrkit.portfolio.opening import portfolio_in
from qrkit.server import make_app
from qrkit.server.client import Client
from qrkit.server.settings import Settings
from qrkit.store import Store
from qrkit.store.upkeep.maintenance import verify
from tests.server.processes import served

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148"
HOME = "https://example.com/home"
SPLIT = [{"variants": [{"name": "A", "content": "https://a.example/?x=1#top"}, {"name": "B", "content": HOME}]}]
GIF = "/api/v3/track/conversion.gif"
NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)


class Site:
    """A portfolio with its server, on a clock of its own."""

    def __init__(self, store):
        self.now = NOON
        self.shop = portfolio_in(store, base_url="https://go.example.com", clock=lambda: self.now)
        self.key = create_key(store, self.shop.account)
        self.client = Client(make_app(store, Settings(base_url=self.shop.base_url), clock=lambda: self.now))

    def scan(self, code="door", agent=IPHONE):
        """The ID of a scan; "" if the link has none."""
        reply = self.client.get(f"/{code}", headers={"user-agent": agent})
        return parse_qs(urlsplit(reply.headers["location"]).query).get("qrkit_click", [""])[0]

    def tell(self, **fields):
        body = json.dumps(fields).encode()
        return self.client.request("POST", "/api/v3/track/conversion", query=f"auth={self.key}", body=body)

    def pixel(self, **fields):
        return self.client.get(GIF, **fields)


@contextmanager
def opened():
    with Store(":memory:") as store:
        made = Site(store)
        made.shop.insert_qrcode(HOME, short_code="door", rules=SPLIT, click_id="qrkit_click")
        yield made


@pytest.fixture
def site():
    with opened() as made:
        yield made


@pytest.fixture(scope="module")
def same_site():
    """One for all that is refused."""
    with opened() as made:
        yield made


def test_a_conversion_counts_once_for_its_scan_within_the_time(site):
    click = site.scan()
    assert site.scan(agent="Googlebot/2.1") == ""
    site.now += timedelta(hours=2)
    for _ in range(3):
        assert site.tell(clickId=click, id="1001", name="order", value=50, currency="eur").status == 200
    assert site.tell(clickId=click, id="1002", name="order", value=5.5, currency="EUR").status == 200
    assert site.tell(clickId=click, name="sign-up").status == 200
    (row,) = site.shop.split_visits("door").itertuples()
    assert (row.converted, row.value, row.pending) == (True, 55.5, True)
    (row,) = site.shop.split_visits("door", within="1h").itertuples()
    assert (row.converted, row.value, row.pending) == (False, 0, False)
    assert site.shop.split_visits("door", conversion="sign-up")["value"].tolist() == [0]
    frame = site.shop.conversions.to_frame()
    assert {"1001", "1002"} < set(frame["id"])
    assert frame["scanned"].tolist() == [NOON] * 3
    assert set(frame["currency"].dropna()) == {"EUR"}
    assert site.shop.list_qrcodes()[0].scans == 1
    assert len(site.shop.scans.to_frame()) == 1
    kept = site.shop.store.frame("SELECT * FROM visits WHERE kind = 'conversion'")
    assert kept[["content", "referrer", "language", "country"]].isna().all(axis=None)
    assert site.tell(clickId=click, id="1003", value=1, currency="USD").status == 200
    assert site.shop.split_visits("door")["value"].isna().all()


def test_the_preview_names_the_variant(site):
    assert "variant" in site.client.get("/door+", headers={"user-agent": IPHONE}).text
    assert site.shop.conversions.to_frame().empty


def test_the_link_keeps_what_it_has(site):
    for number in range(20):
        reply = site.client.get("/door", headers={"user-agent": f"{IPHONE} {number}"})
        if "a.example" in reply.headers["location"]:
            assert reply.headers["location"].startswith("https://a.example/?x=1&qrkit_click=")
            assert reply.headers["location"].endswith("#top")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, "clickId"),
        ({"clickId": "a" * 40}, "no scan or QR Code"),
        ({"clickId": "ä" * 40}, "no scan or QR Code"),
        ({"clickId": 7}, "clickId"),
        ({"shortCode": "gone"}, "no scan or QR Code"),
        ({"shortCode": "door", "value": -1}, "value"),
        ({"shortCode": "door", "value": "much"}, "value"),
        ({"shortCode": "door", "currency": "euro"}, "currency"),
        ({"shortCode": "door", "currency": "ßa"}, "currency"),
        ({"shortCode": "door", "time": "1900-01-01T00:00:00Z"}, "time"),
        ({"shortCode": "door", "id": "x" * 201}, "id"),
        ({"shortCode": "door", "name": "x" * 101}, "name"),
        ({"shortCode": "door", "time": "yesterday"}, "time"),
        ({"shortCode": "door", "time": "2027-01-01T00:00:00Z"}, "time"),
    ],
)
def test_garbage_is_refused_by_field(same_site, fields, told):
    reply = same_site.tell(**fields)
    assert reply.status in (400, 404)
    assert told in reply.text
    assert same_site.shop.conversions.to_frame().empty


def test_ids_are_sealed_bounded_in_time_and_of_one_account(site):
    click = site.scan()
    for number in range(40):
        wrong = click[:number] + ("A" if click[number] != "A" else "B") + click[number + 1 :]
        assert site.tell(clickId=wrong).status == 404
    assert site.tell(clickId=click, time="2026-06-10T11:00:00Z").status == 400
    other = Site(site.shop.store)
    from qrkit.portfolio.access import create_account

    other.key = create_key(site.shop.store, create_account(site.shop.store, "other"))
    assert other.tell(clickId=click).status == 404
    site.now += timedelta(days=91)
    assert site.tell(clickId=click).status == 404
    assert site.shop.conversions.to_frame().empty


def test_a_picture_reports_conversions_and_says_nothing(site):
    click = site.scan()
    replies = [site.pixel(clickId=one, id="7", value="9.5") for one in (click, "", "x" * 40)]
    replies.append(site.pixel(clickId=click, value="garbage"))
    replies.append(site.pixel(shortCode="door"))
    replies += [site.pixel(clickId=click, id=value, value=value) for value in ("1_000", "\uff11\uff12", "nan")]
    replies.append(site.client.request("GET", GIF, query=f"clickId={click}&clickId={click}&id=8"))
    assert len({(one.status, one.body) for one in replies}) == 1
    assert replies[0].body[:6] == b"GIF89a"
    assert replies[0].headers["cache-control"] == "no-store"
    assert site.shop.conversions.to_frame()["value"].tolist() == [9.5]


def test_orders_of_shops_come_in_as_tables(site):
    shop, click = site.shop, site.scan()
    site.now += timedelta(hours=5)
    orders = pd.DataFrame(
        {
            "Name": ["#1", "#1", "#2", "#3"],
            "Created at": ["2026-06-10 14:30:00 +0200", None, "2026-06-10 15:30:00 +0200", "2026-06-10 15:30:00 +0200"],
            "Total": ["1,050.50", None, "20", "30"],
            "Currency": ["EUR", None, "EUR", "EUR"],
            "Note Attributes": [f"qrkit_click: {click}\ngift: no", None, None, "y" * 40],
        }
    )
    made = shop.conversions.insert(orders, "shopify")
    assert (made.created, made.known, made.unmatched) == (1, 0, 3)
    assert shop.conversions.insert(orders, "shopify").known == 1
    (row,) = shop.split_visits("door").itertuples()
    assert (row.converted, row.value) == (True, 1050.5)
    hits = [{"Landing page": f"/x?qrkit_click={quote(click)}&a=b", "hour": 2026061014, "Revenue": 3}]
    mapped = {"click_id": "Landing page", "time": "hour", "value": "Revenue"}
    assert shop.conversions.insert(hits, mapped).created == 1
    with pytest.raises(InvalidParameter, match="row 1: must be a currency"):
        shop.conversions.insert([{"short_code": "door", "time": NOON}, {"short_code": "door", "time": NOON,
                                                                       "currency": "?"}])  # fmt: skip
    with pytest.raises(InvalidParameter, match="value='49,90': row 0: must be a number"):
        shop.conversions.insert([{"short_code": "door", "time": NOON, "value": "49,90"}])
    with pytest.raises(InvalidParameter, match="must be one of shopify"):
        shop.conversions.insert(orders, "ebay")
    with pytest.raises(InvalidParameter, match="is required"):
        shop.conversions.insert([{"short_code": "door", "time": None}])


@pytest.mark.parametrize(
    "named",
    [
        "https://go.example.com/door", "go.example.com/door", "https://go.example.com/door/?a=b", "/door",
        "https://go.example.com:443/door",
        "https://GO.example.com/door/readable-tail", "https://old.example/qr/door",
    ],
)  # fmt: skip
def test_a_short_url_names_its_qr_code(site, named):
    kept_base_url(site.shop.store, "https://old.example/qr")
    kept_base_url(site.shop.store, "https://go.example.com")
    made = site.shop.conversions.insert([{"short_code": named, "time": site.now, "id": "1"}])
    assert (made.created, made.unmatched) == (1, 0)
    assert site.shop.conversions.to_frame()["short_code"].tolist() == ["door"]


@pytest.mark.parametrize(
    "page", ["https://shop.example/door", "shop.example/2026/door?x=1", "https://go.example.com/foo/door", "foo/door",
             "door/thanks", "https://go.example.com/", "ftp://go.example.com/door",
             "https://go.example.com:8443/door"]
)  # fmt: skip
def test_the_pages_of_a_shop_name_no_qr_code(site, page):
    made = site.shop.conversions.insert([{"short_code": page, "time": site.now, "id": "1"}])
    assert (made.created, made.unmatched) == (0, 1)


def test_numbers_of_orders_are_the_same_texts_in_every_column(site):
    """One blank cell makes floats of whole numbers in pandas."""
    site.shop.insert_qrcode(HOME, short_code="1001", click_id="qrkit_click")
    click = site.scan()
    site.now += timedelta(hours=2)
    assert site.tell(clickId=click, id="1001", value=50).status == 200
    orders = pd.DataFrame(
        {
            "click_id": [click, None, None],
            "short_code": [None, 1001, None],
            "time": ["2026-06-10T12:30Z"] * 3,
            "id": [1001, 7, None],
        }
    )
    made = site.shop.conversions.insert(orders)
    assert (made.created, made.known, made.unmatched) == (1, 1, 1)
    rows = [{"click_id": pd.NA}, {"click_id": click, "time": np.datetime64("2026-06-10T13:00"), "id": np.int64(1001)}]
    assert site.shop.conversions.insert(rows).known == 1
    assert sorted(site.shop.conversions.to_frame()["id"]) == ["1001", "7"]
    assert site.shop.split_visits("door")["value"].tolist() == [50]


@pytest.mark.parametrize(
    ("frame", "columns", "told"),
    [
        (None, None, "frame: must be a DataFrame"),
        ("abc", None, "frame='abc': must be a DataFrame"),
        (["abc"], None, "frame=.* or a list of dicts"),
        ([{"click_id": "x"}], 5, "columns=5: must be one of shopify"),
        ([{"click_id": "x"}], {"time": "click_id"}, "columns=.*must be one of shopify"),
        ([{"Landing page": "x"}], {"click_id": "Landng page"}, "columns.click_id='Landng page'.*did you mean 'Landing"),
        ([{"Page": "x", "Total": 1}], {"click_id": "Page", "value": "Totl"}, "columns.value.*did you mean 'Total'"),
        ([{"Name": "#1", "Created At": "x"}], "shopify", "'Note Attributes'.*'Created at'.*mean 'Created At'"),
        ([{"clickid": "x", "time": NOON}], None, "columns.click_id.*did you mean 'clickid'"),
        ([{"short_code": "door", "time": [1]}], None, r"time=\[1\]: row 0: must be text, a number, a date"),
        ([{"short_code": "door", "time": NOON, "value": "1_000"}], None, "value='1_000': row 0: must be a number"),
        (
            [{"short_code": "door", "time": "0001-01-01"}],
            None,
            "between the creation of the QR Code, 2026-06-10",
        ),
        ([{"short_code": "door", "time": "1900-01-01"}], None, "must be between the creation of the QR Code"),
    ],
)
def test_tables_that_cannot_be_meant_are_refused(same_site, frame, columns, told):
    with pytest.raises(InvalidParameter, match=told):
        same_site.shop.conversions.insert(frame, columns)


class CountingStore(Store):
    """A store that counts the rows that are looked up."""

    asked = 0

    def row(self, *given):
        self.asked += 1
        return super().row(*given)


def test_qr_codes_of_a_table_are_looked_up_once():
    with CountingStore(":memory:") as store:
        site = Site(store)
        site.shop.insert_qrcode(HOME, short_code="door", click_id="qrkit_click")
        click, asked = site.scan(), []
        for number in (1, 40):
            before = store.asked
            rows = [{"click_id": click, "time": NOON, "id": f"{number} {one}"} for one in range(number)]
            assert site.shop.conversions.insert(rows).created == number
            asked.append(store.asked - before)
        assert asked[0] == asked[1] > 0


def test_visitors_cannot_name_the_scan_of_another(site):
    site.shop.insert_qrcode(HOME, short_code="gate", click_id="qrkit_click", pass_query=True)
    for agent, ours in ((IPHONE, 1), ("Googlebot/2.1", 0)):
        query = "a=1&qrkit_click=FORGED&qrkit%5Fclick=FORGED"
        reply = site.client.request("GET", "/gate", query=query, headers={"user-agent": agent})
        passed = parse_qs(urlsplit(reply.headers["location"]).query)
        assert passed.pop("a") == ["1"]
        assert len(passed.get("qrkit_click", [])) == ours
        assert "FORGED" not in str(passed)


def test_only_conversions_that_there_are_can_be_asked_for(site):
    click = site.scan()
    assert site.shop.split_visits("door", conversion="order")["converted"].tolist() == [False]
    site.tell(clickId=click, name="order")
    site.tell(clickId=click, name="sign-up")
    with pytest.raises(InvalidParameter, match=r"conversion='ordr': must be the name.*did you mean 'order'"):
        site.shop.split_visits("door", conversion="ordr")
    with pytest.raises(InvalidParameter, match=r"conversion=5: must be the name.*allowed: order, sign-up"):
        site.shop.split_visits("door", conversion=5)


def test_a_conversion_without_an_id_counts_for_the_last_scan_before(site):
    site.scan(agent=f"{IPHONE} first")
    site.now += timedelta(minutes=10)
    site.scan(agent=f"{IPHONE} second")
    site.now += timedelta(minutes=10)
    rows = [{"short_code": "door", "time": NOON + timedelta(minutes=15), "value": 8}]
    assert site.shop.conversions.insert(rows).created == 1
    assert site.shop.split_visits("door")["value"].tolist() == [0, 8]
    assert site.shop.conversions.to_frame()["scanned"].isna().all()


def test_conversions_are_archived_swept_and_checked_with_scans(new_path, tmp_path):
    with Store(new_path()) as store:
        site = Site(store)
        site.shop.insert_qrcode(HOME, short_code="door", rules=SPLIT, click_id="qrkit_click")
        click = site.scan()
        site.now += timedelta(days=1)
        site.tell(clickId=click, id="1", value=5)
        before = site.shop.split_visits("door", within="2d"), site.shop.conversions.to_frame()
        site.now += timedelta(days=5)
        assert site.shop.archive(to=tmp_path / "history" if store.database.is_shared else None).visits == 2
        site.tell(clickId=click, id="1", value=5, time="2026-06-11T12:00:00Z")
        after = site.shop.split_visits("door", within="2d"), site.shop.conversions.to_frame()
        pd.testing.assert_frame_equal(before[0].drop(columns="pending"), after[0].drop(columns="pending"))
        pd.testing.assert_frame_equal(before[1], after[1])
        assert verify(store) == []
        site.shop.keep_visits(days=1)
        site.shop.sweep()
        assert site.shop.conversions.to_frame().empty
        assert site.shop.list_qrcodes()[0].scans == 1


@pytest.mark.slow
def test_a_store_moves_with_its_conversions_and_splits(tmp_path):
    from qrkit.store.upkeep.moving import migrate

    with Store(tmp_path / "old.duckdb") as old, Store(tmp_path / "new.duckdb") as new:
        site = Site(old)
        site.shop.insert_qrcode(HOME, short_code="door", rules=SPLIT, click_id="qrkit_click")
        click = site.scan()
        assert site.tell(clickId=click, value=5).status == 200
        migrate(old, new)
        moved = Site(new)
        assert moved.tell(clickId=click, id="2", value=6).status == 200
        assert moved.shop.split_visits("door")["value"].tolist() == [11]
        pd.testing.assert_frame_equal(moved.shop.split_weights("door"), site.shop.split_weights("door"))


def test_a_conversion_of_another_store_is_not_found(site):
    with open_portfolio(":memory:") as other, pytest.raises(NotFound):
        from qrkit.tracking.conversion import Conversion

        other.conversions.record(Conversion(click_id=site.scan()))


@pytest.mark.slow
@pytest.mark.needs("loopback")
@pytest.mark.rule("T11")
def test_every_number_equals_a_count_of_its_own_over_kills(tmp_path):
    """A shop retries, is late, sends twice and sends garbage, and the server is killed in between."""
    path = tmp_path / "shop.duckdb"
    variants, orders = told_by_shop(path, visitors=30, kills=1)
    with open_portfolio(path) as shop:
        assert verify(shop.store) == []
        found, told = shop.split_visits("door"), shop.conversions.to_frame()
    assert len(found) == len(variants)
    for name in "AB":
        mine = [number for number, variant in variants.items() if variant == name]
        rows = found[found["variant"] == name]
        assert len(rows) == len(mine)
        assert rows["converted"].sum() == sum(number in orders for number in mine)
        assert rows["value"].sum() == sum(orders.get(number, 0) for number in mine)
    assert sorted(told["id"]) == sorted(f"order {number}" for number in orders)


def told_by_shop(path, *, visitors, kills):
    """The variant of each visitor, and the values of those who ordered, as a shop has counted them."""
    random, orders, variants, key = Random(8), {}, {}, ""
    with open_portfolio(path) as shop:
        shop.insert_qrcode(HOME, short_code="door", rules=SPLIT, click_id="qrkit_click")
        key = create_key(shop.store, shop.account)

    def send(url, body):
        request = urllib.request.Request(f"{url}/api/v3/track/conversion?auth={key}", json.dumps(body).encode())
        try:
            return urllib.request.urlopen(request, timeout=60).status
        except urllib.error.HTTPError as error:
            return error.code

    opener = urllib.request.build_opener(NoRedirect)
    for part in range(kills + 1):
        with served(path) as (process, url):
            for number in range(part, visitors, kills + 1):
                agent = f"{IPHONE} {number}"
                request = urllib.request.Request(f"{url}/door", headers={"User-Agent": agent})
                link = opener.open(request, timeout=60).headers["Location"]
                variants[number] = "A" if "a.example" in link else "B"
                click = parse_qs(urlsplit(link).query)["qrkit_click"][0]
                if random.random() < 0.3:
                    value = random.randrange(1, 100)
                    body = {"clickId": click, "id": f"order {number}", "value": value}
                    assert {send(url, body) for _ in range(random.randrange(1, 4))} == {200}
                    orders[number] = value
                assert send(url, {"clickId": click[::-1]}) == 404
                assert send(url, {"clickId": click, "value": "x"}) == 400
            process.kill()
    return variants, orders


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None

    def http_error_302(self, _request, response, *_):
        return response
