import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import local_account
from qrkit.store import Scans, Store
from qrkit.store.questions.scans import FEW
from qrkit.store.questions.visit_frame import FRAME_COLUMNS
from qrkit.store.recording.user_agents import parse_user_agent
from qrkit.store.recording.visit_rows import insert_visits
from qrkit.store.records.short_codes import target
from qrkit.tracking.records import Account, Place, Visit
from tests.dtypes import TEXT
from tests.sweeps import quick_first

NOON = datetime(2026, 3, 1, 12, 0, 0, 123_456, UTC)
WINDOWS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36"
)
some = settings(max_examples=40)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@pytest.fixture(scope="module")
def portfolio(new_place):
    """Two codes, `door` and `shelf`; tests add visits, and the next test finds none of them."""
    with open_portfolio(new_place(), base_url="https://go.example.com") as portfolio:
        campaign = portfolio.insert_campaign("Spring")
        portfolio.insert_qrcode("https://example.com", name="Door", short_code="door", campaign_id=campaign.id)
        portfolio.insert_qrcode("https://example.org", name="Shelf", short_code="shelf")
        yield portfolio


@pytest.fixture(autouse=True)
def no_visits(portfolio):
    portfolio.store.execute("DELETE FROM visits")


def stored(portfolio):
    return portfolio.store.rows("SELECT * FROM visits v JOIN user_agents u ON u.number = v.user_agent")


def frame(**columns):
    """One scan of the door, with other or further columns."""
    return pd.DataFrame({"short_code": ["door"], "time": [NOON]} | columns)


# ---- one by one


@pytest.mark.rule("T10")
@given(
    kind=st.sampled_from(["scan", "bot", "prefetch", "head", "orphan"]),
    time=st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)),
    words=st.tuples(texts, texts, texts, texts, texts, texts),
    visitor=st.none() | st.integers(0, 2**64 - 1),
    place=st.booleans(),
)
@some
def test_a_visit_keeps_every_field(portfolio, kind, time, words, visitor, place):
    """Open: what is recorded of a visit. Time to the microsecond, kind, agent, place, referrer, language, content."""
    found = target(portfolio.store, "door")
    agent, referrer, language, country, region, city = words
    where = Place(country, region, city, -33.87, 151.21) if place else Place()
    visit = Visit(
        time=time,
        kind=kind,
        short_code="door",
        qrcode=found.qrcode,
        content=found.content,
        user_agent=agent,
        referrer=referrer,
        language=language,
        visitor=visitor,
        place=where,
    )
    portfolio.store.execute("DELETE FROM visits")
    insert_visits(portfolio.store, [visit])
    (row,) = stored(portfolio)
    assert row["time"].replace(tzinfo=UTC) == time
    assert [row[name] for name in ("kind", "short_code", "qrcode", "content", "text", "referrer", "language")] == [
        *(kind, "door", found.qrcode, "https://example.com", agent, referrer, language)
    ]
    assert row["visitor"] == visitor
    assert [row[name] for name in ("country", "region", "city", "latitude", "longitude")] == [
        *(where.country, where.region, where.city, where.latitude, where.longitude)
    ]


def test_an_orphan_visit_has_no_code_and_is_no_scan(portfolio):
    insert_visits(portfolio.store, [Visit(NOON, "orphan", "nobody")])
    (row,) = stored(portfolio)
    assert (row["short_code"], row["qrcode"], row["content"], row["text"]) == ("nobody", None, None, "")
    assert portfolio.scans.count() == 0


def test_a_moment_of_any_zone_is_kept_in_utc(portfolio):
    east = timezone(timedelta(hours=5, minutes=30))
    insert_visits(portfolio.store, [Visit(NOON.astimezone(east), "scan", "door", 1)])
    assert stored(portfolio)[0]["time"] == NOON.replace(tzinfo=None)


def test_a_user_agent_is_stored_once_and_cut_at_512_characters(portfolio):
    long = "Agent/1.0 " + "é" * 1_000
    for agent in (long, long[:512], long[:512] + "else"):
        insert_visits(portfolio.store, [Visit(NOON, "scan", "door", 1, user_agent=agent)])
    portfolio.scans.insert(frame(user_agent=[long]))
    assert {row["text"] for row in stored(portfolio)} == {long[:512]}
    agents = portfolio.store.rows("SELECT text FROM user_agents WHERE text LIKE 'Agent/1.0 %'")
    assert [row["text"] for row in agents] == [long[:512]]


