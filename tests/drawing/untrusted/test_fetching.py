import logging
import socket
import ssl
import subprocess
from collections.abc import Callable
from threading import Event, Thread

import pytest

from qrkit.drawing.untrusted.fetching import MOST_BYTES, Fetcher, is_public
from qrkit.errors import AssetError, InvalidParameter

PNG = b"\x89PNG\r\n\x1a\n" + b"a picture"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'
PUBLIC = "93.184.216.34"
OTHER_PUBLIC = "2606:2800:220:1:248:1893:25c8:1946"
HOST = "images.example.com"


def answer(body: bytes = PNG, kind: str = "image/png", status: str = "200 OK", **headers: str) -> bytes:
    lines = {"Content-Type": kind, "Content-Length": str(len(body))} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1") + body


def moved(to: str) -> bytes:
    return answer(b"", "", "302 Found", Location=to)


class Pipe:
    """A connection that plays an answer, some bytes at a time, while a clock runs."""

    def __init__(self, world: "World", data: bytes) -> None:
        self.world, self.data = world, data
        self.sent = b""
        self.limits: list[float] = []
        self.closed = False

    def settimeout(self, value: float) -> None:
        self.limits.append(value)

    def sendall(self, data: bytes) -> None:
        self.sent += data

    def recv_into(self, buffer: memoryview) -> int:
        self.world.now += self.world.pause
        size = min(len(buffer), self.world.step)
        part, self.data = self.data[:size], self.data[size:]
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        self.closed = True


class World:
    """Names, hosts and the time, as a fetcher sees them; it keeps account of what was asked."""

    def __init__(self, *answers: bytes, addresses: dict[str, list[str]] | None = None) -> None:
        self.answers = list(answers)
        self.addresses = addresses if addresses is not None else {HOST: [PUBLIC]}
        self.asked: list[str] = []
        self.connected: list[tuple[str, str]] = []
        self.pipes: list[Pipe] = []
        self.now, self.pause, self.step = 1000.0, 0.0, 1 << 20

    def resolve(self, host: str, seconds: float) -> list[str]:
        self.asked.append(host)
        return self.addresses.get(host, [])

    def connect(self, address: str, host: str, seconds: float) -> Pipe:
        assert 0 < seconds <= 3
        self.connected.append((address, host))
        pipe = Pipe(self, self.answers.pop(0))
        self.pipes.append(pipe)
        return pipe

    def fetcher(self, *allow: str) -> Fetcher:
        return Fetcher(allow or (HOST,), self.resolve, self.connect, lambda: self.now)


def refusal(fetch: Callable[[str], bytes], url: str) -> str:
    with pytest.raises(AssetError) as caught:
        fetch(url)
    return str(caught.value)


UNIFORM = "url: cannot be fetched"


# ---- what is let through


@pytest.mark.rule("G20")
def test_a_picture_from_an_allowed_host_is_fetched_from_the_address_that_was_judged():
    """Open: whether pictures may be given by address. Yes, from hosts the operator named, and under this policy."""
    world = World(answer())
    assert world.fetcher()(f"https://{HOST}/a/logo.png?size=3#top") == PNG
    assert (world.asked, world.connected) == ([HOST], [(PUBLIC, HOST)])
    [pipe] = world.pipes
    assert pipe.closed
    lines = pipe.sent.decode().split("\r\n")
    assert lines[0] == "GET /a/logo.png?size=3 HTTP/1.1"
    assert f"Host: {HOST}" in lines
    assert "Accept-Encoding: identity" in lines
    assert not [line for line in lines if line.lower().startswith(("cookie", "authorization", "referer"))]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (PNG, "image/png"),
        (PNG, "Image/PNG; charset=binary"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"\xff\xd8\xff\xe0", "image/jpg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"\0\0\1\0", "image/vnd.microsoft.icon"),
        (SVG, "image/svg+xml"),
    ],
)
def test_png_jpeg_and_svg_are_taken(body, kind):
    assert World(answer(body, kind)).fetcher()(f"https://{HOST}/") == body


