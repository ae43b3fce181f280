"""Implements `qrkit generate`: one QR Code, or one per row of a table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from qrkit.commands.kind_options import add_kinds, kind_asked, kind_content
from qrkit.commands.output import Status, complain, complaining, print_json, print_result, status_of, tell_rows
from qrkit.commands.parsing import (
    PRINT,
    Parser,
    add_decoration,
    add_fields,
    add_json,
    add_place,
    decoration_of,
    given_options,
    option_of,
    print_size,
    refused_options,
)
from qrkit.commands.stores import add_store, opened
from qrkit.design.formats import FORMAT_ALIASES, FORMATS, TEXT_STYLES, WITHOUT_ALPHA, TextStyle
from qrkit.errors import BadRequest, InvalidParameter, MissingParameter, Problem, QrkitError, UnreadableFile, raise_any
from qrkit.files import read_file, write_file
from qrkit.late import named

if TYPE_CHECKING:
    from qrkit.design.design import Design
    from qrkit.pictures.image import QRImage
    from qrkit.pictures.printing import QRPrint


STANDARD = Path("-")
"""Stands for the standard input or output."""
COLUMN = "Content"
HRI = "hri"
"""The field with the human-readable text of a GS1 Digital Link."""
FIELDS = {
    "size": "N", "padding": "N", "version": "N", "em": "MODE", "ec": "LEVEL", "charset": "NAME", "fnc1": "",
    "micro": "", "foreground": "COLOR", "background": "COLOR",
}  # fmt: skip
"""Fields of a design that have an option, with what stands for their values in the help."""


def define_generate(one: Parser) -> None:
    """Define the command `generate`."""
    what = one.add_argument_group("what to encode")
    what.add_argument("content", nargs="?", metavar="CONTENT", help="the text; - reads it from the standard input")
    add_kinds(what)
    table = "a csv, xlsx, xls or ods file whose first row names the columns; - reads a csv from the standard input"
    what.add_argument("--from", dest="table", type=Path, metavar="TABLE", help=table)
    add_content_columns(what)
    names = "column of TABLE with the file names (by default, made from the content)"
    what.add_argument("--name-column", metavar="NAME", help=names)
    names = "pattern of the file names, with columns in braces: '{Room}/Table {n}' (n is the number of the row)"
    what.add_argument("--names", metavar="TEXT", help=names)
    add_count(what, "--caption, --subtitle and --names")
    add_place(one)
    add_look(one.add_argument_group("how it looks (options override a design or a template)"))
    where = one.add_argument_group("where to")
    output = (
        "file to write (.json for the design), or for several a folder, a .zip, or a .pdf with a page for each; "
        "- prints it"
    )
    where.add_argument("-o", "--output", type=Path, metavar="FILE", help=output)
    formats = f"one of {', '.join(FORMATS)} (the suffix of FILE; png with - and --from)"
    where.add_argument("--format", metavar="NAME", help=formats)
    text = f"style of text output: {', '.join(TEXT_STYLES)} (blocks)"
    where.add_argument("--style", choices=TEXT_STYLES, metavar="NAME", help=text)
    add_fields(where, partial(named, "pictures.printing:PrintSize"), PRINT)
    distance = "distance of the phone in meters; without --size-mm, it sets the width"
    where.add_argument("--distance-m", type=float, metavar="N", help=distance)
    told = "file, content, version, ec, width, height, width_mm, height_mm, warnings; with --from file, created, errors"
    add_json(one, told)
    one.set_defaults(run=_generate)


def add_content_columns(what: argparse._ArgumentGroup) -> None:
    """Add the options that choose what is encoded from a table."""
    what.add_argument("--content-column", metavar="NAME", help=f"column of TABLE to encode ({COLUMN})")
    items = "encode GS1 Digital Links below URL, from the columns gtin, lot, serial, expiry; {hri} is its readable text"
    what.add_argument("--gs1", metavar="URL", help=items)


def add_count(what: argparse._ArgumentGroup, others: str) -> None:
    """Add the option that draws a content several times, and fills its number in to the texts of other options."""
    count = f"draw CONTENT N times; {{n}} in CONTENT, {others} stands for the number of the code"
    what.add_argument("--count", type=int, metavar="N", help=count)


def add_look(look: argparse._ArgumentGroup) -> None:
    """Add the options that say how QR Codes look, and the store that has the templates."""
    begun = look.add_mutually_exclusive_group()
    design = "a design as JSON, as the studio and Python write it"
    begun.add_argument("--design", type=Path, metavar="FILE", help=design)
    begun.add_argument("--template", metavar="NAME", help="a design saved in the store; see `qrkit template`")
    begun.add_argument("--preset", metavar="NAME", help="a look that comes with qrkit, such as `bubble` or `fluid`")
    add_decoration(look)
    look.add_argument("--subtitle", metavar="TEXT", help="smaller words below the caption")
    add_store(look)
    add_fields(look, partial(named, "design.design:Design"), FIELDS)


def _generate(asked: argparse.Namespace) -> Status:
    from qrkit.pictures.decorating import parts_by_name

    with parts_by_name():
        _check_together(asked)
        return _several(asked) if _is_several(asked) else _generate_one(asked)


def _check_together(asked: argparse.Namespace) -> None:
    """Raise an error for options that cannot be combined, instead of silently ignoring some of them."""
    problems = wrong_contents(asked)
    is_printed = asked.output is None or asked.output == STANDARD
    if _is_several(asked):
        option = "--from" if asked.table else "--count"
        rule = f"is required with {option}: a folder, a .zip or a .pdf"
        problems += [Problem("output", None, rule)] if is_printed else []
        if _is_design(asked):
            rule = "is for the design of a single code; name a folder, a .zip or a .pdf"
            problems.append(Problem("output", str(asked.output), rule))
        problems += refused_options(asked, ["style", "distance_m"], "is for a single code")
    else:
        problems += refused_options(asked, ["names"], "needs --from (a table) or --count")
        if asked.json and is_printed:
            rule = "needs a file (-o), because the picture itself goes to standard output"
            problems.append(Problem("json", None, rule))
        if not _is_shown_as_text(asked):
            rule = "is only for text (a .txt file, or neither -o nor --format)"
            problems += refused_options(asked, ["style"], rule)
    if asked.name_column is not None:
        problems += refused_options(asked, ["names"], "cannot be combined with --name-column")
    if what := "designs" if _is_design(asked) else "text" if _is_shown_as_text(asked) else "":
        problems += refused_options(asked, ["size_mm", "distance_m"], f"is only for pictures, not for {what}")
    problems += _wrong_format(asked) + decoration_of(asked).problems()
    raise_any(problems)


def wrong_contents(asked: argparse.Namespace) -> list[Problem]:
    """Return the problems of options that say what to encode, and of how often."""
    kind = kind_asked(asked)
    problems = [] if asked.table else _options_of_table(asked)
    if kind and (asked.content is not None or asked.table):
        other = "CONTENT" if asked.content is not None else "--from"
        problems.append(Problem(option_of(kind), None, f"cannot be combined with {other}, which says what to encode"))
    if asked.table:
        rule = "cannot be combined with --from, whose rows say what to encode"
        return problems + refused_options(asked, ["content", "count"], rule)
    if asked.count is None:
        return problems
    from qrkit.pictures.sets import MOST_NUMBERED

    if not 1 <= asked.count <= MOST_NUMBERED:
        problems.append(Problem("count", asked.count, f"must be in 1..{MOST_NUMBERED:,}", "out-of-range"))
    if asked.content is None and not kind:
        problems.append(Problem("content", None, "is required with --count"))
    return problems


def _wrong_format(asked: argparse.Namespace) -> list[Problem]:
    """Return the problems of a format that the file does not have, and of names of files that a PDF does not hold."""
    suffix = (asked.output or Path()).suffix[1:].lower()
    file, format = FORMAT_ALIASES.get(suffix, suffix), (asked.format or suffix).lower()
    problems = []
    if file in FORMATS and FORMAT_ALIASES.get(format, format) != file and not (_is_several(asked) and file == "zip"):
        problems.append(Problem("format", asked.format, f"is not the format of {asked.output}"))
    if _is_several(asked) and file == "pdf":
        problems += refused_options(asked, ["names", "name_column"], "is for a folder or a .zip")
    return problems


def _options_of_table(asked: argparse.Namespace) -> list[Problem]:
    names = ("content_column", "name_column", "gs1", "sheet", "header_row", "encoding")
    return [one for one in refused_options(asked, names, "needs --from, a table") if one.value != ""]


def fields_of_look(asked: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of the design that have an option of their own and were given."""
    return given_options(asked, FIELDS)


