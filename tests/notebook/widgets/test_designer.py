"""The studio without a browser: both ways, one of each name, what it sends, and what stays when it is gone."""

import gc
import json
import re
import weakref
from base64 import b64decode
from io import BytesIO

import ipywidgets
import pytest
from IPython.core.interactiveshell import InteractiveShell
from ipywidgets.widgets.widget import _instances
from PIL import Image
from traitlets import TraitError

from qrkit import Caption, Design, Frame, Gradient, Layer, Markers, Modules, QRImage, data_uri, decode, open_portfolio
from qrkit.design.presets import PRESETS
from qrkit.drawing.logo import placed_logo
from qrkit.errors import ContentTooLong, RemoteContentDisabled
from qrkit.notebook.widgets import Designer

TEXT = "https://example.com"
NAVY_ON_CREAM = {"rgb(11,61,145)", "rgb(255,244,214)"}


@pytest.fixture
def studio():
    made = Designer(TEXT, name="test")
    yield made
    made.close()


def say(studio, **message):
    """What a browser sends."""
    studio._handle_custom_msg(message, [])


@pytest.fixture
def sent(studio, monkeypatch):
    """What goes to the browser beside the state: (message, buffers)."""
    found = []
    monkeypatch.setattr(studio, "send", lambda message, buffers=None: found.append((message, buffers)))
    return found


def test_design_is_read_and_set_both_ways(studio):
    seen = []
    studio.observe(lambda change: seen.append(change.new), "design")
    say(studio, ask="edit", edits=[{"path": ["size"], "value": 12}])
    assert studio.design == Design(content=TEXT, size=12)
    studio.design = Design(content="other", ec="H")
    assert studio.state["values"]["content"] == "other"
    assert studio.image.symbol.error_correction == "H"
    assert seen == [Design(content=TEXT, size=12), Design(content="other", ec="H")]


def test_what_is_wrong_is_told_beside_its_control_and_changes_nothing(studio):
    before = studio.design
    say(studio, ask="edit", edits=[{"path": ["size"], "value": 99}])
    assert studio.design is before
    assert studio.state["errors"] == studio.errors == {"size": "must be in 1..20 pixels per module"}
    say(studio, ask="edit", edits=[{"path": ["size"], "value": 9}])
    assert studio.errors == {}


def test_all_edits_of_a_message_are_done_or_none(studio):
    say(studio, ask="edit", edits=[{"path": ["size"], "value": 9}, {"path": ["padding"], "value": 99}])
    assert studio.design == Design(content=TEXT)
    assert list(studio.errors) == ["padding"]


def test_design_that_cannot_be_drawn_is_refused_in_code_too(studio):
    before = studio.design
    with pytest.raises(ContentTooLong):
        studio.design = Design(content="x" * 3000)
    with pytest.raises(TraitError):
        studio.design = TEXT
    assert studio.design is before


def test_running_a_cell_again_shows_the_same_studio_with_what_was_done(studio):
    say(studio, ask="edit", edits=[{"path": ["size"], "value": 12}])
    again = Designer(TEXT, name="test")
    assert again is studio
    assert again.design.size == 12
    Designer("other", name="test")
    assert studio.design == Design(content="other")
    studio.undo()
    assert studio.design.size == 12


def test_a_cell_that_is_run_again_reads_addresses_as_it_says_now(studio):
    logo = QRImage(Design(content="logo")).to_bytes("png")
    layer = Layer("https://img.example.com/logo.png", x=130, y=130, width=36, height=36)
    linked = Design(content=TEXT, ec="H", layers=[layer])
    Designer(linked, name="test", fetch=lambda url: logo)
    assert studio.design == linked
    with pytest.raises(RemoteContentDisabled):
        Designer(linked.replace(content="other"), name="test")
    assert studio.design == linked


def test_twenty_runs_leave_no_widget_more(studio):
    before = len(_instances)
    for _ in range(20):
        studio = Designer(TEXT, name="test")
        studio._repr_mimebundle_()
    assert len(_instances) == before


