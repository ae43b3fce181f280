"""Imports and exports portfolios: each file format is one module with a reader, a writer, or both.

Readers are `read(data, how) -> Table`, writers `write(rows, file, how)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from qrkit.errors import InvalidParameter, Problem, UnreadableFile, one_of
from qrkit.exchange.archives import OPENDOCUMENT, SIGNATURE
from qrkit.late import by_name, late_names, named, on_demand

if TYPE_CHECKING:
    from qrkit.exchange.columns import Row
    from qrkit.exchange.table_files import Reading, SheetParts, Table, Writing

__all__ = [
    "EXCHANGE_FORMATS", "EXPORT_FORMATS", "IMAGE_FORMATS", "IMPORT_FORMATS", "IN_SIZE", "SHEETS", "ExchangeFormat",
    "ImportFormat", "Reading", "Writing", "exchange_format", "exchange_format_of_file", "import_format",
    "import_format_of_file", "sniffed",
]  # fmt: skip


__getattr__ = late_names(__name__, by_name({"exchange.table_files": "Reading Writing"}))


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """A file format that can be imported: its suffix without the dot is its name."""

    name: str
    media_type: str
    read: Callable[[bytes, Reading], Table]


@dataclass(frozen=True, slots=True)
class ExchangeFormat(ImportFormat):
    """A file format that can be imported and exported."""

    write: Callable[[Iterable[Row], BinaryIO, Writing], None]


Format = TypeVar("Format", bound=ImportFormat)


def _of_module(module: str, name: str) -> Callable[..., Any]:
    """Return a function of a format's module, which is loaded on first use: most programs need one format, or none."""
    return on_demand(f"exchange.{module}:{name}")


_WITH_ROWS = ("csv", "xls", "xlsx", "ods", "html", "json", "sql")
SHEETS: dict[str, SheetParts] = {format: _of_module(f"{format}_file", "parts") for format in _WITH_ROWS}
SHEETS["log"] = _of_module("access_logs", "parts")
"""The row readers of formats whose columns can have any names."""


def _reader(name: str) -> Callable[[bytes, Reading], Table]:
    """Return the function that reads a format: row by row, or the links in JSON at any depth."""
    if name not in SHEETS or name == "json":
        return _of_module(f"{name}_file", "read")
    return lambda data, how: named("exchange.table_files:read_sheets")(SHEETS[name])(data, how)


EXCHANGE_FORMATS = {
    name: ExchangeFormat(name, media_type, _reader(name), _of_module(f"{name}_file", "write"))
    for name, media_type in {
        "csv": "text/csv; charset=utf-8",
        "xls": "application/vnd.ms-excel",
        "xml": "application/xml; charset=utf-8",
        "zip": "application/zip",
        "json": "application/json; charset=utf-8",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    }.items()
}
"""The formats of import and export: csv, xls, xml and zip from the interface, json and xlsx added by us."""


def _write_pages(rows: Iterable[Row], file: BinaryIO, how: Writing) -> None:
    """Write a PDF with the picture of each row on a page of its own."""
    from qrkit.drawing.writers.pdf import PdfFile

    with PdfFile(file) as pdf:
        for row in rows:
            if row.code and how.add_page:
                how.add_page(row.code, pdf)


EXPORT_FORMATS = EXCHANGE_FORMATS | {
    "pdf": ExchangeFormat("pdf", "application/pdf", EXCHANGE_FORMATS["zip"].read, _write_pages)
}
"""The formats of exports: those above, and a PDF with a page for each picture, which no import offers."""

IN_SIZE = ("zip", "pdf")
"""Formats of files with pictures, which may have a print size."""
IMAGE_FORMATS = ("png", "eps", "svg", "pdf", "tif", "zpl")
"""Formats of the pictures in a zip."""

IMPORT_FORMATS: dict[str, ImportFormat] = EXCHANGE_FORMATS | {
    name: ImportFormat(name, media_type, _reader(name))
    for name, media_type in {"ods": OPENDOCUMENT, "html": "text/html", "sql": "application/sql"}.items()
}
"""The formats above, and formats that can only be imported."""

_LOG = ImportFormat("log", "text/plain", _reader("log"))
"""The format of access logs, which have visits, and no QR Codes."""

