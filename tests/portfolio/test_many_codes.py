"""Many QR Codes at once: found by the page, edited together, deleted and restored; in both kinds of stores."""

from contextlib import contextmanager
from datetime import UTC, datetime

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, NotFound
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import create_account
from qrkit.store import Store
from qrkit.store.records.searching import Search
from qrkit.store.records.short_codes import DELETED, MARKED, target
from qrkit.store.upkeep import maintenance
from qrkit.tracking.records import PLANS

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
EVENT = {"content": "https://example.com/april", "recurrence": 0, "date": "2026-04-01T08:00:00Z"}


@contextmanager
def stocked(place):
    with open_portfolio(place, base_url="https://go.example.com", clock=lambda: NOW) as made:
        window = made.insert_campaign("Window")
        made.templates.save("brand", {"ec": "H"})
        for number in range(12):
            made.insert_qrcode(
                f"https://example.com/{number}?a=100%_x",
                name=f"{'Tür' if number % 2 else 'Table'} {number}",
                campaign_id=window.id if number % 2 else None,
                comment="upstairs" if number == 4 else "",
                location={"address": "Main Street"} if number == 5 else {},
                short_code=f"code{number}",
            )
        yield made


@pytest.fixture
def shop(new_place):
    with stocked(new_place()) as made:
        yield made


@pytest.fixture(scope="module")
def same_shop(new_place):
    """One for all tests that change nothing."""
    with stocked(new_place()) as made:
        yield made


def names(shop, **search):
    return [code.name for code in shop.search_page(Search(**search))[1]]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("tür",), ["Tür 1", "Tür 3", "Tür 5", "Tür 7", "Tür 9", "Tür 11"]),
        (("TABLE", "example.com/1"), ["Table 10"]),
        (("upstairs",), ["Table 4"]),
        (("main street",), ["Tür 5"]),
        (("https://go.example.com/code7",), ["Tür 7"]),
        (("100%_x", "/3"), ["Tür 3"]),
        (("100%x",), []),
        (("%",), [f"{'Tür' if number % 2 else 'Table'} {number}" for number in range(12)]),
    ],
)
def test_search_finds_words_as_they_are_typed_in_any_case(same_shop, words, found):
    assert names(same_shop, words=words) == found


def test_pages_follow_one_another_and_each_tells_the_whole_number(same_shop):
    pages = [same_shop.search_page(Search(), start=start, limit=5) for start in (0, 5, 10)]
    assert [total for total, _ in pages] == [12, 12, 12]
    assert [code for _, codes in pages for code in codes] == same_shop.list_qrcodes()
    assert same_shop.search_page(Search(), start=12, limit=5) == (0, [])


def test_search_takes_campaigns_ids_and_parts_of_contents(same_shop):
    (window,) = same_shop.list_campaigns()
    codes = same_shop.list_qrcodes()
    found = ["Tür 1", "Tür 3", "Tür 5", "Tür 7", "Tür 9", "Tür 11"]
    assert names(same_shop, campaign=window.id, words=("1",)) == found
    assert names(same_shop, ids=(codes[3].id, codes[0].id)) == ["Table 0", "Tür 3"]
    assert names(same_shop, content="com/1?") == ["Tür 1"]
    assert names(same_shop, content="COM/1?") == []


def test_codes_are_sorted_by_any_column_and_those_without_it_come_last(shop):
    times = [(4, "2026-03-30T10:00"), (4, "2026-03-29T10:00"), (7, "2026-03-31T10:00")]
    shop.scans.insert([{"short_code": f"code{number}", "time": f"{time}:00Z"} for number, time in times])
    ids = {code.name: code.id for code in shop.list_qrcodes()}
    shop.update_qrcode(ids["Table 2"], tags=["hall"], fields={"Floor": "10", "Wall": "North"})
    shop.update_qrcode(ids["Tür 3"], tags=["attic"], fields={"Floor": "9"})
    first = {
        "added": ["Table 0"], "-added": ["Tür 11", "Table 10"], "name": ["Table 0", "Table 10"], "-name": ["Tür 9"],
        "campaign": ["Tür 1", "Tür 11"], "-campaign": ["Tür 9", "Tür 7"], "scans": ["Table 0", "Tür 1"],
        "-scans": ["Table 4", "Tür 7", "Table 0"], "last scan": ["Table 4", "Tür 7", "Table 0"],
        "-last scan": ["Tür 7", "Table 4", "Table 0"], "tags": ["Tür 3", "Table 2", "Table 0"],
    }  # fmt: skip
    assert {order: names(shop, order=order)[: len(found)] for order, found in first.items()} == first
    for order, found in (("field", ["Tür 3", "Table 2", "Table 0"]), ("-field", ["Table 2", "Tür 3", "Table 0"])):
        assert names(shop, order=order, field="Floor")[:3] == found
    assert len(names(shop, is_unscanned=True)) == 10


