"""Every question has the same answer whether visits are archived or not."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime, timedelta
from random import Random

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from qrkit import analytics, open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.store.recording.visit_rows import insert_visits
from qrkit.store.upkeep.maintenance import forget_visits, verify
from tests.analytics.test_two_engines import NOON, QUESTIONS, made
from tests.sweeps import night_after

CODES = ("door", "shelf", "gate", "loose", "never")
VIEWS = (
    {},
    {"since": date(2026, 2, 10), "until": datetime(2026, 3, 3, 10, 30), "time_zone": "America/St_Johns"},
    {"time_zone": "Asia/Kathmandu", "country": ["DE", "unknown"], "device": "phone"},
    {"since": "2026-01-31", "time_zone": "Europe/Ljubljana", "kinds": ("scan", "prefetch"), "destination": "unknown"},
)
ORDER = ["time", "kind", "qrcode_id", "visitor", "country", "city", "content", "language", "referrer", "browser"]


def at(moment):
    return lambda: moment


def add_visits(random, shop, most):
    """Add visits to codes that live, and to one that never did."""
    live = [code.short_code for code in shop.list_qrcodes() if code.short_code != "never"]
    insert_visits(
        shop.store, [made(random, shop, random.choice([*live, "nobody"])) for _ in range(random.randrange(most))]
    )


def change(random, shop):
    """Do to a store what happens between two archives: late visits, a code that goes, old visits that are forgotten."""
    add_visits(random, shop, 200)
    if random.random() < 0.5:
        codes = shop.list_qrcodes()
        shop.delete_qrcode(random.choice(codes[:3]).id)
    if random.random() < 0.5:
        forget_visits(shop.store, NOON - timedelta(minutes=random.randrange(200_000, 300_000)))


def answer(ask, scans):
    """The answer; or, where too few scans are left for one, what the question says of that."""
    try:
        return ask(scans)
    except InvalidParameter as error:
        return pd.DataFrame({"error": [str(error)]})


def assert_same_answers(plain, archived, asked):
    for view in asked:
        views = [shop.scans.where(**view) for shop in (plain, archived)]
        rows = [scans.to_frame().sort_values(ORDER, ignore_index=True) for scans in views]
        assert_frame_equal(*rows)
        for name, ask in QUESTIONS.items():
            if ask is not analytics.orphan_visits or not view:
                assert_frame_equal(*(answer(ask, scans) for scans in views), rtol=1e-12, obj=f"{name} of {view}")
    assert plain.scans.bounds() == archived.scans.bounds()
    assert_frame_equal(plain.qrcodes(), archived.qrcodes())
    assert plain.privacy_report().kept == archived.privacy_report().kept
    counted = "SELECT qrcode, device, count(*) AS visits FROM visits GROUP BY ALL ORDER BY ALL"
    assert_frame_equal(plain.sql(counted), archived.sql(counted))


def check_answers(folder, seed, changes):
    plain_path, archived_path = folder / "plain.duckdb", folder / "archived.duckdb"
    random = Random(seed)
    with open_portfolio(plain_path, clock=at(NOON - timedelta(days=400))) as shop:
        spring, autumn = (shop.insert_campaign(name).id for name in ("Spring", "Autumn"))
        for code, campaign in zip(CODES, (spring, spring, autumn, None, None), strict=True):
            shop.insert_qrcode(f"https://{code}.example", name=code.title(), short_code=code, campaign_id=campaign)
        add_visits(random, shop, 800)
    shutil.copy(plain_path, archived_path)
    now = at(datetime(2026, 4, 1, tzinfo=UTC))
    with open_portfolio(plain_path, clock=now) as plain, open_portfolio(archived_path, clock=now) as archived:
        for _ in range(changes):
            archived.archive(before=NOON - timedelta(days=random.randrange(150)))
            same = random.random()
            for shop in (plain, archived):
                change(Random(same), shop)
        assert_same_answers(plain, archived, random.sample(VIEWS, 2))
        assert verify(archived.store) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", night_after(range(8), 2))
def test_answers_are_the_same_after_many_archives_late_visits_deletions_and_sweeps(tmp_path, seed):
    check_answers(tmp_path, seed, 6)
