"""Styles of an SVG from strangers become attributes as browsers resolve them, and nothing leads out of the file."""

import csv
from base64 import b64encode
from io import BytesIO
from pathlib import Path

import pytest
from lxml import etree
from PIL import Image

from qrkit.drawing.parts.layers import pixels_of
from qrkit.drawing.untrusted.svg_reader import read_svg
from qrkit.drawing.untrusted.svg_styles import plain
from qrkit.errors import AssetError

CASES = Path(__file__).with_name("svg_cases")
NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def svg(body, root='viewBox="0 0 10 10"', before=""):
    return f"{before}<svg {NAMES} {root}>{body}</svg>".encode()


def shown(body, **root):
    """The tag and the attributes of the last element of a file."""
    element = list(plain(svg(body, **root)).root.iter())[-1]
    return etree.QName(element).localname, dict(element.attrib)


def attributes(body):
    return shown(body)[1]


def font(*values):
    return dict(zip(("font-style", "font-variant", "font-weight", "font-size", "font-family"), values, strict=True))


def doubts(body, **root):
    return plain(svg(body, **root)).doubts


# ---- as browsers draw it


@pytest.mark.rule("G25")
@pytest.mark.parametrize(
    "row", list(csv.DictReader((CASES / "expected.csv").read_text().splitlines())), ids=lambda row: row["file"]
)
def test_each_case_is_drawn_as_in_a_browser(row):
    """The mean colors of a grid of 4 x 4, as Chromium draws the file on white."""
    width, height = int(row["width"]), int(row["height"])
    picture = read_svg((CASES / row["file"]).read_bytes())
    pixels = Image.fromarray(pixels_of(picture, (0, 0, width, height), (0, 0, width, height)))
    on_white = Image.alpha_composite(Image.new("RGBA", pixels.size, "white"), pixels).convert("RGB")
    means = on_white.resize((4, 4), Image.Resampling.BOX)
    for down in range(4):
        for across in range(4):
            expected = bytes.fromhex(row[f"r{down + 1}c{across + 1}"][1:])
            assert means.getpixel((across, down)) == pytest.approx(tuple(expected), abs=int(row["tolerance"]))


