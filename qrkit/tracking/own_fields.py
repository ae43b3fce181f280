"""What users add to a QR Code to sort by: tags, and fields with names of their own, such as City or Floor."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, NoReturn

from pydantic import AfterValidator, BeforeValidator, Strict

from qrkit.design.limits import Most
from qrkit.errors import SHOWN_VALUE
from qrkit.model import broken
from qrkit.tracking.names import tidy_name

MOST_FIELDS = 50
"""The maximum number of fields of a QR Code, and of its tags."""
LONGEST_NAME = 100
LONGEST_VALUE = 1_000
_BETWEEN_TAGS = re.compile(r"[,;|]")
_LIST = re.compile(r"""\s*[\[{]\s*(["'])(?P<tags>.*)\1\s*[\]}]\s*""", re.DOTALL)
"""Matches a list of quoted texts, as programs write one into a cell."""
_ESCAPE = r"""\\(?:[\\'"nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})"""
_TEXT = rf"""(?:'(?>[^'\\\n]|{_ESCAPE})*+'|"(?>[^"\\\n]|{_ESCAPE})*+")"""
_PYTHON_LIST = re.compile(rf"\[\s*{_TEXT}(?>\s*,\s*{_TEXT})*+\s*,?\s*\]")
"""Matches a list of texts as Python writes one. About other texts, its parser may print warnings."""
LONGEST_LIST = 7 * MOST_FIELDS * LONGEST_NAME
"""Characters of a list that is read as JSON or Python: each letter of a tag may be escaped, as in caf\\u00e9."""
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
"""Control characters, apart from tabs and line breaks, and half characters."""


class OwnFields(dict[str, str]):
    """Fields of a user by name, in their order. They do not change, as the records that have them."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[OwnFields], tuple[dict[str, str]]]:
        return OwnFields, (dict(self),)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("the fields of a record do not change; use update_qrcode(id, fields={'City': 'Graz'})")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse


def split_tags(text: str) -> list[str]:
    """Return the tags in a text with commas, semicolons or | between them, such as a, b or ["a", "b"]."""
    listed, found = _listed(text.strip()), _LIST.fullmatch(text)
    if listed is None and found:
        return [tag for one in _BETWEEN_TAGS.split(found["tags"]) if (tag := one.strip(" \"'"))]
    tags = text if listed is None else ",".join(listed)
    return [tag for one in _BETWEEN_TAGS.split(tags) if (tag := one.strip())]


def _listed(text: str) -> list[str] | None:
    """Return the texts of a list in JSON or Python, which pandas writes; None for any other text."""
    if text[:1] != "[" or text[-1:] != "]" or len(text) > LONGEST_LIST:
        return None
    for read in (json.loads, ast.literal_eval) if _PYTHON_LIST.fullmatch(text) else (json.loads,):
        with suppress(ValueError, SyntaxError, RecursionError):
            texts = read(text)
            if isinstance(texts, list) and all(isinstance(one, str) for one in texts):
                return texts
    return None


def name_rule(name: str) -> str:
    """Return the rule that the name of a field breaks; "" for a name without blanks around it that is fine."""
    if not 1 <= len(name) <= LONGEST_NAME:
        return f"must have 1..{LONGEST_NAME} characters, not {len(name)}"
    return text_rule(name)


def value_rule(value: str) -> str:
    """Return the rule that the value of a field breaks; "" for one that is fine."""
    if len(value) > LONGEST_VALUE:
        return f"must have at most {LONGEST_VALUE:,} characters, not {len(value):,}"
    return text_rule(value)


def text_rule(text: str) -> str:
    """Return what must not be in a text: control characters other than tabs and line breaks, and half characters."""
    if found := _UNFIT.search(text):
        return f"must not hold the control character U+{ord(found[0]):04X}"
    return ""


def _judged(text: str, rule: str) -> str:
    if rule:
        raise broken(rule, code="out-of-range" if "must have" in rule else "bad-value")
    return text


def _tag(text: str) -> str:
    tag = tidy_name(text)
    is_one = _BETWEEN_TAGS.search(tag) is None
    return _judged(tag, name_rule(tag) if is_one else "must be one tag, without commas, semicolons and |")


def _named(given: Any) -> Any:
    """Return fields under tidy names, without those that have no value; leave what is no mapping for validation."""
    if not isinstance(given, Mapping):
        return given
    fields: dict[str, Any] = {}
    for written, value in given.items():
        name = tidy_name(str(written))
        rule = "appears twice in the fields" if name in fields else name_rule(name)
        _judged(name, rule and f"the name {name[:SHOWN_VALUE]!r} {rule}")
        if value is not None and value != "":
            fields[name] = value
    _judged("", "" if len(fields) <= MOST_FIELDS else f"must have at most {MOST_FIELDS} fields, not {len(fields)}")
    return fields


_Tag = Annotated[str, Strict(), AfterValidator(_tag)]
_Value = Annotated[str, Strict(), AfterValidator(lambda value: _judged(value, value_rule(value)))]
Tags = Annotated[tuple[_Tag, ...], Most(0, MOST_FIELDS), AfterValidator(lambda tags: tuple(dict.fromkeys(tags)))]
"""Tags in the order they were given, each once."""
FieldsByName = Annotated[dict[str, _Value], BeforeValidator(_named), AfterValidator(OwnFields)]
"""Fields by name, without those that have no value."""
_ANY = r"\x00-\x1f\x7f-\x9f"
TAG_SCHEMA: dict[str, Any] = {
    "type": "string", "maxLength": LONGEST_NAME, "pattern": rf"^[^\s,;|{_ANY}][^,;|{_ANY}]*$"
}  # fmt: skip
FIELDS_SCHEMA: dict[str, Any] = {
    "maxProperties": MOST_FIELDS,
    "propertyNames": {"type": "string", "maxLength": LONGEST_NAME, "pattern": rf"^[^\s{_ANY}][^{_ANY}]*$"},
    "additionalProperties": {"type": "string", "maxLength": LONGEST_VALUE, "pattern": rf"^[^{_ANY}]*$"},
}
"""What the description of the HTTP interface says of tags and fields."""
