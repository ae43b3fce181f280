"""Files that are broken, hostile or of another kind: refused as a whole, or row by row, and nothing else happens."""

import codecs
import io
import json
import os
import random
import stat
import struct
import time
import tracemalloc
import zipfile
import zlib
from datetime import UTC, datetime

import openpyxl
import pytest
import xlwt
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit import generate, open_portfolio
from qrkit.errors import InvalidParameter, UnreadableFile
from qrkit.exchange import EXCHANGE_FORMATS, sniffed, xls_file, xlsx_file, zip_file
from qrkit.exchange.columns import NAMES

some = settings(max_examples=40, derandomize=True, deadline=None)
PNG = generate("hello", size=2).to_bytes("png")
GOOD = b"<item><content>good</content></item>"


@pytest.fixture(scope="module")
def shop():
    """A portfolio with one code, of which nobody may change anything but by a good row."""
    with open_portfolio(":memory:", base_url="https://go.example.com") as portfolio:
        portfolio.insert_qrcode("here", name="Door", campaign_id=portfolio.insert_campaign("Spring").id)
        yield portfolio


def state(portfolio):
    return portfolio.list_campaigns(), portfolio.list_qrcodes()


def refused(portfolio, data, format):
    """The message of a file that is refused as a whole."""
    before = state(portfolio)
    with pytest.raises(UnreadableFile) as caught:
        portfolio.import_file(data, format=format)
    assert (caught.value.status, caught.value.code) == (400, "bad-file")
    assert 0 < len(str(caught.value)) < 500
    assert state(portfolio) == before
    return str(caught.value)


def taken(portfolio, data, format):
    """Contents that came in, and the issues by row; afterwards everything is as it was."""
    before = {one.id for one in portfolio.list_qrcodes()}
    result = portfolio.import_file(data, format=format)
    new = [one for one in portfolio.list_qrcodes() if one.id not in before]
    for one in new:
        portfolio.delete_qrcode(one.id)
    for one in portfolio.list_campaigns()[1:]:
        portfolio.delete_campaign(one.id)
    assert result.created == len(new)
    return [one.content for one in new], [(issue.row, issue.reason) for issue in result.issues]


