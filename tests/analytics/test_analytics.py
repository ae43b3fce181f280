"""Each statistic against the same question put to a list of scans with pandas."""

import inspect
import re
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import get_args
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import analytics, open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.store.questions.scan_attributes import AttributeFilters, VisitAttribute
from qrkit.store.recording.visit_rows import insert_visits
from qrkit.tracking.records import Visit
from tests.dtypes import TEXT

FIRST = datetime(2026, 2, 20, 22, 30, tzinfo=UTC)
KINDS = ("scan", "bot", "prefetch", "head")
some = settings(max_examples=12)

APPLE = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
CHROME = "AppleWebKit/537.36 (KHTML, like Gecko)"
LINKS = (
    "https://shop.example/sale?utm_source=poster&utm_medium=qr",
    "https://shop.example/sale?a=1&utm_source=bus%20stop&utm_campaign=r%C3%A9colte+2026#utm_source=none",
    "HTTP://other.example?utm_source=%ff&utm_source=second?&utm_id=&utm_term=a=b&utm_content=?",
    "https://plain.example/#top?utm_source=none",
    "no link?utm_source=none",
)
AGENTS = {
    f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) {APPLE} Version/18.4 Mobile/15E148 Safari/604.1": (
        *("iOS", "Mobile Safari", "phone", "Apple", "iPhone"),
    ),
    f"Mozilla/5.0 (Linux; Android 14; SM-X710) {CHROME} Chrome/136.0.0.0 Safari/537.36": (
        *("Android", "Chrome", "tablet", "Generic_Android_Tablet", "SM-X710"),
    ),
    f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {CHROME} Chrome/137.0.0.0 Safari/537.36": (
        *("Windows", "Chrome", "computer", "", ""),
    ),
    "": ("unknown", "unknown", "unknown", "", ""),
}
AGENT = ("system", "browser", "device", "manufacturer", "device_model")
"""User agents and what they tell."""
UTM = tuple(name for name in get_args(analytics.Attribute) if name.startswith("utm_"))
ALIKE = {"region", "city", "system", "browser", "manufacturer", *UTM[1:]}
"""Attributes that are read from a visit as a quick one is: country, device, device_model, utm_source."""


def each_attribute(kind):
    slow = pytest.mark.slow
    return pytest.mark.parametrize(
        "attribute",
        [pytest.param(name, marks=slow if name in ALIKE else ()) for name in get_args(kind) if name != "tag"],
    )


def parts_of(content):
    """What Python's own reader says of a link; parameters that are no UTF-8 stay as they are."""
    link = urlsplit(content)
    if link.scheme not in ("http", "https"):
        return dict.fromkeys(["destination", *UTM], "")
    given = {}
    for name, value in parse_qsl(link.query, keep_blank_values=True, errors="surrogateescape"):
        given.setdefault(name, value if value.isprintable() else "%ff")
    destination = content.partition("#")[0].partition("?")[0]
    return {"destination": destination} | {name: given.get(name, "") for name in UTM}


def made_up(seed, number=300):
    """Visits of two weeks: what is put in, and what the statistics must say."""
    random = Random(seed)
    rows = []
    for _ in range(number):
        time = FIRST + timedelta(seconds=random.choice([random.randrange(13 * 86_400), 3 * 86_400]))
        agent = random.choice(list(AGENTS))
        rows.append(
            {
                "code": random.choice(["door", "door", "shelf", "bus", "menu"]),  # "quiet" gets none
                "time": time,
                "kind": random.choices(KINDS, [12, 2, 1, 1])[0],
                "agent": agent,
                # A visitor's key is of one day.
                "visitor": random.choice([pd.NA, time.toordinal() * 100 + random.randrange(9)]),
                "country": random.choice(["DE", "DE", "DK", "", None]),
                "region": random.choice(["Ümland", "Zealand", None]),
                "city": random.choice(["Kiel", "Åarhus", "O'Hare", None]),
                "language": random.choice(["de", "da", None]),
                "referrer": random.choice(["t.co", None]),
                "content": (content := random.choice(LINKS)),
                "variant": random.choice(["A", "B", None]),
                "lot": random.choice(["A1", None]),
                "serial": random.choice(["7", "8", None]),
                "link_type": random.choice(["gs1:pip", None]),
                "via": random.choice(["scan", "link", None]),
            }
            | dict(zip(AGENT, AGENTS[agent], strict=True))
            | parts_of(content)
        )
    return rows


