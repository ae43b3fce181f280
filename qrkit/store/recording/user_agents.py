"""User agents: each distinct text is stored once and parsed once, for any number of visits.

When a visit is stored, only the text of a new user agent is stored. The text is parsed before the next query of scans,
so that no visitor waits for the parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from typing import Literal, NamedTuple

from qrkit.store.connection import Store
from qrkit.tracking.bots import is_bot

LONGEST = 512
Device = Literal["phone", "tablet", "computer", "unknown"]

MOST_KNOWN = 50_000
"""Number of user agents whose numbers are cached."""
TOGETHER = 1_000
"""Number of user agents parsed in one transaction."""
ARRIVALS = "arrivals of new user agents"
PARSED = "arrivals of user agents when all were parsed"
"""Keys in a database's `memory`: the count of arrivals of new user agents, and that count when all were last parsed."""

RULES = 3
"""Increase when `parse_user_agent` itself returns a different result for the same text."""
PARSED_BY = ("ua-parser", "ua-parser-builtins", "is-crawler")

_TABLET = re.compile(
    r"""ipad | tablet | kindle | \bnook | /apad | (?<!cool)pad(?!fone|[mt]00) | (?<![a-z])tab(?!an|oo) | tab\b
    | \bSM-[TPX]\d{3} | -W\d\d\b | \bMID\d | \bTB-?\w?\d | \bTZ\d | \bKF[A-Z]{2,5}\b""",
    re.IGNORECASE | re.VERBOSE,
)
_PHONE = re.compile(
    r"""mobi | iphone | \bdv\(iph | midp | cldc | up\.browser | wap.?browser | maui | docomo | lumia | wpdesktop
    | \bSM-F\d{3} | micromessenger""",
    re.IGNORECASE | re.VERBOSE,
)

FIND = "SELECT text, number FROM user_agents WHERE text IN (SELECT unnest($texts::VARCHAR[]))"
INSERT = """
INSERT INTO user_agents (number, text, device)
SELECT nextval('user_agent_numbers'), unnest($texts::VARCHAR[]), 'unknown'
ON CONFLICT DO NOTHING
"""
NEW = "SELECT number, text FROM user_agents WHERE parser IS NULL ORDER BY number LIMIT $most"
IN_ORDER = """
SELECT number FROM user_agents WHERE number IN (SELECT unnest($numbers::INTEGER[])) ORDER BY number FOR UPDATE
"""
"""Locks the rows in order, so that two processes cannot deadlock."""
OUTDATED = """
SELECT number, text FROM user_agents
WHERE number > $after AND parser IS DISTINCT FROM $parser::VARCHAR ORDER BY number LIMIT $most
"""


class ParsedUserAgent(NamedTuple):
    """A parsed user agent; None for each part that the text does not contain. Versions have at most two numbers."""

    system: str | None
    system_version: str | None
    browser: str | None
    browser_version: str | None
    manufacturer: str | None
    device_model: str | None
    device: Device
    is_bot: bool


UPDATE = f"""
UPDATE user_agents SET parser = $parser, {", ".join(f"{name} = new.{name}" for name in ParsedUserAgent._fields)}
FROM (SELECT unnest($number::INTEGER[]) AS number, unnest($is_bot::BOOLEAN[]) AS is_bot,
    {", ".join(f"unnest(${name}::VARCHAR[]) AS {name}" for name in ParsedUserAgent._fields if name != "is_bot")}) new
WHERE user_agents.number = new.number
"""


def numbers_of(store: Store, texts: Iterable[str]) -> dict[str, int]:
    """Return the numbers of user agents, cut at 512 characters; new user agents are stored and parsed later."""
    known: dict[str, int] = store.own_memory.setdefault("user agents", {})
    wanted = {text[:LONGEST] for text in texts}
    found = {text: known[text] for text in wanted if text in known}
    if missing := sorted(wanted - found.keys()):
        with store.adding():
            found |= _looked_up(store, missing)
            if new := [text for text in missing if text not in found]:
                store.execute(INSERT, {"texts": new})
                found |= _looked_up(store, new)
                store.afterwards(lambda: _count_arrival(store))
            store.afterwards(lambda: _remember(known, found))
    return found


def _looked_up(store: Store, texts: list[str]) -> dict[str, int]:
    return {row["text"]: int(row["number"]) for row in store.rows(FIND, {"texts": texts})}


