"""Every error of qrkit.

    QrkitError                                  catch this one
    ├── InvalidParameter (ValueError)           .name .value .rule, and .problems when several fields are wrong
    │   ├── MissingParameter                    a field that must be given
    │   ├── UnknownParameter                    proposes the nearest name, else lists them
    │   └── AssetError                          a picture in a design: not one, too large, or not to be had
    ├── ContentTooLong (ValueError)             .needed_bits .capacity_bits; says what would fit
    ├── UnreadableFile (ValueError)             a file as a whole; .line where known
    ├── BadRequest (ValueError)                 HTTP itself is wrong
    ├── CannotRepair (ValueError)               .levers: what else would have to be allowed
    ├── NoSymbol (ValueError)                   a picture in which no QR Code was found
    ├── RenderingFailed (RuntimeError)          the renderer broke down on a drawing, or took too long
    ├── MissingProgram (RuntimeError)           a program or a package that is not installed
    ├── CannotWrite (OSError)                   a file cannot be written where it was asked for
    ├── NotAuthenticated (PermissionError)      key missing or unknown
    ├── NotAllowed (PermissionError)            the plan does not include it
    ├── RemoteContentDisabled (PermissionError) a picture is an address, and nothing may be fetched
    ├── NotFound (LookupError)                  .kind .id
    ├── WrongMethod (LookupError)               .allowed
    ├── Gone (LookupError)                      .kind .id of what was deleted
    ├── BodyTooLarge (ValueError)               the body of a request is longer than its limit
    ├── AddressTooLong (ValueError)             the path or the query of a request is longer than its limit
    ├── WrongMediaType (ValueError)             a body in a form that no endpoint reads
    ├── TooManyRequests (RuntimeError)          .retry_after, in seconds
    ├── HeaderTooLarge (ValueError)             the header of a request is longer than its limit
    ├── StoreBusy (RuntimeError)                another process holds the database file; generate answers 500
    ├── StoreClosed (RuntimeError)              the store was closed, or opened before this process was forked
    ├── StoreReadOnly (RuntimeError)            a snapshot, in which nothing can be changed
    └── NotStored (RuntimeError)                a visit was not durable in time, and the operator asks for that

`code` is a stable word for programs; over HTTP it is `X-Api-Error-Code`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Literal, Self

__all__ = [
    "AddressTooLong", "AssetError", "BadRequest", "BodyTooLarge", "CannotRepair", "CannotWrite", "ContentTooLong",
    "Gone", "HeaderTooLarge", "InvalidParameter", "MissingParameter", "MissingProgram", "NoSymbol", "NotAllowed",
    "NotAuthenticated", "NotFound", "NotStored", "Problem", "QrkitError", "RemoteContentDisabled", "RenderingFailed",
    "ScanWarning", "StoreBusy", "StoreClosed", "StoreReadOnly", "TooManyRequests", "UnknownParameter", "UnreadableFile",
    "WrongMediaType", "WrongMethod",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__


Door = Literal["python", "command", "http"]
SHOWN_VALUE = 60
"""How many characters of a wrong value a message repeats."""


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Say what may have been meant: the nearest allowed names, else all of them when they are few."""
    names = list(allowed)
    by_lower = {one.lower(): one for one in names}
    close = get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)
    if close:
        return "did you mean " + " or ".join(repr(by_lower[found]) for found in close) + "?"
    return "allowed: " + ", ".join(names) if len(names) <= 20 else f"{len(names)} names are allowed"


class QrkitError(Exception):
    """Anything that qrkit refuses or cannot do.

    Attributes:
        code: A stable word of its kind, for programs.
    """

    code: str = "internal"
    _advice: Mapping[Door, str] | None = None

    def advising(self, words: Mapping[Door, str]) -> Self:
        """Add what to do, in the words of Python, shown as a note below the message, and of other doors."""
        self.add_note(words["python"])
        self._advice = words
        return self

    def told(self, door: Door) -> str:
        """The message, with what to do in the words of a door."""
        return "; ".join(filter(None, (str(self), (self._advice or {}).get(door))))

    def _render_traceback_(self) -> list[str]:
        """Show notebooks what is wrong and what to do: the way through our own files helps nobody there."""
        return [f"{type(self).__name__}: {self._lines()[0]}", *self._lines()[1:], *getattr(self, "__notes__", ())]

    def _lines(self) -> Sequence[str]:
        return str(self).split("; ", 1)


class ScanWarning(UserWarning):
    """A design that readers may fail on is drawn all the same."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one field.

    Attributes:
        name: Path of the field, `size` or `location.latitude`.
        value: The value as it was given; None where there is none to show.
        rule: The rule in words, with what would be allowed.
        code: Stable lower-case word of the kind of problem, `out-of-range`.
    """

    name: str
    value: Any
    rule: str
    code: str = "bad-value"

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.name}: {self.rule}"
        shown = repr(self.value)
        cut = shown if len(shown) <= SHOWN_VALUE else f"{shown[: SHOWN_VALUE - 3]}..."
        return f"{self.name}={cut}: {self.rule}"


