import io
from wsgiref.validate import validator

import pytest

from qrkit import open_portfolio
from qrkit.server import Client, Reply, make_app


def mirror(environ, start_response):
    """An app that answers with the request it was sent."""
    names = ("REQUEST_METHOD", "PATH_INFO", "QUERY_STRING", "REMOTE_ADDR", "HTTP_X_ONE", "HTTP_X_TWO", "SCRIPT_NAME")
    lines = [f"{name}={environ[name]}" for name in names if name in environ]
    lines.append(f"body={environ['wsgi.input'].read(10)!r}")
    start_response("207 Multi-Status", [("Content-Type", "text/plain; charset=utf-8"), ("X-One", "1")])
    return ["\n".join(lines).encode()]


@pytest.fixture
def client():
    return Client(validator(mirror), headers={"X-One": "default", "X-Two": "default"}, address="203.0.113.7")


def seen(reply):
    return dict(line.split("=", 1) for line in reply.text.split("\n"))


def test_a_reply_has_status_headers_and_body(client):
    reply = client.get("/x")
    assert (reply.status, reply.headers["x-one"]) == (207, "1")
    assert repr(reply) == f"<Reply 207, text/plain; charset=utf-8, {len(reply.body)} bytes>"
    assert reply.text.encode() == reply.body


def test_a_client_and_its_app_name_the_store():
    with open_portfolio(":memory:") as shop:
        app = make_app(shop.store)
        assert repr(Client(app)) == "<Client of <App of <Store :memory:>>, from 127.0.0.1>"
        assert repr(app.redirects) == "<Redirects of <Store :memory:>: 0 recorded, 0 late, 0 lost>"


def test_a_reply_reads_as_text_and_json():
    reply = Reply(200, {}, '{"a": ["é"]}'.encode())
    assert (reply.text, reply.json()) == ('{"a": ["é"]}', {"a": ["é"]})
    assert repr(reply) == "<Reply 200, , 13 bytes>"


def test_keywords_become_the_query_string(client):
    found = seen(client.get("/x", content="a b&c=é", size=8))
    assert (found["REQUEST_METHOD"], found["PATH_INFO"]) == ("GET", "/x")
    assert found["QUERY_STRING"] == "content=a%20b%26c%3D%C3%A9&size=8"


def test_headers_of_a_request_join_those_of_the_client(client):
    found = seen(client.get("/x", headers={"X-Two": "own"}))
    assert (found["HTTP_X_ONE"], found["HTTP_X_TWO"]) == ("default", "own")


def test_the_address_is_the_client_s_or_the_request_s(client):
    assert seen(client.get("/x"))["REMOTE_ADDR"] == "203.0.113.7"
    assert seen(client.request("GET", "/x", address="192.0.2.1"))["REMOTE_ADDR"] == "192.0.2.1"
    assert seen(Client(mirror).get("/x"))["REMOTE_ADDR"] == "127.0.0.1"


def test_a_request_is_sent_as_it_is_with_its_path_as_wsgi_writes_it(client):
    found = seen(client.request("DELETE", "/ü", query="a=%FF&a=1"))
    assert (found["REQUEST_METHOD"], found["QUERY_STRING"]) == ("DELETE", "a=%FF&a=1")
    assert found["PATH_INFO"].encode("latin-1").decode() == "/ü"
    assert found["body"] == "b''"


def test_the_answer_is_closed_even_when_it_breaks():
    class Body(io.BytesIO):
        def __next__(self):
            raise ZeroDivisionError

    body = Body(b"x")

    def app(environ, start_response):
        start_response("200 OK", [])
        return body

    with pytest.raises(ZeroDivisionError):
        Client(app).get("/")
    assert body.closed
