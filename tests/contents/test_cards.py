from datetime import date, datetime

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import ContactSheet, Design, contents, decode, generate, open_portfolio, report
from qrkit.contents.cards import MOST_ROWS, TITLES, Card, Moment, Row, Word, card, card_of_fields, summary
from qrkit.exchange.merge import ImportIssue, ImportResult
from qrkit.notebook.picture_columns import PictureTable
from qrkit.notebook.widgets import Designer, PortfolioBrowser

many = settings(max_examples=300)


def values(found):
    return {row.label: row.value for row in found.rows}


def vcard(*lines):
    return "\r\n".join(["BEGIN:VCARD", "VERSION:3.0", *lines, "END:VCARD"])


def event(*lines):
    return "\r\n".join(["BEGIN:VCALENDAR", "BEGIN:VEVENT", *lines, "END:VEVENT", "END:VCALENDAR"])


SHORT = [
    ("https://example.com/x", "link", "Web address", {"Address": "https://example.com/x"}),
    (" HTTP://example.com\n", "link", "Web address", {"Address": "HTTP://example.com"}),
    ("tel:+39040123", "phone", "Phone number", {"Number": "+39040123"}),
    ("TEL:+39%20040 123", "phone", "Phone number", {"Number": "+39 040 123"}),
    ("tel:1-800-FLOWERS", "phone", "Phone number", {"Number": "1-800-FLOWERS"}),
    ("mailto:a@example.com", "email", "E-mail", {"To": "a@example.com"}),
    (
        "MAILTO:a@example.com?body=One%0ATwo&Subject=A%26B+C&cc=b@example.com&x=y",
        "email",
        "E-mail",
        {"To": "a@example.com", "Cc": "b@example.com", "Subject": "A&B+C", "Text": "One\nTwo"},
    ),
    ("sms:+39040", "sms", "Message", {"Number": "+39040"}),
    ("sms:+39040?body=I%20come", "sms", "Message", {"Number": "+39040", "Text": "I come"}),
    ("sms:+39040&body=I%20come", "sms", "Message", {"Number": "+39040", "Text": "I come"}),
    ("SMSTO:+39040:At 8: come", "sms", "Message", {"Number": "+39040", "Text": "At 8: come"}),
    ("sms:+39040;?&body=I%20come", "sms", "Message", {"Number": "+39040", "Text": "I come"}),
    ("sms:+39040:I%20come", "sms", "Message", {"Number": "+39040", "Text": "I come"}),
    ("sms://+39040?body=A:b", "sms", "Message", {"Number": "+39040", "Text": "A:b"}),
    ("smsto:+39040?body=I%20come", "sms", "Message", {"Number": "+39040", "Text": "I come"}),
    ("SMSTO:+39040:10%25 off", "sms", "Message", {"Number": "+39040", "Text": "10%25 off"}),
    ("tel://+39040", "phone", "Phone number", {"Number": "+39040"}),
    ("geo:45.6497,13.7681", "location", "Place", {"Coordinates": "45.6497, 13.7681"}),
    ("geo:-45.6,13.7,120;u=35", "location", "Place", {"Coordinates": "-45.6, 13.7"}),
    ("geo:45.6,13.7?z=3&q=Piazza+Unit%C3%A0", "location", "Piazza Unità", {"Coordinates": "45.6, 13.7"}),
    ("geo:45.6,13.7;crs=wgs84;u=3", "location", "Place", {"Coordinates": "45.6, 13.7"}),
    ("geo:45.6,13.7?q=Inn;crs=moon", "location", "Inn;crs=moon", {"Coordinates": "45.6, 13.7"}),
    ("geo:0,0?q=Trieste", "location", "Trieste", {}),
    ("geo:0,0?q=45,6 Main Street", "location", "45,6 Main Street", {}),
    ("geo:0,0?q=45.6,13.7(Molo+Audace)", "location", "Molo Audace", {"Coordinates": "45.6, 13.7"}),
    ("geo:45.6,13.7?q=45.6,13.7(Molo%20Audace)", "location", "Molo Audace", {"Coordinates": "45.6, 13.7"}),
    ("otpauth://totp/Shop:ada%40example.com?secret=JBSWY3DP", "otp", "Shop:ada@example.com", {}),
    ("OTPAUTH-MIGRATION://?data=CjEK", "otp", "One-time password", {}),
    ("WIFI:T:WPA;S:net;P:secret;;", "wifi", "net", {"Password": "secret", "Security": "WPA"}),
    ("wifi:S:net;T:nopass;;", "wifi", "net", {"Security": "None, no password needed"}),
    (r"WIFI:S:\"a\\b\;c\,d\:e\";P:\;\;;;", "wifi", r'"a\b;c,d:e"', {"Password": ";;"}),
    ("WIFI:T:WPA;R:1;S:Foo%3Bnet;P:my%3Apass;;", "wifi", "Foo;net", {"Password": "my:pass", "Security": "WPA"}),
    ("WIFI:P: p ;S: my  net ;T:SAE;H:true", "wifi", " my  net ", None),
    ("WIFI:S:net;H:false;P:a:b", "wifi", "net", {"Password": "a:b"}),
    (
        "MECARD:N:Owen,Sean;ADR:76 9th Avenue, New York;TEL:12125551212;EMAIL:s@example.com;;",
        "contact",
        "Sean Owen",
        {"Phone": "12125551212", "E-mail": "s@example.com", "Address": "76 9th Avenue, New York"},
    ),
]
"""Content, kind, title, rows."""


