import re
import zlib
from io import BytesIO

import pytest
import resvg_py
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree
from PIL import Image, ImageChops, ImageStat

from qrkit.drawing.scene import Drawing
from qrkit.drawing.untrusted import svg_shapes
from qrkit.drawing.untrusted.svg_styles import plain
from qrkit.errors import AssetError
from tests.sweeps import quick_first

NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
PATH = '<path d="M1 1h8v8z"/>'

ELEMENTS = set(
    """g defs symbol use svg path rect circle ellipse line polyline polygon linearGradient radialGradient stop pattern
    clipPath mask""".split()  # noqa: SIM905
)
ATTRIBUTES = set(
    """id href d x y width height cx cy r rx ry fx fy fr x1 y1 x2 y2 points viewBox preserveAspectRatio offset transform
    gradientTransform patternTransform gradientUnits spreadMethod clipPathUnits maskUnits maskContentUnits patternUnits
    patternContentUnits fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin
    stroke-miterlimit stroke-dasharray stroke-dashoffset opacity color stop-color stop-opacity clip-path clip-rule mask
    mask-type display visibility overflow shape-rendering vector-effect paint-order""".split()  # noqa: SIM905
)


def svg(body: str, root: str = 'viewBox="0 0 10 10"', before: str = "") -> bytes:
    return f"{before}<svg {NAMESPACES} {root}>{body}</svg>".encode()


def sanitised(data: bytes) -> Drawing:
    """What becomes of a file if shapes are asked for, whether they look as it does or not."""
    drawing, _ = svg_shapes.sanitised(plain(data))
    return drawing


def markup(body: str, root: str = 'viewBox="0 0 10 10"') -> str:
    """What a drawing is reduced to, with the prefix of its ids written as @."""
    drawing = sanitised(svg(body, root))
    return drawing.markup.replace(drawing.name, "@")


def check_is_safe(drawing: Drawing) -> None:
    root = etree.fromstring(f"<svg>{drawing.markup}</svg>")
    ids = [one.get("id") for one in root.iter() if "id" in one.attrib]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(rf"{drawing.name}-\d+", one) for one in ids)
    for element in list(root.iter())[1:]:
        assert element.tag in ELEMENTS
        assert not (element.text or element.tail)
        assert set(element.attrib) <= ATTRIBUTES
        assert element.get("href", f"#{drawing.name}-1")[1:] in [*ids, f"{drawing.name}-1"]
        for value in element.attrib.values():
            plain = re.sub(rf"url\(#{drawing.name}-\d+\)", "", value)
            assert not re.search(r"url|http|javascript|script|data:|file|[<>&\\\"'{}]", plain, re.IGNORECASE)
    assert len(drawing.box) == 4
    assert min(drawing.box[2:]) > 0


# ---- what is kept


def test_a_drawing_is_named_after_its_bytes():
    drawing = sanitised(svg(PATH))
    assert re.fullmatch("s[0-9a-f]{8}", drawing.name)
    assert drawing == sanitised(svg(PATH))
    assert drawing.name != sanitised(svg(PATH + PATH)).name


def test_shapes_stay_as_they_are():
    assert markup(PATH) == PATH
    assert markup('<g transform="translate(1,2) scale(3)"><circle cx="5" r="5%"/></g>') == (
        '<g transform="translate(1 2) scale(3)"><circle cx="5" r="5%"/></g>'
    )


def test_lengths_are_kept_in_pixels_whatever_their_unit():
    assert markup('<rect x="1in" y="2.54cm" width="7.5px" height="50%" rx="25.4mm" ry="3pt" stroke-width="2pc"/>') == (
        '<rect x="96" y="96" width="7.5" height="50%" rx="96" ry="4" stroke-width="32"/>'
    )


def test_ids_and_references_get_the_prefix():
    gradient = '<linearGradient id="a"><stop offset="0" stop-color="red"/></linearGradient>'
    assert markup(f"{gradient}<rect fill=\"url('#a')\"/>") == (
        '<linearGradient id="@-1"><stop offset="0" stop-color="#ff0000"/></linearGradient><rect fill="url(#@-1)"/>'
    )
    assert (
        markup(f'<g id="b">{PATH}</g><use xlink:href="#b" x="2"/>') == f'<g id="@-1">{PATH}</g><use x="2" href="#@-1"/>'
    )


