"""Provides `Model`, a frozen record that is validated when it is created, so that no invalid record exists.

Python names are snake_case, JSON names are the interface's camelCase. All invalid fields are reported at once, as an
`InvalidParameter` with one `Problem` per field, under the names that the caller wrote.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from numbers import Real
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError, core_schema

from qrkit.errors import SHOWN_VALUE, InvalidParameter, MissingParameter, Problem, UnknownParameter, raise_any, similar
from qrkit.late import Shown

__all__ = ["UNLESS_EMPTY", "Bound", "Model", "Object", "allowed", "broken", "docstring_of", "meaning", "plain"]

UNLESS_EMPTY: Any = Field(exclude_if=lambda value: not value)
"""Annotates a field that JSON omits if it is empty, 0 or False."""

Object = dict[str, Any]
"""A record as a JSON object, with the interface's names or Python's."""

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
"""JSON wording for pydantic's error types."""

MOST_PROBLEMS = 100
"""Maximum number of problems in one error, so that many invalid records do not make a long response."""


LINES = re.compile(r"(.{1,108})(?: |$)")
"""Matches one line of wrapped text. `textwrap` would take longer than building the rest of a docstring."""
RAISES = "Raises:\n    InvalidParameter: If a field breaks its rule; the error lists every invalid field."


class Bound:
    """Base class of annotations that bound a value. `str` gives the bounds in words: `1..20 pixels per module`."""

    __slots__ = ()

    def _check(self, value: Any) -> Any:
        """Return the value if it is within the bounds."""
        raise NotImplementedError

    @property
    def _keywords(self) -> dict[str, Any]:
        """The bounds in JSON Schema."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return handler(schema) | self._keywords


def broken(rule: str, field: str = "", *, code: str = "bad-value") -> PydanticCustomError:
    """Return the error of a validator: the rule that a value breaks, and the field if it is one of a record."""
    # The rule is passed as data, because pydantic would treat braces in it as a template.
    return PydanticCustomError(code, "{rule}", {"rule": rule, "field": field} if field else {"rule": rule})


def allowed(field: FieldInfo) -> str:
    """Return the values that a field's type accepts: its bounds with their unit, its choices, or "" for any value."""
    parts = list(_type_parts([field.annotation, *field.metadata]))
    bounds = [str(one).partition(" (")[0] for one in parts if isinstance(one, Bound)]
    return ", ".join(bounds or (one for one in parts if isinstance(one, str)))


def _type_parts(parts: Iterable[Any]) -> Iterator[Any]:
    """Return all parts of a type, except the items of a list."""
    for part in parts:
        yield part
        if get_origin(part) in (Annotated, Literal, Union, UnionType):
            yield from _type_parts(get_args(part))


def meaning(field: FieldInfo) -> str:
    """Return the meaning of a field in sentences: its help text, after its label if that differs from its name."""
    return " ".join(filter(None, (field.title and f"{field.title}.", field.description)))


def _describe_fields(schema: dict[str, Any], record: type[Model]) -> None:
    for name, field in record.model_fields.items():
        for key in {name, field.alias} & schema["properties"].keys():
            schema["properties"][key]["description"] = meaning(field)


def docstring_of(record: type[Model], doc: str | None, heading: str = "Attributes") -> str:
    """Return a docstring with the meaning of each field of a record below its first part.

    Args:
        record: The record, which describes its fields.
        doc: The docstring without them. Its sections "Raises" and "Example" come last.
        heading: The heading of the fields.
    """
    about, example, code = inspect.cleandoc(doc or "").partition("\n\nExample:")
    about, raises, conditions = about.partition("\n\nRaises:")
    fields = "\n    ".join([f"{heading}:", *map(_entry, record.model_fields, record.model_fields.values())])
    return "\n\n".join([about, fields, f"Raises:{conditions}" if raises else RAISES]) + example + code


def _entry(name: str, field: FieldInfo) -> str:
    values = allowed(field)
    entry = f"{name} ({values}): {meaning(field)}" if values else f"{name}: {meaning(field)}"
    return "\n        ".join(LINES.findall(entry))


_set_fields, _set_names, _set_extra, _set_private = (  # as `__setstate__` of pydantic does, in a fifth of the time
    vars(BaseModel)[part].__set__
    for part in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)


