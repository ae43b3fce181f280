"""The everyday kinds: what is written is read back, by us and by readers that are not ours."""

from datetime import UTC, date, datetime

import icalendar
import pytest
import vobject
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from qrkit import contents, decode, generate
from qrkit.contents.cards import card
from qrkit.contents.contacts import vcard_of
from qrkit.contents.kinds import MODULES, make
from qrkit.errors import InvalidParameter
from tests.sweeps import quick_first

two_hundred = settings(max_examples=200)

printable = st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"])
lines = st.text(printable, min_size=1, max_size=40).map(str.strip).filter(bool)
awkward = (
    st.text(st.sampled_from(list("aŽ ß;:,\\\"'&=%?#+<>|@()日🦊")), min_size=1, max_size=30).map(str.strip).filter(bool)
)
line = lines | awkward
paragraphs = st.lists(line, min_size=1, max_size=3).map("\n".join)
ascii_words = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=63)
numbers = st.builds("{}{}".format, st.sampled_from(["", "+"]), st.from_regex(r"[1-9][0-9]{4,13}", fullmatch=True))
hosts = st.sampled_from(["example.com", "bücher.example", "Shop.Example:8080", "xn--bcher-kva.example"])
paths = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp", "Cf"], exclude_characters="\\?#"), max_size=20
)
urls = st.builds(
    "{}://{}/{}{}{}".format,
    st.sampled_from(["http", "https", "HTTPS"]),
    hosts,
    paths,
    st.sampled_from(["", "?", "?a=b", "?a=b&utm_source=x", "?gclid=1&a=%20"]),
    st.sampled_from(["", "#map", "#"]),
)
mails = st.builds(
    "{}@{}".format, st.from_regex(r"[a-zA-Z0-9.+_%&'-]{1,20}", fullmatch=True), hosts.map(lambda one: one.split(":")[0])
)
days = st.dates(date(1900, 1, 1), date(2199, 12, 31))
zones = st.sampled_from(["Europe/Rome", "America/New_York", "Asia/Kolkata", "UTC"])
times = st.datetimes(datetime(1990, 1, 1), datetime(2099, 1, 1)).map(lambda one: one.replace(microsecond=0))


def maybe(strategy):
    return st.none() | strategy


def several(strategy):
    return st.lists(strategy, max_size=2)


def some(**fields):
    """Records with these fields, of which those that are None or empty are left out."""
    made = st.fixed_dictionaries(fields)
    return made.map(
        lambda one: {
            name: value for name, value in one.items() if value is not None and value != [] and value is not False
        }
    )


ssids = line.filter(lambda one: len(one.encode()) <= 32)
NETWORKS = st.one_of(
    some(ssid=ssids, password=ascii_words, hidden=st.booleans()),
    some(ssid=ssids, password=line, security=st.just("WPA3")),
    some(ssid=ssids, security=st.just("none")),
    some(ssid=ssids, password=st.just("abcde"), security=st.just("WEP")),
    some(
        ssid=ssids, password=maybe(line), security=st.just("enterprise"), user_name=line,
        method=maybe(st.sampled_from(["PEAP", "TTLS", "PWD"])), inner_method=maybe(st.just("MSCHAPV2")),
        anonymous_identity=maybe(line),
    ),
)  # fmt: skip
names = line.map(lambda text: " ".join(text.split())).filter(bool)
"""Blanks between the parts of a name are read as one."""
ADDRESS = {name: maybe(line) for name in ("street", "city", "region", "postcode", "country")}
CARDS = some(
    name=names, family_name=maybe(line), given_name=maybe(line), organization=maybe(line), title=maybe(line),
    phone=several(numbers), mobile=several(numbers), work_phone=several(numbers), fax=several(numbers),
    email=several(mails), url=several(urls), birthday=maybe(days), note=maybe(paragraphs), photo=maybe(urls),
    format=st.sampled_from(["vcard3", "vcard4"]), **ADDRESS,
)  # fmt: skip
MECARDS = some(
    name=names, organization=maybe(line), phone=several(numbers), email=several(mails), url=several(urls),
    birthday=maybe(days), note=maybe(paragraphs), format=st.just("mecard"), **ADDRESS,
)  # fmt: skip


