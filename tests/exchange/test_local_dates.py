"""Dates, counts and flags as spreadsheets of other languages save them; an unreadable one costs no printed code."""

import json
from datetime import UTC, datetime

import pandas as pd
import pytest

from qrkit.exchange.local_dates import LocalDates
from qrkit.portfolio.opening import portfolio_in

GO = "https://go.example.com"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LAST_DAY = datetime(2025, 12, 31, 14, 30, tzinfo=UTC)


@pytest.fixture
def shop(new_store):
    return portfolio_in(new_store, base_url=GO, clock=lambda: NOW)


@pytest.mark.parametrize(
    "text",
    [
        "31.12.2025 14:30", "31.12.2025 14:30:00", "31. 12. 2025 14:30", "12/31/2025 2:30 PM",
        "12/31/2025, 2:30:00 p.m.",
        "31/12/2025 14:30", "31-12-2025 14:30", "12-31-2025 14:30", "2025/12/31 14:30", "2025. 12. 31. 14:30",
        "Dec 31, 2025 2:30 PM", "Dec. 31, 2025 14:30", "December 31, 2025, 14:30",
        "31 Dec 2025 14:30", "31-Dec-2025 14:30:00", "31-Dec-25 14:30", "20251231 14:30", "31. Dezember 2025 14:30",
        "Mittwoch, 31. Dez. 2025 14:30", "31 décembre 2025 14:30", "31 déc. 2025 14:30", "31 dic 2025 14:30",
        "31 de dezembro de 2025 14:30", "Wed Dec 31 2025 15:30:00 GMT+0100 (Central European Standard Time)",
        "Wed, 31 Dec 2025 14:30:00 GMT", "12/31/2025\u202f2:30\u202fPM", "1767191400",
        "2025-12-31 14:30:00 UTC", "2025-12-31 15:30:00 +0100", "31.12.2025 09:30 -05:00", "12/31/2025 2:30 PM +00:00",
        "1767191400000", "1767191400.25",
        "31 Dec, 2025 14:30", "December 31st, 2025 at 2:30 PM", "31st December 2025 14:30", "31.12.2025 um 14:30 Uhr",
        "31.12.2025 14.30 Uhr", "31 décembre 2025 à 14h30", "31 grudnia 2025 14:30", "2025年12月31日 14:30",
        "2025년 12월 31일 14:30", "Wed 31 Dec, 2025 14:30",
    ],
)  # fmt: skip
def test_dates_of_all_languages_are_read(text):
    assert LocalDates(lambda: [text]).read(text) == LAST_DAY


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "31.12.25", "31.13.2025", "32.1.2025", "02/30/2025", "1/2/2025 25:00", "1/1/2025 13:00 PM", "12",
     "45656", "31 Foo 2025", "3/4/2025", "31.12/2025", "2025-13-31", "Marble 3, 2025", "03 Juneau 2020", "1 jui 2025",
     "1 de 2025", "31-Dec-69", "31-Dec-99"],
)  # fmt: skip
def test_what_is_no_date_or_unclear_is_not_read(text):
    assert LocalDates(lambda: [text]).read(text) is None


@pytest.mark.parametrize(
    ("texts", "month"),
    [
        (["3/4/2025", "31/1/2025"], 4),
        (["3/4/2025", "1/31/2025"], 3),
        (["3/4/2025", "1/31/2025", "31/1/2025"], None),
        (["3/4/2025", "31.1.2025"], None),
        (["4/4/2025"], 4),
    ],
)
def test_other_dates_of_the_file_tell_day_from_month(texts, month):
    found = LocalDates(lambda: texts).read(texts[0])
    assert (found and found.month) == month


@pytest.mark.parametrize(
    ("texts", "day"),
    [
        (["5/3/25", "5/13/25"], "2025-05-03"), (["3/5/25 14:30", "13/5/25"], "2025-05-03"),
        (["5-3-25", "13-5-25"], "2025-03-05"), (["3.5.25"], "2025-05-03"), (["01.05.25", "13.05.25"], "2025-05-01"),
        (["25/12/31", "25/11/03"], None), (["25.12.31", "25.11.03"], None), (["03/05/25", "13/05/25"], None),
        (["5/3/25"], None), (["3.5.69"], None), (["25/12/31", "3/13/2025"], None),
    ],
)  # fmt: skip
def test_years_of_two_digits_are_read_if_they_are_clearly_last(texts, day):
    """Excel for Mac writes 5/13/25 in the USA; each row with such an end was left out."""
    found = LocalDates(lambda: texts).read(texts[0])
    assert (found and f"{found:%Y-%m-%d}") == day


@pytest.mark.parametrize("date", ["31.12.26", "25/12/31", "3/4/2025"])
@pytest.mark.parametrize("column", ["Created (UTC)", "Valid Until (UTC)"])
def test_a_date_that_is_not_clear_is_told_why(shop, date, column):
    result = shop.import_file(f"Content,{column}\nhttps://e.org,{date}\nhttps://e.org/b,{date}\n".encode())
    assert all(f"{date!r}: may be read in several ways" in issue.detail for issue in result.issues)
    assert len(result.issues) == 2


def test_a_date_that_there_is_not_is_not_called_unclear(shop):
    (issue,) = shop.import_file(b"Content,Created (UTC)\nhttps://e.org,31.13.2025\n").issues
    assert "must be a date and time" in issue.detail


GERMAN = (
    "Ort;QR Code Name;Content;Trackable URL;Created (UTC);Scans;Latitude;Dynamic;Active;Valid Until (UTC);Limit\r\n"
    "x;Tür;https://example.com/a;https://a.test/a;31.12.2025 14:30;1.234;46,05;WAHR;FALSCH;01.02.2027;2.000\r\n"
)


