"""Reads contents that a table describes by kind: a column Kind, and a column for each field of the kinds.

A row with a kind and without a content gets the content that its other cells describe. The columns are named like the
fields of the kinds, in any case and with spaces or underscores: `Work phone` is `work_phone`. A column of ours may be a
field as well: the name of a QR Code is also that of its contact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from qrkit.contents.kinds import MODULES, kind_named, make_from_texts
from qrkit.contents.reading import read
from qrkit.errors import InvalidParameter, Problem

KIND = "Kind"


class KindColumns:
    """The columns of a table that describe contents by kind.

    Args:
        titles: The heading of the table.
    """

    def __init__(self, titles: Sequence[str]) -> None:
        names = [title.strip().lower().replace(" ", "_").replace("-", "_") for title in titles]
        self._kind = names.index("kind") if "kind" in names else None
        fields = _field_names() if self else frozenset()
        self._fields = [(place, name) for place, name in enumerate(names) if name in fields]

    def __bool__(self) -> bool:
        """Whether there is a column with kinds."""
        return self._kind is not None

    @property
    def places(self) -> set[int]:
        """The positions of the columns with kinds and with fields of kinds."""
        return set() if self._kind is None else {self._kind, *(place for place, _ in self._fields)}

    def content(self, cells: Sequence[str], content: str) -> str:
        """Return the content that the cells of a row describe, or `content` for a row without a kind.

        Args:
            content: The content in the row's own cell, "" if it has none.

        Raises:
            InvalidParameter: If the kind is unknown, a field of the kind breaks its rule, or `content` is of another
                kind.
        """
        kind = cells[self._kind].strip().lower() if self._kind is not None else ""
        if not kind:
            return content
        if content:
            own = read(content).kind
            if own != kind_named(kind).name:
                rule = f"is not the kind of the content in this row, which is {own}; leave one of the two empty"
                raise InvalidParameter(Problem(KIND, kind, rule))
            return content
        known = kind_named(kind).fields.model_fields
        return make_from_texts(kind, {name: cells[place] for place, name in self._fields if name in known})


@cache
def _field_names() -> frozenset[str]:
    return frozenset(name for kind in MODULES for name in kind_named(kind).fields.model_fields)
