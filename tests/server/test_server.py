"""The server as a process of its own and as an object in a notebook, behind real sockets."""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import urllib.error
import urllib.request
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from qrkit import decode, open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.portfolio.opening import portfolio_in
from qrkit.server import Settings, serve
from qrkit.server.sockets.socket_server import Server
from qrkit.store.served.database import served_store
from tests.server.raw import (
    LONGEST_WAIT,
    answers,
    assert_keeps_the_contract,
    connect,
    everything,
    one_answer,
    open_files,
    request,
    wait_until_closed,
)

pytestmark = pytest.mark.needs("loopback")

TARGET = "https://example.com/spring"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Unfollowed(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def qrkit(*arguments):
    """A command line of its own; what it says is text."""
    command = [sys.executable, "-W", "error", "-m", "qrkit", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")


def served(path):
    """A process that serves a store, on a port that is free."""
    given = ("--store", path, "--base-url", "https://go.example.com", "--port", 0, "--no-access-log")
    return qrkit("serve", *given, "--log-level", "warning")


def address_of(server):
    """Where a server listens that was given port 0; it says so once it does."""
    first, second = server.stdout.readline(), server.stdout.readline()
    assert "short URLs below https://go.example.com\n" in first, server.communicate()[1]
    assert "Ctrl-C stops" in second
    return re.search(r"at (http://127\.0\.0\.1:[1-9]\d*) ", first)[1]


def ended(server, number):
    """End a server; gives its status and what it said."""
    server.send_signal(number)
    return (*server.communicate(timeout=LONGEST_WAIT), server.returncode)


def status_of(url):
    with urllib.request.urlopen(url, timeout=LONGEST_WAIT) as reply:
        return reply.status


# As a process ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("T11")
def test_a_server_serves_holds_its_store_and_stops_cleanly(tmp_path):
    """Open: when a scan is safe, and who may open the file. It is stored with the answer; one process at a time."""
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path) as shop:
        shop.insert_qrcode(TARGET, name="Door", short_code="door")
    server = served(path)
    try:
        base = address_of(server)
        with urllib.request.urlopen(f"{base}/api/v3/generate?content=hi&format=svg") as reply:
            assert (reply.status, reply.headers["Content-Type"]) == (200, "image/svg+xml")
            assert reply.headers["X-Api-Version"] == "3.0"
            assert "Server" not in reply.headers
            assert reply.read().endswith(b"</svg>\n")
        with urllib.request.urlopen(f"{base}/api/v3/generate?content=%C3%BC") as reply:
            assert decode(reply.read()).content == "ü"
        with pytest.raises(urllib.error.HTTPError) as caught:
            asked = urllib.request.Request(f"{base}/door/tail", headers={"User-Agent": IPHONE})
            urllib.request.build_opener(Unfollowed).open(asked)
        with caught.value as reply:
            assert (reply.code, reply.headers["Location"]) == (302, TARGET)
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"{base}/api/v3/generate?content=hi&size=99")
        with caught.value as reply:
            assert (reply.code, reply.headers["X-Api-Error-Code"]) == (400, "out-of-range")
        connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=LONGEST_WAIT)
        connection.request("HEAD", "/door")
        reply = connection.getresponse()
        assert (reply.status, reply.read()) == (302, b"")
        connection.close()

        second = qrkit("serve", "--store", path, "--port", 0)
        said, complained = second.communicate(timeout=LONGEST_WAIT)
        assert (second.returncode, said) == (2, "")
        assert complained.startswith(f"qrkit serve: {path} is open in another process; close that one, or use its HTTP")
        assert complained.count("\n") == 1
    finally:
        end = ended(server, signal.SIGINT)
    assert end == ("", "", 0)
    assert [file.name for file in tmp_path.iterdir()] == ["shop.duckdb"]
    with open_portfolio(path) as shop:
        assert [code.scans for code in shop.list_qrcodes()] == [1]


V6 = pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="needs IPv6")


@pytest.mark.slow
@V6
@pytest.mark.parametrize(("host", "ways"), [("::1", ["[::1]"]), ("::", ["[::1]", "127.0.0.1"])])
def test_an_ipv6_host_is_shown_in_brackets_and_all_addresses_are_those_of_both_kinds(tmp_path, host, ways):
    server = qrkit("serve", "--store", tmp_path / "shop.duckdb", "--port", 0, "--host", host, "--no-access-log")
    try:
        port = re.search(r"at http://\[::1\]:(\d+) ", server.stdout.readline())[1]
        assert f"try http://[::1]:{port}/" in server.stdout.readline()
        assert [status_of(f"http://{way}:{port}/api/v3/health") for way in ways] == [200] * len(ways)
    finally:
        server.kill()
        server.communicate()


