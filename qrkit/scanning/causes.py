"""Which part of a design does the damage: each is left out in turn, and what reads right then is its doing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from qrkit.design.color import Color
from qrkit.design.decoration import Marker, Modules
from qrkit.drawing.draw import Pictures, draw
from qrkit.scanning.budget import Budget, Cause, module_codewords, wrong_modules
from qrkit.scanning.sampling import sample
from qrkit.symbol.symbol import FINDER, finder_places

if TYPE_CHECKING:
    from qrkit.design.design import Design

__all__ = ["causes_of"]


def causes_of(design: Design, pictures: Pictures, budget: Budget) -> tuple[Cause, ...]:
    """What each part of a design does to its symbol, the worst first; parts that do nothing are left out.

    Damage that two parts do together, each of them enough for it, is neither's.
    """
    if not budget.wrong.any():
        return ()
    found = []
    for path, other, shown in _without(design, pictures, budget.wrong):
        wrong = wrong_modules(sample(draw(other, budget.symbol, shown)).modules(), budget.symbol)
        cured = budget.wrong & ~wrong
        if cured.any():
            before, after = (_wrong_codewords(budget, flags) for flags in (budget.wrong, budget.wrong & wrong))
            codewords = before - after
            found.append(Cause(path, int(cured.sum()), codewords, codewords / before if before else 0.0))
    return tuple(sorted(found, key=lambda cause: (-cause.codewords, -cause.modules, cause.path)))


def _wrong_codewords(budget: Budget, wrong: np.ndarray) -> int:
    hit = module_codewords(budget.symbol.version)[wrong]
    return len(np.unique(hit[hit >= 0]))


def _without(design: Design, pictures: Pictures, wrong: np.ndarray) -> Iterator[tuple[str, Design, Pictures]]:
    """The design without each part that may have done it: the field, what is left, and its pictures."""
    for index in range(len(design.layers)):
        layers = [layer for number, layer in enumerate(design.layers) if number != index]
        yield f"layers.{index}", design.replace(layers=layers), _renumbered(pictures, index)
    if design.modules.type != "default":
        yield "modules", design.replace(modules=Modules()), pictures
    for corner, (row, column) in finder_places(len(wrong)).items():
        # Markers reach no further than their separator.
        rows, columns = (slice(max(0, place - 1), place + FINDER + 1) for place in (row, column))
        if getattr(design.markers, corner) and wrong[rows, columns].any():
            markers = design.markers.replace(**{corner: Marker(pattern="default")})
            yield f"markers.{corner}", design.replace(markers=markers), pictures
    if design.wrapper:
        yield "wrapper", design.replace(wrapper=None), pictures
    for field, plain in (("foreground", Color(0, 0, 0)), ("background", Color(255, 255, 255))):
        if not isinstance(getattr(design, field), Color):
            yield field, design.replace(**{field: plain}), pictures


def _renumbered(pictures: Pictures, gone: int) -> Pictures:
    """The pictures by the paths they have once a layer is gone."""
    found = {}
    for path, picture in pictures.items():
        kind, number, *rest = path.split(".")
        if kind != "layers":
            found[path] = picture
        elif int(number) != gone:
            found[".".join((kind, str(int(number) - (int(number) > gone)), *rest))] = picture
    return found
