import email.message
import re
import unicodedata
from urllib.parse import unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qrkit import Design
from qrkit.design.limits import FORMAT_ALIASES, FORMATS, TEXT_STYLES
from qrkit.errors import InvalidParameter
from qrkit.files import safe_name, safe_stem
from qrkit.pictures.generate_request import GenerateRequest
from qrkit.server.requests.generate_query import content_disposition, read_get

LINK = "https://example.com"


def read(**parameters):
    return read_get({"content": LINK} | parameters)


def problems(**parameters):
    with pytest.raises(InvalidParameter) as caught:
        read(**parameters)
    return {one.name: one.code for one in caught.value.problems}


# Parameters -----------------------------------------------------------------------------------------------------------


def test_content_alone_gives_the_defaults_of_the_interface():
    request = read()
    assert request == GenerateRequest(Design(content=LINK), "png", "blocks", shorten="", attachment=False, filename="")
    design = request.design
    assert (design.version, design.size, design.padding, design.em, design.ec) == (None, 8, 4, "byte", "M")
    assert (design.foreground.argb, design.background.argb) == ("#FF000000", "#FFFFFFFF")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("version", "1", 1),
        ("version", "40", 40),
        ("version", "3.0", 3),
        ("version", "0", None),
        ("version", "-1", None),
        ("version", "auto", None),
        ("version", "Auto", None),
        ("size", "1", 1),
        ("size", "20", 20),
        ("padding", "0", 0),
        ("padding", "20", 20),
        ("em", "Byte", "byte"),
        ("em", "BYTE", "byte"),
        ("ec", "L", "L"),
        ("ec", "m", "M"),
        ("ec", "q", "Q"),
        ("ec", "H", "H"),
    ],
)
def test_a_parameter_of_the_design_is_read_in_any_case(name, text, value):
    assert read(**{name: text}).design == Design(content=LINK, **{name: value})


@pytest.mark.parametrize("name", ["foreground", "background"])
@pytest.mark.parametrize(
    ("text", "argb"),
    [
        ("#80FF0000", "#80FF0000"),
        ("80FF0000", "#80FF0000"),
        ("#ff0000", "#FFFF0000"),
        ("FF0000", "#FFFF0000"),
        ("RebeccaPurple", "#FF663399"),
        ("transparent", "#00000000"),
    ],
)
def test_a_colour_is_argb_rgb_or_a_name(name, text, argb):
    assert getattr(read(**{name: text}).design, name).argb == argb


@pytest.mark.parametrize(("em", "content"), [("numeric", "0123"), ("alphanumeric", "AB $%*+-./:"), ("Numeric", "7")])
def test_the_encoding_mode_is_read(em, content):
    assert read(em=em, content=content).design.em == em.lower()


@pytest.mark.rule("G2")
@pytest.mark.parametrize("em", ["auto", "AUTO", "kanji", "utf-8"])
def test_automatic_encoding_is_not_offered_over_http(em):
    """Open: whether `auto` is a mode. Only in Python: clients rely on what they ask for."""
    assert problems(em=em) == {"em": "bad-value"}


@pytest.mark.rule("G4")
@pytest.mark.parametrize("name", [*FORMATS, *FORMAT_ALIASES])
def test_formats_and_their_other_names_are_read_in_any_case(name):
    """Open: `jpeg` and case. People write all of them."""
    assert {read(format=text).format for text in (name, name.upper(), name.title())} == {FORMAT_ALIASES.get(name, name)}


@pytest.mark.rule("G6")
@pytest.mark.parametrize("style", TEXT_STYLES)
def test_text_has_three_styles_in_any_case(style):
    """Open: what "txt" looks like. Blocks for terminals, and two forms for programs."""
    assert (read(format="txt", style=style).style, read(style=style.upper()).style) == (style, style)


@pytest.mark.parametrize(
    ("text", "value"), [("true", True), ("TRUE", True), ("1", True), ("False", False), ("0", False)]
)
def test_attachment_is_a_flag(text, value):
    assert read(attachment=text).attachment is value


