"""Frames around the symbol: their place and size, their letters, and what readers and other services make of them."""

import base64
import re
from importlib.resources import files
from io import BytesIO
from unicodedata import normalize

import numpy as np
import pytest
from fontTools.cffLib import SubrsIndex
from fontTools.fontBuilder import FontBuilder
from fontTools.misc.psCharStrings import T2CharString
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.ttLib import TTFont
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit import Caption, Design, Frame, Gradient, Layer, QRImage, data_uri, decode, generate
from qrkit.design.frames import FRAME_KINDS
from qrkit.errors import AssetError, InvalidParameter
from tests.drawing.pictures import modules, pixels
from tests.sweeps import quick_first

LINK = "https://example.com/spring"
ONE_LINE = ("legend", "pill", "ribbon")
MANROPE = files("font_manrope").joinpath("files", "Manrope-Regular.ttf").read_bytes()
kinds = pytest.mark.parametrize("kind", FRAME_KINDS)
some = settings(max_examples=40, deadline=None)


def font_uri(data):
    return "data:font/ttf;base64," + base64.b64encode(data).decode()


@pytest.mark.slow
@given(
    st.sampled_from(FRAME_KINDS),
    st.sampled_from([1, 2, 7, 25, 40]),
    st.integers(0, 6),
    st.sampled_from(["top", "bottom"]),
    st.sampled_from([0, 0.08, 0.3]),
    st.sampled_from([{"size": 1}, {"size": 3}, {"width": 700}, {"height": 900}, {"width": 800, "height": 777}]),
)
@some
def test_frame_fits_any_symbol_and_leaves_it_two_light_modules(kind, version, padding, side, radius, size):
    frame = Frame(kind, caption="Scan me", side=side, radius=radius)
    image = generate("hi", version=version, padding=padding, frame=frame, warn=False, **size)
    scene, shown = image.scene, pixels(image)[..., :3]
    count, module, (left, top) = image.symbol.side, scene.module, scene.origin
    assert (image.width, image.height) == (size.get("width", image.width), size.get("height", image.height))
    if "size" in size:
        assert module == pytest.approx(size["size"])
    places = [round(number) for number in (left, top, module)]
    assert places == pytest.approx([left, top, module])
    left, top, module = places
    around = 2 * module
    quiet = shown[top - around : top + count * module + around, left - around : left + count * module + around]
    assert quiet.shape[:2] == (count * module + 2 * around,) * 2
    found = (quiet[::module, ::module, 0] < 128)[: count + 4, : count + 4]
    assert np.array_equal(found, np.pad(modules(image), 2))


@pytest.mark.parametrize("kind", sorted(set(FRAME_KINDS) - {"seal"}))
@pytest.mark.parametrize("subtitle", quick_first([None, "Open"]))
def test_caption_is_above_the_symbol_if_its_side_is_the_top(kind, subtitle):
    """On a seal it is around the symbol."""
    caption = Caption("Menu", subtitle=None if kind in ONE_LINE else subtitle, color="#FF0000")
    image = generate(LINK, size=4, frame=Frame(kind, caption=caption, color="navy", side="top"), warn=False)
    red, green, blue = (pixels(image)[..., channel].astype(int) for channel in range(3))
    rows = np.nonzero((red - green - blue > 150).any(axis=1))[0]
    first, symbol = rows[0], image.scene.origin[1]
    assert 0 < first < symbol
    assert kind == "card" or rows[-1] < symbol
    assert kind != "card" or subtitle is None or rows[-1] > symbol


CONTENTS = (LINK, "WIFI:T:WPA;S:Guests;P:espresso-2026;;", "x" * 130)


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        pytest.param(kind, content, marks=() if (place + number) % 3 == 0 else pytest.mark.slow)
        for place, kind in enumerate(FRAME_KINDS)
        for number, content in enumerate(CONTENTS)
    ],
)
def test_readers_read_every_frame(kind, content):
    framed = Design(content=content, frame=kind).check("quick")
    assert (framed.verdict, framed.score) == ("robust", 100)
    assert decode(generate(LINK, frame=kind, size=4).to_bytes("png")).content == LINK


