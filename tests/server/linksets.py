"""The JSON Schema of a linkset as a GS1-conformant resolver answers it (RFC 9264, and chapter 6 of the standard)."""

WEB = {"type": "string", "pattern": "^https?://"}
LINK = {
    "type": "object",
    "required": ["href", "title"],
    "properties": {
        "href": WEB,
        "title": {"type": "string", "minLength": 1},
        "type": {"type": "string", "pattern": "^[^/]+/[^/]+$"},
        "hreflang": {"type": "array", "items": {"type": "string", "minLength": 2}, "minItems": 1},
        "context": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "fwqs": {"type": "boolean"},
        "public": {"type": "boolean"},
    },
    "additionalProperties": False,
}
DEFAULT = "https://ref.gs1.org/voc/defaultLink"
ANCHORED = {
    "type": "object",
    "required": ["anchor", DEFAULT],
    "properties": {
        "anchor": {"type": "string", "pattern": "^https?://[a-zA-Z0-9.:/-]+$"},
        "description": {"type": "string"},
        DEFAULT: {"type": "array", "minItems": 1, "maxItems": 1, "items": LINK},
        f"{DEFAULT}Multi": {"type": "array", "minItems": 2, "items": LINK},
    },
    "patternProperties": {"^https?://": {"type": "array", "minItems": 1, "items": LINK}},
    "additionalProperties": False,
}
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["linkset"],
    "properties": {"linkset": {"type": "array", "minItems": 1, "items": ANCHORED}},
    "additionalProperties": False,
}
