"""Implements `qrkit report` and `qrkit demo`."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from qrkit.commands.generate import fields_in
from qrkit.commands.importing import add_import_options, import_codes, tell_import
from qrkit.commands.output import complain, print_result
from qrkit.commands.parsing import Parser, add_json, add_time_zone, decoration_of, refused_options
from qrkit.commands.stores import add_base_url, add_store, opened
from qrkit.errors import InvalidParameter, Problem, raise_any, renaming
from qrkit.exchange import IMPORT_FORMATS
from qrkit.languages import LANGUAGES
from qrkit.store.questions.scan_attributes import check_attribute
from qrkit.tracking.times import WholePeriod, from_day, last_whole, now, zone_of

if TYPE_CHECKING:
    from qrkit.design.brand import Brand
    from qrkit.exchange.merge import ImportResult
    from qrkit.portfolio import Portfolio


COMPARED = ("previous", "last-year", "campaigns")
"""What a report can compare."""


def define_report(one: Parser) -> None:
    """Define the command `report`."""
    written = ".html, .pdf, .ipynb or .zip with page, charts and tables (report.html; with --pdf, report.pdf)"
    one.add_argument("-o", "--output", type=Path, metavar="FILE", help=written)
    one.add_argument("--pdf", action="store_true", help="write a PDF, printed by the Chromium of this machine")
    campaign = "report on this campaign only; repeat it for several (default: all)"
    one.add_argument("--campaign", action="append", metavar="NAME", help=campaign)
    add_period(one)
    compared = f"what to compare: {', '.join(COMPARED)} (the days before, if they have scans)"
    one.add_argument("--compare", choices=COMPARED, metavar="WHAT", help=compared)
    by = "add a table by this, such as browser, tag or a field of yours; repeat it for more (device, system, country)"
    one.add_argument("--by", action="append", metavar="WHAT", help=by)
    one.add_argument("--title", metavar="TEXT", help="title of the report")
    what = "name, logo and colors: a brand saved in the store, or a JSON file (the brand in use, if any)"
    one.add_argument("--brand", metavar="NAME|FILE", help=what)
    one.add_argument("--language", default="en", choices=LANGUAGES, help="language of the report (en)")
    hides = "hide groups with fewer visitors or scans than this, such as 5, before you share the report (none)"
    one.add_argument("--least", type=int, metavar="NUMBER", help=hides)
    _add_sending(one)
    add_store(one)
    add_base_url(one)
    add_json(one, "file, mail, link")
    one.set_defaults(run=_report)


def _add_sending(one: Parser) -> None:
    linked = "keep the page for this many days, 1..90, and print a link that shows it; write a file only with -o"
    one.add_argument("--link", type=int, metavar="DAYS", help=linked)
    mailed = "send the report to this address, and write a file only with -o; repeat it for several"
    one.add_argument("--mail", action="append", metavar="ADDRESS", help=mailed)


def add_period(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which days count, and in which time zone."""
    first = "the first day, such as 2026-06-01 (default: that of the first scan)"
    parser.add_argument("--since", type=_day, metavar="DAY", help=first)
    last = "the day after the last one (default: the day after the last scan)"
    parser.add_argument("--until", type=_day, metavar="DAY", help=last)
    whole = "the last whole week (from Monday), month or quarter"
    parser.add_argument("--last", choices=get_args(WholePeriod), metavar="PERIOD", help=whole)
    add_time_zone(parser)


def period_of(asked: Any, portfolio: Portfolio) -> dict[str, Any]:
    """Return the bounds and the time zone that options of `add_period` ask for, or fields of the same names."""
    since, until, zone = asked.since, asked.until, asked.time_zone or portfolio.time_zone
    if asked.last:
        if since or until:
            rule = "has a first and a last day of its own; leave out since and until"
            raise InvalidParameter(Problem("last", asked.last, rule))
        since, until = last_whole(asked.last, now().astimezone(zone_of(zone)).date())
    return {"since": since, "until": until, "time_zone": zone}


def _day(text: str) -> date:
    try:
        return from_day(text)
    except InvalidParameter as error:
        raise argparse.ArgumentTypeError(f"{text!r} {error.rule.replace('must be', 'is not')}") from error


