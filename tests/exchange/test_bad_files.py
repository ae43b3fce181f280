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
from functools import cache
from wsgiref.validate import validator

import openpyxl
import pytest
import xlwt
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit import decode, generate, open_portfolio
from qrkit.errors import InvalidParameter, UnreadableFile
from qrkit.exchange import EXCHANGE_FORMATS, Reading, archives, sniffed, xls_file, xml_file, zip_file
from qrkit.exchange.columns import ALL_NAMES, ELEMENTS, NAMES
from qrkit.portfolio.access import create_key
from qrkit.server import Client, Settings, make_app
from qrkit.server.statuses import status_of
from tests.exchange.reading import read_frame
from tests.sweeps import quick_first

some = settings(max_examples=40)
PNG = generate("hello", size=2).to_bytes("png")


@pytest.fixture(scope="module")
def shop():
    """A portfolio with one code, of which nobody may change anything but by a good row."""
    with open_portfolio(":memory:", base_url="https://go.example.com") as portfolio:
        portfolio.insert_qrcode("here", name="Door", campaign_id=portfolio.insert_campaign("Spring").id)
        yield portfolio


@pytest.fixture(scope="module")
def post(shop):
    """Sends a file to endpoint 12, as the owner of the shop."""
    quiet = Settings(base_url=shop.base_url, generates_a_minute=0, unknown_codes_a_minute=0)
    client, key = Client(validator(make_app(shop.store, quiet))), create_key(shop.store, shop.account)

    def post(data, format):
        return client.request("POST", "/api/v3/track/import", query=f"format={format}&auth={key}", body=data)

    return post


def state(portfolio):
    return portfolio.list_campaigns(), portfolio.list_qrcodes()


def refused(portfolio, data, format):
    """The message of a file that is refused as a whole."""
    before = state(portfolio)
    with pytest.raises(UnreadableFile) as caught:
        portfolio.import_file(data, format=format)
    assert (status_of(caught.value), caught.value.code) == (400, "bad-file")
    assert 0 < len(str(caught.value)) < 500
    assert state(portfolio) == before
    return str(caught.value)


def brought(portfolio, bring):
    """What this brings, and what comes of it: the codes that are new; afterwards everything is as it was."""
    before = {one.id for one in (*portfolio.list_qrcodes(), *portfolio.list_campaigns())}
    result = bring()
    new = [one for one in portfolio.list_qrcodes() if one.id not in before]
    portfolio.delete_qrcodes([one.id for one in new])
    # Campaigns of the same second are listed in any order, so the first need not be that of the shop.
    for one in portfolio.list_campaigns():
        if one.id not in before:
            portfolio.delete_campaign(one.id)
    return result, new


def taken(portfolio, data, format):
    """Contents that came in, and the issues by row; afterwards everything is as it was."""
    result, new = brought(portfolio, lambda: portfolio.import_file(data, format=format))
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


def patched(data, **fields):
    """An archive whose central directory claims something else of its first entry."""
    places = {"flags": (8, "<H"), "compressed": (20, "<I"), "size": (24, "<I"), "offset": (42, "<I")}
    found, start = bytearray(data), data.index(b"PK\x01\x02")
    for name, value in fields.items():
        place, form = places[name]
        struct.pack_into(form, found, start + place, value)
    return bytes(found)


