"""Visits in the store: one by one from redirects, or a whole DataFrame at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from qrkit.errors import InvalidParameter, Problem
from qrkit.limits import Latitude, Longitude
from qrkit.records import Visit
from qrkit.store.connection import Store
from qrkit.store.user_agents import LONGEST, numbers_of
from qrkit.times import naive

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FRAME_COLUMNS", "Mark", "insert_frame", "insert_visits", "is_kept"]

COLUMNS = {
    "time": "TIMESTAMP",
    "kind": "VARCHAR",
    "qrcode": "INTEGER",
    "short_code": "VARCHAR",
    "content": "VARCHAR",
    "user_agent": "INTEGER",
    "referrer": "VARCHAR",
    "language": "VARCHAR",
    "visitor": "UBIGINT",
    "country": "VARCHAR",
    "region": "VARCHAR",
    "city": "VARCHAR",
    "latitude": "FLOAT8",
    "longitude": "FLOAT8",
}
# A column at a time: as fast for a thousand visits as rows of values are for ten.
INSERT = f"""
INSERT INTO visits ({", ".join(COLUMNS)}) SELECT {", ".join(f"unnest(?::{kind}[])" for kind in COLUMNS.values())}
"""

FRAME_COLUMNS = {
    "short_code": "str",
    "time": "datetime64[us]",
    "kind": "str",
    "content": "str",
    "user_agent": "str",
    "referrer": "str",
    "language": "str",
    "visitor": "UInt64",
    "country": "str",
    "region": "str",
    "city": "str",
    "latitude": "float64",
    "longitude": "float64",
}
"""Columns of a DataFrame of scans and the dtypes they are brought to; only the first two are required."""

FRAME_KINDS = ("scan", "bot", "prefetch", "head")
"""What visits of a DataFrame can be: those of short codes that are there."""

CODES = "SELECT short_code FROM qrcodes WHERE account_id = ?"

YEARS = (1990, 2100)
"""A scan beyond them is a mistake, and a table of days up to it would fill the memory."""

INSERT_FRAME = """
INSERT INTO visits
SELECT
    i.time, i.kind, s.qrcode, i.short_code, coalesce(i.content, q.content), u.number, i.referrer, i.language, i.visitor,
    i.country, i.region, i.city, i.latitude, i.longitude
