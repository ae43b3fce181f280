"""Small groups against an attacker who knows the totals and that nothing hidden is 0."""

import itertools
from datetime import UTC, datetime

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from qrkit import analytics, open_portfolio
from qrkit.errors import InvalidParameter

some = settings(max_examples=150)
counts = st.lists(st.integers(0, 12), min_size=1, max_size=6)


def table(numbers):
    return pd.DataFrame({"country": [f"c{n}" for n in range(len(numbers))], "scans": numbers, "share": 0.5}).astype(
        {"country": "str", "scans": "int64", "share": "float64"}
    )


@given(counts, st.integers(2, 7))
@some
def test_what_is_hidden_could_be_anything_from_1_to_the_least_or_more(numbers, least):
    found = analytics.without_small_groups(table(numbers), by=("country",), least=least)
    hidden = [n for n, shown in enumerate(found["scans"]) if pd.isna(shown)]
    shown = [n for n in range(len(numbers)) if n not in hidden]
    assert all(numbers[n] == found["scans"][n] and not 0 < numbers[n] < least for n in shown)
    assert hidden or not any(0 < number < least for number in numbers)
    assert found["share"].isna().tolist() == found["scans"].isna().tolist()
    assume(shown and all(numbers[n] for n in hidden))  # else a total says it all
    rest = sum(numbers) - sum(numbers[n] for n in shown)
    for place in range(len(hidden)):
        possible = {
            split[place]
            for split in itertools.product(range(1, rest + 1), repeat=len(hidden))
            if sum(split) == rest
        } if len(hidden) <= 3 else set(range(1, rest - len(hidden) + 2))  # fmt: skip
        assert possible >= set(range(1, least + 1))


@given(counts, st.integers(2, 7))
@some
def test_merged_groups_keep_the_total(numbers, least):
    found = analytics.without_small_groups(table(numbers), by=("country",), least=least, merge=True)
    assert found["scans"].sum() == sum(numbers)
    if any(0 < number < least for number in numbers):
        last = found.iloc[-1]
        assert last["country"] == analytics.OTHER
        assert last["scans"] >= least or set(found["country"]) == {analytics.OTHER}
        assert pd.isna(last["share"])
    else:
        assert found["scans"].tolist() == numbers
    assert not any(0 < number < least for number in found["scans"][:-1])


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=2, max_size=4), st.integers(2, 5))
@some
def test_no_total_of_a_row_or_a_column_tells_a_hidden_count(rows, least):
    frame = pd.DataFrame(
        [(f"day {n}", f"c{m}", number) for n, row in enumerate(rows) for m, number in enumerate(row)],
        columns=["day", "country", "scans"],
    )
    found = analytics.without_small_groups(frame, by=("day", "country"), least=least)
    found["true"] = frame["scans"]
    for name in ("day", "country"):
        for _, line in found.groupby(name):
            hidden = line[line["scans"].isna()]
            if len(hidden) and len(hidden) < len(line):
                assert len(hidden) >= 2
                assert hidden["true"].sum() - (len(hidden) - 1) >= least


def test_a_single_small_group_takes_the_next_one_with_it():
    found = analytics.without_small_groups(table([50, 9, 2, 0]), by=("country",))
    assert found["scans"].fillna(-1).tolist() == [50, -1, -1, 0]
    merged = analytics.without_small_groups(table([50, 9, 2, 0]), by=("country",), merge=True)
    assert merged[["country", "scans"]].to_numpy().tolist() == [["c0", 50], ["c3", 0], ["other", 11]]


def test_a_table_without_small_groups_stays_as_it_is():
    for numbers in ([], [0], [5], [5, 6, 0]):
        found = analytics.without_small_groups(table(numbers), by=("country",))
        assert found["scans"].tolist() == numbers
        assert str(found["scans"].dtype) == "Int64"


def test_tables_of_analytics_can_be_given_away():
    with open_portfolio(":memory:") as shop:
        shop.insert_qrcode("https://a.example", short_code="door")
        countries = ["DE"] * 20 + ["DK"] * 7 + ["VA"]
        times = [datetime(2026, 3, 1, 12, tzinfo=UTC)] * len(countries)
        shop.scans.insert(
            pd.DataFrame({"short_code": "door", "time": times, "country": countries, "visitor": range(28)})
        )
        found = analytics.without_small_groups(analytics.scans_by(shop.scans, "country"), by=("country",))
        assert found[["country", "scans", "visitors"]].fillna(-1).to_numpy().tolist() == [
            ["DE", 20, 20], ["DK", -1, -1], ["VA", -1, -1],
        ]  # fmt: skip
        assert "VA,,," in found.to_csv(index=False)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("by", {"by": "country"}),
        ("by", {"by": ()}),
        ("by", {"by": ("scans",)}),
        ("land", {"by": ("land",)}),
        ("clicks", {"by": ("country",), "count": "clicks"}),
        ("share", {"by": ("country",), "count": "share"}),
        ("least", {"by": ("country",), "least": 1}),
        ("least", {"by": ("country",), "least": True}),
        ("least", {"by": ("country",), "least": 5.0}),
        ("least", {"by": ("country",), "least": 1_000_001}),
        ("merge", {"by": ("country", "share"), "merge": True}),
    ],
)
def test_what_cannot_be_hidden_is_refused(name, arguments):
    with pytest.raises(InvalidParameter) as caught:
        analytics.without_small_groups(table([5, 1]), **arguments)
    assert caught.value.name == name


def test_a_count_below_zero_is_refused():
    with pytest.raises(InvalidParameter, match="whole numbers from 0"):
        analytics.without_small_groups(table([5, -1]), by=("country",))
