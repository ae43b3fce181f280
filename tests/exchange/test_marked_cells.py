"""Cells that are more than their text: links over texts, formulas without a value, durations, and fractions."""

import io
import json
import re
import zipfile
from datetime import timedelta
from html import escape

import openpyxl
import pytest
import xlwt

from qrkit import open_portfolio
from tests.exchange.test_spreadsheets import ods_of, ods_row, ods_table
from tests.sweeps import quick_first

DOOR, GATE = "https://example.com/door", "https://example.com/gate?a=1&b=2"


def xlsx_with_links():
    book = openpyxl.Workbook()
    sheet = book.active
    for row in [["Name", "Content"], ["Door", "Visit"], ["Gate", GATE], ["Roof", "Visit us"], ["Inside", "Page 2"]]:
        sheet.append(row)
    sheet["B2"].hyperlink = DOOR
    sheet["A2"].hyperlink = "https://example.com/other"
    sheet["B3"].hyperlink = DOOR
    sheet["B4"].hyperlink = GATE
    sheet["B5"].hyperlink = openpyxl.worksheet.hyperlink.Hyperlink(ref="B5", location="Sheet2!A1")
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def ods_with_links():
    def row(name, text, target):
        link = f'<text:a xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="{target}">{text}</text:a>'
        return ods_row(name, link if target else text)

    escaped = GATE.replace("&", "&amp;")
    return ods_of(
        ods_table(
            ods_row("Name", "Content"),
            row("Door", "Visit", DOOR),
            row("Gate", escaped, DOOR),
            row("Roof", "Visit us", escaped),
            row("Inside", "Page 2", "#Sheet2.A1"),
        )
    )


def html_with_links():
    rows = [("Door", "Visit", DOOR), ("Gate", GATE, DOOR), ("Roof", "Visit us", GATE), ("Inside", "Page 2", "#2")]
    made = "".join(f'<tr><td>{name}<td><a href="{target}">{text}</a></tr>' for name, text, target in rows)
    return f"<html><table><tr><th>Name<th>Content</tr>{made.replace('&', '&amp;')}</table></html>".encode()


def brought(data, format="xlsx", **options):
    with open_portfolio(":memory:") as shop:
        result = shop.import_file(data, format=format, **options)
        return {code.name: code.content for code in shop.list_qrcodes()}, result.issues


@pytest.mark.rule("X15")
@pytest.mark.parametrize("columns", [None, {"content": "content", "name": "name"}])
@pytest.mark.parametrize("make", quick_first([xlsx_with_links, ods_with_links, html_with_links]))
def test_a_text_over_a_link_is_its_target(make, columns):
    codes, issues = brought(make(), columns=columns)
    assert codes == {"Door": DOOR, "Gate": GATE, "Roof": GATE, "Inside": "Page 2"}
    told = [(issue.row, issue.detail) for issue in issues if issue.reason == "link-target"]
    assert told == [
        (2, f"'Visit' leads to {DOOR!r}, which is the content"),
        (3, f"{GATE!r} is the content, but the cell leads to {DOOR!r}"),
        (4, f"'Visit us' leads to {GATE!r}, which is the content"),
    ]


@pytest.mark.rule("X15")
@pytest.mark.parametrize("end", ["\u2026", "..."])
def test_an_address_that_a_page_shortens_is_its_target(end):
    """Visitors were sent to the address with the dots."""
    row = f'<tr><td>Door<td><a href="{DOOR}">{DOOR[:22]}{end}</a></tr>'
    codes, issues = brought(f"<html><table><tr><th>Name<th>Content</tr>{row}</table></html>".encode())
    assert (codes, [issue.reason for issue in issues]) == ({"Door": DOOR}, ["link-target"])


@pytest.mark.rule("X15")
def test_a_link_over_many_cells_is_of_each():
    book = openpyxl.Workbook()
    for row in [["Name", "Content"], ["Door", "Visit"], ["Gate", "Visit"]]:
        book.active.append(row)
    book.active["B2"].hyperlink = DOOR
    book.active["B2"].hyperlink.ref = "B2:B3"
    file = io.BytesIO()
    book.save(file)
    assert brought(file.getvalue())[0] == {"Door": DOOR, "Gate": DOOR}