@pytest.mark.parametrize(("content", "kind", "title", "rows"), SHORT, ids=[one[0][:20] for one in SHORT])
def test_a_content_is_a_kind_a_title_and_rows(content, kind, title, rows):
    found = card(content)
    assert (found.kind, found.title) == (kind, title)
    if rows is not None:
        assert values(found) == rows


@pytest.mark.parametrize(
    "content",
    [
        "", "hello", "a: b", "otpauth", "tel:", "tel:call me maybe", "mailto:", "sms:", "geo:here", "geo:45",
        "geo:4567,1", "geo:46.1,14.5;crs=nad83", "GEO:46.1,14.5,120;u=3;CRS=moon?q=Crater",
        "WIFI:", "WIFI:P:secret;;", "MECARD:;;", "BEGIN:VCARD", vcard("PHOTO:x"), "BEGIN:VCALENDAR",
        event("UID:1"), "BEGIN:X", "javascript:alert(1)", "ftp://example.com",
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_text(content):
    assert card(content) == Card("text", TITLES["text"])


def test_blanks_of_a_password_are_kept():
    assert card("WIFI:P: p ;S:net").rows == (Row("Password", " p "),)


def test_a_contact_is_read_as_it_is_shown():
    found = card(
        vcard(
            "N:Žnidaršič;Ana;Marija;dr.;",
            "FN:dr. Ana Žnidaršič",
            "NOTE:Slovene\\, Italian\\nMornings on",
            " ly",
            "TEL;TYPE=CELL:+386 40 1",
            'item1.TEL;VALUE=uri;TYPE="work,fax":tel:+386-5-1',
            "EMAIL;TYPE=INTERNET:ana@example.com",
            "ORG:Institut\\, d.o.o.;Lab",
            "TITLE:Head of research",
            "URL:https://example.com",
            "ADR;TYPE=HOME:;;Fornače 41;Piran;;6330;Slovenia",
            "PHOTO;ENCODING=b:AAAA",
        )
    )
    assert (found.kind, found.title) == ("contact", "dr. Ana Žnidaršič")
    assert found.rows == (
        Row("Position", "Head of research"),
        Row("Organization", "Institut, d.o.o., Lab"),
        Row("Phone", "+386 40 1", ("mobile",), "tel:+386401"),
        Row("Phone", "+386-5-1", ("work", "fax"), "tel:+38651"),
        Row("E-mail", "ana@example.com", (), "mailto:ana@example.com"),
        Row("Web", "https://example.com", (), "https://example.com"),
        Row(
            "Address",
            "Fornače 41, Piran, 6330, Slovenia",
            ("home",),
            "geo:0,0?q=Forna%C4%8De%2041%2C%20Piran%2C%206330%2C%20Slovenia",
        ),
        Row("Note", "Slovene, Italian\nMornings only"),
    )


def test_a_contact_of_version_2_1_is_read_too():
    text = (
        "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C5=BDnidar=\n=C5=A1i=C4=8D;Ana;;;\n"
        "NOTE;QUOTED-PRINTABLE:Se=F1or=0AAurora\nTEL;CELL;VOICE:+386\nEND:VCARD"
    )
    phone = Row("Phone", "+386", ("mobile",), "tel:+386")
    assert card(text) == Card("contact", "Ana Žnidaršič", (phone, Row("Note", "Señor\nAurora")))


def test_a_contact_without_a_name_is_called_what_it_is():
    assert card(vcard("TEL:+386")) == Card("contact", "Contact", (Row("Phone", "+386", (), "tel:+386"),))


def test_a_line_that_is_none_is_left_out():
    assert card(vcard('TEL;TYPE="CELL:+1', "no line", "TEL:+22")).rows == (Row("Phone", "+22", (), "tel:+22"),)


@pytest.mark.parametrize(
    ("start", "end", "rows"),
    [
        ("DTSTART:20260614T180000Z", "", {"Begins": Moment(datetime(2026, 6, 14, 18), "UTC")}),
        (
            "DTSTART;TZID=Europe/Rome:20260614T180000",
            "DTEND:20260614T200000",
            {
                "Begins": Moment(datetime(2026, 6, 14, 18), "Europe/Rome"),
                "Ends": Moment(datetime(2026, 6, 14, 20)),
            },
        ),
        (
            "DTSTART;VALUE=DATE:20260614",
            "DTEND;VALUE=DATE:20260615",
            {"Begins": Moment(date(2026, 6, 14))},
        ),
        (
            "DTSTART;VALUE=DATE:20260614",
            "DTEND;VALUE=DATE:20260617",
            {"Begins": Moment(date(2026, 6, 14)), "Ends": Moment(date(2026, 6, 16))},
        ),
        (
            "DTSTART:20260614T1230",
            "DTEND:20260614T1405Z",
            {
                "Begins": Moment(datetime(2026, 6, 14, 12, 30)),
                "Ends": Moment(datetime(2026, 6, 14, 14, 5), "UTC"),
            },
        ),
        ("DTSTART:soon", "DTEND;VALUE=DATE:00010101", {"Begins": "soon", "Ends": "00010101"}),
    ],
)
def test_moments_of_an_event_are_read(start, end, rows):
    assert values(card(event("SUMMARY:Opening", start, end))) == rows


@pytest.mark.parametrize(
    ("rule", "rows"),
    [
        ("FREQ=WEEKLY", ["Every week"]),
        ("FREQ=YEARLY;INTERVAL=1;UNTIL=20300614T160000Z", ["Every year", Moment(date(2030, 6, 14))]),
        ("FREQ=WEEKLY;BYDAY=MO,WE", ["More than once"]),
        ("FREQ=DAILY;COUNT=3", ["More than once"]),
    ],
)
def test_an_event_says_that_it_repeats(rule, rows):
    found = card(event("SUMMARY:Market", f"RRULE:{rule}")).rows
    assert [row.value for row in found] == rows
    assert [row.label for row in found] == ["Repeats", "Until"][: len(rows)]


def test_first_of_repeated_lines_of_an_event_counts():
    text = event("SUMMARY:Opening", "DTSTART;VALUE=DATE:20260614", "SUMMARY:Closing", "DTSTART;VALUE=DATE:20260620")
    found, read = card(text), contents.read(text)
    assert found.title == read.fields["title"] == "Opening"
    assert values(found) == {"Begins": Moment(read.fields["start"])}


@pytest.mark.parametrize(("day", "told"), [("FR", "Every week"), ("SA", "More than once")])
def test_a_rule_that_names_the_weekday_of_the_start_is_every_week(day, told):
    found = card(event("SUMMARY:Club", "DTSTART:20260612T220000", f"RRULE:FREQ=WEEKLY;BYDAY={day}"))
    assert values(found)["Repeats"] == told


def test_last_day_of_an_event_is_one_where_it_takes_place():
    west = contents.event("X", "2026-12-01 18:00", time_zone="America/New_York", repeat="weekly", until="2026-12-24")
    assert values(card(west))["Until"] == Moment(date(2026, 12, 24))
    unknown = west.replace("TZID=America/New_York", "TZID=Somewhere")
    assert values(card(unknown))["Until"] == Moment(date(2026, 12, 25))
    assert contents.read(unknown).fields["until"] == date(2026, 12, 25)


def test_a_birthday_without_a_year_that_is_known_is_left_out():
    assert values(card("BEGIN:VCARD\nFN:Ana\nBDAY;X-APPLE-OMIT-YEAR=1604:1604-06-14\nEND:VCARD")) == {}


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("BEGIN:VCARD\nFN:Ana\nBDAY:1984-06-14\nEND:VCARD", Moment(date(1984, 6, 14))),
        ("MECARD:N:Ana;BDAY:19840614;;", Moment(date(1984, 6, 14))),
        ("BEGIN:VCARD\nFN:Ana\nBDAY:--0614\nEND:VCARD", "--0614"),
    ],
)
def test_the_birthday_of_a_contact_is_shown(content, value):
    assert card(content).rows == (Row("Birthday", value),)


