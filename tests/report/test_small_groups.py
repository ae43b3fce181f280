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
from tests.sweeps import quick_first

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


def fill(portfolio, campaigns):
    """Add campaigns whose codes have these numbers of (visitors, scans), all on 3 June; nobody scans two codes."""
    rows = []
    for campaign, codes in campaigns.items():
        group = portfolio.insert_campaign(campaign)
        for number, (visitors, scans) in enumerate(codes):
            name = f"{campaign}{number}"
            code = portfolio.insert_qrcode("https://x.example", name=name, campaign_id=group.id).short_code
            first = len(rows)
            rows += [(code, first + at % visitors) for at in range(scans)]
    frame = pd.DataFrame(rows, columns=["short_code", "visitor"])
    portfolio.scans.insert(frame.assign(time=datetime(2026, 6, 3, 9, tzinfo=UTC)))


@pytest.mark.slow
def test_one_visitor_who_scanned_often_is_not_a_campaign():
    with open_portfolio(":memory:", clock=lambda: datetime(2026, 5, 1, tzinfo=UTC)) as portfolio:
        fill(portfolio, {"A": [(30, 30)], "B": [(1, 20)], "C": [(40, 40), (20, 20)]})
        page = lxml.html.document_fromstring(report.portfolio(portfolio, least=LEAST, **JUNE).html)
    assert table_of(page, "@id='campaigns'") == {"C": 60, "All others": 50}
    assert sums_of(page)[0] == ["C", "All others"]


@pytest.mark.slow
def test_visitors_of_several_codes_count_once_in_a_campaign():
    with open_portfolio(":memory:", clock=lambda: datetime(2026, 5, 1, tzinfo=UTC)) as portfolio:
        fill(portfolio, {"A": [(30, 30)], "C": [(40, 40)]})
        group = portfolio.insert_campaign("B")
        codes = [portfolio.insert_qrcode("https://x.example", campaign_id=group.id).short_code for _ in range(3)]
        visitors = [901, 901, 901, 902, 902, 902, 903, 903, 903]
        rows = {"short_code": codes * 3, "time": datetime(2026, 6, 3, 9, tzinfo=UTC), "visitor": visitors}
        portfolio.scans.insert(pd.DataFrame(rows))
        page = lxml.html.document_fromstring(report.portfolio(portfolio, least=LEAST, **JUNE).html)
    assert table_of(page, "@id='campaigns'") == {"C": 40, "All others": 39}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_campaign_minus_its_shown_codes_is_about_few_visitors(seed):
    chosen = random.Random(seed)
    groups = {
        name: [(visitors := chosen.choice((1, 2, 4, 7, 30)), visitors + chosen.choice((0, 20))) for _ in range(size)]
        for name, size in zip("ABCDEFG", (1, 1, 2, 2, 3, 4, 5), strict=True)
    }
    with open_portfolio(":memory:", clock=lambda: datetime(2026, 5, 1, tzinfo=UTC)) as portfolio:
        fill(portfolio, groups)
        page = lxml.html.document_fromstring(report.portfolio(portfolio, least=LEAST, **JUNE).html)
    campaigns, codes = table_of(page, "@id='campaigns'"), table_of(page, "@id='codes'")
    shown = {code for code, count in codes.items() if count == count}
    sizes = {f"{name}{number}": size for name, group in groups.items() for number, (size, _) in enumerate(group)}
    assert shown
    assert all(sizes[code] >= LEAST for code in shown)
    for name in campaigns:
        inside = [code for code in sizes if code[0] == name or (name == "All others" and code[0] not in campaigns)]
        assert sum(sizes[code] for code in inside) >= LEAST
        assert sum(sizes[code] for code in inside if code not in shown) not in range(1, LEAST)


