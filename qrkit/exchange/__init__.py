"""Portfolios in and out of files: a file's table is a DataFrame of text, and each format is one module."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from qrkit.errors import InvalidParameter, Problem, nearest
from qrkit.exchange import csv_file

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EXCHANGE_FORMATS", "ExchangeFormat", "exchange_format", "exchange_format_of_file"]


@dataclass(frozen=True, slots=True)
class ExchangeFormat:
    """A file format of import and export."""

    name: str
    media_type: str
    read: Callable[[bytes], pd.DataFrame]
    write: Callable[[pd.DataFrame], bytes]


EXCHANGE_FORMATS = {
    one.name: one for one in (ExchangeFormat("csv", "text/csv; charset=utf-8", csv_file.read, csv_file.write),)
}


def exchange_format(name: str) -> ExchangeFormat:
    """The format of this name, in any case.

    Raises:
        InvalidParameter: There is none.
    """
    found = EXCHANGE_FORMATS.get(name.lower())
    if found is None:
        rule = f"is not a format of import and export; {nearest(name, EXCHANGE_FORMATS)}"
        raise InvalidParameter(Problem("format", name, rule))
    return found


def exchange_format_of_file(path: PurePath) -> ExchangeFormat:
    """The format that the suffix of a file says.

    Raises:
        InvalidParameter: There is no suffix, or no such format.
    """
    return exchange_format(path.suffix[1:])
