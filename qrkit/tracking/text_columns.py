"""Text columns that behave the same in every pandas version: missing values stay missing and never become "None"."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["as_text", "text_column", "with_dtypes"]


def as_text(column: pd.Series) -> pd.Series:
    """Convert a column to text, with NaN for missing values: dtype `str`, or `object` with pandas 2."""
    if column.dtype == "str":  # of pandas 3, which has only texts and NaN
        return column
    # pandas 2 converts missing values to "None" or "nan", so detect them before the conversion.
    texts, is_missing = column.astype("str"), column.isna()
    return texts.mask(is_missing) if is_missing.any() else texts


def text_column(values: Iterable[Any], *, index: pd.Index | None = None, name: Hashable | None = None) -> pd.Series:
    """Return a text column.

    Args:
        values: The values; None, NaN, NaT and NA are missing values.
        index: The row labels; by default, numbers from 0.
        name: The name of the column.
    """
    import pandas as pd

    return as_text(pd.Series(list(values), dtype="object", index=index, name=name))


def with_dtypes(frame: pd.DataFrame, dtypes: Mapping[str, str]) -> pd.DataFrame:
    """Convert columns to the given dtypes, with `as_text` for `str` and `astype` for other dtypes.

    Args:
        frame: The rows.
        dtypes: The dtypes by column name; other columns stay unchanged.
    """
    texts = {name: as_text(frame[name]) for name, dtype in dtypes.items() if dtype == "str"}
    others = {name: dtype for name, dtype in dtypes.items() if dtype != "str"}
    result: pd.DataFrame = frame.astype(others).assign(**texts)
    return result
