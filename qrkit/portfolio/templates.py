"""`Templates`: the stored designs of one account, which generate requests can build on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Unpack

from qrkit.design.design import Design, DesignFields, lists_fields
from qrkit.drawing.resizing import pinned
from qrkit.errors import InvalidParameter, Problem, UnknownParameter
from qrkit.model import plain
from qrkit.pictures.generate_request import merged, read_post
from qrkit.portfolio.saved import Saved
from qrkit.store.templates import SavedIn

__all__ = ["Templates"]

MOST_CHARACTERS = 12_000_000
"""The maximum length of a template as JSON: enough for the embedded pictures and all other fields."""
REQUEST_FIELDS = ("format", "shorten")
"""Fields that a template may contain in addition to the fields of `Design`."""


class Templates(Saved):
    """The templates of one account, available as `Portfolio.templates`. Iterate to get the template names.

    Args:
        store: The store that contains the templates.
        account_id: ID of the account that owns the templates.
        clock: A function that returns the current time.
    """

    kind: ClassVar[str] = "template"
    stored_in: ClassVar[SavedIn] = "templates"

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
        self._check_name(name)
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
        self._write(name, text)

    def get(self, name: str) -> dict[str, Any]:
        """Return the fields of a template, with the field names of the HTTP interface.

        Raises:
            NotFound: If no template has this name.
        """
        found: dict[str, Any] = json.loads(self._read(name))
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
