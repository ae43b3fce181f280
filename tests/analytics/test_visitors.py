"""A visitor is a key of one UTC day, in every question, whether its visits are archived or not."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime, timedelta
from random import Random

import duckdb
import pandas as pd
import pytest

from qrkit import analytics, open_portfolio
from qrkit.store.all_visits import view_of
from qrkit.store.history.history_files import checksum_of, history_files
from qrkit.store.places.history_folder import Folder
from qrkit.store.upkeep.maintenance import forget_visits, verify
from tests.sweeps import night_after

NOW = datetime(2026, 4, 15, 12, tzinfo=UTC)
FIRST = datetime(2026, 3, 28)
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 Safari/604.1"
LAPTOP = "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0"
KEYS = [*range(30), *range(2**63 - 15, 2**63 + 15), 2**64 - 1, None]
VIEWS = (
    {},
    {"country": ["DE", "unknown"]},
    {"since": FIRST + timedelta(hours=31), "until": FIRST + timedelta(hours=90), "time_zone": "Asia/Kathmandu"},
    {"time_zone": "America/St_Johns", "device": "phone"},
    {"kinds": ("scan", "bot"), "time_zone": "Europe/Ljubljana"},
    {"kinds": ()},
)


def opened(path):
    return open_portfolio(path, clock=lambda: NOW)


def visits(random, number, days=6, keys=KEYS):
    """Visits in the first days, many of them with a key that is on the same day, or on another, once more."""
    return pd.DataFrame(
        {
            "short_code": random.choices(["door", "gate", "shelf"], k=number),
            "time": [FIRST + timedelta(minutes=random.randrange(days * 24 * 60)) for _ in range(number)],
            "kind": random.choices(["scan", "bot"], [9, 1], k=number),
            "content": random.choices(["https://a.example", "https://b.example"], k=number),
            "user_agent": random.choices([PHONE, LAPTOP], k=number),
            "country": random.choices(["DE", "SI", None], k=number),
            "city": random.choices(["Koper", "Celje", None], k=number),
            "visitor": pd.array(random.choices(keys, k=number), dtype="UInt64"),
        }
    )


def made(path, random, number=200):
    shop = opened(path)
    for code in ("door", "gate", "shelf"):
        shop.insert_qrcode(f"https://{code}.example", name=code.title(), short_code=code)
    shop.scans.insert(visits(random, number))
    return shop


def rows_of(view):
    """The scans of a view, each with the text that names its visitor, from DuckDB's own words for days and keys."""
    rows = view.to_frame()
    utc = rows["time"].dt.tz_convert("UTC") if rows["time"].dt.tz else rows["time"]
    rows["who"] = (utc.dt.strftime("%Y-%m-%d ") + rows["visitor"].astype("string")).where(rows["visitor"].notna())
    return rows


def counted(frame, by):
    """Visitors by group, of an answer or of rows."""
    names = "visitors" if "visitors" in frame else "who"
    groups = frame.groupby(by)[names]
    found = groups.sum() if names == "visitors" else groups.nunique()
    return found[found > 0].astype("int64").to_dict()


def check_visitors(view):
    """Every question that counts visitors says what their keys and days say."""
    rows = rows_of(view)
    assert analytics.summary(view)["visitors"].tolist() == [rows["who"].nunique()]
    for attribute in ("country", "city", "system", "qrcode"):
        answer = analytics.scans_by(view, attribute)
        assert counted(answer, attribute) == counted(rows.fillna({attribute: "unknown"}), attribute)
    assert counted(analytics.top_qrcodes(view), "qrcode") == counted(rows, "qrcode")
    assert counted(analytics.scans_by_content(view), ["qrcode", "content"]) == counted(rows, ["qrcode", "content"])
    local = rows["time"].dt.tz_localize(None)
    for period in ("hour", "day"):
        start = local.dt.floor("h" if period == "hour" else "D")
        answer = analytics.scans_per(view, period, by="qrcode")
        starts = answer["start"].dt.tz_localize(None).dt.floor("h" if period == "hour" else "D")
        assert counted(answer.assign(start=starts), ["start", "qrcode"]) == counted(
            rows.assign(start=start), ["start", "qrcode"]
        )
    repeats = analytics.repeat_share(view, by="qrcode").set_index("qrcode")
    each = rows.groupby(["qrcode", "who"]).size().rename("scans").reset_index()
    assert repeats["scans"].to_dict() == each.groupby("qrcode")["scans"].sum().to_dict()
    assert repeats["visitors"].to_dict() == each.groupby("qrcode").size().to_dict()
    assert repeats["again"].to_dict() == (each["scans"] > 1).groupby(each["qrcode"]).sum().to_dict()


