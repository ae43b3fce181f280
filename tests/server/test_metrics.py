"""`GET /api/v3/metrics`: what it counts, in the text format of OpenMetrics, and who may read it."""

import threading
from http import HTTPStatus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, UnreadableFile
from qrkit.portfolio.access import create_key
from qrkit.server import Client, Settings, make_app
from qrkit.server.operation.metrics import BUCKETS, Family, Metrics, Sample, metrics_of, write_openmetrics
from qrkit.store.recording.recorder import drain
from tests.inboxes import failing
from tests.server.test_errors import assert_keeps_the_contract

METRICS = "/api/v3/metrics"
TOKEN = "0123456789abcdef-token"
PHONE = {"User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)"}
SETTINGS = Settings(base_url="https://go.example.com", generates_a_minute=0, unknown_codes_a_minute=0)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "token"
    path.write_text(f"{TOKEN}\n")
    return str(path)


@pytest.fixture
def shop():
    with open_portfolio(":memory:", base_url="https://go.example.com") as shop:
        shop.insert_qrcode("https://example.com/spring", short_code="door")
        yield shop


@pytest.fixture
def client(shop, file):
    return Client(make_app(shop.store, SETTINGS.replace(metrics_token_file=file)), headers=PHONE)


def read(data):
    """The values of all samples, by name and labels."""
    families = text_string_to_metric_families(data.decode())
    return {(one.name, *sorted(one.labels.items())): one.value for family in families for one in family.samples}


def scraped(client):
    reply = client.get(METRICS, headers={"Authorization": f"Bearer {TOKEN}"})
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert reply.headers["cache-control"] == "no-store"
    return read(reply.body)


def requests(found):
    return {
        (labels["route"], int(labels["code"])): value
        for (name, *pairs), value in found.items()
        if name == "qrkit_requests_total"
        for labels in [dict(pairs)]
    }


# Who may read them ----------------------------------------------------------------------------------------------------


def test_strangers_cannot_tell_metrics_from_any_other_path_while_they_are_off(shop):
    client = Client(make_app(shop.store, SETTINGS))
    key = create_key(shop.store, shop.account)
    for headers in ({}, {"Authorization": f"Bearer {TOKEN}"}, {"Authorization": f"Bearer {key}"}):
        reply = client.get(METRICS, headers=headers)
        assert_keeps_the_contract(reply)
        assert (reply.status, reply.headers["x-api-error-code"]) == (404, "not-found")


def test_only_the_token_opens_them(shop, client):
    key = create_key(shop.store, shop.account)
    for token in (
        "",
        "Bearer",
        "Bearer x",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        f"Basic {TOKEN}",
        f"Bearer {key}",
    ):
        reply = client.get(METRICS, headers={"Authorization": token})
        assert_keeps_the_contract(reply)
        assert (reply.status, reply.headers["x-api-error-code"]) == (401, "bad-token")
        assert TOKEN not in reply.text
    assert client.get(METRICS, auth=TOKEN).status == 401
    assert scraped(client)


def test_whoever_guesses_tokens_is_slowed_down(shop, file):
    client = Client(make_app(shop.store, Settings(generates_a_minute=3, metrics_token_file=file)))
    found = [client.get(METRICS, headers={"Authorization": f"Bearer {number}"}).status for number in range(4)]
    assert found == [401] * 3 + [429]
    assert scraped(client)


@pytest.mark.parametrize("text", ["", "\n", "short", "fifteen-letters", "two words of sixteen", "x" * 15 + "ž"])
def test_a_file_without_a_token_is_refused_and_its_text_is_not_repeated(shop, tmp_path, text):
    path = tmp_path / "token"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidParameter, match="one word of at least 16 ASCII characters") as caught:
        make_app(shop.store, Settings(metrics_token_file=str(path)))
    assert caught.value.name == "metrics_token_file"
    assert not text.strip() or text not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(UnreadableFile, match="nothing: No such file"):
        metrics_of(str(tmp_path / "nothing"))
    (tmp_path / "bytes").write_bytes(b"\xff" * 20)
    with pytest.raises(UnreadableFile, match="bytes is not UTF-8 text"):
        metrics_of(str(tmp_path / "bytes"))


# What they count ------------------------------------------------------------------------------------------------------


