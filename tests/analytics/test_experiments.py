"""Experiments name false winners at most as often as they say, however often they are looked at."""

from math import isnan, log

import numpy as np
import pandas as pd
import pytest

from qrkit import analytics, charts
from qrkit.analytics import check_split, experiment, plan_experiment, simulate_experiment
from qrkit.errors import InvalidParameter
from tests.analytics.study_experiments import WEIGHTS, ratio_cell, split_cell, value_cell
from tests.dtypes import TEXT

COLUMNS = dict.fromkeys(("first", "second", "method"), TEXT)
COLUMNS |= dict.fromkeys(("first_visitors", "second_visitors", "first_conversions", "second_conversions"), "int64")
COLUMNS |= dict.fromkeys(("first_rate", "second_rate", "effect", "low", "high", "probability"), "float64")
COLUMNS |= {"loss": "float64", "loss_later": "float64", "days_left": "Int64"}
COLUMNS |= dict.fromkeys(("winner", "reason", "sentence"), TEXT)


class Frames:
    """An experiment given as two frames, as a portfolio gives them."""

    def __init__(self, visits, weights):
        self.visits, self.weights = visits, weights

    def split_visits(self, code, *, within="24h", conversion=None):
        return self.visits

    def split_weights(self, code):
        return self.weights


def frames(rows, shares, since="2026-03-01"):
    """An experiment of visitors (stratum, variant, converted), one an hour, and the shares of each stratum."""
    start = pd.date_range(since, periods=len(rows), freq="h", tz="UTC")
    visits = pd.DataFrame(rows, columns=["stratum", "variant", "converted"]).assign(start=start, pending=False)
    visits["value"] = visits["converted"] * 10.0
    visits = visits.astype({"stratum": "Int64", "converted": "boolean", "value": "Float64", "pending": "boolean"})
    weights = [
        (number, pd.Timestamp(since, tz="UTC"), *one) for number, each in enumerate(shares) for one in each.items()
    ]
    return Frames(visits, pd.DataFrame(weights, columns=["stratum", "since", "variant", "share"]))


def repeated(**groups):
    """Visitors in turn: `repeated(A=(3, 1))` are three of A of whom one converts."""
    rows = [(0, name, number < converts) for name, (visitors, converts) in groups.items() for number in range(visitors)]
    return [rows[place] for place in np.random.default_rng(1).permutation(len(rows))]


@pytest.fixture(scope="module")
def better():
    return simulate_experiment({"A": 0.05, "B": 0.09}, visitors_a_day=300, days=40)


@pytest.fixture(scope="module")
def alike():
    return simulate_experiment({"A": 0.05, "B": 0.05}, visitors_a_day=100, days=30, mood=0.5)


# ---- what is promised of all looks


@pytest.mark.slow
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("world", ["drift", "moods", "groups"])
def test_daily_looks_name_few_false_winners(world, weights):
    cell = ratio_cell(world, weights, visitors=100, rate=0.1, effect=0.0, worlds=60)
    assert cell.winners <= 0.1  # 0.05 and two standard errors; the study has 1,000 worlds
    assert cell.covers >= 0.9


def test_better_variants_are_found():
    cell = ratio_cell("steady", "even", visitors=40, rate=0.05, effect=log(2), worlds=40)
    assert cell.winners >= 0.9
    assert cell.covers >= 0.9


@pytest.mark.parametrize("weights", ["even", "even, then 5/95"])
def test_values_name_few_false_winners(weights):
    cell = value_cell("moods", weights, visitors=100, rate=0.3, difference=0.0, spread=0.5, worlds=20)
    assert cell.winners <= 0.1


def test_splits_are_checked_at_every_look():
    assert split_cell(shift=0.0, visitors=20_000, worlds=60) == 0
    assert split_cell(shift=0.02, visitors=20_000, worlds=60) >= 0.9


# ---- the answer


@pytest.mark.parametrize("method", ["ratio", "difference"])
def test_experiment_has_its_columns(better, method):
    for one in (better, frames([], [{"A": 0.5, "B": 0.5}])):
        assert {name: str(dtype) for name, dtype in experiment(one, "door", method=method).dtypes.items()} == COLUMNS


def test_the_better_variant_wins(better):
    row = experiment(better, "door").iloc[0]
    assert (row["winner"], row["days_left"], row["reason"]) == ("B", 0, "")
    assert 0 < row["low"] < 0.8 < row["high"]
    assert row["sentence"].startswith("B converts ")
    assert row["first_rate"] == pytest.approx(row["first_conversions"] / row["first_visitors"])