def check_history(path, seed, changes):
    """Archive, change and ask, several times."""
    random = Random(seed)
    with made(path, random) as shop:
        for change in range(changes):
            shop.archive(before=FIRST + timedelta(days=random.randrange(2, 8)))
            shop.scans.insert(visits(random, 40, days=8))
            if change == changes - 1:
                shop.delete_qrcode(next(code.id for code in shop.list_qrcodes() if code.name == "Gate"))
            if change == 1:
                forget_visits(shop.store, (FIRST + timedelta(hours=17)).replace(tzinfo=UTC))
            for view in random.sample(VIEWS, 2):
                check_visitors(shop.scans.where(**view))
        assert verify(shop.store) == []


def visitors(shop, **view):
    return int(analytics.summary(shop.scans.where(**view))["visitors"].iloc[0])


def door(shop, *times, visitor=7):
    shop.scans.insert([{"short_code": "door", "time": time, "visitor": visitor} for time in times])


@pytest.fixture
def shop(tmp_path):
    with opened(tmp_path / "shop.duckdb") as shop:
        shop.insert_qrcode("https://door.example", short_code="door")
        yield shop


@pytest.mark.slow
def test_a_day_may_have_more_visitors_than_a_number_has_bits(tmp_path):
    random = Random(5)
    with made(tmp_path / "shop.duckdb", random, number=0) as shop:
        shop.scans.insert(visits(random, 1_500, days=3, keys=range(2**62, 2**62 + 250)))
        shop.archive(before=FIRST + timedelta(days=9))
        for view in VIEWS:
            check_visitors(shop.scans.where(**view))


@pytest.mark.slow
@pytest.mark.parametrize("seed", night_after(range(10), 2))
def test_visitors_are_what_their_keys_and_days_say_after_many_changes(tmp_path, seed):
    check_history(tmp_path / "shop.duckdb", seed, 4)


def test_a_key_of_several_days_is_a_visitor_of_each_day(shop):
    door(shop, FIRST, FIRST + timedelta(hours=5), FIRST + timedelta(days=1), FIRST + timedelta(days=20))
    assert (visitors(shop), visitors(shop, until="2026-03-29")) == (3, 1)
    shop.archive()
    assert (visitors(shop), visitors(shop, until="2026-03-29")) == (3, 1)
    (repeats,) = analytics.repeat_share(shop.scans).to_dict("records")
    assert repeats == {"scans": 4, "visitors": 3, "again": 1, "share": 0.25}


def test_a_late_visit_of_an_archived_visitor_is_the_same_visitor_before_and_after_the_next_archive(shop):
    door(shop, FIRST, FIRST + timedelta(days=1))
    shop.archive()
    door(shop, FIRST + timedelta(hours=3))
    assert visitors(shop) == 2
    shop.archive()
    assert visitors(shop) == 2
    door(shop, FIRST + timedelta(hours=4), visitor=8)
    assert visitors(shop) == 3


def test_scans_without_a_key_are_no_visitors_when_they_are_archived(shop):
    door(shop, FIRST, FIRST + timedelta(hours=1), visitor=None)
    shop.archive()
    assert (visitors(shop), shop.scans.count()) == (0, 2)


