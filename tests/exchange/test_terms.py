"""Rules, times, limits and passwords survive every format, and the JSON of the interface."""

import json
from random import Random

import pytest

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.portfolio.access import create_key
from qrkit.server import Client, Settings, make_app
from qrkit.tracking.redirect_rules import TYPES

HOME = "https://example.com/home"
RULES = [
    {"conditions": [{"type": "language", "matchValue": ["de", "fr"]}], "content": "https://example.com/de"},
    {
        "conditions": [
            {"type": "query-param", "matchKey": "wall", "matchValue": 'a "b", ä'},
            {"type": "device", "matchValue": "ios", "isNegated": True},
        ],
        "content": "Hello;\n<b>you</b>",
    },
]
RULED = [
    {"conditions": [{"type": "language", "matchValue": "de"}], "content": "https://example.com/1"},
    {"conditions": [{"type": "device", "matchValue": "android"}], "content": "https://example.com/2"},
]
TERMS = {
    "rules": RULES,
    "active": False,
    "valid_since": "2026-12-01T00:00:00Z",
    "valid_until": "2026-12-24T18:00:00Z",
    "limit": 100,
    "limit_a_day": 10,
    "otherwise": "Come back in December.",
    "password": "open sesame",
    "pass_query": False,
    "click_id": "qrkit_click",
}


def terms(code):
    return {name: getattr(code, name) for name in TERMS}


@pytest.mark.rule("X7")
@pytest.mark.parametrize("format", ["csv", "xlsx", "xml", "json", "zip"])
def test_terms_survive_every_format(format, tmp_path):
    with open_portfolio(":memory:", base_url="https://go.example.com") as shop:
        door = shop.insert_qrcode(HOME, name="Door", short_code="door", **TERMS)
        shop.insert_qrcode(HOME, name="Gate", short_code="gate")
        shop.export_file(tmp_path / f"codes.{format}")
        assert "open sesame" not in door.password
    with open_portfolio(":memory:", base_url="https://go.example.com") as other:
        result = other.import_file(tmp_path / f"codes.{format}")
        assert result.created == 2, result.issues
        read, gate = other.list_qrcodes()
        assert terms(read) == terms(door)
        assert (gate.rules, gate.active, gate.limit, gate.password) == ((), True, 0, "")


def each_condition(chance):
    """A condition of each type, with values that it may have."""
    values = {
        "query-param": ['a, "b";', "ä\nb"], "ip-address": ["10.0.*.*", "2001:db8::/32"], "share": ["0.5-30.25"],
        "geolocation-country-code": ["SI", "at"], "geolocation-region-name": ["Île-de-France"], "visitor": ["new"],
        "geolocation-city-name": ["Škofja Loka"], "referrer-host": ["example.org"], "hours": ["22:00-02:30"],
        "scan-number": ["every 3", "1-100"], "before-date": ["2026-12-24T18:00:00+01:00"], "language": ["zh-Hant-TW"],
        "after-date": ["2026-01-01"], "gs1-element": ["A/1", "ABC"],
    }  # fmt: skip
    for name, kind in TYPES.items():
        known = values.get(name) or kind.choices
        key = "wall" if "param" in name else "10" if name == "gs1-element" else ""
        one = {"type": name, "is_negated": chance.random() < 0.5, "match_key": key}
        if kind.key == "a time zone":
            one["match_key"] = chance.choice(["", "Europe/Ljubljana"])
        yield one | {"match_value": chance.sample(known, chance.randint(1, len(known))) if kind.values else ()}


@pytest.mark.rule("X7")
@pytest.mark.parametrize("format", ["csv", "xlsx", "xml", "json", "zip"])
def test_rules_with_conditions_of_all_types_survive_every_format(format, tmp_path):
    chance = Random(format)
    with open_portfolio(":memory:") as shop, open_portfolio(":memory:") as other:
        for number in range(5):
            conditions = list(each_condition(chance))
            chance.shuffle(conditions)
            rules = [{"conditions": [one], "content": f"https://example.com/{n}"} for n, one in enumerate(conditions)]
            shop.insert_qrcode(HOME, name=f"Door {number}", rules=rules)
        shop.export_file(tmp_path / f"codes.{format}")
        assert other.import_file(tmp_path / f"codes.{format}").created == 5
        assert [one.rules for one in other.list_qrcodes()] == [one.rules for one in shop.list_qrcodes()]


