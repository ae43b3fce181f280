"""`qrkit generate` of a table, from the standard input and with templates; `qrkit template`."""

import io
import json
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qrkit import Design, QRImage, data_uri, decode, generate, generate_many, open_portfolio
from qrkit.__main__ import main

GATES = "gate,url\nNorth,https://example.com/n\nSouth,https://example.com/s\n"
texts = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=30).map(str.strip)
some = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("QRKIT_STORE", raising=False)
    (tmp_path / "gates.csv").write_text(GATES)
    return tmp_path


@pytest.fixture
def run(capsys):
    """The exit status of `qrkit generate`, and what it says on both streams."""

    def of(*words):
        status = main(["generate", *map(str, words)])
        said = capsys.readouterr()
        return status, said.out, said.err

    return of


@pytest.fixture
def typed(monkeypatch):
    """Puts bytes on the standard input."""

    def type_in(data):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return type_in


def from_gates(*words, to="codes.zip"):
    return ("--from", "gates.csv", "--content-column", "url", "-o", to, *words)


def test_a_look_without_a_logo_loads_no_logos(folder):
    command = [sys.executable, "-X", "importtime", "-m", "qrkit", "generate", "hi", "--preset", "bubble", "-o", "a.png"]
    loaded = subprocess.run(command, capture_output=True, check=True, text=True).stderr
    assert "qrkit.drawing.frames" in loaded
    assert "qrkit.drawing.logo" not in loaded


@pytest.mark.parametrize("where", [("-o", "hi.txt"), ("-o", "hi.txt", "--format", "txt")])
def test_a_style_is_that_of_the_text_in_a_file(run, folder, where):
    assert run("hi", "--style", "ascii", *where)[0] == 0
    assert (folder / "hi.txt").read_text() == generate("hi").to_text("ascii")


@pytest.mark.parametrize("words", [["-o", "hi.png"], ["-o", "hi.svg", "--foreground", "navy"], ["--size", "3"]])
def test_a_plain_code_loads_neither_pydantic_nor_tables(words):
    program = "import sys; from qrkit.__main__ import main; main(sys.argv[1:]); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program, "generate", "hi", *words], capture_output=True, check=True)
    assert {b"pydantic", b"numpy", b"qrkit.design.design", b"qrkit.portfolio"}.isdisjoint(done.stdout.split())


def test_a_design_is_written_as_python_writes_it(run, folder):
    assert run("hi", "--caption", "Menu", "-o", "menu.json")[0] == 0
    design = generate("hi", caption="Menu").design
    assert (folder / "menu.json").read_text() == design.to_json(indent=2)
    assert main(["check", "menu.json", "--level", "static", "--size-mm", "40"]) == 0


@pytest.mark.parametrize("look", [("--frame", "bubble"), ("--preset", "bubble"), ()])
def test_one_code_has_smaller_words_too(run, folder, look):
    assert run("hi", "--caption", "Menu {1}", "--subtitle", "Scan {me}", *look, "-o", "menu.json")[0] == 0
    caption = Design.from_json((folder / "menu.json").read_text()).frame.caption
    assert (caption.text, caption.subtitle) == ("Menu {1}", "Scan {me}")
    status, _, err = run("hi", "--subtitle", "Scan me", "-o", "menu.svg")
    assert (status, "caption" in err) == (2, True)


@pytest.mark.parametrize("format", ["jpg", "jpeg", "bmp"])
def test_a_transparent_background_is_white_in_a_format_without_transparency(run, folder, format):
    transparent = ("hi", "--background", "transparent")
    assert run(*transparent, "-o", f"code.{format}")[2] == ""
    assert run(*transparent, "-o", f"printed.{format}", "--size-mm", "30")[2] == ""
    assert (folder / f"code.{format}").read_bytes() == generate("hi").to_bytes(format)
    assert "transparent" in run(*transparent, "-o", "code.png")[2]


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_what_to_change_before_printing_is_told_with_a_size(run, kind):
    how = ("hi", "--padding", "2", "-o", f"code.{kind}")
    assert run(*how)[2] == ""
    assert run("hi", "-o", f"code.{kind}", "--size-mm", "40")[2] == ""
    findings = [f"qrkit generate: {one}\n" for one in generate("hi", padding=2).preflight(8)]
    assert len(findings) == 2
    status, _, err = run(*how, "--size-mm", "8")
    assert (status, err) == (0, "".join(findings))
    assert len(json.loads(run(*how, "--size-mm", "8", "--json")[1])["warnings"]) == 2


