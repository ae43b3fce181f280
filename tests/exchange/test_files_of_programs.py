"""Files as programs join, wrap and pack them: each code comes in with its printed address, or the file says why not."""

import json

import pandas as pd
import pytest

from qrkit.errors import UnreadableFile

CODES = [{"content": "https://e.org/ä", "name": "A"}, {"content": "https://e.org/b", "name": "B"}]


def contents(shop):
    return [code.content for code in shop.list_qrcodes()]


def text(value):
    return json.dumps(value, ensure_ascii=False)


JSON = {
    "JSON Lines": "\n".join(map(text, CODES)),
    "JSON Lines, blank lines": "\r\n\r\n".join(map(text, CODES)) + "\n",
    "wrapped": text({"data": {"items": CODES}}),
    "a list of the interface": text({"campaigns": [{"id": "x", "name": "c"}], "qrcodes": CODES}),
}


@pytest.mark.rule("X1")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("file", JSON.values(), ids=JSON.keys())
def test_json_of_programs_is_read(shop, file, encoding):
    assert shop.import_file(file.encode(encoding), format="json").issues == ()
    assert contents(shop) == ["https://e.org/ä", "https://e.org/b"]


def test_a_single_object_is_a_file_of_one(shop):
    assert shop.import_file(text(CODES[0]).encode(), format="json").created == 1


def test_json_lines_are_known_by_their_suffix(shop, tmp_path):
    path = tmp_path / "codes.jsonl"
    path.write_text(JSON["JSON Lines"])
    assert shop.import_file(path).created == 2


def test_a_line_separator_in_a_text_ends_no_json_line(shop):
    file = "\n".join(text({"name": f"a\u2028{number}", "content": f"https://e.org/{number}"}) for number in "12")
    shop.import_file(file.encode(), format="json")
    assert contents(shop) == ["https://e.org/1", "https://e.org/2"]


@pytest.mark.parametrize("end", ['{"content": ', "oops", "[" * 100_000])
def test_the_json_line_that_cannot_be_read_is_named(shop, end):
    with pytest.raises(UnreadableFile, match=r"JSON") as error:
        shop.import_file(("\n".join(map(text, CODES)) + f"\n{end}\n").encode(), format="json")
    assert error.value.line == 3


@pytest.mark.parametrize("file", ['{"content": "x"}\n{"content": ', '{"content": "x"} y', "[1] [2]"])
def test_what_is_no_json_lines_is_refused(shop, file):
    with pytest.raises(UnreadableFile, match="JSON"):
        shop.import_file(file.encode(), format="json")


def test_a_heading_that_is_repeated_is_no_code(shop):
    """Open: pages of a list, and files that were joined, with a byte order mark in the middle."""
    file = "Content,QR Code Name\nhttps://e.org/a,A\n\ufeffContent,QR Code Name\nhttps://e.org/b,B\n"
    assert shop.import_file(file.encode("utf-8-sig")).issues == ()
    assert contents(shop) == ["https://e.org/a", "https://e.org/b"]


@pytest.mark.parametrize("file", ["Content\nContent\n", "Content,Note\nContent,x\n"])
def test_a_text_like_a_heading_is_a_content(shop, file):
    shop.import_file(file.encode())
    assert contents(shop) == ["Content"]


def test_xml_with_a_namespace_is_read(shop):
    item = '<t:item><t:name>A</t:name><t:content>x</t:content><o xmlns="u">y</o></t:item>'
    shop.import_file(f'<t:tracking xmlns:t="urn:x">{item}</t:tracking>'.encode(), format="xml")
    assert [(code.name, code.content, dict(code.fields)) for code in shop.list_qrcodes()] == [("A", "x", {"o": "y"})]


def test_a_spreadsheet_of_excel_2003_is_named(shop):
    file = b'<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>'
    with pytest.raises(UnreadableFile, match="save it as xlsx"):
        shop.import_file(file, format="xls")


