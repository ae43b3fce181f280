"""Turns measurements into issues, with each limit in one place.

The limits come from tests with up to thirteen readers in simulated captures. The standard requires more in some places
and less in others. Readers of phones look for runs of dark and light along lines; embedded readers, such as those of
tills, look for contours, and need finder patterns with sharp corners.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from math import ceil, floor, inf
from typing import TYPE_CHECKING, NamedTuple

from qrkit.design.characters import kanji_value
from qrkit.scanning import fixes
from qrkit.scanning.measures import CONTRAST_BOUNDS, LETTERS, EyeShape, Structure, symbol_contrast
from qrkit.scanning.part_names import eyes_name, layer_name, part_name
from qrkit.scanning.scan_report import Audience, Issue, Level, Severity

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.scanning.budget import Budget


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

    def severity(self, value: float, grain: float = 0) -> Severity | None:
        """Return the severity of a value, which may be off by `grain`; None if it is within the limits."""
        off = ROUNDING + grain
        if self.least - off <= value <= self.most + off:
            return None
        return "warning" if self.least_ok - off <= value <= self.most_ok + off else "error"

    def needed(self, value: float) -> float:
        """Return the limit that a value exceeds."""
        return self.least if value < self.least else self.most


ROUNDING = 0.005
"""By how much measured values may be off."""

CONTRAST = Limits(least=0.706, least_ok=0.588)
"""Luma of light minus dark modules: 180 and 150 of 255. Readers are lost by differences of luma, not of reflectance."""

PUPIL_CONTRAST = Limits(least=0.608, least_ok=0.53)
"""Luma of light modules minus a pupil: 155 and 135 of 255."""

ASKING = ("standard", "full")
"""The levels at which readers are asked in many conditions, so that they show what a weakness costs."""

EASED: dict[Severity, Severity | None] = {"error": "warning", "warning": None}
"""What low contrast costs at these levels."""

RADIUS = Limits(most=2.5)
"""Radius of an eye's corners; full circles are found unless they are turned or tilted."""

SOLID = Limits(least=WHOLE, least_ok=WHOLE)
WIDTH = Limits(least=0.82, most=1.12, least_ok=0.78, most_ok=1.22)
GROWTH = Limits(least=-0.18, most=0.1, least_ok=-0.22, most_ok=0.13)
PUPIL = Limits(least=2.7, most=3.23, least_ok=2.55, most_ok=3.32)
DIAGONAL = Limits(least=0.7, least_ok=0.5)
"""Width and growth of a ring, side of a pupil, and the gap between both on the diagonals."""

DARK_WEIGHT = Limits(least=0.64, least_ok=0.5)
LIGHT_WEIGHT = Limits(least=0.7, least_ok=0.5)
"""Diameter of a disc with the area of a module. Dots, plus signs, diamonds, stars and lines are read alike if they have
as much ink: with 0.32 of a module in 95% of captures, with 0.2 in 80%."""

ALIGNMENT = Limits(least=0.48, least_ok=0.27)
"""Share of a dark module of the alignment patterns that is ink; in dots of 0.8 modules, half of it is."""

SAME_INK = 0.03
"""Difference of contrast up to which eyes and modules have the same ink."""

FAINTEST = 0.09
"""Contrast below which no reader finds the symbol."""

RESTORED = {"L": 0.07, "M": 0.15, "Q": 0.25, "H": 0.3}
"""Share of a symbol that each level restores (ISO/IEC 18004:2015, table 8)."""

STANDARD_QUIET = 4
"""Modules of quiet zone that ISO/IEC 18004:2015, 6.3.8 requires."""

UNSURE = 0.2
"""Modules by which the measured quiet zone of an image may be too narrow, because edges are a pixel wide."""

LIGHT_ON_DARK = (
    "the code is light on dark, which 6 of 10 scanners, including many Android phones, can't read; make it dark on "
    "light"
)
MIRRORED = "the code is mirrored, which some scanners can't read"

SEVERITIES: tuple[Severity, ...] = ("fatal", "error", "warning", "note")


