"""The size of a logo: it leaves half of the error correction, and no larger size that is tried does."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from qrkit import Design, Gradient
from qrkit.drawing.logo import placed_logo, scaled_logo
from qrkit.errors import InvalidParameter
from qrkit.scanning.logo_size import SHARES, largest_share
from tests.drawing.pictures import filled
from tests.sweeps import quick_first

DISC = "data:image/svg+xml," + quote(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 20"><circle cx="10" cy="10" r="9" fill="#FF6A00"/></svg>'
)
LOGOS = {
    "icon": {"content": "icon:heart"},
    "bare": {"content": "icon:star", "plate": None},
    "disc": {"content": DISC, "plate": "circle", "ring": "#9A3412"},
    "light": {"content": filled((255, 255, 255, 255)), "plate": "square", "padding": 0},
    "beside": {"content": "icon:account", "place": (0.85, 0.8), "ring": "navy", "padding": 0.6},
}
LOOKS = {
    "plain": {},
    "gradient": {"foreground": Gradient.linear("#4C0519", "#831843"), "background": "#FFF7ED", "padding": 1},
    "flipped": {"flip": "horizontal", "width": 497, "padding": 0, "ec": "Q"},
    "clear": {"background": "transparent", "foreground": "#555555", "height": 300, "width": 400},
    "inverted": {"background": "#111111", "foreground": "#FFFFFF"},
    "free": {"pad_codewords": "free"},
}


def used(design: Design) -> float:
    return design.check("static").budget.used


@pytest.mark.parametrize("version", quick_first([3, 5, 8, 14, 22], 2))
@pytest.mark.parametrize("look", quick_first(LOOKS, 3))
@pytest.mark.parametrize("logo", quick_first(LOGOS, 3))
def test_the_default_size_is_the_largest_that_leaves_half_of_the_error_correction(logo, look, version):
    plain = Design(content="https://a.co/x", version=version, **LOOKS[look])
    design = plain.with_logo(**LOGOS[logo])
    share = placed_logo(design, LOGOS[logo]["content"]).share
    sizes = [one for one in SHARES if one >= share - 0.0005]
    assert sizes[-1] == pytest.approx(share, abs=0.0005)
    assert used(design) <= 0.5 or share == pytest.approx(SHARES[-1], abs=0.0005)
    assert all(used(plain.with_logo(**LOGOS[logo], share=larger)) > 0.5 for larger in sizes[:-1])


@pytest.mark.parametrize("plate", quick_first(["circle", "rounded", None], 2))
def test_the_largest_share_uses_half_and_a_little_more_uses_more(plate):
    design = Design(content="https://example.com", ec="H").with_logo("icon:heart", 0.1, plate=plate)
    placed = placed_logo(design, "icon:heart")
    share = largest_share(design, placed)
    assert used(scaled_logo(design, placed, share)) <= 0.5 < used(scaled_logo(design, placed, share + 0.01))


def test_a_micro_qr_code_has_no_default_size_because_it_has_no_verdict():
    with pytest.raises(InvalidParameter, match=r"^micro: has no verdict"):
        Design(content="1", micro=True).with_logo("icon:heart", plate=None)