def test_names_do_not_matter(better):
    """The same experiment with the variants exchanged has the opposite answer."""
    names = {"A": "Z", "B": "A"}
    turned = Frames(*(frame.replace({"variant": names}) for frame in (better.split_visits("door"), better.weights)))
    one, other = (experiment(each, "door").iloc[0] for each in (better, turned))
    assert other["sentence"] == one["sentence"].replace("A", "Z").replace("B", "A")
    assert log(1 + other["effect"]) == pytest.approx(log(1 + one["effect"]))


def test_a_tie_is_said_to_be_open(alike):
    row = experiment(alike, "door").iloc[0]
    assert isnan(row["winner"])
    assert row["low"] < 0 < row["high"]
    assert row["loss"] >= row["loss_later"] > 0
    assert "too early to say; about" in row["sentence"] or "would take years" in row["sentence"]


def test_pending_visitors_are_left_out_of_all_variants(better):
    visits = better.split_visits("door")
    settled = visits[~visits["pending"]]
    row = experiment(better, "door").iloc[0]
    assert 0 < len(settled) < len(visits)
    assert row["first_visitors"] + row["second_visitors"] == len(settled)
    assert row["first_conversions"] + row["second_conversions"] == settled["converted"].sum()


def test_days_end_with_the_answer(better):
    days, row = experiment(better, "door", by_day=True), experiment(better, "door").iloc[0]
    assert days["day"].is_monotonic_increasing
    assert days.iloc[-1][["effect", "low", "high"]].tolist() == row[["effect", "low", "high"]].tolist()
    before = better.visits[better.visits["start"] < "2026-01-20"]
    earlier = experiment(Frames(before.assign(pending=False), better.weights), "door")
    assert days.set_index("day").loc["2026-01-19", "low"] == pytest.approx(earlier["low"].iloc[0], abs=0.05)


def test_changed_weights_do_not_make_a_winner():
    """Conversion falls while a variant gets more visitors: their sums would name the wrong one (Simpson)."""
    weights = {0: {"A": 9, "B": 1}, 30: {"A": 1, "B": 9}}
    world = simulate_experiment({"A": 0.2, "B": 0.2}, visitors_a_day=200, days=60, weights=weights, drift=-0.9)
    row = experiment(world, "door").iloc[0]
    sums = world.split_visits("door").groupby("variant")["converted"].mean()
    assert sums["A"] > 1.5 * sums["B"]
    assert isnan(row["winner"])
    assert row["first_rate"] == pytest.approx(row["second_rate"], rel=0.2)


def test_values_are_compared_by_difference(better):
    row = experiment(better, "door", outcome="value").iloc[0]
    assert (row["method"], row["winner"]) == ("difference", "B")
    assert row["low"] < 0.04 * 20 < row["high"]
    assert row["effect"] == pytest.approx(row["second_rate"] - row["first_rate"], abs=0.1)
    assert "more per visitor" in row["sentence"]


def test_few_large_values_are_refused():
    rows = repeated(A=(500, 8), B=(500, 2))
    row = experiment(frames(rows, [{"A": 0.5, "B": 0.5}]), "door", outcome="value").iloc[0]
    assert "too few conversions so far" in row["reason"]
    assert row[["effect", "low", "high", "probability", "loss"]].isna().all()


def test_values_in_several_currencies_are_refused(better):
    visits = better.split_visits("door").assign(value=pd.array([pd.NA], "Float64")[0])
    row = experiment(Frames(visits.astype({"value": "Float64"}), better.weights), "door", outcome="value").iloc[0]
    assert "currencies" in row["reason"]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [({"outcome": "clicks"}, "outcome"), ({"method": "z"}, "method"), ({"level": 1}, "level"),
     ({"outcome": "value", "method": "ratio"}, "method")],
)  # fmt: skip
def test_error_names_the_invalid_argument(better, arguments, name):
    with pytest.raises(InvalidParameter) as error:
        experiment(better, "door", **arguments)
    assert error.value.name == name


# ---- odd experiments


def test_nobody_converts():
    row = experiment(frames(repeated(A=(50, 0), B=(50, 0)), [{"A": 0.5, "B": 0.5}]), "door").iloc[0]
    assert (row["reason"], row["first_rate"]) == ("nobody has converted yet", 0)