def archive_of(files, method=zipfile.ZIP_DEFLATED):
    """A zip archive of names, or entries, and their bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


def xlsx_of(*sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet(f"Sheet {number}")
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def xls_of(*sheets):
    book = xlwt.Workbook()
    for number, rows in enumerate(sheets):
        sheet = book.add_sheet(f"Sheet {number}")
        for place, row in enumerate(rows):
            for column, cell in enumerate(row):
                style = xlwt.easyxf(num_format_str="yyyy-mm-dd hh:mm:ss") if isinstance(cell, datetime) else None
                sheet.write(place, column, cell, *([style] if style else []))
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def tracking(items, prolog=""):
    return f"{prolog}<tracking>{items}</tracking>".encode()


def item(cells):
    return f"<item>{cells}</item>"


# ---- files that are refused as a whole

LAUGHS = '<!DOCTYPE tracking [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)
REFUSED = {
    "csv": {
        "nothing": b"",
        "a mark alone": codecs.BOM_UTF8,
        "no heading": b"https://example.com\r\nhttps://example.org\r\n",
        "a separator of no spreadsheet": b"QR Code Name|Content\r\na|b\r\n",
        "another encoding": "Content\r\nGrüße\r\n".encode("cp1252"),
        "UTF-16 without its mark": "Content\r\nx\r\n".encode("utf-16-le"),
        "UTF-16 that is cut": codecs.BOM_UTF16_LE + "Content\r\nx".encode("utf-16-le")[:-1],
        "UTF-32": "Content\r\nx\r\n".encode("utf-32"),
        "a column twice": b"Content,content\r\nx,y\r\n",
        "a quote that is not closed": b'Content\r\nx\r\n"y\r\n',
        "a picture": PNG,
        "xml": tracking(""),
    },
    "xml": {
        "nothing": b"",
        "blanks": b"  \n ",
        "no xml": b"Content\r\nx\r\n",
        "cut": tracking(item("<content>x</content>"))[:-12],
        "crossed": b"<tracking><item><content>x</item></content></tracking>",
        "two roots": tracking("") + tracking(""),
        "another root": b"<html><item><content>x</content></item></html>",
        "another root, in capitals": b"<Tracking></Tracking>",
        "another encoding than it says": tracking("<item><content>\xe9</content></item>").replace(b"\xc3\xa9", b"\xe9"),
        "an encoding that there is not": tracking("", '<?xml version="1.0" encoding="klingon"?>'),
        "a document type alone": tracking(item("<content>x</content>"), "<!DOCTYPE tracking>"),
        "a document type elsewhere": tracking("", '<!DOCTYPE tracking SYSTEM "http://127.0.0.1:9/x.dtd">'),
        "a file as entity": tracking(
            item("<content>&x;</content>"), '<!DOCTYPE tracking [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        ),
        "a parameter entity": tracking("", '<!DOCTYPE tracking [<!ENTITY % x SYSTEM "file:///etc/passwd">%x;]>'),
        "a billion laughs": tracking(item("<content>&j;</content>"), LAUGHS + "]>"),
        "laughs in an attribute": tracking('<item x="&j;"><content>x</content></item>', LAUGHS + "]>"),
        "quadratic laughs": tracking(
            item(f"<content>{'&x;' * 20_000}</content>"), f'<!DOCTYPE tracking [<!ENTITY x "{"x" * 20_000}">]>'
        ),
        "an entity of nobody": tracking(item("<content>&nbsp;</content>")),
        "a character that XML lacks": tracking(item("<content>&#0;</content>")),
        "half a character": tracking(item("<content>&#xD800;</content>")),
        "very deep": tracking("<item>" * 100_000),
        "very deep, and closed": tracking("<item>" * 100_000 + "</item>" * 100_000),
        "an attribute twice": tracking('<item a="1" a="2"/>'),
    },
    "json": {
        "nothing": b"",
        "no json": b"Content\r\nx\r\n",
        "cut": b'[{"content": "x"}',
        "an object": b'{"contents": "x"}',
        "a text": b'"x"',
        "null": b"null",
        "a number": b"7",
        "two of them": b"[][]",
        "a comma too many": b'[{"content": "x"},]',
        "another encoding": '[{"content": "é"}]'.encode("latin-1"),
        "UTF-16": '[{"content": "x"}]'.encode("utf-16"),
        "very deep": b"[" * 100_000,
        "very deep, and closed": b"[" * 100_000 + b"]" * 100_000,
        "deep objects": b'[{"content":' * 50_000,
        "a bare control character": b'[{"content": "a\nb"}]',
    },
    "xls": {
        "nothing": b"",
        "its signature alone": xls_file.SIGNATURE,
        "its signature and zeros": xls_file.SIGNATURE.ljust(4096, b"\0"),
        "cut": xls_of([["Content"], ["x"]])[:2048],
        "no rows": xls_of([]),
        "no heading": xls_of([["x"], ["y"]]),
    },
    "xlsx": {
        "nothing": b"",
        "its signature alone": b"PK\x03\x04",
        "cut": xlsx_of([["Content"], ["x"]])[:-300],
        "no rows": xlsx_of([]),
        "no heading": xlsx_of([["x"], ["y"]]),
        "a zip that says it is one": archive_of({"[Content_Types].xml": "<Types/>"}),
        "a zip that says it is one, and is broken": archive_of({"[Content_Types].xml": "<Types"}),
        "a text of Word": archive_of({"[Content_Types].xml": "<Types/>", "word/document.xml": "<x/>"}),
    },
    "zip": {
        "nothing": b"",
        "no zip": PNG,
        "its signature alone": b"PK\x03\x04",
        "no entries": archive_of({}),
        "an empty folder": archive_of({"a/": ""}),
        "what systems leave behind": archive_of({"__MACOSX/._a.png": "x", ".DS_Store": "x", "a/.hidden.png": PNG}),
        "cut at its end": archive_of({"a.png": PNG})[:-10],
        "cut at its beginning": archive_of({"a.png": PNG, "b.png": PNG})[200:],
        "a manifest that is broken": archive_of({"a.png": PNG, "manifest.xml": "<tracking>"}),
        "a manifest with a document type": archive_of({"manifest.xml": tracking("", "<!DOCTYPE tracking>")}),
        "a gigabyte of zeros": archive_of({"a.png": bytes(100_000_000)}),
        "60,000 entries": archive_of({f"{number}.png": b"" for number in range(60_000)}, zipfile.ZIP_STORED),
        "packed by bzip2": archive_of({"a.png": PNG}, zipfile.ZIP_BZIP2),
        "packed by lzma": archive_of({"a.png": PNG}, zipfile.ZIP_LZMA),
    },
}


@pytest.mark.rule("X2")
@pytest.mark.parametrize(("format", "what"), [(format, what) for format, files in REFUSED.items() for what in files])
def test_a_file_that_cannot_be_read_as_a_whole_is_refused_and_changes_nothing(shop, format, what):
    """Open: files that are no such files. Refused with what is wrong; nothing of them is stored."""
    started = time.perf_counter()
    refused(shop, REFUSED[format][what], format)
    assert time.perf_counter() - started < 10


def test_each_format_has_files_that_are_refused():
    assert set(REFUSED) == set(EXCHANGE_FORMATS)


# ---- rows


@pytest.mark.rule("X2")
@pytest.mark.parametrize(
    ("cells", "reasons"),
    [
        ("<content>x</content><content>y</content>", ["invalid"]),
        ("<content><b>x</b></content>", ["invalid"]),
        ("<content encoding='base64'>?</content>", ["invalid"]),
        ("<content encoding='base64'>/w==</content>", ["invalid"]),
        ("<content/>", ["invalid"]),
        ("", ["invalid"]),
        ("<name>x</name>", ["invalid"]),
        ("<content>x</content><size>99</size>", ["invalid"]),
        ("<content>x</content><latitude>NaN</latitude>", ["invalid"]),
        ("<content>x</content><schedule>[{}]</schedule>", ["invalid"]),
        ("<content>x</content><schedule>" + "[" * 50_000 + "</schedule>", ["invalid"]),
        ("<item><content>x</content></item>", ["invalid"]),
    ],
)
def test_an_item_that_is_wrong_is_an_issue_and_costs_no_other(shop, cells, reasons):
    """Open: items that say something twice, or in elements. They are skipped and told of; the others come in."""
    data = tracking(item("<content>one</content>") + item(cells) + item("<content>two</content>"))
    assert taken(shop, data, "xml") == (["one", "two"], [(2, reason) for reason in reasons])


@pytest.mark.rule("X9")
@pytest.mark.parametrize(
    "data",
    [
        tracking("<!-- c --><?p i?><other>y</other>" + item("<content>x</content><more>z</more><item/>") + "text"),
        tracking(item("<content>x<!-- c --></content>")),
        tracking(item("<content><![CDATA[x]]></content>")),
        tracking(item("\n  <content>x</content>\n"), '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'),
        codecs.BOM_UTF8 + tracking(item("<content>x</content>")),
        '<?xml version="1.0" encoding="UTF-16"?><tracking><item><content>x</content></item></tracking>'.encode(
            "utf-16"
        ),
        tracking("<group>" + item("<content>y</content>") + "</group>" + item("<content>x</content>")),
    ],
)
def test_what_readers_do_not_know_they_pass_over(shop, data):
    """Open: further elements. They are passed over, as are comments; text is text, in whatever encoding."""
    assert taken(shop, data, "xml") == (["x"], [])


def test_nothing_is_included_from_elsewhere(shop):
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/>'
    assert taken(shop, tracking(item(f"<content>{include}</content>")), "xml") == ([], [(1, "invalid")])


@pytest.mark.rule("X1", "X2")
@pytest.mark.parametrize(
    "row",
    [
        *("7", '"x"', "null", "[]", "{}", '{"name": "x"}', '{"content": null}', '{"content": ""}'),
        *('{"content": ["x"]}', '{"content": {"x": 1}}', '{"content": NaN}', '{"content": Infinity}'),
        *('{"content": "x", "content": "y"}', '{"content": "x", "latitude": NaN}', '{"content": "\\ud800"}'),
        *('{"content": "x", "size": 99}', '{"content": "x", "size": [8]}', '{"content": "x", "scans": 1.5}'),
        *('{"content": "x", "scans": -1}', '{"content": "x", "latitude": 1e999}', '{"content": "x", "dynamic": "?"}'),
        *('{"content": "x", "schedule": {}}', '{"content": "x", "schedule": 7}', '{"content": "x", "schedule": [7]}'),
        '{"content": "x", "scans": ' + "9" * 5_000 + "}",
        '{"content": "x", "schedule": ' + "[" * 900 + "]" * 900 + "}",
        '{"content": "x", "campaign": {"name": "x"}}',
    ],
)
def test_an_object_that_is_wrong_is_an_issue_and_costs_no_other(shop, row):
    """Open: values of the wrong kind. Their object is skipped and told of, and the others come in."""
    data = f'[{{"content": "one"}}, {row}, {{"content": "two"}}]'.encode()
    assert taken(shop, data, "json") == (["one", "two"], [(2, "invalid")])


@pytest.mark.rule("X1")
def test_values_of_json_that_say_the_same_are_taken(shop):
    """Open: kinds that are nearly right. Numbers as texts, 3.0, null for nothing, and names nobody knows."""
    data = json.dumps(
        [
            {
                "content": 123,
                "size": "3",
                "version": 3.0,
                "padding": None,
                "dynamic": "YES",
                "latitude": "1.5",
                "owner": 1,
            }
        ]
    )
    result = shop.import_file(data.encode(), format="json")
    assert [(issue.row, issue.reason) for issue in result.issues] == [(1, "unknown-column")]
    code = shop.list_qrcodes()[-1]
    shop.delete_qrcode(code.id)
    assert (code.content, code.properties.size, code.properties.version, code.properties.padding) == ("123", 3, 3, 4)
    assert (code.location.latitude, code.is_dynamic) == (1.5, True)


def test_a_million_names_that_nobody_knows_are_told_of_in_part(shop):
    data = json.dumps([{"content": "x"} | {f"name {number}": 1 for number in range(20_000)}]).encode()
    contents, issues = taken(shop, data, "json")
    assert (contents, len(issues)) == (["x"], 99)


@pytest.mark.rule("X7")
@pytest.mark.parametrize(
    ("data", "contents", "issues"),
    [
        (b"Content\r\n\r\n,,\r\nx\r\n", ["x"], [(3, "invalid")]),
        (b"Comment,Content\r\na\r\nb,x\r\nc,y,z\r\n", ["x"], [(2, "invalid"), (4, "invalid")]),
        (b"Error Correction,Content\r\nH,x\r\nZ,y\r\n", ["x"], [(3, "invalid")]),
        (b"Content\tComment\r\nx\ty\r\n", ["x"], []),
        (b"Content\r\nx\0y\r\n", ["x\0y"], []),
    ],
)
def test_a_row_of_csv_that_is_wrong_costs_no_other(shop, data, contents, issues):
    """Open: rows that are short, long or empty. What is short is filled up, what is long is told of."""
    assert taken(shop, data, "csv") == (contents, issues)


# ---- workbooks


@pytest.mark.rule("X8")
@pytest.mark.parametrize(("format", "workbook"), [("xls", xls_of), ("xlsx", xlsx_of)])
def test_cells_of_any_kind_are_read_as_people_see_them(shop, format, workbook):
    """Open: cells that are no texts. Numbers, dates, yes and no are read as what they show."""
    rows = [
        ["Content", "QR Code Name", "Created (UTC)", "Dynamic", "Size", "Latitude"],
        [123.0, "a", datetime(2026, 3, 1, 12), True, 3.0, -33.5],
        ["x", 46.05, "2026-03-01 12:00:00", False, "3", "-33.5"],
        ["x", "c", 46082.5, 1, 3, -33.5],
    ]
    result = shop.import_file(workbook(rows), format=format)
    codes = shop.list_qrcodes()[1:]
    for code in codes:
        shop.delete_qrcode(code.id)
    assert [(issue.row, issue.reason) for issue in result.issues] == [(4, "invalid")]
    assert "Created (UTC)='46082.5'" in result.issues[0].error
    assert [(code.content, code.name, code.is_dynamic) for code in codes] == [("123", "a", True), ("x", "46.05", False)]
    assert {code.created for code in codes} == {datetime(2026, 3, 1, 12, tzinfo=UTC)}
    assert {(code.properties.size, code.location.latitude) for code in codes} == {(3, -33.5)}


@pytest.mark.rule("X8")
def test_formulas_without_what_they_showed_and_errors_are_empty(shop):
    """Open: cells that have no value of their own. They are empty: no code of "#REF!" is ever printed."""
    old = xls_of([["Content", "QR Code Name"], [xlwt.Formula("1+1"), "a"], ["x", "b"]])
    book = openpyxl.load_workbook(io.BytesIO(xlsx_of([["Content", "QR Code Name"], ["=1+1", "a"], ["x", "b"]])))
    book.active["A3"].value = "#REF!"
    assert book.active["A3"].data_type == "e"
    book.active["A4"] = "y"
    new = io.BytesIO()
    book.save(new)
    assert taken(shop, old, "xls") == (["x"], [(2, "invalid")])
    assert taken(shop, new.getvalue(), "xlsx") == (["y"], [(2, "invalid"), (3, "invalid")])


@pytest.mark.rule("X8")
@pytest.mark.parametrize(("format", "workbook"), [("xls", xls_of), ("xlsx", xlsx_of)])
def test_sheets_with_the_same_heading_go_on_and_others_are_left_alone(shop, format, workbook):
    """Open: several sheets. The first counts, and those that go on under its heading; notes are not codes."""
    data = workbook([["Content"], ["x"]], [["Notes"], ["buy milk"]], [["Content"], ["y"]], [])
    assert taken(shop, data, format) == (["x", "y"], [])


@pytest.mark.rule("X8")
def test_the_signature_wins_over_the_name(shop, tmp_path):
    """Open: a file under another name. Its first bytes say what it is; texts under xls are read as csv or xml."""
    files = {name: EXCHANGE_FORMATS[name].write for name in EXCHANGE_FORMATS}
    assert set(files) == {"csv", "xls", "xml", "zip", "json", "xlsx"}
    for data in (xls_of([["Content"], ["x"]]), xlsx_of([["Content"], ["x"]]), archive_of({"x.png": PNG})):
        for named in EXCHANGE_FORMATS:
            assert taken(shop, data, named)[0] in (["x"], ["hello"])
    for named in ("xls", "xlsx"):
        assert taken(shop, b"Content\r\nx\r\n", named) == (["x"], [])
        assert taken(shop, tracking(item("<content>x</content>")), named) == (["x"], [])
        assert sniffed(b"", named).name == "csv"
    with pytest.raises(InvalidParameter):
        shop.import_file(b"", format="ods")


XLS = xls_of([list(NAMES), *[["Spring", f"Door {row}", f"https://example.com/{row}"] for row in range(20)]])
XLSX = xlsx_of([list(NAMES), *[["Spring", f"Door {row}", f"https://example.com/{row}"] for row in range(20)]])
ZIP = archive_of({"a/b.png": PNG, "manifest.xml": tracking(item("<content>x</content><file>a/b.png</file>"))})


def mutated(data, seed, most=8):
    """The same bytes with a few of them changed, cut out or put in."""
    chance = random.Random(seed)
    found = bytearray(data)
    for _ in range(chance.randint(1, most)):
        place = chance.randrange(len(found))
        what = chance.random()
        if what < 0.8:
            found[place] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        elif what < 0.9:
            del found[place : place + chance.randint(1, 64)]
        else:
            found[place:place] = chance.randbytes(chance.randint(1, 64))
    return bytes(found)


@pytest.mark.rule("X8", "X10")
@pytest.mark.filterwarnings("ignore:.*:UserWarning:openpyxl")
@pytest.mark.parametrize(("format", "data"), [("xls", XLS), ("xlsx", XLSX), ("zip", ZIP)])
def test_200_damaged_files_are_read_or_refused_in_bounded_time(format, data):
    """Open: files that are damaged. A table or one error comes of them, soon, whatever bytes are wrong."""
    reader, outcomes, slowest = EXCHANGE_FORMATS[format], set(), 0.0
    for seed in range(200):
        started = time.perf_counter()
        try:
            table = reader.read(mutated(data, seed), lambda picture: "hello")
            outcomes.add("read")
            assert {"Content", "Error"} <= set(table.columns)
        except UnreadableFile:
            outcomes.add("refused")
        slowest = max(slowest, time.perf_counter() - started)
    assert outcomes == {"read", "refused"}
    assert slowest < 5


@pytest.mark.rule("X8")
@pytest.mark.filterwarnings("ignore:.*:UserWarning:openpyxl")
def test_a_workbook_whose_parts_are_damaged_is_read_or_refused():
    """Open: the same inside of the archive, where its checksums do not see it."""
    parts = {
        name: zipfile.ZipFile(io.BytesIO(XLSX)).read(name) for name in zipfile.ZipFile(io.BytesIO(XLSX)).namelist()
    }
    for seed in range(100):
        name = random.Random(seed).choice(sorted(parts))
        data = archive_of(parts | {name: mutated(parts[name], seed)}, zipfile.ZIP_STORED)
        try:
            assert "Content" in xlsx_file.read(data)
        except UnreadableFile as error:
            assert str(error)


@pytest.mark.rule("X8")
def test_a_workbook_cannot_claim_rows_columns_or_entities_without_end():
    """Open: small workbooks that claim to be large. Rows and columns beyond those of Excel are not looked at."""
    parts = {
        name: zipfile.ZipFile(io.BytesIO(XLSX)).read(name) for name in zipfile.ZipFile(io.BytesIO(XLSX)).namelist()
    }
    (name,) = (name for name in parts if "sheet1" in name)
    far = parts[name].replace(b'<row r="21"', b'<row r="99999999999999"')
    assert far != parts[name]
    assert len(xlsx_file.read(archive_of(parts | {name: far}))) == 19
    doctype = b'<!DOCTYPE x [<!ENTITY a "b">]>'
    for mark in (b"", codecs.BOM_UTF16_LE):
        text = doctype.decode().encode("utf-16-le") if mark else doctype
        with pytest.raises(UnreadableFile, match="document type"):
            xlsx_file.read(archive_of(parts | {name: mark + text + parts[name]}))


# ---- archives


@pytest.mark.rule("X10")
@pytest.mark.parametrize(
    ("name", "campaign", "code"),
    [
        ("../../evil.png", "", "evil"),
        ("/etc/evil.png", "etc", "evil"),
        ("C:\\Windows\\evil.png", "C:/Windows", "evil"),
        ("..\\..\\evil.png", "", "evil"),
        ("a/./../b//evil.png", "a/b", "evil"),
        ("Spring/Door.PNG", "Spring", "Door"),
        ("a/b/c.d.png", "a/b", "c.d"),
        ("Früh/Tür 🌷.png", "Früh", "Tür 🌷"),
        ("שלום/=1+1.png", "שלום", "=1+1"),
        ("manifest.png", "", "manifest"),
        ("a/manifest.xml.png", "a", "manifest.xml"),
    ],
)
def test_a_bare_picture_is_a_code_named_by_its_path_and_nothing_is_written(tmp_path, monkeypatch, name, campaign, code):
    """Open: archives without a manifest. The folder is the campaign, the name the code, the content what is decoded."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    with open_portfolio(":memory:") as portfolio:
        result = portfolio.import_file(archive_of({name: PNG}), format="zip")
        (one,) = portfolio.list_qrcodes()
        assert (one.name, one.content, one.is_dynamic, result.issues) == (code, "hello", False, ())
        assert [each.name for each in portfolio.list_campaigns()] == ([campaign] if campaign else [])
    assert [path.name for path in tmp_path.rglob("*")] == ["work"]


