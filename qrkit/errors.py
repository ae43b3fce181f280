"""Defines every error that qrkit raises.

    QrkitError                                  catch this one
    ├── InvalidParameter (ValueError)           .name .value .rule, and .problems when several fields are wrong
    │   ├── MissingParameter                    a required field is missing
    │   ├── UnknownParameter                    suggests the nearest names, else lists all of them
    │   └── AssetError                          an image in a design is invalid, too large or not available
    ├── ContentTooLong (ValueError)             .needed_bits .capacity_bits; the message says what would fit
    ├── UnreadableFile (ValueError)             a file cannot be read; .line where known
    │   └── StoreDamaged                        a block or the log of a store is damaged
    ├── BadRequest (ValueError)                 a request is not valid HTTP
    ├── CannotRepair (ValueError)               .levers: further changes that would help
    ├── NoSymbol (ValueError)                   no QR Code was found in an image
    ├── RenderingFailed (RuntimeError)          the renderer failed on a drawing or took too long
    ├── MissingProgram (RuntimeError)           a program or package is not installed
    ├── CannotWrite (OSError)                   a file cannot be written
    ├── NotAuthenticated (PermissionError)      the API key is missing or unknown
    ├── NotAllowed (PermissionError)            the plan does not include the request
    ├── RemoteContentDisabled (PermissionError) a design refers to an image by URL, and downloads are off
    ├── NotFound (LookupError)                  .kind .id
    ├── WrongMethod (LookupError)               .allowed
    ├── Gone (LookupError)                      .kind .id of the deleted item
    │   └── LeadsNowhere                        a short URL leads nowhere now, as its owner has set
    ├── BodyTooLarge (ValueError)               the body of a request exceeds its limit
    ├── AddressTooLong (ValueError)             the path or query of a request exceeds its limit
    ├── WrongMediaType (ValueError)             no endpoint reads this media type
    ├── TooManyRequests (RuntimeError)          .retry_after, in seconds
    ├── HeaderTooLarge (ValueError)             the header of a request exceeds its limit
    ├── StoreBusy (RuntimeError)                another process has the database file open; generate answers 500
    ├── StoreClosed (RuntimeError)              the store was closed, or opened before this process was forked
    ├── StoreReadOnly (RuntimeError)            the store is a snapshot or its file cannot be written
    ├── NotStored (RuntimeError)                a visit was not stored in time, and the server is in strict mode
    └── NotReady (RuntimeError)                 a server should get no requests for now

`code` is a stable identifier for programs; over HTTP it is sent as `X-Api-Error-Code`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal, Self, TypeVar

__all__ = [
    "AddressTooLong", "AssetError", "BadRequest", "BodyTooLarge", "CannotRepair", "CannotWrite", "ContentTooLong",
    "Gone", "HeaderTooLarge", "InvalidParameter", "LeadsNowhere", "MissingParameter", "MissingProgram", "NoSymbol",
    "NotAllowed", "NotAuthenticated", "NotFound", "NotReady", "NotStored", "Problem", "QrkitError",
    "RemoteContentDisabled", "RenderingFailed", "ScanWarning", "StoreBusy", "StoreClosed", "StoreDamaged",
    "StoreReadOnly", "TooManyRequests", "UnknownParameter", "UnreadableFile", "WrongMediaType", "WrongMethod",
]  # fmt: skip

__dir__ = __all__.copy


Door = Literal["python", "command", "http", "page"]
Name = TypeVar("Name", bound=str)
SHOWN_VALUE = 60
"""Characters of an invalid value that an error message repeats."""
LONGEST_NAME = 40
"""Characters of an unknown name that a warning repeats."""
API_KEY = re.compile("qk_[A-Za-z0-9_-]{20,}", re.IGNORECASE)
"""Matches what looks like an API key, which is never repeated."""
MOST_LISTED = 40
"""Names that an error message lists: as many as a design has fields, and a few more."""


def nearest(name: str, allowed: Iterable[str], *, summary: str = "") -> str:
    """Suggest the closest allowed names, or list them all if there are few; else, say their `summary` or number."""
    names = list(allowed)
    if len(names) <= MOST_LISTED:
        summary = ", ".join(names)
    return similar(name, names) or (f"allowed: {summary}" if summary else f"{len(names)} names are allowed")


def similar(name: str, allowed: Iterable[str]) -> str:
    """Ask whether the closest allowed names are meant; "" if none is close."""
    from difflib import get_close_matches

    by_lower = {known.lower().lstrip("-"): known for known in allowed}  # hyphens of options are no likeness
    close = get_close_matches(name.lower().lstrip("-"), by_lower, n=3, cutoff=0.6)
    return f"did you mean {either([repr(by_lower[match]) for match in close])}?" if close else ""


def first_of(texts: Sequence[str], most: int, between: str = ", ") -> str:
    """Return the first texts, and how many more there are: `a, b and 5 more`."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return between.join(texts[:most]) + more


