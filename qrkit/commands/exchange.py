"""Implements `qrkit import` and `qrkit export`."""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from qrkit.commands.importing import add_import_options, import_codes, tell_import
from qrkit.commands.output import ImportStatus, complain, complaining, print_result, tell_of_local_urls, tell_rows
from qrkit.commands.parsing import PRINT, Parser, add_fields, add_json, print_size, refused_options
from qrkit.commands.stores import add_base_url, add_store, is_missing, opened
from qrkit.errors import InvalidParameter, QrkitError, counted, renaming
from qrkit.exchange import EXPORT_FORMATS, IMAGE_FORMATS, IMPORT_FORMATS, import_format_of_file
from qrkit.exchange.columns import read_columns
from qrkit.files import read_file
from qrkit.pictures.printing import PrintSize

FORMATS = ", ".join(EXPORT_FORMATS)
COLUMNS = {
    "content": "Content",
    "name": "QR Code Name",
    "campaign": "Campaign Name",
    "comment": "Comment",
    "address": "Address",
}
"""Columns with an option of their own, by its first word; `--columns` maps these and all others."""

PICTURES = (".zip", ".pdf")
"""Formats of an export that have pictures."""
ONLY_FOR = {(".zip",): ("image_format", "names"), PICTURES: PRINT}
"""Options of an export, by the formats that they are for."""


def define_import(one: Parser) -> None:
    """Define the command `import`."""
    what = f"{', '.join(IMPORT_FORMATS)}; workbooks and zips are recognized by their content, others by their suffix"
    one.add_argument("file", type=Path, metavar="FILE", help=what)
    add_import_options(one)
    by = "update existing codes instead of adding new ones; NAME identifies them: name, short_url or a field of yours. "
    by += "Every row needs its content; other empty cells change nothing"
    one.add_argument("--update-by", default="", metavar="NAME", help=by)
    one.add_argument("--check", action="store_true", help="show what an import would do, without importing anything")
    for word, column in COLUMNS.items():
        one.add_argument(f"--{word}-column", metavar="NAME", help=f"name of the column {column} in FILE; see --columns")
    visits = "short code of all visits in FILE, if FILE is a table of visits that does not contain it"
    one.add_argument("--code", default="", metavar="CODE", help=visits)
    add_store(one)
    add_base_url(one)
    keys = "file, created, updated, template, issues (row, campaign, name, content, reason, error), "
    keys += "other_hosts (host: how many; a table of visits has file, created, issues, known: rows that were there "
    keys += "already, differences, service, bots, and bots_said: bots according to the table)"
    add_json(one, keys)
    one.set_defaults(run=_import)


def define_export(one: Parser) -> None:
    """Define the command `export`."""
    what = f"the file to write; the suffix sets the format: {FORMATS}"
    one.add_argument("file", type=Path, metavar="FILE", help=what)
    one.add_argument("--campaign", metavar="NAME", help="only the QR Codes of this campaign")
    what = f"format of the pictures in a zip: {', '.join(IMAGE_FORMATS)} (png)"
    one.add_argument("--image-format", choices=IMAGE_FORMATS, metavar="FORMAT", help=what)
    names = "pattern of the paths in a zip, with {name}, {campaign}, {number}, {short_code}, {short_url}, your fields"
    one.add_argument("--names", metavar="TEXT", help=names)
    add_fields(one, lambda: PrintSize, PRINT)
    add_store(one)
    add_base_url(one)
    add_json(one, "file, qrcodes (how many), left_out (how many the plan does not show)")
    one.set_defaults(run=_export)


def _import(asked: argparse.Namespace) -> ImportStatus:
    try:
        data = read_file(asked.file)  # once, because it may be a pipe
        if not _holds_scans(asked, data):
            return _import_codes(asked, data)
        return _import_scans(asked, data)
    except (InvalidParameter, BrokenPipeError):
        raise
    except (QrkitError, OSError) as error:
        complain(asked.command, error)
        return ImportStatus.NOTHING_READ


def _import_codes(asked: argparse.Namespace, data: bytes) -> ImportStatus:
    from qrkit.portfolio import open_portfolio
    from qrkit.store.served.database import ServedStore

    columns = _columns(asked)
    how: dict[str, Any] = {"format": import_format_of_file(asked.file).name, "update_by": asked.update_by}
    result = None
    if is_missing(asked.store):
        # Try it in memory first, so that a file of which nothing can be read leaves no new, empty store behind.
        with open_portfolio(":memory:") as trial, _columns_as_options(asked):
            result, template = import_codes(trial, asked, data, columns, **how)
    if asked.check:
        if result is None:
            with opened(asked, to_read=True) as portfolio, _columns_as_options(asked):
                result, template = import_codes(portfolio, asked, data, columns, **how, check=True)
    elif result is None or result.created or not result.failed:
        with opened(asked) as portfolio, _columns_as_options(asked):
            result, template = import_codes(portfolio, asked, data, columns, **how)
            tell_of_local_urls("import", portfolio)
            if asked.old_base_url and isinstance(portfolio.store, ServedStore):
                complain("import", f"the server of this store answers at {asked.old_base_url} after a restart")
    tell_import(result, asked, asked.store, check=asked.check)
    names = ("row", "campaign", "name", "content", "reason", "error")
    issues = [{name: getattr(issue, name) for name in names} for issue in result.issues]
    members = {"created": result.created, "updated": len(result.updates), "template": template, "issues": issues}
    told = f"{result}; template {template}" if template else str(result)
    _tell(asked, told, **members, other_hosts=dict(result.other_hosts))
    kept = result.created + len(result.updates) + result.count("duplicate")
    return _status_of(kept, is_complete=result.is_complete)