def test_close_frees_widget_and_pictures():
    before = set(_instances)
    one = Designer(TEXT, name="freed")
    gone = [weakref.ref(one), weakref.ref(one.image), weakref.ref(one._draft)]
    layout = one.layout
    one.close()
    layout.close()
    del one, layout
    gc.collect()
    assert [ref() for ref in gone] == [None] * 3
    assert set(_instances) <= before
    assert Designer(TEXT, name="freed").design == Design(content=TEXT)
    Designer(TEXT, name="freed").close()


def test_undo_and_redo_lead_back_and_forth(studio):
    for size in (9, 10, 11):
        say(studio, ask="edit", edits=[{"path": ["size"], "value": size}], gesture=f"size {size}")
    say(studio, ask="undo")
    say(studio, ask="undo")
    assert (studio.design.size, studio.state["redo"]) == (9, True)
    say(studio, ask="redo")
    assert studio.design.size == 10
    for _ in range(9):
        say(studio, ask="undo")
    assert studio.design == Design(content=TEXT)
    assert not studio.state["undo"]


def test_one_movement_of_a_hand_is_one_step_back(studio):
    for size in range(9, 20):
        say(studio, ask="edit", edits=[{"path": ["size"], "value": size}], gesture="slider 1")
    say(studio, ask="undo")
    assert studio.design == Design(content=TEXT)


@pytest.mark.parametrize("name", PRESETS)
def test_preset_keeps_what_is_no_look_and_reads(studio, name):
    studio.design = Design(content=TEXT, ec="Q", size=6, layers=[Layer("icon:heart", x=90, y=90, width=20, height=20)])
    say(studio, ask="preset", name=name)
    assert studio.errors == {}
    level = "H" if PRESETS[name].photo or PRESETS[name].logo else "Q"
    assert (studio.design.content, studio.design.ec, studio.design.size) == (TEXT, level, 6)
    assert studio.design.layers[0].content == "icon:heart"
    assert decode(studio.image.to_bytes("png")).content == TEXT


def test_each_message_is_answered_whatever_it_says(studio):
    for number, message in enumerate(
        (
            {"ask": "edit", "edits": "none"},
            {"ask": "edit", "edits": [{"path": []}]},
            {"ask": "edit", "edits": [{"path": [True]}]},
            {"ask": "edit", "edits": [{"path": ["layers", 3, "x"], "value": 1}]},
            {"ask": "edit", "edits": [{"path": ["content", "x", "y"], "value": 1}]},
            {"ask": "edit", "edits": [{"path": ["nothing"], "value": {}}]},
            {"ask": "edit", "edits": [{"path": ["size"], "do": "start"}]},
            {"ask": "edit", "edits": [{"path": ["layers"], "do": "remove"}]},
            {"ask": "edit", "edits": [{"path": ["modules"], "value": 3}]},
            {"ask": "edit", "edits": [{"path": ["wrapper", "width"], "value": 3}]},
            {"ask": "preset", "name": "none"},
            {"ask": "open", "text": "{"},
            {"ask": "download", "format": "exe"},
        ),
        1,
    ):
        before = studio.design
        say(studio, **message)
        assert studio.state["answered"] == number
        assert studio.design is before
        assert studio.errors or message["edits"] == "none"


def test_badge_says_whether_the_picture_scans(studio):
    assert studio.state["badge"] is None
    say(studio, ask="check")
    good = {
        "verdict": "robust",
        "words": "Phones read it; print at least 14 mm wide",
        "report": "robust on phones (simulated), 100 of 100",
        "least": 14,
        "issues": [],
        "more": 0,
        "canRepair": False,
    }
    assert studio.state["badge"] == good
    studio.design = Design(content=TEXT, foreground="#FEFEFE", padding=0, flip="horizontal")
    assert studio.state["badge"] is None
    say(studio, ask="check")
    badge, report = studio.state["badge"], studio.design.check("static")
    assert badge["report"] == f"{report.verdict} on phones (simulated), {report.score} of 100"
    assert badge["words"] == "Phones cannot read it"
    for shown, issue in zip(badge["issues"], report.issues, strict=False):
        wrong, advice = issue.message.split("; ")
        assert (shown["message"].lower(), shown["advice"].lower()) == (f"{wrong}.".lower(), f"{advice}.".lower())
    assert badge["more"] == max(0, len(report.issues) - 3)


