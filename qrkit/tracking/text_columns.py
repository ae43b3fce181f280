"""Text columns that behave the same in every pandas version, and cells as text.

Missing values stay missing and never become "None".
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping
from datetime import date, datetime, timedelta
from numbers import Number
from typing import Any

from qrkit.design.color import Color
from qrkit.errors import InvalidParameter, Problem
from qrkit.late import pd
from qrkit.tracking.times import to_table


def as_text(column: pd.Series) -> pd.Series:
    """Convert a column to text, with NaN for missing values: dtype `str`, or `object` with pandas 2."""
    if column.dtype == "str":  # of pandas 3, which has only texts and NaN
        return column
    # pandas 2 converts missing values to "None" or "nan", so detect them before the conversion.
    texts, is_missing = column.astype("str"), column.isna()
    return texts.mask(is_missing) if is_missing.any() else texts


def text_column(values: Iterable[Any], *, index: pd.Index | None = None, name: Hashable | None = None) -> pd.Series:
    """Return a text column, in which None, NaN, NaT and NA are missing values."""
    return as_text(pd.Series(list(values), dtype="object", index=index, name=name))


def with_dtypes(frame: pd.DataFrame, dtypes: Mapping[str, str]) -> pd.DataFrame:
    """Convert columns to dtypes by their names, with `as_text` for `str` and `astype` for other dtypes."""
    texts = {name: as_text(frame[name]) for name, dtype in dtypes.items() if dtype == "str"}
    others = {name: dtype for name, dtype in dtypes.items() if dtype != "str"}
    return frame.astype(others).assign(**texts)


def frame_of(rows: Iterable[Any], dtypes: Mapping[str, str]) -> pd.DataFrame:
    """Return a DataFrame of rows, tuples or mappings, with these columns in these dtypes, even without any row."""
    return with_dtypes(pd.DataFrame(list(rows), columns=list(dtypes)), dtypes)


def cell_text(value: Any) -> str:
    """Convert the value of a workbook cell to text: 7.0 becomes "7", bools `true` or `false`; None becomes "".

    A date in a workbook arrives as a midnight without a time zone; it becomes a day without a time.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return to_table(value) if value.tzinfo else to_table(value).removesuffix(" 00:00:00")
    if isinstance(value, timedelta):
        # As spreadsheets show it: 30:00:00, where Python has "1 day, 6:00:00".
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return "" if value is None else str(value)


def field_text(value: Any) -> str:
    """Convert a value of JSON to the text of a field; an object or a list becomes its JSON."""
    if not isinstance(value, dict | list):
        return cell_text(value)
    try:
        return json.dumps(value, ensure_ascii=False) if value else ""
    except RecursionError:
        return "(nested too deeply)"


def text_of(value: Any, column: Hashable, kind: str = "text") -> str:
    """Convert a cell of a DataFrame to text: strings are unchanged; NaN, NaT, NA and None become "".

    Numbers are formatted as in a workbook (7.0 is "7"), bools as `true` and `false`, timestamps as `yyyy-MM-dd
    HH:mm:ss` in UTC. Timestamps without a time zone are UTC, and such a midnight becomes a day. Colors are texts, too.
    """
    if isinstance(value, str):
        return str.__str__(value)
    if kind == "fields" and isinstance(value, Mapping):
        return field_text(dict(value))
    if kind == "tags" and isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if pd.api.types.is_scalar(value):
        if pd.isna(value):
            return ""
        if hasattr(value, "dtype"):
            value = pd.Series([value]).tolist()[0]  # convert a NumPy scalar to a Python value
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if isinstance(value, Number | datetime | Color):
        try:
            return repr(value) if kind == "degrees" and isinstance(value, float) else cell_text(value)
        except (ValueError, OverflowError) as error:
            raise InvalidParameter(Problem(str(column), None, f"cannot be written: {error}", "out-of-range")) from error
    rule = f"must be text, a number, a date and time, or empty, not {type(value).__name__}"
    raise InvalidParameter(Problem(str(column), value, rule, "wrong-type"))
