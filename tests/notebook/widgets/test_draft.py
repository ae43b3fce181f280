"""Designing by hand without a browser: every field, the way back, and what is refused."""

import json
import re
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from qrkit import (
    Caption,
    Design,
    Frame,
    Gradient,
    Layer,
    Marker,
    Markers,
    Modules,
    Photo,
    Sprite,
    Wrapper,
    data_uri,
    decode,
    generate,
)
from qrkit.errors import ContentTooLong, InvalidParameter, QrkitError
from qrkit.notebook.widgets.controls import GROUPS, Control, controls, groups
from qrkit.notebook.widgets.defaults import STARTS
from qrkit.notebook.widgets.studio.draft import Draft, Edit, messages, shown
from qrkit.notebook.widgets.upright_layers import layers_of
from tests.sweeps import quick_first

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M1 1h7v7h-7z"/></svg>'
PICTURE = data_uri(SVG.encode())
EYE = Marker("eye-3", inner_color="navy", outer_color="#102030", opacity=0.9)
LINEAR = Gradient.linear("navy", "teal", "black")
RADIAL = Gradient.radial("navy", "black").replace(fx=0.4, fy=0.4)
RICH = Design(
    content="12345",
    version=4,
    ec="H",
    width=400,
    height=420,
    foreground=LINEAR,
    background=RADIAL.replace(stops=Gradient.linear("white", "ivory").stops),
    modules=Modules(type="sprite", sprite="circle", sprites=[Sprite(width=9, height=9, content=PICTURE)]),
    markers=Markers(top_left=EYE, top_right=EYE, bottom_left=EYE),
    layers=[Layer("icon:heart", x=150, y=150, width=60, height=60, color="red", display="box-hit-test")],
    wrapper=Wrapper(
        source=PICTURE, width=900, height=900, placeholder={"x": 100, "y": 100, "width": 500, "height": 500}
    ),
)
"""A design in which every optional field has a value."""


def leaves(found: tuple[Control, ...], path: tuple = ()) -> list[tuple[tuple, Control]]:
    """Every control that holds a value, with its path; of lists, those of the first entry."""
    result = []
    for control in found:
        here = (*path, control.name)
        if control.kind == "record":
            result += leaves(control.fields, here)
        elif control.kind == "list":
            entry = control.fields[0]
            result += leaves(entry.fields, (*here, 0)) if entry.fields else [((*here, 0), entry)]
        elif control.kind == "either":
            result += [(here, control.fields[0]), *leaves(control.fields[1].fields, here)]
        else:
            result.append((here, control))
    return result


LEAVES = leaves(controls(Design))
SAMPLES = {
    "text": ["", "A name", "<b>&\"'"],
    "paragraph": ["1", "987654321"],
    "picture": ["icon:home", "data:image/svg+xml," + SVG.replace("#", "%23")],
    "color": ["#FF102030", "#80FF0000", "#00000000"],
    "switch": [True, False],
}


def test_rings_of_eyes_in_the_color_of_the_foreground_follow_it():
    draft = Draft(
        Design(content="1", foreground="navy", markers=Markers.all("eye-2", inner_color="red", outer_color="navy"))
    )
    draft.edit(Edit(("foreground",), value="#7A1F3D"))
    marker = draft.design.markers.top_left
    assert (marker.outer_color.rgb, marker.inner_color.rgb) == ("#7A1F3D", "#FF0000")
    draft.edit(Edit(("markers", "topLeft", "outerColor"), value="#000000"), Edit(("foreground",), value="#001122"))
    assert draft.design.markers.top_left.outer_color.rgb == "#000000"
    assert draft.design.markers.top_right.outer_color.rgb == "#001122"


def test_a_content_of_kanji_may_be_encoded_as_kanji():
    draft = Draft(Design(content="漢字"))
    draft.edit(Edit(("em",), "set", "kanji"))
    assert draft.design.em == "kanji"