LIKE = {
    "xlsm": "xlsx", "xltx": "xlsx", "xltm": "xlsx", "ots": "ods", "fods": "ods", "xlt": "xls", "htm": "html",
    "jsonl": "json", "ndjson": "json",
}  # fmt: skip
"""Other suffixes of the formats of imports."""
AS_TEXT = (".txt", ".tsv", ".tab", ".psv", ".text", ".log")
"""Suffixes of texts whose first lines tell their format: tables with any separators, and access logs."""
OTHERS = {
    b"%PDF-": "a PDF", b"7z\xbc\xaf": "a 7z archive", b"Rar!": "a rar archive",
    b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture", b"{\\rtf": "a text document", b"PAR1": "a Parquet file",
    b"GIF8": "a picture", b"RIFF": "a picture", b"ARROW1": "a Feather file", b"FEA1": "a Feather file",
    b"SQLite format 3\0": "an SQLite database", b"\x28\xb5\x2f\xfd": "a zstd archive", b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive", b"MIME-Version:": "a saved web page or an e-mail",
    b"BEGIN:VCARD": "a contact", b"BEGIN:VCALENDAR": "a calendar", b"[InternetShortcut]": "a shortcut",
}  # fmt: skip
"""First bytes of files that are no tables."""
_FURTHER = re.compile(r"(?<=.)(?:[.-][0-9]{1,10})?(?:\.gz)?$", re.IGNORECASE)
"""What follows the suffix of a rotated log or of a file in gzip."""
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\s")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:(?:\[\s*)?\{\s*(?:\"|\})|\[\s*\[\s*\")")
"""Matches the beginning of an object, or of an array of objects or of rows of cells, which no heading of a csv has."""


def exchange_format(name: str) -> ExchangeFormat:
    """Return the export format with this name; case is ignored."""
    return _named(name, EXPORT_FORMATS, "exports")


def import_format(name: str) -> ImportFormat:
    """Return the import format with this name; case is ignored. Workbooks with macros and templates are workbooks."""
    return _named(LIKE.get(name.lower(), name), IMPORT_FORMATS, "imports")


def _named(name: str, formats: Mapping[str, Format], use: str) -> Format:
    return formats[one_of("format", name.lower(), formats, f"is not a format of {use}")]


def exchange_format_of_file(path: PurePath) -> ExchangeFormat:
    """Return the export format for the suffix of a file."""
    return exchange_format(_suffix(path, path, EXPORT_FORMATS))


def import_format_of_file(path: PurePath) -> ImportFormat:
    """Return the import format for the suffix of a file, which others may follow, as in access.log.2.gz."""
    inner = PurePath(_FURTHER.sub("", str(path)))
    is_text = inner.suffix.lower() in AS_TEXT
    return IMPORT_FORMATS["csv"] if is_text else import_format(_suffix(inner, path, IMPORT_FORMATS))


def _suffix(path: PurePath, written: PurePath, formats: Iterable[str]) -> str:
    if not path.suffix:
        raise InvalidParameter(Problem("path", str(written), f"must end in one of .{', .'.join(formats)}"))
    return path.suffix[1:]


def sniffed(data: bytes, named: str) -> ImportFormat:
    """Return the format that the first bytes of a file show, or else its declared one; refuse what is not a table."""
    from qrkit.exchange import access_logs, xls_file

    if what := next((what for start, what in OTHERS.items() if data.startswith(start)), ""):
        raise UnreadableFile(f"the file is {what}, not a table; send it as csv, xlsx, xls, ods, json or xml")
    if data.startswith(xls_file.SIGNATURE):
        return EXCHANGE_FORMATS["xls"]
    if data.startswith(SIGNATURE):
        return _of_archive(data, named)
    if named in SHEETS and named != "sql":
        if access_logs.is_log(data):
            return _LOG
        return IMPORT_FORMATS[named if named == "json" else _of_text(data, named)]
    return IMPORT_FORMATS[named]


def _of_text(data: bytes, named: str) -> str:
    """Return the format of a text: Excel opens pages and csv files with suffixes of workbooks, so these are common."""
    from qrkit.exchange import html_file, ods_file, sql_file

    if ods_file.is_flat(data):
        return "ods"
    if html_file.is_page(data):
        return "html"
    if _XML.match(data) or (named != "csv" and data.lstrip()[:1] == b"<"):
        return "xml"
    if _JSON.match(data):
        return "json"
    return "sql" if sql_file.is_dump(data) else "csv"


def _of_archive(data: bytes, named: str) -> ImportFormat:
    """Return the format of a zip archive: xlsx, ods, or a zip of pictures."""
    from qrkit.exchange import ods_file, xlsx_file, zip_file

    if xlsx_file.is_workbook(data):
        return EXCHANGE_FORMATS["xlsx"]
    if ods_file.is_workbook(data):
        return IMPORT_FORMATS["ods"]
    if named != "zip" and not zip_file.has_codes(data):
        rule = "the file is a zip archive, but not a workbook, and contains neither a manifest.xml nor pictures"
        raise UnreadableFile(f"{rule}; send a workbook as xls, xlsx or ods, and tables one by one")
    return EXCHANGE_FORMATS["zip"]
