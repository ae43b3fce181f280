"""Files of other programs and people are read as you would expect, or the import says what it does instead."""

import json
from datetime import datetime, time
from io import BytesIO
from zipfile import ZipFile

import pandas as pd
import pytest
from openpyxl import Workbook

from qrkit.errors import UnreadableFile

GO = "https://go.example.com"
HERE = "https://example.com/here?a=1"


def said(result, reason):
    return [(issue.row, issue.detail) for issue in result.issues if issue.reason == reason]


# ---- lists of links


@pytest.mark.rule("X16")
def test_a_link_that_is_not_banned_in_a_postgresql_dump_works(shop):
    """Kutt's dump says f and t; f switched all links off."""
    names = "address, banned, target, visit_count, expire_in, password"
    rows = f"door\tf\t{HERE}\t5\t\\N\t\\N\ngone\tt\t{HERE}&2\t5\t\\N\t\\N\n"
    shop.import_file(f"COPY public.links ({names}) FROM stdin;\n{rows}\\.\n".encode(), format="sql")
    assert {code.short_code: code.active for code in shop.list_qrcodes()} == {"door": True, "gone": False}


@pytest.mark.rule("X16")
@pytest.mark.parametrize(
    "word", ["Trashed", "ended", "REMOVED", "Beendet", "Terminé", "Finalizado", "Gestopt", "Gelöscht"]
)
def test_a_link_in_the_trash_stays_off(shop, word):
    shop.import_file(f"Title,Short URL,Long URL,Status\nA,https://s.test/a,{HERE},{word}\n".encode())
    assert [code.active for code in shop.list_qrcodes()] == [False]


@pytest.mark.rule("X16")
def test_an_unknown_status_is_reported_once(shop):
    states = ["Active", "Archived", "Scheduled", "Archived", "301", "ok"]
    rows = "".join(f"{state},https://s.test/{row},{HERE}&{row},{state}\n" for row, state in enumerate(states))
    result = shop.import_file(f"Title,Short URL,Long URL,Status\n{rows}".encode())
    told = [(row, detail.partition(" says")[0]) for row, detail in said(result, "limits-unknown") if row > 1]
    assert (result.created, told) == (
        6, [(3, "status='Archived'"), (4, "status='Scheduled'")]
    )  # fmt: skip


def test_a_status_of_posters_without_short_urls_is_not_reported(shop):
    assert said(shop.import_file(f"Name,Content,Status\nA,{HERE},to print\n".encode()), "limits-unknown") == []


@pytest.mark.parametrize("value", ["never expires", "No expiry", "no limit", "Nie", "jamais", "ilimitado", "f", "nein"])
def test_words_for_no_limit_set_no_limit(shop, value):
    link = {
        "short_url": "https://s.test/a",
        "long_url": HERE,
        "expires_at": value,
        "max_clicks": value,
        "banned": value,
    }
    assert shop.import_file(json.dumps([link]).encode(), format="json").is_complete
    (code,) = shop.list_qrcodes()
    assert (code.active, code.valid_until, code.limit) == (True, None, 0)


@pytest.mark.parametrize(
    ("heading", "row"),
    [
        ("Titel;Ziel-URL;Kurz-URL;Klicks;Erstellt am", f"Tür;{HERE};https://s.test/a;1.204;05.03.2024"),
        ("Nom;URL longue;URL courte;Clics;Créé le", f"Tür;{HERE};https://s.test/a;1204;25/03/2024"),
        ("Nombre;URL de destino;URL corta;Clics", f"Tür;{HERE};https://s.test/a;1204"),
        ("Naam;Doel-URL;Korte URL;Klikken;Aangemaakt op", f"Tür;{HERE};https://s.test/a;1 204;25-3-2024"),
        ("QR name;Redirect to;Redirect from;Hit count", f"Tür;{HERE};/a;1204"),
        ("Link title;Full link;Short link;Visits", f"Tür;{HERE};https://s.test/a;1204"),
        ("affiliate link name;destination url;cloaked url;Hits", f"Tür;{HERE};https://s.test/a;1204"),
    ],
)  # fmt: skip
def test_a_list_of_links_is_read_by_headings_of_other_languages_and_programs(shop, heading, row):
    result = shop.import_file(f"{heading}\n{row}\n".encode())
    (code,) = shop.list_qrcodes()
    assert (code.short_code, code.content, code.name, code.scans) == ("a", HERE, "Tür", 1204)
    assert result.is_complete


