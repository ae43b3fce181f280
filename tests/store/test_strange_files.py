"""Store files that a disk or a stranger has changed: commands end with a sentence, and touch nothing else."""

import json
import os
import shutil
import subprocess
import sys
from random import Random

import duckdb
import pytest

from qrkit import open_portfolio
from qrkit.errors import StoreBusy, StoreDamaged
from qrkit.store import Store
from qrkit.store.records.short_codes import target
from qrkit.store.upkeep.maintenance import rescue, verify
from tests.store.strange_files import COMMANDS, VALUES, make_store, set_text, swap, text_columns
from tests.sweeps import night_after

PATIENCE = 400


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a store and its history."""
    folder = tmp_path_factory.mktemp("made")
    make_store(folder / "store.duckdb")
    return folder


@pytest.fixture
def path(made, tmp_path):
    """A copy of the store."""
    shutil.copytree(made, tmp_path / "case")
    return tmp_path / "case" / "store.duckdb"


def surprises(*cases):
    """Run all commands on copies of stores in one process; return those that ended in a traceback or changed files."""
    command = [sys.executable, "-m", "tests.store.strange_files", *COMMANDS]
    lines = "".join(f"{case}\n" for case in cases)
    process = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=PATIENCE, check=False)
    told = [one for line in process.stdout.splitlines() for one in json.loads(line)]
    assert process.returncode == 0, process.stderr
    assert len(told) == len(cases) * len(COMMANDS)
    return [one for one in told if one["status"] not in (0, 1, 2)]


@pytest.mark.slow
@pytest.mark.parametrize("seeds", night_after([(0, 12, 66), range(1, 10)]))
def test_swapped_blocks_end_no_command_in_a_traceback(made, tmp_path, seeds):
    """DuckDB 2.0 crashes on what 12 makes of a column; 66 loses a QR Code with scans."""
    for seed in seeds:
        shutil.copytree(made, tmp_path / str(seed))
        swap(tmp_path / str(seed) / "store.duckdb", seed)
    assert surprises(*(tmp_path / str(seed) for seed in seeds)) == []


LIMITED = """
import resource, sys
from qrkit.__main__ import main

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.exit(main(sys.argv[2:]))
"""
"""Runs a command with a limit on the size of the files that it writes, which acts like a full disk."""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limit")
@pytest.mark.parametrize("most", night_after([0, 20_000, 2_000_000, 3_000, 300_000, 4_000_000, 6_000_000], 3))
def test_a_write_that_fails_leaves_the_store_sound(path, tmp_path, most):
    with open_portfolio(path) as shop:
        expected = (len(shop.list_qrcodes()), shop.scans.count())
    (tmp_path / "codes.csv").write_text("name,content\n" + "a,https://a.example\n" * 2_000)
    for words in (
        ["backup", path, tmp_path / "copy.duckdb"],
        ["rescue", path, tmp_path / "new.duckdb"],
        ["compact", path],
        ["archive", path],
        ["import", tmp_path / "codes.csv", "--store", path],
    ):
        command = [sys.executable, "-c", LIMITED, str(most), *map(str, words)]
        process = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert process.returncode in ((0, 1, 3) if words[0] == "import" else (0, 2)), process.stderr
        assert "Traceback" not in process.stderr
        assert not list(tmp_path.rglob("*.unfinished"))
        if words[0] in ("backup", "rescue") and process.returncode == 0:
            with open_portfolio(words[2]) as shop:
                assert (len(shop.list_qrcodes()), shop.scans.count()) == expected
        with open_portfolio(path) as shop:
            assert verify(shop.store) == []
            found = (len(shop.list_qrcodes()), shop.scans.count())
            assert found == expected or (words[0] == "import" and process.returncode != 1)


@pytest.mark.slow
@pytest.mark.parametrize("numbers", night_after([range(0, 15, 3), [*range(1, 15, 3), *range(2, 15, 3)]]))
def test_hostile_texts_end_no_command_in_a_traceback(made, tmp_path, numbers):
    columns, cases = Random(2).sample(text_columns(made / "store.duckdb"), 15), []
    for number in numbers:
        table, column = columns[number]
        shutil.copytree(made, tmp_path / str(number))
        if set_text(tmp_path / str(number) / "store.duckdb", table, column, VALUES[number]):
            cases.append(tmp_path / str(number))
    assert surprises(*cases) == []


@pytest.mark.parametrize("text", ["{", "[null, 7]", "[" * 100_000, '[{"date": "2026-13-45"}]'])
def test_a_damaged_schedule_leaves_the_short_url_alive(path, text):
    with open_portfolio(path) as shop:
        shop.store.execute("UPDATE qrcodes SET schedule = ?, is_schedule_enabled = true", [text])
    with open_portfolio(path) as shop:
        with pytest.raises(StoreDamaged, match="has the damaged schedule"):
            shop.list_qrcodes()
        assert target(shop.store, "door").content == "https://door.example"


def test_a_damaged_row_does_not_keep_the_store_from_closing(path):
    with open_portfolio(path) as shop:
        shop.store.execute("UPDATE qrcodes SET schedule = '{'")
    with pytest.raises(StoreDamaged), open_portfolio(path) as shop:
        shop.list_qrcodes()


def test_an_unknown_plan_is_named(path):
    with open_portfolio(path) as shop:
        shop.store.execute("UPDATE accounts SET plan = 'gold'")
        assert verify(shop.store) == ["1 accounts with an unknown plan"]
    with pytest.raises(StoreDamaged, match="the account 'local' has the unknown plan 'gold'"):
        open_portfolio(path)


def test_qr_codes_of_a_missing_campaign_have_none(path):
    with open_portfolio(path) as shop:
        shop.store.execute("UPDATE qrcodes SET campaign_id = '../../victim'")
        assert {one.campaign_id for one in shop.list_qrcodes()} == {None}
        assert verify(shop.store) == ["3 QR Codes in a campaign that does not exist, or of another account"]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ("DELETE FROM settings WHERE name = 'id'", "settings lacks the ID"),
        ("UPDATE migrations SET name = '' WHERE name = 'visits'", "migrations does not hold what qrkit writes"),
    ],
)
def test_tables_that_every_store_needs_are_named(path, change, rule):
    with duckdb.connect(str(path)) as connection:
        connection.execute(change)
    with pytest.raises(StoreDamaged, match=rule) as caught:
        Store(path)
    assert f"qrkit rescue {path} NEW" in caught.value.told("command")


@pytest.mark.slow
def test_a_column_that_crashes_duckdb_costs_no_other_table(path, tmp_path):
    swap(path, 12)  # DuckDB 2.0 crashes on what this makes of a column of visits
    rescued = rescue(path, tmp_path / "new.duckdb")
    assert rescued.tables["qrcodes"].is_complete
    with open_portfolio(tmp_path / "new.duckdb") as shop:
        assert len(shop.list_qrcodes()) == 3
        assert verify(shop.store) == []


def test_verify_refuses_an_open_transaction(path):
    with Store(path) as store, store.atomic(), pytest.raises(StoreBusy, match="has an open transaction"):
        verify(store)
