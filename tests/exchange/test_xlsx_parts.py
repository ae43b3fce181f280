"""Workbooks as other programs write them."""

import io
import re
import zipfile
from datetime import datetime

import openpyxl
import pytest

from qrkit import open_portfolio
from qrkit.errors import UnreadableFile
from qrkit.exchange import xlsx_parts
from qrkit.exchange.sheets import read_sheet
from tests.exchange.test_sheets import as_xlsx

ROWS = [["Content", "Name", "Created"], ["https://example.com", "Tür", datetime(2026, 3, 1, 12)], ["x", 1.5, True]]
READ = (("https://example.com", "Tür", "2026-03-01 12:00:00"), ("x", "1.5", "true"))
MAIN = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def repacked(change=lambda name, part: (name, part), data=None):
    """A workbook with its parts changed, or left out where nothing is returned."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data or as_xlsx(ROWS))) as plain, zipfile.ZipFile(file, "w") as made:
        for one in plain.infolist():
            if changed := change(one.filename, plain.read(one)):
                made.writestr(*changed)
    return file.getvalue()


def strict(name, part):
    part = part.replace(MAIN, b"http://purl.oclc.org/ooxml/spreadsheetml/main")
    return name, part.replace(RELATIONS, b"http://purl.oclc.org/ooxml/officeDocument/relationships")


def with_backslashes(name, part):
    return name.replace("/", "\\"), part


def with_other_names(name, part):
    for old, new in ((b"sharedStrings.xml", b"SharedStrings2.xml"), (b"worksheets/sheet1.xml", b"tables/Sheet1.xml")):
        name, part = name.replace(old.decode(), new.decode()), part.replace(old, new)
    return name, part


def with_strange_styles(name, part):
    if name == "xl/styles.xml":
        part = part.replace(b"<fill>", b"<fill/><fill>").replace(b'rgb="', b'rgb="not a colour ')
        part = part.replace(b"<fonts", b'<fonts><font><color rgb="FF"/><family val="99"/></font></fonts><fonts')
    return name, part


def with_prefixes(name, part):
    if name == "xl/worksheets/sheet1.xml":
        part = re.sub(rb"<(/?)(\w)", rb"<\1x:\2", part.replace(b"xmlns=", b"xmlns:x="))
    return name, part


@pytest.mark.parametrize(
    "change",
    [strict, with_backslashes, with_other_names, with_strange_styles, with_prefixes],
    ids=lambda one: one.__name__,
)
def test_workbooks_of_other_programs_are_read(change):
    """Open: strict workbooks, parts under other paths, styles that libraries reject, prefixes."""
    assert read_sheet(repacked(change)).rows == READ


def test_a_workbook_without_styles_is_read():
    without = repacked(lambda name, part: None if name == "xl/styles.xml" else (name, part))
    (first, second) = read_sheet(without).rows
    assert (first[:2], second) == (READ[0][:2], READ[1])


def test_days_since_1904_are_dates():
    book = openpyxl.Workbook()
    book.epoch = openpyxl.utils.datetime.MAC_EPOCH
    for row in ROWS:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    assert read_sheet(file.getvalue()).rows == READ


def test_reading_aids_of_japanese_are_not_texts():
    aid = b"<r><t>T</t></r><r><t>okyo_x000A_</t></r><rPh sb='0' eb='1'><t>toukyou</t></rPh>"
    relation = b'<Relationship Id="rId99" Type="%s/sharedStrings" Target="/xl/texts.xml"/></Relationships>' % RELATIONS

    def change(name, part):
        part = re.sub(rb'(<c r="A2"[^>]*) t="inlineStr"[^>]*><is>.*?</is></c>', rb'\1 t="s"><v>1</v></c>', part)
        part = part.replace(b"<t>x</t>", aid)
        return name, part.replace(b"</Relationships>", relation) if name == "xl/_rels/workbook.xml.rels" else part

    data = io.BytesIO(repacked(change))
    with zipfile.ZipFile(data, "a") as archive:
        archive.writestr("xl/texts.xml", b'<sst xmlns="%s"><si><t>a</t></si><si>%s</si></sst>' % (MAIN, aid))
    assert [row[0] for row in read_sheet(data.getvalue()).rows] == ["Tokyo\n", "Tokyo\n"]


@pytest.mark.parametrize("suffix", ["xlsm", "XLSX", "xltx", "xltm"])
def test_workbooks_with_macros_and_templates_are_workbooks(suffix, tmp_path):
    (tmp_path / f"codes.{suffix}").write_bytes(as_xlsx([["Content"], ["x"]]))
    with open_portfolio(":memory:") as shop:
        assert shop.import_file(tmp_path / f"codes.{suffix}").created == 1
        assert shop.import_file(as_xlsx([["Content"], ["y"]]), format=suffix).created == 1


def test_a_binary_workbook_is_named():
    def change(name, part):
        return name.replace("workbook.xml", "workbook.bin"), part.replace(b"/workbook.xml", b"/workbook.bin")

    with pytest.raises(UnreadableFile, match="binary workbook"):
        read_sheet(repacked(change))


def test_a_row_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(xlsx_parts, "LONGEST_ROW", 2**18)

    def change(name, part):
        return name, part.replace(b"</row>", b"<c/>" * 100_000 + b"</row>", 1) if "sheet1" in name else part

    with pytest.raises(UnreadableFile, match="more than 262,144 bytes in a row"):
        read_sheet(repacked(change))


@pytest.mark.parametrize("element", ['<mergeCell ref="A{0}:A{1}"/>', '<hyperlink ref="A{0}:A{1}" r:id="rId9"/>'])
def test_merged_cells_and_links_have_a_limit(element, monkeypatch):
    monkeypatch.setattr(xlsx_parts, "MOST_MERGED", 10)
    many = "".join(element.format(2 * number + 2, 2 * number + 3) for number in range(11)).encode()
    relation = b'<Relationship Id="rId9" Type="%s/hyperlink" Target="https://example.com"/>' % RELATIONS
    relations = b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'

    def change(name, part):
        if "sheet1" in name:
            part = part.replace(b"</sheetData>", b"</sheetData>" + many).replace(b"xmlns=", b'xmlns:r="r" xmlns=', 1)
        return name, part

    data = io.BytesIO(repacked(change))
    with zipfile.ZipFile(data, "a") as archive:
        archive.writestr("xl/worksheets/_rels/sheet1.xml.rels", relations + relation + b"</Relationships>")
    with pytest.raises(UnreadableFile, match="more than 10 "):
        read_sheet(data.getvalue())
