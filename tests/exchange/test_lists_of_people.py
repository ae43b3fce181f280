"""Lists that people keep and hand on: nothing in them is misread, and what is doubtful is reported."""

import json
import re
from io import BytesIO
from zipfile import ZipFile

import pandas as pd
import pytest
import xlwt
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font

from qrkit import open_portfolio
from qrkit.errors import UnreadableFile
from qrkit.tracking.records import QRCode
from tests.exchange.test_files_of_others import GO, said

HERE = "https://example.com/here"


def workbook(rows, change=lambda sheet: None):
    book = Workbook()
    for row in rows:
        book.active.append(row)
    change(book.active)
    file = BytesIO()
    book.save(file)
    return file.getvalue()


# ---- several tables in one sheet


@pytest.mark.parametrize(
    "second",
    [
        ["Content", "Name"],
        ["Name", "Content", "Trackable URL"],
        ["name", "Comment", "Content"],
        ["Name", "", "Content"],
    ],
)
@pytest.mark.parametrize("as_file", [workbook, lambda rows: "\n".join(map(",".join, rows)).encode()])
def test_rows_below_another_heading_are_left_out(shop, second, as_file):
    """They were read as if they stood below the first heading, and the second heading became a QR Code."""
    result = shop.import_file(as_file([["Name", "Content"], ["A", HERE], second, ["B", HERE, "spring"]]))
    assert [code.name for code in shop.list_qrcodes()] == ["A"]
    (heading, first), (row, below) = said(result, "invalid")
    assert (heading, row) == (3, 4)
    assert "heading of another table" in first and "below the heading of another table" in below


def test_a_cell_with_the_name_of_a_column_is_not_a_heading(shop):
    assert shop.import_file(f"Name,Content\nContent,{HERE}\nName,Name\nB,{HERE}2\n".encode()).created == 3


def test_rows_below_the_same_heading_again_are_read(shop):
    rows = f"Name,Content\nA,{HERE}\nContent,Name\nx,y\nName,Content\nB,{HERE}2\n"
    assert shop.import_file(rows.encode()).created == 2


@pytest.mark.parametrize("first", ["Name,Content", "Name,Content,"])
@pytest.mark.parametrize("second", ["Name,Content", "Name,Content,", "name,Content,,"])
def test_a_comma_at_the_end_makes_no_other_heading(shop, first, second):
    result = shop.import_file(f"{first}\nA,{HERE}\n{second}\nB,{HERE}2\n".encode())
    assert (result.created, said(result, "invalid")) == (2, [])


# ---- what is struck out


@pytest.mark.parametrize("struck", ["A3", "C3"])
def test_struck_out_text_is_reported(shop, struck):
    """In printed schedules, what is struck out is gone; such rows silently became QR Codes."""

    def strike(sheet):
        sheet[struck].font = Font(strike=True)
        sheet["A1"].font = Font(strike=True)
        sheet["B2"].font = Font(strike=False, bold=True)

    rows = [["Name", "Content", "Price"], ["A", HERE, 5], ["B", f"{HERE}2", 7], ["C", f"{HERE}3", 9]]
    result = shop.import_file(workbook(rows, strike))
    assert result.created == 3
    ((row, detail),) = said(result, "struck-row")
    assert row == 1 and "row 3" in detail and "struck-out" in detail
    assert result.is_complete


def test_hidden_rows_and_struck_out_text_of_old_workbooks_are_reported(shop):
    """Those of xlsx were; in xls, they became QR Codes without a word."""
    book = xlwt.Workbook()
    sheet = book.add_sheet("Links")
    for number, row in enumerate([["Name", "Content"], ["A", HERE], ["B", f"{HERE}2"], ["", ""]]):
        sheet.row(number).hidden = number > 1
        for place, cell in enumerate(row):
            struck = xlwt.easyxf("font: struck_out on") if cell == "A" else xlwt.easyxf("font: bold on")
            sheet.write(number, place, cell, struck)
    sheet.row(9).hidden = True
    file = BytesIO()
    book.save(file)
    result = shop.import_file(file.getvalue(), format="xls")
    assert said(result, "hidden-row") == [(1, "row 3 is hidden in the sheet; all rows were read")]
    assert said(result, "struck-row") == [(1, "row 2 has struck-out text in the sheet; all rows were read")]


def test_an_old_workbook_whose_styles_name_no_font_is_read(shop):
    """Spreadsheets open it, but the import called it damaged."""
    book = xlwt.Workbook()
    sheet = book.add_sheet("Links")
    for number, cell in enumerate(["Content", HERE]):
        sheet.write(number, 0, cell)
    file = BytesIO()
    book.save(file)
    style, no_font = b"\xe0\x00\x14\x00", b"\xc8\x00"
    data = re.sub(style + b"..", style + no_font, file.getvalue(), flags=re.DOTALL)
    assert shop.import_file(data, format="xls").created == 1


