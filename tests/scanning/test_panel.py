"""Panels: who reads what, what wrong texts mean, and how outcomes become a verdict and a score."""

import json
import subprocess
import sys
from io import BytesIO

import numpy as np
import pytest
import segno
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit import Design, check, generate
from qrkit.errors import InvalidParameter
from qrkit.scanning.conditions import CORE, HARDER, LIMIT, MOST_SIDE, QUICK, RAMPS
from qrkit.scanning.panel import Panel, run_panel
from qrkit.scanning.readers import STANDARD, Engine, installed, standard
from qrkit.symbol.encode import encode
from tests.scanning.designs import all_eyes

URL = "https://example.com/x"
LONG = "https://example.com/catalogue/spring/2026/" + "p" * 48
CARD = (
    "BEGIN:VCARD\nVERSION:3.0\nN:Lovelace;Ada\nFN:Ada Lovelace\nORG:Analytical Engines\nNOTE:"
    + "n" * 105
    + "\nEND:VCARD"
)


def greys_of(content: str, *, size: int = 12, **fields) -> np.ndarray:
    picture = Image.open(BytesIO(generate(content, size=size, **fields).to_bytes("png")))
    return np.asarray(picture.convert("L"))


def panel_of(outcomes: dict[str, dict[str, str]], ramps=None) -> Panel:
    engines = dict.fromkeys(next(iter(outcomes.values())), "1")
    return Panel("standard", 0, engines, outcomes, ramps or {}, 0.0)


def all_read(*engines: str) -> dict[str, dict[str, str]]:
    return {condition.name: dict.fromkeys(engines, "read") for condition in CORE}


@pytest.mark.parametrize("content", [URL, LONG, CARD], ids=["url", "long", "card"])
def test_plain_symbols_are_read_by_all_in_every_condition(content):
    panel = run_panel(greys_of(content), 12, content)
    failed = [(condition, row) for condition, row in panel.outcomes.items() if set(row.values()) != {"read"}]
    assert failed == []
    assert (panel.verdict, panel.score, panel.rate) == ("robust", 100, 1)
    assert list(panel.outcomes) == [condition.name for condition in CORE]
    assert panel.seconds > 0


@pytest.mark.needs("libzbar0")
@pytest.mark.parametrize("content", [URL, LONG, CARD], ids=["url", "long", "card"])
def test_plain_symbols_are_read_by_three_of_four_kinds_in_every_condition(content):
    """Without qrdec, which is the decoder of zbar and would count twice."""
    pytest.importorskip("cv2", reason="OpenCV is not installed")
    engines = [one for one in installed() if one.name != "qrdec"]
    panel = run_panel(greys_of(content), 12, content, engines=engines)
    assert min(list(row.values()).count("read") for row in panel.outcomes.values()) >= 3


def test_light_on_dark_is_read_by_the_one_engine_that_expects_it():
    panel = run_panel(greys_of(URL, foreground="white", background="black"), 12, URL)
    assert panel.rates == {"zxing-cpp": 1.0, "quirc": 0.0, "qrdec": 0.0}
    assert (panel.verdict, panel.score) == ("fragile", 33)


def test_a_picture_without_a_symbol_is_unreadable():
    panel = run_panel(np.full((300, 300), 255, dtype=np.uint8), 12, URL)
    assert {outcome for row in panel.outcomes.values() for outcome in row.values()} == {"nothing"}
    assert (panel.verdict, panel.score, panel.rate, panel.wrong) == ("unreadable", 0, 0, [])


def test_the_paler_the_lower_the_score():
    scores = [run_panel(greys_of(URL, foreground=grey), 12, URL).score for grey in ("#000000", "#B0B0B0", "#E8E8E8")]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 3


# ---- wrong texts


def test_another_text_is_wrong_everywhere_and_fatal():
    panel = run_panel(greys_of(URL), 12, URL + "y", level="quick")
    assert panel.wrong == [(condition.name, name) for condition in QUICK for name in STANDARD]
    assert (panel.verdict, panel.score, panel.rate) == ("unreadable", 0, 0)


def test_another_text_beside_the_right_one_is_wrong():
    both = np.hstack([greys_of(URL), greys_of(URL[:-1] + "y")])
    assert ("clean", "zxing-cpp") in run_panel(both, 12, URL, level="quick").wrong


@pytest.mark.parametrize("text", ["é", "ｱｲｳ", "漢字 naïve 😀", "\x01 a", "007", " "])
def test_texts_are_compared_character_by_character(text):
    greys = greys_of(text)
    assert run_panel(greys, 12, text, level="quick").verdict == "robust"
    assert run_panel(greys, 12, text + " ", level="quick").verdict == "unreadable"


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("点茗", {"mode": "kanji"}),
        ("grün", {"encoding": "iso-8859-1"}),
        ("Привет", {"encoding": "cp1251", "eci": True}),
    ],
)
def test_symbols_may_spell_a_text_in_another_charset(text, how):
    file = BytesIO()
    segno.make_qr(text, **how).save(file, kind="png", scale=12, border=4)
    greys = np.asarray(Image.open(file).convert("L"))
    content = text.encode("cp1251") if "eci" in how else text
    assert run_panel(greys, 12, content, level="quick").verdict == "robust"


