"""Implements `qrkit verify`, `backup` and `compact`: the maintenance of a store."""

from __future__ import annotations

import argparse
from pathlib import Path

from qrkit.commands.output import Status, print_json
from qrkit.commands.parsing import Commands, add_command, add_json
from qrkit.commands.stores import STORE, opened, shown_place

__all__ = ["add_care"]


def add_care(commands: Commands) -> None:
    """Add the commands `verify`, `backup` and `compact`."""
    one = add_command(
        commands,
        "qrkit verify",
        "Tell whether a store is sound.\n\n"
        "It may be in use: then a copy of it is looked at. The exit status is 1 where something is wrong.",
        usage="STORE [--json]",
        examples=("qrkit verify shop.duckdb", "qrkit verify postgresql://qrkit@db.example/shop --json"),
    )
    one.add_argument("store", metavar="STORE", help=STORE)
    add_json(one, "store, faults")
    one.set_defaults(run=_verify)
    one = add_command(
        commands,
        "qrkit backup",
        "Copy a store, which may be in use.\n\n"
        "An older copy is replaced once the new one is whole. Of a PostgreSQL database, `pg_dump` makes copies.",
        usage="STORE COPY [--json]",
        examples=("qrkit backup shop.duckdb shop-copy.duckdb",),
    )
    one.add_argument("store", metavar="STORE", help="a store's file")
    one.add_argument("copy", type=Path, metavar="COPY", help="the file to write")
    add_json(one, "store, file, bytes")
    one.set_defaults(run=_backup)
    one = add_command(
        commands,
        "qrkit compact",
        "Make a store's file smaller, after much was deleted.\n\n"
        "Stop what serves the store first. When anything fails, it stays as it was.",
        usage="STORE [--json]",
        examples=("qrkit compact shop.duckdb",),
    )
    one.add_argument("store", metavar="STORE", help="a store's file")
    add_json(one, "store, bytes (how many it has got smaller)")
    one.set_defaults(run=_compact)


def _verify(asked: argparse.Namespace) -> Status:
    from qrkit.store.maintenance import verify

    place = shown_place(asked.store)
    with opened(asked, to_read=True) as portfolio:
        faults = verify(portfolio.store)
    if asked.json:
        print_json(store=place, faults=faults)
    else:
        print("\n  ".join([f"{place}: {'not sound' if faults else 'sound'}", *faults]))
    return Status.IN_PART if faults else Status.DONE


def _backup(asked: argparse.Namespace) -> None:
    from qrkit.store.maintenance import backup

    with opened(asked, to_read=True) as portfolio:
        file = backup(portfolio.store, asked.copy)
    size = file.stat().st_size
    if asked.json:
        print_json(store=shown_place(asked.store), file=str(file), bytes=size)
    else:
        print(f"{file}: a copy of {shown_place(asked.store)}, {size:,} bytes")


def _compact(asked: argparse.Namespace) -> None:
    from qrkit.store.maintenance import compact

    with opened(asked, must_exist=True) as portfolio:
        fewer = compact(portfolio.store)
    if asked.json:
        print_json(store=shown_place(asked.store), bytes=fewer)
    else:
        print(f"{asked.store}: {fewer:,} bytes smaller")
