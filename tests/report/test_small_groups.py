"""Reports that hide small groups: what somebody with the page, its sums and its files can find out."""

import base64
import io
import json
import random
import zipfile
import zlib
from datetime import UTC, datetime, timedelta

import lxml.html
import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit import open_portfolio, report
from qrkit.__main__ import main
from qrkit.errors import InvalidParameter
from qrkit.report.small_groups import together

LEAST = 5
JUNE = {"since": "2026-06-01", "until": "2026-07-01"}
COUNTRIES = ("PT",) * 60 + ("ES",) * 20 + ("FR",) * 9 + ("IS",) * 2 + ("MT",)


def add(portfolio, *, seed, scans):
    """Fill a portfolio with campaigns and codes of very different sizes, most of them small."""
    chosen = random.Random(seed)
    codes = []
    for campaign in ("Harbor", "Spring", "Cellar", "Attic"):
        group = portfolio.insert_campaign(campaign)
        for number in range(chosen.randint(1, 4)):
            name, place = f"{campaign} door {number}", {"latitude": 38.7 + number, "longitude": -9.1}
            codes.append(portfolio.insert_qrcode("https://x.example", name=name, campaign_id=group.id, location=place))
    codes.append(portfolio.insert_qrcode("https://x.example", name="Loose"))
    weights = [chosen.random() ** 4 for _ in codes]
    start = datetime(2026, 6, 1, tzinfo=UTC)
    rows = [
        {
            "short_code": chosen.choices(codes, weights)[0].short_code,
            "time": start + timedelta(minutes=chosen.randrange(30 * 1440)),
            "country": chosen.choice(COUNTRIES),
            "visitor": chosen.randrange(scans),
        }
        for _ in range(scans)
    ]
    portfolio.scans.insert(pd.DataFrame(rows))


@pytest.fixture(scope="module")
def shop():
    with open_portfolio(":memory:", clock=lambda: datetime(2026, 5, 1, tzinfo=UTC)) as portfolio:
        add(portfolio, seed=1, scans=120)
        yield portfolio


@pytest.fixture(scope="module")
def visits(shop):
    """One row per scan with the names of its code and campaign."""
    campaigns = {one.id: one.name for one in shop.list_campaigns()} | {None: "No campaign"}
    names = [(one.id, one.name, campaigns[one.campaign_id]) for one in shop.list_qrcodes()]
    return shop.scans.to_frame().merge(pd.DataFrame(names, columns=["qrcode_id", "code", "group"]), on="qrcode_id")


@pytest.fixture(scope="module")
def made(shop):
    return report.portfolio(shop, least=LEAST, **JUNE)


@pytest.fixture(scope="module")
def page(made):
    return lxml.html.document_fromstring(made.html)


def sums_of(page):
    """Names of campaigns, and their scans per day, which the filters of the page add up."""
    data = json.loads(page.xpath("string(//script[@id='sums'])"))
    assert "perHour" not in data
    size = int(data["perDay"][0])
    planes = np.frombuffer(zlib.decompress(base64.b64decode(data["perDay"][1:])), dtype="uint8").reshape(size, -1)
    flat = np.ascontiguousarray(planes.T).view(f"<u{size}").ravel().astype(int)
    return [one["name"] for one in data["campaigns"]], flat.reshape(-1, data["days"])


def table_of(page, section):
    """Scans and visitors of each row; None where a number is hidden."""
    rows = page.xpath(f"//section[{section}]//tbody/tr")
    cell = "number(translate(td[contains(@class, '{}')]/text(), ',', ''))"
    return {row.xpath("string(th//bdi)"): row.xpath(cell.format("count")) for row in rows}


def test_every_sum_of_days_and_campaigns_is_of_parts_that_are_large(page, visits):
    names, sums = sums_of(page)
    assert not ((sums > 0) & (sums < LEAST)).any()
    assert sums.sum() == len(visits)
    assert sums.sum(axis=1).min() >= LEAST
    # Scans wait for others of their campaign; only what is left over at the end joins those before it.
    day = (pd.to_datetime(visits["time"]).dt.tz_localize(None) - pd.Timestamp("2026-06-01")).dt.days
    for name, counted in zip(names, sums, strict=True):
        if name != "All others":
            true = np.bincount(day[visits["group"] == name], minlength=sums.shape[1])
            last = counted.nonzero()[0][-1]
            assert (counted.cumsum() <= true.cumsum())[:last].all()
            assert counted.sum() == true.sum()


def test_no_total_of_a_table_reveals_a_group(page, visits):
    sizes = visits.groupby("country")["visitor"].nunique()
    for section, column in (("h2='Countries'", "country"), ("@id='campaigns'", "group"), ("@id='codes'", "code")):
        shown = {name: count for name, count in table_of(page, section).items() if count == count}
        true = visits.groupby(column).size()
        if column == "country":
            true = true.rename({"PT": "Portugal", "ES": "Spain", "FR": "France", "IS": "Iceland", "MT": "Malta"})
            assert not {"Iceland", "Malta"} & set(shown)
            assert sizes[["IS", "MT"]].max() < LEAST
        others = shown.pop("All others", 0)
        shown = {name: count for name, count in shown.items() if count}
        assert all(true[name] == count >= LEAST for name, count in shown.items())
        hidden = true.drop(list(shown))
        assert others in (0, hidden.sum())
        assert not len(hidden) or hidden.sum() - (len(hidden) - 1) >= LEAST


