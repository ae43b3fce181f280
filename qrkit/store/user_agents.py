"""User agents: each text is stored once and told apart once, whatever the number of visits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from qrkit.store.connection import Store

__all__ = ["Device", "numbers_of", "told_apart"]

LONGEST = 512
Device = Literal["phone", "tablet", "computer", "unknown"]

MOST_KNOWN = 50_000
"""User agents whose numbers are kept in memory."""

FIND = "SELECT text, number FROM user_agents WHERE text IN (SELECT unnest($texts))"
COLUMNS = ("text", "system", "system_version", "browser", "browser_version", "manufacturer", "device_model", "device")
INSERT = f"""
INSERT INTO user_agents (number, {", ".join(COLUMNS)})
SELECT nextval('user_agent_numbers'), {", ".join("unnest(?::VARCHAR[])" for _ in COLUMNS)}
"""


def numbers_of(store: Store, texts: Iterable[str]) -> dict[str, int]:
    """The numbers of user agents, cut at 512 characters; those that are new are stored."""
    known: dict[str, int] = store.database.memory.setdefault("user agents", {})
    wanted = {text[:LONGEST] for text in texts}
    found = {text: known[text] for text in wanted if text in known}
    if missing := sorted(wanted - found.keys()):
        with store.adding():
            found |= _looked_up(store, missing)
            if new := [text for text in missing if text not in found]:
                columns = [list(column) for column in zip(*((one, *told_apart(one)) for one in new), strict=True)]
                store.execute(INSERT, columns)
                found |= _looked_up(store, new)
            store.afterwards(lambda: _remember(known, found))
    return found


def _looked_up(store: Store, texts: list[str]) -> dict[str, int]:
    return {row["text"]: int(row["number"]) for row in store.rows(FIND, {"texts": texts})}


def _remember(known: dict[str, int], found: dict[str, int]) -> None:
    if len(known) > MOST_KNOWN:
        known.clear()
    known.update(found)


def told_apart(text: str) -> tuple[str | None, str | None, str | None, str | None, str | None, str | None, Device]:
    """System, its version, browser, its version, manufacturer, model and kind of device; None where unknown."""
    import ua_parser

    parsed = ua_parser.parse(text)
    system, browser, device = parsed.os, parsed.user_agent, parsed.device
    return (
        system.family if system else None,
        _version(system.major, system.minor) if system else None,
        browser.family if browser else None,
        _version(browser.major, browser.minor) if browser else None,
        device.brand if device else None,
        device.model if device else None,
        _device(text, system.family if system else None),
    )


def _version(major: str | None, minor: str | None) -> str | None:
    return ".".join(part for part in (major, minor) if part) or None


def _device(text: str, system: str | None) -> Device:
    """By the words browsers send: Android without "Mobile" is a tablet, as Google asks makers to write it."""
    if "Tablet PC" in text:  # a component of Windows, on laptops too
        return "computer"
    if "iPad" in text or "Tablet" in text or (system == "Android" and "Mobile" not in text):
        return "tablet"
    if (
        "Mobi" in text
        or "iPhone" in text
        or system in ("Android", "iOS", "BlackBerry OS", "Symbian OS", "Windows Phone")
    ):
        return "phone"
    if system in ("Windows", "Mac OS X", "Linux", "Ubuntu", "Debian", "Fedora", "FreeBSD", "Chrome OS"):
        return "computer"
    return "unknown"
