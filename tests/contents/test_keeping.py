"""A changed field leaves everything else of a content as it is: by us, and by parsers that are not ours."""

import re
from decimal import Decimal
from urllib.parse import parse_qsl, urlsplit

import icalendar
import pytest
import vobject
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import contents
from qrkit.contents.editing.keeping import unread
from qrkit.contents.payments.pix_codes import values_of, with_checksum
from qrkit.contents.syntax import raw_lines
from qrkit.errors import InvalidParameter
from tests.contents.test_everyday_kinds import event_fields
from tests.contents.test_payments import CHAI, FULANO, LUKE

words = st.text(st.sampled_from(list("abžß ÄЖ日.-'+&=%")), min_size=1, max_size=12).map(str.strip).filter(bool)
new_words = words.map(lambda text: f"new {text} {text}")
ends = st.sampled_from(["\r\n", "\n"])


def folded(line, end, width=60):
    return f"{end} ".join(line[place : place + width] for place in range(0, len(line), width))


@st.composite
def cards(draw):
    """Cards as phones and address books write them, with lines that no field of ours has."""
    version, end = draw(st.sampled_from(["3.0", "4.0"])), draw(ends)
    text = [draw(words) for _ in range(14)]
    lines = [
        f"NICKNAME:{text[0]}", f"IMPP;X-SERVICE-TYPE=Skype:skype:{text[1]}", f"X-SOCIALPROFILE;type=x:{text[2]}",
        f"item1.TEL;TYPE=HOME,VOICE:+49 30 {draw(st.integers(1000, 99999))}", "item1.X-ABLabel:_$!<Other>!$_",
        f"TEL;TYPE=CELL:+49 170 {draw(st.integers(1000, 99999))}", "TEL;TYPE=WORK:0800 CALL ME",
        "EMAIL;TYPE=HOME:a@x.example", f"EMAIL;TYPE=WORK:{draw(st.integers(0, 9))}@y.example",
        f"ORG:{text[3]};{text[4]}", f"ADR;TYPE=WORK:;;{text[5]};{text[6]};;1;", f"CATEGORIES:{text[12]},x",
        f"ADR;TYPE=HOME:;;{text[7]};{text[8]};;2;", f"NOTE:{text[9]}\\, {text[10]}\\n{text[11]}", "BDAY:1990-05-17",
        "REV:2026-01-01T00:00:00Z", "UID:urn:uuid:1", "URL:www.example.com", "URL:https://example.com/a",
        "PHOTO;ENCODING=b;TYPE=JPEG:" + "QUJD" * 40,
    ]  # fmt: skip
    chosen = draw(st.permutations(draw(st.lists(st.sampled_from(lines), unique=True, min_size=3))))
    name = f"{text[13]};Ana;Maria;Dr.;{draw(st.sampled_from(['', 'Jr.']))}"
    whole = ["BEGIN:VCARD", f"VERSION:{version}", f"N:{name}", f"FN:Dr. Ana {text[13]}", *chosen, "END:VCARD"]
    return end.join(folded(line, end) for line in whole) + draw(st.sampled_from(["", end]))


CHANGES = {
    "title": ("TITLE", new_words), "note": ("NOTE", new_words), "organization": ("ORG", new_words),
    "name": ("FN", new_words), "city": ("ADR", new_words), "given_name": ("N", new_words),
    "mobile": ("TEL", st.just(("+491701",))), "email": ("EMAIL", st.just(("new@x.example",))),
    "birthday": ("BDAY", st.just("2001-02-03")), "photo": ("PHOTO", st.just("https://example.com/a.png")),
}  # fmt: skip


def others(text, name):
    """The lines of a text but those of a name."""
    lines = (raw.rstrip("\r\n") for raw in raw_lines(text))
    return [line for line in lines if not re.match(rf"(\w+\.)?{name}[:;]", line)]


@pytest.mark.slow
@settings(max_examples=200)
@given(cards(), st.data())
def test_all_other_lines_of_a_card_stay(text, data):
    field = data.draw(st.sampled_from(sorted(CHANGES)))
    name, values = CHANGES[field]
    value = data.draw(values)
    found = contents.read(text).replace(**{field: value})
    assert others(found, name) == others(text, name)
    assert str(contents.read(found).fields[field]) == str(value)
    theirs, ours = (vobject.readOne(one).contents for one in (text, found))
    for key in {*theirs, *ours} - {name.lower()}:
        assert [one.value for one in ours[key]] == [one.value for one in theirs[key]]