@pytest.mark.parametrize(
    ("sheet", "kept"),
    [
        ("rect{fill:blue} .a{fill:red}", {"fill": "#ff0000"}),
        (".a{fill:red} rect{fill:blue}", {"fill": "#ff0000"}),
        ("#b{fill:lime} .a.c{fill:red}", {"fill": "#00ff00"}),
        (".a{fill:red!important} #b{fill:blue}", {"fill": "#ff0000"}),
        ("g .a, .none{fill:red}", {"fill": "#ff0000"}),
        ("svg>.a{fill:red}", {}),
        ("rect:not(.none){fill:red}", {"fill": "#ff0000"}),
        ("rect:hover{fill:red}", {}),
        ("@media screen and (prefers-color-scheme: light){.a{fill:red}}", {"fill": "#ff0000"}),
        ("@media (prefers-color-scheme: dark){.a{fill:red}}", {}),
        ("@media print, screen{.a{fill:red}}", {"fill": "#ff0000"}),
        ("@media not all and (prefers-color-scheme: dark){.a{fill:red}}", {"fill": "#ff0000"}),
        ("@media not screen, not (prefers-contrast: no-preference){.a{fill:red}}", {}),
        ("@media (forced-colors: active), only print{.a{fill:red}}", {}),
        ("/* .a{fill:red} */ .a{fill:blue;/* ; */}", {"fill": "#0000ff"}),
        (".a{fill:red;fill:lab(30% 20 20)}", {"fill": "#693a29"}),
        (".a{fill:lch(50% 60 120/.5)}", {"fill": "#54840480"}),
        (".a{fill:unset}", {}),
        (".a{fill:initial}", {"fill": "#000000"}),
        (".a{fill:red;fill:revert-layer}", {"fill": "#ff0000"}),
        (".a{fill:red} .c{--x:1px;fill:var(--x)}", {}),
        (".a{fill:linktext}", {"fill": "#0000ee"}),
        (".a{fill:InfoBackground}", {"fill": "#ffffff"}),
        (".a{fill:AccentColor}", {"fill": "#0075ff"}),
        (".a{stroke-width:-2px;stroke-linejoin:miter-clip}", {}),
        (".a{white-space:pre;text-transform:uppercase}", {}),  # is no text
        (
            ".a{font:italic bold 9px/1.5 Arial,serif;font-size:5px}",
            font("italic", "normal", "bold", "5px", "Arial,serif"),
        ),
        (".a{FONT:Small-Caps 2E1PX / NORMAL A B}", font("normal", "small-caps", "normal", "2e1px", "A B")),
        (".a{font:700 50% Arial}", font("normal", "normal", "700", "50%", "Arial")),
        (".a{font:medium '9px'}", font("normal", "normal", "normal", "medium", '"9px"')),
        (".a{font:caption}", {}),
        (".a{font:-9px Arial}", {}),
        (".a{font:9px/}", {}),
        (".a{--x:red;--y:var(--x);fill:var(--y)}", {"fill": "#ff0000"}),
        ("g{--x:red} .a{fill:var(--x)}", {"fill": "#ff0000"}),
        (".a{fill:var(--none)}", {}),
        (".a{fill:light-dark(red,blue)}", {"fill": "#ff0000"}),
        (".a{fill:rgb(255 0 0/50%)}", {"fill": "#ff000080"}),
        (".a{fill:currentcolor}", {"fill": "currentColor"}),
        (".a{fill:oklch(.6 .2 30)}", {"fill": "#de3e2d"}),
        (".a{fill:oklab(1 0 0/.5)}", {"fill": "#ffffff80"}),
        (".a{fill:color(display-p3 0 .5 0)}", {"fill": "#008200"}),
        ("svg{--c:rgb(var(--r) 0 0);--r:255} .a{--r:0;fill:var(--c)}", {"fill": "#ff0000"}),
        ("svg{--c:red} .a{--c:initial;fill:var(--c,blue)}", {"fill": "#0000ff"}),
        (".a{image-rendering:pixelated}", {"image-rendering": "optimizeSpeed"}),
        (".a{stroke-width:2px}", {"stroke-width": "2px"}),
        (".a{x:3px;r:4px}", {"x": "3px", "r": "4px"}),
        (".a{mix-blend-mode:Multiply}", {"style": "mix-blend-mode:multiply"}),
        (".a{transform:translate(2px) rotate(.5turn)}", {"transform": "translate(2) rotate(180)"}),
        (".a{transform:none}", {}),
        (".a{transform:translate3d(1px,2px,9px) rotateZ(90deg)}", {"transform": "translate(1 2) rotate(90)"}),
        (".a{transform:scale3d(2,3,4) translateZ(0)}", {"transform": "scale(2 3) translate(0)"}),
        (".a{stroke-dasharray:var(--none, 4 2)}", {"stroke-dasharray": "4 2"}),
        (".a{animation:none;zoom:normal;translate:none}", {}),
        (".a{cursor:pointer;-inkscape-stroke:none}", {}),
    ],
)
def test_styles_become_attributes_as_the_cascade_says(sheet, kept):
    body = f'<style>{sheet}</style><g><rect class="a c" id="b"/></g>'
    found = attributes(body)
    assert (found.pop("id"), found) == ("i0", kept)
    assert doubts(body) == ()


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ('<rect width="3PX" height="1E1"/>', {"width": "3px", "height": "1e1"}),
        ('<g style="--x:3px"><rect width="var(--x)"/></g>', {"width": "3px"}),
        ('<rect stroke-width="-1" stroke-linejoin="miter-clip"/>', {}),
        ('<path d="M1,2,L3,4,5,6, z"/>', {"d": "M1,2 L3,4,5,6  z"}),
        ('<path d=",M1,2z,M3. 4.,z"/>', {"d": ",M1,2z,M3. 4.,z"}),  # an error in browsers, too
        ('<rect stroke-width=" -1"/>', {}),
        ('<rect opacity="\n .5/**/" fill-opacity=" .1 "/>', {"opacity": ".5", "fill-opacity": ".1"}),
        ('<rect style="fill-opacity:/**/.1/* x */"/>', {"fill-opacity": ".1"}),
        ('<rect fill="\u00a0#000"/>', {}),  # this space is none of CSS
        ('<polygon points="1,2,3,4,"/>', {"points": "1,2,3,4 "}),
        ('<text style="white-space:pre"/>', {"{http://www.w3.org/XML/1998/namespace}space": "preserve"}),
        ('<path d="M1 2" style="d:path(evenodd, \'M3 4\')"/>', {"d": "M1 2"}),
        ('<g marker-end="url(#m)"><marker id="m"/><circle/></g>', {"marker-end": "none"}),
        ('<linearGradient style="transform:rotate(9deg)"/>', {"gradientTransform": "rotate(9)"}),
        ('<pattern style="transform:scale(2)"/>', {"patternTransform": "scale(2)"}),
        ('<style type="TEXT/CSS">rect{fill:red}</style><rect/>', {"fill": "#ff0000"}),
    ],
)
def test_attributes_count_as_in_browsers(body, kept):
    assert attributes(body) == kept


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("opacity", ".1", None),
        ("display", "none", None),
        ("width", "3", None),
        ("visibility", "hidden", "visible"),
        ("stroke-dasharray", "1 2", "none"),
        ("stroke-width", "0", "1"),
    ],
)
def test_an_initial_value_replaces_an_attribute(name, given, kept):
    assert attributes(f'<style>rect{{{name}:initial}}</style><rect {name}="{given}"/>').get(name) == kept


