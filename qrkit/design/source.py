"""`Design` -> the Python that makes it: what was designed by hand goes on in code."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from qrkit.design.color import Color
from qrkit.design.decoration import Markers
from qrkit.design.design import Design
from qrkit.design.gradient import Direction, Gradient, Point
from qrkit.model import Model

__all__ = ["python_source"]

Parts = tuple[str, list[tuple[str, Any]], str]
"""What opens an expression, the parts in it with what stands before each, and what closes it."""

LONGEST_LINE = 100
BARE = (Direction, Point)
"""Records that have no name of their own in `qrkit`; written as dictionaries."""


def python_source(design: Design) -> str:
    """Lines of Python that make an equal design: its imports, and an assignment to `design`.

    Fields that have their default are left out.

    Example:
        >>> print(python_source(Design(content="hi", ec="H", foreground=Gradient.linear("navy", "teal"))))
        from qrkit import Design, Gradient
        <BLANKLINE>
        design = Design(content="hi", ec="H", foreground=Gradient.linear("#000080", "#008080"))
        <BLANKLINE>
    """
    names: set[str] = set()
    body = _written(design, names, 0, len("design = "))
    return f"from qrkit import {', '.join(sorted(names))}\n\ndesign = {body}\n"


def _written(value: Any, names: set[str], indent: int, lead: int) -> str:
    """An expression: on one line where it fits behind `lead` characters, else with a line for each of its parts."""
    match value:
        case Color():
            return json.dumps(value.rgb if value.alpha == 255 else value.argb)
        case str():
            # What JSON escapes, Python reads in the same way.
            return json.dumps(value, ensure_ascii=False)
        case float() if value.is_integer():
            return repr(int(value))
        case (float(x), float(y)):  # a place; lists of the models hold records
            return f"({_written(x, names, 0, 0)}, {_written(y, names, 0, 0)})"
        case tuple():
            return _joined(("[", [("", one) for one in value], "]"), names, indent, lead)
        case Model():
            return _joined(_call(value, names), names, indent, lead)
    return repr(value)


def _joined(parts: Parts, names: set[str], indent: int, lead: int) -> str:
    opening, inside, closing = parts
    # No line is so long that a part would be broken up.
    flat = opening + ", ".join(key + _written(one, names, 0, -1_000_000) for key, one in inside) + closing
    if indent + lead + len(flat) <= LONGEST_LINE:
        return flat
    inner = indent + 4
    lines = [f"{' ' * inner}{key}{_written(one, names, inner, len(key) + 1)},\n" for key, one in inside]
    return f"{opening}\n{''.join(lines)}{' ' * indent}{closing}"


def _call(record: Model, names: set[str]) -> Parts:
    """What stands before the fields of a record, the fields with their names, and what stands after them."""
    if isinstance(record, BARE):
        return "{", [(f'"{name}": ', value) for name, value in record.given().items()], "}"
    name = type(record).__name__
    names.add(name)
    if isinstance(record, Gradient) and (short := _short_gradient(record)):
        return f"{name}.{record.gradient}(", short, ")"
    if isinstance(record, Markers) and record.top_left and _alike(vars(record).values()):
        first, *others = record.top_left.given().items()
        return f"{name}.all(", [("", first[1]), *((f"{key}=", value) for key, value in others)], ")"
    fields = record.given()
    leading = [("", fields.pop(record.leading))] if record.leading else []
    return f"{name}(", [*leading, *((f"{key}=", value) for key, value in fields.items())], ")"


def _alike(values: Iterable[Any]) -> bool:
    first, *others = values
    return all(one == first for one in others)


def _short_gradient(gradient: Gradient) -> list[tuple[str, Any]] | None:
    """The arguments of `Gradient.linear` or `.radial`, if these make this gradient."""
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
