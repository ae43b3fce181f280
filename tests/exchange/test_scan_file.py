"""Files of statistics against the records that were put in, read by the standard library and lxml."""

import csv
import io
import json
import math
import re
from base64 import b64decode
from datetime import datetime

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree
from pydantic.alias_generators import to_camel, to_snake

from qrkit import analytics, open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.exchange import xls_file, xlsx_file
from qrkit.exchange.csv_file import made_safe, taken_off
from qrkit.exchange.locating import ANYWHERE
from qrkit.exchange.scan_file import SCAN_FORMATS
from tests.dtypes import TEXT
from tests.exchange.test_xls_file import book_of

some = settings(max_examples=40)
HOSTILE = [
    *("=1+1", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "'=1", "'", "\t=1", "%x", "|x", "\uff1d1"),
    *('"', '""', 'a"b', ",", ";", "\r", "\n", "\r\n", "a\r\nb", " x ", "\u2028", "\x85", "\ufeff"),
    *("<b>", "&amp;", "]]>", "<!DOCTYPE x>", "</city>", "<!--", "\x00", "\x1d", "\x7f", "\ufffe", "\uffff"),
    *("NaN", "null", "None", "true", "00123", "unknown", "🙂👩‍👩‍👧", "שלום", "\u202eabc", "\\", "\\ud800", "x" * 4_000),
]
CUT = ["\ud83d", "a\udc00b", "\udc00\ud800", "=\ud800", "\x00\ud800"]
"""Halves of characters, which no file can hold."""
texts = st.sampled_from(HOSTILE + CUT) | st.text(max_size=15) | st.text("'=+-@ \t\r\n,\"<&]>\x00\ud800", max_size=6)
DTYPES = dict.fromkeys(
    ("campaign", "systemName", "systemVersion", "browserName", "browserVersion", "manufacturer", "deviceModel"), TEXT
) | {
    "isMobileDevice": "bool",
    "isTablet": "bool",
    **dict.fromkeys(("countryCode", "region", "city"), TEXT),
    "latitude": "float64",
    "longitude": "float64",
    "created": "datetime64[us]",
}
CELLS = {
    TEXT: st.none() | texts.filter(bool),
    "bool": st.booleans(),
    "float64": st.none() | st.floats(-180, 180),
    "datetime64[us]": st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)),
}
rows = st.lists(st.fixed_dictionaries({name: CELLS[dtype] for name, dtype in DTYPES.items()}), max_size=4)
A_SCAN = {
    "isMobileDevice": True,
    "isTablet": False,
    "latitude": -33.5,
    "longitude": 9.0,
    "created": datetime(2026, 3, 1, 12, 0, 0, 999_999),
}
ALL_HOSTILE = [A_SCAN | {name: text for name, dtype in DTYPES.items() if dtype == TEXT} for text in HOSTILE + CUT]
each_format = pytest.mark.parametrize("name", SCAN_FORMATS)


def frame_of(records):
    frame = pd.DataFrame(records, columns=list(DTYPES), dtype="object").astype(DTYPES)
    return frame.rename(columns=to_snake)


def book(frame, texts=None):
    """The bytes of a workbook of records, in the names of files."""
    return book_of(
        frame.rename(columns=to_camel) if texts is None else frame.assign(created=texts).rename(columns=to_camel),
        "Scans",
    )


def write(name, records):
    return SCAN_FORMATS[name].write(frame_of(records))


def whole(text):
    """A text as files hold it: without halves of characters."""
    return re.sub("[\ud800-\udfff]", "?", text)


def told(record, form):
    """What a file shall say of a record: nothing of what is not known, moments in this form."""
    known = {name: record[name] for name in DTYPES if record.get(name) is not None}
    texts = {name: whole(cell) for name, cell in known.items() if isinstance(cell, str)}
    return known | texts | {"created": known["created"].strftime(form)}


def read_text(name, text):
    """The value of a cell or an element."""
    kind = DTYPES[name]
    return {"true": True, "false": False}[text] if kind == "bool" else float(text) if kind == "float64" else text