@pytest.mark.slow
def test_a_server_without_a_base_url_uses_its_port_takes_lists_either_way_and_logs_its_start_and_stop(tmp_path):
    path = tmp_path / "shop.duckdb"
    lists = ("--hosts", "a.example, b.example", "--hosts", "c.example")
    server = qrkit("serve", "--store", path, "--port", 0, "--no-access-log", *lists)
    try:
        first = server.stdout.readline()
        port = re.search(r"http://127\.0\.0\.1:(\d+) ", first)[1]
        assert f"short URLs below http://localhost:{port}\n" in first
        with portfolio_in(served_store(path)) as shop:
            code = shop.insert_qrcode(TARGET, short_code="door")
        assert code.short_url == f"http://localhost:{port}/door"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/door.png") as reply:
            assert decode(reply.read()).content == code.encoded
        for host, status in (("a.example", 200), ("b.example", 200), ("c.example", 200), ("d.example", 400)):
            connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=LONGEST_WAIT)
            connection.request("GET", "/api/v3/health", headers={"Host": host})
            assert connection.getresponse().status == status
            connection.close()
    finally:
        _, complained, status = ended(server, signal.SIGINT)
    messages = [json.loads(line)["message"] for line in complained.splitlines()]
    assert messages == [
        f"the server has started: {path} at http://127.0.0.1:{port}, short URLs http://localhost:{port}",
        "the server has stopped",
    ]
    assert status == 0
    with open_portfolio(path) as shop:
        assert shop.base_url == f"http://localhost:{port}"


@pytest.mark.slow
def test_a_server_that_is_ended_closes_its_store_as_well(tmp_path):
    server = served(tmp_path / "shop.duckdb")
    try:
        assert address_of(server)
    finally:
        end = ended(server, signal.SIGTERM)
    assert end == ("", "", 0)
    assert [file.name for file in tmp_path.iterdir()] == ["shop.duckdb"]


def people(port, answered, came, number):
    """Scan the door again and again, each time as somebody else, until nobody answers; note each answer."""
    at = SimpleNamespace(port=port)
    for scan in range(100_000):
        try:
            with connect(at) as connection:
                agent = f"User-Agent: {IPHONE} {number}.{scan}"
                connection.sendall(request("/door", agent, "Connection: close"))
                found = answers(everything(connection))
        except ConnectionError:
            return
        if not found:
            return
        answered.append(found[0].status)
        came.release()


@pytest.mark.slow
@pytest.mark.rule("T11")
def test_a_server_that_is_ended_answers_whom_it_heard_and_keeps_every_scan_it_answered(tmp_path):
    """Open: what is lost when a server ends. Nothing that it answered, and no answer to a request that it began."""
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path) as shop:
        shop.insert_qrcode(TARGET, name="Door", short_code="door")
    server = served(path)
    try:
        at = SimpleNamespace(port=urlsplit(address_of(server)).port)
        answered, came = [], threading.Semaphore(0)
        threads = [threading.Thread(target=people, args=(at.port, answered, came, number)) for number in range(16)]
        with connect(at) as sending, connect(at) as idle:
            body = b'{"content": "hi"}'
            sending.sendall(
                request("/api/v3/generate", f"Content-Length: {len(body)}", "Expect: 100-continue", method="POST")
            )
            assert sending.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
            for thread in threads:
                thread.start()
            idle.sendall(request("/api/v3/generate"))
            assert_keeps_the_contract(one_answer(idle))
            for _ in range(200):
                assert came.acquire(timeout=LONGEST_WAIT)
            server.send_signal(signal.SIGTERM)
            wait_until_closed(at)
            assert everything(idle) == b""
            sending.sendall(body)
            (answer,) = answers(everything(sending))
            assert_keeps_the_contract(answer)
            assert (answer.status, answer.headers["x-api-error-code"]) == (401, "missing-key")
        for thread in threads:
            thread.join(LONGEST_WAIT)
        assert (*server.communicate(timeout=LONGEST_WAIT), server.returncode) == ("", "", 0)
    finally:
        server.kill()
    assert set(answered) == {302}
    with open_portfolio(path) as shop:
        (door,) = shop.list_qrcodes()
    assert len(answered) <= door.scans <= len(answered) + len(threads)


