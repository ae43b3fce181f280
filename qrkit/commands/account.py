"""`qrkit account`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from qrkit import access
from qrkit.commands.parsing import add_store, is_missing, opened
from qrkit.errors import InvalidParameter, Problem
from qrkit.portfolio import open_portfolio
from qrkit.records import PLANS
from qrkit.store import Store
from qrkit.times import from_iso, now, to_iso

if TYPE_CHECKING:
    from qrkit.commands.parsing import Commands

__all__ = ["add_account"]


def add_account(commands: Commands) -> None:
    """Add `account` and what it does with accounts."""
    parser = commands.add_parser("account", help="accounts of a store, their plans and API keys")
    doing = parser.add_subparsers(dest="doing", required=True, metavar="what")
    for name, act, what, arguments in ACCOUNT_COMMANDS:
        one = doing.add_parser(name, help=what)
        for argument in arguments:
            one.add_argument(argument)
        add_store(one)
        one.set_defaults(run=_with_store(act))
        if name == "create":
            one.add_argument("--plan", default="free", help=f"one of {', '.join(PLANS)} (%(default)s)")
        if name == "key":
            one.add_argument("--label", default="", help="what its owner calls it")
            one.add_argument("--expires", metavar="DATE", help="when it ends, as 2027-01-01T00:00:00Z")


def _with_store(act: Callable[[Store, argparse.Namespace], None]) -> Callable[[argparse.Namespace], None]:
    def run(asked: argparse.Namespace) -> None:
        if asked.doing == "create" and is_missing(asked.store):
            # An account that cannot be must not leave a new, empty store behind.
            with open_portfolio(":memory:") as trial:
                access.create_account(trial.store, asked.name, plan=asked.plan)
        with opened(asked, must_exist=asked.doing != "create") as portfolio:
            act(portfolio.store, asked)

    return run


def _create_account(store: Store, asked: argparse.Namespace) -> None:
    made = access.create_account(store, asked.name, plan=asked.plan)
    print(f"{made.name}: an account of the plan {made.plan}")


def _list_accounts(store: Store, _asked: argparse.Namespace) -> None:
    for one in access.list_accounts(store):
        print(f"{one.name}  {one.plan}  keys: {len(access.list_keys(store, one))}")


def _change_plan(store: Store, asked: argparse.Namespace) -> None:
    changed = access.change_plan(store, access.get_account(store, asked.name), asked.plan)
    print(f"{changed.name}: the plan is now {changed.plan}")


def _create_key(store: Store, asked: argparse.Namespace) -> None:
    expires = from_iso(asked.expires, name="expires") if asked.expires else None
    if expires and expires <= now():
        raise InvalidParameter(Problem("expires", asked.expires, "must lie ahead"))
    print(access.create_key(store, access.get_account(store, asked.name), label=asked.label, expires=expires))
    print("qrkit account: the key is shown this once; the store keeps its digest alone", file=sys.stderr)


def _list_keys(store: Store, asked: argparse.Namespace) -> None:
    for key in access.list_keys(store, access.get_account(store, asked.name)):
        ends = f"expires {to_iso(key.expires)}" if key.expires else "no end"
        state = f"revoked {to_iso(key.revoked)}" if key.revoked else ends
        print(f"{key.id}  made {to_iso(key.created)}  {state}  {key.label}".rstrip())


def _revoke_key(store: Store, asked: argparse.Namespace) -> None:
    access.revoke_key(store, access.get_account(store, asked.name), asked.id)
    print(f"{asked.id}: opens nothing any more")


ACCOUNT_COMMANDS = (
    ("create", _create_account, "make an account", ("name",)),
    ("list", _list_accounts, "all accounts, with their plans", ()),
    ("plan", _change_plan, "give an account another plan", ("name", "plan")),
    ("key", _create_key, "make an API key, which is shown this once", ("name",)),
    ("keys", _list_keys, "what is known of the keys of an account", ("name",)),
    ("revoke", _revoke_key, "have a key open nothing any more", ("name", "id")),
)
