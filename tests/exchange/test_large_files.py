"""Portfolios that are larger than what is held at a time: in parts, with a bar, in bounded memory."""

import csv
import gc
import io
import json
import subprocess
import sys

import pytest

from qrkit import open_portfolio
from qrkit.exchange import EXCHANGE_FORMATS, Reading
from qrkit.store.records.qrcodes import TOGETHER
from tests.sweeps import night_after, quick_first

BASE_URL = "https://go.example.com"
ROWS = TOGETHER + 1
"""Of a portfolio that is read in two parts."""


def spreadsheet(rows):
    file = io.StringIO(newline="")
    csv.writer(file).writerows([("QR Code Name", "Content"), *((f"Door {n}", f"x{n}") for n in range(rows))])
    return file.getvalue().encode()


@pytest.fixture(scope="module")
def large():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        shop.import_file(spreadsheet(ROWS))
        yield shop


@pytest.fixture(scope="module")
def exported(large):
    return large.export_bytes("json")


@pytest.mark.parametrize("rows", quick_first([0, 1, TOGETHER, TOGETHER + 1], 2))
def test_no_row_is_lost_where_one_part_ends_and_the_next_begins(rows):
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        assert shop.import_file(spreadsheet(rows)).created == rows
        found = csv.DictReader(io.StringIO(shop.export_bytes("csv").decode(), newline=""))
        assert [row["Content"] for row in found] == [f"x{number}" for number in range(rows)]
        assert [code.content for part in shop.qrcodes_in_parts() for code in part] == [f"x{n}" for n in range(rows)]


@pytest.mark.slow
@pytest.mark.parametrize("format", [name for name in EXCHANGE_FORMATS if name != "zip"])
def test_every_format_holds_all_parts(large, exported, format):
    data = large.export_bytes(format)
    with open_portfolio(":memory:", base_url=BASE_URL) as copy:
        assert str(copy.import_file(data, format=format)) == f"{ROWS:,} created"
        lost = set() if format in ("xml", "json") else {"scanMarker"}  # as colors and schedules are
        assert [_without(one, lost) for one in json.loads(copy.export_bytes("json"))] == [
            _without(one, lost) for one in json.loads(exported)
        ]


def _without(row, names):
    return {name: value for name, value in row.items() if name not in names}


@pytest.mark.slow
def test_a_bar_is_shown_to_whoever_asks_for_it_and_changes_nothing(large, tmp_path, capsys):
    plain = large.export_file(tmp_path / "plain.csv")
    assert capsys.readouterr() == ("", "")
    watched = large.export_file(tmp_path / "watched.csv", progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Exporting" in shown.err
    assert f"/{ROWS}" in shown.err
    assert plain.read_bytes() == watched.read_bytes()
    with open_portfolio(":memory:", base_url=BASE_URL) as copy:
        assert copy.import_file(watched, progress=True).created == ROWS
    shown = capsys.readouterr().err
    assert "Reading" in shown
    assert "Importing" in shown


# getrusage tells no less than the peak of the process that started the program, which was pytest's in a long run.
PEAK = """
import sys
from pathlib import Path
from qrkit import open_portfolio
def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1024
"""
EXPORTED = f"""{PEAK}
with open_portfolio(sys.argv[1]) as shop:
    shop.export_file(sys.argv[2])
print(peak())
"""
IMPORTED = f"""{PEAK}
with open_portfolio(sys.argv[1]) as shop:
    print(shop.import_file(sys.argv[2]).created, peak())
"""
READ = f"""{PEAK}
from qrkit.exchange import Reading, xml_file
how = Reading(bytes.decode)
beside = b"<x/>" * (xml_file.MOST_ELEMENTS - 2)
item = b"<item><content>x</content></item>"
xml_file.read(b"<tracking>" + beside + item + b"</tracking>", how)
before = peak()
xml_file.read(b"<tracking>" + (beside + item) * 100 + b"</tracking>", how)
print(peak() - before)
"""
LARGE_FORMATS = ("csv", "xml", "json", "xlsx")


def printed(program, *arguments):
    """The whole numbers that a program prints, in a process whose memory is its own."""
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    return [int(word) for word in done.stdout.split()]


@pytest.fixture(scope="module", params=night_after([(20_000, 400), (100_000, 1_000)]), ids=str)
def very_large(request, tmp_path_factory):
    """A store, its number of codes, and the megabytes in which they must fit."""
    codes, megabytes = request.param
    folder = tmp_path_factory.mktemp("large")
    source = folder / "codes.csv"
    source.write_bytes(spreadsheet(codes))
    printed(IMPORTED, folder / "shop.duckdb", source)
    return folder / "shop.duckdb", codes, megabytes


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_elements_that_are_no_items_are_not_kept():
    (more,) = printed(READ)
    assert more < 25  # the file has 4 MB; a million elements would take a hundred


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("format", LARGE_FORMATS)
def test_a_hundred_thousand_codes_need_less_than_a_gigabyte(very_large, tmp_path, format):
    store, codes, megabytes = very_large
    file = tmp_path / f"codes.{format}"
    (to_export,) = printed(EXPORTED, store, file)
    created, to_import = printed(IMPORTED, ":memory:", file)
    assert created == codes
    assert max(to_export, to_import) < megabytes


@pytest.mark.parametrize("format", ["csv", "json"])
def test_rows_that_wait_cost_no_garbage_collection(large, format):
    data = large.export_bytes(format)
    gc.collect()
    before = len(gc.get_objects())
    table = EXCHANGE_FORMATS[format].read(data, Reading(bytes.decode))
    gc.collect()
    assert len(table.rows) == ROWS
    assert len(gc.get_objects()) - before < ROWS / 10
