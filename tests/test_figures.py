"""Speeds are quoted as `benchmarks/figures.toml` and what was measured have them, and no others are."""

import json
import re
import tomllib
from math import ceil, floor, log10
from pathlib import Path

import pytest

from tests.benchmarks.conftest import widened

ROOT = Path(__file__).parents[1]
FIGURES = tomllib.loads((ROOT / "tests/benchmarks/figures.toml").read_text(encoding="utf-8"))["figures"]
MEASURED_FILE = ROOT / "tests/benchmarks/measured.json"
MEASUREMENTS = json.loads(MEASURED_FILE.read_text(encoding="utf-8"))


def shown(source):
    """A number as it is quoted, with two digits: of what should be low its upper quartile, rounded up, and so on."""
    if isinstance(source, str):
        return source
    name, what, end = source
    number = MEASUREMENTS[name][what][end]
    place = floor(log10(number)) - 1
    rounded = {"low": floor, "high": ceil}[end](round(number / 10**place, 6)) * 10.0**place
    return f"{rounded:,.{max(0, -place)}f}"


def quoted(figure):
    values = {key: shown(source) for key, source in figure["values"].items()}
    return [(file, words.format_map(values)) for file, words in figure["quotes"]]


QUOTES = [quote for figure in FIGURES for quote in quoted(figure)]

CLAIMS = r"[\d.,]+ times (?:as fast|as long|faster)|\d[a-z]{2} of the time|[\d.,]+ scans a second"
MEASURED = rf"{CLAIMS}|[\d.,]+ [mµ]s\b"
"""In prose for users, every time is a claim; code also tells bounds and pauses in milliseconds."""


def in_one_line(text):
    return " ".join(text.split())


def text_of(file):
    return in_one_line((ROOT / file).read_text(encoding="utf-8"))


def unreleased():
    """What the changelog says of the version that is not out yet; earlier parts say what was true then."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return in_one_line(text.partition("## Unreleased\n")[2].partition("\n## ")[0])


def claims(file, text, pattern):
    """Claims of a text that are in none of its quotes."""
    for _, quote in [one for one in QUOTES if one[0] == file]:
        text = text.replace(quote, "")
    return [f"{file}: {found}" for found in re.findall(pattern, text)]


@pytest.mark.parametrize(("file", "quote"), QUOTES)
def test_what_is_quoted_is_what_was_measured(file, quote):
    assert quote in text_of(file)


@pytest.mark.parametrize("name", sorted(MEASUREMENTS))
def test_a_figure_says_which_benchmark_measured_it_when_and_where(name):
    measured = MEASUREMENTS[name]
    file, _, test = measured["measured_by"].partition("::")
    assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8")
    assert measured["measured_on"]
    assert measured["machine"]


def test_no_speed_is_claimed_that_is_not_among_the_figures():
    told = claims("CHANGELOG.md", unreleased(), MEASURED)
    for path in (ROOT / "README.md", *sorted((ROOT / "notebooks/how-to").glob("*.md"))):
        file = path.relative_to(ROOT).as_posix()
        told += claims(file, text_of(file), MEASURED)
    for path in sorted((ROOT / "qrkit").rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        told += claims(file, text_of(file), CLAIMS)
    assert told == []


def test_a_loaded_run_makes_the_ends_of_a_spread_worse_and_never_better():
    quiet = {"low": 10.0, "median": 11.0, "high": 12.0}
    for low, high in [(8.0, 9.0), (10.5, 20.0), (11.0, 11.5)]:
        found = widened(quiet, {"low": low, "median": low, "high": high})
        assert found == {"low": min(10.0, low), "median": 11.0, "high": max(12.0, high)}
