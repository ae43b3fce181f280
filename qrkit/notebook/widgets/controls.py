"""Derives form controls from the types of a record: ranges, choices, units and help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from qrkit.design.color import Color
from qrkit.design.design import Design
from qrkit.design.limits import ALIKE, Asset, Content, Most, Within
from qrkit.model import Model
from qrkit.notebook.widgets.field_words import choice_words, help_text, unit_words
from qrkit.notebook.widgets.upright_layers import LayerForm

Kind: TypeAlias = Literal[
    "text", "paragraph", "picture", "number", "choice", "switch", "color", "record", "either", "list"
]  # fmt: skip

MOST_ON_A_SLIDER = 100
"""Maximum range of a number with a slider; a wider range gets a number field."""

GROUPS = {
    "Looks": (),
    "Content": ("content",),
    "Colors": ("foreground", "background"),
    "Shapes": ("modules", "markers"),
    "Logo": (),
    "Frame": ("frame",),
    "Text": (),
    "More": ("size", "padding", "width", "height", "layers", "photo"),
    "For experts": (),
}
"""Fields of `Design` by the group they appear in; the last group contains all others, which most people never touch.
Looks and logos have forms of their own; the text is the caption of the frame."""

WHEN = {
    "Gradient.direction": ("gradient", ("linear",)),
    **{f"Gradient.{name}": ("gradient", ("radial",)) for name in ("cx", "cy", "fx", "fy", "radius")},
    "Modules.sprite": ("type", ("sprite",)),
    "Modules.sprites": ("type", ("sprite",)),
    **{f"Modules.{name}": ("type", (*ALIKE, "sprite")) for name in ("sizes", "palette", "seed")},
    "Layer.tolerance": ("display", ("box-hit-test", "pixel-hit-test")),
}
"""Fields that only apply while another field of the same record has one of these values."""

RARE = {"Modules": ("union", "sprites", "sizes", "palette", "seed"), "Frame": ("radius", "icon", "side")}
"""Fields that a record shows folded, because few people set them."""

FIRST = {"Gradient": ("gradient", "stops")}
"""Fields that come first; the others follow in the order of the record."""

FORMS = {"Layer": ("height", LayerForm)}
"""What people set besides the fields of a record: after which field, and with which further fields."""

WITHOUT_CONTROL = ("Caption.font", "Design.part")
"""Fields that only code can set."""

FLAT = ("Marker.inner_color", "Marker.outer_color")
"""Fills that people set to a color; a gradient, which only code can set, is shown as its first color."""

WITHOUT_UNIT = ("Point", "Gradient")
"""Records whose numbers are shares of the image or pixels, depending on the gradient's `units`."""