@pytest.mark.parametrize(
    "body",
    [
        '<rect stroke="none" vector-effect="non-scaling-stroke"/>',
        '<rect id="a" stroke="none" vector-effect="non-scaling-stroke"/><use href="#a" stroke="red"/>',
        '<g stroke-dasharray="1 2"><rect pathLength="3" stroke-dasharray="none"/></g>',
        '<rect width="1e3"/>',
        '<path d="M0 0h1" stroke-dasharray="1px, 2mm"/>',
        '<symbol id="a"><radialGradient cx="50%" r="50%"/><filter x="-10%"/><path/></symbol><use href="#a" width="5"/>',
        '<rect style="direction:rtl;text-shadow:0 0 9px red"/>',
    ],
)
def test_what_changes_nothing_raises_no_doubt(body):
    assert doubts(body) == ()


@pytest.mark.parametrize(
    ("name", "kept"), [("pixelated", "optimizeSpeed"), ("crisp-edges", "optimizeSpeed"), ("optimizeSpeed", None)]
)
@pytest.mark.parametrize("form", ['image-rendering="{}"', 'style="image-rendering:{}"'])
def test_pictures_have_hard_pixels_where_browsers_draw_them_so(name, kept, form):
    assert attributes(f"<rect {form.format(name)}/>").get("image-rendering") == kept


def test_shorthand_properties_do_not_become_attributes():
    assert attributes('<rect marker="url(#a)" font="9px x"/>') == {}


@pytest.mark.parametrize(
    ("servers", "kept"),
    [
        ('<linearGradient id="a"/>', "url(#i0)"),
        ('<pattern id="a"/>', "url(#i0) #ff0000"),
        ('<g id="a"/>', "#ff0000"),
        ("", "#ff0000"),
    ],
)
def test_a_fallback_counts_where_there_is_nothing_to_paint_with(servers, kept):
    assert attributes(f'{servers}<rect fill="url(#a) red"/>')["fill"] == kept


def test_a_use_has_the_size_of_its_symbol_and_its_clip_moves_with_it():
    symbol = '<symbol id="a" x="0" width="5" height="4"><path/></symbol>'
    assert attributes(f'{symbol}<use href="#a" height="3"/>') == {"href": "#i0", "height": "3", "width": "5"}
    clip = '<clipPath id="c"/><use href="#a" transform="scale(2)" x="1" y="2" clip-path="url(#c)"/>'
    found = attributes(symbol + clip)
    assert (found["transform"], found.get("x"), found.get("y")) == ("scale(2) translate(1 2)", None, None)


