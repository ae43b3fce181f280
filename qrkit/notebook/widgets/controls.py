"""Types of a record -> the controls a person sets it with: bounds, choices, units and help as the types have them."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import cache
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from qrkit.design.color import Color
from qrkit.design.design import Design
from qrkit.design.limits import Asset, Content, Most, Within
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
    "ec": "Error correction", "em": "Encoding mode", "size": "Module size", "padding": "Quiet zone",
    "x": "Left", "y": "Top", "cx": "Centre x", "cy": "Centre y", "fx": "Focus x", "fy": "Focus y",
    "gradient": "Kind", "union": "One shape", "source": "Picture",
    "color": "Colour", "inner_color": "Inner colour", "outer_color": "Outer colour",
}  # fmt: skip
"""Of fields whose names are too short for people, or spelt otherwise."""


WHEN = {
    "Gradient.direction": ("gradient", ("linear",)),
    **{f"Gradient.{name}": ("gradient", ("radial",)) for name in ("cx", "cy", "fx", "fy", "radius")},
    "Modules.sprite": ("type", ("sprite",)),
    "Modules.sprites": ("type", ("sprite",)),
    "Modules.seed": ("type", ("sprite",)),
    "Layer.tolerance": ("display", ("box-hit-test", "pixel-hit-test")),
}
"""Fields that are of use only while another field of their record has one of some values."""

FIRST = {"Gradient": ("gradient", "stops")}
"""Fields that a designer looks for first; the others follow as the record has them."""

WITHOUT_UNIT = ("Point", "Gradient")
"""Records whose numbers are shares of the picture or pixels, as the gradient's `units` say."""


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
        when: The field beside it and its values while which this one is of use; empty: always.
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
    when: tuple[str, tuple[str, ...]] | tuple[()] = ()
    fields: tuple[Control, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """As JSON, without what says nothing."""
        found: dict[str, Any] = _spoken(asdict(self))
        return found


def _spoken(value: Any) -> Any:
    """A dictionary without the values that say nothing."""
    if isinstance(value, dict):
        return {key: _spoken(one) for key, one in value.items() if one not in (None, "", (), False)}
    return [_spoken(one) for one in value] if isinstance(value, list | tuple) else value


def groups() -> dict[str, tuple[Control, ...]]:
    """The controls of `Design` by group; a field of which no group knows is in the last one."""
    by_name = {one.name: one for one in controls(Design)}
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
    hints, helps, kind = get_type_hints(record, include_extras=True), _helps(record), record.__name__
    first = FIRST.get(kind, ())
    names = [*first, *(name for name in record.model_fields if name not in first)]
    found = []
    for name in names:
        look = _look(hints[name], f"{kind}.{name}")
        if kind in WITHOUT_UNIT:
            look.pop("unit", None)
        label = LABELS.get(name, name.replace("_", " ").capitalize())
        alias, when = record.model_fields[name].alias or name, WHEN.get(f"{kind}.{name}", ())
        found.append(Control(name=alias, label=label, help=helps.get(name, ""), when=when, **look))
    return tuple(found)


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
        Control(name=kind, label={"color": "Colour"}.get(kind, kind.capitalize()), **look)
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