@pytest.mark.parametrize(
    ("reference", "kept"),
    [
        ('fill="url(#none)"', 'fill="none"'),
        ('fill="url(#none) red"', 'fill="#ff0000"'),
        ('fill="url(#shape)"', 'fill="none"'),
        ('fill="url(http://x/#a)"', 'fill="none"'),
        ('fill="url(other.svg#a)"', 'fill="none"'),
        ('fill="url(data:image/png;base64,AA)"', 'fill="none"'),
        ('clip-path="url(#shape)"', 'clip-path="none"'),
        ('mask="url(//x/#m)"', 'mask="none"'),
        ('style="fill:url(javascript:alert(1))"', ""),
        ('style="fill:URL(http://x)"', 'fill="none"'),
        ('style="fill:u\\72l(http://x)"', 'fill="none"'),
        ("style=\"fill:url('http://x') red\"", 'fill="#ff0000"'),
    ],
)
def test_references_lead_nowhere_but_to_what_fits_in_the_drawing(reference, kept):
    expected = f"<rect {kept}/>" if kept else "<rect/>"
    assert markup(f'<path id="shape"/><rect {reference}/>') == f"<path/>{expected}"


@pytest.mark.parametrize(
    "href", ["http://x/#a", "other.svg#a", "//x", "data:image/svg+xml,x#a", "#missing", "", "#", "/#g"]
)
@pytest.mark.parametrize("attribute", ["href", "xlink:href"])
def test_use_of_anything_else_is_dropped(attribute, href):
    assert markup(f'<g id="g"/><use {attribute}="{href}"/>') == "<g/>"


def test_what_the_root_says_of_paint_goes_around_the_drawing():
    root = 'viewBox="0 0 1 1" fill="none" style="stroke:red" class="x" width="3" onload="alert(1)" x="9"'
    assert markup(PATH, root) == f'<g fill="none" stroke="#ff0000">{PATH}</g>'


def test_links_are_drawn_as_groups():
    assert markup(f'<a href="http://x">{PATH}</a>') == f"<g>{PATH}</g>"


@pytest.mark.parametrize(
    ("root", "box"),
    [
        ('viewBox="-1 2 30 40" width="3" height="4"', (-1, 2, 30, 40)),
        ('viewBox=" 0,0 , 24 24 "', (0, 0, 24, 24)),
        ('width="120" height="80px"', (0, 0, 120, 80)),
        ('width="25.4mm" height="2.54cm"', (0, 0, 96, 96)),
        ('width="1in" height="72pt"', (0, 0, 96, 96)),
        ('width="100%" height="100%"', (0, 0, 300, 150)),
        ('viewBox="0 0 24" width="7" height="8"', (0, 0, 7, 8)),
        ("", (0, 0, 300, 150)),
    ],
)
def test_the_box_is_the_view_box_or_else_the_size(root, box):
    assert sanitised(svg(PATH, root)).box == pytest.approx(box)


@pytest.mark.parametrize(
    "root",
    [
        'viewBox="0 0 0 10"',
        'viewBox="0 0 10 -1"',
        'viewBox="0 0 1e7 1e7"',
        'viewBox="0 0 1e999 1"',
        'viewBox="0 0 1e-9 1"',
        'viewBox="1e7 0 1 1"',
        'width="0" height="10"',
        'width="10" height="-5"',
        'width="100000in" height="1"',
    ],
)
def test_a_drawing_without_a_size_or_with_an_absurd_one_is_refused(root):
    with pytest.raises(
        AssetError, match=r"has the size|numbers of at most 1,000,000|sides of at most 1,000,000, and at least 0.01"
    ):
        sanitised(svg(PATH, root))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "iso-8859-1"])
def test_encodings_are_read(encoding):
    name = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{name}"?>{svg(PATH + "<desc>é</desc>").decode()}'
    assert sanitised(text.encode(encoding)).markup == PATH


# ---- what is dropped


