"""Detect bots by their user agent."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["is_bot"]

_NO_BOT = re.compile(r"cubot", re.IGNORECASE)
"""A phone manufacturer whose name looks like the name of a bot."""
_PHONE = re.compile(
    r"""^(?: (?:BlackBerry|Nokia|SonyEricsson)\w+ | (?:LGE?|SAMSUNG|SEC|MOT|SIE|ZTE|KDDI|HTC|HUAWEI|ALCATEL)[-_]\w[\w-]*
    | DoCoMo/\d\.\d\ \w+ ) [/([ ]
    | \bprofile/MIDP- | \bconfiguration/CLDC- | \bMIDP-\d | \bUP\.(?:Browser|Link)/""",
    re.IGNORECASE | re.VERBOSE,
)
"""A phone whose user agent names the device, Java or WAP, but neither Mozilla nor a current browser."""
_PROGRAM = re.compile(r"externalhit|whatsapp|curl|\bjava/\d|http", re.IGNORECASE)
"""Programs that is-crawler detects only because their user agent lacks the name of a browser."""


@lru_cache(maxsize=4_096)
def is_bot(user_agent: str) -> bool:
    """Return whether a user agent is a bot. A known phone that does not name a program is not a bot."""
    from is_crawler import is_crawler

    text = _NO_BOT.sub("", user_agent)
    if not is_crawler(text) or not _PHONE.search(text):
        return bool(is_crawler(text))
    # Add the missing browser name; if is-crawler still detects a bot, the reason is another part of the text.
    return _PROGRAM.search(text) is not None or bool(is_crawler(f"Mozilla/5.0 {text}"))