# serve ----------------------------------------------------------------------------------------------------------------


def hello(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "5")])
    return [b"hello"]


@pytest.mark.parametrize("number", SIGNALS)
def test_serve_ends_on_a_signal_and_gives_the_handlers_back(number):
    before = [signal.getsignal(one) for one in SIGNALS]
    ports = []

    def ready(port):
        ports.append(port)
        assert [signal.getsignal(one) for one in SIGNALS] != before
        signal.raise_signal(number)

    serve(hello, Settings(port=0), ready=ready)
    assert ports[0]
    assert [signal.getsignal(one) for one in SIGNALS] == before
    wait_until_closed(SimpleNamespace(port=ports[0]))


@pytest.mark.slow
def test_a_server_loads_what_every_visit_needs_and_nothing_large_that_few_need():
    code = """
        import os, signal, sys
        from qrkit import open_portfolio
        from qrkit.server import Settings, make_app, serve

        def ready(port):
            print(sorted({"is_crawler", "ua_parser", "jinja2", "pandas", "lxml", "PIL"} & set(sys.modules)))
            os.kill(os.getpid(), signal.SIGTERM)

        with open_portfolio(":memory:") as shop:
            serve(make_app(shop.store), Settings(port=0), ready=ready)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert done.stdout == "['is_crawler']\n"


def test_serve_leaves_signals_alone_in_another_thread_and_closes_when_it_fails():
    before = [signal.getsignal(one) for one in SIGNALS]
    seen = []

    def ready(port):
        seen.extend([port, [signal.getsignal(one) for one in SIGNALS] == before])
        raise LookupError("not ready at all")

    def run():
        with pytest.raises(LookupError, match="not ready"):
            serve(hello, Settings(port=0), ready=ready)
        seen.append("raised")

    before_it = set(threading.enumerate())
    thread = threading.Thread(target=run)
    thread.start()
    thread.join(LONGEST_WAIT)
    assert seen[1:] == [True, "raised"]
    wait_until_closed(SimpleNamespace(port=seen[0]))
    assert set(threading.enumerate()) <= before_it


def test_a_port_in_use_and_hosts_that_are_none_are_told():
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        serve(hello, Settings(port=taken.getsockname()[1]))
    for host in ("\u00e4" * 70, "a..b", "a\0b"):
        with pytest.raises(InvalidParameter, match="host="):
            serve(hello, Settings(host=host, port=0))
    with pytest.raises(InvalidParameter, match="port=65536"):
        serve(hello, Settings(port=65_536))


# In a notebook --------------------------------------------------------------------------------------------------------


@pytest.fixture
def shop():
    with open_portfolio(":memory:", base_url="https://go.example.com") as portfolio:
        yield portfolio


def test_a_server_beside_a_notebook_serves_the_same_store(shop, capfd):
    with Server(shop, port=0) as server:
        assert server.url == f"http://127.0.0.1:{server.port}"
        shop.insert_qrcode(TARGET, short_code="door")
        with connect(server) as connection:
            connection.sendall(request("/door", f"User-Agent: {IPHONE}", "Connection: close"))
            (answer,) = answers(everything(connection))
        assert (answer.status, answer.headers["location"]) == (302, TARGET)
        assert [code.scans for code in shop.list_qrcodes()] == [1]
        assert repr(server) == f"<Server of :memory:, at {server.url}>"
        assert f'<a href="{server.url}"' in server._repr_mimebundle_()["text/html"]
    wait_until_closed(server)
    server.stop()
    assert repr(server) == "<Server of :memory:, stopped>"
    assert "href" not in server._repr_mimebundle_()["text/html"]
    assert shop.list_qrcodes()
    assert capfd.readouterr() == ("", "")


def test_settings_are_given_whole_or_one_by_one(shop):
    shop.insert_qrcode(TARGET, short_code="door")
    with Server(shop.store, Settings(port=1, record_visits=False), port=0) as server, connect(server) as connection:
        connection.sendall(request("/door", "Connection: close"))
        assert [answer.status for answer in answers(everything(connection))] == [302]
    assert [code.scans for code in shop.list_qrcodes()] == [0]
    with pytest.raises(TypeError, match="unexpected keyword argument 'prot'"):
        Server(shop, prot=0)
    with pytest.raises(InvalidParameter, match="threads=1: must be in"):
        Server(shop, port=0, threads=1)


def test_names_are_escaped_in_notebooks(shop):
    shop.store.path = "<b>&"
    with Server(shop, port=0, threads=4) as server:
        assert "<code>&lt;b&gt;&amp;</code>" in server._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize(
    ("host", "shown"), [("0.0.0.0", "127.0.0.1"), ("localhost", "localhost"), ("127.0.0.1", "127.0.0.1")]
)
def test_the_url_is_one_that_this_machine_reaches(shop, host, shown):
    with Server(shop, port=0, host=host, threads=4) as server:
        assert server.url == f"http://{shown}:{server.port}"
        assert status_of(f"{server.url}/api/v3/generate?content=hi") == 200


def test_a_cell_that_runs_again_leaves_one_server_and_takes_its_port_over(tmp_path):
    def cell():
        shop = open_portfolio(tmp_path / "shop.duckdb")
        return shop, Server(shop, port=port, threads=4)

    port = 0
    first_shop, first = cell()
    port = first.port
    second_shop, second = cell()
    assert (first.is_running, second.is_running, second.port) == (False, True, port)
    assert status_of(f"{second.url}/api/v3/generate?content=hi") == 200
    port = 0
    third_shop, third = cell()
    assert (second.is_running, third.is_running) == (False, True)
    third.stop()
    for shop in (first_shop, second_shop, third_shop):
        shop.store.close()


def test_servers_of_different_stores_run_side_by_side_unless_they_want_one_port(shop):
    with open_portfolio(":memory:") as other, Server(shop, port=0, threads=4) as one:
        with Server(other, port=0, threads=4) as two:
            assert one.is_running
            assert two.is_running
            assert one.port != two.port
        with Server(other, port=one.port, threads=4) as two:
            assert not one.is_running
            assert status_of(f"{two.url}/api/v3/generate?content=hi") == 200


@pytest.mark.slow
def test_running_a_cell_twenty_times_leaves_nothing_behind(shop):
    with Server(shop, port=0) as server:
        assert status_of(f"{server.url}/api/v3/generate?content=hi") == 200
    threads, files = set(threading.enumerate()), open_files()
    for _ in range(20):
        server = Server(shop, port=0)
        with connect(server) as idle:
            idle.sendall(request("/api/v3/generate?content=hi"))
            assert one_answer(idle).status == 200
            if server.port % 2:
                server.stop()
    server.stop()
    assert set(threading.enumerate()) <= threads
    assert open_files() == files


def test_a_store_that_is_closed_under_a_server_is_told_and_the_server_still_stops():
    shop = open_portfolio(":memory:")
    with Server(shop, port=0, threads=4) as server:
        shop.store.close()
        with connect(server) as connection:
            connection.sendall(request("/api/v3/generate?content=hi&auth=qk_x", "Connection: close"))
            (answer,) = answers(everything(connection))
        assert_keeps_the_contract(answer)
        assert answer.status >= 400
    assert not server.is_running


def test_stop_may_be_called_by_many_threads(shop):
    server = Server(shop, port=0, threads=4)
    threads = [threading.Thread(target=server.stop) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONGEST_WAIT)
    assert not server.is_running


def test_a_port_in_use_by_another_program_is_told_and_leaves_nothing(shop):
    threads = set(threading.enumerate())
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        Server(shop, port=taken.getsockname()[1])
    assert set(threading.enumerate()) <= threads


def test_a_server_that_cannot_listen_leaves_the_one_that_does(shop):
    with Server(shop, port=0) as server, socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(OSError, match="in use"):
            Server(shop, port=taken.getsockname()[1])
        assert server.is_running


@pytest.mark.slow
def test_a_program_that_ends_stops_its_server_before_the_store_is_closed(tmp_path):
    program = """
        import atexit, json, sys, urllib.request

        def at_end():  # before the server stops, as what was registered last runs first
            with urllib.request.urlopen(server.url + "/door") as reply:
                print(json.dumps([reply.status, reply.read().decode()[:15]]))

        from qrkit import open_portfolio
        from qrkit.server.sockets.socket_server import Server
        shop = open_portfolio(sys.argv[1])
        shop.insert_qrcode("just a text", short_code="door")
        server = Server(shop, port=0)
        atexit.register(at_end)
    """
    path = tmp_path / "shop.duckdb"
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(program), path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    assert json.loads(done.stdout) == [200, "<!doctype html>"]
    assert [file.name for file in tmp_path.iterdir()] == ["shop.duckdb"]
    with open_portfolio(path) as shop:
        assert len(shop.list_qrcodes()) == 1