APPLE = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
CHROME = "AppleWebKit/537.36 (KHTML, like Gecko)"


AGENTS = {
    f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) {APPLE} Version/18.4 Mobile/15E148 Safari/604.1": (
        "iOS 18.4, Mobile Safari 18.4, phone"
    ),
    f"Mozilla/5.0 (Linux; Android 15; Pixel 8) {CHROME} Chrome/137.0.0.0 Mobile Safari/537.36": (
        "Android 15, Chrome Mobile 137.0, phone"
    ),
    "Mozilla/5.0 (Android 14; Mobile; rv:139.0) Gecko/139.0 Firefox/139.0": "Android 14, Firefox Mobile 139.0, phone",
    "Mozilla/5.0 (compatible; MSIE 10.0; Windows Phone 8.0; Trident/6.0; IEMobile/10.0; ARM; Touch; NOKIA)": (
        "Windows Phone 8.0, IE Mobile 10.0, phone"
    ),
    "BlackBerry8520/5.0.0.681 Profile/MIDP-2.1 Configuration/CLDC-1.1": "BlackBerry OS 5.0, BlackBerry 8520, phone",
    f"Mozilla/5.0 (iPad; CPU OS 18_4 like Mac OS X) {APPLE} Version/18.4 Mobile/15E148 Safari/604.1": (
        "iOS 18.4, Mobile Safari 18.4, tablet"
    ),
    f"Mozilla/5.0 (Linux; Android 14; SM-X710) {CHROME} Chrome/136.0.0.0 Safari/537.36": (
        "Android 14, Chrome 136.0, tablet"
    ),
    "Mozilla/5.0 (Android 14; Tablet; rv:139.0) Gecko/139.0 Firefox/139.0": "Android 14, Firefox Mobile 139.0, tablet",
    WINDOWS: "Windows 10, Chrome 137.0, computer",
    "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; Tablet PC 2.0)": "Windows 7, IE 8.0, computer",
    f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {APPLE} Version/18.4 Safari/605.1.15": (
        "Mac OS X 10.15, Safari 18.4, computer"
    ),
    "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0": "Ubuntu, Firefox 139.0, computer",
    f"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {CHROME} Chrome/137.0.0.0 Safari/537.36": (  # codespell:ignore cros
        "Chrome OS 14541.0, Chrome 137.0, computer"
    ),
    "curl/8.5.0": ", curl 8.5, unknown",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": ", Googlebot 2.1, unknown",
    "": ", , unknown",
    "\x00🙂 ;;;(((" * 40: ", , unknown",
}
"""User agents, and what they tell: system, browser, kind of device."""


@pytest.mark.parametrize(("agent", "told"), AGENTS.items())
def test_a_user_agent_tells_system_browser_and_kind_of_device(agent, told):
    one = parse_user_agent(agent)
    system = f"{one.system or ''} {one.system_version or ''}".strip()
    browser = f"{one.browser or ''} {one.browser_version or ''}".strip()
    assert f"{system}, {browser}, {one.device}" == told


def test_manufacturer_and_model_are_told_where_the_agent_says_them(portfolio):
    portfolio.scans.insert(
        frame(user_agent=[f"Mozilla/5.0 (Linux; Android 15; Pixel 8) {CHROME} Chrome/137.0.0.0 Mobile Safari/537.36"])
    )
    (row,) = portfolio.scans.to_frame().to_dict("records")
    assert [row[name] for name in ("system", "browser", "manufacturer", "device_model", "device")] == [
        *("Android", "Chrome Mobile", "Google", "Pixel 8", "phone")
    ]


# ---- a whole DataFrame