def with_part(data, name, change):
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as plain, zipfile.ZipFile(file, "w") as made:
        for one in plain.infolist():
            part = plain.read(one)
            made.writestr(one.filename, change(part) if one.filename == name else part)
    return file.getvalue()


def formulas(*cells):
    """A workbook whose content cells are formulas with values."""
    book = openpyxl.Workbook()
    for row in [["Name", "Content", "Target"], *[[f"n{place}", "?", DOOR] for place in range(len(cells))]]:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)

    def change(part):
        for place, cell in enumerate(cells, start=2):
            part = re.sub(rb'<c r="B%d".*?</c>' % place, cell.replace("@", f"B{place}").encode(), part)
        return part

    return with_part(file.getvalue(), "xl/worksheets/sheet1.xml", change)


@pytest.mark.rule("X15")
def test_a_formula_with_a_link_is_its_target():
    codes, issues = brought(
        formulas(
            '<c r="@" t="str"><f>HYPERLINK("https://example.com/1","Visit")</f><v>Visit</v></c>',
            '<c r="@" t="str"><f>hyperlink($C3,"Visit")</f><v>Visit</v></c>',
            '<c r="@" t="str"><f>CONCATENATE("https://","example.com/3")</f><v>https://example.com/3</v></c>',
            '<c r="@"><f>HYPERLINK("https://example.com/4")</f></c>',
        )
    )
    assert codes == {
        "n0": "https://example.com/1",
        "n1": DOOR,
        "n2": "https://example.com/3",
        "n3": "https://example.com/4",
    }
    assert [issue.row for issue in issues if issue.reason == "link-target"] == [2, 3]


@pytest.mark.rule("X15")
def test_formulas_without_a_saved_value_are_named():
    book = openpyxl.Workbook()
    for row in [["Content", "Name", "Comment"], ['=CONCAT("https://",A1)', "a", "c"], [DOOR, "=A1", "=B1"]]:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    told = [
        (2, "invalid", "Content is the formula '=CONCAT(\"https://\",A1)', whose value is not in the file"),
        (3, "formula-unsaved", "QR Code Name is the formula '=A1', whose value is not in the file, and was left empty"),
        (3, "formula-unsaved", "Comment is the formula '=B1', whose value is not in the file, and was left empty"),
    ]
    for columns in (None, {"content": "Content", "name": "Name", "comment": "Comment"}):
        codes, issues = brought(file.getvalue(), columns=columns)
        assert codes == {DOOR: DOOR}
        assert [(row, reason) for row, reason, _ in told] == [(issue.row, issue.reason) for issue in issues]
        assert all(one.detail.startswith(detail) for one, (_, _, detail) in zip(issues, told, strict=True))
        assert "open the file in a spreadsheet and save it" in issues[0].detail
    cell = '<table:table-cell table:formula="of:=CONCAT([.B1];&quot;x&quot;)"/>'
    ods = ods_of(ods_table(ods_row("Name", "Content"), f"<table:table-row>{cell * 2}</table:table-row>"))
    ((row, reason),) = ((issue.row, issue.reason) for issue in brought(ods)[1])
    assert (row, reason) == (2, "invalid")


