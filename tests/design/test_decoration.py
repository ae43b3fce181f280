"""The records of a decorated design: what they take, what they refuse and how they say so."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Color, Design, Gradient, Layer, Marker, Markers, Modules, Placeholder, Sprite, Stop, Wrapper
from qrkit.design.limits import MARKER_PATTERNS, MODULE_TYPES, SPRITE_NAMES
from qrkit.errors import InvalidParameter, MissingParameter, UnknownParameter

DOT = "icon:circle"
BOX = {"x": 0, "y": 0, "width": 10, "height": 10}
STOPS = [{"offset": 0, "color": "red"}, {"offset": 1, "color": "blue"}]


def built(record, **fields):
    return st.fixed_dictionaries(fields).map(lambda found: record(**found))


colors = st.builds(Color, *[st.integers(0, 255)] * 4)
shares = st.floats(0, 1)
coordinates = st.floats(-10_000, 10_000)
extents = st.floats(0.1, 10_000)
assets = st.sampled_from([DOT, "data:image/png;base64,AAAA", "https://example.com/ä?b=\"c\"&d='e'"])
points = st.fixed_dictionaries({"x": coordinates, "y": coordinates})
stops = st.lists(built(Stop, offset=shares, color=colors, opacity=shares), min_size=2, max_size=50)
gradients = built(
    Gradient,
    gradient=st.just("linear"),
    units=st.sampled_from(["relative", "absolute"]),
    direction=st.fixed_dictionaries({"start": points, "stop": points}),
    stops=stops,
) | built(
    Gradient,
    gradient=st.just("radial"),
    units=st.sampled_from(["relative", "absolute"]),
    **dict.fromkeys(("cx", "cy"), coordinates),
    **dict.fromkeys(("fx", "fy"), st.none() | coordinates),
    radius=extents,
    stops=stops,
)
sprites = built(
    Sprite,
    name=st.text(max_size=5),
    type=st.sampled_from(["fill", "blank", "padding", "both"]),
    width=extents,
    height=extents,
    content=assets,
)
modules = built(
    Modules,
    type=st.sampled_from([one for one in MODULE_TYPES if one != "sprite"]),
    union=st.none() | st.booleans(),
    sprites=st.lists(sprites, max_size=3),
    seed=st.integers(),
) | built(
    Modules,
    type=st.just("sprite"),
    sprite=st.sampled_from(SPRITE_NAMES),
    sizes=st.none() | st.lists(st.floats(0.3, 1), min_size=2, max_size=2).map(sorted),
    palette=st.lists(colors, max_size=8),
)
marker = built(
    Marker,
    pattern=st.sampled_from(MARKER_PATTERNS),
    inner_color=st.none() | colors,
    outer_color=st.none() | colors,
    opacity=shares,
)
layers = built(
    Layer,
    content=st.just(DOT),
    name=st.text(max_size=5),
    **dict.fromkeys(("x", "y"), coordinates),
    **dict.fromkeys(("width", "height"), extents),
    opacity=shares,
    color=st.none() | colors,
    display=st.sampled_from(["overlay", "box-hit-test", "pixel-hit-test"]),
    tolerance=st.floats(-1000, 1000),
)
wrappers = built(
    Wrapper,
    source=assets,
    width=st.integers(30, 10_000),
    height=st.integers(30, 4_000),
    placeholder=built(
        Placeholder, **dict.fromkeys(("x", "y"), st.floats(0, 10)), **dict.fromkeys(("width", "height"), extents)
    ).filter(lambda hole: max(hole.x + hole.width, hole.y + hole.height) <= 30),
)
designs = built(
    Design,
    content=st.just("hello"),
    width=st.none() | st.integers(1, 6_324),
    height=st.none() | st.integers(1, 4_000),
    foreground=colors | gradients,
    background=colors | gradients,
    flip=st.sampled_from(["none", "horizontal", "vertical", "both"]),
    modules=modules,
    markers=built(Markers, **dict.fromkeys(("top_left", "top_right", "bottom_left"), st.none() | marker)),
    layers=st.lists(layers, max_size=3),
    wrapper=st.none() | wrappers,
).filter(lambda design: design.wrapper or (design.width or design.height or 1) <= 6_000)


@given(designs)
@settings(max_examples=60)
def test_a_decorated_design_survives_json_and_the_replacing_of_a_field(design):
    text = design.to_json()
    assert Design.from_json(text) == design
    assert Design.from_json(text).to_json() == text
    assert not re.search(r'(?<!\\)":null', text)
    changed = design.replace(mask=7)
    assert (changed.mask, changed.replace(mask=design.mask)) == (7, design)


def test_json_has_the_names_of_the_interface():
    design = Design(
        content="x",
        markers=Markers(top_left=Marker("eye-1", inner_color="red", outer_color="blue")),
        layers=[Layer(DOT, **BOX, display="box-hit-test")],
    )
    assert design.to_json() == (
        '{"content":"x","size":8,"padding":4,"em":"byte","ec":"M","foreground":"#FF000000","background":"#FFFFFFFF",'
        '"flip":"none","modules":{"type":"default","sprites":[],"palette":[],"seed":0},'
        '"markers":{"topLeft":{"pattern":"eye-1","innerColor":"#FFFF0000","outerColor":"#FF0000FF","opacity":1.0}},'
        '"layers":[{"name":"","content":"icon:circle","x":0.0,"y":0.0,"width":10.0,"height":10.0,"opacity":1.0,'
        '"display":"box-hit-test","tolerance":0.0}],"padCodewords":"iso","fnc1":false,"micro":false}'
    )


def layer(**fields):
    return {"layers": [{"content": DOT, **BOX, **fields}]}


def sprite(**fields):
    return {"modules": {"type": "sprite", "sprites": [{"content": DOT, "width": 1, "height": 1, **fields}]}}


def gradient(**fields):
    return {"foreground": {"gradient": "linear", "stops": STOPS, **fields}}


def stop(**fields):
    return gradient(stops=[{"offset": 0, "color": "red", **fields}, STOPS[1]])


def hole(**fields):
    return {"wrapper": {"source": DOT, "width": 10_000, "height": 4_000, "placeholder": BOX | fields}}


BOUNDS = [
    ("layers.0.x", layer, -10_000, 10_000),
    ("layers.0.y", layer, -10_000, 10_000),
    ("layers.0.width", layer, 0.1, 10_000),
    ("layers.0.height", layer, 0.1, 10_000),
    ("layers.0.opacity", layer, 0, 1),
    ("layers.0.tolerance", layer, -1_000, 1_000),
    ("modules.sprites.0.width", sprite, 0.1, 10_000),
    ("modules.sprites.0.height", sprite, 0.1, 10_000),
    ("markers.topLeft.opacity", lambda **fields: {"markers": {"topLeft": {"pattern": "default", **fields}}}, 0, 1),
    ("foreground.stops.0.offset", stop, 0, 1),
    ("foreground.stops.0.opacity", stop, 0, 1),
    ("foreground.cx", gradient, -10_000, 10_000),
    ("foreground.fy", gradient, -10_000, 10_000),
    ("width", dict, 1, 10_000),
    ("height", dict, 1, 10_000),
]


@pytest.mark.rule("G8")
@pytest.mark.parametrize(("path", "fields", "low", "high"), BOUNDS, ids=[path for path, *_ in BOUNDS])
def test_a_bound_is_allowed_and_what_is_beyond_it_is_refused_by_its_path(path, fields, low, high):
    """Open: all bounds but those of opacity. Decided: sides are 1..10,000 pixels, and so on."""
    name = path.rpartition(".")[2]
    other = {"height" if name == "width" else "width": 1} if path in ("width", "height") else {}
    step = 1 if path in ("width", "height") else 1e-6
    for value in (low, high):
        found = json.loads(Design(content="x", **fields(**{name: value}), **other).to_json())
        for part in path.split("."):
            found = found[int(part) if part.isdigit() else part]
        assert found == value
    for value, code in ((low - step, "out-of-range"), (high + step, "out-of-range"), (float("nan"), "wrong-type")):
        with pytest.raises(InvalidParameter) as caught:
            Design(content="x", **fields(**{name: value}), **other)
        assert [(one.name, one.code) for one in caught.value.problems] == [(path, code)]


def test_all_that_is_wrong_is_reported_at_once_each_by_its_path():
    with pytest.raises(InvalidParameter) as caught:
        Design(
            content="x",
            flip="sideways",
            foreground={"gradient": "conic", "units": "percent", "stops": [{"offset": 2, "color": "rde"}, STOPS[0]]},
            background="rde",
            modules={"type": "squares", "sprite": "cirle", "seed": 0.5, "colour": "red"},
            markers={"topLeft": {"pattern": "eye-18"}, "bottomRight": {"pattern": "eye-1"}, "topRight": {}},
            layers=[{"content": DOT, **BOX, "width": 0}, {"content": "", "x": "1", "y": True, "width": 1}],
            wrapper={"source": DOT, "width": 0, "height": 10_001, "placeholder": BOX | {"width": 0}},
        )
    assert {problem.name: problem.code for problem in caught.value.problems} == {
        "flip": "bad-value",
        "foreground.gradient": "bad-value",
        "foreground.units": "bad-value",
        "foreground.stops.0.offset": "out-of-range",
        "foreground.stops.0.color": "bad-colour",
        "background": "bad-colour",
        "modules.type": "bad-value",
        "modules.sprite": "bad-value",
        "modules.seed": "wrong-type",
        "modules.colour": "unknown-parameter",
        "markers.topLeft.pattern": "bad-value",
        "markers.bottomRight": "unknown-parameter",
        "markers.topRight.pattern": "missing-parameter",
        "layers.0.width": "out-of-range",
        "layers.1.content": "out-of-range",
        "layers.1.x": "wrong-type",
        "layers.1.y": "wrong-type",
        "layers.1.height": "missing-parameter",
        "wrapper.width": "out-of-range",
        "wrapper.height": "out-of-range",
        "wrapper.placeholder.width": "out-of-range",
    }


@pytest.mark.parametrize(
    ("fields", "name", "rule"),
    [
        (layer() | {"layers": layer()["layers"] * 51}, "layers", "must have 0..50 entries, not 51"),
        ({"modules": {"sprites": sprite()["modules"]["sprites"] * 21}}, "modules.sprites", "0..20 entries, not 21"),
        (
            {"modules": {"type": "sprite"}},
            "modules.type",
            "sprite needs the name of a built-in sprite in `sprite`, or pictures",
        ),
        ({"modules": {"sprite": "star"}}, "modules.sprite", "needs type=sprite"),
        (gradient(stops=STOPS[:1]), "foreground.stops", "must have 2..50 entries, not 1"),
        (gradient(stops=STOPS * 26), "foreground.stops", "must have 2..50 entries, not 52"),
        (gradient(units="absolute"), "foreground.direction", "is required where units is absolute"),
        (gradient(gradient="radial", radius=0), "foreground.radius", "must be more than 0"),
        (gradient(gradient="radial", units="absolute", cx=1, radius=1), "foreground.cy", "is required where units"),
        (layer(content="data:image/png;base64,AAAA", color="red"), "layers.0.color", "recolors only icons"),
        (hole(x=9_990.5), "wrapper.placeholder", "must lie inside the wrapper, 0..10000 by 0..4000 pixels"),
        ({"width": 8_000, "height": 5_001}, "width", "at most 40,000,000 pixels, not 40,008,000"),
        (hole() | {"wrapper": hole()["wrapper"] | {"height": 4_001}}, "wrapper", "at most 40,000,000 pixels"),
    ],
)
def test_a_rule_over_several_fields_names_the_one_to_change(fields, name, rule):
    with pytest.raises(InvalidParameter) as caught:
        Design(content="x", **fields)
    assert [one.name for one in caught.value.problems] == [name]
    assert rule in caught.value.rule


def test_the_field_that_matters_most_may_come_first_without_its_name():
    assert Marker("eye-3") == Marker(pattern="eye-3")
    assert Layer(DOT, **BOX) == Layer(content=DOT, **BOX)
    for other in (Modules, Sprite, Wrapper, Gradient, Markers):
        with pytest.raises(TypeError, match="takes its fields by name: "):
            other("eye-3")


def test_a_slip_in_a_name_gets_the_nearest_of_the_record_it_stands_in():
    with pytest.raises(UnknownParameter, match=r"layers\.0\.tolerence=1: .*did you mean 'tolerance'\?"):
        Design(content="x", **layer(tolerence=1))
    with pytest.raises(MissingParameter, match=r"modules\.sprites\.0\.content"):
        Design(content="x", modules={"type": "sprite", "sprites": [{"width": 1, "height": 1}]})


def test_a_slip_inside_a_gradient_gets_the_nearest_of_the_record_it_stands_in():
    with pytest.raises(UnknownParameter, match=r"foreground\.stops\.0\.colour='red': .*did you mean 'color'\?"):
        Design(content="x", **stop(colour="red"))


@pytest.mark.rule("G8")
@pytest.mark.parametrize("name", ["width", "height"])
def test_a_square_given_by_one_side_obeys_the_limit_of_pixels_too(name):
    """Open: how large a picture may be. 40 million pixels, however the size was said."""
    assert getattr(Design(content="x", **{name: 6_324}), name) == 6_324
    with pytest.raises(InvalidParameter, match="at most 40,000,000 pixels, not 40,005,625") as caught:
        Design(content="x", **{name: 6_325})
    assert caught.value.name == name


@pytest.mark.rule("G16")
def test_stops_are_sorted_and_those_of_one_offset_keep_their_order():
    """Open: whether stops must come sorted. They need not; two at one place are a hard edge, so they keep order."""
    shuffled = [(1, "red"), (0.5, "white"), (0, "blue"), (0.5, "lime")]
    found = Gradient(gradient="linear", stops=[{"offset": offset, "color": color} for offset, color in shuffled])
    names = [Color.parse(name) for name in ("blue", "white", "lime", "red")]
    assert [(stop.offset, stop.color) for stop in found.stops] == list(zip((0, 0.5, 0.5, 1), names, strict=True))


def test_simple_gradients_and_markers_have_a_short_form():
    assert [stop.offset for stop in Gradient.linear("red", "lime", "blue").stops] == [0, 0.5, 1]
    assert Gradient.radial("red", "blue", centre=(0.2, 0.3)).cx == 0.2
    with pytest.raises(InvalidParameter, match=r"must have 2\.\.50 entries, not 1"):
        Gradient.linear("red")
    all_three = Markers.all("eye-9", opacity=0.5)
    assert all_three.top_left == all_three.top_right == all_three.bottom_left == Marker("eye-9", opacity=0.5)


def test_words_are_taken_in_any_case():
    assert Layer(DOT, **BOX, display="Box-Hit-Test").display == "box-hit-test"
    assert Marker("EYE-3").pattern == "eye-3"
    assert Design(content="x", flip="Both", modules={"type": "Rounded"}).modules.type == "rounded"
