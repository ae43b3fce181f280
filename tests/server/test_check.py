"""POST /api/v3/check: whether a design or a picture scans; and what generate says of it."""

import json
from io import BytesIO
from urllib.parse import unquote

import pytest
import segno
from PIL import Image

from qrkit import Design, QRImage, check
from qrkit.drawing.untrusted.rasteriser import within
from qrkit.scanning.scan_report import VERDICTS
from tests.scanning.designs import all_eyes, plain, with_logo
from tests.server.posted import LINK, RED
from tests.server.test_errors import assert_keeps_the_contract
from tests.sweeps import quick_first

CHECK, GENERATE = "/api/v3/check", "/api/v3/generate"


@pytest.fixture(scope="module")
def ask(client, key):
    """Post a body; a dictionary as JSON."""

    def ask(body, query="", *, auth=key):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        reply = client.request("POST", CHECK, query=f"auth={auth}&{query}" if auth else query, body=data)
        if reply.status >= 400:
            assert_keeps_the_contract(reply)
        return reply

    return ask


def picture(design: Design, kind: str = "png") -> bytes:
    return QRImage(design).to_bytes(kind)


def said(text: str | bytes) -> dict:
    """What a report says, without the time it took, to a hundredth: threads add up pixels in another order."""
    told = json.loads(text, parse_float=lambda number: round(float(number), 2))
    if told["panel"]:
        del told["panel"]["seconds"]
    return told


DESIGNS = {
    "plain": plain(),
    "no quiet zone": plain(padding=0),
    "round eyes": plain(markers=all_eyes("circle")),
    "logo": with_logo(0.45, ec="L"),
}


@pytest.mark.parametrize("level", quick_first(["static", "quick", "standard", "STATIC"], 2))
@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_is_checked_as_in_python(ask, name, level):
    reply = ask(DESIGNS[name].to_json().encode(), f"level={level}")
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json; charset=utf-8")
    assert said(reply.body) == said(check(DESIGNS[name], level.lower()).to_json())


@pytest.mark.parametrize("kind", ["png", "jpg", "webp", "gif", "bmp", "tif"])
def test_a_picture_is_checked_as_in_python(ask, kind):
    data = picture(plain(padding=1), kind)
    reply = ask(data, "level=static")
    assert reply.status == 200
    assert said(reply.body) == said(check(data, "static").to_json())


def test_the_level_is_standard_unless_another_is_asked_for(ask):
    told = ask({"content": "hi"}).json()
    assert (told["level"], told["verdict"], len(told["panel"]["outcomes"])) == ("standard", "robust", 12)


def test_fixes_can_be_posted(ask):
    """An issue's fix is a part of a design as POST takes it."""
    design = {"content": LINK, "padding": 0, "markers": {"topLeft": {"pattern": "circle"}}, "foreground": "#999999"}
    told = ask(design, "level=static").json()
    for fix in [issue["fix"] for issue in told["issues"]]:
        design |= fix
    assert ask(design, "level=static").json()["verdict"] == "robust"


def test_unknown_fields_and_templates_are_taken_as_by_generate(ask):
    reply = ask({"content": "hi", "colour": "red"}, "level=static")
    assert (reply.status, reply.headers["x-api-warning"]) == (200, "unknown fields were ignored: colour")
    assert ask({"template": "nobody", "content": "hi"}, "level=static").status == 404


@pytest.mark.parametrize("audience", quick_first(["phones", "all", "ALL"], 2))
def test_designs_and_pictures_are_checked_for_an_audience(ask, audience):
    design = plain(markers=all_eyes("leaf"))
    for body, subject in ((design.to_json().encode(), design), (picture(design), picture(design))):
        told = said(ask(body, f"level=quick&audience={audience}").body)
        assert told == said(check(subject, "quick", audience=audience.lower()).to_json())
        assert (told["phones"], told["embedded"]) == ("robust", "fragile")


@pytest.mark.parametrize("audience", ["iphone", "phones,all"])
def test_there_are_no_other_audiences(ask, audience):
    reply = ask({"content": "hi"}, f"audience={audience}")
    assert reply.status == 400
    assert [one["pointer"] for one in reply.json()["errors"]] in (["/audience"], ["audience"], ["#/audience"])