@pytest.fixture(scope="module")
def portfolio():
    with open_portfolio(":memory:", base_url="https://go.example.com", clock=lambda: FIRST) as portfolio:
        spring, autumn = portfolio.insert_campaign("Spring"), portfolio.insert_campaign("Autumn")
        for code, name, campaign_id in (
            ("door", "Door", spring.id),
            ("shelf", "Shelf", spring.id),
            ("bus", "Bus", autumn.id),
            ("menu", "Menu", None),
            ("quiet", "Quiet", spring.id),
        ):
            portfolio.insert_qrcode("https://example.com", name=name, short_code=code, campaign_id=campaign_id)
        yield portfolio


@pytest.fixture(scope="module")
def empty():
    with open_portfolio(":memory:") as portfolio:
        yield portfolio


@pytest.fixture(scope="module")
def truth(portfolio):
    """The visits that are in the portfolio, each with its code and campaign."""
    visits = pd.DataFrame(made_up(1)).astype({"visitor": "UInt64"})
    given = visits.rename(columns={"code": "short_code", "agent": "user_agent"})
    given = given.drop(columns=["kind", *AGENT, "destination", *UTM])
    with portfolio.store.atomic():
        for kind in ("bot", "prefetch", "head", "scan"):
            portfolio.scans.insert(given[visits["kind"] == kind])
            portfolio.store.execute("UPDATE visits SET kind = ? WHERE kind = 'scan'", [kind])
        insert_visits(portfolio.store, [Visit(FIRST, "orphan", "nobody")])
    names = {None: ""} | {one.id: one.name for one in portfolio.list_campaigns()}
    codes = {code.short_code: code for code in portfolio.list_qrcodes()}
    visits["qrcode_id"] = [codes[code].id for code in visits["code"]]
    visits["qrcode"] = [codes[code].name for code in visits["code"]]
    visits["campaign"] = [names[codes[code].campaign_id] for code in visits["code"]]
    visits["campaign_id"] = [codes[code].campaign_id or "" for code in visits["code"]]
    return visits


def narrowed(portfolio, truth, filters):
    """A view and the part of the truth that it shows."""
    codes = {code.name: code for code in portfolio.list_qrcodes()}
    campaigns = {one.name: one.id for one in portfolio.list_campaigns()}
    chosen, part = {}, truth
    kinds = filters.get("kinds", ("scan",))
    part = part[part["kind"].isin(kinds)]
    if filters.get("campaign"):
        chosen["campaign_id"] = campaigns[filters["campaign"]]
        part = part[part["campaign"] == filters["campaign"]]
    if filters.get("qrcode"):
        chosen["qrcode_id"] = codes[filters["qrcode"]].id
        part = part[part["qrcode"] == filters["qrcode"]]
    if filters.get("since"):
        part = part[part["time"] >= pd.Timestamp(filters["since"], tz="UTC")]
    if filters.get("until"):
        part = part[part["time"] < pd.Timestamp(filters["until"], tz="UTC")]
    chosen |= {name: filters[name] for name in ("since", "until", "kinds") if filters.get(name)}
    return portfolio.scans.where(**chosen), part


days = st.dates(date(2026, 2, 18), date(2026, 3, 8))
moments = st.datetimes(datetime(2026, 2, 18), datetime(2026, 3, 8))
filters = st.fixed_dictionaries(
    {},
    optional={
        "campaign": st.sampled_from(["Spring", "Autumn"]),
        "qrcode": st.sampled_from(["Door", "Bus", "Menu", "Quiet"]),
        "since": days | moments,
        "until": days | moments,
        "kinds": st.lists(st.sampled_from(KINDS), min_size=1, unique=True).map(tuple),
    },
).filter(lambda chosen: pd.Timestamp(chosen.get("since", 0)) <= pd.Timestamp(chosen.get("until", "2030")))


def valued(part, name):
    values = part[name].fillna("")
    return values if name.startswith("campaign") else values.replace("", "unknown")


