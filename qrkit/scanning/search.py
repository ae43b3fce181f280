"""Searches for steps that make a design scan.

First, the symbol is made readable without its layers: colors, quiet zone, eyes, weight of modules. Then backdrops are
made as faint as necessary, and the search finds room for the harmful layers. For each place, version and size of these
layers, two drawings suffice to compare all masks, error correction levels and pad codewords by arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from qrkit.design.color import WHITE
from qrkit.design.decoration import Layer, Markers, Modules
from qrkit.design.design import Design
from qrkit.drawing.resizing import layout_of
from qrkit.scanning import fixes
from qrkit.scanning.bench import Bench, State, Step
from qrkit.scanning.levers import Lever, centred, fainter, moved, resized
from qrkit.scanning.scan_report import Issue
from qrkit.scanning.symbol_steps import sufficient_symbols

MOST_VERSIONS = 6
"""Number of higher versions to try."""
SHIFTS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1), (2, 0), (-2, 0), (0, 2), (0, -2))
"""Modules to the right and down by which layers are moved."""
SHIFT_GAIN = 0.2
"""Largest share of the worst block's error correction that moving a layer by a module or two can save."""
PALE = 0.5
"""Assumed weight of sprites that look pale but were not measured."""
OPACITIES = (0.6, 0.45, 0.3, 0.2, 0.12)
SCALES = (0.92, 0.84, 0.76, 0.68, 0.6, 0.52, 0.44, 0.36, 0.28, 0.2)
LITTLE = 5
"""Number of these scales that hardly change the look of a logo."""
GROWN = (3, 6)
"""Number of versions to go up in combination with these scales."""
BACKDROP = 0.6
"""Share of the symbol's width and height from which a layer is a backdrop, which is made fainter, not smaller."""
ROUNDS = 2
"""How often all levers that do not concern layers are tried, because one may reveal issues that another hid."""
MOST_TRIED = 8
"""Largest number of layers that are tested one by one for harm; of more layers, all count as harmful."""

CODES: dict[Lever, tuple[str, ...]] = {
    "flip": ("mirrored",),
    "colors": ("polarity", "contrast", "eye-contrast"),
    "padding": ("quiet-zone",),
    "markers": (
        "eye-ring", "eye-gap", "eye-pupil", "eye-fit", "eye-contrast", "eye-radius", "eye-width", "eye-size",
        "eye-corner",
    ),
    "modules": ("module-weight", "alignment", "fixed-pattern", "quiet-zone"),
}  # fmt: skip
"""The issues that each lever can remove, apart from layers."""


def found_steps(bench: Bench, design: Design, may: Collection[str]) -> tuple[list[Step], State]:
    """Return the first steps that lead to a good state, else those that lead to the best state found."""
    start = bench.state(design)
    if bench.is_good(start):
        return [], start
    steps = _without_layers(bench, design.replace(layers=()), may)
    if "layer_opacity" in may:
        steps += _fainter_backdrops(bench, design, steps)
    state = bench.after(design, steps) or start
    if bench.is_good(state) or not state.design.layers:
        return steps, state
    more, state = _with_layers(bench, state, may)
    return [*steps, *more], state


def needed_steps(bench: Bench, design: Design, steps: list[Step]) -> list[Step]:
    """Remove steps that are not needed for a good state, the most conspicuous first."""
    for step in reversed(steps):
        rest = [one for one in steps if one is not step]
        state = bench.after(design, rest)
        if state and bench.is_good(state):
            steps = rest
    return steps


def _without_layers(bench: Bench, design: Design, may: Collection[str]) -> list[Step]:
    """Find steps that make a design without layers scan, as far as these levers can."""
    steps: list[Step] = []
    state = bench.state(design)
    for lever, codes in [*CODES.items()] * ROUNDS:
        issues = [issue for issue in state.issues if issue.code in codes]
        if lever not in may or not (issues or (lever == "modules" and not bench.is_good(state))):
            continue
        tried = (Step(lever, partial(Design.replace, **fields)) for fields in _attempts(lever, state.design, issues))
        reached = [(step, after) for step in tried if (after := bench.after(state.design, [step]))]
        better = [(step, after) for step, after in reached if after.badness < state.badness]
        cured = [pair for pair in better if not any(issue.code in codes for issue in pair[1].issues)]
        if better:
            step, state = cured[0] if cured else min(better, key=lambda pair: pair[1].badness)
            steps.append(step)
    return steps


