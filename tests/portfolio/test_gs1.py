"""Products, places and things of a portfolio: their links, in Python and in files."""

import io
import json

import pytest

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, NotFound, UnreadableFile

BASE = "https://id.shop.example"
GTIN = "01/09506000134352"


def link(href="https://shop.example/rice", name="gs1:pip", **fields):
    return {"href": href, "linkType": name, "title": "Rice", **fields}


RECALL = link("https://shop.example/recall", "gs1:recallStatus")


@pytest.fixture
def shop():
    with open_portfolio(":memory:", base_url=BASE) as opened:
        yield opened


@pytest.fixture(scope="module")
def empty_shop():
    """One for all that is refused."""
    with open_portfolio(":memory:", base_url=BASE) as opened:
        yield opened


@pytest.mark.parametrize(
    "what", ["9506000134352", "09506000134352", "(01)09506000134352", GTIN, f"https://other.example/x/{GTIN}?17=1"]
)
def test_a_product_is_a_code_whose_short_url_is_its_digital_link(shop, what):
    code = shop.gs1.set(what, links=[link()], description="Rice, 500 g")
    assert code.short_url == code.encoded == f"{BASE}/{GTIN}"
    assert (code.name, code.content) == ("Rice, 500 g", "https://shop.example/rice")
    assert shop.gs1.get(what).description == "Rice, 500 g"


def test_lots_and_items_are_below_their_product(shop):
    shop.gs1.set(GTIN, links=[link()])
    shop.gs1.set(f"{GTIN}/10/BAD", links=[RECALL])
    shop.gs1.set("(01)09506000134352(21){21}", links=[link("https://shop.example/item/{21}")])
    assert [one.below for one in shop.list_qrcodes()[0].gs1] == ["", "10/BAD", "21/{21}"]
    anchors = [one["anchor"] for one in shop.gs1.linkset(f"{GTIN}/10/BAD/21/7")["linkset"]]
    assert anchors == [f"{BASE}/{GTIN}/10/BAD", f"{BASE}/{GTIN}"]
    assert "https://shop.example/item/7" in json.dumps(shop.gs1.linkset(f"{GTIN}/21/7"))


def test_a_changed_link_changes_the_content_and_keeps_lots(shop):
    shop.gs1.set(GTIN, links=[link()])
    shop.gs1.set(f"{GTIN}/10/A", links=[RECALL])
    code = shop.gs1.set(GTIN, links=[link(), link("https://shop.example/leaflet", "gs1:epil")], default="gs1:epil")
    assert code.content == "https://shop.example/leaflet"
    assert [one.below for one in code.gs1] == ["", "10/A"]


def test_deleting_a_lot_leaves_its_product(shop):
    shop.gs1.set(GTIN, links=[link()])
    shop.gs1.set(f"{GTIN}/10/A", links=[RECALL])
    shop.gs1.delete(f"{GTIN}/10/A")
    with pytest.raises(NotFound, match="10/A"):
        shop.gs1.get(f"{GTIN}/10/A")
    shop.gs1.delete(GTIN)
    assert not shop.find_qrcode(GTIN).active
    with pytest.raises(NotFound, match=GTIN):
        shop.gs1.delete(GTIN)
    assert shop.gs1.set(GTIN, links=[link()]).active
    assert [one.below for one in shop.find_qrcode(GTIN).gs1] == [""]


@pytest.mark.parametrize(
    ("what", "links", "told"),
    [
        ("9506000134353", [link()], "check digit"),
        (f"{GTIN}/21/7/10/A", [link()], "in this order"),
        ("door", [link()], "must be a GTIN, or begin with a GS1 key"),
        (f"{GTIN}/10/A", [link()], "must be set for 01/09506000134352 itself before"),
        (GTIN, [], "must have 1..100 entries"),
        (GTIN, [link(name="gs1:pipp")], "did you mean 'gs1:pip'"),
        (GTIN, [link(), link(name="gs1:defaultLink"), link(name="gs1:defaultLink")], "must have one gs1:defaultLink"),
        ("8004/95060/00134352", [link()], "path"),
    ],
)
def test_what_no_resolver_can_serve_is_refused_and_changes_nothing(empty_shop, what, links, told):
    with pytest.raises(InvalidParameter, match=told):
        empty_shop.gs1.set(what, links=links)
    assert empty_shop.list_qrcodes() == []


