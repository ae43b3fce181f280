"""What is told before printing, and that each fix is enough."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit import Design, generate
from qrkit.errors import InvalidParameter
from qrkit.pictures.image import QRImage
from qrkit.pictures.preflight import known_findings
from qrkit.pictures.printing import PrintSize

LINK = "https://example.com"


def told(size_mm=40, *, dpi=None, distance_m=None, material=None, key_black=False, **fields):
    image = QRImage(Design(**{"content": LINK} | fields))
    how = {"dpi": dpi, "distance_m": distance_m, "material": material, "key_black": key_black}
    return {finding.code: finding for finding in image.preflight(size_mm, **how)}


def number(finding):
    return float(re.search(r"(\d+\.?\d*) mm", finding.fix)[1])


def test_nothing_is_told_of_a_good_print():
    assert told(40, dpi=2400, distance_m=0.2, material="coated", key_black=True) == {}


@given(st.floats(5, 60), st.none() | st.floats(0.05, 5), st.none() | st.sampled_from([203, 300, 600, 1200]))
def test_the_width_that_a_fix_names_is_enough(size_mm, distance_m, dpi):
    how = {"distance_m": distance_m, "dpi": dpi}
    found = told(size_mm, **how)
    for code in ("module-size", "printer-dots"):
        if code in found:
            assert code not in told(number(found[code]), **how)


@pytest.mark.parametrize("size_mm", [8, 60])
def test_tills_ask_for_modules_of_their_own(size_mm):
    item = "https://id.example.com/01/09506000134352/21/7"
    finding = told(size_mm, content=item)["till-module-size"]
    for width in re.search(r"print it (\d+) to (\d+) mm wide", finding.fix).groups():
        assert "till-module-size" not in told(float(width), content=item)
    assert "till-module-size" not in told(size_mm)


def test_dots_matter_while_modules_have_few():
    assert told(40, dpi=300).keys() == set()
    assert told(20, dpi=300)["printer-dots"].text.startswith("modules are 7.2 dots wide at 300 dpi")


@pytest.mark.parametrize(("padding", "severity"), [(0, "error"), (2, "warning"), (3, "warning")])
def test_a_quiet_zone_may_be_too_narrow(padding, severity):
    finding = told(padding=padding)["quiet-zone"]
    module = 40 / (25 + 2 * padding)
    assert (finding.severity, number(finding)) == (severity, pytest.approx((4 - padding) * module, abs=0.05))


def test_letters_have_five_points_at_the_width_that_is_told():
    frame = {"kind": "bar", "caption": "Scan to see the whole menu"}
    finding = told(14, frame=frame)["small-text"]
    assert "small-text" not in told(number(finding), frame=frame)
    assert "small-text" in told(number(finding) - 1, frame=frame)
    assert "small-text" not in told(5)


@pytest.mark.parametrize("kind", ["seal", "stamp", "ticket", "card"])
def test_frames_that_a_straight_cut_makes_rectangles_are_told(kind):
    image = generate("https://example.com", frame=kind, warn=False)
    codes = [[one.code for one in known_findings(image, PrintSize(size_mm=60, bleed_mm=mm))] for mm in (0, 3)]
    assert codes == [[], [] if kind == "card" else ["cut-shape"]]


def test_contrast_is_that_of_ink_on_its_stock():
    pale = told(foreground="#777777")["contrast"]
    assert (pale.severity, pale.fix) == ("error", "print the modules in black, for 88%")
    assert "white field" in told(material="dark", background="transparent")["contrast"].fix
    assert told(material="kraft", key_black=True)["contrast"].severity == "warning"
    assert "contrast" not in told(material="dark", key_black=True)


def test_light_codes_on_dark_stock_are_reversed():
    light = {"foreground": "#FFFFFF", "background": "transparent"}
    assert told(material="dark", key_black=True, **light).keys() == {"reversed"}
    assert told(foreground="#FFFFFF", background="#000000").keys() == {"reversed"}
    assert told(material="dark", key_black=True)["white-ink"].severity == "note"


def test_ink_and_mixed_black_are_told_for_a_press():
    assert told(foreground="#000030").keys() == set()
    assert "add up to 281%, and newsprint stock takes 240%" in str(
        told(material="newsprint", foreground="#000030")["total-ink"]
    )
    assert "rich-black" in told(material="coated")
    assert "rich-black" in told(material="coated", foreground="#111111", key_black=True)
    small = told(14, material="coated")["rich-black"]
    assert (small.severity, "24% of a module" in small.text) == ("warning", True)


def test_a_decorated_code_is_measured_where_its_modules_lie():
    image = generate(LINK, preset="bubble", caption="Menu", warn=False)
    assert [one.code for one in image.preflight(60)] == []
    flipped = QRImage(Design(content=LINK, flip="horizontal", foreground="#102030"))
    assert flipped.preflight(60) == []


def test_what_cannot_be_asked_is_refused():
    for wrong in ({"size_mm": 1}, {"dpi": 7}, {"distance_m": 0}, {"material": "coatd"}):
        with pytest.raises(InvalidParameter, match=next(iter(wrong))):
            generate(LINK).preflight(**({"size_mm": 40} | wrong))