def test_a_body_in_chunks_is_put_together():
    chunks = b"4\r\n\x89PNG\r\n5\r\n\r\n\x1a\nx\r\n0\r\n\r\n"
    world = World(answer(chunks, Content_Length="", Transfer_Encoding="chunked"))
    assert world.fetcher()(f"https://{HOST}/") == b"\x89PNG\r\n\x1a\nx"


@pytest.mark.parametrize("host", ["example.com", "www.example.com", "a.b.example.com"])
@pytest.mark.rule("G20")
def test_hosts_are_named_one_by_one_or_by_an_ending(host):
    allow = ("example.com", ".example.com")
    assert World(answer(), addresses={host: [PUBLIC]}).fetcher(*allow)(f"https://{host.upper()}:443/") == PNG


def test_a_second_address_is_tried_where_the_first_does_not_answer():
    world = World(answer(), addresses={HOST: [OTHER_PUBLIC, PUBLIC]})

    def connect(address: str, host: str, seconds: float) -> Pipe:
        if address == OTHER_PUBLIC:
            raise OSError("no route")
        return world.connect(address, host, seconds)

    assert Fetcher((HOST,), world.resolve, connect, lambda: world.now)(f"https://{HOST}/") == PNG


def test_two_redirects_are_followed():
    world = World(moved("/b.png"), moved(f"https://cdn.{HOST}/c.png"), answer())
    world.addresses[f"cdn.{HOST}"] = [OTHER_PUBLIC]
    assert world.fetcher(HOST, f".{HOST}")(f"https://{HOST}/a.png") == PNG
    assert world.connected == [(PUBLIC, HOST), (PUBLIC, HOST), (OTHER_PUBLIC, f"cdn.{HOST}")]
    assert [pipe.sent.split()[1] for pipe in world.pipes] == [b"/a.png", b"/b.png", b"/c.png"]


def test_a_picture_is_kept_for_some_minutes():
    world = World(answer(), answer(SVG, "image/svg+xml"))
    fetch = world.fetcher()
    assert fetch(f"https://{HOST}/") == fetch(f"https://{HOST}/") == PNG
    world.now += 301
    assert fetch(f"https://{HOST}/") == SVG


def test_failures_are_not_kept():
    world = World(answer(status="503 Busy"), answer())
    fetch = world.fetcher()
    refusal(fetch, f"https://{HOST}/")
    assert fetch(f"https://{HOST}/") == PNG


# ---- addresses


FORBIDDEN_ADDRESSES = """
    0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.1.2.3
    127.255.255.255 168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1
    192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1 192.168.255.255 192.175.48.1 198.18.0.1
    198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
    :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:8.8.8.8 ::ffff:0:7f00:1
    64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::808:808 64:ff9b:1::1 100::1 100:0:0:1::1 2001::1
    2001:0:7f00:1:0:0:0:1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe::1 2002:a00:1::
    2620:4f:8000::1 3fff::1 4000::1 5f00::1 8000::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1
""".split()  # noqa: SIM905
ODD_ADDRESSES = [
    "",
    "localhost",
    "127.1",
    "0x7f000001",
    "2130706433",
    "010.0.0.1",
    "1.2.3",
    "1.2.3.4.5",
    " 8.8.8.8",
    "[::1]",
]


@pytest.mark.parametrize("address", FORBIDDEN_ADDRESSES + ODD_ADDRESSES)
@pytest.mark.rule("G20")
def test_an_address_that_is_not_public_is_never_connected_to(address):
    for addresses in ([address], [PUBLIC, address], [address, PUBLIC]):
        world = World(answer(), addresses={HOST: addresses})
        assert refusal(world.fetcher(), f"https://{HOST}/") == UNIFORM
        assert world.connected == []