@st.composite
def event_fields(draw):
    fields = draw(
        some(
            title=line,
            location=maybe(line),
            description=maybe(paragraphs),
            url=maybe(urls),
            organizer=maybe(mails),
            compact=st.booleans(),
        )
    )
    form = draw(st.sampled_from(["day", "utc", "floating", "zoned"]))
    moments = days if form == "day" else times
    fields["start"], end = sorted([draw(moments), draw(moments)])
    if draw(st.booleans()):
        fields["end"] = end
    if form == "utc":
        fields |= {name: fields[name].replace(tzinfo=UTC) for name in ("start", "end") if name in fields}
    if form == "zoned":
        fields["time_zone"] = draw(zones)
    if draw(st.booleans()):
        fields["repeat"] = draw(st.sampled_from(["daily", "weekly", "monthly", "yearly"]))
        fields["every"] = draw(st.integers(1, 99))
        if draw(st.booleans()):
            fields["count"] = draw(st.integers(1, 999))
        else:
            first = fields["start"].date() if isinstance(fields["start"], datetime) else fields["start"]
            fields["until"] = max(first, draw(days))
        if fields["repeat"] == "weekly":
            fields["weekdays"] = draw(st.lists(st.sampled_from(["MO", "WE", "SU"]), unique=True, max_size=3))
    return fields


UTM = {f"utm_{name}": maybe(line) for name in ("source", "medium", "campaign", "term", "content")}
RECORDS = {
    "link": some(url=urls, trim_trackers=st.booleans(), **UTM),
    "wifi": NETWORKS,
    "contact": CARDS | MECARDS,
    "event": event_fields(),
    "email": some(
        to=st.lists(mails, min_size=1, max_size=2), cc=several(mails), bcc=several(mails), subject=maybe(line),
        body=maybe(paragraphs),
    ),
    "sms": some(number=numbers, text=maybe(paragraphs)),
    "phone": some(number=numbers),
    "whatsapp": some(number=numbers.filter(lambda one: one[0] == "+" and len(one) > 8), text=maybe(paragraphs)),
    "location": some(latitude=st.floats(-90, 90), longitude=st.floats(-180, 180), name=maybe(line)),
    "app": st.fixed_dictionaries(
        {
            "ios": st.sampled_from(["id1234567890", "https://apps.apple.com/de/app/x/id99999"]),
            "android": st.just("com.example.app"),
        },
        optional={"other": urls.filter(lambda one: "google" not in one)},
    ),
    "text": some(text=paragraphs | line),
}  # fmt: skip


def test_each_kind_has_records_or_its_own_tests():
    payments = {"bitcoin", "epc_transfer", "pix", "swiss_bill", "upi"}  # test_payments.py
    product = {"gs1_digital_link", "gs1_elements"}  # test_gs1.py
    assert set(contents.MODULES) == {*RECORDS, *payments, *product, "otp"}


@pytest.mark.parametrize("examples", quick_first([50, 200]))
@pytest.mark.parametrize("kind", RECORDS)
def test_what_is_written_is_read_back(kind, examples):
    @settings(max_examples=examples)
    @given(RECORDS[kind])
    def written_and_read(fields):
        written = make(kind, fields)
        found = contents.read(written)
        assume(kind != "text" or found.kind == "text")
        assert (found.kind, dict(found.fields)) == (kind, dict(written.fields))
        assert make(kind, found.fields) == written

    written_and_read()


@pytest.mark.parametrize("format", ["vcard3", "vcard4", "mecard"])
def test_blanks_in_a_name_are_read_as_one(format):
    found = contents.read(contents.contact("Ana  Petek", format=format))
    assert found.fields["name"] == "Ana Petek"


@pytest.mark.parametrize("name", ["google", "apple", "openstreetmap"])
@two_hundred
@given(latitude=st.floats(-90, 90), longitude=st.floats(-180, 180))
def test_links_to_maps_are_read_back(name, latitude, longitude):
    written = contents.location(latitude, longitude, map=name)
    assert contents.read(written).fields == written.fields


# Readers that are not ours --------------------------------------------------------------------------------------------


@pytest.mark.slow
@two_hundred
@given(CARDS)
def test_vobject_reads_the_contact_that_was_written(fields):
    written = contents.contact(**fields)
    card = vobject.readOne(written)
    found = {name: [one.value for one in lines] for name, lines in card.contents.items()}
    asked = written.fields
    assert found["fn"] == [asked["name"]]
    assert found.get("note", [None]) == [asked.get("note")]
    assert found.get("email", []) == list(asked.get("email", ()))
    if not any(mark in url for url in asked.get("url", ()) for mark in ",;"):  # a URI has no escapes, but vobject has
        assert found.get("url", []) == list(asked.get("url", ()))
    numbers = ("phone", "mobile", "work_phone", "fax")
    assert found.get("tel", []) == [number for name in numbers for number in asked.get(name, ())]
    assert found.get("org", [[None]]) == [[asked.get("organization")]]
    if "adr" in found:
        place = found["adr"][0]
        parts = {"street": place.street, "city": place.city, "region": place.region}
        parts |= {"postcode": place.code, "country": place.country}
        assert parts == {name: asked.get(name, "") for name in ADDRESS}
    known = {"version", "n", "fn", "org", "title", "tel", "email", "url", "adr", "bday", "note", "photo"}
    assert found.keys() <= known


