"""The rules of an import: which rows are skipped as duplicates, and which are renamed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Reversible
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

from qrkit.contents.suspicious_links import link_warning, meant_url
from qrkit.errors import counted
from qrkit.exchange.columns import Row
from qrkit.languages import say
from qrkit.languages.sentences import Sentence
from qrkit.late import Shown, pd
from qrkit.tracking.names import Spellings, tidy_name
from qrkit.tracking.records import QRCode

__all__ = ["ImportIssue", "ImportResult", "Reason", "issue_of", "merge"]

Reason = Literal[
    "duplicate", "renamed", "undecodable", "invalid", "code-taken", "code-unreadable", "changed", "date-unreadable",
    "count-unreadable", "template-unknown", "similar-name", "suspicious-url", "completed-url", "no-address",
    "link-target", "formula-unsaved", "heading-row", "encoding-guessed", "own-column", "field-left-out",
    "unknown-column", "unread-sheet", "unread-file", "hidden-row", "struck-row", "shared-path",
    "limits-unknown", "own-parameters", "rule-without-effect", "damaged-text",
]  # fmt: skip
"""The stable first words of an issue's error; the last twenty-three, and `code-unreadable`, are our additions."""
_CHANGED: dict[Reason, Sentence] = {
    "renamed": "{count} renamed",
    "code-taken": "{count} given a new short URL",
    "code-unreadable": "{count} without their short code",
    "changed": "{count} given a version or mode that fits",
    "date-unreadable": "{count} without their date",
    "count-unreadable": "{count} without their count of scans",
    "template-unknown": "{count} without their template",
    "similar-name": "{count} with a name that differs from another only in case",
    "completed-url": "{count} with a completed address",
    "link-target": "{count} with the target of a link",
    "formula-unsaved": "{count} with a formula without a value",
    "rule-without-effect": "{count} with a rule that never takes effect",
    "field-left-out": "{count} without some of their fields",
    "damaged-text": "{count} with a text that another program damaged",
    "suspicious-url": "{count} with a suspicious address",
    "no-address": "{count} with a content that is not an address",
}
"""Summary texts for rows that were imported with changes."""
_LOST: frozenset[Reason] = frozenset({
    "invalid", "undecodable", "code-taken", "code-unreadable", "date-unreadable", "count-unreadable", "field-left-out",
})  # fmt: skip
"""The reasons of rows that were left out, or that lost something."""
_TO_FIX = _LOST | {"suspicious-url", "no-address", "rule-without-effect", "damaged-text"}
"""The reasons of rows that people want to correct."""
_NOT_KEPT = _LOST | {"renamed", "changed", "template-unknown", "formula-unsaved"}
"""The reasons of rows that are not in the portfolio as they stand in the file."""
_NUMBERED = re.compile(r"(?:(.+) )?\(([2-9]|[1-9][0-9]{1,8})\)", re.DOTALL)
"""Matches a name that an import numbered, such as `A (2)`."""
MOST_HOSTS = 3
"""The maximum number of hosts that a sentence names."""
_LEFT_OUT: dict[Reason, Sentence] = {
    "duplicate": "{count} already there",
    "invalid": ("{count} row left out", "{count} rows left out"),
    "undecodable": ("{count} picture not readable", "{count} pictures not readable"),
    "own-column": ("{count} column kept as fields", "{count} columns kept as fields"),
    "unknown-column": ("{count} column left out", "{count} columns left out"),
    "unread-sheet": ("{count} sheet not read", "{count} sheets not read"),
    "unread-file": ("{count} file not read", "{count} files not read"),
}


