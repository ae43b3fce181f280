"""Values that people paste are cleaned, and what was cleaned is said."""

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit import contents
from qrkit.contents.kinds import as_text, make_from_texts
from qrkit.contents.single_lines import clean
from qrkit.errors import InvalidParameter

UNSEEN = [*"\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\ufe0f\ufeff", *map(chr, range(0x202A, 0x202F))]
UNSEEN += map(chr, range(0x2066, 0x206A))
SPACES = [chr(code) for code in range(0x80, 0x3001) if category(chr(code)) == "Zs"]
DASHES = [chr(code) for code in range(0x80, 0xFF20) if category(chr(code)) == "Pd"] + ["\u2212"]


def sprinkled(text, marks=UNSEEN):
    """The text with a mark before, after and between its characters."""
    return "".join(mark + one for mark, one in zip(marks * len(text), text, strict=False)) + marks[0]


@pytest.mark.parametrize("mark", UNSEEN, ids=ascii)
def test_invisible_characters_are_removed(mark):
    assert clean(f"{mark}a{mark}b{mark}") == "ab"


@pytest.mark.parametrize("space", SPACES, ids=ascii)
def test_every_space_is_a_space(space):
    assert contents.phone(f"01{space}23{space}45").fields["number"] == "012345"


@pytest.mark.parametrize("dash", DASHES, ids=ascii)
def test_every_dash_is_a_hyphen(dash):
    assert contents.phone(f"01{dash}23{dash}45").fields["number"] == "012345"


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text):
    assert clean(clean(text)) == clean(text)


@given(st.text(st.characters(max_codepoint=126)))
def test_ascii_only_loses_spaces_at_its_ends(text):
    assert clean(text) == clean(text, is_url=True) == text.strip(" ")


ADDRESS = "1NS17iag9jJgTHD1VXjvLCEnZuQ3rJED9L"
KINDS = {
    "phone": lambda dirt: contents.phone(dirt("+49 30 123456")),
    "sms": lambda dirt: contents.sms(dirt("+49 30 123456")),
    "whatsapp": lambda dirt: contents.whatsapp(dirt("+49 30 123456")),
    "contact": lambda dirt: contents.contact("A", phone=[dirt("+49 30 12")], email=dirt("a@b.example")),
    "email": lambda dirt: contents.email(dirt("ana@x.example")),
    "link": lambda dirt: contents.link(dirt("https://example.com/a-b")),
    "app": lambda dirt: contents.app(dirt("id1234567890"), dirt("com.example.app")),
    "transfer": lambda dirt: contents.epc_transfer(
        "A", dirt("BE72 0000 0000 1616"), dirt("1.50"), bic=dirt("BPOTBEB1"), reference=dirt("RF18 5390 0754 7034")
    ),
    "bill": lambda dirt: contents.swiss_bill(
        {"name": "A", "postcode": "1", "town": "B"}, dirt("CH64 3196 1000 0044 2155 7"),
        reference=dirt("00 00082 07791 22585 74212 86694"),
    ),
    "pix": lambda dirt: contents.pix(dirt("123e4567-e12b-12d1-a456-426655440000"), "A", "B", txid=dirt("ABC")),
    "upi": lambda dirt: contents.upi(dirt("chai@okbank"), "A", reference=dirt("A-1"), merchant_code=dirt("5411")),
    "bitcoin": lambda dirt: contents.bitcoin(dirt(ADDRESS)),
    "otp": lambda dirt: contents.otp(dirt("JBSW Y3DP EHPK 3PXP"), account="a"),
    "product": lambda dirt: contents.gs1_digital_link(dirt("9520123456788"), lot=dirt("ABC")),
    "elements": lambda dirt: contents.gs1_elements(dirt("(01)09506000134352(10)ABC123")),
    "event": lambda dirt: contents.event("A", dirt("2026-06-14"), until=dirt("2026-07-14"), repeat="daily"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_takes_what_is_pasted(kind):
    plain = KINDS[kind](str)
    assert KINDS[kind](lambda text: sprinkled(text, ["\u200e", "\u00ad", "\u2060"])) == plain
    assert KINDS[kind](lambda text: text.replace(" ", "\u00a0").replace("-", "\u2011")) == plain


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("\uff10\uff19\uff10\u2212\uff11\uff12\uff13\uff14\u2212\uff15\uff16\uff17\uff18", "09012345678"),
        ("\uff10\uff19\uff10\u30fc\uff11\uff12\uff13\uff14", "0901234"),
        ("\u0660\u0663\u0660 \u0661\u0662\u0663", "030123"),
        ("tel:+4930123456", "+4930123456"),
        ("Tel: 030 123456", "030123456"),
        ("+1 555 0100 ext. 12", "+15550100;ext=12"),
        ("+1 555 0100 x12", "+15550100;ext=12"),
        ("+1 555 0100, extension 12", "+15550100;ext=12"),
        ("tel:+1-555-0100;ext=12", "+15550100;ext=12"),
        ("+49 30 123 Durchwahl 5", "+4930123;ext=5"),
        ("030/123456", "030123456"),
        ("0170 / 1234567", "01701234567"),
        ("555/123-4567", "5551234567"),
        ("+43 (0)5552/1234", "+4355521234"),
        ("*100#", "*100#"),
        ("*100*1#", "*100*1#"),
    ],
    ids=ascii,
)
def test_a_number_is_read_as_people_write_it(text, number):
    written = contents.phone(text)
    assert written.fields == {"number": number}
    assert contents.read(written).fields == written.fields


