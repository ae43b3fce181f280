"""`qrkit migrate`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from qrkit.commands.parsing import is_missing, place_of, shown_place
from qrkit.errors import NotFound
from qrkit.progress import watch
from qrkit.store import Store
from qrkit.store.migrating import migrate

if TYPE_CHECKING:
    from qrkit.commands.parsing import Commands

__all__ = ["add_migrate"]


def add_migrate(commands: Commands) -> None:
    """Add `migrate`."""
    one = commands.add_parser(
        "migrate",
        help="copy a store into a new one, from a file to a PostgreSQL database or back",
        epilog="Stop what serves the store first. A run that was interrupted goes on where it was.",
    )
    what = "a store's file, or the URL of a PostgreSQL database"
    one.add_argument("source", type=place_of, metavar="FROM", help=what)
    one.add_argument("target", type=place_of, metavar="TO", help=f"{what} that is empty")
    one.set_defaults(run=_migrate)


def _migrate(asked: argparse.Namespace) -> None:
    if is_missing(asked.source):
        raise NotFound("store", f"{shown_place(asked.source)}")
    with Store(asked.source) as source, Store(asked.target) as target:
        moved = migrate(source, target, seen=watch(progress=sys.stderr.isatty()))
        print(f"{target.path}: {moved}")