def claiming(data, place):
    """A compound file whose header claims 2**31 - 1 at this place."""
    return data[:place] + struct.pack("<I", 2**31 - 1) + data[place + 4 :]


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
        "UTF-16 that is cut": codecs.BOM_UTF16_LE + "Content\r\nx".encode("utf-16-le")[:-1],
        "no content": b"QR Code Name,Size\r\na,8\r\n",
        "a heading alone that is not ours": b"PK,Text\r\n",
        "a column twice": b"Content,content\r\nx,y\r\n",
        "quotes that are not closed": b"Content\r\n" + b'"y"z\r\n' * 101,
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
        "other elements": b"<tracking><qrcode><content>x</content></qrcode></tracking>",
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
        "UTF-16 that is cut": '[{"content": "x"}]'.encode("utf-16")[:-1],
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
        "no content": xls_of([["QR Code Name", "Size"], ["a", 8]]),
        "a column twice": xls_of([["Content", "content"], ["x", "y"]]),
        "a table of sectors that is elsewhere": claiming(xls_of([["Content"], ["x"]]), 76),
        "a directory that is elsewhere": claiming(xls_of([["Content"], ["x"]]), 48),
    },
    "xlsx": {
        "nothing": b"",
        "its signature alone": b"PK\x03\x04",
        "cut": xlsx_of([["Content"], ["x"]])[:-300],
        "no rows": xlsx_of([]),
        "no heading": xlsx_of([["x"], ["y"]]),
        "no content": xlsx_of([["QR Code Name", "Size"], ["a", 8]]),
        "a column twice": xlsx_of([["Content", "content"], ["x", "y"]]),
        "a part of 2 GB": patched(xlsx_of([["Content"], ["x"]]), size=2**31),
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
        "a part of 2 GB": patched(archive_of({"a.png": PNG}), size=2**31),
        "a manifest that laughs": archive_of({"manifest.xml": tracking(item("<content>&j;</content>"), LAUGHS + "]>")}),
        "a manifest that is broken": archive_of({"a.png": PNG, "manifest.xml": "<tracking>"}),
        "a manifest with a document type": archive_of({"manifest.xml": tracking("", "<!DOCTYPE tracking>")}),
        "a gigabyte of zeros": lambda: archive_of({"a.png": bytes(100_000_000)}),
        "60,000 entries": lambda: archive_of({f"{number}.png": b"" for number in range(60_000)}, zipfile.ZIP_STORED),
        "packed by bzip2": archive_of({"a.png": PNG}, zipfile.ZIP_BZIP2),
        "packed by lzma": archive_of({"a.png": PNG}, zipfile.ZIP_LZMA),
    },
}


@cache
def refusable(format, what):
    """A file of REFUSED; large ones are made when they are asked for, not when tests are looked for."""
    data = REFUSED[format][what]
    return data() if callable(data) else data


each_refused = pytest.mark.parametrize(
    ("format", "what"),
    [
        pytest.param(format, what, marks=pytest.mark.slow if what == "60,000 entries" else ())
        for format, files in REFUSED.items()
        for what in files
    ],
)


@pytest.mark.rule("X2")
@each_refused
def test_a_file_that_cannot_be_read_as_a_whole_is_refused_and_changes_nothing(shop, format, what):
    """Open: files that are no such files. Refused with what is wrong; nothing of them is stored."""
    data = refusable(format, what)
    started = time.process_time()
    refused(shop, data, format)
    assert time.process_time() - started < 10


@pytest.mark.rule("X2", "H4")
@each_refused
def test_a_file_that_cannot_be_read_as_a_whole_is_400_over_http_and_changes_nothing(shop, post, format, what):
    """Open: the status of such a file. 400 with what is wrong in its header, one line long; nothing is stored."""
    before = state(shop)
    data = refusable(format, what)
    reply = post(data, format)
    code = "bad-file" if data else "empty-body"
    assert (reply.status, reply.headers["x-api-error-code"]) == (400, code)
    assert 0 < len(reply.headers["x-api-error"]) < 1_000
    assert reply.json()["code"] == code
    assert state(shop) == before


def test_each_format_has_files_that_are_refused():
    assert set(REFUSED) == set(EXCHANGE_FORMATS), "a format that joins has its row in REFUSED here, and in `file_of`"


# ---- rows