@pytest.mark.rule("X10")
@pytest.mark.parametrize("name", ["Tür/é.png", "日本/語.png", "été.png"])
def test_names_that_are_utf_8_and_do_not_say_so_are_read_as_utf_8(name):
    """Open: names of entries. UTF-8 where they say so or look so, else code page 437, as the format has it."""
    stand_in = "x" * len(name.encode())
    data = archive_of({stand_in: PNG}).replace(stand_in.encode(), name.encode())
    table = zip_file.read(data, lambda picture: "x")
    assert "/".join(filter(None, table[["Campaign Name", "QR Code Name"]].iloc[0])) + ".png" == name
    old = archive_of({"xx.png": PNG}).replace(b"xx.png", b"\x81\x82.png")
    assert zip_file.read(old, lambda picture: "x")["QR Code Name"].tolist() == ["üé"]


def symlink(name):
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


def white(width, height, mode="1"):
    file = io.BytesIO()
    Image.new(mode, (width, height), 1).save(file, "png")
    return file.getvalue()


@pytest.mark.rule("X10", "X2")
@pytest.mark.parametrize(
    "files",
    [
        {"blank.png": white(100, 100)},
        {"text.png": b"hello"},
        {"empty.png": b""},
        {"cut.png": PNG[:-20]},
        {"huge.png": white(8_000, 8_000)},
        {"claim.png": PNG[:16] + struct.pack(">II", 2**31 - 1, 2**31 - 1) + PNG[24:]},
        {"large.png": os.urandom(zip_file.MOST_PICTURE_BYTES + 1)},
        {"nested.zip": archive_of({"a.png": PNG})},
        {"picture.jpg": generate("x").to_bytes("jpg")},
        {"noname": PNG},
        {symlink("link.png"): b"/etc/passwd"},
        {"Manifest.xml": tracking("")},
        {"a/manifest.xml": tracking(item("<content>x</content>"))},
    ],
    ids=lambda files: str(*[getattr(name, "filename", name) for name in files]),
)
def test_what_cannot_be_decoded_is_told_of_and_costs_no_other(shop, files):
    """Open: files that are no pictures of codes. A warning that begins with undecodable; the others come in."""
    data = archive_of({"a.png": PNG, **files, "z.png": generate("zz", size=2).to_bytes("png")})
    assert taken(shop, data, "zip") == (["hello", "zz"], [(2, "undecodable")])


