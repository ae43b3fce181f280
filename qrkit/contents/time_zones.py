"""Time zones by their IANA names."""

from __future__ import annotations

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from qrkit.errors import similar


def zone_or_none(name: str) -> ZoneInfo | None:
    """Return the time zone with an IANA name; None if no time zone has this name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        return None


def suggest_zone(name: str) -> str:
    """Return a suggestion for an unknown name, because many people type only the city, such as "Berlin"."""
    names = sorted(available_timezones())
    city = name.replace(" ", "_").lower()
    match = next((one for one in names if city in (one.lower(), one.rpartition("/")[2].lower())), "")
    hint = f"did you mean {match!r}?" if match else similar(name, names)
    return f"; {hint}" if hint else ""