@two_hundred
@given(event_fields())
def test_icalendar_reads_the_event_that_was_written(fields):
    written = contents.event(**fields)
    asked = written.fields
    if "compact" in asked:
        (found,) = [icalendar.Event.from_ical(written)]
    else:
        calendar = icalendar.Calendar.from_ical(written)
        (found,) = calendar.walk("VEVENT")
        assert {"UID", "DTSTAMP"} <= found.keys()
        assert bool(calendar.walk("VTIMEZONE")) == ("time_zone" in asked)
    assert found["SUMMARY"] == asked["title"]
    assert [str(found.get(key, "")) for key in ("LOCATION", "DESCRIPTION", "URL")] == [
        asked.get(name, "") for name in ("location", "description", "url")
    ]
    assert str(found.get("ORGANIZER", "")) == (f"mailto:{asked['organizer']}" if "organizer" in asked else "")
    start = found.decoded("DTSTART")
    assert (start.replace(tzinfo=None) if "time_zone" in asked else start) == asked["start"]
    if "end" in asked:
        end = found.decoded("DTEND")
        if not isinstance(end, datetime):
            assert end.toordinal() == asked["end"].toordinal() + 1
        else:
            assert (end.replace(tzinfo=None) if "time_zone" in asked else end) == asked["end"]
    rule = found.get("RRULE", {})
    assert [one.lower() for one in rule.get("FREQ", [])] == list(filter(None, [asked.get("repeat")]))
    assert rule.get("COUNT", [None]) == [asked.get("count")]
    assert rule.get("INTERVAL", [1]) == [asked.get("every", 1)]


@pytest.mark.parametrize("kind", RECORDS)
def test_a_reader_of_pictures_reads_what_was_written(kind):
    @settings(max_examples=5)
    @given(RECORDS[kind])
    def drawn(fields):
        written = make(kind, fields)
        assert decode(generate(written, ec="L").to_bytes("png")).content == written

    drawn()


# The standards' own examples ------------------------------------------------------------------------------------------


def test_events_of_the_standard_are_read():
    """RFC 5545, section 4: a networking conference, and an all-day event of section 3.6.1."""
    conference = (
        "BEGIN:VCALENDAR\r\nPRODID:-//xyz Corp//NONSGML PDA Calendar Version 1.0//EN\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\n"
        "DTSTAMP:19960704T120000Z\r\nUID:uid1@example.com\r\nORGANIZER:mailto:jsmith@example.com\r\n"
        "DTSTART:19960918T143000Z\r\nDTEND:19960920T220000Z\r\nSTATUS:CONFIRMED\r\nCATEGORIES:CONFERENCE\r\n"
        "SUMMARY:Networld+Interop Conference\r\nDESCRIPTION:Networld+Interop Conference\r\n  and Exhibit\\n"
        "Atlanta World Congress Center\\n\r\n Atlanta\\, Georgia\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    assert contents.read(conference).fields == {
        "title": "Networld+Interop Conference",
        "start": datetime(1996, 9, 18, 14, 30, tzinfo=UTC),
        "end": datetime(1996, 9, 20, 22, 0, tzinfo=UTC),
        "organizer": "jsmith@example.com",
        "description": "Networld+Interop Conference and Exhibit\nAtlanta World Congress Center\nAtlanta, Georgia",
    }
    holiday = (
        "BEGIN:VEVENT\r\nUID:20070423T123432Z-541111@example.com\r\nDTSTAMP:20070423T123432Z\r\n"
        "DTSTART;VALUE=DATE:20070628\r\nDTEND;VALUE=DATE:20070709\r\n"
        "SUMMARY:Festival International de Jazz de Montreal\r\n"
        "TRANSP:TRANSPARENT\r\nEND:VEVENT\r\n"
    )
    found = contents.read(holiday).fields
    assert (found["start"], found["end"]) == (date(2007, 6, 28), date(2007, 7, 8))


