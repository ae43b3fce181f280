"""The report of the demo: each number equals one that pandas counts from the visits, and the page works by keyboard."""

import re
import subprocess

import lxml.html
import numpy as np
import pandas as pd
import pytest
from PIL import Image, ImageChops

from qrkit import open_portfolio, report
from qrkit.commands import demo

pytestmark = pytest.mark.slow

FOOT = 45
"""Height of the foot of a printed page, with its number, in points."""


@pytest.fixture(scope="module")
def museum():
    with open_portfolio(":memory:") as portfolio:
        demo.add_sample(portfolio)
        demo.replay(portfolio, demo.arrivals(portfolio.list_qrcodes()))
        yield portfolio


@pytest.fixture(scope="module")
def june(museum):
    return report.portfolio(museum, since="2026-06-01", until="2026-07-01")


@pytest.fixture(scope="module")
def page(june):
    return lxml.html.document_fromstring(june.html)


@pytest.fixture(scope="module")
def visits(museum):
    """One row per scan, with its day and the campaign of its code."""
    campaigns = {one.id: one.name for one in museum.list_campaigns()}
    codes = pd.DataFrame(
        [{"qrcode_id": one.id, "code": one.name, "group": campaigns[one.campaign_id]} for one in museum.list_qrcodes()]
    )
    frame = museum.scans.to_frame().merge(codes, on="qrcode_id")
    return frame.assign(day=pd.to_datetime(frame["time"]).dt.tz_localize(None).dt.floor("D"))


def cells(page, section):
    """Scans by the name of the row."""
    rows = page.xpath(f"//section[{section}]//tbody/tr[td[@class='count']]")
    return {
        row.xpath("string(th//bdi)"): int(row.xpath("td[@class='count']/text()")[0].replace(",", "")) for row in rows
    }


def test_numbers_of_the_demo_are_those_of_pandas(page, visits):
    figures = [text.strip() for text in page.xpath("//dl[@class='figures']//dd/text()[1]") if text.strip()]
    days = visits.groupby("day").size()
    busiest = f"{days.idxmax().day} Jun"
    assert figures == [f"{len(visits):,}", f"{visits['visitor'].nunique():,}", str(visits["code"].nunique()), busiest]
    assert cells(page, "@id='codes'") == visits.groupby("code").size().to_dict()
    assert cells(page, "@id='campaigns'") == visits.groupby("group").size().to_dict()
    assert sum(cells(page, "h2='Countries'").values()) == len(visits)
    assert cells(page, "h2='Systems'") == visits.groupby("system").size().to_dict()


def test_sentences_of_the_demo_are_true(june, visits):
    days, total = visits.groupby("day").size(), len(visits)
    headline, lead = june.words[:2]
    peak, middle = days.max(), days.index[15]
    assert headline.startswith(
        f"{days.idxmax().day} June brought {peak} scans, {peak / days.drop(days.idxmax()).median():.1f} times"
    )
    assert lead.startswith(f"{total:,} scans in 30 days, about {total / 30:.0f} a day.")
    before, after = days[days.index < middle].sum() / 15, days[days.index >= middle].sum() / 15
    (trend,) = (sentence for sentence in june.words if "counting every day" in sentence)
    assert trend.endswith(f"there were {round(100 * (1 - after / before))}% fewer.")
    ranked = visits.groupby("group").size().sort_values(ascending=False)
    (leader,) = (sentence for sentence in june.words if " leads with " in sentence)
    quiet = visits[visits["day"] != days.idxmax()].groupby("group").size()
    told = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]{2,}", leader)]
    assert told == [*ranked.head(2), *quiet[ranked.index[:2]]]


def test_numbers_of_one_fact_are_one_number(june, page, visits):
    """What the headline, the lead, the tile and the tables say of one fact is the same, or a sentence connects them."""
    headline, lead = june.words[:2]
    tile = page.xpath("//div[@data-figure='scans']/dd")[0]
    total = f"{len(visits):,}"
    assert lead.startswith(f"{total} scans")
    assert tile.text.strip() == total
    for section in ("@id='codes'", "@id='campaigns'", "h2='Systems'"):
        assert f"{sum(cells(page, section).values()):,}" == total
    percent = re.search(r"fell (\d+%)", headline)[1]
    assert tile.xpath("string(small[@class='change'])").endswith(
        f"{percent} in the second half (likely 31\N{EN DASH}48%), without 13 June (an unusual day)"
    )
    (trend,) = (sentence for sentence in june.words if "counting every day" in sentence)
    assert trend.startswith(f"Scans fell {percent} in the second half")
    without = visits[visits["day"].dt.day != 13]
    assert f"Without 13 June, about {len(without) / 29:.0f} a day." in lead


def test_codes_of_the_demo_are_branded(museum, page):
    assert page.xpath("string(//p[@class='mark'])") == "Harbour Museum"
    assert len(page.xpath("//section[@id='codes']//img[not(@class)]")) == len(museum.list_qrcodes())