def counted(part, name):
    """Value to number of scans, of visitors and share, the most frequent values first."""
    values = valued(part, name)
    groups = [(value, rows) for value, rows in part.groupby(values)]
    found = [(value, len(rows), rows["visitor"].nunique(), len(rows) / len(part)) for value, rows in groups]
    return sorted(found, key=lambda row: (-row[1], row[0]))


def rows_of(frame):
    return list(frame.itertuples(index=False, name=None))


# ---- against pandas


@given(filters)
@some
def test_summary(portfolio, truth, chosen):
    scans, part = narrowed(portfolio, truth, chosen)
    (row,) = analytics.summary(scans).to_dict("records")
    assert (row["scans"], row["visitors"], row["qrcodes"]) == (
        *(len(part), part["visitor"].nunique(), part["code"].nunique()),
    )
    if len(part):
        assert (row["first"], row["last"]) == (
            part["time"].min(),
            part["time"].max(),
        )
    else:
        assert pd.isna(row["first"])
        assert pd.isna(row["last"])
    assert scans.count() == len(part)


def days_shown(part, chosen):
    """The days from the first scan or `since` to the last or `until`."""
    times = part["time"].dt.tz_localize(None)
    first = chosen.get("since") or (times.min() if len(part) else None)
    last = chosen.get("until")
    last = pd.Timestamp(last) - pd.Timedelta(microseconds=1) if last else times.max() if len(part) else None
    if first is None or last is None:
        return []
    return list(pd.date_range(pd.Timestamp(first).normalize(), pd.Timestamp(last).normalize()))


@pytest.mark.parametrize("by", [None, "campaign", "qrcode"])
@given(chosen=filters)
@some
def test_scans_per_day(portfolio, truth, by, chosen):
    """Days without scans are there, too, for each campaign or code that has any in the period."""
    scans, part = narrowed(portfolio, truth, chosen)
    found = analytics.scans_per_day(scans, by=by)
    day_of = part["time"].dt.tz_localize(None).dt.normalize()
    shown = days_shown(part, chosen)
    if by is None:
        wanted = [(day, int((day_of == day).sum())) for day in shown]
    else:
        wanted = [
            (day, name, int(((day_of == day) & (part[by] == name)).sum()))
            for day in shown
            for name in sorted(part[by].unique())
        ]
    assert rows_of(found) == wanted
    assert found["scans"].sum() == len(part)


@given(filters, st.integers(1, 6))
@some
def test_top_qrcodes(portfolio, truth, chosen, most):
    scans, part = narrowed(portfolio, truth, chosen)
    named = part.drop_duplicates("qrcode_id").set_index("qrcode_id")
    wanted = [
        (id_, named["qrcode"][id_], named["campaign"][id_], *numbers) for id_, *numbers in counted(part, "qrcode_id")
    ]
    found = analytics.top_qrcodes(scans, most=most)
    assert rows_of(found) == wanted[:most]
    assert analytics.top_qrcodes(scans, most=most, visitors=False).equals(found.drop(columns="visitors"))


@each_attribute(analytics.Attribute)
@given(chosen=filters, most=st.integers(1, 6))
@settings(some, max_examples=5)
def test_scans_by(portfolio, truth, attribute, chosen, most):
    scans, part = narrowed(portfolio, truth, chosen)
    found = analytics.scans_by(scans, attribute, most=most)
    assert rows_of(found) == counted(part, attribute)[:most]
    assert analytics.scans_by(scans, attribute, most=most, visitors=False).equals(found.drop(columns="visitors"))


@each_attribute(VisitAttribute)
@given(chosen=filters, data=st.data())
@settings(some, max_examples=2)
def test_views_and_days_of_an_attribute(portfolio, truth, attribute, chosen, data):
    """A view of some values of an attribute has the scans with these values; by the attribute, days add up to these."""
    scans, part = narrowed(portfolio, truth, chosen)
    absent = {"country": ["ZZ"], "device": [], "via": []}.get(attribute, ["no such value"])
    values = data.draw(st.lists(st.sampled_from([*sorted(set(valued(truth, attribute))), *absent]), min_size=1))
    wanted = part[valued(part, attribute).isin(values)]
    view = scans.where(**{attribute: values})
    assert view.count() == len(view.to_frame()) == len(wanted)
    assert rows_of(analytics.scans_by(view, attribute, most=99)) == counted(wanted, attribute)
    found = analytics.scans_per_day(view, by=attribute).groupby(attribute)["scans"].sum()
    assert found.to_dict() == valued(wanted, attribute).value_counts().to_dict()
    periods = analytics.scans_per(view, "week", by=attribute).groupby(attribute)["scans"].sum()
    assert periods.to_dict() == found.to_dict()
    assert view.where(**{attribute: None}) == scans