@pytest.mark.parametrize(
    ("body", "is_framed"),
    [('<rect width="50%"/>', True), ("<svg/>", True), ('<use href="#a"/>', True), ('<rect width="5"/>', False)],
)
def test_percentages_in_a_symbol_are_those_of_its_view_box(body, is_framed):
    symbol = f'<symbol id="b" viewBox="0 0 9 9" preserveAspectRatio="none">{body}</symbol>'
    root = plain(svg(f'{symbol}<path id="a"/><use href="#b" width="5" height="5"/>')).root
    (framed,) = root.iter("{*}symbol")
    assert (framed.get("viewBox"), framed.get("preserveAspectRatio")) == ("0 0 9 9", "none")
    assert (dict(framed[0].attrib) == {"width": "9", "height": "9", "overflow": "visible"}) == is_framed


@pytest.mark.parametrize("unit", ["rem", "vw", "vmin", "ch"])
def test_the_size_of_the_whole_picture_may_have_any_unit_if_a_view_box_says_its_proportions(unit):
    size = f'width="20{unit}" height="20{unit}"'
    assert doubts("<rect/>", root=f'viewBox="0 0 10 10" {size}') == ()
    assert len(doubts("<rect/>", root=size)) == len(doubts("<rect/>", root=f'viewBox="none" {size}')) == 1
    assert len(doubts(f'<svg viewBox="0 0 10 10" {size}/>')) == 1


def test_style_attributes_are_stronger_than_sheets_and_attributes():
    sheet = "<style>#a{fill:red}.b{stroke:red!important}</style>"
    found = attributes(f'{sheet}<rect id="a" class="b" fill="lime" style="fill:blue;stroke:blue"/>')
    assert found == {"id": "i0", "fill": "#0000ff", "stroke": "#ff0000"}


def test_sheets_are_read_in_cdata_and_by_their_medium():
    sheets = "<style><![CDATA[.a{fill:red}]]></style><style media='print'>.a{fill:blue}</style>"
    assert attributes(f'{sheets}<rect class="a"/>') == {"fill": "#ff0000"}


def test_variables_are_those_of_each_element():
    body = "<style>rect{fill:rgb(var(--r),0,0)}</style>"
    body += '<g style="--r:255"><rect/></g><g style="--r:0"><rect/></g>'
    root = plain(svg(body)).root
    assert [one.get("fill") for one in root.iter("{*}rect")] == ["#ff0000", "#000000"]


def test_origins_become_part_of_a_transform():
    assert attributes('<rect transform="rotate(90)" transform-origin="3 4"/>') == {
        "transform": "translate(3 4) rotate(90) translate(-3 -4)"
    }
    found = attributes('<rect style="transform:rotate(90deg);transform-origin:center 20%"/>')
    assert found["transform"] == "translate(5 2) rotate(90) translate(-5 -2)"
    turned = '<rect style="transform:rotate(90deg);transform-origin:center"/>'
    assert attributes(turned) == found | {"transform": "translate(5 5) rotate(90) translate(-5 -5)"}
    assert doubts(turned, root='width="10" height="10"') == ()
    assert doubts('<rect style="transform:rotate(90deg);transform-box:fill-box;transform-origin:center"/>')
    assert doubts('<rect style="transform:rotate(90deg);transform-box:fill-box"/>')
    for inside in (f'<svg viewBox="0 0 4 6">{turned}</svg>', f'<symbol viewBox="0 0 4 6">{turned}</symbol>'):
        assert attributes(inside)["transform"] == "translate(2 3) rotate(90) translate(-2 -3)"
    assert doubts(f"<symbol>{turned}</symbol>")


def test_a_picture_keeps_the_proportions_of_its_size():
    file = plain(svg("<rect/>", root='width="40" height="10" viewBox="0 0 10 10" preserveAspectRatio="none"'))
    assert file.box == (0, 0, 40, 10)
    (inner,) = file.root
    assert (inner.get("width"), inner.get("viewBox"), inner.get("preserveAspectRatio")) == ("40", "0 0 10 10", "none")


def test_a_whole_picture_is_shown_even_if_its_display_is_none():
    assert "display" not in plain(svg("<rect/>", root='viewBox="0 0 9 9" style="display:none"')).root.attrib


