"""Files of rows whose columns may have any names."""

import csv
import gzip
import io
import zipfile
from pathlib import Path

import openpyxl
import pytest
import xlwt
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, UnreadableFile
from qrkit.exchange.csv_file import made_safe
from qrkit.exchange.sheets import Sheet, read_sheet, sheet_of
from qrkit.exchange.table_files import MOST_ROWS
from tests.sweeps import quick_first

some = settings(max_examples=12)
words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)


def as_csv(rows):
    file = io.StringIO(newline="")
    csv.writer(file).writerows(rows)
    return file.getvalue().encode()


def as_xlsx(rows, *further):
    book = openpyxl.Workbook()
    for place, sheet in enumerate([rows, *further]):
        target = book.create_sheet(f"Sheet {place}")
        for row in sheet:
            target.append(row)
    book.remove(book["Sheet"])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def as_xls(*sheets):
    book = xlwt.Workbook()
    for place, rows in enumerate(sheets):
        sheet = book.add_sheet(f"Sheet {place}")
        for number, row in enumerate(rows):
            for column, cell in enumerate(row):
                sheet.write(number, column, cell)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


GATES = [["gate", "URL"], ["North", "https://example.com/n"], ["007", "x"]]


@pytest.mark.parametrize("write", [as_csv, as_xlsx, as_xls])
def test_columns_are_found_by_name_in_any_case_whatever_the_file_is(write, tmp_path):
    data = write(GATES)
    (tmp_path / "gates.xls").write_bytes(data)  # its first bytes say what it is
    for sheet in (read_sheet(data), read_sheet(tmp_path / "gates.xls"), read_sheet(str(tmp_path / "gates.xls"))):
        assert sheet == Sheet(("gate", "URL"), (2, 3), (("North", "https://example.com/n"), ("007", "x")))
        assert sheet.column(" url ") == ["https://example.com/n", "x"]


@some
@given(st.lists(st.lists(words, min_size=2, max_size=2), max_size=6))
def test_texts_of_a_csv_come_back_as_they_are_and_rows_keep_their_numbers(rows):
    sheet = read_sheet(as_csv([["a", "b"], *[[made_safe(cell) for cell in row] for row in rows]]))
    there = [(number, row) for number, row in enumerate(rows, start=2) if any(row)]
    assert sheet.numbers == tuple(number for number, _ in there)
    assert sheet.column("a") == [row[0] for _, row in there]
    assert sheet.column("b") == [row[1] for _, row in there]


def test_a_row_that_is_too_wide_is_an_error_in_its_place_and_a_short_one_has_empty_cells():
    sheet = read_sheet(b"a,b\n1\n1,2,3\n4,5\n")
    first, wrong, last = sheet.column("b")
    assert (first, last) == ("", "5")
    assert isinstance(wrong, UnreadableFile)
    assert wrong.line == 3
    assert "has 3 cells, but the heading has 2" in str(wrong)
    assert sheet.column("a")[1] is wrong


def test_sheets_with_the_same_heading_go_on_and_others_are_named():
    sheet = read_sheet(as_xlsx([["a"], ["1"]], [["a"], ["2"]], [["b"], ["3"]]))
    assert sheet.column("a") == ["1", "2"]
    assert [issue.detail for issue in sheet.issues] == ["the sheet 'Sheet 2' has other headings, and was not read"]


@pytest.mark.parametrize("columns", quick_first([None, {"Content": "Content"}]))
def test_a_format_counts_whether_or_not_columns_are_named(columns, tmp_path):
    data = as_csv([["Content"], ["x"]])
    (tmp_path / "codes.dat").write_bytes(data)
    for source, format in ((data, "tsv"), (tmp_path / "codes.dat", None), (tmp_path / "codes.dat", "tsv")):
        with open_portfolio(":memory:") as shop, pytest.raises(InvalidParameter, match="is not a format of import"):
            shop.import_file(source, format=format, columns=columns)
    for source, format in ((data, "CSV"), (tmp_path / "codes.dat", "csv"), (as_xlsx([["Content"], ["x"]]), "csv")):
        with open_portfolio(":memory:") as shop:
            assert shop.import_file(source, format=format, columns=columns).created == 1
    for format in ("json", "xml"):
        with open_portfolio(":memory:") as shop, pytest.raises(UnreadableFile):
            shop.import_file(data, format=format, columns=columns)


