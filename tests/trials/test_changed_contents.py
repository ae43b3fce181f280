"""Codes with other contents: in designs and in pictures, a drawing or a photo, with what covers them."""

from io import BytesIO
from itertools import product

import numpy as np
import pytest
from PIL import Image

from qrkit import Design, QRImage, decode
from qrkit.scanning.budget import true_modules
from qrkit.symbol.encode import encode
from qrkit.trials.changed_contents import look_of, subject_of
from qrkit.trials.ladder import LADDER, show
from tests.scanning.captures import CAPTURES, flat, photo

URL = "HTTP://192.168.178.123:40213/ABCDEFGHIJKLM"
OTHER = "HTTP://192.168.178.123:40213/0123456789XYZ"
MENU = "https://example.com/a/menu/of/the/day"
DESIGNS = {
    "plain": Design(content=MENU),
    "liquid": Design(content=MENU, modules={"type": "liquid"}, foreground="#0F4C5C"),
    "dots": Design(content=MENU, modules={"type": "dots"}, ec="Q"),
    "logo": Design(content=MENU, ec="H").with_logo("icon:coffee"),
    "tight": Design(content=MENU, padding=0),
}


def bytes_of(pixels):
    return np.rint(pixels[:, :, 0] * 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("name", "form"), [*product(DESIGNS, ["design", "png"]), pytest.param("dots", "svg", marks=pytest.mark.slow)]
)
def test_content_changes_and_the_symbol_stays(name, form):
    design = DESIGNS[name]
    subject = subject_of(design if form == "design" else QRImage(design).to_bytes(form), URL)
    before = decode(QRImage(design).to_bytes("png"))
    assert subject.content == MENU
    for content in (URL, OTHER):
        for draw in (subject.design, subject.plain):
            found = decode(show(draw(content), LADDER[0]).png)
            assert (found.content, found.version, found.ec) == (content, before.version, before.ec)


def test_modules_of_a_picture_are_those_of_the_new_symbol():
    """With a plain picture, nothing of the old symbol is left."""
    subject = subject_of(QRImage(DESIGNS["plain"].replace(mask=2)).to_bytes("png"), URL)
    picture, size = subject.design(URL)
    symbol = encode(URL, version=3, error_correction="M", mode="auto", mask=2)
    middles = picture[size // 2 :: size, size // 2 :: size, 0][5:-5, 5:-5]
    assert ((middles < 0.5) == true_modules(symbol)).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "capture", [one for one in CAPTURES if one.name in ("hand", "lamp", "hard shadow")], ids=lambda one: one.name
)
def test_photo_of_a_print_gets_another_content(capture):
    subject = subject_of(photo(flat(DESIGNS["logo"]), capture), URL)
    assert decode(bytes_of(subject.design(URL).pixels)).content == URL


def test_logo_stays_in_a_picture():
    subject = subject_of(QRImage(DESIGNS["logo"]).to_bytes("png"), URL)
    before, after = bytes_of(subject.picture.pixels), bytes_of(subject.design(URL).pixels)
    middle = len(before) // 2
    part = slice(middle - 12, middle + 12)
    assert (before[part, part] == after[part, part]).all()
    assert (before != after).mean() > 0.1


@pytest.mark.parametrize("step", LADDER, ids=str)
def test_steps_of_a_plain_code_are_read(step):
    subject = subject_of(DESIGNS["plain"], URL)
    assert decode(show(subject.plain(URL), step).png).content == URL


def test_colors_stay_in_each_step():
    picture = subject_of(DESIGNS["plain"].replace(foreground="#C00000"), URL).design(URL)
    for step in LADDER:
        red, green, blue = np.moveaxis(np.asarray(Image.open(BytesIO(show(picture, step).png)), dtype=int), 2, 0)
        assert (green == blue).all()
        assert (red - green).max() > 8


def test_look_is_that_of_all_contents(tmp_path):
    file = tmp_path / "poster.png"
    file.write_bytes(QRImage(DESIGNS["logo"]).to_bytes("png"))
    assert look_of(DESIGNS["logo"]) == look_of(DESIGNS["logo"].replace(content=MENU.upper()))
    assert look_of(file) == look_of(str(file)) == look_of(file.read_bytes())
    assert len({look_of(one) for one in (*DESIGNS.values(), file)}) == len(DESIGNS) + 1
