import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit.contents.calendar_files import calendar_file
from qrkit.contents.cards import card

EVENT = "BEGIN:VEVENT\nSUMMARY:Opening\nDTSTART:20260614T180000Z\nEND:VEVENT"


def test_an_event_alone_gets_the_calendar_and_the_lines_that_apps_need():
    lines = calendar_file(f" {EVENT}\n").split("\r\n")
    uid = lines[4]
    assert lines == [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//qrkit//qrkit//EN",
        "BEGIN:VEVENT",
        uid,
        "DTSTAMP:19700101T000000Z",
        "SUMMARY:Opening",
        "DTSTART:20260614T180000Z",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ]
    assert uid.startswith("UID:") and uid.endswith("@qrkit") and len(uid) == len("UID:@qrkit") + 32


def test_the_same_event_is_the_same_file_and_another_event_another_one():
    assert calendar_file(EVENT) == calendar_file(EVENT)
    assert calendar_file(EVENT).split("UID:")[1][:32] != calendar_file(EVENT.replace("14", "15")).split("UID:")[1][:32]


def test_lines_that_an_event_has_are_kept():
    file = calendar_file(EVENT.replace("SUMMARY", "uid:1\nDTSTAMP;X=1:20260101T000000Z\nSUMMARY"))
    assert file.upper().count("UID:") == file.count("DTSTAMP") == 1


def test_an_event_that_was_cut_ends():
    assert calendar_file("BEGIN:VEVENT\nSUMMARY:Opening").endswith("\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")


@pytest.mark.parametrize("content", [f"\nBEGIN:VCALENDAR\r{EVENT}\rEND:VCALENDAR", f"begin:vcalendar\n{EVENT[:-11]}"])
def test_a_calendar_gets_what_it_lacks(content):
    assert calendar_file(content).split("UID:")[0] == calendar_file(EVENT).split("UID:")[0]
    assert calendar_file(content).split("UID:")[1][38:] == calendar_file(EVENT).split("UID:")[1][38:]


def test_several_events_of_a_calendar_have_ids_of_their_own():
    file = calendar_file(f"BEGIN:VCALENDAR\nPRODID:x\n{EVENT}\n{EVENT}\nEND:VCALENDAR")
    assert len(set(re.findall("UID:(.*)\r", file))) == file.count("DTSTAMP:") == 2
    assert (file.count("PRODID:"), file.count("VERSION:2.0")) == (1, 1)


def test_lines_of_a_component_inside_are_not_those_of_the_event_or_the_calendar():
    alarm = "BEGIN:VALARM\nUID:1\nVERSION:9\nEND:VALARM\nDTSTAMP:20260101T000000Z\nEND:VEVENT"
    file = calendar_file(f"BEGIN:VCALENDAR\n{EVENT.replace('END:VEVENT', alarm)}\nEND:VCALENDAR")
    assert len(re.findall("UID:[0-9a-f]{32}@qrkit\r", file)) == file.count("VERSION:2.0") == file.count("DTSTAMP") == 1


CALENDAR = f"BEGIN:VCALENDAR\n{EVENT}\nEND:VCALENDAR\n"


@pytest.mark.parametrize("content", ["", "hello", "BEGIN:VCARD\nEND:VCARD", CALENDAR * 2, f"{CALENDAR}See you"])
def test_any_other_content_stays_as_it_is(content):
    assert calendar_file(content) == content


@given(st.text())
def test_a_file_says_of_an_event_what_its_content_says(text):
    content = f"BEGIN:VEVENT\nSUMMARY:{text}\nDTSTART:20260614T180000Z\nEND:VEVENT"
    assert card(calendar_file(content)) == card(content)
    assert calendar_file(calendar_file(content)) == calendar_file(content)
