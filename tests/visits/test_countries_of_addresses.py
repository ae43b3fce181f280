"""Tables of places: small ones, made here."""

from datetime import UTC, datetime
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mmdb_writer import MMDBWriter
from netaddr import IPSet

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, UnreadableFile
from qrkit.server import Client, make_app
from qrkit.server.settings import Settings
from qrkit.tracking.records import NOWHERE, Place
from qrkit.visits.countries_of_addresses import Places
from qrkit.visits.redirect import Redirects, Request
from tests.sweeps import quick_first

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0"
GENEVA = {
    "country": {"iso_code": "CH", "names": {"en": "Switzerland"}},
    "subdivisions": [{"iso_code": "GE", "names": {"en": "Geneva", "fr": "Genève"}}],
    "city": {"names": {"en": "Geneva", "fr": "Genève"}},
    "location": {"latitude": 46.2, "longitude": 6.15},
}
TABLE = {
    "198.51.100.0/24": GENEVA,
    "203.0.113.0/25": {"registered_country": {"iso_code": "DK"}},
    "2001:db8:1::/48": {"country": {"iso_code": "JP"}},
    "192.0.2.0/28": {"country_code": "de"},
    "192.0.2.16/28": {"country": "FR", "region": "Brittany", "city": "Brest"},
}
SPOILT = {
    "10.0.0.0/24": {"country": {"iso_code": "Atlantis"}, "city": {"names": ["Paris"]}, "location": [1, 2]},
    "10.0.1.0/24": {"country": {"iso_code": 7}, "subdivisions": [], "city": "x" * 5_000},
    "10.0.2.0/24": {"country": {"iso_code": "ÄÖ"}, "location": {"latitude": 91.0, "longitude": -180.0}},
    "10.0.3.0/24": {"subdivisions": [7], "location": {"latitude": "46", "longitude": [6.0]}},
}


def table(path, rows, version=6, kind="Test-City"):
    writer = MMDBWriter(version, ipv4_compatible=version == 6, database_type=kind)
    for network, record in rows.items():
        writer.insert_network(IPSet([network]), record)
    writer.to_db_file(str(path))
    return path


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return table(tmp_path_factory.mktemp("places") / "places.mmdb", TABLE | SPOILT)


@pytest.fixture(scope="module")
def places(path):
    return Places(path)


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("198.51.100.7", Place("CH", "Geneva", "Geneva", 46.2, 6.15)),
        ("::ffff:198.51.100.7", Place("CH", "Geneva", "Geneva", 46.2, 6.15)),
        ("203.0.113.5", Place("DK")),
        ("2001:db8:1::9", Place("JP")),
        ("192.0.2.1", Place("DE")),
        ("192.0.2.17", Place("FR", "Brittany", "Brest")),
        ("203.0.113.200", NOWHERE),  # in no network of the table
        ("2001:db8:2::9", NOWHERE),
        ("127.0.0.1", NOWHERE),
        ("fe80::1%eth0", NOWHERE),
        *((text, NOWHERE) for text in ("", "unix", "198.51.100.7:443", "198.51.100", "198.051.100.007", "\x00", "漢")),
    ],
)
def test_an_address_is_where_its_network_is(places, address, place):
    assert places(address) == place


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("10.0.0.1", NOWHERE),
        ("10.0.1.1", Place(city="x" * 100)),
        ("10.0.2.1", Place(longitude=-180.0)),
        ("10.0.3.1", NOWHERE),
    ],
)
def test_what_a_table_should_not_say_is_left_out(places, address, place):
    assert places(address) == place


def test_a_table_without_ipv6_knows_no_such_address(tmp_path):
    places = Places(table(tmp_path / "four.mmdb", {"198.51.100.0/24": GENEVA}, version=4))
    assert places("198.51.100.7").city == "Geneva"
    assert places("::ffff:198.51.100.7").city == "Geneva"
    assert places("2001:db8:1::9") == NOWHERE


@given(st.integers(0, 2**32 - 1) | st.integers(0, 2**128 - 1) | st.integers(0xC6336400 - 9, 0xC6336400 + 300))
@settings(max_examples=150)
def test_every_address_is_where_a_search_through_the_networks_finds_it(places, number):
    address = ip_address(number)
    (found,) = [row for network, row in TABLE.items() if address in ip_network(network)] or [None]
    country = places(str(address)).country
    if found is not None:
        assert country is not None
    elif not any(address in ip_network(network) for network in SPOILT):
        assert country is None


