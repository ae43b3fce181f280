"""What a request to generate asks for beside the design: format, file name, shortening (rulings G4 to G7, G19)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from qrkit.design import Design
from qrkit.errors import InvalidParameter, Problem, collecting, nearest
from qrkit.limits import FORMAT_ALIASES, FORMATS, GET_ONLY_FORMATS, TEXT_STYLES, TextStyle
from qrkit.reading import flag, whole

__all__ = [
    "FileNames",
    "GenerateRequest",
    "Shortener",
    "Templates",
    "content_disposition",
    "merged",
    "read_get",
    "read_post",
    "safe_name",
    "safe_stem",
]

Shortener = Callable[[str], str]
"""A hyperlink shortening service: a URL in, a short URL out."""

Templates = Callable[[str], Mapping[str, Any]]
"""The template of a name, as JSON; raises `NotFound`."""

GET_FIELDS = ("content", "version", "size", "padding", "em", "ec", "foreground", "background")
"""Fields of a design that the query string may hold (interface.md)."""
GET_MODES = ("byte", "numeric", "alphanumeric")
WHOLE = ("version", "size", "padding")
LONGEST_NAME = 100
MOST_NAME_BYTES = 200
"""File systems take 255 bytes, suffix included."""
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
"""Names that Windows keeps for devices, with any suffix."""


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
        unknown: Paths of fields that were sent and are not known (ruling H2).
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


def read_get(parameters: Mapping[str, str]) -> GenerateRequest:
    """Read the parameters of GET generate; unknown ones are ignored (ruling H2).

    Args:
        parameters: Name to text, without empty values.

    Raises:
        InvalidParameter: Parameters break rules; all that do are named.
    """
    problems: list[Problem] = []
    fields: dict[str, Any] = {name: text for name, text in parameters.items() if name in GET_FIELDS}
    for name in (name for name in WHOLE if name in fields):
        text = fields.pop(name)
        with collecting(problems):
            fields[name] = whole(text, name)
    chosen: dict[str, Any] = {}
    with collecting(problems):
        fields["em"] = _one_of("em", fields.pop("em", "byte"), GET_MODES)
    with collecting(problems):
        chosen["design"] = Design(**fields)
    with collecting(problems):
        name = parameters.get("format", "png").lower()
        chosen["format"] = _one_of("format", FORMAT_ALIASES.get(name, name), FORMATS)
    with collecting(problems):
        chosen["style"] = _one_of("style", parameters.get("style", "blocks"), TEXT_STYLES)
    with collecting(problems):
        chosen["attachment"] = flag(parameters.get("attachment", "false"), "attachment")
    if problems:
        raise InvalidParameter(*problems)
    shorten = parameters.get("shorten", "")
    return GenerateRequest(
        **chosen, shorten="" if shorten.lower() == "none" else shorten, filename=parameters.get("filename", "")
    )


def read_post(fields: Mapping[str, Any], templates: Templates) -> GenerateRequest:
    """Read the fields of POST generate; unknown ones are ignored and told (ruling H2).

    Args:
        fields: The JSON object of the body.
        templates: Where the template that it names is (ruling G18).

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
        known["em"] = _one_of("em", mode, GET_MODES) if isinstance(mode, str) else mode
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
    """A template with fields over it: objects merge deeply, anything else replaces, nothing leaves it (ruling G18)."""
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
    return _one_of("format", key, posted)


def _text(name: str, fields: Mapping[str, Any]) -> str:
    """The text of a field, empty where it is absent (ruling H5)."""
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidParameter(Problem(name, value, "must be a text", "wrong-type"))
    return value


def _one_of(name: str, value: str, allowed: Collection[str]) -> str:
    if value.lower() not in allowed:
        raise InvalidParameter(Problem(name, value, f"must be one of {', '.join(allowed)}"))
    return value.lower()


def safe_name(filename: str, suffix: str) -> str:
    """The last part of a file name, without what file systems or headers mind, with the right suffix (G7)."""
    last = _visible(PurePosixPath(filename.replace("\\", "/")).name).strip()
    if last.lower().endswith(f".{suffix}"):
        last = last[: -len(suffix) - 1]
    return f"{safe_stem(last)}.{suffix}"


def safe_stem(name: str) -> str:
    """A name that can be a file or folder everywhere: at most 100 characters, `qrcode` where nothing is left."""
    cut = re.sub(r'[<>:"/\\|?*]', "_", _visible(name))[:LONGEST_NAME].encode()[:MOST_NAME_BYTES].decode(errors="ignore")
    stem = cut.strip(" .") or "qrcode"
    return f"_{stem}" if _DEVICE.match(stem) else stem


class FileNames:
    """Names of files, numbered where another has it: no two are the same on any file system.

    Args:
        suffix: Of all of them, without its dot.
        taken: Names that are not free, with their suffix.
    """

    def __init__(self, suffix: str, *, taken: Collection[str] = ()) -> None:
        self._suffix = suffix
        self._used = {_on_disk(name) for name in taken}
        self._last: dict[str, int] = {}

    def name_for(self, stem: str) -> str:
        """A name that is free and begins with a stem, which is safe and has no suffix."""
        number = self._last.get(_on_disk(stem), 1)
        found = f"{stem}.{self._suffix}" if number == 1 else f"{stem} ({number}).{self._suffix}"
        while _on_disk(found) in self._used:
            number += 1
            found = f"{stem} ({number}).{self._suffix}"
        if number > 1:
            self._last[_on_disk(stem)] = number
        self._used.add(_on_disk(found))
        return found


def _on_disk(name: str) -> str:
    """What is the same for names that some file system takes as one: capitals, and accents in one part or two."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _visible(text: str) -> str:
    """The text without characters that control lines or direction, and those that are none."""
    return "".join(one for one in text if unicodedata.category(one) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


def content_disposition(request: GenerateRequest) -> str:
    """The header of that name, by RFC 6266 with RFC 8187 for names beyond ASCII (ruling G7)."""
    if not request.attachment:
        return "inline"
    name = safe_name(request.filename, request.format)
    plain = "".join(character if character.isascii() else "_" for character in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
