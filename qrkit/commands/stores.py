"""Selects and opens the store that a command works on."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.commands.output import complain, complaining
from qrkit.errors import NotFound, StoreBusy

if TYPE_CHECKING:
    from qrkit.portfolio import Portfolio

__all__ = ["add_base_url", "add_store", "is_missing", "opened", "shown_place"]

DEFAULT_STORE = "qrkit.duckdb"
STORE = "a store's file, or the URL of a PostgreSQL database"


def add_store(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the option `--store`."""
    # The variable may contain a password, so the help names it without showing its value.
    default = os.environ.get("QRKIT_STORE") or DEFAULT_STORE
    what = f"{STORE} ($QRKIT_STORE, else {DEFAULT_STORE})"
    parser.add_argument("--store", default=default, metavar="STORE", help=what)


def add_base_url(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the option `--base-url`."""
    what = "what short URLs begin with, which the store keeps (http://localhost:8080)"
    parser.add_argument("--base-url", metavar="URL", help=what)


def shown_place(place: str) -> str:
    """Return the location of a store without a password."""
    from qrkit.store.postgresql.database import is_server, shown_url

    return shown_url(place) if is_server(place) else place


def is_missing(place: str) -> bool:
    """Whether a store is a file that does not exist. A store on a server is checked when it is opened."""
    from qrkit.store.postgresql.database import is_server

    return not is_server(place) and not Path(place).exists()


def opened(asked: argparse.Namespace, *, must_exist: bool = False, to_read: bool = False) -> Portfolio:
    """Open the portfolio of the selected store.

    Args:
        asked: The arguments of the command.
        must_exist: Whether the store must exist, so that a typo does not create a new file.
        to_read: Whether to read a copy if another process has the store open; the store must exist, too.

    Raises:
        NotFound: If the file does not exist.
        StoreBusy: If another process has the store open.
    """
    from qrkit.portfolio import open_portfolio
    from qrkit.store.postgresql.database import is_server

    if (must_exist or to_read) and is_missing(asked.store):
        hint = "`qrkit import`, `qrkit serve` and `qrkit account create` make one"
        raise NotFound("store", shown_place(asked.store), hint=hint)
    base_url = getattr(asked, "base_url", None)
    try:
        with complaining(asked.command):
            return open_portfolio(asked.store, base_url=base_url)
    except StoreBusy:
        if not to_read or base_url is not None or is_server(asked.store):
            raise
    complain(asked.command, f"{asked.store} is in use; this is taken from a copy of it as it is now")
    return open_portfolio(snapshot_of=asked.store)
