"""Runs the console: Voila behind a `Gate`, with one page, until Ctrl-C."""

from __future__ import annotations

import errno
import json
import logging
import re
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from qrkit.errors import InvalidParameter, Problem, extra
from qrkit.languages import LanguageTag, in_language, say
from qrkit.notebook.console.left_out import without
from qrkit.server.clients.hosts import listening_at, listening_socket, reachable

# jsonschema, which Voila imports, builds a grammar of IRIs with it. That takes a second, and no schema here has IRIs.
with extra("console"), without("rfc3987_syntax"):
    import ipykernel  # noqa: F401  # the process behind an open page needs it
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
    from tornado.httpserver import HTTPServer
    from tornado.ioloop import IOLoop, PeriodicCallback
    from traitlets.config import Config
    from voila.app import Voila

from qrkit.notebook.console.gate import ACCOUNT, HEADERS, SESSION, TEMPLATE, Gate, SignInGate

if TYPE_CHECKING:
    from qrkit.notebook.console.sessions import Sessions


PORTS = range(8866, 8886)
"""Ports that are tried, one after the other, if none is chosen."""
TOKEN = r"[A-Za-z0-9_-]{20,}"
"""What can stand in an address and a cookie, and is too long to be guessed."""
WIDGET_SCRIPTS = ("anywidget", "@jupyter-widgets/jupyterlab-manager", "@voila-dashboards/widgets-manager8")
"""Extensions of the browser's side that the page loads; what else is installed for JupyterLab stays out."""
SHOWN = ("title", "opening", "language")
"""What the page shows of a `Console`."""
IDLE_SECONDS = 600
"""How long the process behind a page waits for a page that is gone, such as one of a laptop that sleeps."""

CHECK_SECONDS = 5
"""How often the kernels of sessions that are over are ended."""
MOST_BYTES = 10_000
"""Maximum size of a request's body; the longest has an API key."""
BODY_SECONDS = 10


@dataclass(frozen=True)
class Console:
    """What a console shows, and where it listens.

    Attributes:
        code: Python that shows the widgets.
        opening: What the page says until the widgets are there.
        port: Port to listen on; None for the first free one of `PORTS`, 0 for any free one.
        hosts: Further host names that requests may be for, such as that of a proxy.
        token: What the address must end with; random if empty.
        sessions: Who has signed in, instead of a token; None where people need not sign in.
    """

    code: str
    title: str
    opening: str
    host: str = "127.0.0.1"
    port: int | None = None
    hosts: tuple[str, ...] = ()
    token: str = ""
    sessions: Sessions | None = None
    language: LanguageTag = "en"


def run_console(console: Console, ready: Callable[[str], None]) -> None:
    """Serve a console until SIGINT or SIGTERM, then end the processes behind its pages.

    `ready` is called with the address of the page once the console listens.
    """
    logging.getLogger("tornado").setLevel(logging.CRITICAL)
    token = console.token or secrets.token_urlsafe(32)
    if not re.fullmatch(TOKEN, token):
        # without the value, which is a secret
        raise InvalidParameter(
            Problem("token", None, "must be 20 or more letters, digits, - and _; choose them at random")
        )
    listening = _listen(console)
    with TemporaryDirectory(prefix="qrkit-console-") as folder:
        file = Path(folder, "console.ipynb")
        file.write_text(_notebook(console.code), encoding="utf-8")
        server = _Server(config=_configuration(console, file))
        server.begin = lambda app: _serve(app, console, token, listening)
        address = f"http://{reachable(console.host)}:{listening.getsockname()[1]}/"
        server.ready = lambda: ready(address if console.sessions else f"{address}?token={token}")
        server.initialize([])
        server.start()


def _notebook(code: str) -> str:
    """Return a notebook with one cell, which our Python runs."""
    cell: dict[str, Any] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": code}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.dumps({"cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 4})


