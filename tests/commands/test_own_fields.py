"""Tags and fields of QR Codes, typed: `add`, `set`, `show`, `list`, `scans` and `report`."""

import json
import shutil

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.__main__ import main

LINK = "https://example.com/spring"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    path = tmp_path_factory.mktemp("prepared") / "shop.duckdb"
    with open_portfolio(path, base_url="https://go.example.com") as made:
        made.insert_qrcode(LINK, short_code="door", tags=["old", "shop"], fields={"City": "Graz", "Floor": "2"})
        made.insert_qrcode(LINK, name="Gate", short_code="gate", fields={"City": "Wien"})
        times = ["2026-06-01T09:00:00Z"] * 3
        made.scans.insert(pd.DataFrame({"short_code": ["door", "door", "gate"], "time": times}))
    return path


@pytest.fixture(autouse=True)
def shop(prepared, tmp_path, monkeypatch):
    shutil.copy(prepared, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QRKIT_STORE", "shop.duckdb")


@pytest.fixture
def run(capsys):
    def of(*words, status=0):
        assert main([*words]) == status
        return capsys.readouterr()

    return of


@pytest.fixture
def rows(run):
    return lambda *words: [json.loads(line) for line in run(*words, "--json").out.splitlines()]


def sorting(rows, code):
    (shown,) = rows("show", code)
    return shown["tags"], shown["fields"]


def test_tags_and_fields_are_added_changed_and_removed(rows, run):
    run("add", LINK, "--short-code", "new", "--tag", "a", "--tag", "b", "--field", "City=Linz", "--field", "Room=1=2")
    assert sorting(rows, "new") == ("a, b", {"City": "Linz", "Room": "1=2"})
    run("set", "door", "gate", "--tag", "entrance", "--no-tag", "old", "--field", "City=Enns", "--field", "Floor=")
    assert sorting(rows, "door") == ("shop, entrance", {"City": "Enns"})
    assert sorting(rows, "gate") == ("entrance", {"City": "Enns"})
    out = run("show", "door").out
    assert "shop, entrance" in out
    assert "City (field)" in out


def test_codes_are_listed_by_tag_and_field(rows):
    def found(*words):
        return [row["short_code"] for row in rows("list", *words)]

    assert found("--field", "City=Graz", "--field", "Floor=2") == found("--tag", "shop") == found("graz") == ["door"]
    assert found("--tag", "none", "--tag", "old") == ["door"]
    assert found("--field", "City=Graz", "--tag", "none") == []


def test_scans_are_counted_by_tag_and_field(rows):
    assert [(row["City"], row["scans"]) for row in rows("scans", "--by", "City")] == [("Graz", 2), ("Wien", 1)]
    assert [row["scans"] for row in rows("scans", "--by", "tag", "--tag", "shop")] == [2, 2]
    assert [row["scans"] for row in rows("scans", "--by", "month", "--field", "City=Wien")] == [1]


def test_scans_of_a_tag_or_field_list_no_other_codes(rows):
    assert [row["short_code"] for row in rows("scans", "--tag", "shop")] == ["door"]
    assert [row["short_code"] for row in rows("scans", "--field", "City=Wien")] == ["gate"]
    assert rows("scans", "--tag", "nowhere") == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("set", "door", "--field", "City"), "--field='City': must be a name and a text, such as City=Graz"),
        (("set", "door", "--field", "A=1", "--field", "A=2"), "--field='A=2': names a field for the second time"),
        (("set", "door", "--field", "Comment=x"), "--field='Comment': is the name of a column of exports"),
        (("set", "door", "--tag", "a,b"), "must be one tag, without commas, semicolons and |"),
        (("add", LINK, "--field", f"{'x' * 101}=y"), "must have 1..100 characters, not 101"),
        (("list", "--field", "City"), "--field='City': must be a name and a text"),
        (("list", "--field", "Citi=Graz"), "--field='Citi': is not a field of your QR Codes; did you mean 'City'?"),
        (("scans", "--field", "Citi=Graz"), "--field='Citi': is not a field of your QR Codes; did you mean 'City'?"),
        (("scans", "--imports", "--tag", "shop"), "lists all imports; leave out codes, filters and days"),
        (("scans", "--by", "Town"), "by='Town': must be one of campaign"),
        (("campaign", "add", "May", "--utm", "qr"), "--utm='qr': must be a name and a text, such as source=poster"),
        (("report", "--by", "Town"), "by='Town': must be one of campaign"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(run, words, told):
    out, err = run(*words, status=2)
    assert (out, told in err, err.count("\n")) == ("", True, 1), err


def test_a_caption_of_an_import_shows_a_column_of_its_file(run, tmp_path):
    (tmp_path / "places.csv").write_text("Content,Town\nhttps://example.com/a,Koper\n")
    run("import", "places.csv", "--caption", "{Twon}", status=2)
    run("import", "places.csv", "--caption", "{Town}")
    with open_portfolio("shop.duckdb") as shop:
        code = shop.list_qrcodes()[-1]
        assert shop.image(code).design.frame.caption.text == "Koper"


@pytest.mark.slow
def test_a_report_has_a_table_by_a_field(run, tmp_path):
    run("report", "--by", "City", "--by", "tag")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert ">Graz<" in page
