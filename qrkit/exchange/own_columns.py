"""Columns that are not ours: those whose cells become fields of QR Codes, and those that describe contents by kind.

A table may have a column Kind, and a column for each field of the kinds. A row with a kind and without a content gets
the content that its other cells describe. The columns are named like the fields of the kinds, in any case and with
spaces or underscores: `Work phone` is `work_phone`. A column of ours may be a field as well: the name of a QR Code is
also that of its contact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from qrkit.contents.kinds import MODULES, kind_named, make_from_texts
from qrkit.contents.reading import read
from qrkit.errors import InvalidParameter, Problem, similar
from qrkit.exchange.columns import Row, is_ours
from qrkit.exchange.marked_cells import Unsaved
from qrkit.exchange.merge import ImportIssue, Reason
from qrkit.tracking.names import tidy_name
from qrkit.tracking.own_fields import MOST_FIELDS, name_rule, value_rule

MOST_NAMES = 1_000
"""The maximum number of different names in a file that become fields, because each object of a file may have others."""
MOST_SHOWN = 60
KIND = "Kind"


class OwnColumns:
    """The columns of a file that are not ours; of the known ones, an issue suggests the one that may be meant.

    The source, the tool that wrote the file, is added to names that are ours; without one, such columns are left out.
    """

    def __init__(self, known: Iterable[str], source: str = "") -> None:
        self._known, self._source = tuple(known), source
        self._names: dict[str, str] = {}
        """Column name -> name of the field; "" for a column that is left out."""
        self._kept: dict[str, None] = {}
        self._issues: list[tuple[Reason, str]] = []

    def row(self, row: Row, cells: Iterable[tuple[str, str]]) -> Row:
        """Return a row with these cells as fields, joined if names recur, and notes on those that cannot be kept."""
        if row.error:
            return row
        fields: dict[str, str] = {}
        lost: list[str] = []
        for title, cell in cells:
            if not (text := cell.strip()) or not (name := self._field(title)):
                continue
            text = f"{fields[name]}\n{text}" if name in fields else text
            if type(cell) is Unsaved:
                lost.append(f"{name} is a formula whose value is not in the file")
            elif rule := value_rule(text):
                lost.append(f"{name}={text[:MOST_SHOWN]!r} {rule}")
            elif len(fields) == MOST_FIELDS and name not in fields:
                lost.append(f"{name}={text[:MOST_SHOWN]!r} is more than the {MOST_FIELDS} fields of a QR Code")
            else:
                fields[name] = text
        self._kept |= dict.fromkeys(fields)
        more = f", and {len(lost) - 1:,} more were" if len(lost) > 1 else ", and was"
        notes: list[tuple[Reason, str]] = [("field-left-out", f"{lost[0]}{more} left out")] if lost else []
        return row._replace(own=fields, notes=(*row.notes, *notes)) if fields or notes else row

    def _field(self, title: str) -> str:
        name = self._names.get(title)
        if name is None and len(self._names) < MOST_NAMES:
            name = self._names[title] = self._judged(title)
            if len(self._names) == MOST_NAMES:
                detail = f"at most {MOST_NAMES:,} names of a file become fields; what has other names was left out"
                self._issues.append(("unknown-column", detail))
        return name or ""

    def _judged(self, title: str) -> str:
        """Return the name of the field for a column; "" if it cannot be one, which becomes an issue."""
        name = tidy_name(title)
        if is_ours(name) and self._source:
            name = f"{name} ({self._source})"
        if rule := "is the name of a column of exports" if is_ours(name) else name_rule(name):
            self._issues.append(("unknown-column", f"{title[:MOST_SHOWN]!r} was left out: the name {rule}"))
            return ""
        return name

    def issues(self, heading: int) -> Iterator[ImportIssue]:
        """Yield an issue for each column that has a text; call it after all rows were read."""
        for name in self._kept:
            told = (f"{name!r} becomes a field of the QR Codes", similar(name, self._known))
            self._issues.append(("own-column", "; ".join(filter(None, told))))
        for reason, detail in self._issues:
            yield ImportIssue(heading, "", "", "", reason, detail)


class KindColumns:
    """The columns of a table that describe contents by kind."""

    def __init__(self, titles: Sequence[str]) -> None:
        names = [title.strip().lower().replace(" ", "_").replace("-", "_") for title in titles]
        known = _known_names() if "kind" in names else frozenset()
        self._names = {place: name for place, name in enumerate(names) if name in known}
        self.places = self._names.keys()
        """The positions of the columns with kinds and with fields of kinds."""

    def __bool__(self) -> bool:
        """Whether there is a column with kinds."""
        return bool(self._names)

    def content(self, cells: Sequence[str], content: str) -> str:
        """Return the content that cells describe, or `content`, which must be of the row's kind if the row has one."""
        texts = {name: cells[place] for place, name in self._names.items()}
        kind = texts.pop("kind", "").strip().lower()
        if not kind:
            return content
        if content:
            own = read(content).kind
            if own != kind_named(kind).name:
                rule = f"is not the kind of the content in this row, which is {own}; leave one of the two empty"
                raise InvalidParameter(Problem(KIND, kind, rule))
            return content
        known = kind_named(kind).fields.model_fields
        return make_from_texts(kind, {name: text for name, text in texts.items() if name in known})


@cache
def _known_names() -> frozenset[str]:
    return frozenset({"kind", *(name for kind in MODULES for name in kind_named(kind).fields.model_fields)})
