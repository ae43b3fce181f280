"""Serves the HTTP interface as a WSGI app.

>>> from qrkit.store import Store
>>> from qrkit.server import Client, make_app
>>> Client(make_app(Store())).get("/api/v3/generate", content="hi", format="svg")
<Reply 200, image/svg+xml, 15872 bytes>
"""

from __future__ import annotations

from qrkit.server.app import make_app
from qrkit.server.client import Client, Reply
from qrkit.server.settings import Settings
from qrkit.server.socket_server import Server, serve

__all__ = ["Client", "Reply", "Server", "Settings", "make_app", "serve"]


def __dir__() -> list[str]:
    return __all__
