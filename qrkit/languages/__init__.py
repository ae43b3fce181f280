"""Says sentences, numbers and dates in the language of a report or a chart.

The sentences are English in the code. This folder has a catalog for each further language, which maps them to its own:
`de.toml` for German. English needs no catalog. Numbers and dates follow Unicode's CLDR, which Babel knows.

`in_language` chooses the language for what runs inside it, in this thread or task only; outside, it is English.
"""

from __future__ import annotations

from qrkit.languages.choosing import LANGUAGES, LanguageTag, check_language, current_language, in_language
from qrkit.languages.dates import (
    full_date,
    long_date,
    month_and_year,
    month_name,
    period_text,
    plain_date,
    short_date,
    short_month,
    short_months,
    short_weekday,
    weekday_name,
)
from qrkit.languages.numbers import country, list_text, number_text, percent_text, signed_text
from qrkit.languages.sentences import Sentence, say, translated

__all__ = [
    "LANGUAGES", "LanguageTag", "Sentence", "check_language", "country", "current_language", "full_date", "in_language",
    "list_text", "long_date", "month_and_year", "month_name", "number_text", "percent_text", "period_text",
    "plain_date", "say", "short_date", "short_month", "short_months", "short_weekday", "signed_text", "translated",
    "weekday_name",
]  # fmt: skip