@pytest.mark.parametrize("level", ["full", "deep", "static,quick", "%00"])
def test_there_are_no_other_levels(ask, level):
    reply = ask({"content": "hi"}, f"level={level}")
    assert reply.status == 400
    assert [one["pointer"] for one in reply.json()["errors"]] in (["/level"], ["level"], ["#/level"])


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "empty-body"),
        (b"  \n ", "empty-body"),
        (b"{", "bad-json"),
        (b'{"content": ""}', None),
        (b'{"size": 99, "content": "x"}', None),
        (b'{"content": "x", "layers": [{"content": "data:,", "x": 0, "y": 0, "width": 9, "height": 9}]}', None),
        (b'["content"]', None),
        (b"\x89PNG\r\n\x1a\n", None),
        (b"hello", None),
    ],
)
def test_what_is_no_design_and_no_picture_is_refused(ask, body, code):
    reply = ask(body, "level=static")
    assert 400 <= reply.status < 500
    if code:
        assert reply.headers["x-api-error-code"] == code


def test_a_picture_without_a_code_is_told(ask):
    file = BytesIO()
    Image.new("L", (200, 200), 255).save(file, "PNG")
    reply = ask(file.getvalue(), "level=static")
    assert (reply.status, reply.headers["x-api-error-code"]) == (400, "no-symbol")


def test_one_of_several_symbols_is_no_accident(ask):
    """Structured append: its modules are told from the picture, whatever they encode."""
    file = BytesIO()
    segno.make_sequence("ABCDEFGHIJ" * 4, version=1, error="l")[0].save(file, kind="png", scale=8, border=4)
    reply = ask(file.getvalue(), "level=quick")
    assert (reply.status, reply.json()["budget"]["used"]) == (200, 0)


def test_a_body_has_a_limit(ask):
    assert ask(b"\x89PNG" + bytes(16 * 2**20), "level=static").status == 413
    too_long = b'{"content": "x", "name": "' + b"a" * 13_000_000 + b'"}'
    assert ask(too_long, "level=static").status == 413


def test_a_picture_with_more_pixels_than_readers_take_is_checked(ask):
    file = BytesIO()
    Image.open(BytesIO(picture(plain(size=20)))).convert("L").resize((5000, 5000)).save(file, "PNG")
    assert ask(file.getvalue(), "level=quick").json()["verdict"] == "robust"


@pytest.mark.parametrize("auth", [None, "x", "qk_" + "A" * 43])
def test_a_key_is_required(ask, auth):
    reply = ask({"content": "hi"}, "level=static", auth=auth)
    assert (reply.status, reply.headers["x-api-error-code"]) == (401, "unknown-key" if auth else "missing-key")


def test_the_posted_picture_is_not_sent_back(ask):
    reply = ask(
        {"content": "hi", "layers": [{"content": RED, "x": 0, "y": 0, "width": 9, "height": 9}]}, "level=static"
    )
    assert RED not in reply.text


# ---- generate


def faults(headers) -> str:
    return unquote(headers.get("x-api-warning", ""))


@pytest.mark.parametrize(
    "fields", [{}, {"padding": 0}, {"foreground": "#AAAAAA"}, {"padding": 0, "size": 3}, {"ec": "H"}]
)
def test_get_tells_the_score_and_what_is_in_the_way(client, fields):
    reply = client.get(GENERATE, content=LINK, **fields)
    scan = QRImage(Design(content=LINK, **fields)).scan
    assert (reply.status, reply.headers["x-scan-score"]) == (200, str(scan.score))
    assert ("x-api-warning" in reply.headers) == (scan.verdict != "robust")
    for issue in scan.issues:
        assert issue.message[:60] in faults(reply.headers)


@pytest.mark.parametrize("name", DESIGNS)
def test_post_tells_the_score_and_what_is_in_the_way(send, name):
    design = DESIGNS[name]
    reply = send(design.to_json().encode())
    scan = QRImage(design).scan
    assert (reply.status, reply.headers["x-scan-score"]) == (200, str(scan.score))
    assert scan.verdict in VERDICTS
    if scan.verdict != "robust":
        assert scan.issues[0].message[:60] in faults(reply.headers)


def test_notes_are_no_warnings(client):
    reply = client.get(GENERATE, content=LINK, padding=3)
    assert reply.headers["x-scan-score"] == "100"
    assert "x-api-warning" not in reply.headers


def test_nothing_is_refused_for_its_score(client, send):
    assert client.get(GENERATE, content=LINK, foreground="white").headers["x-scan-score"] == "0"
    hidden = {"content": "icon:square", "x": 0, "y": 0, "width": 400, "height": 400}
    assert send({"content": LINK, "layers": [hidden]}).status == 200


def test_a_drawing_that_nobody_can_look_at_is_sent_without_a_score(send):
    with within(0):
        reply = send(json.loads(DESIGNS["logo"].to_json()) | {"format": "svg"})
    assert reply.status == 200
    assert "x-scan-score" not in reply.headers


def test_pages_of_elsewhere_may_read_the_score(client):
    exposed = client.get(GENERATE, content=LINK).headers["access-control-expose-headers"]
    assert "X-Scan-Score" in exposed
