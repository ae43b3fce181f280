"""Columns that are not ours become fields of the QR Codes, in every format and back."""

import json
from datetime import UTC, datetime
from io import BytesIO

import openpyxl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.analytics import scans_by
from qrkit.exchange import EXCHANGE_FORMATS
from qrkit.exchange.columns import is_ours
from qrkit.portfolio.opening import portfolio_in
from qrkit.tracking.own_fields import split_tags

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
CITY = "'City' becomes a field of the QR Codes"


@pytest.fixture
def shop(new_store):
    return portfolio_in(new_store, base_url="https://go.example.com", clock=lambda: NOW)


def told(result):
    return [(issue.row, issue.reason, issue.detail) for issue in result.issues]


def workbook(rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    file = BytesIO()
    book.save(file)
    return file.getvalue()


ROWS = [["Content", "City", "Floor"], ["https://example.com/a", "Graz", 2], ["https://example.com/b", "", 3.5]]
FOREIGN = {
    "csv": b"Content,City,Floor\r\nhttps://example.com/a,Graz,2\r\nhttps://example.com/b,,3.5\r\n",
    "xlsx": workbook(ROWS),
    "json": json.dumps([dict(zip(ROWS[0], row, strict=True)) for row in ROWS[1:]]).encode(),
    "xml": b"<tracking><item><content>https://example.com/a</content><City>Graz</City><Floor>2</Floor></item>"
    b"<item><content>https://example.com/b</content><Floor>3.5</Floor></item></tracking>",
}


@pytest.mark.rule("X15")
@pytest.mark.parametrize("format", FOREIGN)
def test_columns_of_others_become_fields(shop, format):
    result = shop.import_file(FOREIGN[format], format=format)
    assert [(reason, detail) for _, reason, detail in told(result)] == [
        ("own-column", CITY),
        ("own-column", "'Floor' becomes a field of the QR Codes"),
    ]
    assert str(result) == "2 created, 2 columns kept as fields"
    fields = [dict(code.fields) for code in shop.list_qrcodes()]
    assert fields == [{"City": "Graz", "Floor": "2"}, {"Floor": "3.5"}]
    before = shop.list_qrcodes()
    assert str(shop.import_file(FOREIGN[format], format=format)) == "0 created, 2 already there"
    assert shop.list_qrcodes() == before


@pytest.mark.rule("X15")
def test_columns_that_were_not_chosen_become_fields(shop):
    data = b"where,City,Comment\nhttps://example.com/a,Graz,by the door\n"
    result = shop.import_file(data, columns={"content": "where"})
    assert told(result) == [
        (1, "own-column", CITY),
        (1, "unknown-column", "'Comment' is not one of the columns to import, and was left out"),
    ]
    assert shop.list_qrcodes()[0].fields == {"City": "Graz"}


def test_columns_of_frames_become_fields(shop):
    frame = pd.DataFrame({"url": ["https://example.com/a"], 7: [3.0], "City": ["Graz"], "name": ["A"], "x": [["a"]]})
    result = shop.import_frame(frame, columns={"content": "url"})
    assert shop.list_qrcodes()[0].fields == {"7": "3", "City": "Graz", "x": '["a"]'}
    assert "'name' is not one of the columns to import, and was left out" in [detail for _, _, detail in told(result)]


def test_a_misspelled_column_is_kept_and_told(shop):
    (issue,) = shop.import_file(b"Content,Longitudes\nhttps://example.com/a,Koper\n").issues
    assert issue.detail == "'Longitudes' becomes a field of the QR Codes; did you mean 'Longitude' or 'Latitude'?"


BAD = [
    ("x" * 101, "a", [("unknown-column", f"{'x' * 60!r} was left out: the name must have 1..100 characters, not 101")]),
    ("a\x07", "a", [("unknown-column", r"'a\x07' was left out: the name must not hold the control character U+0007")]),
    (
        "City",
        "x" * 1_001,
        [
            ("field-left-out", f"City={'x' * 60!r} must have at most 1,000 characters, not 1,001, and was left out"),
        ],
    ),
    (
        "City",
        "x\x00",
        [
            ("field-left-out", r"City='x\x00' must not hold the control character U+0000, and was left out"),
        ],
    ),
]


@pytest.mark.rule("X15")
@pytest.mark.parametrize(("title", "text", "issues"), BAD)
def test_what_cannot_be_a_field_is_named(shop, title, text, issues):
    result = shop.import_file(f"Content,{title}\nhttps://example.com/a,{text}\n".encode())
    assert (result.created, [(reason, detail) for _, reason, detail in told(result)]) == (1, issues)
    assert shop.list_qrcodes()[0].fields == {}


def test_a_code_keeps_fifty_fields(shop):
    names = [f"n{number}" for number in range(53)]
    data = f"Content,{','.join(names)}\nhttps://example.com/a,{','.join('x' * 53)}\n".encode()
    result = shop.import_file(data)
    assert list(shop.list_qrcodes()[0].fields) == names[:50]
    (issue,) = [issue for issue in result.issues if issue.reason == "field-left-out"]
    assert (issue.row, issue.detail) == (
        2,
        "n50='x' is more than the 50 fields of a QR Code, and 2 more were left out",
    )


def test_names_of_objects_have_a_limit(shop):
    objects = [{"content": f"https://example.com/{n}", f"a{n}": "x", f"b{n}": "x"} for n in range(600)]
    result = shop.import_file(json.dumps(objects).encode(), format="json")
    assert (result.created, result.count("own-column"), result.count("unknown-column")) == (600, 1_000, 1)
    assert sum(len(code.fields) for code in shop.list_qrcodes()) == 1_000


def test_two_columns_of_one_name_are_joined(shop):
    shop.import_file(b"Content,Notes,Notes\nhttps://example.com/a,one,two\n")
    assert shop.list_qrcodes()[0].fields == {"Notes": "one\ntwo"}


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20).filter(
    lambda name: name.strip() and not is_ours(name.strip())
)
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), min_size=1, max_size=40)
TAGS = st.lists(NAMES.flatmap(lambda name: st.sampled_from(split_tags(name) or ["x"])), max_size=4)


