import base64
import hashlib
import io
import json
import re
import socketserver
import subprocess
import threading
import zipfile
import zlib
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from string import ascii_uppercase

import lxml.html
import numpy as np
import pandas as pd
import pytest
import resvg_py
import zxingcpp
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from qrkit import analytics, decode, open_portfolio, report
from qrkit.errors import InvalidParameter, NotFound
from qrkit.report import code_cards as cards
from qrkit.report import embedded, unscanned, words
from qrkit.report.comparisons import Scope
from qrkit.report.facts import gather
from qrkit.tracking.records import Campaign
from qrkit.visits.redirect import Redirects, Request

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
GO = "https://go.example.com"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Safari/604.1"
WINDOWS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36"
)
GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
CLICKS = Path(__file__).parents[3] / "shared/data/usagov_clicks.jsonl"
HOSTILE = "\"'><script>alert(1)</script> & {{ 7 * 7 }} \u202e\u05e9\u05dc\u05d5\u05dd"


def month_of_scans(codes, *, scans=300):
    """Scans in June 2026, more of the first codes, each by another visitor."""
    rows = [
        {
            "short_code": codes[min(number % 7, number % 4, len(codes) - 1)].short_code,
            "time": datetime(2026, 6, 1, 8, tzinfo=UTC) + timedelta(minutes=number * 141),
            "user_agent": (IPHONE, IPHONE, WINDOWS)[number % 3],
            "country": ("DE", "FR", None)[number % 3],
            "visitor": number // 2,
        }
        for number in range(scans)
    ]
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def shop():
    """Two campaigns and codes outside them; scans, visits that are none, and an imported record with 350 scans."""
    with open_portfolio(":memory:", base_url=GO, clock=lambda: datetime(2026, 5, 1, tzinfo=UTC)) as portfolio:
        spring = portfolio.insert_campaign("Spring window", description="Stickers & posters")
        night = portfolio.insert_campaign("Night of Museums")
        codes = [
            portfolio.insert_qrcode("https://example.com/door", name="Door", campaign_id=spring.id, urlinfo="open-day"),
            portfolio.insert_qrcode("https://example.com/stairs", name="Stairs", campaign_id=spring.id),
            portfolio.insert_qrcode("https://example.com/night", name="Flyer", campaign_id=night.id),
            portfolio.insert_qrcode("https://example.com/tent", name="Tent", properties={"padding": 0, "ec": "H"}),
        ]
        portfolio.insert_qrcode("WIFI:T:WPA;S:Guests;P:low tide;;", name="Wi-Fi", is_dynamic=False)
        portfolio.insert_qrcode("https://example.com/unseen", name="Unseen")
        portfolio.import_file(b"QR Code Name,Content,Scans\r\nOld,https://example.com/old,350\r\n", format="csv")
        portfolio.scans.insert(month_of_scans(codes))
        redirects = Redirects(portfolio.store, clock=lambda: datetime(2026, 6, 3, 12, tzinfo=UTC))
        for agent, method in ((GOOGLEBOT, "GET"), (GOOGLEBOT, "GET"), (IPHONE, "HEAD")):
            redirects.answer(Request(method, codes[0].short_code, {"user-agent": agent}))
        yield portfolio


@pytest.fixture(scope="module")
def made(shop):
    return report.portfolio(shop, cards=True)


@pytest.fixture(scope="module")
def page(made):
    return lxml.html.document_fromstring(made.html)


def key_figures(page):
    """Number and detail of what the page begins with."""
    return {
        block.find("dt").text: (block.find("dd").text.strip(), block.xpath("string(dd/small[@class='detail'])"))
        for block in page.xpath("//dl[@class='figures']/div")
    }


def changes(page):
    """What is said of the change of a key figure."""
    return {
        block.find("dt").text: block.xpath("string(dd/small[@class='change'])")
        for block in page.xpath("//dl[@class='figures']/div")
    }


def table(page, title):
    """Cells of the table below a title, by the name of the row."""
    (found,) = page.xpath(f"//section[h2='{title}']/table")
    rows = found.xpath("tbody/tr")
    return {row.xpath("string(th//bdi)"): [cell.text for cell in row.xpath("td")] for row in rows}


def code_cells(page):
    """Cells of the table of QR Codes by heading, by the name of the code."""
    (found,) = page.xpath("//section[@id='codes']/table")
    headings = [heading.text_content() for heading in found.xpath("thead/tr/th")]
    return {
        row.xpath("string(th//bdi)"): dict(
            zip(headings, [cell.text_content().strip() for cell in row.xpath("th | td")], strict=True)
        )
        for row in found.xpath("tbody/tr")
    }


def card_texts(page):
    """The words of each card, by its name."""
    return {card.xpath("string(.//h4)"): card.text_content() for card in page.xpath("//li[@class='card']")}


def symbols(html):
    return re.findall(r'<div class="symbol"[^>]*>(<svg.*?</svg>)', html, re.DOTALL)


def read(svg):
    return decode(resvg_py.svg_to_bytes(svg_string=svg, zoom=4)).content


def methods(page):
    return page.xpath("string(//section[@class='methods'])")


