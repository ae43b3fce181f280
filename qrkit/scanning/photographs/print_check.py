"""Compares a photo of a print with the design that was meant to be printed, so that its logo is no damage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from qrkit.drawing.draw import is_plain
from qrkit.drawing.untrusted.assets import Fetch
from qrkit.errors import InvalidParameter, Problem
from qrkit.scanning.budget import Budget, Flags, true_modules
from qrkit.scanning.examine import drawn, measure
from qrkit.scanning.module_roles import module_codewords
from qrkit.scanning.photographs.close_up import Corners
from qrkit.scanning.photographs.photo_measures import Meant, grade_photo
from qrkit.scanning.picture_check import Picture, match_of, no_symbol, open_pictures, photo_report
from qrkit.scanning.sampling import MARGIN, Sampled, reflectance
from qrkit.scanning.scan_report import Audience, Level, ScanReport
from qrkit.symbol.decode import Readable
from qrkit.symbol.encode.blocks import blocks
from qrkit.symbol.locate import Located, locate_all, uncorrected
from qrkit.symbol.symbol import Symbol

if TYPE_CHECKING:
    from PIL.Image import Image

    from qrkit.design.design import Design


LEAST_ALIKE = 0.65
"""Share of the modules of an unread symbol that must be those of the design; with other contents, half of them are.

Only modules of error correction codewords count, because contents often begin alike.
"""

REACH = (-0.5, 1.5)
"""Range of what a module of a design reflects, where 0 is its ink and 1 its paper."""


def check_print(
    picture: Readable, design: Design, level: Level, *, audience: Audience = "phones", fetch: Fetch | None = None
) -> ScanReport:
    """Check a photo of a printed design; see `qrkit.check`."""
    drawing = drawn(design, fetch)
    sampled, budget = measure(drawing)
    seen, _ = next(open_pictures(picture))
    corners = _corners_of(seen, design, drawing.symbol)
    photo = grade_photo(seen.whole, corners, _meant(design, sampled, budget), is_compared=True)
    return photo_report(design.content, photo, level, audience)


def _meant(design: Design, sampled: Sampled, budget: Budget) -> Meant:
    """Return what a design shows, in shares of what its paper reflects."""
    light, dark = reflectance(sampled.modules), true_modules(budget.symbol)
    inner = light[MARGIN:-MARGIN, MARGIN:-MARGIN]
    ink, paper = np.median(inner[dark]), np.median(inner[~dark])
    white = np.clip((light - ink) / (paper - ink or 1), *REACH).astype(np.float32)
    return Meant(budget.symbol, white, budget.wrong, is_styled=not is_plain(design))


def _corners_of(seen: Picture, design: Design, symbol: Symbol) -> Corners:
    """Find a symbol in a photo, even if no reader can read it."""
    others: list[Located] = []
    for greys in seen.sizes:
        for found in locate_all(greys):
            match = match_of(greys, found)
            if match and match.symbol.modules == symbol.modules:
                return seen._replace(greys=greys).in_whole(match.corners)
            others.append(found)
        for corners in _unread(greys, symbol):
            return seen._replace(greys=greys).in_whole(corners)
    if not others:
        raise no_symbol(seen)
    shown = others[0].content
    rule = f"must be the design that was printed; the photo shows {shown!r}"
    if shown == design.content:
        rule = "must be the design that was printed; the photo shows the same content in other modules"
    raise InvalidParameter(Problem("design", design.content, rule, "bad-value"))


def _unread(greys: Image, symbol: Symbol) -> Iterator[Corners]:
    """Yield the corners of symbols that are seen, but too damaged to be read."""
    data = sum(share.data for share in blocks(symbol.version, symbol.error_correction))
    dark, counted = true_modules(symbol), module_codewords(symbol.version) >= data
    for one in uncorrected(greys):
        if (one.version, one.ec, one.mask) == (symbol.version, symbol.error_correction, symbol.mask):
            if _alike(one.flags, dark, counted):
                yield one.corners
            elif _alike(one.flags.T, dark, counted):
                yield one.transposed


def _alike(one: Flags, other: Flags, counted: Flags) -> bool:
    return bool((one == other)[counted].mean() > LEAST_ALIKE)
