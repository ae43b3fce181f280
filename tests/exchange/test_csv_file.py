import codecs
import csv
import io
import json

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, UnreadableFile
from qrkit.exchange import EXCHANGE_FORMATS, Writing, exchange_format, table_files
from qrkit.exchange.columns import ALL_NAMES, NAMES, TEXT_COLUMNS, Row
from qrkit.server.statuses import status_of
from tests.exchange.reading import read_frame

some = settings(max_examples=30)
characters = st.characters(exclude_categories=["Cs"])
FULL_WIDTH = ("\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Forms of = + - @ that some spreadsheets take for those."""
HOSTILE = [
    *("=1+1", "=cmd|' /C calc'!A0", "+49 30 123", "-1", "@SUM(A1)", "|x", "%x", "\t=1", " \u00a0=1", "\n=1"),
    *(sign + "1" for sign in FULL_WIDTH),
    *("'", "''", "'=1+1", "''=1+1", "'x", "' =1", "'\n@x", '"', '""', '"x"', 'a"b', ",", ",,", ";", "\t", "a;b\tc"),
    *("\r", "\n", "\r\n", "\n\r", "a\r\nb", " x", "x ", "  ", "\u2028", "\x85", "\x0b\x0c", "\ufeff", "\ufeffx"),
    *("NA", "nan", "null", "None", "TRUE", "00123", "1e5", "1.0", "2026-03-01", "0x10", "x" * 4_000),
    *("🙂👩‍👩‍👧", "שלום", "مرحبا بالعالم", "\u202eabc", "日本語", "e\u0301", "#N/A", "sep=,", "\\", "\\n"),
]
texts = st.sampled_from(HOSTILE) | st.text(characters, max_size=20) | st.text("'=+-@ \t\r\n,\"x", max_size=6)
NUMBERS = {
    "Created (UTC)": "2026-03-01 12:00:00",
    "Scans": "0",
    "Latitude": "-33.87",
    "Longitude": "-0.5",
    "Dynamic": "true",
    "Size": "8",
    "Padding": "4",
    "Version": "-1",
    "Encode Mode": "Byte",
    "Error Correction": "M",
}


def written(table, **how):
    file = io.BytesIO()
    rows = [Row(0, cells) for cells in table.to_dict("records")]
    EXCHANGE_FORMATS["csv"].write(rows, file, Writing(None, **how))
    return file.getvalue()


def read(data):
    return read_frame("csv", data)


def table(rows):
    """A table of text: what a row does not say is as in NUMBERS, and empty texts."""
    whole = [dict.fromkeys(NAMES, "") | NUMBERS | row for row in rows]
    return pd.DataFrame(whole, columns=list(NAMES), dtype="str")


def tables_of(text_rows):
    return table([dict(zip(sorted(TEXT_COLUMNS), row, strict=True)) for row in text_rows])


tables = st.lists(st.tuples(*[texts] * len(TEXT_COLUMNS)), max_size=5).map(tables_of)


def cells_of(data):
    """What is in the file, read by the standard library alone."""
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


def read_cells(data):
    """What a file says, without the rows' numbers and verdicts."""
    return read(data)[list(NAMES)].to_numpy().tolist()


def contents(data):
    return read(data)["Content"].tolist()


def error_of(data):
    """The one verdict of a file that has one row."""
    (error,) = read(data)["Error"]
    return error


# ---- round trip


@pytest.mark.rule("X7")
@given(tables)
@example(table([dict.fromkeys(TEXT_COLUMNS, text) for text in HOSTILE]))
@some
def test_any_text_is_read_back_as_it_was_written(given):
    """Open: quoting, line ends, guessing. RFC 4180, and a cell is text: what was put in comes out, letter by letter."""
    found = read(written(given))
    assert found[list(NAMES)].to_numpy().tolist() == given.to_numpy().tolist()
    assert found["Error"].tolist() == [""] * len(given)
    assert found.index.tolist() == list(range(2, len(given) + 2))


@pytest.mark.rule("X7")
@given(tables)
@example(table([dict.fromkeys(TEXT_COLUMNS, text) for text in HOSTILE]))
@some
def test_no_written_text_is_run_as_a_formula_and_numbers_stay_numbers(given):
    """Open: cells that a spreadsheet would run. An apostrophe in front makes them texts; numbers do not get one."""
    heading, *rows = cells_of(written(given))
    assert heading == list(NAMES)
    for row, original in zip(rows, given.to_dict("records"), strict=True):
        for name, cell in zip(NAMES, row, strict=True):
            if name in TEXT_COLUMNS:
                assert not cell.strip().startswith((*"=+-@|%", *FULL_WIDTH))
                assert not cell.startswith(("\t", "\r", "\n"))
                assert cell in (original[name], "'" + original[name])
            else:
                assert cell == original[name]


@given(tables)
@some
def test_unsafe_writing_leaves_every_cell_bare(given):
    assert cells_of(written(given, safe=False))[1:] == given.to_numpy().tolist()


def test_an_apostrophe_that_makes_nothing_safe_is_a_letter():
    data = b"Content\r\n'tis\r\n'=1\r\n''=1\r\n''\r\n'\r\n"
    assert contents(data) == ["'tis", "=1", "'=1", "''", "'"]


@pytest.mark.rule("X7")
@given(tables)
@some
def test_written_bytes_are_rfc_4180_in_utf_8_with_crlf_and_no_bom(given):
    """Open: the bytes of a csv. UTF-8 without a mark, comma, CRLF after each row, quotes where they are needed."""
    data = written(given)
    assert not data.startswith(codecs.BOM_UTF8)
    assert data.startswith(b"Campaign Name,QR Code Name,Content,Trackable URL,Created (UTC),Scans,Address,Latitude,")
    assert data.endswith(b"\r\n")
    outside, quoted = [], False
    for character in data.decode():
        quoted ^= character == '"'
        outside.append("" if quoted else character)
    assert not quoted
    text = "".join(outside)
    assert text.count("\r\n") == text.count("\r") == text.count("\n") == len(given) + 1
    assert [line.count(",") for line in text.split("\r\n")[:-1]] == [len(NAMES) - 1] * (len(given) + 1)


def test_the_same_table_gives_the_same_bytes():
    assert written(table([{"Content": "x"}])) == (
        ",".join(NAMES).encode() + b"\r\n" + b",,x,,2026-03-01 12:00:00,0,,-33.87,-0.5,,true,8,4,-1,Byte,M\r\n"
    )


# ---- what import takes

TWO = "Content,QR Code Name\r\nGrüße,Tür 1\r\n,\r\nx,🙂\r\n"


@pytest.mark.rule("X7")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("ending", ["\r\n", "\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("last", [True, False])
def test_files_of_spreadsheets_and_editors_are_taken(encoding, ending, separator, last):
    """Open: what import takes besides our own bytes. A mark, UTF-16 with its mark, LF, CR, semicolon, tab."""
    text = TWO.replace(",", separator).replace("\r\n", ending)
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}.get(encoding, b"")
    found = read(mark + (text if last else text.removesuffix(ending)).encode(encoding))
    assert found["Content"].tolist() == ["Grüße", "x"]
    assert found["QR Code Name"].tolist() == ["Tür 1", "🙂"]
    assert found.index.tolist() == [2, 4], "empty rows are left out, but counted"


def test_the_heading_decides_on_the_separator_not_the_texts():
    assert contents(b"Content;Comment\r" + b"a,b,c;d,e\r" * 9) == ["a,b,c"] * 9
    assert contents(b"Content\n" + b"a;b;c\n" * 9) == ["a;b;c"] * 9


@given(st.permutations(NAMES), st.data())
@some
def test_columns_are_found_in_any_order_and_case(names, data):
    titles = [data.draw(st.sampled_from([name, name.upper(), f" {name.lower()} "])) for name in names]
    file = ",".join(titles) + "\n" + ",".join(f"<{name}>" for name in names)
    assert read_cells(file.encode()) == [[f"<{name}>" for name in NAMES]]


def test_a_formula_that_keeps_zeros_is_its_text():
    """How many programs keep Excel from taking a code for a number."""
    found = read(b'Name,Content,Trackable URL\n="007",x,"=""0012"""\nb,=1+1,=A1\n')
    assert found["Trackable URL"].tolist() == ["0012", "=A1"]
    assert found["QR Code Name"].tolist() == ["007", "b"]
    assert found["Content"].tolist() == ["x", "=1+1"]


@pytest.mark.parametrize("is_safe", [True, False])
def test_a_content_of_ours_that_keeps_zeros_stays_a_formula(is_safe):
    content = '="0012"'
    with open_portfolio(":memory:", base_url="https://go.example.com") as shop, open_portfolio(":memory:") as other:
        shop.insert_qrcode(content, name=content)
        other.import_file(shop.export_bytes(format="csv", safe=is_safe), format="csv")
        assert [(code.content, code.name) for code in other.list_qrcodes()] == [(content, content)]


def test_missing_columns_are_empty_and_unknown_ones_are_left_alone():
    found = read(b"Colour,Content,,Owner\nred,x,y,me\nblue\n,z\n")
    assert found["Content"].tolist() == ["x", "", "z"]
    assert set(found.drop(columns="Content").to_numpy().ravel()) == {""}


def test_a_text_may_hold_line_ends_in_quotes():
    assert contents(b'Content,Comment\n"a\r\nb\rc\nd",x\n"e ""f"" g",y\n') == ["a\r\nb\rc\nd", 'e "f" g']
    assert contents(b'Content\na 5" disk\n') == ['a 5" disk']


def test_a_heading_without_rows_is_an_empty_table():
    found = read(b"Content\r\n")
    assert len(found) == 0
    assert found.columns.tolist() == [*ALL_NAMES, "Error", "Reason"]


# ---- verdicts on rows


def test_a_row_with_too_many_cells_is_a_verdict_and_costs_no_other_row():
    found = read(b"Content,Comment\na,b\nc,d,e\nf,g\n")
    assert found["Content"].tolist() == ["a", "c", "f"]
    assert [bool(error) for error in found["Error"]] == [False, True, False]
    assert found["Error"][3].startswith("has 3 cells, but the heading has 2; in a csv, a text with a separator")


@pytest.mark.rule("X14")
def test_empty_cells_beyond_the_heading_are_left_out():
    """Open: commas at the end of rows. Each such row was refused."""
    found = read(b"Content,Comment\na,b,,,\nc,,,\nd,e,,x\n")
    assert found["Content"].tolist() == ["a", "c", "d"]
    assert [bool(error) for error in found["Error"]] == [False, False, True]


# ---- files that cannot be read as a whole


def refused(data):
    with pytest.raises(UnreadableFile) as caught:
        read(data)
    assert (status_of(caught.value), caught.value.code) == (400, "bad-file")
    return caught.value.line, str(caught.value)


def test_utf_16_that_is_cut_is_refused_with_its_line():
    assert refused(codecs.BOM_UTF16_LE + b"C\0o\0n") == (1, "line 1 is not UTF-16, as the beginning says")


@pytest.mark.rule("X14")
def test_a_stray_quote_costs_its_row_alone():
    """Open: a quote that opens or closes where it must not. The file was refused, or the rest of it was one cell."""
    for rows in (b"a,b\n", b'"a\nb",c\n'):
        start = 2 + rows.count(b"\n") * 3
        for broken, why in ((b'x,"open\n', "unexpected end of data"), (b'"a "b" c",d\n', "expected after")):
            found = read(b"Content,Comment\n" + rows * 3 + broken + b"y,z\n" * 50)
            assert found["Content"].tolist()[4:] == ["y"] * 50
            (error,) = filter(None, found["Error"])
            assert found["Error"].tolist().index(error) == 3
            assert error.startswith(f"the row that begins in line {start} is not CSV")
            assert why in error
    assert "more than 100 rows are not CSV" in refused(b"Content,Comment\n" + b'"a"b,c\n' * 101)[1]


def test_behind_a_quote_that_never_closes_rows_are_read():
    """Open: how long it takes. Each such row has the reader look at the rest of the file."""
    found = read(b'Content\nx\n"open' + b"y\n" * 100_000)
    assert (found["Error"].astype(bool).sum(), len(found)) == (1, 100_001)


@pytest.mark.rule("X14")
@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
def test_a_row_that_is_not_utf_8_costs_no_other(ending):
    """Open: a file of UTF-8 with a row of something else. It is not guessed that all others are something else."""
    rows = [b"Content", *["Tür 🌷 ñ".encode()] * 5, "Grüße".encode("latin-1"), "é".encode()]
    found = read(ending.join(rows))
    assert [bool(error) for error in found["Error"]] == [False] * 5 + [True, False]
    assert "bytes that are not of the encoding" in found["Error"][7]


@pytest.mark.parametrize("before", [b"\n\n", b"sep=;\r\n", b";;\r\n", b"sep=;\r\n\r\n"])
def test_what_stands_before_the_heading_is_passed_over_and_counted(before):
    found = read(before + b"Content;Comment\r\nx;a,b,c,d\r\n")
    assert (found.index.tolist(), found["Content"].tolist(), found["Comment"].tolist()) == (
        [before.count(b"\n") + 2],
        ["x"],
        ["a,b,c,d"],
    )


def test_a_heading_of_very_many_columns_is_refused():
    assert contents(b"Content" + b"," * 16_383 + b"\nx\n") == ["x"]
    rule = "the heading has 16,385 columns; at most 16,384 are allowed"
    assert refused(b"Content" + b"," * 16_384 + b"\nx\n") == (1, rule)


@pytest.mark.parametrize("data", [b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, b"\r\n", b"sep=;\r\n"])
def test_an_empty_file_is_refused_with_the_columns_it_should_have(data):
    line, message = refused(data)
    assert line == 1
    assert "the file is empty; its first row must name the columns: Campaign Name, QR Code Name, Content" in message


def test_without_a_content_column_near_names_are_proposed():
    line, message = refused(b"Name,Contents,Colour\nx,y,z\n")
    assert line == 1
    assert message.startswith("the heading has no column 'Content'")
    assert "'Contents': did you mean 'Content'" in message
    assert "no column 'Content'" in refused(b"https://example.com\n")[1]


def test_a_column_that_is_there_twice_is_refused():
    assert refused(b"Content,Comment,CONTENT \nx,y,z\n") == (1, "the column 'Content' appears twice in the heading")
    assert contents(b"Content,Colour,Colour,,\nx,y,z,,\n") == ["x"]


def test_a_file_with_too_many_rows_is_refused(monkeypatch):
    monkeypatch.setattr(table_files, "MOST_ROWS", 3)
    assert len(read(b"Content\n" + b"x\n" * 3 + b"\n\n")) == 3
    line, message = refused(b"Content\n" + b"x\n" * 4)
    assert (line, message) == (5, "the file has more than 3 rows; split it")


def test_a_file_with_too_many_bytes_is_refused(monkeypatch):
    data = "Content\nGrüße\n".encode()
    monkeypatch.setattr(table_files, "MOST_BYTES", len(data))
    assert contents(data) == ["Grüße"]
    assert refused(data + b"x") == (None, f"the file has {len(data) + 1} bytes; at most {len(data)}")


def test_a_cell_may_be_as_long_as_the_file():
    assert contents(b"Content\n" + b"x" * 1_000_000) == ["x" * 1_000_000]


@given(st.binary(max_size=60) | st.binary(max_size=60).map(b"Content,Comment\n".__add__))
@some
def test_any_bytes_are_read_or_refused(data):
    try:
        found = read(data)
    except UnreadableFile:
        return
    assert set(NAMES) < set(found.columns)


# ---- formats by name


def test_formats_are_found_by_name_in_any_case():
    assert exchange_format("CSV") is EXCHANGE_FORMATS["csv"]
    for name in ("", "cvs", "exe"):
        with pytest.raises(InvalidParameter, match=r"is not a format of exports; .*csv") as caught:
            exchange_format(name)
        assert caught.value.name == "format"


def test_columns_may_have_the_names_of_data_frames():
    found = read(b"name,CONTENT,short_url,is_dynamic,ec\nDoor,x,https://go.example.com/door,no,H\n")
    columns = ["QR Code Name", "Content", "Trackable URL", "Dynamic", "Error Correction"]
    assert found[columns].to_numpy().tolist() == [["Door", "x", "https://go.example.com/door", "no", "H"]]
    assert refused(b"Content,Trackable URL,short_url\nx,y,z\n")[1] == (
        "the column 'Trackable URL' appears twice in the heading"
    )


@pytest.mark.parametrize(
    "table",
    [
        'Content,Comment,Name\nhttps://example.com/a,"12\\" wide, red","C:\\\\dir"\nhttps://example.com/b,\\N,"B"\n',
        '"Content"\t"Comment"\t"Name"\n"https://example.com/a"\t"12\\" wide, red"\t"C:\\\\dir"\n'
        '"https://example.com/b"\t\\N\t"B"\n',
    ],
)
def test_backslashes_of_databases_escape_quotation_marks(table):
    """Such a row was left out, and every backslash of the other rows was doubled."""
    with open_portfolio(":memory:") as portfolio:
        assert portfolio.import_file(table.encode()).issues == ()
        assert [(code.name, code.comment) for code in portfolio.list_qrcodes()] == [
            ("C:\\dir", '12" wide, red'),
            ("B", ""),
        ]


def test_a_backslash_before_a_closing_quotation_mark_is_text():
    with open_portfolio(":memory:") as portfolio:
        portfolio.import_file(b'Content,Comment\nhttps://example.com/a,"C:\\dir\\"\nhttps://example.com/b,"a ""b"""\n')
        assert [code.comment for code in portfolio.list_qrcodes()] == ["C:\\dir\\", 'a "b"']


def test_backslashes_escape_quotation_marks_without_others_around_the_text():
    table = b'Content,Comment\nhttps://example.com/a,a \\"b\\" c\nhttps://example.com/b,"x, y"\n'
    with open_portfolio(":memory:") as portfolio:
        portfolio.import_file(table)
        assert [code.comment for code in portfolio.list_qrcodes()] == ['a "b" c', "x, y"]


def test_json_in_a_cell_keeps_its_backslashes():
    fields = {"Note": 'a "b" c'}
    cell = json.dumps(fields).replace('"', '""')
    with open_portfolio(":memory:") as portfolio:
        portfolio.import_file(f'Content,Fields\nhttps://example.com/a,"{cell}"\n'.encode())
        assert dict(portfolio.list_qrcodes()[0].fields) == fields


def test_an_escaped_pipe_in_a_markdown_cell_is_text():
    table = b"| Content | Name |\n|---|---|\n| https://example.com | left \\| right |\n"
    with open_portfolio(":memory:") as portfolio:
        assert portfolio.import_file(table).issues == ()
        assert portfolio.list_qrcodes()[0].name == "left | right"