class InvalidParameter(QrkitError, ValueError):
    """One or more fields break a rule.

    Attributes:
        problems: What is wrong, one a field.
        name: Path of the first field, `size` or `location.latitude`.
        value: Its value as it was given.
        rule: The rule that it breaks.
        code: Word of the kind of the first problem, `out-of-range`.

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


@contextmanager
def collecting(problems: list[Problem]) -> Iterator[None]:
    """Note the problems of an `InvalidParameter` raised inside, and go on: so that all are reported at once."""
    try:
        yield
    except InvalidParameter as error:
        problems.extend(error.problems)


class MissingParameter(InvalidParameter):
    """A required field is absent or empty."""

    def __init__(self, name: str) -> None:
        super().__init__(Problem(name, None, "is required", "missing-parameter"))


class UnknownParameter(InvalidParameter):
    """A name that is not a parameter."""

    def __init__(self, name: str, value: Any, allowed: Iterable[str]) -> None:
        rule = f"is not a parameter; {nearest(name.rpartition('.')[2], allowed)}"
        super().__init__(Problem(name, value, rule, "unknown-parameter"))


class AssetError(InvalidParameter):
    """A sprite, layer or wrapper cannot be used.

    The codes of its problems: `bad-value` (neither a data URI, an icon nor an address), `bad-data-uri`, `bad-image`,
    `image-too-large`, `remote-content-unavailable`.
    """


class ContentTooLong(QrkitError, ValueError):
    """The content does not fit the version and error correction level asked for.

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
    """A file that cannot be read as a whole.

    Attributes:
        line: Where it is wrong, counted from 1; None where that is not known.
    """

    code = "bad-file"

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class BadRequest(QrkitError, ValueError):
    """A request that is wrong as HTTP, before any parameter is looked at."""

    def __init__(self, message: str, *, code: str = "bad-request") -> None:
        super().__init__(message)
        self.code = code


class NoSymbol(QrkitError, ValueError):
    """A picture in which no QR Code was found."""

    code = "no-symbol"


class CannotRepair(QrkitError, ValueError):
    """A design that cannot be made to scan by what may be changed.

    Attributes:
        levers: What else would help if it were allowed.
    """

    code = "cannot-repair"

    def __init__(self, message: str, *, levers: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.levers = tuple(levers)


class NotAuthenticated(QrkitError, PermissionError):
    """The API key is missing, unknown, revoked or expired."""

    code = "unknown-key"

    def __init__(self, message: str, *, code: str = "unknown-key") -> None:
        super().__init__(message)
        self.code = code


class NotAllowed(QrkitError, PermissionError):
    """The plan of the account does not include what was asked."""

    code = "plan-required"


class RemoteContentDisabled(QrkitError, PermissionError):
    """A picture is given by its address, and fetching is not allowed (ruling G20)."""

    code = "remote-content-disabled"


class NotFound(QrkitError, LookupError):
    """Nothing has this id, or it belongs to another account.

    Attributes:
        kind: What was looked for: `campaign`, `QR Code`, `template` …
        id: Its id.
    """

    code = "not-found"

    def __init__(self, kind: str, id: str, *, code: str = "not-found", hint: str = "") -> None:
        super().__init__(f"no {kind} {id!r}{f'; {hint}' if hint else ''}")
        self.code = code
        self.kind = kind
        self.id = id


class Gone(QrkitError, LookupError):
    """What had this id was deleted."""

    code = "gone"

    def __init__(self, kind: str, id: str) -> None:
        super().__init__(f"the {kind} {id!r} was deleted")
        self.kind = kind
        self.id = id


class WrongMethod(QrkitError, LookupError):
    """The path exists, but not for this HTTP method."""

    code = "method-not-allowed"

    def __init__(self, method: str, allowed: Sequence[str]) -> None:
        super().__init__(f"{method} is not offered here; allowed: {', '.join(allowed)}")
        self.allowed = allowed


class BodyTooLarge(QrkitError, ValueError):
    """The body of a request is longer than the endpoint takes."""

    code = "body-too-large"


class AddressTooLong(QrkitError, ValueError):
    """The path or the query of a request is longer than the server takes."""

    code = "uri-too-long"


class WrongMediaType(QrkitError, ValueError):
    """The body of a request is in a form that no endpoint reads."""

    code = "unsupported-media-type"


class HeaderTooLarge(QrkitError, ValueError):
    """The header of a request is longer than the server takes."""

    code = "header-too-large"


class TooManyRequests(QrkitError, RuntimeError):
    """More was asked than a plan, an address or the machine may have.

    Attributes:
        retry_after: After how many seconds to ask again.
    """

    code = "rate-limited"

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class StoreBusy(QrkitError, RuntimeError):
    """Another process holds the database file, or it cannot be read or written."""

    code = "store-unavailable"


class StoreClosed(QrkitError, RuntimeError):
    """The store was closed, or was opened before this process was forked; open it again."""

    code = "store-unavailable"


class StoreReadOnly(QrkitError, RuntimeError):
    """A snapshot of a store, in which nothing can be changed."""

    code = "store-unavailable"


class NotStored(QrkitError, RuntimeError):
    """A visit is not durable, and the operator would rather turn visitors away than lose it (ruling T11)."""

    code = "store-unavailable"


class RenderingFailed(QrkitError, RuntimeError):
    """The renderer refused a drawing, broke down on it, or took too long."""

    code = "rendering-failed"


class MissingProgram(QrkitError, RuntimeError):
    """A program or a package that is needed is not installed."""

    code = "missing-program"


EXTRAS = {
    "notebook": "running a notebook needs it",
    "postgresql": "a store in PostgreSQL needs it",
    "server": "the HTTP interface and GeoIP databases need it",
    "statistics": "intervals, comparisons, alarms and reports need it",
}
"""The extras of the installation, and what the packages of each are for."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Where an import inside fails, say which extra of the installation brings the package.

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
    """A file that cannot be written where it was asked for."""

    code = "cannot-write"
