"""Portfolios as DataFrames, out and in again (rulings X2 to X6)."""

import json
import re
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Location, Portfolio, Properties, open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.exchange.columns import LABELS
from qrkit.store import Store
from qrkit.store.records.accounts import insert_account
from qrkit.tracking.records import PLANS, Account, ScheduleEvent
from qrkit.tracking.short_urls import new_id
from tests.sweeps import quick_first

GO = "https://go.example.com"
NOON = datetime(2026, 3, 1, 12, 0, 0, 123_456, UTC)
some = settings(max_examples=5)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
tricky = st.sampled_from(["NA", "nan", "007", "1e5", "=1+1", " ", "a,b", '"', "é\n", "مرحبا", "🎉", "true"])
names = texts | tricky
contents = (texts | tricky).filter(bool)
events = st.builds(
    ScheduleEvent,
    content=contents,
    recurrence=st.integers(0, 7),
    date=st.datetimes(datetime(1900, 1, 1), datetime(2999, 1, 1), timezones=st.just(UTC)),
)
codes = st.lists(
    st.fixed_dictionaries(
        {
            "name": names,
            "content": contents,
            "comment": names,
            "urlinfo": st.sampled_from(["", "spring-door"]),
            "is_dynamic": st.just(True),
            "is_schedule_enabled": st.booleans(),
            "schedule": st.lists(events, max_size=2),
            "location": st.builds(
                Location,
                address=names,
                latitude=st.none() | st.floats(-90, 90),
                longitude=st.none() | st.floats(-180, 180),
            ),
            "properties": st.builds(
                Properties,
                size=st.integers(1, 20),
                version=st.none() | st.integers(10, 40),
                foreground=st.sampled_from(["black", "#80112233"]),
            ),
        }
    ),
    max_size=4,
)


@pytest.fixture
def empty():
    with open_portfolio(":memory:", base_url=GO, clock=lambda: NOON) as portfolio:
        yield portfolio


def filled(rows):
    """A portfolio with a QR Code for each row, every second one in a campaign."""
    portfolio = open_portfolio(":memory:", base_url=GO, clock=lambda: NOON)
    campaign = portfolio.insert_campaign("Spring, 'NA'")
    for number, row in enumerate(rows):
        portfolio.insert_qrcode(campaign_id=campaign.id if number % 2 else None, **row)
    return portfolio


def assert_same(first, second):
    """Equal but for the ids, which every store gives anew."""
    pd.testing.assert_frame_equal(first.reset_index(drop=True), second.reset_index(drop=True), check_exact=True)


@pytest.mark.rule("X6")
@given(codes)
@some
def test_a_portfolio_is_the_same_after_it_went_through_a_frame(rows):
    """Open: whether a DataFrame loses anything that files keep. It loses nothing but the ids, as files do."""
    with filled(rows) as old, open_portfolio(":memory:", base_url=GO) as new:
        frame = old.to_frame()
        result = new.import_frame(frame)
        assert result.created == len(rows)
        assert {issue.reason for issue in result.issues} <= {"suspicious-url"}
        assert_same(frame, new.to_frame())
        assert new.export_bytes("json") == old.export_bytes("json")


@pytest.mark.slow
@given(codes, st.randoms(use_true_random=False))
@some
def test_order_case_and_dtypes_of_columns_do_not_matter(rows, luck):
    with filled(rows) as old, open_portfolio(":memory:", base_url=GO) as new:
        frame = old.to_frame()
        changed = frame.rename(columns=luck.choice([str.upper, str.lower, str.title])).astype("object")
        changed = changed[luck.sample(list(changed.columns), len(changed.columns))].convert_dtypes()
        assert {issue.reason for issue in new.import_frame(changed).issues} <= {"suspicious-url"}
        assert_same(frame, new.to_frame())


def test_the_frame_has_the_columns_of_files_and_ours(empty):
    assert empty.to_frame().columns.tolist() == list(LABELS.values())
    code = empty.insert_qrcode("x")
    assert empty.to_frame().index.tolist() == [code.id]
    assert empty.to_frame().index.name == "id"


