"""Builds the OpenAPI 3.1 description from the routes and from the models that validate requests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import fields
from functools import cache
from importlib.resources import files
from inspect import getdoc
from typing import TYPE_CHECKING, Any

from qrkit.design.limits import FORMATS, TEXT_STYLES
from qrkit.design.picture_files import PIXEL_FORMATS
from qrkit.drawing.writers import FORMATS as WRITERS
from qrkit.drawing.writers import Format
from qrkit.exchange import EXPORT_FORMATS, IMAGE_FORMATS, IMPORT_FORMATS, IN_SIZE, ImportFormat
from qrkit.exchange.scan_file import SCAN_FORMATS, ScanFormat
from qrkit.model import meaning
from qrkit.pictures.generate_request import GET_MODES
from qrkit.pictures.printing import PrintSize
from qrkit.scanning.scan_report import AUDIENCES, VERDICTS
from qrkit.server.description.schemas import PLACE, Schema, design_field, schemas
from qrkit.server.handlers.scannability import HTTP_LEVELS
from qrkit.server.handlers.track import MOST_A_PAGE
from qrkit.symbol.decode import Decoded
from qrkit.tracking.records import Properties
from qrkit.tracking.webhook import EVENT_KINDS
from qrkit.version import __version__

if TYPE_CHECKING:
    from qrkit.server.description.routes import Route


ABOUT = (
    "Design QR Codes, make them trackable behind short URLs, group them in campaigns, and read the scans.\n\n"
    "Every failure carries `X-Api-Error` (text) and `X-Api-Error-Code` (a stable word), and says more in its body "
    "(RFC 9457)."
)
TEXT: Schema = {"type": "string"}
BYTES: Schema = {"type": "string", "format": "binary"}
FLAG: Schema = {"type": "boolean", "default": False}
DATE: Schema = {"type": "string", "format": "date-time"}
URL: Schema = {"type": "string", "format": "uri"}
ID: Schema = {"type": "string", "pattern": "^[0-9a-f]{32}$"}
INTEGER: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}


def _text(description: str, **more: str) -> Schema:
    """Return the schema of a text."""
    return {"type": "string", **more, "description": description}


def _choice(names: Iterable[str], description: str = "", **default: str) -> Schema:
    """Return the schema of a text that is one of these names."""
    return {"type": "string", "enum": [*names], **default} | ({"description": description} if description else {})


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _object(optional: Schema | None = None, /, **properties: Schema) -> Schema:
    """Return the schema of an object with these required properties, and optional ones."""
    return {"type": "object", "required": list(properties), "properties": properties | (optional or {})}


def _json(schema: Schema) -> dict[str, Schema]:
    """Return the schema of a body by its media type."""
    return {"application/json": schema}


def _ref(model: str) -> Schema:
    return {"$ref": PLACE.format(model=model)}


PROBLEM: Schema = {"description": "RFC 9457 problem details"} | _object(
    {"errors": _list(_object(pointer=TEXT, reason=TEXT, code=TEXT))},
    type=TEXT,
    status=INTEGER,
    title=TEXT,
    detail=TEXT,
    code={"type": "string", "pattern": "^[a-z0-9-]+$"},
)


@cache
def describe(routes: tuple[Route, ...], base_url: str) -> bytes:
    """Return the OpenAPI description of these routes as JSON; `base_url` is the URL they are served under."""
    paths: dict[str, dict[str, Any]] = {}
    for route in (one for one in routes if not one.is_page):
        # OpenAPI cannot express that `urlinfo` may contain slashes.
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    described = {
        "openapi": "3.1.0",
        "info": {"title": "qrkit", "version": __version__, "description": ABOUT},
        "servers": [{"url": base_url}],
        "paths": paths,
        "components": {
            "schemas": {"Problem": PROBLEM} | schemas(PARAMETERS),
            "securitySchemes": {
                "auth": {"type": "apiKey", "in": "query", "name": "auth"},
                "bearer": {"type": "http", "scheme": "bearer"},
            },
        },
    }
    return json.dumps(described).encode()


def _operation(route: Route) -> dict[str, Any]:
    """Describe one method of one path."""
    names = re.findall(r"{(\w+)", route.path)
    summary, _, further = (getdoc(route.handler) or "").partition("\n")
    about = further.partition("Raises:")[0].strip().replace("\n\n", "\0").replace("\n", " ").replace("\0", "\n\n")
    operation: dict[str, Any] = {
        "operationId": f"{route.handler.__name__.strip('_')}{'_with_tail' if 'urlinfo' in names else ''}",
        "summary": summary.rstrip("."),
        **({"description": about} if about else {}),
        "parameters": [
            *(_path_parameter(name, route) for name in names),
            *(_query_parameter(name) for name in route.query),
        ],
        "responses": {
            "200": _content(REPLIES[route.reply], _examples()["replies"].get(route.reply)) | _counts(route),
            "default": {"description": "What went wrong", **_problem()},
        },
        "security": SECURITY[route.key],
    }
    if route.reply == "landing":
        operation["responses"]["302"] = {"description": "To the content", "headers": {"Location": {"schema": TEXT}}}
    if route.reply == "picture" and route.method == "GET":
        operation["responses"]["304"] = {"description": "Not changed: If-None-Match names its ETag"}
    if route.body:
        content = _content(BODIES[route.body], _examples()["bodies"].get(route.body))["content"]
        operation["requestBody"] = {"required": True, "content": content}
    return operation


@cache
def _examples() -> dict[str, dict[str, Any]]:
    """Return examples of the parts of paths, of parameters, bodies and replies, by the names that tables here use."""
    return dict(json.loads(files("qrkit.server.description").joinpath("examples.json").read_text(encoding="utf-8")))


SECURITY: dict[str, list[dict[str, list[str]]]] = {
    "none": [],
    "optional": [{}, {"auth": []}, {"bearer": []}],
    "required": [{"auth": []}, {"bearer": []}],
}


def _path_parameter(name: str, route: Route) -> dict[str, Any]:
    schema = PATH_PARAMETERS[name]
    if name == "ext":
        schema = _choice(EXTENSIONS[route.handler.__name__])
    example = _examples()["paths"].get(name) or schema["enum"][0]
    return {"name": name, "in": "path", "required": True, "schema": schema, "example": example}


EXTENSIONS: dict[str, Iterable[str]] = {
    "export": EXPORT_FORMATS,
    "export_for_print": IN_SIZE,
    "picture": ("png", "svg", "pdf"),
    "statistics": SCAN_FORMATS,
}
PATH_PARAMETERS: dict[str, Schema] = {
    "id": ID,
    "code": _text("a short code", pattern="^[0-9A-Za-z_-]{1,200}$"),
    "urlinfo": _text("a readable tail, which is ignored", pattern="^[^/?#%]+$"),
    "ext": TEXT,
    "gs1": _text("a key and qualifiers, as in a GS1 Digital Link: `01/09506000134352`", pattern="^[0-9]{2,4}/.+$"),
}


def sent_name(name: str) -> str:
    """Return the name of a query parameter in requests: several in `PARAMETERS` are sent as `format`."""
    return "format" if name.endswith("_format") else name


def _query_parameter(name: str) -> dict[str, Any]:
    schema = PARAMETERS.get(name) or design_field(name)
    named = sent_name(name)
    known = _examples()["parameters"]
    example = {"example": known[name]} if name in known else {}
    return {"name": named, "in": "query", "required": name in ("content", "file_format"), "schema": schema} | example


PRINT = PrintSize.model_json_schema()["properties"]
PARAMETERS: dict[str, Schema] = {
    "format": _choice(FORMATS, default="png"),
    "em": _choice(GET_MODES, meaning(Properties.model_fields["em"]), default="byte"),
    "style": _choice(TEXT_STYLES, "of txt", default="blocks"),
    "shorten": _text("a shortening service, `local` for this one; needs http(s) content"),
    "attachment": FLAG | {"description": "whether browsers save the image instead of showing it"},
    "filename": _text("suggested file name"),
    "keep": FLAG | {"description": "whether to keep its QR Codes, outside of any campaign"},
    "picture_format": _choice(PIXEL_FORMATS, "a hint; the bytes decide"),
    "file_format": _choice(
        IMPORT_FORMATS, "format of the file; a form with parts may give it in a field or by its file name instead"
    ),
    "columns": _text(
        "names of the columns in a csv or a workbook: `content=Website,name=Poster`; put a name with a comma in "
        "quotes; columns that qrkit knows and you do not name are then left out"
    ),
    "sheet": _text("name of the sheet of a workbook; by default, that with the headings"),
    "headerRow": _text(
        "row of the headings in a csv or a workbook: `3`; `3-4` for headings of two rows; `0` for a file without, "
        "whose columns are A, B, …; by default, the headings are found",
        pattern="^([0-9]+(-[0-9]+)?)?$",
    ),
    "encoding": _text("encoding of a csv, such as `cp1252`; by default, it is found"),
    "updateBy": _text(
        "what identifies existing QR Codes, so that rows update them instead of adding new ones: `name`, `shortUrl`, "
        "or the name of one of your own fields, such as `Poster ID`; it must be in the query string"
    ),
    "image_format": _choice(IMAGE_FORMATS, "format of the images in a zip"),
    "sizeMm": PRINT["sizeMm"],
    # Generated clients send defaults, and dots need a width.
    "dpi": {name: value for name, value in PRINT["dpi"].items() if name != "default"},
    "names": _text(
        "pattern of the paths of the images in a zip, such as `{campaign}/{name}` or `{number} {City}`, where `City` "
        "is a field of yours"
    ),
    "level": _choice(HTTP_LEVELS, "level of the check", default="standard"),
    "audience": _choice(
        AUDIENCES, "who must be able to read it: `phones`, or `all`, which adds embedded readers", default="phones"
    ),
    "limit": {
        "type": "integer",
        "minimum": 1,
        "maximum": MOST_A_PAGE,
        "description": "QR Codes on a page; without `limit` and `after`, everything is listed",
    },
    "after": ID | {"description": "ID of the last QR Code of the page before"},
    "kinds": _text(f"kinds of events, with commas: {', '.join(EVENT_KINDS)}; by default, all"),
    "raw": FLAG | {"description": "csv: do not escape text that a spreadsheet would run as a formula"},
}


def _content(schemas: dict[str, Schema], example: Any = None) -> dict[str, Any]:
    """Return a response or request body with its schema by media type, and an example of its JSON."""
    content = {kind: {"schema": schema} for kind, schema in schemas.items()}
    if example is not None:
        next(kind for name, kind in content.items() if name.endswith("json"))["example"] = example
    return {"description": "Success", "content": content} if content else {"description": "Success, without a body"}


def _counts(route: Route) -> dict[str, Any]:
    """Return the response headers that count what an import did."""
    if route.reply != "issues":
        return {}
    return {"headers": {name: {"schema": COUNT, "description": about} for name, about in IMPORT_HEADERS.items()}}


IMPORT_HEADERS = {
    "X-Created": "number of QR Codes that were added",
    "X-Updated": "number of QR Codes that were changed",
    "X-Skipped": "number of rows that were left out: duplicates, and rows with errors",
    "X-Warnings": "number of entries in the list",
}


def _problem() -> dict[str, Any]:
    # A browser that opens a short URL gets a page.
    return {"content": {"application/problem+json": {"schema": _ref("Problem")}, "text/html": {"schema": TEXT}}}


def _files(formats: Iterable[Format | ImportFormat | ScanFormat]) -> dict[str, Schema]:
    """Return schemas of files by media type. Bytes come first, because generated clients read all files as bytes."""
    kinds = [one.media_type.partition(";")[0] for one in formats]
    return {"application/octet-stream": BYTES} | {kind: ROWS if kind == "application/json" else BYTES for kind in kinds}


ROWS = _list({"type": "object"})


ISSUE = _object(
    code=TEXT,
    severity=_choice(("fatal", "error", "warning", "note")),
    where=TEXT,
    measured={"type": "number"},
    needed={"type": "number"},
    message=TEXT,
    fix={"type": ["object", "null"], "description": "fields of the design that remove it"},
    embedded={
        "anyOf": [_choice(("error", "warning")), {"type": "null"}],
        "description": "severity for embedded readers, if only they are concerned",
    },
)
# The Content-Type of an uploaded image is ignored, so generated clients need not know the media types of images.
FILE: dict[str, Schema] = {"application/octet-stream": BYTES}
UPLOAD = FILE | {"multipart/form-data": _object(file=BYTES)}
LINKSET: dict[str, Schema] = {
    "application/linkset+json": _object(linkset=_list(_object(anchor=URL, description=TEXT)) | {"minItems": 1})
}
BODIES: dict[str, dict[str, Schema]] = {
    "design": _json(_ref("DesignRequest")),
    "print": _json(_ref("PrintSize")),
    "picture": UPLOAD,
    "checked": _json(_ref("DesignRequest")) | UPLOAD,
    "qrcode": _json(_ref("NewQRCode")),
    "changes": _json(_ref("QRCodeChanges")),
    "campaign": _json(_ref("NewCampaign")),
    "conversion": _json(_ref("Conversion")),
    "webhook": _json(_ref("NewWebhook")),
    # Forms are left out: a form can contain the format, which makes the query parameter optional, and OpenAPI cannot
    # express that.
    "file": FILE,
    "linkset": LINKSET,
}

ATTEMPT = _object(
    {"status": INTEGER | {"description": "of the answer"}, "error": TEXT},
    time=DATE,
    event=TEXT | {"description": "ID of the first event; 0 for a test"},
    events=COUNT,
    milliseconds=COUNT,
)
WEBHOOK = _object(id=ID, url=URL, kinds=_list(TEXT), created=DATE, active=FLAG)
SCAN = _object(
    verdict=_choice(VERDICTS),
    score=INTEGER | {"minimum": 0, "maximum": 100},
    level=_choice(HTTP_LEVELS),
    audience=_choice(AUDIENCES),
    phones=_choice(VERDICTS, "verdict for phones (simulated)"),
    embedded=_choice(VERDICTS, "verdict for embedded readers"),
    content=TEXT,
    place=TEXT | {"description": "frame or page that was judged; empty if there is only one"},
    others=_list(TEXT | {"description": "content of another QR Code in the picture"}),
    issues=_list(ISSUE),
    **{part: {"type": ["object", "null"]} for part in ("budget", "structure", "panel", "grade", "photo")},
)
DECODED = _object(
    {"part": _object(number=INTEGER, of=INTEGER)},
    **{one.name: INTEGER if "int" in str(one.type) else TEXT for one in fields(Decoded) if one.name != "part"},
)
LISTED = _object(
    {"next": ID | {"description": "the `after` of the next page; absent on the last page"}},
    campaigns=_list(_ref("Campaign")),
    qrcodes=_list(_ref("QRCode")),
)
REPLIES: dict[str, dict[str, Schema]] = {
    "webhook": _json(WEBHOOK),
    "webhooks": _json(_list(WEBHOOK)),
    "attempt": _json(ATTEMPT),
    "attempts": _json(_object(log=_list(ATTEMPT), dead=ROWS)),
    "stream": {"text/event-stream": TEXT},
    "replayed": _json(_object(replayed=COUNT)),
    "nothing": {},
    "scan": _json(SCAN),
    "picture": _files(WRITERS.values()),
    "decoded": _json(DECODED),
    "qrcode": _json(_ref("QRCode")),
    "campaign": _json(_ref("Campaign")),
    "made": _json(_object(id=ID, created=DATE)),
    "added": _json(_object({"shortUrl": URL, "imageUrl": URL}, id=ID, created=DATE)),
    "file": _files(EXPORT_FORMATS.values()),
    "linkset": LINKSET,
    "set": _json(_object(id=ID, shortUrl=URL)),
    "issues": _json(_list(_object(campaign=TEXT, name=TEXT, content=TEXT, error=TEXT))),
    "list": _json(LISTED),
    "scans": _files(SCAN_FORMATS.values()),
    "description": _json({"type": "object"}),
    "health": _json(_object(status=TEXT, version=TEXT, lost=INTEGER, late=INTEGER)),
    "live": _json(_object(status=TEXT)),
    "landing": {"text/html": TEXT, "text/plain": TEXT, "text/vcard": TEXT, "text/calendar": TEXT},
    "page": {"text/html": TEXT},
}