def either(texts: Sequence[str]) -> str:
    """Return texts as alternatives: `a, b or c`."""
    return " or ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def uncapitalized(sentence: str) -> str:
    """Return a sentence or a title with a small first letter, unless it begins with a name, such as Wi-Fi or IBAN."""
    first = sentence.split()[0]
    is_name = first in {"Micro", "Pix", "Swiss"} or any(letter.isupper() for letter in first[1:])
    return sentence if is_name else f"{sentence[0].lower()}{sentence[1:]}"


def counted(number: int, what: str) -> str:
    """Return a number with what it counts, such as `1 row` or `2 rows`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


class QrkitError(Exception):
    """The base class of all errors that qrkit raises.

    Attributes:
        code: A stable identifier of the kind of error, for programs.
    """

    code: str = "internal"
    _advice: Mapping[Door, str] | None = None

    def advising(self, words: Mapping[Door, str] | str) -> Self:
        """Add advice for each door, or one text for Python and commands; tracebacks show Python's below the error."""
        if isinstance(words, str):
            words = {"command": words, "python": f"{words[0].upper()}{words[1:]}."}
        self.add_note(words["python"])
        self._advice = words
        return self

    def told(self, door: Door) -> str:
        """Return the message with the advice for a door."""
        return "; ".join(filter(None, (str(self), (self._advice or {}).get(door))))

    def _render_traceback_(self) -> list[str]:
        """Show the error in a notebook without the traceback through qrkit's own files."""
        return [f"{type(self).__name__}: {self._lines()[0]}", *self._lines()[1:], *getattr(self, "__notes__", ())]

    def _lines(self) -> Sequence[str]:
        return str(self).split("; ", 1)


class ScanWarning(UserWarning):
    """Warns that phones may fail to scan a design. The QR Code is still drawn."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Describes what is wrong with one field.

    Attributes:
        name: Path of the field, `size` or `location.latitude`.
        value: The value that was passed; None if there is no value to show.
        rule: The rule in words, with the values that are allowed.
        code: Stable lowercase identifier of the kind of problem, such as `out-of-range`.
    """

    name: str
    value: Any
    rule: str
    code: str = "bad-value"

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.name}: {self.rule}"
        shown = repr(self.value)
        shown = f"a {type(self.value).__name__}" if "\n" in shown else shown  # a DataFrame or an array
        cut = shown if len(shown) <= SHOWN_VALUE else f"{shown[: SHOWN_VALUE - 3]}..."
        return f"{self.name}={cut}: {self.rule}"


class InvalidParameter(QrkitError, ValueError):
    """One or more fields are invalid.

    Attributes:
        problems: One problem per invalid field.
        name: Path of the first invalid field, such as `size` or `location.latitude`.
        value: The value that was passed for that field.
        rule: The rule that the value breaks.
        code: Identifier of the kind of the first problem, such as `out-of-range`.

    Example:
        >>> from qrkit import generate
        >>> try:
        ...     generate("hi", size=99, ec="Z")
        ... except InvalidParameter as error:
        ...     [(problem.name, problem.code) for problem in error.problems]
        [('size', 'out-of-range'), ('ec', 'bad-value')]
    """

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems: Sequence[Problem] = problems
        first = problems[0]
        self.name, self.value, self.rule, self.code = first.name, first.value, first.rule, first.code

    def _lines(self) -> Sequence[str]:
        if len(self.problems) == 1:
            problem = replace(self.problems[0], rule="")
            return str(problem).rstrip(": "), f"{problem.name} {self.rule}"
        names = ", ".join(problem.name for problem in self.problems)
        return f"{len(self.problems)} fields break a rule: {names}", str(self)


def one_of(name: str, value: object, allowed: Iterable[Name], lack: str = "") -> Name:
    """Return the allowed name that equals a value.

    Args:
        name: The field of the value.
        value: The value.
        allowed: The names.
        lack: What a value that is not allowed is not, such as "is not a format".

    Raises:
        InvalidParameter: If none does; the error suggests similar names.
    """
    names = list(allowed)
    for one in names:
        if one == value:
            return one
    raise InvalidParameter(Problem(name, value, "; ".join(filter(None, (lack, nearest(str(value), names))))))


