"""Converts a DataFrame of scans that were counted elsewhere to the columns and values of visits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import pandas as pd

from qrkit.design.limits import Latitude, Longitude
from qrkit.errors import InvalidParameter, Problem, raise_any
from qrkit.store.copies.arrow_tables import TABLE_RULE, ArrowTable, is_table, pandas_frame
from qrkit.store.questions.local_time import YEARS
from qrkit.store.recording.user_agents import names_bot
from qrkit.tracking.countries import country_code, country_rule
from qrkit.tracking.records import KINDS_OF_VISITS, Via
from qrkit.tracking.referrers import tidy_referrer
from qrkit.tracking.text_columns import as_text

FRAME_COLUMNS = {
    "short_code": "str", "time": "datetime64[us]", "kind": "str", "content": "str", "user_agent": "str",
    "referrer": "str", "language": "str", "visitor": "UInt64", "country": "str", "region": "str", "city": "str",
    "latitude": "float64", "longitude": "float64", "via": "str", "lot": "str", "serial": "str", "link_type": "str",
    "variant": "str",
}  # fmt: skip
"""Columns of a DataFrame of scans and their dtypes; only the first two are required."""


def prepared_frame(given: pd.DataFrame | ArrowTable | Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the rows with all columns, each converted to its dtype, and fill in missing values where possible.

    Columns of text are categorical: their texts repeat, and pandas and DuckDB then treat each text once. Errors name
    the column and the first invalid row.
    """
    frame = _frame_of(given)
    _check_names([str(name) for name in frame.columns])
    result = pd.DataFrame({name: _column(frame, name) for name in FRAME_COLUMNS})
    for name, kind in (("latitude", Latitude), ("longitude", Longitude)):
        bound = get_args(kind)[1]
        wrong = result[name].notna() & ~result[name].between(bound.low, bound.high)
        _refuse(result[name], wrong, f"must be in {bound}", "out-of-range")
    result["user_agent"] = _filled(result["user_agent"])
    result["kind"] = _kinds(result["kind"], result["user_agent"])
    _refuse_others(result["via"], get_args(Via))
    result["country"] = _countries(result["country"])
    result["referrer"] = _hosts(result["referrer"])
    return result


def _frame_of(given: Any) -> pd.DataFrame:
    """Convert rows to a DataFrame."""
    if is_table(given):
        return pandas_frame(given, "frame")
    if not isinstance(given, list | tuple) or not all(isinstance(row, Mapping) for row in given):
        rule = f"{TABLE_RULE}, or a list with a dict for each row; use pandas.DataFrame(...) for other data"
        raise InvalidParameter(Problem("frame", given, rule, "wrong-type"))
    # Keep objects: in a column with missing values, pandas would convert whole numbers to floats and lose digits.
    return pd.DataFrame(list(given), columns=None if given else list(FRAME_COLUMNS), dtype="object")


def _kinds(kinds: pd.Series, agents: pd.Series) -> pd.Series:
    """Return the kind of each visit; where the kind is missing, derive it from the user agent."""
    _refuse_others(kinds, KINDS_OF_VISITS)
    is_open = kinds.isna() | kinds.isin([""])
    if not is_open.any():
        return kinds
    bots = [agent for agent in agents[is_open].unique() if names_bot(agent)]
    return kinds.astype("object").mask(is_open, "scan").mask(is_open & agents.isin(bots), "bot").astype("category")


def _hosts(referrers: pd.Series) -> pd.Series:
    """Return referrers cut to their hosts, because the rest may reveal personal details."""
    texts = referrers.cat.categories
    hosts = {text: tidy_referrer(text) if text else text for text in texts}
    if all(hosts[text] == text for text in texts):
        return referrers
    return referrers.astype("object").map(hosts).astype("category")


def _filled(texts: pd.Series) -> pd.Series:
    """Return a column of text with missing values replaced by empty text."""
    return texts.cat.set_categories(texts.cat.categories.union([""], sort=False)).fillna("")