@pytest.mark.slow
@pytest.mark.rule("X15")
@pytest.mark.parametrize("format", EXCHANGE_FORMATS)
@given(st.lists(st.tuples(st.dictionaries(NAMES, TEXTS, max_size=4), TAGS), min_size=1, max_size=8))
@settings(max_examples=8)
def test_tags_and_fields_survive_every_format(format, codes):
    with open_portfolio(":memory:", base_url="https://go.example.com") as first, open_portfolio(":memory:") as second:
        made = [
            first.insert_qrcode(f"https://example.com/{number}", tags=tags, fields=fields)
            for number, (fields, tags) in enumerate(codes)
        ]
        first.insert_qrcode("https://example.com/b")
        result = second.import_file(first.export_bytes(format), format=format)
        assert {issue.reason for issue in result.issues} <= {"damaged-text"}  # a text such as "Â¡" may be meant
        *read, plain = second.list_qrcodes()
    assert [(one.tags, one.fields) for one in read] == [(one.tags, one.fields) for one in made]
    assert (plain.tags, plain.fields) == ((), {})


@pytest.mark.parametrize("format", EXCHANGE_FORMATS)
def test_exports_without_fields_are_as_before(shop, format):
    shop.insert_qrcode("https://example.com/a", name="A")
    first = shop.export_bytes(format)
    shop.update_qrcode(shop.list_qrcodes()[0].id, fields={"City": "Graz"})
    assert shop.export_bytes(format) != first
    shop.update_qrcode(shop.list_qrcodes()[0].id, fields={"City": ""})
    assert shop.export_bytes(format) == first


def test_files_have_fields_where_they_have_room(shop):
    shop.insert_qrcode("https://example.com/a", name="A", tags=["x", "y"], fields={"City": "Graz & Wien"})
    assert json.loads(shop.export_bytes("json"))[0]["fields"] == {"City": "Graz & Wien"}
    assert json.loads(shop.export_bytes("json"))[0]["tags"] == ["x", "y"]
    xml = shop.export_bytes("xml").decode()
    assert '<tags><tag>x</tag><tag>y</tag></tags><fields><field name="City">Graz &amp; Wien</field></fields>' in xml
    heading, row = shop.export_bytes("csv").decode().splitlines()
    assert heading.endswith(",Error Correction,Tags,Fields")
    assert row.endswith(',"x, y","{""City"": ""Graz & Wien""}"')


@pytest.mark.parametrize(
    ("cell", "rule"),
    [
        ("City", "must be a JSON object of texts"),
        ("[1]", "must be a JSON object of texts"),
        ('{"Comment": "x"}', "is the name of a column of exports"),
        ('{"City": 7}', "fields.City=7: must be a text"),
    ],
)
def test_a_column_of_fields_is_judged(shop, cell, rule):
    frame = pd.DataFrame({"content": ["https://example.com/a"], "Fields": [cell]})
    (issue,) = shop.import_frame(frame).issues
    assert (issue.reason, rule in issue.detail) == ("invalid", True), issue.detail


@pytest.mark.rule("X15")
def test_frames_have_fields_as_json_or_as_columns(shop):
    shop.insert_qrcode("https://example.com/a", tags=["x", "y"], fields={"City": "Graz"})
    shop.insert_qrcode("https://example.com/b", fields={"Floor": "2"})
    frame = shop.qrcodes()
    assert list(frame["fields"]) == ['{"City": "Graz"}', '{"Floor": "2"}']
    assert list(frame["tags"]) == ["x, y", ""]
    wide = shop.qrcodes(fields=True)
    assert list(wide.columns[-3:]) == ["tags", "City", "Floor"]
    assert wide[["City", "Floor"]].fillna("").to_numpy().tolist() == [["Graz", ""], ["", "2"]]
    for made in (frame, wide, shop.to_frame()):
        with open_portfolio(":memory:") as other:
            other.import_frame(made)
            assert [(code.tags, dict(code.fields)) for code in other.list_qrcodes()] == [
                (("x", "y"), {"City": "Graz"}),
                ((), {"Floor": "2"}),
            ]


@pytest.mark.parametrize("name", ["self", "index", "a b", "{x}", "0", "é/~1"])
def test_a_field_of_any_name_is_a_column(shop, name):
    shop.insert_qrcode("https://example.com/a", fields={name: "v"})
    assert shop.qrcodes(fields=True)[name].tolist() == ["v"]
    assert scans_by(shop.scans, name).columns[0] == name
    assert shop.scans.where(fields={name: "v"}).count() == 0