# ---- numbers


def test_key_figures_are_those_of_analytics(shop, page):
    totals = analytics.summary(shop.scans).iloc[0]
    days = analytics.scans_per_day(shop.scans).set_index("day")["scans"]
    figures = key_figures(page)
    assert figures["Scans"] == (f"{totals['scans']:,}", "and 350 imported")
    assert figures["Visitors"] == (f"{totals['visitors']:,}", "recognized within a day")
    assert figures["Codes scanned"] == (str(totals["qrcodes"]), "of 7")
    busiest = days.idxmax()
    assert figures["Busiest day"] == (f"{busiest.day} Jun", f"{days.max()} scans, a {busiest:%A}")


def test_the_period_is_that_of_the_scans(page):
    assert page.findtext(".//p[@class='period']") == "1\N{EN DASH}30 June 2026"
    assert page.findtext(".//title") == "Scan report, 1\N{EN DASH}30 June 2026"


def test_it_is_said_what_is_counted(page):
    said = methods(page)
    assert "UTC" in said
    assert "Not counted as scans: 2 visits by bots and 1 HEAD request." in said
    assert "someone who scans on two days counts twice" in said
    assert "350 scans came with imported records." in said
    assert "1 code is static" in said


def test_rows_of_codes_are_those_of_analytics(shop, page):
    expected = {
        row.qrcode: (f"{row.scans:,}", f"{row.visitors:,}", f"{row.share:.1%}")
        for row in analytics.top_qrcodes(shop.scans).itertuples()
    }
    found = code_cells(page)
    shown = {name: (cells["Scans"], cells["Visitors"], cells["Share"]) for name, cells in found.items()}
    assert {name: shown[name] for name in expected} == expected
    assert list(found)[: len(expected)] == list(expected)
    assert set(found) == {code.name for code in shop.list_qrcodes()}
    assert found["Wi-Fi"]["Scans"] == "not counted"
    assert found["Old"]["Scans"] == "0+350 imported"


def test_rows_say_contents_by_kind_and_keep_secrets(page):
    found = code_cells(page)
    assert "Wi-Fi: Guests (WPA, password hidden)" in found["Wi-Fi"]["QR Code"]
    assert "example.com/door" in found["Door"]["QR Code"]
    assert "low tide" not in page.text_content()


def test_campaigns_add_up_to_all(shop, page):
    found = table(page, "Campaigns")
    per_day = analytics.scans_per_day(shop.scans, by="campaign").groupby("campaign")["scans"].sum()
    assert {name: int(cells[1]) for name, cells in found.items()} == per_day.rename({"": "No campaign"}).to_dict()
    assert {name: int(cells[0]) for name, cells in found.items()} == {
        "Spring window": 2,
        "Night of Museums": 1,
        "No campaign": 4,
    }


def test_devices_systems_and_countries_are_named(shop, page):
    assert {name: int(cells[0]) for name, cells in table(page, "Devices").items()} == {"Phone": 200, "Computer": 100}
    assert list(table(page, "Systems")) == ["iOS", "Windows"]
    assert list(table(page, "Countries")) == ["Germany", "France"]
    (note,) = page.xpath("//section[h2='Countries']/p[@class='notes']/text()")
    assert note == "Not known for 100 scans (33.3%)."


def test_tables_of_other_attributes_are_made_on_request(shop):
    links = [f"https://x.example?utm_source={name}" for name in ("poster", "poster", "bus")]
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        frame = month_of_scans([portfolio.insert_qrcode("x")], scans=60)
        portfolio.scans.insert(frame.assign(content=[links[number % 3] for number in range(60)]))
        html = report.portfolio(portfolio, attributes=["utm_source", "destination", "city"]).html
        with pytest.raises(InvalidParameter, match="attributes='land': must be one of campaign"):
            report.portfolio(portfolio, attributes=["land"])
    page = lxml.html.document_fromstring(html)
    assert {name: int(cells[0]) for name, cells in table(page, "UTM sources").items()} == {"poster": 40, "bus": 20}
    assert list(table(page, "Destinations")) == ["https://x.example"]
    assert "Cities of visitors are not known." in html
    assert "Countries" not in html


@pytest.mark.slow
def test_rare_values_are_added_up(shop):
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        code = portfolio.insert_qrcode("x")
        frame = month_of_scans([code], scans=60)
        portfolio.scans.insert(frame.assign(country=[f"X{ascii_uppercase[number % 20]}" for number in range(60)]))
        found = table(lxml.html.document_fromstring(report.portfolio(portfolio).html), "Countries")
        assert len(found) == 9
        assert found["All others"][0] == "36"
        assert sum(int(cells[0]) for cells in found.values()) == 60


def test_charts_say_the_numbers_of_analytics(shop, page):
    said = {
        chart.xpath("string(*[local-name()='title'])"): chart.get("aria-label") for chart in page.xpath("//figure//svg")
    }
    totals = analytics.scans_per_day(shop.scans, by="campaign").groupby("campaign")["scans"].sum()
    assert f"Spring window {totals['Spring window']}" in said["scans per day by campaign"]
    most = analytics.scans_by_hour(shop.scans)["scans"].max()
    assert f"300 in all; most, {most}, on " in said["scans by weekday and hour"]