def test_all_words_for_an_unknown_value_are_one_group_in_which_a_visitor_counts_once(shop):
    rows = [{"short_code": "door", "time": FIRST, "visitor": 7, "city": known} for known in ("unknown", "", None)]
    shop.scans.insert(rows)
    for _ in range(2):
        (found,) = analytics.scans_by(shop.scans, "city").to_dict("records")
        assert found == {"city": "unknown", "scans": 3, "visitors": 1, "share": 1.0}
        (repeats,) = analytics.repeat_share(shop.scans, by="city").to_dict("records")
        assert (repeats["city"], repeats["visitors"], repeats["again"]) == ("unknown", 1, 1)
        (day,) = analytics.scans_per(shop.scans, "day", by="city").to_dict("records")
        assert (day["city"], day["scans"], day["visitors"]) == ("unknown", 3, 1)
        shop.archive()


def test_keys_are_signed_in_files_and_come_back_as_they_were(shop, tmp_path):
    keys = [0, 1, 2**63 - 1, 2**63, 2**64 - 1]
    for place, key in enumerate(keys):
        door(shop, FIRST + timedelta(hours=place), visitor=key)
    shop.archive()
    (file,) = history_files(shop.store)
    with duckdb.connect() as other:
        found = other.read_parquet(str(tmp_path / "shop.history" / file.file)).order("time")
        assert found.select("visitor, alone, again").fetchall() == [
            (key if key < 2**63 else key - 2**64, True, None) for key in keys
        ]
    assert shop.scans.to_frame()["visitor"].tolist() == keys


def test_visits_of_the_same_visitor_have_the_same_number_in_files(shop, tmp_path):
    door(shop, FIRST, FIRST + timedelta(hours=1), visitor=9)
    door(shop, FIRST, FIRST + timedelta(hours=2), FIRST + timedelta(days=1), visitor=7)
    door(shop, FIRST, FIRST, visitor=None)
    shop.archive()
    day = (FIRST.date() - date(1970, 1, 1)).days * 2**32
    with duckdb.connect() as other:
        files = [str(tmp_path / "shop.history" / file.file) for file in history_files(shop.store)]
        found = other.read_parquet(files).order("time, visitor").select("visitor, alone, again").fetchall()
    assert found == [
        (7, False, day + 1), (9, False, day + 2), (None, False, None), (None, False, None),
        (9, False, day + 2), (7, False, day + 1), (7, True, None),
    ]  # fmt: skip


SINCE_4 = "via, variant, split, conversion"
WITHOUT = {1: f"(alone, again, {SINCE_4})", 2: f"(again, {SINCE_4})", 3: f"({SINCE_4})"}
"""The columns that files of earlier versions lack."""


def in_version(version, path):
    """Write the files of a store as an earlier version wrote them, with the view that reads them."""
    folder = path.with_suffix(".history")
    key = "CASE WHEN visitor < 0 THEN visitor + 18446744073709551616::HUGEINT ELSE visitor END::UBIGINT"
    with duckdb.connect(path) as store:
        for (file,) in store.execute("SELECT file FROM history").fetchall():
            old, new = folder / file, folder / "old.parquet"
            visitor = key if version == 1 else "visitor"
            rows = f"SELECT * EXCLUDE {WITHOUT[version]} REPLACE ({visitor} AS visitor) FROM read_parquet('{old}')"
            store.execute(f"COPY ({rows}) TO '{new}' (FORMAT parquet)")
            shutil.move(new, old)
            values = [version, checksum_of(Folder(folder), file), old.stat().st_size, file]
            store.execute("UPDATE history SET version = ?, sha256 = ?, bytes = ? WHERE file = ?", values)
        store.execute(view_of({str(file): version for file in folder.glob("*/*.parquet")}, "2026-04-01"))


@pytest.mark.slow
@pytest.mark.parametrize("version", WITHOUT)
def test_files_of_earlier_versions_are_read_together_with_newer_ones(tmp_path, version):
    path, random = tmp_path / "shop.duckdb", Random(5)
    with made(path, random) as shop:
        shop.archive(before="2026-04-01")
        before = shop.scans.to_frame()
    in_version(version, path)
    with opened(path) as shop:
        pd.testing.assert_frame_equal(shop.scans.to_frame(), before)
        check_visitors(shop.scans)
        assert shop.archive().files == 1
        assert sorted(file.version for file in history_files(shop.store)) == [version, 4]
        check_visitors(shop.scans)
        assert verify(shop.store) == []
