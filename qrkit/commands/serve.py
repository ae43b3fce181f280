"""Implements `qrkit serve`."""

from __future__ import annotations

import argparse
import os
import sys

from qrkit.commands.output import complaining
from qrkit.commands.parsing import Commands, add_command, add_fields
from qrkit.commands.stores import add_base_url, add_store
from qrkit.server.settings import Settings

__all__ = ["add_serve"]

GROUPS = {
    "": {"host": "ADDRESS", "port": "N"},
    "whom it trusts; each may be repeated": {
        "hosts": "NAME", "trusted_proxies": "ADDRESS", "fetch_from": "HOST", "proxy_hops": "N",
    },
    "what it records": {"record_visits": "", "strict": "", "keep_days": "N", "places": "FILE", "access_log": ""},
    "how much at once": {
        "threads": "N", "renders": "N", "processes": "N", "generates_a_minute": "N", "unknown_codes_a_minute": "N",
    },
}  # fmt: skip
"""Settings by the heading over their options in the help, with what stands for their values; "" for a switch."""


def add_serve(commands: Commands) -> None:
    """Add the command `serve`."""
    one = add_command(
        commands,
        "qrkit serve",
        "Serve the HTTP interface and the short URLs of a store.\n\n"
        "It makes the store where there is none; Ctrl-C ends it. Each option may be set in the "
        "environment, as QRKIT_PORT=80; lists are written with commas there.",
        usage="[options]",
        examples=(
            "qrkit serve --store shop.duckdb --base-url https://go.example.com",
            "qrkit serve --host 0.0.0.0 --port 80 --trusted-proxies 10.0.0.1",
            "QRKIT_PORT=8000 qrkit serve",
        ),
    )
    _add_groups(one)
    one.set_defaults(run=_serve)


def _add_groups(one: argparse.ArgumentParser) -> None:
    where = one.add_argument_group("what and where")
    add_store(where)
    add_base_url(where)
    for title, options in GROUPS.items():
        add_fields(one.add_argument_group(title) if title else where, Settings, options)


def _serve(asked: argparse.Namespace) -> None:
    from qrkit.portfolio import open_portfolio
    from qrkit.portfolio.codes import DEFAULT_BASE_URL
    from qrkit.server import make_app, serve
    from qrkit.server.access_log import shown_access
    from qrkit.server.socket_server import reachable
    from qrkit.store.retention import sweeping

    given = {name: getattr(asked, name) for name in Settings.model_fields if name != "store"}
    settings = Settings.read(os.environ, store=str(asked.store), **given)

    def ready(port: int) -> None:
        host = reachable(settings.host)
        print(f"{portfolio.store.path} at http://{host}:{port}, short URLs {portfolio.base_url}/…")
        print(f"try http://{host}:{port}/api/v3/generate?content=hello; Ctrl-C stops", flush=True)
        if portfolio.base_url == DEFAULT_BASE_URL and port != 8080:
            print(
                f"short URLs lead to {DEFAULT_BASE_URL}, where this does not listen: give --base-url", file=sys.stderr
            )

    with complaining("serve"):
        portfolio = open_portfolio(asked.store, base_url=settings.base_url)
    with shown_access(), portfolio:
        if settings.keep_days is not None:
            portfolio.keep_visits(days=settings.keep_days)
        with sweeping(portfolio.store):
            serve(make_app(portfolio.store, settings), settings, ready=ready)
