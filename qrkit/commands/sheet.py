"""Implements `qrkit sheet`: labels and cards with QR Codes, as a PDF to print."""

from __future__ import annotations

import argparse
from pathlib import Path

from qrkit.commands.generate import (
    add_content_columns,
    add_count,
    add_look,
    decorated_rows,
    fields_of_look,
    rows_asked,
    wrong_contents,
)
from qrkit.commands.kind_options import add_kinds, kind_asked
from qrkit.commands.output import Status, complaining, print_result, status_of, tell_of_local_urls, tell_rows
from qrkit.commands.parsing import INKS, Parser, add_fields, add_json, add_place, given_options, refused_options
from qrkit.commands.stores import add_base_url, opened
from qrkit.errors import InvalidParameter, Problem, raise_any
from qrkit.paper.label_pages import SheetSettings
from qrkit.paper.label_sheets import Labels, SheetFile, write_sheet, write_test_page

SETTINGS = {
    "stock": "NAME", "paper": "NAME", "start": "N", "copies": "N", "marks": "KIND", "bleed": "N",
    "label_color": "COLOR", "text_color": "COLOR", "offset_x": "N", "offset_y": "N", "scale": "N", "dpi": "N",
    "least_module": "N", **INKS,
}  # fmt: skip
"""Fields of the settings that have an option of their own, with what stands for their values in the help."""


def define_sheet(one: Parser) -> None:
    """Define the command `sheet`."""
    file = "the .pdf to write, or a .zpl for a label printer (needs --dpi); an existing one is replaced"
    one.add_argument("file", type=Path, metavar="FILE", help=file)
    what = one.add_argument_group("what to print")
    what.add_argument("--content", metavar="CONTENT", help="a text to encode, instead of the QR Codes of a store")
    add_kinds(what)
    what.add_argument("--campaign", metavar="NAME", help="only the QR Codes of this campaign")
    table = "a csv, xlsx, xls or ods file whose first row names the columns, instead of a store"
    what.add_argument("--from", dest="table", type=Path, metavar="TABLE", help=table)
    add_content_columns(what)
    add_count(what, "--caption and --line")
    fields = "{name}, {campaign}, {number}, {short_code}, {short_url}, your fields, or columns of TABLE"
    line = f"a line of text, with {fields}; repeat it for more (the name, if captions lack it)"
    what.add_argument("--line", action="append", metavar="TEXT", help=line)
    what.add_argument("--test-page", action="store_true", help="outlines and rulers, to measure --offset-x and --scale")
    add_place(one)
    add_fields(one.add_argument_group("labels, and how they are printed"), lambda: SheetSettings, SETTINGS)
    add_look(one.add_argument_group("how codes that are not from a store look"))
    add_base_url(one)
    add_json(one, "file, labels, pages, left_out (rows of TABLE without content)")
    one.set_defaults(run=_sheet, name_column=None)


def _sheet(asked: argparse.Namespace) -> Status:
    from qrkit.pictures.decorating import Decoration

    given = given_options(asked, SETTINGS)
    if "stock" not in given:
        rule = "is required: the part number of a label stock, such as L7160; a card, such as business-card; or poster"
        raise InvalidParameter(Problem("--stock", None, rule))
    is_store = not (asked.table or asked.content is not None or kind_asked(asked))
    settings = SheetSettings(**given, lines=asked.line or ())
    wrong = wrong_contents(asked)
    if is_store:
        look = ("design", "template", "subtitle", *Decoration._fields, *fields_of_look(asked))
        wrong += refused_options(asked, look, "needs --from, --content or a kind of content, such as --wifi")
    else:
        wrong += refused_options(asked, ["campaign"], "is for the QR Codes of a store")
    raise_any(wrong)
    if asked.test_page:
        file = write_test_page(asked.file, settings)
        print_result(asked, f"{file}: a test page", file=str(file), labels=0, pages=1, left_out=[])
        return Status.DONE
    with complaining("sheet"):
        written, left_out = (_from_store(asked, settings), []) if is_store else _from_rows(asked, settings)
    members = {"labels": written.labels, "pages": written.pages, "left_out": left_out}
    print_result(asked, f"{asked.file}: {written}", file=str(asked.file), **members)
    return status_of(written.labels, len(left_out))


def _from_store(asked: argparse.Namespace, settings: SheetSettings) -> SheetFile:
    from qrkit.portfolio.code_sets import code_sheet

    with opened(asked, to_read=True) as portfolio:
        campaign = portfolio.find_campaign(asked.campaign).id if asked.campaign is not None else None
        written = code_sheet(portfolio, asked.file, settings, asked.line, campaign_id=campaign)
        tell_of_local_urls("sheet", portfolio, portfolio.list_qrcodes(campaign_id=campaign))
        return written


def _from_rows(asked: argparse.Namespace, settings: SheetSettings) -> tuple[SheetFile, list[int]]:
    """Write the labels of a table or a content; return the numbers of rows without content, too."""
    from qrkit.pictures.batch_files import Look

    rows = rows_asked(asked)
    contents, look = decorated_rows(asked, rows)
    drawn = Look(look.pop("design", None), None, look)
    left_out = [number for number, content in zip(rows.numbers, rows.contents, strict=True) if content == ""]
    tell_rows([(number, "has no content, and gets no label") for number in left_out])
    kept = [row for row in zip(contents, rows.texts, rows.numbers, rows.contents, strict=True) if row[3] != ""]
    labels = Labels(kept, lambda row: drawn.image(row[0]), lambda row: row[1], [row[2] for row in kept])
    return write_sheet(asked.file, labels, settings), left_out
