"""Text in an SVG from strangers: where its letters are, what is told of it, and how much of it there may be."""

import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from qrkit import Design, Layer, QRImage, generate
from qrkit.design.outline import Outline
from qrkit.drawing.untrusted import svg_shapes
from qrkit.drawing.untrusted.svg_styles import plain
from qrkit.errors import AssetError
from tests.drawing.pictures import pixels, svg_uri

LINE = '<path id="line" d="M10 50H900" fill="none"/>'
CAPITAL = 0.72
"""Height of Manrope's capital letters in em."""


def drawn(body):
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    drawing, _ = svg_shapes.sanitised(plain(f'<svg {names} viewBox="0 0 400 200">{body}</svg>'.encode()))
    return drawing


def boxes(body):
    """Left, top, right and bottom of each run of letters."""
    root = etree.fromstring(f"<svg>{drawn(body).markup}</svg>")
    return [Outline.parse(one.get("d")).box() for one in root.iter("path") if one.get("d")]


def box(body):
    (found,) = boxes(body)
    return pytest.approx(found, abs=0.01)


def same(one, other):
    return [pytest.approx(box, abs=0.02) for box in boxes(one)] == boxes(other)


# ---- places


def test_letters_stand_on_their_baseline_in_the_size_of_the_font():
    left, top, right, bottom = boxes('<text x="10" y="100" font-size="50">H</text>')[0]
    assert (bottom, top) == pytest.approx((100, 100 - 50 * CAPITAL), abs=0.2)
    assert 10 < left < 18 and 35 < right < 55


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('font-size="16"', ""),
        ('font-size="12pt"', 'font-size="16px"'),
        ('font-size="2em"', 'font-size="32"'),
        ('font-size="50%"', 'font-size="8"'),
        ('font-weight="bold"', 'font-weight="700"'),
        ('style="font: bold 30px/1.2 Manrope"', 'font-size="30" font-weight="700"'),
        ('letter-spacing=".5em"', 'letter-spacing="8"'),
        ('x="50%" y="10%"', 'x="200" y="20"'),
        ('x="2em"', 'x="32"'),
        ('dx="5" dy="7"', 'x="5" y="7"'),
        ('x="10" dx="0 6"', 'x="10" letter-spacing="0"'),
        ('text-anchor="start"', ""),
        ('font-size="nonsense"', ""),
        ('font-size="-3"', ""),
    ],
)
def test_two_ways_to_say_it_are_one(one, other):
    assert same(f"<text {one}>M</text>", f"<text {other}>M</text>")


@pytest.mark.parametrize("spacing", [0, 4])
def test_anchors_put_the_start_the_middle_or_the_end_of_a_text_in_its_place(spacing):
    text = '<text x="200" y="50" letter-spacing="{}" text-anchor="{}">Harbour</text>'
    start, middle, end = (boxes(text.format(spacing, anchor))[0] for anchor in ("start", "middle", "end"))
    width = 2 * (start[0] - middle[0])
    assert start[0] - end[0] == pytest.approx(width)
    assert start[2] - start[0] < width < start[2] - start[0] + 2 + spacing


def test_each_line_of_spans_is_anchored_by_itself():
    lines = (
        '<text text-anchor="middle"><tspan x="200" y="50">A long line</tspan><tspan x="200" dy="1.5em">B</tspan></text>'
    )
    first, second = boxes(lines)
    assert sum(first[::2]) / 2 == pytest.approx(200, abs=1) == sum(second[::2]) / 2
    assert second[3] - first[3] == pytest.approx(24, abs=4.1)  # the descender of g


def test_spans_go_on_in_the_line_with_their_own_size_and_paint():
    body = '<text x="10" y="50" fill="navy">one <tspan fill="red" font-size="32">two</tspan> three</text>'
    one, two, three = boxes(body)
    assert one[2] < two[0] < two[2] < three[0]
    assert two[3] - two[1] > 1.5 * (one[3] - one[1])
    markup = drawn(body).markup
    assert re.fullmatch(
        r'<g fill="navy"><path d="[^"]+"/><g fill="red"><path d="[^"]+"/></g><path d="[^"]+"/></g>', markup
    )


def test_lists_place_each_letter():
    (found,) = boxes('<text x="10 60" y="50 80">ab</text>')
    a, b = boxes('<text><tspan x="10" y="50">a</tspan><tspan x="60" y="80">b</tspan></text>')
    assert found == pytest.approx((a[0], a[1], b[2], b[3]))


