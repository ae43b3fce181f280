"""Where the table of a file is: title rows, cover sheets, hidden sheets, no heading, two rows of headings."""

import io
import zipfile
from functools import cache

import openpyxl
import pytest

from qrkit import open_portfolio
from qrkit.__main__ import main
from qrkit.errors import InvalidParameter, UnreadableFile
from qrkit.exchange.locating import MOST_SHEETS, MOST_TRIED, Place
from qrkit.exchange.sheets import read_sheet
from tests.exchange.test_sheets import as_csv, as_xlsx
from tests.sweeps import quick_first

NAMES = {"content": "Website", "name": "Poster"}
TABLE = [["Poster", "Website"], ["Door", "https://example.com/door"], ["Gate", "https://example.com/gate"]]
TITLES = [["Posters, spring 2026"], [], ["made by Ana;", "", "on 3 March"]]


def brought(data, columns=None, **options):
    """The codes of an import by name, and its issues without rows."""
    with open_portfolio(":memory:") as shop:
        result = shop.import_file(data, columns=columns, **options)
        return {code.name: code.content for code in shop.list_qrcodes()}, [issue.error for issue in result.issues]


BOTH = {"Door": "https://example.com/door", "Gate": "https://example.com/gate"}


@pytest.mark.rule("X14")
@pytest.mark.parametrize("write", quick_first([as_csv, as_xlsx]))
@pytest.mark.parametrize("columns", [NAMES, None])
def test_a_heading_below_titles_is_found_and_told(write, columns):
    heading = TABLE[0] if columns else ["QR Code Name", "Content"]
    codes, issues = brought(write([*TITLES, heading, *TABLE[1:]]), columns)
    assert codes == BOTH
    assert issues == ["heading-row: the heading is in row 4, and the rows above it were not read"]


@pytest.mark.rule("X14")
@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_titles_do_not_decide_on_the_separator(separator):
    text = "Posters, spring, 2026\n" + "\n".join(separator.join(row) for row in TABLE)
    assert brought(text.encode(), NAMES)[0] == BOTH
    ours = text.replace("Poster" + separator, "Name" + separator).replace("Website", "Content")
    assert brought(ours.encode())[0] == BOTH


def test_a_row_of_data_is_no_heading():
    """Open: a cell of data that reads like a heading. The rows above it would be lost."""
    rows = [["Text", "Name"], ["hello", "a"], ["content", "b"], ["kind", "c"], ["https://example.com", "d"]]
    with pytest.raises(UnreadableFile, match="it has 'Text', 'Name'"):
        brought(as_csv(rows))
    with pytest.raises(InvalidParameter, match="'Website': is not a column of the file"):
        brought(as_csv([["Text", "Name"], ["website", "a"], ["x", "b"]]), {"content": "Website"})
    assert brought(as_csv([["Links"], ["Website", "Price"], ["https://example.com", "4"]]), {"content": "Website"})[0]


def test_a_heading_is_looked_for_in_fifty_rows():
    above = [["a title", ""]] * (MOST_TRIED - 1)
    assert brought(as_csv([*above, *TABLE]), NAMES)[0] == BOTH
    with pytest.raises(InvalidParameter, match="is not a column of the file"):
        brought(as_csv([*above, ["one more", ""], *TABLE]), NAMES)
    assert brought(as_csv([*above, ["one more", ""], *TABLE]), NAMES, header_row=MOST_TRIED + 1)[0] == BOTH


def test_a_heading_that_names_a_column_twice_is_no_reason_to_look_in_the_data():
    data = as_csv([["a b", "a b", "City"], ["1", "a", "Graz"], ["2", "b", "Bled"]])
    with pytest.raises(InvalidParameter, match="'a b': appears twice in the heading"):
        brought(data, {"content": "a b"})


@pytest.mark.rule("X14")
@pytest.mark.parametrize("columns", [NAMES, None])
def test_a_table_behind_a_cover_sheet_is_found(columns):
    heading = TABLE[0] if columns else ["Name", "Content"]
    book = as_xlsx([["Read me"], ["ask Ana"]], [[], heading, *TABLE[1:]], [["Prices"], ["4"]])
    codes, issues = brought(book, columns)
    assert codes == BOTH
    assert [issue for issue in issues if "unread-sheet" in issue] == [
        "unread-sheet: the sheet 'Sheet 0' has other headings, and was not read",
        "unread-sheet: the sheet 'Sheet 2' has other headings, and was not read",
    ]
    assert "heading-row: the heading is in row 2 of the sheet 'Sheet 1'" in issues


def test_sheets_without_the_heading_are_named_in_the_error():
    with pytest.raises(UnreadableFile, match=r"it has 'Prices', 'Cake'; .* in these sheets, either: 'Sheet 0'"):
        brought(as_xlsx([["Read me"], ["ask Ana"]], [["Prices", "Cake"], ["4", "5"]]))


