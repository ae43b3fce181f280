"""`qrkit generate --design FILE`: a decorated picture from the command line."""

import json
import re

import pytest

from qrkit import Design, data_uri, decode, generate
from qrkit.__main__ import main
from tests.server.posted import FULL, RED

DESIGN = {
    "content": "from the file",
    "ec": "H",
    "size": 4,
    "foreground": {"gradient": "radial", "stops": [{"offset": 0, "color": "navy"}, {"offset": 1, "color": "black"}]},
    "markers": {"topLeft": {"pattern": "eye-3", "innerColor": "red"}},
    "layers": [{"content": RED, "x": 1, "y": 1, "width": 9, "height": 9}],
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "brand.json").write_text(json.dumps(DESIGN))
    return tmp_path


def assert_refused(folder, capsys, *arguments, words):
    """Exit status 2, one line on the standard error, and no file written."""
    before = sorted(folder.iterdir())
    assert main(["generate", *arguments, "-o", "code.png"]) == 2
    said, complained = capsys.readouterr()
    assert said == ""
    assert complained.startswith("qrkit generate: ")
    assert complained.count("\n") == 1
    assert complained.strip().isprintable()
    assert re.search(words, complained), complained
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("format", ["png", "svg", "pdf"])
def test_a_file_holds_the_design(folder, capsys, format):
    assert main(["generate", "--design", "brand.json", "-o", f"code.{format}"]) == 0
    assert (folder / f"code.{format}").read_bytes() == generate(Design(**DESIGN)).to_bytes(format)
    assert capsys.readouterr().out.startswith(f"code.{format}: <QRImage 'from the file'")


def test_a_design_of_post_is_taken_as_it_is(folder):
    (folder / "full.json").write_text(json.dumps(FULL))
    assert main(["generate", "--design", "full.json", "-o", "code.png"]) == 0
    assert (folder / "code.png").read_bytes() == generate(Design(**FULL)).to_bytes("png")


def test_content_and_options_of_the_command_line_win(folder):
    options = ["--ec", "Q", "--size", "5", "--padding", "6", "--foreground", "#102030", "--background", "ivory"]
    assert main(["generate", "typed", "--design", "brand.json", "-o", "code.png", *options]) == 0
    look = {"ec": "Q", "size": 5, "padding": 6, "foreground": "#102030", "background": "ivory"}
    design = Design(**DESIGN).resized(content="typed", **look)
    assert (folder / "code.png").read_bytes() == generate(design).to_bytes("png")
    assert decode(folder / "code.png").content == "typed"


def test_a_file_without_content_needs_one_on_the_command_line(folder, capsys):
    (folder / "bare.json").write_text('{"ec": "H"}')
    assert_refused(folder, capsys, "--design", "bare.json", words="content: is required")
    assert_refused(folder, capsys, words="content: is required")
    assert main(["generate", "typed", "--design", "bare.json", "-o", "code.png"]) == 0
    assert (folder / "code.png").read_bytes() == generate("typed", ec="H").to_bytes("png")


def test_a_file_of_windows_with_its_mark_is_read(folder):
    (folder / "bare.json").write_bytes(b"\xef\xbb\xbf" + b'{\r\n"content": "hi"}\r\n')
    assert main(["generate", "--design", "bare.json", "-o", "code.svg"]) == 0
    assert (folder / "code.svg").read_bytes() == generate("hi").to_bytes("svg")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "empty"),
        (b"content: hi", "not JSON"),
        (b"{'content': 'hi'}", "not JSON"),
        (b'["hi"]', "must be a JSON object"),
        (b'{"content": "hi", "size": NaN}', "NaN"),
        (b'{"content": "hi", "content": "ho"}', "given twice: 'content'"),
        (b'{"content": "h\xff"}', "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"\x89PNG\r\n\x1a\n", "not JSON"),
    ],
    ids=str,
)
def test_a_file_that_is_no_json_object_is_refused_by_its_name(folder, capsys, body, words):
    (folder / "broken.json").write_bytes(body)
    assert_refused(folder, capsys, "hi", "--design", "broken.json", words=f"broken.json: .*{words}")


@pytest.mark.parametrize(("file", "words"), [("missing.json", "No such file"), (".", "Is a directory")])
def test_a_file_that_cannot_be_read_is_refused_by_its_name(folder, capsys, file, words):
    assert_refused(folder, capsys, "hi", "--design", file, words=f"{re.escape(file)}: {words}")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"paddings": 1}, "paddings=1: is not a parameter; did you mean 'padding'"),
        ({"markers": {"topLeft": {"patterns": "eye-1"}}}, r"topLeft\.patterns=.*did you mean 'pattern'"),
        ({"markers": {"topLeft": {"pattern": "eye-99"}}}, r"markers\.topLeft\.pattern='eye-99'.*'eye-17'"),
        ({"layers": [{"content": "icon:hme", "x": 0, "y": 0, "width": 9, "height": 9}]}, "did you mean 'home'"),
        ({"layers": [{"content": "https://example.com/a.png", "x": 0, "y": 0, "width": 9, "height": 9}]}, "data URI"),
        ({"self": 1}, "self=1: is not a parameter"),
        ({"ec": "X", "padding": 99}, "padding=99.*ec='X'"),
        ({"content": 5}, "content=5: must be"),
        ({"a\nb\x1b[31m": 1}, "is not a parameter"),
    ],
    ids=str,
)
def test_a_field_that_is_wrong_is_named_with_what_would_be_right(folder, capsys, fields, words):
    (folder / "wrong.json").write_text(json.dumps({"content": "hi"} | fields))
    assert_refused(folder, capsys, "--design", "wrong.json", words=words)


def test_what_an_svg_loses_is_told_in_one_line(folder, capsys):
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/><foreignObject/></svg>'
    logo = data_uri(svg)
    layer = {"content": logo, "x": 1, "y": 1, "width": 9, "height": 9}
    (folder / "logo.json").write_text(json.dumps({"content": "hi", "layers": [layer]}))
    assert main(["generate", "--design", "logo.json", "-o", "code.png"]) == 0
    complained = capsys.readouterr().err
    assert complained.startswith("qrkit generate: layers.0.content: the SVG embeds HTML, which is left out")
    assert complained.count("\n") == 1
