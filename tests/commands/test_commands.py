import csv
import json
import logging
import re
import shutil
import signal
import socket
import subprocess
import sys
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from qrkit import Brand, decode_all, generate, open_portfolio, report
from qrkit.__main__ import main
from qrkit.design.limits import FORMATS
from qrkit.portfolio.access import change_plan
from qrkit.portfolio.base_urls import earlier_base_urls
from qrkit.store import Store
from qrkit.tracking.records import PLANS
from qrkit.visits.redirect import Redirects, Request
from tests.conformance import readers

LINK = "https://example.com/Grüße"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every command works in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A store with two campaigns and a scan."""
    path = tmp_path_factory.mktemp("store") / "shop.duckdb"
    with open_portfolio(path, base_url="https://go.example.com") as shop:
        for name, code in (("Spring window", "door"), ("Summer", "gate")):
            campaign = shop.insert_campaign(name)
            shop.insert_qrcode(LINK, name=f"{name} poster", campaign_id=campaign.id, short_code=code)
        Redirects(shop.store).answer(Request("GET", "door", {"user-agent": IPHONE}))
    return path


@pytest.fixture
def store(template, folder):
    """The template's copy, to work on."""
    return shutil.copy(template, folder / "shop.duckdb")


def assert_refused(capsys, *arguments, words):
    """Exit status 2 (1 of an import) and one line on the standard error, which names the command; nothing else."""
    is_import = arguments[0] == "import" and "format=" not in words
    assert main([str(one) for one in arguments]) == (1 if is_import else 2)
    said, complained = capsys.readouterr()
    assert said == ""
    assert complained.startswith(f"qrkit {arguments[0]}: ")
    assert complained.count("\n") == 1
    assert re.search(words, complained), complained


# Generate and decode --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_generate_writes_a_file_in_the_format_of_its_suffix(format, folder, capsys):
    assert main(["generate", LINK, "-o", f"poster.{format}"]) == 0
    assert (folder / f"poster.{format}").read_bytes() == generate(LINK).to_bytes(format)
    assert capsys.readouterr().out == f"poster.{format}: {generate(LINK)!r}\n"


def test_generate_takes_every_field_of_a_design(folder):
    fields = {"size": 5, "padding": 1, "version": 9, "em": "alphanumeric", "ec": "h", "foreground": "navy"}
    fields["background"] = "#80FFFFFF"
    options = [text for name, value in fields.items() for text in (f"--{name}", str(value))]
    assert main(["generate", "HELLO", "--output", "poster.png", *options]) == 0
    assert (folder / "poster.png").read_bytes() == generate("HELLO", **fields).to_bytes("png")


def test_a_format_that_is_named_wins_over_the_suffix(folder):
    assert main(["generate", "hi", "-o", "poster.bin", "--format", "GIF"]) == 0
    assert (folder / "poster.bin").read_bytes() == generate("hi").to_bytes("gif")


@pytest.mark.parametrize(
    ("style", "light", "dark"), [("blocks", "  ", "██"), ("ascii", "  ", "xx"), ("binary", "0", "1")]
)
def test_without_a_file_the_code_is_shown_as_text(style, light, dark, capsys):
    assert main(["generate", LINK, "--style", style]) == 0
    text = capsys.readouterr().out
    assert readers.zxing(readers.of_modules(readers.txt(text, light, dark))) == LINK.encode()


@pytest.mark.parametrize("style", ["blocks", "ascii", "binary"])
def test_a_text_file_and_the_format_txt_have_the_style_too(style, folder, capsysbinary):
    expected = generate("hi").to_text(style).encode()
    assert main(["generate", "hi", "-o", "code.txt", "--style", style]) == 0
    assert main(["generate", "hi", "-o", "code", "--format", "TXT", "--style", style]) == 0
    assert [(folder / name).read_bytes() for name in ("code.txt", "code")] == [expected] * 2
    capsysbinary.readouterr()
    assert main(["generate", "hi", "--format", "txt", "--style", style]) == 0
    assert capsysbinary.readouterr().out == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [["list"], ["generate", "hi", "--caption", "Hello", "-o", "code.png"], ["generate", "hi", "--template", "red"]],
)
def test_a_process_prints_nothing_of_its_own_memory_at_its_end(store, folder, words):
    with open_portfolio(store) as shop:
        shop.templates.save("red", {"foreground": "#A00000"})
    of_store = [] if "--caption" in words else ["--store", str(store)]
    words = [sys.executable, "-m", "qrkit", *words, *of_store]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stderr == ""


