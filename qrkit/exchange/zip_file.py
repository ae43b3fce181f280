"""Zip (ruling X10): folders are campaigns, pictures QR Codes, and `manifest.xml` tells the rest of them.

An archive that somebody packed by hand needs no manifest: its PNGs are read.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BytesIO
from struct import unpack
from typing import TYPE_CHECKING, BinaryIO
from zipfile import ZipFile, ZipInfo

from qrkit.errors import QrkitError, UnreadableFile
from qrkit.exchange import archives, xml_file
from qrkit.exchange.columns import ALL_NAMES
from qrkit.exchange.tables import ERROR, MOST_BYTES, REASON, table_of_records
from qrkit.files import FileNames, safe_stem
from qrkit.late import UNSEEN, Watch

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["IMAGE_FORMATS", "MOST_READ_SIDE", "has_codes", "read", "write"]

IMAGE_FORMATS = ("png", "eps", "svg")
MANIFEST = "manifest.xml"
MOST_PICTURE_BYTES = 4 * 2**20
MOST_PICTURES = 10_000
"""Files of an archive that no manifest tells of: each of them is looked at."""
MOST_PIXELS = 1_000_000_000
"""Of all pictures without a manifest together: looking for symbols takes its time."""
MOST_READ_SIDE = 1_000
"""Pixels of the longer side with which they are read; full of finder patterns, n of them take n⁴ steps."""
OTHER_PIXELS = 50_000_000
"""Those of the largest picture that is looked at, and of one that is named .png, but is of another kind."""
PNG = b"\x89PNG\r\n\x1a\n"

Draw = Callable[[str], bytes]
"""The id of a QR Code -> its picture."""
Decode = Callable[[bytes], str]
"""A picture -> the text of the QR Code in it."""


def write(tables: Iterable[pd.DataFrame], file: BinaryIO, draw: Draw, image_format: str) -> None:
    """Write a table of text as an archive of pictures with a manifest.

    Args:
        tables: Its parts: DataFrames of str with the columns of `exchange.columns`, indexed by id.
        file: Where to.
        draw: Draws the QR Code of an id.
        image_format: Of the pictures: png, eps or svg.
    """
    manifest = BytesIO()
    with ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        xml_file.write(_drawn(archive, tables, draw, image_format), manifest)
        archives.add(archive, MANIFEST, manifest.getvalue())


def _drawn(archive: ZipFile, tables: Iterable[pd.DataFrame], draw: Draw, image_format: str) -> Iterator[pd.DataFrame]:
    """The same parts with the name of each row's picture, which is in the archive then."""
    names = FileNames(image_format, taken=(MANIFEST,))
    for table in tables:
        pairs = zip(table["Campaign Name"], table["QR Code Name"], strict=True)
        stems = (_folder(campaign, image_format) + safe_stem(name) for campaign, name in pairs)
        files = [names.name_for(stem) for stem in stems]
        for id, name in zip(table.index, files, strict=True):
            archives.add(archive, name, draw(str(id)))
        yield table.assign(**{xml_file.FILE: files})


def _folder(campaign: str, image_format: str) -> str:
    """The folder of a campaign, which no file of the archive can have the name of; "" for none."""
    if not campaign:
        return ""
    name = safe_stem(campaign)
    is_like_a_file = name.lower().endswith((f".{image_format}", ".xml"))
    return f"{name}_/" if is_like_a_file else f"{name}/"


def has_codes(data: bytes) -> bool:
    """Whether an archive holds a manifest or a PNG.

    Raises:
        UnreadableFile: If it is not an archive that may be read.
    """
    found = archives.members(archives.opened(data))
    return _manifest(found)[0] is not None or any(parts[-1].lower().endswith(".png") for _, parts in found)


def read(data: bytes, decode: Decode, watch: Watch = UNSEEN) -> pd.DataFrame:
    """Read an archive: what its manifest says, and what its further PNGs say.

    Args:
        data: The archive.
        decode: Reads the QR Code in a picture.
        watch: Shows how far the reading has come.

    Returns:
        The table, as `exchange.tables.table_of_records` makes it.

    Raises:
        UnreadableFile: The file is no archive that may be read, its manifest cannot be read, or there is nothing in it.
    """
    archive = archives.opened(data)
    found = archives.members(archive)
    records: list[Mapping[str, str]] = []
    told: set[str] = set()
    manifest, folder = _manifest(found)
    if manifest:
        table, files = xml_file.read_files(archives.unpacked(archive, manifest, MOST_BYTES))
        names = [*ALL_NAMES, ERROR, REASON]
        records += [dict(zip(names, row, strict=True)) for row in table[names].itertuples(index=False, name=None)]
        told = {"/".join((*folder, *archives.parts_of(name))) for name in [*files, MANIFEST]}
    others = [(entry, parts) for entry, parts in found if "/".join(parts) not in told]
    if len(others) > MOST_PICTURES:
        told_of = "that no manifest.xml tells of"
        raise UnreadableFile(f"the archive has {len(others):,} files {told_of}; at most {MOST_PICTURES:,}")
    bounded = _bounded(decode)
    records += [_record(archive, entry, parts, bounded) for entry, parts in watch(others, "Reading", len(others))]
    if not records and not manifest:
        raise UnreadableFile("the archive holds neither a manifest.xml nor pictures")
    return table_of_records(enumerate(records, start=1))


def _manifest(found: list[tuple[ZipInfo, tuple[str, ...]]]) -> tuple[ZipInfo | None, tuple[str, ...]]:
    """The manifest and the folder it lies in: none, or the one that whoever packs a folder puts around everything."""
    folders = {parts[:1] if len(parts) > 1 else () for _, parts in found}
    around = folders.pop() if len(folders) == 1 else ()
    return next((entry for entry, parts in found if parts == (*around, MANIFEST)), None), around


def _bounded(decode: Decode) -> Decode:
    """The same for all pictures of an archive, that gives up when they are too large together."""
    left = MOST_PIXELS

    def bounded(picture: bytes) -> str:
        nonlocal left
        width, height = unpack(">II", picture[16:24]) if picture.startswith(PNG) and len(picture) >= 24 else (0, 0)
        # What claims more than that is refused by its claim alone.
        left -= min(width * height or OTHER_PIXELS, OTHER_PIXELS)
        if left < 0:
            raise UnreadableFile("the pictures of the archive have too many pixels in all; split it")
        return decode(picture)

    return bounded


def _record(archive: ZipFile, entry: ZipInfo, parts: tuple[str, ...], decode: Decode) -> Mapping[str, str]:
    """What a file says that no manifest tells of: its folder is the campaign, its name that of the code."""
    stem, _, suffix = parts[-1].rpartition(".")
    cells = {"Campaign Name": "/".join(parts[:-1]), "QR Code Name": stem or parts[-1]}
    if suffix.lower() != "png":
        return cells | {ERROR: f"{'/'.join(parts)!r} is no .png, and only those are read", REASON: "undecodable"}
    try:
        # The picture is a code's: of its own content, not of a short URL of ours.
        return cells | {"Content": decode(archives.unpacked(archive, entry, MOST_PICTURE_BYTES)), "Dynamic": "false"}
    except QrkitError as error:
        return cells | {ERROR: f"{'/'.join(parts)!r}: {error}", REASON: "undecodable"}
