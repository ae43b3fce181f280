"""Implements `qrkit campaign`: the campaigns of a store."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from qrkit.commands.codes import confirm, fields_of
from qrkit.commands.output import Status, complain, print_result
from qrkit.commands.parsing import Parser, add_fields, add_json, given_options, subcommands
from qrkit.commands.printed_tables import Column, Row, Table
from qrkit.commands.stores import add_store, with_portfolio
from qrkit.commands.terms import add_rules, rules_of
from qrkit.errors import InvalidParameter, Problem
from qrkit.tracking.records import Campaign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qrkit.portfolio import Portfolio


CAMPAIGNS = Table(
    "campaign",
    (
        Column("name", "Campaign", "bold cyan"),
        Column("qrcodes", "QR Codes"),
        Column("scans", "Scans"),
        Column("template", "Template"),
        Column("description", "Description", "dim"),
        Column("utm"),
        Column("created"),
        Column("id"),
    ),
)
CHANGES = {"description": "TEXT", "template": "NAME"}
"""Fields that have an option, with what stands for their values in the help."""


def define_campaign(one: Parser) -> None:
    """Define the command `campaign` and its subcommands."""
    for name, act, act_on in subcommands(one, CAMPAIGN_COMMANDS):
        if name != "list":
            act_on.add_argument("campaign", metavar="NAME", help="name of the campaign, or its ID")
        if name == "set":
            act_on.add_argument("--name", metavar="TEXT", help="the new name")
            apply = "give its rules to its QR Codes, too; otherwise, only new ones get them"
            act_on.add_argument("--apply-rules", action="store_true", help=apply)
        if name in ("add", "set"):
            add_fields(act_on, lambda: Campaign, CHANGES)
            add_rules(act_on)
            utm = "a UTM parameter that redirects add, such as source=poster or term={name}; without TEXT, none"
            act_on.add_argument("--utm", action="append", default=[], metavar="NAME=TEXT", help=utm)
        if name == "remove":
            act_on.add_argument("--keep-codes", action="store_true", help="keep its QR Codes, without a campaign")
            act_on.add_argument("--yes", action="store_true", help="do not ask")
        add_store(act_on)
        if name == "list":
            CAMPAIGNS.add_options(act_on)
        else:
            add_json(act_on, "name, id")
        act_on.set_defaults(run=with_portfolio(act, to_read=name == "list"))


def _changes(asked: argparse.Namespace) -> dict[str, Any]:
    given = given_options(asked, ("name", *CHANGES))
    return given | rules_of(asked) | ({"utm": fields_of(asked.utm, "--utm", "source=poster")} if asked.utm else {})


def _list(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    rows = campaign_rows(portfolio)
    CAMPAIGNS.print(asked, rows)
    if not rows:
        complain("campaign", "no campaigns yet; `qrkit campaign add` makes one")


def campaign_rows(portfolio: Portfolio) -> Sequence[Row]:
    """Return what lists tell of all campaigns, by the keys of `CAMPAIGNS`."""
    from qrkit.tracking.times import to_iso

    counts = portfolio.campaigns()[["qrcodes", "scans"]].to_dict("index")
    return [
        {name: getattr(one, name) for name in ("name", "template", "description", "id")}
        | {"created": to_iso(one.created), "utm": " ".join(f"{name}={text}" for name, text in one.utm.given().items())}
        | counts[one.id]
        for one in portfolio.list_campaigns()
    ]


def _add(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    _tell(asked, portfolio.insert_campaign(asked.campaign, **_changes(asked)), "added")


def _set(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    changes = _changes(asked)
    if not changes and not asked.apply_rules:
        raise InvalidParameter(Problem("options", None, "must say what to change, such as --name"))
    with portfolio.store.atomic():
        campaign = portfolio.update_campaign(portfolio.find_campaign(asked.campaign).id, **changes)
        if asked.apply_rules:
            ids = [code.id for code in portfolio.list_qrcodes(campaign_id=campaign.id)]
            portfolio.edit_qrcodes(ids, rules_of_campaigns=True)
    _tell(asked, campaign, "changed")


def _remove(portfolio: Portfolio, asked: argparse.Namespace) -> Status:
    campaign = portfolio.find_campaign(asked.campaign)
    number = len(portfolio.list_qrcodes(campaign_id=campaign.id))
    fate = "are kept, without a campaign." if asked.keep_codes else "are removed with it: printed codes lead nowhere."
    if not asked.yes and not confirm(f"Remove the campaign {campaign.name}? Its QR Codes ({number:,}) {fate}"):
        complain("campaign", "nothing was removed")
        return Status.REFUSED
    portfolio.delete_campaign(campaign.id, keep=asked.keep_codes)
    _tell(asked, campaign, "removed")
    return Status.DONE


def _tell(asked: argparse.Namespace, campaign: Campaign, what: str) -> None:
    print_result(asked, f"{campaign.name}: {what}", name=campaign.name, id=campaign.id)


CAMPAIGN_COMMANDS = (
    ("list", _list, "List all campaigns, with their numbers of QR Codes and scans."),
    ("add", _add, "Add a campaign."),
    ("set", _set, "Change a campaign."),
    ("remove", _remove, "Remove a campaign and its QR Codes."),
)
