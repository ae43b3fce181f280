"""Requests made up from the description, good ones and bad ones: the answers keep it, and the contract (H3, H4, H7)."""

import re

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from qrkit import open_portfolio
from qrkit.server import Reply
from qrkit.server.description.routes import ROUTES
from tests.server.test_errors import assert_keeps_the_contract
from tests.server.test_keys import bearer
from tests.server.test_statuses import API, BASE_URL, World

EVERY_REPLY = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
STATEFUL = [*EVERY_REPLY, checks.use_after_free, checks.ensure_resource_availability]
# Not `ignored_auth`: our key stands in the place of what is made up. test_keys.py tries keys.

TERMS = "/rules/.*|/valid(Since|Until)|/password"
"""What a type of condition allows, which rules exclude each other, dates that are none, and hashes that are none."""
UNSAID = {
    # Operation: codes that no schema can foretell, and the fields they may name.
    "generate": {
        "content-too-long": "",  # what fits depends on version, ec and em
        "bad-content": "/content",  # which letters there may be depends on em
        "bad-value": "/shorten",  # which services there are, the operator knows
        "shorten-not-applicable": "/shorten",
        "out-of-range": "/size|/padding|/content",  # a picture has so many pixels at most
        "uri-too-long": "",  # a content that may be longer in a body
    },
    "generate_decorated": {
        # A template may bring the content; which fields a gradient needs depends on its kind.
        "missing-parameter": "/content|/(fore|back)ground/.*|/sizeMm",
        "template-not-found": "",
        "content-too-long": "",
        "bad-content": "/content|/frame/caption/(text|subtitle)",  # which letters need shaping
        "bad-value": "/shorten|/layers/.*|/modules.*|/photo.*|/wrapper.*|/frame.*|/(fore|back)ground.*"
        # Which fields go with a Micro QR Code; which modes go with a charset.
        "|/version|/ec|/mask|/padCodewords|/charset|/fnc1|/part|/markers.*|/micro"
        "|/profile|/spots.*|/bleedMm",  # what is a profile, and which formats have a bleed
        "shorten-not-applicable": "/shorten",
        # What two fields make together: pixels in all, the stops of a gradient, a placeholder in its wrapper.
        "out-of-range": "/.*",
        # Which words are names of colours; of two kinds, as a colour or null, the made-up ones keep no format.
        "bad-colour": "/.*",
        "bad-data-uri": "/.*",
        "bad-image": "/.*",
        "bad-font": "/frame/caption/font",
    },
    # Bytes that are no picture; names of a form's further fields that break the form.
    "decode_picture": {"bad-file": "", "no-symbol": "", "empty-body": "", "bad-form": ""},
    # Which columns the file has; which of its columns are named, and how often.
    "import_file": {
        "bad-file": "",
        "empty-body": "",
        "bad-value": "/columns.*|/encoding|/sheet|/headerRow|/updateBy",  # what the file has
        "duplicate-parameter": "/columns",
    },
    "list_everything": {"bad-value": "/after"},  # which codes there are
    # Options that one kind of file has; which placeholders there are; a resolution asks for a size on paper.
    "export": {"bad-value": "/format|/names|/dpi|/sizeMm", "missing-parameter": "/sizeMm"},
    # What is a profile; which formats and pictures have a bleed; which pictures have too many dots.
    "export_for_print": {
        "bad-value": "/format|/names|/profile|/spots.*|/bleedMm",
        "bad-colour": "/spots.*",
        "not-drawn": "/properties",
    },
    # Which scans there were; dates that are none.
    "add_conversion": {"not-found": "", "bad-value": "/clickId|/time", "out-of-range": "/time"},
    # Types of links, check digits, and what the links of a key must be together.
    "set_linkset": dict.fromkeys(("bad-value", "missing-parameter", "out-of-range", "wrong-type"), ".*"),
    # What URLs are https without a user; which campaigns and QR Codes there are; which texts are kinds.
    "add_webhook": {"bad-value": "/url", "not-found": ""},
    "follow_events": {"bad-value": "/kinds.*"},
    "insert_campaign": {"bad-value": f"/template|/utm/.*|{TERMS}", "never-behind-short-url": "/rules/.*"},
    "update_campaign": {"bad-value": f"/template|/utm/.*|{TERMS}", "never-behind-short-url": "/rules/.*"},
    "insert_qrcode": {
        "bad-colour": "/properties/(fore|back)ground",
        # What is in the store; dates that are none.
        "bad-value": f"/template|/campaignId|/shortCode|/schedule/[0-9]+/date|{TERMS}",
        "content-too-long": "",
        "bad-content": "/content|/properties/em",  # whether a mode has the letters of the content or of the short URL
        "out-of-range": "/schedule/[0-9]+/date|/valid(Since|Until)",
    },
    "update_qrcode": {
        "bad-colour": "/properties/(fore|back)ground",
        "bad-value": f"/template|/campaignId|/schedule/[0-9]+/date|{TERMS}",
        "content-too-long": "",
        "bad-content": "/content|/properties/em",  # whether a mode has the letters of the content or of the short URL
        "out-of-range": "/schedule/[0-9]+/date|/valid(Since|Until)",
    },
}
# Check digits, dates, and what one field of a kind demands of another.
OF_KINDS = dict.fromkeys(("bad-value", "missing-parameter", "out-of-range", "wrong-type"), "/content(/.*)?")
for name in ("generate_decorated", "insert_qrcode", "update_qrcode"):
    UNSAID[name] |= {
        code: f"{UNSAID[name][code]}|{told}" if code in UNSAID[name] else told for code, told in OF_KINDS.items()
    }