@pytest.fixture(scope="module")
def printed(june, tmp_path_factory):
    return june.save(tmp_path_factory.mktemp("printed") / "june.pdf")


def text_of(path, *options):
    return subprocess.run(["pdftotext", *options, path, "-"], check=True, capture_output=True, text=True).stdout


@pytest.mark.slow
@pytest.mark.needs("chromium", "pdftoppm")
def test_printed_tables_repeat_their_headings_and_break_no_names(museum, printed):
    text = text_of(printed, "-layout")
    pages = [page for page in text.split("\f") if "localhost:8080/" in page]
    assert len(pages) > 1
    for page in pages:
        assert re.search(r"QR Code +Campaign +Scans +Visitors +Share +Days", page)
    assert {"Computer", "Germany", "Denmark", "Netherlands"} <= set(text.split())
    assert all(f"localhost:8080/{code.short_code}" in text for code in museum.list_qrcodes() if code.is_dynamic)


@pytest.mark.slow
@pytest.mark.needs("chromium", "pdftoppm")
def test_printed_pages_are_full_and_begin_with_a_chart(page, printed):
    headings = {heading.text_content() for heading in page.xpath("//h2 | //h3")}
    sheets = lxml.html.document_fromstring(text_of(printed, "-bbox-layout").encode()).xpath("//page")
    shown = [
        [line for line in sheet.xpath(".//line") if top(line) < float(sheet.get("height")) - 45] for sheet in sheets
    ]
    assert "usual range" in " ".join(sheets[0].text_content().split())
    for sheet, lines in list(zip(sheets, shown, strict=True))[:-1]:
        last = max(lines, key=top)
        assert top(last) > float(sheet.get("height")) / 2
        assert " ".join(last.text_content().split()) not in headings


def top(line):
    return float(line.get("ymin"))


def pictures_of(path):
    """The pages of a PDF as small pictures."""
    subprocess.run(["pdftoppm", "-r", "50", "-png", path, path.with_suffix("")], check=True)
    return [Image.open(one).convert("L") for one in sorted(path.parent.glob(f"{path.stem}-*.png"))]


@pytest.mark.slow
@pytest.mark.needs("chromium", "pdftoppm")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("is_filtered", [False, True], ids=["whole", "filtered"])
def test_a_browser_prints_what_is_saved_as_pdf(june, printed, tmp_path, scheme, is_filtered):
    playwright = pytest.importorskip("playwright.sync_api")
    path = june.save(tmp_path / "june.html")
    with playwright.sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
        tab.goto(path.as_uri())
        tab.wait_for_selector(".heat", state="attached")
        if is_filtered:
            tab.get_by_role("button", name="Tide and Salt").press("Enter")
        tab.pdf(path=tmp_path / "by-hand.pdf", prefer_css_page_size=True, print_background=True)
        browser.close()
    pages = [pictures_of(printed), pictures_of(tmp_path / "by-hand.pdf")]
    assert len(pages[0]) == len(pages[1])
    for number, (saved, by_hand) in enumerate(zip(*pages, strict=True), start=1):
        differences = np.asarray(ImageChops.difference(saved, by_hand)) > 64
        assert differences.mean() < 0.002, f"page {number}"


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_filters_count_in_the_page_by_keyboard_and_without_serious_findings(june, visits, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    path = june.save(tmp_path / "june.html")
    with playwright.sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 390, "height": 844})
        faults = []
        tab.on("pageerror", lambda error: faults.append(str(error)))
        tab.on("console", lambda message: faults.append(message.text))
        tab.goto(path.as_uri())
        tab.wait_for_selector(".explore")
        assert tab.evaluate("document.documentElement.scrollHeight") <= 8 * 844
        tab.get_by_label("From", exact=True).fill("2026-06-13")
        tab.get_by_label("To", exact=True).fill("2026-06-14")
        tab.get_by_role("button", name="Tide and Salt").press("Enter")
        chosen = visits[
            visits["day"].isin(pd.to_datetime(["2026-06-13", "2026-06-14"])) & (visits["group"] != "Tide and Salt")
        ]
        assert tab.text_content("[data-figure=scans] dd").startswith(f"{len(chosen):,}")
        assert tab.text_content("output").startswith(f"{len(chosen):,} of {len(visits):,} scans")
        tab.get_by_role("slider").press("ArrowRight")
        assert "14 Jun 2026" in tab.get_by_role("slider").get_attribute("aria-valuetext")
        tab.locator(".codes-table").get_by_role("button", name="QR Code").press("Enter")
        names = tab.locator(".codes-table tbody tr:visible b").all_text_contents()
        assert names == sorted(names, key=str.casefold)
        found = axe.Axe().run(tab).response["violations"]
        assert [fault["id"] for fault in found if fault["impact"] in ("serious", "critical")] == []
        tab.get_by_role("button", name="Show everything").click()
        assert tab.text_content("[data-figure=scans] dd").startswith(f"{len(visits):,}")
        browser.close()
    assert faults == []
