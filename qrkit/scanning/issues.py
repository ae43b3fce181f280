"""Turns measurements into issues, with each limit in one place.

The limits come from tests with up to thirteen readers in simulated captures. The standard requires more in some places
and less in others. Readers of phones look for runs of dark and light along lines; embedded readers, such as those of
tills, look for contours, and need finder patterns with sharp corners.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import ceil, floor, inf
from typing import TYPE_CHECKING, NamedTuple

from qrkit.scanning import fixes
from qrkit.scanning.scan_report import Issue, Severity

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.scanning.budget import Budget
    from qrkit.scanning.measures import EyeShape, Structure
    from qrkit.scanning.scan_report import Audience

__all__ = ["MOST_USED", "issues_of", "sorted_issues"]

MOST_USED = 0.5
"""Share of the worst block's error correction that a design may use; the rest is for dirt and reflections."""

CORNER = 0.9
"""Radius of an eye's corners, in modules, up to which readers that look for contours find it."""

CORNER_OK = 1.2
"""Radius from which such readers hardly ever find it."""

WHOLE = 0.9
"""Share of the ring and of the gap of an eye that must be dark and light."""

QUIET = 2.0
"""Modules of quiet zone that readers need."""


class Limits(NamedTuple):
    """Bounds of a value: outside the first pair, a design is at best ok; outside the second, fragile."""

    least: float = 0
    most: float = inf
    least_ok: float = 0
    most_ok: float = inf

    def severity(self, value: float) -> Severity | None:
        """Return the severity of a value; None if it is within the limits."""
        if self.least - ROUNDING <= value <= self.most + ROUNDING:
            return None
        return "warning" if self.least_ok - ROUNDING <= value <= self.most_ok + ROUNDING else "error"

    def needed(self, value: float) -> float:
        """Return the limit that a value exceeds."""
        return self.least if value < self.least else self.most


ROUNDING = 0.005
"""By how much measured values may be off."""

CONTRAST = Limits(least=0.706, least_ok=0.588)
"""Luma of light minus dark modules: 180 and 150 of 255."""

PUPIL_CONTRAST = Limits(least=0.608, least_ok=0.53)
"""Luma of light modules minus a pupil: 155 and 135 of 255."""

RADIUS = Limits(most=2.5)
"""Radius of an eye's corners; full circles are found unless they are turned or tilted."""

WIDTH = Limits(least=0.82, most=1.12, least_ok=0.78, most_ok=1.22)
GROWTH = Limits(least=-0.18, most=0.1, least_ok=-0.22, most_ok=0.13)
PUPIL = Limits(least=2.7, most=3.23, least_ok=2.55, most_ok=3.32)
DIAGONAL = Limits(least=0.7, least_ok=0.5)
"""Width and growth of a ring, side of a pupil, and the gap between both on the diagonals."""

DARK_WEIGHT = Limits(least=0.79, least_ok=0.69)
LIGHT_WEIGHT = Limits(least=0.7, least_ok=0.5)
"""Diameter of a disc with the area of a module."""

ALIGNMENT = Limits(least=0.48, least_ok=0.42)
"""Share of a dark module of the alignment patterns that is dark; in dots of 0.8 modules, half of it is."""

SAME_INK = 0.03
"""Difference of contrast up to which eyes and modules have the same ink."""

FAINTEST = 0.1
"""Contrast below which no reader finds the symbol."""

STANDARD_QUIET = 4
"""Modules of quiet zone that ISO/IEC 18004:2015, 6.3.8 requires."""

UNSURE = 0.2
"""Modules by which the measured quiet zone of an image may be too narrow, because edges are a pixel wide."""

SEVERITIES: tuple[Severity, ...] = ("fatal", "error", "warning", "note")