def test_the_background_of_the_root_lies_behind_the_picture():
    root = plain(svg("<rect/>", root='viewBox="1 2 30 40" opacity=".5" style="background:#333"')).root
    assert root.get("viewBox") == "0 0 30 40"
    assert dict(root[0].attrib) == {"width": "30", "height": "40", "fill": "#333333"}
    assert (root[1].get("viewBox"), root[1].get("opacity")) == ("1 2 30 40", ".5")


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ('<switch><rect systemLanguage="de"/><path/><circle/></switch>', ["path"]),
        ('<switch><rect systemLanguage="de, en"/><path/></switch>', ["rect"]),
        ('<switch><rect systemLanguage=""/><path/></switch>', ["path"]),
        ('<switch><foreignObject requiredExtensions="urn:x"/><path/></switch>', ["path"]),
        ('<rect systemLanguage="de"/><path/>', ["path"]),
        ('<x:path xmlns:x="urn:x"/><path/>', ["path"]),
        ("<script/><path/><unknown><rect/></unknown>", ["path"]),
        ("<a><a><rect/></a><path/></a>", ["path"]),
        ("<switch><a><rect/></a></switch><path/>", ["g", "path"]),
        ('<switch><rect systemLanguage="en-GB"/><path/></switch>', ["rect"]),
        ('<rect requiredExtensions=""/><path/>', ["path"]),
    ],
)
def test_only_what_is_shown_stays(body, kept):
    assert [etree.QName(one).localname for one in plain(svg(body)).root.iter() if len(one) == 0] == kept


@pytest.mark.parametrize("view", ['svg viewBox="0 0 0 5"', 'svg width="-5"', 'symbol viewBox="0 0 5 0"'])
def test_what_is_in_a_picture_without_an_area_is_not_drawn_but_may_be_used(view):
    inner, rect = plain(svg(f'<{view}><clipPath id="c"/></{view.split()[0]}><rect clip-path="url(#c)"/>')).root
    assert [etree.QName(one).localname for one in inner.iter()] == ["defs", "clipPath"]
    assert rect.get("clip-path") == f"url(#{inner[0].get('id')})"


@pytest.mark.parametrize("view", ['<svg id="a" width="0"><path/></svg>', '<svg height="0%"><path/></svg>'])
def test_a_nested_svg_of_size_zero_stays_because_a_use_may_enlarge_it(view):
    assert etree.QName(plain(svg(f'{view}<use href="#a" width="5"/>')).root[0]).localname == "svg"