@dataclass(frozen=True, slots=True)
class Control:
    """The control of one field.

    Attributes:
        name: Interface name of the field: the last step of its path.
        kind: Type of the control. A `record` has its controls in `fields`, a `list` has the one control of its items
            there, and `either` has one control per branch, the last of which is a record.
        optional: Whether the field can be empty.
        required: Whether the field of a form must be filled in.
        placeholder: An example, shown while a text is empty.
        words: The words for choices, by their values.
        low: Smallest number.
        high: Largest number; for a list, its maximum number of items.
        percent: Whether the number is shown in percent, a hundred times its value.
        slider: Whether a slider is useful.
        rare: Whether the field is shown folded.
        when: Another field and its values for which this field applies; empty if it always applies.
    """

    name: str
    kind: Kind
    label: str = ""
    help: str = ""
    optional: bool = False
    required: bool = False
    placeholder: str = ""
    choices: tuple[str, ...] = ()
    words: dict[str, str] = field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    unit: str = ""
    percent: bool = False
    whole: bool = False
    slider: bool = False
    rare: bool = False
    when: tuple[str, tuple[str, ...]] | tuple[()] = ()
    fields: tuple[Control, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the control as JSON, without empty values."""
        compact: dict[str, Any] = _without_empty(asdict(self))
        return compact


def _without_empty(value: Any) -> Any:
    """Remove empty values from nested dictionaries."""
    if isinstance(value, dict):
        return {key: _without_empty(one) for key, one in value.items() if one not in (None, "", (), {}, False)}
    return [_without_empty(one) for one in value] if isinstance(value, list | tuple) else value


def groups() -> dict[str, tuple[Control, ...]]:
    """Return the controls of `Design` by group; fields that no group lists are in the last group."""
    by_name = {control.name: control for control in controls(Design)}
    known = {name for names in GROUPS.values() for name in names}
    rest = tuple(control for name, control in by_name.items() if name not in known)
    *named, last = GROUPS
    return {group: tuple(by_name[name] for name in GROUPS[group]) for group in named} | {last: rest}


def control_at(path: Sequence[str | int]) -> Control | None:
    """Return the control of the field at a path of interface names and indexes; None if it has none."""
    first, *rest = path
    found = [control for members in groups().values() for control in members if control.name == first]
    for step in rest:
        if isinstance(step, int):
            found = [item for control in found if control.kind == "list" for item in control.fields]
        else:
            found = [inside for control in found for inside in _fields_of(control) if inside.name == step]
    if found and found[0].kind == "either":
        return found[0].fields[0]
    return found[0] if found else None


def label_at(name: str) -> str:
    """Return the label of the field at a path with dots, as errors name it, or else the path."""
    control = control_at([int(step) if step.isdigit() else step for step in name.split(".")])
    return control.label if control and control.label else name


def _fields_of(control: Control) -> Sequence[Control]:
    return control.fields[1].fields if control.kind == "either" else control.fields


@cache
def controls(record: type[Model]) -> tuple[Control, ...]:
    """Return a control for each field of a record that people set by hand, in order."""
    hints, kind = get_type_hints(record, include_extras=True), record.__name__
    first = FIRST.get(kind, ())
    added = {name: controls(FORMS[kind][1]) for name in FORMS.get(kind, ())[:1]}
    names = [*first, *(name for name in record.model_fields if name not in first)]
    names = [name for name in names if f"{kind}.{name}" not in WITHOUT_CONTROL]
    labels = {name: _label(record, name).lower() for name in record.model_fields}
    result = []
    for name in names:
        info, look = record.model_fields[name], _look(hints[name], f"{kind}.{name}")
        where = f"{kind}.{info.alias or name}"
        if kind in WITHOUT_UNIT:
            look.pop("unit", None)
        words = choice_words(where, (*look.get("choices", ()), "")) if look["kind"] == "choice" else {}
        text = help_text(info.description or "", labels | {value: f"“{word}”" for value, word in words.items()})
        look |= {"when": WHEN.get(f"{kind}.{name}", ()), "rare": name in RARE.get(kind, ())}
        result.append(Control(info.alias or name, label=_label(record, name), help=text, words=words, **look))
        result += added.get(name, ())
    return tuple(result)


def _label(record: type[Model], name: str) -> str:
    return record.model_fields[name].title or name.replace("_", " ").capitalize()


def _look(hint: Any, where: str) -> dict[str, Any]:
    """Return the properties of a control that follow from a type."""
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
        item = get_args(bare)[0]
        help = help_text(_noted(item, "description"), {})
        entry = Control(name="", label=_noted(item, "title") or item.__name__, help=help, **_look(item, where))
        return {"kind": "list", "low": most.low, "high": most.high, "fields": (entry,)}
    if bare in (int, float):
        return _number(next((note for note in notes if isinstance(note, Within)), None), whole=bare is int)
    simple: dict[Any, Kind] = {bool: "switch", str: "text", Color: "color"}
    if bare in simple:
        return {"kind": simple[bare]}
    if isinstance(bare, type) and issubclass(bare, Model):
        return {"kind": "record", "fields": controls(bare)}
    raise TypeError(f"{where} has the type {bare}, for which there is no control")


def _noted(hint: Any, what: str) -> str:
    """Return the `title` or the `description` of the items of a list; "" if their type has none."""
    notes = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((str(text) for note in notes if (text := getattr(note, what, None))), "")


def _one_of(branches: tuple[Any, ...], where: str) -> dict[str, Any]:
    """Return the properties of a control for an optional type, or for one of two types."""
    types = [branch for branch in branches if branch is not NoneType]
    if len(types) == 1:
        return _look(types[0], where) | {"optional": True}
    if where in FLAT:
        return {"kind": "color"}
    looks = [_look(branch, where) for branch in types]
    kinds = ("color", "gradient") if looks[0]["kind"] == "color" else tuple(look["kind"] for look in looks)
    inside = tuple(Control(name=kind, label=kind.capitalize(), **look) for kind, look in zip(kinds, looks, strict=True))
    return {"kind": "either", "choices": kinds, "fields": inside}


def _number(within: Within | None, *, whole: bool) -> dict[str, Any]:
    look: dict[str, Any] = {"kind": "number", "whole": whole}
    if within is None:
        return look
    is_narrow = within.high - within.low <= MOST_ON_A_SLIDER
    unit = unit_words(within.unit)
    percent = unit.startswith("%")
    return look | {"low": within.low, "high": within.high, "unit": unit, "percent": percent, "slider": is_narrow}
