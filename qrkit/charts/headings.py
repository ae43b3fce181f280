"""Writes what a chart shows above it: a sentence, and what is counted, when, and in which time zone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from qrkit.charts.labels import fit

TITLE, SUBTITLE = 15, 12
"""Sizes of letters, in pixels."""

LEADING = 1.35
"""Distance between lines, relative to the size of letters."""

EDGE = 6
"""Pixels to the left and right, and below."""


class Heading(NamedTuple):
    """Lines of text above a chart."""

    title: tuple[str, ...] = ()
    subtitle: tuple[str, ...] = ()

    @property
    def height(self) -> int:
        """Return the height in pixels; 0 if there is no text."""
        rows = [TITLE] * len(self.title) + [SUBTITLE] * len(self.subtitle)
        return round(LEADING * sum(rows)) + EDGE if rows else 0

    def rows(self) -> Iterable[tuple[str, float, int, str]]:
        """Yield each line with its middle in pixels from the top, its size, and its color."""
        top = 2.0
        for text, size, color in [(text, TITLE, "ink") for text in self.title] + [
            (text, SUBTITLE, "quiet") for text in self.subtitle
        ]:
            yield text, top + LEADING * size / 2, size, color
            top += LEADING * size


def heading(title: str | None, finding: str, about: Iterable[str], width: int) -> Heading:
    """Return the heading of a chart.

    Args:
        title: The title that was asked for: None for the finding, "" for no heading at all.
        finding: What the chart shows, in a sentence.
        about: What is counted, the period, and the time zone; "" for what is not known.
        width: Width of the chart in pixels.
    """
    if title == "":
        return Heading()
    room = width - 2 * EDGE
    said = ", ".join(part for part in about if part)
    lines = fit(title or finding, room, most=3, size=TITLE, is_bold=True)
    return Heading(tuple(lines), tuple(fit(said[:1].upper() + said[1:], room, most=2, size=SUBTITLE)) if said else ())