def test_static_codes_are_not_said_to_wait_for_a_scan(made):
    (waiting,) = (sentence for sentence in made.words if "Not scanned" in sentence)
    assert "Unseen" in waiting
    assert "Wi-Fi" not in waiting
    assert "not yet 2" in made.html  # of three without a scan one is static


def test_cards_tell_counted_and_imported_scans_apart(shop, page):
    cards = card_texts(page)
    top = analytics.top_qrcodes(shop.scans).set_index("qrcode")["scans"]
    assert f"{top['Door']} scans" in cards["Door"]
    assert "0 scans+ 350 imported" in cards["Old"]
    assert "0 scans" in cards["Unseen"]
    assert "scans cannot be seen" in cards["Wi-Fi"]


def test_sparklines_show_the_days(shop, page):
    by_name = analytics.scans_per_day(shop.scans, by="qrcode")
    days = by_name.loc[by_name["qrcode"] == "Door", "scans"]
    (path,) = page.xpath("//li[.//h4='Door']//svg[@class='sparkline']/path")
    assert path.get("d").count("M") == (days > 0).sum()
    assert not page.xpath("//li[.//h4='Unseen']//svg[@class='sparkline']")


@pytest.mark.slow
def test_codes_of_one_name_keep_their_own_days():
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        codes = [portfolio.insert_qrcode(f"https://example.com/{number}", name="Poster") for number in range(2)]
        times = [datetime(2026, 6, day, tzinfo=UTC) for day in (1, 2, 5)]
        frame = pd.DataFrame({"short_code": [codes[0].short_code] * 2 + [codes[1].short_code], "time": times})
        portfolio.scans.insert(frame)
        rows = report.portfolio(portfolio).html.partition('<section class="list"')[2]
        found = re.findall(r'<svg class="sparkline".*?<path d="(.*?)"', rows)
        assert found == ["M1 20v-20M3 20v-20", "M9 20v-20"]


def test_a_period_narrows_all_but_what_was_imported(shop):
    since, until = date(2026, 6, 8), date(2026, 6, 15)
    page = lxml.html.document_fromstring(report.portfolio(shop, since=since, until=until, cards=True).html)
    scans = shop.scans.where(since=since, until=until)
    assert page.findtext(".//p[@class='period']") == "8\N{EN DASH}14 June 2026"
    assert key_figures(page)["Scans"] == (str(scans.count()), "and 350 imported")
    assert "none are recorded" in methods(page)
    top = analytics.top_qrcodes(scans).set_index("qrcode")["scans"]
    assert f"{top['Door']} scans" in card_texts(page)["Door"]


def test_a_period_without_scans_is_said(shop):
    page = lxml.html.document_fromstring(report.portfolio(shop, since=date(2030, 12, 30), until=date(2031, 1, 3)).html)
    assert page.findtext(".//p[@class='period']") == "30 December 2030 \N{EN DASH} 2 January 2031"
    assert key_figures(page)["Scans"][0] == "0"
    assert not page.xpath("//figure")


@pytest.mark.parametrize("bad", [{"since": datetime(2026, 6, 1)}, {"until": "1 June"}, {"until": 20260601}])
def test_bounds_must_be_days(shop, bad):
    with pytest.raises(InvalidParameter, match="must be a day"):
        report.portfolio(shop, **bad)


@pytest.mark.slow
def test_a_day_may_be_text_and_is_of_the_time_zone_either_way(shop):
    days = {"since": date(2026, 6, 8), "until": date(2026, 6, 15)}
    texts = {name: day.isoformat() for name, day in days.items()}
    zone = {"time_zone": "Pacific/Auckland"}
    assert report.portfolio(shop, **texts, **zone) == report.portfolio(shop, **days, **zone)
    assert shop.scans.where(**texts) == shop.scans.where(**days)
    with pytest.raises(InvalidParameter, match="since='1 June': must be a day such as 2026-06-01"):
        shop.scans.where(since="1 June")


def test_until_comes_after_since(shop):
    with pytest.raises(InvalidParameter, match="until='2026-06-01': must come after since, 2026-06-01"):
        report.portfolio(shop, since=date(2026, 6, 1), until=date(2026, 6, 1))


@pytest.mark.slow
def test_one_day_needs_no_line(shop):
    page = lxml.html.document_fromstring(report.portfolio(shop, since=date(2026, 6, 8), until=date(2026, 6, 9)).html)
    assert page.findtext(".//p[@class='period']") == "Monday, 8 June 2026"
    headings = [heading.text for heading in page.xpath("//figcaption/h2")]
    assert headings[:2] == ["Scans per hour", "Hours of the week, UTC"]
    assert not [heading for heading in headings if "per day" in heading]


# ---- one campaign