def test_deleted_codes_come_back_with_short_codes_visits_and_schedules(shop):
    code = shop.find_qrcode("code1")
    shop.update_qrcode(code.id, is_schedule_enabled=True, schedule=[EVENT])
    times = pd.to_datetime(["2026-03-30T09:00", "2026-03-31T10:00"])
    shop.scans.insert(pd.DataFrame({"short_code": "code1", "time": times}))
    before = shop.list_qrcodes()
    followed = target(shop.store, "code1")
    deleted = shop.delete_qrcodes([code.id, shop.find_qrcode("code2").id, code.id])
    assert len(deleted) == 2
    assert len(shop.list_qrcodes()) == 10
    assert target(shop.store, "code1") == DELETED
    shop.restore_qrcodes(deleted)
    assert shop.list_qrcodes() == before
    assert target(shop.store, "code1") == followed
    assert len(shop.scans.where(qrcode_id=code.id).to_frame()) == 2
    shop.scans.insert([{"short_code": "code1", "time": "2026-03-31T11:00"}])
    assert shop.find_qrcode("code1").scans == 3
    assert maintenance.verify(shop.store) == []
    with pytest.raises(InvalidParameter, match="restored before"):
        shop.restore_qrcodes(deleted)


def test_codes_come_back_without_a_campaign_or_template_that_is_gone(shop):
    (window,) = shop.list_campaigns()
    code = shop.find_qrcode("code1")
    shop.update_qrcode(code.id, template="brand")
    deleted = shop.delete_qrcodes([code.id])
    shop.delete_campaign(window.id, keep=True)
    shop.templates.delete("brand")
    shop.restore_qrcodes(deleted)
    assert (shop.get_qrcode(code.id).campaign_id, shop.get_qrcode(code.id).template) == (None, "")


def test_many_codes_are_edited_together_and_visitors_follow(shop):
    (window,) = shop.list_campaigns()
    ids = [code.id for code in shop.list_qrcodes()]
    target(shop.store, "code1")  # remembered from before
    assert len(shop.edit_qrcodes(ids[:3], template="brand", campaign_id=window.id)) == 3
    assert len(shop.edit_qrcodes(ids[:3], template="brand", campaign_id=window.id)) == 0
    assert len(shop.edit_qrcodes(ids, find="https://example.com/1", replace="https://example.org/eins ")) == 3
    codes = shop.list_qrcodes()
    assert [code.template for code in codes] == ["brand"] * 3 + [""] * 9
    assert [code.name for code in codes if code.campaign_id] == ["Table 0", "Tür 1", "Table 2"] + [
        f"Tür {number}" for number in (3, 5, 7, 9, 11)
    ]
    assert codes[10].content == "https://example.org/eins 0?a=100%_x"
    assert target(shop.store, "code1").content == "https://example.org/eins ?a=100%_x"
    assert len(shop.edit_qrcodes(ids[:3], template="", campaign_id="")) == 3
    assert {(code.template, code.campaign_id) for code in shop.list_qrcodes()[:3]} == {("", None)}


def test_an_edit_is_undone_and_visitors_follow(shop):
    (window,) = shop.list_campaigns()
    before = shop.list_qrcodes()
    ids = [code.id for code in before]
    fields = {"template": "brand", "campaign_id": window.id, "find": "com/1", "replace": "org/eins"}
    edited = shop.edit_qrcodes(ids, **fields)
    assert len(edited) == 12
    assert target(shop.store, "code1").content == "https://example.org/eins?a=100%_x"
    assert shop.undo_edit(edited) == 12
    assert shop.list_qrcodes() == before
    assert target(shop.store, "code1").content == "https://example.com/1?a=100%_x"
    assert shop.undo_edit(edited) == 0