@pytest.mark.parametrize("name", ["set.pdf", "set.zip", "set"])
def test_what_to_change_before_printing_a_set_is_told_once_with_a_count(run, name):
    how = ("https://example.com/{n}", "--count", "12", "--caption", "Table {n}", "-o", name)
    assert run(*how, "--size-mm", "60")[2] == ""
    status, _, err = run(*how, "--size-mm", "10")
    (first, *_) = generate("https://example.com/1", caption="Table 1").preflight(10)
    told = f"qrkit generate: before you print, change 12 of these pictures. On the first, {first}"
    assert (status, err.splitlines()[0]) == (0, told)
    assert len(err.splitlines()) == 2


@pytest.mark.parametrize("name", ["set.pdf", "set.zip"])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_file_without_any_picture_is_not_written(run, folder, name, is_there):
    file = folder / name
    if is_there:
        file.write_bytes(b"a good older file")
    status, out, err = run("x" * 5000, "--count", "12", "-o", name)
    assert (status, out) == (2, f"{name}: 0 created, 12 not possible\n")
    assert err.startswith("rows 1-12: content")
    assert err.count("\n") == 1
    assert (file.read_bytes() == b"a good older file") if is_there else not file.exists()


# A table --------------------------------------------------------------------------------------------------------------


def test_each_row_becomes_the_file_that_python_makes(run, folder):
    status, out, err = run(*from_gates("--name-column", "gate", "--ec", "Q", "--size", "3", "--format", "svg"))
    assert (status, out, err) == (0, "codes.zip: 2 created\n", "")
    contents = ["https://example.com/n", "https://example.com/s"]
    generate_many(contents, to="python.zip", names=["North", "South"], format="svg", ec="Q", size=3)
    assert (folder / "codes.zip").read_bytes() == (folder / "python.zip").read_bytes()


def test_a_folder_is_made_and_png_is_what_nobody_need_say(run, folder):
    assert run(*from_gates("--name-column", "GATE ", to="codes"))[0] == 0
    assert sorted(path.name for path in (folder / "codes").iterdir()) == ["North.png", "South.png"]
    assert decode("codes/South.png").content == "https://example.com/s"


def test_without_a_name_of_a_column_that_of_imports_is_taken(run, folder):
    (folder / "posters.csv").write_text("QR Code Name;Content\nDoor;https://example.com/d\n")
    assert run("--from", "posters.csv", "-o", "codes")[0] == 0
    assert [decode(path).content for path in (folder / "codes").iterdir()] == ["https://example.com/d"]


def test_bad_rows_are_named_by_their_number_and_the_rest_is_made(run, folder):
    (folder / "gates.csv").write_text(f"{GATES}\n,,\nEmpty,\nWide,a,b\nLong,{'x' * 3000}\nLast,z\n")
    status, out, err = run(*from_gates("--name-column", "gate"))
    assert (status, out) == (1, "codes.zip: 3 created, 3 not possible\n")
    assert re.fullmatch("row 6: content=''.*\nrow 7: has 3 cells, but.*\nrow 8: content needs.*\n", err)
    with ZipFile("codes.zip") as made:
        assert made.namelist() == ["North.png", "South.png", "Last.png"]
    status, out, err = run(*from_gates("--json"))
    told = json.loads(out)
    assert (status, told["file"], told["created"]) == (1, "codes.zip", 3)
    assert [(one["row"], one["content"][:3]) for one in told["errors"]] == [(6, ""), (7, ""), (8, "xxx")]
    assert [f"row {one['row']}: {one['error']}" for one in told["errors"]] == err.splitlines()


def test_where_no_row_can_be_drawn_nothing_was_done(run, folder):
    (folder / "gates.csv").write_text("gate,url\n" + "x,\n" * 50)
    status, out, err = run(*from_gates())
    assert (status, out) == (2, "codes.zip: 0 created, 50 not possible\n")
    assert err == "rows 2-51: content='': must not be empty\n"


