"""Displays a server that runs in the notebook, with a link to it."""

from __future__ import annotations

from html import escape
from typing import Any

from qrkit.notebook.views.html import media
from qrkit.server.sockets.socket_server import Server


@media.register
def _(server: Server) -> dict[str, Any]:
    store, url = escape(server.store_path), escape(server.url)
    if not server.is_running:
        return {"text/html": f"Server of <code>{store}</code>, stopped"}
    link = f'<a href="{url}" target="_blank" rel="noopener">{url}</a>'
    return {"text/html": f"Server of <code>{store}</code> at {link}"}
