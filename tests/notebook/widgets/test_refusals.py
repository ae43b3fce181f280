"""What a studio does with values that a design cannot have: it keeps them, says why, and offers one that works."""

import pytest

from qrkit import Brand, Design, Frame, Gradient, Layer, Markers, Modules, contents, open_portfolio
from qrkit.design.color import Color
from qrkit.errors import InvalidParameter
from qrkit.notebook.widgets import Designer
from qrkit.notebook.widgets.studio.draft import Edit
from qrkit.notebook.widgets.studio.refusals import color_meant
from qrkit.notebook.widgets.studio.swatches import GRADIENTS, GROUNDS, INKS, color_contrasts
from qrkit.scanning import check

TEXT = "https://example.com"


@pytest.fixture
def studio():
    made = Designer(TEXT, name="refusals")
    yield made
    made.close()


def put(studio, path, value):
    studio.edit(Edit(path, value=value))


def take_offer(studio, path):
    """What a click on the suggestion sends."""
    offer = studio.state["refused"][path]["offer"]
    studio.edit(*(Edit(tuple(edit["path"]), value=edit["value"]) for edit in offer["edits"]))
    return offer["words"]


@pytest.mark.parametrize(
    ("path", "value", "words", "taken"),
    [
        (("size",), 5000, "Use 20 pixels per module", 20),
        (("size",), -1, "Use 1 pixels per module", 1),
        (("padding",), 2.6, "Use 3 modules", 3),
    ],
)
def test_number_out_of_bounds_is_kept_until_one_click_takes_the_nearest(studio, path, value, words, taken):
    put(studio, path, value)
    assert studio.state["refused"][path[0]]["value"] == value
    assert take_offer(studio, path[0]) == words
    assert getattr(studio.design, path[0]) == taken
    assert (studio.errors, studio.state["refused"]) == ({}, {})


def test_share_is_offered_in_percent(studio):
    studio.design = Design(content=TEXT, layers=[Layer("icon:heart", x=90, y=90, width=20, height=20)])
    put(studio, ("layers", 0, "opacity"), 1.5)
    assert take_offer(studio, "layers.0.opacity") == "Use 100%"


@pytest.mark.parametrize(
    "path", [("foreground",), ("foreground", "stops", 1, "color"), ("markers", "topLeft", "innerColor")]
)
def test_color_that_is_none_is_offered_as_one(studio, path):
    studio.design = Design(content=TEXT, foreground=Gradient.linear("navy", "teal"), markers=Markers.all("eye-2"))
    if path == ("foreground",):
        studio.design = Design(content=TEXT)
    put(studio, path, "#12")
    assert take_offer(studio, ".".join(map(str, path))) == "Use #121212"
    assert studio.errors == {}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("#12", "#121212"),
        ("8", "#888888"),
        ("light blue", "lightblue"),
        ("Blak", "black"),
        ("qqqqqq", None),
        ("", None),
    ],
)
def test_color_that_people_mean_is_one_that_a_design_takes(text, meant):
    assert color_meant(text) == meant
    assert meant is None or Color.parse(meant)


def test_content_that_is_too_long_is_offered_a_version(studio):
    put(studio, ("version",), 2)
    put(studio, ("content",), "x" * 300)
    assert take_offer(studio, "content") == "Choose the version automatically"
    assert (studio.design.content, studio.design.version) == ("x" * 300, None)


def test_content_of_another_mode_is_offered_byte_mode(studio):
    studio.design = Design(content="123", em="numeric")
    put(studio, ("content",), "abc")
    assert take_offer(studio, "content") == "Use byte mode"
    assert (studio.design.content, studio.design.em) == ("abc", "byte")


def test_refused_value_stays_while_others_change(studio):
    put(studio, ("size",), 99)
    put(studio, ("padding",), 5)
    assert studio.design == Design(content=TEXT, padding=5)
    assert studio.errors == {"size": "must be in 1..20 pixels per module"}
    put(studio, ("size",), 9)
    assert (studio.errors, studio.state["refused"]) == ({}, {})


def test_refused_value_is_taken_as_soon_as_it_is_possible(studio):
    put(studio, ("version",), 2)
    put(studio, ("content",), "x" * 300)
    put(studio, ("version",), None)
    assert studio.design.content == "x" * 300
    assert studio.state["refused"] == {}


@pytest.mark.parametrize("change", [Designer.undo, lambda studio: setattr(studio, "design", Design(content="new"))])
def test_refused_values_go_with_the_design_they_were_typed_into(studio, change):
    put(studio, ("padding",), 5)
    put(studio, ("size",), 99)
    change(studio)
    assert (studio.errors, studio.state["refused"]) == ({}, {})


def test_refused_value_of_a_removed_layer_goes_with_it(studio):
    studio.design = Design(content=TEXT, layers=[Layer("icon:heart", x=90, y=90, width=20, height=20)])
    put(studio, ("layers", 0, "width"), 99_999)
    studio.edit(Edit(("layers", 0), "remove"))
    assert studio.state["refused"] == {}


# ---- what leaves the studio

LONG = "Zum Mittagsmenü: täglich ab halb zwölf, sonntags ab zehn Uhr"


