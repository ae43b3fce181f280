import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageColor

from qrkit import Color, Design
from qrkit.design.color import BLACK, TRANSPARENT, WHITE
from qrkit.design.color_names import COLOR_NAMES
from qrkit.errors import InvalidParameter

bytes_ = st.integers(0, 255)
colors = st.builds(Color, bytes_, bytes_, bytes_, bytes_)
few = settings(max_examples=50)


@pytest.mark.rule("H6")
def test_eight_digits_have_alpha_first():
    """Open: #AARRGGBB or #RRGGBBAA. The interface says ARGB, so CSS's order is never read."""
    assert Color.parse("#80FF0000") == Color(255, 0, 0, 128)
    assert Color.parse("#FF000080") == Color(0, 0, 128, 255)


@pytest.mark.rule("H6")
@given(colors)
@few
def test_a_colour_is_read_back_from_each_form_it_is_written_in(color):
    """Open: which spellings. Both hexadecimal forms, in any case, and without the # that a URL may have lost."""
    assert Color.parse(color.argb) == Color.parse(str(color)) == Color.parse(color.argb.lower()) == color
    assert Color.parse(color.argb.removeprefix("#")) == color
    assert Color.parse(color.rgb) == Color.parse(f" {color.rgb[1:]} ") == color.opaque


@pytest.mark.rule("H6")
@pytest.mark.parametrize("text", ["transparent", "Transparent", " TRANSPARENT "])
def test_transparent_is_a_colour(text):
    """Open: how to ask for no background. By CSS's name, black with alpha 0."""
    assert Color.parse(text) == TRANSPARENT == Color(0, 0, 0, 0)


@pytest.mark.rule("H6")
def test_the_names_are_those_of_css():
    """Open: X11 or CSS, which differ in four names. CSS; Pillow's table is the independent witness."""
    assert set(COLOR_NAMES) == set(ImageColor.colormap)
    for name in COLOR_NAMES:
        color = Color.parse(name)
        assert (color.red, color.green, color.blue) == ImageColor.getrgb(name)
    assert Color.parse("RebeccaPurple") == Color(0x66, 0x33, 0x99)
    assert Color.parse("gray") == Color(128, 128, 128)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "#",
        "#FF00",
        "FF00",
        "##FF0000",
        "#FF000",
        "#FF00000",
        "#GG0000",
        "FF00000g",
        "rgb(1,2)",
        "rgb(1,2%,3)",
        "rgb(1 2 3 4)",
        "rgb(1,2,3,none)",
        "rgb(1e, 2, 3)",
        "hsl(1,2,3)",
        "hwb(1,2%,3%)",
        "hwba(1 2% 3%)",
        "oklch(1 2 3deg 4)",
        "oklch(1 2deg 3)",
        "color-mix(in srgb, red, blue)",
        "rgb(1,2,3)" + " " * 100 + ")",
        "#\u0661\u0662\u0663\u0664\u0665\u0666",
    ],
)
def test_other_spellings_are_refused(text):
    with pytest.raises(ValueError, match="must be a color as #AARRGGBB, #RRGGBB or a CSS name"):
        Color.parse(text)


@pytest.mark.rule("H6")
@pytest.mark.parametrize(
    ("text", "argb"),
    [
        ("#03c", "#FF0033CC"),
        ("F00", "#FFFF0000"),
        ("rgb(200,0,0)", "#FFC80000"),
        ("RGB(200 0 0 / 50%)", "#80C80000"),
        ("rgba(100%, 0%, 50%, .5)", "#80FF0080"),
        ("rgb(none 300 -1)", "#FF00FF00"),
        ("hsl(120deg 100% 40%)", "#FF00CC00"),
        ("hsl(-240, 100%, 40%)", "#FF00CC00"),
        ("hsl(.5turn 50 50)", "#FF40BFBF"),
        ("hwb(194 0% 0%)", "#FF00C3FF"),
        ("hwb(194 60% 60%)", "#FF808080"),
        ("oklch(62.8% 0.2577 29.23)", "#FFFF0000"),
        ("oklab(40.1% 0.1143 0.045)", "#FF7D2429"),
    ],
)
def test_colors_are_those_of_css_color_4(text, argb):
    """The values are those that Chromium draws; its own examples are among them."""
    assert Color.parse(text).argb == argb


