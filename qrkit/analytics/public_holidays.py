"""Reads the public holidays that somebody passes: dates, or a mapping from dates to names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime

from qrkit.errors import InvalidParameter, Problem

__all__ = ["which_are_holidays"]


def which_are_holidays(days: Iterable[date], holidays: Collection[date]) -> list[bool]:
    """Return for each day whether it is a holiday.

    Args:
        holidays: Dates, or a mapping from dates to names. A mapping is asked for each day, because the objects of the
            library `holidays` compute a year when it is first asked for.
    """
    # pandas.NaT is a datetime, but not equal to itself.
    if not isinstance(holidays, Collection) or not all(isinstance(one, date) and one == one for one in holidays):
        rule = "must be dates, or a mapping from dates to names such as holidays.country_holidays('SI')"
        raise InvalidParameter(Problem("holidays", holidays, rule, "wrong-type"))
    if isinstance(holidays, Mapping):
        return [day in holidays for day in days]
    known = {one.date() if isinstance(one, datetime) else one for one in holidays}
    return [day in known for day in days]
