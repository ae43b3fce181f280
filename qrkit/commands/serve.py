"""`qrkit serve`."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from qrkit.commands.parsing import add_store
from qrkit.portfolio import DEFAULT_BASE_URL, open_portfolio
from qrkit.store.retention import sweeping

if TYPE_CHECKING:
    from qrkit.commands.parsing import Commands

__all__ = ["add_serve"]


def add_serve(commands: Commands) -> None:
    """Add `serve`."""
    one = commands.add_parser(
        "serve",
        help="serve the HTTP interface and the short URLs of a store",
        epilog="Each of these may be set in the environment, as QRKIT_PORT=80; lists are written with commas there.",
    )
    add_store(one)
    one.add_argument("--host", help="address to listen on (127.0.0.1)")
    one.add_argument("--port", type=int, help="port to listen on, 0 for a free one (8080)")
    for name, what in (
        ("--hosts", "a name besides that of the base URL under which it is asked, * for any; may be repeated"),
        ("--trusted-proxies", "address or network of a proxy whose X-Forwarded-For is believed; may be repeated"),
        ("--fetch-from", "a host from which pictures of designs are read; may be repeated"),
    ):
        one.add_argument(name, action="extend", type=_listed, metavar="NAME", help=what)
    for name, what in (
        ("--keep-days", "days that visits are kept before they are reduced to counts, which the store remembers"),
        ("--proxy-hops", "how many such proxies stand one behind the other (1)"),
        ("--threads", "requests that are worked on at once (64)"),
        ("--processes", "processes that serve the store; each counts its share of what an address may (1)"),
        ("--renders", "pictures that are drawn at once (one a processor)"),
        ("--generates-a-minute", "pictures an address may have in a minute without a key, 0 without limit (600)"),
        ("--unknown-codes-a-minute", "unknown short URLs an address may try in a minute, 0 without limit (30)"),
    ):
        one.add_argument(name, type=int, metavar="N", help=what)
    one.add_argument("--places", metavar="FILE", help="table of places (mmdb) that tells the country of visits (none)")
    yes_or_no = argparse.BooleanOptionalAction
    one.add_argument("--strict", action=yes_or_no, help="answer 503 rather than lose a visit (no)")
    one.add_argument("--record-visits", action=yes_or_no, help="record visits (yes)")
    one.add_argument("--access-log", action=yes_or_no, help="tell each request on the error stream, as JSON (yes)")
    one.set_defaults(run=_serve)


def _listed(text: str) -> list[str]:
    """Names with commas between them, as in the environment."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _serve(asked: argparse.Namespace) -> None:
    from qrkit.wsgi import Settings, make_app, serve
    from qrkit.wsgi.access_log import shown_access

    given = {name: getattr(asked, name) for name in Settings.model_fields if name != "store"}
    settings = Settings.read(os.environ, store=str(asked.store), **given)

    def ready(port: int) -> None:
        print(f"{portfolio.store.path} at http://{settings.host}:{port}, short URLs {portfolio.base_url}/…")
        print(f"try http://{settings.host}:{port}/api/v3/generate?content=hello; Ctrl-C stops", flush=True)
        if portfolio.base_url == DEFAULT_BASE_URL and port != 8080:
            print(
                f"short URLs lead to {DEFAULT_BASE_URL}, where this does not listen: give --base-url", file=sys.stderr
            )

    with shown_access(), open_portfolio(asked.store, base_url=settings.base_url) as portfolio:
        if settings.keep_days is not None:
            portfolio.keep_visits(days=settings.keep_days)
        with sweeping(portfolio.store):
            serve(make_app(portfolio.store, settings), settings, ready=ready)
