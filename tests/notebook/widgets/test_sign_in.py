"""Who reaches a shared console, and whose kernels: tried over sockets, with another app where Voila would be."""

import asyncio
from datetime import timedelta
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from tornado.web import Application, RequestHandler

from qrkit import open_portfolio
from qrkit.errors import NotAuthenticated
from qrkit.languages.sentences import catalog
from qrkit.notebook.console.gate import PROBLEMS, SignInGate
from qrkit.notebook.console.sessions import ATTEMPTS_A_MINUTE, LONGEST, Sessions
from qrkit.portfolio.access import create_account, create_key, key_id, revoke_key
from qrkit.tracking.times import now
from tests.notebook.widgets.test_gate import asking, serving

pytestmark = pytest.mark.needs("loopback")


class Behind(RequestHandler):
    """Stands for Voila: tells whom a kernel would serve, and begins one for each page."""

    def prepare(self):
        headers = self.request.headers
        if self.request.path == "/":
            self.settings["kernel_manager"].begin(headers["X-Qrkit-Session"])
        self.finish(f"{headers.get_list('X-Qrkit-Account')} {headers.get_list('X-Qrkit-Session')}")


class Kernels:
    """Stands for Jupyter's kernels."""

    def __init__(self):
        self.running = []

    def begin(self, session):
        self.running.append(session + str(uuid4())[len(session) :])

    def list_kernel_ids(self):
        return list(self.running)

    async def shutdown_kernel(self, kernel, now):
        self.running.remove(kernel)


class Shared:
    """A console with the accounts of Ana and Ben, and what people see who sign in."""

    def __init__(self, store):
        self.store, self.moment, self.kernels = store, now(), Kernels()
        self.accounts = {name: create_account(store, name) for name in ("Ana", "Ben")}
        self.sessions = Sessions(store, lambda: self.moment)
        app = Application([(".*", Behind)], kernel_manager=self.kernels)
        self.gate = SignInGate(app, self.sessions, [])

    def key(self, name, **options):
        return create_key(self.store, self.accounts[name], **options)

    def post(self, key, **headers):
        return self.ask("/sign-in", "POST", urlencode({"key": key}), **headers)

    def sign_in(self, key):
        answer, _ = self.post(key)
        assert (answer.status, answer.getheader("Location")) == (302, "/")
        return answer.getheader("Set-Cookie").split(";")[0]

    def page(self, cookie):
        """Open a page, and return its kernel."""
        assert self.ask("/", Cookie=cookie)[0].status == 200
        return self.kernels.running[-1]


@pytest.fixture
def shared():
    with open_portfolio(":memory:") as shop:
        shared = Shared(shop.store)
        with serving(lambda: shared.gate) as port:
            shared.ask, shared.port = asking(port), port
            yield shared


def test_a_key_opens_the_pages_of_its_account(shared):
    key = shared.key("Ana")
    answer, _ = shared.post(f" {key}\n")
    cookie = answer.getheader("Set-Cookie")
    assert {"HttpOnly", "SameSite=Lax"} <= set(cookie.split("; "))
    assert key not in cookie
    _, body = shared.ask("/", Cookie=cookie.split(";")[0])
    assert shared.accounts["Ana"].id in body
    assert shared.accounts["Ben"].id not in body


def test_people_sign_in_in_the_language_of_the_console():
    with open_portfolio(":memory:") as shop:
        gate = SignInGate(Application(), Sessions(shop.store), [], "de")
        with serving(lambda: gate) as port:
            _, page = asking(port)("/")
            _, refused = asking(port)("/sign-in", "POST", urlencode({"key": "qk_guess"}))
    german = catalog("de")
    assert '<html lang="de">' in page
    assert german["Sign in to QR Codes"] in page
    assert german[PROBLEMS[NotAuthenticated][1]] in refused


def test_nobody_says_themselves_whom_they_are(shared):
    cookie = shared.sign_in(shared.key("Ana"))
    ben = shared.accounts["Ben"].id
    for name in ("X-Qrkit-Account", "x-qrkit-account", "X-QRKIT-SESSION"):
        assert ben not in shared.ask("/", Cookie=cookie, **{name: ben})[1]