def check_whole(name: str, value: Any, low: int, high: int | None = None, *, of: str = "", more: str = "") -> int:
    """Return a whole number within bounds as an `int`; the value may also be a NumPy integer.

    Args:
        name: The field of the value.
        value: The value.
        low: The least that is allowed.
        high: The most that is allowed; None for no limit.
        of: What it counts, or its unit, such as " of days".
        more: What is also allowed, such as ", or None".

    Raises:
        InvalidParameter: If the value is not a whole number within the bounds.
    """
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or not low <= value <= (value if high is None else high):
        bounds = f", {low} or more" if high is None else f" in {low}..{high:,}"
        raise InvalidParameter(Problem(name, value, f"must be a whole number{of}{bounds}{more}", "out-of-range"))
    return int(value)


def raise_any(problems: Iterable[Problem]) -> None:
    """Raise one error with all problems.

    Raises:
        InvalidParameter: If there are any.
    """
    if found := tuple(problems):
        raise InvalidParameter(*found)


@contextmanager
def collecting(problems: list[Problem]) -> Iterator[None]:
    """Collect the problems of any `InvalidParameter` raised in the block, so that they can be reported together."""
    try:
        yield
    except InvalidParameter as error:
        problems.extend(error.problems)


@contextmanager
def renaming(new_name: Callable[[str], str]) -> Iterator[None]:
    """Give the fields of any `InvalidParameter` raised in the block other names, such as those of options or columns.

    Args:
        new_name: Returns the new name of a field.

    Raises:
        InvalidParameter: If the block raises it.
    """
    try:
        yield
    except InvalidParameter as error:
        problems = [replace(one, name=new_name(one.name)) for one in error.problems]
        if all(new.name == old.name for new, old in zip(problems, error.problems, strict=True)):
            raise  # as it is, because it may be of a kind of its own
        raise InvalidParameter(*problems) from None


class MissingParameter(InvalidParameter):
    """A required field is absent or empty.

    Args:
        name: The field.
        unknown: Unknown fields that were passed, one of which may be meant.
    """

    def __init__(self, name: str, unknown: Iterable[str] = ()) -> None:
        rule = "; ".join(["is required", *ignored(unknown)])
        super().__init__(Problem(name, None, rule, "missing-parameter"))