def test_a_view_that_begins_in_its_last_week_has_that_week():
    with open_portfolio(":memory:", clock=lambda: FIRST) as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
        shop.scans.insert([{"short_code": "door", "time": "2026-02-19T10:00:00Z"}])
        weeks = analytics.scans_per(shop.scans.where(since="2026-02-18"), "week")
    assert [(start.day, scans) for start, scans in weeks[["start", "scans"]].itertuples(index=False)] == [(16, 1)]


def test_views_of_several_attributes_have_all_of_them(portfolio, truth):
    part = truth[(truth["kind"] == "scan") & (truth["device"] == "phone") & (truth["utm_source"] == "poster")]
    view = portfolio.scans.where(device="phone", utm_source="poster")
    assert 0 < view.count() == len(part)
    assert view == portfolio.scans.where(utm_source=["poster"]).where(device=("phone",))
    assert set(analytics.rates(view.where(since="2026-02-22", until="2026-03-03"), by="device")["device"]) == {"phone"}
    assert analytics.repeat_share(view, by="utm_source")["utm_source"].tolist() == ["poster"]


@pytest.mark.parametrize("ask", [analytics.scans_by, lambda scans, by: analytics.rates(scans, by=by)])
def test_an_error_lists_the_attributes(portfolio, ask):
    with pytest.raises(
        InvalidParameter, match=r"must be one of campaign, campaign_id, qrcode, qrcode_id, .*utm_source"
    ):
        ask(portfolio.scans, "land")
    with pytest.raises(TypeError, match=r"'land'; allowed are since, until, .*attributes country, region"):
        portfolio.scans.where(land="DE")
    with pytest.raises(InvalidParameter, match="country=7: must be text, or a list of texts"):
        portfolio.scans.where(country=7)


def test_type_checkers_know_all_filters():
    assert tuple(AttributeFilters.__annotations__) == get_args(VisitAttribute)


@given(filters)
@some
def test_scans_by_hour(portfolio, truth, chosen):
    scans, part = narrowed(portfolio, truth, chosen)
    numbers = Counter((time.isoweekday(), time.hour) for time in part["time"])
    wanted = [(day, hour, numbers[day, hour]) for day in range(1, 8) for hour in range(24)]
    assert rows_of(analytics.scans_by_hour(scans).drop(columns="hours")) == wanted


@pytest.mark.rule("T9")
@given(filters)
@some
def test_visits_by_kind(portfolio, truth, chosen):
    """Open: what becomes of visits that do not count. They are kept with their kind, and this counts them all."""
    scans, _ = narrowed(portfolio, truth, chosen)
    _, part = narrowed(portfolio, truth, chosen | {"kinds": KINDS})
    numbers = part["kind"].value_counts().to_dict()
    wanted = sorted(numbers.items(), key=lambda row: (-row[1], row[0]))
    assert rows_of(analytics.visits_by_kind(scans)) == wanted


@pytest.mark.rule("T12")
@given(filters)
@some
def test_scan_records(portfolio, truth, chosen):
    """Open: what statistics tell. A record a scan, oldest first; no bots, no address, no referrer, no visitor."""
    scans, part = narrowed(portfolio, truth, chosen | {"kinds": ("scan",)})
    part = part.assign(created=part["time"].dt.tz_localize(None))
    wanted = [
        tuple(None if value in ("", "unknown") or pd.isna(value) else value for value in row)
        for row in rows_of(part[["created", "campaign", "system", "browser", "country", "region", "city"]])
    ]
    mobile = [(device in ("phone", "tablet"), device == "tablet") for device in part["device"]]
    names = ["created", "campaign", "system_name", "browser_name", "country_code", "region", "city"]
    found = analytics.scan_records(scans)
    assert found["created"].is_monotonic_increasing
    told = found[[*names, "is_mobile_device", "is_tablet"]].astype("object").where(found.notna(), None)
    assert Counter(rows_of(told)) == Counter((*row, *flags) for row, flags in zip(wanted, mobile, strict=True))