def file_of(format, rows):
    """A file of any format with these rows: texts by the names of their columns."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names, *([row.get(name, "") for name in names] for row in rows)]
    elements = {name: element for element, name in ELEMENTS.items()}
    named = [{elements.get(name, name.lower()): text for name, text in row.items()} for row in rows]
    items = tracking("".join(item("".join(f"<{key}>{text}</{key}>" for key, text in row.items())) for row in named))
    if format == "csv":
        return "".join(",".join(f'"{cell}"' for cell in row) + "\r\n" for row in cells).encode()
    if format in ("xls", "xlsx"):
        return {"xls": xls_of, "xlsx": xlsx_of}[format](cells)
    if format == "json":
        return json.dumps(named).encode()
    return {"xml": items, "zip": archive_of({"manifest.xml": items})}[format]


each_format = pytest.mark.parametrize("format", EXCHANGE_FORMATS)
BAD_ROWS = [
    *({"Size": text} for text in ("0", "21", "large", "8.5", "99999999999999999999999")),
    *({"Padding": text} for text in ("-1", "21")),
    *({"Version": text} for text in ("41", "-2", "auto")),
    *({"Latitude": text} for text in ("91", "45,5,5", "N 45", "NAN", "inf", "1e999", "--1")),
    *({"Longitude": text} for text in ("-180.1", "13°")),
    {"Dynamic": "perhaps"},
    {"Encode Mode": "kanji"},
    {"Error Correction": "Z"},
    {"Dynamic": "false", "Encode Mode": "numeric"},
    {"Foreground": "#12"},
    {"Background": "no colour"},
    {"Scheduled": "sometimes"},
    {"Schedule": "[{"},
    {"Schedule": "[{'content': 'y'}]"},
    {"Comment": "no content", "Content": ""},
    {"Content": "x" * 32_768},
    {"QR Code Name": "x" * 32_768},
    {"Campaign Name": "x" * 32_768},
]


BAD_DATES = [
    "yesterday", "2026-02-30 00:00:00", "30.02.2026 12:00:00", "03/04/2026", "2026-03-01 24:00:00",
    "2026-03-01T12:00:61Z", "0000-01-01 00:00:00", "46082.5", "10000-01-01 00:00:00",
]  # fmt: skip


@pytest.mark.rule("X4", "X12", "X13")
@each_format
def test_rows_with_bad_dates_come_in_without_them_in_every_format(shop, format):
    """Open: a creation date that cannot be read. The printed code matters more, so its row comes in."""
    data = file_of(format, [{"Content": f"bad {text}", "Created (UTC)": text} for text in BAD_DATES])
    result, new = brought(shop, lambda: shop.import_file(data, format=format))
    assert (len(new), result.failed) == (len(BAD_DATES), 0)
    assert [issue.reason for issue in result.issues] == ["date-unreadable"] * len(BAD_DATES)
    for text, issue in zip(BAD_DATES, result.issues, strict=True):
        rule = "may be read in several ways" if text == "03/04/2026" else "must be a date and time"
        assert f"={text!r}: {rule}" in issue.error


BAD_COUNTS = ["many", "1.5", "-1", "9007199254740992", "1_0", "٣", "0x10", "1e3", "9" * 5_000]


@pytest.mark.rule("X4", "X12")
@each_format
def test_rows_with_bad_counts_come_in_without_them_in_every_format(shop, format):
    """Open: a number of scans that cannot be read. The printed code matters more, so its row comes in."""
    data = file_of(format, [{"Content": f"bad {text[:20]}", "Scans": text} for text in BAD_COUNTS])
    result, new = brought(shop, lambda: shop.import_file(data, format=format))
    assert ([code.scans for code in new], result.failed) == ([0] * len(BAD_COUNTS), 0)
    assert [issue.reason for issue in result.issues] == ["count-unreadable"] * len(BAD_COUNTS)
    assert all("cans=" in issue.detail and len(issue.error) < 500 for issue in result.issues)


@pytest.mark.rule("X1", "X2")
@each_format
def test_bad_numbers_and_words_are_told_of_row_by_row_in_every_format(shop, format):
    """Open: cells that are wrong. Their row is skipped, with its column named; every other row comes in."""
    # The cells of a workbook hold no text that is too long for a record.
    most = 32_767 if format in ("xls", "xlsx") else 32_768
    bad = [cells for cells in BAD_ROWS if max(map(len, cells.values())) <= most]
    rows = [{"Content": f"bad {number}"} | cells for number, cells in enumerate(bad)]
    good = [{"Content": f"good {number}"} for number in range(len(rows))]
    mixed = [row for pair in zip(good, rows, strict=True) for row in pair]
    data = file_of(format, mixed)
    result, new = brought(shop, lambda: shop.import_file(data, format=format))
    assert [one.content for one in new] == [row["Content"] for row in good]
    first = 2 if format in ("csv", "xls", "xlsx") else 1
    assert [(issue.row, issue.reason) for issue in result.issues] == [
        (first + place, "invalid") for place in range(1, len(mixed), 2)
    ]
    for issue, cells in zip(result.issues, bad, strict=True):
        column = list(cells)[-1].lower()
        # What a record says of itself, it says in its own words: name and em.
        assert any(word in issue.error.lower() for word in (column, column.split()[-1], "em=")), (cells, issue.error)
        assert len(issue.error) < 500


@pytest.mark.rule("X11", "X13")
@each_format
def test_numbers_with_a_point_and_moments_in_any_form_are_read_in_every_format(shop, format):
    """Open: files of pandas and of spreadsheets. 3.0 and -1.0 are whole numbers, and a moment may have its offset."""
    numbers = {"Size": "3.0", "Padding": "2.00", "Scans": "12.0"}
    rows = [
        {"Content": "a", "Version": "3.0", "Created (UTC)": "2026-03-01T12:00:00Z"} | numbers,
        {"Content": "b", "Version": "-1.0", "Created (UTC)": "2026-03-01 14:00:00+02:00"} | numbers,
    ]
    result, new = brought(shop, lambda: shop.import_file(file_of(format, rows), format=format))
    assert result.issues == ()
    assert [code.properties.version for code in new] == [3, None]
    assert {(one.properties.size, one.properties.padding, one.scans) for one in new} == {(3, 2, 12)}
    assert {one.created for one in new} == {datetime(2026, 3, 1, 12, tzinfo=UTC)}


@pytest.mark.rule("X2")
@each_format
def test_columns_in_any_order_with_some_missing_and_one_too_many_are_read(shop, format):
    """Open: columns that are not those of an export. By their names: what is missing is default, what is new told."""
    data = file_of(format, [{"Size": "3", "Colour": "red", "Content": "x", "QR Code Name": "Gate"}])
    result, (code,) = brought(shop, lambda: shop.import_file(data, format=format))
    assert (code.content, code.name, code.properties.size, code.properties.ec) == ("x", "Gate", 3, "M")
    assert [issue.reason for issue in result.issues] == ["own-column"]
    assert list(code.fields.values()) == ["red"]


@pytest.mark.rule("X2")
@each_format
def test_over_http_each_bad_row_is_a_warning_and_the_others_come_in(shop, post, format):
    """A fact: the reply is a list of warnings. Open: its status when rows are bad. 200, for the others are stored."""
    data = file_of(
        format,
        [
            {"Content": "good", "QR Code Name": "Gate", "Campaign Name": "Spring"},
            {"Content": "bad", "QR Code Name": "Wall", "Campaign Name": "Winter", "Size": "99"},
            {"Content": "elsewhere", "QR Code Name": "Door", "Size": "3"},
            {"Content": "here", "QR Code Name": "Door"},
        ],
    )
    reply, new = brought(shop, lambda: post(data, format))
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json; charset=utf-8")
    assert [(one.name, one.content) for one in new] == [("Gate", "good"), ("Door (2)", "elsewhere")]
    issues = reply.json()
    assert [list(one) for one in issues] == [["campaign", "name", "content", "error"]] * 3
    assert [list(one.values())[:3] for one in issues] == [
        ["Winter", "Wall", "bad"],
        ["", "Door", "elsewhere"],
        ["", "Door", "here"],
    ]
    assert [one["error"].partition(":")[0] for one in issues] == ["invalid", "renamed", "duplicate"]
    assert [one.name for one in shop.list_campaigns()] == ["Spring"]


@pytest.mark.rule("X10")
def test_over_http_a_picture_without_a_symbol_is_a_warning(shop, post):
    """Open: pictures without a symbol in a zip. A warning that begins with undecodable; the others come in."""
    data = archive_of({"../a/blank.png": white(100, 100), "b/Wall.png": PNG})
    reply, new = brought(shop, lambda: post(data, "zip"))
    ((issue,), (code,)) = reply.json(), new
    assert (reply.status, code.name, code.content, code.is_dynamic) == (200, "Wall", "hello", False)
    assert (issue["campaign"], issue["name"], issue["content"]) == ("a", "blank", "")
    assert issue["error"].startswith("undecodable: ")


@pytest.mark.rule("X8")
def test_a_heading_may_begin_like_an_archive(shop):
    """Open: which first bytes are a signature. All four of an archive: a table may have a column PK, or PKW."""
    result, (code,) = brought(shop, lambda: shop.import_file(b"PK,Content\r\n1,x\r\n", format="csv"))
    assert (code.content, [issue.reason for issue in result.issues]) == ("x", ["own-column"])


@pytest.mark.rule("X7")
def test_formulas_of_strangers_are_texts(shop):
    """Open: cells that begin like formulas. Texts as they stand; the apostrophe that an export sets is taken off.

    A link is what a spreadsheet shows, as in a workbook.
    """
    data = b'Content,Comment\r\n=1+1,\'=1+1\r\n@x,"=HYPERLINK(""http://x"")"\r\n-1,\'x\r\n'
    _, new = brought(shop, lambda: shop.import_file(data, format="csv"))
    assert [(one.content, one.comment) for one in new] == [
        ("=1+1", "=1+1"),
        ("@x", "http://x"),
        ("-1", "'x"),
    ]


@pytest.mark.rule("X2")
def test_a_very_long_cell_costs_no_other_row(shop):
    """Open: how long a cell of csv may be for its row alone to be refused. As long as the file may be."""
    data = b"Content,Comment\r\none,\r\nx," + b"z" * 200_000 + b"\r\ntwo,\r\n"
    assert taken(shop, data, "csv") == (["one", "two"], [(3, "invalid")])


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
        tracking("<!-- c --><?p i?><other>y</other>" + item("<content>x</content><more/><item/>") + "text"),
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


@pytest.mark.rule("X9")
@pytest.mark.parametrize(
    ("form", "own"),
    [
        ("{more}<item><content>{name}</content></item>", 2),
        ("<other>{more}</other><item><content>{name}</content></item>", 3),
        ("<item><content>{name}</content>{more}</item>", 2),
        ("<item><other>{more}</other><content>{name}</content></item>", 3),
    ],
)
def test_elements_that_nobody_knows_are_passed_over_up_to_a_limit(shop, form, own):
    """Open: how many elements that are none of ours a file may have. 10,000 up to the end of an item, with its own."""

    def data(count):
        more = "<more/>" * (count - own)
        return tracking(form.format(more=more, name="x") + form.format(more=more, name="y"))

    assert taken(shop, data(xml_file.MOST_ELEMENTS), "xml") == (["x", "y"], [])
    assert "more than 10,000 elements in item 1 or" in refused(shop, data(xml_file.MOST_ELEMENTS + 1), "xml")


def test_elements_behind_the_last_item_have_the_same_limit(shop):
    data = tracking(item("<content>x</content>") + "<more/>" * (xml_file.MOST_ELEMENTS + 1))
    assert "more than 10,000 elements in item 2 or" in refused(shop, data, "xml")


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
        *('{"content": "x", "size": 99}', '{"content": "x", "size": [8]}'),
        *('{"content": "x", "scans": [1]}', '{"content": "x", "latitude": 1e999}', '{"content": "x", "dynamic": "?"}'),
        *('{"content": "x", "schedule": {}}', '{"content": "x", "schedule": 7}', '{"content": "x", "schedule": [7]}'),
        '{"content": "x", "size": ' + "9" * 5_000 + "}",
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
    result, (code,) = brought(shop, lambda: shop.import_file(data.encode(), format="json"))
    assert [(issue.row, issue.reason) for issue in result.issues] == [(1, "own-column")]
    assert (code.content, code.properties.size, code.properties.version, code.properties.padding) == ("123", 3, 3, 4)
    assert (code.location.latitude, code.is_dynamic) == (1.5, True)


def test_a_million_names_that_nobody_knows_are_told_of_in_part(shop):
    data = json.dumps([{"content": "x"} | {f"name {number}": 1 for number in range(20_000)}]).encode()
    contents, issues = taken(shop, data, "json")
    assert (contents, len(issues)) == (["x"], 52)  # 50 that were kept, and two on all others


@pytest.mark.rule("X7")
@pytest.mark.parametrize(
    ("data", "contents", "issues"),
    [
        (b"Content\r\n\r\n,,\r\nx\r\n", ["x"], []),
        (b"Comment,Content\r\na\r\nb,x\r\nc,y,z\r\n", ["x"], [(2, "invalid"), (4, "invalid")]),
        (b"Error Correction,Content\r\nH,x\r\nZ,y\r\n", ["x"], [(3, "invalid")]),
        (b"Content\tComment\r\nx\ty\r\n", ["x"], []),
        (b"Content\r\nx\0y\r\n", ["x\0y"], []),
    ],
)
def test_a_row_of_csv_that_is_wrong_costs_no_other(shop, data, contents, issues):
    """Open: rows that are short, long or empty. Short ones are filled up, long ones told of, empty ones passed over."""
    assert taken(shop, data, "csv") == (contents, issues)


# ---- workbooks


@pytest.mark.slow
@pytest.mark.rule("X8")
def test_a_header_that_claims_2_gb_takes_no_more_memory():
    """Open: numbers in the header of a workbook that are not so. It is read or refused with the memory of its bytes."""
    data = xls_of([["Content"], ["x"]])
    outcomes = set()
    read_frame("xls", data)  # the libraries that it loads are not counted
    tracemalloc.start()
    try:
        for place in range(24, 512, 4):
            try:
                outcomes.add(read_frame("xls", claiming(data, place))["Content"].tolist() == ["x"])
            except UnreadableFile:
                outcomes.add("refused")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert outcomes == {True, "refused"}


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
    result, codes = brought(shop, lambda: shop.import_file(workbook(rows), format=format))
    assert [(issue.row, issue.reason) for issue in result.issues] == [(4, "date-unreadable")]
    assert "Created (UTC)='46082.5'" in result.issues[0].error
    told = [("123", "a", True), ("x", "46.05", False), ("x", "c", True)]
    assert [(code.content, code.name, code.is_dynamic) for code in codes] == told
    assert {code.created for code in codes[:2]} == {datetime(2026, 3, 1, 12, tzinfo=UTC)}
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
    assert taken(shop, data, format) == (["x", "y"], [(1, "unread-sheet")])


@pytest.mark.rule("X8")
def test_a_workbook_of_very_many_styles_is_refused_before_they_become_objects(shop):
    """Open: what a workbook may hold beside its rows. Each of a million styles would be an object."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(xlsx_of([["Content"], ["x"]]))) as plain, zipfile.ZipFile(file, "w") as bomb:
        for one in plain.infolist():
            part = plain.read(one)
            if one.filename == "xl/styles.xml":
                part = part.replace(b"</cellXfs>", b"<xf/>" * 1_000_000 + b"</cellXfs>")
            bomb.writestr(one.filename, part)
    with pytest.raises(UnreadableFile, match="more than 200,000 elements"):
        shop.import_file(file.getvalue(), format="xlsx")