@some
@given(st.lists(texts, min_size=1, max_size=6))
def test_whatever_a_table_says_is_what_its_pictures_say(folder, contents):
    book = openpyxl.Workbook()
    book.active.append(["name", "What"])
    for number, content in enumerate(contents):
        book.active.append([f"row {number}", content])
        book.active.cell(number + 2, 2).data_type = "s"
    book.save("table.xlsx")
    main(["generate", "--from", "table.xlsx", "--content-column", "what", "--name-column", "name", "-o", "out.zip"])
    with ZipFile("out.zip") as made:
        found = {name: decode(made.read(name)).content for name in made.namelist()}
    assert found == {f"row {number}.png": content for number, content in enumerate(contents) if content}


def test_a_design_is_that_of_every_row_and_what_it_loses_is_told_once(run, folder):
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/><foreignObject/></svg>'
    fields = {"content": "x", "layers": [{"content": data_uri(svg), "x": 99, "y": 99, "width": 9, "height": 9}]}
    (folder / "brand.json").write_text(json.dumps(fields))
    status, _, err = run(*from_gates("--design", "brand.json", "--padding", "6", to="codes"))
    assert (status, err.count("\n")) == (0, 1)
    assert err.startswith("qrkit generate: layers.0.content: the SVG embeds HTML, which is left out")
    expected = QRImage(Design(**fields).resized(content="https://example.com/n", padding=6)).to_bytes()
    assert expected in [path.read_bytes() for path in (folder / "codes").iterdir()]


def test_the_frame_of_a_design_file_is_drawn_around_every_row(run, folder):
    frame = {"kind": "bar", "caption": {"text": "Menu"}}
    (folder / "brand.json").write_text(json.dumps({"frame": frame}))
    assert run(*from_gates("--design", "brand.json", to="codes"))[0] == 0
    expected = QRImage(Design(content="https://example.com/n", frame=frame)).to_bytes()
    assert expected in [path.read_bytes() for path in (folder / "codes").iterdir()]


def test_a_look_that_may_not_scan_is_told_of_once(run):
    status, out, err = run(*from_gates("--padding", "0"))
    assert (status, out, err.count("\n")) == (0, "codes.zip: 2 created\n", 1)
    assert err.startswith("qrkit generate: each picture of this look is fragile")


def test_a_bar_is_shown_on_a_terminal_alone(run, monkeypatch):
    assert run(*from_gates())[2] == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert "Drawing:" in run(*from_gates())[2]


def test_a_table_may_come_from_the_standard_input(run, typed, folder):
    typed(GATES.replace(",", "\t").encode("utf-16"))
    assert run("--from", "-", "--content-column", "url", "-o", "codes")[0] == 0
    assert len(list((folder / "codes").iterdir())) == 2


def test_texts_over_links_are_drawn_as_their_targets(run, folder):
    book = openpyxl.Workbook()
    for row in [
        ["Links of May"],
        ["name", "url"],
        ["a", "Visit"],
        ["b", '=CONCAT("x")'],
        ["c", "https://example.com/c"],
    ]:
        book.active.append(row)
    book.active["B3"].hyperlink = "https://example.com/a"
    book.save(folder / "links.xlsx")
    status, _, err = run("--from", "links.xlsx", "--content-column", "url", "--name-column", "name", "-o", "codes")
    assert status == 1
    assert {file.stem: decode(file).content for file in (folder / "codes").iterdir()} == {
        "a": "https://example.com/a",
        "c": "https://example.com/c",
    }
    assert "row 3: 'Visit' leads to 'https://example.com/a', which is the content" in err
    assert "row 4: Content is the formula" in err
    assert "the heading is in row 2, and the rows above it were not read" in err


@pytest.mark.parametrize("words", [("--no-header", "--content-column", "B"), ("--header-row", "1")])
def test_the_place_of_a_table_is_an_option_of_generate(run, folder, words):
    (folder / "list.csv").write_bytes(
        "Content,Content of B\nhttps://example.com/\xfc,https://example.com/b\n".encode("cp1252")
    )
    assert run("--from", "list.csv", *words, "--encoding", "cp1252", "-o", "codes")[0] == 0
    assert {decode(file).content for file in (folder / "codes").iterdir()} == (
        {"https://example.com/\xfc"} if words[0] == "--header-row" else {"Content of B", "https://example.com/b"}
    )


