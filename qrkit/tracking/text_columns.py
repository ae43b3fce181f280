"""Columns of text that say the same with every pandas: what is missing stays missing, and never becomes "None"."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["as_text", "text_column", "with_dtypes"]


def as_text(column: pd.Series) -> pd.Series:
    """The values of a column as text, and NaN where there are none: dtype `str`, or `object` with pandas 2."""
    # Pandas 2 writes what is missing as "None" or "nan": it is recognized before that.
    return column.astype("str").where(column.notna())


def text_column(values: Iterable[Any], *, index: pd.Index | None = None, name: Hashable | None = None) -> pd.Series:
    """A column of text.

    Args:
        values: Its values; None, NaN, NaT and NA are missing ones.
        index: Labels of the rows, counted from 0 where there are none.
        name: Name of the column.
    """
    import pandas as pd

    return as_text(pd.Series(list(values), dtype="object", index=index, name=name))


def with_dtypes(frame: pd.DataFrame, dtypes: Mapping[str, str]) -> pd.DataFrame:
    """A frame whose columns have these dtypes, as `astype` gives them; those of text as `as_text` does.

    Args:
        frame: The rows.
        dtypes: By the names of columns; others stay as they are.
    """
    texts = {name: as_text(frame[name]) for name, dtype in dtypes.items() if dtype == "str"}
    others = {name: dtype for name, dtype in dtypes.items() if dtype != "str"}
    result: pd.DataFrame = frame.astype(others).assign(**texts)
    return result
