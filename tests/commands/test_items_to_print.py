"""A table of items becomes a sheet of labels, which tills and phones read and follow."""

import csv
import json
import subprocess
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import jsonschema
import pytest
from PIL import Image

from qrkit import analytics, decode_all, open_portfolio
from qrkit.__main__ import main
from tests.server.linksets import SCHEMA
from tests.server.processes import served

BASE = "https://id.example.com"
PRODUCT = "/01/09506000134352"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1"
TILL = {"Accept": "application/linkset+json", "User-Agent": "Till/1.0"}
LOTS = ("A1", "B2", "BAD")
ITEMS = [
    {"GTIN": "9506000134352", "Lot": LOTS[number % 3], "Serial": str(number), "Expiry": "2027-12-31"}
    for number in range(1, 25)
]


def page(href, name, **fields):
    return {"href": f"https://example.com/{href}", "linkType": name, "title": href, **fields}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Path("items.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, ITEMS[0])
        table.writeheader()
        table.writerows(ITEMS)
    with open_portfolio("shop.duckdb", base_url=BASE) as shop:
        languages = [page(name, "gs1:pip", hreflang=name) for name in ("en", "de")]
        several = [page(name, "gs1:defaultLinkMulti", hreflang=name) for name in ("en", "de")]
        shop.gs1.set("9506000134352", links=[*languages, *several], description="Rice")
        recalls = [page("recall", name, hreflang=one) for name in ("gs1:defaultLinkMulti",) for one in ("en", "de")]
        shop.gs1.set("9506000134352/10/BAD", links=[page("recall", "gs1:recallStatus"), *recalls])
    return tmp_path


def link_of(item):
    return f"{BASE}{PRODUCT}/10/{item['Lot']}/21/{item['Serial']}?17=271231"


@pytest.mark.slow
@pytest.mark.needs("pdftoppm")
def test_from_a_table_of_items_to_labels_that_tills_and_phones_read(folder):
    table = ("--from", "items.csv", "--gs1", BASE, "--line", "{hri}")
    assert main(["sheet", "labels.pdf", "--stock", "DECAdry DLW-1787", *table]) == 0
    subprocess.run(["pdftoppm", "-r", "200", "-gray", "-singlefile", "labels.pdf", "labels"], check=True)
    found = {one.content for one in decode_all(Image.open("labels.pgm"))}
    assert found == {link_of(item) for item in ITEMS}
    with served("shop.duckdb") as (_, url):
        connection = HTTPConnection(urlsplit(url).netloc, timeout=60)

        def ask(item, **headers):
            connection.request("GET", link_of(item).removeprefix(BASE), headers={"User-Agent": PHONE} | headers)
            reply = connection.getresponse()
            return reply.status, reply.headers["Location"], reply.read()

        for item in ITEMS:
            end = "recall" if item["Lot"] == "BAD" else "de"
            status, location, _ = ask(item, **{"Accept-Language": "de-AT,de;q=0.9"})
            assert (status, location) == (302, f"https://example.com/{end}?17=271231")
            status, _, body = ask(item, **TILL)
            assert status == 200
            jsonschema.validate(json.loads(body), SCHEMA)
            assert json.loads(body)["linkset"][-1]["anchor"].endswith(PRODUCT)
        connection.close()
    with open_portfolio("shop.duckdb") as shop:
        scans = analytics.scans_by(shop.scans, "lot")
        assert dict(scans[["lot", "scans"]].to_numpy()) == {"A1": 8, "B2": 8, "BAD": 8}


def test_the_text_of_an_item_is_below_its_code(folder, capsys):
    written = ("--from", "items.csv", "--gs1", BASE, "--names", "{hri}", "-o", "codes", "--json")
    assert main(["generate", *written]) == 0
    names = {file.stem for file in Path("codes").iterdir()}
    assert "(01)09506000134352 (10)BAD (21)2 (17)271231" in names
    Path("wrong.csv").write_text("gtin,lot\n9506000134352,A\n9506000134353,A\n", encoding="utf-8")
    assert main(["generate", "--from", "wrong.csv", "--gs1", BASE, "-o", "wrong"]) != 0
    assert "row 3" in capsys.readouterr().err


@pytest.mark.parametrize("command", [("generate", "-o", "codes"), ("sheet", "labels.pdf", "--stock", "L7160")])
def test_a_wrong_domain_is_told_once_as_the_option(folder, capsys, command):
    assert main([*command, "--from", "items.csv", "--gs1", f"{BASE}/?x=1"]) == 2
    assert capsys.readouterr().err.count(f"gs1='{BASE}/?x=1': must be a web address without a query") == 1


def test_links_are_set_listed_and_moved_in_a_terminal(folder, capsys):
    store = ("--store", "other.duckdb")
    link = "gs1:recallStatus=https://example.com/recall"
    assert main(["gs1", "set", "9506000134352", "--link", link, *store, "--base-url", BASE]) == 0
    assert f"{BASE}{PRODUCT}" in capsys.readouterr().out
    assert main(["gs1", "show", f"{PRODUCT}/10/A", *store]) == 0
    jsonschema.validate(json.loads(capsys.readouterr().out), SCHEMA)
    assert main(["gs1", "list", *store]) == 0
    assert PRODUCT[1:] in capsys.readouterr().out
    assert main(["gs1", "export", "links.csv", "--store", "shop.duckdb"]) == 0
    assert main(["gs1", "import", "links.csv", *store]) == 0
    with open_portfolio("shop.duckdb") as shop, open_portfolio("other.duckdb") as other:
        assert shop.gs1.to_frame().equals(other.gs1.to_frame())
    assert main(["gs1", "set", "9506000134352", "--link", "gs1:pipp=https://example.com", *store]) != 0
    assert "did you mean 'gs1:pip'" in capsys.readouterr().err


def test_setting_a_lot_prints_its_own_url(folder, capsys):
    for key in ("9506000134352", "9506000134352/10/A%2FB"):
        options = ("--link", "gs1:pip=https://example.com/rice", "--store", "lots.duckdb", "--base-url", BASE)
        assert main(["gs1", "set", key, *options]) == 0
    assert capsys.readouterr().out == f"{BASE}{PRODUCT}: set\n{BASE}{PRODUCT}/10/A%2FB: set\n"
