"""Extracts the data that is recorded about the visitor of a short URL, and nothing else."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from threading import Lock

from qrkit.store.recording.salts_and_quotas import Salts
from qrkit.tracking.bots import is_bot
from qrkit.tracking.records import Kind

PURPOSE_HEADERS = ("sec-purpose", "purpose", "x-purpose", "x-moz")
_AHEAD = re.compile(r"prefetch|preview|prerender", re.IGNORECASE)
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}(?![A-Za-z0-9])")
DOCUMENT = ("", "document", "empty", "iframe")
AT_ONCE_SECONDS = 2


def kind_of(method: str, headers: Mapping[str, str]) -> Kind:
    """Classify a visit to a live code: a person's scan, a HEAD request, a prefetch, or a bot."""
    if method == "HEAD":
        return "head"
    for name in PURPOSE_HEADERS:
        if _AHEAD.search(headers.get(name, "")):
            return "prefetch"
    if headers.get("sec-fetch-dest", "") not in DOCUMENT or headers.get("sec-fetch-mode") == "no-cors":
        return "prefetch"
    return "bot" if is_bot(headers.get("user-agent", "")) else "scan"


def first_language(accepted: str) -> str | None:
    """Return the first language of an `Accept-Language` header."""
    match = _LANGUAGE.match(accepted.strip())
    return match[0] if match else None


class Visitors:
    """Keys of visitors. A key is valid for one UTC day; addresses are not stored, and yesterday's salt is deleted.

    The first visit after midnight starts the new day. A request from just before midnight that is handled after that
    visit gets a key of the new day. The salt of a day, given by its ordinal, is asked for with each key.
    """

    def __init__(self, salt_of: Callable[[int], bytes] | None = None) -> None:
        self._salt_of = salt_of or Salts().of
        self._day = 0
        self._seen: dict[tuple[str, int], datetime] = {}
        self._lock = Lock()

    def key(self, address: str, user_agent: str, moment: datetime) -> int:
        """Return the visitor's key on the day of this moment: 64 bits."""
        day = moment.toordinal()
        with self._lock:
            # A date that is one day earlier only means that the thread was delayed. Any other date means a new day or
            # a corrected clock, and needs a new salt.
            if day not in (self._day, self._day - 1):
                self._day = day
                self._seen.clear()
            salt = self._salt_of(self._day)
        text = f"{address}\0{user_agent}".encode("utf-8", "surrogateescape")
        return int.from_bytes(hashlib.blake2b(text, digest_size=8, key=salt).digest(), "big")

    def is_repeat(self, short_code: str, visitor: int, moment: datetime) -> bool:
        """Whether the visitor requested this code less than 2 seconds ago; some readers send two requests per scan."""
        with self._lock:
            last = self._seen.get((short_code, visitor))
            if last is not None and abs((moment - last).total_seconds()) < AT_ONCE_SECONDS:
                return True
            if len(self._seen) > 10_000:
                self._seen.clear()
            self._seen[short_code, visitor] = moment
            return False

    def forget(self, short_code: str, visitor: int) -> None:
        """Forget a visit that was not stored, so that a second attempt counts."""
        with self._lock:
            self._seen.pop((short_code, visitor), None)
