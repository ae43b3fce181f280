"""Zip (ruling X10): folders are campaigns, pictures QR Codes, and `manifest.xml` tells the rest of them.

An archive that somebody packed by hand needs no manifest: its PNGs are read.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZipFile, ZipInfo

from qrkit.errors import QrkitError, UnreadableFile
from qrkit.exchange import archives, xml_file
from qrkit.exchange.columns import ALL_NAMES
from qrkit.exchange.tables import ERROR, REASON, table_of_records
from qrkit.generate_request import safe_stem

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["IMAGE_FORMATS", "read", "write"]

IMAGE_FORMATS = ("png", "eps", "svg")
MANIFEST = "manifest.xml"
MOST_PICTURE_BYTES = 4 * 2**20
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The date of every entry: the same portfolio gives the same bytes."""

Draw = Callable[[str], bytes]
"""The id of a QR Code -> its picture."""
Decode = Callable[[bytes], str]
"""A picture -> the text of the QR Code in it."""


def write(table: pd.DataFrame, draw: Draw, image_format: str) -> bytes:
    """Write a table of text as an archive of pictures with a manifest.

    Args:
        table: DataFrame of str with the columns of `exchange.columns`, indexed by id.
        draw: Draws the QR Code of an id.
        image_format: Of the pictures: png, eps or svg.
    """
    names = _names(table, image_format)
    file = BytesIO()
    with ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for id, name in zip(table.index, names, strict=True):
            _add(archive, name, draw(str(id)))
        _add(archive, MANIFEST, xml_file.write(table, files=names))
    return file.getvalue()


def _add(archive: ZipFile, name: str, data: bytes) -> None:
    entry = ZipInfo(name, LONG_AGO)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, data)


def _names(table: pd.DataFrame, suffix: str) -> list[str]:
    """A name for each picture, no two of them the same on any file system."""
    taken = {MANIFEST}
    names = []
    for campaign, name in zip(table["Campaign Name"], table["QR Code Name"], strict=True):
        stem = f"{safe_stem(campaign)}/{safe_stem(name)}" if campaign else safe_stem(name)
        found, number = f"{stem}.{suffix}", 1
        while found.lower() in taken:
            number += 1
            found = f"{stem} ({number}).{suffix}"
        taken.add(found.lower())
        names.append(found)
    return names


def read(data: bytes, decode: Decode) -> pd.DataFrame:
    """Read an archive: what its manifest says, and what its further PNGs say.

    Args:
        data: The archive.
        decode: Reads the QR Code in a picture.

    Returns:
        The table, as `exchange.tables.table_of_records` makes it.

    Raises:
        UnreadableFile: The file is no archive that may be read, its manifest cannot be read, or there is nothing in it.
    """
    archive = archives.opened(data)
    found = archives.members(archive)
    records: list[Mapping[str, str]] = []
    told: set[str] = set()
    for entry, parts in found:
        if parts == (MANIFEST,):
            table, files = xml_file.read_files(_unpacked(archive, entry, entry.file_size))
            names = [*ALL_NAMES, ERROR, REASON]
            records += [dict(zip(names, row, strict=True)) for row in table[names].itertuples(index=False, name=None)]
            told = {"/".join(archives.parts_of(name)) for name in files}
    others = [(entry, parts) for entry, parts in found if "/".join(parts) not in told | {MANIFEST}]
    records += [_record(archive, entry, parts, decode) for entry, parts in others]
    if not records:
        raise UnreadableFile("the archive holds neither a manifest.xml nor pictures")
    return table_of_records(enumerate(records, start=1))


def _record(archive: ZipFile, entry: ZipInfo, parts: tuple[str, ...], decode: Decode) -> Mapping[str, str]:
    """What a file says that no manifest tells of: its folder is the campaign, its name that of the code."""
    stem, _, suffix = parts[-1].rpartition(".")
    cells = {"Campaign Name": "/".join(parts[:-1]), "QR Code Name": stem or parts[-1]}
    if suffix.lower() != "png":
        return cells | {ERROR: f"{'/'.join(parts)!r} is no .png, and only those are read", REASON: "undecodable"}
    try:
        # The picture is a code's: of its own content, not of a short URL of ours.
        return cells | {"Content": decode(_unpacked(archive, entry, MOST_PICTURE_BYTES)), "Dynamic": "false"}
    except QrkitError as error:
        return cells | {ERROR: f"{'/'.join(parts)!r}: {error}", REASON: "undecodable"}


def _unpacked(archive: ZipFile, entry: ZipInfo, most: int) -> bytes:
    if entry.file_size > most:
        raise UnreadableFile(f"{entry.filename[:100]!r} has {entry.file_size:,} bytes; at most {most:,}")
    try:
        return archive.read(entry)
    except Exception as error:
        # What a broken archive raises is of many kinds: BadZipFile, zlib.error, EOFError, NotImplementedError, …
        raise UnreadableFile(f"{entry.filename[:100]!r} cannot be unpacked: {type(error).__name__}") from error
