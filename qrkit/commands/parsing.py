"""What commands have in common: the store they are for."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from qrkit.errors import NotFound
from qrkit.portfolio import Portfolio, open_portfolio
from qrkit.store.postgresql import is_server, shown_url

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_store", "is_missing", "opened", "place_of", "shown_place"]

DEFAULT_STORE = "qrkit.duckdb"


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which store is meant."""
    default = place_of(os.environ.get("QRKIT_STORE") or DEFAULT_STORE)
    shown = str(shown_place(default)).replace("%", "%%")
    what = f"the store's file, or the URL of a PostgreSQL database ({shown})"
    parser.add_argument("--store", type=place_of, default=default, metavar="STORE", help=what)
    parser.add_argument("--base-url", help="what short URLs begin with; the store keeps it (http://localhost:8080)")


def place_of(text: str) -> Path | str:
    """A file, or the URL of a server."""
    return text if is_server(text) else Path(text)


def shown_place(place: Path | str) -> Path | str:
    """The same as it may be shown: without a password."""
    return shown_url(place) if isinstance(place, str) else place


def is_missing(place: Path | str) -> bool:
    """Whether it is a file that is not there; what is on a server, opening it tells."""
    return isinstance(place, Path) and not place.exists()


def opened(asked: argparse.Namespace, *, must_exist: bool = False) -> Portfolio:
    """The portfolio of the store; commands that only read do not make a new file of a mistyped name.

    Raises:
        NotFound: There is no such file.
    """
    if must_exist and is_missing(asked.store):
        raise NotFound("store", f"{asked.store}", hint="`qrkit serve` and `qrkit import` make one")
    return open_portfolio(asked.store, base_url=asked.base_url)