@pytest.mark.rule("X3")
def test_columns_of_a_frame_may_have_names_of_their_own(empty):
    """Open: a list of products. What its columns are is said by the names of ours; others become fields."""
    frame = pd.DataFrame({"url": ["https://example.com"], "product": ["Tea"], 7: ["Shelf A"], "price": [3.5]})
    columns = {"content": "url", "QR Code Name": "product", "Campaign Name": 7}
    assert [issue.reason for issue in empty.import_frame(frame, columns=columns).issues] == ["own-column"]
    assert empty.list_qrcodes()[0].fields == {"price": "3.5"}
    assert empty.to_frame()[["content", "name", "campaign"]].to_numpy().tolist() == [
        ["https://example.com", "Tea", "Shelf A"]
    ]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            {"url": "Content"},
            "columns='url': is not a column of an import, but 'Content' is; swap the two",
        ),
        ({"Content": "url", "Prize": "price"}, "columns='Prize': is not a column of an import; "),
        (
            {"Content": "ulr", "Size": "price"},
            "columns.Content='ulr': is not a column of the frame; did you",
        ),
        ({"Content": "twice"}, "columns.Content='twice': appears twice in the frame"),
        ({"Size": "price"}, "columns: must say which column is Content"),
        ({7: "Content"}, "columns=7: is not a column of an import, but 'Content' is; swap the two"),
        ({"Content": "url", "content": "price"}, "columns='content': is named twice"),
        (["url"], "columns=['url']: must map our column names to those of the file"),
    ],
)
def test_names_of_columns_that_are_none_are_told_and_nothing_is_read(empty, columns, words):
    frame = pd.DataFrame([["https://example.com", 3.5, "a", "b"]], columns=["url", "price", "twice", "twice"])
    with pytest.raises(InvalidParameter, match=re.escape(words)):
        empty.import_frame(frame, columns=columns)
    assert empty.list_qrcodes() == []


def test_importing_a_frame_twice_changes_nothing(empty):
    """Open: whether a cell of a notebook that runs again adds all again. It adds nothing, and says so of each row."""
    frame = pd.DataFrame({"Content": ["a", "b"], "QR Code Name": ["Door", "Door"]})
    assert [issue.reason for issue in empty.import_frame(frame).issues] == ["renamed"]
    before = empty.to_frame()
    result = empty.import_frame(frame)
    assert (result.created, [issue.reason for issue in result.issues]) == (0, ["duplicate", "duplicate"])
    assert_same(before, empty.to_frame())


@pytest.mark.rule("X2")
def test_bad_rows_are_told_by_their_place_and_lose_no_others(empty):
    frame = pd.DataFrame(
        {"Content": ["a", None, "c", "d"], "Size": [8, 8, 99, np.nan], "Colour": 1}, index=list("wxyz")
    )
    result = empty.import_frame(frame)
    assert result.created == 2
    assert [(issue.row, issue.reason) for issue in result.issues] == [
        (0, "own-column"),
        (2, "invalid"),
        (3, "invalid"),
    ]
    assert empty.to_frame()["content"].tolist() == ["a", "d"]
    assert empty.to_frame()["size"].tolist() == [8, 8]


def test_moments_with_and_without_a_zone_are_utc(empty):
    moments = [
        pd.Timestamp("2026-03-01 13:00", tz="Europe/Paris"),
        pd.Timestamp("2026-03-01 12:00"),
        "2026-03-01 12:00:00",
    ]
    assert empty.import_frame(pd.DataFrame({"Content": list("abc"), "Created (UTC)": moments})).issues == ()
    assert set(empty.to_frame()["created"]) == {pd.Timestamp("2026-03-01 12:00", tz="UTC")}


def test_numbers_and_flags_of_any_dtype_are_read(empty):
    frame = pd.DataFrame(
        {
            "Content": pd.array([1, 2, 3], dtype="Int64"),
            "Dynamic": [True, 0.0, "no"],
            "Scans": pd.array([5, None, 7], dtype="Int64"),
            "Version": [np.nan, 3, -1],
            "Error Correction": pd.Categorical(["H", None, "q"]),
        }
    )
    assert empty.import_frame(frame).issues == ()
    table = empty.to_frame()
    assert table["content"].tolist() == ["1", "2", "3"]
    assert table["is_dynamic"].tolist() == [True, False, False]
    assert table["scans"].tolist() == [5, 0, 7]
    assert table["version"].tolist() == [-1, 3, -1]
    assert table["ec"].tolist() == ["H", "M", "Q"]


def test_a_frame_that_cannot_be_read_changes_nothing(empty):
    with pytest.raises(InvalidParameter, match="did you mean 'content'"):
        empty.import_frame(pd.DataFrame({"Contents": ["x"]}))
    assert len(empty.to_frame()) == 0


def test_an_error_on_the_way_takes_all_back(empty, monkeypatch):
    def broken(*_):
        raise OSError("full")

    monkeypatch.setattr("qrkit.store.records.qrcodes.Staged.insert", broken)
    with pytest.raises(OSError, match="full"):
        empty.import_frame(pd.DataFrame({"Content": ["x"], "Campaign Name": ["Spring"]}))
    assert empty.list_campaigns() == []
    assert empty.list_qrcodes() == []