@pytest.mark.rule("X10")
def test_a_manifest_wins_over_its_pictures_and_further_pictures_are_read(shop):
    """Open: what counts where both speak. The manifest; a picture that it does not tell of is decoded."""
    manifest = tracking(
        item("<campaign>A/B</campaign><name>Door?</name><content>there</content><file>A_B\\Door_.png</file>")
        + item("<name>gone</name><content>lost picture</content><file>gone.png</file>")
    )
    data = archive_of({"A_B/Door_.png": PNG, "further.png": PNG, "manifest.xml": manifest})
    result = shop.import_file(data, format="zip")
    codes = shop.list_qrcodes()[1:]
    for code in codes:
        shop.delete_qrcode(code.id)
    shop.delete_campaign(shop.list_campaigns()[-1].id)
    assert result.issues == ()
    assert [(code.name, code.content) for code in codes] == [
        ("Door?", "there"),
        ("gone", "lost picture"),
        ("further", "hello"),
    ]


def patched(data, **fields):
    """An archive whose central directory claims something else of its first entry."""
    places = {"flags": (8, "<H"), "compressed": (20, "<I"), "size": (24, "<I"), "offset": (42, "<I")}
    found, start = bytearray(data), data.index(b"PK\x01\x02")
    for name, value in fields.items():
        place, form = places[name]
        struct.pack_into(form, found, start + place, value)
    return bytes(found)


