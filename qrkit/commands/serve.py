"""Implements `qrkit serve`."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from functools import partial

from qrkit.commands.output import complaining
from qrkit.commands.parsing import Commands, add_command, number
from qrkit.commands.stores import add_base_url, add_store

__all__ = ["add_serve"]

_log = logging.getLogger("qrkit")


def add_serve(commands: Commands) -> None:
    """Add the command `serve`."""
    one = add_command(
        commands,
        "qrkit serve",
        "Serve the HTTP interface and the short URLs of a store.\n\n"
        "It makes the store where there is none; Ctrl-C ends it. Each option may be set in the "
        "environment, as QRKIT_PORT=80; lists are written with commas there.\n\n"
        '--settings names a TOML file with the same settings, as port = 80 or hosts = ["a.example"]; '
        "options and the environment override it. On SIGHUP, the server reads the file and the GeoIP "
        "database again: access_log, log_level, places, generates_a_minute and unknown_codes_a_minute "
        "change at once; the log names others that changed and need a restart.",
        usage="[options]",
        examples=(
            "qrkit serve --store shop.duckdb --base-url https://go.example.com",
            "qrkit serve --host 0.0.0.0 --port 80 --trusted-proxies 10.0.0.1",
            "QRKIT_PORT=8000 qrkit serve",
            "qrkit serve --settings /etc/qrkit.toml --log-level warning",
        ),
    )
    _add_groups(one)
    one.set_defaults(run=_serve)


def _add_groups(one: argparse.ArgumentParser) -> None:
    yes_or_no = argparse.BooleanOptionalAction
    where = one.add_argument_group("what and where")
    add_store(where)
    add_base_url(where)
    where.add_argument("--settings", metavar="FILE", help="a file of settings, in TOML (none)")
    where.add_argument("--host", metavar="ADDRESS", help="where to listen (127.0.0.1)")
    where.add_argument("--port", type=number, metavar="N", help="port to listen on, 0..65535; 0 is a free one (8080)")
    who = one.add_argument_group("whom it believes; each may be repeated")
    scans = one.add_argument_group("what it keeps, and tells")
    for name, metavar, what in (
        ("--hosts", "NAME", "a further name under which it is asked, beside that of the base URL; * is any"),
        (
            "--trusted-proxies",
            "ADDRESS",
            "a proxy, or a network of them, whose X-Forwarded-For and X-Request-ID are believed (none)",
        ),
        ("--fetch-from", "HOST", "a host from which pictures of designs are read (none)"),
    ):
        who.add_argument(name, action="extend", type=_split_names, metavar=metavar, help=what)
    who.add_argument("--proxy-hops", type=number, metavar="N", help="how many proxies stand in a row, 1..10 (1)")
    scans.add_argument("--record-visits", action=yes_or_no, help="record visits (yes)")
    scans.add_argument("--strict", action=yes_or_no, help="answer 503 rather than lose a visit (no)")
    what = "days until visits are reduced to counts, 1..36500; the store remembers it (never)"
    scans.add_argument("--keep-days", type=number, metavar="N", help=what)
    what = "a table of places (mmdb) that tells the country of visits (none)"
    scans.add_argument("--places", metavar="FILE", help=what)
    told = "write a line of JSON for each request to the error stream (yes)"
    scans.add_argument("--access-log", action=yes_or_no, help=told)
    told = "messages to write there from this level on: info, warning or error (info)"
    scans.add_argument("--log-level", metavar="LEVEL", help=told)
    limits = one.add_argument_group("how much at once")
    for name, what in (
        ("--threads", "requests that are worked on at once, 4..512 (64)"),
        ("--renders", "pictures that are drawn at once, 1..64 (one a processor)"),
        ("--processes", "processes that serve the store, 1..1000; each allows its share of the next two (1)"),
        ("--generates-a-minute", "pictures for an address without a key, 0..1000000; 0 is any number (600)"),
        ("--unknown-codes-a-minute", "unknown short URLs for an address, 0..1000000; 0 is any number (30)"),
    ):
        limits.add_argument(name, type=number, metavar="N", help=what)


def _split_names(text: str) -> list[str]:
    """Split names at commas, as in the environment variables."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _serve(asked: argparse.Namespace) -> None:
    from qrkit.portfolio import open_portfolio
    from qrkit.portfolio.codes import DEFAULT_BASE_URL
    from qrkit.server import Settings, make_app, serve
    from qrkit.server.logs import writing_log
    from qrkit.server.reloading import reload_settings
    from qrkit.server.settings import FILE_VARIABLE
    from qrkit.server.socket_server import STDERR, reachable
    from qrkit.store.retention import sweeping

    given = {name: getattr(asked, name) for name in Settings.model_fields if name != "store"}
    environment = dict(os.environ) | ({FILE_VARIABLE: asked.settings} if asked.settings else {})

    def read() -> Settings:
        return Settings.read(environment, store=str(asked.store), **given)

    settings = read()

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
    with writing_log(settings.log_level, to=STDERR):
        with portfolio:
            if settings.keep_days is not None:
                portfolio.keep_visits(days=settings.keep_days)
            app = make_app(portfolio.store, settings)
            with sweeping(portfolio.store):
                serve(app, settings, ready=ready, reload=partial(reload_settings, app, read))
        # The store is closed now, so it has written what it could.
        if app.redirects.lost:
            _log.error("the server has ended; %d visits were lost since it started", app.redirects.lost)