@pytest.mark.rule("T13")
def test_codes_that_the_plan_does_not_show_are_not_in_the_frame():
    """Open: rows without content could not be read again; they are left out, as of files."""
    most = PLANS["free"].most_qrcodes
    with Store() as store:
        account = Account(new_id(), "Anna", "free")
        insert_account(store, account, NOON)
        portfolio = Portfolio(store, account, base_url=GO)
        portfolio.import_frame(pd.DataFrame({"Content": range(most + 2)}))
        assert len(portfolio.list_qrcodes()) == most + 2
        assert portfolio.to_frame()["content"].tolist() == [str(number) for number in range(most)]


@pytest.mark.rule("X13")
@pytest.mark.filterwarnings("ignore:The default formatting of datetime:Warning")
@pytest.mark.parametrize("written", quick_first(["qrcodes", "to_frame"]))
@pytest.mark.parametrize(
    ("suffix", "write"),
    [
        ("csv", lambda frame, file: frame.to_csv(file)),
        ("csv", lambda frame, file: frame.astype({"size": "float64", "version": "float64"}).to_csv(file, index=False)),
        ("json", lambda frame, file: frame.to_json(file)),
        ("json", lambda frame, file: frame.to_json(file, orient="records")),
        ("json", lambda frame, file: frame.to_json(file, orient="records", date_format="iso")),
        ("json", lambda frame, file: frame.reset_index().to_json(file, orient="records", indent=1)),
    ],
    ids=["csv", "csv of floats", "json", "records", "iso", "with ids"],
)
def test_what_pandas_writes_of_our_own_frames_is_imported_as_it_was(tmp_path, written, suffix, write):
    """Open: our tables in files of pandas. Every row was refused for +00:00, and Content was said to be no column."""
    url = "https://go.example.com"
    with open_portfolio(":memory:", base_url=url) as shop, open_portfolio(":memory:", base_url=url) as copy:
        spring = shop.insert_campaign("Spring").id
        place = {"address": "Trieste", "latitude": 45.65, "longitude": 13.77}
        shop.insert_qrcode("https://example.com", name="Tür", campaign_id=spring, location=place)
        shop.insert_qrcode("007", is_dynamic=False, properties={"version": 3, "size": 5, "ec": "H"}, comment="a\nb")
        file = tmp_path / f"codes.{suffix}"
        write(getattr(shop, written)(), file)
        assert copy.import_file(file).issues == ()
        assert copy.export_bytes("csv") == shop.export_bytes("csv")


def test_a_name_that_json_does_not_know_gets_a_hint_in_its_own_words(tmp_path):
    rows = [{"Contents": "x", "content": "x", "trackURLs": "y", "Id": 7}, {"content": "y", "Content": "z"}]
    with open_portfolio(":memory:") as shop:
        result = shop.import_file(json.dumps(rows).encode(), format="json")
    assert [issue.error for issue in result.issues[:2]] == [
        "own-column: 'Contents' becomes a field of the QR Codes; did you mean 'content' or 'comments'?",
        "own-column: 'trackURLs' becomes a field of the QR Codes; did you mean 'trackUrl'?",
    ]
    assert [(issue.row, issue.error) for issue in result.issues[2:]] == [(2, "invalid: a name appears twice in it")]


@pytest.mark.slow
@given(codes)
@some
def test_a_frame_may_have_the_headings_of_files(rows):
    headings = {label: heading for heading, label in LABELS.items()}
    with filled(rows) as old, open_portfolio(":memory:", base_url=GO) as new:
        frame = old.to_frame()
        assert new.import_frame(frame.rename(columns=headings)).issues == ()
        assert_same(frame, new.to_frame())


@pytest.mark.parametrize("names", [("content", "name"), ("Content", "QR Code Name")])
def test_columns_of_other_names_are_told_in_either_dialect(empty, names):
    columns = dict(zip(names, ("url", "product"), strict=True))
    frame = pd.DataFrame({"url": ["https://example.com"], "product": ["Tea"]})
    assert empty.import_frame(frame, columns=columns).issues == ()
    assert empty.to_frame()[["content", "name"]].to_numpy().tolist() == [["https://example.com", "Tea"]]


def test_issues_of_a_frame_name_its_columns_as_frames_do(empty):
    result = empty.import_frame(pd.DataFrame({"content": ["x" * 32_768], "short_url": [7], "nmae": ["y"]}))
    own, long = (issue.error for issue in result.issues)
    assert own.endswith("'nmae' becomes a field of the QR Codes; did you mean 'name'?")
    assert long.startswith("invalid: content=")
