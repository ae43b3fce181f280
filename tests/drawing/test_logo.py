"""Pictures are put on a symbol by shares of it, in their own proportions, and keep their place when it is resized."""

import re
from base64 import b64decode
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from qrkit import Brand, Color, Design, Layer, QRImage, data_uri, decode, generate
from qrkit.drawing.logo import logo_image, placed_logo, scaled_logo
from qrkit.drawing.resizing import layout_of
from qrkit.errors import AssetError, InvalidParameter
from qrkit.presets import with_preset
from tests.drawing.pictures import LINK, filled
from tests.sweeps import quick_first

HEART = "icon:heart"


def picture_of(width: int, height: int) -> str:
    file = BytesIO()
    Image.new("RGB", (width, height), "#9A3412").save(file, "PNG")
    return data_uri(file.getvalue())


def svg_of(width: int, height: int) -> str:
    box = f'viewBox="5 5 {width} {height}"'
    return data_uri(f'<svg xmlns="http://www.w3.org/2000/svg" {box}><path d="M5 5h90v30z"/></svg>'.encode())


@pytest.mark.parametrize(("width", "height"), [(100, 100), (300, 100), (40, 200)])
@pytest.mark.parametrize("padding", [0, 4])
def test_a_logo_is_in_the_middle_and_keeps_its_proportions(width, height, padding):
    design = Design(content=LINK, padding=padding).with_logo(picture_of(width, height), 0.3)
    layer, layout = design.layers[-1], layout_of(design)
    symbol = layout.side * layout.module
    assert max(layer.width, layer.height) == pytest.approx(0.3 * symbol, abs=0.01)
    assert layer.width / layer.height == pytest.approx(width / height, rel=0.01)
    middle = (layer.x + layer.width / 2, layer.y + layer.height / 2)
    assert middle == pytest.approx(layout.place(layout.side / 2, layout.side / 2), abs=0.02)


@given(
    st.floats(0.05, 0.4), st.floats(0, 1), st.floats(0, 1), st.integers(0, 8),
    st.fixed_dictionaries({}, optional={"size": st.integers(1, 20), "padding": st.integers(0, 12),
                                        "version": st.integers(5, 12), "width": st.integers(300, 900)}),
)  # fmt: skip
def test_a_resized_design_looks_as_it_did(share, across, down, padding, fields):
    before = Design(content=LINK, padding=padding).with_logo(HEART, share, place=(across, down))
    after = before.resized(**fields)
    assert seen(after) == pytest.approx(seen(before), abs=0.02)
    assert all(getattr(after, name) == value for name, value in fields.items())


@pytest.mark.rule("G24")
@given(st.floats(0.05, 0.4), st.integers(4, 20), st.text("ab", min_size=1, max_size=90))
def test_a_logo_stays_in_its_place_whatever_is_encoded(share, size, content):
    """A brand's design on many contents: its picture keeps its width, and the logo its place and share."""
    brand = Design(content=LINK, size=size, ec="H").with_logo(HEART, share)
    assert (brand.width, generate(brand).width) == (generate(LINK, size=size, ec="H").width,) * 2
    assert seen(brand.replace(content=content)) == pytest.approx(seen(brand), abs=0.002)
    assert brand.replace(size=7).width is None
    wide = Design(content=LINK, width=500).with_logo(HEART, share)
    assert (wide.width, wide.height) == (500, None)


LOGOS = {
    "plate": Design(content=LINK, ec="H").with_logo(HEART, place=(0.7, 0.5), share=0.1, ring="#9A3412"),
    "none": Design(content=LINK, size=6).with_logo(HEART, 0.2, plate=None),
    "preset": with_preset(Design(content=LINK), "badge"),
    "brand": Brand("H", ink="#1B2A49", logo="icon:coffee", frame="bar").design(LINK, "Order here"),
}
CHANGES = [
    {"width": 900}, {"size": 5}, {"content": "x" * 150}, {"version": 10}, {"padding": 9}, {"quiet_zone": 1},
    {"ec": "L", "content": "0"}, {"em": "auto"}, {"frame": "bubble"}, {"frame": None}, {"height": 700, "width": 500},
]  # fmt: skip


@pytest.mark.rule("G24")
@pytest.mark.parametrize("changes", CHANGES, ids=str)
@pytest.mark.parametrize("kind", LOGOS)
def test_a_logo_belongs_to_the_symbol(kind, changes):
    design = Design.from_json(LOGOS[kind].to_json())
    changed = design.replace(**changes)
    for index in range(len(design.layers)):
        assert seen(changed, index) == pytest.approx(seen(design, index), abs=0.003)
    assert changed == design.resized(**changes)
    assert all(getattr(changed, name) == value for name, value in changes.items() if name != "frame")


