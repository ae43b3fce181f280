"""Displays a record by its fields, without those that have their default."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from datetime import datetime
from functools import singledispatch
from typing import Any

from qrkit.contents.cards import summary
from qrkit.design.color import Color
from qrkit.design.gradient import Gradient
from qrkit.model import Model
from qrkit.notebook.views.html import card, details, page_text, swatch
from qrkit.tracking.times import to_iso

MOST_ENTRIES = 5
"""Maximum items of a list that are shown."""


@singledispatch
def media(subject: Any) -> dict[str, Any]:
    """Return the representations of an object besides its text, by media type; by default a card with its fields."""
    return {"text/html": card(page_text(type(subject).__name__), details(shown(subject)))}


@media.register
def _(color: Color) -> dict[str, Any]:
    return {"text/html": card("", swatch(color))}


def shown(record: Any) -> Iterator[tuple[str, str]]:
    """Yield the name and value of each field as HTML."""
    for name, value in given(record):
        yield name.replace("_", " "), _value(value)


def given(record: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields that were given or differ from their default."""
    if isinstance(record, Model):
        yield from record.given().items()
    elif is_dataclass(record):
        yield from ((one.name, getattr(record, one.name)) for one in dataclass_fields(record) if one.repr)


def _value(value: Any) -> str:
    match value:
        case Color() | Gradient():
            return swatch(value)
        case Model():
            return ", ".join(f"{page_text(name)} {one}" for name, one in shown(value)) or "as usual"
        case tuple():
            lines = [_value(one) for one in value[:MOST_ENTRIES]]
            more = len(value) - MOST_ENTRIES
            return "<br>".join([*lines, *([f"… and {more} more"] if more > 0 else [])])
        case str() if value.startswith("data:"):
            kind = value[5:].partition(",")[0].partition(";")[0]
            return page_text(f"{kind or 'data'}, {len(value):,} characters")
        case datetime():
            return page_text(to_iso(value))
        case bool():
            return "yes" if value else "no"
        case str():
            return page_text(summary(value))
        case float():
            return f"{value:g}"
    return page_text(value)