@pytest.mark.parametrize(
    "address", [PUBLIC, OTHER_PUBLIC, "1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2a00::1"]
)
def test_public_addresses_are_known_as_such(address):
    assert is_public(address)


def test_a_name_is_resolved_once_so_that_its_second_answer_does_not_matter():
    world = World(answer())
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    fetch = Fetcher((HOST,), lambda host, seconds: next(answers), world.connect, lambda: world.now)
    assert fetch(f"https://{HOST}/") == PNG
    assert world.connected == [(PUBLIC, HOST)]
    assert next(answers) == ["127.0.0.1"]


def test_a_redirect_resolves_anew_and_judges_the_new_answer():
    world = World(moved(f"https://{HOST}/again"), answer())
    answers = iter([[PUBLIC], ["10.0.0.1"]])
    fetch = Fetcher((HOST,), lambda host, seconds: next(answers), world.connect, lambda: world.now)
    assert refusal(fetch, f"https://{HOST}/") == UNIFORM
    assert world.connected == [(PUBLIC, HOST)]


# ---- URLs


FORBIDDEN_URLS = [
    "",
    "/etc/passwd",
    "//images.example.com/",
    "http://images.example.com/",
    "HTTP://images.example.com/",
    "ftp://images.example.com/",
    "file:///etc/passwd",
    "gopher://images.example.com/",
    "data:image/png;base64,AA==",
    "javascript:alert(1)",
    "https:images.example.com",
    "https:///images.example.com",
    "https://",
    "https://:443/",
    "https://images.example.com:80/",
    "https://images.example.com:22/",
    "https://images.example.com:8443/",
    "https://images.example.com:99999/",
    "https://images.example.com:x/",
    "https://user@images.example.com/",
    "https://user:pass@images.example.com/",
    "https://@images.example.com/",
    "https://images.example.com@127.0.0.1/",
    "https://127.0.0.1#@images.example.com/",
    "https://127.0.0.1\\@images.example.com/",
    "https://images.example.com\\.evil.com/",
    "https://images.example.com.evil.com/",
    "https://evilimages.example.com/",
    "https://images.example.com./",
    "https://images..example.com/",
    "https://.images.example.com/",
    "https://-images.example.com/",
    "https://images.example.com\t/",
    "https://images.example.com/\r\nHost: evil",
    "https://images.example.com/ b",
    " https://images.example.com/",
    "https://images.example.com/\x00",
    "https://im\u0430ges.example.com/",
    "https://images\u3002example\u3002com/",
    "https://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460/",
    "https://images.example.com/\u00e9",
    "https://%69mages.example.com/",
    "https://images.example.com%2eevil.com/",
    "https://images.example.com%00.evil.com/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0x0.0x0.0x1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[fe80::1%25eth0]/",
    "https://[images.example.com]/",
    "https://169.254.169.254/latest/meta-data/",
    "https://93.184.216.34/",
    "https://localhost/",
    "https://metadata/",
    "https://metadata.google.internal/",
    "https://printer.local/",
    "https://router.lan/",
    "https://1.0.0.127.in-addr.arpa/",
    "https://images.example.com/" + "a" * 2048,
]


@pytest.mark.parametrize("url", FORBIDDEN_URLS, ids=lambda url: ascii(url)[:60])
@pytest.mark.rule("G20")
def test_an_address_of_another_form_is_refused_before_its_name_is_looked_up(url):
    world = World(answer())
    assert refusal(world.fetcher(), url) == UNIFORM
    assert (world.asked, world.connected) == ([], [])


@pytest.mark.parametrize("allow", [(), ("example.com",), (".images.example.com",), (f"www.{HOST}",)])
@pytest.mark.rule("G20")
def test_a_host_that_is_not_allowed_is_not_asked_for(allow):
    world = World(answer())
    fetch = Fetcher(allow, world.resolve, world.connect, lambda: world.now)
    assert refusal(fetch, f"https://{HOST}/") == UNIFORM
    assert world.asked == []


