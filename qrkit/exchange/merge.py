"""The rules of an import: what is already there, what needs another name (interface.md, import rule 6; ruling X3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from qrkit.exchange.columns import Row
from qrkit.late import Shown

if TYPE_CHECKING:
    import pandas as pd

    from qrkit.tracking.records import QRCode

__all__ = ["ImportIssue", "ImportResult", "issue_of", "merge"]

Reason = Literal[
    "duplicate", "renamed", "undecodable", "invalid", "code-taken", "changed", "unknown-column", "unread-sheet"
]  # fmt: skip
"""The stable words that an issue's error begins with (ruling X2; columns and sheets left out are ours to add)."""
_CHANGED: dict[Reason, str] = {
    "renamed": "renamed",
    "code-taken": "given a new short URL",
    "changed": "given a version or mode that fits",
}
"""What is said of rows that were created, but not as they are in the file."""
_LEFT_OUT: dict[Reason, str] = {
    "duplicate": "already there",
    "invalid": "not readable",
    "undecodable": "picture{s} not readable",
    "unknown-column": "column{s} left out",
    "unread-sheet": "sheet{s} not read",
}


@dataclass(frozen=True, slots=True)
class ImportIssue:
    """A row of an import that was skipped or changed.

    Attributes:
        row: Its number in the file; the heading is row 1.
        campaign: Its campaign's name.
        name: Its name, as the file has it.
        content: Its content.
        reason: `duplicate` and `invalid` rows were skipped; `renamed`, `code-taken` and `changed` ones were changed.
        detail: What was found, and what was done.
    """

    row: int
    campaign: str
    name: str
    content: str
    reason: Reason
    detail: str

    @property
    def error(self) -> str:
        """`reason: detail`, as the HTTP interface writes it."""
        return f"{self.reason}: {self.detail}"


@dataclass(frozen=True, slots=True)
class ImportResult(Shown):
    """What an import did. In a notebook it shows as a table of what was skipped or changed.

    Attributes:
        created: How many QR Codes were added.
        issues: The rows that were skipped or changed, in their order.
    """

    created: int
    issues: tuple[ImportIssue, ...] = ()

    @property
    def failed(self) -> int:
        """How many rows could not be read; those that are there already are not among them."""
        return self.count("invalid") + self.count("undecodable")

    def count(self, reason: Reason) -> int:
        """How many rows were skipped or changed for this reason."""
        return sum(issue.reason == reason for issue in self.issues)

    def to_frame(self) -> pd.DataFrame:
        """The issues, a row each, indexed by their row in the file.

        Columns: campaign, name, content, error (str).
        """
        import pandas as pd

        rows = [(issue.campaign, issue.name, issue.content, issue.error) for issue in self.issues]
        index = pd.Index([issue.row for issue in self.issues], name="row", dtype="int64")
        return pd.DataFrame(rows, columns=["campaign", "name", "content", "error"], index=index, dtype="str")

    def __str__(self) -> str:
        changed = ", ".join(self._counted(_CHANGED))
        created = f"{self.created} created" + (f" ({changed})" if changed else "")
        return ", ".join([created, *self._counted(_LEFT_OUT)])

    def _counted(self, words: Mapping[Reason, str]) -> list[str]:
        counts = ((self.count(reason), word) for reason, word in words.items())
        return [f"{count} {word.format(s='' if count == 1 else 's')}" for count, word in counts if count]

    def __repr__(self) -> str:
        return f"<ImportResult: {self}>"


Insert = Callable[["Row", "QRCode", str], list[ImportIssue]]
"""Adds the QR Code of a row under a name; gives what is said of it, with the reason `invalid` if it was not added."""


class _Series:
    """A name and its numbered likes, as far as they are known to be taken: `A`, `A (2)`, and so on."""

    __slots__ = ("holding", "number")

    def __init__(self) -> None:
        self.number = 1
        self.holding: dict[str, str] = {}


class _Taken:
    """Names and contents that are taken."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._contents: dict[str, set[str]] = {}
        self._series: dict[str, _Series] = {}
        self._passed: dict[str, list[_Series]] = {}
        for name, content in pairs:
            self.add(name, content)

    def copy(self) -> _Taken:
        return _Taken((name, content) for name, contents in self._contents.items() for content in contents)

    def __contains__(self, name: str) -> bool:
        return name in self._contents

    def add(self, name: str, content: str) -> None:
        self._contents.setdefault(name, set()).add(content)
        for series in self._passed.get(name, ()):
            series.holding.setdefault(content, name)

    def name_for(self, code: QRCode) -> str:
        """The first free of `name`, `name (2)`, `name (3)`, …, or one before it that has the code's very content.

        A thousand rows of one name take a thousand steps, not half a million: what is known to be taken is passed once.
        """
        if code.name not in self._contents:
            return code.name
        series = self._series.setdefault(code.name, _Series())
        while (name := _numbered(code.name, series.number)) in self._contents:
            series.number += 1
            self._passed.setdefault(name, []).append(series)
            for content in self._contents[name]:
                series.holding.setdefault(content, name)
        return series.holding.get(code.content, name)


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name} ({number})"


def merge(
    codes: Iterable[tuple[Row, QRCode] | ImportIssue],
    present: Iterable[tuple[str, str]],
    has_own_code: Callable[[QRCode], bool],
    insert: Insert,
) -> ImportResult:
    """Add QR Codes to a portfolio, each under a name that is free.

    Same name and content is there already. Same name with other content takes the first free of `name (2)`, `name
    (3)`, …; where one of these has that very content, an earlier import brought it, so that importing a file twice
    changes nothing. What cannot be added takes no name.

    Rows that bring a free short code of their own are codes that hang somewhere: they are judged against the portfolio
    alone, not against the rows before them, so that a backup comes back whole even where its names are not unique.

    Args:
        codes: Rows of a file with what they say, in order; what is wrong with one stands in its place.
        present: Name and content of every QR Code of the portfolio.
        has_own_code: Whether a code brings a short code that is free.
        insert: Adds one of them.
    """
    before = _Taken(present)
    taken = before.copy()
    created, issues = 0, []
    for one in codes:
        if isinstance(one, ImportIssue):
            issues.append(one)
            continue
        row, code = one
        judge = before if has_own_code(code) else taken
        name = judge.name_for(code)
        if name in judge:
            issues.append(issue_of(row, code, "duplicate", f"{name!r} with this content is in the portfolio already"))
            continue
        said = insert(row, code, name)
        if all(issue.reason != "invalid" for issue in said):
            created += 1
            taken.add(name, code.content)
            if name != code.name:
                detail = f"{code.name!r} has other content; this one is now {name!r}"
                issues.append(issue_of(row, code, "renamed", detail))
        issues += said
    return ImportResult(created, tuple(sorted(issues, key=lambda issue: issue.row)))


def issue_of(row: Row, code: QRCode, reason: Reason, detail: str) -> ImportIssue:
    """What is said of a row and the QR Code that it says."""
    return ImportIssue(row.number, row.cells.get("Campaign Name", ""), code.name, code.content, reason, detail)