@pytest.mark.parametrize(
    ("start", "end", "wanted"),
    [
        (":20260614T1230", ":20260614T1405", (datetime(2026, 6, 14, 12, 30), datetime(2026, 6, 14, 14, 5), None)),
        (
            ';TZID="W. Europe Standard Time":20260614T180000',
            ';TZID="W. Europe Standard Time":20260614T190000',
            (datetime(2026, 6, 14, 18), datetime(2026, 6, 14, 19), "Europe/Berlin"),
        ),
        (
            ";TZID=/freeassociation.sourceforge.net/Europe/Rome:20260614T180000",
            ":20260614T170000Z",
            (datetime(2026, 6, 14, 18), datetime(2026, 6, 14, 19), "Europe/Rome"),
        ),
        (
            ";TZID=Europe/Berlin:20260614T100000",
            ";TZID=America/New_York:20260614T093000",
            (datetime(2026, 6, 14, 10), datetime(2026, 6, 14, 15, 30), "Europe/Berlin"),
        ),
        (
            ":20260614T080000Z",
            ";TZID=America/New_York:20260614T093000",
            (datetime(2026, 6, 14, 8, tzinfo=UTC), datetime(2026, 6, 14, 13, 30, tzinfo=UTC), None),
        ),
        (":20260614T080000Z", ";VALUE=DATE:00010101", (datetime(2026, 6, 14, 8, tzinfo=UTC), None, None)),
        (";TZID=Hut:20260614T080000", ";TZID=Hut:20260614T093000",
         (datetime(2026, 6, 14, 8), datetime(2026, 6, 14, 9, 30), "Hut")),
    ],
)  # fmt: skip
def test_moments_are_read_in_the_time_zone_of_the_start(start, end, wanted):
    found = contents.read(f"BEGIN:VEVENT\nSUMMARY:A\nDTSTART{start}\nDTEND{end}\nEND:VEVENT").fields
    assert (found["start"], found.get("end"), found.get("time_zone")) == wanted


@pytest.mark.parametrize(
    ("start", "duration", "end"),
    [
        (";TZID=Europe/Rome:20260614T180000", "PT1H30M", datetime(2026, 6, 14, 19, 30)),
        (":20260614T180000Z", "P15DT5H0M20S", datetime(2026, 6, 29, 23, 0, 20, tzinfo=UTC)),
        (";TZID=Europe/Rome:20261024T200000", "PT12H", datetime(2026, 10, 25, 7)),
        (";TZID=Europe/Rome:20261024T200000", "P1DT1H", datetime(2026, 10, 25, 21)),
        (";TZID=Europe/Rome:20260329T010000", "PT1H", datetime(2026, 3, 29, 3)),
        (";TZID=Europe/Rome:20261025T023000", "PT30M", datetime(2026, 10, 25, 3)),
        (";TZID=Europe/Rome:00010101T000000", "PT1H", datetime(1, 1, 1, 1)),
        (":20260614T180000", "+P7W", datetime(2026, 8, 2, 18)),
        (";VALUE=DATE:20260614", "P3D", date(2026, 6, 16)),
        (";VALUE=DATE:20260614", "P1D", None),
        (":20260614T180000", "PT0S", None),
        (":20260614T180000", "-PT1H", None),
        (":20260614T180000", "an hour", None),
        (":99991231T180000", "P99999W", None),
    ],
)
def test_an_event_ends_after_its_duration(start, duration, end):
    """RFC 5545, 3.3.6; the examples of weeks, and of days with a time, are its own."""
    text = f"BEGIN:VEVENT\r\nSUMMARY:Opening\r\nDTSTART{start}\r\nDURATION:{duration}\r\nEND:VEVENT"
    assert contents.read(text).fields.get("end") == end
    rows = {row.label: row.value for row in card(text).rows}
    local = end.replace(tzinfo=None) if isinstance(end, datetime) else end
    assert getattr(rows.get("Ends"), "local", None) == local
    assert "end" in contents.read(text.replace("DURATION", "DTEND:20270101T000000Z\r\nDURATION")).fields


@pytest.mark.parametrize(
    ("zone", "hint"),
    [
        ("Berlin", "; did you mean 'Europe/Berlin'?"), ("new york", "; did you mean 'America/New_York'?"),
        ("Europe/Berlni", "; did you mean 'Europe/Berlin'"), ("W. Europe Standard Time", ""), ("Rome Time", ""),
        ("GMT+1", "; names of offsets have the opposite sign; did you mean 'Etc/GMT-1'?"),
        ("utc-05:00", "; names of offsets have the opposite sign; did you mean 'Etc/GMT+5'?"),
        ("UTC+15", ""), ("+05:30", ""),
        ("US Eastern", "; did you mean 'US/Eastern'?"), ("america new york", "; did you mean 'America/New_York'?"),
    ],
)  # fmt: skip
def test_an_unknown_time_zone_suggests_a_city_or_a_whole_name_that_is_alike(zone, hint):
    with pytest.raises(InvalidParameter) as caught:
        contents.event("x", "2026-06-14 18:00", time_zone=zone)
    assert caught.value.problems[0].rule.startswith(f"must be the name of a time zone, such as Europe/Rome{hint}")
    assert bool(hint) == ("did you mean" in caught.value.problems[0].rule)


@pytest.mark.slow
@two_hundred
@given(MECARDS)
def test_a_mecard_is_saved_as_a_vcard_that_says_the_same(fields):
    written = make("contact", fields)
    saved = vcard_of(written)
    assert saved.startswith("BEGIN:VCARD\r\nVERSION:3.0\r\n")
    expected = {name: value for name, value in contents.read(written).fields.items() if name != "format"}
    assert contents.read(saved).fields == expected