FROM incoming i
JOIN short_codes s ON s.code = i.short_code
JOIN qrcodes q ON q.number = s.qrcode
JOIN user_agents u ON u.text = i.user_agent
"""


class Mark(NamedTuple):
    """A counter and what it stands at after a transaction: tells later whether that happened.

    Attributes:
        qrcode: Number of the QR Code whose scans are counted; 0 counts transactions.
        scans: What the counter stands at; of a server the transaction's own number.
    """

    qrcode: int
    scans: int


def is_kept(store: Store, mark: Mark, visits: Sequence[Visit]) -> bool:
    """Whether the transaction that a mark was set in was committed, and these visits with it.

    The first of them is looked for, too: after a crash a server gives the numbers of transactions that were under way
    to others.
    """
    first = visits[0]
    found = store.row(store.database.dialect.is_kept, [*mark, naive(first.time), first.short_code, first.visitor])
    return found is not None


def insert_visits(store: Store, visits: Sequence[Visit]) -> Mark:
    """Store visits and count the scans among them, in one transaction; gives its mark back."""
    dialect = store.database.dialect
    with store.adding():
        agents = numbers_of(store, [visit.user_agent for visit in visits])
        rows = [_row(visit, agents[visit.user_agent[:LONGEST]]) for visit in visits]
        store.execute_often(INSERT, [list(column) for column in zip(*rows, strict=True)])
        counted = Counter(visit.qrcode for visit in visits if visit.kind == "scan")
        if len(counted) == 1:
            row = store.row(dialect.count_one, [*counted.values(), *counted.keys()])
        elif counted:
            row = store.row(dialect.count, [list(counted.keys()), list(counted.values())])
        else:
            row = store.row(dialect.count_nothing)
    # A QR Code that is being deleted has no counter to grow, and its visits are not worth a second try.
    return Mark(int(row["qrcode"]), int(row["scans"])) if row else Mark(0, 0)


def _row(visit: Visit, agent: int) -> tuple[Any, ...]:
    place = visit.place
    return (
        naive(visit.time),
        visit.kind,
        visit.qrcode,
        visit.short_code,
        visit.content,
        agent,
        visit.referrer,
        visit.language,
        visit.visitor,
        place.country,
        place.region,
        place.city,
        place.latitude,
        place.longitude,
    )


def insert_frame(store: Store, account_id: str, frame: pd.DataFrame) -> int:
    """Store a DataFrame of scans of an account's QR Codes and give their number: all rows or, with an error, none.

    Raises:
        InvalidParameter: A column is missing or unknown, a value cannot be brought to its column's dtype, or a short
            code is not one of the account's; the column is named, and the first row that is wrong.
    """
    prepared = _prepared(frame)
    agents = prepared["user_agent"].unique()
    if store.database.is_shared and not store.is_in_transaction:
        # At once, for others wait with theirs until it is certain that a new user agent is stored.
        with store.adding():
            _check_codes(store, account_id, prepared)
            numbers_of(store, agents)
    with store.adding():
        _check_codes(store, account_id, prepared)
        numbers_of(store, agents)
        store.insert_frame(INSERT_FRAME, prepared)
        store.insert_frame(store.database.dialect.count_frame, prepared)
    return len(prepared)


def _prepared(frame: pd.DataFrame) -> pd.DataFrame:
    """The same rows with every column, each of its dtype."""
    import pandas as pd

    _check_names([str(name) for name in frame.columns])
    result = pd.DataFrame({name: _column(frame, name) for name in FRAME_COLUMNS})
    for name, kind in (("latitude", Latitude), ("longitude", Longitude)):
        bound = get_args(kind)[1]
        wrong = result[name].notna() & ~result[name].between(bound.low, bound.high)
        if wrong.any():
            row = int(wrong.argmax())
            raise InvalidParameter(Problem(name, result[name][row], f"row {row}: must be in {bound}", "out-of-range"))
    result["kind"] = result["kind"].fillna("scan")
    wrong = ~result["kind"].isin(FRAME_KINDS)
    if wrong.any():
        row = int(wrong.argmax())
        raise InvalidParameter(
            Problem("kind", result["kind"][row], f"row {row}: must be one of {', '.join(FRAME_KINDS)}")
        )
    result["user_agent"] = result["user_agent"].fillna("").str.slice(0, LONGEST)
    return result


def _check_names(names: list[str]) -> None:
    wrong = [Problem(name, None, "is a required column", "missing-parameter") for name in ("short_code", "time")
             if name not in names]  # fmt: skip
    rule = f"is not a column of scans; allowed: {', '.join(FRAME_COLUMNS)}"
    wrong += [Problem(name, None, rule, "unknown-parameter") for name in names if name not in FRAME_COLUMNS]
    wrong += [Problem(name, None, "is there twice", "duplicate-parameter") for name in FRAME_COLUMNS
              if names.count(name) > 1]  # fmt: skip
    if wrong:
        raise InvalidParameter(*wrong)


def _column(frame: pd.DataFrame, name: str) -> pd.Series:
    """One column brought to its dtype, empty where the frame has none."""
    import pandas as pd

    dtype = FRAME_COLUMNS[name]
    absent = pd.Series([None] * len(frame), dtype="object")
    values = frame[name].reset_index(drop=True) if name in frame else absent
    try:
        made: pd.Series = (_moments(values) if name == "time" else values).astype(dtype)  # type: ignore[call-overload]
        if dtype == "str":
            made.str.encode("utf-8")  # half a character (a lone surrogate) is no text
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidParameter(Problem(name, None, f"cannot be read as {dtype}: {error}", "wrong-type")) from error
    return made


def _moments(values: pd.Series) -> pd.Series:
    """Moments in UTC without their zone; texts must be ISO 8601."""
    import pandas as pd

    if not pd.api.types.is_datetime64_any_dtype(values):
        kind = pd.api.types.infer_dtype(values)
        if len(values) and ("integer" in kind or kind in ("floating", "decimal", "boolean")):
            raise ValueError("numbers do not say their unit; use pandas.to_datetime(..., unit='s', utc=True)")
        values = pd.to_datetime(values.astype("object"), utc=True, format="ISO8601")
    moments = pd.to_datetime(values, utc=True)
    if moments.isna().any():
        raise ValueError(f"row {int(moments.isna().argmax())} is empty")
    far = ~moments.dt.year.between(*YEARS)
    if far.any():
        raise ValueError(f"row {int(far.argmax())} is not in the years {YEARS[0]} to {YEARS[1]}")
    return moments.dt.tz_localize(None)


def _check_codes(store: Store, account_id: str, frame: pd.DataFrame) -> None:
    found = store.rows(CODES + store.database.dialect.keep, [account_id])
    unknown = frame.loc[~frame["short_code"].isin([row["short_code"] for row in found]), "short_code"]
    if len(unknown):
        rule = f"row {unknown.index[0]}: is no short code of this portfolio ({len(unknown)} rows are of such codes)"
        raise InvalidParameter(Problem("short_code", unknown.iloc[0], rule))
