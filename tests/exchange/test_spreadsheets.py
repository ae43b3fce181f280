"""What people do with our files in a spreadsheet before they send them back: other formats, merged cells, dates."""

import io
import zipfile
from datetime import UTC, datetime

import openpyxl
import pytest
import xlwt

from qrkit import open_portfolio
from qrkit.errors import UnreadableFile
from qrkit.exchange import Reading, archives, sniffed
from qrkit.exchange.columns import NAMES
from qrkit.exchange.csv_file import made_safe
from qrkit.exchange.sheets import read_sheet
from tests.exchange.reading import undecodable
from tests.exchange.test_programs import made_by_an_office
from tests.exchange.test_round_trips import EVERYWHERE, cells, table_of, written
from tests.sweeps import quick_rows

GO = "https://go.example.com"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TEXT_AS_TEXT = "CSV:44,34,UTF8,1," + "/".join(f"{place}/2" for place in range(1, len(NAMES) + 1))
"""How LibreOffice is told that all columns of a csv are text, which is what its import dialog offers."""
HEADING = ["Campaign Name", "QR Code Name", "Content", "Created (UTC)"]
MERGED = [["Spring", "a", "1", NOON], [None, "b", "2", NOON], [None, None, None, None], [None, "c", "3", NOON]]


def read(data, named="csv"):
    return sniffed(data, named).read(data, Reading(undecodable)).rows


