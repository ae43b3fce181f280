"""Provides `LogoTrial`, which computes how much of its error correction a symbol uses under a logo.

Arithmetic decides most sizes: it computes the luma of each module below the logo from the pixels of the logo, its plate
and its ring. A size that passes is then drawn once as a proof, but only the modules below the logo.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from qrkit.design.color import WHITE, Color
from qrkit.design.decoration import Layer
from qrkit.design.design import Design
from qrkit.design.outline import Outline
from qrkit.drawing.draw import draw
from qrkit.drawing.logo import RIM, RING, ROUNDED, Ground, Logo
from qrkit.drawing.resizing import layout_of, pinned
from qrkit.drawing.untrusted.assets import Fetch
from qrkit.drawing.untrusted.rasteriser import LONGEST_SECONDS, within
from qrkit.scanning.budget import Budget, damage, true_modules, with_margin, wrong_modules
from qrkit.scanning.examine import drawn
from qrkit.scanning.issues import MOST_USED, fixed_issues
from qrkit.scanning.module_roles import role_grid
from qrkit.scanning.sampling import MARGIN, PIXELS, WEIGHTS, Greys, median, middles, sample
from qrkit.scanning.verdict import no_verdict
from qrkit.symbol.encode import symbol_of
from qrkit.symbol.symbol import Role, Symbol

BARE_PIXELS = 4
"""Pixels per module of a symbol without a logo, whose modules are whole squares."""

MEETING = {"display": "pixel-hit-test"}
"""How the plate, or a logo without one, meets the modules."""

Window = tuple[slice, slice]
"""Rows and columns of modules, counted from the margin."""


class Coat(NamedTuple):
    """What is painted over the modules: alpha and luma of each pixel, with `PIXELS` per module."""

    alpha: Greys
    luma: Greys | float


class LogoTrial:
    """Tries sizes of a logo, which `fetch` may download, on the symbol of a design.

    The other images of the design, its frame, and the shapes of its modules do not count.
    """

    def __init__(self, design: Design, logo: Logo, fetch: Fetch | None) -> None:
        if design.micro:
            raise no_verdict()
        self._plain = pinned(design.replace(frame=None, wrapper=None, photo=None, layers=(), modules={}, markers={}))
        self._logo, self._fetch = logo, fetch
        self._symbol, self._layout = symbol_of(self._plain), layout_of(self._plain)

    def is_modest(self, share: float, ground: Ground | None, place: tuple[float, float]) -> bool:
        """Return whether the logo and its plate use at most half of the error correction, and spare what has none."""
        layers = self._layers(share, ground, place)
        return (self._is_free or _is_modest(self._reckoned(layers, ground))) and _is_modest(self._measured(layers))

    def is_likely(self, share: float, ground: Ground | None, place: tuple[float, float]) -> bool:
        """Return whether the logo is modest by arithmetic or, with free pad codewords, which depend on it, if drawn."""
        layers = self._layers(share, ground, place)
        return _is_modest(self._measured(layers) if self._is_free else self._reckoned(layers, ground))

    @property
    def _is_free(self) -> bool:
        return self._plain.pad_codewords == "free"

    def _layers(self, share: float, ground: Ground | None, place: tuple[float, float]) -> list[Layer]:
        return self._logo.layers(self._plain, self._logo.layer_on(self._plain, share, place), ground, MEETING)

    def _measured(self, layers: Sequence[Layer]) -> Budget:
        """Return what layers use if they are drawn."""
        with within(LONGEST_SECONDS):
            _, symbol, _, scene = drawn(self._plain.replace(layers=layers), self._fetch)
            window = self._window(layers)
            seen = sample(scene, PIXELS, *window).modules
            return _budget(symbol, _bare_luma(self._plain, symbol), window, seen)

    def _reckoned(self, layers: Sequence[Layer], ground: Ground | None) -> Budget:
        """Return what layers use by arithmetic."""
        symbol, bare, window = self._symbol, _bare_luma(self._plain, self._symbol), self._window(layers)
        dark = true_modules(symbol)
        ink, paper = (median(bare[MARGIN:-MARGIN, MARGIN:-MARGIN][of]) for of in (dark, ~dark))
        coats = [
            *(self._plate_coats(layers[0], ground, window) if ground else ()),
            self._logo_coat(layers[-1], window, ink),
        ]
        is_left_out = with_margin(dark & (role_grid(symbol.version) == Role.DATA))[window] & _touched(coats[0].alpha)
        below = np.where(is_left_out, paper, bare[window])
        pixels = below.repeat(PIXELS, axis=0).repeat(PIXELS, axis=1)
        for alpha, luma in coats:
            pixels += alpha * (luma - pixels)
        return _budget(symbol, bare, window, middles(pixels, PIXELS))

    def _window(self, layers: Sequence[Layer]) -> Window:
        """Return the modules that a pixel of a layer touches."""
        columns = self._reached([(layer.x, layer.x + layer.width) for layer in layers], self._layout.x)
        rows = self._reached([(layer.y, layer.y + layer.height) for layer in layers], self._layout.y)
        return rows, columns

    def _reached(self, spans: Sequence[tuple[float, float]], edge: float) -> slice:
        """Return the rows or columns that spans of pixels touch, on a symbol that begins at an edge."""
        across = self._symbol.side + 2 * MARGIN
        first = floor((floor(min(start for start, _ in spans)) - edge) / self._layout.module) + MARGIN
        last = ceil((ceil(max(end for _, end in spans)) - edge) / self._layout.module) + MARGIN
        return slice(min(max(0, first), across - 1), max(1, min(across, last)))

    def _box(self, layer: Layer) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of a layer in modules, counted from the margin."""
        layout = self._layout
        left, top = (layer.x - layout.x) / layout.module + MARGIN, (layer.y - layout.y) / layout.module + MARGIN
        return left, top, left + layer.width / layout.module, top + layer.height / layout.module

    def _plate_coats(self, plate: Layer, ground: Ground, window: Window) -> Iterator[Coat]:
        """Yield the plate and its ring."""
        left, top, right, bottom = self._box(plate)
        rows, columns = (_middles_of(of) for of in window)
        x, y = abs(columns - (left + right) / 2), abs(rows - (top + bottom) / 2)[:, None]
        radius = {"circle": min(right - left, bottom - top) / 2, "rounded": ROUNDED, "square": 0.0}[ground.plate]
        beyond_x, beyond_y = x - (right - left) / 2 + radius, y - (bottom - top) / 2 + radius
        # Modules from the edge; negative inside of the plate.
        distance = np.hypot(beyond_x.clip(0), beyond_y.clip(0)) + np.maximum(beyond_x, beyond_y).clip(max=0) - radius
        yield Coat(_coverage(distance), ground.color_on(self._plain).luma)
        if ground.ring:
            color = Color.parse(ground.ring) if isinstance(ground.ring, str) else ground.ring
            yield Coat(_coverage(abs(distance + RIM + RING / 2) - RING / 2) * color.opacity, color.luma)

    def _logo_coat(self, layer: Layer, window: Window, ink: float) -> Coat:
        """Return the logo; an icon has the luma of the foreground."""
        pixels = self._logo.pixels()
        left, top, right, bottom = self._box(layer)
        rows, columns = (_middles_of(of) for of in window)
        row = np.floor((rows - top) / (bottom - top) * pixels.shape[0]).astype(int)
        column = np.floor((columns - left) / (right - left) * pixels.shape[1]).astype(int)
        is_inside = ((row >= 0) & (row < pixels.shape[0]))[:, None] & (column >= 0) & (column < pixels.shape[1])
        seen = pixels.take(row, axis=0, mode="clip").take(column, axis=1, mode="clip") / np.float32(255)
        luma = ink if isinstance(self._logo.picture, Outline) else seen[:, :, :3] @ WEIGHTS
        return Coat(seen[:, :, 3] * is_inside, luma)


