import ast
import json
import pickle
import re
import subprocess
import sys
import warnings
import zipfile
from copy import copy
from importlib.util import find_spec
from inspect import signature
from io import BytesIO
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import qrkit
from qrkit import Color, Design, QRImage, data_uri, decode, generate
from qrkit.design.bounds import NAMES_ELSEWHERE
from qrkit.design.simple import simple_design
from qrkit.drawing.untrusted.rasteriser import within
from qrkit.drawing.writers import FORMATS
from qrkit.errors import (
    ContentTooLong,
    InvalidParameter,
    MissingParameter,
    RenderingFailed,
    ScanWarning,
    UnknownParameter,
)
from qrkit.scanning.arithmetic import is_robust
from tests.sweeps import quick_rows

LINK = "https://example.com"


def test_generate_takes_a_text_or_a_design():
    design = Design(content=LINK, ec="H", size=10)
    by_fields, by_design = generate(LINK, ec="H", size=10), generate(design)
    assert by_fields.design == by_design.design == design
    assert by_fields.symbol == by_design.symbol
    assert by_fields.to_bytes() == by_design.to_bytes()
    assert isinstance(by_fields, QRImage)


def test_fields_replace_those_of_a_design():
    design = Design(content=LINK, ec="H", size=10)
    spring = generate(design, content=LINK + "/spring", padding=2)
    assert spring.design == Design(content=LINK + "/spring", ec="H", size=10, padding=2)
    assert design == Design(content=LINK, ec="H", size=10)


@pytest.mark.parametrize(("size", "padding"), [(1, 0), (8, 4), (20, 20)])
def test_the_picture_is_as_large_as_its_modules_and_quiet_zone(size, padding):
    image = generate(LINK, size=size, padding=padding)
    assert image.width == image.height == (image.symbol.side + 2 * padding) * size
    assert (image.scene.width, image.scene.symbol) == (image.width, image.symbol)
    assert Image.open(BytesIO(image.to_bytes())).size == (image.width, image.height)


@pytest.mark.parametrize("format", FORMATS)
def test_save_writes_the_format_of_the_suffix_and_gives_the_path_back(format, tmp_path):
    image = generate(LINK, size=2)
    path = tmp_path / f"poster.{format.upper()}"
    assert image.save(path) == path
    assert image.save(str(path)) == path
    assert path.read_bytes() == image.to_bytes(format)


def test_save_writes_the_format_that_is_named_over_that_of_the_suffix(tmp_path):
    image = generate(LINK, size=2)
    assert image.save(tmp_path / "poster.bin", "JPEG").read_bytes() == image.to_bytes("jpg")
    assert image.save(tmp_path / "poster.png", "svg").read_bytes() == image.to_bytes("svg")
    assert image.save(tmp_path / "poster", "zip").read_bytes() == image.to_bytes("zip")


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("poster.pgn", "did you mean 'png'"),
        ("poster.doc", "allowed: png, jpg"),
        ("poster", r"must end in one of \.png"),
        (".png", "must end in one of"),
    ],
)
def test_save_refuses_a_suffix_that_is_no_format_and_writes_nothing(name, rule, tmp_path):
    with pytest.raises(InvalidParameter, match=rule):
        generate(LINK).save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_or_style_is_an_invalid_parameter():
    image = generate(LINK)
    with pytest.raises(InvalidParameter, match="format='pgn': is not a format; did you mean 'png'"):
        image.to_bytes("pgn")
    with pytest.raises(InvalidParameter, match="style='asci': is not a style; did you mean 'ascii'"):
        image.to_text("asci")


def test_a_notebook_is_given_a_picture_a_vector_picture_and_a_text():
    image = generate(LINK, foreground="#0B3D91")
    bundle = image._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "image/svg+xml", "image/png"}
    assert bundle["text/plain"] == repr(image)
    assert bundle["image/svg+xml"].startswith("<svg xmlns=")
    assert len(bundle["image/svg+xml"]) == len(image.to_bytes("svg"))
    assert decode(bundle["image/png"]).content == LINK


@pytest.mark.rule("G9")
def test_a_notebook_shows_the_same_twice():
    """Open: whether pictures carry ids. They do not, so that a notebook run again is the same file."""
    first, second = (generate(LINK)._repr_mimebundle_(include=None, exclude=None) for _ in range(2))
    assert first == second


