"""Turns a function that writes a text into a kind of content, whose fields are the parameters of the function.

The annotations of the parameters contain bounds, labels and help texts, as those of records do. Errors, `help()`, the
command line, the form in the studio and the OpenAPI description are made from them. To add a kind, write a function
with this decorator, add its name to `MODULES` of `qrkit.contents`, and give `reading` a function that reads such texts.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import wraps
from importlib import import_module
from typing import Any, Literal, ParamSpec, get_args, get_origin, get_type_hints

from pydantic import create_model
from pydantic.fields import FieldInfo

from qrkit.contents import MODULES
from qrkit.contents.content import NOTHING, Content, LastShown, Note, taking_notes
from qrkit.contents.single_lines import clean
from qrkit.design.limits import read_whole
from qrkit.errors import InvalidParameter, Problem, UnknownParameter, one_of, renaming
from qrkit.model import Model, docstring_of, plain

__all__ = [
    "MODULES", "SHORT_URLS", "Behind", "Kind", "accepted", "kind", "kind_named", "make", "make_from_json",
    "make_from_texts", "parsed", "well_formed",
]  # fmt: skip

P = ParamSpec("P")

Behind = Literal["redirect", "page", "never"]
"""What a short URL does with a kind: it redirects, it shows a page, or it cannot work, because apps read the code."""

SHORT_URLS: dict[Behind, str] = {
    "redirect": "If you track the code, its short URL sends visitors there.",
    "page": "If you track the code, its short URL shows this on a page.",
    "never": "It works only in a code of its own, never behind a short URL: apps read the code itself.",
}
"""What `Behind` means, for people."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of content, with the name of its function in `qrkit.contents`; `write` is that function.

    Attributes:
        title: Its name for people.
        behind: What a short URL does with such a content.
        fields: A record with the parameters of the function, which validates and describes them.
        drawn: The fields of a `Design` that the standard of the kind prescribes.
    """

    name: str
    title: str
    behind: Behind
    fields: type[Model]
    write: Callable[..., Content]
    drawn: Mapping[str, Any]

    @property
    def secrets(self) -> Mapping[str, int]:
        """The fields that nobody should read over a shoulder, with how many of their last characters people see."""
        return {
            name: next((one.count for one in field.metadata if isinstance(one, LastShown)), 0)
            for name, field in self.fields.model_fields.items()
            if not field.repr
        }

    @property
    def example(self) -> dict[str, Any]:
        """The fields of an example: the first of the examples in the type of each field that has some."""
        return {name: field.examples[0] for name, field in self.fields.model_fields.items() if field.examples}

    def content(self, text: str, fields: Mapping[str, Any], notes: Iterable[Note] = ()) -> Content:
        """Return a text of this kind, with those of its fields that say more than their default, and notes on it."""
        defaults = {name: field.get_default() for name, field in self.fields.model_fields.items()}
        given = {name: value for name, value in _filled(fields).items() if value != defaults[name]}
        return Content(text, self.name, given, self.secrets, self.drawn, notes=notes)


_KINDS: dict[str, Kind] = {}


def kind(
    title: str, *, behind: Behind, drawn: Mapping[str, Any] = NOTHING
) -> Callable[[Callable[P, str]], Callable[P, Content]]:
    """Make a kind of content from a function that returns the text; the arguments are those of `Kind`.

    The function gets validated arguments. It may call itself with others, whose content is then the result. A parameter
    with `Field(repr=False)` is a secret; with `LastShown` as well, people see its last characters.
    """

    def decorate(write_text: Callable[P, str]) -> Callable[P, Content]:
        name, signature = write_text.__name__, inspect.signature(write_text)
        record = _record(write_text, signature)
        sentence, _, more = inspect.cleandoc(write_text.__doc__ or "").partition("\n")
        write_text.__doc__ = docstring_of(record, f"{sentence}\n\n{SHORT_URLS[behind]}\n{more}", "Args")

        @wraps(write_text)
        def write(*args: P.args, **kwargs: P.kwargs) -> Content:
            with _hiding(made.secrets), taking_notes() as notes:
                fields = record(**_by_name(signature, args, kwargs))
                values = {field: getattr(fields, field) for field in record.model_fields}
                text = write_text(**values)  # type: ignore[call-arg]  # the parameters of the function, by name
            found = text if isinstance(text, Content) else made.content(text, values)
            found.notes = tuple(dict.fromkeys((*notes, *found.notes)))
            return found

        write.__signature__ = _plain_signature(write_text, signature)  # type: ignore[attr-defined]
        made = _KINDS[name] = Kind(name, title, behind, record, write, drawn)
        return write

    return decorate


@contextmanager
def _hiding(secrets: Mapping[str, int]) -> Iterator[None]:
    """Leave the values of secrets out of errors, which are logged and shown."""
    try:
        yield
    except InvalidParameter as error:
        if not any(one.name in secrets and one.value is not None for one in error.problems):
            raise
        shown = (replace(one, value=None) if one.name in secrets else one for one in error.problems)
        raise InvalidParameter(*shown) from None


def kind_named(name: Any) -> Kind:
    """Return a kind by its name."""
    known = one_of("kind", name, MODULES, "is not a kind of content")
    import_module(f"qrkit.contents.{MODULES[known]}")
    return _KINDS[known]


def make(name: str, fields: Mapping[str, Any]) -> Content:
    """Make a content from the name of its kind and its fields, under Python's names or the camelCase ones of JSON."""
    found = kind_named(name)
    names = {field.alias: field_name for field_name, field in found.fields.model_fields.items()}
    return found.write(**{names.get(key, key): value for key, value in fields.items()})


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields without those that are empty: no field of a kind may be an empty text."""
    return {name: value for name, value in fields.items() if value not in ("", None)}


def accepted(name: str, fields: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the validated fields of a kind, or None if one breaks its rule: what was read is not of this kind.

    Empty fields count as absent. Readers call this where a wrong field is worse than none, such as an account number
    with a wrong check digit.
    """
    try:
        return dict(_KINDS[name].write(**_filled(fields)).fields)
    except InvalidParameter:
        return None


