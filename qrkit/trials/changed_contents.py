"""Draws a code with other contents: a design is drawn anew, and the modules of a picture are moved around.

Version, error correction level and mask stay as they are, so most of what a phone finds difficult stays, too.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from json import dumps, loads
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from qrkit.design.design import Design
from qrkit.errors import ContentTooLong, InvalidParameter, NoSymbol, Problem
from qrkit.files import read_file
from qrkit.scanning.budget import true_modules, wrong_modules
from qrkit.scanning.examine import drawn
from qrkit.scanning.module_roles import role_grid
from qrkit.scanning.picture_check import Match, matched
from qrkit.scanning.sampling import MARGIN, Greys, colors_of
from qrkit.scanning.verdict import no_verdict
from qrkit.symbol.decode import Readable, decode
from qrkit.symbol.encode import encode
from qrkit.symbol.symbol import Role, Symbol
from qrkit.trials.ladder import Colored

PIXELS = 12
"""Pixels per module of a drawing, unless it gets too large."""

WEIGHTS, AWAY = np.array([1, 4, 1, 4, 100, 4, 1, 4, 1]), 0.02
"""What a difference costs, of a module and its neighbors, when a module is chosen to stand in for another; and a module
of distance, because light changes across a photo."""

CROWD = 6
"""Wrong modules among 25 that show that something covers the code, such as a logo."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a trial is about: a content, and the picture of its code as it is.

    Attributes:
        name: Version and error correction level of the codes that phones see, such as 3-M.
        design: Draws the code with this content.
        plain: Draws a plain code with this content, of the same version and level.
        note: What had to change; an empty text if nothing did.
    """

    content: str
    picture: Colored
    name: str
    design: Callable[[str], Colored]
    plain: Callable[[str], Colored]
    note: str = ""


def subject_of(subject: Design | Readable, url: str) -> Subject:
    """Return what draws a design, or the code in a picture, with other contents."""
    return _of_design(subject, url) if isinstance(subject, Design) else _of_picture(*matched(subject), url)


def look_of(subject: Design | Readable) -> str:
    """Return a key of all designs that differ in their content alone, or of the file of a picture."""
    if isinstance(subject, Design):
        subject = dumps(loads(subject.to_json()) | {"content": ""}, sort_keys=True).encode()
    elif isinstance(subject, str | Path):
        subject = read_file(Path(subject))
    if isinstance(subject, bytes):
        return sha256(subject).hexdigest()
    rule = "must be a design, the path of a picture or its bytes, so that a check can find the trial again"
    raise InvalidParameter(Problem("subject", None, rule, "bad-value"))


def _of_design(design: Design, url: str) -> Subject:
    if design.micro:
        raise no_verdict()
    scene, note = drawn(design).scene, ""
    try:
        symbol = _encoded(url, scene.symbol)
    except ContentTooLong:
        symbol = encode(url, error_correction=design.ec, mode="auto")
        less, more = scene.symbol.version, symbol.version
        note = f"Version {less} is too small for the address of a step, so phones see version {more}."
    picture = Colored(*colors_of(scene, PIXELS))
    return Subject(design.content, picture, symbol.name, _drawing(design, symbol), _plain(symbol), note)


def _of_picture(content: str, match: Match, url: str) -> Subject:
    old = match.symbol

    def colored(luma: Greys) -> Colored:
        return Colored(luma[:, :, None], match.sampled.pixels)

    def draw(content: str) -> Colored:
        return colored(_changed(match, _encoded(content, old)))

    read = ""
    with suppress(ContentTooLong, NoSymbol):
        read = decode(np.rint(draw(url).pixels[:, :, 0] * 255).astype(np.uint8)).content
    if read != url:
        rule = f"shows a code {old.name} that is too small or too damaged for the address of a step; try its design"
        raise InvalidParameter(Problem("subject", None, rule, "bad-value"))
    return Subject(content, colored(match.sampled.on(1.0)), old.name, draw, _plain(old))


def _plain(like: Symbol) -> Callable[[str], Colored]:
    return _drawing(Design(content="0"), like)


def _drawing(design: Design, like: Symbol) -> Callable[[str], Colored]:
    """Return what draws a design with another content, in a symbol of this version, level and mask."""
    fields: dict[str, Any] = {"em": "auto", "charset": None, "fnc1": False, "part": None, "version": like.version}
    fields |= {"ec": like.error_correction, "mask": like.mask}
    return lambda content: Colored(*colors_of(drawn(design.replace(content=content, **fields)).scene, PIXELS))


def _encoded(content: str, like: Symbol) -> Symbol:
    """Encode a content as a symbol of the same version, level and mask."""
    return encode(content, version=like.version, error_correction=like.error_correction, mode="auto", mask=like.mask)


def _changed(match: Match, new: Symbol) -> Greys:
    """Return the luma of a picture in which each module that differs, or whose neighbors do, is taken from elsewhere.

    A module comes from where the picture has one with the same neighbors, if possible: where modules touch, they may
    be joined. What covers the code, such as a logo, stays; error correction makes up for it as before.
    """
    sampled, old = match.sampled, match.symbol
    wrong = wrong_modules(sampled.modules, old)
    crowds = sliding_window_view(np.pad(wrong, 2), (5, 5)).sum((2, 3))
    is_free = ~wrong & (crowds < CROWD) & (role_grid(old.version) == Role.DATA)
    before, after = (_neighbors(true_modules(symbol)) for symbol in (old, new))
    donors, costs = np.argwhere(is_free), (np.arange(512)[:, None] >> np.arange(9) & 1) @ WEIGHTS
    source = sampled.on(1.0)
    changed, size = source.copy(), sampled.pixels
    for place in np.argwhere(is_free & (before != after)):
        differences = costs[before[tuple(donors.T)] ^ after[tuple(place)]]
        donor = donors[np.argmin(differences + AWAY * np.abs(donors - place).sum(axis=1))]
        (top, left), (row, column) = (place + MARGIN) * size, (donor + MARGIN) * size
        changed[top : top + size, left : left + size] = source[row : row + size, column : column + size]
    return changed


def _neighbors(dark: np.ndarray) -> np.ndarray:
    """Return each module and its eight neighbors as the bits of a number, 0..511, row by row."""
    windows = sliding_window_view(np.pad(dark, 1), (3, 3)).reshape(*dark.shape, 9)
    numbers: np.ndarray = windows @ (1 << np.arange(9))
    return numbers