def test_our_columns_are_read_in_a_list_of_links(shop):
    data = f"Poster;Destination URL;Short URL;Address;Latitude;Longitude;Campaign\nA;{HERE};https://s.test/a;Hauptplatz;47,1;15,4;Spring\n"
    shop.import_file(data.encode())
    (code,) = shop.list_qrcodes()
    assert (code.location.address, code.location.latitude, code.location.longitude) == ("Hauptplatz", 47.1, 15.4)
    assert ([one.name for one in shop.list_campaigns()], code.fields) == (["Spring"], {"Poster": "A"})


@pytest.mark.parametrize(
    ("heading", "value"),
    [("Size", "A4"), ("Version", "v1"), ("Dynamic", "x"), ("Latitude", "47° 3' N"), ("Foreground", "dark")],
)
def test_a_cell_that_does_not_fit_into_a_column_of_ours_becomes_a_field(shop, heading, value):
    result = shop.import_file(f"Name,Short URL,Long URL,{heading}\nA,https://s.test/a,{HERE},{value}\n".encode())
    assert result.created == 1
    assert shop.list_qrcodes()[0].fields == {f"{heading} (link list)": value}


@pytest.mark.parametrize("tags", ["x;y", "x|y", "x, y", '"[""x"",""y""]"'])
def test_tags_are_split_at_the_separator_of_the_list(shop, tags):
    shop.import_file(f'Title;Short URL;Long URL;Tags\nA;https://s.test/a;{HERE};"{tags.strip(chr(34))}"\n'.encode())
    (code,) = shop.list_qrcodes()
    assert (code.tags, code.campaign_id) == (("x", "y"), None)


def test_a_target_that_is_not_an_address_is_reported(shop):
    """A file behind the short URL of the other service, among other such links."""
    rows = f"Menu,https://s.test/a,menu.pdf\nDoor,https://s.test/b,{HERE}\nMap,https://s.test/c,map.pdf\n"
    result = shop.import_file(f"Title,Short URL,Long URL\n{rows}".encode())
    assert [row for row, _ in said(result, "no-address")] == [2, 4]


# ---- json of services that qrkit does not know


HOVERCODE = {
    "id": "5b1",
    "qr_data": HERE,
    "display_name": "Door",
    "shortlink_url": "https://hov.to/a1",
    "dynamic": True,
}


def test_json_of_hovercode_is_a_list_of_links(shop):
    shop.import_file(json.dumps({"count": 1, "results": [HOVERCODE]}).encode(), format="json")
    assert [(code.short_code, code.name, code.content) for code in shop.list_qrcodes()] == [("a1", "Door", HERE)]


UNKNOWN = [{"id": "5b1", "payload": HERE, "label": "Door", "hop": "https://hov.to/a1"}]


@pytest.mark.parametrize("value", [UNKNOWN, {"count": 1, "results": UNKNOWN}, {"a": {"b": UNKNOWN}}])
def test_json_without_contents_names_its_fields(shop, value):
    with pytest.raises(UnreadableFile, match="no object of the file has the column 'Content'; it has 'id', 'payload'"):
        shop.import_file(json.dumps(value).encode(), format="json")
    chosen = {"content": "payload", "short_url": "hop", "name": "label"}
    shop.import_file(json.dumps(value).encode(), format="json", columns=chosen)
    assert [(code.short_code, code.name) for code in shop.list_qrcodes()] == [("a1", "Door")]


# ---- spreadsheets and text files