# ---- from outcomes to a verdict


@pytest.mark.parametrize(
    ("failing", "verdict", "score"),
    [
        ({}, "robust", 100),
        ({"blur-33": ["quirc"]}, "ok", 98),
        ({"clean": ["quirc"], "size-3": ["zxing-cpp"]}, "ok", 96),
        ({"blur-33": ["quirc", "qrdec"]}, "fragile", 96),
        ({"clean": ["quirc", "qrdec"]}, "fragile", 96),
        ({"clean": list(STANDARD)}, "unreadable", 95),
    ],
)
def test_what_the_judges_read_gives_the_verdict(failing, verdict, score):
    outcomes = all_read(*STANDARD)
    for condition, names in failing.items():
        outcomes[condition] |= dict.fromkeys(names, "nothing")
    panel = panel_of(outcomes)
    assert (panel.verdict, panel.score) == (verdict, score)


@given(st.lists(st.sampled_from(["read", "nothing"]), min_size=57, max_size=57), st.integers(0, 56))
@settings(max_examples=200)
def test_one_more_success_never_makes_it_worse(outcomes, place):
    def panel(outcomes: list[str]) -> Panel:
        rows = zip(*[iter(outcomes)] * 3, strict=True)
        return panel_of({one.name: dict(zip(STANDARD, row, strict=True)) for one, row in zip(CORE, rows, strict=True)})

    order = ["unreadable", "fragile", "ok", "robust"]
    before, after = panel(outcomes), panel([*outcomes[:place], "read", *outcomes[place + 1 :]])
    assert order.index(after.verdict) >= order.index(before.verdict)
    assert after.score >= before.score


def test_a_robust_design_is_read_by_three_engines_in_every_condition():
    """By the rule itself: whoever else fails, the three judges did not."""
    panel = panel_of({name: row | {"opencv": "nothing"} for name, row in all_read(*STANDARD).items()})
    assert panel.verdict == "robust"
    assert min(list(row.values()).count("read") for row in panel.outcomes.values()) == 3


def test_engines_beside_the_judges_change_no_verdict_unless_they_find_another_text():
    beside = {name: row | {"opencv": "nothing"} for name, row in all_read(*STANDARD).items()}
    assert (panel_of(beside).verdict, panel_of(beside).score) == ("robust", 100)
    beside["glare"]["opencv"] = "wrong"
    assert (panel_of(beside).verdict, panel_of(beside).score) == ("unreadable", 0)


def test_another_family_may_read_where_a_judge_fails():
    outcomes = {name: row | {"opencv": "read"} for name, row in all_read(*STANDARD).items()}
    outcomes["glare"]["quirc"] = "nothing"
    assert panel_of(outcomes).verdict == "robust"


def test_engines_of_one_family_have_one_voice():
    outcomes = {name: row | {"zbar": "read"} for name, row in all_read(*STANDARD).items()}
    outcomes["glare"]["quirc"] = "nothing"
    assert panel_of(outcomes).verdict == "ok"


def test_without_the_judges_all_engines_judge():
    only = {name: dict.fromkeys(("opencv", "mine"), "read") for name in all_read("mine")}
    only["glare"]["mine"] = "nothing"
    assert panel_of(only).verdict == "ok"


def test_what_is_harder_than_the_standard_changes_no_verdict():
    outcomes = all_read(*STANDARD) | {one.name: dict.fromkeys(STANDARD, "nothing") for one in HARDER}
    assert (panel_of(outcomes).verdict, panel_of(outcomes).score) == ("robust", 100)


def test_the_breaking_point_is_the_last_before_the_first_failure():
    steps = {1.0: {"a": "read", "b": "nothing"}, 2.0: {"a": "nothing", "b": "read"}, 3.0: {"a": "read", "b": "wrong"}}
    panel = panel_of(all_read("a", "b"), {"blur": steps})
    assert panel.breaking == {"blur": {"a": 1.0, "b": None}}
    assert panel.wrong == [("blur 3", "b")]
    assert panel.verdict == "unreadable"


# ---- the score: how much of what a plain symbol gets read


@pytest.mark.parametrize("content", [URL, CARD], ids=["url", "card"])
def test_a_score_of_100_is_for_what_reads_like_plain(content):
    decorated = Design(content=content, modules={"type": "bars"}, markers=all_eyes("eye-8"))
    reports = [check(Design(content=content)), check(decorated)]
    assert [report.verdict for report in reports] == ["robust", "robust"]
    assert reports[0].score == 100 > reports[1].score


