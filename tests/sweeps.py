"""Parameters of sweeps: a few are tried by `make test`, all of them by `make slow`."""

from collections.abc import Iterable
from typing import Any

import pytest


def quick_first(values: Iterable[Any], quick: int = 1) -> list[Any]:
    """The values of one parameter, of which all but the first ones are only for `make slow`; not `pytest.param`s."""
    return [
        value if number < quick else pytest.param(value, marks=pytest.mark.slow) for number, value in enumerate(values)
    ]


def quick_rows(rows: Iterable[tuple[Any, ...]], quick: int = 1) -> list[Any]:
    """The same of several parameters, a tuple each time."""
    marks: list[tuple[Any, ...]] = [(), (pytest.mark.slow,)]
    return [pytest.param(*row, marks=marks[number >= quick]) for number, row in enumerate(rows)]