@pytest.mark.slow
@settings(max_examples=100)
@given(cards(), new_words)
def test_a_name_keeps_its_prefix_and_a_company_its_unit(text, word):
    before = vobject.readOne(text)
    after = vobject.readOne(contents.read(text).replace(family_name=word, organization=word))
    assert (after.n.value.family, after.n.value.prefix, after.n.value.suffix, after.n.value.additional) == (
        word, before.n.value.prefix, before.n.value.suffix, before.n.value.additional
    )  # fmt: skip
    assert after.org.value[0] == word
    if "org" in before.contents:
        assert after.org.value[1:] == before.org.value[1:]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"given_name": "Anna"}, "N:Petek;Anna;;;"),
        ({"family_name": "Novak"}, "N:Novak;Ana Maria;;;"),
        ({"name": "Ana Maria Novak"}, "N:Novak;Ana Maria;;;"),
        ({"family_name": "Ana Maria Petek"}, "N:Ana Maria Petek;;;;"),
        ({"given_name": "Ana"}, "N:Maria Petek;Ana;;;"),
        ({"given_name": "An"}, "N:Petek;An;;;"),
        ({"family_name": "etek"}, "N:etek;Ana Maria;;;"),
        ({"family_name": "Maria"}, "N:Maria;;;;"),
    ],
)
def test_one_part_of_a_name_keeps_the_other(changes, line):
    text = "BEGIN:VCARD\nVERSION:3.0\nFN:Ana Maria Petek\nN:Petek;Ana Maria;;;\nNICKNAME:A\nEND:VCARD"
    assert line in contents.read(text).replace(**changes).split("\n")


@pytest.mark.parametrize(
    ("name", "fields", "line"),
    [
        ("Anna Lee", {"given_name": "Ann"}, "N:Lee;Ann;;;"),
        ("Dr. Ana Petek MSc", {"family_name": "Petek"}, "N:Petek;;;;"),
        ("Petek, Ana Maria", {}, "N:Petek;Ana Maria;;;"),
        ("Petek, Ana", {"given_name": "Ana"}, "N:Petek;Ana;;;"),
        ("John Smith, Ph.D., MBA", {}, r"N:Smith\, Ph.D.\, MBA;John;;;"),
        ("Acme, Inc.", {}, r"N:Acme\, Inc.;;;;"),
        ("Ana, MSc., PhDr.", {}, r"N:Ana\, MSc.\, PhDr.;;;;"),
        ("Ana" + ", AB." * 36 + ", x", {}, "N:Ana;" + r"AB.\, " * 36 + "x;;;"),  # not in exponential time
        ("PETEK, ANA", {}, "N:PETEK;ANA;;;"),
        ("Smith, LeBron", {}, "N:Smith;LeBron;;;"),
        ("John Smith, MD", {"format": "mecard"}, r"MECARD:N:Smith\, MD,John;;"),
        (", Ana", {}, "N:Ana;\\,;;;"),
        ("Petek, Ana", {"format": "mecard"}, "MECARD:N:Petek,Ana;;"),
        ("Ana Maria Ana", {"family_name": "Ana"}, "N:Ana;Ana Maria;;;"),
        ("Petek Ana", {"family_name": "Petek"}, "N:Petek;Ana;;;"),
        ("Petek", {"family_name": "Petek"}, "N:Petek;;;;"),
    ],
)
def test_the_rest_of_a_name_is_of_whole_words(name, fields, line):
    assert line in contents.contact(name, **fields).split("\r\n")


def test_of_several_addresses_one_is_taken_out_alone():
    lines = [
        "BEGIN:VCARD",
        "VERSION:3.0",
        "FN:A",
        "EMAIL;TYPE=HOME:a@x.example",
        "EMAIL;PREF=1:b@x.example",
        "END:VCARD",
    ]
    found = contents.read("\n".join(lines))
    assert found.replace(email="b@x.example").split("\n") == [*lines[:3], *lines[4:]]
    assert found.replace(email=["new@x.example", *found.fields["email"]]).split("\n")[3:6] == [
        "EMAIL:new@x.example", *lines[3:5]
    ]  # fmt: skip