def test_a_frame_keeps_every_documented_column(portfolio):
    given = {
        "short_code": ["door", "shelf", "door"],
        "time": [NOON, NOON + timedelta(days=1), NOON + timedelta(days=2)],
        "kind": [None, "scan", "bot"],
        "content": [None, "https://example.net", None],
        "user_agent": [WINDOWS, None, "curl/8.5.0"],
        "referrer": ["example.com", None, "t.co"],
        "language": ["de", None, "pt-BR"],
        "visitor": pd.array([2**64 - 1, None, 0], dtype="UInt64"),
        "country": ["DE", None, "BR"],
        "region": ["BE", None, "27"],
        "city": ["Berlin", None, "Brás"],
        "latitude": [52.5, None, -23.55],
        "longitude": [13.4, None, -46.62],
        "variant": ["A", None, "B"],
        "via": ["scan", None, "link"],
        "lot": ["A1", None, "B/2"],
        "serial": ["7", None, None],
        "link_type": ["gs1:pip", None, "linkset"],
    }
    assert set(given) == set(FRAME_COLUMNS)
    before = [code.scans for code in portfolio.list_qrcodes()]
    assert portfolio.scans.insert(pd.DataFrame(given)) == 3
    assert [code.scans for code in portfolio.list_qrcodes()] == [number + 1 for number in before]  # the bot is none
    found = portfolio.scans.where(kinds=("scan", "bot")).to_frame()
    assert found["time"].tolist() == given["time"]
    assert found["visitor"].tolist() == [2**64 - 1, pd.NA, 0]
    for name in ("referrer", "language", "country", "region", "city", "latitude", "longitude", "variant", "via", "lot"):
        assert [None if pd.isna(value) else value for value in found[name]] == given[name]
    assert found["qrcode"].tolist() == ["Door", "Shelf", "Door"]
    assert found["campaign"].tolist() == ["Spring", "", "Spring"]
    assert found["content"].tolist() == ["https://example.com", "https://example.net", "https://example.com"]
    assert found["device"].tolist() == ["computer", "unknown", "unknown"]
    assert found["kind"].tolist() == ["scan", "scan", "bot"]


