"""The charts and tables of a report as files: what a ZIP archive has, and that its numbers are those of the page."""

import io
import zipfile
from datetime import UTC, datetime, timedelta

import lxml.html
import openpyxl
import pandas as pd
import pytest
import resvg_py
from lxml import etree
from PIL import Image

from qrkit import open_portfolio, report

CHARTS = ["over-time", "by-campaign", "hours-of-week", "rates", "locations", "human-scans", "first-scans"]
TABLES = ["campaigns", "device", "system", "country", "qrcodes"]


@pytest.fixture(scope="module")
def made():
    """June of two campaigns; names that spreadsheets would take for formulas, and that cannot be file names."""
    with open_portfolio(
        ":memory:", base_url="https://go.example.com", clock=lambda: datetime(2026, 5, 1, tzinfo=UTC)
    ) as portfolio:
        codes = []
        for number, (campaign, name) in enumerate((("Spring, 2026", "=Door"), ("Night/Day", "Flyer"))):
            group = portfolio.insert_campaign(campaign)
            place = {"latitude": 46.05 + number / 9, "longitude": 14.5}
            codes.append(
                portfolio.insert_qrcode("https://example.com", name=name, campaign_id=group.id, location=place)
            )
        portfolio.insert_qrcode("WIFI:T:WPA;S:Guests;P:low tide;;", name="Wi-Fi", is_dynamic=False)
        agents = ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)", "Mozilla/5.0 (Windows NT 10.0; Win64; x64)")
        rows = [
            {
                "short_code": codes[number % 3 // 2].short_code,
                "time": datetime(2026, 6, 1, tzinfo=UTC) + timedelta(minutes=number * 144),
                "user_agent": agents[number % 4 // 3],
                "country": ("DE", "FR", None)[number % 3],
                "visitor": number // 2,
            }
            for number in range(300)
        ]
        portfolio.scans.insert(pd.DataFrame(rows))
        yield report.portfolio(portfolio, since="2026-06-01", until="2026-07-01")


@pytest.fixture(scope="module")
def packed(made):
    return made.to_zip()


@pytest.fixture(scope="module")
def archive(packed):
    with zipfile.ZipFile(io.BytesIO(packed)) as files:
        yield {name: files.read(name) for name in files.namelist()}


@pytest.fixture(scope="module")
def page(made):
    return lxml.html.document_fromstring(made.html)


def table(archive, name):
    return pd.read_csv(io.BytesIO(archive[name]))


def test_each_chart_and_table_of_the_page_has_its_files(archive, page):
    files = [f"{folder}.{kind}" for name in CHARTS for folder, kind in _files(name)]
    tables = [f"tables/{name}.csv" for name in TABLES]
    assert sorted(archive) == sorted(["report.html", "tables.xlsx", *files, *tables])
    assert len(page.xpath("//figure")) == len(CHARTS)
    assert len(page.xpath("//table")) == len(TABLES)


def _files(name):
    return [(f"charts/{name}", "svg"), (f"charts/{name}", "png"), (f"data/{name}", "csv")]


def test_the_archive_holds_the_page_and_a_workbook_of_all_tables(archive, made):
    assert archive["report.html"].decode() == made.html
    book = openpyxl.load_workbook(io.BytesIO(archive["tables.xlsx"]))
    assert book.sheetnames == [*TABLES, *CHARTS]
    for name in book.sheetnames:
        frame = table(archive, f"{'tables' if name in TABLES else 'data'}/{name}.csv")
        rows = list(book[name].values)
        assert rows[0] == tuple(frame.columns)
        assert [row[rows[0].index("scans")] for row in rows[1:]] == frame["scans"].astype("object").where(
            frame["scans"].notna(), None
        ).tolist()
    names = {cell.value: cell.data_type for (cell, *_) in book["qrcodes"].rows}
    assert names["=Door"] == names["Flyer"] == "s"


@pytest.mark.slow
def test_pictures_are_complete_without_the_page(archive):
    for name in CHARTS:
        svg = archive[f"charts/{name}.svg"].decode()
        assert "var(" not in svg
        assert etree.fromstring(svg).get("font-family")
        drawn = Image.open(io.BytesIO(resvg_py.svg_to_bytes(svg_string=svg)))
        picture = Image.open(io.BytesIO(archive[f"charts/{name}.png"]))
        assert picture.width == 2560
        assert picture.height / picture.width == pytest.approx(drawn.height / drawn.width, abs=0.003)
        assert len(picture.convert("RGB").getcolors(1 << 24)) > 2


def test_tables_have_the_numbers_of_the_page(archive, page):
    for name, title in (
        ("campaigns", "Campaigns"),
        ("device", "Devices"),
        ("system", "Systems"),
        ("country", "Countries"),
    ):
        rows = page.xpath(f"//section[h2='{title}']//tbody/tr")
        shown = {row.xpath("string(th//bdi)"): number(row.xpath("string(td[@class='count'])")) for row in rows}
        frame = table(archive, f"tables/{name}.csv")
        assert dict(zip(frame.iloc[:, 0], frame["scans"], strict=True)) == shown
    codes = table(archive, "tables/qrcodes.csv").set_index("qrcode")
    for row in page.xpath("//section[@id='codes']//tbody/tr"):
        name, counts = row.xpath("string(th//bdi)"), row.xpath("td[starts-with(@class, 'count')]/text()")
        scans = codes.loc[f"'{name}" if name.startswith("=") else name, "scans"]
        assert [int(scans)] == [number(text) for text in counts] if counts else pd.isna(scans)
    assert "low tide" not in archive["tables/qrcodes.csv"].decode()


def number(text):
    return int(text.replace(",", ""))


def test_data_of_charts_adds_up_to_the_scans_of_the_page(archive, page):
    scans = number(page.xpath("string(//div[@data-figure='scans']/dd/text())").strip())
    for name in ("over-time", "by-campaign", "hours-of-week", "rates", "locations", "human-scans", "first-scans"):
        assert table(archive, f"data/{name}.csv")["scans"].sum() == scans == 300
    days = table(archive, "data/over-time.csv")
    assert pd.to_datetime(days["day"]).tolist() == pd.date_range("2026-06-01", "2026-06-30").tolist()


def test_names_that_begin_a_formula_are_text(archive):
    for name in ("tables/qrcodes.csv", "data/locations.csv", "data/first-scans.csv"):
        assert set(table(archive, name)["qrcode"]) >= {"'=Door", "Flyer"}


@pytest.mark.slow
def test_the_same_report_gives_the_same_archive(made, packed):
    assert made.to_zip() == packed
