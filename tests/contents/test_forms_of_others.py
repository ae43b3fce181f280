"""Contents as other programs write them: old phones, other versions of formats, payments of other countries."""

from datetime import UTC, date, datetime

import pytest

from qrkit import contents, open_portfolio
from qrkit.contents.cards import card, summary
from qrkit.contents.contacts import vcard_of
from qrkit.contents.gs1_paths import gs1_path_in
from qrkit.contents.payments.pix_codes import tagged, with_checksum
from qrkit.contents.reading import title_if_read_from_code
from qrkit.errors import InvalidParameter


def vcard(*lines, version="3.0"):
    return "\r\n".join(["BEGIN:VCARD", f"VERSION:{version}", *lines, "END:VCARD"])


def event(*lines):
    return "\r\n".join(["BEGIN:VCALENDAR", "BEGIN:VEVENT", "SUMMARY:x", *lines, "END:VEVENT", "END:VCALENDAR"])


def emv(*values):
    return with_checksum("".join(tagged(number, value) for number, value in values))


CARDS = [
    (
        r"BIZCARD:N:Sean;X:Ow\;en;T:Engineer;C:Google;A:76 9th Avenue, New York;B:+12;M:+34;F:+56;E:s@example.com;;",
        {
            "name": "Sean Ow;en",
            "title": "Engineer",
            "organization": "Google",
            "street": "76 9th Avenue, New York",
            "work_phone": ("+12",),
            "mobile": ("+34",),
            "fax": ("+56",),
            "email": ("s@example.com",),
        },
    ),
    ("bizcard:c:Google;b:12;;", {"name": "Google", "organization": "Google", "work_phone": ("12",)}),
    ("MECARD:N:;ORG:Acme;TEL:12;;", {"name": "Acme", "organization": "Acme", "phone": ("12",), "format": "mecard"}),
    (
        "MECARD:N:Doe,John;TEL:tel:+12;EMAIL:mailto:a@example.com;TITLE:Boss;;",
        {"name": "John Doe", "phone": ("+12",), "email": ("a@example.com",), "format": "mecard"},
    ),
    (
        "MECARD:N:山田,太郎;ADR:,,1-1,Chiyoda,Tokyo,100-0001,JP;;",
        {
            "name": "太郎 山田",
            "street": "1-1",
            "city": "Chiyoda",
            "region": "Tokyo",
            "postcode": "100-0001",
            "country": "JP",
            "format": "mecard",
        },
    ),
    (
        vcard("N:Doe;John,Jack;Quinlan,Paul;;Jr."),
        {"name": "John Jack Quinlan Paul Doe Jr.", "given_name": "John Jack", "family_name": "Doe"},
    ),
    (vcard("FN:A", "BDAY:19531015T231000Z"), {"name": "A", "birthday": date(1953, 10, 15)}),
    (vcard("FN:A", "BDAY:1996-04-15T00:00:00Z"), {"name": "A", "birthday": date(1996, 4, 15)}),
    (vcard("FN:A", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-17"), {"name": "A"}),  # no year
    ("\ufeff" + vcard("FN:A"), {"name": "A"}),
    (
        vcard(
            "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=BCrgen=",
            " M=C3=BCller",
            "ADR;ENCODING=QUOTED-PRINTABLE:;;Hauptstr. 1=0D=0A2. Stock;Berlin;;10115;DE",
            version="2.1",
        ),
        {
            "name": "Jürgen Müller",
            "street": "Hauptstr. 1, 2. Stock",
            "city": "Berlin",
            "postcode": "10115",
            "country": "DE",
        },
    ),
]


@pytest.mark.parametrize(("text", "fields"), CARDS, ids=[text[:30] for text, _ in CARDS])
def test_contacts_of_others_are_read(text, fields):
    found = contents.read(text)
    assert (found.kind, found.fields) == ("contact", fields)


@pytest.mark.parametrize(
    ("text", "title", "rows"),
    [
        (r"MECARD:N:Doe\, Jr.,John;TEL:tel:12;;", "John Doe, Jr.", [("Phone", "12", "tel:12")]),
        (
            "MECARD:N:Doe,John;ADR:,,1-1,Chiyoda,,,JP;;",
            "John Doe",
            [("Address", "1-1, Chiyoda, JP", "geo:0,0?q=1-1%2C%20Chiyoda%2C%20JP")],
        ),
        ("BIZCARD:N:John;X:Doe;B:12;F:34;;", "John Doe", [("Phone", "12", "tel:12"), ("Phone", "34", "tel:34")]),
        (
            vcard("ORG:Acme GmbH;Sales", "TEL:12"),
            "Acme GmbH",
            [("Organization", "Acme GmbH, Sales", ""), ("Phone", "12", "tel:12")],
        ),
        (
            vcard("FN:A", "TEL;VALUE=uri:tel:+1-555-0100;ext=12"),
            "A",
            [("Phone", "+1-555-0100;ext=12", "tel:+15550100;ext=12")],
        ),
    ],
)
def test_a_page_shows_contacts_of_others(text, title, rows):
    found = card(text)
    assert (found.kind, found.title) == ("contact", title)
    assert [(row.label, row.value, row.link) for row in found.rows] == rows
    assert summary(text) == f"Contact: {title}"


def test_a_business_card_is_saved_as_a_vcard():
    lines = vcard_of("BIZCARD:N:Sean;X:Owen;M:+12;;").split("\r\n")
    assert {"N:Owen;Sean;;;", "FN:Sean Owen", "TEL;TYPE=CELL:+12"} <= set(lines)
    changed = contents.read("BIZCARD:N:Sean;X:Owen;M:+1234;;").replace(title="Boss")
    assert (changed.fields["title"], changed.fields["mobile"], changed.notes) == ("Boss", ("+1234",), ())


@pytest.mark.parametrize(
    ("text", "change", "note"),
    [
        ("BIZCARD:N:Sean;X:Owen;Z:more;;", {"title": "Boss"}, "cannot keep Z:more"),
        ("MEBKM:TITLE:Menu;URL:https://example.com;;", {"url": "https://example.org"}, "cannot keep TITLE:Menu"),
    ],
)
def test_a_note_says_what_a_change_of_an_old_form_loses(text, change, note):
    assert [str(one) for one in contents.read(text).replace(**change).notes if "smaller" not in str(one)] == [note]


MESSAGES = [
    ("MMSTO:+12:Sub:text", "sms", {"number": "+12", "text": "Sub:text"}),
    ("mms:+12?body=hi%20there", "sms", {"number": "+12", "text": "hi there"}),
    (
        "mailto:a@b.example?subject=Hi&amp;body=Hello",
        "email",
        {"to": ("a@b.example",), "subject": "Hi", "body": "Hello"},
    ),
    ("sms:/open?addresses=+12,+34&body=Hi", "sms", {"number": "+12,+34", "text": "Hi"}),
    ("sms:+12?body=caf%E9", "sms", {"number": "+12", "text": "café"}),
    ("sms:+12;body=I%20come", "sms", {"number": "+12", "text": "I come"}),
    (
        "SMTP:a@example.com:Hi:Time: 10:30",
        "email",
        {"to": ("a@example.com",), "subject": "Hi", "body": "Time: 10:30"},
    ),
    ("URL:https://example.com/a", "link", {"url": "https://example.com/a"}),
    ("geo:48.2,16.3?q=48.2,16.3", "location", {"latitude": 48.2, "longitude": 16.3}),
    ("geo:0,0?q=48.2,%2016.3", "location", {"latitude": 48.2, "longitude": 16.3}),
    (
        "mailto:a@example.com?subject=caf%E9&body=%80",
        "email",
        {"to": ("a@example.com",), "subject": "café", "body": "\x80"},
    ),
    (
        "mailto:a@example.com;b@example.com?cc=c@example.com;d@example.com",
        "email",
        {"to": ("a@example.com", "b@example.com"), "cc": ("c@example.com", "d@example.com")},
    ),
    ("mailto://a@example.com", "email", {"to": ("a@example.com",)}),
    (
        r"MATMSG:TO:a@example.com;TO:b@example.com;SUB:x\;y;BODY:One\nTwo;;",
        "email",
        {"to": ("a@example.com", "b@example.com"), "subject": "x;y", "body": "One\nTwo"},
    ),
    (r"MEBKM:TITLE:x;URL:https\://example.com/a\;b;;", "link", {"url": "https://example.com/a;b"}),
    ("uri:https://example.com/a", "link", {"url": "https://example.com/a"}),
    ("mebkm:url:HTTPS://EXAMPLE.COM;title:x;;", "link", {"url": "HTTPS://EXAMPLE.COM"}),
    ("URLTO:x:https://example.com/?utm_source=a", "link", {"url": "https://example.com/", "utm_source": "a"}),
    ("MEBKM:TITLE:x;URL:call me;;", "text", {"text": "MEBKM:TITLE:x;URL:call me;;"}),
    ("geo:37.786971, -122.399677", "location", {"latitude": 37.786971, "longitude": -122.399677}),
    ("geo:48.2,16.3,183;crs=wgs84;u=40", "location", {"latitude": 48.2, "longitude": 16.3}),
    ("geo:323482,4306480;crs=EPSG:32618;u=20", "text", {"text": "geo:323482,4306480;crs=EPSG:32618;u=20"}),
    ("geo:48.2,16.3;crs=moon", "text", {"text": "geo:48.2,16.3;crs=moon"}),
    (
        "WIFI:T:WPA2-EAP;S:corp;E:ttls;PH2:pap;I:ana;P:x;;",
        "wifi",
        {
            "ssid": "corp",
            "security": "enterprise",
            "method": "TTLS",
            "inner_method": "PAP",
            "user_name": "ana",
            "password": "x",
        },
    ),
]


@pytest.mark.parametrize(("text", "kind", "fields"), MESSAGES, ids=[one[0][:40] for one in MESSAGES])
def test_messages_links_and_places_of_others_are_read(text, kind, fields):
    found = contents.read(text)
    assert (found.kind, found.fields) == (kind, fields)


@pytest.mark.parametrize(
    ("written", "shown", "line"),
    [
        ("WPA2-PSK", "WPA", "Wi-Fi: Nero (WPA, password hidden)"),
        ("WPA/WPA2", "WPA", "Wi-Fi: Nero (WPA, password hidden)"),
        ("WPA3", "WPA3", "Wi-Fi: Nero (WPA3, password hidden)"),
        ("None", "None, no password needed", "Wi-Fi: Nero (password hidden)"),
        ("802.1X", "802.1X", "Wi-Fi: Nero (password hidden)"),
    ],
)
def test_the_security_of_a_network_has_its_usual_name(written, shown, line):
    text = f"WIFI:T:{written};S:Nero;P:12345678;;"
    assert [row.value for row in card(text).rows if row.label == "Security"] == [shown]
    assert summary(text) == line


def test_a_place_whose_search_is_its_point_has_no_name():
    found = card("geo:48.2,16.3?q=48.2,16.3")
    assert (found.title, [row.value for row in found.rows]) == ("Place", ["48.2, 16.3"])


# Events ---------------------------------------------------------------------------------------------------------------


def test_a_day_that_ends_as_it_starts_is_one_day():
    text = event("DTSTART;VALUE=DATE:20261224", "DTEND;VALUE=DATE:20261224")
    assert contents.read(text).fields["end"] == date(2026, 12, 24)
    assert [row.label for row in card(text).rows] == ["Begins"]


@pytest.mark.parametrize(
    ("rule", "fields"),
    [
        ("FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=24", {"repeat": "yearly"}),
        ("FREQ=MONTHLY;BYMONTHDAY=24;COUNT=3", {"repeat": "monthly", "count": 3}),
        ("FREQ=WEEKLY;WKST=SU;INTERVAL=2;BYDAY=TU", {"repeat": "weekly", "every": 2, "weekdays": ("TU",)}),
        ("FREQ=WEEKLY;INTERVAL=2;WKST=SU;COUNT=9", {"repeat": "weekly", "every": 2, "count": 9}),
        ("FREQ=WEEKLY;WKST=SU;INTERVAL=2;BYDAY=SU,TU", {}),
        ("FREQ=YEARLY;BYMONTHDAY=24", {}),
        ("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24", {}),
        ("FREQ=MONTHLY;BYMONTHDAY=25", {}),
        ("FREQ=MONTHLY;BYMONTH=11;BYMONTHDAY=24", {}),
    ],
)
def test_a_rule_that_repeats_the_day_of_the_start_is_read(rule, fields):
    found = contents.read(event("DTSTART;VALUE=DATE:20261124", f"RRULE:{rule}"))
    assert {name: found.fields[name] for name in found.fields if name not in ("title", "start")} == fields


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-12-24T10:00:00Z", datetime(2026, 12, 24, 10, tzinfo=UTC)),
        ("2026-12-24T10:00:00.000Z", datetime(2026, 12, 24, 10, tzinfo=UTC)),
        ("20261224T100000+0100", datetime(2026, 12, 24, 9, tzinfo=UTC)),
        ("20261224t100000z", datetime(2026, 12, 24, 10, tzinfo=UTC)),
        ("20261231T235960Z", datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("2026-12-24T10:00", datetime(2026, 12, 24, 10)),
        ("2026-12-24", date(2026, 12, 24)),
    ],
)
def test_times_of_an_event_may_be_written_as_iso_8601_has_them(written, moment):
    text = event(f"DTSTART:{written}")
    assert contents.read(text).fields["start"] == moment
    (row,) = card(text).rows
    assert row.value.local == (moment.replace(tzinfo=None) if isinstance(moment, datetime) else moment)


@pytest.mark.parametrize("written", ["20261224T240000", "20261324", "2026-12-24T10:00+99:00", "00010101T000000+0100"])
def test_invalid_times_are_shown_as_written(written):
    text = event(f"DTSTART:{written}")
    assert contents.read(text).kind == "text"
    assert [row.value for row in card(text).rows] == [written]


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ('"W. Europe Standard Time"', "Europe/Berlin"),
        ("/freeassociation.sourceforge.net/Europe/Berlin", "Europe/Berlin"),
        ("Custom", "Custom"),
    ],
)
def test_a_page_names_time_zones_as_people_know_them(name, zone):
    (row,) = card(event(f"DTSTART;TZID={name}:20261124T100000")).rows
    assert row.value.zone == zone


