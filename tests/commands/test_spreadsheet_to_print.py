"""A spreadsheet and a logo become branded, tracked and served codes and a report, in four commands of a new user."""

import re
import signal
import subprocess
import sys
from http.client import HTTPConnection
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit
from zipfile import ZipFile

import openpyxl
import pytest
from PIL import Image

from qrkit import Design, decode, open_portfolio
from qrkit.__main__ import main
from tests.sweeps import quick_first

GO = "https://go.example.com"
LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><path fill="#00aa77" d="M0 0h20v20H0z"/></svg>'
POSTERS = [
    ("Gate", "https://example.com/gate", "Graz"),
    ("Till", "www.example.com/till", None),
    ("Garden, back", "https://example.com/garden", "Wien"),
]
WORDS = ("--preset", "bubble", "--caption", "{name}")
LOOK = (*WORDS, "--logo", "logo.svg")
PHONE = {"User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    for row in [("Poster", "Website", "Ort"), *POSTERS]:
        book.active.append(row)
    book.active.merge_cells("C2:C3")
    book.save("posters.xlsx")
    Path("logo.svg").write_text(LOGO)
    return tmp_path


def qrkit(*words):
    command = [sys.executable, "-W", "error", "-m", "qrkit", *words]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60)


def asked(address, path):
    """What a server answers to a phone."""
    connection = HTTPConnection(address, timeout=30)
    try:
        connection.request("GET", path, headers=PHONE)
        reply = connection.getresponse()
        return reply.status, reply.headers["Location"], reply.read()
    finally:
        connection.close()