class _Signature:
    """The signature of a record in `help()`: its fields with plain types, without validators."""

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
    """A frozen record. Two records are equal if all their fields are.

    The type of a field or its `Field` contains the help text (`description`) and, if it differs from the name of the
    field, the label (`title`). Docstrings, the OpenAPI description, widgets, the command line and the reference use
    these texts.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        serialize_by_alias=True,
        json_schema_extra=_describe_fields,
    )

    leading: ClassVar[str] = ""
    """The field that may be passed first without its name: `Marker("eye-3")`."""

    other_names: ClassVar[Mapping[str, str]] = {}
    """Second names of fields, in Python only: `error_correction` for `ec`."""

    no_fields: ClassVar[Mapping[str, str]] = {}
    """Names that people pass as fields, with advice on what to use instead."""

    names_elsewhere: ClassVar[Mapping[str, str]] = {}
    """Names that other libraries give to fields: `border` for `padding`."""

    _all_fields: ClassVar[set[str]]
    """The names of all fields, which records share that are made by `as_stored`."""

    def __init__(self, /, *first: Any, **values: Any) -> None:
        if first:
            if not self.leading or len(first) > 1:
                raise TypeError(f"{type(self).__name__} takes its fields by name: {', '.join(type(self).model_fields)}")
            values[self.leading] = first[0]
        fields = values if self.other_names.keys().isdisjoint(values) else self.by_field(values)
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise _to_invalid_parameter(type(self), error, values) from None

    # Pydantic validates nested records without our `__init__`, so that errors keep their path (`location.latitude`).
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        cls._all_fields = set(cls.model_fields)
        cls.__signature__ = _Signature()  # type: ignore[assignment]  # computed on access
        cls.__doc__ = docstring_of(cls, cls.__doc__)

    @classmethod
    def by_field(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Rename keyword arguments to field names: `{"error_correction": "H"}` becomes `{"ec": "H"}`.

        Raises:
            InvalidParameter: If a field is passed under both of its names.
        """
        problems = [
            Problem(
                name, values[name], f"means the same as {field}={values[field]!r}; leave out one", "duplicate-parameter"
            )
            for name, field in cls.other_names.items()
            if name in values and field in values
        ]
        raise_any(problems)
        return {cls.other_names.get(name, name): value for name, value in values.items()}

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Self:
        """Create a record from its fields, by their Python names. For many records, faster than keyword arguments.

        Raises:
            InvalidParameter: If a field breaks its rule.
        """
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            raise _to_invalid_parameter(cls, error, fields) from None

    @classmethod
    def as_stored(cls, fields: dict[str, Any]) -> Self:
        """Create a record from all of its fields, which were valid when they were stored and are not validated."""
        record = cls.__new__(cls)
        _set_fields(record, fields)
        _set_names(record, cls._all_fields)
        _set_extra(record, None)
        _set_private(record, None)
        return record

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Create a record from the JSON that `to_json` writes.

        Raises:
            InvalidParameter: If the text is not JSON, or a field breaks its rule.
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise _to_invalid_parameter(cls, error) from None

    @classmethod
    def known(cls, fields: Mapping[str, Any], path: str = "") -> tuple[dict[str, Any], list[str]]:
        """Return the known fields of a JSON object, and the paths of its unknown fields.

        Fields that are null or an empty string are dropped. Nested objects and lists are handled in the same way; all
        other values are left for validation.

        Args:
            fields: The object, with the interface's names.
            path: Prefix for the paths of unknown fields, with a trailing dot.
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
                kept[key], strange = _split_known(inner, value, f"{path}{key}")
                unknown += strange
        return kept, unknown

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the record as JSON with the interface's names, without fields that are None.

        Args:
            indent: Spaces per level; None writes a single line.
        """
        return self.model_dump_json(exclude_none=True, indent=indent)

    def given(self) -> dict[str, Any]:
        """Return the fields that differ from their default, and all required fields."""
        kinds = type(self).model_fields.items()
        defaults = {n: kind.get_default(call_default_factory=True) for n, kind in kinds if not kind.is_required()}
        values = {name: getattr(self, name) for name, _ in kinds}
        return {name: value for name, value in values.items() if name not in defaults or value != defaults[name]}

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        """Leave secrets out of `repr`, and shorten long strings: an image can have millions of characters."""
        for name, value in self.given().items():
            if not type(self).model_fields[name].repr:
                continue
            is_long = isinstance(value, str) and len(value) > SHOWN_VALUE
            yield name, value[: SHOWN_VALUE - 1] + "…" if is_long else value

    def replace(self, /, **changes: Any) -> Self:
        """Return a copy with some fields changed; the copy is validated.

        Args:
            **changes: Fields of the record, by their Python names.

        Raises:
            InvalidParameter: If a change breaks a rule.
        """
        kept = {name: getattr(self, name) for name in self.model_fields_set - self.by_field(changes).keys()}
        return type(self)(**(kept | changes))


