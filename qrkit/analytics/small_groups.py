"""Hides small counts in tables that are shared, and enough others that totals do not reveal the hidden ones."""

from __future__ import annotations

from typing import Any

import pandas as pd

from qrkit.errors import InvalidParameter, Problem, check_whole

OTHER = "other"
"""Name of the row that small groups are merged into."""


def without_small_groups(
    frame: pd.DataFrame, *, by: tuple[str, ...], count: str = "scans", least: int = 5, merge: bool = False
) -> pd.DataFrame:
    """Hide the counts of groups smaller than `least`, so that a table can be shared.

    Someone who knows a total, of the whole table or of one value of a column in `by`, could subtract the shown rows. So
    further groups are hidden, the smallest first, until every hidden group of a total could be any number from 1 to
    `least` or more. Someone who combines the totals of several columns, or several tables of the same scans, may still
    find out more. If everything else is 0, nothing more can be hidden, and a total below `least` reveals the group.

    Columns: the columns and rows of the table, with nullable numbers (Int64, Float64) that are missing in hidden
    groups.

    Args:
        frame: One row per group, such as the result of `scans_by`.
        by: The columns that name the groups; all other columns are numbers.
        count: The column with the size of a group: scans, or visitors if the table is about people.
        least: The smallest count that is shown, 2..1,000,000; 0 is always shown.
        merge: Whether to merge the hidden groups into one last row named "other", with their total count; needs exactly
            one column in `by`.

    Raises:
        InvalidParameter: If a column is missing, if `count` contains anything but whole numbers from 0, or if `least`
            is out of range.
    """
    _check(frame, by, count, least)
    if merge and len(by) != 1:
        raise InvalidParameter(Problem("merge", merge, "needs one column `by`; leave it out to hide groups in place"))
    counts = [int(number) for number in frame[count]]
    hidden = _groups_to_hide(counts, _totals(frame, by), least)
    numbers = [name for name in frame.columns if name not in by]
    result = frame.reset_index(drop=True)
    result[numbers] = result[numbers].convert_dtypes()
    if not merge:
        result.loc[sorted(hidden), numbers] = None
        return result
    return _merge_rows(result, by[0], count, sorted(hidden))


def _totals(frame: pd.DataFrame, by: tuple[str, ...]) -> list[list[int]]:
    """Return the rows of each total, by number: all rows of the table, and the rows with each value of each column."""
    totals = [list(range(len(frame)))]
    if len(by) > 1:
        plain = frame.reset_index(drop=True)
        for name in by:
            totals += [list(rows) for rows in plain.groupby(name, dropna=False).indices.values()]
    return totals


def _groups_to_hide(counts: list[int], totals: list[list[int]], least: int) -> set[int]:
    """Return the small groups and the groups that must be hidden with them, so that no total reveals one."""
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
    """Whether a total hides each count: any of them could be `least` or more if all the others were 1."""
    return len(numbers) > 1 and sum(numbers) - (len(numbers) - 1) >= least


def _merge_rows(result: pd.DataFrame, key: str, count: str, hidden: list[int]) -> pd.DataFrame:
    """Merge the hidden rows into one last row. Only the count is summed, because people can be in several groups."""
    if not hidden:
        return result
    other: dict[str, Any] = dict.fromkeys(result.columns) | {key: OTHER, count: int(result.loc[hidden, count].sum())}
    kept = result.drop(index=hidden)
    return pd.concat([kept, pd.DataFrame([other]).astype(result.dtypes.to_dict())], ignore_index=True)


def check_least(least: int) -> int:
    """Validate the smallest number that is shown and return it as an `int`."""
    return check_whole("least", least, 2, 1_000_000)


def _check(frame: pd.DataFrame, by: tuple[str, ...], count: str, least: int) -> None:
    if isinstance(by, str) or not by or count in by:
        raise InvalidParameter(Problem("by", by, f"must be a tuple of columns, without {count!r}"))
    missing = [name for name in (*by, count) if name not in frame.columns]
    if missing:
        rule = f"is not a column of the table; it has {', '.join(map(str, frame.columns))}"
        raise InvalidParameter(*(Problem(name, None, rule) for name in missing))
    check_least(least)
    is_whole = pd.api.types.is_integer_dtype(frame[count])
    if not is_whole or frame[count].isna().any() or (frame[count] < 0).any():
        raise InvalidParameter(Problem(count, None, "must hold whole numbers from 0", "wrong-type"))