for name in ("insert_qrcode", "update_qrcode"):
    UNSAID[name] |= {"never-behind-short-url": "/content|/otherwise|/rules/.*"}  # a good one-time password, for example
    # Like set_linkset, whose links these are.
    UNSAID[name] |= {code: f"{UNSAID[name][code]}|/gs1(/.*)?" for code in UNSAID["set_linkset"]}
# It takes what either does; and what begins with a brace is a design, wherever it stands.
UNSAID["check"] = UNSAID["generate_decorated"] | UNSAID["decode_picture"] | {"bad-json": ""}
MERCIFUL = ("generate", "export", "export_for_print", "check", "list_everything")
"""An empty parameter counts as absent (ruling H5), so that not all that breaks a schema of these is refused."""


def has_nothing(value):
    """Whether something in a body is null or empty, and so counts as absent (rulings H5, T5)."""
    entries = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or value == "" or any(map(has_nothing, entries))


schemathesis.openapi.format(
    "color", st.sampled_from(["#FF0B3D91", "#0B3D91", "0B3D91", "RebeccaPurple", "transparent"])
)


def effort(examples, **more):
    """What is found is not made smaller, because the store has gone on meanwhile."""
    return settings(
        max_examples=examples,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        **more,
    )


@pytest.fixture(scope="module")
def world():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        yield World(shop)


@pytest.fixture(scope="module")
def schema(world):
    return described(world, world.app)


def described(world, app):
    """An app as its description has it."""
    found = schemathesis.openapi.from_dict(world.client.get(f"{API}/openapi.json").json())
    found.app = app
    return found


def with_key(case, world):
    case.query = {name: value for name, value in dict(case.query or {}).items() if name != "auth"}
    case.headers = dict(case.headers or {}) | bearer(world.names["key"])


def assert_keeps_the_contract_if_it_fails(response):
    headers = {name.lower(): values[0] for name, values in response.headers.items()}
    assert all(re.fullmatch("[ -~]*", f"{name}{value}") for name, value in headers.items())
    if response.status_code >= 400:
        assert_keeps_the_contract(Reply(response.status_code, headers, response.content))


def unforeseen(response, operation):
    """What a good request was refused for, though its description could have said it."""
    if response.status_code < 400:
        return []
    found = response.json()
    told = [(one["code"], one["pointer"]) for one in found.get("errors", ())] or [(found["code"], "")]
    said = UNSAID.get(operation, {})
    return [one for one in told if one[0] not in said or not re.fullmatch(said[one[0]], one[1])]