def test_properties_are_inherited_from_groups_and_style_sheets():
    sheet = "<style>.a{font-size:30px} text{font-weight:700} tspan.b{letter-spacing:3px}</style>"
    assert same(
        f'{sheet}<g class="a" text-anchor="end"><text x="99"><tspan class="b">Menu</tspan></text></g>',
        '<text x="99" font-size="30" font-weight="bold" letter-spacing="3" text-anchor="end">Menu</text>',
    )


def test_spaces_are_one_unless_they_are_kept():
    assert same("<text>\n  a \n b  </text>", "<text>a b</text>")
    assert same("<text>a <tspan> b</tspan></text>", "<text>a <tspan>b</tspan></text>")
    assert box('<text xml:space="preserve">a   b</text>') != boxes("<text>a   b</text>")[0]


def test_transform_and_opacity_stay_with_the_text():
    markup = drawn('<text transform="rotate(5)" opacity=".5" onclick="x()" x="3" id="t">a</text>').markup
    assert re.fullmatch(r'<g transform="rotate\(5\)" opacity="\.5"><path d="[^"]+"/></g>', markup)


def test_text_clips_and_is_used_again():
    clip = '<clipPath id="c"><text y="9">a<tspan>b</tspan></text></clipPath>'
    body = f'{clip}<rect width="9" height="9" clip-path="url(#c)"/>'
    assert re.search(r'<clipPath id="[\w-]+"><path d="[^"]+"/></clipPath>', drawn(body).markup)
    assert 'href="#' in drawn('<text id="t">a</text><use href="#t" y="20"/>').markup


# ---- paths


@pytest.mark.parametrize("anchor", ["start", "middle", "end"])
@pytest.mark.parametrize(("offset", "x"), [("300", 310), ("50%", 455), ("20em", 330)])
def test_text_on_a_straight_path_is_a_line_of_text(anchor, offset, x):
    span = f'<textPath xlink:href="#line" startOffset="{offset}">To AVA</textPath>'
    on_path = boxes(f'{LINE}<text text-anchor="{anchor}">{span}</text>')[1]
    plain = boxes(f'<text x="{x}" y="50" text-anchor="{anchor}">To AVA</text>')[0]
    assert on_path == pytest.approx(plain, abs=0.02)


def test_text_follows_a_curve():
    arc = '<defs><path id="arc" d="M100 150A50 50 0 0 1 200 150"/></defs>'
    body = f'{arc}<text font-size="10" text-anchor="middle"><textPath href="#arc" startOffset="50%">I</textPath></text>'
    left, top, right, bottom = boxes(body)[1]
    assert ((left + right) / 2, bottom, bottom - top) == pytest.approx((150, 100, 10 * CAPITAL), abs=0.2)
    left, top, right, bottom = boxes(body.replace("50%", "2%").replace("middle", "start"))[1]
    assert right - left > bottom - top  # it lies on its side


@pytest.mark.slow
@given(st.integers(1, 120), st.sampled_from(["start", "middle", "end"]), st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_text_that_is_longer_than_its_path_becomes_smaller(count, anchor, offset):
    path = '<path id="line" d="M100 50H200"/>'
    span = f'<textPath href="#line" startOffset="{offset}%">{"n" * count}</textPath>'
    for left, _, right, _ in boxes(f'{path}<text text-anchor="{anchor}">{span}</text>')[1:]:
        assert left > 99 and right < 201


# ---- what is told


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            '<text font-family="Arial, serif">a</text>',
            r"text of the SVG in Arial is drawn in Manrope; turn it into paths",
        ),
        ("<text style=\"font:12px 'Open Sans'\">a</text>", "in Open Sans is drawn in Manrope"),
        ('<text font-family="&lt;script&gt;">a</text>', "in another font is drawn in Manrope"),
        ('<text font-style="italic">a</text>', "in Manrope italic is drawn in Manrope"),
        ("<text>漢 a ☃</text>", r"the font has no letters '漢' \(U\+6F22\), '☃' \(U\+2603\), which are drawn as boxes"),
        (
            "<text>שלום</text>",
            r"the text 'שלום' has Hebrew letters .* not supported, .*so it is left out; turn it into",
        ),
        ("<text>नमस्ते</text>", "has a mark that joins other letters .* DEVANAGARI"),
        ('<text writing-mode="tb">a</text>', "the text 'a' runs from top to bottom, which is not supported"),
        ('<text><textPath href="#none">a</textPath></text>', "the text 'a' follows a path that is not in the file"),
    ],
)
def test_warning_says_what_looks_other_than_the_file_asks_for(text, warning):
    (found,) = drawn(f"{text}{LINE}").warnings
    assert re.search(warning, found)


