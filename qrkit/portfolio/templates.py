"""`Templates`: stored designs of one account, which a request to generate may begin with (ruling G18)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard, Unpack

from qrkit.design.design import Design, DesignFields, lists_fields
from qrkit.drawing.resizing import pinned
from qrkit.errors import InvalidParameter, NotFound, Problem, UnknownParameter, nearest
from qrkit.late import Shown
from qrkit.model import plain
from qrkit.pictures.generate_request import merged, read_post
from qrkit.store import Store
from qrkit.store import templates as table
from qrkit.tracking.times import Clock, now

__all__ = ["Templates"]

LONGEST_NAME = 100
MOST_TEMPLATES = 1000
"""Of one account."""
MOST_CHARACTERS = 12_000_000
"""Of one template as JSON: the pictures it may hold, and some more."""
REQUEST_FIELDS = ("format", "shorten")
"""What a template may say beside the fields of a design."""


class Templates(Shown):
    """The templates of one account: `Portfolio.templates`. Iterating gives their names.

    Args:
        store: Where they are kept.
        account_id: Whose they are.
        clock: Gives the present moment.
    """

    def __init__(self, store: Store, account_id: str, *, clock: Clock = now) -> None:
        self._store = store
        self._account_id = account_id
        self._clock = clock

    def save(self, name: str, template: Design | Mapping[str, Any]) -> None:
        """Store a template; an earlier one of this name is replaced.

        Args:
            name: 1..100 characters.
            template: A design, of which the fields that were given are kept, but for its content; or some fields of
                POST generate in the interface's names, `{"ec": "H", "markers": {"topLeft": {"pattern": "eye-3"}}}`.
                Where it has a content, layers, and no size of its own, it gets the width of its picture, so that the
                layers stay in their place whatever is encoded.

        Raises:
            InvalidParameter: The name or a field breaks its rule, or there are 1,000 templates already.
            UnknownParameter: A field is none.
            ContentTooLong: The content of a design with layers does not fit.
        """
        if not _is_text(name) or not 1 <= len(name) <= LONGEST_NAME:
            raise InvalidParameter(Problem("name", name, f"must be a text of 1..{LONGEST_NAME} characters"))
        if isinstance(template, Design):
            kept = pinned(template) if template.layers else template
            fields = kept.model_dump(mode="json", exclude_unset=True, exclude_none=True, exclude={"content"})
        elif "template" in template:
            rule = "a template cannot begin with another one"
            raise InvalidParameter(Problem("template", template["template"], rule))
        else:
            fields = dict(template)
        self._check(fields)
        if fields.get("layers") and fields.get("content") and not (fields.get("width") or fields.get("height")):
            fields["width"] = pinned(Design(**Design.known(fields)[0])).width
        text = json.dumps(plain(fields, only_set=True), ensure_ascii=False, allow_nan=False)
        if len(text) > MOST_CHARACTERS:
            raise InvalidParameter(Problem("template", None, f"has {len(text)} characters; at most {MOST_CHARACTERS}"))
        if name not in self and len(self) >= MOST_TEMPLATES:
            raise InvalidParameter(Problem("name", name, f"would be one more than the {MOST_TEMPLATES} allowed"))
        table.save_template(self._store, self._account_id, name, text, self._clock())

    def get(self, name: str) -> dict[str, Any]:
        """A template in the interface's names.

        Raises:
            NotFound: There is none of this name.
        """
        text = table.get_template(self._store, self._account_id, name) if _is_text(name) else None
        if text is None:
            near = nearest(str(name), self.names())
            raise NotFound("template", name, code="template-not-found", hint=near if near.startswith("did") else "")
        found: dict[str, Any] = json.loads(text)
        return found

    @lists_fields(DesignFields)
    def design(self, name: str, content: str, **fields: Unpack[DesignFields]) -> Design:
        """A design that begins with a template.

        Args:
            name: Of the template.
            content: What to encode.
            **fields: Fields of `Design`, which win over those of the template.

        Raises:
            NotFound: There is no template of this name.
            InvalidParameter: A field breaks its rule.
        """
        given = Design(content=content, **fields).model_dump(mode="json", exclude_unset=True, exclude_none=True)
        known, _ = Design.known(merged(self.get(name), given))
        return Design(**known)

    def _check(self, fields: Mapping[str, Any]) -> None:
        """Refuse fields that no request could have: a template is judged when it is stored, not when it is used."""
        asked = read_post(merged({"content": "0"}, fields), self.get)
        if asked.unknown:
            # A design names all of them, with the nearest names.
            Design(content="0", **{name: fields[name] for name in fields if name not in ("content", *REQUEST_FIELDS)})
            raise UnknownParameter(asked.unknown[0], None, [*Design.model_fields, *REQUEST_FIELDS])

    def names(self) -> list[str]:
        """All names, sorted."""
        return table.template_names(self._store, self._account_id)

    def delete(self, name: str) -> None:
        """Delete a template.

        Raises:
            NotFound: There is none of this name.
        """
        self.get(name)
        table.delete_template(self._store, self._account_id, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())

    def __contains__(self, name: object) -> bool:
        return name in self.names()

    def __repr__(self) -> str:
        return f"<Templates: {', '.join(self.names()) or 'none'}>"


def _is_text(name: object) -> TypeGuard[str]:
    """Whether it is a text that can be written as UTF-8: a lone surrogate cannot."""
    return isinstance(name, str) and name.encode("utf-8", "ignore").decode("utf-8") == name
