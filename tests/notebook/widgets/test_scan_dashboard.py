"""The dashboard without a browser: which scans it shows, and what it says."""

import re
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from io import StringIO

import pandas as pd
import pytest
from ipywidgets.widgets.widget import _instances
from lxml import html

from qrkit import open_portfolio
from qrkit.analytics import simulate
from qrkit.errors import InvalidParameter
from qrkit.notebook.widgets import ScanDashboard
from qrkit.notebook.widgets.dashboard.dashboard_answers import Selection
from qrkit.notebook.widgets.dashboard.scan_dashboard import LiveScans
from qrkit.report import campaign, portfolio
from tests.sweeps import quick_rows

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
HOSTILE = "</title><script>alert(1)</script>"


def shop_of_march():
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


shop = pytest.fixture(shop_of_march)
kept_shop = pytest.fixture(shop_of_march, scope="module")


@pytest.fixture(scope="module")
def kept_board(kept_shop):
    """A dashboard for tests that leave it as it was."""
    made = ScanDashboard(kept_shop, name="kept")
    yield made
    made.close()


@pytest.fixture
def board(shop):
    made = ScanDashboard(shop, name="test")
    yield made
    made.close()


def say(widget, **message):
    widget._handle_custom_msg(message, [])


def titles(board):
    return [one["title"] for one in board.state["charts"]]


def ranking(board, name):
    (found,) = (one for one in board.state["bars"] if one["name"] == name)
    return {row["label"]: row["scans"] for row in found["rows"]}


def test_days_campaign_and_kinds_narrow_what_is_shown(board, shop):
    assert board.state["numbers"] == {"scans": 31, "visitors": 31, "qrcodes": 1}
    say(board, ask="ask", fields={"since": "2026-03-10", "until": "2026-03-12"})
    assert board.state["numbers"]["scans"] == 3
    assert "Compared with the previous period" in titles(board)
    window, hostile = (one.id for one in shop.list_campaigns())
    say(board, ask="ask", fields={"since": "", "until": "", "campaign": hostile})
    assert board.state["numbers"]["scans"] == 0
    say(board, ask="ask", fields={"kinds": ["scan", "bot"]})
    assert board.state["numbers"]["scans"] == 5
    board.ask(campaign=window)
    assert board.asked == Selection(campaign=window, kinds=("scan", "bot"))
    assert board.state["numbers"]["scans"] == 31


def test_scans_without_a_campaign_have_the_name_that_reports_give_them(shop):
    shop.insert_qrcode("https://example.com", name="Alone", short_code="alone")
    shop.scans.insert([{"short_code": "alone", "time": "2026-03-30T09:00:00Z"}])
    board = ScanDashboard(shop, name="alone", language="de")
    drawn = board.state["charts"][0]["svg"]
    assert ("Ohne Kampagne" in drawn, "keine" in drawn) == (True, False)
    board.close()


def test_what_python_asks_is_answered_in_the_language_of_the_page(shop):
    board = ScanDashboard(shop, name="words", language="de")
    board.ask(since="2026-03-20", until="2026-03-31")
    assert [titles(board)[0], ranking(board, "device")] == ["Scans pro Tag", {"unknown": 12}]
    assert board.state["answer"]["lead"].startswith("12 Scans in 12 Tagen")
    ScanDashboard(shop, name="words", language="de")
    assert titles(board)[0] == "Scans pro Tag"
    board.close()


@pytest.mark.slow
def test_days_and_hours_are_those_of_the_time_zone(shop):
    board = ScanDashboard(shop, name="tokyo", time_zone="Asia/Tokyo")
    shop.scans.insert([{"short_code": "Wind", "time": "2026-03-31T15:30:00Z"}])
    board.ask(since="2026-04-01", until="2026-04-01")
    assert board.state["numbers"]["scans"] == 1
    assert "Scans by weekday and hour (Asia/Tokyo)" in titles(board)
    assert ScanDashboard(shop, name="tokyo").state["numbers"]["scans"] == 0
    assert (
        ScanDashboard(shop, name="tokyo", time_zone="Pacific/Kiritimati").state["periods"][0]["until"] == "2026-04-01"
    )
    with pytest.raises(InvalidParameter, match="must be an IANA name"):
        ScanDashboard(shop, name="tokyo", time_zone="Mars/Olympus")
    board.close()