def test_an_event_is_not_its_time_zone_nor_its_alarm():
    text = (
        "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nBEGIN:STANDARD\nDTSTART:16011028T030000\nEND:STANDARD\nEND:VTIMEZONE\n"
        "BEGIN:VEVENT\nSUMMARY:Opening\\, with\n  wine\nLOCATION:Trieste\nDESCRIPTION:Music\n"
        "BEGIN:VALARM\nDESCRIPTION:Reminder\nEND:VALARM\nEND:VEVENT\nEND:VCALENDAR"
    )
    where = Row("Where", "Trieste", (), "geo:0,0?q=Trieste")
    assert card(text) == Card("event", "Opening, with wine", (where, Row("About", "Music")))
    assert card("BEGIN:VEVENT\nSUMMARY:Short\nEND:VEVENT") == Card("event", "Short")


@pytest.mark.parametrize(
    ("line", "link"),
    [
        ("TEL:+44 (0)20 7946-0018", "tel:+442079460018"),
        ("TEL:(020) 7946.0018", "tel:02079460018"),
        ("TEL:112", "tel:112"),
        ("TEL:*21*0900123#", ""),
        ("TEL:+39;ext=javascript:1", ""),
        ("TEL:call me", ""),
        ("TEL:()-", ""),
        ("EMAIL:ana@example.com?bcc=eve@example.com", ""),
        ("EMAIL:ana", ""),
        ("URL:www.example.com/a", "https://www.example.com/a"),
        ("URL:javascript:alert(1)", "javascript:alert(1)"),
        ("URL:somewhere", ""),
        ("GEO:45.6;13.7", "geo:45.6,13.7"),
        ("GEO:geo:45.6,13.7", "geo:45.6,13.7"),
        ("ADR:;;A & B #3;;;;", "geo:0,0?q=A%20%26%20B%20%233"),
    ],
)
def test_a_row_of_a_contact_says_what_it_could_open(line, link):
    """Pages open nothing but web addresses and the schemes they know: `link_behind` judges these links."""
    (row,) = card(vcard(line)).rows
    assert row.link == link


