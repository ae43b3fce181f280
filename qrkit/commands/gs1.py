"""Implements `qrkit gs1`: products, places and things whose short URLs are GS1 Digital Links."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.commands.output import complain, print_json, print_result
from qrkit.commands.parsing import Parser, add_json, subcommands
from qrkit.commands.printed_tables import Column, Table
from qrkit.commands.stores import add_base_url, add_store, with_portfolio
from qrkit.errors import InvalidParameter, Problem, counted

if TYPE_CHECKING:
    from qrkit.portfolio import Portfolio


KEYS = Table(
    "GS1 key",
    (
        Column("path", "Path", "bold cyan", is_whole=True),
        Column("description", "Description"),
        Column("links", "Links"),
        Column("below", "Lots and items"),
        Column("scans", "Scans"),
        Column("short_url"),
    ),
)
WHAT = "a GTIN, a path such as 01/09506000134352/10/ABC, the same in brackets, or a GS1 Digital Link"


def define_gs1(one: Parser) -> None:
    """Define the command `gs1` and its subcommands."""
    for name, act, act_on in subcommands(one, GS1_COMMANDS):
        if name in ("set", "show"):
            act_on.add_argument("what", metavar="KEY", help=WHAT)
        if name == "set":
            link = "a link: its type and its address; repeat it for several"
            act_on.add_argument("--link", action="append", default=[], metavar="TYPE=URL", help=link)
            act_on.add_argument("--description", default="", metavar="TEXT", help="a description for people")
        if name in ("import", "export"):
            what = "a linkset (json), or a table with a row per link (csv or xlsx)"
            act_on.add_argument("file", type=Path, metavar="FILE", help=what)
        add_store(act_on)
        if name in ("set", "import"):
            add_base_url(act_on)
        if name == "list":
            KEYS.add_options(act_on)
        elif name != "show":
            add_json(act_on, JSON_KEYS[name])
        to_read, is_new = name in ("list", "show", "export"), name in ("set", "import")
        act_on.set_defaults(run=with_portfolio(act, to_read=to_read, must_exist=not is_new))


def _set(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    from qrkit.contents.gs1_paths import gs1_path_in
    from qrkit.tracking.gs1_entities import labels, short_type

    links = []
    for text in asked.link:
        name, is_given, href = text.partition("=")
        if not is_given:
            raise InvalidParameter(Problem("--link", text, "must be a type and an address, as in gs1:pip=https://…"))
        links.append({"linkType": name, "href": href, "title": labels().get(short_type(name), name)})
    code = portfolio.gs1.set(asked.what, links=links, description=asked.description)
    path = str(gs1_path_in(asked.what))  # of a lot or an item, while the code is that of the product
    url = f"{code.short_url.removesuffix(code.short_code)}{path}"
    print_result(asked, f"{url}: set", path=path, short_url=url)


def _show(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    print_json(**portfolio.gs1.linkset(asked.what))


def _list(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    codes = [code for code in portfolio.list_qrcodes() if code.gs1]
    rows = [
        {
            "path": code.short_code, "description": code.name, "links": len(code.gs1[0].links),
            "below": len(code.gs1) - 1, "scans": code.scans, "short_url": code.short_url,
        }
        for code in codes
    ]  # fmt: skip
    KEYS.print(asked, rows)
    if not rows:
        complain("gs1", "no GS1 keys yet; `qrkit gs1 set` makes one")


def _import(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    number = portfolio.gs1.import_file(asked.file)
    print_result(asked, f"{asked.file}: {counted(number, 'key')} set", file=str(asked.file), keys=number)


def _export(portfolio: Portfolio, asked: argparse.Namespace) -> None:
    portfolio.gs1.export_file(asked.file)
    print_result(asked, f"{asked.file}: written", file=str(asked.file))


JSON_KEYS = {"set": "path, short_url", "import": "file, keys", "export": "file"}
GS1_COMMANDS = (
    ("set", _set, "Set the links of a product, place or thing, of a lot or an item."),
    ("show", _show, "Show the links of a key, a lot or an item, and of the levels above, as a linkset."),
    ("list", _list, "List all keys, with their numbers of links and scans."),
    ("import", _import, "Set the links of a linkset or a table."),
    ("export", _export, "Write all links to a linkset or a table."),
)
