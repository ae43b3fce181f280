"""Adds the QR Codes of a file to a portfolio, as the options of `qrkit import` and `qrkit demo` say."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qrkit.commands.generate import design_fields
from qrkit.commands.output import complain, tell_rows
from qrkit.commands.parsing import add_decoration, add_place, decoration_of, given_options
from qrkit.commands.stores import store_option
from qrkit.design.design import Design
from qrkit.errors import InvalidParameter, Problem, collecting, raise_any
from qrkit.exchange.columns import is_ours, read_columns
from qrkit.files import read_file
from qrkit.tracking.names import tidy_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qrkit.exchange.merge import ImportIssue, ImportResult
    from qrkit.portfolio import Portfolio


SAMPLES = ("4kTqZ9", "Hn7wDc", "s2RvXe", "uM8yPb", "Ga5LfJ")
"""Short codes for which the size of a logo is chosen: fixed, so that the same options make the same look again."""
AS_THEY_ARE = ("sheet", "header_row", "encoding", "fix_urls", "old_base_url", "anyway")
"""Options that `Portfolio.import_file` has, too."""


def add_import_options(one: argparse.ArgumentParser) -> None:
    """Add the options about the columns of a file, its addresses, and the look of its QR Codes."""
    pairs = "names of the columns in a csv, json, workbook or html table, such as content=Website,name=Poster"
    one.add_argument("--columns", metavar="OURS=THEIRS,...", help=pairs)
    add_place(one)
    fix = "complete addresses such as www.example.com and htp:/example.com, if only one reading makes sense"
    one.add_argument("--fix-urls", action="store_true", help=fix)
    old = "base URL of the printed codes, if it has a path; by default, the whole path is the short code"
    one.add_argument("--old-base-url", default="", metavar="URL", help=old)
    anyway = "give rows new short codes if theirs are in use; otherwise, the file is refused"
    one.add_argument("--anyway", action="store_true", help=anyway)
    look = one.add_argument_group("how the codes look (the result is saved as a template)")
    what = (
        "a template of the store, or a design (.json). The options below change a copy and save it as NAME (without "
        "--template: the name of FILE), or as `NAME 2` if another template has that name. --preset replaces the whole "
        "look of a template"
    )
    look.add_argument("--template", default="", metavar="NAME|FILE", help=what)
    look.add_argument("--preset", metavar="NAME", help="a look that comes with qrkit, such as `bubble` or `fluid`")
    add_decoration(look)


def import_codes(
    portfolio: Portfolio,
    asked: argparse.Namespace,
    source: Path | bytes,
    columns: Mapping[str, str] | None = None,
    *,
    format: str | None = None,
    update_by: str = "",
    check: bool = False,
) -> tuple[ImportResult, str]:
    """Add the QR Codes of a file in one transaction with the template that is made for them.

    Return the result and the name of the template, or "" if the options ask for none. `columns` are added to those of
    the options. With `check`, nothing is saved.
    """
    theirs = dict(columns or {})
    if asked.columns is not None:
        theirs = read_columns(asked.columns) | theirs
    # A template that the options make is saved with the QR Codes or not at all; the others need no transaction around
    # the import, which would keep everybody else's changes waiting while the file is read.
    makes_template = not check and (bool(decoration_of(asked)) or _is_file(asked.template))
    with portfolio.store.atomic() if makes_template else nullcontext():
        template = "" if check else _saved_template(portfolio, asked, source, format)
        result = portfolio.import_file(
            source,
            format=format,
            columns=theirs,
            template=template,
            update_by=update_by,
            check=check,
            progress=sys.stderr.isatty(),
            **given_options(asked, AS_THEY_ARE),
        )
    return result, template


def tell_import(result: ImportResult, asked: argparse.Namespace, store: str, *, check: bool = False) -> None:
    """Print what an import skipped or changed, on the error stream; several duplicates are one line."""
    repeated = [issue.row for issue in result.issues if _is_mere_duplicate(issue)]
    lists_all = len(repeated) < 2
    tell_rows([(one.row, one.error) for one in result.to_fix_first if lists_all or not _is_mere_duplicate(one)])
    if not lists_all:
        rule = "have the name and content of an earlier row or of a QR Code in the portfolio"
        complain(asked.command, f"{len(repeated):,} rows {rule}; first: row {repeated[0]}")
    fixable = [str(issue.reason) for issue in result.issues if issue.detail.endswith("?")]
    command = f"qrkit set --all --fix-urls{store_option(store)}"
    later = f"to correct all, run: {command} (with --preview, it only shows the changes)"
    at_once = "to import them corrected, add --fix-urls"
    for reason, where, hint in (
        ("suspicious-url", "", at_once if check else later),
        ("duplicate", " in the store", later),
    ):
        if count := fixable.count(reason):
            what = f"1 code{where} has an address" if count == 1 else f"{count} codes{where} have addresses"
            complain(asked.command, f"{what} that visitors see as text; {hint}")
    if result.hosts_left:
        complain(asked.command, result.hosts_left)


def _is_mere_duplicate(issue: ImportIssue) -> bool:
    """Return whether an issue says no more than that a row is there already, and suggests no better address."""
    return issue.reason == "duplicate" and not issue.detail.endswith("?")


def _template_name(asked: argparse.Namespace) -> str:
    """Return the name of a template that the options ask for, or that they make; "" if they ask for none."""
    if _is_file(asked.template):
        return Path(asked.template).stem
    return asked.template or ((asked.file or Path(asked.command)).stem if decoration_of(asked) else "")


def _is_file(template: str) -> bool:
    return template.lower().endswith(".json")


def _saved_template(portfolio: Portfolio, asked: argparse.Namespace, source: Path | bytes, format: str | None) -> str:
    """Return the name of the template that the options ask for; a design or a decorated look is saved first."""
    from qrkit.pictures.patterns import check_pattern
    from qrkit.portfolio.code_designs import CAPTION_FIELDS

    names = (*CAPTION_FIELDS, *_field_names(portfolio, source, format)) if "{" in (asked.caption or "") else ()
    problems = decoration_of(asked).problems()
    with collecting(problems):
        check_pattern("caption", asked.caption or "", names)
    raise_any(problems)
    name = _template_name(asked)
    fields = design_fields(Path(asked.template) if _is_file(asked.template) else None)
    if decoration_of(asked):
        if asked.preset is None and asked.template in portfolio.templates:
            fields, _ = Design.known(portfolio.templates.get(asked.template))
        return portfolio.templates.save_beside(name, _decorated(portfolio, asked, fields))
    if _is_file(asked.template):
        return portfolio.templates.save_beside(name, fields)
    _check_template(portfolio, name)
    return name


def _field_names(portfolio: Portfolio, source: Path | bytes, format: str | None) -> list[str]:
    """Return the names of fields that the QR Codes have, or will have: columns of the file that are not ours."""
    from qrkit.exchange.sheets import format_of_table, heading_in

    data, named = (source, "csv") if isinstance(source, bytes) else (read_file(source), format_of_table(source))
    heading = heading_in(data, format or named)
    return [*portfolio.scans.field_names(), *(tidy_name(one) for one in heading if one and not is_ours(one))]


def _decorated(portfolio: Portfolio, asked: argparse.Namespace, fields: Mapping[str, Any]) -> Design:
    """Return the decorated design for many short URLs.

    Layers are placed on the symbol of a short URL, which is what the pictures show. A logo covers more wrong modules in
    one symbol than in another, so it gets the smallest size that suits some of them.
    """
    from qrkit.drawing.logo import placed_logo
    from qrkit.tracking.short_urls import short_url

    decoration = decoration_of(asked)

    def decorated(code: str) -> Design:
        content = short_url(portfolio.base_url, code)
        return decoration.on(Design(**(Design.by_field(fields) | {"content": content})), {})

    def share(design: Design) -> float:
        logo = placed_logo(design)
        return logo.share if logo else 0

    first, *others = SAMPLES
    design = decorated(first)
    return min([design, *map(decorated, others)], key=share) if share(design) else design


def _check_template(portfolio: Portfolio, name: str) -> None:
    """Raise an error for a name that is not a template; the error says if a preset has this name."""
    from qrkit.design.presets import PRESETS

    if name in PRESETS and name not in portfolio.templates:
        raise InvalidParameter(Problem("template", name, f"is a preset, not a template; use --preset {name}"))
    portfolio.templates.check_known(name)