def _budget(symbol: Symbol, bare: Greys, window: Window, seen: Greys) -> Budget:
    """Return the error correction that a symbol uses if modules in a window look different."""
    luma = bare.copy()
    luma[window] = seen
    return damage(wrong_modules(luma, symbol), symbol)


def _is_modest(budget: Budget) -> bool:
    return budget.used <= MOST_USED and not any(fixed_issues(budget))


@lru_cache(maxsize=4)
def _bare_luma(plain: Design, symbol: Symbol) -> Greys:
    """Return the luma of the modules without a logo; cached, because a slider tries many sizes on a symbol."""
    ink, paper, layout = plain.foreground, plain.background, layout_of(plain)
    if not (isinstance(ink, Color) and isinstance(paper, Color) and layout.width == layout.height):
        return sample(draw(plain, symbol, {}, exact=True), BARE_PIXELS).modules
    seen = paper.over(WHITE)
    modules = np.where(true_modules(symbol), ink.over(seen).luma, seen.luma).astype(np.float32)
    quiet = min(MARGIN, plain.padding)
    return np.pad(np.pad(modules, quiet, constant_values=seen.luma), MARGIN - quiet, constant_values=WHITE.luma)


def _coverage(distance: Greys) -> Greys:
    """Return the share of each pixel that lies inside an edge, from the distance of its middle to the edge."""
    share: Greys = (0.5 - distance * PIXELS).clip(0, 1)
    return share


def _touched(alpha: Greys) -> np.ndarray:
    """Mark the modules with a pixel that can be seen."""
    rows, columns = (count // PIXELS for count in alpha.shape)
    touched: np.ndarray = alpha.reshape(rows, PIXELS, columns, PIXELS).max(axis=(1, 3)) > 0
    return touched


def _middles_of(modules: slice) -> np.ndarray:
    """Return the middles of the pixels of some modules."""
    return np.arange(modules.start * PIXELS, modules.stop * PIXELS) / PIXELS + 0.5 / PIXELS
