"""Types of a record -> the controls a person sets it with: bounds, choices, units and help as the types have them."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import cache
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from qrkit.color import Color
from qrkit.design import Design
from qrkit.limits import Asset, Content, Most, Within
from qrkit.model import Model

__all__ = ["GROUPS", "Control", "controls", "groups"]

Kind: TypeAlias = Literal[
    "text", "paragraph", "picture", "number", "choice", "switch", "color", "record", "either", "list"
]  # fmt: skip

MOST_ON_A_SLIDER = 100
"""How wide a range may be that a slider is of use for; a wider one gets a field for a number."""

GROUPS = {
    "Content": ("content", "ec", "em", "version"),
    "Colours": ("foreground", "background"),
    "Modules": ("modules",),
    "Eyes": ("markers",),
    "Layers": ("layers",),
    "Wrapper": ("wrapper",),
    "Output": (),
}
"""Fields of `Design` by what a designer looks for them under; the last group takes all others."""

LABELS = {
    "ec": "Error correction", "em": "Encoding mode", "cx": "Centre x", "cy": "Centre y", "fx": "Focus x", "fy": "Focus y",
    "x": "Left", "y": "Top", "size": "Module size", "gradient": "Kind", "type": "Type", "union": "One shape", "padding": "Quiet zone",
    "color": "Colour", "inner_color": "Inner colour", "outer_color": "Outer colour", "content": "Content", "source": "Picture",
}  # fmt: skip
"""Of fields whose names are too short for people, or spelt otherwise."""


@dataclass(frozen=True, slots=True)
class Control:
    """What one field is set with.

    Attributes:
        name: The field in the interface's names: the last step of its path.
        kind: What it looks like. A `record` has `fields`, a `list` has the one control of its entries there, and
            `either` has one for each of its branches, of which the last is a record.
        label: Its name for people.
        help: A sentence about it, from the docstring of its record.
        optional: Whether it may have no value.
        choices: What may be chosen.
        low: Least number.
        high: Greatest number; of a list, its most entries.
        unit: Of the number.
        whole: Whether the number is a whole one.
        slider: Whether a slider is of use.
        fields: Controls inside.
    """

    name: str
    kind: Kind
    label: str = ""
    help: str = ""
    optional: bool = False
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    unit: str = ""
    whole: bool = False
    slider: bool = False
    fields: tuple[Control, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """As JSON, without what says nothing."""
        return _spoken(asdict(self))


def _spoken(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _spoken(one) for key, one in value.items() if one not in (None, "", (), False)}
    return [_spoken(one) for one in value] if isinstance(value, list | tuple) else value


def groups() -> dict[str, tuple[Control, ...]]:
    """The controls of `Design` by group; a field of which no group knows is in the last one."""
    by_name = {name: one for name, one in zip(Design.model_fields, controls(Design), strict=True)}
    known = {name for names in GROUPS.values() for name in names}
    rest = tuple(one for name, one in by_name.items() if name not in known)
    *named, last = GROUPS
    return {group: tuple(by_name[name] for name in GROUPS[group]) for group in named} | {last: rest}


@cache
def controls(record: type[Model]) -> tuple[Control, ...]:
    """A control for each field of a record, in their order.

    Raises:
        TypeError: A field has a type for which there is no control.
    """
    hints, helps = get_type_hints(record, include_extras=True), _helps(record)
    return tuple(
        Control(
            **{
                "name": field.alias or name,
                "label": LABELS.get(name, name.replace("_", " ").capitalize()),
                "help": helps.get(name, ""),
                **_look(hints[name], f"{record.__name__}.{name}"),
            }
        )
        for name, field in record.model_fields.items()
    )


def _look(hint: Any, where: str) -> dict[str, Any]:
    """What a type says about its control."""
    if hint == Asset:
        return {"kind": "picture"}
    if hint == Content:
        return {"kind": "paragraph"}
    bare, notes = (get_args(hint)[0], get_args(hint)[1:]) if get_origin(hint) is Annotated else (hint, ())
    if get_origin(bare) in (Union, UnionType):
        return _one_of(get_args(bare), where)
    if get_origin(bare) is Literal:
        return {"kind": "choice", "choices": get_args(bare)}
    if get_origin(bare) is tuple:
        most = next(note for note in notes if isinstance(note, Most))
        entry = Control(name="", label=get_args(bare)[0].__name__, **_look(get_args(bare)[0], where))
        return {"kind": "list", "low": most.low, "high": most.high, "fields": (entry,)}
    if bare in (int, float):
        return _number(next((note for note in notes if isinstance(note, Within)), None), whole=bare is int)
    simple: dict[Any, Kind] = {bool: "switch", str: "text", Color: "color"}
    if bare in simple:
        return {"kind": simple[bare]}
    if isinstance(bare, type) and issubclass(bare, Model):
        return {"kind": "record", "fields": controls(bare)}
    raise TypeError(f"{where} has the type {bare}, for which there is no control")


def _one_of(branches: tuple[Any, ...], where: str) -> dict[str, Any]:
    """A type or nothing, or one of two types."""
    some = [branch for branch in branches if branch is not NoneType]
    if len(some) == 1:
        return _look(some[0], where) | {"optional": True}
    looks = [_look(branch, where) for branch in some]
    kinds = ("color", "gradient") if looks[0]["kind"] == "color" else tuple(look["kind"] for look in looks)
    inside = tuple(
        Control(name=kind, label=LABELS.get(kind, kind.capitalize()), **look)
        for kind, look in zip(kinds, looks, strict=True)
    )
    return {"kind": "either", "choices": kinds, "fields": inside}


def _number(within: Within | None, *, whole: bool) -> dict[str, Any]:
    look: dict[str, Any] = {"kind": "number", "whole": whole}
    if within is None:
        return look
    is_narrow = within.high - within.low <= MOST_ON_A_SLIDER
    return look | {"low": within.low, "high": within.high, "unit": within.unit.strip("()"), "slider": is_narrow}


def _helps(record: type[Model]) -> dict[str, str]:
    """What the docstring of a record says of its attributes, without ids of rulings and marks of code."""
    _, _, attributes = cleandoc(record.__doc__ or "").partition("Attributes:\n")
    found: dict[str, str] = {}
    name = ""
    for line in attributes.splitlines():
        if begun := re.match(r"    (\w+): (.*)", line):
            name, found[begun[1]] = begun[1], begun[2]
        elif name and line.startswith("        "):
            found[name] += " " + line.strip()
        else:
            break
    return {name: re.sub(r" \(rulings? [^)]*\)|`", "", text) for name, text in found.items()}
