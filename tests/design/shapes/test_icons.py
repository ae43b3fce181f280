import re

import pytest

from qrkit.design.shapes.icons import icon, icon_names
from qrkit.errors import InvalidParameter
from qrkit.server.statuses import status_of
from tests.design.shapes.pixels import dark

BOX = (0, 0, 24, 24)


def test_names_are_plain_sorted_and_many():
    names = icon_names()
    assert len(names) > 7000
    assert list(names) == sorted(set(names))
    assert [name for name in names if not re.fullmatch("[a-z0-9-]+", name)] == []


def test_every_icon_is_a_closed_form_in_its_box():
    odd = []
    for name in icon_names():
        outline = icon(name)
        left, top, right, bottom = outline.box()
        inside = min(left, top) > -2 and max(right, bottom) < 27
        letters = [letter for letter, _ in outline.segments]
        if not inside or letters[0] != "M" or letters[-1] != "Z" or letters.count("M") != letters.count("Z"):
            odd.append(name)
    assert odd == []


@pytest.mark.parametrize(
    ("name", "filled", "empty"),
    [("square", (12, 12), (1, 1)), ("square-outline", (4, 12), (12, 12)), ("circle", (12, 12), (3, 3))],
)
def test_icons_look_as_they_are_called(name, filled, empty):
    picture = dark(icon(name), BOX, 10)
    assert picture[filled[1] * 10, filled[0] * 10]
    assert not picture[empty[1] * 10, empty[0] * 10]


def test_same_name_gives_the_same_outline():
    assert icon("heart") is icon("heart")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hearts", "icon='hearts': is not an icon; did you mean 'heart'"),
        ("Heart", "did you mean 'heart'"),
        ("../heart", "is not an icon"),
        (
            "shop",
            "is not an icon; there are 'shopping', 'shopping-music', 'shopping-outline', 'shopping-search' and 1 more",
        ),
        ("heart.svg", "is not an icon"),
        ("", "7447 names are allowed"),
    ],
)
def test_unknown_icon_is_refused_with_near_names(name, said):
    with pytest.raises(InvalidParameter, match=re.escape(said)) as caught:
        icon(name)
    assert (status_of(caught.value), caught.value.name, caught.value.value) == (400, "icon", name)


def test_icons_are_found_by_a_part_of_their_name():
    found = icon_names("Store")
    assert {"store", "storefront"} <= set(found)
    assert all("store" in name for name in found)
    assert found == tuple(sorted(found))
    assert icon_names("no such thing") == ()
    assert len(icon_names()) == 7_447