@dataclass(frozen=True, slots=True)
class ImportIssue:
    """A row of an import that was skipped or changed.

    Attributes:
        row: The row number in the file; the heading is row 1.
        campaign: The campaign name in the row.
        name: The name of the QR Code, as in the file.
        content: The content of the QR Code.
        reason: The type of issue: `duplicate`, `invalid` and `undecodable` rows were skipped; `renamed`, `code-taken`
            (the short code is in use), `code-unreadable` (the file has no short code that can be kept) and `changed`
            rows were changed; `date-unreadable`, `count-unreadable` and `template-unknown` rows were imported without
            their creation date, count of scans or template; `similar-name` rows were imported, but their name or that
            of their campaign differs from another one only in case; `suspicious-url` rows were imported, but their
            content only looks like a web address, and `completed-url` rows with the address that was meant;
            `no-address` rows hold a text such as "N/A" in a column of addresses, or a payment behind a short URL that
            was kept; `link-target` rows hold a text over a link, and `formula-unsaved` rows a formula without a value;
            `field-left-out` rows were imported without a text that cannot be a field; `rule-without-effect` rows keep
            their short URL with a rule that never takes effect; `damaged-text` rows keep a text that another program
            shortened or read in a wrong encoding; `own-column` (a column that became a field), `heading-row`,
            `encoding-guessed`, `unknown-column`, `unread-sheet`, `unread-file`, `hidden-row`, `struck-row` (text that
            is struck out), `limits-unknown` and `own-parameters` (links whose own parameters keep their values, unlike
            in the service) are about the whole file, and `shared-path` about all short URLs of a host.
        detail: What was found and how it was handled.
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
    """The result of an import. Notebooks display the result as a table of skipped and changed rows.

    Attributes:
        created: The number of QR Codes added.
        issues: The rows that were skipped or changed, in file order.
        other_hosts: The hosts of short URLs in the file that are not the host of the base URL, with the number of QR
            Codes that were added from each, most first. What was printed with these short URLs still leads there.
        kept_codes: The number of QR Codes that kept their short code.
        ids: The IDs of the QR Codes added, for `Portfolio.undo_import`.
        campaign_ids: The IDs of the campaigns added.
        updates: The QR Codes that were changed, each before and after.
    """

    created: int
    issues: tuple[ImportIssue, ...] = ()
    other_hosts: Mapping[str, int] = field(default_factory=dict, hash=False)
    kept_codes: int = 0
    ids: tuple[str, ...] = field(default=(), compare=False)
    campaign_ids: tuple[str, ...] = field(default=(), compare=False)
    updates: tuple[tuple[QRCode, QRCode], ...] = field(default=(), compare=False)

    @property
    def failed(self) -> int:
        """The number of rows that could not be imported because of errors; duplicates are not included."""
        return self.count("invalid") + self.count("undecodable")

    @property
    def skipped(self) -> int:
        """The number of rows that were not imported: duplicates, and rows with errors."""
        return self.count("duplicate") + self.failed

    @property
    def is_complete(self) -> bool:
        """Whether all rows are in the portfolio as they stand in the file, now or before the import."""
        return not any(issue.reason in _NOT_KEPT for issue in self.issues)

    def count(self, reason: Reason) -> int:
        """Return the number of issues with this reason."""
        return sum(issue.reason == reason for issue in self.issues)

    @property
    def to_fix_first(self) -> list[ImportIssue]:
        """The issues as people want to read them: rows to fix come first, duplicates last."""
        return sorted(self.issues, key=lambda issue: (issue.reason == "duplicate", issue.reason not in _TO_FIX))

    @property
    def hosts_left(self) -> str:
        """A sentence on `other_hosts`; "" if there are none."""
        first = list(self.other_hosts.items())[:MOST_HOSTS]
        counts = [f"{counted(count, 'short URL')} began with {host}" for host, count in first]
        if more := sum(self.other_hosts.values()) - sum(count for _, count in first):
            counts.append(f"{more:,} with other hosts")
        return f"{', '.join(counts)}; codes printed with them still lead there" if counts else ""

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per issue, indexed by the row number in the file.

        Columns: campaign, name, content, error (str).
        """
        rows = [(issue.campaign, issue.name, issue.content, issue.error) for issue in self.issues]
        index = pd.Index([issue.row for issue in self.issues], name="row", dtype="int64")
        return pd.DataFrame(rows, columns=["campaign", "name", "content", "error"], index=index, dtype="str")

    def __str__(self) -> str:
        changed = ", ".join(say(_CHANGED[one], self.count(one)) for one in _CHANGED if self.count(one))
        kept = say("{count} created", self.created)
        kept += ", " + say("{count} updated", len(self.updates)) if self.updates else ""
        kept += f" ({changed})" if changed else ""
        adds = self.created or self.updates
        left_out = [one for one in _LEFT_OUT if self.count(one) and (adds or one != "own-column")]
        return ", ".join([kept, *(say(_LEFT_OUT[one], self.count(one)) for one in left_out)])

    def __repr__(self) -> str:
        return f"<ImportResult: {self}>"


Insert = Callable[["Row", "QRCode", str], list[ImportIssue]]
"""Adds the QR Code of a row under a name and returns the issues; the reason `invalid` means that it was not added."""


