"""Implements `qrkit webhook` and `qrkit tail`: who learns what happens to the QR Codes of a store."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.commands.output import Status, print_json, print_result
from qrkit.commands.parsing import Parser, add_fields, add_json, add_time_zone, given_options, subcommands
from qrkit.commands.printed_tables import Column, Table
from qrkit.commands.stores import add_store, with_portfolio
from qrkit.errors import counted
from qrkit.tracking.webhook import EVENT_KINDS, NewWebhook

if TYPE_CHECKING:
    from qrkit.portfolio import Portfolio


SHOWN = {"id": "ID", "url": "URL", "kinds": "Kinds", "active": "Active", "failures": "Failures"}
WEBHOOKS = Table("webhook", tuple(Column(key, heading, is_whole=key == "id") for key, heading in SHOWN.items()))
ATTEMPTS = Table(
    "attempt", tuple(Column(key, key) for key in ("time", "event", "events", "status", "milliseconds", "error"))
)


def define_webhook(one: Parser) -> None:
    """Define the command `webhook` and its subcommands."""
    for name, act, act_on, keys in subcommands(one, WEBHOOK_COMMANDS):
        if name in ("test", "log", "replay", "remove"):
            act_on.add_argument("id", metavar="ID", help="ID of the webhook, as `qrkit webhook list` shows it")
        if name == "add":
            act_on.add_argument("url", metavar="URL", help="where events are sent, by POST")
            _add_filter(act_on, {"batch": "N"})
            private = "allow http, and addresses that are not public, such as those of your own network"
            act_on.add_argument("--private", action="store_true", help=private)
        if name == "log":
            act_on.add_argument("--dead", action="store_true", help="print the events that failed for a day, as JSON")
        if name == "daily":
            add_time_zone(act_on)
        add_store(act_on)
        if name in ("list", "log"):
            (WEBHOOKS if name == "list" else ATTEMPTS).add_options(act_on)
        else:
            add_json(act_on, keys)
        act_on.set_defaults(run=with_portfolio(act, to_read=name in ("list", "log")))


def define_tail(one: Parser) -> None:
    """Define the command `tail`."""
    _add_filter(one, {})
    one.add_argument("--after", type=int, metavar="ID", help="ID of the last event that you have (default: begin now)")
    one.add_argument("--to", type=Path, metavar="FILE", help="append the events to FILE instead of printing them")
    add_store(one)
    one.set_defaults(run=with_portfolio(_tail))


def _add_filter(parser: Parser, more: dict[str, str]) -> None:
    add_fields(parser, lambda: NewWebhook, {"kinds": "KIND,...", "tag": "TEXT"} | more)
    parser.add_argument("--campaign", metavar="NAME", help="only events of QR Codes of this campaign")
    parser.add_argument("--code", metavar="CODE", help="only events of this QR Code: its short code, name or ID")


def _add(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    names = ("kinds", "tag", "campaign", "code", "batch", "private")
    webhook = portfolio.webhooks.add(asked.url, **given_options(asked, names))
    print_result(asked, f"{webhook.id}: added; its secret is {webhook.secret}", id=webhook.id, secret=webhook.secret)


def _list(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    WEBHOOKS.print(asked, [dict(one) | {"kinds": ", ".join(one.kinds)} for one in portfolio.webhooks.list()])


def _test(portfolio: Portfolio, asked: argparse.Namespace) -> Status:
    done = portfolio.webhooks.test(asked.id)
    print_result(asked, done.error or f"answered {done.status}", status=done.status, error=done.error)
    return Status.IN_PART if done.error else Status.DONE


def _log(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    if asked.dead:
        for event in portfolio.webhooks.dead(asked.id):
            print_json(**event)
    else:
        log = portfolio.webhooks.log(asked.id).astype({"time": "str", "status": "object"})
        ATTEMPTS.print(asked, log.where(log.notna(), None).to_dict("records"))


def _replay(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    number = portfolio.webhooks.replay(asked.id)
    print_result(asked, f"{asked.id}: {counted(number, 'event')} to send again", id=asked.id, events=number)


def _daily(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    from qrkit.portfolio import Portfolio
    from qrkit.store.records.accounts import all_accounts

    everyone = [Portfolio(portfolio.store, account) for account in all_accounts(portfolio.store)]
    number = sum(one.webhooks.daily(time_zone=asked.time_zone) for one in everyone)
    print_result(asked, f"new events: {number:,}", events=number)


def _remove(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    portfolio.webhooks.remove(asked.id)
    print_result(asked, f"{asked.id}: removed", id=asked.id)


def _tail(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    campaign = portfolio.find_campaign(asked.campaign).id if asked.campaign else None
    code = portfolio.find_qrcode(asked.code).id if asked.code else None
    view = portfolio.scans.where(campaign_id=campaign, qrcode_id=code, tag=asked.tag)
    with asked.to.open("a", encoding="utf-8") if asked.to else nullcontext(sys.stdout) as file:
        for event in view.follow(kinds=asked.kinds or EVENT_KINDS, after=asked.after):
            print(json.dumps(event), file=file, flush=True)


WEBHOOK_COMMANDS = (
    ("add", _add, "Add a webhook, and print the secret that signs its requests.", "id, secret"),
    ("list", _list, "List all webhooks.", ""),
    ("test", _test, "Send a webhook a test event now; the exit status is 1 if that fails.", "status, error"),
    ("log", _log, "List the last 1,000 attempts to send events to a webhook.", ""),
    ("replay", _replay, "Send the dead letters of a webhook again, and switch it on if it is off.", "id, events"),
    ("daily", _daily, "Find silent codes, unusual days and winners now; `serve` does it once a day.", "events"),
    ("remove", _remove, "Remove a webhook with its log.", "id"),
)
"""Name, function, description, names in its JSON."""