def test_a_process_ends_with_the_status_of_its_command_and_prints_all(folder):
    program = [sys.executable, "-m", "qrkit"]
    page = subprocess.run([*program, "generate", "x" * 2_000, "--format", "html"], capture_output=True, check=True)
    assert page.stdout.rstrip().endswith(b"</html>")
    refused = subprocess.run([*program, "decode", "missing.png"], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "qrkit decode: missing.png: No such file or directory\n"


@pytest.mark.parametrize("format", ["png", "svg", "pdf"])
def test_a_format_without_a_file_goes_to_the_standard_output(format, capsysbinary):
    assert main(["generate", "hi", "--format", format]) == 0
    assert capsysbinary.readouterr().out == generate("hi").to_bytes(format)


def test_an_output_that_knows_no_blocks_gets_letters(folder):
    generate("日本").save(folder / "code.png")
    program = "from qrkit.__main__ import main; main(['generate', 'hi']); main(['decode', 'code.png'])"
    environment = {"PYTHONIOENCODING": "ascii"}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert run.stdout == generate("hi").to_text("ascii") + "\\u65e5\\u672c\n"


def test_decode_prints_what_a_picture_says_and_of_several_which_says_it(folder, capsys):
    for name, content in (("one.png", LINK), ("two.jpg", "two\nlines")):
        generate(content).save(folder / name)
    assert main(["decode", "one.png"]) == 0
    assert main(["decode", "two.jpg"]) == 0
    assert main(["decode", "one.png", "two.jpg"]) == 0
    assert capsys.readouterr().out == f"{LINK}\ntwo\nlines\none.png: {LINK}\ntwo.jpg: two\nlines\n"


def test_decode_reads_every_code_of_a_picture(folder, capsys):
    sheet = Image.new("L", (700, 700), 255)
    for place, content in (((0, 360), "c"), ((360, 0), "b"), ((0, 0), "a")):
        sheet.paste(Image.open(BytesIO(generate(content).to_bytes())), place)
    sheet.save("sheet.png")
    assert main(["decode", "sheet.png"]) == 0
    assert capsys.readouterr().out == "a\nb\nc\n"
    assert main(["decode", "sheet.png", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["file"] == "sheet.png"
    assert told["codes"] == [code.as_dict() for code in decode_all("sheet.png")]
    assert told["error"] is None


def test_of_several_pictures_those_that_fail_are_named_and_the_rest_is_read(folder, capsys):
    generate("hi").save("code.png")
    Image.new("L", (80, 80), 255).save("empty.png")
    pictures = ["empty.png", "code.png", "missing.png"]
    assert main(["decode", *pictures]) == 1
    assert main(["decode", "empty.png", "missing.png"]) == 2
    said = capsys.readouterr()
    assert said.out == "code.png: hi\n"
    assert said.err.count("qrkit decode: no QR Code was found in empty.png\n") == 2
    assert said.err.count("qrkit decode: missing.png: No such file or directory\n") == 2
    assert main(["decode", *pictures, "--json"]) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["file"], len(one["codes"]), bool(one["error"])) for one in told] == [
        ("empty.png", 0, True), ("code.png", 1, False), ("missing.png", 0, True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["hi", "--size", "x", "--version", "2.5"], r"version=2\.5: must be a whole number.*; --size='x': must be"),
        (["hi", "--size", "99"], r"size=99: must be in 1\.\.20 pixels per module"),
        (["hi", "--version", "41"], r"version=41: must be in 1\.\.40"),
        (["hi", "--ec", "X", "--padding", "21"], r"padding=21.*ec='X'"),
        (["hi", "--foreground", "blak"], "did you mean 'black'"),
        (["hi", "--em", "numeric"], "character 1 is 'h'"),
        (["x" * 3_000], "content needs .* bits.*at most 2953 bytes"),
        ([""], "content"),
        (["\udcff"], "half a character"),
        (["hi", "--format", "pgn"], "did you mean 'png'"),
        (["hi", "-o", "poster.foo"], "format='foo'"),
        (["hi", "-o", "poster"], "must end in one of"),
        (
            ["hi", "-o", "nowhere/poster.png"],
            "nowhere/poster.png cannot be written: No such file or directory; make the folder 'nowhere' first",
        ),
        (["hi", "-o", ".", "--format", "png"], "Is a directory"),
    ],
    ids=lambda value: str(value)[:40].replace("\udcff", "?"),
)
def test_generate_refuses_in_one_line_and_writes_nothing(arguments, words, folder, capsys):
    assert_refused(capsys, "generate", *arguments, words=words)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        ("missing.png", "missing.png: No such file or directory"),
        (".", "Is a directory"),
        ("text.png", "not a picture of the formats png"),
        ("empty.png", "no QR Code was found"),
    ],
)
def test_decode_refuses_in_one_line(picture, words, folder, capsys):
    (folder / "text.png").write_text("text")
    Image.new("L", (80, 80), 255).save(folder / "empty.png")
    assert_refused(capsys, "decode", picture, words=words)