@pytest.mark.rule("X10")
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (patched(archive_of({"a.png": PNG}), size=2**31), "claims to hold 2,147,483,648 bytes"),
        (patched(archive_of({"a.png": PNG}), flags=1), "has a password"),
        (patched(archive_of({"a.png": PNG}), compressed=2**30), "is cut off"),
        (patched(archive_of({"a.png": PNG, "b.png": PNG}), compressed=len(PNG) * 2), "overlap"),
        (archive_of({"manifest.xml": b" " * 90_000_000}), "claims to hold"),
    ],
)
def test_claims_of_an_archive_are_checked_before_anything_is_unpacked(shop, data, words):
    """Open: bombs. Sizes, ratio, number and places of entries are judged first, and nothing is unpacked beyond them."""
    assert words in refused(shop, data, "zip")


def test_an_entry_twice_is_refused(shop):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("a.png", PNG)
        archive.writestr("a.png", PNG)
    assert "holds 'a.png' twice" in refused(shop, file.getvalue(), "zip")


@pytest.mark.rule("X10")
@pytest.mark.parametrize("name", ["a.png", "manifest.xml", "[Content_Types].xml"])
def test_an_entry_that_is_larger_than_it_claims_takes_no_more_memory(name):
    """Open: entries that lie about their size. They are unpacked as far as they claim, and are damaged."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(bytes(200_000_000)) + packer.flush()
    data = archive_of({name: packed}, zipfile.ZIP_STORED)
    data = data.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x00\x00\x08\x00")
    data = data.replace(b"PK\x03\x04\x14\x00\x00\x00\x00\x00", b"PK\x03\x04\x14\x00\x00\x00\x08\x00")
    data = patched(data, size=1_000)
    tracemalloc.start()
    try:
        for read in (lambda: zip_file.read(data, lambda picture: "x"), lambda: xlsx_file.read(data)):
            try:
                assert read()["Reason"].tolist() == ["undecodable"]
            except UnreadableFile as error:
                assert str(error)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.rule("X10")
def test_pictures_that_are_too_large_together_are_not_all_looked_at(monkeypatch):
    """Open: archives of many large pictures. Beyond a number of pixels they are told of, not looked at."""
    monkeypatch.setattr(zip_file, "MOST_PIXELS", 2 * 10_000 + 50_000_000)
    files = {f"{number}.png": white(100, 100) for number in range(2)} | {"gif.png": b"GIF89a", "more.png": white(1, 1)}
    table = zip_file.read(archive_of(files), lambda picture: "x")
    assert table["Reason"].tolist() == ["", "", "", "undecodable"]
    assert "too many pixels in all" in table["Error"].iloc[-1]


# ---- anything at all


@pytest.mark.parametrize("format", EXCHANGE_FORMATS)
@given(
    st.binary(max_size=80), st.sampled_from([b"", b"[", b"<tracking>", b"PK\x03\x04", xls_file.SIGNATURE, b"Content\n"])
)
@some
def test_any_bytes_are_read_or_refused(format, data, start):
    try:
        found = sniffed(start + data, format).read(start + data, lambda picture: "x")
        assert {"Content", "Error", "Reason"} <= set(found.columns)
    except UnreadableFile as error:
        assert str(error)


@pytest.mark.parametrize(
    ("format", "data"),
    [
        ("xml", tracking(item("<name>a</name><content encoding='base64'>eA==</content>") * 3)),
        ("json", b'[{"content": "x", "scans": 7, "schedule": [{"content": "y", "date": "2026-01-01T00:00:00Z"}]}]'),
        ("csv", b'Content,Comment\r\n"x, y",z\r\n'),
    ],
)
def test_damaged_texts_are_read_or_refused(shop, format, data):
    before = state(shop)
    for seed in range(150):
        broken = mutated(data, seed, most=3)
        try:
            with shop.store.atomic():
                shop.import_file(broken, format=format)
                raise LookupError("leave nothing behind")
        except (UnreadableFile, LookupError) as error:
            assert str(error)
    assert state(shop) == before