def design_fields(file: Path | None) -> dict[str, Any]:
    """Return the fields in a design file, or none without a file."""
    return {} if file is None else fields_in(file, what="the design")


def design_in(file: Path) -> Design:
    """Return the design in a file."""
    from qrkit.design.design import Design

    return Design(**design_fields(file))


def fields_in(file: Path, *, what: str) -> dict[str, Any]:
    """Return the fields of a JSON file; errors call what it contains `what`, such as "the design"."""
    from qrkit.server.requests.parsing import json_object

    try:
        return json_object(read_file(file), what=what)
    except BadRequest as error:
        raise UnreadableFile(f"{file}: {error}") from error


def _design_from_template(asked: argparse.Namespace, content: str) -> Design:
    with opened(asked, to_read=True) as portfolio:
        return portfolio.templates.design(asked.template, content, **fields_of_look(asked))


# One image


def _generate_one(asked: argparse.Namespace) -> Status:
    image = _in_format(_image(asked), asked)
    distance = asked.distance_m
    size = print_size(asked, None if distance is None else ceil(image.least_width_mm(distance)))
    printed = image.printed(size) if size else None
    told = [*image.warnings, *filter(None, [image.fault])]
    if size:
        from qrkit.pictures.preflight import known_findings

        told += map(str, known_findings(image, size, distance))
    for warning in told:
        complain("generate", warning)
    if asked.output and asked.output != STANDARD:
        _save(image, printed, asked)
        if asked.json:
            _print_image(image, printed, asked, told)
        else:
            print(f"{asked.output}: {_size_on_paper(printed, asked) if printed else repr(image)}")
    elif asked.output or asked.format:
        _print(image, printed, asked)
    else:
        sys.stdout.write(_printable(image, asked.style or "blocks"))
    return Status.DONE


