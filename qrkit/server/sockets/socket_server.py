"""Serves the app on a real socket: as a separate process, or in the background of a notebook; reloads settings.

The server is one process with many threads, because the store has one writer. `http_server` implements it.
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from threading import Lock
from typing import TYPE_CHECKING, Self
from wsgiref.types import WSGIApplication

from qrkit.errors import QrkitError
from qrkit.late import Shown
from qrkit.portfolio import Portfolio
from qrkit.server import jobs
from qrkit.server.app import App, make_app
from qrkit.server.clients.hosts import reachable
from qrkit.server.operation.logs import operations, set_log_level
from qrkit.server.settings import RELOADABLE, Settings
from qrkit.store import Store
from qrkit.tracking.bots import is_bot

if TYPE_CHECKING:
    from qrkit.server.sockets.http_server import StrictServer


_reloading = Lock()

STDERR = 2
"""File descriptor of the error stream."""

_running: list[Server] = []
_starting = threading.RLock()


def serve(
    app: WSGIApplication,
    settings: Settings | None = None,
    *,
    ready: Callable[[int], None] | None = None,
    reload: Callable[[], None] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM. Requests in flight are finished; a second signal stops without waiting for them.

    Outside of the main thread, signals are not handled. The health of an `App` is checked every few seconds.

    Args:
        app: The WSGI app.
        settings: Where to listen, how many threads to use, and which proxies to trust.
        ready: Called with the port once the server listens.
        reload: Called on SIGHUP in a separate thread, so that no request waits. If the terminal of the server was
            closed, the server stops instead.

    Raises:
        InvalidParameter: If the host is invalid.
        OSError: If the host does not exist, or if the port is in use or requires privileges.
    """
    from qrkit.server.sockets.http_server import listen

    is_bot("Mozilla/5.0")  # loads what every visit needs, before there are visitors, who would wait
    server = listen(app, settings or Settings())
    try:
        with app.working() if isinstance(app, App) else nullcontext(), _handling_signals(server, reload):
            if ready:
                ready(server.port)
            server.run()
    finally:
        server.shut()
        jobs.stop()


