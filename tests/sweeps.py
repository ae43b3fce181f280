"""Parameters of sweeps: a few are tried by `make test`, more by `make slow`, and the many by `make night`."""

from collections.abc import Iterable
from typing import Any

import pytest

SLOW = [pytest.mark.slow]
NIGHT = [*SLOW, pytest.mark.night]


def quick_first(values: Iterable[Any], quick: int = 1) -> list[Any]:
    """The values of one parameter, of which all but the first ones are only for `make slow`; not `pytest.param`s."""
    return [
        value if number < quick else pytest.param(value, marks=pytest.mark.slow) for number, value in enumerate(values)
    ]


def quick_rows(rows: Iterable[tuple[Any, ...]], quick: int = 1) -> list[Any]:
    """The same of several parameters, a tuple each time."""
    marks: list[tuple[Any, ...]] = [(), (pytest.mark.slow,)]
    return [pytest.param(*row, marks=marks[number >= quick]) for number, row in enumerate(rows)]


def night_after(values: Iterable[Any], slow: int = 1) -> list[Any]:
    """The values of one parameter, of which the first ones are for `make slow`, the others only for `make night`."""
    return [pytest.param(value, marks=SLOW if number < slow else NIGHT) for number, value in enumerate(values)]


def night_between(rows: Iterable[tuple[Any, ...]], step: int = 3) -> list[Any]:
    """The same of several parameters, a tuple each time: every third row, or every `step`-th, is for `make slow`."""
    return [pytest.param(*row, marks=NIGHT if number % step else SLOW) for number, row in enumerate(rows)]
