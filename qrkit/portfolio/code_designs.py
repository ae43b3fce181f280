"""`CodeDesigns`: which design draws a tracked QR Code.

The template of the QR Code comes first, then that of its campaign, then the default of the account. Without any of
them, the QR Code is drawn with its properties.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Self

from qrkit.design.design import Design
from qrkit.design.frames import Caption, unset_rule
from qrkit.drawing.draw import picture_size
from qrkit.errors import ContentTooLong, InvalidParameter
from qrkit.model import plain
from qrkit.pictures.patterns import FIELD
from qrkit.portfolio.code_pictures import NEAREST, drawn
from qrkit.portfolio.templates import design_from, template_fields
from qrkit.store import Scans, Store
from qrkit.store.records import templates as table
from qrkit.store.records.drawing_templates import looks_of, used_templates
from qrkit.store.records.qrcodes import has_tags_or_fields
from qrkit.symbol import encode
from qrkit.tracking.records import Campaign, QRCode

LOOK = "look"
"""The name of the only template of `CodeDesigns.in_look`."""
SIZING = ("size", "width", "height", "padding")
"""Changes that move the layers of a template along with the symbol."""
CAPTION_FIELDS = ("name", "campaign", "short_url")
"""Names in braces for which a caption shows a field of the QR Code, as it does for the names of users' fields."""
LONGEST_LINE = 60
ELLIPSIS = "…"
SHORTER = 0.92
"""If a line does not fit its frame, it is cut to this share of its length and tried again."""


class CodeDesigns:
    """The designs of the QR Codes of an account. Create one object to draw many QR Codes.

    Campaigns are given by ID as name and template; `read` returns the fields of a template as JSON, or None if there is
    none; `field_names` returns the names of the users' fields that captions may show.
    """

    def __init__(
        self,
        default: str,
        campaigns: Mapping[str, tuple[str, str]],
        read: Callable[[str], str | None],
        field_names: Callable[[], Sequence[str]],
    ) -> None:
        self._default, self._campaigns, self._read = default, campaigns, read
        self.field_names = cache(field_names)
        self._fields: dict[str, Mapping[str, Any] | None] = {}

    @classmethod
    def of(cls, store: Store, account_id: str) -> Self:
        """Return the designs of an account in a store."""
        looks = looks_of(store, account_id)

        def read(name: str) -> str | None:
            if name not in looks.templates:
                text = table.get(store, "templates", account_id, name)
                if text is None:
                    return None
                looks.templates[name] = text
            return looks.templates[name]

        return cls(looks.default, looks.campaigns, read, Scans(store, account_id).field_names)

    @classmethod
    def from_text(cls, text: str, campaigns: Iterable[Campaign]) -> Self:
        """Return the designs that `looks_text` wrote for another process."""
        looks = json.loads(text)
        named = {one.id: (one.name, one.template) for one in campaigns}
        return cls(looks["default"], named, looks["templates"].get, lambda: looks["fields"])

    @classmethod
    def in_look(cls, look: Design, campaigns: Iterable[Campaign], field_names: Sequence[str] = ()) -> Self:
        """Return designs that draw every QR Code in the look of one design."""
        text = json.dumps(plain(template_fields(look), only_set=True))
        named = {one.id: (one.name, "") for one in campaigns}
        return cls(LOOK, named, {LOOK: text}.get, lambda: field_names)  # no other template is there

    def template_of(self, code: QRCode) -> str:
        """Return the name of the template that draws a QR Code; "" if its properties do."""
        names = (code.template, self._campaigns.get(code.campaign_id or "", ("", ""))[1], self._default)
        return next((name for name in names if name and self._template(name) is not None), "")

    def design(self, code: QRCode, *, template: str = "", **changes: Any) -> Design:
        """Return the design of a QR Code, of which the record has its URLs.

        A version or mode of the template that cannot hold the encoded text is replaced by one that can. Captions show
        the fields of the QR Code, cut if they are too long for their frame. Changes are fields of `Design` that take
        precedence, and are never adjusted.
        """
        design = self._unworded(code, template or self.template_of(code), changes)
        words = self._words(design, code)
        return _cut_to_fit(design, words) if words else design

    def shows_name(self, code: QRCode) -> bool:
        """Return True if the caption of a QR Code's picture shows its name."""
        design = self._unworded(code, self.template_of(code), {})
        caption = design.frame and design.frame.caption
        return bool(caption and "{name}" in caption.text)

    def is_cut(self, code: QRCode, design: Design) -> bool:
        """Return True if the caption of a QR Code's design, as `design` returns it, was cut to fit its frame."""
        caption = design.frame and design.frame.caption
        if not caption or ELLIPSIS not in f"{caption.text}{caption.subtitle}":
            return False
        words = self._words(self._unworded(code, self.template_of(code), {}), code)
        return any(getattr(caption, name) != text for name, text in words.items())

    def _unworded(self, code: QRCode, template: str, changes: Mapping[str, Any]) -> Design:
        """Return the design of a QR Code, with the fields in its caption as they are in the template."""
        fields = self._template(template)
        if fields is None:
            return drawn(code.encoded, code.properties, **changes)
        changes = Design.by_field(changes)
        sizes = {name: changes.pop(name) for name in SIZING if name in changes}
        design = _fitting(fields, code.encoded, changes)
        return design.replace(**sizes) if sizes else design

    def _template(self, name: str) -> Mapping[str, Any] | None:
        if name not in self._fields:
            text = self._read(name) if name else None
            self._fields[name] = None if text is None else json.loads(text)
        return self._fields[name]

    def _words(self, design: Design, code: QRCode) -> dict[str, str]:
        """Return the lines of a caption that contain fields, with the fields filled in."""
        caption = design.frame and design.frame.caption
        written = {name: getattr(caption, name) or "" for name in ("text", "subtitle")} if caption else {}
        campaign = self._campaigns.get(code.campaign_id or "", ("", ""))[0]
        values = {**code.fields, "name": code.name, "campaign": campaign, "short_url": code.short_url}

        def value(found: re.Match[str]) -> str:
            """Return the value of a field; "" for one that other QR Codes have, and other braces as they are."""
            if found[1] in values:
                return values[found[1]]
            return "" if found[1] in self.field_names() else found[0]

        filled = {name: FIELD.sub(value, text) for name, text in written.items()}
        return {name: _line(text) for name, text in filled.items() if text != written[name]}


