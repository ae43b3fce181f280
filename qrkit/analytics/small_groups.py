"""Tables that are given away: counts of a few people are hidden, and so much beside them that totals do not tell."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

from qrkit.errors import InvalidParameter, Problem

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OTHER", "without_small_groups"]

OTHER = "other"
"""What the row is called that small groups are merged into."""


def without_small_groups(
    frame: pd.DataFrame, *, by: tuple[str, ...], count: str = "scans", least: int = 5, merge: bool = False
) -> pd.DataFrame:
    """A table of groups without the counts of groups that are smaller than `least`.

    Whoever knows the total, or those of one of the columns `by`, could take what is shown from it. So further groups
    are hidden, the smallest first, until each of what is hidden of a total could be any number from 1 to `least` or
    more. Who puts the totals of several columns together may find more out than that, and so may who gets several
    tables of the same scans. Where all else is 0 nothing can be hidden: a total below `least` tells by itself.

    Columns: those of the table, in its rows, with numbers that may be missing (Int64, Float64); those of hidden groups
    are.

    Args:
        frame: A row a group, as `scans_by` gives it.
        by: The columns that name the groups; all others are numbers of them.
        count: The column that says how many a group is: scans, or visitors where it is about people.
        least: The smallest count that is shown, 2..1,000,000; 0 is shown anyway.
        merge: Whether what is hidden becomes one last row, named "other", with its count; of one column `by` only.

    Raises:
        InvalidParameter: A column is not there, `count` has something else than whole numbers from 0, or `least` is out
            of range.
    """
    _check(frame, by, count, least)
    if merge and len(by) != 1:
        raise InvalidParameter(Problem("merge", merge, "needs one column `by`; leave it out to hide groups in place"))
    counts = [int(number) for number in frame[count]]
    hidden = _hidden(counts, _totals(frame, by), least)
    numbers = [name for name in frame.columns if name not in by]
    result = frame.reset_index(drop=True)
    result[numbers] = result[numbers].convert_dtypes()
    if not merge:
        result.loc[sorted(hidden), numbers] = None
        return result
    return _merged(result, by[0], count, sorted(hidden))


def _totals(frame: pd.DataFrame, by: tuple[str, ...]) -> list[list[int]]:
    """The places of the rows of each total: of all, and of each value of each column."""
    totals = [list(range(len(frame)))]
    if len(by) > 1:
        plain = frame.reset_index(drop=True)
        for name in by:
            totals += [list(rows) for rows in plain.groupby(name, dropna=False).indices.values()]
    return totals


def _hidden(counts: list[int], totals: list[list[int]], least: int) -> set[int]:
    """The small groups, and those that are hidden with them so that no total tells of one."""
    hidden = {place for place, number in enumerate(counts) if 0 < number < least}
    grown = True
    while grown:
        grown = False
        for rows in totals:
            shown = sorted((row for row in rows if row not in hidden), key=lambda row: (counts[row] == 0, counts[row]))
            inside = [row for row in rows if row in hidden]
            for row in shown:
                if not inside or _is_open([counts[one] for one in inside], least):
                    break
                hidden.add(row)
                inside.append(row)
                grown = True
    return hidden


def _is_open(numbers: list[int], least: int) -> bool:
    """Whether their sum leaves open what each is: were the others 1, it would be `least` or more."""
    return len(numbers) > 1 and sum(numbers) - (len(numbers) - 1) >= least


def _merged(result: pd.DataFrame, key: str, count: str, hidden: list[int]) -> pd.DataFrame:
    """The hidden rows as one, at the end: of people who are in several groups, only the count can be added up."""
    import pandas as pd

    if not hidden:
        return result
    other: dict[str, Any] = dict.fromkeys(result.columns) | {key: OTHER, count: int(result.loc[hidden, count].sum())}
    kept = result.drop(index=hidden)
    last = pd.DataFrame([other]).astype(result.dtypes.to_dict())
    return pd.concat([kept, last], ignore_index=True)


def _check(frame: pd.DataFrame, by: tuple[str, ...], count: str, least: int) -> None:
    import pandas as pd

    if isinstance(by, str) or not by or count in by:
        raise InvalidParameter(Problem("by", by, f"must be a tuple of columns, without {count!r}"))
    missing = [name for name in (*by, count) if name not in frame.columns]
    if missing:
        rule = f"is not a column of the table; it has {', '.join(map(str, frame.columns))}"
        raise InvalidParameter(*(Problem(name, None, rule) for name in missing))
    if not isinstance(least, Integral) or isinstance(least, bool) or not 2 <= least <= 1_000_000:
        raise InvalidParameter(Problem("least", least, "must be a whole number in 2..1000000", "out-of-range"))
    is_whole = pd.api.types.is_integer_dtype(frame[count])
    if not is_whole or frame[count].isna().any() or (frame[count] < 0).any():
        raise InvalidParameter(Problem(count, None, "must hold whole numbers from 0", "wrong-type"))