@kinds
@pytest.mark.parametrize(
    "fields",
    quick_first(
        [{"width": 600, "height": 500, "flip": "horizontal"}, {}, {"width": 501}, {"height": 380, "padding": 0}]
    ),
    ids=str,
)
def test_frame_as_wrapper_has_the_same_pixels(kind, fields):
    layer = Layer("icon:heart", x=20, y=20, width=30, height=30)
    design = Design(content=LINK, frame=Frame(kind, caption="Menu"), layers=[layer], background="#00FFFFFF", **fields)
    other = Design.from_json(design.frame_as_wrapper().to_json())
    assert other.frame is None
    assert other.frame_as_wrapper() == other
    first, second = QRImage(design), QRImage(other)
    assert (first.width, first.height) == (second.width, second.height)
    assert np.array_equal(pixels(first), pixels(second))


@kinds
def test_no_format_has_a_text_a_font_or_an_image(kind):
    caption = Caption("Scan me", subtitle=None if kind in ONE_LINE else "Open your camera")
    image = generate(LINK, frame=Frame(kind, caption=caption, icon="wifi"))
    svg = image.to_bytes("svg").decode()
    assert re.search(r"<(text|tspan|image|style)\b|font-family|@font-face", svg) is None
    for format, words in (("pdf", rb"/Font|/Subtype ?/Image"), ("eps", rb"findfont|colorimage|\bshow\b")):
        assert re.search(words, image.to_bytes(format)) is None


@kinds
def test_vector_formats_look_like_png(kind):
    image = generate(LINK, frame=kind, size=4)
    near = abs(pixels(image).astype(int) - pixels(image, "svg").astype(int))[..., :3]
    assert near.mean() < 1


def test_size_keeps_modules_and_width_or_height_is_that_of_the_whole_picture():
    plain, framed = generate(LINK, size=6), generate(LINK, size=6, frame="bar")
    assert framed.width > plain.width and framed.scene.module == plain.scene.module
    wide, high = generate(LINK, width=600, frame="bar"), generate(LINK, height=600, frame="bar")
    assert wide.width == high.height == 600
    assert wide.height / wide.width == pytest.approx(high.height / high.width, abs=0.01)
    both = generate(LINK, width=900, height=600, frame="bar", background="white")
    assert (both.width, both.height) == (900, 600)
    assert pixels(both)[300, 5, 3] == 0


def test_batches_of_other_contents_get_a_frame_of_their_own():
    design = Design(content="a", frame=Frame("bar", caption="Menu"))
    short, long = QRImage(design), QRImage(design.replace(content="x" * 200))
    assert long.symbol.version > short.symbol.version and long.width > short.width
    assert decode(long.to_bytes("png")).content == "x" * 200


def test_logo_keeps_its_place_on_a_framed_symbol():
    framed = Design(content=LINK, ec="H", frame="seal").with_logo("icon:heart", 0.2)
    plain = Design(content=LINK, ec="H").with_logo("icon:heart", 0.2)
    size = generate(LINK, ec="H", frame="seal").width
    assert QRImage(framed).width == size
    share = framed.layers[0].width / framed.width
    assert share == pytest.approx(plain.layers[0].width / plain.width, rel=0.02)


def colors(image):
    return {tuple(color) for color in pixels(image).reshape(-1, 4).tolist()}


def test_colors_follow_the_design_unless_the_frame_has_its_own():
    own = generate(LINK, foreground="navy", background="ivory", frame="bar")
    assert {(0, 0, 128, 255), (255, 255, 240, 255)} <= colors(own)
    frame = Frame("bar", caption=Caption("Menu", color="red"), color="#002020", background="yellow")
    assert {(0, 32, 32, 255), (255, 255, 0, 255), (255, 0, 0, 255)} <= colors(generate(LINK, frame=frame))


GROUNDS = {
    "linear": Gradient.linear("#FDE68A", "#F9A8D4"),
    "radial": Gradient.radial("#FDE68A", "#A7F3D0", radius=0.5),
    "translucent": "#40FFCC00",
    "fading": Gradient.linear("#FFE4E6", "#40FDA4AF"),
}