@pytest.mark.rule("X10")
def test_an_archive_that_was_packed_again_as_a_folder_is_the_same():
    """Open: where the manifest lies. Beside the pictures, also below the folder that somebody put around all."""
    url = "https://go.example.com"
    with open_portfolio(":memory:", base_url=url) as shop, open_portfolio(":memory:", base_url=url) as copy:
        spring = shop.insert_campaign("Spring")
        shop.insert_qrcode("https://example.com", name="Door", short_code="door", campaign_id=spring.id, comment="left")
        file = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(shop.export_bytes("zip"))) as plain, zipfile.ZipFile(file, "w") as packed:
            for one in plain.infolist():
                packed.writestr(f"labels/{one.filename}", plain.read(one))
        assert copy.import_file(file.getvalue(), format="zip").created == len(shop.list_qrcodes())
        assert copy.export_bytes("json") == shop.export_bytes("json")


@pytest.mark.rule("X8")
def test_the_signature_wins_over_the_name(shop, tmp_path):
    """Open: a file under another name. Its first bytes say what it is; texts under xls are read as csv or xml."""
    for data in (xls_of([["Content"], ["x"]]), xlsx_of([["Content"], ["x"]]), archive_of({"x.png": PNG})):
        for named in EXCHANGE_FORMATS:
            assert taken(shop, data, named)[0] in (["x"], ["hello"])
    for named in ("xls", "xlsx"):
        assert taken(shop, b"Content\r\nx\r\n", named) == (["x"], [])
        assert taken(shop, tracking(item("<content>x</content>")), named) == (["x"], [])
        assert sniffed(b"", named).name == "csv"
    with pytest.raises(InvalidParameter):
        shop.import_file(b"", format="numbers")


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
@pytest.mark.parametrize(
    ("format", "data", "some_outcomes"),
    # Every part of a workbook of today has a checksum, so that nearly any damage is seen.
    [("xls", XLS, {"read", "refused"}), ("xlsx", XLSX, {"refused"}), ("zip", ZIP, {"read", "refused"})],
    ids=["xls", "xlsx", "zip"],
)
def test_200_damaged_files_are_read_or_refused_in_bounded_time(format, data, some_outcomes):
    """Open: files that are damaged. A table or one error comes of them, soon, whatever bytes are wrong."""
    reader, outcomes, slowest = EXCHANGE_FORMATS[format], set(), 0.0
    for seed in range(200):
        started = time.process_time()
        try:
            table = reader.read(mutated(data, seed), Reading(lambda picture: "hello"))
            outcomes.add("read")
            assert all(row.error or row.cells for row in table.rows)
        except UnreadableFile:
            outcomes.add("refused")
        slowest = max(slowest, time.process_time() - started)
    assert some_outcomes <= outcomes
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
            assert "Content" in read_frame("xlsx", data)
        except UnreadableFile as error:
            assert str(error)