DROPPED = [
    "<script>alert(1)</script>",
    '<script href="http://x/y.js"/>',
    "<foreignObject><iframe src='http://x'/></foreignObject>",
    '<image href="/etc/passwd.png" width="9" height="9"/>',
    '<image href="http://x/y.png"/>',
    '<image xlink:href="data:image/png;base64,iVBORw0KGgo="/>',
    '<image href="data:image/svg+xml;base64,PHN2Zy8+"/>',
    '<filter id="f"><feImage href="http://x"/><feTurbulence numOctaves="99"/></filter>',
    '<animate attributeName="href" to="javascript:alert(1)"/>',
    '<set attributeName="onload" to="alert(1)"/>',
    '<animateTransform type="scale" to="1e30"/>',
    "<metadata><x/></metadata>",
    '<marker id="m"><path d="M0 0"/></marker>',
    '<cursor href="http://x"/>',
    '<html:script xmlns:html="http://www.w3.org/1999/xhtml">alert(1)</html:script>',
    '<x:path xmlns:x="urn:x" d="M0 0"/>',
    "<style>@import 'http://x'; @font-face{src:url(http://x)}</style>",
    "<handler type='text/ecmascript'>x</handler>",
    "<!-- <script/> --><?xml-stylesheet href='http://x'?>",
    "<unknown><path d='M0 0'/></unknown>",
    "text between the elements",
]


@pytest.mark.parametrize("body", DROPPED)
def test_what_is_not_a_shape_is_dropped(body):
    assert markup(body + PATH) == PATH


@pytest.mark.parametrize(
    "attribute",
    [
        'onclick="alert(1)"',
        'onload="alert(1)"',
        'href="javascript:alert(1)"',
        'filter="url(#f)"',
        'style="background:url(http://x)"',
        'style="behavior:url(x)"',
        'xml:base="http://x/"',
        'xlink:show="new"',
        'class="c"',
        'id="i"',
        'requiredFeatures="x"',
        'fill="expression(alert(1))"',
        'fill="http"',
        'fill="&lt;script&gt;"',
        'fill="&quot; onload=&quot;x"',
        'opacity="calc(1/0)"',
        'stroke-width="var(--x)"',
        'transform="scale(1) url(#a)"',
        'd2="M0 0"',
        'visibility="javascript"',
        'marker-end="url(#m)"',
        'mix-blend-mode="overlay"',
        'pathLength="1e-9"',
        f'stroke-dasharray="{"1 " * 33}"',
        'stroke-dasharray="0 0"',
        'stroke-dasharray="-1 2"',
        f'fill="{"a" * 100_000}"',
    ],
    ids=lambda attribute: attribute[:30],
)
def test_attributes_that_are_not_listed_or_hold_anything_odd_are_dropped(attribute):
    assert markup(f"<rect {attribute}/>") == "<rect/>"


# ---- what is refused


def chain(levels: int, width: int, wrap: str = '<g id="l{0}">{1}</g>') -> str:
    """`<use>` of `<use>`: each level draws the one before several times."""
    parts = [wrap.format(0, PATH)]
    parts += [wrap.format(level, f'<use href="#l{level - 1}"/>' * width) for level in range(1, levels + 1)]
    return "".join(parts)


def by(attribute: str, element: str, levels: int, width: int) -> str:
    """Masks (clips, patterns) of shapes that are masked themselves."""
    units = 'patternUnits="userSpaceOnUse" width="9" height="9"'
    parts = [f'<{element} id="l0" {units}>{PATH}</{element}>']
    for level in range(1, levels + 1):
        shapes = f'<rect {attribute}="url(#l{level - 1})"/>' * width
        parts.append(f'<{element} id="l{level}" {units}>{shapes}</{element}>')
    return "".join(parts) + f'<rect {attribute}="url(#l{levels})"/>'


TILE = '<pattern id="p" patternUnits="userSpaceOnUse" {}><path d="M0 0h1v1z"/></pattern>'
MASK = f'<mask id="m">{PATH}</mask>'

CURVES = "c1 0 1 1 0 1c1 0 1-1 0-1"