def _report(asked: argparse.Namespace) -> None:
    from qrkit import report
    from qrkit.commands.mailing import mailer
    from qrkit.report.suffixes import NOTEBOOK

    output = _output(asked)
    send = mailer(asked.mail, os.environ) if asked.mail else None
    link = None
    with opened(asked, must_exist=True, to_read=asked.link is None) as portfolio:
        how = period_of(asked, portfolio) | {"title": asked.title, "language": asked.language}
        chosen = [portfolio.find_campaign(name).id for name in asked.campaign or ()]
        for name in asked.by or ():
            check_attribute("by", name, portfolio.scans)
        if output and output.suffix.lower() == NOTEBOOK:
            report.notebook(portfolio, output, campaign_id=chosen[0] if chosen else None, **how)
        else:
            how |= {"least": asked.least, "brand": None if asked.brand is None else _brand(portfolio, asked.brand)}
            how |= {"attributes": asked.by} if asked.by else {}
            how |= {"compare_to": asked.compare.replace("-", " ")} if asked.compare else {}
            made = report.campaign(portfolio, chosen, **how) if chosen else report.portfolio(portfolio, **how)
            if output:
                made.save(output)
            if asked.link is not None:
                link = made.link(portfolio, days=asked.link)
            if not made.words:
                complain("report", "no scans in this period" if how["since"] or how["until"] else "no scans yet")
    told = [*map(str, filter(None, (output, link)))]
    if send:
        send(made)  # the store is free by now
        told.append(f"sent to {', '.join(asked.mail)}")
    print_result(asked, "; ".join(told), file=str(output) if output else None, mail=asked.mail or [], link=link)


def _output(asked: argparse.Namespace) -> Path | None:
    """Return the file to write, if any; raise if it cannot be written as asked."""
    from qrkit.report.suffixes import NOTEBOOK, check_file

    if (asked.mail or asked.link is not None) and not asked.output and not asked.pdf:
        return None
    output: Path = asked.output or Path("report.html")
    if asked.pdf:
        if not output.name.strip("."):
            raise InvalidParameter(Problem("output", str(output), "is a folder; name a file, such as report.pdf"))
        output = output.with_suffix(".pdf")
    check_file(output)
    if output.suffix.lower() == NOTEBOOK:
        rule = "cannot hide anything in a notebook, which reads the store; write .html, .pdf or .zip"
        others = ("brand", "by", "compare", "link", "mail")
        wrong = refused_options(asked, others, "is not for reports as notebooks")
        if len(asked.campaign or ()) > 1:
            wrong.append(Problem("campaign", ", ".join(asked.campaign), "must be a single campaign in a notebook"))
        raise_any(wrong + refused_options(asked, ["least"], rule))
    return output


def _brand(portfolio: Portfolio, name: str) -> Brand:
    """Return a saved brand, or the brand in a JSON file; in errors, names of fields begin with the file."""
    from qrkit.design.brand import Brand

    if not name.lower().endswith(".json"):
        return portfolio.brands.get(name)
    fields = fields_in(Path(name), what="the brand")
    with renaming(lambda field: f"{name}: {field}"):
        return Brand(**fields)


def define_demo(one: Parser) -> None:
    """Define the command `demo`."""
    what = f"your own file instead of the sample: {', '.join(IMPORT_FORMATS)}"
    one.add_argument("--portfolio", dest="file", type=Path, metavar="FILE", help=what)
    where = "where to write (demo; with a file, demo- and its name)"
    one.add_argument("--folder", type=Path, metavar="FOLDER", help=where)
    add_import_options(one)
    one.set_defaults(run=_demo)


def _demo(asked: argparse.Namespace) -> None:
    from qrkit.commands import demo

    folder = asked.folder or Path(f"demo-{asked.file.stem}" if asked.file else "demo")
    source = asked.file or demo.SAMPLE.read_bytes()

    def add(portfolio: Portfolio) -> ImportResult:
        imported, _ = import_codes(portfolio, asked, source)
        if not (asked.file or asked.template or asked.preset or decoration_of(asked)):
            demo.dress(portfolio)
        return imported

    done = demo.run(folder, add=add)
    tell_import(done.imported, asked, str(done.store))
    # Repeat how the command was called: without an activated environment, plain `qrkit` is not found.
    called, is_found = sys.argv[0], shutil.which("qrkit") == sys.argv[0]
    me = "qrkit" if is_found else shlex.quote(called) if Path(called).name == "qrkit" else "python -m qrkit"
    print(
        f"Imported   {done.imported}\n"
        f"Drew       {done.pictures} pictures in {done.codes}/\n"
        f"Replayed   {done.visits} visits of a made-up month through the redirect; {done.scans} count as scans\n"
        f"Wrote      {done.report}\n"
        "\n"
        "Next:\n"
        f"  open {done.report} in a browser\n"
        f"  {me} serve --store {shlex.quote(str(done.store))}, then open a short URL of the report\n"
        f"  {me} demo --portfolio mine.xlsx: the same with a spreadsheet of yours\n"
        "  make lab: the notebooks"
    )
