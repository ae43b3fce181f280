"""Speeds are quoted as `benchmarks/figures.toml` has them, and no others are."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FIGURES = tomllib.loads((ROOT / "tests/benchmarks/figures.toml").read_text(encoding="utf-8"))["figures"]
QUOTES = [(file, words.format_map(one["values"])) for one in FIGURES for file, words in one["quotes"]]

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


@pytest.mark.parametrize("path", sorted({one["measured_by"] for one in FIGURES}))
def test_whoever_doubts_a_figure_can_measure_it(path):
    assert (ROOT / path).is_file()


def test_no_speed_is_claimed_that_is_not_among_the_figures():
    told = claims("README.md", text_of("README.md"), MEASURED)
    told += claims("CHANGELOG.md", unreleased(), MEASURED)
    for path in sorted((ROOT / "qrkit").rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        told += claims(file, text_of(file), CLAIMS)
    assert told == []
