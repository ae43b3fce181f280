from itertools import combinations

import numpy as np
import pytest

from qrkit.design.limits import SPRITE_NAMES
from qrkit.design.outline import Outline
from qrkit.design.shapes.sprites import SPRITES
from tests.design.shapes.pixels import coverage, dark

SCALE = 100
CELL = (0, 0, 1, 1)
OF_THE_INTERFACE = ["circle", "diamond", "diamond2", "five", "four", "plus", "six", "smiley", "star", "triangle", "x"]

JOINED = ("diamond", "diamond2", "plus", "star")
"""Sprites that overlap their neighbours."""

each_sprite = pytest.mark.parametrize("name", SPRITES)


def across_cell() -> np.ndarray:
    """Distance of every pixel of a cell from its middle."""
    places = (np.arange(SCALE) + 0.5) / SCALE - 0.5
    return np.hypot(places[:, None], places[None, :])


def turned_areas(outline: Outline) -> list[float]:
    """Signed area of each subpath, by its corners: one sign for those that fill, the other for holes."""
    areas = []
    points: list[tuple[float, ...]] = []
    for letter, numbers in outline.segments:
        if letter == "Z":
            pairs = zip(points, points[1:] + points[:1], strict=True)
            areas.append(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairs) / 2)
            points = []
        else:
            points.append(numbers[-2:])
    return areas


def test_names_are_those_of_the_interface_in_its_order_then_more_of_ours_by_the_alphabet():
    ours = list(SPRITES)[len(OF_THE_INTERFACE) :]
    assert list(SPRITES) == OF_THE_INTERFACE + sorted(ours)


def test_each_sprite_has_its_name_in_the_limits():
    assert tuple(SPRITES) == SPRITE_NAMES, "a sprite is a row of SPRITES and a name of limits._SpriteName, in one order"


@each_sprite
def test_sprite_stays_apart_from_its_neighbours_or_truly_joins_them(name):
    """Sprites that only touch look smudged: they share a grey pixel at every join."""
    row = coverage(SPRITES[name] + SPRITES[name].placed(1, 0), (0, 0, 2, 1), SCALE)
    join = row[:, SCALE - 2 : SCALE + 2].max(axis=1).sum() / SCALE
    assert (join >= 0.05) if name in JOINED else (join == 0)
    left, top, right, bottom = SPRITES[name].box()
    assert min(left, top) >= -0.13 and max(right, bottom) <= 1.13
    assert name in JOINED or max(right - left, bottom - top) <= 0.955


@each_sprite
def test_sprite_is_dark_in_the_middle(name):
    assert dark(SPRITES[name], CELL, SCALE)[across_cell() < 0.2].all()


@each_sprite
def test_sprites_have_about_the_same_ink(name):
    ink = coverage(SPRITES[name], (-0.5, -0.5, 2, 2), SCALE).sum() / SCALE**2
    assert 0.55 <= ink <= 0.7


@each_sprite
def test_sprite_has_its_weight_in_the_middle(name):
    picture = coverage(SPRITES[name], (-0.5, -0.5, 2, 2), SCALE)
    places = (np.arange(2 * SCALE) + 0.5) / SCALE - 0.5
    across, down = (picture.sum(axis=axis) @ places / picture.sum() for axis in (0, 1))
    assert (across, down) == pytest.approx((0.5, 0.5), abs=0.01)


def test_sprites_differ_to_the_eye():
    pictures = {name: dark(SPRITES[name], CELL, SCALE) for name in SPRITES}
    alike = [pair for pair in combinations(SPRITES, 2) if (pictures[pair[0]] ^ pictures[pair[1]]).mean() < 0.04]
    assert alike == []


@each_sprite
def test_all_that_fills_runs_the_same_way_round(name):
    """Writers may join the sprites of many modules in one path: neighbours that overlap must not cut holes."""
    against = [area for area in turned_areas(SPRITES[name]) if area <= 0]
    assert len(against) == (3 if name == "smiley" else 0)


def test_smiley_has_two_eyes_and_a_mouth():
    face = dark(SPRITES["smiley"], CELL, SCALE)
    assert not face[27, 33]
    assert not face[27, 67]
    assert not face[82, 50]


@each_sprite
def test_left_and_right_are_alike(name):
    picture = coverage(SPRITES[name], CELL, SCALE)
    assert np.abs(picture - picture[:, ::-1]).mean() < 0.006


@pytest.mark.parametrize("name", ["circle", "diamond", "diamond2", "four", "plus", "x"])
def test_sprites_of_four_parts_look_the_same_when_turned(name):
    picture = coverage(SPRITES[name], CELL, SCALE)
    assert np.abs(picture - np.rot90(picture)).mean() < 0.006
