"""`check` judges an SVG as a browser draws it, or refuses to."""

from base64 import b64encode
from io import BytesIO
from urllib.parse import quote

import pytest
from PIL import Image

from qrkit import check
from qrkit.errors import NoSymbol, UnreadableFile
from qrkit.symbol.encode import encode
from tests.sweeps import quick_first

BORDER = 4


def dark(symbol):
    """Column and row of each dark module, with a border."""
    rows = enumerate(symbol.modules)
    return [(column + BORDER, row + BORDER) for row, cells in rows for column, is_dark in enumerate(cells) if is_dark]


CODE = encode("https://example.com/menu", version=3)
PATH = "".join(f"M{x} {y}h1v1h-1z" for x, y in dark(CODE))
PAPER = '<rect width="100%" height="100%" fill="#fff"/>'


def report_of(folder, body, symbol=CODE, **root):
    side = symbol.side + 2 * BORDER
    style = "".join(f' {name}="{value}"' for name, value in root.items())
    text = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}"{style}>{body}</svg>'
    (folder / "code.svg").write_text(text)
    return check(folder / "code.svg", "static")


@pytest.mark.rule("G25")
@pytest.mark.parametrize(
    "body",
    [
        f'<path d="{PATH}"/>',
        f'{PAPER}<style>.qr>.dark.m{{fill:#111}}</style><g class="qr"><path class="m dark" d="{PATH}"/></g>',
        f'{PAPER}<style>path{{fill:#000}}@media print{{path{{fill:#ccc}}}}</style><path d="{PATH}"/>',
        f'{PAPER}<style>:root{{--ink:#036}}path{{fill:var(--ink,#ccc)}}</style><path d="{PATH}"/>',
        f'{PAPER}<style>.a{{fill:#111}}</style><defs><g id="q" class="a"><path d="{PATH}"/></g></defs><use href="#q"/>',
        f'<path fill="Canvas" d="M0 0h37v37H0z"/><path fill="WindowText" d="{PATH}"/>',
        f'<path style="fill:#ccc;fill:lab(20% 0 0)" d="{PATH}"/>',
        f'<symbol id="q" viewBox="0 0 37 37">{PAPER}<path d="{PATH}"/></symbol><path fill="#444" d="M0 0h37v37H0z"/>'
        '<use href="#q" x="2" y="2" width="33" height="33"/>',
        f'<filter id="f"><feDropShadow stdDeviation=".5"/></filter><g filter="url(#f)">{PAPER}<path d="{PATH}"/></g>',
    ],
    ids=["plain", "class", "medium", "variable", "use", "system colors", "lab", "symbol", "shadow"],
)
def test_a_good_code_is_good_however_it_is_styled(tmp_path, body):
    assert report_of(tmp_path, body).verdict in ("robust", "ok")


def embedded(body):
    """The body of an SVG that embeds another one as an image, as generators embed logos."""
    inner = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 37 37">{body}</svg>'
    return f'<image width="37" height="37" href="data:image/svg+xml,{quote(inner)}"/>'


@pytest.mark.rule("G25")
@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        (embedded(f'{PAPER}<path d="{PATH}"/>'), "robust"),
        (embedded(f'{PAPER}<style>path{{fill:#ccc}}</style><path d="{PATH}"/>'), "fragile"),
    ],
)
def test_a_code_in_an_embedded_svg_is_judged(tmp_path, body, verdict):
    assert report_of(tmp_path, body).verdict == verdict


def test_a_small_embedded_picture_is_judged_with_hard_pixels_where_browsers_draw_them(tmp_path):
    file = BytesIO()
    Image.frombytes("L", (CODE.side, CODE.side), bytes(255 * (not cell) for row in CODE.modules for cell in row)).save(
        file, "PNG"
    )
    image = f'<image x="4" y="4" width="{CODE.side}" height="{CODE.side}" image-rendering="pixelated" href="'
    body = f'{image}data:image/png;base64,{b64encode(file.getvalue()).decode()}"/>'
    assert report_of(tmp_path, body).verdict == "robust"


def test_fonts_of_a_service_cost_no_verdict(tmp_path):
    fonts = '<style>@import url("https://fonts.googleapis.com/css2?family=Inter");text{font-family:Inter}</style>'
    assert report_of(tmp_path, f'{fonts}{PAPER}<path d="{PATH}"/>').verdict == "robust"


def test_a_path_that_a_style_sheet_takes_away_is_no_code(tmp_path):
    with pytest.raises(NoSymbol):
        report_of(tmp_path, f'{PAPER}<style>path{{d:none}}</style><path d="{PATH}"/>')


