"""Locates IP addresses with a GeoIP database (mmdb) that the operator provides; none is bundled or downloaded.

A visitor's address is not stored, so its location must be looked up when the visit is recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Any

from qrkit.errors import UnreadableFile, extra
from qrkit.tracking.countries import country_code
from qrkit.tracking.records import NOWHERE, Place

__all__ = ["Places"]

LONGEST_NAME = 100
MOST_KEPT = 1_000
"""Records that are kept as they were read: of some kB each."""


class Places:
    """A GeoIP database. Call it with an IP address to get a `Place`.

    Databases from MaxMind, DB-IP and IPinfo work, as do any others with a `country_code`. Countries are two-letter
    codes; region and city are in English.

    Args:
        path: The file, which is read in place. To update it, replace it with a new file of the same name (`mv`, not
            `cp`), then create a new object. `qrkit serve` does so on SIGHUP.

    Attributes:
        name: The type of the database, as stated in the file.
        built: When the database was built, UTC.

    Raises:
        UnreadableFile: If the file does not exist or is not a GeoIP database.
        MissingProgram: If maxminddb is not installed.

    Example:
        >>> from qrkit.visits.countries_of_addresses import Places
        >>> Places("nowhere.mmdb")
        Traceback (most recent call last):
        qrkit.errors.UnreadableFile: nowhere.mmdb cannot be read as a GeoIP database: No such file or directory
    """

    name: str
    built: datetime

    def __init__(self, path: str | Path) -> None:
        with extra("server"):
            from maxminddb.const import MODE_MMAP
            from maxminddb.reader import Reader
        try:
            # The reader in Python: a damaged byte makes the one in C end the process, even at a lookup hours later.
            self._reader = Reader(Path(path), MODE_MMAP)
            metadata = self._reader.metadata()
            self.name, self.built = metadata.database_type, datetime.fromtimestamp(metadata.build_epoch, UTC)
        except Exception as error:  # of any type, where bytes are damaged
            reason = error.strerror if isinstance(error, OSError) else "it is not an mmdb file, or it is damaged"
            raise UnreadableFile(f"{path} cannot be read as a GeoIP database: {reason}") from error
        # Reading a record takes Python ten times as long as finding it, and most visitors share a few places.
        kept: Any = lru_cache(MOST_KEPT)(self._reader._resolve_data_pointer)
        self._reader._resolve_data_pointer = kept  # type: ignore[method-assign]

    def __call__(self, address: str) -> Place:
        """Return the place of an address; an empty place if the address is invalid or not in the database."""
        try:
            record = self._reader.get(_plain(address))
        except ValueError:  # not an address, or an IPv6 address in a database without IPv6
            return NOWHERE
        return _place(record) if isinstance(record, Mapping) else NOWHERE

    def __repr__(self) -> str:
        return f"<Places of {self.name}, {self.built:%Y-%m-%d}>"


def _plain(address: str) -> IPv4Address | IPv6Address:
    """Parse an address. An IPv4 address written as IPv6 becomes IPv4, because databases list it that way."""
    parsed = ip_address(address)
    return parsed.ipv4_mapped or parsed if isinstance(parsed, IPv6Address) else parsed


def _place(record: Mapping[str, Any]) -> Place:
    """Convert a record of any supported database to a place."""
    regions, where = record.get("subdivisions"), record.get("location")
    region = regions[0] if isinstance(regions, list) and regions else record.get("region")
    return Place(
        country=_country(record),
        region=_name(region),
        city=_name(record.get("city")),
        latitude=_degrees(where, "latitude", 90),
        longitude=_degrees(where, "longitude", 180),
    )


def _country(record: Mapping[str, Any]) -> str | None:
    """Return the country of an address, or else the country where it is registered."""
    for key in ("country", "country_code", "registered_country"):
        value = record.get(key)
        text = value.get("iso_code") if isinstance(value, Mapping) else value
        code = country_code(text) if isinstance(text, str) else None
        if code:
            return code
    return None


def _name(value: Any) -> str | None:
    """Return a name, which is either a string or, in MaxMind databases, an object with several languages."""
    if isinstance(value, Mapping):
        names = value.get("names")
        value = names.get("en") if isinstance(names, Mapping) else None
    return value[:LONGEST_NAME] if isinstance(value, str) and value else None


def _degrees(where: Any, key: str, most: int) -> float | None:
    value = where.get(key) if isinstance(where, Mapping) else None
    return float(value) if isinstance(value, (int, float)) and -most <= value <= most else None
