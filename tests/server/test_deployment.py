"""The files in `.github/deploy/`: proxies in front of a server, the systemd unit, the Dockerfile, the compose file."""

import json
import os
import re
import secrets
import signal
import socket
import ssl
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest
import yaml

from qrkit import open_portfolio
from qrkit.server.settings import ENVIRONMENT
from qrkit.store.state_folder import STATE_VARIABLE
from tests.server.raw import LONGEST_WAIT

DEPLOY = Path(__file__).parents[2] / ".github" / "deploy"
SETTINGS = {*ENVIRONMENT, STATE_VARIABLE, "QRKIT_SETTINGS"}


def text_of(name):
    return (DEPLOY / name).read_text(encoding="utf-8")


def free_port():
    """A port for a program that starts later; none of those that connections get, or one might have it by then."""
    while True:
        port = 10_000 + secrets.randbelow(22_768)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


# A server behind a proxy ----------------------------------------------------------------------------------------------


@contextmanager
def running(command, port, **options):
    """A program that listens on a port; it is ended at the end."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8", **options)
    try:
        until = time.monotonic() + LONGEST_WAIT
        while True:
            assert process.poll() is None, process.stderr.read()
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert time.monotonic() < until
                time.sleep(0.02)
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LONGEST_WAIT)


def served_at(port, store):
    command = [sys.executable, "-m", "qrkit", "serve", "--store", str(store), "--port", str(port)]
    return running([*command, "--trusted-proxies", "127.0.0.1"], port, stdout=subprocess.DEVNULL)


def nginx_at(port, upstream, folder):
    """Nginx with our file, but for ports, paths and the certificate; the rest of its settings are those of Debian."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    ours = text_of("nginx.conf")
    for old, new in {
        "127.0.0.1:8080": f"127.0.0.1:{upstream}",
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        "/etc/letsencrypt/live/go.example.com/fullchain.pem": str(certificate),
        "/etc/letsencrypt/live/go.example.com/privkey.pem": str(key),
        "/var/log/nginx/": f"{folder}/",
    }.items():
        assert old in ours
        ours = ours.replace(old, new)
    paths = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;\n" if os.geteuid() == 0 else ""
    start = f"{user}daemon off;\npid {folder}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{paths}"
    (folder / "nginx.conf").write_text(f"{start}{ours}}}\n", encoding="utf-8")
    return running(["nginx", "-e", "stderr", "-c", folder / "nginx.conf"], port), certificate, folder / "qrkit.log"


def caddy_at(port, upstream, folder):
    """Caddy with our file, and the certificate authority of its own that it uses for localhost."""
    options = f"{{\nadmin off\nskip_install_trust\nhttp_port {free_port()}\nhttps_port {port}\n}}\n"
    file, log = folder / "Caddyfile", folder / "caddy.log"
    ours = text_of("Caddyfile").replace("log {", f"log {{\noutput file {log}", 1)
    file.write_text(options + ours, encoding="utf-8")
    environment = os.environ | {
        "DOMAIN": "localhost", "UPSTREAM": f"127.0.0.1:{upstream}", "XDG_DATA_HOME": str(folder), "HOME": str(folder),
    }  # fmt: skip
    command = ["caddy", "run", "--config", file, "--adapter", "caddyfile"]
    return running(command, port, env=environment), folder / "caddy/pki/authorities/local/root.crt", log


PROXIES = {"nginx": nginx_at, "caddy": caddy_at}


class Behind:
    """A server behind a proxy, as a client reaches it."""

    def __init__(self, port, certificate, server, log):
        self._port, self._server, self._log = port, server, log
        until = time.monotonic() + LONGEST_WAIT
        while not certificate.exists():
            assert time.monotonic() < until
            time.sleep(0.02)
        self._trust = ssl.create_default_context(cafile=certificate)
        while True:  # Caddy listens before it has the certificate for the host
            try:
                self.ask("GET", "/health/live")
                break
            except ssl.SSLError:
                assert time.monotonic() < until
                time.sleep(0.02)

    def ask(self, method, path, *, source="127.0.0.1", body=None, headers=None):
        """Ask over HTTPS from a loopback address; gives the status, the headers and the body of the answer."""
        plain = socket.create_connection(("127.0.0.1", self._port), LONGEST_WAIT, source_address=(source, 0))
        connection = HTTPConnection("localhost", self._port)
        connection.sock = self._trust.wrap_socket(plain, server_hostname="localhost")
        try:
            connection.request(method, path, body=body, headers=headers or {})
            reply = connection.getresponse()
            return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read()
        finally:
            connection.close()

    def line(self, id):
        """What the log of the server says about a request."""
        for text in self._server.stderr:
            line = json.loads(text) if text.startswith("{") else {}
            if line.get("request") == id:
                return line
        raise AssertionError(f"no line of {id}")

    def logged(self):
        """The log of the proxy."""
        return self._log.read_text(encoding="utf-8")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=[pytest.mark.needs(name, "openssl", "loopback"), pytest.mark.slow]) for name in PROXIES
    ],
)
def behind(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    with open_portfolio(folder / "shop.duckdb", base_url="https://go.example.com") as shop:
        shop.insert_qrcode("https://example.com/spring", short_code="door")
        page = {"href": "https://example.com/rice", "linkType": "gs1:pip", "title": "Rice"}
        shop.gs1.set("9506000134352", links=[page])
    port, upstream = free_port(), free_port()
    proxy, certificate, log = PROXIES[request.param](port, upstream, folder)
    with served_at(upstream, folder / "shop.duckdb") as server, proxy:
        yield Behind(port, certificate, server, log)


def test_short_urls_lead_on_through_the_proxy(behind):
    status, headers, _ = behind.ask("GET", "/door//a%2Fb?utm=1")
    assert (status, headers["location"]) == (302, "https://example.com/spring")
    status, headers, body = behind.ask("GET", "/api/v3/generate?content=hi&format=svg")
    assert (status, headers["x-api-version"]) == (200, "3.0")
    assert b"<svg" in body


def test_gs1_digital_links_lead_on_through_the_proxy(behind):
    link = "/01/09506000134352/10/A%2FB"
    status, headers, _ = behind.ask("GET", f"{link}?x=1")
    assert (status, headers["location"]) == (302, "https://example.com/rice?x=1")
    asking = {"Origin": "https://gs1.org", "Access-Control-Request-Method": "GET"}
    status, headers, _ = behind.ask("OPTIONS", link, headers=asking)
    assert (status, headers["access-control-allow-origin"]) == (204, "*")
    assert headers["link"].startswith("<https://localhost:")
    assert f'{link}?linkType=linkset>; rel="linkset"; type="application/linkset+json"' in headers["link"]
    assert json.loads(behind.ask("GET", "/.well-known/gs1resolver")[2])["resolverRoot"] == "https://go.example.com"


def test_a_request_has_one_id_in_both_logs_and_the_client_cannot_choose_it(behind):
    ids = []
    for _ in range(2):
        _, headers, _ = behind.ask("GET", "/api/v3/nothing", headers={"X-Request-ID": "chosen"})
        ids.append(headers["x-request-id"])
        assert behind.line(ids[-1])["path"] == "/api/v3/nothing"
    assert len({*ids, "chosen"}) == 3


def test_the_server_knows_clients_apart_and_believes_nothing_they_say_of_their_address(behind):
    def mark(source, **headers):
        _, answer, _ = behind.ask("GET", "/api/v3/nothing", source=source, headers=headers)
        return behind.line(answer["x-request-id"])["client"]

    first = mark("127.0.0.1")
    assert mark("127.0.0.2") != first
    for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "True-Client-IP"):
        assert mark("127.0.0.1", **{name: "203.0.113.7"}) == first
    assert mark("127.0.0.1", **{"X-Forwarded-For": "203.0.113.7, 127.0.0.2"}) == first


