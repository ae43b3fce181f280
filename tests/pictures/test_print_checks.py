"""What to know before printing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit import Design
from qrkit.pictures.image import QRImage
from qrkit.pictures.print_checks import print_checks

TEXT = "https://example.com/spring/2026?poster=12"


def texts(image, printed=None, *, is_good):
    return [check.text for check in print_checks(image, printed) if check.is_good == is_good]


@given(st.integers(0, 8))
def test_the_quiet_zone_is_what_the_standard_asks_for(padding):
    image = QRImage(Design(content=TEXT, padding=padding))
    (text,) = texts(image, is_good=padding >= 4)
    assert text.startswith(f"Quiet zone: {padding or 'none'}")


def test_micro_codes_need_two_modules():
    assert texts(QRImage(Design(content="12345", micro=True, padding=2)), is_good=False) == []


def test_a_transparent_background_needs_light_paper():
    assert any(
        "light paper" in text for text in texts(QRImage(Design(content=TEXT, background="transparent")), is_good=False)
    )
    assert texts(QRImage(Design(content=TEXT)), is_good=False) == []


@pytest.mark.parametrize(("mm", "is_good"), [(10, False), (60, True)])
def test_modules_are_large_enough_for_phones(mm, is_good):
    image = QRImage(Design(content=TEXT))
    printed = image.print_at(mm, dpi=600)
    assert any("odules of" in text or "each module (" in text for text in texts(image, printed, is_good=is_good))
    if not is_good:
        (least,) = (text.split()[-3] for text in texts(image, printed, is_good=False))
        again = image.print_at(float(least) + 1, dpi=600)
        assert texts(image, again, is_good=False) == []


@given(st.floats(20, 200))
def test_a_symbol_of_25_modules_reads_from_ten_times_its_width(mm):
    image = QRImage(Design(content="https://example.com", version=2, padding=0))
    printed = image.print_at(mm)
    assert printed.reach_mm == pytest.approx(10 * printed.width_mm)
