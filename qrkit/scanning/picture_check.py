"""Checks an image of a QR Code from any source, without its design."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, hypot
from typing import TYPE_CHECKING

import numpy as np

from qrkit.errors import ContentTooLong, InvalidParameter, NoSymbol
from qrkit.scanning.budget import Budget, budget_of
from qrkit.scanning.examine import graded, no_verdict
from qrkit.scanning.issues import issues_of
from qrkit.scanning.sampling import MARGIN, PIXELS, Sampled
from qrkit.scanning.scan_report import Audience, Issue, Level, ScanReport
from qrkit.scanning.structure import structure_of
from qrkit.scanning.verdict import report_of
from qrkit.symbol.decode import MOST_READ_SIDE, Readable, opened, where_in
from qrkit.symbol.encode import encode
from qrkit.symbol.locate import Located, locate
from qrkit.symbol.symbol import Symbol, side_of

if TYPE_CHECKING:
    from PIL.Image import Image

    from qrkit.scanning.readers import Engine

__all__ = ["check_picture"]


SEEN_AROUND = 8
"""Modules around a symbol in the image for readers: twice its quiet zone."""


def check_picture(
    picture: Readable,
    level: Level = "standard",
    engines: Sequence[Engine] | None = None,
    *,
    audience: Audience = "phones",
) -> ScanReport:
    """Check an image; see `qrkit.check`.

    The modules are compared with those of the content when it is encoded again. If another encoder split the content
    differently, there is nothing to compare with, and budget, structure and grade are None.

    Raises:
        InvalidParameter: If the image shows a Micro QR Code, which has no verdict.
        UnreadableFile: If the image cannot be read.
        NoSymbol: If no QR Code was found.
    """
    greys = opened(picture, MOST_READ_SIDE)
    found = locate(greys)
    if found is None:
        raise NoSymbol(f"no QR Code was found{where_in(picture)}: either there is none, or no reader sees it")
    if found.version < 0:
        raise no_verdict()
    sampled, symbol, budget = _match(greys, found) or (None, None, None)
    structure, issues = None, tuple[Issue, ...]()
    if sampled and symbol and budget:
        structure = structure_of(sampled, symbol, budget.wrong)
        issues = issues_of(None, budget, structure, audience, level)
    panel = None
    if level != "static":
        from qrkit.scanning.panel import run_panel

        seen = np.asarray(greys.crop(_surroundings(greys, found)))
        panel = run_panel(
            seen, _pixels(found), found.content, level=level, audience=audience, engines=engines, symbol=symbol
        )
    return report_of(
        found.content,
        level,
        issues,
        audience=audience,
        budget=budget,
        structure=structure,
        panel=panel,
        grade=graded(sampled, symbol) if sampled and symbol and level in ("standard", "full") else None,
    )


def _pixels(found: Located) -> float:
    """Return the pixels per module, measured between the two top corners."""
    (left, top), (right, low), *_ = found.corners
    return hypot(right - left, low - top) / side_of(found.version)


def _surroundings(greys: Image, found: Located) -> tuple[int, int, int, int]:
    """Return the crop box to pass to readers: areas far from the symbol cost time and skew the threshold."""
    reach = SEEN_AROUND * _pixels(found)
    across, down = zip(*found.corners, strict=True)
    left, top = (max(0, floor(min(places) - reach)) for places in (across, down))
    right, low = (ceil(max(places) + reach) for places in (across, down))
    return left, top, min(greys.width, right), min(greys.height, low)


def _match(greys: Image, found: Located) -> tuple[Sampled, Symbol, Budget] | None:
    """Straighten the symbol and find how it was encoded; None if that is unknown."""
    for is_mirrored in (False, True):
        sampled = _straighten(greys, found, is_mirrored=is_mirrored)
        for symbol in _candidates(found):
            budget = budget_of(sampled, symbol)
            # The right symbol uses at most all error correction; in any other, half of the modules are wrong.
            if budget.used <= 1:
                return sampled, symbol, budget
    return None


def _candidates(found: Located) -> Iterator[Symbol]:
    for mode in ("byte", "auto", "alphanumeric", "numeric", "kanji"):
        for pads in ("segno", "iso"):
            try:
                yield encode(
                    found.content,
                    version=found.version,
                    error_correction=found.ec,
                    mode=mode,
                    mask=found.mask,
                    pad_codewords=pads,
                )
            except (ContentTooLong, InvalidParameter):
                continue


def _straighten(greys: Image, found: Located, *, is_mirrored: bool) -> Sampled:
    """Return the symbol and its surroundings without perspective."""
    from PIL import Image

    side = side_of(found.version)
    size = (side + 2 * MARGIN) * PIXELS
    top_left, top_right, bottom_right, bottom_left = found.corners
    corners = (top_left, bottom_left, bottom_right, top_right) if is_mirrored else found.corners
    near, far = MARGIN * PIXELS, (MARGIN + side) * PIXELS
    places = ((near, near), (far, near), (far, far), (near, far))
    seen = Image.merge("LA", (greys, Image.new("L", greys.size, 255)))
    straight = seen.transform(
        (size, size), Image.Transform.PERSPECTIVE, _perspective(places, corners), Image.Resampling.BILINEAR
    )
    luma, alpha = np.moveaxis(np.asarray(straight, dtype=np.float32) / 255, 2, 0)
    return Sampled(side, PIXELS, luma, (alpha > 0.5).astype(np.float32), alpha > 0.5, is_mirrored)


def _perspective(places: Sequence[tuple[int, int]], corners: Sequence[tuple[int, int]]) -> list[float]:
    """Return the eight coefficients of Pillow's perspective transform, from rectified to original coordinates."""
    rows, wanted = [], []
    for (x, y), (u, v) in zip(places, corners, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        wanted += [u, v]
    return [float(one) for one in np.linalg.solve(np.array(rows, dtype=float), np.array(wanted, dtype=float))]
