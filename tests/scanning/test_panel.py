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
from qrkit.design.characters import ECI
from qrkit.errors import InvalidParameter
from qrkit.scanning.conditions import CORE, HARDER, MOST_SIDE, PHONES, PHONES_QUICK, QUICK, RAMPS
from qrkit.scanning.panel import ENOUGH_FRAMES, FRAMES, Panel, run_panel
from qrkit.scanning.readers import OF_PHONES, STANDARD, Engine, installed, of_phones, standard
from qrkit.scanning.scan_report import VERDICTS, worse
from qrkit.symbol.encode import encode
from tests.scanning.designs import all_eyes
from tests.sweeps import quick_first

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


def panel_of(
    frames: dict[str, dict[str, int]] | None = None,
    core: dict[str, dict[str, str]] | None = None,
    *,
    fair: dict[str, dict[str, int]] | None = None,
    ramps=None,
) -> Panel:
    """A panel by how many frames were read in which condition, and by what was read in those of `CORE`."""
    frames = frames or all_frames(*OF_PHONES)
    outcomes = {
        name: {one: "read" if count else "nothing" for one, count in row.items()} for name, row in frames.items()
    }
    fair = {name: dict.fromkeys(row, FRAMES) | (fair or {}).get(name, {}) for name, row in frames.items()}
    engines = dict.fromkeys(next(iter((core or frames).values())), "1")
    audience = "all" if core else "phones"
    return Panel(audience, "standard", 0, engines, outcomes | (core or {}), frames, fair, ramps or {}, 0.0)


def all_frames(*engines: str) -> dict[str, dict[str, int]]:
    return {condition.name: dict.fromkeys(engines, FRAMES) for condition in PHONES}


def all_read(*engines: str) -> dict[str, dict[str, str]]:
    return {condition.name: dict.fromkeys(engines, "read") for condition in CORE}


@pytest.mark.parametrize("content", [URL, LONG, CARD], ids=["url", "long", "card"])
def test_plain_symbols_are_read_in_every_condition_of_phones(content):
    panel = run_panel(greys_of(content), 12, content, symbol=encode(content))
    assert {name for row in panel.outcomes.values() for name in row.values()} == {"read"}
    assert (panel.verdict, panel.score, panel.rate, panel.missed) == ("robust", 100, 1, [])
    assert list(panel.outcomes) == list(panel.frames) == [condition.name for condition in PHONES]
    assert list(panel.engines) == list(OF_PHONES)
    assert (panel.phones, panel.embedded) == ("robust", None)
    assert panel.seconds > 0


@pytest.mark.parametrize("content", quick_first([URL, LONG, CARD]), ids=["url", "long", "card"])
def test_plain_symbols_are_read_by_all_in_every_condition(content):
    panel = run_panel(greys_of(content), 12, content, audience="all", symbol=encode(content))
    assert [condition for condition, row in panel.outcomes.items() if set(row.values()) != {"read"}] == []
    assert (panel.verdict, panel.score, panel.missed_by_embedded) == ("robust", 100, [])
    assert list(panel.outcomes) == [condition.name for condition in PHONES + CORE]
    assert list(panel.engines) == list(STANDARD)
    assert (panel.phones, panel.embedded) == ("robust", "robust")


@pytest.mark.parametrize("letters", [200, pytest.param(900, marks=pytest.mark.slow)])
def test_what_a_reader_misses_of_a_plain_symbol_does_not_count(letters):
    """At a slant, qrdec does not read large symbols."""
    content = "x" * letters
    panel = run_panel(greys_of(content, size=8), 8, content, symbol=encode(content))
    unknown = run_panel(greys_of(content, size=8), 8, content)
    assert (panel.verdict, panel.score) == ("robust", 100)
    assert sum(sum(row.values()) for row in panel.fair.values()) < 2 * FRAMES * len(PHONES)
    assert unknown.frames == panel.frames
    assert unknown.score < 100


