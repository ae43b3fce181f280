"""`Model`: the frozen record that judges itself when it is made, so that an invalid one cannot exist.

Python names are snake_case, JSON names the interface's camelCase. Every wrong field is reported at once, as
`InvalidParameter` with a `Problem` a field, and names the field as the caller wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from qrkit.errors import InvalidParameter, MissingParameter, Problem, UnknownParameter

__all__ = ["Model"]


class Model(BaseModel):
    """A frozen record. Equal records are those with equal fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        serialize_by_alias=True,
    )

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _translated(type(self), error) from error

    # A nested record is judged by pydantic alone, so that its errors keep their path (`location.latitude`).
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

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

    def to_json(self, *, indent: int | None = None) -> str:
        """Write the record as JSON in the interface's names; absent values are left out."""
        return self.model_dump_json(exclude_none=True, indent=indent)

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed, judged anew.

        Raises:
            InvalidParameter: A change breaks a rule.
        """
        kept = {name: getattr(self, name) for name in self.model_fields_set}
        return type(self)(**(kept | changes))


def _translated(model: type[BaseModel], error: ValidationError) -> InvalidParameter:
    """The one error that stands for all that pydantic found."""
    errors = [dict(one) for one in error.errors(include_url=False)]
    found = [_problem(model, one) for one in errors]
    if len(found) == 1 and found[0].code == "unknown-parameter":
        return _unknown(model, errors[0])
    if len(found) == 1 and found[0].code == "missing-parameter":
        return MissingParameter(found[0].name)
    return InvalidParameter(*found)


def _unknown(model: type[BaseModel], error: Mapping[str, Any]) -> UnknownParameter:
    """A name that is no field of the record it was given for, which may be inside another."""
    for part in error["loc"][:-1]:
        by_alias = {one.alias: one for one in model.model_fields.values()}
        field = model.model_fields.get(str(part)) or by_alias.get(str(part))
        kinds = [field.annotation, *get_args(field.annotation)] if field else []
        model = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), model)
    return UnknownParameter(".".join(map(str, error["loc"])), error["input"], model.model_fields)


def _problem(model: type[BaseModel], error: Mapping[str, Any]) -> Problem:
    """One problem out of one of pydantic's."""
    kind, context = error["type"], error.get("ctx", {})
    name = ".".join(str(part) for part in _named(error["loc"]))
    if "field" in context:
        # A rule over several fields says which one it blames.
        return Problem(context["field"], error["input"].get(context["field"]), error["msg"], kind)
    if kind == "missing":
        return Problem(name, None, "is required", "missing-parameter")
    if kind == "extra_forbidden":
        return _unknown(model, error).problems[0]
    if kind == "literal_error":
        return Problem(name, error["input"], f"must be one of {context['expected']}", "bad-value")
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
