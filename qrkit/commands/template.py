"""Implements `qrkit template`: designs kept in a store."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.commands.generate import design_fields
from qrkit.commands.output import print_result
from qrkit.commands.parsing import Parser, add_json, subcommands
from qrkit.commands.stores import add_store, with_portfolio

if TYPE_CHECKING:
    from qrkit.portfolio import Portfolio


def define_template(one: Parser) -> None:
    """Define the command `template` and its subcommands."""
    for name, act, act_on in subcommands(one, TEMPLATE_COMMANDS):
        if name != "list":
            act_on.add_argument("name", metavar="NAME", help="name of the template, 1..100 characters")
        if name == "save":
            act_on.add_argument("file", type=Path, metavar="FILE", help="a design as JSON")
        if name == "remove":
            act_on.add_argument("--force", action="store_true", help="remove it even if QR Codes or campaigns use it")
        add_store(act_on)
        if name != "show":
            add_json(act_on, "name", each="template" if name == "list" else "")
        act_on.set_defaults(run=with_portfolio(act, to_read=name in ("list", "show")))


def _save(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    portfolio.templates.save(asked.name, design_fields(asked.file))
    print_result(asked, f"{asked.name}: saved", name=asked.name)


def _list(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    for name in portfolio.templates:
        print_result(asked, name, name=name)


def _show(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    print(json.dumps(portfolio.templates.get(asked.name), indent=2))


def _remove(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    portfolio.templates.delete(asked.name, force=asked.force)
    print_result(asked, f"{asked.name}: removed", name=asked.name)


TEMPLATE_COMMANDS = (
    ("save", _save, "Save a design under a name; an existing template with this name is replaced."),
    ("list", _list, "List the names of all templates."),
    ("show", _show, "Print a template as JSON."),
    ("remove", _remove, "Remove a template."),
)
