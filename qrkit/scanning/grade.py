"""Computes the print grade of a drawn symbol, based on ISO/IEC 15415 and ISO/IEC 18004, annex G.

The grade is not a verification, which measures a print with calibrated light, aperture and angle. The bounds of the
standards are applied to the drawing, so that a bad grade is known before printing. The intended modules are known, too,
whereas a verifier infers them from the decoded symbol. The grade does not predict what phones can read: they read some
symbols with grade F, and fail on some with grade A.

Where the standards could not be consulted, two rules are strict: the worse copy of format or version information
counts, and the quiet zone has its own grade, one point for each unbroken ring of light modules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from qrkit.errors import InvalidParameter, Problem
from qrkit.late import Shown
from qrkit.scanning.budget import Flags, errors_of, is_inverted, true_modules
from qrkit.scanning.measures import CONTRAST_BOUNDS, LETTERS
from qrkit.scanning.module_roles import module_codewords, role_grid
from qrkit.scanning.sampling import MARGIN, Sampled, reflectance
from qrkit.symbol.encode.blocks import blocks
from qrkit.symbol.symbol import Role, Symbol

QUIET_ZONE = 4
"""Modules around the symbol that are graded with it (ISO/IEC 18004:2015, 6.3.8)."""

DECIMALS = 6
"""Decimals to which values are rounded before they are compared with a bound."""

Bounds = tuple[float, float, float, float]
"""The bounds of grades 1, 2, 3 and 4."""

MODULATION: Bounds = (0.20, 0.30, 0.40, 0.50)
UNUSED: Bounds = (0.25, 0.37, 0.50, 0.62)
RINGS: Bounds = (1, 2, 3, 4)
"""Minimum values."""

MODULES: Bounds = (3, 2, 1, 0)
TIMING: Bounds = (0.14, 0.11, 0.07, 0)
ALIGNMENT: Bounds = (0.30, 0.20, 0.10, 0)
"""Maximum number or share of wrong modules."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A measured parameter with its grade.

    Attributes:
        name: SC, MOD, RM, UEC, AN, GN, FPD A1, FPD A2, FPD A3, FPD B1, FPD B2, FPD C, format, version or quiet zone.
        value: SC in reflectance, 0..1; MOD and RM of the worst module of a codeword, 0..1; UEC as a share, where 1 is
            all and a negative value is none; AN and GN as shares of a module. The others count modules that are wrong
            or have a margin of grade 0: FPD A1 to A3, and format and version in the worse copy, in modules; FPD B1, B2
            and C as shares, 0..1; quiet zone as the modules between the symbol and the nearest such module, 0..4.
        grade: 0..4. For MOD and RM, it may be higher than the value suggests, because error correction makes up for
            some codewords; for FPD, format, version and quiet zone, it may be lower, because margins of grade 1 to 3
            count as well.
    """

    name: str
    value: float
    grade: int

    @property
    def letter(self) -> str:
        """A, B, C, D or F."""
        return LETTERS[self.grade]

    def __str__(self) -> str:
        return f"{self.name} {self.value:.3g} ({self.letter})"


@dataclass(frozen=True, slots=True)
class Grade(Shown):
    """The print grade of a symbol, based on ISO/IEC 15415; not a verification.

    Attributes:
        parameters: The parameters in the order listed at `Parameter.name`; `grade["UEC"]` returns one by name. Whether
            the symbol decodes is not included.
    """

    parameters: tuple[Parameter, ...]

    def __getitem__(self, name: str) -> Parameter:
        return {parameter.name: parameter for parameter in self.parameters}[name]

    @property
    def overall(self) -> int:
        """The lowest grade of all parameters, 0..4."""
        return min(parameter.grade for parameter in self.parameters)

    @property
    def letter(self) -> str:
        """A, B, C, D or F."""
        return LETTERS[self.overall]

    def __str__(self) -> str:
        head = f"{self.letter} ({self.overall}.0) in the manner of ISO/IEC 15415, not a verification"
        lowest = [str(parameter) for parameter in self.parameters if parameter.grade == self.overall < 4]
        return f"{head}; lowest: {', '.join(lowest)}" if lowest else head

    def __repr__(self) -> str:
        return f"<Grade {self}>"

    def as_dict(self) -> dict[str, object]:
        """As plain data, for JSON."""
        return {
            "letter": self.letter,
            "overall": self.overall,
            "parameters": {
                one.name: {"value": round(one.value, 4), "grade": one.grade, "letter": one.letter}
                for one in self.parameters
            },
            "note": "in the manner of ISO/IEC 15415, not a verification",
        }


def grade(reflectance: np.ndarray, symbol: Symbol) -> Grade:
    """Grade a drawn symbol.

    The reflectance is linear, 0..1, of each module, (side + 2 · `QUIET_ZONE`) squared, including the quiet zone, in the
    orientation of the encoded symbol. For light on dark, pass 1 - reflectance.
    """
    reflectance = _checked(reflectance, symbol.side)
    dark = np.pad(true_modules(symbol), QUIET_ZONE)
    darkest, lightest = float(reflectance.min()), float(reflectance.max())
    contrast = lightest - darkest
    middle = (lightest + darkest) / 2
    modulation = np.round(2 * np.abs(reflectance - middle) / (contrast or 1), DECIMALS)
    wrong = (reflectance < middle) != dark
    levels = np.digitize(modulation, MODULATION)
    margins = np.where(wrong, 0, levels)
    in_message = np.pad(module_codewords(symbol.version) >= 0, QUIET_ZONE)
    unused = partial(_unused, symbol)
    return Grade(
        (
            Parameter("SC", contrast, _at_least(CONTRAST_BOUNDS, contrast)),
            Parameter("MOD", float(modulation[in_message].min()), _overlaid(unused, UNUSED, levels)),
            Parameter(
                "RM", float(np.where(wrong, 0, modulation)[in_message].min()), _overlaid(unused, UNUSED, margins)
            ),
            Parameter("UEC", unused(wrong), _at_least(UNUSED, unused(wrong))),
            # A drawing has a regular grid, unlike a print or a photo.
            Parameter("AN", 0.0, 4),
            Parameter("GN", 0.0, 4),
            *(
                Parameter(one.name, one.value_of(margins == 0), _overlaid(one.value_of, one.bounds, margins))
                for one in _fixed(symbol.version)
            ),
        )
    )


def _checked(reflectance: np.ndarray, side: int) -> np.ndarray:
    across = side + 2 * QUIET_ZONE
    rounded = np.round(reflectance.astype(float), DECIMALS)
    # Comparisons with NaN are false.
    if rounded.shape != (across, across) or not ((rounded >= 0) & (rounded <= 1)).all():
        rule = f"must be {across} rows of {across} numbers in 0..1, {side} modules and {QUIET_ZONE} on each side"
        raise InvalidParameter(Problem("reflectance", None, rule, "bad-value"))
    return rounded


def _at_least(bounds: Bounds, value: float) -> int:
    return sum(round(value, DECIMALS) >= bound for bound in bounds)


def _at_most(bounds: Bounds, value: float) -> int:
    return sum(round(value, DECIMALS) <= bound for bound in bounds)


def _overlaid(value_of: Callable[[Flags], float], bounds: Bounds, levels: np.ndarray) -> int:
    """Return the best grade that the modules allow, with the overlay of modulation (ISO/IEC 15415:2011, 7.8.4).

    For each level, modules below it count as damaged, and the grade cannot be better than the level. `value_of`
    computes the value from damaged modules, falling bounds are maximums, and levels are grades of each module's
    modulation or reflectance margin, 0..4.
    """
    graded = _at_least if bounds[0] < bounds[-1] else _at_most
    return max(min(level, graded(bounds, value_of(levels < level))) for level in range(5))


# ---- values of damaged modules


class Fixed(NamedTuple):
    """A part of a symbol that error correction does not protect."""

    name: str
    value_of: Callable[[Flags], float]
    bounds: Bounds


@cache
def _fixed(version: int) -> tuple[Fixed, ...]:
    """Return the segments of fixed patterns, format and version information, and the quiet zone."""
    roles = np.pad(role_grid(version).astype(int), QUIET_ZONE, constant_values=-1)
    rows, columns = np.mgrid[: len(roles), : len(roles)]
    corner = QUIET_ZONE + 8  # quiet zone, finder pattern and separator
    far = len(roles) - corner
    above, left = rows < corner, columns < corner
    corners = (above & left, above & (columns >= far), (rows >= far) & left)
    timing, formats, versions = (roles == role for role in (Role.TIMING, Role.FORMAT, Role.VERSION))
    first = (rows <= corner) & (columns <= corner)
    return (
        *(Fixed(f"FPD A{number}", partial(_count, part), MODULES) for number, part in enumerate(corners, 1)),
        Fixed("FPD B1", partial(_share, timing & (rows < columns)), TIMING),
        Fixed("FPD B2", partial(_share, timing & (rows > columns)), TIMING),
        Fixed("FPD C", partial(_share, roles == Role.ALIGNMENT), ALIGNMENT),
        Fixed("format", partial(_count, formats & first, formats & ~first), MODULES),
        Fixed("version", partial(_count, versions & (rows < columns), versions & (rows > columns)), MODULES),
        Fixed("quiet zone", _clear_rings, RINGS),
    )


def _unused(symbol: Symbol, damaged: Flags) -> float:
    """Return the share of error correction that the worst block has left: 1 - 2t / (d - p)."""
    inner = slice(QUIET_ZONE, -QUIET_ZONE)
    errors = errors_of(damaged[inner, inner], symbol.version, symbol.error_correction)
    # d - p is even in all symbols of the standard, twice the number of correctable codewords.
    return 1 - max(errors) / blocks(symbol.version, symbol.error_correction)[0].correctable


def _count(*parts_and_damaged: Flags) -> float:
    """Count the damaged modules of the worst part."""
    *parts, damaged = parts_and_damaged
    return float(max((damaged & part).sum() for part in parts))


def _share(part: Flags, damaged: Flags) -> float:
    """Return the share of damaged modules in a part, which may be empty: version 1 has no alignment patterns."""
    return float((damaged & part).sum() / max(int(part.sum()), 1))


def _clear_rings(damaged: Flags) -> float:
    """Count the rings around the symbol, from the inside out, that have no damaged module."""
    rows, columns = np.mgrid[: len(damaged), : len(damaged)]
    from_edge = np.minimum(np.minimum(rows, rows[::-1]), np.minimum(columns, columns[:, ::-1]))
    hit = from_edge[damaged & (from_edge < QUIET_ZONE)]
    return float(QUIET_ZONE - 1 - hit.max(initial=-1))


def graded(sampled: Sampled, symbol: Symbol) -> Grade:
    """Grade a drawn symbol; a light-on-dark symbol is graded as its negative, which the standard allows."""
    around = MARGIN - QUIET_ZONE
    light = reflectance(sampled.modules[around:-around, around:-around])
    return grade(1 - light if is_inverted(sampled.modules, true_modules(symbol)) else light, symbol)