def test_what_only_checkout_scanners_need_is_told_to_those_who_ask(studio):
    studio.design = Design(content=TEXT, markers=Markers.all("soft"))
    say(studio, ask="check")
    assert studio.state["badge"]["issues"] == []
    say(studio, ask="check", scanners=True)
    assert studio.state["badge"]["words"] == "Some phones and scanners may not read it"
    (issue,) = studio.state["badge"]["issues"]
    assert issue["message"].startswith("Embedded readers may fail")
    say(studio, ask="fix", issue=issue["number"])
    say(studio, ask="check", scanners=True)
    assert studio.state["badge"]["issues"] == []


def colors_of(image):
    """The colors of a decorated picture."""
    return set(re.findall(r"rgb\([0-9,]+\)", image.to_bytes("svg").decode()))


@pytest.mark.parametrize("preset", ["bar", "confetti", "wifi", "kraft"])
def test_two_colors_are_used_everywhere(studio, preset):
    say(studio, ask="preset", kind="preset", name=preset)
    colors = [{"path": ["foreground"], "value": "#0B3D91"}, {"path": ["background"], "value": "#FFF4D6"}]
    say(studio, ask="edit", edits=[*colors, {"path": ["frame", "caption", "text"], "value": "Menu"}])
    before = colors_of(studio.image)
    assert before > NAVY_ON_CREAM, "the look brought colors of its own"
    say(studio, ask="two colors")
    assert colors_of(studio.image) == NAVY_ON_CREAM
    assert studio.design.frame.caption.text == "Menu"
    studio.undo()
    assert colors_of(studio.image) == before


@pytest.mark.parametrize("angle", [0, 30])
def test_two_colors_are_used_for_the_plate_of_a_logo(studio, angle):
    say(studio, ask="preset", kind="preset", name="badge")
    design, logo = studio.design, placed_logo(studio.design).layer
    studio.design = design.replace(layers=[layer.rotated(angle) for layer in design.layers])
    before = studio.design.layers
    say(studio, ask="edit", edits=[{"path": ["foreground"], "value": "#0B3D91"}])
    say(studio, ask="edit", edits=[{"path": ["background"], "value": "#FFF4D6"}])
    say(studio, ask="two colors")
    plate, heart = studio.design.layers
    assert placed_logo(studio.design.replace(layers=[plate.upright, heart])).ring == "#0b3d91"
    assert "fff4d6" in b64decode(plate.upright.content.partition(",")[2]).decode()
    assert heart == before[logo].replace(color=None)
    assert [(one.x, one.width, one.rotation) for one in studio.design.layers] == [
        (pytest.approx(one.x), pytest.approx(one.width), one.rotation) for one in before
    ]


def test_frames_are_shown_around_the_design_itself(studio, sent):
    kinds = ["", "bar", "seal"]
    say(studio, ask="looks", looks=[{"kind": "frame", "name": kind} for kind in kinds])
    message, pictures = sent[-1]
    assert [look["name"] for look in message["looks"]] == kinds
    assert {decode(picture).content for picture in pictures} == {TEXT}
    assert len(set(pictures)) == len(kinds)


def test_words_make_a_frame_and_a_frame_goes_without_them(studio):
    say(studio, ask="edit", edits=[{"path": ["frame", "caption", "text"], "value": "Menu"}])
    assert studio.design.frame == Frame("bar", caption="Menu")
    say(studio, ask="edit", edits=[{"path": ["frame", "kind"], "value": "pill"}])
    assert studio.design.frame == Frame("pill", caption="Menu")
    say(studio, ask="edit", edits=[{"path": ["frame"], "value": None}])
    assert studio.design.frame is None


@pytest.fixture
def german():
    made = Designer(TEXT, name="test", language="de")
    yield made
    made.close()


def test_captions_of_looks_are_in_the_language_of_the_studio(german):
    say(german, ask="preset", name="ticket")
    assert german.design.frame.caption == Caption("Eintritt für eine Person", subtitle="Code am Eingang vorzeigen")
    say(german, ask="preset", name="bubble")
    assert german.design.frame.caption == Caption("Zur Speisekarte")
    say(german, ask="edit", edits=[{"path": ["frame", "caption", "text"], "value": "Kommt herein"}])
    say(german, ask="preset", name="bar")
    assert german.design.frame.caption == Caption("Kommt herein")