IPAD = f"Mozilla/5.0 (iPad; CPU OS 18_4 like Mac OS X) {APPLE} Version/18.4 Mobile/15E148 Safari/604.1"
TOLD = {
    "phone": (
        f"Mozilla/5.0 (Linux; Android 15; Pixel 8) {CHROME} Chrome/137.0.0.0 Mobile Safari/537.36",
        ("Android", "15", "Chrome Mobile", "137.0", "Google", "Pixel 8", True, False),
    ),
    "tablet": (IPAD, ("iOS", "18.4", "Mobile Safari", "18.4", "Apple", "iPad", True, True)),
    "computer": (
        f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {CHROME} Chrome/137.0.0.0 Safari/537.36",
        ("Windows", "10", "Chrome", "137.0", None, None, False, False),
    ),
    "program": ("curl/8.5.0", (None, None, "curl", "8.5", None, None, False, False)),
    "nothing": ("", (None, None, None, None, None, None, False, False)),
    "Chrome tells no model": (
        f"Mozilla/5.0 (Linux; Android 10; K) {CHROME} Chrome/137.0.0.0 Mobile Safari/537.36",
        ("Android", "10", "Chrome Mobile", "137.0", None, None, True, False),
    ),
    "Firefox tells no model": (
        "Mozilla/5.0 (Android 14; Tablet; rv:139.0) Gecko/139.0 Firefox/139.0",
        ("Android", "14", "Firefox Mobile", "139.0", None, None, True, True),
    ),
    "model of an unknown maker": (
        f"Mozilla/5.0 (Linux; Android 14; SM-X710) {CHROME} Chrome/136.0.0.0 Safari/537.36",
        ("Android", "14", "Chrome", "136.0", None, "SM-X710", True, True),
    ),
}
"""User agents and what a record says: system, browser, each with its version, maker, model, mobile, tablet."""


@pytest.mark.rule("T12")
@pytest.mark.parametrize(("agent", "told"), TOLD.values(), ids=TOLD)
def test_a_record_tells_phones_and_tablets_and_leaves_out_what_is_not_known(agent, told):
    """Open: what is mobile, and words for "unknown". Phones and tablets are; what is not known is missing."""
    with open_portfolio(":memory:") as portfolio:
        portfolio.insert_qrcode("https://example.com", short_code="door")
        scan = {"short_code": ["door"], "time": [FIRST], "kind": ["scan"], "user_agent": [agent]}
        portfolio.scans.insert(pd.DataFrame(scan))
        (row,) = rows_of(analytics.scan_records(portfolio.scans))
    campaign, *device, country, region, city, latitude, longitude, created = row
    assert tuple(None if pd.isna(value) else value for value in device) == told
    assert pd.isna([campaign, country, region, city, latitude, longitude]).all()
    assert created == pd.Timestamp(FIRST).tz_localize(None)


@pytest.mark.rule("T12")
def test_records_of_one_moment_come_in_the_same_order_however_they_were_stored():
    """Open: the order of scans of one moment. By what is told of them, and by nothing that is not."""
    given = pd.DataFrame(
        {"short_code": "door", "time": FIRST, "user_agent": [*AGENTS] * 5, "city": [*"abcde"] * 4, "latitude": 1.5}
    )
    found = []
    for order in (given, given[::-1], given.sample(frac=1, random_state=1)):
        with open_portfolio(":memory:") as portfolio:
            portfolio.insert_qrcode("https://example.com", short_code="door")
            # Keys of visitors are as random as ids: the order must not depend on them.
            portfolio.scans.insert(order.assign(visitor=range(len(order))))
            found.append(analytics.scan_records(portfolio.scans))
    pd.testing.assert_frame_equal(found[0], found[1])
    pd.testing.assert_frame_equal(found[0], found[2])


# ---- dtypes and edges