@pytest.mark.rule("X4")
@pytest.mark.parametrize("name", ["Short URL", "shortUrl", "short_link", "Bitlink"])
@pytest.mark.parametrize("is_json", [False, True])
def test_short_urls_beside_contents_are_kept(shop, name, is_json):
    """Open: a record of the interface, or a table, whose short URL has another name than the column of exports."""
    table = f"content,{name}\nhttps://e.org,https://a.test/door\n"
    records = json.dumps([{"content": "https://e.org", name: "https://a.test/door"}])
    result = shop.import_file((records if is_json else table).encode(), format="json" if is_json else "csv")
    assert (result.issues, [code.short_code for code in shop.list_qrcodes()]) == ((), ["door"])


@pytest.mark.rule("X4", "X16")
def test_a_short_code_that_a_spreadsheet_shortened_is_told(shop):
    result = shop.import_file(b"Content,Trackable URL\nhttps://e.org,1.23457E+11\n")
    assert [issue.reason for issue in result.issues] == ["code-unreadable"]


@pytest.mark.rule("X7")
@pytest.mark.parametrize("code", ["007", "1234567890123"])
def test_the_apostrophe_of_a_number_is_no_part_of_it(shop, code):
    """Open: the apostrophe with which people keep spreadsheets from dropping zeros."""
    shop.import_file(f"Content,Trackable URL,QR Code Name\nhttps://e.org,'{code},'{code}\n".encode())
    assert [(one.short_code, one.name) for one in shop.list_qrcodes()] == [(code, code)]


CELLS = [["content", "name"], ["https://e.org/ä", "A"], ["https://e.org/b", "B"]]
BOX = """
┌─────────────────┬──────┐
│     content     │ name │
├─────────────────┼──────┤
│ https://e.org/ä │ A|a  │
│ https://e.org/b │ B    │
└─────────────────┴──────┘
""".lstrip()


@pytest.mark.parametrize(
    ("file", "format"),
    [
        (text(CELLS), "json"),
        (text({"range": "Sheet1!A1:B3", "majorDimension": "ROWS", "values": CELLS}), "json"),
        (text({"columns": CELLS[0], "index": [0, 1], "data": CELLS[1:]}), "json"),
        (BOX, "csv"),
    ],
    ids=["arrays", "Google Sheets", "pandas", "SQLite"],
)
def test_rows_of_cells_are_read_below_their_heading(shop, file, format):
    assert shop.import_file(file.encode(), format=format).is_complete
    assert contents(shop) == ["https://e.org/ä", "https://e.org/b"]
    assert shop.list_qrcodes()[0].name in ("A", "A|a")


@pytest.mark.parametrize("start", ["\n", "\r\n \n"])
def test_lines_within_the_cells_of_a_box_stay(shop, start):
    """They became a minus and a plus sign, and a box behind a blank line was refused."""
    assert shop.import_file((start + BOX.replace("A|a", "─┬A")).encode()).is_complete
    assert shop.list_qrcodes()[0].name == "─┬A"


@pytest.mark.parametrize("lines", ["├" * 150_000 + "\n" + "│\n" * 150_000, "│varchar" * 150_000 + "│\n│"])
def test_a_hostile_box_is_looked_through_once(shop, lines):
    """Each of its marks began a look at the rest, so time grew with the square of the size."""
    with pytest.raises(UnreadableFile):
        shop.import_file(f"┌─┐\n{lines}".encode())


OF_DUCKDB = """
┌──────────────────────────┬─────────┐
│         content          │  name   │
│         varchar          │ varchar │
├──────────────────────────┼─────────┤
│ https://example.org/lon… │ A       │
│            ·             │ ·       │
└──────────────────────────┴─────────┘
  40 rows (1 shown)         2 columns
""".lstrip()
WRAPPED = """
┌────────────────────────┬──────┐
│        content         │ name │
├────────────────────────┼──────┤
│ https://example.org/01 │ A    │
│ 234567890              │      │
├────────────────────────┼──────┤
│ https://example.org/b  │ B    │
└────────────────────────┴──────┘
""".lstrip()
WRAPPED_ALONE = f"""
┌{"─" * 62}┬──────┐
│ content{" " * 54}│ name │
├{"─" * 62}┼──────┤
│ https://example.org/{"0123456789" * 4} │ A    │
│ 0123456789{" " * 51} │      │
└{"─" * 62}┴──────┘
""".lstrip()


