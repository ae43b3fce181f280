"""`qrkit sheet`: labels and cards of a store or a table."""

import subprocess
from zipfile import ZipFile

import pytest
from openpyxl import Workbook
from PIL import Image

from qrkit import decode_all
from qrkit.__main__ import main
from tests import icc


def read(file):
    subprocess.run(["pdftoppm", "-r", "200", "-png", "-singlefile", file, file.with_suffix("")], check=True)
    return sorted(found.content for found in decode_all(Image.open(file.with_suffix(".png"))))


@pytest.mark.needs("pdftoppm")
def test_from_a_workbook_to_labels_in_two_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    book = Workbook()
    book.active.append(("Campaign Name", "QR Code Name", "Content"))
    for n in range(9):
        book.active.append(("Spring", f"P{n}", f"https://example.com/{n}"))
    book.save("posters.xlsx")
    assert main(["import", "posters.xlsx", "--base-url", "https://go.example.com"]) == 0
    assert main(["sheet", "labels.pdf", "--stock", "L7160", "--campaign", "Spring", "--line", "{name}, {City}"]) == 2
    assert "has the unknown field {City}" in capsys.readouterr().err
    assert main(["sheet", "labels.pdf", "--stock", "L7160", "--campaign", "Spring"]) == 0
    assert capsys.readouterr().out == "labels.pdf: 9 labels on 1 page\n"
    found = read(tmp_path / "labels.pdf")
    assert len(found) == 9
    assert all(url.startswith("https://go.example.com/") for url in found)