def test_terms_survive_a_data_frame():
    with open_portfolio(":memory:", base_url="https://go.example.com") as shop, open_portfolio(":memory:") as other:
        shop.insert_qrcode(HOME, name="Door", short_code="door", **TERMS)
        shop.insert_qrcode(HOME, name="Gate", short_code="gate")
        frame = shop.to_frame()
        assert {name: str(frame[name].dtype) for name in ("active", "valid_until", "limit")} == {
            "active": "bool", "valid_until": "datetime64[us, UTC]", "limit": "int64",
        }  # fmt: skip
        assert other.import_frame(frame).created == 2
        assert [terms(code) for code in other.list_qrcodes()] == [terms(code) for code in shop.list_qrcodes()]


def test_files_without_terms_are_as_they_were(shop, tmp_path):
    shop.insert_qrcode(HOME, name="Door", short_code="door")
    shop.export_file(tmp_path / "codes.csv")
    assert "Rules" not in (tmp_path / "codes.csv").read_text()
    assert "rules" not in shop.list_qrcodes()[0].to_json()
    assert "active" not in shop.list_qrcodes()[0].to_json()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"rules": RULES[:1] * 51}, "must have 0..50 entries, not 51"),
        (
            {"rules": [{"conditions": [{"type": "languages", "matchValue": "de"}], "content": HOME}]},
            "did you mean 'lang",
        ),
        ({"rules": [{"conditions": [], "content": HOME}]}, "rules.0.conditions"),
        (
            {
                "rules": [
                    {
                        "conditions": [{"type": "hours", "matchKey": "Mars", "matchValue": "09:00-17:00"}],
                        "content": HOME,
                    }
                ]
            },
            "IANA name of a time zone",
        ),
        ({"rules": [{"conditions": [{"type": 5}], "content": HOME}]}, "rules.0.conditions.0.type"),
        (
            {
                "rules": [
                    {"conditions": [{"type": "after-date", "matchValue": "0001-01-01T00:00:00+14:00"}], "content": HOME}
                ]
            },
            "must be a date and time",
        ),
        ({"password": "x"}, "password: must have 4..100 characters, not 1"),
        ({"password": "$argon2id$v=19$m=9999999,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaA"}, "at most 64 MiB"),
        ({"limit": -1}, "limit"),
        (
            {
                "rules": [
                    {"conditions": [{"type": "device", "matchValue": "ios"}], "content": "https://go.example.com/door"}
                ]
            },
            "itself",
        ),
        ({"rules": [RULES[0], RULES[0]]}, "rule 1 applies to all of its visitors"),
        (
            {
                "rules": [
                    {
                        "conditions": [
                            {"type": "before-date", "matchValue": "2026-01-01"},
                            {"type": "after-date", "matchValue": "2026-02-01"},
                        ],
                        "content": HOME,
                    }
                ]
            },
            "ends before it begins",
        ),
    ],
)
def test_terms_that_cannot_work_are_refused_in_one_sentence(shop, wrong, told):
    with pytest.raises(InvalidParameter) as raised:
        shop.insert_qrcode(HOME, short_code="door", **wrong)
    assert told in str(raised.value)
    assert shop.list_qrcodes() == []


