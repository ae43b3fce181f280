"""Provides `Ground`, the paint below an item, for formats without transparency, which have to mix colors."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import isclose

from qrkit.design.color import WHITE, Color
from qrkit.drawing.paints import moved, opaque, recolored
from qrkit.drawing.scene import Matrix, Paint, Rectangle, Scene
from qrkit.drawing.writers.flattening import Box, Placed, box_of, part_of

ROUNDING = 1e-6
"""Rounding error allowed in sums of pixels."""

PIECES = 16
"""Straight pieces that approximate a fade: color times alpha is a curve, and 16 pieces deviate by less than 1/255."""


class Ground:
    """The items of a scene that were painted so far; `placed` has them in painting order, the paper first."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._whole: Box = (0, 0, scene.width, scene.height)
        self.placed: list[Placed] = []
        # The topmost paint that covers the whole scene, with its matrix, and the number of items up to it.
        self._sheet: tuple[Matrix, Paint] | None = None
        self._covered = 0
        paper = scene.paper or (Rectangle(*self._whole, WHITE),)
        for one in replace(scene, items=paper).flat():
            self.add(one)

    def add(self, placed: Placed) -> None:
        """Record a painted item."""
        self.placed.append(placed)
        matrix, item = placed
        if isinstance(item, Rectangle) and is_opaque(item.paint) and self._fills(box_of(placed)):
            self._sheet, self._covered = (matrix, item.paint), len(self.placed)

    def _fills(self, box: Box) -> bool:
        left, top, width, height = box
        return (
            max(left, top) <= ROUNDING
            and left + width >= self._scene.width - ROUNDING
            and top + height >= self._scene.height - ROUNDING
        )

    def below(self, placed: Placed) -> Paint | None:
        """Return the opaque paint below an item, in the item's pixels; None if there are several paints below it."""
        if self._sheet is None:
            return None
        matrix, paint = self._sheet
        to_item = matrix.then(placed[0].inverse())
        is_usable = isinstance(paint, Color) or isclose(abs(to_item.scale_x), abs(to_item.scale_y))
        sheet = moved(paint, to_item) if is_usable else None
        return sheet if len(self.placed) == self._covered else self._find_below(placed, sheet)

    def _find_below(self, placed: Placed, sheet: Paint | None) -> Paint | None:
        """Find the paint below an item by rendering the ground and the item."""
        from qrkit.drawing.writers.canvas import painted  # loads Pillow, which most drawings do without

        ground, bare, item = (
            painted(part[0])
            for one in (self.placed, self.placed[: self._covered], [placed])
            if (part := part_of(self._scene, one, self._whole, 1))
        )
        touched = item.getchannel("A").point(lambda alpha: 255 if alpha else 0)
        if sheet is not None:
            changed = bare.copy()
            changed.paste(ground, mask=touched)
            if changed.tobytes() == bare.tobytes():
                return sheet
        counts = ground.convert("RGB").histogram(touched)
        parts = [[value for value in range(256) if counts[start + value]] for start in (0, 256, 512)]
        return Color(*(values[0] for values in parts)) if all(len(values) == 1 for values in parts) else None


def is_seen(paint: Paint) -> bool:
    """Return True if a paint is not fully transparent."""
    return opaque(paint) is not None


def is_opaque(paint: Paint) -> bool:
    """Return True if a paint has no transparency."""
    return opaque(paint) == paint


def mixed(above: Paint, below: Paint) -> Paint | None:
    """Return the opaque paint that results from one paint over another; None if no single paint does."""
    if opaque(above) in (above, below):
        return opaque(above)
    if isinstance(above, Color):
        return recolored(below, above.over)
    return above._replace(stops=_faded_stops(above.stops, below)) if isinstance(below, Color) else None


def _faded_stops(stops: tuple[tuple[float, Color], ...], below: Color) -> tuple[tuple[float, Color], ...]:
    """Compose stops on a color, adding stops where alpha changes."""
    mixed_stops = [(stops[0][0], stops[0][1].over(below))]
    for (start, first), (end, last) in pairwise(stops):
        pieces = PIECES if first.alpha != last.alpha and start < end else 1
        for index in range(1, pieces + 1):
            share = index / pieces
            mixed_stops.append((start + (end - start) * share, _between(first, last, share, below)))
    return tuple(mixed_stops)


def _between(first: Color, last: Color, share: float, below: Color) -> Color:
    """Interpolate between two colors and compose the result on an opaque one, rounding only once."""
    opacity = first.opacity + (last.opacity - first.opacity) * share
    channels = zip(first.channels, last.channels, below.channels, strict=True)
    mixed = (round((one + (other - one) * share) * opacity + under * (1 - opacity)) for one, other, under in channels)
    return Color(*mixed)