TOO_MUCH = {
    "uses, ten to the seventh": chain(7, 10),
    "uses, two to the thirtieth": chain(30, 2),
    "uses in symbols": chain(8, 6, '<symbol id="l{0}">{1}</symbol>'),
    "5,001 uses": f'<g id="a">{PATH}</g>' + '<use href="#a"/>' * 2_501,
    "masks in masks": by("mask", "mask", 9, 4),
    "clips in clips": by("clip-path", "clipPath", 9, 5),
    "patterns in patterns": by("fill", "pattern", 9, 5),
    "51 masks": f"<mask>{PATH}</mask>" * 51,
    "51 clip paths": "<clipPath/>" * 51,
    "2,000 masked shapes": MASK + '<rect mask="url(#m)"/>' * 1_900,
    "one mask on many groups": MASK + '<g mask="url(#m)">' * 2 + '<g mask="url(#m)"/>' * 60 + "</g></g>",
    "translucent groups": '<g opacity=".9"/>' * 1_900 + PATH,
    "gradients": '<linearGradient id="a"/>' + '<rect fill="url(#a)"/>' * 900,
    "33 levels": "<g>" * 33 + PATH + "</g>" * 33,
    "50,001 elements": "<title/>" * 50_000 + PATH,
    "5,001 shapes": PATH * 5_001,
    "uses 65 deep": "".join(f'<g id="d{n}"><use href="#d{n + 1}"/></g>' for n in range(70)) + f'<g id="d70">{PATH}</g>',
    "gradients that inherit 500 times": "".join(f'<linearGradient id="d{n}" href="#d{n + 1}"/>' for n in range(500)),
    "number": '<path d="M0 0 L1000001 0"/>',
    "number with exponent": '<path d="M0 0 L1e7 0"/>',
    "endless number": '<path d="M0 0 L1e999 0"/>',
    "length": '<rect width="1e7"/>',
    "digits": f'<rect x="{"9" * 400}"/>',
    "scale": f'<g transform="scale(1e30)">{PATH}</g>',
    "scale, dashed": '<g transform="scale(1e30)"><path d="M0 0h1" stroke-dasharray="1"/></g>',
    "scale of scale": '<g transform="scale(1e5)">' * 3 + PATH + "</g>" * 3,
    "scale times scale": f'<g transform="{"scale(1e5)" * 3}">{PATH}</g>',
    "matrix of matrix": '<g transform="matrix(1e5 0 0 1e5 0 0)">' * 2 + PATH + "</g>" * 2,
    "skew": f'<g transform="skewX(89.999999)">{PATH}</g>' * 2,
    "small view box": f'<symbol id="s" viewBox="0 0 1e-6 1e-6">{PATH}</symbol><use href="#s"/>',
    "use larger than all": f'<symbol id="s" viewBox="0 0 .001 1">{PATH}</symbol><use href="#s" width="1e5"/>',
    "use larger than all, in per cent": f'<symbol id="s" viewBox="0 0 .001 1">{PATH}</symbol>'
    '<use href="#s" height="1e6%"/>',
    "dashes": '<path d="M0 0H10" stroke-dasharray="1e-6"/>',
    "dashes of a circle": '<circle r="1000" stroke-dasharray=".001"/>',
    "dashes of a polygon": '<polygon points="0 0 9e5 9e5" style="stroke-dasharray:.1,.1"/>',
    "dashes, inherited": '<g stroke-dasharray="1e-3"><path d="M0 0H9999"/></g>',
    "dashes of an arc that grows": '<path d="M0 0A1e-6 1e6 0 0 1 1 0" stroke-dasharray="1"/>',
    "far curves": f'<path d="M0 0{"C1e6 1e6-1e6 1e6 5 5" * 2_000}" stroke="red"/>',
    "relative curves that run away": f'<path d="M0 0{"l9e5 9e5-9e5-9e5" * 2_000}" stroke="red"/>',
    "curves with wide strokes": f'<path d="M50 50{CURVES * 2_000}" stroke="red" stroke-width="90"/>',
    "curves with strokes of the default width": f'<path d="M0 0{CURVES * 2_000}" stroke="red"/>',
    "curves with strokes that stay wide": f'<path d="M0 0{CURVES * 2_000}" vector-effect="non-scaling-stroke"/>',
    "curves with strokes, inherited": '<g stroke="red" stroke-width="40">'
    + f'<path d="{"".join(f"M{n % 100} {n // 60}c3 0 3 3 0 3" for n in range(6_000))}"/></g>',
    "arcs with wide strokes": f'<path d="M0 0{"a1 1 0 0 1 1 0a1 1 0 0 1-1 0" * 2_000}" stroke="red" stroke-width="9"/>',
    "curves, drawn often": f'<path id="a" d="M0 0{CURVES * 500}" stroke="red"/>' + '<use href="#a"/>' * 20,
    "tile": TILE.format('width="1000" height="1"') + '<rect fill="url(#p)"/>',
    "tile in per cent": TILE.format('width="500%" height="1"') + '<rect fill="url(#p)"/>',
    "tile enlarged by itself": TILE.format('width="9" height="9" patternTransform="scale(99)"')
    + '<rect fill="url(#p)"/>',
    "tile enlarged by others": TILE.format('width="9" height="9"')
    + '<g transform="scale(99)"><rect fill="url(#p)"/></g>',
}

