from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Campaign, Color, Location, Properties, QRCode
from qrkit.errors import InvalidParameter
from qrkit.exchange.columns import LABELS, NAMES, SORTING_NAMES, Row, write_row
from qrkit.exchange.data_frames import campaigns_frame, qrcodes_frame, table_of_frame, whole_frame
from qrkit.exchange.merge import ImportIssue
from qrkit.exchange.table_files import Table, codes_of
from qrkit.tracking.text_columns import text_of
from tests.dtypes import TEXT

NOON = datetime(2026, 3, 1, 12, 0, 0, 123_456, UTC)
SPRING = "5" * 32
some = settings(max_examples=30)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def judged(table):
    """The good rows of a table, and what is wrong with the others."""
    found = list(codes_of(table, NOON))
    good = [one for one in found if not isinstance(one, ImportIssue)]
    return good, [one for one in found if isinstance(one, ImportIssue)]


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
    table = qrcodes_frame(codes, lambda: [Campaign(id=SPRING, name="Spring", created=NOON)])
    assert table.columns.tolist() == [LABELS[name] for name in (*NAMES, *SORTING_NAMES)]
    assert table.index.tolist() == [one.id for one in codes]
    for row, one in zip(table.to_dict("records"), codes, strict=True):
        assert row["campaign"] == ("Spring" if one.campaign_id else "")
        assert [row["name"], row["content"], row["comment"]] == [one.name, one.content, one.comment]
        assert row["created"].to_pydatetime() == one.created.replace(microsecond=0)
        assert (row["scans"], row["is_dynamic"]) == (one.scans, one.is_dynamic)
        for name in ("latitude", "longitude"):
            place = getattr(one.location, name)
            assert row[name] == place or (place is None and np.isnan(row[name]))
        assert row["version"] == (one.properties.version or -1)
        assert row["size"] == one.properties.size


@pytest.mark.parametrize("number", [0, 1, 3])
def test_dtypes_do_not_depend_on_the_rows(number):
    table = qrcodes_frame([code(each) for each in range(number)], list)
    kinds = {"scans": "int64", "size": "int64", "padding": "int64", "version": "int64", "is_dynamic": "bool"}
    kinds |= {"latitude": "float64", "longitude": "float64", "created": "datetime64[us, UTC]"}
    labels = [LABELS[name] for name in (*NAMES, *SORTING_NAMES)]
    assert {name: str(dtype) for name, dtype in table.dtypes.items()} == dict.fromkeys(labels, TEXT) | kinds
    whole = whole_frame([code(each) for each in range(number)], list)
    kinds |= {
        "is_schedule_enabled": "bool",
        "active": "bool",
        "scan_marker": "bool",
        "limit": "int64",
        "limit_a_day": "int64",
    }
    kinds |= dict.fromkeys(("valid_since", "valid_until"), "datetime64[us, UTC]")
    assert {name: str(dtype) for name, dtype in whole.dtypes.items()} == dict.fromkeys(LABELS.values(), TEXT) | kinds
    assert (table.index.name, str(table.index.dtype)) == ("id", TEXT)


@given(codes)
@some
def test_the_rows_of_codes_are_read_back_as_codes(codes):
    names = {None: "", SPRING: "Spring"}
    rows = [write_row(one, names[one.campaign_id]) for one in codes]
    entries, issues = judged(Table([row._replace(number=number) for number, row in enumerate(rows, start=2)]))
    assert issues == []
    assert [row.number for row, _ in entries] == list(range(2, len(codes) + 2))
    for (row, entry), one in zip(entries, codes, strict=True):
        assert (entry.content, entry.comment, entry.location) == (one.content, one.comment, one.location)
        assert (entry.scans, entry.is_dynamic, entry.properties) == (one.scans, one.is_dynamic, one.properties)
        assert row.cells["Campaign Name"] == ("Spring" if one.campaign_id else "")


