"""`qrkit check`: for people, and for continuous integration."""

import json
import os

import pytest

from qrkit import QRImage, check, generate
from qrkit.__main__ import main
from qrkit.scanning.scan_report import LEVELS, VERDICTS
from tests.scanning.captures import CAPTURES, flat, photo
from tests.scanning.designs import all_eyes, plain, with_logo

EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10">{}</svg>'
FILES = {"good": plain(), "round": plain(markers=all_eyes("circle")), "tight": plain(padding=0), "lost": with_logo(0.6)}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, design in FILES.items():
        (tmp_path / f"{name}.json").write_text(design.to_json())
    return tmp_path


def run(capsys, *arguments: str) -> tuple[int, str]:
    status = main(["check", *arguments])
    return status, capsys.readouterr().out


def test_a_design_is_told_of_as_its_report_says(capsys):
    report = check(FILES["tight"], "static")
    assert run(capsys, "tight.json", "--level", "static") == (
        0,
        f"tight.json: {report}\n  print it at least 10 mm wide, or 100 mm to be read from 1 m\n",
    )


@pytest.mark.parametrize("least", VERDICTS)
@pytest.mark.parametrize("name", FILES)
def test_the_exit_status_says_whether_it_is_good_enough(capsys, name, least):
    report = check(FILES[name], "static")
    status, _ = run(capsys, f"{name}.json", "--level", "static", "--min", least)
    assert status == (0 if report.is_at_least(least) else 1)


def test_all_verdicts_occur_in_these_files():
    assert [check(one, "static").verdict for one in FILES.values()] == [*reversed(VERDICTS)]


def test_what_cannot_be_read_is_not_good_enough_unless_that_is_said(capsys):
    assert run(capsys, "lost.json", "--level", "static")[0] == 1
    assert run(capsys, "lost.json", "--level", "static", "--min", "unreadable")[0] == 0


def test_of_several_files_the_worst_decides_and_all_are_told_of(capsys):
    status, said = run(capsys, "good.json", "tight.json", "round.json", "--level", "static", "--min", "ok")
    assert status == 1
    assert [line.split(": ")[0] for line in said.splitlines() if not line.startswith(" ")] == [
        "good.json", "tight.json", "round.json", "3 files",
    ]  # fmt: skip
    assert said.splitlines()[-1] == "3 files: 1 robust, 1 ok, 1 fragile"


def test_json_has_a_line_for_each_file(capsys):
    status, said = run(capsys, "good.json", "tight.json", "--level", "static", "--json")
    told = [json.loads(line) for line in said.splitlines()]
    assert status == 0
    assert [one["file"] for one in told] == ["good.json", "tight.json"]
    for one, name in zip(told, ("good", "tight"), strict=True):
        report = json.loads(check(FILES[name], "static").to_json())
        assert {"file": f"{name}.json", **report, "print": None, "beside": None, "error": None} == one


def test_a_picture_is_checked_with_readers(capsys, folder):
    QRImage(FILES["good"]).save(folder / "code.png")
    status, said = run(capsys, "code.png", "--min", "robust")
    assert (status, said) == (0, "code.png: robust on phones (simulated), score 100 of 100 (standard check)\n")


@pytest.mark.parametrize("level", LEVELS[:3])
def test_the_level_is_the_one_that_is_asked_for(capsys, level):
    assert f"({level} check)" in run(capsys, "good.json", "--level", level)[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.png"], "missing.png"),
        (["missing.json"], "missing.json"),
        (["broken.json"], "broken.json"),
        (["missing.json", "text.png"], "text.png"),
    ],
)
def test_what_cannot_be_opened_is_an_error_with_its_name(capsys, folder, arguments, words):
    (folder / "broken.json").write_text("{")
    (folder / "text.png").write_text("no picture")
    assert main(["check", *arguments, "--level", "static"]) == 2
    complained = capsys.readouterr().err
    assert complained.startswith("qrkit check: ")
    assert words in complained


def test_a_photo_is_answered_in_sentences(capsys, folder):
    photo(flat(FILES["good"]), CAPTURES[0]).save(folder / "photo.jpg")
    for options in ((), ("--design", "good.json")):
        status, said = run(capsys, "photo.jpg", "--min", "robust", *options)
        assert status == 0
        assert said.startswith("photo.jpg: The print is good.\n  The photo itself (7 pixels a module; ")
    assert json.loads(run(capsys, "photo.jpg", "--json")[1])["photo"]["verdict"] == "good"