@pytest.mark.parametrize(
    "cell",
    [
        f'"=HYPERLINK(""{HERE}"",""Visit"")"', f'"=HYPERLINK(""{HERE}"";""Besuch"")"', f'"=hyperlink( ""{HERE}"" )"',
        f'=HYPERLINK("{HERE}")',
    ],
)  # fmt: skip
def test_a_link_formula_of_a_text_file_is_its_address(shop, cell):
    result = shop.import_file(
        f"Name,Content,Short URL\nA,{cell},\nB,{HERE}&2,{cell.replace(HERE, 'https://s.test/b')}\n".encode()
    )
    assert [(code.content, code.short_code) for code in shop.list_qrcodes()][1] == (f"{HERE}&2", "b")
    assert (result.is_complete, shop.list_qrcodes()[0].content) == (True, HERE)


def test_any_other_formula_of_a_text_file_has_no_value(shop):
    result = shop.import_file(f'Name,Content\nA,"=CONCAT(""{HERE}"",A2)"\nB,{HERE}\n'.encode())
    assert [row for row, detail in said(result, "invalid") if "whose value is not in the file" in detail] == [2]


def test_a_second_table_below_the_first_is_reported(shop):
    rows = "".join(f"{name},https://example.com/{name}\n" for name in "abcdefgh")
    result = shop.import_file(f"Name,Content\n{rows},\nOwner,Phone\nAna,+43 1\n".encode())
    assert [row for row, _ in said(result, "no-address")] == [11, 12]


# ---- dumps, and files whose format nobody said


TABLE = "INSERT INTO `links` (`slug`, `url`, `created_at`) VALUES"


@pytest.mark.rule("T19")
@pytest.mark.parametrize("comma", [",", ""])
def test_a_comment_without_an_end_is_reported(shop, comma):
    rows = f"('a', '{HERE}', ''){comma} /* to do:\n('b', '{HERE}&2', '');\n"
    result = shop.import_file(f"{TABLE} {rows}{TABLE} ('c', '{HERE}&3', '');".encode(), format="sql")
    assert [code.short_code for code in shop.list_qrcodes()] == ["a"]
    assert "/* to do:" in said(result, "invalid")[0][1]


@pytest.mark.parametrize(
    "text",
    [
        f'[{{"content": "{HERE}"}}]', f'\n  {{"links": [{{"slug": "a", "url": "{HERE}"}}]}}',
        f'{{"content": "{HERE}"}}\n{{"content": "{HERE}&2"}}\n', f"{TABLE} ('a', '{HERE}', '');",
        f"-- MySQL dump 10.13\n\n{TABLE} ('a', '{HERE}', '');",
        f'<?xml version="1.0"?><tracking><item><content>{HERE}</content></item></tracking>',
    ],
)  # fmt: skip
@pytest.mark.parametrize("suffix", ["", "txt", "csv"])
def test_json_dumps_and_xml_are_recognized_without_their_suffix(shop, text, suffix, tmp_path):
    file = tmp_path / f"links.{suffix}"
    file.write_text(text, encoding="utf-8")
    shop.import_file(file if suffix else text.encode())
    assert shop.list_qrcodes()[0].content == HERE


@pytest.mark.parametrize(
    "heading",
    ["[Content],{Name}", '"{Note}",Content', "-- Content,Content", "<Note>,Content", "Copy,Content", "Start,Content",
     "Set,Content", "Use,Content"],
)  # fmt: skip
def test_a_csv_with_odd_headings_is_read_as_a_csv(shop, heading):
    assert shop.import_file(
        f"{heading}\n{HERE},{HERE}\n".encode(), columns={"content": heading.split(",")[0].strip('"')}
    )


@pytest.mark.parametrize("hide", ["row", "filter"])
def test_hidden_rows_are_read_and_reported(shop, hide):
    """A person who filters a sheet may expect that only the rows in view count."""
    book = Workbook()
    sheet = book.active
    for row in [("A title", ""), ("Name", "Content"), *((name, f"{HERE}&{name}") for name in "abc")]:
        sheet.append(row)
    sheet.row_dimensions[1].hidden = sheet.row_dimensions[4].hidden = True
    if hide == "filter":
        sheet.auto_filter.ref = "A2:B5"
    file = BytesIO()
    book.save(file)
    result = shop.import_file(file.getvalue(), format="xlsx")
    assert (result.created, said(result, "hidden-row")) == (
        3, [(2, "row 4 is hidden in the sheet; all rows were read")]
    )  # fmt: skip