EVENT_LINES = [
    "EXDATE;TZID=Europe/Rome:20260703T180000", "ATTENDEE;CN=Bo;RSVP=TRUE:mailto:bo@x.example", "STATUS:CONFIRMED",
    "CATEGORIES:a,b", "X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC", "GEO:45.6;13.7", "TRANSP:OPAQUE", "CLASS:PRIVATE",
    "ATTACH:https://example.com/a.pdf", "RDATE;VALUE=DATE:20270101", "SEQUENCE:2",
]  # fmt: skip
ALARM = ["BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:Soon", "TRIGGER:-PT15M", "END:VALARM"]
RULES = [
    "",
    "RRULE:FREQ=MONTHLY;BYDAY=1FR",
    "RRULE:FREQ=YEARLY;BYMONTH=6;BYDAY=-1SU",
    "RRULE:FREQ=WEEKLY;COUNT=4;WKST=SU",
]


@st.composite
def calendars(draw):
    end = draw(ends)
    more = draw(st.permutations(draw(st.lists(st.sampled_from(EVENT_LINES), unique=True))))
    start = draw(st.sampled_from([";TZID=Europe/Rome:20260605T180000", ":20260605T180000Z", ";VALUE=DATE:20260605"]))
    event = ["UID:abc@x.example", "DTSTAMP:20260101T000000Z", f"DTSTART{start}", f"SUMMARY:{draw(words)}", *more]
    event += filter(None, [draw(st.sampled_from(RULES))])
    blocks = [["BEGIN:VEVENT", *event, *(ALARM if draw(st.booleans()) else []), "END:VEVENT"]]
    if draw(st.booleans()):
        blocks.append(
            [
                "BEGIN:VEVENT",
                "UID:2",
                "DTSTAMP:20260101T000000Z",
                "SUMMARY:Two",
                "DTSTART:20270101T000000Z",
                "END:VEVENT",
            ]
        )
    head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Elsewhere//EN", "X-WR-CALNAME:Café"]
    lines = [*head, *(line for block in blocks for line in block), "END:VCALENDAR"]
    return end.join(folded(line, end) for line in lines) + end


EVENT_CHANGES = {
    "title": ("SUMMARY", new_words), "location": ("LOCATION", new_words), "description": ("DESCRIPTION", new_words),
    "url": ("URL", st.just("https://example.com/new")), "organizer": ("ORGANIZER", st.just("new@x.example")),
}  # fmt: skip


@pytest.mark.slow
@settings(max_examples=200)
@given(calendars(), st.data())
def test_all_other_lines_of_an_event_stay(text, data):
    field = data.draw(st.sampled_from(sorted(EVENT_CHANGES)))
    name, values = EVENT_CHANGES[field]
    value = data.draw(values)
    found = contents.read(text).replace(**{field: value})
    second = text.count("BEGIN:VEVENT") == 2
    assert len(list(raw_lines(found))) - len(list(raw_lines(text))) == (name not in text.partition("BEGIN:VALARM")[0])
    theirs, ours = (icalendar.Calendar.from_ical(one) for one in (text, found))
    assert len(ours.walk("VEVENT")) == 1 + second
    assert str(ours.walk("VEVENT")[0][name]).removeprefix("mailto:") == value
    for calendar in (theirs, ours):
        calendar.walk("VEVENT")[0].pop(name, None)
    assert ours.to_ical() == theirs.to_ical()


@pytest.mark.slow
@settings(max_examples=100)
@given(event_fields(), new_words)
def test_an_event_of_ours_is_written_anew(fields, title):
    written = contents.event(**fields)
    assert written.replace(title=title) == contents.event(**{**fields, "title": title})


def test_a_moment_stays_in_the_time_zone_of_its_rule():
    text = (
        "BEGIN:VEVENT\nSUMMARY:Café\nDTSTART;TZID=Europe/Rome:20260605T180000\nRRULE:FREQ=MONTHLY;BYDAY=1FR\nEND:VEVENT"
    )
    found = contents.read(text)
    assert "repeat" not in found.fields
    assert found.replace(start="2026-07-03 19:00") == text.replace("0605T18", "0703T19")
    for name in ("W. Europe Standard Time", "Hut"):
        named = contents.read(text.replace("Europe/Rome", name))
        assert named.replace(start="2026-07-03 19:00") == named.replace("0605T18", "0703T19")


