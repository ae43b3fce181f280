"""Writes the page that documents the HTTP interface, from its OpenAPI description.

The page loads nothing and needs no scripts. Its examples are those of the description, for curl and for Python.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

if TYPE_CHECKING:
    from jinja2 import Template

Described = Mapping[str, Any]

CHAPTERS = {
    "Pictures": ("/api/v3/generate", "/api/v3/decode", "/api/v3/check"),
    "QR Codes": ("/api/v3/track/qrcode",),
    "Campaigns": ("/api/v3/track/campaign",),
    "Lists and files": ("/api/v3/track/",),
    "Short URLs": ("/{code}",),
    "The service": ("/api/v3/",),
}
"""Chapters of the page, and how the paths of their operations begin; an operation is in the first that fits."""
FORMATS = {"date-time": "date and time", "uri": "URL", "binary": "bytes", "color": "color"}
TYPES = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "object": "object",
}
PROBLEM = {
    "type": "urn:qrkit:problem:out-of-range",
    "status": 400,
    "title": "Bad Request",
    "detail": "size=99: must be in 1..20 pixels per module",
    "code": "out-of-range",
    "errors": [{"pointer": "/size", "reason": "must be in 1..20 pixels per module", "code": "out-of-range"}],
}
"""A failure, as the page shows it."""
KEY = "API key"
"""What the page says that an operation needs if only accounts may use it."""
FILES = {"import_file": "posters.csv", "decode_picture": "code.png"}
"""The file that the example of an operation sends."""
SAVED = {"generate": "code.svg", "generate_decorated": "code.svg", "export": "portfolio.csv", "picture": "code.png"}
"""The file that the example of an operation saves the reply in."""
MOST_CHOICES = 16
"""Number of choices that are shown at once; longer lists are folded."""


class Part(NamedTuple):
    """A part of the words for a type; `schema` is the name of the object that it links to."""

    text: str
    schema: str = ""


class Field(NamedTuple):
    """A parameter, or a field of an object: its kind of values, the choices, what it means, and its default or ""."""

    name: str
    kind: tuple[Part, ...]
    choices: tuple[str, ...]
    is_required: bool
    about: str
    default: str


class Content(NamedTuple):
    """The body of a request or a reply. It has fields if it is an object without a name; an example is JSON, or ""."""

    media_types: tuple[str, ...]
    kind: tuple[Part, ...]
    fields: tuple[Field, ...]
    example: str


class Operation(NamedTuple):
    """An operation of the interface, as the page shows it."""

    id: str
    method: str
    path: str
    summary: str
    about: tuple[str, ...]
    key: str
    parameters: tuple[Field, ...]
    sent: tuple[Content, ...]
    answered: tuple[Content, ...]
    headers: tuple[Field, ...]
    curl: str
    python: str


class Thing(NamedTuple):
    """An object that bodies contain; `kind` says which objects it may be if it is a choice between several."""

    name: str
    about: str
    kind: tuple[Part, ...]
    fields: tuple[Field, ...]


@lru_cache(maxsize=4)
def docs_page(description: bytes) -> bytes:
    """Return the page for an OpenAPI description."""
    described = json.loads(description)
    chapters: dict[str, list[Operation]] = {title: [] for title in CHAPTERS}
    for operation in sorted(_operations(described), key=lambda one: one.path.count("/")):
        chapters[_chapter(operation.path)].append(operation)
    page = template("docs.html.jinja").render(
        info=described["info"],
        url=described["servers"][0]["url"],
        chapters=chapters,
        things=[*_things(described["components"]["schemas"])],
        most_choices=MOST_CHOICES,
        problem=json.dumps(PROBLEM, indent=2),
        css=page_file("theme.css") + page_file("docs.css"),
    )
    return page.encode()


def page_file(name: str) -> str:
    """Return the text of a file that pages are made of."""
    return files("qrkit.server.pages").joinpath(name).read_text(encoding="utf-8")


@cache
def template(name: str) -> Template:
    """Load a template on first use."""
    from jinja2 import Environment, StrictUndefined  # 5 MB that most servers never need

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(page_file(name))


def _chapter(path: str) -> str:
    return next(title for title, beginnings in CHAPTERS.items() if path.startswith(beginnings))


def _operations(described: Described) -> Iterator[Operation]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            sent = _contents(operation.get("requestBody", {}))
            replied, parameters = operation["responses"]["200"], operation["parameters"]
            headers = replied.get("headers", {})
            yield Operation(
                operation["operationId"],
                method.upper(),
                path,
                operation["summary"],
                tuple(operation.get("description", "").split("\n\n")),
                _key(operation["security"]),
                tuple(_field(one["name"], one["schema"], is_required=one["required"]) for one in parameters),
                sent,
                _contents(replied),
                tuple(_field(name, one["schema"], about=one["description"]) for name, one in headers.items()),
                *_samples(described["servers"][0]["url"], path, method.upper(), operation, sent),
            )


def _key(security: list[Described]) -> str:
    if not security:
        return ""
    return "API key optional" if {} in security else KEY


def _things(schemas: Described) -> Iterator[Thing]:
    for name, schema in sorted(schemas.items()):
        kind = () if "properties" in schema else tuple(_kind(schema))
        yield Thing(name, schema.get("description", ""), kind, _fields(schema))


def _fields(schema: Described) -> tuple[Field, ...]:
    required = schema.get("required", ())
    return tuple(_field(name, one, is_required=name in required) for name, one in schema.get("properties", {}).items())


def _field(name: str, schema: Described, *, is_required: bool = False, about: str = "") -> Field:
    value = schema.get("default", "")
    default = value if isinstance(value, str) else json.dumps(value)
    shown = about or schema.get("description", "")
    return Field(name, tuple(_kind(schema)), tuple(_choices(schema)), is_required, shown, default)


def _contents(body: Described) -> tuple[Content, ...]:
    """Return the bodies of a request or a reply; media types with the same schema are one entry."""
    found: dict[str, Content] = {}
    for media_type, one in body.get("content", {}).items():
        schema, example = one["schema"], one.get("example")
        shown = "" if example is None else json.dumps(example, indent=2, ensure_ascii=False)
        key = json.dumps(schema)
        others = found[key].media_types if key in found else ()
        found[key] = Content((*others, media_type), tuple(_kind(schema)), _fields(_item(schema)), shown)
    return tuple(found.values())


def _item(schema: Described) -> Described:
    """Return the schema of the items of a list; any other schema unchanged."""
    return schema["items"] if schema.get("type") == "array" else schema


def _kind(schema: Described) -> Iterator[Part]:
    """Say in words what values a schema takes. Null is left out, because it means the same as no value."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield Part(name, name)
    elif "anyOf" in schema or "oneOf" in schema:
        others = [one for one in schema.get("anyOf") or schema["oneOf"] if one.get("type") != "null"]
        for number, one in enumerate(others):
            yield from [Part(" or ")] if number else []
            yield from _kind(one)
    elif schema.get("type") == "array":
        yield Part("list of ")
        yield from _kind(schema.get("items", {"type": "object"}))
    else:
        yield Part(_simple_kind(schema))


