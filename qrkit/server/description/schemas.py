"""Converts the models that validate requests to JSON schemas: for records, and for request bodies.

Some generated clients send the defaults of a schema, which would overwrite values of the existing record or of a
template; others require the fields that have a default. So only the descriptions of fields mention their defaults.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from qrkit.contents.kinds import MODULES, kind_named
from qrkit.design.design import Design
from qrkit.design.limits import FORMATS, GET_ONLY_FORMATS
from qrkit.model import Model
from qrkit.pictures.printing import PrintSize
from qrkit.server.requests.track_request import NOT_CHANGED, READ_ONLY
from qrkit.tracking.conversion import Conversion
from qrkit.tracking.records import Campaign, QRCode
from qrkit.tracking.webhook import NewWebhook

Schema = dict[str, Any]

PLACE = "#/components/schemas/{model}"
NULL: Schema = {"type": "null"}
POSTED_FORMATS = [name for name in FORMATS if name not in GET_ONLY_FORMATS]


def schemas(parameters: dict[str, Schema]) -> dict[str, Schema]:
    """Return all schemas by name; `parameters` are the query parameters that are also fields of designs."""
    records = _parts(QRCode) | _parts(Campaign)
    modes = records["Properties"]["properties"]["em"]
    modes["enum"] = [one.capitalize() for one in modes["enum"]]  # records are stored with capitalized modes
    found = _of_kinds() | _of_designs(parameters) | _of_sent_records(records) | records
    found["NewWebhook"] = _nullable(_parts(NewWebhook)["NewWebhook"])
    found["Conversion"] = _nullable(_parts(Conversion)["Conversion"])
    found["Conversion"]["oneOf"] = [{"required": [name]} for name in ("clickId", "shortCode")]
    return {name: _without_defaults(one) for name, one in found.items()}


def design_field(name: str) -> Schema:
    """Return the schema of a design field in a query string, which cannot contain gradients."""
    schema: Schema = _plain(Design.model_json_schema()["properties"][name])
    color: Schema = schema.pop("oneOf", [{}])[0]
    return color | schema


def _of_kinds() -> dict[str, Schema]:
    """Return the schemas of contents that are described by their kind, and of the choice between them."""
    found: dict[str, Schema] = {}
    for name in MODULES:
        kind = kind_named(name)
        parts = _parts(kind.fields)
        schema = parts.pop(kind.fields.__name__)
        found |= {part: one | {"additionalProperties": False} for part, one in parts.items()}
        found[_schema_name(name)] = {
            "type": "object",
            "description": f"{kind.title}: {schema['description']}",
            "properties": {"kind": {"type": "string", "const": name}}
            | {field: _or_null(part) for field, part in schema["properties"].items()},
            "required": ["kind", *schema.get("required", ())],
            "additionalProperties": False,
        }
    references = {name: PLACE.format(model=_schema_name(name)) for name in MODULES}
    choice = {
        "oneOf": [{"$ref": reference} for reference in references.values()],
        "discriminator": {"propertyName": "kind", "mapping": references},
    }
    return found | {"ContentByKind": choice}


def _schema_name(kind: str) -> str:
    return "".join(part.capitalize() for part in kind.split("_")) + "Content"


def _text_or_kind(text: Schema) -> Schema:
    """Return the schema of a content: a text, or an object that describes it by its kind."""
    text = dict(text)
    about = text.pop("description", "")
    return {"description": about, "anyOf": [text, {"$ref": PLACE.format(model="ContentByKind")}]}


def _of_designs(parameters: dict[str, Schema]) -> dict[str, Schema]:
    """Return the schemas of a POST generate body: a design and its further fields."""
    parts = _parts(Design) | _parts(PrintSize)
    design, printed = parts.pop("Design"), parts["PrintSize"]["properties"]
    about = printed["profile"]["description"].replace("the path of a file, or ", "")
    printed["profile"] |= {"pattern": "^data:", "description": about}
    design["properties"] |= printed | {
        "em": parameters["em"],
        "format": parameters["format"] | {"enum": POSTED_FORMATS},
        "shorten": parameters["shorten"],
        "template": {"type": "string", "description": "name of a stored design that supplies the missing fields"},
    }
    design["properties"]["content"] = _text_or_kind(design["properties"]["content"])
    parts["DesignRequest"] = design | {
        # The required fields may come from a template.
        "required": [],
        "if": {"required": ["template"], "properties": {"template": {"type": "string", "minLength": 1}}},
        "else": {"required": ["content"], "properties": {"content": {"type": ["string", "object"]}}},
    }
    return {name: _nullable(one) for name, one in parts.items()}


def _of_sent_records(records: dict[str, Schema]) -> dict[str, Schema]:
    """Return the schemas of records in request bodies, without read-only fields; null means absent."""
    sent = json.loads(re.sub(r'("\$ref": "[^"]+)', r"\1Input", json.dumps(records)))
    qrcode, campaign = sent.pop("QRCode"), sent.pop("Campaign")
    # Only records that the plan hides have no content, so sent records require it.
    content = qrcode["properties"]["content"]
    content["minLength"] = 1
    del content["default"]
    qrcode["properties"]["content"] = _text_or_kind(content)
    for name in ("campaignId", "shortCode"):  # empty texts mean none
        pattern = qrcode["properties"][name]["pattern"]
        qrcode["properties"][name]["pattern"] = f"^({pattern.strip('^$')})?$"
    changes = _without(qrcode, (*READ_ONLY, *NOT_CHANGED), required=[])
    changes["description"] = "Changes of a QR Code; fields that are absent or null stay as they are."
    schemas = {f"{name}Input": schema for name, schema in sent.items()} | {
        "NewQRCode": _without(qrcode, READ_ONLY, required=["content"]),
        "QRCodeChanges": changes,
        "NewCampaign": _without(campaign, ("id", "created"), required=["name"]),
    }
    return {name: _nullable(schema) for name, schema in schemas.items()}


def _parts(model: type[Model]) -> dict[str, Schema]:
    """Return the schemas of a model and of all models in it, by name."""
    schema: Schema = _plain(model.model_json_schema(ref_template=PLACE))
    parts: dict[str, Schema] = schema.pop("$defs", {})
    return parts | {model.__name__: schema}


def _without(schema: Schema, names: Iterable[str], *, required: list[str]) -> Schema:
    """Return the schema without these fields, which the service sets."""
    kept = {name: part for name, part in schema["properties"].items() if name not in tuple(names)}
    return schema | {"properties": kept, "required": required}


def _without_defaults(schema: Schema) -> Schema:
    """Move the defaults of an object to the descriptions of its fields."""
    if "properties" not in schema:
        return schema
    return schema | {"properties": {name: _in_words(part) for name, part in schema["properties"].items()}}


def _in_words(part: Schema) -> Schema:
    kept = {name: value for name, value in part.items() if name != "default"}
    default = part.get("default", "")
    if default == "":
        return kept
    shown = default if isinstance(default, str) else json.dumps(default)
    return kept | {"description": " ".join(filter(None, (part.get("description"), f"Default: {shown}.")))}


def _nullable(schema: Schema) -> Schema:
    """Allow null in all optional fields of an object; null means absent."""
    needed = schema.get("required", ())
    return schema | {
        "properties": {name: part if name in needed else _or_null(part) for name, part in schema["properties"].items()}
    }


def _or_null(part: Schema) -> Schema:
    outside = ("description", "default")
    inner = {name: value for name, value in part.items() if name not in outside}
    return {"anyOf": [inner, NULL]} | {name: part[name] for name in outside if name in part}


def _plain(schema: Any) -> Any:
    """Remove pydantic's extras from a schema, including null: an absent field is left out, never null."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kinds = [one for one in schema.get("anyOf", ()) if one != NULL]
    if len(kinds) == 1:
        schema = kinds[0] | {name: part for name, part in schema.items() if name != "anyOf"}
    ornaments = ("title", "additionalProperties", "default")
    kept = {name: part for name, part in schema.items() if name not in ornaments or _is_field(name, part)}
    if isinstance(kept.get("description"), str):
        kept["description"] = kept["description"].partition("\n")[0]
    return {name: _plain(part) for name, part in kept.items()}


def _is_field(name: str, part: Any) -> bool:
    """Whether to keep a part of a schema: properties, and defaults that are numbers, strings or choices."""
    return isinstance(part, dict) and "type" in part if name != "default" else isinstance(part, int | float | str)
