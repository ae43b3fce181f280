"""`qrkit report` and `qrkit demo`."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from qrkit.commands.exchange import tell
from qrkit.commands.parsing import add_store, opened
from qrkit.errors import NotFound

if TYPE_CHECKING:
    from qrkit.commands.parsing import Commands
    from qrkit.portfolio import Portfolio

__all__ = ["add_demo", "add_report"]


def add_report(commands: Commands) -> None:
    """Add `report`."""
    one = commands.add_parser("report", help="write a scan report as one HTML file, a PDF or a notebook")
    add_store(one)
    one.add_argument(
        "-o", "--output", type=Path, help="file to write: .html, .pdf or .ipynb (report.html; with --pdf, report.pdf)"
    )
    one.add_argument("--pdf", action="store_true", help="write a PDF, printed by the Chromium of this machine")
    one.add_argument("--campaign", help="name of a campaign; without it, all")
    one.add_argument("--since", type=_day, help="the first day, like 2026-06-01; that of the first scan")
    one.add_argument("--until", type=_day, help="the day after the last; the one after the last scan")
    one.add_argument("--time-zone", default="UTC", help="whose days and hours, like Europe/Ljubljana (%(default)s)")
    one.add_argument("--title", help="what stands at the top")
    one.set_defaults(run=_report)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no day like 2026-06-01") from error


def _report(asked: argparse.Namespace) -> None:
    from qrkit import report

    output = asked.output or Path("report.html")
    if asked.pdf:
        output = output.with_suffix(".pdf")
    days = {name: getattr(asked, name) for name in ("since", "until", "time_zone", "title")}
    with opened(asked, must_exist=True) as portfolio:
        campaign_id = None if asked.campaign is None else _campaign_id(portfolio, asked.campaign)
        if output.suffix.lower() == ".ipynb":
            print(report.notebook(portfolio, output, campaign_id=campaign_id, **days))
        elif campaign_id is None:
            print(report.portfolio(portfolio, **days).save(output))
        else:
            print(report.campaign(portfolio, campaign_id, **days).save(output))


def _campaign_id(portfolio: Portfolio, name: str) -> str:
    found = [one for one in portfolio.list_campaigns() if one.name == name]
    if not found:
        raise NotFound("campaign", name)
    return found[0].id


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