def test_a_caption_by_default_is_written_in_the_language_of_the_studio(german):
    """So Python, which speaks English, draws what the studio shows."""
    say(german, ask="edit", edits=[{"path": ["frame", "kind"], "value": "pill"}])
    assert german.design.frame == Frame("pill", caption="Scan mich")
    say(german, ask="edit", edits=[{"path": ["frame", "kind"], "value": "border"}])
    assert german.design.frame == Frame("border")
    say(german, ask="edit", edits=[{"path": ["frame", "caption", "text"], "value": "Scan mich"}])
    assert german.design.frame == Frame("border", caption="Scan mich")
    say(german, ask="edit", edits=[{"path": ["frame", "kind"], "value": "bar"}])
    say(german, ask="edit", edits=[{"path": ["frame", "caption"], "value": None}])
    assert german.design.frame == Frame("bar", caption="Scan mich")


def test_issue_is_fixed_by_one_click_that_can_be_undone(studio):
    studio.design = weak = Design(content=TEXT, padding=0)
    say(studio, ask="check")
    number = next(number for number, one in enumerate(studio.state["badge"]["issues"]) if one["canFix"])
    say(studio, ask="fix", issue=number)
    report = weak.check("static")
    assert studio.design == report.fixed(report.issues[number])
    studio.undo()
    assert studio.design == weak
    for wrong in (99, -1, "0", None, True):
        say(studio, ask="fix", issue=wrong)
    assert studio.design == weak


def test_design_is_made_scannable_by_one_click_that_says_what_it_changed(studio):
    studio.design = weak = Design(content=TEXT, padding=1, foreground="#99AAAA")
    say(studio, ask="repair")
    repair = weak.make_scannable()
    assert studio.design == repair.design
    assert studio.state["note"] == "; ".join(change.message for change in repair.changes)
    studio.undo()
    assert (studio.design, studio.state["note"]) == (weak, "")


@pytest.mark.parametrize("name", ["svg", "png", "pdf", "eps"])
def test_download_is_the_file_that_python_writes(studio, sent, name):
    say(studio, ask="download", format=name, view="v")
    message, buffers = sent[-1]
    assert buffers == [studio.image.to_bytes(name)]
    assert message["name"].endswith(f".{name}")
    assert message["view"] == "v"


def test_file_of_a_link_is_named_without_its_query(studio, sent):
    studio.design = Design(content="https://example.com/spring?utm_source=flyer#top")
    say(studio, ask="download", format="svg", view="v")
    studio.design = Design(content="Open? Yes")
    say(studio, ask="download", format="svg", view="v")
    assert [message["name"] for message, _ in sent] == ["spring.svg", "Open_ Yes.svg"]


def test_copies_make_the_same_design(studio, sent):
    studio.design = Design(content=TEXT, foreground=Gradient.linear("navy", "teal"), markers=Markers.all("eye-3"))
    say(studio, ask="copy", form="python")
    say(studio, ask="copy", form="json")
    names: dict = {}
    exec(sent[0][0]["text"], names)
    assert names["design"] == Design.from_json(sent[1][0]["text"]) == studio.design


def test_icons_are_found_by_words(studio, sent):
    say(studio, ask="icons", words="Coffee maker", view="v")
    assert "coffee-maker" in sent[-1][0]["icons"]
    assert all("coffee" in name and "maker" in name for name in sent[-1][0]["icons"])
    say(studio, ask="icons", words="a")
    assert len(sent[-1][0]["icons"]) == 24


def test_templates_are_saved_and_loaded(studio):
    with open_portfolio(":memory:", base_url="https://go.example.com") as shop:
        Designer(TEXT, name="test", templates=shop.templates)
        studio.design = Design(content=TEXT, modules=Modules(type="dots"))
        say(studio, ask="save", name="dotted")
        assert shop.templates.names() == [look["name"] for look in studio.state["saved"]["looks"]] == ["dotted"]
        studio.design = Design(content="other")
        say(studio, ask="load", name="dotted")
        assert studio.design == Design(content="other", modules=Modules(type="dots"))
        say(studio, ask="save", name="")
        assert "1..100 characters" in studio.errors["saved.name"]
        say(studio, ask="load", name="none")
        assert "none" in studio.errors["saved"]