CIRCLES = {
    "use of itself": '<use id="a" href="#a"/>',
    "use of what it is in": '<g id="a"><use href="#a"/></g>',
    "two uses": '<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>',
    "mask of itself": '<mask id="a"><rect mask="url(#a)"/></mask>',
    "mask on itself": '<mask id="a" mask="url(#a)"/>',
    "clip path of itself": '<clipPath id="a" clip-path="url(#a)"/>',
    "pattern of itself": '<pattern id="a" patternUnits="userSpaceOnUse"><rect fill="url(#a)"/></pattern>',
    "gradient of itself": '<linearGradient id="a" href="#a"/>',
    "gradients of each other": '<radialGradient id="a" href="#b"/><linearGradient id="b" href="#a"/>',
    "use in a pattern in a use": '<g id="a"><rect fill="url(#p)"/></g>'
    '<pattern id="p" patternUnits="userSpaceOnUse"><use href="#a"/></pattern>',
}


@pytest.mark.parametrize("body", TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_would_take_too_long_to_draw_is_refused(body):
    with pytest.raises(AssetError) as caught:
        sanitised(svg(body))
    assert caught.value.code == "image-too-large"


@pytest.mark.parametrize(
    ("side", "root"),
    [
        (1000, 'viewBox="0 0 1000 10"'),
        (24, 'viewBox="0 0 24 24" width="9000" height="9000"'),
        (0.1, 'viewBox="0 0 .1 .1" width="100%"'),
        (9e5, 'viewBox="0 0 9e5 9e5" width="16" height="16"'),
    ],
)
def test_a_drawing_may_be_full_of_shapes_whatever_its_size(side, root):
    paths = "".join(f'<path d="M0 0L{side / 50:g} {number}e-9z"/>' for number in range(1_500))
    shapes = f'<rect width="{side}" height="{side}" opacity=".5"/>' * 20
    pattern = TILE.format(f'width="{side}" height="{side / 9}"') + '<rect fill="url(#p)"/>'
    assert sanitised(svg(paths + shapes + pattern, root)).markup.count("<path") == 1_501


def test_a_drawing_may_have_many_curves_with_strokes_that_lie_apart():
    curves = "".join(f"M{n % 100} {n // 60}c1 0 1 1 0 1" for n in range(6_000))
    outlined = f'<path d="{curves}" fill="none" stroke="red" stroke-width=".3"/>'
    assert "stroke" in sanitised(svg(outlined, 'viewBox="0 0 100 100"')).markup


@pytest.mark.parametrize("body", CIRCLES.values(), ids=CIRCLES)
def test_what_draws_itself_is_refused(body):
    with pytest.raises(AssetError, match="inside itself"):
        sanitised(svg(body))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<",
        b"<svg/>",
        b"not a picture",
        b"<html xmlns='http://www.w3.org/1999/xhtml'/>",
        b"<svg xmlns='urn:other'/>",
        svg(PATH)[:-3],
        svg("<g></path>"),
        svg("<g a='1' a='2'/>"),
        svg("&undefined;"),
        svg("\x00"),
        svg("\x01"),
        b"\x1f\x8b\x08\x00" + zlib.compress(svg(PATH)),
        svg(f"<desc>{'x' * 2**22}</desc>{PATH}"),
        svg("<g>" * 100_000),
        svg("<g>" * 20_000 + "</g>" * 20_000),
        svg("<image/>"),
        svg('<path d="M0 0 L"/>'),
        svg('<path d="5 5 L 1 1"/>'),
        svg('<path d="M0 0 A1 1 0 7 7 5 5"/>'),
        b'<?xml version="1.0" encoding="nonsense"?>' + svg(PATH),
    ],
    ids=lambda data: ascii(data[:20] + data[-20:]),
)
def test_what_is_no_svg_is_refused(data):
    with pytest.raises(AssetError):
        sanitised(data)