def test_pale_eyes_cost_score():
    pale = all_eyes("eye-8", inner_color="#952F6F")
    dark, colored = (
        check(Design(content=URL, modules={"type": "bars"}, markers=one)) for one in (all_eyes("eye-8"), pale)
    )
    assert colored.score < dark.score - 5


def test_what_readers_see_at_the_limit_counts_only_up_to_what_they_see_of_the_plain_symbol():
    greys, symbol = greys_of(URL), encode(URL)
    panel = run_panel(greys, 12, URL, symbol=symbol)
    assert panel.limit.keys() == panel.plain_limit.keys() == {condition.name for condition in LIMIT}
    assert panel.limit == panel.plain_limit
    assert panel.score == 100
    assert run_panel(greys, 12, URL, level="quick", symbol=symbol).limit == {}
    assert run_panel(greys, 12, URL).limit == {}


# ---- levels, seeds, processes


def test_quick_is_a_part_of_standard_and_standard_of_full():
    greys = greys_of(URL, foreground="#B0B0B0")
    quick, usual, full = (
        run_panel(greys, 12, URL, level=one, engines=standard()) for one in ("quick", "standard", "full")
    )
    assert quick.outcomes.items() <= usual.outcomes.items() <= full.outcomes.items()
    assert (len(quick.outcomes), len(usual.outcomes), len(full.outcomes)) == (7, 19, 28)
    assert (usual.verdict, usual.score) == (full.verdict, full.score)
    assert not quick.ramps and not usual.ramps
    assert {name: tuple(steps) for name, steps in full.ramps.items()} == {ramp.name: ramp.strengths for ramp in RAMPS}


def test_full_asks_all_that_are_installed_and_the_others_the_judges():
    greys = greys_of("hi", size=4)
    assert list(run_panel(greys, 4, "hi", level="full").engines) == [one.name for one in installed()]
    assert list(run_panel(greys, 4, "hi", level="quick").engines) == list(STANDARD)


def test_same_picture_same_panel_but_for_the_time_it_took():
    greys = greys_of(URL, foreground="#B0B0B0")
    assert run_panel(greys, 12, URL) == run_panel(greys, 12, URL)
    assert run_panel(greys, 12, URL) != run_panel(greys, 12, URL, seed=1)


def test_panels_are_the_same_in_every_process():
    text = (
        "import json, numpy as np; from qrkit.symbol.encode import encode; from qrkit.scanning.panel import run_panel;"
        "modules = np.array([list(row) for row in encode('same').modules], dtype=np.uint8);"
        "greys = (255 - 160 * np.pad(modules, 4)).astype(np.uint8).repeat(12, 0).repeat(12, 1);"
        "found = run_panel(greys, 12, 'same', level='full').as_dict(); del found['seconds'];"
        "print(json.dumps(found))"
    )
    first, second = (subprocess.run([sys.executable, "-c", text], check=True, capture_output=True) for _ in range(2))
    assert json.loads(first.stdout)["verdict"]
    assert first.stdout == second.stdout


def test_a_panel_is_plain_data():
    panel = run_panel(greys_of("hi", size=4), 4, "hi", level="full", engines=standard())
    plain = json.loads(json.dumps(panel.as_dict()))
    assert plain["verdict"] == panel.verdict
    assert plain["outcomes"] == panel.outcomes
    assert plain["breaking"] == panel.breaking
    assert plain["engines"].keys() == set(STANDARD)


def test_any_engine_may_read():
    def echo(greys: np.ndarray) -> list[bytes]:
        return [b"hi"] if greys.mean() > 100 else []

    panel = run_panel(np.full((50, 50), 255, dtype=np.uint8), 2, "hi", engines=[Engine("echo", "contour", "1", echo)])
    assert panel.outcomes["clean"] == {"echo": "read"}


# ---- limits


def test_the_largest_symbol_is_examined():
    content = "x" * 2300
    greys = greys_of(content, size=8)
    assert 1400 < len(greys) <= MOST_SIDE
    panel = run_panel(greys, 8, content, level="quick")
    assert panel.outcomes["clean"]["zxing-cpp"] == "read"


@pytest.mark.parametrize(
    ("greys", "how", "name"),
    [
        (np.zeros((0, 5), np.uint8), {}, "greys"),
        (np.zeros((MOST_SIDE + 1, 5), np.uint8), {}, "greys"),
        (np.zeros((5, 5), np.uint8), {"level": "static"}, "level"),
        (np.zeros((5, 5), np.uint8), {"level": "Full"}, "level"),
        (np.zeros((5, 5), np.uint8), {"engines": []}, "engines"),
    ],
)
def test_what_cannot_be_examined_is_refused(greys, how, name):
    with pytest.raises(InvalidParameter) as caught:
        run_panel(greys, 2, "hi", **how)
    assert caught.value.name == name
