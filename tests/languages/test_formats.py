"""Numbers, dates and names of countries as each language writes them."""

import threading
from datetime import date

import pytest

from qrkit import languages
from qrkit.errors import InvalidParameter
from qrkit.languages import in_language, say
from qrkit.tracking.countries import country_name

MAY, JUNE = date(2026, 5, 28), date(2026, 6, 1)
WRITTEN = {
    "en": [
        "1,234.5", "12%", "0.3%", "a, b and c", "1 June 2026", "1 Jun", "Monday, 1 June 2026", "1\u201330 June 2026",
        "28 May \u2013 1 June 2026", "Jun 2026", "2026-06-01", "Monday", "Mon", "Germany",
    ],
    "de": [
        "1.234,5", "12\xa0%", "0,3\xa0%", "a, b und c", "1. Juni 2026", "1. Juni", "Montag, 1. Juni 2026",
        "1.\u201330. Juni 2026", "28. Mai \u2013 1. Juni 2026", "Juni 2026", "01.06.2026", "Montag", "Mo",
        "Deutschland",
    ],
    "fr": [
        "1\u202f234,5", "12\xa0%", "0,3\xa0%", "a, b et c", "1er juin 2026", "1er juin", "lundi 1er juin 2026",
        "1er\u201330 juin 2026", "28 mai \u2013 1er juin 2026", "juin 2026", "1er juin 2026", "lundi", "lun.",
        "Allemagne",
    ],
    "es": [
        "1.234,5", "12\xa0%", "0,3\xa0%", "a, b y c", "1 de junio de 2026", "1 jun", "lunes, 1 de junio de 2026",
        "1\u201330 de junio de 2026", "28 de mayo \u2013 1 de junio de 2026", "jun 2026", "1 jun 2026", "lunes", "lun",
        "Alemania",
    ],
    "nl": [
        "1.234,5", "12%", "0,3%", "a, b en c", "1 juni 2026", "1 jun", "maandag 1 juni 2026", "1\u201330 juni 2026",
        "28 mei \u2013 1 juni 2026", "jun 2026", "1 jun 2026", "maandag", "ma", "Duitsland",
    ],
}  # fmt: skip


@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_numbers_dates_and_countries_are_those_of_the_language(language):
    with in_language(language):
        assert [
            languages.number_text(1234.5, ",.1f"),
            languages.percent_text(12),
            languages.percent_text(0.3, 1),
            languages.list_text(["a", "b", "c"]),
            languages.long_date(JUNE, year=True),
            languages.short_date(JUNE),
            languages.full_date(JUNE),
            languages.period_text(JUNE, date(2026, 6, 30)),
            languages.period_text(MAY, JUNE),
            languages.month_and_year(JUNE),
            languages.plain_date(JUNE),
            languages.weekday_name(1),
            languages.short_weekday(1),
            country_name("de"),
        ] == WRITTEN[language]


@pytest.mark.parametrize(
    ("language", "count", "text"),
    [
        ("en", 0, "0 scans"), ("en", 1, "1 scan"), ("en", 2_000, "2,000 scans"),
        ("de", 0, "0 Scans"), ("de", 1, "1 Scan"), ("de", 2_000, "2.000 Scans"),
        ("fr", 0, "0 scan"), ("fr", 1, "1 scan"), ("fr", 2_000, "2\u202f000 scans"),
        ("es", 0, "0 escaneos"), ("es", 1, "1 escaneo"), ("es", 1_000_000, "1.000.000 escaneos"),
        ("nl", 1, "1 scan"), ("nl", 2, "2 scans"),
    ],
)  # fmt: skip
def test_a_number_gets_the_form_that_it_needs(language, count, text):
    with in_language(language):
        assert say(("{count} scan", "{count} scans"), count) == text


def test_the_language_is_that_of_the_context_alone():
    found = []
    with in_language("de"), in_language("fr"):
        other = threading.Thread(target=lambda: found.append(languages.current_language()))
        other.start()
        other.join()
        found.append(languages.current_language())
    assert found == ["en", "fr"]
    assert languages.current_language() == "en"


def test_a_text_without_a_translation_stays():
    with in_language("de"):
        assert say("Harbour Museum") == "Harbour Museum"
        assert country_name("XX") == "XX"


def test_an_unknown_language_is_refused_with_those_there_are():
    with pytest.raises(InvalidParameter, match=r"language.*must be one of en, de, fr, es, nl"), in_language("it"):
        pass
