"""Tables and questions on a terminal: colors, widths, pictures."""

import re
import shutil
import sys

import pytest

from qrkit import open_portfolio

pytest.importorskip("fcntl", reason="terminals of Unix")
from tests.conformance import readers
from tests.sweeps import quick_first
from tests.terminals import on_terminal

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
LONG = "https://example.com/a/rather/long/address/that/no/terminal/of/this/test/shows/in/full"


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "shop.duckdb"
    with open_portfolio(path, base_url="https://go.example.com") as shop:
        campaign = shop.insert_campaign("Frühling im Hafen")
        shop.insert_qrcode(LONG, name="Front door", short_code="door", campaign_id=campaign.id)
        shop.insert_qrcode(LONG, name="[red]日本語のポスター[/red]", short_code="a-very-long-code")
        times = [f"2026-06-{day:02}T12:00:00Z" for day in (1, 1, 1, 2)] + ["2026-06-04T12:00:00Z"] * 1_200
        shop.scans.insert([{"short_code": "door", "time": time} for time in times])
    return path


@pytest.fixture
def store(example, tmp_path):
    shutil.copy(example, tmp_path)
    return tmp_path


@pytest.fixture
def typed(store):
    """What a terminal shows of a command."""

    def of(*words, steps=(), columns=80, status=0, **env):
        command = [sys.executable, "-m", "qrkit", *words]
        environment = {"QRKIT_STORE": "shop.duckdb"} | env
        done, shown = on_terminal(command, *steps, columns=columns, cwd=store, env=environment)
        assert done == status, shown
        return shown

    return of


def plain(text):
    return ESCAPES.sub("", text)


@pytest.mark.parametrize("columns", quick_first([60, 200]))
def test_a_table_fits_the_terminal_and_cuts_no_code_and_no_number(typed, columns):
    lines = plain(typed("list", columns=columns)).splitlines()
    assert max(map(len, lines)) <= columns
    assert len(lines) == 4
    assert lines[0].split() == ["Code", "Name", "Campaign", "Content", "Scans"]
    assert [line.split()[0] for line in lines[2:]] == ["door", "a-very-long-code"]
    assert [line.split()[-1] for line in lines[2:]] == ["1,204", "0"]
    assert ("…" in lines[2]) == (columns < 200)


@pytest.mark.slow
def test_a_wide_terminal_shows_every_text_and_no_markup(typed):
    text = plain(typed("list", columns=250))
    assert LONG in text
    assert "[red]日本語のポスター[/red]" in text


@pytest.mark.slow
def test_colors_are_for_terminals_that_want_them(typed):
    colored = typed("list")
    assert "\x1b[1;36m" in colored
    assert "\x1b[" not in typed("list", TERM="dumb")
    bare = typed("list", NO_COLOR="1")
    assert "36m" not in bare
    assert plain(bare) == plain(colored)


@pytest.mark.slow
def test_json_is_the_same_on_a_terminal(typed):
    assert typed("list", "--json").count('{"short_code": ') == 2


@pytest.mark.slow
def test_bars_are_as_long_as_their_numbers(typed):
    lines = plain(typed("scans", "--by", "day")).splitlines()[2:]
    assert [line.count("█") for line in lines] == [0, 0, 0, 24]
    assert [line.split()[1] for line in lines] == ["3", "1", "0", "1,200"]


def test_show_has_a_picture_that_reads(typed):
    text = plain(typed("show", "door"))
    assert text.startswith("Front door\n  short URL  https://go.example.com/door\n")
    lines = [line for line in text.splitlines() if set(line) <= set(" ▀▄█")]
    halves = {" ": "00", "▀": "10", "▄": "01", "█": "11"}
    modules = [[halves[letter][half] == "1" for letter in line] for line in lines for half in (0, 1)]
    side = len(modules[0])
    assert readers.zxing(readers.of_modules(modules[:side])) == b"https://go.example.com/door?q"


def test_remove_asks_and_removes(typed, store):
    question = "Remove door (Front door)? Printed codes will lead nowhere, for good. [y/N] "
    assert "door: removed" in typed("remove", "door", steps=[(question, "YES\n")])
    with open_portfolio(store / "shop.duckdb") as shop:
        assert [code.short_code for code in shop.list_qrcodes()] == ["a-very-long-code"]


@pytest.mark.parametrize("answer", quick_first(["\n", "door\n", "\x04"]), ids=ascii)
def test_remove_asks_and_leaves_what_is_not_confirmed(typed, store, answer):
    assert "qrkit remove: nothing was removed" in typed("remove", "door", steps=[("[y/N] ", answer)], status=2)
    with open_portfolio(store / "shop.duckdb") as shop:
        assert len(shop.list_qrcodes()) == 2


@pytest.mark.slow
def test_a_campaign_is_removed_after_a_question_that_counts_its_codes(typed, store):
    steps = [("Its QR Codes (1) are removed with it: printed codes lead nowhere. [y/N] ", "y\n")]
    typed("campaign", "remove", "Frühling im Hafen", steps=steps)
    with open_portfolio(store / "shop.duckdb") as shop:
        assert [code.short_code for code in shop.list_qrcodes()] == ["a-very-long-code"]


@pytest.mark.slow
def test_ctrl_c_at_a_question_removes_nothing(typed, store):
    assert "qrkit remove: stopped" in typed("remove", "door", steps=[("[y/N] ", "\x03")], status=130)
    with open_portfolio(store / "shop.duckdb") as shop:
        assert len(shop.list_qrcodes()) == 2