def test_hidden_rows_of_a_further_sheet_are_told(shop):
    book = Workbook()
    for sheet in (book.active, book.create_sheet("More")):
        for row in [("Name", "Content"), *((f"{sheet.title}{name}", f"{HERE}&{sheet.title}{name}") for name in "abc")]:
            sheet.append(row)
    book["More"].row_dimensions[3].hidden = book["More"].row_dimensions[4].hidden = True
    file = BytesIO()
    book.save(file)
    result = shop.import_file(file.getvalue(), format="xlsx")
    assert (result.created, said(result, "hidden-row")) == (
        6, [(1, "2 rows are hidden in the sheet 'More', the first is row 3; all rows were read")]
    )  # fmt: skip


@pytest.mark.parametrize("cell", [datetime(2024, 3, 1), True, time(12, 30)])
def test_a_short_code_that_a_spreadsheet_changed_is_reported(shop, cell):
    book = Workbook()
    for row in [("Content", "Trackable URL"), (HERE, cell), (f"{HERE}&2", "mar1")]:
        book.active.append(row)
    file = BytesIO()
    book.save(file)
    result = shop.import_file(file.getvalue(), format="xlsx")
    assert [row for row, detail in said(result, "suspicious-url") if "compare it with the printed code" in detail] == [
        2
    ]


@pytest.mark.rule("T19")
@pytest.mark.parametrize("columns", [None, {"content": "Content"}])
def test_short_urls_that_are_not_read_are_reported(shop, columns):
    file = f"Content,Short URL,Bitlink\n{HERE},https://s.test/a,https://bit.ly/b\n".encode()
    ((row, detail),) = said(shop.import_file(file, columns=columns), "unknown-column")
    assert row == 1
    assert "short URLs were not read from 'Short URL' or 'Bitlink', so codes printed with them will not work" in detail


@pytest.mark.parametrize(
    ("name", "content"),
    [("links.csv", f"Name,Content\nA,{HERE}\n"), ("x/links.TSV", f"Name\tContent\nA\t{HERE}\n"),
     ("links.json", f'[{{"name": "A", "content": "{HERE}"}}]')],
)  # fmt: skip
@pytest.mark.parametrize("format", ["zip", None])
def test_the_only_table_of_an_archive_is_read(shop, name, content, format):
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr(name, content)
        archive.writestr("__MACOSX/._links.csv", "x")
        archive.writestr("README.txt", "Exported on Monday")
    result = shop.import_file(file.getvalue(), format=format)
    assert [(code.name, code.content) for code in shop.list_qrcodes()] == [("A", HERE)]
    assert said(result, "unread-file") == [(1, "'README.txt' is another file of the archive, and was not read")]


@pytest.mark.parametrize("columns", [None, {"content": "Content"}])
@pytest.mark.parametrize(
    "other", ["2025.txt", "2025.tab", "2025.xlsm", "2025.htm", "2025.jsonl", "codes/a.svg", "p.jpg"]
)
def test_files_beside_the_only_table_of_an_archive_are_told(shop, other, columns):
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr("2024.csv", f"Name,Content\nA,{HERE}\n")
        archive.writestr(other, f"Name,Content\nB,{HERE}\n")
    result = shop.import_file(file.getvalue(), columns=columns)
    assert result.created == 1
    assert said(result, "unread-file") == [(1, f"'{other}' is another file of the archive, and was not read")]
    assert "1 file not read" in str(result)


@pytest.mark.parametrize("names", [("a.csv", "b.csv"), ("b.csv", "a.csv")])
def test_formulas_in_one_file_of_several_are_read(shop, names):
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        for name, cell in zip(names, (HERE, f'"=HYPERLINK(""{HERE}&2"",""Visit"")"'), strict=True):
            archive.writestr(name, f"Name,Content\nA,{cell}\n")
    shop.import_file(file.getvalue(), format="zip")
    assert {code.content for code in shop.list_qrcodes()} == {HERE, f"{HERE}&2"}