def _image(asked: argparse.Namespace) -> QRImage:
    from qrkit.pictures.image import QRImage, generate

    content, decoration = _content(asked), decoration_of(asked)
    if content is not None and not (asked.template or asked.design or decoration or asked.subtitle is not None):
        return generate(content, warn=False, **fields_of_look(asked))
    design = _undecorated(asked, content)
    design = decoration.on(design, fields_of_look(asked)) if decoration else design
    if asked.subtitle is None:
        return QRImage(design)
    from qrkit.pictures.sets import with_words

    return QRImage(with_words(design, {"subtitle": asked.subtitle}))


def _in_format(image: QRImage, asked: argparse.Namespace) -> QRImage:
    """Return an image as a jpg or bmp shows it, whose background is opaque, so that warnings are about the file."""
    written = (asked.format or (asked.output or Path()).suffix[1:]).lower()
    format = FORMAT_ALIASES.get(written, written)
    if format not in WITHOUT_ALPHA or not image.fault:
        return image
    from qrkit.pictures.generate_request import in_format
    from qrkit.pictures.image import QRImage

    return QRImage(in_format(image.design, format))


def _undecorated(asked: argparse.Namespace, content: str | None) -> Design:
    from qrkit.design.design import Design

    if asked.template:
        if content is None:
            raise MissingParameter("content")
        return _design_from_template(asked, content)
    given = fields_of_look(asked) | ({} if content is None else {"content": content})
    own = design_fields(asked.design)
    return Design(**own).replace(**given) if "content" in own else Design(**(Design.by_field(own) | given))


