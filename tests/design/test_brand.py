"""Brands: one look for designs of any content and size."""

import base64
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit import Brand, Caption, Color, Design, Frame, Layer, Markers, Modules, QRImage, Wrapper, decode
from qrkit.design.frames import FRAME_KINDS
from qrkit.design.limits import MARKER_PATTERNS, MODULE_TYPES
from qrkit.errors import AssetError, InvalidParameter, RemoteContentDisabled, UnknownParameter
from qrkit.languages import in_language

MANROPE = files("font_manrope").joinpath("files", "Manrope-Regular.ttf").read_bytes()
FONT = "data:font/ttf;base64," + base64.b64encode(MANROPE).decode()
ACME = Brand(
    "Acme",
    ink="#1B2A49",
    accent="#9A3412",
    ground="#FFFDF5",
    logo="icon:heart",
    frame="card",
    modules={"type": "rounded"},
    eye="rounded",
)
PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==")
OWN_SPRITE = {"width": 5, "height": 5, "content": "icon:home"}

colors = st.builds(Color, *[st.integers(0, 255)] * 3)
brands = st.builds(
    Brand,
    st.text("Acme & Söhne №1", min_size=1, max_size=20).filter(str.strip),
    ink=colors,
    accent=st.none() | colors,
    ground=colors,
    logo=st.none() | st.just("icon:heart"),
    frame=st.none() | st.builds(Frame, st.sampled_from(FRAME_KINDS), caption=st.none() | st.just("Go")),
    modules=st.builds(Modules, type=st.sampled_from([one for one in MODULE_TYPES if one != "sprite"])),
    eye=st.sampled_from(MARKER_PATTERNS),
)


@given(brands)
def test_brand_survives_json(brand):
    assert Brand.from_json(brand.to_json()) == brand


@pytest.mark.parametrize("fields", [{"size": 5}, {"width": 600}, {"padding": 2, "ec": "Q"}])
def test_brand_is_applied_once_and_gives_the_look_of_its_own_design(fields):
    once = ACME.apply(Design(content="https://example.com", **fields))
    assert ACME.apply(once) == once == ACME.design("https://example.com", **fields)


@pytest.mark.slow
@given(brands, st.sampled_from([{"size": 5}, {"width": 600}, {"padding": 2, "ec": "Q"}, {}]))
def test_applying_a_brand_twice_is_applying_it_once(brand, fields):
    layer = Layer("icon:home", x=9, y=9, width=20, height=20)
    once = brand.apply(Design(content="https://example.com", layers=[layer], **fields))
    assert brand.apply(once) == once


@pytest.mark.slow
@given(brands)
def test_design_in_a_look_is_a_design_that_is_given_the_look(brand):
    design = brand.design("https://example.com", size=6)
    assert design == brand.apply(Design(content="https://example.com", size=6))
    assert (design.foreground, design.background, design.modules) == (brand.ink, brand.ground, brand.modules)
    assert design.markers == Markers.all(brand.eye, inner_color=brand.accent)
    assert (design.frame and design.frame.kind) == (brand.frame and brand.frame.kind)


def test_design_with_logo_frame_and_caption_is_robust_on_phones():
    report = ACME.design("https://go.example.com/aB3xY", "See the menu").check()
    assert report.verdict == "robust", str(report)


def test_fields_of_a_design_take_precedence_over_the_brand():
    frame = Frame("bar", caption="Mine")
    design = ACME.design("hi", foreground="navy", modules={"type": "dots"}, ec="Q", frame=frame)
    assert (design.foreground, design.modules.type, design.ec) == (Color.parse("navy"), "dots", "Q")
    assert design.frame == frame
    assert design.background == ACME.ground
    assert ACME.design("hi", frame=None).frame is None


def test_logo_stands_on_a_plate_at_level_h_unless_another_is_asked_for():
    assert ACME.design("hi").ec == "H"
    plate, logo = ACME.design("hi", ec="M").layers
    assert plate.width >= logo.width
    assert plate.x + plate.width / 2 == pytest.approx(logo.x + logo.width / 2, abs=0.02)
    assert Brand("Acme").design("hi").ec == "M"
    assert Brand("Acme").design("hi").layers == ()


def test_caption_gets_a_bar_where_the_brand_has_no_frame():
    assert Brand("Acme").design("hi").frame is None
    assert Brand("Acme").design("hi", "Menu").frame == Frame("bar", caption="Menu")
    assert ACME.design("hi", "Menu").frame == Frame("card", caption="Menu")
    assert ACME.design("hi", Caption("Menu", subtitle="Today")).frame.caption.subtitle == "Today"


