"""Implements `qrkit account`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from qrkit.commands.output import complain, print_result
from qrkit.commands.parsing import Parser, add_json, subcommands
from qrkit.commands.stores import add_store, is_missing, opened
from qrkit.tracking.records import PLANS, Account

if TYPE_CHECKING:
    from qrkit.store import Store


def define_account(one: Parser) -> None:
    """Define the command `account` and its subcommands."""
    for name, act, act_on, arguments, keys in subcommands(one, ACCOUNT_COMMANDS):
        for argument, what in (("NAME", "name of the account"), ("PLAN", ", ".join(PLANS)), ("ID", "ID of the key")):
            if argument in arguments.split():
                act_on.add_argument(argument.lower(), metavar=argument, help=what)
        if name == "create":
            act_on.add_argument("--plan", default="free", metavar="PLAN", help=f"{', '.join(PLANS)} (free)")
        if name == "key":
            use = "a name for the key, for your own reference"
            act_on.add_argument("--label", default="", metavar="TEXT", help=use)
            end = "when it expires, such as 2027-01-01T00:00:00Z (never)"
            act_on.add_argument("--expires", default="", metavar="DATE", help=end)
        add_store(act_on)
        add_json(act_on, keys, each={"list": "account", "keys": "key"}.get(name, ""))
        act_on.set_defaults(run=partial(_act, act))


def _act(act: Callable[[Store, argparse.Namespace], None], asked: argparse.Namespace) -> None:
    if asked.doing == "create" and is_missing(asked.store):
        from qrkit.portfolio import open_portfolio
        from qrkit.portfolio.access import create_account

        # Check first, so that an invalid account does not leave a new, empty store behind.
        with open_portfolio(":memory:") as trial:
            create_account(trial.store, asked.name, plan=asked.plan)
    is_read = asked.doing in ("list", "keys")
    with opened(asked, must_exist=asked.doing != "create", to_read=is_read) as portfolio:
        act(portfolio.store, asked)


def _account(store: Store, asked: argparse.Namespace) -> Account:
    from qrkit.portfolio.access import get_account

    return get_account(store, asked.name)


def _create_account(store: Store, asked: argparse.Namespace) -> None:
    from qrkit.portfolio.access import create_account

    account = create_account(store, asked.name, plan=asked.plan)
    print_result(asked, f"{account.name}: an account of the plan {account.plan}", name=account.name, plan=account.plan)


def _list_accounts(store: Store, asked: argparse.Namespace) -> None:
    from qrkit.portfolio.access import list_accounts, list_keys

    for account in list_accounts(store):
        keys = len(list_keys(store, account))
        text = f"{account.name}  {account.plan}  keys: {keys}"
        print_result(asked, text, name=account.name, plan=account.plan, keys=keys)


def _change_plan(store: Store, asked: argparse.Namespace) -> None:
    from qrkit.portfolio.access import change_plan

    changed = change_plan(store, _account(store, asked), asked.plan)
    print_result(asked, f"{changed.name}: the plan is now {changed.plan}", name=changed.name, plan=changed.plan)


def _create_key(store: Store, asked: argparse.Namespace) -> None:
    from qrkit.portfolio.access import create_key, expiry_of, key_id

    expires = expiry_of(asked.expires)
    key = create_key(store, _account(store, asked), label=asked.label, expires=expires)
    print_result(asked, key, id=key_id(key), key=key)
    complain("account", "this key is shown only once; the store keeps only a hash of it")


def _list_keys(store: Store, asked: argparse.Namespace) -> None:
    from qrkit.portfolio.access import list_keys
    from qrkit.tracking.times import to_iso

    for key in list_keys(store, _account(store, asked)):
        created, expires, revoked = (one and to_iso(one) for one in (key.created, key.expires, key.revoked))
        ends = f"expires {expires}" if expires else "no end"
        state = f"revoked {revoked}" if revoked else ends
        text = f"{key.id}  made {created}  {state}  {key.label}".rstrip()
        print_result(asked, text, id=key.id, label=key.label, created=created, expires=expires, revoked=revoked)


def _revoke_key(store: Store, asked: argparse.Namespace) -> None:
    from qrkit.portfolio.access import revoke_key

    revoke_key(store, _account(store, asked), asked.id)
    print_result(asked, f"{asked.id}: opens nothing any more", id=asked.id)


ACCOUNT_COMMANDS = (
    ("create", _create_account, "Create an account.", "NAME", "name, plan"),
    ("list", _list_accounts, "List all accounts, with their plans.", "", "name, plan, keys (how many)"),
    ("plan", _change_plan, "Give an account another plan.", "NAME PLAN", "name, plan"),
    ("key", _create_key, "Create an API key, which is shown only once.", "NAME", "id, key"),
    ("keys", _list_keys, "List the keys of an account, without the keys themselves.", "NAME",
     "id, label, created, expires, revoked"),
    ("revoke", _revoke_key, "Revoke a key, so that it no longer works.", "NAME ID", "id"),
)  # fmt: skip
"""Name, function, description, arguments, names in its JSON."""