@pytest.mark.parametrize("zone", ["Europe/Rome", '"W. Europe Standard Time"', "Hut"])
@pytest.mark.parametrize("lines", ["DURATION:PT1H", "RRULE:FREQ=WEEKLY"])
def test_a_new_end_is_in_the_time_zone_of_the_start(zone, lines):
    found = contents.read(f"BEGIN:VEVENT\nSUMMARY:A\nDTSTART;TZID={zone}:20260605T180000\n{lines}\nEND:VEVENT")
    assert f"DTEND;TZID={zone}:20260605T203000\n" in found.replace(end="2026-06-05 20:30")


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({"title": "B"}, ["DURATION:PT1H", "DTSTART:20260605T180000Z"]),
        ({"end": "2026-06-05T20:00Z"}, ["DTEND:20260605T200000Z", "DTSTART:20260605T180000Z"]),
        ({"start": "2026-06-05T17:00Z"}, ["DTEND:20260605T190000Z", "DTSTART:20260605T170000Z"]),
        ({"end": None}, ["DTSTART:20260605T180000Z"]),
    ],
)
def test_an_event_with_a_duration_gets_an_end(changes, lines):
    text = "BEGIN:VEVENT\nDURATION:PT1H\nDTSTART:20260605T180000Z\nSUMMARY:A\nCLASS:PRIVATE\nEND:VEVENT"
    title = f"SUMMARY:{changes.get('title', 'A')}"
    changed = contents.read(text).replace(**changes)
    assert changed.split("\n") == ["BEGIN:VEVENT", *lines, title, "CLASS:PRIVATE", "END:VEVENT"]


def test_a_new_time_zone_brings_its_definition():
    text = contents.event("A", "2026-06-05 18:00", time_zone="Europe/Rome", repeat="daily") + "\r\n"
    found = contents.read(text).replace(time_zone="America/New_York")
    calendar = icalendar.Calendar.from_ical(found)
    assert {str(zone["TZID"]) for zone in calendar.walk("VTIMEZONE")} == {"Europe/Rome", "America/New_York"}


# ---- other notations


WIFI = "WIFI:S:Nero;T:WPA2;P:espresso;K:abc;;"
OTP = "otpauth://totp/Example:alice@google.com?secret=JBSWY3DPEHPK3PXP&issuer=Example&image=https%3A%2F%2Fx%2Fa.png"
PRODUCT = "https://b.example/01/9520123456788/10/A?linkType=gs1:pip&17=280426#top"
BRAZIL = with_checksum(
    FULANO[:-8].replace("52040000", "52045411").replace("62070503***", "62160503***5005ABCDE") + "8003abc"
)


@pytest.mark.parametrize(
    ("text", "changes", "written"),
    [
        (WIFI, {"password": "ristretto"}, WIFI.replace("espresso", "ristretto")),
        (WIFI, {"hidden": True}, WIFI.replace("espresso;", "espresso;H:true;")),
        ("WIFI:T:WPA;R:1;S:Foo%3Bnet;P:my%3Apass;;", {"password": "new;pass%1"},
         "WIFI:T:WPA;R:1;S:Foo%3Bnet;P:new%3Bpass%251;;"),
        ("MECARD:N:Petek,Ana;SOUND:a,b;TEL:12345;;", {"phone": "123456"}, "MECARD:N:Petek,Ana;SOUND:a,b;TEL:123456;;"),
        (f"{CHAI}&mode=02&orgid=1&sign=AB==", {"amount": 7},
         f"{CHAI.replace('20.00', '7.00')}&mode=02&orgid=1&sign=AB=="),
        (f"{LUKE}&lightning=LNBC1", {"label": None}, f"{LUKE.replace('&label=Luke-Jr', '')}&lightning=LNBC1"),
        (OTP, {"issuer": "New"}, OTP.replace("Example", "New")),
        (PRODUCT, {"lot": "B"}, PRODUCT.replace("9520123456788/10/A", "09520123456788/10/B")),
        (PRODUCT, {"elements": {}}, PRODUCT.replace("&17=280426", "")),
        ("mailto:a@x.example?In-Reply-To=%3C1%3E&Subject=Hi", {"subject": "Ho"},
         "mailto:a@x.example?In-Reply-To=%3C1%3E&subject=Ho"),
        ("geo:1,2;u=35?z=15", {"name": "X"}, "geo:1,2;u=35?q=1,2(X)&z=15"),
        ("geo:0,0?q=45.1,13.7(Old)&z=9", {"name": "New"}, "geo:0,0?q=45.1,13.7(New)&z=9"),
        (BRAZIL, {"name": "Bo"}, with_checksum(BRAZIL[:-8].replace("5913Fulano de Tal", "5902Bo"))),
        ("BEGIN:VCARD\nVERSION:3.0\nN:;;;;\nFN:\nORG:Firma\nEND:VCARD", {"title": "CTO"},
         "BEGIN:VCARD\nVERSION:3.0\nN:;;;;\nFN:\nORG:Firma\nTITLE:CTO\nEND:VCARD"),
        ("BEGIN:VCARD\nVERSION:3.0\nN:;;;;\nFN:\nORG:Firma\nEND:VCARD", {"name": "Company"},
         "BEGIN:VCARD\nVERSION:3.0\nN:;;;;\nFN:Company\nORG:Firma\nEND:VCARD"),
        ("BEGIN:VCARD\nVERSION:3.0\nFN:A\nEND:VCARD\nBEGIN:VCARD\nVERSION:3.0\nFN:B\nTEL:12345\nEND:VCARD",
         {"phone": "123"},
         "BEGIN:VCARD\nVERSION:3.0\nFN:A\nTEL:123\nEND:VCARD\nBEGIN:VCARD\nVERSION:3.0\nFN:B\nTEL:12345\nEND:VCARD"),
    ],
)  # fmt: skip
def test_what_no_field_says_stays(text, changes, written):
    assert contents.read(text).replace(**changes) == written