def _serve(app: Any, console: Console, token: str, listening: socket.socket) -> HTTPServer:
    gate = Gate(app, token, console.hosts, console.language)
    if console.sessions:
        gate = SignInGate(app, console.sessions, console.hosts, console.language)
        PeriodicCallback(gate.end_kernels, CHECK_SECONDS * 1000).start()
    server = HTTPServer(gate, max_body_size=MOST_BYTES, body_timeout=BODY_SECONDS)
    listening.settimeout(0)
    server.add_socket(listening)
    return server


def _listen(console: Console) -> socket.socket:
    """Return a socket that listens on the chosen port, or on the first free one."""
    for port in PORTS if console.port is None else ():
        try:
            return listening_socket(console.host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                break
    remedy = "choose another port, or leave it out to get one that is free"
    with listening_at(console.host, console.port, remedy):
        return listening_socket(console.host, console.port or 0)


def _configuration(console: Console, notebook: Path) -> Config:
    """Return the configuration of Voila: nothing of the user's own, no choices in the address, no files."""
    idle = {"cull_idle_timeout": IDLE_SECONDS, "cull_interval": IDLE_SECONDS // 12}
    voila = {
        "notebook_path": str(notebook),
        "root_dir": str(notebook.parent),
        "config_file_paths": [],
        "open_browser": False,
        "log_level": logging.CRITICAL,
        "tornado_settings": {"headers": HEADERS},
    }
    page = {
        "allow_template_override": "NO",
        "allow_theme_override": "NO",
        "file_allowlist": [],
        "extension_allowlist": list(WIDGET_SCRIPTS),
        "kernel_spec_manager_class": _ThisPython,
        "multi_kernel_manager_class": _Kernels,
        "http_header_envs": [ACCOUNT, SESSION] if console.sessions else [],
    }
    with in_language(console.language):
        shown = {"scriptless": say("The console needs JavaScript. Allow it for this page, and reload.")}
    page["resources"] = {"console": {name: getattr(console, name) for name in SHOWN} | shown}
    # Sockets in a folder of this user, where the system has room for their paths, instead of ports that all users see.
    sockets = {"transport": "ipc"} if sys.platform == "linux" else {}
    return Config({
        "Voila": voila, "VoilaConfiguration": page, "MappingKernelManager": idle, "KernelManager": sockets,
        "ZMQChannelsWebsocketConnection": {"limit_rate": False},  # files go to the page as messages
    })  # fmt: skip


class _Kernels(AsyncMappingKernelManager):
    """Kernels whose IDs begin with the ID of the session they serve, if people sign in."""

    def new_kernel_id(self, **options: Any) -> str:
        """Return a random ID."""
        session: str = options["env"].get(f"HTTP_{SESSION.upper().replace('-', '_')}", "")
        random: str = super().new_kernel_id(**options)
        return session + random[len(session) :]


class _ThisPython(KernelSpecManager):
    """Knows only the Python that runs qrkit, whatever kernels of that name are installed for Jupyter."""

    def _kernel_dirs_default(self) -> list[str]:
        return []

    def get_kernel_spec(self, kernel_name: str) -> Any:
        """Return how a kernel is started: quiet, because one that computes complains when the console ends."""
        spec = super().get_kernel_spec(kernel_name)
        spec.argv.append(f"--IPKernelApp.log_level={logging.CRITICAL}")
        return spec


class _Server(Voila):  # type: ignore[misc]  # Voila has no types
    """Voila with our template, that listens behind a gate."""

    begin: Callable[[Any], HTTPServer]
    ready: Callable[[], None]

    def setup_template_dirs(self) -> None:
        """Look for templates in our folder first."""
        super().setup_template_dirs()
        self.template_paths.insert(0, str(TEMPLATE))

    def listen(self) -> None:
        """Listen until a signal comes, then end all kernels."""
        server = self.begin(self.app)
        self.ioloop = IOLoop.current()
        try:
            with _stopping(self.ioloop):
                self.ready()
                self.ioloop.start()
        finally:
            server.stop()
            self.stop()


@contextmanager
def _stopping(loop: IOLoop) -> Iterator[None]:
    """Stop a loop on SIGINT and SIGTERM, for the duration of the context."""

    def stop(*_: object) -> None:
        loop.add_callback_from_signal(loop.stop)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
