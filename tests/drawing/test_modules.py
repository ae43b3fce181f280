"""What stands for modules: squares, styles that look at their neighbours, sprites."""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Design, Markers, Role, Sprite, generate
from qrkit.design.limits import MODULE_TYPES, SPRITE_NAMES
from qrkit.design.outline import Scattered, circle
from qrkit.design.shapes.alignment import alignment_pattern
from qrkit.design.shapes.sprites import SPRITES
from qrkit.design.shapes.styles import STAMPS, STYLES
from qrkit.errors import InvalidParameter
from qrkit.server.statuses import status_of
from qrkit.symbol.symbol import alignment_patterns
from tests.design.shapes.pixels import coverage
from tests.drawing.pictures import BLACK, BLUE, GREEN, LINK, RED, WHITE, filled, has, inside, modules, pixels, roles

SIZE = 8
SCALE = 16

grids = st.integers(1, 7).flatmap(
    lambda width: st.lists(st.lists(st.booleans(), min_size=width, max_size=width), min_size=1, max_size=7)
)
some = settings(max_examples=40)


def drawn(style: str, grid: list[list[int]]) -> np.ndarray:
    """How much of each pixel a style covers: module row, module column, pixel row, pixel column."""
    found = coverage(Scattered(STYLES[style](tuple(map(bytes, grid)))), (0, 0, len(grid[0]), len(grid)), SCALE)
    return found.reshape(len(grid), SCALE, len(grid[0]), SCALE).swapaxes(1, 2)


def form(outline: object) -> np.ndarray:
    """The same of one module."""
    return coverage(outline, (0, 0, 1, 1), SCALE)


def assert_alike(found: np.ndarray, wanted: np.ndarray) -> None:
    assert np.abs(found - wanted).max() <= 0.1


def neighbour(grid: np.ndarray, row: int, column: int) -> bool:
    return 0 <= row < grid.shape[0] and 0 <= column < grid.shape[1] and bool(grid[row, column])


DISC = form(circle(0.5, 0.5, 0.5))
HALF = SCALE // 2
QUARTERS = {(-1, -1): np.s_[:HALF, :HALF], (-1, 1): np.s_[:HALF, HALF:], (1, -1): np.s_[HALF:, :HALF]}
QUARTERS[1, 1] = np.s_[HALF:, HALF:]


def test_each_style_has_its_name_in_the_limits():
    drawn = [*STYLES, *STAMPS, "default", "sprite"]
    assert sorted(drawn) == sorted(MODULE_TYPES), "a style is a row of STYLES or STAMPS, and a name in the limits"


@pytest.mark.rule("G10")
@given(grids)
@some
def test_a_corner_of_a_rounded_module_is_round_where_it_has_no_neighbour_on_both_sides(grid):
    """Open: what `rounded` means. Corners follow the neighbours: discs, bars with round ends, inner corners square."""
    found, cells = drawn("rounded", grid), np.array(grid)
    for (row, column), dark in np.ndenumerate(cells):
        for (down, across), quarter in QUARTERS.items():
            if not dark:
                wanted = np.zeros((HALF, HALF))
            elif neighbour(cells, row + down, column) or neighbour(cells, row, column + across):
                wanted = np.ones((HALF, HALF))
            else:
                wanted = DISC[quarter]
            assert_alike(found[row, column][quarter], wanted)


@pytest.mark.rule("G10")
def test_rounded_in_words():
    """Open: the same. A lone module is a disc, a run a bar with round ends, an inner corner is not rounded."""
    assert_alike(drawn("rounded", [[1]])[0, 0], DISC)
    left, middle, right = drawn("rounded", [[1, 1, 1]])[0]
    assert_alike(middle, np.ones((SCALE, SCALE)))
    assert_alike(left[:, :HALF], DISC[:, :HALF])
    assert_alike(right[:, HALF:], DISC[:, HALF:])
    corner = drawn("rounded", [[1, 1], [1, 0]])
    assert_alike(corner[0, 0][HALF:, HALF:], np.ones((HALF, HALF)))
    assert_alike(corner[1, 1], np.zeros((SCALE, SCALE)))


