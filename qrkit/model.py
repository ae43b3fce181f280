"""`Model`: the frozen record that judges itself when it is made, so that an invalid one cannot exist.

Python names are snake_case, JSON names the interface's camelCase. Every wrong field is reported at once, as
`InvalidParameter` with a `Problem` a field, and names the field as the caller wrote it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any, ClassVar, Self, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from qrkit.errors import SHOWN_VALUE, InvalidParameter, MissingParameter, Problem, UnknownParameter
from qrkit.late import Shown

__all__ = ["Model", "Object", "plain"]

Object = dict[str, Any]
"""A record as an object of JSON has it, in the interface's names or in Python's."""

PLAIN_RULES = {
    "tuple_type": "must be a list",
    "model_type": "must be an object",
    "dict_type": "must be an object",
    "string_type": "must be a text",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
}
"""What pydantic says in words of Python, in words of JSON."""

MOST_PROBLEMS = 100
"""That an error tells: a long list of wrong records must not make a longer answer."""


class _Signature:
    """What help shows of a record: its fields with plain types, and no machinery that judges them."""

    def __get__(self, _: object, record: type[Model]) -> inspect.Signature:
        kinds = get_type_hints(record)
        leading, others = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        parameters = []
        for name, field in record.model_fields.items():
            default = inspect.Parameter.empty if field.is_required() else field.get_default(call_default_factory=True)
            kind = leading if name == record.leading else others
            parameters.append(inspect.Parameter(name, kind, default=default, annotation=kinds[name]))
        fields = {one.name: one for one in parameters}
        parameters += [fields[field].replace(name=name) for name, field in record.other_names.items()]
        return inspect.Signature(sorted(parameters, key=lambda one: one.kind))


class Model(Shown, BaseModel):
    """A frozen record. Equal records are those with equal fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        serialize_by_alias=True,
    )

    leading: ClassVar[str] = ""
    """The field whose name may be left out, if it comes first: `Marker("eye-3")`."""

    other_names: ClassVar[Mapping[str, str]] = {}
    """Further names that fields have in Python, and not in JSON: `error_correction` for `ec`."""

    def __init__(self, /, *first: Any, **values: Any) -> None:
        if first:
            if not self.leading or len(first) > 1:
                raise TypeError(f"{type(self).__name__} takes its fields by name: {', '.join(type(self).model_fields)}")
            values[self.leading] = first[0]
        fields = values if self.other_names.keys().isdisjoint(values) else self.by_field(values)
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise _translated(type(self), error, values) from error

    # A nested record is judged by pydantic alone, so that its errors keep their path (`location.latitude`).
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        cls.__signature__ = _Signature()  # type: ignore[assignment]  # gives one when it is asked for

    @classmethod
    def by_field(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Keyword arguments by the names of their fields: `{"error_correction": "H"}` is `{"ec": "H"}`.

        Raises:
            InvalidParameter: If a field is given under two names.
        """
        problems = [
            Problem(
                name, values[name], f"means the same as {field}={values[field]!r}; leave out one", "duplicate-parameter"
            )
            for name, field in cls.other_names.items()
            if name in values and field in values
        ]
        if problems:
            raise InvalidParameter(*problems)
        return {cls.other_names.get(name, name): value for name, value in values.items()}

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read the JSON that `to_json` writes.

        Raises:
            InvalidParameter: The text is not JSON, or a field breaks its rule.
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise _translated(cls, error) from error

    @classmethod
    def known(cls, fields: Mapping[str, Any], path: str = "") -> tuple[dict[str, Any], list[str]]:
        """The fields of a JSON object that the record knows, and the paths of the others (ruling H2).

        Nothing and empty text count as absent (ruling H5). Objects and lists inside are treated likewise; what is
        neither is left for the record to judge.

        Args:
            fields: The object, in the interface's names.
            path: Where it is, with a dot at the end, in front of the names of unknown ones.
        """
        names = {field.alias: name for name, field in cls.model_fields.items()}
        kept: dict[str, Any] = {}
        unknown: list[str] = []
        for key, value in fields.items():
            name = names.get(key)
            if name is None:
                unknown.append(f"{path}{key}")
            elif value is not None and value != "":
                inner = _record_in(cls.model_fields[name].annotation)
                kept[key], strange = _known(inner, value, f"{path}{key}")
                unknown += strange
        return kept, unknown

    def to_json(self, *, indent: int | None = None) -> str:
        """Write the record as JSON in the interface's names; absent values are left out.

        Args:
            indent: Spaces a level; None for one line.
        """
        return self.model_dump_json(exclude_none=True, indent=indent)

    def given(self) -> dict[str, Any]:
        """The fields that do not have their default."""
        kinds = type(self).model_fields.items()
        told = {name: getattr(self, name) for name, kind in kinds if kind.is_required()}
        usual = {name: kind.get_default(call_default_factory=True) for name, kind in kinds if name not in told}
        return {name: getattr(self, name) for name, _ in kinds if name in told or getattr(self, name) != usual[name]}

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        """What `repr` shows: no secrets; pictures in a record may be texts of millions of characters."""
        for name, value in self.given().items():
            if not type(self).model_fields[name].repr:
                continue
            is_long = isinstance(value, str) and len(value) > SHOWN_VALUE
            yield name, value[: SHOWN_VALUE - 1] + "…" if is_long else value

    def replace(self, /, **changes: Any) -> Self:
        """A copy with some fields changed, judged anew.

        Args:
            **changes: Fields of the record, by their names in Python.

        Raises:
            InvalidParameter: If a change breaks a rule.
        """
        kept = {name: getattr(self, name) for name in self.model_fields_set - self.by_field(changes).keys()}
        return type(self)(**(kept | changes))


def plain(value: Any, *, only_set: bool = False) -> Any:
    """A value as JSON has it: records as objects without absent fields, colors as texts, numbers of numpy as numbers.

    Args:
        value: A record, or a dict, a list or a tuple that may hold records.
        only_set: Whether records are left without the fields that nobody set.
    """
    if isinstance(value, Model):
        return value.model_dump(mode="json", exclude_none=True, exclude_unset=only_set)
    if isinstance(value, Mapping):
        return {name: plain(one, only_set=only_set) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one, only_set=only_set) for one in value]
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, Real):
        number = float(value)
        return int(number) if number.is_integer() else number
    return str(value)


def _known(record: type[Model] | None, value: Any, path: str) -> tuple[Any, list[str]]:
    if record and isinstance(value, Mapping):
        return record.known(value, f"{path}.")
    if record and isinstance(value, list):
        pairs = [
            record.known(one, f"{path}.{index}.") if isinstance(one, Mapping) else (one, [])
            for index, one in enumerate(value)
        ]
        return [kept for kept, _ in pairs], [name for _, strange in pairs for name in strange]
    return value, []


def _record_in(annotation: Any) -> type[Model] | None:
    """The record that a field's type holds, if it holds one: itself, a list of it, or a choice with it."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return annotation
    found = (_record_in(part) for part in get_args(annotation))
    return next((record for record in found if record), None)


def _translated(model: type[Model], error: ValidationError, given: Mapping[str, Any] | None = None) -> InvalidParameter:
    """The one error that stands for all that pydantic found; `given` has the names that the caller wrote."""
    errors: list[dict[str, Any]] = [dict(one) for one in error.errors(include_url=False)[:MOST_PROBLEMS]]
    written = {field: name for name, field in model.other_names.items() if name in (given or {})}
    for one in errors:
        one["loc"] = (*(written.get(str(part), part) for part in one["loc"][:1]), *one["loc"][1:])
    found = [_problem(model, one) for one in errors]
    if len(found) == 1 and found[0].code == "unknown-parameter":
        return _unknown(model, errors[0])
    if len(found) == 1 and errors[0]["type"] == "missing":
        return MissingParameter(found[0].name)
    return InvalidParameter(*found)


def _unknown(model: type[Model], error: Mapping[str, Any]) -> UnknownParameter:
    """A name that is no field of the record it was given for, which may be inside another."""
    for part in error["loc"][:-1]:
        by_alias = {one.alias: one for one in model.model_fields.values()}
        field = model.model_fields.get(str(part)) or by_alias.get(str(part))
        model = (_record_in(field.annotation) if field else None) or model
    allowed = (*model.model_fields, *model.other_names)
    return UnknownParameter(".".join(map(str, _named(error["loc"]))), error["input"], allowed)


def _problem(model: type[Model], error: Mapping[str, Any]) -> Problem:
    """One problem out of one of pydantic's."""
    kind, context = error["type"], error.get("ctx", {})
    name = ".".join(str(part) for part in _named(error["loc"]))
    if "field" in context:
        # A rule over several fields says which one it blames.
        field, given = context["field"], error["input"]
        value = given.get(field, given.get(to_camel(field))) if isinstance(given, Mapping) else getattr(given, field)
        return Problem(f"{name}.{field}" if name else field, value, error["msg"], kind)
    if kind == "missing":
        return Problem(name, None, "is required", "missing-parameter")
    if kind == "extra_forbidden":
        return _unknown(model, error).problems[0]
    if kind == "literal_error":
        return Problem(name, error["input"], f"must be one of {context['expected']}", "bad-value")
    if kind in PLAIN_RULES:
        return Problem(name, error["input"], PLAIN_RULES[kind], "wrong-type")
    if kind.endswith(("_type", "_parsing", "_from_float")):
        return Problem(
            name,
            error["input"],
            error["msg"].replace("Input should be", "must be"),
            "wrong-type",
        )
    if kind == "value_error":
        return Problem(name, error["input"], str(context["error"]), "bad-value")
    return Problem(name, error["input"], error["msg"], kind if "-" in kind else "bad-value")


def _named(location: tuple[int | str, ...]) -> Iterator[int | str]:
    """The parts of a location that a caller wrote: not pydantic's names for the branches of a union."""
    return (part for part in location if not (isinstance(part, str) and ("[" in part or part in ("int", "float"))))