def test_coordinates_of_another_system_are_no_row():
    where = "GEO:geo:46.1,14.5;crs=nad83"
    assert card(vcard(where)).rows == card(event(where)).rows == ()


def test_an_event_takes_place_on_a_map_or_on_the_web():
    found = card(event("LOCATION:https://meet.example.com/x", "GEO:45.6;13.7", "URL:https://example.com"))
    assert [(row.label, row.link) for row in found.rows] == [
        ("Where", "https://meet.example.com/x"),
        ("Coordinates", "geo:45.6,13.7"),
        ("Web", "https://example.com"),
    ]


APPLE, GOOGLE = "https://apps.apple.com/app/id1", "https://play.google.com/store/apps/details?id=a"


def test_addresses_of_stores_are_an_app():
    other = "https://example.com/app"
    found = card(f"{APPLE}\r\n{GOOGLE}\n{other}\n")
    rows = (Row("App Store", APPLE, (), APPLE), Row("Google Play", GOOGLE, (), GOOGLE), Row("Web", other, (), other))
    assert found == Card("app", "App", rows)


@pytest.mark.parametrize("content", [APPLE, f"{APPLE}\nand more", f"{APPLE} javascript:1", "https://a.b\nhttps://c.d"])
def test_other_addresses_are_no_app(content):
    assert card(content).kind == "link"


