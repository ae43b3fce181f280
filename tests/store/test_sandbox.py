"""Scans as Parquet and as Arrow: the rows and columns of their frame, whole or not at all."""

import gc
from datetime import UTC, datetime, timedelta

import duckdb
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.errors import CannotWrite, StoreClosed
from qrkit.store.upkeep.maintenance import compact
from qrkit.tracking.text_columns import with_dtypes
from tests.sweeps import quick_first

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
texts = st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@pytest.fixture
def shop(tmp_path):
    with open_portfolio(tmp_path / "a.duckdb") as portfolio:
        portfolio.insert_qrcode("https://a.example", short_code="door", location={"latitude": 46.2, "longitude": 6.1})
        yield portfolio


def rows(number):
    times = [NOON - timedelta(seconds=n * 7919 % 100_003) for n in range(number)]
    visitors = pd.array([2**64 - 1 - n for n in range(number)], dtype="UInt64")
    return pd.DataFrame(
        {"short_code": "door", "time": times, "user_agent": PHONE, "visitor": visitors, "city": "Åarhus"}
    )


def parquet(path):
    with duckdb.connect() as connection:
        return connection.read_parquet(str(path)).df()


def arrow(found):
    with duckdb.connect() as connection:
        connection.register("found", found)
        return connection.sql("FROM found").df()


def assert_same(found, frame):
    plain = frame.assign(time=frame["time"].dt.tz_localize(None))
    pd.testing.assert_frame_equal(found.astype(plain.dtypes.to_dict()), plain)


@pytest.mark.parametrize("number", quick_first([0, 1, 5_000], 2))
def test_parquet_and_arrow_hold_what_the_frame_holds(shop, tmp_path, number):
    shop.scans.insert(rows(number))
    frame = shop.scans.to_frame()
    assert len(frame) == number
    path = shop.scans.to_parquet(tmp_path / "scans.parquet")
    assert path == tmp_path / "scans.parquet"
    assert_same(parquet(path), frame)
    found = shop.scans.to_arrow()
    assert len(found) == number
    assert found.columns == tuple(frame.columns)
    assert_same(arrow(found), frame)


@pytest.mark.slow
@given(st.lists(st.tuples(texts, texts, texts), max_size=5))
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_comes_through(tmp_path, found):
    with open_portfolio(":memory:") as shop:
        shop.insert_qrcode("https://a.example", short_code="door")
        columns = list(zip(*found, strict=True)) or [[], [], []]
        given_rows = dict(zip(("city", "referrer", "user_agent"), columns, strict=True))
        times = [NOON + timedelta(seconds=n) for n in range(len(found))]
        shop.scans.insert(pd.DataFrame({"short_code": ["door"] * len(found), "time": times} | given_rows))
        frame = shop.scans.to_frame()
        assert_same(parquet(shop.scans.to_parquet(tmp_path / "x.parquet")), frame)
        assert_same(arrow(shop.scans.to_arrow()), frame)


def test_a_narrowed_view_writes_its_own_rows_alone(shop, tmp_path):
    shop.scans.insert(rows(100))
    late = shop.scans.where(since=NOON - timedelta(hours=6))
    assert 0 < late.count() < 100
    assert_same(parquet(late.to_parquet(tmp_path / "late.parquet")), late.to_frame())
    assert len(late.to_arrow()) == late.count()


def test_types_are_those_of_the_store(shop, tmp_path):
    shop.scans.insert(rows(3))
    with duckdb.connect() as connection:
        found = connection.read_parquet(str(shop.scans.to_parquet(tmp_path / "x.parquet")))
        types = dict(zip(found.columns, map(str, found.types), strict=True))
    assert (types["time"], types["visitor"], types["qrcode_latitude"]) == ("TIMESTAMP", "UBIGINT", "DOUBLE")
    assert types["is_bot"] == "BOOLEAN"


@pytest.mark.parametrize(
    "name", quick_first(["it's.parquet", "a b; DROP TABLE visits.parquet", "漢.parquet", "100%.parquet", "x"], 2)
)
def test_a_file_may_have_any_name(shop, tmp_path, name):
    shop.scans.insert(rows(3))
    assert len(parquet(shop.scans.to_parquet(tmp_path / name))) == 3
    assert shop.scans.count() == 3


def test_a_file_that_was_there_is_replaced_and_one_that_cannot_be_written_is_named(shop, tmp_path):
    path = tmp_path / "x.parquet"
    path.write_text("old")
    shop.scans.insert(rows(3))
    shop.scans.to_parquet(path)
    assert len(parquet(path)) == 3
    with pytest.raises(CannotWrite, match=r"gone.x\.parquet cannot be written: No such file .*; make the folder"):
        shop.scans.to_parquet(tmp_path / "gone" / "x.parquet")
    with pytest.raises(CannotWrite, match="cannot be written"):
        shop.scans.to_parquet(tmp_path)
    shop.close()
    with pytest.raises(StoreClosed):
        shop.scans.to_parquet(path)
    assert len(parquet(path)) == 3
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.duckdb", "x.parquet"]


def test_arrow_rows_are_a_copy_that_outlives_the_store(shop):
    shop.scans.insert(rows(1_000))
    found, frame = shop.scans.to_arrow(), shop.scans.to_frame()
    shop.scans.insert(rows(1_000))
    compact(shop.store)
    shop.close()
    for _ in range(2):  # read as often as anybody likes
        assert_same(arrow(found), frame)
    assert repr(found).startswith("<ArrowRows, 1,000 rows of time, kind, ")


def test_streams_at_once_do_not_disturb_each_other(shop):
    shop.scans.insert(rows(3_000))
    found = shop.scans.to_arrow()
    with duckdb.connect() as connection:
        connection.register("found", found)
        both = connection.sql("SELECT count(*) FROM found a JOIN found b USING (visitor)").fetchall()
    assert both == [(3_000,)]
    stream = found.__arrow_c_stream__()
    del found
    gc.collect()
    assert "arrow_array_stream" in repr(stream)


def test_a_snapshot_is_written_too(shop, tmp_path):
    shop.scans.insert(rows(10))
    with open_portfolio(snapshot_of=shop.store.path) as copy:
        assert set(parquet(copy.scans.to_parquet(tmp_path / "x.parquet"))["device"]) == {"phone"}
        assert len(copy.scans.to_arrow()) == 10


@pytest.mark.slow
def test_frames_and_files_have_all_texts_whether_few_or_many(shop, tmp_path):
    """A column of few distinct texts is read in another way than one of many."""
    many = 10_050
    frame = rows(many).assign(
        referrer=[f"host{number}.example" for number in range(many)],
        language=[(None, "", "it's", 'a "b"', "U+0000 \0")[number % 5] for number in range(many)],
    )
    assert shop.scans.insert(frame) == many

    def texts_of(frame):
        return with_dtypes(frame, {name: "str" for name in frame if frame[name].dtype.kind not in "Mfub"})

    expected = texts_of(shop.scans.ask("SELECT * FROM scans ORDER BY time"))
    with shop.store.atomic():
        for _ in range(2):
            made = shop.scans.to_frame()
            made["time"] = made["time"].dt.tz_localize(None)
            pd.testing.assert_frame_equal(made[[*expected]], expected, check_dtype=False)
    file = shop.scans.to_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(texts_of(parquet(file))[[*expected]], expected, check_dtype=False)
    asked = shop.sql("SELECT DISTINCT language FROM scans WHERE language IS NOT NULL")
    assert set(asked["language"]) == set(frame["language"].dropna())