def issues_of(
    design: Design | None,
    budget: Budget | None,
    structure: Structure,
    audience: Audience = "phones",
    level: Level = "static",
    *,
    grain: float = 0,
) -> tuple[Issue, ...]:
    """Return all issues, the worst first.

    Args:
        design: The design, for which fixes are proposed; None for an image.
        budget: The budget of its symbol; None if it is known that no module reads wrong.
        audience: Whose readers must read it. What only embedded readers need is a note for phones.
        level: The level of the check. `standard` and `full` leave it to readers what low contrast and a mirrored symbol
            cost.
        grain: Modules by which lengths may be off, because the edges of an image lie between its pixels.
    """
    if abs(structure.contrast) < FAINTEST:
        # If the symbol is invisible, no other measurement is meaningful.
        return tuple(_contrast(design, structure, level))
    is_for_tills = design is not None and is_read_by_tills(design)
    found: Iterable[Issue] = (
        *_contrast(design, structure, level),
        *(_budget(design, budget) if budget else ()),
        *(fixed_issues(budget) if budget else ()),
        *_eyes(design, structure, level, grain),
        *_corners_of(design, structure, audience, grain),
        *_other_eyes(structure),
        *_weights(design, structure),
        *_quiet(design, structure, is_strict=is_for_tills and audience == "all"),
        *(_tills(design, budget, audience) if design and is_for_tills else ()),
        *(_charset(design) if design and audience == "all" else ()),
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
    # Most verdicts are asked for without their reasons, and the causes take longer than the rest of a static check.
    yield Issue.explained_late("error-budget", severity, used, MOST_USED, partial(_why_used, design, budget))


def _why_used(design: Design | None, budget: Budget) -> tuple[str, str, fixes.Fix | None]:
    """Return the part of a design that uses most error correction, what that means, and the change that frees some."""
    fix = fixes.less_damage(design, budget) if design else None
    message = f"{_damage(design, budget)}; {_who_fails(budget)}at most {MOST_USED:.0%} leaves room for dirt and glare"
    if design and fix:
        message += f". {_remedy(design, budget, fix)}"
    return budget.causes[0].path if budget.causes else "symbol", message, fix


def _damage(design: Design | None, budget: Budget) -> str:
    """Say how much error correction is used, and by what."""
    part = " in one part of the code" if len(budget.errors) > 1 else ""
    amount = f"{_towards(budget.used, MOST_USED):.0%} of what error correction can restore{part}"
    names = list(dict.fromkeys(part_name(cause.path, design) for cause in budget.causes))
    if len(names) == 1:
        return f"{names[0]} hides {amount}"
    return f"{amount} is damaged, most of it by {names[0]}" if names else f"{amount} is damaged"


def _who_fails(budget: Budget) -> str:
    if budget.used <= 1:
        return ""
    return f"{'no scanner' if budget.is_lost else 'only a lenient scanner'} can read that, and "


def _remedy(design: Design, budget: Budget, fix: fixes.Fix) -> str:
    """Say what to do, with the fix first."""
    raised = "raise error correction to H"
    if "layers" not in fix:
        return raised.capitalize()
    pairs = zip(design.layers, fix["layers"], strict=True)
    kept, index = min((new.width / old.width, index) for index, (old, new) in enumerate(pairs))
    smaller = f"Make {layer_name(index, design)} {1 - kept:.0%} smaller"
    is_enough = budget.used * RESTORED[design.ec] / RESTORED["H"] <= MOST_USED
    return f"{smaller}, or {raised}" if is_enough else smaller


FIXED_PATTERNS = {
    "timing": ("timing pattern", 1, 4),
    "format": ("format information", 1, 6),
    "version": ("version information", 3, 7),
    "alignment": ("alignment patterns", 8, 10_000),
    "dark_module": ("dark module", 1, 2),
}
"""Names of function patterns, and their wrong modules from which there is a warning, and an error."""

ALIGNMENT_MODULES = 25
"""Modules of one alignment pattern. From version 7 on, there are at least six, and readers can do without one."""


def fixed_issues(budget: Budget) -> Iterator[Issue]:
    """Yield an issue for each damaged function pattern, which error correction does not cover."""
    for name, (pattern, some, many) in FIXED_PATTERNS.items():
        wrong = budget.fixed.get(name, 0)
        spare = ALIGNMENT_MODULES if name == "alignment" and budget.symbol.version >= 7 else 0
        if wrong >= some + spare:
            count = "1 module" if wrong == 1 else f"{wrong} modules"
            what = f"{count} of the {pattern} {'is' if wrong == 1 else 'are'} misread"
            message = f"{what}, and error correction does not cover the pattern; keep layers away from it"
            yield Issue(
                "fixed-pattern", "error" if wrong >= many + spare else "warning", name, wrong, some + spare - 1, message
            )


class EyeRule(NamedTuple):
    """A rule for a measure of eyes.

    Attributes:
        code: The code of its issue.
        measure: The attribute of an eye with the value.
        limits: The bounds of the value.
        message: The issue in words, with `measured`, `needed` and `bound`, which is "at least" or "at most".
    """

    code: str
    measure: str
    limits: Limits
    message: str


EYE_RULES = (
    EyeRule("eye-ring", "ring", SOLID, "only {measured:.0%} of the ring is dark; scanners need {needed:.0%}"),
    EyeRule(
        "eye-gap", "gap", SOLID, "only {measured:.0%} of the gap inside the ring is light; scanners need {needed:.0%}"
    ),
    EyeRule("eye-pupil", "core", PUPIL, "the center is {measured:.2f} modules wide; scanners need {bound} {needed}"),
    EyeRule(
        "eye-fit",
        "diagonal",
        DIAGONAL,
        "center and ring are only {measured:.2f} modules apart on the diagonals; scanners need {needed}, so use a "
        "round center in a round ring",
    ),
    EyeRule("eye-contrast", "pupil_contrast", PUPIL_CONTRAST, "the symbol contrast of the center is {measured:.0%}"),
    EyeRule("eye-contrast", "ring_contrast", CONTRAST, "the symbol contrast of the ring is {measured:.0%}"),
    EyeRule(
        "eye-radius",
        "radius",
        RADIUS,
        "the corners have a radius of {measured:.2f} modules; scanners need {bound} {needed}",
    ),
    EyeRule(
        "eye-width",
        "width",
        WIDTH,
        "the ring is {measured:.2f} modules wide instead of 1; scanners need {bound} {needed}",
    ),
    EyeRule(
        "eye-size",
        "growth",
        GROWTH,
        "the ring reaches {measured:+.2f} modules beyond its 7 x 7 modules; scanners need {bound} {needed:+}",
    ),
)
"""Rules for eyes, each with its limits, the gravest first."""

LENGTHS = frozenset({"core", "diagonal", "radius", "width", "growth"})
"""Measures of eyes in modules."""

HIDING = ("eye-ring", "eye-gap")
"""Issues without which the other measures of an eye are meaningless."""


def _eyes(design: Design | None, structure: Structure, level: Level, grain: float) -> Iterator[Issue]:
    """Yield each issue once for all eyes that have it, with the worst value."""
    sign = -1 if structure.contrast < 0 else 1
    is_hidden = False
    for code, measure, limits, rule in EYE_RULES:
        values = {eye: getattr(eye, measure) * (sign if code == "eye-contrast" else 1) for eye in structure.eyes}
        off = grain if measure in LENGTHS else 0
        bad = {eye: value for eye, value in values.items() if limits.severity(value, off)}
        if code == "eye-contrast" and min(values.values()) > abs(structure.contrast) - SAME_INK:
            continue  # the contrast of modules is as low, and has an issue
        if not bad or (is_hidden and code not in HIDING):
            continue
        is_hidden |= code in HIDING
        worst = max(bad.values(), key=lambda value: abs(value - limits.needed(value)))
        severity = limits.severity(worst, off)
        needed = limits.needed(worst)
        if code == "eye-contrast":
            severity = _eased(severity, level)
            light = structure.eyes[0].light
            worst, needed = _symbol_contrasts(light if sign > 0 else light + worst, worst, needed)
        if not severity:
            continue
        bound = "at least" if worst < needed else "at most"
        told = rule.format(measured=_towards(worst, needed), needed=needed, bound=bound)
        message = f"in {eyes_name(eye.corner for eye in bad)}, {told}"
        if code == "eye-contrast":
            message += _contrast_grade(worst, needed, level)
        fix = _eye_fix(design, code, bad) if design else None
        yield Issue(code, severity, _corners(bad), worst, needed, message, fix)


def _eye_fix(design: Design, code: str, eyes: Iterable[EyeShape]) -> fixes.Fix | None:
    fix = {"eye-contrast": fixes.darker_eyes, "eye-radius": fixes.softer_eyes}.get(code, fixes.safe_eyes)
    return fix(design, [eye.corner for eye in eyes])


def _corners_of(design: Design | None, structure: Structure, audience: Audience, grain: float) -> Iterator[Issue]:
    """Yield an issue for corners that readers that look for contours do not find."""
    rounded = [eye for eye in structure.eyes if eye.radius > CORNER + grain and eye.ring >= WHOLE]
    if not rounded:
        return
    radius = max(eye.radius for eye in rounded)
    embedded: Severity = "warning" if radius <= CORNER_OK else "error"
    severity = "note" if audience == "phones" else embedded
    message = (
        f"embedded readers may fail: the corners of {eyes_name(eye.corner for eye in rounded)} have a radius of "
        f"{_ceil(radius):.2f} modules; readers that look for corners need at most {CORNER}"
    )
    fix = fixes.safe_eyes(design, [eye.corner for eye in rounded]) if design else None
    yield Issue("eye-corner", severity, _corners(rounded), radius, CORNER, message, fix, embedded)


def _other_eyes(structure: Structure) -> Iterator[Issue]:
    if structure.other_eyes:
        places = "1 place looks" if structure.other_eyes == 1 else f"{structure.other_eyes} places look"
        message = (
            f"{places} like a fourth eye, which misleads scanners that find it first; there should be 0. Make the ring "
            "around a logo thinner than half a module, or remove it"
        )
        yield Issue("fourth-eye", "warning", "layers", structure.other_eyes, 0, message)


def _charset(design: Design) -> Iterator[Issue]:
    """Yield a note on letters whose charset the symbol does not declare; phones take them for UTF-8."""
    beyond = [one for one in design.content if not one.isascii() and (design.em == "byte" or kanji_value(one) is None)]
    if beyond and design.charset is None and not design.micro:
        message = (
            f"older embedded readers, such as zbar, may show {len(beyond)} non-ASCII characters wrongly, such as "
            f'{beyond[0]!r}; with charset="utf-8", which declares the encoding, 0 are at risk'
        )
        yield Issue("charset", "note", "charset", len(beyond), 0, message, {"charset": "utf-8"}, "note")


def _towards(value: float, limit: float) -> float:
    """Round to hundredths, away from the limit; rounding towards it could produce "0.65; scanners need 0.65"."""
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
                f"one in ten {kind} modules is no larger than a disc {_floor(weight):.2f} modules across; scanners "
                f"need {limits.least}"
            )
            fix = fixes.heavier(design, kind, weight) if design else None
            yield Issue("module-weight", severity, "modules", weight, limits.least, message, fix)
    if severity := ALIGNMENT.severity(structure.alignment):
        message = (
            f"the alignment patterns are drawn as small dots that fill only {_floor(structure.alignment):.0%} of their "
            f"modules; scanners need {ALIGNMENT.least:.0%}, and read solid patterns best"
        )
        fix = fixes.heavier(design, "dark", structure.dark_weight) if design else None
        yield Issue("alignment", severity, "modules", structure.alignment, ALIGNMENT.least, message, fix)