@pytest.mark.parametrize(
    ("kind", "name"), [*((kind, "linear") for kind in FRAME_KINDS), *(("round", name) for name in GROUNDS)]
)
def test_no_edge_shows_where_the_image_of_the_symbol_ends(kind, name):
    """Frames had one color of a gradient, so that the symbol stood on a square of another tint."""
    design = Design(content=LINK, size=4, frame=Frame(kind, radius=0.2), background=GROUNDS[name])
    image = QRImage(design)
    shown = pixels(image).astype(int)[..., :3]
    left, top = (round(place - 4 * image.scene.module) for place in image.scene.origin)
    middle = slice(top + 40, top + 100)
    outside, inside = shown[middle, left - 2 : left], shown[middle, left : left + 2]
    is_light = outside.min(axis=2) > 150  # the decoys of `round` are not
    assert is_light.any() and np.abs(outside - inside)[is_light].max() <= 6
    other = pixels(QRImage(design.frame_as_wrapper())).astype(int)[..., :3]
    assert np.abs(other - shown).max() <= 3


def caption_lines(kind, text, **fields):
    """Height of each line of a caption, in pixels."""
    frame = Frame(kind, caption=Caption(text, color="#FF0000"), color="navy", **fields)
    shown = pixels(generate(LINK, size=8, frame=frame, warn=False))[..., :3].astype(int)
    rows = (shown[..., 0] - shown[..., 1] - shown[..., 2] > 150).any(axis=1)
    edges = np.flatnonzero(np.diff(rows, prepend=False, append=False))
    return (edges[1::2] - edges[::2]).tolist()


@kinds
@pytest.mark.parametrize("text", ["Speisekarte & Getränke hier ansehen", "Zum Mittagsmenü \u2013 täglich ab 11:30 Uhr"])
def test_every_frame_takes_a_caption_of_a_sentence(kind, text):
    image = generate(LINK, frame=Frame(kind, caption=text), warn=False)
    assert decode(image.to_bytes("png")).content == LINK


@pytest.mark.parametrize(("kind", "count"), [("bar", 2), ("bubble", 2), ("tag", 3), ("tab", 3)])
def test_caption_goes_on_lines_before_it_becomes_small(kind, count):
    (whole,) = caption_lines(kind, "Scan that")
    heights = caption_lines(kind, "Find that letter on that table at the hotel"[: 14 * count])
    assert len(heights) == count
    assert min(heights) >= 0.68 * whole


@pytest.mark.parametrize("kind", ["legend", "pill"])
def test_words_on_a_border_stay_on_one_line(kind):
    assert len(caption_lines(kind, "Look at that table")) == 1


def test_no_line_begins_with_a_dash():
    """The dash stays at the end of the first line, which is then as long as without the words after it."""
    text = "Take that one \u2013 take that here"
    frame = Frame("bar", caption=Caption(text, color="#FF0000"), color="navy")
    kept = generate(
        LINK, frame=frame.replace(caption=frame.caption.replace(text=text.replace(" \u2013", "\u00a0\u2013")))
    )
    assert generate(LINK, frame=frame).to_bytes("svg") == kept.to_bytes("svg")


def test_caption_shrinks_then_says_how_much_fits():
    def caption(text):
        return generate("hi", size=8, frame=Frame("bar", caption=text))

    assert caption("Scan me").width == caption("Scan me to see the menu").width
    with pytest.raises(InvalidParameter) as caught:
        caption("W" * 60)
    problem = caught.value.problems[0]
    assert problem.name == "frame.caption.text"
    most = int(re.fullmatch(r"has 60 characters; about (\d+) fit in .*", problem.rule)[1])
    assert 8 <= most < 60
    caption("W" * most)


def test_unknown_icon_too_small_and_too_large_pictures_are_refused_by_name():
    for fields, name in (
        ({"frame": Frame("bar", icon="no-such-icon")}, "frame.icon"),
        ({"frame": "bar", "width": 30}, "width"),
        ({"frame": "bar", "height": 33}, "height"),
        ({"frame": "seal", "version": 40, "size": 20, "padding": 20}, "frame"),
    ):
        with pytest.raises(InvalidParameter) as caught:
            generate(LINK, **fields)
        assert [problem.name for problem in caught.value.problems] == [name]


