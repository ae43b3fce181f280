"""`qrkit experiment`, from scans and conversions to one sentence."""

import json

import pytest

from qrkit.__main__ import main
from tests.split_shop import make_split_shop


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    path = tmp_path_factory.mktemp("split") / "shop.duckdb"
    return path, make_split_shop(path)


@pytest.fixture
def run(shop, capsys):
    def run(*words, status=0):
        assert main(["experiment", *words, "--store", str(shop[0])]) == status
        told = capsys.readouterr()
        return told.out if status == 0 else told.err

    return run


@pytest.mark.slow
def test_sentence_and_split_come_first(run):
    sentence, split, heading, row = run("door").splitlines()
    assert sentence.startswith("New converts ")
    assert split.startswith("The split works: ")
    assert heading.split()[:2] == ["First", "Second"]
    assert row.split()[-1] == "New"


@pytest.mark.slow
def test_json_has_what_was_counted(run, shop):
    row = json.loads(run("door", "--json"))
    counted = {
        f"{side}_rate": round(shop[1][name][1] / shop[1][name][0], 4)
        for side, name in (("first", "Old"), ("second", "New"))
    }
    assert counted.items() <= row.items()
    assert (row["winner"], row["days_left"], row["method"]) == ("New", 0, "ratio")


@pytest.mark.slow
def test_values_say_what_is_missing(run):
    assert "too few conversions so far" in run("door", "--outcome", "value", "--within", "1h")


@pytest.mark.slow
def test_chart_is_written(run, tmp_path):
    run("door", "--chart", str(tmp_path / "door.svg"))
    assert "likely range" in (tmp_path / "door.svg").read_text(encoding="utf-8")


@pytest.mark.slow
def test_codes_that_are_not_split_are_refused(run):
    assert "split among variants" in run("gate", status=2)


@pytest.mark.slow
def test_names_that_no_conversion_has_are_refused(run):
    assert "must be the name of a conversion of this QR Code; allowed: conversion" in run(
        "door", "--conversion", "ordr", status=2
    )


@pytest.mark.parametrize("name", ["x.txt", "x", "."])
def test_charts_of_other_formats_are_refused_before_the_store_opens(tmp_path, capsys, name):
    words = ["door", "--chart", str(tmp_path / name), "--store", str(tmp_path / "none.duckdb")]
    assert main(["experiment", *words]) == 2
    assert "must end in .png, .svg or .pdf" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
