"""Counts scans by two attributes at once, as a table with totals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import pandas as pd

from qrkit.analytics.breakdowns import check_most
from qrkit.analytics.small_groups import OTHER, without_small_groups
from qrkit.errors import InvalidParameter, Problem
from qrkit.store import Scans
from qrkit.store.questions.column_copy import reading_one_state
from qrkit.store.questions.local_time import local_time
from qrkit.store.questions.scan_attributes import TAG, Attribute, check_attribute, table_of, value_sql
from qrkit.store.questions.time_zones import stretches_of

ClockAttribute = Literal["weekday", "hour"]
"""Attributes that come from the time of a scan, in the view's time zone."""

TOTAL = "total"
"""Name of the last row and the last column of a cross table."""

CLOCK: Mapping[str, tuple[str, Sequence[str]]] = {
    "weekday": ("strftime({local}, '%a')", ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")),
    "hour": ("strftime({local}, '%H')", [f"{hour:02}" for hour in range(24)]),
}
"""SQL of each clock attribute, and its values in their order."""

VALUES = """
SELECT {value} AS value, count(*) AS scans FROM {table} GROUP BY ALL ORDER BY scans DESC, value LIMIT $most
"""

CELLS = """
SELECT
    if(list_contains($rows::VARCHAR[], {row}), {row}, $other) AS row,
    if(list_contains($columns::VARCHAR[], {column}), {column}, $other) AS column,
    count(*) AS scans
FROM {table}
GROUP BY ALL
"""


def cross_table(
    scans: Scans,
    rows: Attribute | ClockAttribute | str,
    columns: Attribute | ClockAttribute | str,
    *,
    most: int = 10,
    least: int | None = None,
) -> pd.DataFrame:
    """Count scans by two attributes at once: one row for each value of the first, one column for each of the second.

    The most frequent values come first, weekdays and hours in their order. The last row and the last column have the
    totals. Values beyond `most` are added up as "other". Weekdays are named Mon to Sun, hours 00 to 23.

    Index: the values of `rows` (str), then "total". Columns: the values of `columns`, then "total" (all Int64).

    Args:
        scans: The view to count.
        rows: An attribute as for `scans_by`, or weekday or hour, in the view's time zone.
        columns: Another such attribute.
        most: Maximum number of values of each attribute, 1 or more; weekdays and hours are all shown.
        least: The smallest count that is shown, 2..1,000,000, so that the table can be shared; None shows all. Values
            with fewer scans are added to "other". Cells with fewer are hidden (missing), together with enough others
            that the totals do not reveal them, as in `without_small_groups`.

    Raises:
        InvalidParameter: If an attribute is unknown, if both are the same, or if `most` or `least` is out of range.

    Example:
        >>> import pandas as pd
        >>> from qrkit import open_portfolio
        >>> with open_portfolio(":memory:") as shop:
        ...     door = shop.insert_qrcode("https://example.com", name="Door", short_code="door")
        ...     visits = pd.DataFrame({"time": ["2026-03-01T09:00Z"] * 3, "country": ["PT", "PT", "ES"]})
        ...     number = shop.scans.insert(visits.assign(short_code="door", city=["Porto", "Lisboa", "Vigo"]))
        ...     cross_table(shop.scans, "country", "city").loc["PT"].to_dict()
        {'Lisboa': 1, 'Porto': 1, 'Vigo': 0, 'total': 2}
    """
    for name, attribute in (("rows", rows), ("columns", columns)):
        _check(scans, name, attribute, least)
    if rows == columns:
        raise InvalidParameter(Problem("columns", columns, "must differ from `rows`"))
    most = check_most(most)
    with reading_one_state(scans.store):
        values = [_values(scans, attribute, most, least) for attribute in (rows, columns)]
        row, column = (_value_sql(scans, attribute) for attribute in (rows, columns))
        sql = CELLS.format(row=row, column=column, table=table_of(rows, columns))
        counted = scans.ask(sql, rows=values[0], columns=values[1], other=OTHER)
    labels = [_labels(given, set(counted[name])) for given, name in zip(values, ("row", "column"), strict=True)]
    every = pd.MultiIndex.from_product(labels, names=["row", "column"])
    cells = counted.set_index(["row", "column"])["scans"].reindex(every, fill_value=0).astype("int64")
    across = cells.groupby("row").sum().reindex(labels[0], fill_value=0)
    down = cells.groupby("column").sum().reindex(labels[1], fill_value=0)
    if least is not None:
        hidden = without_small_groups(cells.reset_index(), by=("row", "column"), least=least)
        cells = hidden.set_index(["row", "column"])["scans"]
    table = cells.unstack().reindex(index=labels[0], columns=labels[1]).astype("Int64")
    table = pd.concat([table, down.to_frame(TOTAL).T])
    table[TOTAL] = pd.Series([*across, across.sum()], index=table.index, dtype="Int64")
    return table.astype("Int64").rename_axis(index=rows, columns=columns)


def _check(scans: Scans, name: str, attribute: str, least: int | None) -> None:
    if attribute not in get_args(ClockAttribute):
        check_attribute(name, attribute, scans, *get_args(ClockAttribute))
    if attribute == TAG and least is not None:
        rule = "must not be given: a scan counts with each of its tags, so small groups cannot be hidden"
        raise InvalidParameter(Problem("least", least, rule))


def _value_sql(scans: Scans, attribute: Attribute | ClockAttribute | str) -> str:
    if attribute == "weekday" or attribute == "hour":
        return CLOCK[attribute][0].format(local=local_time(stretches_of(scans)))
    return value_sql(attribute, scans)


def _values(scans: Scans, attribute: Attribute | ClockAttribute | str, most: int, least: int | None) -> list[str]:
    """Return the values that have a row or column of their own."""
    every = CLOCK[attribute][1] if attribute in CLOCK else ()
    sql = VALUES.format(value=_value_sql(scans, attribute), table=table_of(attribute))
    frame = scans.ask(sql, most=len(every) or most)
    is_shown = [True] * len(frame)
    if least is not None:
        # What is left over is a group, too: it must not be so small that the total reveals it.
        rest = pd.DataFrame({"value": [""], "scans": [scans.count() - int(frame["scans"].sum())]})
        groups = pd.concat([frame, rest]).astype({"scans": "int64"})
        is_shown = without_small_groups(groups, by=("value",), least=least)["scans"].notna().tolist()[:-1]
    added_up = set(frame["value"][[not shown for shown in is_shown]])
    return [value for value in every or frame["value"] if value not in added_up]


def _labels(values: list[str], counted: set[str]) -> list[str]:
    """Return the labels of the rows or columns, "other" last if anything is left over."""
    return values + ([OTHER] if OTHER in counted - set(values) else [])