def test_any_kind_is_described_by_its_fields():
    found = card_of_fields(contents.wifi("Cafe", "espresso", hidden=True))
    assert found.rows == (Row("Network name", "Cafe"), Row("Password", "espresso"), Row("Hidden network", Word("Yes")))
    assert (found.kind, found.title) == ("wifi", "Wi-Fi network")
    assert card_of_fields(contents.read("hello")) == Card("text", "")
    product = contents.gs1_elements({"01": "09506000134352", "10": "ABC"})
    assert values(card_of_fields(product)) == {"Elements": "(01) 09506000134352\n(10) ABC"}


def test_the_addresses_of_a_bill_are_written_as_on_a_letter():
    ana = contents.PostalAddress(
        name="Ana Petek", street="Seeweg", number="1", postcode="9490", town="Vaduz", country="LI"
    )
    max = {"name": "Max Muster", "postcode": "8000", "town": "Zürich"}
    bill = contents.swiss_bill(max, "CH5800791123000889012", "12.30", debtor=ana)
    rows = values(card(bill))
    assert (rows["Creditor"], rows["Debtor"]) == ("Max Muster, 8000 Zürich", "Ana Petek, Seeweg 1, 9490 Vaduz, LI")


def test_a_name_too_long_for_a_title_is_in_the_rows():
    found = card(f"WIFI:S:{'x' * 200};;")
    assert len(found.title) == 120
    assert found.rows == (Row("Name", "x" * 200),)


def test_rows_are_bounded():
    assert len(card(vcard("FN:Ana", *["TEL:1"] * 1000)).rows) == MOST_ROWS


BEGINNINGS = [
    "", "http:", "tel:", "mailto:", "sms:", "smsto:", "geo:", "WIFI:S:", "MECARD:N:", "BEGIN:VCARD\n",
    "BEGIN:VCARD\nTEL;QUOTED-PRINTABLE", "BEGIN:VEVENT\nDTSTART:", "BEGIN:VEVENT\nDTEND;VALUE=DATE:", "geo:1,",
    "BEGIN:VCARD\nTEL:", "BEGIN:VCARD\nEMAIL:", "BEGIN:VCARD\nADR:", "https://apps.apple.com/1 ", "otpauth:",
]  # fmt: skip