def test_refused_sheet_gives_no_other_warning(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    main(["add", "https://example.com"])
    capsys.readouterr()
    assert main(["sheet", "labels.pdf", "--stock", "L716"]) == 2
    assert capsys.readouterr().err.startswith("qrkit sheet: --stock='L716': is not a stock")
    assert main(["sheet", "labels.pdf", "--stock", "L7160"]) == 0
    assert "http://localhost" in capsys.readouterr().err


@pytest.mark.needs("pdftoppm")
def test_a_table_becomes_table_tents_without_tracking(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("Table;url\n1;https://example.com/1\n2;https://example.com/2\n")
    file = tmp_path / "tents.pdf"
    what = ["--from", str(tmp_path / "t.csv"), "--content-column", "url", "--stock", "table-tent"]
    look = ["--preset", "bubble", "--caption", "Table {Table}", "--marks", "crop", "--line", "{n}"]
    assert main(["sheet", str(file), *what, *look, "--json"]) == 0
    assert '"labels": 2, "pages": 1' in capsys.readouterr().out
    assert read(file) == [f"https://example.com/{n}" for n in (1, 1, 2, 2)]


def test_files_for_a_print_shop(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "press.icc").write_bytes(icc.profile())
    (tmp_path / "t.csv").write_text("Content,name\nhttps://example.com/1,One\n")
    assert main(["import", "t.csv", "--base-url", "https://go.example.com"]) == 0
    how = ["--profile", "press.icc", "--spots", "#D20F39=PANTONE 186 C,#FFEE00=Yellow"]
    look = ["--foreground", "#D20F39", "--background", "#FFEE00"]
    sized = ["--size-mm", "40", "--profile", "press.icc"]
    assert main(["generate", "https://example.com", "-o", "a.pdf", "--size-mm", "40", "--bleed-mm", "2", *how]) == 2
    assert "spots: no module, text or flat shape has the color #D20F39" in capsys.readouterr().err
    assert main(["generate", "https://example.com", "-o", "a.pdf", "--size-mm", "40", *how, *look]) == 0
    assert main(["export", "b.pdf", *sized, "--bleed-mm", "2"]) == 0
    assert main(["export", "c.zip", "--image-format", "tif", *sized]) == 0
    assert main(["sheet", "d.pdf", "--stock", "business-card", "--paper", "card", "--bleed", "3", *how[:2]]) == 0
    for name in ("a", "b", "d"):
        assert b"/S/GTS_PDFX/" in (tmp_path / f"{name}.pdf").read_bytes()
    with ZipFile("c.zip") as files:
        assert Image.open(files.open(files.namelist()[0])).mode == "CMYK"


def test_what_is_wrong_is_told_in_a_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("Content\nhttps://example.com/1\n\n")
    for words, told in (
        (["--stock", "L716", "--from", "t.csv"], "stock='L716': is not a stock; did you mean 'L716"),
        (["--from", "t.csv"], "stock: is required: the part number of a label stock"),
        (["--stock", "L7160", "--from", "t.csv", "--campaign", "Spring"], "campaign='Spring': is for the QR Codes"),
        (["--stock", "L7160"], "no store 'qrkit.duckdb'"),
        (
            ["--stock", "L7160", "--preset", "bubble"],
            "preset='bubble': needs --from, --content or a kind of content, such as --wifi",
        ),
        (["--stock", "L7160", "--ec", "H", "--encoding", "utf-8"], "encoding='utf-8': needs --from, a table; --ec='H'"),
    ):
        assert main(["sheet", "s.pdf", *words]) == 2
        error = capsys.readouterr().err
        assert told in error
        assert error.count("\n") == 1
    assert main(["sheet", "s.pdf", "--stock", "L7160", "--test-page"]) == 0
    assert main(["sheet", "s.pdf", "--stock", "L7160", "--from", "t.csv"]) == 0


@pytest.mark.parametrize(
    ("stock", "told"),
    [
        ("business-card", "2 business cards on 1 page"),
        ("ticket", "2 tickets on 1 page"),
        ("L7160", "2 labels on 1 page"),
    ],
)
def test_cards_are_counted_by_their_name(stock, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["sheet", "s.pdf", "--stock", stock, "--content", "https://example.com/{n}", "--count", "2"]
    assert main(words) == 0
    assert capsys.readouterr().out == f"s.pdf: {told}\n"


def test_posters_are_counted_as_posters(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    poster = ["sheet", "p.pdf", "--stock", "poster", "--content", "https://example.com/{n}", "--line", "Table {n}"]
    assert [main([*poster, "--count", count]) for count in ("1", "2")] == [0, 0]
    assert capsys.readouterr().out == "p.pdf: 1 poster\np.pdf: 2 posters\n"


@pytest.mark.parametrize("look", [[], ["--caption", "Table {Table}"]])
def test_rows_without_content_are_told_and_left_out(look, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("Table,Content\n1,https://example.com/1\n\n2,\n3,https://example.com/3\n")
    assert main(["sheet", "s.pdf", "--stock", "L7160", "--from", "t.csv", *look]) == 1
    heard = capsys.readouterr()
    assert heard.err == "row 4: has no content, and gets no label\n"
    assert heard.out == "s.pdf: 2 labels on 1 page\n"
    (tmp_path / "t.csv").write_text(f"Table,Content\n1,\n2,{'x' * 3000}\n")
    assert main(["sheet", "s.pdf", "--stock", "L7160", "--from", "t.csv", *look]) == 2
    assert "label='row 3'" in capsys.readouterr().err


@pytest.mark.needs("pdftoppm")
def test_a_numbered_set_and_a_network_need_no_table(tmp_path, capsys):
    file = tmp_path / "cards.pdf"
    what = ["--content", "https://example.com/{n}", "--count", "3", "--preset", "bubble", "--caption", "No. {n}"]
    assert main(["sheet", str(file), *what, "--stock", "business-card", "--line", "Table {n}"]) == 0
    assert read(file) == [f"https://example.com/{n}" for n in (1, 2, 3)]
    wifi = ["--wifi", "ssid=Nero", "password=espresso", "--copies", "2"]
    assert main(["sheet", str(file), *wifi, "--stock", "a6", "--line", "Free Wi-Fi"]) == 0
    assert read(file) == ["WIFI:T:WPA;S:Nero;P:espresso;;"] * 2
    assert capsys.readouterr().out == f"{file}: 3 business cards on 1 page\n{file}: 2 postcards on 1 page\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--count", "12"], "content: is required with --count"),
        (["--content", "x", "--count", "0"], "count=0: must be in 1..100,000"),
        (["--content", "x{m}", "--count", "2"], "content='x{m}': has the unknown field {m}; the fields are {n}"),
        (["--content", "x", "--from", "t.csv"], "content='x': cannot be combined with --from, whose rows say what"),
        (["--content", "x", "--wifi", "ssid=Nero"], "--wifi: cannot be combined with CONTENT"),
        (["--content", "x", "--campaign", "Spring"], "campaign='Spring': is for the QR Codes of a store"),
        (["--content", "x", "--gs1", "https://id.example.com"], "gs1='https://id.example.com': needs --from, a table"),
    ],
)
def test_contents_that_do_not_go_together_are_refused(words, told, tmp_path, capsys):
    assert main(["sheet", str(tmp_path / "s.pdf"), "--stock", "L7160", *words]) == 2
    assert told in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