def test_a_campaign_has_a_report_of_its_own(shop):
    spring = shop.list_campaigns()[0]
    made = report.campaign(shop, spring.id, cards=True)
    page = lxml.html.document_fromstring(made.html)
    scans = shop.scans.where(campaign_id=spring.id)
    assert made.title == page.xpath("string(//h1)") == "Spring window"
    assert "Stickers & posters" in page.xpath("string(//header)")
    assert key_figures(page)["Scans"] == (str(scans.count()), "")
    assert key_figures(page)["Codes scanned"] == ("2", "of 2")
    assert set(card_texts(page)) == {"Door", "Stairs"}
    assert not page.xpath("//h2[.='Campaigns']")


def test_an_unknown_campaign_is_not_found(shop):
    with pytest.raises(NotFound):
        report.campaign(shop, "nothing")


def test_colors_of_a_campaign_are_the_same_everywhere(shop, page):
    def color(path):
        return {int(re.search(r"color-(\d)", one.get("class"))[1]) for one in page.xpath(path)}

    for number, (name, code) in enumerate((("Spring window", "Door"), ("Night of Museums", "Flyer")), 1):
        assert color(f"//section[h3/bdi='{name}']") == {number}
        assert color(f"//section[h2='Campaigns']//th[.//bdi='{name}']") == {number}
        assert color(f"//section[@id='codes']//tr[th//bdi='{code}']//*[contains(@class, 'dot')]") == {number}


@pytest.mark.slow
def test_too_many_campaigns_for_colors_have_one_and_say_what_they_are():
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        codes = [
            portfolio.insert_qrcode("x", name=f"Poster {n}", campaign_id=portfolio.insert_campaign(f"F{n:02}").id)
            for n in range(7)
        ]
        portfolio.scans.insert(month_of_scans(codes))
        page = lxml.html.document_fromstring(report.portfolio(portfolio, cards=True).html)
    for path in ("//section[@id='codes']//td/bdi", "//section[h2='Campaigns']//tbody//th", "//section[h3]"):
        assert {re.search(r"color-\d", one.get("class"))[0] for one in page.xpath(path) if one.get("class")} == {
            "color-1"
        }
    assert code_cells(page)["Poster 6"]["Campaign"] == "F06"
    headings = [heading.text for heading in page.xpath("//figcaption/h2")]
    assert [heading for heading in headings if heading.startswith("Scans a day of each campaign, 2")]


@pytest.mark.slow
def test_campaigns_of_one_name_are_told_apart_and_from_codes_outside_any():
    """Also one that is called as the codes outside any are."""
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        ids = [portfolio.insert_campaign(name).id for name in ("No campaign", "Fair", "Fair")]
        codes = [portfolio.insert_qrcode("x", name=f"Poster {n}", campaign_id=id) for n, id in enumerate([*ids, None])]
        portfolio.insert_qrcode("x", name="Unseen", campaign_id=ids[2])
        portfolio.scans.insert(month_of_scans(codes))
        made = report.portfolio(portfolio, cards=True)
        scans = analytics.top_qrcodes(portfolio.scans).set_index("qrcode")["scans"]
        facts = gather(portfolio, portfolio.scans, Scope())
    page = lxml.html.document_fromstring(made.html)
    titles = ["No campaign (2)", "Fair", "Fair (2)", "No campaign"]
    assert page.xpath("//section[starts-with(@class, 'group')]/h3/bdi/text()") == titles
    assert {name: int(row[1]) for name, row in table(page, "Campaigns").items()} == {
        title: scans[f"Poster {n}"] for n, title in enumerate(titles)
    }
    colors = [re.search(r"color-\d", one.get("class"))[0] for one in page.xpath("//section[h2='Campaigns']//tbody//th")]
    assert len(set(colors)) == 4
    assert not facts.per_day.duplicated(["day", "campaign"]).any()
    assert facts.per_day["scans"].sum() == 300
    whole_days = facts.per_day[~facts.per_day["day"].dt.date.isin([facts.first, facts.last])]
    rates = dict(zip(facts.rates["campaign"], facts.rates["scans"], strict=True))
    assert rates == whole_days.groupby("campaign")["scans"].sum().to_dict()
    assert made.unscanned.names == {"Fair (2)": ["Unseen"]}


@given(st.lists(st.sampled_from(["A", "A (2)", "No campaign", "B"]), max_size=8), st.booleans())
def test_titles_are_names_and_none_is_given_twice(names, has_others):
    campaigns = [Campaign(id=str(n), name=name, created=NOON) for n, name in enumerate(names)]
    titles = words.titles_of(campaigns, has_others=has_others)
    assert list(titles) == [*(one.id for one in campaigns), *([None] if has_others else [])]
    assert len(set(titles.values())) == len(titles)
    assert all(titles[one.id].startswith(one.name) for one in campaigns)
    if len({*names, *(["No campaign"] if has_others else [])}) == len(titles):
        assert [titles[one.id] for one in campaigns] == names


# ---- codes


def test_all_codes_can_be_read_from_the_page(shop, made):
    expected = [code.encoded for code in shop.list_qrcodes()]
    assert sorted(map(read, symbols(made.html))) == sorted(expected)


