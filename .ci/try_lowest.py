"""Run the tests that tell most with the lowest versions that pyproject.toml allows: make lowest.

Test tools, and packages that none of ours names, have the versions of requirements.lock wherever these fit, so that a
run says something about qrkit and not about the day.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).with_name("uv")
OLDEST = "3.11"
"""The Python that the lowest versions of all libraries have wheels for."""

TESTS = (
    "tests/analytics/test_analytics.py",
    "tests/analytics/test_comparing.py",
    "tests/analytics/test_lifetimes_and_kinds.py",
    "tests/analytics/test_schedules.py",
    "tests/analytics/test_small_groups.py",
    "tests/drawing/test_flip.py",
    "tests/drawing/test_gradients.py",
    "tests/drawing/test_layers.py",
    "tests/drawing/test_layout.py",
    "tests/drawing/test_logo.py",
    "tests/drawing/test_markers.py",
    "tests/drawing/test_modules.py",
    "tests/drawing/test_wrapper.py",
    "tests/exchange/test_csv_file.py",
    "tests/exchange/test_import_export.py",
    "tests/exchange/test_merge.py",
    "tests/exchange/test_scan_file.py",
    "tests/exchange/test_xls_file.py",
    "tests/scanning/test_readers.py",
    "tests/design/shapes/test_icons.py",
    "tests/store/test_repeated_frames.py",
    "tests/store/test_visits.py",
    "tests/notebook/test_accessor.py",
    "tests/charts/test_charts.py",
    "tests/symbol/test_decode.py",
    "tests/exchange/test_data_frames.py",
    "tests/visits/test_countries_of_addresses.py",
    "tests/portfolio/test_frames.py",
    "tests/tracking/test_records.py",
    "tests/tracking/test_text_columns.py",
    "tests/notebook/widgets/test_draft.py",
    "tests/server/test_statuses.py",
)


def main() -> None:
    """Choose the versions, install them, run the tests."""
    with TemporaryDirectory() as folder:
        versions, environment = Path(folder) / "lowest.txt", Path(folder) / "environment"
        choose(versions)
        uv("venv", "--python", OLDEST, environment)
        python = environment / "bin" / "python"
        uv("pip", "install", "--python", python, "--requirement", versions)
        uv("pip", "install", "--python", python, "--no-deps", "--editable", ROOT)
        # Old versions of libraries do to others what is deprecated by now.
        options = ("-p", "no:nbval", "-q", "-W", "ignore::DeprecationWarning")
        # Tests on PostgreSQL are long ones; they and others need a program.
        options += ("-m", "not benchmark and not release and not night and (not slow or needs)")
        sys.exit(subprocess.run([python, "-m", "pytest", *options, *TESTS], cwd=ROOT, check=False).returncode)


def choose(versions: Path) -> None:
    """Write the versions of all packages to a file: the lowest of those that qrkit names, of others those locked."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = [asked for group in project["optional-dependencies"].values() for asked in group]
    ours = {name_of(asked) for asked in (*project["dependencies"], *optional)}
    locked = re.findall(
        r"^[\w.-]+==.*?(?= \\$)", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE
    )
    # What stands in the file already is kept where it fits.
    versions.write_text("\n".join(line for line in locked if name_of(line) not in ours), encoding="utf-8")
    options = ("--all-extras", "--group", "test", "--resolution", "lowest-direct", "--python-version", OLDEST)
    uv("pip", "compile", "pyproject.toml", *options, "--output-file", versions)


def name_of(requirement: str) -> str:
    """The name of the package that is asked for, as all spell it."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def uv(*words: object) -> None:
    """Run uv in the project, or stop with what it says."""
    command = [str(UV), *map(str, words), "--quiet"]
    done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL, env=os.environ)
    if done.returncode:
        sys.exit(f"failed: uv {words[0]}")


if __name__ == "__main__":
    main()