DTYPES = {
    "time": "datetime64[us, UTC]",
    "kind": TEXT,
    "visitor": "UInt64",
    "referrer": TEXT,
    "language": TEXT,
    "country": TEXT,
    "region": TEXT,
    "city": TEXT,
    "variant": TEXT,
    "via": TEXT,
    "lot": TEXT,
    "serial": TEXT,
    "link_type": TEXT,
    "latitude": "float64",
    "longitude": "float64",
    "content": TEXT,
    "qrcode_id": TEXT,
    "qrcode": TEXT,
    "short_code": TEXT,
    "qrcode_address": TEXT,
    "qrcode_latitude": "float64",
    "qrcode_longitude": "float64",
    "campaign_id": TEXT,
    "campaign": TEXT,
    "system": TEXT,
    "system_version": TEXT,
    "browser": TEXT,
    "browser_version": TEXT,
    "manufacturer": TEXT,
    "device_model": TEXT,
    "device": TEXT,
    "is_bot": "bool",
    **dict.fromkeys(("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "utm_id"), TEXT),
}


@pytest.mark.parametrize(
    "rows", [None, frame(), frame(visitor=[7]), frame(country=["DE"], latitude=[1.0], user_agent=[WINDOWS])]
)
def test_the_frame_of_all_scans_has_its_dtypes_whatever_the_scans(portfolio, rows):
    if rows is not None:
        portfolio.scans.insert(rows)
    assert {name: str(dtype) for name, dtype in portfolio.scans.to_frame().dtypes.items()} == DTYPES


@pytest.mark.parametrize("empty", [{"short_code": [], "time": []}, {name: [] for name in FRAME_COLUMNS}])
def test_a_frame_without_rows_adds_none(portfolio, empty):
    assert portfolio.scans.insert(pd.DataFrame(empty)) == 0
    assert portfolio.scans.insert(pd.DataFrame(empty).astype("object")) == 0
    assert portfolio.scans.count() == 0


MOMENT = pd.Timestamp("2026-03-01T12:00:00Z")


@pytest.mark.parametrize(
    "times",
    quick_first(
        [
            ["2026-03-01T12:00:00"],
            ["2026-03-01 12:00:00Z"],
            ["2026-03-01T14:00:00+02:00"],
            pd.Series(["2026-03-01T14:00:00+02:00"], dtype="string"),
            pd.Series(["2026-03-01T12:00:00"], dtype="category"),
            pd.to_datetime(["2026-03-01T12:00:00"]),
            pd.to_datetime(["2026-03-01T07:00:00"]).tz_localize("America/New_York"),
            pd.to_datetime([1_772_366_400], unit="s", utc=True),
            pd.Series([datetime(2026, 3, 1, 14, tzinfo=timezone(timedelta(hours=2)))], dtype="object"),
            np.array(["2026-03-01T12:00:00"], dtype="datetime64[ns]"),
        ],
        6,
    ),
    ids=["naive", "Z", "offset", "string", "category", "datetime64", "zone", "epoch", "objects", "numpy"],
)
def test_a_time_of_any_zone_is_brought_to_utc_and_one_of_none_is_utc(portfolio, times):
    portfolio.scans.insert(frame(time=times))
    assert portfolio.scans.to_frame()["time"].tolist() == [MOMENT]


def test_times_of_different_forms_may_stand_in_one_column(portfolio):
    times = ["2026-03-01T14:00:00+02:00", "2026-03-01", "2026-03-01T12:00:00.000001Z"]
    portfolio.scans.insert(pd.DataFrame({"short_code": "door", "time": times}))
    assert portfolio.scans.to_frame()["time"].tolist() == [
        pd.Timestamp("2026-03-01", tz="UTC"),
        MOMENT,
        MOMENT + pd.Timedelta(microseconds=1),
    ]


BAD_COLUMNS = {
    "epoch numbers": ({"time": [1_772_366_400]}, "time: cannot be read as .*a number has no unit"),
    "epoch floats": ({"time": [1_772_366_400.5]}, "time: .*a number has no unit"),
    "epoch objects": ({"time": pd.Series([1_772_366_400], dtype="object")}, "time: .*a number has no unit"),
    "epoch masked": ({"time": pd.Series([1_772_366_400], dtype="Int64")}, "time: .*a number has no unit"),
    "epoch texts": ({"time": ["1772366400"]}, "time=.*: row 0: must be ISO 8601, such as 2026-04-03T12:00:00Z"),
    "day first or month first": (
        {"time": ["01/02/2026"]},
        "time=.*: row 0: must be ISO 8601, such as 2026-04-03T12:00:00Z",
    ),
    "the same as string": (
        {"time": pd.Series(["01/02/2026"], dtype="string")},
        "time=.*: row 0: must be ISO 8601, such as 2026-04-03T12:00:00Z",
    ),
    "the same as category": (
        {"time": pd.Series(["01/02/2026"], dtype="category")},
        "time=.*: row 0: must be ISO 8601, such as 2026-04-03T12:00:00Z",
    ),
    "time in words": ({"time": ["yesterday"]}, "time=.*: row 0: must be ISO 8601, such as 2026-04-03T12:00:00Z"),
    "time missing": ({"time": [None]}, "time: .*row 0 is empty"),
    "time not a time": ({"time": [pd.NaT]}, "time: .*row 0 is empty"),
    "time bool": ({"time": [True]}, "time: .*a number has no unit"),
    "time span": ({"time": pd.to_timedelta([5], unit="s")}, "time=.*: row 0: must be ISO 8601"),
    "visitor negative": ({"visitor": [-1]}, "visitor: cannot be read as UInt64"),
    "visitor a fraction": ({"visitor": [1.5]}, "visitor: cannot be read as UInt64"),
    "visitor infinite": ({"visitor": [float("inf")]}, "visitor: cannot be read as UInt64"),
    "visitor of 65 bits": ({"visitor": [2**64]}, "visitor: cannot be read as UInt64"),
    "visitor a word": ({"visitor": ["me"]}, "visitor: cannot be read as UInt64"),
    "latitude a word": ({"latitude": ["north"]}, "latitude: cannot be read as float64"),
    "latitude beyond the pole": ({"latitude": [90.5]}, r"latitude=.*90.5.*: row 0: must be in -90..90 degrees north"),
    "latitude infinite": ({"latitude": [float("-inf")]}, "latitude=.*: row 0: must be in -90..90 degrees north"),
    "longitude beyond the date line": ({"longitude": [181]}, "longitude=.*: row 0: must be in -180..180 degrees east"),
    "half a character": ({"city": ["\ud800"]}, "city: cannot be read as str: .*surrogates not allowed"),
    "half a character as agent": ({"user_agent": ["\ud800"]}, "user_agent: cannot be read as str"),
    "no such code": ({"short_code": ["nobody"]}, "short_code='nobody': row 0: is not a short code of this portfolio"),
    "a short URL for a code": (
        {"short_code": ["go.example/door"]},
        r"short_code='go.example/door': row 0: .* \(1 row has such a code\); did you mean 'door'\?",
    ),
    "no code": ({"short_code": [None]}, "short_code=nan: row 0: is not a short code of this portfolio"),
    "code a number": ({"short_code": [7]}, "short_code='7': row 0: is not a short code of this portfolio"),
    "country by its name": ({"country": ["Germany"]}, "country='Germany': row 0: takes two letters"),
    "country of three letters": ({"country": ["DEU"]}, "country='DEU': row 0: takes two letters"),
    "country a digit": ({"country": ["A1"]}, "country='A1': row 0: takes two letters"),
    "country in other letters": ({"country": ["ДЕ"]}, "country='ДЕ': row 0: takes two letters"),
    "country a number": ({"country": [49]}, "country='49': row 0: takes two letters"),
    "column unknown": (
        {"nation": ["DE"]},
        "nation: is not a column of scans; allowed: short_code, time, kind",
    ),
    "kind unknown": ({"kind": ["orphan"]}, "kind='orphan': row 0: must be one of scan, bot, prefetch, head"),
    "column a number": ({0: ["DE"]}, "0: is not a column of scans"),
}


@pytest.mark.parametrize(("columns", "message"), BAD_COLUMNS.values(), ids=BAD_COLUMNS)
def test_a_bad_column_is_one_clear_error_and_stores_nothing(portfolio, columns, message):
    agents = portfolio.store.row("SELECT count(*) AS number FROM user_agents")
    with pytest.raises(InvalidParameter, match=message):
        portfolio.scans.insert(pd.DataFrame({"short_code": ["door"], "time": [NOON], "user_agent": ["new"]} | columns))
    assert portfolio.store.row("SELECT count(*) AS number FROM visits") == {"number": 0}
    assert portfolio.store.row("SELECT count(*) AS number FROM user_agents") == agents


def test_all_columns_that_are_wrong_are_named_at_once(portfolio):
    with pytest.raises(InvalidParameter) as caught:
        portfolio.scans.insert(pd.DataFrame({"code": ["door"], "when": [NOON]}))
    assert [(problem.name, problem.code) for problem in caught.value.problems] == [
        ("short_code", "missing-parameter"),
        ("time", "missing-parameter"),
        ("code", "unknown-parameter"),
        ("when", "unknown-parameter"),
    ]


def test_a_column_that_is_there_twice_is_refused(portfolio):
    twice = pd.DataFrame([["door", NOON, NOON]], columns=["short_code", "time", "time"])
    with pytest.raises(InvalidParameter, match=r"^time: appears twice$"):
        portfolio.scans.insert(twice)


def test_a_bad_row_is_named_and_costs_the_good_ones(portfolio):
    codes = ["door", "shelf", "nobody", "nobody"]
    with pytest.raises(InvalidParameter, match=r"row 2: .* \(2 rows have such codes\)"):
        portfolio.scans.insert(pd.DataFrame({"short_code": codes, "time": NOON}, index=[7, 7, 7, 7]))
    assert portfolio.scans.count() == 0


def test_a_frame_joins_an_open_transaction(portfolio):
    def half_a_day():
        with portfolio.store.atomic():
            portfolio.scans.insert(frame())
            raise KeyError("night")

    with pytest.raises(KeyError):
        half_a_day()
    assert portfolio.scans.count() == 0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"time": [NOON, None, "03/04/2026", "3 April"]},
            r"^time='03/04/2026': row 2: .*pandas\.to_datetime\(column, f",
        ),
        ({"country": ["SI", None, "Germany", "Italy"]}, "^country='Germany': row 2: .*'DE' is Germany"),
        ({"kind": ["scan", None, "orphan", "human"]}, "^kind='orphan': row 2: "),
    ],
)
def test_the_first_row_that_is_wrong_is_named_with_its_value_and_the_rule(portfolio, columns, message):
    given = {"short_code": "door", "time": [NOON] * 4} | columns
    with pytest.raises(InvalidParameter, match=message):
        portfolio.scans.insert(pd.DataFrame(given, index=[9, 9, 8, 8]))