@pytest.mark.parametrize("text", ["MECARD:TEL:1;;", "MECARD:", "BEGIN:VCARD", "hello", ""])
def test_what_is_no_mecard_with_a_name_is_no_vcard(text):
    assert vcard_of(text) is None


def test_a_line_break_in_a_mecard_begins_no_line_of_its_vcard():
    lines = vcard_of("MECARD:N:Owen,Sean;TEL:1\nURL:https://evil.example;ORG:a\r\nPHOTO:x;;").split("\r\n")
    assert {line.partition(":")[0] for line in lines[2:-2]} == {"N", "FN", "ORG", "TEL"}


def test_a_contact_of_the_standard_is_read():
    """RFC 6350, section 8: the card of its author."""
    card = (
        "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Simon Perreault\r\nN:Perreault;Simon;;;ing. jr,M.Sc.\r\n"
        "BDAY:--0203\r\nGENDER:M\r\n"
        "LANG;PREF=1:fr\r\nORG;TYPE=work:Viagenie\r\n"
        "ADR;TYPE=work:;Suite D2-630;2875 Laurier;\r\n Quebec;QC;G1V 2M2;Canada\r\n"
        'TEL;VALUE=uri;TYPE="work,voice";PREF=1:tel:+1-418-656-9254;ext=102\r\n'
        'TEL;VALUE=uri;TYPE="work,cell,voice,video,text":tel:+1-418-262-6501\r\n'
        "EMAIL;TYPE=work:simon.perreault@viagenie.ca\r\nURL;TYPE=home:http://nomis80.org\r\nEND:VCARD\r\n"
    )
    assert contents.read(card).fields == {
        "name": "Simon Perreault",
        "organization": "Viagenie",
        "street": "Suite D2-630, 2875 Laurier",
        "city": "Quebec",
        "region": "QC",
        "postcode": "G1V 2M2",
        "country": "Canada",
        "work_phone": ("+1-418-656-9254;ext=102",),
        "mobile": ("+1-418-262-6501",),
        "email": ("simon.perreault@viagenie.ca",),
        "url": ("http://nomis80.org",),
        "format": "vcard4",
    }


def test_texts_are_those_of_the_standards():
    """RFC 6068, 5870 and 3966, ZXing's wiki, and RFC 5545, 3.8.5.3, byte for byte."""
    assert contents.email("chris@example.com", subject="50% off & more?") == (
        "mailto:chris@example.com?subject=50%25%20off%20%26%20more%3F"
    )
    assert contents.email("list@example.org", body="send current-issue\nsend index") == (
        "mailto:list@example.org?body=send%20current-issue%0D%0Asend%20index"
    )
    assert contents.email("joe@example.com", cc="bob@example.com", body="hello") == (
        "mailto:joe@example.com?cc=bob@example.com&body=hello"
    )
    assert contents.location(48.2010, 16.3695) == "geo:48.201,16.3695"
    assert contents.phone("+1-201-555-0123") == "tel:+12015550123"
    assert contents.wifi('"foo;bar\\baz"', "12345678") == 'WIFI:T:WPA;S:\\"foo\\;bar\\\\baz\\";P:12345678;;'
    assert contents.contact("Sean Owen", phone="12125551212", email="srowen@example.com", format="mecard") == (
        "MECARD:N:Owen,Sean;TEL:12125551212;EMAIL:srowen@example.com;;"
    )
    daily = contents.event("x", "1997-09-02 09:00", time_zone="America/New_York", repeat="daily", count=10)
    assert "\r\nDTSTART;TZID=America/New_York:19970902T090000\r\nRRULE:FREQ=DAILY;COUNT=10\r\n" in daily
    weekly = contents.event(
        "x", "1997-09-01 09:00", time_zone="America/New_York", repeat="weekly", every=2, weekdays=["MO", "WE", "FR"],
        until="1997-12-23",
    )  # fmt: skip
    assert "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;UNTIL=19971224T045959Z\r\n" in weekly


def test_a_day_may_be_written_without_hyphens():
    assert contents.event("Fest", "20260614").fields["start"] == date(2026, 6, 14)


def test_a_time_that_clocks_skip_is_noted():
    found = contents.event("Fest", "2026-03-29 02:30", time_zone="Europe/Berlin")
    assert found.fields["start"] == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    (note,) = found.notes
    assert (note.field, "02:30 does not exist" in note.text, "03:30" in note.text) == ("start", True, True)
    assert contents.event("Fest", "2026-10-25 02:30", time_zone="Europe/Berlin").notes == ()


