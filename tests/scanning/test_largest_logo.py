"""How large a logo may be: what is found fits, nothing larger does, and readers agree where it stops."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from qrkit import Design
from qrkit.drawing.resizing import layout_of
from qrkit.errors import CannotRepair, InvalidParameter
from qrkit.scanning.budget import budget_of
from qrkit.scanning.examine import drawn, examine
from qrkit.scanning.largest_logo import PARTS, LargestLogo, largest_logo
from qrkit.scanning.readers import standard
from qrkit.scanning.sampling import greys_of, sample
from tests.scanning.broken_designs import PAYLOADS, PHOTO, logo, svg
from tests.sweeps import night_after, quick_first

FORMS = {
    "disc": '<circle cx="5" cy="5" r="5" fill="{}"/>',
    "square": '<rect width="10" height="10" fill="{}"/>',
    "star": '<path d="M5 0 6.2 3.6 10 3.8 7 6.1 8.1 10 5 7.7 1.9 10 3 6.1 0 3.8 3.8 3.6z" fill="{}"/>',
}
PAINTS = (("#000", 1), ("#fff", 1), ("#FF6A00", 1), ("#808080", 1), ("#000", 0.6))
"""Colour and opacity: dark, light, two between, and one that shows what is below."""


def largest_overlay(design: Design, content: str, **options: Any) -> LargestLogo:
    """The largest logo over the modules, without a plate: where it ends can be computed."""
    return largest_logo(design, content, plate=None, display="overlay", **options)


def report_on(design: Design):
    return examine(drawn(design), "static")


@pytest.mark.parametrize("pads", ["iso", "free"])
@pytest.mark.parametrize("name", quick_first(PAYLOADS))
def test_what_is_found_fits_and_more_does_not(name, pads):
    design = Design(content=PAYLOADS[name])
    found = largest_overlay(design, "icon:heart", pad_codewords=pads, may=(), level="static")
    assert found.report.budget.used <= 0.5
    assert found.report.verdict == "robust"
    larger = logo("icon:heart", found.share + 1 / PARTS / layout_of(design).side)(design.replace(pad_codewords=pads))
    assert report_on(larger).verdict != "robust"


@pytest.mark.slow
def test_free_pads_make_room_for_twice_the_area():
    design = Design(content=PAYLOADS["short"], version=5)
    shares = [largest_overlay(design, "icon:circle", pad_codewords=pads).share for pads in ("iso", "free")]
    assert shares[1] ** 2 > 2 * shares[0] ** 2


@pytest.mark.slow
def test_readers_do_not_lose_the_symbol():
    found = largest_overlay(Design(content=PAYLOADS["short"], version=5), "icon:circle", pad_codewords="free")
    assert found.report.level == "standard"
    assert found.report.is_at_least("ok")


def test_another_level_may_make_more_room():
    design = Design(content=PAYLOADS["short"], version=5, ec="L")
    kept, free = (largest_overlay(design, "icon:star", may=may, level="static") for may in (("mask",), ("mask", "ec")))
    assert free.share > kept.share
    assert kept.design.ec == "L" != free.design.ec


@pytest.mark.slow
@pytest.mark.parametrize("name", PAYLOADS)
def test_a_lower_target_never_makes_more_room(name):
    design = Design(content=PAYLOADS[name], ec="Q")
    targets = (1, 0.7, 0.4, 0.2)
    shares = [largest_overlay(design, "icon:square", target=one, may=(), level="static").share for one in targets]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[-1]


@pytest.mark.parametrize("place", [(0.5, 0.5), (0.7, 0.6)])
def test_its_middle_is_where_it_is_asked_for(place):
    design = Design(content=PAYLOADS["short"], version=4, size=10, padding=6)
    found = largest_overlay(design, PHOTO, place=place, level="static")
    layout, layer = layout_of(design), found.layer
    middle = (layer.x + layer.width / 2, layer.y + layer.height / 2)
    assert middle == pytest.approx(layout.place(place[0] * layout.side, place[1] * layout.side), abs=0.02)
    assert layer.width == layer.height == pytest.approx(found.share * layout.side * layout.module, abs=0.02)
    assert found.design.layers == (layer,)


@pytest.mark.parametrize(
    "look",
    [{}, *quick_first([{"plate": "circle", "ring": "#9A3412", "padding": 0.5}, {"plate": "square"}, {"plate": None}])],
    ids=str,
)
@pytest.mark.parametrize("ec", quick_first(["M", None]))
def test_with_logo_draws_what_the_largest_logo_measured(look, ec):
    plain = Design(content="https://a.co/xy", width=480, **({"ec": ec} if ec else {}))
    found = largest_logo(plain, "icon:heart", may=(), level="static", **look)
    drawn_again = plain.with_logo("icon:heart", found.share, **look)
    assert drawn_again == found.design
    assert found.report.verdict == "robust"
    larger = plain.with_logo("icon:heart", found.share + 1 / layout_of(plain).side, **look)
    assert report_on(larger).verdict != "robust"


def test_a_plate_needs_room():
    design = Design(content="https://a.co/xy", width=480)
    plated, bare = (largest_logo(design, "icon:heart", plate=one, level="static").share for one in ("circle", None))
    assert plated < bare


def test_it_keeps_its_proportions():
    text = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 10"><rect width="30" height="10"/></svg>'
    layer = largest_overlay(Design(content="x" * 20), "data:image/svg+xml," + quote(text), level="static").layer
    assert layer.width / layer.height == pytest.approx(3, rel=0.01)


def test_where_nothing_fits_that_is_said():
    orange = svg('<rect width="10" height="10" fill="#FF6A00"/>')
    with pytest.raises(CannotRepair, match="no logo fits there"):
        largest_overlay(Design(content=PAYLOADS["short"]), orange, target=0, level="static")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"place": (0.5, 2)}, "place"),
        ({"target": -1}, "target"),
        ({"may": ("version",)}, "may"),
        ({"padding": 9}, "padding"),
        ({"ring": "nvy"}, "ring"),
    ],
)
def test_arguments_that_break_a_rule_are_named(arguments, name):
    with pytest.raises(InvalidParameter) as caught:
        largest_logo(Design(content="x"), "icon:star", **arguments)
    assert caught.value.name == name


def first_failing(design: Design, content: str, opacity: float) -> dict[str, int]:
    """Width in modules from which on a logo is too much: as it is computed, and for readers of both schools."""
    side = layout_of(design).side
    found: dict[str, int] = {}
    for width in range(2, side - 13):
        one = drawn(logo(content, width / side, opacity=opacity)(design))
        budget = budget_of(sample(one.scene), one.symbol)
        greys, _ = greys_of(one.scene, 12)
        picture = (greys.clip(0, 1) * 255).round().astype(np.uint8)
        is_read = [design.content.encode() in engine.read(picture) for engine in standard()[:2]]
        failed = {"lost": budget.is_lost, "unsure": budget.used > 1, "all": not any(is_read), "one": not all(is_read)}
        found = {name: width for name, has_failed in failed.items() if has_failed} | found
        if len(found) == len(failed):
            break
    return dict.fromkeys(failed, side) | found


def first_failing_of_all(
    payloads: Iterable[str], paints: Iterable[tuple[str, float]], levels: str = "LMQH"
) -> list[dict[str, int]]:
    return [
        first_failing(Design(content=PAYLOADS[payload], ec=level), svg(form.format(color)), opacity)
        for payload in payloads
        for level in levels
        for form in FORMS.values()
        for color, opacity in paints
    ]


@pytest.mark.slow
def test_the_last_reader_stops_where_it_is_computed():
    found = first_failing_of_all(["short"], PAINTS[:1])
    assert all(abs(one["all"] - one["lost"]) <= 1 for one in found)


@pytest.mark.slow
@pytest.mark.parametrize("payload", night_after(["short", "card"]))
def test_the_last_reader_stops_where_it_is_computed_whatever_the_logo_is_painted_with(payload):
    found = first_failing_of_all([payload], PAINTS, "LH")  # of all four levels, 94 of 100 are within a module
    # All of the opaque and see-through ones; of mid-tones, where it is luck for which side readers decide, five of six.
    assert np.mean([abs(one["all"] - one["lost"]) <= 1 for one in found]) >= 0.9
    # What is promised of a design is less: each of the readers goes that far.
    assert np.mean([one["one"] - one["unsure"] >= -1 for one in found]) >= 0.9


def test_a_micro_qr_code_has_no_largest_logo_because_it_has_no_verdict():
    with pytest.raises(InvalidParameter, match=r"^micro: has no verdict"):
        Design(content="1", micro=True).largest_logo("icon:heart")
