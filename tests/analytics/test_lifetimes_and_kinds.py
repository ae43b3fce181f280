"""The life of codes, what was served, who came again and who was a person, against pandas on random visits."""

from datetime import UTC, date, datetime, timedelta
from random import Random

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import analytics, open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.store.recording.visit_rows import insert_visits
from qrkit.store.records.accounts import insert_account
from qrkit.tracking.records import Account, Visit
from tests.dtypes import TEXT

MADE = datetime(2026, 3, 1, 8, tzinfo=UTC)
CODES = ("door", "bus", "quiet")
APPLE = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
PHONE = f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) {APPLE} Version/18.4 Mobile/15E148 Safari/604.1"
AGENTS = {PHONE: "browser on a known device", "": "unknown device", "curl/8.5.0": "bot by current rules"}
some = settings(max_examples=10)


def made_up(seed, number=250):
    """Visits of a week, of all kinds."""
    random = Random(seed)
    rows = []
    for _ in range(number):
        time = MADE.replace(tzinfo=None) + timedelta(seconds=random.randrange(-86_400, 6 * 86_400))
        rows.append(
            {
                "short_code": random.choice(CODES[:2]),
                "time": time,
                "kind": random.choices(["scan", "bot", "prefetch", "head"], [10, 2, 4, 1])[0],
                "content": random.choice(["https://example.com/a", "https://example.com/b", None]),
                "user_agent": random.choice(list(AGENTS)),
                "visitor": random.choice([None, *(time.toordinal() * 100 + key for key in range(9))]),  # of one day
            }
        )
    columns = ["short_code", "time", "kind", "content", "user_agent", "visitor"]
    return pd.DataFrame(rows, columns=columns).astype({"visitor": "UInt64", "time": "datetime64[us]"})


def shop():
    portfolio = open_portfolio(":memory:", clock=lambda: MADE)
    campaign = portfolio.insert_campaign("Spring")
    for name in CODES:
        chosen = campaign.id if name == "door" else None
        portfolio.insert_qrcode("https://example.com/now", name=name, short_code=name, campaign_id=chosen)
    return portfolio


@pytest.mark.slow
@given(st.integers(0, 10**6), st.integers(0, 120))
@some
def test_answers_are_those_of_pandas(seed, number):
    with shop() as portfolio:
        visits = made_up(seed, number)
        portfolio.scans.insert(visits)
        names = {code.id: code.name for code in portfolio.list_qrcodes()}
        scans = visits[visits["kind"] == "scan"]
        assert portfolio.scans.count() == len(scans)
        in_utc = scans.assign(time=scans["time"].dt.tz_localize("UTC"))
        check_lives(analytics.half_lives(portfolio.scans), in_utc, names)
        check_contents(analytics.scans_by_content(portfolio.scans), in_utc)
        check_repeats(portfolio, scans)
        check_evidence(portfolio, visits)