OF_PSQL = """
       content        | name
----------------------+------
 BEGIN:VCARD         +| A
 VERSION:3.0         +|
 FN:A. Long Name A   +|
 END:VCARD            |
(1 row)
""".lstrip("\n")
WRAPPED_TABLE = WRAPPED_ALONE.translate(str.maketrans("┌┬┐├┼┤└┴┘─│", "+++++++++-|"))
WRAPPED_MARKDOWN = "\n".join(WRAPPED_TABLE.replace("+", "|").splitlines()[1:-1])


@pytest.mark.parametrize(
    "file",
    [OF_DUCKDB, WRAPPED, WRAPPED_ALONE, WRAPPED_TABLE, WRAPPED_MARKDOWN, OF_PSQL],
    ids=["DuckDB", "SQLite", "SQLite, one row", "SQLite, table", "SQLite, Markdown", "psql"],
)
def test_a_box_with_texts_cut_off_is_refused(shop, file):
    """QR Codes were made of the beginnings of addresses, of types and of dots, and nothing was said."""
    with pytest.raises(UnreadableFile, match=r"cut off or wrapped.*write it as csv"):
        shop.import_file(file.encode())
    assert not shop.list_qrcodes()


LOST = "the column C has no heading, and was left out"


def test_a_printed_text_of_60_characters_is_whole_if_the_next_row_is_filled(shop):
    """A box with such a text was refused."""
    long = f"https://example.org/{'0123456789' * 4}"
    box = BOX.replace("─" * 17, "─" * 62).replace("https://e.org/ä ", long.ljust(61)).replace("│ A|a ", "│ A+ ")
    assert shop.import_file(box.encode()).created == 2
    assert contents(shop)[0] == long


@pytest.mark.parametrize("text", ["x" * 60, "Read more\u2026", "Google+"])
def test_a_row_with_texts_of_its_own_goes_on_with_no_other(shop, text):
    """Such a table was refused if the row had an empty cell."""
    rows = f"|content|name|comment|\n|---|---|---|\n|https://e.org/a|{text}|x|\n|https://e.org/b|B||\n"
    assert shop.import_file(rows.encode()).created == 2


def test_an_address_does_not_go_on_with_another_address(shop):
    long = f"https://example.org/{'0123456789' * 4}"
    rows = f"| content | name |\n|---|---|\n| {long} | A |\n| https://e.org/b | |\n"
    assert shop.import_file(rows.encode()).created == 2


@pytest.mark.parametrize("heading", [["content", "name"], ["Long URL", "Short URL"]])
def test_a_cell_beyond_the_heading_is_told(shop, heading):
    ends = [[], [], [0], ["", None]]
    cells = [heading, *([f"https://e.org/{row}", f"https://s.test/{row}", *end] for row, end in enumerate(ends))]
    result = shop.import_file(text(cells).encode(), format="json")
    told = [(issue.row, issue.detail) for issue in result.issues if issue.reason == "unknown-column"]
    assert (result.created, told) == (4, [(1, LOST)])


def test_a_cell_beyond_the_heading_of_visits_is_told(shop):
    shop.insert_qrcode("https://example.com", short_code="door")
    cells = [["short_code", "time"], ["door", "2026-01-02T10:00:00Z", 5], ["door", "2026-01-02T10:00:00Z", ""]]
    result = shop.import_scans(text(cells).encode(), format="json")
    assert (result.created, [detail for _, detail in result.issues]) == (2, [LOST])


RECORD = {"content": "https://e.org/a"}


