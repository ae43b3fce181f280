from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Campaign, Location, Properties, QRCode
from qrkit.exchange.columns import NAMES
from qrkit.exchange.csv_file import ERROR
from qrkit.frames import campaigns_frame, entries_of, qrcodes_frame, text_table

NOON = datetime(2026, 3, 1, 12, 0, 0, 123_456, UTC)
SPRING = "5" * 32
some = settings(max_examples=30, derandomize=True, deadline=None)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def code(number=0, **fields):
    links = {"short_code": f"c{number}", "short_url": f"https://go.example.com/c{number}", "image_url": ""}
    return QRCode(**{"id": f"{number:032x}", "name": "Door", "content": "x", "created": NOON} | links | fields)


codes = st.lists(
    st.fixed_dictionaries(
        {
            "name": texts,
            "content": texts.filter(bool),
            "comment": texts,
            "campaign_id": st.none() | st.just(SPRING),
            "scans": st.integers(0, 2**53 - 1),
            "created": st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC)),
            "is_dynamic": st.booleans(),
            "location": st.builds(
                Location,
                address=texts,
                latitude=st.none() | st.floats(-90, 90),
                longitude=st.none() | st.floats(-180, 180),
            ),
            "properties": st.builds(Properties, version=st.none() | st.integers(1, 40), size=st.integers(1, 20)),
        }
    ),
    max_size=5,
).map(lambda rows: [code(number, **row) for number, row in enumerate(rows)])


@given(codes)
@some
def test_the_table_for_people_says_the_same_as_the_records(codes):
    table = qrcodes_frame(codes, {None: "", SPRING: "Spring"})
    assert table.columns.tolist() == list(NAMES)
    assert table.index.tolist() == [one.id for one in codes]
    for row, one in zip(table.to_dict("records"), codes, strict=True):
        assert row["Campaign Name"] == ("Spring" if one.campaign_id else "")
        assert [row["QR Code Name"], row["Content"], row["Comment"]] == [one.name, one.content, one.comment]
        assert row["Created (UTC)"].to_pydatetime() == one.created.replace(microsecond=0)
        assert (row["Scans"], row["Dynamic"]) == (one.scans, one.is_dynamic)
        for name in ("latitude", "longitude"):
            place = getattr(one.location, name)
            assert row[name.capitalize()] == place or (place is None and np.isnan(row[name.capitalize()]))
        assert row["Version"] == (one.properties.version or -1)
        assert row["Size"] == one.properties.size


@pytest.mark.parametrize("number", [0, 1, 3])
def test_dtypes_do_not_depend_on_the_rows(number):
    table = qrcodes_frame([code(each) for each in range(number)], {None: ""})
    kinds = {"Scans": "int64", "Size": "int64", "Padding": "int64", "Version": "int64", "Dynamic": "bool"}
    kinds |= {"Latitude": "float64", "Longitude": "float64", "Created (UTC)": "datetime64[us, UTC]"}
    assert {name: str(dtype) for name, dtype in table.dtypes.items()} == dict.fromkeys(NAMES, "str") | kinds
    texts = text_table([code(each) for each in range(number)], {None: ""})
    assert {str(dtype) for dtype in texts.dtypes} == {"str"}
    assert (table.index.name, str(table.index.dtype)) == (texts.index.name, str(texts.index.dtype)) == ("id", "str")


@given(codes)
@some
def test_the_table_of_a_file_is_read_back_as_entries(codes):
    table = text_table(codes, {None: "", SPRING: "Spring"})
    table.index = pd.RangeIndex(2, len(codes) + 2)
    entries, issues = entries_of(table.assign(**{ERROR: ""}))
    assert issues == []
    assert [entry.row for entry in entries] == list(range(2, len(codes) + 2))
    for entry, one in zip(entries, codes, strict=True):
        assert (entry.content, entry.comment, entry.location) == (one.content, one.comment, one.location)
        assert (entry.scans, entry.is_dynamic, entry.properties) == (one.scans, one.is_dynamic, one.properties)
        assert entry.campaign == ("Spring" if one.campaign_id else "")


@pytest.mark.rule("X2")
def test_rows_that_say_nothing_usable_become_issues_in_their_own_words():
    """Open: what a warning about a bad row holds. Campaign, name, content as the file has them, and what is wrong."""
    cells = dict.fromkeys(NAMES, "") | {"Content": "x", "Campaign Name": "Spring", "QR Code Name": "Door"}
    rows = [cells | {ERROR: ""}, cells | {ERROR: "holds a NUL character"}, cells | {ERROR: "", "Size": "0"}]
    table = pd.DataFrame(rows, index=[2, 3, 9], columns=[*NAMES, ERROR], dtype="str")
    entries, issues = entries_of(table)
    assert [entry.row for entry in entries] == [2]
    assert [(issue.row, issue.campaign, issue.name, issue.content) for issue in issues] == [
        (3, "Spring", "Door", "x"),
        (9, "Spring", "Door", "x"),
    ]
    assert issues[0].error == "invalid: holds a NUL character"
    assert issues[1].error == "invalid: Size=0: must be in 1..20 pixels per module"


def test_the_table_of_campaigns_sums_its_codes():
    days = [NOON + timedelta(days=day) for day in range(2)]
    campaigns = [Campaign(id=str(day) * 32, name=f"C{day}", created=moment) for day, moment in enumerate(days)]
    owned = [code(1, campaign_id="1" * 32, scans=3), code(2, campaign_id="1" * 32, scans=4), code(3, scans=5)]
    table = campaigns_frame(campaigns, owned)
    assert table.index.tolist() == ["0" * 32, "1" * 32]
    assert table["created"].tolist() == [pd.Timestamp(day) for day in days]
    assert table[["qrcodes", "scans"]].to_numpy().tolist() == [[0, 0], [2, 7]]
    kinds = {
        "name": "str",
        "description": "str",
        "created": "datetime64[us, UTC]",
        "qrcodes": "int64",
        "scans": "int64",
    }
    for each in (table, campaigns_frame([], [])):
        assert {name: str(dtype) for name, dtype in each.dtypes.items()} == kinds
