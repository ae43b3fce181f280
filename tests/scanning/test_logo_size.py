"""The size of a logo: plain to see, it leaves half of the error correction, and no larger size that is tried does."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from qrkit import Design, Gradient, check
from qrkit.drawing.logo import placed_logo, scaled_logo
from qrkit.errors import ContentTooLong, InvalidParameter
from qrkit.presets import with_preset
from qrkit.scanning.logo_size import SHARES, largest_share
from qrkit.scanning.readers import installed
from tests.drawing.pictures import filled
from tests.sweeps import night_after, quick_first

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


SHORT = ("https://a.co/x", "https://exmpl.co/menu", "https://exmpl.co/menu/spring")


def used(design: Design) -> float:
    return design.check("static").budget.used


def is_modest(design: Design) -> bool:
    report = design.check("static")
    return report.budget.used <= 0.5 and "fixed-pattern" not in {issue.code for issue in report.issues}


def logo_share(design: Design, content: str) -> float:
    return placed_logo(design, content).share


@pytest.mark.parametrize("version", [3, 5, *night_after([14, 8, 22])])
@pytest.mark.parametrize("look", quick_first(LOOKS, 3))
@pytest.mark.parametrize("logo", quick_first(LOGOS, 3))
def test_the_default_size_is_the_largest_that_leaves_half_of_the_error_correction(logo, look, version):
    plain = Design(content="https://a.co/x", version=version, **LOOKS[look])
    design = plain.with_logo(**LOGOS[logo])
    share = logo_share(design, LOGOS[logo]["content"])
    sizes = [one for one in SHARES if one >= share - 0.0005]
    assert sizes[-1] == pytest.approx(share, abs=0.0005)
    assert is_modest(design) or share == pytest.approx(SHARES[-1], abs=0.0005)
    assert not any(is_modest(plain.with_logo(**LOGOS[logo], share=larger)) for larger in sizes[:-1])
    assert design.version == version


@pytest.mark.parametrize("content", quick_first(SHORT, 3))
@pytest.mark.parametrize("level", quick_first([{}, {"ec": "Q"}, {"ec": "H", "padding": 1}], 2))
@pytest.mark.parametrize("logo", quick_first(["icon", "disc", "light"], 2))
def test_a_logo_on_a_short_link_is_seen_and_robust(logo, level, content):
    design = Design(content=content, **level).with_logo(**LOGOS[logo])
    assert logo_share(design, LOGOS[logo]["content"]) >= 0.179
    assert is_modest(design)
    assert design.check("static").budget.symbol.version <= smallest(content, design.ec) + 3


def smallest(content: str, level: str) -> int:
    return Design(content=content, ec=level).check("static").budget.symbol.version


@pytest.mark.parametrize("preset", quick_first(["badge", "bar", "seal", "mosaic"], 2))
def test_the_logo_of_a_preset_is_seen_on_a_short_link(preset):
    design = with_preset(Design(content=SHORT[0]), preset, logo="icon:heart")
    assert logo_share(design, "icon:heart") >= 0.179
    assert design.check("static").verdict == "robust"


def test_level_l_has_a_logo_by_free_pad_codewords_where_it_can():
    design = Design(content="https://a.co", ec="L").with_logo("icon:heart")
    assert (design.pad_codewords, design.check("static").verdict) == ("free", "robust")
    assert logo_share(design, "icon:heart") >= 0.179


def test_longer_content_enlarges_a_symbol_that_a_logo_raised():
    design = Design(content=SHORT[0]).with_logo("icon:heart", plate="circle", ring="navy")
    assert design.version is not None
    longer = design.replace(content=SHORT[0] + "/" * 90)
    assert longer.version is None
    assert logo_share(longer, "icon:heart") == pytest.approx(logo_share(design, "icon:heart"), abs=0.001)
    with pytest.raises(ContentTooLong):
        design.replace(content=SHORT[0] + "/" * 90, version=2)


@pytest.mark.slow
def test_engines_read_symbols_with_logos_of_the_default_size():
    """In captures of a phone: none called robust fails, and 94% of all takes are read."""
    designs = [Design(content=one).with_logo(**LOGOS[logo]) for one in SHORT for logo in ("icon", "light")]
    reports = [check(design, "quick", engines=installed()) for design in designs]
    assert {report.verdict for report in reports} == {"robust"}
    takes = [outcome for one in reports for row in one.panel.outcomes.values() for outcome in row.values()]
    assert takes.count("read") >= 0.94 * len(takes)
    assert "wrong" not in takes


@pytest.mark.parametrize("plate", quick_first(["circle", "rounded", None], 2))
def test_the_largest_share_uses_half_and_a_little_more_uses_more(plate):
    design = Design(content="https://example.com", ec="H").with_logo("icon:heart", 0.1, plate=plate)
    placed = placed_logo(design, "icon:heart")
    share = largest_share(design, placed)
    assert used(scaled_logo(design, placed, share)) <= 0.5 < used(scaled_logo(design, placed, share + 0.01))


def test_a_micro_qr_code_has_no_default_size_because_it_has_no_verdict():
    with pytest.raises(InvalidParameter, match=r"^micro: has no verdict"):
        Design(content="1", micro=True).with_logo("icon:heart", plate=None)
