"""Implements `qrkit experiment`: which variant of a split QR Code converts more."""

from __future__ import annotations

import argparse
from pathlib import Path

from qrkit.commands.output import Status
from qrkit.commands.parsing import Parser
from qrkit.commands.printed_tables import Column, Table
from qrkit.commands.stores import add_store, opened

__all__ = ["define_experiment"]

SHOWN = ("first", "second", "first_rate", "second_rate", "effect", "low", "high", "winner")
MORE = ("probability", "loss", "loss_later", "days_left", "method", "reason", "sentence")
COLUMNS = [*(Column(key, key.capitalize().replace("_", " ")) for key in SHOWN), *map(Column, MORE)]
PAIRS = Table("pair of variants", tuple(COLUMNS))
DECIMALS = 4


def define_experiment(one: Parser) -> None:
    """Define the command `experiment`."""
    one.add_argument("code", metavar="CODE", help="short code of a QR Code whose visitors are split among variants")
    what = "conversion (visitors who convert) or value (what their conversions are worth) (conversion)"
    one.add_argument("--outcome", choices=("conversion", "value"), default="conversion", help=what)
    soon = "how soon after the first scan a conversion counts (24h)"
    one.add_argument("--within", default="24h", metavar="TIME", help=soon)
    one.add_argument("--conversion", metavar="NAME", help="only conversions of this name")
    one.add_argument("--chart", type=Path, metavar="FILE", help="draw the interval over time: .png, .svg or .pdf")
    add_store(one)
    PAIRS.add_options(one)
    one.set_defaults(run=_experiment)


def _experiment(asked: argparse.Namespace) -> Status:
    from qrkit import analytics, charts
    from qrkit.report.suffixes import check_file

    if asked.chart:
        check_file(asked.chart, (".png", ".svg", ".pdf"))
    how = {name: getattr(asked, name) for name in ("outcome", "within", "conversion")}
    with opened(asked, to_read=True) as portfolio:
        split = analytics.check_split(portfolio, asked.code, within=asked.within).iloc[0]
        rows = analytics.experiment(portfolio, asked.code, **how)
        days = analytics.experiment(portfolio, asked.code, by_day=True, **how) if asked.chart else None
    if not (asked.json or asked.csv):
        print(*[split["sentence"], rows["sentence"].iloc[0]][:: 1 if split["is_broken"] else -1], sep="\n")
    plain = rows.round(DECIMALS).astype("object")
    PAIRS.print(asked, plain.where(plain.notna(), None).to_dict("records"))
    if days is not None:
        charts.experiment(days).savefig(asked.chart)
    return Status.IN_PART if split["is_broken"] else Status.DONE