@contextmanager
def _handling_signals(server: StrictServer, reload: Callable[[], None] | None) -> Iterator[None]:
    """Stop the server on SIGINT and SIGTERM, and reload on SIGHUP, for the duration of the context."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    had_terminal = os.isatty(STDERR)

    def stop(*_: object) -> None:
        server.ask_to_stop()

    def hang_up(*_: object) -> None:
        if had_terminal and not os.isatty(STDERR):  # the window was closed, so nobody can press Ctrl-C
            server.ask_to_stop()
        elif not server.is_stopping:
            threading.Thread(target=reload, name="qrkit-reload", daemon=True).start()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    if reload and hasattr(signal, "SIGHUP"):  # Windows does not have it
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, hang_up)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


class Server(Shown):
    """The HTTP interface and the short URLs of a store, served in the background of a notebook.

    The server starts when it is created and ends with `stop`, with its `with` block, or with the program. You can run a
    cell again: a new server replaces any server on the same store or port. The store stays open, and its base URL does
    not change.

    Args:
        portfolio: The `Portfolio` to serve, or its store.
        settings: Complete settings; by default `Settings()` without an access log. Each argument below that is not
            None overrides the field of the same name.
        base_url: The beginning of all short URLs; by default the base URL kept in the store.
        host: Address to listen on.
        port: Port to listen on; 0 for a free one.
        hosts: Additional host names that the server accepts.
        trusted_proxies: Addresses or networks of proxies whose `X-Forwarded-For` is trusted.
        fetch_from: Hosts from which images of designs may be downloaded.
        record_visits: Whether to record visits.
        places: A GeoIP database (mmdb) for the location of visits.
        access_log: Whether to log each request.
        threads: Number of requests handled at once.
        generates_a_minute: Limit on requests to generate or decode without a key, per minute and address.
        unknown_codes_a_minute: Limit on requests for unknown short URLs, per minute and address.

    Attributes:
        port: The port it listens on.
        url: Its URL on this machine.

    Raises:
        InvalidParameter: If a setting is invalid.
        OSError: If another program uses the port, or if the port requires privileges.
    """

    port: int
    url: str

    def __init__(
        self,
        portfolio: Portfolio | Store,
        settings: Settings | None = None,
        *,
        base_url: str | None = None,
        host: str | None = None,
        port: int | None = None,
        hosts: Sequence[str] | None = None,
        trusted_proxies: Sequence[str] | None = None,
        fetch_from: Sequence[str] | None = None,
        record_visits: bool | None = None,
        places: str | None = None,
        access_log: bool | None = None,
        threads: int | None = None,
        generates_a_minute: int | None = None,
        unknown_codes_a_minute: int | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name in Settings.model_fields and value is not None}
        self._start(portfolio, (settings or Settings(access_log=False)).replace(**given))

    def _start(self, portfolio: Portfolio | Store, chosen: Settings) -> None:
        from qrkit.server.sockets.http_server import listen

        self._store = portfolio if isinstance(portfolio, Store) else portfolio.store
        self._process = os.getpid()
        self._stopping = threading.Lock()
        self._app = make_app(self._store, chosen)
        with _starting:
            for other in _running_here():
                if other.port == chosen.port:
                    other.stop()
            self._server = listen(self._app, chosen)
            for other in _running_here():
                if self._store.database.is_same(other._store.database):
                    other.stop()
            self.port = self._server.port
            self.url = f"http://{reachable(chosen.host)}:{self.port}"
            # A daemon thread, because Python waits for all others before it runs the exit handlers.
            self._thread = threading.Thread(target=self._run, name=f"qrkit-server-{self.port}", daemon=True)
            self._thread.start()
            _running.append(self)

    def _run(self) -> None:
        with self._app.working():
            self._server.run()

    @property
    def is_running(self) -> bool:
        """Whether the server is running."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Stop the server. Requests in flight have a few seconds to finish. The store stays open."""
        with self._stopping:
            if self in _running:
                self._server.ask_to_stop()
                self._thread.join()
                _running.remove(self)
            if not _running:
                jobs.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def store_path(self) -> str:
        """Where the records are stored: the path of a file, or the URL of a database without its password."""
        return self._store.path

    def __repr__(self) -> str:
        return f"<Server of {self.store_path}, {f'at {self.url}' if self.is_running else 'stopped'}>"


def _running_here() -> list[Server]:
    """Return the servers of this process. In a fork, the threads belong to the parent."""
    return [server for server in _running if server._process == os.getpid()]


@atexit.register  # registered after the handlers of qrkit.store, so it runs before the files are closed
def _stop_all() -> None:
    for server in _running_here():
        server.stop()


# ---- settings that change while a server runs


def reload_settings(app: App, read: Callable[[], Settings]) -> None:
    """Read the settings of a running app again, apply them, and log the result.

    The settings in `RELOADABLE` are applied, and the GeoIP database is read again. If a setting is invalid or the
    database cannot be read, nothing changes.
    """
    with _reloading:
        before = app.settings
        try:
            wanted = read()
            app.reload(before.replace(**{name: getattr(wanted, name) for name in RELOADABLE}))
        except QrkitError as error:
            operations.error("the settings were not reloaded, and all stay as they were: %s", error)
            return
        set_log_level(app.settings.log_level)
        changed = [name for name in Settings.model_fields if getattr(wanted, name) != getattr(before, name)]
        applied = [name for name in changed if name in RELOADABLE]
        others = [name for name in changed if name not in RELOADABLE]
        operations.info("the settings were reloaded; changed: %s", ", ".join(applied) or "none")
        if others:
            operations.warning("these settings changed, and need a restart: %s", ", ".join(others))