def test_a_key_cannot_be_chosen_as_a_short_code(empty_shop):
    """Ruling T19: numbers of GS1 keys are the resolver's."""
    with pytest.raises(InvalidParameter, match="short_code"):
        empty_shop.insert_qrcode("https://empty_shop.example", short_code=GTIN)


@pytest.fixture
def full(shop):
    shop.gs1.set(
        GTIN,
        links=[link(hreflang=["en", "de"], type="text/html"), link(name="gs1:epil", fwqs=False)],
        description="Rice",
    )
    shop.gs1.set(f"{GTIN}/10/A%2FB", links=[RECALL, link(context="SI")])
    shop.gs1.set(f"{GTIN}/21/{{21}}", links=[link("https://shop.example/?s={21}")])
    shop.gs1.set("414/9506000134352", links=[link(name="gs1:locationInfo")])
    return shop


def test_a_linkset_holds_everything(full):
    with open_portfolio(":memory:", base_url=BASE) as copy:
        assert copy.gs1.import_file(full.gs1.export_bytes()) == 2
        assert [(one.short_code, one.gs1) for one in copy.list_qrcodes()] == [
            (one.short_code, one.gs1) for one in full.list_qrcodes()
        ]


@pytest.mark.parametrize("format", ["csv", "xlsx"])
def test_a_table_holds_everything(full, format):
    file, frame = io.BytesIO(), full.gs1.to_frame()
    frame.to_csv(file, index=False) if format == "csv" else frame.to_excel(file, index=False)
    with open_portfolio(":memory:", base_url=BASE) as copy:
        assert copy.gs1.import_file(file.getvalue(), format=format) == 2
        assert [(one.short_code, one.gs1) for one in copy.list_qrcodes()] == [
            (one.short_code, one.gs1) for one in full.list_qrcodes()
        ]


@pytest.mark.parametrize("format", ["csv", "xlsx", "xls", "xml", "json", "zip"])
def test_files_of_portfolios_hold_the_links(full, format):
    with open_portfolio(":memory:", base_url=BASE) as copy:
        copy.import_file(full.export_bytes(format), format=format)
        assert {one.short_code: one.gs1 for one in copy.list_qrcodes()} == {
            one.short_code: one.gs1 for one in full.list_qrcodes()
        }


@pytest.mark.parametrize("what", ["8006/095060001343520302", "8010/0614141ABC/8011/012"])
def test_printed_values_that_no_new_content_may_have_are_kept(shop, what):
    key = "/".join(what.split("/")[:2])
    shop.gs1.set(key, links=[link()])
    shop.gs1.set(what, links=[link()])
    with open_portfolio(":memory:", base_url=BASE) as copy:
        assert copy.gs1.import_file(shop.gs1.export_bytes()) == 1
        assert copy.gs1.export_bytes() == shop.gs1.export_bytes()
        assert copy.gs1.linkset(what)["linkset"][0]["anchor"] == f"{BASE}/{what}"
        copy.gs1.delete(key)
        assert not copy.find_qrcode(key).active


def test_links_survive_a_restart(tmp_path):
    with open_portfolio(tmp_path / "shop.duckdb", base_url=BASE) as one:
        kept = one.gs1.set(GTIN, links=[link()]).gs1
    with open_portfolio(tmp_path / "shop.duckdb", base_url=BASE) as one:
        assert one.find_qrcode(GTIN).gs1 == kept


@pytest.mark.parametrize(
    ("table", "error", "told"),
    [
        ("a,b\n1,2\n", UnreadableFile, "anchor"),
        (
            "anchor,linkType,href,title\n9506000134353,gs1:pip,https://a.example,A\n",
            InvalidParameter,
            "row 2.path.*check digit",
        ),
        (f"anchor,linkType,href,title\n{GTIN},gs1:pipp,https://a.example,A\n", InvalidParameter, "row 2.*did you mean"),
        (f"anchor,linkType,href,title\n{GTIN},gs1:pip,,A\n", InvalidParameter, "row 2.*href"),
    ],
)
def test_what_a_table_gets_wrong_is_named(shop, table, error, told):
    with pytest.raises(error, match=told):
        shop.gs1.import_file(table.encode(), format="csv")
    assert shop.list_qrcodes() == []


def test_an_unknown_format_is_named(shop):
    with pytest.raises(InvalidParameter, match="format='foo': must be one of json, csv, xlsx"):
        shop.gs1.import_file(b"", format="foo")
