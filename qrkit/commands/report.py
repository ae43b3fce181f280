"""`qrkit report` and `qrkit demo`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.commands.exchange import tell
from qrkit.commands.parsing import add_store, opened
from qrkit.errors import NotFound

if TYPE_CHECKING:
    from qrkit.commands.parsing import Commands

__all__ = ["add_demo", "add_report"]


def add_report(commands: Commands) -> None:
    """Add `report`."""
    one = commands.add_parser("report", help="write a scan report as one HTML file")
    add_store(one)
    one.add_argument("-o", "--output", type=Path, default=Path("report.html"), help="file to write (%(default)s)")
    one.add_argument("--campaign", help="name of a campaign; without it, all")
    one.set_defaults(run=_report)


def _report(asked: argparse.Namespace) -> None:
    from qrkit import report

    with opened(asked, must_exist=True) as portfolio:
        if asked.campaign is None:
            made = report.portfolio(portfolio)
        else:
            found = [one for one in portfolio.list_campaigns() if one.name == asked.campaign]
            if not found:
                raise NotFound("campaign", asked.campaign)
            made = report.campaign(portfolio, found[0].id)
        print(made.save(asked.output))


def add_demo(commands: Commands) -> None:
    """Add `demo`."""
    one = commands.add_parser("demo", help="a finished job: posters, scans and a report, in one command")
    one.add_argument("--portfolio", type=Path, help="a csv of yours instead of the sample")
    one.add_argument("--folder", type=Path, help="where to write (demo, or demo-NAME of your csv)")
    one.set_defaults(run=_demo)


def _demo(asked: argparse.Namespace) -> None:
    from qrkit import demo

    folder = asked.folder or Path(f"demo-{asked.portfolio.stem}" if asked.portfolio else "demo")
    done = demo.run(folder, spreadsheet=asked.portfolio)
    tell(done.imported)
    # As it was called: without the environment activated, plain `qrkit` is not found.
    me = sys.argv[0] if Path(sys.argv[0]).name == "qrkit" else "python -m qrkit"
    print(
        f"Imported   {done.imported}\n"
        f"Drew       {done.pictures} pictures in {done.codes}/\n"
        f"Replayed   {done.visits} visits of a made-up month through the redirect; {done.scans} count as scans\n"
        f"Wrote      {done.report}\n"
        "\n"
        "Next:\n"
        f"  open {done.report} in a browser\n"
        f"  {me} serve --store {done.store}, then open a short URL of the report\n"
        f"  {me} demo --portfolio mine.csv: the same with a spreadsheet of yours\n"
        "  make lab: the notebooks"
    )