@pytest.mark.needs("libzbar0")
@pytest.mark.parametrize("content", quick_first([URL, LONG, CARD]), ids=["url", "long", "card"])
def test_plain_symbols_are_read_by_three_of_four_kinds_in_every_condition(content):
    """Without qrdec, which is the decoder of zbar and would count twice."""
    pytest.importorskip("cv2", reason="OpenCV is not installed")
    engines = [one for one in installed() if one.name != "qrdec"]
    panel = run_panel(greys_of(content), 12, content, audience="all", engines=engines)
    core = [panel.outcomes[condition.name] for condition in CORE]
    assert min(list(row.values()).count("read") for row in core) >= 3


@pytest.mark.slow
def test_light_on_dark_is_read_by_the_one_engine_that_expects_it():
    greys = greys_of(URL, foreground="white", background="black")
    panel = run_panel(greys, 12, URL, audience="all")
    assert panel.shares == {"zxing-cpp": 1.0, "qrdec": 0.0}
    assert panel.rates == {"zxing-cpp": 1.0, "quirc": 0.0, "qrdec": 0.0}
    assert (panel.phones, panel.embedded, panel.verdict, panel.score) == ("fragile", "fragile", "fragile", 33)
    assert run_panel(greys, 12, URL).score == 50


def test_phones_read_round_eyes_and_embedded_readers_do_not():
    panel = run_panel(greys_of(URL, markers=all_eyes("extra-rounded")), 12, URL, audience="all", symbol=encode(URL))
    assert (panel.phones, panel.embedded, panel.verdict) == ("robust", "fragile", "fragile")
    assert panel.rates["quirc"] < 0.1


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
    assert panel.wrong == [(condition.name, name) for condition in PHONES_QUICK for name in OF_PHONES]
    assert (panel.verdict, panel.score, panel.rate) == ("unreadable", 0, 0)
    everywhere = run_panel(greys_of(URL), 12, URL + "y", level="quick", audience="all")
    assert {*everywhere.wrong} == {*panel.wrong} | {(condition.name, name) for condition in QUICK for name in STANDARD}


def test_another_text_beside_the_right_one_is_wrong():
    both = np.hstack([greys_of(URL), greys_of(URL[:-1] + "y")])
    assert ("table", "zxing-cpp") in run_panel(both, 12, URL, level="quick").wrong


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


# ---- from outcomes to a verdict for phones

NAMES = [condition.name for condition in PHONES]