@pytest.mark.parametrize(
    "asked", quick_first([{}, {"since": "2026-06-01"}, {"until": "2026-06-30", "compare_to": "previous"}])
)
def test_the_period_does_not_reveal_a_first_or_last_day_with_few_scans(asked):
    days = [3, 17, *(day for day in range(6, 16) for _ in range(12))]
    with open_portfolio(":memory:", clock=lambda: datetime(2026, 5, 1, tzinfo=UTC)) as portfolio:
        groups = {name: portfolio.insert_campaign(name).id for name in ("Harbor", "Attic", "Cellar")}
        for name, seen, visitors in (
            ("Harbor", days, len(days)),
            ("Attic", [10] * 30, 1),
            ("Attic", [11] * 30, 1),
            ("Cellar", [12] * 10, 10),
        ):
            code = portfolio.insert_qrcode("https://x.example", campaign_id=groups[name]).short_code
            times = [datetime(2026, 6, day, 9, at % 60, tzinfo=UTC) for at, day in enumerate(seen)]
            rows = {"short_code": code, "time": times, "visitor": [at % visitors for at in range(len(seen))]}
            portfolio.scans.insert(pd.DataFrame(rows))
        made = report.portfolio(portfolio, least=LEAST, **asked)
    page = lxml.html.document_fromstring(made.html)
    first, last = 1 if "since" in asked else 6, 29 if "until" in asked else 15
    assert f"{first}\N{EN DASH}{last} June 2026" in page.xpath("string(//title)")
    data = json.loads(page.xpath("string(//script[@id='sums'])"))
    assert (data["first"], data["days"]) == (f"2026-06-{first:02}", last - first + 1)
    assert sums_of(page)[1].sum() == len(days) + 70
    told = f"{page.text_content()} {' '.join(made.words)}"
    for day in (3, 4, 16, 17):
        assert f"{day} June" not in told.replace(f"1{day} June", "").replace(f"2{day} June", "")
        assert f" {day}\N{EN DASH}" not in told
    assert "Attic" not in told


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
        days, names = pd.read_csv(archive.open("data/over-time.csv")), archive.namelist()
    assert pd.to_datetime(days["day"]).tolist() == pd.date_range("2026-06-01", "2026-06-30").tolist()
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_report_about_fewer_is_refused(shop):
    with pytest.raises(InvalidParameter, match=r"least.*hides the whole report, which has \d+ visitors;"):
        report.portfolio(shop, least=5_000)
    with open_portfolio(":memory:", clock=lambda: datetime(2026, 5, 1, tzinfo=UTC)) as portfolio:
        fill(portfolio, {"A": [(1, 20)]})
        with pytest.raises(InvalidParameter, match="which has 1 visitor;"):
            report.portfolio(portfolio, least=LEAST)


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


IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Safari/604.1"


def own_and_foreign(own, foreign, *, least=LEAST, country="PT"):
    """A report on a code with scans by known visitors (from France, on phones), and with scans without keys."""
    day = datetime(2026, 6, 3, 9, tzinfo=UTC)
    with open_portfolio(":memory:", clock=lambda: datetime(2026, 5, 1, tzinfo=UTC)) as portfolio:
        code = portfolio.insert_qrcode("https://x.example", name="Door").short_code
        portfolio.scans.insert(pd.DataFrame({"short_code": code, "time": [day] * foreign, "country": country}))
        mine = {"short_code": code, "time": day, "country": "FR", "user_agent": IPHONE, "visitor": range(own)}
        portfolio.scans.insert(pd.DataFrame(mine))
        return report.portfolio(portfolio, least=least, **JUNE)


@pytest.mark.slow
def test_a_few_known_visitors_do_not_hide_thousands_of_scans_without_keys():
    made = own_and_foreign(4, 500)
    page = lxml.html.document_fromstring(made.html)
    assert table_of(page, "@id='codes'") == {"Door": 504}
    with zipfile.ZipFile(io.BytesIO(made.to_zip())) as archive:
        (code,) = pd.read_csv(archive.open("tables/qrcodes.csv"), encoding="utf-8-sig").to_dict("records")
    assert (code["scans"], pd.isna(code["visitors"])) == (504, True)  # four visitors are a small group
    assert page.xpath("string(//div[@data-figure='visitors']/dd/text())") == "\N{EN DASH}"


@pytest.mark.slow
def test_scans_without_keys_do_not_show_a_group_of_few_known_visitors():
    page = lxml.html.document_fromstring(own_and_foreign(4, 500, country=["PT"] * 400 + ["ES"] * 100).html)
    # Spain is hidden, too: the total would reveal the 4 scans of France.
    assert table_of(page, "h2='Countries'") == {"Portugal": 400, "All others": 104}


@pytest.mark.slow
def test_the_range_of_human_scans_is_not_rounded_above_the_scans():
    words = own_and_foreign(9, 502, country=None).words
    assert words[0].endswith("Between 5 and 511 visits look like people.")


@pytest.mark.slow
def test_too_few_known_visitors_and_scans_without_keys_are_refused_together():
    with pytest.raises(InvalidParameter, match="which has 4 visitors or scans;"):
        own_and_foreign(2, 2)
    assert own_and_foreign(3, 2).html