@pytest.mark.rule("X14")
def test_a_sheet_is_chosen_by_name():
    book = as_xlsx(TABLE, [TABLE[0], ["Roof", "https://example.com/roof"]])
    assert brought(book, NAMES)[0] == BOTH | {"Roof": "https://example.com/roof"}
    assert brought(book, NAMES, sheet=" sheet 1 ") == ({"Roof": "https://example.com/roof"}, [])
    with pytest.raises(InvalidParameter, match=r"sheet='Sheet 7': is not a sheet of the file; .*'Sheet 0'"):
        brought(book, NAMES, sheet="Sheet 7")
    with pytest.raises(InvalidParameter, match="has no sheets"):
        brought(as_csv(TABLE), NAMES, sheet="Sheet 0")


@pytest.mark.rule("X14")
@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_hidden_sheets_are_skipped_and_told(state):
    book = openpyxl.load_workbook(io.BytesIO(as_xlsx(TABLE, [TABLE[0], ["Roof", "https://example.com/roof"]])))
    book["Sheet 0"].sheet_state = state
    book.active = 1
    file = io.BytesIO()
    book.save(file)
    roof = {"Roof": "https://example.com/roof"}
    told = ["unread-sheet: the sheet 'Sheet 0' is hidden, and was not read"]
    codes, issues = brought(file.getvalue(), NAMES)
    assert (codes, issues[0:1]) == (roof, told)
    assert brought(file.getvalue(), NAMES, sheet="Sheet 0") == (BOTH, [])


def test_more_sheets_than_are_read_are_named():
    sheets = [[["Content"], [f"https://example.com/{number}"]] for number in range(MOST_SHEETS + 2)]
    codes, issues = brought(as_xlsx(*sheets))
    assert len(codes) == MOST_SHEETS + 1
    assert [issue.split("'")[1] for issue in issues] == [f"Sheet {MOST_SHEETS + 1}"]


@pytest.mark.rule("X14")
@pytest.mark.parametrize("write", quick_first([as_csv, as_xlsx]))
def test_a_file_without_a_heading_has_lettered_columns(write):
    data = write(TABLE[1:])
    assert brought(data, {"content": "B", "name": "A"}, header_row=0) == (BOTH, [])
    with pytest.raises(UnreadableFile, match="header_row=0") as caught:
        brought(data)
    assert caught.value.line == 1
    with pytest.raises(UnreadableFile, match=r"columns=\{'Content': 'B'}"):
        brought(data, header_row=0)


@pytest.mark.rule("X14")
def test_a_heading_that_looks_like_data_is_told():
    codes, issues = brought(as_csv(TABLE[1:]), {"content": "https://example.com/door", "name": "Door"})
    assert codes == {"Gate": "https://example.com/gate"}
    assert issues == [
        "heading-row: the heading in row 1 holds an address, 'https://example.com/door'; if that is data, import the "
        "file as one without a heading"
    ]


GROUPED = [
    ["2026", "", "", ""],
    ["", "Home", "", "Away"],
    ["Poster", "URL", "City", "URL"],
    ["Door", "https://example.com/door", "Ljubljana", "https://example.com/x"],
    ["Gate", "https://example.com/gate", "Maribor", ""],
]


@pytest.mark.rule("X14")
@pytest.mark.parametrize("header_row", [None, "2-3", "2 - 3", 3])
def test_two_rows_of_headings_are_joined(header_row):
    if header_row == "2 - 3":
        with pytest.raises(InvalidParameter, match="header_row='2 - 3': must be the row of the headings"):
            Place(header_row=header_row).heading_rows()
        return
    columns = {"content": "Home URL", "name": "Poster"}
    if header_row == 3:
        with pytest.raises(InvalidParameter, match="'Home URL': is not a column"):
            brought(as_csv(GROUPED), columns, header_row=3)
        return
    codes, issues = brought(as_csv(GROUPED), columns, header_row=header_row)
    assert codes == BOTH
    assert any("in rows 2 and 3, and the rows above" in issue for issue in issues) is (header_row is None)
    assert {issue.split("'")[1] for issue in issues if "own-column" in issue} == {"Home City", "Away URL"}


@pytest.mark.parametrize("header_row", ["x", "-1", "0-1", "4-3", "1-9", "99999999", 1.5])
def test_a_place_that_is_no_row_is_refused(header_row):
    with pytest.raises(InvalidParameter, match="must be the row of the headings") as caught:
        brought(as_csv(TABLE), NAMES, header_row=header_row)
    assert caught.value.name == "header_row"


def test_a_heading_beyond_the_last_row_is_refused():
    with pytest.raises(UnreadableFile, match="has 3 rows, so the heading cannot be in row 7"):
        brought(as_csv(TABLE), NAMES, header_row=7)


