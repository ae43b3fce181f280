"""Implements `qrkit scans` and `qrkit experiment`: the scans of a store, counted and compared."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from qrkit.commands.codes import CODE_HELP, CODES, add_filters, fields_of
from qrkit.commands.output import Status, complain
from qrkit.commands.parsing import Parser
from qrkit.commands.printed_tables import Column, Row, Table
from qrkit.commands.report import add_period, period_of
from qrkit.commands.stores import add_store, opened
from qrkit.contents.cards import summary
from qrkit.errors import InvalidParameter, Problem
from qrkit.store.questions.scan_attributes import TAG, VisitAttribute, check_attribute
from qrkit.tracking.records import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qrkit.analytics import Period
    from qrkit.portfolio import Portfolio
    from qrkit.store import Scans


PERIODS = {"hour": "%Y-%m-%d %H:%M%z", "day": "%Y-%m-%d", "week": "%Y-%m-%d", "month": "%Y-%m"}
"""How the beginning of each period is written."""
CODE = "code"
WAYS = (CODE, "campaign", TAG, *PERIODS, *get_args(VisitAttribute))
"""What scans can be counted by."""


class Offered(tuple[str, ...]):
    """Words that a shell completes; other words are names of fields, which only the store knows."""

    __slots__ = ()

    def __contains__(self, _: object) -> bool:
        return True


ALL_KINDS: tuple[Kind, ...] = ("scan", "bot", "prefetch", "head")


def _or_dash(number: int | None) -> int | str:
    return "\N{EN DASH}" if number is None else number


COUNTS = (Column("scans", "Scans"), Column("visitors", "Visitors", shown=_or_dash))
BY_CODE = Table("QR Code", (*CODES.columns[:2], *COUNTS), bars_of="scans")
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
    "pair of variants", (*(Column(key, key.capitalize().replace("_", " ")) for key in SHOWN), *map(Column, MORE))
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
    add_period(one)
    add_store(one)
    BY_CODE.add_options(one, "short_code, name (with --by, WHAT instead of these two), scans, visitors")
    one.set_defaults(run=_scans)


def _scans(asked: argparse.Namespace) -> Status | None:
    from qrkit.store.questions.code_counts import imported_scans

    if asked.imports:
        filters = ("codes", "campaign", "tag", "field", "since", "until", "last", "all_kinds")
        if any(getattr(asked, name) for name in filters):
            raise InvalidParameter(Problem("imports", None, "lists all imports; leave out codes, filters and days"))
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
            rows = [_with_unknown(row) for row in _rows_by_code(view)]
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


def _rows_by_code(view: Scans) -> Sequence[Row]:
    """Return the counts of all QR Codes of a view, also of those without scans, the most scanned first."""
    from qrkit.store.questions.code_counts import Counts, codes_of, scans_by_code

    counts = scans_by_code(view)
    none: Counts = {"scans": 0, "visitors": 0}
    rows = [{"short_code": code, "name": name} | counts.get(id, none) for id, code, name in codes_of(view)]
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