@pytest.mark.rule("X8")
def test_a_workbook_cannot_claim_rows_columns_or_entities_without_end():
    """Open: small workbooks that claim to be large. A row beyond those of Excel follows the row before it."""
    parts = {
        name: zipfile.ZipFile(io.BytesIO(XLSX)).read(name) for name in zipfile.ZipFile(io.BytesIO(XLSX)).namelist()
    }
    (name,) = (name for name in parts if "sheet1" in name)
    far = parts[name].replace(b'<row r="21"', b'<row r="99999999999999"')
    assert far != parts[name]
    assert len(read_frame("xlsx", archive_of(parts | {name: far}))) == 20
    doctype = b'<!DOCTYPE x [<!ENTITY a "b">]>'
    for mark in (b"", codecs.BOM_UTF16_LE):
        text = doctype.decode().encode("utf-16-le") if mark else doctype
        with pytest.raises(UnreadableFile, match="document type"):
            read_frame("xlsx", archive_of(parts | {name: mark + text + parts[name]}))


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
    table = read_frame("zip", data, lambda picture: "x")
    assert "/".join(filter(None, table[["Campaign Name", "QR Code Name"]].iloc[0])) + ".png" == name
    old = archive_of({"xx.png": PNG}).replace(b"xx.png", b"\x81\x82.png")
    assert read_frame("zip", old, lambda picture: "x")["QR Code Name"].tolist() == ["üé"]


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
        {"cut.png": PNG[: len(PNG) // 2]},
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
def test_a_picture_that_is_cut_behind_its_last_pixel_is_read(shop):
    """Open: pictures that are damaged where nothing is to be seen. What a reader can read is a code."""
    without_end = PNG[: PNG.index(b"IEND") - 4]
    assert taken(shop, archive_of({"a.png": without_end}), "zip") == (["hello"], [])


@pytest.mark.rule("X10")
def test_a_manifest_wins_over_its_pictures_and_further_pictures_are_read(shop):
    """Open: what counts where both speak. The manifest; a picture that it does not tell of is decoded."""
    manifest = tracking(
        item("<campaign>A/B</campaign><name>Door?</name><content>there</content><file>A_B\\Door_.png</file>")
        + item("<name>gone</name><content>lost picture</content><file>gone.png</file>")
    )
    data = archive_of({"A_B/Door_.png": PNG, "further.png": PNG, "manifest.xml": manifest})
    result, codes = brought(shop, lambda: shop.import_file(data, format="zip"))
    assert result.issues == ()
    assert [(code.name, code.content) for code in codes] == [
        ("Door?", "there"),
        ("gone", "lost picture"),
        ("further", "hello"),
    ]


@pytest.mark.rule("X10")
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (patched(archive_of({"a.png": PNG}), size=2**31), "claims to hold 2,147,483,648 bytes"),
        (patched(archive_of({"a.png": PNG}), flags=1), "has a password"),
        (patched(archive_of({"a.png": PNG}), compressed=2**30), "is cut off"),
        (patched(archive_of({"a.png": PNG, "b.png": PNG}), compressed=len(PNG) * 2), "overlap"),
    ],
)
def test_claims_of_an_archive_are_checked_before_anything_is_unpacked(shop, data, words):
    """Open: bombs. Sizes, ratio, number and places of entries are judged first, and nothing is unpacked beyond them."""
    assert words in refused(shop, data, "zip")


