"""Frames and captions as data: what they take, what they refuse, and how they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit import Caption, Design, Frame, Wrapper
from qrkit.design.frames import FRAME_KINDS
from qrkit.design.source import python_source
from qrkit.errors import InvalidParameter, UnknownParameter

HOLE = {"x": 0, "y": 0, "width": 90, "height": 90}
letters = st.text("abc XYZ äöü ΑΒΓ где 123 &?!·", min_size=1, max_size=60).filter(str.strip)
captions = st.builds(Caption, letters, subtitle=st.none() | letters, weight=st.sampled_from(["regular", "bold"]))
frames = st.builds(
    Frame,
    st.sampled_from([kind for kind in FRAME_KINDS if kind not in ("legend", "pill", "ribbon")]),
    caption=st.none() | captions,
    color=st.none() | st.just("navy"),
    background=st.none() | st.just("ivory"),
    radius=st.floats(0, 0.3),
    icon=st.none() | st.just("home"),
    side=st.sampled_from(["top", "bottom"]),
)


def broken(**fields):
    with pytest.raises(InvalidParameter) as caught:
        Design(content="hi", **fields)
    return {problem.name: problem for problem in caught.value.problems}


@given(frames)
def test_frame_survives_json_and_python(frame):
    design = Design(content="hi", frame=frame)
    assert Design.from_json(design.to_json()) == design
    names = {}
    exec(python_source(design), names)
    assert names["design"] == design


def test_string_names_a_frame_and_a_caption():
    design = Design(content="hi", frame="BAR")
    assert design.frame == Frame("bar")
    assert Frame("bar", caption="Menu") == Frame("bar", caption=Caption("Menu"))
    assert Design.from_json('{"content": "hi", "frame": "bar"}') == design
    assert Design(content="hi", frame={"kind": "seal", "caption": "Menu"}).frame.caption.text == "Menu"


def test_frame_and_wrapper_exclude_each_other():
    wrapper = Wrapper(source="icon:home", width=90, height=90, placeholder=HOLE)
    assert "leave out one" in broken(frame="bar", wrapper=wrapper)["frame"].rule


@pytest.mark.parametrize(
    ("frame", "field", "rule"),
    [
        ("circle", "frame.kind", "must be one of"),
        ({"kind": "bar", "radius": 0.31}, "frame.radius", "0..0.3"),
        ({"kind": "bar", "radius": -0.01}, "frame.radius", "0..0.3"),
        ({"kind": "bar", "side": "left"}, "frame.side", "must be one of"),
        ({"kind": "bar", "color": "blak"}, "frame.color", "colo"),
        ({"kind": "bar", "icon": "x" * 65}, "frame.icon", "1..64 characters"),
        ({"kind": "bar", "caption": "x" * 61}, "frame.caption.text", "1..60 characters"),
        ({"kind": "bar", "caption": {"text": "a", "subtitle": "x" * 61}}, "frame.caption.subtitle", "1..60 characters"),
        ({"kind": "bar", "caption": {"text": "a", "font": "x" * 3_000_001}}, "frame.caption.font", "1..3000000"),
        ({"kind": "bar", "caption": "  "}, "frame.caption.text", "must not be blank"),
        ({"kind": "bar", "caption": "two\nlines"}, "frame.caption.text", "must be a single line"),
        ({"kind": "bar", "caption": "שלום"}, "frame.caption.text", "Hebrew letters"),
        ({"kind": "bar", "caption": "Scan مرحبا"}, "frame.caption.text", "Arabic letters"),
        ({"kind": "bar", "caption": "नमस्ते"}, "frame.caption.text", "DEVANAGARI"),
        ({"kind": "bar", "caption": "x\u0335"}, "frame.caption.text", "COMBINING"),
        (
            {"kind": "bar", "caption": "a\u200bb"},
            "frame.caption.text",
            "invisible character (character 2 is ZERO WIDTH",
        ),
        ({"kind": "bar", "caption": "\u202ea"}, "frame.caption.text", "RIGHT-TO-LEFT OVERRIDE); remove it"),
        ({"kind": "bar", "caption": {"text": 7}}, "frame.caption.text", "must be a text"),
        (7, "frame", "must be an object"),
        ({"kind": "pill", "caption": {"text": "a", "subtitle": "b"}}, "frame.caption", "has one line"),
    ],
)
def test_error_names_the_field_and_the_rule(frame, field, rule):
    assert rule in broken(frame=frame)[field].rule


def test_misspelled_field_is_refused_with_a_suggestion():
    with pytest.raises(UnknownParameter, match="caption"):
        Frame("bar", captoin="Menu")
