"""Tables of other libraries are taken as DataFrames are, through the Arrow PyCapsule interface or `to_pandas`."""

from datetime import UTC, datetime

import duckdb
import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter

VISITS = """
SELECT 'door' AS short_code, TIMESTAMPTZ '2026-03-01 12:00:00+00' + to_hours(i::INTEGER) AS time, 'SI' AS country
FROM range(3) hours(i)
"""


class Arrow:
    """A table that speaks Arrow and nothing else, as that of any library may."""

    def __init__(self, select):
        self.rows = duckdb.connect().sql(select)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.rows.__arrow_c_stream__()


class Convertible:
    """A table that becomes a DataFrame, and speaks no Arrow."""

    def __init__(self, result):
        self.result = result

    def to_pandas(self):
        return self.result


@pytest.fixture
def shop():
    with open_portfolio(":memory:") as portfolio:
        portfolio.insert_qrcode("https://example.com", short_code="door")
        yield portfolio


def test_visits_come_in_once_from_any_table(shop):
    assert shop.scans.insert(Arrow(VISITS)) == 3
    assert shop.scans.insert(Convertible(shop.scans.to_frame()[["short_code", "time", "country"]])) == 0
    assert shop.scans.insert(duckdb.sql(VISITS)) == 0
    found = shop.scans.to_frame()
    assert found["time"].tolist() == [pd.Timestamp(datetime(2026, 3, 1, hour, tzinfo=UTC)) for hour in (12, 13, 14)]
    assert set(found["country"]) == {"SI"}


def test_qrcodes_come_in_from_arrow(shop):
    made = shop.import_frame(Arrow("SELECT '007' AS name, 'https://example.net' AS content, 12 AS size"))
    assert made.created == 1
    assert shop.to_frame()[["name", "size"]].to_numpy().tolist()[-1] == ["007", 12]


@pytest.mark.slow
def test_sql_joins_arrow(shop):
    shop.scans.insert(Arrow(VISITS))
    found = shop.sql(
        "SELECT name, count(*) AS scans FROM scans JOIN doors USING (short_code) GROUP BY ALL",
        doors=Arrow("SELECT 'door' AS short_code, 'Front' AS name"),
    )
    assert found.to_dict("records") == [{"name": "Front", "scans": 3}]


@pytest.mark.parametrize("given", [None, 5, "door", pd.DataFrame, pd.Series([1]), Convertible(pd.Series([1]))])
def test_what_is_no_table_is_refused(shop, given):
    with pytest.raises(InvalidParameter, match="must be a DataFrame of pandas or polars, or an Arrow table"):
        shop.import_frame(given)
    with pytest.raises(InvalidParameter, match="must be a DataFrame of pandas or polars, or an Arrow table"):
        shop.scans.insert(given)


def test_a_table_that_breaks_is_refused(shop):
    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise RuntimeError("no rows today")

    with pytest.raises(InvalidParameter, match="frame="):
        shop.scans.insert(Broken())