@pytest.mark.rule("X10")
def test_an_archive_that_holds_too_much_is_refused_by_its_claim(shop):
    assert "claims to hold" in refused(shop, archive_of({"manifest.xml": b" " * 90_000_000}), "zip")


def test_an_entry_twice_is_refused(shop):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("a.png", PNG)
        archive.writestr("a.png", PNG)
    assert "holds 'a.png' twice" in refused(shop, file.getvalue(), "zip")


@pytest.mark.rule("X10")
@pytest.mark.parametrize("name", quick_first(["a.png", "manifest.xml", "[Content_Types].xml"]))
def test_an_entry_that_is_larger_than_it_claims_takes_no_more_memory(name):
    """Open: entries that lie about their size. They are unpacked as far as they claim, and are damaged."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(bytes(200_000_000)) + packer.flush()
    data = archive_of({name: packed}, zipfile.ZIP_STORED)
    data = data.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x00\x00\x08\x00")
    data = data.replace(b"PK\x03\x04\x14\x00\x00\x00\x00\x00", b"PK\x03\x04\x14\x00\x00\x00\x08\x00")
    data = patched(data, size=1_000)
    read_frame("zip", ZIP, lambda picture: "x")  # the libraries that they load are not counted
    read_frame("xlsx", XLSX)
    tracemalloc.start()
    try:
        for read in (lambda: read_frame("zip", data, lambda picture: "x"), lambda: read_frame("xlsx", data)):
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
    table = read_frame("zip", archive_of(files), lambda picture: "x")
    assert table["Reason"].tolist() == ["", "", "", "undecodable"]
    assert "too many pixels in all" in table["Error"].iloc[-1]


@pytest.mark.slow
@pytest.mark.rule("X10")
def test_pictures_that_no_manifest_tells_of_are_not_looked_at_without_end(shop):
    """Open: how many pictures an archive may have. As many as an import takes rows; without a manifest 10,000."""
    names = [f"{number}.png" for number in range(zip_file.MOST_PICTURES + 1)]
    bare = archive_of(dict.fromkeys(names, b""), zipfile.ZIP_STORED)
    assert "10,001 files that no manifest" in refused(shop, bare, "zip")
    told = tracking("".join(item(f"<content>{name}</content><file>{name}</file>") for name in names))
    data = archive_of(dict.fromkeys(names, b"") | {"manifest.xml": told}, zipfile.ZIP_STORED)
    assert read_frame("zip", data, decode)["Content"].tolist() == names
    assert len(names) < archives.MOST_ENTRIES


@pytest.mark.rule("X10")
def test_large_pictures_are_made_smaller_before_a_symbol_is_looked_for(shop, monkeypatch):
    """Open: pictures full of finder patterns. They are made smaller first: what is left takes a second or two."""
    seen = []
    monkeypatch.setattr("zxingcpp.read_barcodes", lambda picture, **_: seen.append(picture.size) or [])
    assert taken(shop, archive_of({"a.png": white(3_000, 3_000)}), "zip") == ([], [(1, "undecodable")])
    assert max(seen) <= (1_000, 1_000)


# ---- anything at all


@pytest.mark.slow
@pytest.mark.rule("X2")
@given(st.sampled_from(ALL_NAMES), st.text(max_size=30) | st.text("0123456789:-+.eE /[]{}\"'T", max_size=20))
@settings(some, max_examples=30)
def test_any_text_in_any_column_is_a_code_or_an_issue(shop, name, text):
    """Open: texts where others belong. The row comes in or is told of, and the row behind it comes in."""
    before = state(shop)
    data = json.dumps([{"Content": "x"} | {name: text}, {"Content": "behind"}]).encode("utf-8", "surrogatepass")
    rows = json.loads(data)
    named = [{element: row[column] for element, column in ELEMENTS.items() if column in row} for row in rows]
    result, new = brought(shop, lambda: shop.import_file(json.dumps(named).encode(), format="json"))
    assert new[-1].content == "behind"
    assert len(new) == 2 or [issue.row for issue in result.issues] == [1]
    assert state(shop) == before


@pytest.mark.parametrize("format", EXCHANGE_FORMATS)
@given(
    st.binary(max_size=80), st.sampled_from([b"", b"[", b"<tracking>", b"PK\x03\x04", xls_file.SIGNATURE, b"Content\n"])
)
@some
def test_any_bytes_are_read_or_refused(format, data, start):
    try:
        table = sniffed(start + data, format).read(start + data, Reading(lambda picture: "x"))
        assert all(row.error or row.cells for row in table.rows)
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
