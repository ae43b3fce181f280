"""The description of the interface says what the service does: no more, no less (ruling H7)."""

import json
import re
from urllib.parse import urlencode

import pytest
import schemathesis
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter, ValidationError

from qrkit import open_portfolio
from qrkit.design.limits import FORMATS, GET_ONLY_FORMATS, MARKER_PATTERNS, MODULE_TYPES, SPRITE_NAMES
from qrkit.exchange import EXPORT_FORMATS
from qrkit.model import Model
from qrkit.server.description.routes import ROUTES
from qrkit.tracking.records import PLANS
from tests.server.test_statuses import API, BASE_URL, FIELDS, PNG, World

DESCRIBED = [route for route in ROUTES if not route.is_page]
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@pytest.fixture(scope="module")
def world():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        world = World(shop)
        for number in range(PLANS["free"].most_qrcodes + 1):
            world.free.insert_qrcode(f"https://example.com/{number}")
        yield world


@pytest.fixture
def renewed(world):
    """The world with records of its own for this test: another one may have deleted those that were there."""
    world.renew()
    return world


@pytest.fixture(scope="module")
def spec(world):
    reply = world.client.get(f"{API}/openapi.json")
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json; charset=utf-8")
    return reply.json()


def operations(spec):
    return {(method.upper(), path): one for path, item in spec["paths"].items() for method, one in item.items()}


def inside(value):
    """A value, and all that is in it."""
    yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from inside(one)


def resolved(spec, schema):
    while "$ref" in schema:
        place = spec
        for part in schema["$ref"].removeprefix("#/").split("/"):
            place = place[part]
        schema = place
    return schema


def errors(spec, schema, value):
    """What of a value is not as the schema says."""
    found = Draft202012Validator(schema | {"components": spec["components"]}).iter_errors(value)
    return [f"{'/'.join(map(str, one.absolute_path))}: {one.message}" for one in found]


def body_schema(spec, method, path):
    return operations(spec)[method, path]["requestBody"]["content"]["application/json"]["schema"]


# The description itself -----------------------------------------------------------------------------------------------