def test_filename_and_shorten_are_kept_as_they_are():
    request = read(filename="../Plakat für Graz.png", shorten="tiny")
    assert (request.filename, request.shorten) == ("../Plakat für Graz.png", "tiny")


@pytest.mark.parametrize("text", ["none", "None", "NONE"])
def test_shorten_none_is_no_shortening(text):
    assert read(shorten=text).shorten == ""


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("version", "41", "out-of-range"),
        ("version", "-2", "out-of-range"),
        ("version", "x", "wrong-type"),
        ("size", "0", "out-of-range"),
        ("size", "21", "out-of-range"),
        ("size", "8.5", "wrong-type"),
        ("padding", "-1", "out-of-range"),
        ("padding", "21", "out-of-range"),
        ("padding", "four", "wrong-type"),
        ("ec", "X", "bad-value"),
        ("ec", "LM", "bad-value"),
        ("foreground", "blak", "bad-colour"),
        ("foreground", "#FFFF", "bad-colour"),
        ("background", "rgb(1,2)", "bad-colour"),
        ("format", "pgn", "bad-value"),
        ("format", ".png", "bad-value"),
        ("style", "dots", "bad-value"),
        ("attachment", "yes", "wrong-type"),
        ("content", "x" * 40_000, "out-of-range"),
    ],
)
def test_a_parameter_that_breaks_its_rule_is_named(name, text, code):
    assert problems(**{name: text}) == {name: code}


def test_a_missing_content_is_named():
    with pytest.raises(InvalidParameter) as caught:
        read_get({"size": "8"})
    assert (caught.value.name, caught.value.code) == ("content", "missing-parameter")


def test_everything_that_is_wrong_is_named_at_once():
    found = problems(
        version="77", size="0", padding="x", em="foo", ec="Z", foreground="blak", background="#12", format="pgn",
        style="dots", attachment="maybe",
    )  # fmt: skip
    assert found == {
        "version": "out-of-range",
        "size": "out-of-range",
        "padding": "wrong-type",
        "em": "bad-value",
        "ec": "bad-value",
        "foreground": "bad-colour",
        "background": "bad-colour",
        "format": "bad-value",
        "style": "bad-value",
        "attachment": "wrong-type",
    }
    with pytest.raises(InvalidParameter) as caught:
        read_get({"size": "0", "format": "pgn"})
    assert [one.name for one in caught.value.problems] == ["content", "size", "format"]
    with pytest.raises(InvalidParameter) as caught:
        read_get({"padding": "x", "size": "x", "version": "x", "content": "x"})
    assert [one.name for one in caught.value.problems] == ["version", "size", "padding"]


@pytest.mark.rule("H2")
@pytest.mark.parametrize("name", ["source", "Size", "SIZE", "module_size", "replace", "design", "width", ""])
def test_an_unknown_parameter_is_ignored(name):
    """A fact: plug-ins send parameters of their own, such as `source=blender`."""
    assert read(**{name: "blender"}) == read()


# File names -----------------------------------------------------------------------------------------------------------