@pytest.mark.rule("X4")
def test_a_file_that_excel_saved_in_german_comes_in_whole(shop):
    result = shop.import_file(GERMAN.encode("cp1252"), format="csv")
    assert {issue.reason for issue in result.issues} == {"encoding-guessed", "own-column"}
    (code,) = shop.list_qrcodes()
    assert (code.created, code.scans, code.limit, code.short_code) == (LAST_DAY, 1234, 2000, "a")
    assert (code.active, code.valid_until) == (False, datetime(2027, 2, 1, tzinfo=UTC))
    assert (code.is_dynamic, code.location.latitude) == (True, 46.05)


@pytest.mark.parametrize(
    "count",
    ["1,234", "1.234", "1 234", "1\u00a0234", "1\u202f234", "1'234", "1\u2019234", "1,234.00", "1.234,0", "1234.0"],
)
def test_thousands_of_a_count_may_be_separated(shop, count):
    shop.import_file(json.dumps([{"content": "https://e.org", "scans": count}]).encode(), format="json")
    assert [code.scans for code in shop.list_qrcodes()] == [1234]


@pytest.mark.rule("X4")
@pytest.mark.parametrize("count", ["many", "-3", "1.2E+03", "1.5", "0.123", "#REF!"])
def test_a_code_whose_count_cannot_be_read_comes_in_without_it(shop, count):
    """Open: a count that cannot be read. The printed code matters more, so its row comes in."""
    result = shop.import_file(f"Content,Trackable URL,Scans\nhttps://e.org,a,{count}\n".encode())
    (issue,) = result.issues
    assert (result.created, issue.reason, result.is_complete) == (1, "count-unreadable", False)
    assert f"Scans={count!r}: must be" in issue.detail
    assert [(code.short_code, code.scans) for code in shop.list_qrcodes()] == [("a", 0)]


@pytest.mark.rule("X4")
@pytest.mark.parametrize(("count", "text"), [(1.234, "1.234"), (0.5, "0.5")])
@pytest.mark.parametrize("format", ["json", "frame"])
def test_a_real_number_with_a_fraction_is_no_count(shop, count, text, format):
    codes = [{"content": "https://e.org", "scans": count}, {"content": "https://e.org/b", "scans": 1234.0}]
    if format == "json":
        result = shop.import_file(json.dumps(codes).encode(), format="json")
    else:
        result = shop.import_frame(pd.DataFrame(codes))
    (issue,) = result.issues
    assert (issue.reason, f"'{text}': must be a whole number" in issue.detail) == ("count-unreadable", True)
    assert sorted(code.scans for code in shop.list_qrcodes()) == [0, 1234]


@pytest.mark.rule("X4")
@pytest.mark.parametrize(
    ("column", "date"),
    [("Created (UTC)", "01.01.0001 00:00:00 +0200"), ("Created (UTC)", "31.12.9999 23:59:59 -0200")],
)
def test_a_date_that_no_year_in_utc_holds_costs_no_row(shop, column, date):
    result = shop.import_file(f"Content,{column}\nhttps://e.org,{date}\nhttps://e.org/b,\n".encode())
    (issue,) = result.issues
    assert (result.created, issue.reason, date in issue.detail) == (2, "date-unreadable", True)


def test_of_a_code_without_date_and_count_both_are_told(shop):
    result = shop.import_file(b"Content,Created (UTC),Scans\nhttps://e.org,3/4/2025,many\n")
    assert [issue.reason for issue in result.issues] == ["date-unreadable", "count-unreadable"]
    assert result.created == 1


@pytest.mark.parametrize(
    ("word", "is_active"),
    [("WAHR", True), ("VRAI", True), ("VERDADERO", True), ("WAAR", True), ("Ja", True), ("oui", True),
     ("FALSCH", False), ("FAUX", False), ("FALSO", False), ("ONWAAR", False), ("Nein", False), ("nee", False)],
)  # fmt: skip
def test_words_for_true_and_false_are_read_in_some_languages(shop, word, is_active):
    assert shop.import_file(f"Content,Active\nhttps://e.org,{word}\n".encode()).issues == ()
    assert [code.active for code in shop.list_qrcodes()] == [is_active]


@pytest.mark.rule("T16")
def test_visits_have_dates_of_all_languages_too(shop):
    shop.insert_qrcode("https://e.org", short_code="a")
    shop.import_scans(b"short_code;date;clicks\na;31.12.2025;1.002\na;01.01.2026;1\n")
    days = shop.scans.to_frame()["time"].dt.strftime("%Y-%m-%d %H").value_counts()
    assert dict(days) == {"2025-12-31 12": 1002, "2026-01-01 12": 1}


@pytest.mark.rule("T16")
@pytest.mark.parametrize(
    ("time", "hour"), [("31.12.2025 14.30", "2025-12-31 14"), ("31.12.2025 00:00", "2025-12-31 00")]
)
def test_a_count_with_an_hour_stays_in_it(shop, time, hour):
    shop.insert_qrcode("https://e.org", short_code="a")
    shop.import_scans(f"short_code;date;clicks\na;{time};2\n".encode())
    assert set(shop.scans.to_frame()["time"].dt.strftime("%Y-%m-%d %H")) == {hour}


@pytest.mark.parametrize(
    ("text", "month"), [("5. Jänner 2025", 1), ("1er mai 2025", 5), ("5 sty 2025", 1), ("2 maja 2025", 5)]
)
def test_days_and_months_of_more_countries_are_read(text, month):
    assert LocalDates(lambda: [text]).read(text).month == month
