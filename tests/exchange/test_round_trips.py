"""Every format, at the level of its file: what was written is read again, and written again the same."""

import gc
import io
import json
import tempfile
import zipfile
from datetime import UTC, datetime
from wsgiref.validate import validator
from xml.etree import ElementTree

import openpyxl
import pytest
import xlrd
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qrkit import Location, Properties, QRCode, open_portfolio
from qrkit.design.color import Color
from qrkit.errors import InvalidParameter
from qrkit.exchange import EXCHANGE_FORMATS, Reading, Writing
from qrkit.exchange.columns import ALL_NAMES, ELEMENTS, NAMES, write_row
from qrkit.pictures.patterns import path_in
from qrkit.portfolio.access import create_key
from qrkit.server import Client, Settings, make_app
from qrkit.tracking.records import ScheduleEvent
from tests.exchange.reading import undecodable
from tests.sweeps import quick_first

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
some = settings(max_examples=15)
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
    return [write_row(code, code.campaign_id or "") for code in made]


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


def picture(code, format):
    return f"{format} of {code.id}".encode()


def path_of(code):
    return path_in("{campaign}/{name}", {"campaign": code.campaign_id or "", "name": code.name})


def written(format, table, **how):
    file = io.BytesIO()
    EXCHANGE_FORMATS[format].write(table, file, Writing(picture, path_of=path_of, **how))
    return file.getvalue()


def read(format, data):
    table = EXCHANGE_FORMATS[format].read(data, Reading(undecodable))
    assert table.issues == []
    return table.rows


def carried(format):
    return list(NAMES if format in ("csv", "xls", "xlsx") else ALL_NAMES)


def cells(table, names):
    return [[row.cells.get(name, "") for name in names] for row in table]


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
    assert {row.error for row in found} <= {""}
    assert {cell for row in cells(found, set(ALL_NAMES) - set(names)) for cell in row} <= {""}
    again = [row._replace(code=one.code) for row, one in zip(found, table, strict=True)]
    assert written(format, again) == data


@pytest.mark.rule("X6")
@pytest.mark.parametrize("format", EXCHANGE_FORMATS)
@given(st.lists(codes, max_size=4))
@some
def test_rows_that_come_one_by_one_are_the_same_file(format, rows):
    """Open: how a long table is written. Row by row, so that not all of it is in memory."""
    table = table_of(rows)
    assert written(format, iter(table)) == written(format, table)


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
    for item, row in zip(root, [row.cells for row in table], strict=True):
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
    for one, row in zip(found, [row.cells for row in table], strict=True):
        assert list(one) == [key for key in ELEMENTS if row[ELEMENTS[key]]]
        assert one["content"] == row["Content"]
        assert (one["scans"], one["size"]) == (int(row["Scans"]), int(row["Size"]))
        assert one["dynamic"] is (row["Dynamic"] == "true")
        assert isinstance(one.get("schedule", []), list)


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
            assert [[sheet.cell(row, place).value] for row in range(1, sheet.nrows)] == cells(table, [name])


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
    for name, row, item in zip(names, table, items, strict=False):
        assert archive.read(name) == picture(row.code, "svg")
        assert item[-1].text == name
        parts = name.split("/")
        assert len(parts) == 1 + bool(row.cells["Campaign Name"].strip())
        assert not {".", "..", ""} & set(parts)
        assert name.isprintable()
        assert not set('\\:*?"<>|') & set(name)
    assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.rule("X10")
@pytest.mark.parametrize("campaign", ["Door.png", "door.PNG", "manifest.xml"])
def test_no_folder_of_an_archive_has_the_name_of_a_file(campaign):
    """Open: campaigns that are named like files. Their folders have other names, so that unzip can make both."""
    table = table_of([{"name": "Door", "content": "x"}, {"campaign_id": campaign, "name": "Gate", "content": "y"}])
    names = zipfile.ZipFile(io.BytesIO(written("zip", table))).namelist()
    folders = {name.rpartition("/")[0].lower() for name in names if "/" in name}
    assert folders & {name.lower() for name in names} == set()


@pytest.mark.rule("X10")
def test_many_codes_of_one_name_are_told_apart_in_time():
    table = table_of([{"name": "Door", "content": "x"}] * 3_000)
    names = zipfile.ZipFile(io.BytesIO(written("zip", table))).namelist()
    assert len(set(names)) == 3_001
    assert names[:3] == ["Door.png", "Door (2).png", "Door (3).png"]


# ---- what a format cannot hold

