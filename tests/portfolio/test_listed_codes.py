"""QR Codes come from the store as they were stored, though they are not validated again."""

import copy
import gc
import pickle
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.errors import StoreDamaged
from qrkit.portfolio.exporting import Listing
from qrkit.tracking.records import QRCode

TEXT = st.text(st.characters(exclude_categories=["C"]) | st.sampled_from("\"'\\{}[],İß\n"), max_size=8)
WORD = st.text("ab\"\\'é", min_size=1, max_size=5)
MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 30), timezones=st.just(UTC))
LIMITS = st.integers(0, 10**12)
EVENT = {"content": "https://example.com/april", "recurrence": 3, "date": "2026-04-01T08:00:00Z"}
RULE = {"conditions": [{"type": "device", "matchValue": "ios"}], "longUrl": "https://example.com/ios"}
HASH = "$argon2id$v=19$m=19456,t=2,p=1$lIP2/KHWFennVlXQ0fQzOQ$Zu++QiV+mZlRUa53kJUFFYZizPZc2XfpprtwxMktTQw"
CODES = st.fixed_dictionaries(
    {"content": st.sampled_from(["https://example.com", "tel:+39040", 'žluť, "kůň" \'\\'])},
    optional={
        "name": TEXT,
        "comment": TEXT,
        "urlinfo": TEXT,
        "otherwise": TEXT,
        "is_dynamic": st.booleans(),
        "location": st.fixed_dictionaries(
            {},
            optional={
                "address": TEXT,
                "latitude": st.integers(-90, 90) | st.floats(-90, 90),
                "longitude": st.integers(-180, 180) | st.floats(-180, 180),
            },
        ),
        "properties": st.sampled_from([{}, {"ec": "H", "foreground": "red"}, {"version": 12, "em": "byte", "size": 3}]),
        "is_schedule_enabled": st.booleans(),
        "schedule": st.sampled_from([(), [EVENT], [EVENT, EVENT]]),
        "tags": st.lists(WORD, max_size=3),
        "fields": st.dictionaries(WORD, TEXT, max_size=3),
        "rules": st.sampled_from([(), [RULE]]),
        "active": st.booleans(),
        "valid_since": MOMENTS,
        "valid_until": MOMENTS,
        "limit": LIMITS,
        "limit_a_day": LIMITS,
        "password": st.just(HASH),
        "click_id": st.just("click"),
    },
)


@pytest.fixture(scope="module")
def shop(new_place):
    with open_portfolio(new_place(), base_url="https://go.example.com") as made:
        yield made


def dumped(code):
    return code.to_json(), {name: type(value) for name, value in vars(code).items()}


def test_a_listed_code_is_what_validation_makes_of_it(shop):
    @settings(max_examples=10)
    @given(CODES)
    def check(fields):
        code = shop.insert_qrcode(**fields)
        *_, listed = shop.list_qrcodes()
        alone = shop.get_qrcode(code.id)
        validated = QRCode(**vars(listed))
        assert code == listed == alone == validated
        assert dumped(code) == dumped(listed) == dumped(alone) == dumped(validated)
        *_, elsewhere = Listing.of(shop).qrcodes()  # as another process reads it
        assert dumped(elsewhere) == dumped(code)
        assert hash(listed) == hash(code)
        assert pickle.loads(pickle.dumps(listed)) == copy.deepcopy(listed) == listed.replace() == listed
        assert shop.update_qrcode(code.id, comment="new") == listed.replace(comment="new")
        shop.delete_qrcode(code.id)

    check()


def test_a_record_does_not_change_the_next_one(shop):
    one, other = (shop.get_qrcode(shop.insert_qrcode("https://example.com").id) for _ in range(2))
    changed = one.model_copy(update={"comment": "new"})
    assert (changed.comment, one.comment, other.comment) == ("new", "", "")
    assert one.model_fields_set == other.model_fields_set == set(QRCode.model_fields)


def test_listed_codes_of_a_campaign_share_what_they_have_in_common(shop):
    campaign = shop.insert_campaign("Spring")
    for tags in (["door", "north"], ["door", "north"], ["gate"]):
        shop.insert_qrcode("https://example.com", campaign_id=campaign.id, tags=tags, rules=[RULE])
    first, second, third = shop.list_qrcodes(campaign_id=campaign.id)
    assert first.campaign_id is second.campaign_id is third.campaign_id
    assert first.rules is second.rules is third.rules
    assert first.tags is second.tags
    assert [code.tags for code in (first, third)] == [("door", "north"), ("gate",)]


@pytest.mark.parametrize("is_on", [True, False])
def test_listing_leaves_the_garbage_collector_as_it_was(shop, is_on):
    (gc.enable if is_on else gc.disable)()
    try:
        shop.list_qrcodes()
        assert gc.isenabled() is is_on
    finally:
        gc.enable()


def test_after_a_damaged_code_the_store_answers_on(shop):
    code = shop.insert_qrcode("https://example.com", is_schedule_enabled=True, schedule=[EVENT])
    shop.store.execute("UPDATE qrcodes SET schedule = 'damaged' WHERE id = ?", [code.id])
    with pytest.raises(StoreDamaged, match="damaged schedule"):
        shop.list_qrcodes()
    assert gc.isenabled()
    shop.store.execute("UPDATE qrcodes SET schedule = '[]' WHERE id = ?", [code.id])
    assert shop.get_qrcode(code.id) in shop.list_qrcodes()