@pytest.mark.parametrize(
    ("fields", "name"),
    quick_rows(
        [
            ({"since": "yesterday"}, "since"),
            ({"until": 7}, "until"),
            ({"since": "2026-03-10", "until": "2026-03-09"}, "until"),
            ({"kinds": []}, "kinds"),
            ({"kinds": ["robot"]}, "kinds"),
            ({"kinds": "scan"}, "kinds"),
            ({"campaign": 3}, "campaign"),
            ({"campaign": "nobody"}, "campaign"),
            ({"qrcode": "nothing"}, "qrcode"),
            ({"device": 3}, "device"),
            ({"compare": "yesterday"}, "compare"),
            ({"compare_since": "2026-03-02", "compare_until": "2026-03-01"}, "compare_until"),
            ({"camapign": "x"}, "camapign"),
            ({"until": "9999-12-31"}, "until"),
            ({"since": "0001-01-01"}, "since"),
        ],
        6,
    ),
)
def test_what_breaks_a_rule_is_told_beside_its_field_and_changes_nothing(kept_board, fields, name):
    board = kept_board
    before = board.state
    say(board, ask="ask", fields=fields)
    assert list(board.state["errors"]) == [name]
    assert board.state["charts"] == before["charts"]
    assert board.asked == Selection()
    say(board, ask="ask", fields={})
    assert board.errors == {}


def test_the_last_day_moves_with_a_first_day_after_it(kept_board):
    board = kept_board
    say(board, ask="ask", fields={"since": "2026-03-01", "until": "2026-03-10"})
    say(board, ask="ask", fields={"since": "2026-03-20"})
    assert (board.asked.since, board.asked.until, board.errors) == (date(2026, 3, 20), date(2026, 3, 20), {})
    assert board.state["moved"] == ["until"], "the page says so below the field"
    say(board, ask="ask", fields={"until": "2026-03-19"})
    assert list(board.errors) == ["until"]
    say(board, ask="ask", fields={"since": "", "until": ""})
    assert (board.asked, board.errors, board.state["moved"]) == (Selection(), {}, [])


def test_visitors_that_cannot_be_told_are_not_called_0():
    with open_portfolio(":memory:", clock=lambda: NOW) as shop:
        shop.insert_qrcode("https://example.com", name="Door", short_code="door")
        shop.scans.insert(pd.DataFrame({"short_code": "door", "time": pd.date_range("2026-03-01", periods=3)}))
        board = ScanDashboard(shop, name="keyless")
        assert board.state["numbers"] == {"scans": 3, "visitors": None, "qrcodes": 1}
        text = board._repr_mimebundle_()[0]["text/html"]
        assert "3 scans, 1 QR Code" in text
        board.close()


@pytest.mark.slow
def test_days_are_compared_with_those_before_a_year_before_or_a_range(board, shop):
    times = pd.date_range("2025-03-10", periods=2, freq="D") + pd.Timedelta(hours=9)
    shop.scans.insert(pd.DataFrame({"short_code": "Wind", "time": times, "visitor": range(2)}))
    board.ask(since="2026-03-10", until="2026-03-12")
    assert board.state["before"] == {"scans": 3, "visitors": 3, "qrcodes": 1}
    board.ask(compare="year")
    assert board.state["before"]["scans"] == 2
    assert "Compared with the same days of the year before" in titles(board)
    board.ask(compare="range")
    assert (board.state["before"], len(titles(board))) == (None, 2)
    board.ask(compare_since="2026-03-01", compare_until="2026-03-07")
    assert board.state["before"]["scans"] == 7
    assert "Compared with 2026-03-01 to 2026-03-07" in titles(board)
    board.ask(compare="")
    assert (board.state["before"], board.errors) == (None, {})
    board.ask(since="2024-02-29", until="2024-02-29", compare="year")
    assert board.state["before"]["scans"] == 0