@pytest.mark.rule("X2")
def test_rows_that_say_nothing_usable_become_issues_in_their_own_words():
    """Open: what a warning about a bad row holds. Campaign, name, content as the file has them, and what is wrong."""
    said = {"Content": "x", "Campaign Name": "Spring", "QR Code Name": "Door"}
    rows = [
        Row(2, said),
        Row(3, said, "holds a NUL character"),
        Row(9, said | {"Size": "0"}),
        Row(10, said, "no symbol was found", "undecodable"),
    ]
    entries, issues = judged(Table(rows))
    assert [row.number for row, _ in entries] == [2]
    assert [(issue.row, issue.campaign, issue.name, issue.content) for issue in issues] == [
        (3, "Spring", "Door", "x"),
        (9, "Spring", "Door", "x"),
        (10, "Spring", "Door", "x"),
    ]
    assert issues[0].error == "invalid: holds a NUL character"
    assert issues[1].error == "invalid: Size=0: must be in 1..20 pixels per module"
    assert issues[2].error == "undecodable: no symbol was found"


def test_the_table_of_campaigns_has_the_numbers_of_its_codes():
    days = [NOON + timedelta(days=day) for day in range(2)]
    campaigns = [Campaign(id=str(day) * 32, name=f"C{day}", created=moment) for day, moment in enumerate(days)]
    table = campaigns_frame(campaigns, {"1" * 32: (2, 7)})
    assert table.index.tolist() == ["0" * 32, "1" * 32]
    assert table["created"].tolist() == [pd.Timestamp(day) for day in days]
    assert table[["qrcodes", "scans"]].to_numpy().tolist() == [[0, 0], [2, 7]]
    kinds = {
        "name": TEXT,
        "description": TEXT,
        "created": "datetime64[us, UTC]",
        "qrcodes": "int64",
        "scans": "int64",
    }
    for each in (table, campaigns_frame([], {})):
        assert {name: str(dtype) for name, dtype in each.dtypes.items()} == kinds


@given(texts)
@some
def test_text_stays_text(text):
    assert text_of(text, "Content") == text_of(np.str_(text), "Content") == text


@pytest.mark.parametrize("text", ["NA", "nan", "None", "007", "1e5", "=1+1", " ", "true", "2026-03-01", "\ud800"])
def test_text_that_looks_like_something_else_stays_text(text):
    column = pd.DataFrame({"Content": [text]}).astype("object")
    assert [row.cells["Content"] for row in table_of_frame(column).rows] == [text]


@pytest.mark.parametrize(
    "nothing", [None, np.nan, pd.NA, pd.NaT, float("nan"), np.datetime64("NaT", "s"), Decimal("NaN")]
)
def test_whatever_pandas_calls_missing_is_an_empty_cell(nothing):
    assert text_of(nothing, "Comment") == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7, "7"),
        (7.0, "7"),
        (np.float32(0.5), "0.5"),
        (np.int8(-1), "-1"),
        (Decimal("7.25"), "7.25"),
        (np.True_, "true"),
        (False, "false"),
        (Color.parse("#80FF0000"), "#80FF0000"),
        (date(2026, 3, 1), "2026-03-01"),
        (NOON.replace(tzinfo=None), "2026-03-01 12:00:00"),
        (NOON.astimezone(timezone(timedelta(hours=5))), "2026-03-01 12:00:00"),
        (pd.Timestamp("2026-03-01T13:00:00.123456789", tz="Europe/Paris"), "2026-03-01 12:00:00"),
        (np.datetime64("2026-03-01T12:00:00.5", "ns"), "2026-03-01 12:00:00"),
    ],
    ids=str,
)
def test_cells_of_any_dtype_have_one_text(value, text):
    assert text_of(value, "Created (UTC)") == text


def test_degrees_keep_every_bit():
    assert [text_of(value, "Latitude", "degrees") for value in (-0.0, 1e-07, 0.1)] == ["-0.0", "1e-07", "0.1"]