@given(bytes_, bytes_, bytes_, st.integers(0, 100))
@few
def test_functions_are_read_as_pillow_reads_them(red, green, blue, percent):
    for text in (f"rgb({red},{green},{blue})", f"rgb({percent}%,{percent}%,0%)", f"hsl({red},{percent}%,50%)"):
        color = Color.parse(text)
        theirs = ImageColor.getrgb(text)
        assert all(abs(a - b) <= 1 for a, b in zip((color.red, color.green, color.blue), theirs, strict=True))


def test_four_digits_are_refused_with_the_reason():
    with pytest.raises(ValueError, match="four digits may begin or end with alpha"):
        Color.parse("#03cf")
    with pytest.raises(ValueError, match=re.escape("the functions of CSS are rgb(), hsl()")):
        Color.parse("cmyk(1,2,3,4)")


def test_a_mistyped_name_gets_the_nearest():
    with pytest.raises(ValueError, match=re.escape("did you mean 'orange'")):
        Color.parse("ornage")


@pytest.mark.parametrize("value", ["ornage", "{braces}", 5, None, b"red", ("255", 0, 0), 1.5])
def test_a_design_blames_the_field_of_a_wrong_colour(value):
    with pytest.raises(InvalidParameter, match="must be a color") as caught:
        Design(content="x", foreground=value)
    assert (caught.value.name, caught.value.value, caught.value.code) == ("foreground", value, "bad-colour")


@pytest.mark.parametrize("parts", [(256, 0, 0), (0, -1, 0), (0, 0, 0, 300), (0.5, 0, 0), ("1", 0, 0), (True, 0, 0)])
def test_a_colour_out_of_range_cannot_exist(parts):
    with pytest.raises(ValueError, match=r"whole numbers in 0\.\.255"):
        Color(*parts)


def test_black_and_white_are_what_they_are_called():
    assert (BLACK.argb, WHITE.argb) == ("#FF000000", "#FFFFFFFF")
    assert (Color(1, 2, 3, 0).opacity, Color(1, 2, 3, 51).opacity, WHITE.opacity) == (0, 0.2, 1)


@given(colors, colors)
@few
def test_over_composes_as_pillow_does(above, below):
    def pixel(color):
        return Image.new("RGBA", (1, 1), (color.red, color.green, color.blue, color.alpha))

    ours = above.over(below)
    theirs = Image.alpha_composite(pixel(below), pixel(above)).getpixel((0, 0))
    found = (ours.red, ours.green, ours.blue, ours.alpha)
    # Pillow rounds alpha before it divides by it, which shows where there is hardly any.
    slack = 1 if ours.alpha > 127 else 8 if ours.alpha > 15 else 255
    assert abs(found[3] - theirs[3]) <= 1
    assert all(abs(one - other) <= slack for one, other in zip(found[:3], theirs[:3], strict=True))


@given(colors, colors)
@few
def test_over_an_opaque_colour_the_result_is_opaque(above, below):
    assert above.over(below.opaque).alpha == 255
    assert above.opaque.over(below) == above.opaque
    assert above.over(TRANSPARENT) == above


shades = st.builds(Color, *[st.integers(0, 255)] * 3)


@given(shades, shades, st.sampled_from([3.0, 4.5]))
def test_visible_color_has_enough_contrast_and_a_visible_one_stays(color, ground, least):
    shown = color.visible_on(ground, least)
    assert shown.contrast(ground) >= least
    assert shown == color or color.contrast(ground) < least
    assert shown.visible_on(ground, least) == shown


def test_contrast_is_that_of_wcag():
    assert (WHITE.contrast(BLACK), BLACK.contrast(WHITE), WHITE.contrast(WHITE)) == (21, 21, 1)
    assert Color.parse("#767676").contrast(WHITE) == pytest.approx(4.54, abs=0.005)