@pytest.mark.rule("H7")
def test_the_description_is_valid_openapi_3_1(spec):
    """Open: whether others can read it. It keeps the rules of OpenAPI 3.1, and each schema those of JSON Schema."""
    assert spec["openapi"] == "3.1.0"
    schemathesis.openapi.from_dict(spec).validate()
    for schema in spec["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    parameters = [one for operation in operations(spec).values() for one in operation["parameters"]]
    for one in parameters:
        Draft202012Validator.check_schema(one["schema"])
    assert len(parameters) > 30


@pytest.mark.rule("H7")
def test_every_route_is_described_and_nothing_else(spec):
    """Open: what is described. The table of routes, from which the description is made."""
    assert sorted(operations(spec)) == sorted((route.method, route.path) for route in DESCRIBED)


@pytest.mark.rule("H7")
def test_operations_have_names_of_their_own_and_a_sentence(spec):
    found = operations(spec).values()
    names = [one["operationId"] for one in found]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[a-z]+(_[a-z]+)*", name) for name in names)
    assert [one["operationId"] for one in found if not re.fullmatch(r"[A-Z].{8,}[^.]", one["summary"])] == []


@pytest.mark.rule("H7")
def test_every_reference_leads_somewhere_and_every_schema_is_used(spec):
    references = {one["$ref"] for one in inside(spec) if isinstance(one, dict) and "$ref" in one}
    assert all(isinstance(resolved(spec, {"$ref": one}), dict) for one in references)
    unused = {f"#/components/schemas/{name}" for name in spec["components"]["schemas"]} - references
    assert unused == set()


@pytest.mark.rule("H7")
def test_the_server_is_the_base_url(spec):
    assert spec["servers"] == [{"url": BASE_URL}]


@pytest.mark.rule("H7", "T5", "G18")
def test_nothing_has_a_default_that_would_replace_what_is_there(spec):
    """Some clients send defaults: a change would erase, and a template would be drawn over. Others require them."""
    schemas = spec["components"]["schemas"]
    assert [one for one in inside(schemas) if isinstance(one, dict) and isinstance(one.get("default"), int | str)] == []
    assert "Default: 1.0." in schemas["Layer"]["properties"]["opacity"]["description"]


@pytest.mark.rule("H7")
def test_choices_have_one_spelling(spec):
    """A generator makes a name of each choice, and stumbles over two that differ in capitals alone."""
    choices = [one["enum"] for one in inside(spec) if isinstance(one, dict) and isinstance(one.get("enum"), list)]
    assert [one for one in choices if len({str(choice).lower() for choice in one}) < len(one)] == []
    assert len(choices) > 20


@pytest.mark.rule("H7", "H5", "T3", "T5")
def test_null_may_be_sent_where_a_field_may_be_absent_and_is_never_answered(renewed, spec):
    """Every optional field of every body, as null: the description takes it, and so does the service."""
    for path, (method, name) in {
        f"{API}/track/qrcode": ("POST", "NewQRCode"), f"{API}/track/qrcode/{{id}}": ("PUT", "QRCodeChanges"),
        f"{API}/track/campaign": ("POST", "NewCampaign"), f"{API}/generate": ("POST", "DesignRequest"),
    }.items():  # fmt: skip
        schema = spec["components"]["schemas"][name]
        needed = {"content": "hi", "name": "Door"}
        body = {field: needed[field] if field in schema["required"] else None for field in schema["properties"]}
        if name == "DesignRequest":
            body["content"] = "hi"
        assert errors(spec, schema, body) == []
        filled = renewed.filled(path.replace("{id}", "<qrcode>"))
        query = f"auth={renewed.names['key']}"
        assert renewed.client.request(method, filled, query=query, body=json.dumps(body).encode()).status == 200
    for name in ("QRCode", "Properties", "Location", "ScheduleEvent", "Campaign"):
        assert {"type": "null"} not in list(inside(spec["components"]["schemas"][name]))


@pytest.mark.rule("H7")
def test_path_parameters_are_those_of_the_path(spec):
    for (_, path), operation in operations(spec).items():
        named = [one["name"] for one in operation["parameters"] if one["in"] == "path"]
        assert named == re.findall(r"{(\w+)}", path)
        assert all(one["required"] for one in operation["parameters"] if one["in"] == "path")


@pytest.mark.rule("H7")
def test_what_needs_a_key_says_so(spec):
    found = {route.key: operations(spec)[route.method, route.path]["security"] for route in DESCRIBED}
    ways = [{"auth": []}, {"bearer": []}]
    assert found == {"none": [], "optional": [{}, *ways], "required": ways}
    schemes = spec["components"]["securitySchemes"]
    assert schemes["auth"] == {"type": "apiKey", "in": "query", "name": "auth"}
    assert schemes["bearer"] == {"type": "http", "scheme": "bearer"}


@pytest.mark.rule("H7")
def test_words_are_those_of_the_interface_and_whole_sentences(spec):
    """Who reads it knows neither Python nor our rulings."""
    found = [one["description"] for one in inside(spec) if isinstance(one, dict) and "description" in one]
    words = [one for one in found if isinstance(one, str)]
    python = r"(?<!-)\bNone\b(?!-)|\brulings?\b|`[A-Z]\w+\.\w+`|\balways$|,$|\bqrkit\.|[a-z]_[a-z]"
    assert [one for one in words if re.search(python, one)] == []
    assert [name for name, schema, _ in fields_of_models(spec) if not re.match(r"\S.+\.$", schema["description"])] == []


# Bounds and choices ---------------------------------------------------------------------------------------------------

INTERFACE = {
    ("Properties", "size"): {"minimum": 1, "maximum": 20, "default": 8},
    ("Properties", "version"): {"minimum": 1, "maximum": 40},
    ("Properties", "padding"): {"minimum": 0, "maximum": 20, "default": 4},
    # Stored records show it with a capital letter (ruling T3).
    ("Properties", "em"): {"enum": ["Byte", "Numeric", "Alphanumeric"], "default": "byte"},
    ("Properties", "ec"): {"enum": ["L", "M", "Q", "H"], "default": "M"},
    ("Properties", "foreground"): {"pattern": "^(#?([0-9A-Fa-f]{3}|([0-9A-Fa-f]{2}){3,4})|[A-Za-z]+([(][^()]*[)])?)$"},
    ("DesignRequest", "version"): {"minimum": 1, "maximum": 40},
    ("DesignRequest", "padding"): {"minimum": 0, "maximum": 20, "default": 4},
    ("DesignRequest", "em"): {"enum": ["byte", "numeric", "alphanumeric"], "default": "byte"},
    ("DesignRequest", "flip"): {"enum": ["none", "horizontal", "vertical", "both"]},
    ("DesignRequest", "format"): {"enum": [one for one in FORMATS if one not in GET_ONLY_FORMATS]},
    ("Modules", "type"): {"enum": list(MODULE_TYPES), "default": "default"},
    ("Modules", "sprite"): {"enum": list(SPRITE_NAMES)},
    ("Sprite", "type"): {"enum": ["fill", "blank", "padding", "both"]},
    ("Marker", "pattern"): {"enum": list(MARKER_PATTERNS)},
    ("Marker", "opacity"): {"minimum": 0, "maximum": 1, "default": "1.0"},
    ("Layer", "opacity"): {"minimum": 0, "maximum": 1, "default": "1.0"},
    ("Layer", "display"): {"enum": ["overlay", "box-hit-test", "pixel-hit-test"]},
    ("Gradient", "gradient"): {"enum": ["linear", "radial"]},
    ("ScheduleEvent", "recurrence"): {"minimum": 0, "maximum": 7},
    ("ScheduleEventInput", "recurrence"): {"minimum": 0, "maximum": 7, "default": 0},
    ("Location", "latitude"): {"minimum": -90, "maximum": 90},
    ("Location", "longitude"): {"minimum": -180, "maximum": 180},
}  # fmt: skip


def set_value(schema):
    """The schema of a field where it is not null, with a default that only its description mentions."""
    kinds = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    schema = schema | kinds[0] if len(kinds) == 1 else schema
    if told := re.search(r"Default: (.+)\.$", schema.get("description", "")):
        schema = {"default": int(told[1]) if told[1].isdigit() else told[1]} | schema
    return schema


@pytest.mark.rule("H7")
@pytest.mark.parametrize(("name", "field"), INTERFACE, ids=[".".join(one) for one in INTERFACE])
def test_the_interface_s_bounds_are_described(spec, name, field):
    described = set_value(spec["components"]["schemas"][name]["properties"][field])
    assert described | INTERFACE[name, field] == described


def models(base=Model):
    """Every model there is, by its name."""
    return {base.__name__: base} | {name: one for made in base.__subclasses__() for name, one in models(made).items()}


def fields_of_models(spec):
    """Each described field of a model, with the type that judges it."""
    for name, schema in spec["components"]["schemas"].items():
        if name in ("Problem", "DesignRequest", "ContentByKind") or name.startswith("New") or name.endswith("Changes"):
            continue
        if "kind" in schema["properties"]:
            continue  # `tests/contents` hold kinds to their rules, many of which no schema can say
        for field in models()[name.removesuffix("Input")].model_fields.values():
            described = set_value(schema["properties"][field.alias])
            yield f"{name}.{field.alias}", described, TypeAdapter(field.rebuild_annotation())


def takes(adapter, value):
    try:
        adapter.validate_python(value)
    except ValidationError:
        return False
    return True


def edges(schema):
    """Values on the edge of what a schema allows, and just beyond it."""
    if "minimum" in schema:
        step = 1 if schema["type"] == "integer" else 0.001
        yield from ((schema["minimum"], True), (schema["maximum"], True))
        yield from ((schema["minimum"] - step, False), (schema["maximum"] + step, False))
    if "maxLength" in schema:
        yield from (("x" * schema["maxLength"], True), ("x" * (schema["maxLength"] + 1), False))
        yield ("", not schema.get("minLength"))
    for choice in schema.get("enum", ()):
        yield (choice, True)
    if "enum" in schema:
        yield ("nonsense", False)
    if schema.get("type") == "integer":
        yield from ((True, False), (1.5, False), ("1", False))


@pytest.mark.rule("H7")
def test_what_is_described_is_what_the_models_take(spec):
    """Open: descriptions that say something else than the code. Both come of one type: tried at every edge."""
    tried, wrong = 0, []
    for name, schema, adapter in fields_of_models(spec):
        for value, is_good in edges(schema):
            # Automatic may be written as 0, -1 or "" (ruling G1).
            if name.endswith(".version") and value in (0, ""):
                continue
            # The number of scans is only read; the longest text that is tried for an address is not an address.
            if name == "QRCode.scans" or name.endswith(".href"):
                continue
            tried += 1
            if takes(adapter, value) != is_good:
                wrong.append((name, repr(value)[:40], is_good))
    assert wrong == []
    assert tried > 200


@pytest.mark.rule("H7")
def test_what_is_described_of_the_query_is_what_generate_takes(world, spec):
    parameters = operations(spec)["GET", f"{API}/generate"]["parameters"]
    required = [one["name"] for one in parameters if one["required"]]
    wrong = []
    for one in parameters:
        schema = one["schema"]
        tries = [(value, is_good) for value, is_good in edges(schema) if not isinstance(value, bool | float)]
        tries = [(value, is_good) for value, is_good in tries if value != "1" and len(str(value)) < 2_000]
        if schema["type"] == "boolean":
            tries = [("true", True), ("false", True), ("maybe", False)]
        for value, is_good in tries:
            # Empty is absent, and so is version 0 (rulings G1, H5).
            if value in ("", 0) and one["name"] != "content" and not is_good:
                continue
            content = "7" if value == "numeric" else "HELLO"
            reply = world.client.get(f"{API}/generate", **({"content": content, "ec": "L"} | {one["name"]: value}))
            if (reply.status == 200) != is_good:
                wrong.append((one["name"], value, reply.status))
    assert wrong == []
    assert required == ["content"]


SAID_BY_SCHEMA = ("wrong-type", "out-of-range", "missing-parameter", "bad-value")
NOT_SAID = ["campaignId", "shortCode", "template", "shorten", "icon:", "10000", "tomorrow"]
"""A schema knows neither what is in the store nor what two fields make together; dates have a format alone."""
PATHS = {
    "2": ("POST", f"{API}/generate"), "4": ("POST", f"{API}/track/qrcode"), "5": ("PUT", f"{API}/track/qrcode/{{id}}"),
    "8": ("POST", f"{API}/track/campaign"), "9": ("PUT", f"{API}/track/campaign/{{id}}"),
}  # fmt: skip
REFUSED = [
    (number, change["body"].decode())
    for number, change, _, code, _ in FIELDS
    if number in PATHS and code in SAID_BY_SCHEMA and not any(word in change["body"].decode() for word in NOT_SAID)
]


@pytest.mark.rule("H7")
@pytest.mark.parametrize(("number", "body"), REFUSED, ids=[f"{number}: {body[:80]}" for number, body in REFUSED])
def test_what_the_service_refuses_the_description_refuses_too(spec, number, body):
    """Open: whether a client can know beforehand. Types, bounds, choices and what is required stand in the schemas."""
    assert errors(spec, body_schema(spec, *PATHS[number]), json.loads(body)) != []


# Requests and replies -------------------------------------------------------------------------------------------------


def example(spec, schema, name=""):
    """A value with no more than a schema requires."""
    schema = resolved(spec, schema)
    schema = schema.get("anyOf", [schema])[0]
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {one: example(spec, schema["properties"][one], one) for one in schema.get("required", ())}
    if schema["type"] == "string":
        return dict.fromkeys(("content", "url"), "https://example.com/example").get(name, "example")
    return schema.get("default", schema.get("minimum", 1))


def asked(spec, world, method, path, ext):
    """Ask for what is described, with no more than it requires."""
    operation = operations(spec)[method, path]
    id = "<campaign>" if "campaign" in path else "<qrcode>"
    if "webhooks/" in path:
        id = world.shop.webhooks.add("https://127.0.0.1/").id
    values = {"id": id, "code": "<code>", "urlinfo": "tail", "gs1": "<gs1>", "ext": ext}
    query = {
        one["name"]: example(spec, one["schema"], one["name"])
        for one in operation["parameters"]
        if one["required"] and one["in"] == "query"
    }
    if operation["security"] and {} not in operation["security"]:
        query["auth"] = world.names["key"]
    body = b""
    if "requestBody" in operation:
        content = operation["requestBody"]["content"]
        if "application/json" in content and not path.endswith("/import"):
            body = {"sizeMm": 60} if "/export" in path else example(spec, content["application/json"]["schema"])
            fewest = {"shortCode": world.names["code"]} if path.endswith("/conversion") else {"content": "hi"}
            body = json.dumps(body or fewest).encode()
        elif "application/linkset+json" in content:
            body = json.dumps(content["application/linkset+json"]["example"]).encode()
        else:
            body = PNG if path.endswith("/decode") else b"Content\r\nhttps://example.com/imported\r\n"
    filled = world.filled(re.sub(r"{(\w+)}", lambda found: values[found[1]], path))
    return world.client.request(method, filled, query=urlencode(query), body=body)


def extensions(route):
    offered = {
        "export": [*EXPORT_FORMATS],
        "export_for_print": ["zip", "pdf"],
        "statistics": ["json", "csv", "xml", "xls"],
        "picture": ["png", "svg"],
    }
    return offered[route.handler.__name__] if "{ext}" in route.path else [""]


ASKED = [(route.method, route.path, ext) for route in DESCRIBED for ext in extensions(route)]


@pytest.mark.rule("H7")
@pytest.mark.parametrize(("method", "path", "ext"), ASKED, ids=[" ".join(one) for one in ASKED])
def test_a_request_with_what_is_required_is_answered_as_described(renewed, spec, method, path, ext):
    """Open: whether a client made of the description works. What it requires is enough, and what comes is described."""
    reply = asked(spec, renewed, method, path, ext)
    assert reply.status in (200, 302), reply.text
    described = operations(spec)[method, path]["responses"][str(reply.status)]
    if "content" not in described:
        assert reply.body == b""
        assert reply.status == 302 or "content-type" in reply.headers
        return
    kinds = {kind.partition(";")[0]: one["schema"] for kind, one in described["content"].items()}
    kind = reply.headers["content-type"].partition(";")[0]
    assert kind in kinds
    if kind == "application/json":
        assert errors(spec, kinds[kind], reply.json()) == []


def media(operation):
    """The bodies of an operation, sent and answered, with their schema and their example."""
    bodies = [operation.get("requestBody", {}), operation["responses"]["200"]]
    yield from (one for body in bodies for one in body.get("content", {}).values() if "example" in one)


@pytest.mark.rule("H7")
def test_examples_keep_their_schemas(spec):
    """Open: what people copy first. Examples of bodies, replies and parameters, all of them as described."""
    examples = [(one["schema"], one["example"]) for operation in operations(spec).values() for one in media(operation)]
    parameters = [one for operation in operations(spec).values() for one in operation["parameters"]]
    examples += [(one["schema"], one["example"]) for one in parameters if "example" in one]
    assert [found for schema, value in examples if (found := errors(spec, schema, value))] == []
    assert len(examples) > 30
    # What takes or answers JSON with more than one form has an example.
    bodies = [one["requestBody"]["content"] for one in operations(spec).values() if "requestBody" in one]
    assert all("example" in one["application/json"] for one in bodies if "application/json" in one)


@pytest.mark.rule("H7")
def test_extensions_are_described_as_they_are_offered(renewed, spec):
    for path in (f"{API}/track/export.{{ext}}", f"{API}/track/statistics/{{id}}.{{ext}}", "/{code}.{ext}"):
        (schema,) = (one["schema"] for one in operations(spec)["GET", path]["parameters"] if one["name"] == "ext")
        for ext in schema["enum"]:
            assert asked(spec, renewed, "GET", path, ext).status == 200
        assert asked(spec, renewed, "GET", path, "doc").status == 404


FULL = {
    "content": "https://example.com/full", "name": "Door", "comment": "é", "urlinfo": "Spring window",
    "isDynamic": True,
    "campaignId": "<campaign>", "location": {"address": "Main street", "latitude": 46.05, "longitude": 14.5},
    "properties": {"size": 3, "version": 5, "padding": 1, "em": "Byte", "ec": "H", "foreground": "#FF0B3D91",
                   "background": "white"},
    "isScheduleEnabled": True, "schedule": [{"content": "hi", "recurrence": 1, "date": "2026-06-06T08:00:00Z"}],
}  # fmt: skip


@pytest.mark.rule("H7", "T3")
def test_records_that_are_answered_are_as_described_with_all_fields_and_with_few(renewed, spec):
    """Open: what is in a record. What the description says; nothing is null, and nothing undescribed is in it."""
    schemas = spec["components"]["schemas"]
    many = renewed.filled(json.dumps(FULL)).encode()
    assert errors(spec, body_schema(spec, "POST", f"{API}/track/qrcode"), json.loads(many)) == []
    for body, auth in ((many, "key"), (b'{"content": "hi"}', "key"), (b'{"content": "hi"}', "free")):
        query = f"auth={renewed.names[auth]}"
        made = renewed.client.request("POST", f"{API}/track/qrcode", query=query, body=body).json()
        reply = renewed.client.request("GET", f"{API}/track/qrcode/{made['id']}", query=query)
        record = reply.json()
        assert errors(spec, {"$ref": "#/components/schemas/QRCode"}, record) == []
        assert record.keys() <= schemas["QRCode"]["properties"].keys()
        assert None not in inside(record)
        assert DATE.fullmatch(record["created"])
        assert record["created"] == made["created"]
        for name in ("properties", "location"):
            assert record.get(name, {}).keys() <= schemas[name.capitalize()]["properties"].keys()
        listed = renewed.client.request("GET", f"{API}/track/list", query=query).json()
        for kind, model in (("campaigns", "Campaign"), ("qrcodes", "QRCode")):
            for one in listed[kind]:
                assert errors(spec, {"$ref": f"#/components/schemas/{model}"}, one) == []
                assert one.keys() <= schemas[model]["properties"].keys()
    assert record.keys() == {"id", "name", "created", "isAvailable"}


@pytest.mark.rule("H7", "H3")
def test_failures_are_as_described(world, spec):
    for path, query in ((f"{API}/generate", "size=0&ec=X"), (f"{API}/track/list", ""), ("/nobody", "")):
        reply = world.client.request("GET", path, query=query)
        assert errors(spec, {"$ref": "#/components/schemas/Problem"}, reply.json()) == []
    for operation in operations(spec).values():
        described = operation["responses"]["default"]["content"]["application/problem+json"]["schema"]
        assert described == {"$ref": "#/components/schemas/Problem"}


# Health ---------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("H7")
def test_health_answers_200_without_a_key_while_the_store_can_be_written(world):
    """Open: what health tells. That the store takes a write, and the visits lost; nothing of anybody's data."""
    reply = world.client.get(f"{API}/health")
    assert (reply.status, reply.headers["cache-control"]) == (200, "no-store")
    found = reply.json()
    assert found.keys() == {"status", "version", "lost", "late"}
    assert (found["status"], found["lost"], found["late"]) == ("ok", 0, 0)
