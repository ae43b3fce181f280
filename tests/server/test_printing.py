"""Print sizes over HTTP: profiles, bleed and spot colors of POST generate and of exports for print."""

import json
import re
from base64 import b64encode

import pytest

from qrkit import PrintSize, generate
from tests import icc
from tests.server.posted import LINK

PROFILE = "data:application/vnd.iccprofile;base64," + b64encode(icc.profile()).decode()
RED = "#D20F39"
SHOP = {"sizeMm": 40, "profile": PROFILE}


@pytest.fixture(scope="module")
def press(tmp_path_factory):
    file = tmp_path_factory.mktemp("icc") / "press.icc"
    file.write_bytes(icc.profile())
    return file


@pytest.fixture(scope="module")
def export(client, key, shop):
    shop.insert_qrcode(LINK, name="Door")

    def export(ext, body, **asked):
        query = "&".join([f"auth={key}", *(f"{name}={value}" for name, value in asked.items())])
        return client.request("POST", f"/api/v3/track/export.{ext}", query=query, body=json.dumps(body).encode())

    return export


@pytest.mark.parametrize(
    ("format", "fields", "how"),
    [
        ("pdf", {"bleedMm": 3, "spots": {RED: "PANTONE 186 C"}}, {"bleed_mm": 3, "spots": {RED: "PANTONE 186 C"}}),
        ("tif", {"dpi": 200}, {"dpi": 200}),
    ],
)
def test_a_press_prints_what_python_prints(picture, press, format, fields, how):
    sent = picture({"content": LINK, "foreground": RED, "format": format} | SHOP | fields)
    printed = generate(LINK, foreground=RED, em="byte", warn=False).print_at(40, profile=press, **how)
    assert sent == printed.to_bytes(format)


def test_black_stays_black_without_a_profile(picture):
    sent = picture({"content": LINK, "format": "pdf", "sizeMm": 40, "keyBlack": True})
    assert sent == generate(LINK, em="byte").print_at(40, key_black=True).to_bytes("pdf")


@pytest.mark.parametrize(
    ("fields", "pointer", "code", "words"),
    [
        ({"profile": __file__}, "/profile", "bad-value", "must be a data URI"),
        ({"profile": "https://example.com/a.icc"}, "/profile", "bad-value", "must be a data URI"),
        ({"profile": "data:,x"}, "/profile", "bad-value", "not base64"),
        ({"profile": "data:;base64,AAAA"}, "/profile", "bad-value", "not the ICC profile of a CMYK printer"),
        ({"profile": 5}, "/profile", "bad-value", "must be a data URI"),
        ({"spots": {"red": "Warm Red"}}, "/spots", "bad-value", "needs a profile"),
        ({"bleedMm": 11}, "/bleedMm", "out-of-range", "0..10"),
        ({"bleedMm": 2, "format": "png"}, "/bleedMm", "bad-value", "is only for pdf"),
        ({"sizeMm": None, "dpi": 300}, "/sizeMm", "missing-parameter", "is required"),
        ({"sizeMm": "40"}, "/sizeMm", "wrong-type", "must be a number"),
        ({"sizeMm": 5000, "dpi": 5000, "format": "png"}, "/sizeMm", "out-of-range", "dots"),
    ],
)
def test_what_cannot_be_printed_is_refused_by_its_name(send, fields, pointer, code, words):
    reply = send({"content": LINK, "format": "pdf", "sizeMm": 40} | fields)
    (told,) = json.loads(reply.body)["errors"]
    assert (reply.status, told["pointer"], told["code"]) == (400, pointer, code)
    assert words in told["reason"]


def test_exports_are_printed_like_python_exports(export, shop, press):
    size = PrintSize(size_mm=30, bleed_mm=2, profile=press)
    fields = {"sizeMm": 30, "bleedMm": 2, "profile": PROFILE, "unheard": 1}
    reply = export("pdf", fields)
    assert reply.body == shop.export_bytes("pdf", print_size=size)
    assert "unheard" in reply.headers["x-api-warning"]
    reply = export("zip", fields, format="pdf", names="{name}")
    assert reply.body == shop.export_bytes("zip", image_format="pdf", print_size=size, names="{name}")


@pytest.mark.parametrize(
    ("ext", "fields", "status", "words"),
    [
        ("zip", {"sizeMm": 30, "bleedMm": 2}, 400, "bleedMm: is only for pdf"),
        ("pdf", {}, 400, "sizeMm: is required"),
        ("pdf", {"sizeMm": 30, "profile": "/etc/hosts"}, 400, "profile: must be a data URI"),
        ("pdf", {"sizeMm": 30, "profile": "data:;base64,AAAA"}, 400, "profile.*is not the ICC profile"),
        ("csv", {"sizeMm": 30}, 404, "the formats are zip, pdf"),
    ],
)
def test_exports_for_print_refuse_what_they_cannot_keep(export, ext, fields, status, words):
    reply = export(ext, fields)
    assert reply.status == status
    assert re.search(words, reply.text), reply.text


def test_what_cannot_be_printed_tracks_nothing(send, shop):
    before = len(shop.list_qrcodes())
    body = {"content": LINK, "format": "pdf", "shorten": "local"} | SHOP | {"profile": "data:;base64,AAAA"}
    reply = send(body)
    assert (reply.status, reply.json()["errors"][0]["pointer"]) == (400, "/profile")
    assert len(shop.list_qrcodes()) == before
    assert send(body | {"profile": PROFILE}).status == 200
    assert len(shop.list_qrcodes()) == before + 1