@given(grids)
@some
def test_liquid_is_rounded_with_inner_corners_filled(grid):
    """A corner of a light module is filled where both its neighbours and the module between them are dark."""
    rounded, liquid, cells = drawn("rounded", grid), drawn("liquid", grid), np.array(grid)
    for (row, column), dark in np.ndenumerate(cells):
        if dark:
            assert_alike(liquid[row, column], rounded[row, column])
            continue
        for (down, across), quarter in QUARTERS.items():
            places = ((row + down, column), (row, column + across), (row + down, column + across))
            filled_in = all(neighbour(cells, *place) for place in places)
            tip = liquid[row, column][0 if down < 0 else -1, 0 if across < 0 else -1]
            assert (tip > 0.5) == filled_in
            assert 0.01 * filled_in <= liquid[row, column][quarter].mean() <= 0.15 * filled_in + 0.01


@given(grids)
@some
def test_bars_join_rows_and_columns_join_columns(grid):
    bars, turned = drawn("bars", grid), drawn("columns", np.array(grid).T.tolist())
    assert_alike(bars, turned.transpose(1, 0, 3, 2))
    cells = np.array(grid)
    for (row, column), dark in np.ndenumerate(cells):
        found = bars[row, column]
        assert (found[HALF].min() > 0.9) == (
            dark and neighbour(cells, row, column - 1) and neighbour(cells, row, column + 1)
        )
        assert found[[0, -1]].max() < 0.3, "rows stay apart"
        assert (found[HALF, HALF] > 0.9) == dark


@pytest.mark.parametrize("style", STAMPS)
def test_dots_and_gapped_squares_are_alike_and_never_touch(style):
    image = generate(LINK, modules={"type": style}, size=20)
    found, dark = 1 - inside(image)[..., 0] / 255, modules(image)
    one, stamped = coverage(STAMPS[style], (0, 0, 1, 1), 20), ~np.isin(roles(image), [Role.FINDER, Role.ALIGNMENT])
    assert np.abs(found[dark & stamped] - one).max() <= 0.1
    assert found[~dark & stamped].max() == 0
    assert max(one[0].max(), one[-1].max(), one[:, 0].max(), one[:, -1].max()) == 0


@given(grids)
@some
def test_classy_rounds_upper_left_and_lower_right_corners_without_a_neighbour(grid):
    found, cells = drawn("classy", grid), np.array(grid)
    for (row, column), dark in np.ndenumerate(cells):
        for (down, across), quarter in QUARTERS.items():
            if not dark:
                wanted = np.zeros((HALF, HALF))
            elif down != across or neighbour(cells, row + down, column) or neighbour(cells, row, column + across):
                wanted = np.ones((HALF, HALF))
            else:
                wanted = DISC[quarter]
            assert_alike(found[row, column][quarter], wanted)


@given(grids)
@some
def test_classy_rounded_is_classy_with_rounder_corners(grid):
    sharper, found, cells = drawn("classy", grid), drawn("classy-rounded", grid), np.array(grid)
    for (row, column), dark in np.ndenumerate(cells):
        steps = ((-1, 0), (1, 0), (0, -1), (0, 1))
        is_alone = not any(neighbour(cells, row + down, column + across) for down, across in steps)
        if is_alone or not dark:
            assert_alike(found[row, column], sharper[row, column])
        assert (found[row, column] <= sharper[row, column] + 0.1).all()


GROUPED = ["bubbles", "lattice", "diagonal", "bricks", "crosses"]


@pytest.mark.parametrize("style", ["extra-rounded", "fluid", *GROUPED])
@given(grids)
@some
def test_smooth_styles_keep_the_middle_of_each_module(style, grid):
    """Readers sample the middle of a module; what is rounded off or filled in stays away from it."""
    middle = slice(round(0.4 * SCALE), round(0.6 * SCALE))
    found, cells = drawn(style, grid)[:, :, middle, middle], np.array(grid).astype(bool)
    assert (found[cells] > 0.9).all() and (found[~cells] < 0.1).all()


