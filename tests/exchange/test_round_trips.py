"""Every format, at the level of its file: what was written is read again, and written again the same."""

import csv
import io
import json
import subprocess
import zipfile
from datetime import UTC, datetime
from xml.etree import ElementTree

import openpyxl
import pandas as pd
import pytest
import xlrd
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qrkit import Location, Properties, QRCode
from qrkit.color import Color
from qrkit.exchange import EXCHANGE_FORMATS, Writing
from qrkit.exchange.columns import ALL_NAMES, ELEMENTS, NAMES, TEXT_COLUMNS
from qrkit.frames import text_table
from qrkit.records import ScheduleEvent

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
some = settings(max_examples=15, derandomize=True, deadline=None)
HOSTILE = [
    *(
        "=1+1",
        "'=1+1",
        "''",
        "'tis",
        "-1",
        "+386 5 1",
        "@x",
        "00123",
        "NA",
        "null",
        "nan",
        "None",
        "1e5",
        "TRUE",
        "#N/A",
    ),
    *('"', '""', "a,b;c\td", "\r", "\n", "\r\n", "\n\r", "a\rb\nc\r\nd", " x ", "\t", "\u2028\x85\x0b\x0c", "\ufeffx"),
    *(
        "_x0041_",
        "_x005F_x0041_",
        "x005F_",
        "_x005f_",
        "_xD83D_",
        "_x_",
        "<b>&amp;]]></b>",
        "&#13;",
        "{}",
        "[1]",
        "\\u0041",
    ),
    *("\x00\x01\x1d\x1f\x7f\x9f", "\ufffe\uffff\ufdd0", "🙂👩‍👩‍👧", "שלום عالم", "\u202eabc", "é" * 4_000, "x" * 4_000),
    *("../../evil", "C:\\x", "a/b", "CON", "manifest.xml", "..", "."),
]
texts = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
wholly = st.text("_x005FfD\r\n'= ", max_size=12)
something = (texts | wholly).filter(bool)
moments = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))
colors = st.builds(Color, *[st.integers(0, 255)] * 4)


def degrees(most):
    # -0.0 + 0.0 is 0.0: a workbook has one zero only.
    return st.floats(-most, most).map(lambda number: number + 0.0)


codes = st.fixed_dictionaries(
    {
        "campaign_id": st.none() | something,
        "name": something,
        "content": something,
        "comment": texts,
        "scans": st.integers(0, 2**53 - 1),
        "created": moments,
        "is_dynamic": st.booleans(),
        "is_schedule_enabled": st.booleans(),
        "schedule": st.lists(
            st.builds(ScheduleEvent, content=something, recurrence=st.integers(0, 7), date=moments), max_size=2
        ),
        "location": st.builds(
            Location, address=texts, latitude=st.none() | degrees(90), longitude=st.none() | degrees(180)
        ),
        "properties": st.builds(
            Properties,
            size=st.integers(1, 20),
            version=st.none() | st.integers(1, 40),
            padding=st.integers(0, 20),
            em=st.sampled_from(["byte", "numeric", "alphanumeric"]),
            ec=st.sampled_from("LMQH"),
            foreground=colors,
            background=colors,
        ),
    }
)


def table_of(rows):
    """The table of codes with these fields; `campaign_id` stands for the name of a campaign."""
    links = {"short_url": "https://go.example.com/abc/naïve", "image_url": ""}
    made = [QRCode(**{"id": f"{number:032x}", "created": NOON} | links | row) for number, row in enumerate(rows)]
    return text_table(made, {None: ""} | {one.campaign_id: one.campaign_id for one in made if one.campaign_id})


EVERYWHERE = [
    {
        "campaign_id": text,
        "name": text,
        "content": text,
        "comment": text,
        "location": Location(address=text, latitude=-0.1, longitude=5e-324),
        "schedule": [ScheduleEvent(content=text, date=NOON)],
    }
    for text in HOSTILE
]


def picture(id, format):
    return f"{format} of {id}".encode()


def undecodable(data):
    raise AssertionError("each picture is told of by the manifest")


def written(format, table, **how):
    return EXCHANGE_FORMATS[format].write(table, Writing(picture, **how))


def read(format, data):
    return EXCHANGE_FORMATS[format].read(data, undecodable)


def carried(format):
    return list(NAMES if format in ("csv", "xls", "xlsx") else ALL_NAMES)


def cells(table, names):
    return table[names].to_numpy().tolist()