@pytest.mark.parametrize("kind", ["bar", "bubble", "card", "seal"])
def test_words_of_a_frame_lie_on_the_picture_outside_of_the_symbol(studio, kind):
    assert studio.state["words"] == []
    frame = {"kind": kind, "caption": {"text": "See the menu", "subtitle": "and more"}}
    say(studio, ask="edit", edits=[{"path": ["frame"], "value": frame}])
    words, (width, height) = studio.state["words"], studio.state["size"]
    assert [(one["field"], one["text"]) for one in words] == [("text", "See the menu"), ("subtitle", "and more")]
    for one in words:
        left, top, right, bottom = one["box"]
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height
        box = tuple(map(round, one["box"]))
        colors = Image.open(BytesIO(studio.image.to_bytes("png"))).convert("L").crop(box).getcolors()
        assert len(colors) > 1
    say(studio, ask="edit", edits=[{"path": ["frame", "caption", "text"], "value": "Menu"}])
    assert studio.state["words"][0]["text"] == "Menu"


def test_a_logo_and_its_plate_are_told_to_the_browser_as_one(studio):
    assert studio.state["logo"] is None
    say(studio, ask="edit", edits=[{"path": ["logo", "content"], "value": "icon:heart"}])
    assert studio.state["logo"]["layers"] == [0, 1]
    say(studio, ask="edit", edits=[{"path": ["logo", "plate"], "value": None}])
    assert studio.state["logo"]["layers"] == [0]


def test_design_is_opened_from_a_file(studio):
    given = Design(content="from a file", size=5)
    say(studio, ask="open", text=given.to_json())
    assert studio.design == given
    say(studio, ask="open", text="no design")
    assert studio.errors["file"]


def test_bundle_carries_widget_and_picture_of_the_last_state(studio):
    say(studio, ask="edit", edits=[{"path": ["content"], "value": "last"}])
    bundle, _ = studio._repr_mimebundle_()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == studio.model_id
    assert decode(bundle["image/png"]).content == "last"
    assert bundle["image/svg+xml"] == QRImage(Design(content="last")).small_svg()
    assert "<Designer 'test'" in bundle["text/plain"]


def test_twin_follows_the_design_where_it_was_shown(studio, monkeypatch):
    shell = InteractiveShell.instance()
    published = []
    monkeypatch.setattr(shell.display_pub, "publish", lambda **given: published.append(given))
    studio._ipython_display_()
    widget, twin = published
    assert "text/html" not in widget["data"]
    assert widget["data"]["application/vnd.jupyter.widget-view+json"]
    say(studio, ask="keep")
    assert len(published) == 2, "nothing has changed"
    studio.design = Design(content="another <b>")
    assert not studio.state["kept"]
    say(studio, ask="keep")
    assert studio.state["kept"]
    after = published[-1]
    assert after["update"]
    assert after["transient"] == twin["transient"]
    assert "another &lt;b&gt;" in after["data"]["text/html"]
    assert InteractiveShell.initialized()
    InteractiveShell.clear_instance()


def test_a_large_picture_in_a_design_does_not_travel_with_each_change(studio):
    file = BytesIO()
    Image.effect_noise((300, 300), 90).save(file, "PNG")
    logo = data_uri(file.getvalue())
    studio.design = Design(content=TEXT, ec="H", layers=[Layer(logo, x=90, y=90, width=30, height=30)])
    assert len(logo) > 90_000
    assert len(json.dumps(studio.state["values"])) < 1000
    say(studio, ask="edit", edits=[{"path": ["layers", 0, "x"], "value": 95}])
    assert studio.design.layers[0].content == logo


def test_a_picture_of_many_forms_is_sent_as_pixels(studio):
    studio.design = Design(content=TEXT * 80, modules=Modules(type="liquid"))
    assert decode(studio.state["picture"]["png"]).content == TEXT * 80


def test_one_message_is_answered_by_one_state(studio):
    states = []
    studio.observe(lambda change: states.append(change.new), "state")
    say(studio, ask="edit", edits=[{"path": ["size"], "value": 12}])
    assert len(states) == 1


def test_it_is_a_widget_of_ipywidgets(studio):
    assert isinstance(studio, ipywidgets.DOMWidget)
