"""Provides `Content`, a text worth encoding that knows its kind and the fields it was made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from qrkit.late import named

HIDDEN = "…"
"""Stands for a secret in everything that people read."""

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class LastShown:
    """An annotation for a secret, such as an account number, whose last `count` characters people see."""

    count: int = 4


class Note(NamedTuple):
    """Something to know about a content, which is no error; `field` is "" if it is about the content as a whole."""

    field: str
    text: str

    def __str__(self) -> str:
        return f"{self.field}: {self.text}" if self.field else self.text


_TAKEN: ContextVar[list[Note] | None] = ContextVar("_TAKEN", default=None)


@contextmanager
def taking_notes() -> Iterator[list[Note]]:
    """Collect the notes that are made in the block."""
    taken: list[Note] = []
    token = _TAKEN.set(taken)
    try:
        yield taken
    finally:
        _TAKEN.reset(token)


def note(field: str | None, text: str) -> None:
    """Make a note, once, if somebody collects notes."""
    taken, made = _TAKEN.get(), Note(field or "", text)
    if taken is not None and made not in taken:
        taken.append(made)


class Content(str):
    """A text for a QR Code, with its kind and fields. It is a `str` and equal to its text.

    `repr` hides secrets, such as the password of a network; `str` and the QR Code contain them.

    Attributes:
        kind: The name of the function in `qrkit.contents` that makes such contents; `text` for any other text.
        fields: The arguments of that function, without those that have their default.
        secrets: The fields that nobody should read over a shoulder, each with how many of its last characters people
            see: 0 of a password, 4 of an account number.
        drawn: The fields of a `Design` that the standard of the kind prescribes, such as an error correction level.
        notes: What to know about it, each with its field: what was cleaned of a pasted value, what may surprise people.

    Example:
        >>> from qrkit import contents
        >>> contents.wifi("Cafe Nero", "espresso")
        <Content wifi, ssid='Cafe Nero', password='…'>
    """

    __slots__ = ("drawn", "fields", "kind", "notes", "secrets")

    kind: str
    fields: Mapping[str, Any]
    secrets: Mapping[str, int]
    drawn: Mapping[str, Any]
    notes: tuple[Note, ...]

    def __new__(  # noqa: D102  # the class describes the arguments
        cls,
        text: str,
        kind: str = "text",
        fields: Mapping[str, Any] = NOTHING,
        secrets: Mapping[str, int] = NOTHING,
        drawn: Mapping[str, Any] = NOTHING,
        *,
        notes: Iterable[Note] = (),
    ) -> Self:
        content = super().__new__(cls, text)
        content.kind, content.fields = kind, MappingProxyType(dict(fields))
        content.secrets, content.drawn = MappingProxyType(dict(secrets)), MappingProxyType(dict(drawn))
        content.notes = tuple(notes)
        return content

    def replace(self, /, *texts: Any, **fields: Any) -> Any:
        """Return the content with some fields changed; what else its text says stays as it is written.

        `notes` of the result say what could not be kept.

        Args:
            *texts: For the method of `str`: the text to replace, the text that takes its place, and how often.
            **fields: Fields of the kind of content, by name; None takes one out.

        Raises:
            InvalidParameter: If a field breaks its rule.

        Example:
            >>> from qrkit import contents
            >>> str(contents.read("WIFI:T:WPA;S:Nero;P:espresso;X:1;;").replace(password="ristretto"))
            'WIFI:T:WPA;S:Nero;P:ristretto;X:1;;'
        """
        return super().replace(*texts, **fields) if texts else named("contents.editing.keeping:replaced")(self, fields)

    def shown_fields(self) -> dict[str, Any]:
        """Return the fields for people to read: `…` stands for a secret, `…2957` for an account number."""
        return {name: self._shown(name, value) for name, value in self.fields.items()}

    def _shown(self, name: str, value: Any) -> Any:
        if name not in self.secrets:
            return value
        count = self.secrets[name]
        # The end of a short value would be most of it.
        return f"{HIDDEN}{value[-count:]}" if count and len(value) >= 3 * count else HIDDEN

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        given = (str(self), self.kind, dict(self.fields), dict(self.secrets), dict(self.drawn))
        return given, {"notes": self.notes}

    def __getstate__(self) -> None:
        """Return nothing: copies are made from the arguments alone."""

    def __repr__(self) -> str:
        return (
            f"<Content {', '.join([self.kind, *(f'{name}={value!r}' for name, value in self.shown_fields().items())])}>"
        )