def test_the_repr_tells_the_content_the_symbol_and_the_size_but_no_address():
    assert repr(generate(LINK, ec="H", size=10)) == "<QRImage 'https://example.com', 3-H, 370 x 370 px>"
    long = repr(generate("x" * 1000))
    assert len(long) < 110
    assert "…" in long
    assert not re.search("0x[0-9a-f]{6}", long + repr(generate(LINK).symbol))


@pytest.mark.parametrize("name", NAMES_ELSEWHERE)
def test_the_words_of_other_libraries_are_known(name):
    with pytest.raises(UnknownParameter, match=f"did you mean '{NAMES_ELSEWHERE[name]}'") as caught:
        generate(Design(content=LINK), **{name: 4})
    assert caught.value.__suppress_context__, "the traceback of a validator explains nothing"
    assert NAMES_ELSEWHERE[name] in Design.model_fields


def test_a_format_is_asked_for_when_a_picture_is_saved():
    with pytest.raises(UnknownParameter, match="format='svg': is not a parameter") as caught:
        generate(LINK, format="svg")
    assert ".save(" in caught.value.__notes__[0]


def test_what_generate_refuses():
    with pytest.raises(UnknownParameter, match=r"sizee=3: is not a parameter; did you mean 'size'\?"):
        generate(LINK, sizee=3)
    with pytest.raises(UnknownParameter, match=r"did you mean 'size'\?"):
        generate(Design(content=LINK), sizee=3)
    with pytest.raises(InvalidParameter, match=r"size=99: must be in 1..20 pixels per module; ec='X'"):
        generate(LINK, size=99, ec="X")
    with pytest.raises(InvalidParameter, match="content=5: must be"):
        generate(5)
    with pytest.raises(InvalidParameter, match="must not be empty"):
        generate("")
    with pytest.raises(MissingParameter):
        Design()
    with pytest.raises(ContentTooLong, match="version 1 with ec=H holds 72; what would fit: version 3 with ec=H"):
        generate(LINK, version=1, ec="H")
    with pytest.raises(TypeError):
        generate()


def test_drawing_is_offered_from_the_top():
    assert qrkit.generate is generate
    assert {"Color", "Design", "QRImage", "decode", "errors", "generate"} <= set(qrkit.__all__)


def test_what_is_offered_from_the_top_is_loaded_when_it_is_asked_for():
    """Type checkers read imports that do not run: they must say the same as the table that does."""
    (hidden,) = [
        node for node in ast.parse(Path(qrkit.__file__).read_text(encoding="utf-8")).body if isinstance(node, ast.If)
    ]
    origins = {}
    for node in hidden.body:
        for name in node.names:
            module = f"{node.module}.{name.name}"
            is_module = isinstance(getattr(qrkit, name.asname or name.name), ModuleType)
            origins[name.asname or name.name] = module if is_module else f"{node.module}:{name.name}"
    assert {name: place.removeprefix("qrkit.") for name, place in origins.items()} == qrkit._LATE
    public = set(qrkit._LATE) - {"__version__"} | {"Decoded", "decode", "decode_all"}
    assert public == set(qrkit.__all__) == set(dir(qrkit))
    assert all(getattr(qrkit, name) is not None for name in qrkit.__all__)
    with pytest.raises(AttributeError, match="module 'qrkit' has no attribute 'draw_it'"):
        _ = qrkit.draw_it


@pytest.mark.parametrize(
    ("name", "module"),
    quick_rows(
        [
            ("analytics", "analytics"),
            ("charts", "charts"),
            ("presets", "presets"),
            ("report", "report"),
            ("server", "server"),
            ("widgets", "notebook.widgets"),
            ("wsgi", "server"),
        ],
        3,
    ),
)
def test_modules_load_when_they_are_first_used(name, module):
    text = f"import sys, qrkit; assert 'qrkit.{module}' not in sys.modules; print(qrkit.{name}.__name__)"
    found = subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True)
    assert found.stdout == f"qrkit.{module}\n"


