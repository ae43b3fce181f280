"""Errors over HTTP are in words of HTTP: of parameters, fields and headers."""

import json
import re

import pytest

from tests.server.test_errors import assert_keeps_the_contract
from tests.server.test_statuses import PNG

OTHER_DOORS = re.compile(r"columns=|fetch=|--[a-z]|`|qrkit[. ]|\(\)|\bNone\b|valid (string|boolean|number)|%E2%80%A6")
"""Words of Python and of the command line, and an ellipsis that was percent-encoded."""
UNKNOWN_COLUMNS = b"landing page,title\r\nhttps://example.com,Door\r\n"
LAYER = {"x": 1, "y": 1, "width": 9, "height": 9}
WRONG = [
    ("POST", "track/import", "format=csv", UNKNOWN_COLUMNS, "in the parameter columns, as content=landing page"),
    ("POST", "track/import", "format=csv", b",,\r\na,b,c\r\n", "; say which column it is in the parameter columns"),
    ("POST", "track/import", "format=xml", b"{}", "is not XML"),
    ("POST", "track/import", "format=zip", b"{}", "not a zip archive"),
    ("POST", "track/import", "format=xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "not an Excel workbook"),
    ("POST", "generate", "", {"content": "hi", "layers": [LAYER | {"content": "x.png"}]}, "allowed: a data URI"),
    ("POST", "generate", "", {"content": "hi", "layers": [LAYER | {"content": "https://a.example/b.png"}]}, "data URI"),
    ("POST", "generate", "", {"content": 7, "wrapper": {"source": "x"}}, "must be a text"),
    ("POST", "generate", "", {"content": "hi" * 60, "template": "x"}, "no template"),
    ("POST", "track/qrcode", "", {"content": "hi", "isDynamic": "x", "location": {"latitude": "x"}}, "true or false"),
    ("GET", f"track/qrcode/{'0' * 32}", "", b"", "no QR Code"),
    ("GET", f"track/campaign/{'0' * 32}", "", b"", "no campaign"),
    ("PUT", "track/qrcode/door", "", {"name": "Door"}, "no QR Code 'door'; an ID is needed, not a short code"),
    ("PUT", "track/campaign/Spring", "", {"name": "May"}, "no campaign 'Spring'; an ID is needed, not a name"),
    ("POST", "check", "level=full", PNG, "must be one of static, quick, standard"),
    ("POST", "check", "level=x", PNG, "must be one of static, quick, standard"),
    ("POST", "decode", "", b"hello", "is not a picture"),
    ("GET", "generate", f"content={'x' * 61}&version=99&size={'9' * 70}", b"", "..."),
]


@pytest.mark.rule("H3")
@pytest.mark.parametrize(
    ("method", "path", "query", "body", "words"), WRONG, ids=[f"{one[1]} {one[4]}" for one in WRONG]
)
def test_errors_speak_of_http_alone(client, key, method, path, query, body, words):
    """Open: whose words an error has. Those of the one who reads it: no arguments of Python or of commands."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    reply = client.request(method, f"/api/v3/{path}", query=f"auth={key}&{query}", body=data)
    assert_keeps_the_contract(reply)
    text = reply.headers["x-api-error"]
    assert words in text
    assert OTHER_DOORS.search(text + json.dumps(reply.json())) is None
    assert "%" not in text