@pytest.mark.slow
def test_from_a_spreadsheet_to_print_and_a_report_in_four_commands(folder):
    columns = ("--columns", "content=Website,name=Poster,campaign=Ort", "--fix-urls")
    imported = qrkit("import", "posters.xlsx", *columns, *LOOK, "--store", "shop.duckdb", "--base-url", GO)
    assert (imported.returncode, imported.stdout) == (
        0,
        "posters.xlsx: 3 created (1 with a completed address); template posters\n",
    )
    assert imported.stderr == ("row 3: completed-url: 'www.example.com/till' is now 'https://www.example.com/till'\n")

    exported = qrkit("export", "codes.zip", "--store", "shop.duckdb")
    assert (exported.returncode, exported.stdout) == (0, "codes.zip: 3 QR Codes\n")
    with ZipFile("codes.zip") as archive:
        names = ["Graz/Gate.png", "Graz/Till.png", "Wien/Garden, back.png"]
        pictures = {name: archive.read(name) for name in names}
    links = {name: decode(picture).content for name, picture in pictures.items()}
    assert all(link.startswith(f"{GO}/") for link in links.values())
    for picture in pictures.values():
        image = Image.open(BytesIO(picture)).convert("RGB")
        assert (0, 0xAA, 0x77) in image.get_flattened_data()  # the logo
        assert image.height > image.width  # the caption below

    serve = [sys.executable, "-W", "error", "-m", "qrkit", "serve", "--store", "shop.duckdb", "--port", "0"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            address = re.search(r"http://(\S+) ", server.stdout.readline())[1]
            path = urlsplit(links["Graz/Till.png"]).path
            assert asked(address, path)[:2] == (302, "https://www.example.com/till")
            assert asked(address, f"{path}.png")[2] == pictures["Graz/Till.png"]
        finally:
            server.send_signal(signal.SIGTERM)

    reported = qrkit("report", "--store", "shop.duckdb", "-o", "report.html")
    assert (reported.returncode, reported.stdout) == (0, "report.html\n")
    assert "Till" in Path("report.html").read_text(encoding="utf-8")
    with open_portfolio("shop.duckdb") as shop:
        assert shop.scans.count() == 1


def imports(*words):
    return main(
        ["import", "posters.xlsx", "--columns", "content=Website,name=Poster", *words, "--store", "shop.duckdb"]
    )


def templates_of_codes():
    with open_portfolio("shop.duckdb") as shop:
        return {code.template for code in shop.list_qrcodes()}, list(shop.templates)


def test_a_design_file_is_kept_as_the_template_of_its_name(folder):
    (folder / "brand.json").write_text('{"foreground": "#000080"}')
    assert imports("--template", "brand.json") == 0
    assert templates_of_codes() == ({"brand"}, ["brand"])


def test_options_decorate_a_design_file(folder):
    (folder / "brand.json").write_text('{"foreground": "#000080"}')
    assert imports("--template", "brand.json", "--frame", "bar", "--caption", "Scan me") == 0
    with open_portfolio("shop.duckdb") as shop:
        kept = shop.templates.get("brand")
    assert (kept["foreground"], kept["frame"]["caption"]["text"]) == ("#FF000080", "Scan me")


def test_the_look_of_options_gets_the_name_that_is_given():
    assert imports("--template", "summer", *WORDS) == 0
    assert templates_of_codes() == ({"summer"}, ["summer"])


def test_a_template_of_the_store_is_used_as_it_is(folder):
    with open_portfolio("shop.duckdb") as shop:
        shop.templates.save("brand", {"foreground": "#000080"})
    assert imports("--template", "brand") == 0
    assert templates_of_codes() == ({"brand"}, ["brand"])


LUMEN = {
    "foreground": "#FF000080",
    "frame": {"kind": "bubble", "caption": {"text": "Scan me", "subtitle": "all day", "color": "#FF9A3412"}},
}


def test_options_change_a_copy_of_a_template_of_the_store_and_only_what_they_say(capsys):
    with open_portfolio("shop.duckdb") as shop:
        shop.templates.save("lumen", LUMEN)
    for _ in range(2):  # the second time, the copy exists
        assert imports("--template", "lumen", "--caption", "{name}") == 0
        assert "; template lumen 2\n" in capsys.readouterr().out
    assert templates_of_codes() == ({"lumen 2"}, ["lumen", "lumen 2"])
    with open_portfolio("shop.duckdb") as shop:
        assert shop.templates.get("lumen") == LUMEN
        caption = LUMEN["frame"]["caption"] | {"text": "{name}"}
        assert shop.templates.get("lumen 2") == LUMEN | {"frame": LUMEN["frame"] | {"caption": caption}}


def test_a_look_never_replaces_a_template_of_another_look(folder):
    with open_portfolio("shop.duckdb") as shop:
        for name in ("posters", "brand"):
            shop.templates.save(name, LUMEN)
    (folder / "brand.json").write_text('{"foreground": "#800000"}')
    assert imports("--preset", "bubble") == imports("--template", "brand.json") == 0
    with open_portfolio("shop.duckdb") as shop:
        assert list(shop.templates) == ["brand", "brand 2", "posters", "posters 2"]
        assert shop.templates.get("posters") == shop.templates.get("brand") == LUMEN


@pytest.mark.parametrize(
    "words", quick_first([WORDS, ("--template", "summer", *WORDS), ("--template", "summer", "--logo", "logo.svg")], 2)
)
def test_the_same_options_make_the_same_look_again(words):
    imports(*words)
    before = templates_of_codes()
    imports(*words)
    assert templates_of_codes() == before
    assert len(before[1]) == 1


@pytest.mark.slow
def test_a_logo_takes_the_place_of_that_of_the_template():
    with open_portfolio("shop.duckdb") as shop:
        shop.templates.save("lumen", Design(content=GO).with_logo("icon:heart", color="#9A3412"))
    assert imports("--template", "lumen", "--logo", "logo.svg") == 0
    with open_portfolio("shop.duckdb") as shop:
        assert [layer["name"] for layer in shop.templates.get("lumen 2")["layers"]] == ["plate of logo", "logo"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("--caption", "{name}: {gate}"),
            "caption='{name}: {gate}': has the unknown field {gate}; the fields are {name}, {campaign}, {short_url}",
        ),
        (("--template", "bubble"), "template='bubble': is a preset, not a template; use --preset bubble"),
        (("--template", "brand"), "template='brand': is not the name of a template; the account has no templates"),
        (("--template", "brand.json"), "brand.json: No such file or directory"),
        (("--preset", "bubbel"), "did you mean 'bubble'?"),
        (("--logo", "lego.svg"), "logo='lego.svg': is neither a file nor icon:NAME"),
        (("--colorway", "plum"), "colorway='plum': needs a preset"),
        (("--columns", "content=Website,campaign=Plaze"), "--columns campaign='Plaze': is not a column of the file"),
    ],
)
def test_a_look_that_cannot_be_made_leaves_no_store_behind(folder, capsys, words, told):
    assert imports(*words) == (1 if "No such file" in told else 2)
    assert told in capsys.readouterr().err
    assert not (folder / "shop.duckdb").exists()