def test_countries_are_codes_in_capitals_as_those_of_the_redirect(portfolio):
    given = ["DE", "de", "dE", "", None, pd.NA, "na"]
    portfolio.scans.insert(pd.DataFrame({"short_code": "door", "time": NOON, "country": given}))
    found = portfolio.scans.to_frame()["country"]
    assert sorted(found.fillna("-")) == ["-", "-", "-", "DE", "DE", "DE", "NA"]


ROBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"


@pytest.mark.rule("T9")
def test_a_row_that_does_not_say_its_kind_is_what_its_user_agent_says(portfolio):
    """Open: scans that others counted. Robots are none, as with our own; no user agent at all is no evidence."""
    before = portfolio.list_qrcodes()[0].scans
    agents = [ROBOT, WINDOWS, "", None, ROBOT]
    portfolio.scans.insert(pd.DataFrame({"short_code": "door", "time": NOON, "user_agent": agents}))
    assert portfolio.list_qrcodes()[0].scans == before + 3
    assert portfolio.scans.where(kinds=("bot",)).to_frame()["browser"].tolist() == ["Googlebot"] * 2
    said = pd.DataFrame({"short_code": "shelf", "time": NOON, "user_agent": ROBOT, "kind": ["scan", "head", "", None]})
    portfolio.scans.insert(said)
    shelf = [row["kind"] for row in stored(portfolio) if row["short_code"] == "shelf"]
    assert sorted(shelf) == ["bot", "bot", "head", "scan"]