def _tell(asked: argparse.Namespace, told: str, **members: Any) -> None:
    """Print what an import did, or would do."""
    file = f"{asked.file}, checked only" if asked.check else str(asked.file)
    print_result(asked, f"{file}: {told}", file=str(asked.file), **members)


def _status_of(rows: int, *, is_complete: bool) -> ImportStatus:
    """Return the exit status of an import by the rows that are in the store now."""
    if is_complete:
        return ImportStatus.ALL_IN
    return ImportStatus.NOT_ALL if rows else ImportStatus.NOTHING_READ


def _holds_scans(asked: argparse.Namespace, data: bytes) -> bool:
    """Return whether a file is a table of visits, and not of QR Codes."""
    from qrkit.exchange.sheets import format_of_table, heading_in
    from qrkit.exchange.visit_tables import NAMES, holds_scans, share_of_visits

    if asked.code:
        return True
    if asked.columns is not None:
        named = {name.lower() for name in read_columns(asked.columns)}
        return "time" in named and named <= NAMES.keys()
    return holds_scans(heading_in(data, format_of_table(asked.file), share_of_visits))


def _import_scans(asked: argparse.Namespace, data: bytes) -> ImportStatus:
    from qrkit.exchange.sheets import format_of_table

    columns = {name.lower(): theirs for name, theirs in read_columns(asked.columns or "").items() if name != "Content"}
    how: dict[str, Any] = {"columns": columns, "code": asked.code, "name": asked.file.name, "check": asked.check}
    with opened(asked, must_exist=True) as portfolio:
        result = portfolio.import_scans(data, format=format_of_table(asked.file), **how)
    tell_rows([one for one in result.issues if one[0]])
    for _, what in (one for one in result.issues if not one[0]):
        complain("import", what)
    for code, (imported, rows) in result.differences.items():
        differs = f"{counted(imported, 'scan')} imported as a number, but {counted(rows, 'row')} in the file"
        complain("import", f"{code}: {differs}")
    issues = [{"row": row, "error": error} for row, error in result.issues]
    members = {"created": result.created, "known": result.known, "issues": issues, "service": result.service}
    members |= {"bots": result.bots, "bots_said": result.bots_said}
    differences = {code: list(numbers) for code, numbers in result.differences.items()}
    _tell(asked, str(result), **members, differences=differences)
    return _status_of(result.created + result.known, is_complete=not any(row for row, _ in result.issues))


def _columns(asked: argparse.Namespace) -> dict[str, str]:
    """Return the columns mapped by options: qrkit's name to the name in the file."""
    named = {column: getattr(asked, f"{word}_column") for word, column in COLUMNS.items()}
    given = {column: name for column, name in named.items() if name is not None}
    return {"Content": "Content"} | given if given and asked.columns is None else given


def _columns_as_options(asked: argparse.Namespace) -> AbstractContextManager[None]:
    """Rename missing columns in errors to the options of their own, unless `--columns` named them."""
    names = {word: f"columns.{column}" for word, column in COLUMNS.items()}
    own = [word for word in names if asked.columns is None or getattr(asked, f"{word}_column") is not None]
    options = {names[word]: f"--{word}-column" for word in own}
    return renaming(lambda name: options.get(name, name))


def _export(asked: argparse.Namespace) -> None:
    suffix = asked.file.suffix.lower()
    for formats, names in ONLY_FOR.items():
        if suffix not in formats and (wrong := refused_options(asked, names, f"is only for {' and '.join(formats)}")):
            raise InvalidParameter(*wrong)
    with opened(asked, to_read=True) as portfolio:
        campaign = portfolio.find_campaign(asked.campaign).id if asked.campaign is not None else None
        codes = portfolio.list_qrcodes(campaign_id=campaign)
        with complaining(asked.command):
            file = portfolio.export_file(
                asked.file, image_format=asked.image_format or "png", names=asked.names or "",
                print_size=print_size(asked), progress=sys.stderr.isatty(),
                ids=None if campaign is None else {code.id for code in codes},
            )  # fmt: skip
        plan = portfolio.account.plan
        if suffix in PICTURES:
            tell_of_local_urls(asked.command, portfolio, codes)
    count = sum(code.is_available for code in codes)
    left_out = len(codes) - count
    beyond = f"; {left_out} beyond the plan {plan} {'was' if left_out == 1 else 'were'} left out"
    told = f"{file}: {counted(count, 'QR Code')}{beyond if left_out else ''}"
    print_result(asked, told, file=str(file), qrcodes=count, left_out=left_out)