def test_a_photo_of_another_design_is_named(capsys, folder):
    photo(flat(FILES["good"]), CAPTURES[0]).save(folder / "photo.jpg")
    (folder / "other.json").write_text(plain(content="another text").to_json())
    assert main(["check", "photo.jpg", "--design", "other.json"]) == 2
    assert "must be the design that was printed; the photo shows" in capsys.readouterr().err


def test_an_svg_is_drawn_and_read(capsys, folder):
    QRImage(FILES["tight"]).save(folder / "tight.svg")
    status, said = run(capsys, "tight.svg", "--level", "static", "--min", "ok")
    assert status == 1
    assert said.startswith("tight.svg: fragile on phones")
    assert main(["decode", "tight.svg"]) == 0
    assert capsys.readouterr().out == f"{FILES['tight'].content}\n"


@pytest.mark.parametrize("command", ["check", "decode"])
def test_a_picture_comes_through_a_pipe(command, capsys):
    read, write = os.pipe()
    with os.fdopen(read, "rb"), os.fdopen(write, "wb") as end:
        end.write(generate("hello").to_bytes("png"))
        end.close()
        assert main([command, f"/dev/fd/{read}"]) == 0
    assert {"check": "robust", "decode": "hello"}[command] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (EMPTY.format('<rect width="5" height="5"/>'), "no QR Code was found"),
        (EMPTY.format("<rect"), "code.svg is not well-formed SVG"),
        (EMPTY.format('<image width="5" height="5" href="data:,"/>'), "the SVG embeds a picture that cannot be read"),
        ("%PDF-1.7", "code.svg is a PDF, which cannot be read; save it as png"),
    ],
)
@pytest.mark.parametrize("command", ["check", "decode"])
def test_what_an_svg_hides_or_a_pdf_holds_is_not_guessed(command, data, words, capsys, folder):
    (folder / "code.svg").write_text(data)
    assert main([command, "code.svg"]) == 2
    assert words in capsys.readouterr().err


def test_of_several_files_those_that_cannot_be_opened_are_named_and_the_rest_is_checked(capsys):
    assert run(capsys, "missing.png", "good.json", "--level", "static")[0] == 1
    assert run(capsys, "missing.png", "lost.json", "--level", "static")[0] == 1
    assert main(["check", "missing.png", "good.json", "--level", "static", "--json"]) == 1
    said = capsys.readouterr()
    missing, good = (json.loads(line) for line in said.out.splitlines())
    assert missing.keys() == good.keys()
    assert {name for name, value in missing.items() if value is not None} == {"file", "error"}
    assert said.err == f"qrkit check: {missing['error']}\n"
    assert good["verdict"] == "robust"


@pytest.mark.parametrize("arguments", [[], ["good.json", "--min", "best"], ["good.json", "--level", "deep"]])
def test_what_is_asked_for_wrongly(arguments):
    with pytest.raises(SystemExit) as caught:
        main(["check", *arguments])
    assert caught.value.code == 2


def test_the_audience_decides_about_round_eyes(capsys):
    assert run(capsys, "round.json", "--level", "static", "--min", "ok")[0] == 0
    status, said = run(capsys, "round.json", "--level", "static", "--min", "ok", "--audience", "all", "--json")
    told = json.loads(said)
    assert status == 1
    assert (told["audience"], told["verdict"], told["phones"], told["embedded"]) == ("all", "fragile", "ok", "fragile")


def test_a_design_is_checked_for_print(capsys):
    how = ["good.json", "--level", "static", "--size-mm", "20"]
    assert run(capsys, *how, "--dpi", "2400")[0] == 0
    status, said = run(capsys, *how, "--distance-m", "2", "--material", "newsprint")
    assert status == 1
    assert "  error: modules are 0." in said
    assert "phones at 2 m need 8 mm; print it at least" in said
    (first, *_) = json.loads(run(capsys, *how, "--distance-m", "2", "--json")[1])["print"]
    assert (first["code"], first["severity"]) == ("module-size", "error")
    for wrong, told in (
        (["good.json", "--dpi", "300"], "dpi=300.0: needs --size-mm"),
        (["good.png", "--size-mm", "20"], "needs a design (.json), and good.png is a picture; `qrkit generate ... -o"),
    ):
        generate("x").save("good.png")
        assert main(["check", *wrong, "--level", "static"]) == 2
        assert told in capsys.readouterr().err