def looks_text(store: Store, account_id: str) -> str:
    """Return what decides the designs of an account as text, for `CodeDesigns.from_text`."""
    names = Scans(store, account_id).field_names() if has_tags_or_fields(store, account_id) else []
    looks = {"default": looks_of(store, account_id).default, "templates": used_templates(store, account_id)}
    return json.dumps({**looks, "fields": names})


def _fitting(fields: Mapping[str, Any], content: str, changes: Mapping[str, Any]) -> Design:
    """Return the design of a template, with another version or mode if the content does not fit."""
    errors: list[InvalidParameter | ContentTooLong] = []
    for nearest in ({}, *NEAREST):
        try:
            design = design_from({**fields, **nearest}, content, **changes)
            encode.check_fits(design)
        except (InvalidParameter, ContentTooLong) as error:
            errors.append(error)
        else:
            return design
    raise errors[0]


def _line(text: str) -> str:
    """Return a text as a line of a caption, without characters that cannot be set."""
    line = " ".join(unicodedata.normalize("NFC", text).split())
    if unset_rule(line):
        line = " ".join("".join(letter for letter in line if not unset_rule(letter)).split())
    return line


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + ELLIPSIS


def _cut_to_fit(design: Design, words: Mapping[str, str]) -> Design:
    """Return a design with these lines in its caption, each cut until it fits the frame."""
    lines = {name: _cut(line, LONGEST_LINE) for name, line in words.items()}
    symbol = encode.symbol_of(design)
    while True:
        worded = _worded(design, lines)
        try:
            picture_size(worded, symbol)
        except InvalidParameter as error:
            line = error.name.rpartition(".")[2]
            if not error.name.startswith("frame.caption.") or len(lines.get(line, "")) <= 2:
                return worded  # it does not fit for another reason, which drawing it tells
            length = len(lines[line])
            lines[line] = _cut(words[line], min(length - 1, int(length * SHORTER)))
        else:
            return worded


def _worded(design: Design, lines: Mapping[str, str]) -> Design:
    """Return a design with these lines in its caption; a blank text leaves out the caption."""
    frame = design.frame
    if frame is None or frame.caption is None:
        return design
    caption: Caption | None = frame.caption.model_copy(update={name: text or None for name, text in lines.items()})
    caption = caption if caption and caption.text else None
    return design.model_copy(update={"frame": frame.model_copy(update={"caption": caption})})