@pytest.mark.parametrize(
    "body",
    quick_first(
        [
            f'<g transform="{" " * 200_000}x"/>',
            f'<g transform="{"scale( " * 30_000}"/>',
            f'<g fill="{"url(#" * 50_000}"/>',
            f'<g fill="url(#{" " * 200_000}x"/>',
            f'<g fill="rgb({"1," * 100_000}"/>',
            f'<rect x="{"1" * 200_000}x"/>',
            f'<path d="{"." * 200_000}"/>',
            f'<path d="M{"0" * 200_000}"/>',
            f'<path d="{"M0 0z" * 45_000}"/>',
            f"<style>{'/*' * 120_000}</style>",
            f"<style>{'@{' * 120_000}</style>",
            f"<style>{'@' * 240_000}</style>",
            f"<style>{'}' * 240_000}</style>",
            f"<style>{',' * 240_000}{{fill:red}}</style>",
            f"<style>{'a.b,' * 60_000}a{{fill:red}}</style>",
            f"<style>{'*{fill:red}' * 20_000}</style>" + "<g/>" * 1_900,
            f"<style>*{{{'fill:red;' * 20_000}}}</style>" + "<g/>" * 1_900,
            f"<style>*{{stroke-dasharray:{'1 ' * 100_000}}}</style>" + "<g/>" * 1_900,
            f'<g class="{"a " * 120_000}"/>',
            f'<g style="{";" * 240_000}"/>',
            f'<polygon points="{"1 " * 120_000}"/>',
            "".join(f'<g id="{n}" a{n}="{n}"/>' for n in range(1_900)),
            "<g " + " ".join(f'a{n}="{n}"' for n in range(15_000)) + "/>",
        ],
        8,
    ),
    ids=lambda body: body[:20] + body[-10:],
)
def test_long_values_take_no_long_time(body):
    """Whatever comes out: it does so before the test would be cut off by hand."""
    try:
        drawing = sanitised(svg(body))
    except AssetError:
        return
    assert len(drawing.markup) < 4 * len(body)
    check_is_safe(drawing)


# ---- anything at all

words = st.sampled_from(
    """url(#a) url(#b) url(http://x) javascript:alert(1) http://x file:///etc/passwd data:image/png;base64,AA== #a #b
    #fff red none 1 -1 0 1e9 1e-9 0.5 10% 1,2,3 M0,0L5,5 M0 0A1 1 0 0 1 5 5z scale(2) rotate(45) matrix(1,0,0,1,0,0)
    a b userSpaceOnUse objectBoundingBox inherit &lt;script&gt; &quot; &amp; fill:url(#a) fill:red;stroke:url(//x)
    """.split()  # noqa: SIM905
)
names = st.sampled_from(
    [
        *sorted(ELEMENTS),
        "script",
        "image",
        "text",
        "style",
        "a",
        "switch",
        "tspan",
        "textPath",
        "foreignObject",
        "animate",
        "filter",
        "x:path",
    ]
)
keys = st.sampled_from(
    [*sorted(ATTRIBUTES), "font-size", "dx", "style", "class", "xlink:href", "onload", "xml:base", "filter", "a"]
)
texts = st.sampled_from(
    ["", ".a{fill:url(#a)}", "*{mask:url(#b);fill:url(http://x)}", "#a{d:x}", "alert(1)", "&#160;", "שלום"]
)


def element(children: st.SearchStrategy[list[str]]) -> st.SearchStrategy[str]:
    attributes = st.dictionaries(keys, words | st.lists(words, max_size=3).map(" ".join), max_size=5).map(
        lambda found: "".join(f' {key}="{value}"' for key, value in found.items())
    )
    return st.builds(
        lambda name, given, text, inner: f"<{name}{given}>{text}{''.join(inner)}</{name}>",
        names,
        attributes,
        texts,
        children,
    )


documents = st.lists(
    st.recursive(element(st.just([])), lambda inner: element(st.lists(inner, max_size=3)), max_leaves=12), max_size=4
).map(lambda body: svg("".join(body), 'viewBox="0 0 9 9" xmlns:x="urn:x"'))