def test_an_extension_stays_with_its_number_in_a_list():
    card = contents.contact("A", phone=["+1 555 0100 x12", "+1 555 0200"])
    typed = {name: as_text(value) for name, value in card.fields.items()}
    assert make_from_texts("contact", typed) == card
    assert contents.read(card).fields == card.fields


def test_a_code_is_percent_encoded():
    assert contents.phone("*100#") == "tel:*100%23"


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("030 123456 / 0170 99", "030 123456", "0170 99"),
        ("030 123456, 0170 99", "030 123456", "0170 99"),
        ("030 123456 or 0170 99", "030 123456", "0170 99"),
        ("+49 30 123 +49 170 99", "+49 30 123", "+49 170 99"),
        ("030 1234567  0170 99", "030 1234567", "0170 99"),
        ("030 123456/57", "030 123456", "57"),
        ("030 123456\n0170 99", "030 123456", "0170 99"),
        ("030 123456, 030 654321#", "030 123456", "030 654321#"),
    ],
)
def test_two_numbers_are_refused_with_both(text, first, second):
    with pytest.raises(InvalidParameter, match="has two phone numbers") as caught:
        contents.phone(text)
    assert repr(first) in caught.value.rule
    assert repr(second) in caught.value.rule


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("+1 555 0100,,123 456#", "tel:+15550100,,123456%23"),
        ("+1 555 0100 ,12#", "tel:+15550100,12%23"),
        ("+1 555 0100,012#", "tel:+15550100,012%23"),
        ("+1 555 0100,,5", "tel:+15550100,,5"),
    ],
)
def test_tones_follow_after_a_pause(text, link):
    assert contents.phone(text) == link
    assert contents.phone(contents.read(link).fields["number"]) == link


@pytest.mark.parametrize("text", ["+39040123456;ext=5", "+39 040 123456, 040 456; EXT. 5", "+1 555 0100 x12"])
def test_a_message_to_an_extension_is_refused_as_that(text):
    with pytest.raises(InvalidParameter, match="must not have an extension, because messages cannot reach one"):
        contents.sms(text)


@pytest.mark.parametrize("text", ["+1 555 0100 x12", "*100#"])
def test_messages_reach_no_extension_and_no_code(text):
    with pytest.raises(InvalidParameter):
        contents.sms(text)


@pytest.mark.parametrize("text", ["ana@x.example", "mailto:ana@x.example", "Ana <ana@x.example>", "<ana@x.example>"])
def test_an_address_is_taken_out_of_its_link(text):
    assert contents.email(text) == "mailto:ana@x.example"


def test_what_was_cleaned_is_noted_with_its_field():
    (noted,) = contents.epc_transfer("A", "BE72\u00a00000\u20110000 1616").notes
    assert noted == ("iban", "was cleaned of U+00A0 (no-break space), U+2011 (non-breaking hyphen)")
    assert str(contents.email("Ana <ana@x.example>").notes[0]) == "to: was left without the name Ana"
    assert contents.phone("+49 30 / 12-34").notes == ()


def test_a_note_names_the_first_of_many_characters():
    (noted,) = contents.phone(sprinkled("030123456")).notes
    assert noted.text.endswith("and 5 more")


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("https://exa\u00admple.com/a\u200bb", "https://example.com/ab"),
        ("https://my\u2011shop.example/a\u2011b", "https://my-shop.example/a-b"),
        ("https://my\u2013shop.example/a\u2013b", "https://my-shop.example/a%E2%80%93b"),
        ("https://example.com/Bu\u0308cher", "https://example.com/B%C3%BCcher"),
        ("https://example.com/\u2764\ufe0f", "https://example.com/%E2%9D%A4%EF%B8%8F"),
        ("https://example.com/\u0645\u06cc\u200c\u062e", "https://example.com/%D9%85%DB%8C%E2%80%8C%D8%AE"),
        ("https://example.com/\uff11", "https://example.com/%EF%BC%91"),
    ],
    ids=ascii,
)
def test_the_path_of_a_link_keeps_what_may_be_its_own(url, written):
    assert contents.link(url) == written


def test_accents_of_a_bill_become_letters():
    address = contents.PostalAddress(name="Mu\u0308ller", postcode="8000", town="Zu\u0308rich")
    assert (address.name, address.town) == ("Müller", "Zürich")


def test_copies_of_a_content_keep_its_notes():
    from copy import copy

    content = contents.phone("030\u2011123456")
    assert copy(content).notes == content.notes != ()