def check_lives(found, scans, names):
    assert sorted(found["qrcode"]) == sorted(names.values())
    for row in found.to_dict("records"):
        times = scans.loc[scans["short_code"] == row["qrcode"], "time"].sort_values(ignore_index=True)
        assert names[row["qrcode_id"]] == row["qrcode"]
        assert (row["scans"], row["created"]) == (len(times), MADE)
        if not len(times):
            assert pd.isna([row["first"], row["last"], row["delay"], row["half_life"]]).all()
            continue
        assert (row["first"], row["last"]) == (times.min(), times.max())
        assert row["delay"] == pytest.approx((times.min() - row["created"]) / pd.Timedelta(hours=1))
        half = times.iloc[(len(times) + 1) // 2 - 1]
        assert row["half_life"] == pytest.approx((half - times.min()) / pd.Timedelta(days=1))


def check_contents(found, scans):
    served = scans.assign(content=scans["content"].fillna("https://example.com/now"))
    wanted = served.groupby(["short_code", "content"]).agg(
        first=("time", "min"), last=("time", "max"), scans=("time", "size"), visitors=("visitor", "nunique")
    )
    numbers = ["first", "last", "scans", "visitors"]
    assert found.set_index(["qrcode", "content"])[numbers].to_dict("index") == wanted.to_dict("index")
    assert all(rows["first"].is_monotonic_increasing for _, rows in found.groupby("qrcode"))


def check_repeats(portfolio, scans):
    known = scans.dropna(subset=["visitor"])
    for by, groups in (("qrcode", known.groupby("short_code")), (None, [(None, known)])):
        found = analytics.repeat_share(portfolio.scans, by=by).to_dict("records")
        wanted = {}
        for name, rows in groups:
            times = rows["visitor"].value_counts()
            if len(rows):
                wanted[name] = (
                    len(rows),
                    len(times),
                    int((times > 1).sum()),
                    pytest.approx(1 - len(times) / len(rows)),
                )
        numbers = ("scans", "visitors", "again", "share")
        assert {row.get("qrcode"): tuple(row[name] for name in numbers) for row in found} == wanted


def check_evidence(portfolio, visits):
    def evidence(row):
        if row["kind"] in ("bot", "head"):
            return {"bot": "bot", "head": "HEAD request"}[row["kind"]]
        if row["kind"] == "scan":
            return AGENTS[row["user_agent"]]
        same = visits[(visits["short_code"] == row["short_code"]) & (visits["kind"] == "scan")]
        is_followed = pd.notna(row["visitor"]) and (same["visitor"] == row["visitor"]).any()
        return "link preview before a scan" if is_followed else "link preview alone"

    found = analytics.visits_by_evidence(portfolio.scans)
    wanted = pd.Series([evidence(row) for row in visits.to_dict("records")], dtype="str").value_counts().to_dict()
    assert {row.evidence: row.visits for row in found.itertuples() if row.visits} == wanted
    assert found["evidence"].tolist()[:3] == ["browser on a known device", "unknown device", "link preview alone"]
    (people,) = analytics.human_scans(portfolio.scans).to_dict("records")
    likely = wanted.get("browser on a known device", 0)
    perhaps = wanted.get("unknown device", 0) + wanted.get("link preview alone", 0)
    assert people == {"likely": likely, "scans": portfolio.scans.count(), "possible": likely + perhaps}


def test_columns_and_dtypes_are_those_of_the_docstring_even_without_visits():
    moments = {"first": "datetime64[us, UTC]", "last": "datetime64[us, UTC]"}
    named = {"qrcode_id": TEXT, "qrcode": TEXT}
    wanted = {
        analytics.half_lives: named
        | {"campaign": TEXT, "created": "datetime64[us, UTC]"}
        | moments
        | {"scans": "int64", "delay": "float64", "half_life": "float64"},
        analytics.scans_by_content: named | {"content": TEXT} | moments | {"scans": "int64", "visitors": "int64"},
        analytics.repeat_share: {"scans": "int64", "visitors": "int64", "again": "int64", "share": "float64"},
        analytics.visits_by_evidence: {"evidence": TEXT, "person": TEXT, "visits": "int64"},
        analytics.human_scans: {"likely": "int64", "scans": "int64", "possible": "int64"},
        analytics.orphan_visits: {"short_code": TEXT, "visits": "int64", "visitors": "int64"} | moments,
    }
    for number in (0, 40):
        with shop() as portfolio:
            portfolio.scans.insert(made_up(1, number))
            for ask, dtypes in wanted.items():
                assert ask(portfolio.scans).dtypes.astype(str).to_dict() == dtypes


def test_views_are_narrowed_to_several_codes_and_campaigns():
    with shop() as portfolio:
        visits = made_up(2)
        portfolio.scans.insert(visits)
        ids = {code.name: code.id for code in portfolio.list_qrcodes()}
        (spring,) = portfolio.list_campaigns()
        both = portfolio.scans.where(qrcode_id=(ids["door"], ids["bus"]))
        assert both.count() == portfolio.scans.count() > portfolio.scans.where(qrcode_id=(ids["door"],)).count() > 0
        assert len(analytics.half_lives(both)) == 2
        assert portfolio.scans.where(qrcode_id=()).count() == 0
        door = portfolio.scans.where(qrcode_id=ids["door"])
        for chosen in (spring.id, (spring.id,)):
            assert portfolio.scans.where(campaign_id=chosen).count() == door.count()
        for wrong in (1, (1,), {"a": 1}, portfolio.get_qrcode(ids["door"])):
            with pytest.raises(InvalidParameter, match=r"must be an ID, such as qrcode\.id, or a list of IDs"):
                portfolio.scans.where(qrcode_id=wrong)


# ---- orphans


def orphan(code, hours, visitor=None):
    return Visit(MADE + timedelta(hours=hours), "orphan", code, visitor=visitor)


def test_orphan_visits_are_counted_by_short_code():
    """A key of two days is two visitors."""
    with shop() as portfolio:
        insert_visits(portfolio.store, [orphan("typo", 1, 5), orphan("typo", 30, 5), orphan("gone", 2)])
        moments = [MADE + timedelta(hours=hours) for hours in (1, 30, 2)]
        found = analytics.orphan_visits(portfolio.scans)
        assert found.to_numpy().tolist() == [["typo", 2, 2, *moments[:2]], ["gone", 1, 0, moments[2], moments[2]]]
        later = portfolio.scans.where(since=date(2026, 3, 2))
        assert analytics.orphan_visits(later)["visits"].tolist() == [1]
        assert analytics.orphan_visits(portfolio.scans, most=1)["short_code"].tolist() == ["typo"]


def test_orphan_visits_are_nobodys():
    with shop() as portfolio:
        insert_visits(portfolio.store, [orphan("typo", 1)])
        with pytest.raises(InvalidParameter, match="must be a view of all QR Codes"):
            analytics.orphan_visits(portfolio.scans.where(qrcode_id=portfolio.list_qrcodes()[0].id))
        with pytest.raises(InvalidParameter, match="most=0"):
            analytics.orphan_visits(portfolio.scans, most=0)
        insert_account(portfolio.store, Account("0" * 32, "another", "free"), MADE)
        with pytest.raises(InvalidParameter, match="several accounts"):
            analytics.orphan_visits(portfolio.scans)