@pytest.mark.rule("X1", "X6")
@pytest.mark.parametrize("format", EXCHANGE_FORMATS)
@given(st.lists(codes, max_size=3))
@example(EVERYWHERE)
@some
def test_every_field_that_a_format_carries_survives_whatever_the_texts_are(format, rows):
    """Open: what a file loses. No cell of its columns, json among them; written again the bytes are the same."""
    table = table_of(rows)
    data = written(format, table)
    found = read(format, data)
    names = carried(format)
    assert cells(found, names) == cells(table, names)
    assert set(found["Error"]) | set(found["Reason"]) <= {""}
    assert set(found.drop(columns=names).to_numpy().ravel()) <= {""}
    again = found.set_index(table.index)
    assert written(format, again) == data


@pytest.mark.rule("X6")
@pytest.mark.parametrize("format", ["csv", "xml", "json", "zip"])
def test_minus_zero_is_written_and_read_as_it_is(format):
    """Open: numbers in texts. As they are: not even the sign of -0 is lost."""
    table = table_of([{"name": "x", "content": "x", "location": Location(latitude=-0.0, longitude=-0.0)}])
    assert cells(read(format, written(format, table)), ["Latitude"]) == [["-0"]]


@pytest.mark.rule("X6", "X9")
@given(st.lists(codes, max_size=2))
@example(EVERYWHERE)
@some
def test_another_reader_of_xml_finds_the_elements_of_the_interface_first(rows):
    """Open: what stands where. Elements of the interface in its order, ours behind them, nothing for empty cells."""
    table = table_of(rows)
    root = ElementTree.fromstring(written("xml", table))
    assert root.tag == "tracking"
    order = list(ELEMENTS)
    for item, row in zip(root, table.to_dict("records"), strict=True):
        assert item.tag == "item"
        assert [one.tag for one in item] == [tag for tag in order if row[ELEMENTS[tag]]]
        for one in item:
            if one.get("encoding") != "base64":
                assert one.text == row[ELEMENTS[one.tag]]


@pytest.mark.rule("X1")
@given(st.lists(codes, max_size=2))
@example(EVERYWHERE)
@some
def test_another_reader_of_json_finds_the_kinds_of_json(rows):
    """Open: the form of json. An array of objects with the names of xml; numbers, yes and no, lists in their kinds."""
    table = table_of(rows)
    found = json.loads(written("json", table))
    assert len(found) == len(table)
    for one, row in zip(found, table.to_dict("records"), strict=True):
        assert list(one) == [key for key in ELEMENTS if row[ELEMENTS[key]]]
        assert one["content"] == row["Content"]
        assert (one["scans"], one["size"]) == (int(row["Scans"]), int(row["Size"]))
        assert one["dynamic"] is (row["Dynamic"] == "true")
        assert isinstance(one.get("schedule", []), list)


@pytest.mark.rule("X7")
@given(st.lists(codes, max_size=3))
@example(EVERYWHERE)
@some
def test_pandas_reads_the_bare_csv_cell_by_cell(rows):
    """Open: whether others read it. pandas does, told that cells are text; with `safe` off nothing is in front."""
    table = table_of(rows)
    data = written("csv", table, safe=False)
    found = pd.read_csv(io.BytesIO(data), dtype=str, keep_default_na=False, na_filter=False, lineterminator=None)
    heading, *records = csv.reader(io.StringIO(data.decode(), newline=""))
    assert (heading, records) == (list(NAMES), cells(table, list(NAMES)))
    if not any("\r" in cell or "\0" in cell for row in records for cell in row):
        assert found.to_numpy().tolist() == records


@pytest.mark.rule("X8")
def test_cells_of_workbooks_are_of_their_kind():
    """Open: the kinds of cells. Numbers are numbers, Dynamic is a yes or no, everything else a text, dates too."""
    table = table_of(EVERYWHERE)
    sheet = xlrd.open_workbook(file_contents=written("xls", table)).sheet_by_index(0)
    rows = list(openpyxl.load_workbook(io.BytesIO(written("xlsx", table))).active.iter_rows())
    assert sheet.nrows == len(rows) == len(table) + 1
    numbers = {"Scans", "Latitude", "Longitude", "Size", "Padding", "Version"}
    for place, name in enumerate(NAMES):
        kind = "n" if name in numbers else "b" if name == "Dynamic" else "s"
        wanted = {"n": xlrd.XL_CELL_NUMBER, "b": xlrd.XL_CELL_BOOLEAN, "s": xlrd.XL_CELL_TEXT}[kind]
        assert {sheet.cell(row, place).ctype for row in range(1, sheet.nrows)} == {wanted}
        assert {row[place].data_type for row in rows[1:]} == {kind}
        if kind == "s":
            assert [sheet.cell(row, place).value for row in range(1, sheet.nrows)] == table[name].tolist()


