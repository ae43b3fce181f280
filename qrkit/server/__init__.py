"""Serves the HTTP interface as a WSGI app.

>>> from qrkit.store import Store
>>> from qrkit.server import Client, make_app
>>> Client(make_app(Store())).get("/api/v3/generate", content="hi", format="svg")
<Reply 200, image/svg+xml, 15872 bytes>
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.late import by_name, late_names

if TYPE_CHECKING:
    from qrkit.server.app import App, make_app
    from qrkit.server.client import Client, Reply
    from qrkit.server.settings import Settings
    from qrkit.server.sockets.socket_server import Server, serve

__all__ = ["App", "Client", "Reply", "Server", "Settings", "make_app", "serve"]

_NAMES = by_name(
    {
        "server.app": "App make_app",
        "server.client": "Client Reply",
        "server.settings": "Settings",
        "server.sockets.socket_server": "Server serve",
    }
)

__getattr__ = late_names(__name__, _NAMES)

__dir__ = __all__.copy
