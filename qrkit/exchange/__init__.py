"""Portfolios in and out of files: a reader gives a `Table` of rows, a writer takes rows, and each format is one module.

All readers have one signature, `read(data, how) -> Table`, and so have all writers, `write(rows, file, how)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import BinaryIO, TypeVar

from qrkit.errors import InvalidParameter, Problem, UnreadableFile, nearest
from qrkit.exchange import archives, csv_file, json_file, ods_file, xls_file, xlsx_file, xml_file, zip_file
from qrkit.exchange.columns import Row
from qrkit.exchange.tables import Reading, SheetRows, Table, Writing, read_sheets

__all__ = [
    "EXCHANGE_FORMATS",
    "IMPORT_FORMATS",
    "SHEETS",
    "ExchangeFormat",
    "ImportFormat",
    "Reading",
    "Writing",
    "exchange_format",
    "exchange_format_of_file",
    "import_format",
    "import_format_of_file",
    "sniffed",
]


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """A file format of import.

    Attributes:
        name: Its suffix without the dot.
        media_type: For `Content-Type`.
        read: The bytes of a file, and how they are read -> its table.
    """

    name: str
    media_type: str
    read: Callable[[bytes, Reading], Table]


@dataclass(frozen=True, slots=True)
class ExchangeFormat(ImportFormat):
    """A file format of import and export.

    Attributes:
        write: Writes rows into a file.
    """

    write: Callable[[Iterable[Row], BinaryIO, Writing], None]


Format = TypeVar("Format", bound=ImportFormat)

SHEETS: dict[str, SheetRows] = {
    "csv": csv_file.rows,
    "xls": xls_file.rows,
    "xlsx": xlsx_file.rows,
    "ods": ods_file.rows,
}
"""What reads the rows of formats that have columns of any names."""

EXCHANGE_FORMATS = {
    one.name: one
    for one in (
        ExchangeFormat("csv", "text/csv; charset=utf-8", read_sheets(SHEETS["csv"]), csv_file.write),
        ExchangeFormat("xls", "application/vnd.ms-excel", read_sheets(SHEETS["xls"]), xls_file.write),
        ExchangeFormat("xml", "application/xml; charset=utf-8", xml_file.read, xml_file.write),
        ExchangeFormat("zip", "application/zip", zip_file.read, zip_file.write),
        ExchangeFormat("json", "application/json; charset=utf-8", json_file.read, json_file.write),
        ExchangeFormat("xlsx", xlsx_file.MEDIA_TYPE, read_sheets(SHEETS["xlsx"]), xlsx_file.write),
    )
}
"""csv, xls, xml and zip are the interface's, the others are ours (ruling X1)."""

IMPORT_FORMATS: dict[str, ImportFormat] = EXCHANGE_FORMATS | {
    "ods": ImportFormat("ods", ods_file.MEDIA_TYPE, read_sheets(SHEETS["ods"])),
}
"""Those, and what is only read."""


def exchange_format(name: str) -> ExchangeFormat:
    """The format of this name, in any case.

    Raises:
        InvalidParameter: There is none.
    """
    return _named(name, EXCHANGE_FORMATS)


def import_format(name: str) -> ImportFormat:
    """The format of import of this name, in any case.

    Raises:
        InvalidParameter: There is none.
    """
    return _named(name, IMPORT_FORMATS)


def _named(name: str, formats: Mapping[str, Format]) -> Format:
    found = formats.get(name.lower())
    if found is None:
        raise InvalidParameter(
            Problem("format", name, f"is not a format of import and export; {nearest(name, formats)}")
        )
    return found


def exchange_format_of_file(path: PurePath) -> ExchangeFormat:
    """The format that the suffix of a file says.

    Raises:
        InvalidParameter: There is no suffix, or no such format.
    """
    return exchange_format(path.suffix[1:])


def import_format_of_file(path: PurePath) -> ImportFormat:
    """The same of a file that comes in: spreadsheets write their tables with tabs as txt or tsv, too.

    Raises:
        InvalidParameter: There is no suffix, or no such format.
    """
    return IMPORT_FORMATS["csv"] if path.suffix.lower() in (".txt", ".tsv") else import_format(path.suffix[1:])


def sniffed(data: bytes, named: str) -> ImportFormat:
    """The format that a file is of, by its first bytes; its name decides between those that have no signature (X8).

    Raises:
        UnreadableFile: It is an archive that may not be read, or is named otherwise and holds nothing that is read.
    """
    if data.startswith(xls_file.SIGNATURE):
        return EXCHANGE_FORMATS["xls"]
    if data.startswith(archives.SIGNATURE):
        return _of_archive(data, named)
    if named in ("xls", "xlsx", "ods"):
        # Excel opens text files under these names, and people send them so.
        return EXCHANGE_FORMATS["xml" if data.lstrip()[:1] == b"<" else "csv"]
    return EXCHANGE_FORMATS[named]


def _of_archive(data: bytes, named: str) -> ImportFormat:
    """A workbook of today, one of OpenDocument, or pictures."""
    if xlsx_file.is_workbook(data):
        return EXCHANGE_FORMATS["xlsx"]
    if ods_file.is_workbook(data):
        return IMPORT_FORMATS["ods"]
    if named != "zip" and not zip_file.has_codes(data):
        rule = "the file is a zip archive, but no workbook, and there are neither a manifest.xml nor pictures in it"
        raise UnreadableFile(f"{rule}; send a workbook as xls, xlsx or ods")
    return EXCHANGE_FORMATS["zip"]
