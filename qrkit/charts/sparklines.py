"""Draws sparklines: tiny charts that stand next to a number, without matplotlib, so that lists open at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

MOST_COLUMNS = 45


def sparkline(counts: Sequence[int]) -> str:
    """Draw tiny columns as SVG; the largest is as high as the image. Beyond 45, neighboring columns are summed.

    A sparkline is meant to stand next to its number, so screen readers skip it.
    """
    run = math.ceil(len(counts) / MOST_COLUMNS) or 1
    sums = [sum(counts[start : start + run]) for start in range(0, len(counts), run)]
    most = max(sums, default=0)
    columns = [f"M{2 * place + 1} 20v-{math.ceil(20 * count / most)}" for place, count in enumerate(sums) if count]
    return (
        f'<svg class="sparkline" viewBox="0 0 {2 * max(len(sums), 30)} 20" preserveAspectRatio="none"'
        f' aria-hidden="true"><path d="{"".join(columns)}" stroke="currentColor" stroke-width="1.4"/></svg>'
    )