@pytest.mark.parametrize("option", [{"sheet": "x"}, {"header_row": 2}, {"encoding": "cp1252"}])
def test_a_place_in_a_file_without_rows_is_refused(option):
    with pytest.raises(
        InvalidParameter, match="is for csv, workbooks, HTML tables and dumps of databases, not for json"
    ):
        brought(b"[]", format="json", **option)


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_a_column_without_a_name_is_told_if_filled(write):
    rows = [["Content", "", "Comment", ""], ["https://example.com", "", "x", "lost"], ["https://example.org", "", "y"]]
    assert brought(write(rows))[1] == ["unknown-column: the column D has no heading, and was left out"]


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_headings_with_line_breaks_match_with_spaces(write):
    data = write([["Web\nsite", " Poster\u00a0name "], ["https://example.com", "Door"]])
    assert brought(data, {"content": "web site", "name": "poster name"})[0] == {"Door": "https://example.com"}
    assert read_sheet(data).heading == ("Web site", "Poster name")


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_letters_that_nobody_sees_are_not_of_a_heading(write):
    rows = [["\ufeffName", "Con\u200btent"], ["Door", "https://example.com/door\u200b"]]
    assert brought(write(rows))[0] == {"Door": "https://example.com/door\u200b"}


@pytest.mark.parametrize("data", [as_csv([[str(place) for place in range(20_000)]])])
def test_very_many_columns_are_refused(data):
    for columns in (None, {"content": "7"}):
        with pytest.raises(UnreadableFile, match="20,000 columns; at most 16,384"):
            brought(data, columns)
    with pytest.raises(UnreadableFile, match="1,001 columns; at most 1,000"):
        brought(as_xlsx([[f"c{place}" for place in range(1_200)]]))


@cache  # made when a test asks for it, not when tests are looked for
def bomb():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<x/>")
        archive.writestr("xl/worksheets/sheet1.xml", b"<row>" + bytes(100_000_000))
    return file.getvalue()


def locked():
    """What an office makes of a workbook with a password: a compound file that is no workbook."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le") * 100


BAD = {
    "nothing": (lambda: b"", "is empty"),
    "one cell": (lambda: b"x", "no column 'Content'"),
    "very many columns": (lambda: as_csv([[f"c{place}" for place in range(20_000)]]), "20,000 columns"),
    "a heading twice": (lambda: b"Content,content\nx,y\n", "appears twice"),
    "a zip bomb": (bomb, "claims to hold"),
    "a password": (locked, "has a password"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_file_is_one_sentence_and_changes_nothing(shop, what):
    data, words = BAD[what]
    with pytest.raises(UnreadableFile, match=words) as caught:
        shop.import_file(data(), format="xlsx")
    assert len(str(caught.value).splitlines()) <= 2
    assert shop.list_qrcodes() == []


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "ods"])
@pytest.mark.parametrize("what", BAD)
def test_the_command_says_one_sentence_of_a_bad_file_and_makes_no_store(what, suffix, tmp_path, capsys):
    file, store = tmp_path / f"list.{suffix}", tmp_path / "shop.duckdb"
    file.write_bytes(BAD[what][0]())
    assert main(["import", str(file), "--store", str(store)]) == 1
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n"), store.exists()) == ("", 1, False)
    assert len(told.err) < 600


@pytest.mark.parametrize("text", ["Content,Size\nx,99\n", "short_code,time\ndoor,2024-05-01\n"])
def test_a_file_of_which_nothing_is_read_makes_no_store(text, tmp_path):
    file, store = tmp_path / "list.csv", tmp_path / "shop.duckdb"
    file.write_text(text)
    assert (main(["import", str(file), "--store", str(store)]), store.exists()) == (1, False)


@pytest.mark.parametrize("separator", [b"\n", b","])
def test_ten_megabytes_in_a_cell_cost_their_row(separator):
    rows = b"Content" + separator.replace(b"\n", b"") + b"\n" + b"x" * 10_000_000 + b"\nhttps://example.com\n"
    codes, issues = brought(rows)
    assert codes == {"https://example.com": "https://example.com"}
    assert [issue.partition(":")[0] for issue in issues] == ["invalid"]
    assert len(issues[0]) < 500


@pytest.mark.parametrize("blank", [49, 50, 51])
def test_a_blank_row_at_the_end_of_the_first_ones_costs_no_row(blank):
    lines = ["Content", *map(str, range(2, 60))]
    lines[blank - 1] = ""
    sheet = read_sheet("\n".join(lines).encode())
    assert sheet.numbers == tuple(number for number in range(2, 60) if number != blank)
    assert sheet.rows == tuple((str(number),) for number in sheet.numbers)
