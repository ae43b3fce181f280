"""Straightens a photo of a symbol, following the bends of its paper.

The known symbol is compared with the photo in windows, by a regression on the symbol and its two derivatives: each
window tells its own light, its own contrast, and how far it is off. So neither shadows nor damage pull, and windows
that explain little of the photo count little.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from qrkit.scanning.photographs.close_up import PIXELS, CloseUp, Corners
from qrkit.scanning.sampling import MARGIN, Greys

SEARCHED_PIXELS = 4
"""Pixels per module at which the photo is compared with the symbol."""

STEPS = ((1.0, 1), (0.7, 1), (0.5, 2), (0.4, 3), (0.35, 4), (0.35, 4))
"""Blur in modules, and order of the polynomial of the bend: from coarse to fine."""

MOST_ORDER = 4
LEAST_SIDE_FOR_IT = 25
"""Modules per side from which the highest order can be told; version 1 has fewer windows."""

PHOTO_BLUR = 0.7
"""Blur of the photo, as a share of the symbol's, because it has some of its own."""

WINDOWS = 12
"""Windows per side, at most."""
LEAST_WINDOW = 3
"""Modules per side of a window, at least."""

LEAST_CONTRAST, LEAST_EXPLAINED = 0.02, 0.3
"""Windows with less contrast, or of which the symbol explains a smaller share, do not count."""

RIDGE = 1e-3
"""Weight of no bend at all, beside the windows."""