def test_scans_of_another_accounts_codes_are_refused():
    with Store() as store:
        mine, other = local_account(store), Account("e" * 32, "other", "premium")
        code = Portfolio(store, mine).insert_qrcode("https://example.com")
        scans = pd.DataFrame({"short_code": [code.short_code], "time": [NOON]})
        with pytest.raises(InvalidParameter, match="is not a short code of this portfolio"):
            Portfolio(store, other).scans.insert(scans)
        assert Portfolio(store, mine).scans.insert(scans) == 1
        assert (Portfolio(store, mine).scans.count(), Portfolio(store, other).scans.count()) == (1, 0)


@pytest.mark.slow
def test_many_rows_are_stored_as_they_are(portfolio):
    """DuckDB guesses the type of a column from its first rows: the texts begin late here, and none is missing."""
    # A server is given ten thousand at a time, and guesses nothing.
    number, late = (25_000, 1_000) if portfolio.store.database.is_shared else (100_000, 10_000)
    random = Random(1)
    given = pd.DataFrame(
        {
            "short_code": random.choices(["door", "shelf"], k=number),
            "time": pd.date_range("2026-01-01", periods=number, freq="7s"),
            "user_agent": random.choices([WINDOWS, "", "curl/8.5.0", None], k=number),
            "country": [None] * (number - late) + ["DE"] * late,
            "visitor": pd.array([None] * (number - late) + list(range(late)), dtype="UInt64"),
            "latitude": [None] * (number - late) + [52.5] * late,
        }
    )
    assert portfolio.scans.insert(given) == number
    found = portfolio.scans.where(kinds=("scan", "bot")).to_frame()
    assert len(found) == number
    assert (found["time"] == given["time"].dt.tz_localize("UTC")).all()
    assert found["country"].notna().tolist() == given["country"].notna().tolist()
    assert found["visitor"].dropna().tolist() == list(range(late))
    assert found["latitude"].sum() == 52.5 * late
    assert found["qrcode"].str.lower().tolist() == given["short_code"].tolist()