HOSTILE = [
    ("poster", "poster.png"),
    ("poster.png", "poster.png"),
    ("Poster.PNG", "Poster.png"),
    ("poster.svg", "poster.svg.png"),
    ("poster.tar.png", "poster.tar.png"),
    ("../../etc/passwd", "passwd.png"),
    ("..\\..\\windows\\system32", "system32.png"),
    ("/absolute/path.png", "path.png"),
    ("C:\\temp\\x.png", "x.png"),
    ("C:x", "C_x.png"),
    ('a"; filename="evil.exe', "a_; filename=_evil.exe.png"),
    ("a\r\nSet-Cookie: x=1", "aSet-Cookie_ x=1.png"),
    ("a\0b\x1f\x7f\x85", "ab.png"),
    ("a\u2028b\u2029c", "abc.png"),
    ("photo\u202egnp.exe", "photognp.exe.png"),
    ("\ufefftürkis", "türkis.png"),
    ("日本語 😀", "日本語 😀.png"),
    ("a%0d%0ab%22", "a%0d%0ab%22.png"),
    ("..", "qrcode.png"),
    (".png", "qrcode.png"),
    ("", "qrcode.png"),
    ("   ", "qrcode.png"),
    ("a/", "a.png"),
    ("x" * 300 + ".png", "x" * 100 + ".png"),
    ("name. ", "name.png"),
    ("poster.png ", "poster.png"),
    ("poster.png\0", "poster.png"),
    ("<b>|*?", "_b____.png"),
    ("CON", "_CON.png"),
    ("lpt1.txt", "_lpt1.txt.png"),
    ("console", "console.png"),
]


def file_names(header):
    """The names under which readers of the header would save: of `filename`, and of `filename*`, which wins."""
    message = email.message.Message()
    message["Content-Disposition"] = header
    plain = re.findall(r'; filename="([^"]*)"', header)
    parameters = message.get_params(header="content-disposition", unquote=True)
    extended = [email.utils.collapse_rfc2231_value(value) for _, value in parameters if isinstance(value, tuple)]
    return plain, extended


def assert_keeps_its_form(header, name):
    assert re.fullmatch(r"[ -~]+", header)
    assert re.fullmatch(r"attachment; filename=\"[^\"\\]+\"; filename\*=UTF-8''[A-Za-z0-9._~%-]+", header)
    (plain,), (extended,) = file_names(header)
    assert extended == name == unquote(header.partition("UTF-8''")[2])
    assert plain == "".join(character if character.isascii() else "_" for character in name)


@pytest.mark.rule("G7")
@pytest.mark.parametrize(("filename", "name"), HOSTILE)
def test_a_file_name_is_made_safe_and_complete(filename, name):
    """Open: what a file may be called. The last part, without what systems or headers mind, and its suffix."""
    assert safe_name(filename, "png") == name
    header = content_disposition(GenerateRequest(Design(content="x"), attachment=True, filename=filename))
    assert_keeps_its_form(header, name)


@pytest.mark.rule("G7")
@settings(max_examples=150)
@given(
    st.one_of(st.text(max_size=40), st.text("./\\ :\"';=%\r\n\0\t\u2028\u202e\ud800aé😀", max_size=20)),
    st.sampled_from(FORMATS),
)
@example("OTPAUTH", "png")
def test_any_file_name_gives_one_ascii_header_that_reads_back(filename, format):
    """Open: how a name beyond ASCII is sent. By RFC 6266 and RFC 8187, in a line nobody can break out of."""
    name = safe_name(filename, format)
    assert name.endswith(f".{format}")
    assert not re.search(r'[<>:"/\\|?*]', name)
    assert not [one for one in name if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")]
    assert name.strip(" .") == name
    assert len(name.encode()) <= 255
    assert safe_name(name, format) == name
    header = content_disposition(GenerateRequest(Design(content="x"), format, attachment=True, filename=filename))
    assert_keeps_its_form(header, name)


@pytest.mark.parametrize("letter", ["x", "ü", "日", "😀"])
def test_a_long_name_is_cut_between_characters_to_what_file_systems_take(letter, tmp_path):
    stem = safe_stem(letter * 300)
    assert set(stem) == {letter}
    assert len(stem) <= 100
    (tmp_path / f"{stem}.webp").write_bytes(b"")
    assert [path.name for path in tmp_path.iterdir()] == [f"{stem}.webp"]


@pytest.mark.rule("G7")
@pytest.mark.parametrize("filename", ["", "poster.png"])
def test_without_attachment_a_picture_is_inline(filename):
    """Open: what a picture is that is no attachment. `inline`, so that a browser shows it."""
    assert content_disposition(GenerateRequest(Design(content="x"), filename=filename)) == "inline"
