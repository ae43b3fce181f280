"""Photos as data: what they take, what they refuse, and how they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit import Design, Modules, Photo
from qrkit.design.limits import MODULE_TYPES
from qrkit.design.source import python_source
from qrkit.errors import InvalidParameter, UnknownParameter

URI = "data:image/png;base64,AAAA"
DOT = {"width": 9, "height": 9, "content": "icon:heart"}
PLACES = ("behind", "inside", "halftone")


def broken(**fields):
    with pytest.raises(InvalidParameter) as caught:
        Design(content="hi", **fields)
    return {problem.name: problem.rule for problem in caught.value.problems}


@given(st.sampled_from(PLACES), st.text("abc:/,;äöü\"'\\", min_size=1))
def test_photo_survives_json_and_python(place, content):
    design = Design(content="hi", photo=Photo(content, place=place))
    assert Design.from_json(design.to_json()) == design
    names = {}
    exec(python_source(design), names)
    assert names["design"] == design


def test_photo_lies_behind_the_modules_unless_told_otherwise():
    assert Photo(URI).place == "behind"
    assert Photo(URI, place="INSIDE").place == "inside"
    design = Design(content="hi", photo={"content": URI, "place": "Halftone"})
    assert design.photo == Photo(URI, place="halftone")
    assert design.pictures == {"photo.content": URI}


@pytest.mark.parametrize(
    ("photo", "field", "rule"),
    [
        ({}, "photo.content", "required"),
        ({"content": ""}, "photo.content", "must not be empty"),
        ({"content": "Icon:heart"}, "photo.content", "not an icon"),
        ({"content": URI, "place": "over"}, "photo.place", "must be one of"),
        ({"content": 7}, "photo.content", "must be a text"),
        (URI, "photo", "must be an object"),
    ],
)
def test_error_names_the_field_and_the_rule(photo, field, rule):
    problems = broken(photo=photo)
    assert list(problems) == [field]
    assert rule in problems[field]


def test_unknown_field_is_refused():
    with pytest.raises(UnknownParameter, match="opacity"):
        Photo(URI, opacity=0.5)


OWN_OUTLINES = ("default", "dots", "gapped", "rounded", "bars", "columns", "sprite")


@pytest.mark.parametrize("type", [one for one in MODULE_TYPES if one not in ("default", "sprite")])
def test_modules_that_flow_together_have_no_photo_inside_and_no_others_than_squares_have_one_between_them(type):
    for place in ("halftone",) if type in OWN_OUTLINES else ("inside", "halftone"):
        rule = broken(photo=Photo(URI, place=place), modules=Modules(type=type))["photo"]
        assert rule.startswith(f"place={place} needs modules.type=default") and rule.endswith(f"not {type}")
    Design(content="hi", photo=Photo(URI), modules=Modules(type=type))


@pytest.mark.parametrize(
    ("place", "modules", "rule"),
    [
        ("inside", {"type": "dots", "palette": ["navy"]}, "leave out modules.palette"),
        ("inside", {"type": "sprite", "sprites": [DOT]}, "needs a built-in sprite"),
        ("halftone", {"type": "dots"}, "needs modules.type=default, not dots"),
    ],
)
def test_modules_that_cannot_take_the_colors_of_a_photo_are_refused(place, modules, rule):
    assert rule in broken(photo=Photo(URI, place=place), modules=modules)["photo"]
    Design(content="hi", photo=Photo(URI), modules=modules)
