"""Portfolios in and out of files: a file's table is a DataFrame of text, and each format is one module."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from qrkit.errors import InvalidParameter, Problem, UnreadableFile, nearest
from qrkit.exchange import archives, csv_file, json_file, ods_file, xls_file, xlsx_file, xml_file, zip_file
from qrkit.exchange.tables import typed
from qrkit.exchange.workbooks import OUR_SHEET
from qrkit.late import UNSEEN, Watch

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "EXCHANGE_FORMATS",
    "IMPORT_FORMATS",
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
class Reading:
    """How a file is read.

    Attributes:
        decode: A picture -> the text of the QR Code in it.
        watch: Shows how far it has come.
    """

    decode: zip_file.Decode
    watch: Watch = UNSEEN


@dataclass(frozen=True, slots=True)
class Writing:
    """How a file is written.

    Attributes:
        safe: Whether texts in csv that a spreadsheet would run get an apostrophe (ruling X7).
        image_format: Of the pictures in a zip: png, eps or svg.
        draw: The id of a QR Code and a format -> its picture.
    """

    draw: Callable[[str, str], bytes]
    safe: bool = True
    image_format: str = "png"

    def drawn(self, id: str) -> bytes:
        """The picture of the QR Code of an id."""
        return self.draw(id, self.image_format)


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """A file format of import.

    Attributes:
        name: Its suffix without the dot.
        media_type: For `Content-Type`.
        read: The bytes of a file, and how -> its table.
    """

    name: str
    media_type: str
    read: Callable[[bytes, Reading], pd.DataFrame]


@dataclass(frozen=True, slots=True)
class ExchangeFormat(ImportFormat):
    """A file format of import and export.

    Attributes:
        write: Writes the parts of a table, at least one, into a file.
    """

    write: Callable[[Iterable[pd.DataFrame], BinaryIO, Writing], None]


Format = TypeVar("Format", bound=ImportFormat)

EXCHANGE_FORMATS = {
    one.name: one
    for one in (
        ExchangeFormat(
            "csv",
            "text/csv; charset=utf-8",
            lambda data, how: csv_file.read(data, how.watch),
            lambda tables, file, how: csv_file.write(tables, file, safe=how.safe),
        ),
        ExchangeFormat(
            "xls",
            "application/vnd.ms-excel",
            lambda data, how: xls_file.read(data, how.watch),
            lambda tables, file, _: xls_file.write_parts(map(typed, tables), file, sheet=OUR_SHEET),
        ),
        ExchangeFormat(
            "xml",
            "application/xml; charset=utf-8",
            lambda data, how: xml_file.read(data, how.watch),
            lambda tables, file, _: xml_file.write(tables, file),
        ),
        ExchangeFormat(
            "zip",
            "application/zip",
            lambda data, how: zip_file.read(data, how.decode, how.watch),
            lambda tables, file, how: zip_file.write(tables, file, how.drawn, how.image_format),
        ),
        ExchangeFormat(
            "json",
            "application/json; charset=utf-8",
            lambda data, how: json_file.read(data, how.watch),
            lambda tables, file, _: json_file.write(tables, file),
        ),
        ExchangeFormat(
            "xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            lambda data, how: xlsx_file.read(data, how.watch),
            lambda tables, file, _: xlsx_file.write(map(typed, tables), file),
        ),
    )
}
"""csv, xls, xml and zip are the interface's, the others are ours (ruling X1)."""

IMPORT_FORMATS: dict[str, ImportFormat] = EXCHANGE_FORMATS | {
    "ods": ImportFormat("ods", ods_file.MEDIA_TYPE, lambda data, how: ods_file.read(data, how.watch)),
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
