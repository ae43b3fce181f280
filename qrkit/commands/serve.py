"""Implements `qrkit serve`."""

from __future__ import annotations

import argparse
import os
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from qrkit.commands.output import complaining
from qrkit.commands.parsing import Parser, add_fields
from qrkit.commands.stores import add_base_url, add_store, is_missing, neighbor
from qrkit.server.settings import FILE_VARIABLE, Settings

if TYPE_CHECKING:
    from qrkit.portfolio import Portfolio


GROUPS = {
    "": {"host": "ADDRESS", "port": "N"},
    "whom it trusts (options with names may be repeated)": {
        "hosts": "NAME,...", "trusted_proxies": "ADDRESS,...", "fetch_from": "HOST,...", "proxy_hops": "N",
    },
    "how short URLs work": {"ignore_case": "", "pass_query": "NAME,...", "referrer_policy": "POLICY"},
    "what it records": {
        "record_visits": "", "strict": "", "keep_days": "N", "archive_after_days": "N", "time_zone": "ZONE",
        "places": "FILE", "access_log": "", "log_level": "LEVEL",
        "metrics_token_file": "FILE",
    },
    "how much at once": {
        "threads": "N", "renders": "N", "processes": "N", "generates_a_minute": "N", "unknown_codes_a_minute": "N",
    },
}  # fmt: skip
"""Settings by the heading over their options in the help, with what stands for their values; "" for a switch."""


def define_serve(one: Parser) -> None:
    """Define the command `serve`."""
    where = one.add_argument_group("what and where")
    add_store(where)
    add_base_url(where)
    where.add_argument("--settings", metavar="FILE", help="a TOML file of settings")
    for title, options in GROUPS.items():
        add_fields(one.add_argument_group(title) if title else where, lambda: Settings, options)
    one.set_defaults(run=_serve)


def _describe_new(place: str) -> str:
    """Return what to say of a store that the server creates: with a mistyped name, all printed codes would be dead."""
    other = neighbor(place)
    return f" (new: it has no QR Codes yet{f'; did you mean {other!r}?' if other else ''})"


def _save_settings(portfolio: Portfolio, settings: Settings) -> None:
    """Save the settings that commands and the console need, too, in the store."""
    if settings.keep_days is not None:
        portfolio.keep_visits(days=settings.keep_days)
    if settings.time_zone is not None:
        portfolio.time_zone = settings.time_zone


def _serve(asked: argparse.Namespace) -> None:
    from qrkit.portfolio.opening import keep_base_url, open_portfolio
    from qrkit.server import make_app, serve
    from qrkit.server.clients.hosts import listening_at, reachable
    from qrkit.server.operation.daily_looks import looking_daily
    from qrkit.server.operation.logs import operations, writing_log
    from qrkit.server.sockets.socket_server import STDERR, reload_settings
    from qrkit.store.door import Door
    from qrkit.store.upkeep.daily_upkeep import upkeep
    from qrkit.store.upkeep.uptime import recording_uptime

    given = {name: getattr(asked, name) for name in Settings.model_fields if name != "store"}
    environment = dict(os.environ) | ({FILE_VARIABLE: asked.settings} if asked.settings else {})
    read = partial(Settings.read, environment, store=str(asked.store), **given)
    settings = read()

    def ready(port: int) -> None:
        # Only now, so that a server that cannot listen leaves the base URL and the visits as they were.
        with complaining("serve"):
            base_url = keep_base_url(portfolio.store, settings.base_url, port=port)
            app.set_base_url(base_url)
            _save_settings(portfolio, settings)  # before `upkeep` starts the first sweep
            while_listening.enter_context(upkeep(portfolio.store, archive_after_days=settings.archive_after_days))
            while_listening.enter_context(recording_uptime(portfolio.store))
            while_listening.enter_context(looking_daily(str(asked.store), portfolio.time_zone))
        url = f"http://{reachable(settings.host)}:{port}"
        # No signs behind URLs, which terminals take for a part of a link.
        print(f"{portfolio.store.path}{new} at {url} with short URLs below {base_url}")
        print(f"try {url}/api/v3/generate?content=hello (Ctrl-C stops)", flush=True)
        operations.info("the server has started: %s at %s, short URLs %s", portfolio.store.path, url, base_url)

    new = _describe_new(asked.store) if is_missing(asked.store) else ""
    portfolio = open_portfolio(asked.store)
    with writing_log(settings.log_level, to=STDERR):
        with portfolio:
            app = make_app(portfolio.store, settings)
            with ExitStack() as while_listening, Door(portfolio.store), listening_at(settings.host, settings.port):
                serve(app, settings, ready=ready, reload=partial(reload_settings, app, read))
        # The store is closed by now, so all visits that could be written have been written.
        if app.redirects.lost:
            operations.error("the server has stopped; %d visits were lost since it started", app.redirects.lost)
        else:
            operations.info("the server has stopped")