# ---- doubts


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<style>@supports (x:y){rect{fill:red}}</style><rect/>", "@supports"),
        ("<style>@layer a{rect{fill:red}}</style><rect/>", "@layer"),
        ("<style>@property --a{syntax:'*';inherits:true;initial-value:red}</style><rect/>", "@property"),
        ('<text><textPath path="M0 5h9">A</textPath></text>', "text on a path of its own"),
        ("<style>@import 'x.css';</style><rect/>", "@import"),
        ("<style>@media (min-width: 9px){rect{fill:red}}</style><rect/>", "medium '(min-width:9px)'"),
        ("<style>rect::part(x) a:{fill:red}</style><rect/>", "selector"),
        ("<style>g{rect{fill:red}}</style><rect/>", "rules inside rules"),
        ('<rect style="fill:color(xyz 0 0 0)"/>', "value of the property 'fill'"),
        ('<rect fill="black" style="fill:color-mix(in srgb, red, blue)"/>', "value of the property 'fill'"),
        ('<rect style="width:50vw"/>', "value of the property 'width'"),
        ('<svg id="a" x="3"><rect/></svg><use href="#a"/>', "nested svg with a place of its own"),
        ('<symbol id="a" y="3"><rect/></symbol><use href="#a"/>', "nested svg with a place of its own"),
        ('<symbol id="a" transform="scale(2)"><rect/></symbol><use href="#a"/>', "nested svg with a place of its own"),
        ("<switch><foreignObject/><rect/></switch>", "embeds HTML"),
        ('<rect fill="color-mix(in srgb, red, blue)"/>', "value of the property 'fill'"),
        ('<rect style="stroke-width:calc(1px + 2px)"/>', "value of the property 'stroke-width'"),
        ('<rect style="clip-path:circle(50%)"/>', "value of the property 'clip-path'"),
        ('<rect style="clip-path:ellipse(50%, 50%)"/>', "value of the property 'clip-path'"),
        ('<rect style="clip-path:ellipse(50% 50% at)"/>', "value of the property 'clip-path'"),
        ('<rect style="transform:translate(50%)"/>', "value of the property 'transform'"),
        ('<rect style="animation:x 2s"/>', "property 'animation'"),
        ('<rect style="transform:translate(2, 3)"/>', "value of the property 'transform'"),
        ('<rect width="calc(1px + 2px)"/>', "value of the property 'width'"),
        ('<rect width="2ex"/>', "the length '2ex', whose unit"),
        ('<rect style="filter:blur(calc(1px + 2px))"/>', "value of the property 'filter'"),
        ('<rect style="filter:blur(2rem)"/>', "value of the property 'filter'"),
        ('<svg style="width:5px"><rect/></svg>', "property 'width'"),
        ('<rect style="content-visibility:hidden"/>', "property 'content-visibility'"),
        ('<text direction="rtl">a</text>', "property 'direction'"),
        ('<text style="text-transform:uppercase">a</text>', "property 'text-transform'"),
        ('<text style="text-decoration-line:underline">a</text>', "property 'text-decoration-line'"),
        ('<text style="font-variant-caps:small-caps">a</text>', "property 'font-variant-caps'"),
        ("<filter><feTile/></filter><rect/>", "a rare filter, which is not understood"),
        ('<symbol id="a"><rect width="50%"/></symbol><use href="#a"/>', "nested svg with a place of its own"),
        ('<rect style="rotate:45deg"/>', "property 'rotate'"),
        ('<rect><animate attributeName="x" to="9"/></rect>', "is animated"),
        ("<foreignObject/><rect/>", "embeds HTML"),
        ('<image href="data:image/png;base64,AAAA"/><rect/>', "embeds a picture that cannot be read"),
        ('<image href="http://x/y.png"/><rect/>', "refers to another file"),
        ('<rect fill="url(x.svg#a)"/>', "refers to another file"),
        ('<rect width="2rem"/>', "the length '2rem', whose unit"),
        ('<rect stroke-width="1VW"/>', "the length '1VW', whose unit"),
        ('<text style="font:1.5rem Arial"/><rect/>', "value of the property 'font-size'"),
        ('<g stroke="red"><rect vector-effect="non-scaling-stroke"/></g>', "strokes that do not grow with the picture"),
        (
            '<defs><path id="a" d="M0 0h1" vector-effect="non-scaling-stroke"/></defs><use href="#a" stroke="red"/>',
            "strokes that do not grow with the picture",
        ),
        (
            '<g stroke="none"><path id="a" vector-effect="non-scaling-stroke"/></g><use href="#a" stroke="red"/>',
            "strokes that do not grow with the picture",
        ),
        ('<g stroke-dasharray="1 2"><path pathLength="3" stroke="red"/></g>', "dashes whose lengths depend on"),
        ('<path id="a" pathLength="3"/><use href="#a" stroke-dasharray="1 2"/>', "dashes whose lengths depend on"),
        ('<path stroke-dasharray="1rem 2"/>', "the length '1rem 2', whose unit"),
        ('<path stroke-dasharray="2,1vw"/>', "the length '2,1vw', whose unit"),
        ('<text font-size="1rem">a</text><rect/>', "the length '1rem', whose unit"),
        ('<mask color-interpolation="linearRGB"/><rect/>', "colors in linearRGB"),
        ("<text>ש</text><rect/>", "letters 'ש' in a text, which Manrope lacks"),
    ],
)
def test_what_is_not_understood_becomes_a_doubt(body, words):
    (doubt,) = doubts(body)
    assert words in doubt


