"""The HTTP interface as a WSGI app.

>>> from qrkit.store import Store
>>> from qrkit.wsgi import Client, make_app
>>> Client(make_app(Store())).get("/api/v3/generate", content="hi", format="svg")
<Reply 200, image/svg+xml, 15872 bytes>
"""

from __future__ import annotations

from qrkit.wsgi.app import make_app
from qrkit.wsgi.client import Client, Reply
from qrkit.wsgi.server import Server, serve
from qrkit.wsgi.settings import Settings

__all__ = ["Client", "Reply", "Server", "Settings", "make_app", "serve"]


def __dir__() -> list[str]:
    return __all__