def _simple_kind(schema: Described) -> str:
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return "one of"
    named = schema.get("type", "object")
    kinds = [named] if isinstance(named, str) else [one for one in named if one != "null"]
    words = FORMATS.get(schema.get("format", "")) or " or ".join(TYPES[one] for one in kinds)
    bounds = _bounds(schema)
    return f"{words}, {bounds}" if bounds else words


def _bounds(schema: Described) -> str:
    if "minimum" in schema and "maximum" in schema:
        return f"{schema['minimum']:g} to {schema['maximum']:,g}"
    if "minimum" in schema:
        return f"at least {schema['minimum']:g}"
    return f"at most {schema['maxLength']:,} characters" if "maxLength" in schema else ""


def _choices(schema: Described) -> Iterator[str]:
    yield from (str(one) for one in schema.get("enum", ()))
    for one in schema.get("anyOf", ()):
        yield from _choices(one)


# ---- examples


def _samples(url: str, path: str, method: str, operation: Described, sent: tuple[Content, ...]) -> tuple[str, str]:
    """Return how to call an operation with curl and with Python."""
    query = {one["name"]: one["example"] for one in operation["parameters"] if "example" in one}
    for one in operation["parameters"]:
        if one["in"] == "path":
            path = path.replace(f"{{{one['name']}}}", query.pop(one["name"]))
    body = next((one.example for one in sent if one.example), "")
    file, saved = (names.get(operation["operationId"], "") for names in (FILES, SAVED))
    needs_key = _key(operation["security"]) == KEY
    is_plain = method == "GET" or (method == "POST" and (body or file))
    address = quote(f"{url}{path}?{urlencode(query)}" if query else f"{url}{path}")

    curl = [f"curl {address}" if is_plain else f"curl -X {method} {address}"]
    curl += ['-H "Authorization: Bearer $QRKIT_KEY"'] if needs_key else []
    curl += ['-H "Content-Type: application/json"', f"-d {quote(body)}"] if body else []
    curl += [f"--data-binary @{file}"] if file else []
    curl += [f"-o {saved}"] if saved else []

    arguments = [json.dumps(f"{url}{path}")]
    arguments += [f"params={json.dumps(query)}"] if query else []
    arguments += ['headers={"Authorization": f"Bearer {key}"}'] if needs_key else []
    arguments += [f"json={json.dumps(json.loads(body), indent=4)}"] if body else []
    arguments += [f'data=open("{file}", "rb")'] if file else []
    inner = ",\n".join(arguments).replace("\n", "\n    ")
    python = [f"reply = requests.{method.lower()}(\n    {inner},\n)", "reply.raise_for_status()"]
    if saved:
        python.append(f'Path("{saved}").write_bytes(reply.content)')
    elif "application/json" in operation["responses"]["200"].get("content", {}):
        python.append("print(reply.json())")
    return " \\\n  ".join(curl), "\n".join(python)
