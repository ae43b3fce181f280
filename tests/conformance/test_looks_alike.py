"""Frames, plates and presets in vector formats, as programs that are not ours show them, look like their PNG."""

from functools import cache

import numpy as np
import pytest

from qrkit import Caption, Design, Frame, Gradient, Markers, Modules, QRImage
from qrkit.design.frames import FRAME_KINDS, ONE_LINE
from qrkit.presets import PRESETS, with_preset
from tests.conformance import readers, vector_readers

LINK = Design(content="https://example.com/menu", ec="H", size=10)
INK = Gradient.linear("#3B0764", "#86134A", "#7C2D12")
PLATES = ("circle", "rounded", "square")


def _framed(kind: str) -> Design:
    caption = Caption("Scan me", subtitle=None if kind in ONE_LINE else "See the menu")
    return LINK.replace(foreground="#14452F", background="#FFFDF0", frame=Frame(kind, caption=caption, icon="wifi"))


LOOKS = {
    **{f"frame {kind}": _framed(kind) for kind in FRAME_KINDS},
    **{f"plate {plate}": LINK.with_logo("icon:heart", 0.17, plate=plate, ring="#6D28D9") for plate in PLATES},
    **{f"preset {name}": with_preset(LINK, name) for name in PRESETS},
    "gradient around the symbol": LINK.replace(
        background=Gradient.linear("#FDE68A", "#F9A8D4"), frame=Frame("round"), padding=2
    ),
    "eyes with gradients": LINK.replace(
        modules=Modules(type="dots"), markers=Markers.all("modules", outer_color=INK, inner_color="#14532D")
    ),
}
QUICK = ("frame bubble", "plate circle", "eyes with gradients")
STRONG = 64
"""Steps of 255 by which a pixel looks different, and not only smoother or sharper at an edge."""

every_look = pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in LOOKS]
)


@cache
def _drawn(name: str) -> QRImage:
    return QRImage(LOOKS[name])


@cache
def _png(name: str) -> np.ndarray:
    return readers.on_white(readers.raster(_drawn(name).to_bytes("png")))


def assert_looks_like_png(shown: np.ndarray, name: str) -> None:
    wanted = _png(name).astype(int)
    assert shown.shape == wanted.shape
    assert (np.abs(shown - wanted).max(axis=2) > STRONG).mean() < 0.01


@every_look
def test_svg_looks_like_png(name):
    assert_looks_like_png(readers.on_white(readers.svg(_drawn(name).to_bytes("svg"))), name)


@pytest.mark.needs("pdftoppm")
@every_look
def test_pdf_looks_like_png(name, tmp_path):
    # With one pixel for each of ours, 1 to 2% of the pixels of small dots differ, but only in poppler.
    finer = vector_readers.poppler(tmp_path, _drawn(name).save(tmp_path / "look.pdf"))
    assert_looks_like_png(vector_readers.averaged(finer, vector_readers.FINE), name)


@pytest.mark.needs("gs")
@every_look
def test_eps_looks_like_png(name, tmp_path):
    (shown,) = readers.ghostscript(tmp_path, [_drawn(name).save(tmp_path / "look.eps")], smooth=True)
    assert_looks_like_png(readers.on_white(shown), name)
