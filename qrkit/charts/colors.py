"""Defines the colors of charts, on light and on dark backgrounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["COLORS", "CSS", "MOST_COLORS", "assign_colors", "dark", "tint"]

COLORS = {
    "ink": ("#16191d", "#eceef1"),
    "quiet": ("#5b6470", "#9ba4b0"),
    "line": ("#e3e6ea", "#2a3038"),
    "paper": ("#ffffff", "#111418"),
    # Found by search: each has a contrast of 3:1, and any two stay distinguishable with every type of color blindness.
    "color-0": ("#8a919b", "#8b94a1"),
    "color-1": ("#263dc5", "#6186fd"),
    "color-2": ("#cb4a27", "#e46118"),
    "color-3": ("#0f895d", "#18c77b"),
    "color-4": ("#c48811", "#fbd44c"),
    "color-5": ("#91366f", "#f2a0ce"),
    "color-6": ("#561678", "#b54fbd"),
    "heat-0": ("#f0f2f5", "#1a1f26"),
    "heat-1": ("#d3dbf7", "#202b57"),
    "heat-2": ("#a5b4ef", "#2d4090"),
    "heat-3": ("#7389e3", "#4560cf"),
    "heat-4": ("#4459d0", "#7f9bff"),
    "heat-5": ("#1d2c9b", "#c3d0ff"),
}
"""Colors on light and on dark backgrounds by name; color 0 is for everything without a color of its own."""

MOST_COLORS = 6
"""More colors could not be distinguished."""


def _variables(mode: int) -> str:
    return "".join(f"--{name}:{both[mode]};" for name, both in COLORS.items())


CSS = f":root{{{_variables(0)}}}@media screen and (prefers-color-scheme:dark){{:root{{{_variables(1)}}}}}"
"""The colors as CSS variables; dark ones if the reader's screen prefers them, light ones in print."""


_is_dark = ContextVar("is_dark", default=False)


@contextmanager
def dark() -> Iterator[None]:
    """Draw charts for a dark background in this context. Charts in a page (`to_svg`) always follow the page."""
    before = _is_dark.set(True)
    try:
        yield
    finally:
        _is_dark.reset(before)


def tint(name: str) -> str:
    """Return a color for the current background."""
    return COLORS[name][_is_dark.get()]


def assign_colors(names: Iterable[str]) -> dict[str, int]:
    """Assign a color number to each name in order: 1 to 6, then 0 for the rest.

    Pass the result to all charts of a page.
    """
    return {name: number if number <= MOST_COLORS else 0 for number, name in enumerate(dict.fromkeys(names), 1)}
