"""Implements `qrkit migrate`."""

from __future__ import annotations

import argparse
import sys

from qrkit.commands.output import print_result
from qrkit.commands.parsing import Parser, add_json, describe
from qrkit.commands.stores import STORE, is_missing, shown_place
from qrkit.errors import NotFound

__all__ = ["define_migrate"]


def define_migrate(one: Parser) -> None:
    """Define the command `migrate`."""
    describe(
        one,
        "Stop the server of the store first. If a run is interrupted, start it again, and it resumes. Pass the "
        "password in the environment variable PGPASSWORD.",
        usage="FROM TO [--json]",
        examples=(
            "qrkit migrate shop.duckdb postgresql://qrkit@db.example/shop",
            "qrkit migrate postgresql://qrkit@db.example/shop shop.duckdb",
        ),
    )
    one.add_argument("source", metavar="FROM", help=STORE)
    one.add_argument("target", metavar="TO", help=f"{STORE} that is empty")
    add_json(one, "store, rows (how many, by table)")
    one.set_defaults(run=_migrate)


def _migrate(asked: argparse.Namespace) -> None:
    from qrkit.late import watch
    from qrkit.store import Store
    from qrkit.store.upkeep.moving import migrate

    if is_missing(asked.source):
        raise NotFound("store", shown_place(asked.source))
    with Store(asked.source) as source, Store(asked.target) as target:
        moved = migrate(source, target, seen=watch(progress=sys.stderr.isatty()))
        print_result(asked, f"{target.path}: {moved}", store=target.path, rows=moved.rows)