@pytest.mark.parametrize(
    "file",
    [
        [[], [RECORD]],
        {"data": [[], [RECORD]]},
        {"items": [RECORD], "data": [["a"], ["b"]]},
        {"items": [RECORD], "values": [["a", "a"], [1, 2]]},
    ],
)
def test_records_beside_other_arrays_are_read(shop, file):
    """The arrays were taken for the table of the file, and an empty page for its heading."""
    assert shop.import_file(text(file).encode(), format="json").is_complete
    assert contents(shop) == ["https://e.org/a"]


@pytest.mark.parametrize(
    "file",
    [
        text({"valueRanges": [{"range": "A1:B2", "values": CELLS[:2]}]}),
        text({"columns": CELLS[0], "rows": CELLS[1:2], "truncated": False}),
        "\n".join(map(text, CELLS[:2])),
        text([["My codes"], [], *CELLS[:2]]),
        text([*CELLS[:1], [], ["", None], CELLS[1]]),
        text([[*CELLS[0], "note", "note"], [*CELLS[1], "x", "y"]]),
        text([[None, *CELLS[0]], [0, *CELLS[1]]]),
    ],
    ids=["ranges", "Datasette", "lines", "title", "blank rows", "two notes", "no name"],
)
def test_rows_of_cells_are_read_as_those_of_a_workbook(shop, file):
    """They were refused, or blank rows were reported."""
    result = shop.import_file(file.encode(), format="json")
    assert not [issue for issue in result.issues if issue.reason == "invalid"]
    assert contents(shop) == ["https://e.org/ä"]


def test_the_labels_of_rows_are_not_their_cells(shop):
    """Of a DataFrame with two levels of labels, they were: its contents were lost without a word."""
    frame = pd.DataFrame(CELLS[1:2], columns=CELLS[0], index=pd.MultiIndex.from_tuples([("Graz", "Till")]))
    shop.import_file(frame.to_json(orient="split").encode(), format="json")
    assert contents(shop) == ["https://e.org/ä"]


def test_each_range_of_google_sheets_is_read(shop):
    """All but the first one were lost without a word."""
    ranges = [CELLS[:2], [CELLS[0], CELLS[2]], [["town"], ["Graz"]]]
    result = shop.import_file(text({"valueRanges": [{"values": rows} for rows in ranges]}).encode(), format="json")
    assert contents(shop) == ["https://e.org/ä", "https://e.org/b"]
    assert [issue.detail for issue in result.issues] == ["the sheet 'rows 3' has other headings, and was not read"]


def test_rows_of_cells_with_a_column_twice_are_refused(shop):
    """The cells of the first one were lost."""
    cells = [["content", "name", "name"], ["https://e.org/a", "A", "B"]]
    with pytest.raises(UnreadableFile, match="the column 'QR Code Name' appears twice in the heading"):
        shop.import_file(text(cells).encode(), format="json")


@pytest.mark.parametrize("name", ["", "a.txt", "a.csv"])
def test_rows_of_cells_are_recognized(shop, tmp_path, name):
    """They were read as a csv with nothing but a heading."""
    shop.insert_qrcode("https://example.com", short_code="door")
    for cells, read in (
        (CELLS, shop.import_file),
        ([["short_code", "time"], ["door", "2026-01-02"]], shop.import_scans),
    ):
        source = text(cells).encode()
        if name:
            (tmp_path / name).write_bytes(source)
        result = read(tmp_path / name if name else source)
        assert (result.created, result.issues) == (len(cells) - 1, ())


@pytest.mark.parametrize(
    ("file", "format", "rule"),
    [
        ("<urlset><url><loc>https://e.org</loc></url></urlset>", "xml", "only XML of qrkit is read; save the table as"),
        (
            "content          name\n---------------  ----\nhttps://e.org/a  A\n",
            "csv",
            "only spaces separate the columns",
        ),
    ],
)
def test_a_file_that_is_not_read_says_what_to_do(shop, file, format, rule):
    with pytest.raises(UnreadableFile, match=rule):
        shop.import_file(file.encode(), format=format)