@pytest.mark.parametrize("is_shared", [False, True])
def test_text_that_is_struck_out_in_part_is_reported(shop, is_shared):
    """A new name behind the struck-out old one gave one name of both, without a word."""
    parts = [TextBlock(InlineFont(strike=True), "Old"), TextBlock(InlineFont(strike=False), "New")]
    kept = [TextBlock(InlineFont(strike=False, b=True), "C"), "D"]
    data = workbook([["Name", "Content"], [CellRichText(parts), HERE], [CellRichText(kept), f"{HERE}2"]])
    result = shop.import_file(with_shared_texts(data) if is_shared else data)
    assert [code.name for code in shop.list_qrcodes()] == ["OldNew", "CD"]
    ((_, detail),) = said(result, "struck-row")
    assert "row 2 has struck-out text" in detail


def with_shared_texts(data):
    """The workbook with its texts in a part of their own, as Excel writes them."""
    texts = []

    def shared(found):
        texts.append(found[1])
        return b't="s"><v>%d</v></c>' % (len(texts) - 1)

    with ZipFile(BytesIO(data)) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    sheet, relations = "xl/worksheets/sheet1.xml", "xl/_rels/workbook.xml.rels"
    parts[sheet] = re.sub(rb't="inlineStr"><is>(.*?)</is></c>', shared, parts[sheet])
    relation = b'<Relationship Type="x/sharedStrings" Target="sharedStrings.xml" Id="texts"/></Relationships>'
    parts[relations] = parts[relations].replace(b"</Relationships>", relation)
    items = b"".join(b"<si>%s</si>" % text for text in texts)
    space = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    parts["xl/sharedStrings.xml"] = b'<sst xmlns="%s">%s</sst>' % (space, items)
    file = BytesIO()
    with ZipFile(file, "w") as made:
        for name, part in parts.items():
            made.writestr(name, part)
    return file.getvalue()


# ---- what programs write for nothing


@pytest.mark.parametrize(
    "nothing",
    ["NULL", "null", "(null)", "\\N", "nan", "NaN", "NaT", "<NA>", "None", "#N/A", "N/A", "n/a", *"-\u2013\u2014"],
)  # fmt: skip
def test_words_for_no_value_are_empty_cells(shop, nothing):
    """Campaigns were called NULL, and each row had warnings about its date and its scans."""
    heading = "Name,Content,Created (UTC),Scans,Comment,Campaign Name,City,Tags,Latitude,Limit,Valid Until (UTC)"
    result = shop.import_file(f"{heading}\nA,{HERE},{','.join([nothing] * 9)}\n".encode())
    (code,) = shop.list_qrcodes()
    assert (code.comment, code.campaign_id, code.scans, code.fields, code.tags) == ("", None, 0, {}, ())
    assert (code.location.latitude, code.limit, code.valid_until) == (None, 0, None)
    assert result.issues == ()


def test_words_for_no_value_are_texts_in_our_own_files(shop):
    shop.insert_qrcode(HERE, name="None", comment="NULL", fields={"City": "N/A"}, is_dynamic=False)
    for format in ("csv", "json"):
        with open_portfolio(":memory:", base_url=GO) as other:
            other.import_file(shop.export_bytes(format), format=format)
            (code,) = other.list_qrcodes()
            assert (code.name, code.comment, code.fields) == ("None", "NULL", {"City": "N/A"})


@pytest.mark.parametrize("write", [QRCode.to_json, QRCode.to_list_json])
def test_words_for_no_value_are_texts_in_our_records(shop, write):
    """Names and comments in records of the HTTP interface were dropped without a word."""
    record = write(shop.insert_qrcode(HERE, name="None", comment="-"))
    with open_portfolio(":memory:", base_url=GO) as other:
        other.import_file(f"[{record}]".encode(), format="json")
        assert [(code.name, code.comment) for code in other.list_qrcodes()] == [("None", "-")]