def samples(path: tuple, control: Control) -> list:
    """Values to set: all choices, both ends of a range and its middle, colours and texts of all kinds."""
    if path in NARROWER:
        return NARROWER[path]
    if path[:2] in (("markers", "topRight"), ("markers", "bottomLeft")):
        # As at the top left, where all are tried.
        values = samples(("markers", "topLeft", *path[2:]), control)
        return [values[0], values[-1]]
    if control.kind == "choice":
        # No content is both digits and kanji; and of module types, only sprites have fields of their own.
        left_out = ("kanji",) if path == ("em",) else ()
        wanted = ("sprite",) if path == ("modules", "type") else control.choices
        return [one for one in control.choices if one in wanted and one not in left_out]
    if control.kind != "number":
        return SAMPLES[control.kind]
    if control.low is None:
        return [0, 1, 12345]
    return [control.low, (control.low + control.high) // 2, control.high]


NARROWER = {
    # Ends of a range that other fields, or the picture, leave no room for.
    ("version",): [1, 4, 20],
    ("size",): [1, 8, 20],
    ("padding",): [0, 4, 20],
    ("width",): [200, 333, 1000],
    ("height",): [200, 333, 1000],
    ("wrapper", "width"): [600, 1000, 2000],
    ("wrapper", "height"): [600, 1000, 2000],
    ("wrapper", "placeholder", "x"): [0, 1, 400],
    ("wrapper", "placeholder", "y"): [0, 1, 400],
    ("wrapper", "placeholder", "width"): [200, 250.5, 800],
    ("wrapper", "placeholder", "height"): [200, 250.5, 800],
    ("photo", "content"): [PICTURE],
    ("frame", "kind"): ["bar", "seal", "viewfinder"],
    ("frame", "caption", "text"): ["A name", "<b>&\"'"],
    ("frame", "caption", "subtitle"): ["A name", "<b>&\"'"],
    ("frame", "radius"): [0, 0.1, 0.3],
    ("frame", "icon"): ["heart", "wifi"],
    ("foreground", "radius"): [0.1, 1, 5],
    ("background", "radius"): [0.1, 1, 5],
    ("layers", 0, "width"): [0.1, 50, 1000],
    ("layers", 0, "height"): [0.1, 50, 1000],
    ("layers", 0, "rotation"): [-179, 0, 180],  # -180 means the same as 180
    # Stops are sorted: a later one would be another one then.
    **{(fill, "stops", 0, "offset"): [0, 0.25] for fill in ("foreground", "background")},
    ("modules", "sizes", 0): [0.6, 0.75, 0.8],
    ("modules", "sprites", 0, "width"): [0.1, 9.5, 100],
    ("modules", "sprites", 0, "height"): [0.1, 9.5, 100],
}


def value_at(design: Design, path: tuple):
    here = json.loads(design.to_json())
    if path[0] == "layers":
        here["layers"] = layers_of(design)
    for step in path:
        here = here.get(step) if isinstance(here, dict) else here[step]
    return here


def base_for(path: tuple) -> Design:
    if path == ("micro",):
        return Design(content="12345")
    if path[0] == "frame":
        caption = Caption("Scan me", subtitle="Open", color="white")
        frame = Frame("bar", caption=caption, color="navy", background="white", icon="home")
        return RICH.replace(wrapper=None, frame=frame)
    if path[0] == "photo":
        return RICH.replace(photo=Photo(PICTURE))
    if path[0] == "foreground" and path[-1] in ("cx", "cy", "fx", "fy", "radius"):
        return RICH.replace(foreground=RADIAL)
    if path[0] == "background" and path[-1] in ("x", "y"):
        return RICH.replace(background=Gradient.linear("white", "ivory"))
    if path[:2] in (("modules", "sizes"), ("modules", "palette")):
        return RICH.replace(modules=RICH.modules.replace(sizes=(0.8, 1), palette=["navy"]))
    if path[:2] == ("modules", "sprites"):
        return RICH.replace(modules=RICH.modules.replace(sprite=None))
    return RICH


CASES = [(path, control) for path, control in LEAVES]


@pytest.mark.parametrize("some", quick_first([slice(-1, None), slice(None)]), ids=["one", "all"])
@pytest.mark.parametrize(("path", "control"), CASES, ids=[".".join(map(str, path)) for path, _ in CASES])
def test_value_goes_in_at_a_control_and_comes_out_of_the_design(path, control, some):
    base = base_for(path)
    for value in samples(path, control)[some]:
        draft = Draft(base)
        draft.edit(Edit(path, "set", value))
        assert value_at(draft.design, path) == value
        assert Design.from_json(draft.design.to_json()) == draft.design


@pytest.mark.parametrize(("path", "control"), CASES, ids=[".".join(map(str, path)) for path, _ in CASES])
def test_what_a_control_refuses_is_told_beside_it_and_changes_nothing(path, control):
    wrong = {"number": "many", "choice": "none of them", "color": "blak", "switch": "perhaps", "picture": ""}
    value = wrong.get(control.kind, "" if control.kind == "paragraph" else 7)
    draft = Draft(base_for(path))
    before, edit = draft.design, Edit(path, "set", value)
    with pytest.raises(QrkitError) as caught:
        draft.edit(edit)
    assert draft.design is before
    assert not draft.can_undo
    assert ".".join(map(str, path)) in messages(caught.value, [edit])


# ---- what is made of types


def test_every_field_of_a_design_has_a_control_in_a_group():
    found = [control.name for group in groups().values() for control in group]
    assert sorted(found) == sorted(str(field.alias) for name, field in Design.model_fields.items() if name != "part")
    assert list(groups()) == list(GROUPS)


def test_controls_know_bounds_units_choices_and_help():
    by_path = dict(LEAVES)
    size = by_path[("size",)]
    assert (size.low, size.high, size.unit, size.whole, size.slider) == (1, 20, "pixels per module", True, True)
    assert (size.label, size.help) == ("Module size", "Pixels per module.")
    assert by_path[("ec",)].choices == ("L", "M", "Q", "H")
    assert by_path[("markers", "topLeft", "innerColor")].optional
    assert not by_path[("layers", 0, "x")].slider
    assert by_path[("layers", 0, "x")].label == "Left"
    assert [path for path, control in LEAVES if not control.help and path[-1] not in ("foreground", "background")] == []
    assert re.search(r"`|\bNone\b|[a-z]_[a-z]|colour|qrkit", " ".join(control.help for _, control in LEAVES)) is None


EMPTIED = ("choice", "text", "picture", "color")
"""Kinds of fields that are switched off by emptying them; others have a box."""
OPTIONAL = [path for path, control in LEAVES if control.optional and control.kind not in EMPTIED] + [
    ("wrapper",), ("foreground", "direction"),
]  # fmt: skip


@pytest.mark.parametrize("path", quick_first(OPTIONAL, 14), ids=lambda path: ".".join(map(str, path)))
def test_optional_field_is_switched_on_and_off_again(path):
    draft = Draft(base_for(path))
    if "direction" in path:
        draft = Draft(RICH)
    draft.edit(Edit(path, "set", None))
    assert value_at(draft.design, path) is None
    draft.edit(Edit(path, "start"))
    assert value_at(draft.design, path) is not None


@pytest.mark.parametrize("name", ["foreground", "background"])
def test_fill_becomes_gradient_and_colour_again(name):
    draft = Draft(Design(content="hi", foreground="#80102030"))
    first = getattr(draft.design, name)
    draft.edit(Edit((name,), "start", "gradient"))
    assert isinstance(getattr(draft.design, name), Gradient)
    draft.edit(Edit((name, "gradient"), "set", "radial"))
    draft.edit(Edit((name, "units"), "set", "absolute"))
    draft.edit(Edit((name, "stops"), "start"))
    assert len(getattr(draft.design, name).stops) == 3
    draft.edit(Edit((name, "stops", 1), "remove"))
    draft.edit(Edit((name,), "start", "color"))
    assert getattr(draft.design, name) == (first if name == "background" else getattr(draft.design, name))


@pytest.mark.parametrize("gradient", [LINEAR, RADIAL], ids=["linear", "radial"])
def test_gradient_stays_where_it_is_when_its_unit_changes(gradient):
    draft = Draft(Design(content="hi", foreground=gradient))
    before = draft.image.to_bytes("png")
    draft.edit(Edit(("foreground", "units"), "set", "absolute"))
    assert draft.design.foreground.units == "absolute"
    assert draft.image.to_bytes("png") == before
    draft.edit(Edit(("foreground", "units"), "set", "relative"))
    assert draft.image.to_bytes("png") == before


def test_layers_are_added_moved_and_removed():
    draft = Draft(Design(content="https://example.com"))
    draft.edit(Edit(("layers",), "start"))
    draft.edit(Edit(("layers",), "start"))
    draft.edit(Edit(("layers", 1, "content"), "set", "icon:home"))
    draft.edit(Edit(("layers", 1), "move", 0))
    assert [layer.content for layer in draft.design.layers] == ["icon:home", "icon:heart"]
    draft.edit(Edit(("layers", 0), "remove"))
    assert [layer.content for layer in draft.design.layers] == ["icon:heart"]


def png(width, height):
    file = BytesIO()
    Image.new("RGB", (width, height), "navy").save(file, "png")
    return data_uri(file.getvalue())


@given(st.integers(1, 400), st.integers(1, 400))
@settings(max_examples=25)
def test_a_picture_in_the_place_of_another_keeps_its_own_proportions(width, height):
    layer = Layer("icon:heart", x=130, y=120, width=60, height=40, name="Logo")
    draft = Draft(Design(content="https://example.com", ec="H", layers=[layer]))
    draft.edit(Edit(("layers", 0, "content"), "set", png(width, height)))
    made = draft.design.layers[0]
    wide, high = (60, 60 * height / width) if width >= height else (60 * width / height, 60)
    assert (made.width, made.height) == pytest.approx((wide, high), abs=0.01)
    assert (made.x + made.width / 2, made.y + made.height / 2) == pytest.approx((160, 140), abs=0.02)
    assert made.name == "Logo"
    draft.undo()
    assert draft.design.layers[0] == layer


def test_what_is_no_picture_changes_no_place():
    layer = Layer("icon:heart", x=130, y=120, width=60, height=40)
    draft = Draft(Design(content="https://example.com", layers=[layer]))
    for content in ("icon:no-such-icon", "data:image/png;base64,AAAA", 7, None):
        with pytest.raises(QrkitError):
            draft.edit(Edit(("layers", 0, "content"), "set", content))
    with pytest.raises(InvalidParameter):
        draft.edit(Edit(("layers", 0, "width"), "set", []), Edit(("layers", 0, "content"), "set", PICTURE))
    assert draft.design.layers[0] == layer


@pytest.mark.parametrize("content", quick_first(["hi", "https://example.com", "x" * 200]))
@pytest.mark.parametrize("path", [("layers",), ("wrapper",), ("modules", "sprites")])
def test_what_is_added_leaves_the_code_readable(content, path):
    draft = Draft(Design(content=content))
    draft.edit(Edit(path, "start"))
    assert decode(draft.image.to_bytes("png")).content == content


def test_sprite_and_type_follow_each_other():
    draft = Draft(Design(content="hi"))
    draft.edit(Edit(("modules", "type"), "set", "sprite"))
    assert draft.design.modules.sprite == "circle"
    draft.edit(Edit(("modules", "type"), "set", "dots"))
    assert draft.design.modules == Modules(type="dots")
    draft.edit(Edit(("modules", "sprite"), "set", "star"))
    assert draft.design.modules == Modules(type="sprite", sprite="star")
    draft.edit(Edit(("modules", "sprite"), "set", None))
    assert draft.design.modules == Modules()
    draft.edit(Edit(("modules", "sprites"), "start"))
    assert draft.design.modules.type == "sprite"
    draft.edit(Edit(("modules", "sprites", 0), "remove"))
    assert draft.design.modules.type == "default"


def test_modules_and_the_place_of_a_photo_follow_each_other():
    draft = Draft(Design(content="hi", modules={"type": "fluid"}))
    draft.edit(Edit(("photo", "content"), "set", PICTURE))
    assert (draft.design.photo.place, draft.design.modules.type) == ("behind", "fluid")
    for place in ("inside", "halftone"):
        draft.edit(Edit(("photo", "place"), "set", place))
        assert (draft.design.photo.place, draft.design.modules) == (place, Modules())
        draft.edit(Edit(("modules", "type"), "set", "fluid"))
        assert draft.design.photo.place == "behind"
    draft.edit(Edit(("modules", "type"), "set", "dots"))
    draft.edit(Edit(("photo", "place"), "set", "inside"))
    assert draft.design.modules.type == "dots"
    draft.edit(Edit(("modules", "palette"), "set", ["#FF102030"]))
    assert draft.design.photo.place == "behind"
    before = draft.design
    with pytest.raises(InvalidParameter):
        draft.edit(Edit(("photo", "place"), "set", "above"))
    assert draft.design is before


def test_layers_keep_their_place_when_the_picture_grows():
    layer = Layer("icon:heart", x=132, y=50, width=40, height=20)
    draft = Draft(Design(content="https://example.com", layers=[layer]))
    draft.edit(Edit(("size",), "set", 16))
    grown = draft.design.layers[0]
    assert (grown.x, grown.y, grown.width, grown.height) == (264, 100, 80, 40)
    draft.edit(Edit(("size",), "set", 8))
    assert draft.design.layers[0] == layer


def test_placeholder_grows_with_its_wrapper():
    draft = Draft(RICH)
    draft.edit(Edit(("wrapper", "width"), "set", 1800))
    hole = draft.design.wrapper.placeholder
    assert (hole.x, hole.y, hole.width, hole.height) == (200, 100, 1000, 500)


@pytest.mark.parametrize("flip", ["none", "horizontal", "vertical", "both"])
@pytest.mark.parametrize("wrapped", [False, True])
def test_matrix_says_where_a_layer_is_seen(flip, wrapped):
    box = Layer("data:image/svg+xml," + SVG.replace("M1 1h7v7h-7z", "M0 0h9v9h-9z"), x=20, y=60, width=40, height=30)
    design = Design(content="hi", flip=flip, layers=[box], wrapper=RICH.wrapper if wrapped else None)
    told = shown(Draft(design))
    scale_x, scale_y, move_x, move_y = told["matrix"]
    left, right = sorted((box.x * scale_x + move_x, (box.x + box.width) * scale_x + move_x))
    top, bottom = sorted((box.y * scale_y + move_y, (box.y + box.height) * scale_y + move_y))
    changed = _difference(design, design.replace(layers=()))
    assert changed == pytest.approx((left, top, right, bottom), abs=4)


def _difference(one: Design, other: Design) -> tuple[int, int, int, int]:
    """The box in which two pictures differ."""
    pictures = [Image.open(BytesIO(generate(design).to_bytes("png"))).convert("L") for design in (one, other)]
    return ImageChops.difference(*pictures).getbbox()


@settings(max_examples=25)
@given(st.lists(st.sampled_from(["size 3", "size 9", "padding 2", "undo", "redo", "type", "bad"]), max_size=12))
def test_history_is_what_was_accepted(steps):
    draft = Draft(Design(content="hi"))
    past, future, now = [], [], draft.design
    for step in steps:
        before = now
        if step == "undo":
            draft.undo()
            if past:
                future.append(now)
                now = past.pop()
        elif step == "redo":
            draft.redo()
            if future:
                past.append(now)
                now = future.pop()
        else:
            name, _, value = step.partition(" ")
            path = ("modules", "type") if name == "type" else ("size",) if name == "bad" else (name,)
            edit = Edit(path, "set", {"type": "dots", "bad": 99}.get(name) or int(value))
            try:
                draft.edit(edit)
            except InvalidParameter:
                assert step == "bad"
            if draft.design != before:
                past, future, now = [*past, before], [], draft.design
        assert draft.design == now
        assert (draft.can_undo, draft.can_redo) == (bool(past), bool(future))


def test_only_so_many_steps_are_kept():
    draft = Draft(Design(content="0"))
    for number in range(1, 220):
        draft.take(Design(content=str(number)))
    steps = 0
    while draft.can_undo:
        draft.undo()
        steps += 1
    assert steps == 200


@pytest.mark.parametrize(
    "message",
    [
        None,
        3,
        {},
        {"path": []},
        {"path": "size"},
        {"path": ["x"] * 13},
        {"path": [1.5]},
        {"path": ["size"], "do": "fly"},
    ],
)
def test_what_is_no_edit_is_refused(message):
    with pytest.raises(InvalidParameter, match="edit"):
        Edit.parse(message)


def test_content_that_does_not_fit_is_told_at_the_content():
    draft = Draft(Design(content="hi", version=1))
    edit = Edit(("content",), "set", "x" * 50)
    with pytest.raises(ContentTooLong) as caught:
        draft.edit(edit)
    assert list(messages(caught.value, [edit])) == ["content"]


def test_rule_of_another_field_is_told_at_the_one_that_was_touched():
    draft = Draft(Design(content="hi"))
    edit = Edit(("em",), "set", "numeric")
    with pytest.raises(InvalidParameter) as caught:
        draft.edit(edit)
    assert set(messages(caught.value, [edit])) == {"content", "em"}


def test_starts_are_for_fields_that_exist():
    names = {".".join(str(step) for step in path if isinstance(step, str)) for path, _ in LEAVES}
    assert [name for name in STARTS if not any(one == name or one.startswith(f"{name}.") for one in names)] == []


@pytest.mark.parametrize(
    ("sprite", "version", "kind"), [("circle", 4, "svg"), ("star", 12, "png"), ("circle", 12, "png")]
)
def test_the_browser_gets_an_svg_unless_it_is_long(sprite, version, kind):
    """Most long ones are not even written, others are found to be long."""
    design = Design(content="hi", version=version, modules={"type": "sprite", "sprite": sprite})
    picture = shown(Draft(design))["picture"]
    svg = generate(design).small_svg()
    assert (len(svg) <= 100_000) == (kind == "svg")
    assert picture == ({"svg": svg} if kind == "svg" else {"png": generate(design).to_bytes("png", compression=1)})
