"""Draws a design and reports whether it scans, and which of its parts cause damage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from qrkit.design.color import BLACK, WHITE, Color
from qrkit.design.decoration import Marker, Modules
from qrkit.drawing.draw import draw
from qrkit.drawing.scene import Pictures, Scene
from qrkit.drawing.untrusted.assets import Fetch, read_assets
from qrkit.drawing.untrusted.rasteriser import LONGEST_SECONDS, within
from qrkit.scanning.budget import Budget, Cause, budget_of, errors_of, wrong_modules
from qrkit.scanning.free_pads import fitted_symbol
from qrkit.scanning.grade import graded
from qrkit.scanning.issues import issues_of
from qrkit.scanning.sampling import Sampled, greys_of, sample
from qrkit.scanning.scan_report import Audience, Level, ScanReport
from qrkit.scanning.structure import structure_of
from qrkit.scanning.verdict import no_verdict, report_of
from qrkit.symbol.encode import symbol_of
from qrkit.symbol.encode.headers import header_of
from qrkit.symbol.encode.segments import segments_of
from qrkit.symbol.symbol import FINDER, Symbol, finder_places

if TYPE_CHECKING:
    import numpy as np

    from qrkit.design.design import Design
    from qrkit.scanning.readers import Engine


PANEL_PIXELS = 12
"""Pixels per module in the image that readers get; conditions may reduce it."""


PLAIN: dict[str, Any] = {
    **dict.fromkeys(("photo", "wrapper", "frame")), "foreground": BLACK, "background": WHITE,
}  # fmt: skip
"""Parts that may cause damage unless they are absent or one color, and what stands in for them."""


class Drawn(NamedTuple):
    """A design with its symbol, its images and its drawing, which may have fractions of a pixel per module."""

    design: Design
    symbol: Symbol
    pictures: Pictures
    scene: Scene


def drawn(design: Design, fetch: Fetch | None = None) -> Drawn:
    """Draw a design."""
    pictures = read_assets(design.pictures, fetch) if design.pictures else {}
    symbol = fitted_symbol(design, pictures, symbol_of(design))
    return Drawn(design, symbol, pictures, draw(design, symbol, pictures, exact=True))


def examine(
    drawn: Drawn, level: Level = "standard", engines: Sequence[Engine] | None = None, *, audience: Audience = "phones"
) -> ScanReport:
    """Check a design; see `qrkit.check`. The readers are by default those of the audience, or all at level `full`."""
    design, symbol, pictures, scene = drawn
    with within(LONGEST_SECONDS):
        sampled, budget = measure(drawn)
        budget = replace(budget, find_causes=partial(causes_of, design, pictures))
        structure = structure_of(sampled, symbol, budget.wrong)
        seen = greys_of(scene, PANEL_PIXELS) if level != "static" else None
    panel = None
    if seen:
        from qrkit.scanning.panel import run_panel

        panel = run_panel(*seen, _expected(drawn), level=level, audience=audience, engines=engines, symbol=symbol)
        budget = budget.as_read() if panel.rate else budget
    issues = issues_of(design, budget, structure, audience, level)
    return report_of(
        design.content,
        level,
        issues,
        audience=audience,
        budget=budget,
        structure=structure,
        panel=panel,
        grade=graded(sampled, symbol) if level in ("standard", "full") else None,
        design=design,
        modules_wide=scene.width / scene.module,
    )


def measure(drawn: Drawn) -> tuple[Sampled, Budget]:
    """Sample a drawing, and compute the error correction that it uses."""
    if drawn.design.micro:
        raise no_verdict()
    with within(LONGEST_SECONDS):
        sampled = sample(drawn.scene)
        return sampled, budget_of(sampled, drawn.symbol)


def _expected(drawn: Drawn) -> str | frozenset[bytes]:
    """Return the content or, with FNC1, its bytes: some readers return % in alphanumeric mode as it is encoded."""
    design = drawn.design
    if not design.fnc1:
        return design.content
    header = header_of(design.charset, design.part, fnc1=True)
    segments = segments_of(design.content, design.em, drawn.symbol.version, header)
    encoded = "".join(segment.text for segment in segments)
    return frozenset(text.encode(header.charset) for text in (design.content, encoded))


# ---- which parts cause damage


def causes_of(design: Design, pictures: Pictures, budget: Budget) -> tuple[Cause, ...]:
    """Return the damage that each part of a design does to its symbol, the worst first, without harmless parts.

    Damage that either of two parts would cause alone is attributed to neither.
    """
    if not budget.wrong.any():
        return ()
    found = []
    with within(LONGEST_SECONDS):
        for path, other, shown in _without(design, pictures, budget.wrong):
            wrong = wrong_modules(sample(draw(other, budget.symbol, shown)).modules, budget.symbol)
            cured = budget.wrong & ~wrong
            if cured.any():
                version, level, before = budget.symbol.version, budget.symbol.error_correction, sum(budget.errors)
                codewords = before - sum(errors_of(budget.wrong & wrong, version, level))
                found.append(Cause(path, int(cured.sum()), codewords, codewords / before if before else 0.0))
    return tuple(sorted(found, key=lambda cause: (-cause.codewords, -cause.modules, cause.path)))


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
    for name, plain in PLAIN.items():
        if not isinstance(getattr(design, name), Color | None):
            yield name, design.replace(**{name: plain}), pictures


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