@pytest.mark.parametrize(
    ("start", "repeat", "span"),
    [
        ("2026-01-31", "monthly", "month"), ("2026-01-29 10:00", "monthly", "month"), ("2024-02-29", "yearly", "year"),
        ("2026-01-28", "monthly", ""), ("2026-01-31", "yearly", ""), ("2024-02-29", "daily", ""),
    ],
)  # fmt: skip
def test_a_day_that_some_months_or_years_lack_is_noted(start, repeat, span):
    told = [one.text for one in contents.event("Rent", start, repeat=repeat).notes]
    day = start[8:10]
    assert told == [f"is on day {day} of a month; calendars skip each {span} without such a day"] * bool(span)


def test_a_start_that_its_rule_leaves_out_is_noted():
    (noted,) = contents.event("x", "2026-06-14", repeat="weekly", weekdays=["MO", "FR"]).notes
    assert noted == ("start", "is on a day (SU) that is not among its weekdays; calendars disagree on such events")
    assert contents.event("x", "2026-06-15", repeat="weekly", weekdays=["MO", "FR"]).notes == ()


@pytest.mark.parametrize(
    ("url", "written", "notes"),
    [
        ("HTTPS://EXAMPLE.COM/ABC", "HTTPS://EXAMPLE.COM/ABC", ["makes a smaller code with em=auto"]),
        (
            "https://Example.com/ABC",
            "https://example.com/ABC",
            ["leads to the same page as HTTPS://EXAMPLE.COM/ABC, which makes a smaller code with em=auto"],
        ),
        ("https://example.com/abc", "https://example.com/abc", []),
        ("HTTPS://EXAMPLE.COM/?A=B", "HTTPS://EXAMPLE.COM/?A=B", []),
        ("HTTPS://BÜCHER.EXAMPLE/a", "https://xn--bcher-kva.example/a", []),
    ],
)
def test_a_link_in_capitals_stays_so(url, written, notes):
    content = contents.link(url)
    assert (content, [one.text for one in content.notes]) == (written, notes)
    assert contents.read(content).fields == content.fields
    if content.isupper() and notes:
        small, plain = (generate(content, em=em, ec="L").symbol.version for em in ("auto", "byte"))
        assert small < plain


@pytest.mark.parametrize(
    ("security", "meant"),
    [("WPA2", "WPA"), ("wpa2-psk", "WPA"), ("WPA/WPA2", "WPA"), ("WPA2/WPA3", "WPA"), ("WPA3-SAE", "WPA3"),
     ("SAE", "WPA3"), ("wep", "WEP"), ("WPA2-EAP", "enterprise"), ("open", "none"), ("nopass", "none")],
)  # fmt: skip
def test_security_has_the_names_that_routers_give_it(security, meant):
    password = {"none": None, "WEP": "abcde"}.get(meant, "espresso")
    user = "ana" if meant == "enterprise" else None
    written = contents.wifi("Nero", password, security=security, user_name=user)
    assert written.fields.get("security", "WPA") == meant
    assert contents.read(f"WIFI:T:{security};S:Nero;P:espresso;;").fields.get("security", "WPA") == meant


def test_a_network_with_r_is_percent_encoded():
    found = contents.read("WIFI:T:WPA;R:1;S:Foo%3Bnet;P:my%3Apass;;")
    assert found.fields == {"ssid": "Foo;net", "password": "my:pass"}


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("WIFI:T:OWE;S:Guests;;", {"ssid": "Guests", "security": "none"}),
        ("sms:+39040;?&body=I%20come", {"number": "+39040", "text": "I come"}),
        ("sms:+39040:I%20come", {"number": "+39040", "text": "I come"}),
        ("sms://+39040?body=A:b", {"number": "+39040", "text": "A:b"}),
        ("smsto:+39040?body=I%20come", {"number": "+39040", "text": "I come"}),
        ("SMSTO:+39040:10%25 off", {"number": "+39040", "text": "10%25 off"}),
        ("tel://+39040", {"number": "+39040"}),
        ("upi://pay?pa=chai@okbank&pn=Chai+Point", {"address": "chai@okbank", "name": "Chai Point"}),
        (
            "otpauth://totp/Tea%20Shop:ana?secret=JBSWY3DPEHPK3PXP&issuer=Tea+Shop",
            {"secret": "JBSWY3DPEHPK3PXP", "account": "ana", "issuer": "Tea Shop"},
        ),
    ],
)
def test_forms_of_other_programs_are_read(text, fields):
    assert contents.read(text).fields == fields


# Bad input ------------------------------------------------------------------------------------------------------------

INJECTIONS = [
    "a;b", "a:b", "a,b", "a\\", "a\\;P:x", '"a"', "a;P:hidden;", "a\\nTEL:1", "END:VCARD", "a;;N:b", "BEGIN:VEVENT",
    "=0A", "a&bcc=x@example.com", "a%0D%0Abcc:x", "?body=x", "a#b", "a\u2028b".replace("\u2028", " "),
]  # fmt: skip