def test_a_table_tells_its_name_and_its_age(places):
    assert places.name == "Test-City"
    assert datetime(2020, 1, 1, tzinfo=UTC) < places.built <= datetime.now(UTC)
    assert repr(places) == f"<Places of Test-City, {places.built:%Y-%m-%d}>"


@pytest.mark.parametrize("data", [b"", b"no table", b"\xab\xcd\xefMaxMind.com", bytes(100_000)])
def test_a_file_that_is_no_table_is_refused_by_name(tmp_path, data):
    path = tmp_path / "places.mmdb"
    path.write_bytes(data)
    with pytest.raises(UnreadableFile, match=r"places\.mmdb cannot be read as a GeoIP database: it is not an mmdb"):
        Places(path)


def test_a_file_that_is_missing_is_refused_by_name(tmp_path):
    with pytest.raises(UnreadableFile, match=r"gone\.mmdb cannot be read as a GeoIP database: No such file"):
        Places(tmp_path / "gone.mmdb")
    with pytest.raises(UnreadableFile, match="cannot be read as a GeoIP database"):
        Places(tmp_path)


@pytest.mark.rule("T10")
def test_a_visit_keeps_the_place_and_not_the_address(places, tmp_path):
    """Open: what is known of a visitor. Country, region, city and their middle, where a table knows them."""
    file = tmp_path / "a.duckdb"
    with open_portfolio(file) as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
        redirects = Redirects(shop.store, locate=places)
        for address in ("198.51.100.7", "203.0.113.5", "127.0.0.1", "no address"):
            redirects.answer(Request("GET", "door", {"user-agent": BROWSER}, address=address))
        found = shop.scans.to_frame()
        assert found["country"].fillna("").tolist() == ["CH", "DK", "", ""]
        assert found["city"].fillna("").tolist() == ["Geneva", "", "", ""]
    assert b"198.51.100.7" not in file.read_bytes()


def test_a_damaged_table_loses_no_visit(path, tmp_path):
    whole = path.read_bytes()
    damaged = tmp_path / "damaged.mmdb"
    end = whole.rindex(b"\xab\xcd\xefMaxMind.com")
    damaged.write_bytes(whole[:100] + b"\xff" * (end - 100) + whole[end:])
    with open_portfolio(":memory:") as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
        redirects = Redirects(shop.store, locate=Places(damaged))
        redirects.answer(Request("GET", "door", {"user-agent": BROWSER}, address="198.51.100.7"))
        assert shop.scans.count() == 1


@pytest.mark.parametrize("first", quick_first(range(48), 4))
def test_no_damaged_byte_stops_a_redirect(path, tmp_path, first):
    """Each copy has one flipped bit. The reader in C crashes on about 5% of such files."""
    whole = path.read_bytes()
    with open_portfolio(":memory:") as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
        for place in range(first, len(whole), 48):
            damaged = tmp_path / f"{place}.mmdb"
            turned = whole[place] ^ 1 << place % 8
            damaged.write_bytes(whole[:place] + bytes([turned]) + whole[place + 1 :])
            try:
                locate = Places(damaged)
            except UnreadableFile:
                continue
            redirects = Redirects(shop.store, locate=locate)
            for network in (*TABLE, *SPOILT):
                address = str(ip_network(network)[1])
                asked = Request("GET", "door", {"user-agent": BROWSER}, address=address)
                assert redirects.answer(asked).content == "https://example.com"


def test_a_server_locates_visitors_by_the_table_of_its_settings(path):
    with open_portfolio(":memory:", base_url="http://localhost") as shop:
        code = shop.insert_qrcode("https://example.com")
        client = Client(make_app(shop.store, Settings(places=str(path), trusted_proxies=("127.0.0.1",))))
        for address in ("198.51.100.7", "2001:db8:1::9"):
            answer = client.get(f"/{code.short_code}", headers={"X-Forwarded-For": address, "User-Agent": BROWSER})
            assert answer.status == 302
        assert shop.scans.to_frame()["country"].tolist() == ["CH", "JP"]


def test_a_server_whose_table_is_missing_does_not_begin(tmp_path):
    with open_portfolio(":memory:") as shop, pytest.raises(UnreadableFile, match="gone"):
        make_app(shop.store, Settings(places=str(tmp_path / "gone.mmdb")))


def test_the_setting_is_read_from_the_environment(path):
    assert Settings.read({"QRKIT_PLACES": str(path)}).places == str(path)
    assert Settings.read({"QRKIT_PLACES": "2026"}).places == "2026"
    assert Settings.read({}).places is None
    with pytest.raises(InvalidParameter):
        Settings(places=7)