def test_nothing_is_allowed_unless_named():
    assert Fetcher().allow == ()


@pytest.mark.parametrize(
    "name",
    [
        *["", "*", ".", ".com", "localhost", "Example.com", "https://example.com", "a b.com", "*.b.com", "127.0.0.1"],
        *["metadata.google.internal", ".internal", "printer.local", "1.0.0.127.in-addr.arpa", "169.254.169.254", "::1"],
    ],
)
def test_what_is_no_host_name_cannot_be_allowed(name):
    with pytest.raises(InvalidParameter, match="allow="):
        Fetcher((name,))


@pytest.mark.parametrize(
    "target",
    [
        "http://images.example.com/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://2130706433/",
        "https://localhost/",
        "https://other.example.com/",
        "//169.254.169.254/latest/",
        "//user@images.example.com/",
        "https://images.example.com:8443/",
        "file:///etc/passwd",
        "data:image/png;base64,AA==",
        "/a b",
        "/\u00e9",
        "https://inside.images.example.com/",
        "",
    ],
)
@pytest.mark.rule("G20")
def test_a_redirect_is_judged_as_the_first_address_is(target):
    world = World(moved(target), answer())
    world.addresses[f"inside.{HOST}"] = ["10.1.2.3"]
    assert refusal(world.fetcher(HOST, f".{HOST}"), f"https://{HOST}/") == UNIFORM
    assert world.connected == [(PUBLIC, HOST)]


def test_a_third_redirect_is_not_followed():
    world = World(*[moved(f"/{number}") for number in range(9)])
    assert refusal(world.fetcher(), f"https://{HOST}/") == UNIFORM
    assert len(world.connected) == 3


# ---- answers


@pytest.mark.parametrize(
    "bad",
    [
        answer(b"<!doctype html><p>secret"),
        answer(b"<!doctype html><p>secret", "image/svg+xml"),
        answer(b"root:x:0:0:root", "image/png"),
        answer(PNG, "text/html"),
        answer(PNG, ""),
        answer(PNG, "image/jpeg"),
        answer(b"P6 1 1 255", "image/x-portable-pixmap"),
        answer(b"GIF89a", "image/png"),
        answer(b""),
        answer(status="404 Not Found"),
        answer(status="204 No Content"),
        answer(status="206 Partial Content"),
        answer(status="304 Not Modified"),
        answer(Content_Encoding="gzip"),
        answer(Content_Encoding="br"),
        answer(Content_Length="9999999999"),
        answer(Content_Length="500"),
        answer(b"zz\r\n" + PNG, Content_Length="", Transfer_Encoding="chunked"),
        answer(PNG + bytes(MOST_BYTES), Content_Length=""),
        answer(b"500000\r\n" + PNG + bytes(0x500000), Content_Length="", Transfer_Encoding="chunked"),
        answer(X="a" * 70_000),
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 300 + b"\r\n" + PNG,
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"",
        moved(""),
    ],
    ids=lambda bad: ascii(bad[:25] + bad[-15:]),
)
@pytest.mark.rule("G20")
def test_whatever_goes_wrong_looks_the_same_outside(bad):
    world = World(bad)
    assert refusal(world.fetcher(), f"https://{HOST}/logo?key=secret") == UNIFORM
    assert [pipe.closed for pipe in world.pipes] == [True]


def test_failures_of_the_network_look_the_same_too():
    def fail(*_: object) -> Pipe:
        raise ssl.SSLCertVerificationError("self-signed certificate")

    world = World(answer())
    assert refusal(Fetcher((HOST,), world.resolve, fail), f"https://{HOST}/") == UNIFORM
    assert refusal(Fetcher((HOST,), fail, world.connect), f"https://{HOST}/") == UNIFORM
    assert refusal(World(addresses={}).fetcher(), f"https://{HOST}/") == UNIFORM