@many
@given(
    st.sampled_from(BEGINNINGS),
    st.one_of(st.text(), st.text(':;,?&=%\\"\r\n \t+-.0123456789TZFNSPH', max_size=60), st.from_regex("[0-9]{8}.*")),
)
def test_any_text_is_a_card_with_something_to_read(beginning, text):
    found = card(beginning + text)
    assert found.kind in TITLES
    assert found.title.strip()
    assert len(found.rows) <= MOST_ROWS
    assert all(row.label and (isinstance(row.value, Moment) or row.value.strip()) for row in found.rows)


@pytest.mark.parametrize("piece", ["\\", ";", "=\n", '"a', ":", "\n ", "a-", "TEL:1\n", "%4", "?&", "1", ",", "BEGIN:"])
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_hostile_text_takes_no_longer_than_any_other(beginning, piece):
    """Quadratic work would take minutes here, and stop the run."""
    assert card(beginning + piece * 100_000).title


SUMMARIES = [
    ("https://example.com/x", "https://example.com/x"),
    ("a: b", "a: b"),
    ("", ""),
    ("WIFI:T:WPA;S:Cafe Nero;P:espresso;;", "Wi-Fi: Cafe Nero (WPA, password hidden)"),
    (" wifi:P:espresso;S:Cafe;T:sae;;", "Wi-Fi: Cafe (WPA3, password hidden)"),
    ("WIFI:S:open;T:nopass;;", "Wi-Fi: open"),
    ("WIFI:P:espresso", "Wi-Fi (password hidden)"),
    ("\ufeffWIFI:T:WPA;S:Cafe;P:espresso;;", "Wi-Fi: Cafe (WPA, password hidden)"),
    ("\xa0\u200bWIFI:T:WPA;S:Cafe;P:espresso;;", "Wi-Fi: Cafe (WPA, password hidden)"),
    ('"WIFI:T:WPA;S:Cafe;P:espresso;;"', "Wi-Fi: Cafe (WPA, password hidden)"),
    *((f"{mark}WIFI:T:WPA;S:Cafe;P:espresso;;", "Wi-Fi: Cafe (WPA, password hidden)")
      for mark in "\u2060\u200e\u202a\xad\u3000\u201c\u2018\u201e\xab`<"),
    ("\u2060\u201cotpauth://totp/Shop?secret=JBSWY3DP", "One-time password: Shop (secret hidden)"),
    ("WIFI:", "Wi-Fi"),
    (vcard("FN:Ada Lovelace", "TEL:+39040"), "Contact: Ada Lovelace"),
    (vcard("TEL:+39040"), "Contact"),
    ("BEGIN:VCARD VERSION:3.0 N:Lovelace;Ada FN:Ada Lovelace TEL;TYPE=CELL:+390", "Contact: Ada Lovelace"),
    ("MECARD:N:Owen,Sean;TEL:1;;", "Contact: Sean Owen"),
    (event("SUMMARY:Night of the Harbour", "LOCATION:Pier 4"), "Event: Night of the Harbour"),
    ("BEGIN:VCALENDAR BEGIN:VEVENT SUMMARY:Night DTSTART:20260614T180000Z", "Event: Night"),
    ("BEGIN the day", "BEGIN the day"),
    *((word, word) for word in ("Wifi", "MECARD", "otpauth")),
    ("BEGIN:something", "BEGIN:something"),
    ("otpauth://totp/Shop:ada%40example.com?secret=JBSWY3DP&issuer=Shop",
     "One-time password: Shop:ada@example.com (secret hidden)"),
    ("otpauth-migration://offline?data=CjEKCkhlbGxv", "One-time password: offline (secret hidden)"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "line"), SUMMARIES, ids=[one[0][:20] for one in SUMMARIES])
def test_a_line_names_a_content_and_keeps_its_secrets(content, line):
    assert summary(content) == line
    assert summary(line) == line