def ignored(unknown: Iterable[str], *, what: str = "fields") -> list[str]:
    """Return a warning that names the unknown fields or parameters of a request, if there are any."""
    shown = (API_KEY.sub("qk_...", name) for name in unknown)
    names = [name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..." for name in shown]
    return [f"unknown {what} were ignored: {', '.join(names)}"] if names else []


class UnknownParameter(InvalidParameter):
    """A parameter name is not known.

    Args:
        name: The name, after the path of its record: `markers.topLeft.colour`.
        value: The value that was passed.
        allowed: The names that the record knows.
        meant: The one of them that is certainly meant; if empty, similar names are suggested, or all are listed.
    """

    def __init__(self, name: str, value: Any, allowed: Iterable[str], meant: str = "") -> None:
        hint = f"did you mean {meant!r}?" if meant else nearest(name.rpartition(".")[2], allowed)
        rule = f"is not a parameter; {hint}"
        super().__init__(Problem(name, value, rule, "unknown-parameter"))


class AssetError(InvalidParameter):
    """The image of a sprite, layer or wrapper, or the font of a caption, cannot be used.

    The codes of its problems are `bad-value` (not a data URI, icon or URL), `bad-data-uri`, `bad-image`, `bad-font`,
    `image-too-large`, `font-too-large` and `remote-content-unavailable`.
    """


class ContentTooLong(QrkitError, ValueError):
    """The content does not fit the requested version and error correction level.

    Attributes:
        needed_bits: Length of the encoded content in bits.
        capacity_bits: Data capacity of the symbol in bits.
    """

    code = "content-too-long"

    def __init__(self, message: str, *, needed_bits: int, capacity_bits: int) -> None:
        super().__init__(message)
        self.needed_bits = needed_bits
        self.capacity_bits = capacity_bits


class UnreadableFile(QrkitError, ValueError):
    """A file cannot be read.

    Attributes:
        line: Number of the invalid line, counted from 1; None if unknown.
    """

    code = "bad-file"

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class StoreDamaged(UnreadableFile):
    """A block of a store's file or its log is damaged; `rescue` writes what can be read into a new store."""

    code = "store-damaged"


class BadRequest(QrkitError, ValueError):
    """A request is not valid HTTP, so its parameters were not read."""

    def __init__(self, message: str, *, code: str = "bad-request") -> None:
        super().__init__(message)
        self.code = code


class NoSymbol(QrkitError, ValueError):
    """No QR Code was found in an image."""

    code = "no-symbol"


class CannotRepair(QrkitError, ValueError):
    """A design cannot be made to scan with the changes that `may` allows.

    Attributes:
        levers: Names of further changes that would help if `may` allowed them.
        best: The best design that was found, as a `Repair`, never worse than the original; None if nothing was tried.
    """

    code = "cannot-repair"

    def __init__(self, message: str, *, levers: Sequence[str] = (), best: Any = None) -> None:
        super().__init__(message)
        self.levers = tuple(levers)
        self.best = best


class NotAuthenticated(QrkitError, PermissionError):
    """The API key is missing, unknown, revoked or expired."""

    code = "unknown-key"

    def __init__(self, message: str, *, code: str = "unknown-key") -> None:
        super().__init__(message)
        self.code = code


class NotAllowed(QrkitError, PermissionError):
    """The plan of the account does not include the request."""

    code = "plan-required"


class RemoteContentDisabled(QrkitError, PermissionError):
    """A design refers to an image by its URL, but downloading images is not allowed."""

    code = "remote-content-disabled"


class NotFound(QrkitError, LookupError):
    """No item has this ID, or the item belongs to another account.

    Attributes:
        kind: The kind of the missing item: `campaign`, `QR Code`, `template` …
        id: The ID that was not found.
    """

    code = "not-found"

    def __init__(self, kind: str, id: str, *, code: str = "not-found", hint: str = "") -> None:
        super().__init__(f"no {kind} {id!r}{f'; {hint}' if hint else ''}")
        self.code = code
        self.kind = kind
        self.id = id


class Gone(QrkitError, LookupError):
    """The item with this ID was deleted."""

    code = "gone"

    def __init__(self, kind: str, id: str) -> None:
        super().__init__(f"the {kind} {id!r} was deleted")
        self.kind = kind
        self.id = id


class LeadsNowhere(Gone):
    """A short URL leads nowhere at the moment, as its owner has set."""

    def __init__(self, short_code: str, reason: str) -> None:
        super().__init__("short URL", short_code)
        self.reason = reason
        self.args = (f"the short URL {short_code!r} leads nowhere now: {reason}",)


class WrongMethod(QrkitError, LookupError):
    """The path exists, but not for this HTTP method."""

    code = "method-not-allowed"

    def __init__(self, method: str, allowed: Sequence[str]) -> None:
        super().__init__(f"{method} is not offered here; allowed: {', '.join(allowed)}")
        self.allowed = allowed


class BodyTooLarge(QrkitError, ValueError):
    """The body of a request is longer than the endpoint accepts."""

    code = "body-too-large"


class AddressTooLong(QrkitError, ValueError):
    """The path or query of a request is longer than the server accepts."""

    code = "uri-too-long"


class WrongMediaType(QrkitError, ValueError):
    """The body of a request has an unsupported media type."""

    code = "unsupported-media-type"


class HeaderTooLarge(QrkitError, ValueError):
    """The header of a request is longer than the server accepts."""

    code = "header-too-large"


class TooManyRequests(QrkitError, RuntimeError):
    """A limit on requests was reached: that of the plan, the client's address or the machine.

    Attributes:
        retry_after: Seconds to wait before the next request.
    """

    code = "rate-limited"

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class StoreBusy(QrkitError, RuntimeError):
    """Another process has the database file open, or the file cannot be read or written."""

    code = "store-unavailable"


class StoreClosed(QrkitError, RuntimeError):
    """The store was closed, or was opened before this process was forked; open it again."""

    code = "store-unavailable"


class StoreReadOnly(QrkitError, RuntimeError):
    """The store is a snapshot or its file cannot be written; nothing in it can be changed."""

    code = "store-unavailable"


class NotStored(QrkitError, RuntimeError):
    """A visit could not be stored in time, and the server runs in strict mode."""

    code = "store-unavailable"


class NotReady(QrkitError, RuntimeError):
    """A server should get no requests for now, because its store does not work or visits are being lost."""

    code = "store-unavailable"


class RenderingFailed(QrkitError, RuntimeError):
    """The renderer rejected a drawing, failed on it, or took too long."""

    code = "rendering-failed"


class MissingProgram(QrkitError, RuntimeError):
    """A required program or package is not installed."""

    code = "missing-program"


EXTRAS = {
    "console": "the studio and the console in a browser need it",
    "mcp": "tools for assistants need it",
    "notebook": "running a notebook needs it",
    "postgresql": "a store in PostgreSQL needs it",
    "s3": "archived visits in a bucket need it",
    "server": "the HTTP interface and GeoIP databases need it",
    "statistics": "intervals, comparisons, alarms and reports need it",
}
"""The extras of the installation, and why each is needed."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Name the extra to install if an import in the block fails.

    Args:
        name: One of `EXTRAS`.

    Raises:
        MissingProgram: If the package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        remedy = f"pip install 'qrkit-studio[{name}]'"
        raise MissingProgram(f"the package {error.name} is not installed; {EXTRAS[name]}: {remedy}") from error


class CannotWrite(QrkitError, OSError):
    """A file cannot be written."""

    code = "cannot-write"
