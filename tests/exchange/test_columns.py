from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Location, Properties, QRCode
from qrkit.design.color import Color
from qrkit.errors import InvalidParameter
from qrkit.exchange.columns import (
    ALL_NAMES,
    ELEMENTS,
    EVERY,
    KINDS,
    LABELS,
    NAMES,
    SORTING_NAMES,
    TERMS_NAMES,
    TEXT_COLUMNS,
    Row,
    column_pair,
    name_from,
    read_columns,
    read_row,
    write_row,
)
from qrkit.tracking.records import ScheduleEvent

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
some = settings(max_examples=30)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
LINKS = {"short_code": "abc123", "short_url": "https://go.example.com/abc123", "image_url": ""}
colors = st.builds(Color, *[st.integers(0, 255)] * 4)
moments = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))
events = st.builds(ScheduleEvent, content=texts.filter(bool), recurrence=st.integers(0, 7), date=moments)

codes = st.fixed_dictionaries(
    {
        "name": texts.filter(bool),
        "content": texts.filter(bool),
        "comment": texts,
        "scans": st.integers(0, 2**53 - 1),
        "created": moments,
        "is_dynamic": st.booleans(),
        "location": st.builds(
            Location,
            address=texts,
            latitude=st.none() | st.floats(-90, 90),
            longitude=st.none() | st.floats(-180, 180),
        ),
        "properties": st.builds(
            Properties,
            size=st.integers(1, 20),
            padding=st.integers(0, 20),
            version=st.none() | st.integers(1, 40),
            em=st.sampled_from(["byte", "numeric", "alphanumeric"]),
            ec=st.sampled_from("LMQH"),
            foreground=colors,
            background=colors,
        ),
        "is_schedule_enabled": st.booleans(),
        "schedule": st.lists(events, max_size=3),
        "template": texts,
    }
).map(lambda fields: QRCode(id="0" * 32, **LINKS, **fields))


def read(cells):
    return read_row(Row(2, cells), NOON)


def test_the_columns_are_those_of_the_interface_in_its_order():
    assert (
        *("Campaign Name", "QR Code Name", "Content", "Trackable URL", "Created (UTC)", "Scans", "Address", "Latitude"),
        *("Longitude", "Comment", "Dynamic", "Size", "Padding", "Version", "Encode Mode", "Error Correction"),
    ) == NAMES
    assert {
        "Campaign Name",
        "QR Code Name",
        "Content",
        "Trackable URL",
        "Address",
        "Comment",
        "Template",
        "Tags",
        "Otherwise",
    } == TEXT_COLUMNS
    assert (
        *NAMES,
        "Foreground",
        "Background",
        "Scheduled",
        "Schedule",
        "Template",
        "Scan Marker",
        *SORTING_NAMES,
        *TERMS_NAMES,
    ) == ALL_NAMES
    words = {"Encode Mode", "Error Correction"}
    assert {name for name, kind in KINDS.items() if kind in ("text", "tags")} - words == TEXT_COLUMNS


@pytest.mark.rule("X9")
def test_the_elements_of_the_interface_come_first_and_those_of_ours_behind_them():
    """Open: where elements stand that the interface lacks. Behind its own, in the order of the columns."""
    assert list(ELEMENTS) == [
        *("campaign", "name", "content", "trackUrl", "created", "scans", "comments", "size", "padding", "version"),
        *("encodeMode", "errorCorrection", "address", "latitude", "longitude", "dynamic"),
        *("foreground", "background", "isScheduleEnabled", "schedule", "template", "scanMarker", "tags", "fields"),
        *("rules", "active", "validSince", "validUntil", "limit", "limitADay", "otherwise", "password", "passQuery"),
        *("clickId", "gs1"),
    ]
    assert sorted(ELEMENTS.values()) == sorted(ALL_NAMES)


@given(codes, texts)
@some
def test_a_row_says_all_that_the_columns_have_of_a_record(code, campaign):
    row = write_row(code, campaign)
    assert list(row.cells) == list(ALL_NAMES)
    assert row.cells["Campaign Name"] == campaign
    entry = read_row(row, NOON)
    assert entry.created == code.created.replace(microsecond=0)
    assert entry.short_url == code.short_url
    for name in (
        "name",
        "content",
        "comment",
        "scans",
        "is_dynamic",
        "properties",
        "location",
        "is_schedule_enabled",
        "schedule",
    ):
        assert getattr(entry, name) == getattr(code, name)