@pytest.mark.rule("X10")
def test_folders_are_campaigns_pictures_codes_and_no_name_leads_anywhere():
    """Open: names of files. Those of campaigns and codes, made safe and told apart; the manifest has the true ones."""
    table = table_of(EVERYWHERE + EVERYWHERE[:3] + [{"name": "Door", "content": "x"}])
    archive = zipfile.ZipFile(io.BytesIO(written("zip", table, image_format="svg")))
    names = archive.namelist()
    assert (archive.testzip(), names[-1], len(names)) == (None, "manifest.xml", len(table) + 1)
    assert len({name.lower() for name in names}) == len(names)
    assert names[-2] == "Door.svg"
    items = ElementTree.fromstring(archive.read("manifest.xml"))
    for name, id, item in zip(names, table.index, items, strict=False):
        assert archive.read(name) == picture(id, "svg")
        assert item[-1].text == name
        parts = name.split("/")
        assert len(parts) == (1 if name == "Door.svg" else 2)
        assert not {".", "..", ""} & set(parts)
        assert name.isprintable()
        assert not set('\\:*?"<>|') & set(name)
    assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.rule("X10")
def test_many_codes_of_one_name_are_told_apart_in_time():
    table = table_of([{"name": "Door", "content": "x"}] * 3_000)
    names = zipfile.ZipFile(io.BytesIO(written("zip", table))).namelist()
    assert len(set(names)) == 3_001
    assert names[:3] == ["Door.png", "Door (2).png", "Door (3).png"]


# ---- other programs

TEXTS = TEXT_COLUMNS & set(NAMES)


def shown_by_an_office(folder, form, *files):
    """The files that LibreOffice makes of these."""
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    made = folder / form[:4].strip(":")
    program = ["soffice", profile, "--headless", "--convert-to", form, "--outdir", made, *files]
    subprocess.run(program, check=True, capture_output=True, timeout=120)
    return sorted(made.iterdir())


@pytest.mark.rule("X6", "X8")
@pytest.mark.needs("soffice")
def test_an_office_shows_both_kinds_of_workbook_cell_by_cell_and_what_it_saves_is_read(tmp_path):
    """Open: whether others see what was exported. LibreOffice does; and what it saves is imported as it was."""
    # It ends lines its own way, lets go of characters that XML has not, and does not escape its own escapes.
    kept = [row for row in EVERYWHERE if not set(row["name"]) & set("\r\0\x01\x0b\x0c\ufffe\x7f")]
    table = table_of([row for row in kept if row["name"] not in ("_xD83D_", "_x005F_x0041_")])
    files = [tmp_path / "old.xls", tmp_path / "new.xlsx"]
    for file in files:
        file.write_bytes(written(file.suffix[1:], table))
    for file in shown_by_an_office(tmp_path, "csv:Text - txt - csv (StarCalc):44,34,76,1", *files):
        heading, *rows = csv.reader(io.StringIO(file.read_text("utf-8-sig"), newline=""))
        assert heading == list(NAMES)
        for name in sorted(TEXTS | {"Created (UTC)", "Size", "Version"}):
            assert [row[NAMES.index(name)] for row in rows] == table[name].tolist(), (file.name, name)
    files[1].unlink()
    (saved,) = shown_by_an_office(tmp_path, "xlsx", files[0])
    found = read("xlsx", saved.read_bytes())
    names = sorted(TEXTS | {"Created (UTC)", "Latitude", "Scans", "Version"})
    assert cells(found, names) == cells(table, names)


@pytest.mark.rule("X9")
@pytest.mark.needs("xmllint")
def test_xmllint_finds_the_xml_well_formed(tmp_path):
    """Open: texts that XML cannot hold. They stand in base64, so that any parser reads the file."""
    (tmp_path / "codes.xml").write_bytes(written("xml", table_of(EVERYWHERE)))
    subprocess.run(["xmllint", "--noout", "--nonet", tmp_path / "codes.xml"], check=True, timeout=60)