def test_the_largest_body_reaches_the_server_and_a_larger_one_is_refused(behind):
    status, headers, _ = behind.ask("POST", "/api/v3/decode", body=b"x" * 16 * 2**20)
    assert (status, headers["x-api-version"]) == (400, "3.0")
    # Only the beginning of the body is sent: it is refused for the length it is said to have. Caddy sends nothing on
    # before it has 4 KiB.
    beginning = b"x" * 64 * 2**10
    status, _, _ = behind.ask("POST", "/api/v3/decode", body=beginning, headers={"Content-Length": f"{18 * 2**20}"})
    assert status == 413


def test_the_log_of_the_proxy_has_no_key(behind):
    key = "qk_0123456789012345678901234567890123456789012"
    _, headers, _ = behind.ask("GET", f"/api/v3/track/list?auth={key}", headers={"Authorization": f"Bearer {key}"})
    assert behind.line(headers["x-request-id"])["status"] == 401
    until = time.monotonic() + LONGEST_WAIT
    while "/api/v3/track/list" not in behind.logged():
        assert time.monotonic() < until
        time.sleep(0.02)
    assert key not in behind.logged()


# Files that nothing here can run --------------------------------------------------------------------------------------


@pytest.mark.needs("systemd-analyze")
def test_the_unit_is_what_systemd_understands_and_little_is_open_to_it(tmp_path):
    unit = tmp_path / "qrkit.service"
    text = text_of("qrkit.service")
    assert "ExecStart=/opt/qrkit/bin/qrkit serve\n" in text
    unit.write_text(text.replace("/opt/qrkit/bin/qrkit", sys.executable), encoding="utf-8")
    verified = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stderr) == (0, "")
    judged = ["systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", unit]
    assert subprocess.run(judged, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("name", ["Dockerfile", "compose.yaml", "qrkit.service"])
def test_each_variable_in_a_file_is_a_setting(name):
    assert {*re.findall(r"QRKIT_[A-Z_]+", text_of(name))} <= SETTINGS


def test_the_compose_file_names_only_what_it_has():
    read = yaml.safe_load(text_of("compose.yaml"))
    services = read["services"]
    for service in services.values():
        assert {*service.get("depends_on", [])} <= services.keys()
        assert {*service["networks"]} <= read["networks"].keys()
        for source in (volume.partition(":")[0] for volume in service["volumes"]):
            assert (DEPLOY / source).exists() if source.startswith(".") else source in read["volumes"]
        build = service.get("build")
        assert not build or (DEPLOY / build["context"] / build["dockerfile"]).is_file()
    server = services["server"]
    assert server["read_only"]
    assert server["environment"]["QRKIT_TRUSTED_PROXIES"] == read["networks"]["inside"]["ipam"]["config"][0]["subnet"]
    assert [name for name, service in services.items() if "ports" in service] == ["caddy"]


def test_the_image_runs_as_an_ordinary_user_and_holds_what_is_needed():
    text = text_of("Dockerfile")
    last = text[text.rindex("\nFROM ") :]
    assert re.search(r"^USER [1-9]\d*$", last, re.MULTILINE)
    assert re.search(r"^HEALTHCHECK ", last, re.MULTILINE)
    allowed = {line[1:] for line in text_of("Dockerfile.dockerignore").splitlines() if line.startswith("!")}
    copied = {name for line in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE) for name in line.split()}
    assert copied == allowed
    assert all((DEPLOY.parents[1] / name).exists() for name in copied)
