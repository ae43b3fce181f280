"""`Templates`: the stored designs of one account, which generate requests can build on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import count
from typing import Any, ClassVar, Unpack

from qrkit.design.design import Design, DesignFields, lists_fields
from qrkit.drawing.resizing import pinned
from qrkit.errors import InvalidParameter, Problem, UnknownParameter, first_of, nearest
from qrkit.model import plain
from qrkit.pictures.generate_request import REQUEST_FIELDS, SYMBOL_SIDE, merged, placed, read_post
from qrkit.portfolio.saved import Saved
from qrkit.store.records import drawing_templates
from qrkit.store.records import templates as table
from qrkit.store.records.templates import SavedIn
from qrkit.symbol.encode import symbol_of

__all__ = ["Templates", "design_from", "template_fields"]

MOST_CHARACTERS = 12_000_000
"""The maximum length of a template as JSON: enough for the embedded pictures and all other fields."""
MOST_NAMED = 3
"""The number of users of a template that an error names."""


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
        self._write(name, self._text(template))

    def save_beside(self, name: str, template: Design | Mapping[str, Any]) -> str:
        """Save a template without replacing another one, and return its name.

        Args:
            name: The name of the template, 1..100 characters. If a template with other fields has it, the name becomes
                `NAME 2`, `NAME 3` and so on.
            template: As in `save`.

        Returns:
            The name of the template that has these fields now, which may have had them before.

        Raises:
            InvalidParameter: As in `save`.
            UnknownParameter: As in `save`.
            ContentTooLong: As in `save`.
        """
        self._check_name(name)
        text = self._text(template)
        for number in count(1):
            chosen = name if number == 1 else f"{name} {number}"
            if chosen not in self:
                self._check_name(chosen)
                self._write(chosen, text)
                break
            if self.get(chosen) == json.loads(text):
                break
        return chosen

    def _text(self, template: Design | Mapping[str, Any]) -> str:
        """Return the fields of a template as JSON, after checking them."""
        if isinstance(template, Design):
            fields = template_fields(template)
        elif not isinstance(template, Mapping):
            rule = "must be a Design, or a dict of its fields"
            raise InvalidParameter(Problem("template", template, rule, "wrong-type"))
        elif "template" in template:
            rule = "a template cannot build on another one"
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
        return text

    def get(self, name: str) -> dict[str, Any]:
        """Return the fields of a template, with the field names of the HTTP interface.

        Raises:
            NotFound: If no template has this name.
        """
        found: dict[str, Any] = json.loads(self._read(name))
        return found

    @property
    def default(self) -> str | None:
        """The name of the default template."""
        return table.current(self._store, self.stored_in, self._account_id)

    def delete(self, name: str, *, force: bool = False) -> None:
        """Delete a template.

        Args:
            name: The name of the template.
            force: Whether to delete a template that is in use. Campaigns and QR Codes then no longer name it.

        Raises:
            NotFound: If no template has this name.
            InvalidParameter: If the template is in use, and `force` is false.
        """
        with self._store.atomic():
            self._read(name)
            users = self._users(name)
            if users and not force:
                rule = f"is the template of {users}; give them another one first, or delete it with force"
                raise InvalidParameter(Problem("name", name, rule, "template-used"))
            super().delete(name)
            drawing_templates.leave_template(self._store, self._account_id, name)

    def check_known(self, name: str) -> None:
        """Check the template that a record names; "" is no template.

        Raises:
            InvalidParameter: If no template has this name.
        """
        if name != "" and name not in self:
            names = self.names()
            hint = nearest(str(name), names) if names else "the account has no templates"
            raise InvalidParameter(Problem("template", name, f"is not the name of a template; {hint}"))

    def _users(self, name: str) -> str:
        """Return what uses a template, in words; "" for nothing."""
        users = drawing_templates.template_users(self._store, self._account_id, name)
        words = [
            f"{kind}{'' if len(names) == 1 else 's'} {first_of([repr(one) for one in names], MOST_NAMED)}"
            for kind, names in (("campaign", users["campaigns"]), ("QR Code", users["qrcodes"]))
            if names
        ]
        return " and ".join((["the account by default"] if name == self.default else []) + words)

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
        return design_from(self.get(name), content, **fields)

    def _check(self, fields: Mapping[str, Any]) -> None:
        """Check the fields of a template when the template is saved, by the rules of a generate request."""
        asked = read_post(merged({"content": "0"}, fields), self.get)
        if asked.unknown:
            # `Design` raises an error that lists all unknown fields with suggestions.
            Design(content="0", **{name: fields[name] for name in fields if name not in ("content", *REQUEST_FIELDS)})
            raise UnknownParameter(asked.unknown[0], None, [*Design.model_fields, *REQUEST_FIELDS])


def template_fields(design: Design) -> dict[str, Any]:
    """Return the fields of a template that looks like a design: those that are set, except for the content."""
    kept = pinned(design) if design.layers else design
    placed = {SYMBOL_SIDE: symbol_of(kept).side} if design.layers else {}
    return kept.model_dump(mode="json", exclude_unset=True, exclude_none=True, exclude={"content"}) | placed


def design_from(template: Mapping[str, Any], content: str, **fields: Any) -> Design:
    """Return a design based on the fields of a template.

    Args:
        template: The fields, with the names of the HTTP interface.
        **fields: Fields of `Design` that override the fields of the template.

    Raises:
        InvalidParameter: If a field is invalid.
    """
    given = Design(content=content, **fields).model_dump(mode="json", exclude_unset=True, exclude_none=True)
    fields = merged(template, given)
    return placed(Design(**Design.known(fields)[0]), fields, template)
