"""Which user agents are bots."""

from __future__ import annotations

import re

__all__ = ["is_bot"]

_NO_BOT = re.compile(r"cubot", re.IGNORECASE)
"""A maker of phones, whose name looks like that of a bot."""
_PHONE = re.compile(
    r"""^(?: (?:BlackBerry|Nokia|SonyEricsson)\w+ | (?:LGE?|SAMSUNG|SEC|MOT|SIE|ZTE|KDDI|HTC|HUAWEI|ALCATEL)[-_]\w[\w-]*
    | DoCoMo/\d\.\d\ \w+ ) [/([ ]
    | \bprofile/MIDP- | \bconfiguration/CLDC- | \bMIDP-\d | \bUP\.(?:Browser|Link)/""",
    re.IGNORECASE | re.VERBOSE,
)
"""A phone whose browser names the device, or its Java or WAP, and neither Mozilla nor any other browser of today."""
_PROGRAM = re.compile(r"externalhit|whatsapp|curl|\bjava/\d|http", re.IGNORECASE)
"""Programs that is-crawler knows only by what they leave out."""


def is_bot(user_agent: str) -> bool:
    """Whether a user agent names a program that visits by itself. A known phone that names no program is none."""
    from is_crawler import is_crawler

    text = _NO_BOT.sub("", user_agent)
    if not is_crawler(text) or not _PHONE.search(text):
        return bool(is_crawler(text))
    # That it names no browser of today is held against it, and nothing else may be.
    return _PROGRAM.search(text) is not None or bool(is_crawler(f"Mozilla/5.0 {text}"))