def test_pictures_keep_their_quiet_zone_and_whole_pixels(made):
    sides = list(map(int, re.findall(r'class="symbol" style="--side:(\d+)px"', made.html)))
    for side, svg in zip(sides, symbols(made.html), strict=True):
        width = int(re.search(r'width="(\d+)"', svg)[1])
        assert min(int(x) for x in re.findall(r"M(\d+) ", svg)) == 4
        assert side % width == 0
        assert side >= 2 * width


def test_cards_link_their_short_urls_alone(shop, page):
    links = [link.get("href") for link in page.xpath("//section[@class='codes']//a")]
    assert Counter(links) == Counter(code.short_url for code in shop.list_qrcodes() if code.is_dynamic)
    assert all(link.get("rel") == "noreferrer" for link in page.xpath("//p[@class='address']/a"))
    listed = [link.get("href") for link in page.xpath("//section[@id='codes']//a")]
    assert Counter(listed) == Counter(links)


def test_a_long_page_has_a_table_of_contents(shelves, page):
    long = lxml.html.document_fromstring(shelves.html)
    anchors = [link.get("href")[1:] for link in long.xpath("//nav//a")]
    assert anchors == ["summary", "time", "people", "codes", "unscanned", "methods"]
    assert set(anchors) <= set(long.xpath("//@id"))
    assert not page.xpath("//nav")


@pytest.mark.slow
def test_too_many_codes_are_cut_with_a_note(shop, monkeypatch):
    monkeypatch.setattr(cards, "MOST_CARDS", 2)
    page = lxml.html.document_fromstring(report.portfolio(shop, cards=True).html)
    assert set(card_texts(page)) == set(analytics.top_qrcodes(shop.scans, most=2)["qrcode"])
    assert "Of 7 QR Codes, the 2 with the most scans are shown." in page.xpath("string(//main)")
    assert key_figures(page)["Codes scanned"][1] == "of 7"


# ---- codes without a scan


def not_scanned(page):
    """What a page lists, by campaign; "" where it names none."""
    parts = page.xpath("//section[@id='unscanned']//section")
    return {part.xpath("string(h3/bdi)"): part.xpath(".//li/bdi/text()") for part in parts}


def test_codes_without_a_scan_are_listed_by_campaign(shop, made, page):
    assert made.unscanned.names == {"No campaign": ["Unseen", "Old"]}  # nobody knows of a static one
    assert not_scanned(page) == made.unscanned.names
    assert str(made.unscanned) == "No campaign (2): Unseen, Old"
    before = {"since": "2026-06-01", "until": "2026-06-02"}
    one_day = report.portfolio(shop, **before)
    scanned = set(analytics.top_qrcodes(shop.scans.where(**before))["qrcode"])
    waiting = [name for names in one_day.unscanned.names.values() for name in names]
    assert sorted([*waiting, *scanned, "Wi-Fi"]) == sorted(code.name for code in shop.list_qrcodes())
    assert not_scanned(lxml.html.document_fromstring(one_day.html)) == one_day.unscanned.names


@pytest.mark.slow
def test_where_all_were_scanned_nothing_is_listed(shop):
    made = report.campaign(shop, shop.list_campaigns()[0].id)
    assert not made.unscanned
    assert str(made.unscanned) == ""
    assert "Not scanned" not in made.html


@pytest.fixture(scope="module")
def shelves():
    """A report on 61 QR Codes, one of them scanned."""
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        codes = [portfolio.insert_qrcode(f"https://example.com/{n}", name=f"Tea / green {n}") for n in range(61)]
        portfolio.scans.insert(month_of_scans(codes[:1]))
        return report.portfolio(portfolio)


def test_a_long_list_is_folded(shelves):
    page = lxml.html.document_fromstring(shelves.html)
    (folded,) = page.xpath("//section[@id='unscanned']/details[not(@open)]")
    assert folded.findtext("summary") == "60 of 61 QR Codes"
    assert not_scanned(page) == {"": [f"Tea / green {number}" for number in range(1, 61)]}


@pytest.mark.slow
@pytest.mark.needs("chromium", "pdftoppm")
def test_a_long_table_is_short_on_paper(tmp_path):
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        codes = [portfolio.insert_qrcode(f"https://example.com/{n}", name=f"Tea {n}") for n in range(400)]
        scans = [
            {"short_code": one.short_code, "time": "2026-06-01T08:00:00Z"}
            for n, one in enumerate(codes)
            for _ in range(400 - n)
        ]
        portfolio.scans.insert(scans[:-1275])  # the last 50 codes have none
        made = report.portfolio(portfolio)
    path = made.save(tmp_path / "report.pdf")
    run = subprocess.run(["pdftotext", path, "-"], check=True, capture_output=True, text=True)
    assert run.stdout.count("\f") <= 6
    text = run.stdout.partition("Not scanned in this period\n")[0]
    listed = text[text.index("Of 400 QR Codes, the 30 with the most scans are printed,") :]
    assert sorted(map(int, re.findall(r"^Tea (\d+)", listed, re.MULTILINE))) == [*range(30), *range(340, 350)]


