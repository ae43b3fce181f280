"""Implements `qrkit verify`, `backup`, `archive`, `rescue`, `compact` and `migrate`: the maintenance of a store."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.commands.output import Status, complain, print_json, print_result
from qrkit.commands.parsing import Parser, add_json
from qrkit.commands.stores import STORE, is_missing, opened, opened_store, shown_place
from qrkit.errors import NotFound, StoreDamaged, counted

if TYPE_CHECKING:
    from qrkit.store.upkeep.rescuing import TableRescue


def define_verify(one: Parser) -> None:
    """Define the command `verify`."""
    one.add_argument("store", metavar="STORE", help=STORE)
    add_json(one, "store, faults")
    one.set_defaults(run=_verify)


def define_backup(one: Parser) -> None:
    """Define the command `backup`."""
    one.add_argument("store", metavar="STORE", help="a store's file")
    one.add_argument("copy", type=Path, metavar="COPY", help="the file to write")
    add_json(one, "store, file, bytes")
    one.set_defaults(run=_backup)


def define_archive(one: Parser) -> None:
    """Define the command `archive`."""
    one.add_argument("store", metavar="STORE", help=STORE)
    place = "a folder or s3://bucket/prefix for the files; the store remembers it"
    one.add_argument("--to", metavar="PLACE", help=place)
    one.add_argument("--before", metavar="DAY", help="the first day, in UTC, whose visits stay in the store (today)")
    add_json(one, "store, visits, files, bytes (of these files)")
    one.set_defaults(run=_archive)


def define_compact(one: Parser) -> None:
    """Define the command `compact`."""
    one.add_argument("store", metavar="STORE", help="a store's file")
    add_json(one, "store, bytes (how much smaller it is)")
    one.set_defaults(run=_compact)


def define_rescue(one: Parser) -> None:
    """Define the command `rescue`."""
    one.add_argument("store", metavar="STORE", help="the file of the damaged store")
    one.add_argument("new", type=Path, metavar="NEW", help="the file of the new store, which must not exist")
    add_json(one, "store, file, tables (rows, lost and without by name), log_bytes, is_uncertain")
    one.set_defaults(run=_rescue)


def _verify(asked: argparse.Namespace) -> Status:
    from qrkit.store.history.history_files import missing_folder
    from qrkit.store.postgresql.database import is_server
    from qrkit.store.upkeep.maintenance import exposed, verify

    place, says_what_to_do = shown_place(asked.store), False
    try:
        with opened_store(asked) as store:
            faults = verify(store)
            if files := exposed(store):
                names = shlex.join(map(str, files))
                rule = f"other users of this machine can read {names}; if they should not: chmod -R o= {names}"
                complain(asked.command, rule)
            says_what_to_do = missing_folder(store) is not None
    except StoreDamaged as error:
        faults = [str(error)]
    if faults and not says_what_to_do and not is_server(asked.store):
        hint = f"restore a backup, or write what can be read into a new store: qrkit rescue {asked.store} NEW"
        complain(asked.command, hint)
    told = [f"{place}: {'not sound' if faults else 'sound'}", *faults]
    print_result(asked, "\n  ".join(told), store=place, faults=faults)
    return Status.IN_PART if faults else Status.DONE


def _backup(asked: argparse.Namespace) -> None:
    from qrkit.store.upkeep.maintenance import backup

    with opened_store(asked) as store:
        file = backup(store, asked.copy)
    place, size = shown_place(asked.store), file.stat().st_size
    told = f"{file}: a copy of {place}, {size:,} bytes{_with_folder(file)}"
    print_result(asked, told, store=place, file=str(file), bytes=size)


def _with_folder(file: Path) -> str:
    """Return the advice to keep the folder of archived visits beside a store's file; "" without one."""
    from qrkit.store.duckdb.database import history_folder

    folder = history_folder(file)
    return f"; keep the folder {folder.name} beside it, which has the archived visits" if folder.is_dir() else ""


def _archive(asked: argparse.Namespace) -> None:
    with opened(asked, must_exist=True) as portfolio:
        archived = portfolio.archive(before=asked.before, to=asked.to)
    place, told = shown_place(asked.store), "no visits to archive"
    if archived.visits:
        written = f"files written: {archived.files:,}, {archived.bytes:,} bytes"
        told = f"{counted(archived.visits, 'visit')} moved into the history; {written}{_with_folder(Path(asked.store))}"
    print_result(asked, f"{place}: {told}", store=place, **asdict(archived))


def _rescue(asked: argparse.Namespace) -> Status:
    from qrkit.store.upkeep.rescuing import rescue

    if is_missing(asked.store):
        raise NotFound("store", asked.store)
    rescued = rescue(asked.store, asked.new)
    if asked.json:
        print_json(store=asked.store, file=str(asked.new), **asdict(rescued))
    else:
        print(f"{asked.new}: what could be read of {asked.store}")
        for name, table in rescued.tables.items():
            print(f"  {name.replace('_', ' ')}: {_rescued_text(table)}")
        if rescued.log_bytes:
            print(f"  The last {rescued.log_bytes:,} bytes of the log are lost, with the last changes in them.")
        if rescued.is_uncertain:
            print("  The list of tables was damaged: more rows may be missing than these numbers say.")
    return Status.DONE if rescued.is_complete else Status.IN_PART


def _rescued_text(table: TableRescue) -> str:
    """Describe the result of rescuing a table."""
    lost = "an unknown number of rows lost" if table.lost is None else f"{table.lost:,} lost" if table.lost else ""
    without = [f"{rows:,} without {name}" for name, rows in table.without.items()]
    return ", ".join(filter(None, [counted(table.rows, "row"), lost, *without]))


def _compact(asked: argparse.Namespace) -> None:
    from qrkit.store.upkeep.maintenance import compact

    with opened(asked, must_exist=True) as portfolio:
        fewer = compact(portfolio.store)
    print_result(asked, f"{asked.store}: {fewer:,} bytes smaller", store=shown_place(asked.store), bytes=fewer)


def define_migrate(one: Parser) -> None:
    """Define the command `migrate`."""
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