@pytest.mark.parametrize(("kind", "words"), [("bar", "Scan me"), ("border", None)])
def test_font_of_the_brand_is_that_of_words_without_one(kind, words):
    brand = Brand("Acme", font=FONT, frame=kind)
    caption = brand.design("hi").frame.caption
    assert (caption and caption.text) == words
    assert caption is None or caption.font == FONT
    assert brand.design("hi", "Menu").frame.caption.font == FONT
    assert brand.design("hi", Caption("Menu", font="data:font/ttf;base64,AAEA")).frame.caption.font != FONT


@pytest.mark.parametrize(("kind", "words"), [("bar", "Scan mich"), ("border", None)])
def test_usual_words_are_in_the_language_of_the_context(kind, words):
    """A brand wrote English words on the codes of a German notebook."""
    brand = Brand("Acme", frame=kind)
    with in_language("de"):
        made = brand.design("hi")
    assert (made.frame.caption and made.frame.caption.text) == words
    assert brand.apply(made) == made
    assert brand.design("hi").frame == Frame(kind)


def test_content_size_words_and_layers_of_a_design_stay():
    layer = Layer("icon:home", name="house", x=33, y=33, width=20, height=20)
    design = Design(
        content="https://example.com", width=600, padding=3, layers=[layer], frame=Frame("seal", caption="Go")
    )
    changed = ACME.apply(design)
    assert (changed.content, changed.width, changed.padding) == (design.content, 600, 3)
    assert changed.frame == Frame("card", caption="Go")
    assert [one.name for one in changed.layers] == ["house", "plate of brand logo", "brand logo"]
    moved = design.resized(ec="H", frame=Frame("card", caption="Go"))
    assert changed.layers[0] == moved.layers[0] != layer


def test_another_brand_replaces_the_logo():
    other = Brand("Other", logo="icon:star").apply(ACME.design("hi"))
    assert [layer.content for layer in other.layers[1:]] == ["icon:star"]
    assert Brand("Other").apply(other).layers == ()


def test_wrapper_stays_and_leaves_no_room_for_a_frame():
    hole = {"x": 0, "y": 0, "width": 90, "height": 90}
    design = Design(content="hi", wrapper=Wrapper(source="icon:home", width=90, height=90, placeholder=hole))
    assert ACME.apply(design).wrapper == design.wrapper
    with pytest.raises(InvalidParameter, match="takes the place of a wrapper"):
        ACME.apply(design, "Menu")


def test_logo_from_the_web_needs_fetch():
    brand = Brand("Acme", logo="https://example.com/logo.png")
    with pytest.raises(RemoteContentDisabled, match="address of a picture"):
        brand.design("hi")
    assert brand.design("hi", fetch=lambda url: PIXEL).layers[1].content == brand.logo


@pytest.mark.parametrize(
    ("fields", "field", "rule"),
    [
        ({"name": " "}, "name", "must not be blank"),
        ({"name": "x" * 101}, "name", "1..100 characters"),
        ({"name": 7}, "name", "must be a text"),
        ({"ink": "nav"}, "ink", "did you mean 'navy'"),
        ({"ground": "transparent"}, "ground", "must be opaque"),
        ({"accent": "#80FF0000"}, "accent", "must be opaque"),
        ({"logo": ""}, "logo", "must not be empty"),
        ({"frame": "circle"}, "frame.kind", "must be one of"),
        ({"eye": "eye-18"}, "eye", "must be one of"),
        ({"modules": {"type": "sprite", "sprites": [OWN_SPRITE]}}, "modules", "any size"),
    ],
)
def test_invalid_field_is_named_with_its_rule(fields, field, rule):
    with pytest.raises(InvalidParameter) as caught:
        Brand(**({"name": "Acme"} | fields))
    assert {problem.name: rule in problem.rule for problem in caught.value.problems} == {field: True}


def test_unknown_field_is_named():
    with pytest.raises(UnknownParameter, match="colour"):
        Brand("Acme", colour="red")


def test_notebook_shows_a_design_in_the_look_of_the_brand():
    seen = ACME._repr_mimebundle_()
    assert decode(seen["image/png"]).content == "QRKIT"
    assert "Acme" in seen["text/html"] and "#9A3412" in seen["text/html"]
    assert seen["image/png"] == QRImage(ACME.design("QRKIT"))._repr_mimebundle_()["image/png"]
    assert "not drawn" in Brand("Acme", logo="https://example.com/logo.png")._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize("logo", ["icon:hearrt", "data:image/png;base64,AAAA", "nothing"])
def test_error_of_a_bad_logo_names_the_logo(logo):
    with pytest.raises(AssetError, match=r"^logo=") as caught:
        Brand("Acme", logo=logo).design("https://example.com")
    assert caught.value.name == "logo"
    with pytest.raises(RemoteContentDisabled, match=r"^logo is the address"):
        Brand("Acme", logo="https://example.com/logo.png").design("https://example.com")