@pytest.mark.parametrize("text", INJECTIONS)
@pytest.mark.parametrize(
    "write",
    [
        lambda text: contents.wifi(text, "espresso"),
        lambda text: contents.contact(text, organization=text, note=text, city=text),
        lambda text: contents.contact(text, organization=text, note=text, city=text, format="mecard"),
        lambda text: contents.event(text, "2026-06-14", location=text, description=text),
        lambda text: contents.email("ana@example.com", subject=text, body=text),
        lambda text: contents.sms("12345", text),
        lambda text: contents.whatsapp("+123456789", text),
        lambda text: contents.location(1, 2, name=text),
        lambda text: contents.link("https://example.com", utm_source=text),
    ],
    ids=["wifi", "contact", "mecard", "event", "email", "sms", "whatsapp", "location", "link"],
)
def test_no_value_becomes_another_field(write, text):
    written = write(text)
    found = contents.read(written)
    assert (found.kind, found.fields) == (written.kind, written.fields)


CONTROLS = ["a\nb", "a\rb", "a\0b", "a\x1fb", "a\x85b", "a\u2028b", "a\u2029b"]


@pytest.mark.parametrize("text", CONTROLS, ids=ascii)
@pytest.mark.parametrize(
    ("write", "field"),
    [
        (lambda text: contents.wifi(text, "espresso"), "ssid"),
        (lambda text: contents.contact(text), "name"),
        (lambda text: contents.contact("Ana", city=text), "city"),
        (lambda text: contents.event(text, "2026-06-14"), "title"),
        (lambda text: contents.email("ana@example.com", subject=text), "subject"),
        (lambda text: contents.link(f"https://example.com/{text}"), "url"),
        (lambda text: contents.link("https://example.com", utm_source=text), "utm_source"),
        (lambda text: contents.location(1, 2, name=text), "name"),
    ],
)
def test_line_breaks_and_control_characters_are_refused(write, field, text):
    if field == "ssid" and ord(text[1]) > 127:
        assert contents.read(write(text)).fields["ssid"] == text
        return
    with pytest.raises(InvalidParameter) as caught:
        write(text)
    assert caught.value.name.partition(".")[0] == field