def _quiet(design: Design | None, structure: Structure, *, is_strict: bool) -> Iterator[Issue]:
    quiet = structure.quiet
    if quiet > STANDARD_QUIET - UNSURE:
        return
    severity: Severity = "error" if quiet < 1 else "warning" if quiet < QUIET or is_strict else "note"
    clear = design is not None and fixes.is_clear(design)
    if clear:
        severity = "warning"
    width = f"{floor(quiet * 10) / 10:.1f} modules"
    shown = (
        f"the background is transparent, so on a dark page the quiet zone shrinks to {width}"
        if clear
        else f"the quiet zone is {width} wide"
    )
    message = f"{shown}; scanners need {QUIET:g}, the standard requires {STANDARD_QUIET}"
    where = "background" if clear else "padding"
    fix = fixes.with_what_follows(design, fixes.quiet(design)) if design else None
    yield Issue("quiet-zone", severity, where, quiet, STANDARD_QUIET, message, fix)


def is_read_by_tills(design: Design) -> bool:
    """Whether a design has what tills read: a GS1 Digital Link or GS1 elements."""
    return bool(design.fnc1) or _is_digital_link(design.content)


@lru_cache(maxsize=16)  # a search for a better design checks it many times
def _is_digital_link(content: str) -> bool:
    if not re.search("/[0-9]{2,4}/", content):
        return False
    from qrkit.contents.gs1_links import read_gs1_digital_link  # most codes do without it

    return read_gs1_digital_link(content) is not None