ALL = {
    "summary": (
        analytics.summary,
        {
            "scans": "int64",
            "visitors": "int64",
            "qrcodes": "int64",
            "first": "datetime64[us, UTC]",
            "last": "datetime64[us, UTC]",
        },
    ),
    "scans_per_day": (analytics.scans_per_day, {"day": "datetime64[us]", "scans": "int64"}),
    "scans_per_day by campaign": (
        lambda scans: analytics.scans_per_day(scans, by="campaign"),
        {"day": "datetime64[us]", "campaign": TEXT, "scans": "int64"},
    ),
    "scans_per_day by qrcode": (
        lambda scans: analytics.scans_per_day(scans, by="qrcode"),
        {"day": "datetime64[us]", "qrcode": TEXT, "scans": "int64"},
    ),
    "top_qrcodes": (
        analytics.top_qrcodes,
        {"qrcode_id": TEXT, "qrcode": TEXT, "campaign": TEXT}
        | {"scans": "int64", "visitors": "int64", "share": "float64"},
    ),
    "scans_by_hour": (
        analytics.scans_by_hour,
        {"weekday": "int64", "hour": "int64", "scans": "int64", "hours": "int64"},
    ),
    "visits_by_kind": (analytics.visits_by_kind, {"kind": TEXT, "visits": "int64"}),
    "unlike_people": (
        analytics.unlike_people,
        {"sign": TEXT, "begin": "datetime64[us, UTC]", "end": "datetime64[us, UTC]", "scans": "int64"}
        | {"qrcode_id": TEXT, "qrcode": TEXT, "user_agent": TEXT, "minutes": "float64"},
    ),
    "outages": (
        analytics.outages,
        {"begin": "datetime64[us, UTC]", "end": "datetime64[us, UTC]", "hours": "float64"},
    ),
    "scan_records": (
        analytics.scan_records,
        dict.fromkeys(
            (
                "campaign",
                "system_name",
                "system_version",
                "browser_name",
                "browser_version",
                "manufacturer",
                "device_model",
            ),
            TEXT,
        )
        | {"is_mobile_device": "bool", "is_tablet": "bool", "country_code": TEXT, "region": TEXT, "city": TEXT}
        | {"latitude": "float64", "longitude": "float64", "created": "datetime64[us]"},
    ),
} | {
    f"scans_by {name}": (
        lambda scans, name=name: analytics.scans_by(scans, name),
        {name: TEXT, "scans": "int64", "visitors": "int64", "share": "float64"},
    )
    for name in get_args(analytics.Attribute)
}


def test_each_statistic_has_a_test():
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    asked = {name for name in analytics.__all__ if inspect.isfunction(getattr(analytics, name))}
    assert {name for name in asked if not re.search(rf"\b(analytics\.)?{name}\(|analytics\.{name}\b", tests)} == set()


NARROW = {
    "all": {},
    "no scan": {"since": date(2030, 1, 1)},
    "no day": {"since": date(2026, 3, 1), "until": date(2026, 3, 1)},
    "days without scans": {"since": date(2030, 1, 1), "until": date(2030, 1, 5)},
}


@pytest.mark.parametrize("where", NARROW.values(), ids=NARROW)
@pytest.mark.parametrize(("ask", "dtypes"), ALL.values(), ids=ALL)
def test_columns_and_dtypes_are_those_of_the_docstring_even_without_rows(portfolio, truth, ask, dtypes, where):
    assert len(truth)
    found = ask(portfolio.scans.where(**where))
    assert {name: str(dtype) for name, dtype in found.dtypes.items()} == dtypes
    assert found.index.tolist() == list(range(len(found)))


@pytest.mark.parametrize(("ask", "dtypes"), ALL.values(), ids=ALL)
def test_a_portfolio_without_scans_has_answers_too(empty, ask, dtypes):
    found = ask(empty.scans)
    assert {name: str(dtype) for name, dtype in found.dtypes.items()} == dtypes
    assert len(found) == {analytics.summary: 1, analytics.scans_by_hour: 168}.get(ask, 0)


def test_one_scan_has_all_shares():
    with open_portfolio(":memory:") as portfolio:
        code = portfolio.insert_qrcode("https://example.com", name="Door", short_code="door")
        portfolio.scans.insert(pd.DataFrame({"short_code": ["door"], "time": [FIRST], "visitor": [7]}))
        day = pd.Timestamp(FIRST.date())
        assert rows_of(analytics.top_qrcodes(portfolio.scans)) == [(code.id, "Door", "", 1, 1, 1.0)]
        assert rows_of(analytics.scans_by(portfolio.scans, "campaign")) == [("", 1, 1, 1.0)]
        assert rows_of(analytics.scans_per_day(portfolio.scans)) == [(day, 1)]
        assert rows_of(analytics.scans_per_day(portfolio.scans, by="qrcode")) == [(day, "Door", 1)]
        assert analytics.scans_by_hour(portfolio.scans)["scans"].tolist().index(1) == 4 * 24 + 22  # a Friday


