"""Implements `qrkit scans`, `experiment`, `report` and `demo`: the scans of a store, counted and compared."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from qrkit.commands.codes import CODE_HELP, CODES, add_filters, fields_of
from qrkit.commands.generate import fields_in
from qrkit.commands.importing import add_import_options, import_codes, tell_import
from qrkit.commands.output import Status, complain, print_result
from qrkit.commands.parsing import Parser, add_json, add_time_zone, decoration_of, refused_options
from qrkit.commands.printed_tables import Column, Row, Table
from qrkit.commands.stores import add_base_url, add_store, opened
from qrkit.contents.cards import summary
from qrkit.errors import InvalidParameter, Problem, renaming
from qrkit.exchange import IMPORT_FORMATS
from qrkit.languages import LANGUAGES
from qrkit.store.questions.scan_attributes import TAG, VisitAttribute, check_attribute
from qrkit.tracking.records import Kind
from qrkit.tracking.times import WholePeriod, from_day, last_whole, now, zone_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qrkit.analytics import Period
    from qrkit.design.brand import Brand
    from qrkit.exchange.merge import ImportResult
    from qrkit.portfolio import Portfolio
    from qrkit.store import Scans


PERIODS = {"hour": "%Y-%m-%d %H:%M%z", "day": "%Y-%m-%d", "week": "%Y-%m-%d", "month": "%Y-%m"}
"""How the beginning of each period is written."""
CODE = "code"
WAYS = (CODE, "campaign", TAG, *PERIODS, *get_args(VisitAttribute))
"""What scans can be counted by."""
COMPARED = ("previous", "last-year", "campaigns")
"""What a report can compare."""


class Offered(tuple[str, ...]):
    """Words that a shell completes; other words are names of fields, which only the store knows."""

    __slots__ = ()

    def __contains__(self, _: object) -> bool:
        return True


ALL_KINDS: tuple[Kind, ...] = ("scan", "bot", "prefetch", "head")


def _or_dash(number: int | None) -> int | str:
    return "\N{EN DASH}" if number is None else number


COUNTS = (Column("scans", "Scans"), Column("visitors", "Visitors", shown=_or_dash))
BY_CODE = Table(
    "QR Code",
    (*CODES.columns[:2], *COUNTS),
    bars_of="scans",
)
SILENT = Table(
    "QR Code",
    (
        *CODES.columns[:2],
        Column("last", "Last scan"),
        Column("days", "Days since"),
        Column("rate", "Scans a day before"),
    ),
)
"""The QR Codes that have stopped being scanned."""
IMPORTS = Table(
    "import",
    (
        Column("imported", "Imported"), Column("source", "File", "bold"), Column("service", "Service"),
        Column("visits", "Visits"), Column("qrcodes", "QR Codes"), Column("bots", "Bots"),
        Column("bots_said", "Bots by the file", shown=_or_dash),
        Column("first", "First"), Column("last", "Last"),
    ),
)  # fmt: skip
SHOWN = ("first", "second", "first_rate", "second_rate", "effect", "low", "high", "winner")
MORE = ("probability", "loss", "loss_later", "days_left", "method", "reason", "sentence")
PAIRS = Table(
    "pair of variants",
    (*(Column(key, key.capitalize().replace("_", " ")) for key in SHOWN), *map(Column, MORE)),
)
"""The variants of a split QR Code, compared."""
DECIMALS = 4
MOST_VALUES = 1_000_000
"""More values than an attribute has."""


def define_scans(one: Parser) -> None:
    """Define the command `scans`."""
    one.add_argument("codes", nargs="*", metavar="CODE", help=f"{CODE_HELP} (all QR Codes)")
    one.add_argument("--campaign", metavar="NAME", help="only scans of this campaign")
    add_filters(one, "scans of QR Codes with")
    ways = f"{', '.join(WAYS)}, or a field of yours, such as City ({CODE})"
    questions = one.add_mutually_exclusive_group()
    questions.add_argument("--by", choices=Offered(WAYS), default=CODE, metavar="WHAT", help=ways)
    silent = "list the codes that have stopped being scanned, and exit with 1 if there are any"
    questions.add_argument("--silent", action="store_true", help=silent)
    one.add_argument("--all-kinds", action="store_true", help="count bots, link previews and HEAD requests, too")
    questions.add_argument("--imports", action="store_true", help="list where imported scans came from instead")
    _add_period(one)
    add_store(one)
    BY_CODE.add_options(one, "short_code, name (with --by, WHAT instead of these two), scans, visitors")
    one.set_defaults(run=_scans)


def _scans(asked: argparse.Namespace) -> Status | None:
    from qrkit.analytics.totals import imported_scans

    if asked.imports:
        if asked.codes or asked.campaign is not None:
            raise InvalidParameter(Problem("imports", None, "lists all imports; leave out codes and --campaign"))
        with opened(asked, to_read=True) as portfolio:
            IMPORTS.print(asked, _import_rows(portfolio))
        return None
    with opened(asked, to_read=True) as portfolio:
        campaign_id = portfolio.find_campaign(asked.campaign).id if asked.campaign is not None else None
        codes = [portfolio.find_qrcode(code) for code in asked.codes]
        view = portfolio.scans.where(
            campaign_id=campaign_id,
            qrcode_id=[code.id for code in codes] or None,
            **period_of(asked, portfolio),
            tag=asked.tag,
            fields=fields_of(asked.field),
        )
        view = view.where(kinds=ALL_KINDS) if asked.all_kinds else view
        if asked.silent:
            return _print_silent(asked, portfolio, view)
        if asked.by == CODE:
            rows = [_with_unknown(row) for row in _rows_by_code(portfolio, view)]
            BY_CODE.print(asked, rows)
        else:
            rows = [_with_unknown(row) for row in _rows_by(view, asked.by)]
            Table(
                asked.by,
                (Column(asked.by, asked.by.capitalize().replace("_", " "), shown=summary), *COUNTS),
                bars_of="scans",
            ).print(asked, rows)
        imported = sum(imported_scans(view).values())
    if imported:
        were = "1 more scan was" if imported == 1 else f"{imported:,} more scans were"
        complain("scans", f"{were} imported as a number, without times; `qrkit list` counts them, too")
    elif not rows:
        complain("scans", "no scans yet")
    return None


def _print_silent(asked: argparse.Namespace, portfolio: Portfolio, view: Scans) -> Status:
    """List the QR Codes that have stopped being scanned; nothing is printed, not even for `cron`, if there are none."""
    from qrkit.analytics import silent

    found = silent(view)
    codes = {code.id: code for code in portfolio.list_qrcodes()}
    SILENT.print(
        asked,
        [
            {"short_code": codes[id].short_code, "name": codes[id].name, "last": f"{last:%Y-%m-%d}", "days": days,
             "rate": round(rate, 1)}
            for id, last, days, rate in found[["qrcode_id", "last", "days", "rate"]].itertuples(index=False)
        ],
    )  # fmt: skip
    return Status.IN_PART if len(found) else Status.DONE


def _import_rows(portfolio: Portfolio) -> Sequence[Row]:
    """Return the imports of visits, with times as texts."""
    frame = portfolio.scan_imports()
    times = {name: frame[name].dt.strftime("%Y-%m-%d %H:%M") for name in ("imported", "first", "last")}
    said = frame["bots_said"].astype("object").where(frame["bots_said"].notna(), None)
    return cast("Sequence[Row]", frame.assign(**times, bots_said=said).to_dict("records"))


def _with_unknown(row: Row) -> Row:
    """Return a row whose visitors are None if no scan carries the key of one, so that their number is unknown."""
    return {**row, "visitors": None} if row["scans"] and not row["visitors"] else row


def _rows_by_code(portfolio: Portfolio, view: Scans) -> Sequence[Row]:
    """Return the counts of all QR Codes of a view, also of those without scans, the most scanned first."""
    from qrkit.analytics import top_qrcodes

    counts = top_qrcodes(view, most=MOST_VALUES).set_index("qrcode_id")[["scans", "visitors"]].to_dict("index")
    codes = portfolio.list_qrcodes(campaign_id=view.campaigns[0] if view.campaigns else None)
    none = {"scans": 0, "visitors": 0}
    rows = [
        {"short_code": code.short_code, "name": code.name} | counts.get(code.id, none)
        for code in codes
        if view.qrcode_id is None or code.id in view.qrcode_id
    ]
    return sorted(rows, key=lambda row: -row["scans"])


def _rows_by(view: Scans, what: str) -> Sequence[Row]:
    """Return the counts of a view by period, in order, or by an attribute, the most frequent value first."""
    from qrkit.analytics import scans_by, scans_per

    if what not in PERIODS:
        check_attribute("by", what, view, CODE, *PERIODS)
        frame = scans_by(view, what, most=MOST_VALUES)
    else:
        frame = scans_per(view, cast("Period", what)).rename(columns={"start": what})
        frame[what] = frame[what].dt.strftime(PERIODS[what])
    return cast("Sequence[Row]", frame[[what, "scans", "visitors"]].to_dict("records"))


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


# ---- reports


def define_report(one: Parser) -> None:
    """Define the command `report`."""
    one.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help=".html, .pdf, .ipynb or .zip with page, charts and tables (report.html; with --pdf, report.pdf)",
    )
    one.add_argument("--pdf", action="store_true", help="write a PDF, printed by the Chromium of this machine")
    campaign = "report on this campaign only; repeat it for several (default: all)"
    one.add_argument("--campaign", action="append", metavar="NAME", help=campaign)
    _add_period(one)
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


def _add_period(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which days count, and in which time zone."""
    first = "the first day, such as 2026-06-01 (default: that of the first scan)"
    parser.add_argument("--since", type=_day, metavar="DAY", help=first)
    last = "the day after the last one (default: the day after the last scan)"
    parser.add_argument("--until", type=_day, metavar="DAY", help=last)
    whole = "the last whole week (from Monday), month or quarter"
    parser.add_argument("--last", choices=get_args(WholePeriod), metavar="PERIOD", help=whole)
    add_time_zone(parser)


def period_of(asked: Any, portfolio: Portfolio) -> dict[str, Any]:
    """Return the bounds and the time zone that options of `_add_period` ask for, or fields of the same names."""
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
        if wrong := wrong + refused_options(asked, ["least"], rule):
            raise InvalidParameter(*wrong)
    return output


def _brand(portfolio: Portfolio, name: str) -> Brand:
    """Return a saved brand, or the brand in a JSON file.

    Raises:
        InvalidParameter: If a field of the brand breaks its rule; the name of the field begins with the file.
    """
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
    one.add_argument(
        "--folder", type=Path, metavar="FOLDER", help="where to write (demo; with a file, demo- and its name)"
    )
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
    tell_import(done.imported, asked)
    # Repeat how the command was called: without an activated environment, plain `qrkit` is not found.
    me = shlex.quote(sys.argv[0]) if Path(sys.argv[0]).name == "qrkit" else "python -m qrkit"
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
