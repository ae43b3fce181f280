"""What other programs make of our files, and we of theirs: an office, xmllint, unzip, zip, pandas, Python's csv."""

import csv
import io
import json
import re
import sqlite3
import subprocess
from contextlib import closing
from itertools import compress
from zipfile import ZipFile

import pandas as pd
import pytest
from hypothesis import example, given

from qrkit import decode, generate, open_portfolio
from qrkit.errors import UnreadableFile
from qrkit.exchange.columns import KINDS, NAMES, TEXT_COLUMNS
from qrkit.tracking.own_fields import split_tags
from tests.exchange.test_round_trips import EVERYWHERE, HOSTILE, cells, codes, read, some, st, table_of, written

TEXTS = [*sorted(TEXT_COLUMNS & set(NAMES)), "Created (UTC)", "Encode Mode", "Error Correction"]
NUMBERS = [name for name in NAMES if KINDS[name] in ("whole", "count", "degrees")]


def run(*program, **options):
    """What a program says."""
    return subprocess.run(program, check=True, capture_output=True, timeout=120, **options)


def made_by_an_office(folder, form, *files):
    """The files that LibreOffice makes of these."""
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    made = folder / form[:4].strip(":")
    run("soffice", profile, "--headless", "--convert-to", form, "--outdir", made, *files)
    return sorted(made.iterdir())


@pytest.mark.slow
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
    for file in made_by_an_office(tmp_path, "csv:Text - txt - csv (StarCalc):44,34,76,1", *files):
        heading, *rows = csv.reader(io.StringIO(file.read_text("utf-8-sig"), newline=""))
        assert heading == list(NAMES)
        assert len(rows) == len(table)
        for place, name in enumerate(NAMES):
            found = [row[place] for row in rows]
            if name in TEXTS:
                assert [[cell] for cell in found] == cells(table, [name]), (file.name, name)
            elif name == "Dynamic":
                # In files of Excel 97 LibreOffice takes a yes for a number.
                assert {cell.lower() for cell in found} <= {"true", "1"}, file.name
            else:
                wanted = [float(row.cells[name]) for row in table]
                assert [float(cell) for cell in found] == pytest.approx(wanted)
    files[1].unlink()
    (saved,) = made_by_an_office(tmp_path, "xlsx", files[0])
    again = read("xlsx", saved.read_bytes())
    assert cells(again, TEXTS) == cells(table, TEXTS)
    assert [[float(cell) for cell in row] for row in cells(again, NUMBERS)] == [
        [float(cell) for cell in row] for row in cells(table, NUMBERS)
    ]
    assert {row.error for row in again} == {""}


@pytest.mark.rule("X9")
@pytest.mark.needs("xmllint")
def test_xmllint_finds_the_xml_well_formed(tmp_path):
    """Open: texts that XML cannot hold. They stand in base64, so that any parser reads the file."""
    (tmp_path / "codes.xml").write_bytes(written("xml", table_of(EVERYWHERE)))
    assert run("xmllint", "--noout", "--nonet", tmp_path / "codes.xml").stderr == b""
    count = run("xmllint", "--nonet", "--xpath", "count(/tracking/item)", tmp_path / "codes.xml")
    assert count.stdout.decode().strip() == str(len(EVERYWHERE))


@pytest.mark.rule("X10")
@pytest.mark.needs("unzip")
def test_unzip_makes_a_folder_of_each_campaign_and_nothing_beside(tmp_path):
    """Open: whether others open the archive. unzip does, without a word of warning, whatever the names were."""
    table = table_of([row for row in EVERYWHERE if row["name"] != "manifest.xml"])
    (tmp_path / "codes.zip").write_bytes(data := written("zip", table))
    assert b"No errors detected" in run("unzip", "-t", tmp_path / "codes.zip").stdout
    told = run("unzip", "-n", "-d", tmp_path / "out", tmp_path / "codes.zip", env={"LANG": "C.UTF-8"})
    assert told.stderr == b""
    found = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    with ZipFile(io.BytesIO(data)) as archive:
        assert found == set(archive.namelist())
        for name in found:
            assert (tmp_path / "out" / name).read_bytes() == archive.read(name)
    assert {path.name for path in tmp_path.iterdir()} == {"codes.zip", "out"}