parameters = st.dictionaries(
    st.sampled_from(["mode", "orgid", "lightning", "image", "x"]), st.from_regex("[A-Za-z0-9]{1,8}", fullmatch=True)
)


@pytest.mark.slow
@settings(max_examples=200)
@given(st.sampled_from([CHAI, LUKE, OTP]), parameters, st.data())
def test_all_other_parameters_of_a_payment_stay(text, more, data):
    field, name = {CHAI: ("note", "tn"), LUKE: ("message", "message"), OTP: ("issuer", "issuer")}[text]
    more = {key: value for key, value in more.items() if f"{key}=" not in text}
    pairs = [*text.partition("?")[2].split("&"), *(f"{key}={value}" for key, value in more.items())]
    theirs = f"{text.partition('?')[0]}?{'&'.join(data.draw(st.permutations(pairs)))}"
    value = data.draw(new_words)
    ours = contents.read(theirs).replace(**{field: value})
    before, after = (
        dict(parse_qsl(urlsplit(one).query.replace("+", "%2B"), keep_blank_values=True)) for one in (theirs, ours)
    )
    assert after == before | {name: value}


@pytest.mark.slow
@settings(max_examples=100)
@given(st.dictionaries(st.integers(80, 99), st.text("abc", min_size=1, max_size=9)), st.integers(1, 9_999))
def test_all_other_values_of_a_pix_code_stay(more, amount):
    text = with_checksum(BRAZIL[:-15] + "".join(f"{number}{len(one):02}{one}" for number, one in more.items()))
    found = contents.read(text).replace(amount=Decimal(amount))
    assert contents.read(found).fields["amount"] == amount
    before, after = values_of(text), values_of(found)
    assert {**after, "54": "", "63": ""} == {**before, "54": "", "63": ""}


# ---- vCard 2.1


OLD = (
    "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg\r\n"
    "TEL;CELL;PREF:+49170123456\r\nNOTE;ENCODING=QUOTED-PRINTABLE:a=\r\nb\r\nX-NICK:x\r\n"
    "PHOTO;ENCODING=BASE64;JPEG:\r\n /9j/4AAQ\r\n\r\nEND:VCARD\r\n"
)


def test_a_card_of_version_21_stays_one():
    found = contents.read(OLD)
    assert found.fields == {"name": "Jörg Müller", "note": "ab", "mobile": ("+49170123456",)}
    changed = found.replace(title="Käse", mobile="+49170999", note="x, y; z")
    assert changed == (
        OLD.replace("TEL;CELL;PREF:+49170123456", "TEL;CELL;PREF:+49170999")
        .replace("NOTE;ENCODING=QUOTED-PRINTABLE:a=\r\nb", "NOTE:x, y\\; z")
        .replace("TEL;", "TITLE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:K=C3=A4se\r\nTEL;")
    )
    assert vobject.readOne(changed).title.value == "Käse"