def test_what_a_row_lacks_takes_the_defaults_of_the_interface():
    entry = read({"Content": "x"})
    assert (entry.short_url, entry.comment, entry.scans) == ("", "", 0)
    assert (entry.created, entry.is_dynamic) == (NOON, True)
    assert (entry.properties, entry.location) == (Properties(), Location())
    blank = dict.fromkeys(set(NAMES) - TEXT_COLUMNS, "  ")
    assert read(blank | {"Content": "x"}) == entry


def test_texts_are_never_guessed_into_anything_else():
    cells = {"Content": "00123", "QR Code Name": "NA", "Comment": " null ", "Address": "TRUE"}
    entry = read(cells)
    assert [entry.content, entry.name, entry.comment, entry.location.address] == [*cells.values()]


@pytest.mark.rule("X5")
@pytest.mark.parametrize("text", ["true", "TRUE", "1", "yes", " Yes ", "false", "False", "0", "no", "NO"])
def test_dynamic_is_read_in_words_people_use(text):
    """Open: the values of Dynamic. Written true or false; read also yes, no, 1 and 0, in any case."""
    assert read({"Content": "x", "Dynamic": text}).is_dynamic is (text.strip().lower() in ("true", "1", "yes"))


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("Content", ""),
        ("Created (UTC)", "2026-02-30 00:00:00"),
        ("Created (UTC)", "01.03.2026"),
        ("Scans", "-1"),
        ("Scans", "1.5"),
        ("Scans", "1,00,000"),
        ("Scans", "1_000"),
        ("Scans", "٣"),
        ("Scans", str(2**53)),
        ("Scans", "9" * 5_000),
        ("Latitude", "north"),
        ("Latitude", "90.1"),
        ("Latitude", "nan"),
        ("Longitude", "inf"),
        ("Longitude", "1_0.5"),
        ("Longitude", "13,4,5"),
        ("Dynamic", "maybe"),
        ("Size", "0"),
        ("Size", "21"),
        ("Size", "large"),
        ("Padding", "21"),
        ("Version", "41"),
        ("Version", "-2"),
        ("Encode Mode", "kanji"),
        ("Encode Mode", "auto"),
        ("Error Correction", "X"),
        ("Address", "x" * 32_768),
        ("Comment", "x" * 32_768),
        ("Content", "x" * 32_768),
    ],
)
def test_a_cell_that_breaks_its_rule_is_named_by_its_column(column, text):
    with pytest.raises(InvalidParameter) as caught:
        read({"Content": "x"} | {column: text})
    assert [problem.name for problem in caught.value.problems] == [column]
    assert column in str(caught.value)


def test_all_cells_that_are_wrong_are_named_at_once():
    wrong = {"Content": "", "Scans": "x", "Size": "0", "Latitude": "91", "Dynamic": "?", "Created (UTC)": "?"}
    with pytest.raises(InvalidParameter) as caught:
        read(wrong)
    assert {problem.name for problem in caught.value.problems} == set(wrong)


@pytest.mark.parametrize(
    ("text", "number"), [("-33.5", -33.5), ("+1", 1), (".5", 0.5), ("5.", 5), ("1e-07", 1e-07), (" 45.6497 ", 45.6497)]
)
def test_degrees_are_read_in_the_forms_that_programs_write(text, number):
    assert read({"Content": "x", "Latitude": text}).location.latitude == number


@pytest.mark.parametrize("text", ["", "-1", "0"])
def test_an_automatic_version_is_minus_one_zero_or_nothing(text):
    assert read({"Content": "x", "Version": text}).properties.version is None


@pytest.mark.parametrize("text", ["3", "3.0", "3.00", " 3 ", "+3"])
def test_whole_numbers_are_read_in_the_forms_that_programs_write(text):
    """A column of whole numbers with a gap is one of floats in pandas, which writes 3.0."""
    made = read({"Content": "x", "Size": text, "Padding": text, "Version": text, "Scans": text})
    assert (made.properties.size, made.properties.padding, made.properties.version, made.scans) == (3, 3, 3, 3)
    assert read({"Content": "x", "Version": "-1.0"}).properties.version is None


