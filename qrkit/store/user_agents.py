"""User agents: each text is stored once and told apart once, whatever the number of visits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from qrkit.store.connection import Store

__all__ = ["Device", "number_of", "remember", "told_apart"]

LONGEST = 512
Device = Literal["phone", "tablet", "computer", "unknown"]

FIND = "SELECT number FROM user_agents WHERE text = ?"
INSERT = """
INSERT INTO user_agents (
    number, text, system, system_version, browser, browser_version, manufacturer, device_model, device
) VALUES (nextval('user_agent_numbers'), ?, ?, ?, ?, ?, ?, ?, ?)
"""

FIND_ALL = "SELECT text FROM user_agents WHERE text IN (SELECT unnest($texts))"
INSERT_ALL = "INSERT INTO user_agents BY NAME SELECT nextval('user_agent_numbers') AS number, * FROM incoming"


def number_of(store: Store, text: str) -> int:
    """The number of a user agent, which is stored when it is new; it is cut at 512 characters."""
    cut = text[:LONGEST]
    with store.atomic():
        found = store.row(FIND, [cut])
        if found is None:
            store.execute(INSERT, [cut, *told_apart(cut)])
            found = store.row(FIND, [cut])
    assert found is not None  # it was stored in the line above
    return int(found["number"])


def remember(store: Store, texts: Iterable[str]) -> None:
    """Store those user agents that are new, all at once; they are cut at 512 characters."""
    import pandas as pd

    wanted = {text[:LONGEST] for text in texts}
    known = store.rows(FIND_ALL, {"texts": list(wanted)})
    new = sorted(wanted - {row["text"] for row in known})
    names = ["text", "system", "system_version", "browser", "browser_version", "manufacturer", "device_model", "device"]
    frame = pd.DataFrame([(text, *told_apart(text)) for text in new], columns=names, dtype="str")
    store.insert_frame(INSERT_ALL, frame)


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