@pytest.mark.parametrize("nothing", ["NULL", "-", "N/A"])
def test_words_for_no_value_are_nothing_in_json_and_in_frames(shop, nothing):
    """Campaigns and tags were called NULL, as they were in csv."""
    link = {"short_url": "https://s.test/a", "long_url": HERE, "title": "A", "tags": nothing, "Campaign": nothing,
            "City": nothing, "max_visits": nothing, "valid_until": nothing}  # fmt: skip
    shop.import_file(json.dumps([link]).encode(), format="json")
    shop.import_frame(pd.DataFrame([link | {"short_url": "https://s.test/b", "title": "B"}]))
    ours = {"content": HERE, "name": "C", "campaign": nothing, "comments": nothing, "City": nothing}
    shop.import_file(json.dumps([ours]).encode(), format="json")
    assert [code.name for code in shop.list_qrcodes()] == ["A", "B", "C"]
    for code in shop.list_qrcodes():
        assert (code.campaign_id, code.tags, code.fields, code.comment, code.limit) == (None, (), {}, "", 0)
    assert shop.list_campaigns() == []


def test_no_number_in_json_of_links_is_no_count(shop):
    """Programs that keep tables write NaN for an empty cell; each row had a warning about its clicks."""
    link = {"short_url": "https://s.test/a", "long_url": HERE, "clicks": float("nan"), "password": ""}
    result = shop.import_file(json.dumps([link]).encode(), format="json")
    assert (result.created, result.issues) == (1, ())


@pytest.mark.parametrize("heading", ["Password", "Passwort", "Mot de passe"])
def test_a_word_for_no_value_is_a_password_of_a_link(shop, heading):
    """Under a name in another language, the password was dropped, and everybody could follow the link."""
    shop.import_file(f"Short URL,Long URL,{heading}\nhttps://s.test/a,{HERE},(none)\n".encode())
    assert [bool(code.password) for code in shop.list_qrcodes()] == [True]


@pytest.mark.parametrize("word", ["None", "NULL", "(null)"])
@pytest.mark.parametrize("columns", [None, {"content": "Content", "password": "Key"}])
def test_words_for_no_value_open_no_link(shop, word, columns):
    heading = f"Content,{'Key' if columns else 'Password'}"
    shop.import_file(f"{heading}\n{HERE},{word}\n".encode(), columns=columns)
    assert all(code.password for code in shop.list_qrcodes())


def test_escaped_line_ends_of_excel_are_removed(shop):
    """Some programs write _x000D_ for Excel's line ends; the address led to a page that does not exist."""
    shop.import_file(f"Name,Content,Comment\nA_x000D_,{HERE}_x000D_,Line_x000D_\n".encode())
    assert [(code.name, code.content, code.comment) for code in shop.list_qrcodes()] == [("A", HERE, "Line")]


# ---- errors about the right row


def test_error_does_not_take_a_row_of_addresses_for_the_heading(shop):
    rows = "source,target,regex,code,type,hits,status\n/door,https://example.com/door,0,301,url,5,active\n"
    with pytest.raises(UnreadableFile, match="it has 'source', 'target'"):
        shop.import_file(rows.encode())


# ---- links of services whose headings others have, too


def test_links_of_another_service_are_not_taken_for_those_of_dub(shop):
    """Bitly's and Replug's lists have the two names of Dub's: the links passed on a visitor's query, as Dub's do."""
    heading = "Campaign,QR Code Title,Short Link,Destination URL,Scans,Status"
    shop.import_file(f"{heading}\nSummer,Poster,https://bit.ly/4aaa,{HERE},15,active\n".encode())
    (code,) = shop.list_qrcodes()
    assert (code.name, code.short_code, code.scans, code.pass_query) == ("Poster", "4aaa", 15, None)
    assert shop.campaigns().name.tolist() == ["Summer"]


@pytest.mark.parametrize(
    "heading",
    ["Nom,URL de destination,URL courte,Nombre de scans", "Nome,URL di destinazione,URL breve,Scansioni",
     "Nazwa,Docelowy URL,Krótki URL,Skany", "名前,リンク先URL,短縮URL,スキャン数",
     "Naam,Doel-URL,Korte URL,Aantal scans", "Bezeichnung,Ziel-URL,Kurz-URL,Anzahl Scans"],
)  # fmt: skip
def test_lists_of_links_are_read_in_more_languages(shop, heading):
    shop.import_file(f"{heading}\nA,{HERE},https://old.example/door,5\n".encode())
    (code,) = shop.list_qrcodes()
    assert (code.name, code.content, code.short_code, code.scans) == ("A", HERE, "door", 5)


# ---- several files in one archive, and files that hold no table


def archive(**files):
    file = BytesIO()
    with ZipFile(file, "w") as made:
        for name, data in files.items():
            made.writestr(name.replace("__", "."), data)
    return file.getvalue()