@pytest.mark.rule("X10")
@pytest.mark.needs("zip")
def test_what_zip_packs_by_hand_is_read_and_with_a_password_refused(tmp_path):
    """Open: archives that people pack. Folders are campaigns, pictures codes; one with a password is told of."""
    for folder, name in (("Spring", "Door"), ("Früh", "Tür 🌷"), (".", "Gate")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"{name}.png").write_bytes(generate(f"the {name}", size=2).to_bytes("png"))
    run("zip", "-r", "plain.zip", "Spring", "Früh", "Gate.png", cwd=tmp_path, env={"LANG": "C.UTF-8"})
    run("zip", "-r", "-P", "secret", "locked.zip", "Spring", "Gate.png", cwd=tmp_path)
    with open_portfolio(":memory:") as portfolio:
        with pytest.raises(UnreadableFile, match="has a password"):
            portfolio.import_file(tmp_path / "locked.zip")
        assert portfolio.list_qrcodes() == []
        assert portfolio.import_file(tmp_path / "plain.zip").issues == ()
        campaigns = {None: ""} | {one.id: one.name for one in portfolio.list_campaigns()}
        assert {(campaigns[one.campaign_id], one.name, one.content) for one in portfolio.list_qrcodes()} == {
            ("Spring", "Door", "the Door"),
            ("Früh", "Tür 🌷", "the Tür 🌷"),
            ("", "Gate", "the Gate"),
        }


@pytest.mark.rule("X10")
@pytest.mark.needs("unzip", "zip")
def test_an_export_that_was_unpacked_and_packed_again_is_imported_whole(tmp_path):
    """Open: archives that went through other programs. Manifest and pictures say the same as before."""
    url = "https://go.example.com"
    with open_portfolio(":memory:", base_url=url) as portfolio, open_portfolio(":memory:", base_url=url) as copy:
        for text in HOSTILE[:30:6]:
            campaign = portfolio.insert_campaign(f"Campaign {text}")  # a name of blanks alone is none
            portfolio.insert_qrcode(text, name=text, campaign_id=campaign.id)
        portfolio.export_file(tmp_path / "codes.zip")
        run("unzip", "-d", tmp_path / "out", tmp_path / "codes.zip", env={"LANG": "C.UTF-8"})
        run("zip", "-r", tmp_path / "again.zip", ".", cwd=tmp_path / "out", env={"LANG": "C.UTF-8"})
        assert copy.import_file(tmp_path / "again.zip").issues == ()
        assert copy.export_bytes("zip") == portfolio.export_bytes("zip")
        pictures = list((tmp_path / "out").rglob("*.png"))
        assert {decode(path).content for path in pictures} == {one.encoded for one in portfolio.list_qrcodes()}


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


ESCAPE = re.compile("_x[0-9A-Fa-f]{4}_")


@pytest.mark.rule("X6", "X8")
@pytest.mark.filterwarnings("ignore:The xlrd engine is deprecated")
@pytest.mark.parametrize("format", ["xls", "xlsx"])
def test_pandas_reads_workbooks_cell_by_cell(format):
    """Open: whether others read them. pandas does, told that cells are text: NA, 007 and =1+1 as they are."""
    table = table_of(EVERYWHERE)
    found = pd.read_excel(io.BytesIO(written(format, table)), dtype=str, keep_default_na=False, na_filter=False)
    assert list(found.columns) == list(NAMES)
    # It leaves the escapes of a workbook of today as they are.
    plain = [format == "xls" or not (ESCAPE.search(text) or set(text) & set("\r\0\x0b\ufffe")) for text in HOSTILE]
    for name in NAMES:
        wanted = [row.cells[name].capitalize() if name == "Dynamic" else row.cells[name] for row in table]
        assert found[name][plain].tolist() == list(compress(wanted, plain)), name
    assert sum(plain) > 35


