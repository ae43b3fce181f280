"""Which requests reach the console: tried over sockets, with another app where Voila would be."""

import asyncio
import http.client
import os
import re
import subprocess
import threading
from base64 import b64encode
from contextlib import contextmanager
from pathlib import Path

import pytest
from tornado.httpclient import HTTPRequest
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler
from tornado.websocket import WebSocketHandler, websocket_connect

from qrkit.notebook.console.gate import Gate
from tests.server.test_deployment import free_port, running

pytestmark = pytest.mark.needs("loopback")

TOKEN = "a-long-random-word"
KERNEL = "0b8f0d3c-1d5e-4d59-9a9e-3f1f6b1f2a3c"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
RECIPES = (Path(__file__).parents[3] / ".github" / "console.md").read_text(encoding="utf-8")
ECHO = "1b8f0d3c-1d5e-4d59-9a9e-3f1f6b1f2a3c"


class Behind(RequestHandler):
    """Stands for Voila."""

    def prepare(self):
        self.finish("behind the gate")


class Echo(WebSocketHandler):
    """Stands for a kernel."""

    def on_message(self, message):
        self.write_message(message)


@contextmanager
def serving(gate):
    """Serves the gate that a function makes; gives its port."""
    (listening,) = bind_sockets(0, "127.0.0.1")
    started, loops = threading.Event(), []

    def serve():
        loop = IOLoop(make_current=False)
        loops.append(loop)

        async def begin():
            HTTPServer(gate()).add_sockets([listening])
            started.set()

        loop.add_callback(begin)
        loop.start()
        loop.close(all_fds=True)

    thread = threading.Thread(target=serve)
    thread.start()
    assert started.wait(10)
    yield listening.getsockname()[1]
    loops[0].add_callback(loops[0].stop)
    thread.join()


@pytest.fixture(scope="module")
def port():
    """The port of a gate that knows the host qr.example.com, too."""
    app = Application([(f"/api/kernels/{ECHO}/channels", Echo), (".*", Behind)])
    with serving(lambda: Gate(app, TOKEN, ["qr.example.com"])) as port:
        yield port


def asking(port):
    def asked(path, method="GET", form=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        typed = {"Content-Type": "application/x-www-form-urlencoded"} if form else {}
        connection.request(method, path, form, headers={"Host": f"127.0.0.1:{port}"} | typed | given)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer, body

    return asked


@pytest.fixture
def ask(port):
    return asking(port)


def test_the_token_moves_from_the_address_to_a_cookie_of_this_port(ask, port):
    answer, _ = ask(f"/?token={TOKEN}")
    assert (answer.status, answer.getheader("Location")) == (302, "/")
    cookie = answer.getheader("Set-Cookie")
    assert cookie.startswith(f"qrkit-console-{port}={TOKEN};")
    assert {"HttpOnly", "SameSite=Lax"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert ask("/", Cookie=cookie.split(";")[0])[1] == "behind the gate"


def test_the_cookie_is_secure_behind_a_proxy_with_tls(ask):
    answer, _ = ask(f"/?token={TOKEN}", Host="qr.example.com", X_Forwarded_Proto="https")
    assert "; Secure" in answer.getheader("Set-Cookie")


def test_a_proxy_can_send_the_token(ask):
    assert ask("/", Host="qr.example.com", **BEARER)[1] == "behind the gate"


@pytest.mark.parametrize("path", ["/", "/voila/static/voila.js", f"/api/kernels/{KERNEL}/channels", "/api/contents"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer \xff"},
        {"Cookie": "qrkit-console=wrong"},
        {"Cookie": "qrkit-console-1=a-long-random-word"},
        {"Cookie": '"=;;;='},
    ],
)
def test_nothing_is_reached_without_the_token(ask, path, headers):
    answer, body = ask(path, **headers)
    assert answer.status == 403
    assert "This address needs its token" in body
    assert TOKEN not in body
    assert answer.getheader("Set-Cookie") is None
    assert ask(f"{path}?token=wrong", **headers)[0].status == 403


@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1:1", "null", "http://qr.example.com"])
@pytest.mark.parametrize("path", ["/", f"/api/kernels/{KERNEL}/channels"])
def test_requests_of_other_pages_are_refused_even_with_the_token(ask, origin, path):
    answer, body = ask(path, Origin=origin, **BEARER)
    assert answer.status == 403
    assert "came from another page" in body


def test_requests_of_the_own_page_pass(ask, port):
    own = f"http://127.0.0.1:{port}"
    assert ask(f"/api/kernels/{KERNEL}/channels", Origin=own, **BEARER)[1] == "behind the gate"
    own = {"Host": "qr.example.com", "Origin": "https://qr.example.com"}
    assert ask(f"/voila/api/shutdown/{KERNEL}", "POST", **own, **BEARER)[1] == "behind the gate"


@pytest.mark.parametrize("host", ["127.0.0.1:99999999", "127.0.0.1:65536", "127.0.0.1:x", "[", "[::1", "[x]:1"])
def test_a_host_that_cannot_be_is_refused(ask, host):
    assert ask("/", Host=host, **BEARER)[0].status == 400


@pytest.mark.parametrize("origin", ["http://[", "http://127.0.0.1:99999999", "[::1", ""])
def test_an_origin_that_cannot_be_is_refused(ask, origin):
    assert ask("/", Origin=origin, **BEARER)[0].status == 403


def test_a_host_of_somebody_else_is_refused(ask):
    answer, body = ask("/", Host="rebound.example", **BEARER)
    assert answer.status == 400
    assert "rebound.example" in body


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/kernels"),
        ("POST", "/api/kernels"),
        ("DELETE", f"/api/kernels/{KERNEL}"),
        ("GET", "/api/contents"),
        ("GET", "/api/terminals"),
        ("GET", "/api/sessions"),
        ("GET", "/lab"),
        ("GET", "/tree"),
        ("GET", "/login"),
        ("GET", "/voila/files/console.ipynb"),
        ("GET", "/voila/tree/"),
        ("GET", "/voila/render/console.ipynb"),
        ("GET", f"/voila/execution/{KERNEL}"),
        ("GET", f"/voila/api/shutdown/{KERNEL}"),
        ("POST", "/"),
        ("PUT", "/voila/static/voila.js"),
        ("OPTIONS", "/"),
    ],
)
def test_only_what_the_page_needs_is_there(ask, method, path):
    answer, body = ask(path, method, **BEARER)
    assert answer.status == 404
    assert body == "" or "nothing at this address" in body