@pytest.mark.parametrize("columns", [None, {"Content": "Content"}])
@pytest.mark.parametrize("suffix", ["txt", "tsv", "TXT", "tab", "psv"])
def test_tables_with_tabs_come_in_under_the_names_that_spreadsheets_give_them(shop, suffix, columns, tmp_path):
    path = tmp_path / f"codes.{suffix}"
    path.write_text("Content\tComment\nx\ta, b; c\n", encoding="utf-8")
    assert shop.import_file(path, columns=columns).created == 1
    assert [code.content for code in shop.list_qrcodes()] == ["x"]
    with pytest.raises(InvalidParameter, match="is not a format of exports"):
        shop.export_file(path)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"%PDF-1.7\n", "a PDF"),
        (b"BZh91AY&SY", "a bzip2 archive"),
        (b"\x89PNG\r\n", "a picture"),
    ],
)
@pytest.mark.parametrize("columns", [None, {"Content": "Content"}])
def test_a_file_that_is_no_table_is_named_by_its_first_bytes(shop, data, what, columns):
    with pytest.raises(UnreadableFile, match=f"the file is .*{what}, not a table"):
        shop.import_file(data, format="csv", columns=columns)


@pytest.mark.parametrize("name", ["codes.csv.gz", "codes.txt.gz", "codes.json.GZ", "codes.csv-20260301.gz"])
def test_files_in_gzip_are_read(shop, name, tmp_path):
    """They were refused, although most servers and databases write their large files so."""
    path = tmp_path / name
    path.write_bytes(gzip.compress(b'[{"content": "x"}]' if "json" in name else b"Content\nx\n", mtime=0))
    assert shop.import_file(path).created == 1
    assert shop.import_file(path.read_bytes(), columns={"Content": "content"}).skipped == 1


@pytest.mark.parametrize(
    "data", [gzip.compress(b"Content\nx\n", mtime=0)[:-9], b"\x1f\x8b\x08", gzip.compress(bytes(2**26 + 1), mtime=0)]
)
def test_damaged_and_huge_gzip_is_refused(shop, data):
    with pytest.raises(UnreadableFile, match=r"damaged or cut off|at most"):
        shop.import_file(data)


BLANK = st.lists(st.sampled_from([[], ["", "", ""]]), max_size=3)
HEADING = ["QR Code Name", "Content", "Comment", "Price"]


@pytest.mark.parametrize("columns", [None, {"Content": "content", "QR Code Name": "QR Code Name"}])
@pytest.mark.parametrize("write", quick_first([as_csv, as_xls, as_xlsx]))
@given(BLANK, BLANK)
@settings(some, max_examples=6)
@example([[]], [[]])
def test_blank_rows_in_front_of_a_heading_change_nothing_but_the_numbers_of_rows(write, columns, first, further):
    sheets = [[*first, HEADING, ["One", "1"], ["Two", ""]]]
    if write is not as_csv:
        sheets += [[*further, HEADING, ["Three", "3"]], [*further, ["Item", "Price"], ["Cake", "4"]]]
    with open_portfolio(":memory:") as shop:
        result = shop.import_file(write(*sheets), columns=columns)
        found = [(code.name, code.content) for code in shop.list_qrcodes()]
    assert found == [("One", "1"), ("Three", "3")][: len(sheets)]
    heading = 1 + len(first)
    told = {(heading + 2, "invalid")}
    told |= {(heading, "unknown-column")} if columns else set()
    told |= {(1, "unread-sheet")} if len(sheets) > 1 else set()
    assert {(issue.row, issue.reason) for issue in result.issues} == told
    assert len(result.issues) == len(told)  # with columns named, Comment is left out


def test_what_is_wrong_with_a_heading_below_blank_rows_is_told_with_its_row():
    for rows, words in (([["Title"]], "has no column"), ([["Content", "content"]], "appears twice")):
        with open_portfolio(":memory:") as shop, pytest.raises(UnreadableFile, match=words) as caught:
            shop.import_file(as_csv([[], [], *rows]))
        assert caught.value.line == 3


@pytest.mark.parametrize("name", ["c", "", "twice"])
def test_a_name_that_is_no_column_or_two_is_refused_by_the_name_of_its_field(name):
    sheet = read_sheet(b"a,,Twice,tWICE\n1,2,3,4\n")
    with pytest.raises(InvalidParameter, match="appears twice" if name == "twice" else "is not a column") as caught:
        sheet.column(name, field="content_column")
    assert caught.value.name == "content_column"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"\n,,\n", "is empty"),
        (b"PK\x05\x06" + bytes(18), "zip files have no rows to read|archive"),
        (b"a,b\n" + b'"1"x\n' * 101, "more than 100 rows are not CSV"),
        (b"\xd0\xcf\x11\xe0 no workbook", "not an Excel workbook"),
        (b"a\n" + b"x\n" * (MOST_ROWS + 1), "more than 200,000 rows"),
    ],
    ids=lambda value: str(value[:12]),
)
def test_what_has_no_rows_or_too_many_is_refused(data, words):
    with pytest.raises(UnreadableFile, match=words):
        read_sheet(data)