def test_undo_of_an_edit_keeps_what_was_changed_or_deleted_since(shop):
    (window,) = shop.list_campaigns()
    codes = shop.list_qrcodes()[:4]
    edited = shop.edit_qrcodes([code.id for code in codes], template="brand", campaign_id="", find="com", replace="org")
    shop.update_qrcode(codes[0].id, content="https://example.net/later")
    shop.delete_qrcode(codes[1].id)
    shop.delete_campaign(window.id, keep=True)
    assert shop.undo_edit(edited) == 3
    first, third, fourth = shop.list_qrcodes()[:3]
    assert (first.content, first.template) == ("https://example.net/later", "")
    assert third == codes[2]
    assert (fourth.content, fourth.campaign_id) == (codes[3].content, None)


def test_undo_of_an_edit_that_a_later_version_forbids_changes_nothing(shop):
    code = shop.insert_qrcode("https://example.com/" + "a" * 30, name="Static", is_dynamic=False)
    edited = shop.edit_qrcodes([code.id, shop.list_qrcodes()[0].id], template="brand", find="a" * 30, replace="a")
    shop.update_qrcode(code.id, properties={"version": 2})
    before = shop.list_qrcodes()
    with pytest.raises(InvalidParameter, match="does not work for 'Static'"):
        shop.undo_edit(edited)
    assert shop.list_qrcodes() == before


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"template": "nobody"}, "is not the name of a template"),
        ({"campaign_id": "nowhere"}, "is not the ID of a campaign"),
        ({"find": "https://example.com/4?a=100%_x", "replace": ""}, "does not work for 'Table 4'"),
    ],
)
def test_an_edit_that_breaks_a_rule_changes_nothing(same_shop, fields, rule):
    before = same_shop.list_qrcodes()
    with pytest.raises(InvalidParameter, match=rule):
        same_shop.edit_qrcodes([code.id for code in before], **fields)
    with pytest.raises(NotFound):
        same_shop.edit_qrcodes([before[0].id, "nothing"], template="brand")
    for id in ("nothing", "\0", 5):
        with pytest.raises(NotFound):
            same_shop.delete_qrcodes([before[0].id, id])
    assert same_shop.list_qrcodes() == before


@pytest.mark.rule("X15")
def test_tags_and_fields_are_kept_found_and_changed(shop):
    made = shop.insert_qrcode("https://example.com/g", tags=["poster"], fields={"City": "Graz", "Floor": "2"})
    assert shop.get_qrcode(made.id).fields == {"City": "Graz", "Floor": "2"}
    assert [one.id for one in shop.search_qrcodes("graz")] == [made.id]
    assert names(shop, words=("POSTER",)) == names(shop, words=("gra",)) == [made.name]
    changed = shop.update_qrcode(made.id, fields={"City": "Wien", "Floor": "", "Room": None}, tags=["poster", "a"])
    assert changed == shop.get_qrcode(made.id)
    assert (dict(changed.fields), changed.tags) == ({"City": "Wien"}, ("poster", "a"))
    assert shop.update_qrcode(made.id, name="G").fields == {"City": "Wien"}
    assert shop.update_qrcode(made.id, tags=()).tags == ()


@pytest.mark.rule("X15")
def test_edit_of_tags_and_fields_is_undone(shop):
    table, tuer = shop.list_qrcodes()[:2]
    shop.update_qrcode(table.id, tags=["old", "b"], fields={"City": "Graz"})
    before = [shop.get_qrcode(one.id) for one in (table, tuer)]
    edited = shop.edit_qrcodes(
        [table.id, tuer.id], add_tags=["new", "b"], remove_tags=["old"], fields={"City": "Wien", "Floor": "1"}
    )
    after = [shop.get_qrcode(one.id) for one in (table, tuer)]
    assert [one.tags for one in after] == [("b", "new"), ("new", "b")]
    assert [dict(one.fields) for one in after] == [{"City": "Wien", "Floor": "1"}] * 2
    assert shop.undo_edit(edited) == 2
    assert [shop.get_qrcode(one.id) for one in (table, tuer)] == before


def test_undo_keeps_fields_that_changed_since(shop):
    code = shop.list_qrcodes()[0]
    edited = shop.edit_qrcodes([code.id], fields={"City": "Wien", "Floor": "1"})
    shop.update_qrcode(code.id, fields={"City": "Linz", "Room": "7"})
    shop.undo_edit(edited)
    assert shop.get_qrcode(code.id).fields == {"City": "Linz", "Room": "7"}