@pytest.mark.rule("G24")
def test_layers_that_are_given_stay_where_they_are():
    layer = Layer("icon:heart", x=10, y=20, width=30, height=40)
    design = LOGOS["plate"].replace(layers=[layer], width=900)
    assert (design.layers, design.replace(foreground="navy").layers) == ((layer,), (layer,))


def seen(design: Design, index: int = -1) -> tuple[float, ...]:
    """The box of a layer, as shares of the symbol."""
    layer, layout = design.layers[index], layout_of(design)
    left, top = layout.place(0, 0)
    symbol = layout.side * layout.module
    return tuple(one / symbol for one in (layer.x - left, layer.y - top, layer.width, layer.height))


@pytest.mark.parametrize("plate", ["circle", "rounded", "square", None])
def test_a_logo_is_read_over(plate):
    logo = {"content": HEART, "share": 0.25, "color": "#9A3412", "name": "ours", "plate": plate}
    design = Design(content=LINK, ec="H").with_logo(**logo)
    assert decode(QRImage(design).to_bytes("png")).content == LINK
    assert (design.layers[-1].name, design.layers[0].display) == ("ours", "pixel-hit-test")
    over = Design(content=LINK, ec="H").with_logo(**logo, display="overlay")
    assert over.layers[0] == design.layers[0].replace(display="overlay")
    two = design.with_logo(filled((0, 0, 0, 255)), 0.05, place=(1, 1), plate=plate)
    assert two.layers[: len(design.layers)] == design.layers
    assert len(two.layers) == 2 * len(design.layers)


def test_a_logo_has_a_rounded_plate_unless_another_is_chosen():
    design = Design(content=LINK, ec="H")
    assert design.with_logo(HEART) == design.with_logo(HEART, plate="rounded")
    assert len(design.with_logo(HEART, plate=None).layers) == 1


@pytest.mark.parametrize("version", range(2, 13))
def test_a_logo_of_the_default_size_leaves_a_symbol_robust_and_is_as_large_as_that_allows(version):
    plain = Design(content="https://a.co", version=version, ec="H")
    design = plain.with_logo(HEART)
    assert design.check("static").verdict == "robust"
    layout = layout_of(design)
    share = design.layers[-1].height / layout.side / layout.module
    assert share >= 0.179
    if version <= 3:
        assert plain.with_logo(HEART, 0.2).check("static").verdict == "ok"


@pytest.mark.parametrize("plate", ["circle", "rounded", "square"])
@pytest.mark.parametrize("version", quick_first([2, 3, 4, 6]))
def test_a_logo_in_a_ring_of_the_default_size_leaves_a_symbol_robust(version, plate):
    plain = Design(content="https://a.co", version=version, ec="H")
    assert plain.with_logo(HEART, plate=plate, ring="navy").check("static").verdict == "robust"


def test_the_default_size_of_a_logo_needs_no_other_image_of_the_design():
    remote = {"content": "https://example.com/a.png", "x": 0, "y": 0, "width": 5, "height": 5}
    design = Design(content=LINK, frame="bar", layers=[remote]).with_logo(HEART)
    assert len(design.layers) == 3


def test_a_plate_raises_a_level_that_was_not_chosen():
    assert Design(content=LINK).with_logo(HEART).ec == "H"
    assert Design(content=LINK).with_logo(HEART, plate=None).ec == "M"
    assert Design(content=LINK, ec="M").with_logo(HEART).ec == "M"


def pixels(design):
    return np.asarray(Image.open(BytesIO(QRImage(design).to_bytes("png"))).convert("RGB")).astype(int)


PLATES = st.sampled_from(["circle", "rounded", "square"])


@pytest.mark.slow
@given(PLATES, st.sampled_from([(100, 100), (300, 100), (40, 200)]), st.floats(0.05, 0.3), st.floats(0, 3))
def test_a_plate_keeps_modules_away_from_the_logo(plate, size, share, padding):
    design = Design(content=LINK, ec="H", size=10).with_logo(picture_of(*size), share, plate=plate, padding=padding)
    ground, logo = design.layers
    across, down = logo.x + logo.width / 2, logo.y + logo.height / 2
    assert (ground.x + ground.width / 2, ground.y + ground.height / 2) == pytest.approx((across, down), abs=0.02)
    left, right = round(logo.x - padding * 10) + 1, round(logo.x + logo.width + padding * 10) - 1
    top, bottom = round(logo.y - padding * 10) + 1, round(logo.y + logo.height + padding * 10) - 1
    is_dark = (pixels(design) == 0).all(axis=2)
    assert not is_dark[round(down), left:right].any()
    assert not is_dark[top:bottom, round(across)].any()


