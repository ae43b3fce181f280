"""What the parts of a design are called in sentences for people."""

import re

import pytest

from qrkit import Design, Layer, Markers
from qrkit.scanning import check
from qrkit.scanning.part_names import eyes_name, part_name
from tests.sweeps import quick_first

HEARTS = Design(
    content="https://example.com",
    layers=[
        Layer("icon:heart", x=90, y=90, width=90, height=90),
        Layer("icon:heart", x=9, y=9, width=30, height=30, name="heart " * 9),
    ],
)
LOGO = Design(content="https://example.com").with_logo("icon:heart", 0.5)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("layers.0", "layer 1"),
        ("layers.1", f"layer 2 (“{('heart ' * 9)[:29]}…”)"),
        ("markers.top_left", "the top-left eye"),
        ("modules", "the shape of the modules"),
        ("photo", "the photo"),
    ],
)
def test_part_has_the_name_that_people_see(path, name):
    assert part_name(path, HEARTS) == name


def test_logo_and_its_plate_are_one_thing():
    assert {part_name(f"layers.{index}", LOGO) for index in range(len(LOGO.layers))} == {"the logo"}


def test_eyes_are_named_together():
    assert eyes_name(["top_left", "bottom_left"]) == "the top-left and bottom-left eyes"
    assert eyes_name(["top_left", "top_right", "bottom_left"]) == "all three eyes"


@pytest.mark.parametrize("design", quick_first([HEARTS, LOGO, LOGO.replace(padding=0, markers=Markers.all("star"))]))
def test_sentences_never_show_a_path(design):
    report, repair = check(design, "static"), design.make_scannable(level="static")
    sentences = [issue.message for issue in report.issues] + [change.message for change in repair.changes]
    assert sentences
    assert [one for one in sentences if re.search(r"layers\.|markers|top_left|block|codeword", one)] == []