@pytest.mark.parametrize("columns", [None, {"content": "Content", "name": "Name"}])
def test_tables_of_an_archive_with_one_heading_are_one_table(shop, columns):
    """People zip the exports of several months; the archive was refused."""
    data = archive(
        a__csv=f"Name,Content\nA,{HERE}\n",
        b__tsv=f"Content\tName\n{HERE}3\tC\n",
        c__xlsx=workbook([["Name", "Content"], ["D", f"{HERE}4"]]),
        d__csv=f"Name;Content\nB;{HERE}2\n",
        visits__csv="short_code,time\ndoor,2024-05-01\n",
        links__json="[]",
    )
    result = shop.import_file(data, columns=columns)
    assert sorted(code.name for code in shop.list_qrcodes()) == ["A", "B", "D"]
    assert [detail.split("'")[1] for _, detail in said(result, "unread-sheet")] == ["b.tsv", "visits.csv"]
    assert [detail.split("'")[1] for _, detail in said(result, "unread-file")] == ["links.json"]


def test_a_text_with_a_separator_in_a_file_of_an_archive_is_told(shop):
    """What stood behind the comma was lost without a word."""
    heading = "Name,Content,Comment"
    data = archive(a__csv=f"{heading}\nA,{HERE},x\n", b__csv=f"{heading}\nB,{HERE}?q=1,2,y\n")
    result = shop.import_file(data)
    assert [code.name for code in shop.list_qrcodes()] == ["A"]
    ((row, detail),) = said(result, "invalid")
    assert row == 3 and "has 4 cells" in detail
    assert [
        (row, detail)
        for row, detail in said(result, "heading-row")
        if "'b.csv' was read as the rows from 3 on" in detail
    ]


def test_a_bad_file_of_an_archive_costs_no_other_file(shop):
    good = f"Name,Content\nA,{HERE}\n"
    data = archive(a__csv=good, scan__csv=b"\x89PNG\r\n\x1a\n", b__xlsx=b"PK\x03\x04", c__csv='[{"url": "x"}]')
    result = shop.import_file(data)
    assert result.created == 1
    assert [detail.split("'")[1] for _, detail in said(result, "unread-file")] == ["scan.csv", "b.xlsx"]
    ((_, other),) = said(result, "unread-sheet")
    assert "the file 'c.csv'" in other
    with pytest.raises(UnreadableFile, match=r"'b\.csv'.*'b\.csv' was not read: the file is a picture"):
        shop.import_file(archive(a__csv=b"\x89PNG", b__csv=b"\x89PNG"))


def test_error_names_the_files_of_an_archive_that_were_set_aside(shop):
    links = '[{"shortUrl": "https://s.example/a", "longUrl": "https://a.example", "dateCreated": "2024-05-01"}]'
    with pytest.raises(UnreadableFile, match=r"'stats\.csv'.*'Foo', 'Bar'.*'links\.json' .* import it alone"):
        shop.import_file(archive(stats__csv="Foo,Bar\n1,2\n", links__json=links))


@pytest.mark.parametrize(
    ("start", "what"),
    [(b"ARROW1\0\0", "Feather"), (b"SQLite format 3\0", "SQLite"), (b"GIF89a", "picture"), (b"\xfd7zXZ\0", "archive"),
     (b"MIME-Version: 1.0\r\n", "web page"), (b"BEGIN:VCARD\r\nVERSION:3.0\r\n", "contact")],
)  # fmt: skip
@pytest.mark.parametrize("format", ["csv", None])
def test_error_says_what_kind_of_file_has_no_table(shop, start, what, format):
    with pytest.raises(UnreadableFile, match=what):
        shop.import_file(start + b"x" * 100, format=format)


# ---- printed tables