def test_one_variant_converts_never():
    row = experiment(frames(repeated(A=(90, 30), B=(90, 0)), [{"A": 0.5, "B": 0.5}]), "door").iloc[0]
    assert (row["winner"], row["low"]) == ("A", -1)
    assert "A converts" in row["sentence"]
    assert "any number" in row["sentence"]


def test_an_empty_variant_has_no_rate():
    row = experiment(frames([(0, "A", True)] * 5, [{"A": 0.5, "B": 0.5}]), "door").iloc[0]
    assert (row["second_visitors"], row["first_rate"]) == (0, 1)
    assert isnan(row["second_rate"])
    assert isnan(row["winner"])


def test_without_visitors_there_is_no_answer():
    nobody = frames([], [{"A": 0.5, "B": 0.5}])
    assert experiment(nobody, "door")["reason"].iloc[0]
    assert not len(experiment(nobody, "door", by_day=True))
    assert not check_split(nobody, "door")["is_broken"].any()
    assert charts.experiment(experiment(nobody, "door", by_day=True)).words == "none"


@pytest.mark.parametrize("shares", [[], [{"A": 1.0}], [{"A": 1.0, "B": 0.0}, {"A": 0.0, "B": 1.0}]])
def test_codes_that_are_not_split_are_refused(shares):
    for ask in (experiment, check_split):
        with pytest.raises(InvalidParameter, match="split among variants"):
            ask(frames([], shares), "door")


@pytest.mark.slow
def test_ten_variants_share_the_level():
    world = simulate_experiment(dict.fromkeys("ABCDEFGHIJ", 0.1) | {"J": 0.3}, visitors_a_day=700, days=14)
    rows = experiment(world, "door")
    assert len(rows) == 45
    assert set(rows["winner"].dropna()) == {"J"}
    assert "J" in rows.loc[0, ["first", "second"]].tolist()
    alone = frames(repeated(A=(90, 30), B=(90, 30)), [{"A": 0.5, "B": 0.5}])
    among = frames(repeated(A=(90, 30), B=(90, 30)), [{"A": 0.5, "B": 0.5}, {"A": 0.4, "B": 0.4, "C": 0.2}])
    one, other = (experiment(each, "door").set_index(["first", "second"]).loc[("A", "B")] for each in (alone, among))
    assert one["high"] - one["low"] < other["high"] - other["low"]


def test_a_later_variant_is_compared_from_then_on():
    weights = {0: {"A": 1, "B": 1}, 20: {"A": 1, "B": 1, "C": 2}}
    world = simulate_experiment({"A": 0.1, "B": 0.1, "C": 0.1}, visitors_a_day=100, days=30, weights=weights, drift=3.0)
    rows = experiment(world, "door").set_index(["first", "second"])
    visits = world.split_visits("door")
    late = visits[(visits["start"] >= "2026-01-21") & ~visits["pending"]]
    assert rows.loc[("A", "C"), "first_visitors"] == (late["variant"] == "A").sum()
    assert rows.loc[("A", "B"), "first_visitors"] > rows.loc[("A", "C"), "first_visitors"]


def test_a_renamed_variant_is_another_one():
    rows = [(0, name, False) for name in "AB" * 20] + [(1, name, name == "New") for name in ("A", "New") * 20]
    found = experiment(frames(rows, [{"A": 0.5, "B": 0.5}, {"A": 0.5, "New": 0.5}]), "door")
    assert set(zip(found["first"], found["second"], strict=True)) == {("A", "B"), ("A", "New")}
    assert not check_split(frames(rows, [{"A": 0.5, "B": 0.5}, {"A": 0.5, "New": 0.5}]), "door")["is_broken"].any()


def test_a_variant_that_ended_has_no_days_left():
    weights = {0: {"A": 1, "B": 1, "C": 1}, 20: {"A": 1, "B": 1}}
    world = simulate_experiment({"A": 0.1, "B": 0.1, "C": 0.12}, visitors_a_day=100, days=30, weights=weights)
    rows = experiment(world, "door")
    assert rows.loc[(rows["second"] == "C") & rows["winner"].isna(), "days_left"].isna().all()


# ---- the check of the split


def test_split_counts_all_visitors(better):
    frame = check_split(better, "door")
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == {
        "variant": TEXT, "visitors": "int64", "expected": "float64", "evidence": "float64", "is_broken": "bool",
        "sentence": TEXT,
    }  # fmt: skip
    assert frame["visitors"].sum() == len(better.visits) == pytest.approx(frame["expected"].sum())
    assert not frame["is_broken"].any()


