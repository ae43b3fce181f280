"""`Templates`: the stored designs of one account, which generate requests can build on."""

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
"""The maximum number of templates per account."""
MOST_CHARACTERS = 12_000_000
"""The maximum length of a template as JSON: enough for the embedded pictures and all other fields."""
REQUEST_FIELDS = ("format", "shorten")
"""Fields that a template may contain in addition to the fields of `Design`."""


class Templates(Shown):
    """The templates of one account, available as `Portfolio.templates`. Iterate to get the template names.

    Args:
        store: The store that contains the templates.
        account_id: ID of the account that owns the templates.
        clock: A function that returns the current time.
    """

    def __init__(self, store: Store, account_id: str, *, clock: Clock = now) -> None:
        self._store = store
        self._account_id = account_id
        self._clock = clock

    def save(self, name: str, template: Design | Mapping[str, Any]) -> None:
        """Save a template, replacing any template with the same name.

        Args:
            name: The name of the template, 1..100 characters.
            template: A design, whose explicitly set fields are saved except for the content; or fields of the HTTP
                request POST generate, such as `{"ec": "H", "markers": {"topLeft": {"pattern": "eye-3"}}}`. A template
                with content and layers but no size is saved with the width of its picture, so that the layers keep
                their position for any content.

        Raises:
            InvalidParameter: If the name or a field is invalid, or the account already has 1,000 templates.
            UnknownParameter: If a field does not exist.
            ContentTooLong: If the content of a design with layers does not fit.
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
            kept = pinned(Design(**Design.known(fields)[0]))
            fields["width"] = kept.width
            if kept.frame:
                fields["layers"] = list(kept.layers)
        text = json.dumps(plain(fields, only_set=True), ensure_ascii=False, allow_nan=False)
        if len(text) > MOST_CHARACTERS:
            raise InvalidParameter(Problem("template", None, f"has {len(text)} characters; at most {MOST_CHARACTERS}"))
        if name not in self and len(self) >= MOST_TEMPLATES:
            raise InvalidParameter(Problem("name", name, f"would be one more than the {MOST_TEMPLATES} allowed"))
        table.save_template(self._store, self._account_id, name, text, self._clock())

    def get(self, name: str) -> dict[str, Any]:
        """Return the fields of a template, with the field names of the HTTP interface.

        Raises:
            NotFound: If no template has this name.
        """
        text = table.get_template(self._store, self._account_id, name) if _is_text(name) else None
        if text is None:
            near = nearest(str(name), self.names())
            raise NotFound("template", name, code="template-not-found", hint=near if near.startswith("did") else "")
        found: dict[str, Any] = json.loads(text)
        return found

    @lists_fields(DesignFields)
    def design(self, name: str, content: str, **fields: Unpack[DesignFields]) -> Design:
        """Return a design based on a template.

        Args:
            name: The name of the template.
            content: The text to encode.
            **fields: Fields of `Design` that override the fields of the template.

        Raises:
            NotFound: If no template has this name.
            InvalidParameter: If a field is invalid.
        """
        given = Design(content=content, **fields).model_dump(mode="json", exclude_unset=True, exclude_none=True)
        known, _ = Design.known(merged(self.get(name), given))
        return Design(**known)

    def _check(self, fields: Mapping[str, Any]) -> None:
        """Check the fields of a template when the template is saved, by the rules of a generate request."""
        asked = read_post(merged({"content": "0"}, fields), self.get)
        if asked.unknown:
            # `Design` raises an error that lists all unknown fields with suggestions.
            Design(content="0", **{name: fields[name] for name in fields if name not in ("content", *REQUEST_FIELDS)})
            raise UnknownParameter(asked.unknown[0], None, [*Design.model_fields, *REQUEST_FIELDS])

    def names(self) -> list[str]:
        """Return the names of all templates, sorted."""
        return table.template_names(self._store, self._account_id)

    def delete(self, name: str) -> None:
        """Delete a template.

        Raises:
            NotFound: If no template has this name.
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
    """Return whether the name is a text that can be encoded as UTF-8; a text with a lone surrogate cannot."""
    return isinstance(name, str) and name.encode("utf-8", "ignore").decode("utf-8") == name