BAD = [
    ("link", {"url": "example.com/x"}, "url", "must begin with https:// or http://, as in 'https://example.com/x'"),
    ("link", {"url": "example.com:80/x"}, "url", "must begin with https"),
    ("link", {"url": "//example.org/x"}, "url", "as in 'https://example.com'"),
    ("link", {"url": "https://a..example"}, "url", "must be an http or https URL with a host"),
    ("link", {"url": f"https://{'a' * 64}.example"}, "url", "must be an http or https URL with a host"),
    ("link", {"url": "ftp://example.com"}, "url", "must be an http or https URL"),
    ("link", {"url": "https://"}, "url", "with a host"),
    ("link", {"url": "https://example.com/a b"}, "url", "without spaces"),
    ("link", {"url": "https://user:pw@example.com"}, "url", "user name"),
    ("link", {"url": "https://[::1"}, "url", "not a valid URL"),
    ("link", {"url": "javascript:alert(1)"}, "url", "must be an http"),
    ("link", {}, "url", "is required"),
    ("link", {"url": 7}, "url", "must be a text"),
    ("wifi", {"ssid": "ü" * 17, "password": "espresso"}, "ssid", "at most 32 bytes as UTF-8, not 34"),
    ("wifi", {"ssid": "Nero", "password": "short"}, "password", "8..63"),
    ("wifi", {"ssid": "Nero", "password": "x" * 64}, "password", "64 hexadecimal"),
    ("wifi", {"ssid": "Nero"}, "password", "is required for WPA"),
    ("wifi", {"ssid": "Nero", "password": "x", "security": "none"}, "password", "must be left out"),
    ("wifi", {"ssid": "Nero", "password": "x", "security": "WEP"}, "password", "5 or 13"),
    ("wifi", {"ssid": "Nero", "security": "enterprise"}, "user_name", "is required"),
    ("wifi", {"ssid": "Nero", "password": "espresso", "method": "PEAP"}, "method", "enterprise only"),
    ("contact", {"name": ""}, "name", "must not be empty"),
    ("contact", {"name": "Ana", "phone": "call me"}, "phone.0", "must be a phone number"),
    ("contact", {"name": "Ana", "email": ["ana"]}, "email.0", "must be an e-mail address"),
    ("contact", {"name": "Ana", "url": "example.com"}, "url.0", "https://example.com"),
    ("contact", {"name": "Ana", "birthday": "17.5.1990"}, "birthday", "must be a day, as 2026-06-14"),
    ("contact", {"name": "Ana", "phone": ["12345"] * 6}, "phone", "must have 0..5 entries"),
    ("contact", {"name": "Ana", "mobile": "12345", "format": "mecard"}, "mobile", "not available in a MeCard"),
    ("contact", {"name": "Dr. Ana", "family_name": "Petek", "format": "mecard"}, "name", "a MeCard has no others"),
    ("contact", {"name": "Ana", "note": "x" * 1_001}, "note", "1..1000 characters"),
    ("event", {"title": "x", "start": "soon"}, "start", "must be a day, as 2026-06-14, or a time"),
    ("event", {"title": "x", "start": 7}, "start", "must be a day"),
    ("event", {"title": "x", "start": "2026-06-14", "end": "2026-06-13"}, "end", "must not be before the start"),
    ("event", {"title": "x", "start": "9998-12-31", "end": "9999-12-31"}, "end", "must lie in the years 2 to 9998"),
    (
        "event",
        {"title": "x", "start": "9999-12-31T23:00", "time_zone": "America/New_York"},
        "start",
        "must lie in the years 2 to 9998",
    ),
    ("event", {"title": "x", "start": "2026-06-14", "end": "2026-06-14 10:00"}, "end", "must be a day"),
    ("event", {"title": "x", "start": "2026-06-14", "time_zone": "Europe/Rome"}, "time_zone", "must be left out"),
    ("event", {"title": "x", "start": "2026-06-14 18:00", "time_zone": "Rome"}, "time_zone", "mean 'Europe/Rome'"),
    ("event", {"title": "x", "start": "2026-06-14 18:00", "time_zone": "../etc"}, "time_zone", "such as Europe/Rome"),
    ("event", {"title": "x", "start": "2026-06-14", "count": 3}, "count", "needs repeat"),
    ("event", {"title": "x", "start": "2026-06-14", "repeat": "daily", "weekdays": "MO"}, "weekdays", "weekly events"),
    (
        "event",
        {"title": "x", "start": "2026-06-14", "repeat": "daily", "until": "2026-06-13"},
        "until",
        "must not be before the start, 2026-06-14",
    ),
    (
        "event",
        {"title": "x", "start": "2026-06-14", "repeat": "daily", "count": 3, "until": "2027-01-01"},
        "until",
        "must be left out",
    ),
    ("email", {"to": []}, "to", "at least one"),
    ("email", {"to": "ana@example.com?bcc=x@example.com"}, "to.0", "must be an e-mail address"),
    ("sms", {"number": "*123#"}, "number", "must be a phone number"),
    ("sms", {"number": "12345", "text": "a\0"}, "text", "without control characters"),
    ("phone", {"number": "12"}, "number", "3..15 digits"),
    ("phone", {"number": "1-800-FLOWERS"}, "number", "must be a phone number"),
    ("whatsapp", {"number": "0123456789"}, "number", "must be an international number"),
    ("location", {"latitude": 91, "longitude": 0}, "latitude", "-90"),
    ("location", {"latitude": float("nan"), "longitude": 0}, "latitude", "-90..90"),
    ("location", {"latitude": "north", "longitude": 0}, "latitude", "must be a"),
    ("app", {}, "ios", "is required unless android is given"),
    ("app", {"ios": "https://example.com"}, "ios", "a URL of apps.apple.com"),
    ("app", {"android": "app"}, "android", "com.example.app"),
    ("text", {"text": ""}, "text", "must not be empty"),
    ("text", {"text": "a\ud800"}, "text", "lone surrogate"),
]


@pytest.mark.parametrize(("kind", "fields", "name", "rule"), BAD, ids=[f"{one[0]} {one[2]} {one[3]}" for one in BAD])
def test_what_breaks_a_rule_is_refused_by_name(kind, fields, name, rule):
    with pytest.raises(InvalidParameter) as caught:
        make(kind, fields)
    assert [one.name for one in caught.value.problems] == [name]
    assert rule in caught.value.rule


# Texts of strangers ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=300)
@given(st.data())
def test_reading_never_raises(data):
    kind = data.draw(st.sampled_from(sorted(RECORDS)))
    written = make(kind, data.draw(RECORDS[kind]))
    place = data.draw(st.integers(0, len(written)))
    width = data.draw(st.integers(0, 5))
    changed = written[:place] + data.draw(st.text(max_size=5)) + written[place + width :]
    assert contents.read(changed).kind in MODULES


@given(
    st.text(max_size=60), st.sampled_from(["", "WIFI:", "BEGIN:VCARD\n", "BEGIN:VEVENT\n", "tel:", "geo:", "https://"])
)
def test_any_text_is_read(text, start):
    found = contents.read(start + text)
    assert found == start + text
    assert isinstance(repr(found), str)
