"""`Ground`: what lies below an item, for formats without transparency, which must mix colors themselves."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from qrkit.design.color import WHITE, Color
from qrkit.drawing.paints import opaque
from qrkit.drawing.scene import Linear, Matrix, Paint, Radial, Rectangle, Scene
from qrkit.drawing.writers.canvas import painted
from qrkit.drawing.writers.flattening import Box, Placed, box_of, part_of

__all__ = ["Ground", "is_opaque", "is_seen", "mixed"]

ROUNDING = 1e-6
"""What sums of pixels may be off."""

PIECES = 16
"""A fade is cut into so many: color times alpha is a curve, and as many straight pieces miss it by less than 1/255."""


class Ground:
    """What was painted of a scene so far, on its paper.

    Attributes:
        placed: All of it, the paper first.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._whole: Box = (0, 0, scene.width, scene.height)
        self.placed: list[Placed] = []
        # The paint that covers everything, where it goes, and how much of `placed` lies below or is it.
        self._sheet: tuple[Matrix, Paint] | None = None
        self._covered = 0
        paper = scene.paper or (Rectangle(*self._whole, WHITE),)
        for one in replace(scene, items=paper).flat():
            self.add(one)

    def add(self, placed: Placed) -> None:
        """Note what was painted."""
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
        """The opaque paint that all of an item lies on, in the item's pixels; None where it lies on several."""
        if self._sheet is None:
            return None
        matrix, paint = self._sheet
        usable = isinstance(paint, Color) or matrix == placed[0]
        if len(self.placed) == self._covered:
            return paint if usable else None
        return self._seen_below(placed, paint if usable else None)

    def _seen_below(self, placed: Placed, sheet: Paint | None) -> Paint | None:
        """The same by looking at pictures of the ground and of the item."""
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
    """Whether a paint leaves any trace."""
    return opaque(paint) is not None


def is_opaque(paint: Paint) -> bool:
    """Whether nothing shines through a paint."""
    return opaque(paint) == paint


def mixed(above: Paint, below: Paint) -> Paint | None:
    """One opaque paint that looks like one over another; None where no paint of a scene does."""
    if opaque(above) in (above, below):
        return opaque(above)
    if isinstance(above, Color):
        return above.over(below) if isinstance(below, Color) else _with_stops(below, _over_stops(above, below.stops))
    return _with_stops(above, _faded_stops(above.stops, below)) if isinstance(below, Color) else None


def _with_stops(paint: Linear | Radial, stops: tuple[tuple[float, Color], ...]) -> Paint:
    if isinstance(paint, Linear):
        return Linear(paint.start, paint.stop, stops)
    return Radial(paint.centre, paint.radius, paint.focus, stops)


def _over_stops(above: Color, stops: tuple[tuple[float, Color], ...]) -> tuple[tuple[float, Color], ...]:
    return tuple((offset, above.over(color)) for offset, color in stops)


def _faded_stops(stops: tuple[tuple[float, Color], ...], below: Color) -> tuple[tuple[float, Color], ...]:
    """Stops on a color, with more of them where alpha changes."""
    found = [(stops[0][0], stops[0][1].over(below))]
    for (start, first), (end, last) in pairwise(stops):
        pieces = PIECES if first.alpha != last.alpha and start < end else 1
        for index in range(1, pieces + 1):
            share = index / pieces
            found.append((start + (end - start) * share, _between(first, last, share, below)))
    return tuple(found)


def _between(first: Color, last: Color, share: float, below: Color) -> Color:
    """A color on the way from one to another, over an opaque one; rounded only once."""
    opacity = first.opacity + (last.opacity - first.opacity) * share
    red, green, blue = (
        round((one + (other - one) * share) * opacity + under * (1 - opacity))
        for one, other, under in (
            (first.red, last.red, below.red),
            (first.green, last.green, below.green),
            (first.blue, last.blue, below.blue),
        )
    )
    return Color(red, green, blue)