# Payments -------------------------------------------------------------------------------------------------------------

OLD_BILL = "\n".join(
    [
        "SPC",
        "0200",
        "1",
        "CH5800791123000889012",
        "K",
        "Robert Schneider AG",
        "Rue du Lac 1268",
        "2501 Biel",
        "",
        "",
        "CH",
        *[""] * 7,
        "199.95",
        "CHF",
        "K",
        "Pia Rutschmann",
        "",
        "9400 Rorschach SG",
        "",
        "",
        "CH",
        "SCOR",
        "RF18539007547034",
        "",
        "EPD",
    ]
)


def test_a_swiss_bill_with_addresses_in_two_lines_is_read_and_written_anew():
    found = contents.read(OLD_BILL)
    assert found.kind == "swiss_bill"
    assert str(found.fields["creditor"]) == "Robert Schneider AG, Rue du Lac 1268, 2501 Biel"
    assert (found.fields["debtor"].postcode, found.fields["debtor"].town) == ("9400", "Rorschach SG")
    lines = found.replace(amount="200").splitlines()
    assert lines[4:11] == ["S", "Robert Schneider AG", "Rue du Lac 1268", "", "2501", "Biel", "CH"]


SEGWIT = "BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ"


@pytest.mark.parametrize("text", [f"BITCOIN:{SEGWIT}?AMOUNT=0.5&LABEL=X", f"bitcoin://{SEGWIT}?amount=0.5&Label=X"])
def test_a_bitcoin_payment_in_capitals_keeps_its_amount(text):
    found = contents.read(text)
    assert (found.kind, f"{found.fields['amount']:f}", found.fields["label"]) == ("bitcoin", "0.50000000", "X")
    assert contents.read(f"BITCOIN:{SEGWIT}?REQ-X=1").kind == "text"


