"""Tables of two attributes against pandas' own, and small groups in them against what totals would tell."""

from datetime import UTC, datetime, timedelta
from random import Random

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import analytics, open_portfolio
from qrkit.errors import InvalidParameter
from tests.sweeps import quick_first

ZONE = "Asia/Kathmandu"
NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@pytest.fixture(scope="module")
def made():
    """A portfolio, and its scans with what each is counted by."""
    random = Random(4)
    rows = [
        {
            "short_code": random.choice(["door", "shelf"]),
            "time": datetime(2026, 3, 27, tzinfo=UTC) + timedelta(minutes=random.randrange(20_000)),
            "country": random.choices(["DE", "DK", "SI", "PT", None], [40, 20, 3, 1, 10])[0],
            "content": f"https://x.example?utm_source={random.choice(['poster', 'bus', 'other'])}",
            "user_agent": random.choice(["", "Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0"]),
        }
        for _ in range(160)
    ]
    with open_portfolio(":memory:") as shop:
        for code in ("door", "shelf"):
            shop.insert_qrcode("https://example.com", name=code.title(), short_code=code)
        truth = pd.DataFrame(rows)
        shop.scans.insert(truth)
        local = truth["time"].dt.tz_convert(ZONE)
        truth["weekday"] = [NAMES[day] for day in local.dt.day_of_week]
        truth["hour"] = [f"{hour:02}" for hour in local.dt.hour]
        truth["utm_source"] = truth["content"].str.partition("=")[2]
        truth["qrcode"] = truth["short_code"].str.title()
        truth["device"] = ["computer" if agent else "unknown" for agent in truth["user_agent"]]
        truth["country"] = truth["country"].fillna("unknown")
        yield shop.scans.where(time_zone=ZONE), truth


@pytest.mark.parametrize(
    ("rows", "columns"),
    [("country", "device"), ("utm_source", "weekday"), ("weekday", "hour"), ("hour", "qrcode"), ("device", "country")],
)
def test_counts_and_totals_are_those_of_pandas(made, rows, columns):
    scans, truth = made
    found = analytics.cross_table(scans, rows, columns)
    wanted = pd.crosstab(truth[rows], truth[columns], margins=True, margins_name="total")
    assert found.fillna(0).loc[wanted.index, wanted.columns].to_numpy().tolist() == wanted.to_numpy().tolist()
    assert found.drop(index=wanted.index).sum().sum() == found.drop(columns=wanted.columns).sum().sum() == 0
    assert (found.index.name, found.columns.name) == (rows, columns)
    for attribute, names in ((rows, found.index), (columns, found.columns)):
        assert names[-1] == "total"
        if attribute == "weekday":
            assert tuple(names[:-1]) == NAMES
        elif attribute != "hour":
            counts = [int((truth[attribute] == name).sum()) for name in names[:-1]]
            assert counts == sorted(counts, reverse=True)


@given(st.integers(1, 5))
@settings(max_examples=5)
def test_rare_values_are_added_up(made, most):
    scans, truth = made
    found = analytics.cross_table(scans, "country", "weekday", most=most)
    common = truth["country"].value_counts().index[:most]
    wanted = truth["country"].where(truth["country"].isin(common), "other").value_counts()
    assert found["total"].drop("total").to_dict() == wanted.to_dict()
    assert found.loc["total", "total"] == len(truth)


@pytest.mark.parametrize("pair", quick_first([("country", "device"), ("country", "weekday"), ("hour", "country")]))
@given(least=st.integers(2, 12))
@settings(max_examples=8)
def test_small_counts_are_hidden_and_no_total_reveals_one(made, pair, least):
    scans, truth = made
    found = analytics.cross_table(scans, *pair, least=least)
    totals = [*found["total"], *found.loc["total"]]
    assert not any(0 < total < least for total in totals)
    cells = found.drop(index="total", columns="total")
    assert not ((cells > 0) & (cells < least)).fillna(False).any().any()
    for lines, sums in ((cells, found["total"]), (cells.T, found.loc["total"])):
        for name, line in lines.iterrows():
            hidden = int(line.isna().sum())
            if hidden and (line > 0).any():
                # Any of the hidden cells could be as large as `least`.
                assert hidden > 1
                assert sums[name] - line.sum() - (hidden - 1) >= least
    assert found.loc["total", "total"] == len(truth)


def test_a_view_without_scans_has_totals_of_zero(made):
    found = analytics.cross_table(made[0].where(since="2030-01-01"), "country", "weekday")
    assert found.index.tolist() == ["total"]
    assert found.loc["total"].tolist() == [0] * 8
    assert analytics.cross_table(made[0].where(country="XX"), "country", "device").to_numpy().tolist() == [[0]]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"rows": "time"}, "rows"),
        ({"columns": "1; DROP TABLE visits"}, "columns"),
        ({"columns": "country"}, "columns"),
        ({"most": 0}, "most"),
        ({"least": 1}, "least"),
    ],
)
def test_error_names_the_invalid_parameter(made, asked, name):
    with pytest.raises(InvalidParameter) as caught:
        analytics.cross_table(made[0], **({"rows": "country", "columns": "device"} | asked))
    assert caught.value.name == name