def test_bubbles_and_crosses_span_several_modules():
    disc, ring = [[0, 1, 0], [1, 1, 1], [0, 1, 0]], [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    for grid, is_filled in ((disc, True), (ring, False)):
        found = drawn("bubbles", grid)
        assert (found[1, 1][HALF, HALF] > 0.9) == is_filled
        assert found[0, 0][-2, -2] > 0.9, "it is round"
    assert_alike(
        drawn("bubbles", [[1, 1], [1, 1]]).swapaxes(1, 2).reshape(2 * SCALE, -1),
        coverage(circle(1, 1, 0.97), (0, 0, 2, 2), SCALE),
    )
    cross = drawn("crosses", [[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    assert cross[0, 0][-1, -1] > 0.9, "its arms are in one piece"


def test_lines_join_neighbors_in_their_directions():
    row, slant = [[1, 1]], [[0, 1], [1, 0]]
    assert drawn("lattice", row)[0, 0][HALF, -1] > 0.9
    assert drawn("lattice", [[1], [1]])[0, 0][-1, HALF] > 0.9
    assert drawn("lattice", slant)[0, 1][-1, 0] < 0.1
    assert drawn("diagonal", slant)[0, 1][-1, 0] > 0.9
    assert drawn("diagonal", row)[0, 0][3, -1] < 0.1


@pytest.mark.parametrize("paint", ["#0000FF", "#800000FF"])
def test_bricks_are_pale_where_modules_are_light(paint):
    image = generate(LINK, modules={"type": "bricks"}, size=SIZE, foreground=paint)
    data = roles(image) == Role.DATA
    red = inside(image)[..., SIZE // 2, SIZE // 2, 0] / 255
    ink = 1 if paint == "#0000FF" else 128 / 255
    assert np.abs(red[data & ~modules(image)] - (1 - 0.12 * ink)).max() < 0.01
    assert np.abs(red[data & modules(image)] - (1 - ink)).max() < 0.01


def test_extra_rounded_corners_are_the_rounder_the_larger_an_area_is():
    one, two, four = (drawn("extra-rounded", np.ones((side, side), int).tolist()) for side in (1, 2, 4))
    assert_alike(one[0, 0], DISC)
    assert_alike(two.swapaxes(1, 2).reshape(2 * SCALE, -1), coverage(circle(1, 1, 1), (0, 0, 2, 2), SCALE))
    assert four[0, 0].mean() < two[0, 0].mean()


def test_fluid_bridges_corners_and_extra_rounded_does_not():
    grid = [[1, 0], [0, 1]]
    at = np.s_[[0, 0, 1, 1], [0, 1, 0, 1], [-1, -1, 0, 0], [-1, 0, -1, 0]]
    assert (drawn("fluid", grid)[at] > 0.9).all()
    assert (drawn("extra-rounded", grid)[at] < 0.1).all()


@pytest.mark.parametrize("style", [one for one in MODULE_TYPES if one != "default"])
@pytest.mark.parametrize("version", [2, 7])
def test_alignment_patterns_are_one_piece_in_every_style_but_plain_squares(style, version):
    """Phones look for them. Neighbors may touch the ring, but it is never made of dots or sprites."""
    fields = {"type": style, "sprite": "star" if style == "sprite" else None}
    image = generate(LINK, version=version, modules=fields, size=SCALE, foreground="#0000FF")
    found = 1 - inside(image)[..., 0] / 255
    wanted = coverage(alignment_pattern(style), (0, 0, 5, 5), SCALE).reshape(5, SCALE, 5, SCALE).swapaxes(1, 2)
    for row, column in alignment_patterns(version):
        pattern = found[row - 2 : row + 3, column - 2 : column + 3]
        assert (pattern >= wanted - 0.1).all(), "nothing of it is missing"
        assert np.abs(pattern[1:4, 1:4] - wanted[1:4, 1:4]).mean() < 0.03, "its light ring stays light"


def test_patterns_are_solid_beside_sprites_of_ones_own_in_the_foreground():
    image = sprited(stamp(RED), foreground="#0000FF")
    pattern = roles(image) == Role.ALIGNMENT
    assert not has(inside(image), RED)[pattern].any()
    assert has(inside(image), BLUE)[pattern].sum() > 6 * 8


@pytest.mark.rule("G10")
@pytest.mark.parametrize("name", SPRITE_NAMES)
def test_a_predefined_sprite_stands_for_every_dark_module_outside_finder_and_alignment_patterns(name):
    """Open: what sprites replace. Timing patterns as well; finder patterns never, and alignment patterns are solid."""
    image = generate(LINK, version=2, modules={"type": "sprite", "sprite": name}, size=10)
    finder, alignment = roles(image) == Role.FINDER, roles(image) == Role.ALIGNMENT
    stamps = np.argwhere(modules(image) & ~finder & ~alignment)
    outline = SPRITES[name].joined(SPRITES[name].placed(column, row) for row, column in stamps)
    outline += alignment_pattern("sprite").placed(16, 16)
    wanted = coverage(outline, (0, 0, len(finder), len(finder)), 10)
    wanted = np.maximum(wanted, (modules(image) & finder).repeat(10, axis=0).repeat(10, axis=1))
    found = 1 - pixels(image)[40:-40, 40:-40, 0] / 255
    assert np.abs(found - wanted).max() <= 0.25
    assert np.abs(found - wanted).mean() <= 0.015


@pytest.mark.rule("G10")
def test_sprite_wins_over_sprites():
    """Open: which wins (a fact), and what of pictures that nobody sees: they are not even read."""
    broken = Sprite(content="data:image/png;base64,AAAA", width=8, height=8)
    one = generate(LINK, modules={"type": "sprite", "sprite": "star", "sprites": [broken]})
    assert one.to_bytes() == generate(LINK, modules={"type": "sprite", "sprite": "star"}).to_bytes()


@pytest.mark.rule("G10")
def test_an_unknown_sprite_gets_the_list():
    """Open: what an unknown name does. 400, with all names there are."""
    with pytest.raises(InvalidParameter) as caught:
        Design(content=LINK, modules={"type": "sprite", "sprite": "cirle"})
    assert (caught.value.name, status_of(caught.value)) == ("modules.sprite", 400)
    names, _, advice = caught.value.rule.partition("; ")
    assert (re.findall(r"'([\w-]+)'", names), advice) == (list(SPRITE_NAMES), "did you mean 'circle'?")


def stamp(color: tuple[int, int, int, int], type: str = "fill", width: float = SIZE, height: float = SIZE) -> Sprite:
    return Sprite(content=filled(color), width=width, height=height, type=type)


def sprited(*sprites: Sprite, version: int = 7, **fields):
    return generate(LINK, version=version, modules={"type": "sprite", "sprites": sprites}, **fields)


@pytest.mark.rule("G11")
@pytest.mark.parametrize("type", ["fill", "blank", "padding", "both"])
@pytest.mark.parametrize("padding", [0, 1, 4])
def test_each_type_of_sprite_lands_on_its_cells(type, padding):
    """Open: which cells are meant. Dark modules, light ones inside the symbol, the quiet zone, the latter two.

    Light modules in and around finder and alignment patterns stay free: readers find a symbol by them.
    """
    image = sprited(stamp(RED, type), padding=padding)
    symbol, role = modules(image), roles(image)
    free = ~np.isin(role, [Role.FINDER, Role.SEPARATOR, Role.ALIGNMENT])
    dark, light = symbol & free, ~symbol & free
    quiet = np.pad(np.zeros_like(symbol), padding, constant_values=True)
    wanted = {
        "fill": np.pad(dark, padding),
        "blank": np.pad(light, padding),
        "padding": quiet,
        "both": quiet | np.pad(light, padding),
    }[type]
    found = pixels(image)
    cells = found.reshape(len(quiet), SIZE, len(quiet), SIZE, 4).swapaxes(1, 2)
    assert np.array_equal(has(cells, RED), wanted)
    elsewhere = ~wanted & ~np.pad(role == Role.ALIGNMENT, padding)
    assert np.array_equal(has(cells, BLACK) & elsewhere, np.pad(symbol, padding) & elsewhere)
    assert np.array_equal(has(cells, WHITE) & elsewhere, ~np.pad(symbol, padding) & elsewhere)


@pytest.mark.rule("G11")
def test_sprites_of_several_types_share_a_picture():
    """Open: whether types may be mixed. They may, each on its own cells."""
    image = sprited(stamp(RED), stamp(GREEN, "blank"), stamp(BLUE, "padding"), padding=2)
    found = has(inside(image), GREEN)
    patterns = 3 * 33 + 6 * 17
    assert has(inside(image), RED).sum() + patterns == modules(image).sum(), "all but finder and alignment patterns"
    assert found.any() and not (found & modules(image)).any()
    assert (pixels(image)[: 2 * SIZE] == BLUE).all()


@pytest.mark.rule("G10")
@pytest.mark.parametrize(("width", "height"), [(4, 2), (8, 8), (2, 6), (12, 4)])
def test_a_sprite_has_its_size_in_pixels_and_is_centred_on_its_module(width, height):
    """Open: the unit of a sprite's size. Pixels of the output, whatever the size of its module."""
    image = sprited(stamp(RED, width=width, height=height), size=10, version=2)
    alone = next(
        (row, column)
        for row, column in np.argwhere(modules(image) & (roles(image) != Role.FINDER))
        if modules(image)[row - 1 : row + 2, column - 1 : column + 2].sum() == 1
    )
    top, left = (10 * (index + 4) - 5 for index in alone)
    found = (pixels(image)[top : top + 20, left : left + 20] == RED).all(axis=-1)
    wanted = np.zeros((20, 20), dtype=bool)
    wanted[10 - height // 2 : 10 + height // 2, 10 - width // 2 : 10 + width // 2] = True
    assert np.array_equal(found, wanted)


def test_an_icon_as_a_sprite_takes_the_foreground():
    icon = Sprite(content="icon:square", width=16, height=16)
    image = sprited(icon, foreground="#FF0000", size=16)
    middles = inside(image)[:, :, 8, 8]
    assert (middles[modules(image)] == RED).all()
    assert (middles[~modules(image)] == WHITE).all()


def picked(image) -> np.ndarray:
    """0, 1 or 2 for each dark module outside finder patterns: which of three sprites it got."""
    found = np.array([has(inside(image), color) for color in (RED, GREEN, BLUE)])
    free = modules(image) & ~np.isin(roles(image), [Role.FINDER, Role.ALIGNMENT])
    assert np.array_equal(found.sum(axis=0), free)
    return found.argmax(axis=0)[free]


SPRITES_BY_CHANCE = (stamp(RED), stamp(GREEN), stamp(BLUE))


@pytest.mark.rule("G9")
def test_chance_picks_every_sprite_about_equally_often_and_as_the_seed_says():
    """Open: what "picked randomly" means. By a digest of content and seed: a cached picture must not change."""
    first = picked(sprited(*SPRITES_BY_CHANCE))
    counts = np.bincount(first, minlength=3)
    assert counts.min() > 0.8 * counts.mean()
    assert (first[1:] == first[:-1]).mean() < 0.45, "neighbours do not follow each other"
    again = picked(sprited(*SPRITES_BY_CHANCE, padding=1, background="#FEFEFE"))
    assert np.array_equal(first, again), "only content and seed decide"
    seeds = [
        picked(generate(LINK, version=7, modules={"type": "sprite", "sprites": SPRITES_BY_CHANCE, "seed": seed}))
        for seed in (0, 1, -1)
    ]
    assert np.array_equal(seeds[0], first)
    assert all((one != other).mean() > 0.5 for one, other in ((first, seeds[1]), (first, seeds[2]), seeds[1:]))


@pytest.mark.rule("G9")
def test_chance_picks_the_same_in_another_process():
    """Open: the same. No process has chance of its own."""
    image = sprited(*SPRITES_BY_CHANCE)
    program = "import hashlib, sys, qrkit; design = qrkit.Design.from_json(sys.stdin.read())\n"
    program += "print(hashlib.sha256(qrkit.generate(design).to_bytes()).hexdigest())"
    run = subprocess.run(
        [sys.executable, "-c", program],
        input=image.design.to_json(),
        env={"PYTHONHASHSEED": "7", "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == hashlib.sha256(image.to_bytes()).hexdigest()


PALETTE = {"#FF0000": RED, "#00FF00": GREEN, "#0000FF": BLUE}


def varied(type: str = "gapped", **fields):
    return generate(LINK, version=7, size=20, modules={"type": type, "palette": list(PALETTE), **fields})


def colours(image) -> np.ndarray:
    """0, 1 or 2 for each dark module outside patterns: its colour in the palette, or -1."""
    middles = inside(image)[:, :, 10, 10]
    free = modules(image) & ~np.isin(roles(image), [Role.FINDER, Role.ALIGNMENT])
    found = np.array([(middles == color).all(axis=-1) for color in PALETTE.values()])
    return np.where(found.any(axis=0), found.argmax(axis=0), -1)[free]


@pytest.mark.parametrize(("type", "sprite"), [("gapped", None), ("dots", None), ("sprite", "diamond")])
def test_each_module_has_a_colour_of_the_palette_by_chance_and_the_seed(type, sprite):
    first = colours(varied(type, sprite=sprite))
    counts = np.bincount(first, minlength=3)
    assert first.min() == 0 and counts.min() > 0.8 * counts.mean()
    assert np.array_equal(first, colours(varied(type, sprite=sprite, union=True)))
    assert (first != colours(varied(type, sprite=sprite, seed=1))).mean() > 0.5


def test_finder_and_alignment_patterns_have_the_first_colour_of_the_palette():
    image = varied()
    middles, dark = inside(image)[:, :, 10, 10], modules(image) & np.isin(roles(image), [Role.FINDER, Role.ALIGNMENT])
    assert (middles[dark] == RED).all()
    marked = generate(image.design.replace(markers=Markers.all("default", outer_color="blue")))
    assert tuple(inside(marked)[0, 0, 10, 10]) == BLUE


def test_each_module_has_a_width_between_the_two_sizes():
    image = varied(palette=[], sizes=(0.6, 1))
    free = modules(image) & ~np.isin(roles(image), [Role.FINDER, Role.ALIGNMENT])
    widths = 1 - inside(image)[free][:, 10, :, 0].mean(axis=-1) / 255
    assert sorted(set(widths.round(2).tolist())) == [0.6, 0.7, 0.8, 0.9, 1.0]
    assert np.bincount((widths * 10).round().astype(int))[6:].min() > 0.15 * free.sum()
    even = varied(palette=[], sizes=(0.75, 0.75))
    assert set((1 - inside(even)[free][:, 10, :, 0].mean(axis=-1) / 255).round(2).tolist()) == {0.75}


def test_many_looks_take_few_items():
    assert len(varied(sizes=(0.8, 1)).scene.items) <= 3 * 5 + 1 + 1 + 6


@pytest.mark.parametrize("type", MODULE_TYPES)
def test_an_svg_is_by_default_as_small_as_it_can_be(type):
    fields = {"type": type, "sprite": "star" if type == "sprite" else None}
    default, apart, together = (
        len(generate(LINK, modules=fields | union).to_bytes("svg")) for union in ({}, {"union": False}, {"union": True})
    )
    assert default == min(apart, together)


@pytest.mark.parametrize("type", MODULE_TYPES)
def test_as_one_shape_modules_look_the_same(type):
    """`union` changes how a vector file is built, not what it shows."""
    fields = {"type": type, "sprite": "star" if type == "sprite" else None}
    apart, together = (generate(LINK, modules=fields | {"union": union}) for union in (False, True))
    assert np.abs(pixels(apart, "svg") - pixels(together, "svg")).max() <= 96
    assert np.abs(pixels(apart, "svg") - pixels(together, "svg")).mean() <= 0.5
    assert apart.to_bytes() == together.to_bytes()
    # The alignment pattern is a shape of its own, unless the modules join it.
    is_apart = type in ("sprite", *STAMPS, "bricks")  # and pale bricks are one, too
    assert together.to_bytes("svg").count(b"<path") == 1 + is_apart + 6 * (type != "default")
    assert b"<use" not in together.to_bytes("svg")
