"""Finds other symbols of the same version for a design: masks, pad codewords and error correction levels."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any, get_args

from qrkit.design.design import Design
from qrkit.errors import ContentTooLong
from qrkit.scanning.appearance import Appearance
from qrkit.scanning.bench import Bench, State, Step
from qrkit.scanning.levers import Lever, levelled
from qrkit.symbol.encode import encode, encoding_of
from qrkit.symbol.symbol import ErrorCorrectionLevel

MASK_GAIN = 0.5
"""Largest share of the worst block's error correction that another mask can save, in small symbols."""


def sufficient_symbols(bench: Bench, state: State, may: Collection[str]) -> Iterator[list[Step]]:
    """Yield steps that lead to symbols with enough error correction, fewest first.

    Of the allowed levers, mask, pad_codewords and ec are used.
    """
    design, appearance = state.design, bench.appearance(state.design, state.symbol)
    levels = [design.ec, *_others(design.ec)] if "ec" in may else [design.ec]
    are_free = [design.pad_codewords == "free"]
    if "pad_codewords" in may and not are_free[0]:
        are_free.append(True)
    # Each lever alone, first the pad codewords, whose change is invisible, then both.
    tries = [(level, is_free) for level in levels for is_free in are_free]
    for level, is_free in sorted(tries, key=lambda one: (one[0] != design.ec) + (one[1] != are_free[0])):
        steps = _level_steps(design, level, appearance.version)
        if steps is None or not bench.allows(appearance.least_used(level)):
            continue
        if is_free != are_free[0]:
            steps.append(_step("pad_codewords", pad_codewords="free"))
        yield from _sufficient(bench, design, appearance, steps, may)


def _sufficient(
    bench: Bench, design: Design, appearance: Appearance, steps: list[Step], may: Collection[str]
) -> Iterator[list[Step]]:
    """Yield these steps if they are enough, or the steps with the best mask if these are."""
    for step in steps:
        design = step.apply(design)

    def used(mask: int | None) -> float:
        symbol = encode(
            design.content, version=appearance.version, error_correction=design.ec, mask=mask, **encoding_of(design)
        )
        if design.pad_codewords == "free":
            symbol = bench.fitted(design.replace(mask=mask), symbol)
        return appearance.budget(symbol).used

    is_free = design.pad_codewords == "free" and design.mask is None
    first = used(0 if is_free else design.mask)
    if not bench.allows(first - MASK_GAIN):
        return
    if bench.allows(first) or (is_free and bench.allows(used(None))):
        yield steps
    elif "mask" in may and not is_free:
        by_mask = [used(mask) for mask in range(8)]
        if bench.allows(min(by_mask)):
            yield [*steps, _step("mask", mask=by_mask.index(min(by_mask)))]


def _others(level: ErrorCorrectionLevel) -> list[ErrorCorrectionLevel]:
    """Return the other levels: first stronger ones, then weaker ones, which leave more pad codewords free."""
    levels: tuple[ErrorCorrectionLevel, ...] = get_args(ErrorCorrectionLevel)
    at = levels.index(level)
    return [*levels[at + 1 :], *reversed(levels[:at])]


def _level_steps(design: Design, level: ErrorCorrectionLevel, version: int) -> list[Step] | None:
    """Return the steps to this level in the same version; None if the content does not fit."""
    if level == design.ec:
        return []
    try:
        encode(design.content, version=version, error_correction=level, **encoding_of(design))
    except ContentTooLong:
        return None
    return [Step("ec", partial(levelled, level=level))]


def _step(lever: Lever, **fields: Any) -> Step:
    return Step(lever, partial(Design.replace, **fields))