def well_formed(name: str, fields: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the fields of a kind, or None if one does not fit its type; what only new texts must not say may stay."""
    try:
        return dict(_KINDS[name].fields(**fields))
    except InvalidParameter:
        return None


def make_from_texts(name: str, texts: Mapping[str, str | bool | None]) -> Content:
    """Make a content from fields as people type them, such as the cells of a row; empty ones count as absent.

    Numbers are written with a decimal point. Semicolons separate the entries of a list, and the fields of an address:
    `name=Max Muster; postcode=8000; town=Zürich`.
    """
    return make(name, parsed(name, _filled(texts)))


def parsed(name: str, texts: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields as people type them as numbers, lists and records, which the kind then judges."""
    known = kind_named(name).fields.model_fields
    return {field: _parsed(text, known.get(field)) for field, text in texts.items()}


def make_from_json(value: Mapping[str, Any]) -> Content:
    """Make a content from a JSON object: its `kind`, and the fields of the kind, of which null ones count as absent.

    In errors, the names of fields begin with `content.`, as in the bodies of requests.
    """
    fields = {name: one for name, one in value.items() if name != "kind" and one is not None}
    known: dict[str, Any] = {}
    with renaming(lambda name: f"content.{known[name].alias if name in known else name}"):
        if value.get("kind") is None:
            rule = f"is required: one of {', '.join(MODULES)}"
            raise InvalidParameter(Problem("kind", None, rule, "missing-parameter"))
        kind = kind_named(value["kind"])
        known = kind.fields.model_fields
        try:
            return make(kind.name, fields)
        except InvalidParameter as error:
            names = [str(field.alias) for field in known.values()]
            raise InvalidParameter(*(_with_json_names(one, names) for one in error.problems)) from None


def _with_json_names(problem: Problem, names: Iterable[str]) -> Problem:
    """Return a problem whose rule suggests the names that the fields have in JSON."""
    is_unknown = problem.code == "unknown-parameter" and "." not in problem.name
    return UnknownParameter(problem.name, problem.value, names).problems[0] if is_unknown else problem


def as_text(value: Any) -> Any:
    """Return the value of a field as people type it, for `make_from_texts`; numbers and switches are unchanged."""
    value = plain(value)
    if isinstance(value, list):
        return "; ".join(map(str, value))
    if isinstance(value, dict) and all(name.isdigit() for name in value):
        return "".join(f"({name}){text}" for name, text in value.items())  # as GS1 prints its elements
    return "; ".join(f"{name}={text}" for name, text in value.items()) if isinstance(value, dict) else value


def _parsed(text: Any, field: FieldInfo | None) -> Any:
    """Return a text as the number, list or record that the field needs; the record judges other values."""
    if field is None or not isinstance(text, str):
        return text
    types = {get_origin(one) or one for one in (field.annotation, *get_args(field.annotation))}
    number = clean(text)
    # The extension of a phone number is a part of it (RFC 3966).
    parts = [part.strip() for part in re.split(";(?!ext=)", text) if part.strip()]
    if tuple in types:
        return parts
    if any(isinstance(one, type) and issubclass(one, Model) for one in types):
        return {name.strip(): value.strip() for name, _, value in (part.partition("=") for part in parts)}
    if int in types and (whole := read_whole(number)) is not None:
        return whole
    if float in types:
        with suppress(ValueError):
            return float(number)
    return text


def _record(write_text: Callable[..., str], signature: inspect.Signature) -> type[Model]:
    hints = get_type_hints(write_text, include_extras=True)
    fields: dict[str, Any] = {
        name: (hints[name], ... if one.default is one.empty else one.default)
        for name, one in signature.parameters.items()
    }
    return create_model(write_text.__name__, __base__=Model, __doc__=write_text.__doc__, **fields)


def _by_name(signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return all arguments by name; those that are missing or unknown are left for the record to report."""
    places = [name for name, one in signature.parameters.items() if one.kind is not one.KEYWORD_ONLY]
    if len(args) > len(places) or set(kwargs) & set(places[: len(args)]):
        signature.bind(*args, **kwargs)  # raises Python's own TypeError
    return dict(zip(places, args, strict=False)) | dict(kwargs)


def _plain_signature(write_text: Callable[..., str], signature: inspect.Signature) -> inspect.Signature:
    """Return the signature for `help()`, with plain types in place of bounds and help texts."""
    hints = get_type_hints(write_text)
    parameters = [one.replace(annotation=hints[name]) for name, one in signature.parameters.items()]
    return signature.replace(parameters=parameters, return_annotation=Content)
