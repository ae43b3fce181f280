"""Each part of a design that does damage is found as the cause of it, and no other is."""

import pickle
import re

import numpy as np
import pytest

from qrkit import Gradient, Layer, Modules, check
from qrkit.design.decoration import Sprite
from qrkit.drawing.untrusted.rasteriser import within
from qrkit.errors import RenderingFailed
from qrkit.scanning.budget import Cause
from qrkit.scanning.module_roles import module_codewords
from tests.drawing.pictures import filled
from tests.scanning.designs import all_eyes, dark_frame, plain, tiny_sprite, with_logo

WHITE, BLACK, GREY = (filled((grey, grey, grey, 255)) for grey in (255, 0, 128))


def causes(**fields) -> dict[str, Cause]:
    found = check(plain(**fields), "static").budget.causes
    assert len({one.path for one in found}) == len(found)
    return {one.path: one for one in found}


def grey_blanks() -> Modules:
    """Sprites that are drawn where modules are light."""
    return Modules(type="sprite", sprites=[Sprite(type="blank", width=8, height=8, content=GREY)])


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("layers.0", {"layers": [Layer(BLACK, x=100, y=100, width=50, height=40)]}),
        ("modules", {"modules": grey_blanks()}),
        ("markers.top_left", {"markers": {"top_left": {"pattern": "default", "inner_color": "white"}}}),
        ("markers.top_right", {"markers": {"top_right": {"pattern": "default", "outer_color": "white"}}}),
        ("markers.bottom_left", {"markers": {"bottom_left": {"pattern": "default", "opacity": 0.4}}}),
        ("wrapper", {"wrapper": dark_frame(), "background": "#00FFFFFF"}),
        ("foreground", {"foreground": Gradient.linear("black", "white", "white")}),
        ("background", {"background": Gradient.linear("white", "black", "black")}),
    ],
)
def test_the_part_that_does_the_damage_is_the_cause(path, fields):
    found = causes(**fields)
    assert list(found) == [path]
    budget = check(plain(**fields), "static").budget
    assert found[path].modules == budget.wrong.sum() > 0
    if sum(budget.errors):
        assert (found[path].codewords, found[path].share) == (sum(budget.errors), 1.0)
    else:
        assert (found[path].codewords, found[path].share) == (0, 0.0)


def test_each_layer_has_its_own_share_and_the_worst_comes_first():
    small, large = (Layer(BLACK, x=x, y=110, width=width, height=width) for x, width in ((72, 16), (120, 48)))
    found = causes(version=4, layers=[small, Layer(WHITE, x=0, y=0, width=9, height=9), large])
    assert list(found) == ["layers.2", "layers.0"]
    assert found["layers.2"].codewords > found["layers.0"].codewords > 0
    assert sum(one.share for one in found.values()) <= 1


def test_layers_and_pictures_keep_each_other():
    """What is left when the first of three is taken away are the second and third with their own pictures."""
    layers = [Layer(BLACK, x=120, y=120, width=40, height=40), Layer(WHITE, x=0, y=0, width=5, height=5)]
    found = causes(version=4, layers=[Layer(WHITE, x=4, y=4, width=5, height=5), *layers])
    assert list(found) == ["layers.1"]


def test_damage_that_each_of_two_does_alone_is_the_doing_of_neither():
    twice = [Layer(BLACK, x=100, y=100, width=50, height=40)] * 2
    report = check(plain(layers=twice), "static")
    assert report.budget.causes == ()
    assert report.budget.wrong.any()


def test_a_plain_design_has_no_causes():
    assert causes() == {}
    assert causes(modules=Modules(type="liquid"), markers=all_eyes("eye-7"), foreground="#0B3D91") == {}


def test_the_codewords_of_a_cause_are_those_that_only_it_makes_wrong():
    design = with_logo(0.3, ec="H")
    budget = check(design, "static").budget
    codewords = module_codewords(budget.symbol.version)
    assert budget.causes[0].codewords == len(np.unique(codewords[budget.wrong & (codewords >= 0)]))


def test_tiny_sprites_are_the_cause_of_pale_modules():
    assert "modules" in causes(modules=tiny_sprite(0.3))


def test_the_issue_names_the_cause():
    report = check(with_logo(0.45, ec="L"), "static")
    (issue,) = [one for one in report.issues if one.code == "error-budget"]
    assert issue.where == "layers.0"
    assert issue.message.startswith("layer 1 hides ")
    assert re.search(r"Make layer 1 \d+% smaller$", issue.message)


def test_causes_are_found_when_somebody_asks():
    """A report of little damage is made without drawing the design again, and its copy knows the same causes."""
    report = check(with_logo(0.2, ec="H", modules=Modules(type="sprite", sprite="circle")), "static")
    assert report.verdict == "robust"
    copy = pickle.loads(pickle.dumps(report))
    for budget in (report.budget, copy.budget):
        with within(0), pytest.raises(RenderingFailed):
            budget.causes  # noqa: B018
        assert [cause.path for cause in budget.causes] == ["layers.0"]
        with within(0):
            assert budget.as_dict()["causes"]  # they are kept


def test_a_design_that_readers_can_read_is_never_lost_whatever_its_logo_covers():
    design = with_logo(0.5, "https://example.com/covered", ec="Q", size=12, color="#6E6E6E")
    assert check(design, "static").budget.is_lost
    report = check(design, "quick")
    assert report.panel.rate == 1
    assert (report.verdict, report.budget.is_lost) == ("fragile", False)
    assert "no scanner" not in str(report)