# ---- letters


def svg_of(caption, kind="bar"):
    return generate(LINK, frame=Frame(kind, caption=caption), warn=False).to_bytes("svg")


def test_missing_letters_are_boxes_and_are_named():
    with pytest.warns(UserWarning, match=r"no letter '漢' \(U\+6F22\), which is drawn as a box"):
        generate(LINK, frame=Frame("bar", caption="漢 menu"))
    assert QRImage(Design(content=LINK, frame="bar")).warnings == []


@pytest.mark.parametrize(
    ("frame", "pair"),
    [
        (Frame("bar", color="gold"), "#FFFFFF on #FFD700"),
        (Frame("seal", color="#80FFD700"), "#FFFFFF on #FFEB7F"),
        (Frame("polaroid", caption=Caption("Menu", color="white"), background="ivory"), "#FFFFFF on #FFFFF0"),
        (Frame("polaroid", caption=Caption("Menu", color="#40000000")), "#40000000 on #FFFFFF"),
        (Frame("border", caption=Caption("Menu", subtitle="Open", color="#CCCCCC")), "#CCCCCC on #FFFFFF"),
    ],
)
def test_letters_that_hardly_stand_out_are_named_with_a_color_that_does(frame, pair):
    design = Design(content=LINK, frame=frame)
    with pytest.warns(UserWarning, match=rf"frame\.caption: letters in {pair} have a contrast of [12]\.\d,"):
        generate(design)
    color = QRImage(design).warnings[0].rpartition(" to ")[2]
    caption = frame.words.replace(color=color)
    assert QRImage(design.replace(frame=frame.replace(caption=caption))).warnings == []


def test_letters_on_a_gradient_have_to_stand_out_everywhere():
    frame = Frame("phone", caption=Caption("Menu", color="#777777"))
    design = Design(content=LINK, foreground="black", background=Gradient.linear("white", "#AAAAAA"), frame=frame)
    assert "letters in #777777 on #AAAAAA have a contrast of 1.9" in QRImage(design).warnings[0]
    assert QRImage(design.replace(background="white")).warnings == []


def test_a_tab_is_as_wide_as_its_longer_line():
    def width_of(kind):
        caption = Caption("Menu", subtitle="Open your camera", color="red")
        shown = pixels(generate(LINK, size=4, frame=Frame(kind, caption=caption, color="navy"), warn=False))
        columns = np.nonzero((shown[..., 0].astype(int) - shown[..., 1] - shown[..., 2] > 150).any(axis=0))[0]
        return columns[-1] - columns[0]

    assert width_of("tab") == pytest.approx(width_of("bar"), abs=2)


@pytest.mark.parametrize("kind", ["bar", "card", "seal"])
@pytest.mark.parametrize(
    ("caption", "message"),
    [
        (
            {"text": "a", "font": "Arial"},
            "font='Arial': is not a font; use a data URI of a TrueType or OpenType font",
        ),
        ({"text": "a", "font": font_uri(b"none")}, "font=.*: is not a TrueType or OpenType font; convert WOFF"),
        ({"text": "a", "font": font_uri(MANROPE[:999])}, "font=.*: is a damaged font"),
        ({"text": "W" * 60, "subtitle": "b"}, r"text='W.*: has 60 characters; about \d+ fit in this frame around this"),
        ({"text": "a", "subtitle": "W" * 60}, r"subtitle='W.*: has 60 characters; about \d+ fit in this frame around"),
        ("Menü \u05e9", r"text='Menü .*: has Hebrew letters \(character 6 is .*; right-to-left text is not supported"),
    ],
)
def test_caption_that_cannot_be_drawn_is_refused_with_the_reason(kind, caption, message):
    with pytest.raises(InvalidParameter, match=rf"frame\.caption\.{message}"):
        generate("hi", frame={"kind": kind, "caption": caption})