def _countries(countries: pd.Series) -> pd.Series:
    """Convert country codes to upper case."""
    texts = countries.cat.categories
    codes = {text: country_code(text) for text in texts if text}
    if all(codes.get(text) == text for text in texts):
        return countries
    unknown = [text for text, code in codes.items() if not code]
    wrong = countries.isin(unknown)
    _refuse(countries, wrong, country_rule(str(countries[wrong.argmax()])))
    return countries.astype("object").map(codes).astype("category")


def _refuse(column: pd.Series, wrong: pd.Series, rule: str, code: str = "bad-value") -> None:
    """Raise an error for the first invalid row of a column."""
    if wrong.any():
        row = int(wrong.argmax())
        raise InvalidParameter(Problem(str(column.name), column[row], f"row {row}: {rule}", code))


def _refuse_others(words: pd.Series, known: Sequence[str]) -> None:
    """Raise an error for the first word that is not known."""
    unknown = set(words.cat.categories) - {*known, ""}
    _refuse(words, words.isin(unknown), f"must be one of {', '.join(known)}")


def _check_names(names: list[str]) -> None:
    wrong = [Problem(name, None, "is a required column", "missing-parameter") for name in ("short_code", "time")
             if name not in names]  # fmt: skip
    rule = f"is not a column of scans; allowed: {', '.join(FRAME_COLUMNS)}"
    wrong += [Problem(name, None, rule, "unknown-parameter") for name in names if name not in FRAME_COLUMNS]
    wrong += [Problem(name, None, "appears twice", "duplicate-parameter") for name in FRAME_COLUMNS
              if names.count(name) > 1]  # fmt: skip
    raise_any(wrong)


def _column(frame: pd.DataFrame, name: str) -> pd.Series:
    """Convert a column to its dtype; the values are missing if the DataFrame does not have the column."""
    if name not in frame:
        return _converted(pd.Series([None], dtype="object"), name).repeat(len(frame)).reset_index(drop=True)
    return _converted(frame[name].reset_index(drop=True), name)


def _converted(values: pd.Series, name: str) -> pd.Series:
    """Convert the values of a column to its dtype, text to categories."""
    dtype = FRAME_COLUMNS[name]
    try:
        if dtype == "str":
            places, texts = as_text(values).factorize()
            for text in texts:
                text.encode("utf-8")  # a lone surrogate is not valid text
            return pd.Series(pd.Categorical.from_codes(places, pd.Index(texts)))
        made: pd.Series = (_moments(values) if name == "time" else values).astype(dtype)  # type: ignore[call-overload]
    except InvalidParameter:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidParameter(Problem(name, None, f"cannot be read as {dtype}: {error}", "wrong-type")) from error
    return made


def _moments(values: pd.Series) -> pd.Series:
    """Convert timestamps or ISO 8601 text to UTC without a time zone."""
    if not pd.api.types.is_datetime64_any_dtype(values):
        kind = pd.api.types.infer_dtype(values)
        if len(values) and ("integer" in kind or kind in ("floating", "decimal", "boolean")):
            raise ValueError("a number has no unit; use pandas.to_datetime(..., unit='s', utc=True)")
        values = _read_moments(values.astype("object"))
    moments = pd.to_datetime(values, utc=True)
    if moments.isna().any():
        raise ValueError(f"row {int(moments.isna().argmax())} is empty")
    _check_years(~moments.dt.year.between(*YEARS))
    return moments.dt.tz_localize(None)


def _check_years(far: pd.Series) -> None:
    if far.any():
        raise ValueError(f"row {int(far.argmax())} is not in the years {YEARS[0]} to {YEARS[1]}")


def _read_moments(texts: pd.Series) -> pd.Series:
    """Convert ISO 8601 text and timestamps to UTC."""
    try:
        return pd.to_datetime(texts, utc=True, format="ISO8601")
    except ValueError as error:
        unread = texts.notna() & pd.to_datetime(texts, utc=True, format="ISO8601", errors="coerce").isna()
        if isinstance(error, pd.errors.OutOfBoundsDatetime):  # pandas 2 supports years up to 2262
            _check_years(unread)
        rule = "must be ISO 8601, such as 2026-04-03T12:00:00Z; pandas.to_datetime(column, format=…) reads other forms"
        _refuse(texts.rename("time"), unread, rule, "wrong-type")
        raise
