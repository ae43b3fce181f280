"""Which language a page is in, and what is said in it."""

import re
import string
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit.contents.cards import TITLES, Moment, field_labels
from qrkit.contents.kinds import MODULES, kind_named
from qrkit.server.pages.page_languages import LANGUAGES, instant, language_for, words_of

TRANSLATED = LANGUAGES[1:]
SENTENCES = set().union(*map(words_of, TRANSLATED))
"""Every sentence that is translated into any language."""
SAME = {
    "de": {"App", "Text", "Name", "Web", "Cc", "Bcc"},
    "fr": {"E-mail", "Message", "Contact", "Note", "mobile", "fax", "Cc"},
    "es": {"fax", "No", "Error {status}"},
    "it": {"E-mail", "App", "Password", "Cc", "fax", "No"},
    "pt": {"E-mail", "Cc", "fax"},
    "pl": {"E-mail"},
    "nl": {"E-mail", "Contact", "App", "Cc", "Bcc", "fax"},
}
"""Sentences that a language has in common with English."""


@pytest.mark.parametrize(
    ("accepted", "tag"),
    [
        ("", "en"),
        ("de", "de"),
        ("DE-at", "de-AT"),
        ("de-DE,de;q=0.9,en;q=0.8", "de-DE"),
        ("pt-BR", "pt-BR"),
        ("es-419", "es-419"),
        ("fr-Latn-CH", "fr-CH"),
        ("de-XX", "de"),
        ("sl, hr;q=0.9, it;q=0.5, en;q=0.4", "it"),
        ("en;q=0.5, nl;q=0.6", "nl"),
        ("pl;q=0.7,fr;q=0.7", "pl"),
        ("pl ; Q=0.7 , fr", "fr"),
        ("de;q=0, fr;q=0.1", "fr"),
        ("de;q=0.000, fr;q=0", "en"),
        ("*", "en"),
        ("sl, *;q=0.5", "en"),
        ("sl, *;q=0.1, de;q=0.5", "de"),
        ("ja", "en"),
        ("de_DE", "en"),
        ("de;q=2", "en"),
        ("de;q=", "en"),
        ("de;level=1", "de"),
        (";;,,=", "en"),
        ("de\x00", "en"),
        ("deutsch", "en"),
        ("," * 100 + "de", "en"),
    ],
)
def test_language_is_the_one_that_the_visitor_likes_best(accepted, tag):
    assert language_for(accepted).tag == tag


@given(st.one_of(st.text(), st.text("denfr-;q=01.*, ")))
def test_any_header_gets_a_language(accepted):
    language = language_for(accepted)
    assert language.tag.split("-")[0] in LANGUAGES
    assert language.say("Save")


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_keep_values_and_ends_of_sentences(language):
    words = words_of(language)
    assert {sentence for sentence, own in words.items() if sentence == own} == SAME[language]
    for sentence, own in words.items():
        assert own.strip() == own and own
        assert placeholders(own) == placeholders(sentence)
        assert own.endswith((".", ":")) == sentence.endswith((".", ":"))