@pytest.mark.slow
@pytest.mark.needs("chromium", "pdftoppm")
def test_print_has_what_is_folded_and_saves_paper(shelves, tmp_path):
    path = shelves.save(tmp_path / "report.pdf")
    run = subprocess.run(["pdftotext", path, "-"], check=True, capture_output=True, text=True)
    assert "Of 61 QR Codes, the 30 with the most scans are listed." in run.stdout
    assert run.stdout.count("\f") <= 5
    found = set(re.findall(r"Tea / green \d+", run.stdout.partition("Not scanned in this period\n")[2]))
    assert found >= {f"Tea / green {number}" for number in range(1, 61)}


@pytest.mark.slow
def test_a_list_of_very_many_ends_with_how_many_more(monkeypatch):
    names = {"One": [f"A{number}" for number in range(999)], "Two": ["B1", "B2", "B3"], "Three": ["C1"]}
    many = unscanned.Unscanned(names)
    assert many.shown == {"One": names["One"], "Two": ["B1"]}
    assert (len(many), many.more) == (1003, 3)
    assert str(many).endswith("A998\n\nTwo (3): B1\n\nand 3 more")
    monkeypatch.setattr(unscanned, "MOST_NAMES", 5)
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        codes = [portfolio.insert_qrcode("x", name=f"Poster {number}") for number in range(9)]
        portfolio.scans.insert(month_of_scans(codes[:1]))
        page = lxml.html.document_fromstring(report.portfolio(portfolio).html)
    assert not_scanned(page) == {"": [f"Poster {number}" for number in range(1, 6)]}
    assert page.findtext(".//section[@id='unscanned']//p") == "and 3 more"


# ---- the file


@pytest.mark.slow
def test_the_same_portfolio_gives_the_same_bytes(shop, made, tmp_path):
    again = report.portfolio(shop, cards=True)
    assert again == made
    path = again.save(tmp_path / "report.html")
    assert path.read_bytes() == made.html.encode()
    assert path == again.save(str(path))


def test_nothing_is_loaded_and_only_our_script_runs(made, page):
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    (script,) = page.xpath("//script[not(@type)]/text()")
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{allowed}'; style-src 'unsafe-inline'; font-src data:; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    assert page.xpath("//script/@type") == ["application/json"]
    assert not page.xpath("//link | //iframe | //object | //form | //@srcset | //@src[not(starts-with(., 'data:'))]")
    assert not page.xpath("//@*[starts-with(name(), 'on')]")
    assert not re.search(r"url\((?!data:)|@import|javascript:|expression\(", made.html)
    assert not re.search(r"\beval\(|new Function|fetch\(|XMLHttp|innerHTML|https?://(?!example|go\.|www\.w3)", script)
    assert not page.xpath("//*[not(self::a)]/@href[not(starts-with(., '#'))]")


def unpacked(text, rows):
    """The numbers of the sums for the filters."""
    planes = zlib.decompress(base64.b64decode(text[1:]))
    array = np.frombuffer(planes, "uint8").reshape(int(text[0]), -1).T.copy()
    return array.reshape(-1).view(f"<u{text[0]}").reshape(rows, -1)


def test_sums_for_the_filters_are_scans_by_day_and_hour_and_nothing_else(shop, page):
    (text,) = page.xpath("//script[@id='sums']/text()")
    data = json.loads(text)
    names = list(code_cells(page))
    names_of_sums = {"perDay", "perHour", "hoursTogether"}
    assert set(data) - {"words", "low", "high"} == {"first", "days", "campaigns", "codes"} | names_of_sums
    per_day = unpacked(data["perDay"], len(data["codes"]))
    expected = analytics.scans_per_day(shop.scans, by="qrcode").pivot(index="day", columns="qrcode", values="scans")
    assert per_day.shape == (len(names) + 3, 30)
    for name in expected:
        assert per_day[names.index(name)].tolist() == expected[name].tolist()
    assert per_day.sum() == shop.scans.count()
    per_hour = unpacked(data["perHour"], 3)
    assert data["hoursTogether"] == 1
    week = np.zeros(168, dtype=int)
    for hour, scans in enumerate(per_hour.sum(axis=0).tolist()):
        week[hour % 168] += scans  # 1 June 2026 is a Monday
    assert week.tolist() == analytics.scans_by_hour(shop.scans)["scans"].tolist()
    assert "Mozilla" not in text


def test_days_without_a_counterpart_in_the_period_before_are_no_zeros(shop):
    facts = gather(
        shop, shop.scans, Scope(date(2026, 6, 1), date(2026, 7, 1), compare_to=(date(2026, 6, 1), date(2026, 6, 11)))
    )
    data = json.loads(embedded.embedded(facts, [], dict.fromkeys(facts.groups, 1)))
    assert len(data["before"]) == 10 < data["days"]
    assert all(data["before"])


def test_three_hours_are_counted_together_where_single_hours_would_be_too_many(shop, page, monkeypatch):
    monkeypatch.setattr(embedded, "MOST_HOURS", 3 * 24 * 30 - 1)
    facts = gather(shop, shop.scans, Scope(date(2026, 6, 1), date(2026, 7, 1)))
    coarse = json.loads(embedded.embedded(facts, [], dict.fromkeys(facts.groups, 1)))
    single = json.loads(page.xpath("string(//script[@id='sums'])"))
    hours = unpacked(single["perHour"], 3).reshape(3, -1, 3).sum(axis=2)
    assert coarse["hoursTogether"] == 3
    assert unpacked(coarse["perHour"], 3).tolist() == hours.tolist()