def test_sheets_that_are_not_read_are_named(run, folder):
    book = openpyxl.Workbook()
    book.active.append(["url"])
    book.active.append(["a"])
    book.create_sheet("Notes").append(["other"])
    book.save("gates.xlsx")
    _, _, err = run("--from", "gates.xlsx", "--content-column", "url", "-o", "codes")
    assert err == "qrkit generate: the sheet 'Notes' has other headings, and was not read\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (from_gates()[:-2], "output: is required with --from: a folder, a .zip or a .pdf"),
        (from_gates(to="-"), "output: is required with --from: a folder, a .zip or a .pdf"),
        (from_gates(to="codes.svg"), "to='codes.svg': is the name of one picture; pass a folder or a .zip file"),
        (from_gates("hi"), "content='hi': cannot be combined with --from"),
        (from_gates("--style", "ascii"), "style='ascii': is for a single code"),
        (from_gates("--format", "pgn"), "did you mean 'png'"),
        (from_gates("--size", "99", "--ec", "X"), "--size=99: must be in 1..20 pixels per module; --ec='X'"),
        (from_gates("--name-column", "gat"), "--name-column='gat': is not a column of the file; did you mean 'gate'?"),
        (
            ("--from", "gates.csv", "-o", "codes"),
            "--content-column='Content': is not a column of the file; allowed: gate, url",
        ),
        (("--from", "missing.csv", "-o", "codes"), "missing.csv: No such file or directory"),
        (("--from", ".", "-o", "codes"), ".: Is a directory"),
        (("--from", "empty.csv", "-o", "codes"), "empty.csv is empty; its first row must name the columns"),
        (
            ("hi", "--content-column", "x", "--name-column", "y"),
            "--content-column='x': needs --from, a table; --name-column",
        ),
        (("hi", "--json"), "json: needs a file (-o)"),
        (("hi", "--size-mm", "40"), "--size-mm=40: is only for pictures, not for text"),
        (("hi", "--size-mm", "40", "-o", "code.txt"), "--size-mm=40: is only for pictures, not for text"),
        (("hi", "--style", "ascii", "-o", "code.png"), "style='ascii': is only for text"),
        (("hi", "--style", "ascii", "-o", "code.txt", "--format", "svg"), "style='ascii': is only for text"),
        (("hi", "--style", "ascii", "-o", "-"), "style='ascii': is only for text"),
        (("hi", "--dpi", "0", "-o", "code.png"), "dpi=0: needs --size-mm, a width on paper"),
        (("hi", "--at-most", "-o", "code.png"), "--at-most: needs --size-mm, a width on paper"),
        (("hi", "--dpi", "300", "-o", "code.png"), "dpi=300: needs --size-mm, a width on paper"),
        (("hi", "--size-mm", "4 cm", "-o", "code.png"), "--size-mm='4 cm': must be a number"),
        (from_gates("--size-mm", "1"), "--size-mm=1: must be in 2..5000 millimeters"),
        (("hi", "--json", "-o", "-"), "json: needs a file (-o)"),
        (("hi", "--template", "brand"), "no store 'qrkit.duckdb'"),
        (("hi", "--format", "xaml", "-o", "code.pdf"), "format='xaml': is not the format of code.pdf"),
        (from_gates("--format", "svg", to="codes.pdf"), "format='svg': is not the format of codes.pdf"),
        (("hi", "--count", "2", "--names", "x{n}", "-o", "x.pdf"), "names='x{n}': is for a folder or a .zip"),
        (from_gates("--name-column", "gate", to="x.pdf"), "--name-column='gate': is for a folder or a .zip"),
        (
            ("hi", "--encoding", "utf-8", "--header-row", "2"),
            "--header-row='2': needs --from, a table; --encoding='utf",
        ),
    ],
    ids=lambda value: " ".join(value)[-40:] if isinstance(value, tuple) else "",
)
def test_what_does_not_go_together_is_refused_in_one_line_and_nothing_is_written(words, told, run, folder):
    (folder / "empty.csv").write_bytes(b"\n\n")
    before = sorted(folder.iterdir())
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert err.startswith("qrkit generate: ")
    assert err.count("\n") == 1
    assert told in err
    assert sorted(folder.iterdir()) == before