def placeholders(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize(
    ("start", "sentence"), [("Copy", "Copy name"), ("Copy", "Copy password"), ("Copy", "Copy user name")]
)
def test_name_of_a_button_contains_the_word_on_it(start, sentence):
    """People who speak to their phone say what they see (WCAG 2.2, 2.5.3)."""
    for language in LANGUAGES:
        say = language_for(language).say
        assert say(start).lower() in say(sentence).lower()


def test_no_catalog_has_a_sentence_the_code_lacks():
    sources = ["contents/cards.py", "server/pages/landing.py", "server/pages/landing.html.jinja"]
    code = "\n".join(files("qrkit").joinpath(name).read_text(encoding="utf-8") for name in sources)
    assert [one for one in SENTENCES if f'"{one}"' not in code and one not in labels_of_kinds()] == []


def labels_of_kinds():
    """The words of kinds whose pages are made from their fields."""
    kinds = [kind_named(name) for name in MODULES if name not in TITLES]
    return {label for kind in kinds if kind.behind == "page" for label in (kind.title, *field_labels(kind).values())}


@pytest.mark.release
@pytest.mark.parametrize("language", TRANSLATED)
def test_every_sentence_is_translated_when_released(language):
    assert (SENTENCES | labels_of_kinds()) - set(words_of(language)) == set()


DAY, TIME = date(2026, 6, 14), datetime(2026, 6, 14, 18)
MOMENTS = [
    ("en", "Sunday, 14 June 2026", "Sunday, 14 June 2026, 18:00"),
    ("en-US", "Sunday, June 14, 2026", "Sunday, June 14, 2026, 6:00\u202fPM"),
    ("en-GB", "Sunday, 14 June 2026", "Sunday, 14 June 2026, 18:00"),
    ("de", "Sonntag, 14. Juni 2026", "Sonntag, 14. Juni 2026, 18:00"),
    ("fr", "dimanche 14 juin 2026", "dimanche 14 juin 2026, 18:00"),
    ("es", "domingo, 14 de junio de 2026", "domingo, 14 de junio de 2026, 18:00"),
    ("it", "domenica 14 giugno 2026", "domenica 14 giugno 2026, 18:00"),
    ("pt", "domingo, 14 de junho de 2026", "domingo, 14 de junho de 2026, 18:00"),
    ("pl", "niedziela, 14 czerwca 2026", "niedziela, 14 czerwca 2026, 18:00"),
    ("nl", "zondag 14 juni 2026", "zondag 14 juni 2026, 18:00"),
]


@pytest.mark.parametrize(("accepted", "day", "time"), MOMENTS, ids=[one[0] for one in MOMENTS])
def test_days_and_times_are_written_as_people_there_write_them(accepted, day, time):
    language = language_for(accepted)
    assert language.moment(Moment(DAY)) == day
    assert language.moment(Moment(TIME)) == time
    assert language.moment(Moment(TIME, "UTC")) == f"{time} UTC"
    assert language.moment(Moment(TIME, "Europe/Rome")) == f"{time} (Europe/Rome)"


@pytest.mark.parametrize(
    ("accepted", "seconds", "words"),
    [
        ("en", 0, "in 1 minute"),
        ("en", 60, "in 1 minute"),
        ("en", 61, "in 2 minutes"),
        ("en", 99 * 60, "in 99 minutes"),
        ("en", 99 * 60 + 1, "in 2 hours"),
        ("en", 80_000, "in 23 hours"),
        ("de", 61, "in 2 Minuten"),
        ("fr", 61, "dans 2 minutes"),
        ("es", 61, "dentro de 2 minutos"),
        ("it", 61, "tra 2 minuti"),
        ("pt", 61, "em 2 minutos"),
        ("pl", 60, "za 1 minutę"),
        ("pl", 61, "za 2 minuty"),
        ("pl", 300, "za 5 minut"),
        ("nl", 80_000, "over 23 uur"),
    ],
)
def test_waiting_times_are_rounded_up(accepted, seconds, words):
    assert language_for(accepted).wait(seconds) == words


@pytest.mark.parametrize(
    ("moment", "hour"),
    [
        (Moment(TIME, "UTC"), 18),
        (Moment(TIME, "Europe/Rome"), 16),
        (Moment(TIME, "W. Europe Standard Time"), 16),
        (Moment(TIME, "America/New_York"), 22),
        (Moment(TIME), None),
        (Moment(DAY, "UTC"), None),
        (Moment(TIME, "Mars/Olympus"), None),
        (Moment(TIME, "../../etc/passwd"), None),
        (Moment(TIME, "Europe"), None),
    ],
)
def test_a_time_is_an_instant_where_its_time_zone_is_known(moment, hour):
    found = instant(moment)
    assert (found and found.astimezone(UTC)) == (hour and datetime(2026, 6, 14, hour, tzinfo=UTC))


@given(st.datetimes(), st.sampled_from(["UTC", "Europe/Rome", "Pacific/Apia"]), st.sampled_from(LANGUAGES))
def test_any_time_can_be_said(time, zone, language):
    moment = Moment(time, zone)
    found = instant(moment)
    assert abs(found.utcoffset()) < timedelta(days=1)
    assert re.search("[+-][0-9:.]+$", found.isoformat())
    assert language_for(language).moment(moment)
