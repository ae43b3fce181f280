"""Photographs in designs: no larger in files than they are drawn, and in their place."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from qrkit import Design, Layer, data_uri, decode, generate


def photograph(side, format="JPEG", mode="RGB"):
    """A picture that no compression makes smaller, as a data URI."""
    pixels = np.random.default_rng(1).integers(0, 255, (side, side, len(mode)), dtype=np.uint8)
    file = BytesIO()
    Image.fromarray(pixels, mode).save(file, format)
    return data_uri(file.getvalue())


PHOTO = photograph(1_600)


@pytest.mark.rule("G13")
@pytest.mark.parametrize("display", ["overlay", "box-hit-test", "pixel-hit-test"])
def test_a_large_photograph_is_a_layer_like_any_other(display):
    image = generate("x", ec="H", size=12, layers=[Layer(PHOTO, x=150, y=150, width=50, height=50, display=display)])
    assert decode(image.to_bytes("png")).content == "x"


@pytest.mark.parametrize("format", ["svg", "pdf", "eps"])
def test_a_photograph_takes_no_more_room_than_its_box_can_show(format):
    """At most 4 x 4 pixels for each of the 50 x 50, three bytes a pixel, and what Base64 and its like add."""
    image = generate("x", layers=[Layer(PHOTO, x=20, y=20, width=50, height=50)])
    assert len(image.to_bytes(format)) < 50 * 50 * 16 * 3 * 1.6


@pytest.mark.parametrize("flip", ["none", "horizontal"])
def test_a_bitmap_on_fractions_of_pixels_lies_where_the_svg_has_it(flip):
    red = BytesIO()
    Image.new("RGBA", (40, 40), (255, 0, 0, 255)).save(red, "PNG")
    layer = Layer(data_uri(red.getvalue()), x=10.5, y=20.25, width=40.5, height=30)
    image = generate(Design(content="x", foreground="white", layers=[layer], flip=flip))
    shown = np.asarray(Image.open(BytesIO(image.to_bytes("png"))).convert("RGB"))[:, :, 1]
    rows, columns = np.nonzero(shown < 128)
    left = 10.5 if flip == "none" else image.width - 10.5 - 40.5
    assert (columns.min(), columns.max() + 1) == pytest.approx((left, left + 40.5), abs=1)
    assert (rows.min(), rows.max() + 1) == pytest.approx((20.25, 50.25), abs=1)
