"""Workbooks, read back by a reader of the few records that they consist of."""

import csv
import io
import struct
import subprocess
from io import BytesIO

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qrkit.errors import InvalidParameter
from qrkit.exchange import xls_file
from qrkit.exchange.workbooks import MOST_CHARACTERS, frame_values
from qrkit.tracking.text_columns import with_dtypes

some = settings(max_examples=40)
HOSTILE = [
    *("=1+1", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "'x", "00123", "1e5", "NA", "TRUE", "2026-03-01", "#N/A"),
    *(
        "\t",
        "\r\n",
        "a\rb",
        " x ",
        "\x00\x01\x1d",
        "\ufeff",
        "\ufffe",
        "<b>&amp;",
        "🙂👩‍👩‍👧",
        "שלום",
        "é" * 9_000,
        "漢" * 9_000,
    ),
]
texts = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53).map(float)


# ---- a small reader: [MS-CFB] for the file, [MS-XLS] for what is in it


def workbook_stream(data):
    """The stream `Workbook` of a compound file whose sector table fits its header."""
    sectors = [data[start : start + 512] for start in range(512, len(data), 512)]
    table = struct.unpack("<109i", data[76:512])
    following = [sid for one in table if one >= 0 for sid in struct.unpack("<128i", sectors[one])]

    def chain(sid):
        file = BytesIO()
        while sid >= 0:
            file.write(sectors[sid])
            sid = following[sid]
        return file.getvalue()

    directory = chain(struct.unpack_from("<i", data, 48)[0])
    name = "Workbook\0".encode("utf-16-le")
    (entry,) = (directory[at : at + 128] for at in range(0, len(directory), 128) if directory[at:].startswith(name))
    start, size = struct.unpack_from("<iI", entry, 116)
    return chain(start)[:size]


def records(stream, at=0):
    """Kind and content of each record of a substream, which ends with EOF."""
    kind = None
    while kind != 0x0A:
        kind, length = struct.unpack_from("<HH", stream, at)
        yield kind, stream[at + 4 : at + 4 + length]
        at += 4 + length