@pytest.mark.parametrize(
    "text", ["0109506000134352\x1d10ABC", "0109506000134352\x1d", "010950600013435217271231\x1d10ABC\x1d21X\x1d"]
)
def test_a_needless_separator_of_gs1_is_read(text):
    assert contents.read(text).kind == "gs1_elements"
    assert contents.read(text.replace("\x1d", "\x1d\x1d")).kind == "text"


DYNAMIC_PIX = emv(
    ("00", "01"),
    ("01", "12"),
    ("26", tagged("00", "br.gov.bcb.pix") + tagged("25", "pix.example.com/8b3d")),
    ("52", "0000"),
    ("53", "986"),
    ("54", "123.45"),
    ("58", "BR"),
    ("59", "Fulano de Tal"),
    ("60", "BRASILIA"),
    ("62", tagged("05", "***")),
)
PAYNOW = emv(
    ("00", "01"),
    ("01", "12"),
    ("26", tagged("00", "SG.PAYNOW") + tagged("01", "2") + tagged("02", "201403121W")),
    ("52", "0000"),
    ("53", "702"),
    ("54", "10.5"),
    ("58", "SG"),
    ("59", "ACME"),
    ("60", "Singapore"),
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (DYNAMIC_PIX, "Pix payment to Fulano de Tal, 123.45 BRL (key hidden)"),
        (PAYNOW, "Payment to ACME, 10.5 SGD (details hidden)"),
        (PAYNOW[:90], "Payment (details hidden)"),
        ("SPD*1.0*ACC:CZ5855000000001265098001*AM:480.50*CC:CZK", "Payment (details hidden)"),
        ("ST00012|Name=X|PersonalAcc=40702810138250123017", "Payment (details hidden)"),
        ("K:PR|V:01|C:1|R:845000000040484987|N:X|I:RSD3596,13", "Payment (details hidden)"),
        ("ethereum:0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359?value=1", "Payment (details hidden)"),
        ("monero:46BeWrHpwXmHDpDEUmZBWZfoQpdc6HaERCNmx1pEYL2r", "Payment (details hidden)"),
        ("Ton: off", "Ton: off"),
        ("LPA:1$SMDP.GSMA.COM$04386-AGYFT-A74Y8-3F815", "Mobile plan (eSIM), details hidden"),
        ("LPA: our lakes", "LPA: our lakes"),
        ("BC1234567890234", "BC1234567890234"),
        ("TB1240056789023", "TB1240056789023"),
        ("00" + "a1" * 63, "00" + "a1" * 63),
    ],
)
def test_lists_hide_accounts_and_codes(text, line):
    assert summary(text) == line