RULE = {"conditions": [{"type": "scan-number", "matchValue": "1-5"}], "content": "https://example.com/first"}


@pytest.mark.rule("T20")
@pytest.mark.parametrize(
    "terms",
    [
        {"rules": [RULE]},
        {"active": False},
        {"limit": 5, "limit_a_day": 2, "otherwise": "Over."},
        {"password": "open sesame", "valid_since": "2026-12-01T00:00:00Z", "valid_until": "2027-12-01T00:00:00Z"},
    ],
)
def test_terms_of_many_codes_are_changed_and_undone_and_visitors_follow(shop, terms):
    ids = [code.id for code in shop.list_qrcodes()][:3]
    shop.update_qrcode(ids[0], rules=[RULE], limit=9, password="old sesame", otherwise="Sorry.")
    before = shop.list_qrcodes()
    edited = shop.edit_qrcodes(ids, **terms)
    changed = before[0].replace(**terms)
    for name in terms.keys() - {"password"}:
        assert {getattr(code, name) for code in shop.list_qrcodes()[:3]} == {getattr(changed, name)}
        assert getattr(target(shop.store, "code1").terms, name) == getattr(changed, name)
    assert shop.undo_edit(edited) == len(edited)
    assert shop.list_qrcodes() == before
    assert target(shop.store, "code1").terms == MARKED


@pytest.mark.rule("T20")
def test_a_campaign_gives_its_rules_to_new_codes_and_to_others_when_asked(shop):
    window = shop.update_campaign(shop.list_campaigns()[0].id, rules=[RULE])
    assert shop.get_campaign(window.id) == window
    assert shop.update_campaign(window.id, name="Windows").rules == window.rules
    new = shop.insert_qrcode("https://example.com", campaign_id=window.id)
    assert new.rules == window.rules
    assert shop.insert_qrcode("https://example.com", campaign_id=window.id, rules=[]).rules == ()
    before = shop.list_qrcodes()
    outside = shop.update_qrcode(before[0].id, rules=[RULE | {"content": "https://example.com/own"}])
    edited = shop.edit_qrcodes([code.id for code in before], rules_of_campaigns=True)
    for code in shop.list_qrcodes():
        assert code.rules == (window.rules if code.campaign_id else ())
    shop.undo_edit(edited)
    assert shop.list_qrcodes() == [outside, *before[1:]]
    assert len(shop.edit_qrcodes([outside.id], campaign_id=window.id, rules_of_campaigns=True)) == 1
    assert shop.get_qrcode(outside.id).rules == window.rules
    with pytest.raises(InvalidParameter, match=r"rules\.1=.*never takes effect"):
        shop.update_campaign(window.id, rules=[RULE, RULE])
    assert shop.update_campaign(window.id, rules=[]).to_json().count("rules") == 0


def test_terms_of_many_codes_that_break_a_rule_change_nothing(same_shop):
    ids = [code.id for code in same_shop.list_qrcodes()]
    before = same_shop.list_qrcodes()
    itself = RULE | {"content": before[4].short_url}
    for terms, rule in (
        ({"rules": [itself]}, "does not work for 'Table 4': .* is the short URL of this QR Code itself"),
        ({"rules": [RULE] * 2}, "never takes effect"),
        ({"password": "x"}, "password: must have 4..100 characters"),
        ({"rules": [RULE] * 51}, "rules.*must have 0..50 entries, not 51"),
    ):
        with pytest.raises(InvalidParameter, match=rule):
            same_shop.edit_qrcodes(ids, **terms)
    assert same_shop.list_qrcodes() == before


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"fields": {"Comment": "x"}}, "fields='Comment': is the name of a column of exports; choose another one"),
        ({"fields": {"short_url": "x"}}, "is the name of a column"),
        ({"fields": {"ID": "x"}}, "is the name of a column"),
        ({"fields": {f"{n}": "x" for n in range(51)}}, "must have at most 50 fields, not 51"),
        ({"fields": {"City": "x" * 1_001}}, "fields.City=.*at most 1,000 characters"),
        ({"fields": "City=Graz"}, "fields='City=Graz': must be an object"),
    ],
)
def test_invalid_fields_change_nothing(same_shop, change, rule):
    code = same_shop.list_qrcodes()[0]
    for work in (
        lambda: same_shop.insert_qrcode("https://example.com", **change),
        lambda: same_shop.update_qrcode(code.id, **change),
        lambda: same_shop.edit_qrcodes([code.id], **change),
    ):
        with pytest.raises(InvalidParameter, match=rule):
            work()
    assert same_shop.get_qrcode(code.id) == code


