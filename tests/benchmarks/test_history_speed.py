"""The questions of a report to a million and to ten million scans, in a store and in its archive.

Beside them: pandas and polars with all scans in memory, and SQL written by hand over the store and over the same
Parquet files. Polars is measured where it is installed: `uv pip install polars`.
"""

import gc
import resource
from datetime import UTC, datetime
from importlib.util import find_spec

import duckdb
import pytest

from qrkit import open_portfolio
from qrkit.store.history.history_files import history_files, place_of
from tests.benchmarks.test_analytics_speed import (
    QUESTIONS,
    ROWS_OF_SCANS,
    TEXTS,
    ZONE,
    Cost,
    best,
    cost_of,
    fill,
    loaded,
    ratio,
)

pytestmark = pytest.mark.benchmark

AFTER = datetime(2027, 1, 2, tzinfo=UTC)
"""A day after the scans."""
ROUNDS = 2


def with_pandas(path):
    """The scans of a Parquet file as a frame of pandas, and its answers to the questions, by name."""
    frame = loaded(path)
    return {name: lambda ask=ask: ask(frame) for name, (_, ask, _) in QUESTIONS.items()}


def with_polars(path):
    """The scans of a Parquet file as a frame of polars, and its answers to the questions, by name."""
    import polars as pl

    frame = pl.read_parquet(path).with_columns(pl.col(TEXTS).cast(pl.Categorical))
    time, scans, visitors = pl.col("time"), pl.len(), pl.col("visitor").n_unique()
    local = time.dt.replace_time_zone("UTC").dt.convert_time_zone(ZONE)
    first, last = time.min().alias("first"), time.max().alias("last")

    def by(*keys, what=(scans, visitors)):
        return lambda: frame.group_by(*keys).agg(*what)

    return {
        "summary": lambda: frame.select(scans, visitors, pl.col("qrcode").n_unique(), first, last),
        "scans per day x campaign": by(time.dt.truncate("1d"), "campaign", what=[scans]),
        "scans and visitors per local day": by(local.dt.date()),
        "local hours of the week": by(local.dt.weekday().alias("day"), local.dt.hour(), what=[scans]),
        "top codes": lambda: frame.group_by("qrcode").agg(scans, visitors).top_k(10, by="len"),
        "countries": by("country"),
        "systems": by("system"),
        "devices": by("device"),
        "repeat share": lambda: frame.group_by("visitor").len().select(scans, (pl.col("len") > 1).sum().alias("again")),
        "life of codes": by("qrcode", what=[scans, first, time.median(), last]),
        "content served": by("qrcode", "content", what=[first, last, visitors]),
    }


def files_of(store):
    """The Parquet files of an archive, as a table of DuckDB."""
    place = place_of(store)
    return f"read_parquet({[place.address_of(file.file) for file in history_files(store)]})"


def table(costs, unit, scans):
    """Costs by side and question as a table in Markdown, with geometric means below."""
    found = {side: {name: getattr(cost, unit) for name, cost in of.items()} for side, of in costs.items()}
    lines = [f"{unit} seconds, {scans:,} scans | {' | '.join(found)}", "|".join(["---"] * (len(found) + 1))]
    lines += [" | ".join([name, *(f"{of[name]:.3f}" for of in found.values())]) for name in QUESTIONS]
    for peer in found.keys() & {"pandas", "polars"}:
        lines.append(" | ".join([f"{peer} / this, mean", *(f"{ratio(found[peer], of):.2f}" for of in found.values())]))
        least = [min(found[peer][name] / of[name] for name in QUESTIONS) for of in found.values()]
        lines.append(" | ".join([f"{peer} / this, least", *(f"{one:.2f}" for one in least)]))
    return "\n".join(f"| {line} |" for line in lines)


@pytest.mark.parametrize("visits", [1_000_000, 10_000_000])
def test_a_report_from_a_store_and_from_its_archive(visits, tmp_path, say):
    """Ours first: the peak of memory is then ours, not that of the frames."""

    def measure(asks):
        gc.collect()
        return {name: best(ask, ROUNDS) for name, ask in asks.items()}

    with open_portfolio(tmp_path / "a.duckdb", clock=lambda: AFTER) as shop:
        fill(shop, visits)
        account = {"account": shop.account.id}
        ours = {name: lambda ask=ask: ask(shop.scans) for name, (ask, _, _) in QUESTIONS.items()}
        hand = {name: lambda sql=sql: shop.store.frame(sql, account) for name, (_, _, sql) in QUESTIONS.items()}
        scans, costs = shop.scans.count(), {"store": measure(ours), "SQL, store": measure(hand)}
        archiving, archived = cost_of(shop.archive)
        assert (archived.visits, shop.scans.count()) == (visits, scans)
        shop.store.checkpoint()  # as after a restart; until then, DuckDB looks at the rows that it has deleted
        files = f"FROM {files_of(shop.store)} v"
        statements = {name: sql.replace("FROM visits v", files) for name, (_, _, sql) in QUESTIONS.items()}
        over_files = {name: lambda sql=sql: shop.store.frame(sql, account) for name, sql in statements.items()}
        costs |= {"archive": measure(ours), "SQL, archive": measure(over_files)}
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    path = tmp_path / "scans.parquet"
    with duckdb.connect(tmp_path / "a.duckdb", read_only=True) as connection:
        rows = ROWS_OF_SCANS.replace("FROM visits v", files)
        connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
    for peer, asks in {"pandas": with_pandas, "polars": with_polars}.items():
        if find_spec(peer):
            costs[peer] = measure(asks(path))
    for unit in Cost._fields:
        say(table(costs, unit, scans))
    stored, by_hand = ({name: cost.cpu for name, cost in costs[side].items()} for side in ("archive", "SQL, archive"))
    assert ratio(stored, by_hand) < 3
    say(
        f"archived in {archiving.wall:.1f} s ({archiving.cpu:.1f} s CPU), {archived.bytes / visits:.1f} bytes a visit; "
        f"peak of memory with our questions and those by hand {peak / 1024:,.0f} MB"
    )