def _remember(known: dict[str, int], found: dict[str, int]) -> None:
    if len(known) > MOST_KNOWN:
        known.clear()
    known.update(found)


def forget_numbers(store: Store) -> None:
    """Clear the cache of numbers after user agents were deleted."""
    store.database.memory.pop("user agents", None)


def parse_new_user_agents(store: Store) -> None:
    """Parse all new user agents, unless this thread's transaction is read-only."""
    if store.database.thread.is_reading:
        return
    memory = store.own_memory
    arrived = memory.get(ARRIVALS, 0)  # before the query, so that later arrivals are parsed next time
    if memory.get(PARSED) == arrived and not store.is_in_transaction:
        return
    while found := store.rows(NEW, {"most": TOGETHER}):
        _parse_and_store(store, {int(row["number"]): row["text"] for row in found})
    if not store.is_in_transaction:  # a transaction may be rolled back
        memory[PARSED] = arrived


def _count_arrival(store: Store) -> None:
    memory = store.own_memory
    memory[ARRIVALS] = memory.get(ARRIVALS, 0) + 1


def reparse(store: Store) -> int:
    """Parse again the user agents that were parsed by another version of the parsers; return their number.

    The kind of each visit does not change, so that reported numbers stay the same.
    """
    store.check_writable()
    return sum(_parse_and_store(store, part) for part in _outdated(store))


def _outdated(store: Store) -> Iterator[dict[int, str]]:
    """Yield the texts of outdated user agents by number, in batches."""
    after = 0
    while found := store.rows(OUTDATED, {"after": after, "parser": parser(), "most": TOGETHER}):
        after = int(found[-1]["number"])
        yield {int(row["number"]): row["text"] for row in found}


def _parse_and_store(store: Store, texts: dict[int, str]) -> int:
    """Parse user agents and store the results; visits wait only while the results are stored."""
    parsed = [parse_user_agent(text) for text in texts.values()]
    columns = {
        name: list(column) for name, column in zip(ParsedUserAgent._fields, zip(*parsed, strict=True), strict=True)
    }
    with store.adding():
        if store.database.is_shared:
            store.rows(IN_ORDER, {"numbers": list(texts)})
        store.execute(UPDATE, {"number": list(texts), "parser": parser()} | columns)
    return len(texts)


@cache
def parser() -> str:
    """Return the names and versions of the parsers, which the store records with each user agent."""
    return ", ".join([f"rules {RULES}", *(f"{name} {version(name)}" for name in PARSED_BY)])


def parse_user_agent(text: str) -> ParsedUserAgent:
    """Parse the system, browser and device of a user agent, and detect bots."""
    import ua_parser  # its patterns take 25 MB, which a server needs only for questions and for rules on devices

    parsed = ua_parser.parse(text)
    system, browser, device = parsed.os, parsed.user_agent, parsed.device
    return ParsedUserAgent(
        system=system.family if system else None,
        system_version=_version(system.major, system.minor) if system else None,
        browser=browser.family if browser else None,
        browser_version=_version(browser.major, browser.minor) if browser else None,
        manufacturer=device.brand if device else None,
        device_model=device.model if device else None,
        device=_device(text, system.family if system else None),
        is_bot=names_bot(text),
    )


def names_bot(text: str) -> bool:
    """Return whether a user agent is a bot. Empty text is not a bot, because imported scans often lack a user agent."""
    return bool(text) and is_bot(text)


def _version(major: str | None, minor: str | None) -> str | None:
    return ".".join(part for part in (major, minor) if part) or None


def _device(text: str, system: str | None) -> Device:
    """Return the device type by what the text says, else by its system.

    Android without "Mobile" is a tablet, as Google's guidelines specify. Many tablets do say "Mobile"; only the name of
    the model tells these from phones.
    """
    if "Tablet PC" in text and "Windows" in text:  # a Windows component, also present on laptops
        return "computer"
    if _TABLET.search(text):
        return "tablet"
    if _PHONE.search(text) or system in ("iOS", "BlackBerry OS", "Symbian OS", "Windows Phone"):
        return "phone"
    if system == "Android" or "android" in text:  # the parser does not know user agents in lower case
        return "tablet" if "safari" in text.lower() else "phone"  # apps that shorten the text are mostly on phones
    if system in ("Windows", "Mac OS X", "Linux", "Ubuntu", "Debian", "Fedora", "FreeBSD", "Chrome OS"):
        return "computer"
    return "unknown"