# The standard input and output ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "content"), [(b"hi", "hi"), (b"two\nlines\n", "two\nlines"), ("Grüße\r\n".encode(), "Grüße")]
)
def test_a_content_may_come_from_the_standard_input(data, content, run, typed):
    typed(data)
    assert run("-", "-o", "code.png")[0] == 0
    assert decode("code.png").content == content


@pytest.mark.parametrize(("data", "told"), [(b"", "must not be empty"), (b"\xff", "half a character")])
def test_what_the_standard_input_cannot_say_is_refused(data, told, run, typed):
    typed(data)
    status, out, err = run("-")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert told in err


def test_whoever_stops_it_is_told_so_and_by_130(run, monkeypatch):
    class Stopped(io.BytesIO):
        def read(self, *_):
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Stopped()))
    assert run("-") == (130, "", "qrkit generate: stopped\n")


@pytest.mark.parametrize("words", [["-o", "-"], ["-o", "-", "--format", "png"], ["--format", "png"]], ids=" ".join)
def test_a_picture_may_go_to_the_standard_output(words, capsysbinary):
    assert main(["generate", "hi", *words]) == 0
    assert capsysbinary.readouterr().out == generate("hi").to_bytes()


def test_a_terminal_gets_no_picture_that_it_cannot_show(run, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for format in ("png", "pdf", "zip"):
        status, out, err = run("hi", "--format", format)
        assert (status, out) == (2, "")
        assert "is a terminal, which cannot show this format" in err
    assert run("hi", "--format", "svg")[1].startswith("<svg")


def test_programs_are_told_what_was_drawn_and_that_it_may_not_scan(run):
    status, out, err = run("hi", "-o", "code.svg", "--padding", "0", "--json")
    told = json.loads(out)
    assert status == 0
    assert err == f"qrkit generate: {told.pop('warnings')[0]}\n"
    assert told == {
        **{"file": "code.svg", "content": "hi", "version": 1, "ec": "M"},
        **{"width": 168, "height": 168, "width_mm": None, "height_mm": None},
    }


def test_one_picture_and_each_of_many_have_the_size_on_paper_that_python_gives_them(run, folder):
    """Open: what printers need. A width in millimeters, of whole dots a module; files of both ways are the same."""
    status, out, _ = run("hi", "-o", "code.png", "--size-mm", "40.5", "--dpi", "600", "--json")
    told = json.loads(out)
    wanted = generate("hi").print_at(40.5, dpi=600)
    assert status == 0
    assert (folder / "code.png").read_bytes() == wanted.to_bytes("png")
    assert (told["width"], told["width_mm"]) == (round(wanted.scene.width), wanted.width_mm)
    assert run("hi", "-o", "code.png", "--size-mm", "40", "--at-most")[0] == 0
    assert (folder / "code.png").read_bytes() == generate("hi").print_at(40, at_most=True).to_bytes("png")
    assert run("hi", "-o", "code.png", "--size-mm", "40.5")[1] == f"code.png: {generate('hi').print_at(40.5)!r}\n"
    assert run("hi", "-o", "code.pdf", "--size-mm", "40.5")[1] == "code.pdf: 40.50 x 40.50 mm\n"
    told = json.loads(run("hi", "-o", "code.svg", "--size-mm", "40.5", "--json")[1])
    assert (told["width_mm"], told["height_mm"]) == (pytest.approx(40.5), pytest.approx(40.5))
    (folder / "hi.csv").write_text("Content\nhi\n")
    assert run("--from", "hi.csv", "-o", "codes", "--format", "pdf", "--size-mm", "40.5")[0] == 0
    assert (folder / "codes" / "hi.pdf").read_bytes() == generate("hi").print_at(40.5).to_bytes("pdf")


LONG = ("generate", "x" * 2000)


def outcome(output, *words, closed=None):
    """The exit status of a command that prints into a file, and what it complains of."""
    program = "import sys; from qrkit.__main__ import main; sys.exit(main(sys.argv[1:]))"
    run = subprocess.run(
        [sys.executable, "-c", program, *words],
        stdout=output, stderr=subprocess.PIPE, text=True, check=False, preexec_fn=closed,
    )  # fmt: skip
    return run.returncode, run.stderr


def test_a_reader_that_has_seen_enough_is_no_failure():
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as output:
        assert outcome(output, *LONG) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
@pytest.mark.parametrize(
    ("words", "command"),
    [(LONG, "qrkit generate"), (("generate", "--help"), "qrkit"), (("--version",), "qrkit"), (("--help",), "qrkit")],
)
def test_a_full_disk_is_reported(words, command):
    with Path("/dev/full").open("w") as output:
        said = f"{command}: the output cannot be written: No space left on device\n"
        assert outcome(output, *words) == (2, said)


@pytest.mark.skipif(os.name != "posix", reason="closes a file of a process before it begins")
@pytest.mark.parametrize("words", [LONG, ("--version",)])
def test_a_closed_output_is_not_a_failure(words):
    assert outcome(None, *words, closed=partial(os.close, 1)) == (0, "")


@pytest.mark.skipif(os.name != "posix", reason="closes a file of a process before it begins")
def test_a_closed_input_is_an_empty_one():
    told = outcome(subprocess.DEVNULL, "generate", "-", closed=partial(os.close, 0))
    assert told == outcome(subprocess.DEVNULL, "generate", "")


# Templates ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def store(folder):
    with open_portfolio("shop.duckdb") as shop:
        shop.templates.save("brand", Design(content="x", ec="H", foreground="navy"))
    return folder / "shop.duckdb"


@pytest.fixture
def template(capsys):
    """What `qrkit template` says."""

    def of(*words, status=0):
        assert main(["template", *words, "--store", "shop.duckdb"]) == status
        said = capsys.readouterr()
        assert bool(said.err) == bool(status)
        return said.err if status else said.out

    return of


def test_a_template_of_the_store_is_drawn_and_options_win_over_it(store, run, folder):
    assert run("hi", "--template", "brand", "--store", store, "-o", "one.png")[0] == 0
    assert run("hi", "--template", "brand", "--store", store, "--ec", "L", "-o", "two.png")[0] == 0
    assert run(*from_gates("--template", "brand", "--store", store, "--name-column", "gate", to="codes"))[0] == 0
    expected = {
        "one.png": generate("hi", ec="H", foreground="navy"),
        "two.png": generate("hi", foreground="navy", ec="L"),
    }
    expected["codes/South.png"] = generate("https://example.com/s", ec="H", foreground="navy")
    for name, image in expected.items():
        assert (folder / name).read_bytes() == image.to_bytes()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["hi", "--template", "brnd"], "no template 'brnd'; did you mean 'brand'?"),
        (["--template", "brand"], "content: is required"),
    ],
)
def test_a_template_that_is_not_there_and_a_content_that_is_not_given_are_refused(words, told, store, run):
    status, out, err = run(*words, "--store", store)
    assert (status, out, err) == (2, "", f"qrkit generate: {told}\n")


