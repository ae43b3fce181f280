"""The models that judge requests, as JSON schemas: those of records, and those of what is sent (ruling H7).

Clients that are generated from a schema send its defaults. Where an absent field is taken from elsewhere, from the
record as it is or from a template, a default would replace what is there: so only the description tells it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from inspect import getdoc
from typing import Any

from qrkit.design.design import Design
from qrkit.design.limits import FORMATS, GET_ONLY_FORMATS
from qrkit.model import Model
from qrkit.server.track_request import NOT_CHANGED, READ_ONLY
from qrkit.tracking.records import Campaign, QRCode

__all__ = ["PLACE", "Schema", "design_field", "schemas"]

Schema = dict[str, Any]

PLACE = "#/components/schemas/{model}"
NULL: Schema = {"type": "null"}
POSTED_FORMATS = [name for name in FORMATS if name not in GET_ONLY_FORMATS]


def schemas(parameters: dict[str, Schema]) -> dict[str, Schema]:
    """The schemas of requests and records by name; `parameters` are those of the query, which designs have, too."""
    records = _parts(QRCode) | _parts(Campaign)
    modes = records["Properties"]["properties"]["em"]
    modes["enum"] = [one.capitalize() for one in modes["enum"]]  # as records are stored (ruling T3)
    return _of_designs(parameters) | _of_sent_records(records) | {name: _merging(one) for name, one in records.items()}


def design_field(name: str) -> Schema:
    """A field of a design as a query has it, which knows no gradients."""
    found: Schema = _plain(Design.model_json_schema()["properties"][name])
    return found["oneOf"][0] if "oneOf" in found else found


def _of_designs(parameters: dict[str, Schema]) -> dict[str, Schema]:
    """What POST generate reads: a design, and what else it may say."""
    parts = _parts(Design)
    design = parts.pop("Design")
    design["properties"] |= {
        "em": parameters["em"],
        "format": parameters["format"] | {"enum": POSTED_FORMATS},
        "shorten": parameters["shorten"],
        "template": {"type": "string", "description": "name of a stored design, of which fields not sent are taken"},
    }
    parts["DesignRequest"] = design | {
        # A template may hold what is required.
        "required": [],
        "if": {"required": ["template"], "properties": {"template": {"type": "string", "minLength": 1}}},
        "else": {"required": ["content"], "properties": {"content": {"type": "string"}}},
    }
    merged = _reached("DesignRequest", parts)
    return {name: _nullable(_merging(one) if name in merged else one) for name, one in parts.items()}


def _of_sent_records(records: dict[str, Schema]) -> dict[str, Schema]:
    """What is sent of records: without what the service decides. In these, null is absent, while no reply has null."""
    sent = json.loads(re.sub(r'("\$ref": "[^"]+)', r"\1Input", json.dumps(records)))
    qrcode, campaign = sent.pop("QRCode"), sent.pop("Campaign")
    # Only records that the plan hides have no content.
    content = qrcode["properties"]["content"]
    content["minLength"] = 1
    del content["default"]
    changes = _without(qrcode, (*READ_ONLY, *NOT_CHANGED), required=[])
    changes["description"] = "Changes of a QR Code; what is absent or null stays as it is, in its parts, too."
    found = {f"{name}Input": one for name, one in sent.items()} | {
        "NewQRCode": _without(qrcode, READ_ONLY, required=["content"]),
        "QRCodeChanges": changes,
        "NewCampaign": _without(campaign, ("id", "created"), required=["name"]),
    }
    merged = {"NewCampaign", *_reached("QRCodeChanges", found)}
    return {name: _nullable(_merging(one) if name in merged else one) for name, one in found.items()}


def _parts(model: type[Model]) -> dict[str, Schema]:
    """A model and all models in it, by name."""
    schema: Schema = _plain(model.model_json_schema(ref_template=PLACE))
    parts: dict[str, Schema] = schema.pop("$defs", {})
    for name, words in _attributes(model).items():
        if name in model.model_fields:
            schema["properties"][str(model.model_fields[name].alias)].setdefault("description", words)
    return parts | {model.__name__: schema}


def _reached(name: str, parts: dict[str, Schema]) -> set[str]:
    """The objects whose absent fields are taken from elsewhere: lists and gradients are replaced as a whole."""
    inner = (one["$ref"].rpartition("/")[2] for one in parts[name]["properties"].values() if "$ref" in one)
    return {name}.union(*(_reached(one, parts) for one in inner))


def _without(schema: Schema, names: Iterable[str], *, required: list[str]) -> Schema:
    """A schema of what is sent: without what the service decides."""
    kept = {name: part for name, part in schema["properties"].items() if name not in tuple(names)}
    return schema | {"properties": kept, "required": required}


def _merging(schema: Schema) -> Schema:
    """An object whose absent fields are taken from elsewhere: defaults stand in the words alone."""
    return schema | {"properties": {name: _in_words(part) for name, part in schema["properties"].items()}}


def _in_words(part: Schema) -> Schema:
    kept = {name: value for name, value in part.items() if name != "default"}
    default = part.get("default", "")
    if default == "":
        return kept
    shown = default if isinstance(default, str) else json.dumps(default)
    words = [part["description"].rstrip(".")] if "description" in part else []
    return kept | {"description": "; ".join([*words, f"default: {shown}"])}


def _nullable(schema: Schema) -> Schema:
    """An object that is sent: null is absent in all of its fields that need not be there (ruling H5)."""
    needed = schema.get("required", ())
    return schema | {
        "properties": {name: part if name in needed else _or_null(part) for name, part in schema["properties"].items()}
    }


def _or_null(part: Schema) -> Schema:
    outside = ("description", "default")
    inner = {name: value for name, value in part.items() if name not in outside}
    return {"anyOf": [inner, NULL]} | {name: part[name] for name in outside if name in part}


def _plain(schema: Any) -> Any:
    """A schema without pydantic's ornaments; absent is written as absent, never as null (ruling T3)."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kinds = [one for one in schema.get("anyOf", ()) if one != NULL]
    if len(kinds) == 1:
        schema = {name: part for name, part in schema.items() if name != "anyOf"} | kinds[0]
    ornaments = ("title", "additionalProperties", "default")
    kept = {name: part for name, part in schema.items() if name not in ornaments or _is_field(name, part)}
    if isinstance(kept.get("description"), str):
        kept["description"] = _worded(kept["description"].partition("\n")[0])
    return {name: _plain(part) for name, part in kept.items()}


def _is_field(name: str, part: Any) -> bool:
    """Whether it is a property of this name, or a default that is worth telling: a number, a word, a choice."""
    return isinstance(part, dict) and "type" in part if name != "default" else isinstance(part, int | float | str)


def _attributes(model: type[Model]) -> dict[str, str]:
    """What the docstring of a model says of its fields, by their names in Python."""
    found = re.findall(r"^    (\w+): (.+(?:\n {8}.+)*)$", getdoc(model) or "", re.MULTILINE)
    return {name: _worded(words) for name, words in found}


def _worded(words: str) -> str:
    """A sentence on one line, without the ids of our rulings."""
    return re.sub(r" \(rulings? [^)]*\)", "", " ".join(words.split()))