def _content(asked: argparse.Namespace) -> str | None:
    if kind := kind_asked(asked):
        return kind_content(asked, kind)
    if asked.content != "-":
        return asked.content  # type: ignore[no-any-return]  # argparse knows no types
    # `echo` and editors add a line end that is not part of the content.
    return _standard_input().decode("utf-8", "surrogateescape").removesuffix("\n").removesuffix("\r")


def _standard_input() -> bytes:
    return sys.stdin.buffer.read()


def _is_several(asked: argparse.Namespace) -> bool:
    return bool(asked.table) or asked.count is not None


def _is_design(asked: argparse.Namespace) -> bool:
    return not asked.format and (asked.output or Path()).suffix.lower() == ".json"


def _is_text(asked: argparse.Namespace) -> bool:
    return (asked.format or (asked.output or Path()).suffix[1:]).lower() == "txt"


def _is_shown_as_text(asked: argparse.Namespace) -> bool:
    """Whether the output format is text, which is the default for standard output."""
    return _is_text(asked) or not (asked.output or asked.format)


def _save(image: QRImage, printed: QRPrint | None, asked: argparse.Namespace) -> None:
    if _is_text(asked):
        write_file(asked.output, image.to_text(asked.style or "blocks").encode())
    elif _is_design(asked):
        write_file(asked.output, image.design.to_json(indent=2).encode())
    else:
        (printed or image).save(asked.output, asked.format)


def _print(image: QRImage, printed: QRPrint | None, asked: argparse.Namespace) -> None:
    if _is_text(asked):
        data = image.to_text(asked.style or "blocks").encode()
    else:
        data = (printed or image).to_bytes(asked.format or "png")
    if sys.stdout.isatty() and not _is_readable(data):
        rule = "is a terminal, which cannot show this format; write a file (-o), or pipe it into a program"
        raise InvalidParameter(Problem("output", None, rule))
    sys.stdout.buffer.write(data)


