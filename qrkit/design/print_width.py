"""Computes how wide a code must be printed, so that phones read it up close or from a distance."""

from __future__ import annotations

from qrkit.errors import InvalidParameter, Problem

SMALLEST_MODULE_MM = 0.4
"""Module width that most phones focus on; GS1 asks for 0.396 mm on goods."""

SMALLEST_CAPITAL_MM = 1.27
"""Height of capitals of 5 points, the smallest that people read and presses print well."""

REGISTRATION_MM = 0.1
"""How far the inks of a press may lie apart (ISO 12647-2:2013 allows 0.08 to 0.12 mm, by the size of the sheet)."""

REACH_IN_MODULES = 250
"""Distance from which phones read, in module widths: ten times the width of a symbol with 25 modules."""

FARTHEST = 1_000
"""Meters for which a width may be asked."""


def least_width_mm(modules: float, distance_m: float | None = None) -> float:
    """Return the least width in millimeters at which most phones read a picture.

    The modules are its width with quiet zone and frame. A distance of None is that of a phone that is held close.
    """
    if distance_m is not None and not 0 < distance_m <= FARTHEST:
        rule = f"must be more than 0 and at most {FARTHEST:,} meters"
        raise InvalidParameter(Problem("distance_m", distance_m, rule, "out-of-range"))
    return modules * max(SMALLEST_MODULE_MM, (distance_m or 0) * 1_000 / REACH_IN_MODULES)