@pytest.mark.parametrize(
    "value",
    [b"x", [1], {}, (), np.array([1]), pd.Timedelta(1), object(), 10**5000],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_text_is_refused_and_never_guessed(value):
    with pytest.raises(InvalidParameter, match="Comment") as refused:
        text_of(value, "Comment")
    assert refused.value.name == "Comment"


def test_rows_of_a_frame_count_from_1_and_empty_ones_are_left_out():
    frame = pd.DataFrame({"Content": ["a", None, "", "b"], "other": [1, 2, 3, 4]}, index=[7, 7, "x", None])
    table = table_of_frame(frame)
    entries, issues = judged(table)
    assert [(row.number, entry.content) for row, entry in entries] == [(1, "a"), (4, "b")]
    assert [(issue.row, issue.reason) for issue in issues] == [(0, "own-column")]


@pytest.mark.parametrize("columns", [["CONTENT", "size"], ["size", " content "], [0, "Content"]])
def test_columns_are_found_in_any_order_and_case(columns):
    assert len(table_of_frame(pd.DataFrame([["9", "9"]], columns=columns)).rows) == 1


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"Contemt": ["x"]}), "'Contemt': did you mean 'content'"),
        (pd.DataFrame({"url": ["x"]}), "content: is a required column.*campaign.*short_url.*schedule"),
        (pd.DataFrame(), "content: is a required column"),
        (pd.DataFrame([["x", "y"]], columns=["Content", "content"]), "content: appears twice in the frame"),
        ([{"Content": "x"}], "must be a DataFrame of pandas or polars, or an Arrow table"),
        (pd.DataFrame({"Content": np.zeros(200_001)}), "at most 200,000 rows"),
    ],
    ids=["near", "far", "empty", "twice", "list", "long"],
)
def test_a_frame_that_cannot_be_read_says_what_is_needed(frame, message):
    with pytest.raises(InvalidParameter, match=message):
        table_of_frame(frame)


@pytest.mark.parametrize("levels", [["short_url"], ["name", "short_url"], ["name", "City", "short_url"]])
def test_named_levels_of_an_index_are_columns(levels):
    """`set_index` is how people of pandas look rows up; an index without a name is a count."""
    frame = pd.DataFrame({"content": ["x"], "name": ["Door"], "City": ["Graz"], "short_url": ["door"]})
    ((row, code),) = judged(table_of_frame(frame.set_index(levels)))[0]
    assert (code.name, code.short_url, row.own) == ("Door", "door", {"City": "Graz"})
    ((_, code),) = judged(table_of_frame(frame.set_index(pd.Index(["5" * 32], name="id"))))[0]
    assert set(code.fields) == {"City"}


@pytest.mark.parametrize(("level", "column"), [("Name", "name"), ("name", "QR Code Name"), ("short_url", "Short_URL")])
def test_a_level_of_an_index_that_is_a_column_too_is_left_out(level, column):
    """As pandas has it after `set_index("Name", drop=False)` and a change of case."""
    frame = pd.DataFrame({"content": ["x"], column: ["door"]}, index=pd.Index(["gate"], name=level))
    ((_, code),) = judged(table_of_frame(frame))[0]
    assert "door" in (code.name, code.short_url)
    chosen = {"content": "content", column: level}
    ((_, code),) = judged(table_of_frame(frame, chosen))[0]
    assert "gate" in (code.name, code.short_url)


def test_a_cell_that_cannot_be_read_spoils_its_row_alone():
    frame = pd.DataFrame({"Content": ["a", "b"], "Comment": [b"x", "y"], "Size": [[8], 8]})
    entries, [issue] = judged(table_of_frame(frame))
    assert [entry.content for _, entry in entries] == ["b"]
    assert (issue.row, issue.content, issue.reason) == (1, "a", "invalid")
    assert "comment=b'x': must be text" in issue.detail
    assert "size=[8]: must be text" in issue.detail