def with_frames(changes: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    frames = all_frames(*OF_PHONES)
    return {name: row | changes.get(name, {}) for name, row in frames.items()}


@pytest.mark.parametrize(
    ("changes", "verdict", "score"),
    [
        ({}, "robust", 100),
        ({name: {"qrdec": 2} for name in NAMES[:3]}, "robust", 96),
        ({name: {"qrdec": 2} for name in NAMES[:4]}, "ok", 94),
        ({"far": {"qrdec": 0}}, "ok", 96),
        ({name: {"qrdec": 0} for name in NAMES[:3]}, "ok", 88),
        ({name: {"qrdec": 0} for name in NAMES[:4]}, "fragile", 83),
        ({"far": {"qrdec": 0, "zxing-cpp": 0}}, "fragile", 92),
        ({name: {"zxing-cpp": 0, "qrdec": 0} for name in NAMES[1:]}, "fragile", 8),
        ({name: {"zxing-cpp": 0, "qrdec": 0} for name in NAMES}, "unreadable", 0),
    ],
)
def test_what_readers_of_phones_read_gives_the_verdict(changes, verdict, score):
    panel = panel_of(with_frames(changes))
    assert (panel.phones, panel.verdict, panel.score) == (verdict, verdict, score)
    assert panel.missed == [name for name in NAMES if 0 in changes.get(name, {}).values()]


def test_frames_that_are_not_fair_do_not_count():
    changes = {name: {"qrdec": 0} for name in NAMES[:6]}
    fair = {name: {"qrdec": 0} for name in NAMES[:6]}
    panel = panel_of(with_frames(changes), fair=fair)
    assert (panel.phones, panel.score, panel.missed) == ("robust", 100, [])


@given(st.lists(st.integers(0, FRAMES), min_size=24, max_size=24), st.integers(0, 23))
@settings(max_examples=200)
def test_one_more_frame_never_makes_it_worse(counts, place):
    def panel(counts: list[int]) -> Panel:
        rows = zip(*[iter(counts)] * 2, strict=True)
        return panel_of({name: dict(zip(OF_PHONES, row, strict=True)) for name, row in zip(NAMES, rows, strict=True)})

    before = panel(counts)
    after = panel([*counts[:place], min(FRAMES, counts[place] + 1), *counts[place + 1 :]])
    assert VERDICTS.index(after.verdict) >= VERDICTS.index(before.verdict)
    assert after.score >= before.score


@given(st.lists(st.integers(0, FRAMES), min_size=24, max_size=24))
@settings(max_examples=200)
def test_a_robust_design_is_read_by_both_in_every_condition_and_in_nearly_all_frames(counts):
    rows = zip(*[iter(counts)] * 2, strict=True)
    panel = panel_of({name: dict(zip(OF_PHONES, row, strict=True)) for name, row in zip(NAMES, rows, strict=True)})
    is_enough = all(sum(counts[at::2]) >= ENOUGH_FRAMES * FRAMES * len(NAMES) for at in (0, 1))
    assert (panel.phones == "robust") == (min(counts) > 0 and is_enough)


# ---- from outcomes to a verdict for all readers


@pytest.mark.parametrize(
    ("failing", "verdict", "score"),
    [
        ({}, "robust", 100),
        ({"blur-33": ["quirc"]}, "ok", 98),
        ({"clean": ["quirc"], "size-3": ["zxing-cpp"]}, "ok", 96),
        ({"blur-33": ["quirc", "qrdec"]}, "fragile", 96),
        ({"clean": ["quirc", "qrdec"]}, "fragile", 96),
        ({"clean": list(STANDARD)}, "unreadable", 95),
        ({condition.name: ["quirc"] for condition in CORE[:4]}, "ok", 93),
        ({condition.name: ["quirc"] for condition in CORE[:5]}, "fragile", 91),
    ],
)
def test_what_all_readers_read_gives_the_verdict_for_embedded_ones(failing, verdict, score):
    outcomes = all_read(*STANDARD)
    for condition, names in failing.items():
        outcomes[condition] |= dict.fromkeys(names, "nothing")
    panel = panel_of(core=outcomes)
    assert (panel.phones, panel.embedded, panel.score) == ("robust", verdict, score)
    assert panel.verdict == verdict
    assert panel.missed_by_embedded == [condition.name for condition in CORE if condition.name in failing]


@pytest.mark.parametrize(("missed", "phones"), [(0, "robust"), (3, "ok"), (4, "fragile")])
def test_the_verdict_for_all_is_the_worse_of_both(missed, phones):
    frames = with_frames({name: {"qrdec": 0} for name in NAMES[:missed]})
    for failing, embedded in (([], "robust"), (["quirc"], "ok"), (["quirc", "qrdec"], "fragile")):
        outcomes = all_read(*STANDARD)
        outcomes["glare"] |= dict.fromkeys(failing, "nothing")
        panel = panel_of(frames, outcomes)
        assert (panel.phones, panel.embedded, panel.verdict) == (phones, embedded, worse(phones, embedded))


@pytest.mark.slow
@given(st.lists(st.sampled_from(["read", "nothing"]), min_size=57, max_size=57), st.integers(0, 56))
@settings(max_examples=200)
def test_one_more_success_never_makes_it_worse(outcomes, place):
    def panel(outcomes: list[str]) -> Panel:
        rows = zip(*[iter(outcomes)] * 3, strict=True)
        core = {one.name: dict(zip(STANDARD, row, strict=True)) for one, row in zip(CORE, rows, strict=True)}
        return panel_of(core=core)

    before, after = panel(outcomes), panel([*outcomes[:place], "read", *outcomes[place + 1 :]])
    assert VERDICTS.index(after.verdict) >= VERDICTS.index(before.verdict)
    assert after.score >= before.score


def test_engines_beside_the_judges_change_no_verdict_unless_they_find_another_text():
    beside = {name: row | {"opencv": "nothing"} for name, row in all_read(*STANDARD).items()}
    assert (panel_of(core=beside).verdict, panel_of(core=beside).score) == ("robust", 100)
    beside["glare"]["opencv"] = "wrong"
    assert (panel_of(core=beside).verdict, panel_of(core=beside).score) == ("unreadable", 0)
    assert panel_of(core=beside).phones == "unreadable"


def test_another_family_may_read_where_a_judge_fails():
    outcomes = {name: row | {"opencv": "read"} for name, row in all_read(*STANDARD).items()}
    outcomes["glare"]["quirc"] = "nothing"
    assert panel_of(core=outcomes).verdict == "robust"


def test_engines_of_one_family_have_one_voice():
    outcomes = {name: row | {"zbar": "read"} for name, row in all_read(*STANDARD).items()}
    outcomes["glare"]["quirc"] = "nothing"
    assert panel_of(core=outcomes).verdict == "ok"


def test_without_the_judges_all_engines_judge():
    only = {name: dict.fromkeys(("opencv", "mine"), "read") for name in all_read("mine")}
    only["glare"]["mine"] = "nothing"
    frames = all_frames("opencv", "mine")
    assert panel_of(frames, only).verdict == "ok"
    frames["far"]["mine"] = 0
    assert panel_of(frames).verdict == "ok"


def test_what_is_harder_than_the_standard_changes_no_verdict():
    harder = {one.name: dict.fromkeys(STANDARD, "nothing") for one in HARDER}
    panel = panel_of(core=all_read(*STANDARD) | harder)
    assert (panel.verdict, panel.score) == ("robust", 100)


def test_the_breaking_point_is_the_last_before_the_first_failure():
    steps = {1.0: {"a": "read", "b": "nothing"}, 2.0: {"a": "nothing", "b": "read"}, 3.0: {"a": "read", "b": "wrong"}}
    panel = panel_of(all_frames("a", "b"), ramps={"blur": steps})
    assert panel.breaking == {"blur": {"a": 1.0, "b": None}}
    assert panel.wrong == [("blur 3", "b")]
    assert panel.verdict == "unreadable"


# ---- the score: how much of what a plain symbol gets read


@pytest.mark.parametrize("content", quick_first([URL, CARD]), ids=["url", "card"])
def test_a_score_of_100_is_for_what_reads_like_plain(content):
    faint = Design(content=content, markers=all_eyes("circle"))
    reports = [check(Design(content=content)), check(faint)]
    assert [report.verdict for report in reports] == ["robust", "ok"]
    assert reports[0].score == 100 > reports[1].panel.score


def test_pale_eyes_cost_score():
    dark, pale = (
        check(Design(content=URL, markers=all_eyes("eye-8", inner_color=color))) for color in ("#000000", "#B8B8B8")
    )
    assert pale.panel.score < dark.panel.score - 5


# ---- levels, seeds, processes


@pytest.mark.parametrize(
    ("audience", "counts"), [("phones", (6, 12, 21)), pytest.param("all", (13, 31, 40), marks=pytest.mark.slow)]
)
def test_quick_is_a_part_of_standard_and_standard_of_full(audience, counts):
    greys = greys_of(URL, foreground="#B0B0B0")
    engines = of_phones() if audience == "phones" else standard()
    quick, usual, full = (
        run_panel(greys, 12, URL, level=one, audience=audience, engines=engines)
        for one in ("quick", "standard", "full")
    )
    assert tuple(len(one.outcomes) for one in (quick, usual, full)) == counts
    assert quick.outcomes.items() <= usual.outcomes.items()
    assert all(row.items() <= full.outcomes[name].items() for name, row in usual.outcomes.items())
    assert (usual.frames, usual.score, usual.verdict) == (full.frames, full.score, full.verdict)
    assert {count for row in quick.frames.values() for count in row.values()} <= {0, 1}
    assert not quick.ramps and not usual.ramps
    assert {name: tuple(steps) for name, steps in full.ramps.items()} == {ramp.name: ramp.strengths for ramp in RAMPS}


@pytest.mark.slow
def test_full_asks_all_that_are_installed_and_the_others_those_of_the_audience():
    greys = greys_of("hi", size=4)
    full = run_panel(greys, 4, "hi", level="full")
    assert list(full.engines) == [one.name for one in installed()]
    assert {*full.frames["far"]} == {*OF_PHONES}
    assert {*full.outcomes["far"]} == {*full.engines}
    assert list(run_panel(greys, 4, "hi", level="quick").engines) == list(OF_PHONES)
    assert list(run_panel(greys, 4, "hi", level="quick", audience="all").engines) == list(STANDARD)


def test_same_picture_same_panel_but_for_the_time_it_took():
    greys = greys_of(URL, foreground="#A0A0A0")
    assert run_panel(greys, 12, URL) == run_panel(greys, 12, URL)
    assert run_panel(greys, 12, URL) != run_panel(greys, 12, URL, seed=1)


@pytest.mark.slow
def test_panels_are_the_same_in_every_process():
    text = (
        "import json, numpy as np; from qrkit.symbol.encode import encode; from qrkit.scanning.panel import run_panel;"
        "modules = np.array([list(row) for row in encode('same').modules], dtype=np.uint8);"
        "greys = (255 - 160 * np.pad(modules, 4)).astype(np.uint8).repeat(12, 0).repeat(12, 1);"
        "found = run_panel(greys, 12, 'same', level='full', audience='all').as_dict(); del found['seconds'];"
        "print(json.dumps(found))"
    )
    other = subprocess.run([sys.executable, "-c", text], check=True, capture_output=True)
    greys = (255 - 160 * np.pad(np.array([list(row) for row in encode("same").modules]), 4)).astype(np.uint8)
    found = run_panel(greys.repeat(12, 0).repeat(12, 1), 12, "same", level="full", audience="all").as_dict()
    del found["seconds"]
    assert found["verdict"]
    assert json.loads(other.stdout) == json.loads(json.dumps(found))


def test_a_panel_is_plain_data():
    panel = run_panel(greys_of("hi", size=4), 4, "hi", level="full", audience="all", engines=standard())
    plain = json.loads(json.dumps(panel.as_dict()))
    assert (plain["verdict"], plain["phones"], plain["embedded"]) == (panel.verdict, panel.phones, panel.embedded)
    assert (plain["audience"], plain["frames"], plain["fair"]) == ("all", panel.frames, panel.fair)
    assert plain["outcomes"] == panel.outcomes
    assert plain["breaking"] == panel.breaking
    assert plain["engines"].keys() == set(STANDARD)


def test_any_engine_may_read():
    def echo(greys: np.ndarray) -> list[bytes]:
        return [b"hi"] if greys.mean() > 100 else []

    panel = run_panel(np.full((50, 50), 255, dtype=np.uint8), 2, "hi", engines=[Engine("echo", "contour", "1", echo)])
    assert panel.outcomes["near"] == {"echo": "read"}


@pytest.mark.parametrize("content", [pytest.param("".join(map(chr, range(128))), id="ascii"), "é", "Ωя", "漢字"])
def test_a_content_may_be_read_in_any_charset(content: str):
    for charset in ECI:
        payload = content.encode(charset, "ignore")
        if payload.decode(charset) == content:
            echo = Engine("echo", "contour", "1", lambda greys, payload=payload: [payload])
            blank = np.full((50, 50), 255, dtype=np.uint8)
            assert not run_panel(blank, 2, content, level="quick", engines=[echo]).wrong, charset


# ---- limits


@pytest.mark.slow
def test_the_largest_symbol_is_examined():
    content = "x" * 2300
    greys = greys_of(content, size=8)
    assert 1400 < len(greys) <= MOST_SIDE
    panel = run_panel(greys, 8, content, level="quick")
    assert panel.outcomes["far"]["zxing-cpp"] == "read"


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
