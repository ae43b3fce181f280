"""Provides `Content`, a text worth encoding that knows its kind and the fields it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self

__all__ = ["HIDDEN", "Content"]

HIDDEN = "…"
"""Stands for a secret in everything that people read."""

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Content(str):
    """A text for a QR Code, with its kind and fields. It is a `str` and equal to its text.

    `repr` hides secrets, such as the password of a network; `str` and the QR Code contain them.

    Attributes:
        kind: The name of the function in `qrkit.contents` that makes such contents; `text` for any other text.
        fields: The arguments of that function, without those that have their default.
        secrets: The names of fields that nobody should read over a shoulder.
        drawn: The fields of a `Design` that the standard of the kind prescribes, such as an error correction level.

    Example:
        >>> from qrkit import contents
        >>> contents.wifi("Cafe Nero", "espresso")
        <Content wifi, ssid='Cafe Nero', password='…'>
    """

    __slots__ = ("drawn", "fields", "kind", "secrets")

    kind: str
    fields: Mapping[str, Any]
    secrets: frozenset[str]
    drawn: Mapping[str, Any]

    def __new__(  # noqa: D102  # the class describes the arguments
        cls,
        text: str,
        kind: str = "text",
        fields: Mapping[str, Any] = NOTHING,
        secrets: frozenset[str] = frozenset(),
        drawn: Mapping[str, Any] = NOTHING,
    ) -> Self:
        content = super().__new__(cls, text)
        content.kind, content.secrets = kind, secrets
        content.fields, content.drawn = MappingProxyType(dict(fields)), MappingProxyType(dict(drawn))
        return content

    def shown_fields(self) -> dict[str, Any]:
        """Return the fields for people to read, with `…` in place of secrets."""
        return {name: HIDDEN if name in self.secrets else value for name, value in self.fields.items()}

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (str(self), self.kind, dict(self.fields), self.secrets, dict(self.drawn))

    def __getstate__(self) -> None:
        """Return nothing: copies are made from the arguments alone."""

    def __repr__(self) -> str:
        return (
            f"<Content {', '.join([self.kind, *(f'{name}={value!r}' for name, value in self.shown_fields().items())])}>"
        )
