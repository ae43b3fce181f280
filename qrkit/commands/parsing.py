"""What commands have in common: the store they are for."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from qrkit.errors import NotFound
from qrkit.portfolio import Portfolio, open_portfolio

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_store", "opened"]

DEFAULT_STORE = "qrkit.duckdb"


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which store is meant."""
    default = Path(os.environ.get("QRKIT_STORE") or DEFAULT_STORE)
    parser.add_argument("--store", type=Path, default=default, help="the store's file (%(default)s)")
    parser.add_argument("--base-url", help="what short URLs begin with; the store keeps it (http://localhost:8080)")


def opened(asked: argparse.Namespace, *, must_exist: bool = False) -> Portfolio:
    """The portfolio of the store; commands that only read do not make a new file of a mistyped name.

    Raises:
        NotFound: There is no such file.
    """
    if must_exist and not asked.store.exists():
        raise NotFound("store", f"{asked.store}", hint="`qrkit serve` and `qrkit import` make one")
    return open_portfolio(asked.store, base_url=asked.base_url)
