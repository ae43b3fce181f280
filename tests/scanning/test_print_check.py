"""A photo is compared with the design that was printed."""

import numpy as np
import pytest

from qrkit import Brand, Design, check
from qrkit.errors import InvalidParameter, NoSymbol
from qrkit.presets import with_preset
from tests.scanning.captures import CAPTURES, flat, photo, stained, torn
from tests.sweeps import quick_first

INK = Brand("H", ink="#1B2A49").design("https://exmpl.co/menu")
LOGO = INK.with_logo("icon:coffee", 0.18, padding=0.5)
HAND = CAPTURES[0]


@pytest.mark.parametrize("capture", quick_first(CAPTURES, 1), ids=lambda capture: capture.name)
def test_a_print_as_designed_is_good_whatever_its_logo(capture):
    report = check(photo(flat(LOGO), capture), design=LOGO)
    assert (report.photo.verdict, report.photo.budget.wrong.sum(), report.photo.logo) == ("good", 0, None)
    assert report.photo.is_compared


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bubble", "fluid", "mosaic", "neon", "orbit", "photo", "seal"])
def test_presets_are_good_as_designed(name):
    design = with_preset(Design(content="https://exmpl.co/x7"), name)
    for seed in range(3):
        assert check(photo(flat(design), HAND, seed), design=design).photo.verdict == "good"


def test_damage_beside_the_logo_is_told():
    damaged = stained(flat(LOGO), np.random.default_rng(2))
    report = check(photo(damaged, HAND), design=LOGO)
    assert report.photo.verdict in ("weak", "bad")
    assert "not as designed" in str(report)


def test_a_print_that_nothing_reads_is_compared():
    design = Design(content="https://example.com/menu", ec="L")
    taken = photo(torn(flat(design), np.random.default_rng(0)), HAND)
    with pytest.raises(NoSymbol, match="a QR Code was found, but no reader can read it"):
        check(taken)
    report = check(taken, design=design)
    assert (report.photo.verdict, report.issues[0].code, report.content) == ("bad", "error-budget", design.content)
    assert report.photo.budget.used > 1


def test_the_photo_of_another_code_is_refused():
    other = Design(content="https://example.com/other")
    with pytest.raises(InvalidParameter, match="must be the design that was printed; the photo shows 'https://exm"):
        check(photo(flat(LOGO), HAND), design=other)
    with pytest.raises(InvalidParameter, match="the photo shows the same content in other modules"):
        check(photo(flat(LOGO), HAND), design=Design(content=LOGO.content, ec="L"))


@pytest.mark.parametrize("subject", [LOGO, b"no photo"], ids=["design", "text"])
def test_a_design_is_compared_with_photos_only(subject):
    with pytest.raises(InvalidParameter, match="must be a Design, the one that the photo shows"):
        check(subject, design=LOGO if subject is LOGO else "brand.json")