TOO_LONG = "🙂" * 16_384
"""Of as many characters as a record takes, but more than a cell of Excel: two units of UTF-16 each."""


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files, which is empty again when a test ends."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    gc.freeze()  # what was there before need not be looked through
    yield folder
    gc.collect()  # what a generator leaves behind is told of here, not in another test
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("temporary")
@pytest.mark.rule("X8", "X6")
@pytest.mark.parametrize("format", EXCHANGE_FORMATS)
def test_a_text_that_a_format_cannot_hold_is_an_error_and_the_file_on_disk_stays(tmp_path, format):
    """Open: texts that a cell of Excel cannot hold. An error that names column and row; whatever was there, stays."""
    path = tmp_path / "out" / f"codes.{format}"
    path.parent.mkdir()
    path.write_bytes(b"precious")
    with open_portfolio(":memory:") as portfolio, open_portfolio(":memory:") as copy:
        portfolio.insert_qrcode("x", name="good")
        portfolio.insert_qrcode(TOO_LONG, name="Door")
        if format in ("xls", "xlsx"):
            with pytest.raises(InvalidParameter, match=r"(?s)^Content='🙂.*row 3: has 32,768 characters"):
                portfolio.export_file(path)
            assert path.read_bytes() == b"precious"
        else:
            portfolio.export_file(path)
            assert copy.import_file(path).issues == ()
            assert [code.content for code in copy.list_qrcodes()] == ["x", TOO_LONG]
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("text", ["\ud83d", "a\udc00b", "\udc00\ud83d"])
def test_half_a_character_never_comes_into_a_portfolio(text):
    """Open: texts that no file can hold. They are refused where they would come in."""
    with open_portfolio(":memory:") as portfolio:
        for fields in ({"content": text}, {"content": "x", "name": text}, {"content": "x", "comment": text}):
            with pytest.raises(InvalidParameter, match="half a character"):
                portfolio.insert_qrcode(**fields)
        with pytest.raises(InvalidParameter, match="half a character"):
            portfolio.insert_campaign(text)
        assert (portfolio.list_qrcodes(), portfolio.list_campaigns()) == ([], [])


# ---- over HTTP


def client_of(portfolio):
    quiet = Settings(base_url=portfolio.base_url, generates_a_minute=0, unknown_codes_a_minute=0)
    client = Client(validator(make_app(portfolio.store, quiet)))
    return client, create_key(portfolio.store, portfolio.account)


@pytest.mark.rule("X1", "X6")
@pytest.mark.parametrize("format", quick_first(sorted(EXCHANGE_FORMATS), 4))
def test_endpoints_11_and_12_round_trip(format):
    """Open: whether HTTP loses anything. Nothing: what one service exports, another imports and exports the same."""
    url = "https://go.example.com"
    with open_portfolio(":memory:", base_url=url) as one, open_portfolio(":memory:", base_url=url) as other:
        (client, key), (fresh, other_key) = client_of(one), client_of(other)
        for text in HOSTILE[::4]:
            campaign = one.insert_campaign(f"Campaign {text}")  # a name of blanks alone is none
            one.insert_qrcode(text, name=text, comment=text, campaign_id=campaign.id)
        first = client.request("GET", f"/api/v3/track/export.{format}", query=f"auth={key}")
        assert (first.status, first.headers["content-type"]) == (200, EXCHANGE_FORMATS[format].media_type)
        assert first.body == one.export_bytes(format)
        query = f"format={format}&auth={other_key}"
        reply = fresh.request("POST", "/api/v3/track/import", query=query, body=first.body)
        assert (reply.status, reply.json()) == (200, [])
        again = fresh.request("GET", f"/api/v3/track/export.{format}", query=f"auth={other_key}")
        assert again.body == first.body


@pytest.mark.usefixtures("temporary")
@pytest.mark.rule("X8")
@pytest.mark.parametrize("format", ["xls", "xlsx"])
def test_what_a_workbook_cannot_hold_is_400_over_http(format):
    """Open: the status when a text does not fit into the format asked for. 400, with its column and row."""
    with open_portfolio(":memory:") as portfolio:
        portfolio.insert_qrcode(TOO_LONG)
        client, key = client_of(portfolio)
        reply = client.request("GET", f"/api/v3/track/export.{format}", query=f"auth={key}")
    assert (reply.status, reply.headers["x-api-error-code"]) == (400, "out-of-range")
    assert "row 2: has 32,768 characters" in reply.json()["detail"]
    assert reply.headers["x-api-error"].startswith("Content=")
