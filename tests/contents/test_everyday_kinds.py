"""The everyday kinds: what is written is read back, by us and by readers that are not ours."""

import re
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import icalendar
import pytest
import vobject
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from qrkit import contents, decode, generate
from qrkit.contents.kinds import MODULES, kind_named, make
from qrkit.errors import InvalidParameter

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
    return made.map(lambda one: {name: value for name, value in one.items() if value not in (None, [], False)})


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
ADDRESS = {name: maybe(line) for name in ("street", "city", "region", "postcode", "country")}
CARDS = some(
    name=line, family_name=maybe(line), given_name=maybe(line), organization=maybe(line), title=maybe(line),
    phone=several(numbers), mobile=several(numbers), work_phone=several(numbers), fax=several(numbers),
    email=several(mails), url=several(urls), birthday=maybe(days), note=maybe(paragraphs), photo=maybe(urls),
    format=st.sampled_from(["vcard3", "vcard4"]), **ADDRESS,
)  # fmt: skip
MECARDS = some(
    name=line, organization=maybe(line), phone=several(numbers), email=several(mails), url=several(urls),
    birthday=maybe(days), note=maybe(paragraphs), format=st.just("mecard"), **ADDRESS,
)  # fmt: skip


@st.composite
def event_fields(draw):
    fields = draw(
        some(title=line, location=maybe(line), description=maybe(paragraphs), url=maybe(urls), compact=st.booleans())
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
            fields["until"] = draw(days)
        if fields["repeat"] == "weekly":
            fields["weekdays"] = draw(st.lists(st.sampled_from(["MO", "WE", "SU"]), unique=True, max_size=3))
    return fields


UTM = {f"utm_{name}": maybe(line) for name in ("source", "medium", "campaign", "term", "content")}
RECORDS = {
    "link": some(url=urls, trim_trackers=st.booleans(), **UTM),
    "wifi": NETWORKS,
    "contact": CARDS | MECARDS,
    "event": event_fields(),
    "email": some(to=st.lists(mails, min_size=1, max_size=2), cc=several(mails), bcc=several(mails), subject=maybe(line), body=maybe(paragraphs)),
    "sms": some(number=numbers, text=maybe(paragraphs)),
    "phone": some(number=numbers),
    "whatsapp": some(number=numbers.filter(lambda one: one[0] == "+" and len(one) > 8), text=maybe(paragraphs)),
    "location": some(
        latitude=st.floats(-90, 90), longitude=st.floats(-180, 180), name=maybe(line), map=st.just("geo")
    ).filter(lambda one: round(one["latitude"], 6) or round(one["longitude"], 6)),
    "app": st.fixed_dictionaries(
        {"ios": st.sampled_from(["id1234567890", "https://apps.apple.com/de/app/x/id99999"]), "android": st.just("com.example.app")},
        optional={"other": urls.filter(lambda one: "google" not in one)},
    ),
    "text": some(text=paragraphs | line),
}  # fmt: skip


@pytest.mark.parametrize("kind", RECORDS)
def test_what_is_written_is_read_back(kind):
    @two_hundred
    @given(RECORDS[kind])
    def written_and_read(fields):
        written = make(kind, fields)
        found = contents.read(written)
        assume(kind != "text" or found.kind == "text")
        assert (found.kind, dict(found.fields)) == (kind, dict(written.fields))
        assert make(kind, found.fields) == written

    written_and_read()


@pytest.mark.parametrize("name", ["google", "apple", "openstreetmap"])
@two_hundred
@given(latitude=st.floats(-90, 90), longitude=st.floats(-180, 180))
def test_links_to_maps_are_read_back(name, latitude, longitude):
    written = contents.location(latitude, longitude, map=name)
    assert contents.read(written).fields == written.fields