@dataclass(frozen=True, eq=False)
class Surface:
    """The place of each point of a symbol in a picture.

    Attributes:
        flat: The perspective, 3 x 3, from modules (counted from the margin) to pixels.
        across: Modules per side, with the margin.
        bend: (2, 5, 5): factors of the powers of x and y, -1..1, that add to x and to y, in modules.
    """

    flat: np.ndarray
    across: int
    bend: np.ndarray

    def places(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return x and y in pixels of all crossings of these columns and rows, in modules."""
        dx, dy = self.shifts(at)
        x, y = at[None, :] + dx, at[:, None] + dy
        h = self.flat
        depth = h[2, 0] * x + h[2, 1] * y + h[2, 2]
        return (h[0, 0] * x + h[0, 1] * y + h[0, 2]) / depth, (h[1, 0] * x + h[1, 1] * y + h[1, 2]) / depth

    def shifts(self, at: np.ndarray) -> np.ndarray:
        """Return how far the bend moves each crossing, (2, rows, columns), in modules."""
        powers = np.clip(2 * at / self.across - 1, -1, 1)[:, None] ** np.arange(MOST_ORDER + 1)
        moved: np.ndarray = powers @ self.bend.transpose(0, 2, 1) @ powers.T
        return moved


class Straight(NamedTuple):
    """A straightened photo of a symbol and `MARGIN` modules around it, in linear light, `PIXELS` per module.

    `is_inside` marks what the photo shows. `bend` is the largest distance in modules from a flat symbol, and `pixels`
    those of the photo per module, where they are fewest.
    """

    light: Greys
    is_inside: np.ndarray
    bend: float
    pixels: float


def align(close: CloseUp, white: Greys) -> Straight:
    """Straighten a photo that shows `white`, (side + 2 · `MARGIN`) squared: 0 for ink, 1 for paper."""
    across = len(white)
    side = across - 2 * MARGIN
    surface = _flat(close, across)
    model = np.kron(white, np.ones((SEARCHED_PIXELS, SEARCHED_PIXELS))).astype(np.float32)
    at = _points(across, SEARCHED_PIXELS)
    for blur, order in STEPS:
        order = min(order, MOST_ORDER if side >= LEAST_SIDE_FOR_IT else MOST_ORDER - 1)
        light, is_inside = _seen(close.light, *surface.places(at))
        light = blurred(light, blur * SEARCHED_PIXELS * PHOTO_BLUR)
        change = _bend(light, is_inside, blurred(model, blur * SEARCHED_PIXELS), order)
        surface = replace(surface, bend=surface.bend + change)
    x, y = surface.places(_points(across, PIXELS))
    light, is_inside = _seen(close.light, x, y)
    inner = slice(MARGIN, -MARGIN)
    bends = _without_plane(surface.shifts(np.arange(across + 1.0))[:, inner, inner])
    return Straight(light, is_inside, float(np.abs(bends).max()), close.reduction * _pixels(x, y, inner))


def _without_plane(shifts: np.ndarray) -> np.ndarray:
    """Return shifts without what moves, turns or scales the whole symbol: its corners may have been found there."""
    rows, columns = np.indices(shifts.shape[1:]).reshape(2, -1)
    plane = np.stack([np.ones_like(rows), rows, columns], -1)
    values = shifts.reshape(2, -1).T
    bent: np.ndarray = values - plane @ np.linalg.lstsq(plane, values, rcond=None)[0]
    return bent


def is_inverted(close: CloseUp, white: Greys) -> bool:
    """Return True if a photo shows ink lighter than paper."""
    light, _ = _seen(close.light, *_flat(close, len(white)).places(_points(len(white), 1)))
    inner = slice(MARGIN, -MARGIN)
    light, is_paper = light[inner, inner], white[inner, inner] > 0.5
    return bool(np.median(light[is_paper]) < np.median(light[~is_paper]))


def perspective(places: Corners, corners: Corners) -> np.ndarray:
    """Return the 3 x 3 matrix that moves four places to four corners."""
    rows, wanted = [], []
    for (x, y), (u, v) in zip(places, corners, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        wanted += [u, v]
    return np.append(np.linalg.solve(np.array(rows, dtype=float), np.array(wanted, dtype=float)), 1).reshape(3, 3)


def blurred(values: np.ndarray, sigma: float) -> np.ndarray:
    """Blur the last two axes by a Gauss curve; what is beyond the edges is like the edges."""
    reach = int(np.ceil(3 * sigma))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2).astype(np.float32)
    weights /= weights.sum()
    for _ in range(2):
        size = values.shape[-1]
        wide = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(reach, reach)], mode="edge")
        total = weights[0] * wide[..., :size]
        for place, weight in enumerate(weights[1:], 1):
            total += weight * wide[..., place : place + size]
        values = np.swapaxes(total, -1, -2)
    return values


def _flat(close: CloseUp, across: int) -> Surface:
    """Return the place of a symbol without a bend."""
    near, far = MARGIN, across - MARGIN
    flat = perspective(((near, near), (far, near), (far, far), (near, far)), close.corners)
    return Surface(flat, across, np.zeros((2, MOST_ORDER + 1, MOST_ORDER + 1)))


def _points(across: int, pixels: int) -> np.ndarray:
    """Return the middles of pixels along a side, in modules."""
    return (np.arange(across * pixels) + 0.5) / pixels


def _pixels(x: np.ndarray, y: np.ndarray, inner: slice) -> float:
    """Return the pixels per module where the symbol has the fewest."""
    x, y = (of[PIXELS // 2 :: PIXELS, PIXELS // 2 :: PIXELS][inner, inner] for of in (x, y))
    (x_down, x_along), (y_down, y_along) = np.gradient(x), np.gradient(y)
    return float(np.quantile(np.sqrt(np.abs(x_along * y_down - x_down * y_along)), 0.05))


def _seen(light: Greys, x: np.ndarray, y: np.ndarray) -> tuple[Greys, np.ndarray]:
    """Return the light at places between pixels, and which places are inside the picture."""
    height, width = light.shape
    is_inside = (x >= 0) & (y >= 0) & (x <= width - 1) & (y <= height - 1)
    x, y = np.clip(x, 0, width - 1.001), np.clip(y, 0, height - 1.001)
    column, row = x.astype(np.int32), y.astype(np.int32)
    along, down = (x - column).astype(np.float32), (y - row).astype(np.float32)
    at, flat = row * width + column, light.ravel()
    upper = flat[at] * (1 - along) + flat[at + 1] * along
    lower = flat[at + width] * (1 - along) + flat[at + width + 1] * along
    return upper * (1 - down) + lower * down, is_inside


def _bend(light: Greys, is_inside: np.ndarray, model: Greys, order: int) -> np.ndarray:
    """Return the bend that the light of windows tells, as in `Surface.bend`."""
    across = len(model) // SEARCHED_PIXELS
    side = across - 2 * MARGIN
    count = max(3, min(WINDOWS, (side + 2) // LEAST_WINDOW))
    size = (side + 2) * SEARCHED_PIXELS // count
    begin = (len(model) - count * size) // 2
    inner = slice(begin, begin + count * size)
    down, along = np.gradient(model)
    layers = np.stack([np.ones_like(model), model, along * SEARCHED_PIXELS, down * SEARCHED_PIXELS, light], -1)
    layers = (layers * is_inside[..., None])[inner, inner].reshape(count, size, count, size, 5)
    windows = layers.transpose(0, 2, 1, 3, 4).reshape(count * count, size * size, 5)
    sums = (windows.transpose(0, 2, 1) @ windows).astype(float)
    matrix, right = sums[:, :4, :4] + np.eye(4) * 1e-6 * size * size, sums[:, :4, 4]
    fit = np.linalg.solve(matrix, right[..., None])[..., 0]
    mean = right[:, 0] ** 2 / np.maximum(sums[:, 0, 0], 1)
    spread = sums[:, 4, 4] - mean
    share = np.clip(((fit * right).sum(1) - mean) / np.maximum(spread, 1e-9), 0, 1)
    contrast = fit[:, 1]
    counts = (contrast > LEAST_CONTRAST) & (share > LEAST_EXPLAINED)
    weight = np.where(counts, share**2 * np.minimum(spread, np.median(spread)), 0)
    # The photo is a + c · model(x - d), so its fit to the derivatives is -c · d.
    off = np.clip(-fit[:, 2:] / np.where(np.abs(contrast) > 1e-3, contrast, 1)[:, None], -1, 1)
    middles = 2 * (begin + size * (np.arange(count) + 0.5)) / len(model) - 1
    return _polynomial(np.tile(middles, count), np.repeat(middles, count), off, weight, min(order, count - 1))


def _polynomial(x: np.ndarray, y: np.ndarray, values: np.ndarray, weight: np.ndarray, order: int) -> np.ndarray:
    """Fit a polynomial in x and y to each of two columns of values; return zeros if there are too few values."""
    powers = [(one, other) for one in range(order + 1) for other in range(order + 1 - one)]
    basis = np.stack([x**one * y**other for one, other in powers], -1)
    table = np.zeros((2, MOST_ORDER + 1, MOST_ORDER + 1))
    if np.count_nonzero(weight) < len(powers):
        return table
    weighted = basis * weight[:, None]
    ridge = np.eye(len(powers)) * RIDGE * weight.sum() / len(weight)
    solved = np.linalg.solve(basis.T @ weighted + ridge, weighted.T @ values)
    for (one, other), pair in zip(powers, solved, strict=True):
        table[:, one, other] = pair
    return table