def test_a_workbook_is_read_before_one_embedded_in_it(shop):
    books = []
    for name in ("embedded", "sheet"):
        book, file = Workbook(), BytesIO()
        for row in [("Name", "Content"), (name, HERE)]:
            book.active.append(row)
        book.save(file)
        if books:
            with ZipFile(file, "a") as archive:
                archive.writestr("xl/embeddings/Microsoft_Excel_Sheet1.xlsx", books[0])
        books.append(file.getvalue())
    shop.import_file(books[1], format="xlsx")
    assert [code.name for code in shop.list_qrcodes()] == ["sheet"]


def test_several_tables_of_links_in_an_archive_are_named(shop):
    """JSON and dumps have links of services, whose objects are no rows."""
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        for name in ("a.json", "b.sql"):
            archive.writestr(name, f'[{{"content": "{HERE}"}}]')
    result = shop.import_file(file.getvalue(), format="zip")
    assert [issue.detail for issue in result.issues] == [
        f"'{name}' is a table; unpack it, and import it alone" for name in ("a.json", "b.sql")
    ]


# ---- DataFrames


def test_columns_of_one_name_in_a_frame_of_links_are_told_apart_as_in_a_file(shop):
    """Such a frame was refused."""
    names = ["Short URL", "Long URL", "Floor", "Floor"]
    shop.import_frame(pd.DataFrame([["https://s.test/a", HERE, "x", "y"]], columns=names))
    assert shop.list_qrcodes()[0].fields == {"Floor": "x", "Floor (2)": "y"}
    rivals = pd.DataFrame([["https://s.test/b", HERE, f"{HERE}&2"]], columns=["Short URL", "Long URL", "Long URL"])
    ((_, detail),) = said(shop.import_frame(rivals), "invalid")
    assert "have different values" in detail


@pytest.mark.rule("X16")
def test_short_urls_of_a_frame_are_kept_as_those_of_a_file(shop):
    frame = pd.DataFrame({"Content": [HERE, f"{HERE}&2"], "Short URL": ["https://s.test/a", "https://s.test/b"]})
    result = shop.import_frame(frame.assign(Expires=["", "2020-01-01"]))
    assert ([code.short_code for code in shop.list_qrcodes()], result.failed) == (["a"], 1)


def test_a_frame_of_a_list_of_links_is_read_as_its_file(shop):
    links = {"Long URL": [HERE, None], "Short URL": ["https://s.test/a", None], "Clicks": [5.0, float("nan")]}
    frame = pd.DataFrame(links | {"Created at": pd.to_datetime(["2024-05-01 08:30"] * 2), "Status": ["paused", ""]})
    shop.import_frame(frame)
    (code,) = shop.list_qrcodes()
    assert (code.short_code, code.scans, f"{code.created:%d.%m. %H:%M}", code.active) == ("a", 5, "01.05. 08:30", False)
    fraction = pd.DataFrame({"slug": ["b"], "url": [f"{HERE}&2"], "created_at": [1714552200], "clicks": [1.234]})
    assert shop.import_frame(fraction).count("count-unreadable") == 1


# ---- where a printed code leads


@pytest.mark.rule("T19", "X16")
@pytest.mark.parametrize("how", ["csv", "json", "frame"])
def test_a_content_that_is_no_target_leads_no_printed_code_astray(shop, how):
    """Some services call the text of an advertisement its content."""
    links = {"Short URL": ["https://s.test/a", "https://s.test/b"], "Long URL": [HERE, f"{HERE}&2"]}
    frame = pd.DataFrame(links | {"Content": ["Spring mailing", f"{HERE}&2"]})
    if how == "frame":
        result = shop.import_frame(frame)
    else:
        data = frame.to_csv(index=False) if how == "csv" else frame.to_json(orient="records")
        result = shop.import_file(data.encode(), format=how)
    assert [code.short_code for code in shop.list_qrcodes()] == ["b"]
    assert "Content says something else" in said(result, "invalid")[0][1]
    chosen = shop.import_frame(frame, columns={"content": "Long URL", "short_url": "Short URL"})
    assert (chosen.created, shop.find_qrcode("a").content) == (1, HERE)


