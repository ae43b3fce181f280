"""Reports in each language: the whole page, its files, and nothing of another language."""

import ast
import re
import zipfile
from datetime import UTC, date, datetime, timedelta
from html import unescape
from io import BytesIO

import pytest

from qrkit import analytics, open_portfolio, report
from qrkit.analytics import Truth
from qrkit.errors import InvalidParameter
from qrkit.languages import LANGUAGES, in_language
from qrkit.languages.sentences import catalog
from qrkit.report.comparisons import Scope
from qrkit.report.executed import cells
from qrkit.report.facts import gather

FIRST = date(2026, 5, 4)


@pytest.fixture(scope="module")
def museum():
    """Two campaigns and codes outside them, with a change, bots, link previews, a peak and locations."""
    with open_portfolio(":memory:", clock=lambda: datetime(2026, 5, 3, tzinfo=UTC)) as portfolio:
        ids = [portfolio.insert_campaign(name).id for name in ("Kaja", "Maré")]
        for number, name in enumerate(("Tür", "Zelt", "Theke")):
            place = {"location": {"latitude": 54 + number / 50, "longitude": 10.0}}
            campaign_id = ids[number] if number < 2 else None
            portfolio.insert_qrcode(f"https://kaja.example/{number}", name=name, campaign_id=campaign_id,
                                    short_code=f"c{number}", **place)  # fmt: skip
        portfolio.insert_qrcode("WIFI:T:WPA;S:Kaja;P:geheim;;", name="Ohne Netz", is_dynamic=False)
        portfolio.insert_qrcode("https://kaja.example/neu", name="Neu")
        portfolio.import_file(b"QR Code Name,Content,Scans\r\nAlt,https://kaja.example/alt,1350\r\n", format="csv")
        truth = Truth(change=FIRST + timedelta(days=21), effect=0.5, robots=0.1, previews=0.1)
        rates = {"c0": 60, "c1": 25, "c2": 6}
        portfolio.scans.insert(analytics.simulate(rates, since=FIRST, days=35, truth=truth).assign(country="DE"))
        portfolio.scans.insert(analytics.simulate({"c1": 900}, since=FIRST + timedelta(days=30), days=1, seed=2))
        yield portfolio


def english_parts(language):
    """What English sentences say between their values: two words or more that this language never says."""
    entries = catalog(language).values()
    own = "\n".join(form for entry in entries for form in ([entry] if isinstance(entry, str) else entry.values()))
    parts = {part.strip(" ,.;:()") for english in catalog(language) for part in re.split(r"\{.*?\}", english)}
    return {part for part in parts if re.search("[a-z]{2}.* .*[a-z]{2}", part) and part not in own}


def readable(html):
    """The text of a page and what it tells in attributes, without its script and its styles."""
    page = re.sub(r"<style>.*?</style>|<script>.*?</script>", "", html, flags=re.DOTALL)
    told = re.findall(r'(?:aria-label|alt|data-note|title)="([^"]*)"', page)
    return unescape("\n".join([re.sub(r"<[^>]+>", "\n", page), *told]))


LANGUAGE = [pytest.param(language, marks=[pytest.mark.slow] if language != "de" else []) for language in LANGUAGES[1:]]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGE)
def test_a_report_is_in_one_language_as_a_whole(museum, language):
    since, until = FIRST + timedelta(days=14), FIRST + timedelta(days=35)
    compared = report.portfolio(museum, since=since, until=until, cards=True, language=language)
    halves = report.portfolio(museum, language=language)
    for made in (compared, halves):
        text = readable(made.html) + "\n".join(made.words) + str(made.unscanned)
        assert f'<html lang="{language}">' in made.html
        assert [part for part in english_parts(language) if re.search(rf"\b{re.escape(part)}\b", text)] == []
        assert made.language == language
    if language == "de":
        check_german(halves)


def check_german(made):
    text = readable(made.html)
    assert made.title == "Scan-Bericht"
    assert re.search(r"4\. Mai \u2013 \d+\. Juni 2026", text)
    assert re.search(r"^\d\.\d{3} Scans in 3\d Tagen, etwa \d+ am Tag\.", made.words[1])
    assert "„\u2068Maré\u2069“" in "".join(made.words)
    assert re.search(r"\d,\d\xa0%", text)
    assert {"Ohne Kampagne", "Deutschland", "WLAN: Kaja (WPA, Passwort verborgen)"} <= set(text.split("\n"))
    assert "Neu" in str(made.unscanned)


@pytest.mark.slow
def test_files_of_a_report_are_in_its_language():
    with open_portfolio(":memory:") as portfolio:
        portfolio.insert_qrcode("https://kaja.example", short_code="c0")
        portfolio.scans.insert(analytics.simulate({"c0": 9}, since=FIRST, days=1))
        made = report.portfolio(portfolio, attributes=(), language="fr")
    charts = zipfile.ZipFile(BytesIO(made.to_zip())).read("charts/hours-of-week.svg").decode()
    assert "lun." in charts
    assert "Mon" not in charts


def test_a_notebook_shows_charts_in_the_language_of_its_report(museum):
    facts = gather(museum, museum.scans, Scope())
    with in_language("nl"):
        made = list(cells(facts, "Scanrapport", {"store": "x", "language": "nl"}))
    assert ("markdown", "## De hoofdpunten") in made
    assert "language = 'nl'" in next(text for kind, text in made if kind == "parameters")
    drawn = [text for kind, text in made if kind == "code" and "charts." in text and "import" not in text]
    assert all(text.startswith("with charts.in_language(language):\n    display(") for text in drawn)
    assert all(ast.parse(text) for kind, text in made if kind == "code")
    assert any("**asked" in text and '"language": language' in text for _, text in made)
    # English ones name no language, as before.
    assert "language" not in "".join(text for _, text in cells(facts, "Report", {"store": "x"}))


def test_an_unknown_language_is_refused(museum):
    with pytest.raises(InvalidParameter, match="language"):
        report.portfolio(museum, language="it")


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_the_script_of_a_page_reads_and_writes_numbers_of_its_language(museum, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    file = report.portfolio(museum, attributes=(), language="de").save(tmp_path / "de.html")
    with playwright.sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(file.as_uri())
        page.wait_for_selector(".plot svg")
        heading = page.locator("#campaigns thead button").last
        heading.click()
        falling = page.locator("#campaigns td.share").all_inner_texts()
        heading.click()
        rising = page.locator("#campaigns td.share").all_inner_texts()
        page.locator(".chips button").first.click()
        said = page.locator(".explore output").inner_text()
        shares = page.locator("#campaigns tr:not([hidden]) td.share").all_inner_texts()
        browser.close()
    numbers = [float(text.replace(",", ".").removesuffix("\xa0%")) for text in falling]
    assert numbers == sorted(numbers, reverse=True)
    assert rising == falling[::-1]
    assert re.fullmatch(r"(\d\.)?\d{3} von \d\.\d{3} Scans: .* \d\. Juni 2026, 2 von 3 Kampagnen", said)
    assert all(re.fullmatch(r"\d+,\d\xa0%", share) for share in shares)