def _attempts(lever: Lever, design: Design, issues: Sequence[Issue]) -> Iterator[Mapping[str, Any]]:
    """Yield fields to change, from gentle to drastic."""
    if lever == "colors" and fixes.is_clear(design):
        yield {"background": WHITE}
    if lever == "padding" and (wider := fixes.quiet(design)):
        yield wider
    yield from (issue.fix for issue in issues if issue.fix and issue.code != "quiet-zone")
    if lever == "colors":
        swapped = fixes.dark_on_light(design)
        yield swapped | fixes.more_contrast(design.replace(**swapped))
    if lever == "markers":
        yield {"markers": Markers()}
    if lever == "modules":
        if kept := [one for one in design.modules.sprites if one.type in ("fill", "blank")]:
            yield {"modules": design.modules.replace(sprites=kept)}
        yield from (fix for kind in ("dark", "light") if (fix := fixes.heavier(design, kind, PALE)))
        yield {"modules": Modules()}


def _fainter_backdrops(bench: Bench, design: Design, steps: list[Step]) -> list[Step]:
    """Find the step that makes backdrops as faint as necessary, without other layers, after these steps."""
    which = [index for index, layer in enumerate(design.layers) if _is_backdrop(design, layer)]
    if not which:
        return []
    alone = design.replace(layers=[design.layers[index] for index in which])
    for opacity in (1.0, *OPACITIES):
        state = bench.after(alone, [*steps, Step("layer_opacity", partial(fainter, opacity=opacity))])
        if state and bench.is_good(state):
            break
    return [Step("layer_opacity", partial(fainter, which=which, opacity=opacity))] if opacity < 1 else []


def _with_layers(bench: Bench, start: State, may: Collection[str]) -> tuple[list[Step], State]:
    """Find the least conspicuous steps that make room for layers, else those that lead to the best state found."""
    best: tuple[list[Step], State] = [], start
    for steps in _arrangements(bench, start, may):
        state = bench.after(start.design, steps)
        if state is None:
            continue
        if not state.issues and not bench.is_good(state):
            for more in sufficient_symbols(bench, state, may):
                found = bench.after(state.design, more)
                if found and bench.is_good(found):
                    steps, state = [*steps, *more], found
                    break
        if bench.is_good(state):
            return steps, state
        if state.badness < best[1].badness:
            best = steps, state
    return best


def _arrangements(bench: Bench, start: State, may: Collection[str]) -> Iterator[list[Step]]:
    """Yield places, versions and sizes for the harmful layers, the least conspicuous first."""
    yield []
    layers = _harmful_layers(bench, start)
    backdrops = [index for index in layers if _is_backdrop(start.design, start.design.layers[index])]
    logos = [index for index in layers if index not in backdrops]

    def steps(lever: Lever, change: Callable[..., Design], which: list[int], values: Sequence[Any]) -> list[list[Step]]:
        if lever not in may or not which:
            return []
        return [[Step(lever, partial(change, which=which, **value))] for value in values]

    in_the_middle = steps("layer_place", centred, logos, [{}])
    if start.issues or bench.allows(start.budget.used - SHIFT_GAIN):
        yield from steps("layer_place", moved, logos, [{"right": right, "down": down} for right, down in SHIFTS])
        yield from in_the_middle
    own = start.symbol.version
    if "version" in may:
        for version in range(own + 1, min(own + MOST_VERSIONS, 40) + 1):
            yield [Step("version", partial(Design.replace, version=version))]
    smaller = steps("layer_size", resized, logos, [{"scale": scale} for scale in SCALES])
    yield from smaller[:LITTLE]
    if "version" in may:
        for scale, more in product(smaller[:LITTLE], GROWN):
            if own + more <= 40:
                yield [Step("version", partial(Design.replace, version=own + more)), *scale]
    yield from smaller[LITTLE:]
    yield from ([*one, *other] for one, other in product(in_the_middle, smaller))
    yield from steps("layer_size", resized, layers, [{"scale": scale} for scale in SCALES])


def _harmful_layers(bench: Bench, start: State) -> list[int]:
    """Return the layers without which the state is better; all layers if no single one makes a difference."""
    layers = start.design.layers
    every = list(range(len(layers)))
    if 1 < len(layers) <= MOST_TRIED:
        for_each = [bench.state(start.design.replace(layers=layers[:at] + layers[at + 1 :])) for at in every]
        return [at for at in every if for_each[at].badness < start.badness] or every
    return every


def _is_backdrop(design: Design, layer: Layer) -> bool:
    layout = layout_of(design)
    return min(layer.width, layer.height) >= BACKDROP * layout.module * layout.side