def xlsx_of(rows, merged=(), sheet="Sheet1"):
    book = openpyxl.Workbook()
    book.active.title = sheet
    for row in [HEADING, *rows]:
        book.active.append([cell.replace(tzinfo=None) if isinstance(cell, datetime) else cell for cell in row])
    for cells_ in merged:
        book.active.merge_cells(cells_)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def xls_of(rows, merged=()):
    book = xlwt.Workbook()
    sheet = book.add_sheet("Sheet1")
    covered = {(row, left) for top, below, left, _ in merged for row in range(top, below + 1)}
    for number, row in enumerate([HEADING, *rows]):
        for place, cell in enumerate(row):
            if cell is not None and (number, place) not in covered:
                is_moment = isinstance(cell, datetime)
                style = xlwt.easyxf(num_format_str="YYYY-MM-DD HH:MM:SS") if is_moment else xlwt.Style.default_style
                sheet.write(number, place, cell.replace(tzinfo=None) if is_moment else cell, style)
    for top, below, left, right in merged:
        sheet.write_merge(top, below, left, right, rows[top - 1][left])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def ods_of(table, mimetype=archives.OPENDOCUMENT, head="", packing=zipfile.ZIP_DEFLATED):
    """A workbook of OpenDocument with the XML of a table in it."""
    names = {
        "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
        "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
        "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    }
    spaces = " ".join(f'xmlns:{name}="{uri}"' for name, uri in names.items())
    content = f"{head}<office:document-content {spaces}><office:body><office:spreadsheet>{table}"
    content += "</office:spreadsheet></office:body></office:document-content>"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as archive:
        archive.writestr("mimetype", mimetype)
        archive.writestr("content.xml", content)
    return file.getvalue()


def ods_row(*texts, more=""):
    made = "".join(
        f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>' for text in texts
    )
    return f"<table:table-row {more}>{made}</table:table-row>"


def ods_table(*rows):
    return f'<table:table table:name="Sheet1">{"".join(rows)}</table:table>'


# ---- what a spreadsheet has carried over


@pytest.mark.slow
@pytest.mark.rule("X13")
@pytest.mark.needs("soffice")
@pytest.mark.parametrize("form", ["xlsx", "ods", "xls"])
def test_a_csv_of_ours_that_a_spreadsheet_saved_in_another_format_changes_nothing(shop, tmp_path, form):
    """Open: the apostrophe in front of a text that would run. It came in with the text, as another code."""
    texts = ["-5 % flyer", "=1+1", "'=1+1", "'tis", "+386 5 1", "@x", "007", " x ", "a\nb", "🙂 é", '=a;b,c"d']
    for text in texts:
        shop.insert_qrcode(text, name=text, comment=text, location={"address": text, "latitude": 45.5})
    shop.export_file(tmp_path / "posters.csv")
    infilter = f"--infilter={TEXT_AS_TEXT}"
    (saved,) = made_by_an_office(tmp_path, form, infilter, tmp_path / "posters.csv")
    again = shop.import_file(saved)
    assert {issue.reason for issue in again.issues} == {"duplicate"}, again.to_frame().to_string()
    assert (again.created, again.count("duplicate")) == (0, len(texts))
    with open_portfolio(":memory:", base_url=GO) as copy:
        assert copy.import_file(saved).issues == ()
        assert copy.export_bytes("csv") == shop.export_bytes("csv")


@pytest.mark.rule("X13", "X6")
@pytest.mark.parametrize("format", ["xls", "xlsx"])
def test_our_own_workbooks_keep_every_apostrophe(format):
    """Open: taking off twice. A workbook of ours has no apostrophe that is not the text's own."""
    table = table_of(EVERYWHERE)
    assert ["'=1+1"] in cells(table, ["Content"])
    assert cells(read(written(format, table)), ["Content"]) == cells(table, ["Content"])


@pytest.mark.rule("X13")
def test_only_an_apostrophe_that_we_would_have_written_is_taken_off():
    for text in ("=1+1", "'=1+1", "-5", "@x", "'tis", "''", "x"):
        data = xlsx_of([[None, None, made_safe(text), None]])
        assert cells(read(data), ["Content"]) == [[text]]
        assert read_sheet(data).rows[0][2] == text


# ---- merged cells and dates


@pytest.mark.rule("X13")
@pytest.mark.parametrize("data", [xlsx_of(MERGED, ["A2:A5"]), xls_of(MERGED, [(1, 4, 0, 0)])], ids=["xlsx", "xls"])
def test_rows_below_a_merged_campaign_are_of_that_campaign(shop, data):
    """Open: merged cells. Only the first row had the campaign, and the others lost it without a word."""
    result = shop.import_file(data)
    assert (result.created, result.issues) == (3, ())
    (spring,) = shop.list_campaigns()
    assert {(code.name, code.campaign_id, code.created) for code in shop.list_qrcodes()} == {
        (name, spring.id, NOON) for name in "abc"
    }


@pytest.mark.parametrize("make", [xlsx_of, xls_of])
def test_blank_cells_below_a_campaign_stay_blank(shop, make):
    shop.import_file(make([["Spring", "a", "1", NOON], [None, "b", "2", NOON]]))
    (spring,) = shop.list_campaigns()
    assert [code.campaign_id for code in shop.list_qrcodes()] == [spring.id, None]


@pytest.mark.slow
@pytest.mark.rule("X13")
@pytest.mark.needs("soffice")
def test_merged_cells_and_dates_are_read_from_what_an_office_saves_as_ods(shop, tmp_path):
    """Open: ods. It is read as other workbooks are: merged cells, dates, numbers, yes and no, sheets, line ends."""
    (tmp_path / "list.xlsx").write_bytes(xlsx_of([*MERGED, [None, "d\nd", "  x  y\tz", NOON]], ["A2:A5"]))
    (saved,) = made_by_an_office(tmp_path, "ods", tmp_path / "list.xlsx")
    for source in (saved, saved.read_bytes()):
        result = shop.import_file(source)
        assert result.created == (4 if source is saved else 0)
    assert [(code.name, code.content, code.created) for code in shop.list_qrcodes()] == [
        *((name, number, NOON) for name, number in zip("abc", "123", strict=True)),
        ("d\nd", "  x  y\tz", NOON),
    ]
    (spring,) = shop.list_campaigns()
    assert [code.campaign_id for code in shop.list_qrcodes()] == [spring.id] * 3 + [None]
    assert read_sheet(saved).heading == tuple(HEADING)


@pytest.mark.slow
@pytest.mark.rule("X13", "X6")
@pytest.mark.needs("soffice")
def test_an_export_that_an_office_saved_as_ods_comes_back_cell_by_cell(tmp_path):
    """Open: whether ods loses anything. Texts, numbers, yes and no are those of the workbook it was made of."""
    gone = set("\r\0\x01\x0b\x0c\ufffe\x7f\x1d\x85\u2028")
    rows = [row for row in EVERYWHERE if not set(row["name"]) & gone and "_x" not in row["name"]]
    table = table_of(rows)
    (tmp_path / "all.xlsx").write_bytes(written("xlsx", table))
    (saved,) = made_by_an_office(tmp_path, "ods", tmp_path / "all.xlsx")
    found = read(saved.read_bytes())
    assert {row.error for row in found} == {""}
    for name in NAMES:
        saw, wrote = ([row.cells.get(name, "") for row in rows] for rows in (found, table))
        if name in ("Latitude", "Longitude"):
            assert [float(cell) for cell in saw] == pytest.approx([float(cell) for cell in wrote])
        elif name == "Dynamic":
            assert set(saw) <= {"true", "1"}  # LibreOffice takes a yes for a number
        else:
            assert saw == wrote, name


@pytest.mark.rule("X13")
def test_dates_of_spreadsheets_are_moments(shop):
    """Open: Created as a date cell. A day begins at midnight; seconds are not lost to fractions of a day."""
    moments = [datetime(2026, 1, 1), datetime(2026, 12, 31, 23, 59, 59), datetime(2024, 2, 29, 7, 7, 7)]
    rows = [[None, str(number), "x", moment] for number, moment in enumerate(moments)]
    date = '<table:table-cell office:value-type="date" office:date-value="{}"><text:p>1.1.</text:p></table:table-cell>'
    in_ods = [
        f"<table:table-row>{date.format(moment.isoformat().removesuffix('T00:00:00'))}</table:table-row>"
        for moment in moments
    ]
    for data in (xlsx_of(rows), xls_of(rows), ods_of(ods_table(ods_row("Created (UTC)"), *in_ods))):
        found = read_sheet(data).column("Created (UTC)")
        assert found == ["2026-01-01", "2026-12-31 23:59:59", "2024-02-29 07:07:07"]


# ---- OpenDocument


@pytest.mark.rule("X8")
@pytest.mark.parametrize("named", ["ods", "xls", "xlsx", "csv", "zip"])
def test_an_ods_is_known_by_its_first_bytes(shop, named):
    """Open: an ods that is sent as xls. It is read as what it is."""
    data = ods_of(ods_table(ods_row("Content"), ods_row("x")))
    assert shop.import_file(data, format=named).created == 1


def test_cells_and_rows_that_stand_there_often_are_counted():
    repeated = '<table:table-cell table:number-columns-repeated="{}" office:value-type="float" office:value="7"/>'
    table = ods_table(
        '<table:table-row table:number-rows-repeated="2"/>',
        ods_row("Content", "a", "b"),
        f'<table:table-row table:number-rows-repeated="3">{repeated.format(2)}</table:table-row>',
        '<table:table-row table:number-rows-repeated="1048000"><table:table-cell '
        'table:number-columns-repeated="16384"/></table:table-row>',
    )
    sheet = read_sheet(ods_of(table))
    assert (sheet.numbers, set(sheet.rows)) == ((4, 5, 6), {("7", "7", "")})


def test_kinds_of_cells_are_those_of_other_workbooks():
    def cell(kind, more="", text=""):
        return f'<table:table-cell office:value-type="{kind}" {more}>{text}</table:table-cell>'

    note = '<office:annotation><text:p>a note</text:p></office:annotation><text:p>seen<text:s text:c="2"/> x</text:p>'
    kinds = [
        (cell("boolean", 'office:boolean-value="true"', "<text:p>WAHR</text:p>"), "true"),
        (cell("float", 'office:value="1.5"', "<text:p>1,5</text:p>"), "1.5"),
        (cell("percentage", 'office:value="0.5"', "<text:p>50 %</text:p>"), "0.5"),
        (cell("float", 'office:value="nothing"', "<text:p>12</text:p>"), "12"),
        (cell("string", "", note), "seen   x"),
        (cell("string", "", "<text:p>a</text:p><text:p>b<text:line-break/>c</text:p>"), "a\nb\nc"),
        (cell("string", 'office:string-value="said"', "<text:p>shown</text:p>"), "said"),
        ("<table:table-cell/>", ""),
        ("<table:table-cell><text:p>without a kind</text:p></table:table-cell>", "without a kind"),
    ]
    heading = ods_row(*(f"c{number}" for number in range(len(kinds))))
    (row,) = read_sheet(
        ods_of(ods_table(heading, f"<table:table-row>{''.join(one for one, _ in kinds)}</table:table-row>"))
    ).rows
    assert row == tuple(text for _, text in kinds)


SEVEN = "<table:table-cell office:value-type='float' office:value='7'/>"
BOMB = f"<table:table-row table:number-rows-repeated='1048577'>{SEVEN}</table:table-row>"


@pytest.mark.rule("X2")
@pytest.mark.parametrize(
    ("data", "words"),
    quick_rows(
        [
            (ods_of(ods_table(ods_row("Content"), BOMB)), "more than 1,048,576 rows"),
            (ods_of(ods_table(ods_row("Content"), BOMB.replace("1048577", "300000"))), "more than 200,000 rows"),
            (
                ods_of(ods_table(f"<table:table-row>{'<table:table-cell/>' * 200_001}</table:table-row>"), packing=0),
                "200,000 elements",
            ),
            (ods_of("", head="<!DOCTYPE x [<!ENTITY y 'z'>]>"), "document type"),
            (ods_of("<table:table>"), "not an OpenDocument workbook"),
            (ods_of(""), "the file is empty"),
        ],
        3,
    ),
    ids=["rows", "rows of a table", "cells", "document type", "cut off", "no sheet"],
)
def test_an_ods_that_is_damaged_or_claims_too_much_is_refused(shop, data, words):
    """Open: files of strangers. The claim alone is refused, and nothing comes in."""
    with pytest.raises(UnreadableFile, match=words):
        shop.import_file(data)
    assert shop.list_qrcodes() == []


@pytest.mark.rule("X2")
@pytest.mark.parametrize("named", ["xls", "xlsx", "ods", "csv"])
def test_an_archive_that_is_no_workbook_and_has_no_pictures_is_refused_as_a_whole(shop, named):
    """Open: a letter that is sent as xls. It was 200 and a row of "undecodable" for each part of it."""
    letter = ods_of("", mimetype="application/vnd.oasis.opendocument.text")
    with pytest.raises(UnreadableFile, match="not a workbook"):
        shop.import_file(letter, format=named)


FLAT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table>
<table:table-row><table:table-cell office:value-type="string"><text:p>Content</text:p></table:table-cell>
</table:table-row><table:table-row><table:table-cell office:value-type="string"><text:p>https://example.com</text:p></table:table-cell>
</table:table-row></table:table></office:spreadsheet></office:body></office:document>"""


@pytest.mark.parametrize("name", ["codes.fods", "codes.ods", "codes.csv"])
def test_a_workbook_in_one_xml_file_is_read(name, tmp_path):
    (tmp_path / name).write_text(FLAT, encoding="utf-8")
    with open_portfolio(":memory:") as portfolio:
        assert (portfolio.import_file(tmp_path / name).created, portfolio.list_qrcodes()[0].content[-11:]) == (
            1,
            "example.com",
        )
