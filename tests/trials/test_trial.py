"""Trials with phones that ask over HTTP: what they get, and what is known of them afterwards."""

import json
import re
from html.parser import HTMLParser
from io import BytesIO

import pandas as pd
import pytest

from qrkit import Design, QRImage, check, decode, open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.trials import beside, trial
from qrkit.trials.ladder import LADDER
from tests.dtypes import TEXT
from tests.trials.phones import IPHONE, PIXEL, REDUCED, Page, ask, begun, heading

PLAIN = Design(content="https://example.com/menu", foreground="navy")


@pytest.mark.slow
def test_two_phones_climb_the_ladder_together(tmp_path):
    with begun(PLAIN) as running:
        page = Page(running.address)
        page.begin(IPHONE, PIXEL)
        addresses = []
        while not page.state["isDone"]:
            addresses.append(page.code())
            assert page.state["number"] == len(addresses)
            for agent in (IPHONE, PIXEL) if len(addresses) != 9 else (PIXEL,):
                assert heading(addresses[-1], agent) == "Seen. Look at the screen."
            page.look()
            if len(addresses) == 9:
                page.send("next?9")
        running.save(tmp_path / "kept.html")
    assert len(set(addresses)) == 24
    assert not re.findall(r"<script|<link [^>]*http|src=.http", (tmp_path / "kept.html").read_text())
    first, second = str(running.result).splitlines()
    assert re.fullmatch(r"iPhone: 11 of 12, plain 12 of 12; \d\.\d s in the median", first)
    assert re.fullmatch(r"Pixel 8: 12 of 12, plain 12 of 12; \d\.\d s in the median", second)
    assert running.result.finding == "2 phones read 23 of 24 codes, and 24 of 24 plain ones"
    table = running.results()
    assert table.dtypes.astype(str).to_dict() == {
        "phone": TEXT, "code": TEXT, "step": "int64", "condition": TEXT, "strength": "float64", "is_read": "bool",
        "seconds": "float64",
    }  # fmt: skip
    assert table.groupby(["phone", "code"]).size().tolist() == [12] * 4
    missed = table[~table.is_read]
    assert missed[["phone", "code", "step"]].values.tolist() == [["iPhone", "design", 5]]
    assert table.seconds.isna().tolist() == (~table.is_read).tolist()
    known = json.loads(running.to_json())
    assert known["content"] == PLAIN.content
    assert [(step["condition"], step["strength"]) for step in known["steps"]] == [tuple(step) for step in LADDER]
    assert sum(pd.DataFrame(known["phones"]).design.explode().isna()) == 1


def test_codes_are_guess_proof_and_of_one_kind():
    with begun(PLAIN) as running:
        page = Page(running.address)
        join = page.code()
        page.begin(IPHONE)
        shown = [decode(ask(f"{page.address}picture?1")[2])]
        heading(shown[0].content, IPHONE)
        page.look()
        shown.append(decode(ask(f"{page.address}picture?2")[2]))
    host = running.address.split("/")[2]
    for address in (join, *(one.content for one in shown)):
        assert re.fullmatch(rf"HTTP://{host}/[0-9A-Z]{{13}}", address)
    before = decode(QRImage(PLAIN).to_bytes("png"))
    assert {(one.version, one.ec) for one in shown} == {(before.version, before.ec)}


@pytest.fixture(scope="module")
def running():
    """A trial that shows its first code to an iPhone."""
    with begun(PLAIN) as running:
        Page(running.address).begin(IPHONE)
        yield running


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("", "GET"), ("x", "GET"), ("favicon.ico", "GET"), ("0" * 13, "GET"), ("state?0", "GET"), ("/state?0", "GET"),
        ("x" * 22 + "/", "GET"), ("x" * 22 + "/result", "GET"), ("x" * 22 + "/stop", "POST"), ("{token}", "GET"),
        ("{token}/result", "GET"), ("{token}/picture?2", "GET"), ("{token}/stop", "GET"), ("{token}/x/", "GET"),
        ("{token}/screen?0.5", "POST"), ("{token}/next?" + "9" * 30, "GET"), ("%C3%A9", "GET"), ("0" * 13, "HEAD"),
        ("x/../{token}/", "OPTIONS"), ("{token}/", "DELETE"),
    ],
)  # fmt: skip
def test_stranger_who_guesses_sees_nothing(running, path, method):
    place, token = re.fullmatch(r"(.*/)([^/]+)/", running.address).groups()
    status, headers, body = ask(place + path.format(token=token), PIXEL, method)
    assert (status, body) == (404, b"")
    assert "qrkit" not in str(headers).lower()
    state = Page(running.address).look()
    assert (state["number"], [phone["name"] for phone in state["phones"]]) == (1, ["iPhone"])


def test_address_ends_with_the_trial():
    with begun(PLAIN) as running:
        page = Page(running.address)
        join = page.code()
        page.begin(IPHONE)
        code = page.code()
        assert not running.wait(0)
        assert page.send("stop")["isDone"]
        page.take_result()
        assert running.wait(0)
        assert repr(running) == "<Trial: iPhone read 0 of 0 codes, and 0 of 0 plain ones>"
        for url in (page.address, f"{page.address}state?0", f"{page.address}result", join, code):
            assert ask(url, IPHONE)[0] == 404
    with pytest.raises(OSError):
        ask(running.address)
    assert str(running.result) == "iPhone: 0 of 0, plain 0 of 0"