APP_CODES = [
    ("SID*1.0*ID:2001401154*DD:20140404*AM:61189.00*CC:CZK*ACC:CZ9701000000007098760287", "payment"),
    ("HRVHUB30\nHRK\n000000000012355\nZELJKO\nSAVSKA\n10000\nUDD\nX\nZ\nHR1210010051863000160", "payment"),
    ("1234567890|PL|61109010140000071219812874|001050|Odbiorca|Tytul|||", "payment"),
    ("C0701234567;100;Hej;0", "payment"),
    ("00" + "04I0000MK0D8DEQ6RCF5VI3A4U6IFLOH38" * 3, "payment"),
    ("wxp://f2f0abc", "payment"),
    ("lnbc2500u1" + "qpzry9x8gf2tvdw0s3jn54khce6mua7l" * 3, "payment"),
    ("bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "payment"),
    ("0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359", "payment"),
    ("apple-otpauth://totp/x?secret=JBSWY3DPEHPK3PXP", "one-time password"),
    ("1$smdp.example.com$ABC-123", "mobile plan (eSIM)"),
    ("LPA:1$$04386-AGYFT-A74Y8", "mobile plan (eSIM)"),
    ("lpa:1$smdp.io:443$AA", "mobile plan (eSIM)"),
    ("LPA:1$rsp_1.io$K2-SECRET", "mobile plan (eSIM)"),
    ("Z:0123456789ABCDEF$I:ABCDEF", "smart home device"),
    ("90" + "01346" * 11, "smart home device"),
    ('{"ver":"v1","name":"PROV_123","pop":"abcd1234","transport":"ble"}', "smart home device"),
    ('{"android.app.extra.PROVISIONING_WIFI_PASSWORD":"geheim"}', "phone setup"),
    ("[Interface]\nAddress = 10.0.0.2/32\nPrivateKey = abc\n\n[Peer]\nPublicKey = x", "VPN access"),
    ("# home\n# of Ana\n\n[Interface]\nPrivateKey = abc", "VPN access"),
    ("ss://YWVzLTI1Ni1nY206cGFzcw@x.example:8388#n", "VPN access"),
    ("HC1:" + "6BF+70790T9WJWG.FKY*4GO0.O1CV2 O5 N2F" * 3, "health certificate"),
    ("shc:/5676290995095060351129", "health certificate"),
    ("M1DOE/JOHN            EABC123 VIEFRALH 1234 123Y012A0012 100", "boarding pass"),
    ("V0;ABC;Kassenbeleg-V1;Beleg^75.33_7.99_0.00_0.00_0.00^10.00:Bar;18;112", "receipt"),
    ("_R1-AT0_DEMO-CASH-BOX817_83468_2015-11-25T19:20:10_0,00", "receipt"),
    ("A:123456789*B:999999990*C:PT*D:FS*E:N*F:20260101*G:FS 1/1", "receipt"),
    ("AQxCb2JzIFJlY29yZHMCDzMxMDEyMjM5MzUwMDAwMwMUMjAyMi0wNC0yNVQxNTozMDowMFoEBzEwMDAuMDAFBjE1MC4wMA==", "receipt"),
    ("AQdCb2JzIFJlAg8zMTAxMjIzOTM1MDAwMDMDFDIwMjItMDQtMjVUMTU6MzA6MDBaBAcxMDAwLjAwBQYxNTAuMDA=", "receipt"),
    ("AB112233441020523999900000090000000a80000000012345678ydXZt4LAN1UHN/j1juVcRA==:**********:3:3:1:", "receipt"),
    ("**:\u53e3\u7f69:1:210:\u725b\u5976:1:25", "receipt"),
    ("t=20200924T1837&s=349.93&fn=9282440300682838&i=46534&fp=1273019065&n=1", "receipt"),
    ("eyJhbGciOiJSUzI1NiJ9.eyJkYXRhIjoie1wiU2VsbGVyR3N0aW5cIjpcIjM3QVJ.c2ln", "receipt"),
    ("O-7DBCDA8A56EE426DBCDA8A56EE426D1A", "receipt"),
    ("223175087923687075112234402528973166755123456781508151013321", "receipt"),
    ("35160461099008000141599000009410002051105450|20160404152105|12.34|12345678909|sgn", "receipt"),
    ("20100070970|01|F001|123|18.00|118.00|2020-01-01|6|20100070971|", "receipt"),
    ("01,10,044031900111,12345678,100.00,20200101,12345678901234567890,ABCD,", "receipt"),
    ("openid4vp://?client_id=x&request_uri=https%3A%2F%2Fx.example", "wallet request"),
    ("wc:7f6e504bfad60b485450578e05678ed3e8e8c4751d3c6160be17160d63ec90f9@2?symKey=5", "wallet request"),
]


@pytest.mark.parametrize(("text", "title"), APP_CODES, ids=[text[:20] for text, _ in APP_CODES])
def test_codes_of_apps_are_not_shown_in_lists(text, title):
    hidden = "Payment (details hidden)" if title == "payment" else f"{title[:1].upper()}{title[1:]}, details hidden"
    assert summary(text) == hidden


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (DYNAMIC_PIX, "payment"),
        ("SPD*1.0*ACC:CZ5855000000001265098001*AM:480.50*CC:CZK", "payment"),
        ("HCT\n001\n1\nX", "payment"),
        ("LPA:1$SMDP.GSMA.COM$04386-AGYFT-A74Y8-3F815", "mobile plan (eSIM)"),
        ("FIDO:/130864008381073036673327190125951157478218957757083231", "passkey sign-in"),
        ("MT:Y.K9042C00KA0648G00", "smart home device"),
        ("X-HM://0023ISYWYSTOY", "smart home device"),
        ("DPP:C:81/1,115/36;M:5254005828e5;V:2;K:MDkwEwYH;;", "Wi-Fi device"),
        *APP_CODES,
        ("MT: hello", ""),
        ("**: a note", ""),
        ("**:Rome:41.9:12.5", ""),
        ("1234567890" * 6, ""),
        ("t=20200924T1837&s=x", ""),
        ("AQAB" + "a1B2" * 40, ""),
        ("DPP:", ""),
        ("FIDO: a dog", ""),
        ("C: 070 123;100;x;", ""),
        ("MARIA DOE IS HERE TODAY AND TOMORROW AND EVERY DAY OF 2027", ""),
        ("openid: a standard", ""),
        ("BC1234567890234", ""),
        ("00" + "a1" * 63, ""),
        ("0" * 100, ""),
    ],
)
def test_contents_that_only_apps_read_are_recognized(text, title):
    assert title_if_read_from_code(text) == title


