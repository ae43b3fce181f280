"""Where addresses are, by a table of places (mmdb) that the operator names: none is bundled and none is fetched.

A visitor's address is not kept, so that its place is looked up with the visit or never (ruling T10).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Any

from qrkit.errors import UnreadableFile
from qrkit.tracking.countries import country_code
from qrkit.tracking.records import NOWHERE, Place

__all__ = ["Places"]

LONGEST_NAME = 100


class Places:
    """A table of places; called with an address it gives the place.

    Tables of MaxMind, DB-IP and IPinfo are read, and those that hold a `country_code` alone. Countries are codes of two
    letters; region and city are in English.

    Args:
        path: The file. It is not copied: replace it by another one of the same name (`mv`, not `cp`), then start anew.

    Attributes:
        name: What the table calls itself.
        built: When it was made, UTC.

    Raises:
        UnreadableFile: There is no such file, or it is no such table.

    Example:
        >>> from qrkit.visits.places import Places
        >>> Places("nowhere.mmdb")
        Traceback (most recent call last):
        qrkit.errors.UnreadableFile: nowhere.mmdb cannot be read as a table of places: No such file or directory
    """

    name: str
    built: datetime

    def __init__(self, path: str | Path) -> None:
        import maxminddb

        try:
            self._reader = maxminddb.open_database(Path(path))
            found = self._reader.metadata()
            self.name, self.built = found.database_type, datetime.fromtimestamp(found.build_epoch, UTC)
        except (OSError, ValueError, OverflowError, maxminddb.InvalidDatabaseError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no mmdb file, or a damaged one"
            raise UnreadableFile(f"{path} cannot be read as a table of places: {reason}") from error

    def __call__(self, address: str) -> Place:
        """Where an address is; nowhere when it is none, or when the table does not know."""
        try:
            found = self._reader.get(_plain(address))
        except ValueError:  # no address, or one of IPv6 in a table without these
            return NOWHERE
        return _place(found) if isinstance(found, Mapping) else NOWHERE

    def __repr__(self) -> str:
        return f"<Places of {self.name}, {self.built:%Y-%m-%d}>"


def _plain(address: str) -> IPv4Address | IPv6Address:
    """An address of IPv4 that is written in the form of IPv6 stands in the tables as what it is."""
    found = ip_address(address)
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


def _place(found: Mapping[str, Any]) -> Place:
    """A record of any of these tables as a place."""
    regions, where = found.get("subdivisions"), found.get("location")
    region = regions[0] if isinstance(regions, list) and regions else found.get("region")
    return Place(
        country=_country(found),
        region=_name(region),
        city=_name(found.get("city")),
        latitude=_degrees(where, "latitude", 90),
        longitude=_degrees(where, "longitude", 180),
    )


def _country(found: Mapping[str, Any]) -> str | None:
    """Where it is, else where it is registered."""
    for key in ("country", "country_code", "registered_country"):
        value = found.get(key)
        text = value.get("iso_code") if isinstance(value, Mapping) else value
        code = country_code(text) if isinstance(text, str) else None
        if code:
            return code
    return None


def _name(value: Any) -> str | None:
    """A name as MaxMind has it, in several languages, or as a text."""
    if isinstance(value, Mapping):
        names = value.get("names")
        value = names.get("en") if isinstance(names, Mapping) else None
    return value[:LONGEST_NAME] if isinstance(value, str) and value else None


def _degrees(where: Any, key: str, most: int) -> float | None:
    value = where.get(key) if isinstance(where, Mapping) else None
    return float(value) if isinstance(value, (int, float)) and -most <= value <= most else None