def plain(value: Any, *, only_set: bool = False) -> Any:
    """Convert a value to JSON types: records to objects without absent fields, colors to strings, and so on.

    Args:
        value: A record, or a dict, list or tuple that may contain records.
        only_set: Whether to leave out the fields of records that were not set explicitly.
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


def _split_known(record: type[Model] | None, value: Any, path: str) -> tuple[Any, list[str]]:
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
    """Return the record class in a field's type, if any: the type itself, its list items or a part of its union."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return annotation
    records = (_record_in(part) for part in get_args(annotation))
    return next((record for record in records if record), None)


def _to_invalid_parameter(
    model: type[Model], error: ValidationError, given: Mapping[str, Any] | None = None
) -> InvalidParameter:
    """Convert pydantic's errors into one of ours; `given` holds the fields under the names that the caller wrote."""
    errors: list[dict[str, Any]] = [dict(one) for one in error.errors(include_url=False)[:MOST_PROBLEMS]]
    written = {field: name for name, field in model.other_names.items() if name in (given or {})}
    for one in errors:
        one["loc"] = (*(written.get(str(part), part) for part in one["loc"][:1]), *one["loc"][1:])
    secret = {name for name, field in model.model_fields.items() if not field.repr}
    problems = [_problem(model, one) for one in errors]
    problems = [replace(one, value=None) if one.name in secret else one for one in problems]
    if len(problems) == 1 and problems[0].code == "unknown-parameter":
        return _unknown_parameter(model, errors[0])
    if len(problems) == 1 and errors[0]["type"] == "missing":
        return MissingParameter(problems[0].name)
    invalid = InvalidParameter(*problems)
    objects = [
        f"{problem.name} takes a dict{' or a ' + one['ctx']['class_name'] if one['type'] == 'model_type' else ''}"
        for problem, one in zip(problems, errors, strict=True)
        if one["type"] in ("model_type", "dict_type")
    ]
    return invalid.advising({"python": "; ".join(objects)}) if objects else invalid


def _unknown_parameter(model: type[Model], error: Mapping[str, Any]) -> UnknownParameter:
    """Return the error for a name that is not a field of its record; the record may be nested in another."""
    for part in error["loc"][:-1]:
        by_alias = {one.alias: one for one in model.model_fields.values()}
        field = model.model_fields.get(str(part)) or by_alias.get(str(part))
        model = (_record_in(field.annotation) if field else None) or model
    name = str(error["loc"][-1])
    meant = model.names_elsewhere.get(name.lower(), "")
    allowed = (*model.model_fields, *model.other_names)
    unknown = UnknownParameter(".".join(map(str, _written_parts(error["loc"]))), error["input"], allowed, meant)
    advice = model.no_fields.get(name)
    return unknown.advising({"python": advice}) if advice else unknown


def _problem(model: type[Model], error: Mapping[str, Any]) -> Problem:
    """Convert one of pydantic's errors into a problem."""
    kind, context = error["type"], error.get("ctx", {})
    name = ".".join(str(part) for part in _written_parts(error["loc"]))
    if "field" in context:
        # A rule about several fields names the field that is invalid.
        field, given = context["field"], error["input"]
        value = given.get(field, given.get(to_camel(field))) if isinstance(given, Mapping) else getattr(given, field)
        if name and isinstance(given, Mapping) and field not in given:
            field = to_camel(field)  # records within records mostly come as JSON
        return Problem(f"{name}.{field}" if name else field, value, error["msg"], kind)
    if kind == "missing":
        return Problem(name, None, "is required", "missing-parameter")
    if kind == "extra_forbidden":
        return _unknown_parameter(model, error).problems[0]
    if kind == "literal_error":
        close = similar(str(error["input"]), re.findall(r"'([^']*)'", context["expected"]))
        rule = "; ".join(filter(None, (f"must be one of {context['expected']}", close)))
        return Problem(name, error["input"], rule, "bad-value")
    if kind in PLAIN_RULES:
        return Problem(name, error["input"], PLAIN_RULES[kind], "wrong-type")
    if kind.endswith(("_type", "_parsing", "_from_float")):
        return Problem(name, error["input"], error["msg"].replace("Input should be", "must be"), "wrong-type")
    if kind == "value_error":
        return Problem(name, error["input"], str(context["error"]), "bad-value")
    return Problem(name, error["input"], error["msg"], kind if "-" in kind else "bad-value")


def _written_parts(location: tuple[int | str, ...]) -> Iterator[int | str]:
    """Return the parts of a location that the caller wrote, without pydantic's names for the branches of a union."""
    return (part for part in location if not (isinstance(part, str) and ("[" in part or part in ("int", "float"))))