def test_the_test_knows_the_columns_and_dtypes_of_the_records():
    with open_portfolio(":memory:") as portfolio:
        found = analytics.scan_records(portfolio.scans).dtypes
    assert [(name, str(dtype)) for name, dtype in found.items()] == [
        (to_snake(name), dtype) for name, dtype in DTYPES.items()
    ]


# ---- round trips


@pytest.mark.rule("T12")
@given(rows)
@example(ALL_HOSTILE)
@some
def test_json_says_each_record_and_leaves_out_what_is_not_known(records):
    """Open: the form of statistics in json. An array of objects in UTF-8, keys in the order of the ruling, no null."""

    def refused(constant):
        raise AssertionError(constant)

    found = json.loads(write("json", records).decode(), parse_constant=refused)
    assert found == [told(record, "%Y-%m-%dT%H:%M:%SZ") for record in records]
    for one in found:
        assert list(one) == [name for name in DTYPES if name in one]


@pytest.mark.rule("T12", "X7")
@given(rows)
@example(ALL_HOSTILE)
@some
def test_csv_says_each_record_with_empty_cells_for_what_is_not_known(records):
    """Open: the form of statistics in csv. The columns of the ruling, RFC 4180, CRLF, true and false."""
    data = write("csv", records).decode()
    heading, *found = csv.reader(io.StringIO(data, newline=""))
    assert heading == list(DTYPES)
    read = [
        {name: read_text(name, taken_off(cell) if DTYPES[name] == TEXT else cell)
         for name, cell in zip(heading, row, strict=True) if cell} for row in found
    ]  # fmt: skip
    assert read == [told(record, "%Y-%m-%d %H:%M:%S") for record in records]
    unquoted = "".join(data.split('"')[::2])
    assert unquoted.count("\r\n") == unquoted.count("\n") == unquoted.count("\r") == len(records) + 1


@pytest.mark.rule("X7")
@given(rows)
@example(ALL_HOSTILE)
@some
def test_no_text_of_a_stranger_is_run_by_a_spreadsheet_and_numbers_stay_numbers(records):
    """Open: whether statistics can be written bare. Never: their texts come from those who scan."""
    heading, *found = csv.reader(io.StringIO(write("csv", records).decode(), newline=""))
    for row in found:
        for name, cell in zip(heading, row, strict=True):
            if DTYPES[name] == TEXT:
                assert made_safe(cell) in (cell, "'" + cell)
                assert not re.match(r"\s*[=+\-@|%\uff1d]|[\t\r\n]", cell)
            else:
                assert not cell.startswith("'")


@pytest.mark.rule("T12")
@given(rows)
@example(ALL_HOSTILE)
@some
def test_xml_says_each_record_whatever_characters_it_has(records):
    """Open: the form of statistics in xml. An element a column; what XML cannot hold is base64, and no DTD."""
    data = write("xml", records)
    assert b"<!" not in data
    root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, load_dtd=False))
    assert (root.tag, {scan.tag for scan in root}) == ("statistics", {"scan"} if records else set())
    found = []
    for scan in root:
        assert [one.tag for one in scan] == [name for name in DTYPES if scan.find(name) is not None]
        found.append({one.tag: read_text(one.tag, element_text(one)) for one in scan})
    assert found == [told(record, "%Y-%m-%d %H:%M:%S") for record in records]


def element_text(element):
    text = element.text or ""
    return b64decode(text).decode() if element.get("encoding") == "base64" else text


@pytest.mark.rule("T12", "X8")
@given(rows)
@settings(some, max_examples=10)
def test_xls_is_a_workbook_of_the_same_records_with_moments_as_text(records):
    """Open: the form of statistics in xls. One sheet "Scans", each cell of its kind, moments as text."""
    table = frame_of(records)
    moments = [record["created"].strftime("%Y-%m-%d %H:%M:%S") for record in records]
    texts = pd.Series(moments, dtype="str")
    assert write("xls", records) == book(table, texts)


# ---- bytes