@pytest.mark.slow
def test_chosen_campaigns_stand_side_by_side_with_intervals():
    with open_portfolio(":memory:", clock=lambda: NOW) as shop:
        rates = {"door": 12.0, "bus": 3.0, "tram": 6.0}
        for code in rates:
            campaign = shop.insert_campaign(f"{code.title()} <b>")
            shop.insert_qrcode("https://example.com", name=code, short_code=code, campaign_id=campaign.id)
        shop.scans.insert(simulate(rates, since=date(2026, 2, 1), days=59))
        _, bus, tram = shop.list_campaigns()
        with closing(ScanDashboard(shop, name="compared")) as board:
            board.ask(compare="campaigns")
            assert all(f"{one} &lt;b&gt;" in board.state["answer"]["compared"] for one in ("Door", "Bus", "Tram"))
            board.ask(campaigns=[bus.id, tram.id])
            told = board.state["answer"]["compared"]
            assert "Door" not in told
            assert "leads with" in told
            assert re.search(r"against “\u2068Bus &lt;b&gt;\u2069”, in scans a day: \d+% more \(likely between", told)
            assert re.search(r"<td>\d\.\d<small>likely", told)
            assert "leads with" in board._still()["text/html"]
            assert board.state["filters"] == [{"name": "campaigns", "label": "Bus <b>, Tram <b>"}]
            assert board.state["numbers"]["qrcodes"] == 2
            board.ask(campaigns=["nobody"])
            assert list(board.errors) == ["campaign"]
            for wrong in (5, bus.id):
                board.ask(campaigns=wrong)
                assert "must be a list of the IDs of campaigns" in board.errors["campaigns"]
            board.ask(campaigns=[], compare="previous")
            assert (board.state["answer"]["compared"], board.state["filters"]) == ("", [])
            board.ask(colour="red")
            assert "is not a field" in board.errors["colour"]


def test_a_bar_filters_everything_but_its_own_chart(board, shop):
    phone = (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Version/17.0 Mobile Safari/604.1"
    )
    shop.scans.insert(
        [{"short_code": "ti", "time": "2026-03-31T10:00:00Z", "user_agent": phone, "country": "SI", "visitor": 1}]
    )
    ScanDashboard(shop, name="test")
    assert ranking(board, "campaign") == {"Window": 31, HOSTILE: 1}
    assert ranking(board, "country") == {"unknown": 31, "SI": 1}
    say(board, ask="ask", fields={"country": "SI"})
    assert board.state["numbers"]["scans"] == 1
    assert ranking(board, "campaign") == {HOSTILE: 1}
    assert ranking(board, "country") == {"unknown": 31, "SI": 1}
    assert board.state["filters"] == [{"name": "country", "label": "SI"}]
    hostile = shop.list_campaigns()[1]
    code = next(one for one in shop.list_qrcodes() if one.campaign_id == hostile.id)
    board.ask(system="iOS", device="phone", qrcode=code.id, campaign=hostile.id)
    assert board.state["numbers"]["scans"] == 1
    assert {one["name"]: one["label"] for one in board.state["filters"]} == {
        "campaign": HOSTILE, "qrcode": code.name, "system": "iOS", "device": "phone", "country": "SI",
    }  # fmt: skip
    board.ask(country="unknown")
    assert board.state["numbers"]["scans"] == 0
    board.ask(system="", device="", qrcode="", campaign="", country="")
    assert (board.state["numbers"]["scans"], board.state["filters"]) == (32, [])


@pytest.mark.slow
def test_a_campaign_has_one_color_in_lines_and_bars(board, shop):
    (campaigns,) = (one for one in board.state["bars"] if one["name"] == "campaign")
    assert [(row["label"], row["color"]) for row in campaigns["rows"]] == [("Window", 1)]
    assert "var(--color-1" in board.state["charts"][0]["svg"]
    shop.scans.insert([{"short_code": "ti", "time": "2026-03-31T10:00:00Z"}])
    board.ask(campaign=shop.list_campaigns()[1].id)
    assert "var(--color-2" in board.state["charts"][0]["svg"]


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