@pytest.mark.parametrize(
    "root",
    [
        'style="background:linear-gradient(red,blue)"',
        'style="background-image:linear-gradient(red,blue)"',
        'style="border:3px solid red"',
        'style="margin:9px"',
        'style="outline:3px solid red"',
        'style="box-shadow:0 0 9px red"',
        'filter="url(#c)"',
        'transform="rotate(9)"',
        'width="90" height="90" clip-path="url(#c)"',
    ],
)
def test_what_the_box_of_a_picture_has_becomes_a_doubt(root):
    assert len(doubts('<clipPath id="c"/><rect/>', root=f'viewBox="0 0 9 9" {root}')) == 1


@pytest.mark.parametrize("style", ["border:none;padding:0", "margin:0 auto;border-radius:0", "background-image:none"])
def test_empty_margins_and_borders_raise_no_doubt(style):
    assert doubts("<rect/>", root=f'viewBox="0 0 9 9" style="{style}"') == ()


def test_an_empty_radius_is_zero_and_other_empty_attributes_are_none():
    assert attributes('<rect rx="3" ry="" x="" fill=""/>') == {"rx": "3", "ry": "0"}


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("<text>A</text>", ()),
        ('<text font-family="sans-serif">A</text>', ()),
        ("<g font-family=\"'Manrope', Arial\"><text>A</text></g>", ()),
        ('<g font-family="Arial"/>', ()),
        ('<text style="font-family: Arial, Helvetica">A</text>', "Arial"),
        ('<text style="font: bold 9px Arial">A</text>', "Arial"),
        ('<text style="font: italic 9px Arial">A</text>', "Arial, italic"),
        ('<text font-variant="small-caps">A</text>', "small-caps"),
        ('<style>tspan{font-family:"Open Sans"}</style><text><tspan>A</tspan></text>', "Open Sans"),
    ],
)
def test_other_fonts_than_those_of_the_file_are_noted(text, notes):
    found = plain(svg(text + "<rect/>")).notes
    assert found == notes or f"{notes} is drawn in Manrope" in found[0]


def test_texts_keep_what_stands_between_their_parts():
    text = "<text>a<title>x</title>b<a href='http://x'>c</a>d<script/>e</text>"
    root = plain(svg(text)).root
    assert "".join(root.itertext()) == "abcde"
    assert [etree.QName(one).localname for one in root.iter()] == ["svg", "text", "tspan"]


# ---- nothing leads out


@pytest.mark.parametrize("element", ["image", "use", "feImage", "linearGradient", "path"])
@pytest.mark.parametrize(
    "href",
    [
        "/etc/passwd",
        "file:///etc/a.png",
        "\\\\host\\a.png",
        "//host/a.png",
        "a.png",
        "http://x",
        "data:image/svg+xml,x",
    ],
)
@pytest.mark.parametrize("name", ["href", "xlink:href"])
def test_no_reference_leads_out_of_the_file(element, href, name):
    file = plain(svg(f'<filter><{element} {name}="{href}"/></filter><rect/>'))
    assert b"href" not in etree.tostring(file.root)
    assert file.doubts


@pytest.mark.parametrize(
    "attribute",
    [
        'onload="alert(1)"',
        'fill="url(/etc/a.svg#b)"',
        'filter="url(file:///a#b)"',
        'mask="url(\\\\host\\a)"',
        'marker-end="URL(//x)"',
        'foo="url(http://x)"',
        'xml:base="http://x"',
        'style="cursor:url(/etc/a);background:url(/a)"',
        'style="mask:url(/etc/a)"',
        'class="x"',
    ],
)
def test_no_attribute_leads_out_of_the_file(attribute):
    _, found = shown(f"<style>@font-face{{src:url(/a)}} .x{{fill:url(/b);--x:url(/c)}}</style><rect {attribute}/>")
    assert not any("/" in value or "(" in value for value in found.values())


def test_references_within_the_file_stay():
    body = '<linearGradient id="a b"/><rect id="é" style="fill:url(#a%20b) red"/><use xlink:href="#é"/>'
    root = plain(svg(body)).root
    assert root[0].get("id") in root[1].get("fill")
    assert root[2].get("href") == f"#{root[1].get('id')}"