# Import and export ----------------------------------------------------------------------------------------------------


def test_what_was_exported_is_imported_into_another_store(store, folder, capsys):
    assert main(["export", "out.csv", "--store", str(store), "--base-url", "https://go.example.com"]) == 0
    assert capsys.readouterr().out == "out.csv: 2 QR Codes\n"
    rows = list(csv.DictReader((folder / "out.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["Campaign Name"], row["Trackable URL"], row["Scans"]) for row in rows] == [
        ("Spring window", "https://go.example.com/door", "1"),
        ("Summer", "https://go.example.com/gate", "0"),
    ]
    assert main(["import", "out.csv", "--store", "new.duckdb", "--base-url", "https://go.example.com"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("out.csv: ")
    assert said.count("\n") == 1
    assert main(["export", "again.csv", "--store", "new.duckdb", "--base-url", "https://go.example.com"]) == 0
    assert (folder / "again.csv").read_bytes() == (folder / "out.csv").read_bytes()
    assert main(["export", "summer.csv", "--store", "new.duckdb", "--campaign", "Summer"]) == 0
    assert capsys.readouterr().out.endswith("summer.csv: 1 QR Code\n")
    (row,) = csv.DictReader((folder / "summer.csv").read_text(encoding="utf-8").splitlines())
    assert row["Campaign Name"] == "Summer"


def test_import_says_what_it_left_out_and_why(store, folder, capsys):
    lines = ["QR Code Name,Content,Size", f"Spring window poster,{LINK},8", "New,https://example.com/new,8", "Bad,x,99"]
    (folder / "codes.csv").write_text("\n".join(lines), encoding="utf-8")
    assert main(["import", "codes.csv", "--store", str(store), "--check"]) == 3
    checked = capsys.readouterr()
    assert checked.out == "codes.csv, checked only: 1 created, 1 already there, 1 row left out\n"
    assert main(["import", "codes.csv", "--store", str(store)]) == 3
    told = capsys.readouterr()
    said = told.err.splitlines()
    assert (told.out, told.err) == (checked.out.replace(", checked only", ""), checked.err)
    assert len(said) == 2
    assert re.match(r"row 4: .*Size=99", said[0])
    assert re.match(r"row 2: .*duplicate", said[1])
    with open_portfolio(store) as shop:
        assert [code.name for code in shop.list_qrcodes()] == ["Spring window poster", "Summer poster", "New"]


def test_an_import_says_its_duplicates_once(store, folder, capsys):
    lines = [
        "QR Code Name,Content,Size",
        *(f"{number},https://example.com/{number},8" for number in range(9)),
        "Bad,x,99",
    ]
    (folder / "codes.csv").write_text("\n".join(lines), encoding="utf-8")
    assert main(["import", "codes.csv", "--store", str(store)]) == 3
    capsys.readouterr()
    assert main(["import", "codes.csv", "--store", str(store)]) == 3
    told = capsys.readouterr()
    wrong, repeated = told.err.splitlines()
    assert re.match(r"row 11: .*Size=99", wrong)
    assert repeated.startswith("qrkit import: 9 rows have the name and content of an earlier row or of a QR Code in")
    assert repeated.endswith("first: row 2")
    assert told.out == "codes.csv: 0 created, 9 already there, 1 row left out\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["import", "missing.csv"], "missing.csv: No such file or directory"),
        (["import", "codes.doc"], "format='doc'"),
        (["import", "empty.csv"], "empty.csv|Content|header|row"),
        (["export", "out.doc"], "format='doc'"),
        (
            ["export", "nowhere/out.csv"],
            "nowhere/out.csv cannot be written: No such file or directory; make the folder 'nowhere' first",
        ),
        (
            ["report", "-o", "nowhere/out.html"],
            "nowhere/out.html cannot be written: No such file or directory; make the folder 'nowhere' first",
        ),
        (["report", "-o", "r.docx"], r"path='r.docx': must end in .html, .htm, .pdf, .zip or .ipynb"),
        (["report", "--campaign", "Winter"], "no campaign 'Winter'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_commands_on_a_store_refuse_in_one_line_and_change_nothing(arguments, words, store, folder, capsys):
    for name in ("codes.doc", "empty.csv"):
        (folder / name).write_bytes(b"")
    files = set(folder.iterdir())
    assert_refused(capsys, *arguments, "--store", store, words=words)
    assert set(folder.iterdir()) == files
    with open_portfolio(store) as shop:
        assert len(shop.list_qrcodes()) == 2


@pytest.mark.parametrize("command", ["import", "export", "serve", "report"])
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("text.duckdb", "text.duckdb cannot be opened as a store"),
        (".", "cannot be opened as a store"),
        ("nowhere/shop.duckdb", "no store 'nowhere/shop.duckdb'|make the folder 'nowhere' first"),
    ],
)
def test_what_is_no_store_is_refused(command, path, words, folder, capsys):
    (folder / "text.duckdb").write_text("text")
    (folder / "codes.csv").write_text("Content\nhi\n")
    file = ["codes.csv"] if command in ("import", "export") else []
    assert_refused(capsys, command, *file, "--store", path, words=words)
    assert (folder / "text.duckdb").read_text() == "text"


@pytest.mark.parametrize("command", [["export", "out.csv"], ["report"]], ids=["export", "report"])
def test_commands_that_read_do_not_make_a_store_of_a_mistyped_name(command, folder, capsys):
    assert_refused(capsys, *command, "--store", "shpo.duckdb", words="no store 'shpo.duckdb'; `qrkit add`")
    assert list(folder.iterdir()) == []
    (folder / "shop.duckdb").touch()
    assert_refused(
        capsys, *command, "--store", "shpo.duckdb", words="no store 'shpo.duckdb'; did you mean 'shop.duckdb'?"
    )


def test_without_the_default_store_the_stores_that_are_there_are_named(folder, capsys):
    (folder / "shop.duckdb").touch()
    assert_refused(
        capsys, "scans", "door", words="no store 'qrkit.duckdb'; name one with --store, such as 'shop.duckdb'"
    )


def test_what_is_there_already_is_no_failure_and_json_tells_every_row(store, folder, capsys):
    lines = ["Campaign Name,QR Code Name,Content,Size", f"Summer,Summer poster,{LINK},8", ",Bad,x,99"]
    (folder / "codes.csv").write_text("\n".join(lines[:2]), encoding="utf-8")
    assert main(["import", "codes.csv", "--store", str(store)]) == 0
    (folder / "codes.csv").write_text("\n".join(lines), encoding="utf-8")
    capsys.readouterr()
    assert main(["import", "codes.csv", "--store", str(store), "--json"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert (told["file"], told["created"]) == ("codes.csv", 0)
    assert [(one["row"], one["campaign"], one["name"], one["reason"]) for one in told["issues"]] == [
        (2, "Summer", "Summer poster", "duplicate"), (3, "", "Bad", "invalid"),
    ]  # fmt: skip
    assert told["issues"][1]["error"].startswith("invalid: Size=99")


def test_export_and_report_tell_programs_what_they_wrote(store, capsys):
    assert main(["export", "out.json", "--store", str(store), "--json"]) == 0
    assert main(["report", "-o", "out.html", "--store", str(store), "--json"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        {"file": "out.json", "qrcodes": 2, "left_out": 0}, {"file": "out.html", "mail": [], "link": None},
    ]  # fmt: skip


@pytest.mark.rule("T13")
def test_export_tells_how_many_were_written_and_how_many_the_plan_left_out(store, folder, capsys):
    free = PLANS["free"].most_qrcodes
    with open_portfolio(store) as shop:
        change_plan(shop.store, shop.account, "free")
    for more in (free - 2, 3):
        (folder / "more.csv").write_text("Content\n" + "".join(f"{more} {number}\n" for number in range(more)))
        assert main(["import", "more.csv", "--store", str(store)]) == 0
        capsys.readouterr()
        assert main(["export", "out.csv", "--store", str(store)]) == 0
        left_out = "; 3 beyond the plan free were left out" if more == 3 else ""
        assert capsys.readouterr().out == f"out.csv: {free} QR Codes{left_out}\n"
        with (folder / "out.csv").open(newline="") as file:
            assert len(list(csv.DictReader(file))) == free
    assert main(["export", "out.csv", "--store", str(store), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": "out.csv", "qrcodes": free, "left_out": 3}


HOLDER = "import sys, qrkit; shop = qrkit.open_portfolio(sys.argv[1]); print('open', flush=True); input()"


@pytest.fixture
def held(store):
    """The store, while another process holds it."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(store)], **pipes) as holder:
        assert holder.stdout.readline() == "open\n"
        yield store
        holder.communicate("\n")
    assert holder.returncode == 0


@pytest.mark.slow
def test_of_a_store_that_another_process_holds_a_copy_is_looked_at(held, folder, capsys):
    for command in (
        ["export", "out.csv"],
        ["report"],
        ["account", "list"],
        ["account", "keys", "local"],
        ["template", "list"],
        ["verify"],
        ["backup", "copy.duckdb"],
    ):
        words = [command[0], held, *command[1:]] if command[0] in ("verify", "backup") else [*command, "--store", held]
        assert main([str(word) for word in words]) == 0
        assert capsys.readouterr().err == (
            f"qrkit {command[0]}: {held} is in use; this is taken from a copy of it as it is now\n"
        )
    assert len((folder / "out.csv").read_text(encoding="utf-8").splitlines()) == 3
    with open_portfolio("copy.duckdb") as copy:
        assert len(copy.list_qrcodes()) == 2


def test_a_store_that_another_process_holds_is_not_changed_but_refused_with_the_remedy(held, folder, capsys):
    (folder / "codes.csv").write_text("Content\nhi\n")
    (folder / "brand.json").write_text("{}")
    for command in (
        ["import", "codes.csv"],
        ["serve"],
        ["export", "out.csv", "--base-url", "https://go.example.com"],
        ["account", "create", "Ana"],
        ["template", "save", "brand", "brand.json"],
    ):
        assert_refused(capsys, *command, "--store", held, words="open in another process; close that one, or use its")
    for command in (["compact", held], ["migrate", held, "new.duckdb"]):
        assert_refused(capsys, *command, words="open in another process")
    before = held.read_bytes()
    assert main(["backup", str(held), str(held)]) == 2
    assert "is the store itself" in capsys.readouterr().err
    open_portfolio("own.duckdb").close()
    assert_refused(capsys, "backup", "own.duckdb", held, words="is open in another process; close that one, or name")
    assert held.read_bytes() == before


# Care -----------------------------------------------------------------------------------------------------------------


def test_a_sound_store_is_verified_copied_and_made_smaller(store, folder, capsys):
    assert main(["verify", str(store)]) == 0
    assert main(["verify", str(store), "--json"]) == 0
    assert main(["backup", str(store), "copy.duckdb"]) == 0
    assert main(["backup", str(store), "copy.duckdb", "--json"]) == 0
    assert main(["compact", str(store)]) == 0
    assert main(["compact", "copy.duckdb", "--json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{store}: sound"
    assert json.loads(lines[1]) == {"store": str(store), "faults": []}
    assert re.fullmatch(rf"copy\.duckdb: a copy of {re.escape(str(store))}, [\d,]+ bytes", lines[2])
    assert json.loads(lines[3]).keys() == {"store", "file", "bytes"}
    assert re.fullmatch(rf"{re.escape(str(store))}: [\d,]+ bytes smaller", lines[4])
    assert json.loads(lines[5])["store"] == "copy.duckdb"
    for one in (store, "copy.duckdb"):
        with open_portfolio(one) as shop:
            assert [code.short_code for code in shop.list_qrcodes()] == ["door", "gate"]


def test_rescue_counts_the_rows_of_each_table(store, folder, capsys):
    assert main(["rescue", str(store), "rescued.duckdb"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"rescued.duckdb: what could be read of {store}"
    assert {"  accounts: 1 row", "  qrcodes: 2 rows"} <= set(lines)


def test_a_store_with_faults_is_told_of_by_the_exit_status_too(store, capsys):
    with Store(store) as opened:
        opened.execute("UPDATE scan_counts SET scans = scans + 1")
    assert main(["verify", str(store)]) == 1
    assert main(["verify", str(store), "--json"]) == 1
    text, told = capsys.readouterr().out.rsplit("\n", 2)[:2]
    fault = "2 counters that differ from the scans they count"
    assert text == f"{store}: not sound\n  {fault}"
    assert json.loads(told) == {"store": str(store), "faults": [fault]}


def test_archived_visits_are_copied_with_their_folder_and_verify_says_once_that_it_is_missing(store, folder, capsys):
    with open_portfolio(store, clock=lambda: datetime(2026, 7, 1, tzinfo=UTC)) as shop:
        shop.scans.insert([{"short_code": "door", "time": "2026-06-01T12:00:00Z"}])
    with_it = "; keep the folder {} beside it, which has the archived visits\n"
    assert main(["archive", str(store), "--before", "2026-07-01"]) == 0
    assert capsys.readouterr().out.endswith(with_it.format(f"{store.stem}.history"))
    assert main(["backup", str(store), "copy.duckdb"]) == 0
    assert capsys.readouterr().out.endswith(with_it.format("copy.history"))
    files = {file.name for file in Path("copy.history").glob("*.parquet")}
    assert files == {"codes.parquet", "user_agents.parquet"}
    Path("copy.duckdb").rename("new.duckdb")
    assert main(["verify", "new.duckdb"]) == 1
    out, err = capsys.readouterr()
    assert (out.count("is missing"), err) == (1, "")
    assert_refused(capsys, "scans", "--store", "new.duckdb", words="which is missing; .* and name it new.history")


@pytest.mark.parametrize("command", [["verify"], ["backup", "copy.duckdb"], ["compact"]], ids=lambda words: words[0])
def test_care_makes_no_store_of_a_mistyped_name(command, folder, capsys):
    assert_refused(capsys, command[0], "shpo.duckdb", *command[1:], words="no store 'shpo.duckdb'")
    (folder / "text.duckdb").write_text("text")
    assert_refused(capsys, command[0], "text.duckdb", *command[1:], words="text.duckdb cannot be opened as a store")
    assert [one.name for one in folder.iterdir()] == ["text.duckdb"]


# Report and serve -----------------------------------------------------------------------------------------------------


def test_report_takes_a_period_and_a_title(store, folder, capsys):
    asked = ["report", "--store", str(store), "--since", "2026-06-01", "--until", "2026-06-08", "--title", "Week 23"]
    assert main([*asked, "--time-zone", "Europe/Ljubljana"]) == 0
    page = (folder / capsys.readouterr().out.strip()).read_text(encoding="utf-8")
    assert "<title>Week 23, 1\N{EN DASH}7 June 2026</title>" in page
    with pytest.raises(SystemExit):
        main([*asked[:4], "1 June"])
    assert "'1 June' is not a day such as 2026-06-01" in capsys.readouterr().err
    assert main([*asked, "--time-zone", "Mars/Olympus"]) != 0
    assert "Mars/Olympus" in capsys.readouterr().err


def test_a_period_without_scans_is_told_of_and_one_that_ends_before_it_begins_is_refused(store, capsys):
    assert main(["report", "--store", str(store), "--since", "2001-06-01", "--until", "2001-07-01"]) == 0
    assert capsys.readouterr().err == "qrkit report: no scans in this period\n"
    for command in ("report", "scans"):
        days = ("--since", "2026-10-01", "--until", "2026-09-01")
        assert_refused(
            capsys, command, "--store", store, *days, words="until='2026-09-01': must come after since, 2026-10-01"
        )


@pytest.mark.slow
def test_report_looks_like_a_brand_of_the_store_or_of_a_file(store, folder, capsys):
    harbor = Brand("Harbor Café", ink="#1B2A49")
    with open_portfolio(store) as shop:
        shop.brands.save("harbor", harbor)
        expected = report.portfolio(shop, brand=harbor, since="2026-06-01", until="2026-06-08").html
    (folder / "look.json").write_text(harbor.to_json())
    asked = ["report", "--store", str(store), "--since", "2026-06-01", "--until", "2026-06-08"]
    for brand in ("harbor", "look.json"):
        assert main([*asked, "--brand", brand]) == 0
        assert (folder / "report.html").read_text(encoding="utf-8") == expected
    capsys.readouterr()
    assert_refused(capsys, *asked, "--brand", "acme", words="no brand 'acme'")
    for text, words in (
        ("ink", "look.json: the brand is not JSON"),
        ('{"name": "Acme", "ink": "bluish"}', "look.json: ink='bluish'"),
        ('{"name": "Acme", "modules": {"type": "stars"}}', "look.json: modules.type='stars'"),
        ('{"ink": "navy"}', "look.json: name: is required"),
        ('{"name": "Acme", "slogan": "Hello"}', "look.json: slogan='Hello'"),
    ):
        (folder / "look.json").write_text(text)
        assert_refused(capsys, *asked, "--brand", "look.json", words=words)
    assert_refused(capsys, *asked, "-o", "june.ipynb", "--brand", "harbor", words="'harbor': is not for reports as n")


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_report_prints_a_pdf(store, folder, capsys):
    assert main(["report", "--store", str(store), "--pdf"]) == 0
    assert capsys.readouterr().out.strip() == "report.pdf"
    assert (folder / "report.pdf").read_bytes().startswith(b"%PDF-")


def test_report_writes_a_page_of_everything_or_of_one_campaign(store, folder, capsys):
    assert main(["report", "--store", str(store)]) == 0
    assert main(["report", "--store", str(store), "--campaign", "Summer", "-o", "summer.html"]) == 0
    assert capsys.readouterr().out.split() == ["report.html", "summer.html"]
    everything, summer = ((folder / name).read_text(encoding="utf-8") for name in ("report.html", "summer.html"))
    assert "Spring window" in everything
    assert "Summer poster" in everything
    assert "Summer" in summer
    assert "Spring window poster" not in summer
    assert (everything.count("<script"), summer.count("<script"), "<script src" in everything) == (1, 1, False)
    both = ["report", "--store", str(store), "--campaign", "Summer", "--campaign", "Spring window", "-o"]
    assert main([*both, "both.html"]) == 0
    assert "Summer poster" in (folder / "both.html").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main([*both, "both.ipynb"]) == 2
    assert "campaign='Summer, Spring window': must be a single campaign in a notebook" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--base-url", "ftp://x"], "--base-url='ftp://x'"),
        (["--port", "99999"], r"port=99999: must be in 0\.\.65535"),
        (["--port", "-1"], r"port=-1: must be in 0\.\.65535"),
        (["--host", "no host"], "host='no host': is not an address of this computer"),
    ],
    ids=lambda value: "".join(value[1:]),
)
def test_serve_refuses_an_address_it_cannot_have(options, words, store, capsys):
    before = signal.getsignal(signal.SIGTERM)
    assert_refused(capsys, "serve", "--store", store, *options, words=words)
    assert signal.getsignal(signal.SIGTERM) == before


def test_serve_refuses_a_port_that_is_in_use(store, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = f"port={port}: is used by another program; choose another port\n"
        typo = ("--base-url", "https://typo.example")
        assert_refused(capsys, "serve", "--store", store, "--port", port, *typo, words=words)
    with open_portfolio(store) as shop:
        assert shop.base_url == "https://go.example.com"
        assert earlier_base_urls(shop.store) == []


def test_serve_leaves_the_logs_as_they_were(store, capsys):
    log = logging.getLogger("qrkit.access")
    before = (list(log.handlers), log.level, log.propagate)
    assert_refused(capsys, "serve", "--store", store, "--host", "no host", words="no host")
    assert (log.handlers, log.level, log.propagate) == before


def test_a_refused_import_leaves_no_store_behind(folder, capsys):
    (folder / "codes.csv").write_bytes(b"Name\nx\n")
    assert_refused(capsys, "import", "codes.csv", "--store", "new.duckdb", words="no column 'Content'")
    (folder / "codes.csv").write_bytes(b"Content\nx\n")
    assert main(["import", "codes.csv", "--store", "new.duckdb", "--check", "--preset", "bubble"]) == 0
    assert not (folder / "new.duckdb").exists()


def test_of_many_issues_the_first_are_told_and_the_rest_counted(store, folder, capsys):
    (folder / "codes.csv").write_text("Content,Size\n" + "".join(f"x,{size}\n" for size in range(100, 150)))
    assert main(["import", "codes.csv", "--store", str(store)]) == 1  # nothing was read
    said = capsys.readouterr().err.splitlines()
    assert (len(said), said[-1]) == (21, "… and 30 more")


def test_a_list_whose_columns_have_names_of_its_own_is_imported(tmp_path, capsys):
    file, store = tmp_path / "posters.csv", str(tmp_path / "shop.duckdb")
    file.write_text("poster,where,landing page,city\nOne,Rose Street,https://e.org/1,Graz\n\nTwo,Mill Lane,,Graz\n")
    words = ["--content-column", "landing page", "--name-column", "poster", "--campaign-column", "CITY"]
    words += ["--address-column", "where", "--comment-column", "where"]
    assert main(["import", str(file), *words, "--store", store, "--base-url", "https://go.example.com"]) == 3
    out, err = capsys.readouterr()
    assert out == f"{file}: 1 created, 1 row left out\n"
    assert err == "row 4: invalid: landing page='': must not be empty\n"
    with open_portfolio(store) as shop:
        (row,) = shop.to_frame().to_dict("records")
    told = [row[name] for name in ("name", "content", "campaign", "address", "comment")]
    assert told == ["One", "https://e.org/1", "Graz", "Rose Street", "Rose Street"]


def test_columns_that_are_not_there_leave_no_store_behind(tmp_path, capsys):
    file, store = tmp_path / "posters.csv", tmp_path / "shop.duckdb"
    file.write_text("poster,url\nOne,https://e.org/1\n")
    for words, told in (
        (["--content-column", "link"], "--content-column='link': is not a column of the file; "),
        (["--name-column", "poster"], "--content-column='Content': is not a column of the file; "),
        (["--columns", "content=url", "--campaign-column", "place"], "--campaign-column='place': is not a column"),
        (
            [],
            "no column 'Content'; it has 'poster', 'url'; say which column it is: --columns content=url",
        ),
    ):
        assert main(["import", str(file), *words, "--store", str(store)]) == (2 if words else 1)
        assert told in capsys.readouterr().err
    assert not store.exists()


@pytest.mark.parametrize(
    ("heading", "cells", "pair"),
    [
        ("Bitlink,Weg", "cafe.link/menu,https://e.org/1", "content=…"),
        ("title,long_url,created_at", "One,https://e.org/1,2026-01-01", "content=long_url"),
        ("QR,Link to page", "a,https://e.org/1", "'content=Link to page'"),
        ("Short URL,poster", "https://cafe.link/menu,One", "content=…"),
        ("Custom long URL,poster", "https://cafe.link/menu,One", "content=…"),
        ("title,link,clicks", "One,https://cafe.link/menu,3", "content=…"),
        ("date,amount", "2026-01-01,7", "content=…"),
        ("Contact,url", "One,cafe.link/menu", "content=…"),
        ("Website,Destination", "https://e.org/1,https://e.org/2", "content=…"),
        ("Website,poster", ",One", "content=…"),
        ("Contents,url", "hello,https://e.org/1", "content=Contents"),
    ],
)
def test_a_column_is_proposed_only_if_there_is_no_doubt(tmp_path, capsys, heading, cells, pair):
    """Open: a file without Content. The proposed column was a guess, and 25 codes led to their own short URLs."""
    file = tmp_path / "links.csv"
    file.write_text(f"{heading}\n{cells}\n")
    assert main(["import", str(file), "--store", str(tmp_path / "shop.duckdb")]) == 1
    err = capsys.readouterr().err
    assert re.search(rf"say which column it is: --columns {re.escape(pair)}(;.*)?\n$", err)
    has_short_urls = heading.startswith(("Bitlink", "title,long_url", "Short URL"))
    assert ("also say which has their short URLs: Trackable URL=…" in err) == has_short_urls


def test_a_command_that_opens_a_store_with_a_torn_log_says_what_was_cut_off(tmp_path, caplog):
    store = tmp_path / "shop.duckdb"
    with open_portfolio(store) as shop:
        shop.insert_qrcode("https://e.org/1", short_code="door")
    store.with_name("shop.duckdb.wal").write_bytes(b"torn" * 25)
    assert main(["list", "--store", str(store)]) == 0
    assert "the last 100 bytes of the log held no complete transaction and were cut off" in caplog.text


def test_who_chose_no_base_url_is_told_before_anything_is_printed(tmp_path, capsys):
    file = tmp_path / "posters.csv"
    file.write_text("Content\nhttps://e.org/1\n")
    assert main(["import", str(file), "--store", str(tmp_path / "shop.duckdb")]) == 0
    assert "short URLs begin with http://localhost:8080, which leads only to this computer" in capsys.readouterr().err


def test_a_base_url_that_changes_is_told_of_in_a_line(tmp_path, capsys):
    file, store = tmp_path / "posters.csv", str(tmp_path / "shop.duckdb")
    file.write_text("Content\nhttps://e.org/1\n")
    assert main(["import", str(file), "--store", store, "--base-url", "https://go.example.com"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["import", str(file), "--store", store, "--base-url", "https://new.example.com"]) == 0
    assert capsys.readouterr().err.startswith(
        "qrkit import: base_url='https://new.example.com': short URLs of this store"
    )