def test_contents_that_only_apps_read_are_never_tracked():
    with open_portfolio(":memory:") as portfolio, pytest.raises(InvalidParameter, match="apps read from the code"):
        portfolio.insert_qrcode("LPA:1$SMDP.GSMA.COM$04386-AGYFT-A74Y8-3F815")


def test_a_message_to_several_people_is_written_and_changed():
    assert contents.sms("+39 040 123; 040 456", "Hi") == "SMSTO:+39040123,040456:Hi"
    assert contents.read("sms:+39040123,+39040456?body=Hi").replace(text="Bye") == "SMSTO:+39040123,+39040456:Bye"


# Fields as people type them -------------------------------------------------------------------------------------------


def test_mail_addresses_may_be_one_text():
    assert contents.email("Ana <ana@example.com>; bob@example.com,").fields["to"] == (
        "ana@example.com",
        "bob@example.com",
    )
    assert contents.email('"Petek, Ana" <ana@example.com>').fields["to"] == ("ana@example.com",)


def test_weekdays_may_be_one_text():
    found = contents.event("x", "2026-12-21", repeat="weekly", weekdays="mo, WE")
    assert found.fields["weekdays"] == ("MO", "WE")


@pytest.mark.parametrize(
    ("weekdays", "name", "value"),
    [
        ("Monday", "weekdays.0", "Monday"),
        ("mo, xx", "weekdays.1", "xx"),
        ("MO-FR", "weekdays.0", "MO-FR"),
        ("", "weekdays", ""),
        (" , ", "weekdays", " , "),
    ],
)
def test_weekdays_are_refused_as_they_are_written(weekdays, name, value):
    with pytest.raises(InvalidParameter) as caught:
        contents.event("x", "2026-12-21", repeat="weekly", weekdays=weekdays)
    assert [(one.name, one.value) for one in caught.value.problems] == [(name, value)]


def test_elements_may_have_spaces_between_them_as_on_labels():
    label = "(01) 09506000134352 (10)ABC (17)271231"
    assert contents.gs1_elements(label).fields["elements"] == {"01": "09506000134352", "10": "ABC", "17": "271231"}
    assert str(gs1_path_in("(01)09506000134352 (10) ABC")) == "01/09506000134352/10/ABC"


def test_a_country_may_be_in_lowercase():
    address = contents.PostalAddress(name="Max", postcode="8000", town="Zug", country="ch")
    assert (address.country, str(address)) == ("CH", "Max, 8000 Zug")