def check_out(data: bytes) -> None:
    try:
        drawing = sanitised(data)
    except AssetError as error:
        assert error.code in ("bad-image", "image-too-large")
    else:
        check_is_safe(drawing)


@given(documents)
def test_whatever_is_drawn_comes_out_safe_or_not_at_all(data):
    check_out(data)


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: svg(text)))
@example(svg('<path fill="&#xFFFD;"/>'))
def test_whatever_bytes_come_in_come_out_safe_or_not_at_all(data):
    check_out(data)


@given(st.data())
def test_slips_in_a_drawing_come_out_safe_or_not_at_all(data):
    good = bytearray(REALISTIC[data.draw(st.sampled_from(sorted(REALISTIC)))].encode())
    for _ in range(data.draw(st.integers(1, 6))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    check_out(bytes(good))


# ---- drawings as they are made

REALISTIC = {
    "gradient logo": """<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" fill="none" viewBox="0 0 64 64">
      <circle cx="32" cy="32" r="30" fill="url(#paint0_linear_1_2)"/>
      <path d="M20 20c10-8 20 0 12 12s4 18 14 10" stroke="url(#r)" stroke-width="4" stroke-linecap="round"/>
      <g opacity=".6"><rect x="8" y="40" width="30" height="12" rx="3" fill="#fff"/><ellipse cx="44" cy="18" rx="9"
        ry="5" transform="rotate(-20 44 18)" fill="hsl(50, 90%, 60%)"/></g>
      <defs><linearGradient id="paint0_linear_1_2" x1="2" y1="2" x2="62" y2="62" gradientUnits="userSpaceOnUse">
      <stop stop-color="#E3F"/><stop offset="1" stop-color="#30f" stop-opacity=".4"/></linearGradient>
      <radialGradient id="r" cx=".5" cy=".5" r=".7" fx=".3" fy=".3" spreadMethod="reflect"><stop offset="10%"
        stop-color="gold"/><stop offset="100%" stop-color="rgb(200,30,30)"/></radialGradient></defs></svg>""",
    "Illustrator": """<?xml version="1.0" encoding="utf-8"?>
      <!-- Generator: Adobe Illustrator 24.0.1, SVG Export Plug-In . SVG Version: 6.00 Build 0)  -->
      <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
      <svg version="1.1" id="Layer_1" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
        x="0px" y="0px" viewBox="0 0 200 100" style="enable-background:new 0 0 200 100;" xml:space="preserve">
      <style type="text/css">
        .st0{fill:#1D1D1B;}
        .st1{fill:none;stroke:#E30613;stroke-width:6;stroke-miterlimit:10;stroke-dasharray:12,8;}
        .st2{clip-path:url(#SVGID_2_);fill:url(#SVGID_3_);}
        .st3{opacity:0.5;fill-rule:evenodd;clip-rule:evenodd;fill:#009640;}
      </style>
      <g id="Ebene_1"><rect x="10" y="10" class="st0" width="40" height="40"/>
        <polyline class="st1" points="10,70 60,90 110,60 190,90 "/>
        <path class="st3" d="M100,10h60v60h-60V10z M115,25v30h30V25H115z"/></g>
      <g><defs><circle id="SVGID_1_" cx="80" cy="30" r="20"/></defs>
        <clipPath id="SVGID_2_"><use xlink:href="#SVGID_1_"  style="overflow:visible;"/></clipPath>
        <linearGradient id="SVGID_3_" gradientUnits="userSpaceOnUse" x1="60" y1="30" x2="100" y2="30"
          gradientTransform="matrix(1 0 0 -1 0 60)"><stop  offset="0" style="stop-color:#FFED00"/>
          <stop  offset="1" style="stop-color:#E6007E"/></linearGradient>
        <rect x="60" y="10" class="st2" width="40" height="40"/></g></svg>""",
    "clip and mask": """<svg xmlns="http://www.w3.org/2000/svg" width="40mm" height="40mm" viewBox="-50 -50 100 100">
      <defs><clipPath id="c"><path clip-rule="evenodd" d="M-40-40h80v80h-80zM-15-15v30h30v-30z"/></clipPath>
      <mask id="m" maskUnits="userSpaceOnUse" x="-50" y="-50" width="100" height="100" style="mask-type:luminance">
        <rect x="-50" y="-50" width="100" height="100" fill="white"/><circle r="22" cx="20" cy="20" fill="#000"/></mask>
      <pattern id="p" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(30)">
        <rect width="4" height="8" fill="navy"/></pattern></defs>
      <g clip-path="url('#c')"><circle r="45" fill="orange"/><g mask="url(#m)"><path d="M-45 0L0-45 45 0 0 45Z"
        fill="url(#p)" stroke="teal" stroke-width="3" stroke-linejoin="round"/></g></g></svg>""",
    "symbols": """<svg viewBox="0 0 120 60" xmlns="http://www.w3.org/2000/svg"
      xmlns:xlink="http://www.w3.org/1999/xlink">
      <symbol id="star" viewBox="0 0 24 24"><path d="M12 17.27 18.18 21l-1.64-7.03L22 9.24l-7.19-.61L12 2 9.19 8.63 2
        9.24l
        5.46 4.73L5.82 21z"/></symbol>
      <g id="pair" fill="crimson"><use href="#star" width="30" height="30"/><use xlink:href="#star" x="30" width="24"
        height="24" fill="#06c"/></g>
      <use href="#pair" x="60" y="28" transform="scale(1 .9)" opacity=".7"/>
      <svg x="5" y="35" width="40" height="20" viewBox="0 0 80 40" preserveAspectRatio="xMinYMid meet">
        <line x1="0" y1="0" x2="80" y2="40" stroke="black" stroke-width="5"/><polygon points="0,40 20,5 40,40"
        fill="#0a08"/></svg></svg>""",
    "Inkscape": """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
      <svg width="60mm" height="60mm" viewBox="0 0 60 60" version="1.1" id="svg5"
        inkscape:version="1.2.2 (b0a8486541, 2022-12-01)" sodipodi:docname="drawing.svg"
        xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"
        xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" xmlns="http://www.w3.org/2000/svg">
      <sodipodi:namedview id="namedview7" pagecolor="#ffffff" showgrid="false"><inkscape:grid/></sodipodi:namedview>
      <defs id="defs2"><linearGradient id="linearGradient10"><stop style="stop-color:#5fd35f;stop-opacity:1;" offset="0"
        id="stop11"/><stop style="stop-color:#165016;stop-opacity:0.2" offset="1" id="stop12"/></linearGradient>
        <linearGradient xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#linearGradient10" id="linearGradient13"
        x1="10" y1="10" x2="50" y2="50" gradientUnits="userSpaceOnUse"/></defs>
      <g inkscape:label="Layer 1" inkscape:groupmode="layer" id="layer1" transform="translate(2,-1)">
        <path style="fill:url(#linearGradient13);fill-opacity:1;stroke:#d40000;stroke-width:1.5;stroke-linecap:butt;
          stroke-dasharray:4.5, 1.5;stroke-dashoffset:0;-inkscape-stroke:none;paint-order:stroke fill markers"
          d="m 10,10 c 20,-10 40,5 38,20 -2,15 -20,25 -30,18 C 8,41 5,20 10,10 Z" id="path20"
          sodipodi:nodetypes="cssc"/>
        <rect style="opacity:0.45;fill:#0000ff;stroke:none" id="rect22" width="18.5" height="9.25" x="32" y="36"
          ry="2.1" transform="rotate(-12,41,40)"/></g></svg>""",
}


def rendered(text: str) -> Image.Image:
    drawn = resvg_py.svg_to_bytes(svg_string=text, width=240, dpi=96)
    picture = Image.open(BytesIO(bytes(drawn))).convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("RGB")


@pytest.mark.parametrize("name", REALISTIC)
def test_drawings_of_design_programs_look_as_before(name):
    original = REALISTIC[name]
    drawing = sanitised(original.encode())
    check_is_safe(drawing)
    root = etree.fromstring(original.encode())
    size = "".join(f'{name}="{root.get(name)}" ' for name in ("width", "height") if root.get(name))
    box = " ".join(f"{number:g}" for number in drawing.box)
    clean = f'<svg {NAMESPACES} {size}viewBox="{box}">{drawing.markup}</svg>'
    before, after = rendered(original), rendered(clean)
    assert before.size == after.size
    assert len(before.getcolors(60_000)) > 50
    assert max(ImageStat.Stat(ImageChops.difference(before, after)).mean) < 1
