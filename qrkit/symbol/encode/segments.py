"""Splits the content into segments: one in the requested mode, or the shortest mix of modes."""

from __future__ import annotations

from itertools import groupby

from qrkit.design.design import ALPHANUMERIC, NUMERIC
from qrkit.symbol.encode.capacity import Mode, Segment, header_bits

__all__ = ["densest_mode", "segments_of"]

MODES: tuple[Mode, ...] = ("numeric", "alphanumeric", "byte")
"""The modes of a mix, without Kanji: readers decode Kanji segments as Shift JIS but bytes as UTF-8."""


def segments_of(content: str, mode: str, version: int) -> list[Segment]:
    """Split a content; `mode` is numeric, alphanumeric, byte, kanji or auto, and `version` sets the header lengths."""
    if mode != "auto":
        return [Segment(mode, content)]  # type: ignore[arg-type]  # the caller's modes are those of Design.em
    modes = _cheapest_modes(content, version)
    runs = groupby(zip(modes, content, strict=True), key=lambda pair: pair[0])
    return [Segment(run_mode, "".join(character for _, character in run)) for run_mode, run in runs]


def densest_mode(content: str) -> Mode | None:
    """Return the densest mode that can encode the whole content; None if only byte mode can."""
    if NUMERIC.issuperset(content):
        return "numeric"
    return "alphanumeric" if ALPHANUMERIC.issuperset(content) else None


def _cheapest_modes(content: str, version: int) -> list[Mode]:
    """Return the mode of each character in the shortest bit stream.

    Uses dynamic programming from left to right. Costs are in sixths of a bit, so that a digit (10/3 bits) and an
    alphanumeric character (11/2 bits) cost whole numbers; fractions of a bit are rounded up at the end of a segment.
    """
    heads = [6 * header_bits(mode, version) for mode in MODES]
    costs: list[float] = list(heads)
    stay = costs
    steps: list[list[int]] = []
    for character in content:
        stay = [cost + price for cost, price in zip(costs, _prices(character), strict=True)]
        # Switching from mode `old` to `new` after this character adds the header of the new segment.
        options = [
            [_switch(cost, head, same=old == new) for old, cost in enumerate(stay)] for new, head in enumerate(heads)
        ]
        costs = [min(one) for one in options]
        come_from = [one.index(min(one)) for one in options]
        steps.append(come_from)
    last = min(range(3), key=lambda mode: stay[mode])
    chosen = [last]
    for come_from in reversed(steps[:-1]):
        chosen.append(come_from[chosen[-1]])
    return [MODES[mode] for mode in reversed(chosen)]


def _prices(character: str) -> tuple[float, float, float]:
    impossible = float("inf")
    return (
        20 if character in NUMERIC else impossible,
        33 if character in ALPHANUMERIC else impossible,
        48 * len(character.encode()),
    )


def _switch(cost: float, head: int, *, same: bool) -> float:
    if same or cost == float("inf"):
        return cost
    return -(-cost // 6) * 6 + head