def _tills(design: Design, budget: Budget | None, audience: Audience) -> Iterator[Issue]:
    """Yield what tills may not read though phones do: a logo, and ink that is light under their red lamps."""
    severity: Severity = "note" if audience == "phones" else "warning"
    if design.layers and budget and budget.used:
        message = (
            f"tills may fail: pictures hide {_ceil(budget.used):.0%} of what error correction can restore, and should "
            "hide 0% of it for tills; remove the logo"
        )
        yield Issue("till-logo", severity, "layers", budget.used, 0, message, {"layers": ()}, "warning")
    if (red := fixes.red_contrast(design)) < CONTRAST.least_ok:
        message = (
            f"tills may fail: many see in red light, in which the contrast is {_floor(red):.0%}; "
            f"{CONTRAST.least_ok:.0%} is enough, and black on white has 100%"
        )
        fix = fixes.black_on_white(design)
        yield Issue("till-color", severity, "foreground", red, CONTRAST.least_ok, message, fix, "warning")


def _contrast(design: Design | None, structure: Structure, level: Level) -> Iterator[Issue]:
    size = abs(structure.contrast)
    if structure.contrast < 0:
        fix = fixes.dark_on_light(design) if design else None
        yield Issue("polarity", "error", "foreground", structure.contrast, CONTRAST.least, LIGHT_ON_DARK, fix)
    if structure.is_mirrored:
        message = f"{MIRRORED}; turn off the flip"
        fix = {"flip": "none"} if design else None
        yield Issue("mirrored", "warning" if level in ASKING else "error", "flip", 1, 0, message, fix)
    severity = "fatal" if size < FAINTEST else CONTRAST.severity(size)
    if severity := _eased(severity, level):
        brighter = structure.light if structure.contrast > 0 else structure.light + size
        measured, needed = _symbol_contrasts(brighter, size, CONTRAST.least)
        message = f"the symbol contrast is {_floor(measured):.0%}{_contrast_grade(measured, needed, level)}"
        # If the colors are fine, small sprites look pale.
        fix = (fixes.more_contrast(design) or fixes.heavier(design, "dark", structure.dark_weight)) if design else None
        yield Issue("contrast", severity, "foreground", measured, needed, message, fix)


def _eased(severity: Severity | None, level: Level) -> Severity | None:
    """Return what low contrast costs: where readers are asked in many conditions, they show it if it costs more."""
    return EASED.get(severity, severity) if severity and level in ASKING else severity


def _contrast_grade(measured: float, needed: float, level: Level) -> str:
    """Say the grade of a symbol contrast, and what is enough."""
    letter = LETTERS[sum(measured >= bound for bound in CONTRAST_BOUNDS)]
    enough = "or more is safe" if level == "static" else "is read in poor light, too"
    return f" (grade {letter} of ISO/IEC 15415); {needed:.0%} {enough}"


def _symbol_contrasts(light: float, contrast: float, least: float) -> tuple[float, float]:
    """Return the symbol contrast of ISO/IEC 15415 for a difference of luma, and that of the least difference.

    If a ground is too dark for the least difference, the second is that of a white ground.
    """
    ground = light if light >= least + ROUNDING else 1.0
    return symbol_contrast(light, contrast), _ceil(symbol_contrast(ground, least))
