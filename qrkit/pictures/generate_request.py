"""Reads a request for one image from JSON: its design, format, file name and shortening."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qrkit.contents.kinds import make_from_json
from qrkit.design.color import WHITE, Color
from qrkit.design.design import Design
from qrkit.design.formats import WITHOUT_ALPHA
from qrkit.design.limits import FORMAT_ALIASES, FORMATS, GET_ONLY_FORMATS, RASTER_FORMATS, TextStyle
from qrkit.drawing.resizing import placed_for
from qrkit.errors import InvalidParameter, MissingParameter, Problem, collecting, nearest, raise_any
from qrkit.model import Model
from qrkit.pictures.inks import DATA_URI
from qrkit.pictures.printing import PrintSize

Shortener = Callable[[str], str]
"""A URL shortening service: takes a URL and returns a short URL."""

Templates = Callable[[str], Mapping[str, Any]]
"""Takes the name of a template and returns the template as JSON; raises `NotFound`."""

GET_MODES = ("byte", "numeric", "alphanumeric")

SYMBOL_SIDE = "symbolSide"
"""A field of templates: modules on a side of the symbol on which their layers were placed; none for plain pixels."""
REQUEST_FIELDS = ("format", "shorten", SYMBOL_SIDE)
"""Fields that a template may contain in addition to the fields of `Design`."""
PRINTED = tuple(field.alias for field in PrintSize.model_fields.values())
"""Fields of a size on paper."""


@dataclass(frozen=True, slots=True)
class GenerateRequest:
    """A request to generate one image.

    `print_size` is the JSON of `print_json`, empty for a size in pixels, and `shorten` the name of a service, or "". An
    attachment is saved instead of shown; `filename` is suggested for it. `unknown` has the paths of unknown fields.
    """

    design: Design
    format: str = "png"
    style: TextStyle = "blocks"
    print_size: str = ""
    shorten: str = ""
    attachment: bool = False
    filename: str = ""
    unknown: Sequence[str] = ()

    def shortened(self, services: Mapping[str, Shortener]) -> Design:
        """Return the design with its content shortened, if the request names a service."""
        if not self.shorten:
            return self.design
        if self.shorten not in services:
            rule = f"is not a shortening service of this server; {nearest(self.shorten, services)}"
            raise InvalidParameter(Problem("shorten", self.shorten, rule))
        content = self.design.content
        if not content.lower().startswith(("http://", "https://")):
            rule = "needs content that is a URL beginning with http or https"
            raise InvalidParameter(Problem("shorten", self.shorten, rule, "shorten-not-applicable"))
        # Layers of a request are measured in pixels of the picture that it asks for: they do not follow the symbol.
        return Model.replace(self.design, content=services[self.shorten](content))


def read_post(fields: Mapping[str, Any], templates: Templates) -> GenerateRequest:
    """Read the JSON object of `POST /generate`; the result lists unknown fields, and one error all invalid ones."""
    problems: list[Problem] = []
    template = fields
    with collecting(problems):
        if name := _text("template", fields):
            template = templates(name)
            fields = merged(template, fields)
    printed, _ = PrintSize.known(fields)
    asked = {name: value for name, value in fields.items() if name not in ("template", *REQUEST_FIELDS, *PRINTED)}
    with collecting(problems):
        asked = with_content(asked)
    known, unknown = Design.known(asked)
    if "content" not in known:
        problems += MissingParameter("content", unknown).problems
    if isinstance(known.get("content", {}), Mapping):
        known["content"] = "0"  # what is wrong with it is known; the other fields are still checked
    chosen: dict[str, Any] = {}
    with collecting(problems):
        known["em"] = choice("em", known.pop("em", "byte"), GET_MODES)
    with collecting(problems):
        chosen["design"] = placed(Design(**known), fields, template)
    with collecting(problems):
        chosen["format"] = _posted_format(_text("format", fields) or "png")
    with collecting(problems):
        shorten = _text("shorten", fields)
        chosen["shorten"] = "" if shorten.lower() == "none" else shorten
    with collecting(problems):
        chosen["print_size"] = print_json(printed) if printed else ""
    raise_any(problems)
    return GenerateRequest(**chosen, unknown=unknown)


def print_json(fields: Mapping[str, Any]) -> str:
    """Check the fields of a `PrintSize` and return them as JSON, from which a worker makes it.

    Reading the profile of a stranger may crash a process, so it and its spot colors are only checked there. It has to
    be a data URI, because a path would be one of the server.
    """
    PrintSize(**{name: value for name, value in fields.items() if name not in ("profile", "spots")})
    if not str(fields.get("profile", DATA_URI)).startswith(DATA_URI):
        rule = "must be a data URI: data:application/vnd.iccprofile;base64, and the bytes of the file in base64"
        raise InvalidParameter(Problem("profile", None, rule))
    return json.dumps(dict(fields))


def with_content(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a JSON object with a text in place of a content that is described by its kind."""
    content = fields.get("content")
    return dict(fields) | {"content": make_from_json(content)} if isinstance(content, Mapping) else dict(fields)


def in_format(design: Design, format: str) -> Design:
    """Return a design as a file of a format shows it, so that warnings are about the file.

    In a file of vectors, modules are elements of their own, unless the design says that they are one shape: clients of
    the HTTP interface read an SVG line by line, one module a line. A background is opaque where a format has no alpha.
    """
    modules, ground = design.modules, design.background
    if format in WITHOUT_ALPHA and isinstance(ground, Color) and not (design.wrapper or design.frame or design.photo):
        return design.replace(background=ground.opaque if ground.alpha else WHITE)
    is_as_asked = format in RASTER_FORMATS or modules.union is not None
    return design if is_as_asked else design.replace(modules=modules.replace(union=False))


def merged(template: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Merge fields into a template: objects are merged deeply, other values replace, null and "" change nothing.

    Layers of the fields are in pixels, wherever those of the template were placed.
    """
    result = dict(template)
    if fields.get("layers"):
        result.pop(SYMBOL_SIDE, None)
    for name, value in fields.items():
        below = result.get(name)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            # A gradient replaces another as a whole, because linear and radial ones have different fields.
            result[name] = dict(value) if "gradient" in value else merged(below, value)
        elif value is not None and value != "":
            result[name] = value
    return result


def placed(design: Design, fields: Mapping[str, Any], template: Mapping[str, Any]) -> Design:
    """Return the design of the merged fields, with the layers of its template in their places on the symbol."""
    side = fields.get(SYMBOL_SIDE)
    if side is None:
        return design
    sizes = {name: template.get(name) for name in ("size", "width", "height", "padding", "frame", "wrapper")}
    before, _ = Design.known({**fields, **sizes})
    return placed_for(design, Design(**before | {"content": design.content}), side)


def _posted_format(name: str) -> str:
    posted = [one for one in FORMATS if one not in GET_ONLY_FORMATS]
    key = FORMAT_ALIASES.get(name.lower(), name.lower())
    if key in GET_ONLY_FORMATS:
        rule = f"is only available with GET; POST supports {', '.join(posted)}"
        raise InvalidParameter(Problem("format", name, rule, "format-not-available"))
    return choice("format", key, posted)


def _text(name: str, fields: Mapping[str, Any]) -> str:
    """Return the text of a field, or an empty string if it is absent."""
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidParameter(Problem(name, value, "must be a text", "wrong-type"))
    return value


def choice(name: str, value: Any, allowed: Collection[str]) -> str:
    """Return the value of a field in lower case."""
    if not isinstance(value, str) or value.lower() not in allowed:
        raise InvalidParameter(Problem(name, value, f"must be one of {', '.join(allowed)}"))
    return value.lower()