@pytest.mark.rule("T19", "X16")
@pytest.mark.parametrize(
    ("content", "target", "created"),
    [("https://e.com/A/", "https://e.com/A", 1), ("https://e.com/A", "https://E.com/A", 1),
     ("https://e.com/A", "https://e.com/a", 0), ("https://e.com?x=A", "https://e.com?x=a", 0)],
)  # fmt: skip
def test_a_content_may_be_the_target_in_another_spelling(shop, content, target, created):
    file = f"Content,Short URL,Long URL\n{content},https://s.test/a,{target}\n"
    assert shop.import_file(file.encode()).created == created


@pytest.mark.rule("X16")
@pytest.mark.parametrize("field", ["redirect_rules_count", "Routing", "hasRedirectRules"])
def test_rules_that_are_not_in_the_file_close_their_link(shop, field):
    rows = f"A,https://s.test/a,{HERE},2\nB,https://s.test/b,{HERE}&2,0\n"
    shop.import_file(f"Title,Short URL,Long URL,{field}\n{rows}".encode())
    assert [code.short_code for code in shop.list_qrcodes()] == ["b"]


def test_sheets_and_pages_with_the_heading_in_another_case_are_read(shop):
    book = Workbook()
    for row in [("Name", "Content"), ("a", HERE), ("NAME", "CONTENT"), ("b", f"{HERE}&2")]:
        book.active.append(row)
    for row in [("name", "content"), ("c", f"{HERE}&3")]:
        (book["ES"] if "ES" in book else book.create_sheet("ES")).append(row)
    file = BytesIO()
    book.save(file)
    result = shop.import_file(file.getvalue(), format="xlsx")
    assert ([code.name for code in shop.list_qrcodes()], result.issues) == (["a", "b", "c"], ())


@pytest.mark.rule("T19")
@pytest.mark.parametrize("host", ["s.x", "bit.ly", "go"])
def test_a_short_url_without_its_scheme_is_that_of_its_link(shop, host):
    link = f'<a href="https://{host}/a">{host}/a</a>'
    page = f"<table><tr><td>Short URL<td>Long URL</tr><tr><td>{link}<td>{HERE}</tr></table>"
    shop.import_file(page.encode(), format="html")
    assert [code.short_code for code in shop.list_qrcodes()] == ["a"]


@pytest.mark.rule("T19")
def test_a_short_url_of_this_portfolio_keeps_its_code_before_those_of_other_hosts(shop):
    """Codes printed with the base URL lead here at once; those of other hosts still lead there."""
    rows = f"A,https://other.test/a,{HERE}\nB,{GO}/a,{HERE}&2\nC,{GO}/b/tail,{HERE}&3\n"
    result = shop.import_file(f"Title,Short URL,Long URL\n{rows}".encode())
    assert [row for row, _ in said(result, "code-taken")] == [2]
    assert [code.short_code for code in shop.list_qrcodes()][1:] == ["a", "b/tail"]
    assert shop.find_qrcode("a").content == f"{HERE}&2"
    tails = f"Name,Content,Trackable URL\nD,{HERE}&4,{GO}/c/tail\n"
    shop.import_file(tails.encode())
    assert shop.find_qrcode("c").urlinfo == "tail"


@pytest.mark.rule("T19")
def test_a_row_that_is_left_out_takes_no_code_from_another_host(shop):
    rows = f"A,https://other.test/a,{HERE}\nB,{GO}/a,\n"
    result = shop.import_file(f"Title,Short URL,Long URL\n{rows}".encode())
    assert (result.created, said(result, "code-taken")) == (1, [])
    assert shop.find_qrcode("a").content == HERE