def test_the_page_is_structured(page):
    assert page.get("lang") == "en"
    assert page.getparent() is None
    assert len(page.xpath("//h1")) == len(page.xpath("//main")) == 1
    levels = [int(heading.tag[1]) for heading in page.xpath("//h1 | //h2 | //h3 | //h4")]
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(cell.get("scope") in ("col", "row") for cell in page.xpath("//th"))
    for found in page.xpath("//table"):
        columns = len(found.xpath("thead/tr/th"))
        assert all(len(row.xpath("th | td")) == columns for row in found.xpath("tbody/tr"))
    assert all(figure.find("figcaption") is not None for figure in page.xpath("//figure"))
    assert all(svg.get("aria-label") or svg.get("aria-hidden") for svg in page.xpath("//svg"))
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))


def test_whatever_users_write_is_text():
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        campaign = portfolio.insert_campaign(HOSTILE, description=HOSTILE)
        location = {"address": HOSTILE}
        codes = [
            portfolio.insert_qrcode("javascript:alert(1)", name=HOSTILE, campaign_id=campaign.id, location=location),
            portfolio.insert_qrcode("https://example.com/" + "a</svg>" * 568, name="</style></title>"),
            portfolio.insert_qrcode("<img src=x onerror=alert(1)>", name="Static", is_dynamic=False),
        ]
        portfolio.scans.insert(month_of_scans(codes).assign(city="<b>", referrer="<b>", content="<b>"))
        whole = report.portfolio(portfolio, title=HOSTILE, cards=True)
        for made in (whole, report.campaign(portfolio, campaign.id, cards=True)):
            page = lxml.html.document_fromstring(made.html)
            assert len(page.xpath("//script")) == 2
            assert not page.xpath("//img[not(starts-with(@src, 'data:'))] | //main//style | //main//h1 | //@onerror")
            assert not page.xpath("//a[starts-with(@href, 'javascript:')]")
            assert page.xpath("string(//h1)") == HOSTILE
            assert HOSTILE in card_texts(page)
            assert len(page.xpath("//style | //title[not(parent::svg)]")) == 2
        assert "a</svg>" not in whole.html
        assert len(whole.html) < 400_000


@pytest.mark.parametrize("codes", [0, 1])
def test_a_portfolio_without_scans_has_a_calm_report(codes):
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        for _ in range(codes):
            portfolio.insert_qrcode("https://example.com")
        made = report.portfolio(portfolio, title="New", cards=True)
        page = lxml.html.document_fromstring(made.html)
        assert made.title == page.xpath("string(//h1)") == "New"
        assert page.findtext(".//p[@class='period']") == "No scans yet"
        assert key_figures(page)["Scans"] == ("0", "")
        assert key_figures(page)["Codes scanned"] == ("0", f"of {codes}")
        assert len(symbols(made.html)) == codes
        assert ("no QR Codes here yet" in made.html) == (codes == 0)
        spring = portfolio.insert_campaign("Spring")
        empty = report.campaign(portfolio, spring.id, since="2026-03-01", until="2026-04-01", language="de")
        assert "Keine Scans in diesem Zeitraum" in empty.html
        with pytest.raises(NotFound, match=r"no campaign 'Spring'; an ID is needed, such as campaign\.id"):
            report.campaign(portfolio, spring)


@pytest.mark.slow
def test_what_nobody_knows_is_said():
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        code = portfolio.insert_qrcode("https://example.com")
        portfolio.scans.insert(month_of_scans([code])[["short_code", "time"]])
        page = lxml.html.document_fromstring(report.portfolio(portfolio).html)
        assert key_figures(page)["Visitors"] == ("\N{EN DASH}", "not known")
        assert "Devices, systems and countries of visitors are not known." in methods(page)
        assert "Human scans" not in page.text_content()
        assert page.xpath("string(//p[@class='lead'])").endswith(
            "The records don't show which of them look like people."
        )
        headings = [heading.text for heading in page.xpath("//section/h2")]
        assert headings == ["What happened", "The QR Code", "How this was counted"]
        (cells,) = code_cells(page).values()
        assert (cells["Scans"], cells["Share"], "Visitors" in cells) == ("300", "100.0%", False)


def test_visitors_known_for_some_scans_say_for_how_many():
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        codes = [portfolio.insert_qrcode(f"https://example.com/{name}", name=name) for name in ("Door", "Gate")]
        portfolio.scans.insert(month_of_scans(codes[:1]))
        portfolio.scans.insert(month_of_scans(codes[1:], scans=4000)[["short_code", "time"]])
        made = report.portfolio(portfolio)
        page = lxml.html.document_fromstring(made.html)
        visitors = key_figures(page)["Visitors"]
        cells = code_cells(page)
    assert visitors == (visitors[0], "known for 300 of 4,300 scans")
    assert {name: row["Visitors"] for name, row in cells.items()} == {"Door": visitors[0], "Gate": "\N{EN DASH}"}
    with zipfile.ZipFile(io.BytesIO(made.to_zip())) as archive:
        table = pd.read_csv(archive.open("tables/qrcodes.csv"), encoding="utf-8-sig").set_index("qrcode")
    assert table["visitors"].isna().to_dict() == {"Door": False, "Gate": True}