@pytest.mark.parametrize("plate", ["circle", "rounded", "square"])
@pytest.mark.parametrize(("width", "height"), [(800, 320), (100, 300), (100, 100)])
@pytest.mark.parametrize("ring", [None, "navy"])
def test_a_plate_has_the_shape_of_its_logo(plate, width, height, ring):
    design = Design(content=LINK, ec="H", size=10).with_logo(picture_of(width, height), 0.3, plate=plate, ring=ring)
    ground, logo = design.layers
    edge = 2 * (1 + (0.9 if ring else 0)) * 10
    rounding = min(logo.width, logo.height) * (2**0.5 - 1) if plate == "circle" else 0
    assert ground.width == pytest.approx(logo.width + edge + rounding, abs=1.5)
    assert ground.height == pytest.approx(logo.height + edge + rounding, abs=1.5)
    placed = placed_logo(design)
    assert (placed.plate, placed.ring) == (plate, ring and "#000080")
    smaller = scaled_logo(design, placed, placed.share / 2)
    assert smaller.layers[0].width == pytest.approx((logo.width + rounding) / 2 + edge, abs=1.5)
    assert placed_logo(smaller).plate == plate


@pytest.mark.parametrize(("width", "height"), [(800, 320), (320, 800)])
def test_a_long_logo_has_a_rounded_plate_in_presets(width, height):
    design = with_preset(Design(content=LINK), "bubble", logo=picture_of(width, height))
    ground, logo = design.layers
    edges = ground.width - logo.width, ground.height - logo.height
    assert edges[0] == pytest.approx(edges[1], abs=0.1)
    assert 1.7 < edges[0] / layout_of(design).module < 3.1
    assert max(ground.width, ground.height) < 2 * max(logo.width, logo.height)


@pytest.mark.parametrize("plate", ["circle", "rounded", "square"])
def test_modules_on_a_plate_are_left_out_whole(plate):
    """Each module of the picture is of one color, but for those of the logo and its ring."""
    design = Design(content=LINK, ec="H", size=10).with_logo(HEART, 0.2, color="#9A3412", plate=plate, ring="#9A3412")
    seen = pixels(design)
    is_ours = (abs(seen - [0x9A, 0x34, 0x12]).sum(axis=2) < 600) & (seen[..., 0] > seen[..., 1] + 5)
    for row in range(4, 33):
        for column in range(4, 33):
            cell = np.s_[row * 10 : row * 10 + 10, column * 10 : column * 10 + 10]
            assert is_ours[cell].any() or len(np.unique(seen[cell])) == 1
    assert decode(QRImage(design).to_bytes("png")).content == LINK


def test_a_ring_needs_a_plate_and_all_that_is_wrong_with_it_is_said():
    with pytest.raises(InvalidParameter, match="ring='red': is drawn on a plate: choose plate='circle'"):
        Design(content=LINK).with_logo(HEART, plate=None, ring="red")
    with pytest.raises(
        InvalidParameter, match=r"ring='rd': .*plate='round': .*did you mean 'rounded'.*padding=9: .*0\.\.5"
    ):
        Design(content=LINK).with_logo(HEART, plate="round", ring="rd", padding=9)


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"ring": 3}, "ring=3: must be a color"),
        ({"ring": "rd"}, "ring='rd': must be a color"),
        ({"padding": "1"}, "padding='1': must be in 0..5 modules"),
        ({"share": "30%"}, "share='30%': must be a number, the share of the symbol's width: 0.3 for 30%"),
    ],
)
def test_what_is_no_colour_and_no_number_is_refused_by_name(wrong, rule):
    with pytest.raises(InvalidParameter, match=re.escape(rule)):
        Design(content=LINK).with_logo(HEART, plate="circle", **wrong)


def test_a_ring_is_as_faint_as_its_colour():
    faint, none = (
        Design(content=LINK).with_logo(HEART, plate="circle", ring=ring) for ring in ("#330000FF", "transparent")
    )
    assert not (pixels(none) == (0, 0, 255)).all(axis=2).any()
    assert (pixels(faint) == (204, 204, 255)).all(axis=2).any()


def test_all_that_is_wrong_with_the_place_is_said_at_once():
    with pytest.raises(InvalidParameter, match=r"place=.*in 0\.\.1, as shares.*; share=3: must be in 0\.01\.\.2"):
        Design(content=LINK).with_logo(HEART, 3, place=(2, 0))
    with pytest.raises(AssetError):
        Design(content=LINK).with_logo("icon:no-such-thing")


@pytest.mark.parametrize(
    ("logo", "size"),
    [
        (HEART, (40, 40)),
        (picture_of(300, 100), (120, 40)),
        (picture_of(800, 80), (160, 16)),
        (svg_of(90, 30), (120, 40)),
    ],
)
def test_a_logo_on_a_web_page_fits_its_box_in_its_proportions(logo, size):
    svg = ElementTree.fromstring(b64decode(logo_image(logo, Color.parse("navy"), 160, 40).partition(",")[2]))
    assert (int(svg.get("width")), int(svg.get("height"))) == size