@pytest.mark.parametrize(
    "text",
    [
        "2026-06-01 10:00:00+00:00", "2026-06-01 12:00:00+02:00", "2026-06-01 10:00:00+00", "2026-06-01T10:00:00.000",
        "2026-06-01 10:00:00.000000+00:00", "2026-06-01T10:00:00Z", "2026-06-01 10:00",
    ],
)  # fmt: skip
def test_moments_are_read_in_the_forms_that_pandas_and_databases_write(text):
    assert read({"Content": "x", "Created (UTC)": text}).created == datetime(2026, 6, 1, 10, tzinfo=UTC)


names = st.text(min_size=1, max_size=12).map(str.strip).filter(bool)


@given(st.lists(names, min_size=2, max_size=2))
@some
def test_pairs_of_columns_are_read_as_they_were_written(theirs):
    content, name = theirs
    assert read_columns(f"{column_pair('content', content)},{column_pair('name', name)}") == {
        "content": content,
        "name": name,
    }


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("content=Website,name=Poster", {"content": "Website", "name": "Poster"}),
        (" content = Landing page , name = Poster ", {"content": "Landing page", "name": "Poster"}),
        ('content="Website, German"', {"content": "Website, German"}),
        ("name=Poster", {"Content": "Content", "name": "Poster"}),
        ("content=a=b", {"content": "a=b"}),
    ],
)
def test_pairs_of_columns_are_read_as_people_type_them(text, columns):
    assert read_columns(text) == columns


@pytest.mark.parametrize("text", ["Website", "content=Website,Poster", 'content="Website', "=x", ",", 'content="a"b'])
def test_what_are_no_pairs_of_columns_is_refused(text):
    with pytest.raises(InvalidParameter, match=r"must be pairs such as content=Website,name=Poster"):
        read_columns(text)
    with pytest.raises(InvalidParameter, match=r"columns='content': is named twice"):
        read_columns("content=a,content=b")


@pytest.mark.rule("T4")
@given(texts)
@some
def test_a_name_made_from_content_is_one_line_of_at_most_100_characters(content):
    """Open: the name of a code that got none. Its content with newlines as spaces, cut at 100 characters."""
    name = name_from(content * 5)
    assert len(name) <= 100
    assert len(name.splitlines()) <= 1
    assert name_from(name) == name


NO_COLUMN = {"id", "campaign_id", "short_code", "urlinfo", "image_url", "is_available"}
"""Fields of a QR Code that follow from others or from the portfolio; the short URL has the short code and its tail."""


def test_every_field_of_a_qr_code_has_a_column():
    parts = {"location": Location, "properties": Properties}
    fields = {
        f"{name}.{part}" if part else name
        for name in set(QRCode.model_fields) - NO_COLUMN
        for part in (parts[name].model_fields if name in parts else [""])
    }
    assert {column.field for column in EVERY} == fields | {"campaign"}


def test_columns_have_the_names_of_fields_in_data_frames():
    assert [*LABELS.values()] == [
        *("campaign", "name", "content", "short_url", "created", "scans", "address", "latitude", "longitude"),
        *("comment", "is_dynamic", "size", "padding", "version", "em", "ec"),
        *("foreground", "background", "is_schedule_enabled", "schedule", "template", "scan_marker"),
        *("tags", "fields"),
        *("rules", "active", "valid_since", "valid_until", "limit", "limit_a_day", "otherwise", "password"),
        "pass_query",
        "click_id",
        "gs1",
    ]


def test_decimal_commas_are_read():
    """Open: tables of countries that write a comma. 1,000 may be a thousand, so it is a count, but no size."""
    cells = {"Content": "x", "Latitude": "45,6497", "Longitude": "-13,5", "Size": "8,0", "Scans": "7,00"}
    code = read_row(Row(2, cells), NOON)
    assert (code.location.latitude, code.location.longitude) == (45.6497, -13.5)
    assert (code.properties.size, code.scans) == (8, 7)
    assert read({"Content": "x", "Scans": "1,000"}).scans == 1000
    with pytest.raises(InvalidParameter, match="must be a whole number"):
        read({"Content": "x", "Size": "1,000"})
