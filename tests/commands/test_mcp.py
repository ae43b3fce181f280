"""`qrkit mcp`, driven by the client of the Model Context Protocol's own SDK over standard input and output."""

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from datetime import date

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from qrkit import analytics, open_portfolio
from qrkit.commands.mcp import QUESTIONS

RATES = {"door": 12.0, "bus": 3.0, "gate": 5.0}
MARCH = {"since": "2026-03-01", "until": "2026-04-01"}
CHANGES = {"add_code", "change_code", "remove_code", "add_campaign"}

pytestmark = pytest.mark.slow


@pytest.fixture
def shop(tmp_path):
    """A store with three QR Codes in two campaigns, scanned on each day of two months."""
    path = tmp_path / "shop.duckdb"
    with open_portfolio(path, base_url="https://go.example.com") as portfolio:
        spring, autumn = (portfolio.insert_campaign(name).id for name in ("Spring", "Autumn"))
        for code in RATES:
            portfolio.insert_qrcode(
                f"https://example.com/{code}",
                name=code.title(),
                short_code=code,
                campaign_id=autumn if code == "bus" else spring,
            )
        portfolio.insert_qrcode("WIFI:T:WPA;S:Guests;P:low tide;;", name="Wi-Fi", is_dynamic=False)
        portfolio.scans.insert(analytics.simulate(RATES, since=date(2026, 2, 1), days=59))
    return path


@asynccontextmanager
async def assistant(shop, *words):
    """A function that calls a tool and returns its answer, or its error, and the session."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-W", "error::ResourceWarning", "-m", "qrkit", "mcp", "--store", str(shop), *words],
    )
    async with Client(stdio_client(server)) as client:

        async def ask(tool, **given):
            answer = await client.call_tool(tool, given)
            text = answer.content[0].text
            return text if answer.is_error else json.loads(text)

        yield ask, {tool.name: tool for tool in (await client.list_tools()).tools}


def kept(shop):
    """Everything that the store keeps about QR Codes, campaigns and scans."""
    with open_portfolio(shop) as portfolio:
        records = [record.to_json() for record in (*portfolio.list_campaigns(), *portfolio.list_qrcodes())]
        return records, portfolio.scans.to_frame().to_csv()


def test_twelve_questions_are_answered_and_nothing_changes(shop):
    before = kept(shop)

    async def talk():
        async with assistant(shop) as (ask, tools):
            assert not CHANGES & set(tools)
            assert all(tool.annotations.read_only_hint for tool in tools.values())
            assert QUESTIONS.keys() <= set(tools)
            assert "unknown" in (await ask("remove_code", code="door")).lower()
            return {
                "made": await ask("make_code", design={"content": "https://example.com", "foreground": "#123456"}),
                "checked": await ask("check_code", design={"content": "hi", "padding": 0}, level="static"),
                "listed": await ask("list_codes", search="example.com", most=2),
                "shown": await ask("show_code", code="Wi-Fi"),
                "campaigns": await ask("list_campaigns"),
                "summary": await ask("summary", scans={"campaign": "Spring", **MARCH}),
                "rates": await ask("rates", scans=MARCH, by="qrcode"),
                "compared": await ask("compare", first={"code": "bus", **MARCH}, second={"code": "door", **MARCH}),
                "few": await ask("compare", first={"code": "bus", "since": "2026-03-01", "until": "2026-03-08"},
                                 second={"code": "door"}),
                "ranked": await ask("ranking", scans=MARCH, by="qrcode"),
                "changed": await ask("before_and_after", scans={"code": "door"}, change="2026-03-01"),
                "report": await ask("report", which=MARCH),
                "misspelt": await ask("rates", scans={"campaigns": "Spring"}),
                "misnamed": await ask("rates", scans=MARCH, campaign="Spring"),
                "unknown": await ask("summary", scans={"code": "dor"}),
                "both": await ask("summary", scans={"last": "month", **MARCH}),
            }  # fmt: skip

    told = asyncio.run(talk())
    assert told["made"]["svg"].lstrip().startswith("<")
    assert told["made"]["fault"] is None
    assert told["checked"]["verdict"] == "fragile"
    assert [row["short_code"] for row in told["listed"]["rows"]] == ["door", "bus"]
    assert told["listed"]["left_out"] == 1
    assert "low tide" not in json.dumps(told["shown"])
    assert [row["name"] for row in told["campaigns"]["rows"]] == ["Spring", "Autumn"]
    with open_portfolio(shop) as portfolio:
        march = portfolio.scans.where(**MARCH)
        spring = march.where(campaign_id=portfolio.find_campaign("Spring").id)
        assert told["summary"]["rows"][0]["scans"] == int(analytics.summary(spring)["scans"].iloc[0])
        known = analytics.rates(march, by="qrcode").set_index("qrcode")
        for row in told["rates"]["rows"]:
            assert row["low"] == pytest.approx(known.loc[row["qrcode"], "low"])
            assert row["low"] < row["rate"] < row["high"]
    (row,) = told["compared"]["rows"]
    assert (row["differs"], row["reason"]) == (True, "")
    assert 1 < row["low"] < 4 < row["high"]
    (row,) = told["few"]["rows"]
    assert row["low"] is None
    assert "days" in row["reason"]
    assert told["ranked"]["rows"][0]["qrcode"] == "Door"
    assert told["changed"]["rows"][0]["first_days"] == 27
    assert told["report"]["period"] == "1\N{EN DASH}31 March 2026"
    assert " scans in 31 days" in " ".join(told["report"]["words"])
    assert "campaigns" in told["misspelt"]
    assert "campaign" in told["misnamed"]
    assert "did you mean 'Door'?" in told["unknown"]
    assert "leave out" in told["both"]
    assert kept(shop) == before


def test_write_adds_changes_and_removes(shop):
    async def talk():
        async with assistant(shop, "--write") as (ask, tools):
            assert set(tools) >= CHANGES
            assert not any(tools[name].annotations.read_only_hint for name in CHANGES)
            await ask("add_campaign", name="Winter")
            added = await ask("add_code", content="https://example.com/w", short_code="w", campaign="Winter")
            assert added["short_url"] == "https://go.example.com/w"
            taken = await ask("add_code", content="https://example.com/w", short_code="w")
            assert "short_code='w'" in taken
            assert (
                "did you mean https://www.example.com"
                in (await ask("change_code", code="w", content="www.example.com"))["warning"]
            )
            await ask("remove_code", code="gate")

    asyncio.run(talk())
    with open_portfolio(shop) as portfolio:
        assert {code.short_code for code in portfolio.list_qrcodes() if code.is_dynamic} == {"door", "bus", "w"}
        winter = portfolio.find_qrcode("w")
        assert (winter.content, winter.campaign_id) == ("www.example.com", portfolio.find_campaign("Winter").id)


def test_no_secret_reaches_an_assistant(shop):
    with open_portfolio(shop) as portfolio:
        portfolio.update_qrcode(portfolio.find_qrcode("door").id, password="open sesame")

    async def talk():
        async with assistant(shop) as (ask, _):
            door, network = await ask("show_code", code="door"), await ask("show_code", code="Wi-Fi")
            assert door["password"] is True
            assert "tide" not in json.dumps(network)
            assert "is not for reports" in await ask("report", which={"code": ""})

    asyncio.run(talk())
