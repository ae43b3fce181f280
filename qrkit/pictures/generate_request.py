"""A request for one picture: its design, format, file name and shortening, as JSON says it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qrkit.design.design import Design
from qrkit.design.limits import FORMAT_ALIASES, FORMATS, GET_ONLY_FORMATS, TextStyle
from qrkit.errors import InvalidParameter, Problem, collecting, nearest

__all__ = [
    "GET_MODES",
    "GenerateRequest",
    "Shortener",
    "Templates",
    "choice",
    "merged",
    "read_post",
]

Shortener = Callable[[str], str]
"""A hyperlink shortening service: a URL in, a short URL out."""

Templates = Callable[[str], Mapping[str, Any]]
"""The template of a name, as JSON; raises `NotFound`."""

GET_MODES = ("byte", "numeric", "alphanumeric")


@dataclass(frozen=True, slots=True)
class GenerateRequest:
    """A request to generate one picture.

    Attributes:
        design: What to draw.
        format: Name of the format.
        style: How txt is written.
        shorten: Name of a shortening service, or "".
        attachment: Whether the picture is to be saved, not shown.
        filename: Suggested name of the file, or "".
        unknown: Paths of fields that were sent and are not known.
    """

    design: Design
    format: str = "png"
    style: TextStyle = "blocks"
    shorten: str = ""
    attachment: bool = False
    filename: str = ""
    unknown: Sequence[str] = ()

    def shortened(self, services: Mapping[str, Shortener]) -> Design:
        """The design with its content shortened by the service asked for, if one is.

        Raises:
            InvalidParameter: The content is no http or https URL, or there is no such service.
        """
        if not self.shorten:
            return self.design
        if self.shorten not in services:
            rule = f"is not a shortening service here; {nearest(self.shorten, services)}"
            raise InvalidParameter(Problem("shorten", self.shorten, rule))
        content = self.design.content
        if not content.lower().startswith(("http://", "https://")):
            rule = "needs content that is a URL beginning with http or https"
            raise InvalidParameter(Problem("shorten", self.shorten, rule, "shorten-not-applicable"))
        return self.design.replace(content=services[self.shorten](content))


def read_post(fields: Mapping[str, Any], templates: Templates) -> GenerateRequest:
    """Read the fields of POST generate; unknown ones are ignored and told.

    Args:
        fields: The JSON object of the body.
        templates: Where the template that it names is.

    Raises:
        InvalidParameter: Fields break rules; all that do are named.
        NotFound: There is no template of this name.
    """
    problems: list[Problem] = []
    with collecting(problems):
        if name := _text("template", fields):
            fields = merged(templates(name), fields)
    asked = {name: value for name, value in fields.items() if name not in ("template", "format", "shorten")}
    known, unknown = Design.known(asked)
    chosen: dict[str, Any] = {}
    with collecting(problems):
        mode = known.pop("em", "byte")
        known["em"] = choice("em", mode, GET_MODES) if isinstance(mode, str) else mode
    with collecting(problems):
        chosen["design"] = Design(**known)
    with collecting(problems):
        chosen["format"] = _posted_format(_text("format", fields) or "png")
    with collecting(problems):
        shorten = _text("shorten", fields)
        chosen["shorten"] = "" if shorten.lower() == "none" else shorten
    if problems:
        raise InvalidParameter(*problems)
    return GenerateRequest(**chosen, unknown=unknown)


def merged(template: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """A template with fields over it: objects merge deeply, anything else replaces, nothing leaves it."""
    found = dict(template)
    for name, value in fields.items():
        below = found.get(name)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            # A gradient is one thing: its kinds have different fields.
            found[name] = dict(value) if "gradient" in value else merged(below, value)
        elif value is not None and value != "":
            found[name] = value
    return found


def _posted_format(name: str) -> str:
    posted = [one for one in FORMATS if one not in GET_ONLY_FORMATS]
    key = FORMAT_ALIASES.get(name.lower(), name.lower())
    if key in GET_ONLY_FORMATS:
        rule = f"is offered by GET only; by POST: {', '.join(posted)}"
        raise InvalidParameter(Problem("format", name, rule, "format-not-available"))
    return choice("format", key, posted)


def _text(name: str, fields: Mapping[str, Any]) -> str:
    """The text of a field, empty where it is absent."""
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidParameter(Problem(name, value, "must be a text", "wrong-type"))
    return value


def choice(name: str, value: str, allowed: Collection[str]) -> str:
    """The value of a field in lower case.

    Raises:
        InvalidParameter: If it is not one of the allowed values.
    """
    if value.lower() not in allowed:
        raise InvalidParameter(Problem(name, value, f"must be one of {', '.join(allowed)}"))
    return value.lower()
