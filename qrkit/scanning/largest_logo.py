"""Provides `largest_logo`, which finds the largest logo that a design can have and still scan."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from qrkit.design.color import Color
from qrkit.design.decoration import Layer
from qrkit.design.design import Design
from qrkit.design.limits import Display, PadChoice
from qrkit.drawing.logo import Ground, Logo, Plate, for_plate, place_problems, plate_problems
from qrkit.drawing.resizing import layout_of
from qrkit.drawing.untrusted.assets import Fetch
from qrkit.errors import CannotRepair, Problem, nearest, raise_any
from qrkit.late import Shown
from qrkit.scanning.bench import Bench, State
from qrkit.scanning.issues import MOST_USED
from qrkit.scanning.logo_size import largest_step
from qrkit.scanning.scan_report import Audience, Level, ScanReport
from qrkit.scanning.symbol_steps import sufficient_symbols
from qrkit.scanning.verdict import no_verdict

__all__ = ["LargestLogo", "largest_logo"]

PARTS = 4
"""Steps per module in which sizes are tried."""

MAY = ("mask", "ec")
NOTHING_FITS = (
    "no logo fits there within the error correction that may be used; raise ec or target, move the logo, or leave out "
    "its plate"
)


@dataclass(frozen=True, slots=True)
class LargestLogo(Shown):
    """The largest logo that a design can have at a place.

    Attributes:
        layer: The logo, in pixels of the image.
        share: Its longer side, as a share of the symbol's width.
        design: The design with the logo as its last layer.
        report: The scan report of this design.
    """

    layer: Layer
    share: float
    design: Design
    report: ScanReport

    def __repr__(self) -> str:
        return f"<LargestLogo {self.share:.0%} of the symbol's width, {self.report.verdict}>"


def largest_logo(
    design: Design,
    content: str,
    *,
    target: float = MOST_USED,
    place: tuple[float, float] = (0.5, 0.5),
    plate: Plate | None = "rounded",
    ring: str | Color | None = None,
    padding: float = 1.0,
    display: Display = "pixel-hit-test",
    pad_codewords: PadChoice | None = None,
    may: Collection[str] = ("mask",),
    level: Level = "standard",
    audience: Audience = "phones",
    fetch: Fetch | None = None,
) -> LargestLogo:
    """Find the largest logo with which the design still scans, drawn as `with_logo` draws it.

    Args:
        design: The design on which the logo is placed.
        content: The image, as in `Layer.content`; it keeps its proportions.
        target: Share of the worst block's error correction that the logo may use, 0..1.
        place: Center of the logo, as shares of the symbol from its left and its top, 0..1.
        plate: As in `with_logo`, with the same effect on `ec`; None leaves more room.
        ring: As in `with_logo`.
        padding: As in `with_logo`.
        display: As in `with_logo`.
        pad_codewords: `free` makes much more room if the content is short and there is no plate; None keeps the
            design's choice.
        may: Other fields that may change: `mask`, `ec` or both. The version stays.
        level: The level of the report, as in `qrkit.check`.
        audience: Whose readers must read it: `phones`, or `all`, which adds embedded readers; see `qrkit.check`.
        fetch: Downloads images given by their URL. Without it, a URL raises an error.

    Raises:
        CannotRepair: If not even an image of one module fits at this place.
        InvalidParameter: If an argument breaks its rule, or the design is a Micro QR Code, which has no verdict.
        AssetError: If the image is invalid or cannot be fetched.
        ContentTooLong: If the content of the design does not fit.
        RenderingFailed: If the renderer fails on a part of the design.
    """
    _check(design, target, [*place_problems(place), *plate_problems(plate, ring, padding)], may)
    design = for_plate(design, plate)
    if pad_codewords:
        design = design.replace(pad_codewords=pad_codewords)
    side, logo = layout_of(design).side, Logo.read(content, fetch)
    ground = Ground(plate, ring, padding) if plate else None
    bench = Bench(target, fetch, audience)
    known = {(issue.code, issue.where) for issue in bench.state(design).issues}

    @cache
    def fitted(parts: int) -> State | None:
        layers = logo.layers(design, logo.layer_on(design, parts / PARTS / side, place), ground, {"display": display})
        return _fit(bench, design.replace(layers=[*design.layers, *layers]), known, may)

    verdict = cache(lambda: bench.report(design, level).verdict)

    @cache
    def scanned(parts: int) -> ScanReport | None:
        report = bench.report(found.design, level) if (found := fitted(parts)) else None
        return report if report and (report.is_at_least("ok") or report.is_at_least(verdict())) else None

    # Readers take much longer than arithmetic and mostly agree with it, so they check what it has found.
    most = largest_step(fitted, PARTS - 1, PARTS * side)
    share = most if scanned(most) else largest_step(scanned, PARTS - 1, most)
    best = scanned(share)
    if best is None or best.design is None:
        raise CannotRepair(NOTHING_FITS)
    return LargestLogo(best.design.layers[-1], share / PARTS / side, best.design, best)


def _fit(bench: Bench, design: Design, known: Collection[tuple[str, str]], may: Collection[str]) -> State | None:
    """Return the design if all its issues are known, perhaps with a different symbol of the same version; else None."""

    def is_good(state: State | None) -> bool:
        return (
            state is not None
            and bench.allows(state.budget.used)
            and all((issue.code, issue.where) in known for issue in state.issues)
        )

    state = bench.after(design, ())
    if state is None or is_good(state):
        return state
    reached = (bench.after(design, steps) for steps in sufficient_symbols(bench, state, may))
    return next((other for other in reached if is_good(other)), None)


def _check(design: Design, target: float, problems: list[Problem], may: Collection[str]) -> None:
    if design.micro:
        raise no_verdict()
    if not 0 <= target <= 1:
        problems.append(Problem("target", target, "must be between 0 and 1", "out-of-range"))
    problems += [
        Problem("may", one, "is not something that can be changed here; " + nearest(one, MAY))
        for one in may
        if one not in MAY
    ]
    raise_any(problems)