@pytest.mark.slow
def test_short_rows_of_a_wide_table_have_a_limit():
    """A file of 330 KB would become 80 million cells."""
    wide = f"INSERT INTO a ({', '.join(f'c{number}' for number in range(990))}) VALUES ({', '.join(['1'] * 990)});\n"
    rows = ",".join(["(1)"] * 80_000)
    with pytest.raises(UnreadableFile, match="more than 20,000,000 cells"):
        sheet_of(f"{wide}INSERT INTO a (c0) VALUES {rows};".encode(), "sql")


@pytest.mark.parametrize("name", ["codes.xml", "codes.zip", "missing.csv", "."])
def test_files_that_are_no_tables_are_refused_by_their_name(name, tmp_path):
    for suffix in ("xml", "zip"):
        (tmp_path / f"codes.{suffix}").write_bytes(b"a\n1\n")
    with pytest.raises(UnreadableFile, match=name):
        read_sheet(tmp_path / name)


def test_an_import_with_columns_of_its_own_tells_of_rows_and_sheets_that_were_not_read(shop):
    book = openpyxl.Workbook()
    book.active.append(["url", "poster"])
    book.active.append(["https://example.com", "Door"])
    other = book.create_sheet("Prices")
    other.append(["item", "price"])
    other.append(["cake", "4"])
    file = io.BytesIO()
    book.save(file)
    result = shop.import_file(file.getvalue(), columns={"content": "URL", "QR Code Name": "poster"})
    assert [code.name for code in shop.list_qrcodes()] == ["Door"]
    assert [issue.reason for issue in result.issues] == ["unread-sheet"]
    wide = b"url,poster\nhttps://example.com/1,Gate,too much\n"
    assert shop.import_file(b"7\nhttps://example.com/7\n", columns={"Content": 7}).created == 1
    (issue,) = shop.import_file(wide, columns={"Content": "url"}).issues
    assert (issue.row, issue.reason) == (2, "invalid")
    with pytest.raises(InvalidParameter, match=r"columns='Colour': is not a column of an import"):
        shop.import_file(wide, columns={"Content": "url", "Colour": "poster"})


@pytest.mark.parametrize(
    ("heading", "cells", "column"),
    [
        ("Table,Content", "1,Hello", "Content"),
        ("Table,Website", "1,https://example.com/1", "Website"),
        ("Table,longUrl,QR", "1,example.com/1,https://example.com/qr.png", "longUrl"),
        (
            "Link,Custom Link,Destination URL",
            "https://bit.ly/a,https://acme.ly/a,https://example.com/1",
            "Destination URL",
        ),
        ("Room,Where", "A,https://example.com/a", "Where"),
        ("Raum,Link zur Seite,Karte", "A,https://example.com/a,https://example.com/map", "Link zur Seite"),
        ("Room,Where", "A,https://example.com/a\nB,", ""),
        ("Room,Where", "A,https://example.com/a\n" * 9 + "B,www.example.com/b", "Where"),
        ("Room,Logo", "A,https://example.com/a.png", ""),
        ("Site,Map", "https://example.com/a,https://example.com/map", ""),
        ("Table,Seats", "1,4", ""),
    ],
)
def test_column_of_contents_is_known_by_its_heading_or_its_addresses(heading, cells, column):
    assert read_sheet(f"{heading}\n{cells}\n".encode()).content_column == column


def packed(files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


@pytest.mark.parametrize("names", [["a.csv.gz"], ["a.csv.gz", "b.csv"], ["a.csv", "b.tsv.GZ"]])
def test_tables_in_gzip_in_an_archive_are_read(shop, names):
    """They were taken for pictures that cannot be read."""
    files = {name: gzip.compress(f"Content\n{name}\n".encode(), mtime=0) for name in names}
    assert shop.import_file(packed(files)).created == len(names)
    assert sorted(code.content for code in shop.list_qrcodes()) == names


def test_gzip_within_an_archive_is_unpacked_to_the_limit_of_a_file_in_all(shop):
    """Each file could be as large as a single one, so that a small archive took gigabytes of memory."""
    long = gzip.compress(b"Content,Comment\nx," + bytes(2**25), mtime=0)
    twice = {f"{number}.csv": long for number in range(3)}
    with pytest.raises(UnreadableFile, match="more than 64 MB unpacked"):
        shop.import_file(packed(twice))


def test_damaged_gzip_within_an_archive_is_named(shop):
    files = {"a.csv": b"Content\nx\n", "b.csv": gzip.compress(b"Content\ny\n")[:-9]}
    with pytest.raises(UnreadableFile, match=r"'b\.csv' is damaged or cut off"):
        shop.import_file(packed(files))


@pytest.mark.parametrize("path", ["", ".", "/", "codes", "codes.gz", "codes.2.gz"])
def test_a_path_without_a_suffix_is_refused_as_it_was_written(shop, path):
    """An empty name was an error of Python, and of codes.gz the error named the path codes."""
    with pytest.raises(InvalidParameter) as caught:
        shop.import_file(path)
    assert str(caught.value).startswith(f"path={str(Path(path))!r}: must end in one of .csv")