def type_caption(studio, text):
    """Type a caption, some keys at a time."""
    for end in (4, len(text) // 2, len(text)):
        studio.edit(Edit(("frame", "caption", "text"), value=text[:end]), gesture="keys")


@pytest.fixture
def refusing(studio):
    """A studio whose caption is refused after it was typed in full."""
    studio.design = Design(content=TEXT, frame=Frame("pill", caption="Menu"))
    type_caption(studio, LONG)
    assert "about" in studio.errors["frame.caption.text"]
    return studio


def test_part_of_a_refused_caption_is_not_drawn(refusing):
    assert refusing.design.frame.caption.text == "Menu"
    assert refusing.state["refused"]["frame.caption.text"]["value"] == LONG
    type_caption(refusing, "Lunch")
    assert (refusing.design.frame.caption.text, refusing.errors) == ("Lunch", {})


def test_undo_takes_back_the_refused_value_alone(refusing):
    before = refusing.design
    assert refusing.state["undo"]
    refusing.undo()
    assert (refusing.design, refusing.errors) == (before, {})


@pytest.mark.parametrize(
    "message",
    [
        {"ask": "download", "format": "pdf"},
        {"ask": "download", "format": "png", "to": "clipboard"},
        {"ask": "download", "format": "png", "of": "campaign", "campaign": ""},
        {"ask": "copy", "form": "json"},
        {"ask": "copy", "form": "python"},
        {"ask": "save", "kind": "template", "name": "Menu"},
    ],
    ids=str,
)
def test_nothing_leaves_while_a_value_is_refused(tmp_path, monkeypatch, message):
    with open_portfolio(tmp_path / "shop.duckdb") as shop:
        studio = Designer(TEXT, name="leaving", portfolio=shop)
        sent = []
        monkeypatch.setattr(studio, "send", lambda *_, **__: sent.append("file"))
        studio.edit(Edit(("size",), value=99))
        studio._handle_custom_msg(message, [])
        assert (sent, shop.templates.names(), studio.state["refused"]["size"]["value"]) == ([], [], 99)
        assert "must be in 1..20 pixels per module; correct or undo it" in " ".join(studio.errors.values())
        studio.undo()
        shop.insert_qrcode(TEXT)
        studio._handle_custom_msg(message, [])
        assert (studio.errors, len(sent) + len(shop.templates.names())) == ({}, 1)
        studio.close()


def test_print_width_leaves_refused_values_as_they_are(refusing):
    refusing._handle_custom_msg({"ask": "print", "mm": 40}, [])
    assert "about" in refusing.errors["frame.caption.text"]
    assert refusing.state["refused"]["frame.caption.text"]["value"] == LONG


def test_part_of_a_refused_password_is_not_drawn(studio):
    studio.edit(Edit(("form",), value="wifi"))
    studio.edit(Edit(("form", "ssid"), value="Nero"))
    for count in (8, 63, 64, 65):
        studio.edit(Edit(("form", "password"), value="x" * count), gesture="keys")
    assert (studio.design.content, list(studio.errors)) == (TEXT, ["form.password"])
    assert studio.state["form"]["fields"] == {"ssid": "Nero"}
    with pytest.raises(InvalidParameter, match=r"Password: .*correct or undo"):
        _ = studio.settled
    studio.edit(Edit(("form", "password"), value="espresso"), gesture="keys")
    assert studio.settled.content == contents.wifi("Nero", "espresso")


def test_a_form_that_lacks_fields_lets_nothing_leave(studio):
    studio.edit(Edit(("form",), value="wifi"))
    with pytest.raises(InvalidParameter, match="Network name is required"):
        _ = studio.settled


# ---- contrast


@pytest.mark.parametrize("grey", [0x00, 0x30, 0x4A, 0x4C, 0x60, 0x68, 0x6A, 0x90, 0xF0])
def test_contrast_of_a_color_is_what_check_says(grey):
    design = Design(content=TEXT, foreground=f"#{grey:02X}{grey:02X}{grey:02X}")
    severities = [issue.severity for issue in check(design, "static").issues if issue.code == "contrast"]
    expected = {(): "enough", ("warning",): "low"}.get(tuple(severities), "scanners may fail")
    found = color_contrasts(design)
    assert found["foreground"] == found["background"]
    assert found["foreground"]["verdict"] == expected


def test_each_stop_and_each_eye_has_its_own_contrast():
    design = Design(
        content=TEXT,
        foreground=Gradient.linear("black", "#999999"),
        markers=Markers.all("eye-2", inner_color="orange"),
        modules=Modules(type="dots"),
    )
    verdicts = {path: found["verdict"] for path, found in color_contrasts(design).items()}
    assert verdicts["foreground.stops.0.color"] == "enough"
    assert verdicts["foreground.stops.1.color"] == verdicts["markers.topLeft.innerColor"] == "scanners may fail"
    assert color_contrasts(Design(content=TEXT, foreground="white", background="black"))["foreground"] == {
        "verdict": "scanners may fail",
        "words": "Light on dark: scanners may fail",
    }


@pytest.mark.parametrize("ink", INKS)
def test_colors_that_are_offered_are_robust(ink):
    grounds = {ground: Design(content=TEXT, foreground=ink, background=ground) for ground in GROUNDS}
    verdicts = {found["verdict"] for design in grounds.values() for found in color_contrasts(design).values()}
    assert verdicts == {"enough"}
    assert check(grounds["#FFFFFF"], "static").verdict == "robust"


@pytest.mark.parametrize("name", ["foreground", "background"])
def test_gradients_that_are_offered_are_robust(name):
    for colors in GRADIENTS[name].values():
        design = Design(content=TEXT, **{name: Gradient.linear(*colors)})
        assert {found["verdict"] for found in color_contrasts(design).values()} == {"enough"}, colors
        assert check(design, "static").verdict == "robust"


def test_colors_of_the_brand_are_offered():
    made = Designer(TEXT, name="branded", brand=Brand("Acme", ink="navy", accent="#9A3412"))
    assert made.form["swatches"]["brand"] == {"name": "Acme", "colors": ["#000080", "#9A3412", "#FFFFFF"]}
    made.close()
