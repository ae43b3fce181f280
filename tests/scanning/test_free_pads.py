"""Symbols that follow their drawing: data masks, free pad codewords, and the appearance that they are found by."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit import Design, Modules, generate
from qrkit.errors import InvalidParameter
from qrkit.scanning.appearance import appearance_of
from qrkit.scanning.budget import budget_of
from qrkit.scanning.examine import drawn
from qrkit.scanning.readers import standard
from qrkit.scanning.sampling import greys_of, sample
from tests.scanning.broken_designs import DISC, PAYLOADS, STYLES, WHITE_DISC, broken_designs, logo

DESIGNS = broken_designs()


def used(design: Design) -> float:
    one = drawn(design)
    return budget_of(sample(one.scene), one.symbol).used


def readers_of(design: Design) -> set[str]:
    """The engines that read a picture of 6 pixels a module."""
    greys, _ = greys_of(drawn(design).scene, 6)
    picture = (greys.clip(0, 1) * 255).round().astype(np.uint8)
    return {engine.name for engine in standard() if design.content.encode() in engine.read(picture)}


def agreement(design: Design) -> float:
    """Share of modules of which the appearance tells what the drawing shows."""
    one = drawn(design)
    seen = budget_of(sample(one.scene), one.symbol).wrong
    told = appearance_of(design, one.pictures, one.symbol).budget(one.symbol).wrong
    return float((seen == told).mean())


@pytest.mark.parametrize("style", STYLES)
def test_an_appearance_tells_what_a_symbol_looks_like(style):
    # Which of several sprites a module gets depends on all modules before it.
    least = 0.8 if style == "random dots" else 0.97
    assert agreement(DESIGNS[f"{style} / short"]) > least


@pytest.mark.slow
@given(st.integers(0, 7), st.sampled_from("LMQH"), st.floats(0.1, 0.6), st.sampled_from((DISC, WHITE_DISC)))
def test_an_appearance_holds_for_any_symbol_of_its_version(mask, level, share, content):
    design = logo(content, share)(Design(content=PAYLOADS["short"], version=5))
    one = drawn(design)
    appearance = appearance_of(design, one.pictures, one.symbol)
    other = drawn(design.replace(ec=level, mask=mask))
    seen = budget_of(sample(other.scene), other.symbol)
    assert (appearance.budget(other.symbol).wrong == seen.wrong).mean() > 0.98


@pytest.mark.parametrize("content", [DISC, WHITE_DISC], ids=["dark", "light"])
def test_free_pads_make_room_for_a_logo_of_half_the_width(content):
    design = logo(content, 0.5)(Design(content=PAYLOADS["short"], version=5))
    free = design.replace(pad_codewords="free")
    assert used(design) > 1 > 0.5 >= used(free)
    assert {"zxing-cpp", "quirc"} <= readers_of(free)


@pytest.mark.parametrize("style", STYLES)
def test_free_pads_never_use_more_than_standard_ones(style):
    design = DESIGNS[f"{style} / short"]
    assert used(design.replace(pad_codewords="free")) <= used(design) + 1e-9


def test_free_pads_follow_what_is_drawn():
    dark, light = (
        generate(logo(one, 0.5)(Design(content=PAYLOADS["short"], version=5, pad_codewords="free")))
        for one in (DISC, WHITE_DISC)
    )
    middle = slice(14, 23)
    darkness = [sum(sum(row[middle]) for row in image.symbol.modules[middle]) for image in (dark, light)]
    assert darkness[0] > 75 > 6 > darkness[1]


def test_a_design_that_nothing_lies_on_has_standard_pads():
    design = Design(content=PAYLOADS["short"], version=5)
    for one in (design, design.replace(modules=Modules(type="sprite", sprite="circle"))):
        assert generate(one.replace(pad_codewords="free")).symbol == generate(one).symbol


def test_the_same_design_gives_the_same_bytes():
    design = logo(DISC, 0.5)(Design(content=PAYLOADS["short"], version=5, pad_codewords="free"))
    assert generate(design).to_bytes("png") == generate(design.replace(size=8)).to_bytes("png")


@pytest.mark.parametrize("pads", ["iso", "free"])
@pytest.mark.parametrize("mask", range(8))
def test_a_mask_that_is_asked_for_is_used(pads, mask):
    design = logo(DISC, 0.3)(Design(content=PAYLOADS["short"], version=4, mask=mask, pad_codewords=pads))
    assert generate(design).symbol.mask == mask
    assert readers_of(design) or pads == "iso"


@pytest.mark.parametrize(("field", "value"), [("mask", 8), ("mask", -1), ("mask", "no"), ("pad_codewords", "none")])
def test_masks_and_pads_that_are_not_there_are_refused(field, value):
    with pytest.raises(InvalidParameter, match=field.split("_")[0]):
        Design(content="x", **{field: value})


def test_masks_and_pads_are_kept_in_json():
    design = Design(content="x", mask=0, pad_codewords="free")
    assert '"mask":0' in design.to_json()
    assert '"padCodewords":"free"' in design.to_json()
    assert Design.from_json(design.to_json()) == design