@pytest.mark.slow
def test_a_refused_import_leaves_templates_as_they_were(folder, capsys):
    with open_portfolio("shop.duckdb") as shop:
        shop.templates.save("posters", {"foreground": "#000080"})
    words = ["import", "posters.xlsx", "--columns", "content=Websit", *LOOK, "--store", "shop.duckdb"]
    assert main(words) == 2
    assert "--columns content='Websit': is not a column of the file; did you mean 'Website'?" in capsys.readouterr().err
    with open_portfolio("shop.duckdb") as shop:
        assert shop.templates.get("posters") == {"foreground": "#000080"}


def test_suspicious_addresses_are_told_with_the_option_that_completes_them(capsys):
    assert imports("--check") == 0
    told = "qrkit import: 1 code has an address that visitors see as text; to import them corrected, add --fix-urls"
    assert told in capsys.readouterr().err
    assert imports() == 0
    out, err = capsys.readouterr()
    assert out == "posters.xlsx: 3 created (1 with a suspicious address), 1 column kept as fields\n"
    assert "row 1: own-column: 'Ort' becomes a field of the QR Codes" in err
    assert "row 3: suspicious-url: 'www.example.com/till' has no https:// in front, so visitors see it as text" in err
    command = "qrkit set --all --fix-urls --store shop.duckdb"
    assert f"qrkit import: 1 code has an address that visitors see as text; to correct all, run: {command} (with" in err
    assert imports() == 0
    err = capsys.readouterr().err
    told = "qrkit import: 1 code in the store has an address that visitors see as text; to correct all, run: qrkit set"
    assert told in err


def test_columns_with_spaces_and_commas_are_named(folder, capsys):
    (folder / "list.csv").write_text('"Poster, big",Landing page\nGate,https://example.com\n')
    words = ["import", "list.csv", "--store", "shop.duckdb", "--columns"]
    assert main([*words[:-1]]) == 1
    assert "say which column it is: --columns 'content=Landing page'" in capsys.readouterr().err
    assert main([*words, 'content=Landing page,name="Poster, big"']) == 0
    with open_portfolio("shop.duckdb") as shop:
        assert [(code.name, code.content) for code in shop.list_qrcodes()] == [("Gate", "https://example.com")]


def test_demo_tells_its_own_option_for_a_file_with_other_columns(folder, capsys):
    assert main(["demo", "--portfolio", "posters.xlsx"]) == 2
    told = (
        "qrkit demo: the heading has no column 'Content'; it has 'Poster', 'Website', 'Ort'; say which column it is: "
    )
    assert capsys.readouterr().err == f"{told}--columns content=Website\n"
    assert not (folder / "demo-posters").exists()


@pytest.mark.slow
def test_demo_reads_a_file_as_import_does(folder, capsys):
    words = ("--columns", "content=Website,name=Poster", "--fix-urls", "--preset", "plain", "--caption", "{name}")
    assert main(["demo", "--portfolio", "posters.xlsx", *words]) == 0
    assert "3 created (1 with a completed address)" in capsys.readouterr().out
    with open_portfolio(folder / "demo-posters" / "demo.duckdb") as shop:
        assert {code.template for code in shop.list_qrcodes()} == {"posters"}


@pytest.mark.slow
def test_demo_quotes_the_paths_in_the_commands_that_it_proposes(folder, capsys):
    (folder / "Posters June.csv").write_text("Content\nhttps://example.com\n")
    assert main(["demo", "--portfolio", "Posters June.csv"]) == 0
    assert "serve --store 'demo-Posters June/demo.duckdb', then" in capsys.readouterr().out