def test_a_plain_code_needs_little_of_qrkit():
    program = """if True:
        import json, sys, qrkit
        qrkit.generate("light").to_bytes("png")
        print(json.dumps(list(sys.modules)))
        assert callable(qrkit.decode) and qrkit.errors.QrkitError
    """
    run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    loaded = set(json.loads(run.stdout))
    unneeded = (
        "contents.kinds contents.moments contents.reading"
        " design.design design.outline design.shapes drawing.bitmaps drawing.decorated drawing.scene"
        " drawing.svg.svg_elements drawing.untrusted drawing.writers.svg notebook"
        " pictures.contact_sheet pictures.printing store tracking"
    )
    assert all(find_spec(f"qrkit.{name}") for name in unneeded.split())
    assert loaded.isdisjoint(
        {f"qrkit.{name}" for name in unneeded.split()} | {"xml.sax.saxutils", "urllib.request", "PIL", "pydantic"}
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"modules": {}},
        {"ec": "H", "modules": {"union": True}},
        {"size": 1, "padding": 20},
        {"ec": "L", "size": 20, "padding": 4, "modules": {"union": False}},
        {"foreground": "navy", "background": Color.parse("#FFF0E0")},
    ],
)
def test_a_code_that_is_drawn_without_its_design_looks_the_same_and_has_it(fields):
    design = Design(content=LINK, **fields)
    simple, whole = generate(LINK, **fields), QRImage(design)
    for format in ("png", "svg", "eps", "pdf", "txt"):
        assert simple.to_bytes(format) == whole.to_bytes(format)
    assert simple.to_text("ascii") == whole.to_text("ascii")
    assert (simple.width, simple.height, simple.symbol) == (whole.width, whole.height, whole.symbol)
    assert (simple.small_svg(), repr(simple)) == (whole.small_svg(), repr(whole))
    assert simple.design == design
    assert simple.fault is None is whole.fault


@given(*2 * [st.builds(Color, *4 * [st.sampled_from((0, 90, 130, 200, 254, 255))])])
def test_colors_that_need_no_design_scan_robustly(foreground, background):
    fields = {"foreground": foreground.argb, "background": background}
    if simple := simple_design(LINK, fields):
        design = Design(content=LINK, **fields)
        assert Design(**simple.fields()) == design
        assert is_robust(design)


def test_half_a_character_is_refused_by_name():
    with pytest.raises(InvalidParameter, match="half a character"):
        generate("ab\ud800c")


def test_the_parameters_of_generate_can_be_copied_and_changed():
    shown = signature(generate)
    assert "modules" in shown.parameters
    assert copy(shown) == shown == pickle.loads(pickle.dumps(shown))
    assert shown.replace(return_annotation=None).return_annotation is None


@pytest.mark.parametrize(
    "fields",
    [
        {"size": True},
        {"size": 8.0},
        {"ec": "h"},
        {"padding": 3},
        {"size": 21},
        {"ec": 1},
        {"union": True},
        {"modules": None},
        {"modules": {"union": 0}},
        {"modules": {"union": False, "type": "dots"}},
        {"foreground": "nvy"},
        {"foreground": 7},
        {"foreground": "#80000000"},
        {"foreground": "silver"},
        {"background": {"type": "linear", "stops": [{"color": "white"}, {"color": "silver"}]}},
    ],
)
def test_what_is_not_simple_is_left_to_the_design(fields):
    def outcome(make):
        try:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                image = make()
            return image.to_bytes(), image.design, [str(one.message) for one in said]
        except InvalidParameter as error:
            return str(error)

    assert outcome(lambda: generate(LINK, **fields)) == outcome(lambda: generate(Design(content=LINK, **fields)))


def test_zip_pictures_open_as_files():
    with zipfile.ZipFile(BytesIO(generate(LINK).to_bytes("zip"))) as archive:
        assert decode(archive.read("qrcode.png")).content == LINK


LOGO = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/><foreignObject/></svg>'
LAYER = {"content": data_uri(LOGO), "x": 1, "y": 1, "width": 9, "height": 9}


def test_what_an_svg_loses_is_told():
    with pytest.warns(UserWarning, match=r"^layers\.0\.content: the SVG embeds HTML, which is left out"):
        image = generate("x", layers=[LAYER])
    assert image.warnings == ["layers.0.content: the SVG embeds HTML, which is left out"]
    assert generate("x").warnings == []


def test_the_size_of_a_picture_is_known_without_drawing_it():
    """What a decorated picture shows takes its time, and a name in a list needs none of it."""
    layer = LAYER | {"content": "icon:heart", "display": "pixel-hit-test"}
    image = generate("x", layers=[layer], width=300, height=200)
    assert (image.width, image.height, repr(image)) == (300, 200, "<QRImage 'x', 1-M, 300 x 200 px>")
    assert "scene" not in vars(image)
    for fields in ({}, {"size": 3, "padding": 0}, {"width": 99}, {"wrapper": WRAPPER}):
        image = generate("x", **fields)
        assert Image.open(BytesIO(image.to_bytes("png"))).size == (image.width, image.height)