def test_phone_that_never_answers_is_given_up():
    with begun(PLAIN, seconds=1) as running:
        page = Page(running.address)
        page.begin(IPHONE, PIXEL)
        code = page.code()
        heading(code, PIXEL)
        assert page.look()["phones"][0]["seconds"] is None
        assert page.look()["number"] == 2  # the second is over
        assert heading(code, IPHONE) == "Too late for this code"
        assert page.send("next?2")["number"] == 3  # the button
    first, second = running.result.phones
    assert (first.design, first.plain) == ([None], [None])
    assert second.design[0] < 1
    assert str(first) == "iPhone: 0 of 1, plain 0 of 1"


def test_phones_join_before_the_first_code_alone():
    with begun(PLAIN) as running:
        page = Page(running.address)
        join = page.code()
        assert heading(join, IPHONE, Purpose="prefetch") is None
        assert heading(join, "Twitterbot/1.0") is None
        for number in range(12):
            assert heading(join, f"{REDUCED} {number}") == "This phone takes part"
        assert heading(join, f"{REDUCED} 0") == "This phone takes part"
        assert heading(join, IPHONE) == "All places are taken"
        page.look()
        page.send("next?0")
        assert heading(join, IPHONE) == "Too late for this code"
        assert heading(page.code(), IPHONE) == "Too late for this code"
        names = [phone.name for phone in running.result.phones]
    assert names == ["Android phone", *(f"Android phone ({number})" for number in range(2, 13))]


def test_names_that_phones_claim_are_text():
    class Elements(HTMLParser):
        found = frozenset()

        def handle_starttag(self, tag, attrs):
            self.found |= {tag}

    hostile = PIXEL.replace("Pixel 8", "<script>alert(1)</script>")
    with begun(PLAIN) as running:
        page = Page(running.address)
        page.begin(hostile)
        page.send("stop")
        html = page.take_result()
    elements = Elements()
    elements.feed(html)
    assert "script" not in elements.found


def test_screen_is_as_it_was_measured():
    with begun(PLAIN) as running:
        page = Page(running.address)
        page.look()
        assert running.result.screen is None
        assert ask(f"{page.address}screen?4.25", method="POST")[0] == 200
        assert running.result.screen == 4.25
        assert page.state["pixelMm"] == pytest.approx(1 / 6)  # six pixels of a module of a millimeter


def test_start_waits_for_a_phone():
    with begun(PLAIN) as running:
        page = Page(running.address)
        page.look()
        ask(f"{page.address}next?0", method="POST")
        heading(page.code(), IPHONE)
        assert page.look()["number"] == 0


def test_small_versions_grow_and_the_page_says_so():
    with begun(Design(content="hi", ec="H")) as running:
        assert running.note.startswith("Version 1 is too small for the address of a step, so phones see version ")
        assert running.note in ask(running.address)[2].decode()
        assert decode(ask(f"{running.address}picture?0")[2]).ec == "H"


@pytest.mark.parametrize(
    ("subject", "options", "field"),
    [
        (PLAIN, {"seconds": 0}, "seconds"),
        (PLAIN, {"seconds": float("nan")}, "seconds"),
        (PLAIN, {"pause": -1}, "pause"),
        (PLAIN, {"port": 70_000}, "port"),
        (PLAIN, {"host": "203.0.113.1"}, "host"),
        (Design(content="HI", micro=True), {}, "micro"),
        (QRImage(Design(content="hi", ec="H")).to_bytes("png"), {}, "subject"),
    ],
)
def test_errors_name_the_field(subject, options, field):
    with pytest.raises(InvalidParameter) as caught:
        trial(subject, **({"host": "127.0.0.1", "port": 0} | options))
    assert [problem.name for problem in caught.value.problems] == [field]


def test_port_in_use_is_named():
    with begun(PLAIN) as running, pytest.raises(InvalidParameter, match="is used by another program"):
        begun(PLAIN, port=int(running.address.split(":")[2].split("/")[0]))


def test_kept_trials_stand_beside_the_simulation(new_path):
    report = check(PLAIN, "static")
    other = PLAIN.replace(foreground="black")
    with begun(PLAIN) as running, open_portfolio(new_path()) as shop:
        page = Page(running.address)
        page.begin(IPHONE, PIXEL)
        code = page.code()
        heading(code, IPHONE)
        page.look()
        page.send("next?1")
        assert beside(shop, PLAIN, report) is None
        running.keep(shop)
        said = [beside(shop, one, report) for one in (PLAIN, PLAIN.replace(content="another"), other)]
        assert said == ["simulated: robust; your 2 phones: 1 of 2"] * 2 + [None]
        heading(page.code(), IPHONE)
        heading(page.code(), PIXEL)
        page.look()
        heading(page.code(), IPHONE)
        page.look()
        page.send("next?3")
        running.keep(shop)  # the latest of each phone counts
        assert beside(shop, PLAIN, report) == "simulated: robust; your 2 phones: 2 of 4"


def test_only_what_can_be_found_again_is_kept():
    subject = BytesIO(QRImage(PLAIN).to_bytes("png"))
    refused = pytest.raises(InvalidParameter, match="subject")
    with begun(subject) as running, open_portfolio(":memory:") as shop, refused:
        running.keep(shop)
