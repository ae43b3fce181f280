"""Implements `qrkit template`: designs kept in a store."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.commands.generate import design_fields
from qrkit.commands.output import print_json
from qrkit.commands.parsing import Parser, add_command, add_json, describe
from qrkit.commands.stores import add_store, opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from qrkit.portfolio.templates import Templates

__all__ = ["define_template"]


def define_template(one: Parser) -> None:
    """Define the command `template` and its subcommands."""
    describe(
        one,
        usage="save|list|show|delete ...",
        examples=(
            "qrkit template save brand brand.json --store shop.duckdb",
            "qrkit generate hello -o hello.svg --template brand --store shop.duckdb",
        ),
    )
    doing = one.add_subparsers(dest="doing", required=True, metavar="WHAT", title="commands", parser_class=Parser)
    for name, act, sentence, usage, example in TEMPLATE_COMMANDS:
        act_on = add_command(doing, f"qrkit template {name}", sentence)
        describe(act_on, usage=f"{usage} [options]".strip(), examples=(example,))
        if "NAME" in usage:
            act_on.add_argument("name", metavar="NAME", help="name of the template, 1..100 characters")
        if "FILE" in usage:
            act_on.add_argument("file", type=Path, metavar="FILE", help="a design as JSON")
        if name == "delete":
            act_on.add_argument("--force", action="store_true", help="even if QR Codes or campaigns use it")
        add_store(act_on)
        if name != "show":
            add_json(act_on, "name", each="template" if name == "list" else "")
        act_on.set_defaults(run=_with_templates(act, to_read=name in ("list", "show")))


def _with_templates(act: Callable[[Templates, argparse.Namespace], None], *, to_read: bool) -> Callable[..., None]:
    def run(asked: argparse.Namespace) -> None:
        with opened(asked, must_exist=True, to_read=to_read) as portfolio:
            act(portfolio.templates, asked)

    return run


def _save(templates: Templates, asked: argparse.Namespace) -> None:
    templates.save(asked.name, design_fields(asked.file))
    _print_result(asked, f"{asked.name}: saved")


def _list(templates: Templates, asked: argparse.Namespace) -> None:
    for name in templates:
        if asked.json:
            print_json(name=name)
        else:
            print(name)


def _show(templates: Templates, asked: argparse.Namespace) -> None:
    print(json.dumps(templates.get(asked.name), indent=2))


def _delete(templates: Templates, asked: argparse.Namespace) -> None:
    templates.delete(asked.name, force=asked.force)
    _print_result(asked, f"{asked.name}: deleted")


def _print_result(asked: argparse.Namespace, text: str) -> None:
    if asked.json:
        print_json(name=asked.name)
    else:
        print(text)


TEMPLATE_COMMANDS = (
    ("save", _save, "Save a design under a name; an existing template with this name is replaced.", "NAME FILE",
     "qrkit template save brand brand.json --store shop.duckdb"),
    ("list", _list, "List the names of all templates.", "", "qrkit template list --store shop.duckdb"),
    ("show", _show, "Print a template as JSON.", "NAME",
     "qrkit template show brand --store shop.duckdb > brand.json"),
    ("delete", _delete, "Delete a template.", "NAME", "qrkit template delete brand --store shop.duckdb"),
)  # fmt: skip
"""Name, function, description, arguments, example."""