@pytest.mark.parametrize("font", ["Manrope", "sans-serif", "'Manrope', Arial", "system-ui"])
def test_text_without_a_font_of_its_own_needs_no_warning(font):
    assert drawn(f'<text font-family="{font}">Menu</text>').warnings == ()
    assert drawn(f'<g font-family="Arial"><text> </text></g><text>Menu</text>{LINE}').warnings == ()


def test_only_the_text_that_cannot_be_drawn_is_left_out():
    assert len(boxes("<text>שלום</text><text>Shalom</text>")) == 1
    with pytest.raises(AssetError, match="holds nothing that is drawn: the text 'שלום' has Hebrew letters"):
        drawn("<text>שלום</text>")


def test_pictures_tell_it_and_have_no_text():
    logo = svg_uri('<rect width="10" height="10" fill="white"/><text y="8" font-size="9" font-family="Arial">A</text>')
    layer = Layer(logo, x=60, y=60, width=60, height=60)
    with pytest.warns(UserWarning, match=r"layers\.0\.content: text of the SVG in Arial is drawn in Manrope"):
        image = generate("https://example.com", ec="H", layers=[layer])
    assert re.search("<text|Arial", image.to_bytes("svg").decode()) is None
    blank = layer.replace(content=svg_uri('<rect width="10" height="10" fill="white"/>'))
    without = QRImage(Design(content="https://example.com", ec="H", layers=[blank]))
    assert np.any(pixels(image) != pixels(without))


# ---- limits


@pytest.mark.parametrize(
    "body",
    [
        f"<text>{'a' * 1_001}</text>",
        "<text>abc</text>" * 334,
        f"<text xml:space='preserve'>a{' ' * 200_000}</text>",
        '<text font-size="2e6">a</text>',
        "".join('<g font-size="1000em">' for _ in range(9)) + "<text>a</text>" + "</g>" * 9,
        '<text x="1e6" dx="1e6">a</text>',
        '<text letter-spacing="9e5">aaa</text>',
        "<text>" + "<tspan>" * 40 + "a" + "</tspan>" * 40 + "</text>",
        f'<path id="p" d="M0 0{"l1 1" * 1_001}"/><text><textPath href="#p">a</textPath></text>',
        f'<text id="t">{"a" * 900}</text>' + '<use href="#t"/>' * 900,
    ],
    ids=lambda body: body[:24],
)
def test_too_much_text_is_refused(body):
    with pytest.raises(AssetError) as caught:
        drawn(body)
    assert caught.value.code == "image-too-large"


def test_as_much_text_as_is_allowed_is_drawn():
    assert len(boxes("<text>abc</text>" * 333)) == 333


tags = st.sampled_from(["text", "tspan", "textPath", "a", "g", "clipPath", "switch"])
values = st.sampled_from(["", "1", "1 2 3", "50%", "2em", "-1", "1e9", "nan", "bold", "middle", "url(#line)", "#line"])
keys = st.sampled_from(
    ["x", "dx", "y", "font-size", "font-weight", "text-anchor", "letter-spacing", "href", "startOffset", "style"]
)
attributes = st.dictionaries(keys, values, max_size=4).map(lambda of: "".join(f' {k}="{v}"' for k, v in of.items()))
words = st.text("ab \n漢שé", max_size=5)
elements = st.recursive(
    words,
    lambda inner: st.builds(
        lambda tag, of, parts: f"<{tag}{of}>{''.join(parts)}</{tag}>", tags, attributes, st.lists(inner, max_size=4)
    ),
    max_leaves=8,
)


@given(elements)
@example('<text><textPath href="#line" startOffset="-50%">a</textPath></text>')
@example('<text text-anchor="end"><textPath href="#line">a b</textPath> c</text>')
@settings(max_examples=100, deadline=None)
def test_any_text_becomes_paths_or_is_refused(body):
    try:
        markup = drawn(f"{LINE}<text>{body}</text>{body}").markup
    except AssetError:
        return
    assert not re.search("text|tspan|font|nan|inf", markup)