def test_no_campaign_reveals_a_code(page, visits):
    codes, campaigns = table_of(page, "@id='codes'"), table_of(page, "@id='campaigns'")
    true = visits.groupby(["group", "code"]).size()
    for name, total in campaigns.items():
        if name != "All others" and total:
            hidden = [count for code, count in true[name].items() if codes[code] != codes[code]]
            assert not hidden or sum(hidden) - (len(hidden) - 1) >= LEAST


def test_no_sentence_or_label_names_a_hidden_group(made, page, visits):
    hidden = set(visits["group"]) - set(table_of(page, "@id='campaigns'"))
    hidden |= {name for name, count in table_of(page, "@id='codes'").items() if count != count}
    figures = " ".join(page.xpath("//figure//text() | //section[@class='words whole']//text()"))
    assert hidden
    for name in (*hidden, "Iceland", "Malta"):
        assert f"“\u2068{name}\u2069”" not in figures
        assert all(name not in words for words in made.words)


def test_no_file_of_the_archive_has_a_small_number(made, page):
    with zipfile.ZipFile(io.BytesIO(made.to_zip())) as archive:
        tables = [pd.read_csv(archive.open(name)) for name in archive.namelist() if name.endswith(".csv")]
        book = openpyxl.load_workbook(archive.open("tables.xlsx"))
        names = archive.namelist()
    assert "charts/first-scans.svg" not in names
    tables += [pd.DataFrame(rows, columns=heading) for heading, *rows in (list(sheet.values) for sheet in book)]
    for frame in tables:
        for name in {"scans", "visitors", "imported_scans", "previous_scans"} & set(frame):
            numbers = frame[name].dropna().astype(int)
            assert not numbers.between(1, LEAST - 1).any()


def test_the_page_without_small_groups_says_so_and_draws_no_days_of_codes(page):
    assert "Groups with fewer than 5 visitors or scans are hidden" in page.xpath("string(//section[@id='methods'])")
    assert not page.xpath("//section[@id='codes']//svg")


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20), st.integers(2, 7))
def test_scans_of_days_wait_until_there_are_enough(numbers, least):
    sums = together(numbers, least)
    assert sum(sums) == sum(numbers)
    assert sum(numbers) < least or not any(0 < number < least for number in sums)
    if all(number == 0 or number >= least for number in numbers):
        assert sums == numbers


def test_a_report_in_which_no_group_is_small_says_the_same():
    days = [datetime(2026, 6, 1, 9, tzinfo=UTC) + timedelta(days=day) for day in range(16)]
    with open_portfolio(":memory:", clock=lambda: datetime(2026, 5, 1, tzinfo=UTC)) as portfolio:
        for name in ("Harbor", "Spring"):
            group = portfolio.insert_campaign(name)
            code = portfolio.insert_qrcode("https://x.example", name=name, campaign_id=group.id)
            times = [day + timedelta(minutes=at) for day in days for at in range(8 + (day.day > 8) * 9)]
            rows = {"short_code": code.short_code, "time": times, "country": "PT", "visitor": range(len(times))}
            portfolio.scans.insert(pd.DataFrame(rows))
        period = {"since": "2026-06-01", "until": "2026-06-17"}
        plain, shared = (report.portfolio(portfolio, least=least, **period) for least in (None, 2))
    left_out = [words for words in plain.words if words not in shared.words]
    assert all("half of" in words or "people" in words for words in left_out)
    assert len(shared.words) >= 4


@pytest.mark.parametrize("least", [1, 0, True, 2.5, 1_000_001])
def test_a_bound_out_of_range_is_refused_by_name(shop, least):
    with pytest.raises(InvalidParameter, match="least"):
        report.portfolio(shop, least=least)


def test_a_report_about_fewer_is_refused(shop):
    with pytest.raises(InvalidParameter, match=r"least.*hides the whole report, which has \d+ visitors"):
        report.portfolio(shop, least=5_000)


def test_nothing_is_hidden_where_nobody_has_scanned():
    with open_portfolio(":memory:") as portfolio:
        assert "No scans yet" in report.portfolio(portfolio, least=LEAST).html
        portfolio.import_file(b"QR Code Name,Content,Scans\r\nOld,https://x.example/old,3\r\n", format="csv")
        assert "+3 imported" not in report.portfolio(portfolio, least=LEAST).html


def test_a_notebook_hides_nothing_and_says_so(tmp_path, capsys):
    with open_portfolio(tmp_path / "shop.duckdb"):
        pass
    place = ["--store", str(tmp_path / "shop.duckdb"), "-o", str(tmp_path / "june.ipynb")]
    assert main(["report", "--least", "5", *place]) == 2
    assert "cannot hide anything in a notebook" in capsys.readouterr().err
