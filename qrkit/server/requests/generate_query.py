"""Parses the query string of GET generate, and writes the header with the file name of the response."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from qrkit.contents.cards import summary
from qrkit.design.design import Design
from qrkit.design.limits import FORMAT_ALIASES, FORMATS, TEXT_STYLES
from qrkit.errors import Problem, collecting, raise_any
from qrkit.files import safe_name
from qrkit.pictures.generate_request import GET_MODES, GenerateRequest, choice
from qrkit.server.requests.parsing import flag, whole

GET_FIELDS = ("content", "version", "size", "padding", "em", "ec", "foreground", "background")
"""Fields of a design that the query string may contain."""
WHOLE = ("version", "size", "padding")


def read_get(parameters: Mapping[str, str]) -> GenerateRequest:
    """Parse the parameters of GET generate, which have no empty values; unknown ones are ignored."""
    problems: list[Problem] = []
    fields: dict[str, Any] = {name: text for name, text in parameters.items() if name in GET_FIELDS}
    for name in (name for name in WHOLE if fields.get(name, "auto").lower() != "auto"):
        text = fields.pop(name)
        with collecting(problems):
            fields[name] = whole(text, name)
    chosen: dict[str, Any] = {}
    with collecting(problems):
        fields["em"] = choice("em", fields.pop("em", "byte"), GET_MODES)
    with collecting(problems):
        chosen["design"] = Design(**fields)
    with collecting(problems):
        name = parameters.get("format", "png").lower()
        chosen["format"] = choice("format", FORMAT_ALIASES.get(name, name), FORMATS)
    with collecting(problems):
        chosen["style"] = choice("style", parameters.get("style", "blocks"), TEXT_STYLES)
    with collecting(problems):
        chosen["attachment"] = flag(parameters.get("attachment", "false"), "attachment")
    raise_any(problems)
    shorten = parameters.get("shorten", "")
    return GenerateRequest(
        **chosen, shorten="" if shorten.lower() == "none" else shorten, filename=parameters.get("filename", "")
    )


def content_disposition(request: GenerateRequest) -> str:
    """Return the value of `Content-Disposition`, by RFC 6266 with RFC 8187 for non-ASCII names."""
    if not request.attachment:
        return "inline"
    name = safe_name(summary(request.filename), request.format)
    plain = "".join(character if character.isascii() else "_" for character in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