def test_embedded_pictures_are_decoded_and_encoded_again():
    file = BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (4, 2), "red").save(file, "JPEG", exif=exif)
    href = f"data:image/jpeg;base64,{b64encode(file.getvalue()).decode()}"
    found = attributes(f'<image href="{href}"/>')["href"]
    assert found.startswith("data:image/png;base64,")
    again = attributes(f'<image href="{found}"/>')["href"]
    assert again == found


# ---- document types

PLAIN = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"'


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE svg>",
        PLAIN + ">",
        PLAIN + " [<!ENTITY ns_ai 'x'>]>",
        "<!DOCTYPE svg SYSTEM 'http://127.0.0.1/svg.dtd'>",
        "<!DOCTYPE svg [<!ATTLIST rect onload CDATA 'alert(1)'>]>",
    ],
)
def test_document_types_are_read_and_nothing_is_loaded(doctype):
    assert shown("<rect/>", before=f"<?xml version='1.0'?><!-- x -->{doctype}<?x y?>") == ("rect", {})


def test_entities_of_the_file_are_replaced():
    entities = "<!DOCTYPE svg [<!ENTITY ink '#080'><!ENTITY dark '&ink;'>]>"
    assert shown("<rect fill='&dark;'/>", before=entities) == ("rect", {"fill": "#080"})


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    ("entities", "body"),
    [
        ("<!ENTITY a '<path/>'>", "&a;"),
        ("<!ENTITY a SYSTEM 'file:///etc/passwd'>", "<desc>&a;</desc>"),
        ("<!ENTITY a SYSTEM 'http://127.0.0.1/'>", "<desc>&a;</desc>"),
        ("<!ENTITY % a SYSTEM 'http://127.0.0.1/'> %a;", "<desc>&b;</desc>"),
        (f"<!ENTITY l0 'ha'>{LAUGHS}", "<desc>&l9;</desc>"),
        (f"<!ENTITY a '{'x' * 50_000}'>", f"<desc>{'&a;' * 50_000}</desc>"),
        ("<!ENTITY a '&b;'><!ENTITY b '&a;'>", "<desc>&a;</desc>"),
    ],
    ids=["elements", "file", "address", "parameter", "laughs", "quadratic", "circle"],
)
def test_entities_that_lead_out_or_grow_are_refused(entities, body):
    with pytest.raises(AssetError, match=r"well-formed|elements as entities"):
        plain(svg(body + "<rect/>", before=f"<!DOCTYPE svg [{entities}]>"))


# ---- limits


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("<rect/>" * 50_001, "50,000 elements"),
        (f"<text>{'a' * 1_001}</text>", "1,000 characters"),
        ("<g>" * 33 + "<rect/>" + "</g>" * 33, "32 deep"),
        (f"<style>{'.a{fill:red}' * 1_001}</style><rect/>", "1,000 selectors"),
        (f"<style>{','.join(['.a'] * 1_001)}{{fill:red}}</style><rect/>", "1,000 selectors"),
        (f"<style>{' a' * 20}{{fill:red}}</style><rect/>", "30 parts"),
        (f"<style>{'.a{fill:red}' * 1_000}</style>{'<rect/>' * 1_000}", "1,000,000 comparisons"),
        ("<style>*{--a:red;--b:var(--b);fill:var(--b)}</style><rect/>", "8 deep"),
        (
            "<style>*{--a:red;"
            + "".join(f"--{b}:{f'var(--{a})' * 10};" for a, b in zip("abcde", "bcdef", strict=True))
            + "fill:var(--f)}</style><rect/>",
            "10,000 parts",
        ),
    ],
    ids=["elements", "letters", "depth", "rules", "list", "long selector", "comparisons", "circle", "variables"],
)
def test_limits_of_styles_hold(body, rule):
    with pytest.raises(AssetError, match=rule) as caught:
        plain(svg(body))
    assert caught.value.code == "image-too-large"


def test_embedded_pictures_have_a_limit_together():
    file = BytesIO()
    Image.new("1", (2_000, 2_000)).save(file, "PNG")
    image = f'<image href="data:image/png;base64,{b64encode(file.getvalue()).decode()}"/>'
    assert doubts(image * 2) == ()
    with pytest.raises(AssetError, match="8,000,000 pixels"):
        plain(svg(image * 3))
