"""Change modules that own rules, one thing at a time, and see whether their own tests fail: make mutants.

[tool.qrkit.mutants] in pyproject.toml says which tests belong to which module. Works on a copy of the repository, and
ends with a table of how many changes no test noticed.

    python .ci/run_mutants.py                          a sample of every module
    python .ci/run_mutants.py --most 1000 server/clients/shares.py
"""

from __future__ import annotations

import argparse
import compileall
import os
import shlex
import shutil
import sys
import time
import tomllib
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.testing import run_tests
from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome

ROOT = Path(__file__).parents[1]
MOST = 40
IN_TYPES = "core/ReplaceBinaryOperator_BitOr_"
"""Nearly every `|` is one of a type, which says nothing to the running program."""
PYTEST = ["-m", "pytest", "-x", "-q", "-p", "no:nbval", "-p", "no:randomly"]


def list_mutations(module: str, most: int) -> list[MutationSpec]:
    """List changes of a module: all, or a sample that is the same in each run."""
    with TemporaryDirectory() as folder, use_db(str(Path(folder, "work.sqlite"))) as database:
        init([Path("qrkit", module)], database, {})
        found = [change for item in database.work_items for change in item.mutations]
    found = [change for change in found if not change.operator_name.startswith(IN_TYPES)]
    found.sort(key=lambda change: (change.start_pos, change.operator_name, change.occurrence))
    return found if len(found) <= most else Random(module).sample(found, most)


def try_module(module: str, tests: list[str], most: int) -> tuple[int, int]:
    """Count the changes of a module, and those that survive its tests, which are printed."""
    command = shlex.join([sys.executable, *PYTEST, *tests])
    start = time.monotonic()
    outcome, output = run_tests(command, 600)
    if outcome != TestOutcome.SURVIVED:
        sys.exit(f"{module}: its tests fail without any change\n{output}")
    limit = 10 + 4 * (time.monotonic() - start)
    mutations = list_mutations(module, most)
    survived = 0
    for change in mutations:
        result = mutate_and_test([change], command, limit)
        if result.test_outcome == TestOutcome.SURVIVED:
            survived += 1
            print(f"\nsurvived: {module}, line {change.start_pos[0]}, {change.operator_name}")
            print("\n".join(line for line in result.diff.splitlines()[2:] if line[:1] in "+-"), flush=True)
    return len(mutations), survived


def copy_repository(folder: str) -> None:
    """Copy what the tests read. Its compiled modules make each start quicker; a changed file is newer than its own."""
    leave_out = shutil.ignore_patterns(
        ".git", ".venv*", "build", "dist", "demo", ".*_cache", ".hypothesis", "__pycache__"
    )
    shutil.copytree(ROOT, folder, ignore=leave_out, dirs_exist_ok=True)
    compileall.compile_dir(f"{folder}/qrkit", quiet=2)


def main() -> None:
    """Try the modules that are asked for, and print the table."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["qrkit"]["mutants"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help="such as server/clients/shares.py; all of the table if none"
    )
    parser.add_argument("--most", type=int, default=MOST, help="changes of each module (default: %(default)s)")
    asked = parser.parse_args()
    rows = []
    with TemporaryDirectory() as folder:
        copy_repository(folder)
        os.chdir(folder)
        os.environ["PYTHONPATH"] = folder
        for module in asked.modules or table:
            start = time.monotonic()
            count, survived = try_module(module, table[module], asked.most)
            rows.append((module, count, survived, time.monotonic() - start))
            print(f"{module}: {survived} of {count} survived", flush=True)
    print(f"\n{'module':36} {'changes':>7} {'survived':>8} {'':>5} {'seconds':>7}")
    for module, count, survived, seconds in rows:
        print(f"{module:36} {count:7} {survived:8} {survived / max(count, 1):5.0%} {seconds:7.0f}")
    count, survived = (sum(row[at] for row in rows) for at in (1, 2))
    print(f"{'all':36} {count:7} {survived:8} {survived / max(count, 1):5.0%}")


if __name__ == "__main__":
    main()