def test_clients_send_and_get_terms_in_json_of_the_interface_and_in_that_of_shlink(shop):
    key = create_key(shop.store, shop.account)
    client = Client(make_app(shop.store, Settings(base_url=shop.base_url)))

    def ask(method, path, body=None):
        data = body and json.dumps(body).encode()
        reply = client.request(method, f"/api/v3/track/{path}", query=f"auth={key}", body=data or b"")
        assert reply.status == 200, reply.text
        return json.loads(reply.body) if reply.body else {}

    def refused(body):
        path = f"/api/v3/track/qrcode/{shop.insert_qrcode(HOME).id}"
        reply = client.request("PUT", path, query=f"auth={key}", body=json.dumps(body).encode())
        return reply.status, json.loads(reply.text)["errors"]

    mars = {"type": "hours", "matchKey": "Mars", "matchValue": "09:00-17:00"}
    for body, pointer, told in (
        ({"rules": RULES[:1] * 51}, "/rules", "must have 0..50 entries, not 51"),
        ({"rules": [{"conditions": [{"type": "x"}], "content": HOME}]}, "/rules/0/conditions/0/type", "is not a"),
        ({"rules": [{"conditions": [mars], "content": HOME}]}, "/rules/0/conditions/0/matchKey", "time zone"),
        ({"password": "x"}, "/password", "must have 4..100 characters, not 1"),
    ):
        status, (problem,) = refused(body)
        assert (status, problem["pointer"]) == (400, pointer)
        assert told in problem["reason"]
    place = {"conditions": [{"type": "geolocation-country-code", "matchValue": "SI"}], "content": HOME}
    for path in ("qrcode", "campaign"):
        body = json.dumps({"content": HOME, "name": "Place", "rules": [place]}).encode()
        reply = client.request("POST", f"/api/v3/track/{path}", query=f"auth={key}", body=body)
        assert "rules ask where a visitor is" in reply.headers["x-api-warning"]

    shlink = [
        {
            "longUrl": "https://example.com/2",
            "priority": 2,
            "conditions": [{"type": "device", "matchKey": None, "matchValue": "android"}],
        },
        {
            "longUrl": "https://example.com/1",
            "priority": 1,
            "conditions": [{"type": "language", "matchKey": None, "matchValue": "de"}],
        },
    ]
    made = ask("POST", "qrcode", {"content": HOME, "rules": shlink, "limit": 3})
    record = ask("GET", f"qrcode/{made['id']}")
    assert [one["content"] for one in record["rules"]] == ["https://example.com/1", "https://example.com/2"]
    assert record["limit"] == 3
    assert "validUntil" not in record
    ask("PUT", f"qrcode/{made['id']}", {"rules": [], "limit": 0, "validUntil": "2027-01-01T00:00:00Z"})
    record = ask("GET", f"qrcode/{made['id']}")
    assert {"rules", "limit"}.isdisjoint(record)
    assert record["validUntil"] == "2027-01-01T00:00:00Z"
    spring = ask("POST", "campaign", {"name": "Spring", "rules": shlink})["id"]
    assert ask("GET", f"campaign/{spring}")["rules"] == ask("GET", "list")["campaigns"][1]["rules"] == RULED
    code = ask("POST", "qrcode", {"content": HOME, "campaignId": spring})["id"]
    assert ask("GET", f"qrcode/{code}")["rules"] == RULED
    ask("PUT", f"campaign/{spring}", {"name": "Spring", "rules": []})
    assert "rules" not in ask("GET", f"campaign/{spring}")
    ask("PUT", f"qrcode/{made['id']}", {"validUntil": ""})
    assert "validUntil" not in ask("GET", f"qrcode/{made['id']}")


def test_json_of_a_record_reads_back(shop):
    door = shop.insert_qrcode(HOME, **TERMS)
    assert terms(type(door).from_json(door.to_json())) == terms(door)
    assert json.loads(door.to_json())["rules"] == RULES


@pytest.mark.parametrize("is_passed", [True, False])
def test_links_of_shlink_keep_whether_they_pass_queries(is_passed, tmp_path):
    link = {"shortCode": "door", "shortUrl": "https://s.test/door", "longUrl": HOME, "forwardQuery": is_passed}
    link["dateCreated"] = "2024-05-01T08:30:00+00:00"
    file = tmp_path / "links.json"
    file.write_text(json.dumps({"shortUrls": {"data": [link]}}))
    with open_portfolio(":memory:", base_url="https://s.test") as shop:
        assert shop.import_file(file).issues == ()
        (code,) = shop.list_qrcodes()
        assert (code.short_code, code.pass_query) == ("door", is_passed)
