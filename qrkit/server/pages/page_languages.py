"""Chooses the language of a page by `Accept-Language`, and says sentences, dates and waiting times in it.

The sentences are English in the code: `say("…")`. `words/` has a file for each further language, which maps them to its
own; a new sentence may stay English until a release. To add a language: its name in `LANGUAGES`, and its file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from importlib.resources import files

from qrkit.contents.cards import Moment
from qrkit.contents.events import zone_named
from qrkit.errors import extra
from qrkit.server.requests.parsing import accepted

with extra("server"):
    from babel import Locale, localedata
    from babel.dates import format_date, format_time, format_timedelta


LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "pl", "nl")

MINUTES_AT_MOST = 99
"""Longer waiting times are said in hours."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language of pages, with a tag such as `de` or `de-AT`, and its words by English sentence; none for English.

    The locale says how dates and times are written. Plain English gets the 24-hour clock, with the day first.
    """

    tag: str
    locale: Locale
    words: Mapping[str, str]

    def say(self, sentence: str, **values: object) -> str:
        """Return a sentence in this language, or in English if it has no such sentence."""
        translated = self.words.get(sentence, sentence)
        return translated.format(**values) if values else translated

    def moment(self, moment: Moment) -> str:
        """Return a day or a time of an event, such as "Sunday, 14 June 2026, 18:00 (Europe/Rome)"."""
        day = format_date(moment.local, "full", locale=self.locale)
        if not isinstance(moment.local, datetime):
            return day
        time = format_time(moment.local.time(), "short", locale=self.locale)
        zone = {"": "", "UTC": " UTC"}.get(moment.zone, f" ({moment.zone})")
        return f"{day}, {time}{zone}"

    def wait(self, seconds: int) -> str:
        """Return how long to wait, such as "in 2 minutes", rounded up to minutes or hours."""
        minutes, hours = -(-seconds // 60), -(-seconds // 3600)
        delta = timedelta(minutes=max(minutes, 1)) if minutes <= MINUTES_AT_MOST else timedelta(hours=hours)
        threshold = (MINUTES_AT_MOST + 1) / 60
        return format_timedelta(delta, "minute", threshold, add_direction=True, locale=self.locale)


def language_for(header: str) -> Language:
    """Return the language that an `Accept-Language` header prefers among those that pages have, else English."""
    for name in accepted(header):
        language, *subtags = name.split("-")
        if language in LANGUAGES:
            return _language(language, next((one.upper() for one in subtags if len(one) in (2, 3)), ""))
    return ENGLISH


@lru_cache(maxsize=256)
def _language(language: str, territory: str) -> Language:
    name = f"{language}_{territory}"
    if not localedata.exists(name):
        return Language(language, Locale.parse("en_150" if language == "en" else language), words_of(language))
    return Language(f"{language}-{territory}", Locale.parse(name), words_of(language))


@cache
def words_of(language: str) -> Mapping[str, str]:
    """Return the sentences of one of `LANGUAGES` by their English sentence; none for English itself."""
    if language == "en":
        return {}
    text = files("qrkit.server.pages").joinpath("words", f"{language}.toml").read_text(encoding="utf-8")
    return {str(sentence): str(own) for sentence, own in tomllib.loads(text).items()}


ENGLISH = _language("en", "")


def instant(moment: Moment) -> datetime | None:
    """Return a time in its time zone; None for a day, and for a time without a known time zone."""
    if not isinstance(moment.local, datetime) or not moment.zone:
        return None
    if moment.zone == "UTC":
        return moment.local.replace(tzinfo=UTC)
    zone = zone_named(moment.zone)
    return moment.local.replace(tzinfo=zone) if zone else None
