"""Draws a design and reports whether it scans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from qrkit.drawing.draw import draw
from qrkit.drawing.scene import Pictures
from qrkit.drawing.untrusted.assets import read_assets
from qrkit.drawing.untrusted.rasteriser import LONGEST_SECONDS, within
from qrkit.errors import InvalidParameter, Problem
from qrkit.scanning.budget import Budget, budget_of, is_inverted, true_modules
from qrkit.scanning.causes import causes_of
from qrkit.scanning.free_pads import symbol_of
from qrkit.scanning.grade import QUIET_ZONE, Grade, grade
from qrkit.scanning.issues import issues_of
from qrkit.scanning.sampling import MARGIN, Sampled, greys_of, reflectance, sample
from qrkit.scanning.scan_report import Audience, Level, ScanReport
from qrkit.scanning.structure import structure_of
from qrkit.scanning.verdict import report_of
from qrkit.symbol.encode.headers import header_of
from qrkit.symbol.encode.segments import segments_of

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.drawing.scene import Scene
    from qrkit.drawing.untrusted.assets import Fetch
    from qrkit.scanning.readers import Engine
    from qrkit.symbol.symbol import Symbol

__all__ = ["Drawn", "drawn", "examine", "graded", "measure", "no_verdict"]

PANEL_PIXELS = 12
"""Pixels per module in the image that readers get; conditions may reduce it."""


class Drawn(NamedTuple):
    """A design with its drawing.

    Attributes:
        design: The design.
        symbol: The encoded modules.
        pictures: The images of the design.
        scene: The drawing, which may have fractions of a pixel per module.
    """

    design: Design
    symbol: Symbol
    pictures: Pictures
    scene: Scene


def drawn(design: Design, fetch: Fetch | None = None) -> Drawn:
    """Draw a design.

    Raises:
        ContentTooLong: If the content does not fit.
        AssetError: If an image in the design is invalid or cannot be fetched.
    """
    pictures = read_assets(design.pictures, fetch) if design.pictures else {}
    symbol = symbol_of(design, pictures)
    return Drawn(design, symbol, pictures, draw(design, symbol, pictures, exact=True))


def examine(
    drawn: Drawn, level: Level = "standard", engines: Sequence[Engine] | None = None, *, audience: Audience = "phones"
) -> ScanReport:
    """Check a design; see `qrkit.check`.

    Args:
        drawn: The design with its drawing.
        level: The level of the check.
        engines: The readers to use; by default those of the audience or, at level `full`, all that are installed.
        audience: Whose readers must read it.

    Raises:
        InvalidParameter: If the design is a Micro QR Code, which has no verdict.
        RenderingFailed: If the renderer fails on a part of the design, or takes too long.
    """
    design, symbol, pictures, scene = drawn
    with within(LONGEST_SECONDS):
        sampled, budget = measure(drawn)
        budget = replace(budget, find_causes=partial(causes_of, design, pictures))
        structure = structure_of(sampled, symbol, budget.wrong)
        issues = issues_of(design, budget, structure, audience)
        seen = greys_of(scene, PANEL_PIXELS) if level != "static" else None
    panel = None
    if seen:
        from qrkit.scanning.panel import run_panel

        panel = run_panel(*seen, _expected(drawn), level=level, audience=audience, engines=engines, symbol=symbol)
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
    )


def measure(drawn: Drawn) -> tuple[Sampled, Budget]:
    """Sample a drawing, and compute the error correction that it uses.

    Raises:
        InvalidParameter: If the design is a Micro QR Code, which has no verdict.
        RenderingFailed: If the renderer fails on a part of the design, or takes too long.
    """
    if drawn.design.micro:
        raise no_verdict()
    with within(LONGEST_SECONDS):
        sampled = sample(drawn.scene)
        return sampled, budget_of(sampled, drawn.symbol)


def no_verdict() -> InvalidParameter:
    """Return the error for a check of a Micro QR Code, which most phones cannot read, however well it is drawn."""
    rule = (
        "has no verdict: most phones cannot read Micro QR Codes; test the print with your own readers, or use an "
        "ordinary QR Code"
    )
    return InvalidParameter(Problem("micro", None, rule, "bad-value"))


def _expected(drawn: Drawn) -> str | frozenset[bytes]:
    """Return the content or, with FNC1, its bytes: some readers return % in alphanumeric mode as it is encoded."""
    design = drawn.design
    if not design.fnc1:
        return design.content
    header = header_of(design.charset, design.part, fnc1=True)
    segments = segments_of(design.content, design.em, drawn.symbol.version, header)
    encoded = "".join(segment.text for segment in segments)
    return frozenset(text.encode(header.charset) for text in (design.content, encoded))


def graded(sampled: Sampled, symbol: Symbol) -> Grade:
    """Grade a drawn symbol; a light-on-dark symbol is graded as its negative, which the standard allows."""
    around = MARGIN - QUIET_ZONE
    light = reflectance(sampled.modules()[around:-around, around:-around])
    return grade(1 - light if is_inverted(sampled.modules(), true_modules(symbol)) else light, symbol)
