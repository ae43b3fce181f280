"""Converts a `Design` to Python source, so that a design made by hand can be used in code."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from qrkit.design.color import Color
from qrkit.design.decoration import Layer, Markers
from qrkit.design.design import Design
from qrkit.design.gradient import Direction, Gradient, Point
from qrkit.model import Model

__all__ = ["python_source"]

Parts = tuple[str, list[tuple[str, Any]], str]
"""The opening text of an expression, its parts (each with a prefix), and its closing text."""

LONGEST_LINE = 100
BARE = (Direction, Point)
"""Records that `qrkit` does not export, written as dictionaries."""


def python_source(design: Design) -> str:
    """Return Python source that creates an equal design: the import, and an assignment to `design`.

    Fields with their default value are left out.

    Example:
        >>> print(python_source(Design(content="hi", ec="H", foreground=Gradient.linear("navy", "teal"))))
        from qrkit import Design, Gradient
        <BLANKLINE>
        design = Design(content="hi", ec="H", foreground=Gradient.linear("#000080", "#008080"))
        <BLANKLINE>
    """
    names: set[str] = set()
    body = _write(design, names, 0, len("design = "))
    return f"from qrkit import {', '.join(sorted(names))}\n\ndesign = {body}\n"


def _write(value: Any, names: set[str], indent: int, lead: int) -> str:
    """Write a value as an expression: on one line if it fits after `lead` characters, else with one line per part."""
    match value:
        case Color():
            return json.dumps(value.rgb if value.alpha == 255 else value.argb)
        case str():
            # Python reads JSON's escapes in the same way.
            return json.dumps(value, ensure_ascii=False)
        case float() if value.is_integer():
            return repr(int(value))
        case (float(x), float(y)):  # a point; the lists of a design contain records, never numbers
            return f"({_write(x, names, 0, 0)}, {_write(y, names, 0, 0)})"
        case tuple():
            return _join(("[", [("", one) for one in value], "]"), names, indent, lead)
        case Model():
            return _join(_call(value, names), names, indent, lead)
    return repr(value)


def _join(parts: Parts, names: set[str], indent: int, lead: int) -> str:
    opening, inside, closing = parts
    # The negative lead keeps every part on one line.
    flat = opening + ", ".join(key + _write(one, names, 0, -1_000_000) for key, one in inside) + closing
    if indent + lead + len(flat) <= LONGEST_LINE:
        return flat
    inner = indent + 4
    lines = [f"{' ' * inner}{key}{_write(one, names, inner, len(key) + 1)},\n" for key, one in inside]
    return f"{opening}\n{''.join(lines)}{' ' * indent}{closing}"


def _call(record: Model, names: set[str]) -> Parts:
    """Split a record into its opening text, its fields with their names, and its closing text."""
    if isinstance(record, BARE):
        return "{", [(f'"{name}": ', value) for name, value in record.given().items()], "}"
    name = type(record).__name__
    names.add(name)
    if isinstance(record, Layer) and record.upright.rotated(record.rotation) == record != record.upright:
        opening, inside, closing = _call(record.upright, names)
        return opening, inside, f"{closing}.rotated({_write(record.rotation, names, 0, 0)})"
    if isinstance(record, Gradient) and (short := _short_gradient(record)):
        return f"{name}.{record.gradient}(", short, ")"
    if isinstance(record, Markers) and record.top_left and _are_equal(vars(record).values()):
        first, *others = record.top_left.given().items()
        return f"{name}.all(", [("", first[1]), *((f"{key}=", value) for key, value in others)], ")"
    fields = record.given()
    leading = [("", fields.pop(record.leading))] if record.leading else []
    return f"{name}(", [*leading, *((f"{key}=", value) for key, value in fields.items())], ")"


def _are_equal(values: Iterable[Any]) -> bool:
    first, *others = values
    return all(one == first for one in others)


def _short_gradient(gradient: Gradient) -> list[tuple[str, Any]] | None:
    """Return the arguments with which `Gradient.linear` or `.radial` creates this gradient; None if they cannot."""
    colors = [stop.color for stop in gradient.stops]
    if gradient.direction:
        start, stop = gradient.direction.start, gradient.direction.stop
        places: dict[str, Any] = {"start": (start.x, start.y), "stop": (stop.x, stop.y)}
        usual: dict[str, Any] = {"start": (0, 0), "stop": (1, 1)}
        made = Gradient.linear(*colors, **places)
    elif gradient.cx is not None and gradient.cy is not None and gradient.radius is not None:
        places = {"centre": (gradient.cx, gradient.cy), "radius": gradient.radius}
        usual = {"centre": (0.5, 0.5), "radius": 0.5}
        made = Gradient.radial(*colors, **places)
    else:
        return None
    if made != gradient:
        return None
    return [("", color) for color in colors] + [
        (f"{name}=", value) for name, value in places.items() if value != usual[name]
    ]