@pytest.mark.slow
def test_charts_follow_the_room_there_is(board):
    wide = board.state["charts"]
    say(board, ask="width", width=450)
    assert "max-width:450px" in board.state["charts"][0]["svg"].replace(" ", "")
    for strange in (451, None, "450"):
        say(board, ask="width", width=strange)
    assert "max-width:450px" in board.state["charts"][0]["svg"].replace(" ", "")
    say(board, ask="width", width=860, narrow=510)
    assert board.state["charts"] == wide


@pytest.mark.slow
def test_the_same_scans_are_drawn_the_same(shop, board):
    other = ScanDashboard(shop, name="other")
    assert other.state["charts"] == board.state["charts"]
    other.close()


@pytest.mark.slow
def test_a_cell_that_is_run_again_shows_the_scans_there_are_by_then(board, shop):
    board.ask(since="2026-03-30", device="unknown", compare="year")
    shop.scans.insert(pd.DataFrame({"short_code": ["Wind"], "time": [pd.Timestamp("2026-03-31T10:00")]}))
    before = len(_instances)
    for _ in range(3):
        assert ScanDashboard(shop, name="test") is board
    assert len(_instances) == before
    assert board.state["numbers"]["scans"] == 3
    assert board.asked == Selection(since=date(2026, 3, 30), device="unknown", compare="year")


@pytest.mark.slow
def test_a_campaign_that_is_gone_or_is_another_portfolio_s_is_not_asked_for_when_a_cell_is_run_again(board, shop):
    window, hostile = (one.id for one in shop.list_campaigns())
    board.ask(campaign=hostile, since="2026-03-30")
    shop.delete_campaign(hostile, keep=True)
    ScanDashboard(shop, name="test")
    assert board.asked == Selection(since=date(2026, 3, 30))
    assert board.state["numbers"]["scans"] == 2
    board.ask(campaign=window, qrcode=shop.list_qrcodes()[0].id)
    with open_portfolio(":memory:") as other:
        ScanDashboard(other, name="test")
        assert (board.asked.campaign, board.asked.qrcode) == ("", "")


@pytest.mark.slow
def test_kinds_may_be_a_tuple_in_code(board):
    board.ask(kinds=("bot",))
    assert board.asked == Selection(kinds=("bot",))
    assert board.errors == {}


def test_portfolio_without_scans_or_codes_is_shown():
    with open_portfolio(":memory:") as empty:
        board = ScanDashboard(empty, name="empty")
        board.ask(since="2026-01-01", until="2026-01-31")
        assert board.state["numbers"] == {"scans": 0, "visitors": 0, "qrcodes": 0}
        assert len(board.state["charts"]) == 3
        assert [one["rows"] for one in board.state["bars"]] == [[]] * 5
        board.close()


@pytest.mark.slow
def test_silent_posters_and_the_lead_are_told_as_in_reports():
    with open_portfolio(":memory:", clock=lambda: datetime(2026, 4, 30, tzinfo=UTC)) as shop:
        frames = []
        for name, rates in {"Trams": {"t1": 6, "t2": 5, "t3": 14}, "Shops": {"s1": 9, "s2": 3}}.items():
            campaign = shop.insert_campaign(name)
            for code in rates:
                shop.insert_qrcode("https://example.com", name=code, campaign_id=campaign.id, short_code=code)
            frames.append(simulate(rates, since=date(2026, 3, 1), days=60, seed=len(frames)))
        scans = pd.concat(frames)[["short_code", "time", "visitor"]]
        shop.scans.insert(scans[(scans["short_code"] != "t1") | (scans["time"] < "2026-04-01")])
        board = ScanDashboard(shop, name="told")
        assert board.state["answer"] is None, "the charts do not wait for the sentences"
        say(board, ask="tell")
        told = board.state["answer"]
        (silent,) = told["alerts"]
        assert silent.startswith("“\u2068t1\u2069” has had no scan since 31 March (")
        words = portfolio(shop).words
        assert tuple(filter(None, (told["headline"], told["lead"], silent, *told["findings"]))) == words
        assert any(sentence.startswith("“\u2068Trams\u2069” leads with ") for sentence in told["findings"])
        assert [one["name"] for one in told["figures"]] == ["scans", "visitors", "codes", "busiest"]
        assert told["headline"] in board._repr_mimebundle_()[0]["text/html"]
        board.ask(since="2026-03-01", until="2026-04-29", compare="year")
        year_before = portfolio(shop, since="2026-03-01", until="2026-04-30", compare_to="last year").words
        assert board.state["answer"]["findings"][0] in year_before
        board.ask(kinds=["bot"])
        nothing = {"headline": "", "lead": "", "alerts": [], "findings": [], "figures": [], "compared": ""}
        assert board.state["answer"] == nothing
        board.close()