def test_each_request_counts_once_by_its_route_and_status(client):
    assert requests(scraped(client)) == {}
    for path in ("/door", "/door/tail", "/door", "/nobody", "/door+", "/api/v3/nothing", "/api/v3/track/list"):
        client.get(path)
    client.request("HEAD", "/door")
    client.request("OPTIONS", "/door")
    client.request("PATCH", "/api/v3/generate")
    client.get("/door", headers={"Host": "evil.example"})
    assert requests(scraped(client)) == {
        ("/{code}", 302): 3,
        ("/{code}/{urlinfo}", 302): 1,
        ("/{code}", 404): 1,
        ("/{code}+", 200): 1,
        ("/api/v3/track/list", 401): 1,
        ("other", 404): 1,
        ("other", 204): 1,
        ("other", 405): 1,
        ("other", 400): 1,
        (METRICS, 200): 1,
    }


def test_requests_beyond_a_limit_are_counted(shop, file):
    client = Client(make_app(shop.store, Settings(generates_a_minute=2, metrics_token_file=file)))
    for _ in range(5):
        client.get("/api/v3/generate", content="hi")
    found = scraped(client)
    assert requests(found) == {("/api/v3/generate", 200): 2, ("/api/v3/generate", 429): 3}
    assert found["qrkit_work_total", ("work", "plain")] == 2
    assert found["qrkit_work_seconds_total", ("work", "plain")] > 0


def test_visits_are_counted_by_what_became_of_them(shop, client):
    def visits():
        found = scraped(client)
        outcomes = [found["qrkit_visits_total", ("outcome", one)] for one in ("recorded", "late", "lost")]
        return [*outcomes, found["qrkit_visits_waiting",]]

    assert visits() == [0, 0, 0, 0]
    for number in range(3):
        client.request("GET", "/door", address=f"203.0.113.{number}")
    assert visits() == [3, 0, 0, 3]
    drain(shop.store)
    assert visits() == [3, 0, 0, 0]
    with failing(shop.store):
        client.request("GET", "/door", address="203.0.113.9")
    assert visits()[:3] == [3, 0, 1]


def test_readiness_and_the_version_are_told(shop, client):
    found = scraped(client)
    assert found["qrkit_ready",] == 1
    assert any(name == "qrkit_info" and value == 1 for (name, *_), value in found.items())
    shop.close()
    assert scraped(client)["qrkit_ready",] == 0


def test_strangers_make_no_new_series(client):
    for number in range(200):
        client.get(f"/x{number}")
        client.get(f"/api/v3/x{number}")
        client.request("GET", f"/door.{number}")
    assert len(requests(scraped(client))) <= 4


# Counting and writing -------------------------------------------------------------------------------------------------


def test_threads_lose_no_count():
    metrics, number = Metrics(TOKEN), 2_000

    def count():
        for _ in range(number):
            metrics.count("/{code}", 302, 0.25)

    threads = [threading.Thread(target=count) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    found = read(write_openmetrics(metrics.families()))
    assert requests(found) == {("/{code}", 302): 8 * number}
    assert found["qrkit_request_duration_seconds_sum", ("route", "/{code}")] == 8 * number * 0.25


@given(st.lists(st.floats(0, 100), max_size=50))
def test_buckets_hold_all_durations_up_to_their_bound(durations):
    metrics = Metrics(TOKEN)
    for seconds in durations:
        metrics.count("", HTTPStatus.OK, seconds)
    found = read(write_openmetrics(metrics.families()))
    for bound in BUCKETS:
        value = found.get(("qrkit_request_duration_seconds_bucket", ("le", repr(bound)), ("route", "other")), 0)
        assert value == sum(seconds <= bound for seconds in durations)
    assert found.get(("qrkit_request_duration_seconds_count", ("route", "other")), 0) == len(durations)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.floats(allow_nan=False, allow_infinity=False))
def test_any_label_and_number_is_read_as_it_was_written(text, value):
    family = Family("a", "gauge", 'One\nof "two" \\ lines.', [Sample(value, {"label": text})])
    (read_family,) = text_string_to_metric_families(write_openmetrics([family]).decode())
    (sample,) = read_family.samples
    assert (sample.labels, sample.value) == ({"label": text}, value)