def id_in(world, path):
    """The ID of something that there is; a webhook leads to this machine, which is refused, so that nothing is sent."""
    if "webhooks" in path:
        webhooks = world.shop.webhooks
        here = "https://127.0.0.1/"
        return next((one.id for one in webhooks.list() if one.url == here), None) or webhooks.add(here).id
    return world.names["campaign" if "campaign" in path else "qrcode"]


def assert_answers_as_described(world, schema, route, mode, examples):
    path = route.path
    operation = schema[path][route.method]
    name = operation.definition.raw["operationId"]
    counted = []

    def ask(case):
        if route.key != "none":
            with_key(case, world)
        if mode is GenerationMode.POSITIVE and "{" in path:
            there = {"id": id_in(world, path), "code": world.names["code"], "gs1": world.names["gs1"]}
            case.path_parameters = {one: there.get(one, value) for one, value in case.path_parameters.items()}
        response = case.call()
        counted.append(response.status_code)
        if route.method == "DELETE" and response.status_code == 200:
            world.renew()
        assert_keeps_the_contract_if_it_fails(response)
        is_wrong = mode is GenerationMode.NEGATIVE and name not in MERCIFUL and not has_nothing(case.body)
        also = [checks.negative_data_rejection] if is_wrong else []
        case.validate_response(response, checks=[*EVERY_REPLY, *also])
        if mode is GenerationMode.POSITIVE:
            assert unforeseen(response, name) == [], (response.text, case.as_curl_command())

    effort(examples)(given(operation.as_strategy(generation_mode=mode))(ask))()
    assert counted


def can_be_wrong(route):
    return "{" in route.path or route.query or route.body or route.key != "none"


MODES = {"good": GenerationMode.POSITIVE, "bad": GenerationMode.NEGATIVE}
DESCRIBED = [route for route in ROUTES if not route.is_page]
KINDS = [(route, kind) for route in DESCRIBED for kind in MODES if kind == "good" or can_be_wrong(route)]
each_operation = pytest.mark.parametrize(
    ("route", "kind"), KINDS, ids=[f"{kind} {route.method} {route.path}" for route, kind in KINDS]
)


@pytest.mark.rule("H3", "H4", "H7")
@each_operation
def test_what_is_described_is_what_is_answered(world, schema, route, kind):
    """Open: whether the description holds. Tried with requests that keep it and with requests that do not."""
    assert_answers_as_described(world, schema, route, MODES[kind], 2)


@pytest.mark.slow
@pytest.mark.rule("H3", "H4", "H7")
@each_operation
def test_what_is_described_is_what_is_answered_to_many_requests(world, schema, route, kind):
    """Open: as above, with fifteen of each kind."""
    assert_answers_as_described(world, schema, route, MODES[kind], 15)


@pytest.mark.slow
@pytest.mark.rule("H4", "H7")
def test_records_are_there_from_insert_to_delete_whatever_comes_between(world):
    """Open: the life of a record. Made-up requests, one after the other, with the ids that earlier ones brought."""
    lives, seen = [], set()
    found = described(world, lambda environ, start_response: lives[-1].app(environ, start_response))
    track = found.include(path_regex="^/api/v3/track/(qrcode|campaign)")

    class Life(track.as_state_machine()):
        def setup(self):
            # Each life in a store of its own: what one left behind would be another answer to the next.
            self.shop = open_portfolio(":memory:", base_url=BASE_URL)
            lives.append(World(self.shop))

        def teardown(self):
            self.shop.close()

        def before_call(self, case):
            with_key(case, lives[-1])

        def validate_response(self, response, case, *_, **__):
            seen.add((case.method, response.status_code))
            assert_keeps_the_contract_if_it_fails(response)
            case.validate_response(response, checks=STATEFUL)
            if (case.method, response.status_code) == ("DELETE", 200):
                key = bearer(lives[-1].names["key"])
                for method in ("GET", "DELETE"):
                    assert lives[-1].client.request(method, case.formatted_path, headers=key).status == 404

    wanted = {("POST", 200), ("GET", 200), ("PUT", 200), ("DELETE", 200)}
    for examples in (25, 50, 100):  # a few random lives may lack one of these; to try as many again makes the same ones
        run_state_machine_as_test(Life, settings=effort(examples, stateful_step_count=8))
        if wanted <= seen:
            break
    assert wanted <= seen
