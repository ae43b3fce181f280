"""Turns measurements into issues, with each limit in one place.

The limits come from tests with ten readers in nineteen conditions. The standard requires more in some places and less
in others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil, floor
from typing import TYPE_CHECKING

from qrkit.scanning import fixes
from qrkit.scanning.scan_report import Issue, Severity

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.scanning.budget import Budget
    from qrkit.scanning.measures import EyeShape, Structure

__all__ = ["MOST_USED", "issues_of", "sorted_issues"]

MOST_USED = 0.5
"""Share of the worst block's error correction that a design may use; the rest is for dirt and reflections."""

RADIUS = 0.9
CORE = 2.6
WHOLE = 0.9
WEIGHT = 0.7
QUIET = 2.0
CONTRAST = 0.65
"""Limits of the values in `qrkit.scanning.measures`."""

FAINTEST = 0.1
"""Contrast below which no reader finds the symbol."""

STANDARD_QUIET = 4
"""Modules of quiet zone that ISO/IEC 18004:2015, 6.3.8 requires."""

UNSURE = 0.2
"""Modules by which the measured quiet zone of an image may be too narrow, because edges are a pixel wide."""

SEVERITIES: tuple[Severity, ...] = ("fatal", "error", "warning", "note")


def issues_of(design: Design | None, budget: Budget | None, structure: Structure) -> tuple[Issue, ...]:
    """Return all issues, the worst first.

    Args:
        design: The design, for which fixes are proposed; None for an image.
        budget: The budget of its symbol; None if it is known that no module reads wrong.
        structure: The structure of its drawing.
    """
    if abs(structure.contrast) < FAINTEST:
        # If the symbol is invisible, no other measurement is meaningful.
        return tuple(_contrast(design, structure))
    found: Iterable[Issue] = (
        *_contrast(design, structure),
        *(_budget(design, budget) if budget else ()),
        *(_fixed(budget) if budget else ()),
        *_eyes(design, structure),
        *_weights(design, structure),
        *_quiet(design, structure),
    )
    return sorted_issues(found)