@pytest.mark.rule("G25")
@pytest.mark.parametrize(
    ("body", "root"),
    [
        (f'{PAPER}<style>.qr .dark{{fill:#ccc}}</style><g class="qr"><path class="dark" d="{PATH}"/></g>', {}),
        (f'{PAPER}<style>:root{{--ink:#ccc}}path{{fill:var(--ink)}}</style><path d="{PATH}"/>', {}),
        (f'{PAPER}<style>.code>path{{opacity:.2}}</style><g class="code"><path d="{PATH}"/></g>', {}),
        (f'{PAPER}<path style="filter:opacity(.15)" d="{PATH}"/>', {}),
        (f'<path d="{PATH}"/>', {"style": "background:#333"}),
        (
            f'{PAPER}<path d="{PATH}"/><rect width="100%" height="100%" fill="#bbb" style="mix-blend-mode:screen"/>',
            {},
        ),
        (f'{PAPER}<style>path{{fill:#c0c0c0!important}}</style><path style="fill:#000" d="{PATH}"/>', {}),
        (f'{PAPER}<g fill="#ccc"><path fill="\u00a0#000" d="{PATH}"/></g>', {}),
        (f'{PAPER}<style xmlns="http://www.w3.org/1999/xhtml">path{{fill:#ccc}}</style><path d="{PATH}"/>', {}),
    ],
    ids=["descendant", "variable", "opacity", "filter", "dark root", "blend", "important", "no color", "style of HTML"],
)
def test_a_faint_code_is_fragile_however_it_became_faint(tmp_path, body, root):
    assert report_of(tmp_path, body, **root).verdict == "fragile"


def test_a_light_code_on_nothing_is_judged_on_white_paper(tmp_path):
    with pytest.raises(NoSymbol):
        report_of(tmp_path, f'<path fill="#fff" d="{PATH}"/>')


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<foreignObject/>", "the SVG embeds HTML, which is left out"),
        ("<style>@supports (x:y){path{fill:#ccc}}</style>", "@supports"),
        ("<style>path{animation:fade 2s}</style>", "the property 'animation'"),
        ('<image href="/tmp/code.png"/>', "refers to another file"),
        ('<style>@import "modules.css";</style>', "@import"),
        ('<style>path{mask:url(#m) no-repeat}</style><mask id="m"/>', "the property 'mask'"),
        ('<rect style="mix-blend-mode:plus-lighter"/>', "the blend mode 'plus-lighter'"),
        ('<path pathLength="1" stroke-dasharray=".5" d="M0 0h9"/>', "pathLength"),
        ('<style>#a>path{fill:#000}</style><g id="a"><path id="b"/></g><use href="#b"/>', "depends on its place"),
        ("<?xml-stylesheet href='a.css'?>", "style sheet in another file"),
        (embedded(embedded("<path/>")), "embeds a picture that cannot be read"),
    ],
)
def test_a_code_that_a_browser_may_draw_in_another_way_is_refused(tmp_path, body, words):
    with pytest.raises(UnreadableFile, match=r"code\.svg: the SVG .*; save it as png instead") as caught:
        report_of(tmp_path, f'{body}{PAPER}<path d="{PATH}"/>')
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ('<rect width="5" height="5" stroke="red" stroke-width="1e9" stroke-dasharray="1e9"/>', "is too complex"),
        pytest.param(
            '<g transform="scale(1e9)"><circle r="1e9" cx="5" cy="5" stroke="red" stroke-width="1e9"/></g>',
            "is too complex; allowed: what can be drawn within 2 seconds and 300 MB",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_no_renderer_draws_is_refused_in_plain_words(tmp_path, body, rule):
    with pytest.raises(UnreadableFile) as caught:
        report_of(tmp_path, f'{body}{PAPER}<path d="{PATH}"/>')
    assert str(caught.value).endswith(f"code.svg {rule}; save it as png instead")


@pytest.mark.parametrize(
    "unread", ["<!-- <?xml-stylesheet href='a.css'?> -->", "<desc><![CDATA[<?xml-stylesheet?>]]></desc>"]
)
def test_a_style_sheet_that_a_comment_speaks_of_raises_no_doubt(tmp_path, unread):
    assert report_of(tmp_path, f'{unread}{PAPER}<path d="{PATH}"/>').verdict == "robust"


@pytest.mark.parametrize("version", quick_first([10, 15, 25, 40], 1))
@pytest.mark.parametrize("form", ["rect", "use"])
def test_codes_with_an_element_a_module_get_a_verdict(tmp_path, version, form):
    symbol = encode("https://example.com/menu", version=version)
    element = {"rect": '<rect x="{}" y="{}" width="1" height="1"/>', "use": '<use href="#m" x="{}" y="{}"/>'}[form]
    modules = "".join(element.format(x, y) for x, y in dark(symbol))
    report = report_of(tmp_path, f'<defs><rect id="m" width="1" height="1"/></defs>{PAPER}{modules}', symbol)
    assert report.verdict in ("robust", "ok")