WRAPPER = {
    "source": "icon:square",
    "width": 100.5,
    "height": 90,
    "placeholder": {"x": 5, "y": 5, "width": 80, "height": 80},
}


# Will it scan ---------------------------------------------------------------------------------------------------------


ODD = {
    "no quiet zone": {"padding": 0},
    "faint": {"foreground": "#999999"},
    "invisible": {"foreground": "white"},
    "inverted": {"foreground": "white", "background": "black"},
    "mirrored": {"flip": "horizontal"},
    "round eyes": {"markers": {"topLeft": {"pattern": "circle"}}},
    "covered": {"layers": [{"content": "icon:square", "x": 0, "y": 0, "width": 300, "height": 300}]},
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("look", ["save", "show", "print"])
def test_a_design_that_may_not_scan_is_drawn_with_one_warning(name, look, tmp_path):
    with pytest.warns(ScanWarning) as told:
        image = generate(LINK, **ODD[name])
        for _ in range(2):
            if look == "save":
                image.save(tmp_path / "code.png")
            elif look == "show":
                image._repr_mimebundle_()
            else:
                image.print_at(60)
    assert len(told) == 1
    assert told[0].filename == __file__
    verdict = {"ok": "ok, not robust"}.get(image.scan.verdict, image.scan.verdict)
    assert str(told[0].message) == f"{verdict}: {image.scan.issues[0].message}"
    assert image.to_bytes("png") == QRImage(image.design).to_bytes("png")


@pytest.mark.parametrize("fields", [{}, {"padding": 3}, {"modules": {"type": "dots"}}, {"foreground": "navy"}])
def test_of_a_design_that_scans_there_is_no_warning(fields, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ScanWarning)
        image = generate(LINK, **fields)
        image.save(tmp_path / "code.svg")
        assert image.scan.verdict == "robust"


@pytest.mark.parametrize("name", ODD)
def test_warnings_can_be_switched_off(name, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ScanWarning)
        image = generate(LINK, **ODD[name], warn=False)
        image.save(tmp_path / "code.svg")
        image._repr_mimebundle_()
    assert image.fault


def test_bytes_of_a_decorated_design_are_not_checked():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ScanWarning)
        image = generate(LINK, **ODD["covered"])
        assert image.to_bytes("svg")
        assert "scan" not in vars(image)


def test_a_loop_warns_once_unless_more_is_asked_for():
    """As Python has it by default: once for each place in a program and text."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default", ScanWarning)
        for number in range(5):
            generate(f"{LINK}/{number}", padding=0)
    assert len(told) == 1


def test_an_image_checks_itself():
    image = generate(LINK, ec="H")
    assert image.scan.level == "static"
    assert image.scan is image.scan
    assert image.check().level == "standard"
    assert image.check("quick").as_dict()["issues"] == qrkit.check(image.design, "quick").as_dict()["issues"]
    with pytest.raises(InvalidParameter, match=r"level='quik': .*did you mean 'quick'"):
        image.check("quik")


@pytest.mark.parametrize("format", ["svg", "txt"])
def test_a_drawing_that_nobody_can_look_at_is_made_and_not_warned_of(format):
    """The static check of decorated designs draws them, which may fail; a format that draws nothing does not."""
    with within(0), warnings.catch_warnings():
        warnings.simplefilter("error", ScanWarning)
        image = generate(LINK, **ODD["covered"])
        assert image.known_scan is None
        assert image.to_bytes(format)
        with pytest.raises(RenderingFailed, match="all its parts together take too long"):
            _ = image.scan


def test_a_check_has_so_much_time_for_all_its_drawings():
    image = generate(LINK, ec="H", layers=[{"content": "icon:heart", "x": 110, "y": 110, "width": 60, "height": 60}])
    with within(0), pytest.raises(RenderingFailed):
        image.check("static")
    assert image.check("static").level == "static"


def test_the_scan_of_an_image_is_its_static_check():
    heart = {"content": "icon:heart", "x": 110, "y": 110, "width": 40, "height": 40}
    little, much = (generate(LINK, ec="H", layers=[heart | {"width": side, "height": side}]) for side in (30, 180))
    assert little.scan.verdict == "robust"
    for image in (little, much):
        assert [cause.path for cause in image.scan.budget.causes] == ["layers.0"]
        assert image.scan.as_dict() == image.check("static").as_dict()
