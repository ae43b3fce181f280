"""Collects what to know about a content: what was cleaned of a pasted value, what may surprise its readers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

__all__ = ["Note", "note", "taking_notes"]


class Note(NamedTuple):
    """Something to know about a content, which is no error.

    Attributes:
        field: The field that it is about; "" if it is about the content as a whole.
        text: What there is to know, in words.
    """

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
