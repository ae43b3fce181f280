"""Defines the colors of charts, on light and on dark backgrounds, and which of them a brand changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from qrkit.design.color import Color
from qrkit.tracking.records import CAMPAIGN_COLORS

if TYPE_CHECKING:
    from qrkit.design.brand import Brand


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

MOST_COLORS = CAMPAIGN_COLORS
"""More colors could not be distinguished."""
LEAST_OF_TEXT = 7.0
"""Contrast of text with its background (WCAG 2.2, level AAA)."""


def brand_colors(brand: Brand) -> dict[str, tuple[str, str]]:
    """Return the colors of charts in the look of a brand.

    The accent, dark or light enough for the background, is the first color, and heat maps are shades of it. The house
    color that is the most like it gives way to the first house color. Text on light backgrounds is in the ink.
    """
    papers = [Color.parse(shade) for shade in COLORS["paper"]]
    accents = [(brand.accent or brand.ink).visible_on(paper) for paper in papers]
    ink = brand.ink.visible_on(papers[0], LEAST_OF_TEXT)
    alike = min((f"color-{number}" for number in range(1, MOST_COLORS + 1)), key=lambda name: _distance(accents, name))
    heat = {
        f"heat-{level}": _pair(
            Color(*accent.channels, 51 * level).over(Color.parse(ground))
            for accent, ground in zip(accents, COLORS["heat-0"], strict=True)
        )
        for level in range(1, 6)
    }
    series = {alike: COLORS["color-1"]} | {"color-1": _pair(accents)}
    return COLORS | heat | series | {"ink": (ink.rgb.lower(), COLORS["ink"][1])}


def _pair(colors: Iterable[Color]) -> tuple[str, str]:
    light, dark = (color.rgb.lower() for color in colors)
    return light, dark


def _distance(accents: Iterable[Color], name: str) -> int:
    """Return how far a house color is from the accent, on both backgrounds together."""
    pairs = zip(accents, map(Color.parse, COLORS[name]), strict=True)
    channels = (zip(one.channels, shade.channels, strict=True) for one, shade in pairs)
    return sum((mine - other) ** 2 for both in channels for mine, other in both)


def css_of(colors: Mapping[str, tuple[str, str]]) -> str:
    """Return colors as CSS variables; dark ones if the reader's screen prefers them, light ones in print."""
    light, dark = ("".join(f"--{name}:{both[mode]};" for name, both in colors.items()) for mode in (0, 1))
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"


CSS = css_of(COLORS)
"""The colors of qrkit as CSS variables."""


_is_dark = ContextVar("is_dark", default=False)
_colors: ContextVar[Mapping[str, tuple[str, str]]] = ContextVar("colors", default=COLORS)


@contextmanager
def dark() -> Iterator[None]:
    """Draw charts for a dark background in this context. Charts in a page (`to_svg`) always follow the page."""
    before = _is_dark.set(True)
    try:
        yield
    finally:
        _is_dark.reset(before)


@contextmanager
def branded(brand: Brand) -> Iterator[None]:
    """Draw charts in the colors of a brand in this context, as reports do; see `brand_colors`."""
    before = _colors.set(brand_colors(brand))
    try:
        yield
    finally:
        _colors.reset(before)


def colors_in_use() -> Mapping[str, tuple[str, str]]:
    """Return the colors in which charts are drawn: those of `COLORS`, or of a brand."""
    return _colors.get()


def tint(name: str) -> str:
    """Return a color for the current background."""
    return colors_in_use()[name][_is_dark.get()]


def assign_colors(names: Iterable[str]) -> dict[str, int]:
    """Assign a color number to each name in order: 1 to 6, then 0 for the rest.

    Pass the result to all charts of a page.
    """
    return {name: number if number <= MOST_COLORS else 0 for number, name in enumerate(dict.fromkeys(names), 1)}
