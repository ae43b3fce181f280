"""The app behind a real socket: as a process of its own, or in a notebook beside the portfolio.

One process, many threads: the store has one writer. `qrkit.server.http_server` is what they run.
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Self
from wsgiref.types import WSGIApplication

from qrkit.portfolio import Portfolio
from qrkit.server.app import make_app
from qrkit.server.settings import Settings
from qrkit.store import Store

if TYPE_CHECKING:
    from qrkit.server.http_server import StrictServer

__all__ = ["Server", "serve"]

_running: list[Server] = []
_starting = threading.RLock()


def serve(
    app: WSGIApplication, settings: Settings | None = None, *, ready: Callable[[int], None] | None = None
) -> None:
    """Serve until SIGINT or SIGTERM; requests in flight end, a second signal does not wait for them.

    In another thread than the main one, signals are left alone.

    Args:
        app: What answers.
        settings: Where to listen, how many threads there are, and which proxies are trusted.
        ready: Called with the port once the server listens.

    Raises:
        InvalidParameter: The host cannot be one.
        OSError: There is no such host, or its port is in use or not for us to take.
    """
    from qrkit.server.http_server import listen

    server = listen(app, settings or Settings())
    try:
        with _signals_stop(server):
            if ready:
                ready(server.port)
            server.run()
    finally:
        server.shut()


@contextmanager
def _signals_stop(server: StrictServer) -> Iterator[None]:
    """While it lasts, signals to end ask the server to."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        number: signal.signal(number, lambda *_: server.ask_to_stop()) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


class Server:
    """The HTTP interface and the short URLs of a store, served in the background of a notebook.

    It begins when it is made and ends with `stop`, with its `with` block, or with the program. A cell can run again: a
    new server takes the place of the one on the same store, and of the one at the same port. The store stays open, and
    what short URLs begin with is what the store keeps.

    Args:
        portfolio: What is served, a `Portfolio` or its store.
        settings: How.
        **options: Fields of `Settings` that replace those, as `port=0` for a port that is free. Without settings,
            requests are not logged.

    Attributes:
        port: Where it listens.
        url: Its address on this machine.

    Raises:
        InvalidParameter: A setting breaks its rule.
        OSError: The port is in use by another program, or not for us to take.
    """

    port: int
    url: str

    def __init__(self, portfolio: Portfolio | Store, settings: Settings | None = None, **options: Any) -> None:
        from qrkit.server.http_server import listen

        chosen = settings.replace(**options) if settings else Settings(**({"access_log": False} | options))
        self._store = portfolio if isinstance(portfolio, Store) else portfolio.store
        self._process = os.getpid()
        self._stopping = threading.Lock()
        app = make_app(self._store, chosen)
        with _starting:
            for other in _running_here():
                if other.port == chosen.port:
                    other.stop()
            self._server = listen(app, chosen)
            for other in _running_here():
                if self._store.database.is_same(other._store.database):
                    other.stop()
            self.port = self._server.port
            self.url = f"http://{reachable(chosen.host)}:{self.port}"
            # A daemon, for Python waits for the others before it tells anybody that it ends.
            self._thread = threading.Thread(target=self._server.run, name=f"qrkit-server-{self.port}", daemon=True)
            self._thread.start()
            _running.append(self)

    @property
    def is_running(self) -> bool:
        """Whether it answers."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End it: requests in flight are answered, for some seconds. The store stays open."""
        with self._stopping:
            if self in _running:
                self._server.ask_to_stop()
                self._thread.join()
                _running.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Server of {self._store.path}, {f'at {self.url}' if self.is_running else 'stopped'}>"

    def _repr_html_(self) -> str:
        store, url = escape(self._store.path), escape(self.url)
        if not self.is_running:
            return f"Server of <code>{store}</code>, stopped"
        return f'Server of <code>{store}</code> at <a href="{url}" target="_blank" rel="noopener">{url}</a>'


def reachable(host: str) -> str:
    """The host of a URL under which this machine reaches a server that listens there."""
    try:
        address = ip_address(host or "0.0.0.0")
    except ValueError:
        return host
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "[::1]"
    return host if address.version == 4 else f"[{host}]"


def _running_here() -> list[Server]:
    """Those of this process: in a fork, the threads are those of the parent."""
    return [server for server in _running if server._process == os.getpid()]


@atexit.register  # later than qrkit.store registered its own, so done before the files are closed
def _stop_all() -> None:
    for server in _running_here():
        server.stop()