def test_many_scans_are_read_as_few_are(portfolio):
    """Texts of many are read by number; empty, missing and repeated ones come out the same."""
    number, texts = FEW + 5, ["DE", "", None, "Ü'\"\n", "\U0001f389"]
    days = pd.date_range("2026-01-01", periods=number, freq="7s", tz="UTC")
    given = pd.DataFrame({"short_code": ["door", "shelf", "door"] * (number // 3), "time": days})
    for at, name in enumerate(["region", "city", "referrer", "content"]):
        given[name] = [texts[(at + row) % len(texts)] for row in range(number)]
    portfolio.scans.insert(given)
    many, few = portfolio.scans.to_frame(), portfolio.scans.where(until=days[FEW]).to_frame()
    assert (len(many), len(few)) == (number, FEW)
    pd.testing.assert_frame_equal(many[:FEW], few)


# ---- the view


@pytest.mark.parametrize("kinds", ["bot", ("bot", "human"), ("",)])
def test_kinds_that_do_not_exist_are_refused_for_they_would_find_nothing(portfolio, kinds):
    with pytest.raises(InvalidParameter, match=r"kinds=.*: must contain only scan, bot, prefetch, head, orphan"):
        portfolio.scans.where(kinds=kinds)


@pytest.mark.parametrize(
    ("since", "until", "hours"),
    [
        (None, None, [0, 6, 12, 18, 24]),
        (date(2026, 3, 1), date(2026, 3, 2), [0, 6, 12, 18]),
        (datetime(2026, 3, 1, 6), datetime(2026, 3, 1, 18), [6, 12]),
        (datetime(2026, 3, 1, 6, 0, 0, 1, tzinfo=UTC), None, [12, 18, 24]),
        (datetime(2026, 3, 1, 1, tzinfo=timezone(timedelta(hours=-5))), datetime(2026, 3, 1, 12, tzinfo=UTC), [6]),
    ],
)
def test_since_is_included_and_until_is_not_in_whatever_zone(portfolio, since, until, hours):
    times = [datetime(2026, 3, 1, tzinfo=UTC) + timedelta(hours=hour) for hour in (0, 6, 12, 18, 24)]
    portfolio.scans.insert(pd.DataFrame({"short_code": "door", "time": times}))
    scans = portfolio.scans.where(since=since, until=until)
    first = pd.Timestamp("2026-03-01", tz="UTC")
    assert scans.to_frame()["time"].tolist() == [first + pd.Timedelta(hours=hour) for hour in hours]
    assert scans.count() == len(hours)


ABROAD = """
from datetime import UTC, date, datetime
from qrkit import open_portfolio
from qrkit.tracking.records import Visit
from qrkit.store.recording.visit_rows import insert_visits

portfolio = open_portfolio(":memory:", clock=lambda: datetime(2026, 3, 1, tzinfo=UTC))
portfolio.insert_qrcode("https://example.com", short_code="door")
for hour in (0, 2, 23):
    insert_visits(portfolio.store, [Visit(datetime(2026, 3, 1, hour, tzinfo=UTC), "scan", "door", 1)])
one = datetime(2026, 3, 1, 1, tzinfo=UTC)
print(portfolio.scans.where(since=one).count(), portfolio.scans.where(until=one).count())
print(portfolio.scans.where(since=date(2026, 3, 1), until=date(2026, 3, 2)).count())
print(portfolio.list_qrcodes()[0].created)
print(portfolio.store.row("SELECT abs(epoch(applied) - epoch(now())) < 600 AS is_utc FROM migrations"))
"""


@pytest.mark.slow
def test_the_time_zone_of_the_machine_changes_nothing():
    environment = os.environ | {"TZ": "America/New_York"}
    said = subprocess.run([sys.executable, "-c", ABROAD], env=environment, check=True, capture_output=True, text=True)
    assert said.stdout.splitlines() == [
        "2 1",
        "3",
        "2026-03-01 00:00:00+00:00",
        "{'is_utc': True}",
    ]


def test_a_question_gets_its_values_as_parameters(portfolio):
    portfolio.scans.insert(pd.DataFrame({"short_code": "door", "time": NOON, "city": ["a'b", "c"]}))
    found = portfolio.scans.ask("SELECT count(*) AS n FROM scans WHERE city = $city", city="a'b")
    assert found["n"].tolist() == [1]


def test_a_view_reads_nothing_before_it_is_asked(portfolio):
    view = portfolio.scans.where(kinds=("scan", "bot"))
    assert isinstance(view, Scans)
    portfolio.scans.insert(frame())
    insert_visits(portfolio.store, [Visit(NOON, "bot", "door", target(portfolio.store, "door").qrcode)])
    assert (view.count(), portfolio.scans.count()) == (2, 1)


@pytest.mark.parametrize("year", [1989, 2101, 9999])
def test_a_scan_of_another_age_is_refused(year):
    with open_portfolio(":memory:") as portfolio:
        frame = pd.DataFrame({"short_code": [portfolio.insert_qrcode("x").short_code], "time": [f"{year}-01-01"]})
        with pytest.raises(InvalidParameter, match="row 0 is not in the years 1990 to 2100"):
            portfolio.scans.insert(frame)


# ---- rows that are no DataFrame


def test_rows_may_be_a_list_of_dicts(portfolio):
    rows = [
        {"short_code": "door", "time": "2026-03-01T12:00:00Z", "visitor": 2**64 - 1, "city": "Trieste"},
        {"short_code": "shelf", "time": NOON},
    ]
    assert portfolio.scans.insert(rows) == 2
    assert portfolio.scans.insert(rows) == 0
    found = portfolio.scans.to_frame()
    assert found["visitor"].dropna().tolist() == [2**64 - 1]
    assert found["city"].dropna().tolist() == ["Trieste"]
    assert portfolio.scans.insert([]) == 0


@pytest.mark.parametrize("rows", [None, 1, "door", [1], [("door", NOON)], {"short_code": ["door"]}, [{}, None]])
def test_what_is_no_table_is_refused_by_name(portfolio, rows):
    with pytest.raises(
        InvalidParameter,
        match="must be a DataFrame of pandas or polars, or an Arrow table, or a list with a dict for each row",
    ):
        portfolio.scans.insert(rows)


def test_a_list_lacks_columns_as_a_frame_does(portfolio):
    with pytest.raises(InvalidParameter, match="time: is a required column"):
        portfolio.scans.insert([{"short_code": "door"}])


# ---- views are narrowed by ids


def test_a_name_in_the_place_of_an_id_is_refused_and_its_id_proposed(portfolio):
    door, spring = portfolio.list_qrcodes()[0], portfolio.list_campaigns()[0]
    for text in ("Door", "door"):
        with pytest.raises(InvalidParameter, match=f"qrcode_id='{text}': must .*; use qrcode_id='{door.id}'$"):
            portfolio.scans.where(qrcode_id=text)
    with pytest.raises(InvalidParameter, match=f"campaign_id='Spring': must .*; use campaign_id='{spring.id}'$"):
        portfolio.scans.where(campaign_id=["Spring"])
    with pytest.raises(InvalidParameter, match=f"must be the id of a QR Code .*; use campaign_id='{spring.id}'$"):
        portfolio.scans.where(qrcode_id=spring.id)
    with pytest.raises(InvalidParameter, match="32 hexadecimal digits; list_qrcodes\\(\\) has them") as told:
        portfolio.scans.where(qrcode_id=(door.id, "Tram", "x\0", "\ud800"))
    assert [problem.value for problem in told.value.problems] == ["Tram", "x\0", "\ud800"]
    with pytest.raises(InvalidParameter, match="list_campaigns"):
        portfolio.scans.where(campaign_id="")


def test_several_of_one_name_are_all_proposed(portfolio):
    with open_portfolio(":memory:") as shop:
        ids = [shop.insert_qrcode(f"https://example.com/{number}", name="Tram").id for number in range(4)]
        campaign = shop.insert_campaign("Tram").id
        with pytest.raises(InvalidParameter, match=r"qrcode_id='Tram'.* or \d more$"):
            shop.scans.where(qrcode_id="Tram")
        for one in (*ids, list(ids), tuple(ids), [], None):
            assert shop.scans.where(qrcode_id=one).count() == 0
        assert shop.scans.where(campaign_id=[campaign]) == shop.scans.where(campaign_id=(campaign,))


def test_the_id_of_a_deleted_record_finds_nothing(portfolio):
    campaign = portfolio.insert_campaign("Gone")
    code = portfolio.insert_qrcode("https://example.com", name="Gone", campaign_id=campaign.id)
    portfolio.delete_campaign(campaign.id)
    assert portfolio.scans.where(qrcode_id=code.id).count() == 0
    assert portfolio.scans.where(campaign_id=campaign.id).count() == 0


def test_kinds_may_be_a_list(portfolio):
    portfolio.scans.insert(frame(kind="bot"))
    assert portfolio.scans.where(kinds=["bot"]).count() == 1
    assert hash(portfolio.scans.where(kinds=["bot"])) == hash(portfolio.scans.where(kinds=("bot",)))