PRINTED = {
    "Markdown": "| Name | Content |\n|---|:--|\n| A | https://example.com/a |\n",
    "Markdown without bars around it": "Name | Content\n--- | ---\nA | https://example.com/a\n",
    "psql": " name |        content        \n------+-----------------------\n A    | https://example.com/a\n(1 row)\n",
    "mysql": "+------+-----------------------+\n| Name | Content               |\n+------+-----------------------+\n"
    "| A    | https://example.com/a |\n+------+-----------------------+\n1 row in set (0.00 sec)\n",
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("text", PRINTED.values(), ids=PRINTED.keys())
def test_printed_tables_are_read_without_what_surrounds_texts(shop, text, end):
    """Names and contents kept the spaces around them, and the number of rows was a row that cannot be read."""
    result = shop.import_file(text.replace("\n", end).encode(), format="csv")
    assert [issue.detail for issue in result.issues if issue.reason != "heading-row"] == []
    assert shop.find_qrcode("A").content == "https://example.com/a"


@pytest.mark.parametrize("text", ["Name,Content,Comment\n-,---,-\nA,---,-\n", "Content\n===\n---\n"])
def test_a_row_of_dashes_is_a_row(shop, text):
    """It was left out without a word, as if it were the line under a heading."""
    assert shop.import_file(text.encode(), format="csv").created == 2


# ---- what spreadsheets and pages do to cells


@pytest.mark.parametrize("number", ["4.00638E+12", "4,00638E+12", "1.23456789012346E+017", "1.2345678901234568e+17"])
def test_a_long_number_that_a_spreadsheet_shortened_is_reported(shop, number):
    (_, issue) = shop.import_file(f'Content,EAN\n{HERE},"{number}"\n'.encode()).issues
    assert (issue.reason, f"EAN={number!r}" in issue.detail) == ("damaged-text", True)


@pytest.mark.parametrize("target", ["javascript:alert(1)", " JavaScript:void(0)", "data:text/html,x", "vbscript:x"])
def test_a_script_as_target_is_reported_and_never_followed(shop, target):
    (issue,) = shop.import_file(f'Content,Trackable URL\n"{target}",{GO}/door\n'.encode()).issues
    assert (issue.reason, "visitors see it as text" in issue.detail) == ("no-address", True)


def test_a_text_about_data_is_not_taken_for_a_script(shop):
    assert shop.import_file(b"Content,Name\nData: five doors,Note\n").issues == ()


@pytest.mark.parametrize("number", ["1E+05", "3e+10", "6.02E+23", "1.23457E+05"])
def test_a_measurement_is_no_number_that_a_spreadsheet_shortened(shop, number):
    """Each row of such a column was reported."""
    (issue,) = shop.import_file(f"Content,Factor\n{HERE},{number}\n".encode()).issues
    assert issue.reason == "own-column"


def test_quotation_marks_protect_a_separator_in_a_printed_table(shop):
    """A line of dashes anywhere in the file split the cell again, and the row was left out."""
    text = f'Name|Content|Comment\n"a|b"|{HERE}|"x\n-----\ny"\n'
    assert shop.import_file(text.encode(), format="csv").issues == ()
    assert shop.list_qrcodes()[0].name == "a|b"


# ---- rows of totals, and words for no value in exports


@pytest.mark.parametrize(
    "file",
    [
        f"Content,Scans\n{HERE},3\nTotal,3\n",
        f"Content;Name;Scans\n{HERE};A;3\nSumme:;;1.203,00\n",
        f"Title,Short URL,Long URL,Clicks\nA,https://s.test/a,{HERE},3\nGRAND TOTAL,,,3\n",
    ],
)
def test_a_row_of_totals_is_left_out(shop, file):
    """It became a QR Code with the text Total, or 3."""
    result = shop.import_file(file.encode())
    assert [code.content for code in shop.list_qrcodes()] == [HERE]
    assert said(result, "invalid") == [(3, "is a row of totals, and was left out")]


def test_a_total_may_be_a_name(shop):
    assert shop.import_file(f"Name,Content,Scans\nTotal,{HERE},3\nSum,,\n".encode()).created == 1
    assert shop.list_qrcodes()[0].name == "Total"


def test_a_code_named_total_may_hold_a_number(shop):
    """It was left out."""
    assert shop.import_file(b"Name,Content,Scans\nTotal,12345,7\nTotal,,7\n").created == 1
    assert [(code.name, code.content) for code in shop.list_qrcodes()] == [("Total", "12345")]


def test_a_row_of_totals_is_left_out_of_cells_in_json(shop):
    """It became a QR Code with the text Total."""
    cells = json.dumps([["content", "Scans"], [HERE, 3], ["Total", 3]])
    result = shop.import_file(cells.encode(), format="json")
    assert [code.content for code in shop.list_qrcodes()] == [HERE]
    assert said(result, "invalid") == [(3, "is a row of totals, and was left out")]


@pytest.mark.parametrize("word", ["NULL", "None"])
def test_our_export_may_have_a_word_in_its_empty_cells(shop, word):
    """All rows were refused: NULL is no latitude."""
    shop.insert_qrcode(HERE, name="nan", short_code="door", comment="None")
    heading, row, _ = shop.export_bytes("csv").decode().split("\r\n")
    shop.delete_qrcode(shop.list_qrcodes()[0].id)
    filled = ",".join(cell or word for cell in row.replace("door", "gate").split(","))
    assert shop.import_file(f"{heading}\n{filled}\n".encode()).created == 1
    (code,) = shop.list_qrcodes()
    assert (code.name, code.short_code, code.campaign_id, code.location.address) == ("nan", "gate", None, "")
    assert code.comment == ("" if word == "None" else "None")