@many
@given(
    st.sampled_from(["WIFI:T:WPA;S:Cafe;P:{};;", "wifi:P:{};S:Cafe;T:WPA;;", "otpauth://totp/Cafe?secret={}"]),
    st.text("0123456789", min_size=8, max_size=63),
    st.integers(8, 100),
)
def test_no_secret_is_in_a_line_however_a_name_was_cut(form, secret, length):
    assert not any(letter.isdigit() for letter in summary(form.format(secret)[:length]))


@many
@given(st.text())
def test_a_line_of_any_content_can_be_said(text):
    for begin in ("", "WIFI:", "MECARD:", "BEGIN:VCARD\n", "BEGIN:VEVENT ", "otpauth:"):
        assert isinstance(summary(begin + text), str)


WIFI = "WIFI:T:WPA;S:Cafe Nero;P:espresso;;"
LINE = "Wi-Fi: Cafe Nero (WPA, password hidden)"


@pytest.fixture(params=[True, False], ids=["tracked", "static"])
def shop(request):
    """Codes that nobody gave a name: theirs are made of their contents."""
    with open_portfolio(":memory:", base_url="https://go.example.com") as made:
        made.insert_qrcode(WIFI, short_code="cafe", is_dynamic=request.param)
        made.insert_qrcode(vcard("FN:Ada Lovelace"), short_code="ada", is_dynamic=request.param)
        if request.param:
            days = pd.date_range("2026-05-01", periods=30, tz="UTC")
            made.scans.insert(pd.DataFrame({"short_code": ["cafe", "ada"] * 15, "time": days}))
        yield made


def test_a_report_shows_no_password_and_calls_a_contact_by_its_name(shop):
    made = report.portfolio(shop)
    texts = [made.html, *made.words, str(made.unscanned)]
    assert not [text for text in texts if "espresso" in text or "BEGIN:VCARD" in text]
    assert LINE in made.html
    assert "Contact: Ada Lovelace" in made.html


def test_lists_in_notebooks_and_widgets_show_no_password(shop):
    browser = PortfolioBrowser(shop, name="cards")
    rows = browser.state["rows"]
    browser.close()
    assert {row["name"] for row in rows} == {row["content"] for row in rows} == {LINE, "Contact: Ada Lovelace"}
    shown = [shop, *shop.list_qrcodes(), ImportResult(0, (ImportIssue(2, "", WIFI, WIFI, "invalid", "why"),))]
    pages = [one._repr_mimebundle_()["text/html"] for one in shown]
    assert not [page for page in pages if "espresso" in page or "BEGIN:VCARD" in page]
    assert all(page.count(LINE) >= 2 for page in (pages[0], pages[-1]))


def test_alternative_texts_have_no_password_and_pictures_have_it():
    image = generate(WIFI)
    frame = pd.DataFrame({"picture": [image]})
    studio = Designer(WIFI, name="cards")
    bundle = studio._repr_mimebundle_()
    studio.close()
    said = [
        repr(image),
        image.to_bytes("svg"),
        image.to_bytes("html"),
        image.to_bytes("xaml"),
        PictureTable(frame).to_html(),
    ]
    said += [generate(WIFI, padding=20, modules={"type": "dots"}).to_bytes("svg"), ContactSheet({"a": image}).to_svg()]
    said += [
        Design(content=WIFI)._repr_mimebundle_()["text/html"],
        image.check("static")._repr_mimebundle_()["text/html"],
    ]
    said.append(bundle[0].get("text/html", "") if isinstance(bundle, tuple) else bundle.get("text/html", ""))
    assert not [text for text in map(str, said) if "espresso" in text]
    assert LINE in str(said[1])
    assert decode(image.to_bytes("png")).content == WIFI


def test_data_stays_whole(shop):
    assert "espresso" in shop.export_bytes("json").decode()
    assert WIFI in shop.qrcodes()["content"].tolist()
    assert shop.list_qrcodes()[0].content == shop.list_qrcodes()[0].name == WIFI