def test_a_report_tells_its_size(made):
    assert re.fullmatch(r"<Report 'Scan report', \d+ kB>", repr(made))


@pytest.mark.slow
@pytest.mark.skipif(not CLICKS.exists(), reason="the real clicks are not in the repository")
def test_real_clicks_are_all_there():
    clicks = [json.loads(line) for line in CLICKS.read_text(encoding="utf-8").splitlines()]
    clicks = [click for click in clicks if "_heartbeat_" not in click]
    with open_portfolio(":memory:", base_url=GO) as portfolio:
        with portfolio.store.atomic():
            targets = {click["g"]: click["u"] for click in clicks}
            codes = {name: portfolio.insert_qrcode(target, name=name) for name, target in targets.items()}
        frame = pd.DataFrame(
            {
                "short_code": [codes[click["g"]].short_code for click in clicks],
                "time": pd.to_datetime([click["t"] for click in clicks], unit="s", utc=True),
                "country": [click.get("c") for click in clicks],
            }
        )
        portfolio.scans.insert(frame)
        made = report.portfolio(portfolio)
    page = lxml.html.document_fromstring(made.html)
    assert len(made.html) < 1_000_000
    assert key_figures(page)["Scans"] == ("3,440", "")
    assert key_figures(page)["Codes scanned"] == ("737", "of 737")
    assert page.findtext(".//p[@class='period']") == "Friday, 16 March 2012"
    assert code_cells(page)["vNJS4H"]["Scans"] == str(sum(click["g"] == "vNJS4H" for click in clicks))


BROWSER = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]
BROWSER += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


def browse(path, folder, *options):
    """What Chromium says on its error stream while it shows a page."""
    asked = [*BROWSER, f"--user-data-dir={folder}/user", *options, path.as_uri()]
    return subprocess.run(asked, check=True, capture_output=True, text=True, timeout=60).stderr


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_a_browser_in_dark_mode_shows_codes_that_can_be_scanned(shop, made, tmp_path):
    page, picture = made.save(tmp_path / "report.html"), tmp_path / "report.png"
    dark = "--blink-settings=preferredColorScheme=0"
    browse(page, tmp_path, dark, "--window-size=1400,4000", f"--screenshot={picture}")
    with Image.open(picture) as image:
        corner = image.convert("L").getpixel((2, 2))
        found = {barcode.text for barcode in zxingcpp.read_barcodes(image, formats=zxingcpp.BarcodeFormat.QRCode)}
    assert corner < 40
    assert found == {code.encoded for code in shop.list_qrcodes()}


@pytest.mark.slow
@pytest.mark.needs("chromium", "loopback")
def test_a_browser_asks_nobody_and_complains_of_nothing(made, tmp_path):
    """Whatever it asks for goes to a proxy of ours; what a browser asks of its maker is not the page's."""
    asked = []

    class Proxy(socketserver.StreamRequestHandler):
        def handle(self):
            asked.append(self.rfile.readline())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Proxy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        proxy = f"--proxy-server=127.0.0.1:{server.server_address[1]}"
        page = made.save(tmp_path / "report.html")
        said = browse(page, tmp_path, proxy, "--enable-logging=stderr", "--v=0", "--dump-dom")
        noisy = tmp_path / "noisy.html"
        noisy.write_text("<img src=http://example.com/x.png><script>console.error('seen')</script>", encoding="utf-8")
        heard = browse(noisy, tmp_path, proxy, "--enable-logging=stderr", "--v=0", "--dump-dom")
        server.shutdown()
    # The other page shows that both would have been noticed.
    assert "CONSOLE" in heard
    assert "CONSOLE" not in said
    found = {line.split()[1] for line in asked if line.strip()}
    assert {address for address in found if b"google" not in address} == {b"http://example.com/x.png"}


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize("width", [375, 768, 1240])
def test_no_screen_has_to_be_moved_sideways(made, tmp_path, width):
    page = made.save(tmp_path / "report.html")
    sheet = tmp_path / "sheet.html"
    measure = "const d=document.querySelector('iframe').contentDocument.documentElement;document.body.textContent="
    sheet.write_text(
        f'<!doctype html><iframe src="{page.name}" width={width} height=900 style="border:0"></iframe>'
        f"<script>onload=()=>{{{measure}d.scrollWidth+' '+d.clientWidth}}</script>",
        encoding="utf-8",
    )
    asked = [*BROWSER, f"--user-data-dir={tmp_path}/user", "--allow-file-access-from-files", "--dump-dom"]
    run = subprocess.run([*asked, sheet.as_uri()], check=True, capture_output=True, text=True, timeout=60)
    needed, there = map(int, re.search(r"<body>(\d+) (\d+)</body>", run.stdout).groups())
    assert needed <= there == width