def test_a_broken_split_is_told_first():
    broken = frames(repeated(A=(6_000, 600), B=(5_000, 900)), [{"A": 0.5, "B": 0.5}])
    assert (
        check_split(broken, "door")["sentence"].iloc[0].startswith("The split is broken: A got 54.5% of all visitors")
    )
    row = experiment(broken, "door").iloc[0]
    assert row["low"] > 0
    assert isnan(row["winner"])
    assert row["reason"] == "the split is broken"


def test_visitors_of_a_variant_without_weight_break_the_split():
    frame = check_split(frames(repeated(A=(9, 1), B=(9, 1), C=(1, 0)), [{"A": 0.5, "B": 0.5, "C": 0.0}]), "door")
    assert frame["is_broken"].all()


# ---- plans


@pytest.mark.slow
def test_plans_hold_in_simulated_experiments():
    plan = plan_experiment(400, rate=0.05, lift=0.5)
    assert plan["probability"].tolist() == [0.5, 0.8, 0.9]
    days = plan["days"].tolist()
    shown = ratio_cell("steady", "even", visitors=400, rate=0.05, effect=log(1.5), worlds=80).days
    assert [np.mean(shown <= one) for one in days] == pytest.approx([0.5, 0.8, 0.9], abs=0.15)


def test_plans_tell_what_takes_years():
    assert "takes 10 years" in plan_experiment(40, rate=0.05, lift=0.1)["sentence"].iloc[1]
    assert "hundred years" in plan_experiment(1, rate=0.01, lift=0.01)["sentence"].iloc[0]
    assert plan_experiment(1, rate=0.01, lift=0.01)["days"].isna().all()


@pytest.mark.slow
def test_plans_are_shorter_with_more_information():
    given = {"visitors_a_day": 200, "rate": 0.1, "lift": 0.4}
    days = plan_experiment(**given)["days"]
    for change in ({"visitors_a_day": 400}, {"lift": 0.8}, {"rate": 0.3}):
        assert (plan_experiment(**given | change)["days"] < days).all()
    assert (plan_experiment(**given, variants=4)["days"] > days).all()


@pytest.mark.parametrize(
    "wrong", [{"visitors_a_day": 0}, {"rate": 1.0}, {"rate": 0}, {"lift": -1}, {"lift": 9}, {"variants": 11}]
)
def test_plan_names_the_invalid_argument(wrong):
    with pytest.raises(InvalidParameter) as error:
        plan_experiment(**{"visitors_a_day": 100, "rate": 0.2, "lift": 0.1} | wrong)
    assert error.value.name == next(iter(wrong))


# ---- simulated experiments


def test_the_same_arguments_simulate_the_same():
    one, other = (simulate_experiment({"A": 0.1, "B": 0.2}, visitors_a_day=50, days=5, mood=1.0) for _ in range(2))
    pd.testing.assert_frame_equal(one.visits, other.visits)
    assert one.visits["start"].between("2026-01-01", "2026-01-06").all()


def test_simulated_rates_are_those_asked_for():
    world = simulate_experiment({"A": 0.1, "B": 0.3}, visitors_a_day=5_000, days=20)
    rates = world.split_visits("door").groupby("variant")["converted"].mean()
    assert rates.tolist() == pytest.approx([0.1, 0.3], abs=0.01)
    assert world.split_visits("door", within="1h")["pending"].sum() < world.split_visits("door")["pending"].sum()


@pytest.mark.parametrize(
    ("wrong", "name"),
    [({"rates": {"A": 2.0}}, "rates"), ({"days": 0}, "days"), ({"weights": {3: {"A": 1}}}, "weights")],
)
def test_simulation_names_the_invalid_argument(wrong, name):
    with pytest.raises(InvalidParameter) as error:
        simulate_experiment(**{"rates": {"A": 0.5}, "visitors_a_day": 5, "days": 5} | wrong)
    assert error.value.name == name


# ---- the chart


@pytest.mark.parametrize("outcome", ["conversion", "value"])
@pytest.mark.parametrize("width", [350, 760])
def test_chart_tells_the_last_interval(better, outcome, width):
    frame = experiment(better, "door", outcome=outcome, by_day=True)
    chart = charts.experiment(frame, width=width)
    assert chart.words.startswith("B compared with A: +")
    line = next(line for line in chart.axes[0].get_lines() if line.get_label() == "best guess")
    assert line.get_ydata()[-1] == frame["effect"].iloc[-1]


def test_analytics_offers_experiments():
    assert {"experiment", "check_split", "plan_experiment", "simulate_experiment"} <= set(dir(analytics))
