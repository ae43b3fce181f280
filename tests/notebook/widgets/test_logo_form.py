"""The logo, the gallery of presets and files for print in the studio, without a browser."""

import io
from base64 import b64encode
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from qrkit.widgets import Designer

from qrkit import Design, Layer, decode
from qrkit.design.presets import PRESETS
from qrkit.drawing.logo import placed_logo, scaled_logo, without_logo
from qrkit.drawing.untrusted.assets import data_uri

TEXT = "https://example.com/spring/2026?poster=12"


def banner():
    """A picture twice as wide as high."""
    file = io.BytesIO()
    Image.new("RGB", (40, 20), "crimson").save(file, "PNG")
    return data_uri(file.getvalue())


@pytest.fixture
def studio():
    made = Designer(TEXT, name="logo")
    yield made
    made.close()


def say(studio, **message):
    studio._handle_message(studio, message, [])


def set_logo(studio, **fields):
    say(studio, ask="edit", edits=[{"path": ["logo", name], "value": value} for name, value in fields.items()])


def test_a_logo_keeps_its_proportions_and_its_name_and_is_safe_at_first(studio):
    set_logo(studio, content=banner(), name="acme.png")
    layer = studio.design.layers[-1]
    assert (layer.name, layer.width / layer.height) == ("acme.png", pytest.approx(2, rel=0.01))
    assert (studio.state["logo"]["name"], studio.state["logo"]["plate"]) == ("acme.png", "rounded")
    say(studio, ask="check")
    say(studio, ask="keep")
    assert studio.state["badge"]["verdict"] == "robust"
    assert studio.state["logo"]["largest"] >= studio.state["logo"]["size"]
    assert decode(studio.image.to_bytes("png")).content == TEXT


@pytest.mark.slow
def test_a_large_picture_is_reduced_before_it_becomes_the_logo(studio):
    noise = np.random.default_rng(1).integers(0, 255, (1_500, 1_600, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, "PNG")
    set_logo(studio, content=f"data:image/png;base64,{b64encode(file.getvalue()).decode()}", name="photo.png")
    assert 1_000_000 < len(studio.design.layers[-1].content) < 6_000_000


def test_a_photo_in_heic_is_refused_with_advice(studio):
    heic = b64encode(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic").decode()
    set_logo(studio, content=f"data:image/heic;base64,{heic}", name="IMG_1.HEIC")
    assert "save it as JPEG" in studio.state["errors"]["logo.content"]


@pytest.mark.parametrize("plate", [None, "circle", "rounded", "square"])
def test_the_largest_size_that_is_named_leaves_half_of_the_error_correction_and_more_does_not(studio, plate):
    set_logo(studio, content=banner(), name="acme.png")
    set_logo(studio, plate=plate)
    say(studio, ask="check")
    say(studio, ask="keep")
    largest = studio.state["logo"]["largest"]
    set_logo(studio, size=largest)
    assert studio.image.scan.budget.used <= 0.5
    set_logo(studio, size=min(40, largest + 12))
    assert studio.image.scan.budget.used > 0.5


def test_a_ring_stays_when_the_size_or_the_picture_changes(studio):
    say(studio, ask="preset", name="badge")
    ring = placed_logo(studio.design).ring
    set_logo(studio, content=banner(), name="acme.png")
    set_logo(studio, size=14)
    assert (placed_logo(studio.design).ring, ring) == (ring, "#4c0519")


def test_size_and_plate_change_and_the_logo_goes_and_comes_back(studio):
    set_logo(studio, content="icon:coffee", name="coffee")
    before = studio.design
    set_logo(studio, size=12)
    assert studio.state["logo"]["size"] == pytest.approx(12, abs=0.1)
    set_logo(studio, plate=None)
    assert (studio.state["logo"]["plate"], len(studio.design.layers)) == (None, 1)
    set_logo(studio, content=None)
    assert (studio.state["logo"], studio.design.layers) == (None, ())
    for _ in range(3):
        studio.undo()
    assert studio.design == before


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"content": "data:image/png;base64,AAAA"}, "logo.content"),
        ({"content": "icon:coffe"}, "logo.content"),
        ({"content": "icon:coffee", "size": 300}, "logo.size"),
        ({"content": "icon:coffee", "size": 0}, "logo.size"),
        ({"content": "icon:coffee", "size": "wide"}, "logo.size"),
        ({"content": "icon:coffee", "plate": "star"}, "logo.plate"),
    ],
)
def test_what_cannot_be_a_logo_is_said_where_it_was_set_and_changes_nothing(studio, fields, path):
    set_logo(studio, **fields)
    assert path in studio.errors
    assert studio.design == Design(content=TEXT)