def shared_texts(pieces):
    """The texts of SST and the CONTINUE records after it: one that is cut goes on after a new flag."""
    first, *more = pieces
    (number,) = struct.unpack_from("<I", first, 4)
    piece, at, found = first, 8, []
    for _ in range(number):
        if at == len(piece):
            piece, at = more.pop(0), 0
        left, wide = struct.unpack_from("<HB", piece, at)
        at += 3
        text = ""
        while True:
            part = piece[at : at + (left << wide)]
            text += part.decode("latin-1") if not wide else part.decode("utf-16-le", "surrogatepass")
            at += len(part)
            left -= len(part) >> wide
            if not left:
                break
            piece, at = more.pop(0), 1
            wide = piece[0]
        # A pair of surrogates may be cut, too.
        found.append(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le"))
    return found


def rk(coded):
    """A number as spreadsheets press it into 30 bits; xlwt uses whole numbers and hundredths."""
    assert coded & 2
    return float(coded >> 2) / (100 if coded & 1 else 1)


def cells_of(kind, content, shared):
    """Place and value of the cells that a record holds."""
    if kind == 0xBD:  # MULRK: some numbers side by side
        row, first = struct.unpack_from("<HH", content)
        for place, at in enumerate(range(4, len(content) - 2, 6), start=first):
            yield (row, place), rk(struct.unpack_from("<i", content, at + 2)[0])
    form = {0xFD: "<I", 0x27E: "<i", 0x203: "<d", 0x205: "<BB"}.get(kind)
    if form:
        values = struct.unpack_from(form, content, 6)
        read = {0xFD: shared.__getitem__, 0x27E: rk, 0x203: float, 0x205: bool}[kind]
        yield struct.unpack_from("<HH", content), read(values[0])


def sheets_of(data):
    """Name to cells by row and column; and the kinds of records of each sheet."""
    assert data.startswith(bytes.fromhex("D0CF11E0A1B11AE1"))
    stream = workbook_stream(data)
    pieces, names, last = [], {}, None
    for kind, content in records(stream):
        assert kind != 0x85 or content[7] == 0
        if kind == 0x85:
            names[content[8:].decode("latin-1")] = struct.unpack_from("<I", content)[0]
        if kind == 0xFC or (kind == 0x3C and last in (0xFC, 0x3C)):
            pieces.append(content)
        last = kind
    shared = shared_texts(pieces)
    return {
        name: dict(cell for record in records(stream, at) for cell in cells_of(*record, shared))
        for name, at in names.items()
    }


# ---- what is written


def book_of(frame, sheet):
    """The bytes of a workbook with the rows of a DataFrame."""
    file = io.BytesIO()
    xls_file.write_sheet(file, list(frame.columns), frame_values(frame), sheet=sheet)
    return file.getvalue()


def table(rows):
    frame = pd.DataFrame(rows, columns=["text", "flag", "number"], index=range(7, 7 + len(rows)))
    return with_dtypes(frame, {"text": "str", "flag": "bool", "number": "float64"})


@pytest.mark.rule("X8")
@given(st.lists(st.tuples(texts | st.none(), st.booleans(), numbers | st.none()), max_size=6))
@example([(text, True, -0.5) for text in HOSTILE])
@some
def test_every_cell_keeps_its_kind_and_its_value(rows):
    """Open: what becomes of cells. Texts stay texts, whatever they look like, numbers numbers, yes and no booleans."""
    (sheet,) = sheets_of(book_of(table(rows), "Scans")).values()
    wanted = {(0, place): name for place, name in enumerate(["text", "flag", "number"])}
    for number, row in enumerate(rows, start=1):
        wanted |= {(number, place): cell for place, cell in enumerate(row) if cell is not None}
    assert sheet == wanted
    assert {place: type(cell) for place, cell in sheet.items()} == {place: type(cell) for place, cell in wanted.items()}


def test_whole_numbers_and_missing_values_of_any_dtype_are_understood():
    frame = pd.DataFrame(
        {
            "int": [1, -(2**40)],
            "Int": pd.array([None, 2], dtype="Int64"),
            "float": [float("inf"), float("nan")],
            "boolean": pd.array([True, None], dtype="boolean"),
            "object": [None, "x"],
        }
    )
    (sheet,) = sheets_of(book_of(frame, "x")).values()
    found = {place: cell for place, cell in sheet.items() if place[0]}
    assert found == {(1, 0): 1, (2, 0): -(2**40), (2, 1): 2, (1, 3): True, (2, 4): "x"}


def test_what_has_no_kind_of_cell_is_a_mistake_of_the_caller():
    with pytest.raises(TypeError, match="a bool or a number, not Timestamp"):
        book_of(pd.DataFrame({"created": [pd.Timestamp("2026-03-01")]}), "x")


def test_a_table_without_rows_is_a_sheet_with_its_heading():
    assert sheets_of(book_of(table([]), "Scans")) == {"Scans": {(0, 0): "text", (0, 1): "flag", (0, 2): "number"}}


def test_the_heading_is_bold_and_stays_in_sight():
    stream = workbook_stream(book_of(table([("x", True, 1.0)]), "Scans"))
    weights = [struct.unpack_from("<H", content, 6)[0] for kind, content in records(stream) if kind == 0x31]
    assert weights.count(700) == 1
    start = next(struct.unpack_from("<I", content)[0] for kind, content in records(stream) if kind == 0x85)
    (pane,) = (content for kind, content in records(stream, start) if kind == 0x41)
    assert struct.unpack_from("<HHH", pane) == (0, 1, 1), "split after the first row, which is frozen"


@given(st.lists(st.tuples(texts, st.booleans(), numbers), max_size=4))
@settings(some, max_examples=10)
def test_the_same_table_gives_the_same_bytes(rows):
    assert book_of(table(rows), "Scans") == book_of(table(rows), "Scans")


def test_rows_that_were_flushed_are_there_in_their_order():
    number = 2 * xls_file.AT_ONCE + 1
    (sheet,) = sheets_of(book_of(pd.DataFrame({"n": range(number)}), "x")).values()
    assert sheet == {(0, 0): "n"} | {(row + 1, 0): row for row in range(number)}


@pytest.mark.slow
@pytest.mark.rule("X8")
@pytest.mark.parametrize(
    ("rows", "parts"), [(65_535, {"Scans": 65_535}), (131_071, {"Scans": 65_535, "Scans (2)": 65_535, "Scans (3)": 1})]
)
def test_rows_that_a_sheet_cannot_hold_go_on_in_further_sheets(rows, parts):
    """Open: more rows than a sheet holds. It goes on as "Scans (2)" with the heading again, and no row is lost."""
    found = sheets_of(book_of(pd.DataFrame({"n": range(rows)}), "Scans"))
    assert {name: len(cells) - 1 for name, cells in found.items()} == parts
    assert {cells[0, 0] for cells in found.values()} == {"n"}
    assert [cell for cells in found.values() for cell in [*cells.values()][1:]] == [*range(rows)]


@pytest.mark.rule("X8")
@pytest.mark.parametrize("letter", ["x", "漢", "🙂"])
def test_a_text_that_is_too_long_is_refused_before_anything_is_written(letter, monkeypatch):
    """Open: texts of more than 32,767 characters of UTF-16. An error that names each column and its row."""
    most = MOST_CHARACTERS // (len(letter.encode("utf-16-le")) // 2)
    (sheet,) = sheets_of(book_of(pd.DataFrame({"text": [letter * most]}), "x")).values()
    assert sheet[1, 0] == letter * most
    monkeypatch.setattr("xlwt.Workbook.add_sheet", None)
    frame = pd.DataFrame({"a": ["x", letter * (most + 1)], "b": [letter * (most + 2), "x"], "c": ["x", "y"]})
    with pytest.raises(InvalidParameter, match=r"row 3: has 32,768 characters, .* holds 32,767; b=") as caught:
        book_of(frame, "x")
    assert [(problem.name, problem.code) for problem in caught.value.problems] == [
        ("a", "out-of-range"),
        ("b", "out-of-range"),
    ]


def test_halves_of_characters_become_question_marks():
    (sheet,) = sheets_of(book_of(pd.DataFrame({"text": ["a\ud83d", "\udc00🙂"]}), "x")).values()
    assert [*sheet.values()] == ["text", "a?", "?🙂"]


# ---- what others read


@pytest.mark.slow
@pytest.mark.rule("X8")
@pytest.mark.needs("soffice")
def test_an_office_shows_the_same_cells(tmp_path):
    """Open: whether it is a real workbook. LibreOffice opens it, runs nothing, and shows each text as it was."""
    rows = ["=1+1", "+SUM(A1)", "-1", "00123", "NA", "1e5", "TRUE", '"q", x', "a\nb", " x ", "🙂", "שלום", "<b>"]
    frame = pd.DataFrame({"text": rows, "number": [-33.5] * len(rows), "flag": [True] * len(rows)})
    (tmp_path / "book.xls").write_bytes(book_of(frame, "Scans"))
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    # Comma, double quotes, UTF-8.
    form = "csv:Text - txt - csv (StarCalc):44,34,76,1"
    program = ["soffice", profile, "--headless", "--convert-to", form, "--outdir", tmp_path, tmp_path / "book.xls"]
    subprocess.run(program, check=True, capture_output=True, timeout=120)
    with (tmp_path / "book.csv").open(encoding="utf-8-sig", newline="") as file:
        heading, *found = csv.reader(file)
    assert heading == ["text", "number", "flag"]
    assert [row[0] for row in found] == rows
    assert {row[1] for row in found} == {"-33.5"}
    assert {row[2] for row in found} <= {"TRUE", "1"}  # LibreOffice takes a flag of Excel for a number