def issues_of(
    design: Design | None, budget: Budget | None, structure: Structure, audience: Audience = "phones"
) -> tuple[Issue, ...]:
    """Return all issues, the worst first.

    Args:
        design: The design, for which fixes are proposed; None for an image.
        budget: The budget of its symbol; None if it is known that no module reads wrong.
        structure: The structure of its drawing.
        audience: Whose readers must read it. What only embedded readers need is a note for phones.
    """
    if abs(structure.contrast) < FAINTEST:
        # If the symbol is invisible, no other measurement is meaningful.
        return tuple(_contrast(design, structure))
    found: Iterable[Issue] = (
        *_contrast(design, structure),
        *(_budget(design, budget) if budget else ()),
        *(_fixed(budget) if budget else ()),
        *_eyes(design, structure),
        *_corners_of(design, structure, audience),
        *_other_eyes(structure),
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


class EyeRule(NamedTuple):
    """A rule for a measure of eyes.

    Attributes:
        code: The code of its issue.
        measure: Takes an eye and returns the value.
        limits: The bounds of the value.
        message: The issue in words, with `measured`, `where` and `needed`.
    """

    code: str
    measure: Callable[[EyeShape], float]
    limits: Limits
    message: str


EYE_RULES = (
    EyeRule(
        "eye-ring",
        lambda eye: eye.ring,
        Limits(least=WHOLE, least_ok=WHOLE),
        "{measured:.0%} of the ring of {where} is dark; readers need {needed:.0%}",
    ),
    EyeRule(
        "eye-gap",
        lambda eye: eye.gap,
        Limits(least=WHOLE, least_ok=WHOLE),
        "{measured:.0%} of the gap inside {where} is light; readers need {needed:.0%}",
    ),
    EyeRule(
        "eye-pupil",
        lambda eye: eye.core,
        PUPIL,
        "the pupil of {where} is {measured:.2f} modules wide; readers need {needed}",
    ),
    EyeRule(
        "eye-fit",
        lambda eye: eye.diagonal,
        DIAGONAL,
        "{measured:.2f} modules are between pupil and ring of {where} on the diagonals; readers need {needed}, so that "
        "a pupil in a round ring is round",
    ),
    EyeRule(
        "eye-contrast",
        lambda eye: eye.pupil_contrast,
        PUPIL_CONTRAST,
        "the pupil of {where} is {measured:.2f} of black to white darker than light modules; readers need {needed}",
    ),
    EyeRule(
        "eye-contrast",
        lambda eye: eye.ring_contrast,
        CONTRAST,
        "the ring of {where} is {measured:.2f} of black to white darker than light modules; readers need {needed}",
    ),
    EyeRule(
        "eye-radius",
        lambda eye: eye.radius,
        RADIUS,
        "the outer corners of {where} are rounded by {measured:.2f} modules; readers need {needed} at most",
    ),
    EyeRule(
        "eye-width",
        lambda eye: eye.width,
        WIDTH,
        "the ring of {where} is {measured:.2f} modules wide instead of 1; readers need {needed}",
    ),
    EyeRule(
        "eye-size",
        lambda eye: eye.growth,
        GROWTH,
        "{where} reach {measured:+.2f} modules beyond their 7 x 7 modules; readers need {needed:+}",
    ),
)
"""Rules for eyes, each with its limits, the gravest first."""

HIDING = ("eye-ring", "eye-gap")
"""Issues without which the other measures of an eye are meaningless."""


def _eyes(design: Design | None, structure: Structure) -> Iterator[Issue]:
    """Yield each issue once for all eyes that have it, with the worst value."""
    sign = -1 if structure.contrast < 0 else 1
    is_hidden = False
    for code, measure, limits, rule in EYE_RULES:
        values = {eye: measure(eye) * (sign if code == "eye-contrast" else 1) for eye in structure.eyes}
        bad = {eye: value for eye, value in values.items() if limits.severity(value)}
        if code == "eye-contrast" and min(values.values()) > abs(structure.contrast) - SAME_INK:
            continue  # the contrast of modules is as low, and has an issue
        if not bad or (is_hidden and code not in HIDING):
            continue
        is_hidden |= code in HIDING
        worst = max(bad.values(), key=lambda value: abs(value - limits.needed(value)))
        severity = limits.severity(worst)
        assert severity is not None  # bad values have one
        needed = limits.needed(worst)
        message = rule.format(measured=_towards(worst, needed), where=_corners(bad), needed=needed)
        fix = _eye_fix(design, code, bad) if design else None
        yield Issue(code, severity, _corners(bad), worst, needed, message, fix)


def _eye_fix(design: Design, code: str, eyes: Iterable[EyeShape]) -> fixes.Fix | None:
    fix = {"eye-contrast": fixes.darker_eyes, "eye-radius": fixes.softer_eyes}.get(code, fixes.safe_eyes)
    return fix(design, [eye.corner for eye in eyes])


def _corners_of(design: Design | None, structure: Structure, audience: Audience) -> Iterator[Issue]:
    """Yield an issue for corners that readers that look for contours do not find."""
    rounded = [eye for eye in structure.eyes if eye.radius > CORNER and eye.ring >= WHOLE]
    if not rounded:
        return
    radius = max(eye.radius for eye in rounded)
    embedded: Severity = "warning" if radius <= CORNER_OK else "error"
    severity = "note" if audience == "phones" else embedded
    message = (
        f"embedded readers may fail: the corners of {_corners(rounded)} are rounded by {_ceil(radius):.2f} modules; "
        f"readers that look for the four corners need {CORNER} at most"
    )
    fix = fixes.safe_eyes(design, [eye.corner for eye in rounded]) if design else None
    yield Issue("eye-corner", severity, _corners(rounded), radius, CORNER, message, fix, embedded)


def _other_eyes(structure: Structure) -> Iterator[Issue]:
    if structure.other_eyes:
        places = "1 place looks" if structure.other_eyes == 1 else f"{structure.other_eyes} places look"
        message = (
            f"{places} like an eye, which misleads readers that find it first; there should be 0. Make the ring around "
            "a logo thinner than half a module, or leave it out"
        )
        yield Issue("fourth-eye", "warning", "layers", structure.other_eyes, 0, message)


def _towards(value: float, limit: float) -> float:
    """Round to hundredths, away from the limit; rounding towards it could produce "0.65; readers need 0.65"."""
    return _floor(value) if value < limit else _ceil(value)


def _floor(value: float) -> float:
    return floor(value * 100) / 100


def _ceil(value: float) -> float:
    return ceil(value * 100) / 100


def _corners(eyes: Iterable[EyeShape]) -> str:
    names = [eye.corner for eye in eyes]
    return "markers" if len(names) == 3 else ", ".join(f"markers.{name}" for name in names)


def _weights(design: Design | None, structure: Structure) -> Iterator[Issue]:
    for kind, weight, limits in (
        ("dark", structure.dark_weight, DARK_WEIGHT),
        ("light", structure.light_weight, LIGHT_WEIGHT),
    ):
        if severity := limits.severity(weight):
            message = (
                f"a fifth of the {kind} modules are drawn no larger than a disc of {_floor(weight):.2f} modules; "
                f"readers need {limits.least}"
            )
            fix = fixes.heavier(design, kind, weight) if design else None
            yield Issue("module-weight", severity, "modules", weight, limits.least, message, fix)
    if severity := ALIGNMENT.severity(structure.alignment):
        message = (
            f"the alignment patterns are drawn as small dots, {_floor(structure.alignment):.0%} of their modules dark; "
            f"readers need {ALIGNMENT.least:.0%}, and read solid ones best"
        )
        fix = fixes.heavier(design, "dark", structure.dark_weight) if design else None
        yield Issue("alignment", severity, "modules", structure.alignment, ALIGNMENT.least, message, fix)


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
        message = (
            "the symbol is drawn light on dark; six of ten readers do not see it, many Android phones among them. Draw "
            "it dark on a light plate"
        )
        fix = fixes.dark_on_light(design) if design else None
        yield Issue("polarity", "error", "foreground", structure.contrast, CONTRAST.least, message, fix)
    if structure.is_mirrored:
        message = "the symbol is drawn mirrored; some readers do not see it"
        yield Issue("mirrored", "error", "flip", 1, 0, message, {"flip": "none"} if design else None)
    if severity := "fatal" if size < FAINTEST else CONTRAST.severity(size):
        message = (
            f"dark and light modules differ by {_floor(size):.2f} of black to white where they differ least; readers "
            f"need {CONTRAST.least}"
        )
        # If the colors are fine, small sprites look pale.
        fix = (fixes.more_contrast(design) or fixes.heavier(design, "dark", structure.dark_weight)) if design else None
        yield Issue("contrast", severity, "foreground", size, CONTRAST.least, message, fix)
