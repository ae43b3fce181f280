"""Who posts designs: a store, a key of it, and clients that send and check."""

import json
from wsgiref.validate import validator

import pytest

from qrkit import open_portfolio
from qrkit.portfolio.access import create_key, local_account
from qrkit.server import Client, Settings, make_app
from tests.server.test_errors import assert_keeps_the_contract


@pytest.fixture(scope="module")
def shop():
    with open_portfolio(":memory:", base_url="https://go.example.com") as portfolio:
        yield portfolio


@pytest.fixture(scope="module")
def key(shop):
    return create_key(shop.store, local_account(shop.store))


@pytest.fixture(scope="module")
def client(shop):
    return Client(
        validator(
            make_app(shop.store, Settings(base_url=shop.base_url, generates_a_minute=0, unknown_codes_a_minute=0))
        )
    )


@pytest.fixture(scope="module")
def send(client, key):
    """Post bytes, or JSON."""

    def send(body, client=client, **headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return client.request("POST", "/api/v3/generate", query=f"auth={key}", body=data, headers=sent)

    return send


@pytest.fixture(scope="module")
def picture(send):
    def picture(body):
        reply = send(body)
        assert reply.status == 200, reply.text
        return reply.body

    return picture


@pytest.fixture(scope="module")
def refused(send, key):
    """Post what must be refused; gives pointer -> code of all fields that are wrong."""

    def refused(body, status, code, words="", **options):
        reply = send(body, **options)
        assert_keeps_the_contract(reply)
        assert (reply.status, reply.headers["x-api-error-code"]) == (status, code)
        assert words in reply.json()["detail"]
        assert key not in reply.text + repr(reply.headers)
        return {one["pointer"]: one["code"] for one in reply.json().get("errors", ())}

    return refused