def _is_readable(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


def _printable(image: QRImage, style: TextStyle) -> str:
    """Return the symbol in this style, or in ASCII if the output cannot encode block characters."""
    text = image.to_text(style)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return image.to_text("ascii")
    return text


def _size_on_paper(printed: QRPrint, asked: argparse.Namespace) -> str:
    """Return the printed size of a file in words."""
    width, height = printed.size_in(asked.format or asked.output.suffix[1:])
    return repr(printed) if width == printed.width_mm else f"{width:.2f} x {height:.2f} mm"


def _print_image(image: QRImage, printed: QRPrint | None, asked: argparse.Namespace, told: list[str]) -> None:
    file = asked.output
    width_mm, height_mm = printed.size_in(asked.format or file.suffix[1:]) if printed else (None, None)
    print_json(
        file=str(file),
        content=image.design.content,
        version=image.symbol.version,
        ec=image.symbol.error_correction,
        width=round(printed.scene.width) if printed else image.width,
        height=round(printed.scene.height) if printed else image.height,
        width_mm=width_mm,
        height_mm=height_mm,
        warnings=told,
    )


# Many images


class Rows(NamedTuple):
    """What several pictures are made of: columns, contents, numbers in the file, and file names."""

    texts: list[dict[str, str]]
    contents: Sequence[str | QrkitError]
    numbers: Sequence[int]
    names: Sequence[str] | None = None


def _several(asked: argparse.Namespace) -> Status:
    from qrkit.pictures.batches import generate_many
    from qrkit.pictures.patterns import check_patterns, path_in

    rows = rows_asked(asked)
    check_patterns(rows.texts, names=asked.names)
    contents, look = decorated_rows(asked, rows)
    with complaining("generate"):
        batch = generate_many(
            contents,
            to=asked.output,
            names=[path_in(asked.names, row) for row in rows.texts] if asked.names else rows.names,
            format=asked.format or "png",
            print_size=print_size(asked),
            progress=sys.stderr.isatty(),
            **look,
        )
    errors = [(rows.numbers[error.row], error) for error in batch.errors]
    tell_rows([(row, error.error) for row, error in errors])
    told = [{"row": row, "content": error.content, "error": error.error} for row, error in errors]
    print_result(asked, f"{asked.output}: {batch}", file=str(asked.output), created=batch.created, errors=told)
    return status_of(batch.created, len(errors))


def rows_asked(asked: argparse.Namespace) -> Rows:
    """Return the rows of the table that the options name, or a content with its numbers."""
    if asked.table:
        return _rows_of_table(asked)
    from qrkit.pictures.patterns import check_pattern, filled
    from qrkit.pictures.sets import numbered

    content, texts = _content(asked) or "", numbered([{}] * (asked.count or 1))
    if asked.count is None:
        return Rows(texts, [content], [1])
    check_pattern("content", content, texts[0])
    return Rows(texts, [filled(content, row) for row in texts], range(1, asked.count + 1))


def decorated_rows(asked: argparse.Namespace, rows: Rows) -> tuple[Sequence[Design | QrkitError | str], dict[str, Any]]:
    """Return the designs of rows; or their contents, and how all of them are drawn."""
    from qrkit.pictures.sets import decorated

    design, decoration, fields = _table_design(asked, rows), decoration_of(asked), fields_of_look(asked)
    if not (decoration or asked.subtitle is not None):
        return rows.contents, {"design": design, **fields}
    how: dict[str, Any] = {"subtitle": asked.subtitle, "fields": fields}
    return decorated(rows.contents, rows.texts, design, decoration, **how), {}


def _rows_of_table(asked: argparse.Namespace) -> Rows:
    """Return the rows of the table that the options name."""
    from qrkit.exchange.locating import Place
    from qrkit.exchange.sheets import read_sheet
    from qrkit.pictures.sets import numbered

    column = COLUMN if asked.content_column is None else asked.content_column
    place = Place(asked.sheet, asked.header_row, asked.encoding)
    source = _standard_input() if asked.table == STANDARD else asked.table
    sheet = read_sheet(source, ["" if asked.gs1 else column, asked.name_column or ""], place)
    texts = numbered(sheet.texts())
    contents, notes = (
        sheet.contents(column, field="--content-column") if asked.gs1 is None else (_items(texts, asked), [])
    )
    for issue in sheet.issues:
        complain(asked.command, issue.detail)
    tell_rows(notes)
    names = None
    if asked.name_column is not None:
        names = [name if isinstance(name, str) else "" for name in sheet.column(asked.name_column, field="name_column")]
    return Rows(texts, contents, sheet.numbers, names)


def _items(texts: list[dict[str, str]], asked: argparse.Namespace) -> list[str | QrkitError]:
    """Return the GS1 Digital Links of rows, and add what people read of them to the texts."""
    from qrkit.contents.gs1_items import read_item

    found: list[str | QrkitError] = []
    for row in texts:
        row[HRI] = ""
        try:
            link, row[HRI] = read_item(row, asked.gs1)
            found.append(link)
        except InvalidParameter as error:
            if wrong := [replace(one, name="gs1") for one in error.problems if one.name == "domain"]:
                raise InvalidParameter(*wrong) from error  # the option, which is the same for all rows
            found.append(error)
    return found


def _table_design(asked: argparse.Namespace, rows: Rows) -> Design | dict[str, Any]:
    """Return the design of several pictures that the options begin with, or its fields."""
    if asked.template:
        # The longest content has the most modules, so all symbols fit the size of its picture.
        longest = max((text for text in rows.contents if isinstance(text, str) and text), key=len, default="0")
        return _design_from_template(asked, longest)
    return design_fields(asked.design)