def test_templates_are_kept_listed_shown_and_deleted(store, template, folder):
    (folder / "night.json").write_text('{"background": "black", "foreground": "white"}')
    assert template("save", "night", "night.json") == "night: saved\n"
    assert template("list") == "brand\nnight\n"
    assert json.loads(template("show", "night")) == {"background": "black", "foreground": "white"}
    assert template("remove", "brand") == "brand: removed\n"
    assert [json.loads(line) for line in template("list", "--json").splitlines()] == [{"name": "night"}]
    assert json.loads(template("save", "day", "night.json", "--json")) == {"name": "day"}
    assert json.loads(template("delete", "day", "--json")) == {"name": "day"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["save", "x", "missing.json"], "missing.json: No such file or directory"),
        (["save", "x", "wrong.json"], "size=99: must be in 1..20 pixels per module"),
        (["save", "", "gates.csv"], "gates.csv: the design is not JSON"),
        (["show", "brnd"], "no template 'brnd'"),
        (["remove", "brnd"], "no template 'brnd'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_no_template_is_refused_and_changes_nothing(words, told, store, template, folder):
    (folder / "wrong.json").write_text('{"size": 99}')
    said = template(*words, status=2)
    assert said.startswith("qrkit template: ")
    assert said.count("\n") == 1
    assert told in said
    assert template("list") == "brand\n"


def test_the_environment_says_which_store_has_the_template(store, run, monkeypatch):
    monkeypatch.setenv("QRKIT_STORE", str(store))
    assert run("hi", "--template", "brand", "-o", "code.png")[0] == 0
    assert decode("code.png").ec == "H"
