"""Letters are as far apart as the kerning of a font says, in all forms that its tables may have."""

from importlib.resources import files
from io import BytesIO

import pytest
from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import newTable
from fontTools.ttLib.tables._k_e_r_n import KernTable_format_0

from qrkit.drawing.letters.fonts.worker import Font

LETTERS = "ABCTVa"
KERNED = {"AV": -140, "To": -160, "Té": -140, "Wa": -90, "oW": -60}
"""Pairs of our own font."""


def built(features="", old=None):
    """A font of empty letters with features, or with an older table of pairs."""
    builder = FontBuilder(unitsPerEm=1000)
    names = [".notdef", *LETTERS]
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({ord(name): name for name in LETTERS})
    builder.setupGlyf(dict.fromkeys(names, TTGlyphPen(None).glyph()))
    builder.setupHorizontalMetrics(dict.fromkeys(names, (500, 0)))
    builder.setupHorizontalHeader()
    builder.setupPost()
    font = builder.font
    if features:
        addOpenTypeFeaturesFromString(font, features)
    if old:
        pairs = KernTable_format_0()
        pairs.coverage, pairs.kernTable = 1, old
        font["kern"] = newTable("kern")
        font["kern"].version, font["kern"].kernTables = 0, [pairs]
    file = BytesIO()
    font.save(file)
    return file.getvalue()


def kerning(data, text):
    return Font(data).letters(text)["kerning"]


def feature(*rules, name="kern"):
    return f"feature {name} {{ {' '.join(rules)} }} {name};"


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        (feature("pos A V -70;", "pos A T -60;", "pos B V 10;"), {"AV": -70, "AT": -60, "BV": 10}),
        (feature("pos A V <3 4 -70 0>;", "pos A T <0 0 -60 0>;"), {"AV": -70, "AT": -60}),
        (feature("pos A <3 0 -70 0> V <0 5 9 0>;", "pos A <3 0 -60 0> T <0 5 9 0>;"), {"AV": -70, "AT": -60}),
        (feature("pos A V <3 4 0 0>;"), {}),
        (feature("pos [A B] [T V] -40;", "pos [C] [a V] 20;"), {"AT": -40, "AV": -40, "BT": -40, "BV": -40,
                                                               "CV": 20, "Ca": 20}),
        (feature("pos A V -70;", "enum pos B [T V] -5;", "pos [A B] [T V] -40;"), {"AV": -70, "AT": -40, "BT": -5,
                                                                                    "BV": -5}),
        (feature("pos [A B C] a -3;", "subtable;", "pos [A B C] V -4;"), {"Aa": -3, "Ba": -3, "Ca": -3}),
        (feature("lookup one { pos A V -70; } one;", "lookup two { pos [A B] V -40; } two;"), {"AV": -110, "BV": -40}),
        (feature("lookup far useExtension { pos A V -70; pos [A B] T -40; } far;"), {"AV": -70, "AT": -40, "BT": -40}),
        (feature("pos A 12;", "pos A V -70;"), {"AV": -70}),
        (feature("pos A V -70;", name="cpsp") + feature("pos A T -60;"), {"AT": -60}),
        (feature("pos A 12;", name="cpsp"), {}),
    ],
)  # fmt: skip
def test_pairs_are_as_far_apart_as_the_font_says(features, expected):
    assert kerning(built(features), "".join(one + two for one in LETTERS for two in LETTERS)) == expected


def test_an_older_table_counts_only_without_pairs_in_the_newer_one():
    old = {("A", "V"): -30, ("B", "T"): 7}
    assert kerning(built(old=old), "AVBT") == {"AV": -30, "BT": 7}
    assert kerning(built(feature("pos A 12;", name="cpsp"), old), "AVBT") == {"AV": -30, "BT": 7}
    assert kerning(built(feature("pos A V -70;"), old), "AVBT") == {"AV": -70}


def test_own_font_has_the_pairs_that_fonttools_finds():
    data = files("font_manrope").joinpath("files", "Manrope-Bold.ttf").read_bytes()
    assert kerning(data, "AVToWa, Té") == KERNED
