"""The content of a design as a form: a kind, and its fields as they are typed. Independent of any browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from qrkit.contents.content import Content
from qrkit.contents.editing.keeping import replaced, unread
from qrkit.contents.kinds import MODULES, SHORT_URLS, Kind, as_text, kind_named, make_from_texts, parsed
from qrkit.contents.messages import plain_text
from qrkit.contents.reading import read
from qrkit.design.bounds import LONGEST_TEXT
from qrkit.design.limits import Length
from qrkit.errors import InvalidParameter
from qrkit.languages import say, translated
from qrkit.model import meaning
from qrkit.notebook.widgets.controls import Control
from qrkit.notebook.widgets.field_words import choice_words

FORM = "form"
"""The first step of the paths of a form's fields, and the path of the kind itself."""


class ContentForm:
    """What the form shows, which may not be complete yet.

    Attributes:
        fields: The fields of the kind that are filled in, as texts, numbers and switches.
        missing: What has to be filled in before the form describes a content; "" if nothing.
        notes: What to know about the content: what was cleaned of a pasted value, what else it says.
    """

    def __init__(self, content: str) -> None:
        self.kind, self.fields, self.missing, self.notes = "text", dict[str, Any](), "", list[str]()
        self._content: str | None = None
        self._left: Mapping[str, dict[str, Any]] = {}
        self.follow(content)

    def follow(self, content: str) -> None:
        """Show a content that did not come from this form; one that did leaves the form as it was typed."""
        if content == self._content:
            return
        found = read(content)
        self._left = {}
        self.kind, self.missing, self._content = found.kind, "", content
        self.fields, self.notes = _typed(found), _notes(found)

    def change(self, fields: Mapping[str, Any]) -> str | None:
        """Change fields, or the kind under the name `form`, and return the content that the form then describes.

        What the content says in none of the fields stays. A new kind takes over what its first fields call by the same
        name; its other fields are as they were left when it was chosen before, or empty. While fields are missing, the
        form describes nothing: the result is None, and `missing` names them. An error names the form's paths, and the
        form stays as it was.
        """
        kind = kind_named(fields.get(FORM, self.kind))
        typed = {
            name: value
            for name, value in {**self._kept(kind), **fields}.items()
            if name in kind.fields.model_fields and value not in ("", None)
        }
        if kind.name == "text" and self._content:  # the default is the text that is in the code
            typed.setdefault("text", self._content)
        content, missing = None, ""
        try:
            content = self._written(kind.name, typed)
        except InvalidParameter as error:
            wrong = [one for one in error.problems if one.name in typed]
            if FORM in fields and wrong:
                return self.change({**fields, **{one.name: None for one in wrong}})
            if wrong:
                raise InvalidParameter(*(replace(one, name=f"{FORM}.{one.name}") for one in wrong)) from error
            missing = "; ".join(translated(f"{label_of(kind.name, one.name)} {one.rule}") for one in error.problems)
        if kind.name != self.kind:
            self._left = {**self._left, self.kind: self.fields}
        self.kind, self.fields, self.missing = kind.name, typed, missing
        self.notes = _notes(content) if content else []
        if content is None:
            return None
        self._content = str(content)
        return self._content

    def _kept(self, kind: Kind) -> dict[str, Any]:
        """Return the fields that stay in the form of a kind: those that are seen at once, and its own."""
        if kind.name == self.kind:
            return self.fields
        alike = {name for name in _first(kind) if label_of(kind.name, name) == label_of(self.kind, name)}
        return self._left.get(kind.name, {}) | {name: self.fields[name] for name in alike & self.fields.keys()}

    def _written(self, kind: str, typed: Mapping[str, Any]) -> Content:
        """Return the content of some fields, with all else that the present content of the same kind says."""
        present = read(self._content or "")
        if present.kind != kind:
            return make_from_texts(kind, typed)
        shown = _typed(present)
        changes = parsed(kind, {name: value for name, value in typed.items() if value != shown.get(name)})
        return replaced(present, changes | dict.fromkeys(shown.keys() - typed.keys()))

    def as_dict(self) -> dict[str, Any]:
        """Return the state for the browser."""
        return {"kind": self.kind, "fields": self.fields, "missing": self.missing, "notes": self.notes}


def _typed(content: Content) -> dict[str, Any]:
    """Return the fields of a content as people type them."""
    return {name: as_text(value) for name, value in content.fields.items()}


def _notes(content: Content) -> list[str]:
    """Return what to know about a content: the notes on it, and what it says beyond its fields."""
    noted = [
        f"{label_of(content.kind, field)} {text}." if field else f"This code {text}." for field, text in content.notes
    ]
    more = unread(content)
    return noted + ([say("This code also contains, and keeps: {more}.", more=more)] if more else [])


@cache
def kind_forms() -> dict[str, dict[str, Any]]:
    """Return what the form of each kind shows, by its name: title, hint, controls, and which of them come first."""
    return {name: _form(kind_named(name)) for name in MODULES}


def _form(kind: Kind) -> dict[str, Any]:
    return {
        "title": kind.title,
        "about": SHORT_URLS[kind.behind],
        "fields": [control.as_dict() for control in _controls(kind)],
        "first": _first(kind),
    }


def _first(kind: Kind) -> list[str]:
    """Return the fields that are visible from the start; the others are folded away."""
    return [name for name, field in kind.fields.model_fields.items() if field.is_required() or field.examples]


def _controls(kind: Kind) -> list[Control]:
    hints = get_type_hints(kind.fields, include_extras=True)
    controls = []
    for name, field in kind.fields.model_fields.items():
        look: dict[str, Any] = {"label": label_of(kind.name, name), "help": meaning(field).replace("`", "")}
        look["placeholder"] = str(as_text(field.examples[0])) if field.examples else ""
        look |= _look(hints[name], is_required=field.is_required())
        if look["kind"] == "choice":
            look["words"] = choice_words(f"{kind.name}.{name}", (*look["choices"], ""))
        controls.append(Control(name=name, **look))
    return controls


def label_of(kind: str, name: str) -> str:
    """Return the label of a field, or its name if it is not a field of the kind."""
    field = kind_named(kind).fields.model_fields.get(name)
    return (field and field.title) or name.replace("_", " ").capitalize()


def _look(hint: Any, *, is_required: bool) -> dict[str, Any]:
    parts = list(_parts(hint))
    choices = next((get_args(part) for part in parts if get_origin(part) is Literal), None)
    if choices:
        return {"kind": "choice", "choices": choices, "optional": NoneType in parts}
    if bool in parts:
        return {"kind": "switch"}
    is_text = any(isinstance(part, Length) and part.high == LONGEST_TEXT for part in parts)
    has_lines = is_text or any(getattr(part, "func", None) is plain_text for part in parts)
    return {"kind": "paragraph" if has_lines else "text", "required": is_required}


def _parts(hint: Any) -> list[Any]:
    """Return all parts of a type, with its annotations."""
    if get_origin(hint) in (Annotated, Union, UnionType):
        return [hint, *(part for one in get_args(hint) for part in _parts(one))]
    return [hint]