def test_a_charset_of_an_old_card_is_obeyed():
    text = OLD.replace("CHARSET=UTF-8", "CHARSET=windows-1251").replace("M=C3=BCller;J=C3=B6rg", "=C8;=DF")
    assert contents.read(text).fields["name"] == "Я И"


# ---- what cannot be kept


CARD = "BEGIN:VCARD\nVERSION:3.0\nN:Petek;Ana;;;\nFN:Ana Petek\nNICKNAME:Ani\nORG:Firma;Sales\nTEL:call me\nEND:VCARD\n"


def test_what_another_format_has_no_place_for_is_noted():
    changed = contents.read(CARD).replace(format="mecard")
    assert changed == "MECARD:N:Petek,Ana;ORG:Firma;;"
    assert [str(one) for one in changed.notes] == ["cannot keep NICKNAME:Ani; ORG: Sales; TEL:call me"]


def test_a_signature_of_other_values_is_noted():
    changed = contents.read(f"{CHAI}&sign=AB==").replace(amount=7)
    assert "signature" in changed.notes[0].text
    assert contents.read(f"{CHAI}&mode=02").replace(amount=7).notes == ()


def test_a_message_of_docomo_becomes_a_mail():
    found = contents.read("MATMSG:TO:a@x.example;SUB:Hi\\; you;BODY:b;X:1;;")
    assert found.fields == {"to": ("a@x.example",), "subject": "Hi; you", "body": "b"}
    changed = found.replace(subject="Ho")
    assert changed == "mailto:a@x.example?subject=Ho&body=b"
    assert [one.text for one in changed.notes] == ["cannot keep X:1"]


def test_fields_of_a_docomo_mail_are_not_lost():
    found = contents.read("MATMSG:TO:a@x.example,b@x.example;CC:c@x.example;SUB:Hi;BODY:One, two:\nthree\\nfour;;")
    changed = found.replace(subject="Hello")
    assert changed == (
        "mailto:a@x.example,b@x.example?cc=c@x.example&subject=Hello&body=One,%20two:%0D%0Athree%0D%0Afour"
    )
    assert changed.notes == ()


def test_a_card_behind_a_byte_order_mark_keeps_its_other_lines():
    changed = contents.read("\ufeffBEGIN:VCARD\nVERSION:3.0\nFN:Ana\nNICKNAME:Ani\nEND:VCARD").replace(title="CTO")
    assert "NICKNAME:Ani" in changed
    assert changed.notes == ()


def test_a_network_that_names_no_security_gets_another_password():
    changed = contents.read("WIFI:S:Nero;P:12345678;X:1;;").replace(password="espresso1")
    assert (changed, changed.fields["password"]) == ("WIFI:S:Nero;P:espresso1;X:1;;", "espresso1")


def test_a_field_that_breaks_a_rule_stays_until_it_is_changed():
    found = contents.read(CARD)
    assert found.fields["phone"] == ("call me",)
    assert "TEL:call me" in found.replace(title="CTO")
    assert "call me" not in found.replace(phone="+49 30 123")
    with pytest.raises(InvalidParameter, match="birthday"):
        found.replace(birthday="soon")


@pytest.mark.parametrize("text", ["hello", "SMSTO:12345:Hi", str(FULANO), "https://example.com", "SPC\n0200"])
def test_what_we_read_whole_has_nothing_unread(text):
    assert unread(contents.read(text)) == ""


def test_many_unread_pieces_are_counted():
    text = CARD.replace("NICKNAME:Ani", "\n".join(f"X-{number}:{'x' * 99}" for number in range(20)))
    assert unread(contents.read(text)).endswith("… and 14 more")


@pytest.mark.slow
@pytest.mark.parametrize("block", ["VCARD", "VEVENT"])
def test_blocks_in_blocks_take_no_longer_than_others(block):
    """Quadratic work would take minutes here."""
    deep = f"BEGIN:{block}\nSUMMARY:x\nFN:x\nDTSTART:20260101\n" + "BEGIN:X\n" * 50_000
    assert contents.read(deep).replace(**{"title": "y"}).endswith("BEGIN:X\n")