class _Taken:
    """Names and contents already in use, also by the name that `A`, `A (2)`, `A (3)`, … have in common."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        # Nearly every name has one content. A set per name would cost more time and memory than everything else here.
        self._contents: dict[str, str] = {}
        self._further: dict[str, set[str]] = {}
        self._numbers: dict[tuple[str, str], int] = {}
        """The lowest number with which a name has a content, by name and content: 2 for that of `A (2)`."""
        self._free: dict[str, int] = {}
        """The number behind a name that was looked for last, so that many rows with one name take linear time."""
        tidy = tidy_name.__wrapped__  # without the cache, which is too small for a portfolio
        for name, content in pairs:
            self._keep(tidy(name), content)

    def copy(self) -> _Taken:
        """Return a copy of the names and contents."""
        other = _Taken(())
        other._contents, other._numbers = self._contents.copy(), self._numbers.copy()
        other._further = {name: contents.copy() for name, contents in self._further.items()}
        return other

    @property
    def names(self) -> Reversible[str]:
        """The names, without extra spaces."""
        return self._contents

    def __contains__(self, name: str) -> bool:
        return tidy_name(name) in self._contents

    def add(self, name: str, content: str) -> None:
        self._keep(tidy_name(name), content)

    def _keep(self, name: str, content: str) -> None:
        if self._contents.setdefault(name, content) != content:
            self._further.setdefault(name, set()).add(content)
        if name[-1:] == ")" and (found := _NUMBERED.fullmatch(name)):
            place, number = (found[1] or "", content), int(found[2])
            self._numbers[place] = min(number, self._numbers.get(place, number))

    def name_for(self, code: QRCode, written: str = "") -> tuple[str, str]:
        """Return the name of a QR Code, and the content that it is in use with already, or "".

        If it is in use with another content, the name becomes `A (2)` and so on. A row that is imported again keeps its
        name. With the text that was `written` in the file, it also does if its address is completed in one of the
        imports and not in the other.
        """
        if code.name not in self:
            return code.name, ""
        contents = (code.content, written, meant_url(code.content)) if written and code.is_dynamic else (code.content,)
        name = tidy_name(code.name)
        for one in contents:
            if one == self._contents[name] or one in self._further.get(name, ()):
                return name, one
        free = next(number for number in count(self._free.get(name, 2)) if f"{name} ({number})" not in self)
        self._free[name] = free
        number, there = min([*((self._numbers.get((name, one), free), one) for one in contents), (free, "")])
        return f"{name} ({number})", there


def merge(
    codes: Iterable[tuple[Row, QRCode] | ImportIssue],
    present: Iterable[tuple[str, str]],
    has_own_code: Callable[[QRCode], bool],
    insert: Insert,
) -> ImportResult:
    """Add QR Codes to a portfolio, each under an unused name.

    A QR Code with the name and content of an existing one is a duplicate. A QR Code with the name but not the content
    of an existing one gets the first unused name of `name (2)`, `name (3)`, …; if one of these already has the same
    content, the row is a duplicate, too, so that importing a file twice changes nothing. Rows that cannot be added do
    not use up a name.

    Rows with an unused short code of their own may already be printed. Such rows are compared only with the portfolio,
    not with earlier rows, so that a backup is restored completely even if its names are not unique.

    Args:
        codes: The rows with their QR Codes in file order; an invalid row is replaced by an issue.
        present: The name and the content of every QR Code in the portfolio.
        has_own_code: Returns whether a QR Code has a short code that is not in use.
    """
    before = _Taken(present)
    taken, spellings = before.copy(), Spellings(before.names)
    added: dict[tuple[str, str], int] = {}
    created, issues = 0, []
    for one in codes:
        if isinstance(one, ImportIssue):
            issues.append(one)
            continue
        row, code = one
        may_be_printed = has_own_code(code)
        name, there = before.name_for(code, row.cells.get("Content", ""))
        if not there and not may_be_printed:
            name, there = taken.name_for(code)
        if there:
            issues.append(issue_of(row, code, "duplicate", _what_is_there(code, name, there, added.get((name, there)))))
            if may_be_printed and code.is_dynamic:
                rule = "is not kept, because its row is a duplicate; codes printed with it will not work"
                told = f"{code.short_url!r} {rule}. Give the row another name to keep it"
                issues.append(issue_of(row, code, "code-unreadable", told))
            continue
        said = insert(row, code, name)
        if not any(issue.reason == "invalid" for issue in said):
            created += 1
            if warning := spellings.warning(name, what="QR Codes"):
                issues.append(issue_of(row, code, "similar-name", warning))
            taken.add(name, code.content)
            spellings.add(name)
            added.setdefault((name, code.content), row.number)
            if name != code.name:
                detail = f"{code.name!r} has other content; this one is now {name!r}"
                issues.append(issue_of(row, code, "renamed", detail))
        issues += said
    return ImportResult(created, tuple(sorted(issues, key=lambda issue: issue.row)))


def _what_is_there(code: QRCode, name: str, content: str, row: int | None) -> str:
    """Describe what a row repeats: an earlier row of the file, or a QR Code of the portfolio and its address."""
    if row is not None:
        return f"{name!r} with this content is in row {row} already"
    warning = link_warning(content) if code.is_dynamic else ""
    return f"{name!r} with this content is in the portfolio already" + (f"; {warning}" if warning else "")


def issue_of(row: Row, code: QRCode, reason: Reason, detail: str) -> ImportIssue:
    """Return an issue for a row and its QR Code."""
    return ImportIssue(row.number, row.cells.get("Campaign Name", ""), code.name, code.content, reason, detail)