def test_periods_are_whole_months_and_quarters(board):
    assert [(one["label"], one["since"], one["until"]) for one in board.state["periods"]] == [
        ("7 days", "2026-03-25", "2026-03-31"),
        ("Last month", "2026-02-01", "2026-02-28"),
        ("Last quarter", "2025-10-01", "2025-12-31"),
        ("90 days", "2026-01-01", "2026-03-31"),
        ("All", "", ""),
    ]


def test_a_chart_has_a_table_of_its_numbers_whose_names_are_text(board):
    board.ask(kinds=["scan", "bot"])
    say(board, ask="table", title="Scans per day")
    rows = pd.read_html(StringIO(board.state["table"]["html"]))[0]
    assert rows["scans"].sum() == 36
    assert HOSTILE in set(rows["campaign"])
    assert HOSTILE not in board.state["table"]["html"]
    for nothing in ("", "no chart", 3):
        say(board, ask="table", title=nothing)
        assert board.state["table"] is None


@pytest.mark.slow
def test_the_report_on_what_is_shown_is_downloaded(board, shop):
    sent = []
    board.send = lambda content, buffers=(): sent.append((content["name"], buffers[0]))
    say(board, ask="ask", fields={"since": "2026-03-10", "until": "2026-03-20", "compare": "campaigns"})
    say(board, ask="report", view="v")
    made = portfolio(shop, since="2026-03-10", until="2026-03-21", compare_to="campaigns")
    assert (sent.pop(), board.errors) == (("report.html", made.html.encode()), {})
    first, second = (one.id for one in shop.list_campaigns()[:2])
    shop.insert_campaign("Third")
    board.ask(campaigns=[first, second])
    say(board, ask="report", view="v")
    how = {"since": "2026-03-10", "until": "2026-03-21", "compare_to": "campaigns"}
    assert sent.pop()[1] == campaign(shop, [first, second], **how).html.encode()


def test_tags_are_ranked_and_filter_scans_if_there_are_any(board, shop):
    assert "tag" not in [one["name"] for one in board.state["bars"]]
    shop.update_qrcode(shop.find_qrcode("Wind").id, tags=["poster", "door"])
    board.ask(tag="door")
    assert ranking(board, "tag") == {"door": 31, "poster": 31}
    assert board.state["filters"] == [{"name": "tag", "label": "door"}]
    board.ask(tag="nowhere")
    assert board.state["numbers"]["scans"] == 0


def test_followed_scans_are_a_live_chart(shop):
    def scan(minutes):
        shop.scans.insert([{"short_code": "Wind", "time": NOW - timedelta(minutes=minutes)}])

    for minutes in (59, 2):
        scan(minutes)
    shown = shop.scans.follow()._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in shown
    assert "Scans in the last hour: 2; in the last five minutes: 1" in shown["text/html"]
    live = LiveScans(shop.scans, name=repr(shop.scans))
    for minutes in (61, 0):
        scan(minutes)
    say(live, ask="look")
    (columns, _) = html.fromstring(live.state["svg"]).iter("path")
    assert columns.get("d") == "M4 100v-80.0M460 100v-80.0M476 100v-80.0"
    live.close()


def test_a_dashboard_shows_the_last_hour_of_what_it_is_filtered_by(shop, board):
    shop.scans.insert([{"short_code": code, "time": NOW - timedelta(minutes=1)} for code in ("Wind", "ti")])
    campaign = shop.find_qrcode("Wind").campaign_id
    board.ask(since="2026-03-01", until="2026-03-02", campaign=campaign)
    say(board, ask="live")
    assert board.state["live"]["title"] == "Scans in the last hour: 1; in the last five minutes: 1"
    assert board.asked.campaign == campaign