def test_a_period_without_scans_is_a_row_of_zeros_a_day(portfolio, truth):
    assert len(truth)
    scans = portfolio.scans.where(since=date(2030, 1, 30), until=date(2030, 2, 2))
    assert rows_of(analytics.scans_per_day(scans)) == [
        (pd.Timestamp(day), 0) for day in ("2030-01-30", "2030-01-31", "2030-02-01")
    ]
    assert rows_of(analytics.scans_per_day(scans, by="campaign")) == []


def test_what_scans_cannot_be_counted_by_is_refused(portfolio):
    with pytest.raises(InvalidParameter, match="must be one of campaign, campaign_id, qrcode, qrcode_id") as caught:
        analytics.scans_by(portfolio.scans, "1; DROP TABLE visits")
    assert caught.value.name == "attribute"
    with pytest.raises(InvalidParameter, match="must be one of campaign, campaign_id, qrcode, qrcode_id"):
        analytics.scans_per_day(portfolio.scans, by="time")


@pytest.mark.parametrize("most", [0, -1, 1.5, "3", True])
def test_a_number_of_rows_is_whole_and_positive(most):
    with open_portfolio(":memory:") as portfolio:
        for ask in (analytics.top_qrcodes, lambda scans, most: analytics.scans_by(scans, "country", most=most)):
            with pytest.raises(InvalidParameter, match=r"most=.*1 or more"):
                ask(portfolio.scans, most=most)


@pytest.mark.parametrize("whole", [np.int64, np.uint8])
def test_a_number_of_rows_may_be_one_of_numpy(portfolio, truth, whole):
    assert truth["country"].nunique() > 2
    found = analytics.scans_by(portfolio.scans, "country", most=whole(2))
    assert len(found) == 2
    pd.testing.assert_frame_equal(found, analytics.scans_by(portfolio.scans, "country", most=2))
    assert len(analytics.top_qrcodes(portfolio.scans, most=whole(2))) == 2


def test_a_view_is_narrowed_by_its_own_names_and_by_dates():
    with open_portfolio(":memory:") as portfolio:
        with pytest.raises(TypeError, match="unexpected keyword argument 'campain_id'"):
            portfolio.scans.where(campain_id="x")
        with pytest.raises(InvalidParameter, match="since='yesterday': must be a day such as 2026-06-01"):
            portfolio.scans.where(since="yesterday")
        with pytest.raises(InvalidParameter, match="until='2026-09-01': must come after since, 2026-10-01"):
            portfolio.scans.where(since="2026-10-01", until="2026-09-01")
        with pytest.raises(TypeError, match=r"use campaign_id=portfolio\.find_campaign\('Autumn menu'\)\.id"):
            portfolio.scans.where(campaign="Autumn menu")


def test_a_campaign_is_named_by_its_id():
    with open_portfolio(":memory:") as portfolio:
        campaign = portfolio.insert_campaign("Spring")
        with pytest.raises(InvalidParameter, match="is not the ID of a campaign"):
            portfolio.insert_qrcode("x", campaign_id=campaign)


def questions():
    """All functions of `analytics` that take a view of scans and need nothing else."""
    for name in analytics.__all__:
        parameters = [*inspect.signature(getattr(analytics, name)).parameters.values()] if name.islower() else []
        if [one.name for one in parameters if one.default is one.empty] == ["scans"]:
            yield name


@pytest.mark.parametrize("name", list(questions()))
def test_who_gives_a_portfolio_for_its_scans_is_told_so(portfolio, name):
    with pytest.raises(AttributeError, match=r"^a Portfolio has no '\w+'; use portfolio\.scans, which does"):
        getattr(analytics, name)(portfolio)


def test_what_neither_a_portfolio_nor_its_scans_have_is_named_alone(portfolio):
    for name in ("scan", "_parameters"):
        with pytest.raises(AttributeError, match=f"^a Portfolio has no '{name}'$"):
            getattr(portfolio, name)