@pytest.mark.parametrize(
    "path", ["/", "/sign-in", "/voila/static/voila.js", "/api/kernels/0b6a7b9e-3f04-4a4e-9d06-6f8b8b1f7a11/channels"]
)
def test_without_a_session_there_is_only_the_page_to_sign_in(shared, path):
    for headers in (
        {},
        {"Cookie": f"qrkit-console-{shared.port}=wrong"},
        {"Authorization": f"Bearer {shared.key('Ana')}"},
    ):
        answer, body = shared.ask(path, **headers)
        assert (answer.status, answer.getheader("Set-Cookie")) == (401, None)
        assert '<input id="key"' in body


def test_nobody_reaches_the_kernels_of_another_session(shared):
    ana, ben = shared.sign_in(shared.key("Ana")), shared.sign_in(shared.key("Ben"))
    kernel, again = shared.page(ana), shared.page(shared.sign_in(shared.key("Ana")))
    for path, method in ((f"/api/kernels/{kernel}/channels", "GET"), (f"/voila/api/shutdown/{kernel}", "POST")):
        assert shared.ask(path, method, Cookie=ana)[0].status == 200
        assert shared.ask(path, method, Cookie=ben)[0].status == 404
    assert shared.ask(f"/api/kernels/{again}", Cookie=ana)[0].status == 404


@pytest.mark.parametrize("end", ["sign out", "revoke", "expire", "time"])
def test_a_session_that_is_over_takes_its_kernels_along(shared, end):
    key = shared.key("Ana", expires=shared.moment + timedelta(hours=1) if end == "expire" else None)
    ana, ben = shared.sign_in(key), shared.sign_in(shared.key("Ben"))
    kernel, other = shared.page(ana), shared.page(ben)
    if end == "sign out":
        answer, _ = shared.ask("/sign-out", "POST", Cookie=ana)
        assert f'-{shared.port}="";' in answer.getheader("Set-Cookie")
    elif end == "revoke":
        revoke_key(shared.store, shared.accounts["Ana"], key_id(key))
    else:
        shared.moment += timedelta(hours=1) if end == "expire" else LONGEST
    assert shared.ask(f"/api/kernels/{kernel}", Cookie=ana)[0].status == 401
    asyncio.run(shared.gate.end_kernels())
    assert kernel not in shared.kernels.running
    assert (other in shared.kernels.running) == (end != "time")


def test_keys_cannot_be_tried_without_end(shared):
    for _ in range(ATTEMPTS_A_MINUTE):
        answer, body = shared.post("qk_guess")
        assert (answer.status, "not known" in body, "qk_guess" in body) == (401, True, False)
    assert shared.post(shared.key("Ana"))[0].status == 429
    assert shared.post(shared.key("Ana"), X_Forwarded_For="192.0.2.1")[0].status == 302, (
        "of another client of the proxy"
    )


def test_other_pages_cannot_sign_anybody_in_or_out(shared):
    key = shared.key("Ana")
    cookie = shared.sign_in(key)
    for origin in ("https://evil.example", "null"):
        assert shared.post(key, Origin=origin)[0].status == 403
        assert shared.ask("/sign-out", "POST", Origin=origin, Cookie=cookie)[0].status == 403
    assert shared.ask("/", Cookie=cookie)[0].status == 200


def test_an_account_has_a_limited_number_of_pages(shared):
    cookies = [shared.sign_in(shared.key("Ana")) for _ in range(2)]
    for number in range(8):
        shared.page(cookies[number % 2])
    answer, body = shared.ask("/", Cookie=cookies[0])
    assert (answer.status, "Too many pages are open" in body) == (429, True)
    shared.page(shared.sign_in(shared.key("Ben")))


def test_a_store_that_is_gone_admits_nobody(shared):
    cookie = shared.sign_in(shared.key("Ana"))
    shared.store.close()
    assert shared.ask("/", Cookie=cookie)[0].status == 503
    assert shared.post("qk_guess")[0].status == 503