def sorted_issues(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """Sort issues, the worst first, keeping the order of equally severe ones."""
    return tuple(sorted(issues, key=lambda issue: SEVERITIES.index(issue.severity)))


def _budget(design: Design | None, budget: Budget) -> Iterator[Issue]:
    used = budget.used
    if used <= MOST_USED:
        return
    severity: Severity = "fatal" if budget.is_lost else "error" if used > 0.8 else "warning"
    number = budget.worst_block
    errors, most = budget.errors[number], budget.correctable[number]
    cause = budget.causes[0].path if budget.causes else "symbol"
    by = "" if cause == "symbol" else f", most of it for {cause}"
    room = f"at most {MOST_USED:.0%} leaves room for dirt and reflections"
    if used > 1:
        who = "no reader corrects" if budget.is_lost else "only readers with a lenient threshold can still read"
        room = f"{who} that, and {room}"
    message = (
        f"{errors} codewords of block {number + 1} read wrong and {most} can be corrected: {used:.0%} of its error "
        f"correction is used{by}; {room}"
    )
    fix = fixes.less_damage(design, budget) if design else None
    yield Issue("error-budget", severity, cause, used, MOST_USED, message, fix)


FIXED_LIMITS = {"timing": (1, 4), "format": (1, 6), "version": (3, 7), "alignment": (8, 10_000), "dark_module": (1, 2)}
"""Number of wrong modules in a function pattern from which there is a warning, and an error."""

ALIGNMENT_MODULES = 25
"""Modules of one alignment pattern. From version 7 on, there are at least six, and readers can do without one."""


def _fixed(budget: Budget) -> Iterator[Issue]:
    for name, (some, many) in FIXED_LIMITS.items():
        wrong = budget.fixed.get(name, 0)
        spare = ALIGNMENT_MODULES if name == "alignment" and budget.symbol.version >= 7 else 0
        if wrong >= some + spare:
            pattern = name.replace("_", " ")
            many_or_one = f"{wrong} modules of the {pattern} read" if wrong > 1 else f"a module of the {pattern} reads"
            message = f"{many_or_one} wrong, which nothing corrects; keep what covers it away"
            yield Issue(
                "fixed-pattern", "error" if wrong >= many + spare else "warning", name, wrong, some + spare - 1, message
            )


EYE_RULES = {
    "eye-ring": ("ring", WHOLE, "{measured:.0%} of the ring of {where} is dark; readers need {needed:.0%}"),
    "eye-gap": ("gap", WHOLE, "{measured:.0%} of the gap inside {where} is light; readers need {needed:.0%}"),
    "eye-pupil": ("core", CORE, "the pupil of {where} is {measured:.2f} modules wide; readers need {needed}"),
}
"""Maps the code of an issue to the field of `EyeShape`, its minimum and the message."""


def _eyes(design: Design | None, structure: Structure) -> Iterator[Issue]:
    """Yield each issue once for all eyes that have it, with the worst value."""
    fix = None
    if design:
        fix = fixes.safe_eyes(design, [eye.corner for eye in structure.eyes if not _is_safe(eye)])
    for code, (named, needed, rule) in EYE_RULES.items():
        short = [eye for eye in structure.eyes if getattr(eye, named) < needed]
        if short:
            measured = min(getattr(eye, named) for eye in short)
            message = rule.format(measured=_floor(measured), where=_corners(short), needed=needed)
            yield Issue(code, "error", _corners(short), measured, needed, message, fix)
    rounded = [eye for eye in structure.eyes if eye.radius > RADIUS and eye.ring >= WHOLE]
    if rounded:
        radius = max(eye.radius for eye in rounded)
        message = (
            f"the outer corners of {_corners(rounded)} are rounded by {ceil(radius * 100) / 100:.2f} modules; readers "
            f"that look for the four corners need {RADIUS} at most"
        )
        yield Issue("eye-corner", "warning", _corners(rounded), radius, RADIUS, message, fix)


def _floor(value: float) -> float:
    """Round down to hundredths; rounding up could produce "0.65; readers need 0.65"."""
    return floor(value * 100) / 100


def _is_safe(eye: EyeShape) -> bool:
    return eye.radius <= RADIUS and eye.core >= CORE and min(eye.ring, eye.gap) >= WHOLE


def _corners(eyes: Iterable[EyeShape]) -> str:
    names = [eye.corner for eye in eyes]
    return "markers" if len(names) == 3 else ", ".join(f"markers.{name}" for name in names)


def _weights(design: Design | None, structure: Structure) -> Iterator[Issue]:
    for kind, weight in (("dark", structure.dark_weight), ("light", structure.light_weight)):
        if weight < WEIGHT:
            severity: Severity = "error" if weight < 0.5 else "warning"
            message = (
                f"a fifth of the {kind} modules are drawn no larger than a disc of {_floor(weight):.2f} modules; "
                f"readers need {WEIGHT}"
            )
            fix = fixes.heavier(design, kind, weight) if design else None
            yield Issue("module-weight", severity, "modules", weight, WEIGHT, message, fix)


def _quiet(design: Design | None, structure: Structure) -> Iterator[Issue]:
    quiet = structure.quiet
    if quiet > STANDARD_QUIET - UNSURE:
        return
    severity: Severity = "error" if quiet < 1 else "warning" if quiet < QUIET else "note"
    clear = design is not None and fixes.is_clear(design)
    if clear:
        severity = "warning"
    why = "the background is transparent, so that a dark page shows through: " if clear else ""
    shown = f"{floor(quiet * 10) / 10:.1f} modules of quiet zone"
    message = f"{why}{shown}; readers need {QUIET:g}, the standard asks for {STANDARD_QUIET}"
    where = "background" if clear else "padding"
    fix = fixes.with_what_follows(design, fixes.quiet(design)) if design else None
    yield Issue("quiet-zone", severity, where, quiet, STANDARD_QUIET, message, fix)


def _contrast(design: Design | None, structure: Structure) -> Iterator[Issue]:
    size = abs(structure.contrast)
    if structure.contrast < 0:
        message = "the symbol is drawn light on dark; six of ten readers do not see it"
        fix = fixes.dark_on_light(design) if design else None
        yield Issue("polarity", "error", "foreground", structure.contrast, CONTRAST, message, fix)
    if structure.is_mirrored:
        message = "the symbol is drawn mirrored; some readers do not see it"
        yield Issue("mirrored", "error", "flip", 1, 0, message, {"flip": "none"} if design else None)
    if size < CONTRAST:
        severity: Severity = "fatal" if size < FAINTEST else "error" if size < 0.4 else "warning"
        message = (
            f"dark and light modules differ by {_floor(size):.2f} of black to white where they differ least; readers "
            f"need {CONTRAST}"
        )
        # If the colors are fine, small sprites look pale.
        fix = (fixes.more_contrast(design) or fixes.heavier(design, "dark", structure.dark_weight)) if design else None
        yield Issue("contrast", severity, "foreground", size, CONTRAST, message, fix)
