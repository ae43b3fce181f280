"""Contact sheets: many pictures side by side, each with its name."""

from io import BytesIO

import pytest
import resvg_py
from lxml import etree
from PIL import Image

from qrkit import ContactSheet, Gradient, decode, generate
from qrkit.errors import InvalidParameter

SVG = "{http://www.w3.org/2000/svg}"
IMAGES = {
    "plain": generate("one"),
    "a <b> & 'c'": generate("two", foreground=Gradient.linear("navy", "black"), modules={"type": "dots"}),
    "tall": generate("three", width=200, height=300),
}


def pasted(sheet):
    """The sheet as pixels."""
    return Image.open(BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=sheet.to_svg())))).convert("RGB")


def test_every_picture_of_a_sheet_reads_in_its_place():
    sheet = ContactSheet(IMAGES, columns=2, side=150)
    picture = pasted(sheet)
    boxes = [(16, 16, 166, 166), (182, 16, 332, 166), (16, 204, 166, 429)]
    assert [decode(picture.crop(box)).content for box in boxes] == ["one", "two", "three"]


def test_a_sheet_names_its_pictures_as_text():
    found = etree.fromstring(ContactSheet(IMAGES).to_svg().encode())
    assert [text.text for text in found.iter(f"{SVG}text")] == list(IMAGES)


def test_names_may_be_numbers_and_a_sheet_may_be_empty():
    assert repr(ContactSheet({7: generate("x")})) == "<ContactSheet of 1: 7>"
    assert etree.fromstring(ContactSheet({}).to_svg().encode()).tag == f"{SVG}svg"


def test_a_notebook_shows_the_sheet_that_is_saved(tmp_path):
    sheet = ContactSheet(IMAGES)
    file = sheet.save(tmp_path / "sheet.svg")
    assert file.read_text(encoding="utf-8") == sheet.to_svg() == sheet._repr_mimebundle_()["image/svg+xml"]


@pytest.mark.parametrize("name", ["sheet.png", "sheet.pdf", "sheet"])
def test_a_sheet_is_saved_as_svg_alone(tmp_path, name):
    with pytest.raises(InvalidParameter, match=r"must end in \.svg"):
        ContactSheet(IMAGES).save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_picture_and_what_cannot_be_a_size_is_told_at_once():
    printed = generate("x").print_at(30)
    with pytest.raises(InvalidParameter, match=r"images='a': must be a QRImage, not QRPrint; columns=0: .*; side=3: "):
        ContactSheet({"a": printed}, columns=0, side=3)
    with pytest.raises(InvalidParameter, match=r"columns='3': must be a whole number .*; side=99\.5: must be a whole"):
        ContactSheet(IMAGES, columns="3", side=99.5)


def test_names_that_are_too_long_for_their_place_are_cut():
    sheet = ContactSheet({"Tea / green 46, the third shelf": generate("x"), "short": generate("y")}, side=112)
    names = [one.text for one in etree.fromstring(sheet.to_svg().encode()).iter("{*}text")]
    assert names == ["Tea / green 46, th…", "short"]
