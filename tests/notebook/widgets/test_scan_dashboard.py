"""The dashboard without a browser: which scans it shows, and what it says."""

from datetime import UTC, date, datetime

import pandas as pd
import pytest
from ipywidgets.widgets.widget import _instances
from lxml import html

from qrkit import open_portfolio
from qrkit.notebook.widgets import ScanDashboard
from qrkit.notebook.widgets.dashboard_answers import Asked

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
HOSTILE = "</title><script>alert(1)</script>"


@pytest.fixture
def shop():
    with open_portfolio(":memory:", base_url="https://go.example.com", clock=lambda: NOW) as made:
        for name in ("Window", HOSTILE):
            campaign = made.insert_campaign(name)
            made.insert_qrcode(
                "https://example.com", name=name, campaign_id=campaign.id, short_code=name[:4].strip("</")
            )
        times = pd.date_range("2026-03-01", periods=31, freq="D") + pd.Timedelta(hours=9)
        made.scans.insert(pd.DataFrame({"short_code": "Wind", "time": times, "visitor": range(31)}))
        bots = pd.DataFrame({"short_code": "ti", "time": times[:5], "kind": "bot", "visitor": range(5)})
        made.scans.insert(bots)
        yield made


@pytest.fixture
def board(shop):
    made = ScanDashboard(shop, name="test")
    yield made
    made.close()


def say(widget, **message):
    widget._handle_custom_msg(message, [])


def test_days_campaign_and_kinds_narrow_what_is_shown(board, shop):
    assert board.state["numbers"] == {"scans": 31, "visitors": 31, "qrcodes": 1}
    say(board, ask="ask", fields={"since": "2026-03-10", "until": "2026-03-12"})
    assert board.state["numbers"]["scans"] == 3
    assert "And the period before" in [one["title"] for one in board.state["charts"]]
    window, hostile = (one.id for one in shop.list_campaigns())
    say(board, ask="ask", fields={"since": "", "until": "", "campaign": hostile})
    assert board.state["numbers"]["scans"] == 0
    say(board, ask="ask", fields={"kinds": ["scan", "bot"]})
    assert board.state["numbers"]["scans"] == 5
    board.ask(campaign=window)
    assert board.asked == Asked(campaign=window, kinds=("scan", "bot"))
    assert board.state["numbers"]["scans"] == 31


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"since": "yesterday"}, "since"),
        ({"until": 7}, "until"),
        ({"since": "2026-03-10", "until": "2026-03-09"}, "until"),
        ({"kinds": []}, "kinds"),
        ({"kinds": ["robot"]}, "kinds"),
        ({"kinds": "scan"}, "kinds"),
        ({"campaign": 3}, "campaign"),
        ({"campaign": "nobody"}, "campaign"),
        ({"camapign": "x"}, "camapign"),
        ({"until": "9999-12-31"}, "until"),
        ({"since": "0001-01-01"}, "since"),
    ],
)
def test_what_breaks_a_rule_is_told_beside_its_field_and_changes_nothing(board, fields, name):
    before = board.state
    say(board, ask="ask", fields=fields)
    assert list(board.state["errors"]) == [name]
    assert board.state["charts"] == before["charts"]
    assert board.asked == Asked()
    say(board, ask="ask", fields={})
    assert board.errors == {}


def test_charts_are_those_of_the_scans_in_words_and_pictures(board):
    for chart in board.state["charts"]:
        svg = html.fromstring(chart["svg"])
        assert svg.get("role") == "img"
        assert svg.get("aria-label")
    assert "31" in board.state["charts"][0]["svg"]


def test_names_in_charts_are_text(board):
    board.ask(kinds=["scan", "bot"])
    page = board._repr_mimebundle_()[0]["text/html"]
    assert HOSTILE not in page + "".join(one["svg"] for one in board.state["charts"])
    assert not html.fromstring(page).xpath("//script")


def test_charts_follow_the_room_there_is(board):
    wide = board.state["charts"]
    say(board, ask="width", width=450)
    assert "max-width:450px" in board.state["charts"][0]["svg"].replace(" ", "")
    for strange in (451, None, "450"):
        say(board, ask="width", width=strange)
    assert "max-width:450px" in board.state["charts"][0]["svg"].replace(" ", "")
    say(board, ask="width", width=860)
    assert board.state["charts"] == wide


def test_the_same_scans_are_drawn_the_same(shop, board):
    other = ScanDashboard(shop, name="other")
    assert other.state["charts"] == board.state["charts"]
    other.close()


def test_a_cell_that_is_run_again_shows_the_scans_there_are_by_then(board, shop):
    board.ask(since="2026-03-30")
    shop.scans.insert(pd.DataFrame({"short_code": ["Wind"], "time": [pd.Timestamp("2026-03-31T10:00")]}))
    before = len(_instances)
    for _ in range(3):
        assert ScanDashboard(shop, name="test") is board
    assert len(_instances) == before
    assert board.state["numbers"]["scans"] == 3
    assert board.asked == Asked(since=date(2026, 3, 30))


def test_a_campaign_that_is_gone_or_is_another_portfolio_s_is_not_asked_for_when_a_cell_is_run_again(board, shop):
    window, hostile = (one.id for one in shop.list_campaigns())
    board.ask(campaign=hostile, since="2026-03-30")
    shop.delete_campaign(hostile, keep=True)
    ScanDashboard(shop, name="test")
    assert board.asked == Asked(since=date(2026, 3, 30))
    assert board.state["numbers"]["scans"] == 2
    board.ask(campaign=window)
    with open_portfolio(":memory:") as other:
        ScanDashboard(other, name="test")
        assert board.asked.campaign == ""


def test_kinds_may_be_a_tuple_in_code(board):
    board.ask(kinds=("bot",))
    assert board.asked == Asked(kinds=("bot",))
    assert board.errors == {}


def test_portfolio_without_scans_or_codes_is_shown():
    with open_portfolio(":memory:") as empty:
        board = ScanDashboard(empty, name="empty")
        board.ask(since="2026-01-01", until="2026-01-31")
        assert board.state["numbers"] == {"scans": 0, "visitors": 0, "qrcodes": 0}
        assert len(board.state["charts"]) == 5
        board.close()