def test_sentence_names_all_missing_letters_but_no_more_than_eight():
    def warning(text):
        return QRImage(Design(content=LINK, frame=Frame("bar", caption=text))).warnings

    assert warning("漢 漢☃") == [
        "frame.caption: the font has no letters '漢' (U+6F22), '☃' (U+2603), which are drawn as boxes; "
        "set the caption in a font that has them"
    ]
    assert warning("一二三四五六七八九十")[0].startswith("frame.caption: the font has no letters '一'")
    assert "'八' (U+516B) and 2 more, which are drawn as boxes" in warning("一二三四五六七八九十")[0]


def test_three_scripts_have_letters():
    assert generate(LINK, frame=Frame("bar", caption="Menü Μενού Меню")).warnings == []


def test_letter_and_accent_are_drawn_as_one_letter():
    assert svg_of(normalize("NFC", "Menü")) == svg_of(normalize("NFD", "Menü"))


def test_pairs_of_letters_are_kerned():
    """Without kerning, the same letters in another font file without its GPOS table take more room."""
    font = TTFont(BytesIO(MANROPE))
    del font["GPOS"]
    file = BytesIO()
    font.save(file)
    kerned, loose = (Caption("AVAToVa", font=font_uri(data)) for data in (MANROPE, file.getvalue()))
    long, short = (_width_of_words(one) for one in (loose, kerned))
    assert short < long * 0.98


def _width_of_words(caption):
    red = Caption(caption.text, font=caption.font, color="red")
    found = pixels(generate(LINK, frame=Frame("border", caption=red), size=16))
    columns = np.flatnonzero(((found[..., 0] > 200) & (found[..., 1] < 60)).any(axis=0))
    return columns[-1] - columns[0]


def test_own_font_is_used_and_may_come_from_a_file(tmp_path):
    path = tmp_path / "own.ttf"
    path.write_bytes(MANROPE)
    own = svg_of(Caption("Scan me", font=data_uri(path)))
    assert own == svg_of(Caption("Scan me", weight="regular"))
    assert own != svg_of(Caption("Scan me", weight="bold"))


def otf(*, nested=0):
    """An OpenType font with the letter A, a square; or one whose subroutines call one another ever more often."""
    pen = T2CharStringPen(600, None)
    pen.moveTo((100, 0))
    for corner in ((500, 0), (500, 700), (100, 700)):
        pen.lineTo(corner)
    pen.closePath()
    builder = FontBuilder(1000, isTTF=False)
    builder.setupGlyphOrder([".notdef", "A"])
    builder.setupCharacterMap({65: "A"})
    shape = pen.getCharString()
    builder.setupCFF("Own", {}, {".notdef": shape, "A": shape}, {})
    builder.setupHorizontalMetrics({".notdef": (600, 0), "A": (600, 0)})
    builder.setupHorizontalHeader()
    builder.setupOS2(sCapHeight=700)
    builder.setupPost()
    if nested:
        top = builder.font["CFF "].cff.topDictIndex[0]
        bias = 107
        calls = [T2CharString(program=[index - 1 - bias, "callsubr"] * 2 + ["return"]) for index in range(1, nested)]
        top.Private.Subrs = SubrsIndex()
        for one in [T2CharString(program=["return"]), *calls]:
            top.Private.Subrs.append(one)
        top.CharStrings["A"].program = [600, nested - 1 - bias, "callsubr", "endchar"]
    builder.font.recalcBBoxes = False  # it would draw the letters
    file = BytesIO()
    builder.font.save(file)
    return file.getvalue()


def test_opentype_font_is_used():
    assert svg_of(Caption("AAA", font=font_uri(otf()))) != svg_of(Caption("AAA"))


@pytest.mark.slow
def test_font_that_takes_forever_is_refused():
    with pytest.raises(AssetError, match="takes too long"):
        svg_of(Caption("A", font=font_uri(otf(nested=60))))


@pytest.mark.parametrize(
    ("font", "code"),
    [
        ("Arial", "bad-data-uri"),
        ("https://example.com/a.ttf", "bad-data-uri"),
        ("data:font/ttf;base64,!", "bad-font"),
        (font_uri(b"wOF2" + MANROPE[4:]), "bad-font"),
        (font_uri(b"\0\1\0\0" + b"\xff" * 99), "bad-font"),
        (font_uri(MANROPE[:50_000]), "bad-font"),
        (font_uri(MANROPE + bytes(2 * 2**20)), "font-too-large"),
    ],
    ids=lambda one: one[:24],
)
def test_fonts_that_are_none_are_refused_by_name(font, code):
    with pytest.raises(AssetError) as caught:
        generate(LINK, frame=Frame("bar", caption=Caption("Scan me", font=font)))
    assert [(one.name, one.code) for one in caught.value.problems] == [("frame.caption.font", code)]