def test_the_forms_are_these():
    records = [A_SCAN | {"campaign": "Spring", "browserName": "=1\x1d"}, A_SCAN | {"latitude": None, "city": "Kiel"}]
    heading = ",".join(DTYPES)
    assert write("json", records).decode() == (
        '[{"campaign": "Spring", "browserName": "=1\\u001d", "isMobileDevice": true, "isTablet": false,'
        ' "latitude": -33.5, "longitude": 9.0, "created": "2026-03-01T12:00:00Z"},\n'
        '{"isMobileDevice": true, "isTablet": false, "city": "Kiel", "longitude": 9.0,'
        ' "created": "2026-03-01T12:00:00Z"}]'
    )
    assert write("csv", records).decode() == (
        f"{heading}\r\nSpring,,,'=1\x1d,,,,true,false,,,,-33.5,9.0,2026-03-01 12:00:00\r\n"
        ",,,,,,,true,false,,,Kiel,,9.0,2026-03-01 12:00:00\r\n"
    )
    assert write("xml", records).decode() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<statistics>\n'
        '<scan><campaign>Spring</campaign><browserName encoding="base64">PTEd</browserName>'
        "<isMobileDevice>true</isMobileDevice><isTablet>false</isTablet>"
        "<latitude>-33.5</latitude><longitude>9.0</longitude><created>2026-03-01 12:00:00</created></scan>\n"
        "<scan><isMobileDevice>true</isMobileDevice><isTablet>false</isTablet><city>Kiel</city>"
        "<longitude>9.0</longitude><created>2026-03-01 12:00:00</created></scan>\n</statistics>\n"
    )


@pytest.mark.slow
@pytest.mark.rule("T12", "X8")
@given(rows)
@example([one for one in ALL_HOSTILE if len(one["city"]) <= 32_767])
@some
def test_xlsx_has_the_cells_of_xls(records):
    """Open: statistics in workbooks of today. Their cells are those of Excel 97, whatever strangers send."""

    def cells(name, format):
        return [list(row) for part in format.parts(write(name, records), ANYWHERE, None) for row in part.rows]

    old, new = cells("xls", xls_file), cells("xlsx", xlsx_file)
    assert new == old
    assert new[0] == list(DTYPES)


def test_a_file_without_scans_is_empty_but_whole():
    assert write("json", []) == b"[]"
    assert write("csv", []).decode() == ",".join(DTYPES) + "\r\n"
    assert write("xml", []) == b'<?xml version="1.0" encoding="UTF-8"?>\n<statistics>\n</statistics>\n'
    assert write("xls", []) == book(frame_of([]))


@each_format
def test_the_same_records_give_the_same_bytes(name):
    assert write(name, ALL_HOSTILE) == write(name, ALL_HOSTILE)


@each_format
def test_neither_the_index_nor_the_frame_that_is_given_matters_afterwards(name):
    given = frame_of(ALL_HOSTILE)
    kept = given.copy(deep=True)
    assert SCAN_FORMATS[name].write(given.set_index(given.index[::-1])) == write(name, ALL_HOSTILE)
    pd.testing.assert_frame_equal(given, kept)


@each_format
def test_a_number_that_is_none_is_not_written(name):
    nothing = A_SCAN | {"latitude": None, "longitude": None}
    assert write(name, [A_SCAN | {"latitude": math.nan, "longitude": -math.inf}]) == write(name, [nothing])


def test_media_types():
    assert {one.name: one.media_type for one in SCAN_FORMATS.values()} == {
        "json": "application/json; charset=utf-8",
        "csv": "text/csv; charset=utf-8",
        "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xml": "application/xml; charset=utf-8",
    }
    assert all(name == one.name for name, one in SCAN_FORMATS.items())


@pytest.mark.rule("X8")
def test_a_text_that_no_cell_of_a_workbook_holds_is_refused_only_there():
    """Open: a text of more than 32,767 characters. An error of xls that names column and row; others hold it."""
    long = [A_SCAN, A_SCAN | {"city": "x" * 32_768}]
    with pytest.raises(InvalidParameter, match="row 3: has 32,768 characters") as caught:
        write("xls", long)
    assert caught.value.name == "city"
    with pytest.raises(InvalidParameter, match="row 3: has 32,768 characters"):
        write("xlsx", long)
    assert all(b"x" * 32_768 in write(name, long) for name in ("json", "csv", "xml"))
