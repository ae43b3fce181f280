"""Designs as Python: what is written makes an equal design."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Design, Gradient, Layer, Marker, Markers, Modules, Photo, Sprite, Wrapper
from qrkit.design.color import Color
from qrkit.design.limits import MARKER_PATTERNS, SPRITE_NAMES
from qrkit.design.source import python_source

colors = st.builds(Color, *[st.integers(0, 255)] * 4)
numbers = st.floats(-900, 900) | st.integers(-900, 900)
shares = st.floats(0, 1)
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
places = st.tuples(shares, shares)
short = st.builds(
    lambda ends, start, stop: Gradient.linear(*ends, start=start, stop=stop),
    st.lists(colors, min_size=2, max_size=4), places, places,
) | st.builds(
    lambda ends, centre, radius: Gradient.radial(*ends, centre=centre, radius=radius),
    st.lists(colors, min_size=2, max_size=4), places, st.floats(0.1, 5),
)  # fmt: skip
stops = st.lists(st.fixed_dictionaries({"offset": shares, "color": colors, "opacity": shares}), min_size=2, max_size=4)
long = st.builds(
    Gradient,
    gradient=st.sampled_from(["linear", "radial"]),
    units=st.sampled_from(["relative", "absolute"]),
    direction=st.builds(lambda x, y: {"start": {"x": x, "y": y}, "stop": {"x": y, "y": x}}, numbers, numbers),
    cx=numbers, cy=numbers, fx=st.none() | numbers, radius=st.floats(0.1, 900), stops=stops,
)  # fmt: skip
fills = colors | short | long
markers = st.builds(
    Marker,
    pattern=st.sampled_from(MARKER_PATTERNS),
    inner_color=st.none() | colors,
    outer_color=st.none() | colors,
    opacity=shares,
)
some_markers = st.none() | markers
sizes = st.floats(0.1, 900)
layers = st.builds(Layer, content=texts, name=texts, x=numbers, y=numbers, width=sizes, height=sizes, opacity=shares)
sprites = st.builds(Sprite, content=texts, width=sizes, height=sizes)
hole = {"x": 0, "y": 1.5, "width": 400, "height": 400}
wrapper = Wrapper(source="icon:home", width=500, height=510.5, placeholder=hole)
modules = st.builds(
    Modules,
    type=st.just("sprite"),
    sprite=st.sampled_from(SPRITE_NAMES),
    sprites=st.lists(sprites, max_size=2),
    sizes=st.none() | st.lists(st.floats(0.6, 1), min_size=2, max_size=2).map(sorted),
    palette=st.lists(colors, max_size=3),
)
designs = st.builds(
    Design,
    content=texts,
    version=st.none() | st.integers(1, 40),
    size=st.integers(1, 20),
    padding=st.integers(0, 20),
    ec=st.sampled_from("LMQH"),
    foreground=fills,
    background=fills,
    flip=st.sampled_from(["none", "both"]),
    modules=modules,
    markers=st.builds(Markers, top_left=some_markers, top_right=some_markers, bottom_left=some_markers)
    | st.builds(lambda one: Markers(top_left=one, top_right=one, bottom_left=one), markers),
    layers=st.lists(layers, max_size=2),
    photo=st.none() | st.builds(Photo, texts),
    wrapper=st.none() | st.just(wrapper),
)


@settings(max_examples=150)
@given(designs)
def test_source_makes_an_equal_design(design):
    names: dict = {}
    exec(python_source(design), names)
    assert names["design"] == design


def test_fields_with_their_default_are_left_out():
    design = Design(content="hi", size=8, ec="M", modules=Modules(), layers=())
    assert python_source(design) == 'from qrkit import Design\n\ndesign = Design(content="hi")\n'


def test_equal_markers_and_simple_gradients_are_written_short():
    design = Design(
        content="hi",
        foreground=Gradient.radial("red", "#80000000", radius=0.7),
        markers=Markers.all("eye-2", opacity=0.5),
    )
    assert python_source(design).partition("\n\n")[2].splitlines() == [
        "design = Design(",
        '    content="hi",',
        '    foreground=Gradient.radial("#FF0000", "#80000000", radius=0.7),',
        '    markers=Markers.all("eye-2", opacity=0.5),',
        ")",
    ]


@pytest.mark.parametrize("text", ['"', "\\", "'''", "line\nbreak", "\t\r\x01", "漢字 ü €", "{braces} %s", "\u2028"])
def test_any_text_comes_through(text):
    names: dict = {}
    exec(python_source(Design(content=text)), names)
    assert names["design"].content == text
