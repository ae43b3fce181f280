"""Finds which parts of a design cause damage, by leaving out each part in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from qrkit.design.color import BLACK, WHITE, Color
from qrkit.design.decoration import Marker, Modules
from qrkit.drawing.draw import draw
from qrkit.drawing.scene import Pictures
from qrkit.drawing.untrusted.rasteriser import LONGEST_SECONDS, within
from qrkit.scanning.budget import Budget, Cause, wrong_modules
from qrkit.scanning.module_roles import module_codewords
from qrkit.scanning.sampling import sample
from qrkit.symbol.symbol import FINDER, finder_places

if TYPE_CHECKING:
    from qrkit.design.design import Design

__all__ = ["causes_of"]


def causes_of(design: Design, pictures: Pictures, budget: Budget) -> tuple[Cause, ...]:
    """Return the damage that each part of a design does to its symbol, the worst first, without harmless parts.

    Damage that either of two parts would cause alone is attributed to neither.

    Raises:
        RenderingFailed: If the renderer fails on a part of the design, or takes too long.
    """
    if not budget.wrong.any():
        return ()
    found = []
    with within(LONGEST_SECONDS):
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
    """Yield the design without each part that may cause damage: the field, the remaining design and its images."""
    for index in range(len(design.layers)):
        layers = [layer for number, layer in enumerate(design.layers) if number != index]
        yield f"layers.{index}", design.replace(layers=layers), _renumbered(pictures, index)
    if design.modules.type != "default":
        yield "modules", design.replace(modules=Modules()), pictures
    for corner, (row, column) in finder_places(len(wrong)).items():
        # Markers never extend beyond their separator.
        rows, columns = (slice(max(0, place - 1), place + FINDER + 1) for place in (row, column))
        if getattr(design.markers, corner) and wrong[rows, columns].any():
            markers = design.markers.replace(**{corner: Marker(pattern="default")})
            yield f"markers.{corner}", design.replace(markers=markers), pictures
    if design.photo:
        yield "photo", design.replace(photo=None), pictures
    if design.wrapper:
        yield "wrapper", design.replace(wrapper=None), pictures
    if design.frame:
        yield "frame", design.replace(frame=None), pictures
    if not isinstance(design.foreground, Color):
        yield "foreground", design.replace(foreground=BLACK), pictures
    if not isinstance(design.background, Color):
        yield "background", design.replace(background=WHITE), pictures


def _renumbered(pictures: Pictures, gone: int) -> Pictures:
    """Return the images by their paths after a layer is removed."""
    found = {}
    for path, picture in pictures.items():
        kind, number, *rest = path.split(".")
        if kind != "layers":
            found[path] = picture
        elif int(number) != gone:
            found[".".join((kind, str(int(number) - (int(number) > gone)), *rest))] = picture
    return found
