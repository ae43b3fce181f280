"""Simple SVG images are vectors in PDF and EPS, and look as they do in PNG."""

import re

import pytest

from qrkit import Design, QRImage, data_uri
from tests.conformance import readers
from tests.drawing.pictures import LINK, pixels, svg_uri
from tests.sweeps import quick_first

SIMPLE = {
    "shapes": '<rect width="10" height="10" rx="2" fill="#123"/><ellipse cx="5" cy="4" rx="3" ry="2" fill="orange"/>'
    '<circle cx="3" cy="8" r="1.5" fill="rgb(0, 128, 128)"/>',
    "rings": '<circle cx="5" cy="5" r="4" fill="none" stroke="#dc143c" stroke-width=".8"/>'
    '<rect x="3" y="3" width="4" height="4" fill="gold" stroke="navy" stroke-width=".6"/>',
    "transforms": '<g fill="teal" transform="translate(5 5) rotate(30)"><polygon points="-3,-3 3,-3 0,3"/>'
    '<g transform="matrix(1 0 .5 1 0 0) scale(.5, 1)"><path d="M-2 2h4v1h-4z" fill="red"/></g></g>'
    '<rect width="2" height="2" transform="translate(2 1) skewX(20) skewY(5) rotate(10 1 1) translate(.5)"/>',
    "arcs": '<path d="M1 5a4 4 0 0 1 8 0z"/><circle cx="5" cy="2" r="1" fill-rule="evenodd"/>'
    '<path d="M4 7h2v2h-2z" style="fill:#006400"/>',
    "nothing painted": '<rect width="10" height="10" fill="none"/><path d="M2 2h6v6z"/>',
}
OTHER = {
    "gradient": '<linearGradient id="a"><stop stop-color="red"/><stop offset="1"/></linearGradient>'
    '<rect width="10" height="10" fill="url(#a)"/>',
    "translucent": '<rect width="10" height="10" opacity=".5"/>',
    "translucent fill": '<g fill-opacity=".5"><rect width="10" height="10"/></g>',
    "even-odd": '<path fill-rule="evenodd" d="M0 0h10v10h-10zM3 3h4v4h-4z"/>',
    "pentagram": '<polygon fill-rule="evenodd" points="5,0 8,9 0,3 10,3 2,9"/>',
    "ellipse with one radius": '<ellipse cx="5" cy="5" rx="4"/>',
    "stroke of a path": '<path d="M1 1l8 8" stroke="red"/>',
    "thick ring": '<circle cx="5" cy="5" r="1" stroke="red" stroke-width="3"/>',
    "cut off": '<rect x="5" y="5" width="10" height="10"/>',
    "corners of ellipses": '<rect width="10" height="10" rx="1" ry="4"/>',
    "length with a unit": '<rect width="50%" height="10"/>',
    "clip": '<clipPath id="c"><rect width="5" height="5"/></clipPath><circle cx="5" cy="5" r="4" clip-path="url(#c)"/>',
}


def with_image(inside: str, **fields) -> QRImage:
    design = Design(content=LINK, ec="H", size=8, **fields)
    return QRImage(design.with_logo(svg_uri(inside), 0.25, plate="circle", ring="navy"))


def images_in(image: QRImage) -> tuple[bool, bool]:
    pdf, eps = image.to_bytes("pdf"), image.to_bytes("eps")
    return re.search(rb"/Subtype ?/Image", pdf) is not None, b"image" in eps


@pytest.mark.parametrize("inside", SIMPLE.values(), ids=SIMPLE)
def test_simple_images_and_plates_of_logos_are_vectors(inside):
    assert images_in(with_image(inside)) == (False, False)


@pytest.mark.parametrize("inside", OTHER.values(), ids=OTHER)
def test_other_images_are_drawn_as_pixels(inside):
    assert images_in(with_image(inside))[0]


def test_a_translucent_logo_is_drawn_as_pixels():
    design = Design(content=LINK, ec="H").with_logo(svg_uri(SIMPLE["shapes"]), 0.2, opacity=0.5)
    assert images_in(QRImage(design))[0]


@pytest.mark.needs("gs")
@pytest.mark.parametrize("flip", quick_first(["none", "horizontal"]))
def test_vectors_look_like_png(tmp_path, flip):
    images = [with_image(inside, flip=flip) for inside in SIMPLE.values()]
    wide = QRImage(Design(content=LINK, ec="H", size=8).with_logo(data_uri(WIDE), 0.3, plate="square"))
    for number, image in enumerate([*images, wide]):
        files = [image.save(tmp_path / f"{number}.{format}") for format in ("pdf", "eps")]
        wanted = pixels(image)[..., :3].astype(int)
        for found in readers.ghostscript(tmp_path, files, dots=72):
            shown = found if found.ndim == 3 else found[..., None]
            assert (abs(shown.astype(int)[..., :3] - wanted).max(axis=2) > 64).mean() < 0.01


WIDE = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 5 40 20"><path d="M-10 5h40v20z"/>'
    b'<circle cx="0" cy="18" r="5" fill="red"/></svg>'
)
"""A logo whose box begins elsewhere, and whose sides differ."""