def test_a_logo_that_python_placed_is_the_one_of_the_form(studio):
    studio.design = Design(content=TEXT).with_logo("icon:heart", 0.15, plate="circle", name="heart")
    assert (studio.state["logo"]["name"], studio.state["logo"]["plate"]) == ("heart", "circle")
    assert studio.state["logo"]["size"] == pytest.approx(15, abs=0.1)


@given(
    share=st.floats(0.05, 0.4), to=st.floats(0.05, 0.4), plate=st.sampled_from([None, "circle", "rounded", "square"])
)
@settings(max_examples=20, deadline=None)
def test_a_logo_is_found_scaled_and_removed(share, to, plate):
    plain = Design(content=TEXT, ec="H", width=300)
    design = plain.with_logo("icon:heart", share, plate=plate, name="heart")
    placed = placed_logo(design, "icon:heart")
    assert (placed.plate, placed.share) == (plate, pytest.approx(share, abs=1e-3))
    scaled = scaled_logo(design, placed, to)
    assert placed_logo(scaled, "icon:heart").share == pytest.approx(to, abs=1e-3)
    for old, new in zip(design.layers, scaled.layers, strict=True):
        assert old.x + old.width / 2 == pytest.approx(new.x + new.width / 2, abs=0.02)
    assert without_logo(scaled, placed.layer) == plain


def test_presets_take_the_logo_along_and_leave_their_own_icons_behind(studio):
    for before, name in pairwise(["contact", "wifi", "plain"]):
        say(studio, ask="preset", name=before)
        say(studio, ask="preset", name=name)
    assert studio.design.layers == ()
    set_logo(studio, content=banner(), name="acme.png")
    for name in ("badge", "seal", "plain"):
        say(studio, ask="preset", name=name)
        assert placed_logo(studio.design).layer == 1
        assert (len(studio.design.layers), studio.state["logo"]["name"]) == (2, "acme.png")


def test_a_colorway_is_chosen_with_its_preset(studio):
    colorway = PRESETS["classy"].colorways[2]
    say(studio, ask="preset", name="classy", colorway=colorway)
    first = Designer(TEXT, name="other")
    say(first, ask="preset", name="classy")
    assert studio.design.foreground != first.design.foreground
    first.close()
    say(studio, ask="preset", name="classy", colorway="mauve")
    assert "is not a colorway of 'classy'" in studio.errors["colorway"]


def presets(*names):
    return [{"kind": "preset", "name": name} for name in names]


def test_thumbnails_show_the_content_and_come_a_few_at_a_time(studio, monkeypatch):
    sent = []
    monkeypatch.setattr(studio, "send", lambda message, buffers=None: sent.append((message, buffers)))
    say(studio, ask="looks", looks=presets("plain", "bubble", "nothing"))
    say(studio, ask="looks", looks=presets(*PRESETS))
    for looks in (None, "plain", [["plain"], 3]):
        say(studio, ask="looks", looks=looks)
    (first, pictures), (second, _), *others = sent
    assert [message["looks"] for message, _ in others] == [[], [], []]
    assert (first["looks"], second["looks"]) == (presets("plain", "bubble"), presets(*list(PRESETS)[:4]))
    assert decode(pictures[0]).content == TEXT
    assert Image.open(io.BytesIO(pictures[1])).width == 150


def test_a_thumbnail_of_the_largest_symbol_is_read(studio, monkeypatch):
    text, sent = "https://example.com/" + "x" * 2200, []
    monkeypatch.setattr(studio, "send", lambda message, buffers=None: sent.append(buffers))
    studio.design = Design(content=text, layers=[Layer("icon:heart", x=700, y=700, width=30, height=30)])
    say(studio, ask="looks", looks=presets("plain"))
    assert decode(sent[0][0]).content == text


def test_a_file_for_print_has_the_width_and_the_resolution(studio, monkeypatch):
    sent = []
    monkeypatch.setattr(studio, "send", lambda message, buffers=None: sent.append((message, buffers)))
    say(studio, ask="download", format="png", mm=40, dpi=600, name="Poster / left")
    (message, (data,)), picture = sent[0], Image.open(io.BytesIO(sent[0][1][0]))
    assert message["name"].endswith(".png")
    assert "/" not in message["name"]
    assert picture.width / picture.info["dpi"][0] * 25.4 == pytest.approx(40, rel=0.05)
    assert decode(data).content == TEXT
    say(studio, ask="download", format="png", mm=0.1)
    assert len(sent) == 1
    assert "2..5,000" in studio.errors[""] or "2..5000" in studio.errors[""]