@given(st.lists(st.tuples(st.integers(0, len(MANROPE) - 1), st.integers(0, 255)), min_size=1, max_size=40))
@settings(max_examples=30, deadline=None)
@pytest.mark.filterwarnings("ignore:.*the font has no letters:UserWarning")
def test_damaged_font_is_drawn_or_refused(damage):
    data = bytearray(MANROPE)
    for place, byte in damage:
        data[place] = byte
    try:
        assert svg_of(Caption("Scan me AV", font=font_uri(bytes(data))))
    except InvalidParameter as error:
        assert {problem.name for problem in error.problems} <= {"frame.caption.font", "frame.caption.text"}


def test_picture_with_frame_is_the_same_every_time():
    first, second = (generate(LINK, frame="seal").to_bytes("svg") for _ in range(2))
    assert first == second
    assert Image.open(BytesIO(generate(LINK, frame="seal").to_bytes("png"))).mode == "RGBA"


@pytest.mark.parametrize("modules", [{"type": "dots"}, {"type": "fluid"}, {"type": "sprite", "sprite": "star"}, {}])
@pytest.mark.parametrize("padding", [0, 2, 4])
def test_decoys_of_a_round_code_keep_away_from_the_symbol_and_look_like_no_eye(modules, padding):
    design = Design(content=LINK, frame="round", modules=modules, padding=padding, size=6)
    image = QRImage(design)
    assert decode(image.to_bytes("png")).content == LINK
    assert abs(image.width - image.height) < 1
    ink = (pixels(image)[..., 0] < 128) & (pixels(image)[..., 3] > 128)
    side = image.symbol.side
    dark = ink[3::6, 3::6]
    first = (len(dark) - side) // 2
    around = dark.copy()
    around[first : first + side, first : first + side] = False
    rows, columns = np.indices(dark.shape) + 0.5 - len(dark) / 2
    around &= np.hypot(rows, columns) < len(dark) / 2 - 2  # the ring at the rim is one line
    light = around[first - max(padding, 2) : first + side + max(padding, 2), first - 2 : first + side + 2]
    assert not light.any()
    assert 0.2 < around.sum() / (np.pi / 4 * len(dark) ** 2 - (side + 2 * max(padding, 2)) ** 2) < 0.6
    for lines in (around, around.T):
        assert not (lines[:, :-2] & lines[:, 1:-1] & lines[:, 2:]).any()


def test_words_on_a_seal_stand_upright_above_and_below():
    shown = pixels(generate(LINK, frame=Frame("seal", caption=Caption("T", color="#FF0000"), color="navy"), warn=False))
    third = len(shown) // 3
    for part in (shown[:third, third:-third], shown[-third:, third:-third]):
        lines = ((part[..., 0] > 200) & (part[..., 1] < 60)).sum(axis=1)
        lines = lines[lines > 0]
        assert lines[0] > 2 * lines[-1] > 0  # the bar of the letter is above its stem


def test_a_plate_is_as_wide_on_all_sides_and_its_words_stand_below():
    bare, spoken = (QRImage(Design(content=LINK, frame=Frame("plate", caption=text))) for text in (None, "Come in"))
    assert bare.width == bare.height == spoken.width < spoken.height
    assert decode(spoken.to_bytes("png")).content == LINK


@pytest.mark.parametrize("side", ["bottom", "top"])
def test_the_border_of_a_ribbon_meets_the_ribbon(side):
    frame = Frame("ribbon", caption="Menu", color="#9A3412", side=side)
    shown = pixels(generate(LINK, size=10, background="#FFFAF0", frame=frame))
    opaque = [row[row[:, 3] == 255] for row in shown]
    assert all((row[[0, -1], 2] < 64).all() for row in opaque)  # ink has a blue of 18, and the light area one of 240