def test_fields_of_deleted_codes_come_back(shop):
    made = shop.insert_qrcode("https://example.com/g", tags=["poster"], fields={"City": "Graz"})
    shop.restore_qrcodes(shop.delete_qrcodes([made.id]))
    assert shop.get_qrcode(made.id) == made


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ({"rules": "garbage", "limit": -5}, "rules='garbage'.*limit=-5"),
        ({"gadget": 1}, "gadget=1: is not a parameter"),
        ({"rules": [], "rules_of_campaigns": True}, "rules=.*cannot be combined with rules_of_campaigns"),
    ],
)
def test_terms_are_checked_without_any_code(same_shop, terms, told):
    for ids in ([], [same_shop.list_qrcodes()[0].id]):
        with pytest.raises(InvalidParameter, match=told):
            same_shop.edit_qrcodes(ids, **terms)


def test_codes_beyond_the_plan_are_left_out_of_an_edit_with_a_warning(new_place):
    with Store(new_place()) as store:
        shop = Portfolio(store, create_account(store, "free"), base_url="https://go.example.com")
        ids = [shop.insert_qrcode("https://example.com").id for _ in range(PLANS["free"].most_qrcodes + 2)]
        with pytest.warns(UserWarning, match="plan free does not show are not edited: 2"):
            assert len(shop.edit_qrcodes(ids[-3:], limit=5)) == 1
        assert len(shop.edit_qrcodes(ids[:2], limit=5)) == 2


def test_codes_beyond_the_plan_are_deleted_and_visitors_follow(new_place):
    with Store(new_place()) as store:
        shop = Portfolio(store, create_account(store, "free"), base_url="https://go.example.com")
        most = PLANS["free"].most_qrcodes
        for delete in (lambda added: shop.delete_qrcodes(added.ids), shop.undo_import):
            rows = [f"https://example.com/{number}" for number in range(most + 1)]
            imported = shop.import_file("\n".join(["Content", *rows]).encode())
            short_codes = [row["short_code"] for row in store.rows("SELECT short_code FROM qrcodes")]
            assert len({target(store, one).content for one in short_codes}) == most + 1
            assert len(delete(imported)) == most + 1
            assert {target(store, one) for one in short_codes} == {DELETED}


# ---- undoing an import

TABLE = b"""Name,Content,Campaign
Gate,https://example.com/gate,Spring
Door,https://example.com/door,Window
Hall,https://example.com/hall,Spring
"""


def test_an_undone_import_takes_its_codes_and_campaigns_back(shop):
    before, campaigns = names(shop), [one.name for one in shop.list_campaigns()]
    imported = shop.import_file(TABLE)
    assert (imported.created, len(imported.ids), len(imported.campaign_ids), imported.kept_codes) == (3, 3, 1, 0)
    shop.delete_qrcodes([code.id for code in shop.search_qrcodes("hall")])
    deleted = shop.undo_import(imported)
    assert len(deleted) == 2
    assert (names(shop), [one.name for one in shop.list_campaigns()]) == (before, campaigns)
    assert len(shop.undo_import(imported)) == 0
    shop.restore_qrcodes(deleted)
    assert len({code.id for code in shop.list_qrcodes()} & set(imported.ids)) == 2


def test_an_undone_import_leaves_campaigns_that_others_use(shop):
    imported = shop.import_file(TABLE)
    spring = shop.find_campaign("Spring")
    kept = shop.insert_qrcode("https://example.com/kept", campaign_id=spring.id)
    assert len(shop.undo_import(imported)) == 3
    assert shop.get_qrcode(kept.id).campaign_id == spring.id


def test_an_import_that_kept_short_codes_is_not_undone(shop):
    imported = shop.import_file(b"Content,Trackable URL\nhttps://a.example,https://b.example/printed\n")
    assert imported.kept_codes == 1
    with pytest.raises(InvalidParameter, match="no short code is given twice"):
        shop.undo_import(imported)
    assert shop.find_qrcode("printed").content == "https://a.example"
    assert shop.import_file(TABLE, check=True).ids == ()
