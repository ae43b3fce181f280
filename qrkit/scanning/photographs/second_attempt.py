"""Reads symbols that a reader finds but cannot correct.

The photo is aligned by the modules that were read, its light evened out and its blur taken out. Then the modules are
decided again, and the least sure codewords count as erased.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import numpy as np

from qrkit.late import Image
from qrkit.scanning.budget import Flags, true_modules, with_margin
from qrkit.scanning.module_roles import role_grid
from qrkit.scanning.photographs.close_up import PIXELS, CloseUp, close_up
from qrkit.scanning.photographs.evening import INNER, even_out, weights_of
from qrkit.scanning.photographs.straightening import align, is_inverted
from qrkit.scanning.sampling import Greys, luma_of, middles
from qrkit.symbol.locate import Located, at_side, locate, uncorrected
from qrkit.symbol.rebuilding import blank, rebuilt
from qrkit.symbol.symbol import Symbol, side_of

LONGER_SIDES = (None, 650, 1300)
"""Pixels of the longer side in which symbols are sought; None for the picture as it is."""

MOST_FINDS = 4
"""Symbols of a picture that are attempted."""

TURNS = 3
"""Times that modules are decided again from a better alignment."""

ROUNDS = 3
"""Rounds of evening out light and blur, which need not be as exact as for a grade."""

MOST_MISSED = 0.25
"""Share of the fixed patterns that may be wrong; otherwise, no symbol is there."""


LINEAR_THRESHOLD, ENCODED_THRESHOLD = 0.38, 0.5
"""Values that divide ink from paper, in linear light and in encoded grays.

Linear light suits sharp photos; encoded grays suit dark photos and those that a phone has processed.
"""

GLARE = 1.2
"""Value of a module, where 1 is paper, from which it is glare and tells nothing."""


def second_attempt(greys: Image.Image, seconds: float) -> Located | None:
    """Read a symbol that is found in a photo but cannot be corrected; None if there is none, or the time is over.

    The step that takes longer than the time limit is finished.
    """
    end = monotonic() + seconds
    for found in _finds(greys, end):
        symbol = symbol_of_find(greys, *_turned(found), end)
        # A drawing of the exact symbol tells the text.
        if symbol and (exact := locate(_drawn(symbol))):
            return exact._replace(corners=found.corners)
    return None


def _finds(greys: Image.Image, end: float) -> Iterator[Located]:
    """Yield the symbols to attempt, each place and kind once."""
    known: list[Located] = []
    for side in LONGER_SIDES:
        if monotonic() > end:
            return
        for one in at_side(greys, side or max(greys.size), uncorrected):
            alike = (other for other in known if other[1:4] == one[1:4] and other.covers(one.middle))
            if next(alike, None) is None and len(known) < MOST_FINDS:
                known.append(one)
                yield one


def symbol_of_find(greys: Image.Image, found: Located, read: Flags, end: float) -> Symbol | None:
    """Return the exact symbol of a find, whose corners are in the orientation of the encoded symbol.

    `read` marks the modules that were read as dark, side x side; `end` is the time of `monotonic` at which to give up.
    """
    form, is_fixed = _form(found)
    close = close_up(greys, found.corners, side_of(found.version))
    if is_inverted(close, _white(form)):
        close = close._replace(light=max(1.0, close.light.max()) - close.light)
    for light, threshold in ((close.light, LINEAR_THRESHOLD), (luma_of(close.light), ENCODED_THRESHOLD)):
        dark = np.where(is_fixed, form, read)
        for _ in range(TURNS):
            if monotonic() > end:
                return None
            own, seen = _values(close._replace(light=light), dark)
            for value in (own, seen):
                sure = np.where(value > GLARE, 0, np.minimum(np.abs(value - threshold), 0.5))
                if symbol := rebuilt(value < threshold, found.version, found.ec, found.mask, sure):
                    return symbol
            again = own < threshold
            before, dark = dark, np.where(is_fixed, form, again)
            if (again != form)[is_fixed].mean() > MOST_MISSED or (before == dark).all():
                break
    return None


def _turned(found: Located) -> tuple[Located, Flags]:
    """Return a find and its modules in the orientation of the encoded symbol, which may be mirrored in the image."""
    (form, is_fixed), read = _form(found), found.flags
    if (form != read.T)[is_fixed].mean() < (form != read)[is_fixed].mean():
        return found._replace(corners=found.transposed), read.T
    return found, read


def _form(found: Located) -> tuple[Flags, Flags]:
    """Return the modules of function patterns, format and version information, and True for all of these."""
    return true_modules(blank(found.version, found.ec, found.mask)), role_grid(found.version) > 0


def _values(close: CloseUp, dark: Flags) -> tuple[Greys, Greys]:
    """Return the values of modules without and with the photo's blur, where 0 is ink and 1 is paper."""
    white = _white(dark)
    straight = align(close, white)
    is_known = middles(straight.is_inside.astype(np.float32), PIXELS) > 0.5
    within = with_margin(np.ones_like(dark)) & is_known
    evened = even_out(middles(straight.light, PIXELS), white, within, weights_of(len(white)) * is_known, ROUNDS)
    return evened.own[INNER, INNER], evened.value[INNER, INNER]


def _white(dark: Flags) -> Greys:
    """Return what modules reflect, with a margin: 0 for ink and 1 for paper."""
    return (~with_margin(dark)).astype(np.float32)


def _drawn(symbol: Symbol) -> Image.Image:
    return Image.fromarray(np.kron(_white(true_modules(symbol)) * 255, np.ones((4, 4))).astype(np.uint8))