def as_json(frame):
    return frame.to_json(orient="records").encode(), "json"


def as_lines(frame):
    return frame.to_json(orient="records", lines=True, force_ascii=False).encode(), "json"


def as_page(frame):
    return frame.to_html(index=False).encode(), "html"


def as_dump(frame):
    with closing(sqlite3.connect(":memory:")) as database:
        frame.to_sql("codes", database, index=False)
        return "\n".join(database.iterdump()).encode(), "sql"


@pytest.mark.parametrize("program", [as_json, as_lines, as_page, as_dump])
def test_what_programs_make_of_our_csv_is_the_same_portfolio(program):
    """The apostrophes in front of texts like formulas came in as letters of these texts."""
    with open_portfolio(":memory:") as portfolio, open_portfolio(":memory:") as copy:
        comments = {"=1+1", "@home", "+49 123", "'=kept", "plain"}
        for number, comment in enumerate(comments):
            portfolio.insert_qrcode(f"https://example.com/{number}", comment=comment, tags=["red", "dark blue"])
        frame = pd.read_csv(io.BytesIO(portfolio.export_bytes("csv")), dtype=str, keep_default_na=False)
        data, format = program(frame)
        assert copy.import_file(data, format=format).issues == ()
        assert {code.comment for code in copy.list_qrcodes()} == comments


def test_a_csv_with_the_names_of_our_json_is_the_same_portfolio():
    """Of what `jq` makes of our JSON, the short codes were lost, and a list of tags was one tag with brackets."""
    url = "https://go.example.com"
    with open_portfolio(":memory:", base_url=url) as portfolio, open_portfolio(":memory:", base_url=url) as copy:
        portfolio.insert_qrcode(
            "https://example.com", short_code="door", comment="by the door", limit=5, tags=["a b", "c"]
        )
        rows = json.loads(portfolio.export_bytes("json"))
        flat = [
            {name: json.dumps(cell) if isinstance(cell, list) else cell for name, cell in row.items()} for row in rows
        ]
        assert copy.import_file(pd.DataFrame(flat).to_csv(index=False).encode()).issues == ()
        assert copy.export_bytes("json") == portfolio.export_bytes("json")


@pytest.mark.parametrize(
    "text", ["['red', 'dark blue']", '["red","dark blue"]', '{"red","dark blue"}', "red, dark blue"]
)
def test_tags_may_be_a_list_in_a_cell(text):
    assert split_tags(text) == ["red", "dark blue"]


@pytest.mark.parametrize(
    "tags", [["it's", "b"], ["café", "b"], ['say "hi"', "b"], ["rock 'n'", "b"], ["back\\slash"], ["[a]"], []]
)
@pytest.mark.parametrize("write", [str, json.dumps])
def test_tags_with_quotes_and_other_letters_survive_a_list_in_a_cell(tags, write):
    assert split_tags(write(tags)) == tags


@pytest.mark.parametrize("text", ["[1]", "[red]", "[" * 30_000 + "]", '["a", 1]'.replace('"', "")])
def test_other_texts_in_brackets_are_tags(text):
    assert split_tags(text) == [one.strip() for one in text.split(",")]


def test_brackets_of_a_tag_stay():
    assert split_tags("[red], [blue]") == ["[red]", "[blue]"]


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (b"INSERT INTO links (name, content) VALUES ('''90s party', 'https://e.org/');", "sql"),
        (b"<table><tr><th>Name<th>Content<tr><td>'90s party<td>https://e.org/</table>", "html"),
    ],
)
def test_an_apostrophe_that_is_not_of_our_csv_stays(data, format):
    """It was taken for one that an export adds."""
    with open_portfolio(":memory:") as portfolio:
        portfolio.import_file(data, format=format)
        assert [code.name for code in portfolio.list_qrcodes()] == ["'90s party"]