@pytest.mark.parametrize("part", ["head", "body"])
def test_an_answer_that_comes_drop_by_drop_is_cut_off(part):
    world = World(answer(PNG + bytes(100_000)) if part == "body" else answer(X="a" * 60_000))
    world.step, world.pause = 1, 0.7
    assert refusal(world.fetcher(), f"https://{HOST}/") == UNIFORM
    assert world.now <= 1000 + 8 + 0.7
    [pipe] = world.pipes
    assert pipe.closed
    assert max(pipe.limits) <= 8
    assert pipe.limits == sorted(pipe.limits, reverse=True)


def test_no_more_is_read_than_may_be_kept():
    world = World(answer(PNG + bytes(40 * 2**20), Content_Length=""))
    refusal(world.fetcher(), f"https://{HOST}/")
    assert len(world.pipes[0].data) > 40 * 2**20 - MOST_BYTES - 2 * world.step


def test_the_log_has_the_reason_but_no_secrets(caplog):
    caplog.set_level(logging.INFO, "qrkit")
    fetch = World(answer(), addresses={HOST: ["10.0.0.1"]}).fetcher()
    refusal(fetch, f"https://{HOST}/logo.png?key=secret#also-secret")
    refusal(fetch, f"https://me:secret@{HOST}/\r\nforged line")
    assert "10.0.0.1 is not public" in caplog.text
    assert f"https://{HOST}/logo.png" in caplog.text
    assert "secret" not in caplog.text
    assert "\nforged" not in caplog.text


# ---- real sockets


def served(data: bytes, context: ssl.SSLContext | None = None) -> int:
    """A server on this machine that gives one answer, and its port."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with server:
            connection, _ = server.accept()
            with connection:
                try:
                    secured = context.wrap_socket(connection, server_side=True) if context else connection
                    with secured:
                        secured.recv(65536)
                        secured.sendall(data)
                except OSError:
                    pass  # the client did not like us: that is what is tested

    Thread(target=serve, daemon=True).start()
    return server.getsockname()[1]


@pytest.mark.needs("loopback")
def test_a_real_connection_is_read_and_proxies_of_the_environment_are_not_asked(monkeypatch):
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    port = served(answer())

    def connect(address: str, host: str, seconds: float) -> socket.socket:
        return socket.create_connection(("127.0.0.1", port), seconds)

    assert Fetcher((HOST,), lambda host, seconds: [PUBLIC], connect)(f"https://{HOST}/") == PNG


@pytest.mark.needs("loopback", "openssl")
@pytest.mark.parametrize(("trusted", "name"), [(True, HOST), (True, "other.example.com"), (False, HOST)])
def test_the_certificate_must_be_trusted_and_be_that_of_the_host(tmp_path, monkeypatch, trusted, name):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test"
    subprocess.run(
        [*command.split(), "-addext", f"subjectAltName=DNS:{name}", "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    port = served(answer(), context)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    really, asked = socket.create_connection, []

    def connect_here(address: tuple[str, int], seconds: float) -> socket.socket:
        asked.append(address)
        return really(("127.0.0.1", port), seconds)

    monkeypatch.setattr(socket, "create_connection", connect_here)
    fetch = Fetcher((HOST,), lambda host, seconds: [PUBLIC])
    if trusted and name == HOST:
        assert fetch(f"https://{HOST}/") == PNG
    else:
        assert refusal(fetch, f"https://{HOST}/") == UNIFORM
    assert asked == [(PUBLIC, 443)]


def test_the_systems_resolver_is_left_behind_when_it_is_slow(monkeypatch):
    stuck = Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: stuck.wait(60) and [])
    monkeypatch.setattr("qrkit.drawing.untrusted.fetching.CONNECT_SECONDS", 0.05)
    assert refusal(Fetcher((HOST,)), f"https://{HOST}/") == UNIFORM
    stuck.set()