def test_answers_forbid_other_hosts_frames_and_referrers(ask):
    answer, _ = ask("/")
    policy = answer.getheader("Content-Security-Policy")
    assert policy.startswith("default-src 'self';")
    assert "frame-ancestors 'none'" in policy
    assert "http" not in policy
    assert (answer.getheader("Referrer-Policy"), answer.getheader("Cache-Control")) == ("same-origin", "no-store")


def nginx_at(port, upstream, folder):
    """Nginx with the recipe, but for ports, paths, the token and TLS."""
    (folder / "qr.htpasswd").write_text("ana:{PLAIN}secret\n", encoding="utf-8")
    recipe = re.search(r"```nginx\n(.*?)```", RECIPES, re.DOTALL)[1]
    ours = {"/etc/nginx": str(folder), "127.0.0.1:8866": f"127.0.0.1:{upstream}", "Bearer TOKEN": f"Bearer {TOKEN}"}
    for old, new in ours.items():
        assert old in recipe
        recipe = recipe.replace(old, new)
    names = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{name}_temp_path {folder}/{name};\n" for name in names)
    user = "user root;\n" if os.geteuid() == 0 else ""
    start = f"{user}daemon off;\npid {folder}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{paths}"
    server = f"server {{\nlisten 127.0.0.1:{port};\n{recipe}}}\n}}\n"
    (folder / "nginx.conf").write_text(start + server, encoding="utf-8")
    return running(["nginx", "-e", "stderr", "-c", folder / "nginx.conf"], port)


def caddy_at(port, upstream, folder):
    """Caddy with the recipe, but for ports and TLS."""
    hashed = "$2b$04$vkopzss3KoClGFAg1dfdpeuyX0329H02QqgRhhIuaHBdpEJd21JSa"  # of "secret"
    recipe = re.search(r"```\n(qr\.example\.com \{.*?)```", RECIPES, re.DOTALL)[1]
    ours = {
        "qr.example.com": f"http://qr.example.com:{port}",
        "HASH": hashed,
        "127.0.0.1:8866": f"127.0.0.1:{upstream}",
    }
    for old, new in ours.items():
        assert old in recipe
        recipe = recipe.replace(old, new)
    version = subprocess.run(["caddy", "version"], capture_output=True, text=True, check=True).stdout
    if [int(number) for number in re.findall(r"\d+", version)[:2]] < [2, 8]:
        recipe = recipe.replace("basic_auth", "basicauth")  # its name before
    (folder / "Caddyfile").write_text(f"{{\nadmin off\n}}\n{recipe}", encoding="utf-8")
    environment = os.environ | {"QRKIT_CONSOLE_TOKEN": TOKEN, "XDG_DATA_HOME": str(folder), "HOME": str(folder)}
    command = ["caddy", "run", "--config", folder / "Caddyfile", "--adapter", "caddyfile"]
    return running(command, port, env=environment)


@pytest.mark.parametrize(
    "start",
    [
        pytest.param(start, marks=pytest.mark.needs(name))
        for name, start in {"nginx": nginx_at, "caddy": caddy_at}.items()
    ],
)
def test_recipes_for_proxies_ask_for_a_password_and_pass_pages_and_websockets_on(port, tmp_path, start):
    named = {"Host": "qr.example.com", "Origin": "http://qr.example.com"}
    password = {"Authorization": f"Basic {b64encode(b'ana:secret').decode()}"}
    proxy = free_port()

    def status(**headers):
        connection = http.client.HTTPConnection("127.0.0.1", proxy, timeout=10)
        connection.request("GET", "/", headers=headers)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer.status, body

    async def talk():
        url = f"ws://127.0.0.1:{proxy}/api/kernels/{ECHO}/channels"
        socket = await websocket_connect(HTTPRequest(url, headers=named | password))
        await socket.write_message("hello")
        answer = await socket.read_message()
        socket.close()
        return answer

    with start(proxy, port, tmp_path):
        assert status(**named)[0] == 401
        assert status(**named, **password) == (200, "behind the gate")
        assert status(**(named | {"Origin": "http://elsewhere.example"}), **password)[0] == 403
        assert asyncio.run(talk()) == "hello"