def test_durations_are_read_as_they_are_written():
    book = openpyxl.Workbook()
    for row in [["Content", "Name"], ["a", timedelta(hours=30)], ["b", timedelta(minutes=90)], ["c", 0.4375]]:
        book.active.append(row)
    for place, form in zip((2, 3, 4), ("[h]:mm", "[h]:mm:ss", "h:mm"), strict=True):
        book.active[f"B{place}"].number_format = form
    file = io.BytesIO()
    book.save(file)
    old = xlwt.Workbook()
    sheet = old.add_sheet("x")
    sheet.write(0, 0, "Content")
    sheet.write(0, 1, "Name")
    for row, (content, days, form) in enumerate(
        [("a", 1.25, "[h]:mm"), ("b", 0.0625, "[h]:mm:ss"), ("c", 0.4375, "h:mm")]
    ):
        sheet.write(row + 1, 0, content)
        sheet.write(row + 1, 1, days, xlwt.easyxf(num_format_str=form))
    older = io.BytesIO()
    old.save(older)
    cell = '<table:table-cell office:value-type="time" office:time-value="PT{}"><text:p>{}</text:p></table:table-cell>'
    rows = [("a", "30H00M00S", "30:00:00"), ("b", "01H30M00S", "1:30:00"), ("c", "10H30M00S", "10:30:00")]
    text = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    made = [
        f"<table:table-row>{text.format(one)}{cell.format(two, three)}</table:table-row>" for one, two, three in rows
    ]
    ods = ods_of(ods_table(ods_row("Content", "Name"), *made))
    for data in (file.getvalue(), older.getvalue(), ods):
        assert set(brought(data)[0]) == {"30:00:00", "1:30:00", "10:30:00"}


ZEROS = [["Name", "Content", "Trackable URL", "Scans"], [7, DOOR, 12, 5], ["b", GATE, 34567, 1_234]]


def xlsx_with_zeros():
    book = openpyxl.Workbook()
    for row in ZEROS:
        book.active.append(row)
    for place, code in {"A2": "000", "C2": "0000", "C3": "0000", "D2": "00"}.items():
        book.active[place].number_format = code
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def xls_with_zeros():
    book = xlwt.Workbook()
    sheet = book.add_sheet("Sheet1")
    codes = {(1, 0): "000", (1, 2): "0000", (2, 2): "0000", (1, 3): "00"}
    for number, row in enumerate(ZEROS):
        for place, cell in enumerate(row):
            sheet.write(number, place, cell, xlwt.easyxf(num_format_str=codes.get((number, place), "General")))
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def ods_with_zeros():
    def number(value, shown):
        return (
            f'<table:table-cell office:value-type="float" office:value="{value}"><text:p>{shown}</text:p>'
            "</table:table-cell>"
        )

    def text(value):
        shown = value.replace("&", "&amp;")
        return f'<table:table-cell office:value-type="string"><text:p>{shown}</text:p></table:table-cell>'

    rows = [
        ods_row(*ZEROS[0]),
        f"<table:table-row>{number(7, '007')}{text(DOOR)}{number(12, '0012')}{number(5, '05')}</table:table-row>",
        f"<table:table-row>{text('b')}{text(GATE)}{number(34567, '34567')}{number(1234, '1,234')}</table:table-row>",
    ]
    return ods_of(ods_table(*rows))


@pytest.mark.parametrize("make", [xlsx_with_zeros, xls_with_zeros, ods_with_zeros])
def test_zeros_that_a_format_puts_in_front_of_a_number_are_of_its_text(shop, make):
    """A short code 0012 that a spreadsheet keeps as the number 12 is printed as it is shown."""
    assert shop.import_file(make(), format="csv").is_complete
    found = {code.short_code: (code.name, code.scans) for code in shop.list_qrcodes()}
    assert found == {"0012": ("007", 5), "34567": ("b", 1_234)}


