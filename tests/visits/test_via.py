"""Scans of a picture are told from clicks of its short URL, by a marker that only pictures have."""

import pandas as pd
import pytest
import qrkit.accessor  # noqa: F401 - adds df.qr

from qrkit import analytics, decode, open_portfolio
from qrkit.errors import InvalidParameter, NotFound
from qrkit.store import Store
from qrkit.store.history.archiving import archive
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.upkeep.moving import migrate
from qrkit.visits.redirect import Redirects, Request

HOME = "https://example.com/home"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 "
    "Mobile/15E148 Safari/604.1"
)


@pytest.fixture
def shop(new_place):
    with open_portfolio(new_place(), base_url="https://go.example.com") as portfolio:
        yield portfolio


def ask(shop, code, query="", address="192.0.2.1"):
    """Where a request leads; the visit is recorded."""
    request = Request("GET", code, {"user-agent": IPHONE}, address, query)
    return Redirects(shop.store, pass_query=["*"]).answer(request).destination.link


def ways(shop):
    return dict(analytics.scans_by(shop.scans, "via")[["via", "scans"]].to_numpy())


@pytest.mark.rule("T22")
def test_pictures_of_new_codes_have_a_marker_and_short_urls_none(shop):
    door = shop.insert_qrcode(HOME, short_code="door", urlinfo="Spring sale")
    gate = shop.insert_qrcode(HOME, short_code="summer/gate", scan_marker=False)
    static = shop.insert_qrcode(HOME, is_dynamic=False)
    assert [door.encoded, gate.encoded, static.encoded] == [
        "https://go.example.com/door/spring-sale?q",
        "https://go.example.com/summer/gate",
        HOME,
    ]
    assert decode(shop.image(door).to_bytes("png")).content == door.encoded
    assert door.short_url == "https://go.example.com/door/spring-sale"
    assert "content=https%3A%2F%2Fgo.example.com%2Fdoor%2Fspring-sale%3Fq" in door.image_url
    assert shop.find_qrcode(door.encoded).id == door.id
    assert [one.scan_marker for one in shop.list_qrcodes()] == [True, False, False]
    assert shop.update_qrcode(door.id, name="Door").scan_marker


@pytest.mark.rule("T22")
def test_a_picture_without_room_goes_without_the_marker(shop):
    full = {"version": 2, "ec": "L"}  # 32 bytes
    assert [shop.insert_qrcode(HOME, short_code=code, properties=full).scan_marker for code in ("x" * 7, "x" * 8)] == [
        True,
        False,
    ]


@pytest.mark.rule("T22")
def test_scans_are_told_from_clicks(shop):
    for code, is_marked in (("door", None), ("gate", False)):
        shop.insert_qrcode(HOME, short_code=code, scan_marker=is_marked)
    assert ask(shop, "door", "q", "192.0.2.1") == HOME
    assert ask(shop, "door", "q=&a=1", "192.0.2.2") == f"{HOME}?a=1"
    assert ask(shop, "door", "q=words", "192.0.2.3") == f"{HOME}?q=words"
    assert ask(shop, "door", address="192.0.2.4") == HOME
    ask(shop, "gate", address="192.0.2.5")
    assert ways(shop) == {"scan": 2, "link": 2, "unknown": 1}
    assert shop.scans.where(via="scan").count() == 2
    assert shop.list_qrcodes()[0].scans == 4
    with pytest.raises(InvalidParameter, match="must be one of scan, link"):
        shop.scans.where(via="picture")
    with pytest.raises(NotFound):
        ask(shop, "nothing", "q")
    include_waiting(shop.store)
    assert [row["via"] for row in shop.store.rows("SELECT via FROM visits WHERE kind = 'orphan'")] == ["scan"]


def test_rules_do_not_see_the_marker(shop):
    rule = {"conditions": [{"type": "any-value-query-param", "match_key": "q"}], "content": "https://example.com/q"}
    shop.insert_qrcode(HOME, short_code="door", rules=[rule])
    assert [ask(shop, "door", query) for query in ("q", "q&q=1")] == [HOME, "https://example.com/q?q=1"]
    assert shop.explain("door", Request("GET", "", {}, query="q")).content == HOME


@pytest.mark.slow
def test_the_way_survives_archives_moves_and_tables(tmp_path):
    shop = open_portfolio(tmp_path / "shop.duckdb")
    shop.insert_qrcode(HOME, short_code="door")
    rows = [
        {"short_code": "door", "time": f"2026-01-0{day}T10:00:00Z", "user_agent": IPHONE, "via": way}
        for day, way in enumerate(["scan", "scan", "link", None], 1)
    ]
    assert shop.scans.insert(rows) == 4
    assert shop.scans.insert(rows) == 0
    found = {"scan": 2, "link": 1, "unknown": 1}
    assert ways(shop) == found
    archive(shop.store)
    assert ways(shop) == found
    with Store(tmp_path / "moved.duckdb") as other:
        migrate(shop.store, other)
    with open_portfolio(tmp_path / "moved.duckdb") as moved:
        assert ways(moved) == found
    shop.scans.to_parquet(tmp_path / "scans.parquet")
    with pytest.raises(InvalidParameter, match="must be one of scan, link"):
        shop.scans.insert([rows[0] | {"via": "mail"}])
    shop.close()


@pytest.mark.parametrize("format", ["json", "xml", "zip"])
def test_files_keep_which_pictures_have_the_marker(format, tmp_path):
    with open_portfolio(":memory:", base_url="https://go.example.com") as shop:
        for is_marked in (True, False):
            shop.insert_qrcode(HOME, name=str(is_marked), scan_marker=is_marked)
        shop.export_file(tmp_path / f"codes.{format}")
        before = [code.encoded for code in shop.list_qrcodes()]
    with open_portfolio(":memory:", base_url="https://go.example.com") as other:
        assert other.import_file(tmp_path / f"codes.{format}").issues == ()
        assert [code.encoded for code in other.list_qrcodes()] == before


@pytest.mark.rule("T22")
def test_imported_codes_are_marked_if_they_are_new(shop):
    rows = [{"content": HOME, "name": "new"}, {"content": HOME, "name": "old", "short_url": "https://a.example/old"}]
    shop.import_frame(pd.DataFrame(rows))
    assert [(code.name, code.scan_marker) for code in shop.list_qrcodes()] == [("new", True), ("old", False)]


@pytest.mark.rule("T22")
def test_short_urls_that_may_be_drawn_have_no_marker(shop):
    tracked = pd.DataFrame({"url": [HOME]}).qr.track(shop)
    assert shop.find_qrcode(tracked["short_url"][0]).encoded == tracked["short_url"][0]
    short_url = shop.shorten(f"{HOME}/2")
    assert shop.find_qrcode(short_url).encoded == short_url


def test_plain_codes_share_their_terms_after_a_restart(tmp_path):
    with open_portfolio(tmp_path / "a.duckdb") as shop:
        shop.insert_qrcode(HOME, short_code="door")
        shop.insert_qrcode(HOME, short_code="gate", scan_marker=False)
    with open_portfolio(tmp_path / "a.duckdb") as shop:
        assert [ask(shop, code, query) for code, query in (("door", ""), ("gate", "q"))] == [HOME] * 2
        assert ways(shop) == {"link": 1, "scan": 1}
