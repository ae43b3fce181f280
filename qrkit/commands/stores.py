"""Selects and opens the store that a command works on."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from qrkit.commands.output import Status, complain, complaining
from qrkit.errors import NotFound, StoreBusy, StoreReadOnly

if TYPE_CHECKING:
    from qrkit.portfolio import Portfolio
    from qrkit.store import Store
    from qrkit.store.served.database import ServedStore


DEFAULT_STORE = "qrkit.duckdb"
PRIORITY = 10
"""How much lower the priority of a command is than that of the server whose store it works with."""
Act: TypeAlias = "Callable[[Portfolio, argparse.Namespace], Status | None]"
STORE = "the file of a store, or the URL of a PostgreSQL database"


def add_store(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the option `--store`."""
    # The variable may contain a password, so the help names it without showing its value.
    what = f"{STORE} ($QRKIT_STORE, else {DEFAULT_STORE})"
    parser.add_argument("--store", default=_default_store(), metavar="STORE", help=what)


def _default_store() -> str:
    return os.environ.get("QRKIT_STORE") or DEFAULT_STORE


def store_option(place: str) -> str:
    """Return the words that a suggested command needs for a store: none for the one that commands take by default."""
    from shlex import quote  # only for suggestions

    return "" if place == _default_store() else f" --store {quote(shown_place(place))}"


def add_base_url(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the option `--base-url`."""
    what = "what short URLs start with; the store remembers it (http://localhost and the port of its server)"
    parser.add_argument("--base-url", metavar="URL", help=what)


def shown_place(place: str) -> str:
    """Return the location of a store without a password."""
    from qrkit.store.postgresql.database import is_server, shown_url

    return shown_url(place) if is_server(place) else place


def is_missing(place: str) -> bool:
    """Whether a store is a file that does not exist. A store on a server is checked when it is opened."""
    from qrkit.store.postgresql.database import is_server

    return not is_server(place) and not Path(place).exists()


def neighbor(place: str) -> str:
    """Return the most similarly named store in the same folder; empty if there is none."""
    from difflib import get_close_matches

    name, others = Path(place).name, _stores_beside(place)
    return next((others[stem] for stem in get_close_matches(name.removesuffix(".duckdb"), others, n=1)), "")


def _stores_beside(place: str) -> dict[str, str]:
    """Return the names of the other stores in the same folder, by name without the suffix."""
    path = Path(place)
    return {other.stem: other.name for other in sorted(path.parent.glob("*.duckdb")) if other.name != path.name}


def opened(asked: argparse.Namespace, *, must_exist: bool = False, to_read: bool = False) -> Portfolio:
    """Open the portfolio of the selected store.

    While `qrkit serve` of this user has the store open, the command works with the store through that process. With
    `must_exist`, a typo creates no new file. A command that only reads (`to_read`) needs an existing store, too, and
    reads a copy if any other process has it open or the file cannot be written.
    """
    _give_way(asked)
    from qrkit.portfolio import open_portfolio
    from qrkit.portfolio.opening import portfolio_in
    from qrkit.store.postgresql.database import is_server

    if must_exist or to_read:
        _check_exists(asked)
    base_url = getattr(asked, "base_url", None)
    try:
        with complaining(asked.command), _without_history_log():
            return open_portfolio(asked.store, base_url=base_url)
    except (StoreBusy, StoreReadOnly) as error:
        if is_server(asked.store):
            raise
        if served := _served(asked):
            return portfolio_in(served, base_url=base_url)
        if not to_read or base_url is not None:
            raise
        _tell_of_copy(asked, error)
    return open_portfolio(snapshot_of=asked.store)


def with_portfolio(
    act: Act, *, to_read: bool = False, must_exist: bool = True
) -> Callable[[argparse.Namespace], Status | None]:
    """Return what runs a command on the portfolio of the selected store; see `opened`."""

    def run(asked: argparse.Namespace) -> Status | None:
        with opened(asked, must_exist=must_exist, to_read=to_read) as portfolio:
            return act(portfolio, asked)

    return run


def opened_store(asked: argparse.Namespace) -> Store:
    """Open the selected store for reading without a portfolio, so that even a damaged store opens if possible.

    If another process has the store open, this is a copy. While `qrkit serve` has it open, nothing is written until the
    copy is complete, however much goes on there. `StoreDamaged` says that it is too damaged.
    """
    _give_way(asked)
    from qrkit.store import Store
    from qrkit.store.postgresql.database import is_server
    from qrkit.store.upkeep.snapshot import Snapshot

    _check_exists(asked)
    try:
        with _without_history_log():
            return Store(asked.store)
    except (StoreBusy, StoreReadOnly) as error:
        if is_server(asked.store):
            raise
        if served := _served(asked):
            with served, served.standing():
                return Snapshot(asked.store)
        _tell_of_copy(asked, error)
    return Snapshot(asked.store)


def _served(asked: argparse.Namespace) -> ServedStore | None:
    """Return the store as its server offers it; say so if another user keeps the server from offering it."""
    from qrkit.store.served.database import served_store
    from qrkit.store.served.socket_files import has_sockets, is_taken, place

    path = Path(asked.store).resolve()
    if has_sockets() and is_taken(path):
        rule = "belongs to another user, so commands cannot reach the server of this store"
        complain(asked.command, f"{place(path)} {rule}; keep the store in a folder that only you can write to")
    return served_store(asked.store)


@contextmanager
def _without_history_log() -> Iterator[None]:
    """Context manager: logs nothing about missing archived visits; a command that needs them says so itself."""
    import logging  # plain codes, which need no store, do without it

    log = logging.getLogger("qrkit.history")
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


def _give_way(asked: argparse.Namespace) -> None:
    """Leave the processor to visitors first if a server has the store, before this process loads what takes long."""
    from qrkit.store.postgresql.database import is_server
    from qrkit.store.served.socket_files import has_sockets, place

    if has_sockets() and not is_server(asked.store) and place(Path(asked.store).resolve()).exists():
        os.setpriority(os.PRIO_PROCESS, 0, max(PRIORITY, os.getpriority(os.PRIO_PROCESS, 0)))


def _check_exists(asked: argparse.Namespace) -> None:
    if is_missing(asked.store):
        hint = "`qrkit add`, `qrkit import` and `qrkit serve` create one, with the account 'local'"
        if other := neighbor(asked.store):
            hint = f"did you mean {other!r}?"
        elif asked.store == DEFAULT_STORE and (others := _stores_beside(asked.store)):
            hint = f"name one with --store, such as {next(iter(others.values()))!r}"
        raise NotFound("store", shown_place(asked.store), hint=hint)


def _tell_of_copy(asked: argparse.Namespace, error: StoreBusy | StoreReadOnly) -> None:
    why = "is in use" if isinstance(error, StoreBusy) else "cannot be written"
    complain(asked.command, f"{asked.store} {why}; this is taken from a copy of it as it is now")