def xlsx_table(rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def xls_table(rows):
    book = xlwt.Workbook()
    sheet = book.add_sheet("Sheet1")
    for number, row in enumerate(rows):
        for place, cell in enumerate(row):
            sheet.write(number, place, cell)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def ods_table_of(rows):
    def cell(value):
        kind = f'float" office:value="{value}' if isinstance(value, float) else "string"
        return f'<table:table-cell office:value-type="{kind}"><text:p>{escape(str(value))}</text:p></table:table-cell>'

    return ods_of(ods_table(*(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)))


def json_table(rows):
    return json.dumps([dict(zip(rows[0], row, strict=True)) for row in rows[1:]]).encode()


def sql_table(rows):
    names = ", ".join(f'"{name}"' for name in rows[0])
    values = ", ".join(f"({', '.join(map(repr, row))})" for row in rows[1:])
    return f"INSERT INTO links ({names}) VALUES {values};".encode()


TABLES = {"xlsx": xlsx_table, "xls": xls_table, "ods": ods_table_of, "json": json_table, "sql": sql_table}


@pytest.mark.parametrize("format", TABLES)
@pytest.mark.parametrize(
    ("heading", "columns"),
    [
        (("Content", "Trackable URL", "Scans"), None),
        (("Long URL", "Short URL", "Clicks"), None),
        (("to", "from", "number"), {"content": "to", "Trackable URL": "from", "scans": "number"}),
    ],
    ids=["ours", "of a tool", "chosen"],
)
def test_a_fraction_is_no_number_of_thousands(shop, format, heading, columns):
    """In a text, 1.234 may be 1,234; as a number it is one and a bit, which is no count of scans."""
    rows = [heading, (DOOR, "https://s.test/a", 1.234), (GATE, "https://s.test/b", "1.234")]
    result = shop.import_file(TABLES[format](rows), format=format, columns=columns)
    assert {code.short_code: code.scans for code in shop.list_qrcodes()} == {"a": 0, "b": 1_234}
    assert result.count("count-unreadable") == 1


@pytest.mark.parametrize("format", TABLES)
def test_a_fraction_is_no_number_of_thousands_of_visits(shop, format):
    rows = [("Short code", "Date", "Clicks"), ("a", "2024-05-01", 1.234), ("a", "2024-05-02", "1.234")]
    shop.insert_qrcode(DOOR, short_code="a")
    result = shop.import_scans(TABLES[format](rows), format=format)
    assert shop.list_qrcodes()[0].scans == 1_234
    assert [detail for _, detail in result.issues] == ["count='1.234': must be a whole number"]


def test_a_fraction_beside_counts_stays_as_it_is(shop):
    rows = [("Content", "Scans", "QR Code Name", "Width"), (DOOR, 5.0, 1.234, 12.345)]
    shop.import_file(xlsx_table(rows), format="xlsx")
    (code,) = shop.list_qrcodes()
    assert (code.name, code.fields, code.scans) == ("1.234", {"Width": "12.345"}, 5)


@pytest.mark.parametrize("headings", [["Name", "Short URL", "Destination URL"], ["Name", "Trackable URL", "Content"]])
def test_links_in_a_list_of_short_urls_are_followed_and_told(shop, headings):
    """Of other services and of ours: a text over a short URL is no short code, apart from the code of that URL."""
    rows = [
        (("s.test/a", "http://s.test/a"), ("Visit us", DOOR)),
        (("Open", "https://s.test/b/"), (GATE, "")),
        (("c", "https://s.test/c"), ("mailto:ana@example.com", "mailto:ana@example.com")),
    ]
    book = openpyxl.Workbook()
    book.active.append(headings)
    for number, cells in enumerate(rows, start=2):
        book.active.append([f"n{number}", *(text for text, _ in cells)])
        for letter, (_, address) in zip("BC", cells, strict=True):
            if address:
                book.active[f"{letter}{number}"].hyperlink = address
    file = io.BytesIO()
    book.save(file)
    issues = shop.import_file(file.getvalue(), format="xlsx").issues
    found = {code.short_code: code.content for code in shop.list_qrcodes()}
    assert found == {"a": DOOR, "b": GATE, "c": "mailto:ana@example.com"}
    told = [(issue.row, issue.detail.rpartition(" is the ")[2]) for issue in issues if issue.reason == "link-target"]
    assert told == [(2, "content"), (3, "short URL")]


def test_a_formula_without_a_value_in_a_list_of_short_urls_is_told(shop):
    book = openpyxl.Workbook()
    for row in [
        ["Title", "Short URL", "Long URL", "Clicks"],
        ["=A9", "s.test/a", DOOR, "=1+1"],
        ["b", "s.test/b", "=A9&B9", 1],
    ]:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    issues = shop.import_file(file.getvalue(), format="xlsx").issues
    assert [(code.short_code, code.name) for code in shop.list_qrcodes()] == [("a", DOOR)]
    assert [(one.row, one.reason) for one in issues if one.row > 1] == [*[(2, "formula-unsaved")] * 2, (3, "invalid")]
